/* crc32c.c - CRC-32C eight bytes at a time: by tables, or by the instruction of SSE 4.2. Bits are reflected, as in RFC 3720: the
 * lowest bit of a sum is the highest power of x. */
#include "crc32c.h"

#include <string.h>

#ifdef GEODISK_SIMD_X86
#include <nmmintrin.h>
#endif

#define POLYNOMIAL 0x82f63b78u

/* A table has, for every byte, the sum's change by it; it is linear in the byte's bits, so the eight bytes of one bit tell all.
 */
#define BIT(n, k, value) ((n) >> (k)&1 ? (value) : 0u)
#define E(n, a, b, c, d, e, f, g, h)                                                                                             \
  BIT(n, 0, a) ^ BIT(n, 1, b) ^ BIT(n, 2, c) ^ BIT(n, 3, d) ^ BIT(n, 4, e) ^ BIT(n, 5, f) ^ BIT(n, 6, g) ^ BIT(n, 7, h)
#define E4(n, ...)  E(n, __VA_ARGS__), E((n) + 1, __VA_ARGS__), E((n) + 2, __VA_ARGS__), E((n) + 3, __VA_ARGS__)
#define E16(n, ...) E4(n, __VA_ARGS__), E4((n) + 4, __VA_ARGS__), E4((n) + 8, __VA_ARGS__), E4((n) + 12, __VA_ARGS__)
#define E64(n, ...) E16(n, __VA_ARGS__), E16((n) + 16, __VA_ARGS__), E16((n) + 32, __VA_ARGS__), E16((n) + 48, __VA_ARGS__)
#define TABLE(...)                                                                                                               \
  { E64(0, __VA_ARGS__), E64(64, __VA_ARGS__), E64(128, __VA_ARGS__), E64(192, __VA_ARGS__) }

/* Table t: the byte, then t bytes of zero. */
static const uint32_t tables[8][256] = {
    TABLE(0xf26b8303u, 0xe13b70f7u, 0xc79a971fu, 0x8ad958cfu, 0x105ec76fu, 0x20bd8edeu, 0x417b1dbcu, 0x82f63b78u),
    TABLE(0x13a29877u, 0x274530eeu, 0x4e8a61dcu, 0x9d14c3b8u, 0x3fc5f181u, 0x7f8be302u, 0xff17c604u, 0xfbc3faf9u),
    TABLE(0xa541927eu, 0x4f6f520du, 0x9edea41au, 0x38513ec5u, 0x70a27d8au, 0xe144fb14u, 0xc76580d9u, 0x8b277743u),
    TABLE(0xdd45aab8u, 0xbf672381u, 0x7b2231f3u, 0xf64463e6u, 0xe964b13du, 0xd725148bu, 0xaba65fe7u, 0x52a0c93fu),
    TABLE(0x38116facu, 0x7022df58u, 0xe045beb0u, 0xc5670b91u, 0x8f2261d3u, 0x1ba8b557u, 0x37516aaeu, 0x6ea2d55cu),
    TABLE(0xef306b19u, 0xdb8ca0c3u, 0xb2f53777u, 0x6006181fu, 0xc00c303eu, 0x85f4168du, 0x0e045bebu, 0x1c08b7d6u),
    TABLE(0x68032cc8u, 0xd0065990u, 0xa5e0c5d1u, 0x4e2dfd53u, 0x9c5bfaa6u, 0x3d5b83bdu, 0x7ab7077au, 0xf56e0ef4u),
    TABLE(0x493c7d27u, 0x9278fa4eu, 0x211d826du, 0x423b04dau, 0x847609b4u, 0x0d006599u, 0x1a00cb32u, 0x34019664u)};

uint32_t crc32c_plain(uint32_t sum, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  uint32_t s = ~sum;
  for (; size >= 8; size -= 8, p += 8) {
    s ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    s = tables[7][s & 255] ^ tables[6][s >> 8 & 255] ^ tables[5][s >> 16 & 255] ^ tables[4][s >> 24] ^ tables[3][p[4]] ^
        tables[2][p[5]] ^ tables[1][p[6]] ^ tables[0][p[7]];
  }
  for (; size > 0; size--)
    s = s >> 8 ^ tables[0][(s ^ *p++) & 255];
  return ~s;
}

#ifdef GEODISK_SIMD_X86
__attribute__((target("sse4.2"))) static uint32_t crc32c_sse42(uint32_t sum, const void *bytes, size_t size) {
  const unsigned char *p = bytes;
  uint64_t s = ~sum, word;
  for (; size >= sizeof word; size -= sizeof word, p += sizeof word) {
    memcpy(&word, p, sizeof word);
    s = _mm_crc32_u64(s, word);
  }
  uint32_t rest = (uint32_t)s;
  for (; size > 0; size--)
    rest = _mm_crc32_u8(rest, *p++);
  return ~rest;
}
#endif

uint32_t crc32c(uint32_t sum, const void *bytes, size_t size) {
#ifdef GEODISK_SIMD_X86
  if (__builtin_cpu_supports("sse4.2"))
    return crc32c_sse42(sum, bytes, size);
#endif
  return crc32c_plain(sum, bytes, size);
}

/* The product of two polynomials modulo that of the sum. */
static uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if (a & bit)
      product ^= b;
    b = b & 1 ? b >> 1 ^ POLYNOMIAL : b >> 1;
  }
  return product;
}

/* `size` bytes after the first range multiply it by x^(8 size); the inversions before and after cancel out. */
uint32_t crc32c_join(uint32_t first, uint32_t second, uint64_t second_size) {
  uint32_t power = 1u << 23; /* x^8 */
  for (; second_size > 0; second_size >>= 1) {
    if (second_size & 1)
      first = multiply(first, power);
    power = multiply(power, power);
  }
  return first ^ second;
}
