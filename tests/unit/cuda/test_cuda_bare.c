/* Graphs that are their rows alone train to the bytes of the same graph with names, on the processor and by the code of src/cuda;
 * rows and options that do not do are refused; and where the edges of a large graph go. */
#include "embed_cases.h"

#include "cuda/train_memory.h"
#include "cuda_host.h"

enum { CHILDREN = 3, DEPTH = 4, DIM = 4, MOST = 200 };

/* A closed tree in depth-first numbers, of equal subtrees: what the trainer finds as its order is 0, 1, 2, ... */
typedef struct bare_tree {
  uint32_t nodes, edges;
  uint64_t offsets[MOST];
  uint32_t children[MOST * DEPTH], parents[MOST * DEPTH];
} bare_tree;

static void grow(bare_tree *t, uint32_t path[DEPTH + 1], size_t depth) {
  const uint32_t u = t->nodes++;
  t->offsets[u] = t->edges;
  for (size_t i = 0; i < depth; i++) {
    t->children[t->edges] = u;
    t->parents[t->edges++] = path[i];
  }
  t->offsets[t->nodes] = t->edges;
  path[depth] = u;
  for (int c = 0; c < CHILDREN && depth < DEPTH; c++)
    grow(t, path, depth + 1);
}

static const bare_tree *make_tree(void) {
  static bare_tree tree;
  uint32_t path[DEPTH + 1];
  tree = (bare_tree){0};
  grow(&tree, path, 0);
  return &tree;
}

static geodisk_train_options bare_options(bool single) {
  geodisk_train_options o = geodisk_train_defaults();
  o.dim = DIM;
  o.epochs = 3;
  o.core_epochs = 0;
  o.negatives = 20;
  o.batch = 64;
  o.placement = GEODISK_PLACEMENT_RANDOM;
  o.precision = single ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
  return o;
}

static void check_bytes(const bare_tree *tree, geodisk_device device, bool single) {
  const geodisk_graph_arrays arrays = {
      .nodes = tree->nodes, .edges = tree->edges, .children = tree->children, .parents = tree->parents};
  const geodisk_bare_graph bare = {.nodes = tree->nodes, .out = {.offsets = tree->offsets, .nodes = tree->parents}};
  static double expected[MOST * DIM], got[MOST * DIM];
  geodisk_context *context = make_context(2);
  geodisk_train_options o = bare_options(single);
  geodisk_graph *graph = NULL;
  geodisk_trainer *t = NULL;
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  t = make_trainer(context, graph, &o);
  train_on(context, t);
  geodisk_trainer_points(t, expected);
  geodisk_trainer_destroy(t);
  o.device = device;
  assert_int_equal(geodisk_trainer_create_bare(context, &bare, &o, &t), GEODISK_OK);
  assert_int_equal(geodisk_trainer_device(t), device);
  train_on(context, t);
  geodisk_trainer_points(t, got);
  assert_memory_equal(got, expected, (size_t)tree->nodes * DIM * sizeof *got);
  geodisk_model *model = NULL;
  assert_int_equal(geodisk_trainer_model(t, &model), GEODISK_ERROR_UNSUPPORTED);
  assert_int_equal(geodisk_trainer_save(t, "bare.st"), GEODISK_ERROR_UNSUPPORTED);
  assert_int_equal(geodisk_trainer_checkpoint(t, "bare.st"), GEODISK_ERROR_UNSUPPORTED);
  assert_non_null(strstr(geodisk_context_error(context), "without names"));
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

static void test_bytes(void **state) {
  (void)state;
  for (int single = 0; single < 2; single++) {
    check_bytes(make_tree(), GEODISK_DEVICE_CPU, single);
    check_bytes(make_tree(), GEODISK_DEVICE_CUDA, single);
  }
}

static void place_in_a_row(void *user, uint32_t node, double *x, double *gap) {
  (void)user;
  memset(x, 0, DIM * sizeof *x);
  x[node % DIM] = node * 0.001;
  *gap = 1.0 - x[node % DIM] * x[node % DIM];
}

/* Nodes begin where the caller puts them. */
static void test_placed(void **state) {
  (void)state;
  static double x[MOST * DIM];
  const bare_tree *tree = make_tree();
  const geodisk_bare_graph bare = {
      .nodes = tree->nodes, .out = {.offsets = tree->offsets, .nodes = tree->parents}, .place = place_in_a_row};
  const geodisk_train_options o = bare_options(false);
  geodisk_trainer *t = NULL;
  assert_int_equal(geodisk_trainer_create_bare(NULL, &bare, &o, &t), GEODISK_OK);
  geodisk_trainer_points(t, x);
  for (uint32_t u = 0; u < tree->nodes; u++)
    for (uint32_t c = 0; c < DIM; c++)
      assert_true(x[u * DIM + c] == (c == u % DIM ? u * 0.001 : 0.0));
  geodisk_trainer_destroy(t);
}

static void refused(const geodisk_bare_graph *bare, const geodisk_train_options *o, const char *text) {
  geodisk_context *context = make_context(1);
  geodisk_trainer *t = NULL;
  assert_int_equal(geodisk_trainer_create_bare(context, bare, o, &t), GEODISK_ERROR_ARGUMENT);
  if (!strstr(geodisk_context_error(context), text))
    fail_msg("\"%s\" does not say \"%s\"", geodisk_context_error(context), text);
  assert_null(t);
  geodisk_context_destroy(context);
}

static void test_refused(void **state) {
  (void)state;
  const uint64_t offsets[] = {0, 0, 1, 3}, falling[] = {0, 2, 1, 3};
  const uint32_t fine[] = {0, 0, 1}, twice[] = {0, 1, 1}, itself[] = {1, 0, 1}, nobody[] = {0, 0, 3};
  const struct {
    const uint64_t *offsets;
    const uint32_t *nodes;
    const char *text;
  } rows[] = {{falling, fine, "node 0"},
              {offsets, twice, "node 2"},
              {offsets, itself, "node 1"},
              {offsets, nobody, "node 2"},
              {offsets, NULL, "NULL"}};
  const geodisk_train_options o = bare_options(false);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    refused(&(geodisk_bare_graph){.nodes = 3, .out = {.offsets = rows[i].offsets, .nodes = rows[i].nodes}}, &o, rows[i].text);
  const geodisk_bare_graph bare = {.nodes = 3, .out = {.offsets = offsets, .nodes = fine}};
  geodisk_train_options other = o;
  other.core_epochs = 2;
  refused(&bare, &other, "a core");
  other = o;
  other.burn_in = 2;
  refused(&bare, &other, "a burn-in");
  other = o;
  other.sampling = GEODISK_SAMPLING_DEGREE;
  refused(&bare, &other, "by degree");
  other = o;
  other.placement = GEODISK_PLACEMENT_TREE;
  refused(&bare, &other, "a placement");
}

/* All on the device, the edges with the host, or neither; with the sizes of a graph of 4e8 nodes and 4e9 edges. */
static void test_memory(void **state) {
  (void)state;
  loss_sample sample = {.edges = 1000};
  const geodisk_trainer t = {
      .options = {.dim = 10, .precision = GEODISK_PRECISION_FLOAT, .block = 32, .batch = 1 << 20, .negatives = 768},
      .sample = &sample,
      .nodes = 400000000,
      .edges = 4000000000,
      .stride = 16};
  const train_needs needs = needs_of(&t, 10);
  const uint64_t batches = 400000000 / (1 << 20) + 1, room = room_of_group(32 * 11 + 768, 32 * 11, 32);
  assert_true(needs.points == 400000000ull * (64 + 88 + 8 + 8 + 4) + 8 + 1000 * (34 * 4 + 8) + batches * 4 + 770 * 4 + room);
  assert_true(needs.edges == 16000000000ull);
  char why[DEVICE_TEXT] = "";
  assert_int_equal(place_edges(&needs, needs.points + needs.edges + 1, UINT64_MAX, why), EDGES_ON_DEVICE);
  assert_int_equal(place_edges(&needs, needs.points + needs.edges, UINT64_MAX, why), EDGES_ON_HOST);
  assert_int_equal(place_edges(&needs, needs.points + 1, UINT64_MAX, why), EDGES_ON_HOST);
  assert_string_equal(why, "");
  assert_int_equal(place_edges(&needs, 10ull << 30, 16ull << 30, why), EDGES_NOWHERE);
  assert_string_equal(why,
                      "training needs 64.08 GiB of the device's memory (and 14.90 GiB for the edges, which can stay with the "
                      "host), 10.00 GiB of 16.00 GiB are free");
}

/* The room of a group is enough for what the blocks of an epoch come to, of all sets of options. */
static void test_room(void **state) {
  (void)state;
  for (size_t i = 0; i < EMBED_CASES; i++) {
    geodisk_graph *graph = graph_of_case(embed_cases[i].graph);
    geodisk_train_options o = options_of(&embed_cases[i], true);
    o.core_epochs = 0;
    geodisk_trainer *t = make_trainer(NULL, graph, &o);
    device_job job;
    fill_job(t, &job);
    const uint32_t targets = most_targets(t);
    for (t->position = 0; t->position < geodisk_trainer_epochs(t); t->position++) {
      job.plan = embed_plan(t);
      const uint32_t warps = size_blocks(&job, targets, 1024) / 32;
      const uint64_t used =
          job.plan.batches * 4 + ((uint64_t)job.plan.far + 1) * 4 + room_of_group(job.most_candidates, job.most_names, warps);
      if (used > needs_of_epoch(t, targets))
        fail_msg("%s: an epoch takes %llu bytes, not %llu", embed_cases[i].name, (unsigned long long)used,
                 (unsigned long long)needs_of_epoch(t, targets));
    }
    t->position = 0;
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
}

/* Ranks and searches say what they need and what is free. */
static void test_told(void **state) {
  (void)state;
  char why[DEVICE_TEXT] = "";
  tell_memory("a ranking", 3ull << 29, 1ull << 30, 16ull << 30, why);
  assert_string_equal(why, "a ranking needs 1.50 GiB of the device's memory, 1.00 GiB of 16.00 GiB are free");
}

static int use_the_host(void **state) {
  (void)state;
  geodisk_device_replace(&host_device);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes),  cmocka_unit_test(test_placed), cmocka_unit_test(test_refused),
      cmocka_unit_test(test_memory), cmocka_unit_test(test_room),   cmocka_unit_test(test_told),
  };
  return cmocka_run_group_tests_name("graphs without names", tests, use_the_host, NULL);
}
