/* Near nodes by src/cuda, its code compiled for the host, against the scan of the processor: the same nodes at the same
 * distances, with points that tie, that are deep, whose gaps are off, and in flat space; and seldom left to the processor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "cuda_host.h"
#include "geodisk/vectors.h"

enum { NODES = 300 };
typedef enum kind { SPREAD, CLUSTERS, DEEP, EQUAL, FLAT, HUGE_FLAT, DRIFTED, KINDS } kind;

static void place(kind k, const geodisk_ball *ball, geodisk_random *random, size_t node, double *x, double *gap) {
  geodisk_random same = geodisk_random_stream(5, node % (k == EQUAL ? 200 : 7));
  if (k == CLUSTERS) {
    double mean[40];
    geodisk_random_in_ball(ball, &same, 9, mean, NULL);
    geodisk_random_wrapped_normal(ball, random, mean, 0.3, x, gap);
  } else {
    geodisk_random_in_ball(ball, k == EQUAL ? &same : random, k == DEEP ? 80 : 6, x, gap);
  }
  if (k == DRIFTED)
    *gap = fmin(4, *gap * (1 + 0x1p-11 * (2 * geodisk_random_uniform(random) - 1)));
  for (int c = 0; c < ball->dim && k == HUGE_FLAT; c++)
    x[c] *= 1e30;
}

static geodisk_model *make_model(kind k, int dim) {
  const geodisk_model_spec spec = {.nodes = NODES,
                                   .ball = {dim, 2, 0.5},
                                   .space = k == FLAT || k == HUGE_FLAT ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                   .precision = GEODISK_PRECISION_DOUBLE};
  geodisk_model *model = NULL;
  geodisk_random random = geodisk_random_stream(17, (uint64_t)k);
  double gap;
  assert_int_equal(geodisk_model_create(NULL, &spec, &model), GEODISK_OK);
  for (size_t i = 0; i < NODES; i++) {
    place(k, &spec.ball, &random, i, geodisk_model_edit_vectors(model) + i * (size_t)dim, &gap);
    if (spec.space == GEODISK_SPACE_HYPERBOLIC)
      geodisk_model_edit_gap(model)[i] = gap;
  }
  return model;
}

/* All nodes' nearest, and those of points that are no nodes: halves of the nodes' coordinates. */
static void ask(const geodisk_model *model, geodisk_search search, size_t k, geodisk_side side, geodisk_neighbour *out,
                size_t *found) {
  static uint32_t nodes[NODES];
  const size_t dim = (size_t)geodisk_model_ball(model).dim;
  double *x = malloc(NODES * dim * sizeof *x), gap;
  geodisk_index *index = NULL;
  for (uint32_t i = 0; i < NODES; i++) {
    nodes[i] = i;
    geodisk_model_point(model, i, x + i * dim, &gap);
    for (size_t c = 0; c < dim; c++)
      x[i * dim + c] /= 2;
  }
  memset(out, 0, 2 * NODES * k * sizeof *out);
  assert_int_equal(geodisk_index_create(NULL, model, search, NODES, &index), GEODISK_OK);
  assert_int_equal(geodisk_index_search(index), search);
  assert_int_equal(
      geodisk_index_nearest(NULL, index, &(geodisk_nearest_query){.n = NODES, .nodes = nodes, .k = k, .side = side}, out, found),
      GEODISK_OK);
  assert_int_equal(
      geodisk_index_nearest(NULL, index, &(geodisk_nearest_query){.n = NODES, .x = x, .k = k}, out + NODES * k, found + NODES),
      GEODISK_OK);
  geodisk_index_destroy(index);
  free(x);
}

static void check(kind which, int dim, size_t k, geodisk_side side) {
  geodisk_model *model = make_model(which, dim);
  geodisk_neighbour *out = malloc(4 * NODES * k * sizeof *out), *expected = out + 2 * NODES * k;
  static size_t found[2 * NODES], there[2 * NODES];
  ask(model, GEODISK_SEARCH_SCAN, k, side, expected, there);
  ask(model, GEODISK_SEARCH_CUDA, k, side, out, found);
  assert_memory_equal(found, there, sizeof found);
  for (size_t i = 0; i < 2 * NODES; i++)
    for (size_t a = 0; a < there[i]; a++)
      if (out[i * k + a].node != expected[i * k + a].node || !(out[i * k + a].distance == expected[i * k + a].distance))
        fail_msg("kind %d, dim %d, k %zu: answer %zu of question %zu is %u, not %u", (int)which, dim, k, a, i,
                 out[i * k + a].node, expected[i * k + a].node);
  free(out);
  geodisk_model_destroy(model);
}

static void test_kinds(void **state) {
  (void)state;
  static const int dims[] = {2, 7, 10, 33};
  static const size_t ks[] = {1, 10, 32, 33};
  for (int which = 0; which < KINDS; which++)
    for (size_t d = 0; d < sizeof dims / sizeof dims[0]; d++) {
      host_unanswered = 0;
      check((kind)which, dims[d], ks[(d + (size_t)which) % 4], GEODISK_SIDE_ANY);
      if ((which == SPREAD || which == CLUSTERS) && host_unanswered > NODES / 50)
        fail_msg("kind %d, dim %d: %zu of %d questions are left to the processor", which, dims[d], host_unanswered, 2 * NODES);
    }
}

/* What the device does not answer is answered all the same. */
static void test_sides(void **state) {
  (void)state;
  check(SPREAD, 5, 10, GEODISK_SIDE_HIGHER);
  check(SPREAD, 5, 10, GEODISK_SIDE_LOWER);
  check(SPREAD, 5, 100, GEODISK_SIDE_ANY);
}

/* A device that fails: a status with its reason. */
static geodisk_status fails_to_ask(const void *own, const near_questions *q, near_answer *out, uint32_t *found,
                                   char why[DEVICE_TEXT]) {
  (void)own, (void)q, (void)out, (void)found;
  snprintf(why, DEVICE_TEXT, "it has fallen off the bus");
  return GEODISK_ERROR_DEVICE;
}

static geodisk_status fails_to_open(const near_points *points, void **out, char why[DEVICE_TEXT]) {
  (void)points, (void)out;
  snprintf(why, DEVICE_TEXT, "it does not fit");
  return GEODISK_ERROR_MEMORY;
}

static void keep_warning(void *user, geodisk_log_level level, const char *text) {
  char(*kept)[128] = user;
  if (level == GEODISK_LOG_WARNING)
    snprintf(*kept + strlen(*kept), sizeof *kept - strlen(*kept), "%s;", text);
}

/* CUDA_AUTO looks on the processor for what a device has no memory for, or fails at, and says so once. */
static void test_automatic(void **state) {
  (void)state;
  static const uint32_t nodes[] = {3, 5, 8};
  enum { ASKED = 3, K = 5, MANY = 1 << 20, FEW = 3 };
  static const char processor[] = "nearest nodes are looked for on the processor: ";
  const near_device full = {fails_to_open, host_near_ask, host_near_close},
                    broken = {host_near_open, fails_to_ask, host_near_close};
  const struct {
    const near_device *near;
    size_t questions;
    geodisk_search search; /* expected */
    const char *reason;    /* or NULL: nothing is said */
  } rows[] = {{&host_near, MANY, GEODISK_SEARCH_CUDA, NULL},
              {&host_near, FEW, GEODISK_SEARCH_SCAN, NULL},
              {&full, MANY, GEODISK_SEARCH_SCAN, "it does not fit"},
              {&broken, MANY, GEODISK_SEARCH_CUDA, "it has fallen off the bus"}};
  geodisk_model *model = make_model(SPREAD, 3);
  geodisk_neighbour expected[ASKED * K], out[ASKED * K];
  size_t found[ASKED];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const device_table table = {.layout = DEVICE_LAYOUT, .look = host_look, .near = rows[i].near};
    geodisk_context *context = NULL;
    geodisk_index *scan = NULL, *index = NULL;
    char warnings[128] = "", wanted[128] = "";
    geodisk_device_replace(&table);
    assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
    geodisk_context_on_log(context, keep_warning, &warnings);
    assert_int_equal(geodisk_index_create(context, model, GEODISK_SEARCH_SCAN, ASKED, &scan), GEODISK_OK);
    assert_int_equal(geodisk_index_create(context, model, GEODISK_SEARCH_CUDA_AUTO, rows[i].questions, &index), GEODISK_OK);
    assert_int_equal(geodisk_index_search(index), rows[i].search);
    const geodisk_nearest_query query = {.n = ASKED, .nodes = nodes, .k = K};
    assert_int_equal(geodisk_index_nearest(context, scan, &query, expected, found), GEODISK_OK);
    for (int again = 0; again < 2; again++) {
      assert_int_equal(geodisk_index_nearest(context, index, &query, out, found), GEODISK_OK);
      for (size_t a = 0; a < (size_t)ASKED * K; a++)
        assert_true(out[a].node == expected[a].node && out[a].distance == expected[a].distance);
    }
    if (rows[i].reason)
      snprintf(wanted, sizeof wanted, "%s%s;", processor, rows[i].reason);
    assert_string_equal(warnings, wanted);
    geodisk_index_destroy(scan);
    geodisk_index_destroy(index);
    geodisk_context_destroy(context);
  }
  geodisk_model_destroy(model);
  choose_device();
}

static void test_errors(void **state) {
  (void)state;
  near_device broken = host_near;
  const device_table table = {.layout = DEVICE_LAYOUT, .look = host_look, .near = &broken};
  geodisk_context *context = NULL;
  geodisk_index *index = NULL;
  geodisk_model *model = make_model(SPREAD, 3);
  geodisk_neighbour out[5];
  size_t found;
  const uint32_t node = 3;
  broken.ask = fails_to_ask;
  geodisk_device_replace(&table);
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  assert_int_equal(geodisk_index_create(context, model, GEODISK_SEARCH_CUDA, 1, &index), GEODISK_OK);
  assert_int_equal(geodisk_index_nearest(context, index, &(geodisk_nearest_query){.n = 1, .nodes = &node, .k = 5}, out, &found),
                   GEODISK_ERROR_DEVICE);
  assert_string_equal(geodisk_context_error(context), "it has fallen off the bus");
  geodisk_index_destroy(index);
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  choose_device();
}

int main(void) {
  if (!choose_device())
    return 77;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kinds),
      cmocka_unit_test(test_sides),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_automatic),
  };
  return cmocka_run_group_tests_name("near nodes by the code for devices", tests, NULL, NULL);
}
