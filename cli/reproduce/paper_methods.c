/* paper_methods.c - the paper's future work: embeddings by accelerated and variance-reduced descent, against plain geodesic
 * descent, on the tree, its closure and WordNet's mammals. They minimise the loss of Nickel and Kiela: on the tree with all
 * negatives, a term for each node; on the mammals with 10 negatives that are drawn once, a term for each edge. Every method may
 * look at the gradient of each term equally often, and is judged at the rate at which its exact loss is lowest. */
#include "paper_methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 2, METHODS = 4, GRAPHS = 3, RATES = 3, MEASURES = 2, NEGATIVES = 10 };

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
static const double rates[METHODS][GRAPHS][RATES] = {{{3, 10, 30}, {1, 3, 10}, {3, 10, 30}},
                                                     {{3, 10, 30}, {1, 3, 10}, {3, 10, 30}},
                                                     {{0.1, 0.3, 1}, {0.1, 0.3, 1}, {30, 100, 300}},
                                                     {{0.1, 0.3, 1}, {0.1, 0.3, 1}, {3, 10, 30}}};

static size_t seeds_of(const paper *p, int graph) { return p->quick ? 1 : graph == 2 ? 2 : 3; }
static double passes_of(const paper *p, int graph) { return p->quick ? 2 : graph == 2 ? 50 : 200; }

/* Terms a stochastic step: with many terms a step of one would cost less than what variance reduction does to all points. */
static size_t batch_of(int graph) { return graph == 2 ? 64 : 1; }

void paper_methods_settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "binary tree of 63 nodes, its closure, WordNet below %s; dim 2, the loss of Nickel and Kiela with all negatives "
           "(mammals: 10, "
           "drawn once, batches of 64 edges), %d rates, as many gradients as %.0f passes over the terms (mammals: %.0f), %zu "
           "seeds (mammals: %zu) from %lld on",
           p->quick ? "carnivore.n.01" : paper_root(p), RATES, passes_of(p, 0), passes_of(p, 2), seeds_of(p, 0), seeds_of(p, 2),
           (long long)p->seed);
}

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
  free(children);
  free(pairs);
  free(begin);
  return status;
}

static int subject_open(const paper *p, int which, subject *out) {
  const geodisk_generate_options generate = {
      .kind = GEODISK_TREE, .shape = which == 0 ? GEODISK_UNDIRECTED : GEODISK_CLOSED, .branching = 2, .depth = 5};
  *out = (subject){0};
  geodisk_status status = GEODISK_OK;
  if (which == 2) {
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
  if (which == 2)
    status = sampled_objective(p, out);
  if (status != GEODISK_OK || which == 2)
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
    status = geodisk_objective_poincare(p->context, geodisk_graph_nodes(out->graph), n, edges, GEODISK_NEGATIVES_NICKEL_KIELA,
                                        NULL, &out->objective);
  }
  free(children);
  free(edges);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
}

/* The exact loss and tau (in the closure of the graph as given: distances in the reduction) of points. */
static geodisk_status judge(const subject *s, int which, const paper_points *at, double *values) {
  const geodisk_eval_points points = {.nodes = at->nodes, .ball = at->ball, .vectors = at->x, .gap = at->gap};
  const geodisk_ranking_options ranking = {.loss = true};
  geodisk_ranking ranks;
  geodisk_fit fit;
  double given;
  geodisk_status status = geodisk_eval_ranking(NULL, &points, s->relation, NULL, &ranking, NULL, &ranks);
  if (status == GEODISK_OK && which == 2)
    status = paper_taus(&s->mammals.distances, &points, &values[1], &given);
  else if (status == GEODISK_OK)
    status = geodisk_eval_fit(NULL, &points, s->relation, NULL, &fit);
  if (status == GEODISK_OK) {
    values[0] = ranks.loss.value;
    values[1] = which == 2 ? values[1] : fit.kendall_tau.value;
  }
  return status;
}

/* One run; NaN in both values: it broke. */
static geodisk_status run_one(paper *p, const subject *s, int which, int method, double rate, uint64_t seed, double *values) {
  const double terms = (double)geodisk_objective_terms(s->objective), batch = (double)batch_of(which);
  paper_points at;
  geodisk_optim_options options = geodisk_optim_defaults(methods[method].method);
  const double steps = passes_of(p, which) / methods[method].cost * (methods[method].whole ? 1 : terms / batch);
  values[0] = values[1] = (double)NAN;
  if (!paper_points_start(&at, geodisk_graph_nodes(s->graph), DIM, seed))
    return GEODISK_ERROR_MEMORY;
  options.context = p->context;
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

int paper_methods_run(paper *p, paper_buffer *out) {
  const paper_sheet sheet = {&out[0], &out[1], (uint64_t)p->seed, MEASURES};
  int code = EXIT_OK;
  for (int which = 0; code == EXIT_OK && which < GRAPHS; which++) {
    subject s;
    code = subject_open(p, which, &s);
    for (int k = 0; code == EXIT_OK && k < METHODS * RATES; k++) {
      double values[PAPER_MOST_SEEDS * MEASURES];
      char keys[96], rate[GEODISK_NUMBER_BYTES];
      const size_t seeds = seeds_of(p, which);
      for (size_t i = 0; code == EXIT_OK && i < seeds; i++) {
        const geodisk_status status =
            run_one(p, &s, which, k / RATES, rates[k / RATES][which][k % RATES], (uint64_t)p->seed + i, values + i * MEASURES);
        if (status != GEODISK_OK)
          code = cli_failed(p->context, status);
      }
      snprintf(keys, sizeof keys, "%s\t%s\t%s\t%g", methods[k / RATES].name, graphs[which],
               shortest_double(rates[k / RATES][which][k % RATES], rate), passes_of(p, which));
      if (code == EXIT_OK)
        paper_add_runs(&sheet, keys, seeds, values);
      if (code == EXIT_OK && !paper_progress(p, (which + (k + 1.0) / (METHODS * RATES)) / GRAPHS))
        code = cli_failed(p->context, GEODISK_ERROR_STOPPED);
    }
    subject_close(&s);
    if (code == PAPER_LEFT_OUT) /* no WordNet: the tree all the same */
      code = EXIT_OK;
  }
  return code;
}

/* The row of a method on a graph with the lowest loss, all of whose runs held; d->rows: none. */
static size_t best_row(const paper_data *d, int method, int graph) {
  char key[64];
  size_t best = d->rows;
  double most = 0;
  snprintf(key, sizeof key, "%s\t%s", methods[method].name, graphs[graph]);
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, key))
      most = fmax(most, paper_value(d, i, "seeds"));
  for (size_t i = 0; i < d->rows; i++)
    if (paper_row_is(d, i, key) && paper_value(d, i, "seeds") == most &&
        (best == d->rows || paper_value(d, i, "loss") < paper_value(d, best, "loss")))
      best = i;
  return best;
}

void paper_methods_report(paper *p, const paper_part *part, paper_report *r) {
  paper_data d;
  paper_buffer numbers = {0};
  int shown = 0, full = 0, some = 0;
  if (!paper_open(p, part, "embeddings", &d))
    return;
  paper_text(
      r, "Embeddings by whole gradients (gradient, accelerated) and by those of single nodes (stochastic, variance-reduced), all "
         "geodesic, with as many gradients each; the exact loss of Nickel and Kiela, a mean over edges, at the rate at which it "
         "is lowest, and τ with distances in the tree or hierarchy. On the mammals 10 negatives are drawn once for each edge.");
  paper_table_begin(r, "graph\tmethod\tpasses\trate\tloss\tτ");
  for (int graph = 0; graph < GRAPHS; graph++) {
    size_t rows[METHODS];
    for (int k = 0; k < METHODS; k++) {
      rows[k] = best_row(&d, k, graph);
      if (rows[k] < d.rows)
        paper_table_row(r, "%s\t%s\t%s\t%s\t%.3f ± %.3f\t%.3f ± %.3f", graphs[graph], methods[k].name,
                        paper_at(&d, rows[k], "passes"), paper_at(&d, rows[k], "rate"), paper_value(&d, rows[k], "loss"),
                        paper_value(&d, rows[k], "loss_error"), paper_value(&d, rows[k], "tau"),
                        paper_value(&d, rows[k], "tau_error"));
    }
    if (rows[0] == d.rows || rows[1] == d.rows)
      continue;
    const double loss[2] = {paper_value(&d, rows[0], "loss"), paper_value(&d, rows[1], "loss")};
    const double tau[2] = {paper_value(&d, rows[0], "tau"), paper_value(&d, rows[1], "tau")};
    shown++;
    full += loss[1] < loss[0] && tau[1] > tau[0];
    some += loss[1] < loss[0] || tau[1] > tau[0];
    paper_append(&numbers, "%s%s: loss %.3f accelerated, %.3f plain; τ %.3f and %.3f.", shown > 1 ? " " : "", graphs[graph],
                 loss[1], loss[0], tau[1], tau[0]);
  }
  paper_table_end(r);
  const paper_verdict verdict = shown < GRAPHS   ? PAPER_UNJUDGED
                                : full == GRAPHS ? PAPER_REPRODUCED
                                : some > 0       ? PAPER_PARTLY
                                                 : PAPER_NOT;
  const paper_verdict judged = p->quick ? PAPER_UNJUDGED : verdict;
  paper_claim(r, CLAIM_ACCELERATED, judged, judged, "%s", numbers.text != NULL ? numbers.text : "");
  r->markdown.failed |= numbers.failed;
  free(numbers.text);
  paper_close(&d);
}
