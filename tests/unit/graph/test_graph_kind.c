/* test_graph_kind.c - hierarchies told from networks, communities, and splits of networks. */
#include "graph_testing.h"

#include <math.h>

static geodisk_context *context;

static int start(void **state) {
  (void)state;
  return geodisk_context_create(2, &context) == GEODISK_OK ? 0 : -1;
}

static int finish(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

/* W. W. Zachary's karate club (1977), members counted from 0, each friendship once. */
static const unsigned char karate[78][2] = {
    {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},  {0, 11},  {0, 12},  {0, 13},
    {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},   {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},
    {2, 3},   {2, 7},   {2, 8},   {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
    {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},  {13, 33}, {14, 32}, {14, 33},
    {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32}, {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29},
    {23, 32}, {23, 33}, {24, 25}, {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
    {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}};
enum { MEMBERS = 34, FRIENDSHIPS = 78 };

static geodisk_graph *karate_club(bool both_ways, const double *weights) {
  uint32_t from[FRIENDSHIPS], to[FRIENDSHIPS];
  geodisk_graph *graph = NULL, *both = NULL;
  for (size_t e = 0; e < FRIENDSHIPS; e++) {
    from[e] = karate[e][0];
    to[e] = karate[e][1];
  }
  const geodisk_graph_arrays arrays = {MEMBERS, NULL, FRIENDSHIPS, from, to, weights};
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  if (!both_ways)
    return graph;
  assert_int_equal(geodisk_graph_undirected(context, graph, &both), GEODISK_OK);
  geodisk_graph_destroy(graph);
  return both;
}

static geodisk_graph *generated(geodisk_generator kind, geodisk_shape shape) {
  const geodisk_generate_options o = {.kind = kind,
                                      .shape = shape,
                                      .nodes = 400,
                                      .branching = 3,
                                      .depth = 4,
                                      .rows = 12,
                                      .columns = 12,
                                      .attach = 3,
                                      .blocks = 4,
                                      .p_in = 0.2,
                                      .p_out = 0.005,
                                      .seed = 3};
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_generate(context, &o, &graph), GEODISK_OK);
  return graph;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------------ */

static void assert_kind(geodisk_graph *graph, geodisk_graph_kind kind, bool closed, const char *why) {
  geodisk_kind_info info = {0};
  assert_int_equal(geodisk_graph_tell_kind(context, graph, &info), GEODISK_OK);
  assert_int_equal(info.kind, kind);
  assert_int_equal(info.closed, closed);
  assert_string_equal(info.why, why);
  geodisk_graph_destroy(graph);
}

static void kinds(void **state) {
  (void)state;
  static const char upwards[] = "its edges lead upwards", closure[] = "it is a transitive closure",
                    dense[] = "its nodes have too many edges for a hierarchy", loops[] = "it has many loops and few leaves";
  assert_kind(generated(GEODISK_GENERATOR_TREE, GEODISK_SHAPE_DIRECTED), GEODISK_KIND_HIERARCHY, false, upwards);
  assert_kind(generated(GEODISK_GENERATOR_RECURSIVE, GEODISK_SHAPE_DIRECTED), GEODISK_KIND_HIERARCHY, false, upwards);
  assert_kind(generated(GEODISK_GENERATOR_RECURSIVE, GEODISK_SHAPE_CLOSED), GEODISK_KIND_HIERARCHY, true, closure);
  assert_kind(generated(GEODISK_GENERATOR_GRID, GEODISK_SHAPE_CLOSED), GEODISK_KIND_HIERARCHY, true, closure);
  assert_kind(generated(GEODISK_GENERATOR_TREE, GEODISK_SHAPE_UNDIRECTED), GEODISK_KIND_NETWORK, false,
              "every edge is there in both directions");
  assert_kind(karate_club(false, NULL), GEODISK_KIND_NETWORK, false, dense); /* each edge once: no cycles, but no hierarchy */
  assert_kind(generated(GEODISK_GENERATOR_BARABASI, GEODISK_SHAPE_DIRECTED), GEODISK_KIND_NETWORK, false, dense);
  assert_kind(generated(GEODISK_GENERATOR_GRID, GEODISK_SHAPE_DIRECTED), GEODISK_KIND_NETWORK, false, loops);
  assert_kind(graph_of("a b\nb c\nc a\nd a\n"), GEODISK_KIND_NETWORK, false, "it has cycles");
  assert_kind(graph_of("a b\nb c\nc d\n"), GEODISK_KIND_HIERARCHY, false, upwards);
  assert_kind(graph_of("a b\n"), GEODISK_KIND_HIERARCHY, false, upwards);
  assert_kind(graph_of("alone\n"), GEODISK_KIND_HIERARCHY, false, upwards);
  /* Several parents each, and many leaves: an ontology. */
  assert_kind(graph_of("p t\nq t\nr t\na p\na q\nb q\nb r\nc p\nc r\nd p\ne q\nf r\ng q\n"), GEODISK_KIND_HIERARCHY, false,
              upwards);
}

/* Cliques in a row: nine of ten chains are closed, but few of the pairs with a path between them are edges. */
static void cliques_in_a_row(void **state) {
  (void)state;
  enum { CLIQUES = 8, SIZE = 9, NODES = CLIQUES * SIZE };
  uint32_t from[NODES * SIZE], to[NODES * SIZE];
  size_t n = 0;
  for (uint32_t u = 0; u < NODES; u++) {
    for (uint32_t v = u + 1; v < (u / SIZE + 1) * SIZE; v++, n++) {
      from[n] = u;
      to[n] = v;
    }
    if (u % SIZE == 0 && u > 0) {
      from[n] = u - 1;
      to[n++] = u;
    }
  }
  const geodisk_graph_arrays arrays = {NODES, NULL, n, from, to, NULL};
  geodisk_graph *graph = NULL;
  geodisk_kind_info info;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_tell_kind(context, graph, &info), GEODISK_OK);
  assert_true(info.closed_share > 0.75);
  assert_kind(graph, GEODISK_KIND_NETWORK, false, "its nodes have too many edges for a hierarchy");
}

/* What is held out of a closure leaves a hierarchy. */
static void training_part_is_a_hierarchy(void **state) {
  (void)state;
  geodisk_graph *closed = generated(GEODISK_GENERATOR_RECURSIVE, GEODISK_SHAPE_CLOSED);
  geodisk_split split;
  assert_int_equal(geodisk_graph_split(context, closed, NULL, &split), GEODISK_OK);
  assert_int_equal(split.kind, GEODISK_KIND_HIERARCHY);
  geodisk_graph_destroy(split.validation);
  geodisk_graph_destroy(split.test);
  geodisk_graph_destroy(closed);
  assert_kind(split.train, GEODISK_KIND_HIERARCHY, true, "it is a transitive closure");
}

/* ---- communities ------------------------------------------------------------------------------------------------------ */

/* The modularity from its definition, over pairs. */
static double modularity(const geodisk_graph *graph, const uint32_t *community) {
  const size_t n = geodisk_graph_nodes(graph);
  const geodisk_graph_rows rows = geodisk_graph_out(graph);
  double *k = test_malloc(n * sizeof *k), all = 0, sum = 0;
  memset(k, 0, n * sizeof *k);
  for (uint32_t u = 0; u < n; u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++) {
      const double w = rows.weights != NULL ? rows.weights[e] : 1;
      k[u] += w;
      k[rows.nodes[e]] += w;
      all += 2 * w;
      sum += community[u] == community[rows.nodes[e]] ? 2 * w : 0;
    }
  sum /= all;
  for (uint32_t u = 0; u < n; u++)
    for (uint32_t v = 0; v < n; v++)
      sum -= community[u] == community[v] ? k[u] * k[v] / all / all : 0;
  test_free(k);
  return sum;
}

static void communities_of_the_karate_club(void **state) {
  (void)state;
  uint32_t once[MEMBERS], twice[MEMBERS];
  geodisk_community_info info = {0};
  geodisk_graph *graph = karate_club(false, NULL), *both = karate_club(true, NULL);
  assert_int_equal(geodisk_graph_communities(context, graph, 0, once, &info), GEODISK_OK);
  assert_int_equal(geodisk_graph_communities(context, both, 0, twice, NULL), GEODISK_OK);
  assert_memory_equal(once, twice, sizeof once);                     /* directions do not count */
  assert_true(info.modularity > 0.415 && info.modularity <= 0.4198); /* 0.41979 is the largest there is */
  assert_true(fabs(info.modularity - modularity(graph, once)) < 1e-12);
  assert_int_equal(info.communities, 4);
  size_t size[MEMBERS] = {0};
  for (size_t u = 0; u < MEMBERS; u++)
    size[once[u]]++;
  for (size_t c = 1; c < info.communities; c++)
    assert_true(size[c] > 0 && size[c] <= size[c - 1]);
  assert_int_equal(geodisk_graph_communities(context, graph, 2, once, &info), GEODISK_OK);
  assert_int_equal(info.communities, 2);
  assert_true(once[0] == once[1] && once[32] == once[33] && once[0] != once[33]); /* how the club broke apart */
  assert_true(fabs(info.modularity - modularity(graph, once)) < 1e-12);
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(both);
}

static void communities_of_blocks(void **state) {
  (void)state;
  uint32_t found[400];
  geodisk_community_info info = {0};
  geodisk_graph *graph = generated(GEODISK_GENERATOR_BLOCKS, GEODISK_SHAPE_DIRECTED);
  assert_int_equal(geodisk_graph_communities(context, graph, 0, found, &info), GEODISK_OK);
  assert_int_equal(info.communities, 4);
  for (size_t u = 0; u < 400; u++)
    assert_int_equal(found[u], found[u / 100 * 100]);
  geodisk_graph_destroy(graph);
}

/* Weights decide; edges of weight 0 join nothing; parts without a way between them are never joined. */
static void weights_and_parts(void **state) {
  (void)state;
  uint32_t c[16];
  geodisk_community_info info = {0};
  geodisk_graph *graph = graph_of("a b 9\nb c 0.1\nc d 9\nd a 0.1\n");
  assert_int_equal(geodisk_graph_communities(context, graph, 0, c, &info), GEODISK_OK);
  assert_true(info.communities == 2 && c[0] == c[1] && c[2] == c[3] && c[0] != c[2]);
  geodisk_graph_destroy(graph);
  graph = graph_of("a b 1\nb c 0\nc d 1\nd a 0\na c 0\n");
  assert_int_equal(geodisk_graph_communities(context, graph, 0, c, &info), GEODISK_OK);
  assert_true(info.communities == 2 && c[0] == c[1] && c[2] == c[3] && c[0] != c[2]);
  geodisk_graph_destroy(graph);
  graph = graph_of("a b 0\nb c 0\n"); /* no weight at all: as without */
  assert_int_equal(geodisk_graph_communities(context, graph, 0, c, &info), GEODISK_OK);
  assert_true(info.communities == 1);
  geodisk_graph_destroy(graph);
  graph = graph_of("a b\nb c\nc a\np q\nx y\nlone\n");
  assert_int_equal(geodisk_graph_communities(context, graph, 1, c, &info), GEODISK_OK);
  assert_int_equal(info.communities, 4);
  assert_true(c[node_of(graph, "a")] == 0 && c[node_of(graph, "lone")] == 3);
  geodisk_graph_destroy(graph);
  graph = graph_of("lone\n");
  assert_int_equal(geodisk_graph_communities(context, graph, 1, c, &info), GEODISK_OK);
  assert_true(info.communities == 1 && isnan(info.modularity));
  assert_int_equal(geodisk_graph_communities(context, graph, 1, NULL, &info), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
}

/* ---- splits ----------------------------------------------------------------------------------------------------------- */

static size_t lonely(const geodisk_graph *train) {
  const geodisk_graph_rows out = geodisk_graph_out(train), in = geodisk_graph_in(train);
  size_t n = 0;
  for (size_t u = 0; u < geodisk_graph_nodes(train); u++)
    n += out.offsets[u] == out.offsets[u + 1] && in.offsets[u] == in.offsets[u + 1];
  return n;
}

/* A network holds out what is asked for, written once or both ways; a share that rounds to an odd number of twins is even. */
static void splits_of_networks(void **state) {
  (void)state;
  for (int both = 0; both < 2; both++)
    for (double percent = 0; percent <= 30; percent += 5) {
      geodisk_graph *graph = karate_club(both, NULL);
      const geodisk_split_options options = {.validation = percent, .test = percent, .seed = 1};
      const size_t edges = (both ? 2 : 1) * (size_t)floor(FRIENDSHIPS * percent / 100 + 0.5);
      geodisk_split s;
      assert_int_equal(geodisk_graph_split(context, graph, &options, &s), GEODISK_OK);
      assert_int_equal(s.kind, GEODISK_KIND_NETWORK);
      assert_int_equal(s.candidates, geodisk_graph_edges(graph));
      assert_int_equal(s.wanted_validation, edges);
      assert_int_equal(s.wanted_test, edges);
      assert_int_equal(geodisk_graph_edges(s.validation), edges);
      if (percent < 30)
        assert_int_equal(geodisk_graph_edges(s.test), edges);
      assert_int_equal(lonely(s.train), 0);
      geodisk_split_free(&s);
      geodisk_graph_destroy(graph);
    }
}

/* As asked for: a hierarchy as a network, a network as a hierarchy (unless it has cycles); and too much asked for. */
static void splits_as_told(void **state) {
  (void)state;
  geodisk_graph *tree = generated(GEODISK_GENERATOR_TREE, GEODISK_SHAPE_DIRECTED), *ring = graph_of("a b\nb c\nc d\nd a\n");
  geodisk_graph *club = karate_club(false, NULL);
  const geodisk_split_options network = {.test = 50, .kind = GEODISK_KIND_NETWORK};
  const geodisk_split_options hierarchy = {.test = 100, .kind = GEODISK_KIND_HIERARCHY};
  const geodisk_split_options neither = {.kind = (geodisk_graph_kind)3};
  struct {
    geodisk_graph *graph;
    const geodisk_split_options *options;
    geodisk_graph_kind kind;
    size_t least, wanted;
  } const cases[] = {{tree, &network, GEODISK_KIND_NETWORK, 20, 60}, /* the other edges lead to leaves */
                     {club, &hierarchy, GEODISK_KIND_HIERARCHY, 35, 35},
                     {ring, &hierarchy, GEODISK_KIND_NETWORK, 1, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_split s;
    assert_int_equal(geodisk_graph_split(context, cases[i].graph, cases[i].options, &s), GEODISK_OK);
    assert_int_equal(s.kind, cases[i].kind);
    assert_int_equal(s.wanted_test, cases[i].wanted);
    assert_true(geodisk_graph_edges(s.test) >= cases[i].least && geodisk_graph_edges(s.test) <= cases[i].wanted);
    assert_int_equal(lonely(s.train), 0);
    geodisk_split_free(&s);
  }
  geodisk_split s;
  assert_int_equal(geodisk_graph_split(context, tree, &neither, &s), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(tree);
  geodisk_graph_destroy(ring);
  geodisk_graph_destroy(club);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kinds),
      cmocka_unit_test(cliques_in_a_row),
      cmocka_unit_test(training_part_is_a_hierarchy),
      cmocka_unit_test(communities_of_the_karate_club),
      cmocka_unit_test(communities_of_blocks),
      cmocka_unit_test(weights_and_parts),
      cmocka_unit_test(splits_of_networks),
      cmocka_unit_test(splits_as_told),
  };
  return cmocka_run_group_tests(tests, start, finish);
}
