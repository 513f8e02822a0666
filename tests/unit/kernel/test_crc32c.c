/* CRC-32C against its published answers, a bit-by-bit version, and itself in pieces. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "geodisk/base.h"
#include "kernel/crc32c.h"

/* RFC 3720, appendix B.4 (its bytes there are the sum, lowest byte first), and the usual check value. */
static void test_published_answers(void **state) {
  (void)state;
  unsigned char bytes[48];
  static const unsigned char command[48] = {
      0x01, 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02};
  struct {
    const char *what;
    uint32_t sum, expected;
  } cases[5];
  memset(bytes, 0, 32);
  cases[0].sum = crc32c(0, bytes, 32);
  cases[0].expected = 0x8a9136aau;
  memset(bytes, 0xff, 32);
  cases[1].sum = crc32c(0, bytes, 32);
  cases[1].expected = 0x62a8ab43u;
  for (int i = 0; i < 32; i++)
    bytes[i] = (unsigned char)i;
  cases[2].sum = crc32c(0, bytes, 32);
  cases[2].expected = 0x46dd794eu;
  cases[3].sum = crc32c(0, command, sizeof command);
  cases[3].expected = 0xd9963a56u;
  cases[4].sum = crc32c(0, "123456789", 9);
  cases[4].expected = 0xe3069283u;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (cases[i].sum != cases[i].expected)
      fail_msg("case %zu: %08x instead of %08x", i, cases[i].sum, cases[i].expected);
}

static uint32_t bit_by_bit(const unsigned char *bytes, size_t size) {
  uint32_t s = UINT32_MAX;
  for (size_t i = 0; i < 8 * size; i++) {
    const uint32_t bit = (s ^ (uint32_t)bytes[i / 8] >> i % 8) & 1;
    s = s >> 1 ^ (bit ? 0x82f63b78u : 0);
  }
  return ~s;
}

static void test_all_ways_agree(void **state) {
  (void)state;
  enum { BYTES = 300 };
  unsigned char bytes[BYTES];
  geodisk_random random = geodisk_random_stream(23, 7);
  for (int i = 0; i < BYTES; i++)
    bytes[i] = (unsigned char)geodisk_random_bits32(&random);
  for (size_t size = 0; size < BYTES; size++) {
    const size_t from = size < BYTES / 2 ? size % 9 : 0; /* not at multiples of eight */
    const uint32_t expected = bit_by_bit(bytes + from, size);
    assert_int_equal(crc32c(0, bytes + from, size), expected);
    assert_int_equal(crc32c_plain(0, bytes + from, size), expected);
    const size_t cut = size * 2 / 5;
    const uint32_t first = crc32c(0, bytes + from, cut), second = crc32c(0, bytes + from + cut, size - cut);
    assert_int_equal(crc32c(first, bytes + from + cut, size - cut), expected);
    assert_int_equal(crc32c_plain(first, bytes + from + cut, size - cut), expected);
    assert_int_equal(crc32c_join(first, second, size - cut), expected);
  }
}

/* Sizes that no test can hold: joining zeros twice is joining them at once. */
static void test_joining_is_associative(void **state) {
  (void)state;
  const uint32_t a = 0x12345678u, zero = crc32c(0, "", 1);
  uint32_t zeros = zero; /* of 2^k bytes of zero */
  for (int k = 0; k < 40; k++) {
    assert_int_equal(crc32c_join(crc32c_join(a, zeros, (uint64_t)1 << k), zeros, (uint64_t)1 << k),
                     crc32c_join(a, crc32c_join(zeros, zeros, (uint64_t)1 << k), (uint64_t)2 << k));
    zeros = crc32c_join(zeros, zeros, (uint64_t)1 << k);
  }
  assert_int_equal(crc32c_join(a, 0, 0), a);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_answers), cmocka_unit_test(test_all_ways_agree),
                                     cmocka_unit_test(test_joining_is_associative)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
