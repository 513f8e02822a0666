/* bench_graphs.h - the graphs of `geodisk bench graphs`, and the embedding that scipy makes of them. */
#pragma once

#include <stdio.h>

#include "args.h"
#include "geodisk/geodisk.h"

typedef enum bench_source {
  BENCH_MADE,     /* by geodisk_graph_generate, or here */
  BENCH_NETWORKX, /* python3-networkx */
  BENCH_APE,      /* r-cran-ape */
  BENCH_DPKG,     /* the packages that are installed, and what they depend on */
  BENCH_WORDNET   /* wordnet-base */
} bench_source;

typedef struct bench_graph_row {
  const char *key;
  bench_source source;
  const char *what; /* as the table says it */
  const char *call; /* of networkx: an expression; of ape: the name of its data */
} bench_graph_row;

enum { BENCH_GRAPHS = 24 };
extern const bench_graph_row bench_graph_rows[BENCH_GRAPHS];

/* What goes into a document. */
typedef struct bench_graphs_page {
  const char *table;  /* the stamp and the table */
  const char *folder; /* of the pictures, as the document calls it */
  bool pictured[BENCH_GRAPHS];
  const void *of; /* measured(of, ...): whether the graph so called was measured in that dimension */
  bool (*measured)(const void *of, const char *what, size_t length, int dim);
} bench_graphs_page;

/* Between the marks of a document. An exit code; what went wrong is printed. */
int bench_graphs_write_page(const char *path, const bench_graphs_page *page);

/* The undirected graph, without loops. What other programs make is kept in the folder `keep` (or NULL), and taken from there.
 * *out NULL with GEODISK_OK: its program or package is not installed. */
geodisk_status bench_graph_make(geodisk_context *context, const bench_graph_row *row, const char *dict, const char *keep,
                                geodisk_graph **out);

/* One line of the table of `--held-out`: means over splits of the MAP (and mean rank) of a tenth of the edges, hidden, as trained
 * by default, in flat space, with the recipe link-prediction, and by shared neighbours. */
enum { BENCH_HELD_OUT_METHODS = 4, BENCH_HELD_OUT_SPLITS = 2 };
geodisk_status bench_graphs_held_out(geodisk_context *context, const bench_graph_row *row, const geodisk_graph *graph, int dim,
                                     FILE *out);

/* Coordinates (nodes x dim) of the graph's Laplacian eigenvectors, by scipy; kept in the folder `keep` too. False: it is not
 * installed, or did not finish. */
bool bench_graph_spectral(const bench_graph_row *row, const geodisk_graph *graph, int dim, const char *keep, double *points);
