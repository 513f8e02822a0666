/* game.c - one game: the edges between two parts, first those of one direction, then the others. It touches rows of these parts
 * only, since negatives come from the part of u, and has a random stream of its own, so its outcome depends on nothing but the
 * rows it finds.
 *
 * Edges are trained two at a time where they share no row, which is faster. So that they rarely do, the links of a direction are
 * cut into runs, and two runs are chosen whose next edges have different nodes, those with most left first: where half of all
 * links lead to one target, the others keep them company. Each run goes through its links in jumps, since edges of one source lie
 * together: taken in a row they would drag it about, which costs quality. */
#include "tournament.h"
#include "trainer.h"

/* Games call the worker's pulse once for so many steps. */
enum { STEPS_PER_PULSE = 64 };

/* With 4 of them 7 of 8 edges of WordNet's nouns are in company, with 2 only 3 of 4; 8 add little. */
enum { RUNS = 4 };

/* An edge's rows are fetched ahead if they are no more bytes; more would push each other out, and need it less. */
enum { MOST_FETCHED = 2048 };

/* Links that are trained one after the other: `end` is the end of them in the list. */
typedef struct run {
  const pool *from, *to;
  const link_list *links;
  uint64_t at, length, end, jump, left;
  pair next;     /* the next one, by places ... */
  uint32_t u, v; /* ... and by rows */
} run;

static void fetch_row(const pool *p, uint32_t row) {
  for (size_t line = 0; line < p->row_bytes; line += 64)
    __builtin_prefetch(p->rows + row * p->row_bytes + line, 1);
}

static void fetch_link(const link_list *links, uint64_t i) {
  __builtin_prefetch((const char *)links->pairs + i * (links->wide ? 8 : 4));
}

static uint64_t link_after(const run *r, uint64_t at) { return at + r->jump < r->end ? at + r->jump : at + r->jump - r->length; }

static void look_ahead(run *r) {
  if (r->left == 0)
    return;
  r->next = link_at(r->links, r->at);
  r->u = row_at(r->from, r->next.source);
  r->v = row_at(r->to, r->next.target);
  fetch_row(r->from, r->u);
  const uint64_t after_next = link_after(r, link_after(r, r->at));
  fetch_link(r->links, link_after(r, link_after(r, after_next)));
  if (r->from->inner_first && r->from->inner.count > 0) { /* positives, and where those after next are */
    fetch_link(&r->from->inner, r->from->inner_first[r->next.source]);
    __builtin_prefetch(&r->from->inner_first[link_at(r->links, after_next).source]);
  }
}

static void cut_runs(const pool *from, const pool *to, const link_list *links, bool in_turn, run *out) {
  const uint64_t length = (links->count + RUNS - 1) / RUNS;
  for (uint64_t i = 0; i < RUNS; i++) {
    const uint64_t at = i * length < links->count ? i * length : links->count;
    const uint64_t count = links->count - at < length ? links->count - at : length;
    out[i] = (run){.from = from, .to = to, .links = links, .at = at, .length = count, .end = at + count, .left = count};
    out[i].jump = in_turn ? 1 : scattering_jump((uint32_t)count);
    look_ahead(&out[i]);
  }
}

static bool are_apart(const run *a, const run *b) { return a->u != b->u && a->v != b->v && a->u != b->v && a->v != b->u; }

/* The run with most left, NULL if none has any; with `other`, of those whose next edge shares no node with its next one. */
static run *longest_run(run *runs, const run *other) {
  run *best = NULL;
  uint64_t most = 0;
  for (size_t i = 0; i < RUNS; i++) {
    const uint64_t left = !other || (&runs[i] != other && are_apart(&runs[i], other)) ? runs[i].left : 0;
    best = left > most ? &runs[i] : best;
    most = left > most ? left : most;
  }
  return best;
}

/* The first that has any left. */
static run *first_run(run *runs) {
  for (size_t i = 0; i < RUNS; i++)
    if (runs[i].left > 0)
      return &runs[i];
  return NULL;
}

static void advance(run *r) {
  r->at = link_after(r, r->at);
  r->left--;
  look_ahead(r);
}

/* One edge, or two side by side. */
typedef struct couple {
  edge_step edges[2];
  size_t count;
  bool apart; /* they share no row */
} couple;

/* Draws the negatives of the next edge of a run and sends for the rows; `other` is the edge beside it, or NULL. Returns whether
 * it keeps off the rows of that one. */
static bool draw_edge(geodisk_trainer *t, worker *w, const episode *e, const run *r, const run *other, bool second, size_t wanted,
                      edge_step *edge) {
  company beside = {.second = second};
  if (other) {
    beside.place[beside.count++] = other->next.source;
    if (r->from == r->to)
      beside.place[beside.count++] = other->next.target;
  }
  edge->u = r->u;
  edge->negatives = embed_negatives(t, w, r->u, r->from, r->next.source, e->sampling, wanted, &beside, edge->index);
  edge->index[edge->negatives] = r->v;
  edge->weight = r->links->weights ? r->links->weights + r->at : NULL;
  if ((edge->negatives + 1) * r->from->row_bytes <= MOST_FETCHED)
    for (size_t i = 0; i <= edge->negatives; i++)
      fetch_row(r->from, edge->index[i]);
  return beside.kept;
}

/* The next one; false if there is none. In turn: one edge after the other. */
static bool draw_couple(geodisk_trainer *t, worker *w, const episode *e, run *runs, bool in_turn, size_t wanted, couple *c) {
  run *one = in_turn ? first_run(runs) : longest_run(runs, NULL), *two = NULL;
  if (!one)
    return false;
  if (!in_turn)
    two = longest_run(runs, one);
  c->count = two ? 2 : 1;
  c->apart = draw_edge(t, w, e, one, two, false, wanted, &c->edges[0]);
  if (two) {
    c->apart = draw_edge(t, w, e, two, one, true, wanted, &c->edges[1]) && c->apart;
    advance(two);
  }
  advance(one);
  return true;
}

/* The edges with sources in one part. Each couple is drawn before the one ahead of it is trained, so that its rows are there in
 * time. */
static void play_half(geodisk_trainer *t, worker *w, const episode *e, const pool *from, const pool *to, const link_list *links,
                      tally *sum) {
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  const bool in_turn = wanted >= from->count; /* nothing is apart, and what is listed for a source serves all its edges */
  run runs[RUNS];
  couple couples[2];
  for (size_t i = 0; i < 4; i++)
    couples[i / 2].edges[i % 2].index = w->index + i * w->index_room;
  cut_runs(from, to, links, in_turn, runs);
  embed_forget_pool(w);
  bool more = draw_couple(t, w, e, runs, in_turn, wanted, &couples[0]);
  for (uint64_t i = 0; more && !sum->bad; i++) {
    const couple *c = &couples[i % 2];
    more = draw_couple(t, w, e, runs, in_turn, wanted, &couples[(i + 1) % 2]);
    embed_steps(t, w, e->rule, c->edges, c->count, c->apart, sum);
    if (w->pulse && i % STEPS_PER_PULSE == 0)
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
