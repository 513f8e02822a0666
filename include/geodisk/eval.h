/* geodisk/eval.h - how good is an embedding? Ranks of the edges among all nodes (reconstruction, link prediction) and the exact
 * loss, rank correlations and distortion of the distances, lexical entailment. docs/evaluation.md gives every definition with its
 * source.
 *
 * Everything is exact unless a sample is asked for; then each figure comes with a 95 % confidence interval. Results are the same
 * bytes for any number of threads. All functions are fallible (base.h) unless they return a value; long ones report progress and
 * can be stopped. */
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
} geodisk_eval_points;

/* The points of a model whose rows are contiguous (ARGUMENT if they lie apart). They live as long as the model. `space` may
 * override the model's: its coordinates are then taken as points of that space. */
GEODISK_API geodisk_status geodisk_eval_points_of_model(geodisk_context *context, const geodisk_model *model, geodisk_space space,
                                                        geodisk_eval_points *out);

/* A graph in terms of points: node i of the graph is point `points[i]`. */
typedef struct geodisk_relation geodisk_relation;

enum { GEODISK_EVAL_MISSING_SHOWN = 5 };
#define GEODISK_NO_POINT UINT32_MAX

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
 *   AUC         mean over all pairs of 1 - (rank - 1) / #negatives: how likely a random negative of u is farther than v
 *   loss        mean over all pairs of d(u,v) + log(Z(u) + e^-d(u,v)), Z(u) = sum of e^-d(u,m) over all negatives m: Nickel &
 *               Kiela's loss with all negatives (and the positive) in its denominator
 *   loss_complement  mean of d(u,v) + log(Z(u) + 1): the paper's, whose denominator runs over the complement of P(u), u included
 *
 * Two points are exactly as near if |x-y|^2 / S(y) is the same number: equal points always are. */
typedef enum geodisk_rank_definition { GEODISK_RANK_FILTERED = 0, GEODISK_RANK_GENSIM = 1 } geodisk_rank_definition;

/* All zero (or NULL) is the default. */
typedef struct geodisk_ranking_options {
  geodisk_rank_definition definition;
  geodisk_precision
      arithmetic; /* FLOAT: distances in single precision, twice as fast; depths beyond the coordinates are not seen */
  bool loss;      /* compute the losses too */
  size_t sample;  /* judge only so many nodes, drawn without replacement among those with positives; 0: all */
  uint64_t seed;  /* of the sample */
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
} geodisk_ranking;

/* The same for each node: arrays of as many numbers as there are points, or NULL. NaN for a node that was not judged. The loss of
 * a node is the sum over its positives. */
typedef struct geodisk_ranking_nodes {
  double *mean_rank;
  double *average_precision;
  double *loss;
  double *loss_complement;
} geodisk_ranking_nodes;

/* Ranks. `known` (or NULL) holds edges that are neither positives nor negatives: those of the training graph. Errors: ARGUMENT
 * (no edges; sizes that do not fit; a point outside the ball), NUMERIC (a number that is not finite), MEMORY, STOPPED. Cost:
 * nodes judged * nodes * dim; memory: 16 bytes per node, 64 per node judged, a few MB per thread. */
GEODISK_API geodisk_status geodisk_eval_ranking(geodisk_context *context, const geodisk_eval_points *points,
                                                const geodisk_relation *positives, const geodisk_relation *known,
                                                const geodisk_ranking_options *options,
                                                const geodisk_ranking_nodes *by_node /* or NULL */, geodisk_ranking *out);

#ifdef __cplusplus
}
#endif
#endif
