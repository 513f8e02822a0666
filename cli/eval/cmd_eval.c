/* cmd_eval.c - `geodisk eval`: how good is an embedding? Figures as lines "key value" (with a sample, and its 95 % interval), or
 * as one JSON object. */
#include "eval_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processes.h"

static const command_spec spec = {
    "eval",
    "how good is an embedding: ranks, loss, rank correlation, distortion, routing",
    "MODEL [GRAPH]",
    "Judges MODEL (a model file, or any format that geodisk convert reads: embeddings of other programs too) by the edges of "
    "GRAPH. " GRAPH_SOURCE_TEXT
    "Everything is exact unless --sample is given, except that graph distances of more than 16 million pairs come from a sample "
    "of 400 nodes; figures from samples come with 95 % confidence intervals. Results do not depend on the number of threads. "
    "docs/evaluation.md gives definitions and sources.\n"
    "Tasks: reconstruction (each edge's rank among all nodes that are no neighbours: mean_rank, map, hits_at_1, 3, 10, auc); "
    "link-prediction (the same for held-out edges: GRAPH is the test graph, --train the one that was trained on); loss (the "
    "exact loss with all negatives, a mean over edges: loss is Nickel & Kiela's, loss_complement the paper's); kendall (rank "
    "correlation of graph distances and distances of points: kendall_tau, spearman; and of depth and radius: depth_radius); "
    "distortion (mean, worst, squared); precision (the share of neighbours among the nearest 1, 3, 10 nodes, and among as many "
    "as there are neighbours); routing (how often a parcel arrives that always goes to the neighbour nearest to its target, and "
    "by what detour); lexical (with --lexical); entailment (edges against pairs that are none, by several scores: f1, precision, "
    "recall, auc, average_precision of each; GRAPH is the test graph, thresholds come from --validation, non-edges from files or "
    "drawn outside the closure of all edges given, which need --train unless GRAPH is what was trained on). As several processes "
    "(mpirun -n N geodisk eval MODEL GRAPH) they share the work of reconstruction.",
    "geodisk eval mammals.safetensors data/mammals.tsv\n"
    "geodisk eval mammals.safetensors data/mammals.tsv --tasks reconstruction,loss --json\n"
    "geodisk eval nouns.safetensors test.tsv --train train.tsv\n"
    "geodisk eval gensim.txt edges.tsv --definition gensim\n"
    "geodisk eval nouns.safetensors --lexical hyperlex-all.txt\n"
    "geodisk eval nouns.safetensors nouns.test.tsv --tasks entailment --train nouns.train.tsv --validation nouns.validation.tsv",
};

static const struct {
  const char *name;
  unsigned bit;
} task_names[] = {{"reconstruction", RECONSTRUCTION},
                  {"link-prediction", LINK_PREDICTION},
                  {"loss", LOSS},
                  {"kendall", KENDALL},
                  {"distortion", DISTORTION},
                  {"lexical", LEXICAL},
                  {"precision", PRECISION},
                  {"routing", ROUTING},
                  {"entailment", ENTAILMENT}};
enum { TASKS = sizeof task_names / sizeof task_names[0] };

/* ---- tasks --------------------------------------------------------------------------------------------------------------- */

/* How long it took; only in JSON, so that the lines are the same every time. */
static void print_seconds(eval_session *s, const char *key, double start) {
  if (s->r->common.json)
    figures_number(&s->figures, key, cli_seconds() - start);
}

static geodisk_ranking_options ranking_options(const eval_request *r) {
  return (geodisk_ranking_options){.definition = (geodisk_rank_definition)r->definition,
                                   .arithmetic = (geodisk_precision)r->precision,
                                   .loss = (r->wanted & LOSS) != 0,
                                   .sample = (size_t)r->sample,
                                   .seed = (uint64_t)r->seed,
                                   .device = (geodisk_device)r->device};
}

static geodisk_status run_ranking(eval_session *s) {
  const eval_request *r = s->r;
  geodisk_ranking_options options = ranking_options(r);
  double *arrays = NULL;
  geodisk_ranking_nodes nodes = {0};
  if (r->per_node != NULL) {
    const size_t n = s->points.nodes;
    arrays = geodisk_allocate(n, 4 * sizeof *arrays);
    if (arrays == NULL)
      return geodisk_no_memory(s->context, "for the figures of %zu nodes", n);
    nodes = (geodisk_ranking_nodes){arrays, arrays + n, arrays + 2 * n, arrays + 3 * n};
    options.by_node = &nodes;
  }
  geodisk_ranking ranking;
  const double start = cli_seconds();
  geodisk_status st = geodisk_eval_ranking(s->context, &s->points, s->relation, s->known, &options, &ranking);
  if (st == GEODISK_OK) {
    eval_print_ranking(s, &ranking);
    print_seconds(s, "ranking_seconds", start);
    if (arrays != NULL)
      st = eval_write_nodes(s, &nodes);
  }
  free(arrays);
  return st;
}

static geodisk_status run_fit(eval_session *s) {
  const eval_request *r = s->r;
  const geodisk_fit_options options = {.directed = r->directed,
                                       .as_given = r->as_given,
                                       .weighted = r->lengths,
                                       .sample = (size_t)r->sample,
                                       .seed = (uint64_t)r->seed,
                                       .all_pairs = r->all_pairs};
  geodisk_fit fit;
  const double start = cli_seconds();
  const geodisk_status st = geodisk_eval_fit(s->context, &s->points, s->relation, &options, &fit);
  if (st == GEODISK_OK) {
    eval_print_fit(s, &fit, fit.first_nodes < fit.nodes);
    print_seconds(s, "distance_seconds", start);
  }
  return st;
}

static geodisk_status run_routing(eval_session *s) {
  const geodisk_routing_options options = {
      .sample = (size_t)s->r->sample, .seed = (uint64_t)s->r->seed, .all_pairs = s->r->all_pairs};
  geodisk_routing routing;
  const double start = cli_seconds();
  const geodisk_status st = geodisk_eval_routing(s->context, &s->points, s->relation, &options, &routing);
  if (st != GEODISK_OK)
    return st;
  s->sampled = routing.targets < routing.all;
  figures_count(&s->figures, "routing_pairs", routing.pairs);
  eval_print_estimate(s, "routing_success", &routing.success);
  eval_print_estimate(s, "routing_stretch", &routing.stretch);
  print_seconds(s, "routing_seconds", start);
  return GEODISK_OK;
}

static geodisk_status run_lexical(eval_session *s) {
  const geodisk_entailment_options options = {.alpha = s->r->alpha, .pos = s->r->pos != NULL ? s->r->pos[0] : 0};
  geodisk_entailment e;
  const geodisk_status st = geodisk_eval_entailment(s->context, s->model, &s->points, s->r->lexical, &options, &e);
  if (st != GEODISK_OK)
    return st;
  figures_count(&s->figures, "lexical_pairs", e.pairs);
  figures_count(&s->figures, "lexical_unknown", e.unknown);
  figures_number(&s->figures, "lexical_spearman", e.spearman);
  figures_number(&s->figures, "lexical_kendall_tau", e.kendall_tau);
  figures_number(&s->figures, "lexical_half_space_spearman", e.half_space_spearman);
  figures_number(&s->figures, "lexical_half_space_kendall_tau", e.half_space_kendall_tau);
  return GEODISK_OK;
}

/* Adds to the error text how to do without the nodes that are missing. */
static geodisk_status fail_missing(const eval_session *s, const char *path, geodisk_status st) {
  char text[700];
  snprintf(text, sizeof text, "%s", geodisk_context_error(s->context));
  return geodisk_fail(s->context, st, "%s: %s (--skip-missing does that)", path, text);
}

/* The edges of a graph as those of the model's nodes. */
static geodisk_status relate(const eval_session *s, const char *path, const geodisk_graph *graph, geodisk_relation **relation) {
  geodisk_relation_info info = {.missing_nodes = 0};
  const geodisk_status st = geodisk_relation_create(s->context, graph, s->model, s->r->skip_missing, &info, relation);
  return st != GEODISK_OK && info.missing_nodes > 0 && !s->r->skip_missing ? fail_missing(s, path, st) : st;
}

/* The graphs of entailment beside the judged one; what no file has is NULL. */
enum { VALIDATION, NON_EDGES, VALIDATION_NON_EDGES, OTHERS };

static geodisk_status run_entailment(eval_session *s) {
  const eval_request *r = s->r;
  const char *const paths[OTHERS] = {r->validation, r->non_edges, r->validation_non_edges};
  geodisk_graph *graphs[OTHERS] = {NULL};
  geodisk_relation *of[OTHERS] = {NULL};
  const geodisk_is_a_options options = {.threshold_given = r->threshold_given,
                                        .threshold = r->threshold,
                                        .seed = (uint64_t)r->seed,
                                        .per_edge = (size_t)r->per_edge,
                                        .train = s->known,
                                        .model = s->model,
                                        .max_edges = graph_source_max_edges(&r->source)};
  geodisk_is_a found;
  geodisk_status st = GEODISK_OK;
  const double start = cli_seconds();
  for (int i = 0; i < OTHERS && st == GEODISK_OK; i++) {
    if (paths[i] != NULL)
      st = graph_source_read(s->context, &r->source, paths[i], NULL, &graphs[i]);
    if (st == GEODISK_OK && paths[i] != NULL)
      st = relate(s, paths[i], graphs[i], &of[i]);
  }
  const geodisk_is_a_pairs judged = {s->relation, of[NON_EDGES]}, chosen_on = {of[VALIDATION], of[VALIDATION_NON_EDGES]};
  if (st == GEODISK_OK)
    st = geodisk_eval_is_a(s->context, &s->points, &judged, r->validation != NULL ? &chosen_on : NULL, &options, &found);
  for (int i = 0; i < OTHERS; i++) {
    geodisk_relation_destroy(of[i]);
    geodisk_graph_destroy(graphs[i]);
  }
  if (st != GEODISK_OK)
    return st;
  s->sampled = true; /* intervals are by bootstrap */
  figures_count(&s->figures, "entailment_edges", found.edges);
  figures_count(&s->figures, "entailment_non_edges", found.non_edges);
  for (int i = 0; i < GEODISK_IS_A_SCORES; i++)
    if (i != GEODISK_IS_A_ORDER || found.order)
      eval_print_classification(s, i, &found.scores[i]);
  print_seconds(s, "entailment_seconds", start);
  return st;
}

/* ---- what is judged ------------------------------------------------------------------------------------------------------ */

static geodisk_status open_graph(eval_session *s, const char *path, geodisk_graph **graph, geodisk_relation **relation) {
  geodisk_status st = graph_source_read(s->context, &s->r->source, path, NULL, graph);
  const bool held_out = path != s->r->train && (s->r->train != NULL || s->r->wanted == ENTAILMENT);
  if (st == GEODISK_OK && !held_out) /* edges to predict were not trained on */
    st = graph_source_compare(s->context, &s->r->source, path, s->model, *graph);
  return st == GEODISK_OK ? relate(s, path, *graph, relation) : st;
}

static geodisk_status open_all(eval_session *s) {
  static const geodisk_space spaces[] = {GEODISK_SPACE_HYPERBOLIC, GEODISK_SPACE_HYPERBOLIC, GEODISK_SPACE_EUCLIDEAN};
  const geodisk_import_options options = {.space = spaces[s->r->space], .radius = s->r->radius};
  geodisk_status st = geodisk_model_import(s->context, s->r->model, &options, NULL, &s->model);
  if (st != GEODISK_OK)
    return st;
  const geodisk_space space = s->r->space == 0 ? geodisk_model_space(s->model) : spaces[s->r->space];
  if ((st = geodisk_eval_points_of_model(s->context, s->model, space, &s->points)) != GEODISK_OK)
    return st;
  if (s->r->graph != NULL && (st = open_graph(s, s->r->graph, &s->graph, &s->relation)) != GEODISK_OK)
    return st;
  return s->r->train == NULL ? GEODISK_OK : open_graph(s, s->r->train, &s->train, &s->known);
}

static geodisk_status run_tasks(eval_session *s) {
  const unsigned wanted = s->r->wanted;
  geodisk_status st = s->r->per_node != NULL ? geodisk_file_check(s->context, s->r->per_node) : GEODISK_OK;
  if (st == GEODISK_OK)
    st = open_all(s);
  if (st == GEODISK_OK)
    figures_count(&s->figures, "nodes", s->points.nodes);
  if (st == GEODISK_OK && wanted & (RECONSTRUCTION | LINK_PREDICTION | LOSS | PRECISION))
    st = run_ranking(s);
  if (st == GEODISK_OK && wanted & (KENDALL | DISTORTION)) {
    st = run_fit(s);
    if (st == GEODISK_ERROR_ARGUMENT && s->r->tasks == NULL) { /* nobody asked for it: too few pairs, or too small a sample */
      geodisk_log_event(s->context, GEODISK_LOG_WARNING, "distances are not compared: %s", geodisk_context_error(s->context));
      st = GEODISK_OK;
    }
  }
  if (st == GEODISK_OK && wanted & ROUTING)
    st = run_routing(s);
  if (st == GEODISK_OK && wanted & ENTAILMENT)
    st = run_entailment(s);
  if (st == GEODISK_OK && wanted & LEXICAL)
    st = run_lexical(s);
  if (st == GEODISK_OK)
    figures_end(&s->figures);
  return st;
}

/* ---- as one of several processes ----------------------------------------------------------------------------------------- */

static geodisk_status check_ranks(const eval_session *s) {
  const eval_request *r = s->r;
  if (r->tasks != NULL && r->wanted != RECONSTRUCTION)
    return geodisk_fail(s->context, GEODISK_ERROR_UNSUPPORTED,
                        "several processes offer --tasks reconstruction only; start the others without mpirun");
  const char *option = r->train               ? "--train"
                       : r->lexical           ? "--lexical"
                       : r->per_node          ? "--per-node"
                       : r->source.closure    ? "--closure"
                       : r->source.undirected ? "--undirected"
                       : r->space             ? "--space"
                                              : NULL;
  if (option != NULL)
    return geodisk_fail(s->context, GEODISK_ERROR_UNSUPPORTED,
                        "%s is for one process: leave it out, or start geodisk without mpirun", option);
  if (strcmp(r->graph, "-") == 0 || strcmp(r->model, "-") == 0)
    return geodisk_fail(s->context, GEODISK_ERROR_UNSUPPORTED,
                        "standard input cannot be shared by several processes: give a file");
  return GEODISK_OK;
}

/* Reconstruction by all ranks; nothing else is offered there. */
static geodisk_status run_on_ranks(eval_session *s) {
  eval_request only = *s->r;
  geodisk_mpi *mpi = NULL;
  geodisk_ranking ranking;
  uint64_t nodes = 0;
  geodisk_status st = check_ranks(s);
  if (st != GEODISK_OK || (st = ranks_start(s->context, &mpi)) != GEODISK_OK)
    return st;
  only.wanted = RECONSTRUCTION;
  const geodisk_ranking_options options = ranking_options(&only);
  const geodisk_mpi_judged judged = {
      .model = only.model, .graph = only.graph, .read = only.source.read, .skip_missing = only.skip_missing};
  const double start = cli_seconds();
  if ((st = geodisk_mpi_eval_ranking(s->context, mpi, &judged, &options, &nodes, &ranking)) == GEODISK_OK) {
    const eval_request *asked = s->r;
    s->r = &only;
    figures_count(&s->figures, "nodes", nodes);
    eval_print_ranking(s, &ranking);
    print_seconds(s, "ranking_seconds", start);
    figures_end(&s->figures);
    s->r = asked;
  } else if (strstr(geodisk_context_error(s->context), "skipping them would") != NULL) {
    fail_missing(s, only.graph, st);
  }
  geodisk_mpi_end(mpi);
  return st;
}

static int run(const eval_request *r) {
  eval_session s = {.r = r, .figures = {.json = r->common.json}};
  s.context = cli_context(&r->common);
  const geodisk_status st = ranks_launched() ? run_on_ranks(&s) : run_tasks(&s);
  if (st != GEODISK_OK && s.figures.begun)
    figures_end(&s.figures); /* what was found so far is whole */
  geodisk_relation_destroy(s.relation);
  geodisk_relation_destroy(s.known);
  geodisk_graph_destroy(s.graph);
  geodisk_graph_destroy(s.train);
  geodisk_model_destroy(s.model);
  return cli_end(s.context, st);
}

/* ---- the command line ---------------------------------------------------------------------------------------------------- */

/* --tasks a,b,c; -1 to go on. */
static int read_tasks(eval_request *r) {
  const char *at = r->tasks;
  while (*at != 0) {
    const size_t length = strcspn(at, ",");
    size_t i = 0;
    while (i < TASKS && (strlen(task_names[i].name) != length || strncmp(task_names[i].name, at, length) != 0))
      i++;
    if (i == TASKS) {
      char word[40];
      const char *names[TASKS];
      snprintf(word, sizeof word, "%.*s", (int)(length < 39 ? length : 39), at);
      for (i = 0; i < TASKS; i++)
        names[i] = task_names[i].name;
      const char *nearest = args_nearest(word, names, TASKS);
      return cli_usage_error(&spec, "--tasks: '%s' is not a task%s%s%s", word, nearest != NULL ? "; did you mean '" : "",
                             nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
    }
    r->wanted |= task_names[i].bit;
    at += length + (at[length] == ',');
  }
  return r->wanted != 0 ? -1 : cli_usage_error(&spec, "--tasks: no task given");
}

/* What goes with what; -1 to go on. */
static int check(eval_request *r) {
  if (r->tasks != NULL) {
    const int code = read_tasks(r);
    if (code != -1)
      return code;
  } else if (r->graph != NULL) {
    r->wanted = r->train != NULL ? LINK_PREDICTION : RECONSTRUCTION | LOSS | KENDALL | DISTORTION;
  }
  if (r->lexical != NULL)
    r->wanted |= LEXICAL;
  else if (r->wanted & LEXICAL)
    return cli_usage_error(&spec, "the task lexical needs --lexical FILE");
  if (r->wanted == 0)
    return cli_usage_error(&spec, "GRAPH is missing");
  if (r->graph == NULL && r->wanted != LEXICAL)
    return cli_usage_error(&spec, "GRAPH is missing: only --lexical does without");
  if (r->wanted & LINK_PREDICTION && r->train == NULL)
    return cli_usage_error(&spec, "the task link-prediction needs --train GRAPH");
  if (r->wanted & RECONSTRUCTION && r->train != NULL)
    return cli_usage_error(&spec, "with --train, GRAPH holds edges to predict: the task is link-prediction, not reconstruction");
  if (r->per_node != NULL && !(r->wanted & (RECONSTRUCTION | LINK_PREDICTION | LOSS)))
    return cli_usage_error(&spec, "--per-node needs the task reconstruction, link-prediction or loss");
  if (r->pos != NULL && (r->lexical == NULL || strlen(r->pos) != 1))
    return cli_usage_error(&spec, "--pos is one letter, and goes with --lexical");
  const char *stray = r->validation             ? "--validation"
                      : r->non_edges            ? "--non-edges"
                      : r->validation_non_edges ? "--validation-non-edges"
                      : r->threshold_given      ? "--threshold"
                                                : NULL;
  if (stray != NULL && !(r->wanted & ENTAILMENT))
    return cli_usage_error(&spec, "%s goes with --tasks entailment", stray);
  if (r->validation_non_edges != NULL && r->validation == NULL)
    return cli_usage_error(&spec, "--validation-non-edges goes with --validation");
  if (r->alpha_given && r->lexical == NULL)
    return cli_usage_error(&spec, "--alpha goes with --lexical");
  return -1;
}

int cmd_eval(int argc, char **argv) {
  eval_request r = {.source = {.read = {0}}};
  const option_spec options[] = {
      OPT_TEXT("tasks", 0, &r.tasks, "LIST",
               "any of reconstruction,link-prediction,loss,kendall,distortion,precision,routing,lexical,entailment (default: all "
               "but precision, routing and entailment that GRAPH, --train and --lexical allow)"),
      OPT_TEXT("train", 0, &r.train, "GRAPH", "the edges that were trained on; those of GRAPH are to be predicted"),
      OPT_TEXT("validation", 0, &r.validation, "GRAPH", "entailment: edges that thresholds are chosen on"),
      OPT_TEXT("non-edges", 0, &r.non_edges, "GRAPH", "entailment: pairs that are no edges (default: drawn)"),
      OPT_TEXT("validation-non-edges", 0, &r.validation_non_edges, "GRAPH",
               "entailment: the same beside --validation (default: drawn)"),
      OPT_INT("per-edge", 0, &r.per_edge, "N", "entailment: non-edges drawn for each edge (default: 10)", 1, 1000),
      {"threshold", 0, OPTION_DOUBLE, &r.threshold, "X", "entailment: of the half-space score, instead of a chosen one", -1e300,
       1e300, &r.threshold_given},
      OPT_CHOICE("definition", 0, &r.definition, "filtered|gensim",
                 "of ranks: ties count half and the node itself not at all (default), or as gensim counts"),
      OPT_CHOICE("precision", 0, &r.precision, "double|float",
                 "of the distances that ranks and loss come from (default: double)"),
      OPT_CHOICE("device", 0, &r.device, "cpu|cuda|auto",
                 "where ranks are counted and the loss is summed, to the same figures (default: cpu)"),
      OPT_CHOICE("space", 0, &r.space, "model|hyperbolic|euclidean", "what the vectors are (default: what the model says)"),
      OPT_DOUBLE("radius", 0, &r.radius, "R", "of the ball, unless MODEL is a model file (default: 1)", 1e-150, 1e150),
      OPT_INT("sample", 0, &r.sample, "N", "judge N random nodes, with 95 % confidence intervals (default: all nodes)", 1, 1e15),
      OPT_INT("seed", 0, &r.seed, "N", "of the sample (default: 0)", 0, 9e15),
      OPT_FLAG("directed", 0, &r.directed, "graph distances: from child to parent only"),
      OPT_FLAG("no-reduce", 0, &r.as_given, "graph distances: in GRAPH itself, not its transitive reduction"),
      OPT_FLAG("lengths", 0, &r.lengths, "graph distances: sums of weights, not numbers of edges"),
      OPT_FLAG("all-pairs", 0, &r.all_pairs, "graph distances: all pairs, however many"),
      OPT_TEXT("lexical", 0, &r.lexical, "FILE", "word pairs with scores, as HyperLex has them"),
      {"alpha", 0, OPTION_DOUBLE, &r.alpha, "X", "lexical: weight of the difference of norms (default: 1000)", 1e-300, 1e300,
       &r.alpha_given},
      OPT_TEXT("pos", 0, &r.pos, "LETTER", "lexical: only lines of this part of speech, n or v (default: all)"),
      OPT_TEXT("per-node", 0, &r.per_node, "FILE", "write ranks, precision and loss of each node to this table"),
      OPT_FLAG("skip-missing", 0, &r.skip_missing, "leave out nodes of GRAPH that are not in MODEL"),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END};
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code != -1)
    return code;
  r.model = r.common.args[0];
  r.graph = r.common.n_args > 1 ? r.common.args[1] : NULL;
  if ((code = graph_source_prepare(&spec, &r.source)) != -1 || (code = check(&r)) != -1)
    return code;
  const char *const inputs[] = {r.model, r.graph, r.train, r.lexical, r.validation, r.non_edges, r.validation_non_edges};
  if (r.per_node != NULL && strcmp(r.per_node, "-") == 0)
    return cli_usage_error(&spec, "--per-node needs a file: the figures go to standard output");
  if ((code = cli_check_inputs(&spec, "--per-node", r.per_node, inputs, (int)(sizeof inputs / sizeof *inputs))) != -1)
    return code;
  return run(&r);
}
