/* game.c - one game: the edges between two parts, in sequence. It touches rows of these parts only, since negatives come from the
 * part of u, and has a random stream of its own, so its outcome depends on nothing but the rows it finds. */
#include "trainer.h"

/* Games call the worker's pulse once for so many edges. */
enum { EDGES_PER_PULSE = 64 };

/* One or two edges with sources in one part: a link, and one from the other half of the list, which has another source. */
typedef struct couple {
  edge_step edges[2];
  size_t count;
  bool apart; /* they share no row */
} couple;

/* Draws the negatives of a couple into two lists at `index`. */
static couple draw_couple(geodisk_trainer *t, worker *w, const episode *e, const pool *from, const pool *to,
                          const link_list *links, const uint64_t *at, size_t count, size_t wanted, uint32_t *index) {
  couple c = {.count = count, .apart = count == 2};
  pair link[2];
  for (size_t i = 0; i < count; i++)
    link[i] = link_at(links, at[i]);
  for (size_t i = 0; i < count; i++) {
    company other = {.second = i == 1};
    if (count == 2) {
      other.place[other.count++] = link[1 - i].source;
      if (from == to)
        other.place[other.count++] = link[1 - i].target;
    }
    edge_step *edge = &c.edges[i];
    edge->u = row_at(from, link[i].source);
    edge->index = index + i * w->index_room;
    edge->negatives = embed_negatives(t, w, edge->u, from, link[i].source, e->sampling, wanted, &other, edge->index);
    edge->index[edge->negatives] = row_at(to, link[i].target);
    edge->weight = links->weights ? links->weights + at[i] : NULL;
    c.apart = c.apart && other.kept;
  }
  if (count == 2) {
    const uint32_t u[2] = {c.edges[0].u, c.edges[1].u}, v[2] = {row_at(to, link[0].target), row_at(to, link[1].target)};
    c.apart = c.apart && u[0] != u[1] && v[0] != v[1] && u[0] != v[1] && v[0] != u[1];
  }
  return c;
}

/* The edges with sources in one part. */
static void play_half(geodisk_trainer *t, worker *w, const episode *e, const pool *from, const pool *to, const link_list *links,
                      tally *sum) {
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  const uint64_t half = wanted < from->count ? (links->count + 1) / 2 : links->count; /* all negatives: nothing is apart */
  embed_forget_pool(w);
  for (uint64_t i = 0; i < half && !sum->bad; i++) {
    const uint64_t at[2] = {i, half + i};
    const couple c = draw_couple(t, w, e, from, to, links, at, at[1] < links->count ? 2 : 1, wanted, w->index);
    embed_steps(t, w, e->rule, c.edges, c.count, c.apart, sum);
    if (w->pulse && i % EDGES_PER_PULSE == 0)
      w->pulse(w->pulse_arg);
  }
}

/* Rows that lie together are fetched in one go: one by one, in the order of the draws, each would have to be waited for. */
static void fetch_rows(const pool *p) {
  for (uint32_t i = 0; !p->nodes && i < p->count; i++)
    for (size_t line = 0; line < p->row_bytes; line += 64)
      __builtin_prefetch(p->rows + ((size_t)p->first_row + i) * p->row_bytes + line, 1, 2);
}

tally embed_play(geodisk_trainer *t, worker *w, const episode *e, const game *g) {
  tally sum = nothing;
  fetch_rows(&g->sides[0]);
  if (g->a != g->b)
    fetch_rows(&g->sides[1]);
  embed_start_stream(w, stream_of(STREAM_BUCKET, e->number, (uint64_t)g->a << 12 | g->b));
  play_half(t, w, e, &g->sides[0], &g->sides[g->a != g->b], &g->links[0], &sum);
  if (g->a != g->b && !sum.bad)
    play_half(t, w, e, &g->sides[1], &g->sides[0], &g->links[1], &sum);
  return sum;
}
