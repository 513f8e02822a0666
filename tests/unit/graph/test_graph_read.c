/* test_graph_read.c - the reader of edge lists: what people have, what it counts, what it refuses and with which words. */
#include "graph_logged.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- what it reads ---------------------------------------------------------------------------------------------------- */

/* All of these are dog -> mammal, "big cat" -> mammal. */
static void ways_to_write_it(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text;
    char separator;
    bool header;
  } cases[] = {
      {"dog\tmammal\nbig cat\tmammal\n", '\t', false},
      {"dog\tmammal\nbig cat\tmammal", '\t', false},
      {"dog\tmammal\r\nbig cat\tmammal\r\n", '\t', false},
      {"\xef\xbb\xbf"
       "dog\tmammal\nbig cat\tmammal\n",
       '\t', false},
      {"dog,mammal\nbig cat,mammal\n", ',', false},
      {"dog, mammal\nbig cat, mammal \n", ',', false},
      {"\"dog\",\"mammal\"\n\"big cat\",\"mammal\"\n", ',', false},
      {"dog;mammal\nbig cat;mammal\n", ';', false},
      {"dog|mammal\nbig cat|mammal\n", '|', false},
      {"dog mammal\n\"big cat\" mammal\n", ' ', false},
      {"  dog \t mammal  \n\"big cat\" \t mammal\n", '\t', false},
      {"# a comment\n% another\n\n \t \ndog\tmammal\nbig cat\tmammal\n", '\t', false},
      {"child\tparent\ndog\tmammal\nbig cat\tmammal\n", '\t', true},
      {"Child,Parent\r\ndog,mammal\r\nbig cat,mammal\r\n", ',', true},
      {"\xef\xbb\xbf"
       "Source,Target\ndog,mammal\nbig cat,mammal\n",
       ',', true},
      {"from to\ndog mammal\n\"big cat\" mammal\n", ' ', true},
  };
  geodisk_graph *first = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = NULL;
    geodisk_graph_read_info info;
    if (read_text(f->context, cases[i].text, NULL, &info, &graph) != GEODISK_OK)
      fail_msg("case %zu: %s", i, geodisk_context_error(f->context));
    assert_int_equal(geodisk_graph_nodes(graph), 3);
    assert_int_equal(geodisk_graph_edges(graph), 2);
    assert_true(edge_between(graph, "dog", "mammal"));
    assert_true(edge_between(graph, "big cat", "mammal"));
    assert_int_equal(info.separator, cases[i].separator);
    assert_int_equal(info.header, cases[i].header);
    assert_int_equal(info.edges_read, 2);
    assert_consistent(graph);
    if (first == NULL)
      first = graph;
    else
      assert_int_equal(geodisk_graph_fingerprint(graph), geodisk_graph_fingerprint(first));
    if (graph != first)
      geodisk_graph_destroy(graph);
  }
  geodisk_graph_destroy(first);
}

static void separators_are_told_apart(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text;
    char separator;
  } cases[] = {
      {"New York, NY\tUSA\nParis\tFrance\n", '\t'}, /* commas and blanks in names */
      {"a b,c d\ne f,g h\n", ','},                  /* blanks in names */
      {"a,b c\nd e\nf g\nh i\n", ' '},              /* a comma in one name */
      {"\"a\tb\",c\nd,e\n", ','},                   /* a tab inside quotes */
      {"\"a,b\" \"c,d\"\n\"e,f\" \"g,h\"\n", ' '},  /* commas inside quotes */
      {"a;b,c\nd;e\nf;g\n", ';'},                   /* one comma */
      {"alone\nA\tB\nmore alone\n", '\t'},          /* lines of one field */
      {"1 2 0.5\n2 3 0.25\n", ' '},
      {"part;whole;price\nPear;Fruit;1,40\nFig;Fruit;2,10\nNut;Fruit;3\n", ';'}, /* decimal commas */
      {"who|chief\nRay, Bo|Lee, C\nFry, D|\n", '|'},                             /* commas in names, and an odd line */
      {"a,b;x\nc,d\ne,f;y;z\n", ','},                                            /* semicolons in names */
      {"x\n", '\t'},                                                             /* nothing to go by */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = NULL;
    geodisk_graph_read_info info;
    assert_int_equal(read_text(f->context, cases[i].text, NULL, &info, &graph), GEODISK_OK);
    if (info.separator != cases[i].separator)
      fail_msg("case %zu: separator '%c', expected '%c'", i, info.separator, cases[i].separator);
    geodisk_graph_destroy(graph);
  }
}

static void headers_are_recognised(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text;
    bool header;
  } cases[] = {
      {"id1,id2,weight\na,b,1\n", true},
      {"x,y,strength\na,b,0.5\n", true}, /* the third field is no number, the next one is */
      {"a,b,0.5\nc,d,1\n", false},
      {"node_1 node_2\nx y\n", true},
      {"begin,finish\n1,2\n3,4\n", true}, /* words above numbers */
      {"a,1\n2,3\n", false},              /* a number in it */
      {"a,b\n1,x\n", false},
      {"a\tb\nc\td\n", false},
      {"\"child\"\tparent\na\tb\n", false}, /* quotes: this is data */
      {"child\tparent\n", false},           /* all there is */
      {"child\tmother\na\tb\n", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = NULL;
    geodisk_graph_read_info info;
    if (read_text(f->context, cases[i].text, NULL, &info, &graph) != GEODISK_OK)
      fail_msg("case %zu: %s", i, geodisk_context_error(f->context));
    if (info.header != cases[i].header)
      fail_msg("case %zu: header %d", i, info.header);
    geodisk_graph_destroy(graph);
  }
}

static void options_override(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  geodisk_graph_read_info info;
  const geodisk_graph_read_options comma = {.separator = ','}, header = {.header = GEODISK_CHOICE_YES},
                                   data = {.header = GEODISK_CHOICE_NO};
  const geodisk_graph_read_options reverse = {.reverse = true}, letters = {.no_quotes = true}, hashes = {.no_comments = true};
  const geodisk_graph_read_options no_weights = {.weights = GEODISK_CHOICE_NO};
  assert_int_equal(read_text(f->context, "a\tb,c\td\n", &comma, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "a\tb", "c\td"));
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "a b\nc d\n", &header, &info, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), 2);
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "child parent\nc d\n", &data, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "child", "parent"));
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "mammal dog\n", &reverse, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "dog", "mammal"));
  assert_int_equal(node_of(graph, "mammal"), 0); /* numbered in the file's order all the same */
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "\"Weird Al\" Yankovic\tsinger\n", &letters, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "\"Weird Al\" Yankovic", "singer"));
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "#love #feeling\n", &hashes, &info, &graph), GEODISK_OK);
  assert_true(edge_between(graph, "#love", "#feeling"));
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "a\tb\tis_a\tx\ty\n", &no_weights, &info, &graph), GEODISK_OK);
  assert_false(geodisk_graph_weighted(graph));
  assert_int_equal(info.extra_fields, 0);
  geodisk_graph_destroy(graph);
}

static void quotes(void **state) {
  (void)state;
  geodisk_graph *graph = graph_of("\"a \"\"b\"\"\",\"line\none\"\n\"\",\"x,y\"\n5\" disk,\" padded \"\n\"cr\r\nlf\",z\n");
  assert_true(edge_between(graph, "a \"b\"", "line\none"));
  assert_true(edge_between(graph, "", "x,y"));
  assert_true(edge_between(graph, "5\" disk", " padded "));
  assert_true(edge_between(graph, "cr\r\nlf", "z"));
  assert_int_equal(geodisk_graph_edges(graph), 4);
  geodisk_graph_destroy(graph);
}

static void weights(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  geodisk_graph_read_info info;
  assert_int_equal(read_text(f->context, "a b\nb c 0.25\nc d 1e-3\nd e 7\n", NULL, &info, &graph), GEODISK_OK);
  assert_true(info.weighted);
  assert_int_equal(info.missing_weights, 1);
  assert_true(weight_between(graph, "a", "b") == 1);
  assert_true(weight_between(graph, "b", "c") == 0.25);
  assert_true(weight_between(graph, "c", "d") == 1e-3);
  assert_true(weight_between(graph, "d", "e") == 7);
  geodisk_graph_destroy(graph);
  assert_int_equal(read_text(f->context, "a\tb\t\nb\tc\t\n", NULL, &info, &graph), GEODISK_OK);
  assert_false(info.weighted);
  assert_int_equal(info.blank_fields, 2);
  assert_int_equal(geodisk_graph_edges(graph), 2);
  geodisk_graph_destroy(graph);
}

static void odd_things_are_counted_and_reported(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  geodisk_graph_read_info info;
  const char *text = "# c\na\tb\na\tb\nb\tb\n\tc\nc\t\nalone\n\na\tc\t2\tx\ty\na\tb\n";
  assert_int_equal(read_text(f->context, text, NULL, &info, &graph), GEODISK_OK);
  assert_int_equal(info.lines, 10);
  assert_int_equal(info.comments, 1);
  assert_int_equal(info.blank_lines, 1);
  assert_int_equal(info.edges_read, 5);
  assert_int_equal(info.duplicates, 2);
  assert_int_equal(info.self_loops, 1);
  assert_int_equal(info.blank_fields, 2);
  assert_int_equal(info.lone_nodes, 1);
  assert_int_equal(info.extra_fields, 1);
  assert_int_equal(info.missing_weights, 4);
  assert_int_equal(geodisk_graph_nodes(graph), 4);
  assert_int_equal(geodisk_graph_edges(graph), 2);
  assert_string_equal(
      f->log, "W text: self-loops left out: 1 (first at line 4)\n"
              "W text: lines with a blank field, left out, or weight 1 where only the weight is blank: 2 (first at line 5)\n"
              "W text: lines of one field, taken as nodes without an edge, unless the separator is wrong: 1 (first at line 7)\n"
              "W text: lines with more than three fields, the rest of them ignored: 1 (first at line 9)\n"
              "W text: lines without a weight, taken as 1: 4\n"
              "W text: duplicate edges left out: 2\n"
              "I text: comment lines: 1\n");
  geodisk_graph_destroy(graph);
}

static void parent_first_header(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  const geodisk_graph_read_options reverse = {.reverse = true};
  assert_int_equal(read_text(f->context, "parent,child\nmammal,dog\n", NULL, NULL, &graph), GEODISK_OK);
  assert_non_null(strstr(f->log, "W text: the header says that the parent comes first"));
  geodisk_graph_destroy(graph);
  f->log[0] = 0;
  assert_int_equal(read_text(f->context, "parent,child\nmammal,dog\n", &reverse, NULL, &graph), GEODISK_OK);
  assert_string_equal(f->log, "I text: the first line is a header (parent, child)\n");
  assert_true(edge_between(graph, "dog", "mammal"));
  geodisk_graph_destroy(graph);
}

/* ---- what it refuses -------------------------------------------------------------------------------------------------- */

static void refusals(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text;
    geodisk_graph_read_options options;
    const char *says;
  } cases[] = {
      {"a\tb\t1\nc\td\theavy\n",
       {0},
       "text: line 2, column 3: 'heavy': the third column is the weight, a number >= 0; it can be ignored (weights no)"},
      {"a\tb\t1\nc\td\t-1\n",
       {0},
       "text: line 2, column 3: '-1': the third column is the weight, a number >= 0; it can be ignored (weights no)"},
      {"a\tb\t1\nc\td\tinf\n",
       {0},
       "text: line 2, column 3: 'inf': the third column is the weight, a number >= 0; it can be ignored (weights no)"},
      {"a\tb\t1\nc\td\tnan\n",
       {0},
       "text: line 2, column 3: 'nan': the third column is the weight, a number >= 0; it can be ignored (weights no)"},
      {"a\tb\t1\nc\td\n", {.weights = GEODISK_CHOICE_YES}, "text: line 2, column 3: '': the weight is missing"},
      {"a,b\n\n\"c\"d,e\n",
       {0},
       "text: line 3, column 1: '\"c\"d,e': text after the closing quote (quotes can be read as letters: no quotes)"},
      {"a,b\nc,\"d\ne,f\n",
       {0},
       "text: line 2, column 1: 'c,\"d\\x0ae,f': a quote is opened in this line and never closed (quotes can be read as letters: "
       "no quotes)"},
      {"a b\nt\xa1mto bude\xe7\n",
       {0},
       "text: line 2, column 1: 't\\xa1mto': the name is not valid UTF-8; convert the file (iconv -f LATIN1 -t UTF-8)"},
      {"a b\rc d\r", {0}, "text: line 1, column 3: 'd\\x0d': a carriage return inside a line; lines end with LF or CRLF"},
      {"", {0}, "text: the file is empty"},
      {"# nothing\n\n", {0}, "text: there is no edge in it (lines: 2, all comments or blank)"},
      {"a\t\n", {0}, "text: there is no edge in it (lines: 1, all with a blank field)"},
      {"\xef\xbb\xbf", {0}, "text: there is no edge in it (lines: 0, all comments or blank)"},
      {"a b\n", {.separator = '"'}, "reading a graph: byte 34 cannot be the separator"},
      {"a b\n", {.separator = (char)0xA7}, "reading a graph: byte 167 cannot be the separator"},
      /* strict */
      {"a b\nc c\n", {.strict = true}, "text: line 2, column 2: 'c': a self-loop: child and parent are the same"},
      {"a b\nc d\na b\na b\n", {.strict = true}, "text: line 3, column 1: 'a' -> 'b': a duplicate, the edge is there before"},
      {"a\tb\n\td\n", {.strict = true}, "text: line 2, column 1: '': the field is blank"},
      {"a\tb\nd\t \n", {.strict = true}, "text: line 2, column 2: '': the field is blank"},
      {"a\tb\nd\n", {.strict = true}, "text: line 2, column 1: 'd': a line of one field; is the separator right?"},
      {"a\tb\t1\tx\n", {.strict = true}, "text: line 1, column 4: 'x': a fourth column"},
      {"a\tb\t1\nb\tc\n", {.strict = true}, "text: line 2, column 3: '': the weight is missing, other lines have one"},
      {"a\tb\nb\tc\t1\n", {.strict = true}, "text: line 2, column 3: '1': a weight, other lines have none"},
      {"a\tb\t\n", {.strict = true}, "text: line 1, column 3: '': the weight is blank"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    geodisk_graph *graph = NULL;
    geodisk_graph_read_info info = {.lines = 77};
    const geodisk_status status = read_text(f->context, cases[i].text, &cases[i].options, &info, &graph);
    assert_int_equal(status, cases[i].options.separator != 0 ? GEODISK_ERROR_ARGUMENT : GEODISK_ERROR_FORMAT);
    assert_string_equal(geodisk_context_error(f->context), cases[i].says);
    assert_null(graph);
    assert_int_equal(info.lines, 77);
  }
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_read(f->context, NULL, NULL, NULL, &graph), GEODISK_ERROR_ARGUMENT);
  assert_int_equal(read_text(f->context, "a b\n", NULL, NULL, NULL), GEODISK_ERROR_ARGUMENT);
}

static void refuses_bytes(fixture *f, const void *bytes, size_t size, const char *says) {
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_read_memory(f->context, &(geodisk_memory_file){"text", bytes, size}, NULL, NULL, &graph),
                   GEODISK_ERROR_FORMAT);
  assert_string_equal(geodisk_context_error(f->context), says);
  assert_null(graph);
}

static void nul_bytes(void **state) {
  fixture *f = *state;
  refuses_bytes(f, "a b\nc\0 d\n", 9, "text: line 2: a NUL byte: this is not a text file");
  refuses_bytes(f,
                "\xff\xfe"
                "a\0 \0b\0",
                8, "text: line 1: a NUL byte; the file is UTF-16: convert it to UTF-8");
}

/* Lines of any length below 1 MiB, across the edges of the buffer; longer ones are refused. */
static void long_lines(void **state) {
  fixture *f = *state;
  enum { MIB = 1 << 20 };
  char *text = test_malloc(4 * MIB);
  const struct {
    size_t before, length;
    bool fine;
  } cases[] = {{0, MIB - 1, true},       {0, MIB, false},           {MIB - 10, MIB - 1, true}, {2 * MIB - 2, 100, true},
               {2 * MIB, MIB - 1, true}, {2 * MIB, MIB + 1, false}, {0, 3 * MIB, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t used = 0;
    while (used + 4 <= cases[i].before) { /* lines before, to move it in the buffer */
      memcpy(text + used, "a b\n", 4);
      used += 4;
    }
    const size_t lines = used / 4;
    memset(text + used, 'x', cases[i].length);
    text[used] = 'y';
    text[used + cases[i].length / 2] = ' ';
    used += cases[i].length;
    geodisk_graph *graph = NULL;
    for (int end = 0; end < 2; end++) { /* with and without a line end */
      text[used] = '\n';
      const geodisk_status status =
          geodisk_graph_read_memory(f->context, &(geodisk_memory_file){"text", text, used + (size_t)end}, NULL, NULL, &graph);
      assert_int_equal(status, cases[i].fine ? GEODISK_OK : GEODISK_ERROR_FORMAT);
      if (cases[i].fine) {
        assert_int_equal(geodisk_graph_nodes(graph), lines > 0 ? 4 : 2);
        geodisk_graph_destroy(graph);
      } else {
        char says[100];
        snprintf(says, sizeof says, "text: line %zu is too long: a line has less than 1048576 bytes", lines + 1);
        assert_string_equal(geodisk_context_error(f->context), says);
      }
    }
  }
  /* A line as long as the buffer has become: the line before has made it larger. */
  memset(text, 'x', 2 * MIB + 1);
  text[1] = ' ';
  text[MIB - 1] = '\n';
  text[MIB + 1] = ' ';
  text[2 * MIB] = '\n';
  geodisk_graph *graph = NULL;
  assert_int_equal(geodisk_graph_read_memory(f->context, &(geodisk_memory_file){"text", text, 2 * MIB + 1}, NULL, NULL, &graph),
                   GEODISK_ERROR_FORMAT);
  assert_string_equal(geodisk_context_error(f->context), "text: line 2 is too long: a line has less than 1048576 bytes");
  test_free(text);
}

/* Line numbers stay right when quoted names hold line ends, and across refills of the buffer. */
static void line_numbers(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  assert_int_equal(read_text(f->context, "\"a\nb\",c,1\n\"d\n\n\",e,2\nf,g,h\n", NULL, NULL, &graph), GEODISK_ERROR_FORMAT);
  assert_non_null(strstr(geodisk_context_error(f->context), "text: line 6, column 3: 'h'"));
  enum { LINES = 1000000 };
  char *text = test_malloc(5 * LINES + 20);
  for (size_t i = 0; i < LINES; i++)
    memcpy(text + 5 * i, i % 2 ? "bbb\"\n" : "x,\"a\n", 5);
  memcpy(text + 5 * (size_t)LINES, "p,q,r\n", 7);
  assert_int_equal(read_text(f->context, text, NULL, NULL, &graph), GEODISK_ERROR_FORMAT);
  assert_string_equal(
      geodisk_context_error(f->context),
      "text: line 1000001, column 3: 'r': the third column is the weight, a number >= 0; it can be ignored (weights no)");
  test_free(text);
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

static void write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void files(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  char folder[] = "graph-read-XXXXXX", path[64], says[160];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/edges.tsv", folder);
  assert_int_equal(geodisk_graph_read(f->context, path, NULL, NULL, &graph), GEODISK_ERROR_IO);
  snprintf(says, sizeof says, "%s: cannot open: No such file or directory", path);
  assert_string_equal(geodisk_context_error(f->context), says);
  assert_int_equal(geodisk_graph_read(f->context, folder, NULL, NULL, &graph), GEODISK_ERROR_IO);
  snprintf(says, sizeof says, "%s: is a directory, not a file", folder);
  assert_string_equal(geodisk_context_error(f->context), says);
  write_file(path, "", 0);
  assert_int_equal(geodisk_graph_read(f->context, path, NULL, NULL, &graph), GEODISK_ERROR_FORMAT);
  snprintf(says, sizeof says, "%s: the file is empty", path);
  assert_string_equal(geodisk_context_error(f->context), says);
  write_file(path, "a", 1);
  assert_int_equal(geodisk_graph_read(f->context, path, NULL, NULL, &graph), GEODISK_OK);
  assert_int_equal(geodisk_graph_nodes(graph), 1);
  assert_int_equal(geodisk_graph_edges(graph), 0);
  geodisk_graph_destroy(graph);
  remove(path);
  rmdir(folder);
}

static bool stop(void *user, const geodisk_progress *progress) {
  *(uint64_t *)user = progress->done;
  return false;
}

static void stopping(void **state) {
  fixture *f = *state;
  geodisk_graph *graph = NULL;
  uint64_t done = 0;
  geodisk_context_on_progress(f->context, stop, &done);
  assert_int_equal(read_text(f->context, "a b\n", NULL, NULL, &graph), GEODISK_ERROR_STOPPED);
  assert_int_equal(done, 4);
  assert_null(graph);
}

int main(void) {
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      WITH_CONTEXT(ways_to_write_it),
      WITH_CONTEXT(separators_are_told_apart),
      WITH_CONTEXT(headers_are_recognised),
      WITH_CONTEXT(options_override),
      cmocka_unit_test(quotes),
      WITH_CONTEXT(weights),
      WITH_CONTEXT(odd_things_are_counted_and_reported),
      WITH_CONTEXT(parent_first_header),
      WITH_CONTEXT(refusals),
      WITH_CONTEXT(nul_bytes),
      WITH_CONTEXT(long_lines),
      WITH_CONTEXT(line_numbers),
      WITH_CONTEXT(files),
      WITH_CONTEXT(stopping),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
