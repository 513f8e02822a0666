/* bench_train_others.c - gensim's PoincareModel on some of the edges that `geodisk bench train` trains on. */
#include "bench_train.h"

#include <math.h>
#include <stdlib.h>

/* Data: child and parent a line. The model knows all edges, so that its negatives are those of the whole graph; one epoch over a
 * random choice of them is timed. Prints seconds by the clock and by the processor, and how many edges there were. */
static const char gensim_script[] =
    "import random, sys, time\n"
    "from gensim.models.poincare import PoincareModel\n"
    "edges = [tuple(line.split('\\t')[:2]) for line in open(sys.argv[1], encoding='utf-8').read().splitlines()]\n"
    "model = PoincareModel(edges, size=int(sys.argv[2]), negative=int(sys.argv[3]), burn_in=0, seed=1)\n"
    "random.seed(1)\n"
    "model.all_relations = random.sample(model.all_relations, min(int(sys.argv[4]), len(edges)))\n"
    "start, spent = time.perf_counter(), time.process_time()\n"
    "model.train(epochs=1)\n"
    "print(repr(time.perf_counter() - start), repr(time.process_time() - spent), len(model.all_relations))\n";

int bench_train_ask_gensim(void *argument, void *result) {
  const bench_train_run *bench = argument;
  bench_train_gensim *out = result;
  double numbers[3];
  char arguments[96];
  size_t size;
  char *text = bench_read_file(bench->graphs[TRAIN_NOUNS], &size);
  if (text == NULL)
    return cli_error("%s: cannot read", bench->graphs[TRAIN_NOUNS]);
  snprintf(arguments, sizeof arguments, "%d %d %lld", (int)bench->dim, BENCH_TRAIN_FEW, (long long)bench->gensim_edges);
  setenv("OMP_NUM_THREADS", "1", 1); /* gensim has one thread; NumPy below it shall not start others */
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  *out = (bench_train_gensim){(double)NAN, (double)NAN, (double)NAN};
  if (bench_python(gensim_script, sizeof gensim_script - 1, arguments, text, size, numbers, 3))
    *out = (bench_train_gensim){numbers[0], numbers[1], numbers[2]};
  free(text);
  return EXIT_OK;
}
