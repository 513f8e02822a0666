/* core_mpi.c - epochs of the core on ranks. The core has a share and a trainer of its own, on all ranks; its rows come from those
 * of the whole graph when it is made, and go back there when they are asked for. */
#include "core_mpi.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "embed/placement/placement.h"
#include "exchange.h"

struct ranks_core {
  core_nodes nodes;
  uint32_t *places; /* of all its nodes in the whole graph, by their numbers in the core */
  geodisk_trainer *trainer;
};

void ranks_core_destroy(ranks_core *core) {
  if (!core)
    return;
  geodisk_trainer_destroy(core->trainer);
  geodisk_free_all(core->nodes.known, core->nodes.near, core->nodes.later, core->places, core);
}

/* Where the node at place i of this rank's share of the core stands in the whole graph. */
static uint32_t whole_place(const ranks_core *core, uint32_t i) {
  const ranks *r = ranks_of(core->trainer);
  return core->places[r->number ? r->number[i] : r->first + i];
}

/* ---- rows ---- */

static void answer_row(void *user, const uint32_t *question, void *answer) {
  const geodisk_trainer *t = user;
  memcpy(answer, trainer_row(t, *question - ranks_of(t)->first), row_bytes(t));
}

static geodisk_status take_rows(geodisk_trainer *t, ranks_core *core) {
  const uint32_t owned = ranks_of(core->trainer)->owned;
  uint32_t *places = geodisk_allocate(owned, sizeof *places);
  geodisk_status st = mpi_agree_memory(t->context, ranks_of(t)->share->comm, places != NULL, "the core of the graph");
  for (uint32_t i = 0; i < owned && st == GEODISK_OK; i++)
    places[i] = whole_place(core, i);
  const asking row = {1, row_bytes(t), answer_row, t};
  if (st == GEODISK_OK)
    st = mpi_ask(t->context, ranks_of(t)->share, &row, places, owned, core->trainer->rows);
  free(places);
  return st;
}

static void tell_row(void *user, size_t i, void *message) {
  const geodisk_trainer *t = user;
  const ranks_core *core = ranks_of(t)->core;
  uint32_t *to = message;
  *to = whole_place(core, (uint32_t)i);
  memcpy(to + 1, trainer_row(core->trainer, i), row_bytes(t));
}

static void hear_row(void *user, const void *message) {
  const geodisk_trainer *t = user;
  const uint32_t *from = message;
  memcpy(trainer_row(t, *from - ranks_of(t)->first), from + 1, row_bytes(t));
}

/* Leaves beside nodes of the core; and, second, beside leaves. */
static geodisk_status place_leaves(geodisk_trainer *t, const ranks_core *core, bool second) {
  const ranks *r = ranks_of(t);
  const core_nodes *nodes = &core->nodes;
  const size_t bytes = row_bytes(t);
  uint32_t *who = geodisk_allocate(r->owned, sizeof *who), *near = geodisk_allocate(r->owned, sizeof *near);
  size_t n = 0;
  geodisk_status st = mpi_agree_memory(t->context, r->share->comm, who && near, "the leaves of the graph");
  for (uint32_t i = 0; i < r->owned && st == GEODISK_OK; i++) {
    if (nodes->known[i] || nodes->later[i] != second)
      continue;
    who[n] = i;
    near[n++] = nodes->near[i] == NO_NODE ? r->first + i : nodes->near[i];
  }
  char *rows = st == GEODISK_OK ? geodisk_allocate(n, bytes) : NULL;
  if (st == GEODISK_OK)
    st = mpi_agree_memory(t->context, r->share->comm, rows != NULL, "the leaves of the graph");
  const asking row = {1, bytes, answer_row, t};
  if (st == GEODISK_OK)
    st = mpi_ask(t->context, r->share, &row, near, n, rows);
  for (size_t i = 0; i < n && st == GEODISK_OK; i++)
    embed_row_beside(&t->options, r->number ? r->number[who[i]] : r->first + who[i],
                     nodes->near[who[i]] == NO_NODE ? NULL : rows + i * bytes, trainer_row(t, who[i]));
  geodisk_free_all(who, near, rows);
  return st;
}

geodisk_status ranks_core_gather(geodisk_trainer *t) {
  const ranks_core *core = ranks_of(t)->core;
  if (!core)
    return GEODISK_OK;
  const telling row = {sizeof(uint32_t) + row_bytes(t), tell_row, hear_row, t};
  geodisk_status st = mpi_tell(t->context, ranks_of(t)->share, &row, ranks_of(core->trainer)->owned);
  if (st == GEODISK_OK)
    st = place_leaves(t, core, false);
  return st == GEODISK_OK ? place_leaves(t, core, true) : st;
}

/* ---- epochs ---- */

static geodisk_status create(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  ranks_core *core = r->core = geodisk_allocate_zero(1, sizeof *core);
  geodisk_graph *graph = NULL;
  mpi_share *share = NULL;
  geodisk_status st = mpi_agree_memory(t->context, r->share->comm, core != NULL, "the core of the graph");
  if (st == GEODISK_OK && t->options.units == GEODISK_UNITS_EDGE)
    st = geodisk_fail(t->context, GEODISK_ERROR_UNSUPPORTED,
                      "ranks train a core by sources only: `units` must be source, or `core_epochs` 0");
  if (st == GEODISK_OK)
    st = core_find(t, &core->nodes);
  if (st == GEODISK_OK)
    st = core_graph(t, &core->nodes, &graph, &core->places);
  if (st == GEODISK_OK)
    st = mpi_share_of_graph(t->context, r->share->comm, graph, &share);
  geodisk_graph_destroy(graph);
  if (st == GEODISK_OK)
    st = ranks_create_core(t, share, &core->trainer);
  if (st == GEODISK_OK)
    st = take_rows(t, core);
  return st;
}

static void forget(ranks *r) {
  ranks_core_destroy(r->core);
  r->core = NULL;
}

geodisk_status ranks_core_epoch(geodisk_trainer *t, geodisk_train_epoch *out) {
  ranks *r = ranks_of(t);
  geodisk_status st = r->core ? GEODISK_OK : create(t);
  if (st == GEODISK_OK) {
    r->core->trainer->position = t->position;
    st = embed_one_epoch(r->core->trainer, out);
    r->traffic = ranks_of(r->core->trainer)->traffic;
  }
  if (st == GEODISK_OK && t->position + 1 == t->options.core_epochs)
    st = ranks_core_gather(t);
  if (st != GEODISK_OK || t->position + 1 == t->options.core_epochs)
    forget(r);
  return st;
}
