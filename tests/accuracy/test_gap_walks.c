/* test_gap_walks.c - points as (x, gap) far beyond what coordinates tell: walks along one ray to sqrt(k) r = 600 and back, and
 * the distances between points on it. The true radius is kept in MPFR, from the steps that were really taken. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mp_ball.h"

#define RN MPFR_RNDN

enum { DIM = 50, STOPS = 400 };
#define FARTHEST           600.0 /* sqrt(k) times the radius where the walk turns */
#define RETURN_TOLERANCE   1e-12 /* relative, in the radius */
#define DISTANCE_TOLERANCE 1e-14 /* relative */

static const geodisk_ball balls[] = {
    {1, 1, 1},      {2, 1, 1},      {3, 1, 1},        {10, 1, 1},  {50, 1, 1},    {2, 1e-3, 3},
    {3, 1e6, 0.01}, {5, 2.5, 0.25}, {10, 1e-3, 0.01}, {2, 1e6, 3}, {3, 0.5, 0.7}, {1, 123.456, 2},
};
enum { BALLS = sizeof balls / sizeof balls[0] };

typedef struct place {
  double x[DIM];
  double gap;
} place;

static mp_ball mp;

static int set_up(void **state) {
  (void)state;
  mp_ball_create(&mp, DIM);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  mp_ball_destroy(&mp);
  return 0;
}

/* ---- exact bookkeeping ----------------------------------------------------------------------------------------------- */

/* The radius of a place, from its gap beyond |x|^2 = R^2/2 and from its coordinates nearer to the origin. */
static void exact_radius(const place *p, mpfr_ptr out) {
  size_t mark = mp_mark(&mp), n = (size_t)mp.dim;
  mpfr_ptr x = mp_take(&mp, n), gap = mp_take(&mp, 3), square = gap + 1, length = gap + 2;
  mp_set_doubles(x, p->x, n);
  mpfr_sqr(square, mp.radius, RN);
  mp_length(&mp, x, n, length);
  mp_gap(&mp, x, gap);
  mpfr_mul_ui(gap, gap, 2, RN);
  if (mpfr_less_p(gap, square)) {
    mpfr_set_d(gap, p->gap, RN);
    mp_radius_from_gap(&mp, gap, out);
  } else {
    mp_radius_from_euclidean(&mp, length, out);
  }
  mp_release(&mp, mark);
}

/* The length of the tangent v = factor x at p: (2R / (S sqrt(k))) |v|. */
static void exact_step(const place *p, const double *v, mpfr_ptr out) {
  size_t mark = mp_mark(&mp), n = (size_t)mp.dim;
  mpfr_ptr w = mp_take(&mp, n), x = mp_take(&mp, n), gap = mp_take(&mp, 2), square = gap + 1;
  mp_set_doubles(w, v, n);
  mp_set_doubles(x, p->x, n);
  mp_gap(&mp, x, gap);
  mpfr_sqr(square, mp.radius, RN);
  mpfr_mul_ui(out, gap, 2, RN);
  if (mpfr_less_p(out, square)) /* beyond R^2/2 the given gap rules */
    mpfr_set_d(gap, p->gap, RN);
  mp_length(&mp, w, n, out);
  mpfr_mul_ui(out, out, 2, RN);
  mpfr_mul(out, out, mp.radius, RN);
  mpfr_div(out, out, gap, RN);
  mpfr_div(out, out, mp.root, RN);
  mp_release(&mp, mark);
}

/* ---- walking --------------------------------------------------------------------------------------------------------- */

/* A tangent along the ray of about sqrt(k) length `far`: along an axis any number, elsewhere x times a power of two. */
static void radial_tangent(const geodisk_ball *ball, const place *p, bool axis, double far, double *v) {
  double length = 0;
  for (int i = 0; i < ball->dim; i++)
    length = hypot(length, p->x[i]);
  double factor = far * p->gap / (2 * ball->radius * length);
  if (!axis)
    factor = ldexp(factor < 0 ? -1 : 1, ilogb(factor));
  for (int i = 0; i < ball->dim; i++)
    v[i] = factor * p->x[i];
}

/* One step; `radius` follows exactly. Returns sqrt(k) r as the library sees it. */
static double step(const geodisk_ball *ball, place *p, bool axis, double far, mpfr_ptr radius) {
  double v[DIM];
  size_t mark = mp_mark(&mp);
  mpfr_ptr length = mp_take(&mp, 1);
  radial_tangent(ball, p, axis, far, v);
  exact_step(p, v, length);
  if (far > 0)
    mpfr_add(radius, radius, length, RN);
  else
    mpfr_sub(radius, radius, length, RN);
  mp_release(&mp, mark);
  geodisk_exp_gap(ball, p->x, p->gap, v, p->x, &p->gap);
  return sqrt(ball->curvature) * geodisk_radius_from_gap(ball, p->gap);
}

static double relative_error(mpfr_srcptr got, mpfr_srcptr exact) {
  size_t mark = mp_mark(&mp);
  mpfr_ptr error = mp_take(&mp, 1);
  mpfr_sub(error, got, exact, RN);
  mpfr_div(error, error, exact, RN);
  double result = fabs(mpfr_get_d(error, RN));
  mp_release(&mp, mark);
  return result;
}

static place starting_place(const geodisk_ball *ball, bool axis, double depth, uint64_t seed) {
  place p = {{0}, 0};
  geodisk_random random = geodisk_random_stream(seed, 7);
  double length = 0;
  for (int i = 0; i < ball->dim; i++) {
    p.x[i] = axis ? (i == ball->dim - 1 ? -1 : 0) : geodisk_random_normal(&random);
    length = hypot(length, p.x[i]);
  }
  for (int i = 0; i < ball->dim; i++)
    p.x[i] *= ball->radius * tanh(depth / 2) / length;
  p.gap = geodisk_gap(ball, p.x);
  return p;
}

/* Out to 600 and back to where the walk began, about; the radius found there against the exact one. */
static double there_and_back(const geodisk_ball *ball, bool axis, double depth, double stride, place *stops, int *count) {
  mp_ball_set(&mp, ball, 256);
  mpfr_ptr radius = mp_take(&mp, 2), found = radius + 1;
  place p = starting_place(ball, axis, depth, 3);
  exact_radius(&p, radius);
  double start = mpfr_get_d(radius, RN), at = 0;
  *count = 0;
  while (at < FARTHEST && *count < STOPS) {
    at = step(ball, &p, axis, fmin(stride, FARTHEST + 20 - at), radius);
    stops[(*count)++] = p;
  }
  assert_true(at >= FARTHEST);
  exact_radius(&p, found);
  double worst = relative_error(found, radius);
  for (int i = 0; i < 4 * STOPS; i++) {
    double left = sqrt(ball->curvature) * (mpfr_get_d(radius, RN) - start);
    if (left < 1e-9)
      break;
    at = step(ball, &p, axis, -fmin(left, stride), radius);
    exact_radius(&p, found);
    worst = fmax(worst, relative_error(found, radius));
  }
  return worst;
}

static void walks_to_600_and_back_keep_their_radius(void **state) {
  (void)state;
  static const double depths[] = {0.3, 1.5, 4, 30}, strides[] = {0.7, 3.1, 9, 50, 299};
  static place stops[STOPS];
  double worst = 0;
  for (int b = 0; b < BALLS; b++)
    for (int axis = 0; axis < 2; axis++)
      for (size_t d = 0; d < sizeof depths / sizeof depths[0]; d++)
        for (size_t s = 1; s < sizeof strides / sizeof strides[0]; s++) {
          int count;
          double error = there_and_back(&balls[b], axis, depths[d], strides[s], stops, &count);
          if (!(error <= RETURN_TOLERANCE))
            print_error("ball %d %g %g, %s, from %g by %g: %g\n", balls[b].dim, balls[b].radius, balls[b].curvature,
                        axis ? "axis" : "ray", depths[d], strides[s], error);
          worst = fmax(worst, error);
          if (!(error <= RETURN_TOLERANCE))
            worst = HUGE_VAL;
        }
  print_message("walks to 600 and back: radius within %.2g relative at every stop on the way back\n", worst);
  assert_true(worst <= RETURN_TOLERANCE);
}

/* ---- distances on one ray -------------------------------------------------------------------------------------------- */

static double distance_error(const geodisk_ball *ball, const place *a, const place *b) {
  mp_ball_set(&mp, ball, 256);
  mpfr_ptr first = mp_take(&mp, 3), second = first + 1, got = first + 2;
  exact_radius(a, first);
  exact_radius(b, second);
  mpfr_sub(first, first, second, RN);
  mpfr_abs(first, first, RN);
  mpfr_set_d(got, geodisk_distance_gap(ball, a->x, a->gap, b->x, b->gap), RN);
  return mpfr_zero_p(first) ? fabs(mpfr_get_d(got, RN)) : relative_error(got, first);
}

/* The stops of a walk along an axis lie on one ray exactly. Along another ray their coordinates are rounded, so that there x
 * serves as the direction of all and only the gaps differ. */
static void distances_on_a_ray_are_right(void **state) {
  (void)state;
  static place stops[STOPS];
  double worst = 0;
  for (int b = 0; b < BALLS; b++)
    for (int axis = 0; axis < 2; axis++) {
      int count, from = 0;
      there_and_back(&balls[b], axis, 0.5, 3.1, stops, &count);
      assert_true(count > 100);
      if (!axis) {
        const place *rim = &stops[count - 1];
        while (stops[from].gap > 0x1p-52 * balls[b].radius * balls[b].radius)
          from++;
        for (int i = from; i < count; i++)
          memcpy(stops[i].x, rim->x, sizeof rim->x);
      }
      for (int i = from; i < count; i++)
        for (int j = i; j < count; j += 1 + (j - i) / 4) {
          double error = fmax(distance_error(&balls[b], &stops[i], &stops[j]), distance_error(&balls[b], &stops[j], &stops[i]));
          if (!(error <= DISTANCE_TOLERANCE)) {
            print_error("ball %d %g %g, %s, stops %d (gap %a) and %d (gap %a): %g\n", balls[b].dim, balls[b].radius,
                        balls[b].curvature, axis ? "axis" : "ray", i, stops[i].gap, j, stops[j].gap, error);
            error = HUGE_VAL;
          }
          worst = fmax(worst, error);
        }
    }
  print_message("distances on one ray to depth 600: within %.2g relative\n", worst);
  assert_true(worst <= DISTANCE_TOLERANCE);
}

/* Gaps that differ in the last place only: the distance is about 1e-16 and must still be right. */
static void distances_between_neighbouring_gaps(void **state) {
  (void)state;
  for (int b = 0; b < BALLS; b++)
    for (double depth = 40; depth < FARTHEST; depth += 40) {
      place p = starting_place(&balls[b], false, 700, 9);
      for (int i = 0; i < balls[b].dim; i++)
        p.x[i] *= 1 - 0x1p-52;
      p.gap = geodisk_gap_from_radius(&balls[b], depth / sqrt(balls[b].curvature));
      place q = p;
      for (int i = 0; i < 40; i++) {
        q.gap = nextafter(q.gap, 0);
        double error = distance_error(&balls[b], &p, &q);
        if (!(error <= DISTANCE_TOLERANCE))
          print_error("ball %d %g %g, gaps %a and %a: %g\n", balls[b].dim, balls[b].radius, balls[b].curvature, p.gap, q.gap,
                      error);
        assert_true(error <= DISTANCE_TOLERANCE);
      }
    }
}

/* ---- log takes back what exp did ------------------------------------------------------------------------------------- */

static void log_and_exp_on_a_ray(void **state) {
  (void)state;
  static place stops[STOPS];
  double worst = 0;
  for (int b = 0; b < BALLS; b++) {
    int count;
    there_and_back(&balls[b], true, 0.5, 9, stops, &count);
    for (int i = 0; i < count; i++)
      for (int j = 0; j < count; j += 5) {
        double v[DIM];
        place q;
        geodisk_log_gap(&balls[b], stops[i].x, stops[i].gap, stops[j].x, stops[j].gap, v);
        geodisk_exp_gap(&balls[b], stops[i].x, stops[i].gap, v, q.x, &q.gap);
        mp_ball_set(&mp, &balls[b], 256);
        mpfr_ptr got = mp_take(&mp, 2), exact = got + 1;
        exact_radius(&q, got);
        exact_radius(&stops[j], exact);
        double error = relative_error(got, exact);
        if (!(error <= RETURN_TOLERANCE))
          print_error("ball %d %g %g, from gap %a to %a: %g\n", balls[b].dim, balls[b].radius, balls[b].curvature, stops[i].gap,
                      stops[j].gap, error);
        worst = fmax(worst, error);
        assert_true(error <= RETURN_TOLERANCE);
      }
  }
  print_message("exp of log on one axis: radius within %.2g relative\n", worst);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_to_600_and_back_keep_their_radius),
      cmocka_unit_test(distances_on_a_ray_are_right),
      cmocka_unit_test(distances_between_neighbouring_gaps),
      cmocka_unit_test(log_and_exp_on_a_ray),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
