/* test_vectors_formats.c - other programs' formats: there and back for each, what is lost is told, and malformed files are
 * refused with their place. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/vectors.h"
#include "vectors/byte_order.h"

static geodisk_context *context;
static char said[4096]; /* log events */

static void on_log(void *user, geodisk_log_level level, const char *text) {
  (void)user, (void)level;
  const size_t used = strlen(said);
  snprintf(said + used, sizeof said - used, "%s\n", text);
}

static int start(void **state) {
  (void)state;
  if (geodisk_context_create(2, &context) != GEODISK_OK)
    return -1;
  geodisk_context_on_log(context, on_log, NULL);
  return 0;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  static const char *const files[] = {"formats.tmp", "formats.npy", "formats.names", "formats.other"};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    unlink(files[i]);
  return 0;
}

static void assert_ok(geodisk_status status) {
  if (status != GEODISK_OK)
    fail_msg("%s: %s", geodisk_status_text(status), geodisk_context_error(context));
}

enum { NODES = 700 };

static geodisk_model *random_model(int dim, double radius, geodisk_space space, geodisk_precision precision,
                                   const char *const *names) {
  const geodisk_model_spec spec = {
      .nodes = NODES, .ball = {dim, 1.5, 0.7}, .space = space, .precision = precision, .name_list = names};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  geodisk_random random = geodisk_random_stream(11, 0);
  double *x = malloc((size_t)dim * sizeof *x), gap;
  for (size_t i = 0; i < NODES; i++) {
    geodisk_random_in_ball(&spec.ball, &random, radius, x, &gap);
    for (size_t k = 0; k < (size_t)dim; k++) {
      if (precision == GEODISK_PRECISION_DOUBLE)
        geodisk_model_edit_vectors(model)[i * (size_t)dim + k] = x[k];
      else
        geodisk_model_edit_vectorsf(model)[i * (size_t)dim + k] = (float)x[k];
    }
    if (space == GEODISK_SPACE_HYPERBOLIC && precision == GEODISK_PRECISION_DOUBLE)
      geodisk_model_edit_gap(model)[i] = gap;
    if (space == GEODISK_SPACE_HYPERBOLIC && precision == GEODISK_PRECISION_FLOAT)
      geodisk_model_edit_gapf(model)[i] = (float)gap;
  }
  free(x);
  return model;
}

static void assert_same_names(const geodisk_model *a, const geodisk_model *b) {
  assert_int_equal(geodisk_model_nodes(a), geodisk_model_nodes(b));
  for (uint32_t i = 0; i < geodisk_model_nodes(a); i++) {
    uint32_t node;
    assert_string_equal(geodisk_model_name(a, i), geodisk_model_name(b, i));
    assert_true(geodisk_model_find(b, geodisk_model_name(a, i), geodisk_model_name_length(a, i), &node));
    assert_int_equal(node, i);
  }
}

/* The farthest two models' points lie from each other. */
static double farthest(const geodisk_model *a, const geodisk_model *b) {
  const geodisk_ball ball = geodisk_model_ball(a);
  double *x = malloc(2 * (size_t)ball.dim * sizeof *x), *y = x + ball.dim, far = 0, x_gap, y_gap;
  assert_int_equal(geodisk_model_dim(b), ball.dim);
  for (uint32_t i = 0; i < geodisk_model_nodes(a); i++) {
    geodisk_model_point(a, i, x, &x_gap);
    geodisk_model_point(b, i, y, &y_gap);
    far = fmax(far, geodisk_distance_gap(&ball, x, x_gap, y, y_gap));
  }
  free(x);
  return far;
}

static const struct {
  geodisk_format format;
  const char *path;
} formats[] = {
    {GEODISK_FORMAT_WORD2VEC, "formats.tmp"}, {GEODISK_FORMAT_WORD2VEC_BINARY, "formats.tmp"},
    {GEODISK_FORMAT_TSV, "formats.tmp"},      {GEODISK_FORMAT_CSV, "formats.tmp"},
    {GEODISK_FORMAT_NPY, "formats.npy"},      {GEODISK_FORMAT_MODEL, "formats.tmp"},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* The bytes of the numbers come back in every format that is as wide as they are; the format is found out. */
static void there_and_back(void **state) {
  (void)state;
  for (int f = 0; f < FORMATS; f++)
    for (int which = 0; which < 4; which++) {
      const geodisk_space space = which & 1 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
      const geodisk_precision precision = which & 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
      const int dim = 1 + 3 * f;
      geodisk_model *model = random_model(dim, 5, space, precision, NULL), *back = NULL;
      const geodisk_export_options to = {.format = formats[f].format};
      const geodisk_import_options from = {
          .space = space, .radius = 1.5, .curvature = 0.7, .width = which & 2 ? GEODISK_WIDTH_FLOAT : GEODISK_WIDTH_DOUBLE};
      geodisk_export_info lost;
      geodisk_import_info found;
      assert_ok(geodisk_model_export(context, model, formats[f].path, &to, &lost));
      assert_int_equal(lost.renamed + lost.moved + lost.left_out + lost.pulled, 0);
      assert_ok(geodisk_model_import(context, formats[f].path, &from, &found, &back));
      assert_int_equal(found.format, formats[f].format);
      assert_int_equal(found.duplicates, 0);
      assert_same_names(model, back);
      assert_int_equal(geodisk_model_space(back), space);
      const size_t numbers = NODES * (size_t)dim;
      if (precision == GEODISK_PRECISION_FLOAT)
        assert_memory_equal(geodisk_model_vectorsf(model), geodisk_model_vectorsf(back), numbers * sizeof(float));
      else if (formats[f].format != GEODISK_FORMAT_WORD2VEC_BINARY)
        assert_memory_equal(geodisk_model_vectors(model), geodisk_model_vectors(back), numbers * sizeof(double));
      else
        for (size_t i = 0; i < numbers; i++)
          assert_true(geodisk_model_vectors(back)[i] == (double)(float)geodisk_model_vectors(model)[i]);
      if (space == GEODISK_SPACE_HYPERBOLIC)
        assert_true(farthest(model, back) < 1e-3);
      geodisk_model_destroy(model);
      geodisk_model_destroy(back);
    }
}

/* The hyperboloid keeps points that are deeper than coordinates can tell. */
static void hyperboloid(void **state) {
  (void)state;
  for (int f = 0; f < 5; f++)
    for (int deep = 0; deep < 2; deep++) {
      geodisk_model *model = random_model(4, deep ? 60 : 5, GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, NULL),
                    *back = NULL;
      const geodisk_export_options to = {.format = formats[f].format, .lorentz = true};
      const geodisk_import_options from = {.lorentz = true, .radius = 1.5, .curvature = 0.7, .width = GEODISK_WIDTH_DOUBLE};
      assert_ok(geodisk_model_export(context, model, formats[f].path, &to, NULL));
      assert_ok(geodisk_model_import(context, formats[f].path, &from, NULL, &back));
      assert_same_names(model, back);
      const bool is_float = formats[f].format == GEODISK_FORMAT_WORD2VEC_BINARY;
      if (!deep)
        assert_true(farthest(model, back) < (is_float ? 1e-4 : 1e-12));
      for (size_t i = 0; i < NODES; i++) {
        const double a = geodisk_model_gap(model)[i], b = geodisk_model_gap(back)[i];
        assert_true(fabs(a - b) <= (is_float ? 1e-6 : 1e-13) * a);
      }
      geodisk_model_destroy(model);
      geodisk_model_destroy(back);
    }
}

/* What is lost is told, and where the points are then. */
static void losses(void **state) {
  (void)state;
  geodisk_model *model = random_model(2, 45, GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, NULL), *back = NULL;
  assert_ok(geodisk_model_set(context, model, "seed", "1"));
  geodisk_export_info lost, single;
  geodisk_export_options to = {.format = GEODISK_FORMAT_TSV};
  const geodisk_import_options from = {.radius = 1.5, .curvature = 0.7};
  said[0] = 0;
  assert_ok(geodisk_model_export(context, model, "formats.tmp", &to, &lost));
  assert_true(lost.moved > 10 && lost.moved < NODES && lost.worst > 1 && lost.left_out == 1);
  assert_non_null(strstr(said, "points near the rim are not where they were (float64, without gaps)"));
  assert_non_null(strstr(said, "does not hold the ball: radius 1.5, curvature 0.69999999999999996"));
  assert_non_null(strstr(said, "1 texts, counts or tensors are left out"));
  geodisk_import_info found;
  assert_ok(geodisk_model_import(context, "formats.tmp", &from, &found, &back));
  assert_int_equal(found.pulled, 0);
  assert_true(fabs(farthest(model, back) - lost.worst) <= 1e-9 * lost.worst);
  geodisk_model_destroy(back);
  to.width = GEODISK_WIDTH_FLOAT;
  assert_ok(geodisk_model_export(context, model, "formats.tmp", &to, &single));
  assert_true(single.moved > lost.moved && single.worst > lost.worst && single.pulled > 100);
  assert_ok(geodisk_model_import(context, "formats.tmp", &from, &found, &back));
  assert_int_equal(found.pulled, 0);
  assert_true(fabs(farthest(model, back) - single.worst) <= 1e-6 * single.worst);
  geodisk_model_destroy(back);
  geodisk_model_destroy(model);
}

/* Names that a format cannot hold are changed and stay different; quotes keep all of them in tables. */
static void names(void **state) {
  (void)state;
  static char numbers[NODES][8];
  const char *list[NODES] = {"a b",        "a_b",      "a\tb",  "",  "\"", "\"q\" x", "tab\tand\nline",
                             "comma, too", "\xc3\xa9", "a_b_2", "_", " ",  "cr\r",    "\xef\xbb\xbfmark",
                             "1"};
  for (size_t i = 15; i < NODES; i++) {
    snprintf(numbers[i], sizeof numbers[i], "n%zu", i);
    list[i] = numbers[i];
  }
  geodisk_model *model = random_model(2, 3, GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, list), *back = NULL;
  const geodisk_import_options from = {.radius = 1.5, .curvature = 0.7};
  for (int f = 0; f < FORMATS; f++) {
    const geodisk_export_options to = {.format = formats[f].format};
    geodisk_export_info lost;
    said[0] = 0;
    assert_ok(geodisk_model_export(context, model, formats[f].path, &to, &lost));
    assert_ok(geodisk_model_import(context, formats[f].path, &from, NULL, &back));
    assert_int_equal(geodisk_model_nodes(back), NODES);
    if (f < 2) { /* word2vec */
      assert_int_equal(lost.renamed, 8);
      assert_non_null(strstr(said, "8 names changed"));
      assert_string_equal(geodisk_model_name(back, 0), "a_b_0");
      assert_string_equal(geodisk_model_name(back, 2), "a_b_2_2");
      assert_string_equal(geodisk_model_name(back, 3), "_3");
      assert_string_equal(geodisk_model_name(back, 5), "\"q\"_x");
    } else if (formats[f].format == GEODISK_FORMAT_NPY) {
      assert_int_equal(lost.renamed, 2);
      assert_string_equal(geodisk_model_name(back, 6), "tab\tand_line");
    } else {
      assert_int_equal(lost.renamed, 0);
      assert_same_names(model, back);
    }
    geodisk_model_destroy(back);
  }
  geodisk_model_destroy(model);
}

/* ---- reading what others write ---------------------------------------------------------------------------------------- */

static void put(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static geodisk_model *read_text(const char *text, const geodisk_import_options *options) {
  geodisk_model *model = NULL;
  put("formats.tmp", text, strlen(text));
  assert_ok(geodisk_model_import(context, "formats.tmp", options, NULL, &model));
  return model;
}

static void others(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t nodes;
    int dim;
    const char *first;
    double last; /* the last number of the first row */
  } cases[] = {
      {"2 3\na 0.1 0.2 0.3\nb 0 0 -1e-3\n", 2, 3, "a", 0.3},
      {"2 3 \r\na 0.1 0.2 0.3 \r\nb 0 0 -1e-3", 2, 3, "a", 0.3},     /* trailing blanks, CRLF, no end */
      {"2 1\nnew york 0.5\n. . . 0.1\n", 2, 1, "new york", 0.5},     /* names with blanks */
      {"a\t0.1\t0.25\nb\t0\t0\n", 2, 2, "a", 0.25},                  /* TSV without a header */
      {"\xef\xbb\xbfid\tx\ty\na b\t0.1\t0.25\n", 1, 2, "a b", 0.25}, /* with one, and a byte order mark */
      {"name,x,y\n\"a, b\",0.1,\"0.25\"\n\nc, 0.5 ,0\n", 2, 2, "a, b", 0.25},
      {",0,1\ndog,0.1,0.25\n", 1, 2, "dog", 0.25}, /* pandas */
      {"dog 0.1 0.25\ncat 0 0\n", 2, 2, "dog", 0.25},
      {"word x y\ndog 0.1 0.25\n", 1, 2, "dog", 0.25},
      {"7\t0.5\n8\t0\n", 2, 1, "7", 0.5}, /* names that are numbers */
      {"\"two\nlines\"\t0.5\n", 1, 1, "two\nlines", 0.5},
      {"\"\"\"q\"\"\"\t0.5\n", 1, 1, "\"q\"", 0.5},
      {"\"\"\t0.5\n", 1, 1, "", 0.5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_model *model = read_text(cases[i].text, NULL);
    assert_int_equal(geodisk_model_nodes(model), cases[i].nodes);
    assert_int_equal(geodisk_model_dim(model), cases[i].dim);
    assert_string_equal(geodisk_model_name(model, 0), cases[i].first);
    assert_true(geodisk_model_vectors(model)[cases[i].dim - 1] == cases[i].last);
    geodisk_model_destroy(model);
  }

  /* A name for the second time; a point on the rim. */
  geodisk_import_info info;
  geodisk_model *model = NULL;
  put("formats.tmp", "a\t0.5\na\t0.6\nb\t-1\n", 17);
  said[0] = 0;
  assert_ok(geodisk_model_import(context, "formats.tmp", NULL, &info, &model));
  assert_true(info.duplicates == 1 && info.pulled == 1 && geodisk_model_vectors(model)[0] == 0.5);
  assert_true(geodisk_model_vectors(model)[1] > -1 && geodisk_model_vectors(model)[1] < -1 + 1e-15);
  assert_non_null(strstr(said, "1 rows left out because their name had come before"));
  assert_non_null(strstr(said, "1 points lay on the rim"));
  geodisk_model_destroy(model);

  /* Numbers whose squares are too large, in flat space. */
  const geodisk_import_options flat = {.space = GEODISK_SPACE_EUCLIDEAN};
  model = read_text("a\t1e200\nb\t-1e300\n", &flat);
  assert_ok(geodisk_model_write(context, model, "formats.tmp"));
  geodisk_model_destroy(model);

  /* Names in another file, or none. */
  put("formats.other", "one\ntwo\n", 8);
  geodisk_import_options options = {.names = "formats.other"};
  model = read_text("0.5,0\n0,0.25\n", &options);
  assert_int_equal(geodisk_model_dim(model), 2);
  assert_string_equal(geodisk_model_name(model, 1), "two");
  geodisk_model_destroy(model);
  options.names = "";
  model = read_text("0.5,0\n0,0.25\n", &options);
  assert_string_equal(geodisk_model_name(model, 1), "1");
  geodisk_model_destroy(model);
}

/* An npy file of version `major` with this dict, and numbers of so many bytes. */
static size_t npy_file(char *out, int major, const char *dict, const void *data, size_t size, size_t number) {
  const size_t length = strlen(dict), width = major == 1 ? 2 : 4;
  memcpy(out, "\x93NUMPY", 6);
  out[6] = (char)major;
  out[7] = 0;
  for (size_t i = 0; i < width; i++)
    out[8 + i] = (char)(length >> 8 * i & 0xff);
  memcpy(out + 8 + width, dict, length);
  order_copy(out + 8 + width + length, data, size / number, number);
  return 8 + width + length + size;
}

static void npy(void **state) {
  (void)state;
  const double data[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  const float single[6] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
  char bytes[512];
  unlink("formats.names");
  for (int major = 1; major <= 3; major++)
    for (int which = 0; which < 4; which++) {
      const bool is_float = which & 1, by_columns = which & 2;
      char dict[96];
      snprintf(dict, sizeof dict, "{'descr': '<f%d', 'fortran_order': %s, 'shape': (3, 2), }  \n", is_float ? 4 : 8,
               by_columns ? "True" : "False");
      const size_t size =
          npy_file(bytes, major, dict, is_float ? (const void *)single : data, is_float ? 24 : 48, is_float ? 4 : 8);
      put("formats.npy", bytes, size);
      geodisk_model *model = NULL;
      assert_ok(geodisk_model_import(context, "formats.npy", NULL, NULL, &model));
      assert_int_equal(geodisk_model_nodes(model), 3);
      assert_int_equal(geodisk_model_dim(model), 2);
      assert_int_equal(geodisk_model_precision(model), is_float ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE);
      assert_string_equal(geodisk_model_name(model, 2), "2");
      const double second = is_float ? (double)geodisk_model_vectorsf(model)[1] : geodisk_model_vectors(model)[1];
      assert_true(fabs(second - (by_columns ? 0.4 : 0.2)) < 1e-7);
      geodisk_model_destroy(model);
    }
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *text;
    geodisk_status status;
    const char *part;
  } cases[] = {
      {"", GEODISK_ERROR_FORMAT, "formats.tmp: no rows"},
      {"\n\n", GEODISK_ERROR_FORMAT, "no rows"},
      {"2 3\na 0.1 0.2 0.3\n", GEODISK_ERROR_FORMAT, "1 rows, but its first line says 2"},
      {"1 3\na 0.1 0.2 0.3\nb 0 0 0\n", GEODISK_ERROR_FORMAT, "2 rows, but its first line says 1"},
      {"2 2\na 0.1 0.2\nb 0.1 x\n", GEODISK_ERROR_FORMAT, "line 3: number 2 of 2 is not a finite number"},
      {"2 2\na 0.1 0.2\nb nan 0\n", GEODISK_ERROR_FORMAT, "line 3: number 1 of 2"},
      {"2 2\na 0.1 0.2\n0.1 0.2\n", GEODISK_ERROR_FORMAT, "line 3: fewer than a name and 2 numbers"},
      {"2 2\na 0.1 0.2\n\xe9 0.1 0.2\n", GEODISK_ERROR_FORMAT, "line 3: the name is not UTF-8"},
      {"1 99999999\na 0\n", GEODISK_ERROR_FORMAT, "rows of 99999999 numbers"},
      {"1 0\na 0\n", GEODISK_ERROR_FORMAT, "rows of 0 numbers"},
      {"a\t0.1\t0.2\nb\t0.1\n", GEODISK_ERROR_FORMAT, "line 2: 1 numbers, expected 2"},
      {"a\t0.1\t0.2\nb\t0.1\t0\t0\n", GEODISK_ERROR_FORMAT, "line 2: more than 2 numbers"},
      {"a\t0.1\t0.2\nb\t0.1\ty\n", GEODISK_ERROR_FORMAT, "line 2: column 3 is not a finite number"},
      {"a\t0.1\tx\nb\t0.1\t0\n", GEODISK_ERROR_FORMAT, "line 1: column 3 is not a finite number"},
      {"a\t0.1\n\"b\"c\t0.1\n", GEODISK_ERROR_FORMAT, "line 2: text after a closing quote"},
      {"a\t0.1\n\"b\t0.1\n", GEODISK_ERROR_FORMAT, "line 2: a quote that never ends"},
      {"a\t0.9\t0.9\n", GEODISK_ERROR_FORMAT, "row 1 ('a') lies outside the ball"},
      {"a\n", GEODISK_ERROR_FORMAT, "line 1: one word only"},
      {"a 0.1 y 0.2\n", GEODISK_ERROR_FORMAT, "line 1: number 2 of 3"},
      {"\x1f\x8b\x08", GEODISK_ERROR_UNSUPPORTED, "compressed"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_model *model = NULL;
    put("formats.tmp", cases[i].text, strlen(cases[i].text));
    const geodisk_status status = geodisk_model_import(context, "formats.tmp", NULL, NULL, &model);
    if (status != cases[i].status || model != NULL || strstr(geodisk_context_error(context), cases[i].part) == NULL)
      fail_msg("'%s': status %d '%s', expected '...%s...'", cases[i].text, (int)status, geodisk_context_error(context),
               cases[i].part);
  }
}

/* Binary files that end too early, or are not what they say. */
static void bad_binaries(void **state) {
  (void)state;
  geodisk_model *model = NULL;
  const float numbers[2] = {0.5f, 0.25f}, bad[2] = {0.5f, (float)NAN};
  const geodisk_import_options binary = {.format = GEODISK_FORMAT_WORD2VEC_BINARY};
  char bytes[512];
#define REFUSED(size, part)                                                                                                      \
  put("formats.tmp", bytes, size);                                                                                               \
  assert_int_equal(geodisk_model_import(context, "formats.tmp", &binary, NULL, &model), GEODISK_ERROR_FORMAT);                   \
  if (strstr(geodisk_context_error(context), part) == NULL)                                                                      \
  fail_msg("'%s', expected '...%s...'", geodisk_context_error(context), part)
  memcpy(bytes, "1 2\nab ", 7);
  order_copy(bytes + 7, numbers, 2, 4);
  put("formats.tmp", bytes, 15);
  assert_ok(geodisk_model_import(context, "formats.tmp", &binary, NULL, &model));
  assert_true(geodisk_model_vectorsf(model)[1] == 0.25f);
  geodisk_model_destroy(model);
  model = NULL;
  for (size_t n = 8; n < 15; n++) {
    REFUSED(n, "row 1: the file ends within this row");
  }
  REFUSED(4, "row 1: a name and a blank were expected");
  bytes[15] = 'x';
  REFUSED(16, "row 1: something follows");
  bytes[5] = 0;
  REFUSED(15, "row 1: a NUL byte in the name");
  bytes[5] = 'b';
  order_copy(bytes + 7, bad, 2, 4);
  REFUSED(15, "row 1: a number that is not finite");
  bytes[0] = 'x';
  REFUSED(15, "first line");
#undef REFUSED

  static const char *const dicts[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 1), }",
      "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 2), }",
      "{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2), }",
      "{'fortran_order': False, 'shape': (3, 2), }",
      "{'descr': '<f8', 'shape': (3, 2), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3000, 2), }",
      "{'descr': '<f8', 'fortran_order': True, 'shape': (30000000000, 2), }",
      "{'descr': '<f8', 'fortran_order': True, 'shape': (4000000000, 2), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }",
  };
  const double data[6] = {0};
  for (size_t i = 0; i < sizeof dicts / sizeof dicts[0]; i++) {
    put("formats.npy", bytes, npy_file(bytes, 1, dicts[i], data, sizeof data, sizeof data[0]));
    assert_int_equal(geodisk_model_import(context, "formats.npy", NULL, NULL, &model), GEODISK_ERROR_FORMAT);
    assert_null(model);
  }
}

static void bad_calls(void **state) {
  (void)state;
  geodisk_model *flat = random_model(2, 3, GEODISK_SPACE_EUCLIDEAN, GEODISK_PRECISION_DOUBLE, NULL), *model = NULL;
  geodisk_export_options to = {.format = GEODISK_FORMAT_AUTO};
  assert_int_equal(geodisk_model_export(context, flat, "formats.xyz", &to, NULL), GEODISK_ERROR_ARGUMENT);
  to.format = GEODISK_FORMAT_NPY;
  assert_int_equal(geodisk_model_export(context, flat, "-", &to, NULL), GEODISK_ERROR_ARGUMENT);
  to.lorentz = true;
  assert_int_equal(geodisk_model_export(context, flat, "formats.npy", &to, NULL), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_model_export(context, flat, "no/such/folder.tsv", NULL, NULL), GEODISK_ERROR_IO);
  geodisk_model_edit_vectors(flat)[3] = 1e300;
  assert_int_equal(geodisk_model_export(context, flat, "formats.bin", NULL, NULL), GEODISK_ERROR_NUMERIC);
  assert_non_null(strstr(geodisk_context_error(context), "node '1' has a number too large for float32"));
  assert_int_equal(access("formats.bin", F_OK), -1);
  geodisk_import_options from = {.radius = -1};
  assert_int_equal(geodisk_model_import(context, "formats.tmp", &from, NULL, &model), GEODISK_ERROR_ARGUMENT);
  from = (geodisk_import_options){.lorentz = true, .space = GEODISK_SPACE_EUCLIDEAN};
  assert_int_equal(geodisk_model_import(context, "formats.tmp", &from, NULL, &model), GEODISK_ERROR_ARGUMENT);
  from = (geodisk_import_options){.lorentz = true};
  put("formats.tmp", "a\t2\t2\n", 6);
  assert_int_equal(geodisk_model_import(context, "formats.tmp", &from, NULL, &model), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(context), "row 1 ('a') is not on the hyperboloid"));
  from = (geodisk_import_options){.names = "formats.other"};
  put("formats.other", "x\n", 2);
  put("formats.tmp", "0.1\t0.2\n0.1\t0.2\n", 16);
  assert_int_equal(geodisk_model_import(context, "formats.tmp", &from, NULL, &model), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(context), "1 names, but formats.tmp has 2 rows"));
  put("formats.other", "x\nx\n", 4);
  assert_int_equal(geodisk_model_import(context, "formats.tmp", &from, NULL, &model), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(context), "line 2: the name 'x' occurs twice"));
  geodisk_model_destroy(flat);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_and_back), cmocka_unit_test(hyperboloid),  cmocka_unit_test(losses),
      cmocka_unit_test(names),          cmocka_unit_test(others),       cmocka_unit_test(npy),
      cmocka_unit_test(refusals),       cmocka_unit_test(bad_binaries), cmocka_unit_test(bad_calls),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
