/* deal.h - the permutation that deals the nodes of an epoch into parts, computable for one node at a time.
 *
 * A Feistel network on the bits of a number below 2^bits >= n, walked along until it ends below n: a permutation of 0 .. n-1 that
 * needs no memory, so that whoever knows a node's place in the order knows its part. Card c belongs to the part p with first(p)
 * <= c < first(p + 1), first(p) = floor(n p / parts). */
#ifndef GEODISK_EMBED_DEAL_H
#define GEODISK_EMBED_DEAL_H

#include <stddef.h>
#include <stdint.h>

enum { DEAL_ROUNDS = 6 };

typedef struct deal {
  uint32_t n, parts;
  uint32_t low_bits, low_mask, high_mask; /* the two halves of a number */
  uint64_t keys[DEAL_ROUNDS];
} deal;

/* words: 2 * DEAL_ROUNDS random ones. */
static inline deal deal_make(uint32_t n, uint32_t parts, const uint32_t *words) {
  uint32_t bits = 2;
  while (bits < 32 && (n - 1) >> bits)
    bits++;
  deal d = {.n = n, .parts = parts, .low_bits = bits / 2};
  d.low_mask = (1u << d.low_bits) - 1;
  d.high_mask = (1u << (bits - d.low_bits)) - 1;
  for (size_t i = 0; i < DEAL_ROUNDS; i++)
    d.keys[i] = (uint64_t)words[2 * i] << 32 | words[2 * i + 1];
  return d;
}

/* Two multiplications by odd constants: every bit of the key and of the half reaches the upper bits. */
static inline uint32_t deal_mix(uint64_t key, uint32_t half) {
  uint64_t x = (key ^ half) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  return (uint32_t)(x >> 32);
}

/* A permutation of the numbers below 2^bits. */
static inline uint32_t deal_scatter(const deal *d, uint32_t i) {
  uint32_t high = i >> d->low_bits, low = i & d->low_mask;
  for (int r = 0; r < DEAL_ROUNDS; r += 2) {
    high ^= deal_mix(d->keys[r], low) & d->high_mask;
    low ^= deal_mix(d->keys[r + 1], high) & d->low_mask;
  }
  return high << d->low_bits | low;
}

/* The card of the i-th in the order. */
static inline uint32_t deal_card(const deal *d, uint32_t i) {
  do
    i = deal_scatter(d, i);
  while (i >= d->n);
  return i;
}

/* Places in the order become their cards. All walk a step at a time, so that none waits for the end of another. walking: room
 * for `count`. */
static inline void deal_cards(const deal *d, uint32_t count, uint32_t *cards, uint32_t *walking) {
  uint32_t left = count;
  for (uint32_t k = 0; k < count; k++)
    walking[k] = k;
  while (left > 0) {
    uint32_t still = 0;
    for (uint32_t k = 0; k < left; k++) {
      const uint32_t who = walking[k], card = cards[who] = deal_scatter(d, cards[who]);
      walking[still] = who;
      still += card >= d->n;
    }
    left = still;
  }
}

/* Who in the order has the card: the inverse. */
static inline uint32_t deal_holder(const deal *d, uint32_t card) {
  do {
    uint32_t high = card >> d->low_bits, low = card & d->low_mask;
    for (int r = DEAL_ROUNDS; r > 0; r -= 2) {
      low ^= deal_mix(d->keys[r - 1], high) & d->low_mask;
      high ^= deal_mix(d->keys[r - 2], low) & d->high_mask;
    }
    card = high << d->low_bits | low;
  } while (card >= d->n);
  return card;
}

static inline uint32_t deal_first(const deal *d, uint32_t part) { return (uint32_t)((uint64_t)d->n * part / d->parts); }

/* The part of a card: first(p) <= c means n p < parts (c + 1). */
static inline uint32_t deal_part(const deal *d, uint32_t card) {
  return (uint32_t)(((uint64_t)d->parts * ((uint64_t)card + 1) - 1) / d->n);
}

#endif
