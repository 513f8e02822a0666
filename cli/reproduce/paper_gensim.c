/* paper_gensim.c - gensim's PoincareModel, Debian's, on the mammals with the paper's parameters: the natural update by the
 * program that the paper's experiments ran on. */
#include "bench.h"
#include "paper.h"

#include <stdlib.h>

/* Data: child and parent a line, as numbers. Prints the points of all nodes, for every rate and every seed; 9 for what is no
 * number. */
static const char gensim_script[] =
    "import sys\n"
    "from multiprocessing import Pool\n"
    "import numpy as np\n"
    "from gensim.models.poincare import PoincareModel\n"
    "dim, epochs, seeds, processes = (int(text) for text in sys.argv[2:6])\n"
    "edges = [tuple(line.split('\\t')) for line in open(sys.argv[1]).read().splitlines()]\n"
    "nodes = 1 + max(int(node) for edge in edges for node in edge)\n"
    "def train(job):\n"
    "    model = PoincareModel(edges, size=dim, alpha=job[0], negative=10, epsilon=1e-10, regularization_coeff=0, burn_in=0,\n"
    "                          init_range=(-0.001, 0.001), dtype=np.float64, seed=job[1])\n"
    "    model.train(epochs=epochs)\n"
    "    return [np.nan_to_num(model.kv[str(node)], nan=9) for node in range(nodes)]\n"
    "with Pool(processes) as pool:\n"
    "    for points in pool.imap(train, [(float(rate), seed) for rate in sys.argv[6:] for seed in range(seeds)]):\n"
    "        print('\\n'.join(' '.join(repr(float(x)) for x in point) for point in points), flush=True)\n";

/* What gensim's points are worth; a point outside the ball counts as broken, and then all of them. */
static bool judge_gensim(const paper_mammals_data *mammals, int dim, const double *vectors, paper_quality *out) {
  const geodisk_eval_points points = {
      .nodes = geodisk_graph_nodes(mammals->graph), .ball = geodisk_unit_ball(dim), .vectors = vectors};
  return paper_judge(&points, mammals->relation, NULL, mammals->relation, out) == GEODISK_OK;
}

/* The edges for gensim: child and parent a line. */
static void write_edges(const geodisk_graph *graph, paper_buffer *out) {
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  for (uint32_t u = 0; u < geodisk_graph_nodes(graph); u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++)
      paper_append(out, "%u\t%u\n", u, rows.nodes[e]);
}

/* All runs of gensim go through one pool of as many processes as there are threads. */
int paper_gensim_run(paper *p, const paper_gensim_plan *plan, paper_buffer *out) {
  const size_t n_rates = plan->n_rates, seeds = plan->seeds;
  paper_mammals_data mammals;
  int code = paper_mammals_open(p, &mammals);
  if (code != EXIT_OK)
    return code;
  const size_t numbers = geodisk_graph_nodes(mammals.graph) * (size_t)plan->dim;
  double *vectors = geodisk_allocate(numbers, sizeof *vectors);
  paper_buffer edges = {0}, arguments = {0};
  bench_program gensim = {0};
  write_edges(mammals.graph, &edges);
  paper_append(&arguments, "%d %llu %zu %d", plan->dim, (unsigned long long)plan->epochs, seeds,
               geodisk_context_threads(p->context));
  for (size_t i = 0; i < n_rates; i++)
    paper_append(&arguments, " %g", plan->rates[i]);
  if (vectors == NULL || edges.failed || arguments.failed)
    code = cli_error("not enough memory");
  setenv("OMP_NUM_THREADS", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  bool answers = code == EXIT_OK &&
                 bench_python_start(&gensim, gensim_script, sizeof gensim_script - 1, arguments.text, edges.text, edges.size);
  for (size_t i = 0; code == EXIT_OK && i < n_rates; i++) {
    paper_quality quality[16] = {{0}};
    size_t fine = 0;
    for (size_t s = 0; answers && code == EXIT_OK && s < seeds; s++) {
      answers = bench_python_read(&gensim, vectors, (int)numbers);
      fine += answers && judge_gensim(&mammals, plan->dim, vectors, &quality[fine]);
      if (!paper_progress(p, (double)(i * seeds + s) / (double)(n_rates * seeds)))
        code = cli_failed(p->context, GEODISK_ERROR_STOPPED);
    }
    if (!answers && code == EXIT_OK) {
      geodisk_log_event(p->context, GEODISK_LOG_WARNING, "gensim did not answer (python3-gensim): it is left out");
      code = PAPER_LEFT_OUT;
    }
    paper_cell(out, "gensim");
    paper_number(out, plan->rates[i]);
    paper_quality_cells(out, fine, quality, true);
    paper_number(out, (double)(seeds - fine));
    paper_end_row(out);
  }
  bench_python_end(&gensim);
  free(vectors);
  free(edges.text);
  free(arguments.text);
  paper_mammals_close(&mammals);
  return code;
}
