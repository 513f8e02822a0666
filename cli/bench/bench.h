/* bench.h - the topics of `geodisk bench`, one file each, and what they measure with. */
#pragma once

#include <stdio.h>

#include "args.h"

int bench_cuda(int argc, char **argv);
int bench_eval(int argc, char **argv);
int bench_geometry(int argc, char **argv);
int bench_graph(int argc, char **argv);
int bench_graphs(int argc, char **argv);
int bench_knowledge(int argc, char **argv);
int bench_mean(int argc, char **argv);
int bench_mpi(int argc, char **argv);
int bench_quality(int argc, char **argv);
int bench_train(int argc, char **argv);

/* Seconds: as the clock on the wall shows them, and as all threads of this process spent them. */
typedef struct bench_time {
  double wall, cpu;
} bench_time;
bench_time bench_now(void);
bench_time bench_since(bench_time start);
bench_time bench_better(bench_time a, bench_time b); /* the smaller of each */

/* The table of a topic for the documents: an option of every topic that has one. */
extern bool bench_markdown;
#define BENCH_MARKDOWN                                                                                                           \
  OPT_FLAG("markdown", 0, &bench_markdown,                                                                                       \
           "print the table of the documents instead: date, machine, commit and command, then the rows")
extern char bench_card[256];                    /* the device that the stamp is to name before the processor; "": none */
void bench_remember(int argc, char **argv);     /* what was typed, from "bench" on */
void bench_stamp(FILE *out);                    /* the line above a table: date, machine, commit, command */
void bench_table_begin(const char *columns);    /* with --markdown the stamp; columns, separated by " | " */
void bench_table_text(const char *format, ...); /* a cell */
void bench_table_number(double value);          /* three digits, no exponent; empty if it is not finite */
void bench_table_numbers(size_t count, const double *values);
void bench_table_count(double value); /* a whole number, 1,000,000 */
void bench_table_end_row(void);
void bench_table_row(const char *format, ...); /* a whole row of texts, separated by " | " */

/* The most memory that this process has had, in bytes. */
double bench_peak_bytes(void);

/* The processor's name; and the first line that a program prints, false if it is not installed. */
void bench_processor(char *name, size_t room);
bool bench_first_line(const char *command, char *line, size_t room);

/* The bytes of a file and a NUL, to be freed; NULL if it cannot be read. */
char *bench_read_file(const char *path, size_t *size);

/* Runs a job in a process of its own, so that its peak of memory is its own; `result` (at most 512 bytes) comes back through a
 * pipe. The job returns an exit code, having said why if it is not EXIT_OK; so does this. */
typedef int bench_job(void *argument, void *result);
int bench_in_child(bench_job *job, void *argument, void *result, size_t size);

/* A new file in $TMPDIR (or /tmp), whose name goes to `path`; NULL after saying why. */
FILE *bench_temporary(char *path, size_t room);
bool bench_temporary_name(char *path, size_t room); /* the same, closed and empty */

/* WordNet's nouns, all or those below `root`, their closure or (direct) the links, into a file at `path`; the graph goes to
 * `out`, if that is not NULL. */
geodisk_status bench_write_nouns(geodisk_context *context, const char *dict, const geodisk_wordnet_options *options,
                                 const char *path, geodisk_graph **out);

/* Runs geodisk itself with these words, --json and --quiet, behind `before` ("" or a launcher). The line that it prints goes to
 * `line`, a number in it by its key to `out`: "map":0.9961, or the first of "map":[0.9961, ... */
geodisk_status bench_run_geodisk(geodisk_context *context, const char *before, const char *words, char *line, size_t room);
bool bench_find_number(const char *line, const char *key, double *out);

/* Runs a Python program with the name of a file that holds `data` and then `arguments` on its command line, and reads `count`
 * numbers from what it prints. False if there is no Python, or the program did not print them (it exits when a package is
 * missing). */
bool bench_python(const char *script, size_t script_size, const char *arguments, const void *data, size_t data_size, double *out,
                  int count);

/* The same in steps, for a program that takes long: start it, read numbers as they come, end it (also after a start that failed).
 */
typedef struct bench_program {
  FILE *pipe;
  char input[32], code[32]; /* temporary files */
} bench_program;
bool bench_python_start(bench_program *program, const char *script, size_t script_size, const char *arguments, const void *data,
                        size_t data_size);
bool bench_python_read(bench_program *program, double *out, int count);
void bench_python_end(bench_program *program);
