/* fuzz_graphml.c - the reader of GraphML. The first byte, from 'a' on, chooses options; the rest is the file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return fuzz_document(data, size, GEODISK_GRAPH_GRAPHML); }
