/* paper_methods.c - the paper's future work: embeddings by accelerated and variance-reduced descent, against plain geodesic
 * descent, on the tree, its closure and WordNet's mammals. They minimise the loss of Nickel and Kiela: on the tree with all
 * negatives, a term for each node; on the mammals with 10 negatives that are drawn once, a term for each edge. Every method may
 * look at the gradient of each term equally often, and is judged at the rate at which its exact loss is lowest; all start from
 * the same points at each seed, so that two methods are compared in pairs. */
#include "paper_methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DIM = 2, METHODS = 4, GRAPHS = 3, RATES = 3, MEASURES = 2, NEGATIVES = 10 };
enum { TREE, CLOSURE, MAMMALS };

/* Gradients of all terms that a pass over the terms costs: RSVRG takes the whole gradient every two passes, and two terms a step.
 */
static const struct {
  const char *name;
  geodisk_method method;
  bool whole;  /* whole gradients; else those of single terms */
  double cost; /* of as many steps as there are terms, or of one whole gradient */
} methods[METHODS] = {{"gradient", GEODISK_METHOD_GRADIENT, true, 1},
                      {"accelerated", GEODISK_METHOD_ACCELERATED, true, 1},
                      {"stochastic", GEODISK_METHOD_STOCHASTIC, false, 1},
                      {"variance-reduced", GEODISK_METHOD_RSVRG, false, 2.5}};
static const char *const graphs[GRAPHS] = {"tree", "closure", "mammals"};

/* Rates are for the mean of the terms; the sum of n terms takes the n-th part. */
static const double rates[METHODS][GRAPHS][RATES] = {{{3, 10, 30}, {3, 10, 30}, {1, 3, 10}},
                                                     {{1, 3, 10}, {1, 3, 10}, {3, 10, 30}},
                                                     {{0.05, 0.15, 0.5}, {0.05, 0.15, 0.5}, {30, 100, 300}},
                                                     {{0.1, 0.3, 1}, {0.1, 0.3, 1}, {1, 3, 10}}};

static size_t seeds_of(const paper *p) { return paper_seeds(p, 1, 20); }
static double passes_of(const paper *p, int graph) {
  if (graph == MAMMALS && p->epochs > 0)
    return (double)p->epochs;
  static const double full[GRAPHS] = {100, 50, 40};
  return p->quick ? 2 : full[graph];
}

/* Terms a stochastic step: with many terms a step of one would cost less than what variance reduction does to all points. */
static size_t batch_of(int graph) { return graph == MAMMALS ? 256 : 1; }

static void settings(const paper *p, int graph, char text[PAPER_SETTINGS]) {
  const char *const names[GRAPHS] = {"binary tree of 63 nodes, undirected", "closure of the binary tree of 63 nodes",
                                     paper_root(p)};
  snprintf(text, PAPER_SETTINGS,
           "%s%s; dim 2, the loss of Nickel and Kiela with %s negatives%s, %d rates, as many gradients as %.0f passes over the "
           "terms, %zu seeds from %lld on",
           graph == MAMMALS ? "WordNet below " : "", names[graph], graph == MAMMALS ? "10" : "all",
           graph == MAMMALS ? " drawn once, batches of 256 edges" : "", RATES, passes_of(p, graph), seeds_of(p),
           (long long)p->seed);
}

void paper_methods_tree_settings(const paper *p, char text[PAPER_SETTINGS]) { settings(p, TREE, text); }
void paper_methods_closure_settings(const paper *p, char text[PAPER_SETTINGS]) { settings(p, CLOSURE, text); }
void paper_methods_mammals_settings(const paper *p, char text[PAPER_SETTINGS]) { settings(p, MAMMALS, text); }

/* A graph with what its embeddings are judged by. */
typedef struct subject {
  geodisk_graph *graph, *owned;
  geodisk_relation *relation;
  geodisk_objective *objective;
  paper_mammals_data mammals;
} subject;

static void subject_close(subject *s) {
  geodisk_objective_destroy(s->objective);
  geodisk_relation_destroy(s->owned == NULL ? NULL : s->relation);
  geodisk_graph_destroy(s->owned);
  paper_mammals_close(&s->mammals);
  *s = (subject){0};
}

/* d(u,v) + log( e^-d(u,v) + sum of e^-d(u,m) ) of an edge and its negatives. */
static double edge_loss(void *user, size_t term, size_t count, const double *distances, double *derivatives) {
  double sum = 0;
  (void)user;
  (void)term;
  for (size_t i = 0; i < count; i++)
    sum += exp(-distances[i]);
  for (size_t i = 0; i < count; i++)
    derivatives[i] = (i == 0 ? 1 : 0) - exp(-distances[i]) / sum;
  return distances[0] + log(sum);
}

/* A term for each edge of the mammals, with negatives drawn uniformly, once. */
static geodisk_status sampled_objective(const paper *p, subject *s) {
  const size_t edges = geodisk_graph_edges(s->graph), nodes = geodisk_graph_nodes(s->graph), row = NEGATIVES + 1;
  uint32_t *children = geodisk_allocate(edges, sizeof *children);
  size_t *pairs = geodisk_allocate(2 * edges * row, sizeof *pairs), *begin = geodisk_allocate(edges + 1, sizeof *begin);
  geodisk_random random = geodisk_random_stream((uint64_t)p->seed, 3);
  geodisk_status status = children == NULL || pairs == NULL || begin == NULL ? GEODISK_ERROR_MEMORY : GEODISK_OK;
  for (size_t e = 0; status == GEODISK_OK && e < edges; e++) {
    if (e == 0)
      geodisk_graph_children(s->graph, children);
    begin[e] = e * row;
    for (size_t k = 0; k < row; k++) {
      uint32_t m = geodisk_graph_out(s->graph).nodes[e];
      while (k > 0 && (m == children[e] || geodisk_graph_has_edge(s->graph, children[e], m)))
        m = (uint32_t)geodisk_random_below(&random, nodes);
      pairs[2 * (e * row + k)] = children[e];
      pairs[2 * (e * row + k) + 1] = m;
    }
  }
  if (status == GEODISK_OK) {
    begin[edges] = edges * row;
    const geodisk_objective_spec spec = {
        .n_points = nodes, .n_pairs = edges * row, .pairs = pairs, .n_terms = edges, .term_begin = begin, .loss = edge_loss};
    status = geodisk_objective_create(p->context, &spec, &s->objective);
  }
  geodisk_free_all(children, pairs, begin);
  return status;
}

static int subject_open(const paper *p, int which, subject *out) {
  const geodisk_generate_options generate = {.kind = GEODISK_GENERATOR_TREE,
                                             .shape = which == TREE ? GEODISK_SHAPE_UNDIRECTED : GEODISK_SHAPE_CLOSED,
                                             .branching = 2,
                                             .depth = 5};
  *out = (subject){0};
  geodisk_status status = GEODISK_OK;
  if (which == MAMMALS) {
    const int code = paper_mammals_open(p, &out->mammals);
    if (code != EXIT_OK)
      return code;
    out->graph = out->mammals.graph;
    out->relation = out->mammals.relation;
  } else {
    status = geodisk_graph_generate(p->context, &generate, &out->owned);
    out->graph = out->owned;
    if (status == GEODISK_OK)
      status = geodisk_relation_create_plain(p->context, out->graph, geodisk_graph_nodes(out->graph), &out->relation);
  }
  if (which == MAMMALS)
    status = sampled_objective(p, out);
  if (status != GEODISK_OK || which == MAMMALS)
    return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
  const size_t n = geodisk_graph_edges(out->graph);
  uint32_t *children = geodisk_allocate(n + 1, sizeof *children);
  size_t *edges = geodisk_allocate(2 * n + 1, sizeof *edges);
  status = children == NULL || edges == NULL ? GEODISK_ERROR_MEMORY : GEODISK_OK;
  if (status == GEODISK_OK) {
    geodisk_graph_children(out->graph, children);
    for (size_t i = 0; i < n; i++) {
      edges[2 * i] = children[i];
      edges[2 * i + 1] = geodisk_graph_out(out->graph).nodes[i];
    }
    const geodisk_objective_rows rows = {geodisk_graph_nodes(out->graph), n, edges, NULL};
    status = geodisk_objective_poincare(p->context, &rows, GEODISK_LOSS_NICKEL_KIELA, &out->objective);
  }
  geodisk_free_all(children, edges);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
}

/* The exact loss and tau (in the closure of the graph as given: distances in the reduction) of points. */
static geodisk_status judge(const subject *s, int which, const paper_points *at, double *values) {
  const geodisk_eval_points points = {.nodes = at->nodes, .ball = at->ball, .vectors = at->x, .gap = at->gap};
  const geodisk_ranking_options ranking = {.loss = true};
  geodisk_ranking ranks;
  geodisk_fit fit;
  double given;
  geodisk_status status = geodisk_eval_ranking(NULL, &points, s->relation, NULL, &ranking, &ranks);
  if (status == GEODISK_OK && which == MAMMALS)
    status = paper_taus(&s->mammals.distances, &points, &values[1], &given);
  else if (status == GEODISK_OK)
    status = geodisk_eval_fit(NULL, &points, s->relation, NULL, &fit);
  if (status == GEODISK_OK) {
    values[0] = ranks.loss.value;
    values[1] = which == MAMMALS ? values[1] : fit.kendall_tau.value;
  }
  return status;
}

/* One run; NaN in both values: it broke. */
static geodisk_status run_one(const paper *p, const subject *s, int which, int method, double rate, uint64_t seed,
                              double *values) {
  const double terms = (double)geodisk_objective_terms(s->objective), batch = (double)batch_of(which);
  paper_points at;
  geodisk_optim_options options = geodisk_optim_defaults(methods[method].method);
  const double steps = passes_of(p, which) / methods[method].cost * (methods[method].whole ? 1 : terms / batch);
  values[0] = values[1] = (double)NAN;
  if (!paper_points_start(&at, geodisk_graph_nodes(s->graph), DIM, seed))
    return GEODISK_ERROR_MEMORY;
  options.schedule = geodisk_schedule_constant(rate / terms);
  options.iterations = (uint64_t)steps;
  options.tolerance = 0;
  options.batch = methods[method].whole ? 0 : batch_of(which);
  options.evaluate_every = options.iterations; /* at the end */
  options.seed = seed;
  options.convexity = 0.01 * terms / rate; /* momentum (1 - 0.1) / (1 + 0.1): the loss is not convex, no constant is right */
  geodisk_status status = geodisk_minimise(&at.ball, s->objective, &options, at.x, at.gap, NULL);
  if (status == GEODISK_OK)
    status = judge(s, which, &at, values);
  if (status == GEODISK_OK && !(values[0] > 0)) /* points that fell together, as far out as numbers go */
    values[0] = values[1] = (double)NAN;
  paper_points_end(&at);
  return status == GEODISK_ERROR_NUMERIC ? GEODISK_OK : status;
}

/* All runs on one graph: METHODS x RATES x seeds. */
typedef struct method_runs {
  const paper *p;
  const subject *subject;
  int graph;
  size_t seeds;
  double *values; /* by MEASURES */
  geodisk_status *statuses;
} method_runs;

static void run_job(void *arg, size_t index) {
  const method_runs *all = arg;
  const size_t k = index / all->seeds, seed = index % all->seeds;
  all->statuses[index] = run_one(all->p, all->subject, all->graph, (int)(k / RATES), rates[k / RATES][all->graph][k % RATES],
                                 (uint64_t)all->p->seed + seed, all->values + index * MEASURES);
}

static int run_graph(paper *p, int graph, paper_buffer *out) {
  const paper_sheet sheet = {&out[0], &out[1], (uint64_t)p->seed, MEASURES};
  const size_t seeds = seeds_of(p), count = (size_t)METHODS * RATES * seeds;
  subject s;
  int code = subject_open(p, graph, &s);
  double *values = geodisk_allocate_zero(count * MEASURES, sizeof *values);
  geodisk_status *statuses = geodisk_allocate_zero(count, sizeof *statuses);
  if (code == EXIT_OK && (values == NULL || statuses == NULL))
    code = cli_error("not enough memory");
  method_runs all = {p, &s, graph, seeds, values, statuses};
  if (code == EXIT_OK)
    code = paper_jobs(p, count, run_job, &all, 0, 1);
  for (size_t i = 0; code == EXIT_OK && statuses != NULL && i < count; i++)
    if (statuses[i] != GEODISK_OK)
      code = cli_error("embeddings of %s: %s", graphs[graph], geodisk_status_text(statuses[i]));
  for (size_t k = 0; code == EXIT_OK && values != NULL && k < (size_t)METHODS * RATES; k++) {
    char keys[96], rate[GEODISK_NUMBER_BYTES];
    snprintf(keys, sizeof keys, "%s\t%s\t%g", methods[k / RATES].name, shortest_double(rates[k / RATES][graph][k % RATES], rate),
             passes_of(p, graph));
    paper_add_runs(&sheet, keys, seeds, values + k * seeds * MEASURES);
  }
  subject_close(&s);
  geodisk_free_all(values, statuses);
  return code;
}

int paper_methods_tree_run(paper *p, paper_buffer *out) { return run_graph(p, TREE, out); }
int paper_methods_closure_run(paper *p, paper_buffer *out) { return run_graph(p, CLOSURE, out); }
int paper_methods_mammals_run(paper *p, paper_buffer *out) { return run_graph(p, MAMMALS, out); }

/* The row of a method with the lowest loss, all of whose runs held; d->rows: none. `edge`: it is the lowest or the highest rate
 * tried. */
static size_t best_row(const paper_data *d, int method, bool *edge) {
  size_t best = d->rows, first = d->rows, last = 0;
  double most = 0;
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, methods[method].name)) {
      most = fmax(most, paper_value(d, i, "seeds"));
      first = first == d->rows ? i : first;
      last = i;
    }
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, methods[method].name) && paper_value(d, i, "seeds") == most &&
        (best == d->rows || paper_value(d, i, "loss") < paper_value(d, best, "loss")))
      best = i;
  *edge = best == first || best == last;
  return best;
}

/* The highest mean tau of a method over its rates. */
static double best_tau(const paper_data *d, int method) {
  double best = -(double)INFINITY;
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, methods[method].name))
      best = fmax(best, paper_value(d, i, "tau"));
  return best;
}

/* The lowest mean loss of a method over its rates. */
static double least_loss(const paper_data *d, int method) {
  double least = (double)INFINITY;
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, methods[method].name))
      least = fmin(least, paper_value(d, i, "loss"));
  return least;
}

/* Where all distances are equal, a term of the loss is the logarithm of how many nodes it sums over: at most that of all of them.
 * A method that ends above it has not begun to order the nodes. */
static void say_unordered(const paper *p, paper_report *r, const paper_part *part) {
  paper_data d;
  const double unordered = log(PAPER_MAMMALS_NODES);
  if (p->quick || !paper_open(p, part, part->tables[0], &d))
    return;
  for (int k = 0; k < METHODS; k++)
    if (isfinite(least_loss(&d, k)) && least_loss(&d, k) > unordered)
      paper_text(r,
                 "On the mammals the method \"%s\" ends above log %d = %.3f at each of its rates (at best %.3f). That is the "
                 "most the loss can be with all points in one place: so many passes do not suffice for it to order the nodes, "
                 "and what beats it there need not be good.",
                 methods[k].name, PAPER_MAMMALS_NODES, unordered, least_loss(&d, k));
  paper_close(&d);
}

/* What claim 22 counts. */
typedef struct acceleration {
  int shown, full, some;
  double seeds; /* of the graph with the fewest */
} acceleration;

static const char *clear_text(int clear) { return clear > 0 ? "clearly higher" : clear < 0 ? "clearly lower" : "not clear"; }

/* Accelerated minus plain descent on one graph, seed by seed, at the best rate of each. */
static void compare_methods(const paper *p, const char *table, const char *graph, const paper_data *d, const size_t rows[METHODS],
                            acceleration *found, paper_buffer *numbers) {
  paper_pair loss, tau;
  const char *plain = paper_at(d, rows[0], "rate"), *fast = paper_at(d, rows[1], "rate");
  if (!paper_compare_methods(p, table, methods[1].name, fast, methods[0].name, plain, "loss", &loss) ||
      !paper_compare_methods(p, table, methods[1].name, fast, methods[0].name, plain, "tau", &tau))
    return;
  const bool lower = loss.clear < 0;
  const bool higher = tau.clear > 0;
  found->seeds = found->shown == 0 ? (double)loss.seeds : fmin(found->seeds, (double)loss.seeds);
  found->shown++;
  found->full += lower && higher;
  found->some += lower || higher;
  paper_append(numbers,
               "%s%s, %zu seeds: loss %.3f accelerated, %.3f plain, difference %.3f ± %.3f, %s; τ %.3f and %.3f, difference %.3f "
               "± %.3f, %s (at the rates best for τ %.3f and %.3f).",
               found->shown > 1 ? " " : "", graph, loss.seeds, loss.first, loss.second, loss.difference, loss.error,
               clear_text(loss.clear), tau.first, tau.second, tau.difference, tau.error, clear_text(tau.clear), best_tau(d, 1),
               best_tau(d, 0));
}

static void report_graph(paper *p, paper_report *r, const paper_part *part, int graph, acceleration *found,
                         paper_buffer *numbers) {
  paper_data d;
  size_t rows[METHODS];
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  for (int k = 0; k < METHODS; k++) {
    bool edge;
    rows[k] = best_row(&d, k, &edge);
    char loss[64], tau[64];
    const double seeds = paper_value(&d, rows[k], "seeds");
    if (rows[k] < d.rows)
      paper_table_row(r, "%s\t%s\t%s\t%s%s\t%s\t%s\t%.0f", graphs[graph], methods[k].name, paper_at(&d, rows[k], "passes"),
                      paper_at(&d, rows[k], "rate"), edge ? " (edge)" : "",
                      paper_mean_text(3, paper_value(&d, rows[k], "loss"), paper_value(&d, rows[k], "loss_error"), seeds, loss),
                      paper_mean_text(3, paper_value(&d, rows[k], "tau"), paper_value(&d, rows[k], "tau_error"), seeds, tau),
                      seeds);
  }
  if (rows[0] < d.rows && rows[1] < d.rows)
    compare_methods(p, part->tables[0], graphs[graph], &d, rows, found, numbers);
  paper_close(&d);
}

/* "difference ± standard error, whether it is clear", after a tab. */
static void add_difference(paper_buffer *row, const paper_pair *pair) {
  paper_append(row, "\t%.3f ± %.3f, %s", pair->difference, pair->error, clear_text(pair->clear));
}

/* Accelerated and variance-reduced descent on one graph against plain descent, seed by seed, at the best rate of each. */
static void compare_graph(paper *p, paper_report *r, const paper_part *part, int graph) {
  static const int compared[][2] = {{1, 0}, {3, 0}, {3, 2}};
  paper_data d;
  if (!paper_open(p, part, part->tables[0], &d))
    return;
  for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++) {
    const int first = compared[i][0], second = compared[i][1];
    bool edge;
    const size_t a = best_row(&d, first, &edge), b = best_row(&d, second, &edge);
    const char *rate = paper_at(&d, a, "rate"), *other = paper_at(&d, b, "rate");
    paper_pair loss, tau;
    if (a == d.rows || b == d.rows ||
        !paper_compare_methods(p, part->tables[0], methods[first].name, rate, methods[second].name, other, "loss", &loss) ||
        !paper_compare_methods(p, part->tables[0], methods[first].name, rate, methods[second].name, other, "tau", &tau))
      continue;
    paper_buffer row = {0};
    paper_append(&row, "%s\t%s\t%s", graphs[graph], methods[first].name, methods[second].name);
    add_difference(&row, &loss);
    add_difference(&row, &tau);
    paper_table_row(r, "%s", row.text != NULL ? row.text : "");
    r->markdown.failed |= row.failed;
    free(row.text);
  }
  paper_close(&d);
}

void paper_methods_report(paper *p, const paper_part parts[PAPER_METHODS_PARTS], paper_report *r) {
  paper_data d;
  paper_buffer numbers = {0};
  acceleration found = {0};
  const bool there = paper_open(p, &parts[0], parts[0].tables[0], &d);
  const bool several = there && paper_value(&d, 0, "seeds") >= 5;
  paper_close(&d);
  if (!there)
    return;
  paper_text(r,
             "Embeddings by whole gradients (gradient, accelerated) and by those of single nodes (stochastic, variance-reduced), "
             "all geodesic, with as many gradients each; the exact loss of Nickel and Kiela, a mean over edges, at the one of %d "
             "rates at which it is lowest (edge: that is the lowest or the highest one tried), and τ with distances in the tree "
             "or hierarchy. On the mammals 10 negatives are drawn once for each edge. Means and, of several seeds, standard "
             "errors over the seeds in the last column.",
             RATES);
  paper_table_begin(r, "graph\tmethod\tpasses\trate\tloss\tτ\tseeds");
  for (int graph = 0; graph < GRAPHS; graph++)
    report_graph(p, r, &parts[graph], graph, &found, &numbers);
  paper_table_end(r);
  if (several) {
    paper_text(r, "The same seed by seed, the first minus the second; clear: beyond three standard errors of that difference and "
                  "1 %% of the second.");
    paper_table_begin(r, "graph\tmethod\tagainst\tloss\tτ");
    for (int graph = 0; graph < GRAPHS; graph++)
      compare_graph(p, r, &parts[graph], graph);
    paper_table_end(r);
  }
  if (several)
    say_unordered(p, r, &parts[MAMMALS]);
  const paper_verdict verdict = found.full == GRAPHS ? PAPER_REPRODUCED : found.some > 0 ? PAPER_PARTLY : PAPER_NOT;
  const paper_verdict judged = paper_if(found.seeds, verdict);
  if (!several || found.shown == GRAPHS) /* without WordNet it is as if it had not been run */
    paper_claim(r, CLAIM_ACCELERATED, judged, judged, "%s", numbers.text != NULL ? numbers.text : "");
  r->markdown.failed |= numbers.failed;
  free(numbers.text);
}
