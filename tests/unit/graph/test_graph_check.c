/* test_graph_check.c - what check finds, topic by topic, in graphs that have it and in graphs that have not. */
#include "graph_testing.h"

#include <math.h>

static geodisk_context *context;

static int set_up(void **state) {
  (void)state;
  return geodisk_context_create(1, &context) == GEODISK_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

static geodisk_check *check_of(const char *text) {
  geodisk_graph *graph = NULL;
  geodisk_graph_read_info info;
  geodisk_check *check = NULL;
  assert_int_equal(read_text(context, text, NULL, &info, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_check(context, graph, &info, NULL, &check), GEODISK_OK);
  geodisk_graph_destroy(graph); /* a check stands by itself */
  return check;
}

static const geodisk_finding *finding(const geodisk_check *check, const char *topic) {
  size_t count;
  const geodisk_finding *all = geodisk_check_findings(check, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(all[i].topic, topic) == 0)
      return &all[i];
  fail_msg("nothing about %s", topic);
  return NULL;
}

static void says(const char *text, const char *topic, geodisk_finding_level level, const char *what) {
  geodisk_check *check = check_of(text);
  const geodisk_finding *f = finding(check, topic);
  assert_string_equal(f->finding, what);
  assert_int_equal(f->level, level);
  assert_true(strlen(f->advice) > 5 && f->advice[strlen(f->advice) - 1] == '.');
  geodisk_check_destroy(check);
}

static const char tidy[] = "dog mammal\ncat mammal\nmammal animal\nbird animal\n";

static void directions(void **state) {
  (void)state;
  says(tidy, "direction", GEODISK_FINDING_FINE,
       "The first column looks like the child, the second like the parent (roots: 1, leaves: 3).");
  says("mammal dog\nmammal cat\nanimal mammal\nanimal bird\n", "direction", GEODISK_FINDING_PROBLEM,
       "The first column looks like the parent, not the child (nodes without a parent: 3, without a child: 1).");
  says("a b\nb a\n", "direction", GEODISK_FINDING_NOTE, "Every edge is there in both directions: the graph is undirected.");
  says("a b\nb c\n", "direction", GEODISK_FINDING_NOTE, "The direction cannot be told from the shape (roots: 1, leaves: 1).");
  /* As many roots as leaves, but one family of three. */
  says("a r\nb r\nc r\nr p\nr q\np x\nq x\nr y\nr z\n", "direction", GEODISK_FINDING_NOTE,
       "The direction cannot be told from the shape (roots: 3, leaves: 3).");
}

static void cycles(void **state) {
  (void)state;
  says(tidy, "cycles", GEODISK_FINDING_FINE, "There are no cycles; edges on the longest path: 2.");
  says("a b\nb c\nc a\nd a\n", "cycles", GEODISK_FINDING_PROBLEM,
       "There are cycles, for example a -> b -> c -> a (nodes on cycles: 3).");
  says("a b\nb a\n", "cycles", GEODISK_FINDING_FINE, "Cycles are of no concern in an undirected graph.");
}

static void components(void **state) {
  (void)state;
  says(tidy, "components", GEODISK_FINDING_FINE, "All nodes are connected.");
  says("a b\nc d\ne\n", "components", GEODISK_FINDING_NOTE,
       "There are 3 components; the largest has 40 % of the nodes; nodes without an edge: 1.");
}

static void dropped(void **state) {
  (void)state;
  says(tidy, "self_loops", GEODISK_FINDING_FINE, "There are no self-loops.");
  says("a b\na a\n", "self_loops", GEODISK_FINDING_NOTE, "There are self-loops; left out: 1.");
  says(tidy, "duplicates", GEODISK_FINDING_FINE, "There are no duplicate edges.");
  says("a b\na b\na b\n", "duplicates", GEODISK_FINDING_NOTE, "There are duplicate edges; left out: 2.");
}

static void names(void **state) {
  (void)state;
#define DIFFER "Some names differ from another only in case, blanks, underscores or hyphens: "
  says(tidy, "names", GEODISK_FINDING_FINE, "No two names differ only in case, blanks, underscores or hyphens.");
  says("New York,USA\nnew_york,usa\nNEW-YORK,us\n", "names", GEODISK_FINDING_NOTE,
       DIFFER "'New York' and 'new_york', 'USA' and 'usa', 'New York' and 'NEW-YORK' (in all: 3).");
  says("a\xc2\xa0"
       "b,c\nA B,c\xe2\x80\x8b\n",
       "names", GEODISK_FINDING_NOTE,
       DIFFER "'a\xc2\xa0"
              "b' and 'A B', 'c' and 'c\xe2\x80\x8b' (in all: 2).");
  says("\" dog\",a\ndog,_a\n", "names", GEODISK_FINDING_NOTE, DIFFER "' dog' and 'dog', 'a' and '_a' (in all: 2).");
  says("a,A\nb,B\nc,C\nd,D\n", "names", GEODISK_FINDING_NOTE, DIFFER "'a' and 'A', 'b' and 'B', 'c' and 'C', ... (in all: 4).");
  says("ab,a b\n", "names", GEODISK_FINDING_FINE, "No two names differ only in case, blanks, underscores or hyphens.");
}

static void closure(void **state) {
  (void)state;
  says(tidy, "closure", GEODISK_FINDING_NOTE,
       "The graph is not closed: of its chains of two edges 0 % have the direct edge as well.");
  says("dog mammal\ncat mammal\nmammal animal\ndog animal\n", "closure", GEODISK_FINDING_NOTE,
       "The graph is not closed: of its chains of two edges 50 % have the direct edge as well.");
  says("dog mammal\ncat mammal\nmammal animal\ndog animal\ncat animal\n", "closure", GEODISK_FINDING_FINE,
       "The graph is transitively closed: every ancestor is given by an edge.");
  says("dog mammal\ncat mammal\n", "closure", GEODISK_FINDING_FINE,
       "There are no chains of two edges, so the graph is its own closure.");
}

static void hyperbolicity(void **state) {
  (void)state;
  says("a b\nb c\nc d\nd e\na e\n", "hyperbolicity", GEODISK_FINDING_NOTE,
       "Gromov's delta is 0.5; its mean over fours of nodes is 0.5 at a mean distance of 1.5.");
  geodisk_check *check = check_of("dog mammal\ncat mammal\nmammal animal\ndog animal\ncat animal\n");
  const geodisk_check_figures *f = geodisk_check_get_figures(check);
  assert_true(f->delta_known && f->delta_on_reduction && f->delta.exact && f->delta.lower == 0);
  assert_true(f->closed_share == 1);
  assert_int_equal(f->direction, GEODISK_DIRECTION_CHILD_FIRST);
  assert_int_equal(f->facts.nodes, 4);
  geodisk_check_destroy(check);
  geodisk_graph *graph = graph_of(tidy);
  const geodisk_check_options without = {.no_hyperbolicity = true};
  assert_int_equal(geodisk_graph_check(context, graph, NULL, &without, &check), GEODISK_OK);
  assert_false(geodisk_check_get_figures(check)->delta_known);
  size_t count;
  geodisk_check_findings(check, &count);
  assert_int_equal(count, 7);
  geodisk_check_destroy(check);
  geodisk_graph_destroy(graph);
}

/* More chains than are looked at one by one: 600 -> 1000 -> 600 nodes, all joined, and half of the direct edges. */
static void sampled_closure(void **state) {
  (void)state;
  enum { SIDE = 600, MIDDLE = 1000 };
  const size_t most = 2 * SIDE * MIDDLE + SIDE * SIDE;
  uint32_t *children = test_malloc(most * sizeof *children), *parents = test_malloc(most * sizeof *parents);
  size_t edges = 0;
  for (uint32_t i = 0; i < SIDE; i++) {
    for (uint32_t j = 0; j < MIDDLE; j++) {
      children[edges] = i;
      parents[edges++] = SIDE + j;
      children[edges] = SIDE + j;
      parents[edges++] = SIDE + MIDDLE + i;
    }
    for (uint32_t k = 0; k < SIDE; k += 2) {
      children[edges] = i;
      parents[edges++] = SIDE + MIDDLE + k;
    }
  }
  const geodisk_graph_arrays arrays = {.nodes = 2 * SIDE + MIDDLE, .edges = edges, .children = children, .parents = parents};
  geodisk_graph *graph = NULL;
  geodisk_check *check = NULL;
  const geodisk_check_options without = {.no_hyperbolicity = true};
  assert_int_equal(geodisk_graph_create(context, &arrays, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_check(context, graph, NULL, &without, &check), GEODISK_OK);
  const geodisk_check_figures *f = geodisk_check_get_figures(check);
  assert_true(f->closed_sampled);
  assert_true(f->closed_share == 0.5);
  geodisk_check_destroy(check);
  geodisk_graph_destroy(graph);
  test_free(children);
  test_free(parents);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(directions), cmocka_unit_test(cycles),  cmocka_unit_test(components),    cmocka_unit_test(dropped),
      cmocka_unit_test(names),      cmocka_unit_test(closure), cmocka_unit_test(hyperbolicity), cmocka_unit_test(sampled_closure),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
