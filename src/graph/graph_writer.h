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
  geodisk_status status; /* the first failure, after which nothing is put */
} graph_writer;

void writer_put(graph_writer *writer, const void *bytes, size_t size);

/* The graph as GraphML, GEXF or JSON, whole. */
void write_document(graph_writer *writer);
