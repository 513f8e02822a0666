/* json_graph.c - graphs in JSON: trees ({"name": ..., "children": [...]}, as D3 has them), nodes and links (networkx, D3), and
 * lists of pairs, of links, or of nodes with their parents. */
#include "json_values.h"

#include <stdlib.h>

/* Keys, in order of preference. */
static const char *const name_keys[] = {"name", "id", "label", "key", "title", "text", NULL};
static const char *const id_keys[] = {"id", "name", "label", "key", NULL};
static const char *const child_keys[] = {"children", "_children", "items", "contents", NULL};
static const char *const parent_keys[] = {"parent", "parentId", "parent_id", "parentid", NULL};
static const char *const link_keys[] = {"links", "edges", NULL};
static const char *const source_keys[] = {"source", "from", NULL};
static const char *const target_keys[] = {"target", "to", NULL};
static const char *const weight_keys[] = {"weight", "value", NULL};

static const json_value *any_member(const json_values *v, const json_value *object, const char *const *keys) {
  const json_value *found = NULL;
  for (; *keys != NULL && found == NULL; keys++)
    found = json_member(v, object, *keys);
  return found;
}

/* A text or number that can be a name. */
static bool is_name(const json_value *value) { return value != NULL && (value->kind == JSON_TEXT || value->kind == JSON_NUMBER); }

static const json_value *named_member(const json_values *v, const json_value *object, const char *const *keys) {
  for (; *keys != NULL; keys++) {
    const json_value *found = json_member(v, object, *keys);
    if (is_name(found))
      return found;
  }
  return NULL;
}

static geodisk_status fail_at(const document *d, const json_value *value, const char *reason) {
  return document_fail(d, value->text, value->length > 0 ? value->length : 12, reason);
}

/* ---- trees ------------------------------------------------------------------------------------------------------------ */

/* Whether a value stands among the children of a node: in an array under such a key. */
static bool is_child(const json_values *v, const uint32_t *thing, const json_value *value) {
  if (value->up == NO_NODE || v->list[value->up].kind != JSON_ARRAY)
    return false;
  const json_value *array = &v->list[value->up];
  if (array->up == NO_NODE) /* a forest */
    return true;
  if (array->key == NULL || thing[array->up] == NO_NODE)
    return false;
  return array == any_member(v, &v->list[array->up], child_keys);
}

static geodisk_status read_tree(document *d, const json_values *v) {
  uint32_t *thing = geodisk_allocate(v->count, sizeof *thing); /* of each value, or NO_NODE */
  named_thing *things = geodisk_allocate(v->count, sizeof *things);
  const char **at = geodisk_allocate(v->count, sizeof *at);
  geodisk_status status = thing != NULL && things != NULL && at != NULL ? GEODISK_OK : document_memory(d);
  size_t n = 0, objects = 0;
  for (size_t i = 0; i < v->count && status == GEODISK_OK; i++) {
    const json_value *value = &v->list[i];
    thing[i] = NO_NODE;
    objects += value->kind == JSON_OBJECT;
    const bool root = value->up == NO_NODE && value->kind == JSON_OBJECT;
    if (!root && (!is_child(v, thing, value) || json_is_word(value, "null")))
      continue;
    const json_value *name = value->kind == JSON_OBJECT ? named_member(v, value, name_keys) : value;
    if (!is_name(name) && value->kind != JSON_OBJECT) {
      status = fail_at(d, value, "a child is an object, a text or a number");
      break;
    }
    const json_value *array = root ? NULL : &v->list[value->up];
    at[n] = value->text;
    things[n] = (named_thing){name != NULL ? name->text : NULL, name != NULL ? name->length : 0,
                              array == NULL || array->up == NO_NODE ? NO_NODE : thing[array->up]};
    thing[i] = (uint32_t)n++;
  }
  if (status == GEODISK_OK && n == 1 && objects > 1)
    status = fail_at(d, &v->list[0], "a tree of one node: what is below a node is read from 'children', 'items' or 'contents'");
  if (status == GEODISK_OK)
    status = document_name_tree(d, things, n);
  for (size_t i = 0; i < n && status == GEODISK_OK; i++)
    if (things[i].up != NO_NODE)
      status = document_edge(d, (uint32_t)i, things[i].up, -1, at[i]);
  geodisk_free_all(thing, things, at);
  return status;
}

/* ---- nodes and links -------------------------------------------------------------------------------------------------- */

typedef struct link_reader {
  document *d;
  const json_values *v;
  bool listed;  /* there is a list of nodes, and a link must be to one of them */
  bool numbers; /* some node's id is a number */
  size_t nodes; /* in the list */
} link_reader;

static geodisk_status add_node(link_reader *r, const json_value *node) {
  const json_value *name = node->kind == JSON_OBJECT ? named_member(r->v, node, id_keys) : node;
  uint32_t id;
  bool is_new;
  if (!is_name(name))
    return fail_at(r->d, node, "a node without an id or a name");
  r->numbers = r->numbers || name->kind == JSON_NUMBER;
  const geodisk_status status = document_node(r->d, name->text, name->length, name->text, &id, &is_new);
  if (status == GEODISK_OK && !is_new)
    return fail_at(r->d, name, "two nodes have this id");
  r->nodes++;
  return status;
}

/* The node at one end of a link: its id, an object that holds it, or its place in the list of nodes. */
static geodisk_status find_end(const link_reader *r, const json_value *link, const char *const *keys, uint32_t *id) {
  const json_value *end = any_member(r->v, link, keys);
  bool is_new;
  if (end != NULL && end->kind == JSON_OBJECT)
    end = named_member(r->v, end, id_keys);
  if (end == NULL || !is_name(end))
    return fail_at(r->d, link, keys == source_keys ? "a link without a source" : "a link without a target");
  if (!r->listed)
    return document_node(r->d, end->text, end->length, end->text, id, &is_new);
  if (names_lookup(&r->d->builder.names, end->text, end->length, id) && (end->kind == JSON_TEXT || r->numbers))
    return GEODISK_OK;
  double place;
  if (end->kind != JSON_NUMBER || r->numbers || !geodisk_parse_double(end->text, end->length, &place) || !(place >= 0) ||
      !(place < (double)r->nodes) || place != (double)(uint32_t)place)
    return fail_at(r->d, end, "a link to a node that is not in the list of nodes");
  *id = (uint32_t)place;
  return GEODISK_OK;
}

static geodisk_status add_link(link_reader *r, const json_value *link) {
  uint32_t source = 0, target = 0;
  geodisk_status status = find_end(r, link, source_keys, &source);
  if (status == GEODISK_OK)
    status = find_end(r, link, target_keys, &target);
  if (status != GEODISK_OK)
    return status;
  const json_value *weight = any_member(r->v, link, weight_keys);
  double value = -1;
  if (weight != NULL && !json_is_word(weight, "null") && r->d->options.weights != GEODISK_CHOICE_NO)
    status = document_weight(r->d, weight->text, weight->length > 0 ? weight->length : 1, &value);
  return status == GEODISK_OK ? document_edge(r->d, source, target, value, link->text) : status;
}

static geodisk_status read_links(document *d, const json_values *v, const json_value *nodes, const json_value *links) {
  link_reader r = {.d = d, .v = v, .listed = nodes != NULL};
  geodisk_status status = GEODISK_OK;
  const json_value *value = nodes != NULL ? json_first(v, nodes) : NULL;
  for (; value != NULL && status == GEODISK_OK; value = json_next(v, value))
    status = add_node(&r, value);
  for (value = json_first(v, links); value != NULL && status == GEODISK_OK; value = json_next(v, value))
    status = add_link(&r, value);
  return status;
}

/* ---- lists ------------------------------------------------------------------------------------------------------------ */

/* [["dog", "mammal"], ["cat", "mammal", 2]] */
static geodisk_status read_pairs(document *d, const json_values *v, const json_value *list) {
  geodisk_status status = GEODISK_OK;
  for (const json_value *pair = json_first(v, list); pair != NULL && status == GEODISK_OK; pair = json_next(v, pair)) {
    const json_value *child = pair->kind == JSON_ARRAY ? json_first(v, pair) : NULL;
    const json_value *parent = child != NULL ? json_next(v, child) : NULL;
    const json_value *third = parent != NULL ? json_next(v, parent) : NULL;
    uint32_t ids[2];
    bool is_new;
    double weight = -1;
    if (!is_name(child) || !is_name(parent))
      return fail_at(d, pair, "an edge is a list of child and parent");
    if ((status = document_node(d, child->text, child->length, child->text, &ids[0], &is_new)) != GEODISK_OK ||
        (status = document_node(d, parent->text, parent->length, parent->text, &ids[1], &is_new)) != GEODISK_OK)
      return status;
    if (third != NULL && third->kind == JSON_NUMBER && d->options.weights != GEODISK_CHOICE_NO)
      status = document_weight(d, third->text, third->length, &weight);
    if (status == GEODISK_OK)
      status = document_edge(d, ids[0], ids[1], weight, child->text);
  }
  return status;
}

/* [{"id": "dog", "parentId": "mammal"}, ...] */
static geodisk_status read_table(document *d, const json_values *v, const json_value *list) {
  geodisk_status status = GEODISK_OK;
  for (const json_value *row = json_first(v, list); row != NULL && status == GEODISK_OK; row = json_next(v, row)) {
    const json_value *child = named_member(v, row, id_keys), *parent = any_member(v, row, parent_keys);
    uint32_t ids[2];
    bool is_new;
    if (child == NULL)
      return fail_at(d, row, "a node without an id or a name");
    if ((status = document_node(d, child->text, child->length, child->text, &ids[0], &is_new)) != GEODISK_OK)
      return status;
    if (!is_name(parent) || parent->length == 0) /* a root */
      continue;
    if ((status = document_node(d, parent->text, parent->length, parent->text, &ids[1], &is_new)) == GEODISK_OK)
      status = document_edge(d, ids[0], ids[1], -1, child->text);
  }
  return status;
}

static geodisk_status read_list(document *d, const json_values *v, const json_value *list) {
  const json_value *first = json_first(v, list);
  if (first != NULL && first->kind == JSON_ARRAY)
    return read_pairs(d, v, list);
  if (first != NULL && any_member(v, first, source_keys) != NULL && any_member(v, first, target_keys) != NULL)
    return read_links(d, v, NULL, list);
  for (const json_value *row = first; row != NULL; row = json_next(v, row))
    if (any_member(v, row, parent_keys) != NULL)
      return read_table(d, v, list);
  return read_tree(d, v);
}

static geodisk_status read_root(document *d, const json_values *v) {
  const json_value *root = &v->list[0];
  if (root->kind == JSON_ARRAY)
    return read_list(d, v, root);
  const json_value *nodes = json_member(v, root, "nodes"), *links = any_member(v, root, link_keys);
  if (links != NULL && links->kind == JSON_ARRAY && (nodes == NULL || nodes->kind == JSON_ARRAY)) {
    const json_value *directed = json_member(v, root, "directed");
    d->undirected = directed != NULL && json_is_word(directed, "false");
    return read_links(d, v, nodes, links);
  }
  if (root->kind == JSON_OBJECT && (any_member(v, root, child_keys) != NULL || named_member(v, root, name_keys) != NULL))
    return read_tree(d, v);
  return fail_at(d, root, "neither a tree (name, children) nor nodes and links, nor a list of edges");
}

geodisk_status read_json(document *d) {
  json_values values = {.count = 0};
  geodisk_status status = json_parse(d, &values);
  if (status == GEODISK_OK)
    status = read_root(d, &values);
  free(values.list);
  return status;
}
