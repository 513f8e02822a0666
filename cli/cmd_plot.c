/* cmd_plot.c - `geodisk plot`: a model in the hyperbolic disk as PNG, SVG or PDF. */
#include "args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene_source.h"

static const command_spec spec = {
    "plot",
    "draw a model in the hyperbolic disk: PNG, SVG or PDF",
    "MODEL [GRAPH]",
    "Draws the nodes of MODEL in the disk and writes FILE, whose end (.png, .svg, .pdf) tells the format. With GRAPH, what it "
    "was trained on, edges are drawn as geodesics: arcs of circles that meet the rim at right angles. " GRAPH_SOURCE_TEXT
    "Without GRAPH there are nodes only.\n"
    "Of a hierarchy that is closed transitively only those edges are drawn that no chain of others replaces (--all-edges draws "
    "all). Colours are the top-level branches; a node is the larger the more nodes are below it. Of a network (a graph with "
    "cycles, or edges in both directions, or too many for a hierarchy; --as says otherwise) all edges are drawn, the barycenter "
    "is in the middle, colours are communities, and a node is the larger the more edges it has. The palette is for every kind of "
    "colour vision. Names are written where there is place, those of high and central nodes and of hubs first; graphs of up to "
    "100 nodes have all of them.\n"
    "Models of more than two dimensions are projected: every node is laid out at its distance from the root, beside its "
    "relatives, and moved until distances between nodes are near those of the model. How near is printed as distortion, |d'/d - "
    "1|.\n"
    "Trained models are deep, and a disk shows only the first few units of distance before all is at the rim. Distances from the "
    "middle are therefore drawn shorter, by a factor that is printed; --scale 1 draws them as they are.",
    "geodisk plot mammals.safetensors data/mammals.tsv -o mammals.png\n"
    "geodisk plot mammals.safetensors data/mammals.tsv -o dogs.svg --centre dog.n.01 --highlight dog.n.01,wolf.n.01 --grid\n"
    "geodisk plot mammals.safetensors data/mammals.tsv -o carnivores.pdf --below carnivore.n.01 --theme dark --size 800\n"
    "geodisk plot club.safetensors club.csv -o club.png --undirected",
};

typedef struct request {
  common_options common;
  scene_source source;
  const char *output, *centre, *highlight;
  int format, theme;
  int64_t size, labels;
  geodisk_picture_options picture;
} request;

/* Splits "a,b" into names; a doubled comma stands for one. */
static bool split_names(const char *text, char **copy, const char ***out, size_t *n) {
  const size_t length = strlen(text);
  char *names = malloc(length + 1);
  const char **list = malloc((length / 2 + 2) * sizeof *list);
  if (names == NULL || list == NULL) {
    geodisk_free_all(names, list);
    return false;
  }
  char *to = names;
  *n = 0;
  list[(*n)++] = to;
  for (const char *p = text; *p != 0; p++) {
    if (p[0] == ',' && p[1] == ',') {
      *to++ = *p++;
    } else if (*p == ',') {
      *to++ = 0;
      list[(*n)++] = to;
    } else {
      *to++ = *p;
    }
  }
  *to = 0;
  *copy = names;
  *out = list;
  return true;
}

static void tell(const request *r, geodisk_context *context, const geodisk_scene *scene, const geodisk_picture_info *info) {
  const geodisk_projection *p = &scene->projection;
  scene_source_tell(context, scene, "the picture");
  if (p->projected)
    geodisk_log_event(
        context, GEODISK_LOG_INFO,
        "projected from %d dimensions: distortion of distances mean %.1f %%, median %.1f %%, 95 of 100 pairs below %.1f %%",
        geodisk_model_dim(scene->model), 100 * p->distortion_mean, 100 * p->distortion_median, 100 * p->distortion_95);
  geodisk_log_event(context, GEODISK_LOG_INFO, "%s: %d x %d, %zu nodes, %zu edges, %zu labels, distances from the %s x %.3g",
                    r->output, info->width, info->height, scene->nodes, scene->edges, info->labels,
                    scene->network ? "middle" : "origin", scene->scale);
}

static void print_json(const geodisk_scene *scene, const geodisk_picture_info *info) {
  const geodisk_projection *p = &scene->projection;
  json_format("{\"width\": %d, \"height\": %d, \"nodes\": %z, \"edges\": %z, \"labels\": %z, \"scale\": %n", info->width,
              info->height, scene->nodes, scene->edges, info->labels, scene->scale);
  if (p->projected)
    json_format(", \"distortion_mean\": %n, \"distortion_median\": %n, \"distortion_95\": %n, \"edge_distortion_mean\": %n",
                p->distortion_mean, p->distortion_median, p->distortion_95, p->edge_distortion_mean);
  puts("}");
}

static int run(const request *r, const char *model_path, const char *graph_path) {
  geodisk_context *context = cli_context(&r->common);
  geodisk_model *model = NULL;
  geodisk_graph *graph = NULL;
  geodisk_scene *scene = NULL;
  geodisk_picture_info info;
  geodisk_status status = scene_source_make(context, &r->source, model_path, graph_path, &model, &graph, &scene);
  if (status == GEODISK_OK)
    status = geodisk_picture_write(context, scene, r->output, &r->picture, &info);
  if (status == GEODISK_OK) {
    tell(r, context, scene, &info);
    if (r->common.json)
      print_json(scene, &info);
  }
  geodisk_scene_destroy(scene);
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
  return cli_end(context, status);
}

static void choose_centre(request *r) {
  static const struct {
    const char *word;
    geodisk_picture_centre centre;
  } words[] = {{"origin", GEODISK_CENTRE_ORIGIN}, {"root", GEODISK_CENTRE_ROOT}, {"barycenter", GEODISK_CENTRE_BARYCENTER}};
  if (r->centre == NULL) {
    if (r->source.scene.below != NULL)
      r->picture.centre = GEODISK_CENTRE_BARYCENTER;
    return;
  }
  r->picture.centre = GEODISK_CENTRE_NODE;
  r->picture.centre_node = r->centre;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(r->centre, words[i].word) == 0)
      r->picture.centre = words[i].centre;
}

int cmd_plot(int argc, char **argv) {
  request r = {.size = 0};
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &r.output, "FILE", "where to write; - is standard output, with --format"),
      OPT_CHOICE("format", 0, &r.format, "auto|png|svg|pdf", "the format to write (default: as FILE's end tells)"),
      OPT_INT("size", 0, &r.size, "N",
              "height in pixels (PNG) or points (SVG, PDF), 200 to 20000; as wide, and what the legend needs beside the disk "
              "(default: 1000)",
              200, 20000),
      OPT_CHOICE("theme", 0, &r.theme, "light|dark", "dark on light (default) or light on dark"),
      OPT_TEXT("centre", 0, &r.centre, "NODE|barycenter|root|origin",
               "what is moved to the centre of the disk by an isometry (default: origin; of a network and with --below the "
               "barycenter)"),
      OPT_DOUBLE("scale", 0, &r.source.scene.scale, "S",
                 "draw distances from the origin, in a network from its middle, S times as long (default: so that most nodes can "
                 "be told from each other and from the rim)",
                 1e-6, 1000),
      OPT_TEXT("highlight", 0, &r.highlight, "NAME,...",
               "stress these nodes, the way up from them and what is below, in a network their neighbours; a comma in a name is "
               "written twice"),
      OPT_FLAG("grid", 0, &r.picture.grid, "circles of equal distance from the centre, marked, and diameters"),
      OPT_INT("labels", 0, &r.labels, "N",
              "at most so many names, as far as they find place; 0: none (default: all of up to 100 nodes; else 70, in a network "
              "the 45 greatest hubs)",
              0, 1000000),
      OPT_FLAG("no-legend", 0, &r.picture.no_legend, "no legend and no caption"),
      SCENE_SOURCE_OPTIONS(r.source),
      GRAPH_SOURCE_OPTIONS(r.source.graph),
      OPT_END,
  };
  r.labels = -1;
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code >= 0 || (code = scene_source_prepare(&spec, &r.source, r.common.n_args == 2)) >= 0)
    return code;
  if (r.output == NULL)
    return cli_usage_error(&spec, "where to? give -o FILE.png, FILE.svg or FILE.pdf");
  if ((code = cli_check_inputs(&spec, "--output", r.output, r.common.args, r.common.n_args)) >= 0)
    return code;
  if (r.common.n_args == 2 && strcmp(r.common.args[0], "-") == 0 && strcmp(r.common.args[1], "-") == 0)
    return cli_usage_error(&spec, "MODEL and GRAPH cannot both be standard input");
  if (r.common.json && strcmp(r.output, "-") == 0)
    return cli_usage_error(&spec, "--json needs -o FILE: the picture itself goes to standard output");
  choose_centre(&r);
  r.picture.format = (geodisk_picture_format)r.format;
  r.picture.size = (int)r.size;
  r.picture.dark = r.theme == 1;
  r.picture.labels = r.labels > 0 ? (size_t)r.labels : 0;
  r.picture.no_labels = r.labels == 0;
  char *names = NULL;
  const char **list = NULL;
  if (r.highlight != NULL && !split_names(r.highlight, &names, &list, &r.picture.highlights))
    return cli_error("not enough memory");
  r.picture.highlight = list;
  code = run(&r, r.common.args[0], r.common.n_args == 2 ? r.common.args[1] : NULL);
  geodisk_free_all(names, list);
  return code;
}
