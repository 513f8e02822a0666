/* graph_source.h - the options of every command that reads an edge list, and the ones that writes a graph: one table for all. */
#pragma once

#include "args.h"

/* How the command line says the graph is to be read, and what is to be made of it before anything else. */
typedef struct graph_source {
  const char *separator;
  int header, weights; /* index into "auto|yes|no" */
  geodisk_graph_read_options read;
  bool closure, undirected;
  bool advise;       /* warn of what looks wrong for training */
  int64_t max_edges; /* of the file, and of its closure; 0: no limit */
  bool max_given;
} graph_source;

enum { GRAPH_SOURCE_MAX_EDGES = 1000000000 };

/* Entries of an option table, for a graph_source variable s. */
#define GRAPH_SOURCE_OPTIONS(s)                                                                                                  \
  OPT_FLAG("reverse", 0, &(s).read.reverse, "the file has the parent first and the child second"),                               \
      OPT_TEXT("columns", 0, &(s).read.columns, "CHILD,PARENT[,WEIGHT]",                                                         \
               "which columns of a table these are, each by its name in the header or by its number from 1 (default: the first " \
               "two or "                                                                                                         \
               "three)"),                                                                                                        \
      OPT_FLAG("closure", 0, &(s).closure, "take the transitive closure: all ancestors, not only parents"),                      \
      OPT_FLAG("undirected", 0, &(s).undirected, "take the edges in both directions: a network"),                                \
      OPT_TEXT("separator", 0, &(s).separator, "CHAR",                                                                           \
               "between the fields: tab, comma, semicolon, bar, blank, or any one character (default: found out)"),              \
      OPT_CHOICE("header", 0, &(s).header, "auto|yes|no", "whether the first line is a header (default: found out)"),            \
      OPT_CHOICE("weights", 0, &(s).weights, "auto|yes|no",                                                                      \
                 "a third column of numbers is the weight of the edge (auto), must be there (yes), is ignored (no)"),            \
      {"max-edges",                                                                                                              \
       0,                                                                                                                        \
       OPTION_INT,                                                                                                               \
       &(s).max_edges,                                                                                                           \
       "N",                                                                                                                      \
       "give up when GRAPH or its closure has more edges than N (default: 1000000000; 0: never)",                                \
       0,                                                                                                                        \
       1e15,                                                                                                                     \
       &(s).max_given},                                                                                                          \
      OPT_FLAG("strict", 0, &(s).read.strict,                                                                                    \
               "self-loops, duplicates, blank fields and lines of one or more than three fields are errors"),                    \
      OPT_FLAG("no-quotes", 0, &(s).read.no_quotes, "a quotation mark is a letter like any other"),                              \
      OPT_FLAG("no-comments", 0, &(s).read.no_comments, "# and % at the start of a line are letters like any other")

/* What --help says of GRAPH, for descriptions. */
#define GRAPH_SOURCE_TEXT                                                                                                        \
  "GRAPH is an edge list or table: a child, its parent and perhaps a weight in each line, separated by tabs, commas or blanks; " \
  "or GraphML, a tree or nodes and links in JSON, a tree in Newick; plain or .gz; - is standard input. "

/* The limit on edges as the library takes it; 0: none. */
uint64_t graph_source_max_edges(const graph_source *s);

/* Makes s->read complete; -1 to go on, else the exit code of a usage error. And the same after args_parse. */
int graph_source_prepare(const command_spec *command, graph_source *s);
int graph_source_parse(const command_spec *command, const option_spec *options, graph_source *s, common_options *common, int argc,
                       char **argv);

/* Reads the graph, then takes its closure and both directions if asked for. */
geodisk_status graph_source_read(geodisk_context *context, const graph_source *s, const char *path, geodisk_graph_read_info *info,
                                 geodisk_graph **out);

/* Warns if the model was trained on another graph, with the option that makes them one where there is one. `path` is the graph's.
 */
geodisk_status graph_source_compare(geodisk_context *context, const graph_source *s, const char *path, const geodisk_model *model,
                                    const geodisk_graph *graph);

/* The entry for -o of commands that write a graph. */
#define GRAPH_OUTPUT_OPTION(path)                                                                                                \
  OPT_TEXT(                                                                                                                      \
      "output", 'o', &(path), "FILE",                                                                                            \
      "where to write: an edge list, comma-separated if it ends in .csv; GraphML, GEXF or JSON if it ends in .graphml, .gexf "   \
      "or .json; compressed if .gz follows (default: an edge list on standard output)")

/* Whether --json can be printed: not when the graph itself goes to standard output. -1 to go on, else a usage error. */
int graph_output_prepare(const command_spec *command, const common_options *common, const char *path);

/* Writes the graph to `path` (NULL: standard output) and destroys it; says on standard error what was written, and with --json
 * prints "nodes" and "edges" and what `more` prints (", key: value" pairs; or NULL). */
geodisk_status graph_output(geodisk_context *context, const common_options *common, geodisk_graph *graph, const char *path,
                            void (*more)(const void *data), const void *data);

/* Sub-commands of `geodisk graph`. */
int cmd_graph_import_wordnet(int argc, char **argv);
int cmd_graph_import_obo(int argc, char **argv);
int cmd_graph_convert(int argc, char **argv);
int cmd_graph_closure(int argc, char **argv);
int cmd_graph_reduce(int argc, char **argv);
int cmd_graph_undirected(int argc, char **argv);
int cmd_graph_subgraph(int argc, char **argv);
int cmd_graph_split(int argc, char **argv);
int cmd_graph_generate(int argc, char **argv);
int cmd_graph_check(int argc, char **argv);
int cmd_graph_info(int argc, char **argv);
int cmd_graph_distances(int argc, char **argv);
