/* csr.h - compressed rows: row u is nodes[offsets[u]] .. nodes[offsets[u + 1] - 1]. Made from pairs, wherever those come from, by
 * one function. Seen by every module. */
#pragma once

#include "geodisk/base.h"

#define NO_NODE UINT32_MAX /* the number that no node has */

typedef struct csr {
  uint64_t *offsets; /* nodes + 1 (allocated: nodes + 2) */
  uint32_t *nodes;
  double *weights; /* or NULL */
} csr;

/* Rows with room for `nodes` and `edges`, offsets zero. */
geodisk_status csr_allocate(size_t nodes, uint64_t edges, bool weighted, csr *out);
void csr_free(csr *rows);

/* Some of the pairs: entry to[i] of row from[i]. */
typedef struct csr_pairs {
  size_t count;
  const uint32_t *from, *to; /* either may be NULL: all are `same` */
  uint32_t same;
  const double *weights; /* NULL where the rows have none */
} csr_pairs;

/* Piece 0, 1, ... of all pairs; false: there are no more. They are asked for twice. */
typedef bool (*csr_pairs_fn)(void *user, uint64_t piece, csr_pairs *out);

/* From pairs to rows, whose entries come in the order of the pairs (counting sort, linear). `rows` must have been allocated for
 * as many edges; what it held is overwritten. */
void csr_fill(size_t nodes, csr_pairs_fn pairs, void *user, csr *rows);

/* The same from pairs that lie in two arrays, into rows that are allocated. MEMORY. */
geodisk_status csr_from_arrays(size_t nodes, size_t edges, const uint32_t *from, const uint32_t *to, csr *out);

/* Children of each node, ascending, from its parent; where that is NO_NODE it is `orphans`, which may be NO_NODE, too, and is
 * nobody's child. MEMORY. */
geodisk_status csr_from_parents(size_t nodes, const uint32_t *parent, uint32_t orphans, csr *out);

/* The rows the other way round; entries of a new row come in the order of the old rows, so rows of the transpose are sorted, and
 * transposing twice sorts. */
void csr_transpose(size_t nodes, const csr *from, csr *to);

/* Entries ascending; of rows without weights. */
void csr_sort(size_t nodes, csr *rows);

/* Sets marks[v] = mark for all v that entries lead to from `start`, which is one of them on a cycle only; how many did not have
 * it. stack: nodes. */
size_t csr_reach(const csr *rows, uint32_t start, uint32_t mark, uint32_t *marks, uint32_t *stack);

/* Where `node` is among ascending numbers, or would be: the first that is not below it. */
static inline size_t csr_place(const uint32_t *nodes, size_t count, uint32_t node) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (nodes[middle] < node)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static inline bool csr_has(const uint32_t *nodes, size_t count, uint32_t node) {
  const size_t at = csr_place(nodes, count, node);
  return at < count && nodes[at] == node;
}

/* The row that has an entry, of rows low .. high - 1, which have it. */
static inline size_t csr_row(const uint64_t *offsets, size_t low, size_t high, uint64_t entry) {
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (offsets[middle] <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Copies one edge, with its weight if both have weights. */
static inline void csr_copy_edge(const csr *from, uint64_t e, csr *to, uint64_t at) {
  to->nodes[at] = from->nodes[e];
  if (to->weights != NULL && from->weights != NULL)
    to->weights[at] = from->weights[e];
}
