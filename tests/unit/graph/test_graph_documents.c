/* test_graph_documents.c - GraphML, JSON and Newick: what is read, what is refused and where, and what is written comes back. */
#include "graph_logged.h"

#include <unistd.h>

static geodisk_graph *graph_read(fixture *f, const char *text, const geodisk_graph_read_options *options) {
  geodisk_graph *graph = NULL;
  f->log[0] = 0;
  if (read_text(f->context, text, options, NULL, &graph) != GEODISK_OK)
    fail_msg("'%s': %s", text, geodisk_context_error(f->context));
  assert_consistent(graph);
  return graph;
}

/* "child>parent child>parent ..." in the order of the graph. */
static void has_edges(const geodisk_graph *graph, const char *expected) {
  char text[1024] = "";
  size_t used = 0;
  const geodisk_graph_rows out = geodisk_graph_out(graph);
  for (uint32_t u = 0; u < geodisk_graph_nodes(graph); u++)
    for (uint64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s>%s", used > 0 ? " " : "", geodisk_graph_name(graph, u),
                               geodisk_graph_name(graph, out.nodes[e]));
  assert_string_equal(text, expected);
}

static void reads_as(fixture *f, const char *text, const char *edges, const char *said) {
  geodisk_graph *graph = graph_read(f, text, NULL);
  has_edges(graph, edges);
  assert_string_equal(f->log, said);
  geodisk_graph_destroy(graph);
}

typedef struct refusal {
  const char *text, *says;
} refusal;

static void refuse_all(fixture *f, const refusal *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    geodisk_graph *graph = NULL;
    geodisk_graph_read_info info = {.lines = 77};
    if (read_text(f->context, cases[i].text, NULL, &info, &graph) == GEODISK_OK)
      fail_msg("'%s' was read", cases[i].text);
    assert_string_equal(geodisk_context_error(f->context), cases[i].says);
    assert_null(graph);
    assert_int_equal(info.lines, 77);
  }
}
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

static void json_trees(void **state) {
  fixture *f = *state;
  reads_as(f, "{\"name\": \"root\", \"children\": [{\"name\": \"a\"}, {\"children\": [{\"name\": \"c\"}], \"name\": \"b\"}]}",
           "a>root b>root c>b", "");
  reads_as(f, "{\"name\":\"flare\",\"children\":[{\"name\":\"data\"},{\"name\":\"vis\",\"children\":[{\"name\":\"data\"}]}]}",
           "flare/data>flare vis>flare flare/vis/data>vis", "I text: names made where they were missing or not unique: 2\n");
  reads_as(f, "{\"id\": 1, \"children\": [{\"id\": 2}, {\"id\": 3, \"children\": null}, \"leaf\", 4]}", "2>1 3>1 leaf>1 4>1", "");
  reads_as(f, "{\"name\":\"r\",\"children\":[{\"name\":\"x\"},{\"name\":\"x\"},{}]}", "r/x>r r/x (2)>r node_1>r",
           "I text: names made where they were missing or not unique: 3\n");
  reads_as(f, "{\"text\":\"r\",\"items\":[{\"text\":\"a\"}]}", "a>r", "");
  reads_as(f, "[{\"type\":\"directory\",\"name\":\".\",\"contents\":[{\"type\":\"file\",\"name\":\"x\"}]}]", "x>.", "");
  reads_as(f, "[{\"name\":\"a\",\"children\":[{\"name\":\"b\"}]},{\"name\":\"c\",\"children\":[{\"name\":\"d\"}]}]", "b>a d>c",
           "");
  reads_as(f, "\xef\xbb\xbf {\"label\":\"\\u00e9\\ud83d\\udc15\\\"\",\"_children\":[{\"title\":\"x\\/y\"}]}",
           "x/y>\xc3\xa9\xf0\x9f\x90\x95\"", "");
  const geodisk_graph_read_options reverse = {.reverse = true};
  geodisk_graph *graph = graph_read(f, "{\"name\":\"r\",\"children\":[{\"name\":\"x\"}]}", &reverse);
  has_edges(graph, "r>x");
  geodisk_graph_destroy(graph);
}

static void json_links(void **state) {
  fixture *f = *state;
  geodisk_graph *graph =
      graph_read(f,
                 "{\"directed\": true, \"nodes\": [{\"id\": \"dog\"}, {\"id\": \"mammal\"}, {\"id\": \"lone\"}], "
                 "\"links\": [{\"source\": \"dog\", \"target\": \"mammal\", \"weight\": 2.5}]}",
                 NULL);
  has_edges(graph, "dog>mammal");
  assert_int_equal(geodisk_graph_nodes(graph), 3);
  assert_true(weight_between(graph, "dog", "mammal") == 2.5);
  geodisk_graph_destroy(graph);
  reads_as(f, "{\"directed\":false,\"nodes\":[{\"id\":7},{\"id\":8}],\"edges\":[{\"source\":7,\"target\":8}]}", "7>8 8>7",
           "I text: the graph is undirected: each edge in both directions\n");
  /* by place, as D3 had it; a number that is an id is an id */
  reads_as(f, "{\"nodes\":[{\"name\":\"a\"},{\"name\":\"b\"}],\"links\":[{\"source\":1,\"target\":0,\"value\":3}]}", "b>a", "");
  reads_as(f, "{\"nodes\":[{\"id\":1},{\"id\":0}],\"links\":[{\"source\":1,\"target\":0}]}", "1>0", "");
  reads_as(f, "{\"nodes\":[{\"id\":\"a\"},{\"id\":\"b\"}],\"links\":[{\"source\":{\"id\":\"a\"},\"target\":{\"id\":\"b\"}}]}",
           "a>b", "");
  reads_as(f, "[[\"dog\",\"mammal\"],[\"cat\",\"mammal\"],[\"cat\",\"cat\"],[\"cat\",\"mammal\"]]", "dog>mammal cat>mammal",
           "W text: self-loops left out: 1\nW text: duplicate edges left out: 1\n");
  reads_as(f, "[{\"source\":\"a\",\"target\":\"b\",\"weight\":1},{\"source\":\"b\",\"target\":\"c\"}]", "a>b b>c",
           "W text: edges without a weight, taken as 1: 1\n");
  reads_as(f, "[{\"id\":\"x\",\"parent\":null},{\"id\":\"y\",\"parentId\":\"x\"},{\"id\":\"z\",\"parent\":\"x\"}]", "y>x z>x",
           "");
}

static void json_refusals(void **state) {
  fixture *f = *state;
  static const refusal cases[] = {
      {"{\"name\": \"a\",\n \"children\": [{\"name\": \"b\"", "text: line 2: '': the file ends inside a bracket"},
      {"{\"name\": \"a\"} x", "text: line 1: 'x': text after the end of the document"},
      {"{\"name\": \"a\" \"b\"}", "text: line 1: '\"b\"}': expected a comma or the closing bracket"},
      {"{\"name\": \"\\x\"}", "text: line 1: '\"\\x\"}': an escape that JSON does not have"},
      {"{\"name\": a}", "text: line 1: 'a}': expected a value"},
      {"{\"size\": 3}",
       "text: line 1: '{\"size\": 3}': neither a tree (name, children) nor nodes and links, nor a list of edges"},
      {"{\"nodes\":[{\"id\":1},{\"id\":1}],\"links\":[]}", "text: line 1: '1': two nodes have this id"},
      {"{\"nodes\":[{\"id\":\"a\"}],\n\"links\":[{\"source\":\"a\",\"target\":\"x\"}]}",
       "text: line 2: 'x': a link to a node that is not in the list of nodes"},
      {"{\"nodes\":[{\"id\":\"a\"}],\"links\":[{\"source\":\"a\",\"target\":1}]}",
       "text: line 1: '1': a link to a node that is not in the list of nodes"},
      {"{\"nodes\":[{\"id\":\"a\"}],\"links\":[{\"source\":\"a\"}]}", "text: line 1: '{\"source\":\"a': a link without a target"},
      {"[[\"a\",\"b\",-1]]", "text: line 1: '-1': the weight of an edge is a number >= 0; weights can be ignored (weights no)"},
      {"[[\"a\"]]", "text: line 1: '[\"a\"]]': an edge is a list of child and parent"},
      {"{\"name\": \"\xff\"}", "text: line 1: '\\xff': the name is not valid UTF-8"},
      {"[]", "text: there is no node in it"},
      {"{\"name\":\"r\",\"below\":[{\"name\":\"a\"}]}", "text: line 1: '{\"name\":\"r\",': a tree of one node: what is below a "
                                                        "node is read from 'children', 'items' or 'contents'"},
  };
  refuse_all(f, cases, COUNT(cases));
  const geodisk_graph_read_options columns = {.columns = "a,b"};
  geodisk_graph *graph = NULL;
  assert_int_equal(read_text(f->context, "[[\"a\",\"b\"]]", &columns, NULL, &graph), GEODISK_ERROR_ARGUMENT);
}

/* A million brackets overrun nothing. */
static void json_depth(void **state) {
  fixture *f = *state;
  enum { DEPTH = 200000 };
  char *text = test_malloc(40 * DEPTH);
  size_t used = 0;
  for (int i = 0; i < DEPTH; i++)
    used += (size_t)sprintf(text + used, "{\"name\":%d,\"children\":[", i);
  for (int i = 0; i < DEPTH; i++)
    used += (size_t)sprintf(text + used, "]}");
  geodisk_graph *graph = graph_read(f, text, NULL);
  assert_int_equal(geodisk_graph_edges(graph), DEPTH - 1);
  geodisk_graph_destroy(graph);
  test_free(text);
}

/* ---- Newick ----------------------------------------------------------------------------------------------------------- */

static void newick_trees(void **state) {
  fixture *f = *state;
  reads_as(f, "(human,(mouse,rat)rodents)mammals;\n", "human>mammals rodents>mammals mouse>rodents rat>rodents", "");
  reads_as(
      f, "(a:1,(b:2,c:3)95:5)r:0;", "a>r node_1>r b>node_1 c>node_1",
      "I text: lengths and support values are ignored (weights yes takes the lengths); names made where they were missing or not "
      "unique: 1\n");
  reads_as(f, "('it''s, a (name)'[&&NHX:S=x],b_c)\n  r ;", "it's, a (name)>r b_c>r", "");
  reads_as(f, "(a,b);(c,d)s;", "a>node_1 b>node_1 c>s d>s", "I text: names made where they were missing or not unique: 1\n");
  reads_as(f, "((a)x,(a)y)r;", "x>r r/x/a>x y>r r/y/a>y", "I text: names made where they were missing or not unique: 2\n");
  const geodisk_graph_read_options weights = {.weights = GEODISK_CHOICE_YES};
  geodisk_graph *graph = graph_read(f, "(a:1,b:2.5)r;", &weights);
  assert_true(weight_between(graph, "a", "r") == 1 && weight_between(graph, "b", "r") == 2.5);
  geodisk_graph_destroy(graph);
  static const refusal cases[] = {
      {"((a,b)r;", "text: line 1: ';': expected a comma or a closing bracket"},
      {"(a,\n'b)r;", "text: line 2: ''b)r;': a name is opened with a quote and never closed"},
      {"(a,b[c)r;", "text: line 1: '[c)r;': a comment is opened with [ and never closed"},
      {"(a:x,b)r;", "text: line 1: 'x,': what follows a colon is a length, a number"},
      {"(a,b)r s;", "text: line 1: 's;': expected the semicolon that ends the tree"},
  };
  refuse_all(f, cases, COUNT(cases));
}

/* Trees that are nothing but deep, or wide, take time and memory in proportion to their nodes. */
static void newick_large(void **state) {
  fixture *f = *state;
  enum { MANY = 50000 };
  char *text = malloc(3 * (size_t)MANY + 16), *end;
  static const char *const names[] = {"", "a"};
  for (int kind = 0; kind < 3; kind++) { /* a chain without names, one of one name, leaves of one name */
    end = text;
    if (kind < 2) {
      memset(end, '(', MANY);
      end += MANY;
      for (int i = 0; i < MANY; i++)
        end += sprintf(end, ")%s", names[kind]);
    } else {
      *end++ = '(';
      for (int i = 0; i < MANY; i++)
        end += sprintf(end, "a%c", i + 1 < MANY ? ',' : ')');
    }
    strcpy(end, ";");
    geodisk_graph *graph = graph_read(f, text, NULL);
    assert_int_equal(geodisk_graph_nodes(graph), MANY + 1);
    assert_true(geodisk_graph_memory(graph) < 400u * MANY);
    uint32_t node;
    assert_true(geodisk_graph_find(graph, kind == 2 ? "a (50000)" : "node_1", kind == 2 ? 9 : 6, &node));
    geodisk_graph_destroy(graph);
  }
  free(text);
}

/* ---- GraphML ---------------------------------------------------------------------------------------------------------- */

#define GRAPHML(keys, graph)                                                                                                     \
  "<?xml version='1.0'?>\n<graphml>" keys "<graph edgedefault=\"directed\">" graph "</graph></graphml>\n"

static void graphml_graphs(void **state) {
  fixture *f = *state;
  reads_as(f, GRAPHML("", "<node id='a'/><node id=\"b\"/><edge source='a' target='b'/><edge source='b' target='c'/>"), "a>b b>c",
           "");
  reads_as(f, "<graphml><graph edgedefault='undirected'><edge source='a' target='b'/></graph></graphml>", "a>b b>a",
           "I text: the graph is undirected: each edge in both directions\n");
  reads_as(f, GRAPHML("", "<edge source='a' target='b'/><edge source='c' target='b' directed='false'/>"), "a>b b>c c>b",
           "I text: some edges are undirected: those in both directions\n");
  /* igraph's names, yEd's labels; ids where they are not unique */
  reads_as(f,
           GRAPHML("<key id='k' for='node' attr.name='name'/>",
                   "<node id='n0'><data key='k'>dog</data></node><node id='n1'><data key='k'><![CDATA[<animal>]]></data></node>"
                   "<edge source='n0' target='n1'/>"),
           "dog><animal>", "I text: nodes are called by their names\n");
  reads_as(f,
           GRAPHML("", "<node id='n0'><data key='d'><y:S><y:NodeLabel a='1'> dog\n</y:NodeLabel></y:S></data></node>"
                       "<node id='n1'><data key='d'><y:NodeLabel>cat</y:NodeLabel></data></node><edge source='n0' target='n1'/>"),
           "dog>cat", "I text: nodes are called by their labels\n");
  reads_as(f,
           GRAPHML("<key id='k' for='node' attr.name='label'/>", "<node id='n0'><data key='k'>x</data></node><node id='n1'><data "
                                                                 "key='k'>x</data></node><edge source='n0' target='n1'/>"),
           "n0>n1", "");
  reads_as(f, GRAPHML("", "<!-- no --><edge source='a&amp;&#x42;' target='&#233;&lt;'/>"), "a&B>\xc3\xa9<", "");
  geodisk_graph *graph =
      graph_read(f,
                 GRAPHML("<key id='w' for='edge' attr.name='weight'><default>4</default></key>",
                         "<edge source='a' target='b'><data key='w'>2.5</data></edge><edge source='b' target='c'/>"),
                 NULL);
  assert_true(weight_between(graph, "a", "b") == 2.5 && weight_between(graph, "b", "c") == 4);
  geodisk_graph_destroy(graph);
}

static void graphml_refusals(void **state) {
  fixture *f = *state;
  static const refusal cases[] = {
      {"<gexf></gexf>", "text: line 1: 'gexf': GEXF is written, not read: save the graph as GraphML"},
      {"<?xml version='1.0'?><svg/>", "text: line 1: 'svg': the only XML that is read is GraphML"},
      {"<graphml>\n<graph>", "text: line 2: '': the file ends inside an element"},
      {"<graphml>\n</graph>", "text: line 2: '</graph>': this closes an element that is not open"},
      {"<graphml><graph><node/></graph></graphml>", "text: line 1: 'node': an element without the id it needs"},
      {"<graphml><graph>\n<node id='a'/>\n<node id='a'/></graph></graphml>", "text: line 3: 'a': two nodes have this id"},
      {"<graphml><node id='&x;'/></graphml>",
       "text: line 1: '&x;'/></graphml>': a reference that is not known; & is written &amp;"},
      {"<graphml><node id=a/></graphml>", "text: line 1: 'id=a/></graphml>': the value of an attribute stands in quotes"},
      {"<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><graphml/>",
       "text: line 1: '<!DOCTYPE x [<!E': declarations in the document are not read"},
      {"<graphml><key id='w' for='edge' attr.name='weight'/><graph><edge source='a' target='b'>\n<data "
       "key='w'>heavy</data></edge>"
       "</graph></graphml>",
       "text: line 2: 'heavy': the weight of an edge is a number >= 0; weights can be ignored (weights no)"},
      {"<graphml/>", "text: there is no node in it"},
  };
  refuse_all(f, cases, COUNT(cases));
}

/* What other programs write and geodisk does not read is named, and not taken for an edge list. */
static void formats_that_are_not_read(void **state) {
  fixture *f = *state;
#define NOT_READ(name) "text: this is " name ", which is not read: save the graph as an edge list, a CSV or GraphML"
  static const refusal cases[] = {
      {"graph [\n  node [\n    id 0\n  ]\n]\n", NOT_READ("GML")},
      {"Creator \"igraph\"\nVersion 1\ngraph\n[\n]\n", NOT_READ("GML")},
      {"digraph G {\n a -> b\n}\n", NOT_READ("Graphviz's DOT")},
      {"strict graph \"x\"\n{\n a -- b\n}\n", NOT_READ("Graphviz's DOT")},
      {"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", NOT_READ("Pajek")},
      {"\xef\xbb\xbf*vertices 2\n*arcs\n1 2\n", NOT_READ("Pajek")},
      {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", NOT_READ("MatrixMarket")},
      {"<!DOCTYPE html>\n<html></html>\n", NOT_READ("HTML")},
      {"PAR1 and so on\n", NOT_READ("Parquet")},
      {"PK\x03\x04 and so on\n", NOT_READ("ZIP or Excel")},
  };
  refuse_all(f, cases, COUNT(cases));
  reads_as(f, "graph theory\ntheory maths\n", "graph>theory theory>maths", "");
  reads_as(f, "digraph,graph\ngraph,thing\n", "digraph>graph graph>thing", "");
}

/* ---- writing ---------------------------------------------------------------------------------------------------------- */

static void what_is_written_comes_back(void **state) {
  fixture *f = *state;
  static const char *const graphs[] = {"a b\nb c\nlone\n", "a b 2.5\nb a 2.5\nb c 0.125\nc b 0.125\n", "a b 1\nb a 2\n",
                                       "\"<&> \"\"x\"\" \n\t\",b\n\xc3\xa9,b\n", "\"{\",\"[\"\n\"(\",\"<\"\n"};
  static const char *const ends[] = {"graphml", "json", "graphml.gz"};
  char path[64];
  for (size_t i = 0; i < COUNT(graphs); i++)
    for (size_t k = 0; k < COUNT(ends); k++) {
      if (k == 2 && strstr(geodisk_features(), "without zlib") != NULL)
        continue;
      geodisk_graph *graph = graph_of(graphs[i]), *back = NULL;
      snprintf(path, sizeof path, "documents-%d.%s", (int)getpid(), ends[k]);
      assert_int_equal(geodisk_graph_write(f->context, graph, path, NULL), GEODISK_OK);
      if (geodisk_graph_read(f->context, path, NULL, NULL, &back) != GEODISK_OK)
        fail_msg("%s: %s", graphs[i], geodisk_context_error(f->context));
      assert_int_equal(geodisk_graph_fingerprint(back), geodisk_graph_fingerprint(graph));
      geodisk_graph_destroy(graph);
      geodisk_graph_destroy(back);
      remove(path);
    }
}

static void numbers_of_nodes(void **state) {
  fixture *f = *state;
  static const char *const names[] = {"x", "y"};
  const double values[] = {0.5, -0.25, 0.125, 1e-300};
  geodisk_graph *graph = graph_of("a b\n");
  geodisk_graph_write_options options = {.node_columns = 2, .node_column_names = names, .node_values = values};
  static const struct {
    geodisk_graph_format format;
    const char *holds;
  } cases[] = {
      {GEODISK_GRAPH_GRAPHML, "<node id=\"a\"><data key=\"x\">0.5</data><data key=\"y\">-0.25</data></node>"},
      {GEODISK_GRAPH_GEXF,
       "<attvalue for=\"1\" value=\"-0.25\"/></attvalues><viz:position x=\"500\" y=\"-250\" z=\"0\"/></node>"},
      {GEODISK_GRAPH_JSON, "{\"id\": \"b\", \"x\": 0.125, \"y\": 1e-300}"},
  };
  char path[64], text[2048];
  snprintf(path, sizeof path, "documents-%d.out", (int)getpid());
  for (size_t i = 0; i < COUNT(cases); i++) {
    options.format = cases[i].format;
    assert_int_equal(geodisk_graph_write(f->context, graph, path, &options), GEODISK_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    if (strstr(text, cases[i].holds) == NULL)
      fail_msg("not there: %s in %s", cases[i].holds, text);
  }
  remove(path);
  options.format = GEODISK_GRAPH_EDGES;
  assert_int_equal(geodisk_graph_write(f->context, graph, path, &options), GEODISK_ERROR_ARGUMENT);
  options.format = GEODISK_GRAPH_NEWICK;
  assert_int_equal(geodisk_graph_write(f->context, graph, path, &options), GEODISK_ERROR_ARGUMENT);
  geodisk_graph_destroy(graph);
  graph = graph_of("\"\x01\",b\n");
  const geodisk_graph_write_options xml = {.format = GEODISK_GRAPH_GRAPHML};
  assert_int_equal(geodisk_graph_write(f->context, graph, path, &xml), GEODISK_ERROR_ARGUMENT);
  assert_int_not_equal(access(path, F_OK), 0);
  geodisk_graph_destroy(graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(json_trees, set_up, tear_down),
      cmocka_unit_test_setup_teardown(json_links, set_up, tear_down),
      cmocka_unit_test_setup_teardown(json_refusals, set_up, tear_down),
      cmocka_unit_test_setup_teardown(json_depth, set_up, tear_down),
      cmocka_unit_test_setup_teardown(newick_trees, set_up, tear_down),
      cmocka_unit_test_setup_teardown(newick_large, set_up, tear_down),
      cmocka_unit_test_setup_teardown(graphml_graphs, set_up, tear_down),
      cmocka_unit_test_setup_teardown(graphml_refusals, set_up, tear_down),
      cmocka_unit_test_setup_teardown(formats_that_are_not_read, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_written_comes_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(numbers_of_nodes, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
