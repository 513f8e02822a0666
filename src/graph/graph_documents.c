/* graph_documents.c - writes a graph as GraphML, GEXF or node-link JSON, with numbers for each node if there are any. An
 * undirected graph, every edge of which is there both ways, is written as one, each edge once. */
#include "base/put_format.h"
#include "graph_writer.h"
#include "order.h"

#include <stdio.h>
#include <string.h>

/* Gephi draws in its own units: a disk of radius 1 becomes one of this radius. */
static const double gexf_scale = 1000;

static void put_bytes(void *user, const void *bytes, size_t size) { writer_put(user, bytes, size); }

static void put_number(void *user, double value) {
  char number[GEODISK_NUMBER_BYTES];
  put_bytes(user, number, (size_t)geodisk_format_double(value, number));
}

/* Whether XML cannot have the character: a control character that ends no line and is no tab, U+FFFE, U+FFFF. */
static bool no_xml(const char *p) {
  const unsigned char *c = (const unsigned char *)p;
  return (c[0] < 0x20 && strchr("\t\n\r", c[0]) == NULL) || (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe);
}

/* A name in XML (x): what would be markup, or a line end, as a reference; or in JSON (j), with its quotes. */
static void put_name(void *user, char letter, const char *name) {
  graph_writer *w = user;
  for (const char *p = name; *p != 0 && w->status == GEODISK_OK; p++) {
    const unsigned char c = (unsigned char)*p;
    char text[12] = {(char)c};
    if (letter == 'x' && no_xml(p))
      w->status =
          geodisk_fail(w->context, GEODISK_ERROR_ARGUMENT,
                       "%s: the name '%.40s' holds a control character, U+FFFE or U+FFFF, which XML has not", w->label, name);
    else if (letter == 'x' && (c < 0x20 || strchr("<>&\"", c) != NULL))
      snprintf(text, sizeof text, "&#%u;", c);
    else if (letter == 'j' && c < 0x20)
      snprintf(text, sizeof text, "\\u%04x", c);
    else if (letter == 'j' && (c == '"' || c == '\\'))
      snprintf(text, sizeof text, "\\%c", c);
    put_bytes(w, text, strlen(text));
  }
}

/* %x: a name in XML, %j: what stands between the quotes of one in JSON. */
static void put(graph_writer *w, const char *format, ...) {
  static const text_target target = {put_bytes, put_number, put_name};
  va_list arguments;
  va_start(arguments, format);
  put_format(&target, w, format, arguments);
  va_end(arguments);
}

/* ---- what a format puts around names and numbers ------------------------------------------------------------------------ */

typedef struct document_style {
  void (*begin)(graph_writer *w, bool undirected);
  void (*node)(graph_writer *w, uint32_t u);
  void (*edge)(graph_writer *w, size_t number, const char *child, const char *parent, const double *weight);
  const char *between, *end; /* nodes and edges; at last */
} document_style;

static const char *name_of(const graph_writer *w, uint32_t u) { return geodisk_graph_name(w->graph, u); }

static double value_of(const graph_writer *w, uint32_t u, size_t k) {
  return w->options.node_values[(size_t)u * w->options.node_columns + k];
}

static const char *column_of(const graph_writer *w, size_t k) { return w->options.node_column_names[k]; }

static bool with_weights(const graph_writer *w) { return w->graph->out.weights != NULL && !w->options.no_weights; }

/* GraphML */

static void graphml_begin(graph_writer *w, bool undirected) {
  put(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  for (size_t k = 0; k < w->options.node_columns; k++)
    put(w, "<key id=\"%x\" for=\"node\" attr.name=\"%x\" attr.type=\"double\"/>\n", column_of(w, k), column_of(w, k));
  if (with_weights(w))
    put(w, "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n");
  put(w, "<graph edgedefault=\"%s\">\n", undirected ? "undirected" : "directed");
}

static void graphml_node(graph_writer *w, uint32_t u) {
  put(w, "<node id=\"%x\">", name_of(w, u));
  for (size_t k = 0; k < w->options.node_columns; k++)
    put(w, "<data key=\"%x\">%n</data>", column_of(w, k), value_of(w, u, k));
  put(w, "</node>\n");
}

static void graphml_edge(graph_writer *w, size_t number, const char *child, const char *parent, const double *weight) {
  (void)number;
  put(w, "<edge source=\"%x\" target=\"%x\"", child, parent);
  if (weight != NULL)
    put(w, "><data key=\"weight\">%n</data></edge>\n", *weight);
  else
    put(w, "/>\n");
}

/* GEXF */

static void gexf_begin(graph_writer *w, bool undirected) {
  const bool columns = w->options.node_columns > 0;
  put(w,
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" "
      "xmlns:viz=\"http://www.gexf.net/1.2draft/viz\" version=\"1.2\">\n<graph defaultedgetype=\"%s\">\n%s",
      undirected ? "undirected" : "directed", columns ? "<attributes class=\"node\">\n" : "");
  for (size_t k = 0; k < w->options.node_columns; k++)
    put(w, "<attribute id=\"%u\" title=\"%x\" type=\"double\"/>\n", k, column_of(w, k));
  put(w, "%s<nodes>\n", columns ? "</attributes>\n" : "");
}

static void gexf_node(graph_writer *w, uint32_t u) {
  const size_t columns = w->options.node_columns;
  put(w, "<node id=\"%x\" label=\"%x\">%s", name_of(w, u), name_of(w, u), columns > 0 ? "<attvalues>" : "");
  for (size_t k = 0; k < columns; k++)
    put(w, "<attvalue for=\"%u\" value=\"%n\"/>", k, value_of(w, u, k));
  put(w, columns > 0 ? "</attvalues>" : "");
  if (columns == 2 || columns == 3) /* a place to draw the node at */
    put(w, "<viz:position x=\"%n\" y=\"%n\" z=\"%n\"/>", gexf_scale * value_of(w, u, 0), gexf_scale * value_of(w, u, 1),
        columns == 3 ? gexf_scale * value_of(w, u, 2) : 0.0);
  put(w, "</node>\n");
}

static void gexf_edge(graph_writer *w, size_t number, const char *child, const char *parent, const double *weight) {
  put(w, "<edge id=\"%u\" source=\"%x\" target=\"%x\"", number, child, parent);
  if (weight != NULL)
    put(w, " weight=\"%n\"", *weight);
  put(w, "/>\n");
}

/* JSON, as networkx.node_link_data writes it */

static void json_begin(graph_writer *w, bool undirected) {
  put(w, "{\"directed\": %s, \"multigraph\": false, \"graph\": {}, \"nodes\": [", undirected ? "false" : "true");
}

static void json_node(graph_writer *w, uint32_t u) {
  put(w, "%s\n{\"id\": \"%j\"", u > 0 ? "," : "", name_of(w, u));
  for (size_t k = 0; k < w->options.node_columns; k++)
    put(w, ", \"%j\": %n", column_of(w, k), value_of(w, u, k));
  put(w, "}");
}

static void json_edge(graph_writer *w, size_t number, const char *child, const char *parent, const double *weight) {
  put(w, "%s\n{\"source\": \"%j\", \"target\": \"%j\"", number > 0 ? "," : "", child, parent);
  if (weight != NULL)
    put(w, ", \"weight\": %n", *weight);
  put(w, "}");
}

static const document_style graphml = {graphml_begin, graphml_node, graphml_edge, "", "</graph>\n</graphml>\n"};
static const document_style gexf = {gexf_begin, gexf_node, gexf_edge, "</nodes>\n<edges>\n", "</edges>\n</graph>\n</gexf>\n"};
static const document_style json = {json_begin, json_node, json_edge, "\n], \"links\": [", "\n]}\n"};

/* ---- the document ----------------------------------------------------------------------------------------------------- */

static bool is_undirected(const geodisk_graph *graph) {
  const csr *out = &graph->out;
  for (uint32_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++) {
      const uint64_t back = find_edge(graph, out->nodes[e], u);
      if (back == graph->edges || (out->weights != NULL && out->weights[e] != out->weights[back]))
        return false;
    }
  return graph->edges > 0;
}

static void put_edges(graph_writer *w, const document_style *style, bool undirected) {
  const csr *out = &w->graph->out;
  size_t number = 0;
  for (uint32_t u = 0; u < w->graph->nodes && w->status == GEODISK_OK; u++) {
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++) {
      const uint32_t v = out->nodes[e];
      if (undirected && v < u)
        continue;
      const bool back = w->options.reverse;
      style->edge(w, number++, name_of(w, back ? v : u), name_of(w, back ? u : v), with_weights(w) ? &out->weights[e] : NULL);
    }
    const geodisk_progress progress = {
        .task = "writing edges", .unit = "edges", .done = out->offsets[u + 1], .total = w->graph->edges};
    if (w->status == GEODISK_OK && u % 4096 == 4095 && !geodisk_progress_event(w->context, &progress))
      w->status = geodisk_fail(w->context, GEODISK_ERROR_STOPPED, "%s: stopped while writing", w->label);
  }
}

void write_document(graph_writer *w) {
  const document_style *style = w->options.format == GEODISK_GRAPH_GRAPHML ? &graphml
                                : w->options.format == GEODISK_GRAPH_GEXF  ? &gexf
                                                                           : &json;
  const bool undirected = is_undirected(w->graph);
  style->begin(w, undirected);
  for (uint32_t u = 0; u < w->graph->nodes && w->status == GEODISK_OK; u++)
    style->node(w, u);
  put(w, style->between);
  put_edges(w, style, undirected);
  put(w, style->end);
}
