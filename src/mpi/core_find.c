/* core_find.c - which nodes of a graph in shares are its core, to the letter of src/embed/core.c: all but simple leaves, which
 * are nodes without children whose nearest parent has all their other parents too. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/sorting.h"
#include "core_mpi.h"
#include "exchange.h"

typedef struct finding {
  geodisk_trainer *t;
  ranks *r;
  core_nodes *nodes;
  uint32_t *sorted;    /* the targets of each row in ascending order */
  uint32_t *in_degree; /* owned */
  uint32_t *degree;    /* edges: how many targets the target has */
  uint32_t *nearest;   /* owned: the nearest parent; NO_NODE: none */
  unsigned char *yes;  /* edges, or questions: answers */
} finding;

static void answer_degree(void *user, const uint32_t *question, void *answer) {
  const ranks *r = ((const finding *)user)->r;
  const uint64_t *row = r->offsets + (*question - r->first);
  *(uint32_t *)answer = (uint32_t)(row[1] - row[0]);
}

static void answer_in_degree(void *user, const uint32_t *question, void *answer) {
  const mpi_share *share = ((const finding *)user)->r->share;
  *(uint32_t *)answer = share->in_degree[*question - share->first];
}

static void answer_known(void *user, const uint32_t *question, void *answer) {
  const finding *f = user;
  *(unsigned char *)answer = f->nodes->known[*question - f->r->first];
}

typedef struct edge_question {
  uint32_t source, target;
} edge_question;

static void answer_edge(void *user, const uint32_t *question, void *answer) {
  const finding *f = user;
  const uint64_t *row = f->r->offsets + (question[0] - f->r->first);
  *(unsigned char *)answer =
      bsearch(&question[1], f->sorted + row[0], (size_t)(row[1] - row[0]), sizeof *f->sorted, ascending_u32) != NULL;
}

/* Of the targets of row i (those that `yes` allows; NULL: all) the one with most targets, the first of several. */
static uint32_t best_target(const finding *f, uint32_t i, const unsigned char *yes) {
  const ranks *r = f->r;
  uint64_t best = UINT64_MAX;
  for (uint64_t e = r->offsets[i]; e < r->offsets[i + 1]; e++)
    if ((!yes || yes[e]) && (best == UINT64_MAX || f->degree[e] > f->degree[best]))
      best = e;
  return best == UINT64_MAX ? NO_NODE : r->targets[best];
}

/* The questions that decide whether row i is a simple leaf: does its parent have each of its other parents as targets, and itself
 * if it has a child? Written if there is room; returns how many; SIZE_MAX: it is none. */
static size_t questions_of(const finding *f, uint32_t i, edge_question *out) {
  const ranks *r = f->r;
  const uint32_t parent = f->nearest[i];
  size_t n = 0;
  if (parent == NO_NODE || f->in_degree[i] > 1)
    return SIZE_MAX;
  if (f->in_degree[i] == 1) {
    if (out)
      out[n] = (edge_question){parent, r->first + i};
    n++;
  }
  for (uint64_t e = r->offsets[i]; e < r->offsets[i + 1]; e++)
    if (r->targets[e] != parent) {
      if (out)
        out[n] = (edge_question){parent, r->targets[e]};
      n++;
    }
  return n;
}

static geodisk_status find_leaves(finding *f) {
  ranks *r = f->r;
  size_t count = 0, at = 0;
  for (uint32_t i = 0; i < r->owned; i++) {
    const size_t n = questions_of(f, i, NULL);
    count += n == SIZE_MAX ? 0 : n;
  }
  edge_question *questions = geodisk_allocate(count, sizeof *questions);
  unsigned char *yes = geodisk_allocate(count, 1);
  geodisk_status st = mpi_agree_memory(f->t->context, r->share->comm, questions && yes, "the core of the graph");
  for (uint32_t i = 0; i < r->owned && st == GEODISK_OK; i++) {
    const size_t n = questions_of(f, i, questions + at);
    at += n == SIZE_MAX ? 0 : n;
  }
  const asking edge = {2, 1, answer_edge, f};
  if (st == GEODISK_OK)
    st = mpi_ask(f->t->context, r->share, &edge, questions, count, yes);
  at = 0;
  for (uint32_t i = 0; i < r->owned && st == GEODISK_OK; i++) {
    const size_t n = questions_of(f, i, NULL);
    f->nodes->known[i] = n == SIZE_MAX;
    for (size_t k = 0; n != SIZE_MAX && k < n; k++, at++)
      f->nodes->known[i] = f->nodes->known[i] || !yes[at];
  }
  geodisk_free_all(questions, yes);
  return st;
}

/* A leaf begins beside its nearest parent; two leaves that are each other's only after one another, in the order of their places.
 * All nodes are of the core where no edge with a weight joins two of its nodes. */
static void settle(const finding *f) {
  const ranks *r = f->r;
  uint64_t heavy = 0;
  for (uint32_t i = 0; i < r->owned; i++) {
    const uint32_t beside = best_target(f, i, f->yes), parent = f->nearest[i];
    f->nodes->later[i] = beside != parent && parent < r->first + i;
    f->nodes->near[i] = f->nodes->later[i] ? parent : beside;
    for (uint64_t e = r->offsets[i]; e < r->offsets[i + 1] && f->nodes->known[i]; e++)
      heavy += f->yes[e] && (!r->weights || r->weights[e] > 0.0);
  }
  if (mpi_sum(r->share->comm, heavy) == 0)
    memset(f->nodes->known, true, r->owned * sizeof *f->nodes->known);
}

static geodisk_status ask_degrees(finding *f) {
  ranks *r = f->r;
  const size_t edges = (size_t)r->offsets[r->owned];
  uint32_t *numbers = geodisk_allocate(r->owned, sizeof *numbers);
  geodisk_status st = mpi_agree_memory(f->t->context, r->share->comm, numbers != NULL, "the core of the graph");
  for (uint32_t i = 0; i < r->owned && st == GEODISK_OK; i++)
    numbers[i] = r->number ? r->number[i] : r->first + i;
  const asking degree = {1, sizeof(uint32_t), answer_degree, f}, in = {1, sizeof(uint32_t), answer_in_degree, f};
  if (st == GEODISK_OK)
    st = mpi_ask(f->t->context, r->share, &degree, r->targets, edges, f->degree);
  if (st == GEODISK_OK)
    st = mpi_ask(f->t->context, r->share, &in, numbers, r->owned, f->in_degree);
  free(numbers);
  return st;
}

geodisk_status core_find(geodisk_trainer *t, core_nodes *out) {
  ranks *r = ranks_of(t);
  const size_t edges = (size_t)r->offsets[r->owned];
  finding f = {t,
               r,
               out,
               geodisk_allocate(edges, 4),
               geodisk_allocate(r->owned, 4),
               geodisk_allocate(edges, 4),
               geodisk_allocate(r->owned, 4),
               geodisk_allocate(edges, 1)};
  out->known = geodisk_allocate(r->owned, sizeof *out->known);
  out->near = geodisk_allocate(r->owned, sizeof *out->near);
  out->later = geodisk_allocate(r->owned, sizeof *out->later);
  const bool memory = f.sorted && f.in_degree && f.degree && f.nearest && f.yes && out->known && out->near && out->later;
  geodisk_status st = mpi_agree_memory(t->context, r->share->comm, memory, "the core of the graph");
  if (st == GEODISK_OK)
    st = ask_degrees(&f);
  if (st == GEODISK_OK) {
    memcpy(f.sorted, r->targets, edges * sizeof *f.sorted);
    for (uint32_t i = 0; i < r->owned; i++) {
      qsort(f.sorted + r->offsets[i], (size_t)(r->offsets[i + 1] - r->offsets[i]), sizeof *f.sorted, ascending_u32);
      f.nearest[i] = best_target(&f, i, NULL);
    }
    st = find_leaves(&f);
  }
  const asking known = {1, 1, answer_known, &f};
  if (st == GEODISK_OK)
    st = mpi_ask(t->context, r->share, &known, r->targets, edges, f.yes);
  if (st == GEODISK_OK)
    settle(&f);
  geodisk_free_all(f.sorted, f.in_degree, f.degree, f.nearest, f.yes);
  return st;
}
