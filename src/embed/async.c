/* async.c - lock-free asynchronous training, for comparison: threads take edges in a random order, draw negatives from the whole
 * graph, and write rows without asking who else does. Results vary from run to run. */
#include <stdlib.h>

#include "deal.h"
#include "trainer.h"

enum { EDGES_PER_CHUNK = 4096 };

typedef struct race {
  geodisk_trainer *t;
  const episode *episode;
  deal order; /* of the edges */
  tally *sums;
} race;

static void run_chunk(void *arg, size_t index) {
  race *r = arg;
  geodisk_trainer *t = r->t;
  alias table;
  const pool from = embed_pool(t, 0, r->episode->sampling, &table);
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  worker *w = embed_take_worker(t);
  embed_start_stream(w, stream_of(STREAM_ASYNC, r->episode->number, index));
  tally *sum = &r->sums[index];
  *sum = nothing;
  const uint64_t first = (uint64_t)index * EDGES_PER_CHUNK;
  const uint64_t last = t->edges - first < EDGES_PER_CHUNK ? t->edges : first + EDGES_PER_CHUNK;
  for (uint64_t i = first; i < last && !sum->bad; i++) {
    const uint64_t e = deal_card(&r->order, (uint32_t)i);
    const uint32_t u = embed_source_of(t, e);
    const double weight = t->out.weights ? t->out.weights[e] / t->mean_weight : 1.0;
    company c = {.count = 1, .place = {t->strata.place[u]}, .places = 1};
    c.steps[0] = (train_step){.u = u, .index = w->index, .positives = 1, .weights = t->out.weights ? &weight : NULL};
    embed_negatives(t, w, &from, r->episode->sampling, wanted, &c);
    w->index[c.steps[0].negatives] = t->out.nodes[e];
    embed_steps(t, w, r->episode->rule, &c, sum);
  }
  embed_give_worker(t, w);
}

tally embed_async_epoch(geodisk_trainer *t, const episode *e) {
  tally sum = nothing;
  const size_t chunks = (size_t)((t->edges + EDGES_PER_CHUNK - 1) / EDGES_PER_CHUNK);
  uint32_t words[4 * ((2 * DEAL_ROUNDS + 3) / 4)];
  embed_deal(t, e->number); /* one part */
  t->kernel->random_words(t->options.seed, stream_of(STREAM_ASYNC, e->number, chunks), 0, sizeof words / 16, words);
  race r = {t, e, deal_make((uint32_t)t->edges, 1, words), geodisk_allocate(chunks, sizeof(tally))};
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
