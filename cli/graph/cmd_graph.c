/* cmd_graph.c - `geodisk graph`: its sub-commands. */
#include "graph_source.h"

static const command_entry table[] = {
    {"import-wordnet", "the hypernyms of WordNet, from its database files", cmd_graph_import_wordnet},
    {"import-obo", "an ontology in OBO format, such as the Gene Ontology", cmd_graph_import_obo},
    {"info", "figures of a graph: nodes, edges, roots, depth, components", cmd_graph_info},
    {"check", "what is wrong with a graph, and what to do about it", cmd_graph_check},
    {"convert", "a graph in another format: edge list, GraphML, GEXF, JSON", cmd_graph_convert},
    {"closure", "transitive closure: an edge to every ancestor", cmd_graph_closure},
    {"reduce", "transitive reduction: the direct links only", cmd_graph_reduce},
    {"undirected", "every edge in both directions", cmd_graph_undirected},
    {"subgraph", "a node and everything below it", cmd_graph_subgraph},
    {"split", "training, validation and test edges for link prediction", cmd_graph_split},
    {"generate", "trees, grids and random graphs", cmd_graph_generate},
    {"distances", "graph distances between nodes", cmd_graph_distances},
    {NULL, NULL, NULL},
};

int cmd_graph(int argc, char **argv) {
  return args_dispatch("graph", "read, check and prepare graphs; an edge goes from child to parent, the child comes first", table,
                       argc, argv);
}
