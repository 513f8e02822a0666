/* train_comb.h - the draws of train.h's comb: loops that the compiler turns into vectors. Included by train_ref.c and
 * train_simd.h.
 */

/* Whether any of TRAIN_COMB_PAD places is barred. */
static inline bool any_barred(const uint16_t *places, const uint16_t *barred, size_t count) {
#ifdef KERNEL_AVX512
  const __m512i all = _mm512_loadu_si512(places);
  __mmask32 hits = 0;
  for (size_t k = 0; k < count; k++)
    hits |= _mm512_cmpeq_epi16_mask(all, _mm512_set1_epi16((int16_t)barred[k]));
  return hits != 0;
#else
  uint16_t hits[TRAIN_COMB_PAD] = {0}, hit = 0;
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < TRAIN_COMB_PAD; i++)
      hits[i] |= (uint16_t)(places[i] ^ barred[k]) == 0 ? 0xFFFF : 0;
  for (size_t i = 0; i < TRAIN_COMB_PAD; i++)
    hit |= hits[i];
  return hit != 0;
#endif
}

static bool comb_draw(const train_comb *c, const uint16_t *random, const uint16_t *beside, const uint16_t *restrict barred,
                      size_t barred_count, uint16_t *restrict places) {
  const uint16_t *restrict starts = c->starts, *restrict middles = c->middles, *sides = beside ? beside : random;
  const uint16_t back = (uint16_t)(c->count - c->turn), turn = (uint16_t)c->turn, less = (uint16_t)(0 - back);
  const uint16_t other = beside ? 1 : 0;
  bool hit = false;
  for (size_t first = 0; first < c->teeth; first += TRAIN_COMB_PAD) {
    uint16_t drawn[TRAIN_COMB_PAD];
    for (size_t i = 0; i < TRAIN_COMB_PAD; i++) {
      const size_t j = first + i;
      const uint16_t start = starts[j], middle = middles[j], end = starts[j + 1],
                     upper = (uint16_t) - (uint16_t)((sides[j] >> 15) ^ other);
      const uint16_t from = start ^ ((start ^ middle) & upper), to = middle ^ ((middle ^ end) & upper);
      const uint16_t length = (uint16_t)(to - from), part = (uint16_t)(random[j] << 1);
      const uint16_t at = (uint16_t)(from + (uint16_t)(((uint32_t)part * length) >> 16));
      drawn[i] = (uint16_t)(at + (at >= back ? less : turn));
    }
    for (size_t i = 0; i < TRAIN_COMB_PAD; i++)
      places[first + i] = drawn[i];
    hit |= any_barred(drawn, barred, barred_count); /* those beyond the teeth are looked at too, which does no harm */
  }
  return hit;
}
