/* paper_tau.h - Kendall's tau of a graph's distances under both readings, for many embeddings of one graph (paper_tau.c). */
#pragma once

#include <geodisk/geodisk.h>

/* Distances between all pairs of nodes i < j, in edges: in the transitive reduction, and in the graph as given. */
typedef struct paper_distances {
  size_t nodes;
  uint8_t *reduced, *given; /* nodes (nodes - 1) / 2 each; one block */
} paper_distances;

/* Errors: ARGUMENT (two nodes without a path, or one of more than 31 edges), MEMORY. */
geodisk_status paper_distances_open(geodisk_context *context, const geodisk_graph *graph, paper_distances *out);
void paper_distances_close(paper_distances *distances);

/* tau-b as geodisk_eval_fit has it, but both at once and from one sorting: graph distances are few small numbers. Errors: MEMORY,
 * NUMERIC (a number that is not finite). */
geodisk_status paper_taus(const paper_distances *distances, const geodisk_eval_points *points, double *reduced, double *given);
