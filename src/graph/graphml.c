/* graphml.c - reads GraphML, as networkx, igraph, Gephi and yEd write it: nodes, edges, weights; names where all nodes have
 * different ones, else their ids. */
#include "base/grow.h"
#include "xml_text.h"

#include <string.h>

/* Keys of data: what they are for. */
typedef enum data_role { ROLE_NONE, ROLE_NAME, ROLE_LABEL, ROLE_WEIGHT } data_role;
enum { KEYS = 256 };

typedef struct graphml_node {
  xml_slice name, label;
  bool declared;
} graphml_node;

typedef struct graphml_edge {
  uint32_t source, target;
  bool directed;
  xml_slice weight;
  const char *at;
} graphml_edge;

typedef struct graphml_reader {
  document *d;
  xml_reader xml;
  struct {
    xml_slice id;
    data_role role;
    xml_slice value; /* the default */
  } keys[KEYS];
  int key_count;
  name_table ids;
  graphml_node *nodes;
  size_t node_room;
  graphml_edge *edges;
  size_t edge_count, edge_room;
  bool directed;     /* the default */
  bool seen_graphml; /* the root element */
  uint32_t node;     /* the one we are in, or NO_NODE */
  bool in_edge, in_key, in_default, in_label;
  data_role data; /* the role of the data we are in */
  uint64_t hyperedges;
} graphml_reader;

/* ---- tags ------------------------------------------------------------------------------------------------------------- */

static void take_key(graphml_reader *r) {
  const xml_slice id = xml_attribute(&r->xml, "id"), what = xml_attribute(&r->xml, "for");
  xml_slice name = xml_attribute(&r->xml, "attr.name");
  if (name.text == NULL)
    name = xml_attribute(&r->xml, "name");
  data_role role = ROLE_NONE;
  if (xml_is(what, "edge"))
    role = xml_is(name, "weight") || xml_is(name, "Weight") || xml_is(name, "Edge Weight") ? ROLE_WEIGHT : ROLE_NONE;
  else if (xml_is(name, "name"))
    role = ROLE_NAME;
  else if (xml_is(name, "label") || xml_is(name, "Label"))
    role = ROLE_LABEL;
  if (id.text != NULL && role != ROLE_NONE && r->key_count < KEYS) {
    r->keys[r->key_count].id = id;
    r->keys[r->key_count].value = (xml_slice){NULL, 0};
    r->keys[r->key_count++].role = role;
    r->in_key = true;
  }
}

static geodisk_status find_node(graphml_reader *r, xml_slice id, uint32_t *out) {
  bool is_new;
  if (id.text == NULL)
    return document_fail(r->d, r->xml.name.text, r->xml.name.length, "an element without the id it needs");
  if (geodisk_utf8_prefix(id.text, id.length) < id.length || memchr(id.text, 0, id.length) != NULL)
    return document_fail(r->d, id.text, id.length, "the id is not valid UTF-8");
  if (names_intern(&r->ids, id.text, id.length, out, &is_new) != GEODISK_OK)
    return document_memory(r->d);
  if (!array_grow(&r->nodes, 0, r->ids.count, &r->node_room, sizeof *r->nodes))
    return document_memory(r->d);
  if (is_new)
    r->nodes[*out] = (graphml_node){.declared = false};
  return GEODISK_OK;
}

static geodisk_status take_node(graphml_reader *r) {
  const xml_slice id = xml_attribute(&r->xml, "id");
  const geodisk_status status = find_node(r, id, &r->node);
  if (status == GEODISK_OK && r->nodes[r->node].declared)
    return document_fail(r->d, id.text, id.length, "two nodes have this id");
  if (status == GEODISK_OK)
    r->nodes[r->node].declared = true;
  return status;
}

static geodisk_status take_edge(graphml_reader *r) {
  if (!array_grow(&r->edges, r->edge_count, 1, &r->edge_room, sizeof *r->edges))
    return document_memory(r->d);
  graphml_edge *e = &r->edges[r->edge_count];
  const xml_slice directed = xml_attribute(&r->xml, "directed");
  *e = (graphml_edge){.directed = directed.text != NULL ? !xml_is(directed, "false") : r->directed, .at = r->xml.name.text};
  geodisk_status status = find_node(r, xml_attribute(&r->xml, "source"), &e->source);
  if (status == GEODISK_OK)
    status = find_node(r, xml_attribute(&r->xml, "target"), &e->target);
  if (status != GEODISK_OK)
    return status;
  for (int i = 0; i < r->key_count; i++)
    if (r->keys[i].role == ROLE_WEIGHT)
      e->weight = r->keys[i].value;
  r->edge_count++;
  r->in_edge = true;
  return GEODISK_OK;
}

static void take_data(graphml_reader *r) {
  const xml_slice key = xml_attribute(&r->xml, "key");
  r->data = ROLE_NONE;
  for (int i = 0; i < r->key_count && key.text != NULL; i++)
    if (r->keys[i].id.length == key.length && memcmp(r->keys[i].id.text, key.text, key.length) == 0)
      r->data = r->keys[i].role;
}

static geodisk_status take_start(graphml_reader *r) {
  const xml_slice name = r->xml.name;
  if (!r->seen_graphml) {
    if (!xml_is(name, "graphml"))
      return document_fail(r->d, name.text, name.length,
                           xml_is(name, "gexf") ? "GEXF is written, not read: save the graph as GraphML"
                                                : "the only XML that is read is GraphML");
    r->seen_graphml = true;
  } else if (xml_is(name, "key")) {
    take_key(r);
  } else if (xml_is(name, "default")) {
    r->in_default = r->in_key;
  } else if (xml_is(name, "graph")) {
    r->directed = !xml_is(xml_attribute(&r->xml, "edgedefault"), "undirected");
  } else if (xml_is(name, "node")) {
    return take_node(r);
  } else if (xml_is(name, "edge")) {
    return take_edge(r);
  } else if (xml_is(name, "hyperedge")) {
    r->hyperedges++;
  } else if (xml_is(name, "data")) {
    take_data(r);
  } else if (xml_is(name, "NodeLabel")) {
    r->in_label = true;
  }
  return GEODISK_OK;
}

static void take_end(graphml_reader *r) {
  const xml_slice name = r->xml.name;
  if (xml_is(name, "key"))
    r->in_key = r->in_default = false;
  else if (xml_is(name, "default"))
    r->in_default = false;
  else if (xml_is(name, "node"))
    r->node = NO_NODE;
  else if (xml_is(name, "edge"))
    r->in_edge = false;
  else if (xml_is(name, "data"))
    r->data = ROLE_NONE;
  else if (xml_is(name, "NodeLabel"))
    r->in_label = false;
}

static xml_slice trimmed(xml_slice s) {
  while (s.length > 0 && strchr(" \t\r\n", *s.text) != NULL) {
    s.text++;
    s.length--;
  }
  while (s.length > 0 && strchr(" \t\r\n", s.text[s.length - 1]) != NULL)
    s.length--;
  return s;
}

static void take_text(graphml_reader *r) {
  const xml_slice text = trimmed(r->xml.name);
  if (text.length == 0)
    return;
  if (r->in_default)
    r->keys[r->key_count - 1].value = text;
  else if (r->node != NO_NODE && r->data == ROLE_NAME)
    r->nodes[r->node].name = text;
  else if (r->node != NO_NODE && (r->data == ROLE_LABEL || r->in_label))
    r->nodes[r->node].label = text;
  else if (r->in_edge && r->data == ROLE_WEIGHT)
    r->edges[r->edge_count - 1].weight = text;
}

/* ---- the graph -------------------------------------------------------------------------------------------------------- */

static xml_slice id_of(const graphml_reader *r, size_t i) {
  return (xml_slice){r->ids.bytes + r->ids.starts[i], (size_t)(r->ids.starts[i + 1] - r->ids.starts[i] - 1)};
}

/* What nodes are called if all of them have a different one: 0 their names, 1 their labels, else ids. */
static geodisk_status choose_names(graphml_reader *r, int *choice) {
  for (*choice = 0; *choice < 2; ++*choice) {
    name_table table = {0};
    bool fine = true;
    geodisk_status status = GEODISK_OK;
    for (size_t i = 0; i < r->ids.count && fine && status == GEODISK_OK; i++) {
      const xml_slice name = *choice == 0 ? r->nodes[i].name : r->nodes[i].label;
      uint32_t id;
      fine = name.text != NULL;
      if (fine && names_intern(&table, name.text, name.length, &id, &fine) != GEODISK_OK)
        status = document_memory(r->d);
    }
    names_free(&table);
    if (status != GEODISK_OK || fine)
      return status;
  }
  return GEODISK_OK;
}

static geodisk_status make_graph(graphml_reader *r) {
  int choice;
  geodisk_status status = choose_names(r, &choice);
  for (size_t i = 0; i < r->ids.count && status == GEODISK_OK; i++) {
    const xml_slice name = choice == 0 ? r->nodes[i].name : choice == 1 ? r->nodes[i].label : id_of(r, i);
    uint32_t id;
    bool is_new;
    status = document_node(r->d, name.text, name.length, choice < 2 ? name.text : r->d->text, &id, &is_new);
  }
  size_t undirected = 0;
  for (size_t i = 0; i < r->edge_count && status == GEODISK_OK; i++) {
    const graphml_edge *e = &r->edges[i];
    double weight = -1;
    if (e->weight.text != NULL && r->d->options.weights != GEODISK_CHOICE_NO)
      status = document_weight(r->d, e->weight.text, e->weight.length, &weight);
    r->d->undirected = !e->directed;
    undirected += !e->directed;
    if (status == GEODISK_OK)
      status = document_edge(r->d, e->source, e->target, weight, e->at);
  }
  r->d->undirected = r->edge_count > 0 && undirected == r->edge_count;
  if (undirected > 0 && !r->d->undirected) {
    r->d->said = "some edges are undirected: those in both directions";
  } else if (r->hyperedges > 0) {
    r->d->said = "hyperedges are left out";
  } else if (choice < 2) {
    r->d->said = choice == 0 ? "nodes are called by their names" : "nodes are called by their labels";
  }
  return status;
}

geodisk_status read_graphml(document *d) {
  graphml_reader *r = geodisk_allocate_zero(1, sizeof *r);
  if (r == NULL)
    return document_memory(d);
  r->d = d;
  r->xml.d = d;
  r->xml.at = d->text;
  r->xml.end = d->text + d->size;
  r->node = NO_NODE;
  r->directed = true;
  geodisk_status status = GEODISK_OK;
  for (xml_event event = XML_TEXT; event != XML_DONE && status == GEODISK_OK;) {
    if ((status = xml_next(&r->xml, &event)) != GEODISK_OK)
      break;
    if (event == XML_START)
      status = take_start(r);
    else if (event == XML_END)
      take_end(r);
    else if (event == XML_TEXT)
      take_text(r);
  }
  if (status == GEODISK_OK)
    status = make_graph(r);
  names_free(&r->ids);
  geodisk_free_all(r->nodes, r->edges, r);
  return status;
}
