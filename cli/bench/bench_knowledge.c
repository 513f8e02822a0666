/* bench_knowledge.c - `geodisk bench knowledge`: held-out edges of WordNet's nouns the field's way, with published figures beside
 * ours. Entailment by the protocol of Ganea, Becigneul & Hofmann (2018), link prediction by that of Nickel & Kiela (2017). */
#include "bench_knowledge.h"

#include <stdlib.h>
#include <string.h>

static const command_spec spec = {
    "bench knowledge",
    "what models say of edges and nodes of WordNet that they were not shown, beside published figures",
    "[PART ...]",
    "Splits the closure of WordNet's nouns (or of what is below --root), trains and judges, and prints a table for each PART, "
    "for all of them unless some are named:\n"
    "entailment: all basic edges and a share of the others in training, edges to the root left out; F1 of the half-space score "
    "from the origin, threshold from validation; published are Ganea, Becigneul & Hofmann 2018 (hyperbolic entailment cones; "
    "with no closure edges their order embeddings).\n"
    "links: 5 % of the edges that are not basic held out, mean rank and MAP of them; published are Nickel & Kiela 2017.\n"
    "both: the splits of entailment with 10, 25 and 50 %, trained as by default; F1 of the model's order, and mean rank and MAP "
    "of "
    "the edges it was trained on.\n"
    "A walk through the graph answers these without error. parents: nodes with several parents lose one, with all that "
    "follows from it alone; F1, AUC and average precision of the half-space score.\n"
    "nodes: --leaves and --inner nodes are taken out, the rest is trained as by default, and they are placed again by a direct "
    "parent, one ancestor, two ancestors or up to three children: the share whose direct parent is the first likely parent and "
    "among the first five, and the same for the way without a hierarchy, the nearest nodes that are higher. Sums run over 512 "
    "nodes. One seed.\n"
    "answers: nothing is held out; the share of nodes whose first parent, asked for their parents, is a direct one, and whose "
    "ancestors are all right, of the closure trained as by default, and of that of a random tree of 300 nodes, an org chart. The "
    "nouns as a whole take long: give it a --root.",
    "geodisk bench knowledge entailment --dim 2,5,10 --recipe entailment\n"
    "geodisk bench knowledge nodes --root mammal.n.01 --leaves 100 --inner 30\n"
    "geodisk bench knowledge answers --root mammal.n.01 --dim 2,10",
};

enum { SHARES = 4 };
static const double shares[SHARES] = {0, 10, 25, 50};

/* Published F1 by share: dim 5 and 10. */
static const double published[2][SHARES] = {{0.344, 0.801, 0.860, 0.928}, {0.430, 0.859, 0.910, 0.944}};

/* ---- what the parts share ------------------------------------------------------------------------------------------------ */

geodisk_status knowledge_train(geodisk_context *context, const char *recipe, int dim, uint64_t seed, const geodisk_graph *graph,
                               geodisk_model **out) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_trainer *trainer = NULL;
  geodisk_model *rows = NULL;
  geodisk_status status = GEODISK_OK;
  options.dim = dim;
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
    status = geodisk_model_copy(context, rows, GEODISK_WIDTH_AUTO, true, out);
  if (status == GEODISK_OK)
    status = geodisk_auto_learn(context, *out, graph, NULL);
  geodisk_model_destroy(rows);
  geodisk_trainer_destroy(trainer);
  return status;
}

/* Held-out edges with non-edges beside them. */
typedef struct judged_pairs {
  geodisk_graph *others;
  geodisk_relation *edges, *non_edges;
} judged_pairs;

static geodisk_status make_pairs(geodisk_context *context, const geodisk_model *model, const geodisk_graph *known,
                                 const geodisk_graph *edges, uint64_t seed, judged_pairs *out) {
  geodisk_status status = geodisk_graph_non_edges(context, known, edges, KNOWLEDGE_NON_EDGES, seed, &out->others);
  if (status == GEODISK_OK)
    status = geodisk_relation_create(context, edges, model, false, NULL, &out->edges);
  if (status == GEODISK_OK)
    status = geodisk_relation_create(context, out->others, model, false, NULL, &out->non_edges);
  return status;
}

static void destroy_pairs(judged_pairs *p) {
  geodisk_relation_destroy(p->edges);
  geodisk_relation_destroy(p->non_edges);
  geodisk_graph_destroy(p->others);
}

geodisk_status knowledge_judge(geodisk_context *context, const geodisk_model *model, const geodisk_graph *known,
                               const geodisk_split *split, uint64_t seed, geodisk_is_a *out) {
  geodisk_eval_points points;
  judged_pairs test = {0}, validation = {0};
  const bool validated = geodisk_graph_edges(split->validation) > 0;
  geodisk_status status = geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points);
  if (status == GEODISK_OK && validated)
    status = make_pairs(context, model, known, split->validation, 2 * seed, &validation);
  if (status == GEODISK_OK)
    status = make_pairs(context, model, known, split->test, 2 * seed + 1, &test);
  const geodisk_is_a_pairs judged = {test.edges, test.non_edges}, chosen_on = {validation.edges, validation.non_edges};
  const geodisk_is_a_options plain = {.resamples = -1};
  if (status == GEODISK_OK)
    status = geodisk_eval_is_a(context, &points, &judged, validated ? &chosen_on : NULL, &plain, out);
  destroy_pairs(&test);
  destroy_pairs(&validation);
  return status;
}

geodisk_status knowledge_split(geodisk_context *context, const knowledge_request *r, const geodisk_graph *graph,
                               const geodisk_split_options *options, int dim, knowledge_judged *out) {
  *out = (knowledge_judged){.model = NULL};
  geodisk_status status = geodisk_graph_split(context, graph, options, &out->split);
  if (status == GEODISK_OK)
    status = knowledge_train(context, r->recipe, dim, options->seed, out->split.train, &out->model);
  if (status == GEODISK_OK)
    status = knowledge_judge(context, out->model, graph, &out->split, options->seed, &out->found);
  return status;
}

void knowledge_free(knowledge_judged *judged) {
  geodisk_split_free(&judged->split);
  geodisk_model_destroy(judged->model);
}

/* ---- entailment ------------------------------------------------------------------------------------------------------------ */

static geodisk_split_options entailment_split(double share, uint64_t seed) {
  return (geodisk_split_options){
      .validation = 5, .test = 5, .seed = seed, .protocol = GEODISK_PROTOCOL_ENTAILMENT, .closure_share = share};
}

static geodisk_status entailment(geodisk_context *context, const knowledge_request *r, const geodisk_graph *rootless,
                                 double share, int dim, double *f1) {
  geodisk_status status = GEODISK_OK;
  double sum = 0;
  for (int64_t i = 0; i < r->seeds && status == GEODISK_OK; i++) {
    const geodisk_split_options options = entailment_split(share, (uint64_t)i);
    knowledge_judged judged;
    status = knowledge_split(context, r, rootless, &options, dim, &judged);
    sum += judged.found.scores[GEODISK_IS_A_HALF_SPACE].f1.value;
    knowledge_free(&judged);
  }
  *f1 = sum / (double)r->seeds;
  return status;
}

static geodisk_status run_entailment(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure) {
  geodisk_graph *rootless = NULL;
  geodisk_status status = geodisk_graph_without_roots(context, closure, &rootless);
  char columns[256] = "share of the closure in training";
  for (int i = 0; i < r->n_dims; i++)
    snprintf(columns + strlen(columns), sizeof columns - strlen(columns), " | F1, dim %d", r->dims[i]);
  if (r->root == NULL)
    snprintf(columns + strlen(columns), sizeof columns - strlen(columns), " | published, dim 5 | published, dim 10");
  if (status == GEODISK_OK)
    bench_table_begin(columns);
  for (int i = 0; i < SHARES && status == GEODISK_OK; i++) {
    bench_table_text("%g %%", shares[i]);
    for (int d = 0; d < r->n_dims && status == GEODISK_OK; d++) {
      double f1 = 0;
      if ((status = entailment(context, r, rootless, shares[i], r->dims[d], &f1)) == GEODISK_OK)
        bench_table_text("%.4f", f1);
      fflush(stdout);
    }
    for (int k = 0; k < 2 && r->root == NULL; k++)
      bench_table_text("%.3f", published[k][i]);
    bench_table_end_row();
  }
  geodisk_graph_destroy(rootless);
  return status;
}

/* ---- order and ranks in one model ------------------------------------------------------------------------------------------ */

typedef struct both_figures {
  double order, half_space, mean_rank, map;
} both_figures;

/* Ranks of edges; those of `known`, if there are any, are neither right nor wrong. */
static geodisk_status rank_edges(geodisk_context *context, const geodisk_model *model, const geodisk_graph *edges,
                                 const geodisk_graph *known, geodisk_ranking *out) {
  geodisk_eval_points points;
  geodisk_relation *relation = NULL, *other = NULL;
  geodisk_status status = geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points);
  if (status == GEODISK_OK)
    status = geodisk_relation_create(context, edges, model, false, NULL, &relation);
  if (status == GEODISK_OK && known != NULL)
    status = geodisk_relation_create(context, known, model, false, NULL, &other);
  if (status == GEODISK_OK)
    status = geodisk_eval_ranking(context, &points, relation, other, NULL, out);
  geodisk_relation_destroy(relation);
  geodisk_relation_destroy(other);
  return status;
}

static geodisk_status add_both(geodisk_context *context, const knowledge_request *r, const geodisk_graph *rootless, double share,
                               int dim, uint64_t seed, both_figures *sums) {
  const geodisk_split_options options = entailment_split(share, seed);
  knowledge_judged judged;
  geodisk_ranking ranking;
  geodisk_status status = knowledge_split(context, r, rootless, &options, dim, &judged);
  if (status == GEODISK_OK && (status = rank_edges(context, judged.model, judged.split.train, NULL, &ranking)) == GEODISK_OK) {
    sums->order += judged.found.scores[GEODISK_IS_A_ORDER].f1.value / (double)r->seeds;
    sums->half_space += judged.found.scores[GEODISK_IS_A_HALF_SPACE].f1.value / (double)r->seeds;
    sums->mean_rank += ranking.mean_rank.value / (double)r->seeds;
    sums->map += ranking.map.value / (double)r->seeds;
  }
  knowledge_free(&judged);
  return status;
}

static geodisk_status run_both(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure) {
  geodisk_graph *rootless = NULL;
  geodisk_status status = geodisk_graph_without_roots(context, closure, &rootless);
  if (status == GEODISK_OK)
    bench_table_begin(
        "share of the closure in training | dim | F1 by the order | F1 by half-space | mean rank of training edges | MAP");
  for (int i = 1; i < SHARES && status == GEODISK_OK; i++)
    for (int d = 0; d < r->n_dims && status == GEODISK_OK; d++) {
      both_figures sums = {0};
      for (int64_t seed = 0; seed < r->seeds && status == GEODISK_OK; seed++)
        status = add_both(context, r, rootless, shares[i], r->dims[d], (uint64_t)seed, &sums);
      if (status != GEODISK_OK)
        break;
      bench_table_row("%g %% | %d | %.4f | %.4f | %.3f | %.4f", shares[i], r->dims[d], sums.order, sums.half_space,
                      sums.mean_rank, sums.map);
    }
  geodisk_graph_destroy(rootless);
  return status;
}

/* ---- link prediction ------------------------------------------------------------------------------------------------------- */

static geodisk_status links(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure, int dim,
                            uint64_t seed, double *mean_rank, double *map) {
  const geodisk_split_options options = {.test = 5, .seed = seed};
  geodisk_split split = {0};
  geodisk_model *model = NULL;
  geodisk_ranking ranking;
  geodisk_status status = geodisk_graph_split(context, closure, &options, &split);
  if (status == GEODISK_OK)
    status = knowledge_train(context, r->link_recipe, dim, seed, split.train, &model);
  if (status == GEODISK_OK && (status = rank_edges(context, model, split.test, split.train, &ranking)) == GEODISK_OK) {
    *mean_rank += ranking.mean_rank.value / (double)r->seeds;
    *map += ranking.map.value / (double)r->seeds;
  }
  geodisk_split_free(&split);
  geodisk_model_destroy(model);
  return status;
}

static geodisk_status run_links(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure) {
  geodisk_status status = GEODISK_OK;
  bench_table_begin("link prediction, dim | mean rank | MAP | published");
  for (int d = 0; d < r->n_dims && status == GEODISK_OK; d++) {
    double rank = 0, map = 0;
    for (int64_t seed = 0; seed < r->seeds && status == GEODISK_OK; seed++)
      status = links(context, r, closure, r->dims[d], (uint64_t)seed, &rank, &map);
    if (status != GEODISK_OK)
      break;
    bench_table_row("%d | %.3f | %.4f | %s", r->dims[d], rank, map, r->root == NULL && r->dims[d] == 10 ? "4.3, 0.852" : "");
  }
  return status;
}

/* ---- the command line ------------------------------------------------------------------------------------------------------ */

static const struct {
  const char *name;
  geodisk_status (*run)(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure);
} parts[] = {{"entailment", run_entailment}, {"both", run_both},         {"links", run_links},
             {"parents", knowledge_parents}, {"nodes", knowledge_nodes}, {"answers", knowledge_answers}};
enum { PARTS = sizeof parts / sizeof parts[0] };

/* --dim 2,5,10; -1 to go on. */
static int read_dims(knowledge_request *r) {
  const char *at = r->dim_list;
  for (char *end = NULL; r->n_dims < KNOWLEDGE_DIMS; at = end + 1) {
    const long dim = strtol(at, &end, 10);
    if (end == at || dim < 1 || dim > 1000 || (*end != ',' && *end != 0))
      break;
    r->dims[r->n_dims++] = (int)dim;
    if (*end == 0)
      return -1;
  }
  return cli_usage_error(&spec, "--dim: '%s' is not a list of up to %d numbers from 1 to 1000", r->dim_list, KNOWLEDGE_DIMS);
}

/* The parts that are named, or all; -1 to go on. */
static int read_parts(int n, const char **names, bool wanted[PARTS]) {
  for (int i = 0; i < PARTS; i++)
    wanted[i] = n == 0;
  for (int j = 0; j < n; j++) {
    int i = 0;
    while (i < PARTS && strcmp(names[j], parts[i].name) != 0)
      i++;
    if (i == PARTS)
      return cli_usage_error(&spec, "'%s' is not one of entailment, both, links, parents, nodes, answers", names[j]);
    wanted[i] = true;
  }
  return bench_markdown && n != 1 ? cli_usage_error(&spec, "--markdown prints one table: name the PART") : -1;
}

static geodisk_status run_parts(geodisk_context *context, const knowledge_request *r, const bool wanted[PARTS]) {
  const geodisk_wordnet_options wordnet = {.root = r->root};
  geodisk_graph *closure = NULL;
  geodisk_status status = geodisk_graph_read_wordnet(context, r->dict, &wordnet, NULL, &closure);
  bool first = true;
  for (int i = 0; i < PARTS && status == GEODISK_OK; i++) {
    if (!wanted[i])
      continue;
    if (!first)
      putchar('\n');
    first = false;
    status = parts[i].run(context, r, closure);
  }
  geodisk_graph_destroy(closure);
  return status;
}

int bench_knowledge(int argc, char **argv) {
  knowledge_request r = {.dict = "/usr/share/wordnet", .dim_list = "10", .seeds = 3, .leaves = 500, .inner = 100};
  const option_spec options[] = {
      OPT_TEXT("dim", 0, &r.dim_list, "LIST", "dimensions, as 2,5,10 (default: 10); of nodes the last is taken"),
      OPT_INT("seeds", 0, &r.seeds, "N", "splits and trainings that figures are means of (default: 3)", 1, 1000),
      OPT_TEXT("recipe", 0, &r.recipe, "NAME", "of the trainings for entailment, both and parents (default: none)"),
      OPT_TEXT("link-recipe", 0, &r.link_recipe, "NAME", "of those for link prediction (default: none)"),
      OPT_INT("leaves", 0, &r.leaves, "N", "nodes: leaves taken out (default: 500)", 1, 1e9),
      OPT_INT("inner", 0, &r.inner, "N", "nodes: others taken out (default: 100)", 1, 1e9),
      OPT_TEXT("root", 0, &r.root, "SYNSET", "only what is below, as mammal.n.01 (default: all nouns)"),
      OPT_TEXT("dict", 0, &r.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"),
      BENCH_MARKDOWN,
      OPT_END};
  bool wanted[PARTS];
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code == -1)
    code = read_dims(&r);
  if (code == -1)
    code = read_parts(r.common.n_args, r.common.args, wanted);
  if (code != -1)
    return code;
  geodisk_context *context = cli_context(&r.common);
  const geodisk_status status = run_parts(context, &r, wanted);
  return cli_end(context, status);
}
