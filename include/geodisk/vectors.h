/* geodisk/vectors.h - models: named points in hyperbolic (or flat) space, and the file that holds them.
 *
 * A MODEL has nodes numbered 0 .. nodes-1, each with a name, a vector of dim numbers, in hyperbolic space its gap S = R^2 - |x|^2
 * (ball.h: points as (x, gap)), optionally a count; then metadata (texts by key) and extra tensors (arrays by name), so that a
 * trainer's checkpoint is the same kind of file.
 *
 * THE FILE is safetensors: 8 bytes with the length of the header, the header in JSON, the arrays, little-endian as they lie in
 * the memory of most machines. docs/models.md lists what is in it. Reading maps it into memory; nothing is copied.
 *
 * For example:
 *     geodisk_model *model = NULL;
 *     if (geodisk_model_read(context, "mammals.safetensors", &model) != GEODISK_OK)
 *       fprintf(stderr, "%s\n", geodisk_context_error(context));
 *     uint32_t dog;
 *     if (geodisk_model_find(model, "dog.n.01", 8, &dog))
 *       printf("%g\n", geodisk_model_vectors(model)[dog * (size_t)geodisk_model_dim(model)]);
 *     geodisk_model_destroy(model);
 *
 * All functions are fallible (base.h) unless they return a value. A model may be used by any number of threads as long as none
 * changes it. */
#ifndef GEODISK_VECTORS_H
#define GEODISK_VECTORS_H

#include "geodisk/ball.h"
#include "geodisk/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct geodisk_model geodisk_model;

typedef enum geodisk_space { GEODISK_SPACE_HYPERBOLIC = 0, GEODISK_SPACE_EUCLIDEAN = 1 } geodisk_space;
typedef enum geodisk_precision { GEODISK_PRECISION_DOUBLE = 0, GEODISK_PRECISION_FLOAT = 1 } geodisk_precision;

/* A wish for a precision; AUTO: as it is. */
typedef enum geodisk_width { GEODISK_WIDTH_AUTO = 0, GEODISK_WIDTH_DOUBLE = 1, GEODISK_WIDTH_FLOAT = 2 } geodisk_width;

/* ---- the file --------------------------------------------------------------------------------------------------------- */

/* Maps a model file, read-only. Everything in it is checked first: the header, sizes, places and types of the arrays, names
 * (UTF-8, all different), numbers (finite, |x| < R), and gaps: 0 < S <= R^2 and |S - S(x)| <= 2^-10 (S + |S(x)|) + t R^2, where
 * S(x) is what the coordinates say and t is 2^-30, in float 2^-12: they are rounded more coarsely than a gap. Before that the
 * sums of the header and of every tensor are verified, if the file has any (docs/models.md): one flipped bit and it is refused
 * (FORMAT, naming the tensor). A pipe is read into memory. The file must not be changed in place while the model lives (writing
 * anew, as geodisk_model_write does, is fine). Errors: IO; FORMAT with the file and the field; UNSUPPORTED (a newer version of
 * the format); MEMORY. Linear time, about 1 GB/s; memory beyond the mapping: 6 bytes per node; big-endian: a copy. */
GEODISK_API geodisk_status geodisk_model_read(geodisk_context *context, const char *path, geodisk_model **out);

/* The same from bytes in memory, which are copied; `label` stands for the file in messages. */
GEODISK_API geodisk_status geodisk_model_read_memory(geodisk_context *context, const char *label, const void *bytes, size_t size,
                                                     geodisk_model **out);

GEODISK_API void geodisk_model_destroy(geodisk_model *model);

/* Writes a model, as a whole or not at all (geodisk_file_create, base.h): a full disk leaves the old file. The same model gives
 * the same bytes. What is written can be read: points that are not finite or gaps that do not belong to their vectors are refused
 * (NUMERIC, naming the node), and an older file under that path stays. Big-endian machines write the same bytes.
 * Errors: IO, MEMORY, NUMERIC. */
GEODISK_API geodisk_status geodisk_model_write(geodisk_context *context, const geodisk_model *model, const char *path);

/* ---- what is in it -------------------------------------------------------------------------------------------------- */

GEODISK_API size_t geodisk_model_nodes(const geodisk_model *model);
GEODISK_API int geodisk_model_dim(const geodisk_model *model);
GEODISK_API geodisk_space geodisk_model_space(const geodisk_model *model);
GEODISK_API geodisk_precision geodisk_model_precision(const geodisk_model *model);
GEODISK_API geodisk_ball geodisk_model_ball(const geodisk_model *model); /* radius and curvature 1 in Euclidean space */

/* The arrays, n x dim, n and n numbers. NULL where there is none: of the other precision, no gaps in Euclidean space, no counts,
 * or rows that lie apart (a stride other than dim; 1 for gaps). */
GEODISK_API const double *geodisk_model_vectors(const geodisk_model *model);
GEODISK_API const float *geodisk_model_vectorsf(const geodisk_model *model);
GEODISK_API const double *geodisk_model_gap(const geodisk_model *model);
GEODISK_API const float *geodisk_model_gapf(const geodisk_model *model);
GEODISK_API const uint64_t *geodisk_model_counts(const geodisk_model *model);

/* The same for changing them; also NULL where the array is not the model's own: in a model that was read, or over the caller's
 * arrays. */
GEODISK_API double *geodisk_model_edit_vectors(geodisk_model *model);
GEODISK_API float *geodisk_model_edit_vectorsf(geodisk_model *model);
GEODISK_API double *geodisk_model_edit_gap(geodisk_model *model);
GEODISK_API float *geodisk_model_edit_gapf(geodisk_model *model);
GEODISK_API uint64_t *geodisk_model_edit_counts(geodisk_model *model);

/* The point of a node in double, whatever the precision: dim numbers, and the gap (*gap = NaN in Euclidean space). `gap` may be
 * NULL. Pure; node must be < nodes. */
GEODISK_API void geodisk_model_point(const geodisk_model *model, uint32_t node, double *x /* dim */, double *gap);

/* The name of a node, NUL-terminated, and its length in bytes; NULL and 0 for a number that is not a node. */
GEODISK_API const char *geodisk_model_name(const geodisk_model *model, uint32_t node);
GEODISK_API size_t geodisk_model_name_length(const geodisk_model *model, uint32_t node);

/* All names in one block, as in geodisk_model_spec. */
GEODISK_API const char *geodisk_model_names(const geodisk_model *model, const uint64_t **starts);

/* Finds a node by its name of `length` bytes; false, and *node untouched, if there is none. Constant time. */
GEODISK_API bool geodisk_model_find(const geodisk_model *model, const char *name, size_t length, uint32_t *node);

/* ---- other formats ---------------------------------------------------------------------------------------------------- */

/* Files that hold names and vectors and nothing else:
 *   word2vec         text: a line "nodes dim", then a line "name x1 ... xdim" for each node. Numbers are the shortest decimals
 *                    that read back as the same double. gensim's load_word2vec_format reads it.
 *   word2vec binary  the same with float32 numbers in binary: gensim's binary=True.
 *   TSV, CSV         a line for each node: name, x1, ..., xdim; a name is put in quotes where it must be. CSV has a header.
 *   npy              the vectors as NumPy's np.save writes them; the names, one a line, in a second file.
 *   TensorBoard      the projector's pair of files: a line of numbers for each node, tabs between them, and the names, one a
 *                    line, in a second file.
 *   GraphML, GEXF, JSON   nodes with their coordinates x, y, z (x1, x2, ... of more than three), and the edges of a graph: for
 *                    Gephi, yEd, Cytoscape, networkx and D3 (geodisk_graph_write).
 * Each of the others may hold, instead of the ball's coordinates, points of the hyperboloid (dim + 1 numbers, time first;
 * to_lorentz, ball.h).
 */
typedef enum geodisk_format {
  GEODISK_FORMAT_AUTO = 0, /* reading: by content; writing: by the end of the path */
  GEODISK_FORMAT_MODEL = 1,
  GEODISK_FORMAT_WORD2VEC = 2,
  GEODISK_FORMAT_WORD2VEC_BINARY = 3,
  GEODISK_FORMAT_TSV = 4,
  GEODISK_FORMAT_CSV = 5,
  GEODISK_FORMAT_NPY = 6,
  GEODISK_FORMAT_TENSORBOARD = 7, /* these are written only */
  GEODISK_FORMAT_GRAPHML = 8,
  GEODISK_FORMAT_GEXF = 9,
  GEODISK_FORMAT_JSON = 10
} geodisk_format;

/* How to read; all zero (or NULL) is the default. */
typedef struct geodisk_import_options {
  geodisk_format format;
  bool lorentz;             /* rows are points of the hyperboloid */
  geodisk_space space;      /* what the vectors are */
  double radius, curvature; /* of the ball; 0: 1 */
  geodisk_width width;      /* of the model's numbers; AUTO: as in the file, text as double */
  const char *names;        /* file of names, one a line: then every column is a number. NULL: the first column, or beside
                               "x.npy" the file "x.names"; "" : none, nodes are called 0, 1, ... */
} geodisk_import_options;

typedef struct geodisk_import_info {
  geodisk_format format; /* as found */
  uint64_t duplicates;   /* rows left out because their name had come before */
  uint64_t pulled;       /* points on the rim, or outside it by at most 2^-20 R, which were pulled inside */
} geodisk_import_info;

/* Reads any of the formats, the model file too; `path` "-" is standard input. Gaps are computed from the coordinates. What was
 * found amiss but not refused is counted in `info` and said in log events (WARNING).
 * Errors: IO; FORMAT with file, line (or row) and column; ARGUMENT (bad options); MEMORY; UNSUPPORTED (compressed files). */
GEODISK_API geodisk_status geodisk_model_import(geodisk_context *context, const char *path, const geodisk_import_options *options,
                                                geodisk_import_info *info /* or NULL */, geodisk_model **out);

/* How to write; all zero (or NULL) is the default. */
typedef struct geodisk_export_options {
  geodisk_format format;
  bool lorentz;
  geodisk_width width; /* of the numbers; AUTO: as in the model. word2vec binary is always float */
  const char *names;   /* file for the names; NULL: "x.names" beside "x.npy", TensorBoard's "x.metadata.tsv" beside "x.tsv" */
  const geodisk_graph *graph; /* whose edges GraphML, GEXF and JSON hold; NULL: none */
} geodisk_export_options;

/* What the file does not hold. A point "moves" when the file's reader sees it elsewhere, by hyperbolic distance: numbers are
 * rounded, and gaps, which know more than coordinates near the rim, are left out (except on the hyperboloid, which needs none).
 */
typedef struct geodisk_export_info {
  uint64_t renamed;    /* names changed: blanks and line ends to "_", then a number if that is another node's name */
  uint64_t moved;      /* points moved by more than 0.01 / sqrt(k) */
  double worst;        /* the farthest move */
  uint32_t worst_node; /* whose it is */
  double worst_radius; /* its distance from the origin in the model */
  uint64_t pulled;     /* points that rounding put on or outside the rim, pulled inside (counted in `moved` too if so far) */
  uint64_t left_out;   /* texts, counts and extra tensors of the model */
} geodisk_export_info;

/* Writes a model in any of the formats (MODEL: geodisk_model_write), as a whole or not at all. What is lost is told in `info` and
 * in log events (WARNING). `path` "-" is standard output. Errors: ARGUMENT (a format that the path's end does not tell, the
 * hyperboloid for a Euclidean model, npy and TensorBoard to standard output without `names`), IO, MEMORY, NUMERIC (a number too
 * large for float).
 */
GEODISK_API geodisk_status geodisk_model_export(geodisk_context *context, const geodisk_model *model, const char *path,
                                                const geodisk_export_options *options, geodisk_export_info *info /* or NULL */);

/* ---- questions to single nodes ---------------------------------------------------------------------------------------- */

/* The hyperbolic distance (geodisk_distance_gap), or the Euclidean one in a Euclidean model. Errors of this and the next two:
 * ARGUMENT (a number that is not a node), MEMORY. */
GEODISK_API geodisk_status geodisk_model_distance(geodisk_context *context, const geodisk_model *model, uint32_t a, uint32_t b,
                                                  double *out);

/* |x|, which gensim takes for the place in the hierarchy, and the distance from the origin, which says the same without running
 * into the rim. Smaller means higher. NaN for a number that is not a node. Pure. */
GEODISK_API double geodisk_model_norm(const geodisk_model *model, uint32_t node);
GEODISK_API double geodisk_model_radius(const geodisk_model *model, uint32_t node);

/* The point a share t of the way from a to b; x has dim entries, *gap is NaN in Euclidean space and may be NULL. */
GEODISK_API geodisk_status geodisk_model_between(geodisk_context *context, const geodisk_model *model, uint32_t a, uint32_t b,
                                                 double t, double *x, double *gap);

/* "a is to b as c is to what?": the way from a to b, carried along the geodesic from a to c, and walked from there:
 * exp_c(transport_{a->c}(log_a(b))). In Euclidean space c + b - a. */
GEODISK_API geodisk_status geodisk_model_analogy(geodisk_context *context, const geodisk_model *model, uint32_t a, uint32_t b,
                                                 uint32_t c, double *x, double *gap);

/* The barycenter of n nodes (weights NULL: all alike): geodisk_mean_gap, mean.h. In Euclidean space the arithmetic mean. Errors:
 * ARGUMENT (no nodes, a number that is not a node, a negative weight, only zero weights), MEMORY. */
GEODISK_API geodisk_status geodisk_model_mean(geodisk_context *context, const geodisk_model *model, size_t n,
                                              const uint32_t *nodes, const double *weights /* n or NULL */, double *x,
                                              double *gap);

/* The nodes whose names look most like `name`: the same but for capitals, blanks and signs; then names that begin with it; then
 * those a few letters apart (at most a third of its length). *found <= room. Errors: ARGUMENT, MEMORY. Time: all names. */
GEODISK_API geodisk_status geodisk_model_suggest(geodisk_context *context, const geodisk_model *model, const char *name,
                                                 size_t room, uint32_t *out /* room */, size_t *found);

/* ---- near nodes -------------------------------------------------------------------------------------------------------- */

/* An index answers which nodes are near, exactly: what the accurate distance (geodisk_distance_gap) says, among equal ones the
 * smaller number first. Results do not depend on the method, on threads, or on how questions are put together. It keeps a pointer
 * to the model, which must outlive it and not be changed.
 *   SCAN   looks at every point, several questions at a time. Costs nothing to make.
 *   TREE   a tree of boxes (docs/models.md) that leaves most points out. Costs as much as some 1000 questions; slower than the
 *          scan in high dimensions.
 *   CUDA   a device (docs/cuda.md) finds who may be near, for at most 32 answers to a question on any side; else as SCAN. Keeps
 *          the points there.
 *   AUTO   the tree if `questions` are many and a sample of them shows that it is faster.
 *   CUDA_AUTO  a device where there is one and `questions` are enough for it; where there is none, as AUTO. What it has no memory
 *          for, or fails at, is looked for on the processor, and a log event says so.
 * Memory: at most 16 MB and 4 bytes per node. */
typedef struct geodisk_index geodisk_index;
typedef enum geodisk_search {
  GEODISK_SEARCH_AUTO = 0,
  GEODISK_SEARCH_SCAN = 1,
  GEODISK_SEARCH_TREE = 2,
  GEODISK_SEARCH_CUDA = 3,
  GEODISK_SEARCH_CUDA_AUTO = 4
} geodisk_search;

/* Errors: ARGUMENT (a model over arrays that are not contiguous is fine), MEMORY; CUDA: UNSUPPORTED (no device), DEVICE. */
GEODISK_API geodisk_status geodisk_index_create(geodisk_context *context, const geodisk_model *model, geodisk_search search,
                                                size_t questions, geodisk_index **out);
GEODISK_API void geodisk_index_destroy(geodisk_index *index);
GEODISK_API geodisk_search geodisk_index_search(const geodisk_index *index); /* never one of the two AUTO */

typedef struct geodisk_neighbour {
  uint32_t node;
  double distance;
} geodisk_neighbour;

/* Where to look: anywhere; nearer to the origin than the node asked about (higher in the hierarchy: its parents); farther (lower:
 * its children). gensim's closest_parent and closest_child are the nearest of these. */
typedef enum geodisk_side { GEODISK_SIDE_ANY = 0, GEODISK_SIDE_HIGHER = 1, GEODISK_SIDE_LOWER = 2 } geodisk_side;

/* What is asked: the k nearest nodes of each of n nodes, itself not counted; or, where `nodes` is NULL, of n points. */
typedef struct geodisk_nearest_query {
  size_t n;
  const uint32_t *nodes; /* n, or NULL */
  size_t k;
  geodisk_side side;
  const double *x;   /* n x dim: the points */
  const double *gap; /* n, or NULL: computed from the coordinates */
} geodisk_nearest_query;

/* The nearest first: those of node (or point) i are out[i*k] .. out[i*k + found[i] - 1]. gensim's most_similar. Errors: ARGUMENT
 * (a number that is not a node, a point outside the ball, k = 0), MEMORY, STOPPED. */
GEODISK_API geodisk_status geodisk_index_nearest(geodisk_context *context, const geodisk_index *index,
                                                 const geodisk_nearest_query *query, geodisk_neighbour *out /* n x k */,
                                                 size_t *found /* n */);

/* The closest parent of each of n nodes, its closest parent, and so on (side HIGHER: gensim's ancestors; LOWER: its descendants),
 * at most k of them. */
GEODISK_API geodisk_status geodisk_index_chain(geodisk_context *context, const geodisk_index *index,
                                               const geodisk_nearest_query *query, geodisk_neighbour *out /* n x k */,
                                               size_t *found /* n */);

/* The rank of b among the neighbours of a: 1 + how many nodes are nearer to a than b is. gensim's rank. */
GEODISK_API geodisk_status geodisk_index_rank(geodisk_context *context, const geodisk_index *index, uint32_t a, uint32_t b,
                                              size_t *out);

/* ---- the hierarchy that a model knows -------------------------------------------------------------------------------------- */

/* "Is c a p?" Yes where the score d(p,c) - d(o,c) (geodisk_half_space_score), o the centre, is at most a threshold. A model of a
 * hierarchy has its decision in the file (geodisk_learn_hierarchy, eval.h, finds it when training ends): the centre, the
 * threshold, how sure to be. One that was trained on the closure has for each node its reach too: how far the farthest of its
 * ancestors was; where a node has one, its own threshold is reach - d(o,c), and the common one is for nodes that were placed
 * later. Beside an order (below) a node's reach is how far there is nothing, or little, but what it was trained to be near to:
 * what the vectors have within it is above the node, too, and parents are named among it. docs/knowledge.md says how good the
 * answers are.
 *
 * For example:
 *     geodisk_hierarchy *tree = NULL;
 *     geodisk_is_a_answer answer;
 *     if (geodisk_hierarchy_create(context, model, NULL, &tree) == GEODISK_OK &&
 *         geodisk_hierarchy_is_a(context, tree, dog, mammal, &answer) == GEODISK_OK)
 *       printf("%s, %.3f\n", answer.is_a ? "yes" : "no", answer.probability);
 *     geodisk_hierarchy_destroy(tree);
 *
 * with the numbers of the two nodes from geodisk_model_find. */
#define GEODISK_HIERARCHY_ORIGIN UINT32_MAX /* the origin */

typedef struct geodisk_hierarchy_info {
  uint32_t centre;              /* the node that is the centre */
  double threshold;             /* of scores */
  double slope, offset;         /* probability = 1 / (1 + exp(-(slope (threshold - score) + offset))) */
  double precision, recall, f1; /* of the decision, over the edges and non-edges it was found by */
  bool own_reach;               /* nodes have thresholds of their own: it was trained on the closure */
  bool order;                   /* scores are of the order beside the vectors, below */
  bool near;                    /* beside it nodes have reaches of the vectors, within which all is above them, if not below */
} geodisk_hierarchy_info;

/* The decision in a model; false: there is none. Setting one: `reach` has a number for each node (-1: not known), or is NULL.
 * Errors: ARGUMENT (there is one already; numbers that are not finite, shares that are none, a centre that is no node),
 * MEMORY. */
GEODISK_API bool geodisk_model_hierarchy(const geodisk_model *model, geodisk_hierarchy_info *out);
GEODISK_API geodisk_status geodisk_model_set_hierarchy(geodisk_context *context, geodisk_model *model,
                                                       const geodisk_hierarchy_info *info, const float *reach);
/* Takes the decision out of a model, its reaches and its order too. */
GEODISK_API void geodisk_model_forget_hierarchy(geodisk_model *model);

/* The order beside the vectors. Ranks of some of the edges and "is c a p?" of all that follows ask for different places, so a
 * model that was trained on direct links or a part of the closure (or on a closure that its vectors hold badly) has for each node
 * a second point, in the hyperbolic plane (the
 * unit ball of curvature -1), as geodisk_auto_learn (auto.h) finds it: x, y and the gap 1 - x^2 - y^2. Where a model has it, all
 * questions below are answered by it. Such a model is of points in a product of two spaces. `points`: nodes x 3; NULL: there is
 * none. Setting it, before the decision: points are copied. Errors: ARGUMENT (there is one, or a decision), NUMERIC (not inside
 * the plane), MEMORY. */
/* The score of "c is below p" in an order, from d(p,c), d(o,p) and d(o,c): d(p,c) - d(o,c) where p is nearer to o than c, and
 * else, where c cannot be below p, d(p,c) + d(o,p). Without the second case what has a child on its own ray would be below that.
 */
GEODISK_API double geodisk_order_score(double distance, double parent_radius, double child_radius);

GEODISK_API const double *geodisk_model_order(const geodisk_model *model);
GEODISK_API geodisk_status geodisk_model_set_order(geodisk_context *context, geodisk_model *model, const double *points);

/* A model ready to be asked; it must outlive this. `threshold` (or NULL) replaces those in the model. Errors: ARGUMENT (a model
 * without a threshold and none given, flat space), MEMORY. Memory: dim + 3 numbers per node. */
typedef struct geodisk_hierarchy geodisk_hierarchy;
GEODISK_API geodisk_status geodisk_hierarchy_create(geodisk_context *context, const geodisk_model *model,
                                                    const double *threshold /* or NULL */, geodisk_hierarchy **out);
GEODISK_API void geodisk_hierarchy_destroy(geodisk_hierarchy *hierarchy);

typedef struct geodisk_is_a_answer {
  bool is_a;
  double probability, score, threshold;
} geodisk_is_a_answer;
GEODISK_API geodisk_status geodisk_hierarchy_is_a(geodisk_context *context, const geodisk_hierarchy *hierarchy, uint32_t child,
                                                  uint32_t parent, geodisk_is_a_answer *out);

/* Sets of nodes; `out` has room for as many as the model has. Errors: ARGUMENT, MEMORY. Time: a distance to every node.
 *   ancestors    all nodes above, the deepest last
 *   parents      those of them that are above no other of them, the deepest first
 *   descendants  all nodes below, the nearest to the centre first
 *   children     those of them that are below no other of them
 *   siblings     the other children of the parents
 *   analogy      a is to b as c is to what? With b some levels above a, what is as many above c; with b below a, as many below c;
 *                nothing where neither is above the other (geodisk_model_analogy has an answer then) */
GEODISK_API geodisk_status geodisk_hierarchy_ancestors(geodisk_context *context, const geodisk_hierarchy *hierarchy,
                                                       uint32_t node, uint32_t *out, size_t *found);
GEODISK_API geodisk_status geodisk_hierarchy_parents(geodisk_context *context, const geodisk_hierarchy *hierarchy, uint32_t node,
                                                     uint32_t *out, size_t *found);
GEODISK_API geodisk_status geodisk_hierarchy_descendants(geodisk_context *context, const geodisk_hierarchy *hierarchy,
                                                         uint32_t node, uint32_t *out, size_t *found);
GEODISK_API geodisk_status geodisk_hierarchy_children(geodisk_context *context, const geodisk_hierarchy *hierarchy, uint32_t node,
                                                      uint32_t *out, size_t *found);
GEODISK_API geodisk_status geodisk_hierarchy_siblings(geodisk_context *context, const geodisk_hierarchy *hierarchy, uint32_t node,
                                                      uint32_t *out, size_t *found);
GEODISK_API geodisk_status geodisk_hierarchy_analogy(geodisk_context *context, const geodisk_hierarchy *hierarchy, uint32_t a,
                                                     uint32_t b, uint32_t c, uint32_t *out, size_t *found);

/* The deepest node that is above both, or one of them if it is above the other. *found: whether there is one. */
GEODISK_API geodisk_status geodisk_hierarchy_common_ancestor(geodisk_context *context, const geodisk_hierarchy *hierarchy,
                                                             uint32_t a, uint32_t b, uint32_t *out, bool *found);

/* ---- placing new nodes ------------------------------------------------------------------------------------------------- */

/* A new node u finds its place among nodes that stay where they are, from its edges to some of them. With e_m = exp(-d(u,m)) and
 * Z_w = the sum of exp(-d(w,m)) over the model's nodes m other than w, the place minimises the part of the training loss
 * (Nickel and Kiela's) that depends on it:
 *
 *     for each edge u -> v     -log( e_v / (e_v + sum of e_m over the nodes u has no edge with) )
 *     for each edge c -> u     -log( e_c / (e_c + Z_c) )
 *     for each of the model's nodes w nearest to u's start, as the source of an edge of its own:   log( 1 + e_w / Z_w )
 *
 * The last part is what keeps u from falling onto its parent, where the first alone would put it. Descent begins near the
 * barycenter of the neighbours, a little farther out and in a direction of its own (drawn from the seed and the name), and goes
 * along geodesics with steps that never increase the loss. Far out the loss goes on falling, ever more slowly, without end: the
 * tolerance is how slowly is slow enough, a decrease per unit of length.
 *
 * In a model that was trained on the closure of a hierarchy (own_reach) every node has an edge to all its ancestors. So a new
 * node has, beside the edges that are given, those to what the model holds for ancestors of its parents; and one with children
 * but no parents those to what is above all of its children. In a model with an order a new node finds a place in it, too: below
 * its parents, in the widest gap between what stands there; without parents, around its children. */
typedef struct geodisk_placed {
  uint32_t node;        /* in the new model */
  double loss;          /* at its place */
  double gradient_norm; /* there */
  uint64_t iterations;  /* steps taken */
  bool converged;       /* the gradient is within the tolerance, or no step decreases the loss any more */
  uint32_t round;       /* 0: placed by nodes of the model; n: its neighbours were placed in round n - 1 */
} geodisk_placed;

typedef struct geodisk_place_options {
  size_t negatives;    /* sums run over so many nodes drawn from the seed, scaled up; 0: over all, exactly */
  size_t competitors;  /* how many nodes w; 0: 16 */
  uint64_t iterations; /* at most; 0: 200 */
  double tolerance;    /* of the gradient's norm; 0: 0.01 */
  uint64_t seed;
  bool as_given;          /* no edges but those of the graph */
  geodisk_placed *placed; /* filled, an entry per new node; it has room for geodisk_graph_nodes(graph). NULL: not wanted */
} geodisk_place_options;

typedef struct geodisk_place_info {
  size_t placed;
  size_t rounds;
  uint64_t known_edges; /* edges between nodes of the model: not used */
  uint64_t late_edges;  /* edges between new nodes that were placed in the same round: not used */
} geodisk_place_info;

/* A model with the nodes of `model`, unchanged and with their numbers, followed by those of `graph` that it does not have, in
 * their order. New nodes without an edge to the model's are placed by their neighbours once those are. Metadata, counts (for
 * new nodes: their edges) and what the model knows of its hierarchy go along, other extra tensors do not. Each node's place
 * depends on the model, its edges and the options alone; so it is the same for any number of threads, and whatever else is placed
 * in the same round. Errors:
 * ARGUMENT (no new nodes; new nodes that no chain of edges joins to the model, with their names; weights that are all zero),
 * MEMORY, NUMERIC, STOPPED. Time: 100 to 400 passes over the sums' nodes per new node. */
GEODISK_API geodisk_status geodisk_model_place(geodisk_context *context, const geodisk_model *model, const geodisk_graph *graph,
                                               const geodisk_place_options *options /* or NULL */,
                                               geodisk_place_info *info /* or NULL */, geodisk_model **out);

/* The likely parents of a node: the k nearest nodes above it, with p = exp(-d(u,v)) / (sum of exp(-d(u,m)) over all m other than
 * u), the model's own probability of the edge u -> v among all edges from u. */
typedef struct geodisk_parent {
  uint32_t node;
  double distance;
  double probability;
} geodisk_parent;
GEODISK_API geodisk_status geodisk_index_parents(geodisk_context *context, const geodisk_index *index, uint32_t node, size_t k,
                                                 geodisk_parent *out /* k */, size_t *found);

/* The same by the half-space score: first the nodes above, the deepest first, then those that are nearly so; `probability` is
 * that of "node is a v". */
GEODISK_API geodisk_status geodisk_hierarchy_likely_parents(geodisk_context *context, const geodisk_hierarchy *hierarchy,
                                                            uint32_t node, size_t k, geodisk_parent *out /* k */, size_t *found);

/* The same of a node that was placed by the edges of `graph`, which names it, with what they say before the rest: the parents
 * that are given, the deepest first; or, where only children are, what is above all of them, the deepest first. What `geodisk
 * place` prints for models that know their hierarchy. */
GEODISK_API geodisk_status geodisk_hierarchy_placed_parents(geodisk_context *context, const geodisk_hierarchy *hierarchy,
                                                            const geodisk_graph *graph, uint32_t node, size_t k,
                                                            geodisk_parent *out /* k */, size_t *found);

/* ---- making a model ------------------------------------------------------------------------------------------------- */

typedef struct geodisk_model_spec {
  size_t nodes;                /* 1 to 4,294,967,294 */
  geodisk_ball ball;           /* its dim (up to 65,536) counts in any space, radius and curvature in hyperbolic space only */
  geodisk_space space;         /* where distances are taken */
  geodisk_precision precision; /* of vectors and gaps */
  bool counts;                 /* a count for each node */

  /* Names: different, UTF-8, without NUL bytes. Either one block, where name i is names[starts[i]] .. names[starts[i + 1] - 2]
   * and then a NUL (as geodisk_graph_names gives it), or a list of strings, which are copied; or those of a graph, which the
   * model shares with it, whichever of them is destroyed first. All NULL: "0", "1", ... */
  const char *names;
  const uint64_t *starts; /* nodes + 1, the first 0 */
  const char *const *name_list;
  const geodisk_graph *graph; /* of as many nodes */

  /* Where vectors and gaps already lie, so that they can be written without a copy: row i begins i * stride numbers (of the
   * model's precision) after the pointer; stride 0: rows are contiguous. The arrays stay the caller's and must outlive the model,
   * which only reads them. NULL: the model allocates them, zero (gaps R^2, so that every point is the origin). */
  const void *vectors;
  size_t vectors_stride;
  const void *gap; /* must be given together with vectors in hyperbolic space */
  size_t gap_stride;
} geodisk_model_spec;

/* Errors: ARGUMENT (a name that is not UTF-8 or occurs twice, a size out of range, a ball that is not valid), MEMORY. */
GEODISK_API geodisk_status geodisk_model_create(geodisk_context *context, const geodisk_model_spec *spec, geodisk_model **out);

/* A copy with arrays of its own, which can be changed (those of a model that was read cannot), its vectors and gaps in the
 * precision asked for. Extra tensors come along if `extras`. Errors: ARGUMENT, MEMORY. */
GEODISK_API geodisk_status geodisk_model_copy(geodisk_context *context, const geodisk_model *model, geodisk_width width,
                                              bool extras, geodisk_model **out);

/* Whether its points may be in a model file: finite vectors inside the ball, gaps that belong to them (geodisk_model_read has the
 * bounds). geodisk_model_create takes arrays as they are; this is for those that come from elsewhere. NUMERIC names the first
 * node that may not. */
GEODISK_API geodisk_status geodisk_model_check(geodisk_context *context, const geodisk_model *model);

/* Whether points of the model are points of this ball (in Euclidean space: of its dimension): the same space, dim, and in
 * hyperbolic space radius and curvature. ARGUMENT, naming both sides; `label` stands for the model. */
GEODISK_API geodisk_status geodisk_model_fits(geodisk_context *context, const geodisk_model *model, const char *label,
                                              geodisk_space space, const geodisk_ball *ball);

/* ---- metadata: texts by key ------------------------------------------------------------------------------------------ */

/* Keys in use: "options" (JSON), "history_columns", "seed", "program". The file's own keys (format, format_version, space,
 * radius, curvature, crc32c and what begins with it) cannot be set. Texts are UTF-8 and copied; setting NULL removes. Errors:
 * ARGUMENT, MEMORY. */
GEODISK_API geodisk_status geodisk_model_set(geodisk_context *context, geodisk_model *model, const char *key, const char *text);
GEODISK_API const char *geodisk_model_get(const geodisk_model *model, const char *key); /* NULL: not there */

/* Keys in ascending order of their bytes; NULL for a number past the last. */
GEODISK_API const char *geodisk_model_key(const geodisk_model *model, size_t index);

/* Whether a model was trained on this graph, or on what can be made of it; by the fingerprint in its file ("graph"), whatever the
 * order of the nodes. Errors: ARGUMENT, MEMORY, STOPPED. */
typedef enum geodisk_trained_on {
  GEODISK_TRAINED_ON_UNKNOWN = 0, /* the model does not say */
  GEODISK_TRAINED_ON_THIS = 1,
  GEODISK_TRAINED_ON_CLOSURE = 2, /* of it; so are the next */
  GEODISK_TRAINED_ON_UNDIRECTED = 3,
  GEODISK_TRAINED_ON_REDUCTION = 4,
  GEODISK_TRAINED_ON_REVERSE = 5,
  GEODISK_TRAINED_ON_REVERSED_CLOSURE = 6,
  GEODISK_TRAINED_ON_UNDIRECTED_CLOSURE = 7,
  GEODISK_TRAINED_ON_ANOTHER = 8
} geodisk_trained_on;
GEODISK_API geodisk_status geodisk_model_trained_on(geodisk_context *context, const geodisk_model *model,
                                                    const geodisk_graph *graph, geodisk_trained_on *out);

/* ---- extra tensors: arrays by name ------------------------------------------------------------------------------------ */

typedef enum geodisk_type {
  GEODISK_TYPE_F64 = 0, /* double */
  GEODISK_TYPE_F32 = 1, /* float */
  GEODISK_TYPE_U64 = 2,
  GEODISK_TYPE_U32 = 3,
  GEODISK_TYPE_U8 = 4
} geodisk_type;

GEODISK_API size_t geodisk_type_size(geodisk_type type); /* bytes of one number */

enum { GEODISK_TENSOR_RANK = 4 };

typedef struct geodisk_tensor {
  geodisk_type type;
  int rank; /* 0 (one number) to GEODISK_TENSOR_RANK */
  size_t shape[GEODISK_TENSOR_RANK];
  const void *data; /* row-major */
  size_t stride;    /* numbers from one row (first index) to the next; 0: contiguous */
} geodisk_tensor;

/* Vectors and gaps wherever they lie, with the stride of their rows, as a trainer's model has them. Data NULL: there is none. */
GEODISK_API geodisk_tensor geodisk_model_vector_rows(const geodisk_model *model);
GEODISK_API geodisk_tensor geodisk_model_gap_rows(const geodisk_model *model);

/* Adds a tensor under a new name (UTF-8, not empty; not vectors, gap, counts, names, name_offsets, nor beginning with "__"). With
 * tensor->data NULL the model allocates it, zero, and *data is where to fill it in; else it stays the caller's, must outlive the
 * model, and *data is set to NULL. `data` may be NULL in that case. Errors: ARGUMENT, MEMORY. */
GEODISK_API geodisk_status geodisk_model_add_tensor(geodisk_context *context, geodisk_model *model, const char *name,
                                                    const geodisk_tensor *tensor, void **data);

/* An extra tensor by its name, or by its number in ascending order of names. False: there is none; *out, *name untouched. */
GEODISK_API bool geodisk_model_tensor(const geodisk_model *model, const char *name, geodisk_tensor *out);
GEODISK_API bool geodisk_model_tensor_at(const geodisk_model *model, size_t index, const char **name, geodisk_tensor *out);

/* ---- history: what a training noted --------------------------------------------------------------------------------------- */

/* A table with a row for each epoch. In the model it is the tensor "history" (F64, rows x columns) and the text
 * "history_columns"; geodisk_model_copy and geodisk_model_place take it along, with or without other tensors. */
typedef struct geodisk_history {
  size_t rows, columns;
  const char *names; /* of the columns, divided by single blanks: "epoch lr loss ..."; 1 to 64, different, the first is epoch */
  const double *values; /* rows x columns, none NaN; epochs are whole numbers from 0 to 2^53 that ascend */
} geodisk_history;

/* A history of up to GEODISK_HISTORY_ROWS epochs is kept whole. Of a longer one, of n epochs, those stay that
 * geodisk_history_keeps names: the last 8192, and every s-th, s the smallest power of two with which they are at most 8192.
 * Whoever keeps the rows of n epochs, adds rows and thins again has the same rows as if all had been there, so that a resumed
 * training writes the same bytes. */
enum { GEODISK_HISTORY_ROWS = 16384 };
GEODISK_API bool geodisk_history_keeps(uint64_t epoch, uint64_t epochs);

/* Sets the history, which is copied and thinned (n is the last row's epoch + 1); NULL or no rows: removes it. After an error the
 * model has none. Errors: ARGUMENT (names), NUMERIC (a NaN, an epoch out of order; the row), MEMORY. */
GEODISK_API geodisk_status geodisk_model_set_history(geodisk_context *context, geodisk_model *model,
                                                     const geodisk_history *history);

/* The history; its pointers are the model's. False: there is none, *out untouched. */
GEODISK_API bool geodisk_model_history(const geodisk_model *model, geodisk_history *out);

/* The number of a column; SIZE_MAX: there is none of that name. Pure. */
GEODISK_API size_t geodisk_history_column(const geodisk_history *history, const char *name);

#ifdef __cplusplus
}
#endif
#endif
