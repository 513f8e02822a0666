/* directions.c - well separated directions on the sphere, neither random nor searched for.
 *
 * Up to dim + 1 are a regular simplex. More are laid by latitudes: circles of latitude stand at least `angle` apart, and on each,
 * a sphere of one dimension less and radius sin(latitude), lie directions of the angle whose chord there is the same. So any two
 * are at least `angle` apart, and their number grows as angle^(1-dim), as that of the best codes does. The angle is found by
 * halving. No function of libm but sqrt is used: the same numbers on every machine. */
#include "directions.h"

#include <math.h>
#include <string.h>

#include "kernel/train.h"

#define RIGHT_ANGLE (0.5 * PORTABLE_PI)
#define NEARLY      1e-9 /* an angle that fits a whole number of times does so whatever the rounding */
enum { HALVINGS = 12 };

/* Counts directions, and writes those that are wanted: `wanted` of `total`, evenly. */
typedef struct layers {
  int dim;
  size_t made, most; /* most: no need to count further */
  size_t wanted, total;
  double *out; /* or NULL: only counted */
  double now[GEODISK_DIM_MOST];
} layers;

static void emit(layers *l) {
  const size_t at = l->made++;
  if (!l->out || l->wanted == 0 || l->total == 0)
    return;
  const size_t row = (at * l->wanted + l->total - 1) / l->total; /* the first one that is not below at * wanted / total */
  if (row < l->wanted && row * l->total / l->wanted == at)
    memcpy(l->out + row * (size_t)l->dim, l->now, (size_t)l->dim * sizeof *l->now);
}

/* x with sin x = s, 0 <= s <= 1. */
static double arc_sine(double s) {
  if (s > 0.75)
    return RIGHT_ANGLE - arc_sine(sqrt((1.0 - s) * (1.0 + s)));
  double x = s;
  for (int i = 0; i < 6; i++)
    x -= (portable_sin(x) - s) / portable_cos(x);
  return x;
}

/* A regular simplex of `count` <= left + 1 vertices in the last `left` coordinates, `scale` long. */
static void lay_simplex(layers *l, int left, size_t count, double scale) {
  double *at = l->now + (l->dim - left);
  memset(at, 0, (size_t)left * sizeof *at);
  at[0] = scale;
  emit(l);
  if (count < 2)
    return;
  if (left == 1) {
    at[0] = -scale;
    emit(l);
    return;
  }
  const double along = -1.0 / (double)(count - 1);
  at[0] = scale * along;
  lay_simplex(l, left - 1, count - 1, scale * sqrt((1.0 - along) * (1.0 + along)));
}

static void lay_circle(layers *l, double angle, double scale) {
  const size_t count = (size_t)(2.0 * PORTABLE_PI / angle + NEARLY);
  double *at = l->now + (l->dim - 2);
  for (size_t i = 0; i < count && l->made < l->most; i++) {
    const double turn = 2.0 * PORTABLE_PI * (double)i / (double)count;
    at[0] = scale * portable_cos(turn);
    at[1] = scale * portable_sin(turn);
    emit(l);
  }
}

/* Directions at least `angle` apart in the last `left` coordinates. */
static void lay(layers *l, int left, double angle, double scale) {
  if (left == 2) {
    lay_circle(l, angle, scale);
    return;
  }
  if (angle > RIGHT_ANGLE * (1.0 + NEARLY)) { /* so few that a simplex has them all */
    const double most = 1.0 - 1.0 / portable_cos(angle) + NEARLY;
    lay_simplex(l, left, most < left + 1.0 ? (size_t)most : (size_t)left + 1, scale);
    return;
  }
  const size_t steps = (size_t)(PORTABLE_PI / angle + NEARLY);
  double *at = l->now + (l->dim - left);
  for (size_t i = 0; i <= steps && l->made < l->most; i++) {
    const double latitude = PORTABLE_PI * (double)i / (double)steps, radius = portable_sin(latitude);
    const double half_chord = portable_sin(0.5 * angle) / radius;
    at[0] = scale * portable_cos(latitude);
    if (i == 0 || i == steps || half_chord > 1.0 + NEARLY) {
      memset(at + 1, 0, ((size_t)left - 1) * sizeof *at);
      at[1] = i == 0 || i == steps ? 0.0 : scale * radius;
      emit(l);
    } else {
      lay(l, left - 1, 2.0 * arc_sine(half_chord < 1.0 ? half_chord : 1.0), scale * radius);
    }
  }
}

static size_t count_at(int dim, double angle, size_t most) {
  layers l = {.dim = dim, .most = most};
  lay(&l, dim, angle, 1.0);
  return l.made;
}

static double simplex_angle(size_t count) { return count == 1 ? PORTABLE_PI : RIGHT_ANGLE + arc_sine(1.0 / (double)(count - 1)); }

double embed_directions_angle(int dim, size_t count) {
  if (count <= (size_t)dim + 1)
    return simplex_angle(count);
  if (dim == 2)
    return 2.0 * PORTABLE_PI / (double)count;
  if (count <= 2 * (size_t)dim)
    return RIGHT_ANGLE;
  double high = RIGHT_ANGLE, low = 0.5 * high;
  while (count_at(dim, low, count) < count) {
    high = low;
    low *= 0.5;
  }
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (low + high);
    if (count_at(dim, middle, count) < count)
      high = middle;
    else
      low = middle;
  }
  return low;
}

void embed_directions(int dim, size_t count, double angle, double *out) {
  layers l = {.dim = dim, .most = SIZE_MAX, .wanted = count, .total = count};
  l.out = out;
  if (count <= (size_t)dim + 1) {
    lay_simplex(&l, dim, count, 1.0);
    return;
  }
  l.total = count_at(dim, angle, SIZE_MAX);
  lay(&l, dim, angle, 1.0);
}
