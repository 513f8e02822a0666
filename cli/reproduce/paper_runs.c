/* paper_runs.c - numbers by seed: summaries of them, all of them in one table (seeds.tsv), and the updates compared in pairs
 * (pairs.tsv): both share seed, start and draws, so what counts is the difference at each seed. */
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A difference is clear beyond so many standard errors, and this share of the natural update's value. */
static const double clear_errors = 3, clear_share = 0.01;

size_t paper_seeds(const paper *p, size_t quick, size_t full) {
  return p->seeds > 0 ? (size_t)p->seeds : p->quick ? quick : full;
}

void paper_add_runs(const paper_sheet *sheet, const char *keys, size_t seeds, const double *values) {
  double column[PAPER_MOST_SEEDS];
  size_t most = 0;
  paper_cell(sheet->summary, keys);
  for (int m = 0; m < sheet->measures; m++) {
    size_t n = 0;
    for (size_t s = 0; s < seeds && n < PAPER_MOST_SEEDS; s++) {
      column[n] = values[s * (size_t)sheet->measures + (size_t)m];
      n += isnan(column[n]) ? 0 : 1;
    }
    most = n > most ? n : most;
    const paper_mean mean = paper_mean_of(n, column);
    if (n > 0) {
      paper_number(sheet->summary, mean.mean);
      paper_number(sheet->summary, mean.error);
    } else {
      paper_cell(sheet->summary, "\t");
    }
  }
  paper_number(sheet->summary, (double)most);
  paper_end_row(sheet->summary);
  for (size_t s = 0; s < seeds; s++) {
    paper_cell(sheet->seeds, keys);
    paper_number(sheet->seeds, (double)(sheet->first_seed + s));
    for (int m = 0; m < sheet->measures; m++) {
      const double value = values[s * (size_t)sheet->measures + (size_t)m];
      char text[32] = "";
      if (!isnan(value))
        snprintf(text, sizeof text, "%.9g", value);
      paper_cell(sheet->seeds, text);
    }
    paper_end_row(sheet->seeds);
  }
}

/* ---- seeds.tsv -------------------------------------------------------------------------------------------------------- */

static const char suffix[] = "-seeds";

static bool is_seeds(const char *table) {
  const size_t length = strlen(table), end = sizeof suffix - 1;
  return length > end && strcmp(table + length - end, suffix) == 0;
}

/* Times differ from run to run: a file of their own. */
static bool varies(const char *table) { return strncmp(table, "varies-", 7) == 0; }

/* The columns of seeds.tsv: a table's name, then every column that a table of seeds has. */
static const char *const columns[] = {"update",      "rate",      "iterations", "method", "seed",    "loss",    "exact", "tau",
                                      "tau_closure", "mean_rank", "map",        "offset", "arrival", "clipped", "spent"};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void merge_table(const paper_data *data, const char *name, paper_buffer *out) {
  for (size_t row = 0; row < data->rows; row++) {
    paper_append(out, "%.*s", (int)(strlen(name) - (sizeof suffix - 1)), name);
    for (int c = 0; c < COLUMNS; c++)
      paper_cell(out, paper_at(data, row, columns[c]));
    paper_end_row(out);
  }
}

/* Where nothing is run and there are none, the file stays what it is. */
static int merge_seeds(const paper *p, const char *file, bool times) {
  const paper_experiment *e;
  paper_buffer out = {0};
  int found = 0, code = EXIT_OK;
  paper_append(&out, "# %s: the numbers of every run, one seed a row; an empty cell: not measured\ntable", file);
  for (int c = 0; c < COLUMNS; c++)
    paper_cell(&out, columns[c]);
  paper_end_row(&out);
  for (size_t i = 0; (e = paper_experiment_at(i)) != NULL; i++)
    for (int j = 0; j < e->n_parts; j++)
      for (int k = 0; k < PAPER_TABLES && e->parts[j].tables[k] != NULL; k++) {
        paper_data data;
        const char *name = e->parts[j].tables[k];
        if (!is_seeds(name) || varies(name) != times)
          continue;
        if (paper_open(p, &e->parts[j], name, &data)) {
          merge_table(&data, name, &out);
          found++;
        }
        paper_close(&data);
      }
  if (found > 0 || !p->reread)
    code = paper_write_file(p, file, "tsv", &out);
  free(out.text);
  return code;
}

/* ---- pairs.tsv -------------------------------------------------------------------------------------------------------- */

static const char *const measures[] = {"loss", "tau", "tau_closure", "mean_rank", "map"};
enum { MEASURES = sizeof measures / sizeof measures[0] };

/* Whether two rows of seeds.tsv belong to the same setting, but for the update. */
static bool same_setting(const paper_data *d, size_t a, size_t b) {
  static const char *const keys[] = {"table", "rate", "iterations", "method"};
  for (int k = 0; k < 4; k++)
    if (strcmp(paper_at(d, a, keys[k]), paper_at(d, b, keys[k])) != 0)
      return false;
  return true;
}

static bool by_update(const paper_data *d, size_t row, const char *update) {
  return strcmp(paper_at(d, row, "update"), update) == 0;
}

/* The rows of one setting and one update follow each other; so many from `row` on. */
static size_t run_length(const paper_data *d, size_t row) {
  size_t n = 1;
  while (row + n < d->rows && same_setting(d, row, row + n) && by_update(d, row + n, paper_at(d, row, "update")))
    n++;
  return n;
}

/* What follows "geodesic" in the name of an update, "" or "-plane"; NULL: it is another one. */
static const char *after_geodesic(const paper_data *d, size_t row) {
  static const char name[] = "geodesic";
  const char *update = paper_at(d, row, "update");
  return strncmp(update, name, sizeof name - 1) == 0 ? update + sizeof name - 1 : NULL;
}

/* Where the rows of the natural update at the setting of `row` begin: after those of the geodesic one, in the same table. */
static size_t natural_rows(const paper_data *d, size_t from, size_t row) {
  char natural[32];
  snprintf(natural, sizeof natural, "natural%s", after_geodesic(d, row));
  while (from < d->rows && strcmp(paper_at(d, from, "table"), paper_at(d, row, "table")) == 0) {
    if (by_update(d, from, natural) && same_setting(d, row, from))
      return from;
    from++;
  }
  return d->rows;
}

/* n rows from `a` on against those from `b` on; false below two seeds at which both are numbers. */
static bool compare_rows(const paper_data *d, size_t a, size_t b, size_t n, const char *measure, paper_pair *out) {
  double difference[PAPER_MOST_SEEDS], first[PAPER_MOST_SEEDS], second[PAPER_MOST_SEEDS];
  size_t count = 0;
  for (size_t i = 0; i < n && count < PAPER_MOST_SEEDS; i++) {
    first[count] = paper_value(d, a + i, measure);
    second[count] = paper_value(d, b + i, measure);
    difference[count] = first[count] - second[count];
    count += isfinite(difference[count]) ? 1 : 0;
  }
  if (count < 2)
    return false;
  const paper_mean mean = paper_mean_of(count, difference), x = paper_mean_of(count, first), y = paper_mean_of(count, second);
  const bool clear = fabs(mean.mean) > clear_errors * mean.error && fabs(mean.mean) > clear_share * fabs(y.mean);
  *out = (paper_pair){x.mean, y.mean, mean.mean, mean.error, count, !clear ? 0 : mean.mean > 0 ? 1 : -1};
  return true;
}

/* The table "barycenter" with the suffix "-plane" are the runs that begin off the line. */
static void add_pair(const paper_data *d, size_t a, size_t b, size_t n, const char *measure, paper_buffer *out) {
  paper_pair pair;
  char table[64];
  if (!compare_rows(d, a, b, n, measure, &pair))
    return;
  snprintf(table, sizeof table, "%s%s", paper_at(d, a, "table"), after_geodesic(d, a));
  paper_cell(out, table);
  paper_cell(out, paper_at(d, a, "rate"));
  paper_cell(out, paper_at(d, a, "iterations"));
  paper_cell(out, measure);
  paper_numbers(out, 5, (const double[]){pair.first, pair.second, pair.difference, pair.error, (double)pair.seeds});
  paper_cell(out, pair.clear == 0 ? "no" : pair.clear > 0 ? "higher" : "lower");
  paper_end_row(out);
}

int paper_write_pairs(paper *p) {
  paper_data d;
  paper_buffer out = {0};
  int code = merge_seeds(p, "seeds", false);
  if (code == EXIT_OK)
    code = merge_seeds(p, "varies-seeds", true);
  if (code != EXIT_OK)
    return code;
  paper_append(&out,
               "# pairs: geodesic minus natural, seed by seed; clear: beyond %g standard errors and %g of the natural update's "
               "value\ntable\trate\titerations\tmeasure\tgeodesic\tnatural\tdifference\terror\tseeds\tclear\n",
               clear_errors, clear_share);
  if (paper_open_any(p, "seeds", &d))
    for (size_t row = 0, n; row < d.rows; row += n) {
      n = run_length(&d, row);
      const size_t other = after_geodesic(&d, row) != NULL ? natural_rows(&d, row + n, row) : d.rows;
      for (int k = 0; other < d.rows && run_length(&d, other) == n && k < MEASURES; k++)
        add_pair(&d, row, other, n, measures[k], &out);
    }
  paper_close(&d);
  code = paper_write_file(p, "pairs", "tsv", &out);
  free(out.text);
  return code;
}

/* Where the rows of a method at a rate begin; d->rows: nowhere. */
static size_t method_rows(const paper_data *d, const char *table, const char *method, const char *rate) {
  for (size_t row = 0; row < d->rows; row++)
    if (strcmp(paper_at(d, row, "table"), table) == 0 && strcmp(paper_at(d, row, "method"), method) == 0 &&
        strcmp(paper_at(d, row, "rate"), rate) == 0)
      return row;
  return d->rows;
}

bool paper_compare_methods(const paper *p, const char *table, const char *method, const char *rate, const char *other,
                           const char *other_rate, const char *measure, paper_pair *out) {
  paper_data d;
  bool fine = false;
  if (paper_open_any(p, "seeds", &d)) {
    const size_t a = method_rows(&d, table, method, rate), b = method_rows(&d, table, other, other_rate);
    fine = a < d.rows && b < d.rows && run_length(&d, a) == run_length(&d, b) &&
           compare_rows(&d, a, b, run_length(&d, a), measure, out);
  }
  paper_close(&d);
  return fine;
}

void paper_compare(const paper *p, const char *table, const char *measure, bool lower, paper_contest *out) {
  paper_data d;
  if (paper_open_any(p, "pairs", &d))
    for (size_t row = 0; row < d.rows; row++) {
      if (strcmp(paper_at(&d, row, "table"), table) != 0 || strcmp(paper_at(&d, row, "measure"), measure) != 0)
        continue;
      const char *clear = paper_at(&d, row, "clear");
      const size_t seeds = (size_t)paper_value(&d, row, "seeds");
      out->better += strcmp(clear, lower ? "lower" : "higher") == 0;
      out->worse += strcmp(clear, lower ? "higher" : "lower") == 0;
      out->seeds = out->settings == 0 || seeds < out->seeds ? seeds : out->seeds;
      out->settings++;
    }
  paper_close(&d);
}

/* The chance that a mean of n normal numbers with mean 0 lies beyond `errors` of its standard errors: Student's t with n - 1
 * degrees of freedom, by its finite series (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
static double chance_beyond(double errors, size_t n) {
  const size_t freedom = n - 1;
  const double pi = 3.14159265358979323846, angle = atan(errors / sqrt((double)freedom)), square = cos(angle) * cos(angle);
  double term = freedom % 2 == 1 ? cos(angle) : 1, sum = 0;
  for (size_t k = freedom % 2 == 1 ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= square * (double)(k - 1) / (double)k;
  }
  return 1 - (freedom % 2 == 1 ? 2 / pi * (angle + sin(angle) * sum) : sin(angle) * sum);
}

paper_pairs_count paper_count_pairs(const paper *p) {
  paper_data d;
  paper_pairs_count count = {0};
  if (paper_open_any(p, "pairs", &d))
    for (size_t row = 0; row < d.rows; row++) {
      const double seeds = paper_value(&d, row, "seeds");
      count.fewest = count.all == 0 ? seeds : fmin(count.fewest, seeds);
      count.most = fmax(count.most, seeds);
      count.by_chance += chance_beyond(clear_errors, (size_t)seeds);
      count.all++;
      count.clear += strcmp(paper_at(&d, row, "clear"), "no") != 0;
    }
  paper_close(&d);
  return count;
}
