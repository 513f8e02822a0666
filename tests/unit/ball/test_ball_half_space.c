/* The half-space score: it is the difference of two distances, isometries keep it, gradients are its derivatives, batches and
 * floats agree with single calls, (x, gap) reaches where coordinates do not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/ball.h"

enum { MAX_DIM = 12, CASES = 300 };

typedef struct world {
  geodisk_random random;
  geodisk_ball ball;
  double o[MAX_DIM], p[MAX_DIM], c[MAX_DIM], v[MAX_DIM];
} world;

static void draw(world *w, int i) {
  if (i == 0)
    w->random = geodisk_random_stream(11, 0);
  w->ball = (geodisk_ball){1 + (int)geodisk_random_below(&w->random, MAX_DIM), 0.5 + 3.0 * geodisk_random_uniform(&w->random),
                           0.2 + 2.0 * geodisk_random_uniform(&w->random)};
  const double far = 6.0 / sqrt(w->ball.curvature);
  geodisk_random_in_ball(&w->ball, &w->random, far / 3.0, w->o, NULL);
  geodisk_random_in_ball(&w->ball, &w->random, far, w->p, NULL);
  geodisk_random_in_ball(&w->ball, &w->random, far, w->c, NULL);
  for (int j = 0; j < w->ball.dim; j++)
    w->v[j] = geodisk_random_normal(&w->random);
}

#define assert_close(a, b, tolerance)                                                                                            \
  do {                                                                                                                           \
    double a_ = (a), b_ = (b), t_ = (tolerance);                                                                                 \
    if (!(fabs(a_ - b_) <= t_))                                                                                                  \
      fail_msg("%s = %.17g, %s = %.17g, off by %.3g > %.3g", #a, a_, #b, b_, fabs(a_ - b_), t_);                                 \
  } while (0)

/* A difference of distances, within the bounds that the triangle inequality gives; the same after an isometry. */
static void is_a_difference(void **state) {
  (void)state;
  world w;
  for (int i = 0; i < CASES; i++) {
    draw(&w, i);
    static const double zero[MAX_DIM];
    const double d = geodisk_distance(&w.ball, w.p, w.c), reach = geodisk_distance(&w.ball, w.o, w.p);
    const double from_origin = geodisk_half_space_score(&w.ball, NULL, w.p, w.c);
    const double from_centre = geodisk_half_space_score(&w.ball, w.o, w.p, w.c);
    assert_close(from_origin, d - geodisk_distance(&w.ball, zero, w.c), 1e-14 * d);
    assert_close(from_origin, geodisk_half_space_score(&w.ball, zero, w.p, w.c), 1e-14 * fabs(from_origin));
    assert_close(from_centre, d - geodisk_distance(&w.ball, w.o, w.c), 1e-14 * d);
    assert_true(fabs(from_centre) <= reach * (1.0 + 1e-15));
    double p[MAX_DIM], c[MAX_DIM];
    geodisk_centre(&w.ball, w.o, w.p, p);
    geodisk_centre(&w.ball, w.o, w.c, c);
    assert_close(geodisk_half_space_score(&w.ball, NULL, p, c), from_centre, 1e-10 * d);
  }
}

/* What is beyond p on its ray scores -d(o,p), what is opposite d(o,p), and the centre's own score is that of p itself. */
static void along_the_ray(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  const double p[2] = {0.3, 0.4}, beyond[2] = {0.54, 0.72}, opposite[2] = {-0.27, -0.36}, origin[2] = {0.0, 0.0};
  const double radius = geodisk_distance(&ball, origin, p);
  assert_close(geodisk_half_space_score(&ball, NULL, p, beyond), -radius, 1e-15);
  assert_close(geodisk_half_space_score(&ball, NULL, p, opposite), radius, 1e-15);
  assert_close(geodisk_half_space_score(&ball, NULL, p, p), -radius, 1e-15);
  assert_close(geodisk_half_space_score(&ball, NULL, p, origin), radius, 1e-15);
  assert_true(geodisk_half_space_score(&ball, NULL, origin, p) == 0.0);
  assert_true(geodisk_half_space_score(&ball, p, p, beyond) == 0.0);
}

static double moved_score(const world *w, const double *centre, bool child, double step) {
  double v[MAX_DIM], x[MAX_DIM];
  const double *from = child ? w->c : w->p;
  for (int j = 0; j < w->ball.dim; j++)
    v[j] = step * w->v[j] * geodisk_gap(&w->ball, from);
  geodisk_exp(&w->ball, from, v, x);
  return geodisk_half_space_score(&w->ball, centre, child ? w->p : x, child ? x : w->c);
}

static void gradients(void **state) {
  (void)state;
  world w;
  for (int i = 0; i < CASES; i++) {
    draw(&w, i);
    const double *centre = i % 2 ? w.o : NULL;
    double grad[2][MAX_DIM], both[2][MAX_DIM], gaps[2][MAX_DIM];
    const double p_gap = geodisk_gap(&w.ball, w.p), c_gap = geodisk_gap(&w.ball, w.c);
    geodisk_half_space_gradient(&w.ball, centre, w.p, w.c, grad[0], grad[1]);
    geodisk_half_space_gradient(&w.ball, centre, w.p, w.c, both[0], NULL);
    geodisk_half_space_gradient(&w.ball, centre, w.p, w.c, NULL, both[1]);
    geodisk_half_space_gradient_gap(&w.ball, centre, w.p, p_gap, w.c, c_gap, gaps[0], gaps[1]);
    for (int child = 0; child < 2; child++) {
      const double *from = child ? w.c : w.p;
      double v[MAX_DIM];
      for (int j = 0; j < w.ball.dim; j++) {
        v[j] = w.v[j] * geodisk_gap(&w.ball, from);
        assert_true(grad[child][j] == both[child][j]);
        assert_close(gaps[child][j], grad[child][j], 1e-14 * w.ball.radius);
      }
      const double h = 1e-5, slope = geodisk_inner(&w.ball, from, grad[child], v);
      const double numeric = (moved_score(&w, centre, child == 1, h) - moved_score(&w, centre, child == 1, -h)) / (2.0 * h);
      assert_close(slope, numeric, 1e-6 * (1.0 + geodisk_norm(&w.ball, from, v)));
    }
    assert_close(geodisk_norm(&w.ball, w.p, grad[0]), 1.0, 1e-14);
  }
}

/* The gradient in c is the difference of two unit tangents, to the last digits of their length. */
static void gradient_in_c(void **state) {
  (void)state;
  world w;
  for (int i = 0; i < CASES; i++) {
    draw(&w, i);
    double from_p[MAX_DIM], from_o[MAX_DIM], grad[MAX_DIM];
    geodisk_distance_gradient(&w.ball, w.p, w.c, NULL, from_p);
    geodisk_distance_gradient(&w.ball, w.o, w.c, NULL, from_o);
    geodisk_half_space_gradient(&w.ball, w.o, w.p, w.c, NULL, grad);
    const double unit = 1.0 / geodisk_metric_factor(&w.ball, w.c);
    for (int j = 0; j < w.ball.dim; j++)
      assert_close(grad[j], from_p[j] - from_o[j], 4 * 0x1p-53 * unit);
  }
}

/* Radius 300, where coordinates are all 1: the gap tells who is below whom. */
static void beyond_coordinates(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(2);
  const double along[2] = {1.0, 0.0}, across[2] = {0.0, 1.0};
  const double p[2] = {nextafter(along[0], 0.0), 0.0}, q[2] = {0.0, nextafter(across[1], 0.0)};
  const double p_gap = geodisk_gap_from_radius(&ball, 100.0), deep = geodisk_gap_from_radius(&ball, 300.0);
  assert_close(geodisk_half_space_score_gap(&ball, NULL, p, p_gap, p, deep), -100.0, 1e-12);
  const double apart = geodisk_half_space_score_gap(&ball, NULL, p, p_gap, q, deep);
  assert_true(apart > 98.0 && apart < 100.0);
  assert_true(isnan(geodisk_half_space_score_gap(&ball, NULL, p, 2.0, q, deep)));
  const double outside[2] = {1.0, 1.0};
  double grad[2] = {0.0, 0.0};
  assert_true(isnan(geodisk_half_space_score(&ball, NULL, outside, q)));
  assert_true(isnan(geodisk_half_space_score(&ball, outside, q, q)));
  geodisk_half_space_gradient(&ball, NULL, q, outside, NULL, grad);
  assert_true(isnan(grad[0]) && isnan(grad[1]));
}

static void batches_and_floats(void **state) {
  (void)state;
  enum { ROWS = 5000, DIM = 3 };
  static double p[ROWS * DIM], c[ROWS * DIM], gap[ROWS], many[ROWS], with_gap[ROWS], rows[ROWS];
  static float pf[ROWS * DIM], cf[ROWS * DIM], manyf[ROWS], rowsf[ROWS];
  const geodisk_ball ball = {DIM, 2.0, 0.7};
  geodisk_random random = geodisk_random_stream(3, 0);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  for (size_t i = 0; i < ROWS; i++) {
    geodisk_random_in_ball(&ball, &random, 8.0, p + i * DIM, NULL);
    geodisk_random_in_ball(&ball, &random, 8.0, c + i * DIM, &gap[i]);
  }
  for (size_t i = 0; i < (size_t)ROWS * DIM; i++) {
    pf[i] = (float)p[i];
    cf[i] = (float)c[i];
  }
  const double centre[DIM] = {0.1, -0.2, 0.3}, *const centres[2] = {NULL, centre};
  const float centref[DIM] = {0.1F, -0.2F, 0.3F}, *const centresf[2] = {NULL, centref};
  for (int k = 0; k < 2; k++) {
    geodisk_half_space_score_many(context, &ball, centres[k], p, ROWS, c, NULL, many);
    geodisk_half_space_score_many(context, &ball, centres[k], p, ROWS, c, gap, with_gap);
    geodisk_half_space_score_rows(context, &ball, centres[k], ROWS, p, c, rows);
    geodisk_half_space_score_manyf(context, &ball, centresf[k], pf, ROWS, cf, NULL, manyf);
    geodisk_half_space_score_rowsf(context, &ball, centresf[k], ROWS, pf, cf, rowsf);
    for (size_t i = 0; i < ROWS; i++) {
      const double *row = c + i * DIM, bound = 32 * 0x1p-53 * 40.0;
      assert_close(many[i], geodisk_half_space_score(&ball, centres[k], p, row), bound);
      assert_close(with_gap[i], many[i], 1e-9);
      assert_close(rows[i], geodisk_half_space_score(&ball, centres[k], p + i * DIM, row), bound);
      assert_close((double)manyf[i], (double)geodisk_half_space_scoref(&ball, centresf[k], pf, cf + i * DIM), 1e-5);
      assert_close((double)rowsf[i], (double)geodisk_half_space_scoref(&ball, centresf[k], pf + i * DIM, cf + i * DIM), 1e-5);
    }
  }
  geodisk_context_destroy(context);
}

/* Wider than the batches' own origin: row by row, to the same. */
static void batches_of_very_many_dimensions(void **state) {
  (void)state;
  enum { ROWS = 3, DIM = 2100 };
  static double p[ROWS * DIM], c[ROWS * DIM];
  double gap[ROWS], many[ROWS], with_gap[ROWS], rows[ROWS];
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  geodisk_random random = geodisk_random_stream(5, 0);
  for (size_t i = 0; i < ROWS; i++) {
    geodisk_random_in_ball(&ball, &random, 4.0, p + i * DIM, NULL);
    geodisk_random_in_ball(&ball, &random, 4.0, c + i * DIM, &gap[i]);
  }
  geodisk_half_space_score_many(NULL, &ball, NULL, p, ROWS, c, NULL, many);
  geodisk_half_space_score_many(NULL, &ball, NULL, p, ROWS, c, gap, with_gap);
  geodisk_half_space_score_rows(NULL, &ball, NULL, ROWS, p, c, rows);
  for (size_t i = 0; i < ROWS; i++) {
    const double *row = c + i * DIM, far = geodisk_distance(&ball, p, row);
    double origin[DIM] = {0.0};
    assert_close(many[i], far - geodisk_distance(&ball, origin, row), 1e-12);
    assert_close(with_gap[i], many[i], 1e-9);
    assert_close(rows[i], geodisk_half_space_score(&ball, NULL, p + i * DIM, row), 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_a_difference),
      cmocka_unit_test(along_the_ray),
      cmocka_unit_test(gradients),
      cmocka_unit_test(gradient_in_c),
      cmocka_unit_test(beyond_coordinates),
      cmocka_unit_test(batches_and_floats),
      cmocka_unit_test(batches_of_very_many_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
