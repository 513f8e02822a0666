/* document.h - what the readers of whole documents (GraphML, JSON, Newick) share: the text in memory, errors with their place,
 * the edges they find, and what is said of them. Internal to the graph module. */
#pragma once

#include "geodisk/graph.h"
#include "store.h"
#include "text_input.h"

typedef struct document {
  geodisk_context *context;
  const char *label;
  geodisk_graph_read_options options;
  char *text; /* readers may decode in place: what was read already */
  size_t size;
  graph_builder builder;
  bool undirected;          /* edges count in both directions */
  uint64_t edges, weighted; /* found; those with a weight */
  uint64_t added;           /* undirected ones twice */
  uint64_t renamed;         /* names that were not unique, or missing, and were made */
  const char *said;         /* about the format, for one line; or NULL */
} document;

/* The format of a file, from how it begins: EDGES if nothing says otherwise. `path` may be NULL. */
geodisk_graph_format detect_format(const char *text, size_t size, bool whole, const char *path);

/* The name of a format that begins like this and cannot be read, or NULL. As an edge list its lines would give nonsense. */
const char *format_not_read(const char *text, size_t size);

/* Reads all of an open input as a document of this format and closes it. */
geodisk_status read_document(input *in, geodisk_graph_format format, const geodisk_graph_read_options *options,
                             geodisk_graph_read_info *info, geodisk_graph **out);

/* An error at a byte of the text: "label: line 3: 'what stands there': reason". */
void document_say_wrong(const document *d, const char *at, size_t length, const char *reason);
static inline geodisk_status document_fail(const document *d, const char *at, size_t length, const char *reason) {
  document_say_wrong(d, at, length, reason);
  return GEODISK_ERROR_FORMAT;
}
static inline geodisk_status document_memory(const document *d) { return geodisk_no_memory(d->context, "to read %s", d->label); }

/* A node by its name, which may be new; `at` is where the name stands in the text. */
geodisk_status document_node(document *d, const char *name, size_t length, const char *at, uint32_t *id, bool *is_new);

/* An edge; a weight below 0 means: none. Turned round, and left without a weight, as the options say. */
geodisk_status document_edge(document *d, uint32_t child, uint32_t parent, double weight, const char *at);

/* A number >= 0 as the weight of an edge, or the error. */
geodisk_status document_weight(const document *d, const char *text, size_t length, double *weight);

/* Gives every one of `count` things a name that no other has. A name that comes more than once, or is missing, is replaced by the
 * path of names from the top (if that is long, its end), with '/' between them and a number if it is taken, or by node_1, node_2,
 * ...; how many were is counted. `up` is the thing above, or NO_NODE; things come after those above them. The nodes are then 0 ..
 * count-1. */
typedef struct named_thing {
  const char *name; /* or NULL */
  size_t length;
  uint32_t up;
} named_thing;
geodisk_status document_name_tree(document *d, const named_thing *things, size_t count);

/* The formats. */
geodisk_status read_graphml(document *d);
geodisk_status read_json(document *d);
geodisk_status read_newick(document *d);
