/* paper_training.c - trains on WordNet's mammals with the settings of the paper's appendix, and judges the result. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *paper_root(const paper *p) { return p->quick ? "carnivore.n.01" : "mammal.n.01"; }

int paper_mammals_open(const paper *p, paper_mammals_data *out) {
  const geodisk_wordnet_options wordnet = {.root = paper_root(p)};
  char path[4096];
  *out = (paper_mammals_data){0};
  snprintf(path, sizeof path, "%s/data.noun", p->dict);
  if (access(path, R_OK) != 0) {
    geodisk_log_event(p->context, GEODISK_LOG_WARNING,
                      "%s: WordNet is not there: experiments with its mammals are left out (--dict)", path);
    return PAPER_LEFT_OUT;
  }
  geodisk_status status = geodisk_graph_read_wordnet(p->context, p->dict, &wordnet, NULL, &out->graph);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(p->context, out->graph, geodisk_graph_nodes(out->graph), &out->relation);
  if (status == GEODISK_OK)
    status = paper_distances_open(p->context, out->graph, &out->distances);
  if (status == GEODISK_OK)
    return EXIT_OK;
  paper_mammals_close(out);
  return cli_failed(p->context, status);
}

void paper_mammals_close(paper_mammals_data *data) {
  geodisk_relation_destroy(data->relation);
  geodisk_graph_destroy(data->graph);
  paper_distances_close(&data->distances);
  *data = (paper_mammals_data){0};
}

/* Ranks of a sample of nodes are enough for large graphs; 0: all. */
static geodisk_status judge_ranks(geodisk_context *context, const geodisk_eval_points *points, const geodisk_relation *positives,
                                  const geodisk_relation *known, size_t sample, paper_quality *out) {
  const geodisk_ranking_options ranking = {.loss = true, .sample = sample};
  geodisk_ranking ranks;
  const geodisk_status status = geodisk_eval_ranking(context, points, positives, known, &ranking, &ranks);
  *out = (paper_quality){(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
  if (status == GEODISK_OK) {
    out->loss = ranks.loss.value;
    out->mean_rank = ranks.mean_rank.value;
    out->map = ranks.map.value;
  }
  return status;
}

geodisk_status paper_judge(const geodisk_eval_points *points, const geodisk_relation *positives, const geodisk_relation *known,
                           const paper_distances *distances, paper_quality *out) {
  geodisk_status status = judge_ranks(NULL, points, positives, known, 0, out);
  if (status == GEODISK_OK && distances != NULL)
    status = paper_taus(distances, points, &out->tau, &out->tau_closure);
  return status;
}

static void train_by_trainer(paper_training *t) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_context *own = NULL, *context = t->context;
  geodisk_trainer *trainer = NULL;
  geodisk_model *rows = NULL, *model = NULL;
  geodisk_eval_points points;
  geodisk_status status = context != NULL ? GEODISK_OK : geodisk_context_create(1, &own);
  context = context != NULL ? context : own;
  if (status == GEODISK_OK)
    status = geodisk_train_recipe(context, "paper", &options);
  options.dim = t->dim;
  options.update = t->update;
  options.lr = t->rate;
  options.epochs = t->epochs;
  options.seed = t->seed;
  if (status == GEODISK_OK)
    status = geodisk_trainer_create(context, t->graph, &options, &trainer);
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  if (status == GEODISK_OK)
    status = geodisk_trainer_model(trainer, &rows);
  if (status == GEODISK_OK)
    status = geodisk_model_copy(context, rows, GEODISK_WIDTH_AUTO, false, &model);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(context, model, GEODISK_SPACE_HYPERBOLIC, &points);
  if (status == GEODISK_OK && t->distances != NULL)
    status = paper_judge(&points, t->positives, t->known, t->distances, &t->quality);
  else if (status == GEODISK_OK)
    status = judge_ranks(context, &points, t->positives, t->known, t->sample, &t->quality);
  t->status = status;
  geodisk_model_destroy(model);
  geodisk_model_destroy(rows);
  geodisk_trainer_destroy(trainer);
  geodisk_context_destroy(own);
}

/* Draws different nodes that are neither u nor targets of u, uniformly or as ends of random edges: in proportion to how many they
 * have. */
static void draw_negatives(const paper_training *t, const uint32_t *children, geodisk_random *random, uint32_t u, size_t n,
                           uint32_t *out) {
  const uint32_t *parents = geodisk_graph_out(t->graph).nodes;
  const uint64_t choices = t->uniform ? geodisk_graph_nodes(t->graph) : 2 * geodisk_graph_edges(t->graph);
  for (size_t i = 0; i < n;) {
    const uint64_t choice = geodisk_random_below(random, choices);
    const uint32_t m = t->uniform ? (uint32_t)choice : choice % 2 == 0 ? children[choice / 2] : parents[choice / 2];
    bool fresh = m != u && !geodisk_graph_has_edge(t->graph, u, m);
    for (size_t k = 0; k < i; k++)
      fresh = fresh && out[k] != m;
    out[i] = m;
    i += fresh;
  }
}

static void train_by_edge(paper_training *t) {
  enum { NEGATIVES = 10 };
  const size_t edges = geodisk_graph_edges(t->graph);
  const geodisk_graph_rows rows = geodisk_graph_out(t->graph);
  uint32_t *children = geodisk_allocate(edges, sizeof *children), negatives[NEGATIVES];
  geodisk_random draw = geodisk_random_stream(t->seed, 1);
  paper_points at = {0};
  t->status = GEODISK_ERROR_MEMORY;
  if (children != NULL && paper_points_start(&at, geodisk_graph_nodes(t->graph), t->dim, t->seed)) {
    geodisk_graph_children(t->graph, children);
    for (uint64_t i = 0; i < t->epochs * edges; i++) {
      const uint64_t edge = geodisk_random_below(&draw, edges);
      const paper_step step = {t->update, t->rate, children[edge], rows.nodes[edge], negatives, NEGATIVES, false};
      draw_negatives(t, children, &draw, step.u, NEGATIVES, negatives);
      paper_edge_step(&at, &step);
    }
    const geodisk_eval_points points = {.nodes = at.nodes, .ball = at.ball, .vectors = at.x, .gap = at.gap};
    t->status = paper_judge(&points, t->positives, t->known, t->distances, &t->quality);
  }
  paper_points_end(&at);
  free(children);
}

void paper_train(paper_training *t) {
  if (t->by_edge)
    train_by_edge(t);
  else
    train_by_trainer(t);
}
