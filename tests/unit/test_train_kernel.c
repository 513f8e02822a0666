/* The training step: its pulls are the derivatives of the loss (by differences along geodesics), its moves are geodisk_exp's, and
 * every instruction set agrees with the plain version. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/ball.h"
#include "kernel/train.h"

enum { ROWS = 160, DIM = 40, STRIDE = 48 }; /* the longest row */

typedef struct bench {
  double d[ROWS * STRIDE + 64], copy[ROWS * STRIDE + 64];
  float f[ROWS * STRIDE + 64], copyf[ROWS * STRIDE + 64];
  uint32_t index[ROWS + TRAIN_PAD];
  uint16_t randoms[ROWS + TRAIN_PAD];
  double weights[ROWS];
  char scratch[65536];
  train_rule rule;
  train_step step;
  size_t sd, gd, sf, gf; /* strides and places of the gap of both kinds of rows */
} bench;

static void step_d(const train_table *table, bench *b, double *rows, const train_step *steps, size_t count,
                   train_result *result) {
  b->rule.stride = b->sd;
  b->rule.gap = b->gd;
  table->d(&b->rule, rows, steps, count, result);
}

static void step_f(const train_table *table, bench *b, float *rows, const train_step *steps, size_t count, train_result *result) {
  b->rule.stride = b->sf;
  b->rule.gap = b->gf;
  table->f(&b->rule, rows, steps, count, result);
}

/* Random points to a random depth; float rows hold the same numbers. */
static void fill(bench *b, geodisk_random *random, int dim, double depth, bool flat) {
  memset(b->d, 0, sizeof b->d);
  memset(b->f, 0, sizeof b->f);
  b->rule.dim = (size_t)dim;
  b->sd = train_stride((size_t)dim, false);
  b->gd = train_gap_place((size_t)dim, false);
  b->sf = train_stride((size_t)dim, true);
  b->gf = train_gap_place((size_t)dim, true);
  b->rule.flat = flat;
  for (size_t i = 0; i < ROWS; i++) {
    double x[DIM], square = 0.0, sum = 0.0;
    for (int k = 0; k < dim; k++) {
      x[k] = geodisk_random_normal(random);
      square += x[k] * x[k];
    }
    double scale = (flat ? 3.0 : tanh(0.5 * depth * geodisk_random_uniform(random))) / sqrt(square);
    for (size_t k = 0; k < (size_t)dim; k++) {
      float value = (float)(x[k] * scale);
      b->f[i * b->sf + k] = value;
      b->d[i * b->sd + k] = (double)value;
      sum += (double)value * (double)value;
    }
    b->d[i * b->sd + b->gd] = 1.0 - sum;
    b->f[i * b->sf + b->gf] = (float)(1.0 - sum);
  }
  for (int i = 0; i < ROWS; i++) {
    b->index[i] = (uint32_t)i + 1;
    b->randoms[i] = (uint16_t)geodisk_random_bits32(random);
    b->weights[i] = 0.5 + geodisk_random_uniform(random);
  }
  b->step = (train_step){.u = 0, .index = b->index, .randoms = b->randoms, .scratch = b->scratch};
  memcpy(b->copy, b->d, sizeof b->d);
  memcpy(b->copyf, b->f, sizeof b->f);
}

/* The loss of a step by ball.h alone. */
static double loss_of(const bench *b, const double *rows) {
  geodisk_ball ball = geodisk_unit_ball((int)b->rule.dim);
  const double sharpness = 1 << b->rule.squarings;
  double sum = b->rule.complement ? 1.0 : 0.0, loss = 0.0;
  for (size_t i = 0; i < b->step.negatives; i++)
    sum += exp(-sharpness * geodisk_distance(&ball, rows, rows + b->index[i] * b->sd));
  for (size_t i = b->step.negatives; i < b->step.negatives + b->step.positives; i++) {
    double d = sharpness * geodisk_distance(&ball, rows, rows + b->index[i] * b->sd), e = exp(-d);
    double w = b->step.weights ? b->step.weights[i - b->step.negatives] : 1.0;
    loss += w * (d + log(b->rule.complement ? sum : sum + e));
  }
  return loss;
}

/* With a small rate every row moves by -lr times the gradient of the loss: compared with central differences of the loss, each
 * row in the direction of its own move. */
static void test_moves_follow_the_gradient(void **state) {
  (void)state;
  bench *b = calloc(1, sizeof *b);
  geodisk_random random = geodisk_random_stream(5, 1);
  for (int c = 0; c < 60; c++) {
    int dim = 1 + (int)geodisk_random_below(&random, 12);
    geodisk_ball ball = geodisk_unit_ball(dim);
    b->rule = (train_rule){.lr = 1e-5, .complement = c % 2 == 1, .squarings = c % 4 == 2 ? c / 4 % 5 : 0};
    fill(b, &random, dim, 4.0, false);
    b->step.negatives = 1 + geodisk_random_below(&random, 20);
    b->step.positives = b->rule.squarings ? 1 : 1 + geodisk_random_below(&random, 4);
    b->step.weights = c % 3 == 0 ? b->weights : NULL;
    train_result result = {.ratio = 1.0};
    step_d(&geodisk_train_ref, b, b->d, &b->step, 1, &result);
    assert_false(result.bad);
    assert_true(fabs(result.loss - loss_of(b, b->copy)) <= 1e-12 * fabs(result.loss) + 1e-13);
    for (size_t i = 0; i <= b->step.negatives + b->step.positives; i++) {
      double *x = b->copy + i * b->sd, move[DIM], keep[DIM], plus[DIM], minus[DIM];
      geodisk_log(&ball, x, b->d + i * b->sd, move); /* -lr times the Riemannian gradient */
      double length = geodisk_norm(&ball, x, move);
      if (length < 1e-9)
        continue;
      for (int k = 0; k < dim; k++)
        move[k] *= 1e-4 / length;
      memcpy(keep, x, sizeof(double) * (size_t)dim);
      geodisk_exp(&ball, x, move, plus);
      for (int k = 0; k < dim; k++)
        move[k] = -move[k];
      geodisk_exp(&ball, x, move, minus);
      memcpy(x, plus, sizeof(double) * (size_t)dim);
      double above = loss_of(b, b->copy);
      memcpy(x, minus, sizeof(double) * (size_t)dim);
      double below = loss_of(b, b->copy);
      memcpy(x, keep, sizeof(double) * (size_t)dim);
      double slope = (above - below) / 2e-4,
             expected = -length / b->rule.lr * (1 << b->rule.squarings); /* downhill, as steep as the gradient is long */
      if (!(fabs(slope - expected) <= 1e-4 * fabs(expected) + 2e-7))
        fail_msg("case %d row %zu: slope %.12g, gradient %.12g", c, i, slope, expected);
    }
  }
  free(b);
}

/* At any rate a negative ends where geodisk_exp puts it: away from u by lr times its softmax weight. */
static void test_moves_are_exponential_maps(void **state) {
  (void)state;
  bench *b = calloc(1, sizeof *b);
  geodisk_random random = geodisk_random_stream(5, 2);
  for (int c = 0; c < 60; c++) {
    int dim = 2 + (int)geodisk_random_below(&random, 10);
    geodisk_ball ball = geodisk_unit_ball(dim);
    b->rule = (train_rule){.lr = 3.0 * geodisk_random_uniform(&random)};
    fill(b, &random, dim, 4.0, false);
    b->step.negatives = 3;
    b->step.positives = 1;
    double e[4], sum = 0.0;
    for (size_t i = 0; i < 4; i++)
      sum += e[i] = exp(-geodisk_distance(&ball, b->copy, b->copy + (i + 1) * b->sd));
    train_result result = {.ratio = 1.0};
    step_d(&geodisk_train_ref, b, b->d, &b->step, 1, &result);
    for (size_t i = 0; i < 4; i++) {
      const double *x = b->copy + (i + 1) * b->sd;
      double away[DIM], end[DIM], step = -b->rule.lr * ((i == 3 ? 1.0 : 0.0) - e[i] / sum);
      geodisk_distance_gradient(&ball, x, b->copy, away, NULL);
      for (int k = 0; k < dim; k++)
        away[k] *= step;
      geodisk_exp(&ball, x, away, end);
      for (size_t k = 0; k < (size_t)dim; k++)
        if (fabs(end[k] - b->d[(i + 1) * b->sd + k]) > 1e-11)
          fail_msg("case %d row %zu: %.17g, exp says %.17g", c, i, b->d[(i + 1) * b->sd + k], end[k]);
    }
  }
  free(b);
}

/* Every instruction set against the plain version: at rates up to 1 within 1e-9 in double and 1e-3 in float (a step multiplies
 * rounding by up to e^step / gap), and the loss to 1e-12 and 1e-4. */
static void test_instruction_sets_agree(void **state) {
  (void)state;
  static const char *const names[] = {"sse2", "avx2", "avx512"};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  bench *b = calloc(1, sizeof *b);
  int tested = 0;
  for (int set = 0; set < 3; set++) {
    if (geodisk_use_instruction_set(context, names[set]) != GEODISK_OK)
      continue;
    const train_table *table = geodisk_train_table(names[set]);
    if (table == &geodisk_train_ref)
      continue;
    assert_string_equal(table->name, names[set]);
    tested++;
    geodisk_random random = geodisk_random_stream(5, 3);
    for (int c = 0; c < 1500; c++) {
      int dim = 1 + (int)geodisk_random_below(&random, DIM);
      bool flat = c % 5 == 4;
      b->rule = (train_rule){.lr = exp(-5.0 + 5.0 * geodisk_random_uniform(&random)),
                             .update = (train_update)(c % 3),
                             .complement = c % 2 == 1,
                             .margin = 1e-5,
                             .sparse = c % 7 == 0 ? 0.03 : 0.0};
      if (b->rule.update == TRAIN_EUCLIDEAN)
        b->rule.lr *= 1e-3;
      fill(b, &random, dim, 5.0, flat);
      b->step.negatives = geodisk_random_below(&random, 60) + 1;
      b->step.positives = c % 13 < 5 ? 1 : 1 + geodisk_random_below(&random, 5);
      b->step.weights = c % 4 == 0 ? b->weights : NULL;
      b->step.hold = c % 11 == 0;
      if ((b->step.positives == 1 || b->step.hold) && c % 3 == 0 && !b->rule.complement)
        b->rule.squarings = c / 3 % 5;
      b->step.turn = (uint32_t)c;
      double others[64 + TRAIN_PAD];
      float othersf[64 + TRAIN_PAD];
      if (c % 17 == 3) { /* a target and its sources */
        b->step.positives = b->step.negatives;
        b->step.negatives = 0;
        b->step.hold = true;
        for (size_t i = 0; i < 64 + TRAIN_PAD; i++)
          othersf[i] = (float)(others[i] = 0.01 + geodisk_random_uniform(&random));
        b->step.others = others;
      }
      train_result plain = {.ratio = 1.0}, fast = plain, plainf = plain, fastf = plain;
      step_d(&geodisk_train_ref, b, b->copy, &b->step, 1, &plain);
      step_d(table, b, b->d, &b->step, 1, &fast);
      if (b->step.others)
        b->step.others = othersf;
      step_f(&geodisk_train_ref, b, b->copyf, &b->step, 1, &plainf);
      step_f(table, b, b->f, &b->step, 1, &fastf);
      assert_false(plain.bad || fast.bad || plainf.bad || fastf.bad);
      assert_true(fabs(plain.loss - fast.loss - log(fast.ratio)) <= 1e-12 * fabs(plain.loss) + 1e-13);
      assert_true(fabs(plainf.loss - fastf.loss - log(fastf.ratio)) <= 1e-4 * fabs(plainf.loss) + 1e-4);
      for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < dim; k++) {
          const size_t at = (size_t)i * b->sd + (size_t)k, atf = (size_t)i * b->sf + (size_t)k;
          if (!(fabs(b->copy[at] - b->d[at]) <= 1e-9))
            fail_msg("%s case %d row %d: %.17g, plain %.17g", names[set], c, i, b->d[at], b->copy[at]);
          if (b->rule.sparse == 0.0 && !(fabs((double)b->copyf[atf] - (double)b->f[atf]) <= 1e-3))
            fail_msg("%s float case %d row %d: %.9g, plain %.9g", names[set], c, i, (double)b->f[atf], (double)b->copyf[atf]);
        }
    }
    uint32_t words[400], expected[400];
    geodisk_train_ref.random_words(77, 5, 0xFFFFFFF0u, 100, expected);
    table->random_words(77, 5, 0xFFFFFFF0u, 100, words);
    assert_memory_equal(words, expected, sizeof words);
  }
#if defined(__x86_64__)
  assert_true(tested > 0);
#endif
  geodisk_random stream = geodisk_random_stream(77, 5);
  uint32_t words[8];
  geodisk_train_ref.random_words(77, 5, 0, 2, words);
  for (int i = 0; i < 8; i++)
    assert_int_equal(words[i], geodisk_random_bits32(&stream));
  geodisk_context_destroy(context);
  free(b);
}

/* Two steps side by side give the bytes of two steps in turn, also where one of them moves far. */
static void test_two_steps_at_once(void **state) {
  (void)state;
  static const char *const names[] = {"ref", "sse2", "avx2", "avx512"};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  bench *b = calloc(1, sizeof *b);
  geodisk_random random = geodisk_random_stream(5, 5);
  for (int c = 0; c < 1200; c++) {
    const char *name = names[c % 4];
    if (c % 4 > 0 && geodisk_use_instruction_set(context, name) != GEODISK_OK)
      continue;
    const train_table *table = geodisk_train_table(name);
    b->rule = (train_rule){.lr = exp(-4.0 + 7.0 * geodisk_random_uniform(&random)),
                           .sparse = c % 5 == 0 ? 0.03 : 0.0,
                           .squarings = c % 7 == 0 ? 1 + c % 4 : 0};
    fill(b, &random, 1 + (int)geodisk_random_below(&random, c % 3 ? 16 : DIM), 6.0, false);
    uint32_t rows[2][ROWS + TRAIN_PAD], twice[2][ROWS + TRAIN_PAD];
    train_step steps[2], again[2];
    uint32_t used = 2;
    for (uint32_t i = 0; i < 2; i++) {
      steps[i] = (train_step){.u = i,
                              .index = rows[i],
                              .negatives = 1 + geodisk_random_below(&random, 70),
                              .positives = 1,
                              .turn = (uint32_t)c + i,
                              .randoms = b->randoms,
                              .scratch = b->scratch + i * sizeof b->scratch / 2};
      for (size_t k = 0; k <= steps[i].negatives; k++)
        rows[i][k] = used++;
      memcpy(twice[i], rows[i], sizeof rows[i]);
      again[i] = steps[i];
      again[i].index = twice[i];
    }
    train_result both = {.ratio = 1.0}, turns = both;
    step_d(table, b, b->d, steps, 2, &both);
    step_f(table, b, b->f, steps, 2, &both);
    for (int i = 0; i < 2; i++)
      step_d(table, b, b->copy, &again[i], 1, &turns);
    for (int i = 0; i < 2; i++)
      step_f(table, b, b->copyf, &again[i], 1, &turns);
    assert_false(both.bad || turns.bad);
    assert_memory_equal(b->d, b->copy, sizeof b->d);
    assert_memory_equal(b->f, b->copyf, sizeof b->f);
    assert_true(both.loss == turns.loss && both.ratio == turns.ratio && both.clips == turns.clips);
  }
  geodisk_context_destroy(context);
  free(b);
}

static bool is_here(const char *name) {
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  bool here = geodisk_use_instruction_set(context, name) == GEODISK_OK;
  geodisk_context_destroy(context);
  return here;
}

/* Coincident points, the origin, huge rates and the deepest gaps stay finite. */
static void test_extremes_stay_finite(void **state) {
  (void)state;
  bench *b = calloc(1, sizeof *b);
  geodisk_random random = geodisk_random_stream(5, 4);
  const train_table *tables[] = {&geodisk_train_ref, geodisk_train_table("sse2"), geodisk_train_table("avx2"),
                                 geodisk_train_table("avx512")};
  for (int c = 0; c < 2000; c++) {
    int dim = 1 + (int)geodisk_random_below(&random, 12);
    b->rule =
        (train_rule){.lr = exp(-5.0 + 10.0 * geodisk_random_uniform(&random)), .update = (train_update)(c % 3), .margin = 1e-5};
    fill(b, &random, dim, c % 2 ? 60.0 : 1.0, false);
    memcpy(b->d + 2 * b->sd, b->d, b->sd * sizeof *b->d); /* row 2 is u itself, row 3 the origin */
    memcpy(b->f + 2 * b->sf, b->f, b->sf * sizeof *b->f);
    memset(b->d + 3 * b->sd, 0, b->sd * sizeof *b->d);
    memset(b->f + 3 * b->sf, 0, b->sf * sizeof *b->f);
    b->d[3 * b->sd + b->gd] = 1.0;
    b->f[3 * b->sf + b->gf] = 1.0f;
    for (size_t i = 0; i < ROWS; i++) { /* as deep as rows go */
      double *gap = &b->d[i * b->sd + b->gd];
      if (*gap < 1e-10)
        *gap = TRAIN_LEAST_GAP_DOUBLE;
      if (b->f[i * b->sf + b->gf] < 1e-6f)
        b->f[i * b->sf + b->gf] = (float)TRAIN_LEAST_GAP_FLOAT;
    }
    b->step.negatives = 20;
    b->step.positives = 1 + (size_t)c / 4 % 2;
    b->rule.squarings = b->step.positives == 1 ? c / 8 % 5 : 0;
    int which = c % 4;
    static const char *const names[] = {"ref", "sse2", "avx2", "avx512"};
    if (which > 0 && !is_here(names[which]))
      continue;
    for (int round = 0; round < 5; round++) {
      train_result result = {.ratio = 1.0};
      step_d(tables[which], b, b->d, &b->step, 1, &result);
      if (result.bad)
        fail_msg("%s double case %d round %d", names[which], c, round);
      step_f(tables[which], b, b->f, &b->step, 1, &result);
      if (result.bad)
        fail_msg("%s float case %d round %d", names[which], c, round);
    }
    for (size_t i = 0; i < 23; i++) {
      for (size_t k = 0; k < b->sd; k++)
        assert_true(isfinite(b->d[i * b->sd + k]));
      for (size_t k = 0; k < b->sf; k++)
        assert_true(isfinite(b->f[i * b->sf + k]));
      assert_true(b->d[i * b->sd + b->gd] > 0.0 && b->f[i * b->sf + b->gf] > 0.0f);
    }
  }
  free(b);
}

/* A comb's two lists: one place from each tooth, none in both, the same on every instruction set, and barred places are seen. */
static void test_combs_agree(void **state) {
  (void)state;
  enum { COUNT = 5133, TEETH = 50, ROOM = TEETH + TRAIN_COMB_PAD };
  const char *names[] = {"ref", "sse2", "avx2", "avx512"};
  geodisk_random random = geodisk_random_stream(7, 0);
  uint16_t starts[ROOM + 1] = {0}, numbers[2 * TEETH + TRAIN_COMB_PAD] = {0}, first[2][ROOM] = {{0}};
  for (uint32_t j = 0; j <= TEETH; j++)
    starts[j] = (uint16_t)(j * COUNT / TEETH);
  for (int round = 0; round < 200; round++) {
    train_comb comb = {.count = COUNT, .teeth = TEETH, .turn = (uint32_t)geodisk_random_below(&random, COUNT), .starts = starts};
    for (size_t i = 0; i < 2 * TEETH; i++)
      numbers[i] = (uint16_t)geodisk_random_below(&random, 65536);
    for (int set = 0; set < 4; set++) {
      if (set > 0 && !is_here(names[set]))
        continue;
      uint16_t places[2][ROOM];
      const uint32_t elsewhere = COUNT, barred[2] = {elsewhere, first[1][round % TEETH]};
      const train_draw draws[2] = {{&elsewhere, 1, places[0]}, {barred, set == 0 ? 1 : 2, places[1]}};
      const unsigned hits = geodisk_train_table(names[set])->comb_draw(&comb, numbers, draws, 2);
      assert_int_equal(hits, set == 0 ? 0 : 2);
      if (set == 0)
        memcpy(first, places, sizeof first);
      for (uint32_t j = 0; j < TEETH; j++)
        for (size_t k = 0; k < 2; k++) {
          assert_int_equal(places[k][j], first[k][j]);
          assert_int_equal(train_comb_tooth(&comb, places[k][j]), j);
        }
      for (size_t j = 0; j < TEETH; j++)
        assert_true(places[0][j] < COUNT && places[1][j] < COUNT && places[0][j] != places[1][j]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves_follow_the_gradient), cmocka_unit_test(test_moves_are_exponential_maps),
      cmocka_unit_test(test_instruction_sets_agree),    cmocka_unit_test(test_two_steps_at_once),
      cmocka_unit_test(test_extremes_stay_finite),      cmocka_unit_test(test_combs_agree),
  };
  return cmocka_run_group_tests_name("training step", tests, NULL, NULL);
}
