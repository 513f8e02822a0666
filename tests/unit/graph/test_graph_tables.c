/* test_graph_tables.c - tables as people have them: headers of ordinary words, more columns than two, names with '#', the data
 * that networkx writes beside its edges. */
#include "graph_logged.h"

/* Reads it; the log holds what was said of this one only. */
static geodisk_graph *graph_read(fixture *f, const char *text, const geodisk_graph_read_options *options,
                                 geodisk_graph_read_info *info) {
  geodisk_graph *graph = NULL;
  f->log[0] = 0;
  if (read_text(f->context, text, options, info, &graph) != GEODISK_OK)
    fail_msg("'%s': %s", text, geodisk_context_error(f->context));
  return graph;
}

static void refuses(fixture *f, const char *text, const geodisk_graph_read_options *options, const char *says) {
  geodisk_graph *graph = NULL;
  assert_int_not_equal(read_text(f->context, text, options, NULL, &graph), GEODISK_OK);
  assert_string_equal(geodisk_context_error(f->context), says);
  assert_null(graph);
}

/* ---- headers ---------------------------------------------------------------------------------------------------------- */

static void headers_of_ordinary_words(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text;
    bool header;
  } cases[] = {
      {"employee,manager\nann,bob\ncid,bob\n", true},
      {"employee,manager\nann,bob\ncid,bob\nbob,eve\n", true},
      {"name,boss\nAnn,Bob\nCid,Dan\nEve,Flo\n", true}, /* nothing hangs together, but these are no names */
      {"species,genus\nPanthera leo,Panthera\nPanthera tigris,Panthera\nFelis catus,Felis\n", true},
      {"package,dependency\nflask,werkzeug\nflask,jinja2\nrequests,urllib3\nnumpy,blas\n",
       true}, /* half of it hangs on nothing */
      {"Employee Name,Manager Name\nAnn Lee,Bob Ray\nCid Moe,Bob Ray\n", true},
      {"Employee Name,Manager Name\nAnn Lee,Bob Ray\nCid Moe,Dan Fry\n", true},    /* a word in common */
      {"\"employee\",\"manager\"\n\"ann\",\"bob\"\n\"cid\",\"bob\"\n", true},      /* R puts all in quotes */
      {"\"employee\",\"manager\"\n\"a, b\",\"c, d\"\n\"e, f\",\"c, d\"\n", false}, /* where they are needed; here not */
      {"\"employee\",\"manager\"\nann,bob\ncid,bob\n", false},                     /* quotes of its own: this is data */
      {"Mitarbeiter;Vorgesetzte\nUlf;Eva\nIda;Eva\nEva;Max\n", true},
      {"\xd1\x80\xd0\xb0\xd0\xb1\t\xd0\xbd\xd0\xb0\xd1\x87\nA\tB\nC\tB\n", true},
      {"organ | system\nheart | circulation\nvein | circulation\nlung | breathing\n", true},
      {"commit\tauthor\tdate\n1f\tann\t2020-01-01\n2e\tann\t2021-01-01\n", true},
      {"employee manager\nann bob\ncid bob\n", true},
      {"taxon_id parent_id\nx1 y1\nx2 y2\nx3 y3\n", true}, /* words for columns */
      /* data */
      {"dog,mammal\ncat,mammal\nmammal,animal\n", false},
      {"dog,canine\ncanine,mammal\nmammal,animal\n", false},       /* a chain: each name of the first line is there again */
      {"a,b\nc,d\nd,e\n", false},                                  /* letters */
      {"cold,chilly\nhot,boiling\nbig,large\nnice,fine\n", false}, /* pairs, all alike */
      {"Oslo,Norway\nParis,France\nRome,Italy\n", false},
      {"cold chilly\nhot boiling\nhot warm\nbig large\n", false},            /* lists with blanks seldom have headers */
      {"homo sapiens,homo\npan troglodytes,pan\npan paniscus,pan\n", false}, /* a word in common, as all lines have */
      {"x1,y1\nx2,y2\nx3,y2\n", false},
      {"ann,bob\n", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph_read_info info;
    geodisk_graph *graph = graph_read(f, cases[i].text, NULL, &info);
    if (info.header != cases[i].header)
      fail_msg("case %zu, header %d: %s", i, info.header, cases[i].text);
    assert_int_equal(strstr(f->log, "I text: the first line is a header (") != NULL, cases[i].header);
    geodisk_graph_destroy(graph);
  }
}

/* One line says what was decided. */
static void decisions_are_said(void **state) {
  fixture *f = *state;
  geodisk_graph_destroy(graph_read(f, "# list\nname,boss\nAnn,Bob\nCid,Bob\n", NULL, NULL));
  assert_string_equal(f->log, "I text: the first line is a header (name, boss); comment lines: 1\n");
  geodisk_graph_destroy(graph_read(f, "cold chilly\nhot boiling\nhot warm\nbig large\n", NULL, NULL));
  assert_string_equal(
      f->log, "I text: the first line is taken as data, though its names occur nowhere else (header yes, if it is one)\n");
  geodisk_graph_destroy(graph_read(f, "a,b\nb,c\n", NULL, NULL));
  assert_string_equal(f->log, "");
}

/* A word of a guessed header that comes up after the lines that were looked at. */
static void header_words_further_down(void **state) {
  fixture *f = *state;
  enum { LINES = 6000 };
  char *text = test_malloc(20 * LINES + 100);
  size_t used = (size_t)sprintf(text, "spring,season\n");
  for (int i = 0; i < LINES; i++)
    used += (size_t)sprintf(text + used, "n%d,m%d\n", i, i / 10);
  sprintf(text + used, "spring,source\n");
  geodisk_graph *graph = graph_read(f, text, NULL, NULL);
  assert_non_null(strstr(f->log, "W text: the first line was taken as a header, but 'spring' is a name further down"));
  geodisk_graph_destroy(graph);
  test_free(text);
}

/* ---- columns ---------------------------------------------------------------------------------------------------------- */

static const char staff[] = "id,Name,Manager,title,salary\n"
                            "1,Ann,Bob,\"Engineer, senior\",10.5\n"
                            "2,Cid,Bob,Clerk,8\n"
                            "3,Bob,Eve,Head,20\n";

static void columns_by_name_and_number(void **state) {
  fixture *f = *state;
  static const char *const ways[] = {"Name,Manager", "name,manager", "2,3", "Name,3"};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const geodisk_graph_read_options options = {.columns = ways[i]};
    geodisk_graph_read_info info;
    geodisk_graph *graph = graph_read(f, staff, &options, &info);
    assert_int_equal(geodisk_graph_nodes(graph), 4);
    assert_int_equal(geodisk_graph_edges(graph), 3);
    assert_true(edge_between(graph, "Ann", "Bob") && edge_between(graph, "Bob", "Eve"));
    assert_false(geodisk_graph_weighted(graph));
    assert_true(info.header);
    assert_int_equal(info.extra_fields, 0);
    assert_string_equal(f->log,
                        "I text: the first line is a header (Name, Manager); child from column 2, parent from column 3\n");
    geodisk_graph_destroy(graph);
  }
  const geodisk_graph_read_options weighted = {.columns = "Name,Manager,salary"}, back = {.columns = "3,2", .reverse = true};
  geodisk_graph *graph = graph_read(f, staff, &weighted, NULL);
  assert_true(weight_between(graph, "Ann", "Bob") == 10.5 && weight_between(graph, "Bob", "Eve") == 20);
  geodisk_graph_destroy(graph);
  graph = graph_read(f, staff, &back, NULL);
  assert_true(edge_between(graph, "Ann", "Bob"));
  geodisk_graph_destroy(graph);
  const geodisk_graph_read_options comma = {.columns = "a,,b,c"}, hash = {.columns = "name,boss"};
  graph = graph_read(f, "\"a,b\";x;c\nann;1;bob\n", &comma, NULL);
  assert_true(edge_between(graph, "ann", "bob"));
  geodisk_graph_destroy(graph);
  graph = graph_read(f, "#name\tage\tboss\nann\t5\tbob\ncid\t6\tbob\n", &hash, NULL);
  assert_int_equal(geodisk_graph_edges(graph), 2);
  assert_int_equal(geodisk_graph_nodes(graph), 3);
  geodisk_graph_destroy(graph);
}

/* The row of the director has no manager: a node, not something odd. */
static void roots_of_tables(void **state) {
  fixture *f = *state;
  const geodisk_graph_read_options options = {.columns = "name,boss"};
  geodisk_graph_read_info info;
  geodisk_graph *graph = graph_read(f, "id,name,boss\n1,Eve,\n2,Bob,Eve\n3,Max,\n4,,Eve\n", &options, &info);
  assert_int_equal(geodisk_graph_nodes(graph), 3);
  assert_int_equal(geodisk_graph_edges(graph), 1);
  assert_int_equal(info.blank_fields, 1);
  assert_string_equal(
      f->log, "W text: lines with a blank field, left out, or weight 1 where only the weight is blank: 1 (first at line 5)\n"
              "I text: the first line is a header (name, boss); child from column 2, parent from column 3; lines "
              "without a parent, taken as roots: 2\n");
  geodisk_graph_destroy(graph);
}

/* So in a table of two columns whose header was seen; in a list without one the line is odd. */
static void roots_below_a_header(void **state) {
  fixture *f = *state;
  geodisk_graph_read_info info;
  geodisk_graph *graph = graph_read(f, "path,folder\n/usr,\n/usr/lib,/usr\n/usr/bin,/usr\n/opt,\n", NULL, &info);
  assert_int_equal(geodisk_graph_nodes(graph), 4);
  assert_int_equal(geodisk_graph_edges(graph), 2);
  assert_int_equal(info.blank_fields, 0);
  assert_string_equal(f->log, "I text: the first line is a header (path, folder); lines without a parent, taken as roots: 2\n");
  geodisk_graph_destroy(graph);
  graph = graph_read(f, "/usr/lib,/usr\n/usr,\n/usr/bin,/usr\n", NULL, &info);
  assert_int_equal(info.blank_fields, 1);
  geodisk_graph_destroy(graph);
}

static void columns_that_are_not_there(void **state) {
  fixture *f = *state;
  const geodisk_graph_read_options chief = {.columns = "name,chief"}, nine = {.columns = "1,9"}, one = {.columns = "name"};
  const geodisk_graph_read_options four = {.columns = "1,2,3,4"}, title = {.columns = "name,manager,title"};
  const geodisk_graph_read_options strict = {.columns = "2,3", .strict = true};
  refuses(f, staff, &chief, "text: line 1: there is no column 'chief' in the header (id, Name, Manager, title, salary)");
  refuses(f, staff, &nine, "text: line 1: there is no column 9, there are 5");
  refuses(f, staff, &one, "columns: 'name' is not CHILD,PARENT or CHILD,PARENT,WEIGHT");
  refuses(f, staff, &four, "columns: '1,2,3,4' is not CHILD,PARENT or CHILD,PARENT,WEIGHT");
  refuses(f, staff, &title, "text: line 2, column 4: 'Engineer, senior': this column is the weight, a number >= 0");
  refuses(f, "id,a,b\n1,x,y\n2,y\n", &strict, "text: line 3, column 3: '': the field is blank");
}

/* Where the first two columns do not hang together, but others do, or are levels, it is said. */
static void other_columns(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text, *says; /* NULL: nothing */
  } cases[] = {
      {"id,name,manager_id\n1,Ada,\n2,Ben,1\n3,Cid,1\n4,Dev,2\n",
       "column 3 (manager_id) holds what stands in column 1 (id): if these are parent and child, read columns 1,3"},
      {"no;who;team;chief;pay\n1;Ada;a;;9\n2;Ben;a;Ada;8\n3;\"Lee; C\";b;Ada;8\n4;Dev;b;Lee, C;7\n5;Eva;b;Ben;6\n",
       NULL}, /* one of three chiefs is another's name */
      {"no;who;team;chief;pay\n1;Ada;a;;9\n2;Ben;a;Ada;8\n3;\"Lee; C\";b;Ada;8\n4;Dev;b;\"Lee; C\";7\n5;Eva;b;Ben;6\n",
       "column 4 (chief) holds what stands in column 2 (who): if these are parent and child, read columns 2,4"},
      {"name,boss,title\nAnn,Bob,Engineer\nCid,Bob,Clerk\nBob,Eve,Head\n", NULL},
      {"id,name,age\n1,Ada,3\n2,Ben,1\n3,Cid,1\n4,Dev,2\n", NULL}, /* numbers of something else */
      {"family,genus,species\nfe,pa,leo\nfe,pa,tigris\nfe,fel,catus\nca,can,lupus\n",
       "columns 1 to 3 (family to species) look like levels, the highest first"},
      {"species,genus,family\nleo,pa,fe\ntigris,pa,fe\ncatus,fel,fe\nlupus,can,ca\n",
       "columns 1 to 3 (species to family) look like levels, the lowest first"},
      {"family,genus,species\nfe,pa,leo\nfe,pa,tigris\nfe,fel,catus\nca,pa,lupus\n", NULL}, /* a genus of two families */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph_destroy(graph_read(f, cases[i].text, NULL, NULL));
    const bool said = strstr(f->log, "hang together") != NULL || strstr(f->log, "look like levels") != NULL;
    if (said != (cases[i].says != NULL) || (said && strstr(f->log, cases[i].says) == NULL))
      fail_msg("case %zu: %s", i, f->log);
  }
}

/* A third column of something else than numbers is left alone, and counted; a wrong number among numbers is an error. */
static void third_column(void **state) {
  fixture *f = *state;
  geodisk_graph_read_info info;
  geodisk_graph *graph = graph_read(f, "ann,bob,friend\ncid,bob,foe\nbob,eve,friend\n", NULL, &info);
  assert_false(info.weighted);
  assert_int_equal(info.extra_fields, 3);
  assert_int_equal(geodisk_graph_edges(graph), 3);
  assert_string_equal(f->log,
                      "W text: lines with a third field that is no number, ignored with what follows it: 3 (first at line 1)\n");
  geodisk_graph_destroy(graph);
  const geodisk_graph_read_options weights = {.weights = GEODISK_CHOICE_YES}, strict = {.strict = true};
  refuses(f, "ann,bob,friend\ncid,bob,foe\n", &weights,
          "text: line 1, column 3: 'friend': the third column is the weight, a number >= 0; it can be ignored (weights no)");
  refuses(f, "ann,bob,friend\ncid,bob,foe\n", &strict, "text: line 1, column 3: 'friend': a third column that holds no numbers");
  refuses(f, "ann,bob,1\ncid,bob,2\nbob,eve,foe\n", NULL,
          "text: line 3, column 3: 'foe': the third column is the weight, a number >= 0; it can be ignored (weights no)");
}

/* ---- comments --------------------------------------------------------------------------------------------------------- */

static void hashes(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text;
    size_t edges, comments;
  } cases[] = {
      {"#MeToo\t#Feminism\n#TimesUp\t#MeToo\n", 2, 0},
      {"#MeToo\t#Feminism\nwomen\t#Feminism\n# a comment\n", 2, 1},
      {"#MeToo #Feminism\n#TimesUp #MeToo\n", 2, 0},
      {"#a,x\n#b,x\nx,y\n", 3, 0},
      {"# FromNodeId\tToNodeId\n1\t2\n2\t3\n", 2, 1},
      {"#FromNodeId\tToNodeId\n1\t2\n2\t3\n", 2, 0}, /* a header */
      {"#created 2020\na b\nb c\nc d\nd e\n", 4, 1},
      {"#created by somebody\na,b\nb,c\nc,d\n", 3, 1},
      {"## two\n%% matrix\n% konect\na b\nb c\n", 2, 3},
      {"a,b\nb,c\n#c,d\nd,e\ne,f\nf,g\n", 5, 1}, /* an edge that somebody has taken out */
      {"#\na b\n", 1, 1},
      {"#say \"hi\na b\nb c\nc d\nd e\n", 4, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph_read_info info;
    geodisk_graph *graph = graph_read(f, cases[i].text, NULL, &info);
    if (geodisk_graph_edges(graph) != cases[i].edges || info.comments != cases[i].comments)
      fail_msg("case %zu: %zu edges, %d comments", i, geodisk_graph_edges(graph), (int)info.comments);
    if (cases[i].comments > 0)
      assert_non_null(strstr(f->log, "comment lines: "));
    geodisk_graph_destroy(graph);
  }
}

/* ---- networkx --------------------------------------------------------------------------------------------------------- */

static void edges_with_data(void **state) {
  fixture *f = *state;
  static const char *const same[] = {
      "a b {'weight': 2.5, 'color': 'red'}\nb c {'weight': 1}\nc d {'note': \"it's {'weight': 9}\", 'weight': 3}\n",
      "a\tb\t{'weight': 2.5}\nb\tc\t{'weight': 1}\nc\td\t{'weight': 3}\n",
      "a,b,{'weight': np.float64(2.5), 'x': [1, 2]}\nb,c,{'weight': 1}\nc,d,{'weight': 3}\n",
  };
  for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
    geodisk_graph *graph = graph_read(f, same[i], NULL, NULL);
    assert_int_equal(geodisk_graph_nodes(graph), 4);
    assert_true(weight_between(graph, "a", "b") == 2.5 && weight_between(graph, "b", "c") == 1);
    assert_true(weight_between(graph, "c", "d") == 3);
    assert_string_equal(f->log, "I text: the third field is data of the edge, of which the weight is taken\n");
    geodisk_graph_destroy(graph);
  }
  geodisk_graph *graph = graph_read(f, "1 2 {}\n2 3 {}\n", NULL, NULL);
  assert_int_equal(geodisk_graph_edges(graph), 2);
  assert_false(geodisk_graph_weighted(graph));
  geodisk_graph_destroy(graph);
  const geodisk_graph_read_options no = {.weights = GEODISK_CHOICE_NO};
  graph = graph_read(f, "1 2 {'weight': 2}\n", &no, NULL);
  assert_false(geodisk_graph_weighted(graph));
  geodisk_graph_destroy(graph);
  refuses(
      f, "Mr Hi Officer {}\na b {}\n", NULL,
      "text: line 1, column 3: 'Officer': a third field before the data of the edge; names with blanks need another delimiter");
  refuses(f, "a b {'weight': None}\na c {'weight': 1}\nc d {'weight': 2}\n", NULL,
          "text: line 1, column 3: 'None': the third column is the weight, a number >= 0; it can be ignored (weights no)");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(headers_of_ordinary_words, set_up, tear_down),
      cmocka_unit_test_setup_teardown(decisions_are_said, set_up, tear_down),
      cmocka_unit_test_setup_teardown(header_words_further_down, set_up, tear_down),
      cmocka_unit_test_setup_teardown(columns_by_name_and_number, set_up, tear_down),
      cmocka_unit_test_setup_teardown(roots_of_tables, set_up, tear_down),
      cmocka_unit_test_setup_teardown(roots_below_a_header, set_up, tear_down),
      cmocka_unit_test_setup_teardown(columns_that_are_not_there, set_up, tear_down),
      cmocka_unit_test_setup_teardown(other_columns, set_up, tear_down),
      cmocka_unit_test_setup_teardown(third_column, set_up, tear_down),
      cmocka_unit_test_setup_teardown(hashes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(edges_with_data, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
