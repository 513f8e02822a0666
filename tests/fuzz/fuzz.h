/* fuzz.h - what the fuzz targets share: the entry point, and a look at a graph that must be sound. */
#ifndef GEODISK_FUZZ_H
#define GEODISK_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "geodisk/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the run unless the graph is what graph.h promises. */
static inline void must_be_sound(const geodisk_graph *graph) {
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  const geodisk_graph_rows out = geodisk_graph_out(graph), in = geodisk_graph_in(graph);
  if (out.offsets[nodes] != edges || in.offsets[nodes] != edges)
    abort();
  for (uint32_t u = 0; u < nodes; u++) {
    uint32_t found;
    const char *name = geodisk_graph_name(graph, u);
    const size_t length = geodisk_graph_name_length(graph, u);
    if (strlen(name) != length || !geodisk_graph_find(graph, name, length, &found) || found != u)
      abort();
    if (geodisk_utf8_prefix(name, length) != length)
      abort();
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++)
      if (out.nodes[e] >= nodes || out.nodes[e] == u || (e > out.offsets[u] && out.nodes[e - 1] >= out.nodes[e]) ||
          (out.weights != NULL && !(out.weights[e] >= 0)))
        abort();
    for (uint64_t e = in.offsets[u]; e < in.offsets[u + 1]; e++)
      if (in.nodes[e] >= nodes || !geodisk_graph_has_edge(graph, in.nodes[e], u))
        abort();
  }
}

#endif
