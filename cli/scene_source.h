/* scene_source.h - what plot and view share: which part of a graph is drawn, as what, and what its nodes are called. */
#pragma once

#include "graph_source.h"

typedef struct scene_source {
  graph_source graph;
  geodisk_scene_options scene;
  int kind; /* index into "auto|hierarchy|network" */
  int64_t max_nodes;
  const char *label_file, *label_from;
} scene_source;

/* Entries of an option table, for a scene_source variable s. */
#define SCENE_SOURCE_OPTIONS(s)                                                                                                  \
  OPT_CHOICE("as", 0, &(s).kind, "auto|hierarchy|network", "what GRAPH is (default: found out from its shape)"),                 \
      OPT_TEXT("below", 0, &(s).scene.below, "NODE", "only this node and what is below it"),                                     \
      OPT_INT("max-nodes", 0, &(s).max_nodes, "N",                                                                               \
              "only so many nodes, those with the most descendants, in a network those with the most edges", 1, 4294967294.0),   \
      OPT_FLAG("all-edges", 0, &(s).scene.all_edges, "of a closure every edge, not only those of its reduction"),                \
      OPT_FLAG("full-names", 0, &(s).scene.full_names,                                                                           \
               "names as they are; else WordNet's lose their endings (.n.01), and long common beginnings are left out"),         \
      OPT_TEXT("label-file", 0, &(s).label_file, "FILE",                                                                         \
               "what nodes are called: a name and its label in each line, separated as in an edge list"),                        \
      OPT_TEXT(                                                                                                                  \
          "label-from", 0, &(s).label_from, "COLUMN",                                                                            \
          "the column of GRAPH that says what the child of a line is called, by its name in the header or its number from 1")

/* Makes s complete; `graph` is whether there is a GRAPH. -1 to go on, else the exit code of a usage error. */
int scene_source_prepare(const command_spec *command, scene_source *s, bool graph);

/* Reads model and graph (NULL: none) and makes the scene; all of them are the caller's to destroy, also after a failure. */
geodisk_status scene_source_make(geodisk_context *context, const scene_source *s, const char *model_path, const char *graph_path,
                                 geodisk_model **model, geodisk_graph **graph, geodisk_scene **scene);

/* Says what was left out and why, and as what the graph was drawn. `what` is "the picture" or "the page". */
void scene_source_tell(geodisk_context *context, const geodisk_scene *scene, const char *what);
