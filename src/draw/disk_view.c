/* disk_view.c - the plane seen from a point: the isometry that carries it to the origin, and geodesics on paper. log_c(x) has the
 * direction of the moved point and the length of its distance, so nothing saturates however deep x lies.
 */
#include "picture.h"

#include <math.h>
#include <string.h>

#include "geodisk/mean.h"
#include "hierarchy.h"

#define STRAIGHT 1e4 /* circles of more than so many radii of the rim are straight lines */

canvas_arc disk_arc(const disk_frame *frame, const double *p, const double *q) {
  const double a = (1 + p[0] * p[0] + p[1] * p[1]) / 2, b = (1 + q[0] * q[0] + q[1] * q[1]) / 2, det = p[0] * q[1] - p[1] * q[0];
  canvas_arc arc = {.x1 = frame->x + frame->radius * p[0],
                    .y1 = frame->y - frame->radius * p[1],
                    .x2 = frame->x + frame->radius * q[0],
                    .y2 = frame->y - frame->radius * q[1],
                    .straight = true};
  const double c[2] = {(a * q[1] - b * p[1]) / det, (b * p[0] - a * q[0]) / det};
  const double r = hypot(c[0] - p[0], c[1] - p[1]);
  if (r < STRAIGHT) { /* false for det = 0, where it is not a number or infinite */
    arc.straight = false;
    arc.cx = frame->x + frame->radius * c[0];
    arc.cy = frame->y - frame->radius * c[1];
    arc.r = frame->radius * r;
  }
  return arc;
}

/* ---- the centre -------------------------------------------------------------------------------------------------- */

static uint32_t innermost(const geodisk_scene *scene) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < scene->nodes; i++)
    if (scene->gap[i] > scene->gap[best])
      best = i;
  return best;
}

static geodisk_status find_centre(geodisk_context *context, const geodisk_scene *scene, const geodisk_picture_options *options,
                                  double *x, double *gap) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  uint32_t node;
  x[0] = x[1] = 0;
  *gap = 1;
  switch (options->centre) {
  case GEODISK_CENTRE_AUTO: /* of a network the barycenter, with any scale: the sum of all logarithms stays 0 */
    return GEODISK_OK;
  case GEODISK_CENTRE_ORIGIN:
    memcpy(x, scene->origin, 2 * sizeof *x);
    *gap = scene->origin_gap;
    return GEODISK_OK;
  case GEODISK_CENTRE_BARYCENTER: {
    geodisk_mean_options mean = geodisk_mean_defaults();
    mean.context = context;
    return geodisk_mean_gap(&plane, &(geodisk_mean_points){.n = scene->nodes, .points = scene->x, .gaps = scene->gap}, &mean, x,
                            gap, NULL);
  }
  case GEODISK_CENTRE_ROOT:
    node = scene->has_graph ? scene->order[0] : innermost(scene);
    break;
  case GEODISK_CENTRE_NODE:
    if (options->centre_node == NULL)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "picture: the node at the centre is not given");
    if (!geodisk_scene_find(scene, options->centre_node, &node))
      return draw_missing_node(context, scene, options->centre_node);
    break;
  default:
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "picture: %d is no centre", (int)options->centre);
  }
  memcpy(x, scene->x + 2 * (size_t)node, 2 * sizeof *x);
  *gap = scene->gap[node];
  return GEODISK_OK;
}

geodisk_status view_make(geodisk_context *context, const geodisk_scene *scene, const geodisk_picture_options *options,
                         double *x) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  double centre[2], centre_gap;
  geodisk_status st = find_centre(context, scene, options, centre, &centre_gap);
  for (size_t i = 0; st == GEODISK_OK && i < scene->nodes; i++) {
    double v[2];
    geodisk_log_gap(&plane, centre, centre_gap, scene->x + 2 * i, scene->gap[i], v);
    const double length = hypot(v[0], v[1]);
    const double drawn = tanh(geodisk_distance_gap(&plane, centre, centre_gap, scene->x + 2 * i, scene->gap[i]) / 2);
    x[2 * i] = length > 0 ? drawn * v[0] / length : 0;
    x[2 * i + 1] = length > 0 ? drawn * v[1] / length : 0;
    if (!(drawn <= 1) || !isfinite(x[2 * i]) || !isfinite(x[2 * i + 1]))
      st = geodisk_fail(context, GEODISK_ERROR_NUMERIC, "'%s' has no place in the disk", geodisk_scene_name(scene, (uint32_t)i));
  }
  return st;
}
