/* query_hierarchy.c - the questions of `geodisk query` that a model answers by the half-space score: who is above and below whom.
 */
#include "query.h"

#include <stdio.h>
#include <stdlib.h>

bool query_wants_hierarchy(const query_request *r) {
  return r->parents || r->children || r->ancestors || r->descendants || r->siblings || r->is_a || r->common_ancestor ||
         r->analogy;
}

/* Nodes with their distances from one of them. */
static geodisk_status put_set(query_session *s, const char *key, uint32_t from, size_t n, const uint32_t *set) {
  geodisk_neighbour *list = geodisk_allocate(n + 1, sizeof *list);
  geodisk_status status = list != NULL ? GEODISK_OK : query_no_memory(s);
  for (size_t i = 0; i < n && status == GEODISK_OK; i++) {
    list[i].node = set[i];
    status = geodisk_model_distance(s->context, s->model, from, set[i], &list[i].distance);
  }
  if (status == GEODISK_OK)
    query_put_neighbours(s, key, n, list);
  free(list);
  return status;
}

static void put_way(query_session *s) {
  if (!query_as_json(s))
    return;
  query_begin_key(s, "by");
  fputs(geodisk_model_order(s->model) != NULL ? "\"order\"" : "\"half-space\"", stdout);
}

geodisk_status query_answer_hierarchy(query_session *s, uint32_t node) {
  const query_request *r = s->r;
  const struct {
    bool wanted, counted;
    const char *key;
    geodisk_status (*ask)(geodisk_context *context, const geodisk_hierarchy *h, uint32_t node, uint32_t *out, size_t *found);
  } questions[] = {{r->parents, r->count_given, "parents", geodisk_hierarchy_parents},
                   {r->children, r->count_given, "children", geodisk_hierarchy_children},
                   {r->ancestors, false, "ancestors", geodisk_hierarchy_ancestors},
                   {r->descendants, false, "descendants", geodisk_hierarchy_descendants},
                   {r->siblings, r->count_given, "siblings", geodisk_hierarchy_siblings}};
  uint32_t *set = geodisk_allocate(geodisk_model_nodes(s->model), sizeof *set);
  geodisk_status status = set != NULL ? GEODISK_OK : query_no_memory(s);
  bool any = false;
  for (size_t i = 0; i < sizeof questions / sizeof questions[0] && status == GEODISK_OK; i++) {
    size_t n = 0;
    if (!questions[i].wanted)
      continue;
    any = true;
    status = questions[i].ask(s->context, s->hierarchy, node, set, &n);
    if (questions[i].counted && n > (size_t)r->count)
      n = (size_t)r->count;
    if (status == GEODISK_OK)
      status = put_set(s, questions[i].key, node, n, set);
  }
  if (any && status == GEODISK_OK)
    put_way(s);
  free(set);
  return status;
}

static void put_is_a(query_session *s, const geodisk_is_a_answer *a) {
  if (!query_as_json(s)) {
    printf("%s\t", a->is_a ? "yes" : "no");
    query_put_number(s, a->probability);
    putchar('\n');
    return;
  }
  query_begin_key(s, "is_a");
  fputs(a->is_a ? "true" : "false", stdout);
  const struct {
    const char *key;
    double value;
  } numbers[] = {{"probability", a->probability}, {"score", a->score}, {"threshold", a->threshold}};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    query_begin_key(s, numbers[i].key);
    json_number(numbers[i].value);
  }
}

static geodisk_status put_common(query_session *s, const uint32_t *nodes) {
  uint32_t common = 0;
  bool found = false;
  const geodisk_status status = geodisk_hierarchy_common_ancestor(s->context, s->hierarchy, nodes[0], nodes[1], &common, &found);
  if (status != GEODISK_OK)
    return status;
  if (query_as_json(s)) {
    query_begin_key(s, "lowest_common_ancestor");
    json_format("%j", found ? geodisk_model_name(s->model, common) : NULL);
  } else if (found) {
    put_name(stdout, geodisk_model_name(s->model, common));
    putchar('\n');
  }
  return GEODISK_OK;
}

geodisk_status query_answer_pair(query_session *s, const uint32_t *nodes) {
  geodisk_is_a_answer answer;
  geodisk_status status = GEODISK_OK;
  s->first = true;
  if (query_as_json(s))
    putchar('{');
  if (s->r->is_a && (status = geodisk_hierarchy_is_a(s->context, s->hierarchy, nodes[0], nodes[1], &answer)) == GEODISK_OK)
    put_is_a(s, &answer);
  if (status == GEODISK_OK && s->r->common_ancestor)
    status = put_common(s, nodes);
  put_way(s);
  if (query_as_json(s))
    fputs("}\n", stdout);
  return status;
}

geodisk_status query_answer_analogy(query_session *s, const uint32_t *nodes, bool *done) {
  uint32_t *set = geodisk_allocate(geodisk_model_nodes(s->model), sizeof *set);
  size_t n = 0;
  geodisk_status status = set != NULL ? GEODISK_OK : query_no_memory(s);
  if (status == GEODISK_OK)
    status = geodisk_hierarchy_analogy(s->context, s->hierarchy, nodes[0], nodes[1], nodes[2], set, &n);
  *done = status == GEODISK_OK && n > 0;
  if (*done) {
    s->first = true;
    if (query_as_json(s))
      putchar('{');
    status = put_set(s, "neighbours", nodes[2], n < (size_t)s->r->neighbours ? n : (size_t)s->r->neighbours, set);
    put_way(s);
    if (query_as_json(s))
      fputs("}\n", stdout);
  }
  free(set);
  return status;
}
