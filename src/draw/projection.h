/* projection.h - points of any space brought into the hyperbolic plane: the start from the hierarchy, and the fit of distances.
 * Internal to the draw module. */
#pragma once

#include "scene.h"

/* What is to be drawn: points of a model, in the scene's numbers. */
typedef struct source_points {
  size_t nodes;
  int dim;
  geodisk_ball ball;
  bool flat;   /* Euclidean */
  double unit; /* sqrt(curvature): distances are in the plane's units */
  double deep; /* gaps smaller than this need the library's distance */
  double *x;   /* nodes x dim */
  double *gap; /* nodes; unused if flat */
} source_points;

double source_distance(const source_points *p, uint32_t a, uint32_t b);

/* A point of the plane at the distance log(e) from the origin; this does not saturate. */
typedef struct plane_point {
  double e; /* >= 1 */
  double angle;
} plane_point;

/* d of the hyperbolic plane: sinh^2(d/2) = sinh^2((r-s)/2) + sinh r sinh s sin^2(t/2), t the difference of the angles. */
double plane_distance(const plane_point *p, const plane_point *q);

/* Moves p along a geodesic by log(exp_step) >= 0, in the direction of the unit vector (out, across): out is away from the origin,
 * across towards larger angles. A point so deep that numbers would overflow stays where it is. */
void plane_step(plane_point *p, double exp_step, double out, double across);

/* Moves the points so that their distances become those of the source: descent of the sum of (d'/d - 1)^2 over random pairs and
 * pairs near each other in the forest. The centre stays. */
geodisk_status stress_fit(geodisk_context *context, const source_points *source, const uint32_t *parent, uint32_t centre,
                          plane_point *points);

/* The distortion over random pairs and over edges. */
geodisk_status stress_measure(geodisk_context *context, const source_points *source, const geodisk_scene *scene,
                              const plane_point *points, geodisk_projection *out);
