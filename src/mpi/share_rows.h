/* share_rows.h - edges that were read anywhere, brought to the ranks that own their children. Internal to the mpi module. */
#pragma once

#include "name_owners.h"

/* Fills in the edges of a share, and what follows from them: in-degrees, mean weight, fingerprint, duplicates. `edges` are
 * between ids, each rank's in the order of the file; the blocks are gone afterwards. Collective. */
geodisk_status share_rows_fill(geodisk_context *context, mpi_share *share, name_owners *owners, graph_builder *edges,
                               bool weighted);
