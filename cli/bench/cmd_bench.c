/* cmd_bench.c - `geodisk bench TOPIC`: the project's own measurements on this machine. One file bench_<topic>.c each. (The folder
 * bench/ at the top has Python programs that time other packages.) */
#include "bench.h"

static const command_entry topics[] = {
    {"cuda", "training and exact ranks on a CUDA device: seconds to a MAP, edges a second, and the processor beside it",
     bench_cuda},
    {"eval", "reconstruction, rank correlation and neighbours on WordNet: time and memory against their bounds", bench_eval},
    {"geometry", "batches of distances and steps: rates, ratios, and gensim's distance on the same points", bench_geometry},
    {"graph", "reading 10^7 random edges and WordNet: time and peak memory against their bounds", bench_graph},
    {"graphs", "graphs of many kinds in 2, 5 and 10 dimensions: as trained by default, in flat space, and by scipy",
     bench_graphs},
    {"knowledge", "entailment and link prediction on WordNet: held-out edges, beside published figures", bench_knowledge},
    {"mean", "barycenters: passes, point-visits a second, and scipy.optimize on the same points", bench_mean},
    {"mpi", "training on ranks of this machine: speed, bytes sent, memory of a rank", bench_mpi},
    {"quality", "mean rank, MAP and seconds of training on WordNet and on other graphs, beside their bounds", bench_quality},
    {"train", "training on WordNet's nouns: edges a second, scaling, instruction sets, memory, and gensim on the same edges",
     bench_train},
    {NULL, NULL, NULL},
};

int cmd_bench(int argc, char **argv) {
  bench_remember(argc, argv);
  return args_dispatch("bench", "the project's own measurements on this machine", topics, argc, argv);
}
