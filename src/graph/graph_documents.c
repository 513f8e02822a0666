/* graph_documents.c - writes a graph as GraphML, GEXF or node-link JSON, with numbers for each node if there are any. An
 * undirected graph, every edge of which is there both ways, is written as one, each edge once. */
#include "graph_writer.h"
#include "order.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Gephi draws in its own units: a disk of radius 1 becomes one of this radius. */
static const double gexf_scale = 1000;

static geodisk_status put_text(graph_writer *w, const char *text) { return writer_put(w, text, strlen(text)); }

static geodisk_status put_number(graph_writer *w, double value) {
  char number[GEODISK_NUMBER_BYTES];
  return writer_put(w, number, (size_t)geodisk_format_double(value, number));
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* A name in XML: what would be markup, or a line end, as a reference. */
static geodisk_status put_xml(graph_writer *w, const char *name) {
  geodisk_status status = GEODISK_OK;
  for (const char *p = name; *p != 0 && status == GEODISK_OK; p++) {
    const unsigned char c = (unsigned char)*p;
    char reference[12];
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
      return geodisk_fail(w->context, GEODISK_ERROR_ARGUMENT, "%s: the name '%.40s' holds a control character, which XML has not",
                          w->label, name);
    if (c < 0x20 || strchr("<>&\"", c) != NULL) {
      snprintf(reference, sizeof reference, "&#%u;", c);
      status = put_text(w, reference);
    } else {
      status = writer_put(w, p, 1);
    }
  }
  return status;
}

static geodisk_status put_json(graph_writer *w, const char *name) {
  geodisk_status status = writer_put(w, "\"", 1);
  for (const char *p = name; *p != 0 && status == GEODISK_OK; p++) {
    const unsigned char c = (unsigned char)*p;
    char escape[8];
    if (c < 0x20)
      snprintf(escape, sizeof escape, "\\u%04x", c);
    else if (c == '"' || c == '\\')
      snprintf(escape, sizeof escape, "\\%c", c);
    else
      snprintf(escape, sizeof escape, "%c", c);
    status = put_text(w, escape);
  }
  return status == GEODISK_OK ? writer_put(w, "\"", 1) : status;
}

/* ---- what a format puts around names and numbers ------------------------------------------------------------------------ */

typedef struct document_style {
  geodisk_status (*begin)(graph_writer *w, bool undirected);
  geodisk_status (*node)(graph_writer *w, uint32_t u);
  geodisk_status (*edge)(graph_writer *w, uint64_t number, uint32_t child, uint32_t parent, const double *weight);
  const char *between, *end; /* nodes and edges; at last */
} document_style;

/* Puts a text in which %x is a name in XML, %j a name in JSON, %n a number and %s a text. */
static geodisk_status put(graph_writer *w, const char *format, ...) {
  geodisk_status status = GEODISK_OK;
  va_list arguments;
  va_start(arguments, format);
  while (*format != 0 && status == GEODISK_OK) {
    const size_t plain = strcspn(format, "%");
    status = writer_put(w, format, plain);
    format += plain;
    if (*format == 0 || status != GEODISK_OK)
      break;
    const char kind = format[1];
    status = kind == 'n'   ? put_number(w, va_arg(arguments, double))
             : kind == 'x' ? put_xml(w, va_arg(arguments, const char *))
             : kind == 'j' ? put_json(w, va_arg(arguments, const char *))
                           : put_text(w, va_arg(arguments, const char *));
    format += 2;
  }
  va_end(arguments);
  return status;
}

static const char *name_of(const graph_writer *w, uint32_t u) { return geodisk_graph_name(w->graph, u); }

static double value_of(const graph_writer *w, uint32_t u, size_t k) {
  return w->options.node_values[(size_t)u * w->options.node_columns + k];
}

static const char *column_of(const graph_writer *w, size_t k) { return w->options.node_column_names[k]; }

static bool with_weights(const graph_writer *w) { return w->graph->out.weights != NULL && !w->options.no_weights; }

/* GraphML */

static geodisk_status graphml_begin(graph_writer *w, bool undirected) {
  geodisk_status status = put_text(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                                      "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
  for (size_t k = 0; k < w->options.node_columns && status == GEODISK_OK; k++)
    status = put(w, "<key id=\"%x\" for=\"node\" attr.name=\"%x\" attr.type=\"double\"/>\n", column_of(w, k), column_of(w, k));
  if (status == GEODISK_OK && with_weights(w))
    status = put_text(w, "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n");
  if (status == GEODISK_OK)
    status = put(w, "<graph edgedefault=\"%s\">\n", undirected ? "undirected" : "directed");
  return status;
}

static geodisk_status graphml_node(graph_writer *w, uint32_t u) {
  geodisk_status status = put(w, "<node id=\"%x\">", name_of(w, u));
  for (size_t k = 0; k < w->options.node_columns && status == GEODISK_OK; k++)
    status = put(w, "<data key=\"%x\">%n</data>", column_of(w, k), value_of(w, u, k));
  return status == GEODISK_OK ? put_text(w, "</node>\n") : status;
}

static geodisk_status graphml_edge(graph_writer *w, uint64_t number, uint32_t child, uint32_t parent, const double *weight) {
  (void)number;
  const geodisk_status status =
      put(w, "<edge source=\"%x\" target=\"%x%s", name_of(w, child), name_of(w, parent), weight != NULL ? "\">" : "\"/>\n");
  if (status != GEODISK_OK || weight == NULL)
    return status;
  return put(w, "<data key=\"weight\">%n</data></edge>\n", *weight);
}

/* GEXF */

static geodisk_status gexf_begin(graph_writer *w, bool undirected) {
  geodisk_status status = put(w,
                              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" "
                              "xmlns:viz=\"http://www.gexf.net/1.2draft/viz\" version=\"1.2\">\n<graph defaultedgetype=\"%s\">\n",
                              undirected ? "undirected" : "directed");
  if (status == GEODISK_OK && w->options.node_columns > 0)
    status = put_text(w, "<attributes class=\"node\">\n");
  for (size_t k = 0; k < w->options.node_columns && status == GEODISK_OK; k++)
    status = put(w, "<attribute id=\"%n\" title=\"%x\" type=\"double\"/>\n", (double)k, column_of(w, k));
  if (status == GEODISK_OK && w->options.node_columns > 0)
    status = put_text(w, "</attributes>\n");
  return status == GEODISK_OK ? put_text(w, "<nodes>\n") : status;
}

/* Two or three columns are a place to draw the node at. */
static geodisk_status gexf_position(graph_writer *w, uint32_t u) {
  const size_t columns = w->options.node_columns;
  if (columns != 2 && columns != 3)
    return GEODISK_OK;
  return put(w, "<viz:position x=\"%n\" y=\"%n\" z=\"%n\"/>", gexf_scale * value_of(w, u, 0), gexf_scale * value_of(w, u, 1),
             columns == 3 ? gexf_scale * value_of(w, u, 2) : 0);
}

static geodisk_status gexf_node(graph_writer *w, uint32_t u) {
  geodisk_status status = put(w, "<node id=\"%x\" label=\"%x%s", name_of(w, u), name_of(w, u),
                              w->options.node_columns > 0 ? "\"><attvalues>" : "\">");
  for (size_t k = 0; k < w->options.node_columns && status == GEODISK_OK; k++)
    status = put(w, "<attvalue for=\"%n\" value=\"%n\"/>", (double)k, value_of(w, u, k));
  if (status == GEODISK_OK && w->options.node_columns > 0)
    status = put_text(w, "</attvalues>");
  if (status == GEODISK_OK)
    status = gexf_position(w, u);
  return status == GEODISK_OK ? put_text(w, "</node>\n") : status;
}

static geodisk_status gexf_edge(graph_writer *w, uint64_t number, uint32_t child, uint32_t parent, const double *weight) {
  const geodisk_status status =
      put(w, "<edge id=\"%n\" source=\"%x\" target=\"%x", (double)number, name_of(w, child), name_of(w, parent));
  if (status != GEODISK_OK || weight == NULL)
    return status == GEODISK_OK ? put_text(w, "\"/>\n") : status;
  return put(w, "\" weight=\"%n\"/>\n", *weight);
}

/* JSON, as networkx.node_link_data writes it */

static geodisk_status json_begin(graph_writer *w, bool undirected) {
  return put(w, "{\"directed\": %s, \"multigraph\": false, \"graph\": {}, \"nodes\": [", undirected ? "false" : "true");
}

static geodisk_status json_node(graph_writer *w, uint32_t u) {
  geodisk_status status = put(w, "%s%j", u > 0 ? ",\n{\"id\": " : "\n{\"id\": ", name_of(w, u));
  for (size_t k = 0; k < w->options.node_columns && status == GEODISK_OK; k++)
    status = put(w, ", %j: %n", column_of(w, k), value_of(w, u, k));
  return status == GEODISK_OK ? put_text(w, "}") : status;
}

static geodisk_status json_edge(graph_writer *w, uint64_t number, uint32_t child, uint32_t parent, const double *weight) {
  const geodisk_status status =
      put(w, "%s%j, \"target\": %j", number > 0 ? ",\n{\"source\": " : "\n{\"source\": ", name_of(w, child), name_of(w, parent));
  if (status != GEODISK_OK || weight == NULL)
    return status == GEODISK_OK ? put_text(w, "}") : status;
  return put(w, ", \"weight\": %n}", *weight);
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

static geodisk_status put_edges(graph_writer *w, const document_style *style, bool undirected) {
  const csr *out = &w->graph->out;
  uint64_t number = 0;
  geodisk_status status = GEODISK_OK;
  for (uint32_t u = 0; u < w->graph->nodes && status == GEODISK_OK; u++) {
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1] && status == GEODISK_OK; e++) {
      const uint32_t v = out->nodes[e];
      if (undirected && v < u)
        continue;
      const bool back = w->options.reverse;
      status = style->edge(w, number++, back ? v : u, back ? u : v, with_weights(w) ? &out->weights[e] : NULL);
    }
    const geodisk_progress progress = {
        .task = "writing edges", .unit = "edges", .done = out->offsets[u + 1], .total = w->graph->edges};
    if (status == GEODISK_OK && u % 4096 == 4095 && !geodisk_progress_event(w->context, &progress))
      status = geodisk_fail(w->context, GEODISK_ERROR_STOPPED, "%s: stopped while writing", w->label);
  }
  return status;
}

geodisk_status write_document(graph_writer *w) {
  const document_style *style = w->options.format == GEODISK_GRAPH_GRAPHML ? &graphml
                                : w->options.format == GEODISK_GRAPH_GEXF  ? &gexf
                                                                           : &json;
  const bool undirected = is_undirected(w->graph);
  geodisk_status status = style->begin(w, undirected);
  for (uint32_t u = 0; u < w->graph->nodes && status == GEODISK_OK; u++)
    status = style->node(w, u);
  if (status == GEODISK_OK)
    status = put_text(w, style->between);
  if (status == GEODISK_OK)
    status = put_edges(w, style, undirected);
  return status == GEODISK_OK ? put_text(w, style->end) : status;
}
