/* paper_tau.c - Kendall's tau-b between the distances in a graph and those of points, for distances in its transitive reduction
 * and in itself. Pairs are sorted once by q = |x-y|^2 / (S(x) S(y)), which grows with the distance; walking up, the pairs seen so
 * far are counted by their graph distance, of which there are a handful. tests/unit/cli/test_cli_tau.c holds it to
 * geodisk_eval_fit, which sorts for each reading. */
#include "paper_tau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 32, DIGIT = 11, BUCKETS = 1 << DIGIT, PASSES = 6 };

/* ---- the graph's distances -------------------------------------------------------------------------------------------- */

static geodisk_status fill(geodisk_context *context, const geodisk_graph *graph, uint32_t *hops, uint8_t *out) {
  const size_t n = geodisk_graph_nodes(graph);
  const geodisk_status status = geodisk_graph_hops(context, graph, NULL, hops, NULL);
  for (size_t i = 0; status == GEODISK_OK && i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      if (hops[i * n + j] >= CLASSES)
        return GEODISK_ERROR_ARGUMENT;
      *out++ = (uint8_t)hops[i * n + j];
    }
  return status;
}

geodisk_status paper_distances_open(geodisk_context *context, const geodisk_graph *graph, paper_distances *out) {
  const size_t n = geodisk_graph_nodes(graph), pairs = n * (n - 1) / 2;
  geodisk_graph *reduced = NULL;
  uint32_t *hops = geodisk_allocate(n * n, sizeof *hops);
  *out = (paper_distances){.nodes = n, .reduced = geodisk_allocate(2 * pairs, 1)};
  out->given = out->reduced == NULL ? NULL : out->reduced + pairs;
  geodisk_status status =
      hops == NULL || out->reduced == NULL ? GEODISK_ERROR_MEMORY : geodisk_graph_reduce(context, graph, &reduced);
  if (status == GEODISK_OK)
    status = fill(context, reduced, hops, out->reduced);
  if (status == GEODISK_OK)
    status = fill(context, graph, hops, out->given);
  geodisk_graph_destroy(reduced);
  free(hops);
  if (status != GEODISK_OK)
    paper_distances_close(out);
  return status;
}

void paper_distances_close(paper_distances *distances) {
  free(distances->reduced);
  *distances = (paper_distances){0};
}

/* ---- tau --------------------------------------------------------------------------------------------------------------- */

/* A pair of nodes: the bits of q, which for numbers that are not negative are in the order of the numbers; both graph distances.
 */
typedef struct observation {
  uint64_t key;
  uint8_t reduced, given;
} observation;

static bool observe(const paper_distances *distances, const double *x, const double *gap, size_t dim, observation *out) {
  const size_t n = distances->nodes;
  size_t k = 0;
  bool fine = true;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++, k++) {
      double square = 0;
      for (size_t d = 0; d < dim; d++)
        square += (x[i * dim + d] - x[j * dim + d]) * (x[i * dim + d] - x[j * dim + d]);
      const double q = square / (gap[i] * gap[j]);
      fine = fine && isfinite(q);
      memcpy(&out[k].key, &q, sizeof q);
      out[k].reduced = distances->reduced[k];
      out[k].given = distances->given[k];
    }
  return fine;
}

/* Points of either precision as contiguous doubles, with their gaps. */
static void load(const geodisk_eval_points *points, size_t n, double *x, double *gap) {
  const size_t dim = (size_t)points->ball.dim, stride = points->vectors_stride > 0 ? points->vectors_stride : dim;
  const size_t gap_stride = points->gap_stride > 0 ? points->gap_stride : 1;
  const bool single = points->precision == GEODISK_PRECISION_FLOAT;
  for (size_t i = 0; i < n; i++) {
    for (size_t d = 0; d < dim; d++)
      x[i * dim + d] =
          single ? (double)((const float *)points->vectors)[i * stride + d] : ((const double *)points->vectors)[i * stride + d];
    gap[i] = points->gap == NULL ? geodisk_gap(&points->ball, x + i * dim)
             : single            ? (double)((const float *)points->gap)[i * gap_stride]
                                 : ((const double *)points->gap)[i * gap_stride];
  }
}

/* Least significant digits first; the result is in `a` after an even number of passes. */
static void sort_observations(observation *a, observation *b, size_t n) {
  for (int pass = 0; pass < PASSES; pass++) {
    size_t counts[BUCKETS + 1] = {0};
    const int shift = pass * DIGIT;
    for (size_t i = 0; i < n; i++)
      counts[((a[i].key >> shift) & (BUCKETS - 1)) + 1]++;
    for (int k = 0; k < BUCKETS; k++)
      counts[k + 1] += counts[k];
    for (size_t i = 0; i < n; i++)
      b[counts[(a[i].key >> shift) & (BUCKETS - 1)]++] = a[i];
    observation *swap = a;
    a = b;
    b = swap;
  }
}

/* From sorted observations; `given` says which of the two graph distances. */
static double tau_of(const observation *a, size_t n, bool given) {
  uint64_t seen[CLASSES] = {0}, tied[CLASSES];
  double concordant = 0, discordant = 0, tied_x = 0, tied_y = 0;
  for (size_t i = 0, end; i < n; i = end) {
    memset(tied, 0, sizeof tied);
    for (end = i; end < n && a[end].key == a[i].key; end++)
      tied[given ? a[end].given : a[end].reduced]++;
    uint64_t below = 0;
    for (int c = 0; c < CLASSES; c++) { /* those seen before are nearer */
      const uint64_t above = i - below - seen[c];
      concordant += (double)tied[c] * (double)below;
      discordant += (double)tied[c] * (double)above;
      below += seen[c];
    }
    tied_y += (double)(end - i) * (double)(end - i - 1) / 2;
    for (int c = 0; c < CLASSES; c++)
      seen[c] += tied[c];
  }
  for (int c = 0; c < CLASSES; c++)
    tied_x += (double)seen[c] * ((double)seen[c] - 1) / 2;
  const double pairs = (double)n * ((double)n - 1) / 2;
  return (concordant - discordant) / sqrt((pairs - tied_x) * (pairs - tied_y));
}

geodisk_status paper_taus(const paper_distances *distances, const geodisk_eval_points *points, double *reduced, double *given) {
  const size_t nodes = distances->nodes, n = nodes * (nodes - 1) / 2, dim = (size_t)points->ball.dim;
  observation *all = geodisk_allocate(2 * n, sizeof *all);
  double *x = geodisk_allocate(nodes * (dim + 1), sizeof *x);
  geodisk_status status = all == NULL || x == NULL ? GEODISK_ERROR_MEMORY : GEODISK_OK;
  if (status == GEODISK_OK) {
    load(points, nodes, x, x + nodes * dim);
    status = observe(distances, x, x + nodes * dim, dim, all) ? GEODISK_OK : GEODISK_ERROR_NUMERIC;
  }
  if (status == GEODISK_OK) {
    sort_observations(all, all + n, n);
    *reduced = tau_of(all, n, false);
    *given = tau_of(all, n, true);
  }
  geodisk_free_all(all, x);
  return status;
}
