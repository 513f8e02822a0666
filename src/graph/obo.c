/* obo.c - ontologies in OBO format (the Gene Ontology's): stanzas "[Term]" of lines "tag: value". Of a term we take id, name,
 * is_a, relationship and is_obsolete; everything else is passed over. */
#include "base/grow.h"
#include "store.h"
#include "text_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct term {
  bool defined, obsolete;
  size_t name, name_length; /* in `labels`; length 0: none */
} term;

typedef struct obo_link {
  uint32_t child, parent;
  bool part_of;
} obo_link;

typedef struct obo_reader {
  geodisk_context *context;
  input in;
  geodisk_obo_options options;
  geodisk_obo_info info;
  name_table ids;
  term *terms; /* of id i */
  size_t term_room;
  char *labels;
  size_t label_bytes, label_room;
  obo_link *links;
  size_t link_count, link_room;
  bool in_term;       /* the stanza at hand is a term */
  uint32_t current;   /* its id, NO_NODE until it is known */
  uint64_t term_line; /* where it begins */
} obo_reader;

static geodisk_status fail_value(obo_reader *r, const char *text, size_t length, const char *reason) {
  char shown[SHOWN_FIELD];
  return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ", column 2: '%s': %s", r->in.label, r->in.line,
                      show_field(shown, text, length), reason);
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

static bool ends_word(char c) { return c == ' ' || c == '\t' || c == '!' || c == '{'; }

/* The word at the start of *text, which moves behind it; its length. */
static size_t take_word(const char **text, const char *end, const char **word) {
  while (*text < end && (**text == ' ' || **text == '\t'))
    ++*text;
  *word = *text;
  while (*text < end && !ends_word(**text))
    *text += **text == '\\' && *text + 1 < end ? 2 : 1;
  return (size_t)(*text - *word);
}

/* Undoes backslashes in place; the new length. */
static size_t unescape(char *text, size_t length) {
  size_t to = 0;
  for (size_t from = 0; from < length; from++) {
    char c = text[from];
    if (c == '\\' && from + 1 < length) {
      c = text[++from];
      c = (char)(c == 'n' ? '\n' : c == 't' ? '\t' : c == 'W' ? ' ' : c);
    }
    text[to++] = c;
  }
  return to;
}

/* The term of an id, added if it is new. */
static geodisk_status take_id(obo_reader *r, const char *text, size_t length, uint32_t *id) {
  bool is_new;
  if (length == 0)
    return fail_value(r, text, length, "an id should be here");
  if (geodisk_utf8_prefix(text, length) < length)
    return fail_value(r, text, length, "the id is not valid UTF-8");
  if (names_intern(&r->ids, text, length, id, &is_new) != GEODISK_OK ||
      !array_grow(&r->terms, r->ids.count - 1, 1, &r->term_room, sizeof *r->terms))
    return geodisk_no_memory(r->context, "for line %" PRIu64 " of %s", r->in.line, r->in.label);
  if (is_new)
    r->terms[*id] = (term){.defined = false};
  return GEODISK_OK;
}

static geodisk_status take_name(obo_reader *r, char *value, size_t length) {
  for (size_t i = 0; i + 1 < length; i++) /* a comment begins with " !" */
    if ((value[i] == ' ' && value[i + 1] == '!') || value[i] == '\\') {
      if (value[i] == '\\') {
        i++;
        continue;
      }
      length = i;
    }
  while (length > 0 && value[length - 1] == ' ')
    length--;
  length = unescape(value, length);
  if (geodisk_utf8_prefix(value, length) < length)
    return fail_value(r, value, length, "the name is not valid UTF-8");
  if (!array_grow(&r->labels, r->label_bytes, length, &r->label_room, 1))
    return geodisk_no_memory(r->context, "for line %" PRIu64 " of %s", r->in.line, r->in.label);
  if (length > 0)
    memcpy(r->labels + r->label_bytes, value, length);
  r->terms[r->current].name = r->label_bytes;
  r->terms[r->current].name_length = length;
  r->label_bytes += length;
  return GEODISK_OK;
}

static geodisk_status add_link(obo_reader *r, const char *word, size_t length, bool part_of) {
  uint32_t parent;
  const geodisk_status status = take_id(r, word, length, &parent);
  if (status != GEODISK_OK)
    return status;
  if (!array_grow(&r->links, r->link_count, 1, &r->link_room, sizeof *r->links))
    return geodisk_no_memory(r->context, "for line %" PRIu64 " of %s", r->in.line, r->in.label);
  r->links[r->link_count++] = (obo_link){r->current, parent, part_of};
  return GEODISK_OK;
}

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

static bool is(const char *text, size_t length, const char *word) {
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

static geodisk_status take_tag(obo_reader *r, const char *tag, size_t tag_length, char *value, size_t length) {
  const char *text = value, *end = value + length, *word;
  if (is(tag, tag_length, "id")) {
    const size_t n = take_word(&text, end, &word);
    const geodisk_status status = take_id(r, word, n, &r->current);
    if (status == GEODISK_OK)
      r->terms[r->current].defined = true;
    return status;
  }
  const bool name = is(tag, tag_length, "name"), is_a = is(tag, tag_length, "is_a");
  const bool relationship = is(tag, tag_length, "relationship"), obsolete = is(tag, tag_length, "is_obsolete");
  if (!name && !is_a && !relationship && !obsolete)
    return GEODISK_OK;
  if (r->current == NO_NODE)
    return fail_value(r, value, length, "the id of a term must come first");
  if (name)
    return take_name(r, value, length);
  const size_t n = take_word(&text, end, &word);
  if (obsolete) {
    r->terms[r->current].obsolete = r->terms[r->current].obsolete || is(word, n, "true");
    return GEODISK_OK;
  }
  if (is_a)
    return add_link(r, word, n, false);
  if (!r->options.part_of || !(is(word, n, "part_of") || is(word, n, "BFO:0000050")))
    return GEODISK_OK;
  const size_t target = take_word(&text, end, &word);
  return add_link(r, word, target, true);
}

static geodisk_status end_stanza(obo_reader *r) {
  if (r->in_term && r->current == NO_NODE)
    return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": this [Term] has no id", r->in.label,
                        r->term_line);
  return GEODISK_OK;
}

static geodisk_status take_line(obo_reader *r, char *line, size_t length) {
  while (length > 0 && (line[length - 1] == ' ' || line[length - 1] == '\t'))
    length--;
  if (length == 0 || line[0] == '!')
    return GEODISK_OK;
  if (line[0] == '[') {
    const geodisk_status status = end_stanza(r);
    r->in_term = is(line, length, "[Term]");
    r->current = NO_NODE;
    r->term_line = r->in.line;
    return status;
  }
  if (!r->in_term)
    return GEODISK_OK;
  char *colon = memchr(line, ':', length);
  if (colon == NULL) {
    char shown[SHOWN_FIELD];
    return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ", column 1: '%s': a line is tag: value",
                        r->in.label, r->in.line, show_field(shown, line, length));
  }
  char *value = colon + 1;
  while (value < line + length && *value == ' ')
    value++;
  return take_tag(r, line, (size_t)(colon - line), value, (size_t)(line + length - value));
}

static geodisk_status take_lines(obo_reader *r) {
  const char *text;
  char *line;
  size_t size, length;
  geodisk_status status = input_peek(&r->in, &text, &size);
  if (status != GEODISK_OK)
    return status;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* byte order mark */
    r->in.begin += 3;
  while ((status = input_line(&r->in, &line, &length)) == GEODISK_OK && line != NULL)
    if ((status = take_line(r, line, length)) != GEODISK_OK)
      return status;
  if (status == GEODISK_OK)
    status = end_stanza(r);
  if (status == GEODISK_OK && r->ids.count == 0)
    status = geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: there is no [Term] in it: is this an OBO file?", r->in.label);
  return status;
}

/* ---- the graph -------------------------------------------------------------------------------------------------------- */

/* Adds term i as a node: by name if asked for, there is one, and no other has it; else by id. */
static geodisk_status add_node(obo_reader *r, graph_builder *builder, size_t i, uint32_t *node) {
  const term *t = &r->terms[i];
  bool is_new = false;
  if (r->options.names && t->name_length > 0) {
    uint32_t taken;
    const char *label = r->labels + t->name;
    if (!names_lookup(&builder->names, label, t->name_length, &taken) && !names_lookup(&r->ids, label, t->name_length, &taken))
      return names_intern(&builder->names, label, t->name_length, node, &is_new);
  }
  return names_intern(&builder->names, r->ids.bytes + r->ids.starts[i], (size_t)(r->ids.starts[i + 1] - r->ids.starts[i] - 1),
                      node, &is_new);
}

static geodisk_status make_graph(obo_reader *r, geodisk_graph **out) {
  graph_builder builder = {.weighted = false};
  geodisk_graph_dropped dropped = {0, 0};
  geodisk_status status = GEODISK_OK;
  uint32_t *node = geodisk_allocate(r->ids.count, sizeof *node);
  if (node == NULL)
    status = GEODISK_ERROR_MEMORY;
  for (size_t i = 0; i < r->ids.count && status == GEODISK_OK; i++) {
    const term *t = &r->terms[i];
    node[i] = NO_NODE;
    r->info.obsolete += t->obsolete;
    if (t->obsolete)
      continue;
    r->info.terms++;
    r->info.undefined += !t->defined;
    status = add_node(r, &builder, i, &node[i]);
  }
  for (size_t i = 0; i < r->link_count && status == GEODISK_OK; i++) {
    const obo_link *l = &r->links[i];
    if (node[l->child] == NO_NODE || node[l->parent] == NO_NODE)
      continue;
    r->info.part_of += l->part_of;
    r->info.is_a += !l->part_of;
    const uint32_t child = r->options.reverse ? l->parent : l->child, parent = r->options.reverse ? l->child : l->parent;
    status = builder_add(&builder, node[child], node[parent], -1, 0);
  }
  free(node);
  if (status != GEODISK_OK) {
    builder_free(&builder);
    return geodisk_fail(r->context, status, "%s: not enough memory for the graph", r->in.label);
  }
  status = builder_finish(r->context, &builder, &dropped, NULL, out);
  r->info.self_loops = dropped.self_loops;
  r->info.duplicates = dropped.duplicates;
  return status;
}

static void report(const obo_reader *r) {
  const struct {
    uint64_t count;
    const char *what;
  } counted[] = {{r->info.obsolete, "obsolete terms skipped"},
                 {r->info.undefined, "terms that are linked to but have no entry"},
                 {r->info.self_loops, "self-loops left out"},
                 {r->info.duplicates, "duplicate links left out"}};
  for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
    if (counted[i].count > 0)
      geodisk_log_event(r->context, i == 0 ? GEODISK_LOG_INFO : GEODISK_LOG_WARNING, "%s: %s: %" PRIu64, r->in.label,
                        counted[i].what, counted[i].count);
}

/* Reads r->in, which is open, and closes it. */
static geodisk_status read_obo(obo_reader *r, const geodisk_obo_options *options, geodisk_obo_info *info, geodisk_graph **out) {
  if (options != NULL)
    r->options = *options;
  r->current = NO_NODE;
  geodisk_status status = take_lines(r);
  if (status == GEODISK_OK)
    status = make_graph(r, out);
  if (status == GEODISK_OK) {
    report(r);
    if (info != NULL)
      *info = r->info;
  }
  input_close(&r->in);
  names_free(&r->ids);
  geodisk_free_all(r->terms, r->labels, r->links);
  return status;
}

geodisk_status geodisk_graph_read_obo(geodisk_context *context, const char *path, const geodisk_obo_options *options,
                                      geodisk_obo_info *info, geodisk_graph **out) {
  if (path == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "OBO: %s is NULL", path == NULL ? "path" : "out");
  obo_reader r = {.context = context};
  const geodisk_status status = input_open(context, path, "reading OBO", &r.in);
  return status == GEODISK_OK ? read_obo(&r, options, info, out) : status;
}

geodisk_status geodisk_graph_read_obo_memory(geodisk_context *context, const geodisk_memory_file *file,
                                             const geodisk_obo_options *options, geodisk_obo_info *info, geodisk_graph **out) {
  const bool no_bytes = file == NULL || file->bytes == NULL;
  if (no_bytes || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "OBO: %s is NULL", no_bytes ? "bytes" : "out");
  obo_reader r = {.context = context};
  const geodisk_status status = input_open_memory(context, file, &r.in);
  return status == GEODISK_OK ? read_obo(&r, options, info, out) : status;
}
