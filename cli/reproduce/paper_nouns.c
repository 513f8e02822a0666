/* paper_nouns.c - the withdrawn tables on what they speak of: all of WordNet's nouns, by the library's trainer with the paper's
 * settings, dim 5. Loss, reconstruction and link prediction, judged on a sample of the nodes. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DIM = 5, RULES = 2, RATES = 3, MEASURES = 3 };

static const char *const rules[RULES] = {"geodesic", "natural"};
static const double rates[RATES] = {0.1, 0.5, 2};

static size_t seeds_of(const paper *p) { return paper_seeds(p, 1, 5); }
static uint64_t epochs_of(const paper *p) { return p->epochs > 0 ? (uint64_t)p->epochs : p->quick ? 1 : 2; }
static size_t sample_of(const paper *p) { return p->quick ? 100 : 500; }

/* Quick: a part of the nouns. */
static const char *root_of(const paper *p) { return p->quick ? "animal.n.01" : NULL; }

static void settings(const paper *p, char text[PAPER_SETTINGS]) {
  snprintf(text, PAPER_SETTINGS,
           "WordNet's nouns (%s), by the trainer, recipe paper, dim %d, %llu epochs, %d rates, %zu seeds from %lld on, %zu nodes "
           "judged; nouns-links: a split for each seed",
           p->quick ? root_of(p) : "all", DIM, (unsigned long long)epochs_of(p), RATES, seeds_of(p), (long long)p->seed,
           sample_of(p));
}

static int open_nouns(const paper *p, geodisk_graph **graph) {
  const geodisk_wordnet_options wordnet = {.root = root_of(p)};
  char path[4096];
  snprintf(path, sizeof path, "%s/data.noun", p->dict);
  if (access(path, R_OK) != 0)
    return PAPER_LEFT_OUT; /* the mammals have said so */
  const geodisk_status status = geodisk_graph_read_wordnet(p->context, p->dict, &wordnet, NULL, graph);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
}

/* Both updates at all rates for one seed; values[rule][rate][seed]. */
static int run_seed(paper *p, const geodisk_graph *graph, bool links, size_t seed, double *values) {
  const geodisk_split_options held_out = {.validation = 0, .test = PAPER_HELD_OUT, .seed = (uint64_t)p->seed + seed};
  const size_t nodes = geodisk_graph_nodes(graph), seeds = seeds_of(p);
  geodisk_split split = {0};
  geodisk_relation *known = NULL, *positives = NULL;
  geodisk_status status = links ? geodisk_graph_split(p->context, graph, &held_out, &split) : GEODISK_OK;
  if (status == GEODISK_OK && links)
    status = geodisk_relation_create_plain(p->context, split.train, nodes, &known);
  if (status == GEODISK_OK)
    status = geodisk_relation_create_plain(p->context, links ? split.test : graph, nodes, &positives);
  int code = status == GEODISK_OK ? EXIT_OK : cli_failed(p->context, status);
  for (size_t k = 0; code == EXIT_OK && k < (size_t)RULES * RATES; k++) {
    paper_training t = {.update = (geodisk_update)(k / RATES),
                        .rate = rates[k % RATES],
                        .dim = DIM,
                        .epochs = epochs_of(p),
                        .seed = (uint64_t)p->seed + seed,
                        .context = p->context,
                        .sample = sample_of(p),
                        .graph = links ? split.train : graph,
                        .positives = positives,
                        .known = known};
    paper_train(&t);
    if (t.status != GEODISK_OK)
      code = cli_failed(p->context, t.status);
    else if (!paper_progress(p, ((double)seed + (double)(k + 1) / (RULES * RATES)) / (double)seeds))
      code = cli_failed(p->context, GEODISK_ERROR_STOPPED);
    double *own = values + (k * seeds + seed) * MEASURES;
    own[0] = t.quality.loss;
    own[1] = t.quality.mean_rank;
    own[2] = t.quality.map;
  }
  geodisk_relation_destroy(known);
  geodisk_relation_destroy(positives);
  geodisk_split_free(&split);
  return code;
}

static int run_nouns(paper *p, bool links, paper_buffer *out) {
  const size_t seeds = seeds_of(p);
  const paper_sheet sheet = {&out[0], &out[1], (uint64_t)p->seed, MEASURES};
  geodisk_graph *graph = NULL;
  double *values = geodisk_allocate_zero((size_t)RULES * RATES * seeds * MEASURES, sizeof *values);
  if (values == NULL)
    return cli_error("not enough memory");
  int code = open_nouns(p, &graph);
  for (size_t seed = 0; code == EXIT_OK && seed < seeds; seed++)
    code = run_seed(p, graph, links, seed, values);
  for (size_t k = 0; code == EXIT_OK && k < (size_t)RULES * RATES; k++) {
    char keys[64], rate[GEODISK_NUMBER_BYTES];
    snprintf(keys, sizeof keys, "%s\t%s", rules[k / RATES], shortest_double(rates[k % RATES], rate));
    paper_add_runs(&sheet, keys, seeds, values + k * seeds * MEASURES);
  }
  geodisk_graph_destroy(graph);
  free(values);
  return code;
}

static int run_reconstruction(paper *p, paper_buffer *out) { return run_nouns(p, false, out); }
static int run_links(paper *p, paper_buffer *out) { return run_nouns(p, true, out); }

#define COLUMNS "update\trate\tloss\tloss_error\tmean_rank\tmean_rank_error\tmap\tmap_error\tseeds"
#define SEEDS   "update\trate\tseed\tloss\tmean_rank\tmap"
static const paper_part parts[] = {
    {{"nouns", "nouns-seeds"}, {COLUMNS, SEEDS}, settings, run_reconstruction, 2, 120},
    {{"nouns-links", "nouns-links-seeds"}, {COLUMNS, SEEDS}, settings, run_links, 2, 120},
};

static void add_row(paper_report *r, const paper_data *d, size_t i, const char *task) {
  const double seeds = paper_value(d, i, "seeds");
  char loss[64], rank[64], map[64];
  paper_table_row(r, "%s\t%s\t%s\t%s\t%s\t%s", task, paper_at(d, i, "update"), paper_at(d, i, "rate"),
                  paper_mean_text(3, paper_value(d, i, "loss"), paper_value(d, i, "loss_error"), seeds, loss),
                  paper_mean_text(1, paper_value(d, i, "mean_rank"), paper_value(d, i, "mean_rank_error"), seeds, rank),
                  paper_mean_text(4, paper_value(d, i, "map"), paper_value(d, i, "map_error"), seeds, map));
}

static void report(paper *p, paper_report *r) {
  paper_data d, links;
  paper_contest loss = {0}, map = {0}, rank = {0}, link_map = {0}, link_rank = {0};
  const bool there = paper_open(p, &parts[0], "nouns", &d);
  if (paper_open(p, &parts[1], "nouns-links", &links) && there) {
    const double epochs = paper_setting(p, "nouns", " epochs");
    char over[64];
    paper_heading(r, "WordNet's nouns, of which the withdrawn text speaks");
    paper_text(
        r,
        "All of WordNet's nouns%s, the closure of their hypernyms, in dim 5, by the library's trainer with its recipe paper, for "
        "%.0f epoch%s, so that the plan keeps its time; loss and ranks of a sample of %.0f nodes among all others. %s.",
        p->quick ? " (quick: the animals)" : "", epochs, epochs == 1 ? "" : "s", paper_setting(p, "nouns", " nodes judged"),
        paper_over_seeds(paper_value(&d, 0, "seeds"), over));
    paper_table_begin(r, "task\tupdate\trate\tloss\tmean rank\tMAP");
    for (size_t i = 0; i < d.rows; i++)
      add_row(r, &d, i, "reconstruction");
    for (size_t i = 0; i < links.rows; i++)
      add_row(r, &links, i, "link prediction");
    paper_table_end(r);
    paper_compare(p, "nouns", "loss", true, &loss);
    paper_compare(p, "nouns", "map", false, &map);
    paper_compare(p, "nouns", "mean_rank", true, &rank);
    paper_compare(p, "nouns-links", "map", false, &link_map);
    paper_compare(p, "nouns-links", "mean_rank", true, &link_rank);
    double best[RULES] = {(double)INFINITY, (double)INFINITY};
    for (size_t i = 0; i < d.rows; i++) {
      const int rule = paper_row_is(&d, i, rules[1]);
      best[rule] = fmin(best[rule], paper_value(&d, i, "loss"));
    }
    paper_claim_loss(r, CLAIM_NOUNS_LOSS, &loss, best[0], best[1]);
    paper_claim_worse(r, CLAIM_NOUNS_RECONSTRUCTION, &map, &rank);
    paper_claim_worse(r, CLAIM_NOUNS_LINKS, &link_map, &link_rank);
  }
  paper_close(&d);
  paper_close(&links);
}

const paper_experiment paper_nouns = {"nouns", "WordNet's nouns", parts, 2, NULL, 0, report, NULL};
