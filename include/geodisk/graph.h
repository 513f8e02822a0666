/* geodisk/graph.h - immutable directed graphs with named nodes: reading and writing them, closure, splits, generators, checks,
 * graph distances.
 *
 * DIRECTION. An edge goes from child to parent (hyponym -> hypernym, part -> whole, specific -> general): in "dog  mammal" the
 * dog is the child. Out-row of u = the parents of u, in-row = its children. A root has no parents, a leaf no children. Files the
 * other way round are read with `reverse`.
 *
 * A graph is simple: self-loops and repeated edges are left out when it is built, and counted. Nodes are numbered 0 .. nodes-1 in
 * the order in which their names first occur; ids are 32-bit, a graph of more than 4,294,967,294 nodes is refused (UNSUPPORTED).
 * Both directions are stored as compressed rows, each sorted by node id.
 *
 * MEMORY of a finished graph: 8 bytes per edge (24 with weights), 30 bytes per node, and the names with one byte each for their
 * end. While a graph is read the peak is 12 bytes per edge (28 with weights; `strict` adds 8), at most 40 bytes per node, the
 * names, and 2 MiB of buffers.
 *
 * A graph never changes, so any number of threads may use one. All functions are fallible (base.h) unless they return a value. */
#ifndef GEODISK_GRAPH_H
#define GEODISK_GRAPH_H

#include "geodisk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct geodisk_graph geodisk_graph;

/* ---- a graph and what is in it --------------------------------------------------------------------------------------- */

GEODISK_API void geodisk_graph_destroy(geodisk_graph *graph);

GEODISK_API size_t geodisk_graph_nodes(const geodisk_graph *graph);
GEODISK_API size_t geodisk_graph_edges(const geodisk_graph *graph);
GEODISK_API bool geodisk_graph_weighted(const geodisk_graph *graph);

/* Compressed rows: the neighbours of u are nodes[offsets[u]] .. nodes[offsets[u + 1] - 1] in ascending order, so its degree is
 * offsets[u + 1] - offsets[u], and the weight of each edge lies at the same place in `weights` (NULL in an unweighted graph).
 * The pointers belong to the graph. */
typedef struct geodisk_graph_rows {
  const uint64_t *offsets; /* nodes + 1 */
  const uint32_t *nodes;   /* edges */
  const double *weights;   /* edges, or NULL */
} geodisk_graph_rows;

GEODISK_API geodisk_graph_rows geodisk_graph_out(const geodisk_graph *graph); /* row u: the parents of u */
GEODISK_API geodisk_graph_rows geodisk_graph_in(const geodisk_graph *graph);  /* row u: the children of u */

/* Fills out[e] with the child of edge e, in the order of geodisk_graph_out(graph).nodes[e], which is its parent: the two arrays
 * together are the list of edges, sorted by (child, parent). */
GEODISK_API void geodisk_graph_children(const geodisk_graph *graph, uint32_t *out /* edges */);

/* Whether child -> parent is an edge. False for ids that are not nodes. Logarithmic in the degree. */
GEODISK_API bool geodisk_graph_has_edge(const geodisk_graph *graph, uint32_t child, uint32_t parent);

/* The name of a node: UTF-8, NUL-terminated, possibly empty, without NUL inside; its length in bytes. NULL and 0 for an id that
 * is not a node. */
GEODISK_API const char *geodisk_graph_name(const geodisk_graph *graph, uint32_t node);
GEODISK_API size_t geodisk_graph_name_length(const geodisk_graph *graph, uint32_t node);

/* All names in one block: name i is names[starts[i]] .. names[starts[i + 1] - 2], then a NUL; starts has nodes + 1 entries. */
GEODISK_API const char *geodisk_graph_names(const geodisk_graph *graph, const uint64_t **starts);

/* Finds a node by its name of `length` bytes; false, and *node untouched, if there is none. Constant time. */
GEODISK_API bool geodisk_graph_find(const geodisk_graph *graph, const char *name, size_t length, uint32_t *node);

/* A 64-bit hash of the graph's content: names with their ids, edges, weights. Equal graphs have equal fingerprints, on every
 * machine and in every release; it does not depend on how the graph was made. Linear time. */
GEODISK_API uint64_t geodisk_graph_fingerprint(const geodisk_graph *graph);

/* The bytes the graph holds. */
GEODISK_API size_t geodisk_graph_memory(const geodisk_graph *graph);

/* What was left out when a graph was built. */
typedef struct geodisk_graph_dropped {
  uint64_t self_loops;
  uint64_t duplicates; /* further occurrences of an edge; the first one's weight counts */
} geodisk_graph_dropped;

/* A graph from arrays, which are copied. */
typedef struct geodisk_graph_arrays {
  size_t nodes;
  const char *const *names; /* nodes different UTF-8 strings; NULL: "0", "1", ... */
  size_t edges;
  const uint32_t *children; /* edges */
  const uint32_t *parents;  /* edges */
  const double *weights;    /* edges, finite and >= 0; or NULL */
} geodisk_graph_arrays;

/* Errors: ARGUMENT (an id that is not a node, a name twice, a name that is not UTF-8, a bad weight), MEMORY, UNSUPPORTED. */
GEODISK_API geodisk_status geodisk_graph_create(geodisk_context *context, const geodisk_graph_arrays *arrays,
                                                geodisk_graph_dropped *dropped /* or NULL */, geodisk_graph **out);

/* ---- reading edge lists ---------------------------------------------------------------------------------------------- */

typedef enum geodisk_choice { GEODISK_AUTO = 0, GEODISK_YES = 1, GEODISK_NO = 2 } geodisk_choice;

/* How to read an edge list; all zero (or NULL) is the default. */
typedef struct geodisk_graph_read_options {
  char separator;         /* 0: find out; ' ': runs of blanks and tabs; otherwise this byte */
  geodisk_choice header;  /* is the first line a header? AUTO: see below */
  geodisk_choice weights; /* AUTO, YES: a third column is the weight (YES: it must be there); NO: it is ignored */
  bool reverse;           /* the file has the parent first */
  bool strict;            /* what is else counted is an error */
  bool no_quotes;         /* a quotation mark is a letter like any other */
  bool no_comments;       /* '#' and '%' at the start of a line are letters like any other */
} geodisk_graph_read_options;

/* What was found. `counted` things are reported by log events too (WARNING); under `strict` each is an error of its line. */
typedef struct geodisk_graph_read_info {
  uint64_t lines;           /* in the file */
  uint64_t comments;        /* lines */
  uint64_t blank_lines;     /* lines */
  uint64_t edges_read;      /* lines that gave an edge, self-loops and duplicates included */
  uint64_t self_loops;      /* counted: left out */
  uint64_t duplicates;      /* counted: left out after the first */
  uint64_t blank_fields;    /* counted: lines left out because child or parent is blank, or with a blank weight (taken as 1) */
  uint64_t lone_nodes;      /* counted: lines of one field, which name a node without giving an edge */
  uint64_t missing_weights; /* counted: lines of two fields in a file with weights (taken as 1) */
  uint64_t extra_fields;    /* counted: lines with fields after the third, which are ignored */
  char separator;           /* used */
  bool header;              /* the first line was taken as a header */
  bool weighted;
  bool gzip;
} geodisk_graph_read_info;

/* Reads an edge list: one edge a line, child first, parent second, optional weight third.
 *
 *   separator  tab, comma, semicolon, bar or blanks; found out from the first 100 lines: the first of these in this order that
 *              splits at least half of the lines that any of them splits. Blanks around a field do not belong to it.
 *   quotes     as in RFC 4180: a field that begins with a quotation mark ends at the next single one, a doubled one stands for
 *              itself, separators and line ends inside belong to the name. "" is the empty name; nothing at all is a blank field.
 *   header     the first line is a header if it holds no quotes and (its third field is not a number but the second line's is, or
 *              its first two are both not whole numbers but the second line's are, or both are words of headers, such as
 *              "child", "parent", "source", "target", "id1", "id2").
 *   comments   lines that begin with '#' or '%'; blank lines are skipped. Line ends LF or CRLF; a byte order mark is skipped.
 *   weight     decimal, finite and >= 0.
 *   gzip       recognised by its first bytes (if zlib is built in, else UNSUPPORTED), several members in a row too.
 *   path       a file, or "-" for standard input.
 *
 * Errors: IO; FORMAT with file, line and column (the field's number) and the field: a weight that is not a number, text after a
 * closing quote, a quote that never ends, a carriage return inside a line, a name that is not UTF-8, a NUL byte, a line of 1 MiB
 * or more, damaged or truncated gzip data, an empty file; what `strict` asks for; MEMORY; UNSUPPORTED; STOPPED.
 * Linear time, one thread; about 100 MB/s. */
GEODISK_API geodisk_status geodisk_graph_read(geodisk_context *context, const char *path,
                                              const geodisk_graph_read_options *options,
                                              geodisk_graph_read_info *info /* or NULL */, geodisk_graph **out);

/* The same from memory; `label` stands for the file in messages. */
GEODISK_API geodisk_status geodisk_graph_read_memory(geodisk_context *context, const char *label, const void *bytes, size_t size,
                                                     const geodisk_graph_read_options *options,
                                                     geodisk_graph_read_info *info /* or NULL */, geodisk_graph **out);

/* ---- writing --------------------------------------------------------------------------------------------------------- */

typedef struct geodisk_graph_write_options {
  char separator;     /* 0: tab */
  bool reverse;       /* parent first */
  bool no_weights;    /* leave the third column out */
  bool no_lone_nodes; /* leave out nodes without edges; else each is a line of one field, after the edges */
} geodisk_graph_write_options;

/* Writes an edge list, without a header, sorted by (child, parent). geodisk_graph_read gives the same graph back for any names:
 * a name is put in quotes where it must be. (The ids may differ: they follow the order of the lines.) A path that ends in ".gz"
 * is compressed; "-" is standard output. The file is written under a temporary name beside its own, flushed to disk and renamed,
 * so it is there as a whole or not at all. Errors: ARGUMENT, IO, MEMORY, UNSUPPORTED, STOPPED. */
GEODISK_API geodisk_status geodisk_graph_write(geodisk_context *context, const geodisk_graph *graph, const char *path,
                                               const geodisk_graph_write_options *options);

#ifdef __cplusplus
}
#endif
#endif
