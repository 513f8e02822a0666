/* bench_graphs_rows.c - the graphs of `geodisk bench graphs`: what a fresh Debian has in its packages, and what is made here. */
#include "bench_graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

const bench_graph_row bench_graph_rows[BENCH_GRAPHS] = {
    {"karate", BENCH_NETWORKX, "karate club", "karate_club_graph()"},
    {"florentine", BENCH_NETWORKX, "Florentine families", "florentine_families_graph()"},
    {"davis", BENCH_NETWORKX, "Southern women", "davis_southern_women_graph()"},
    {"lesmis", BENCH_NETWORKX, "Les Misérables", "les_miserables_graph()"},
    {"caveman", BENCH_NETWORKX, "connected caves, 30 of 10", "connected_caveman_graph(30, 10)"},
    {"small-world", BENCH_NETWORKX, "small world, 1000", "connected_watts_strogatz_graph(1000, 6, 0.05, seed=1)"},
    {"clustered", BENCH_NETWORKX, "power law with triangles, 1500", "powerlaw_cluster_graph(1500, 3, 0.6, seed=1)"},
    {"random-tree", BENCH_NETWORKX, "random tree, 1000", "random_tree(1000, seed=1)"},
    {"bird-orders", BENCH_APE, "orders of birds", "bird.orders"},
    {"bird-families", BENCH_APE, "families of birds", "bird.families"},
    {"hiv", BENCH_APE, "HIV", "hivtree.newick"},
    {"bats", BENCH_APE, "bats", "chiroptera"},
    {"packages", BENCH_DPKG, "Debian packages", NULL},
    {"grid", BENCH_MADE, "grid 20 x 20", NULL},
    {"long-grid", BENCH_MADE, "grid 8 x 60", NULL},
    {"tree", BENCH_MADE, "tree of 5 children", NULL},
    {"binary-tree", BENCH_MADE, "binary tree", NULL},
    {"recursive-tree", BENCH_MADE, "random recursive tree", NULL},
    {"barabasi", BENCH_MADE, "Barabási-Albert, m = 2", NULL},
    {"barabasi-1", BENCH_MADE, "Barabási-Albert, m = 1", NULL},
    {"blocks", BENCH_MADE, "stochastic blocks", NULL},
    {"hyperbolic", BENCH_MADE, "random hyperbolic graph", NULL},
    {"verbs", BENCH_WORDNET, "WordNet's verbs", NULL},
    {"nouns", BENCH_WORDNET, "WordNet's nouns", NULL},
};

enum { SEED = 1 };

/* ---- made here ---- */

static geodisk_status generate(geodisk_context *context, const char *key, geodisk_graph **out) {
  static const struct {
    const char *key;
    geodisk_generate_options options;
  } made[] = {
      {"grid", {.kind = GEODISK_GENERATOR_GRID, .rows = 20, .columns = 20}},
      {"long-grid", {.kind = GEODISK_GENERATOR_GRID, .rows = 8, .columns = 60}},
      {"tree", {.kind = GEODISK_GENERATOR_TREE, .branching = 5, .depth = 4}},
      {"binary-tree", {.kind = GEODISK_GENERATOR_TREE, .branching = 2, .depth = 9}},
      {"recursive-tree", {.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 1000}},
      {"barabasi", {.kind = GEODISK_GENERATOR_BARABASI, .nodes = 2000, .attach = 2}},
      {"barabasi-1", {.kind = GEODISK_GENERATOR_BARABASI, .nodes = 1000, .attach = 1}},
      {"blocks", {.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 480, .blocks = 8, .p_in = 0.15, .p_out = 0.005}},
  };
  for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
    if (strcmp(made[i].key, key) == 0) {
      geodisk_generate_options options = made[i].options;
      options.shape = GEODISK_SHAPE_UNDIRECTED;
      options.seed = SEED;
      return geodisk_graph_generate(context, &options, out);
    }
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "there is no graph \"%s\"", key);
}

/* Krioukov et al. 2010: nodes uniform in a disk of the hyperbolic plane, denser by alpha, joined where nearer than its radius. */
static geodisk_status hyperbolic_graph(geodisk_context *context, geodisk_graph **out) {
  enum { NODES = 1500, MOST = 60000 };
  const double radius = 2.0 * log(NODES) - 1.0, alpha = 0.75;
  static double r[NODES], angle[NODES];
  uint32_t *from = geodisk_allocate(MOST, sizeof *from), *to = geodisk_allocate(MOST, sizeof *to);
  geodisk_random random = geodisk_random_stream(SEED, 0);
  size_t edges = 0;
  for (size_t i = 0; i < NODES; i++) {
    r[i] = acosh(1.0 + (cosh(alpha * radius) - 1.0) * geodisk_random_uniform(&random)) / alpha;
    angle[i] = 2.0 * acos(-1.0) * geodisk_random_uniform(&random);
  }
  for (uint32_t i = 0; i < NODES && from && to; i++)
    for (uint32_t j = i + 1; j < NODES && edges < MOST; j++)
      if (cosh(r[i]) * cosh(r[j]) - sinh(r[i]) * sinh(r[j]) * cos(angle[i] - angle[j]) < cosh(radius)) {
        from[edges] = i;
        to[edges++] = j;
      }
  const geodisk_graph_arrays arrays = {.nodes = NODES, .edges = edges, .children = from, .parents = to};
  const geodisk_status status =
      from && to ? geodisk_graph_create(context, &arrays, NULL, out) : geodisk_no_memory(context, "for a graph");
  geodisk_free_all(from, to);
  return status;
}

/* ---- made by others ---- */

/* Writes edges "a TAB b" of the largest component. */
static const char networkx_script[] = "import sys\n"
                                      "import networkx as nx\n"
                                      "g = nx.Graph(eval('nx.' + sys.argv[2]))\n"
                                      "g.remove_edges_from(list(nx.selfloop_edges(g)))\n"
                                      "g = g.subgraph(max(nx.connected_components(g), key=len))\n"
                                      "with open(sys.argv[1], 'w') as out:\n"
                                      "    for a, b in sorted(tuple(sorted(map(str, e))) for e in g.edges()):\n"
                                      "        out.write(a + '\\t' + b + '\\n')\n";

/* The packages that are installed; of alternatives the first one counts. */
static const char dpkg_script[] = "import re, subprocess, sys\n"
                                  "text = subprocess.run(['dpkg-query', '-W', '-f', '${Package}\\t${Depends}\\n'],\n"
                                  "                      capture_output=True, text=True, check=True).stdout\n"
                                  "rows = dict(line.split('\\t') for line in text.splitlines())\n"
                                  "with open(sys.argv[1], 'w') as out:\n"
                                  "    for name in sorted(rows):\n"
                                  "        for part in sorted(set(re.findall(r'(?:^|, )([a-z0-9.+-]+)', rows[name]))):\n"
                                  "            if part in rows and part != name:\n"
                                  "                out.write(name + '\\t' + part + '\\n')\n";

static const char ape_script[] = "suppressMessages(library(ape))\n"
                                 "arguments <- commandArgs(TRUE)\n"
                                 "data(list = arguments[2])\n"
                                 "tree <- get(arguments[2])\n"
                                 "if (is.character(tree)) tree <- read.tree(text = tree)\n"
                                 "write.tree(tree, arguments[1])\n";

/* Runs a program with the name of the file to write and a text. False if it is not there or fails. */
static bool run_script(const char *program, const char *script, const char *file, const char *argument) {
  char code[4096], command[3 * 4096];
  FILE *out = bench_temporary(code, sizeof code);
  if (out == NULL)
    return false;
  fputs(script, out);
  const bool written = fclose(out) == 0;
  snprintf(command, sizeof command, "%s '%s' '%s' '%s' >/dev/null 2>&1", program, code, file, argument);
  const bool fine = written && system(command) == 0; /* NOLINT(cert-env33-c): a fixed command */
  unlink(code);
  return fine;
}

static geodisk_status by_others(geodisk_context *context, const bench_graph_row *row, const char *keep, geodisk_graph **out) {
  char path[4096];
  const char *end = row->source == BENCH_APE ? "nwk" : "tsv";
  if (keep != NULL) {
    snprintf(path, sizeof path, "%s/%s.%s", keep, row->key, end);
  } else {
    FILE *file = bench_temporary(path, sizeof path);
    if (file == NULL)
      return geodisk_fail(context, GEODISK_ERROR_IO, "a temporary file cannot be made");
    fclose(file);
  }
  bool there = keep != NULL && access(path, R_OK) == 0;
  if (!there && row->source == BENCH_APE)
    there = run_script("Rscript", ape_script, path, row->call);
  else if (!there)
    there = run_script("/usr/bin/python3", row->source == BENCH_DPKG ? dpkg_script : networkx_script, path,
                       row->call != NULL ? row->call : "");
  const geodisk_graph_read_options options = {.format = row->source == BENCH_APE ? GEODISK_GRAPH_NEWICK : GEODISK_GRAPH_EDGES};
  const geodisk_status status = there ? geodisk_graph_read(context, path, &options, NULL, out) : GEODISK_OK;
  if (keep == NULL)
    unlink(path);
  return status;
}

geodisk_status bench_graph_make(geodisk_context *context, const bench_graph_row *row, const char *dict, const char *keep,
                                geodisk_graph **out) {
  geodisk_graph *graph = NULL;
  geodisk_status status = GEODISK_OK;
  *out = NULL;
  if (row->source == BENCH_WORDNET) {
    const geodisk_wordnet_options options = {.pos = row->key[0], .direct = true};
    if (access(dict, R_OK) == 0)
      status = geodisk_graph_read_wordnet(context, dict, &options, NULL, &graph);
  } else if (row->source != BENCH_MADE) {
    status = by_others(context, row, keep, &graph);
  } else {
    status = strcmp(row->key, "hyperbolic") == 0 ? hyperbolic_graph(context, &graph) : generate(context, row->key, &graph);
  }
  if (status == GEODISK_OK && graph != NULL)
    status = geodisk_graph_undirected(context, graph, out);
  geodisk_graph_destroy(graph);
  return status;
}

/* ---- scipy ---- */

/* Data: nodes, dim, then pairs of nodes. Eigenvectors of the normalised adjacency matrix with the largest eigenvalues but the
 * first, divided by the root of the degree: Laplacian eigenmaps (Belkin & Niyogi 2003). Prints seconds, then coordinates. */
static const char spectral_script[] = "import sys, time\n"
                                      "import numpy as np\n"
                                      "from scipy.sparse import coo_matrix, diags\n"
                                      "from scipy.sparse.linalg import eigsh\n"
                                      "data = np.fromfile(sys.argv[1])\n"
                                      "n, dim = int(data[0]), int(data[1])\n"
                                      "u, v = data[2:].reshape(-1, 2).astype(int).T\n"
                                      "start = time.perf_counter()\n"
                                      "a = coo_matrix((np.ones(len(u)), (u, v)), shape=(n, n)).tocsr()\n"
                                      "d = 1 / np.sqrt(np.maximum(np.asarray(a.sum(1)).ravel(), 1))\n"
                                      "m = diags(d) @ a @ diags(d)\n"
                                      "if n <= 2500:\n"
                                      "    w, x = np.linalg.eigh(m.toarray())\n"
                                      "else:\n"
                                      "    w, x = eigsh(m, k=dim + 1, which='LA', v0=np.ones(n), tol=1e-6)\n"
                                      "x = (x[:, np.argsort(-w)[1:dim + 1]] * d[:, None])\n"
                                      "x = np.pad(x, ((0, 0), (0, dim - x.shape[1])))\n"
                                      "print(repr(time.perf_counter() - start))\n"
                                      "for row in x:\n"
                                      "    print(' '.join(repr(float(c)) for c in row))\n";

/* Coordinates as they are kept. */
static bool kept(const char *path, const char *mode, double *points, size_t count) {
  FILE *file = fopen(path, mode);
  if (file == NULL)
    return false;
  const size_t done = mode[0] == 'r' ? fread(points, sizeof *points, count, file) : fwrite(points, sizeof *points, count, file);
  return fclose(file) == 0 && done == count;
}

static bool compute_spectral(const geodisk_graph *graph, int dim, double *points) {
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  const size_t nodes = geodisk_graph_nodes(graph), edges = geodisk_graph_edges(graph);
  double *data = geodisk_allocate(2 * edges + 2, sizeof *data);
  if (data == NULL)
    return false;
  size_t at = 0;
  data[at++] = (double)nodes;
  data[at++] = dim;
  for (size_t u = 0; u < nodes; u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++) {
      data[at++] = (double)u;
      data[at++] = (double)rows.nodes[e];
    }
  bench_program program;
  double seconds;
  const bool fine = bench_python_start(&program, spectral_script, sizeof spectral_script - 1, "", data, at * sizeof *data) &&
                    bench_python_read(&program, &seconds, 1) && bench_python_read(&program, points, (int)(nodes * (size_t)dim));
  bench_python_end(&program);
  free(data);
  return fine;
}

bool bench_graph_spectral(const bench_graph_row *row, const geodisk_graph *graph, int dim, const char *keep, double *points) {
  const size_t count = geodisk_graph_nodes(graph) * (size_t)dim;
  char path[512];
  if (keep != NULL) {
    snprintf(path, sizeof path, "%s/%s-%d.spectral", keep, row->key, dim);
    if (kept(path, "rb", points, count))
      return true;
  }
  const bool fine = compute_spectral(graph, dim, points);
  if (fine && keep != NULL)
    kept(path, "wb", points, count);
  return fine;
}
