/* test_graph_faults.c - every operation on graphs with the N-th allocation failing, for every N: it must say MEMORY, leave its
 * output alone and leak nothing (which the address sanitizer sees). Writing with a write, flush, rename or close failing: the old
 * file stays. */
#include "faults.h"
#include "graph_testing.h"

typedef struct materials {
  geodisk_context *context;
  geodisk_graph *dag, *ring, *weighted;
} materials;

typedef geodisk_status operation(const materials *m, geodisk_graph **out);

static geodisk_status do_read(const materials *m, geodisk_graph **out) {
  static const char text[] = "child,parent,w\n\"a \"\"x\"\"\",b,1\nb,c,2\nc,c,3\na,b,2\n\"p\nq\",r,0.5\nlone\n";
  return read_text(m->context, text, NULL, NULL, out);
}

static geodisk_status do_read_strict(const materials *m, geodisk_graph **out) {
  const geodisk_graph_read_options strict = {.strict = true};
  return read_text(m->context, "a b\nb c\n", &strict, NULL, out);
}

static geodisk_status do_read_wordnet(const materials *m, geodisk_graph **out) {
  static const char index[] = "a n 1 0 1 0 100\nb n 1 0 1 0 200\n";
  static const char data[] = "100 03 n 01 a 0 000 | x\n200 03 n 01 b 0 001 @ 100 n 0000 | x\n";
  const geodisk_wordnet_files files = {data, sizeof data - 1, index, sizeof index - 1};
  const geodisk_wordnet_options options = {.root = "a.n.01", .reverse = true};
  return geodisk_graph_read_wordnet_memory(m->context, &files, &options, NULL, out);
}

static geodisk_status do_read_obo(const materials *m, geodisk_graph **out) {
  static const char text[] = "[Term]\nid: A\nname: x\nis_a: B\n[Term]\nid: B\nname: y\n";
  const geodisk_obo_options names = {.names = true};
  return geodisk_graph_read_obo_memory(m->context, &(geodisk_memory_file){"o", text, sizeof text - 1}, &names, NULL, out);
}

static geodisk_status do_closure(const materials *m, geodisk_graph **out) {
  return geodisk_graph_closure(m->context, m->dag, NULL, out);
}

static geodisk_status do_reduce(const materials *m, geodisk_graph **out) { return geodisk_graph_reduce(m->context, m->dag, out); }

static geodisk_status do_undirected(const materials *m, geodisk_graph **out) {
  return geodisk_graph_undirected(m->context, m->weighted, out);
}

static geodisk_status do_reverse(const materials *m, geodisk_graph **out) {
  return geodisk_graph_reverse(m->context, m->weighted, out);
}

static geodisk_status do_below(const materials *m, geodisk_graph **out) {
  return geodisk_graph_subgraph_below(m->context, m->weighted, 1, out);
}

static geodisk_status do_split(const materials *m, geodisk_graph **out) {
  geodisk_split split;
  const geodisk_status status = geodisk_graph_split(m->context, m->dag, NULL, &split);
  if (status == GEODISK_OK) {
    geodisk_graph_destroy(split.train);
    geodisk_graph_destroy(split.test);
    *out = split.validation;
  }
  return status;
}

static geodisk_status do_split_ring(const materials *m, geodisk_graph **out) {
  const materials ring = {.context = m->context, .dag = m->ring};
  return do_split(&ring, out);
}

static geodisk_status do_barabasi(const materials *m, geodisk_graph **out) {
  const geodisk_generate_options o = {
      .kind = GEODISK_GENERATOR_BARABASI, .nodes = 50, .attach = 2, .shape = GEODISK_SHAPE_CLOSED};
  return geodisk_graph_generate(m->context, &o, out);
}

static geodisk_status do_blocks(const materials *m, geodisk_graph **out) {
  const geodisk_generate_options o = {
      .kind = GEODISK_GENERATOR_BLOCKS, .nodes = 60, .blocks = 2, .p_in = 0.9, .p_out = 0.9, .shape = GEODISK_SHAPE_UNDIRECTED};
  return geodisk_graph_generate(m->context, &o, out);
}

static geodisk_status do_write(const materials *m, geodisk_graph **out) {
  (void)out;
  return geodisk_graph_write(m->context, m->weighted, "graph-faults.tsv", NULL);
}

static geodisk_status do_facts(const materials *m, geodisk_graph **out) {
  (void)out;
  geodisk_graph_facts facts;
  return geodisk_graph_describe(m->context, m->ring, &facts);
}

static geodisk_status do_communities(const materials *m, geodisk_graph **out) {
  (void)out;
  uint32_t community[64];
  geodisk_kind_info info;
  const geodisk_status status = geodisk_graph_tell_kind(m->context, m->dag, &info);
  return status != GEODISK_OK ? status : geodisk_graph_communities(m->context, m->dag, 1, community, NULL);
}

static geodisk_status read_text_as(const materials *m, const char *text, const geodisk_graph_read_options *options,
                                   geodisk_graph **out) {
  return geodisk_graph_read_memory(m->context, &(geodisk_memory_file){"text", text, strlen(text)}, options, NULL, out);
}

static geodisk_status do_read_columns(const materials *m, geodisk_graph **out) {
  const geodisk_graph_read_options options = {.columns = "name,boss,3"};
  return read_text_as(m, "name,boss,weight\na,b,1\nc,b,2\n", &options, out);
}

static geodisk_status do_read_tree(const materials *m, geodisk_graph **out) {
  return read_text_as(m, "{\"name\":\"r\",\"children\":[{\"name\":\"x\"},{\"name\":\"x\"},{}]}", NULL, out);
}

static geodisk_status do_read_links(const materials *m, geodisk_graph **out) {
  return read_text_as(m, "{\"nodes\":[{\"id\":1},{\"id\":2}],\"links\":[{\"source\":1,\"target\":2}]}", NULL, out);
}

static geodisk_status do_read_newick(const materials *m, geodisk_graph **out) {
  return read_text_as(m, "(a,(b,c)x,(a)y)r;", NULL, out);
}

static geodisk_status do_read_graphml(const materials *m, geodisk_graph **out) {
  return read_text_as(m, "<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>", NULL, out);
}

static geodisk_status do_advise(const materials *m, geodisk_graph **out) {
  (void)out;
  geodisk_graph_advice advice;
  return geodisk_graph_advise(m->context, m->dag, &advice);
}

static geodisk_status do_distances(const materials *m, geodisk_graph **out) {
  (void)out;
  geodisk_distance_info info;
  const geodisk_status status = geodisk_graph_hops(m->context, m->ring, NULL, NULL, &info);
  return status != GEODISK_OK ? status : geodisk_graph_lengths(m->context, m->weighted, NULL, NULL, &info);
}

static geodisk_status check_of(const materials *m, const geodisk_graph *graph) {
  geodisk_check *check = NULL;
  const geodisk_status status = geodisk_graph_check(m->context, graph, NULL, NULL, &check);
  geodisk_check_destroy(check);
  return status;
}

static geodisk_status do_check(const materials *m, geodisk_graph **out) {
  (void)out;
  return check_of(m, m->dag);
}

static geodisk_status do_check_ring(const materials *m, geodisk_graph **out) {
  (void)out;
  return check_of(m, m->ring);
}

static void nth_allocation_fails(void **state) {
  (void)state;
  static const struct {
    const char *name;
    operation *run;
  } operations[] = {
      {"read", do_read},
      {"read strict", do_read_strict},
      {"read wordnet", do_read_wordnet},
      {"read obo", do_read_obo},
      {"read columns", do_read_columns},
      {"read tree", do_read_tree},
      {"read links", do_read_links},
      {"read newick", do_read_newick},
      {"read graphml", do_read_graphml},
      {"advise", do_advise},
      {"closure", do_closure},
      {"reduce", do_reduce},
      {"undirected", do_undirected},
      {"reverse", do_reverse},
      {"below", do_below},
      {"split", do_split},
      {"split ring", do_split_ring},
      {"barabasi", do_barabasi},
      {"blocks", do_blocks},
      {"write", do_write},
      {"facts", do_facts},
      {"communities", do_communities},
      {"distances", do_distances},
      {"check", do_check},
      {"check ring", do_check_ring},
  };
  materials m = {NULL, NULL, NULL, NULL};
  assert_int_equal(geodisk_context_create(2, &m.context), GEODISK_OK);
  m.dag = graph_of("a b\nb c\na c\nc d\nb d\na d\n");
  m.ring = graph_of("a b\nb c\nc d\nd e\ne a\nc f\nf a\nx a\n");
  m.weighted = graph_of("a b 1\nb c 2\nc b 3\n");
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
    long n = 1;
    for (;; n++) {
      geodisk_graph *out = NULL;
      fault_countdown[FAULT_MEMORY] = n;
      const geodisk_status status = operations[i].run(&m, &out);
      const bool all_served = fault_countdown[FAULT_MEMORY] > 0;
      fault_countdown[FAULT_MEMORY] = 0;
      if (status == GEODISK_OK) {
        geodisk_graph_destroy(out);
        if (all_served)
          break;
        continue; /* one that is allowed to fail, such as giving back what is not needed */
      }
      if (status != GEODISK_ERROR_MEMORY && !(status == GEODISK_ERROR_IO && operations[i].run == do_write))
        fail_msg("%s, allocation %ld: status %d", operations[i].name, n, (int)status);
      assert_false(all_served);
      assert_null(out);
      assert_true(strlen(geodisk_context_error(m.context)) > 0);
    }
    assert_true(n >= 3);
  }
  remove("graph-faults.tsv");
  geodisk_graph_destroy(m.dag);
  geodisk_graph_destroy(m.ring);
  geodisk_graph_destroy(m.weighted);
  geodisk_context_destroy(m.context);
}

static void nth_output_call_fails(void **state) {
  (void)state;
  static const enum fault_kind kinds[] = {FAULT_WRITE, FAULT_FSYNC, FAULT_RENAME, FAULT_CLOSE};
  geodisk_graph *graph = graph_of("a b 1\nb c 2\n"), *old = graph_of("x y\n");
  const char *const paths[] = {"graph-faults.tsv", "graph-faults.gz"};
  geodisk_context *context = NULL;
  assert_int_equal(geodisk_context_create(1, &context), GEODISK_OK);
  for (size_t p = 0; p < 2; p++) {
    if (geodisk_graph_write(context, old, paths[p], NULL) == GEODISK_ERROR_UNSUPPORTED)
      continue;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
      geodisk_graph *back = NULL;
      fault_countdown[kinds[k]] = 1;
      assert_int_equal(geodisk_graph_write(context, graph, paths[p], NULL), GEODISK_ERROR_IO);
      assert_non_null(strstr(geodisk_context_error(context), paths[p]));
      fault_countdown[kinds[k]] = 0;
      assert_int_equal(geodisk_graph_read(context, paths[p], NULL, NULL, &back), GEODISK_OK);
      assert_same_graph(old, back);
      geodisk_graph_destroy(back);
    }
    remove(paths[p]);
  }
  geodisk_graph_destroy(graph);
  geodisk_graph_destroy(old);
  geodisk_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nth_allocation_fails), cmocka_unit_test(nth_output_call_fails)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
