/* train_draws.h - the negatives that a block draws, as places of the order: a word of random bits for each, then where it leads.
 * Loops without branches, compiled with the flags of the including file, so that each instruction set makes vectors of them; all
 * is done in whole numbers but a distance, whose every operation rounds once: the same places everywhere. */
#pragma once

#include "train.h"

/* Hashes of first .. first + count - 1 under the key. */
static void draw_words(uint32_t key, uint32_t first, size_t count, uint32_t *words) {
  for (size_t i = 0; i < count; i++)
    words[i] = train_hash(key, first + (uint32_t)i);
}

/* A place of each slice of the comb, which begin at comb[i]. */
static void draw_comb(uint32_t key, const uint32_t *comb, size_t count, uint32_t *restrict places) {
  for (size_t i = 0; i < count; i++) {
    const uint32_t word = train_hash(key, (1u << 16) + (uint32_t)i);
    places[i] = comb[i] + (uint32_t)((uint64_t)word * (comb[i + 1] - comb[i]) >> 32);
  }
}

/* 2^(x / 2^32), to 3 parts in 10^4: enough for a distance. */
static inline double power2_of(uint32_t x) {
  const double f = (double)x * 0x1p-32;
  return 1.0 + f * (0.69583 + f * (0.22607 + f * 0.0781));
}

/* Places at log-uniform distance from the sources, which take turns, to either side; where the order ends, to the other.
 * UINT32_MAX where there is none. */
static void draw_near(uint32_t key, const uint32_t *sources, size_t units, uint64_t nodes, size_t count,
                      uint32_t *restrict places) {
  uint32_t octaves = 1;
  while (octaves < 31 && (nodes - 1) >> octaves)
    octaves++;
  for (size_t first = 0; first < count; first += units) {
    const size_t end = units < count - first ? units : count - first;
    for (size_t i = 0; i < end; i++) {
      const uint32_t word = train_hash(key, (1u << 28) + (uint32_t)(first + i)), other = train_hash(word, 2);
      const uint32_t octave = (uint32_t)((uint64_t)(word << 1) * octaves >> 32);
      const uint64_t from = sources[i], distance = (uint32_t)(power2_of(other) * (double)(1u << octave));
      const uint64_t up = from + distance, down = from - distance;
      const uint64_t to = word >> 31 ? up : down, else_to = word >> 31 ? down : up, at = to < nodes ? to : else_to;
      places[first + i] = at < nodes ? (uint32_t)at : UINT32_MAX;
    }
  }
}
