/* builder.h - names and edges on their way into a graph. Seen by src/graph and, by ranges.h, the back-ends. */
#pragma once

#include "base/csr.h"
#include "base/names.h"
#include "geodisk/graph.h"

/* Collects names and edges in the order they come, in blocks (so that growing never copies), then sorts them into rows. */
enum { FIRST_BLOCK = 1 << 10, LARGEST_BLOCK = 1 << 17 };

typedef struct edge_block {
  struct edge_block *next;
  size_t count, capacity;
  double *weights;   /* capacity, or NULL */
  uint32_t *lines;   /* capacity, or NULL */
  uint32_t *parents; /* behind the children */
  uint32_t children[];
} edge_block;

typedef struct graph_builder {
  name_table names;
  edge_block *first, *last;
  uint64_t edges;
  bool weighted;   /* edges carry weights; set by the first call with one */
  bool keep_lines; /* edges carry line numbers, so that a duplicate can be found again */
} graph_builder;

/* A negative weight means: none given (1 if other edges have one). Self-loops may be added; they are left out at the end. */
geodisk_status builder_add(graph_builder *builder, uint32_t child, uint32_t parent, double weight, uint64_t line);

/* Rows from the edges of several builders, in the order they were added; all have weights, or none. MEMORY. */
geodisk_status builder_rows(const graph_builder *builders, size_t count, bool weighted, size_t nodes, csr *rows);

/* Makes the graph; the builder is empty afterwards, whatever the result. With keep_lines, the first duplicate found is described
 * in *repeat (child NO_NODE: there is none). */
typedef struct repeated_edge {
  uint32_t child, parent;
  uint64_t line; /* of its second occurrence */
} repeated_edge;
geodisk_status builder_finish(geodisk_context *context, graph_builder *builder, geodisk_graph_dropped *dropped,
                              repeated_edge *repeat /* or NULL */, geodisk_graph **out);
void builder_free(graph_builder *builder);
