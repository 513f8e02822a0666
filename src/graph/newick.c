/* newick.c - trees as biologists write them: (human:6,(mouse:2,rat:2)rodents:5)mammals; with names in single quotes, comments in
 * brackets, lengths after colons. Inner nodes without a name, or with a number (a support value), get one. */
#include "base/grow.h"
#include "document.h"

#include <string.h>

typedef struct newick_reader {
  document *d;
  char *at, *end;
  named_thing *things; /* all but `up` of a child is known before its parent's name: parents come first in the list */
  double *lengths;     /* -1: none */
  bool *inner;
  size_t count, room;
  uint64_t lengths_found, supports;
} newick_reader;

static geodisk_status fail_here(const newick_reader *r, const char *reason) {
  return document_fail(r->d, r->at < r->end ? r->at : r->end, 12, reason);
}

/* White space and comments. */
static geodisk_status skip(newick_reader *r) {
  for (;;) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) != NULL)
      r->at++;
    if (r->at == r->end || *r->at != '[')
      return GEODISK_OK;
    char *close = memchr(r->at, ']', (size_t)(r->end - r->at));
    if (close == NULL)
      return fail_here(r, "a comment is opened with [ and never closed");
    r->at = close + 1;
  }
}

static geodisk_status add_node(newick_reader *r, uint32_t up, uint32_t *out) {
  size_t room[3] = {r->room, r->room, r->room}; /* which grow alike */
  if (!array_grow(&r->things, r->count, 1, &room[0], sizeof *r->things) ||
      !array_grow(&r->lengths, r->count, 1, &room[1], sizeof *r->lengths) ||
      !array_grow(&r->inner, r->count, 1, &room[2], sizeof *r->inner))
    return document_memory(r->d);
  r->room = room[0];
  if (r->count >= NAMES_MAX)
    return geodisk_fail(r->d->context, GEODISK_ERROR_UNSUPPORTED, "%s: more than %zu nodes", r->d->label, NAMES_MAX);
  r->things[r->count] = (named_thing){NULL, 0, up};
  r->lengths[r->count] = -1;
  r->inner[r->count] = false;
  *out = (uint32_t)r->count++;
  return GEODISK_OK;
}

/* A name in quotes, in which '' stands for one; undone in place. */
static geodisk_status quoted_name(newick_reader *r, named_thing *thing) {
  char *read = r->at + 1, *write = read;
  thing->name = write;
  for (;; read++) {
    if (read == r->end)
      return fail_here(r, "a name is opened with a quote and never closed");
    if (*read == '\'' && (read + 1 == r->end || read[1] != '\''))
      break;
    read += *read == '\'';
    *write++ = *read;
  }
  thing->length = (size_t)(write - thing->name);
  r->at = read + 1;
  return GEODISK_OK;
}

/* What follows a leaf or a closing bracket: a name and a length, both optional. */
static geodisk_status take_label(newick_reader *r, uint32_t node) {
  geodisk_status status = skip(r);
  named_thing *thing = &r->things[node];
  if (status != GEODISK_OK)
    return status;
  if (r->at < r->end && *r->at == '\'') {
    if ((status = quoted_name(r, thing)) != GEODISK_OK)
      return status;
  } else {
    thing->name = r->at;
    while (r->at < r->end && strchr("(),:;[]' \t\r\n", *r->at) == NULL)
      r->at++;
    thing->length = (size_t)(r->at - thing->name);
    if (thing->length == 0)
      thing->name = NULL;
  }
  double value;
  if (r->inner[node] && thing->name != NULL && geodisk_parse_double(thing->name, thing->length, &value)) {
    thing->name = NULL;
    thing->length = 0;
    r->supports++;
  }
  if ((status = skip(r)) != GEODISK_OK || r->at == r->end || *r->at != ':')
    return status;
  r->at++;
  if ((status = skip(r)) != GEODISK_OK)
    return status;
  const char *number = r->at;
  while (r->at < r->end && strchr("(),:;[] \t\r\n", *r->at) == NULL)
    r->at++;
  r->lengths_found++;
  if (r->d->options.weights == GEODISK_CHOICE_YES)
    return document_weight(r->d, number, (size_t)(r->at - number), &r->lengths[node]);
  return geodisk_parse_double(number, (size_t)(r->at - number), &value)
             ? GEODISK_OK
             : document_fail(r->d, number, (size_t)(r->at - number) + 1, "what follows a colon is a length, a number");
}

/* One tree up to its semicolon. `open` is the node whose bracket is open, NO_NODE outside. */
static geodisk_status take_tree(newick_reader *r) {
  uint32_t open = NO_NODE, node = NO_NODE;
  geodisk_status status = GEODISK_OK;
  for (bool want_node = true; status == GEODISK_OK;) {
    if ((status = skip(r)) != GEODISK_OK)
      break;
    if (r->at == r->end)
      return fail_here(r, open != NO_NODE ? "the file ends inside a bracket" : "the file ends before the semicolon of the tree");
    if (want_node) {
      status = add_node(r, open, &node);
      if (status == GEODISK_OK && *r->at == '(') {
        r->at++;
        r->inner[node] = true;
        open = node;
        continue;
      }
      if (status == GEODISK_OK)
        status = take_label(r, node);
      want_node = false;
      continue;
    }
    const char c = *r->at++;
    if (c == ';' && open == NO_NODE)
      return GEODISK_OK;
    if (c == ',' && open != NO_NODE) {
      want_node = true;
    } else if (c == ')' && open != NO_NODE) {
      node = open;
      open = r->things[open].up;
      status = take_label(r, node);
    } else {
      r->at--;
      return fail_here(r,
                       open != NO_NODE ? "expected a comma or a closing bracket" : "expected the semicolon that ends the tree");
    }
  }
  return status;
}

static geodisk_status make_edges(newick_reader *r) {
  geodisk_status status = document_name_tree(r->d, r->things, r->count);
  for (uint32_t i = 0; i < r->count && status == GEODISK_OK; i++) {
    if (r->things[i].up == NO_NODE)
      continue;
    const char *at = r->things[i].name != NULL ? r->things[i].name : r->d->text;
    status = document_edge(r->d, i, r->things[i].up, r->lengths[i], at);
  }
  return status;
}

geodisk_status read_newick(document *d) {
  newick_reader r = {.d = d, .at = d->text, .end = d->text + d->size};
  geodisk_status status = skip(&r);
  if (status == GEODISK_OK && r.at < r.end && *r.at != '(' && memchr(r.at, ';', (size_t)(r.end - r.at)) == NULL)
    status = fail_here(&r, "this is no tree in Newick format, which begins with a bracket");
  while (status == GEODISK_OK && r.at < r.end) {
    if ((status = take_tree(&r)) == GEODISK_OK)
      status = skip(&r);
  }
  if (status == GEODISK_OK)
    status = make_edges(&r);
  if (r.lengths_found > 0 && d->options.weights == GEODISK_CHOICE_AUTO)
    d->said = r.supports > 0 ? "lengths and support values are ignored (weights yes takes the lengths)"
                             : "lengths are ignored (weights yes takes them as weights)";
  else if (r.supports > 0)
    d->said = "support values are ignored";
  geodisk_free_all(r.things, r.lengths, r.inner);
  return status;
}
