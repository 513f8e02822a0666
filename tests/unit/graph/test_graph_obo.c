/* test_graph_obo.c - the OBO reader: terms, links, obsolete and undefined terms, names, and what it refuses. */
#include "graph_testing.h"

static geodisk_context *context;
static char log_text[1024];

static void collect(void *user, geodisk_log_level level, const char *text) {
  (void)user;
  snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s%s\n", level == GEODISK_LOG_WARNING ? "W " : "I ",
           text);
}

static int set_up(void **state) {
  (void)state;
  if (geodisk_context_create(1, &context) != GEODISK_OK)
    return -1;
  geodisk_context_on_log(context, collect, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  geodisk_context_destroy(context);
  return 0;
}

static geodisk_status read_obo(const char *text, const geodisk_obo_options *options, geodisk_obo_info *info,
                               geodisk_graph **out) {
  log_text[0] = 0;
  return geodisk_graph_read_obo_memory(context, &(geodisk_memory_file){"go.obo", text, strlen(text)}, options, info, out);
}

static const char small[] = "format-version: 1.2\n"
                            "data-version: x\n"
                            "\n"
                            "[Term]\n"
                            "id: GO:1\n"
                            "name: biological process\n"
                            "def: \"All of it.\" [GOC:x]\n"
                            "\n"
                            "[Term]\r\n"
                            "id: GO:2 ! a comment\r\n"
                            "name: cell death \\! now ! a comment\r\n"
                            "is_a: GO:1 ! biological process\r\n"
                            "relationship: regulates GO:1\r\n"
                            "\n"
                            "! a comment line\n"
                            "[Term]\n"
                            "id: GO:3\n"
                            "name: cell death \\! now\n"
                            "is_a: GO:2 {source=\"x\"} ! cell death\n"
                            "is_a: GO:2\n"
                            "relationship: part_of GO:1 ! biological process\n"
                            "is_a: GO:3\n"
                            "\n"
                            "[Term]\n"
                            "id: GO:4\n"
                            "name: gone\n"
                            "is_a: GO:1\n"
                            "is_obsolete: true\n"
                            "\n"
                            "[Term]\n"
                            "id: GO:5\n"
                            "is_a: GO:4\n"
                            "is_a: OTHER:9\n"
                            "is_obsolete: false\n"
                            "\n"
                            "[Typedef]\n"
                            "id: part_of\n"
                            "name: part of\n"
                            "is_transitive: true\n";

static void terms_and_links(void **state) {
  (void)state;
  geodisk_graph *graph = NULL;
  geodisk_obo_info info;
  assert_int_equal(read_obo(small, NULL, &info, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), 5); /* GO:1, 2, 3, 5 and OTHER:9 */
  assert_int_equal(geodisk_graph_edges(graph), 3);
  assert_consistent(graph);
  assert_true(edge_between(graph, "GO:2", "GO:1"));
  assert_true(edge_between(graph, "GO:3", "GO:2"));
  assert_true(edge_between(graph, "GO:5", "OTHER:9"));
  assert_int_equal(info.terms, 5);
  assert_int_equal(info.obsolete, 1);
  assert_int_equal(info.is_a, 5);
  assert_int_equal(info.part_of, 0);
  assert_int_equal(info.undefined, 1);
  assert_int_equal(info.self_loops, 1);
  assert_int_equal(info.duplicates, 1);
  assert_string_equal(log_text, "I go.obo: obsolete terms skipped: 1\n"
                                "W go.obo: terms that are linked to but have no entry: 1\n"
                                "W go.obo: self-loops left out: 1\n"
                                "W go.obo: duplicate links left out: 1\n");
  geodisk_graph_destroy(graph);
}

static void options(void **state) {
  (void)state;
  geodisk_graph *graph = NULL;
  geodisk_obo_info info;
  const geodisk_obo_options part_of = {.part_of = true}, names = {.names = true}, reverse = {.reverse = true};
  assert_int_equal(read_obo(small, &part_of, &info, &graph), GEODISK_OK);
  assert_int_equal(info.part_of, 1);
  assert_true(edge_between(graph, "GO:3", "GO:1"));
  geodisk_graph_destroy(graph);
  assert_int_equal(read_obo(small, &names, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "cell death ! now", "biological process"));
  assert_true(edge_between(graph, "GO:3", "cell death ! now")); /* its name is taken */
  assert_true(edge_between(graph, "GO:5", "OTHER:9"));          /* no names */
  geodisk_graph_destroy(graph);
  assert_int_equal(read_obo(small, &reverse, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "GO:1", "GO:2"));
  geodisk_graph_destroy(graph);
}

/* A name that is another term's id must not take that id away from it. */
static void names_like_ids(void **state) {
  (void)state;
  geodisk_graph *graph = NULL;
  const geodisk_obo_options names = {.names = true};
  assert_int_equal(read_obo("[Term]\nid: A\nname: B\nis_a: B\n[Term]\nid: B\n", &names, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), 2);
  assert_true(edge_between(graph, "A", "B"));
  geodisk_graph_destroy(graph);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", "go.obo: the file is empty"},
      {"format-version: 1.2\n", "go.obo: there is no [Term] in it: is this an OBO file?"},
      {"a\tb\n", "go.obo: there is no [Term] in it: is this an OBO file?"},
      {"[Term]\nname: x\n", "go.obo: line 2, column 2: 'x': the id of a term must come first"},
      {"[Term]\ndef: x\n[Term]\nid: A\n", "go.obo: line 1: this [Term] has no id"},
      {"[Term]\nid: A\n[Term]\n", "go.obo: line 3: this [Term] has no id"},
      {"[Term]\nid:\n", "go.obo: line 2, column 2: '': an id should be here"},
      {"[Term]\nid: A\nis_a: ! nothing\n", "go.obo: line 3, column 2: '': an id should be here"},
      {"[Term]\nid: A\nnonsense\n", "go.obo: line 3, column 1: 'nonsense': a line is tag: value"},
      {"[Term]\nid: \xff\n", "go.obo: line 2, column 2: '\\xff': the id is not valid UTF-8"},
      {"[Term]\nid: A\nname: \xff\n", "go.obo: line 3, column 2: '\\xff': the name is not valid UTF-8"},
  };
  geodisk_graph *graph = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(read_obo(cases[i].text, NULL, NULL, &graph), GEODISK_ERROR_FORMAT);
    assert_string_equal(geodisk_context_error(context), cases[i].says);
    assert_null(graph);
  }
  assert_int_equal(geodisk_graph_read_obo(context, "no-such.obo", NULL, NULL, &graph), GEODISK_ERROR_IO);
  assert_int_equal(geodisk_graph_read_obo(context, NULL, NULL, NULL, &graph), GEODISK_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(terms_and_links),
      cmocka_unit_test(options),
      cmocka_unit_test(names_like_ids),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
