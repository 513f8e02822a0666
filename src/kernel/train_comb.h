/* train_comb.h - the draws of train.h's comb: loops that the compiler turns into vectors. Included by train_ref.c and
 * train_simd.h.
 */

/* Whether any of TRAIN_COMB_PAD places is barred. */
static inline bool any_barred(const uint16_t *places, const uint32_t *barred, size_t count) {
  typedef uint16_t vector __attribute__((vector_size(2 * TRAIN_COMB_PAD)));
  vector all, hits = {0};
  uint64_t parts[sizeof hits / sizeof(uint64_t)], any = 0;
  memcpy(&all, places, sizeof all);
  for (size_t k = 0; k < count; k++)
    hits |= (vector)(all == (uint16_t)barred[k]);
  memcpy(parts, &hits, sizeof parts);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    any |= parts[i];
  return any != 0;
}

/* A place from each of TRAIN_COMB_PAD teeth. halves: of which half, with `other` of the other one; or NULL: from the whole. */
static inline void draw_from_teeth(const train_comb *c, const uint16_t *starts, const uint16_t *random, const uint16_t *halves,
                                   bool other, uint16_t *restrict drawn) {
  const uint16_t back = (uint16_t)(c->count - c->turn), turn = (uint16_t)c->turn, less = (uint16_t)(0 - back);
  const uint16_t upper = halves ? 0x8000 : 0, flip = other ? 0x8000 : 0, even = halves ? 0xFFFE : 0xFFFF;
  const uint16_t *which = halves ? halves : random;
  for (size_t i = 0; i < TRAIN_COMB_PAD; i++) {
    const uint16_t start = starts[i], length = (uint16_t)(starts[i + 1] - start) & even;
    const uint16_t where = random[i] ^ ((random[i] ^ which[i] ^ flip) & upper);
    const uint16_t at = (uint16_t)(start + (uint16_t)(((uint32_t)where * length) >> 16));
    drawn[i] = (uint16_t)(at + (at >= back ? less : turn));
  }
}

static unsigned comb_draw(const train_comb *c, const uint16_t *random, const train_draw *draws, size_t lists) {
  unsigned hits = 0;
  for (size_t k = 0; k < lists; k++)
    for (size_t j = 0; j < c->teeth; j += TRAIN_COMB_PAD) {
      uint16_t drawn[TRAIN_COMB_PAD];
      draw_from_teeth(c, c->starts + j, random + k * c->teeth + j, lists > 1 ? random + j : NULL, k > 0, drawn);
      memcpy(draws[k].places + j, drawn, sizeof drawn);
      /* those beyond the teeth are looked at too, which does no harm */
      hits |= (unsigned)any_barred(drawn, draws[k].barred, draws[k].barred_count) << k;
    }
  return hits;
}
