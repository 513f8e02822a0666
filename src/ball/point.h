/* point.h - what the operations of src/ball share: the rescaled ball (frame), a point with its gap and direction, a pair of
 * points with the geodesic between them, and the isometry that walks a point along a direction (translate).
 *
 * Lengths are multiplied by a power of two so that the radius lies in [1, 2): squares neither over- nor underflow. */
#ifndef GEODISK_BALL_POINT_H
#define GEODISK_BALL_POINT_H

#include <stdbool.h>

#include "geodisk/ball.h"
#include "kernel/dd.h"
#include "real.h"

/* Deeper than this share of R^2 (as a gap) coordinates do not resolve the radius. */
#define BEYOND_COORDINATES (4 * REAL_EPSILON)

typedef struct frame {
  int dim;
  double scale, unscale; /* powers of two: frame lengths = scale * the caller's; and back */
  double radius;         /* R in [1, 2) */
  dd radius2;            /* R^2 */
  dd root_k;             /* sqrt(k) */
} frame;

/* A vector's length and direction, free of over- and underflow. */
typedef struct heading {
  const real *v;
  double scale; /* a signed power of two that brings the largest entry to [1, 2) */
  dd unit;      /* 1 / |scale * v|; entry i of the direction is unit * (scale * v[i]) */
  dd length;    /* |v|, in the caller's units */
} heading;

/* A point x = sign * (caller's array), with its gap S. */
typedef struct point {
  const real *x;
  double sign;
  dd gap;            /* S, frame units */
  dd rho;            /* |x| / R: from the gap or the coordinates, see load_point_gap */
  bool at_origin;    /* x = 0: there is no direction */
  bool gap_form;     /* the gap was given, not computed */
  bool rho_from_gap; /* the coordinates only give the direction */
  heading toward;    /* its direction, unless at_origin */
} point;

/* Two points and their difference delta = y - x. */
typedef struct pair {
  const frame *f;
  const point *x, *y;
  bool equal;           /* delta = 0 */
  bool polar;           /* delta from radii and directions instead of coordinates */
  bool same_ray;        /* polar: no difference of direction */
  bool unlike;          /* polar: the coordinates differ in length by more than a factor of 2 */
  double scale;         /* a power of two that brings |delta| near 1 */
  dd length;            /* |scale * delta| */
  dd radial;            /* polar: (|y| - |x|), frame units */
  dd stretch;           /* polar: (|y| - |x|) / |x| of the coordinates */
  dd chord_unit;        /* polar: 1 / |y| of the coordinates (in toward.scale of y) */
  dd sinh_half;         /* a = sinh(h) = R |delta| / sqrt(S T) */
  dd half;              /* h = sqrt(k) d / 2 */
  dd root_gaps;         /* sqrt(S) sqrt(T) */
  dd tangent_unit;      /* 1 / |w|, w = S delta - |delta|^2 x, the direction of log_x(y), both scaled */
  int tangent_exponent; /* ... by 2^-tangent_exponent */
} pair;

/* Where to walk: a direction n and t = tanh(D/2) for the length D (in units of 1/sqrt(k)); 1 - t = rest * 2^rest_exponent. */
typedef struct walk {
  const heading *along; /* n, or NULL: along the geodesic of `geodesic`, */
  const pair *geodesic;
  double sign;            /* ... forwards (1) or backwards (-1) */
  const point *same_size; /* the point whose heading `along` is, if its radius is close to the walker's: see sideways() */
  dd t, rest;
  int rest_exponent;
} walk;

/* All loaders return false for what is not in the ball (or not a ball, or not finite). */
bool INTERNAL(load_frame)(const geodisk_ball *ball, frame *f);
bool INTERNAL(load_point)(const frame *f, const real *x, double sign, point *p);
bool INTERNAL(load_point_gap)(const frame *f, const real *x, double gap, point *p);
bool INTERNAL(load_heading)(int dim, const real *v, double sign, heading *h); /* length 0 is fine */
void INTERNAL(load_pair)(const frame *f, const point *x, const point *y, pair *p);

/* Entry i, frame units: of the point, of its direction, of scale * delta, of the unit tangent at x towards y. */
dd INTERNAL(coordinate)(const frame *f, const point *p, int i);
dd INTERNAL(difference)(const pair *p, int i);
dd INTERNAL(tangent)(const pair *p, int i);
static inline dd direction(const heading *h, int i) { return dd_mul_d(h->unit, (double)h->v[i] * h->scale); }

/* Sets t and 1 - t of a walk from D >= 0. */
void INTERNAL(set_walk_length)(dd length, walk *w);

/* Walks p along w: out (caller's units, strictly inside the ball) and, if wanted, the new gap. out may be any input. */
void INTERNAL(translate)(const frame *f, const point *p, const walk *w, real *out, real *out_gap);

/* exp at p of the tangent v (its length in the caller's units). out may be any input; out_gap may be NULL. */
void INTERNAL(exp_from)(const frame *f, const point *p, const heading *v, real *out, real *out_gap);

/* Rounds an entry back to the caller's units; pulls a rounded point inside the ball; fills with NaN; a gap in the caller's units.
 */
static inline real to_real(const frame *f, dd entry) { return (real)(dd_round(entry) * f->unscale); }
void INTERNAL(settle)(const frame *f, real *out);
void INTERNAL(fill_nan)(const geodisk_ball *ball, real *out);
real INTERNAL(gap_to_real)(const frame *f, dd gap, int exponent);

/* R^2 - |x|^2 in frame units, to all digits; not positive outside the ball, NaN if x is not finite. */
dd INTERNAL(exact_gap)(const frame *f, const real *x);

#endif
