/* csr.c - compressed rows: transposition by counting sort (linear, stable), and making them simple. Sorting the rows of a graph
 * is transposing it twice. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

geodisk_status csr_allocate(size_t nodes, uint64_t edges, bool weighted, csr *out) {
  csr rows = {NULL, NULL, NULL};
  if (edges <= SIZE_MAX) {
    rows.offsets = geodisk_allocate_zero(nodes + 2, sizeof *rows.offsets);
    rows.nodes = geodisk_allocate((size_t)edges, sizeof *rows.nodes);
    rows.weights = weighted ? geodisk_allocate((size_t)edges, sizeof *rows.weights) : NULL;
  }
  if (rows.offsets == NULL || rows.nodes == NULL || (weighted && rows.weights == NULL)) {
    csr_free(&rows);
    return GEODISK_ERROR_MEMORY;
  }
  *out = rows;
  return GEODISK_OK;
}

void csr_free(csr *rows) {
  free(rows->offsets);
  free(rows->nodes);
  free(rows->weights);
  *rows = (csr){NULL, NULL, NULL};
}

void csr_transpose(size_t nodes, const csr *from, csr *to) {
  /* Entry v + 2 counts row v; after the sums entry v + 1 is where row v starts, and while it is filled, where its next entry
   * goes, so that in the end it is where row v ends: row v + 1 starts. */
  uint64_t *next = to->offsets + 1;
  memset(to->offsets, 0, (nodes + 2) * sizeof *to->offsets);
  const uint64_t edges = from->offsets[nodes];
  for (uint64_t e = 0; e < edges; e++)
    next[from->nodes[e] + 1]++;
  for (size_t v = 0; v < nodes; v++)
    next[v + 1] += next[v];
  for (size_t u = 0; u < nodes; u++)
    for (uint64_t e = from->offsets[u]; e < from->offsets[u + 1]; e++) {
      const uint64_t at = next[from->nodes[e]]++;
      to->nodes[at] = (uint32_t)u;
      if (from->weights != NULL)
        to->weights[at] = from->weights[e];
    }
}

uint64_t csr_make_simple(size_t nodes, csr *rows, geodisk_graph_dropped *dropped) {
  uint64_t kept = 0, row_start = 0;
  for (size_t u = 0; u < nodes; u++) {
    const uint64_t row_end = rows->offsets[u + 1];
    const uint64_t first = kept;
    for (uint64_t e = row_start; e < row_end; e++) {
      const uint32_t v = rows->nodes[e];
      if (v == u) {
        dropped->self_loops++;
      } else if (kept > first && rows->nodes[kept - 1] == v) {
        dropped->duplicates++;
      } else {
        rows->nodes[kept] = v;
        if (rows->weights != NULL)
          rows->weights[kept] = rows->weights[e];
        kept++;
      }
    }
    row_start = row_end;
    rows->offsets[u + 1] = kept;
  }
  return kept;
}
