/* scene.h - how a scene is put together: its arrays while they are filled, and the steps. Internal to the draw module. */
#pragma once

#include "geodisk/draw.h"
#include "hierarchy.h"

/* The arrays of a geodisk_scene, to be written. */
typedef struct scene_arrays {
  size_t nodes;
  uint32_t *node;
  double *x, *gap;
  uint32_t *edge_child, *edge_parent;
  uint32_t *degree, *parent, *order, *depth, *children, *descendants;
  uint8_t *branch;
  char *prefix, *label_bytes;
  uint64_t *label_starts;
} scene_arrays;

/* Branches and their nodes: fills s->branch and the scene's branches, branch_node, branch_size. */
geodisk_status scene_branches(geodisk_context *context, scene_arrays *s, geodisk_scene *scene);

/* The same for a network: its communities (network.c). */
geodisk_status network_branches(geodisk_context *context, const hierarchy *h, scene_arrays *s, geodisk_scene *scene);

/* What the nodes are called: fills s->prefix, s->label_bytes and s->label_starts (node_names.c). */
geodisk_status scene_labels(geodisk_context *context, const geodisk_scene_options *options, scene_arrays *s,
                            const geodisk_scene *scene);

/* Moves the points so that their barycenter is the origin; scene->origin says where that was (network.c). */
geodisk_status network_centre(geodisk_context *context, scene_arrays *s, geodisk_scene *scene);

/* Into the plane from any other space (projection.c). */
geodisk_status scene_project(geodisk_context *context, scene_arrays *s, geodisk_scene *scene);
