/* graph_names.h - the names of a graph, for a model that shares them. Seen by src/graph and src/vectors. */
#pragma once

#include "base/names.h"
#include "geodisk/graph.h"

/* Still the graph's: names_share makes one more user. */
name_index *graph_names(const geodisk_graph *graph);
