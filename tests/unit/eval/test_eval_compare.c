/* test_eval_compare.c - comparing models: an isometric copy is the same model, noise is seen, whatever the order of nodes; the
 * best rotation of vectors against rotations that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/procrustes.h"
#include "geodisk/eval.h"

enum { N = 60, DIM = 3, MANY = SANITIZED ? 700 : 1500 };

static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

static void assert_ok(geodisk_status status) {
  if (status != GEODISK_OK)
    fail_msg("%s: %s", geodisk_status_text(status), geodisk_context_error(context));
}

/* n points; node i is called by its number plus `shift`, in falling order if `reversed`. */
static geodisk_model *model_of(size_t n, const geodisk_ball *ball, geodisk_space space, const double *x, int shift,
                               bool reversed) {
  char(*texts)[16] = malloc(n * sizeof *texts);
  const char **names = malloc(n * sizeof *names);
  for (size_t i = 0; i < n; i++) {
    snprintf(texts[i], sizeof texts[i], "%zu", (reversed ? n - 1 - i : i) + (size_t)shift);
    names[i] = texts[i];
  }
  const geodisk_model_spec spec = {.nodes = n, .ball = *ball, .space = space, .name_list = names};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  const size_t dim = (size_t)ball->dim;
  for (size_t i = 0; i < n; i++) {
    const double *from = x + (reversed ? n - 1 - i : i) * dim;
    memcpy(geodisk_model_edit_vectors(model) + i * dim, from, dim * sizeof *from);
    if (space == GEODISK_SPACE_HYPERBOLIC)
      geodisk_model_edit_gap(model)[i] = geodisk_gap(ball, from);
  }
  free(texts);
  free(names);
  return model;
}

static double *random_points(size_t n, const geodisk_ball *ball, uint64_t seed) {
  double *x = malloc(n * (size_t)ball->dim * sizeof *x), gap;
  geodisk_random random = geodisk_random_stream(seed, 0);
  for (size_t i = 0; i < n; i++)
    geodisk_random_in_ball(ball, &random, 4, x + i * (size_t)ball->dim, &gap);
  return x;
}

/* Moves points by an isometry of the ball: a translation, a turn in a plane, and a mirror. */
static void move(const geodisk_ball *ball, size_t n, double *x) {
  const double c = cos(0.7), s = sin(0.7), to[DIM] = {0.3 * ball->radius, -0.2 * ball->radius, 0.4 * ball->radius};
  for (size_t i = 0; i < n; i++) {
    double *p = x + i * DIM;
    geodisk_mobius_add(ball, to, p, p);
    const double a = p[0], b = p[1];
    p[0] = c * a - s * b;
    p[1] = s * a + c * b;
    p[2] = -p[2];
  }
}

static geodisk_comparison compare(const geodisk_model *a, const geodisk_model *b, const geodisk_compare_options *options) {
  geodisk_comparison out = {0};
  assert_ok(geodisk_eval_compare(context, a, b, options, &out));
  return out;
}

static void an_isometric_copy_is_the_same(void **state) {
  (void)state;
  const geodisk_ball balls[] = {geodisk_unit_ball(DIM), {DIM, 2.0, 0.3}};
  for (int k = 0; k < 2; k++) {
    double *x = random_points(N, &balls[k], 5);
    geodisk_model *a = model_of(N, &balls[k], GEODISK_SPACE_HYPERBOLIC, x, 0, false);
    move(&balls[k], N, x);
    geodisk_model *b = model_of(N, &balls[k], GEODISK_SPACE_HYPERBOLIC, x, 0, true); /* in another order */
    const geodisk_comparison found = compare(a, b, NULL);
    assert_int_equal(found.nodes, N);
    assert_int_equal(found.only_first + found.only_second, 0);
    assert_int_equal(found.pairs, N * (N - 1) / 2);
    assert_int_equal(found.neighbours, 10);
    assert_int_equal(found.nodes_judged, N);
    assert_true(found.kendall_tau > 0.999999 && found.spearman > 0.999999);
    assert_true(found.overlap > 0.999999);
    assert_true(found.aligned && found.spread > 1);
    if (!(found.moved_worst < 1e-9))
      fail_msg("moved by %g", found.moved_worst);
    geodisk_model_destroy(a);
    geodisk_model_destroy(b);
    free(x);
  }
}

static void a_node_that_moved_is_found(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double *x = random_points(N, &ball, 6);
  geodisk_model *a = model_of(N, &ball, GEODISK_SPACE_HYPERBOLIC, x, 0, true);
  move(&ball, N, x);
  const double before[DIM] = {x[7 * DIM], x[7 * DIM + 1], x[7 * DIM + 2]}, step[DIM] = {0, 0.9, 0};
  geodisk_mobius_add(&ball, step, before, x + 7 * DIM);
  geodisk_model *b = model_of(N, &ball, GEODISK_SPACE_HYPERBOLIC, x, 0, false);
  const double moved = geodisk_distance(&ball, before, x + 7 * DIM);
  const geodisk_comparison found = compare(a, b, NULL);
  assert_int_equal(found.worst, N - 1 - 7); /* its number in the first model */
  assert_true(moved > 1 && fabs(found.moved_worst - moved) < 0.2 * moved);
  assert_true(found.moved_mean < 0.3 * found.moved_worst && found.kendall_tau < 0.9999 && found.kendall_tau > 0.8);
  assert_true(found.overlap > 0.7 && found.overlap < 1);
  geodisk_model_destroy(a);
  geodisk_model_destroy(b);
  free(x);
}

static void flat_models(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double *x = random_points(N, &ball, 7);
  geodisk_model *a = model_of(N, &ball, GEODISK_SPACE_EUCLIDEAN, x, 0, false);
  for (size_t i = 0; i < N; i++) { /* a turn by a right angle, a shift */
    const double u = x[i * DIM];
    x[i * DIM] = -x[i * DIM + 1] + 5;
    x[i * DIM + 1] = u - 3;
  }
  geodisk_model *b = model_of(N, &ball, GEODISK_SPACE_EUCLIDEAN, x, 0, false);
  const geodisk_comparison found = compare(a, b, NULL);
  assert_true(found.kendall_tau > 0.99999 && found.overlap > 0.99999 && found.aligned && found.moved_worst < 1e-13);
  const geodisk_ball plane = geodisk_unit_ball(2);
  geodisk_model *other = model_of(N, &plane, GEODISK_SPACE_EUCLIDEAN, x, 0, false);
  const geodisk_comparison apart = compare(a, other, NULL); /* another dimension: distances and neighbours only */
  assert_true(!apart.aligned && isnan(apart.moved_mean) && isnan(apart.spread) && !isnan(apart.kendall_tau));
  geodisk_model_destroy(a);
  geodisk_model_destroy(b);
  geodisk_model_destroy(other);
  free(x);
}

static void nodes_in_common(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double *x = random_points(N + 10, &ball, 8);
  geodisk_model *a = model_of(N, &ball, GEODISK_SPACE_HYPERBOLIC, x, 0, false);
  geodisk_model *b =
      model_of(N - 10, &ball, GEODISK_SPACE_HYPERBOLIC, x + 20 * DIM, 20, false); /* 20 .. N + 9: to N - 1 the same */
  geodisk_comparison found = compare(a, b, &(geodisk_compare_options){.neighbours = 1000});
  assert_int_equal(found.nodes, N - 20);
  assert_int_equal(found.only_first, 20);
  assert_int_equal(found.only_second, 10);
  assert_int_equal(found.neighbours, N - 21);
  assert_true(found.kendall_tau > 0.999999 && found.overlap == 1.0 && found.moved_worst < 1e-9);
  geodisk_model *none = model_of(N, &ball, GEODISK_SPACE_HYPERBOLIC, x, N - 2, false);
  const geodisk_comparison untouched = found;
  assert_int_equal(geodisk_eval_compare(context, a, none, NULL, &found), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "2 nodes in common"));
  assert_memory_equal(&found, &untouched, sizeof found);
  assert_int_equal(geodisk_eval_compare(context, NULL, none, NULL, &found), GEODISK_ERROR_ARGUMENT);
  geodisk_model_destroy(a);
  geodisk_model_destroy(b);
  geodisk_model_destroy(none);
  free(x);
}

/* Samples: reproducible, not the same for another seed, near the whole. */
static void samples(void **state) {
  (void)state;
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double *x = random_points(MANY, &ball, 9), *y = random_points(MANY, &ball, 10);
  for (size_t i = 0; i < (size_t)MANY * DIM; i++)
    y[i] = 0.7 * x[i] + 0.3 * y[i];
  geodisk_model *a = model_of(MANY, &ball, GEODISK_SPACE_HYPERBOLIC, x, 0, false),
                *b = model_of(MANY, &ball, GEODISK_SPACE_HYPERBOLIC, y, 0, false);
  const geodisk_compare_options few = {.pairs = 20000, .sample = 500, .seed = 3},
                                others = {.pairs = 20000, .sample = 500, .seed = 4};
  const geodisk_comparison one = compare(a, b, &few), again = compare(a, b, &few), other = compare(a, b, &others),
                           whole = compare(a, b, &(geodisk_compare_options){.pairs = (size_t)MANY * MANY, .sample = MANY});
  assert_memory_equal(&one, &again, sizeof one);
  assert_true(one.kendall_tau != other.kendall_tau && one.overlap != other.overlap);
  assert_int_equal(one.pairs, 20000);
  assert_int_equal(one.nodes_judged, 500);
  assert_int_equal(whole.pairs, (uint64_t)MANY * (MANY - 1) / 2);
  assert_true(fabs(one.kendall_tau - whole.kendall_tau) < 0.02 && fabs(one.overlap - whole.overlap) < 0.03);
  assert_true(one.moved_mean == whole.moved_mean);
  geodisk_model_destroy(a);
  geodisk_model_destroy(b);
  free(x);
  free(y);
}

/* Q^T Q = 1, and Q is R for M = R S with S symmetric and positive; also where M has too few directions to tell all of Q. */
static void rotations(void **state) {
  (void)state;
  enum { D = 5 };
  for (int rank = 0; rank <= D; rank++) {
    double r[D * D], m[D * D] = {0}, v[D * D], q[D * D];
    geodisk_random random = geodisk_random_stream(11, (uint64_t)rank);
    for (int i = 0; i < D; i++) { /* Gram and Schmidt */
      for (int j = 0; j < D; j++)
        r[i * D + j] = geodisk_random_normal(&random);
      for (int k = 0; k <= i; k++) {
        double p = 0;
        for (int j = 0; j < D; j++)
          p += r[i * D + j] * r[k * D + j];
        for (int j = 0; j < D; j++)
          r[i * D + j] = k < i ? r[i * D + j] - p * r[k * D + j] : r[i * D + j] / sqrt(p);
      }
    }
    for (int i = 0; i < D; i++)
      for (int j = 0; j < rank; j++)
        m[i * D + j] = r[i * D + j] * (1 + j); /* S diagonal */
    eval_procrustes(D, m, v, q);
    for (int i = 0; i < D; i++)
      for (int j = 0; j < D; j++) {
        double p = 0;
        for (int k = 0; k < D; k++)
          p += q[k * D + i] * q[k * D + j];
        assert_true(fabs(p - (i == j)) < 1e-14);
        assert_true(j >= rank || fabs(q[i * D + j] - r[i * D + j]) < 1e-14);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_isometric_copy_is_the_same),
      cmocka_unit_test(a_node_that_moved_is_found),
      cmocka_unit_test(flat_models),
      cmocka_unit_test(nodes_in_common),
      cmocka_unit_test(samples),
      cmocka_unit_test(rotations),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
