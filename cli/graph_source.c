/* graph_source.c - reading and writing edge lists for the sub-commands. */
#include "graph_source.h"

#include <stdio.h>
#include <string.h>

uint64_t graph_source_max_edges(const graph_source *s) { return s->max_given ? (uint64_t)s->max_edges : GRAPH_SOURCE_MAX_EDGES; }

int graph_source_prepare(const command_spec *command, graph_source *s) {
  static const geodisk_choice choices[] = {GEODISK_CHOICE_AUTO, GEODISK_CHOICE_YES, GEODISK_CHOICE_NO};
  static const struct {
    const char *name;
    char separator;
  } names[] = {{"auto", 0}, {"tab", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"bar", '|'}, {"blank", ' '}};
  s->read.header = choices[s->header];
  s->read.weights = choices[s->weights];
  s->read.max_edges = graph_source_max_edges(s);
  if (s->separator == NULL)
    return -1;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(s->separator, names[i].name) == 0) {
      s->read.separator = names[i].separator;
      return -1;
    }
  const char c = s->separator[0];
  if (c <= 0 || s->separator[1] != 0 || strchr("\"\r\n#%", c) != NULL)
    return cli_usage_error(command, "--separator: '%s' is not one character, or cannot be a separator", s->separator);
  s->read.separator = c;
  return -1;
}

int graph_source_parse(const command_spec *command, const option_spec *options, graph_source *s, common_options *common, int argc,
                       char **argv) {
  const int code = args_parse(command, options, common, argc, argv);
  return code >= 0 ? code : graph_source_prepare(command, s);
}

/* Puts `made` in the place of the graph it was made from. */
static void replace(geodisk_graph **graph, geodisk_graph *made) {
  geodisk_graph_destroy(*graph);
  *graph = made;
}

static const char *label_of(const char *path) { return strcmp(path, "-") == 0 ? "standard input" : path; }

/* Whether all edges are pairs of their own, no two of which have a name in common: columns that do not belong together, as a
 * number and a name of everything. */
static geodisk_status is_of_pairs(geodisk_context *context, const geodisk_graph *graph, bool *out) {
  enum { FEW = 4 };
  geodisk_graph_facts facts;
  const geodisk_status status = geodisk_graph_describe(context, graph, &facts);
  *out = status == GEODISK_OK && !facts.symmetric && facts.edges >= FEW && 2 * facts.edges == facts.nodes - facts.isolated &&
         facts.components - facts.isolated == facts.edges;
  return status;
}

/* One line for each thing that looks wrong. */
static geodisk_status advise(geodisk_context *context, const graph_source *s, const char *path, const geodisk_graph *graph) {
  geodisk_graph_advice advice;
  bool pairs = false;
  geodisk_status status = geodisk_graph_advise(context, graph, &advice);
  if (status == GEODISK_OK)
    status = is_of_pairs(context, graph, &pairs);
  if (status == GEODISK_OK && pairs)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%s: every line is a pair of its own: no name of one column stands in the other, and none twice; if these "
                      "are not the columns of the child and its parent, say which are by --columns",
                      label_of(path));
  if (status != GEODISK_OK || s->undirected)
    return status;
  if (advice.parent_first)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%s: the first column looks like the parent, not the child; if so, add --reverse", label_of(path));
  if (advice.direct_links && !s->closure)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%s: looks like a hierarchy given by its direct links; add --closure to train on all ancestors",
                      label_of(path));
  if (advice.cyclic_nodes > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%s: %zu nodes lie on cycles, which a hierarchy has not; geodisk graph check shows one", label_of(path),
                      advice.cyclic_nodes);
  return GEODISK_OK;
}

geodisk_status graph_source_compare(geodisk_context *context, const graph_source *s, const char *path, const geodisk_model *model,
                                    const geodisk_graph *graph) {
  static const char *const texts[] = {
      [GEODISK_TRAINED_ON_UNKNOWN] = NULL,
      [GEODISK_TRAINED_ON_THIS] = NULL,
      [GEODISK_TRAINED_ON_CLOSURE] = "the model was trained on the closure of it: add --closure",
      [GEODISK_TRAINED_ON_UNDIRECTED] = "the model was trained on its edges in both directions: add --undirected",
      [GEODISK_TRAINED_ON_REDUCTION] = "the model was trained on its direct links only: see geodisk graph reduce",
      [GEODISK_TRAINED_ON_REVERSE] = "the model was trained on it the other way round: %s --reverse",
      [GEODISK_TRAINED_ON_REVERSED_CLOSURE] =
          "the model was trained on the closure of it the other way round: add --closure, %s --reverse",
      [GEODISK_TRAINED_ON_UNDIRECTED_CLOSURE] =
          "the model was trained on the closure of it in both directions: add --closure --undirected",
      [GEODISK_TRAINED_ON_ANOTHER] = "the model was trained on another graph"};
  geodisk_trained_on on;
  const geodisk_status status = geodisk_model_trained_on(context, model, graph, &on);
  if (status != GEODISK_OK || texts[on] == NULL)
    return status;
  char text[160];
  snprintf(text, sizeof text, texts[on], s->read.reverse ? "leave out" : "add");
  geodisk_log_event(context, GEODISK_LOG_WARNING, "%s: %s", label_of(path), text);
  return GEODISK_OK;
}

geodisk_status graph_source_read(geodisk_context *context, const graph_source *s, const char *path, geodisk_graph_read_info *info,
                                 geodisk_graph **out) {
  geodisk_graph *graph = NULL, *made = NULL;
  const geodisk_closure_options limit = {.max_edges = graph_source_max_edges(s)};
  geodisk_status status = geodisk_graph_read(context, path, &s->read, info, &graph);
  if (status == GEODISK_OK && s->advise)
    status = advise(context, s, path, graph);
  if (status == GEODISK_OK && s->closure && (status = geodisk_graph_closure(context, graph, &limit, &made)) == GEODISK_OK)
    replace(&graph, made);
  if (status == GEODISK_OK && s->undirected && (status = geodisk_graph_undirected(context, graph, &made)) == GEODISK_OK)
    replace(&graph, made);
  if (status == GEODISK_OK)
    *out = graph;
  else
    geodisk_graph_destroy(graph);
  return status;
}

/* ---- writing --------------------------------------------------------------------------------------------------------- */

static bool to_standard_output(const char *path) { return path == NULL || strcmp(path, "-") == 0; }

int graph_output_prepare(const command_spec *command, const common_options *common, const char *path) {
  if (common->json && to_standard_output(path))
    return cli_usage_error(command, "--json needs -o FILE: the graph itself goes to standard output");
  return -1;
}

geodisk_status graph_output(geodisk_context *context, const common_options *common, geodisk_graph *graph, const char *path,
                            void (*more)(const void *data), const void *data) {
  const bool standard = to_standard_output(path);
  const geodisk_status status = geodisk_graph_write(context, graph, standard ? "-" : path, NULL);
  if (status == GEODISK_OK && !standard)
    geodisk_log_event(context, GEODISK_LOG_INFO, "%s: %zu nodes, %zu edges", path, geodisk_graph_nodes(graph),
                      geodisk_graph_edges(graph));
  if (status == GEODISK_OK && common->json) {
    printf("{\"nodes\": %zu, \"edges\": %zu", geodisk_graph_nodes(graph), geodisk_graph_edges(graph));
    if (more != NULL)
      more(data);
    puts("}");
  }
  geodisk_graph_destroy(graph);
  return status;
}
