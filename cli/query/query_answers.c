/* query_answers.c - the questions of `geodisk query` and how their answers are printed: lines of text, or JSON. */
#include "query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- printing -------------------------------------------------------------------------------------------------------- */

bool query_as_json(const query_session *s) { return s->r->common.json || s->r->batch; }

/* To six digits, or all of them. */
void query_put_number(const query_session *s, double value) {
  char buffer[GEODISK_NUMBER_BYTES];
  if (s->r->full)
    fputs(shortest_double(value, buffer), stdout);
  else
    printf("%.6g", value == 0 ? 0.0 : value);
}

/* The start of a line: node and question, where they are needed. */
static void query_begin_line(const query_session *s, const char *question) {
  if (s->several) {
    put_name(stdout, s->node);
    putchar('\t');
  }
  if (s->r->questions > 1)
    printf("%s\t", question);
}

void query_begin_key(query_session *s, const char *key) {
  printf("%s\"%s\": ", s->first ? "" : ", ", key);
  s->first = false;
}

static void put_value(query_session *s, const char *key, double value) {
  if (query_as_json(s)) {
    query_begin_key(s, key);
    json_number(value);
  } else {
    query_begin_line(s, key);
    query_put_number(s, value);
    putchar('\n');
  }
}

void query_put_neighbours(query_session *s, const char *key, size_t n, const geodisk_neighbour *list) {
  if (query_as_json(s)) {
    query_begin_key(s, key);
    putchar('[');
  }
  for (size_t i = 0; i < n; i++) {
    const char *name = geodisk_model_name(s->model, list[i].node);
    if (query_as_json(s)) {
      json_format("%s{\"node\": %j, \"distance\": %n}", i > 0 ? ", " : "", name, list[i].distance);
    } else {
      query_begin_line(s, key);
      put_name(stdout, name);
      putchar('\t');
      query_put_number(s, list[i].distance);
      putchar('\n');
    }
  }
  if (query_as_json(s))
    putchar(']');
}

static void put_point(query_session *s, const char *key, const double *x, double gap) {
  if (query_as_json(s)) {
    query_begin_key(s, key);
    putchar('[');
  } else {
    query_begin_line(s, key);
  }
  for (int k = 0; k < geodisk_model_dim(s->model); k++) {
    if (k > 0)
      fputs(query_as_json(s) ? ", " : "\t", stdout);
    if (query_as_json(s))
      json_number(x[k]);
    else
      query_put_number(s, x[k]);
  }
  if (!query_as_json(s)) {
    putchar('\n');
    return;
  }
  putchar(']');
  if (!isnan(gap))
    put_value(s, "gap", gap);
}

/* ---- questions ------------------------------------------------------------------------------------------------------- */

static geodisk_status ask_chain(query_session *s, const char *key, uint32_t node, geodisk_side side, size_t room) {
  geodisk_neighbour *chain = geodisk_allocate(room, sizeof *chain);
  size_t found = 0;
  geodisk_status status = chain != NULL ? GEODISK_OK : query_no_memory(s);
  if (status == GEODISK_OK)
    status = geodisk_index_chain(s->context, s->index, &(geodisk_nearest_query){.n = 1, .nodes = &node, .k = room, .side = side},
                                 chain, &found);
  if (status == GEODISK_OK)
    query_put_neighbours(s, key, found, chain);
  free(chain);
  return status;
}

static geodisk_status ask_vector(query_session *s, uint32_t node) {
  double *x = geodisk_allocate((size_t)geodisk_model_dim(s->model), sizeof *x), gap;
  if (x == NULL)
    return query_no_memory(s);
  geodisk_model_point(s->model, node, x, &gap);
  put_point(s, "vector", x, gap);
  free(x);
  return GEODISK_OK;
}

/* One stop of the way: the share of it, the node nearest to it, how far that is. */
static void put_stop(query_session *s, size_t i, double t, const geodisk_neighbour *near) {
  const char *name = geodisk_model_name(s->model, near->node);
  if (query_as_json(s)) {
    json_format("%s{\"share\": %n, \"node\": %j, \"distance\": %n}", i > 0 ? ", " : "", t, name, near->distance);
  } else {
    query_begin_line(s, "geodesic");
    query_put_number(s, t);
    putchar('\t');
    put_name(stdout, name);
    putchar('\t');
    query_put_number(s, near->distance);
    putchar('\n');
  }
}

/* The nodes passed on the way: the nearest one at equal steps. */
static geodisk_status ask_geodesic(query_session *s, uint32_t node) {
  const size_t stops = (size_t)s->r->steps + 1, dim = (size_t)geodisk_model_dim(s->model);
  const bool hyperbolic = geodisk_model_space(s->model) == GEODISK_SPACE_HYPERBOLIC;
  double *x = geodisk_allocate(stops, dim * sizeof *x), *gap = geodisk_allocate(stops, sizeof *gap);
  geodisk_neighbour *near = geodisk_allocate(stops, sizeof *near);
  size_t *found = geodisk_allocate(stops, sizeof *found);
  geodisk_status status = x != NULL && gap != NULL && near != NULL && found != NULL ? GEODISK_OK : query_no_memory(s);
  for (size_t i = 0; status == GEODISK_OK && i < stops; i++)
    status =
        geodisk_model_between(s->context, s->model, node, s->geodesic, (double)i / (double)s->r->steps, x + i * dim, &gap[i]);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest(
        s->context, s->index, &(geodisk_nearest_query){.n = stops, .x = x, .gap = hyperbolic ? gap : NULL, .k = 1}, near, found);
  if (status == GEODISK_OK) {
    if (query_as_json(s)) {
      query_begin_key(s, "geodesic");
      putchar('[');
    }
    for (size_t i = 0; i < stops; i++)
      put_stop(s, i, (double)i / (double)s->r->steps, &near[i]);
    if (query_as_json(s))
      putchar(']');
  }
  geodisk_free_all(x, gap, near, found);
  return status;
}

static geodisk_status ask_pairs(query_session *s, uint32_t node) {
  const query_request *r = s->r;
  geodisk_status status = GEODISK_OK;
  double distance;
  size_t rank;
  if (r->distance != NULL && (status = geodisk_model_distance(s->context, s->model, node, s->distance, &distance)) == GEODISK_OK)
    put_value(s, "distance", distance);
  if (status == GEODISK_OK && r->rank != NULL &&
      (status = geodisk_index_rank(s->context, s->index, node, s->rank, &rank)) == GEODISK_OK)
    put_value(s, "rank", (double)rank);
  if (status == GEODISK_OK && r->difference != NULL)
    put_value(s, "difference", geodisk_model_norm(s->model, s->difference) - geodisk_model_norm(s->model, node));
  if (status == GEODISK_OK && r->geodesic != NULL)
    status = ask_geodesic(s, node);
  return status;
}

void query_free_nearest(query_nearest *a) {
  for (int i = 0; i < 3; i++) {
    geodisk_free_all(a->list[i], a->found[i]);
  }
}

geodisk_status query_find_nearest(const query_session *s, size_t n, const uint32_t *nodes, query_nearest *a) {
  const query_request *r = s->r;
  const bool old = s->hierarchy == NULL;
  const bool wanted[3] = {r->near, old && r->parents, old && r->children};
  const size_t k[3] = {(size_t)r->neighbours, (size_t)r->count, (size_t)r->count}, others = geodisk_model_nodes(s->model) - 1;
  *a = (query_nearest){.k = {0}};
  geodisk_status status = GEODISK_OK;
  for (int i = 0; i < 3 && status == GEODISK_OK; i++) {
    if (!wanted[i])
      continue;
    a->k[i] = k[i] < others ? k[i] : others > 0 ? others : 1;
    a->list[i] = geodisk_allocate(n, a->k[i] * sizeof *a->list[i]);
    a->found[i] = geodisk_allocate(n, sizeof *a->found[i]);
    status = a->list[i] == NULL || a->found[i] == NULL
                 ? query_no_memory(s)
                 : geodisk_index_nearest(s->context, s->index,
                                         &(geodisk_nearest_query){.n = n, .nodes = nodes, .k = a->k[i], .side = (geodisk_side)i},
                                         a->list[i], a->found[i]);
  }
  return status;
}

/* All answers for one node, the i-th of its batch. */
geodisk_status query_answer_node(query_session *s, uint32_t node, const query_nearest *a, size_t i) {
  static const char *const keys[3] = {"neighbours", "parents", "children"};
  const query_request *r = s->r;
  geodisk_status status = GEODISK_OK;
  s->node = geodisk_model_name(s->model, node);
  s->first = true;
  if (query_as_json(s)) {
    putchar('{');
    query_begin_key(s, "node");
    json_string(s->node);
  }
  for (int q = 0; q < 3; q++)
    if (a->list[q] != NULL)
      query_put_neighbours(s, keys[q], a->found[q][i], a->list[q] + i * a->k[q]);
  if (s->hierarchy != NULL)
    status = query_answer_hierarchy(s, node);
  if (s->hierarchy == NULL && r->ancestors)
    status = ask_chain(s, "ancestors", node, GEODISK_SIDE_HIGHER, QUERY_CHAIN_MAX);
  if (status == GEODISK_OK && s->hierarchy == NULL && r->descendants)
    status = ask_chain(s, "descendants", node, GEODISK_SIDE_LOWER, (size_t)r->depth);
  if (query_as_json(s) && s->hierarchy == NULL && query_wants_hierarchy(r)) {
    query_begin_key(s, "by");
    fputs("\"distance\"", stdout);
  }
  if (status == GEODISK_OK && r->norm) {
    put_value(s, "norm", geodisk_model_norm(s->model, node));
    put_value(s, "radius", geodisk_model_radius(s->model, node));
  }
  if (status == GEODISK_OK && r->vector)
    status = ask_vector(s, node);
  if (status == GEODISK_OK)
    status = ask_pairs(s, node);
  if (query_as_json(s))
    fputs("}\n", stdout);
  return status;
}

/* A point made of several nodes, and the nodes near to it but for those. */
geodisk_status query_answer_point(query_session *s, size_t n, const uint32_t *nodes) {
  const size_t dim = (size_t)geodisk_model_dim(s->model), k = (size_t)s->r->neighbours + n;
  const bool hyperbolic = geodisk_model_space(s->model) == GEODISK_SPACE_HYPERBOLIC;
  double *x = geodisk_allocate(dim, sizeof *x), gap = (double)NAN;
  geodisk_neighbour *near = geodisk_allocate(k, sizeof *near);
  size_t found = 0, kept = 0;
  geodisk_status status = x != NULL && near != NULL ? GEODISK_OK : query_no_memory(s);
  if (status == GEODISK_OK)
    status = s->r->analogy ? geodisk_model_analogy(s->context, s->model, nodes[0], nodes[1], nodes[2], x, &gap)
                           : geodisk_model_mean(s->context, s->model, n, nodes, NULL, x, &gap);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest(
        s->context, s->index, &(geodisk_nearest_query){.n = 1, .x = x, .gap = hyperbolic ? &gap : NULL, .k = k}, near, &found);
  for (size_t i = 0; status == GEODISK_OK && i < found && kept < (size_t)s->r->neighbours; i++) {
    bool given = false;
    for (size_t j = 0; j < n; j++)
      given = given || near[i].node == nodes[j];
    if (!given)
      near[kept++] = near[i];
  }
  if (status == GEODISK_OK) {
    s->first = true;
    if (query_as_json(s)) {
      putchar('{');
      put_point(s, "point", x, gap);
    }
    query_put_neighbours(s, "neighbours", kept, near);
    if (query_as_json(s))
      fputs("}\n", stdout);
  }
  geodisk_free_all(x, near);
  return status;
}
