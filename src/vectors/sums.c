/* sums.c - the sums of a model file, piece by piece on all threads. */
#include "sums.h"

#include <stdio.h>
#include <string.h>

#include "byte_order.h"
#include "kernel/crc32c.h"

enum { PIECE = 1 << 20, AT_ONCE = 256 }; /* bytes of a piece; pieces whose sums lie on the stack */

typedef struct summing {
  const char *data;
  size_t size;            /* bytes of a number */
  size_t row, stride;     /* bytes */
  size_t rows, per_piece; /* rows in all; in a piece */
  size_t first;           /* piece of sums[0] */
  uint32_t *sums;
} summing;

static size_t piece_rows(const summing *s, size_t piece) {
  const size_t left = s->rows - piece * s->per_piece;
  return left < s->per_piece ? left : s->per_piece;
}

/* The sum goes on over numbers of memory as they lie in the file. */
static uint32_t add_numbers(uint32_t sum, const char *numbers, size_t bytes, size_t size) {
  char turned[4096];
  if (order_is_ours(size))
    return crc32c(sum, numbers, bytes);
  for (size_t at = 0, n; at < bytes; at += n) {
    n = bytes - at < sizeof turned ? bytes - at : sizeof turned;
    order_copy(turned, numbers + at, n / size, size);
    sum = crc32c(sum, turned, n);
  }
  return sum;
}

static void sum_piece(void *arg, size_t index) {
  const summing *s = arg;
  const size_t piece = s->first + index, rows = piece_rows(s, piece);
  const char *from = s->data + piece * s->per_piece * s->stride;
  uint32_t sum = 0;
  if (s->row == s->stride)
    sum = add_numbers(0, from, rows * s->row, s->size);
  else
    for (size_t i = 0; i < rows; i++)
      sum = add_numbers(sum, from + i * s->stride, s->row, s->size);
  s->sums[index] = sum;
}

uint32_t sums_of_tensor(geodisk_context *context, const geodisk_tensor *tensor) {
  const size_t size = geodisk_type_size(tensor->type), rows = tensor->rank > 0 ? tensor->shape[0] : 1;
  uint32_t sums[AT_ONCE], whole = 0;
  summing s = {tensor->data, size, model_row_length(tensor) * size, model_row_stride(tensor) * size, rows, 1, 0, sums};
  if (s.row == 0)
    return 0;
  s.per_piece = s.row < PIECE ? PIECE / s.row : 1;
  const size_t pieces = (rows + s.per_piece - 1) / s.per_piece;
  for (; s.first < pieces; s.first += AT_ONCE) {
    const size_t count = pieces - s.first < AT_ONCE ? pieces - s.first : AT_ONCE;
    geodisk_parallel(context, count, sum_piece, &s);
    for (size_t i = 0; i < count; i++)
      whole = crc32c_join(whole, sums[i], piece_rows(&s, s.first + i) * s.row);
  }
  return whole;
}

uint32_t sums_of_header(const char *file, size_t length, size_t digits) {
  static const char zeros[SUM_DIGITS] = {'0', '0', '0', '0', '0', '0', '0', '0'};
  const size_t end = digits + SUM_DIGITS;
  return crc32c(crc32c(crc32c(0, file, digits), zeros, SUM_DIGITS), file + end, 8 + length - end);
}

void sums_format(uint32_t sum, char out[SUM_DIGITS + 1]) { snprintf(out, SUM_DIGITS + 1, "%08x", (unsigned)sum); }

bool sums_parse(const char *text, uint32_t *out) {
  uint32_t sum = 0;
  if (strlen(text) != SUM_DIGITS || strspn(text, "0123456789abcdef") != SUM_DIGITS)
    return false;
  for (; *text != 0; text++)
    sum = sum << 4 | (uint32_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
  *out = sum;
  return true;
}

geodisk_status sums_fail(geodisk_context *context, const char *label, const file_tensor *tensor, uint32_t sum) {
  return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: %s is damaged: the CRC-32C of its bytes is %08x, not %08x", label,
                      tensor->name, (unsigned)sum, (unsigned)tensor->sum);
}

geodisk_status sums_check(geodisk_context *context, const char *label, const file_header *header, const char *data) {
  for (size_t i = 0; header->has_sums && i < header->n_tensors; i++) {
    const file_tensor *t = &header->tensors[i];
    const geodisk_tensor bytes = {GEODISK_TYPE_U8, 1, {(size_t)(t->end - t->begin)}, data + t->begin, 0};
    const uint32_t sum = sums_of_tensor(context, &bytes);
    if (sum != t->sum)
      return sums_fail(context, label, t, sum);
  }
  return GEODISK_OK;
}
