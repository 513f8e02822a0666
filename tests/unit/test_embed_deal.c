/* test_embed_deal.c - the permutation that deals nodes into parts: that it is one, that its inverse is, that every node comes
 * into every part and every two nodes together as often as chance has it; and the arithmetic of the tournament. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "embed/backend.h"

static deal deal_of(uint64_t seed, uint32_t n, uint32_t parts) {
  geodisk_random random = geodisk_random_stream(seed, 7);
  uint32_t words[2 * DEAL_ROUNDS];
  for (int i = 0; i < 2 * DEAL_ROUNDS; i++)
    words[i] = (uint32_t)geodisk_random_below(&random, UINT32_MAX);
  return deal_make(n, parts, words);
}

static void is_a_permutation(void **state) {
  (void)state;
  static const uint32_t sizes[] = {2, 3, 5, 16, 17, 100, 1180, 1 << 14, (1 << 14) + 1, 82115};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const uint32_t n = sizes[i], parts = n < 16 ? n : 16;
    const deal d = deal_of(i, n, parts);
    char *seen = calloc(n, 1);
    assert_non_null(seen);
    for (uint32_t u = 0; u < n; u++) {
      const uint32_t card = deal_card(&d, u), p = deal_part(&d, card);
      assert_true(card < n && !seen[card]);
      seen[card] = 1;
      assert_int_equal(deal_holder(&d, card), u);
      assert_true(p < parts && deal_first(&d, p) <= card && card < deal_first(&d, p + 1));
    }
    free(seen);
  }
  const deal large = deal_of(1, UINT32_MAX, 256); /* the largest graph */
  for (uint32_t u = 0; u < 1000; u++) {
    const uint32_t node = UINT32_MAX - 1 - u * 4294u, card = deal_card(&large, node);
    assert_true(card < UINT32_MAX && deal_part(&large, card) < 256);
    assert_int_equal(deal_holder(&large, card), node);
  }
}

/* Many cards at once are those of one at a time. */
static void many_are_each(void **state) {
  (void)state;
  enum { MOST = 1000 };
  static const uint32_t sizes[] = {2, 17, 1180, 82115};
  uint32_t cards[MOST], walking[MOST];
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const deal d = deal_of(i, sizes[i], 2);
    const uint32_t count = sizes[i] < MOST ? sizes[i] : MOST, first = sizes[i] - count;
    for (uint32_t k = 0; k < count; k++)
      cards[k] = first + k;
    deal_cards(&d, count, cards, walking);
    for (uint32_t k = 0; k < count; k++)
      assert_int_equal(cards[k], deal_card(&d, first + k));
  }
}

/* Deviation of chi-square from its mean in standard deviations, for `cells` counts of equal expectation. */
static double excess(const double *counts, size_t cells, double expected) {
  double chi = 0.0;
  for (size_t i = 0; i < cells; i++)
    chi += (counts[i] - expected) * (counts[i] - expected) / expected;
  return (chi - (double)cells) / sqrt(2.0 * (double)cells);
}

/* Over many epochs: how often each node gets each card, and each two nodes come into the same part. */
static void deals_evenly(void **state) {
  (void)state;
  enum { EPOCHS = 4000, PARTS = 4 };
  static const uint32_t sizes[] = {20, 64, 100, 257};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    const uint32_t n = sizes[s];
    double *cards = calloc((size_t)n * n, sizeof *cards), *together = calloc((size_t)n * n, sizeof *together), meet = 0.0;
    assert_true(cards && together);
    for (uint32_t p = 0; p < PARTS; p++) {
      const double count = (double)(n * (p + 1) / PARTS - n * p / PARTS);
      meet += count * (count - 1.0) / ((double)n * (n - 1.0));
    }
    for (uint32_t epoch = 0; epoch < EPOCHS; epoch++) {
      const deal d = deal_of(1000 + epoch, n, PARTS);
      uint32_t part_of[257];
      for (uint32_t u = 0; u < n; u++) {
        const uint32_t card = deal_card(&d, u);
        part_of[u] = deal_part(&d, card);
        cards[u * n + card]++;
      }
      for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < u; v++)
          together[u * n + v] += part_of[u] == part_of[v];
    }
    const double each = excess(cards, (size_t)n * n, (double)EPOCHS / n);
    assert_true(fabs(each) < 6.0); /* rows and columns add up to EPOCHS, which takes 2n of n^2 degrees of freedom */
    double chi = 0.0, pairs = 0.0;
    const double expected = EPOCHS * meet, spread = expected * (1.0 - meet);
    for (uint32_t u = 0; u < n; u++)
      for (uint32_t v = 0; v < u; v++, pairs += 1.0) {
        const double off = together[u * n + v] - expected;
        assert_true(fabs(off) < 5.5 * sqrt(spread)); /* no pair is kept apart or together */
        chi += off * off / spread;
      }
    assert_true(fabs(chi - pairs) / sqrt(2.0 * pairs) < 6.0);
    free(cards);
    free(together);
  }
}

/* From one epoch to the next a node keeps its part, and two that were together stay together, as often as chance has it. */
static void epochs_deal_independently(void **state) {
  (void)state;
  enum { N = 100000, PARTS = 16 };
  deal before = deal_of(0, N, PARTS);
  for (uint64_t epoch = 1; epoch < 40; epoch++) {
    const deal now = deal_of(epoch, N, PARTS);
    double kept = 0.0, stayed = 0.0, were = 0.0;
    for (uint32_t u = 0; u < N; u++) {
      const uint32_t v = (u + 1) % N, p = deal_part(&now, deal_card(&now, u)), q = deal_part(&before, deal_card(&before, u));
      kept += p == q;
      if (deal_part(&before, deal_card(&before, v)) != q)
        continue;
      were++;
      stayed += deal_part(&now, deal_card(&now, v)) == p;
    }
    assert_true(fabs(kept - (double)N / PARTS) < 5.0 * sqrt((double)N / PARTS));
    assert_true(fabs(were - (double)N / PARTS) < 5.0 * sqrt((double)N / PARTS));
    assert_true(fabs(stayed - were / PARTS) < 5.0 * sqrt(were / PARTS));
    before = now;
  }
}

static void everybody_meets_everybody(void **state) {
  (void)state;
  for (uint32_t parts = 1; parts <= 33; parts++) {
    const uint32_t rounds = tournament_rounds(parts), games = tournament_games(parts);
    uint8_t met[33][33] = {{0}};
    for (uint32_t round = 0; round < rounds; round++) {
      uint8_t busy[34] = {0};
      assert_int_equal(games_before(parts, round + 1) - games_before(parts, round), round == 0 ? parts : games);
      for (uint32_t g = 0; g < (round == 0 ? parts : games); g++) {
        uint32_t a, b;
        opponents(parts, round, g, &a, &b);
        assert_true(a < parts && a <= b && !busy[a]);
        busy[a] = 1;
        if (round > 0)
          assert_int_equal(seat_of(parts, round, a), g);
        if (b >= parts)
          continue;
        assert_true(a == b || !busy[b]);
        busy[b] = 1;
        met[a][b]++;
        assert_int_equal(round_between(parts, a, b), round);
        assert_int_equal(round_between(parts, b, a), round);
        if (round > 0)
          assert_int_equal(seat_of(parts, round, b), g);
        if (round > 1) { /* to the next game or the one before at most */
          const int far = abs((int)seat_of(parts, round - 1, a) - (int)g), too = abs((int)seat_of(parts, round - 1, b) - (int)g);
          assert_true(far <= 1 && too <= 1);
        }
      }
    }
    for (uint32_t a = 0; a < parts; a++)
      for (uint32_t b = a; b < parts; b++)
        assert_int_equal(met[a][b], 1);
    for (uint32_t p = 0; p < parts && parts > 1; p++) /* one more round, and all sit where they began */
      assert_int_equal(seat_of(parts, rounds, p), seat_of(parts, 1, p));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_a_permutation),
      cmocka_unit_test(many_are_each),
      cmocka_unit_test(deals_evenly),
      cmocka_unit_test(epochs_deal_independently),
      cmocka_unit_test(everybody_meets_everybody),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
