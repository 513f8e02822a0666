/* candidates.c - what is worth a trial. Sharper likelihoods suit more dimensions, whose volume grows faster, and graphs without
 * hubs; blunt ones leave room for hubs. The sharpest are nearly flat: space of curvature -1/B^2 is flat in the limit. Where a
 * tree is placed first, points begin where they belong; with many cycles it is a bad start. */
#include "trials.h"

/* Larger graphs are tried little: three ways to begin at most; and the largest not at all. A part of a graph is another graph, so
 * trials are of the whole, judged by the ranks of a sample. */
enum { TRIED_NODES = 20000, TRIED_AT_ALL = 200000 };

enum { TREES = 1 << GEODISK_AUTO_TREE, NEARLY = 1 << GEODISK_AUTO_TREELIKE, HUBS = 1 << GEODISK_AUTO_HUBS };
enum { EVEN = 1 << GEODISK_AUTO_EVEN, ALL = TREES | NEARLY | HUBS | EVEN };

/* The dimensions that a row is for: the plane, few, many. */
typedef enum room { PLANE, FEW, MANY } room;
enum { FEW_DIMS = 7 };

#define NEARLY_FLAT 64.0

/* In the plane points pass each other while likelihoods are blunt, and find their neighbours when they are sharper: between these
 * two they begin with that share of their sharpness. */
#define BLUNTEST    1.0
#define BLUNT       2.0
#define BLUNT_FIRST 0.225

/* Links a node up to which a spanning tree alone is worth a trial: with more, it has good precision and dreadful ranks. */
#define SPARSE 1.25

/* One way to begin. */
static const struct way {
  room room;
  unsigned kinds;
  double sharpness; /* 0: it is not trained */
  geodisk_placement placement;
  auto_beginning begins;
} ways[] = {
    {PLANE, TREES, 0.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_PLACED},
    {PLANE, TREES, 4.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_PLACED},
    {PLANE, ALL, 0.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_SPANNING},
    {FEW, TREES, 0.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_SPANNING},
    {MANY, TREES, 0.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_SPANNING},
    {PLANE, TREES | NEARLY | EVEN, 9.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_WIDE},
    {PLANE, EVEN, 36.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_NARROW},
    {PLANE, NEARLY, 1.4, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_PLACED},
    {FEW, TREES, 0.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_PLACED},
    {MANY, TREES, 0.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_PLACED},
    {PLANE, TREES, 4.0, GEODISK_PLACEMENT_TREE, AUTO_BEGINS_PLACED},
    {PLANE, NEARLY, 1.0, GEODISK_PLACEMENT_TREE, AUTO_BEGINS_PLACED},
    {PLANE, ALL, 1.6, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {PLANE, HUBS | EVEN, 0.7, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {PLANE, EVEN, 24.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {PLANE, ALL, NEARLY_FLAT, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {FEW, NEARLY, 7.0, GEODISK_PLACEMENT_CONSTRUCTION, AUTO_BEGINS_PLACED},
    {FEW, EVEN, 24.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {FEW, TREES | NEARLY | HUBS, 12.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {FEW, HUBS | EVEN, 3.5, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {FEW, ALL, 7.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {FEW, ALL, NEARLY_FLAT, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {MANY, ALL, 16.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {MANY, ALL, 32.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {MANY, ALL, 8.0, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
    {MANY, ALL, NEARLY_FLAT, GEODISK_PLACEMENT_RANDOM, AUTO_BEGINS_PLACED},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Up to so many nodes trials may find more for a part of a closure than looking settles. */
enum { SMALL_PART = 2000 };

static bool is_closed(const auto_seen *seen, const geodisk_train_options *given) {
  return seen->kind == GEODISK_AUTO_CLOSED || (seen->part && given->dim > 2 && seen->nodes > SMALL_PART);
}

bool auto_is_small_part(const auto_seen *seen, const geodisk_train_options *given) {
  return seen->part && given->dim > 2 && seen->nodes <= SMALL_PART && !(given->sharpness > 0.0) && !(given->lr > 0.0) &&
         given->placement == GEODISK_PLACEMENT_AUTO && given->core_epochs == GEODISK_CORE_EPOCHS_AUTO;
}

bool auto_is_settled(const auto_seen *seen, const geodisk_train_options *given) {
  return is_closed(seen, given) || seen->nodes > TRIED_AT_ALL || given->space == GEODISK_SPACE_EUCLIDEAN ||
         given->units == GEODISK_UNITS_EDGE || given->start != NULL || given->epochs != GEODISK_EPOCHS_AUTO ||
         given->burn_in > 0 || (given->core_epochs > 0 && given->core_epochs != GEODISK_CORE_EPOCHS_AUTO);
}

static room room_of(const geodisk_train_options *o) { return o->dim <= 2 ? PLANE : o->dim <= FEW_DIMS ? FEW : MANY; }

/* What a large graph that is no closure is settled to: by its kind, in the plane, in few and in many dimensions. A tree is
 * constructed, which in the plane may not fit and is trained; what is like one begins as one where there is little room. */
static const struct settled {
  geodisk_placement placement;
  double sharpness, lr, work; /* epochs times nodes; 0: it is not trained */
} settled_trees[] = {{GEODISK_PLACEMENT_CONSTRUCTION, 4.0, 0.3, 8e6},
                     {GEODISK_PLACEMENT_CONSTRUCTION, 4.0, 0.3, 0.0},
                     {GEODISK_PLACEMENT_CONSTRUCTION, 4.0, 0.3, 0.0}},
  settled_nearly[] = {{GEODISK_PLACEMENT_TREE, 1.0, 0.3, 8e6},
                      {GEODISK_PLACEMENT_CONSTRUCTION, 4.0, 0.3, 8e6},
                      {GEODISK_PLACEMENT_RANDOM, 5.0, 1.0, 5.8e7}},
  settled_networks[] = {{GEODISK_PLACEMENT_RANDOM, 0.5, 0.3, 8e6},
                        {GEODISK_PLACEMENT_RANDOM, 2.5, 1.0, 8e6},
                        {GEODISK_PLACEMENT_RANDOM, 8.0, 1.0, 8e6}};

bool auto_is_large(const auto_seen *seen) { return seen->nodes > TRIED_NODES; }

/* In the plane points lie too deep for float. */
geodisk_precision auto_precision(const auto_seen *seen, const geodisk_train_options *given) {
  const bool deep = given->dim <= 2 && given->space == GEODISK_SPACE_HYPERBOLIC;
  return auto_is_large(seen) && !deep ? GEODISK_PRECISION_FLOAT : given->precision;
}

geodisk_train_options auto_settled(const auto_seen *seen, const geodisk_train_options *given) {
  geodisk_train_options o = *given;
  if (is_closed(seen, given) || !auto_is_large(seen) || o.space != GEODISK_SPACE_HYPERBOLIC || o.units != GEODISK_UNITS_SOURCE ||
      o.start || o.placement != GEODISK_PLACEMENT_AUTO || o.dim < 2)
    return o;
  const struct settled *s = (seen->kind == GEODISK_AUTO_TREE       ? settled_trees
                             : seen->kind == GEODISK_AUTO_TREELIKE ? settled_nearly
                                                                   : settled_networks) +
                            room_of(&o);
  o.placement = s->placement;
  o.sharpness = o.sharpness > 0.0 ? o.sharpness : s->sharpness;
  o.lr = o.lr > 0.0 ? o.lr : s->lr;
  if (o.placement == GEODISK_PLACEMENT_TREE && !(o.depth > 0.0))
    o.depth = 0.5;
  const double epochs = s->work / (double)seen->nodes;
  if (o.epochs == GEODISK_EPOCHS_AUTO)
    o.epochs = s->work > 0.0 ? (uint64_t)(epochs < 40.0 ? 40.0 : epochs > 800.0 ? 800.0 : epochs) : GEODISK_EPOCHS_NONE;
  return o;
}

uint64_t auto_epochs(const auto_seen *seen) {
  const double epochs = 2e6 / (double)seen->nodes;
  return (uint64_t)(epochs < 200.0 ? 200.0 : epochs > 2000.0 ? 2000.0 : epochs);
}

/* A step of the same size in units of 1/sharpness is the same step in nearly flat space, where 16 is good; where likelihoods are
 * blunt, 1 is as far as a point may go. In the plane points have to pass each other: sharp likelihoods want smaller steps. */
static double rate_for(room r, double sharpness, bool blunt) {
  if (r == PLANE)
    return blunt ? 1.0 : 0.3;
  return sharpness >= NEARLY_FLAT ? 16.0 / sharpness : sharpness > 12.0 ? 12.0 / sharpness : 1.0;
}

/* Sets the rates of a candidate whose sharpness is set: in the plane blunt likelihoods settle best at small rates, for which a
 * trial is too short. */
static void set_rates(auto_candidate *c, double given_lr) {
  const room r = room_of(&c->options);
  const geodisk_train_options *o = &c->options;
  const double first = o->sharpness_first > 0.0 ? o->sharpness_first : o->sharpness;
  const bool blunt = r == PLANE && first <= BLUNT,
             placed = c->options.placement != GEODISK_PLACEMENT_RANDOM || c->begins != AUTO_BEGINS_PLACED;
  c->options.lr = given_lr > 0.0 ? given_lr : placed ? 0.3 : rate_for(r, c->options.sharpness, blunt);
  c->lr = given_lr > 0.0 ? given_lr : blunt && !placed ? 0.1 : 0.0;
}

auto_candidate auto_other_sharpness(const auto_candidate *of, double sharpness) {
  auto_candidate c = *of;
  c.options.sharpness = sharpness;
  if (c.options.sharpness_first > 0.0)
    c.options.sharpness_first *= sharpness / of->options.sharpness;
  set_rates(&c, of->lr == of->options.lr ? of->lr : 0.0);
  return c;
}

bool auto_blunter(const geodisk_train_options *given, const auto_candidate *of, auto_candidate *out) {
  const double sharpness = 0.5 * of->options.sharpness;
  if (given->sharpness > 0.0 || of->untrained || sharpness < BLUNTEST)
    return false;
  *out = auto_other_sharpness(of, sharpness);
  return true;
}

static bool is_same(const auto_candidate *a, const auto_candidate *b) {
  const geodisk_train_options *x = &a->options, *y = &b->options;
  return x->sharpness == y->sharpness && x->lr == y->lr && x->placement == y->placement && a->untrained == b->untrained &&
         a->begins == b->begins;
}

/* What a large graph is settled to; of a network also with likelihoods half and twice as sharp. */
static size_t large_candidates(const auto_seen *seen, const geodisk_train_options *given, auto_candidate *out) {
  static const double factors[] = {2.0, 0.5};
  const geodisk_train_options o = auto_settled(seen, given);
  const bool network = seen->kind == GEODISK_AUTO_HUBS || seen->kind == GEODISK_AUTO_EVEN;
  size_t count = 0;
  out[count++] = (auto_candidate){.options = o, .untrained = o.epochs == GEODISK_EPOCHS_NONE};
  for (int i = 0; i < 2 && network && !(given->sharpness > 0.0) && o.sharpness > 0.0; i++) {
    out[count] = out[0];
    out[count++].options.sharpness *= factors[i];
  }
  return count;
}

/* Of a tree only if its edges have lengths, which take neighbours apart; other graphs must have few cycles. */
static bool is_worth_spanning(const auto_seen *seen) {
  return seen->kind == GEODISK_AUTO_TREE ? seen->weighted : (double)seen->links < SPARSE * (double)seen->nodes;
}

size_t auto_candidates(const auto_seen *seen, const geodisk_train_options *given, auto_candidate *out) {
  size_t count = 0;
  if (auto_is_large(seen))
    return large_candidates(seen, given, out);
  for (size_t i = 0; i < WAYS && count < AUTO_MOST_CANDIDATES; i++) {
    const struct way *w = &ways[i];
    if (w->room != room_of(given) || !(w->kinds >> seen->kind & 1u))
      continue;
    auto_candidate c = {.options = *given,
                        .untrained = !(w->sharpness > 0.0),
                        .begins = w->begins,
                        .refined = !(given->sharpness > 0.0) && w->sharpness > 0.0 && w->sharpness < NEARLY_FLAT};
    const bool other = given->placement != GEODISK_PLACEMENT_AUTO && given->placement != w->placement;
    if (c.begins == AUTO_BEGINS_SPANNING && !is_worth_spanning(seen))
      continue;
    if ((c.untrained && other) || (c.begins != AUTO_BEGINS_PLACED && given->placement != GEODISK_PLACEMENT_AUTO))
      continue;
    geodisk_train_options *o = &c.options;
    o->core_epochs = 0; /* which a part of a closure would have */
    o->sharpness = o->sharpness > 0.0 ? o->sharpness : w->sharpness;
    o->placement = o->placement != GEODISK_PLACEMENT_AUTO ? o->placement : w->placement;
    if (o->placement == GEODISK_PLACEMENT_TREE && !(o->depth > 0.0))
      o->depth = 0.5;
    if (w->room == PLANE && o->sharpness >= BLUNTEST && o->sharpness <= BLUNT && o->placement == GEODISK_PLACEMENT_RANDOM &&
        !(o->sharpness_first > 0.0))
      o->sharpness_first = BLUNT_FIRST * o->sharpness;
    set_rates(&c, given->lr);
    bool known = false;
    for (size_t k = 0; k < count && !known; k++)
      known = is_same(&out[k], &c);
    if (!known)
      out[count++] = c;
  }
  return count;
}
