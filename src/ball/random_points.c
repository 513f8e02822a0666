/* random_points.c - random points: uniform by volume in a hyperbolic ball, and the wrapped normal distribution. */
#include "point.h"

/* A uniformly random direction of any dimension, written to out as a vector of length about 1. */
static void random_direction(int dim, geodisk_random *random, real *out) {
  double square;
  do {
    square = 0.0;
    for (int i = 0; i < dim; i++) {
      out[i] = (real)geodisk_random_normal(random);
      square += (double)out[i] * (double)out[i];
    }
  } while (!(square > 0.0));
}

/* The point at distance theta / sqrt(k) from the origin in the direction of out. */
static void place(const frame *f, dd theta, real *out, real *out_gap) {
  heading h;
  point origin = {.at_origin = true};
  INTERNAL(load_heading)(f->dim, out, 1.0, &h);
  walk w = {.along = &h};
  INTERNAL(set_walk_length)(theta, &w);
  INTERNAL(translate)(f, &origin, &w, out, out_gap);
}

/* theta = sqrt(k) r has density ~ sinh(theta)^(dim-1) on [0, top]. Its logarithm is concave, so the exponential with its slope at
 * the top, c = (dim-1) coth(top), lies above it; at least half of the draws are accepted. */
static double random_radius(int dim, double top, geodisk_random *random) {
  if (dim == 1 || top == 0.0)
    return top * geodisk_random_uniform(random);
  double c = (dim - 1) / tanh(top);
  for (;;) {
    double u = geodisk_random_uniform(random);
    double theta = top + log1p(u * expm1(-c * top)) / c; /* density ~ exp(c theta) on [0, top] */
    /* sinh(theta) / sinh(top) = e^(theta-top) (1 - e^(-2 theta)) / (1 - e^(-2 top)) */
    double log_density = (dim - 1) * (theta - top + log(expm1(-2 * theta) / expm1(-2 * top)));
    if (theta > 0.0 && log(1.0 - geodisk_random_uniform(random)) <= log_density - c * (theta - top))
      return theta;
  }
}

void NAME(random_in_ball)(const geodisk_ball *ball, geodisk_random *random, real radius, real *out, real *out_gap) {
  frame f;
  if (!INTERNAL(load_frame)(ball, &f) || !(radius >= (real)0.0 && (double)radius <= DBL_MAX)) {
    INTERNAL(fill_nan)(ball, out);
    if (out_gap)
      *out_gap = (real)NAN;
    return;
  }
  double theta = random_radius(f.dim, f.root_k.hi * (double)radius, random);
  random_direction(f.dim, random, out);
  place(&f, dd_from(theta), out, out_gap);
}

/* A tangent at the origin, carried to `mean` without turning and walked along, ends at mean (+) (its exp at the origin). */
void NAME(random_wrapped_normal)(const geodisk_ball *ball, geodisk_random *random, const real *mean, real sigma, real *out,
                                 real *out_gap) {
  frame f;
  point p = {.at_origin = true};
  heading h;
  bool valid = INTERNAL(load_frame)(ball, &f) && sigma >= (real)0.0 && (double)sigma <= DBL_MAX;
  if (!valid || (mean && !INTERNAL(load_point)(&f, mean, 1.0, &p))) {
    INTERNAL(fill_nan)(ball, out);
    if (out_gap)
      *out_gap = (real)NAN;
    return;
  }
  for (int i = 0; i < f.dim; i++)
    out[i] = (real)geodisk_random_normal(random);
  INTERNAL(load_heading)(f.dim, out, 1.0, &h);
  walk w = {.along = &h};
  INTERNAL(set_walk_length)(dd_mul(dd_mul_d(h.length, (double)sigma), f.root_k), &w);
  INTERNAL(translate)(&f, &p, &w, out, out_gap);
}
