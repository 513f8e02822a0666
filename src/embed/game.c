/* game.c - one game: the edges between two parts, those of both directions side by side. It touches rows of these parts only,
 * since negatives come from the part of u, and has a random stream of its own, so its outcome depends on nothing but the rows it
 * finds.
 *
 * Edges are trained two at a time where they share no row, which is faster. So that they rarely do, the links of a direction are
 * cut into runs, and the next edges of two runs are taken that have different nodes: where half of all links lead to one target,
 * the others keep them company. Each run goes through its links in jumps, since edges of one source lie together: taken in a row
 * they would drag it about, which costs quality.
 *
 * Neither the runs that are chosen nor the turns of their jumps can be guessed by the machine, so there is no branch for them. */
#include "tournament.h"
#include "trainer.h"

/* Games call the worker's pulse once for so many companies. */
enum { COMPANIES_PER_PULSE = 64 };

/* With 4 of them 7 of 8 edges of WordNet's nouns are in company; 8 add little. */
enum { RUNS = 4 };

/* An edge's rows are fetched ahead if they are no more bytes; more would push each other out, and need it less. */
enum { MOST_FETCHED = 2048 };

/* Links that are trained one after the other: `end` is the end of them in the list. */
typedef struct run {
  uint64_t at, length, end, jump, left;
  pair next;      /* the next one, by places ... */
  uint64_t nodes; /* ... and as a set of bits: where two share a node, their sets meet */
} run;

/* The edges with sources in one part. */
typedef struct half {
  const pool *from, *to;
  const link_list *links;
  size_t wanted, at_once; /* negatives, and edges */
  run runs[RUNS];
  size_t turn; /* counts companies: the run that comes first */
} half;

static void fetch_row(const pool *p, uint32_t row) {
  for (size_t line = 0; line < p->row_bytes; line += 64)
    __builtin_prefetch(p->rows + row * p->row_bytes + line, 1);
}

static void fetch_link(const link_list *links, uint64_t i) {
  __builtin_prefetch((const char *)links->pairs + i * (links->wide ? 8 : 4));
}

static uint64_t link_after(const run *r, uint64_t at) {
  const uint64_t after = at + r->jump, past = after >= r->end;
  return after - (r->length & (0 - past));
}

static void look_ahead(const half *h, run *r) {
  if (r->left == 0)
    return;
  const uint64_t after_next = link_after(r, link_after(r, r->at));
  fetch_link(h->links, link_after(r, link_after(r, after_next)));
  r->next = link_at(h->links, r->at);
  r->nodes = (uint64_t)1 << r->next.source % 64 | (uint64_t)1 << r->next.target % 64;
  fetch_row(h->from, row_at(h->from, r->next.source));
  fetch_row(h->to, row_at(h->to, r->next.target));
  if (h->from->inner_first) { /* positives, and where those after next are */
    fetch_link(&h->from->inner, h->from->inner_first[r->next.source]);
    __builtin_prefetch(&h->from->inner_first[link_at(h->links, after_next).source]);
  }
}

static void cut_runs(half *h, uint64_t count, bool in_turn) {
  const uint64_t length = in_turn ? count : (count + RUNS - 1) / RUNS;
  for (uint64_t i = 0; i < RUNS; i++) {
    run *r = &h->runs[i];
    const uint64_t at = i * length < count ? i * length : count, left = count - at < length ? count - at : length;
    *r = (run){.at = at, .length = left, .end = at + left, .left = left};
    r->jump = in_turn ? 1 : scattering_jump((uint32_t)left);
    look_ahead(h, r);
  }
}

static void advance(const half *h, run *r) {
  r->at = link_after(r, r->at);
  r->left--;
  look_ahead(h, r);
}

/* The runs whose next edges are taken, each in turn being the first, and how many. */
static size_t choose_runs(half *h, run *chosen[RUNS]) {
  uint64_t nodes = 0;
  size_t count = 0;
  for (size_t i = 0; i < RUNS; i++) {
    run *r = &h->runs[(h->turn + i) % RUNS];
    const size_t fits = (r->left > 0) & ((nodes & r->nodes) == 0);
    chosen[count] = r;
    count += fits;
    nodes |= r->nodes & (0 - fits);
  }
  h->turn++;
  return count < h->at_once ? count : h->at_once;
}

/* The next edges with their negatives, and sends for the rows; false if there are no more edges. */
static bool draw_company(geodisk_trainer *t, worker *w, const episode *e, half *h, company *c) {
  run *chosen[RUNS];
  c->count = c->places = choose_runs(h, chosen);
  if (c->count == 0)
    return false;
  for (size_t i = 0; i < c->count; i++) {
    c->steps[i].u = row_at(h->from, chosen[i]->next.source);
    c->steps[i].weights = h->links->weights ? h->links->weights + chosen[i]->at : NULL;
    c->place[i] = chosen[i]->next.source;
  }
  for (size_t i = 0; h->from == h->to && i < c->count; i++)
    c->place[c->places++] = chosen[i]->next.target;
  embed_negatives(t, w, h->from, e->sampling, h->wanted, c);
  for (size_t i = 0; i < c->count; i++) {
    const train_step *step = &c->steps[i];
    step->index[step->negatives] = row_at(h->to, chosen[i]->next.target);
    if ((step->negatives + 1) * h->from->row_bytes <= MOST_FETCHED)
      for (size_t k = 0; k < step->negatives; k++)
        fetch_row(h->from, step->index[k]);
    advance(h, chosen[i]);
  }
  return true;
}

static void begin_half(const geodisk_trainer *t, const pool *from, const pool *to, const link_list *links, half *h) {
  const size_t wanted = t->options.negatives == GEODISK_ALL_NEGATIVES ? t->nodes : t->options.negatives;
  *h = (half){.from = from, .to = to, .links = links, .wanted = wanted};
  h->at_once = from->count / TRAIN_AT_ONCE >= wanted ? TRAIN_AT_ONCE : 1;
  cut_runs(h, links->count, wanted >= from->count); /* in turn: what is listed for a source serves all its edges */
}

static uint64_t links_left(const half *h) {
  uint64_t sum = 0;
  for (size_t i = 0; i < RUNS; i++)
    sum += h->runs[i].left;
  return sum;
}

/* The next company, of the half of which the larger share is left; false if there is none. Edges of one half pull nodes of the
 * second part and push others of the first; those of the other do the reverse. A node that is only pulled for a while, then only
 * pushed, swings, which costs quality: so the halves go on side by side and end together. */
static bool draw_next(geodisk_trainer *t, worker *w, const episode *e, half *halves, size_t count, company *c) {
  half *h = &halves[0], *other = &halves[count - 1];
  const uint64_t left = links_left(h);
  if (left == 0 || links_left(other) * h->links->count > left * other->links->count)
    h = other;
  return draw_company(t, w, e, h, c);
}

/* Each company is drawn before the one ahead of it is trained, so that its rows are there in time. */
static void play_halves(geodisk_trainer *t, worker *w, const episode *e, half *halves, size_t count, tally *sum) {
  company companies[2];
  for (size_t i = 0; i < 2 * TRAIN_AT_ONCE; i++)
    companies[i / TRAIN_AT_ONCE].steps[i % TRAIN_AT_ONCE] = (train_step){.index = w->index + i * w->index_room, .positives = 1};
  bool more = draw_next(t, w, e, halves, count, &companies[0]);
  for (uint64_t i = 0; more && !sum->bad; i++) {
    company *c = &companies[i % 2];
    more = draw_next(t, w, e, halves, count, &companies[(i + 1) % 2]);
    embed_steps(t, w, e->rule, c, sum);
    if (w->pulse && i % COMPANIES_PER_PULSE == 0)
      w->pulse(w->pulse_arg);
  }
}

/* Rows that lie together are fetched in one go: one by one, in the order of the draws, each would have to be waited for. */
static void fetch_rows(const pool *p) {
  const char *rows = p->rows + p->first_row * p->row_bytes;
  for (size_t line = 0; !p->nodes && line < p->count * p->row_bytes; line += 64)
    __builtin_prefetch(rows + line, 1, 2);
}

tally embed_play(geodisk_trainer *t, worker *w, const episode *e, const game *g) {
  tally sum = nothing;
  fetch_rows(&g->sides[0]);
  if (g->a != g->b)
    fetch_rows(&g->sides[1]);
  embed_start_stream(w, stream_of(STREAM_BUCKET, e->number, (uint64_t)g->a << 12 | g->b));
  half halves[2];
  begin_half(t, &g->sides[0], &g->sides[g->a != g->b], &g->links[0], &halves[0]);
  if (g->a != g->b)
    begin_half(t, &g->sides[1], &g->sides[0], &g->links[1], &halves[1]);
  play_halves(t, w, e, halves, g->a != g->b ? 2 : 1, &sum);
  return sum;
}
