/* placement.h - what placing points needs, apart from where they lie: so that a plain process and back-ends, whose ranks hold
 * shares of the nodes, put every point at the same place. Seen by src/embed and the back-ends. */
#pragma once

#include "geodisk/embed.h"

/* A node's cap: the points of the sphere within `angle` of its direction; in the plane an arc. */
typedef struct cap {
  double angle; /* half of its width */
  double turn;  /* plane: where its middle lies, as an angle; else 0 */
  float radius; /* of the node from the origin, hyperbolic */
} cap;

/* What the random numbers of a node are used for. */
enum { PLACE_CAP, PLACE_RANDOM, PLACE_BESIDE, PLACE_SCALING, PLACE_PAIRS };

enum { CAP_SIBLINGS = 128 }; /* a new cap keeps clear of this many siblings placed before it */

/* One node to place. Directions are unit vectors in the precision of the rows: rounded to float where rows are. */
typedef struct cap_node {
  uint32_t node;
  uint32_t leaves;        /* below it, itself if it is one */
  uint32_t leaves_before; /* of its siblings before it; of a root, of the roots before it */
} cap_node;

/* What a root's cap is cut from: the whole sphere. */
typedef struct cap_forest {
  uint64_t leaves; /* of the whole forest */
  bool one_root;   /* then it stands at the origin */
} cap_forest;

/* What a child's cap is cut from, and the siblings it keeps clear of: the last CAP_SIBLINGS placed, in any order; in the plane
 * none are looked at. */
typedef struct cap_family {
  uint32_t leaves; /* of the parent */
  cap parent;
  const double *axis; /* dim: the parent's direction */
  size_t siblings;
  const double *directions; /* siblings x dim */
  const double *angles;     /* siblings */
} cap_family;

/* The cap and direction of a root and of a child. Random numbers come from a stream of the node's own. dim > 1. */
void embed_cap_of_root(const geodisk_train_options *options, const cap_forest *forest, const cap_node *node, cap *out,
                       double *direction);
void embed_cap_of_child(const geodisk_train_options *options, const cap_family *family, const cap_node *node, cap *out,
                        double *direction);

/* The angle of a child's cap, in more dimensions than two. */
double embed_cap_angle(const cap_family *family, uint32_t leaves);

/* The point in that direction and at that radius, with its gap; and a random one near the origin. */
void embed_point_at(const geodisk_train_options *options, const double *direction, float radius, double *x, double *gap);
void embed_point_at_random(const geodisk_train_options *options, uint32_t node, double *x, double *gap);

/* A random unit vector. */
void embed_random_unit(geodisk_random *random, int dim, double *out);

/* Whether points begin by the hierarchy, and whether nodes stand in its depth-first order in their parts (else by number). The
 * order depends on the options alone, so that a resumed training has the same. */
bool embed_placed_by_tree(const geodisk_train_options *options);
bool embed_ordered_by_tree(const geodisk_train_options *options);

/* Elements of a row: coordinates, gap, and what fills the last cache line. */
size_t embed_stride(const geodisk_train_options *options);

/* A point into a row and back; the gap is kept above the least the kernels take, and 1 in flat space.
 */
void embed_write_row(const geodisk_train_options *options, void *row, const double *x, double gap);
void embed_read_row(const geodisk_train_options *options, const void *row, double *x, double *gap);

/* A walk of that length from x along the unit vector n (docs/math.md has the form): x and gap become its end. */
void embed_walk(int dim, double *x, double *gap, const double *n, double length);

/* The row of a node half a unit of length beside another one, so that no two coincide; near the origin if that is NULL. */
void embed_row_beside(const geodisk_train_options *options, uint32_t node, const void *near, void *row);

/* The sum of the weights of so many rows: by blocks of 1024 nodes, the sums of blocks added in order. */
enum { WEIGHTS_BLOCK = 1024 };
double embed_weights_of(const uint64_t *offsets, const double *weights, size_t nodes);
