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

/* A device without the memory for it, or that fails: a status with its reason; `auto` counts on the processor and says so, once.
 */
static geodisk_status failure;
static int asked;

static geodisk_status fails_to_rank(const rank_points *points, const rank_sources *sources, rank_record *out, uint8_t *close,
                                    char why[DEVICE_TEXT]) {
  (void)points;
  asked++;
  for (size_t i = 0; i < sources->count; i++) { /* half of what it was to do */
    out[i] = (rank_record){.rank_sum = 7, .positives = 1};
    close[i] = 1;
  }
  snprintf(why, DEVICE_TEXT, "it has fallen off the bus");
  return failure;
}

static void count_warnings(void *user, geodisk_log_level level, const char *text) {
  *(int *)user +=
      level == GEODISK_LOG_WARNING && strcmp(text, "ranks are counted on the processor: it has fallen off the bus") == 0;
}

/* Enough nodes and sources for `auto`. */
enum { LARGE = 10001 };
static geodisk_graph *make_circle(geodisk_eval_points *points, geodisk_relation **positives) {
  static uint32_t children[LARGE - 1], parents[LARGE - 1];
  static double x[2 * LARGE];
  for (uint32_t i = 0; i < LARGE; i++) {
    x[2 * i] = 0.5 * cos(0.001 * i);
    x[2 * i + 1] = 0.4 * sin(0.0017 * i);
    if (i > 0)
      children[i - 1] = i, parents[i - 1] = i / 2;
  }
  const geodisk_graph_arrays arrays = {.nodes = LARGE, .edges = LARGE - 1, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  *points = (geodisk_eval_points){.ball = geodisk_unit_ball(2), .nodes = LARGE, .vectors = x};
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, graph, LARGE, positives), GEODISK_OK);
  return graph;
}

static void test_errors(void **state) {
  (void)state;
  static const geodisk_status failures[] = {GEODISK_ERROR_DEVICE, GEODISK_ERROR_MEMORY};
  static const rank_device broken = {fails_to_rank};
  static const device_table table = {.layout = DEVICE_LAYOUT, .look = host_look, .rank = &broken};
  geodisk_context *context = NULL;
  geodisk_relation *positives = NULL;
  geodisk_eval_points points;
  geodisk_ranking expected, got;
  geodisk_ranking_options options = {.arithmetic = GEODISK_PRECISION_FLOAT};
  int warnings = 0;
  geodisk_graph *graph = make_circle(&points, &positives);
  geodisk_device_replace(&table);
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  geodisk_context_on_log(context, count_warnings, &warnings);
  assert_int_equal(geodisk_eval_ranking(context, &points, positives, NULL, &options, &expected), GEODISK_OK);
  for (int i = 0; i < 2; i++) {
    failure = failures[i];
    options.device = GEODISK_DEVICE_CUDA;
    assert_int_equal(geodisk_eval_ranking(context, &points, positives, NULL, &options, &got), failure);
    assert_string_equal(geodisk_context_error(context), "it has fallen off the bus");
    options.device = GEODISK_DEVICE_AUTO;
    assert_int_equal(geodisk_eval_ranking(context, &points, positives, NULL, &options, &got), GEODISK_OK);
    expect_same("mean rank", i, got.mean_rank, expected.mean_rank);
    expect_same("MAP", i, got.map, expected.map);
  }
  assert_int_equal(asked, 4);
  assert_int_equal(warnings, 1);
  geodisk_relation_destroy(positives);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  choose_device();
}

int main(void) {
  if (!choose_device())
    return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_deep),
      cmocka_unit_test(test_loss),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests_name("ranks by the code for devices", tests, NULL, NULL);
}
