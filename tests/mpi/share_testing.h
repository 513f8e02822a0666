/* share_testing.h - two shares of the same graph, compared in everything they hold. */
#ifndef GEODISK_SHARE_TESTING_H
#define GEODISK_SHARE_TESTING_H

#include <string.h>

#include "mpi/share.h"
#include "mpi_testing.h"

static inline void check_same_share(const mpi_share *a, const mpi_share *b) {
  check(a->nodes == b->nodes);
  check(a->edges == b->edges);
  check(memcmp(a->firsts, b->firsts, (size_t)(a->ranks + 1) * sizeof *a->firsts) == 0);
  check(a->first == b->first && a->owned == b->owned && a->edges_before == b->edges_before);
  check(a->name_starts[a->owned] == b->name_starts[b->owned]);
  check(memcmp(a->name_starts, b->name_starts, (a->owned + 1) * sizeof *a->name_starts) == 0);
  check(memcmp(a->names, b->names, a->name_starts[a->owned]) == 0);
  check(memcmp(a->offsets, b->offsets, (a->owned + 1) * sizeof *a->offsets) == 0);
  const size_t edges = a->offsets[a->owned];
  check(memcmp(a->targets, b->targets, edges * sizeof *a->targets) == 0);
  check((a->weights == NULL) == (b->weights == NULL));
  check(a->weights == NULL || memcmp(a->weights, b->weights, edges * sizeof *a->weights) == 0);
  check(memcmp(a->in_degree, b->in_degree, a->owned * sizeof *a->in_degree) == 0);
  check(memcmp(&a->mean_weight, &b->mean_weight, sizeof a->mean_weight) == 0);
  check(a->fingerprint == b->fingerprint);
}

#endif
