/* cmd_graph_split.c - `geodisk graph split`: training, validation and test edges, and non-edges beside them. */
#include "graph_source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const command_spec split_spec = {
    "graph split",
    "training, validation and test edges for link prediction and entailment",
    "GRAPH",
    GRAPH_SOURCE_TEXT
    "Writes PREFIX.train.tsv, PREFIX.validation.tsv and PREFIX.test.tsv. Of a hierarchy the basic edges (those of the transitive "
    "reduction) stay in training, so that every node keeps an edge there, and the percentages are of the other edges of the "
    "closure: give it a closed graph, or --closure. Of a network any edge is held out whose nodes keep another; the percentages "
    "are of all edges, and both directions of an edge stay together. Where fewer edges are held out than asked for, a message "
    "says why.\n"
    "--protocol entailment is that of Ganea, Becigneul and Hofmann (2018): all basic edges and --closure-share percent of the "
    "others are for training, and for each edge held out --non-edges pairs that are no edges are drawn, half with another "
    "parent, half with another child: PREFIX.validation-non-edges.tsv and PREFIX.test-non-edges.tsv, for geodisk eval --tasks "
    "entailment. Give it --without-root to leave out the edges to the root first, as they do.\n"
    "With all basic edges in training a walk through the graph answers all that these two hold out. It cannot answer what the "
    "others do: --protocol parents takes one basic edge from nodes that have several, with all that follows from it alone; the "
    "percentages are of such nodes. --protocol nodes takes out --leaves and --inner nodes and writes a little of each, as "
    "--given says, to PREFIX.given.tsv, for geodisk place; held out are their other edges to nodes that stay. Both draw "
    "non-edges as entailment does.",
    "geodisk graph split nouns.tsv -o nouns --validation 5 --test 5 --seed 1\n"
    "geodisk graph split taxonomy.tsv --closure -o taxonomy --validation 0 --test 10\n"
    "geodisk graph split friends.csv -o friends --as network\n"
    "geodisk graph split nouns.tsv -o nouns --protocol entailment --closure-share 10 --without-root\n"
    "geodisk graph split nouns.tsv -o nouns --protocol parents\n"
    "geodisk graph split nouns.tsv -o nouns --protocol nodes --leaves 500 --inner 100 --given two-ancestors",
};

typedef struct split_request {
  graph_source source;
  const char *prefix;
  int kind, protocol, given;
  int64_t seed, non_edges, leaves, inner;
  bool without_root, share_given, non_edges_given, leaves_given, inner_given, given_given;
  geodisk_split_options split;
  common_options common;
} split_request;

/* What was done, and why it is less than what was asked for. */
static void tell_split(geodisk_context *context, const geodisk_split *split) {
  const uint64_t wanted = split->wanted_validation + split->wanted_test;
  const uint64_t held = geodisk_graph_edges(split->validation) + geodisk_graph_edges(split->test);
  if (split->kind == GEODISK_KIND_NETWORK)
    geodisk_log_event(context, GEODISK_LOG_INFO,
                      "split as a network: any of its %" PRIu64 " edges may be held out (--as hierarchy keeps the basic ones)",
                      split->candidates);
  if (split->given != NULL)
    return;
  if (split->candidates == 0)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "no edge can be held out: all are basic; take the closure first (--closure) if this is a hierarchy, or "
                      "split it as a network (--as network)");
  else if (held < wanted)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "%" PRIu64 " edges held out instead of %" PRIu64
                      ": each of the others is the last that one of its nodes has",
                      held, wanted);
}

/* What was made of the graph. */
typedef struct parts {
  geodisk_split split;
  geodisk_graph *validation_non_edges, *test_non_edges; /* or NULL */
} parts;

/* Of a hierarchy no pair is drawn that follows from its edges, also where it is not closed. */
static geodisk_status draw_non_edges(geodisk_context *context, const split_request *r, const geodisk_graph *graph, parts *out) {
  const size_t each = (size_t)r->non_edges;
  const uint64_t seed = r->split.seed;
  const geodisk_closure_options limit = {.max_edges = graph_source_max_edges(&r->source)};
  geodisk_graph *closed = NULL;
  geodisk_status status = GEODISK_OK;
  if (out->split.kind == GEODISK_KIND_HIERARCHY)
    status = geodisk_graph_closure(context, graph, &limit, &closed);
  const geodisk_graph *known = closed != NULL ? closed : graph;
  if (status == GEODISK_OK)
    status = geodisk_graph_non_edges(context, known, out->split.validation, each, 2 * seed, &out->validation_non_edges);
  if (status == GEODISK_OK)
    status = geodisk_graph_non_edges(context, known, out->split.test, each, 2 * seed + 1, &out->test_non_edges);
  geodisk_graph_destroy(closed);
  return status;
}

/* Reads the graph and splits it. */
static geodisk_status make_split(geodisk_context *context, const split_request *r, const char *path, parts *out) {
  geodisk_graph *graph = NULL, *read = NULL;
  geodisk_split *split = &out->split;
  geodisk_status status = graph_source_read(context, &r->source, path, NULL, &graph);
  if (status == GEODISK_OK && r->without_root) {
    read = graph;
    graph = NULL;
    status = geodisk_graph_without_roots(context, read, &graph);
    geodisk_graph_destroy(read);
  }
  if (status == GEODISK_OK)
    status = geodisk_graph_split(context, graph, &r->split, split);
  if (status == GEODISK_OK && r->non_edges > 0)
    status = draw_non_edges(context, r, graph, out);
  geodisk_graph_destroy(graph);
  if (status == GEODISK_OK)
    tell_split(context, split);
  return status;
}

static geodisk_status write_part(geodisk_context *context, const char *prefix, const char *part, const geodisk_graph *graph) {
  char path[4096];
  if (snprintf(path, sizeof path, "%s.%s.tsv", prefix, part) >= (int)sizeof path)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "-o: the prefix is too long");
  const geodisk_graph_write_options options = {.no_lone_nodes = true};
  const geodisk_status status = geodisk_graph_write(context, graph, path, &options);
  if (status == GEODISK_OK)
    geodisk_log_event(context, GEODISK_LOG_INFO, "%s: %zu edges", path, geodisk_graph_edges(graph));
  return status;
}

/* The files, in the order they are written. */
static const char *const part_names[] = {"train", "given", "validation", "test", "validation-non-edges", "test-non-edges"};
enum { PARTS = sizeof part_names / sizeof part_names[0] };

static geodisk_status write_parts(geodisk_context *context, const char *prefix, const parts *p) {
  const geodisk_graph *const graphs[PARTS] = {p->split.train, p->split.given,          p->split.validation,
                                              p->split.test,  p->validation_non_edges, p->test_non_edges};
  geodisk_status status = GEODISK_OK;
  for (int i = 0; i < PARTS && status == GEODISK_OK; i++)
    if (graphs[i] != NULL)
      status = write_part(context, prefix, part_names[i], graphs[i]);
  return status;
}

static void print_json(const parts *p) {
  const geodisk_split *split = &p->split;
  printf("{\"nodes\": %zu, \"train\": %zu, \"validation\": %zu, \"test\": %zu, \"basic\": %" PRIu64 ", \"candidates\": %" PRIu64
         ", \"kind\": \"%s\"",
         geodisk_graph_nodes(split->train), geodisk_graph_edges(split->train), geodisk_graph_edges(split->validation),
         geodisk_graph_edges(split->test), split->basic, split->candidates,
         split->kind == GEODISK_KIND_NETWORK ? "network" : "hierarchy");
  if (split->given != NULL)
    printf(", \"given\": %zu", geodisk_graph_edges(split->given));
  if (p->test_non_edges != NULL)
    printf(", \"validation_non_edges\": %zu, \"test_non_edges\": %zu", geodisk_graph_edges(p->validation_non_edges),
           geodisk_graph_edges(p->test_non_edges));
  puts("}");
}

/* What goes with what; -1 to go on. */
static int check(split_request *r, const char *const *inputs) {
  if (r->prefix == NULL || *r->prefix == 0)
    return cli_usage_error(&split_spec, "-o PREFIX is missing");
  if (strcmp(r->prefix, "-") == 0)
    return cli_usage_error(&split_spec,
                           "-o takes how the names of the files begin, not -: they cannot all go to standard output");
  const bool entailment = r->protocol == GEODISK_PROTOCOL_ENTAILMENT, nodes = r->protocol == GEODISK_PROTOCOL_NODES;
  if (r->share_given && !entailment)
    return cli_usage_error(&split_spec, "--closure-share goes with --protocol entailment");
  if (entailment && !r->share_given)
    return cli_usage_error(&split_spec, "--protocol entailment needs --closure-share PERCENT");
  if (r->protocol != GEODISK_PROTOCOL_LINKS && r->kind == GEODISK_KIND_NETWORK)
    return cli_usage_error(&split_spec, "--protocol %s is for hierarchies, not networks",
                           entailment ? "entailment"
                           : nodes    ? "nodes"
                                      : "parents");
  const char *stray = r->leaves_given ? "--leaves" : r->inner_given ? "--inner" : r->given_given ? "--given" : NULL;
  if (stray != NULL && !nodes)
    return cli_usage_error(&split_spec, "%s goes with --protocol nodes", stray);
  if (nodes && !r->leaves_given && r->given == GEODISK_GIVEN_CHILDREN)
    r->leaves = 0; /* they have none */
  if (!r->non_edges_given)
    r->non_edges = r->protocol != GEODISK_PROTOCOL_LINKS ? 10 : 0;
  int code = -1;
  for (int i = 0; i < PARTS && code < 0; i++) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s.%s.tsv", r->prefix, part_names[i]) < (int)sizeof path)
      code = cli_check_inputs(&split_spec, "--output", path, inputs, 1);
  }
  return code;
}

int cmd_graph_split(int argc, char **argv) {
  split_request r = {.split = {.validation = 5, .test = 5}, .leaves = 500, .inner = 100};
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &r.prefix, "PREFIX", "how the names of the files begin (must be given)"),
      OPT_CHOICE("protocol", 0, &r.protocol, "links|entailment|parents|nodes",
                 "what is held out, and what is left out (default: links)"),
      OPT_DOUBLE("validation", 0, &r.split.validation, "PERCENT", "of the edges that can be held out (default: 5)", 0, 100),
      OPT_DOUBLE("test", 0, &r.split.test, "PERCENT", "of the edges that can be held out (default: 5)", 0, 100),
      {"closure-share", 0, OPTION_DOUBLE, &r.split.closure_share, "PERCENT",
       "entailment: of the edges that are not basic, those in training (as published: 0, 10, 25, 50 or 90)", 0, 100,
       &r.share_given},
      {"leaves", 0, OPTION_INT, &r.leaves, "N", "nodes: leaves taken out (default: 500, with --given children none)", 0, 1e9,
       &r.leaves_given},
      {"inner", 0, OPTION_INT, &r.inner, "N", "nodes: others taken out (default: 100)", 0, 1e9, &r.inner_given},
      {"given", 0, OPTION_CHOICE, &r.given, "ancestor|two-ancestors|parent|children",
       "nodes: what is told of each: one of its ancestors, two, a direct parent, or up to three children (default: ancestor)", 0,
       0, &r.given_given},
      {"non-edges", 0, OPTION_INT, &r.non_edges, "N", "drawn for each edge held out (default: 10, for links none)", 0, 1000,
       &r.non_edges_given},
      OPT_FLAG("without-root", 0, &r.without_root, "leave out the edges to nodes without parents first"),
      OPT_INT("seed", 0, &r.seed, "N", "of the random numbers (default: 0)", 0, 9007199254740992.0),
      OPT_CHOICE("as", 0, &r.kind, "auto|hierarchy|network", "what GRAPH is (default: found out from its shape)"),
      GRAPH_SOURCE_OPTIONS(r.source),
      OPT_END,
  };
  int code = graph_source_parse(&split_spec, options, &r.source, &r.common, argc, argv);
  if (code < 0)
    code = check(&r, r.common.args);
  if (code >= 0)
    return code;
  geodisk_context *context = cli_context(&r.common);
  r.split.seed = (uint64_t)r.seed;
  r.split.kind = (geodisk_graph_kind)r.kind;
  r.split.protocol = (geodisk_protocol)r.protocol;
  r.split.leaves = (size_t)r.leaves;
  r.split.inner = (size_t)r.inner;
  r.split.given = (geodisk_given)r.given;
  parts p = {0};
  geodisk_status status = make_split(context, &r, r.common.args[0], &p);
  if (status == GEODISK_OK)
    status = write_parts(context, r.prefix, &p);
  if (status == GEODISK_OK && r.common.json)
    print_json(&p);
  geodisk_split_free(&p.split);
  geodisk_graph_destroy(p.validation_non_edges);
  geodisk_graph_destroy(p.test_non_edges);
  return cli_end(context, status);
}
