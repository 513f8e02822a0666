/* projection.h - points of any space brought into the hyperbolic plane: the start from the hierarchy, and the fit of distances.
 * Internal to the draw module. */
#ifndef GEODISK_DRAW_PROJECTION_H
#define GEODISK_DRAW_PROJECTION_H

#include "scene.h"

/* What is to be drawn: points of a model, in the scene's numbers. */
typedef struct source_points {
  size_t nodes;
  int dim;
  geodisk_ball ball;
  bool flat;   /* Euclidean */
  double unit; /* sqrt(curvature): distances are in the plane's units */
  double *x;   /* nodes x dim */
  double *gap; /* nodes; unused if flat */
} source_points;

double source_distance(const source_points *p, uint32_t a, uint32_t b);

/* Points of the plane in polar coordinates, which do not saturate: distance from the origin, and angle. */
typedef struct polar_points {
  double *radius; /* nodes, >= 0 */
  double *angle;  /* nodes */
} polar_points;

/* d of the hyperbolic plane: sinh^2(d/2) = sinh^2((r-s)/2) + sinh r sinh s sin^2(t/2), t the difference of the angles. */
double polar_distance(double r, double s, double t);

/* The point reached from (r, 0) by a step of length `step` whose direction is (out, across), a unit vector: out away from the
 * origin, across towards larger angles. The new radius is returned, *turn is the new angle. */
double polar_step(double r, double step, double out, double across, double *turn);

/* Moves the points so that their distances become those of the source: descent of the sum of (d'/d - 1)^2 over random pairs and
 * pairs near each other in the forest. The centre stays. */
geodisk_status stress_fit(geodisk_context *context, const source_points *source, const uint32_t *parent, uint32_t centre,
                          polar_points *points);

/* The distortion over random pairs and over edges. */
geodisk_status stress_measure(geodisk_context *context, const source_points *source, const geodisk_scene *scene,
                              const polar_points *points, geodisk_projection *out);

#endif
