/* distance_fit.h - what fitting distances consists of: where it begins, the descent, how well it went. */
#pragma once

#include "pair_steps.h"

/* Who is told of every epoch, and whether it was to be the last one. Counted in pairs. */
typedef struct distance_watch {
  uint64_t done, total;
  bool stopped;
} distance_watch;

/* From where a descent sets out. */
typedef enum distance_course {
  COURSE_WHOLE,  /* from anywhere, at 1 / COURSE_GROWTH of the scale: hot at first, and curvature grows */
  COURSE_PLACED, /* from points of which a part was fitted and the others placed by it */
  COURSE_AGAIN,  /* from points that were all fitted, at another curvature */
  COURSE_WARM,   /* from points that are nearly right */
  COURSE_EXACT,  /* the same, where nearly nothing is left of the errors */
  COURSE_LAST    /* from points that are right but for a little */
} distance_course;

#define COURSE_GROWTH 2.0

typedef struct distance_descent {
  geodisk_stress stress;
  distance_course course;
  double curve;    /* at the end: distances wanted are so many times the lengths */
  double square;   /* the mean square of the lengths */
  uint64_t epochs; /* at least 1 */
  uint64_t *epoch; /* counts all there have been: each has random numbers of its own */
} distance_descent;

/* False: stopped, points as they are. */
bool embed_descend_pairs(const pair_points *p, const distance_descent *d, distance_watch *watch);

/* All figures of ratios of distance and length, which are sorted, at the scale with the least mean distortion. */
void embed_judge_ratios(size_t n, double *r, geodisk_distance_result *out);

/* Of the points that take part. False: out of memory. */
bool embed_judge_pairs(const pair_points *p, geodisk_distance_result *out);

/* What is minimised. */
double embed_figure(geodisk_stress stress, const geodisk_distance_result *r);

/* Flat points (nodes x dim) into p->rows, in hyperbolic space as tangents at the origin: multiplied so that their root mean
 * square size is `size`. */
void embed_lift(const pair_points *p, const double *flat, double size);

enum { SEARCH_EPOCHS = 2000 }; /* of a search, about and at most */

/* The curve with the least distortion, and the points at it. */
typedef struct distance_search {
  double size;     /* root mean square of points whose distances are the lengths */
  double furthest; /* length */
  double curve;
  double least; /* figure */
  double *rows; /* of those that take part */
  distance_watch *watch;
} distance_search;

/* Found by short descents of those that take part: from flat points at several curvatures, then from random ones at the best.
 * MEMORY, STOPPED (curve is 0 if nothing was found before). */
geodisk_status embed_find_curve(distance_search *s, const pair_points *p, const double *flat, distance_descent d);

/* Points to be placed by others. */
typedef struct distance_placing {
  pair_points known;       /* those that take part stay where they are */
  const uint32_t *sources; /* which source each of them is */
  const double *lengths;   /* sources x nodes */
  size_t nodes;
  size_t count;
  const uint32_t *targets; /* count: nodes to place; NO_NODE: none */
  double *rows;            /* count x (dim + 1): their points */
  bool begun;              /* rows are nearly right; else they begin at the nearest that stays */
  geodisk_stress stress;
  double curve, square;
} distance_placing;

void embed_place_points(const distance_placing *a);

/* Classical scaling: nodes x dim coordinates of flat space whose distances are near the lengths, by the leading eigenvectors of
 * the centred squared lengths between the sources. MEMORY. */
geodisk_status embed_classical_scaling(geodisk_context *context, const geodisk_distances *d, int dim, uint64_t seed, double *out);

/* For every node the neighbour it hangs on in a breadth-first forest from the hubs (NO_NODE for roots), and how long the edge is.
 * False: out of memory. */
bool embed_span_shortest(const geodisk_graph *graph, bool weighted, uint32_t *parent, double *lengths);

/* The same of all distances between nodes: the tree of shortest edges. */
bool embed_span_matrix(const geodisk_distances *d, uint32_t *parent, double *lengths);
