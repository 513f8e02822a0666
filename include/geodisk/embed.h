/* geodisk/embed.h - the trainer: Poincare embeddings of a graph by exact geodesic updates.
 *
 * For an edge u -> v and negatives N (nodes that are neither u nor parents of u), with e_m = e^-d(u,m), the loss of the edge is
 *
 *     nickel-kiela   -log( e_v / (e_v + sum_{m in N} e_m) )             Nickel and Kiela 2017, gensim
 *     complement     -log( e_v / (1 + sum_{m in N} e_m) )               the paper's formula: u itself counts, a constant 1
 *
 * times the edge's weight (weights are divided by their mean). Every step moves u, v and all negatives along geodesics.
 *
 * Training goes by batches. In a batch every unit (a node with all its targets, or a single edge) reads the points as they are
 * and adds its pulls to sums, as whole numbers; then every point that was pulled makes one step along its sum, by the exact
 * exponential map, with the step min(rate, cap / path), path the sum of |pull|. docs/training.md has all of it on one page.
 *
 * SAME SEED, SAME BYTES: a model is a function of graph, options and seed. Threads, ranks, instruction sets and compilers do not
 * matter, since whole numbers can be added in any order and no function of the system's libm is used.
 *
 * For example:
 *     geodisk_train_options options = geodisk_train_defaults();
 *     options.dim = 5;
 *     geodisk_trainer *trainer = NULL;
 *     geodisk_model *model = NULL;
 *     geodisk_status st = geodisk_trainer_create(context, graph, &options, &trainer);
 *     if (st == GEODISK_OK) st = geodisk_trainer_run(trainer, NULL, NULL);
 *     if (st == GEODISK_OK) st = geodisk_trainer_model(trainer, &model);
 *     if (st == GEODISK_OK) st = geodisk_model_write(context, model, "out.safetensors");
 *     geodisk_model_destroy(model);
 *     geodisk_trainer_destroy(trainer);
 *
 * MEMORY: the rows (dim + 1 numbers, rounded up to whole lines of 64 bytes), the graph, 8 bytes per node, and for each thread the
 * sums of the rows that a batch pulls (8 bytes per number); before that, while points are placed, 28 bytes per node (44 in the
 * plane). Epochs of the core need the same for it once more, while they last. */
#ifndef GEODISK_EMBED_H
#define GEODISK_EMBED_H

#include "geodisk/graph.h"
#include "geodisk/optim.h"
#include "geodisk/vectors.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum geodisk_sampling {
  GEODISK_SAMPLING_UNIFORM = 0,
  GEODISK_SAMPLING_DEGREE = 1, /* in proportion to degree^power: in how many edges a node stands */
  GEODISK_SAMPLING_NEARBY = 2  /* the share `nearby` of them near u in the depth-first order of the hierarchy, at log-uniform
                                  distance: the nodes hardest to tell from u's ancestors; the others uniform */
} geodisk_sampling;

typedef enum geodisk_units {
  GEODISK_UNITS_SOURCE = 0, /* a node with all its targets; units of a block share their negatives */
  GEODISK_UNITS_EDGE = 1    /* an edge with negatives of its own; a batch of 1 is the sequential step of the paper */
} geodisk_units;

typedef enum geodisk_rates {
  GEODISK_RATES_RISE = 0,     /* geometric from lr_first to lr over the share `rise` of the epochs, then down to lr_last */
  GEODISK_RATES_CONSTANT = 1, /* lr */
  GEODISK_RATES_LINEAR = 2,   /* from lr to lr_last */
  GEODISK_RATES_COSINE = 3    /* half a cosine from lr to lr_last */
} geodisk_rates;

typedef enum geodisk_placement {
  GEODISK_PLACEMENT_TREE =
      0, /* nested caps of a spanning tree (docs/training.md); random where the graph has no edges or dim is 1 */
  GEODISK_PLACEMENT_RANDOM = 1,       /* uniform in the cube of half-side `range` */
  GEODISK_PLACEMENT_AUTO = 2,         /* from the graph and the dimension */
  GEODISK_PLACEMENT_CONSTRUCTION = 3, /* of a tree, exactly: geodisk_construct_tree; of another graph, of its spanning forest.
                                        Hyperbolic space only; random where dim is 1 */
  GEODISK_PLACEMENT_ARCS = 4 /* on arcs of a circle, so that d(p,c) - d(o,c) says whether c is below p: nodes with several parents
                                where the arcs of these overlap. In one process, hyperbolic space only; random where dim is 1 */
} geodisk_placement;

#define GEODISK_NEGATIVES_ALL SIZE_MAX

/* As many as a graph of its size and kind needs. */
#define GEODISK_EPOCHS_AUTO      0
#define GEODISK_CORE_EPOCHS_AUTO UINT64_MAX

/* None: the placement is the model. */
#define GEODISK_EPOCHS_NONE UINT64_MAX

/* What is said to be AUTO is chosen when the trainer is made, from the graph and the other options; geodisk_trainer_options tells
 * what was. */
typedef struct geodisk_train_options {
  int dim;                     /* 1 to GEODISK_DIM_MOST */
  geodisk_precision precision; /* of the rows */
  geodisk_space space;         /* EUCLIDEAN: the flat baseline */
  geodisk_update update;       /* the two others exist to be compared */
  geodisk_loss loss;
  double sharpness;       /* B: likelihoods are e^(-B d); 1/16 to 64; 0: AUTO */
  double sharpness_first; /* B of the first 40 % of the epochs; then the mean of both until 70 %; 0: AUTO */
  geodisk_units units;
  uint32_t block;   /* source units that share negatives, 1 to 32; 0: AUTO */
  uint64_t batch;   /* units of a batch; 0: AUTO */
  size_t negatives; /* K >= 1, or GEODISK_NEGATIVES_ALL: exact, for small graphs; 0: AUTO */
  geodisk_sampling sampling;
  double power;    /* of the degree, >= 0 */
  double nearby;   /* the share of nearby negatives, 0 to 1; below 0: AUTO */
  double inner;    /* the share of negatives, nearby or not, that are inner nodes, which have edges into them; not of those
                      drawn by degree; 0 to 1; below 0: AUTO */
  uint64_t epochs; /* or GEODISK_EPOCHS_AUTO, GEODISK_EPOCHS_NONE */
  geodisk_rates rates;
  double lr, lr_first, lr_last; /* > 0, finite; 0: AUTO */
  double rise;                  /* 0 to 1; below 0: AUTO */
  double cap;                   /* no point moves further than this in a batch; 0: any length; below 0: AUTO */
  double bound;                 /* of the pushes of a unit, each counted up to 0.03; 0: none; below 0: AUTO */
  uint64_t burn_in;             /* epochs before the others, with their own rate and degree-weighted negatives */
  double burn_in_lr;
  double sparse; /* 0 <= q < 1: pulls below q are raised to it with probability pull/q, else dropped; 0: off; below 0: AUTO */
  double
      regularization; /* >= 0: adds this times |v|^2 to the loss of an edge u -> v, as gensim does; its pull follows each step */
  geodisk_placement placement;
  uint64_t core_epochs; /* before all others: epochs of the graph without leaves that hang on one node, which then begin beside
                           it; with rates and negatives of their own (docs/training.md). Not with a start; or
                           GEODISK_CORE_EPOCHS_AUTO */
  double depth;         /* of the tree placement: radii are multiplied by it, > 0; of the construction: the lengths of edges; 0:
                           AUTO */
  double range;         /* of the random placement, > 0 */
  double margin;        /* natural and euclidean updates keep points to |x| <= 1 - margin */
  uint64_t seed;
  geodisk_device device;      /* where epochs run; no model remembers it, since the bytes are the same */
  const geodisk_model *start; /* or NULL: nodes with its names begin where it has them; it must have the same dim and space */
} geodisk_train_options;

/* What needs no tuning: dim 10, double, geodesic, nickel-kiela, the rest AUTO. */
GEODISK_API geodisk_train_options geodisk_train_defaults(void);

typedef enum geodisk_closure {
  GEODISK_CLOSURE_NONE = 0,
  GEODISK_CLOSURE_PART = 1, /* a hierarchy, most of its nodes leaves, with some of the edges of its closure */
  GEODISK_CLOSURE_WHOLE = 2 /* a hierarchy with edges to (four fifths of) all ancestors */
} geodisk_closure;

/* What a graph is taken for: a hierarchy has no cycles; which ancestors have edges is seen from a sample of its nodes. Linear
 * time. MEMORY. */
GEODISK_API geodisk_status geodisk_train_closure(geodisk_context *context, const geodisk_graph *graph, geodisk_closure *out);

/* Settings by name: "auto" (those that are open, for geodisk/auto.h), "paper" (the paper's appendix), "gensim" (what gensim does
 * unless told otherwise), "entailment" (points that say who is below whom) and "link-prediction" (edges that were held out), as
 * geodisk_train_recipe_name lists them. ARGUMENT for another name. Everything is set but dim, precision, seed and start. */
GEODISK_API geodisk_status geodisk_train_recipe(geodisk_context *context, const char *name, geodisk_train_options *options);
GEODISK_API const char *geodisk_train_recipe_name(size_t index); /* NULL after the last */

/* The options that a training from a model begins with: its start, dim and space. A recipe keeps them. */
GEODISK_API void geodisk_train_start(geodisk_train_options *options, const geodisk_model *start);

/* The options of a checkpoint, to be changed (only `epochs` may be) and given to geodisk_trainer_resume. Errors: as there. */
GEODISK_API geodisk_status geodisk_train_resumed(geodisk_context *context, const char *path, geodisk_train_options *out);

/* One epoch, as the history keeps it. */
typedef struct geodisk_train_epoch {
  uint64_t epoch;   /* from 0, those of the core and burn-in included */
  double lr;        /* its learning rate */
  double loss;      /* mean over the edges, from the sampled negatives, as the epoch went */
  double sample;    /* mean loss of a sample of the edges at its end; 0 in epochs of the core */
  uint64_t edges;   /* trained */
  uint64_t skipped; /* edges whose source has no negatives */
  uint64_t clips;   /* rows pulled back to the margin or the deepest gap */
  double radius;    /* mean hyperbolic radius (Euclidean norm in flat space) of what was trained, at its end */
  uint64_t pairs;   /* of a source and a candidate whose distance was taken */
  double seconds;   /* it took; 0 for epochs before a resume */
} geodisk_train_epoch;

typedef struct geodisk_trainer geodisk_trainer;

/* The graph must outlive the trainer. Errors: ARGUMENT (options out of range, named; a graph of one node or without edges; a
 * start that does not fit), MEMORY. */
GEODISK_API geodisk_status geodisk_trainer_create(geodisk_context *context, const geodisk_graph *graph,
                                                  const geodisk_train_options *options /* or NULL */, geodisk_trainer **out);
GEODISK_API void geodisk_trainer_destroy(geodisk_trainer *trainer);

/* Trains one epoch. NUMERIC if a number is not finite: the text names node, edge, epoch and step; the rows are not to be used. */
GEODISK_API geodisk_status geodisk_trainer_epoch(geodisk_trainer *trainer, geodisk_train_epoch *info /* or NULL */);

/* Called after every epoch; false stops the run (status STOPPED, the trainer stays usable). */
typedef bool (*geodisk_train_fn)(void *user, geodisk_trainer *trainer, const geodisk_train_epoch *info);

/* Trains what is left of the epochs, with progress events on the context. */
GEODISK_API geodisk_status geodisk_trainer_run(geodisk_trainer *trainer, geodisk_train_fn callback, void *user);

GEODISK_API uint64_t geodisk_trainer_position(const geodisk_trainer *trainer); /* epochs done */
GEODISK_API uint64_t geodisk_trainer_epochs(const geodisk_trainer *trainer); /* in all, those of the core and burn-in included */
/* Whether all epochs are done and the loss of the sample has hardly fallen over the last of them. */
GEODISK_API bool geodisk_trainer_converged(const geodisk_trainer *trainer);
GEODISK_API geodisk_train_options geodisk_trainer_options(const geodisk_trainer *trainer);
GEODISK_API geodisk_device geodisk_trainer_device(const geodisk_trainer *trainer); /* where it runs: never AUTO */
/* Why AUTO took the processor, as a clause; "" where it did not, or was not asked to choose. */
GEODISK_API const char *geodisk_trainer_device_reason(const geodisk_trainer *trainer);
/* Both as a log event, "training on NVIDIA H200", unless the options leave no doubt about the processor. */
GEODISK_API void geodisk_trainer_tell_device(const geodisk_trainer *trainer);

/* A line of text that its models keep ("choice"): what the options were chosen for. MEMORY. */
GEODISK_API geodisk_status geodisk_trainer_note(geodisk_trainer *trainer, const char *text);

/* The history so far; its entries are the trainer's. */
GEODISK_API const geodisk_train_epoch *geodisk_trainer_history(const geodisk_trainer *trainer, size_t *count);

/* The coordinates of all nodes as they are, nodes * dim numbers row by row. During epochs of the core leaves are put into place
 * for it: not from two threads at a time. */
GEODISK_API void geodisk_trainer_points(const geodisk_trainer *trainer, double *out);

/* A model over the trainer's own rows (nothing is copied); options, seed and history go into its metadata. Valid until the
 * trainer trains on or is destroyed; geodisk_model_copy gives one that stays. */
GEODISK_API geodisk_status geodisk_trainer_model(geodisk_trainer *trainer, geodisk_model **out);

/* A checkpoint is a model file with everything needed to go on. resume continues to exactly the bytes of an uninterrupted run;
 * ARGUMENT if the graph is another one, or if `options` (NULL: those of the checkpoint) differ in more than `epochs`: the text
 * lists what changed. */
GEODISK_API geodisk_status geodisk_trainer_save(geodisk_trainer *trainer, const char *path);
/* The same while training goes on: of a trainer on a device, the points are set aside there, and another thread fetches and
 * writes them. What went wrong is told by the next checkpoint, or by _wait, after which the file is there. Saving and destroying
 * wait too. On the processor, and while the core is trained, it is geodisk_trainer_save. */
GEODISK_API geodisk_status geodisk_trainer_checkpoint(geodisk_trainer *trainer, const char *path);
GEODISK_API geodisk_status geodisk_trainer_wait(geodisk_trainer *trainer);
GEODISK_API geodisk_status geodisk_trainer_resume(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                                  const geodisk_train_options *options /* or NULL */, geodisk_trainer **out);

/* ---- very large graphs ------------------------------------------------------------------------------------------------ */

/* A graph that is its rows alone, for graphs so large that names and a second copy of the edges would be in the way. Nodes are
 * numbered in depth-first order of the hierarchy (negatives from nearby have numbers nearby); targets of a row ascend. */
typedef struct geodisk_bare_graph {
  size_t nodes;
  geodisk_graph_rows out; /* the caller's, who keeps it as long as the trainer */
  /* Where a node begins, in the unit ball, and 1 - |x|^2; called for all nodes, by several threads. NULL: at random. */
  void (*place)(void *user, uint32_t node, double *x, double *gap);
  void *user;
} geodisk_bare_graph;

/* Trains like any other, to the same bytes; there is no model of nodes without names (UNSUPPORTED), geodisk_trainer_points has
 * their coordinates. Errors: as above, and ARGUMENT for rows that do not ascend and for options that need the rows of children (a
 * core, a burn-in, sampling by degree, a start). */
GEODISK_API geodisk_status geodisk_trainer_create_bare(geodisk_context *context, const geodisk_bare_graph *graph,
                                                       const geodisk_train_options *options /* or NULL */, geodisk_trainer **out);

/* ---- trees, exactly ---------------------------------------------------------------------------------------------------- */

/* Sarkar's construction (2011): the root at the origin, every child at the end of a geodesic whose directions at each node are
 * well apart. In the plane the directions share the circle by need (a branch that goes on gets more of it than leaves), in more
 * dimensions they are a lattice of latitudes on the sphere. Edges are as short as the degrees at both ends allow:
 *
 *     nodes u and v with the half-angles s, t that they have for each other:    length >= -log(tan(s/2) tan(t/2))
 *     neighbours x, y of v at the angle a:    d(x, y) >= the longest edges at x and at y
 *
 * The first keeps branches in half-spaces that do not meet, the second makes neighbours nearer than nodes two edges away. So
 * every node is nearer to its neighbours than to all others: MAP is 1. A forest hangs on the origin; the edges' directions do not
 * matter.
 *
 * In the plane, without weights, there may be cycles that have no edge in common: the nodes of each are the corners of a polygon.
 * And a forest of up to 200,000 nodes that would not fit has its long paths bent into polygons, too, which reach as far as the
 * logarithm of their nodes: neighbours are still nearest, but distances along such a path are no longer sums. Of a weighted tree
 * the edges are as long as their weights say, times one scale, the largest that fits: the larger, the less branches bend towards
 * each other. */
typedef struct geodisk_tree_options {
  int dim;                     /* 2 to GEODISK_DIM_MOST */
  geodisk_precision precision; /* what the points are going to be rounded to: decides how deep they can be told apart */
  double stretch;              /* lengths are multiplied by it, > 0; 0: 1 */
  bool weighted;               /* weights are lengths */
} geodisk_tree_options;

typedef struct geodisk_tree_info {
  double needed; /* the radius of the outmost node that it takes */
  double radius; /* that it has: the same, or somewhat more than the precision resolves; then all lengths have shrunk in
                    proportion */
  bool exact;    /* it is what it takes, and the precision resolves it */
  double scale;  /* the length of an edge of weight 1; unweighted: the mean length */
} geodisk_tree_info;

/* Points (nodes x dim) and gaps (nodes). Near-linear time: a second for 10^6 nodes. Errors: ARGUMENT (options out of range; edges
 * that close a cycle, in the plane one that has an edge in common with another: one is named; a weight that is not positive),
 * MEMORY. */
GEODISK_API geodisk_status geodisk_construct_tree(geodisk_context *context, const geodisk_graph *graph,
                                                  const geodisk_tree_options *options, double *points, double *gaps,
                                                  geodisk_tree_info *info /* or NULL */);

/* ---- from distances ---------------------------------------------------------------------------------------------------- */

/* What is minimised, with g(u, v) the length between two nodes and s > 0 a scale that is learned too:
 *
 *     mean      the mean of |s d(x_u, x_v) / g(u, v) - 1|                  distortion of Sala et al. 2018
 *     squared   the mean of |(s d(x_u, x_v) / g(u, v))^2 - 1|              distortion of Gu et al. 2019 */
typedef enum geodisk_stress { GEODISK_STRESS_MEAN = 0, GEODISK_STRESS_SQUARED = 1 } geodisk_stress;

typedef struct geodisk_distance_options {
  int dim; /* 1 to GEODISK_DIM_MOST */
  geodisk_space space;
  geodisk_stress stress;
  uint64_t steps; /* epochs of each long descent, every pair once in each; 0: as many as the size allows, 70 at most;
                     GEODISK_EPOCHS_NONE: one */
  uint64_t seed;  /* of the landmarks, of the order of pairs, and of what is begun from random points */
  bool weighted;  /* weights of a graph, if it has any, are lengths; else every edge has length 1 */
} geodisk_distance_options;

/* dim 10, hyperbolic, mean, seed 1, weights are lengths. */
GEODISK_API geodisk_distance_options geodisk_distance_defaults(void);

/* Lengths between `sources` and all nodes, sources x nodes; source_nodes NULL: every node is one, in order. Pairs whose length is
 * not positive and finite do not count; the others must be from 1e-30 to 1e30. */
typedef struct geodisk_distances {
  size_t nodes, sources;
  const uint32_t *source_nodes;
  const double *lengths;
} geodisk_distances;

/* How well it went, over the pairs that were fitted. */
typedef struct geodisk_distance_result {
  double scale;   /* s: lengths of the graph are s times distances of the points, for the smallest mean */
  double mean;    /* distortion, Sala's */
  double squared; /* Gu's, with the same scale */
  double worst;   /* largest over smallest ratio of distance and length */
  uint64_t pairs;
  const char *start; /* what it began from: "tree", "scaling" */
  double flat;       /* what is minimised, as flat space of the same dimension has it, between the sources */
} geodisk_distance_result;

/* Points (nodes x dim) and gaps (nodes; 1 in flat space) for lengths. Stochastic descent pair by pair (docs/training.md), from
 * classical scaling (Torgerson's; of landmarks, de Silva and Tenenbaum's) in flat space, which is kept if nothing is better; from
 * the construction of a spanning tree; and from a sample that was fitted at several curvatures and from random points. Nodes that
 * are no sources are placed last, each by its own lengths. The same bytes on any number of threads. Time: a minute of
 * one processor for 1,000 sources; memory: 8 bytes for each pair of sources, and as much as the lengths have. Errors: ARGUMENT,
 * MEMORY, STOPPED (points, gaps and result are then set all the same, to what there was).
 *
 * For example:
 *     double lengths[9] = {0, 1, 2, 1, 0, 1, 2, 1, 0}, points[6], gaps[3];
 *     geodisk_distances d = {.nodes = 3, .sources = 3, .lengths = lengths};
 *     geodisk_distance_options o = {.dim = 2, .seed = 1};
 *     geodisk_distance_result r = {0};
 *     if (geodisk_fit_distances(context, &d, &o, points, gaps, &r) == GEODISK_OK)
 *       printf("distortion %g, in flat space %g\n", r.mean, r.flat);
 */
GEODISK_API geodisk_status geodisk_fit_distances(geodisk_context *context, const geodisk_distances *distances,
                                                 const geodisk_distance_options *options, double *points, double *gaps,
                                                 geodisk_distance_result *result);

/* The same for the lengths of shortest paths in a graph, edges taken both ways: all pairs up to 4,096 nodes, those with 256
 * landmarks in larger ones. */
GEODISK_API geodisk_status geodisk_fit_graph_distances(geodisk_context *context, const geodisk_graph *graph,
                                                       const geodisk_distance_options *options, double *points, double *gaps,
                                                       geodisk_distance_result *result);

/* The model of what was fitted, with options and scale in its metadata. Of `spec` nodes, names, vectors (the points) and gap
 * count. Errors: as geodisk_model_create. */
GEODISK_API geodisk_status geodisk_distance_model(geodisk_context *context, const geodisk_model_spec *spec,
                                                  const geodisk_distance_options *options, const geodisk_distance_result *result,
                                                  geodisk_model **out);

#ifdef __cplusplus
}
#endif
#endif
