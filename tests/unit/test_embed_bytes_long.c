/* The same bytes for 1, 2, 3, 4 and 8 threads, in one go and with a checkpoint and a resume on the way, on the mammals of WordNet
 * and on 100,000 edges of its nouns (where the database is installed): edge by edge and grouped, float and double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "geodisk/embed.h"

enum { NOUN_EDGES = 100000, EPOCHS = 3, SAVED_AT = 2 };

static geodisk_context *make_context(int threads) {
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
  return context;
}

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

/* ---- files ---- */

typedef struct bytes {
  char *data;
  size_t size;
} bytes;

static bytes read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  bytes b = {NULL, (size_t)ftell(file)};
  rewind(file);
  b.data = malloc(b.size);
  assert_int_equal(fread(b.data, 1, b.size, file), b.size);
  fclose(file);
  remove(path);
  return b;
}

/* Trains on so many threads, stops (resume) at a checkpoint and goes on from it on so many others, and returns the file. */
static bytes train(const geodisk_graph *graph, const geodisk_train_options *o, int threads, int resume) {
  static const char path[] = "embed_bytes.safetensors";
  geodisk_context *context = make_context(threads);
  geodisk_trainer *t = NULL;
  assert_int_equal(geodisk_trainer_create(context, graph, o, &t), GEODISK_OK);
  if (resume > 0) {
    for (int e = 0; e < SAVED_AT; e++)
      assert_int_equal(geodisk_trainer_epoch(t, NULL), GEODISK_OK);
    assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
    geodisk_trainer_destroy(t);
    geodisk_context_destroy(context);
    context = make_context(resume);
    assert_int_equal(geodisk_trainer_resume(context, graph, path, o, &t), GEODISK_OK);
    assert_int_equal(geodisk_trainer_position(t), SAVED_AT);
  }
  assert_int_equal(geodisk_trainer_run(t, NULL, NULL), GEODISK_OK);
  assert_int_equal(geodisk_trainer_position(t), EPOCHS);
  assert_int_equal(geodisk_trainer_save(t, path), GEODISK_OK);
  geodisk_trainer_destroy(t);
  geodisk_context_destroy(context);
  return read_file(path);
}

static void check_same(const geodisk_graph *graph, int dim) {
  static const int threads[] = {1, 2, 3, 4, 8};
  for (int c = 0; c < 4; c++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.dim = dim;
    o.negatives = 10;
    o.epochs = EPOCHS;
    o.precision = c % 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
    o.variant = c < 2 ? GEODISK_VARIANT_EDGE : GEODISK_VARIANT_GROUPED;
    const bytes expected = train(graph, &o, 1, 0);
    for (int i = 0; i < 5; i++)
      for (int resumed = 0; resumed < 2; resumed++) {
        if (i == 0 && !resumed)
          continue;
        const bytes got = train(graph, &o, threads[i], resumed ? threads[4 - i] : 0);
        if (got.size != expected.size || memcmp(got.data, expected.data, got.size) != 0)
          fail_msg("%s, %s, %d threads%s: other bytes than on one thread", c % 2 ? "float" : "double", c < 2 ? "edge" : "grouped",
                   threads[i], resumed ? ", resumed" : "");
        free(got.data);
      }
    o.seed = 2;
    const bytes other = train(graph, &o, 2, 0);
    assert_true(other.size != expected.size || memcmp(other.data, expected.data, other.size) != 0);
    free(other.data);
    free(expected.data);
  }
}

static void test_mammals(void **state) {
  (void)state;
  geodisk_graph *graph = read_mammals();
  check_same(graph, 5);
  geodisk_graph_destroy(graph);
}

static void test_nouns(void **state) {
  (void)state;
  if (access("/usr/share/wordnet/data.noun", R_OK) != 0) {
    print_message("WordNet is not installed: the nouns are left out\n");
    skip();
  }
  geodisk_graph *graph = choose_nouns();
  check_same(graph, 3);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mammals),
      cmocka_unit_test(test_nouns),
  };
  return cmocka_run_group_tests_name("the same bytes", tests, NULL, NULL);
}
