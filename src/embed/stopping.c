/* stopping.c - whether training has converged: a sample of the edges, each with negatives of its own from the whole graph, drawn
 * once from streams that training never uses, and evaluated after every epoch. Its edges are trained on like all others (an
 * embedding is to hold every edge), its negatives are not. The verdict depends on the history alone, so a resumed training tells
 * the same. */
#include <math.h>
#include <stdlib.h>

#include "trainer.h"

enum { SAMPLE_EDGES = 1024, SAMPLE_SHARE = 16 };

/* Converged: the mean loss of the last twentieth of the epochs is at least this share of that of the twentieth before. */
#define STILL_FALLING 0.97

void embed_sample_destroy(loss_sample *sample) {
  if (!sample)
    return;
  geodisk_free_all(sample->nodes, sample->losses, sample);
}

geodisk_status embed_sample_allocate(geodisk_trainer *t) {
  loss_sample *sample = geodisk_allocate_zero(1, sizeof *sample);
  if (!sample)
    return geodisk_no_memory(t->context, "for the sample of the loss");
  t->sample = sample;
  sample->edges = t->edges / SAMPLE_SHARE < SAMPLE_EDGES ? t->edges / SAMPLE_SHARE + 1 : SAMPLE_EDGES;
  sample->nodes = geodisk_allocate_zero(sample->edges, sizeof *sample->nodes);
  sample->losses = geodisk_allocate(sample->edges, sizeof *sample->losses);
  if (!sample->nodes || !sample->losses)
    return geodisk_no_memory(t->context, "for the sample of the loss");
  return GEODISK_OK;
}

uint64_t embed_sample_edge(const geodisk_trainer *t, size_t i, geodisk_random *random) {
  *random = geodisk_random_stream(t->options.seed, stream_of(STREAM_SAMPLE, 0, i)); /* each from a stream of its own */
  return geodisk_random_below(random, t->edges);
}

void embed_sample_nodes(const geodisk_trainer *t, geodisk_random *random, uint32_t u, uint32_t v, const uint32_t *targets,
                        size_t count, uint32_t *nodes) {
  nodes[0] = u;
  nodes[1] = v;
  for (int k = 2; k < SAMPLE_NODES; k++) { /* the same node twice does no harm here */
    nodes[k] = NO_NODE;
    for (int tries = 0; tries < 16 && nodes[k] == NO_NODE; tries++) {
      const uint32_t m = (uint32_t)geodisk_random_below(random, t->nodes);
      if (m != u && !csr_has(targets, count, m))
        nodes[k] = m;
    }
  }
}

geodisk_status embed_sample_create(geodisk_trainer *t) {
  geodisk_status st = embed_sample_allocate(t);
  for (size_t i = 0; st == GEODISK_OK && i < t->sample->edges; i++) {
    geodisk_random random;
    const uint64_t edge = embed_sample_edge(t, i, &random);
    const uint32_t u = (uint32_t)csr_row(t->out.offsets, 0, t->nodes, edge);
    const uint64_t first = t->out.offsets[u];
    embed_sample_nodes(t, &random, u, t->out.nodes[edge], t->out.nodes + first, (size_t)(t->out.offsets[u + 1] - first),
                       t->sample->nodes[i]);
  }
  return st;
}

/* What kernels compute in vectors (train.h). */
static void plain_terms(double sharpness, bool flat, double *distances, const double *gaps, double *terms) {
  for (size_t i = 0; i < SAMPLE_NODES - 1; i++) {
    const double square = distances[i], root = sqrt(square);
    distances[i] = flat ? root : 2.0 * portable_log((sqrt(gaps[i] + square) + root) / sqrt(gaps[i]));
  }
  for (size_t i = 0; i < SAMPLE_NODES - 1; i++)
    terms[i] = portable_exp(fmin(sharpness * (distances[0] - distances[i]), TRAIN_SAMPLE_MOST));
}

/* The loss of an edge u -> v of the sample, from its own distance and those of its negatives. */
static void sample_loss(void *arg, size_t index) {
  const geodisk_trainer *t = arg;
  const uint32_t *nodes = t->sample->nodes[index];
  const int dim = t->options.dim;
  const bool flat = t->options.space == GEODISK_SPACE_EUCLIDEAN, complement = t->options.loss == GEODISK_LOSS_COMPLEMENT;
  double u[GEODISK_DIM_MOST], m[GEODISK_DIM_MOST], gap, gap_m;
  double distances[TRAIN_SAMPLE_ROOM], gaps[TRAIN_SAMPLE_ROOM], terms[TRAIN_SAMPLE_ROOM];
  embed_get_row(t, nodes[0], u, &gap);
  for (size_t i = 0; i < TRAIN_SAMPLE_ROOM; i++) {
    distances[i] = 0.0;
    gaps[i] = 1.0;
    if (i + 1 >= SAMPLE_NODES || nodes[i + 1] == NO_NODE)
      continue;
    embed_get_row(t, nodes[i + 1], m, &gap_m);
    for (int k = 0; k < dim; k++)
      distances[i] += (u[k] - m[k]) * (u[k] - m[k]);
    gaps[i] = gap * gap_m;
  }
  const double sharpness = t->options.sharpness;
  (t->kernel ? t->kernel->sample : plain_terms)(sharpness, flat, distances, gaps, terms);
  /* all times e^(sharpness own) */
  double sum = complement ? portable_exp(fmin(sharpness * distances[0], TRAIN_SAMPLE_MOST)) : 1.0;
  for (size_t i = 1; i + 1 < SAMPLE_NODES; i++)
    if (nodes[i + 1] != NO_NODE)
      sum += terms[i];
  t->sample->losses[index] = portable_log(sum);
}

double embed_sample_loss(geodisk_trainer *t) {
  geodisk_parallel(t->context, t->sample->edges, sample_loss, t);
  double sum = 0.0;
  for (size_t i = 0; i < t->sample->edges; i++)
    sum += t->sample->losses[i];
  return sum / (double)t->sample->edges;
}

bool geodisk_trainer_converged(const geodisk_trainer *t) {
  const size_t epochs = (size_t)(t->options.epochs / 20 > 2 ? t->options.epochs / 20 : 2);
  double last = 0.0, before = 0.0;
  if (t->history_rows < 2 * epochs || t->position < geodisk_trainer_epochs(t))
    return false;
  for (size_t i = 0; i < epochs; i++) {
    last += t->history[t->history_rows - 1 - i].sample;
    before += t->history[t->history_rows - 1 - i - epochs].sample;
  }
  return !(last < STILL_FALLING * before) || last < 1e-3 * (double)epochs;
}
