/* train_comb.h - the draws of train.h's comb: a loop that the compiler turns into vectors. Included by train_ref.c and
 * train_simd.h. */

static void comb_draw(const train_comb *c, const uint16_t *restrict random, uint16_t *restrict places) {
  const uint16_t *restrict starts = c->starts, *restrict middles = c->middles;
  const uint16_t back = (uint16_t)(c->count - c->turn), turn = (uint16_t)c->turn, less = (uint16_t)(0 - back);
  const size_t n = ((size_t)c->teeth + TRAIN_COMB_PAD - 1) / TRAIN_COMB_PAD * TRAIN_COMB_PAD;
  for (size_t j = 0; j < n; j++) {
    const uint16_t start = starts[j], middle = middles[j], end = starts[j + 1], upper = (uint16_t) - (random[j] >> 15);
    const uint16_t from = start ^ ((start ^ middle) & upper), to = middle ^ ((middle ^ end) & upper);
    const uint16_t length = (uint16_t)(to - from), part = (uint16_t)(random[j] << 1);
    const uint16_t at = (uint16_t)(from + (uint16_t)(((uint32_t)part * length) >> 16));
    places[j] = (uint16_t)(at + (at >= back ? less : turn));
  }
}
