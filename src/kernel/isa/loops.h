/* loops.h - what instruction sets without such instructions do lane by lane. */
#pragma once

#ifndef ISA_HAS_WHOLE_D
LANES_INLINE vl whole_d(vd a) {
  vl out;
  for (int i = 0; i < 8; i++)
    out[i] = llrint(a[i]);
  return out;
}
#endif

/* The lanes whose bit is set, moved together at `out`. */
LANES_INLINE void pack_f(float *out, uint32_t bits, vf a) {
  for (; bits; bits &= bits - 1)
    *out++ = a[__builtin_ctz(bits)];
}
LANES_INLINE void pack_d(double *out, uint32_t bits, vd a) {
  for (; bits; bits &= bits - 1)
    *out++ = a[__builtin_ctz(bits)];
}
LANES_INLINE void pack_words_f(uint32_t *out, uint32_t bits, vu a) {
  for (; bits; bits &= bits - 1)
    *out++ = a[__builtin_ctz(bits)];
}
LANES_INLINE void pack_words_d(uint32_t *out, uint32_t bits, vu8 a) {
  for (; bits; bits &= bits - 1)
    *out++ = a[__builtin_ctz(bits)];
}

LANES_INLINE void turn_f(const float *const rows[16], size_t column, float *out, size_t columns) {
  for (size_t c = 0; c < columns; c++)
    for (size_t i = 0; i < 16; i++)
      out[16 * c + i] = rows[i][column + c];
}
LANES_INLINE void turn_d(const double *const rows[8], size_t column, double *out, size_t columns) {
  for (size_t c = 0; c < columns; c++)
    for (size_t i = 0; i < 8; i++)
      out[8 * c + i] = rows[i][column + c];
}
