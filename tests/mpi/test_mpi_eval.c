/* test_mpi_eval.c - ranks found by all ranks are those of a plain process, to the last bit: both definitions, both precisions,
 * samples with their intervals, flat and deep points, a graph in another order than the model, nodes that are missing. */
#include <string.h>

#include "geodisk/eval.h"
#include "mpi/launch.h"
#include "mpi_testing.h"

static const char model_path[] = "judged.safetensors", graph_path[] = "judged.tsv";

static void same(geodisk_estimate a, geodisk_estimate b) {
  check(memcmp(&a.value, &b.value, sizeof a.value) == 0);
  check(memcmp(&a.low, &b.low, sizeof a.low) == 0 && memcmp(&a.high, &b.high, sizeof a.high) == 0);
}

/* Both ways, on the files. */
static void compare(geodisk_context *context, const geodisk_ranking_options *options, bool skip) {
  geodisk_mpi mpi = {.comm = MPI_COMM_WORLD, .rank = rank_here(), .ranks = ranks_here()};
  const geodisk_mpi_judged judged = {.model = model_path, .graph = graph_path, .skip_missing = skip};
  geodisk_model *model = NULL;
  geodisk_graph *graph = NULL;
  geodisk_relation *relation = NULL;
  geodisk_eval_points points;
  geodisk_ranking expected, got;
  uint64_t nodes = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  check_ok(context, geodisk_model_read(context, model_path, &model));
  check_ok(context, geodisk_graph_read(context, graph_path, NULL, NULL, &graph));
  const geodisk_status status = geodisk_relation_create(context, graph, model, skip, NULL, &relation);
  if (status != GEODISK_OK) {
    char text[1024];
    snprintf(text, sizeof text, "%s", geodisk_context_error(context));
    check(geodisk_mpi_eval_ranking(context, &mpi, &judged, options, &nodes, &got) == status);
    check(strcmp(text, geodisk_context_error(context)) == 0);
  } else {
    check_ok(context, geodisk_eval_points_of_model(context, model, geodisk_model_space(model), &points));
    check_ok(context, geodisk_eval_ranking(context, &points, relation, NULL, options, &expected));
    check_ok(context, geodisk_mpi_eval_ranking(context, &mpi, &judged, options, &nodes, &got));
    check(nodes == points.nodes && got.nodes == expected.nodes && got.nodes_all == expected.nodes_all);
    check(got.pairs == expected.pairs);
    same(got.mean_rank, expected.mean_rank);
    same(got.map, expected.map);
    same(got.hits_at_1, expected.hits_at_1);
    same(got.hits_at_3, expected.hits_at_3);
    same(got.hits_at_10, expected.hits_at_10);
    same(got.auc, expected.auc);
  }
  geodisk_relation_destroy(relation);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Writes a model of the graph after some epochs, and the graph, by rank 0. */
static void prepare(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *o) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_here() != 0)
    return;
  geodisk_trainer *t = NULL;
  check_ok(context, geodisk_trainer_create(context, graph, o, &t));
  check_ok(context, geodisk_trainer_run(t, NULL, NULL));
  check_ok(context, geodisk_trainer_save(t, model_path));
  check_ok(context, geodisk_graph_write(context, graph, graph_path, NULL)); /* sorted: other numbers than in the model */
  geodisk_trainer_destroy(t);
}

static void compare_all(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *o) {
  static const geodisk_ranking_options cases[] = {
      {.definition = GEODISK_RANK_FILTERED},
      {.definition = GEODISK_RANK_GENSIM, .arithmetic = GEODISK_PRECISION_FLOAT},
      {.sample = 100, .seed = 4},
  };
  prepare(context, graph, o);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    compare(context, &cases[i], false);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  geodisk_context *context = context_of_one_thread();
  geodisk_graph *graph = NULL;
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = 5;
  o.epochs = 2;
  o.negatives = 5;
  o.core_epochs = 0; /* any model will do, and one rank makes it while the others wait */
  check_ok(context, geodisk_graph_read(context, GEODISK_DATA_DIR "/mammals.tsv", NULL, NULL, &graph));
  compare_all(context, graph, &o);
  geodisk_graph_destroy(graph);

  const geodisk_generate_options tree = {
      .kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 4500, .seed = 2, .shape = GEODISK_SHAPE_CLOSED};
  check_ok(context, geodisk_graph_generate(context, &tree, &graph));
  o.precision = GEODISK_PRECISION_FLOAT;
  compare_all(context, graph, &o);
  o.space = GEODISK_SPACE_EUCLIDEAN;
  compare_all(context, graph, &o);

  if (rank_here() == 0) { /* nodes that the model does not have, and edges of theirs */
    FILE *file = fopen(graph_path, "a");
    check(file != NULL);
    for (int i = 0; i < 8; i++)
      fprintf(file, "new%d\t%d\n%d\tnew%d\n", i, i, 100 * i, i);
    check(fclose(file) == 0);
  }
  compare(context, NULL, false);
  compare(context, NULL, true);
  if (rank_here() == 0) {
    FILE *file = fopen(graph_path, "w");
    check(file != NULL && fputs("other\tnames\n", file) >= 0 && fclose(file) == 0);
  }
  compare(context, NULL, true);

  geodisk_mpi mpi = {.comm = MPI_COMM_WORLD, .rank = rank_here(), .ranks = ranks_here()};
  geodisk_mpi_judged judged = {.model = graph_path, .graph = graph_path};
  geodisk_ranking got;
  uint64_t nodes;
  check(geodisk_mpi_eval_ranking(context, &mpi, &judged, NULL, &nodes, &got) == GEODISK_ERROR_FORMAT);
  const geodisk_ranking_options losses = {.loss = true};
  check(geodisk_mpi_eval_ranking(context, &mpi, &judged, &losses, &nodes, &got) == GEODISK_ERROR_UNSUPPORTED);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  MPI_Finalize();
  return 0;
}
