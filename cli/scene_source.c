/* scene_source.c - model and graph made into a scene for plot and view, with the labels that the user wants. */
#include "scene_source.h"

#include <stdlib.h>
#include <string.h>

int scene_source_prepare(const command_spec *command, scene_source *s, bool graph) {
  static const geodisk_graph_kind kinds[] = {GEODISK_KIND_AUTO, GEODISK_KIND_HIERARCHY, GEODISK_KIND_NETWORK};
  const int code = graph_source_prepare(command, &s->graph);
  if (code >= 0)
    return code;
  s->scene.kind = kinds[s->kind];
  s->scene.max_nodes = (size_t)s->max_nodes;
  if (s->label_file != NULL && s->label_from != NULL)
    return cli_usage_error(command, "--label-file and --label-from exclude each other");
  if (s->label_from != NULL && !graph)
    return cli_usage_error(command, "--label-from needs a GRAPH");
  return -1;
}

/* ---- labels ------------------------------------------------------------------------------------------------------------ */

/* Labels by name: a file of them is read as edges from names to labels, the first of each name counts. */
typedef struct labels {
  geodisk_graph *list;
  const char **names, **texts;
  size_t count;
} labels;

static void labels_free(labels *l) {
  geodisk_graph_destroy(l->list);
  geodisk_free_all((void *)l->names, (void *)l->texts);
}

/* The columns that hold names and labels, "1,3", or "name,title": a comma inside is written twice. The caller's to free. */
static char *label_columns(const scene_source *s) {
  const char *columns = s->graph.read.columns, *name = columns != NULL ? columns : s->graph.read.reverse ? "2" : "1";
  size_t length = 0, n;
  while (name[length] != 0 && (name[length] != ',' || name[length + 1] == ',')) /* the first of --columns */
    length += name[length] == ',' ? 2 : 1;
  char *out = malloc(length + 2 * strlen(s->label_from) + 2);
  if (out == NULL)
    return NULL;
  memcpy(out, name, length);
  out[n = length] = ',';
  for (const char *p = s->label_from; *p != 0; p++) {
    out[++n] = *p;
    if (*p == ',')
      out[++n] = ',';
  }
  out[n + 1] = 0;
  return out;
}

static geodisk_status read_labels(geodisk_context *context, const scene_source *s, const char *graph_path,
                                  const geodisk_graph_read_info *info, labels *out) {
  geodisk_graph_read_options read = {.weights = GEODISK_CHOICE_NO};
  const char *path = s->label_file;
  char *columns = NULL;
  if (s->label_from != NULL) {
    path = graph_path;
    read = s->graph.read;
    read.weights = GEODISK_CHOICE_NO;
    read.reverse = read.strict = false;
    read.separator = info->separator; /* as the graph itself was read */
    read.header = info->header ? GEODISK_CHOICE_YES : GEODISK_CHOICE_NO;
    read.columns = columns = label_columns(s);
    if (columns == NULL)
      return geodisk_no_memory(context, "for the labels");
  }
  if (s->label_from != NULL && path != NULL && strcmp(path, "-") == 0) {
    free(columns);
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "--label-from reads GRAPH twice: it cannot be standard input");
  }
  geodisk_status status = geodisk_graph_read(NULL, path, &read, NULL, &out->list); /* without its warnings: it is no graph */
  if (status != GEODISK_OK)
    status = geodisk_graph_read(context, path, &read, NULL, &out->list); /* for the text of the error */
  free(columns);
  if (status != GEODISK_OK)
    return status;
  const size_t nodes = geodisk_graph_nodes(out->list);
  const geodisk_graph_rows rows = geodisk_graph_out(out->list);
  out->names = calloc(nodes + 1, sizeof *out->names);
  out->texts = calloc(nodes + 1, sizeof *out->texts);
  if (out->names == NULL || out->texts == NULL)
    return geodisk_no_memory(context, "for the labels");
  for (uint32_t u = 0; u < nodes; u++)
    if (rows.offsets[u] < rows.offsets[u + 1]) {
      out->names[out->count] = geodisk_graph_name(out->list, u);
      out->texts[out->count++] = geodisk_graph_name(out->list, rows.nodes[rows.offsets[u]]);
    }
  return GEODISK_OK;
}

/* Labels of nodes that the model does not have were probably meant for others. */
static void tell_labels(geodisk_context *context, const labels *l, const geodisk_model *model) {
  size_t strangers = 0, first = 0;
  uint32_t node;
  for (size_t k = l->count; k-- > 0;)
    if (!geodisk_model_find(model, l->names[k], strlen(l->names[k]), &node)) {
      strangers++;
      first = k;
    }
  if (strangers > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%zu of %zu labels are of nodes that the model does not have, for example '%.64s'", strangers, l->count,
                      l->names[first]);
}

/* ---- the scene --------------------------------------------------------------------------------------------------------- */

geodisk_status scene_source_make(geodisk_context *context, const scene_source *s, const char *model_path, const char *graph_path,
                                 geodisk_model **model, geodisk_graph **graph, geodisk_scene **scene) {
  geodisk_scene_options options = s->scene;
  geodisk_graph_read_info info = {0};
  labels l = {0};
  geodisk_status status = geodisk_model_import(context, model_path, NULL, NULL, model);
  if (status == GEODISK_OK && graph_path != NULL)
    status = graph_source_read(context, &s->graph, graph_path, &info, graph);
  if (status == GEODISK_OK && graph_path != NULL)
    status = graph_source_compare(context, &s->graph, graph_path, *model, *graph);
  if (status == GEODISK_OK && (s->label_file != NULL || s->label_from != NULL))
    status = read_labels(context, s, graph_path, &info, &l);
  if (status == GEODISK_OK) {
    options.renamed = l.count;
    options.renamed_names = l.names;
    options.renamed_texts = l.texts;
    tell_labels(context, &l, *model);
    status = geodisk_scene_create(context, *model, *graph, &options, scene);
  }
  labels_free(&l);
  return status;
}

void scene_source_tell(geodisk_context *context, const geodisk_scene *scene, const char *what) {
  if (scene->unknown > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%zu nodes of the graph are not in the model and were left out",
                      scene->unknown);
  if (!scene->has_graph)
    geodisk_log_event(context, GEODISK_LOG_INFO, "no graph is given: %s has nodes only, without edges and branches", what);
  if (scene->network && scene->why != NULL)
    geodisk_log_event(context, GEODISK_LOG_INFO, "the graph is a network, since %s: all edges are drawn, colours are communities",
                      scene->why);
  if (scene->implied > 0)
    geodisk_log_event(context, GEODISK_LOG_INFO,
                      "%zu edges follow from others, as in a transitive closure, and are left out (--all-edges draws them, "
                      "--undirected draws a network)",
                      scene->implied);
}
