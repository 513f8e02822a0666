/* geodisk/draw.h - models as pictures.
 *
 * A SCENE is a model, and a graph if there is one, made ready for drawing: a point of the hyperbolic plane for every node, the
 * edges worth drawing, a forest that says what is above what, branches or communities to colour by, and what every node is called
 * on paper. The pictures and the page are drawn from the same scene.
 *
 * For example:
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

#define GEODISK_NODE_NONE UINT32_MAX

/* ---- scenes ------------------------------------------------------------------------------------------------------ */

enum { GEODISK_SCENE_BRANCHES = 8 }; /* at most so many branches have a colour of their own */

/* What geodisk_scene.branch says of nodes that belong to none of these. */
enum {
  GEODISK_BRANCH_OTHER = 254, /* below a branch that is too small for a colour, or without any edge */
  GEODISK_BRANCH_TRUNK = 255  /* above the branches */
};

typedef struct geodisk_scene_options {
  geodisk_graph_kind kind; /* whether the graph is drawn as a hierarchy or as a network; AUTO: as geodisk_graph_tell_kind says */
  bool all_edges;          /* of a closure every edge, not only those of its reduction */
  const char *below;       /* only this node and what is below it; NULL: all */
  size_t max_nodes; /* only so many nodes, those with the most descendants, in a network those with the most edges; 0: all */
  double scale;     /* distances from the middle are drawn this many times as long; 0: a factor that suits (below) */
  bool full_names;  /* nodes are called by their names as they are; else see geodisk_scene_label */
  size_t renamed;   /* nodes that are called otherwise */
  const char *const *renamed_names; /* renamed: their names; those that are in no scene are passed over */
  const char *const *renamed_texts; /* renamed: what they are called, UTF-8 */
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
 * to the rim. A model with another radius is divided by it, so that its distances are multiplied by sqrt(k).
 *
 * Trained models are deeper than any picture: at a distance of 8 from the origin a node is less than a thousandth of the radius
 * from the rim, and most nodes of WordNet's mammals are at 16. So every point is drawn in its direction at `scale` times its
 * distance from the middle, which is the origin, in a network the barycenter of the nodes. With scale 1 the plane is the model's
 * own; else distances and neighbours are to be asked of the model, not of the plane. The scale that is chosen puts three quarters
 * of the nodes within 0.95 of the radius of the disk, in a network nine of ten within 0.9; points that would all crowd in the
 * middle are drawn farther apart.
 *
 * HIERARCHIES. Of a closure the edges are those of the transitive reduction (or all of them); else all. Every node with parents
 * has a main one: among its parents in the reduction the nearest in the model. The main parents make a forest. A branch is a node
 * with all that is below it in the forest. The branches start as the children of the forest's roots; one that holds a large part
 * of all nodes is replaced by its children as long as these are worth a colour each. The largest come first.
 *
 * NETWORKS. All edges are there, one that is there in both directions once. Nothing is above anything: the forest is that of a
 * breadth-first search from the node nearest to the model's origin, and edges lead up to the end that is nearer to its root. The
 * branches are communities (geodisk_graph_communities, at most GEODISK_SCENE_BRANCHES that have edges to others), each under its
 * node with the most edges. The points are moved by an isometry so that their barycenter is the origin of the plane.
 */
typedef struct geodisk_scene {
  const geodisk_model *model; /* the caller's */
  size_t nodes;
  const uint32_t *node; /* nodes: the number in the model */
  const double *x;      /* nodes x 2, |x| < 1 (1 where it rounds to that) */
  const double *gap;    /* nodes */
  double scale;         /* as used */

  double origin[2], origin_gap; /* where the model's origin lies: the origin, in a network elsewhere */

  bool has_graph;
  bool network;                /* the graph is no hierarchy: nothing is above anything */
  const char *why;             /* it is one, or the other, as in geodisk_kind_info; NULL: it was said so, or there is no graph */
  size_t unknown;              /* nodes of the graph that the model does not have: left out */
  size_t implied;              /* edges of a closure that are left out because a chain of others replaces them */
  size_t edges;                /* drawn */
  const uint32_t *edge_child;  /* edges: numbers in the scene; sorted by child, then parent */
  const uint32_t *edge_parent; /* edges */

  const uint32_t *degree;      /* nodes: edges that begin or end there */
  const uint32_t *parent;      /* nodes: the main parent, GEODISK_NODE_NONE for a root */
  const uint32_t *order;       /* nodes: the forest depth first, so that what is below a node follows it; larger subtrees first */
  const uint32_t *depth;       /* nodes: edges of the forest up to its root */
  const uint32_t *children;    /* nodes: edges of the reduction that lead to it */
  const uint32_t *descendants; /* nodes: different nodes below it */
  bool descendants_exact;      /* false: counting would have taken too long, and they are those in the forest */

  size_t branches;                              /* that have a colour */
  uint32_t branch_node[GEODISK_SCENE_BRANCHES]; /* the top of each; of a community the node with the most edges */
  size_t branch_size[GEODISK_SCENE_BRANCHES];   /* nodes in it, the top included */
  const uint8_t *branch;                        /* nodes: 0 .. branches-1, GEODISK_BRANCH_OTHER or GEODISK_BRANCH_TRUNK */

  const char *prefix;           /* what many names begin with and labels leave out, "/usr/lib/"; "" if there is nothing */
  bool full_names;              /* as in the options: nothing is left out of names, and long ones are not cut */
  const char *label_bytes;      /* geodisk_scene_label */
  const uint64_t *label_starts; /* nodes */

  geodisk_projection projection;
} geodisk_scene;

/* Makes a scene; the model must outlive it, the graph need not. `graph` NULL: nodes only, every one a root. Nodes are matched by
 * their names; nodes of the model that the graph does not have are there without edges. The same input gives the same scene, with
 * any number of threads. Errors: ARGUMENT (no node called `below`, with near names; `below` without a graph or in a network; a
 * graph with cycles as a hierarchy; no node in common; a scale out of range; a label that is not UTF-8), MEMORY, STOPPED. Time:
 * the reduction, and for models of other than two dimensions some hundred distances per node. */
GEODISK_API geodisk_status geodisk_scene_create(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                                const geodisk_scene_options *options /* or NULL */, geodisk_scene **out);
GEODISK_API void geodisk_scene_destroy(geodisk_scene *scene);

/* The name of a node of the scene; NULL for a number that is none. */
GEODISK_API const char *geodisk_scene_name(const geodisk_scene *scene, uint32_t index);

/* What a node of the scene is called on paper and on the page: the text that was given for it, or its name; of WordNet's names
 * ("domestic_dog.n.01") without the ending and with blanks for "_". Where at least six of ten names, and five, have a beginning
 * of ten letters or more in common that ends in one of / \\ : . #, an ellipsis stands for it. Control characters are blanks,
 * Unicode's noncharacters U+FFFD. NULL for a number that is none. */
GEODISK_API const char *geodisk_scene_label(const geodisk_scene *scene, uint32_t index);

/* Finds a node of the scene by its name; false, and *index untouched, if there is none. */
GEODISK_API bool geodisk_scene_find(const geodisk_scene *scene, const char *name, uint32_t *index);

/* The colour 0xRRGGBB of a branch number (GEODISK_BRANCH_OTHER and _TRUNK included) on a light or a dark ground. The palettes are
 * Paul Tol's "muted" and "light", which people with any kind of colour vision can tell apart. */
GEODISK_API uint32_t geodisk_branch_colour(unsigned branch, bool dark);

/* ---- pictures ---------------------------------------------------------------------------------------------------- */

typedef enum geodisk_picture_format {
  GEODISK_PICTURE_AUTO = 0, /* by the end of the path */
  GEODISK_PICTURE_PNG = 1,
  GEODISK_PICTURE_SVG = 2,
  GEODISK_PICTURE_PDF = 3
} geodisk_picture_format;

/* What is moved to the centre of the disk, by an isometry of the plane that is drawn. */
typedef enum geodisk_picture_centre {
  GEODISK_CENTRE_AUTO = 0,       /* the origin, in a network the barycenter */
  GEODISK_CENTRE_ORIGIN = 1,     /* the model's origin; of a projected model the node it was built around */
  GEODISK_CENTRE_ROOT = 2,       /* the root of the largest tree; without a graph the node nearest to the origin */
  GEODISK_CENTRE_BARYCENTER = 3, /* of all nodes of the scene */
  GEODISK_CENTRE_NODE = 4        /* centre_node */
} geodisk_picture_centre;

/* How to draw; all zero (or NULL) is the default. */
typedef struct geodisk_picture_options {
  geodisk_picture_format format;
  int size; /* height, 200 to 20000 pixels (PNG) or points; 0: 1000. The width is the same and what names and legend need
               beside the disk */
  geodisk_picture_centre centre; /* what stands in the middle of the disk */
  const char *centre_node;       /* the name of a node of the scene, for GEODISK_CENTRE_NODE */
  const char *const *highlight;  /* names of nodes to stress, with the way up from them and what is below, in a network with
                                    their neighbours; the rest is dimmed */
  size_t highlights;             /* how many names */
  size_t labels;                 /* at most so many, as far as they find place; 0: a number that suits, in a small graph all */
  bool no_labels;                /* but for highlighted nodes */
  bool no_legend;                /* nor a caption; a network has no legend */
  bool grid;                     /* circles of equal distance from the centre, and diameters */
  bool dark;                     /* light on a dark ground */
} geodisk_picture_options;

typedef struct geodisk_picture_info {
  int width, height;    /* as drawn, in pixels or points */
  size_t labels;        /* written */
  size_t labels_wanted; /* tried: more than fit is no error */
  size_t unwritable;    /* PNG, PDF: labels with letters that no font of this machine has; a log event says which to install */
} geodisk_picture_info;

/* Draws the scene into a file, as a whole or not at all; "-" is standard output (the format must be given). Edges are arcs of
 * geodesics: circles that meet the rim at right angles, or diameters. Up to 100 nodes are a small graph: larger type, thicker
 * lines, all names, those of nodes near the rim outside of it with a line to their node. Names of more than 32 letters are cut in
 * the middle. The same input gives the same bytes (PNG and PDF: with the same fonts and cairo). Errors: ARGUMENT (an unknown
 * name, with near ones; a size out of range; a path that does not tell the format), IO, MEMORY, UNSUPPORTED (PNG and PDF in a
 * library without cairo). */
GEODISK_API geodisk_status geodisk_picture_write(geodisk_context *context, const geodisk_scene *scene, const char *path,
                                                 const geodisk_picture_options *options /* or NULL */,
                                                 geodisk_picture_info *info /* or NULL */);

/* ---- the page ---------------------------------------------------------------------------------------------------------- */

/* What is in the page; all zero (or NULL) is the default. */
typedef struct geodisk_page_options {
  const char *title; /* UTF-8; NULL: "geodisk" */
  bool no_vectors;   /* leave the vectors of a projected model out: distances in lists are then those of the picture */
} geodisk_page_options;

typedef struct geodisk_page_info {
  size_t bytes;  /* of the page */
  bool vectors;  /* the model's own vectors are in it */
  uint32_t root; /* the node in the middle when it opens: the root with the most descendants; GEODISK_NODE_NONE: the origin,
                    which is the barycenter of a network */
} geodisk_page_info;

/* Writes the scene, which must have scale 1 (the page itself draws deep models shorter, or not), as one HTML file that needs
 * nothing else: it opens in any browser with WebGL2, from the disk, without a network. Points are there in double precision with
 * their gaps; the vectors of a projected model go along as 48-bit numbers if they take no more than 9 MB of text. The training
 * history of the model (metadata "history") goes along. Names are data: whatever is in them shows as text. The same input gives
 * the same bytes. The file is there as a whole or not at all; "-" is standard output. Errors: ARGUMENT (another scale, a title
 * that is not UTF-8), MEMORY, IO. Size: 72 kB, 45 bytes and the name per node, 11 bytes per edge. */
GEODISK_API geodisk_status geodisk_scene_write_page(geodisk_context *context, const geodisk_scene *scene, const char *path,
                                                    const geodisk_page_options *options, geodisk_page_info *info /* or NULL */);

#ifdef __cplusplus
}
#endif
#endif
