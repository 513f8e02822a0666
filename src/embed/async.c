/* async.c - lock-free asynchronous training, for comparison: threads take sources in turn, draw negatives from the whole graph,
 * and write rows without asking who else does. Fast on many cores, but results vary from run to run. */
#include <stdlib.h>

#include "trainer.h"

enum { CHUNK = 512 };

typedef struct race {
  geodisk_trainer *t;
  const episode *episode;
  tally *sums;
} race;

static void run_chunk(void *arg, size_t index) {
  race *r = arg;
  geodisk_trainer *t = r->t;
  alias table;
  const pool from = embed_pool(t, 0, r->episode->sampling, &table);
  const bool all = t->options.negatives == GEODISK_ALL_NEGATIVES;
  worker *w = embed_take_worker(t);
  embed_start_stream(w, stream_of(STREAM_ASYNC, r->episode->number, index));
  tally *sum = &r->sums[index];
  *sum = nothing;
  size_t chunks = (t->nodes + CHUNK - 1) / CHUNK;
  for (size_t at = index; at < t->nodes && !sum->bad; at += chunks) { /* sources spread over the order */
    uint32_t u = t->strata.nodes[at];
    for (uint64_t e = t->out.offsets[u]; e < t->out.offsets[u + 1] && !sum->bad; e++) {
      const double weight = t->out.weights ? t->out.weights[e] / t->mean_weight : 1.0;
      edge_step edge = {.u = u, .index = w->index, .weight = t->out.weights ? &weight : NULL};
      edge.negatives = embed_negatives(t, w, u, &from, (uint32_t)at, r->episode->sampling, all ? t->nodes : t->options.negatives,
                                       NULL, w->index);
      w->index[edge.negatives] = t->out.nodes[e];
      embed_steps(t, w, r->episode->rule, &edge, 1, false, sum);
    }
  }
  embed_give_worker(t, w);
}

tally embed_async_epoch(geodisk_trainer *t, const episode *e) {
  tally sum = nothing;
  size_t chunks = (t->nodes + CHUNK - 1) / CHUNK;
  embed_deal(t, e->number); /* one part */

  race r = {t, e, geodisk_allocate(chunks, sizeof(tally))};
  if (!r.sums || (e->sampling == GEODISK_SAMPLING_DEGREE && !embed_build_aliases(t))) {
    free(r.sums);
    return out_of_memory;
  }
  geodisk_parallel(t->context, chunks, run_chunk, &r);
  for (size_t i = 0; i < chunks; i++)
    embed_add_tally(&sum, &r.sums[i]);
  free(r.sums);
  return sum;
}
