/* rings.h - nodes of a tree in the plane that lie around a point of their own, the ring's middle: cycles, and paths that are
 * bent, which then reach as far as the logarithm of their nodes instead of their number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rings {
  size_t count;
  size_t *starts;    /* count + 1: the members of each */
  uint32_t *members; /* as they lie around the middle */
  bool *closed;      /* the last is the first one's neighbour; else there is a gap between them */
  double *sides;     /* from each member to the next; after the last one perhaps the gap */
  double *turns;     /* and its angle at the middle */
  double *radii;     /* of each ring: sinh */
} rings;

/* With room for so many. False: no memory; what there is has to be freed. */
bool embed_rings_create(rings *r, size_t count, size_t members);
bool embed_rings_copy(rings *r, const rings *of); /* the members; sides, turns and radii are not copied */
void embed_rings_free(rings *r);

/* The radius with which every side is at least as long as it is, its turns, and the sides as they then are. */
void embed_ring_fit(rings *r, size_t ring);

/* Half of a side of length x, as sinh; and back. */
double embed_half_sinh(double x);
double embed_half_asinh(double s);

/* The heavy paths of a forest (parent: nodes, the last ones the middles of `cycles`, which may be NULL), from `least` nodes on,
 * as rings after those of the cycles. *bent: the parents with the new middles after all nodes, and room for one more. False: no
 * memory. */
bool embed_bend_paths(size_t nodes, const uint32_t *parent, const rings *cycles, size_t least, uint32_t **bent, rings *out);
