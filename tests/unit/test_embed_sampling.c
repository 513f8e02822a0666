/* test_embed_sampling.c - negatives are drawn as said, in bounded time for every graph: with the right shares, distinct, never a
 * positive; edges in company share no row; what has no negatives is skipped and counted. */
#include <math.h>

#include "embed_testing.h"

/* Chi-square of counts against expected shares; returns how many standard deviations it lies above its mean. */
static double excess(const double *counts, const double *shares, size_t n) {
  double total = 0.0, chi = 0.0, used = -1.0;
  for (size_t i = 0; i < n; i++)
    total += counts[i];
  for (size_t i = 0; i < n; i++) {
    if (shares[i] == 0.0) {
      assert_true(counts[i] == 0.0);
      continue;
    }
    double e = shares[i] * total;
    chi += (counts[i] - e) * (counts[i] - e) / e;
    used += 1.0;
  }
  return (chi - used) / sqrt(2.0 * used);
}

/* Negatives of u alone; returns how many. */
static size_t draw_for(geodisk_trainer *t, worker *w, uint32_t u, const pool *from, geodisk_sampling sampling, size_t wanted,
                       uint32_t *index) {
  company c = {.steps = {{.u = u, .index = index}}, .count = 1, .place = {t->strata.place[u]}, .places = 1};
  embed_negatives(t, w, from, sampling, wanted, &c);
  return c.steps[0].negatives;
}

static void test_negatives_are_drawn_as_said(void **state) {
  (void)state;
  enum { N = 63, DRAWS = 40000 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, N, false);
  for (int kind = 0; kind < 2; kind++) {
    geodisk_train_options o = geodisk_train_defaults();
    o.sampling = kind ? GEODISK_SAMPLING_DEGREE : GEODISK_SAMPLING_UNIFORM;
    o.negatives = 1;
    o.parts = 1;
    geodisk_trainer *t = make_trainer(context, graph, &o);
    embed_deal(t, 0);
    if (kind)
      embed_build_aliases(t);
    worker *w = embed_take_worker(t);
    const uint32_t u = 40;
    double counts[N] = {0}, shares[N], sum = 0.0;
    for (uint32_t v = 0; v < N; v++) {
      shares[v] = geodisk_graph_has_edge(graph, u, v) || v == u ? 0.0
                  : kind ? (double)(t->in.offsets[v + 1] - t->in.offsets[v] + t->out.offsets[v + 1] - t->out.offsets[v])
                         : 1.0;
      sum += shares[v];
    }
    for (uint32_t v = 0; v < N; v++)
      shares[v] /= sum;
    alias table;
    const pool from = embed_pool(t, 0, o.sampling, &table);
    embed_start_stream(w, stream_of(STREAM_BUCKET, 0, 0));
    for (int i = 0; i < DRAWS; i++) {
      uint32_t index[4 + TRAIN_PAD];
      assert_int_equal(draw_for(t, w, u, &from, o.sampling, 1, index), 1);
      counts[index[0]]++;
    }
    assert_true(fabs(excess(counts, shares, N)) < 4.5);
    /* K of them: distinct, and each equally often (uniform) */
    double many[N] = {0};
    for (int i = 0; i < DRAWS / 10; i++) {
      uint32_t index[10 + TRAIN_PAD];
      size_t n = draw_for(t, w, u, &from, GEODISK_SAMPLING_UNIFORM, 10, index);
      assert_int_equal(n, 10);
      for (size_t a = 0; a < n; a++) {
        many[index[a]]++;
        for (size_t b = 0; b < a; b++)
          assert_true(index[a] != index[b]);
      }
    }
    if (!kind)
      assert_true(excess(many, shares, N) < 4.5); /* less spread than independent draws, never more */
    /* more than there are: all of the complement */
    uint32_t index[N + TRAIN_PAD];
    size_t left = N - 1 - (t->out.offsets[u + 1] - t->out.offsets[u]);
    assert_int_equal(draw_for(t, w, u, &from, o.sampling, N - 2, index), left);
    assert_int_equal(draw_for(t, w, u, &from, o.sampling, 1000, index), left);
    embed_give_worker(t, w);
    geodisk_trainer_destroy(t);
  }
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* Two edges in company: neither draws a row of the other, and those of the second are as evenly drawn as those of the first,
 * whether they are positives of the first or not. */
static void test_company_shares_no_row(void **state) {
  (void)state;
  enum { N = 63, DRAWS = 40000, K = 10 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(TREE, N, true);
  geodisk_train_options o = geodisk_train_defaults();
  o.parts = 1;
  geodisk_trainer *t = make_trainer(context, graph, &o);
  embed_deal(t, 0);
  worker *w = embed_take_worker(t);
  alias table;
  const pool from = embed_pool(t, 0, GEODISK_SAMPLING_UNIFORM, &table);
  const uint32_t u[2] = {40, 62};
  embed_start_stream(w, stream_of(STREAM_BUCKET, 0, 0));
  double counts[2][N] = {{0}}, shares[2][N];
  for (int i = 0; i < 2; i++) {
    double sum = 0.0;
    for (uint32_t v = 0; v < N; v++)
      sum += shares[i][v] = v == u[0] || v == u[1] || geodisk_graph_has_edge(graph, u[i], v) ? 0.0 : 1.0;
    for (uint32_t v = 0; v < N; v++)
      shares[i][v] /= sum;
  }
  for (int round = 0; round < DRAWS; round++) {
    uint32_t index[2][K + TRAIN_PAD];
    company c = {.count = 2, .place = {t->strata.place[u[0]], t->strata.place[u[1]]}, .places = 2};
    for (int i = 0; i < 2; i++)
      c.steps[i] = (train_step){.u = u[i], .index = index[i]};
    embed_negatives(t, w, &from, GEODISK_SAMPLING_UNIFORM, K, &c);
    assert_true(c.apart);
    for (int i = 0; i < 2; i++) {
      assert_int_equal(c.steps[i].negatives, K);
      for (int a = 0; a < K; a++)
        counts[i][index[i][a]]++;
    }
    for (int a = 0; a < K; a++)
      for (int b = 0; b < K; b++)
        assert_true(index[0][a] != index[1][b] && (a == b || (index[0][a] != index[0][b] && index[1][a] != index[1][b])));
  }
  for (int i = 0; i < 2; i++)
    assert_true(excess(counts[i], shares[i], N) < 4.5);
  uint32_t index[2][N + TRAIN_PAD];
  company c = {.count = 2, .place = {t->strata.place[u[0]], t->strata.place[u[1]]}, .places = 2, .apart = true};
  for (int i = 0; i < 2; i++)
    c.steps[i] = (train_step){.u = u[i], .index = index[i]};
  embed_negatives(t, w, &from, GEODISK_SAMPLING_UNIFORM, N - 3, &c);
  assert_false(c.apart); /* there are not so many */
  embed_give_worker(t, w);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* Nearby draws: never outside, never u, and nearer places more often than farther ones. */
static void test_nearby_negatives(void **state) {
  (void)state;
  enum { N = 255 };
  geodisk_context *context = make_context(1);
  geodisk_graph *graph = make_graph(STAR, N, false);
  geodisk_train_options o = geodisk_train_defaults();
  o.nearby = 0.5;
  o.parts = 1;
  geodisk_trainer *t = make_trainer(context, graph, &o);
  embed_deal(t, 0);
  worker *w = embed_take_worker(t);
  embed_start_stream(w, stream_of(STREAM_BUCKET, 0, 0));
  alias table;
  const pool from = embed_pool(t, 0, GEODISK_SAMPLING_NEARBY, &table);
  const uint32_t place = 100, u = t->strata.nodes[place];
  double near = 0, far = 0;
  for (int i = 0; i < 5000; i++) {
    uint32_t index[2 + TRAIN_PAD];
    assert_int_equal(draw_for(t, w, u, &from, GEODISK_SAMPLING_NEARBY, 2, index), 2);
    for (int j = 0; j < 2; j++) {
      assert_true(index[j] != u && index[j] != 0);
      for (uint32_t at = 0; at < N; at++)
        if (t->strata.nodes[at] == index[j]) {
          near += abs((int)at - (int)place) <= 8;
          far += abs((int)at - (int)place) >= 64;
        }
    }
  }
  assert_true(near > 5000 * 0.35 && far > 5000 * 0.5); /* uniform alone: 0.13 and 1.0 of 5,000 */
  embed_give_worker(t, w);
  geodisk_trainer_destroy(t);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
}

/* A source that points to all others has no negatives: its edges are skipped and counted; a clique has none at all. */
static void test_no_negatives(void **state) {
  (void)state;
  geodisk_context *context = make_context(2);
  const struct {
    shape kind;
    uint32_t n;
    uint64_t skipped;
  } cases[] = {{OUT_STAR, 50, 49}, {CLIQUE, 40, 40 * 39}};
  for (int c = 0; c < 2; c++)
    for (int variant = 0; variant < 2; variant++) {
      geodisk_graph *graph = make_graph(cases[c].kind, cases[c].n, false);
      geodisk_train_options o = geodisk_train_defaults();
      o.dim = 3;
      o.negatives = 5;
      o.parts = 1;
      o.variant = (geodisk_variant)variant;
      geodisk_trainer *t = make_trainer(context, graph, &o);
      geodisk_train_epoch e;
      assert_int_equal(geodisk_trainer_epoch(t, &e), GEODISK_OK);
      assert_int_equal(e.skipped, cases[c].skipped);
      assert_int_equal(e.edges + e.skipped, geodisk_graph_edges(graph));
      geodisk_trainer_destroy(t);
      geodisk_graph_destroy(graph);
    }
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_negatives_are_drawn_as_said),
      cmocka_unit_test(test_company_shares_no_row),
      cmocka_unit_test(test_nearby_negatives),
      cmocka_unit_test(test_no_negatives),
  };
  return cmocka_run_group_tests_name("negatives", tests, NULL, NULL);
}
