/* share_facts.h - what embed_resolve needs to know about a graph in shares. Internal to the mpi module; collective. */
#pragma once

#include "embed/backend.h"
#include "share.h"

/* As embed_graph_facts finds them in a plain process. */
geodisk_status mpi_share_facts(geodisk_context *context, const mpi_share *share, graph_facts *out);
