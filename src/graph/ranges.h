/* ranges.h - what a back-end needs of the graph module to hold a graph in ranges of nodes on many machines: the fingerprint from
 * parts of it. Seen by src/graph and the back-ends. */
#ifndef GEODISK_GRAPH_RANGES_H
#define GEODISK_GRAPH_RANGES_H

#include "geodisk/graph.h"

/* Nodes first .. first + count - 1 with their names and out-rows; both kinds of offsets may begin anywhere. */
typedef struct graph_range {
  uint64_t first;
  size_t count;
  const char *names;       /* name i of the range is names[starts[i] - starts[0]] ..., ended by a NUL */
  const uint64_t *starts;  /* count + 1 */
  const uint64_t *offsets; /* count + 1 */
  const uint32_t *targets; /* of the first row on, as the next */
  const double *weights;   /* or NULL */
} graph_range;

/* The fingerprint of a graph is made of its size and the sum (modulo 2^64) of what its ranges give, in whatever pieces. */
uint64_t graph_range_hash(const graph_range *range);
uint64_t graph_fingerprint_of(uint64_t nodes, uint64_t edges, bool weighted, uint64_t sum);

#endif
