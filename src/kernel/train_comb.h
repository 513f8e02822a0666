/* train_comb.h - the comb of train.h: loops that the compiler turns into vectors. Included by train_ref.c and train_simd.h. */

/* Notes the i < n with a[i] = b[i], and `more` to each. */
static size_t comb_equal(const uint16_t *a, const uint16_t *b, size_t n, size_t more, uint16_t *hits, size_t count) {
  unsigned any = 0;
  for (size_t i = 0; i < n; i++)
    any |= a[i] == b[i];
  for (size_t i = 0; any && i < n; i++)
    if (a[i] == b[i])
      hits[count++] = (uint16_t)(i + more);
  return count;
}

static size_t comb_draw(const train_comb *c, const uint16_t *random, const uint16_t *other, uint16_t *places, uint16_t *hits) {
  const uint32_t n = c->teeth, whole = n << 16, turn = c->turn, factor = c->factor;
  for (uint32_t j = 0; j < n; j++) {
    uint32_t at = (j << 16 | random[j]) + turn;
    at -= at >= whole ? whole : 0;
    places[j] = (uint16_t)((uint64_t)at * factor >> 32);
  }
  size_t count = comb_equal(places, places + 1, n - 1, 0, hits, 0);
  if (n > 2 && places[0] == places[n - 1])
    hits[count++] = (uint16_t)(n - 1);
  if (!other)
    return count;
  count = comb_equal(places, other, n, 0, hits, count);
  count = comb_equal(places, other + 1, n - 1, 0, hits, count);
  count = comb_equal(places + 1, other, n - 1, 1, hits, count);
  if (n > 2 && places[0] == other[n - 1])
    hits[count++] = 0;
  if (n > 2 && places[n - 1] == other[0])
    hits[count++] = (uint16_t)(n - 1);
  return count;
}
