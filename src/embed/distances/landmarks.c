/* landmarks.c - points placed by their lengths to points that stay, each for itself: the rest of a graph whose sample was fitted,
 * and the nodes of a large one that are no landmarks. */
#include <string.h>

#include "distance_fit.h"
#include "embed/trainer.h"

enum { NODES_PER_TASK = 32, EPOCHS = 20 };
#define FALL 1e-6 /* of heat, from the first epoch to the last */

/* The nearest of those that stay. */
static size_t nearest_of(const distance_placing *a, uint32_t node) {
  const double *lengths = a->lengths + node;
  size_t nearest = 0;
  for (size_t i = 1; i < a->known.count; i++) {
    const double length = lengths[a->sources[i] * a->nodes], least = lengths[a->sources[nearest] * a->nodes];
    if (embed_counts(length) && !(least <= length))
      nearest = i;
  }
  return nearest;
}

static void place_points(void *arg, size_t task) {
  const distance_placing *a = arg;
  const size_t stride = (size_t)a->known.dim + 1, first = task * NODES_PER_TASK;
  for (size_t t = first; t < a->count && t < first + NODES_PER_TASK; t++) {
    const uint32_t node = a->targets[t];
    double *x = a->rows + t * stride;
    if (node == NO_NODE)
      continue;
    if (!a->begun)
      memcpy(x, a->known.rows + nearest_of(a, node) * stride, stride * sizeof *x);
    for (int e = 0; e < EPOCHS; e++) {
      const double done = (double)(e + 1) / EPOCHS;
      const pair_rule rule = {.stress = a->stress,
                              .curve = a->curve,
                              .heat = a->square * (a->begun ? 0.02 : 6.0) * portable_pow(FALL, done),
                              .squares = done < 0.5};
      embed_point_epoch(&a->known, &rule, a->lengths + node, a->nodes, a->sources, x);
    }
  }
}

void embed_place_points(const distance_placing *a) {
  distance_placing job = *a;
  geodisk_parallel(a->known.context, (a->count + NODES_PER_TASK - 1) / NODES_PER_TASK, place_points, &job);
}
