/* paper_gensim.c - gensim's PoincareModel, Debian's, with the paper's parameters: the natural update by the program that the
 * paper's experiments ran on. */
#include "bench/bench.h"
#include "paper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const double paper_gensim_rates[3] = {0.1, 0.5, 2};

size_t paper_gensim_seeds(const paper *p) {
  const size_t asked = paper_seeds(p, 1, PAPER_GENSIM_SEEDS);
  return asked < PAPER_GENSIM_SEEDS ? asked : PAPER_GENSIM_SEEDS;
}

/* Data: a line "seed, child, parent" for every edge of the graph of each seed, as numbers. Prints the points of all nodes, for
 * every rate and every seed; 9 for what is no number. */
static const char gensim_script[] =
    "import sys\n"
    "from multiprocessing import Pool\n"
    "import numpy as np\n"
    "from gensim.models.poincare import PoincareModel\n"
    "dim, negatives, epochs, first, seeds, processes = (int(text) for text in sys.argv[2:8])\n"
    "edges = [[] for _ in range(seeds)]\n"
    "for line in open(sys.argv[1]):\n"
    "    seed, child, parent = line.split()\n"
    "    edges[int(seed)].append((child, parent))\n"
    "nodes = 1 + max(int(node) for edge in edges[0] for node in edge)\n"
    "def train(job):\n"
    "    model = PoincareModel(edges[job[1]], size=dim, alpha=job[0], negative=negatives, epsilon=1e-10,\n"
    "                          regularization_coeff=0, burn_in=0, init_range=(-0.001, 0.001), dtype=np.float64,\n"
    "                          seed=first + job[1])\n"
    "    model.train(epochs=epochs)\n"
    "    return [np.nan_to_num(model.kv[str(node)], nan=9) for node in range(nodes)]\n"
    "with Pool(processes) as pool:\n"
    "    for points in pool.imap(train, [(float(rate), seed) for rate in sys.argv[8:] for seed in range(seeds)]):\n"
    "        print('\\n'.join(' '.join(repr(float(x)) for x in point) for point in points), flush=True)\n";

static void write_edges(const paper_gensim_plan *plan, paper_buffer *out) {
  for (size_t s = 0; s < plan->seeds; s++) {
    const geodisk_graph_rows rows = geodisk_graph_out(plan->graphs[s]);
    for (uint32_t u = 0; u < geodisk_graph_nodes(plan->graphs[s]); u++)
      for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
        paper_append(out, "%zu %u %u\n", s, u, rows.nodes[e]);
  }
}

/* Reads and judges the runs at one rate; a point outside the ball counts as broken, and then all of them. */
static int judge_rate(paper *p, const paper_gensim_plan *plan, bench_program *gensim, size_t rate, double *vectors,
                      double *values) {
  const size_t nodes = geodisk_graph_nodes(plan->graphs[0]), numbers = nodes * (size_t)plan->dim;
  for (size_t s = 0; s < plan->seeds; s++) {
    const geodisk_eval_points points = {.nodes = nodes, .ball = geodisk_unit_ball(plan->dim), .vectors = vectors};
    double *own = values + s * (size_t)plan->measures;
    if (!bench_python_read(gensim, vectors, (int)numbers)) {
      geodisk_log_event(p->context, GEODISK_LOG_WARNING, "gensim did not answer (python3-gensim): it is left out");
      return PAPER_LEFT_OUT;
    }
    if (!plan->judge(plan->user, s, &points, own))
      for (int m = 0; m < plan->measures; m++)
        own[m] = (double)NAN;
    if (!paper_progress(p, (double)(rate * plan->seeds + s + 1) / (double)(plan->n_rates * plan->seeds)))
      return cli_failed(p->context, GEODISK_ERROR_STOPPED);
  }
  return EXIT_OK;
}

/* All runs of gensim go through one pool of as many processes as there are threads. */
int paper_gensim_run(paper *p, const paper_gensim_plan *plan, const paper_sheet *sheet) {
  const size_t numbers = geodisk_graph_nodes(plan->graphs[0]) * (size_t)plan->dim;
  double *vectors = geodisk_allocate(numbers, sizeof *vectors);
  double *values = geodisk_allocate_zero(plan->seeds * (size_t)plan->measures, sizeof *values);
  paper_buffer edges = {0}, arguments = {0};
  bench_program gensim = {0};
  int code = EXIT_OK;
  write_edges(plan, &edges);
  paper_append(&arguments, "%d %d %llu %llu %zu %d", plan->dim, plan->negatives, (unsigned long long)plan->epochs,
               (unsigned long long)plan->first_seed, plan->seeds, geodisk_context_threads(p->context));
  for (size_t i = 0; i < plan->n_rates; i++)
    paper_append(&arguments, " %g", plan->rates[i]);
  if (vectors == NULL || values == NULL || edges.failed || arguments.failed)
    code = cli_error("not enough memory");
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  if (code == EXIT_OK) /* where it does not start, nothing can be read */
    bench_python_start(&gensim, gensim_script, sizeof gensim_script - 1, arguments.text, edges.text, edges.size);
  for (size_t i = 0; code == EXIT_OK && i < plan->n_rates; i++) {
    char keys[96], rate[GEODISK_NUMBER_BYTES];
    code = judge_rate(p, plan, &gensim, i, vectors, values);
    snprintf(keys, sizeof keys, "gensim\t%s%s", shortest_double(plan->rates[i], rate), plan->more_keys);
    if (code == EXIT_OK)
      paper_add_runs(sheet, keys, plan->seeds, values);
  }
  bench_python_end(&gensim);
  geodisk_free_all(vectors, values, edges.text, arguments.text);
  return code;
}
