/* candidates.c - what is worth a trial. Sharper likelihoods suit more dimensions, whose volume grows faster, and graphs without
 * hubs; blunt ones leave room for hubs. Of each kind the most promising come first: a large graph tries only those. */
#include "auto.h"

enum { TRIED_NODES = 20000 }; /* of larger graphs a trial would take too long, and a part of them is another graph */

enum { TREES = 1 << GEODISK_AUTO_TREE, NEARLY = 1 << GEODISK_AUTO_TREELIKE, HUBS = 1 << GEODISK_AUTO_HUBS };
enum { EVEN = 1 << GEODISK_AUTO_EVEN, ALL = TREES | NEARLY | HUBS | EVEN };

/* One way to begin: for dimensions up to `dim`, the kinds of graphs, and what is set. */
static const struct way {
  int dim;
  unsigned kinds;
  double sharpness, lr;
  geodisk_placement placement;
} ways[] = {
    {2, ALL, 1.0, 0.1, GEODISK_PLACEMENT_RANDOM},   {2, ALL, 0.7, 0.1, GEODISK_PLACEMENT_RANDOM},
    {2, ALL, 1.5, 0.3, GEODISK_PLACEMENT_RANDOM},   {2, EVEN, 16.0, 0.3, GEODISK_PLACEMENT_RANDOM},
    {2, EVEN, 8.0, 0.3, GEODISK_PLACEMENT_RANDOM},  {7, ALL, 8.0, 0.3, GEODISK_PLACEMENT_RANDOM},
    {7, ALL, 5.0, 0.3, GEODISK_PLACEMENT_RANDOM},   {7, ALL, 12.0, 0.3, GEODISK_PLACEMENT_RANDOM},
    {7, ALL, 3.0, 0.3, GEODISK_PLACEMENT_RANDOM},   {512, ALL, 16.0, 0.3, GEODISK_PLACEMENT_RANDOM},
    {512, ALL, 8.0, 0.3, GEODISK_PLACEMENT_RANDOM}, {512, ALL, 4.0, 0.3, GEODISK_PLACEMENT_RANDOM},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

bool auto_is_settled(const auto_seen *seen, const geodisk_train_options *given) {
  return seen->kind == GEODISK_AUTO_CLOSED || seen->nodes > TRIED_NODES || given->space == GEODISK_SPACE_EUCLIDEAN ||
         given->units == GEODISK_UNITS_EDGE || given->start != NULL || given->epochs != GEODISK_AUTO_EPOCHS;
}

uint64_t auto_epochs(const auto_seen *seen) {
  const double epochs = 6e6 / (double)seen->nodes;
  return (uint64_t)(epochs < 300.0 ? 300.0 : epochs > 3000.0 ? 3000.0 : epochs);
}

static bool is_same(const geodisk_train_options *a, const geodisk_train_options *b) {
  return a->sharpness == b->sharpness && a->lr == b->lr && a->placement == b->placement;
}

size_t auto_candidates(const auto_seen *seen, const geodisk_train_options *given, geodisk_train_options *out) {
  const int dims[] = {2, 7, 512};
  int dim = 0;
  while (given->dim > dims[dim])
    dim++;
  size_t count = 0;
  for (size_t i = 0; i < WAYS && count < AUTO_MOST_CANDIDATES; i++) {
    const struct way *w = &ways[i];
    if (w->dim != dims[dim] || !(w->kinds >> seen->kind & 1u))
      continue;
    geodisk_train_options o = *given;
    o.sharpness = o.sharpness > 0.0 ? o.sharpness : w->sharpness;
    o.lr = o.lr > 0.0 ? o.lr : w->lr;
    o.placement = o.placement != GEODISK_PLACEMENT_AUTO ? o.placement : w->placement;
    bool known = false;
    for (size_t k = 0; k < count && !known; k++)
      known = is_same(&out[k], &o);
    if (!known)
      out[count++] = o;
  }
  return count;
}
