/* bench_graphs.c - `geodisk bench graphs`: graphs of many kinds, in several dimensions, trained with no option at all, in flat
 * space and by scipy, as a table that goes into the docs, with a picture of each in the plane. */
#define _DEFAULT_SOURCE 1 /* for MAP_ANONYMOUS */
#include "bench_graphs.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

static const command_spec spec = {
    "bench graphs",
    "graphs of many kinds in 2, 5 and 10 dimensions: as trained by default, in flat space, and by scipy",
    "[GRAPH ...]",
    "Embeds each graph with no option but the dimension, in hyperbolic and in flat space, and as scipy's eigenvectors of its "
    "Laplacian; prints MAP and mean rank of the neighbours (exact, of more than 10,000 nodes those of a sample), the distortion "
    "of distances (mean, at the best scale), greedy routing (success, and the stretch of the default) and the seconds of the "
    "default, on the wall and of the processor, as a table in Markdown. The graphs come from networkx, from R's ape, from the "
    "packages installed here, from "
    "WordNet, and from geodisk itself; those whose program is not installed are left out and named. Without names all of them "
    "are run.",
    "geodisk bench graphs --jobs 2\n"
    "geodisk bench graphs karate grid --dims 2,5\n"
    "geodisk bench graphs --write docs/any-graph.md --pictures docs/graphs",
};

typedef enum method { DEFAULT, FLAT, SPECTRAL, METHODS } method;
enum { MOST_DIMS = 8, MOST_JOBS = 256, SPECTRAL_NODES = 20000, ROUTING_SAMPLE = 400, PICTURE = 500, PICTURE_NODES = 5000 };

typedef struct figures {
  bool there;
  double map, mean_rank, distortion, success, stretch;
  bench_time taken;
} figures;

/* What workers leave behind. */
typedef struct found {
  atomic_int next;
  struct graph_found {
    bool there;
    size_t nodes, links;
    int code;
    figures figures[MOST_DIMS][METHODS];
    char choice[MOST_DIMS][192];
  } graphs[BENCH_GRAPHS];
} found;

typedef struct graphs_run {
  common_options common;
  const char *dict, *keep, *write, *pictures, *dims_text;
  int64_t jobs;
  bool held_out, wanted[BENCH_GRAPHS];
  int dims[MOST_DIMS], dim_count;
  found *found;
} graphs_run;

/* ---- one embedding ---- */

static geodisk_status judge(geodisk_context *context, const geodisk_graph *graph, const geodisk_eval_points *points,
                            figures *out) {
  const size_t nodes = geodisk_graph_nodes(graph);
  const bool large = nodes > GEODISK_AUTO_JUDGED, many = nodes > 3000;
  const geodisk_ranking_options ranks = {.sample = large ? GEODISK_AUTO_JUDGED : 0};
  const geodisk_fit_options distances = {.sample = many ? ROUTING_SAMPLE : 0};
  const geodisk_routing_options parcels = {.sample = many ? ROUTING_SAMPLE : 0};
  geodisk_relation *relation = NULL;
  geodisk_ranking ranking;
  geodisk_fit fit;
  geodisk_routing routing;
  geodisk_status status = geodisk_relation_create_plain(context, graph, nodes, &relation);
  if (status == GEODISK_OK)
    status = geodisk_eval_ranking(context, points, relation, NULL, &ranks, &ranking);
  if (status == GEODISK_OK)
    status = geodisk_eval_fit(context, points, relation, &distances, &fit);
  if (status == GEODISK_OK)
    status = geodisk_eval_routing(context, points, relation, &parcels, &routing);
  geodisk_relation_destroy(relation);
  if (status != GEODISK_OK)
    return status;
  out->there = true;
  out->map = ranking.map.value;
  out->mean_rank = ranking.mean_rank.value;
  out->distortion = fit.distortion_scaled.value;
  out->success = routing.success.value;
  out->stretch = routing.stretch.value;
  return status;
}

static geodisk_status draw(geodisk_context *context, const graphs_run *run, const char *key, const geodisk_model *model,
                           const geodisk_graph *graph) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.png", run->pictures, key);
  const geodisk_scene_options options = {.max_nodes = PICTURE_NODES};
  const geodisk_picture_options picture = {.size = PICTURE, .no_legend = true, .labels = 12};
  geodisk_scene *scene = NULL;
  geodisk_status status = geodisk_scene_create(context, model, graph, &options, &scene);
  if (status == GEODISK_OK)
    status = geodisk_picture_write(context, scene, path, &picture, NULL);
  geodisk_scene_destroy(scene);
  return status;
}

static geodisk_status trained(geodisk_context *context, const graphs_run *run, const bench_graph_row *row,
                              const geodisk_graph *graph, int dim, bool flat, char *choice, figures *out) {
  geodisk_train_options options = geodisk_train_defaults();
  geodisk_auto_choice chosen;
  geodisk_trainer *trainer = NULL;
  geodisk_model *model = NULL, *copy = NULL;
  geodisk_eval_points points;
  options.dim = dim;
  options.space = flat ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
  const bench_time start = bench_now();
  geodisk_status status = geodisk_auto_trainer(context, graph, &options, &chosen, &trainer);
  if (status == GEODISK_OK)
    status = geodisk_trainer_run(trainer, NULL, NULL);
  out->taken = bench_since(start);
  if (status == GEODISK_OK)
    status = geodisk_trainer_model(trainer, &model);
  if (status == GEODISK_OK)
    status = geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, false, &copy);
  if (status == GEODISK_OK)
    status = geodisk_eval_points_of_model(context, copy, options.space, &points);
  if (status == GEODISK_OK)
    status = judge(context, graph, &points, out);
  if (status == GEODISK_OK && run->pictures != NULL && dim == 2 && !flat)
    status = draw(context, run, row->key, copy, graph);
  if (status == GEODISK_OK && choice != NULL)
    snprintf(choice, sizeof chosen.text, "%s", chosen.text);
  geodisk_model_destroy(copy);
  geodisk_model_destroy(model);
  geodisk_trainer_destroy(trainer);
  return status;
}

static geodisk_status spectral(geodisk_context *context, const graphs_run *run, const bench_graph_row *row,
                               const geodisk_graph *graph, int dim, figures *out) {
  const size_t nodes = geodisk_graph_nodes(graph);
  double *x = geodisk_allocate(nodes, (size_t)dim * sizeof *x);
  geodisk_status status = GEODISK_OK;
  if (x != NULL && nodes <= SPECTRAL_NODES && bench_graph_spectral(row, graph, dim, run->keep, x)) {
    const geodisk_eval_points points = {
        .nodes = nodes, .ball = geodisk_unit_ball(dim), .space = GEODISK_SPACE_EUCLIDEAN, .vectors = x};
    status = judge(context, graph, &points, out);
  }
  free(x);
  return status;
}

/* ---- workers ---- */

static int measure_graph(const graphs_run *run, int index) {
  const bench_graph_row *row = &bench_graph_rows[index];
  struct graph_found *f = &run->found->graphs[index];
  geodisk_context *context = cli_context(&run->common);
  geodisk_graph *graph = NULL;
  geodisk_status status = bench_graph_make(context, row, run->dict, run->keep, &graph);
  if (status == GEODISK_OK && graph != NULL) {
    f->there = true;
    f->nodes = geodisk_graph_nodes(graph);
    f->links = geodisk_graph_edges(graph) / 2;
  }
  for (int d = 0; d < run->dim_count && f->there && status == GEODISK_OK; d++) {
    status = trained(context, run, row, graph, run->dims[d], false, f->choice[d], &f->figures[d][DEFAULT]);
    if (status == GEODISK_OK)
      status = trained(context, run, row, graph, run->dims[d], true, NULL, &f->figures[d][FLAT]);
    if (status == GEODISK_OK)
      status = spectral(context, run, row, graph, run->dims[d], &f->figures[d][SPECTRAL]);
  }
  const int code = status == GEODISK_OK ? EXIT_OK : cli_failed(context, status);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  return code;
}

/* Until the last of them has ended. Who asks for the end may have asked this process alone: the others are told too. */
static int wait_for_all(pid_t *children, int64_t n) {
  int state, code = EXIT_OK;
  pid_t ended;
  bool told = false;
  while ((ended = waitpid(-1, &state, WNOHANG)) >= 0) {
    if (ended > 0 && (!WIFEXITED(state) || WEXITSTATUS(state) != 0))
      code = cli_error("a process of the measurement has failed");
    const bool tell = cli_interrupted() && !told;
    for (int64_t i = 0; i < n; i++)
      if (children[i] == ended)
        children[i] = 0;
      else if (tell && children[i] > 0)
        kill(children[i], cli_interrupted_code() - 128);
    told = told || tell;
    if (ended == 0)
      nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  return cli_interrupted() ? cli_interrupted_code() : code;
}

static int measure_all(const graphs_run *run) {
  pid_t children[MOST_JOBS];
  cli_listen();
  for (int64_t j = 0; j < run->jobs; j++) {
    const pid_t child = children[j] = fork();
    if (child < 0) {
      cli_error("a process cannot be started: %s", strerror(errno));
      wait_for_all(children, j);
      return EXIT_FAILED;
    }
    if (child > 0)
      continue;
    for (int i; (i = atomic_fetch_add(&run->found->next, 1)) < BENCH_GRAPHS && !cli_interrupted();)
      if (run->wanted[i])
        run->found->graphs[i].code = measure_graph(run, i);
    _exit(0);
  }
  int code = wait_for_all(children, run->jobs);
  for (int i = 0; i < BENCH_GRAPHS; i++)
    code = run->found->graphs[i].code != EXIT_OK ? run->found->graphs[i].code : code;
  return code;
}

/* ---- the table ---- */

/* "a / b / c" of one figure, a dash where there is none. */
static void cell(FILE *out, const figures *f, size_t offset, int digits) {
  fputs(" |", out);
  for (int m = 0; m < METHODS; m++) {
    const double value = *(const double *)((const char *)&f[m] + offset);
    if (f[m].there && isfinite(value))
      fprintf(out, "%s %.*f", m > 0 ? " /" : "", digits, value);
    else
      fprintf(out, "%s –", m > 0 ? " /" : "");
  }
}

static void write_table(FILE *out, const graphs_run *run) {
  fputs("| graph | nodes, edges | dim | MAP | mean rank | distortion | routing | stretch | wall s | cpu s | chosen |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        out);
  for (int i = 0; i < BENCH_GRAPHS; i++) {
    const struct graph_found *g = &run->found->graphs[i];
    for (int d = 0; d < run->dim_count && run->wanted[i] && g->there; d++) {
      const figures *f = g->figures[d];
      const char *chosen = strchr(g->choice[d], ':');
      fprintf(out, "| %s | %zu, %zu | %d", d == 0 ? bench_graph_rows[i].what : "", g->nodes, g->links, run->dims[d]);
      cell(out, f, offsetof(figures, map), 3);
      cell(out, f, offsetof(figures, mean_rank), 2);
      cell(out, f, offsetof(figures, distortion), 3);
      cell(out, f, offsetof(figures, success), 3);
      fprintf(out, " | %.3f | %.1f | %.1f | %s |\n", f[DEFAULT].stretch, f[DEFAULT].taken.wall, f[DEFAULT].taken.cpu,
              chosen != NULL ? chosen + 2 : "");
    }
  }
  for (int i = 0; i < BENCH_GRAPHS; i++)
    if (run->wanted[i] && !run->found->graphs[i].there)
      fprintf(out, "\nLeft out, since what makes it is not installed: %s.\n", bench_graph_rows[i].what);
}

static bool was_measured(const void *of, const char *what, size_t length, int dim) {
  const graphs_run *run = of;
  for (int i = 0; i < BENCH_GRAPHS; i++)
    for (int d = 0; d < run->dim_count && run->wanted[i] && run->found->graphs[i].there; d++)
      if (run->dims[d] == dim && strlen(bench_graph_rows[i].what) == length &&
          strncmp(bench_graph_rows[i].what, what, length) == 0)
        return true;
  return false;
}

/* Into the document, beside what was measured before. */
static int write_between(const graphs_run *run) {
  bench_graphs_page page = {.of = run, .measured = was_measured};
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL)
    return cli_error("out of memory");
  bench_stamp(out);
  write_table(out, run);
  if (fclose(out) != 0) {
    free(text);
    return cli_error("out of memory");
  }
  page.table = text;
  if (run->pictures != NULL) {
    page.folder = strrchr(run->pictures, '/') != NULL ? strrchr(run->pictures, '/') + 1 : run->pictures;
    for (int i = 0; i < BENCH_GRAPHS; i++)
      page.pictured[i] = run->wanted[i] && run->found->graphs[i].there &&
                         was_measured(run, bench_graph_rows[i].what, strlen(bench_graph_rows[i].what), 2);
  }
  const int code = bench_graphs_write_page(run->write, &page);
  free(text);
  return code;
}

/* ---- edges held out ---- */

static int measure_held_out(const graphs_run *run) {
  geodisk_context *context = cli_context(&run->common);
  geodisk_status status = GEODISK_OK;
  if (bench_markdown)
    bench_stamp(stdout);
  puts("| graph | nodes, edges | dim | default | flat | link-prediction | shared neighbours |\n| --- | --- | --- | --- | --- | "
       "--- | --- |");
  for (int i = 0; i < BENCH_GRAPHS && status == GEODISK_OK; i++) {
    geodisk_graph *graph = NULL;
    if (run->wanted[i])
      status = bench_graph_make(context, &bench_graph_rows[i], run->dict, run->keep, &graph);
    for (int d = 0; d < run->dim_count && graph != NULL && status == GEODISK_OK; d++)
      status = bench_graphs_held_out(context, &bench_graph_rows[i], graph, run->dims[d], stdout);
    geodisk_graph_destroy(graph);
  }
  const int code = status == GEODISK_OK ? cli_finish() : cli_failed(context, status);
  geodisk_context_destroy(context);
  return code;
}

/* ---- the command ---- */

static int choose_graphs(graphs_run *run, const char *const *names, int count) {
  for (int i = 0; i < BENCH_GRAPHS && count == 0; i++)
    run->wanted[i] = true;
  for (int n = 0; n < count; n++) {
    bool known = false;
    for (int i = 0; i < BENCH_GRAPHS; i++)
      if (strcmp(bench_graph_rows[i].key, names[n]) == 0)
        known = run->wanted[i] = true;
    if (!known) {
      const char *keys[BENCH_GRAPHS];
      for (int i = 0; i < BENCH_GRAPHS; i++)
        keys[i] = bench_graph_rows[i].key;
      const char *nearest = args_nearest(names[n], keys, BENCH_GRAPHS);
      return cli_usage_error(&spec, "there is no graph \"%s\"%s%s%s", names[n], nearest != NULL ? "; did you mean \"" : "",
                             nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
    }
  }
  return -1;
}

static int read_dims(graphs_run *run) {
  const char *at = run->dims_text;
  while (*at != 0) {
    char *end;
    const long dim = strtol(at, &end, 10);
    if (end == at || (*end != 0 && *end != ',') || dim < 1 || dim > GEODISK_DIM_MOST || run->dim_count == MOST_DIMS)
      return cli_usage_error(&spec, "--dims takes up to %d numbers from 1 to 512 with commas between, not \"%s\"", MOST_DIMS,
                             run->dims_text);
    run->dims[run->dim_count++] = (int)dim;
    at = *end == ',' ? end + 1 : end;
  }
  return run->dim_count > 0 ? -1 : cli_usage_error(&spec, "--dims: no number given");
}

int bench_graphs(int argc, char **argv) {
  graphs_run run = {.dict = "/usr/share/wordnet", .dims_text = "2,5,10", .jobs = 1};
  const option_spec options[] = {
      OPT_TEXT("dims", 'd', &run.dims_text, "N,...", "dimensions (default: 2,5,10)"),
      OPT_INT("jobs", 'j', &run.jobs, "N", "so many graphs at a time (default: 1)", 1, MOST_JOBS),
      OPT_TEXT("write", 0, &run.write, "FILE",
               "put the table between the marks of this file, beside what it has of other graphs, instead of printing it"),
      OPT_FLAG("held-out", 0, &run.held_out,
               "instead: hide a tenth of the edges (two splits), and print how they are found by what is trained on the rest"),
      OPT_TEXT("pictures", 0, &run.pictures, "DIR", "draw each graph in the plane into this folder"),
      OPT_TEXT("keep", 0, &run.keep, "DIR", "keep what other programs make in this folder, and take it from there"),
      OPT_TEXT("dict", 0, &run.dict, "DIR", "the folder of WordNet's database (default: /usr/share/wordnet)"),
      BENCH_MARKDOWN,
      OPT_END};
  int code = args_parse(&spec, options, &run.common, argc, argv);
  if (code < 0)
    code = choose_graphs(&run, run.common.args, run.common.n_args);
  if (code >= 0 || (code = read_dims(&run)) >= 0)
    return code;
  run.common.quiet = true; /* what is said of each training would be too much */
  if (run.held_out)
    return measure_held_out(&run);
  run.found = mmap(NULL, sizeof *run.found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (run.found == MAP_FAILED)
    return cli_error("out of memory");
  if ((code = measure_all(&run)) == EXIT_OK) {
    if (run.write != NULL) {
      code = write_between(&run);
    } else {
      if (bench_markdown)
        bench_stamp(stdout);
      write_table(stdout, &run);
    }
  }
  munmap(run.found, sizeof *run.found);
  return code == EXIT_OK ? cli_finish() : code;
}
