/* bench.h - the topics of `geodisk bench`, one file each. */
#ifndef GEODISK_CLI_BENCH_H
#define GEODISK_CLI_BENCH_H

#include "args.h"

int bench_graph(int argc, char **argv);
int bench_mean(int argc, char **argv);

#endif
