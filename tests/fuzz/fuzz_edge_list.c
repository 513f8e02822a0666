/* fuzz_edge_list.c - the reader of edge lists. The first byte, from 'a' on, chooses options; the rest is the file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char separators[] = {0, '\t', ',', ' '};
  geodisk_context *context = NULL;
  if (size == 0 || geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  const unsigned bits = (unsigned)(data[0] - 'a') & 0xff;
  const geodisk_graph_read_options options = {.separator = separators[bits & 3],
                                              .reverse = (bits & 4) != 0,
                                              .strict = (bits & 8) != 0,
                                              .no_quotes = (bits & 16) != 0,
                                              .no_comments = (bits & 32) != 0,
                                              .weights = (bits & 64) != 0 ? GEODISK_CHOICE_NO : GEODISK_CHOICE_AUTO,
                                              .columns = (bits & 128) != 0 ? "2,1" : NULL,
                                              .format = GEODISK_GRAPH_EDGES};
  geodisk_graph_read_info info;
  geodisk_graph *graph = NULL;
  const geodisk_status status =
      geodisk_graph_read_memory(context, &(geodisk_memory_file){"fuzz", data + 1, size - 1}, &options, &info, &graph);
  if (status == GEODISK_OK) {
    must_be_sound(graph);
    if (info.edges_read != info.self_loops + info.duplicates + geodisk_graph_edges(graph))
      abort();
    if (options.strict && info.self_loops + info.duplicates + info.blank_fields + info.lone_nodes + info.extra_fields != 0)
      abort();
  } else if (graph != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  return 0;
}
