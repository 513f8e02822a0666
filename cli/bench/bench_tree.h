/* bench_tree.h - a large closed hierarchy without names that is made in memory, by all threads. */
#ifndef GEODISK_CLI_BENCH_TREE_H
#define GEODISK_CLI_BENCH_TREE_H

#include "geodisk/embed.h"

typedef struct bench_tree {
  int dim;               /* of the points */
  uint64_t nodes, whole; /* of the graph, and of the tree it is the beginning of */
  uint64_t *offsets;     /* nodes + 1 */
  uint32_t *targets;
} bench_tree;

geodisk_status bench_tree_make(geodisk_context *context, uint64_t nodes, int dim, bench_tree *out); /* MEMORY; free it too */
void bench_tree_free(bench_tree *tree);

/* geodisk_bare_graph.place, of a bench_tree: where a training would have put the nodes. */
void bench_tree_place(void *user, uint32_t node, double *x, double *gap);

#endif
