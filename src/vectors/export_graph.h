/* export_graph.h - a model with the edges of a graph in the formats of graphs. Internal to the vectors module. */
#pragma once

#include "model.h"

static inline bool is_graph_format(geodisk_format format) {
  return format == GEODISK_FORMAT_GRAPHML || format == GEODISK_FORMAT_GEXF || format == GEODISK_FORMAT_JSON;
}

/* Writes nodes with their coordinates, and the edges of options->graph between them. Errors: those of geodisk_graph_write. */
geodisk_status export_graph(geodisk_context *context, const geodisk_model *model, const char *path, geodisk_format format,
                            const geodisk_export_options *options);
