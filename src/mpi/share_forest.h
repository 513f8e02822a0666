/* share_forest.h - the spanning forest of a graph in shares: the one that src/embed/placement/spanning.c finds in a plain
 * process. Internal to the mpi module; all but free is collective. */
#pragma once

#include "share.h"

#define NO_PARENT UINT32_MAX

typedef struct forest_child {
  uint32_t node;
  uint32_t leaves; /* below it, itself if it is one */
  uint32_t size;   /* nodes below it, itself included */
} forest_child;

/* Of the owned nodes. */
typedef struct share_forest {
  uint32_t *parent; /* NO_PARENT: a root */
  uint32_t *leaves; /* below it, itself if it is one */
  uint32_t *size;   /* nodes below it, itself included */
  uint64_t *starts; /* owned + 1: children[starts[i]] .. are those of owned node i, more leaves first, then by number */
  forest_child *children;
} share_forest;

geodisk_status share_forest_find(geodisk_context *context, const mpi_share *share, share_forest *out);
/* Whether the graph has no cycle. */
geodisk_status share_forest_acyclic(geodisk_context *context, const mpi_share *share, bool *acyclic);
void share_forest_free(share_forest *forest);
