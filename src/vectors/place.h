/* place.h - new nodes on their way to a place. Internal to the vectors module. */
#pragma once

#include "attraction.h"

#define UNPLACED UINT32_MAX

/* What is under way. Nodes of the new model: the old ones, then the new. */
typedef struct placing {
  geodisk_context *context;
  const geodisk_model *model; /* old */
  const geodisk_graph *graph;
  geodisk_place_options options;
  geodisk_model *out;
  size_t old, fresh;     /* nodes */
  uint32_t *in_model;    /* per node of the graph: its number in `out` */
  uint32_t *in_graph;    /* per new node: its number in the graph */
  uint32_t *round;       /* per new node, or UNPLACED */
  geodisk_placed *found; /* per new node */
  uint32_t *sample;      /* of old nodes, ascending; NULL: all */
  crowd crowd;
  double *sums;    /* per old node: Z, or NaN */
  uint32_t *to_do; /* new nodes of this round */
  size_t n_to_do;
  geodisk_neighbour *near; /* per node of this round: `competitors` */
  size_t *n_near;
  uint32_t now; /* round */
  bool *failed; /* per task */
} placing;

/* How many of a graph's node's neighbours have a place already. */
size_t place_neighbours(const placing *p, uint32_t g);

/* Finds starting places and competitors of the nodes to_do[0..n_to_do), and the sums of those. */
geodisk_status place_prepare(placing *p, const geodisk_index *index);

/* The graph with the edges of new nodes that follow from its own by what the model knows; *out stays NULL if it knows no closure.
 * The nodes of the graph keep their numbers. */
geodisk_status place_add_implied(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                 geodisk_graph **out);

/* When all nodes have a place: those of the order beside the vectors, if the model has one, and the decision, which is by it. */
geodisk_status place_order(const placing *p);

/* Task for geodisk_parallel: places the node to_do[task]. */
void place_node(void *arg, size_t task);
