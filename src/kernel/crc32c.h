/* crc32c.h - CRC-32C (Castagnoli's polynomial, RFC 3720 appendix B.4): the sum that tells damaged bytes. Seen by every module
 * above the kernel. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The sum of what had the sum `sum` (nothing: 0) followed by these bytes. By the processor's own instruction where it has one. */
uint32_t crc32c(uint32_t sum, const void *bytes, size_t size);

/* The same in plain C, for machines without that instruction. */
uint32_t crc32c_plain(uint32_t sum, const void *bytes, size_t size);

/* The sum of two ranges of bytes one after the other, from the sums of each and the size of the second. */
uint32_t crc32c_join(uint32_t first, uint32_t second, uint64_t second_size);
