/* test_vectors_hostile.c - model files made to do harm: every one is refused with a text that names the file and the field, and
 * none reads outside its bytes (run under the sanitizers to see that). */
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
#include "vectors/byte_order.h"

static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(1, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

/* Eight-byte numbers and then bytes, as they lie in a file. */
static void put_data(char *to, const void *data, size_t size) {
  const size_t numbers = size / 8;
  order_copy(to, data, numbers, 8);
  memcpy(to + 8 * numbers, (const char *)data + 8 * numbers, size - 8 * numbers);
}

/* A file of a header text and bytes, read. */
static geodisk_status read_bytes(const char *header, const void *data, size_t data_size, geodisk_model **model) {
  const size_t length = strlen(header), size = 8 + length + data_size;
  char *bytes = malloc(size);
  for (int i = 0; i < 8; i++)
    bytes[i] = (char)(length >> 8 * i & 0xff);
  memcpy(bytes + 8, header, length);
  if (data_size > 0)
    memcpy(bytes + 8 + length, data, data_size);
  const geodisk_status status = geodisk_model_read_memory(context, "evil", bytes, size, model);
  free(bytes);
  return status;
}

/* The same with numbers of this machine, which become those of a file. */
static geodisk_status read_file(const char *header, const void *data, size_t data_size, geodisk_model **model) {
  char *bytes = malloc(data_size + 1);
  if (data_size > 0)
    put_data(bytes, data, data_size);
  const geodisk_status status = read_bytes(header, bytes, data_size, model);
  free(bytes);
  return status;
}

static void expect_refused(const char *header, const void *data, size_t data_size, const char *part) {
  geodisk_model *model = NULL;
  const geodisk_status status = read_file(header, data, data_size, &model);
  const char *text = geodisk_context_error(context);
  if (status == GEODISK_OK || model != NULL || strstr(text, part) == NULL || strncmp(text, "evil: ", 6) != 0)
    fail_msg("status %d, '%s', expected 'evil: ...%s...' for %s", (int)status, text, part, header);
}

/* Syntax, in front of no data at all. */
static void bad_headers(void **state) {
  (void)state;
  static const struct {
    const char *header, *part;
  } cases[] = {
      {"", "does not begin with '{'"},
      {" {}", "does not begin with '{'"},
      {"{", "the name of a tensor was expected"},
      {"{}x", "something follows"},
      {"{\"a\"}", "':' was expected"},
      {"{\"a\":1}", "'{' was expected"},
      {"{\"a\":{}}", "a key was expected"},
      {"{\"a\":{\"dtype\":\"U8\"", "',' or '}' was expected"},
      {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", "twice"},
      {"{\"a\":{\"kind\":\"U8\"}}", "'a': a key that is not"},
      {"{\"a\":{\"dtype\":\"BF16\"}}", "'a': its dtype"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}", "'a': dtype, shape or data_offsets is missing"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[-1]}}", "a whole number was expected"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1.5]}}", "a whole number was expected"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[01]}}", "a whole number was expected"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[18446744073709551616]}}", "a whole number was expected"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1]}}", "too many numbers"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1", "',' or ']' was expected"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0]}}", "'a': data_offsets must be two"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0,0]}}", "too many numbers"},
      {"{\"a\":{\"dtype\":\"F64\",\"shape\":[4294967296,4294967296,4294967296],\"data_offsets\":[0,0]}}",
       "'a': its shape is too large"},
      {"{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}", "'a': its shape is too large"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,2]}}", "'a': data_offsets do not agree"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[5,4]}}", "'a': data_offsets do not agree"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[9],\"data_offsets\":[0,9]}}", "'a': reaches past the end"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[7,7]}}", "'a': a hole before it"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[18446744073709551615,0]}}", "'a': data_offsets do not agree"},
      {"{\"__metadata__\":{\"k\":1}}", "a text without NUL was expected"},
      {"{\"__metadata__\":{\"k\":\"\\u0000\"}}", "a text without NUL was expected"},
      {"{\"__metadata__\":{\"k\":\"\\ud800\"}}", "a text without NUL was expected"},
      {"{\"__metadata__\":{\"k\":\"\\q\"}}", "a text without NUL was expected"},
      {"{\"__metadata__\":{\"k\":\"x\n\"}}", "a text without NUL was expected"},
      {"{\"__metadata__\":{\"k\":\"\xff\"}}", "not UTF-8 at byte 30"},
      {"{\"__metadata__\":{\"k\":\"a\",\"k\":\"b\"}}", "'k': twice in __metadata__"},
      {"{\"__metadata__\":{\"k\":\"a\"},\"__metadata__\":{}}", "a second __metadata__"},
      {"{\"__metadata__\":{\"k\":\"a\"", "',' or '}' was expected"},
      {"{}", "format in __metadata__"},
      {"{\"__metadata__\":{\"format\":\"pt\"}}", "format in __metadata__"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"one\"}}", "format_version in __metadata__"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"2\"}}", "newer than this program"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"flat\"}}", "space in __metadata__"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\"}}", "radius in __metadata__"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\",\"radius\":\"1e200\","
       "\"curvature\":\"1\"}}",
       "radius in __metadata__ is out of range"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\",\"radius\":\"1\","
       "\"curvature\":\"nan\"}}",
       "curvature in __metadata__"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"euclidean\"}}", "vectors is missing"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect_refused(cases[i].header, NULL, 0, cases[i].part);
}

/* Headers of a model of two nodes in one dimension, one field changed at a time. */
#define META                                                                                                                     \
  "\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\",\"radius\":\"1\",\"curvature\":"   \
  "\"1\"}"
#define VECTORS "\"vectors\":{\"dtype\":\"F64\",\"shape\":[2,1],\"data_offsets\":[0,16]}"
#define GAP     "\"gap\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,32]}"
#define STARTS  "\"name_offsets\":{\"dtype\":\"U64\",\"shape\":[3],\"data_offsets\":[32,56]}"
#define NAMES   "\"names\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[56,60]}"

typedef struct content {
  double vectors[2], gap[2];
  uint64_t starts[3];
  char names[4];
} content;
enum { CONTENT = 60 };
static const content good = {{0, 0.5}, {1, 0.75}, {0, 2, 4}, {'a', 0, 'b', 0}};

static void bad_fields(void **state) {
  (void)state;
  static const struct {
    const char *header, *part;
  } cases[] = {
      {"{" META "," GAP "," STARTS "," NAMES ",\"x\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}",
       "vectors is missing"},
      {"{" META "," VECTORS "," STARTS "," NAMES ",\"x\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,32]}}",
       "gap is missing"},
      {"{" META "," VECTORS "," GAP "," NAMES ",\"x\":{\"dtype\":\"U64\",\"shape\":[3],\"data_offsets\":[32,56]}}",
       "name_offsets is missing"},
      {"{" META "," VECTORS "," GAP "," STARTS ",\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[56,60]}}",
       "names is missing"},
      {"{" META "," VECTORS "," GAP "," STARTS "," NAMES "," NAMES "}", "'names': twice"},
      {"{" META "," VECTORS "," GAP "," STARTS "," NAMES ",\"x\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[55,59]}}",
       "overlaps"},
      {"{" META "," VECTORS "," GAP "," STARTS ",\"names\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[56,59]}}",
       "1 bytes after the last tensor"},
      {"{" META ",\"vectors\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}," GAP "," STARTS "," NAMES "}",
       "vectors is not F64 or F32 of shape"},
      {"{" META ",\"vectors\":{\"dtype\":\"U64\",\"shape\":[2,1],\"data_offsets\":[0,16]}," GAP "," STARTS "," NAMES "}",
       "vectors is not F64 or F32 of shape"},
      {"{" META ",\"vectors\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}," GAP "," STARTS "," NAMES "}",
       "gap is not F32 of shape [2]"},
      {"{" META "," VECTORS ",\"gap\":{\"dtype\":\"F64\",\"shape\":[1,2],\"data_offsets\":[16,32]}," STARTS "," NAMES "}",
       "gap is not F64 of shape [2]"},
      {"{" META "," VECTORS "," GAP ",\"name_offsets\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[32,56]}," NAMES "}",
       "name_offsets is not U64 of shape [3]"},
      {"{" META "," VECTORS "," GAP "," STARTS ",\"names\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[56,60]}}",
       "names is not U8 of one"},
      {"{" META "," VECTORS "," GAP "," STARTS "," NAMES
       ",\"counts\":{\"dtype\":\"U64\",\"shape\":[0],\"data_offsets\":[60,60]}}",
       "counts is not U64 of shape [2]"},
      {"{" META "," VECTORS "," GAP "," STARTS "," NAMES ",\"\":{\"dtype\":\"U64\",\"shape\":[0],\"data_offsets\":[60,60]}}",
       "empty name"},
      {"{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"euclidean\"}," VECTORS "," GAP "," STARTS
       "," NAMES "}",
       "gap is there, but the space is euclidean"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    expect_refused(cases[i].header, &good, CONTENT, cases[i].part);
}

static const char header[] = "{" META "," VECTORS "," GAP "," STARTS "," NAMES "}";

static void bad_contents(void **state) {
  (void)state;
  geodisk_model *model = NULL;
  assert_int_equal(read_file(header, &good, CONTENT, &model), GEODISK_OK);
  assert_string_equal(geodisk_model_name(model, 1), "b");
  geodisk_model_destroy(model);
  /* The header's length puts the arrays out of place: they are copied. */
  for (int blanks = 1; blanks < 8; blanks++) {
    char padded[sizeof header + 8];
    memcpy(padded, header, sizeof header - 1);
    memset(padded + sizeof header - 1, ' ', (size_t)blanks);
    padded[sizeof header - 1 + (size_t)blanks] = 0;
    assert_int_equal(read_file(padded, &good, CONTENT, &model), GEODISK_OK);
    assert_true(geodisk_model_vectors(model)[1] == 0.5 && (uintptr_t)geodisk_model_vectors(model) % 8 == 0);
    assert_null(geodisk_model_edit_vectors(model)); /* what was read stays as it was read */
    geodisk_model_destroy(model);
  }
  content c;
#define CASE(change, part)                                                                                                       \
  c = good;                                                                                                                      \
  change;                                                                                                                        \
  expect_refused(header, &c, CONTENT, part)
  CASE(c.vectors[1] = (double)NAN, "vectors of node 1 ('b') is not finite");
  CASE(c.vectors[0] = -(double)INFINITY, "vectors of node 0 ('a') is not finite");
  CASE(c.vectors[1] = 0.6, "gap of node 1 ('b') is 0.75, but its coordinates say 0.64");
  CASE(c.gap[1] = 0, "gap of node 1 ('b') is 0, not in (0, R^2]");
  CASE(c.gap[1] = -0.75, "gap of node 1");
  CASE(c.gap[1] = (double)NAN, "gap of node 1");
  CASE(c.gap[0] = 1.01, "gap of node 0");
  CASE(c.starts[0] = 1, "node 0 does not begin at offset 0");
  CASE(c.starts[1] = 0, "node 0 does not lie where");
  CASE(c.starts[1] = 3, "node 0 does not end with a NUL");
  CASE(c.starts[1] = UINT64_MAX, "node 0 does not lie where");
  CASE(c.starts[2] = 3, "node 1 does not end with a NUL");
  CASE(c.starts[2] = 5, "node 1 does not lie where");
  CASE(c.names[0] = 0, "node 0 has a NUL byte inside");
  CASE(c.names[2] = 'a', "node 1 occurs twice");
  CASE(c.names[2] = (char)0xc3, "node 1 is not UTF-8");
  CASE((c.names[1] = 'x', c.starts[1] = 4), "node 1 does not lie where");
#undef CASE
}

static void bad_lengths(void **state) {
  (void)state;
  geodisk_model *model = NULL;
  static const unsigned char huge[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
                             one_more[9] = {2, 0, 0, 0, 0, 0, 0, 0, '{'};
  assert_int_equal(geodisk_model_read_memory(context, "evil", "", 0, &model), GEODISK_ERROR_FORMAT);
  assert_int_equal(geodisk_model_read_memory(context, "evil", "1234567", 7, &model), GEODISK_ERROR_FORMAT);
  assert_int_equal(geodisk_model_read_memory(context, "evil", huge, 8, &model), GEODISK_ERROR_FORMAT);
  assert_int_equal(geodisk_model_read_memory(context, "evil", one_more, 9, &model), GEODISK_ERROR_FORMAT);
  assert_null(model);
  /* Every prefix of a good file. */
  const size_t length = strlen(header), size = 8 + length + CONTENT;
  char *bytes = malloc(size);
  for (int i = 0; i < 8; i++)
    bytes[i] = (char)(length >> 8 * i & 0xff);
  memcpy(bytes + 8, header, length);
  put_data(bytes + 8 + length, &good, CONTENT);
  for (size_t n = 0; n < size; n++)
    assert_int_equal(geodisk_model_read_memory(context, "evil", bytes, n, &model), GEODISK_ERROR_FORMAT);
  assert_null(model);

  /* Random bytes put into it: read or refused, but never more than that. */
  geodisk_random random = geodisk_random_stream(3, 1);
  char *spoilt = malloc(size);
  int refused = 0;
  for (int round = 0; round < 20000; round++) {
    memcpy(spoilt, bytes, size);
    for (uint64_t k = geodisk_random_below(&random, 3) + 1; k > 0; k--)
      spoilt[geodisk_random_below(&random, size)] = (char)geodisk_random_bits32(&random);
    model = NULL;
    if (geodisk_model_read_memory(context, "evil", spoilt, size, &model) == GEODISK_OK)
      geodisk_model_destroy(model);
    else
      refused++;
  }
  assert_in_range(refused, 10000, 19999);
  free(spoilt);
  free(bytes);
}

/* Too many tensors or texts stay cheap. */
static void floods(void **state) {
  (void)state;
  enum { MANY = 100000, EACH = 80 };
  char *text = malloc(MANY * EACH), *end = text;
  *end++ = '{';
  for (int i = 0; i < MANY; i++)
    end += sprintf(end, "%s\"t%d\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", i > 0 ? "," : "", i);
  strcpy(end, "}");
  expect_refused(text, NULL, 0, "too many tensors");
  end = text + sprintf(text, "{\"__metadata__\":{");
  for (int i = 0; i < MANY; i++)
    end += sprintf(end, "%s\"t%d\":\"\"", i > 0 ? "," : "", i);
  strcpy(end, "}}");
  expect_refused(text, NULL, 0, "too many keys");
  free(text);
}

/* Histories that a training never wrote. */
static void bad_histories(void **state) {
  (void)state;
  static const struct {
    const char *columns;
    double rows[4];
    const char *part; /* NULL: it is fine */
  } cases[] = {{"epoch loss", {0, 1, 1, 2}, NULL},
               {"epoch loss", {0, 1, 1, (double)NAN}, "history: row 1 has an entry that is no number"},
               {"epoch loss", {(double)NAN, 1, 1, 2}, "history: row 0 has an entry that is no number"},
               {"epoch loss", {1, 1, 0, 2}, "history: row 1 has an epoch"},
               {"epoch loss", {0, 1, 1e300, 2}, "history: row 1 has an epoch"},
               {"epoch loss rate", {0, 1, 1, 2}, "history is missing, or is not F64 of shape [epochs, columns]"},
               {"loss epoch", {0, 1, 1, 2}, "history is missing, or is not F64 of shape [epochs, columns]"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[600];
    struct {
      double vector;
      uint64_t starts[2];
      double history[4];
      char names[2];
    } data = {0.5, {0, 2}, {0}, "a"};
    memcpy(data.history, cases[i].rows, sizeof data.history);
    snprintf(
        text, sizeof text,
        "{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"euclidean\",\"history_columns\":\"%s\"},"
        "\"vectors\":{\"dtype\":\"F64\",\"shape\":[1,1],\"data_offsets\":[0,8]},"
        "\"name_offsets\":{\"dtype\":\"U64\",\"shape\":[2],\"data_offsets\":[8,24]},"
        "\"history\":{\"dtype\":\"F64\",\"shape\":[2,2],\"data_offsets\":[24,56]},"
        "\"names\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[56,58]}}",
        cases[i].columns);
    if (cases[i].part != NULL) {
      expect_refused(text, &data, 58, cases[i].part);
      continue;
    }
    geodisk_model *model = NULL;
    assert_int_equal(read_file(text, &data, 58, &model), GEODISK_OK);
    geodisk_model_destroy(model);
  }
}

/* What tells what is below what, as no training left it. */
static void bad_decisions(void **state) {
  (void)state;
  static const struct {
    const char *type, *reach;
    double numbers[8];
    float reaches[2];
    const char *part; /* NULL: it is fine */
  } cases[] = {
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {0, -1}, NULL},
      {"\"F64\",\"shape\":[8]", "[2]", {1, 0.5, 1, 0, 1, 1, 1, 1}, {0, 2}, NULL},
      {"\"F64\",\"shape\":[8]", "[2]", {9, (double)NAN, 0, 0, 7, 0, 0, 4}, {(float)NAN, 0}, NULL}, /* a newer program's */
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 3}, {0, 0}, "is_a is of an order, and order is not F64 of shape"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 2}, {0, 0}, "is_a is of an order, and order is not F64 of shape"},
      {"\"F64\",\"shape\":[8]", "[2]", {2, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a: its centre is no node"},
      {"\"F64\",\"shape\":[8]", "[2]", {-2, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a: its centre is no node"},
      {"\"F64\",\"shape\":[8]", "[2]", {0.5, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a: its centre is no node"},
      {"\"F64\",\"shape\":[8]", "[2]", {(double)NAN, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a: its centre is no node"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, (double)NAN, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a: its threshold, slope"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, (double)INFINITY, 0, 1, 1, 1, 1}, {0, 0}, "is_a: its threshold, slope"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1.5, 1, 1}, {0, 0}, "is_a: its precision, recall"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 0}, {0, 0}, "is_a is not F64 of shape [8]"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, (double)NAN}, {0, 0}, "is_a is not F64 of shape [8]"},
      {"\"F64\",\"shape\":[4,2]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a is not F64 of shape [8]"},
      {"\"F32\",\"shape\":[16]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "is_a is not F64 of shape [8]"},
      {"\"F64\",\"shape\":[8]", "[2,1]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {0, 0}, "reach is not F32 of shape [2]"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {0, (float)NAN}, "reach of node 1 ('b') is"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {(float)INFINITY, 0}, "reach of node 0 ('a') is"},
      {"\"F64\",\"shape\":[8]", "[2]", {-1, 0.5, 1, 0, 1, 1, 1, 1}, {-0.5F, 0}, "reach of node 0 ('a') is -0.5"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[700];
    struct {
      double vectors[2], gaps[2];
      uint64_t starts[3];
      double numbers[8];
    } data = {{0.5, 0}, {0.75, 1}, {0, 2, 4}, {0}};
    char bytes[sizeof data + 8 + 4];
    memcpy(data.numbers, cases[i].numbers, sizeof data.numbers);
    put_data(bytes, &data, sizeof data);
    order_copy(bytes + sizeof data, cases[i].reaches, 2, 4);
    memcpy(bytes + sizeof data + 8, "a\0b", 4);
    snprintf(text, sizeof text,
             "{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\",\"radius\":\"1\","
             "\"curvature\":\"1\"},"
             "\"vectors\":{\"dtype\":\"F64\",\"shape\":[2,1],\"data_offsets\":[0,16]},"
             "\"gap\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,32]},"
             "\"name_offsets\":{\"dtype\":\"U64\",\"shape\":[3],\"data_offsets\":[32,56]},"
             "\"is_a\":{\"dtype\":%s,\"data_offsets\":[56,120]},"
             "\"reach\":{\"dtype\":\"F32\",\"shape\":%s,\"data_offsets\":[120,128]},"
             "\"names\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[128,132]}}",
             cases[i].type, cases[i].reach);
    geodisk_model *model = NULL;
    const geodisk_status status = read_bytes(text, bytes, sizeof bytes, &model);
    const char *said = geodisk_context_error(context);
    if (cases[i].part == NULL ? status != GEODISK_OK : status != GEODISK_ERROR_FORMAT || strstr(said, cases[i].part) == NULL)
      fail_msg("case %zu: status %d, '%s', expected '%s'", i, (int)status, said, cases[i].part == NULL ? "" : cases[i].part);
    geodisk_model_destroy(model);
  }
}

/* An order beside the vectors, without a decision: a threshold may be given. */
static void bad_orders(void **state) {
  (void)state;
  static const struct {
    double points[6];
    const char *part; /* NULL: it is fine */
  } cases[] = {{{0, 0, 1, 0.5, 0, 0.75}, NULL},
               {{0, 0, 1, 1 - 0x1p-53, 0, 1e-30}, NULL}, /* deeper than its coordinates tell */
               {{0, 0, 1, 1, 0, 1e-30}, "order of node 1 ('b') is no point"},
               {{0, 0, 1, (double)NAN, 0, 0.75}, "order of node 1 ('b') is no point"},
               {{0, 0, (double)NAN, 0.5, 0, 0.75}, "order of node 0 ('a') is no point"},
               {{0, 0, 1, 0.5, 0, 0}, "order of node 1 ('b') is no point"},
               {{0, 0, 1, 0.5, 0, 0.5}, "order of node 1 ('b') is no point"},
               {{0, 0, 1, 2, 0, 0.5}, "order of node 1 ('b') is no point"},
               {{0, 0, 1, 1.0000004, 0, 1e-9}, "order of node 1 ('b') is no point"},
               {{0, 0, 1, 1e300, 1e300, 1e-9}, "order of node 1 ('b') is no point"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct {
      double vectors[2], gaps[2];
      uint64_t starts[3];
      double points[6];
      char names[4];
    } data = {{0.5, 0}, {0.75, 1}, {0, 2, 4}, {0}, "a\0b"};
    memcpy(data.points, cases[i].points, sizeof data.points);
    static const char text[] =
        "{\"__metadata__\":{\"format\":\"geodisk\",\"format_version\":\"1\",\"space\":\"hyperbolic\",\"radius\":\"1\","
        "\"curvature\":\"1\"},"
        "\"vectors\":{\"dtype\":\"F64\",\"shape\":[2,1],\"data_offsets\":[0,16]},"
        "\"gap\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[16,32]},"
        "\"name_offsets\":{\"dtype\":\"U64\",\"shape\":[3],\"data_offsets\":[32,56]},"
        "\"order\":{\"dtype\":\"F64\",\"shape\":[2,3],\"data_offsets\":[56,104]},"
        "\"names\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[104,108]}}";
    if (cases[i].part != NULL) {
      expect_refused(text, &data, 108, cases[i].part);
      continue;
    }
    geodisk_model *model = NULL;
    assert_int_equal(read_file(text, &data, 108, &model), GEODISK_OK);
    assert_non_null(geodisk_model_order(model));
    geodisk_model_destroy(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_headers),   cmocka_unit_test(bad_fields), cmocka_unit_test(bad_contents),
      cmocka_unit_test(bad_lengths),   cmocka_unit_test(floods),     cmocka_unit_test(bad_histories),
      cmocka_unit_test(bad_decisions), cmocka_unit_test(bad_orders),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
