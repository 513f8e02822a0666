/* bench_knowledge_answers.c - the part `answers` of `geodisk bench knowledge`: what models say of the hierarchy they were shown,
 * asked for the parents and the ancestors of every node. */
#include "bench_knowledge.h"

#include <stdlib.h>

enum { CHART_NODES = 300, REFERENCES = 2 };

/* Of the nodes that have a parent: how many, whose first parent is a direct one, whose ancestors are all right. */
typedef struct answers {
  size_t nodes, parents, chains;
} answers;

/* Is there an edge between two nodes of the model? The graph may have other numbers for them. */
static bool has_edge(const geodisk_graph *graph, const geodisk_model *model, uint32_t child, uint32_t parent) {
  uint32_t c, p;
  return geodisk_graph_find(graph, geodisk_model_name(model, child), geodisk_model_name_length(model, child), &c) &&
         geodisk_graph_find(graph, geodisk_model_name(model, parent), geodisk_model_name_length(model, parent), &p) &&
         geodisk_graph_has_edge(graph, c, p);
}

static geodisk_status ask(geodisk_context *context, const geodisk_model *model, const geodisk_graph *closure,
                          const geodisk_graph *basic, answers *out) {
  const geodisk_graph_rows up = geodisk_graph_out(closure);
  const size_t nodes = geodisk_model_nodes(model);
  uint32_t *found = geodisk_allocate(nodes, sizeof *found);
  geodisk_hierarchy *tree = NULL;
  geodisk_status status = found != NULL ? geodisk_hierarchy_create(context, model, NULL, &tree)
                                        : geodisk_no_memory(context, "for %zu answers", nodes);
  for (uint32_t u = 0; u < nodes && status == GEODISK_OK; u++) {
    uint32_t node;
    size_t n = 0, right = 0;
    if (!geodisk_graph_find(closure, geodisk_model_name(model, u), geodisk_model_name_length(model, u), &node) ||
        up.offsets[node] == up.offsets[node + 1])
      continue;
    out->nodes++;
    if ((status = geodisk_hierarchy_parents(context, tree, u, found, &n)) != GEODISK_OK)
      break;
    out->parents += n > 0 && has_edge(basic, model, u, found[0]);
    status = geodisk_hierarchy_ancestors(context, tree, u, found, &n);
    for (size_t i = 0; i < n && status == GEODISK_OK; i++)
      right += has_edge(closure, model, u, found[i]);
    out->chains += right == n && n == up.offsets[node + 1] - up.offsets[node];
  }
  geodisk_hierarchy_destroy(tree);
  free(found);
  return status;
}

/* One line of the table: means over the seeds, of models of the closure or of the direct links. */
static geodisk_status answers_of(geodisk_context *context, const knowledge_request *r, const char *name,
                                 const geodisk_graph *closure, bool direct, int dim) {
  geodisk_graph *basic = NULL;
  answers all = {0};
  geodisk_status status = geodisk_graph_reduce(context, closure, &basic);
  for (int64_t seed = 0; seed < r->seeds && status == GEODISK_OK; seed++) {
    geodisk_model *model = NULL;
    status = knowledge_train(context, NULL, dim, (uint64_t)seed, direct ? basic : closure, &model);
    if (status == GEODISK_OK)
      status = ask(context, model, closure, basic, &all);
    geodisk_model_destroy(model);
  }
  if (status == GEODISK_OK)
    bench_table_row("%s, %zu nodes%s | %d | %.4f | %.4f", name, geodisk_graph_nodes(closure), direct ? ", by direct links" : "",
                    dim, all.nodes > 0 ? (double)all.parents / (double)all.nodes : 0.0,
                    all.nodes > 0 ? (double)all.chains / (double)all.nodes : 0.0);
  geodisk_graph_destroy(basic);
  return status;
}

/* A made graph, its closure taken: an org chart of bosses, and works each of which refers to two earlier ones. */
static geodisk_status made(geodisk_context *context, geodisk_generator kind, geodisk_graph **out) {
  const geodisk_generate_options options = {
      .kind = kind, .shape = GEODISK_SHAPE_CLOSED, .nodes = CHART_NODES, .attach = REFERENCES, .seed = 7};
  return geodisk_graph_generate(context, &options, out);
}

geodisk_status knowledge_answers(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure) {
  geodisk_graph *chart = NULL, *works = NULL;
  geodisk_status status = made(context, GEODISK_GENERATOR_RECURSIVE, &chart);
  if (status == GEODISK_OK)
    status = made(context, GEODISK_GENERATOR_BARABASI, &works);
  const struct {
    const char *name;
    const geodisk_graph *closure;
    bool direct;
  } rows[] = {{r->root != NULL ? r->root : "WordNet's nouns", closure, false},
              {"org chart", chart, false},
              {"org chart", chart, true},
              {"works that refer to two", works, false},
              {"works that refer to two", works, true}};
  if (status == GEODISK_OK)
    bench_table_begin("asked of every node that has a parent | dim | first parent is a direct parent | ancestors all right");
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int d = 0; d < r->n_dims && status == GEODISK_OK; d++)
      status = answers_of(context, r, rows[i].name, rows[i].closure, rows[i].direct, r->dims[d]);
  geodisk_graph_destroy(chart);
  geodisk_graph_destroy(works);
  return status;
}
