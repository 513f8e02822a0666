/* core_graph.c - the graph of the core, gathered on every rank: it is small, and gone as soon as each has taken its share. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/sorting.h"
#include "core_mpi.h"
#include "exchange.h"

typedef struct gathering {
  geodisk_trainer *t;
  ranks *r;
  const core_nodes *nodes;
  uint32_t *place;  /* owned numbers: where they stand if they are of the core, else NO_NODE */
  uint32_t *listed; /* owned places that are */
} gathering;

typedef struct core_note {
  uint32_t number, place;
} core_note;

static void tell_node(void *user, size_t i, void *message) {
  const gathering *g = user;
  const uint32_t at = g->listed[i];
  *(core_note *)message = (core_note){g->r->number ? g->r->number[at] : g->r->first + at, g->r->first + at};
}

static void hear_node(void *user, const void *message) {
  const gathering *g = user;
  const core_note *note = message;
  g->place[note->number - g->r->share->first] = note->place;
}

/* What all ranks have, one after the other, on every rank: free() it. */
static geodisk_status gather(const gathering *g, const void *mine, size_t bytes, void **all, size_t *size) {
  const mpi_share *s = g->r->share;
  const uint64_t total = mpi_sum(s->comm, bytes);
  int *counts = geodisk_allocate(2 * (size_t)s->ranks, sizeof *counts), here = (int)bytes;
  char *out = geodisk_allocate((size_t)total, 1);
  geodisk_status st = mpi_agree_memory(g->t->context, s->comm, counts && out, "the core of the graph");
  if (st == GEODISK_OK && total > INT_MAX)
    st = geodisk_fail(g->t->context, GEODISK_ERROR_UNSUPPORTED,
                      "the core of the graph takes more than 2 GB: ranks need `core_epochs` 0 for it");
  if (st != GEODISK_OK) {
    geodisk_free_all(counts, out);
    return st;
  }
  int *starts = counts + s->ranks;
  MPI_Allgather(&here, 1, MPI_INT, counts, 1, MPI_INT, s->comm);
  for (int k = 0; k < s->ranks; k++)
    starts[k] = k > 0 ? starts[k - 1] + counts[k - 1] : 0;
  MPI_Allgatherv(mine, here, MPI_BYTE, out, counts, starts, MPI_BYTE, s->comm);
  free(counts);
  *all = out;
  *size = (size_t)total;
  return GEODISK_OK;
}

/* Places and names of the core's nodes, in the order of their numbers. */
static geodisk_status gather_nodes(gathering *g, uint32_t **places, size_t *count, char **names) {
  const mpi_share *s = g->r->share;
  size_t listed = 0, mine = 0, bytes = 0, size = 0;
  for (uint32_t i = 0; i < s->owned; i++)
    g->place[i] = NO_NODE;
  for (uint32_t i = 0; i < g->r->owned; i++)
    if (g->nodes->known[i])
      g->listed[listed++] = i;
  const telling node = {sizeof(core_note), tell_node, hear_node, g};
  geodisk_status st = mpi_tell(g->t->context, s, &node, listed);
  if (st != GEODISK_OK)
    return st;
  char *here = geodisk_allocate((size_t)s->name_starts[s->owned], 1);
  if ((st = mpi_agree_memory(g->t->context, s->comm, here != NULL, "the core of the graph")) != GEODISK_OK)
    return st;
  for (uint32_t i = 0; i < s->owned; i++)
    if (g->place[i] != NO_NODE) {
      const size_t length = (size_t)(s->name_starts[i + 1] - s->name_starts[i]);
      memcpy(here + bytes, s->names + s->name_starts[i], length);
      bytes += length;
      g->place[mine++] = g->place[i];
    }
  if ((st = gather(g, g->place, mine * sizeof *g->place, (void **)places, &size)) == GEODISK_OK)
    st = gather(g, here, bytes, (void **)names, &bytes);
  *count = size / sizeof **places;
  free(here);
  return st;
}

typedef struct place_number {
  uint32_t place, number;
} place_number;

static int by_place(const void *a, const void *b) {
  const place_number *x = a, *y = b;
  return COMPARE(x->place, y->place);
}

static uint32_t number_at(const place_number *numbers, size_t count, uint32_t place) {
  const place_number key = {place, 0}, *found = bsearch(&key, numbers, count, sizeof *numbers, by_place);
  return found ? found->number : NO_NODE;
}

typedef struct core_edge {
  uint32_t child, parent;
  double weight;
} core_edge;

/* The edges between nodes of the core. */
static geodisk_status gather_edges(const gathering *g, const uint32_t *places, size_t count, core_edge **out, size_t *edges) {
  const ranks *r = g->r;
  place_number *numbers = geodisk_allocate(count, sizeof *numbers);
  core_edge *mine = geodisk_allocate((size_t)r->offsets[r->owned], sizeof *mine);
  geodisk_status st = mpi_agree_memory(g->t->context, r->share->comm, numbers && mine, "the core of the graph");
  size_t n = 0, size = 0;
  if (st == GEODISK_OK) {
    for (size_t i = 0; i < count; i++)
      numbers[i] = (place_number){places[i], (uint32_t)i};
    qsort(numbers, count, sizeof *numbers, by_place);
    for (uint32_t i = 0; i < r->owned; i++)
      for (uint64_t e = r->offsets[i]; e < r->offsets[i + 1] && g->nodes->known[i]; e++) {
        const uint32_t parent = number_at(numbers, count, r->targets[e]);
        if (parent != NO_NODE)
          mine[n++] = (core_edge){number_at(numbers, count, r->first + i), parent, r->weights ? r->weights[e] : 1.0};
      }
    st = gather(g, mine, n * sizeof *mine, (void **)out, &size);
  }
  *edges = size / sizeof **out;
  geodisk_free_all(numbers, mine);
  return st;
}

static geodisk_status make_graph(const gathering *g, size_t count, const char *text, const core_edge *edges, size_t n,
                                 geodisk_graph **out) {
  const char **names = geodisk_allocate(count, sizeof *names);
  uint32_t *children = geodisk_allocate(n, sizeof *children), *parents = geodisk_allocate(n, sizeof *parents);
  double *weights = geodisk_allocate(n, sizeof *weights);
  geodisk_status st =
      mpi_agree_memory(g->t->context, g->r->share->comm, names && children && parents && weights, "the core of the graph");
  if (st == GEODISK_OK) {
    for (size_t i = 0; i < count; i++, text += strlen(text) + 1)
      names[i] = text;
    for (size_t i = 0; i < n; i++) {
      children[i] = edges[i].child;
      parents[i] = edges[i].parent;
      weights[i] = edges[i].weight;
    }
    const geodisk_graph_arrays arrays = {count, names, n, children, parents, g->r->weights ? weights : NULL};
    st = mpi_agree(g->t->context, g->r->share->comm, geodisk_graph_create(g->t->context, &arrays, NULL, out));
  }
  geodisk_free_all(names, children, parents, weights);
  return st;
}

geodisk_status core_graph(geodisk_trainer *t, const core_nodes *nodes, geodisk_graph **out, uint32_t **places) {
  ranks *r = ranks_of(t);
  gathering g = {t, r, nodes, geodisk_allocate(r->owned, sizeof *g.place), geodisk_allocate(r->owned, sizeof *g.listed)};
  char *names = NULL;
  core_edge *edges = NULL;
  size_t count = 0, n = 0;
  geodisk_status st = mpi_agree_memory(t->context, r->share->comm, g.place && g.listed, "the core of the graph");
  if (st == GEODISK_OK)
    st = gather_nodes(&g, places, &count, &names);
  if (st == GEODISK_OK)
    st = gather_edges(&g, *places, count, &edges, &n);
  if (st == GEODISK_OK)
    st = make_graph(&g, count, names, edges, n, out);
  geodisk_free_all(g.place, g.listed, names, edges);
  return st;
}
