/* cases.c - random cases by region, from the smallest denormals to the last number inside the rim.
 *
 * Points: zero, denormal, tiny, mid, deep (gap log-uniform), edge (gap about 2^-53 R^2, up to the largest number inside).
 * Second points: anywhere, near, one ulp away, equal, opposite, on the same ray. Tangents: zero, minute, and of length 1e-12 to
 * 1e3, in random directions, along the ray, nearly so, across it. Floats: the same with 2^-24. */
#include "cases.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const region_names[REGION_COUNT] = {"origin", "middle", "deep", "edge", "near", "opposite", "radial"};

/* ---- drawing numbers ------------------------------------------------------------------------------------------------- */

typedef struct drawer {
  geodisk_random random;
  accuracy_case *c;
  int n;       /* dim */
  double R;    /* radius */
  double eps;  /* half an ulp of 1 */
  bool single; /* numbers are floats */
} drawer;

static double uniform(drawer *d, double low, double high) { return low + (high - low) * geodisk_random_uniform(&d->random); }
static double log_uniform(drawer *d, double low, double high) { return exp(uniform(d, log(low), log(high))); }
static int below(drawer *d, int bound) { return (int)geodisk_random_below(&d->random, (uint64_t)bound); }
static bool chance(drawer *d, int percent) { return below(d, 100) < percent; }
static double sign(drawer *d) { return chance(d, 50) ? 1 : -1; }
static double rounded(const drawer *d, double x) { return d->single ? (double)(float)x : x; }

static double next_number(const drawer *d, double x, double towards) {
  return d->single ? (double)nextafterf((float)x, (float)towards) : nextafter(x, towards);
}

/* An entry of a list, by weights in percent. */
static int pick(drawer *d, const int *percent) {
  int at = below(d, 100), i = 0;
  while ((at -= percent[i]) >= 0)
    i++;
  return i;
}

static void note(drawer *d, const char *what, int region) {
  size_t used = strlen(d->c->kind);
  snprintf(d->c->kind + used, sizeof d->c->kind - used, "%s%s", used ? "+" : "", what);
  if (region >= 0)
    d->c->region = region;
}

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

static double length(const double *x, int n) {
  double scale = 0, sum = 0;
  for (int i = 0; i < n; i++)
    scale = fmax(scale, fabs(x[i]));
  if (scale == 0)
    return 0;
  for (int i = 0; i < n; i++)
    sum += (x[i] / scale) * (x[i] / scale);
  return scale * sqrt(sum);
}

/* R^2 - |x|^2 in twice the precision, which decides what is inside down to gaps of 2^-90 R^2. */
static double gap_of(const drawer *d, const double *x) {
  double high = d->R * d->R, low = fma(d->R, d->R, -high);
  for (int i = 0; i < d->n; i++) {
    double square = x[i] * x[i], rest = fma(x[i], x[i], -square);
    double sum = high - square, back = sum - high;
    low += (high - (sum - back)) - (square + back) - rest;
    high = sum;
  }
  return high + low;
}

/* Small coordinates are finer than large ones, so gaps can be far smaller than 2^-53 R^2; these stop at 2^-73 R^2. */
static bool allowed(const drawer *d, const double *x) { return gap_of(d, x) >= d->eps * 0x1p-20 * d->R * d->R; }

/* A unit vector: mostly in general position, sometimes along an axis, with few entries, or of very uneven ones. */
static void draw_direction(drawer *d, double *out) {
  int shape = below(d, 10);
  for (int i = 0; i < d->n; i++)
    out[i] = geodisk_random_normal(&d->random);
  if (shape == 0)
    for (int i = 0, keep = below(d, d->n); i < d->n; i++)
      out[i] = i == keep ? sign(d) : 0;
  if (shape == 1)
    for (int i = 0, keep = below(d, d->n); i < d->n; i++)
      out[i] *= i == keep || chance(d, 30) ? 1 : 0;
  if (shape == 2)
    for (int i = 0; i < d->n; i++)
      out[i] *= log_uniform(d, 1e-20, 1);
  double l = length(out, d->n);
  for (int i = 0; i < d->n; i++)
    out[i] /= l;
}

/* Scales a point that is outside onto the rim, then pulls it inward, number by number, until it is inside. */
static void pull_inside(const drawer *d, double *x) {
  double l = length(x, d->n);
  for (int i = 0; i < d->n && l > d->R; i++)
    x[i] = rounded(d, x[i] / l * d->R);
  while (!allowed(d, x)) {
    int most = 0;
    for (int i = 1; i < d->n; i++)
      most = fabs(x[i]) > fabs(x[most]) ? i : most;
    x[most] = next_number(d, x[most], 0);
  }
}

static void set_scaled(const drawer *d, const double *direction, double factor, double *out) {
  for (int i = 0; i < d->n; i++)
    out[i] = rounded(d, direction[i] * factor);
}

/* As far out as numbers go: each coordinate in turn, one number further while the point stays inside. */
static void push_outward(const drawer *d, double *x) {
  for (int i = 0; i < d->n; i++) {
    double before = x[i];
    x[i] = x[i] == 0 ? 0 : next_number(d, x[i], x[i] > 0 ? HUGE_VAL : -HUGE_VAL);
    if (!allowed(d, x))
      x[i] = before;
  }
}

/* ---- points ---------------------------------------------------------------------------------------------------------- */

enum { ZERO, DENORMAL, TINY, MID, DEEP, EDGE };

static void draw_point_of(drawer *d, int place, double *x) {
  double direction[MAX_DIM], smallest = d->single ? 0x1p-149 : 0x1p-1074;
  draw_direction(d, direction);
  switch (place) {
  case ZERO:
    set_scaled(d, direction, 0, x);
    break;
  case DENORMAL:
    set_scaled(d, direction, smallest * log_uniform(d, 1, d->single ? 1e7 : 1e16), x);
    break;
  case TINY:
    set_scaled(d, direction, d->R * log_uniform(d, d->single ? 1e-30 : 1e-150, 1e-5), x);
    break;
  case MID:
    set_scaled(d, direction, d->R * uniform(d, 0, 0.95), x);
    break;
  case DEEP:
    set_scaled(d, direction, d->R * sqrt(1 - log_uniform(d, d->eps * 100, 0.1)), x);
    break;
  default:
    set_scaled(d, direction, d->R * (1 - d->eps * log_uniform(d, 0.5, 30)), x);
    pull_inside(d, x);
    if (chance(d, 50))
      push_outward(d, x);
  }
  pull_inside(d, x);
}

static int draw_place(drawer *d) {
  static const int percent[] = {7, 3, 15, 30, 28, 17};
  return pick(d, percent);
}

static void draw_first_point(drawer *d, double *x) {
  static const char *const names[] = {"zero", "denormal", "tiny", "mid", "deep", "edge"};
  static const int regions[] = {REGION_ORIGIN, REGION_ORIGIN, REGION_ORIGIN, REGION_MIDDLE, REGION_DEEP, REGION_EDGE};
  int place = draw_place(d);
  note(d, names[place], regions[place]);
  draw_point_of(d, place, x);
}

/* y = x plus a vector whose length is a random power of ten times the gap (what "near" means there) or times |x|. */
static void draw_near(drawer *d, const double *x, double *y) {
  double direction[MAX_DIM], far = chance(d, 70) ? gap_of(d, x) / d->R : length(x, d->n);
  far *= log_uniform(d, d->single ? 1e-8 : 1e-17, 0.1);
  draw_direction(d, direction);
  for (int i = 0; i < d->n; i++)
    y[i] = rounded(d, x[i] + far * direction[i]);
  pull_inside(d, y);
}

static void draw_one_ulp(drawer *d, const double *x, double *y) {
  int moved = below(d, d->n);
  for (int i = 0; i < d->n; i++)
    y[i] = i == moved || chance(d, 30) ? next_number(d, x[i], sign(d) * HUGE_VAL) : x[i];
  pull_inside(d, y);
}

static void draw_second_point(drawer *d, const double *x, double *y) {
  static const int percent[] = {45, 20, 5, 3, 12, 5, 10};
  int relation = pick(d, percent);
  double factor = uniform(d, 0.3, 0.95);
  switch (relation) {
  case 0:
    draw_point_of(d, draw_place(d), y);
    break;
  case 1:
    note(d, "near", REGION_NEAR);
    draw_near(d, x, y);
    break;
  case 2:
    note(d, "ulp", REGION_NEAR);
    draw_one_ulp(d, x, y);
    break;
  case 3:
    note(d, "equal", REGION_NEAR);
    set_scaled(d, x, 1, y);
    break;
  case 4:
    note(d, "opposite", REGION_OPPOSITE);
    set_scaled(d, x, -factor, y);
    break;
  case 5:
    note(d, "minus", REGION_OPPOSITE);
    set_scaled(d, x, -1, y);
    break;
  default:
    note(d, "ray", REGION_RADIAL);
    set_scaled(d, x, chance(d, 50) ? factor : ldexp(1, -below(d, 8)), y);
  }
}

/* ---- tangents -------------------------------------------------------------------------------------------------------- */

static double draw_step(drawer *d) {
  static const int percent[] = {5, 10, 20, 34, 15, 14, 2};
  switch (pick(d, percent)) {
  case 0:
    return 0;
  case 1:
    return log_uniform(d, d->single ? 1e-25 : 1e-150, 1e-12);
  case 2:
    return log_uniform(d, 1e-12, 1);
  case 3:
    return uniform(d, 0, 10);
  case 4:
    return uniform(d, 0, 40);
  case 5:
    return log_uniform(d, 10, 1e3);
  default:
    return log_uniform(d, 1e3, 1e9);
  }
}

/* The tangent at x whose sqrt(k) length is drawn; `gap` is the point's. */
static void draw_tangent(drawer *d, const double *x, double gap, double *v) {
  static const int percent[] = {55, 12, 10, 15, 8};
  double direction[MAX_DIM], far = draw_step(d) * gap / (2 * d->R), l = length(x, d->n), blend;
  int shape = l > 1e-290 ? pick(d, percent) : 0;
  draw_direction(d, direction);
  if (shape == 1 || shape == 2) {
    note(d, "radial", REGION_RADIAL);
    double factor = sign(d) * far / l;
    if (shape == 2 && factor != 0) { /* exactly parallel: by a power of two */
      int exponent = ilogb(factor);
      factor = factor < 0 ? -ldexp(1, exponent) : ldexp(1, exponent);
    }
    set_scaled(d, x, factor, v);
    return;
  }
  if (shape == 3) {
    note(d, "nearly", REGION_RADIAL);
    blend = log_uniform(d, d->eps / 4, 0.1);
    for (int i = 0, s = chance(d, 50); i < d->n; i++)
      direction[i] = (s ? 1 : -1) * x[i] / l + blend * direction[i];
  }
  if (shape == 4) {
    double dot = 0;
    for (int i = 0; i < d->n; i++)
      dot += direction[i] * (x[i] / l);
    for (int i = 0; i < d->n; i++)
      direction[i] -= dot * (x[i] / l);
    double across = length(direction, d->n);
    for (int i = 0; i < d->n && across > 0; i++)
      direction[i] /= across;
  }
  set_scaled(d, direction, far, v);
}

/* v beside an u that is already there: any, nearly parallel or antiparallel, equal, or nearly perpendicular. */
static void draw_beside(drawer *d, const double *u, double *v) {
  double direction[MAX_DIM], l = length(u, d->n), blend = log_uniform(d, d->eps / 4, 1), s = sign(d);
  double factor = log_uniform(d, 0.1, 10);
  int shape = below(d, 10);
  if (shape < 4 || l < 1e-290)
    return;
  draw_direction(d, direction);
  note(d, shape < 8 ? "nearly" : "across", -1);
  if (shape == 8 || shape == 9) { /* across: the part of a random vector perpendicular to u, as far as rounding lets it be */
    double dot = 0;
    for (int i = 0; i < d->n; i++)
      dot += direction[i] * (u[i] / l);
    for (int i = 0; i < d->n; i++)
      v[i] = rounded(d, factor * l * (direction[i] - dot * (u[i] / l)));
    return;
  }
  for (int i = 0; i < d->n; i++)
    v[i] = rounded(d, s * (shape == 4 ? u[i] : factor * (u[i] + blend * l * direction[i])));
}

/* An angle needs two vectors that are not zero. */
static void make_nonzero(const drawer *d, double *v) {
  if (length(v, d->n) == 0)
    v[0] = 1;
}

/* ---- points with gaps, other models, numbers -------------------------------------------------------------------------- */

static double deepest(const drawer *d) { return d->single ? 55 : 600; } /* sqrt(k) r to which (x, gap) points go */

static double gap_at(const drawer *d, double depth) {
  double c = cosh(depth / 2);
  return rounded(d, d->R / c * (d->R / c));
}

/* The (x, gap) point in a direction, sqrt(k) r deep. Beyond what coordinates tell they are as near to the rim as they can be. */
static void put_at_depth(const drawer *d, const double *direction, double depth, double *x) {
  double gap = gap_at(d, depth), l = length(direction, d->n);
  set_scaled(d, direction, sqrt(d->R * d->R - gap) / l, x);
  pull_inside(d, x);
  if (gap < d->eps * d->R * d->R)
    push_outward(d, x);
  x[d->n] = gap;
}

/* How far apart the directions of two vectors are. */
static double between(const drawer *d, const double *x, const double *y) {
  double difference[MAX_DIM], lx = length(x, d->n), ly = length(y, d->n);
  for (int i = 0; i < d->n; i++)
    difference[i] = x[i] / lx - y[i] / ly;
  return length(difference, d->n);
}

/* The gap of ordinary coordinates, or coordinates as a direction with a gap far beyond them. */
static void draw_gap_point(drawer *d, double *x) {
  double direction[MAX_DIM];
  if (chance(d, 35)) {
    draw_first_point(d, x);
    x[d->n] = rounded(d, gap_of(d, x));
    return;
  }
  note(d, "depths", REGION_DEEP);
  draw_direction(d, direction);
  put_at_depth(d, direction, uniform(d, 2, deepest(d)), x);
}

/* A point on the ray through x (turn 1) or the opposite one (turn -1), exactly: on an axis anywhere, elsewhere only where x
 * itself serves as the direction, that is when both points are deeper than coordinates tell. */
static void put_on_ray(drawer *d, const double *x, double turn, double *y) {
  double direction[MAX_DIM], beyond = 2 * log(2 / d->eps), depth = uniform(d, 2, deepest(d));
  int entries = 0;
  for (int i = 0; i < d->n; i++) {
    direction[i] = turn * x[i];
    entries += x[i] != 0;
  }
  if (entries == 1) {
    put_at_depth(d, direction, depth, y);
    return;
  }
  set_scaled(d, direction, 1, y);
  y[d->n] = x[d->n];
  if (x[d->n] < gap_at(d, beyond))
    y[d->n] = gap_at(d, uniform(d, beyond, deepest(d)));
}

/* Anywhere; on the same ray; equal; on the opposite ray; in a direction near by, yet further apart than the rule by which deep
 * points count as on one ray. */
static void draw_second_gap_point(drawer *d, const double *x, double *y) {
  static const char *const names[] = {"", "ray", "equal", "opposite", "near"};
  static const int regions[] = {0, REGION_RADIAL, REGION_NEAR, REGION_OPPOSITE, REGION_NEAR}, percent[] = {35, 15, 15, 15, 20};
  int relation = pick(d, percent);
  double direction[MAX_DIM], angle = log_uniform(d, 16 * d->eps, 0.1);
  if (2 * x[d->n] >= d->R * d->R) /* near the origin the coordinates of x decide */
    relation = 0;
  if (relation == 0) {
    char kept[sizeof d->c->kind];
    int region = d->c->region;
    memcpy(kept, d->c->kind, sizeof kept);
    double apart;
    do {
      draw_gap_point(d, y);
      apart = between(d, x, y);
    } while (apart > 0 && apart < 16 * d->eps); /* the library may take such directions for the same: not a case for it */
    memcpy(d->c->kind, kept, sizeof kept);
    d->c->region = region;
    return;
  }
  draw_direction(d, direction);
  for (int i = 0; i < d->n; i++)
    direction[i] = x[i] + angle * d->R * direction[i];
  if (relation == 4)
    put_at_depth(d, direction, uniform(d, 2, deepest(d)), y);
  if (relation == 4 && between(d, x, y) < 16 * d->eps)
    relation = 1;
  if (relation == 1 || relation == 3)
    put_on_ray(d, x, relation == 1 ? 1 : -1, y);
  if (relation == 2) {
    set_scaled(d, x, 1, y);
    y[d->n] = x[d->n];
  }
  note(d, names[relation], regions[relation]);
}

static void draw_lorentz(drawer *d, double *p) {
  double root = sqrt(d->c->ball.curvature), size = log_uniform(d, d->single ? 1e-20 : 1e-100, d->single ? 1e18 : 1e120);
  if (chance(d, 70))
    size = sinh(uniform(d, 0, 40));
  draw_direction(d, p + 1);
  set_scaled(d, p + 1, chance(d, 5) ? 0 : size / root, p + 1);
  p[0] = rounded(d, hypot(1 / root, length(p + 1, d->n)));
  note(d, "lorentz", size < 1e-5 ? REGION_ORIGIN : size < 10 ? REGION_MIDDLE : size < 1e15 ? REGION_DEEP : REGION_EDGE);
}

static void draw_halfspace(drawer *d, double *p) {
  double range = d->single ? 1e7 : 1e15;
  draw_direction(d, p);
  set_scaled(d, p, log_uniform(d, 1 / range, range), p);
  p[d->n - 1] = rounded(d, log_uniform(d, 1 / range, range));
  if (chance(d, 20)) { /* next to the ball's origin */
    set_scaled(d, p, chance(d, 30) ? 0 : log_uniform(d, d->eps, 0.1) / fmax(1, length(p, d->n)), p);
    p[d->n - 1] = rounded(d, 1 + sign(d) * log_uniform(d, d->eps / 4, 0.1));
  }
  double l = length(p, d->n);
  note(d, "half-space", l > 1e3 || p[d->n - 1] < 1e-3 ? REGION_DEEP : REGION_MIDDLE);
}

static double draw_gap(drawer *d) {
  double square = d->R * d->R;
  if (chance(d, 30)) {
    note(d, "shallow", REGION_ORIGIN);
    return rounded(d, square * (1 - log_uniform(d, d->eps, 0.5)));
  }
  double depth = uniform(d, 0, deepest(d));
  note(d, "depths", depth < 4 ? REGION_MIDDLE : REGION_DEEP);
  return gap_at(d, depth);
}

static double draw_radius(drawer *d) {
  double depth = chance(d, 40) ? log_uniform(d, d->single ? 1e-20 : 1e-150, 1) : uniform(d, 0, deepest(d));
  note(d, "radius", depth < 1e-5 ? REGION_ORIGIN : depth < 4 ? REGION_MIDDLE : REGION_DEEP);
  return rounded(d, depth / sqrt(d->c->ball.curvature));
}

static double draw_euclidean(drawer *d) {
  double x[1];
  int n = d->n;
  d->n = 1;
  draw_first_point(d, x);
  d->n = n;
  return fabs(x[0]);
}

static double draw_share(drawer *d) {
  static const int percent[] = {12, 12, 10, 45, 6, 15};
  switch (pick(d, percent)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return 0.5;
  case 3:
    return rounded(d, uniform(d, 0, 1));
  case 4:
    return rounded(d, log_uniform(d, 1e-15, 1e-3));
  default:
    note(d, "beyond", -1);
    return rounded(d, uniform(d, -3, 4));
  }
}

static double draw_factor(drawer *d) {
  switch (below(d, 5)) {
  case 0:
    return sign(d) * below(d, 3);
  case 1:
    return rounded(d, sign(d) * log_uniform(d, 1e-12, 1e3));
  default:
    return rounded(d, uniform(d, -3, 3));
  }
}

/* ---- a case ---------------------------------------------------------------------------------------------------------- */

static void draw_ball(drawer *d, geodisk_ball *ball) {
  static const int dims[] = {1, 2, 3, 5, 10, 50, 100, 300}, dim_percent[] = {12, 25, 20, 13, 14, 8, 5, 3};
  static const double radii[] = {1, 1e-3, 0.5, 2.5, 1e6}, curvatures[] = {1, 0.01, 0.25, 3};
  static const int radius_percent[] = {45, 10, 10, 10, 10, 15}, curvature_percent[] = {60, 10, 8, 8, 14};
  ball->dim = dims[pick(d, dim_percent)];
  int radius = pick(d, radius_percent), curvature = pick(d, curvature_percent);
  ball->radius = radius < 5 ? radii[radius] : log_uniform(d, 1e-3, 1e6);
  ball->curvature = curvature < 4 ? curvatures[curvature] : log_uniform(d, 1e-2, 3);
}

/* Fills the inputs letter by letter; `x` is the point drawn first, `gap` its gap. */
static void draw_inputs(drawer *d) {
  const double *x = NULL;
  double *at = d->c->in, gap = d->R * d->R, *u = NULL;
  for (const char *letter = d->c->op->inputs; *letter; at += letter_numbers(*letter, d->n), letter++) {
    switch (*letter) {
    case 'x':
      draw_first_point(d, at);
      x = at;
      gap = gap_of(d, at);
      break;
    case 'y':
      draw_second_point(d, x, at);
      break;
    case 'X':
      draw_gap_point(d, at);
      x = at;
      gap = 2 * at[d->n] < d->R * d->R ? at[d->n] : gap_of(d, at);
      break;
    case 'Y':
      draw_second_gap_point(d, x, at);
      break;
    case 'u':
      draw_tangent(d, x, gap, at);
      u = at;
      break;
    case 'v':
      draw_tangent(d, x, gap, at);
      if (u)
        draw_beside(d, u, at);
      if (u && strcmp(d->c->op->name, "angle") == 0) {
        make_nonzero(d, u);
        make_nonzero(d, at);
      }
      break;
    case 'd':
      draw_direction(d, at);
      set_scaled(d, at, log_uniform(d, 1e-9, 1e9), at);
      break;
    case 'K':
      draw_first_point(d, at);
      break;
    case 'L':
      draw_lorentz(d, at);
      break;
    case 'H':
      draw_halfspace(d, at);
      break;
    case 't':
      *at = draw_share(d);
      break;
    case 's':
      *at = draw_factor(d);
      break;
    case 'g':
      *at = draw_gap(d);
      break;
    case 'r':
      *at = draw_radius(d);
      break;
    default:
      *at = draw_euclidean(d);
    }
  }
}

void case_draw(const operation *op, bool single, uint64_t seed, uint64_t index, accuracy_case *out) {
  uint64_t which = (uint64_t)(op - operations) * 2 + (single ? 1 : 0);
  drawer d = {
      .random = geodisk_random_stream(seed, which << 40 | index), .c = out, .eps = single ? 0x1p-24 : 0x1p-53, .single = single};
  out->op = op;
  out->single = single;
  out->kind[0] = '\0';
  out->region = REGION_MIDDLE;
  out->slack = -1;
  out->salt = seed ^ (which << 40 | index);
  draw_ball(&d, &out->ball);
  if (strchr(op->inputs, 'X') && out->ball.dim > 50) /* the precision of these cases is high: keep them affordable */
    out->ball.dim = 50;
  d.n = out->ball.dim;
  d.R = out->ball.radius;
  draw_inputs(&d);
}

/* ---- reading and printing -------------------------------------------------------------------------------------------- */

static bool read_number(char **text, double *out) {
  char *end;
  errno = 0;
  *out = strtod(*text, &end);
  bool ok = end != *text && errno == 0;
  *text = end;
  return ok;
}

bool case_parse(char *line, accuracy_case *out, char **outputs) {
  char *field[8], *at = line;
  for (int i = 0; i < 8; i++) {
    field[i] = at;
    at = strpbrk(at, "\t\n");
    if (!at)
      return false;
    *at++ = '\0';
  }
  double dim;
  out->op = operation_named(field[0]);
  if (!out->op || !read_number(&field[2], &dim) || dim < 1 || dim > MAX_DIM || !read_number(&field[3], &out->ball.radius) ||
      !read_number(&field[4], &out->ball.curvature) || !read_number(&field[7], &out->slack))
    return false;
  out->ball.dim = (int)dim;
  out->single = false;
  out->salt = 0;
  snprintf(out->kind, sizeof out->kind, "%s", field[1]);
  out->region = strstr(field[1], "near")       ? REGION_NEAR
                : strstr(field[1], "opposite") ? REGION_OPPOSITE
                : strstr(field[1], "radial")   ? REGION_RADIAL
                : strstr(field[1], "edge")     ? REGION_EDGE
                : strstr(field[1], "deep")     ? REGION_DEEP
                : strstr(field[1], "mid")      ? REGION_MIDDLE
                                               : REGION_ORIGIN;
  for (size_t i = 0, n = input_numbers(out->op, out->ball.dim); i < n; i++)
    if (!read_number(&field[5], &out->in[i]))
      return false;
  while (isspace((unsigned char)*field[5]))
    field[5]++;
  *outputs = field[6];
  return *field[5] == '\0';
}

void case_print(FILE *file, const accuracy_case *c) {
  fprintf(file, "%s%s %s dim %d radius %a curvature %a\n", c->op->name, c->single ? "f" : "", c->kind, c->ball.dim,
          c->ball.radius, c->ball.curvature);
  const double *at = c->in;
  for (const char *letter = c->op->inputs; *letter; letter++) {
    fprintf(file, "  %c =", *letter);
    for (size_t i = 0; i < letter_numbers(*letter, c->ball.dim); i++)
      fprintf(file, " %a", *at++);
    fprintf(file, "\n");
  }
}
