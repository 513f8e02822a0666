/* box_tree.h - a tree of boxes over a model's points, for finding near ones. Internal to the vectors module.
 *
 * A box knows the range of every coordinate and of the gaps of its points. For a point x outside,
 *     sinh^2(sqrt(k) d / 2) = R^2 |x-y|^2 / (S(x) S(y)) >= R^2 (distance from x to the box)^2 / (S(x) * largest S in the box),
 * a bound that needs neither the triangle inequality nor a logarithm. Boxes are halved where their points are farthest apart in
 * the hyperbolic metric, which near the rim may be radially: then by the gap. On embeddings of hierarchies it leaves far fewer
 * points to look at than trees of hyperbolic balls do, whose radii are nearly the whole distance between any two points. */
#pragma once

#include "collect.h"

typedef struct tree_box {
  uint32_t begin, end;   /* its points: order[begin..end) */
  uint32_t right;        /* its second half; the first one follows it; 0: a leaf */
  double least, largest; /* weight R^2/S */
} tree_box;

typedef struct box_tree {
  uint32_t *order; /* nodes */
  tree_box *boxes; /* count; the first is the whole */
  double *ranges;  /* count x 2 dim: lowest and highest of each coordinate in turn */
  size_t count;
} box_tree;

/* MEMORY. About 30 ns dim log2(nodes / 64) per node. Memory: 4 bytes per node, and at most 16 MB (then leaves are larger). */
geodisk_status box_tree_build(const space_view *view, box_tree *out);
void box_tree_free(box_tree *tree);

/* Offers the collector all points that may be among its nearest; returns how many numbers were looked at (coordinates of points
 * and ranges of boxes), to tell whether the tree is worth its while. */
uint64_t box_tree_search(const box_tree *tree, const space_view *view, collector *c);
