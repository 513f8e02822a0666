/* The same bytes from the plain loop and the kernels of every instruction set, on 1, 2, 3 and 8 threads, in one go and resumed,
 * on the mammals of WordNet and on 30,000 edges of its nouns (where the database is installed): what the defaults choose, and
 * every set of options in embed_cases.h; float and double. */
#include <unistd.h>

#include "embed_cases.h"

enum { NOUN_EDGES = 30000 };

/* ---- graphs ---- */

static geodisk_graph *read_mammals(void) {
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_read(NULL, GEODISK_TESTS_DIR "/../data/mammals.tsv", NULL, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(graph), 6542);
  return graph;
}

/* The first edges of the closure, with the nodes that they touch. */
static geodisk_graph *choose_nouns(void) {
  geodisk_graph *all = NULL, *graph = NULL;
  assert_int_equal(geodisk_graph_read_wordnet(NULL, "/usr/share/wordnet", NULL, NULL, &all), GEODISK_OK);
  const size_t edges = geodisk_graph_edges(all), nodes = geodisk_graph_nodes(all);
  assert_true(edges > NOUN_EDGES);
  uint32_t *child = malloc(edges * sizeof *child), *parent = malloc(NOUN_EDGES * sizeof *parent), count = 0;
  uint32_t *number = malloc(nodes * sizeof *number);
  geodisk_graph_children(all, child);
  memcpy(parent, geodisk_graph_out(all).nodes, NOUN_EDGES * sizeof *parent);
  memset(number, 0xFF, nodes * sizeof *number);
  for (size_t i = 0; i < 2 * NOUN_EDGES; i++) {
    uint32_t *node = i % 2 ? &parent[i / 2] : &child[i / 2];
    if (number[*node] == UINT32_MAX)
      number[*node] = count++;
    *node = number[*node];
  }
  const geodisk_graph_arrays arrays = {.nodes = count, .edges = NOUN_EDGES, .children = child, .parents = parent};
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(graph), NOUN_EDGES);
  free(child);
  free(parent);
  free(number);
  geodisk_graph_destroy(all);
  return graph;
}

/* ---- comparisons ---- */

static void check_options(const geodisk_graph *graph, const geodisk_train_options *o, const char *what) {
  static const char path[] = "embed_bytes_long.safetensors";
  static const int threads[] = {1, 2, 3, 8};
  const char *sets[MOST_SETS];
  const size_t count = kernel_sets(sets);
  print_message("%s, %s\n", what, is_single(o) ? "float" : "double");
  const bytes expected = train_in((way){"ref", 2, 0, 0}, graph, o, path);
  for (size_t s = 0; s < count; s++)
    for (int i = 0; i < 4; i += s == 0 ? 1 : 3) { /* all numbers of threads by the widest, 1 and 8 by the others */
      const way how = {sets[s], threads[i], (i + (int)s) % 2, threads[3 - i]};
      const bytes got = train_in(how, graph, o, path);
      if (!same_bytes(got, expected))
        fail_msg("%s, %s, %s, %d threads%s: other bytes than the plain loop", what, is_single(o) ? "float" : "double", sets[s],
                 threads[i], how.save_after ? ", resumed" : "");
      free(got.data);
    }
  free(expected.data);
}

static void check_graph(const geodisk_graph *graph, bool all) {
  for (int single = 0; single < 2; single++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.precision = single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
    o.dim = single ? 10 : 5;
    o.core_epochs = 2;
    o.epochs = 2;
    check_options(graph, &o, "defaults");
    for (size_t i = 0; i < EMBED_CASES && all; i++) {
      o = options_of(&embed_cases[i], single);
      o.epochs = 2;
      o.negatives = o.negatives == GEODISK_NEGATIVES_ALL ? o.negatives : 100;
      o.batch = o.batch == 1 ? 20 : o.batch; /* the plain loop clears its sums for every batch */
      check_options(graph, &o, embed_cases[i].name);
    }
  }
}

static void test_mammals(void **state) {
  (void)state;
  geodisk_graph *graph = read_mammals();
  check_graph(graph, true);
  geodisk_graph_destroy(graph);
}

static void test_nouns(void **state) {
  (void)state;
  if (access("/usr/share/wordnet/data.noun", R_OK) != 0) {
    print_message("WordNet is not installed: the nouns are left out\n");
    skip();
  }
  geodisk_graph *graph = choose_nouns();
  check_graph(graph, false);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mammals),
      cmocka_unit_test(test_nouns),
  };
  return cmocka_run_group_tests_name("the same bytes", tests, NULL, NULL);
}
