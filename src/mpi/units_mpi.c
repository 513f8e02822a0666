/* units_mpi.c - units and who has them: the node at a place with its targets is with the owner of the place; further units of
 * nodes with very many targets are numbered behind all others, by rank; edges are with the owner of their source's number. */
#include <string.h>

#include "ranks.h"

static int range_of(const ranks *r, uint64_t at) { return (int)csr_row(r->unit_firsts, 0, (size_t)r->count, at); }

int ranks_unit_owner(const geodisk_trainer *t, uint64_t unit) {
  const ranks *r = ranks_of(t);
  if (t->options.units == GEODISK_UNITS_EDGE)
    return range_of(r, unit);
  return unit < t->nodes ? mpi_share_owner(r->share, (uint32_t)unit) : range_of(r, unit - t->nodes);
}

size_t ranks_unit(const geodisk_trainer *t, uint64_t unit, uint32_t *out, double *weights) {
  const ranks *r = ranks_of(t);
  uint32_t row, count;
  uint64_t first;
  if (t->options.units == GEODISK_UNITS_EDGE) {
    first = unit - r->unit_firsts[r->rank];
    row = (uint32_t)csr_row(r->offsets, 0, r->owned, first);
    count = 1;
  } else {
    const extra_unit of =
        unit < t->nodes ? (extra_unit){(uint32_t)unit - r->first, 0} : r->extra[unit - t->nodes - r->unit_firsts[r->rank]];
    row = of.place;
    first = r->offsets[row] + (uint64_t)of.part * TRAIN_MOST_TARGETS;
    const uint64_t left = r->offsets[row + 1] - first;
    count = left < TRAIN_MOST_TARGETS ? (uint32_t)left : TRAIN_MOST_TARGETS;
  }
  const uint64_t begin = r->offsets[row], all = r->offsets[row + 1] - begin;
  if (out) {
    out[0] = r->unit_place ? r->unit_place[row] : r->first + row;
    out[1] = count;
    out[2] = (uint32_t)all;
    memcpy(out + UNIT_HEAD, r->targets + first, count * sizeof *out);
    if (all > count)
      memcpy(out + UNIT_HEAD + count, r->targets + begin, (size_t)all * sizeof *out);
    if (weights)
      memcpy(weights + UNIT_HEAD, r->weights + first, count * sizeof *weights);
  }
  return ranks_unit_words(count, (uint32_t)all);
}
