/* match.h - the nodes of a graph found in a model by their names, and the graph's edges by the numbers of the model. Evaluation,
 * drawing, placing, exporting and starting from a model all go by this. Seen by src/vectors and the modules above. */
#pragma once

#include "base/csr.h"
#include "base/names.h"
#include "geodisk/vectors.h"

typedef struct node_match {
  uint32_t *node;   /* per node of the graph: the model's, or NO_NODE */
  size_t missing;   /* nodes of the graph that the model lacks */
  bool same_number; /* every node of the graph has its own number in the model, too */
} node_match;

/* False: out of memory. */
bool match_make(const geodisk_model *model, const geodisk_graph *graph, node_match *out);
void match_free(node_match *match);

/* The edges between nodes that the model has, as rows of its nodes, entries ascending; with `once`, of an edge in both directions
 * only the one from the smaller number in the graph. `node` NULL: every node has its own number. MEMORY. */
geodisk_status match_rows(const geodisk_graph *graph, const uint32_t *node, size_t model_nodes, bool once, csr *out);
