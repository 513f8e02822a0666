/* cmd_graph_show.c - `geodisk graph info | check | distances`: what can be said of a graph. */
#include "graph_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *yes_no(bool value) { return value ? "yes" : "no"; }
static const char *true_false(bool value) { return value ? "true" : "false"; }

/* ---- info ------------------------------------------------------------------------------------------------------------- */

static const command_spec info_spec = {
    "graph info",
    "figures of a graph: nodes, edges, roots, depth, components",
    "GRAPH",
    GRAPH_SOURCE_TEXT "Roots are nodes without a parent, leaves nodes without a child; depth is the number of edges on the "
                      "longest path. Self-loops and duplicates are those of the file; they are left out of the graph. The "
                      "fingerprint is a hash of names, edges and weights.",
    "geodisk graph info mammals.tsv\n"
    "geodisk graph info --json mammals.tsv.gz",
};

static void print_facts(const geodisk_graph_facts *f, const geodisk_graph_read_info *read, uint64_t fingerprint) {
  char number[GEODISK_NUMBER_BYTES];
  printf("nodes              %zu\nedges              %zu\nroots              %zu\nleaves             %zu\n", f->nodes, f->edges,
         f->roots, f->leaves);
  if (f->depth >= 0)
    printf("depth              %" PRId64 "\n", f->depth);
  else
    printf("depth              none: %zu nodes lie on cycles\n", f->cyclic_nodes);
  printf("components         %zu\nlargest component  %zu nodes\nisolated nodes     %zu\n", f->components, f->largest_component,
         f->isolated);
  printf("most parents       %zu\nmost children      %zu\nedges per node     %s\n", f->max_parents, f->max_children,
         shortest_double(f->mean_degree, number));
  printf("self-loops         %" PRIu64 "\nduplicates         %" PRIu64 "\n", read->self_loops, read->duplicates);
  printf("weights            %s\nundirected         %s\nfingerprint        %016" PRIx64 "\n", yes_no(f->weighted),
         yes_no(f->symmetric), fingerprint);
}

static void print_facts_json(const geodisk_graph_facts *f, const geodisk_graph_read_info *read, uint64_t fingerprint) {
  json_format("{\"nodes\": %z, \"edges\": %z, \"roots\": %z, \"leaves\": %z, \"depth\": %n", f->nodes, f->edges, f->roots,
              f->leaves, f->depth >= 0 ? (double)f->depth : (double)NAN);
  json_format(", \"components\": %z, \"self_loops\": %u, \"duplicates\": %u, \"largest_component\": %z, \"isolated\": %z, "
              "\"cyclic_nodes\": %z, \"max_parents\": %z, \"max_children\": %z, \"mean_degree\": %n",
              f->components, read->self_loops, read->duplicates, f->largest_component, f->isolated, f->cyclic_nodes,
              f->max_parents, f->max_children, f->mean_degree);
  printf(", \"weighted\": %s, \"undirected\": %s, \"fingerprint\": \"%016" PRIx64 "\"}\n", true_false(f->weighted),
         true_false(f->symmetric), fingerprint);
}

int cmd_graph_info(int argc, char **argv) {
  graph_source source = {0};
  common_options common;
  const option_spec options[] = {
      GRAPH_SOURCE_OPTIONS(source),
      OPT_END,
  };
  const int code = graph_source_parse(&info_spec, options, &source, &common, argc, argv);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&common);
  geodisk_graph *graph = NULL;
  geodisk_graph_read_info read;
  geodisk_graph_facts facts;
  geodisk_status status = graph_source_read(context, &source, common.args[0], &read, &graph);
  if (status == GEODISK_OK)
    status = geodisk_graph_describe(context, graph, &facts);
  if (status == GEODISK_OK)
    (common.json ? print_facts_json : print_facts)(&facts, &read, geodisk_graph_fingerprint(graph));
  geodisk_graph_destroy(graph);
  return cli_end(context, status);
}

/* ---- check ------------------------------------------------------------------------------------------------------------ */

static const command_spec check_spec = {
    "graph check",
    "what is wrong with a graph, and what to do about it",
    "GRAPH",
    GRAPH_SOURCE_TEXT
    "Looks at the direction of the edges, cycles, components, self-loops, duplicates, names that differ only in case or blanks, "
    "whether the graph is transitively closed, and how like a tree it is (Gromov's delta: exact for small graphs, for large ones "
    "from a sample, with an interval). Each finding comes with one sentence on what to do.",
    "geodisk graph check taxonomy.tsv\n"
    "geodisk graph check --json --no-delta large.tsv.gz",
};

static void print_findings(const geodisk_check *check) {
  static const char *const marks[] = {"ok      ", "note    ", "PROBLEM "};
  size_t count;
  const geodisk_finding *findings = geodisk_check_findings(check, &count);
  for (size_t i = 0; i < count; i++) {
    fputs(marks[findings[i].level], stdout);
    put_text(stdout, findings[i].finding);
    fputs("\n        ", stdout);
    char advice[512];
    put_text(stdout, cli_translate(findings[i].advice, advice, sizeof advice));
    putchar('\n');
  }
}

static void print_findings_json(const geodisk_check *check) {
  static const char *const levels[] = {"ok", "note", "problem"};
  static const char *const directions[] = {"child_first", "parent_first", "undirected", "undecided"};
  const geodisk_check_figures *f = geodisk_check_get_figures(check);
  size_t count;
  const geodisk_finding *findings = geodisk_check_findings(check, &count);
  json_format("{\"direction\": \"%s\", \"cyclic_nodes\": %z, \"components\": %z, \"self_loops\": %u, \"duplicates\": %u, "
              "\"near_duplicate_names\": %u, \"closed_share\": %n, \"delta\": ",
              directions[f->direction], f->facts.cyclic_nodes, f->facts.components, f->self_loops, f->duplicates,
              f->near_duplicates, f->closed_share);
  if (f->delta_known)
    json_format(
        "{\"exact\": %b, \"on_reduction\": %b, \"lower\": %n, \"upper\": %n, \"mean\": %n, \"mean_low\": %n, \"mean_high\": %n, "
        "\"mean_distance\": %n}",
        f->delta.exact, f->delta_on_reduction, f->delta.lower, f->delta.upper, f->delta.mean, f->delta.mean_low,
        f->delta.mean_high, f->delta.mean_distance);
  else
    printf("null");
  printf(", \"findings\": [");
  for (size_t i = 0; i < count; i++) {
    char advice[512];
    json_format("%s{\"topic\": \"%s\", \"level\": \"%s\", \"finding\": %j, \"advice\": %j}", i > 0 ? ", " : "", findings[i].topic,
                levels[findings[i].level], findings[i].finding, cli_translate(findings[i].advice, advice, sizeof advice));
  }
  puts("]}");
}

int cmd_graph_check(int argc, char **argv) {
  graph_source source = {0};
  geodisk_check_options check_options = {.no_hyperbolicity = false};
  int64_t exact = 0, sample = 0, seed = 0;
  common_options common;
  const option_spec options[] = {
      OPT_FLAG("no-delta", 0, &check_options.no_hyperbolicity, "leave Gromov's delta out: it takes the longest"),
      OPT_INT("exact", 0, &exact, "N", "delta: measure blocks of up to N nodes exactly (default: 1500)", 0, 65535),
      OPT_INT("sample", 0, &sample, "N", "delta: search from N nodes of a larger one (default: 40 to 400)", 0, 65535),
      OPT_INT("seed", 0, &seed, "N", "delta: of the random numbers (default: 0)", 0, 9007199254740992.0),
      GRAPH_SOURCE_OPTIONS(source),
      OPT_END,
  };
  const int code = graph_source_parse(&check_spec, options, &source, &common, argc, argv);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&common);
  check_options.hyperbolicity =
      (geodisk_hyperbolicity_options){.exact_nodes = (size_t)exact, .sample_nodes = (size_t)sample, .seed = (uint64_t)seed};
  geodisk_graph *graph = NULL;
  geodisk_check *check = NULL;
  geodisk_graph_read_info read;
  geodisk_status status = graph_source_read(context, &source, common.args[0], &read, &graph);
  if (status == GEODISK_OK)
    status = geodisk_graph_check(context, graph, &read, &check_options, &check);
  if (status == GEODISK_OK)
    (common.json ? print_findings_json : print_findings)(check);
  geodisk_check_destroy(check);
  geodisk_graph_destroy(graph);
  return cli_end(context, status);
}

/* ---- distances -------------------------------------------------------------------------------------------------------- */

static const command_spec distances_spec = {
    "graph distances",
    "graph distances between nodes",
    "GRAPH",
    GRAPH_SOURCE_TEXT "Prints the number of pairs, how many have no path, the longest and the mean distance; with -o a line of "
                      "source, node and distance for each pair (inf where there is no path). From all nodes, from --sources N "
                      "random ones, or from the node --from. Distances count edges, walked in both directions unless --way says "
                      "up (child to parent) or down; with --weighted the weights are lengths.",
    "geodisk graph distances mammals.tsv\n"
    "geodisk graph distances mammals.tsv --from dog.n.01 --way up -o -\n"
    "geodisk graph distances roads.tsv --weighted --sources 100 --seed 1",
};

typedef struct distance_request {
  graph_source source;
  const char *from, *output;
  int64_t sources, seed;
  int way;
  bool weighted;
  common_options common;
} distance_request;

/* A name as a field of a tab-separated line. */
static geodisk_status write_field(geodisk_file *file, const char *name) {
  if (name[0] != 0 && strpbrk(name, "\t\"\r\n") == NULL)
    return geodisk_file_write(file, name, strlen(name));
  geodisk_status status = geodisk_file_write(file, "\"", 1);
  for (; *name != 0 && status == GEODISK_OK; name++) {
    if (*name == '"')
      status = geodisk_file_write(file, "\"", 1);
    if (status == GEODISK_OK)
      status = geodisk_file_write(file, name, 1);
  }
  return status == GEODISK_OK ? geodisk_file_write(file, "\"", 1) : status;
}

static geodisk_status put_row(geodisk_file *file, const geodisk_graph *graph, uint32_t source, const double *lengths) {
  geodisk_status status = GEODISK_OK;
  for (uint32_t v = 0; v < geodisk_graph_nodes(graph) && status == GEODISK_OK; v++) {
    char number[GEODISK_NUMBER_BYTES + 2] = "\t";
    const int length = geodisk_format_double(lengths[v], number + 1);
    number[1 + length] = '\n';
    status = write_field(file, geodisk_graph_name(graph, source));
    if (status == GEODISK_OK)
      status = geodisk_file_write(file, "\t", 1);
    if (status == GEODISK_OK)
      status = write_field(file, geodisk_graph_name(graph, v));
    if (status == GEODISK_OK)
      status = geodisk_file_write(file, number, (size_t)length + 2);
  }
  return status;
}

/* Distances from some sources, as lengths; hops are lengths of 1. */
static geodisk_status measure(geodisk_context *context, const distance_request *r, const geodisk_graph *graph, size_t n,
                              const uint32_t *sources, double *rows, geodisk_distance_info *info) {
  static const geodisk_way ways[] = {GEODISK_WAY_BOTH, GEODISK_WAY_TO_PARENTS, GEODISK_WAY_TO_CHILDREN};
  const geodisk_path_options from = {ways[r->way], sources, n};
  if (r->weighted || rows == NULL)
    return r->weighted ? geodisk_graph_lengths(context, graph, &from, rows, info)
                       : geodisk_graph_hops(context, graph, &from, NULL, info);
  const size_t nodes = geodisk_graph_nodes(graph);
  uint32_t *hops = geodisk_allocate(n * nodes, sizeof *hops);
  if (hops == NULL)
    return geodisk_no_memory(context, "for the distances from %zu nodes", n);
  const geodisk_status status = geodisk_graph_hops(context, graph, &from, hops, info);
  for (size_t i = 0; i < n * nodes && status == GEODISK_OK; i++)
    rows[i] = hops[i] == GEODISK_GRAPH_UNREACHABLE ? (double)INFINITY : hops[i];
  free(hops);
  return status;
}

static geodisk_status write_table(geodisk_context *context, const distance_request *r, const geodisk_graph *graph, size_t n,
                                  const uint32_t *sources) {
  enum { STEP = 64 };
  const size_t nodes = geodisk_graph_nodes(graph);
  geodisk_file *file = NULL;
  double *rows = geodisk_allocate(STEP * nodes, sizeof *rows);
  geodisk_status status =
      rows != NULL ? geodisk_file_create(context, r->output, &file) : geodisk_no_memory(context, "for %zu nodes", nodes);
  for (size_t first = 0; first < n && status == GEODISK_OK; first += STEP) {
    const size_t now = n - first < STEP ? n - first : STEP;
    status = measure(context, r, graph, now, sources + first, rows, NULL);
    for (size_t i = 0; i < now && status == GEODISK_OK; i++)
      status = put_row(file, graph, sources[first + i], rows + i * nodes);
  }
  free(rows);
  return geodisk_file_finish(file, status);
}

static void print_summary(const distance_request *r, size_t sources, const geodisk_distance_info *info) {
  char longest[GEODISK_NUMBER_BYTES], mean[GEODISK_NUMBER_BYTES];
  if (r->common.json) {
    json_format("{\"sources\": %z, \"pairs\": %u, \"unreachable\": %u, \"longest\": %n, \"mean\": %n}\n", sources, info->pairs,
                info->unreachable, info->longest, info->mean);
    return;
  }
  printf("sources      %zu\npairs        %" PRIu64 "\nunreachable  %" PRIu64 "\nlongest      %s\nmean         %s\n", sources,
         info->pairs, info->unreachable, shortest_double(info->longest, longest), shortest_double(info->mean, mean));
}

/* The sources asked for, into an array the caller frees. */
static geodisk_status choose_sources(geodisk_context *context, const distance_request *r, const geodisk_graph *graph, size_t *n,
                                     uint32_t **out) {
  const size_t nodes = geodisk_graph_nodes(graph), wanted = r->sources > 0 ? (size_t)r->sources : nodes;
  uint32_t *sources = geodisk_allocate(wanted < nodes ? wanted : nodes, sizeof *sources);
  if (sources == NULL)
    return geodisk_no_memory(context, "for %zu nodes", nodes);
  if (r->from == NULL) {
    *n = geodisk_graph_sample(graph, wanted, (uint64_t)r->seed, sources);
  } else if (geodisk_graph_find(graph, r->from, strlen(r->from), &sources[0])) {
    *n = 1;
  } else {
    free(sources);
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "--from: there is no node '%s' in the graph", r->from);
  }
  *out = sources;
  return GEODISK_OK;
}

int cmd_graph_distances(int argc, char **argv) {
  distance_request r = {.sources = 0};
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &r.output, "FILE", "write the distances themselves; - is standard output"),
      OPT_TEXT("from", 0, &r.from, "NODE", "from this node only"),
      OPT_INT("sources", 0, &r.sources, "N", "from N random nodes (default: all)", 1, 4294967295.0),
      OPT_INT("seed", 0, &r.seed, "N", "of the random numbers (default: 0)", 0, 9007199254740992.0),
      OPT_CHOICE("way", 0, &r.way, "both|up|down", "how edges may be walked (default: both)"),
      OPT_FLAG("weighted", 0, &r.weighted, "weights are lengths"),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  int code = graph_source_parse(&distances_spec, options, &r.source, &r.common, argc, argv);
  if (code < 0)
    code = cli_check_inputs(&distances_spec, "--output", r.output, r.common.args, 1);
  if (code >= 0)
    return code;
  if (r.from != NULL && r.sources > 0)
    return cli_usage_error(&distances_spec, "--from and --sources exclude each other");
  geodisk_context *context = cli_context(&r.common);
  geodisk_graph *graph = NULL;
  uint32_t *sources = NULL;
  size_t n = 0;
  geodisk_distance_info info = {.pairs = 0};
  geodisk_status status = graph_source_read(context, &r.source, r.common.args[0], NULL, &graph);
  if (status == GEODISK_OK)
    status = choose_sources(context, &r, graph, &n, &sources);
  if (status == GEODISK_OK)
    status =
        r.output != NULL ? write_table(context, &r, graph, n, sources) : measure(context, &r, graph, n, sources, NULL, &info);
  if (status == GEODISK_OK && r.output == NULL)
    print_summary(&r, n, &info);
  free(sources);
  geodisk_graph_destroy(graph);
  return cli_end(context, status);
}
