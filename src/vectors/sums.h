/* sums.h - the sums of a model file: CRC-32C of every array and of the header. Internal to the vectors module.
 *
 * In __metadata__ the text "crc32c" is the sum of the file's first 8 bytes and the header, with zeros for its own eight digits,
 * and "crc32c.NAME" that of the array NAME. Either all are there or none is. */
#pragma once

#include "safetensors.h"

enum { SUM_DIGITS = 8 };

/* The keys of the sums in __metadata__ all begin like this; an array's goes on with "." and its name. */
#define SUM_KEY "crc32c"

/* The sum of a tensor's numbers as they lie in the file, row after row. */
uint32_t sums_of_tensor(geodisk_context *context, const geodisk_tensor *tensor);

/* The sum of a header of `length` bytes (8 more stand before it) whose own digits are at file[digits]. */
uint32_t sums_of_header(const char *file, size_t length, size_t digits);

/* Eight hexadecimal digits, small letters. */
void sums_format(uint32_t sum, char out[SUM_DIGITS + 1]);
bool sums_parse(const char *text, uint32_t *out);

/* The error about an array whose bytes have another sum. */
geodisk_status sums_fail(geodisk_context *context, const char *label, const file_tensor *tensor, uint32_t sum);

/* Whether the arrays in `data` are those that were written; if the file has no sums, it cannot be said. FORMAT, naming the array.
 */
geodisk_status sums_check(geodisk_context *context, const char *label, const file_header *header, const char *data);
