/* paper.h - what the experiments of `geodisk reproduce` share: the plan, tables (TSV files), figures (gnuplot) and the report.
 * One file paper_<experiment>.c each.
 *
 * A PART of the plan computes one or more tables. A table is written as a whole when its part is done, and its first line holds
 * the settings; a part whose tables are there with the same settings is not run again. Figures and the report read the tables
 * only. All tables are the same bytes for the same settings, but those whose name begins with "varies-": times. */
#pragma once

#include "args.h"
#include "paper_descent.h"
#include "paper_tau.h"

/* ---- texts that grow ------------------------------------------------------------------------------------------------ */

typedef struct paper_buffer {
  char *text; /* NULL: empty; else ends with a NUL */
  size_t size, room;
  bool failed; /* out of memory: what is appended then is dropped, and writing it is an error */
} paper_buffer;
void paper_append(paper_buffer *b, const char *format, ...) GEODISK_PRINTF(2, 3);
void paper_append_list(paper_buffer *b, const char *format, va_list arguments) GEODISK_PRINTF(2, 0);

/* Cells of a table; a row ends with paper_end_row. Numbers are shortest round-trip. */
void paper_cell(paper_buffer *b, const char *text);
void paper_number(paper_buffer *b, double value);
void paper_numbers(paper_buffer *b, int n, const double *values);
void paper_end_row(paper_buffer *b);

/* ---- the plan -------------------------------------------------------------------------------------------------------- */

/* PAPER_HELD_OUT: of the edges, in percent, for link prediction. */
enum { PAPER_HELD_OUT = 10, PAPER_TABLES = 4, PAPER_SETTINGS = 512, PAPER_MOST_SEEDS = 256 };

typedef struct paper {
  geodisk_context *context;
  const char *dir;
  const char *dict; /* the folder of WordNet's database */
  const char *page; /* a document whose part between the marks is written again; or NULL */
  const char *command;
  bool quick, again;
  bool reread;                       /* nothing is run: the report is made from the tables that are there, whatever made them */
  int64_t seeds, iterations, epochs; /* 0: as planned */
  int64_t seed;                      /* the first one */
  bool gnuplot;                      /* is there */
  double done, total;                /* of the whole plan, in seconds as estimated */
  double weight;                     /* of the running part */
  double started;                    /* seconds on the clock */
  const char *experiment;            /* running */
} paper;

typedef struct paper_part {
  const char *tables[PAPER_TABLES];                            /* names of files without .tsv; NULL after the last */
  const char *columns[PAPER_TABLES];                           /* tab-separated names */
  void (*settings)(const paper *p, char text[PAPER_SETTINGS]); /* everything the numbers depend on */
  int (*run)(paper *p, paper_buffer *out);                     /* fills the tables; an exit code, having said why */
  double quick, full;                                          /* about how many seconds */
} paper_part;

typedef struct paper_figure {
  const char *name;   /* of its files: .gp, .png, .svg */
  int width, height;  /* pixels */
  const char *needs;  /* the table it is drawn from */
  const char *script; /* for gnuplot, in the folder of the tables */
} paper_figure;

typedef struct paper_report paper_report;

typedef struct paper_experiment {
  const char *name, *title;
  const paper_part *parts;
  int n_parts;
  const paper_figure *figures;
  int n_figures;
  void (*report)(paper *p, paper_report *r); /* its section */
  void (*varies)(paper *p, paper_report *r); /* what differs from run to run, for the last section; or NULL */
} paper_experiment;

extern const paper_experiment paper_updates, paper_barycenter, paper_tree, paper_mammals, paper_nouns, paper_theory, paper_beyond;

/* The experiments in order; NULL after the last. */
const paper_experiment *paper_experiment_at(size_t index);

/* Runs what is not there yet of the experiments that are `chosen`; then figures and report of all whose tables are there. */
int paper_run(paper *p, bool (*chosen)(void *user, const paper_experiment *e), void *user);

/* `share` of the running part is done; false: Ctrl-C. */
bool paper_progress(paper *p, double share);

/* Runs job(arg, i) for every i below count, on all threads, with progress from the share `from` to `to`; cli_interrupted_code()
 * after Ctrl-C. */
int paper_jobs(paper *p, size_t count, geodisk_task_fn job, void *arg, double from, double to);

/* What a part returns, having said why, when something it needs is not installed: its tables are left out. */
enum { PAPER_LEFT_OUT = -1 };

/* How many seeds: as the user asks, or `quick` or `full` of them. */
size_t paper_seeds(const paper *p, size_t quick, size_t full);

/* Mean and standard error of n numbers; and the quantile q of them (they are sorted). */
typedef struct paper_mean {
  double mean, error;
} paper_mean;
paper_mean paper_mean_of(size_t n, const double *values);
double paper_quantile(size_t n, double *values, double q);

/* ---- runs: a number for every seed (paper_runs.c) ---------------------------------------------------------------------- */

/* A summary (a row a setting: mean and standard error of each measure, how many seeds) and the table NAME-seeds behind it (a row
 * a seed). The first columns of both are the keys; those of the second are followed by `seed`. */
typedef struct paper_sheet {
  paper_buffer *summary, *seeds;
  uint64_t first_seed;
  int measures;
} paper_sheet;

/* Adds a setting: its keys, tab-separated, and seeds x measures values. A NaN is no number: it is left out of the mean, its cell
 * is empty. */
void paper_add_runs(const paper_sheet *sheet, const char *keys, size_t seeds, const double *values);

/* Writes seeds.tsv, all tables NAME-seeds that are there in one (varies-seeds.tsv: those of times), and pairs.tsv: at each
 * setting geodesic minus natural, seed by seed, its mean and standard error. */
int paper_write_pairs(paper *p);

/* How often the geodesic update was clearly better than the natural one, and clearly worse, over the settings of a table: by
 * more than three standard errors of the paired difference and 1 % of the natural update's value. */
typedef struct paper_contest {
  size_t better, worse, settings, seeds; /* seeds: of the setting with the fewest */
} paper_contest;
void paper_compare(const paper *p, const char *table, const char *measure, bool lower, paper_contest *out);

/* Two settings seed by seed. */
typedef struct paper_pair {
  double first, second, difference, error; /* means; the standard error of the difference */
  size_t seeds;
  int clear; /* 1, -1: the first is clearly higher, lower; 0: neither */
} paper_pair;

/* A method at a rate against another one, by seeds.tsv; false below two seeds. */
bool paper_compare_methods(const paper *p, const char *table, const char *method, const char *rate, const char *other,
                           const char *other_rate, const char *measure, paper_pair *out);

/* How many comparisons pairs.tsv holds, how many of them are clear, how many would exceed three standard errors by chance, and
 * the fewest and the most seeds of one. */
typedef struct paper_pairs_count {
  size_t all, clear;
  double by_chance, fewest, most;
} paper_pairs_count;
paper_pairs_count paper_count_pairs(const paper *p);

/* ---- training on WordNet's mammals ------------------------------------------------------------------------------------ */

/* Below which node of WordNet: mammal (so many nodes), and carnivore in the quick version. */
enum { PAPER_MAMMALS_NODES = 1182 };
const char *paper_root(const paper *p);

/* WordNet's mammals, and the same as a relation; PAPER_LEFT_OUT without WordNet. */
typedef struct paper_mammals_data {
  geodisk_graph *graph;
  geodisk_relation *relation;
  paper_distances distances;
} paper_mammals_data;
int paper_mammals_open(const paper *p, paper_mammals_data *out);
void paper_mammals_close(paper_mammals_data *data);

/* How good points are; tau: with distances in the hierarchy (the transitive reduction), and in the graph as given. */
typedef struct paper_quality {
  double tau, tau_closure, loss, mean_rank, map;
} paper_quality;
enum { PAPER_QUALITIES = 5 };

/* Judges points by the ranks of `positives` (edges in `known`, or NULL, do not count), and by Kendall's tau unless `distances` is
 * NULL (NaN then). */
geodisk_status paper_judge(const geodisk_eval_points *points, const geodisk_relation *positives, const geodisk_relation *known,
                           const paper_distances *distances, paper_quality *out);

/* One training with the paper's settings, and how good its result is. */
typedef struct paper_training {
  geodisk_update update;
  double rate;
  int dim;
  uint64_t epochs, seed;
  bool by_edge; /* by paper_edge_step, `epochs` times as many edges as the graph has, drawn uniformly; else by the trainer */
  bool uniform; /* by edge: negatives are drawn uniformly; else by how many edges they have, as gensim does */
  geodisk_context *context; /* the trainer's; NULL: one thread */
  size_t sample;            /* so many nodes are judged; 0: all */
  const geodisk_graph *graph;
  const geodisk_relation *positives, *known;
  const paper_distances *distances;
  paper_quality quality;
  geodisk_status status;
} paper_training;
void paper_train(paper_training *t);

/* gensim at several rates (paper_gensim.c): a setting for each, keys "gensim" and the rate, then `more_keys`. */
typedef struct paper_gensim_plan {
  int dim, negatives;
  uint64_t epochs, first_seed;
  const double *rates;
  size_t n_rates, seeds;
  const char *more_keys;              /* "" or further cells, each after a tab */
  const geodisk_graph *const *graphs; /* one for each seed */
  int measures;
  bool (*judge)(void *user, size_t seed, const geodisk_eval_points *points, double *values); /* false: broken */
  void *user;
} paper_gensim_plan;
int paper_gensim_run(paper *p, const paper_gensim_plan *plan, const paper_sheet *sheet);
extern const double paper_gensim_rates[3];

/* Five seeds, or fewer where the user asks for fewer: gensim takes minutes for them. */
enum { PAPER_GENSIM_SEEDS = 5 };
size_t paper_gensim_seeds(const paper *p);

/* ---- tables that are there ------------------------------------------------------------------------------------------- */

typedef struct paper_data {
  char *text;
  char **cells; /* rows x columns, after a row of names */
  size_t rows, columns;
} paper_data;

/* Reads a table; false if it is not there, or was made with other settings. paper_close is fine either way. */
bool paper_open(const paper *p, const paper_part *part, const char *table, paper_data *out);
bool paper_open_any(const paper *p, const char *table, paper_data *out); /* whatever its settings */
void paper_close(paper_data *data);
const char *paper_at(const paper_data *data, size_t row, const char *column); /* "" where there is none */
double paper_value(const paper_data *data, size_t row, const char *column);   /* NaN where there is none */

/* The number that stands before `words` in the settings that a table was made with; NaN where there is none. */
double paper_setting(const paper *p, const char *table, const char *words);

/* Whether the first cells of a row are those, tab-separated; and the value of a column in the first such row. */
bool paper_row_is(const paper_data *data, size_t row, const char *key);
double paper_lookup(const paper_data *data, const char *column, const char *key_format, ...) GEODISK_PRINTF(3, 4);

/* ---- figures --------------------------------------------------------------------------------------------------------- */

bool paper_has_gnuplot(const paper *p);
int paper_draw(const paper *p, const paper_figure *figure);

/* ---- the report ------------------------------------------------------------------------------------------------------ */

/* What the paper says; their texts, places and rules are in paper_claims.c, in this order. */
typedef enum paper_claim_id {
  CLAIM_THEOREM1,
  CLAIM_PARALLEL,
  CLAIM_LEMMA,
  CLAIM_COST,
  CLAIM_STEPS,
  CLAIM_PROPOSITION1,
  CLAIM_SMOOTHNESS,
  CLAIM_BOUND,
  CLAIM_PROPOSITION2,
  CLAIM_RATE,
  CLAIM_BALANCED,
  CLAIM_BIAS_THEOREM,
  CLAIM_BIAS,
  CLAIM_HIGH_RATE,
  CLAIM_LOW_RATE,
  CLAIM_LOW_RATE_CAUSE,
  CLAIM_SOONER,
  CLAIM_EUCLIDEAN,
  CLAIM_TREE,
  CLAIM_TREE_CLOSURE,
  CLAIM_MAMMALS,
  CLAIM_ACCELERATED,
  CLAIM_SCALE,
  CLAIM_GROWTH,
  CLAIM_CLOSE,
  CLAIM_BIAS_CAUSE,
  CLAIM_BIAS_READING,
  CLAIM_HIGH_RATE_READING,
  CLAIM_TREE_READING,
  CLAIM_MAMMALS_READING,
  CLAIM_MAMMALS_UNIFORM,
  CLAIM_MAMMALS_UNIFORM_READING,
  CLAIM_LOSS,
  CLAIM_RECONSTRUCTION,
  CLAIM_LINKS,
  CLAIM_NOUNS_LOSS,
  CLAIM_NOUNS_RECONSTRUCTION,
  CLAIM_NOUNS_LINKS,
  PAPER_CLAIMS
} paper_claim_id;

typedef enum paper_verdict { PAPER_NOT = 0, PAPER_PARTLY = 1, PAPER_REPRODUCED = 2, PAPER_UNJUDGED = 3 } paper_verdict;

/* What came out. */
typedef struct paper_outcome {
  paper_verdict printed, corrected;
  char *numbers; /* NULL: its experiment was not run */
} paper_outcome;

struct paper_report {
  const paper *p;
  paper_buffer markdown, html; /* the sections */
  paper_outcome outcomes[PAPER_CLAIMS];
};

void paper_heading(paper_report *r, const char *title);
void paper_text(paper_report *r, const char *format, ...) GEODISK_PRINTF(2, 3);
/* "Means and standard errors over N seeds", or that there is one seed only. */
const char *paper_over_seeds(double seeds, char text[64]);
/* "mean ± standard error"; of one seed only the number. */
const char *paper_mean_text(int digits, double mean, double error, double seeds, char text[64]);
void paper_show(paper_report *r, const char *figure, const char *caption);
/* A table: the heads, then rows, tab-separated; paper_table_end. */
void paper_table_begin(paper_report *r, const char *heads);
void paper_table_row(paper_report *r, const char *format, ...) GEODISK_PRINTF(2, 3);
void paper_table_end(paper_report *r);

/* The verdict on a claim of the paper as it is printed and when its slips are corrected, and the numbers that decide; goes into
 * the section and into the tables of claims. Verdicts that need several seeds go through paper_if: unjudged below five. */
void paper_claim(paper_report *r, paper_claim_id id, paper_verdict printed, paper_verdict corrected, const char *numbers, ...)
    GEODISK_PRINTF(5, 6);
paper_verdict paper_if(double seeds, paper_verdict verdict);
paper_verdict paper_both(bool a, bool b); /* both: reproduced; one: partly */

/* The rules of the withdrawn tables: a lower loss in every setting (the best ones are told); worse by both measures of a task. */
void paper_claim_loss(paper_report *r, paper_claim_id id, const paper_contest *loss, double geodesic, double natural);
void paper_claim_worse(paper_report *r, paper_claim_id id, const paper_contest *map, const paper_contest *rank);

/* The tables of claims as text (paper_claims.c): into the report, claims.tsv, and JSON on standard output. */
void paper_claims_section(paper_report *r);
int paper_write_claims(const paper *p, const paper_report *r);
int paper_print_json(const paper *p);

/* What the paper leaves open, and what is done here (paper_choices.c): a section. */
void paper_choices_section(paper_report *r);

/* What the report says of the run: durations, versions, machine (paper_facts.c). Writes varies-run.tsv unless nothing was run;
 * adds a section from it. */
int paper_write_facts(paper *p);
void paper_note_duration(const paper *p, const char *part, double seconds, double processor);
void paper_facts_section(paper_report *r);

int paper_write_report(paper *p);

/* Replaces what is between the marks in the document p->page by the report, figures from `reproduction/` (paper_page.c). */
int paper_write_page(const paper *p, const char *markdown);

/* Writes checksums.tsv: of every other table in the folder, as the program cksum has them (paper_page.c). */
int paper_write_checksums(const paper *p);

/* Writes a file in the folder as a whole. */
int paper_write_file(const paper *p, const char *name, const char *ending, const paper_buffer *b);
int paper_write_text(const paper *p, const char *path, const paper_buffer *b);

/* DIR/NAME.ENDING. */
void paper_path(const paper *p, const char *name, const char *ending, char *path, size_t room);
