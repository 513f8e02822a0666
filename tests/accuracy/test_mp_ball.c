/* test_mp_ball.c - is the multi-precision side itself right? Three checks that share nothing with the library:
 * the reference file, computed elsewhere with 400 digits; a second derivation by Moebius addition; and doubled precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure.h"

#define RN MPFR_RNDN

static mp_ball mp;

static int set_up(void **state) {
  (void)state;
  mp_ball_create(&mp, MAX_DIM);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  mp_ball_destroy(&mp);
  return 0;
}

/* |a - b| / |b|; for points and where b is zero |a - b| / R. */
static double relative_difference(const accuracy_case *c, mpfr_srcptr a, mpfr_srcptr b) {
  size_t n = output_numbers(c->op, c->ball.dim);
  mpfr_ptr difference = mp_take(&mp, n), above = mp_take(&mp, 2), under = above + 1;
  for (size_t i = 0; i < n; i++)
    mpfr_sub(difference + i, a + i, b + i, RN);
  mp_length(&mp, difference, n, above);
  mp_length(&mp, b, n, under);
  if (c->op->output == 'p' || mpfr_zero_p(under))
    mpfr_set(under, mp.radius, RN);
  mpfr_div(above, above, under, RN);
  return mpfr_get_d(above, RN);
}

static void report(const accuracy_case *c, double difference) {
  case_print(stderr, c);
  fprintf(stderr, "  differs by %g\n", difference);
}

/* ---- the reference file ---------------------------------------------------------------------------------------------- */

/* The file has 40 digits, so 1e-38 leaves room for its own rounding. */
static void agrees_with_the_reference_file(void **state) {
  (void)state;
  FILE *file = fopen(GEODISK_TESTS_DIR "/ball.tsv", "r");
  assert_non_null(file);
  static char line[1 << 16];
  static accuracy_case c;
  int cases = 0, wrong = 0;
  while (fgets(line, sizeof line, file)) {
    char *text;
    assert_true(case_parse(line, &c, &text));
    mpfr_ptr exact = case_exact(&mp, &c, case_precision(&mp, &c));
    size_t n = output_numbers(c.op, c.ball.dim);
    mpfr_ptr given = mp_take(&mp, n);
    for (size_t i = 0; i < n; i++) {
      char *end;
      mpfr_strtofr(given + i, text, &end, 10, RN);
      assert_ptr_not_equal(end, text);
      text = end;
    }
    double difference = relative_difference(&c, exact, given);
    if (!(difference < 1e-38)) {
      report(&c, difference);
      wrong++;
    }
    cases++;
  }
  fclose(file);
  assert_int_equal(cases, 1400);
  assert_int_equal(wrong, 0);
}

/* The file's slack comes from other random signs than ours: the same size, not the same number. */
static void slack_has_the_size_of_the_reference(void **state) {
  (void)state;
  FILE *file = fopen(GEODISK_TESTS_DIR "/ball.tsv", "r");
  assert_non_null(file);
  static char line[1 << 16];
  static accuracy_case c;
  int cases = 0;
  double most = 0, least = (double)HUGE_VAL, logs = 0;
  while (fgets(line, sizeof line, file)) {
    char *text;
    assert_true(case_parse(line, &c, &text));
    double given = c.slack, got[MAX_NUMBERS] = {0};
    if (!c.op->slack || given < 0x1p-70 * c.ball.radius) /* beside eps R that is nothing */
      continue;
    c.slack = -1;
    c.salt = (uint64_t)cases;
    case_measure(&mp, &c, got);
    double ratio = c.slack / given;
    most = fmax(most, ratio);
    least = fmin(least, ratio);
    logs += log(ratio);
    cases++;
  }
  fclose(file);
  print_message("slack against the file's, %d cases: %.3g to %.3g times, geometric mean %.3g\n", cases, least, most,
                exp(logs / cases));
  assert_true(cases > 80);
  assert_true(least > 0.2 && most < 5);
  assert_true(fabs(logs / cases) < 0.05);
}

/* ---- a second derivation --------------------------------------------------------------------------------------------- */

/* R artanh(|w|/R)/|w| w, the tangent at the origin whose Moebius exponential is w; or back with tanh. */
static void radial_map(mpfr_srcptr w, bool forward, mpfr_ptr out) {
  size_t mark = mp_mark(&mp), n = (size_t)mp.dim;
  mpfr_ptr length = mp_take(&mp, 2), factor = length + 1;
  mp_length(&mp, w, n, length);
  mpfr_div(factor, length, mp.radius, RN);
  if (forward)
    mpfr_tanh(factor, factor, RN);
  else
    mpfr_atanh(factor, factor, RN);
  mpfr_mul(factor, factor, mp.radius, RN);
  for (size_t i = 0; i < n; i++) {
    mpfr_mul(out + i, w + i, factor, RN);
    if (!mpfr_zero_p(length))
      mpfr_div(out + i, out + i, length, RN);
  }
  mp_release(&mp, mark);
}

/* By y -> x (+) y the origin goes to x and tangents shrink by S/R^2: exp_x(v) = x (+) R tanh(|v| R/S) v/|v|, and so on. */
static void by_mobius(const char *name, mpfr_srcptr in, mpfr_ptr out) {
  size_t mark = mp_mark(&mp), n = (size_t)mp.dim;
  mpfr_ptr scale = mp_take(&mp, 2), other = scale + 1, w = mp_take(&mp, n), z = mp_take(&mp, n);
  mp_gap(&mp, in, scale);
  mpfr_sqr(other, mp.radius, RN);
  mpfr_div(scale, scale, other, RN);
  if (strcmp(name, "exp") == 0) {
    for (size_t i = 0; i < n; i++)
      mpfr_div(w + i, in + n + i, scale, RN);
    radial_map(w, true, z);
    mp_mobius_add(&mp, in, z, out);
  } else if (strcmp(name, "transport") == 0) { /* S(y)/S(x) gyr[y, -x] v */
    for (size_t i = 0; i < n; i++)
      mpfr_neg(w + i, in + i, RN);
    mp_gyration(&mp, in + n, w, in + 2 * n, out);
    mp_gap(&mp, in + n, other);
    mp_gap(&mp, in, scale);
    mpfr_div(other, other, scale, RN);
    for (size_t i = 0; i < n; i++)
      mpfr_mul(out + i, out + i, other, RN);
  } else {
    mp_centre(&mp, in, in + n, w);
    radial_map(w, false, z);
    if (strcmp(name, "log") == 0) {
      for (size_t i = 0; i < n; i++)
        mpfr_mul(out + i, z + i, scale, RN);
    } else if (strcmp(name, "distance") == 0) { /* 2/(R sqrt(k)) |z| */
      mp_length(&mp, z, n, out);
      mpfr_mul_ui(out, out, 2, RN);
      mpfr_div(out, out, mp.radius, RN);
      mpfr_div(out, out, mp.root, RN);
    } else { /* geodesic */
      mp_mobius_scale(&mp, in + 2 * n, w, z);
      mp_mobius_add(&mp, in, z, out);
    }
  }
  mp_release(&mp, mark);
}

static void agrees_with_moebius_addition(void **state) {
  (void)state;
  static const char *const names[] = {"exp", "log", "distance", "geodesic", "transport"};
  static accuracy_case c;
  int wrong = 0;
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
    for (uint64_t index = 0; index < 400; index++) {
      case_draw(operation_named(names[k]), false, 11, index, &c);
      mpfr_prec_t precision = 2 * case_precision(&mp, &c);
      mpfr_ptr exact = case_exact(&mp, &c, precision), other = mp_take(&mp, MAX_DIM + 1), in = mp_take(&mp, MAX_NUMBERS);
      mp_set_doubles(in, c.in, input_numbers(c.op, c.ball.dim));
      by_mobius(names[k], in, other);
      double difference = relative_difference(&c, other, exact);
      if (!(difference < 1e-60)) {
        report(&c, difference);
        wrong++;
      }
    }
  assert_int_equal(wrong, 0);
}

/* ---- enough precision ------------------------------------------------------------------------------------------------ */

/* 2^-70 is 17 bits beyond what the tests count with. */
static void doubled_precision_changes_nothing(void **state) {
  (void)state;
  static accuracy_case c;
  int wrong = 0;
  for (int op = 0; op < operation_count; op++)
    for (int single = 0; single < 2; single++)
      for (uint64_t index = 0; index < 150; index++) {
        case_draw(&operations[op], single, 12, index, &c);
        mpfr_prec_t precision = case_precision(&mp, &c);
        mpfr_ptr exact = case_exact(&mp, &c, precision);
        size_t n = output_numbers(c.op, c.ball.dim);
        mpfr_t *kept = malloc(n * sizeof *kept);
        assert_non_null(kept);
        for (size_t i = 0; i < n; i++) {
          mpfr_init2(kept[i], precision);
          mpfr_set(kept[i], exact + i, RN);
        }
        mpfr_ptr finer = case_exact(&mp, &c, 2 * precision), coarse = mp_take(&mp, n);
        for (size_t i = 0; i < n; i++) {
          mpfr_set(coarse + i, kept[i], RN);
          mpfr_clear(kept[i]);
        }
        free(kept);
        double difference = relative_difference(&c, coarse, finer);
        if (!(difference < 0x1p-70)) {
          report(&c, difference);
          wrong++;
        }
      }
  assert_int_equal(wrong, 0);
}

/* ---- the counting ---------------------------------------------------------------------------------------------------- */

/* The doubles nearest to (0.6, 0.8) lie 2.2e-17 outside the unit circle. */
static void inside_is_decided_exactly(void **state) {
  (void)state;
  geodisk_ball line = {1, 2.5, 1}, plane = geodisk_unit_ball(2);
  double rim[1] = {2.5}, last[1] = {nextafter(2.5, 0)}, minus[1] = {-2.5}, nothing[1] = {(double)NAN};
  double outside[2] = {0.6, 0.8}, inside[2] = {0.6, nextafter(0.8, 0)}, hair[2] = {1, 0x1p-1074};
  assert_false(strictly_inside(&mp, &line, rim));
  assert_false(strictly_inside(&mp, &line, minus));
  assert_false(strictly_inside(&mp, &line, nothing));
  assert_true(strictly_inside(&mp, &line, last));
  assert_false(strictly_inside(&mp, &plane, outside));
  assert_true(strictly_inside(&mp, &plane, inside));
  assert_false(strictly_inside(&mp, &plane, hair));
}

/* distance(0, 3/5) = log 4: an answer off by n ulps (of 2^-52) counts 2 n / log 4 units, more or less one. */
static void errors_are_counted_in_units(void **state) {
  (void)state;
  static accuracy_case c;
  double got = log(4), none = (double)NAN, point[2];
  c = (accuracy_case){.op = operation_named("distance"), .ball = geodisk_unit_ball(2), .kind = "fixed", .slack = -1};
  c.in[2] = 0.6;
  assert_true(case_measure(&mp, &c, &got).units <= 1);
  got += 10 * 0x1p-52;
  double units = case_measure(&mp, &c, &got).units;
  assert_true(fabs(units - 20 / log(4)) <= 1);
  assert_true(case_measure(&mp, &c, &none).units == HUGE_VAL);
  c.in[2] = 0; /* where the answer is zero, only zero will do */
  got = 0;
  assert_true(case_measure(&mp, &c, &got).units == 0);
  got = 0x1p-1000;
  assert_true(case_measure(&mp, &c, &got).units > 1e15);
  /* a point: relative to R, and on the rim is outside */
  c = (accuracy_case){.op = operation_named("exp"), .ball = {2, 4, 1}, .kind = "fixed", .slack = -1};
  c.in[0] = 3;
  point[0] = 3 + 8 * 0x1p-51;
  point[1] = 0;
  measurement m = case_measure(&mp, &c, point);
  assert_true(m.inside && fabs(m.units - 8) < 1e-6); /* 8 * 2^-51 / (4 * 2^-53); v is zero, so there is no slack */
  point[0] = 4;
  assert_false(case_measure(&mp, &c, point).inside);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_the_reference_file), cmocka_unit_test(slack_has_the_size_of_the_reference),
      cmocka_unit_test(agrees_with_moebius_addition),   cmocka_unit_test(doubled_precision_changes_nothing),
      cmocka_unit_test(inside_is_decided_exactly),      cmocka_unit_test(errors_are_counted_in_units),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
