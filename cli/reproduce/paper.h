/* paper.h - what the experiments of `geodisk reproduce` share: the plan, tables (TSV files), figures (gnuplot) and the report.
 * One file paper_<experiment>.c each.
 *
 * A PART of the plan computes one or more tables. A table is written as a whole when its part is done, and its first line holds
 * the settings; a part whose tables are there with the same settings is not run again. Figures and the report read the tables
 * only. All tables are the same bytes for the same settings, but those whose name begins with "varies-": times, and threads that
 * race. */
#ifndef GEODISK_CLI_PAPER_H
#define GEODISK_CLI_PAPER_H

#include "args.h"
#include "paper_descent.h"

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

enum { PAPER_TABLES = 3, PAPER_SETTINGS = 512 };

typedef struct paper {
  geodisk_context *context;
  const char *dir;
  const char *dict; /* the folder of WordNet's database */
  bool quick, again;
  bool gnuplot;           /* is there */
  double done, total;     /* of the whole plan, in seconds as estimated */
  double weight;          /* of the running part */
  const char *experiment; /* running */
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

extern const paper_experiment paper_updates, paper_barycenter, paper_tree, paper_mammals, paper_theory, paper_beyond;

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

/* Mean and standard error of n numbers; and the quantile q of them (they are sorted). */
typedef struct paper_mean {
  double mean, error;
} paper_mean;
paper_mean paper_mean_of(size_t n, const double *values);
double paper_quantile(size_t n, double *values, double q);

/* ---- training on WordNet's mammals ------------------------------------------------------------------------------------ */

/* Below which node of WordNet: mammal, and carnivore in the quick version. */
const char *paper_root(const paper *p);

/* WordNet's mammals, and the same as a relation; PAPER_LEFT_OUT without WordNet. */
typedef struct paper_mammals_data {
  geodisk_graph *graph;
  geodisk_relation *relation;
} paper_mammals_data;
int paper_mammals_open(const paper *p, paper_mammals_data *out);
void paper_mammals_close(paper_mammals_data *data);

/* How good points are. */
typedef struct paper_quality {
  double tau, loss, mean_rank, map;
} paper_quality;

/* Judges points by the ranks of `positives` (edges in `known`, or NULL, do not count), and by Kendall's tau on `fit` unless NULL.
 */
geodisk_status paper_judge(const geodisk_eval_points *points, const geodisk_relation *positives, const geodisk_relation *known,
                           const geodisk_relation *fit, paper_quality *out);

/* One training with the paper's settings, and how good its result is. */
typedef struct paper_training {
  geodisk_update update;
  double rate;
  int dim;
  uint64_t epochs, seed;
  bool by_edge; /* by paper_edge_step, `epochs` times as many edges as the graph has, drawn uniformly; else by the trainer */
  bool uniform; /* by edge: negatives are drawn uniformly; else by how many edges they have, as gensim does */
  bool async;
  int threads;
  const geodisk_graph *graph;
  const geodisk_relation *positives, *known, *fit;
  paper_quality quality;
  geodisk_status status;
} paper_training;
void paper_train(paper_training *t);

/* Mean and standard error of each figure of n trainings, as cells of a row; without tau unless wanted. */
void paper_quality_cells(paper_buffer *out, size_t n, const paper_quality *all, bool tau);

/* gensim at several rates, seeds 0, 1 ...: a row a rate, with the figures of paper_quality_cells and how many runs broke
 * (paper_gensim.c). */
typedef struct paper_gensim_plan {
  int dim;
  uint64_t epochs;
  const double *rates;
  size_t n_rates, seeds; /* seeds: at most 16 */
} paper_gensim_plan;
int paper_gensim_run(paper *p, const paper_gensim_plan *plan, paper_buffer *out);

/* The part of `theory` about forms of the exponential map (paper_exp.c). */
void paper_exp_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_exp_run(paper *p, paper_buffer *out);

/* ---- tables that are there ------------------------------------------------------------------------------------------- */

typedef struct paper_data {
  char *text;
  char **cells; /* rows x columns, after a row of names */
  size_t rows, columns;
} paper_data;

/* Reads a table; false if it is not there, or was made with other settings. paper_close is fine either way. */
bool paper_open(const paper *p, const paper_part *part, const char *table, paper_data *out);
void paper_close(paper_data *data);
const char *paper_at(const paper_data *data, size_t row, const char *column); /* "" where there is none */
double paper_value(const paper_data *data, size_t row, const char *column);   /* NaN where there is none */

/* Whether the first cells of a row are those, tab-separated; and the value of a column in the first such row. */
bool paper_row_is(const paper_data *data, size_t row, const char *key);
double paper_lookup(const paper_data *data, const char *column, const char *key_format, ...) GEODISK_PRINTF(3, 4);

/* ---- figures --------------------------------------------------------------------------------------------------------- */

bool paper_has_gnuplot(const paper *p);
int paper_draw(const paper *p, const paper_figure *figure);

/* ---- the report ------------------------------------------------------------------------------------------------------ */

struct paper_report {
  const paper *p;
  paper_buffer markdown, html;               /* the sections */
  paper_buffer claims_markdown, claims_html; /* rows of the table of claims */
  int claims, reproduced;
  bool varies; /* in the last section: the list of claims at the beginning holds no numbers from it */
};

typedef enum paper_verdict { PAPER_NOT = 0, PAPER_PARTLY = 1, PAPER_REPRODUCED = 2 } paper_verdict;

void paper_heading(paper_report *r, const char *title);
void paper_text(paper_report *r, const char *format, ...) GEODISK_PRINTF(2, 3);
void paper_show(paper_report *r, const char *figure, const char *caption);
/* A table: the heads, then rows, tab-separated; paper_table_end. */
void paper_table_begin(paper_report *r, const char *heads);
void paper_table_row(paper_report *r, const char *format, ...) GEODISK_PRINTF(2, 3);
void paper_table_end(paper_report *r);
/* What the paper claims, and the numbers that decide; goes into the section and into the list at the beginning. */
void paper_claim(paper_report *r, paper_verdict verdict, const char *claim, const char *format, ...) GEODISK_PRINTF(4, 5);

int paper_write_report(paper *p);

/* Writes a file in the folder as a whole. */
int paper_write_file(const paper *p, const char *name, const char *ending, const paper_buffer *b);

/* DIR/NAME.ENDING. */
void paper_path(const paper *p, const char *name, const char *ending, char *path, size_t room);

#endif
