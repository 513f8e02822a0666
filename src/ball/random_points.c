/* random_points.c - random points: uniform by volume in a hyperbolic ball, and the wrapped normal distribution. */
#include "point.h"

/* A vector of normal numbers, not zero: uniform in direction. Its length is about sqrt(dim). */
static void random_normals(int dim, geodisk_random *random, real *out) {
  double square;
  do {
    square = 0.0;
    for (int i = 0; i < dim; i++) {
      out[i] = (real)geodisk_random_normal(random);
      square += (double)out[i] * (double)out[i];
    }
  } while (!(square > 0.0));
}

/* theta = sqrt(k) r has density ~ sinh(theta)^(dim-1) on [0, top]. The logarithm of that is concave, so the exponential with its
 * slope at the top, c = (dim-1) coth(top), lies above it; at least half of the draws are accepted. Where sinh is the identity to
 * rounding, theta is a power of a uniform number. */
static double random_radius(int dim, double top, geodisk_random *random) {
  if (dim == 1 || top < 0x1p-26)
    return top * pow(geodisk_random_uniform(random), 1.0 / dim);
  top = fmin(top, LONGEST_WALK); /* all of them end at the deepest gap */
  double c = (dim - 1) / tanh(top);
  for (;;) {
    double u = geodisk_random_uniform(random);
    double theta = fmax(0.0, top + log1p(u * expm1(-c * top)) / c); /* density ~ exp(c theta) on [0, top] */
    /* sinh(theta) / sinh(top) = e^(theta-top) (1 - e^(-2 theta)) / (1 - e^(-2 top)) */
    double log_density = (dim - 1) * (theta - top + log(expm1(-2 * theta) / expm1(-2 * top)));
    if (!(log(1.0 - geodisk_random_uniform(random)) > log_density - c * (theta - top)))
      return theta;
  }
}

/* Walks from p by theta / sqrt(k) in the direction of h, which is that of the vector in out. */
static void walk_from(const frame *f, const point *p, const heading *h, dd theta, real *out, real *out_gap) {
  turn t;
  walk w;
  INTERNAL(walk_toward)(f, p, h, &t, &w);
  INTERNAL(set_walk_length)(f, theta, 0, &w);
  INTERNAL(translate)(f, p, &w, out, out_gap);
}

void NAME(random_in_ball)(const geodisk_ball *ball, geodisk_random *random, real radius, real *out, real *out_gap) {
  frame f;
  const point origin = {.x = NULL}; /* without a direction */
  heading h;
  if (!INTERNAL(load_frame)(ball, &f) || !(radius >= (real)0.0 && (double)radius <= DBL_MAX)) {
    INTERNAL(fill_nan)(ball, out, out_gap);
    return;
  }
  double top = fmin(f.root_k.hi * (double)radius, DBL_MAX);
  double theta = random_radius(f.dim, top, random);
  random_normals(f.dim, random, out);
  INTERNAL(load_heading)(f.dim, out, 1.0, &h);
  walk_from(&f, &origin, &h, dd_from(theta), out, out_gap);
}

/* A tangent at the origin, carried to `mean` without turning and walked along, ends at mean (+) (its exp at the origin). */
void NAME(random_wrapped_normal)(const geodisk_ball *ball, geodisk_random *random, const real *mean, real sigma, real *out,
                                 real *out_gap) {
  frame f;
  point p = {.x = NULL}; /* the origin */
  heading h;
  bool valid = INTERNAL(load_frame)(ball, &f) && sigma >= (real)0.0 && (double)sigma <= DBL_MAX;
  if (!valid || (mean && !INTERNAL(load_point)(&f, mean, 1.0, &p))) {
    INTERNAL(fill_nan)(ball, out, out_gap);
    return;
  }
  if (mean)
    INTERNAL(load_direction)(&f, &p);
  random_normals(f.dim, random, out);
  INTERNAL(load_heading)(f.dim, out, 1.0, &h);
  dd theta = dd_mul(dd_mul_d(dd_ldexp(h.norm, h.exponent), (double)sigma), f.root_k);
  walk_from(&f, &p, &h, theta, out, out_gap);
}
