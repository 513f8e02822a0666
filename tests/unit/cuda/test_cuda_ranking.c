/* Ranks by src/cuda, its code compiled for the host, against those of the processor: the same figures to the last bit, with ties,
 * points that coincide and such that are deep, both definitions, with and without known edges, in float and double. */
#include "cuda_host.h"
#include "eval_worlds.h"

static void expect_same(const char *what, int round, geodisk_estimate got, geodisk_estimate expected) {
  if (!(got.value == expected.value))
    fail_msg("round %d: %s is %.17g, not %.17g", round, what, got.value, expected.value);
}

static void check_world(const world *w, int round) {
  for (int way = 0; way < 8; way++) {
    geodisk_ranking_options options = {.definition = way & 1 ? GEODISK_RANK_GENSIM : GEODISK_RANK_FILTERED,
                                       .arithmetic = way & 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE};
    const geodisk_relation *known = way & 4 ? w->known : NULL;
    geodisk_ranking expected, got;
    assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, known, &options, &expected), GEODISK_OK);
    options.device = GEODISK_DEVICE_CUDA;
    assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, known, &options, &got), GEODISK_OK);
    expect_same("mean rank", round, got.mean_rank, expected.mean_rank);
    expect_same("MAP", round, got.map, expected.map);
    expect_same("AUC", round, got.auc, expected.auc);
    expect_same("hits at 1", round, got.hits_at_1, expected.hits_at_1);
    expect_same("hits at 10", round, got.hits_at_10, expected.hits_at_10);
  }
}

static void test_random(void **state) {
  (void)state;
  for (int round = 0; round < 42; round++) {
    world *w = make_world(round);
    check_world(w, round);
    destroy_world(w);
  }
}

/* Points on three rays, so deep that the gap alone tells them apart: what needs a second look. */
static void test_deep(void **state) {
  (void)state;
  static const double rays[3][3] = {{0.6, 0.64, 0.48}, {-0.8, 0.0, 0.6}, {0.0, -1.0, 0.0}};
  world *w = make_world(2);
  w->points.ball = geodisk_unit_ball(3);
  w->points.space = GEODISK_SPACE_HYPERBOLIC;
  w->points.precision = GEODISK_PRECISION_DOUBLE;
  for (size_t i = 0; i < w->points.nodes; i++) {
    for (size_t c = 0; c < 3; c++)
      w->x[3 * i + c] = rays[i % 3][c] * (1.0 - 0x1p-50);
    w->gap[i] = ldexp(1.0, -60 - (int)(i / 3));
  }
  w->points.vectors = w->x;
  w->points.gap = w->gap;
  check_world(w, -1);
  destroy_world(w);
}

/* Sums of e^-d are added in another order than the processor's: losses agree but for rounding. */
static void expect_near(const char *what, int round, geodisk_estimate got, geodisk_estimate expected) {
  if (!(fabs(got.value - expected.value) <= 1e-12 * (1.0 + fabs(expected.value))))
    fail_msg("round %d: %s is %.17g, not %.17g", round, what, got.value, expected.value);
}

static void test_loss(void **state) {
  (void)state;
  for (int round = 0; round < 42; round++) {
    world *w = make_world(round);
    for (int way = 0; way < 4; way++) {
      geodisk_ranking_options options = {.arithmetic = way & 1 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE,
                                         .loss = true};
      const geodisk_relation *known = way & 2 ? w->known : NULL;
      geodisk_ranking expected, got;
      assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, known, &options, &expected), GEODISK_OK);
      options.device = GEODISK_DEVICE_CUDA;
      assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, known, &options, &got), GEODISK_OK);
      expect_same("mean rank", round, got.mean_rank, expected.mean_rank);
      expect_near("loss", round, got.loss, expected.loss);
      expect_near("complement", round, got.loss_complement, expected.loss_complement);
    }
    destroy_world(w);
  }
}

int main(void) {
  if (!choose_device())
    return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_deep),
      cmocka_unit_test(test_loss),
  };
  return cmocka_run_group_tests_name("ranks by the code for devices", tests, NULL, NULL);
}
