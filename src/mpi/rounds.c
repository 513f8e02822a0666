/* rounds.c - the tournament with messages. Between rounds every part moves by one game at most, so it stays on its rank or goes
 * to a neighbour's. A game begins as soon as both its parts are here and have finished the round before; those at the ends of a
 * rank's games, whose parts must leave, come first, so that parts travel while the others are trained. No rank ever waits for
 * all.
 *
 * The thread that called MPI_Init speaks to it: it plays games like the others, and looks after the messages between them and, by
 * the worker's pulse, during them. Two slots more than parts are enough: one for what comes from either side. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "ranks.h"

typedef struct fixture { /* a game to be played here */
  uint32_t round, a, b;
  uint32_t number; /* counted through all rounds and ranks */
  bool begun;
} fixture;

typedef struct arrival {
  uint32_t part, round;
  int source;
} arrival;

/* A message on its way. */
typedef struct transit {
  uint32_t part, round, slot;
  bool leaving;
} transit;

enum { MOST_TRANSITS = 2 * MOST_PARTS, LOOK_AHEAD = 3, PATIENCE = 50 };

typedef struct rounds {
  geodisk_trainer *t;
  ranks *r;
  const episode *episode;
  tally *sums;
  pthread_t speaker;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t played[MOST_PARTS]; /* rounds that a part has finished, if it is here */
  fixture *games;
  uint32_t game_count, open, finished;         /* open: those before have begun */
  uint32_t leaving[MOST_PARTS], leaving_count; /* parts to be sent */
  /* the speaker's own */
  arrival *arrivals;
  uint32_t arrival_count, expected; /* arrivals before this one are asked for */
  MPI_Request requests[MOST_TRANSITS];
  transit transits[MOST_TRANSITS];
  int transit_count;
} rounds;

/* ---- what is to be done ---- */

static bool list_games(rounds *s, uint32_t from_round, uint32_t to_round) {
  const ranks *r = s->r;
  const uint32_t parts = r->parts, mine = r->end_game - r->first_game;
  s->games = geodisk_allocate(parts + (size_t)(to_round - from_round) * (mine + 1), sizeof *s->games);
  if (!s->games)
    return false;
  for (uint32_t p = 0; p < parts && from_round == 0; p++)
    if (r->slot_of[p] != NO_NODE)
      s->games[s->game_count++] = (fixture){.round = 0, .a = p, .b = p, .number = p};
  for (uint32_t round = from_round > 0 ? from_round : 1; round < to_round; round++)
    for (uint32_t i = 0; i < mine; i++) { /* the first, the last, then those between */
      const uint32_t g = i == 0 ? r->first_game : i == 1 ? r->end_game - 1 : r->first_game + i - 1;
      fixture f = {.round = round, .number = games_before(parts, round) + g};
      opponents(parts, round, g, &f.a, &f.b);
      s->games[s->game_count++] = f;
    }
  return true;
}

static bool list_arrivals(rounds *s, uint32_t from_round, uint32_t to_round) {
  const ranks *r = s->r;
  s->arrivals = geodisk_allocate(4 * ((size_t)(to_round - from_round) + 1), sizeof *s->arrivals);
  if (!s->arrivals)
    return false;
  for (uint32_t round = from_round + 1; round <= to_round; round++)
    for (uint32_t p = 0; p < r->parts; p++) {
      const int source = rank_of_part(r, round - 1, p);
      if (rank_of_part(r, round, p) == r->rank && source != r->rank)
        s->arrivals[s->arrival_count++] = (arrival){p, round, source};
    }
  return true;
}

/* ---- messages ---- */

static int lines_of(const rounds *s, uint32_t part) { return (int)(ranks_shape(s->t, part).bytes / 64); }

static void send_part(rounds *s, const transit *m) {
  ranks *r = s->r;
  s->transits[s->transit_count] = *m;
  MPI_Isend(r->slots[m->slot].block, lines_of(s, m->part), r->line, rank_of_part(r, m->round, m->part), (int)m->part, r->comm,
            &s->requests[s->transit_count++]);
  r->traffic.parts += (uint64_t)lines_of(s, m->part) * 64;
  r->traffic.part_messages++;
}

static bool ask_for_next(rounds *s) {
  ranks *r = s->r;
  uint32_t slot = 0;
  while (slot < r->slot_count && r->slots[slot].part != NO_NODE)
    slot++;
  if (slot == r->slot_count || s->expected == s->arrival_count)
    return false;
  const arrival next = s->arrivals[s->expected++];
  r->slots[slot].part = next.part;
  s->transits[s->transit_count] = (transit){next.part, next.round, slot, false};
  MPI_Irecv(r->slots[slot].block, lines_of(s, next.part), r->line, next.source, (int)next.part, r->comm,
            &s->requests[s->transit_count++]);
  return true;
}

/* A message has gone or come. With the lock. */
static void settle_transit(rounds *s, const transit *m) {
  ranks *r = s->r;
  if (m->leaving) {
    r->slots[m->slot].part = NO_NODE;
    return;
  }
  r->slot_of[m->part] = m->slot;
  s->played[m->part] = m->round;
  pthread_cond_broadcast(&s->changed);
}

/* Sends what must leave, asks for what comes next, looks what has gone or come. Returns whether anything happened. */
static bool look_after_messages(rounds *s) {
  transit leaving[MOST_PARTS];
  pthread_mutex_lock(&s->lock);
  const uint32_t count = s->leaving_count;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t part = s->leaving[i];
    leaving[i] = (transit){part, s->played[part], s->r->slot_of[part], true};
    s->r->slot_of[part] = NO_NODE;
  }
  s->leaving_count = 0;
  pthread_mutex_unlock(&s->lock);
  for (uint32_t i = 0; i < count; i++)
    send_part(s, &leaving[i]);
  bool happened = count > 0;
  while (ask_for_next(s))
    happened = true;
  if (s->transit_count == 0)
    return happened;
  int done = 0, which[MOST_TRANSITS];
  MPI_Testsome(s->transit_count, s->requests, &done, which, MPI_STATUSES_IGNORE);
  if (done == MPI_UNDEFINED || done == 0)
    return happened;
  pthread_mutex_lock(&s->lock);
  for (int i = 0; i < done; i++)
    settle_transit(s, &s->transits[which[i]]);
  pthread_mutex_unlock(&s->lock);
  int kept = 0; /* requests that are done have become null */
  for (int i = 0; i < s->transit_count; i++)
    if (s->requests[i] != MPI_REQUEST_NULL) {
      s->requests[kept] = s->requests[i];
      s->transits[kept++] = s->transits[i];
    }
  s->transit_count = kept;
  return true;
}

static void pulse(void *arg) { (void)look_after_messages(arg); }

/* ---- games ---- */

/* A part has finished a round; it leaves if it is needed elsewhere. With the lock. */
static void finish_round(rounds *s, uint32_t part) {
  s->played[part]++;
  if (rank_of_part(s->r, s->played[part], part) != s->r->rank)
    s->leaving[s->leaving_count++] = part;
}

static bool is_ready(const rounds *s, const fixture *f, uint32_t part) {
  return part >= s->r->parts || (s->r->slot_of[part] != NO_NODE && s->played[part] == f->round);
}

/* With the lock; NULL: none is ready. */
static fixture *next_game(rounds *s) {
  while (s->open < s->game_count && s->games[s->open].begun)
    s->open++;
  for (uint32_t i = s->open; i < s->game_count && s->games[i].round < s->games[s->open].round + LOOK_AHEAD; i++) {
    fixture *f = &s->games[i];
    if (!f->begun && is_ready(s, f, f->a) && is_ready(s, f, f->b)) {
      f->begun = true;
      return f;
    }
  }
  return NULL;
}

static pool pool_of(const geodisk_trainer *t, uint32_t part, alias *table) {
  const ranks *r = ranks_of(t);
  const part_slot *slot = &r->slots[r->slot_of[part]];
  const part_shape shape = ranks_shape(t, part);
  pool from = {.count = part_count(r, part),
               .first_row = slot->nodes[0],
               .inner = {.pairs = slot->block + shape.inner, .count = r->inner_count[part], .wide = r->wide},
               .inner_first = (const uint32_t *)(const void *)(slot->block + shape.inner_first),
               .rows = t->rows,
               .row_bytes = row_bytes(t)};
  if (r->by_degree) {
    *table = (alias){(uint32_t *)(void *)(slot->block + shape.other), (uint32_t *)(void *)(slot->block + shape.threshold)};
    from.alias = table;
  }
  return from;
}

/* The order of the node in a row of a slot. */
static uint32_t order_in(const geodisk_trainer *t, uint32_t row) {
  const ranks *r = ranks_of(t);
  const part_slot *slot = &r->slots[row / r->slot_rows];
  const uint32_t *orders = (const uint32_t *)(const void *)(slot->block + ranks_shape(t, slot->part).orders);
  return orders[row % r->slot_rows];
}

static tally play(const rounds *s, worker *w, const fixture *f) {
  geodisk_trainer *t = s->t;
  const ranks *r = s->r;
  const desk *d = &r->desks[w - t->workers];
  alias tables[2];
  game g = {.a = f->a, .b = f->b, .sides = {pool_of(t, f->a, &tables[0])}};
  if (f->a == f->b) {
    g.links[0] = g.sides[0].inner;
    g.links[0].weights = r->inner_weights[f->a];
  } else {
    g.sides[1] = pool_of(t, f->b, &tables[1]);
    g.links[0] = ranks_open_bucket(t, f->a, f->b, d, 0);
    g.links[1] = ranks_open_bucket(t, f->b, f->a, d, 1);
  }
  tally sum = embed_play(t, w, s->episode, &g);
  if (sum.bad) {
    sum.bad_child = order_in(t, sum.bad_child);
    sum.bad_parent = order_in(t, sum.bad_parent);
  }
  return sum;
}

static void wait_a_little(unsigned tries) {
  if (tries < PATIENCE) {
    sched_yield();
    return;
  }
  const struct timespec pause = {.tv_nsec = 50000};
  nanosleep(&pause, NULL);
}

/* A thread plays while there are games; the one that speaks to MPI stays until all messages have gone and come. */
static void play_games(void *arg, size_t index) {
  (void)index;
  rounds *s = arg;
  const bool speaks = pthread_equal(s->speaker, pthread_self());
  worker *w = embed_take_worker(s->t);
  w->pulse = speaks ? pulse : NULL;
  w->pulse_arg = s;
  for (unsigned tries = 0;; tries++) {
    if (speaks && look_after_messages(s))
      tries = 0;
    pthread_mutex_lock(&s->lock);
    fixture *f = next_game(s);
    while (!f && !speaks && s->open < s->game_count) {
      pthread_cond_wait(&s->changed, &s->lock);
      f = next_game(s);
    }
    const bool all_played = s->finished == s->game_count && s->leaving_count == 0;
    pthread_mutex_unlock(&s->lock);
    if (!f) {
      if (!speaks || (all_played && s->transit_count == 0 && s->expected == s->arrival_count))
        break;
      wait_a_little(tries);
      continue;
    }
    const tally sum = f->b < s->r->parts ? play(s, w, f) : nothing;
    tries = 0;
    pthread_mutex_lock(&s->lock);
    s->sums[f->number] = sum;
    finish_round(s, f->a);
    if (f->b < s->r->parts && f->b != f->a)
      finish_round(s, f->b);
    s->finished++;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
  }
  w->pulse = NULL;
  embed_give_worker(s->t, w);
}

/* ---- desks ---- */

static void free_desks(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  for (int i = 0; r->desks && i < t->worker_count; i++) {
    for (int side = 0; side < 2; side++) {
      free(r->desks[i].pairs[side]);
      free(r->desks[i].weights[side]);
    }
    free(r->desks[i].heads);
    free(r->desks[i].links);
    free(r->desks[i].spare);
  }
  free(r->desks);
  r->desks = NULL;
}

static bool make_desks(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const size_t room = (size_t)r->links.longest;
  const bool weighted = r->share->weights != NULL;
  r->desks = geodisk_allocate_zero((size_t)t->worker_count, sizeof *r->desks);
  for (int i = 0; r->desks && i < t->worker_count; i++) {
    desk *d = &r->desks[i];
    d->heads = geodisk_allocate((size_t)r->largest + 1, sizeof *d->heads);
    d->links = geodisk_allocate(room, sizeof *d->links);
    d->spare = geodisk_allocate(room, sizeof *d->spare);
    bool ok = d->heads && d->links && d->spare;
    for (int side = 0; side < 2; side++) {
      d->pairs[side] = geodisk_allocate(room, r->wide ? 8 : 4);
      d->weights[side] = weighted ? geodisk_allocate(room, sizeof(double)) : NULL;
      ok = ok && d->pairs[side] && (!weighted || d->weights[side]);
    }
    if (!ok)
      return false;
  }
  return r->desks != NULL;
}

/* Links within the parts that begin here, into their blocks. */
static bool open_inner(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  bool ok = true;
  for (uint32_t p = 0; p < r->parts; p++) {
    free(r->inner_weights[p]);
    r->inner_weights[p] = NULL;
    if (r->slot_of[p] == NO_NODE)
      continue;
    char *block = r->slots[r->slot_of[p]].block;
    const part_shape shape = ranks_shape(t, p);
    if (r->share->weights && !(r->inner_weights[p] = geodisk_allocate((size_t)r->inner_count[p], sizeof(double))))
      ok = false;
    if (ok)
      ranks_open_inner(t, p, &r->desks[0], block + shape.inner, r->inner_weights[p],
                       (uint32_t *)(void *)(block + shape.inner_first));
  }
  return ok;
}

static void free_rounds(rounds *s) {
  if (!s)
    return;
  free(s->games);
  free(s->arrivals);
  free(s);
}

static rounds *create_rounds(geodisk_trainer *t, const episode *e, uint32_t from_round, tally *sums) {
  ranks *r = ranks_of(t);
  rounds *s = geodisk_allocate_zero(1, sizeof *s);
  if (!s)
    return NULL;
  s->t = t;
  s->r = r;
  s->episode = e;
  s->sums = sums;
  s->speaker = pthread_self();
  for (uint32_t p = 0; p < r->parts; p++)
    s->played[p] = from_round;
  return s;
}

static void play_rounds(rounds *s) {
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->changed, NULL);
  geodisk_parallel(s->t->context, (size_t)s->t->worker_count, play_games, s);
  play_games(s, 0); /* messages that are left, should the other threads have taken all tasks */
  pthread_cond_destroy(&s->changed);
  pthread_mutex_destroy(&s->lock);
}

bool ranks_play(geodisk_trainer *t, const episode *e, uint32_t from_round, uint32_t to_round, tally *sums) {
  rounds *s = create_rounds(t, e, from_round, sums);
  const bool ready = s && make_desks(t) && list_games(s, from_round, to_round) && list_arrivals(s, from_round, to_round) &&
                     (from_round > 0 || open_inner(t));
  const bool ok = ranks_all(ranks_of(t), ready);
  if (ok)
    play_rounds(s);
  free_desks(t);
  free_rounds(s);
  return ok;
}
