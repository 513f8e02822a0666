/* test_eval_entailment.c - word pairs: formats, senses, the score, what is left out, errors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/eval.h"

enum { NODES = 7 };
static const char *const names[NODES] = {"dog.n.01", "dog.n.02", "dogma.n.01", "animal.n.01", "entity", "cat", "dog"};
static const double vectors[NODES] = {0.6, -0.5, 0.55, 0.3, 0.05, -0.7, 0.9};

typedef struct setting {
  geodisk_context *context;
  geodisk_model *model;
  geodisk_eval_points points;
  double gap[NODES];
  char warning[1000];
  char path[64];
} setting;

static void on_log(void *user, geodisk_log_level level, const char *text) {
  assert_int_equal(level, GEODISK_LOG_WARNING);
  strncpy(((setting *)user)->warning, text, 999);
}

static int set_up(void **state) {
  setting *s = test_calloc(1, sizeof *s);
  const geodisk_ball ball = geodisk_unit_ball(1);
  for (int i = 0; i < NODES; i++)
    s->gap[i] = geodisk_gap(&ball, vectors + i);
  const geodisk_model_spec spec = {.nodes = NODES, .ball = ball, .name_list = names, .vectors = vectors, .gap = s->gap};
  assert_int_equal(geodisk_context_create(1, &s->context), GEODISK_OK);
  geodisk_context_on_log(s->context, on_log, s);
  assert_int_equal(geodisk_model_create(s->context, &spec, &s->model), GEODISK_OK);
  assert_int_equal(geodisk_eval_points_of_model(s->context, s->model, GEODISK_SPACE_HYPERBOLIC, &s->points), GEODISK_OK);
  snprintf(s->path, sizeof s->path, "/tmp/geodisk-entailment-XXXXXX");
  const int file = mkstemp(s->path);
  assert_true(file >= 0);
  close(file);
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  setting *s = *state;
  unlink(s->path);
  geodisk_model_destroy(s->model);
  geodisk_context_destroy(s->context);
  test_free(s);
  return 0;
}

static geodisk_status judge(setting *s, const char *text, const geodisk_entailment_options *options, geodisk_entailment *out) {
  FILE *file = fopen(s->path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  return geodisk_eval_entailment(s->context, s->model, &s->points, s->path, options, out);
}

/* The score of two nodes, and the order it puts pairs in. */
static double score(size_t u, size_t v, double alpha) {
  const geodisk_ball ball = geodisk_unit_ball(1);
  return -(1 + alpha * (fabs(vectors[v]) - fabs(vectors[u]))) * geodisk_distance(&ball, vectors + u, vectors + v);
}

static void formats(void **state) {
  setting *s = *state;
  geodisk_entailment plain, header, blanks, r;
  /* dog has the senses .n.01, .n.02 and "dog" itself, dogma is another word */
  assert_int_equal(judge(s, "dog\tanimal\t5.5\ncat\tanimal\t4\nanimal\tentity\t3\ndogma\tcat\t0\n", NULL, &plain), GEODISK_OK);
  assert_int_equal(plain.pairs, 4);
  assert_int_equal(plain.unknown, 0);
  assert_int_equal(judge(s,
                         "WORD1 WORD2 POS TYPE AVG_SCORE STD\r\ndog animal N hyp 5.5 1\r\n\r\ncat animal N hyp 4 1\r\n"
                         "animal entity n x 3 0\r\ndogma cat V no-rel 0 0\r\n",
                         NULL, &header),
                   GEODISK_OK);
  assert_memory_equal(&plain, &header, sizeof plain);
  assert_int_equal(judge(s, "dog  animal   5.5\n cat animal 4 \nanimal entity 3\ndogma cat 0", NULL, &blanks), GEODISK_OK);
  assert_memory_equal(&plain, &blanks, sizeof plain);
  const geodisk_entailment_options nouns = {.pos = 'n'};
  assert_int_equal(judge(s, "POS\tWORD1\tSCORE\tWORD2\nN\tdog\t5\tanimal\nV\tcat\t1\tanimal\nn\tanimal\t3\tentity\n", &nouns, &r),
                   GEODISK_OK);
  assert_int_equal(r.pairs, 2);
  assert_int_equal(r.filtered, 1);
}

static void nearest_senses(void **state) {
  setting *s = *state;
  geodisk_entailment r;
  for (int round = 0; round < 2; round++) {
    const geodisk_entailment_options options = {.alpha = round == 0 ? 0.0 : 2.0};
    const double alpha = round == 0 ? 1000.0 : 2.0;
    /* dog-animal: dog.n.01 (0.6) is nearest to 0.3; dog-cat: dog.n.02 (-0.5) to -0.7; animal-dog again 0.6 */
    const double mine[] = {score(0, 3, alpha), score(1, 5, alpha), score(3, 0, alpha), score(3, 4, alpha)};
    char text[400];
    snprintf(text, sizeof text, "dog animal %.17g\ndog cat %.17g\nanimal dog %.17g\nanimal entity %.17g\n", mine[0], mine[1],
             mine[2], mine[3]);
    assert_int_equal(judge(s, text, &options, &r), GEODISK_OK);
    assert_true(fabs(r.spearman - 1.0) < 1e-15);
    assert_true(fabs(r.kendall_tau - 1.0) < 1e-15);
    snprintf(text, sizeof text, "dog animal %.17g\ndog cat %.17g\nanimal dog %.17g\n", -mine[0], -mine[1], -mine[2]);
    assert_int_equal(judge(s, text, &options, &r), GEODISK_OK);
    assert_true(fabs(r.spearman + 1.0) < 1e-15);
  }
  /* The same coordinates as points of flat space: |cat - entity| = 0.75, |dogma - entity| = 0.5, |animal - entity| = 0.25. */
  geodisk_eval_points flat;
  assert_int_equal(geodisk_eval_points_of_model(s->context, s->model, GEODISK_SPACE_EUCLIDEAN, &flat), GEODISK_OK);
  const geodisk_entailment_options tiny = {.alpha = 1e-9};
  FILE *file = fopen(s->path, "w");
  fputs("cat entity 1\ndogma entity 2\nanimal entity 3\n", file);
  fclose(file);
  assert_int_equal(geodisk_eval_entailment(s->context, s->model, &flat, s->path, &tiny, &r), GEODISK_OK);
  assert_true(fabs(r.spearman - 1.0) < 1e-15);
}

static void left_out_and_errors(void **state) {
  setting *s = *state;
  geodisk_entailment r = {0};
  assert_int_equal(judge(s, "dog animal 1\nunicorn animal 2\ncat entity 3\ndog griffin 4\n", NULL, &r), GEODISK_OK);
  assert_int_equal(r.pairs, 2);
  assert_int_equal(r.unknown, 2);
  assert_non_null(strstr(s->warning, "2 of 4 pairs are left out, a word has no node: 'unicorn', 'griffin'"));
  const geodisk_entailment untouched = r;
  static const struct {
    const char *text;
    geodisk_status status;
    const char *says;
  } cases[] = {
      {"dog animal\n", GEODISK_ERROR_FORMAT, "line 1: neither two words and a score"},
      {"", GEODISK_ERROR_ARGUMENT, "0 of 0 pairs"},
      {"dog animal 1\ncat entity\n", GEODISK_ERROR_FORMAT, "line 2: 2 fields, expected 3 at least"},
      {"dog animal 1\ncat entity much\n", GEODISK_ERROR_FORMAT, "line 2: the score 'much' is not a number"},
      {"WORD1\tWORD2\tSTD\n", GEODISK_ERROR_FORMAT, "line 1"},
      {"dog animal 1\nunicorn griffin 1\n", GEODISK_ERROR_ARGUMENT, "1 of 2 pairs have nodes"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(judge(s, cases[i].text, NULL, &r), cases[i].status);
    if (strstr(geodisk_context_error(s->context), cases[i].says) == NULL)
      fail_msg("'%s' does not say '%s'", geodisk_context_error(s->context), cases[i].says);
  }
  FILE *file = fopen(s->path, "w");
  fwrite("dog animal 1\0\n", 1, 14, file);
  fclose(file);
  assert_int_equal(geodisk_eval_entailment(s->context, s->model, &s->points, s->path, NULL, &r), GEODISK_ERROR_FORMAT);
  assert_int_equal(geodisk_eval_entailment(s->context, s->model, &s->points, "/no/such/file", NULL, &r), GEODISK_ERROR_IO);
  assert_int_equal(geodisk_eval_entailment(s->context, s->model, &s->points, "/", NULL, &r), GEODISK_ERROR_IO);
  assert_int_equal(geodisk_eval_entailment(s->context, s->model, NULL, s->path, NULL, &r), GEODISK_ERROR_ARGUMENT);
  assert_memory_equal(&r, &untouched, sizeof r);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(formats, set_up, tear_down),
                                     cmocka_unit_test_setup_teardown(nearest_senses, set_up, tear_down),
                                     cmocka_unit_test_setup_teardown(left_out_and_errors, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
