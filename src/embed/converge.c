/* converge.c - training that ends by itself: a held-out sample is evaluated after every epoch; when its loss no longer falls, the
 * rate cools down and training ends.
 *
 * The sample is a number of edges, each with negatives of its own from the whole graph, drawn once from streams that training
 * never uses. Its edges are trained on like all others (an embedding is to hold every edge), its negatives are not. The decision
 * depends on the history alone, so a resumed training decides as an uninterrupted one would. */
#include <math.h>
#include <stdlib.h>

#include "trainer.h"

enum { SAMPLE_EDGES = 1024, SAMPLE_SHARE = 16 };

/* Converged: the mean loss of WINDOW epochs is not below STILL_FALLING times that of the WINDOW before. */
enum { WINDOW = 5, TWO_WINDOWS = 2 * WINDOW, LONGEST_SEARCH = 2000 };
#define STILL_FALLING 0.995

/* Of e, for a negative that is nearer than the positive: the sum must not overflow. */
#define LARGEST_EXPONENT 700.0

/* Cooling down takes this share of the epochs before it. */
#define COOLING_SHARE 0.5
enum { LEAST_COOLING = 10 };

void embed_held_out_destroy(held_out *sample) {
  if (!sample)
    return;
  free(sample->nodes);
  free(sample->losses);
  free(sample);
}

uint32_t embed_source_of(const geodisk_trainer *t, uint64_t edge) {
  size_t low = 0, high = t->nodes;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if (t->out.offsets[middle] <= edge)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

geodisk_status embed_held_out_allocate(geodisk_trainer *t) {
  held_out *sample = geodisk_allocate_zero(1, sizeof *sample);
  if (!sample)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the held-out sample");
  t->held_out = sample;
  sample->edges = t->edges / SAMPLE_SHARE < SAMPLE_EDGES ? t->edges / SAMPLE_SHARE + 1 : SAMPLE_EDGES;
  sample->nodes = geodisk_allocate_zero(sample->edges, sizeof *sample->nodes);
  sample->losses = geodisk_allocate(sample->edges, sizeof *sample->losses);
  if (!sample->nodes || !sample->losses)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the held-out sample");
  return GEODISK_OK;
}

uint64_t embed_sample_edge(const geodisk_trainer *t, size_t i, geodisk_random *random) {
  *random = geodisk_random_stream(t->options.seed, stream_of(STREAM_HELD_OUT, 0, i)); /* each from a stream of its own */
  return geodisk_random_below(random, t->edges);
}

static bool is_among(uint32_t v, const uint32_t *targets, size_t count) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (targets[middle] < v)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && targets[low] == v;
}

void embed_sample_nodes(const geodisk_trainer *t, geodisk_random *random, uint32_t u, uint32_t v, const uint32_t *targets,
                        size_t count, uint32_t *nodes) {
  nodes[0] = u;
  nodes[1] = v;
  for (int k = 2; k < SAMPLE_NODES; k++) { /* the same node twice does no harm here */
    nodes[k] = NO_NODE;
    for (int tries = 0; tries < 16 && nodes[k] == NO_NODE; tries++) {
      const uint32_t m = (uint32_t)geodisk_random_below(random, t->nodes);
      if (m != u && !is_among(m, targets, count))
        nodes[k] = m;
    }
  }
}

geodisk_status embed_held_out_create(geodisk_trainer *t) {
  geodisk_status st = embed_held_out_allocate(t);
  for (size_t i = 0; st == GEODISK_OK && i < t->held_out->edges; i++) {
    geodisk_random random;
    const uint64_t edge = embed_sample_edge(t, i, &random);
    const uint32_t u = embed_source_of(t, edge);
    const uint64_t first = t->out.offsets[u];
    embed_sample_nodes(t, &random, u, t->out.nodes[edge], t->out.nodes + first, (size_t)(t->out.offsets[u + 1] - first),
                       t->held_out->nodes[i]);
  }
  return st;
}

/* d */
static double distance(const geodisk_trainer *t, const double *x, double gap, uint32_t m) {
  double y[512], other, square = 0.0;
  embed_get_row(t, m, y, &other);
  for (int k = 0; k < t->options.dim; k++)
    square += (x[k] - y[k]) * (x[k] - y[k]);
  if (t->options.space == GEODISK_SPACE_EUCLIDEAN)
    return sqrt(square);
  return 2.0 * log((sqrt(gap * other + square) + sqrt(square)) / sqrt(gap * other));
}

static void sample_loss(void *arg, size_t index) {
  const geodisk_trainer *t = arg;
  const uint32_t *row = t->held_out->nodes[index];
  double x[512], gap;
  embed_get_row(t, row[0], x, &gap);
  const bool complement = t->options.loss == GEODISK_NEGATIVES_COMPLEMENT;
  const double sharpness = t->options.sharpness, own = distance(t, x, gap, row[1]);
  double sum = complement ? exp(own) : 1.0; /* all times e^(sharpness own) */
  for (int k = 2; k < SAMPLE_NODES; k++)
    if (row[k] != NO_NODE)
      sum += exp(fmin(sharpness * (own - distance(t, x, gap, row[k])), LARGEST_EXPONENT));
  t->held_out->losses[index] = log(sum);
}

double embed_held_out_loss(geodisk_trainer *t) {
  geodisk_parallel(t->context, t->held_out->edges, sample_loss, t);
  double sum = 0.0;
  for (size_t i = 0; i < t->held_out->edges; i++)
    sum += t->held_out->losses[i];
  return sum / (double)t->held_out->edges;
}

static double window_mean(const geodisk_train_epoch *history) {
  double sum = 0.0;
  for (int i = 0; i < WINDOW; i++)
    sum += history[i].held_out;
  return sum / WINDOW;
}

void embed_follow(geodisk_trainer *t) {
  const uint64_t before = t->options.core_epochs + t->options.burn_in, searched = t->position - before;
  if (t->position <= before || t->cooling != NOT_COOLING)
    return;
  const geodisk_train_epoch *end = t->history + t->position;
  const bool flat = searched >= TWO_WINDOWS && !(window_mean(end - WINDOW) < STILL_FALLING * window_mean(end - TWO_WINDOWS));
  if (!flat && searched < LONGEST_SEARCH)
    return;
  t->cooling = t->position;
  t->last = t->position + (uint64_t)fmax(LEAST_COOLING, ceil(COOLING_SHARE * (double)searched));
}
