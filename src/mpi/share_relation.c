/* share_relation.c - nodes of a graph found in a model by name, at the ranks that the hashes of the names say; then edges go to
 * the ranks that have the points of their children. */
#include "share_relation.h"

#include "eval/ranking_slices.h"
#include "name_owners.h"
#include "outbox.h"
#include "share_sums.h"

#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE = 1 << 16 };              /* names or edges under way */
#define NOT_IN_MODEL (UINT64_C(1) << 63) /* keys from here on are of names that only the graph has */

/* ---- the model -------------------------------------------------------------------------------------------------------- */

static geodisk_status read_slice(geodisk_context *context, const char *path, model_share *share) {
  model_file *file = NULL;
  geodisk_status status = model_file_open(context, path, &file);
  if (status != GEODISK_OK)
    return status;
  share->nodes = model_file_nodes(file);
  if (share->nodes >= NO_NODE) {
    status = geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s: more than %zu nodes", path, NAMES_MAX);
  } else {
    share->first = mpi_share_first(share->nodes, share->ranks, share->rank);
    share->owned = mpi_share_first(share->nodes, share->ranks, share->rank + 1) - share->first;
    status = model_file_slice(file, share->owned > 0 ? share->first : 0, share->owned > 0 ? share->owned : 1, &share->model);
  }
  model_file_close(file);
  return status;
}

geodisk_status model_share_read(geodisk_context *context, MPI_Comm comm, const char *path, model_share *out) {
  model_share share = {.comm = comm};
  MPI_Comm_rank(comm, &share.rank);
  MPI_Comm_size(comm, &share.ranks);
  geodisk_status status = mpi_check_sums(context, comm, path);
  if (status == GEODISK_OK)
    status = mpi_agree(context, comm, read_slice(context, path, &share));
  if (status == GEODISK_OK)
    *out = share;
  else
    model_share_free(&share);
  return status;
}

void model_share_free(model_share *share) {
  geodisk_model_destroy(share->model);
  share->model = NULL;
}

/* ---- nodes to points -------------------------------------------------------------------------------------------------- */

typedef struct relating {
  geodisk_context *context;
  const mpi_share *graph;
  const model_share *points;
  name_owners owners;
  uint32_t *point;     /* of the owned nodes of the graph; NO_NODE: none */
  graph_builder edges; /* between points; children by their numbers among the owned */
} relating;

/* Tells the owners about names, a piece at a time: name i has the key first_key + i. */
static geodisk_status tell_names(relating *r, const char *bytes, const uint64_t *starts, size_t count, uint64_t first_key,
                                 uint32_t *ids) {
  const uint64_t pieces = (count + AT_ONCE - 1) / AT_ONCE;
  uint32_t *unused = ids == NULL ? geodisk_allocate(AT_ONCE, sizeof *unused) : NULL;
  geodisk_status status = mpi_agree_memory(r->context, r->graph->comm, ids != NULL || unused != NULL, "the names");
  const uint64_t most = mpi_most(r->graph->comm, pieces);
  for (uint64_t piece = 0; piece < most && status == GEODISK_OK; piece++) {
    const size_t begin = piece < pieces ? (size_t)piece * AT_ONCE : count, left = count - begin;
    /* names are only looked at, never changed, so that the table may point to them */
    const name_table names = {.bytes = (char *)(uintptr_t)bytes,
                              .starts = (uint64_t *)(uintptr_t)starts + begin,
                              .count = left < AT_ONCE ? left : AT_ONCE};
    status = owners_identify(&r->owners, &names, first_key + begin, ids != NULL ? ids + begin : unused);
  }
  free(unused);
  return status;
}

static geodisk_status find_points(relating *r) {
  const mpi_share *g = r->graph;
  const model_share *m = r->points;
  const uint64_t *starts;
  const char *names = geodisk_model_names(m->model, &starts);
  geodisk_status status = tell_names(r, names, starts, m->owned, m->first, NULL);
  if (status == GEODISK_OK)
    status = tell_names(r, g->names, g->name_starts, g->owned, NOT_IN_MODEL + g->first, r->point);
  if (status != GEODISK_OK)
    return status;
  name_owners *o = &r->owners;
  o->numbers = geodisk_allocate(o->names.count, sizeof *o->numbers);
  if ((status = mpi_agree_memory(r->context, g->comm, o->numbers != NULL, "the names")) != GEODISK_OK)
    return status;
  for (size_t i = 0; i < o->names.count; i++)
    o->numbers[i] = o->keys[i] < NOT_IN_MODEL ? (uint32_t)o->keys[i] : NO_NODE;
  const uint64_t pieces = ((uint64_t)g->owned + AT_ONCE - 1) / AT_ONCE, most = mpi_most(g->comm, pieces);
  for (uint64_t piece = 0; piece < most && status == GEODISK_OK; piece++) {
    const size_t begin = piece < pieces ? (size_t)piece * AT_ONCE : g->owned, left = g->owned - begin;
    status = owners_look_up(o, left < AT_ONCE ? left : AT_ONCE, r->point + begin);
  }
  return status;
}

/* ---- edges between points --------------------------------------------------------------------------------------------- */

typedef struct point_edge {
  uint32_t child, parent;
} point_edge;

/* An edge on its way: first to the owner of the parent, who knows its point, then to whoever has the child's. */
static geodisk_status move_edges(relating *r, uint64_t *missing) {
  const mpi_share *g = r->graph;
  outbox ask = {.room = 0}, tell = {.room = 0};
  geodisk_status status = outbox_create(r->context, g->comm, sizeof(point_edge), AT_ONCE, &ask);
  uint32_t u = 0;
  uint64_t e = 0;
  *missing = 0;
  for (bool more = true; more && status == GEODISK_OK;) {
    for (; u < g->owned && !outbox_full(&ask); u++) {
      for (; e < g->offsets[u + 1] && !outbox_full(&ask); e++) {
        const point_edge edge = {r->point[u], g->targets[e]};
        outbox_put(&ask, mpi_share_owner(g, edge.parent), &edge);
      }
      if (e < g->offsets[u + 1])
        break;
    }
    more = outbox_any(&ask, ask.count > 0);
    void *came = NULL, *arrived = NULL;
    size_t count = 0, n = 0;
    if (!more || (status = outbox_send(&ask, &came, &count)) != GEODISK_OK)
      break;
    if ((status = outbox_create(r->context, g->comm, sizeof(point_edge), count, &tell)) == GEODISK_OK) {
      for (size_t i = 0; i < count; i++) {
        point_edge edge = ((const point_edge *)came)[i];
        edge.parent = r->point[edge.parent - g->first];
        if (edge.child == NO_NODE || edge.parent == NO_NODE)
          ++*missing;
        else
          outbox_put(&tell, mpi_range_owner(r->points->nodes, r->points->ranks, edge.child), &edge);
      }
      status = outbox_send(&tell, &arrived, &n);
    }
    bool enough = true;
    for (size_t i = 0; i < n && enough; i++) {
      const point_edge *edge = (const point_edge *)arrived + i;
      enough = builder_add(&r->edges, edge->child - r->points->first, edge->parent, -1, 0) == GEODISK_OK;
    }
    geodisk_free_all(came, arrived);
    outbox_free(&tell);
    if (status == GEODISK_OK)
      status = mpi_agree_memory(r->context, g->comm, enough, "the edges");
  }
  outbox_free(&ask);
  outbox_free(&tell);
  return status;
}

static bool make_rows(relating *r, share_relation *out) {
  const size_t owned = r->points->owned;
  csr rows = {NULL, NULL, NULL};
  if (builder_rows(&r->edges, 1, false, owned, &rows) != GEODISK_OK)
    return false;
  csr_sort(owned, &rows);
  *out = (share_relation){rows.offsets, rows.nodes};
  return true;
}

/* ---- what is missing -------------------------------------------------------------------------------------------------- */

/* The first few nodes without a point, from all ranks in the order of their numbers. */
static geodisk_status report_missing(relating *r, uint64_t missing_edges, bool skip) {
  enum { SHOWN = GEODISK_EVAL_MISSING_SHOWN, NAME_BYTES = 61 };
  typedef struct missing_here {
    uint64_t nodes;
    char names[SHOWN][NAME_BYTES];
  } missing_here;
  const mpi_share *g = r->graph;
  missing_here mine = {.nodes = 0};
  for (uint32_t i = 0; i < g->owned; i++)
    if (r->point[i] == NO_NODE) {
      if (mine.nodes < SHOWN)
        snprintf(mine.names[mine.nodes], NAME_BYTES, "%s", g->names + g->name_starts[i]);
      mine.nodes++;
    }
  relation_missing m = {.nodes = (size_t)g->nodes,
                        .edges = (size_t)g->edges,
                        .missing_nodes = (size_t)mpi_sum(g->comm, mine.nodes),
                        .missing_edges = mpi_sum(g->comm, missing_edges)};
  if (m.missing_nodes == 0)
    return GEODISK_OK;
  missing_here *all = geodisk_allocate((size_t)g->ranks, sizeof *all);
  geodisk_status status = mpi_agree_memory(r->context, g->comm, all != NULL, "what is missing");
  if (status == GEODISK_OK) {
    MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, g->comm);
    size_t n = 0;
    for (int rank = 0; rank < g->ranks; rank++)
      for (size_t i = 0; i < all[rank].nodes && i < SHOWN && n < SHOWN; i++)
        m.names[n++] = all[rank].names[i];
    status = mpi_agree(r->context, g->comm, relation_report_missing(g->rank == 0 || !skip ? r->context : NULL, &m, skip));
  }
  free(all);
  return status;
}

geodisk_status share_relation_create(geodisk_context *context, const mpi_share *graph, const model_share *points,
                                     bool skip_missing, share_relation *out) {
  relating r = {.context = context, .graph = graph, .points = points};
  share_relation made = {NULL, NULL};
  uint64_t missing = 0;
  r.point = geodisk_allocate(graph->owned, sizeof *r.point);
  geodisk_status status = owners_create(context, graph->comm, &r.owners);
  if (status == GEODISK_OK)
    status = mpi_agree_memory(context, graph->comm, r.point != NULL, "the points");
  if (status == GEODISK_OK)
    status = find_points(&r);
  owners_free(&r.owners);
  if (status == GEODISK_OK)
    status = move_edges(&r, &missing);
  if (status == GEODISK_OK)
    status = report_missing(&r, missing, skip_missing);
  if (status == GEODISK_OK)
    status = mpi_agree_memory(context, graph->comm, make_rows(&r, &made), "the edges");
  builder_free(&r.edges);
  free(r.point);
  if (status == GEODISK_OK)
    *out = made;
  else
    share_relation_free(&made);
  return status;
}

void share_relation_free(share_relation *relation) {
  geodisk_free_all(relation->offsets, relation->targets);
  *relation = (share_relation){NULL, NULL};
}
