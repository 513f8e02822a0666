/* share_rows.c - edges sorted into the rows of their children's owners. Blocks of edges are sent one after the other, so that
 * what is under way stays small; what comes from one rank is kept apart from the rest, so that the order of the file is not lost:
 * of equal edges the first one's weight counts. */
#include "share_rows.h"
#include "base/sorting.h"

#include "ask.h"
#include "embed/placement/placement.h"
#include "exchange.h"

#include <stdlib.h>
#include <string.h>

typedef struct row_exchange {
  geodisk_context *context;
  mpi_share *share;
  name_owners *owners;
  bool weighted;
  graph_builder *came; /* by the rank they come from: children as numbers among the owned nodes */
  uint64_t *counts;    /* 4 x ranks: scratch */
} row_exchange;

/* ---- sending ---------------------------------------------------------------------------------------------------------- */

typedef struct edge_pair {
  uint32_t child, parent;
} edge_pair;

/* Sorts the edges of a block by the owner of the child. */
static void sort_block(row_exchange *x, const edge_block *block, const uint32_t *numbers, edge_pair *pairs, double *weights) {
  const size_t ranks = (size_t)x->share->ranks, n = block != NULL ? block->count : 0;
  uint64_t *sent = x->counts, *at = sent + ranks;
  memset(sent, 0, ranks * sizeof *sent);
  for (size_t i = 0; i < n; i++)
    sent[mpi_share_owner(x->share, numbers[i])]++;
  mpi_starts(ranks, sent, at);
  for (size_t i = 0; i < n; i++) {
    const uint64_t to = at[mpi_share_owner(x->share, numbers[i])]++;
    pairs[to] = (edge_pair){numbers[i], numbers[n + i]};
    if (x->weighted)
      weights[to] = block->weights != NULL ? block->weights[i] : 1.0;
  }
}

static geodisk_status keep_edges(row_exchange *x, const edge_pair *pairs, const double *weights, const uint64_t *received) {
  for (int r = 0; r < x->share->ranks; r++)
    for (uint64_t i = 0; i < received[r]; i++, pairs++) {
      const double weight = x->weighted ? *weights++ : -1.0;
      if (builder_add(&x->came[r], pairs->child - x->share->first, pairs->parent, weight, 0) != GEODISK_OK)
        return geodisk_no_memory(x->context, "for the edges");
    }
  return GEODISK_OK;
}

/* One block of every rank; NULL: nothing. */
static geodisk_status send_block(row_exchange *x, const edge_block *block) {
  const size_t n = block != NULL ? block->count : 0, ranks = (size_t)x->share->ranks;
  uint64_t *sent = x->counts, *received = sent + 2 * ranks, *same = received + ranks;
  uint32_t *numbers = geodisk_allocate(2 * n, sizeof *numbers);
  edge_pair *pairs = geodisk_allocate(n, sizeof *pairs);
  double *weights = geodisk_allocate(x->weighted ? n : 0, sizeof *weights);
  void *came = NULL, *came_weights = NULL;
  size_t count;
  geodisk_status status =
      mpi_agree_memory(x->context, x->share->comm, numbers != NULL && pairs != NULL && weights != NULL, "the edges");
  if (status != GEODISK_OK)
    goto done;
  if (n > 0) {
    memcpy(numbers, block->children, n * sizeof *numbers);
    memcpy(numbers + n, block->parents, n * sizeof *numbers);
  }
  if ((status = owners_look_up(x->owners, 2 * n, numbers)) != GEODISK_OK)
    goto done;
  sort_block(x, block, numbers, pairs, weights);
  if ((status = mpi_deliver(x->context, x->share->comm, sizeof *pairs, pairs, sent, received, &came, &count)) != GEODISK_OK)
    goto done;
  if (x->weighted && (status = mpi_deliver(x->context, x->share->comm, sizeof *weights, weights, sent, same, &came_weights,
                                           &count)) != GEODISK_OK)
    goto done;
  status = mpi_agree(x->context, x->share->comm, keep_edges(x, came, came_weights, received));

done:
  geodisk_free_all(numbers, pairs, weights, came, came_weights);
  return status;
}

static geodisk_status send_all(row_exchange *x, graph_builder *edges) {
  geodisk_status status = GEODISK_OK;
  uint64_t blocks = 0;
  for (const edge_block *block = edges->first; block != NULL; block = block->next)
    blocks++;
  const uint64_t most = mpi_most(x->share->comm, blocks);
  for (uint64_t i = 0; i < most && status == GEODISK_OK; i++) {
    edge_block *block = edges->first;
    status = send_block(x, block);
    if (block == NULL)
      continue;
    edges->first = block->next;
    if (edges->first == NULL)
      edges->last = NULL;
    geodisk_free_all(block->weights, block->lines, block);
  }
  return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------- */

/* Rows with their entries in the order of the file. */
static bool fill_rows(row_exchange *x, csr *rows) {
  const size_t ranks = (size_t)x->share->ranks;
  const bool enough = builder_rows(x->came, ranks, x->weighted, x->share->owned, rows) == GEODISK_OK;
  for (size_t r = 0; r < ranks; r++)
    builder_free(&x->came[r]);
  return enough;
}

/* Sorts every row by target, of equal ones the first first. */
static bool sort_rows(csr *rows, size_t owned) {
  size_t longest = 0;
  for (size_t u = 0; u < owned; u++)
    if (rows->offsets[u + 1] - rows->offsets[u] > longest)
      longest = (size_t)(rows->offsets[u + 1] - rows->offsets[u]);
  uint64_t *keys = geodisk_allocate(longest, sizeof *keys);
  double *weights = geodisk_allocate(rows->weights != NULL ? longest : 0, sizeof *weights);
  const bool enough = keys != NULL && weights != NULL && longest <= UINT32_MAX;
  for (size_t u = 0; u < owned && enough; u++) {
    const uint64_t start = rows->offsets[u];
    const size_t degree = (size_t)(rows->offsets[u + 1] - start);
    bool sorted = true;
    for (size_t i = 0; i < degree; i++) {
      keys[i] = (uint64_t)rows->nodes[start + i] << 32 | i;
      sorted = sorted && (i == 0 || keys[i - 1] < keys[i]);
    }
    if (sorted)
      continue;
    qsort(keys, degree, sizeof *keys, ascending_u64);
    for (size_t i = 0; i < degree; i++) {
      rows->nodes[start + i] = (uint32_t)(keys[i] >> 32);
      if (rows->weights != NULL)
        weights[i] = rows->weights[start + (keys[i] & UINT32_MAX)];
    }
    if (rows->weights != NULL)
      memcpy(rows->weights + start, weights, degree * sizeof *weights);
  }
  geodisk_free_all(keys, weights);
  return enough;
}

/* Leaves out duplicates; the share takes over the rows. Self-loops were left out before. */
static bool make_rows(row_exchange *x, uint64_t *duplicates) {
  mpi_share *share = x->share;
  csr rows = {NULL, NULL, NULL};
  if (!fill_rows(x, &rows) || !sort_rows(&rows, share->owned)) {
    csr_free(&rows);
    return false;
  }
  uint64_t kept = 0, start = 0;
  *duplicates = 0;
  for (size_t u = 0; u < share->owned; u++) {
    const uint64_t end = rows.offsets[u + 1], first = kept;
    for (uint64_t e = start; e < end; e++)
      if (kept > first && rows.nodes[kept - 1] == rows.nodes[e])
        ++*duplicates;
      else
        csr_copy_edge(&rows, e, &rows, kept++);
    start = end;
    rows.offsets[u + 1] = kept;
  }
  if (*duplicates > 0) { /* shrinking cannot do harm when it fails */
    uint32_t *nodes = geodisk_reallocate(rows.nodes, (size_t)kept, sizeof *nodes);
    rows.nodes = nodes != NULL ? nodes : rows.nodes;
  }
  share->offsets = rows.offsets;
  share->targets = rows.nodes;
  share->weights = rows.weights;
  return true;
}

/* ---- what follows from the rows --------------------------------------------------------------------------------------- */

static void tell_target(void *user, size_t i, void *message) {
  const mpi_share *share = user;
  *(uint32_t *)message = share->targets[i];
}

static void hear_target(void *user, const void *message) {
  const mpi_share *share = user;
  share->in_degree[*(const uint32_t *)message - share->first]++;
}

static geodisk_status count_in_degrees(const row_exchange *x) {
  mpi_share *share = x->share;
  const telling target = {sizeof *share->targets, tell_target, hear_target, share};
  share->in_degree = geodisk_allocate_zero(share->owned, sizeof *share->in_degree);
  const geodisk_status status = mpi_agree_memory(x->context, share->comm, share->in_degree != NULL, "the edges");
  return status == GEODISK_OK ? mpi_tell(x->context, share, &target, (size_t)share->offsets[share->owned]) : status;
}

/* The sum goes from rank to rank, each adding its blocks: in the order of a plain process. */
static double add_weights(const mpi_share *share) {
  enum { SUM_TAG = 72 };
  double sum = 0.0;
  if (share->rank > 0)
    MPI_Recv(&sum, 1, MPI_DOUBLE, share->rank - 1, SUM_TAG, share->comm, MPI_STATUS_IGNORE);
  for (size_t first = 0; first < share->owned; first += WEIGHTS_BLOCK) {
    const size_t left = share->owned - first;
    sum += embed_weights_of(share->offsets + first, share->weights, left < WEIGHTS_BLOCK ? left : WEIGHTS_BLOCK);
  }
  if (share->rank + 1 < share->ranks)
    MPI_Send(&sum, 1, MPI_DOUBLE, share->rank + 1, SUM_TAG, share->comm);
  MPI_Bcast(&sum, 1, MPI_DOUBLE, share->ranks - 1, share->comm);
  return sum;
}

static void finish_share(mpi_share *share, uint64_t duplicates) {
  const uint64_t edges = share->offsets[share->owned];
  share->edges = mpi_sum(share->comm, edges);
  share->edges_before = mpi_sum_before(share->comm, edges);
  share->info.duplicates = mpi_sum(share->comm, duplicates);
  if (share->edges == 0) { /* a graph without edges has no weights either */
    free(share->weights);
    share->weights = NULL;
  }
  share->mean_weight = share->weights != NULL ? add_weights(share) / (double)share->edges : 1.0;
  const graph_range range = {share->first,   share->owned,   share->names,  share->name_starts,
                             share->offsets, share->targets, share->weights};
  share->fingerprint =
      graph_fingerprint_of(share->nodes, share->edges, share->weights != NULL, mpi_sum(share->comm, graph_range_hash(&range)));
}

geodisk_status share_rows_fill(geodisk_context *context, mpi_share *share, name_owners *owners, graph_builder *edges,
                               bool weighted) {
  const size_t ranks = (size_t)share->ranks;
  uint64_t duplicates = 0;
  row_exchange x = {.context = context, .share = share, .owners = owners, .weighted = weighted};
  x.came = geodisk_allocate_zero(ranks, sizeof *x.came);
  x.counts = geodisk_allocate(4 * ranks, sizeof *x.counts);
  geodisk_status status = mpi_agree_memory(context, share->comm, x.came != NULL && x.counts != NULL, "the edges");
  for (size_t r = 0; r < ranks && status == GEODISK_OK; r++)
    x.came[r].weighted = weighted;
  if (status == GEODISK_OK)
    status = send_all(&x, edges);
  if (status == GEODISK_OK) {
    owners_free(owners);
    status = mpi_agree_memory(context, share->comm, make_rows(&x, &duplicates), "the edges");
  }
  if (status == GEODISK_OK)
    status = count_in_degrees(&x);
  if (status == GEODISK_OK)
    finish_share(share, duplicates);
  for (size_t r = 0; r < ranks && x.came != NULL; r++)
    builder_free(&x.came[r]);
  geodisk_free_all(x.came, x.counts);
  return status;
}
