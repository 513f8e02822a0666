/* bench_eval_others.c - the tasks of `geodisk bench eval` by NumPy (with gensim's distances) and by scipy, on the same models. */
#include "bench_eval.h"

#include <stdlib.h>
#include <string.h>

enum { ASKED = 100 }; /* nodes that NumPy ranks: each takes it some 10 ms */

/* Data: nodes, dim, coordinates, then for each node asked about: itself, how many positives, those. Prints seconds a node for
 * ranks and average precision, seconds a node for the 10 nearest, and the mean rank: best of three. */
static const char rank_script[] = "import sys, time\n"
                                  "import numpy as np\n"
                                  "data = np.fromfile(sys.argv[1])\n"
                                  "n, dim = int(data[0]), int(data[1])\n"
                                  "x, rest = data[2:2 + n * dim].reshape(n, dim), data[2 + n * dim:].astype(int)\n"
                                  "asked = []\n"
                                  "while len(rest):\n"
                                  "    asked.append((rest[0], rest[2:2 + rest[1]]))\n"
                                  "    rest = rest[2 + rest[1]:]\n"
                                  "try:\n"
                                  "    from gensim.models.poincare import PoincareKeyedVectors\n"
                                  "    distances = PoincareKeyedVectors.vector_distance_batch\n"
                                  "except ImportError:\n"
                                  "    def distances(u, x):\n"
                                  "        square = ((x - u) ** 2).sum(1)\n"
                                  "        return np.arccosh(1 + 2 * square / ((1 - u @ u) * (1 - (x * x).sum(1))))\n"
                                  "def rank(u, positives):\n"
                                  "    d = distances(x[u], x)\n"
                                  "    others = np.delete(d, np.append(positives, u))\n"
                                  "    ranks = np.sort(1 + (others[None, :] < d[positives][:, None]).sum(1))\n"
                                  "    order = np.arange(1, len(ranks) + 1)\n"
                                  "    return ranks.sum(), np.mean(order / (ranks + order - 1))\n"
                                  "def near(u):\n"
                                  "    d = distances(x[u], x)\n"
                                  "    first = np.argpartition(d, 10)[:11]\n"
                                  "    return first[np.argsort(d[first])][1:]\n"
                                  "best = [1e9, 1e9]\n"
                                  "for _ in range(3):\n"
                                  "    start = time.perf_counter()\n"
                                  "    total = sum(rank(u, p)[0] for u, p in asked)\n"
                                  "    middle = time.perf_counter()\n"
                                  "    for u, _ in asked:\n"
                                  "        near(u)\n"
                                  "    best = [min(best[0], middle - start), min(best[1], time.perf_counter() - middle)]\n"
                                  "print(repr(best[0] / len(asked)), repr(best[1] / len(asked)),\n"
                                  "      repr(float(total) / sum(len(p) for _, p in asked)))\n";

/* Data: graph distances, then distances of points. Prints seconds and tau-b. */
static const char tau_script[] = "import sys, time\n"
                                 "import numpy as np\n"
                                 "from scipy.stats import kendalltau\n"
                                 "x, y = np.fromfile(sys.argv[1]).reshape(2, -1)\n"
                                 "best = 1e9\n"
                                 "for _ in range(3):\n"
                                 "    start = time.perf_counter()\n"
                                 "    tau = kendalltau(x, y)[0]\n"
                                 "    best = min(best, time.perf_counter() - start)\n"
                                 "print(repr(best), repr(float(tau)))\n";

/* geodisk's mean rank of the nodes that NumPy was asked about. */
static geodisk_status own_mean_rank(const bench_material *m, const uint32_t *nodes, double *out) {
  const geodisk_graph_rows edges = geodisk_relation_rows(m->relation);
  double *ranks = geodisk_allocate(m->points.nodes, sizeof *ranks), sum = 0.0, pairs = 0.0;
  const geodisk_ranking_nodes by_node = {.mean_rank = ranks};
  const geodisk_ranking_options options = {.by_node = &by_node};
  geodisk_ranking ranking;
  const geodisk_status status =
      ranks == NULL ? GEODISK_ERROR_MEMORY : geodisk_eval_ranking(m->context, &m->points, m->relation, NULL, &options, &ranking);
  for (size_t i = 0; status == GEODISK_OK && i < ASKED; i++) {
    const double count = (double)(edges.offsets[nodes[i] + 1] - edges.offsets[nodes[i]]);
    sum += count > 0 ? count * ranks[nodes[i]] : 0.0;
    pairs += count;
  }
  if (status == GEODISK_OK)
    *out = sum / pairs;
  free(ranks);
  return status;
}

static geodisk_status ask_numpy(const bench_material *m, bench_eval_others *r) {
  const size_t n = m->points.nodes, dim = (size_t)geodisk_model_dim(m->model);
  const geodisk_graph_rows edges = geodisk_relation_rows(m->relation);
  uint32_t nodes[ASKED];
  size_t size = 2 + n * dim, judged = 0;
  for (size_t i = 0; i < ASKED; i++) {
    nodes[i] = (uint32_t)((i + 1) * n / (ASKED + 1));
    size += 2 + (size_t)(edges.offsets[nodes[i] + 1] - edges.offsets[nodes[i]]);
  }
  for (size_t u = 0; u < n; u++)
    judged += edges.offsets[u + 1] > edges.offsets[u];
  double *data = geodisk_allocate(size, sizeof *data), numbers[3];
  if (data == NULL)
    return GEODISK_ERROR_MEMORY;
  double *at = data;
  *at++ = (double)n;
  *at++ = (double)dim;
  for (size_t u = 0; u < n; u++, at += dim)
    geodisk_model_point(m->model, (uint32_t)u, at, NULL);
  for (size_t i = 0; i < ASKED; i++) {
    *at++ = (double)nodes[i];
    *at++ = (double)(edges.offsets[nodes[i] + 1] - edges.offsets[nodes[i]]);
    for (uint64_t e = edges.offsets[nodes[i]]; e < edges.offsets[nodes[i] + 1]; e++)
      *at++ = (double)edges.nodes[e];
  }
  const bool there = bench_python(rank_script, sizeof rank_script - 1, "", data, size * sizeof *data, numbers, 3);
  free(data);
  if (!there)
    return GEODISK_OK;
  r->rank = numbers[0] * (double)judged;
  r->near = numbers[1] * BENCH_EVAL_QUERIES;
  r->rank_figure = numbers[2];
  return own_mean_rank(m, nodes, &r->own_figure);
}

/* The pairs of the mammals as geodisk_eval_fit sees them: distances in the reduced graph, distances of points. */
static geodisk_status list_pairs(const bench_material *m, const uint32_t *hops, double *graph, double *points) {
  const size_t n = geodisk_graph_nodes(m->graph);
  geodisk_status status = GEODISK_OK;
  for (size_t u = 0, at = 0; u < n; u++)
    for (size_t v = u + 1; v < n && status == GEODISK_OK; v++, at++) {
      uint32_t a, b;
      const char *from = geodisk_graph_name(m->graph, (uint32_t)u), *to = geodisk_graph_name(m->graph, (uint32_t)v);
      if (!geodisk_model_find(m->model, from, strlen(from), &a) || !geodisk_model_find(m->model, to, strlen(to), &b))
        return GEODISK_ERROR_ARGUMENT;
      graph[at] = (double)hops[u * n + v];
      status = geodisk_model_distance(m->context, m->model, a, b, &points[at]);
    }
  return status;
}

static geodisk_status ask_scipy(const bench_material *m, bench_eval_others *r) {
  const size_t n = geodisk_graph_nodes(m->graph), pairs = n * (n - 1) / 2;
  geodisk_graph *reduced = NULL;
  uint32_t *hops = geodisk_allocate(n, n * sizeof *hops);
  double *data = geodisk_allocate(pairs, 2 * sizeof *data), numbers[2];
  geodisk_status status =
      hops != NULL && data != NULL ? geodisk_graph_reduce(m->context, m->graph, &reduced) : GEODISK_ERROR_MEMORY;
  if (status == GEODISK_OK)
    status = geodisk_graph_hops(m->context, reduced, NULL, hops, NULL);
  if (status == GEODISK_OK)
    status = list_pairs(m, hops, data, data + pairs);
  if (status == GEODISK_OK && bench_python(tau_script, sizeof tau_script - 1, "", data, 2 * pairs * sizeof *data, numbers, 2)) {
    r->tau = numbers[0];
    r->tau_figure = numbers[1];
  }
  geodisk_graph_destroy(reduced);
  geodisk_free_all(hops, data);
  return status;
}

int bench_eval_ask_others(void *argument, void *result) {
  const bench_eval_run *bench = argument;
  bench_eval_others *r = result;
  bench_material nouns = {.context = cli_context(bench->common)}, mammals = {.context = nouns.context};
  geodisk_status status = bench_eval_open(&bench->nouns, &nouns);
  if (status == GEODISK_OK)
    status = ask_numpy(&nouns, r);
  if (status == GEODISK_OK)
    status = bench_eval_open(&bench->mammals, &mammals);
  if (status == GEODISK_OK)
    status = ask_scipy(&mammals, r);
  return status == GEODISK_OK ? EXIT_OK : cli_failed(nouns.context, status);
}
