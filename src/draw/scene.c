/* scene.c - a model and a graph made ready for drawing: the nodes of the picture, renumbered, with all that is known of them. */
#include "scene.h"
#include "base/sorting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csr.h"

/* With the scale that is chosen, so large a share of the nodes is drawn nearer to the middle than this distance: 0.95 of the
 * radius of the rim, in a network 0.9. */
#define FITTING               3.7
#define FITTING_SHARE         0.75
#define FITTING_NETWORK       2.95
#define FITTING_NETWORK_SHARE 0.9
/* Where the farthest nodes are within 0.46 of the radius, they are drawn as far out as 0.82. */
#define CROWDED 1.0
#define SPREAD  2.3
#define DEEPEST 700.0 /* radius: the gap is still a normal number */

geodisk_status draw_unknown_node(geodisk_context *context, const geodisk_model *model, const char *name) {
  enum { SUGGESTIONS = 3 };
  uint32_t near[SUGGESTIONS];
  size_t n = 0;
  char text[400] = "";
  if (geodisk_model_suggest(context, model, name, SUGGESTIONS, near, &n) != GEODISK_OK)
    n = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t used = strlen(text);
    const char *before = i == 0 ? "; did you mean " : i + 1 == n ? " or " : ", ";
    snprintf(text + used, sizeof text - used, "%s'%.100s'", before, geodisk_model_name(model, near[i]));
  }
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "no node '%.200s'%s%s", name, text, n > 0 ? "?" : "");
}

geodisk_status draw_missing_node(geodisk_context *context, const geodisk_scene *scene, const char *name) {
  uint32_t node;
  if (geodisk_model_find(scene->model, name, strlen(name), &node))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "'%.200s' is not in the picture: only a part of the nodes is", name);
  return draw_unknown_node(context, scene->model, name);
}

static bool allocate(scene_arrays *s, size_t nodes, size_t edges) {
  s->nodes = nodes;
  s->node = geodisk_allocate(nodes, sizeof *s->node);
  s->x = geodisk_allocate(nodes, 2 * sizeof *s->x);
  s->gap = geodisk_allocate(nodes, sizeof *s->gap);
  s->edge_child = geodisk_allocate(edges, sizeof *s->edge_child);
  s->edge_parent = geodisk_allocate(edges, sizeof *s->edge_parent);
  s->degree = geodisk_allocate_zero(nodes, sizeof *s->degree);
  s->parent = geodisk_allocate(nodes, sizeof *s->parent);
  s->order = geodisk_allocate(nodes, sizeof *s->order);
  s->depth = geodisk_allocate(nodes, sizeof *s->depth);
  s->children = geodisk_allocate(nodes, sizeof *s->children);
  s->descendants = geodisk_allocate(nodes, sizeof *s->descendants);
  s->branch = geodisk_allocate_zero(nodes, sizeof *s->branch);
  return s->node != NULL && s->x != NULL && s->gap != NULL && s->edge_child != NULL && s->edge_parent != NULL &&
         s->degree != NULL && s->parent != NULL && s->order != NULL && s->depth != NULL && s->children != NULL &&
         s->descendants != NULL && s->branch != NULL;
}

/* The scene takes the arrays over, so that destroying it frees them. */
static void hand_over(geodisk_scene *scene, const scene_arrays *s) {
  scene->nodes = s->nodes;
  scene->node = s->node;
  scene->x = s->x;
  scene->gap = s->gap;
  scene->edge_child = s->edge_child;
  scene->edge_parent = s->edge_parent;
  scene->degree = s->degree;
  scene->parent = s->parent;
  scene->order = s->order;
  scene->depth = s->depth;
  scene->children = s->children;
  scene->descendants = s->descendants;
  scene->branch = s->branch;
}

/* From numbers of the model to numbers of the scene. */
static geodisk_status renumber(geodisk_context *context, const hierarchy *h, scene_arrays *s, geodisk_scene *scene) {
  uint32_t *number = geodisk_allocate(h->nodes, sizeof *number), n = 0;
  if (number == NULL)
    return geodisk_no_memory(context, "for the scene");
  for (uint32_t u = 0; u < h->nodes; u++) {
    number[u] = h->in[u] ? n : GEODISK_NODE_NONE;
    if (!h->in[u])
      continue;
    s->node[n] = u;
    s->depth[n] = h->depth[u];
    s->children[n] = h->children[u];
    s->descendants[n++] = h->descendants[u];
  }
  for (size_t i = 0; i < s->nodes; i++) {
    const uint32_t parent = h->parent[s->node[i]];
    s->parent[i] = parent == GEODISK_NODE_NONE ? GEODISK_NODE_NONE : number[parent];
    s->order[i] = number[h->order[i]];
  }
  const bool all = h->drawn_child != NULL;
  const uint32_t *child = all ? h->drawn_child : h->edge_child, *parent = all ? h->drawn_parent : h->edge_parent;
  scene->edges = all ? h->drawn : h->edges;
  for (size_t e = 0; e < scene->edges; e++) {
    s->edge_child[e] = number[child[e]];
    s->edge_parent[e] = number[parent[e]];
    s->degree[s->edge_child[e]]++;
    s->degree[s->edge_parent[e]]++;
  }
  free(number);
  return GEODISK_OK;
}

/* A point of one or two dimensions with its radius taken as 1. */
static void own_points(scene_arrays *s, const geodisk_model *model) {
  const geodisk_ball ball = geodisk_model_ball(model);
  for (size_t i = 0; i < s->nodes; i++) {
    double x[2] = {0, 0}, gap;
    geodisk_model_point(model, s->node[i], x, &gap);
    s->x[2 * i] = x[0] / ball.radius;
    s->x[2 * i + 1] = x[1] / ball.radius;
    s->gap[i] = gap / ball.radius / ball.radius;
  }
}

/* Draws a point at `scale` times its radius. */
static void scale_point(double scale, double radius, double *x, double *gap) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  const double length = hypot(x[0], x[1]), drawn = fmin(scale * radius, DEEPEST);
  const double factor = length > 0 ? geodisk_euclidean_from_radius(&plane, drawn) / length : 0;
  x[0] *= factor;
  x[1] *= factor;
  *gap = geodisk_gap_from_radius(&plane, drawn);
}

/* The factor that suits radii in ascending order. */
static double choose_scale(const double *radius, size_t n, bool network) {
  const double wanted = network ? FITTING_NETWORK : FITTING, share = network ? FITTING_NETWORK_SHARE : FITTING_SHARE;
  const double typical = radius[(size_t)(share * (double)(n - 1))], farthest = radius[n - 1];
  if (typical > wanted)
    return wanted / typical;
  return farthest > 0 && farthest < CROWDED ? SPREAD / farthest : 1;
}

/* Draws every point at `scale` times its distance from the origin; chooses the scale if it is 0. */
static geodisk_status scale_points(geodisk_context *context, scene_arrays *s, double scale, geodisk_scene *scene) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  double *radius = geodisk_allocate(s->nodes, sizeof *radius), *sorted = geodisk_allocate(s->nodes, sizeof *sorted);
  if (radius == NULL || sorted == NULL) {
    geodisk_free_all(radius, sorted);
    return geodisk_no_memory(context, "for the scene");
  }
  for (size_t i = 0; i < s->nodes; i++)
    radius[i] = sorted[i] = geodisk_radius_from_gap(&plane, s->gap[i]);
  if (scale == 0) {
    qsort(sorted, s->nodes, sizeof *sorted, ascending_doubles);
    scale = choose_scale(sorted, s->nodes, scene->network);
  }
  for (size_t i = 0; scale != 1 && i < s->nodes; i++)
    scale_point(scale, radius[i], s->x + 2 * i, &s->gap[i]);
  if (scale != 1)
    scale_point(scale, geodisk_radius_from_gap(&plane, scene->origin_gap), scene->origin, &scene->origin_gap);
  geodisk_free_all(radius, sorted);
  scene->scale = scale;
  return GEODISK_OK;
}

/* Points: the model's own in one or two hyperbolic dimensions, else projected; drawn to `scale` (0: choose). Fills s->x, s->gap,
 * scene->scale and scene->projection; the rest of `s` and of the scene is there already. */
static geodisk_status scene_points(geodisk_context *context, scene_arrays *s, double scale, geodisk_scene *scene) {
  scene->projection = (geodisk_projection){.centre = GEODISK_NODE_NONE};
  if (geodisk_model_space(scene->model) != GEODISK_SPACE_HYPERBOLIC || geodisk_model_dim(scene->model) > 2) {
    const geodisk_status st = scene_project(context, s, scene);
    if (st != GEODISK_OK)
      return st;
  } else {
    own_points(s, scene->model);
  }
  if (scene->network) {
    const geodisk_status st = network_centre(context, s, scene);
    if (st != GEODISK_OK)
      return st;
  }
  return scale_points(context, s, scale, scene);
}

geodisk_status geodisk_scene_create(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                    const geodisk_scene_options *options, geodisk_scene **out) {
  if (model == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "scene: an argument is NULL");
  const double scale = options != NULL ? options->scale : 0;
  if (!(scale >= 0 && scale <= 1000))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "scene: a scale of %g; it must be above 0 and at most 1000", scale);
  hierarchy h;
  scene_arrays s = {0};
  geodisk_scene *scene = geodisk_allocate_zero(1, sizeof *scene);
  if (scene == NULL)
    return geodisk_no_memory(context, "for the scene");
  options = options != NULL ? options : &(const geodisk_scene_options){0};
  scene->model = model;
  scene->has_graph = graph != NULL;
  scene->full_names = options->full_names;
  scene->origin_gap = 1;
  geodisk_status st = hierarchy_make(context, model, graph, options, &h);
  scene->network = h.network;
  scene->why = h.why;
  scene->unknown = h.unknown;
  scene->implied = h.implied;
  scene->descendants_exact = h.descendants_exact;
  if (st == GEODISK_OK) {
    const bool enough = allocate(&s, h.shown, h.drawn_child != NULL ? h.drawn : h.edges);
    hand_over(scene, &s);
    st = enough ? renumber(context, &h, &s, scene) : geodisk_no_memory(context, "for the scene");
  }
  if (st == GEODISK_OK)
    st = h.network ? network_branches(context, &h, &s, scene) : scene_branches(context, &s, scene);
  hierarchy_free(&h);
  if (st == GEODISK_OK)
    st = scene_labels(context, options, &s, scene);
  scene->prefix = s.prefix;
  scene->label_bytes = s.label_bytes;
  scene->label_starts = s.label_starts;
  if (st == GEODISK_OK)
    st = scene_points(context, &s, scale, scene);
  if (st != GEODISK_OK) {
    geodisk_scene_destroy(scene);
    return st;
  }
  *out = scene;
  return GEODISK_OK;
}

void geodisk_scene_destroy(geodisk_scene *scene) {
  if (scene == NULL)
    return;
  const void *const arrays[] = {scene->node,   scene->x,           scene->gap,         scene->edge_child,   scene->edge_parent,
                                scene->degree, scene->parent,      scene->order,       scene->depth,        scene->children,
                                scene->branch, scene->descendants, scene->label_bytes, scene->label_starts, scene->prefix};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free((void *)(uintptr_t)arrays[i]);
  free(scene);
}

const char *geodisk_scene_name(const geodisk_scene *scene, uint32_t index) {
  return scene != NULL && index < scene->nodes ? geodisk_model_name(scene->model, scene->node[index]) : NULL;
}

const char *geodisk_scene_label(const geodisk_scene *scene, uint32_t index) {
  return scene != NULL && index < scene->nodes ? scene->label_bytes + scene->label_starts[index] : NULL;
}

bool geodisk_scene_find(const geodisk_scene *scene, const char *name, uint32_t *index) {
  uint32_t node;
  if (scene == NULL || name == NULL || !geodisk_model_find(scene->model, name, strlen(name), &node))
    return false;
  const size_t at = csr_place(scene->node, scene->nodes, node); /* the numbers ascend */
  if (at == scene->nodes || scene->node[at] != node)
    return false;
  *index = (uint32_t)at;
  return true;
}
