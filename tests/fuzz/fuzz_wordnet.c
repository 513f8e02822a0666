/* fuzz_wordnet.c - the reader of WordNet's database. The index and the data file, with a form feed between them. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *middle = size > 0 ? memchr(data, '\f', size) : NULL;
  geodisk_context *context = NULL;
  if (middle == NULL || geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  const size_t index_size = (size_t)(middle - data);
  const geodisk_wordnet_files files = {middle + 1, size - index_size - 1, data, index_size};
  const geodisk_wordnet_options options = {.pos = size % 2 ? 'n' : 'v', .direct = size % 3 == 0};
  geodisk_wordnet_info info;
  geodisk_graph *graph = NULL;
  const geodisk_status status = geodisk_graph_read_wordnet_memory(context, &files, &options, &info, &graph);
  if (status == GEODISK_OK) {
    must_be_sound(graph);
    if (info.synsets != geodisk_graph_nodes(graph))
      abort();
  } else if (graph != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  return 0;
}
