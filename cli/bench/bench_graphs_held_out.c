/* bench_graphs_held_out.c - `geodisk bench graphs --held-out`: a tenth of the edges of a network hidden, and the ranks they get
 * from what is trained on the rest, and from counting shared neighbours. */
#include "bench_graphs.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { HIDDEN = 10 /* percent */, RECIPE = 2, SHARED = 3 };

typedef struct found {
  double map[BENCH_HELD_OUT_METHODS], mean_rank[BENCH_HELD_OUT_METHODS];
} found;

/* ---- trained ---- */

static geodisk_status train(geodisk_context *context, const geodisk_graph *graph, int dim, int method, geodisk_model **out) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  geodisk_model *model = NULL;
  geodisk_status status = GEODISK_OK;
  options.dim = dim;
  if (method == RECIPE) {
    status = geodisk_train_recipe(context, "link-prediction", &options);
    if (status == GEODISK_OK)
      status = geodisk_trainer_create(context, graph, &options, &trainer);
  } else {
    options.space = method == 0 ? GEODISK_SPACE_HYPERBOLIC : GEODISK_SPACE_EUCLIDEAN;
    status = geodisk_auto_trainer(context, graph, &options, NULL, &trainer);
  }
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  if (status == GEODISK_OK)
    status = geodisk_trainer_model(trainer, &model);
  if (status == GEODISK_OK)
    status = geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, false, out);
  geodisk_model_destroy(model);
  geodisk_trainer_destroy(trainer);
  return status;
}

static geodisk_status judge(geodisk_context *context, const geodisk_model *model, const geodisk_split *split, double *map,
                            double *mean_rank) {
  geodisk_eval_points points;
  geodisk_relation *test = NULL, *known = NULL;
  geodisk_ranking ranking;
  geodisk_status status = geodisk_eval_points_of_model(context, model, geodisk_model_space(model), &points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create(context, split->test, model, false, NULL, &test);
  if (status == GEODISK_OK)
    status = geodisk_relation_create(context, split->train, model, false, NULL, &known);
  if (status == GEODISK_OK)
    status = geodisk_eval_ranking(context, &points, test, known, NULL, &ranking);
  if (status == GEODISK_OK) {
    *map += ranking.map.value;
    *mean_rank += ranking.mean_rank.value;
  }
  geodisk_relation_destroy(test);
  geodisk_relation_destroy(known);
  return status;
}

/* ---- shared neighbours ---- */

/* Adamic and Adar (2003): each neighbour that two nodes share counts 1/log(its degree). */
static void add_scores(const geodisk_graph_rows *rows, uint32_t u, double *score) {
  for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++) {
    const uint32_t between = rows->nodes[e];
    const double degree = (double)(rows->offsets[between + 1] - rows->offsets[between]);
    for (uint64_t f = rows->offsets[between]; f < rows->offsets[between + 1]; f++)
      score[rows->nodes[f]] += 1.0 / log(degree > 2.0 ? degree : 2.0);
  }
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The ranks of u's hidden neighbours among all that are none, ties half; and their average precision. */
static double rank_node(const geodisk_graph *train, const double *score, const bool *hidden, uint32_t u, double *ranks,
                        size_t *count) {
  const size_t nodes = geodisk_graph_nodes(train);
  double precision = 0.0;
  *count = 0;
  for (size_t v = 0; v < nodes; v++) {
    double rank = 1.0;
    for (uint32_t m = 0; m < nodes && hidden[v]; m++)
      if (m != u && !hidden[m] && !geodisk_graph_has_edge(train, u, m))
        rank += score[m] > score[v] ? 1.0 : score[m] < score[v] ? 0.0 : 0.5;
    if (hidden[v])
      ranks[(*count)++] = rank;
  }
  qsort(ranks, *count, sizeof *ranks, by_size);
  for (size_t i = 0; i < *count; i++)
    precision += (double)(i + 1) / (ranks[i] + (double)i);
  return precision / (double)*count;
}

/* Nodes of the one graph have other numbers in the other. */
static bool mark_hidden(const geodisk_split *split, uint32_t test_node, uint32_t *u, bool *hidden) {
  const geodisk_graph_rows rows = geodisk_graph_out(split->test);
  bool fine = rows.offsets[test_node] < rows.offsets[test_node + 1] &&
              geodisk_graph_find(split->train, geodisk_graph_name(split->test, test_node),
                                 geodisk_graph_name_length(split->test, test_node), u);
  for (uint64_t e = rows.offsets[test_node]; e < rows.offsets[test_node + 1] && fine; e++) {
    uint32_t v;
    if ((fine = geodisk_graph_find(split->train, geodisk_graph_name(split->test, rows.nodes[e]),
                                   geodisk_graph_name_length(split->test, rows.nodes[e]), &v)))
      hidden[v] = true;
  }
  return fine;
}

static geodisk_status shared_neighbours(geodisk_context *context, const geodisk_split *split, double *map, double *mean_rank) {
  const size_t nodes = geodisk_graph_nodes(split->train);
  const geodisk_graph_rows rows = geodisk_graph_out(split->train);
  double *ranks = geodisk_allocate(nodes, sizeof *ranks), sum = 0.0, precisions = 0.0;
  size_t judged = 0, all = 0;
  bool memory = ranks != NULL;
  for (uint32_t t = 0; t < geodisk_graph_nodes(split->test) && memory; t++) {
    double *score = geodisk_allocate_zero(nodes, sizeof *score);
    bool *hidden = geodisk_allocate_zero(nodes, sizeof *hidden);
    uint32_t u = 0;
    size_t count = 0;
    memory = score != NULL && hidden != NULL;
    if (memory && mark_hidden(split, t, &u, hidden)) {
      add_scores(&rows, u, score);
      precisions += rank_node(split->train, score, hidden, u, ranks, &count);
      judged++;
      all += count;
      for (size_t i = 0; i < count; i++)
        sum += ranks[i];
    }
    geodisk_free_all(score, hidden);
  }
  free(ranks);
  *map += precisions / (double)judged;
  *mean_rank += sum / (double)all;
  return memory ? GEODISK_OK : geodisk_no_memory(context, "for %zu scores", nodes);
}

/* ---- a row ---- */

geodisk_status bench_graphs_held_out(geodisk_context *context, const bench_graph_row *row, const geodisk_graph *graph, int dim,
                                     FILE *out) {
  found f = {0};
  geodisk_status status = GEODISK_OK;
  for (uint64_t seed = 1; seed <= BENCH_HELD_OUT_SPLITS && status == GEODISK_OK; seed++) {
    const geodisk_split_options options = {.test = HIDDEN, .seed = seed};
    geodisk_split split = {0};
    status = geodisk_graph_split(context, graph, &options, &split);
    for (int m = 0; m < BENCH_HELD_OUT_METHODS && status == GEODISK_OK; m++) {
      geodisk_model *model = NULL;
      if (m == SHARED)
        status = shared_neighbours(context, &split, &f.map[m], &f.mean_rank[m]);
      else if ((status = train(context, split.train, dim, m, &model)) == GEODISK_OK)
        status = judge(context, model, &split, &f.map[m], &f.mean_rank[m]);
      geodisk_model_destroy(model);
    }
    geodisk_split_free(&split);
  }
  if (status != GEODISK_OK)
    return status;
  fprintf(out, "| %s | %zu, %zu | %d |", row->what, geodisk_graph_nodes(graph), geodisk_graph_edges(graph) / 2, dim);
  for (int m = 0; m < BENCH_HELD_OUT_METHODS; m++)
    fprintf(out, " %.3f (%.1f) |", f.map[m] / BENCH_HELD_OUT_SPLITS, f.mean_rank[m] / BENCH_HELD_OUT_SPLITS);
  fputs("\n", out);
  fflush(out);
  return status;
}
