/* embed_cases.h - sets of options that together reach every branch of the training loop; each names the graph it is for. For
 * tests that hold one way of computing to another. */
#ifndef GEODISK_EMBED_CASES_H
#define GEODISK_EMBED_CASES_H

#include "embed_testing.h"

typedef enum case_graph { HIERARCHY, WEIGHTED, UNDIRECTED, CASE_GRAPHS } case_graph;

typedef struct embed_case {
  const char *name;
  case_graph graph;
  int dim;
  void (*set)(geodisk_train_options *o);
} embed_case;

static inline void set_nothing(geodisk_train_options *o) { (void)o; }
static inline void set_edges(geodisk_train_options *o) {
  o->units = GEODISK_UNITS_EDGE;
  o->batch = 100;
  o->negatives = 12;
}
static inline void set_sequential(geodisk_train_options *o) {
  o->units = GEODISK_UNITS_EDGE;
  o->batch = 1;
  o->cap = 0.0;
  o->sampling = GEODISK_SAMPLING_UNIFORM;
  o->epochs = 2;
  o->negatives = 7;
}
static inline void set_degree(geodisk_train_options *o) {
  o->sampling = GEODISK_SAMPLING_DEGREE;
  o->power = 0.75;
  o->burn_in = 1;
  o->sharpness = 3.7;
}
static inline void set_complement(geodisk_train_options *o) {
  o->loss = GEODISK_LOSS_COMPLEMENT;
  o->sharpness = 0.5;
  o->rates = GEODISK_RATES_COSINE;
}
static inline void set_natural(geodisk_train_options *o) {
  o->update = GEODISK_UPDATE_NATURAL;
  o->sampling = GEODISK_SAMPLING_UNIFORM;
  o->regularization = 0.3;
  o->rates = GEODISK_RATES_LINEAR;
}
static inline void set_euclidean(geodisk_train_options *o) {
  o->update = GEODISK_UPDATE_EUCLIDEAN;
  o->units = GEODISK_UNITS_EDGE;
  o->batch = 64;
  o->regularization = 1.0;
  o->lr = 5.0;
  o->rates = GEODISK_RATES_CONSTANT;
}
static inline void set_flat(geodisk_train_options *o) {
  o->space = GEODISK_SPACE_EUCLIDEAN;
  o->sharpness = 1.3;
  o->regularization = 0.01;
}
static inline void set_flat_squares(geodisk_train_options *o) {
  o->space = GEODISK_SPACE_EUCLIDEAN;
  o->sharpness = 4.0;
  o->loss = GEODISK_LOSS_COMPLEMENT;
  o->cap = 0.0;
}
static inline void set_core(geodisk_train_options *o) {
  o->core_epochs = 3;
  o->sharpness = 8.0;
  o->epochs = 2;
}
static inline void set_inner(geodisk_train_options *o) {
  o->core_epochs = 2;
  o->inner = 0.6;
  o->nearby = 0.3;
  o->burn_in = 1;
}
static inline void set_all(geodisk_train_options *o) {
  o->negatives = GEODISK_NEGATIVES_ALL;
  o->block = 5;
  o->sparse = 0.0;
  o->bound = 0.0;
}
static inline void set_tree(geodisk_train_options *o) {
  o->placement = GEODISK_PLACEMENT_TREE;
  o->block = 8;
  o->batch = 64;
  o->nearby = 0.5;
}
/* Where numbers are extreme: points at the deepest gap, likelihoods at their bounds. */
static inline void set_extreme(geodisk_train_options *o) {
  o->sharpness = 64.0;
  o->lr = o->lr_first = 100.0;
  o->cap = 0.0;
  o->rates = GEODISK_RATES_CONSTANT;
  o->epochs = 8;
}
static inline void set_steps(geodisk_train_options *o) { /* sharpness in three steps, sums of many rows */
  o->sharpness = 4.0;
  o->sharpness_first = 0.75;
  o->epochs = 6;
  o->sparse = 0.2;
  o->block = 1;
}

static const embed_case embed_cases[] = {
    {"defaults", HIERARCHY, 10, set_nothing},
    {"defaults, undirected", UNDIRECTED, 5, set_nothing},
    {"edge units", HIERARCHY, 5, set_edges},
    {"inner nodes", HIERARCHY, 10, set_inner},
    {"a batch of 1", WEIGHTED, 2, set_sequential},
    {"by degree, 3.7", WEIGHTED, 16, set_degree},
    {"complement, 0.5", HIERARCHY, 33, set_complement},
    {"natural", WEIGHTED, 10, set_natural},
    {"euclidean", HIERARCHY, 2, set_euclidean},
    {"flat, 1.3", UNDIRECTED, 7, set_flat},
    {"flat, 4", HIERARCHY, 15, set_flat_squares},
    {"core", HIERARCHY, 10, set_core},
    {"all negatives", UNDIRECTED, 8, set_all},
    {"tree placement", HIERARCHY, 2, set_tree},
    {"one dimension", HIERARCHY, 1, set_nothing},
    {"extreme", HIERARCHY, 5, set_extreme},
    {"extreme, undirected", UNDIRECTED, 3, set_extreme},
    {"sharpness in steps", WEIGHTED, 5, set_steps},
};
enum { EMBED_CASES = sizeof embed_cases / sizeof embed_cases[0] };

static inline geodisk_train_options options_of(const embed_case *c, bool single) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = c->dim;
  o.precision = single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
  o.negatives = 40;
  o.core_epochs = 0;
  o.epochs = 3;
  o.range = 0.1;
  c->set(&o);
  return o;
}

/* The graph of a case; the caller destroys it. */
static inline geodisk_graph *graph_of_case(case_graph kind) { return make_hub(400, kind == WEIGHTED, kind == UNDIRECTED); }

#endif
