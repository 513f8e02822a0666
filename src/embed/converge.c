/* converge.c - training that ends by itself: a held-out sample is evaluated after every epoch; when its loss no longer falls, the
 * rate cools down and training ends.
 *
 * The sample is a number of edges, each with negatives of its own from the whole graph, drawn once from streams that training
 * never uses. Its edges are trained on like all others (an embedding is to hold every edge), its negatives are not. The decision
 * depends on the history alone, so a resumed training decides as an uninterrupted one would. */
#include <math.h>
#include <stdlib.h>

#include "trainer.h"

enum { SAMPLE_EDGES = 1024, SAMPLE_SHARE = 16, SAMPLE_NEGATIVES = 32 };

/* Converged: the mean loss of WINDOW epochs is not below STILL_FALLING times that of the WINDOW before. */
enum { WINDOW = 5, TWO_WINDOWS = 2 * WINDOW, LONGEST_SEARCH = 2000 };
#define STILL_FALLING 0.995

/* Cooling down takes this share of the epochs before it. */
#define COOLING_SHARE 0.5
enum { LEAST_COOLING = 10 };

struct held_out {
  size_t edges;
  uint32_t (*nodes)[2 + SAMPLE_NEGATIVES]; /* u, v and negatives; NO_NODE where there are fewer */
  double *losses;
};

void embed_held_out_destroy(held_out *sample) {
  if (!sample)
    return;
  free(sample->nodes);
  free(sample->losses);
  free(sample);
}

static uint32_t source_of(const geodisk_trainer *t, uint64_t edge) {
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

geodisk_status embed_held_out_create(geodisk_trainer *t) {
  held_out *sample = geodisk_allocate_zero(1, sizeof *sample);
  if (!sample)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the held-out sample");
  t->held_out = sample;
  sample->edges = t->edges / SAMPLE_SHARE < SAMPLE_EDGES ? t->edges / SAMPLE_SHARE + 1 : SAMPLE_EDGES;
  sample->nodes = geodisk_allocate(sample->edges, sizeof *sample->nodes);
  sample->losses = geodisk_allocate(sample->edges, sizeof *sample->losses);
  if (!sample->nodes || !sample->losses)
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "out of memory for the held-out sample");
  for (size_t i = 0; i < sample->edges; i++) { /* each from a stream of its own: whoever holds the row of u can draw it alone */
    geodisk_random random = geodisk_random_stream(t->options.seed, stream_of(STREAM_HELD_OUT, 0, i));
    uint64_t edge = geodisk_random_below(&random, t->edges);
    uint32_t *row = sample->nodes[i], u = source_of(t, edge);
    row[0] = u;
    row[1] = t->out.nodes[edge];
    for (int k = 2; k < 2 + SAMPLE_NEGATIVES; k++) { /* the same node twice does no harm here */
      row[k] = NO_NODE;
      for (int tries = 0; tries < 16 && row[k] == NO_NODE; tries++) {
        uint32_t m = (uint32_t)geodisk_random_below(&random, t->nodes);
        if (m != u && !geodisk_graph_has_edge(t->graph, u, m))
          row[k] = m;
      }
    }
  }
  return GEODISK_OK;
}

/* e^-d */
static double likelihood(const geodisk_trainer *t, const double *x, double gap, uint32_t m) {
  double y[512], other, square = 0.0;
  embed_get_row(t, m, y, &other);
  for (int k = 0; k < t->options.dim; k++)
    square += (x[k] - y[k]) * (x[k] - y[k]);
  if (t->options.space == GEODISK_SPACE_EUCLIDEAN)
    return exp(-sqrt(square));
  const double s = sqrt(gap * other + square) + sqrt(square);
  return gap * other / (s * s);
}

static void sample_loss(void *arg, size_t index) {
  const geodisk_trainer *t = arg;
  const uint32_t *row = t->held_out->nodes[index];
  double x[512], gap;
  embed_get_row(t, row[0], x, &gap);
  const bool complement = t->options.loss == GEODISK_NEGATIVES_COMPLEMENT;
  const double e = likelihood(t, x, gap, row[1]);
  double sum = complement ? 1.0 : e;
  for (int k = 2; k < 2 + SAMPLE_NEGATIVES; k++)
    if (row[k] != NO_NODE)
      sum += likelihood(t, x, gap, row[k]);
  t->held_out->losses[index] = log(sum / e);
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
  const uint64_t searched = t->position - t->options.burn_in;
  if (t->position <= t->options.burn_in || t->cooling != NOT_COOLING)
    return;
  const geodisk_train_epoch *end = t->history + t->position;
  const bool flat = searched >= TWO_WINDOWS && !(window_mean(end - WINDOW) < STILL_FALLING * window_mean(end - TWO_WINDOWS));
  if (!flat && searched < LONGEST_SEARCH)
    return;
  t->cooling = t->position;
  t->last = t->position + (uint64_t)fmax(LEAST_COOLING, ceil(COOLING_SHARE * (double)searched));
}
