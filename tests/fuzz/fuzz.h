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

/* Reads a document of one format; what comes back is sound, or there is an error with a text. */
static inline int fuzz_document(const uint8_t *data, size_t size, geodisk_graph_format format) {
  geodisk_context *context = NULL;
  if (size == 0 || geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  static const geodisk_choice choices[] = {GEODISK_CHOICE_AUTO, GEODISK_CHOICE_YES, GEODISK_CHOICE_NO, GEODISK_CHOICE_AUTO};
  const unsigned bits = (unsigned)(data[0] - 'a') & 0xff;
  const geodisk_graph_read_options options = {
      .format = format, .weights = choices[bits & 3], .reverse = (bits & 4) != 0, .strict = (bits & 8) != 0};
  geodisk_graph_read_info info;
  geodisk_graph *graph = NULL;
  const geodisk_status status =
      geodisk_graph_read_memory(context, &(geodisk_memory_file){"fuzz", data + 1, size - 1}, &options, &info, &graph);
  if (status == GEODISK_OK) {
    must_be_sound(graph);
    if (info.edges_read != info.self_loops + info.duplicates + geodisk_graph_edges(graph))
      abort();
    if (options.strict && info.self_loops + info.duplicates != 0)
      abort();
  } else if (graph != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  return 0;
}

#endif
