/* test_vectors_query.c - near nodes, ranks and chains against brute force, bit for bit, whatever the method and the threads; what
 * a model says about single nodes; likely names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geodisk/vectors.h"

enum { CONTEXTS = 3 };
static geodisk_context *contexts[CONTEXTS], *context;

static int start(void **state) {
  (void)state;
  for (int i = 0; i < CONTEXTS; i++)
    if (geodisk_context_create(i + 1, &contexts[i]) != GEODISK_OK)
      return -1;
  context = contexts[0];
  return 0;
}

static int finish(void **state) {
  (void)state;
  for (int i = 0; i < CONTEXTS; i++)
    geodisk_context_destroy(contexts[i]);
  return 0;
}

static void assert_ok(geodisk_status status) {
  if (status != GEODISK_OK)
    fail_msg("%s: %s", geodisk_status_text(status), geodisk_context_error(context));
}

/* ---- models ----------------------------------------------------------------------------------------------------------- */

/* SPREAD: uniform in a ball; CLUSTERS: around few points near the rim; DEEP: beyond what coordinates tell; EQUAL: many points
 * twice and three times, so that distances tie; FLAT: Euclidean; DRIFTED: gaps that are off by as much as a model file may have.
 */
typedef enum kind { SPREAD, CLUSTERS, DEEP, EQUAL, FLAT, DRIFTED, KINDS } kind;

static void place(kind k, const geodisk_ball *ball, geodisk_random *random, size_t node, double *x, double *gap) {
  const double radius = k == DEEP ? 80 : 6;
  if (k == EQUAL) {
    geodisk_random same = geodisk_random_stream(5, node % 40);
    geodisk_random_in_ball(ball, &same, radius, x, gap);
  } else if (k == CLUSTERS) {
    geodisk_random centre = geodisk_random_stream(5, node % 7);
    double *mean = malloc((size_t)ball->dim * sizeof *mean);
    geodisk_random_in_ball(ball, &centre, 9, mean, NULL);
    geodisk_random_wrapped_normal(ball, random, mean, 0.3, x, gap);
    free(mean);
  } else {
    geodisk_random_in_ball(ball, random, radius, x, gap);
  }
  if (k == DRIFTED)
    *gap = fmin(4, *gap * (1 + 0x1p-11 * (2 * geodisk_random_uniform(random) - 1)));
}

static geodisk_model *make_model(kind k, size_t n, int dim, bool is_float) {
  const geodisk_model_spec spec = {.nodes = n,
                                   .ball = {dim, 2, 0.5},
                                   .space = k == FLAT ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                   .precision = is_float ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  geodisk_random random = geodisk_random_stream(17, (uint64_t)k);
  double *x = malloc((size_t)dim * sizeof *x), gap;
  for (size_t i = 0; i < n; i++) {
    place(k, &spec.ball, &random, i, x, &gap);
    for (size_t j = 0; j < (size_t)dim; j++) {
      const float narrow = (float)(x[j] * (1 - 0x1p-22)); /* stays inside */
      if (is_float)
        geodisk_model_edit_vectorsf(model)[i * (size_t)dim + j] = narrow;
      else
        geodisk_model_edit_vectors(model)[i * (size_t)dim + j] = x[j];
    }
    if (k != FLAT && is_float)
      geodisk_model_edit_gapf(model)[i] = (float)gap;
    else if (k != FLAT)
      geodisk_model_edit_gap(model)[i] = gap;
  }
  free(x);
  return model;
}

/* ---- brute force ------------------------------------------------------------------------------------------------------ */

static double depth(const geodisk_model *model, uint32_t node) {
  double norm = geodisk_model_norm(model, node), x[32], gap;
  if (geodisk_model_space(model) == GEODISK_SPACE_EUCLIDEAN)
    return norm;
  geodisk_model_point(model, node, x, &gap);
  const double R = geodisk_model_ball(model).radius;
  return (gap <= R * R / 2 ? R * R - gap : norm * norm) / gap;
}

static int by_distance(const void *a, const void *b) {
  const geodisk_neighbour *s = a, *t = b;
  if (s->distance != t->distance)
    return s->distance < t->distance ? -1 : 1;
  return s->node < t->node ? -1 : 1;
}

/* All others on that side, nearest first. */
static size_t brute(const geodisk_model *model, uint32_t node, geodisk_side side, geodisk_neighbour *out) {
  const size_t n = geodisk_model_nodes(model);
  size_t found = 0;
  for (uint32_t j = 0; j < n; j++) {
    if (j == node || (side == GEODISK_SIDE_HIGHER && !(depth(model, j) < depth(model, node))) ||
        (side == GEODISK_SIDE_LOWER && !(depth(model, j) > depth(model, node))))
      continue;
    out[found].node = j;
    assert_ok(geodisk_model_distance(context, model, node, j, &out[found].distance));
    assert_true(out[found].distance >= 0);
    found++;
  }
  qsort(out, found, sizeof *out, by_distance);
  return found;
}

static void compare(const geodisk_model *model, geodisk_search search, geodisk_context *with, size_t n, const uint32_t *nodes,
                    size_t k, geodisk_side side, const geodisk_neighbour *truth, const size_t *there) {
  const size_t all = geodisk_model_nodes(model);
  geodisk_neighbour *out = malloc(n * k * sizeof *out);
  size_t *found = malloc(n * sizeof *found);
  geodisk_index *index = NULL;
  assert_ok(geodisk_index_create(with, model, search, n, &index));
  assert_int_equal(geodisk_index_search(index), search);
  assert_ok(
      geodisk_index_nearest(with, index, &(geodisk_nearest_query){.n = n, .nodes = nodes, .k = k, .side = side}, out, found));
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(found[i], there[i] < k ? there[i] : k);
    for (size_t j = 0; j < found[i]; j++) {
      assert_int_equal(out[i * k + j].node, truth[i * all + j].node);
      assert_true(out[i * k + j].distance == truth[i * all + j].distance);
    }
  }
  geodisk_index_destroy(index);
  free(out);
  free(found);
}

static void nearest(void **state) {
  (void)state;
  static const size_t ks[] = {1, 10, 100000};
  static const int dims[] = {1, 2, 7};
  enum { ASKED = 14, NODES = 500 };
  uint32_t nodes[ASKED];
  geodisk_neighbour *truth = malloc((size_t)ASKED * NODES * sizeof *truth);
  size_t there[ASKED];
  for (int k = 0; k < KINDS; k++)
    for (int d = 0; d < 3; d++) {
      const bool is_float = (k + d) % 3 == 1 && k != DEEP;
      geodisk_model *model = make_model((kind)k, NODES, dims[d], is_float);
      for (int side = 0; side < 3; side++) {
        for (uint32_t i = 0; i < ASKED; i++) {
          nodes[i] = i * 33;
          there[i] = brute(model, nodes[i], (geodisk_side)side, truth + i * NODES);
        }
        for (int s = GEODISK_SEARCH_SCAN; s <= GEODISK_SEARCH_TREE; s++)
          for (int t = 0; t < CONTEXTS; t++)
            compare(model, (geodisk_search)s, contexts[t], ASKED, nodes, ks[(t + d + side) % 3], (geodisk_side)side, truth,
                    there);
        compare(model, GEODISK_SEARCH_SCAN, contexts[2], 1, nodes, 5, (geodisk_side)side, truth, there);
      }
      geodisk_model_destroy(model);
    }
  free(truth);
}

/* Points that are no nodes. */
static void nearest_to(void **state) {
  (void)state;
  enum { NODES = 900, ASKED = 30, DIM = 3, K = 4 };
  geodisk_model *model = make_model(CLUSTERS, NODES, DIM, false);
  const geodisk_ball ball = geodisk_model_ball(model);
  geodisk_random random = geodisk_random_stream(1, 2);
  double x[ASKED * DIM], gap[ASKED];
  for (int i = 0; i < ASKED; i++)
    geodisk_random_in_ball(&ball, &random, i < 15 ? 9 : 60, x + (ptrdiff_t)i * DIM, &gap[i]);
  geodisk_nearest_query points = {.n = ASKED, .x = x, .gap = gap, .k = K};
  for (int s = GEODISK_SEARCH_SCAN; s <= GEODISK_SEARCH_TREE; s++) {
    geodisk_index *index = NULL;
    geodisk_neighbour out[ASKED * K], higher[ASKED * K];
    size_t found[ASKED], there[ASKED];
    assert_ok(geodisk_index_create(context, model, (geodisk_search)s, 0, &index));
    assert_ok(geodisk_index_nearest(context, index, &points, out, found));
    points.side = GEODISK_SIDE_HIGHER;
    assert_ok(geodisk_index_nearest(context, index, &points, higher, there));
    points.side = GEODISK_SIDE_ANY;
    for (int i = 0; i < ASKED; i++) {
      assert_int_equal(found[i], K);
      geodisk_neighbour all[NODES];
      for (uint32_t j = 0; j < NODES; j++)
        all[j] = (geodisk_neighbour){j, geodisk_distance_gap(&ball, x + (ptrdiff_t)i * DIM, gap[i],
                                                             geodisk_model_vectors(model) + (size_t)j * DIM,
                                                             geodisk_model_gap(model)[j])};
      qsort(all, NODES, sizeof *all, by_distance);
      for (int j = 0; j < K; j++)
        assert_true(out[i * K + j].node == all[j].node && out[i * K + j].distance == all[j].distance);
      size_t above = 0;
      for (int j = 0; j < NODES && above < K; j++)
        if (geodisk_model_radius(model, all[j].node) < geodisk_radius_from_gap(&ball, gap[i]))
          assert_true(above < there[i] && higher[i * K + (int)above++].node == all[j].node);
      assert_int_equal(above, there[i]);
    }
    assert_ok(geodisk_index_nearest(context, index, &(geodisk_nearest_query){.n = 15, .x = x, .k = K}, out, found));
    x[4] = 2;
    assert_int_equal(geodisk_index_nearest(context, index, &points, out, found), GEODISK_ERROR_ARGUMENT);
    x[4] = 0.1;
    gap[1] = -1;
    assert_int_equal(geodisk_index_nearest(context, index, &points, out, found), GEODISK_ERROR_ARGUMENT);
    gap[1] = geodisk_gap(&ball, x + DIM);
    geodisk_index_destroy(index);
  }
  geodisk_model_destroy(model);
}

static void ranks_and_chains(void **state) {
  (void)state;
  enum { NODES = 500 };
  geodisk_neighbour truth[NODES], chain[NODES];
  for (int k = 0; k < KINDS; k++) {
    geodisk_model *model = make_model((kind)k, NODES, 4, false);
    geodisk_index *index = NULL;
    assert_ok(geodisk_index_create(context, model, GEODISK_SEARCH_TREE, 0, &index));
    for (uint32_t a = 0; a < NODES; a += 97) {
      const size_t n = brute(model, a, GEODISK_SIDE_ANY, truth);
      for (size_t j = 0; j < n; j += 31) {
        size_t nearer = 0, rank;
        while (truth[nearer].distance < truth[j].distance)
          nearer++;
        for (int t = 0; t < CONTEXTS; t++) {
          assert_ok(geodisk_index_rank(contexts[t], index, a, truth[j].node, &rank));
          assert_int_equal(rank, nearer + 1);
        }
      }
      for (int side = GEODISK_SIDE_HIGHER; side <= GEODISK_SIDE_LOWER; side++) {
        size_t found, steps = 0;
        assert_ok(geodisk_index_chain(
            context, index, &(geodisk_nearest_query){.n = 1, .nodes = &a, .k = 20, .side = (geodisk_side)side}, chain, &found));
        for (uint32_t at = a; steps < 20 && brute(model, at, (geodisk_side)side, truth) > 0; steps++) {
          assert_true(steps < found && chain[steps].node == truth[0].node && chain[steps].distance == truth[0].distance);
          at = truth[0].node;
        }
        assert_int_equal(found, steps);
      }
    }
    size_t rank;
    assert_int_equal(geodisk_index_rank(context, index, 3, 3, &rank), GEODISK_ERROR_ARGUMENT);
    assert_int_equal(geodisk_index_rank(context, index, 3, NODES, &rank), GEODISK_ERROR_ARGUMENT);
    geodisk_index_destroy(index);
    geodisk_model_destroy(model);
  }
}

/* The tree is taken when it pays, and left when it does not. */
static void choice(void **state) {
  (void)state;
  geodisk_model *low = make_model(CLUSTERS, 5000, 2, false), *high = make_model(SPREAD, 5000, 30, false);
  const struct {
    const geodisk_model *model;
    size_t questions;
    geodisk_search chosen;
  } cases[] = {{low, 1, GEODISK_SEARCH_SCAN}, {low, 2000, GEODISK_SEARCH_TREE}, {high, 2000, GEODISK_SEARCH_SCAN}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_index *index = NULL;
    assert_ok(geodisk_index_create(context, cases[i].model, GEODISK_SEARCH_AUTO, cases[i].questions, &index));
    assert_int_equal(geodisk_index_search(index), cases[i].chosen);
    geodisk_index_destroy(index);
  }
  geodisk_index_destroy(NULL);
  geodisk_model_destroy(low);
  geodisk_model_destroy(high);
}

/* ---- single nodes ----------------------------------------------------------------------------------------------------- */

static bool near(double a, double b, double error) { return fabs(a - b) <= error * (1 + fabs(b)); }

static void single_nodes(void **state) {
  (void)state;
  for (int flat = 0; flat < 2; flat++) {
    geodisk_model *model = make_model(flat ? FLAT : SPREAD, 50, 3, false);
    const geodisk_ball ball = geodisk_model_ball(model);
    const double *v = geodisk_model_vectors(model);
    double x[3], y[3], gap, d, e;
    for (uint32_t a = 0; a < 40; a++) {
      const uint32_t b = a + 1, c = a + 2;
      assert_true(near(geodisk_model_norm(model, a),
                       sqrt(v[3 * a] * v[3 * a] + v[3 * a + 1] * v[3 * a + 1] + v[3 * a + 2] * v[3 * a + 2]), 1e-15));
      assert_ok(geodisk_model_distance(context, model, a, b, &d));
      assert_ok(geodisk_model_between(context, model, a, b, 0.25, x, &gap));
      assert_ok(geodisk_model_analogy(context, model, a, b, c, y, &gap));
      if (flat) {
        assert_true(geodisk_model_radius(model, a) == geodisk_model_norm(model, a) && isnan(gap));
        for (int k = 0; k < 3; k++) {
          assert_true(near(x[k], 0.75 * v[3 * a + (size_t)k] + 0.25 * v[3 * b + (size_t)k], 1e-15));
          assert_true(near(y[k], v[3 * c + (size_t)k] + v[3 * b + (size_t)k] - v[3 * a + (size_t)k], 1e-15));
        }
      } else {
        const double origin[3] = {0, 0, 0};
        assert_true(near(geodisk_model_radius(model, a), geodisk_distance(&ball, origin, v + (size_t)3 * a), 1e-12));
        assert_true(d == geodisk_distance_gap(&ball, v + (size_t)3 * a, geodisk_model_gap(model)[a], v + (size_t)3 * b,
                                              geodisk_model_gap(model)[b]));
        assert_true(near(geodisk_distance(&ball, v + (size_t)3 * a, x), 0.25 * d, 1e-10));
        assert_true(near(geodisk_distance(&ball, x, v + (size_t)3 * b), 0.75 * d, 1e-10));
        assert_true(near(geodisk_distance(&ball, v + (size_t)3 * c, y), d, 1e-10)); /* transport keeps lengths */
      }
      assert_ok(geodisk_model_analogy(context, model, a, b, a, y, NULL)); /* a : b = a : b */
      for (int k = 0; k < 3; k++)
        assert_true(near(y[k], v[3 * b + (size_t)k], 1e-12));
    }
    assert_true(isnan(geodisk_model_norm(model, 50)) && isnan(geodisk_model_radius(model, 50)));
    assert_int_equal(geodisk_model_distance(context, model, 0, 50, &e), GEODISK_ERROR_ARGUMENT);
    assert_int_equal(geodisk_model_between(context, model, 0, 1, (double)NAN, x, &gap), GEODISK_ERROR_ARGUMENT);
    assert_int_equal(geodisk_model_analogy(context, model, 0, 1, 50, x, &gap), GEODISK_ERROR_ARGUMENT);
    geodisk_model_destroy(model);
  }
}

/* Radii beyond the rim of coordinates. */
static void deep_radius(void **state) {
  (void)state;
  geodisk_model *model = make_model(DEEP, 100, 2, false);
  double least = 100, most = 0;
  for (uint32_t i = 0; i < 100; i++) {
    least = fmin(least, geodisk_model_radius(model, i));
    most = fmax(most, geodisk_model_radius(model, i));
  }
  assert_true(least > 60 && most > 75 && most < 80);
  geodisk_model_destroy(model);
}

static void likely_names(void **state) {
  (void)state;
  const char *names[] = {"dog.n.01",      "dot.n.01",          "Dog", "hot dog",    "dogs",        "cat.n.01", "carnivore.n.01",
                         "carnival.n.01", "\xc3\xa9t\xc3\xa9", "",    "Asia/Other", "Europe/Other"};
  const geodisk_model_spec spec = {.nodes = 12, .ball = {1, 1, 1}, .name_list = names};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  const struct {
    const char *word;
    const char *first, *second; /* NULL: none */
  } cases[] = {
      {"dog", "Dog", "dogs"},
      {"DOG.n.01", "dog.n.01", "dot.n.01"},
      {"hotdog", "hot dog", NULL},
      {"carnivor", "carnivore.n.01", "carnival.n.01"},
      {"carnivroe", "carnivore.n.01", NULL},
      {"\xc3\xa9te", "\xc3\xa9t\xc3\xa9", NULL},
      {"zzzzzz", NULL, NULL},
      {"cta", "cat.n.01", NULL},
      {"other", "Asia/Other", "Europe/Other"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint32_t found[2];
    size_t n;
    assert_ok(geodisk_model_suggest(context, model, cases[i].word, 2, found, &n));
    const char *first = n > 0 ? geodisk_model_name(model, found[0]) : NULL,
               *second = n > 1 ? geodisk_model_name(model, found[1]) : NULL;
    const bool right = (first == NULL ? cases[i].first == NULL : cases[i].first != NULL && strcmp(first, cases[i].first) == 0) &&
                       (cases[i].second == NULL || (second != NULL && strcmp(second, cases[i].second) == 0));
    if (!right)
      fail_msg("'%s': '%s', '%s'", cases[i].word, first ? first : "none", second ? second : "none");
  }
  size_t n;
  assert_ok(geodisk_model_suggest(context, model, "dog", 0, &(uint32_t){0}, &n));
  assert_int_equal(n, 0);
  geodisk_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest),      cmocka_unit_test(nearest_to),  cmocka_unit_test(ranks_and_chains), cmocka_unit_test(choice),
      cmocka_unit_test(single_nodes), cmocka_unit_test(deep_radius), cmocka_unit_test(likely_names),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
