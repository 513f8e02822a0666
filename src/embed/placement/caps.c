/* caps.c - nested spherical caps: a node in direction n with a cap of half-angle alpha stands at the radius
 * r = -2 log sin(alpha/2), a little beyond -2 log tan(alpha/2), where exactly the points of its cap are nearer to it than to the
 * origin. Each child gets a cap inside its parent's, in proportion to (its share of the leaves)^POWER; in the plane the arcs are
 * laid side by side, in more dimensions their centres are random. A node's cap depends on its parent's, its siblings' before it,
 * and a stream of random numbers of its own: nothing else. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/squares.h"
#include "embed/trainer.h"
#include "placement.h"

/* How fast caps shrink with their share of the leaves: near 1 they shrink as fast as in the plane, which leaves space between
 * them. */
#define CAP_POWER  0.78
#define CAP_SPREAD 0.6    /* centres of children lie within this share of the parent's cap */
#define ARC_SPREAD 0.95   /* in the plane, the arcs of the children fill this share of the parent's */
#define LEAST_STEP 0.5    /* a child stands at least this much further out than its parent */
enum { CANDIDATES = 16 }; /* centres tried for a cap */

static geodisk_random stream_of_node(const geodisk_train_options *options, uint32_t node, int use) {
  return geodisk_random_stream(options->seed, stream_of(STREAM_PLACE, node, (uint64_t)use));
}

/* r = -2 log sin(alpha/2), at least a step beyond the parent. */
static float cap_radius(double angle, double parent_radius) {
  const double r = -2.0 * portable_log(portable_sin(0.5 * fmin(angle, PORTABLE_PI)));
  return (float)fmax(r, parent_radius + LEAST_STEP);
}

static void round_direction(const geodisk_train_options *options, double *n) {
  if (options->precision == GEODISK_PRECISION_FLOAT)
    for (int k = 0; k < options->dim; k++)
      n[k] = (double)(float)n[k];
}

/* ---- directions ---- */

void embed_random_unit(geodisk_random *random, int dim, double *out) {
  double square = 0.0;
  memset(out, 0, (size_t)dim * sizeof *out);
  while (!(square > 0.0)) {
    for (int k = 0; k < dim; k++)
      out[k] = geodisk_random_normal(random);
    square = square_of((size_t)dim, out);
  }
  for (int k = 0; k < dim; k++)
    out[k] /= sqrt(square);
}

/* A direction at an angle to `axis`, otherwise random. */
static void tilt(geodisk_random *random, int dim, const double *axis, double angle, double *out) {
  double along = 0.0;
  embed_random_unit(random, dim, out);
  for (int k = 0; k < dim; k++)
    along += out[k] * axis[k];
  for (int k = 0; k < dim; k++)
    out[k] -= along * axis[k];
  const double square = square_of((size_t)dim, out);
  const double side = square > 0.0 ? portable_sin(angle) / sqrt(square) : 0.0;
  for (int k = 0; k < dim; k++)
    out[k] = portable_cos(angle) * axis[k] + side * out[k];
}

/* How far a cap of that angle around `centre` is from those of its siblings: the least distance in sums of half-angles. */
static double clearance(const cap_family *family, int dim, const double *centre, double angle) {
  double least = DBL_MAX;
  for (size_t i = 0; i < family->siblings; i++) {
    const double *n = family->directions + i * (size_t)dim;
    least = fmin(least, sqrt(square_between((size_t)dim, centre, n)) / (angle + family->angles[i]));
  }
  return least;
}

/* ---- caps ---- */

/* An arc beside those of the siblings: its middle, from where the leaves before it end. */
static void cut_arc(const cap_node *node, double whole, double middle, double leaves, cap *out, double *direction) {
  out->angle = whole * ((double)node->leaves / leaves);
  out->turn = middle - whole + whole * ((2.0 * node->leaves_before + node->leaves) / leaves);
  direction[0] = portable_cos(out->turn);
  direction[1] = portable_sin(out->turn);
}

void embed_cap_of_root(const geodisk_train_options *options, const cap_forest *forest, const cap_node *node, cap *out,
                       double *direction) {
  const double leaves = (double)forest->leaves;
  out->turn = 0.0;
  if (options->dim == 2) {
    cut_arc(node, PORTABLE_PI, PORTABLE_PI, leaves, out, direction);
  } else {
    geodisk_random random = stream_of_node(options, node->node, PLACE_CAP);
    out->angle = PORTABLE_PI * portable_pow((double)node->leaves / leaves, CAP_POWER);
    embed_random_unit(&random, options->dim, direction);
  }
  out->radius = forest->one_root ? 0.0f : cap_radius(out->angle, -LEAST_STEP);
  round_direction(options, direction);
}

double embed_cap_angle(const cap_family *family, uint32_t leaves) {
  return family->parent.angle * portable_pow((double)leaves / (double)family->leaves, CAP_POWER);
}

void embed_cap_of_child(const geodisk_train_options *options, const cap_family *family, const cap_node *node, cap *out,
                        double *direction) {
  const int dim = options->dim;
  const double leaves = (double)family->leaves, width = family->parent.angle;
  out->turn = 0.0;
  if (dim == 2) {
    cut_arc(node, width * ARC_SPREAD, family->parent.turn, leaves, out, direction);
  } else {
    geodisk_random random = stream_of_node(options, node->node, PLACE_CAP);
    double best = -1.0, centre[GEODISK_DIM_MOST];
    out->angle = embed_cap_angle(family, node->leaves);
    for (int i = 0; i < CANDIDATES; i++) {
      const double aside = width * CAP_SPREAD * portable_pow(geodisk_random_uniform(&random), 1.0 / (dim - 1));
      tilt(&random, dim, family->axis, aside, centre);
      const double clear = clearance(family, dim, centre, out->angle);
      if (clear > best)
        memcpy(direction, centre, (size_t)dim * sizeof *direction);
      best = fmax(best, clear);
      if (family->siblings == 0)
        break;
    }
  }
  out->radius = cap_radius(out->angle, (double)family->parent.radius);
  round_direction(options, direction);
}

/* ---- points ---- */

void embed_point_at(const geodisk_train_options *options, const double *direction, float radius, double *x, double *gap) {
  const double r = (double)radius * options->depth, e = portable_tanh_half(r), h = portable_exp(-0.5 * r),
               c = 2.0 * h / (1.0 + h * h);
  for (int k = 0; k < options->dim; k++)
    x[k] = options->space == GEODISK_SPACE_EUCLIDEAN ? r * direction[k] : e * direction[k];
  *gap = c * c;
}

void embed_point_at_random(const geodisk_train_options *options, uint32_t node, double *x, double *gap) {
  geodisk_random random = stream_of_node(options, node, PLACE_RANDOM);
  for (int k = 0; k < options->dim; k++)
    x[k] = options->range * (2.0 * geodisk_random_uniform(&random) - 1.0);
  const double square = square_of((size_t)options->dim, x);
  const double shrink = square < 0.25 ? 1.0 : 0.5 / sqrt(square); /* a cube in many dimensions sticks out of the ball */
  for (int k = 0; k < options->dim; k++)
    x[k] *= shrink;
  *gap = 1.0 - square * shrink * shrink;
}
