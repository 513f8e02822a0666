/* graph_write.c - writes a graph as an edge list that geodisk_graph_read reads back as the same graph: edges first, then the
 * nodes without edges; names in quotes where they would be taken for something else. */
#include "graph_writer.h"
#include "plan.h"

#include <string.h>

void writer_put(graph_writer *writer, const void *bytes, size_t size) {
  if (writer->status == GEODISK_OK)
    writer->status =
        writer->gzip != NULL ? gzip_writer_put(writer->gzip, bytes, size) : geodisk_file_write(writer->file, bytes, size);
}

/* Separators in the order in which the reader tries them. Names must not hold one it would try before ours, and a name on a line
 * of its own must not hold any. */
static const char separators[] = "\t,;| ";

static bool needs_quotes(const graph_writer *writer, const char *name, size_t length, bool line_start, bool lone) {
  if (length == 0 || is_blank(name[0]) || is_blank(name[length - 1]) || name[0] == '{') /* might be data of the edge */
    return true;
  if (line_start && (name[0] == '#' || name[0] == '%'))
    return true;
  if (!writer->any_line && strchr("<{[(", name[0]) != NULL) /* another format might begin so */
    return true;
  if (!writer->any_line && length >= 3 && memcmp(name, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
    return true;
  for (size_t i = 0; i < length; i++) {
    const char c = name[i];
    if (c == '"' || c == '\r' || c == '\n')
      return true;
    const char *separator = strchr(separators, c);
    if (separator != NULL && (lone || separator <= strchr(separators, writer->options.separator)))
      return true;
  }
  return false;
}

static void put_name(graph_writer *writer, uint32_t node, bool quotes) {
  const char *name = geodisk_graph_name(writer->graph, node), *quote = name;
  size_t length = geodisk_graph_name_length(writer->graph, node);
  if (!quotes) {
    writer_put(writer, name, length);
    return;
  }
  writer_put(writer, "\"", 1);
  while (quote != NULL) {
    quote = memchr(name, '"', length);
    const size_t part = quote != NULL ? (size_t)(quote - name) + 1 : length;
    writer_put(writer, name, part);
    writer_put(writer, "\"", 1); /* doubles the one inside, or closes */
    name += part;
    length -= part;
  }
}

static field name_of(const geodisk_graph *graph, uint32_t node) {
  return (field){(char *)(uintptr_t)names_at(graph->names, node), geodisk_graph_name_length(graph, node), false};
}

static uint64_t degree(const geodisk_graph *graph, uint32_t node) {
  const uint64_t *out = graph->out.offsets + node, *in = graph->in.offsets + node;
  return out[1] - out[0] + (in[1] - in[0]);
}

/* Whether the reader might take the first line for a header, so that it needs quotes: known words, or names that occur in no
 * other line. */
static bool may_look_like_header(const graph_writer *writer, uint32_t first, uint32_t second) {
  const field a = name_of(writer->graph, first), b = name_of(writer->graph, second);
  bool parent_first;
  if (writer->graph->edges < 2)
    return false;
  return words_of_header(&a, &b, &parent_first) || (degree(writer->graph, first) == 1 && degree(writer->graph, second) == 1);
}

static void put_edge(graph_writer *writer, uint32_t child, uint32_t parent, const double *weight) {
  const uint32_t first = writer->options.reverse ? parent : child, second = writer->options.reverse ? child : parent;
  const geodisk_graph *graph = writer->graph;
  const size_t longest = 2 * (geodisk_graph_name_length(graph, first) + geodisk_graph_name_length(graph, second)) + 64;
  if (longest >= MAX_LINE) {
    writer->status = geodisk_fail(writer->context, GEODISK_ERROR_ARGUMENT,
                                  "%s: nodes %u and %u have names too long for one line, which is shorter than %d bytes",
                                  writer->label, first, second, MAX_LINE);
    return;
  }
  bool quotes = needs_quotes(writer, geodisk_graph_name(graph, first), geodisk_graph_name_length(graph, first), true, false);
  if (!writer->any_line)
    quotes = quotes || may_look_like_header(writer, first, second);
  writer->any_line = true;
  put_name(writer, first, quotes);
  writer_put(writer, &writer->options.separator, 1);
  quotes = needs_quotes(writer, geodisk_graph_name(graph, second), geodisk_graph_name_length(graph, second), false, false);
  put_name(writer, second, quotes);
  if (weight != NULL) {
    char text[1 + GEODISK_NUMBER_BYTES] = {writer->options.separator};
    const int length = geodisk_format_double(*weight, text + 1);
    writer_put(writer, text, 1 + (size_t)length);
  }
  writer_put(writer, "\n", 1);
}

static void put_rows(graph_writer *writer) {
  const geodisk_graph *graph = writer->graph;
  for (size_t u = 0; u < graph->nodes && writer->status == GEODISK_OK; u++) {
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1] && writer->status == GEODISK_OK; e++) {
      const double *weight = graph->out.weights != NULL && !writer->options.no_weights ? &graph->out.weights[e] : NULL;
      put_edge(writer, (uint32_t)u, graph->out.nodes[e], weight);
    }
    const geodisk_progress progress = {
        .task = "writing edges", .unit = "edges", .done = graph->out.offsets[u + 1], .total = graph->edges};
    if (writer->status == GEODISK_OK && u % 4096 == 4095 && !geodisk_progress_event(writer->context, &progress))
      writer->status = geodisk_fail(writer->context, GEODISK_ERROR_STOPPED, "%s: stopped while writing", writer->label);
  }
}

static void put_lone_nodes(graph_writer *writer) {
  const geodisk_graph *graph = writer->graph;
  for (size_t u = 0; u < graph->nodes && writer->status == GEODISK_OK; u++) {
    if (graph->out.offsets[u] < graph->out.offsets[u + 1] || graph->in.offsets[u] < graph->in.offsets[u + 1])
      continue;
    const char *name = geodisk_graph_name(graph, (uint32_t)u);
    const bool quotes = needs_quotes(writer, name, geodisk_graph_name_length(graph, (uint32_t)u), true, true);
    writer->any_line = true;
    put_name(writer, (uint32_t)u, quotes);
    writer_put(writer, "\n", 1);
  }
}

/* Whether a path ends so, .gz apart. */
static bool ends_in(const char *path, const char *end) {
  size_t length = strlen(path);
  const size_t n = strlen(end);
  if (length > 3 && strcmp(path + length - 3, ".gz") == 0 && strcmp(end, ".gz") != 0)
    length -= 3;
  return length > n && memcmp(path + length - n, end, n) == 0;
}

static geodisk_graph_format format_of(const char *path) {
  static const struct {
    const char *end;
    geodisk_graph_format format;
  } ends[] = {{".graphml", GEODISK_GRAPH_GRAPHML}, {".gexf", GEODISK_GRAPH_GEXF}, {".json", GEODISK_GRAPH_JSON}};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
    if (ends_in(path, ends[i].end))
      return ends[i].format;
  return GEODISK_GRAPH_EDGES;
}

/* Completes the options; NULL, or what is wrong with them. */
static const char *check_options(graph_writer *writer, const char *path) {
  geodisk_graph_write_options *o = &writer->options;
  if (o->format == GEODISK_GRAPH_AUTO)
    o->format = format_of(path);
  if (o->separator == 0)
    o->separator = o->format == GEODISK_GRAPH_EDGES && ends_in(path, ".csv") ? ',' : '\t';
  if (strchr(separators, o->separator) == NULL)
    return "the separator can be tab, comma, semicolon, bar or blank";
  if (o->format == GEODISK_GRAPH_NEWICK)
    return "Newick is read, not written";
  if (o->node_columns > 0 && (o->node_values == NULL || o->node_column_names == NULL))
    return "the columns of nodes have no names or no values";
  if (o->node_columns > 0 && o->format == GEODISK_GRAPH_EDGES)
    return "an edge list has no place for numbers of nodes";
  return NULL;
}

static void write_edges(graph_writer *writer) {
  put_rows(writer);
  if (!writer->options.no_lone_nodes)
    put_lone_nodes(writer);
}

geodisk_status geodisk_graph_write(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                   const geodisk_graph_write_options *options) {
  if (graph == NULL || path == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "writing a graph: %s is NULL", graph == NULL ? "graph" : "path");
  graph_writer writer = {.context = context, .label = strcmp(path, "-") == 0 ? "standard output" : path, .graph = graph};
  if (options != NULL)
    writer.options = *options;
  const char *wrong = check_options(&writer, path);
  if (wrong != NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "writing a graph: %s", wrong);
  writer.status = geodisk_file_create(context, path, &writer.file);
  if (writer.status == GEODISK_OK && ends_in(path, ".gz"))
    writer.status = gzip_writer_create(context, path, writer.file, &writer.gzip);
  if (writer.status == GEODISK_OK)
    (writer.options.format == GEODISK_GRAPH_EDGES ? write_edges : write_document)(&writer);
  if (writer.status == GEODISK_OK && writer.gzip != NULL)
    writer.status = gzip_writer_finish(writer.gzip);
  gzip_writer_destroy(writer.gzip);
  return geodisk_file_finish(writer.file, writer.status);
}
