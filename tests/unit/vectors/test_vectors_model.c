/* test_vectors_model.c - models: making them, looking into them, their file there and back, what the file looks like outside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/vectors.h"
#include "vectors/byte_order.h"

static const char file_name[] = "test_vectors_model.tmp";
static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  unlink(file_name);
  return 0;
}

static void assert_ok(geodisk_status status) {
  if (status != GEODISK_OK)
    fail_msg("%s: %s", geodisk_status_text(status), geodisk_context_error(context));
}

static void assert_error(geodisk_status status, geodisk_status expected, const char *part) {
  if (status != expected || strstr(geodisk_context_error(context), part) == NULL)
    fail_msg("status %d '%s', expected %d '...%s...'", (int)status, geodisk_context_error(context), (int)expected, part);
}

/* A model of n random points. */
static geodisk_model *random_model(size_t n, int dim, geodisk_space space, geodisk_precision precision, bool counts) {
  const geodisk_model_spec spec = {.nodes = n, .ball = {dim, 1.5, 0.7}, .space = space, .precision = precision, .counts = counts};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  geodisk_random random = geodisk_random_stream(7, n);
  double *x = malloc((size_t)dim * sizeof *x), gap;
  for (size_t i = 0; i < n; i++) {
    geodisk_random_in_ball(&spec.ball, &random, 8, x, &gap);
    for (int k = 0; k < dim; k++)
      if (precision == GEODISK_PRECISION_DOUBLE)
        geodisk_model_edit_vectors(model)[i * (size_t)dim + (size_t)k] = x[k];
      else
        geodisk_model_edit_vectorsf(model)[i * (size_t)dim + (size_t)k] = (float)x[k];
    if (space == GEODISK_SPACE_HYPERBOLIC && precision == GEODISK_PRECISION_DOUBLE)
      geodisk_model_edit_gap(model)[i] = gap;
    if (space == GEODISK_SPACE_HYPERBOLIC && precision == GEODISK_PRECISION_FLOAT)
      geodisk_model_edit_gapf(model)[i] = (float)gap;
    if (counts)
      geodisk_model_edit_counts(model)[i] = i * 1000000007u;
  }
  free(x);
  return model;
}

static void assert_same(const geodisk_model *a, const geodisk_model *b) {
  const size_t n = geodisk_model_nodes(a), dim = (size_t)geodisk_model_dim(a);
  assert_int_equal(geodisk_model_nodes(b), n);
  assert_int_equal(geodisk_model_dim(b), dim);
  assert_int_equal(geodisk_model_space(b), geodisk_model_space(a));
  assert_int_equal(geodisk_model_precision(b), geodisk_model_precision(a));
  const geodisk_ball p = geodisk_model_ball(a), q = geodisk_model_ball(b);
  assert_true(p.radius == q.radius && p.curvature == q.curvature);
  if (geodisk_model_precision(a) == GEODISK_PRECISION_DOUBLE) {
    assert_memory_equal(geodisk_model_vectors(a), geodisk_model_vectors(b), n * dim * sizeof(double));
    assert_null(geodisk_model_vectorsf(b));
  } else {
    assert_memory_equal(geodisk_model_vectorsf(a), geodisk_model_vectorsf(b), n * dim * sizeof(float));
    assert_null(geodisk_model_vectors(b));
  }
  if (geodisk_model_gap(a) != NULL)
    assert_memory_equal(geodisk_model_gap(a), geodisk_model_gap(b), n * sizeof(double));
  else
    assert_null(geodisk_model_gap(b));
  if (geodisk_model_gapf(a) != NULL)
    assert_memory_equal(geodisk_model_gapf(a), geodisk_model_gapf(b), n * sizeof(float));
  else
    assert_null(geodisk_model_gapf(b));
  if (geodisk_model_counts(a) != NULL)
    assert_memory_equal(geodisk_model_counts(a), geodisk_model_counts(b), n * sizeof(uint64_t));
  else
    assert_null(geodisk_model_counts(b));
  for (uint32_t i = 0; i < n; i++) {
    uint32_t found = UINT32_MAX;
    assert_string_equal(geodisk_model_name(a, i), geodisk_model_name(b, i));
    assert_int_equal(geodisk_model_name_length(b, i), strlen(geodisk_model_name(a, i)));
    assert_true(geodisk_model_find(b, geodisk_model_name(a, i), geodisk_model_name_length(a, i), &found));
    assert_int_equal(found, i);
  }
}

static void there_and_back(void **state) {
  (void)state;
  for (int which = 0; which < 8; which++) {
    const geodisk_space space = which & 1 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
    const geodisk_precision precision = which & 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
    geodisk_model *model = random_model(1 + (size_t)which * 611, 1 + which, space, precision, which & 4), *back = NULL,
                  *copy = NULL;
    assert_ok(geodisk_model_write(context, model, file_name));
    assert_ok(geodisk_model_read(context, file_name, &back));
    assert_same(model, back);
    assert_null(geodisk_model_edit_vectors(back));
    assert_null(geodisk_model_edit_vectorsf(back));
    assert_null(geodisk_model_edit_gap(back));
    assert_null(geodisk_model_edit_counts(back));
    assert_ok(geodisk_model_copy(context, back, GEODISK_WIDTH_AUTO, true, &copy));
    geodisk_model_destroy(back);
    assert_same(model, copy);
    assert_non_null(precision == GEODISK_PRECISION_DOUBLE ? (void *)geodisk_model_edit_vectors(copy)
                                                          : (void *)geodisk_model_edit_vectorsf(copy));
    geodisk_model_destroy(copy);
    geodisk_model_destroy(model);
  }
}

static char *slurp(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  bytes[*size] = 0;
  fclose(file);
  return bytes;
}

/* Metadata and extra tensors, of every type and rank, strided too. */
static void texts_and_tensors(void **state) {
  (void)state;
  geodisk_model *model = random_model(3, 2, GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, false), *back = NULL;
  static const char hard[] = "\"quotes\" \\ \n\t\x01 \xc3\xa9 \xe2\x82\xac \xf0\x9d\x84\x9e {}";
  assert_ok(geodisk_model_set(context, model, "seed", "1"));
  assert_ok(geodisk_model_set(context, model, "hard \"key\"", hard));
  assert_ok(geodisk_model_set(context, model, "gone", "x"));
  assert_ok(geodisk_model_set(context, model, "seed", "2"));
  assert_ok(geodisk_model_set(context, model, "gone", NULL));
  assert_ok(geodisk_model_set(context, model, "never", NULL));
  assert_error(geodisk_model_set(context, model, "radius", "2"), GEODISK_ERROR_ARGUMENT, "radius");
  assert_error(geodisk_model_set(context, model, "x", "\xff"), GEODISK_ERROR_ARGUMENT, "UTF-8");

  void *data = NULL;
  geodisk_tensor bytes = {.type = GEODISK_TYPE_U8, .rank = 1, .shape = {3}};
  assert_ok(geodisk_model_add_tensor(context, model, "bytes", &bytes, &data));
  memcpy(data, "abc", 3);
  const float rows[2][3] = {{1, 2, 99}, {3, 4, 99}};
  geodisk_tensor strided = {.type = GEODISK_TYPE_F32, .rank = 2, .shape = {2, 2}, .data = rows, .stride = 3};
  assert_ok(geodisk_model_add_tensor(context, model, "strided", &strided, NULL));
  geodisk_tensor number = {.type = GEODISK_TYPE_U32, .rank = 0};
  assert_ok(geodisk_model_add_tensor(context, model, "a number", &number, &data));
  *(uint32_t *)data = 42;
  geodisk_tensor empty = {.type = GEODISK_TYPE_F64, .rank = 3, .shape = {5, 0, 7}};
  assert_ok(geodisk_model_add_tensor(context, model, "empty", &empty, &data));
  assert_error(geodisk_model_add_tensor(context, model, "gap", &empty, &data), GEODISK_ERROR_ARGUMENT, "'gap'");
  assert_error(geodisk_model_add_tensor(context, model, "empty", &empty, &data), GEODISK_ERROR_ARGUMENT, "'empty'");
  assert_error(geodisk_model_add_tensor(context, model, "__x", &empty, &data), GEODISK_ERROR_ARGUMENT, "'__x'");
  geodisk_tensor huge = {.type = GEODISK_TYPE_F64, .rank = 4, .shape = {1u << 31, 1u << 31, 1u << 31, 2}};
  assert_error(geodisk_model_add_tensor(context, model, "huge", &huge, &data), GEODISK_ERROR_MEMORY, "'huge'");

  assert_ok(geodisk_model_write(context, model, file_name));
  assert_ok(geodisk_model_read(context, file_name, &back));
  assert_string_equal(geodisk_model_get(back, "seed"), "2");
  assert_string_equal(geodisk_model_get(back, "hard \"key\""), hard);
  assert_null(geodisk_model_get(back, "gone"));
  assert_null(geodisk_model_get(back, "radius"));
  assert_string_equal(geodisk_model_key(back, 0), "hard \"key\"");
  assert_string_equal(geodisk_model_key(back, 1), "seed");
  assert_null(geodisk_model_key(back, 2));
  geodisk_tensor t;
  assert_true(geodisk_model_tensor(back, "strided", &t));
  assert_true(t.type == GEODISK_TYPE_F32 && t.rank == 2 && t.shape[0] == 2 && t.shape[1] == 2 && t.stride == 0);
  assert_memory_equal(t.data, ((const float[]){1, 2, 3, 4}), 4 * sizeof(float));
  assert_true(geodisk_model_tensor(back, "bytes", &t));
  assert_memory_equal(t.data, "abc", 3);
  assert_true(geodisk_model_tensor(back, "a number", &t));
  assert_true(t.rank == 0 && *(const uint32_t *)t.data == 42);
  assert_true(geodisk_model_tensor(back, "empty", &t));
  assert_true(t.rank == 3 && t.shape[0] == 5 && t.shape[1] == 0 && t.shape[2] == 7);
  assert_false(geodisk_model_tensor(back, "other", &t));
  const char *name;
  assert_true(geodisk_model_tensor_at(back, 0, &name, &t));
  assert_string_equal(name, "a number");
  assert_false(geodisk_model_tensor_at(back, 4, &name, &t));

  /* The copy has it all, or without the tensors; a second file has the same bytes. */
  geodisk_model *copy = NULL, *bare = NULL;
  assert_ok(geodisk_model_copy(context, back, GEODISK_WIDTH_AUTO, true, &copy));
  assert_ok(geodisk_model_copy(context, back, GEODISK_WIDTH_AUTO, false, &bare));
  assert_false(geodisk_model_tensor(bare, "strided", &t));
  size_t first_size, second_size;
  char *first = slurp(file_name, &first_size);
  assert_ok(geodisk_model_write(context, copy, file_name));
  char *second = slurp(file_name, &second_size);
  assert_int_equal(first_size, second_size);
  assert_memory_equal(first, second, first_size);
  free(first);
  free(second);
  geodisk_model_destroy(copy);
  geodisk_model_destroy(bare);
  geodisk_model_destroy(back);
  geodisk_model_destroy(model);
}

/* A model over the caller's rows of (x, gap, padding): the file is the same as that of plain arrays. */
static void over_rows(void **state) {
  (void)state;
  enum { N = 5, DIM = 3, ROW = 8 };
  float rows[N][ROW];
  geodisk_model *plain = random_model(N, DIM, GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_FLOAT, false), *over = NULL;
  for (int i = 0; i < N; i++) {
    memcpy(rows[i], geodisk_model_vectorsf(plain) + i * DIM, DIM * sizeof(float));
    rows[i][DIM] = geodisk_model_gapf(plain)[i];
    rows[i][DIM + 1] = (float)NAN;
  }
  const geodisk_model_spec spec = {.nodes = N,
                                   .ball = geodisk_model_ball(plain),
                                   .precision = GEODISK_PRECISION_FLOAT,
                                   .vectors = rows,
                                   .vectors_stride = ROW,
                                   .gap = &rows[0][DIM],
                                   .gap_stride = ROW};
  assert_ok(geodisk_model_create(context, &spec, &over));
  assert_null(geodisk_model_vectorsf(over));
  assert_null(geodisk_model_edit_gapf(over));
  double x[DIM], gap;
  geodisk_model_point(over, 4, x, &gap);
  assert_true(x[2] == (double)rows[4][2] && gap == (double)rows[4][DIM]);
  size_t a_size, b_size;
  assert_ok(geodisk_model_write(context, plain, file_name));
  char *a = slurp(file_name, &a_size);
  assert_ok(geodisk_model_write(context, over, file_name));
  char *b = slurp(file_name, &b_size);
  assert_int_equal(a_size, b_size);
  assert_memory_equal(a, b, a_size);
  free(a);
  free(b);
  rows[2][1] = (float)NAN;
  assert_error(geodisk_model_write(context, over, file_name), GEODISK_ERROR_NUMERIC, "vectors of node 2");
  assert_error(geodisk_model_check(context, over), GEODISK_ERROR_NUMERIC, "vectors of node 2");
  geodisk_model_destroy(over);
  geodisk_model_destroy(plain);
}

/* The file, byte by byte as the format asks; its sums by another program. */
static void outside(void **state) {
  (void)state;
  const geodisk_model_spec spec = {.nodes = 2, .ball = {1, 1, 1}, .name_list = (const char *const[]){"a", "\xc3\xa9"}};
  geodisk_model *model = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  geodisk_model_edit_vectors(model)[1] = 0.5;
  geodisk_model_edit_gap(model)[1] = 0.75;
  assert_ok(geodisk_model_write(context, model, file_name));
  size_t size;
  char *bytes = slurp(file_name, &size);
  static const char header[] =
      "{\"__metadata__\":{\"crc32c\":\"b2a9d539\",\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\","
      "\"radius\":\"1\",\"curvature\":\"1\",\"crc32c.gap\":\"fee6a9b7\",\"crc32c.name_offsets\":\"0d2e7ea9\",\"crc32c.vectors\":"
      "\"57df3080\",\"crc32c.names\":\"fd08b3bd\"},\"gap\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]},\"name_"
      "offsets\":{\"dtype\":\"U64\",\"shape\":[3],\"data_offsets\":[16,40]},\"vectors\":{\"dtype\":\"F64\",\"shape\":[2,1],"
      "\"data_offsets\":[40,56]},\"names\":{\"dtype\":\"U8\",\"shape\":[5],\"data_offsets\":[56,61]}}";
  const size_t length = sizeof header - 1, padded = (length + 7) / 8 * 8;
  assert_int_equal((unsigned char)bytes[0] + 256 * (unsigned char)bytes[1], padded);
  assert_memory_equal(bytes + 2, "\0\0\0\0\0\0", 6);
  assert_memory_equal(bytes + 8, header, length);
  for (size_t i = length; i < padded; i++)
    assert_int_equal(bytes[8 + i], ' ');
  assert_int_equal(size, 8 + padded + 61);
  char numbers[56];
  order_copy(numbers, bytes + 8 + padded, 7, 8);
  assert_memory_equal(numbers, ((const double[]){1, 0.75}), 16);
  assert_memory_equal(numbers + 16, ((const uint64_t[]){0, 2, 5}), 24);
  assert_memory_equal(numbers + 40, ((const double[]){0, 0.5}), 16);
  assert_memory_equal(bytes + 8 + padded + 56, "a\0\xc3\xa9", 5);
  free(bytes);
  geodisk_model_destroy(model);
}

static void refusals(void **state) {
  (void)state;
  geodisk_model *model = NULL;
  const char *twice[] = {"a", "b", "a"}, *latin[] = {"a", "b", "\xe9"};
  const uint64_t starts[] = {0, 2, 1, 4};
  const struct {
    geodisk_model_spec spec;
    const char *part;
  } cases[] = {
      {{.nodes = 0, .ball = {2, 1, 1}}, "0 nodes"},
      {{.nodes = 3, .ball = {0, 1, 1}}, "dim is 0"},
      {{.nodes = 3, .ball = {2, -1, 1}}, "radius -1"},
      {{.nodes = 3, .ball = {2, 1e200, 1}}, "radius 1e+200"},
      {{.nodes = 3, .ball = {2, 1, 1}, .name_list = twice}, "node 2 occurs twice"},
      {{.nodes = 3, .ball = {2, 1, 1}, .name_list = latin}, "node 2 is not UTF-8"},
      {{.nodes = 3, .ball = {2, 1, 1}, .names = "a\0b\0", .starts = starts}, "node 1 does not lie"},
      {{.nodes = 3, .ball = {2, 1, 1}, .names = "a"}, "starts"},
      {{.nodes = 3, .ball = {2, 1, 1}, .vectors = twice}, "together"},
      {{.nodes = 3, .ball = {2, 1, 1}, .space = GEODISK_SPACE_EUCLIDEAN, .vectors = twice, .gap = twice}, "no gaps"},
      {{.nodes = 3, .ball = {2, 1, 1}, .vectors = twice, .gap = twice, .vectors_stride = 1}, "vectors_stride"},
      {{.nodes = 3, .ball = {2, 1, 1}, .precision = (geodisk_precision)7}, "precision"},
      {{.nodes = 3, .ball = {2, 1, 1}, .space = (geodisk_space)7}, "space"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_error(geodisk_model_create(context, &cases[i].spec, &model), GEODISK_ERROR_ARGUMENT, cases[i].part);
  assert_null(model);
  assert_error(geodisk_model_read(context, "no/such/file", &model), GEODISK_ERROR_IO, "no/such/file");
  assert_error(geodisk_model_read(context, ".", &model), GEODISK_ERROR_IO, "directory");
  assert_error(geodisk_model_read(context, "/dev/null", &model), GEODISK_ERROR_FORMAT, "0 bytes");
  geodisk_model_destroy(NULL);

  /* Numbers that may not be written. */
  model = random_model(10000, 2, GEODISK_SPACE_HYPERBOLIC, GEODISK_PRECISION_DOUBLE, false);
  double *x = geodisk_model_edit_vectors(model), *gap = geodisk_model_edit_gap(model), kept = gap[9000];
  gap[9000] = 0;
  assert_error(geodisk_model_write(context, model, file_name), GEODISK_ERROR_NUMERIC, "gap of node 9000 ('9000') is 0");
  assert_error(geodisk_model_check(context, model), GEODISK_ERROR_NUMERIC, "gap of node 9000 ('9000') is 0");
  assert_error(geodisk_model_check(context, NULL), GEODISK_ERROR_ARGUMENT, "NULL");
  gap[9000] = 1e-3 + 2 * kept;
  assert_error(geodisk_model_write(context, model, file_name), GEODISK_ERROR_NUMERIC, "but its coordinates say");
  gap[9000] = (double)NAN;
  assert_error(geodisk_model_write(context, model, file_name), GEODISK_ERROR_NUMERIC, "gap of node 9000");
  x[2 * 8999] = (double)INFINITY;
  assert_error(geodisk_model_write(context, model, file_name), GEODISK_ERROR_NUMERIC, "vectors of node 8999");
  geodisk_model_destroy(model);
}

/* Points deeper than their coordinates can tell stay as they are. */
static void deep_points(void **state) {
  (void)state;
  const geodisk_model_spec spec = {.nodes = 3, .ball = {2, 1, 1}};
  geodisk_model *model = NULL, *back = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  double *x = geodisk_model_edit_vectors(model), *gap = geodisk_model_edit_gap(model);
  x[0] = 1 - 0x1p-53;
  gap[0] = 1e-200;
  x[2] = -0.6;
  x[3] = 0.8 - 0x1p-53;
  gap[1] = 1e-30;
  assert_ok(geodisk_model_write(context, model, file_name));
  assert_ok(geodisk_model_read(context, file_name, &back));
  assert_true(geodisk_model_gap(back)[0] == 1e-200 && geodisk_model_gap(back)[1] == 1e-30);
  assert_true(geodisk_model_gap(back)[2] == 1);
  geodisk_model_destroy(back);
  x[0] = 1; /* the ball's functions want points inside */
  assert_error(geodisk_model_write(context, model, file_name), GEODISK_ERROR_NUMERIC,
               "vectors of node 0 ('0') lies on or outside");
  geodisk_model_destroy(model);
}

static void any_name(void **state) {
  (void)state;
  const char *names[] = {"", " ", "a b", "tab\there", "line\nend", "\"q\"", "\xf0\x9f\x90\x95", "dog", "DOG"};
  const geodisk_model_spec spec = {.nodes = 9, .ball = {1, 1, 1}, .name_list = names};
  geodisk_model *model = NULL, *back = NULL;
  assert_ok(geodisk_model_create(context, &spec, &model));
  assert_ok(geodisk_model_write(context, model, file_name));
  assert_ok(geodisk_model_read(context, file_name, &back));
  assert_same(model, back);
  uint32_t node = 77;
  assert_false(geodisk_model_find(back, "do", 2, &node));
  assert_true(geodisk_model_find(back, "dogs", 3, &node));
  assert_int_equal(node, 7);
  assert_null(geodisk_model_name(back, 9));
  assert_int_equal(geodisk_model_name_length(back, 9), 0);
  geodisk_model_destroy(back);
  geodisk_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(there_and_back), cmocka_unit_test(texts_and_tensors), cmocka_unit_test(over_rows),
      cmocka_unit_test(outside),        cmocka_unit_test(refusals),          cmocka_unit_test(deep_points),
      cmocka_unit_test(any_name),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
