/* geodisk/eval.h - how good is an embedding? Ranks of the edges among all nodes (reconstruction, link prediction) and the exact
 * loss, rank correlations and distortion of the distances, entailment of pairs and of words. docs/evaluation.md gives every
 * definition with its source.
 *
 * Everything is exact unless a sample is asked for; then each figure comes with a 95 % confidence interval. Results are the same
 * bytes for any number of threads. All functions are fallible (base.h) unless they return a value; long ones report progress and
 * can be stopped.
 *
 * For example:
 *     geodisk_eval_points points;
 *     geodisk_relation *relation = NULL;
 *     geodisk_ranking ranking;
 *     geodisk_status st = geodisk_eval_points_of_model(context, model, geodisk_model_space(model), &points);
 *     if (st == GEODISK_OK) st = geodisk_relation_create(context, graph, model, false, NULL, &relation);
 *     if (st == GEODISK_OK) st = geodisk_eval_ranking(context, &points, relation, NULL, NULL, &ranking);
 *     if (st == GEODISK_OK) printf("mean rank %g, MAP %g\n", ranking.mean_rank.value, ranking.map.value);
 *     geodisk_relation_destroy(relation);
 */
#ifndef GEODISK_EVAL_H
#define GEODISK_EVAL_H

#include "geodisk/graph.h"
#include "geodisk/vectors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is judged --------------------------------------------------------------------------------------------------- */

/* The points, wherever they lie: row i begins i * vectors_stride numbers (of that precision) after `vectors`; stride 0 means
 * contiguous rows. Nothing is copied. */
typedef struct geodisk_eval_points {
  size_t nodes;
  geodisk_ball ball; /* in Euclidean space only its dim counts */
  geodisk_space space;
  geodisk_precision precision;
  const void *vectors;
  size_t vectors_stride; /* 0: dim */
  const void *gap;       /* NULL: computed from the coordinates; not used in Euclidean space */
  size_t gap_stride;     /* 0: 1 */
  const double *order;   /* nodes x 3: the order beside the vectors (vectors.h), for the task entailment alone; or NULL */
} geodisk_eval_points;

/* The points of a model, where they lie: a trainer's model can be judged without a copy. They live as long as the model. `space`
 * may override the model's: its coordinates are then taken as points of that space. */
GEODISK_API geodisk_status geodisk_eval_points_of_model(geodisk_context *context, const geodisk_model *model, geodisk_space space,
                                                        geodisk_eval_points *out);

/* A graph in terms of points: node i of the graph is point `points[i]`. */
typedef struct geodisk_relation geodisk_relation;

enum { GEODISK_EVAL_MISSING_SHOWN = 5 };
#define GEODISK_RELATION_NO_POINT UINT32_MAX

/* What of a graph is not in the model. */
typedef struct geodisk_relation_info {
  size_t missing_nodes;                         /* nodes of the graph that the model lacks */
  uint64_t missing_edges;                       /* edges that touch one of them */
  uint32_t missing[GEODISK_EVAL_MISSING_SHOWN]; /* the first few of those nodes */
} geodisk_relation_info;

/* Finds every node of the graph in the model by name. Nodes that the model lacks are an error (ARGUMENT, whose text says how many
 * and which) unless skip_missing: then they and their edges are left out, which is said by a warning and in *info. *info is
 * filled in either case. The graph must outlive the relation. Linear time; memory: 4 bytes per node, and 4 per edge unless graph
 * and model number their nodes alike. Errors: ARGUMENT, MEMORY. */
GEODISK_API geodisk_status geodisk_relation_create(geodisk_context *context, const geodisk_graph *graph,
                                                   const geodisk_model *model, bool skip_missing,
                                                   geodisk_relation_info *info /* or NULL */, geodisk_relation **out);

/* The same without a model: node i of the graph is point i. The graph must have at most `nodes` nodes. */
GEODISK_API geodisk_status geodisk_relation_create_plain(geodisk_context *context, const geodisk_graph *graph, size_t nodes,
                                                         geodisk_relation **out);
GEODISK_API void geodisk_relation_destroy(geodisk_relation *relation);

/* How many points there are, and row p: the points that p has an edge to, ascending. */
GEODISK_API size_t geodisk_relation_points(const geodisk_relation *relation);
GEODISK_API geodisk_graph_rows geodisk_relation_rows(const geodisk_relation *relation);

/* ---- reconstruction, link prediction, loss ---------------------------------------------------------------------------- */

/* For each node u with positives P(u), its row in the relation: the rank of a positive v is its place by distance from u among
 * v and the NEGATIVES of u, which are all nodes of the model outside P(u), the known row K(u) (link prediction) and {u}.
 *
 *   FILTERED  rank = 1 + #(negatives strictly nearer) + #(negatives exactly as near) / 2        (midrank)
 *   GENSIM    rank = 1 + #(negatives strictly nearer), and u, at distance 0, counts as a negative of itself; for comparison
 *
 *   mean rank   over all pairs (u, v)
 *   MAP         over all u, of the average precision: with the ranks of P(u) in ascending order r_1 <= r_2 <= ..,
 *               AP(u) = mean over i of i / (r_i + i - 1): the share of positives in the list down to the i-th positive
 *   hits@k      the share of pairs with rank <= k
 *   precision@k mean over all u of the share of positives among the k nodes nearest to u, known ones left out; `degree`: with as
 *               many nodes as u has positives, so that 1 can be reached by every u
 *   AUC         mean over all pairs of 1 - (rank - 1) / #negatives: how likely a random negative of u is farther than v
 *   loss        mean over all pairs of d(u,v) + log(Z(u) + e^-d(u,v)), Z(u) = sum of e^-d(u,m) over all negatives m: Nickel &
 *               Kiela's loss with all negatives (and the positive) in its denominator
 *   loss_complement  mean of d(u,v) + log(Z(u) + 1): the paper's, whose denominator runs over the complement of P(u), u included
 *
 * Two points are exactly as near if |x-y|^2 / S(y) is the same number: equal points always are. */
typedef enum geodisk_rank_definition { GEODISK_RANK_FILTERED = 0, GEODISK_RANK_GENSIM = 1 } geodisk_rank_definition;

/* Figures of each node: arrays of as many numbers as there are points, or NULL. NaN for a node that was not judged. The loss of
 * a node is the sum over its positives. */
typedef struct geodisk_ranking_nodes {
  double *mean_rank;
  double *average_precision;
  double *loss;
  double *loss_complement;
} geodisk_ranking_nodes;

/* All zero (or NULL) is the default. */
typedef struct geodisk_ranking_options {
  geodisk_rank_definition definition;
  geodisk_precision
      arithmetic;        /* FLOAT: distances in single precision, twice as fast; depths beyond the coordinates are not seen */
  bool loss;             /* compute the losses too */
  size_t sample;         /* judge only so many nodes, drawn without replacement among those with positives; 0: all */
  uint64_t seed;         /* of the sample */
  geodisk_device device; /* where ranks are counted, to the same figures; the loss is the same but for rounding */
  const geodisk_ranking_nodes *by_node; /* filled too; NULL: none. Not by geodisk_mpi_eval_ranking */
} geodisk_ranking_options;

/* A figure; with a sample, [low, high] is its 95 % confidence interval, else low = high = value. */
typedef struct geodisk_estimate {
  double value, low, high;
} geodisk_estimate;

typedef struct geodisk_ranking {
  size_t nodes;     /* judged: nodes with at least one positive, or the sample of them */
  size_t nodes_all; /* nodes with at least one positive */
  uint64_t pairs;   /* judged */
  geodisk_estimate mean_rank, map, hits_at_1, hits_at_3, hits_at_10, auc;
  geodisk_estimate loss, loss_complement; /* NaN unless asked for */
  geodisk_estimate precision_at_1, precision_at_3, precision_at_10, precision_at_degree;
} geodisk_ranking;

/* Ranks. `known` (or NULL) holds edges that are neither positives nor negatives: those of the training graph. Errors: ARGUMENT
 * (no edges; sizes that do not fit; a point outside the ball), NUMERIC (a number that is not finite), MEMORY, STOPPED. Cost:
 * nodes judged * nodes * dim; memory: 16 bytes per node, 64 per node judged, a few MB per thread. */
GEODISK_API geodisk_status geodisk_eval_ranking(geodisk_context *context, const geodisk_eval_points *points,
                                                const geodisk_relation *positives, const geodisk_relation *known,
                                                const geodisk_ranking_options *options, geodisk_ranking *out);

/* ---- rank correlation -------------------------------------------------------------------------------------------------- */

/* Of n observations (x, y), over all pairs of observations: tied in x, in y, in both; concordant if they are in the same order in
 * both, discordant if in opposite order. tau-b = (concordant - discordant) / sqrt((pairs - tied_x) (pairs - tied_y)) (Kendall
 * 1945); Spearman's rho is the correlation of the ranks, tied ones sharing their mean. NaN if all x or all y are tied. */
typedef struct geodisk_correlation {
  double kendall_tau;
  double spearman;
  uint64_t pairs, concordant, discordant;
  uint64_t tied_x, tied_y, tied_both;
} geodisk_correlation;

/* n from 2 to 6e9. O(n log n), threaded; memory: 32 bytes per observation. Errors: ARGUMENT, NUMERIC (NaN), MEMORY. */
GEODISK_API geodisk_status geodisk_rank_correlation(geodisk_context *context, size_t n, const double *x, const double *y,
                                                    geodisk_correlation *out);

/* ---- how well distances are kept ---------------------------------------------------------------------------------------- */

/* Graph distances against distances of the points, over all pairs of nodes, or over pairs with a sampled first node.
 *
 * The distance of two nodes in the graph is the number of edges on a shortest path in its transitive reduction, walked in either
 * direction: a hierarchy and its closure give the same. A graph with cycles (one with every edge in both directions, too) is
 * taken as it is. Pairs without a path are left out and counted.
 *
 *   kendall_tau, spearman  over the pairs of nodes as observations (x: graph distance, y: distance of the points)
 *   distortion_mean        mean of |d/g - 1|, d the distance of the points, g that in the graph (Sala et al. 2018)
 *   distortion_scaled      the smallest mean of |s d/g - 1| over all s > 0; `scale` is that s: an embedding need not be to scale
 *   distortion_squared     mean of |(d/g)^2 - 1| (Gu et al. 2019), and _squared_scaled, with s d for the best s > 0
 *   distortion_worst       max(d/g) / min(d/g), which no scale changes; infinite if two nodes lie on one point (of a sample:
 *                          of the pairs seen, a lower bound)
 *   depth_radius           Spearman's rho, over nodes, of the depth (edges to the nearest root) and the distance from the origin;
 *                          NaN if there is no root
 */
typedef struct geodisk_fit_options {
  bool directed; /* walk from child to parent only: pairs (node, ancestor) */
  bool as_given; /* no transitive reduction */
  bool weighted; /* lengths are sums of weights */
  size_t sample; /* first nodes, drawn without replacement; 0: all, or 400 where there are more than 2^24 pairs */
  size_t pairs;  /* of a sample, at most so many pairs (0: 2^19): each first node meets as many random others */
  uint64_t seed;
  bool all_pairs; /* no sample unless one is given */
} geodisk_fit_options;

typedef struct geodisk_fit {
  uint64_t pairs;       /* compared */
  uint64_t unreachable; /* left out: no path, or a path of length 0 */
  size_t nodes;         /* that have a point */
  size_t first_nodes;   /* all of them, or the sample */
  bool reduced;         /* the graph was reduced first */
  geodisk_estimate kendall_tau, spearman, distortion_mean, distortion_scaled;
  double scale, distortion_worst;
  geodisk_estimate distortion_squared, distortion_squared_scaled;
  double depth_radius;
  size_t depth_nodes; /* nodes below a root */
} geodisk_fit;

/* A sample's intervals come from 20 groups of its first nodes (Student's t), so it needs 40 at least. Errors: ARGUMENT (no pairs
 * with a path, a sample that is too small, points that do not fit), NUMERIC, MEMORY, STOPPED. Cost: a search of the graph and a
 * distance to all points for each first node, then sorting; memory: 48 bytes per pair. */
GEODISK_API geodisk_status geodisk_eval_fit(geodisk_context *context, const geodisk_eval_points *points,
                                            const geodisk_relation *relation, const geodisk_fit_options *options,
                                            geodisk_fit *out);

/* ---- greedy routing ------------------------------------------------------------------------------------------------------- */

/* Whether a parcel finds its way by the points alone: at each node it goes on to the neighbour nearest to its target (of several
 * the one with the smallest number; to the target itself, if that is a neighbour), and is lost where no neighbour is nearer than
 * the node (Papadopoulos et al. 2010, Kleinberg 2007). Edges are walked in either direction. Over all ordered pairs of nodes with
 * a path, or with a sampled target:
 *
 *   success   the share of pairs whose parcel arrives
 *   stretch   mean over those of its edges, divided by those of a shortest path */
typedef struct geodisk_routing_options {
  size_t sample; /* targets, drawn without replacement; 0: all, or 400 where there are more than 2^24 pairs */
  uint64_t seed;
  bool all_pairs; /* no sample unless one is given */
} geodisk_routing_options;

typedef struct geodisk_routing {
  uint64_t pairs;      /* of a source and a target, with a path */
  uint64_t arrived;    /* of these */
  size_t targets, all; /* judged, and that might have been */
  geodisk_estimate success, stretch;
} geodisk_routing;

/* Errors: ARGUMENT (no pairs with a path, points that do not fit), NUMERIC, MEMORY, STOPPED. Cost: for each target a search of
 * the graph, a distance to all points and a pass over the edges; memory: 40 bytes per node and thread. */
GEODISK_API geodisk_status geodisk_eval_routing(geodisk_context *context, const geodisk_eval_points *points,
                                                const geodisk_relation *relation,
                                                const geodisk_routing_options *options /* or NULL */, geodisk_routing *out);

/* ---- two models of the same nodes ---------------------------------------------------------------------------------------- */

/* How alike two models are, over the nodes that both have (by name).
 *
 *   kendall_tau, spearman  of the distances of pairs of nodes in the one model and in the other
 *   overlap                how many of a node's k nearest nodes are the same in both, as a share of k; the mean over nodes
 *   moved_mean, _worst     the distance of a node's two places after the first model was moved by the best isometry: the one that
 *                          brings barycenter to barycenter and turns (or mirrors) the directions seen from there, times their
 *                          distances, to the least sum of squares (Procrustes; exact if the models are isometric). In hyperbolic
 *                          space with lengths in units of 1/sqrt(k), so that models of different curvature can be compared */
typedef struct geodisk_compare_options {
  size_t neighbours; /* k; 0: 10. At most the number of other nodes */
  size_t sample;     /* nodes whose neighbours are compared, drawn without replacement if there are more; 0: 2000 */
  size_t pairs;      /* of nodes whose distances are compared, drawn if there are more; 0: 2^20 */
  uint64_t seed;
} geodisk_compare_options;

typedef struct geodisk_comparison {
  size_t nodes;                   /* in both */
  size_t only_first, only_second; /* in one of them */
  uint64_t pairs;                 /* compared */
  double kendall_tau, spearman;
  size_t neighbours, nodes_judged;
  double overlap;
  bool aligned;  /* the models have the same space and dim; else the next are NaN, and worst is 0 */
  double spread; /* root of the mean square distance from the barycenter in the second model: what moves are to be seen against */
  double moved_mean;  /* distance of a node in the one model, brought over, from itself in the other */
  double moved_worst; /* the farthest */
  uint32_t worst;     /* that node, its number in the first model */
} geodisk_comparison;

/* Errors: ARGUMENT (fewer than 3 nodes in both), MEMORY, STOPPED. Memory: (3 dim + 4) numbers per node in both, 48 bytes per
 * pair. */
GEODISK_API geodisk_status geodisk_eval_compare(geodisk_context *context, const geodisk_model *first, const geodisk_model *second,
                                                const geodisk_compare_options *options /* or NULL */, geodisk_comparison *out);

/* ---- entailment: edges against non-edges --------------------------------------------------------------------------------- */

/* "Is c a p?" asked of pairs (c, p), some of them edges. Each score says yes where it is at most a threshold:
 *
 *   HALF_SPACE         d(p,c) - d(o,c), o the origin                               (geodisk_half_space_score)
 *   HALF_SPACE_RADIUS  the same + w d(o,p), w from -0.5 to 0.5
 *   DISTANCE           d(p,c)
 *   NICKEL_KIELA       (1 + alpha (|p| - |c|)) d(p,c), norms as shares of the ball's radius     (Nickel & Kiela 2017)
 *   CONE               angle at p between the ray outwards and the geodesic to c, less asin(K (1 - |p|^2) / |p|)
 *                                                                                  (Ganea, Becigneul & Hofmann 2018)
 *   ORDER              geodisk_order_score (vectors.h) of the order beside the vectors, where there is one
 *
 * Threshold and parameter (w, alpha, K) are those with the best F1 on the validation pairs; without these, on the judged pairs
 * themselves, which flatters. Of the judged pairs, exactly: F1 = 2 P R / (P + R), precision P, recall R by the threshold;
 * auc, how likely an edge has a lower score than a non-edge (ties count half); average_precision, the mean precision at the
 * edges, equal scores taken together. Intervals of 95 % are from bootstrap resamples of the pairs. */
typedef enum geodisk_is_a_score {
  GEODISK_IS_A_HALF_SPACE = 0,
  GEODISK_IS_A_HALF_SPACE_RADIUS = 1,
  GEODISK_IS_A_DISTANCE = 2,
  GEODISK_IS_A_NICKEL_KIELA = 3,
  GEODISK_IS_A_CONE = 4,
  GEODISK_IS_A_ORDER = 5
} geodisk_is_a_score;
enum { GEODISK_IS_A_SCORES = 6 };

typedef struct geodisk_is_a_pairs {
  const geodisk_relation *edges;
  const geodisk_relation *non_edges; /* NULL: drawn (geodisk_graph_non_edges) outside the closure of all edges that are given */
} geodisk_is_a_pairs;

typedef struct geodisk_is_a_options {
  bool threshold_given; /* for HALF_SPACE */
  double threshold;     /* at which a pair counts as an edge; else one is looked for */
  int resamples;        /* 0: 200; < 0: none, and no intervals */
  uint64_t seed;
  /* Where non-edges are drawn: */
  size_t per_edge;               /* so many for each edge; 0: 10 */
  const geodisk_relation *train; /* edges that were trained on, which are not drawn; or NULL */
  const geodisk_model *model; /* without `train`: ARGUMENT if it was trained on other edges than the judged ones, which could be
                                 drawn, a warning if it does not say on what; or NULL */
  uint64_t max_edges;         /* of the closure; 0: no limit */
} geodisk_is_a_options;

typedef struct geodisk_classification {
  double threshold, parameter;
  geodisk_estimate f1, precision, recall, auc, average_precision;
} geodisk_classification;

typedef struct geodisk_is_a {
  size_t edges, non_edges;
  bool order; /* the points have one; else its figures are NaN */
  geodisk_classification scores[GEODISK_IS_A_SCORES];
} geodisk_is_a;

/* Errors: ARGUMENT (no edges, no non-edges; relations of other points; edges that are not known), NUMERIC, MEMORY. Time: some
 * microseconds per pair, and sorting them once for each value of a parameter; memory: 80 bytes per pair. */
GEODISK_API geodisk_status geodisk_eval_is_a(geodisk_context *context, const geodisk_eval_points *points,
                                             const geodisk_is_a_pairs *judged, const geodisk_is_a_pairs *validation /* or NULL */,
                                             const geodisk_is_a_options *options /* or NULL */, geodisk_is_a *out);

/* ---- what a model shall know --------------------------------------------------------------------------------------------- */

/* Finds the decision of vectors.h ("the hierarchy that a model knows") and puts it into the model, which must be one that can be
 * changed: `graph` is what it was trained on, node i of the one is node i of the other. Centre (the origin, or the root with the
 * most nodes below it) and threshold are those with the best F1 over up to 20,000 edges of the closure of the graph and ten pairs
 * outside of it for each (geodisk_graph_non_edges); the probability is fitted to the same pairs with edges and non-edges weighing
 * the same in all. If the graph is closed itself, a node's reach is the distance of its farthest ancestor, and precision, recall
 * and F1 are those of the whole decision, reaches included. Of a model with an order and up to 100,000 nodes it is the distance
 * up to which a node's nearest nodes are its targets, one of them a direct one, shorter where that has the first parent that is
 * named (geodisk_hierarchy_parents) right (-1: there is none); where none does, nor the order, and there are up to 5,000 nodes,
 * the shortest that does, of whose nodes at most half are not above. Precision, recall and F1 are then of the order alone.
 * Errors: ARGUMENT (another number of nodes, no edges, cycles, a closure of more than GEODISK_HIERARCHY_EDGES edges, flat space,
 * a model that has a decision), MEMORY. Time: a distance for each edge, and the closure. */
enum { GEODISK_HIERARCHY_EDGES = 1 << 24 };

/* Whether that makes sense for a model of this graph: it is a hierarchy with at most GEODISK_HIERARCHY_EDGES edges that is closed
 * (all of its chains, or of very many those looked at), or whose points were placed for the score (placement ARCS, which is
 * what the recipe entailment does), or that has an order; the model is in hyperbolic space and has no decision yet. */
GEODISK_API geodisk_status geodisk_hierarchy_can_be_learned(geodisk_context *context, const geodisk_model *model,
                                                            const geodisk_graph *graph, bool *out);

/* Whether an order (vectors.h) makes sense for a model of this graph: in hyperbolic space, without a decision and not placed for
 * the score, of a graph without cycles that is not closed but whose closure has at most GEODISK_HIERARCHY_EDGES edges. */
GEODISK_API geodisk_status geodisk_hierarchy_can_be_ordered(geodisk_context *context, const geodisk_model *model,
                                                            const geodisk_graph *graph, bool *out);
GEODISK_API geodisk_status geodisk_learn_hierarchy(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph,
                                                   geodisk_hierarchy_info *info /* or NULL */);

/* It is learned where that makes sense. (What is done when a training has ended is geodisk_auto_learn, auto.h.) */
GEODISK_API geodisk_status geodisk_learn_trained(geodisk_context *context, geodisk_model *model, const geodisk_graph *graph,
                                                 bool *learned /* or NULL */);

/* ---- lexical entailment --------------------------------------------------------------------------------------------------- */

/* How well "u is a kind of v" can be read off: pairs of words with graded scores by people (HyperLex, Vulic et al. 2017) against
 *
 *   score(u, v) = -(1 + alpha (|v| - |u|)) d(u, v)                                   (Nickel & Kiela 2017)
 *
 * |x| the Euclidean norm. A word stands for its senses, the nodes named like it or beginning with it and a dot ("dog",
 * "dog.n.01"); the pair of senses that are nearest to each other is taken. */
typedef struct geodisk_entailment_options {
  double alpha; /* 0: 1000 */
  char pos;     /* only lines of this part of speech ('n', 'v'; the file's column POS); 0: all */
} geodisk_entailment_options;

typedef struct geodisk_entailment {
  size_t pairs;    /* judged */
  size_t unknown;  /* left out: a word has no node */
  size_t filtered; /* left out: another part of speech */
  double spearman, kendall_tau;
  double half_space_spearman,
      half_space_kendall_tau; /* the same by the score d(o,u) - d(v,u), o the origin, which has no alpha */
} geodisk_entailment;

/* Reads a file of lines "word1 word2 score", separated by tabs or blanks; or with a header that names the columns, among them
 * WORD1, WORD2, AVG_SCORE (or SCORE) and perhaps POS, as HyperLex's files have it. `path` "-" is standard input. `points` are the
 * model's (geodisk_eval_points_of_model), in the space that distances shall be taken in. A warning names the first words without
 * a node. Errors: IO; FORMAT with file and line; ARGUMENT (fewer than 2 pairs are known); MEMORY. */
GEODISK_API geodisk_status geodisk_eval_entailment(geodisk_context *context, const geodisk_model *model,
                                                   const geodisk_eval_points *points, const char *path,
                                                   const geodisk_entailment_options *options, geodisk_entailment *out);

#ifdef __cplusplus
}
#endif
#endif
