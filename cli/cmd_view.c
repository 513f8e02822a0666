/* cmd_view.c - `geodisk view`: a model as one HTML page to walk around in. */
#include "args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_source.h"

static const command_spec spec = {
    "view",
    "a page for the browser in which one walks around in the disk",
    "MODEL [GRAPH]",
    "Writes one HTML file with MODEL (a model file, or any format that geodisk convert reads) and the edges of GRAPH: drag to "
    "move the space, turn the wheel to zoom, click a node to fly there, search a name; its parents, children and nearest nodes "
    "stand beside. The file needs nothing else, no network either; any browser with WebGL2 opens it. docs/pictures.md says what "
    "is to be seen. " GRAPH_SOURCE_TEXT "Nodes are matched by name. What is drawn of a hierarchy and what of a network, geodisk "
    "plot --help says. Without GRAPH the page has nodes only. A model of more than two "
    "dimensions is brought into the plane, and how much that distorts distances is said.",
    "geodisk view mammals.safetensors data/mammals.tsv -o mammals.html\n"
    "geodisk view nouns.safetensors nouns.tsv -o dogs.html --below dog.n.01\n"
    "geodisk view embedding.csv -o page.html --title 'My embedding'",
};

typedef struct request {
  common_options common;
  scene_source source;
  const char *model, *graph;
  const char *output, *title;
  bool no_vectors;
} request;

/* The title from the model's path: its last part without the ending. */
static char *title_from(const char *path) {
  if (strcmp(path, "-") == 0)
    return strdup("geodisk");
  const char *slash = strrchr(path, '/');
  char *title = strdup(slash != NULL && slash[1] != '\0' ? slash + 1 : path);
  char *dot = title != NULL ? strrchr(title, '.') : NULL;
  if (dot != NULL && dot != title)
    *dot = '\0';
  return title;
}

static void tell(const request *r, geodisk_context *context, const geodisk_scene *scene, const geodisk_page_info *info) {
  const geodisk_projection *p = &scene->projection;
  scene_source_tell(context, scene, "the page");
  if (p->projected)
    geodisk_log_event(
        context, GEODISK_LOG_INFO,
        "%d dimensions brought into the plane; distances change by a median of %.1f %% (95 of 100 by less than %.1f %%)%s",
        geodisk_model_dim(scene->model), 100 * p->distortion_median, 100 * p->distortion_95,
        info->vectors ? "" : "; the model's own vectors are too large for the page, which lists distances of the picture");
  geodisk_log_event(context, GEODISK_LOG_INFO, "%s: %zu nodes, %zu edges, %.1f MB", r->output, scene->nodes, scene->edges,
                    (double)info->bytes / 1e6);
}

static void put_json(const request *r, const geodisk_scene *scene, const geodisk_page_info *info) {
  json_format(
      "{\"output\": %j, \"nodes\": %z, \"edges\": %z, \"bytes\": %z, \"vectors\": %b, \"root\": %j, \"distortion_median\": %n}\n",
      r->output, scene->nodes, scene->edges, info->bytes, info->vectors,
      info->root == GEODISK_NODE_NONE ? NULL : geodisk_scene_name(scene, info->root),
      scene->projection.projected ? scene->projection.distortion_median : (double)NAN);
}

static int run(const request *r) {
  geodisk_context *context = cli_context(&r->common);
  geodisk_model *model = NULL;
  geodisk_graph *graph = NULL;
  geodisk_scene *scene = NULL;
  geodisk_page_info info;
  char *title = r->title != NULL ? strdup(r->title) : title_from(r->model);
  const geodisk_page_options options = {.title = title, .no_vectors = r->no_vectors};
  geodisk_status status = title != NULL ? scene_source_make(context, &r->source, r->model, r->graph, &model, &graph, &scene)
                                        : geodisk_no_memory(context, "for the title");
  if (status == GEODISK_OK)
    status = geodisk_scene_write_page(context, scene, r->output, &options, &info);
  if (status == GEODISK_OK) {
    tell(r, context, scene, &info);
    if (r->common.json)
      put_json(r, scene, &info);
  }
  geodisk_scene_destroy(scene);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
  free(title);
  return cli_end(context, status);
}

int cmd_view(int argc, char **argv) {
  request r = {.source = {.scene = {.scale = 1}}};
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &r.output, "FILE", "the page to write; - is standard output"),
      OPT_TEXT("title", 0, &r.title, "TEXT", "of the page (default: the name of MODEL)"),
      OPT_FLAG("no-vectors", 0, &r.no_vectors,
               "leave the vectors of a model of more than two dimensions out; distances in lists are then those of the picture"),
      SCENE_SOURCE_OPTIONS(r.source),
      GRAPH_SOURCE_OPTIONS(r.source.graph),
      OPT_END,
  };
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code >= 0)
    return code;
  if ((code = scene_source_prepare(&spec, &r.source, r.common.n_args == 2)) >= 0)
    return code;
  r.model = r.common.args[0];
  r.graph = r.common.n_args > 1 ? r.common.args[1] : NULL;
  if (r.output == NULL)
    return cli_usage_error(&spec, "where to? give -o FILE");
  if ((code = cli_check_inputs(&spec, "--output", r.output, r.common.args, r.common.n_args)) >= 0)
    return code;
  if (r.common.json && strcmp(r.output, "-") == 0)
    return cli_usage_error(&spec, "--json and the page cannot both go to standard output");
  if (r.source.scene.below != NULL && r.graph == NULL)
    return cli_usage_error(&spec, "--below needs a GRAPH");
  if (r.graph != NULL && strcmp(r.common.args[0], "-") == 0 && strcmp(r.common.args[1], "-") == 0)
    return cli_usage_error(&spec, "MODEL and GRAPH cannot both be standard input");
  return run(&r);
}
