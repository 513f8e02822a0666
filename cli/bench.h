/* bench.h - the topics of `geodisk bench`, one file each. */
#ifndef GEODISK_CLI_BENCH_H
#define GEODISK_CLI_BENCH_H

#include "args.h"

int bench_geometry(int argc, char **argv);
int bench_graph(int argc, char **argv);
int bench_mean(int argc, char **argv);

/* Runs a Python program with the name of a file that holds `data` and then `arguments` on its command line, and reads `count`
 * numbers from what it prints. False if there is no Python, or the program did not print them (it exits when a package is
 * missing). */
bool bench_python(const char *script, size_t script_size, const char *arguments, const void *data, size_t data_size, double *out,
                  int count);

#endif
