/* What an epoch does: every edge is trained once, blocks hold all units and batches all blocks, shuffles are permutations that
 * differ from epoch to epoch; negatives are neither the source nor one of its targets, and drawn with the right shares. Shares
 * are held by chi-square tests to within 5 standard deviations of its mean. */
#include <math.h>

#include "embed_cases.h"

#define MOST_DEVIATIONS 5.0

/* ---- units, blocks, batches ---- */

/* Every block is in one batch, at one place. */
static void check_batches(const geodisk_trainer *t, const epoch_plan *plan) {
  uint32_t *seen = calloc(plan->blocks, sizeof *seen);
  for (uint64_t batch = 0; batch < plan->batches; batch++) {
    uint64_t units = 0;
    for (uint64_t i = 0; i < embed_batch_blocks(plan); i++) {
      const uint64_t block = embed_block_at(t, plan, batch, i);
      if (block == UINT64_MAX)
        continue;
      assert_true(block < plan->blocks);
      seen[block]++;
      units += plan->block_units;
    }
    assert_true(units <= t->options.batch || units == plan->block_units);
  }
  for (uint64_t block = 0; block < plan->blocks; block++)
    assert_int_equal(seen[block], 1);
  free(seen);
}

/* Every edge is in one unit of one block. Returns how many blocks hold something else than `before` says of the epoch before (the
 * first edge of each block, or UINT64_MAX), and says it anew. */
static uint64_t check_units(const geodisk_trainer *t, const epoch_plan *plan, uint64_t *before) {
  uint32_t *seen = calloc(t->edges, sizeof *seen);
  unit_place units[TRAIN_MOST_UNITS];
  uint64_t moved = 0;
  for (uint64_t block = 0; block < plan->blocks; block++) {
    const size_t n = embed_block_units(t, plan, block, units);
    assert_true(n <= plan->block_units);
    for (size_t i = 0; i < n; i++) {
      assert_in_range(units[i].count, 1, TRAIN_MOST_TARGETS);
      assert_true(units[i].first >= t->out.offsets[units[i].node]);
      assert_true(units[i].first + units[i].count <= t->out.offsets[units[i].node + 1]);
      if (t->options.units == GEODISK_UNITS_SOURCE)
        assert_int_equal(t->order[units[i].place], units[i].node);
      for (uint32_t j = 0; j < units[i].count; j++)
        seen[units[i].first + j]++;
    }
    const uint64_t first = n > 0 ? units[0].first : UINT64_MAX;
    moved += before[block] != first;
    before[block] = first;
  }
  for (size_t e = 0; e < t->edges; e++)
    assert_int_equal(seen[e], 1);
  free(seen);
  return moved;
}

static void test_every_edge_is_in_one_unit(void **state) {
  (void)state;
  enum { EPOCHS = 7 };
  geodisk_context *context = make_context(1);
  for (size_t c = 0; c < EMBED_CASES; c++) {
    geodisk_graph *graph = graph_of_case(embed_cases[c].graph);
    geodisk_train_options o = options_of(&embed_cases[c], false);
    o.core_epochs = 0; /* its trainer is another one */
    o.epochs = EPOCHS;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    uint64_t *before = malloc((t->nodes + t->edges) * sizeof *before);
    memset(before, 0xFF, (t->nodes + t->edges) * sizeof *before);
    for (t->position = 0; t->position < EPOCHS; t->position++) {
      const epoch_plan plan = embed_plan(t);
      assert_true(plan.batches > 0 && plan.blocks > 0);
      check_batches(t, &plan);
      const uint64_t moved = check_units(t, &plan, before);
      if (plan.blocks > 4)
        assert_true(moved > plan.blocks / 2);
    }
    free(before);
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

/* What the history says: all edges, whatever the options. */
static void test_every_edge_is_trained(void **state) {
  (void)state;
  geodisk_context *context = make_context(2);
  for (size_t c = 0; c < EMBED_CASES; c++) {
    geodisk_graph *graph = graph_of_case(embed_cases[c].graph);
    const geodisk_train_options o = options_of(&embed_cases[c], true);
    geodisk_trainer *t = make_trainer(context, graph, &o);
    for (uint64_t i = 0; i < geodisk_trainer_epochs(t); i++) {
      geodisk_train_epoch e;
      assert_int_equal(geodisk_trainer_epoch(t, &e), GEODISK_OK);
      if (i < o.core_epochs)
        assert_in_range(e.edges, 1, geodisk_graph_edges(graph) - 1);
      else
        assert_int_equal(e.edges, geodisk_graph_edges(graph));
    }
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

/* ---- negatives ---- */

/* The candidates of a block that a unit takes as negatives: those of its own edge or the mates of its block, but neither u nor
 * targets. */
static void check_block(const geodisk_trainer *t, const geodisk_graph *graph, const epoch_plan *plan, const drawn_block *d) {
  assert_true(d->candidates <= embed_most_candidates(t, plan));
  assert_true(d->named <= d->candidates);
  for (size_t i = 0; i < d->named; i++)
    for (size_t j = 0; j < i; j++)
      assert_true(d->node[i] != d->node[j]);
  for (size_t i = 0; i < d->units; i++) {
    const train_unit *unit = &d->unit[i];
    const uint32_t u = d->node[unit->source];
    for (size_t c = unit->apart; c < d->candidates; c++) {
      bool target = c == unit->source;
      for (size_t j = 0; j < unit->targets; j++)
        target = target || unit->target[j] == c;
      if (!target && (d->node[c] == u || geodisk_graph_has_edge(graph, u, d->node[c])))
        fail_msg("node %u is a negative of %u, which points to it", d->node[c], u);
    }
  }
}

static void test_negatives_are_no_targets(void **state) {
  (void)state;
  geodisk_context *context = make_context(1);
  for (size_t c = 0; c < EMBED_CASES; c++) {
    geodisk_graph *graph = graph_of_case(embed_cases[c].graph);
    geodisk_train_options o = options_of(&embed_cases[c], false);
    o.core_epochs = 0;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    for (t->position = 0; t->position < 2; t->position++) {
      const epoch_plan plan = embed_plan(t);
      drawn_block d;
      assert_true(embed_comb(t, &plan));
      assert_true(embed_drawn_create(t, embed_most_candidates(t, &plan), &d));
      for (uint64_t block = 0; block < plan.blocks; block++) {
        embed_draw_block(t, &plan, block, &d);
        check_block(t, graph, &plan, &d);
      }
      embed_drawn_destroy(&d);
    }
    geodisk_trainer_destroy(t);
    geodisk_graph_destroy(graph);
  }
  geodisk_context_destroy(context);
}

/* ---- shares ---- */

/* Sum of (count - expected)^2 / expected, in standard deviations of a chi-square variable with so many degrees of freedom above
 * (or below) its mean. */
static double deviations(const double *counts, const double *expected, size_t n, double freedom) {
  double chi = 0.0;
  for (size_t i = 0; i < n; i++)
    if (expected[i] > 0.0)
      chi += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
    else
      assert_true(counts[i] == 0.0);
  return (chi - freedom) / sqrt(2.0 * freedom);
}

typedef struct drawing {
  double *counts;  /* nodes: how often each was drawn */
  double *exposed; /* nodes: in how many blocks it could have been */
} drawing;

/* Draws the blocks of so many epochs; every node but those that a block names can be drawn in it. */
static epoch_plan draw_epochs(geodisk_trainer *t, uint64_t epochs, drawing *out) {
  epoch_plan plan = embed_plan(t);
  drawn_block d;
  assert_true(embed_comb(t, &plan));
  assert_true(embed_drawn_create(t, embed_most_candidates(t, &plan), &d));
  out->counts = calloc(t->nodes, sizeof *out->counts);
  out->exposed = calloc(t->nodes, sizeof *out->exposed);
  for (t->position = 0; t->position < epochs; t->position++) {
    plan = embed_plan(t);
    for (uint64_t block = 0; block < plan.blocks; block++) {
      embed_draw_block(t, &plan, block, &d);
      for (size_t u = 0; u < t->nodes; u++)
        out->exposed[u]++;
      for (size_t c = 0; c < d.candidates; c++)
        if (c < d.named)
          out->exposed[d.node[c]]--;
        else
          out->counts[d.node[c]]++;
    }
  }
  embed_drawn_destroy(&d);
  return plan;
}

/* A chain of 1000 nodes, of which 32 slices have 31 or 32 each: of each slice one is drawn, all with the same probability. */
static void test_uniform_shares(void **state) {
  (void)state;
  enum { NODES = 1000, SLICES = 32, EPOCHS = 20 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(CHAIN, NODES, false);
  geodisk_train_options o = geodisk_train_defaults();
  o.units = GEODISK_UNITS_EDGE;
  o.sampling = GEODISK_SAMPLING_UNIFORM;
  o.negatives = SLICES;
  o.epochs = EPOCHS;
  geodisk_trainer *t = make_trainer(context, graph, &o);
  drawing drawn;
  double expected[NODES];
  draw_epochs(t, EPOCHS, &drawn);
  for (uint32_t i = 0; i < SLICES; i++)
    for (uint32_t at = i * NODES / SLICES; at < (i + 1) * NODES / SLICES; at++)
      expected[t->order[at]] = drawn.exposed[t->order[at]] / ((i + 1) * NODES / SLICES - i * NODES / SLICES);
  const double far = deviations(drawn.counts, expected, NODES, NODES - SLICES);
  if (!(fabs(far) < MOST_DEVIATIONS))
    fail_msg("the shares are off by %g standard deviations", far);
  free(drawn.counts);
  free(drawn.exposed);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* A tree: inner nodes have degrees of their own. By degree^0.5. */
static void test_degree_shares(void **state) {
  (void)state;
  enum { NODES = 63, EPOCHS = 100, K = 5 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, NODES, false);
  geodisk_train_options o = geodisk_train_defaults();
  o.sampling = GEODISK_SAMPLING_DEGREE;
  o.power = 0.5;
  o.negatives = K;
  o.block = 1;
  o.epochs = EPOCHS;
  geodisk_trainer *t = make_trainer(context, graph, &o);
  drawing drawn;
  double expected[NODES], sum = 0.0;
  draw_epochs(t, EPOCHS, &drawn);
  for (uint32_t v = 0; v < NODES; v++)
    sum += expected[v] = sqrt((double)(t->in.offsets[v + 1] - t->in.offsets[v] + t->out.offsets[v + 1] - t->out.offsets[v]));
  for (uint32_t v = 0; v < NODES; v++)
    expected[v] *= K * drawn.exposed[v] / sum;
  /* the block of the root, which has no targets, draws nothing */
  const double far = deviations(drawn.counts, expected, NODES, NODES - 1);
  if (!(fabs(far) < MOST_DEVIATIONS))
    fail_msg("the shares are off by %g standard deviations", far);
  free(drawn.counts);
  free(drawn.exposed);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* Leaves of a star: from a place in the middle, distances from 1 on are log-uniform, to both sides. */
static void test_nearby_shares(void **state) {
  (void)state;
  enum { NODES = 1025, K = 64, OCTAVES = 8 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(STAR, NODES, false);
  geodisk_train_options o = geodisk_train_defaults();
  o.units = GEODISK_UNITS_EDGE;
  o.nearby = 1.0;
  o.negatives = K;
  geodisk_trainer *t = make_trainer(context, graph, &o);
  const epoch_plan plan = embed_plan(t);
  assert_int_equal(plan.near, K);
  assert_int_equal(plan.far, 0);
  drawn_block d;
  double counts[2 * OCTAVES] = {0}, expected[2 * OCTAVES], sum = 0.0;
  assert_true(embed_comb(t, &plan));
  assert_true(embed_drawn_create(t, embed_most_candidates(t, &plan), &d));
  for (uint64_t block = 0; block < plan.blocks; block++) {
    embed_draw_block(t, &plan, block, &d);
    const int64_t from = t->place[d.node[d.unit[0].source]];
    for (size_t c = d.named; c < d.candidates && from > 256 && from < 768; c++) {
      const int64_t away = (int64_t)t->place[d.node[c]] - from;
      const uint64_t distance = (uint64_t)llabs(away);
      assert_true(distance > 0);
      for (int k = 0; k < OCTAVES; k++)
        if (distance >> k == 1)
          counts[2 * k + (away > 0)]++, sum++;
    }
  }
  for (int k = 0; k < 2 * OCTAVES; k++)
    expected[k] = sum / (2 * OCTAVES);
  assert_true(sum > 10000);
  const double far = deviations(counts, expected, 2 * OCTAVES, 2 * OCTAVES - 1);
  if (!(far < MOST_DEVIATIONS))
    fail_msg("the shares are off by %g standard deviations", far);
  embed_drawn_destroy(&d);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* A source that points to all others has no negatives: its edges are skipped and counted; a clique has none at all. */
static void test_no_negatives(void **state) {
  (void)state;
  const struct {
    shape kind;
    uint32_t n;
    uint64_t skipped;
  } cases[] = {{OUT_STAR, 50, 49}, {CLIQUE, 40, 40 * 39}};
  const char *sets[MOST_SETS + 1] = {"ref"};
  const size_t count = 1 + kernel_sets(sets + 1);
  for (int c = 0; c < 4; c++)
    for (size_t s = 0; s < count; s++) {
      geodisk_context *context = context_of(sets[s], 2);
      geodisk_graph *graph = make_graph(cases[c / 2].kind, cases[c / 2].n, false);
      geodisk_train_options o = geodisk_train_defaults();
      o.dim = 3;
      o.negatives = 5;
      o.epochs = 2;
      o.units = (geodisk_units)(c % 2);
      geodisk_trainer *t = make_trainer(context, graph, &o);
      geodisk_train_epoch e;
      assert_int_equal(geodisk_trainer_epoch(t, &e), GEODISK_OK);
      assert_int_equal(e.skipped, cases[c / 2].skipped);
      assert_int_equal(e.edges, geodisk_graph_edges(graph));
      geodisk_trainer_destroy(t);
      geodisk_graph_destroy(graph);
      geodisk_context_destroy(context);
    }
}

/* The share of inner nodes is drawn from these alone: as many far ones as there are slices, one of each, and nearby ones at any
 * distance among them; the rest of both from everywhere. */
static void test_inner_shares(void **state) {
  (void)state;
  enum { FAR = 20, NEAR = 20 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = graph_of_case(HIERARCHY);
  const geodisk_graph_rows in = geodisk_graph_in(graph);
  uint64_t inner = 0, others = 0, drawn = 0;
  double share_of_leaves = 0.0;
  for (int half = 0; half < 2; half++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.units = GEODISK_UNITS_EDGE;
    o.core_epochs = 0;
    o.negatives = FAR + NEAR;
    o.nearby = 0.5;
    o.inner = half ? 0.5 : 1.0;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    const epoch_plan plan = embed_plan(t);
    assert_int_equal(plan.far, FAR);
    assert_int_equal(plan.far_inner, half ? FAR / 2 : FAR);
    assert_int_equal(plan.near_inner, half ? NEAR / 2 : NEAR);
    for (size_t i = 0; i < t->inners; i++) {
      const uint32_t node = t->order[t->inner[i]];
      assert_true(in.offsets[node] < in.offsets[node + 1] && (i == 0 || t->inner[i - 1] < t->inner[i]));
    }
    size_t with_children = 0;
    for (size_t u = 0; u < t->nodes; u++)
      with_children += in.offsets[u] < in.offsets[u + 1];
    assert_int_equal(t->inners, with_children);
    share_of_leaves = 1.0 - (double)with_children / (double)t->nodes;
    drawn_block d;
    assert_true(embed_comb(t, &plan));
    assert_true(embed_drawn_create(t, embed_most_candidates(t, &plan), &d));
    for (uint64_t block = 0; block < plan.blocks; block++) {
      embed_draw_block(t, &plan, block, &d);
      for (size_t c = d.named; c < d.candidates; c++) {
        const bool is_inner = in.offsets[d.node[c]] < in.offsets[d.node[c] + 1];
        if (!half && !is_inner)
          fail_msg("node %u is drawn, which is no inner node", d.node[c]);
        inner += half && is_inner;
        others += half && !is_inner;
        drawn += !half;
      }
    }
    embed_drawn_destroy(&d);
    geodisk_trainer_destroy(t);
  }
  assert_true(drawn > 10000);
  /* half are drawn from the inner nodes, half from all, which have leaves in proportion */
  const double leaves = (double)others / (double)(inner + others), expected = 0.5 * share_of_leaves;
  if (!(leaves > 0.8 * expected && leaves < 1.2 * expected))
    fail_msg("%g of the negatives are leaves, not about %g", leaves, expected);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_edge_is_in_one_unit),
      cmocka_unit_test(test_every_edge_is_trained),
      cmocka_unit_test(test_negatives_are_no_targets),
      cmocka_unit_test(test_uniform_shares),
      cmocka_unit_test(test_degree_shares),
      cmocka_unit_test(test_nearby_shares),
      cmocka_unit_test(test_inner_shares),
      cmocka_unit_test(test_no_negatives),
  };
  return cmocka_run_group_tests_name("the plan of an epoch", tests, NULL, NULL);
}
