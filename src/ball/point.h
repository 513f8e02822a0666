/* point.h - what the operations of src/ball share: the rescaled ball (frame), the direction of a vector (heading), the angle
 * between two directions (turn), a point with its gap, a pair of points with the geodesic between them, and the isometry that
 * walks a point along a direction (translate).
 *
 * Lengths are multiplied by a power of two so that the radius lies in [2^200, 2^201): far enough from both ends of the range of
 * doubles that cubes do not overflow, and that denormal coordinates and the smallest gaps keep their digits. Where a number can
 * still leave the range it is a dd and a binary exponent. */
#pragma once

#include <stdbool.h>

#include "geodisk/ball.h"
#include "kernel/dd.h"
#include "real.h"

/* Deeper than this share of R^2 (as a gap) coordinates do not resolve the radius. */
#define BEYOND_COORDINATES (4 * REAL_EPSILON)

/* Beyond this length (times sqrt(k)) a walk from anywhere a double can tell ends deeper than any gap. */
#define LONGEST_WALK 4000.0

/* The deepest gap, frame units: 2^-1370 R^2, which is deeper than the smallest normal number but for R > 2^174. */
#define DEEPEST_GAP 0x1p-970

typedef struct frame {
  int dim;
  int exponent;          /* the caller's lengths = 2^exponent * frame lengths */
  double scale, unscale; /* 2^-exponent, 2^exponent */
  double radius;         /* R */
  dd radius2;            /* R^2 */
  dd root_k;             /* sqrt(k), in the caller's units: it only enters with hyperbolic lengths */
} frame;

/* A vector's length and direction, free of over- and underflow. */
typedef struct heading {
  const real *v;
  double scale; /* a signed power of two that brings the largest entry near 1; 0 for the zero vector */
  int exponent; /* |scale| = 2^-exponent */
  int largest;  /* which entry that is */
  dd norm;      /* |scale * v|: the length is norm * 2^exponent, in the caller's units */
  dd unit;      /* 1 / norm */
} heading;

/* The angle from the direction x^ of one vector to the direction y^ of another, right relative to its own size however small.
 * With entries x, y scaled as in their headings, m the largest entry of x, the vectors
 *
 *     a_i = boost (y_i |x_m| - (+-y_m) x_i),     b_i = x_i
 *
 * span their plane; each a_i is a difference of two exact products. The part of y^ across x^ is
 *
 *     y^ - cosine x^ = unit (a - slope b),     |a - slope b| = across,     unit * across = sine
 */
typedef struct turn {
  const heading *from, *to;
  double pivot_from, pivot_to; /* |x_m|, +-y_m */
  double boost;                /* a power of two; 1 unless a is minute */
  dd slope, across, unit;
  dd cosine, sine; /* sine >= 0; sine, across and unit are exactly 0 for parallel vectors */
} turn;

/* The vector with entries first * a_i + second * b_i. */
typedef struct combination {
  dd first, second;
} combination;

/* A point x = sign * (caller's array), with its gap S. */
typedef struct point {
  const real *x;
  double sign;
  dd gap;             /* S, frame units */
  bool gap_form;      /* the gap was given, not computed */
  bool rho_from_gap;  /* the coordinates only give the direction */
  double entry_scale; /* coordinate i in frame units = stretch * (entry_scale * x[i]) */
  dd stretch;         /* 1, unless rho_from_gap */
  /* What follows is set by load_direction and load_point_gap only. */
  heading toward; /* its direction; the zero heading at the origin */
  dd radius;      /* |x|, frame units: from the gap or the coordinates, see load_point_gap */
  dd rho;         /* |x| / R */
} point;

/* Two points and the geodesic between them, delta = y - x (frame units). Differences and tangents are combinations of two
 * vectors a, b: scale * delta and x, or in polar form those of `turn`. */
typedef struct pair {
  const frame *f;
  const point *x, *y;
  bool equal;        /* delta = 0 */
  bool polar;        /* delta from radii and directions instead of coordinates */
  int exponent;      /* |delta| = length * 2^exponent */
  double scale;      /* 2^-exponent */
  dd length;         /* near 1 */
  dd root;           /* sqrt(S T) */
  dd sinh;           /* sinh(h) = sinh * 2^sinh_exponent, h = sqrt(k) d / 2 */
  int sinh_exponent; /* ... */
  dd half;           /* h = half * 2^half_exponent, the exponent not 0 only for minute h */
  int half_exponent; /* ... */
  turn turn;         /* polar: from x^ to y^ */
  dd along, first;   /* polar: scale * delta = along x^ + first (a - slope b) */
  /* What follows is set by load_tangent only. */
  dd hypotenuse;       /* sqrt(S T + R^2 |delta|^2) = sqrt(S T) cosh(h) */
  combination forward; /* the unit vector along delta */
  combination tangent; /* the unit tangent at x towards y */
  dd tangent_along;    /* polar: its part along x^ */
} pair;

/* Where to walk: n = cosine x^ + first (a - slope b) in the plane of `turn` (from the origin: n = cosine y^, cosine +-1), and
 * t = tanh(D/2) for the length D (in units of 1/sqrt(k)). */
typedef struct walk {
  const turn *turn;
  dd cosine, first;
  dd t;
  dd reach; /* R t, frame units: has all digits where t is denormal */
  dd rest;  /* 1 - t = rest * 2^rest_exponent */
  int rest_exponent;
} walk;

/* All loaders return false for what is not in the ball (or not a ball, or not finite). */
bool INTERNAL(load_frame)(const geodisk_ball *ball, frame *f);
ON_DEVICE void INTERNAL(make_frame)(const geodisk_ball *ball, frame *f);      /* of a ball that is one */
bool INTERNAL(load_heading)(int dim, const real *v, double sign, heading *h); /* the zero vector is fine */
ON_DEVICE bool INTERNAL(load_point)(const frame *f, const real *x, double sign, point *p);
ON_DEVICE bool INTERNAL(load_point_gap)(const frame *f, const real *x, double gap, point *p);
/* The same where a gap may be given or (NULL) is that of the coordinates; and with two of them the frame, too. */
bool INTERNAL(load_either)(const frame *f, const real *x, const real *gap, point *p);
bool INTERNAL(load_points)(const geodisk_ball *ball, const real *x, const real *x_gap, const real *y, const real *y_gap, frame *f,
                           point *px, point *py);
ON_DEVICE void INTERNAL(load_direction)(const frame *f, point *p); /* of a point loaded by load_point */
ON_DEVICE void INTERNAL(load_turn)(int dim, const heading *from, const heading *to, turn *t);
ON_DEVICE void INTERNAL(load_pair)(const frame *f, const point *x, const point *y, pair *p);
void INTERNAL(load_tangent)(pair *p);
/* distances_gap.c */
void INTERNAL(distances_gap)(const geodisk_ball *ball, const real *x, real x_gap, size_t n, const real *y, const real *y_gap,
                             real *out);

/* Entry i of the direction of a vector; of a; and of b, or the coordinate of a point without its stretch. */
static inline dd direction(const heading *h, int i) { return dd_mul_d(h->unit, (double)h->v[i] * h->scale); }
static inline ON_DEVICE dd determinant(const turn *t, int i) {
  dd y = two_prod((double)t->to->v[i] * t->to->scale, t->pivot_from),
     x = two_prod((double)t->from->v[i] * t->from->scale, t->pivot_to);
  return dd_scale(dd_sub(y, x), t->boost);
}
static inline ON_DEVICE double entry(const point *p, int i) { return (double)p->x[i] * p->entry_scale; }

/* along x^ + first (a - slope b) as a combination of a and b. */
static inline combination in_plane(const turn *t, dd along, dd first) {
  return (combination){first, dd_sub(dd_mul(along, t->from->unit), dd_mul(first, t->slope))};
}

/* a_i and b_i of a pair, and entry i of one of its combinations. */
static inline ON_DEVICE dd first_of(const pair *p, int i) {
  return p->polar ? determinant(&p->turn, i) : dd_scale(two_sum(entry(p->y, i), -entry(p->x, i)), p->scale);
}
static inline double second_of(const pair *p, int i) {
  return p->polar ? (double)p->turn.from->v[i] * p->turn.from->scale : entry(p->x, i);
}
static inline dd combined(combination c, dd first, double second) {
  return dd_add(dd_mul(c.first, first), dd_mul_d(c.second, second));
}

/* The tangent of a pair as a direction to walk from x (backwards: away from y). `t` is for points without a turn yet. */
void INTERNAL(walk_along)(const pair *p, bool backwards, turn *t, walk *w);

/* A walk from p in the direction of h. */
void INTERNAL(walk_toward)(const frame *f, const point *p, const heading *h, turn *t, walk *w);

/* Sets t and what follows from D = length * 2^exponent >= 0; all beyond LONGEST_WALK, also infinity and what overflowed to NaN,
 * is LONGEST_WALK. */
void INTERNAL(set_walk_length)(const frame *f, dd length, int exponent, walk *w);

/* Walks p along w: out (caller's units, strictly inside the ball) and, if wanted, the new gap. out may be any input. */
void INTERNAL(translate)(const frame *f, const point *p, const walk *w, real *out, real *out_gap);

/* exp at p of the tangent v, whose length is that of its norm; a plain p gets its direction loaded. out may be any input, out_gap
 * may be NULL. */
void INTERNAL(exp_from)(const frame *f, point *p, const heading *v, real *out, real *out_gap);

/* (I - 2cc')(I - 2mm') v, v that of h, times factor * 2^exponent, c along delta and m the unit tangent; the identity for equal
 * points. */
void INTERNAL(reflect_twice)(const pair *p, const heading *h, dd factor, int exponent, real *out);

/* ---- numbers ---- */

/* An exponent that brings a > 0 near 1: ilogb(a), but such that both 2^e and 2^-e are normal numbers. */
static inline ON_DEVICE int scale_exponent(double a) {
  int e = ilogb(a);
  return e < -1000 ? -1000 : e > 1000 ? 1000 : e;
}

/* a = the returned number * 2^*exponent, the number in [1, 2); 0 = 0 * 2^0. */
static inline ON_DEVICE dd normalised(dd a, int *exponent) {
  *exponent = a.hi == 0.0 ? 0 : ilogb(a.hi);
  return dd_ldexp(a, -*exponent);
}

/* asinh(a 2^exponent) = the returned number * 2^*out_exponent, for 0 <= a of moderate size and any exponent. */
ON_DEVICE dd INTERNAL(asinh_wide)(dd a, int exponent, int *out_exponent);

/* Rounds to the caller's numbers: an entry in frame units, a number with an exponent. */
static inline real to_real(const frame *f, dd entry) { return (real)(dd_round(entry) * f->unscale); }
static inline ON_DEVICE real to_real_wide(dd a, int exponent) { return (real)ldexp(dd_round(a), exponent); }
/* The distance of a pair. */
static inline ON_DEVICE real length_of(const pair *p) {
  return p->equal ? (real)0.0 : to_real_wide(dd_div(p->half, p->f->root_k), p->half_exponent + 1);
}

/* A gap times 2^exponent in the caller's units, as it is; and where a walk ends, at least the smallest normal number. */
real INTERNAL(gap_to_real)(const frame *f, dd gap, int exponent);
real INTERNAL(gap_of_walk)(const frame *f, dd gap, int exponent);

/* Pulls a rounded point inside the ball; rounds a Euclidean radius to one inside. */
void INTERNAL(settle)(const frame *f, real *out);
real INTERNAL(settled_radius)(const frame *f, dd radius);

/* Fills with NaN, or with the point p as it was given; out_gap may be NULL. */
void INTERNAL(fill_nan)(const geodisk_ball *ball, real *out, real *out_gap);
void INTERNAL(copy_point)(const frame *f, const point *p, real *out, real *out_gap);

/* R^2 - |x|^2 in frame units, to all digits; not positive outside the ball, NaN if x is not finite. */
ON_DEVICE dd INTERNAL(exact_gap)(const frame *f, const real *x);
