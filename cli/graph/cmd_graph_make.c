/* cmd_graph_make.c - `geodisk graph convert | closure | reduce | undirected | subgraph | generate`: graphs from graphs,
 * and from nothing. */
#include "graph_source.h"

#include <stdio.h>
#include <string.h>

/* ---- one graph in, one graph out -------------------------------------------------------------------------------------- */

/* What a command of this kind is asked for. */
typedef struct request {
  graph_source source;
  const char *output;
  const char *below;
  bool allow_cycles;
  geodisk_status (*plain)(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out);
  common_options common;
} request;

typedef geodisk_status make_fn(geodisk_context *context, const request *r, const geodisk_graph *graph, geodisk_graph **out);

static geodisk_status make_closure(geodisk_context *context, const request *r, const geodisk_graph *graph, geodisk_graph **out) {
  const geodisk_closure_options options = {.allow_cycles = r->allow_cycles, .max_edges = graph_source_max_edges(&r->source)};
  return geodisk_graph_closure(context, graph, &options, out);
}

static geodisk_status make_plain(geodisk_context *context, const request *r, const geodisk_graph *graph, geodisk_graph **out) {
  return r->plain(context, graph, out);
}

static geodisk_status make_subgraph(geodisk_context *context, const request *r, const geodisk_graph *graph, geodisk_graph **out) {
  uint32_t node;
  if (!geodisk_graph_find(graph, r->below, strlen(r->below), &node))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "--below: there is no node '%s' in the graph", r->below);
  return geodisk_graph_subgraph_below(context, graph, node, out);
}

/* Parses, reads, makes (NULL: it stays as it is), writes. */
static int run(const command_spec *spec, const option_spec *options, request *r, make_fn *make, int argc, char **argv) {
  int code = graph_source_parse(spec, options, &r->source, &r->common, argc, argv);
  if (code < 0 && make == make_subgraph && r->below == NULL)
    return cli_usage_error(spec, "--below NODE is missing");
  if (code < 0)
    code = graph_output_prepare(spec, &r->common, r->output);
  if (code < 0)
    code = cli_check_inputs(spec, "--output", r->output, r->common.args, 1);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&r->common);
  geodisk_graph *graph = NULL, *made = NULL;
  geodisk_status status = graph_source_read(context, &r->source, r->common.args[0], NULL, &graph);
  if (make == NULL)
    made = graph;
  else if (status == GEODISK_OK)
    status = make(context, r, graph, &made);
  if (make != NULL)
    geodisk_graph_destroy(graph);
  if (status == GEODISK_OK)
    status = graph_output(context, &r->common, made, r->output, NULL, NULL);
  return cli_end(context, status);
}

/* A command without options of its own. */
static int run_plain(const command_spec *spec, int argc, char **argv,
                     geodisk_status (*plain)(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out)) {
  request r = {.plain = plain};
  const option_spec options[] = {
      GRAPH_OUTPUT_OPTION(r.output),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  return run(spec, options, &r, plain != NULL ? make_plain : NULL, argc, argv);
}

int cmd_graph_convert(int argc, char **argv) {
  static const command_spec spec = {
      "graph convert",
      "a graph in another format: edge list, GraphML, GEXF, JSON",
      "GRAPH",
      GRAPH_SOURCE_TEXT "Writes it in the format that the end of FILE tells. A network, every edge of which is there both ways, "
                        "is written as undirected in GraphML, GEXF and JSON.",
      "geodisk graph convert staff.csv --columns name,manager -o staff.graphml\n"
      "geodisk graph convert tree.nwk -o tree.tsv\n"
      "geodisk graph convert friends.graphml -o friends.json",
  };
  return run_plain(&spec, argc, argv, NULL);
}

int cmd_graph_closure(int argc, char **argv) {
  static const command_spec spec = {
      "graph closure",
      "transitive closure: an edge to every ancestor",
      "GRAPH",
      GRAPH_SOURCE_TEXT "Writes an edge from each node to every node that a path of edges leads to, without weights: what "
                        "embeddings of a hierarchy are usually trained on. A graph with a cycle is refused, and one cycle named.",
      "geodisk graph closure taxonomy.tsv -o closed.tsv\n"
      "geodisk graph import-wordnet --direct | geodisk graph closure - -o nouns.tsv",
  };
  request r = {.output = NULL};
  const option_spec options[] = {
      GRAPH_OUTPUT_OPTION(r.output),
      OPT_FLAG("allow-cycles", 0, &r.allow_cycles, "nodes on a cycle become ancestors of each other"),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  return run(&spec, options, &r, make_closure, argc, argv);
}

int cmd_graph_reduce(int argc, char **argv) {
  static const command_spec spec = {
      "graph reduce",
      "transitive reduction: the direct links only",
      "GRAPH",
      GRAPH_SOURCE_TEXT "Leaves out every edge that a longer path replaces: the smallest graph with the same closure. A graph "
                        "with a cycle is refused, and one cycle named.",
      "geodisk graph reduce closed.tsv -o direct.tsv",
  };
  return run_plain(&spec, argc, argv, geodisk_graph_reduce);
}

int cmd_graph_undirected(int argc, char **argv) {
  static const command_spec spec = {
      "graph undirected",
      "every edge in both directions",
      "GRAPH",
      GRAPH_SOURCE_TEXT "Writes each edge twice, once in each direction, as networks are trained on. Where both are there with "
                        "different weights, the larger weight is taken.",
      "geodisk graph undirected friends.csv -o friends.tsv",
  };
  return run_plain(&spec, argc, argv, geodisk_graph_undirected);
}

int cmd_graph_subgraph(int argc, char **argv) {
  static const command_spec spec = {
      "graph subgraph",
      "a node and everything below it",
      "GRAPH",
      GRAPH_SOURCE_TEXT "Writes the edges between the node of --below and all its descendants.",
      "geodisk graph subgraph nouns.tsv --below mammal.n.01 -o mammals.tsv",
  };
  request r = {.output = NULL};
  const option_spec options[] = {
      OPT_TEXT("below", 0, &r.below, "NODE", "the node (must be given)"),
      GRAPH_OUTPUT_OPTION(r.output),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  return run(&spec, options, &r, make_subgraph, argc, argv);
}

/* ---- generate --------------------------------------------------------------------------------------------------------- */

static const command_spec generate_spec = {
    "graph generate",
    "trees, grids and random graphs",
    "KIND",
    "KIND is one of\n"
    "tree: a complete tree, --branching children each, --depth levels below the root;\n"
    "recursive: a random recursive tree of --nodes, each hung on any node before it;\n"
    "grid: --rows by --columns;\n"
    "barabasi-albert: --nodes, each joined with --attach older ones in proportion to their degrees;\n"
    "blocks: the stochastic block model, --nodes in --blocks groups, joined with probability --p-in inside and --p-out between.\n"
    "Nodes are numbered from 0. Edges go from child to parent, from the later node to the earlier one.",
    "geodisk graph generate tree --branching 2 --depth 5 --closed -o tree.tsv\n"
    "geodisk graph generate barabasi-albert --nodes 10000 --attach 3 --undirected --seed 1 -o network.tsv",
};

int cmd_graph_generate(int argc, char **argv) {
  static const char *const kinds[] = {"tree", "recursive", "grid", "barabasi-albert", "blocks"};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  int64_t nodes = 100, branching = 2, depth = 5, rows = 10, columns = 10, attach = 2, blocks = 4, seed = 0;
  double p_in = 0.1, p_out = 0.01;
  bool closed = false, undirected = false;
  const char *output = NULL;
  common_options common;
  int kind = 0;
  const double most = 2147483648.0;
  const option_spec options[] = {
      GRAPH_OUTPUT_OPTION(output),
      OPT_INT("branching", 0, &branching, "B", "tree: children of a node (default: 2)", 1, most),
      OPT_INT("depth", 0, &depth, "D", "tree: levels below the root (default: 5)", 0, most),
      OPT_INT("nodes", 0, &nodes, "N", "recursive, barabasi-albert, blocks (default: 100)", 1, most),
      OPT_INT("rows", 0, &rows, "N", "grid (default: 10)", 1, most),
      OPT_INT("columns", 0, &columns, "N", "grid (default: 10)", 1, most),
      OPT_INT("attach", 0, &attach, "M", "barabasi-albert: edges of a new node (default: 2)", 1, most),
      OPT_INT("blocks", 0, &blocks, "N", "blocks: number of groups (default: 4)", 1, most),
      OPT_DOUBLE("p-in", 0, &p_in, "P", "blocks: probability of an edge inside a group (default: 0.1)", 0, 1),
      OPT_DOUBLE("p-out", 0, &p_out, "P", "blocks: probability of an edge between groups (default: 0.01)", 0, 1),
      OPT_INT("seed", 0, &seed, "N", "of the random numbers (default: 0)", 0, 9007199254740992.0),
      OPT_FLAG("closed", 0, &closed, "the transitive closure"),
      OPT_FLAG("undirected", 0, &undirected, "each edge in both directions"),
      OPT_END,
  };
  int code = args_parse(&generate_spec, options, &common, argc, argv);
  if (code < 0)
    code = graph_output_prepare(&generate_spec, &common, output);
  if (code >= 0)
    return code;
  while (kind < KINDS && strcmp(common.args[0], kinds[kind]) != 0)
    kind++;
  if (kind == KINDS)
    return cli_usage_error(&generate_spec, "'%s' is not one of tree, recursive, grid, barabasi-albert, blocks", common.args[0]);
  if (closed && undirected)
    return cli_usage_error(&generate_spec, "--closed and --undirected exclude each other");
  geodisk_context *context = cli_context(&common);
  const geodisk_generate_options generate = {.kind = (geodisk_generator)kind,
                                             .shape = closed       ? GEODISK_SHAPE_CLOSED
                                                      : undirected ? GEODISK_SHAPE_UNDIRECTED
                                                                   : GEODISK_SHAPE_DIRECTED,
                                             .nodes = (uint64_t)nodes,
                                             .branching = (uint64_t)branching,
                                             .depth = (uint64_t)depth,
                                             .rows = (uint64_t)rows,
                                             .columns = (uint64_t)columns,
                                             .attach = (uint64_t)attach,
                                             .blocks = (uint64_t)blocks,
                                             .p_in = p_in,
                                             .p_out = p_out,
                                             .seed = (uint64_t)seed};
  geodisk_graph *graph = NULL;
  geodisk_status status = geodisk_graph_generate(context, &generate, &graph);
  if (status == GEODISK_OK)
    status = graph_output(context, &common, graph, output, NULL, NULL);
  return cli_end(context, status);
}
