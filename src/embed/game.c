/* game.c - one game: the edges between two parts, in sequence. It touches rows of these parts only, since negatives come from the
 * part of u, and has a random stream of its own, so its outcome depends on nothing but the rows it finds. */
#include "trainer.h"

/* Games call the worker's pulse once for so many edges. */
enum { EDGES_PER_PULSE = 64 };

/* The edges with sources in one part. Negatives are drawn for a few of them at a time, so that their rows are on their way while
 * others are trained. */
static void play_half(geodisk_trainer *t, worker *w, const episode *e, const pool *from, const pool *to, const link_list *links,
                      tally *sum) {
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  w->source = w->hub = NO_NODE; /* what was listed belongs to another pool */
  for (uint64_t first = 0; first < links->count && !sum->bad; first += AHEAD) {
    uint32_t u[AHEAD];
    size_t negatives[AHEAD], n = links->count - first < AHEAD ? (size_t)(links->count - first) : AHEAD;
    for (size_t i = 0; i < n; i++) {
      const pair link = link_at(links, first + i);
      uint32_t *index = w->index + i * w->index_room;
      u[i] = from->nodes[link.source];
      negatives[i] = embed_negatives(t, w, u[i], from, link.source, e->sampling, wanted, index);
      index[negatives[i]] = to->nodes[link.target];
    }
    for (size_t i = 0; i < n && !sum->bad; i++) {
      if (negatives[i] == 0) {
        sum->skipped++;
        continue;
      }
      embed_step(t, w, e->rule, u[i], w->index + i * w->index_room, negatives[i],
                 links->weights ? links->weights + first + i : NULL, sum);
    }
    if (w->pulse && first % EDGES_PER_PULSE == 0)
      w->pulse(w->pulse_arg);
  }
}

tally embed_play(geodisk_trainer *t, worker *w, const episode *e, const game *g) {
  tally sum = nothing;
  embed_start_stream(w, stream_of(STREAM_BUCKET, e->number, (uint64_t)g->a << 12 | g->b));
  play_half(t, w, e, &g->sides[0], &g->sides[g->a != g->b], &g->links[0], &sum);
  if (g->a != g->b && !sum.bad)
    play_half(t, w, e, &g->sides[1], &g->sides[0], &g->links[1], &sum);
  return sum;
}
