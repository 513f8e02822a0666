/* embed_testing.h - what the tests of the trainer share: small graphs of known shapes, contexts and trainers that must be fine,
 * the bytes of files. */
#ifndef GEODISK_EMBED_TESTING_H
#define GEODISK_EMBED_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/trainer.h"

typedef enum shape { TREE, STAR, CHAIN, CLIQUE, OUT_STAR } shape;

static inline bool is_edge_of(shape kind, uint32_t u, uint32_t v) {
  switch (kind) {
  case STAR:
    return v == 0;
  case OUT_STAR:
    return u == 0;
  case CHAIN:
    return v + 1 == u;
  case CLIQUE:
    return true;
  case TREE:
    break;
  }
  while (u > 0)
    if ((u = (u - 1) / 2) == v)
      return true;
  return false;
}

/* TREE: complete binary, closed. STAR: all point to node 0. OUT_STAR: node 0 points to all. CLIQUE: every pair, both ways. */
static inline geodisk_graph *make_graph(shape kind, uint32_t n, bool weighted) {
  size_t room = (size_t)n * n + n, edges = 0;
  uint32_t *child = malloc(room * 4), *parent = malloc(room * 4);
  double *weights = malloc(room * 8);
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t v = 0; v < n; v++) {
      if (u == v || !is_edge_of(kind, u, v))
        continue;
      child[edges] = u;
      parent[edges] = v;
      weights[edges] = 0.5 + (double)(edges % 3);
      edges++;
    }
  const geodisk_graph_arrays arrays = {
      .nodes = n, .edges = edges, .children = child, .parents = parent, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  free(child);
  free(parent);
  free(weights);
  return graph;
}

/* A closed hierarchy with some second parents, and a node with 300 targets: more than one unit has. */
static inline geodisk_graph *make_hub(uint32_t n, bool weighted, bool undirected) {
  const size_t room = 3 * (size_t)n;
  uint32_t *child = malloc(room * 4), *parent = malloc(room * 4);
  double *weights = malloc(room * 8);
  size_t edges = 0;
  for (uint32_t u = 1; u < n; u++)
    for (uint32_t i = 0; i < 3; i++) {
      const bool hub = u == n - 1 && i == 2;
      if ((i == 1 && u % 5 != 0) || (i == 2 && !hub))
        continue;
      for (uint32_t v = 1; v <= (hub ? 300u : 1u); v++) {
        child[edges] = u;
        parent[edges] = hub ? v : i == 0 ? (u - 1) / 3 : (u - 1) / 2;
        weights[edges] = 0.25 + (double)(edges % 7);
        edges++;
      }
    }
  const geodisk_graph_arrays arrays = {
      .nodes = n, .edges = edges, .children = child, .parents = parent, .weights = weighted ? weights : NULL};
  geodisk_graph *graph = NULL, *other = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  if (undirected)
    assert_int_equal(geodisk_graph_undirected(NULL, graph, &other), GEODISK_OK);
  else if (!weighted)
    assert_int_equal(geodisk_graph_closure(NULL, graph, NULL, &other), GEODISK_OK);
  if (other)
    geodisk_graph_destroy(graph);
  free(child);
  free(parent);
  free(weights);
  return other ? other : graph;
}

static inline geodisk_trainer *make_trainer(geodisk_context *context, const geodisk_graph *graph,
                                            const geodisk_train_options *options) {
  geodisk_trainer *t = NULL;
  if (geodisk_trainer_create(context, graph, options, &t) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return t;
}

static inline geodisk_context *make_context(int threads) {
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(threads, &context), GEODISK_OK);
  return context;
}

static inline void train_on(geodisk_context *context, geodisk_trainer *t) {
  if (geodisk_trainer_run(t, NULL, NULL) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
}

static inline void train_epochs(geodisk_context *context, geodisk_trainer *t, int epochs) {
  for (int i = 0; i < epochs; i++)
    if (geodisk_trainer_epoch(t, NULL) != GEODISK_OK)
      fail_msg("%s", geodisk_context_error(context));
}

/* The instruction sets whose kernels are built in and run on this machine; "ref" is not among them. Returns how many. */
enum { MOST_SETS = 4 };
static inline size_t kernel_sets(const char **out) {
  static const char *const names[MOST_SETS] = {"avx512", "avx2", "sse2", "neon"};
  geodisk_context *context = make_context(1);
  size_t n = 0;
  for (size_t i = 0; i < MOST_SETS; i++)
    if (geodisk_train_table(names[i]) && geodisk_use_instruction_set(context, names[i]) == GEODISK_OK)
      out[n++] = names[i];
  geodisk_context_destroy(context);
  return n;
}

/* ---- files ---- */

/* Many small files are written and read back: that they reach the disk is for other tests. Takes the place of the system's. */
int fsync(int fd);
int fsync(int fd) { return fd < 0; }

typedef struct bytes {
  char *data;
  size_t size;
} bytes;

/* The bytes of a file, which is removed; free() its data. */
static inline bytes take_file(const char *path) {
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

static inline bool same_bytes(bytes a, bytes b) { return a.size == b.size && memcmp(a.data, b.data, a.size) == 0; }

/* How training goes: by which instruction set (NULL: the context's own), on how many threads; saved after so many epochs (0: not)
 * and gone on with on so many other threads. */
typedef struct way {
  const char *set;
  int threads, save_after, then_threads;
} way;

static inline geodisk_context *context_of(const char *set, int threads) {
  geodisk_context *context = make_context(threads);
  if (set)
    assert_int_equal(geodisk_use_instruction_set(context, set), GEODISK_OK);
  return context;
}

/* Trains and returns what geodisk_trainer_save writes. */
static inline bytes train_in(way how, const geodisk_graph *graph, const geodisk_train_options *options, const char *path) {
  geodisk_context *context = context_of(how.set, how.threads);
  geodisk_trainer *t = make_trainer(context, graph, options);
  train_epochs(context, t, how.save_after);
  if (how.save_after > 0) {
    if (geodisk_trainer_save(t, path) != GEODISK_OK)
      fail_msg("%s", geodisk_context_error(context));
    geodisk_trainer_destroy(t);
    geodisk_context_destroy(context);
    context = context_of(how.set, how.then_threads);
    if (geodisk_trainer_resume(context, graph, path, options, &t) != GEODISK_OK)
      fail_msg("%s", geodisk_context_error(context));
    assert_int_equal(geodisk_trainer_position(t), how.save_after);
  }
  train_on(context, t);
  if (geodisk_trainer_save(t, path) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  geodisk_trainer_destroy(t);
  geodisk_context_destroy(context);
  return take_file(path);
}

#endif
