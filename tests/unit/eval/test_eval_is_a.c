/* test_eval_is_a.c - entailment: thresholds, precision, recall, F1, AUC and average precision against sums over all pairs, ties,
 * the scores themselves, intervals, errors; the same for any number of threads. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "eval/classify.h"
#include "geodisk/eval.h"

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

/* ---- scored pairs --------------------------------------------------------------------------------------------------------- */

/* From the definitions, over all pairs. */
static void judge_plainly(const scored_pair *pairs, size_t n, double threshold, double out[5]) {
  double yes = 0, right = 0, said = 0, above = 0, precision = 0;
  for (size_t i = 0; i < n; i++) {
    yes += pairs[i].yes;
    said += pairs[i].score <= threshold;
    right += pairs[i].yes && pairs[i].score <= threshold;
    double before = 0, edges = 0;
    for (size_t j = 0; j < n; j++) {
      if (pairs[i].yes && !pairs[j].yes)
        above += pairs[i].score < pairs[j].score ? 1.0 : pairs[i].score == pairs[j].score ? 0.5 : 0.0;
      before += pairs[j].score <= pairs[i].score;
      edges += pairs[j].yes && pairs[j].score <= pairs[i].score;
    }
    if (pairs[i].yes)
      precision += edges / before;
  }
  out[1] = right / said;
  out[2] = right / yes;
  out[0] = 2 * out[1] * out[2] / (out[1] + out[2]);
  out[3] = above / (yes * ((double)n - yes));
  out[4] = precision / yes;
}

static void figures(void **state) {
  (void)state;
  enum { N = 200 };
  geodisk_random random = geodisk_random_stream(5, 0);
  for (int round = 0; round < 20; round++) {
    scored_pair pairs[N];
    for (size_t i = 0; i < N; i++) { /* few different scores: many ties */
      const bool yes = i < N / 4;
      pairs[i] = (scored_pair){(double)geodisk_random_below(&random, round < 10 ? 12 : 100000) + (yes          ? 0.0
                                                                                                  : round < 10 ? 3.0
                                                                                                               : 3e4),
                               yes};
    }
    classify_sort(pairs, N);
    double best, expected[5];
    const double threshold = classify_threshold(pairs, N, &best);
    geodisk_classification c = {0};
    assert_int_equal(classify_judge(NULL, pairs, N, threshold, 0, 0, &c), GEODISK_OK);
    judge_plainly(pairs, N, threshold, expected);
    assert_true(near(c.f1.value, expected[0]) && near(c.precision.value, expected[1]) && near(c.recall.value, expected[2]));
    assert_true(near(c.auc.value, expected[3]) && near(c.average_precision.value, expected[4]));
    assert_true(near(c.f1.value, best));
    for (size_t i = 0; i < N; i++) { /* no other threshold does better */
      judge_plainly(pairs, N, pairs[i].score, expected);
      assert_true(expected[0] <= best + 1e-12);
    }
  }
}

/* Intervals hold the value, shrink as pairs grow, and do not depend on the number of threads. */
static void intervals(void **state) {
  (void)state;
  enum { N = 20000 };
  static scored_pair pairs[N];
  geodisk_random random = geodisk_random_stream(6, 0);
  for (size_t i = 0; i < N; i++)
    pairs[i] = (scored_pair){geodisk_random_normal(&random) + (i % 4 ? 2.0 : 0.0), i % 4 == 0};
  double width[2];
  for (int large = 0; large < 2; large++) {
    const size_t n = large ? N : N / 16;
    classify_sort(pairs, n);
    geodisk_classification one = {0}, two = {0};
    geodisk_context *context = NULL;
    assert_int_equal(geodisk_context_create(3, &context), GEODISK_OK);
    assert_int_equal(classify_judge(NULL, pairs, n, 1.0, 200, 4, &one), GEODISK_OK);
    assert_int_equal(classify_judge(context, pairs, n, 1.0, 200, 4, &two), GEODISK_OK);
    assert_memory_equal(&one, &two, sizeof one);
    geodisk_context_destroy(context);
    assert_true(one.f1.low < one.f1.value && one.f1.value < one.f1.high);
    width[large] = one.recall.high - one.recall.low;
    const double share = one.recall.value, edges = (double)n / 4; /* binomial, but for the noise of 200 resamples */
    const double expected = 2 * 1.96 * sqrt(share * (1 - share) / edges);
    assert_true(width[large] > 0.6 * expected && width[large] < 1.6 * expected);
  }
  assert_true(width[1] < width[0]);
}

/* ---- points -------------------------------------------------------------------------------------------------------------- */

/* A root at the origin, two branches of three on opposite rays. */
enum { NODES = 7 };
static const double vectors[NODES] = {0.0, 0.4, 0.6, 0.8, -0.4, -0.6, -0.8};

typedef struct setting {
  geodisk_eval_points points;
  geodisk_graph *edges, *non_edges;
  geodisk_relation *edge_rows, *non_edge_rows;
} setting;

static geodisk_graph *graph_of(size_t n, const uint32_t *child, const uint32_t *parent) {
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = n, .children = child, .parents = parent};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  return graph;
}

static int set_up(void **state) {
  static setting s;
  static const uint32_t child[] = {1, 2, 3, 2, 3, 3, 4, 5, 6, 5, 6, 6}, parent[] = {0, 0, 0, 1, 1, 2, 0, 0, 0, 4, 4, 5};
  static const uint32_t no_child[] = {1, 2, 3, 4, 5, 6, 1, 2, 1, 0}, no_parent[] = {4, 4, 5, 1, 1, 2, 2, 3, 3, 1};
  s.points = (geodisk_eval_points){.nodes = NODES, .ball = geodisk_unit_ball(1), .vectors = vectors};
  s.edges = graph_of(12, child, parent);
  s.non_edges = graph_of(10, no_child, no_parent);
  assert_int_equal(geodisk_relation_create_plain(NULL, s.edges, NODES, &s.edge_rows), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, s.non_edges, NODES, &s.non_edge_rows), GEODISK_OK);
  *state = &s;
  return 0;
}

static int tear_down(void **state) {
  setting *s = *state;
  geodisk_relation_destroy(s->edge_rows);
  geodisk_relation_destroy(s->non_edge_rows);
  geodisk_graph_destroy(s->edges);
  geodisk_graph_destroy(s->non_edges);
  return 0;
}

static void scores(void **state) {
  setting *s = *state;
  const geodisk_is_a_pairs pairs = {s->edge_rows, s->non_edge_rows};
  geodisk_is_a found;
  assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &pairs, NULL, NULL, &found), GEODISK_OK);
  assert_int_equal(found.edges, 12);
  assert_int_equal(found.non_edges, 10);
  /* In one dimension half-spaces are exact: on the ray -r_p, which is -d(o,p) whatever c; with a root at the origin the edges to
   * it score 0, and so do no others. A node "below" its own child scores d - r_c = -r_c there. */
  const geodisk_classification *h = &found.scores[GEODISK_IS_A_HALF_SPACE];
  assert_true(h->recall.value == 1.0 && h->precision.value > 0.79);
  assert_true(h->threshold >= 0.0);
  /* The cone at p on a ray holds what is beyond it; the root, which has no direction, holds all. */
  const geodisk_classification *cone = &found.scores[GEODISK_IS_A_CONE];
  assert_true(cone->f1.value == 1.0 && cone->auc.value == 1.0);
  assert_true(found.scores[GEODISK_IS_A_HALF_SPACE_RADIUS].f1.value >= h->f1.value);
  assert_true(found.scores[GEODISK_IS_A_NICKEL_KIELA].f1.value > found.scores[GEODISK_IS_A_DISTANCE].f1.value);
  /* A threshold of one's own. */
  const geodisk_is_a_options own = {.threshold_given = true, .threshold = -0.1, .resamples = -1};
  assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &pairs, &pairs, &own, &found), GEODISK_OK);
  assert_true(near(found.scores[GEODISK_IS_A_HALF_SPACE].recall.value, 0.5)); /* all but the six edges to the root */
  assert_true(found.scores[GEODISK_IS_A_HALF_SPACE].recall.low == found.scores[GEODISK_IS_A_HALF_SPACE].recall.high);
}

/* Non-edges that are not given are drawn outside of all edges that are: of those to train on too. */
static void drawing(void **state) {
  setting *s = *state;
  geodisk_is_a drawn, given;
  geodisk_graph *others = NULL;
  geodisk_relation *rows = NULL;
  const geodisk_is_a_pairs pairs = {s->edge_rows, NULL};
  const geodisk_is_a_options options = {.resamples = -1, .seed = 4, .per_edge = 2, .train = s->non_edge_rows};
  assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &pairs, NULL,
                                     &(geodisk_is_a_options){.resamples = -1, .per_edge = 2, .seed = 4}, &drawn),
                   GEODISK_OK);
  geodisk_graph *closure = NULL;
  assert_int_equal(geodisk_graph_closure(NULL, s->edges, &(geodisk_closure_options){.allow_cycles = true}, &closure), GEODISK_OK);
  assert_int_equal(geodisk_graph_non_edges(NULL, closure, s->edges, 2, 9, &others), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, others, NODES, &rows), GEODISK_OK);
  const geodisk_is_a_pairs same = {s->edge_rows, rows};
  assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &same, NULL, &(geodisk_is_a_options){.resamples = -1}, &given),
                   GEODISK_OK);
  assert_int_equal(drawn.non_edges, given.non_edges);
  assert_true(drawn.scores[0].auc.value == given.scores[0].auc.value);
  assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &pairs, NULL, &options, &given), GEODISK_OK);
  assert_true(given.non_edges <= drawn.non_edges);
  geodisk_relation_destroy(rows);
  geodisk_graph_destroy(others);
  geodisk_graph_destroy(closure);
}

static void errors(void **state) {
  setting *s = *state;
  geodisk_is_a found;
  geodisk_graph *none = graph_of(0, NULL, NULL);
  geodisk_relation *empty = NULL;
  assert_int_equal(geodisk_relation_create_plain(NULL, none, NODES, &empty), GEODISK_OK);
  const geodisk_is_a_pairs bad[] = {{NULL, NULL}, {NULL, s->edge_rows}, {s->edge_rows, empty}, {empty, s->edge_rows}};
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &bad[i], NULL, NULL, &found), GEODISK_ERROR_ARGUMENT);
  const geodisk_is_a_pairs good = {s->edge_rows, s->non_edge_rows};
  assert_int_equal(geodisk_eval_is_a(NULL, &s->points, &good, &bad[2], NULL, &found), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_eval_is_a(NULL, NULL, &good, NULL, NULL, &found), GEODISK_ERROR_ARGUMENT);
  geodisk_relation_destroy(empty);
  geodisk_graph_destroy(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(figures), cmocka_unit_test(intervals), cmocka_unit_test(scores),
                                     cmocka_unit_test(drawing), cmocka_unit_test(errors)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
