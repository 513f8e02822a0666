/* graph_testing.h - what the tests of graphs share: reading from a string, comparing by names, random names. */
#ifndef GEODISK_GRAPH_TESTING_H
#define GEODISK_GRAPH_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/graph.h"

static inline geodisk_status read_text(geodisk_context *context, const char *text, const geodisk_graph_read_options *options,
                                       geodisk_graph_read_info *info, geodisk_graph **out) {
  return geodisk_graph_read_memory(context, &(geodisk_memory_file){"text", text, strlen(text)}, options, info, out);
}

/* The graph of a text that must be fine. */
static inline geodisk_graph *graph_of(const char *text) {
  geodisk_context *context = NULL;
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  if (read_text(context, text, NULL, NULL, &graph) != GEODISK_OK)
    fail_msg("'%s': %s", text, geodisk_context_error(context));
  geodisk_context_destroy(context);
  return graph;
}

static inline uint32_t node_of(const geodisk_graph *graph, const char *name) {
  uint32_t node = UINT32_MAX;
  if (!geodisk_graph_find(graph, name, strlen(name), &node))
    fail_msg("no node '%s'", name);
  return node;
}

static inline bool edge_between(const geodisk_graph *graph, const char *child, const char *parent) {
  return geodisk_graph_has_edge(graph, node_of(graph, child), node_of(graph, parent));
}

static inline double weight_between(const geodisk_graph *graph, const char *child, const char *parent) {
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  const uint32_t u = node_of(graph, child), v = node_of(graph, parent);
  for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
    if (rows.nodes[e] == v)
      return rows.weights[e];
  fail_msg("no edge '%s' -> '%s'", child, parent);
  return 0;
}

/* The rows of a graph must be what the header promises: sorted, simple, and the same edges in both directions. */
static inline void assert_consistent(const geodisk_graph *graph) {
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
  assert_int_equal(out.offsets[0], 0);
  assert_int_equal(in.offsets[0], 0);
  assert_int_equal(out.offsets[nodes], edges);
  assert_int_equal(in.offsets[nodes], edges);
  for (size_t u = 0; u < nodes; u++) {
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++) {
      assert_true(out.nodes[e] < nodes);
      assert_int_not_equal(out.nodes[e], u);
      assert_true(e == out.offsets[u] || out.nodes[e - 1] < out.nodes[e]);
    }
    for (uint64_t e = in.offsets[u]; e < in.offsets[u + 1]; e++) {
      assert_true(in.nodes[e] < nodes);
      assert_true(e == in.offsets[u] || in.nodes[e - 1] < in.nodes[e]);
      assert_true(geodisk_graph_has_edge(graph, in.nodes[e], (uint32_t)u));
    }
    uint32_t found = UINT32_MAX;
    assert_true(
        geodisk_graph_find(graph, geodisk_graph_name(graph, (uint32_t)u), geodisk_graph_name_length(graph, (uint32_t)u), &found));
    assert_int_equal(found, u);
  }
}

/* The same names, edges by name, and weights; ids may differ. */
static inline void assert_same_graph(const geodisk_graph *a, const geodisk_graph *b) {
  assert_int_equal(geodisk_graph_nodes(a), geodisk_graph_nodes(b));
  assert_int_equal(geodisk_graph_edges(a), geodisk_graph_edges(b));
  assert_int_equal(geodisk_graph_weighted(a), geodisk_graph_weighted(b));
  const geodisk_graph_rows rows = geodisk_graph_out(a), other = geodisk_graph_out(b);
  const size_t nodes = geodisk_graph_nodes(a);
  uint32_t *id = test_malloc((nodes + 1) * sizeof *id);
  for (uint32_t u = 0; u < nodes; u++)
    if (!geodisk_graph_find(b, geodisk_graph_name(a, u), geodisk_graph_name_length(a, u), &id[u]))
      fail_msg("node '%s' is missing", geodisk_graph_name(a, u));
  for (uint32_t u = 0; u < nodes; u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++) {
      uint64_t at = other.offsets[id[u]];
      while (at < other.offsets[id[u] + 1] && other.nodes[at] != id[rows.nodes[e]])
        at++;
      if (at == other.offsets[id[u] + 1])
        fail_msg("edge '%s' -> '%s' is missing", geodisk_graph_name(a, u), geodisk_graph_name(a, rows.nodes[e]));
      if (rows.weights != NULL)
        assert_true(rows.weights[e] == other.weights[at]);
    }
  test_free(id);
}

#endif
