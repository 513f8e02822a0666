/* test_eval_ranking.c - reconstruction, link prediction and loss against direct evaluation; threads, instruction sets, samples,
 * deep points, nodes that are missing, and errors. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "eval/ranking_slices.h"
#include "eval_worlds.h"

static double direct_distance(const world *w, size_t a, size_t b) {
  const size_t dim = (size_t)w->points.ball.dim;
  if (w->points.space == GEODISK_SPACE_HYPERBOLIC)
    return geodisk_distance(&w->points.ball, w->x + a * dim, w->x + b * dim);
  double sum = 0.0;
  for (size_t c = 0; c < dim; c++)
    sum += (w->x[a * dim + c] - w->x[b * dim + c]) * (w->x[a * dim + c] - w->x[b * dim + c]);
  return sqrt(sum);
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct direct {
  double mean_rank, map, hits[3], auc, loss, complement, near[4];
  double node_rank[MOST_NODES], node_precision[MOST_NODES], node_loss[MOST_NODES];
  size_t nodes, pairs;
} direct;

/* Everything by the book. Points whose distances differ by rounding only count as equal when they are the same point. */
static void evaluate_directly(const world *w, bool known, bool gensim, direct *out) {
  const size_t n = w->points.nodes, dim = (size_t)w->points.ball.dim;
  const size_t bytes = dim * sizeof *w->x;
  size_t compared = 0;
  *out = (direct){0};
  for (size_t u = 0; u < n; u++) {
    double d[MOST_NODES], ranks[MOST_NODES], z = 0.0, negatives = 0;
    bool negative[MOST_NODES], positive[MOST_NODES];
    size_t count = 0;
    for (size_t v = 0; v < n; v++) {
      d[v] = direct_distance(w, u, v);
      positive[v] = geodisk_graph_has_edge(w->graph, (uint32_t)u, (uint32_t)v);
      const bool out_of_it = positive[v] || (known && geodisk_graph_has_edge(w->known_graph, (uint32_t)u, (uint32_t)v));
      negative[v] = !out_of_it && (gensim || v != u);
      negatives += negative[v];
      if (!out_of_it && v != u)
        z += exp(-d[v]);
    }
    for (size_t v = 0; v < n; v++) {
      if (!positive[v])
        continue;
      double rank = 1.0;
      for (size_t m = 0; m < n; m++)
        if (negative[m]) {
          const bool tie = memcmp(w->x + m * dim, w->x + v * dim, bytes) == 0;
          rank += tie ? (gensim ? 0.0 : 0.5) : d[m] < d[v];
        }
      ranks[count++] = rank;
      out->mean_rank += rank;
      out->hits[0] += rank <= 1;
      out->hits[1] += rank <= 3;
      out->hits[2] += rank <= 10;
      if (negatives > 0) {
        out->auc += 1 - (rank - 1) / negatives;
        compared++;
      }
      out->node_loss[u] += d[v] + log(z + exp(-d[v]));
      out->complement += d[v] + log1p(z);
    }
    out->node_rank[u] = out->node_precision[u] = (double)NAN;
    if (count == 0)
      continue;
    out->nodes++;
    out->pairs += count;
    out->loss += out->node_loss[u];
    qsort(ranks, count, sizeof *ranks, compare);
    double precision = 0.0, sum = 0.0;
    for (size_t i = 0; i < count; i++) {
      const double place = ranks[i] + (double)i; /* among positives and negatives */
      precision += (double)(i + 1) / place;
      out->near[0] += place <= 1;
      out->near[1] += (place <= 3) / 3.0;
      out->near[2] += (place <= 10) / 10.0;
      out->near[3] += (place <= (double)count) / (double)count;
      sum += ranks[i];
    }
    out->node_rank[u] = sum / (double)count;
    out->node_precision[u] = precision / (double)count;
    out->map += precision / (double)count;
  }
  const double pairs = (double)out->pairs;
  out->mean_rank /= pairs;
  out->map /= (double)out->nodes;
  out->auc = compared > 0 ? out->auc / (double)compared : (double)NAN;
  out->loss /= pairs;
  out->complement /= pairs;
  for (int i = 0; i < 3; i++)
    out->hits[i] /= pairs;
  for (int i = 0; i < 4; i++)
    out->near[i] /= (double)out->nodes;
}

static void expect_near(const char *what, int round, double got, double expected, double bound) {
  if (isnan(expected) ? !isnan(got) : !(fabs(got - expected) <= bound * fmax(1.0, fabs(expected))))
    fail_msg("round %d, %s: %.17g, directly %.17g", round, what, got, expected);
}

static void agrees_with_direct(void **state) {
  (void)state;
  direct *d = test_malloc(sizeof *d);
#ifdef __SANITIZE_THREAD__ /* one thread */
  const int rounds = 7;
#else
  const int rounds = 84;
#endif
  for (int round = 0; round < rounds; round++) {
    world *w = make_world(round);
    const bool known = round % 2 == 1, gensim = round % 5 == 2;
    double rank[MOST_NODES], precision[MOST_NODES], loss[MOST_NODES], complement[MOST_NODES];
    const geodisk_ranking_nodes nodes = {rank, precision, loss, complement};
    const geodisk_ranking_options options = {
        .definition = gensim ? GEODISK_RANK_GENSIM : GEODISK_RANK_FILTERED, .loss = true, .by_node = &nodes};
    geodisk_ranking r;
    assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, known ? w->known : NULL, &options, &r), GEODISK_OK);
    evaluate_directly(w, known, gensim, d);
    const double bound = w->points.gap != NULL && w->points.precision == GEODISK_PRECISION_FLOAT ? 1e-6 : 1e-12;
    assert_int_equal(r.nodes, d->nodes);
    assert_int_equal(r.nodes_all, d->nodes);
    assert_int_equal(r.pairs, d->pairs);
    expect_near("mean rank", round, r.mean_rank.value, d->mean_rank, 1e-14);
    expect_near("map", round, r.map.value, d->map, 1e-13);
    expect_near("hits@1", round, r.hits_at_1.value, d->hits[0], 1e-14);
    expect_near("hits@3", round, r.hits_at_3.value, d->hits[1], 1e-14);
    expect_near("hits@10", round, r.hits_at_10.value, d->hits[2], 1e-14);
    expect_near("precision@1", round, r.precision_at_1.value, d->near[0], 1e-14);
    expect_near("precision@3", round, r.precision_at_3.value, d->near[1], 1e-14);
    expect_near("precision@10", round, r.precision_at_10.value, d->near[2], 1e-14);
    expect_near("precision@degree", round, r.precision_at_degree.value, d->near[3], 1e-14);
    expect_near("auc", round, r.auc.value, d->auc, 1e-13);
    expect_near("loss", round, r.loss.value, d->loss, bound);
    expect_near("complement", round, r.loss_complement.value, d->complement, bound);
    assert_true(r.map.low == r.map.value && r.map.high == r.map.value);
    for (size_t u = 0; u < w->points.nodes; u++) {
      expect_near("rank of a node", round, rank[u], d->node_rank[u], 1e-14);
      expect_near("precision of a node", round, precision[u], d->node_precision[u], 1e-13);
      assert_true(isnan(d->node_rank[u]) ? isnan(loss[u]) && isnan(complement[u]) : fabs(loss[u] - d->node_loss[u]) <= 1e-5);
    }
    destroy_world(w);
  }
  test_free(d);
}

/* The same bytes for any number of threads; every instruction set gives the same ranks here. */
static void threads_and_instruction_sets(void **state) {
  (void)state;
  for (int round = 0; round < 30; round += 5) {
    world *w = make_world(round);
    for (int single = 0; single < 2; single++) {
      const geodisk_ranking_options options = {.loss = true, .arithmetic = (geodisk_precision)single};
      geodisk_ranking first = {0}, r = {0};
      assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, NULL, &options, &first), GEODISK_OK);
      for (int threads = 1; threads <= 8; threads += threads < 4 ? 1 : 4) {
        geodisk_context *context = NULL;
        assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
        assert_int_equal(geodisk_eval_ranking(context, &w->points, w->positives, NULL, &options, &r), GEODISK_OK);
        assert_memory_equal(&first, &r, sizeof r);
        geodisk_context_destroy(context);
      }
      static const char *const names[] = {"ref", "sse2", "avx2", "avx512"};
      for (int i = 0; i < 4; i++) {
        geodisk_context *context = NULL;
        assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
        if (geodisk_use_instruction_set(context, names[i]) == GEODISK_OK) {
          assert_int_equal(geodisk_eval_ranking(context, &w->points, w->positives, NULL, &options, &r), GEODISK_OK);
          expect_near(names[i], round, r.mean_rank.value, first.mean_rank.value, single ? 1e-4 : 0.0);
          expect_near(names[i], round, r.map.value, first.map.value, single ? 1e-4 : 0.0);
          expect_near(names[i], round, r.loss.value, first.loss.value, single ? 1e-5 : 1e-12);
        }
        geodisk_context_destroy(context);
      }
    }
    destroy_world(w);
  }
}

/* Points far deeper than coordinates tell, on a few rays: from every one the next on its ray is nearest. */
static void deep_points(void **state) {
  (void)state;
  enum { RAYS = 3, STEPS = 40, NODES = RAYS * STEPS };
  const geodisk_ball ball = geodisk_unit_ball(3);
  static const double direction[RAYS][3] = {{0.6, 0.64, 0.48}, {-0.8, 0.0, 0.6}, {0.0, -1.0, 0.0}};
  double x[NODES * 3], gap[NODES];
  uint32_t child[NODES], parent[NODES];
  size_t edges = 0;
  for (size_t r = 0; r < RAYS; r++)
    for (size_t s = 0; s < STEPS; s++) {
      const size_t i = r * STEPS + s;
      const double radius = 2.0 + 3.0 * (double)s + 0.01 * (double)(s * s); /* to 135; coordinates end at 37 */
      const double e = fmin(geodisk_euclidean_from_radius(&ball, radius), 1.0 - 0x1p-52);
      gap[i] = geodisk_gap_from_radius(&ball, radius);
      for (size_t c = 0; c < 3; c++)
        x[i * 3 + c] = direction[r][c] * e;
      if (s > 0) {
        child[edges] = (uint32_t)i;
        parent[edges++] = (uint32_t)(i - 1);
      }
    }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = edges, .children = child, .parents = parent};
  const geodisk_eval_points points = {.nodes = NODES, .ball = ball, .vectors = x, .gap = gap};
  geodisk_graph *graph = NULL;
  geodisk_relation *relation = NULL;
  geodisk_ranking r;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, graph, NODES, &relation), GEODISK_OK);
  const geodisk_ranking_options options = {.loss = true};
  assert_int_equal(geodisk_eval_ranking(NULL, &points, relation, NULL, &options, &r), GEODISK_OK);
  assert_true(r.mean_rank.value == 1.0);
  assert_true(r.map.value == 1.0);
  double complement = 0.0;
  for (size_t e = 0; e < edges; e++) {
    double z = 0.0, d = 0.0;
    for (size_t m = 0; m < NODES; m++) {
      const double one = geodisk_distance_gap(&ball, x + 3 * child[e], gap[child[e]], x + 3 * m, gap[m]);
      if (m == parent[e])
        d = one;
      else if (m != child[e])
        z += exp(-one);
    }
    complement += (d + log1p(z)) / (double)edges;
  }
  expect_near("complement", 0, r.loss_complement.value, complement, 1e-9);
  geodisk_relation_destroy(relation);
  geodisk_graph_destroy(graph);
}

/* 95 % intervals hold the exact figure about 95 % of the time: of 400 samples between 355 and 398 (1e-4 either side). */
static void samples(void **state) {
  (void)state;
  world *w = make_world(10);
  geodisk_ranking exact, r;
  geodisk_random random = geodisk_random_stream(5, 5);
  geodisk_relation_destroy(w->positives);
  geodisk_graph_destroy(w->graph);
  w->graph = random_graph(&random, w->points.nodes, 5 * w->points.nodes, false);
  assert_int_equal(geodisk_relation_create_plain(NULL, w->graph, w->points.nodes, &w->positives), GEODISK_OK);
  const geodisk_ranking_options all = {.loss = true};
  assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, NULL, &all, &exact), GEODISK_OK);
  assert_true(exact.nodes > 250);
  enum { SAMPLE = 150 };
  int held[4] = {0};
  for (uint64_t seed = 0; seed < 400; seed++) {
    const geodisk_ranking_options options = {.loss = true, .sample = SAMPLE, .seed = seed};
    assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, NULL, &options, &r), GEODISK_OK);
    assert_int_equal(r.nodes, SAMPLE);
    assert_int_equal(r.nodes_all, exact.nodes);
    held[0] += r.mean_rank.low <= exact.mean_rank.value && exact.mean_rank.value <= r.mean_rank.high;
    held[1] += r.map.low <= exact.map.value && exact.map.value <= r.map.high;
    held[2] += r.auc.low <= exact.auc.value && exact.auc.value <= r.auc.high;
    held[3] += r.loss.low <= exact.loss.value && exact.loss.value <= r.loss.high;
    assert_true(r.map.low < r.map.value && r.map.value < r.map.high);
  }
  for (int i = 0; i < 4; i++)
    if (held[i] < 355 || held[i] > 398)
      fail_msg("figure %d: %d of 400 intervals hold it", i, held[i]);
  const geodisk_ranking_options more = {.loss = true, .sample = 1000000};
  assert_int_equal(geodisk_eval_ranking(NULL, &w->points, w->positives, NULL, &more, &r), GEODISK_OK);
  assert_memory_equal(&r, &exact, sizeof r);
  destroy_world(w);
}

/* On a line with growing steps every parent is the nearest node: no spread, and still an interval, by the rule of three. */
static void samples_that_agree(void **state) {
  (void)state;
  enum { NODES = 201, SAMPLE = 50 };
  double x[NODES];
  uint32_t child[NODES - 1], parent[NODES - 1];
  for (uint32_t i = 0; i < NODES; i++) {
    x[i] = i + 0.001 * i * i;
    child[i > 0 ? i - 1 : 0] = i;
    parent[i > 0 ? i - 1 : 0] = i > 0 ? i - 1 : 0;
  }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = NODES - 1, .children = child, .parents = parent};
  const geodisk_eval_points points = {.nodes = NODES, .ball = {1, 1, 1}, .space = GEODISK_SPACE_EUCLIDEAN, .vectors = x};
  const geodisk_ranking_options options = {.sample = SAMPLE};
  geodisk_graph *graph = NULL;
  geodisk_relation *relation = NULL;
  geodisk_ranking r;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(NULL, graph, NODES, &relation), GEODISK_OK);
  assert_int_equal(geodisk_eval_ranking(NULL, &points, relation, NULL, &options, &r), GEODISK_OK);
  const double low = 1.0 - 3.0 / SAMPLE * (1.0 - SAMPLE / 200.0);
  const geodisk_estimate *const ones[] = {&r.map, &r.hits_at_1, &r.hits_at_10, &r.auc};
  for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
    assert_true(ones[i]->value == 1.0 && ones[i]->high == 1.0);
    expect_near("rule of three", (int)i, ones[i]->low, low, 1e-15);
  }
  geodisk_relation_destroy(relation);
  geodisk_graph_destroy(graph);
}

/* ---- models, names, errors ---- */

static geodisk_model *model_of(geodisk_context *context, size_t nodes, const char *const *names, const double *x, double *gap) {
  geodisk_model *model = NULL;
  const geodisk_ball ball = geodisk_unit_ball(1);
  for (size_t i = 0; i < nodes; i++)
    gap[i] = geodisk_gap(&ball, x + i);
  const geodisk_model_spec spec = {.nodes = nodes, .ball = ball, .name_list = names, .vectors = x, .gap = gap};
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  return model;
}

static void last_warning(void *user, geodisk_log_level level, const char *text) {
  assert_int_equal(level, GEODISK_LOG_WARNING);
  strncpy(user, text, 999);
}

static void missing_nodes(void **state) {
  (void)state;
  static const char *const graph_names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  static const char *const model_names[] = {"d", "c", "x", "a"}; /* another order, and one more */
  static const uint32_t child[] = {0, 0, 2, 3, 4, 5}, parent[] = {2, 3, 3, 0, 0, 6};
  const geodisk_graph_arrays arrays = {.nodes = 8, .names = graph_names, .edges = 6, .children = child, .parents = parent};
  const double x[] = {0.1, 0.2, 0.3, -0.4};
  double gap[4];
  char warning[1000] = "";
  geodisk_context *context = NULL;
  geodisk_graph *graph = NULL;
  geodisk_relation *relation = NULL;
  geodisk_relation_info info;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  geodisk_context_on_log(context, last_warning, warning);
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  geodisk_model *model = model_of(context, 4, model_names, x, gap);
  assert_int_equal(geodisk_relation_create(context, graph, model, false, &info, &relation), GEODISK_ERROR_ARGUMENT);
  assert_null(relation);
  assert_string_equal(
      geodisk_context_error(context),
      "5 of the graph's 8 nodes are not in the model: 'b', 'e', 'f', 'g', 'h'; skipping them would leave out 2 of "
      "6 edges");
  assert_int_equal(info.missing_nodes, 5);
  assert_int_equal(info.missing_edges, 2);
  assert_int_equal(info.missing[4], 7);
  assert_int_equal(geodisk_relation_create(context, graph, model, true, &info, &relation), GEODISK_OK);
  assert_string_equal(warning,
                      "5 of the graph's 8 nodes are not in the model and left out, with 2 of 6 edges: 'b', 'e', 'f', 'g', "
                      "'h'");
  const geodisk_graph_rows rows = geodisk_relation_rows(relation);
  assert_int_equal(geodisk_relation_points(relation), 4);
  static const uint64_t offsets[] = {0, 1, 2, 2, 4}; /* d -> a; c -> d; x; a -> d, c */
  static const uint32_t targets[] = {3, 0, 0, 1};
  assert_memory_equal(rows.offsets, offsets, sizeof offsets);
  assert_memory_equal(rows.nodes, targets, sizeof targets);

  geodisk_eval_points points;
  geodisk_ranking r;
  assert_int_equal(geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points), GEODISK_OK);
  assert_int_equal(geodisk_eval_ranking(context, &points, relation, NULL, NULL, &r), GEODISK_OK);
  assert_int_equal(r.pairs, 4);
  /* d: a is behind c and x: 3. c: d against x and a: q = .01/.99 and .01/.91: d is nearer: 1. a: both before x: 1, 1. */
  assert_true(r.mean_rank.value == 1.5);
  assert_true(fabs(r.map.value - (1.0 / 3 + 1 + 1) / 3) < 1e-15);
  assert_true(isnan(r.loss.value));
  geodisk_relation_destroy(relation);
  geodisk_model_destroy(model);

  static const char *const strangers[] = {"p", "q", "r", "s"};
  model = model_of(context, 4, strangers, x, gap);
  relation = NULL;
  assert_int_equal(geodisk_relation_create(context, graph, model, true, NULL, &relation), GEODISK_ERROR_ARGUMENT);
  assert_null(relation);
  assert_string_equal(geodisk_context_error(context),
                      "none of the graph's 8 nodes is in the model: 'a', 'b', 'c', 'd', 'e' and 3 more");
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static bool stop_at_half(void *user, const geodisk_progress *progress) {
  *(uint64_t *)user = progress->done;
  assert_true(progress->done <= progress->total);
  return 2 * progress->done < progress->total;
}

static bool watch(void *user, const geodisk_progress *progress) {
  uint64_t *seen = user;
  assert_true(progress->done >= seen[0]);
  seen[0] = progress->done;
  seen[1] = progress->total;
  return true;
}

static void progress_and_errors(void **state) {
  (void)state;
  world *w = make_world(5);
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(3, &context), GEODISK_OK);
  const geodisk_ranking untouched = {.nodes = 123};
  geodisk_ranking r = untouched;
  uint64_t seen[2] = {0};
  geodisk_context_on_progress(context, watch, seen);
  assert_int_equal(geodisk_eval_ranking(context, &w->points, w->positives, NULL, NULL, &r), GEODISK_OK);
  assert_int_equal(seen[0], r.nodes);
  assert_int_equal(seen[1], r.nodes);
  r = untouched;
  geodisk_context_on_progress(context, stop_at_half, seen);
  assert_int_equal(geodisk_eval_ranking(context, &w->points, w->positives, NULL, NULL, &r), GEODISK_ERROR_STOPPED);
  geodisk_context_on_progress(context, NULL, NULL);

  geodisk_eval_points points = w->points;
  points.nodes--;
  assert_int_equal(geodisk_eval_ranking(context, &points, w->positives, NULL, NULL, &r), GEODISK_ERROR_ARGUMENT);
  points.nodes = 0;
  assert_int_equal(geodisk_eval_ranking(context, &points, w->positives, NULL, NULL, &r), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_eval_ranking(context, &w->points, NULL, NULL, NULL, &r), GEODISK_ERROR_ARGUMENT);
  const size_t at = 5 * (size_t)w->points.ball.dim;
  const double old = w->x[at];
  const float oldf = w->xf[at];
  w->x[at] = (double)NAN;
  w->xf[at] = NAN;
  assert_int_equal(geodisk_eval_ranking(context, &w->points, w->positives, NULL, NULL, &r), GEODISK_ERROR_NUMERIC);
  assert_non_null(strstr(geodisk_context_error(context), "point 5"));
  w->x[at] = 1.0;
  w->xf[at] = 1.0f;
  assert_int_equal(geodisk_eval_ranking(context, &w->points, w->positives, NULL, NULL, &r), GEODISK_ERROR_ARGUMENT);
  assert_non_null(strstr(geodisk_context_error(context), "point 5"));
  w->x[at] = old;
  w->xf[at] = oldf;
  geodisk_relation *small = NULL;
  assert_int_equal(geodisk_relation_create_plain(context, w->graph, w->points.nodes - 1, &small), GEODISK_ERROR_ARGUMENT);
  const geodisk_graph_arrays lonely = {.nodes = w->points.nodes};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(context, &lonely, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_relation_create_plain(context, graph, w->points.nodes, &small), GEODISK_OK);
  assert_int_equal(geodisk_eval_ranking(context, &w->points, small, NULL, NULL, &r), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "the graph has no edges to evaluate");
  assert_memory_equal(&r, &untouched, sizeof r);
  geodisk_relation_destroy(small);
  geodisk_relation_destroy(NULL);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  destroy_world(w);
}

/* Points are prepared side by side to the bits that each has alone, and the first wrong one among them is named. */
static void points_together_and_alone(void **state) {
  (void)state;
  for (int round = 0; round < 42; round++) {
    world *w = make_world(round);
    const geodisk_eval_points *all = &w->points;
    const size_t number = all->precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
    prepared together = {0}, alone = {0};
    for (size_t i = 0; i < all->nodes && all->gap && i % 3 == 0; i++) /* some are deeper than their coordinates say */
      w->gap[5 * i % all->nodes] *= 1.0 - 0x1p-22, w->gapf[5 * i % all->nodes] *= 1.0f - 0x1p-22f;
    assert_int_equal(prepared_create(NULL, all, &together), GEODISK_OK);
    for (size_t i = 0; i < all->nodes && all->space == GEODISK_SPACE_HYPERBOLIC; i++) {
      geodisk_eval_points one = *all;
      one.nodes = 1;
      one.vectors = (const char *)all->vectors + i * (size_t)all->ball.dim * number;
      one.gap = all->gap ? (const char *)all->gap + i * number : NULL;
      assert_int_equal(prepared_create(NULL, &one, &alone), GEODISK_OK);
      assert_memory_equal(&together.factor[i], &alone.factor[0], sizeof *alone.factor);
      assert_memory_equal(&together.weight[i], &alone.weight[0], sizeof *alone.weight);
      prepared_destroy(&alone);
    }
    prepared_destroy(&together);
    destroy_world(w);
  }
  double x[2 * 20] = {0}, gap[20];
  char text[64];
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  for (size_t wrong = 0; wrong < 20; wrong++) {
    const geodisk_eval_points points = {.nodes = 20, .ball = geodisk_unit_ball(2), .vectors = x, .gap = gap};
    prepared p = {0};
    for (size_t i = 0; i < 20; i++)
      gap[i] = i == wrong || i == 19 ? -1.0 : 1.0;
    assert_int_equal(prepared_create(context, &points, &p), GEODISK_ERROR_ARGUMENT);
    snprintf(text, sizeof text, "point %zu:", wrong);
    assert_true(strncmp(geodisk_context_error(context), text, strlen(text)) == 0);
  }
  geodisk_context_destroy(context);
}

/* Sums of records are those of adding every term of every record in order, in one go or several, as sliced rankings do it. */
static void sums_in_order(void **state) {
  (void)state;
  enum { RECORDS = 1000, PART = 137 };
  static rank_record records[RECORDS];
  geodisk_random random = geodisk_random_stream(4, 4);
  double ranks = 0, precision = 0, auc = 0, loss = 0, of_3 = 0, of_10 = 0, of_degree = 0, hits = 0, all = 0;
  for (size_t i = 0; i < RECORDS; i++) {
    rank_record *r = &records[i];
    r->positives = 1 + (uint32_t)geodisk_random_below(&random, 30);
    r->rank_sum = r->positives + 0.5 * (double)geodisk_random_below(&random, 1000);
    r->average_precision = geodisk_random_uniform(&random);
    r->auc_sum = geodisk_random_uniform(&random);
    r->loss_sum = 10.0 * geodisk_random_uniform(&random);
    r->hits[1] = (uint32_t)geodisk_random_below(&random, 4);
    r->near[1] = (uint32_t)geodisk_random_below(&random, 4);
    r->near[2] = (uint32_t)geodisk_random_below(&random, 11);
    r->near_all = (uint32_t)geodisk_random_below(&random, r->positives + 1);
    ranks += r->rank_sum;
    precision += r->average_precision;
    auc += r->auc_sum;
    loss += r->loss_sum;
    of_3 += r->near[1] / 3.0;
    of_10 += r->near[2] / 10.0;
    of_degree += (double)r->near_all / r->positives;
    hits += r->hits[1];
    all += r->positives;
  }
  for (size_t part = PART; part <= RECORDS; part += RECORDS - PART) {
    ranking_sums sums = {.nodes_all = RECORDS};
    geodisk_ranking out;
    for (size_t first = 0; first < RECORDS; first += part)
      ranking_sums_add(&sums, RECORDS - first < part ? RECORDS - first : part, records + first);
    ranking_sums_finish(&sums, true, &out);
    const double expected[] = {ranks / all,    precision / RECORDS, hits / all,         loss / all,
                               of_3 / RECORDS, of_10 / RECORDS,     of_degree / RECORDS};
    const double got[] = {out.mean_rank.value,          out.map.value,
                          out.hits_at_3.value,          out.loss.value,
                          out.precision_at_3.value,     out.precision_at_10.value,
                          out.precision_at_degree.value};
    assert_memory_equal(got, expected, sizeof got);
    assert_true(sums.above[5] == auc && sums.below[5] == 0.0 && out.pairs == (uint64_t)all);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_direct),  cmocka_unit_test(threads_and_instruction_sets),
                                     cmocka_unit_test(deep_points),         cmocka_unit_test(samples),
                                     cmocka_unit_test(samples_that_agree),  cmocka_unit_test(missing_nodes),
                                     cmocka_unit_test(progress_and_errors), cmocka_unit_test(points_together_and_alone),
                                     cmocka_unit_test(sums_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
