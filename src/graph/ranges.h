/* ranges.h - what a back-end needs of the graph module to read and hold a graph on many machines: edge lists read in ranges of
 * bytes and handed on in pieces, and the fingerprint from ranges of nodes. Seen by src/graph and the back-ends. */
#pragma once

#include "builder.h"
#include "plan.h"

/* Nodes first .. first + count - 1 with their names and out-rows; both kinds of offsets may begin anywhere. */
typedef struct graph_range {
  uint64_t first;
  size_t count;
  const char *names;       /* name i of the range is names[starts[i] - starts[0]] ..., ended by a NUL */
  const uint64_t *starts;  /* count + 1 */
  const uint64_t *offsets; /* count + 1 */
  const uint32_t *targets; /* of the first row on, as the next */
  const double *weights;   /* or NULL */
} graph_range;

/* The fingerprint of a graph is made of its size and the sum (modulo 2^64) of what its ranges give, in whatever pieces. */
uint64_t graph_range_hash(const graph_range *range);
uint64_t graph_fingerprint_of(uint64_t nodes, uint64_t edges, bool weighted, uint64_t sum);

/* ---- reading in ranges ------------------------------------------------------------------------------------------------ */

/* What is counted. */
typedef enum odd_thing { ODD_SELF_LOOP, ODD_BLANK, ODD_LONE, ODD_EXTRA, ODD_THINGS } odd_thing;

typedef struct edge_found {
  geodisk_graph_read_info info;   /* duplicates, weighted and missing_weights are known later */
  uint64_t two_fields;            /* edges without a weight */
  uint64_t three_fields;          /* edges with one */
  uint64_t roots;                 /* lines of a table that name a child and no parent */
  uint64_t first_odd[ODD_THINGS]; /* lines of the first of each; 0: there is none */
  edge_plan plan;                 /* how the file was read */
} edge_found;

/* Takes a piece: names in the order of their first occurrence in it, and edges between them. It may take the edges out of the
 * builder, which is emptied afterwards. A piece ends once it has this many edges or bytes of names. */
typedef geodisk_status (*edge_piece_fn)(void *user, graph_builder *piece);
enum { PIECE_EDGES = 1 << 17, PIECE_BYTES = 1 << 22 };

typedef struct edge_reader edge_reader;

/* How a file begins. */
typedef struct edge_beginning {
  uint64_t size;  /* of the file; 0: it cannot be read in ranges (gzip, a pipe), one reader has to read it all */
  uint64_t at;    /* the byte after the header */
  uint64_t lines; /* before it */
  edge_plan plan;
} edge_beginning;

/* A place in the file: a byte, and the lines before it. */
typedef struct edge_place {
  uint64_t at, lines;
} edge_place;

/* Opens a file, makes a plan and passes the header; or opens it at a place where a record begins, with the plan of another
 * reader. Options as in geodisk_graph_read; `strict` is not for readers of ranges. */
geodisk_status edge_reader_open(geodisk_context *context, const char *path, const geodisk_graph_read_options *options,
                                edge_piece_fn piece, void *user, edge_reader **out, edge_beginning *beginning);
geodisk_status edge_reader_open_at(geodisk_context *context, const char *path, const geodisk_graph_read_options *options,
                                   const edge_plan *plan, edge_piece_fn piece, void *user, const edge_place *place,
                                   edge_reader **out);

/* Reads on: the records that begin before byte `stop`, to their ends. */
geodisk_status edge_reader_run(edge_reader *reader, uint64_t stop);
const edge_found *edge_reader_found(const edge_reader *reader);
void edge_reader_close(edge_reader *reader);

/* The error of a file without an edge, and the log events about what was found. */
geodisk_status edge_fail_empty(geodisk_context *context, const char *label, const edge_found *found);
void edge_report(geodisk_context *context, const char *label, const edge_found *found);

/* ---- where records begin ---------------------------------------------------------------------------------------------- */

/* Line ends and quotation marks among the bytes begin .. end - 1. */
typedef struct range_count {
  uint64_t lines;
  bool quotes;
} range_count;
geodisk_status edge_range_count(geodisk_context *context, const char *path, uint64_t begin, uint64_t end, range_count *out);

/* Walks over whole lines from a place where one begins, up to the first that begins at byte `stop` or later. *open: whether there
 * is an open quotation mark in which a line end belongs to a name; on entry before the first line, afterwards at the end. With
 * until_record it ends sooner, where none is open. Errors of the text are left to the reader: the walk ends there. */
geodisk_status edge_range_walk(geodisk_context *context, const char *path, const edge_plan *plan, uint64_t stop,
                               bool until_record, edge_place *place, bool *open);
