/* paper_plan.c - runs the parts of the plan that are not done yet, with one progress bar over all of it, then draws the figures
 * and writes the report. */
#include "bench/bench.h"
#include "paper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const paper_experiment *const experiments[] = {
    &paper_updates, &paper_barycenter, &paper_tree, &paper_mammals, &paper_nouns, &paper_theory, &paper_beyond,
};

const paper_experiment *paper_experiment_at(size_t index) {
  return index < sizeof experiments / sizeof experiments[0] ? experiments[index] : NULL;
}

bool paper_progress(paper *p, double share) {
  char text[64];
  snprintf(text, sizeof text, "%s", p->experiment);
  const geodisk_progress event = {.task = "reproducing",
                                  .unit = "units",
                                  .done = (uint64_t)(1000 * (p->done + share * p->weight)),
                                  .total = (uint64_t)(1000 * p->total),
                                  .extra = text};
  return geodisk_progress_event(p->context, &event);
}

/* Jobs `first` .. of an array of them. */
typedef struct job_slice {
  geodisk_task_fn job;
  void *arg;
  size_t first;
} job_slice;

static void run_slice(void *arg, size_t index) {
  const job_slice *slice = arg;
  slice->job(slice->arg, slice->first + index);
}

int paper_jobs(paper *p, size_t count, geodisk_task_fn job, void *arg, double from, double to) {
  const size_t batch = 8 * (size_t)geodisk_context_threads(p->context); /* the last jobs of a batch leave threads idle */
  job_slice slice = {job, arg, 0};
  for (; slice.first < count; slice.first += batch) {
    if (!paper_progress(p, from + (to - from) * (double)slice.first / (double)count))
      return cli_failed(p->context, GEODISK_ERROR_STOPPED);
    geodisk_parallel(p->context, slice.first + batch < count ? batch : count - slice.first, run_slice, &slice);
  }
  return paper_progress(p, to) ? EXIT_OK : cli_failed(p->context, GEODISK_ERROR_STOPPED);
}

/* Whether all tables of a part are there, made with these settings. */
static bool part_done(const paper *p, const paper_part *part) {
  for (int i = 0; i < PAPER_TABLES && part->tables[i] != NULL; i++) {
    paper_data data;
    const bool there = paper_open(p, part, part->tables[i], &data);
    paper_close(&data);
    if (!there)
      return false;
  }
  return true;
}

static int run_part(paper *p, const paper_part *part) {
  paper_buffer out[PAPER_TABLES] = {{0}};
  char settings[PAPER_SETTINGS];
  part->settings(p, settings);
  for (int i = 0; i < PAPER_TABLES && part->tables[i] != NULL; i++)
    paper_append(&out[i], "# %s by geodisk %s: %s; %s\n%s\n", part->tables[i], geodisk_version(), settings,
                 geodisk_instruction_set(p->context), part->columns[i]);
  int code = paper_progress(p, 0) ? part->run(p, out) : cli_failed(p->context, GEODISK_ERROR_STOPPED);
  for (int i = 0; i < PAPER_TABLES && part->tables[i] != NULL; i++) {
    if (code == EXIT_OK)
      code = paper_write_file(p, part->tables[i], "tsv", &out[i]);
    if (code == PAPER_LEFT_OUT) { /* what other settings left there would be drawn */
      char path[4096];
      paper_path(p, part->tables[i], "tsv", path, sizeof path);
      unlink(path);
    }
    free(out[i].text);
  }
  return code == PAPER_LEFT_OUT ? EXIT_OK : code;
}

/* Seconds that programs which were run, and have ended, have worked. */
static double children_seconds(void) {
  struct rusage usage;
  if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
    return 0;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static int make_folder(const char *dir) {
  struct stat facts;
  if (mkdir(dir, 0777) == 0 || (errno == EEXIST && stat(dir, &facts) == 0 && S_ISDIR(facts.st_mode)))
    return EXIT_OK;
  return cli_error("%s: cannot make this folder: %s", dir, strerror(errno));
}

/* Draws the figures of an experiment whose tables are there. */
static int draw_figures(const paper *p, const paper_experiment *e) {
  int code = EXIT_OK;
  for (int i = 0; i < e->n_figures && code == EXIT_OK; i++)
    for (int j = 0; j < e->n_parts; j++)
      for (int k = 0; k < PAPER_TABLES && e->parts[j].tables[k] != NULL; k++) {
        paper_data data;
        if (code == EXIT_OK && strcmp(e->parts[j].tables[k], e->figures[i].needs) == 0 &&
            paper_open(p, &e->parts[j], e->figures[i].needs, &data)) {
          code = paper_draw(p, &e->figures[i]);
          paper_close(&data);
        }
      }
  return code;
}

/* Runs a part and notes how long it took. */
static int run_timed(paper *p, const paper_experiment *e, const paper_part *part) {
  p->experiment = e->name;
  p->weight = p->quick ? part->quick : part->full;
  const bench_time start = bench_now();
  const double children = children_seconds();
  const int code = run_part(p, part);
  if (code == EXIT_OK)
    paper_note_duration(p, part->tables[0], bench_since(start).wall, bench_since(start).cpu + children_seconds() - children);
  p->done += p->weight;
  return code;
}

int paper_run(paper *p, bool (*chosen)(void *user, const paper_experiment *e), void *user) {
  int code = make_folder(p->dir), kept = 0, run = 0;
  const paper_experiment *e;
  if (code == EXIT_OK && p->reread) {
    p->gnuplot = true; /* figures are those that are there */
    code = paper_write_pairs(p);
    if (code == EXIT_OK)
      code = paper_write_report(p);
    return code == EXIT_OK ? paper_write_checksums(p) : code;
  }
  for (size_t i = 0; code == EXIT_OK && (e = paper_experiment_at(i)) != NULL; i++)
    for (int j = 0; chosen(user, e) && j < e->n_parts; j++)
      if (p->again || !part_done(p, &e->parts[j]))
        p->total += p->quick ? e->parts[j].quick : e->parts[j].full;
  for (size_t i = 0; code == EXIT_OK && (e = paper_experiment_at(i)) != NULL; i++)
    for (int j = 0; code == EXIT_OK && chosen(user, e) && j < e->n_parts; j++) {
      const bool done = !p->again && part_done(p, &e->parts[j]);
      kept += done;
      run += !done;
      if (!done)
        code = run_timed(p, e, &e->parts[j]);
    }
  if (code != EXIT_OK)
    return code;
  if (kept > 0)
    geodisk_log_event(p->context, GEODISK_LOG_INFO, "%d parts were done already, %d were run", kept, run);
  p->gnuplot = paper_has_gnuplot(p);
  if (!p->gnuplot)
    geodisk_log_event(p->context, GEODISK_LOG_WARNING, "gnuplot is not installed: tables and report are there, figures are not");
  for (size_t i = 0; p->gnuplot && code == EXIT_OK && (e = paper_experiment_at(i)) != NULL; i++)
    if (chosen(user, e))
      code = draw_figures(p, e);
  if (code == EXIT_OK) {
    char path[4096];
    paper_path(p, "gnuplot", "log", path, sizeof path);
    unlink(path);
    code = paper_write_pairs(p);
  }
  if (code == EXIT_OK)
    code = paper_write_facts(p);
  if (code == EXIT_OK)
    code = paper_write_report(p);
  return code;
}
