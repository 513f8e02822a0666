/* hierarchy.h - what of a graph is drawn, and what is above what; all by numbers of the model. Internal to the draw module. */
#pragma once

#include "base/csr.h"
#include "geodisk/draw.h"

typedef struct hierarchy {
  size_t nodes;    /* of the model */
  bool *in;        /* nodes: belongs to the picture */
  bool network;    /* nothing is above anything */
  const char *why; /* or NULL */
  size_t unknown;  /* nodes of the graph that the model lacks */
  size_t implied;  /* edges that are not drawn */

  size_t edges;                       /* between nodes of the picture: those of the reduction */
  uint32_t *edge_child, *edge_parent; /* edges, sorted by (child, parent) */
  size_t drawn;                       /* edges to draw: the same arrays, or all edges of the graph */
  uint32_t *drawn_child, *drawn_parent;

  uint32_t *community;   /* nodes, in a network only; GEODISK_NODE_NONE: the graph lacks it */
  uint32_t *parent;      /* nodes: the main one */
  uint32_t *size;        /* nodes: in its tree of the forest, itself included */
  uint32_t *order;       /* the nodes of the picture depth first, larger trees first; `shown` of them */
  size_t shown;          /* how many */
  uint32_t *depth;       /* nodes */
  uint32_t *children;    /* nodes */
  uint32_t *descendants; /* nodes */
  bool descendants_exact;
} hierarchy;

/* Fills *h, which hierarchy_free gives back whatever the status. */
geodisk_status hierarchy_make(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                              const geodisk_scene_options *options, hierarchy *h);
void hierarchy_free(hierarchy *h);

/* The steps of hierarchy_make that concern the forest (forest.c): main parents; order, depth and sizes; children and descendants.
 */
geodisk_status forest_parents(geodisk_context *context, const geodisk_model *model, hierarchy *h);
geodisk_status forest_order(geodisk_context *context, hierarchy *h);
geodisk_status forest_count(geodisk_context *context, hierarchy *h);

/* Leaves `most` nodes in the picture, those with the most descendants; their ancestors in the forest are among them. */
geodisk_status hierarchy_limit(geodisk_context *context, hierarchy *h, size_t most);

/* The same for a network, before it has a forest: those with the most edges (network.c). */
geodisk_status network_limit(geodisk_context *context, hierarchy *h, size_t most);

/* Communities of the graph's nodes, by the numbers of the model (network.c). */
geodisk_status network_communities(geodisk_context *context, const geodisk_graph *graph, const uint32_t *number, hierarchy *h);

/* Leaves out edges with an end that is not in the picture. */
void hierarchy_drop_edges(hierarchy *h);

/* The error that no node of the model is called `name`, with the names that may have been meant. */
geodisk_status draw_unknown_node(geodisk_context *context, const geodisk_model *model, const char *name);

/* The error that no node of the scene is called so: unknown to the model, or left out. */
geodisk_status draw_missing_node(geodisk_context *context, const geodisk_scene *scene, const char *name);
