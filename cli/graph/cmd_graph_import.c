/* cmd_graph_import.c - `geodisk graph import-wordnet` and `import-obo`. */
#include "graph_source.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- WordNet ---------------------------------------------------------------------------------------------------------- */

static const command_spec wordnet_spec = {
    "graph import-wordnet",
    "the hypernyms of WordNet, from its database files",
    "",
    "Reads data.noun and index.noun (data.verb and index.verb) of a WordNet database, as Debian's package wordnet-base installs "
    "them, and writes the pairs of a synset and each synset above it: the transitive closure of hypernyms and instance "
    "hypernyms, or with --direct the links themselves.\n"
    "Synsets are named as NLTK does: dog.n.01. The child comes first; there is no header line. WordNet 3.0 has 82,115 noun "
    "synsets and 743,241 pairs; 1,182 and 6,542 of these are mammal.n.01 or below it.",
    "geodisk graph import-wordnet -o nouns.tsv\n"
    "geodisk graph import-wordnet --root mammal.n.01 -o mammals.tsv\n"
    "geodisk graph import-wordnet --pos v --direct | head",
};

static void wordnet_json(const void *data) {
  const geodisk_wordnet_info *info = data;
  printf(", \"synsets\": %" PRIu64 ", \"hypernyms\": %" PRIu64 ", \"instance_hypernyms\": %" PRIu64, info->synsets,
         info->hypernyms, info->instance_hypernyms);
}

int cmd_graph_import_wordnet(int argc, char **argv) {
  const char *dict = "/usr/share/wordnet", *output = NULL;
  int pos = 0;
  geodisk_wordnet_options options = {0};
  common_options common;
  const option_spec table[] = {
      GRAPH_OUTPUT_OPTION(output),
      OPT_TEXT("dict", 0, &dict, "DIR", "the folder of the database (default: /usr/share/wordnet)"),
      OPT_CHOICE("pos", 0, &pos, "n|v", "nouns (default) or verbs"),
      OPT_TEXT("root", 0, &options.root, "SYNSET", "only this synset and those below it"),
      OPT_FLAG("direct", 0, &options.direct, "the links themselves, not their closure"),
      OPT_FLAG("reverse", 0, &options.reverse, "write the parent first and the child second"),
      OPT_END,
  };
  int code = args_parse(&wordnet_spec, table, &common, argc, argv);
  if (code < 0)
    code = graph_output_prepare(&wordnet_spec, &common, output);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&common);
  options.pos = "nv"[pos];
  geodisk_graph *graph = NULL;
  geodisk_wordnet_info info;
  geodisk_status status = geodisk_graph_read_wordnet(context, dict, &options, &info, &graph);
  if (status == GEODISK_OK)
    status = graph_output(context, &common, graph, output, wordnet_json, &info);
  return cli_end(context, status);
}

/* ---- OBO -------------------------------------------------------------------------------------------------------------- */

static const command_spec obo_spec = {
    "graph import-obo",
    "an ontology in OBO format, such as the Gene Ontology",
    "FILE",
    "Reads an ontology in OBO format (plain or .gz, - is standard input) and writes an edge from each term to what it is_a, and "
    "with --part-of to what it is part_of. Obsolete terms are skipped and counted. The child comes first.",
    "geodisk graph import-obo go.obo -o go.tsv\n"
    "geodisk graph import-obo go.obo --part-of --names --closure -o go-closed.tsv",
};

static void obo_json(const void *data) {
  const geodisk_obo_info *info = data;
  printf(", \"terms\": %" PRIu64 ", \"obsolete\": %" PRIu64 ", \"is_a\": %" PRIu64 ", \"part_of\": %" PRIu64
         ", \"undefined\": %" PRIu64 ", \"self_loops\": %" PRIu64 ", \"duplicates\": %" PRIu64,
         info->terms, info->obsolete, info->is_a, info->part_of, info->undefined, info->self_loops, info->duplicates);
}

int cmd_graph_import_obo(int argc, char **argv) {
  const char *output = NULL;
  bool closure = false;
  geodisk_obo_options options = {0};
  common_options common;
  const option_spec table[] = {
      GRAPH_OUTPUT_OPTION(output),
      OPT_FLAG("part-of", 0, &options.part_of, "part_of relationships are edges too"),
      OPT_FLAG("names", 0, &options.names, "call the nodes by the terms' names instead of their ids"),
      OPT_FLAG("closure", 0, &closure, "write the transitive closure"),
      OPT_FLAG("reverse", 0, &options.reverse, "write the parent first and the child second"),
      OPT_END,
  };
  int code = args_parse(&obo_spec, table, &common, argc, argv);
  if (code < 0)
    code = graph_output_prepare(&obo_spec, &common, output);
  if (code < 0)
    code = cli_check_inputs(&obo_spec, "--output", output, common.args, 1);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&common);
  geodisk_graph *graph = NULL, *closed = NULL;
  geodisk_obo_info info;
  geodisk_status status = geodisk_graph_read_obo(context, common.args[0], &options, &info, &graph);
  if (status == GEODISK_OK && closure) {
    status = geodisk_graph_closure(context, graph, &(geodisk_closure_options){.max_edges = GRAPH_SOURCE_MAX_EDGES}, &closed);
    geodisk_graph_destroy(graph);
    graph = closed;
  }
  if (status == GEODISK_OK)
    status = graph_output(context, &common, graph, output, obo_json, &info);
  return cli_end(context, status);
}
