/* cmd_place.c - `geodisk place`: new nodes put at their place in a model without training it again, and their likely parents. */
#include "graph_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const command_spec spec = {
    "place",
    "put new nodes at their place in a model without retraining",
    "MODEL EDGES",
    "Reads EDGES (an edge list, child and parent in a line, as geodisk train takes it; - for standard input), finds a place for "
    "every node in it that MODEL does not have, and writes a model that has them too. The nodes of MODEL stay where they are. A "
    "new node starts near the barycenter of its neighbours and descends the training loss; one whose neighbours are new "
    "themselves waits until those have a place. In a model that was trained on the closure of a hierarchy it also has the edges "
    "that follow: to the ancestors of its parents, or, if none is given, to what is above all its children (--as-given leaves "
    "them out).\n"
    "For each new node its likely parents are printed: node, parent, the model's probability of that edge, and the distance, "
    "separated by tabs. A model that knows its hierarchy has the parents that were given first, the deepest before the others "
    "(or what is above all children that were given), then the deepest nodes above by its place, with the probability that they "
    "are above.",
    "geodisk place mammals.safetensors new-edges.tsv -o more.safetensors\n"
    "printf 'labradoodle\\tdog.n.01\\n' | geodisk place mammals.safetensors - -o more.safetensors",
};

typedef struct request {
  common_options common;
  const char *output;
  int64_t negatives, competitors, iterations, seed, parents;
  double tolerance, radius;
  int space;
  bool as_given;
  graph_source source;
} request;

static void put_parents(FILE *to, const geodisk_model *model, const geodisk_placed *placed, size_t n,
                        const geodisk_parent *parents, bool json) {
  char number[GEODISK_NUMBER_BYTES];
  const char *name = geodisk_model_name(model, placed->node);
  if (json)
    json_format("{\"node\": %j, \"loss\": %n, \"iterations\": %u, \"converged\": %b, \"round\": %d, \"norm\": %n, \"radius\": "
                "%n, \"parents\": [",
                name, placed->loss, placed->iterations, placed->converged, (int)placed->round,
                geodisk_model_norm(model, placed->node), geodisk_model_radius(model, placed->node));
  for (size_t i = 0; i < n; i++) {
    const char *parent = geodisk_model_name(model, parents[i].node);
    if (json) {
      json_format("%s{\"node\": %j, \"probability\": %n, \"distance\": %n}", i > 0 ? ", " : "", parent, parents[i].probability,
                  parents[i].distance);
    } else {
      put_name(to, name);
      fputc('\t', to);
      put_name(to, parent);
      fprintf(to, "\t%s\t", shortest_double(parents[i].probability, number));
      fprintf(to, "%s\n", shortest_double(parents[i].distance, number));
    }
  }
  if (json)
    puts("]}");
}

/* The likely parents of the new nodes: those of node i are of[i * most] .. of[i * most + found[i] - 1]. */
typedef struct parent_lists {
  size_t most;
  geodisk_parent *of;
  size_t *found;
} parent_lists;

/* Parents are looked for in the model as it is now, new nodes among them. */
static geodisk_status find_parents(const request *r, geodisk_context *context, const geodisk_model *model,
                                   const geodisk_graph *graph, size_t n, const geodisk_placed *placed, parent_lists *out) {
  const size_t nodes = geodisk_model_nodes(model);
  geodisk_index *index = NULL;
  geodisk_hierarchy *hierarchy = NULL;
  geodisk_hierarchy_info known;
  out->most = (size_t)r->parents < nodes ? (size_t)r->parents : nodes;
  out->of = out->most <= SIZE_MAX / sizeof *out->of ? geodisk_allocate(n, out->most * sizeof *out->of) : NULL;
  out->found = geodisk_allocate(n, sizeof *out->found);
  geodisk_status status = out->of != NULL && out->found != NULL
                              ? geodisk_index_create(context, model, GEODISK_SEARCH_AUTO, n, &index)
                              : geodisk_no_memory(context, "for the parents");
  if (status == GEODISK_OK && geodisk_model_hierarchy(model, &known))
    status = geodisk_hierarchy_create(context, model, NULL, &hierarchy);
  for (size_t i = 0; status == GEODISK_OK && i < n; i++) {
    geodisk_parent *parents = out->of + i * out->most;
    status = hierarchy != NULL
                 ? geodisk_hierarchy_placed_parents(context, hierarchy, graph, placed[i].node, out->most, parents, &out->found[i])
                 : geodisk_index_parents(context, index, placed[i].node, out->most, parents, &out->found[i]);
  }
  geodisk_hierarchy_destroy(hierarchy);
  geodisk_index_destroy(index);
  return status;
}

static void show(const request *r, const geodisk_model *model, size_t n, const geodisk_placed *placed,
                 const parent_lists *lists) {
  FILE *to = strcmp(r->output, "-") == 0 ? stderr : stdout; /* the model has standard output for itself */
  for (size_t i = 0; i < n && !ferror(to); i++)
    put_parents(to, model, &placed[i], lists->found[i], lists->of + i * lists->most, r->common.json);
}

static void tell(geodisk_context *context, const geodisk_place_info *info, const geodisk_placed *placed) {
  size_t unfinished = 0;
  uint64_t iterations = 0;
  for (size_t i = 0; i < info->placed; i++)
    if (!placed[i].converged) {
      unfinished++;
      iterations = placed[i].iterations;
    }
  if (info->known_edges > 0)
    geodisk_log_event(context, GEODISK_LOG_INFO, "%llu edges join nodes of the model and were not used",
                      (unsigned long long)info->known_edges);
  if (info->late_edges > 0)
    geodisk_log_event(context, GEODISK_LOG_INFO, "%llu edges join new nodes that were placed in the same round and were not used",
                      (unsigned long long)info->late_edges);
  if (unfinished > 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING, "%zu of %zu nodes had not come to rest after %llu iterations", unfinished,
                      info->placed, (unsigned long long)iterations);
}

static int run(const request *r, const char *path, const char *edges) {
  geodisk_context *context = cli_context(&r->common);
  geodisk_model *model = NULL, *out = NULL;
  geodisk_graph *graph = NULL;
  geodisk_placed *placed = NULL;
  geodisk_place_info info;
  parent_lists lists = {0};
  geodisk_place_options options = {.negatives = (size_t)r->negatives,
                                   .competitors = (size_t)r->competitors,
                                   .iterations = (uint64_t)r->iterations,
                                   .tolerance = r->tolerance,
                                   .seed = (uint64_t)r->seed,
                                   .as_given = r->as_given};
  const geodisk_import_options import = {.space = r->space == 1 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                         .radius = r->radius};
  geodisk_status status = geodisk_model_import(context, path, &import, NULL, &model);
  if (status == GEODISK_OK)
    status = graph_source_read(context, &r->source, edges, NULL, &graph);
  if (status == GEODISK_OK && (options.placed = placed = geodisk_allocate(geodisk_graph_nodes(graph), sizeof *placed)) == NULL)
    status = geodisk_no_memory(context, "for %s", edges);
  if (status == GEODISK_OK)
    status = geodisk_model_place(context, model, graph, &options, &info, &out);
  if (status == GEODISK_OK)
    tell(context, &info, placed);
  if (status == GEODISK_OK && r->parents > 0)
    status = find_parents(r, context, out, graph, info.placed, placed, &lists);
  if (status == GEODISK_OK) /* when nothing else can fail: then the file that was there stays */
    status = geodisk_model_write(context, out, r->output);
  if (status == GEODISK_OK && r->parents > 0)
    show(r, out, info.placed, placed, &lists);
  geodisk_model_destroy(out);
  geodisk_model_destroy(model);
  geodisk_graph_destroy(graph);
  geodisk_free_all(placed, lists.of, lists.found);
  return cli_end(context, status);
}

int cmd_place(int argc, char **argv) {
  request r = {.parents = 5};
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &r.output, "FILE", "the model to write"),
      OPT_INT("parents", 0, &r.parents, "K", "how many likely parents to print for each node (default: 5)", 0, 1e9),
      OPT_INT("negatives", 0, &r.negatives, "K", "sums over K random nodes, scaled up (default: 0, over all nodes, exactly)", 0,
              1e9),
      OPT_INT("competitors", 0, &r.competitors, "N", "near nodes that keep a new one at a distance (default: 16)", 1, 1e9),
      OPT_INT("iterations", 0, &r.iterations, "N", "at most so many steps for each node (default: 200)", 1, 1e9),
      OPT_DOUBLE("tolerance", 0, &r.tolerance, "X", "stop when the gradient's norm is at most X (default: 0.01)", 0, 1e9),
      OPT_FLAG("as-given", 0, &r.as_given, "no edges but those of EDGES, also where others follow from them"),
      OPT_INT("seed", 0, &r.seed, "N", "of the random numbers (default: 0)", 0, 9e15),
      OPT_CHOICE("space", 0, &r.space, "hyperbolic|euclidean", "what the vectors are, unless MODEL is a model file"),
      OPT_DOUBLE("radius", 0, &r.radius, "R", "of their ball, unless MODEL is a model file (default: 1)", 1e-150, 1e150),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code >= 0 || (code = graph_source_prepare(&spec, &r.source)) >= 0)
    return code;
  if (r.output == NULL)
    return cli_usage_error(&spec, "where to? give -o FILE");
  if (strcmp(r.output, "-") == 0 && r.common.json)
    return cli_usage_error(&spec, "--json and -o - both want standard output");
  if ((code = cli_check_inputs(&spec, "--output", r.output, r.common.args, 2)) >= 0)
    return code;
  if (strcmp(r.common.args[0], "-") == 0 && strcmp(r.common.args[1], "-") == 0)
    return cli_usage_error(&spec, "MODEL and EDGES cannot both be standard input");
  return run(&r, r.common.args[0], r.common.args[1]);
}
