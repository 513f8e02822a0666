/* geodisk/draw.h - models as pictures.
 *
 * A SCENE is a model, and a graph if there is one, made ready for drawing: a point of the hyperbolic plane for every node, the
 * edges worth drawing, a forest that says what is above what, and branches to colour by. The pictures and the page are drawn from
 * the same scene.
 *
 *     geodisk_scene *scene = NULL;
 *     if (geodisk_scene_create(context, model, graph, NULL, &scene) != GEODISK_OK)
 *       fprintf(stderr, "%s\n", geodisk_context_error(context));
 *     for (uint32_t i = 0; i < scene->nodes; i++)
 *       printf("%s\t%g\t%g\n", geodisk_scene_name(scene, i), scene->x[2 * i], scene->x[2 * i + 1]);
 *     geodisk_scene_destroy(scene);
 */
#ifndef GEODISK_DRAW_H
#define GEODISK_DRAW_H

#include "geodisk/vectors.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GEODISK_NO_NODE UINT32_MAX

/* ---- scenes ---------------------------------------------------------------------------------------------------------- */

enum { GEODISK_BRANCHES = 8 }; /* at most so many branches have a colour of their own */

/* What geodisk_scene.branch says of nodes that belong to none of these. */
enum {
  GEODISK_BRANCH_OTHER = 254, /* below a branch that is too small for a colour, or without any edge */
  GEODISK_BRANCH_TRUNK = 255  /* above the branches */
};

typedef struct geodisk_scene_options {
  bool all_edges;    /* every edge of the graph, not only those of its reduction */
  const char *below; /* only this node and what is below it; NULL: all */
  size_t max_nodes;  /* only so many nodes, those with the most descendants; 0: all */
} geodisk_scene_options;

/* How points of other than two dimensions came into the plane (docs/pictures.md): every node at its distance from the centre, in
 * a direction that its place in the hierarchy gives, then moved so that distances between nodes become what they are in the
 * model. The distortion of a pair is |d' / d - 1|, d' its distance in the plane, d in the model. */
typedef struct geodisk_projection {
  bool projected;                                           /* false: the points are the model's own, and nothing below is set */
  uint32_t centre;                                          /* the node (number in the scene) the picture was built around */
  uint64_t pairs;                                           /* of nodes, drawn at random, that distortions were measured on */
  double distortion_mean, distortion_median, distortion_95; /* over these pairs; 95: 95 of 100 are below */
  double edge_distortion_mean;                              /* over all edges of the scene; NaN if there are none */
} geodisk_projection;

/* Nodes of a scene are numbered 0 .. nodes-1, in the order of the model. All arrays belong to the scene.
 *
 * The points are those of the unit disk with curvature -1, as (x, gap): gap = 1 - |x|^2 to full precision (ball.h), however near
 * to the rim. A model with another radius is divided by it, so its distances are sqrt(k) times the model's.
 *
 * The edges are those of the graph's transitive reduction (or all of them). Every node with parents has a main one: among its
 * parents in the reduction the nearest in the model. The main parents make a forest. In a graph with cycles, where nothing is
 * above anything, the forest is that of a breadth-first search from the node nearest to the model's origin, and an edge that is
 * there in both directions is kept once.
 *
 * A branch is a node with all that is below it in the forest. The branches start as the children of the forest's roots; one that
 * holds a large part of all nodes is replaced by its children as long as these are worth a colour each. The largest come first.
 */
typedef struct geodisk_scene {
  const geodisk_model *model; /* the caller's */
  size_t nodes;
  const uint32_t *node; /* nodes: the number in the model */
  const double *x;      /* nodes x 2, |x| < 1 (1 where it rounds to that) */
  const double *gap;    /* nodes */

  bool has_graph;
  bool acyclic;                /* the graph has no cycles: edges lead upwards */
  size_t unknown;              /* nodes of the graph that the model does not have: left out */
  size_t edges;                /* */
  const uint32_t *edge_child;  /* edges: numbers in the scene; sorted by child, then parent */
  const uint32_t *edge_parent; /* edges */

  const uint32_t *parent;      /* nodes: the main parent, GEODISK_NO_NODE for a root */
  const uint32_t *order;       /* nodes: the forest depth first, so that what is below a node follows it; larger subtrees first */
  const uint32_t *depth;       /* nodes: edges of the forest up to its root */
  const uint32_t *children;    /* nodes: edges of the reduction that lead to it */
  const uint32_t *descendants; /* nodes: different nodes below it */
  bool descendants_exact;      /* false: counting would have taken too long, and they are those in the forest */

  size_t branches;                        /* that have a colour */
  uint32_t branch_node[GEODISK_BRANCHES]; /* the top of each */
  size_t branch_size[GEODISK_BRANCHES];   /* nodes in it, the top included */
  const uint8_t *branch;                  /* nodes: 0 .. branches-1, GEODISK_BRANCH_OTHER or GEODISK_BRANCH_TRUNK */

  geodisk_projection projection;
} geodisk_scene;

/* Makes a scene; the model must outlive it, the graph need not. `graph` NULL: nodes only, every one a root. Nodes are matched by
 * their names; nodes of the model that the graph does not have are there without edges. The same input gives the same scene, with
 * any number of threads. Errors: ARGUMENT (no node called `below`, with near names; `below` without a graph; no node in common),
 * MEMORY, STOPPED. Time: the reduction, and for models of other than two dimensions some hundred distances per node. */
GEODISK_API geodisk_status geodisk_scene_create(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                                const geodisk_scene_options *options /* or NULL */, geodisk_scene **out);
GEODISK_API void geodisk_scene_destroy(geodisk_scene *scene);

/* The name of a node of the scene; NULL for a number that is none. */
GEODISK_API const char *geodisk_scene_name(const geodisk_scene *scene, uint32_t index);

/* Finds a node of the scene by its name; false, and *index untouched, if there is none. */
GEODISK_API bool geodisk_scene_find(const geodisk_scene *scene, const char *name, uint32_t *index);

/* The colour 0xRRGGBB of a branch number (GEODISK_BRANCH_OTHER and _TRUNK included) on a light or a dark ground. The palettes are
 * Paul Tol's "muted" and "light", which people with any kind of colour vision can tell apart. */
GEODISK_API uint32_t geodisk_branch_colour(unsigned branch, bool dark);

#ifdef __cplusplus
}
#endif
#endif
