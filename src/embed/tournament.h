/* tournament.h - who meets whom: in round 0 every part meets itself, then the rounds of a round-robin tournament by the circle
 * method. One part (the last; with an odd number of parts nobody) stays in game 0, the others move round by one seat each round:
 * from one game to the next or back, so that neighbouring games exchange two parts between rounds. */
#ifndef GEODISK_EMBED_TOURNAMENT_H
#define GEODISK_EMBED_TOURNAMENT_H

#include <stdint.h>

enum { MOST_PARTS = 1024 }; /* so many halves can be trained at once, by threads and machines; buckets are their square */

static inline uint32_t tournament_rounds(uint32_t parts) { return parts == 1 ? 1 : parts + parts % 2; }

/* In each round but the first, in which every part has one. */
static inline uint32_t tournament_games(uint32_t parts) { return (parts + 1) / 2; }

/* Games of all rounds before this one: they are numbered through. */
static inline uint32_t games_before(uint32_t parts, uint32_t round) {
  return round == 0 ? 0 : parts + (round - 1) * tournament_games(parts);
}

/* The parts that meet in a game of a round, the smaller number first; b >= parts: a has nobody to meet. */
static inline void opponents(uint32_t parts, uint32_t round, uint32_t game, uint32_t *a, uint32_t *b) {
  const uint32_t even = parts + parts % 2, turn = round - 1;
  if (round == 0) {
    *a = *b = game;
    return;
  }
  uint32_t x = game == 0 ? even - 1 : (turn + game) % (even - 1), y = (turn + (even - 1) - game) % (even - 1);
  *a = x < y ? x : y;
  *b = x < y ? y : x;
}

/* The round in which two parts meet. */
static inline uint32_t round_between(uint32_t parts, uint32_t a, uint32_t b) {
  const uint32_t last = parts + parts % 2 - 1;
  if (a == b || last == 0)
    return 0;
  if (a == last || b == last)
    return 1 + (a < b ? a : b);
  return 1 + (uint32_t)((uint64_t)(a + b) * ((last + 1) / 2) % last);
}

/* The game in which a part sits in a round from 1 on. */
static inline uint32_t seat_of(uint32_t parts, uint32_t round, uint32_t part) {
  const uint32_t ring = parts + parts % 2 - 1, turn = (round - 1) % ring;
  if (part == ring)
    return 0;
  const uint32_t ahead = (part + ring - turn) % ring; /* on the way down, or past the last game on the way up */
  return ahead < (ring + 1) / 2 ? ahead : ring - ahead;
}

/* A step that visits all of `count` places in a scattered order: near the golden section, without a common divisor. */
static inline uint32_t scattering_jump(uint32_t count) {
  if (count <= 1)
    return 0;
  for (uint32_t jump = (uint32_t)((double)count * 0.6180339887) | 1u;; jump += 2) {
    uint32_t a = jump, b = count;
    while (b != 0) {
      uint32_t rest = a % b;
      a = b;
      b = rest;
    }
    if (a == 1)
      return jump % count;
  }
}

#endif
