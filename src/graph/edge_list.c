/* edge_list.c - reads edge lists: lines into edges, and everything that is odd about them counted, reported, or refused. */
#include "document.h"
#include "ranges.h"
#include "text_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char inner_return[] = "a carriage return inside a line; lines end with LF or CRLF";

/* Records are taken a batch at a time, so that the names of many are fetched from memory at once. */
enum { BATCH = 32 };
typedef struct waiting_record {
  record r;
  uint64_t line;
  uint64_t hash[2]; /* of child and parent */
} waiting_record;

struct edge_reader {
  geodisk_context *context;
  geodisk_graph_read_options options;
  edge_found found;
  edge_plan plan;
  field *wide; /* COLUMNS, where columns are chosen; or NULL */
  input in;
  graph_builder builder;
  uint64_t line;       /* where the record at hand begins */
  uint64_t stop;       /* records that begin at this byte or later are not read */
  edge_piece_fn piece; /* takes what was read whenever there is enough of it; NULL: it stays in the builder */
  void *user;
  waiting_record batch[BATCH];
  int batch_count;
  uint32_t last_first; /* id of the last record's first field, which often comes again; NO_NODE */
};

static geodisk_status fail_at_column(const edge_reader *reader, int column, const field *f, const char *reason) {
  char shown[SHOWN_FIELD];
  return geodisk_fail(reader->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ", column %d: '%s': %s", reader->in.label,
                      reader->line, column, show_field(shown, f->text, f->length), reason);
}

/* The same by what a field is: 1 the child, 2 the parent, 3 the weight, wherever that stands. */
static geodisk_status fail_at(const edge_reader *reader, int part, const field *f, const char *reason) {
  return fail_at_column(reader, reader->plan.chosen && part <= 3 ? reader->plan.columns[part - 1] + 1 : part, f, reason);
}

/* Counts something odd, or refuses it under `strict`. */
static geodisk_status note(edge_reader *reader, odd_thing thing, uint64_t *count, int column, const field *f,
                           const char *reason) {
  if (reader->options.strict)
    return fail_at(reader, column, f, reason);
  if ((*count)++ == 0)
    reader->found.first_odd[thing] = reader->line;
  return GEODISK_OK;
}

/* ---- one record ------------------------------------------------------------------------------------------------------- */

static geodisk_status intern(edge_reader *reader, const field *f, uint64_t hash, int column, uint32_t *id) {
  bool is_new;
  const geodisk_status status = names_intern_hashed(&reader->builder.names, f->text, f->length, hash, id, &is_new);
  if (status == GEODISK_ERROR_UNSUPPORTED)
    return geodisk_fail(reader->context, status, "%s: line %" PRIu64 ": more than %zu nodes", reader->in.label, reader->line,
                        NAMES_MAX);
  if (status != GEODISK_OK)
    return geodisk_fail(reader->context, status, "%s: line %" PRIu64 ": not enough memory for the names", reader->in.label,
                        reader->line);
  if (!is_new)
    return GEODISK_OK;
  if (geodisk_utf8_prefix(f->text, f->length) < f->length)
    return fail_at(reader, column, f, "the name is not valid UTF-8; convert the file (iconv -f LATIN1 -t UTF-8)");
  if (!f->quoted && memchr(f->text, '\r', f->length) != NULL)
    return fail_at(reader, column, f, inner_return);
  return GEODISK_OK;
}

/* The first field's id: in files sorted by it, mostly the one before. */
static geodisk_status intern_first(edge_reader *reader, const field *f, uint64_t hash, uint32_t *id) {
  const name_table *names = &reader->builder.names;
  if (reader->last_first != NO_NODE) {
    const uint64_t *starts = names->starts + reader->last_first;
    if (starts[1] - starts[0] == f->length + 1 && memcmp(names->bytes + starts[0], f->text, f->length) == 0) {
      *id = reader->last_first;
      return GEODISK_OK;
    }
  }
  const geodisk_status status = intern(reader, f, hash, 1, id);
  if (status == GEODISK_OK)
    reader->last_first = *id;
  return status;
}

static geodisk_status bad_weight(edge_reader *reader, const field *f) {
  if (!f->quoted && memchr(f->text, '\r', f->length) != NULL)
    return fail_at(reader, 3, f, inner_return);
  return fail_at(reader, 3, f,
                 reader->plan.chosen ? "this column is the weight, a number >= 0"
                                     : "the third column is the weight, a number >= 0; it can be ignored (weights no)");
}

static bool blank(const field *f) { return f->length == 0 && !f->quoted; }

/* The weight of a record, -1 if it has none. */
static geodisk_status read_weight(edge_reader *reader, const record *r, double *weight) {
  *weight = -1;
  if (reader->options.weights == GEODISK_CHOICE_NO || reader->plan.third_ignored)
    return GEODISK_OK;
  const field *f = &r->fields[2];
  if (r->count < 3) {
    if (reader->options.weights == GEODISK_CHOICE_YES)
      return fail_at(reader, 3, &(field){.length = 0}, "the weight is missing");
    if (reader->options.strict && reader->found.three_fields > 0)
      return fail_at(reader, 3, &(field){.length = 0}, "the weight is missing, other lines have one");
    reader->found.two_fields++;
    return GEODISK_OK;
  }
  if (blank(f))
    return note(reader, ODD_BLANK, &reader->found.info.blank_fields, 3, f, "the weight is blank");
  if (!geodisk_parse_double(f->text, f->length, weight) || !(*weight >= 0))
    return bad_weight(reader, f);
  if (reader->options.strict && reader->found.two_fields > 0)
    return fail_at(reader, 3, f, "a weight, other lines have none");
  reader->found.three_fields++;
  return GEODISK_OK;
}

/* Hands on what was read; the builder is empty afterwards. */
static geodisk_status give_piece(edge_reader *reader) {
  const geodisk_status status = reader->piece(reader->user, &reader->builder);
  builder_free(&reader->builder);
  reader->builder = (graph_builder){.keep_lines = false};
  reader->last_first = NO_NODE;
  return status;
}

static geodisk_status read_record(edge_reader *reader, const record *r, const uint64_t hash[2]) {
  geodisk_status status;
  const field *f = r->fields;
  uint32_t first, second;
  if (r->count == 1) {
    if ((status = note(reader, ODD_LONE, &reader->found.info.lone_nodes, 1, f, "a line of one field; is the separator right?")) !=
        GEODISK_OK)
      return status;
    return intern_first(reader, f, hash[0], &first);
  }
  const bool table = reader->plan.chosen || reader->plan.header; /* it has a row for its root too */
  if (table && !reader->options.strict && blank(&f[1]) && !blank(&f[0])) {
    reader->found.roots++;
    return intern_first(reader, &f[0], hash[0], &first);
  }
  for (int i = 0; i < 2; i++)
    if (blank(&f[i]))
      return note(reader, ODD_BLANK, &reader->found.info.blank_fields, i + 1, &f[i], "the field is blank");
  double weight;
  if ((status = read_weight(reader, r, &weight)) != GEODISK_OK)
    return status;
  const int used = reader->plan.third_ignored ? 2 : 3;
  if (r->count > used && reader->options.weights != GEODISK_CHOICE_NO &&
      (status = note(reader, ODD_EXTRA, &reader->found.info.extra_fields, used + 1, &f[used],
                     used == 2 ? "a third column that holds no numbers" : "a fourth column")) != GEODISK_OK)
    return status;
  if ((status = intern_first(reader, &f[0], hash[0], &first)) != GEODISK_OK ||
      (status = intern(reader, &f[1], hash[1], 2, &second)) != GEODISK_OK)
    return status;
  if (++reader->found.info.edges_read > reader->options.max_edges && reader->options.max_edges > 0)
    return geodisk_fail(reader->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": more than %" PRIu64 " edges, the limit",
                        reader->in.label, reader->line, reader->options.max_edges);
  if (first == second)
    return note(reader, ODD_SELF_LOOP, &reader->found.info.self_loops, 2, &f[1], "a self-loop: child and parent are the same");
  if (reader->options.reverse)
    status = builder_add(&reader->builder, second, first, weight, reader->line);
  else
    status = builder_add(&reader->builder, first, second, weight, reader->line);
  if (status != GEODISK_OK)
    return geodisk_fail(reader->context, status, "%s: line %" PRIu64 ": not enough memory for the edges", reader->in.label,
                        reader->line);
  return GEODISK_OK;
}

static geodisk_status take_record(edge_reader *reader, const record *r, const uint64_t hash[2]) {
  const geodisk_status status = read_record(reader, r, hash);
  if (status != GEODISK_OK || reader->piece == NULL)
    return status;
  const graph_builder *b = &reader->builder;
  return b->edges >= PIECE_EDGES || b->names.used >= PIECE_BYTES ? give_piece(reader) : GEODISK_OK;
}

/* ---- batches ---------------------------------------------------------------------------------------------------------- */

static bool same_text(const field *a, const field *b) {
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static geodisk_status take_batch(edge_reader *reader) {
  const int count = reader->batch_count;
  geodisk_status status = GEODISK_OK;
  for (int step = 1; step <= 2; step++)
    for (int i = 0; i < count; i++) {
      if (i == 0 || reader->batch[i].hash[0] != reader->batch[i - 1].hash[0])
        names_fetch(&reader->builder.names, reader->batch[i].hash[0], step);
      names_fetch(&reader->builder.names, reader->batch[i].hash[1], step);
    }
  reader->batch_count = 0;
  for (int i = 0; i < count && status == GEODISK_OK; i++) {
    reader->line = reader->batch[i].line;
    status = take_record(reader, &reader->batch[i].r, reader->batch[i].hash);
  }
  return status;
}

/* The record stays where it is until the batch is taken. */
static geodisk_status add_to_batch(edge_reader *reader, const record *r) {
  waiting_record *w = &reader->batch[reader->batch_count];
  w->r = *r;
  w->line = reader->line;
  w->hash[0] = w->hash[1] = 0;
  int i = 0;
  if (reader->batch_count > 0 && same_text(&w[-1].r.fields[0], &r->fields[0])) /* sorted files: mostly so */
    w->hash[i++] = w[-1].hash[0];
  for (; i < 2 && i < r->count; i++) {
    w->hash[i] = name_hash(r->fields[i].text, r->fields[i].length);
    names_fetch(&reader->builder.names, w->hash[i], 0);
  }
  return ++reader->batch_count == BATCH ? take_batch(reader) : GEODISK_OK;
}

/* ---- records ---------------------------------------------------------------------------------------------------------- */

/* The next record; count 0 at the end of the file. Comments and blank lines are passed over. What is in the batch is taken before
 * the buffer moves. */
static geodisk_status next_record(edge_reader *reader, record *r) {
  input *in = &reader->in;
  char *line;
  size_t length;
  geodisk_status status;
  r->count = 0;
  for (;;) {
    if (reader->stop != UINT64_MAX && input_offset(in) >= reader->stop)
      return GEODISK_OK;
    if (!input_ready(in) && (status = take_batch(reader)) != GEODISK_OK)
      return status;
    if ((status = input_line(in, &line, &length)) != GEODISK_OK || line == NULL)
      return status;
    if (plan_is_comment(&reader->plan, line, length)) {
      reader->found.info.comments++;
      continue;
    }
    size_t i = 0;
    while (i < length && is_blank(line[i]))
      i++;
    if (i < length)
      break;
    reader->found.info.blank_lines++;
  }
  reader->line = in->line;
  const bool quoted = reader->plan.quotes && !reader->plan.attributes && memchr(line, '"', length) != NULL;
  if (quoted && (status = take_batch(reader)) != GEODISK_OK)
    return status;
  reader->line = in->line;
  quote_scan scan = {.at = 0};
  bool more = true;
  while (quoted && scan_quotes(&scan, line, length, reader->plan.separator)) {
    if ((status = input_extend(in, &line, &length, &more)) != GEODISK_OK)
      return status;
    if (!more)
      return fail_at(reader, 1, &(field){line, length, false},
                     "a quote is opened in this line and never closed (quotes can be read as letters: no quotes)");
  }
  const char *reason = "";
  const int column = plan_split(&reader->plan, line, length, quoted, reader->wide, r, &reason);
  return column > 0 ? fail_at_column(reader, column, &r->fields[0], reason) : GEODISK_OK;
}

/* Room for all columns of a record, where some are chosen. */
static geodisk_status make_wide(edge_reader *reader) {
  if (!reader->plan.chosen)
    return GEODISK_OK;
  reader->wide = geodisk_allocate(COLUMNS, sizeof *reader->wide);
  if (reader->plan.columns[2] < 0)
    reader->options.weights = GEODISK_CHOICE_NO;
  else if (reader->options.weights == GEODISK_CHOICE_AUTO)
    reader->options.weights = GEODISK_CHOICE_YES;
  return reader->wide != NULL ? GEODISK_OK : geodisk_no_memory(reader->context, "to read %s", reader->in.label);
}

/* What comes before the first edge: byte order mark, header; and how to read the rest. */
static geodisk_status take_beginning(edge_reader *reader, bool *ended) {
  const char *text;
  size_t size;
  *ended = false;
  geodisk_status status = input_peek(&reader->in, &text, &size);
  if (status != GEODISK_OK)
    return status;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
    reader->in.begin += 3;
    text += 3;
    size -= 3;
  }
  status = plan_make(reader->context, reader->in.label, text, size, reader->in.ended, &reader->options, &reader->plan);
  if (status != GEODISK_OK || (status = make_wide(reader)) != GEODISK_OK)
    return status;
  reader->found.plan = reader->plan;
  reader->found.info.header = reader->plan.header;
  if (reader->plan.header && reader->plan.parent_first && !reader->options.reverse)
    geodisk_log_event(reader->context, GEODISK_LOG_WARNING,
                      "%s: the header says that the parent comes first; an edge is child, parent: read it with reverse",
                      reader->in.label);
  if (!reader->plan.header)
    return GEODISK_OK;
  record header;
  status = next_record(reader, &header);
  *ended = status != GEODISK_OK || header.count == 0;
  return status;
}

static geodisk_status take_rest(edge_reader *reader) {
  record r;
  geodisk_status status = GEODISK_OK;
  for (bool ended = false; !ended && status == GEODISK_OK;) {
    if ((status = next_record(reader, &r)) != GEODISK_OK)
      break;
    ended = r.count == 0;
    if (!ended)
      status = add_to_batch(reader, &r);
  }
  const geodisk_status earlier = take_batch(reader); /* of the lines before an error, if there is one */
  return earlier != GEODISK_OK ? earlier : status;
}

static geodisk_status take_all(edge_reader *reader) {
  bool ended;
  geodisk_status status = take_beginning(reader, &ended);
  if (status == GEODISK_OK && !ended)
    status = take_rest(reader);
  reader->found.info.lines = reader->in.line;
  reader->found.info.separator = reader->plan.separator;
  return status == GEODISK_OK && reader->builder.names.count == 0
             ? edge_fail_empty(reader->context, reader->in.label, &reader->found)
             : status;
}

/* ---- the graph ---------------------------------------------------------------------------------------------------------- */

/* A header was guessed from the beginning of the file: its words may be names all the same, further down. */
static void warn_of_header(const edge_reader *reader, const geodisk_graph *graph) {
  uint32_t node;
  for (int i = 0; i < 2 && reader->plan.header_guessed; i++) {
    const char *word = reader->plan.words[i];
    if (word[0] != 0 && geodisk_graph_find(graph, word, strlen(word), &node))
      geodisk_log_event(reader->context, GEODISK_LOG_WARNING,
                        "%s: the first line was taken as a header, but '%s' is a name further down (header no, if it is data)",
                        reader->in.label, word);
  }
}

static geodisk_status finish(edge_reader *reader, geodisk_graph **out) {
  geodisk_graph_dropped dropped = {0, 0};
  repeated_edge repeat = {NO_NODE, NO_NODE, 0};
  reader->found.info.weighted = reader->builder.weighted;
  reader->found.info.missing_weights = reader->builder.weighted ? reader->found.two_fields : 0;
  geodisk_graph *graph = NULL;
  const geodisk_status status = builder_finish(reader->context, &reader->builder, &dropped, &repeat, &graph);
  if (status != GEODISK_OK)
    return status;
  if (reader->options.strict && repeat.child != NO_NODE) {
    char child[SHOWN_FIELD], parent[SHOWN_FIELD];
    show_field(child, geodisk_graph_name(graph, repeat.child), geodisk_graph_name_length(graph, repeat.child));
    show_field(parent, geodisk_graph_name(graph, repeat.parent), geodisk_graph_name_length(graph, repeat.parent));
    geodisk_graph_destroy(graph);
    return geodisk_fail(reader->context, GEODISK_ERROR_FORMAT,
                        "%s: line %" PRIu64 ", column 1: '%s' -> '%s': a duplicate, the edge is there before", reader->in.label,
                        repeat.line, child, parent);
  }
  reader->found.info.duplicates = dropped.duplicates;
  warn_of_header(reader, graph);
  *out = graph;
  return GEODISK_OK;
}

/* ---- public ----------------------------------------------------------------------------------------------------------- */

/* Reads from reader->in, which is open, and closes it. */
static geodisk_status read_edges(edge_reader *reader, const geodisk_graph_read_options *options, geodisk_graph_read_info *info,
                                 geodisk_graph **out) {
  if (options != NULL)
    reader->options = *options;
  reader->builder.keep_lines = reader->options.strict;
  reader->last_first = NO_NODE;
  reader->found.info.gzip = reader->in.gzip != NULL;
  geodisk_status status = take_all(reader);
  free(reader->in.buffer); /* not needed while the rows are made */
  reader->in.buffer = NULL;
  if (status == GEODISK_OK)
    status = finish(reader, out);
  if (status == GEODISK_OK) {
    edge_report(reader->context, reader->in.label, &reader->found);
    if (info != NULL)
      *info = reader->found.info;
  }
  builder_free(&reader->builder);
  input_close(&reader->in);
  free(reader->wide);
  return status;
}

static geodisk_status check_arguments(geodisk_context *context, const void *source, const geodisk_graph_read_options *options,
                                      const void *out) {
  if (source == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "reading a graph: %s is NULL", source == NULL ? "the input" : "out");
  if (options != NULL && options->separator != 0 &&
      (strchr("\"\r\n#%", options->separator) != NULL || (unsigned char)options->separator >= 128))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "reading a graph: byte %d cannot be the separator",
                        (unsigned char)options->separator);
  if (options != NULL && ((unsigned)options->header > GEODISK_CHOICE_NO || (unsigned)options->weights > GEODISK_CHOICE_NO))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "reading a graph: no such choice (header %d, weights %d)",
                        (int)options->header, (int)options->weights);
  return GEODISK_OK;
}

/* The format asked for, or found in how the file begins. */
static geodisk_status find_format(input *in, const geodisk_graph_read_options *options, const char *path,
                                  geodisk_graph_format *format) {
  const char *text;
  size_t size;
  const geodisk_status status = input_peek(in, &text, &size);
  if (status != GEODISK_OK)
    return status;
  const bool mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* byte order mark */
  *format = options != NULL ? options->format : GEODISK_GRAPH_AUTO;
  if (*format == GEODISK_GRAPH_AUTO) {
    text += mark ? 3 : 0;
    size -= mark ? 3 : 0;
    *format = detect_format(text, size, in->ended, path);
    const char *other = *format == GEODISK_GRAPH_EDGES ? format_not_read(text, size) : NULL;
    if (other != NULL)
      return geodisk_fail(in->context, GEODISK_ERROR_UNSUPPORTED,
                          "%s: this is %s, which is not read: save the graph as an edge list, a CSV or GraphML", in->label,
                          other);
  }
  if (*format == GEODISK_GRAPH_GEXF)
    return geodisk_fail(in->context, GEODISK_ERROR_UNSUPPORTED, "%s: GEXF is written, not read: save the graph as GraphML",
                        in->label);
  if (*format != GEODISK_GRAPH_EDGES)
    in->begin += mark ? 3 : 0;
  return GEODISK_OK;
}

/* Reads from reader->in, which is open, in whatever format, and closes it. */
static geodisk_status read_any(edge_reader *reader, const char *path, const geodisk_graph_read_options *options,
                               geodisk_graph_read_info *info, geodisk_graph **out) {
  geodisk_graph_format format = GEODISK_GRAPH_EDGES;
  const geodisk_status status = find_format(&reader->in, options, path, &format);
  if (status != GEODISK_OK) {
    input_close(&reader->in);
    return status;
  }
  return format == GEODISK_GRAPH_EDGES ? read_edges(reader, options, info, out)
                                       : read_document(&reader->in, format, options, info, out);
}

geodisk_status geodisk_graph_read(geodisk_context *context, const char *path, const geodisk_graph_read_options *options,
                                  geodisk_graph_read_info *info, geodisk_graph **out) {
  edge_reader reader = {.context = context, .stop = UINT64_MAX};
  geodisk_status status = check_arguments(context, path, options, out);
  if (status == GEODISK_OK)
    status = input_open(context, path, "reading edges", &reader.in);
  return status == GEODISK_OK ? read_any(&reader, path, options, info, out) : status;
}

geodisk_status geodisk_graph_read_memory(geodisk_context *context, const geodisk_memory_file *file,
                                         const geodisk_graph_read_options *options, geodisk_graph_read_info *info,
                                         geodisk_graph **out) {
  edge_reader reader = {.context = context, .stop = UINT64_MAX};
  geodisk_status status = check_arguments(context, file != NULL ? file->bytes : NULL, options, out);
  if (status == GEODISK_OK)
    status = input_open_memory(context, file, &reader.in);
  return status == GEODISK_OK ? read_any(&reader, NULL, options, info, out) : status;
}

/* ---- in ranges -------------------------------------------------------------------------------------------------------- */

static edge_reader *new_reader(geodisk_context *context, const geodisk_graph_read_options *options, edge_piece_fn piece,
                               void *user) {
  edge_reader *reader = geodisk_allocate_zero(1, sizeof *reader);
  if (reader == NULL) {
    geodisk_no_memory(context, "to read a graph");
    return NULL;
  }
  reader->context = context;
  if (options != NULL)
    reader->options = *options;
  reader->stop = UINT64_MAX;
  reader->piece = piece;
  reader->user = user;
  reader->last_first = NO_NODE;
  return reader;
}

geodisk_status edge_reader_open(geodisk_context *context, const char *path, const geodisk_graph_read_options *options,
                                edge_piece_fn piece, void *user, edge_reader **out, edge_beginning *beginning) {
  geodisk_status status = check_arguments(context, path, options, out);
  if (status != GEODISK_OK)
    return status;
  edge_reader *reader = new_reader(context, options, piece, user);
  if (reader == NULL)
    return GEODISK_ERROR_MEMORY;
  bool ended = false;
  geodisk_graph_format format = GEODISK_GRAPH_EDGES;
  if ((status = input_open(context, path, "reading edges", &reader->in)) == GEODISK_OK)
    status = find_format(&reader->in, options, path, &format);
  if (status == GEODISK_OK && format != GEODISK_GRAPH_EDGES)
    status = geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "%s: many processes read edge lists only: convert it to one first",
                          path);
  if (status == GEODISK_OK)
    status = take_beginning(reader, &ended);
  if (status != GEODISK_OK) {
    edge_reader_close(reader);
    return status;
  }
  reader->found.info.gzip = reader->in.gzip != NULL;
  const bool whole = reader->in.gzip != NULL || reader->in.total == 0;
  *beginning = (edge_beginning){.size = whole ? 0 : reader->in.total,
                                .at = ended ? reader->in.total : input_offset(&reader->in),
                                .lines = reader->in.line,
                                .plan = reader->plan};
  *out = reader;
  return GEODISK_OK;
}

geodisk_status edge_reader_open_at(geodisk_context *context, const char *path, const geodisk_graph_read_options *options,
                                   const edge_plan *plan, edge_piece_fn piece, void *user, const edge_place *place,
                                   edge_reader **out) {
  edge_reader *reader = new_reader(context, options, piece, user);
  if (reader == NULL)
    return GEODISK_ERROR_MEMORY;
  reader->plan = *plan;
  geodisk_status status = make_wide(reader);
  if (status == GEODISK_OK)
    status = input_open_at(context, path, "reading edges", place->at, place->lines, &reader->in);
  if (status == GEODISK_OK)
    *out = reader;
  else
    edge_reader_close(reader);
  return status;
}

geodisk_status edge_reader_run(edge_reader *reader, uint64_t stop) {
  reader->stop = stop;
  if (stop < reader->in.total)
    reader->in.total = stop; /* for progress */
  geodisk_status status = take_rest(reader);
  reader->found.info.lines = reader->in.line;
  reader->found.info.separator = reader->plan.separator;
  if (status == GEODISK_OK && reader->builder.names.count > 0)
    status = give_piece(reader);
  return status;
}

const edge_found *edge_reader_found(const edge_reader *reader) { return &reader->found; }

void edge_reader_close(edge_reader *reader) {
  if (reader == NULL)
    return;
  builder_free(&reader->builder);
  input_close(&reader->in);
  geodisk_free_all(reader->wide, reader);
}
