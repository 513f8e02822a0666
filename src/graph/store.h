/* store.h - how a graph lies in memory: interned names and compressed rows both ways. Internal to the graph module. */
#pragma once

#include "base/csr.h"
#include "builder.h"

/* ---- the graph -------------------------------------------------------------------------------------------------------- */

struct geodisk_graph {
  size_t nodes;
  uint64_t edges;
  csr out, in;
  name_index *names;
};

/* A graph from out-rows in any order within the row, self-loops and duplicates allowed. Takes over names and *out, which is
 * empty afterwards, whatever the result. */
geodisk_status graph_from_rows(geodisk_context *context, name_index *names, csr *out, geodisk_graph_dropped *dropped,
                               geodisk_graph **graph);

/* A graph with the same nodes as `of` and out-rows `out`, which are taken over. */
geodisk_status graph_with_rows(geodisk_context *context, const geodisk_graph *of, csr *out, geodisk_graph **graph);
