/* generate.c - trees, grids and random graphs. Every draw comes from a stream of (seed, kind, part), and no libm is used, so a
 * seed gives the same graph on every machine. */
#include "order.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_GENERATED (UINT64_C(1) << 31)
enum { PROGRESS_STEP = 1 << 16 }; /* nodes or edges between two looks at whether to stop */

static geodisk_status fail_range(geodisk_context *context, const char *name, uint64_t value, const char *range) {
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "generate: %s %" PRIu64 " is out of range: %s", name, value, range);
}

/* ---- how many nodes --------------------------------------------------------------------------------------------------- */

static geodisk_status tree_nodes(geodisk_context *context, const geodisk_generate_options *o, uint64_t *nodes) {
  if (o->branching < 1 || o->branching > MAX_GENERATED)
    return fail_range(context, "branching", o->branching, "at least 1");
  uint64_t level = 1, total = 1;
  for (uint64_t d = 0; d < o->depth; d++) {
    level *= o->branching; /* both factors are at most 2^31 */
    total += level;
    if (total > MAX_GENERATED)
      return fail_range(context, "depth", o->depth, "the tree has more than 2^31 nodes");
  }
  *nodes = total;
  return GEODISK_OK;
}

static geodisk_status grid_nodes(geodisk_context *context, const geodisk_generate_options *o, uint64_t *nodes) {
  if (o->rows < 1 || o->rows > MAX_GENERATED)
    return fail_range(context, "rows", o->rows, "at least 1, and at most 2^31 nodes");
  if (o->columns < 1 || o->columns > MAX_GENERATED / o->rows)
    return fail_range(context, "columns", o->columns, "at least 1, and at most 2^31 nodes");
  *nodes = o->rows * o->columns;
  return GEODISK_OK;
}

static geodisk_status random_nodes(geodisk_context *context, const geodisk_generate_options *o, uint64_t *nodes) {
  if (o->nodes < 1 || o->nodes > MAX_GENERATED)
    return fail_range(context, "nodes", o->nodes, "from 1 to 2^31");
  if (o->kind == GEODISK_GENERATOR_BARABASI && (o->attach < 1 || o->attach >= o->nodes))
    return fail_range(context, "attach", o->attach, "at least 1, and less than nodes");
  if (o->kind == GEODISK_GENERATOR_BLOCKS) {
    if (o->blocks < 1 || o->blocks > o->nodes)
      return fail_range(context, "blocks", o->blocks, "at least 1, and at most nodes");
    if (!(o->p_in >= 0 && o->p_in <= 1 && o->p_out >= 0 && o->p_out <= 1))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "generate: p_in %g and p_out %g must be from 0 to 1", o->p_in,
                          o->p_out);
  }
  *nodes = o->nodes;
  return GEODISK_OK;
}

/* ---- edges ------------------------------------------------------------------------------------------------------------ */

static geodisk_random stream_of(const geodisk_generate_options *o, uint64_t part) {
  return geodisk_random_stream(o->seed, ((uint64_t)o->kind << 56) + part);
}

/* Somebody may want it to stop. */
static geodisk_status look_up(geodisk_context *context, const char *unit, uint64_t done, uint64_t total) {
  const geodisk_progress progress = {.task = "generating", .unit = unit, .done = done, .total = total};
  return done % PROGRESS_STEP != 0 || geodisk_progress_event(context, &progress) ? GEODISK_OK : GEODISK_ERROR_STOPPED;
}

static geodisk_status add(geodisk_context *context, graph_builder *builder, uint64_t child, uint64_t parent) {
  const geodisk_status status = builder_add(builder, (uint32_t)child, (uint32_t)parent, -1, 0);
  return status == GEODISK_OK ? look_up(context, "edges", builder->edges, 0) : status;
}

static geodisk_status tree_edges(geodisk_context *context, const geodisk_generate_options *o, uint64_t nodes,
                                 graph_builder *builder) {
  geodisk_status status = GEODISK_OK;
  for (uint64_t i = 1; i < nodes && status == GEODISK_OK; i++)
    status = add(context, builder, i, (i - 1) / o->branching);
  return status;
}

static geodisk_status recursive_edges(geodisk_context *context, const geodisk_generate_options *o, uint64_t nodes,
                                      graph_builder *builder) {
  geodisk_random random = stream_of(o, 0);
  geodisk_status status = GEODISK_OK;
  for (uint64_t i = 1; i < nodes && status == GEODISK_OK; i++)
    status = add(context, builder, i, geodisk_random_below(&random, i));
  return status;
}

static geodisk_status grid_edges(geodisk_context *context, const geodisk_generate_options *o, uint64_t nodes,
                                 graph_builder *builder) {
  geodisk_status status = GEODISK_OK;
  uint64_t column = 0;
  for (uint64_t i = 0; i < nodes && status == GEODISK_OK; i++) {
    if (i >= o->columns)
      status = add(context, builder, i, i - o->columns);
    if (column > 0 && status == GEODISK_OK)
      status = add(context, builder, i, i - 1);
    column = column + 1 < o->columns ? column + 1 : 0;
  }
  return status;
}

/* `ends` holds both ends of every edge so far: a uniform draw from it is one in proportion to the degrees. */
static geodisk_status barabasi_edges(geodisk_context *context, const geodisk_generate_options *o, uint64_t nodes,
                                     graph_builder *builder) {
  const uint64_t m = o->attach;
  geodisk_random random = stream_of(o, 0);
  uint32_t *ends = geodisk_allocate((size_t)(2 * m * (nodes - m)), sizeof *ends);
  uint32_t *chosen_by = geodisk_allocate_zero((size_t)nodes, sizeof *chosen_by); /* 0: none yet */
  geodisk_status status = ends != NULL && chosen_by != NULL ? GEODISK_OK : GEODISK_ERROR_MEMORY;
  uint64_t used = 0;
  for (uint64_t i = 1; i < nodes && status == GEODISK_OK; i++) {
    const uint64_t before = used, edges = i <= m ? 1 : m;
    for (uint64_t k = 0; k < edges && status == GEODISK_OK; k++) {
      uint32_t to = 0; /* the star's centre */
      if (i > m) {
        do
          to = ends[geodisk_random_below(&random, before)];
        while (chosen_by[to] == i);
        chosen_by[to] = (uint32_t)i;
      }
      ends[used++] = (uint32_t)i;
      ends[used++] = to;
      status = add(context, builder, i, to);
    }
  }
  geodisk_free_all(ends, chosen_by);
  return status;
}

/* 2 artanh(s) = log((1+s)/(1-s)) for |s| <= 0.18: the first term left out is below 2^-60 of the sum. Only + - * /, so that every
 * machine gets the same bits. */
static double log_ratio(double s) {
  const double s2 = s * s;
  double sum = 0;
  for (int k = 25; k >= 1; k -= 2)
    sum = sum * s2 + 1.0 / k;
  return 2 * s * sum;
}

/* log(x) for 0 < x <= 1. */
static double portable_log(double x) {
  static const double log_2 = 0.69314718055994530942;
  int exponent;
  double m = frexp(x, &exponent); /* exact */
  if (m < 0.70710678118654752440) {
    m *= 2;
    exponent--;
  }
  return exponent * log_2 + log_ratio((m - 1) / (m + 1));
}

/* log(1 - p) for 0 < p < 1. */
static double portable_log1m(double p) { return p < 0.25 ? log_ratio(-p / (2 - p)) : portable_log(1 - p); }

typedef struct block_pair {
  uint64_t first_row, rows;       /* ids of the higher block */
  uint64_t first_column, columns; /* ids of the lower one; the same for pairs inside a block */
  double p;
} block_pair;

/* Each pair with probability p: the number of pairs passed over between two edges is geometric. Pair k is row k / columns, or
 * inside a block row i and column j < i with k = i (i - 1) / 2 + j. */
static geodisk_status pair_edges(geodisk_context *context, geodisk_random random, const block_pair *b, graph_builder *builder) {
  const bool inside = b->first_row == b->first_column;
  const uint64_t pairs = inside ? b->rows * (b->rows - 1) / 2 : b->rows * b->columns;
  const double rate = b->p < 1 ? portable_log1m(b->p) : 0;
  uint64_t row = inside, row_start = 0; /* the row of pair k, and its first pair */
  for (uint64_t k = 0; k < pairs && b->p > 0; k++) {
    if (b->p < 1) {
      const double skip = floor(portable_log(1 - geodisk_random_uniform(&random)) / rate);
      if (!(skip < (double)(pairs - k)))
        return GEODISK_OK;
      k += (uint64_t)skip;
    }
    while (k >= row_start + (inside ? row : b->columns)) {
      row_start += inside ? row : b->columns;
      row++;
    }
    const geodisk_status status = add(context, builder, b->first_row + row, b->first_column + (k - row_start));
    if (status != GEODISK_OK)
      return status;
  }
  return GEODISK_OK;
}

static geodisk_status block_edges(geodisk_context *context, const geodisk_generate_options *o, uint64_t nodes,
                                  graph_builder *builder) {
  const uint64_t size = nodes / o->blocks, larger = nodes % o->blocks; /* the first `larger` blocks have one more */
  geodisk_status status = GEODISK_OK;
  for (uint64_t a = 0; a < o->blocks && status == GEODISK_OK; a++)
    for (uint64_t c = 0; c <= a && status == GEODISK_OK; c++) {
      const block_pair pair = {.first_row = a * size + (a < larger ? a : larger),
                               .rows = size + (a < larger),
                               .first_column = c * size + (c < larger ? c : larger),
                               .columns = size + (c < larger),
                               .p = a == c ? o->p_in : o->p_out};
      status = pair_edges(context, stream_of(o, a * o->blocks + c), &pair, builder);
    }
  return status;
}

/* ---- public ----------------------------------------------------------------------------------------------------------- */

typedef geodisk_status nodes_fn(geodisk_context *, const geodisk_generate_options *, uint64_t *);
typedef geodisk_status edges_fn(geodisk_context *, const geodisk_generate_options *, uint64_t, graph_builder *);

static const struct {
  nodes_fn *nodes;
  edges_fn *edges;
} generators[] = {
    [GEODISK_GENERATOR_TREE] = {tree_nodes, tree_edges},      [GEODISK_GENERATOR_RECURSIVE] = {random_nodes, recursive_edges},
    [GEODISK_GENERATOR_GRID] = {grid_nodes, grid_edges},      [GEODISK_GENERATOR_BARABASI] = {random_nodes, barabasi_edges},
    [GEODISK_GENERATOR_BLOCKS] = {random_nodes, block_edges},
};

static geodisk_status add_numbers(geodisk_context *context, uint64_t nodes, name_table *names) {
  geodisk_status status = GEODISK_OK;
  for (uint64_t i = 0; i < nodes && status == GEODISK_OK; i++) {
    char name[24];
    uint32_t id;
    bool is_new;
    const int length = snprintf(name, sizeof name, "%" PRIu64, i);
    status = names_intern(names, name, (size_t)length, &id, &is_new);
    status = status == GEODISK_OK ? look_up(context, "nodes", i + 1, nodes) : status;
  }
  return status;
}

static geodisk_status shape(geodisk_context *context, geodisk_shape wanted, geodisk_graph *directed, geodisk_graph **out) {
  if (wanted == GEODISK_SHAPE_DIRECTED) {
    *out = directed;
    return GEODISK_OK;
  }
  const geodisk_status status = wanted == GEODISK_SHAPE_CLOSED ? geodisk_graph_closure(context, directed, NULL, out)
                                                               : geodisk_graph_undirected(context, directed, out);
  geodisk_graph_destroy(directed);
  return status;
}

geodisk_status geodisk_graph_generate(geodisk_context *context, const geodisk_generate_options *options, geodisk_graph **out) {
  if (options == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "generate: %s is NULL", options == NULL ? "options" : "out");
  if ((unsigned)options->kind >= sizeof generators / sizeof generators[0])
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "generate: there is no generator %d", (int)options->kind);
  if ((unsigned)options->shape > GEODISK_SHAPE_UNDIRECTED)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "generate: there is no shape %d", (int)options->shape);
  uint64_t nodes = 0;
  geodisk_status status = generators[options->kind].nodes(context, options, &nodes);
  if (status != GEODISK_OK)
    return status;
  graph_builder builder = {.weighted = false};
  geodisk_graph *directed = NULL;
  status = add_numbers(context, nodes, &builder.names);
  if (status == GEODISK_OK)
    status = generators[options->kind].edges(context, options, nodes, &builder);
  if (status != GEODISK_OK) {
    builder_free(&builder);
    if (status == GEODISK_ERROR_STOPPED)
      return geodisk_fail(context, status, "generate: stopped");
    return geodisk_fail(context, status, "generate: not enough memory for %" PRIu64 " nodes", nodes);
  }
  status = builder_finish(context, &builder, NULL, NULL, &directed);
  return status == GEODISK_OK ? shape(context, options->shape, directed, out) : status;
}
