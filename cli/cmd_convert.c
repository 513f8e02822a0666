/* cmd_convert.c - `geodisk convert`: models to other programs' formats and back. */
#include <stdio.h>
#include <string.h>

#include "graph_source.h"
#include "processes.h"

#define READ    "model|word2vec|word2vec-bin|tsv|csv|npy|lorentz"
#define WRITTEN READ "|tensorboard|graphml|gexf|json"
enum { LORENTZ = 6, NOT_GIVEN = -1 };

static const geodisk_format formats[] = {GEODISK_FORMAT_MODEL,
                                         GEODISK_FORMAT_WORD2VEC,
                                         GEODISK_FORMAT_WORD2VEC_BINARY,
                                         GEODISK_FORMAT_TSV,
                                         GEODISK_FORMAT_CSV,
                                         GEODISK_FORMAT_NPY,
                                         GEODISK_FORMAT_AUTO /* the hyperboloid: in whatever the file's end says */,
                                         GEODISK_FORMAT_TENSORBOARD,
                                         GEODISK_FORMAT_GRAPHML,
                                         GEODISK_FORMAT_GEXF,
                                         GEODISK_FORMAT_JSON};

static const command_spec spec = {
    "convert",
    "models to and from the formats of other programs",
    "INPUT [GRAPH]",
    "Reads INPUT (- for standard input) in any of the formats, found out from its content, and writes it to FILE in the format "
    "of --to, or the one that FILE's end tells (.safetensors, .txt, .bin, .tsv, .csv, .npy, .graphml, .gexf, .json).\n"
    "word2vec is gensim's text format, with numbers that read back exactly; word2vec-bin its binary one, in float32. TSV and CSV "
    "hold a name and its numbers in a line, npy the vectors as NumPy reads them with the names, one a line, in a file beside it. "
    "lorentz writes points of the hyperboloid, dim + 1 numbers with time first, as vector databases want them, in the format of "
    "FILE's end. tensorboard is the projector's pair: numbers in FILE.tsv, names in FILE.metadata.tsv.\n"
    "graphml, gexf and json hold the nodes with their coordinates and, if GRAPH is given, its edges: for Gephi, yEd, Cytoscape, "
    "networkx and D3. " GRAPH_SOURCE_TEXT "\n"
    "What a format cannot hold is said on standard error: points near the rim that float32 or coordinates without their gaps put "
    "elsewhere, names with blanks in word2vec's, the ball, metadata. As several processes (mpirun -n N geodisk convert MODEL -o "
    "FILE) they share the work of writing a model file in another format.",
    "geodisk convert mammals.safetensors --to word2vec -o mammals.txt\n"
    "geodisk convert poincare_vectors.bin -o vectors.safetensors\n"
    "geodisk convert mammals.safetensors --to lorentz -o mammals.npy\n"
    "geodisk convert mammals.safetensors data/mammals.tsv -o mammals.gexf\n"
    "geodisk convert mammals.safetensors --to tensorboard -o mammals.tsv",
};

typedef struct request {
  common_options common;
  graph_source source;
  const char *output, *graph;
  int from, to, width, space;
  geodisk_import_options import;
  geodisk_export_options export;
} request;

static geodisk_status convert(geodisk_context *context, const request *r, const char *input, geodisk_mpi_exported *done) {
  geodisk_model *model = NULL;
  geodisk_graph *graph = NULL;
  geodisk_status status = geodisk_model_import(context, input, &r->import, NULL, &model);
  if (status == GEODISK_OK && r->graph != NULL)
    status = graph_source_read(context, &r->source, r->graph, NULL, &graph);
  geodisk_export_options export = r->export;
  export.graph = graph;
  if (status == GEODISK_OK)
    status = geodisk_model_export(context, model, r->output, &export, &done->info);
  if (status == GEODISK_OK) {
    done->nodes = geodisk_model_nodes(model);
    done->dim = geodisk_model_dim(model);
  }
  geodisk_graph_destroy(graph);
  geodisk_model_destroy(model);
  return status;
}

/* As one of several processes, which read model files only. */
static geodisk_status convert_on_ranks(geodisk_context *context, const request *r, const char *input,
                                       geodisk_mpi_exported *done) {
  geodisk_mpi *mpi = NULL;
  if ((r->from != NOT_GIVEN && formats[r->from] != GEODISK_FORMAT_MODEL) || r->import.names != NULL || r->graph != NULL)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                        "several processes convert model files only: start geodisk without mpirun");
  if (strcmp(input, "-") == 0 || strcmp(r->output, "-") == 0)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED,
                        "standard input and output cannot be shared by several processes: give files");
  geodisk_status status = ranks_start(context, &mpi);
  if (status == GEODISK_OK)
    status = geodisk_mpi_export(context, mpi, input, r->output, &r->export, done);
  geodisk_mpi_end(mpi);
  return status;
}

static int run(const request *r, const char *input) {
  geodisk_context *context = cli_context(&r->common);
  geodisk_mpi_exported done = {.nodes = 0};
  const geodisk_status status = (ranks_launched() ? convert_on_ranks : convert)(context, r, input, &done);
  if (status == GEODISK_OK && r->common.json && strcmp(r->output, "-") != 0) {
    json_format(
        "{\"nodes\": %u, \"dim\": %d, \"renamed\": %u, \"moved\": %u, \"worst_move\": %n, \"pulled\": %u, \"left_out\": %u}\n",
        done.nodes, done.dim, done.info.renamed, done.info.moved, done.info.worst, done.info.pulled, done.info.left_out);
  }
  return cli_end(context, status);
}

/* No output is an input, nor the other output. Names that are written beside an array have a path that follows from its own. */
static int check_files(const request *r, const char *input) {
  const char *const inputs[] = {input, r->graph, r->import.names};
  const char *const others[] = {input, r->graph, r->output};
  const bool npy = r->export.format == GEODISK_FORMAT_NPY || r->export.format == GEODISK_FORMAT_AUTO;
  const char *const ending = npy ? ".npy" : ".tsv", *const instead = npy ? ".names" : ".metadata.tsv";
  const size_t length = strlen(r->output);
  char beside[4096];
  const char *names = r->export.names;
  const bool ends = length > 4 && strcmp(r->output + length - 4, ending) == 0;
  if (names == NULL &&
      (r->export.format == GEODISK_FORMAT_NPY || r->export.format == GEODISK_FORMAT_TENSORBOARD || (npy && ends)) &&
      snprintf(beside, sizeof beside, "%.*s%s", (int)(length - (ends ? 4 : 0)), r->output, instead) < (int)sizeof beside)
    names = beside;
  const int code = cli_check_inputs(&spec, "--output", r->output, inputs, 3);
  if (code >= 0 || names == NULL)
    return code;
  if (strcmp(names, r->output) == 0)
    return cli_usage_error(&spec, "--names and --output are the same file, %s", names);
  return cli_check_inputs(&spec, r->export.names != NULL ? "--names" : "the file of names", names, others, 3);
}

int cmd_convert(int argc, char **argv) {
  request r = {.from = NOT_GIVEN, .to = NOT_GIVEN};
  bool with_names = false;
  const char *names = NULL;
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &r.output, "FILE", "where to write; - is standard output"),
      OPT_CHOICE("to", 0, &r.to, WRITTEN, "the format to write (default: as FILE's end tells)"),
      OPT_CHOICE("from", 0, &r.from, READ, "the format of INPUT (default: found out; lorentz must be said)"),
      OPT_CHOICE("precision", 0, &r.width, "auto|double|float", "of the numbers written (default: as they are)"),
      OPT_CHOICE("space", 0, &r.space, "hyperbolic|euclidean", "what the vectors of INPUT are, unless it is a model"),
      OPT_DOUBLE("radius", 0, &r.import.radius, "R", "of the ball of INPUT, unless it is a model (default: 1)", 0, 0),
      OPT_DOUBLE("curvature", 0, &r.import.curvature, "K", "the ball's sectional curvature is -K (default: 1)", 0, 0),
      {"names", 0, OPTION_STRING, &names, "FILE",
       "names, one a line, of the rows of INPUT (npy, tsv, csv; default for x.npy: x.names), or of npy's and TensorBoard's when "
       "they are written",
       0, 0, &with_names},
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code >= 0 || (code = graph_source_prepare(&spec, &r.source)) >= 0)
    return code;
  r.graph = r.common.n_args > 1 ? r.common.args[1] : NULL;
  if (r.output == NULL)
    return cli_usage_error(&spec, "where to? give -o FILE");
  r.import.format = r.from != NOT_GIVEN ? formats[r.from] : GEODISK_FORMAT_AUTO;
  r.import.lorentz = r.from == LORENTZ;
  r.import.space = r.space == 0 ? GEODISK_SPACE_HYPERBOLIC : GEODISK_SPACE_EUCLIDEAN;
  r.export.format = r.to != NOT_GIVEN ? formats[r.to] : GEODISK_FORMAT_AUTO;
  r.export.lorentz = r.to == LORENTZ;
  r.export.width = (geodisk_width)r.width;
  r.import.width = r.export.width;
  const size_t end = strlen(r.output) > 4 ? strlen(r.output) - 4 : 0;
  const bool names_apart = r.export.format == GEODISK_FORMAT_NPY || r.export.format == GEODISK_FORMAT_TENSORBOARD ||
                           strcmp(r.output + end, ".npy") == 0;
  if (names_apart)
    r.export.names = names;
  else
    r.import.names = names;
  if ((code = check_files(&r, r.common.args[0])) >= 0)
    return code;
  return run(&r, r.common.args[0]);
}
