/* edge_lengths.h - the tree that construction.c places, and how long its edges have to be. */
#pragma once

#include "embed/trainer.h"
#include "rings.h"

typedef struct tree {
  int dim;
  double margin;
  size_t nodes; /* one more than there are, if several trees hang on the origin */
  uint32_t root;
  uint32_t *parent, *degree;
  uint32_t *leaves;       /* neighbours that have no other neighbour */
  uint32_t *first, *next; /* children */
  uint32_t *order;        /* parents before children */
  uint32_t *deepest;      /* the child with the longest way down, or NO_NODE */
  double *length;         /* of the edge to the parent */
  double *longest;        /* edge at a node */
  double *height;         /* the longest way down */
  double *half;           /* dim > 2: half of the least angle between neighbours */
  rings *rings;           /* or NULL */
  size_t middles;         /* the first of the rings' middles, of which all edges lead to members */
  uint32_t *around;       /* rings that a node is a member of */
  double *spread;         /* of a member: by what angle sides lie nearer to its other edges than the ways to the middles do */
  double sum;             /* of the lengths of `count` edges and sides */
  size_t count;
} tree;

static inline bool is_middle(const tree *t, uint32_t u) {
  return t->rings && u >= t->middles && u - t->middles < t->rings->count;
}

static inline bool is_leaf(const tree *t, uint32_t u) { return t->degree[u] == 1 && !(t->rings && t->around[u] > 0); }

/* The place after that of a member, around its ring. */
static inline size_t ring_next(const rings *r, size_t ring, size_t i) {
  return i + 1 < r->starts[ring + 1] ? i + 1 : r->starts[ring];
}

/* Half of the angle that a node has for a neighbour: for a leaf, or for one that goes on. */
double embed_half_angle(const tree *t, uint32_t u, bool leaf);

/* Chooses t->length and the sides of rings, once neighbours are counted. With weights, these become the lengths, and how many
 * times too short they are to keep branches apart is returned, else 1. `spare`: a number for each member of a ring; *mean: of
 * edges and sides. */
double embed_choose_lengths(tree *t, const double *weights, double *spare, double *mean);
