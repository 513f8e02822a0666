/* graph_writer.h - what the writers of graphs share: where the bytes go. Internal to the graph module. */
#pragma once

#include "gzip.h"
#include "store.h"

typedef struct graph_writer {
  geodisk_context *context;
  const char *label;
  geodisk_file *file;
  gzip_writer *gzip; /* NULL: plain */
  const geodisk_graph *graph;
  geodisk_graph_write_options options;
  bool any_line;         /* written so far */
  geodisk_status status; /* of a document: the first failure */
} graph_writer;

geodisk_status writer_put(graph_writer *writer, const char *bytes, size_t size);

/* The graph as GraphML, GEXF or JSON, whole. */
geodisk_status write_document(graph_writer *writer);
