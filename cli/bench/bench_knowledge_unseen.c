/* bench_knowledge_unseen.c - the parts of `geodisk bench knowledge` that no walk through the training edges answers: a parent
 * that a node has lost, and nodes that were taken out and are placed again. */
#include "bench_knowledge.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST = 5, SUMS_OVER = 512 };

geodisk_status knowledge_parents(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure) {
  geodisk_status status = GEODISK_OK;
  bench_table_begin("a lost parent, dim | F1 | AUC | average precision | F1 of a walk");
  for (int d = 0; d < r->n_dims && status == GEODISK_OK; d++) {
    double f1 = 0, auc = 0, precision = 0;
    for (int64_t seed = 0; seed < r->seeds && status == GEODISK_OK; seed++) {
      const geodisk_split_options options = {
          .validation = 20, .test = 20, .seed = (uint64_t)seed, .protocol = GEODISK_PROTOCOL_PARENTS};
      knowledge_judged judged;
      status = knowledge_split(context, r, closure, &options, r->dims[d], &judged);
      const geodisk_classification *found = &judged.found.scores[GEODISK_IS_A_HALF_SPACE];
      f1 += found->f1.value / (double)r->seeds;
      auc += found->auc.value / (double)r->seeds;
      precision += found->average_precision.value / (double)r->seeds;
      knowledge_free(&judged);
    }
    if (status != GEODISK_OK)
      break;
    bench_table_row("%d | %.3f | %.3f | %.3f | 0", r->dims[d], f1, auc, precision);
  }
  return status;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------------- */

/* The graph without nodes that have no edges: what there is to train on. */
static geodisk_status without_lone(geodisk_context *context, const geodisk_graph *graph, geodisk_graph **out) {
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  const geodisk_graph_rows up = geodisk_graph_out(graph), down = geodisk_graph_in(graph);
  const char **names = geodisk_allocate(nodes, sizeof *names);
  uint32_t *number = geodisk_allocate(nodes, sizeof *number), *child = geodisk_allocate(edges, sizeof *child),
           *parent = geodisk_allocate(edges, sizeof *parent);
  geodisk_status status = GEODISK_OK;
  size_t n = 0, at = 0;
  if (names == NULL || number == NULL || child == NULL || parent == NULL)
    status = geodisk_no_memory(context, "for a graph of %zu edges", edges);
  for (uint32_t u = 0; u < nodes && status == GEODISK_OK; u++)
    if (up.offsets[u] < up.offsets[u + 1] || down.offsets[u] < down.offsets[u + 1]) {
      names[n] = geodisk_graph_name(graph, u);
      number[u] = (uint32_t)n++;
    }
  for (uint32_t u = 0; u < nodes && status == GEODISK_OK; u++)
    for (uint64_t e = up.offsets[u]; e < up.offsets[u + 1]; e++, at++) {
      child[at] = number[u];
      parent[at] = number[up.nodes[e]];
    }
  const geodisk_graph_arrays arrays = {.nodes = n, .names = names, .edges = at, .children = child, .parents = parent};
  if (status == GEODISK_OK)
    status = geodisk_graph_create(context, &arrays, NULL, out);
  geodisk_free_all(names, number, child, parent);
  return status;
}

/* How often a direct parent was the first, and among the first five. */
typedef struct hits {
  size_t nodes, first, five;
} hits;

/* Counts one node's list of likely parents, by names: the model has other numbers. */
static void count_hit(const geodisk_model *model, const geodisk_graph *basic, uint32_t node, size_t n,
                      const geodisk_parent *likely, hits *h) {
  uint32_t child, parent;
  bool found = false;
  h->nodes++;
  if (!geodisk_graph_find(basic, geodisk_model_name(model, node), geodisk_model_name_length(model, node), &child))
    return;
  for (size_t i = 0; i < n && !found; i++) {
    found = geodisk_graph_find(basic, geodisk_model_name(model, likely[i].node), geodisk_model_name_length(model, likely[i].node),
                               &parent) &&
            geodisk_graph_has_edge(basic, child, parent);
    h->first += found && i == 0;
  }
  h->five += found;
}

/* Places the nodes by the edges given and counts; before: the nearest nodes that are higher, placed by these edges alone. */
static geodisk_status place_and_count(geodisk_context *context, const geodisk_model *model, const geodisk_graph *basic,
                                      const geodisk_graph *given, bool before, hits *h, geodisk_model **more) {
  geodisk_placed *placed = geodisk_allocate(geodisk_graph_nodes(given), sizeof *placed);
  const geodisk_place_options options = {.negatives = SUMS_OVER, .seed = 1, .as_given = before, .placed = placed};
  geodisk_place_info info = {0};
  geodisk_index *index = NULL;
  geodisk_hierarchy *tree = NULL;
  geodisk_status status = placed != NULL ? geodisk_model_place(context, model, given, &options, &info, more)
                                         : geodisk_no_memory(context, "for placed nodes");
  if (status == GEODISK_OK)
    status = before ? geodisk_index_create(context, *more, GEODISK_SEARCH_AUTO, info.placed, &index)
                    : geodisk_hierarchy_create(context, *more, NULL, &tree);
  for (size_t i = 0; i < info.placed && status == GEODISK_OK; i++) {
    geodisk_parent likely[FIRST];
    size_t n = 0;
    status = before ? geodisk_index_parents(context, index, placed[i].node, FIRST, likely, &n)
                    : geodisk_hierarchy_placed_parents(context, tree, given, placed[i].node, FIRST, likely, &n);
    if (status == GEODISK_OK)
      count_hit(*more, basic, placed[i].node, n, likely, h);
  }
  geodisk_hierarchy_destroy(tree);
  geodisk_index_destroy(index);
  free(placed);
  return status;
}

static void put_share(size_t part, size_t all) { bench_table_text("%.3f", all > 0 ? (double)part / (double)all : 0.0); }

/* What is told of the nodes that are taken out. */
typedef struct way {
  const char *name;
  geodisk_given given;
} way;
static const way ways[] = {{"a parent", GEODISK_GIVEN_PARENT},
                           {"one ancestor", GEODISK_GIVEN_ANCESTOR},
                           {"two ancestors", GEODISK_GIVEN_TWO_ANCESTORS},
                           {"up to three children", GEODISK_GIVEN_CHILDREN}};
enum { WAYS = sizeof ways / sizeof ways[0] };

/* Leaves or inner nodes; whatever is given, the same ones are taken out. */
static geodisk_status take_out(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure, bool leaves,
                               geodisk_given given, geodisk_split *split) {
  const geodisk_split_options options = {.test = 5,
                                         .protocol = GEODISK_PROTOCOL_NODES,
                                         .leaves = leaves ? (size_t)r->leaves : 0,
                                         .inner = leaves ? 0 : (size_t)r->inner,
                                         .given = given};
  return geodisk_graph_split(context, closure, &options, split);
}

static geodisk_status nodes_by(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure,
                               const geodisk_graph *basic, const geodisk_model *model, const way *w, bool leaves) {
  geodisk_split split = {0};
  geodisk_graph *given = NULL;
  geodisk_model *more = NULL, *old = NULL;
  hits now = {0}, before = {0};
  geodisk_is_a found = {0};
  geodisk_status status = take_out(context, r, closure, leaves, w->given, &split);
  if (status == GEODISK_OK)
    status = without_lone(context, split.given, &given);
  if (status == GEODISK_OK)
    status = place_and_count(context, model, basic, given, false, &now, &more);
  if (status == GEODISK_OK)
    status = place_and_count(context, model, basic, given, true, &before, &old);
  const bool judged = status == GEODISK_OK && geodisk_graph_edges(split.test) > 0;
  if (judged)
    status = knowledge_judge(context, more, closure, &split, 0, &found);
  if (status == GEODISK_OK) {
    bench_table_text("%zu %s, by %s", now.nodes, leaves ? "leaves" : "inner nodes", w->name);
    put_share(now.first, now.nodes);
    put_share(now.five, now.nodes);
    put_share(before.first, before.nodes);
    put_share(before.five, before.nodes);
    bench_table_number(judged ? found.scores[GEODISK_IS_A_HALF_SPACE].auc.value : (double)NAN);
    bench_table_end_row();
    fflush(stdout);
  }
  geodisk_model_destroy(more);
  geodisk_model_destroy(old);
  geodisk_graph_destroy(given);
  geodisk_split_free(&split);
  return status;
}

geodisk_status knowledge_nodes(geodisk_context *context, const knowledge_request *r, const geodisk_graph *closure) {
  geodisk_graph *basic = NULL;
  geodisk_status status = geodisk_graph_reduce(context, closure, &basic);
  if (status == GEODISK_OK)
    bench_table_begin(
        "nodes placed again | parent is first | among five | before: first | among five | AUC of their other edges");
  for (int leaves = 1; leaves >= 0 && status == GEODISK_OK; leaves--) {
    geodisk_split split = {0};
    geodisk_graph *shown = NULL;
    geodisk_model *model = NULL;
    status = take_out(context, r, closure, leaves, GEODISK_GIVEN_PARENT, &split);
    if (status == GEODISK_OK)
      status = without_lone(context, split.train, &shown);
    if (status == GEODISK_OK)
      status = knowledge_train(context, NULL, r->dims[r->n_dims - 1], 0, shown, &model);
    for (int i = 0; i < WAYS && status == GEODISK_OK; i++)
      if (!leaves || ways[i].given != GEODISK_GIVEN_CHILDREN)
        status = nodes_by(context, r, closure, basic, model, &ways[i], leaves);
    geodisk_model_destroy(model);
    geodisk_graph_destroy(shown);
    geodisk_split_free(&split);
  }
  geodisk_graph_destroy(basic);
  return status;
}
