/* test_graph_distances.c - breadth-first search and Dijkstra against Floyd and Warshall, any number of threads; Gromov's delta
 * against its definition; blocks. */
#include "graph_testing.h"

#include <math.h>

#include "graph/blocks.h"

enum { MOST = 30 };

static geodisk_graph *random_graph(uint64_t seed, size_t *nodes, double length[MOST][MOST]) {
  geodisk_random random = geodisk_random_stream(seed, 12);
  const size_t n = 1 + (size_t)geodisk_random_below(&random, MOST), edges = (size_t)geodisk_random_below(&random, 2 * n);
  uint32_t children[2 * MOST], parents[2 * MOST];
  double weights[2 * MOST];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      length[i][j] = (double)INFINITY;
  for (size_t e = 0; e < edges; e++) {
    children[e] = (uint32_t)geodisk_random_below(&random, n);
    parents[e] = (uint32_t)geodisk_random_below(&random, n);
    weights[e] = (double)geodisk_random_below(&random, 8); /* 0 too; whole numbers, so that sums are exact */
    if (children[e] != parents[e] && isinf(length[children[e]][parents[e]]))
      length[children[e]][parents[e]] = weights[e];
  }
  const geodisk_graph_arrays arrays = {n, NULL, edges, children, parents, weights};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  *nodes = n;
  return graph;
}

/* Shortest paths by the plain definition. */
static void shortest(size_t n, double edge[MOST][MOST], geodisk_way way, bool hops, double out[MOST][MOST]) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double w = way == GEODISK_WAY_TO_CHILDREN ? edge[j][i] : edge[i][j];
      if (way == GEODISK_WAY_BOTH && edge[j][i] < w)
        w = edge[j][i];
      out[i][j] = i == j ? 0 : hops && !isinf(w) ? 1 : w;
    }
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        if (out[i][k] + out[k][j] < out[i][j])
          out[i][j] = out[i][k] + out[k][j];
}

static void all_pairs(void **state) {
  (void)state;
  geodisk_context *contexts[2] = {NULL, NULL};
  assert_int_equal(geodisk_context_create(1, &contexts[0]), GEODISK_OK);
  assert_int_equal(geodisk_context_create(3, &contexts[1]), GEODISK_OK);
  for (uint64_t seed = 0; seed < 200; seed++) {
    size_t n;
    static double edge[MOST][MOST], expected[MOST][MOST];
    geodisk_graph *graph = random_graph(seed, &n, edge);
    geodisk_context *context = contexts[seed % 2];
    for (int way = GEODISK_WAY_BOTH; way <= GEODISK_WAY_TO_CHILDREN; way++) {
      uint32_t hops[MOST * MOST];
      double lengths[MOST * MOST];
      geodisk_distance_info info, length_info, only;
      assert_int_equal(geodisk_graph_hops(context, graph, &(geodisk_path_options){.way = (geodisk_way)way}, hops, &info),
                       GEODISK_OK);
      assert_int_equal(
          geodisk_graph_lengths(context, graph, &(geodisk_path_options){.way = (geodisk_way)way}, lengths, &length_info),
          GEODISK_OK);
      assert_int_equal(geodisk_graph_hops(context, graph, &(geodisk_path_options){.way = (geodisk_way)way}, NULL, &only),
                       GEODISK_OK);
      assert_memory_equal(&only, &info, sizeof info);
      assert_int_equal(geodisk_graph_lengths(context, graph, &(geodisk_path_options){.way = (geodisk_way)way}, NULL, &only),
                       GEODISK_OK);
      assert_memory_equal(&only, &length_info, sizeof info);
      shortest(n, edge, (geodisk_way)way, false, expected);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
          assert_true(lengths[i * n + j] == expected[i][j] || (geodisk_graph_edges(graph) == 0));
      shortest(n, edge, (geodisk_way)way, true, expected);
      uint64_t unreachable = 0;
      double longest = 0, sum = 0;
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
          const uint32_t h = hops[i * n + j];
          assert_int_equal(h == GEODISK_GRAPH_UNREACHABLE, isinf(expected[i][j]));
          unreachable += h == GEODISK_GRAPH_UNREACHABLE;
          if (h != GEODISK_GRAPH_UNREACHABLE) {
            assert_true(h == expected[i][j]);
            sum += h;
            longest = h > longest ? h : longest;
          }
        }
      assert_int_equal(info.pairs, n * (n - 1));
      assert_int_equal(info.unreachable, unreachable);
      assert_true(info.longest == longest);
      const uint64_t reached = info.pairs - unreachable;
      assert_true(info.mean == (reached > 0 ? sum / (double)reached : 0));
    }
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(contexts[0]);
  geodisk_context_destroy(contexts[1]);
}

static void some_sources(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  geodisk_graph *graph = graph_of("a b\nb c\nd e\n"); /* a 0, b 1, c 2, d 3, e 4 */
  const uint32_t sources[] = {2, 0}, bad[] = {0, 5};
  uint32_t hops[10];
  double lengths[5];
  geodisk_distance_info info;
  assert_int_equal(geodisk_graph_hops(context, graph, &(geodisk_path_options){.sources = sources, .n_sources = 2}, hops, &info),
                   GEODISK_OK);
  const uint32_t none = GEODISK_GRAPH_UNREACHABLE, expected[] = {2, 1, 0, none, none, 0, 1, 2, none, none};
  assert_memory_equal(hops, expected, sizeof hops);
  assert_int_equal(info.pairs, 8);
  assert_int_equal(info.unreachable, 4);
  assert_int_equal(geodisk_graph_lengths(
                       context, graph, &(geodisk_path_options){.way = GEODISK_WAY_TO_PARENTS, .sources = sources, .n_sources = 1},
                       lengths, NULL),
                   GEODISK_OK);
  assert_true(lengths[2] == 0 && isinf(lengths[0]) && isinf(lengths[4]));
  assert_int_equal(geodisk_graph_hops(context, graph, &(geodisk_path_options){.sources = bad, .n_sources = 2}, hops, &info),
                   GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "distances: source 1 is 5, there are 5 nodes");
  assert_int_equal(geodisk_graph_hops(context, graph, &(geodisk_path_options){.way = (geodisk_way)3}, hops, &info),
                   GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_hops(context, NULL, NULL, hops, &info), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static void samples(void **state) {
  (void)state;
  enum { ROUNDS = 4000 };
  geodisk_graph *graph = graph_of("a b\nb c\nd e\n");
  int seen[5] = {0};
  uint32_t nodes[5];
  for (uint64_t seed = 0; seed < ROUNDS; seed++) {
    assert_int_equal(geodisk_graph_sample(graph, 2, seed, nodes), 2);
    assert_true(nodes[0] < nodes[1] && nodes[1] < 5);
    seen[nodes[0]]++;
    seen[nodes[1]]++;
  }
  for (int i = 0; i < 5; i++) /* six standard deviations of sqrt(4000 * 6/25) = 31 */
    assert_true(seen[i] > 2 * ROUNDS / 5 - 186 && seen[i] < 2 * ROUNDS / 5 + 186);
  assert_int_equal(geodisk_graph_sample(graph, 9, 1, nodes), 5);
  assert_int_equal(nodes[4], 4);
  geodisk_graph_destroy(graph);
}

/* ---- hyperbolicity ---------------------------------------------------------------------------------------------------- */

/* Delta and its mean over the largest component by the definition. */
static void delta_of(size_t n, double d[MOST][MOST], double *delta, double *mean) {
  size_t best[MOST], size = 0;
  for (size_t u = 0; u < n; u++) {
    size_t in[MOST], count = 0;
    for (size_t v = 0; v < n; v++)
      if (!isinf(d[u][v]))
        in[count++] = v;
    if (count > size) {
      size = count;
      memcpy(best, in, sizeof in);
    }
  }
  double sum = 0, fours = 0;
  *delta = 0;
  for (size_t a = 0; a < size; a++)
    for (size_t b = 0; b < a; b++)
      for (size_t c = 0; c < b; c++)
        for (size_t e = 0; e < c; e++) {
          double s[3] = {d[best[a]][best[b]] + d[best[c]][best[e]], d[best[a]][best[c]] + d[best[b]][best[e]],
                         d[best[a]][best[e]] + d[best[b]][best[c]]};
          for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
              if (s[j] < s[j + 1]) {
                const double t = s[j];
                s[j] = s[j + 1];
                s[j + 1] = t;
              }
          const double value = (s[0] - s[1]) / 2;
          *delta = value > *delta ? value : *delta;
          sum += value;
          fours++;
        }
  *mean = fours > 0 ? sum / fours : 0;
}

static void delta_is_as_defined(void **state) {
  (void)state;
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(2, &context), GEODISK_OK);
  int above_one = 0;
  for (uint64_t seed = 0; seed < 300; seed++) {
    size_t n;
    static double edge[MOST][MOST], d[MOST][MOST];
    geodisk_graph *graph = random_graph(seed, &n, edge);
    double delta, mean;
    geodisk_hyperbolicity h;
    shortest(n, edge, GEODISK_WAY_BOTH, true, d);
    delta_of(n, d, &delta, &mean);
    assert_int_equal(geodisk_graph_hyperbolicity(context, graph, NULL, &h), GEODISK_OK);
    assert_true(h.exact);
    assert_true(h.lower == delta && h.upper == delta);
    assert_true(fabs(h.mean - mean) < 1e-12);
    above_one += delta > 1;
    /* From a sample: the interval must hold the truth. */
    const geodisk_hyperbolicity_options sampled = {.exact_nodes = 3, .sample_nodes = 5, .seed = seed};
    assert_int_equal(geodisk_graph_hyperbolicity(context, graph, &sampled, &h), GEODISK_OK);
    assert_true(h.lower <= delta && delta <= h.upper);
    geodisk_graph_destroy(graph);
  }
  assert_true(above_one > 20); /* the cases were not all trivial */
  geodisk_context_destroy(context);
}

static void known_deltas(void **state) {
  (void)state;
  static const struct {
    geodisk_generate_options options;
    double delta;
  } cases[] = {
      {{.kind = GEODISK_GENERATOR_TREE, .branching = 3, .depth = 5}, 0},
      {{.kind = GEODISK_GENERATOR_GRID, .rows = 2, .columns = 2}, 1},
      {{.kind = GEODISK_GENERATOR_GRID, .rows = 7, .columns = 7}, 6},               /* n x n: n - 1 */
      {{.kind = GEODISK_GENERATOR_GRID, .rows = 4, .columns = 9}, 3},               /* the shorter side less one */
      {{.kind = GEODISK_GENERATOR_BLOCKS, .nodes = 30, .blocks = 1, .p_in = 1}, 0}, /* complete */
      {{.kind = GEODISK_GENERATOR_TREE, .branching = 1, .depth = 0}, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = NULL;
    geodisk_hyperbolicity h;
    assert_int_equal(geodisk_graph_generate(NULL, &cases[i].options, &graph), GEODISK_OK);
    assert_int_equal(geodisk_graph_hyperbolicity(NULL, graph, NULL, &h), GEODISK_OK);
    assert_true(h.exact && h.lower == cases[i].delta);
    geodisk_graph_destroy(graph);
  }
  /* Rings: n/4 if 4 divides n, else (n - 2)/4 rounded down to halves. */
  for (uint32_t n = 4; n <= 25; n++) {
    uint32_t children[25], parents[25];
    for (uint32_t i = 0; i < n; i++) {
      children[i] = i;
      parents[i] = (i + 1) % n;
    }
    const geodisk_graph_arrays arrays = {.nodes = n, .edges = n, .children = children, .parents = parents};
    geodisk_graph *graph = NULL;
    geodisk_hyperbolicity h;
    assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
    assert_int_equal(geodisk_graph_hyperbolicity(NULL, graph, NULL, &h), GEODISK_OK);
    const double expected = n % 4 == 1 ? n / 4 - 0.5 : n / 4;
    assert_true(h.exact && h.lower == expected);
    geodisk_graph_destroy(graph);
  }
}

/* A ring of nine (delta 1.5) and one of eight (delta 2) that share a node: the smaller block decides. */
static void the_smaller_block_may_decide(void **state) {
  (void)state;
  uint32_t children[17], parents[17];
  for (uint32_t i = 0; i < 9; i++) {
    children[i] = i;
    parents[i] = (i + 1) % 9;
  }
  for (uint32_t i = 0; i < 8; i++) {
    children[9 + i] = 8 + i;
    parents[9 + i] = 8 + (i + 1) % 8;
  }
  const geodisk_graph_arrays arrays = {.nodes = 16, .edges = 17, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  geodisk_hyperbolicity h;
  assert_int_equal(geodisk_graph_create(NULL, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_hyperbolicity(NULL, graph, NULL, &h), GEODISK_OK);
  assert_true(h.exact && h.lower == 2);
  geodisk_graph_destroy(graph);
}

static void blocks_of_two_rings_and_a_bridge(void **state) {
  (void)state;
  /* A square a b c d, a triangle c e f at c, an edge f g. */
  geodisk_graph *graph = graph_of("a b\nb c\nc d\nd a\nc e\ne f\nf c\nf g\n");
  block_list blocks;
  assert_int_equal(find_blocks(NULL, graph, 2, &blocks), GEODISK_OK);
  assert_int_equal(blocks.count, 3);
  size_t sizes = 0;
  for (size_t i = 0; i < blocks.count; i++)
    sizes += (size_t)1 << (4 * (blocks.starts[i + 1] - blocks.starts[i]));
  assert_int_equal(sizes, (1 << 8) + (1 << 12) + (1 << 16)); /* one each of 2, 3 and 4 nodes */
  blocks_free(&blocks);
  assert_int_equal(find_blocks(NULL, graph, 4, &blocks), GEODISK_OK);
  assert_int_equal(blocks.count, 1);
  uint32_t members = 0;
  for (uint64_t i = 0; i < blocks.starts[1]; i++)
    members |= 1u << blocks.members[i];
  assert_int_equal(members, 0xf); /* a b c d */
  blocks_free(&blocks);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_pairs),
      cmocka_unit_test(some_sources),
      cmocka_unit_test(samples),
      cmocka_unit_test(delta_is_as_defined),
      cmocka_unit_test(known_deltas),
      cmocka_unit_test(the_smaller_block_may_decide),
      cmocka_unit_test(blocks_of_two_rings_and_a_bridge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
