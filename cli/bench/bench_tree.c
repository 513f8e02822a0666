/* bench_tree.c - the hierarchy of bench_tree.h.
 *
 * Its law: of the tree in which every node down to a depth has CHILDREN children, the first N nodes in depth-first order, which
 * are their numbers; each has edges to all its ancestors. The depth is the least that has N nodes. Nodes begin where a training
 * would have put them: in the direction of their parent and a half as far aside as that from its own, STEP further out. */
#include "bench_tree.h"

#include <math.h>
#include <string.h>

enum { CHILDREN = 6, MOST_DEPTH = 40, NODES_OF_TASK = 1 << 16 };
#define STEP   1.4
#define NARROW 0.5

/* The ancestors of a node, the root first; returns how many. */
static size_t ancestors(const bench_tree *tree, uint64_t node, uint32_t *out) {
  uint64_t at = 0, size = tree->whole;
  size_t depth = 0;
  while (at < node) {
    size = (size - 1) / CHILDREN;
    const uint64_t child = (node - at - 1) / size;
    out[depth++] = (uint32_t)at;
    at += 1 + child * size;
  }
  return depth;
}

static uint64_t end_of(const bench_tree *tree, size_t task) {
  const uint64_t end = (uint64_t)(task + 1) * NODES_OF_TASK;
  return end < tree->nodes ? end : tree->nodes;
}

/* Lengths first; a task leaves their sum at its own end, from where the next goes on. */
static void count_some(void *arg, size_t task) {
  const bench_tree *tree = arg;
  uint32_t path[MOST_DEPTH];
  uint64_t sum = 0;
  for (uint64_t u = (uint64_t)task * NODES_OF_TASK; u < end_of(tree, task); u++) {
    sum += ancestors(tree, u, path);
    tree->offsets[u + 1] = sum;
  }
}

static void fill_some(void *arg, size_t task) {
  const bench_tree *tree = arg;
  uint32_t path[MOST_DEPTH];
  uint64_t at = tree->offsets[(uint64_t)task * NODES_OF_TASK];
  for (uint64_t u = (uint64_t)task * NODES_OF_TASK; u < end_of(tree, task); u++) {
    const size_t depth = ancestors(tree, u, path);
    memcpy(tree->targets + at, path, depth * sizeof *path);
    at += depth;
    if (u + 1 < end_of(tree, task))
      tree->offsets[u + 1] = at;
  }
}

geodisk_status bench_tree_make(geodisk_context *context, uint64_t nodes, int dim, bench_tree *out) {
  const size_t tasks = (size_t)((nodes + NODES_OF_TASK - 1) / NODES_OF_TASK);
  *out = (bench_tree){.dim = dim, .nodes = nodes, .whole = 1};
  for (uint64_t level = 1; out->whole < nodes; out->whole += level)
    level *= CHILDREN;
  out->offsets = geodisk_allocate(nodes + 1, sizeof *out->offsets);
  if (out->offsets == NULL)
    return geodisk_no_memory(context, "for %llu nodes", (unsigned long long)nodes);
  out->offsets[0] = 0;
  geodisk_parallel(context, tasks, count_some, out);
  uint64_t sum = 0;
  for (size_t i = 0; i < tasks; i++)
    out->offsets[end_of(out, i)] = sum += out->offsets[end_of(out, i)];
  out->targets = geodisk_allocate(sum, sizeof *out->targets);
  if (out->targets == NULL)
    return geodisk_no_memory(context, "for %llu edges", (unsigned long long)sum);
  geodisk_parallel(context, tasks, fill_some, out);
  return GEODISK_OK;
}

/* Numbers between -1 and 1 that belong to a node. */
static double aside(uint32_t node, int k) {
  uint64_t x = ((uint64_t)node << 8 | (uint64_t)(unsigned)k) * 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
  return (double)(int32_t)(x >> 32) * 0x1p-31;
}

void bench_tree_place(void *user, uint32_t node, double *x, double *gap) {
  const bench_tree *tree = user;
  uint32_t path[MOST_DEPTH + 1];
  const size_t depth = ancestors(tree, node, path);
  double width = 1.0, square = 0.0;
  path[depth] = node;
  memset(x, 0, (size_t)tree->dim * sizeof *x);
  for (size_t i = 1; i <= depth; i++, width *= NARROW)
    for (int k = 0; k < tree->dim; k++)
      x[k] += width * aside(path[i], k);
  for (int k = 0; k < tree->dim; k++)
    square += x[k] * x[k];
  const double e = exp(-STEP * (double)depth), norm = (1.0 - e) / (1.0 + e); /* tanh of half the radius */
  for (int k = 0; k < tree->dim; k++)
    x[k] *= depth > 0 ? norm / sqrt(square) : 0.0;
  *gap = 4.0 * e / ((1.0 + e) * (1.0 + e));
}

void bench_tree_free(bench_tree *tree) { geodisk_free_all(tree->offsets, tree->targets); }
