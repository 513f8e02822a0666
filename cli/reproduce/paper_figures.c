/* paper_figures.c - draws a figure by gnuplot, as PNG and SVG, from a script that stays beside the tables. */
#include "paper.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Colours that every kind of colour vision tells apart (Okabe and Ito), each with a point of its own: geodesic, natural,
 * euclidean, gensim, and two more. x(u), y(u, c): the rows of a table whose first column is u. */
static const char preamble[] = "reset\n"
                               "set encoding utf8\n"
                               "set datafile separator '\\t'\n"
                               "set datafile missing NaN\n"
                               "set datafile columnheaders\n"
                               "set style line 1 lc rgb '#0072B2' lw 2 pt 7 ps 0.7\n"
                               "set style line 2 lc rgb '#D55E00' lw 2 pt 9 ps 0.8 dt (12,4)\n"
                               "set style line 3 lc rgb '#009E73' lw 2 pt 5 ps 0.7 dt (4,4)\n"
                               "set style line 4 lc rgb '#CC79A7' lw 2 pt 13 ps 0.9 dt (12,4,2,4)\n"
                               "set style line 5 lc rgb '#E69F00' lw 2 pt 11 ps 0.8 dt (8,3,2,3,2,3)\n"
                               "set style line 6 lc rgb '#56B4E9' lw 2 pt 6 ps 0.8 dt (2,3)\n"
                               "set style line 7 lc rgb '#E69F00' lw 2 pt 8 ps 1.7\n"
                               "set style line 8 lc rgb '#000000' lw 1.5 dt (2,2)\n"
                               "set style line 9 lc rgb '#999999' lw 1\n"
                               "set grid lc rgb '#DDDDDD' lw 0.7 lt 1\n"
                               "set border lc rgb '#444444'\n"
                               "set tics nomirror\n"
                               "is(u) = strcol(1) eq u\n"
                               "pick(u, c) = is(u) ? column(c) : NaN\n"
                               "is2(u, v) = is(u) && strcol(2) eq v\n"
                               "pick2(u, v, c) = is2(u, v) ? column(c) : NaN\n";

/* Runs gnuplot in the folder with one command; its exit code, -1 if it could not be run. */
static int run_gnuplot(const char *dir, const char *command) {
  const pid_t child = fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    if (chdir(dir) != 0 || freopen("gnuplot.log", "w", stderr) == NULL) /* warnings about curves without points, too */
      _exit(126);
    execlp("gnuplot", "gnuplot", "-e", command, (char *)NULL);
    _exit(127);
  }
  int state;
  const bool fine = waitpid(child, &state, 0) == child && WIFEXITED(state);
  return fine ? WEXITSTATUS(state) : -1;
}

bool paper_has_gnuplot(const paper *p) { return run_gnuplot(p->dir, "x = 1") == 0; }

int paper_draw(const paper *p, const paper_figure *figure) {
  paper_buffer script = {0}, command = {0};
  paper_append(&script, "# %s.gp: draws %s from the tables beside it\n%s%s", figure->name, figure->name, preamble,
               figure->script);
  int code = paper_write_file(p, figure->name, "gp", &script);
  paper_append(&command,
               "set terminal pngcairo enhanced size %d,%d font 'DejaVu Sans,10' background rgb 'white'; set output '%s.png'; "
               "load '%s.gp'; set output; set terminal svg enhanced size %d,%d font 'DejaVu Sans,10' background rgb 'white'; set "
               "output '%s.svg'; load '%s.gp'; set output",
               figure->width, figure->height, figure->name, figure->name, figure->width, figure->height, figure->name,
               figure->name);
  if (code == EXIT_OK && (command.failed || run_gnuplot(p->dir, command.text) != 0))
    code = cli_error("gnuplot could not draw %s/%s.gp: see gnuplot.log there", p->dir, figure->name);
  geodisk_free_all(script.text, command.text);
  return code;
}
