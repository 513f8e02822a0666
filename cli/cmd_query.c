/* cmd_query.c - `geodisk query`: what a model knows about its nodes. Answers are lines of text, or JSON, one object a node. */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096, SUGGESTIONS = 3, CHAIN_MAX = 10000 };

static const command_spec spec = {
    "query",
    "ask a model: near nodes, parents, distances, analogies",
    "MODEL [NODE ...]",
    1,
    -1,
    "Answers questions about nodes of MODEL (a model file, or any format that geodisk convert reads), by hyperbolic distance, "
    "exactly. Without a question the 10 nearest nodes are given. An answer is a line: a name and its distance, separated by a "
    "tab; "
    "the node comes first if there are several, and the question if there are several.\n"
    "Higher in the hierarchy means nearer to the origin: a closest parent is the nearest node that is higher, a closest child "
    "the "
    "nearest that is lower; ancestors are the closest parent, its closest parent and so on, as in gensim.\n"
    "Without NODE, names are read from standard input, one a line, and each gives one JSON object on one line; a name that is "
    "not "
    "in the model gives an object with \"error\" and \"suggestions\".",
    "geodisk query mammals.safetensors dog.n.01\n"
    "geodisk query mammals.safetensors dog.n.01 cat.n.01 --parents --ancestors\n"
    "geodisk query mammals.safetensors dog.n.01 --distance cat.n.01 --rank cat.n.01\n"
    "geodisk query mammals.safetensors dog.n.01 puppy.n.01 cat.n.01 --analogy\n"
    "geodisk query mammals.safetensors --neighbours 5 < names.txt",
};

/* What the command line asks for. */
typedef struct request {
  common_options common;
  int64_t neighbours, count, depth, steps;
  bool near, parents, children, ancestors, descendants, norm, vector, analogy, barycenter;
  const char *distance, *rank, *difference, *geodesic; /* the other node, or NULL */
  int questions;                                       /* how many of them */
  bool batch;
} request;

typedef struct session {
  const request *r;
  geodisk_context *context;
  const geodisk_model *model;
  geodisk_index *index;
  const char *path;
  uint32_t distance, rank, difference, geodesic; /* the other nodes */
  bool several;                                  /* nodes: name them in every line */
  const char *node;                              /* the node whose answers are printed, and in JSON: is a comma due? */
  bool first;
} session;

/* ---- printing -------------------------------------------------------------------------------------------------------- */

static bool as_json(const session *s) { return s->r->common.json || s->r->batch; }

static void put_number(double value) {
  char buffer[GEODISK_NUMBER_BYTES];
  fputs(shortest_double(value, buffer), stdout);
}

/* The start of a line: node and question, where they are needed. */
static void begin_line(const session *s, const char *question) {
  if (s->several)
    printf("%s\t", s->node);
  if (s->r->questions > 1)
    printf("%s\t", question);
}

static void begin_key(session *s, const char *key) {
  printf("%s\"%s\": ", s->first ? "" : ", ", key);
  s->first = false;
}

static void put_value(session *s, const char *key, double value) {
  if (as_json(s)) {
    begin_key(s, key);
    json_number(value);
  } else {
    begin_line(s, key);
    put_number(value);
    putchar('\n');
  }
}

static void put_neighbours(session *s, const char *key, size_t n, const geodisk_neighbour *list) {
  if (as_json(s)) {
    begin_key(s, key);
    putchar('[');
  }
  for (size_t i = 0; i < n; i++) {
    const char *name = geodisk_model_name(s->model, list[i].node);
    if (as_json(s)) {
      printf("%s{\"node\": ", i > 0 ? ", " : "");
      json_string(name);
      printf(", \"distance\": ");
      json_number(list[i].distance);
      putchar('}');
    } else {
      begin_line(s, key);
      printf("%s\t", name);
      put_number(list[i].distance);
      putchar('\n');
    }
  }
  if (as_json(s))
    putchar(']');
}

static void put_point(session *s, const char *key, const double *x, double gap) {
  if (as_json(s)) {
    begin_key(s, key);
    putchar('[');
  } else {
    begin_line(s, key);
  }
  for (int k = 0; k < geodisk_model_dim(s->model); k++) {
    if (k > 0)
      fputs(as_json(s) ? ", " : "\t", stdout);
    put_number(x[k]);
  }
  if (!as_json(s)) {
    putchar('\n');
    return;
  }
  putchar(']');
  if (!isnan(gap))
    put_value(s, "gap", gap);
}

/* ---- questions ------------------------------------------------------------------------------------------------------- */

static geodisk_status no_memory(const session *s) {
  return geodisk_fail(s->context, GEODISK_ERROR_MEMORY, "not enough memory for the answers");
}

static geodisk_status ask_chain(session *s, const char *key, uint32_t node, geodisk_side side, size_t room) {
  geodisk_neighbour *chain = geodisk_allocate(room, sizeof *chain);
  size_t found = 0;
  geodisk_status status = chain != NULL ? GEODISK_OK : no_memory(s);
  if (status == GEODISK_OK)
    status = geodisk_index_chain(s->context, s->index, node, side, room, chain, &found);
  if (status == GEODISK_OK)
    put_neighbours(s, key, found, chain);
  free(chain);
  return status;
}

static geodisk_status ask_vector(session *s, uint32_t node) {
  double *x = geodisk_allocate((size_t)geodisk_model_dim(s->model), sizeof *x), gap;
  if (x == NULL)
    return no_memory(s);
  geodisk_model_point(s->model, node, x, &gap);
  put_point(s, "vector", x, gap);
  free(x);
  return GEODISK_OK;
}

/* One stop of the way: the share of it, the node nearest to it, how far that is. */
static void put_stop(session *s, size_t i, double t, const geodisk_neighbour *near) {
  const char *name = geodisk_model_name(s->model, near->node);
  if (as_json(s)) {
    printf("%s{\"share\": ", i > 0 ? ", " : "");
    json_number(t);
    printf(", \"node\": ");
    json_string(name);
    printf(", \"distance\": ");
    json_number(near->distance);
    putchar('}');
  } else {
    begin_line(s, "geodesic");
    put_number(t);
    printf("\t%s\t", name);
    put_number(near->distance);
    putchar('\n');
  }
}

/* The nodes passed on the way: the nearest one at equal steps. */
static geodisk_status ask_geodesic(session *s, uint32_t node) {
  const size_t stops = (size_t)s->r->steps + 1, dim = (size_t)geodisk_model_dim(s->model);
  const bool hyperbolic = geodisk_model_space(s->model) == GEODISK_SPACE_HYPERBOLIC;
  double *x = geodisk_allocate(stops, dim * sizeof *x), *gap = geodisk_allocate(stops, sizeof *gap);
  geodisk_neighbour *near = geodisk_allocate(stops, sizeof *near);
  size_t *found = geodisk_allocate(stops, sizeof *found);
  geodisk_status status = x != NULL && gap != NULL && near != NULL && found != NULL ? GEODISK_OK : no_memory(s);
  for (size_t i = 0; status == GEODISK_OK && i < stops; i++)
    status =
        geodisk_model_between(s->context, s->model, node, s->geodesic, (double)i / (double)s->r->steps, x + i * dim, &gap[i]);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest_to(s->context, s->index, stops, x, hyperbolic ? gap : NULL, 1, near, found);
  if (status == GEODISK_OK) {
    if (as_json(s)) {
      begin_key(s, "geodesic");
      putchar('[');
    }
    for (size_t i = 0; i < stops; i++)
      put_stop(s, i, (double)i / (double)s->r->steps, &near[i]);
    if (as_json(s))
      putchar(']');
  }
  free(x);
  free(gap);
  free(near);
  free(found);
  return status;
}

static geodisk_status ask_pairs(session *s, uint32_t node) {
  const request *r = s->r;
  geodisk_status status = GEODISK_OK;
  double distance;
  size_t rank;
  if (r->distance != NULL && (status = geodisk_model_distance(s->context, s->model, node, s->distance, &distance)) == GEODISK_OK)
    put_value(s, "distance", distance);
  if (status == GEODISK_OK && r->rank != NULL &&
      (status = geodisk_index_rank(s->context, s->index, node, s->rank, &rank)) == GEODISK_OK)
    put_value(s, "rank", (double)rank);
  if (status == GEODISK_OK && r->difference != NULL)
    put_value(s, "difference", geodisk_model_norm(s->model, s->difference) - geodisk_model_norm(s->model, node));
  if (status == GEODISK_OK && r->geodesic != NULL)
    status = ask_geodesic(s, node);
  return status;
}

/* Nearest nodes of a batch: any, higher, lower. */
typedef struct batch_answers {
  geodisk_neighbour *list[3];
  size_t *found[3];
  size_t k[3];
} batch_answers;

static void free_answers(batch_answers *a) {
  for (int i = 0; i < 3; i++) {
    free(a->list[i]);
    free(a->found[i]);
  }
}

static geodisk_status ask_nearest(session *s, size_t n, const uint32_t *nodes, batch_answers *a) {
  const request *r = s->r;
  const bool wanted[3] = {r->near, r->parents, r->children};
  const size_t k[3] = {(size_t)r->neighbours, (size_t)r->count, (size_t)r->count}, others = geodisk_model_nodes(s->model) - 1;
  *a = (batch_answers){.k = {0}};
  geodisk_status status = GEODISK_OK;
  for (int i = 0; i < 3 && status == GEODISK_OK; i++) {
    if (!wanted[i])
      continue;
    a->k[i] = k[i] < others ? k[i] : others > 0 ? others : 1;
    a->list[i] = geodisk_allocate(n, a->k[i] * sizeof *a->list[i]);
    a->found[i] = geodisk_allocate(n, sizeof *a->found[i]);
    status = a->list[i] == NULL || a->found[i] == NULL
                 ? no_memory(s)
                 : geodisk_index_nearest(s->context, s->index, n, nodes, a->k[i], (geodisk_side)i, a->list[i], a->found[i]);
  }
  return status;
}

/* All answers for one node, the i-th of its batch. */
static geodisk_status answer_node(session *s, uint32_t node, const batch_answers *a, size_t i) {
  static const char *const keys[3] = {"neighbours", "parents", "children"};
  const request *r = s->r;
  geodisk_status status = GEODISK_OK;
  s->node = geodisk_model_name(s->model, node);
  s->first = true;
  if (as_json(s)) {
    putchar('{');
    begin_key(s, "node");
    json_string(s->node);
  }
  for (int q = 0; q < 3; q++)
    if (a->list[q] != NULL)
      put_neighbours(s, keys[q], a->found[q][i], a->list[q] + i * a->k[q]);
  if (r->ancestors)
    status = ask_chain(s, "ancestors", node, GEODISK_SIDE_HIGHER, CHAIN_MAX);
  if (status == GEODISK_OK && r->descendants)
    status = ask_chain(s, "descendants", node, GEODISK_SIDE_LOWER, (size_t)r->depth);
  if (status == GEODISK_OK && r->norm) {
    put_value(s, "norm", geodisk_model_norm(s->model, node));
    put_value(s, "radius", geodisk_model_radius(s->model, node));
  }
  if (status == GEODISK_OK && r->vector)
    status = ask_vector(s, node);
  if (status == GEODISK_OK)
    status = ask_pairs(s, node);
  if (as_json(s))
    fputs("}\n", stdout);
  return status;
}

static geodisk_status answer_nodes(session *s, size_t n, const uint32_t *nodes) {
  batch_answers a;
  geodisk_status status = ask_nearest(s, n, nodes, &a);
  for (size_t i = 0; status == GEODISK_OK && i < n; i++)
    status = answer_node(s, nodes[i], &a, i);
  free_answers(&a);
  return status;
}

/* A point made of several nodes, and the nodes near to it but for those. */
static geodisk_status answer_point(session *s, size_t n, const uint32_t *nodes) {
  const size_t dim = (size_t)geodisk_model_dim(s->model), k = (size_t)s->r->neighbours + n;
  const bool hyperbolic = geodisk_model_space(s->model) == GEODISK_SPACE_HYPERBOLIC;
  double *x = geodisk_allocate(dim, sizeof *x), gap = (double)NAN;
  geodisk_neighbour *near = geodisk_allocate(k, sizeof *near);
  size_t found = 0, kept = 0;
  geodisk_status status = x != NULL && near != NULL ? GEODISK_OK : no_memory(s);
  if (status == GEODISK_OK)
    status = s->r->analogy ? geodisk_model_analogy(s->context, s->model, nodes[0], nodes[1], nodes[2], x, &gap)
                           : geodisk_model_mean(s->context, s->model, n, nodes, NULL, x, &gap);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest_to(s->context, s->index, 1, x, hyperbolic ? &gap : NULL, k, near, &found);
  for (size_t i = 0; status == GEODISK_OK && i < found && kept < (size_t)s->r->neighbours; i++) {
    bool given = false;
    for (size_t j = 0; j < n; j++)
      given = given || near[i].node == nodes[j];
    if (!given)
      near[kept++] = near[i];
  }
  if (status == GEODISK_OK) {
    s->first = true;
    if (as_json(s)) {
      putchar('{');
      put_point(s, "point", x, gap);
    }
    put_neighbours(s, "neighbours", kept, near);
    if (as_json(s))
      fputs("}\n", stdout);
  }
  free(x);
  free(near);
  return status;
}

/* ---- names ----------------------------------------------------------------------------------------------------------- */

/* Says that a name is unknown, and which ones it may be. */
static int unknown_name(const session *s, const char *name) {
  uint32_t near[SUGGESTIONS];
  size_t n = 0;
  char text[512] = "";
  geodisk_model_suggest(s->context, s->model, name, strlen(name), SUGGESTIONS, near, &n);
  for (size_t i = 0; i < n; i++) {
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s'%.100s'",
             i == 0       ? "; did you mean "
             : i + 1 == n ? " or "
                          : ", ",
             geodisk_model_name(s->model, near[i]));
  }
  return cli_error("%s: no node '%s'%s%s", s->path, name, text, n > 0 ? "?" : "");
}

static bool find(const session *s, const char *name, uint32_t *out) {
  if (geodisk_model_find(s->model, name, strlen(name), out))
    return true;
  unknown_name(s, name);
  return false;
}

static void put_unknown(const session *s, const char *name) {
  uint32_t near[SUGGESTIONS];
  size_t n = 0;
  geodisk_model_suggest(s->context, s->model, name, strlen(name), SUGGESTIONS, near, &n);
  printf("{\"node\": ");
  json_string(name);
  printf(", \"error\": \"no such node\", \"suggestions\": [");
  for (size_t i = 0; i < n; i++) {
    if (i > 0)
      printf(", ");
    json_string(geodisk_model_name(s->model, near[i]));
  }
  printf("]}\n");
}

/* Up to BATCH names from standard input; false at the end. */
typedef struct name_batch {
  char *names[BATCH];
  size_t n;
} name_batch;

static bool read_names(name_batch *b) {
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  b->n = 0;
  while (b->n < BATCH && (length = getline(&line, &room, stdin)) >= 0) {
    if (length > 0 && line[length - 1] == '\n')
      line[--length] = 0;
    if (length > 0 && line[length - 1] == '\r')
      line[--length] = 0;
    if (length == 0)
      continue;
    b->names[b->n++] = line;
    line = NULL;
    room = 0;
  }
  free(line);
  return b->n > 0;
}

/* Known names are answered together; each object comes in its place. */
static geodisk_status answer_batch(session *s, const name_batch *b, size_t *unknown) {
  uint32_t *nodes = geodisk_allocate(b->n, sizeof *nodes);
  bool *known = geodisk_allocate(b->n, sizeof *known);
  batch_answers a = {.k = {0}};
  size_t n = 0;
  geodisk_status status = nodes != NULL && known != NULL ? GEODISK_OK : no_memory(s);
  for (size_t i = 0; status == GEODISK_OK && i < b->n; i++) {
    known[i] = geodisk_model_find(s->model, b->names[i], strlen(b->names[i]), &nodes[n]);
    n += known[i];
  }
  if (status == GEODISK_OK)
    status = ask_nearest(s, n, nodes, &a);
  for (size_t i = 0, at = 0; status == GEODISK_OK && i < b->n; i++) {
    if (known[i]) {
      status = answer_node(s, nodes[at], &a, at);
      at++;
    } else {
      put_unknown(s, b->names[i]);
      ++*unknown;
    }
  }
  free_answers(&a);
  free(nodes);
  free(known);
  return status;
}

static int run_batch(session *s) {
  name_batch *b = geodisk_allocate(1, sizeof *b);
  size_t unknown = 0;
  if (b == NULL)
    return cli_error("%s", geodisk_status_text(GEODISK_ERROR_MEMORY));
  geodisk_status status = GEODISK_OK;
  while (status == GEODISK_OK && !cli_interrupted() && read_names(b)) {
    status = answer_batch(s, b, &unknown);
    for (size_t i = 0; i < b->n; i++)
      free(b->names[i]);
  }
  free(b);
  if (status != GEODISK_OK)
    return cli_failed(s->context, status);
  if (cli_interrupted())
    return EXIT_INTERRUPTED;
  const int code = ferror(stdin) ? cli_error("standard input: %s", strerror(errno)) : cli_finish();
  return code == EXIT_OK && unknown > 0 ? cli_error("%zu names are not in %s", unknown, s->path) : code;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static int run_nodes(session *s, int n, const char **names) {
  uint32_t *nodes = geodisk_allocate((size_t)n, sizeof *nodes);
  bool known = nodes != NULL;
  for (int i = 0; i < n && known; i++)
    known = find(s, names[i], &nodes[i]);
  geodisk_status status = GEODISK_OK;
  if (known)
    status = s->r->analogy || s->r->barycenter ? answer_point(s, (size_t)n, nodes) : answer_nodes(s, (size_t)n, nodes);
  free(nodes);
  if (!known)
    return nodes == NULL ? cli_error("%s", geodisk_status_text(GEODISK_ERROR_MEMORY)) : EXIT_FAILED;
  return status == GEODISK_OK ? cli_finish() : cli_failed(s->context, status);
}

static int run(const request *r, const char *path, int n, const char **names) {
  session s = {.r = r, .path = path, .several = n > 1 && !r->analogy && !r->barycenter};
  geodisk_model *model = NULL;
  s.context = cli_context(&r->common);
  if (s.context == NULL)
    return EXIT_FAILED;
  int code = -1;
  geodisk_status status = geodisk_model_import(s.context, path, NULL, NULL, &model);
  s.model = model;
  if (status == GEODISK_OK)
    status = geodisk_index_create(s.context, model, GEODISK_SEARCH_AUTO, r->batch ? BATCH : (size_t)n, &s.index);
  if (status != GEODISK_OK)
    code = cli_failed(s.context, status);
  else if ((r->distance != NULL && !find(&s, r->distance, &s.distance)) || (r->rank != NULL && !find(&s, r->rank, &s.rank)) ||
           (r->difference != NULL && !find(&s, r->difference, &s.difference)) ||
           (r->geodesic != NULL && !find(&s, r->geodesic, &s.geodesic)))
    code = EXIT_FAILED;
  else
    code = r->batch ? run_batch(&s) : run_nodes(&s, n, names);
  geodisk_index_destroy(s.index);
  geodisk_model_destroy(model);
  geodisk_context_destroy(s.context);
  return code;
}

static int check(request *r, int n) {
  const bool asked[] = {r->near,
                        r->parents,
                        r->children,
                        r->ancestors,
                        r->descendants,
                        r->norm,
                        r->vector,
                        r->analogy,
                        r->barycenter,
                        r->distance != NULL,
                        r->rank != NULL,
                        r->difference != NULL,
                        r->geodesic != NULL};
  for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
    r->questions += asked[i];
  if (r->questions == 0) {
    r->near = true;
    r->questions = 1;
  }
  r->questions += r->norm; /* two answers */
  r->batch = n == 0;
  const bool of_several = r->analogy || r->barycenter;
  if (of_several && r->questions - r->near > 1)
    return cli_usage_error(&spec, "--%s goes with --neighbours only", r->analogy ? "analogy" : "barycenter");
  if (of_several)
    r->questions = 1;
  if (r->analogy && n != 3)
    return cli_usage_error(&spec, "--analogy needs three nodes: A is to B as C is to what?");
  if (r->barycenter && n < 1)
    return cli_usage_error(&spec, "--barycenter needs nodes");
  return -1;
}

int cmd_query(int argc, char **argv) {
  request r = {.neighbours = 10, .count = 1, .depth = 5, .steps = 8};
  const option_spec options[] = {
      {"neighbours", 'k', OPTION_INT, &r.neighbours, "K", "the K nearest nodes (default: 10)", 1, 1e9, &r.near},
      {"parents", 0, OPTION_FLAG, &r.parents, NULL, "the closest parent, or --count of them", 0, 0, NULL},
      {"children", 0, OPTION_FLAG, &r.children, NULL, "the closest child, or --count of them", 0, 0, NULL},
      {"count", 0, OPTION_INT, &r.count, "N", "how many parents and children (default: 1)", 1, 1e9, NULL},
      {"ancestors", 0, OPTION_FLAG, &r.ancestors, NULL, "the closest parent, its closest parent, and so on", 0, 0, NULL},
      {"descendants", 0, OPTION_FLAG, &r.descendants, NULL, "the closest child, its closest child, and so on", 0, 0, NULL},
      {"depth", 0, OPTION_INT, &r.depth, "N", "how many descendants (default: 5)", 1, CHAIN_MAX, NULL},
      {"norm", 0, OPTION_FLAG, &r.norm, NULL, "the norm, and the distance from the origin", 0, 0, NULL},
      {"vector", 0, OPTION_FLAG, &r.vector, NULL, "the coordinates", 0, 0, NULL},
      {"distance", 0, OPTION_STRING, &r.distance, "NODE2", "the distance to NODE2", 0, 0, NULL},
      {"rank", 0, OPTION_STRING, &r.rank, "NODE2", "1 and how many nodes are nearer than NODE2", 0, 0, NULL},
      {"difference", 0, OPTION_STRING, &r.difference, "NODE2",
       "the difference in hierarchy: NODE2's norm less NODE's, positive if NODE is higher", 0, 0, NULL},
      {"geodesic", 0, OPTION_STRING, &r.geodesic, "NODE2",
       "the nodes passed on the way to NODE2: share of the way, node, distance", 0, 0, NULL},
      {"steps", 0, OPTION_INT, &r.steps, "N", "of the way (default: 8)", 1, 100000, NULL},
      {"analogy", 0, OPTION_FLAG, &r.analogy, NULL, "of three nodes: A is to B as C is to what? By parallel transport", 0, 0,
       NULL},
      {"barycenter", 0, OPTION_FLAG, &r.barycenter, NULL, "the nodes nearest to the barycenter of all NODEs", 0, 0, NULL},
      {NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL},
  };
  const char **args = geodisk_allocate((size_t)argc, sizeof *args);
  if (args == NULL)
    return cli_error("%s", geodisk_status_text(GEODISK_ERROR_MEMORY));
  int n_args = 0, code = args_parse(&spec, options, &r.common, argc, argv, args, &n_args);
  if (code < 0)
    code = check(&r, n_args - 1);
  if (code < 0)
    code = run(&r, args[0], n_args - 1, args + 1);
  free(args);
  return code;
}
