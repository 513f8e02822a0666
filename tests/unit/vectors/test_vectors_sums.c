/* Damaged model files: whatever bit is flipped, the file is refused, and the error says which part it hit. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "geodisk/vectors.h"
#include "vectors/byte_order.h"

static geodisk_context *context;
static const char path[] = "sums.safetensors";

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return remove(path);
}

/* A checkpoint in small: counts, a history, another tensor, texts. */
static geodisk_model *make_model(size_t nodes, geodisk_space space) {
  const geodisk_model_spec spec = {.nodes = nodes, .ball = {2, 1, 1}, .space = space, .counts = true};
  static const float state[3] = {1, 2, 3};
  const geodisk_tensor tensor = {.type = GEODISK_TYPE_F32, .rank = 1, .shape = {3}, .data = state};
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_model_create(context, &spec, &model), GEODISK_OK);
  for (size_t i = 0; i < 2 * nodes; i++)
    geodisk_model_edit_vectors(model)[i] = 0.5 / (double)(i + 2);
  for (size_t i = 0; i < nodes && space == GEODISK_SPACE_HYPERBOLIC; i++)
    geodisk_model_edit_gap(model)[i] = geodisk_gap(&spec.ball, geodisk_model_vectors(model) + 2 * i);
  assert_int_equal(geodisk_model_set_history(context, model, &(geodisk_history){1, 2, "epoch loss", (const double[]){0, 0.5}}),
                   GEODISK_OK);
  assert_int_equal(geodisk_model_add_tensor(context, model, "a \"state\"", &tensor, NULL), GEODISK_OK);
  assert_int_equal(geodisk_model_set(context, model, "seed", "7"), GEODISK_OK);
  return model;
}

static char *slurp(size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static char *written(geodisk_model *model, size_t *size) {
  assert_int_equal(geodisk_model_write(context, model, path), GEODISK_OK);
  geodisk_model_destroy(model);
  return slurp(size);
}

static void any_flipped_bit(void **state) {
  (void)state;
  for (int space = 0; space < 2; space++) {
    size_t size;
    char *bytes = written(make_model(3, (geodisk_space)space), &size);
    const size_t data = 8 + (size_t)(unsigned char)bytes[0] + 256 * (size_t)(unsigned char)bytes[1];
    geodisk_model *model = NULL;
    assert_int_equal(geodisk_model_read_memory(context, "whole", bytes, size, &model), GEODISK_OK);
    geodisk_model_destroy(model);
    model = NULL;
    for (size_t bit = 0; bit < 8 * size; bit++) {
      bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
      const geodisk_status status = geodisk_model_read_memory(context, "bent", bytes, size, &model);
      const char *text = geodisk_context_error(context);
      if (status != GEODISK_ERROR_FORMAT || model != NULL || strncmp(text, "bent: ", 6) != 0)
        fail_msg("bit %zu of byte %zu: status %d, %s", bit % 8, bit / 8, (int)status, text);
      if (bit / 8 >= data && strstr(text, "is damaged: the CRC-32C of its bytes is") == NULL)
        fail_msg("bit %zu of byte %zu: %s", bit % 8, bit / 8, text);
      bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    free(bytes);
  }
}

/* The error names the array; of the header it says so. */
static void the_part_is_named(void **state) {
  (void)state;
  size_t size;
  char *bytes = written(make_model(3, GEODISK_SPACE_HYPERBOLIC), &size);
  static const struct {
    size_t from_end;
    const char *part;
  } cases[] = {{1, "bent: names is damaged: "}, {6 + 4, "bent: a \"state\" is damaged: "}};
  geodisk_model *model = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bytes[size - cases[i].from_end] ^= 1;
    assert_int_equal(geodisk_model_read_memory(context, "bent", bytes, size, &model), GEODISK_ERROR_FORMAT);
    assert_non_null(strstr(geodisk_context_error(context), cases[i].part));
    bytes[size - cases[i].from_end] ^= 1;
  }
  char *seed = bytes + 8;
  while (memcmp(seed, "\"seed\":\"7\"", 10) != 0)
    seed++;
  seed[8] = '8';
  assert_int_equal(geodisk_model_read_memory(context, "bent", bytes, size, &model), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(context), "bent: the header is damaged: the CRC-32C of its bytes is "));
  free(bytes);
}

/* Pieces on several threads, and rows with something between them, give the sum of the bytes as they lie in the file. */
static void many_pieces(void **state) {
  (void)state;
  enum { NODES = 150001 };
  geodisk_model *model = make_model(NODES, GEODISK_SPACE_HYPERBOLIC), *apart = NULL, *back = NULL;
  double *rows = malloc((size_t)NODES * 5 * sizeof *rows);
  for (size_t i = 0; i < NODES; i++) {
    memcpy(rows + 5 * i, geodisk_model_vectors(model) + 2 * i, 2 * sizeof *rows);
    rows[5 * i + 2] = geodisk_model_gap(model)[i];
    rows[5 * i + 3] = rows[5 * i + 4] = (double)i;
  }
  const geodisk_model_spec spec = {
      .nodes = NODES, .ball = {2, 1, 1}, .vectors = rows, .vectors_stride = 5, .gap = rows + 2, .gap_stride = 5};
  assert_int_equal(geodisk_model_create(context, &spec, &apart), GEODISK_OK);
  assert_int_equal(geodisk_model_write(context, apart, path), GEODISK_OK);
  if (geodisk_model_read(NULL, path, &back) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  assert_memory_equal(geodisk_model_vectors(back), geodisk_model_vectors(model), (size_t)NODES * 2 * sizeof *rows);
  geodisk_model_destroy(back);
  geodisk_model_destroy(apart);
  free(rows);

  size_t size;
  char *bytes = written(model, &size);
  assert_int_equal(geodisk_model_read_memory(context, "whole", bytes, size, &back), GEODISK_OK);
  geodisk_model_destroy(back);
  back = NULL;
  bytes[size * 2 / 3] ^= 16; /* vectors come after other numbers of 8 bytes and before the names */
  assert_int_equal(geodisk_model_read_memory(context, "bent", bytes, size, &back), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(context), "bent: vectors is damaged"));
  free(bytes);
}

/* Nobody sets sums by hand, and they are not among the texts. */
static void sums_are_the_files_own(void **state) {
  (void)state;
  geodisk_model *model = make_model(3, GEODISK_SPACE_EUCLIDEAN);
  assert_int_equal(geodisk_model_set(context, model, "crc32c", "00000000"), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_model_set(context, model, "crc32c.vectors", "00000000"), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_model_write(context, model, path), GEODISK_OK);
  geodisk_model_destroy(model);
  assert_int_equal(geodisk_model_read(context, path, &model), GEODISK_OK);
  for (size_t i = 0; geodisk_model_key(model, i) != NULL; i++)
    assert_null(strstr(geodisk_model_key(model, i), "crc32c"));
  geodisk_model_destroy(model);
}

/* Numbers lie in the file with their lowest byte first, whatever the machine; and turned twice they are what they were. */
static void order_of_bytes(void **state) {
  (void)state;
  static const unsigned char expected[8] = {8, 7, 6, 5, 4, 3, 2, 1};
  const uint64_t number = 0x0102030405060708u;
  unsigned char copy[8], turned[8], again[8];
  order_copy(copy, &number, 1, sizeof number);
  assert_memory_equal(copy, expected, sizeof expected);
  order_turn(turned, expected, 2, 4);
  assert_memory_equal(turned, ((const unsigned char[]){5, 6, 7, 8, 1, 2, 3, 4}), sizeof turned);
  order_turn(again, turned, 2, 4);
  assert_memory_equal(again, expected, sizeof expected);
  size_t size, found = 0;
  geodisk_model *model = make_model(3, GEODISK_SPACE_EUCLIDEAN);
  geodisk_model_edit_counts(model)[1] = number;
  char *bytes = written(model, &size);
  for (size_t i = 0; i + sizeof expected <= size; i++)
    found += memcmp(bytes + i, expected, sizeof expected) == 0;
  assert_int_equal(found, 1);
  assert_int_equal(geodisk_model_read_memory(context, "whole", bytes, size, &model), GEODISK_OK);
  assert_true(geodisk_model_counts(model)[1] == number);
  geodisk_model_destroy(model);
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_flipped_bit), cmocka_unit_test(order_of_bytes),
                                     cmocka_unit_test(the_part_is_named), cmocka_unit_test(many_pieces),
                                     cmocka_unit_test(sums_are_the_files_own)};
  return cmocka_run_group_tests(tests, start, finish);
}
