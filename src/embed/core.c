/* core.c - epochs of the core alone. The core is the graph without its simple leaves: nodes without children whose nearest
 * parent has all their other parents too, so that they belong beside it wherever it is. What is left is small and holds all that
 * makes an arrangement hard, nodes with several parents: many epochs of it cost little. It has a trainer of its own, which takes
 * its rows from the whole graph's when it is made and gives them back when they are asked for; so a checkpoint needs no
 * more. */
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#include "placement/placement.h"
#include "trainer.h"

struct embed_core {
  geodisk_graph *graph;
  size_t count;
  uint32_t *nodes; /* count: what its nodes are in the whole graph */
  bool *known;     /* nodes of the whole graph */
  geodisk_trainer *trainer;
};

void embed_core_destroy(embed_core *core) {
  if (!core)
    return;
  geodisk_trainer_destroy(core->trainer);
  geodisk_graph_destroy(core->graph);
  geodisk_free_all(core->nodes, core->known, core);
}

/* ---- what the core is ---- */

static bool is_simple_leaf(const geodisk_trainer *t, uint32_t u) {
  const uint32_t parent = embed_nearest_parent(t, u, NULL);
  if (parent == NO_NODE)
    return false;
  for (uint64_t i = t->in.offsets[u]; i < t->in.offsets[u + 1]; i++)
    if (t->in.nodes[i] != parent) /* in an undirected graph it is a child too */
      return false;
  for (uint64_t i = t->out.offsets[u]; i < t->out.offsets[u + 1]; i++)
    if (t->out.nodes[i] != parent && !geodisk_graph_has_edge(t->graph, parent, t->out.nodes[i]))
      return false;
  return true;
}

/* Lists the nodes that are not simple leaves, or all where no edge with a weight joins two of them. Returns how
 * many edges do. */
static size_t find_core(const geodisk_trainer *t, embed_core *core) {
  for (uint32_t u = 0; u < t->nodes; u++)
    core->known[u] = !is_simple_leaf(t, u);
  for (int whole = 0;; whole = 1) {
    size_t edges = 0, heavy = 0;
    core->count = 0;
    for (uint32_t u = 0; u < t->nodes; u++) {
      core->known[u] = core->known[u] || whole;
      if (core->known[u])
        core->nodes[core->count++] = u;
    }
    for (size_t i = 0; i < core->count; i++)
      for (uint64_t e = t->out.offsets[core->nodes[i]]; e < t->out.offsets[core->nodes[i] + 1]; e++)
        if (core->known[t->out.nodes[e]]) {
          edges++;
          heavy += !t->out.weights || t->out.weights[e] > 0.0;
        }
    if (heavy > 0 || whole)
      return edges;
  }
}

/* Its graph: nodes by the names they have, so that errors can tell them. */
static geodisk_status make_graph(const geodisk_trainer *t, embed_core *core, size_t edges) {
  const char **names = geodisk_allocate(core->count, sizeof *names);
  uint32_t *number = geodisk_allocate(t->nodes, sizeof *number);
  uint32_t *children = geodisk_allocate(edges, sizeof *children), *parents = geodisk_allocate(edges, sizeof *parents);
  double *weights = geodisk_allocate(t->out.weights ? edges : 0, sizeof *weights);
  geodisk_status st = GEODISK_ERROR_MEMORY;
  if (!names || !number || !children || !parents || !weights)
    goto done;
  for (size_t i = 0; i < core->count; i++) {
    names[i] = geodisk_graph_name(t->graph, core->nodes[i]);
    number[core->nodes[i]] = (uint32_t)i;
  }
  size_t n = 0;
  for (size_t i = 0; i < core->count; i++)
    for (uint64_t e = t->out.offsets[core->nodes[i]]; e < t->out.offsets[core->nodes[i] + 1]; e++) {
      if (!core->known[t->out.nodes[e]])
        continue;
      children[n] = (uint32_t)i;
      parents[n] = number[t->out.nodes[e]];
      if (t->out.weights)
        weights[n] = t->out.weights[e];
      n++;
    }
  const geodisk_graph_arrays arrays = {core->count, names, n, children, parents, t->out.weights ? weights : NULL};
  st = geodisk_graph_create(t->context, &arrays, NULL, &core->graph);
done:
  geodisk_free_all(names, number, children, parents, weights);
  return st == GEODISK_ERROR_MEMORY ? geodisk_fail(t->context, st, "out of memory for the core of the graph") : st;
}

/* ---- its rows ---- */

static void forget(geodisk_trainer *t) {
  embed_writer_join(t); /* it reads the core */
  embed_core_destroy(t->core);
  t->core = NULL;
}

static geodisk_status create(geodisk_trainer *t) {
  embed_core *core = t->core = geodisk_allocate_zero(1, sizeof *core);
  if (core) {
    core->nodes = geodisk_allocate(t->nodes, sizeof *core->nodes);
    core->known = geodisk_allocate(t->nodes, sizeof *core->known);
  }
  if (!core || !core->nodes || !core->known) {
    forget(t);
    return geodisk_no_memory(t->context, "for the core of the graph");
  }
  const size_t edges = find_core(t, core);
  geodisk_status st = make_graph(t, core, edges);
  if (st == GEODISK_OK)
    st = embed_create_core(t, core->graph, &core->trainer);
  for (size_t i = 0; i < core->count && st == GEODISK_OK; i++)
    memcpy(trainer_row(core->trainer, i), trainer_row(t, core->nodes[i]), row_bytes(t));
  if (st != GEODISK_OK)
    forget(t);
  return st;
}

static geodisk_status fetch(const geodisk_trainer *t) { return t->backend->fetch ? t->backend->fetch(t) : GEODISK_OK; }

geodisk_trainer *embed_core_trainer(const embed_core *core) { return core->trainer; }

void embed_core_spread(const geodisk_trainer *t, const void *core_rows, bool *known) {
  const embed_core *core = t->core;
  fenv_t theirs; /* leaves are placed by rounding to nearest, whatever the caller has set */
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  memset(known, 0, t->nodes * sizeof *known);
  for (size_t i = 0; i < core->count; i++) {
    memcpy(trainer_row(t, core->nodes[i]), (const char *)core_rows + i * row_bytes(t), row_bytes(t));
    known[core->nodes[i]] = true;
  }
  embed_place_beside(t, known);
  fesetenv(&theirs);
}

geodisk_status embed_core_gather(const geodisk_trainer *t) {
  const embed_core *core = t->core;
  const geodisk_status st = fetch(core ? core->trainer : t);
  if (core && st == GEODISK_OK)
    embed_core_spread(t, core->trainer->rows, core->known);
  return st;
}

geodisk_status embed_core_epoch(geodisk_trainer *t, geodisk_train_epoch *out) {
  geodisk_status st = t->core ? GEODISK_OK : create(t);
  if (st == GEODISK_OK) {
    t->core->trainer->position = t->position;
    st = embed_one_epoch(t->core->trainer, out);
  }
  if (st == GEODISK_OK && t->position + 1 == t->options.core_epochs) {
    st = embed_core_gather(t);
    forget(t);
  }
  return st;
}
