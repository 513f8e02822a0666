/* stress.c - distances of the model fitted in the hyperbolic plane. Pairs of nodes are taken one after the other, at random and
 * from near places of the forest, and both ends move along their geodesic so that the pair comes nearer to its distance; the
 * share of the way falls from pass to pass (stochastic gradient descent of the stress, as in graph drawing). Polar coordinates
 * keep their digits at any depth. One thread: the order of the pairs is part of the result. */
#include "projection.h"

#include <math.h>
#include <stdlib.h>

#define LONGEST 300.0 /* radius: beyond, gaps leave the range of a double when multiplied */
enum { PASSES = 24, FAR_PAIRS = 6, NEAR_STEPS = 3, MEASURED = 200000 };
static const uint64_t SEED = 0x6469736bu; /* the same picture every time */

double polar_distance(double r, double s, double t) {
  const double half = sinh((r - s) / 2), across = sin(t / 2);
  return 2 * asinh(sqrt(half * half + sinh(r) * sinh(s) * across * across));
}

double polar_step(double r, double step, double out, double across, double *turn) {
  /* The law of cosines for the new radius, written without cancellation when the step goes inwards; the angle by the tangent. */
  const double half = sinh((r - step) / 2);
  const double radius = 2 * asinh(sqrt(half * half + sinh(r) * sinh(step) * (1 + out) / 2));
  *turn = atan2(sinh(step) * across, sinh(r) * cosh(step) + cosh(r) * sinh(step) * out);
  return radius;
}

/* The unit vector at (r, 0) that points away from (s, t), whose distance is d. */
static void away(double r, double s, double t, double d, double *out, double *across) {
  const double half = sin(t / 2), a = sinh(r - s) + 2 * cosh(r) * sinh(s) * half * half, b = -sinh(s) * sin(t);
  const double norm = hypot(a, b);
  (void)d;
  *out = norm > 0 ? a / norm : 1;
  *across = norm > 0 ? b / norm : 0;
}

static void move(polar_points *p, uint32_t i, double step, double out, double across) {
  double turn;
  if (step < 0) {
    step = -step;
    out = -out;
    across = -across;
  }
  const double radius = polar_step(p->radius[i], step, out, across, &turn);
  if (radius < LONGEST) { /* a NaN stays where it was, too */
    p->radius[i] = radius;
    p->angle[i] += turn;
  }
}

/* Moves both ends of a pair by half of the share of what is missing. */
static void relax(const source_points *source, polar_points *p, uint32_t i, uint32_t j, double share, uint32_t centre) {
  const double wanted = source_distance(source, i, j);
  if (i == j || !(wanted > 0))
    return;
  const double r = p->radius[i], s = p->radius[j], t = p->angle[j] - p->angle[i], d = polar_distance(r, s, t);
  double out_i, across_i, out_j, across_j;
  away(r, s, t, d, &out_i, &across_i);
  away(s, r, -t, d, &out_j, &across_j);
  const double step = share * (wanted - d) / (i == centre || j == centre ? 1 : 2);
  if (i != centre)
    move(p, i, step, out_i, across_i);
  if (j != centre)
    move(p, j, step, out_j, across_j);
}

geodisk_status stress_fit(geodisk_context *context, const source_points *source, const uint32_t *parent, uint32_t centre,
                          polar_points *points) {
  const geodisk_progress start = {"projecting into the plane", "passes", 0, PASSES, NULL};
  if (source->nodes < 3 || !geodisk_progress_event(context, &start))
    return source->nodes < 3 ? GEODISK_OK : geodisk_fail(context, GEODISK_ERROR_STOPPED, "stopped");
  for (uint64_t pass = 0; pass < PASSES; pass++) {
    /* From a half down to a hundredth of the way, geometrically. */
    const double share = 0.5 * pow(0.02, (double)pass / (PASSES - 1));
    geodisk_random random = geodisk_random_stream(SEED, pass);
    for (uint32_t i = 0; i < source->nodes; i++) {
      uint32_t up = parent[i];
      for (int k = 0; k < NEAR_STEPS && up != GEODISK_NO_NODE; k++, up = parent[up])
        relax(source, points, i, up, share, centre);
      relax(source, points, i, centre, share, centre);
      for (int k = 0; k < FAR_PAIRS; k++)
        relax(source, points, i, (uint32_t)geodisk_random_below(&random, source->nodes), share / 4, centre);
    }
    const geodisk_progress progress = {"projecting into the plane", "passes", pass + 1, PASSES, NULL};
    if (!geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "stopped");
  }
  return GEODISK_OK;
}

/* ---- how well it fits
 * ----------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* |d' / d - 1|; NaN for points that coincide in the model. */
static double distortion(const source_points *source, const polar_points *p, uint32_t i, uint32_t j) {
  const double wanted = source_distance(source, i, j);
  return wanted > 0 ? fabs(polar_distance(p->radius[i], p->radius[j], p->angle[j] - p->angle[i]) / wanted - 1) : (double)NAN;
}

geodisk_status stress_measure(geodisk_context *context, const source_points *source, const geodisk_scene *scene,
                              const polar_points *points, geodisk_projection *out) {
  double *list = geodisk_allocate(MEASURED, sizeof *list), sum = 0, edge_sum = 0;
  size_t n = 0, n_edges = 0;
  if (list == NULL)
    return geodisk_fail(context, GEODISK_ERROR_MEMORY, "not enough memory for the projection");
  geodisk_random random = geodisk_random_stream(SEED, UINT64_MAX);
  for (size_t k = 0; source->nodes > 1 && k < MEASURED; k++) {
    const uint32_t i = (uint32_t)geodisk_random_below(&random, source->nodes);
    const uint32_t j = (uint32_t)geodisk_random_below(&random, source->nodes);
    const double value = distortion(source, points, i, j);
    if (i != j && value == value)
      sum += list[n++] = value;
  }
  for (size_t e = 0; e < scene->edges; e++) {
    const double value = distortion(source, points, scene->edge_child[e], scene->edge_parent[e]);
    if (value == value) {
      edge_sum += value;
      n_edges++;
    }
  }
  qsort(list, n, sizeof *list, ascending);
  out->pairs = n;
  out->distortion_mean = n > 0 ? sum / (double)n : 0;
  out->distortion_median = n > 0 ? list[n / 2] : 0;
  out->distortion_95 = n > 0 ? list[n - 1 - n / 20] : 0;
  out->edge_distortion_mean = n_edges > 0 ? edge_sum / (double)n_edges : (double)NAN;
  free(list);
  return GEODISK_OK;
}
