/* fuzz_obo.c - the reader of OBO files. The first byte, from 'a' on, chooses options; the rest is the file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  geodisk_context *context = NULL;
  if (size == 0 || geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  const unsigned bits = (unsigned)(data[0] - 'a') & 0xff;
  const geodisk_obo_options options = {.part_of = (bits & 1) != 0, .names = (bits & 2) != 0, .reverse = (bits & 4) != 0};
  geodisk_obo_info info;
  geodisk_graph *graph = NULL;
  const geodisk_status status =
      geodisk_graph_read_obo_memory(context, &(geodisk_memory_file){"fuzz", data + 1, size - 1}, &options, &info, &graph);
  if (status == GEODISK_OK) {
    must_be_sound(graph);
    if (info.terms != geodisk_graph_nodes(graph) ||
        info.is_a + info.part_of != info.self_loops + info.duplicates + geodisk_graph_edges(graph))
      abort();
  } else if (graph != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  return 0;
}
