/* csr.c - compressed rows from pairs, by counting sort (linear, stable); transposing is one case of it, and sorting all rows is
 * transposing twice. */
#include "csr.h"
#include "sorting.h"

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
  geodisk_free_all(rows->offsets, rows->nodes, rows->weights);
  *rows = (csr){NULL, NULL, NULL};
}

/* Entry v + 2 counts row v; after the sums entry v + 1 is where row v starts, and while it is filled, where its next entry goes,
 * so that in the end it is where row v ends: row v + 1 starts. */
void csr_fill(size_t nodes, csr_pairs_fn pairs, void *user, csr *rows) {
  uint64_t *next = rows->offsets + 1;
  csr_pairs p = {0};
  memset(rows->offsets, 0, (nodes + 2) * sizeof *rows->offsets);
  for (uint64_t piece = 0; pairs(user, piece, &p); piece++)
    for (size_t i = 0; i < p.count; i++)
      next[(p.from != NULL ? p.from[i] : p.same) + 1]++;
  for (size_t v = 0; v < nodes; v++)
    next[v + 1] += next[v];
  for (uint64_t piece = 0; pairs(user, piece, &p); piece++)
    for (size_t i = 0; i < p.count; i++) {
      const uint64_t at = next[p.from != NULL ? p.from[i] : p.same]++;
      rows->nodes[at] = p.to != NULL ? p.to[i] : p.same;
      if (p.weights != NULL)
        rows->weights[at] = p.weights[i];
    }
}

static bool one_piece(void *user, uint64_t piece, csr_pairs *out) {
  *out = *(const csr_pairs *)user;
  return piece == 0;
}

geodisk_status csr_from_arrays(size_t nodes, size_t edges, const uint32_t *from, const uint32_t *to, csr *out) {
  csr_pairs all = {.count = edges, .from = from, .to = to};
  const geodisk_status status = csr_allocate(nodes, edges, false, out);
  if (status == GEODISK_OK)
    csr_fill(nodes, one_piece, &all, out);
  return status;
}

typedef struct parents_of {
  size_t nodes;
  const uint32_t *parent;
  uint32_t orphans;
} parents_of;

static bool to_its_parent(void *user, uint64_t u, csr_pairs *out) {
  const parents_of *all = user;
  if (u >= all->nodes)
    return false;
  const uint32_t *parent = all->parent[u] != NO_NODE ? &all->parent[u] : &all->orphans;
  *out = (csr_pairs){.count = *parent != NO_NODE && u != all->orphans, .from = parent, .same = (uint32_t)u};
  return true;
}

geodisk_status csr_from_parents(size_t nodes, const uint32_t *parent, uint32_t orphans, csr *out) {
  parents_of all = {nodes, parent, orphans};
  const geodisk_status status = csr_allocate(nodes, nodes, false, out);
  if (status == GEODISK_OK)
    csr_fill(nodes, to_its_parent, &all, out);
  return status;
}

typedef struct rows_of {
  size_t nodes;
  const csr *rows;
} rows_of;

/* Row u the other way round. */
static bool turned_row(void *user, uint64_t u, csr_pairs *out) {
  const rows_of *all = user;
  if (u >= all->nodes)
    return false;
  const uint64_t begin = all->rows->offsets[u];
  *out = (csr_pairs){.count = (size_t)(all->rows->offsets[u + 1] - begin),
                     .from = all->rows->nodes + begin,
                     .same = (uint32_t)u,
                     .weights = all->rows->weights != NULL ? all->rows->weights + begin : NULL};
  return true;
}

void csr_transpose(size_t nodes, const csr *from, csr *to) {
  rows_of all = {nodes, from};
  csr_fill(nodes, turned_row, &all, to);
}

void csr_sort(size_t nodes, csr *rows) {
  for (size_t u = 0; u < nodes; u++)
    qsort(rows->nodes + rows->offsets[u], (size_t)(rows->offsets[u + 1] - rows->offsets[u]), sizeof *rows->nodes, ascending_u32);
}

size_t csr_reach(const csr *rows, uint32_t start, uint32_t mark, uint32_t *marks, uint32_t *stack) {
  size_t height = 0, found = 0;
  stack[height++] = start;
  while (height > 0) {
    const uint32_t u = stack[--height];
    for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
      if (marks[rows->nodes[e]] != mark) {
        marks[rows->nodes[e]] = mark;
        stack[height++] = rows->nodes[e];
        found++;
      }
  }
  return found;
}
