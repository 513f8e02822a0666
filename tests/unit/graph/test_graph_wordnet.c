/* test_graph_wordnet.c - the WordNet reader: a small database in memory, what it refuses, and the counts of the real one where it
 * is installed. */
#include "graph_testing.h"

#include <unistd.h>

static geodisk_context *context;
static char log_text[1024];

static void collect(void *user, geodisk_log_level level, const char *text) {
  (void)user;
  (void)level;
  snprintf(log_text + strlen(log_text), sizeof log_text - strlen(log_text), "%s\n", text);
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

/* entity <- animal <- dog (two words) <-i Lassie; a second sense of dog, below entity. */
static const char index_text[] = "  1 This is the licence.  \n"
                                 "animal n 1 2 @ ~ 1 0 00000200  \n"
                                 "dog n 2 3 @ ~ ~i 2 1 00000300 00000500  \n"
                                 "entity n 1 1 ~ 1 0 00000100  \n"
                                 "frump n 1 1 @ 1 0 00000500  \n"
                                 "hound n 1 1 @ 1 0 00000300  \n"
                                 "lassie n 1 1 @i 1 0 00000400  \n";
static const char data_text[] =
    "  1 This is the licence.  \n"
    "00000100 03 n 01 entity 0 002 ~ 00000200 n 0000 ~ 00000500 n 0000 | all | there is  \n"
    "00000200 03 n 01 animal 0 002 @ 00000100 n 0000 ~ 00000300 n 0000 | a beast  \n"
    "00000300 05 n 02 dog 0 hound 0 003 @ 00000200 n 0000 ;c 00000100 n 0000 + 00000100 v 0101 | a dog  \n"
    "00000400 05 n 01 Lassie 0 001 @i 00000300 n 0000 | a film star  \n"
    "00000500 18 n 02 frump 0 dog 1 001 @ 00000100 n 0000 | a dull person  \n";

static geodisk_status read_small(const char *index, const char *data, const geodisk_wordnet_options *options,
                                 geodisk_wordnet_info *info, geodisk_graph **out) {
  const geodisk_wordnet_files files = {data, strlen(data), index, strlen(index)};
  return geodisk_graph_read_wordnet_memory(context, &files, options, info, out);
}

static void small_database(void **state) {
  (void)state;
  geodisk_graph *graph = NULL;
  geodisk_wordnet_info info;
  const geodisk_wordnet_options direct = {.direct = true}, below = {.pos = 'n', .root = "dog.n.01"};
  const geodisk_wordnet_options reverse = {.direct = true, .reverse = true};
  assert_int_equal(read_small(index_text, data_text, &direct, &info, &graph), GEODISK_OK);
  assert_int_equal(info.synsets, 5);
  assert_int_equal(info.hypernyms, 3);
  assert_int_equal(info.instance_hypernyms, 1);
  assert_int_equal(geodisk_graph_edges(graph), 4);
  assert_true(edge_between(graph, "dog.n.01", "animal.n.01"));
  assert_true(edge_between(graph, "lassie.n.01", "dog.n.01"));
  assert_true(edge_between(graph, "frump.n.01", "entity.n.01"));
  assert_string_equal(geodisk_graph_name(graph, 0), "entity.n.01"); /* in the order of the file */
  geodisk_graph_destroy(graph);
  assert_int_equal(read_small(index_text, data_text, NULL, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_edges(graph), 1 + 2 + 3 + 1);
  assert_true(edge_between(graph, "lassie.n.01", "entity.n.01")); /* through an instance link */
  geodisk_graph_destroy(graph);
  assert_int_equal(read_small(index_text, data_text, &below, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), 2);
  assert_int_equal(geodisk_graph_edges(graph), 1);
  geodisk_graph_destroy(graph);
  assert_int_equal(read_small(index_text, data_text, &reverse, NULL, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "animal.n.01", "dog.n.01"));
  geodisk_graph_destroy(graph);
}

static void verbs_with_a_cycle(void **state) {
  (void)state;
  const char *index = "act v 1 1 @ 1 0 00000100\ndo v 1 1 @ 1 0 00000200\nrun v 1 1 @ 1 0 00000300\n";
  const char *data = "00000100 29 v 01 act 0 001 @ 00000200 v 0000 01 + 08 00 | x\n"
                     "00000200 29 v 01 do 0 001 @ 00000100 v 0000 01 + 08 00 | x\n"
                     "00000300 29 v 01 run 0 001 @ 00000100 v 0000 01 + 08 00 | x\n";
  const geodisk_wordnet_options verbs = {.pos = 'v'};
  geodisk_graph *graph = NULL;
  log_text[0] = 0;
  assert_int_equal(read_small(index, data, &verbs, NULL, &graph), GEODISK_OK);
  assert_string_equal(log_text, "WordNet: there is a cycle among the hypernyms: act.v.01 -> do.v.01 -> act.v.01\n");
  assert_int_equal(geodisk_graph_edges(graph), 4);
  assert_true(edge_between(graph, "run.v.01", "do.v.01"));
  geodisk_graph_destroy(graph);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *index, *data, *says;
  } cases[] = {
      {"dog n 1 0 1 0\n", "", "index.noun: line 1, column 7: '': the line ends too early"},
      {"dog n 1 0 1 0 x\n", "", "index.noun: line 1, column 7: 'x': a whole number should be here"},
      {"dog v 1 0 1 0 1\n", "", "index.noun: line 1, column 2: 'v': another part of speech should be here"},
      {"dog n 1 0 1 0 1\ndog n 1 0 1 0 1\n", "", "index.noun: line 2, column 1: 'dog': the word is there before"},
      {"dog n 99999999999 0 1 0 1\n", "", "index.noun: line 1, column 3: '99999999999': a whole number should be here"},
      {"", "", "index.noun: the file is empty"},
      {"dog n 1 0 1 0 100\n", "", "data.noun: the file is empty"},
      {"dog n 1 0 1 0 100\n", "  1 licence only\n", "data.noun: there is no synset in it"},
      {"dog n 1 0 1 0 100\n", "101 03 n 01 dog 0 000 | x\n",
       "data.noun: line 1, column 5: 'dog': the index does not have this synset among the senses of the word"},
      {"dog n 1 0 1 0 100\n", "100 03 n 01 cat 0 000 | x\n",
       "data.noun: line 1, column 5: 'cat': the index does not have this synset among the senses of the word"},
      {"dog n 1 0 1 0 100\n", "100 03 a 01 dog 0 000 | x\n",
       "data.noun: line 1, column 3: 'a': another part of speech should be here"},
      {"dog n 1 0 1 0 100\n", "100 03 n 00 dog 0 000 | x\n", "data.noun: line 1, column 4: '00': a synset has at least one word"},
      {"dog n 1 0 1 0 100\n", "100 03 n 13333330 dog 0 000\n", "data.noun: line 1, column 8: '': the line ends too early"},
      {"dog n 1 0 1 0 100\n", "100 03 n 80000000 dog 0 000\n", "data.noun: line 1, column 8: '': the line ends too early"},
      {"dog n 1 0 1 0 100\n", "100 03 n 01 dog 0 001 @ 999 n 0000 | x\n",
       "data.noun: line 1: the hypernym 00000999 is not in the file"},
      {"dog n 1 0 1 0 100\n", "100 03 n 01 dog 0 002 @ 100 n 0000 | x\n",
       "data.noun: line 1, column 13: '': the line ends too early"},
      {"dog n 1 0 1 0 100\n", "100 03 n 01 dog 0 001 @ 100 v 0000 | x\n",
       "data.noun: line 1, column 10: 'v': a hypernym of another part of speech"},
      {"dog n 1 0 1 0 100\n", "100 03 n 01 dog 0 000 | x\n100 03 n 01 dog 0 000 | x\n",
       "data.noun: line 2, column 5: 'dog': a synset of this name is there before"},
      {"d\xff n 1 0 1 0 100\n", "100 03 n 01 d\xff 0 000 | x\n",
       "data.noun: line 1, column 5: 'd\\xff': the word is not valid UTF-8"},
  };
  geodisk_graph *graph = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(read_small(cases[i].index, cases[i].data, NULL, NULL, &graph), GEODISK_ERROR_FORMAT);
    assert_string_equal(geodisk_context_error(context), cases[i].says);
    assert_null(graph);
  }
  const geodisk_wordnet_options adjectives = {.pos = 'a'}, nowhere = {.root = "cat.n.01"};
  assert_int_equal(read_small(index_text, data_text, &adjectives, NULL, &graph), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "WordNet: part of speech 'a': n and v have hypernyms");
  assert_int_equal(read_small(index_text, data_text, &nowhere, NULL, &graph), GEODISK_ERROR_ARGUMENT);
  assert_string_equal(geodisk_context_error(context), "root 'cat.n.01': there is no synset of this name");
  assert_int_equal(geodisk_graph_read_wordnet(context, "/no/such/folder", NULL, NULL, &graph), GEODISK_ERROR_IO);
  assert_string_equal(geodisk_context_error(context), "/no/such/folder/index.noun: cannot open: No such file or directory");
  assert_int_equal(geodisk_graph_read_wordnet(context, NULL, NULL, NULL, &graph), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(geodisk_graph_read_wordnet_memory(context, NULL, NULL, NULL, &graph), GEODISK_ERROR_ARGUMENT);
}

/* ---- WordNet 3.0 ------------------------------------------------------------------------------------------------------ */

static const char dict[] = "/usr/share/wordnet";

static geodisk_graph *installed(const geodisk_wordnet_options *options) {
  geodisk_graph *graph = NULL;
  if (access("/usr/share/wordnet/data.noun", R_OK) != 0) {
    print_message("wordnet-base is not installed\n");
    skip();
  }
  if (geodisk_graph_read_wordnet(context, dict, options, NULL, &graph) != GEODISK_OK)
    fail_msg("%s", geodisk_context_error(context));
  return graph;
}

static void nouns(void **state) {
  (void)state;
  geodisk_graph *graph = installed(NULL), *reduced = NULL, *closed = NULL;
  geodisk_graph_facts f;
  assert_int_equal(geodisk_graph_nodes(graph), 82115);
  assert_int_equal(geodisk_graph_edges(graph), 743241);
  assert_int_equal(geodisk_graph_describe(context, graph, &f), GEODISK_OK);
  assert_int_equal(f.roots, 1);
  assert_int_equal(f.depth, 19);
  assert_int_equal(f.components, 1);
  assert_string_equal(geodisk_graph_name(graph, 0), "entity.n.01");
  assert_true(edge_between(graph, "dog.n.01", "canine.n.02"));
  assert_true(edge_between(graph, "einstein.n.01", "physicist.n.01"));
  assert_true(edge_between(graph, "einstein.n.01", "entity.n.01"));
  assert_false(edge_between(graph, "entity.n.01", "dog.n.01"));
  assert_int_equal(geodisk_graph_reduce(context, graph, &reduced), GEODISK_OK);
  assert_int_equal(geodisk_graph_closure(context, reduced, NULL, &closed), GEODISK_OK);
  assert_int_equal(geodisk_graph_fingerprint(closed), geodisk_graph_fingerprint(graph));
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(reduced);
  geodisk_graph_destroy(closed);
}

static void mammals(void **state) {
  (void)state;
  const geodisk_wordnet_options options = {.root = "mammal.n.01"};
  geodisk_graph *graph = installed(&options);
  assert_int_equal(geodisk_graph_nodes(graph), 1182);
  assert_int_equal(geodisk_graph_edges(graph), 6542);
  assert_true(edge_between(graph, "dog.n.01", "mammal.n.01"));
  /* data/mammals.tsv is this graph. */
  geodisk_graph *shipped = NULL;
  assert_int_equal(geodisk_graph_read(context, GEODISK_TESTS_DIR "/../data/mammals.tsv", NULL, NULL, &shipped), GEODISK_OK);
  assert_same_graph(graph, shipped);
  geodisk_graph_destroy(shipped);
  geodisk_graph_destroy(graph);
}

static void verbs(void **state) {
  (void)state;
  const geodisk_wordnet_options options = {.pos = 'v'};
  geodisk_graph *graph = installed(&options);
  assert_int_equal(geodisk_graph_nodes(graph), 13767);
  assert_int_equal(geodisk_graph_edges(graph), 35079);
  assert_true(edge_between(graph, "walk.v.01", "travel.v.01"));
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_database), cmocka_unit_test(verbs_with_a_cycle),
      cmocka_unit_test(refusals),       cmocka_unit_test(nouns),
      cmocka_unit_test(mammals),        cmocka_unit_test(verbs),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
