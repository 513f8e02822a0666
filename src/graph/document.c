/* document.c - graphs from whole documents: which format a file has, and what its readers share. */
#include "document.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- which format ----------------------------------------------------------------------------------------------------- */

static bool begins(const char *p, const char *end, const char *word) {
  const size_t length = strlen(word);
  return (size_t)(end - p) >= length && memcmp(p, word, length) == 0;
}

static const char *skip_space(const char *p, const char *end) {
  while (p < end && strchr(" \t\r\n", *p) != NULL)
    p++;
  return p;
}

static bool path_ends_in(const char *path, const char *const *ends) {
  size_t length = path != NULL ? strlen(path) : 0;
  if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
    length -= 3;
  for (; *ends != NULL; ends++) {
    const size_t n = strlen(*ends);
    if (length > n && memcmp(path + length - n, *ends, n) == 0)
      return true;
  }
  return false;
}

/* A name that begins with a bracket is no tree: the file must end in ';', or be called one. */
static bool looks_like_newick(const char *p, const char *end, bool whole, const char *path) {
  static const char *const ends[] = {".nwk", ".newick", ".tree", ".tre", ".nhx", NULL};
  if (path_ends_in(path, ends))
    return true;
  while (end > p && strchr(" \t\r\n", end[-1]) != NULL)
    end--;
  return whole && *p == '(' && end[-1] == ';';
}

geodisk_graph_format detect_format(const char *text, size_t size, bool whole, const char *path) {
  static const char *const json_ends[] = {".json", NULL};
  const char *end = text + size, *p = skip_space(text, end);
  if (p == end)
    return GEODISK_GRAPH_EDGES;
  if (begins(p, end, "<?xml") || begins(p, end, "<graphml") || begins(p, end, "<gexf"))
    return GEODISK_GRAPH_GRAPHML;
  if (*p == '{' || *p == '[') {
    const char *next = skip_space(p + 1, end);
    const bool json = next < end && (*p == '{' ? *next == '"' || *next == '}' : strchr("{[\"]", *next) != NULL);
    if (json || path_ends_in(path, json_ends))
      return GEODISK_GRAPH_JSON;
  }
  return looks_like_newick(p, end, whole, path) ? GEODISK_GRAPH_NEWICK : GEODISK_GRAPH_EDGES;
}

/* One of Graphviz's words, and a brace at the end of its line or at the start of the next. */
static bool opens_dot(const char *p, const char *end) {
  static const char *const words[] = {"strict ", "digraph ", "digraph{", "graph ", "graph{", NULL};
  const char *line_end = memchr(p, '\n', (size_t)(end - p));
  for (const char *const *w = words; *w != NULL; w++)
    if (begins(p, end, *w)) {
      const char *next = line_end != NULL ? skip_space(line_end, end) : end;
      return memchr(p, '{', (size_t)((line_end != NULL ? line_end : end) - p)) != NULL || (next < end && *next == '{');
    }
  return false;
}

static bool opens_gml(const char *p, const char *end) {
  if (begins(p, end, "Creator "))
    while (p < end && !begins(p, end, "\ngraph"))
      p++;
  p = skip_space(p, end);
  const char *bracket = begins(p, end, "graph") ? skip_space(p + 5, end) : end;
  return bracket > p + 5 && bracket < end && *bracket == '[';
}

const char *format_not_read(const char *text, size_t size) {
  static const struct {
    const char *begins, *name;
  } known[] = {{"%%MatrixMarket", "MatrixMarket"},
               {"*Vertices", "Pajek"},
               {"*vertices", "Pajek"},
               {"*Network", "Pajek"},
               {"*network", "Pajek"},
               {"PAR1", "Parquet"},
               {"ARROW1", "Arrow"},
               {"PK\x03\x04", "ZIP or Excel"},
               {"<!DOCTYPE html", "HTML"},
               {"<!doctype html", "HTML"},
               {"<html", "HTML"}};
  const char *end = text + size, *p = skip_space(text, end);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (begins(p, end, known[i].begins))
      return known[i].name;
  return opens_gml(p, end) ? "GML" : opens_dot(p, end) ? "Graphviz's DOT" : NULL;
}

/* ---- errors ----------------------------------------------------------------------------------------------------------- */

void document_say_wrong(const document *d, const char *at, size_t length, const char *reason) {
  uint64_t line = 1;
  for (const char *p = d->text; p < at; p++)
    line += *p == '\n';
  char shown[SHOWN_FIELD];
  const size_t left = (size_t)(d->text + d->size - at);
  show_field(shown, at, length < left ? length : left);
  geodisk_fail(d->context, GEODISK_ERROR_FORMAT, "%s: line %" PRIu64 ": '%s': %s", d->label, line, shown, reason);
}

/* ---- nodes and edges -------------------------------------------------------------------------------------------------- */

geodisk_status document_node(document *d, const char *name, size_t length, const char *at, uint32_t *id, bool *is_new) {
  if (geodisk_utf8_prefix(name, length) < length || memchr(name, 0, length) != NULL)
    return document_fail(d, at, length, "the name is not valid UTF-8");
  const geodisk_status status = names_intern(&d->builder.names, name, length, id, is_new);
  if (status == GEODISK_ERROR_UNSUPPORTED)
    return geodisk_fail(d->context, status, "%s: more than %zu nodes", d->label, NAMES_MAX);
  return status == GEODISK_OK ? status : document_memory(d);
}

geodisk_status document_weight(const document *d, const char *text, size_t length, double *weight) {
  while (length > 0 && strchr(" \t\r\n", *text) != NULL) {
    text++;
    length--;
  }
  while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
    length--;
  if (!geodisk_parse_double(text, length, weight) || !(*weight >= 0))
    return document_fail(d, text, length, "the weight of an edge is a number >= 0; weights can be ignored (weights no)");
  return GEODISK_OK;
}

geodisk_status document_edge(document *d, uint32_t child, uint32_t parent, double weight, const char *at) {
  d->edges++;
  if (d->options.weights == GEODISK_CHOICE_NO)
    weight = -1;
  if (weight < 0 && d->options.weights == GEODISK_CHOICE_YES)
    return document_fail(d, at, 20, "the edge has no weight");
  d->weighted += weight >= 0;
  if (d->options.strict && child == parent)
    return document_fail(d, at, 20, "a self-loop: child and parent are the same");
  const bool back = d->options.reverse;
  const bool both = d->undirected && child != parent;
  d->added += both ? 2 : 1;
  geodisk_status status = builder_add(&d->builder, back ? parent : child, back ? child : parent, weight, 0);
  if (status == GEODISK_OK && both)
    status = builder_add(&d->builder, back ? child : parent, back ? parent : child, weight, 0);
  return status == GEODISK_OK ? status : document_memory(d);
}

/* ---- names of trees --------------------------------------------------------------------------------------------------- */

enum { PATH_MOST = 256 }; /* bytes of a path, and steps up to its beginning: great depth makes neither long names nor long ways */

/* Trees whose things are being named. */
typedef struct naming {
  document *d;
  const named_thing *things;
  name_table given, paths; /* names in the document; paths that have been made */
  uint32_t *last;          /* by path: how many have it already */
  uint64_t unnamed;
  char *path; /* the one in hand, with room for a number */
  size_t capacity;
} naming;

/* The names down to thing i with '/' between them, those without one left out, into path: from the top, or from where they are
 * not too many. Returns its length; SIZE_MAX: there is no memory. */
static size_t path_of(naming *n, uint32_t i) {
  const named_thing *things = n->things;
  size_t needed = 0;
  uint32_t top = i;
  for (int steps = 0; top != NO_NODE && steps < PATH_MOST && (top == i || needed + things[top].length < PATH_MOST);
       steps++, top = things[top].up)
    needed += things[top].length > 0 ? things[top].length + 1 : 0;
  if (!array_grow(&n->path, 0, needed + 32, &n->capacity, 1))
    return SIZE_MAX;
  const size_t length = needed > 0 ? needed - 1 : 0; /* no '/' before the first */
  size_t at = length;
  for (uint32_t u = i; u != top; u = things[u].up) {
    if (things[u].name == NULL || things[u].length == 0)
      continue;
    at -= things[u].length;
    memcpy(n->path + at, things[u].name, things[u].length);
    if (at > 0)
      n->path[--at] = '/';
  }
  return length;
}

/* A name for thing i that is not taken: its path, and a number if that is taken too; node_N for one without a name. */
static geodisk_status make_name(naming *n, uint32_t i) {
  const bool named = n->things[i].name != NULL;
  char number[32];
  const char *name = named ? n->path : number;
  uint32_t id, path = 0;
  bool is_new;
  size_t bare = 0;
  if (named) {
    bare = path_of(n, i);
    if (bare == SIZE_MAX || names_intern(&n->paths, n->path, bare, &path, &is_new) != GEODISK_OK)
      return document_memory(n->d);
    name = n->path;
  }
  for (size_t length = bare;;) {
    if (!named)
      length = (size_t)snprintf(number, sizeof number, "node_%" PRIu64, ++n->unnamed);
    else if (++n->last[path] > 1)
      length = bare + (size_t)snprintf(n->path + bare, 32, " (%" PRIu32 ")", n->last[path]);
    if (!names_lookup(&n->given, name, length, &id) && !names_lookup(&n->d->builder.names, name, length, &id))
      return document_node(n->d, name, length, n->d->text, &id, &is_new);
  }
}

geodisk_status document_name_tree(document *d, const named_thing *things, size_t count) {
  naming n = {.d = d, .things = things, .last = geodisk_allocate_zero(count + 1, sizeof *n.last)};
  uint32_t *times = geodisk_allocate_zero(count + 1, sizeof *times), *which = geodisk_allocate(count + 1, sizeof *which);
  geodisk_status status = times != NULL && which != NULL && n.last != NULL ? GEODISK_OK : document_memory(d);
  bool is_new;
  for (size_t i = 0; i < count && status == GEODISK_OK; i++)
    if (things[i].name != NULL) {
      if (names_intern(&n.given, things[i].name, things[i].length, &which[i], &is_new) != GEODISK_OK)
        status = document_memory(d);
      else
        times[which[i]]++;
    }
  for (size_t i = 0; i < count && status == GEODISK_OK; i++) {
    uint32_t id;
    if (things[i].name != NULL && times[which[i]] == 1) {
      status = document_node(d, things[i].name, things[i].length, things[i].name, &id, &is_new);
    } else {
      d->renamed++;
      status = make_name(&n, (uint32_t)i);
    }
  }
  names_free(&n.given);
  names_free(&n.paths);
  geodisk_free_all(n.last, times, which, n.path);
  return status;
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

static void report(const document *d, const geodisk_graph_read_info *info) {
  char text[320] = "";
  size_t used = 0;
  if (d->said != NULL)
    used += (size_t)snprintf(text + used, sizeof text - used, "; %s", d->said);
  if (d->undirected)
    used += (size_t)snprintf(text + used, sizeof text - used, "; the graph is undirected: each edge in both directions");
  if (d->renamed > 0)
    used += (size_t)snprintf(text + used, sizeof text - used, "; names made where they were missing or not unique: %" PRIu64,
                             d->renamed);
  if (used > 0)
    geodisk_log_event(d->context, GEODISK_LOG_INFO, "%s: %s", d->label, text + 2);
  const struct {
    uint64_t count;
    const char *what;
  } counted[] = {{info->self_loops, "self-loops left out"},
                 {info->missing_weights, "edges without a weight, taken as 1"},
                 {info->duplicates, "duplicate edges left out"}};
  for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
    if (counted[i].count > 0)
      geodisk_log_event(d->context, GEODISK_LOG_WARNING, "%s: %s: %" PRIu64, d->label, counted[i].what, counted[i].count);
}

static geodisk_status finish(document *d, geodisk_graph_read_info *info, geodisk_graph **out) {
  geodisk_graph_dropped dropped = {0, 0};
  geodisk_graph *graph = NULL;
  if (d->builder.names.count == 0)
    return geodisk_fail(d->context, GEODISK_ERROR_FORMAT, "%s: there is no node in it", d->label);
  const geodisk_status status = builder_finish(d->context, &d->builder, &dropped, NULL, &graph);
  if (status != GEODISK_OK)
    return status;
  if (d->options.strict && dropped.duplicates > 0) {
    geodisk_graph_destroy(graph);
    return geodisk_fail(d->context, GEODISK_ERROR_FORMAT, "%s: duplicate edges: %" PRIu64, d->label, dropped.duplicates);
  }
  info->edges_read = d->added;
  info->self_loops = dropped.self_loops;
  info->duplicates = dropped.duplicates;
  info->weighted = geodisk_graph_weighted(graph);
  info->missing_weights = info->weighted ? d->edges - d->weighted : 0;
  report(d, info);
  *out = graph;
  return GEODISK_OK;
}

geodisk_status read_document(input *in, geodisk_graph_format format, const geodisk_graph_read_options *options,
                             geodisk_graph_read_info *info, geodisk_graph **out) {
  document d = {.context = in->context, .label = in->label};
  if (options != NULL)
    d.options = *options;
  geodisk_status status = input_all(in, &d.text, &d.size);
  geodisk_graph_read_info found = {.gzip = in->gzip != NULL};
  if (status == GEODISK_OK && d.options.columns != NULL)
    status = geodisk_fail(d.context, GEODISK_ERROR_ARGUMENT, "%s: columns are for tables, which this is not", d.label);
  if (status == GEODISK_OK)
    status = format == GEODISK_GRAPH_GRAPHML ? read_graphml(&d) : format == GEODISK_GRAPH_JSON ? read_json(&d) : read_newick(&d);
  if (status == GEODISK_OK)
    status = finish(&d, &found, out);
  if (status == GEODISK_OK && info != NULL)
    *info = found;
  builder_free(&d.builder);
  input_close(in);
  return status;
}
