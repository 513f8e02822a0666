/* byte_order.h - numbers in files, which lie there little-endian whatever machine reads and writes them. Internal to the vectors
 * module. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether numbers of that many bytes lie in memory as they do in files. */
static inline bool order_is_ours(size_t size) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || size == 1; }

/* Copies numbers of `size` bytes with the bytes of each the other way round; not in place. */
static inline void order_turn(void *to, const void *from, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < size; k++)
      ((char *)to)[i * size + k] = ((const char *)from)[i * size + size - 1 - k];
}

/* Copies numbers from a file, or for a file. */
static inline void order_copy(void *to, const void *from, size_t count, size_t size) {
  if (order_is_ours(size))
    memcpy(to, from, count * size);
  else
    order_turn(to, from, count, size);
}
