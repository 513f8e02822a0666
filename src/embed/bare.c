/* bare.c - a trainer of a graph that is its rows alone: nodes have no names, nobody knows their children, and their numbers are
 * their order. What is done for every node or edge before training is done by all threads. */
#include <fenv.h>
#include <stdatomic.h>
#include <string.h>

#include "placement/placement.h"
#include "trainer.h"

enum { NODES_OF_TASK = 16384 };

typedef struct bare_job {
  const geodisk_trainer *t;
  const geodisk_bare_graph *graph;
  atomic_size_t bad; /* the first node whose row is wrong, or SIZE_MAX */
} bare_job;

static size_t end_of(size_t task, size_t nodes) {
  return nodes - task * NODES_OF_TASK < NODES_OF_TASK ? nodes : (task + 1) * NODES_OF_TASK;
}

static size_t tasks_of(size_t nodes) { return (nodes + NODES_OF_TASK - 1) / NODES_OF_TASK; }

/* ---- the rows ---- */

static bool is_row(const geodisk_bare_graph *g, size_t u) {
  const uint64_t first = g->out.offsets[u], end = g->out.offsets[u + 1];
  if (end < first || end > g->out.offsets[g->nodes])
    return false;
  for (uint64_t e = first; e < end; e++)
    if (g->out.nodes[e] >= g->nodes || g->out.nodes[e] == u || (e > first && g->out.nodes[e] <= g->out.nodes[e - 1]))
      return false;
  return true;
}

static void check_rows(void *arg, size_t task) {
  bare_job *job = arg;
  size_t u = task * NODES_OF_TASK;
  while (u < end_of(task, job->graph->nodes) && is_row(job->graph, u))
    u++;
  if (u == end_of(task, job->graph->nodes))
    return;
  size_t least = atomic_load(&job->bad);
  while (u < least && !atomic_compare_exchange_weak(&job->bad, &least, u))
    ;
}

static geodisk_status check_graph(geodisk_context *context, const geodisk_bare_graph *g) {
  bare_job job = {.graph = g, .bad = SIZE_MAX};
  if (!g || !g->out.offsets || !g->out.nodes)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "a bare graph: its rows are NULL");
  if (g->nodes >= UINT32_MAX)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "a bare graph: %zu nodes are too many", g->nodes);
  geodisk_parallel(context, tasks_of(g->nodes), check_rows, &job);
  const size_t bad = atomic_load(&job.bad);
  return bad == SIZE_MAX ? GEODISK_OK
                         : geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                                        "a bare graph: the targets of node %zu do not ascend, or are no nodes", bad);
}

/* Whether targets of targets are targets, for a sample; a hierarchy has its ancestors before its nodes. */
static void look(const geodisk_trainer *t, graph_facts *out) {
  const size_t step = t->nodes / 512 + 1;
  const uint64_t *offsets = t->out.offsets;
  const uint32_t *nodes = t->out.nodes;
  uint64_t implied = 0, there = 0;
  *out = (graph_facts){.nodes = t->nodes, .edges = t->edges, .acyclic = true};
  for (size_t i = 0; i < t->nodes; i += step)
    for (uint64_t e = offsets[i]; e < offsets[i + 1]; e++) {
      const uint32_t v = nodes[e];
      out->acyclic = out->acyclic && v < i;
      for (uint64_t f = offsets[v], at = offsets[i]; f < offsets[v + 1]; f++) {
        while (at < offsets[i + 1] && nodes[at] < nodes[f])
          at++;
        implied++;
        there += at < offsets[i + 1] && nodes[at] == nodes[f];
      }
    }
  if (out->acyclic)
    embed_judge_closed(implied, there, 0, out);
}

/* ---- the points ---- */

static void place_some(void *arg, size_t task) {
  const bare_job *job = arg;
  const geodisk_trainer *t = job->t;
  double x[GEODISK_DIM_MOST], gap;
  for (size_t u = task * NODES_OF_TASK; u < end_of(task, t->nodes); u++) {
    if (job->graph->place)
      job->graph->place(job->graph->user, (uint32_t)u, x, &gap);
    else
      embed_point_at_random(&t->options, (uint32_t)u, x, &gap);
    memset(trainer_row(t, u), 0, row_bytes(t));
    embed_set_row(t, (uint32_t)u, x, gap);
  }
}

static geodisk_status create_frame(const geodisk_bare_graph *graph, geodisk_trainer *t) {
  graph_facts facts;
  look(t, &facts);
  embed_resolve(&facts, &t->options);
  if (t->nodes > SIZE_MAX / 4 / row_bytes(t))
    return geodisk_fail(t->context, GEODISK_ERROR_MEMORY, "too many nodes");
  const size_t used = t->nodes * row_bytes(t), size = (used + 127) / 64 * 64 + 64; /* as in trainer.c */
  t->rows = embed_allocate_rows(size);
  if (!t->rows)
    return geodisk_no_memory(t->context, "for %zu points", t->nodes);
  memset((char *)t->rows + used, 0, size - used);
  bare_job job = {.t = t, .graph = graph};
  geodisk_parallel(t->context, tasks_of(t->nodes), place_some, &job);
  t->most_weight = embed_heaviest_unit(t, &t->out, t->nodes);
  return GEODISK_OK;
}

static geodisk_status check_options(geodisk_context *context, const geodisk_train_options *o) {
  const char *what = o->start                                                                             ? "a start"
                     : o->burn_in > 0                                                                     ? "a burn-in"
                     : o->core_epochs > 0 && o->core_epochs != GEODISK_CORE_EPOCHS_AUTO                   ? "a core"
                     : o->sampling == GEODISK_SAMPLING_DEGREE                                             ? "sampling by degree"
                     : o->placement != GEODISK_PLACEMENT_AUTO && o->placement != GEODISK_PLACEMENT_RANDOM ? "a placement"
                                                                                                          : NULL;
  return what ? geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s needs more than the rows of a bare graph", what) : GEODISK_OK;
}

geodisk_status geodisk_trainer_create_bare(geodisk_context *context, const geodisk_bare_graph *graph,
                                           const geodisk_train_options *options, geodisk_trainer **out) {
  geodisk_train_options o = options ? *options : geodisk_train_defaults();
  geodisk_status st = embed_check_options(context, &o);
  if (st == GEODISK_OK)
    st = check_options(context, &o);
  if (st == GEODISK_OK)
    st = check_graph(context, graph);
  geodisk_trainer *t = st == GEODISK_OK ? geodisk_allocate_zero(1, sizeof *t) : NULL;
  if (!t)
    return st != GEODISK_OK ? st : geodisk_no_memory(context, "to go on");
  o.core_epochs = 0;
  o.placement = GEODISK_PLACEMENT_RANDOM;
  t->backend = &embed_on_threads;
  t->out = graph->out;
  fenv_t theirs; /* points are placed by rounding to nearest, whatever the caller has set */
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  const size_t edges = (size_t)graph->out.offsets[graph->nodes];
  const double weights = graph->out.weights ? embed_weights_of(graph->out.offsets, graph->out.weights, graph->nodes) : 0.0;
  st = embed_start(context, &o, graph->nodes, edges, graph->out.weights && edges ? weights / (double)edges : 1.0, t);
  if (st == GEODISK_OK)
    st = create_frame(graph, t);
  if (st == GEODISK_OK)
    st = embed_create_units(t);
  fesetenv(&theirs);
  if (st != GEODISK_OK)
    geodisk_trainer_destroy(t);
  else
    *out = t;
  return st;
}
