/* bench_knowledge.c - `geodisk bench knowledge`: held-out edges of WordNet's nouns the field's way, with published figures beside
 * ours. Entailment by the protocol of Ganea, Becigneul & Hofmann (2018), link prediction by that of Nickel & Kiela (2017). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "geodisk/embed.h"
#include "geodisk/eval.h"

static const command_spec spec = {
    "bench knowledge",
    "entailment and link prediction on WordNet: F1, mean rank and MAP of held-out edges, beside published figures",
    "",
    0,
    0,
    "Splits the closure of WordNet's nouns (or of what is below --root), trains and judges. Entailment: all basic edges and a "
    "share of "
    "the others in training, edges to the root left out; F1 of the half-space score from the origin, threshold from validation. "
    "Link prediction: 5 % of the edges that are not basic held out, mean rank and MAP of them. Published figures: Ganea, "
    "Becigneul "
    "& Hofmann 2018 (hyperbolic entailment cones in 5 and 10 dimensions; with no closure edges their order embeddings); Nickel & "
    "Kiela 2017 (link prediction in 10 dimensions).",
    "geodisk bench knowledge --dim 10\n"
    "geodisk bench knowledge --root mammal.n.01 --dim 5 --seeds 1",
};

typedef struct request {
  common_options common;
  const char *dict, *root, *recipe, *link_recipe;
  int64_t dim, seeds;
} request;

enum { SHARES = 5, NON_EDGES = 10 };
static const double shares[SHARES] = {0, 10, 25, 50, 90};

/* Published F1 by share: dim 5 and 10; 0: none. */
static const double published[2][SHARES] = {{0.344, 0.801, 0.860, 0.928, 0}, {0.430, 0.859, 0.910, 0.944, 0}};

static geodisk_status train_on(geodisk_context *context, const request *r, const char *recipe, uint64_t seed,
                               const geodisk_graph *graph, geodisk_model **out) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  geodisk_model *rows = NULL;
  geodisk_status status = GEODISK_OK;
  options.dim = (int)r->dim;
  if (recipe != NULL)
    status = geodisk_train_recipe(context, recipe, &options);
  options.seed = seed;
  if (status == GEODISK_OK)
    status = geodisk_trainer_create(context, graph, &options, &trainer);
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  if (status == GEODISK_OK)
    status = geodisk_trainer_model(trainer, &rows);
  if (status == GEODISK_OK)
    status = geodisk_model_copy(context, rows, GEODISK_WIDTH_AUTO, false, out);
  geodisk_model_destroy(rows);
  geodisk_trainer_destroy(trainer);
  return status;
}

static void destroy_split(geodisk_split *split) {
  geodisk_graph_destroy(split->train);
  geodisk_graph_destroy(split->validation);
  geodisk_graph_destroy(split->test);
}

/* Held-out edges with non-edges beside them. */
typedef struct judged_pairs {
  geodisk_graph *others;
  geodisk_relation *edges, *non_edges;
} judged_pairs;

static geodisk_status make_pairs(geodisk_context *context, const geodisk_graph *known, const geodisk_graph *edges, uint64_t seed,
                                 judged_pairs *out) {
  const size_t nodes = geodisk_graph_nodes(known);
  geodisk_status status = geodisk_graph_non_edges(context, known, edges, NON_EDGES, seed, &out->others);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(context, edges, nodes, &out->edges);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(context, out->others, nodes, &out->non_edges);
  return status;
}

static void destroy_pairs(judged_pairs *p) {
  geodisk_relation_destroy(p->edges);
  geodisk_relation_destroy(p->non_edges);
  geodisk_graph_destroy(p->others);
}

static geodisk_status entailment(geodisk_context *context, const request *r, const geodisk_graph *rootless, double share,
                                 uint64_t seed, double *f1) {
  const geodisk_split_options options = {
      .validation = 5, .test = 5, .seed = seed, .protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = share};
  geodisk_split split = {0};
  geodisk_model *model = NULL;
  geodisk_eval_points points;
  judged_pairs test = {0}, validation = {0};
  geodisk_is_a found;
  geodisk_status status = geodisk_graph_split(context, rootless, &options, &split);
  if (status == GEODISK_OK)
    status = train_on(context, r, r->recipe, seed, split.train, &model);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points);
  if (status == GEODISK_OK)
    status = make_pairs(context, rootless, split.validation, 2 * seed, &validation);
  if (status == GEODISK_OK)
    status = make_pairs(context, rootless, split.test, 2 * seed + 1, &test);
  const geodisk_is_a_pairs judged = {test.edges, test.non_edges}, chosen_on = {validation.edges, validation.non_edges};
  const geodisk_is_a_options plain = {.resamples = -1};
  if (status == GEODISK_OK && (status = geodisk_eval_is_a(context, &points, &judged, &chosen_on, &plain, &found)) == GEODISK_OK)
    *f1 = found.scores[GEODISK_IS_A_HALF_SPACE].f1.value;
  destroy_pairs(&test);
  destroy_pairs(&validation);
  destroy_split(&split);
  geodisk_model_destroy(model);
  return status;
}

static geodisk_status link_prediction(geodisk_context *context, const request *r, const geodisk_graph *closure, uint64_t seed,
                                      double *mean_rank, double *map) {
  const geodisk_split_options options = {.test = 5, .seed = seed};
  geodisk_split split = {0};
  geodisk_model *model = NULL;
  geodisk_eval_points points;
  geodisk_relation *test = NULL, *known = NULL;
  geodisk_ranking ranking;
  geodisk_status status = geodisk_graph_split(context, closure, &options, &split);
  if (status == GEODISK_OK)
    status = train_on(context, r, r->link_recipe, seed, split.train, &model);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(context, split.test, geodisk_graph_nodes(closure), &test);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(context, split.train, geodisk_graph_nodes(closure), &known);
  if (status == GEODISK_OK &&
      (status = geodisk_eval_ranking(context, &points, test, known, NULL, NULL, &ranking)) == GEODISK_OK) {
    *mean_rank = ranking.mean_rank.value;
    *map = ranking.map.value;
  }
  geodisk_relation_destroy(test);
  geodisk_relation_destroy(known);
  destroy_split(&split);
  geodisk_model_destroy(model);
  return status;
}

/* ---- the table ---------------------------------------------------------------------------------------------------------------
 */

static void put_published(double value) {
  if (value > 0)
    printf(" %.3f |\n", value);
  else
    puts(" |");
}

static geodisk_status run_entailment(geodisk_context *context, const request *r, const geodisk_graph *closure) {
  geodisk_graph *rootless = NULL;
  geodisk_status status = geodisk_graph_without_roots(context, closure, &rootless);
  const double *beside = r->root != NULL ? NULL : r->dim == 5 ? published[0] : r->dim == 10 ? published[1] : NULL;
  puts("| entailment, share of the closure in training | F1 | published |\n| --- | --- | --- |");
  for (int i = 0; i < SHARES && status == GEODISK_OK; i++) {
    double sum = 0, f1 = 0;
    for (int64_t seed = 0; seed < r->seeds && status == GEODISK_OK; seed++) {
      status = entailment(context, r, rootless, shares[i], (uint64_t)seed, &f1);
      sum += f1;
    }
    if (status != GEODISK_OK)
      break;
    printf("| %g %% | %.4f |", shares[i], sum / (double)r->seeds);
    put_published(beside != NULL ? beside[i] : 0);
    fflush(stdout);
  }
  geodisk_graph_destroy(rootless);
  return status;
}

static geodisk_status run_links(geodisk_context *context, const request *r, const geodisk_graph *closure) {
  double rank = 0, map = 0, ranks = 0, maps = 0;
  geodisk_status status = GEODISK_OK;
  for (int64_t seed = 0; seed < r->seeds && status == GEODISK_OK; seed++) {
    status = link_prediction(context, r, closure, (uint64_t)seed, &rank, &map);
    ranks += rank;
    maps += map;
  }
  if (status != GEODISK_OK)
    return status;
  puts("\n| link prediction, 5 % held out | mean rank | MAP | published |\n| --- | --- | --- | --- |");
  printf("| all others in training | %.3f | %.4f | %s |\n", ranks / (double)r->seeds, maps / (double)r->seeds,
         r->root == NULL && r->dim == 10 ? "4.3 / 0.852" : "");
  return status;
}

int bench_knowledge(int argc, char **argv) {
  request r = {.dict = "/usr/share/wordnet", .dim = 10, .seeds = 3};
  const option_spec options[] = {
      {"dim", 0, OPTION_INT, &r.dim, "N", "dimension (default: 10)", 1, 1000, NULL},
      {"seeds", 0, OPTION_INT, &r.seeds, "N", "splits and trainings that figures are means of (default: 3)", 1, 1000, NULL},
      {"recipe", 0, OPTION_STRING, &r.recipe, "NAME", "of the trainings for entailment (default: none)", 0, 0, NULL},
      {"link-recipe", 0, OPTION_STRING, &r.link_recipe, "NAME", "of those for link prediction (default: none)", 0, 0, NULL},
      {"root", 0, OPTION_STRING, &r.root, "SYNSET", "only what is below, as mammal.n.01 (default: all nouns)", 0, 0, NULL},
      {"dict", 0, OPTION_STRING, &r.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)", 0, 0, NULL},
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL}};
  int n_args = 0;
  const int code = args_parse(&spec, options, &r.common, argc, argv, NULL, &n_args);
  if (code != -1)
    return code;
  geodisk_context *context = cli_context(&r.common);
  if (context == NULL)
    return EXIT_FAILED;
  const geodisk_wordnet_options wordnet = {.root = r.root};
  geodisk_graph *closure = NULL;
  geodisk_status status = geodisk_graph_read_wordnet(context, r.dict, &wordnet, NULL, &closure);
  if (status == GEODISK_OK)
    status = run_entailment(context, &r, closure);
  if (status == GEODISK_OK)
    status = run_links(context, &r, closure);
  if (status == GEODISK_OK)
    puts("\nWith all basic edges in training a walk through the graph answers both without error: they measure what points "
         "carry.");
  const int result = status == GEODISK_OK ? cli_finish() : cli_failed(context, status);
  geodisk_graph_destroy(closure);
  geodisk_context_destroy(context);
  return result;
}
