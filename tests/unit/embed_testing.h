/* embed_testing.h - what the tests of the trainer share: small graphs of known shapes, contexts and trainers that must be fine.
 */
#ifndef GEODISK_EMBED_TESTING_H
#define GEODISK_EMBED_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "embed/trainer.h"

typedef enum shape { TREE, STAR, CHAIN, CLIQUE, OUT_STAR } shape;

/* TREE: complete binary, closed. STAR: all point to node 0. OUT_STAR: node 0 points to all. CLIQUE: every pair, both ways. */
static inline geodisk_graph *make_graph(shape kind, uint32_t n, bool weighted) {
  size_t room = (size_t)n * n + n, edges = 0;
  uint32_t *child = malloc(room * 4), *parent = malloc(room * 4);
  double *weights = malloc(room * 8);
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t v = 0; v < n; v++) {
      bool edge = false;
      if (kind == TREE)
        for (uint32_t a = u; a > 0 && !edge;)
          edge = (a = (a - 1) / 2) == v;
      if (kind == STAR)
        edge = v == 0;
      if (kind == OUT_STAR)
        edge = u == 0;
      if (kind == CHAIN)
        edge = v + 1 == u;
      if (kind == CLIQUE)
        edge = true;
      if (!edge || u == v)
        continue;
      child[edges] = u;
      parent[edges] = v;
      weights[edges] = 0.5 + (double)(edges % 3);
      edges++;
    }
  const geodisk_graph_arrays arrays = {
      .nodes = n, .edges = edges, .children = child, .parents = parent, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  free(child);
  free(parent);
  free(weights);
  return graph;
}

static inline geodisk_trainer *make_trainer(geodisk_context *context, const geodisk_graph *graph,
                                            const geodisk_train_options *options) {
  geodisk_trainer *t = NULL;
  if (geodisk_trainer_create(context, graph, options, &t) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return t;
}

static inline geodisk_context *make_context(int threads) {
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
  return context;
}

#endif
