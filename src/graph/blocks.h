/* blocks.h - biconnected components: the parts of an undirected graph that hang together at single nodes. Internal to the graph
 * module. */
#pragma once

#include "store.h"

/* Block i has the nodes members[starts[i]] .. members[starts[i + 1] - 1]; a node may be in several. */
typedef struct block_list {
  uint32_t *members;
  uint64_t *starts;
  size_t count;
} block_list;

/* The blocks of at least `least` nodes, edges taken in both directions. */
geodisk_status find_blocks(geodisk_context *context, const geodisk_graph *graph, size_t least, block_list *out);
void blocks_free(block_list *blocks);
