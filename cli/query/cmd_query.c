/* cmd_query.c - `geodisk query`: what a model knows about its nodes. Answers are lines of text, or JSON, one object a node. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query.h"

enum { BATCH = 4096, BLOCK = 1 << 16, LONGEST = 1 << 20, SUGGESTIONS = 3 };

static const command_spec spec = {
    "query",
    "ask a model: near nodes, parents, distances, analogies",
    "MODEL [NODE ...]",
    "Answers questions about nodes of MODEL (a model file, or any format that geodisk convert reads), by its distance, exactly. "
    "Without a question the 10 nearest nodes are given. An answer is a line: a name and its distance, separated by a tab; the "
    "node comes first if there are several, and the question if there are several. In a row, tabs, line ends and other control "
    "characters of a name are written \\t, \\n, \\x1b and so on, a backslash twice.\n"
    "A model that was trained on a closed hierarchy, or by --recipe entailment, knows what is below what (docs/knowledge.md): c "
    "is below p if d(p,c) - d(o,c), o the centre, is at most a threshold that was found when training ended: c's own if it was "
    "trained on the closure, else one for all, which a message says. --is-a says yes or no and how likely it is; --ancestors are "
    "all nodes above, the deepest last, --parents those that are above no other of them, --descendants all nodes below, "
    "--children those that are below no other of them. In JSON \"by\" is \"half-space\" then.\n"
    "Other models (networks, graphs that are not closed, other programs' vectors) are asked by distance: higher in the hierarchy "
    "means nearer to the origin, a closest parent is the nearest node that is higher, a closest child the nearest that is lower; "
    "ancestors are the closest parent, its closest parent and so on, as in gensim; \"by\" is \"distance\", and a message says "
    "so. --threshold X makes any hyperbolic model answer by the score.\n"
    "Without NODE, names are read from standard input, one a line, and each gives one JSON object on one line; a name that is "
    "not in the model gives an object with \"error\" and \"suggestions\".",
    "geodisk query mammals.safetensors dog.n.01\n"
    "geodisk query mammals.safetensors dog.n.01 cat.n.01 --parents --ancestors\n"
    "geodisk query mammals.safetensors dog.n.01 --distance cat.n.01 --rank cat.n.01\n"
    "geodisk query mammals.safetensors dog.n.01 puppy.n.01 cat.n.01 --analogy\n"
    "geodisk query mammals.safetensors --is-a dog.n.01 carnivore.n.01\n"
    "geodisk query mammals.safetensors --lowest-common-ancestor dog.n.01 cat.n.01\n"
    "geodisk query mammals.safetensors --neighbours 5 < names.txt",
};

/* ---- names ----------------------------------------------------------------------------------------------------------- */

/* Says that a name is unknown, and which ones it may be. */
static int unknown_name(const query_session *s, const char *name) {
  uint32_t near[SUGGESTIONS];
  size_t n = 0;
  char text[512] = "";
  geodisk_model_suggest(s->context, s->model, name, SUGGESTIONS, near, &n);
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

static bool find(const query_session *s, const char *name, uint32_t *out) {
  if (geodisk_model_find(s->model, name, strlen(name), out))
    return true;
  unknown_name(s, name);
  return false;
}

static void put_unknown(const query_session *s, const char *name) {
  uint32_t near[SUGGESTIONS];
  size_t n = 0;
  geodisk_model_suggest(s->context, s->model, name, SUGGESTIONS, near, &n);
  json_format("{\"node\": %j, \"error\": \"no such node\", \"suggestions\": [", name);
  for (size_t i = 0; i < n; i++)
    json_format("%s%j", i > 0 ? ", " : "", geodisk_model_name(s->model, near[i]));
  printf("]}\n");
}

/* Names from standard input, one a line. */
typedef struct name_reader {
  char *text;
  size_t room, begin, end; /* what is read and not yet given out */
  bool over;
  char *names[BATCH]; /* of the last call, in the text */
  size_t n;
} name_reader;

/* Reads on, so that there is a whole line or nothing more to read. */
static geodisk_status fill_reader(const query_session *s, name_reader *r) {
  memmove(r->text, r->text + r->begin, r->end - r->begin);
  r->end -= r->begin;
  r->begin = 0;
  while (!r->over && memchr(r->text, '\n', r->end) == NULL) {
    if (r->end > LONGEST)
      return geodisk_fail(s->context, GEODISK_ERROR_FORMAT, "standard input: a line is longer than %d bytes", LONGEST);
    if (!geodisk_grow(&r->text, r->end, 2, &r->room, 1)) /* one more for a NUL */
      return query_no_memory(s);
    const ssize_t got = read(STDIN_FILENO, r->text + r->end, r->room - r->end - 1);
    if (got < 0 && errno != EINTR)
      return geodisk_fail(s->context, GEODISK_ERROR_IO, "standard input: %s", strerror(errno));
    r->over = got == 0 || cli_interrupted();
    r->end += got > 0 ? (size_t)got : 0;
  }
  return GEODISK_OK;
}

/* The names of the lines that are there, at most BATCH: what a file has, in large pieces; what a program writes, as soon as it
 * comes. None at the end. */
static geodisk_status read_names(const query_session *s, name_reader *r) {
  r->n = 0;
  while (r->n == 0 && !(r->over && r->begin == r->end)) {
    const geodisk_status status = fill_reader(s, r);
    if (status != GEODISK_OK)
      return status;
    while (r->n < BATCH && r->begin < r->end) {
      char *line = r->text + r->begin, *newline = memchr(line, '\n', r->end - r->begin);
      if (newline == NULL && !r->over)
        break;
      char *end = newline != NULL ? newline : r->text + r->end;
      r->begin = (size_t)(end - r->text) + (newline != NULL);
      if (end > line && end[-1] == '\r')
        end--;
      *end = 0;
      if (end > line)
        r->names[r->n++] = line;
    }
  }
  return GEODISK_OK;
}

/* Known names are answered together; each object comes in its place. */
static geodisk_status answer_batch(query_session *s, const name_reader *b, size_t *unknown) {
  uint32_t *nodes = geodisk_allocate(b->n, sizeof *nodes);
  bool *known = geodisk_allocate(b->n, sizeof *known);
  query_nearest a = {.k = {0}};
  size_t n = 0;
  geodisk_status status = nodes != NULL && known != NULL ? GEODISK_OK : query_no_memory(s);
  for (size_t i = 0; status == GEODISK_OK && i < b->n; i++) {
    known[i] = geodisk_model_find(s->model, b->names[i], strlen(b->names[i]), &nodes[n]);
    n += known[i];
  }
  if (status == GEODISK_OK)
    status = query_find_nearest(s, n, nodes, &a);
  for (size_t i = 0, at = 0; status == GEODISK_OK && i < b->n; i++) {
    if (known[i]) {
      status = query_answer_node(s, nodes[at], &a, at);
      at++;
    } else {
      put_unknown(s, b->names[i]);
      ++*unknown;
    }
  }
  query_free_nearest(&a);
  geodisk_free_all(nodes, known);
  return status;
}

static int run_batch(query_session *s) {
  name_reader *r = geodisk_allocate_zero(1, sizeof *r);
  size_t unknown = 0;
  if (r != NULL)
    r->text = geodisk_allocate(BLOCK + 1, 1);
  geodisk_status status = r != NULL && r->text != NULL ? GEODISK_OK : query_no_memory(s);
  if (status == GEODISK_OK)
    r->room = BLOCK;
  bool heard = true; /* somebody may be waiting for each answer, or may have gone */
  while (heard && status == GEODISK_OK && (status = read_names(s, r)) == GEODISK_OK && r->n > 0 && !cli_interrupted()) {
    status = answer_batch(s, r, &unknown);
    heard = fflush(stdout) == 0;
  }
  const char *why = heard ? "" : strerror(errno);
  if (r != NULL)
    free(r->text);
  free(r);
  if (status != GEODISK_OK)
    return cli_failed(s->context, status);
  if (!heard)
    return cli_error("standard output: %s", why);
  if (cli_interrupted())
    return cli_interrupted_code();
  const int code = cli_finish();
  return code == EXIT_OK && unknown > 0 ? cli_error("%zu names are not in %s", unknown, s->path) : code;
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static geodisk_status answer_nodes(query_session *s, size_t n, const uint32_t *nodes) {
  query_nearest a;
  geodisk_status status = query_find_nearest(s, n, nodes, &a);
  for (size_t i = 0; status == GEODISK_OK && i < n; i++)
    status = query_answer_node(s, nodes[i], &a, i);
  query_free_nearest(&a);
  return status;
}

static int run_nodes(query_session *s, int n, const char **names) {
  uint32_t *nodes = geodisk_allocate((size_t)n, sizeof *nodes);
  bool known = nodes != NULL;
  for (int i = 0; i < n && known; i++)
    known = find(s, names[i], &nodes[i]);
  geodisk_status status = GEODISK_OK;
  bool done = false;
  if (known && (s->r->is_a || s->r->common_ancestor)) {
    status = query_answer_pair(s, nodes);
    done = true;
  } else if (known && s->r->analogy && s->hierarchy != NULL) {
    status = query_answer_analogy(s, nodes, &done);
  }
  if (known && !done && status == GEODISK_OK)
    status = s->r->analogy || s->r->barycenter ? query_answer_point(s, (size_t)n, nodes) : answer_nodes(s, (size_t)n, nodes);
  free(nodes);
  if (!known)
    return nodes == NULL ? cli_error("%s", geodisk_status_text(GEODISK_ERROR_MEMORY)) : EXIT_FAILED;
  return status == GEODISK_OK ? cli_finish() : cli_failed(s->context, status);
}

/* The hierarchy, if it is asked for and the model has one. What only it can answer is an error without. */
static geodisk_status open_hierarchy(query_session *s) {
  const query_request *r = s->r;
  geodisk_hierarchy_info info;
  if (!query_wants_hierarchy(r))
    return GEODISK_OK;
  const bool needed = r->is_a || r->common_ancestor || r->siblings || r->threshold_given;
  if (needed || geodisk_model_hierarchy(s->model, &info)) {
    const geodisk_status status =
        geodisk_hierarchy_create(s->context, s->model, r->threshold_given ? &r->threshold : NULL, &s->hierarchy);
    if (status != GEODISK_OK)
      return geodisk_fail(s->context, status, "%s: %s", s->path, geodisk_context_error(s->context));
    if (!query_as_json(s) && !r->threshold_given && geodisk_model_hierarchy(s->model, &info) && !info.own_reach)
      geodisk_log_event(
          s->context, GEODISK_LOG_INFO,
          "answers are by the %s with one threshold for all%s, which over the closure of what %s was trained on has an "
          "F1 of %.3f",
          info.order ? "order beside the vectors" : "half-space score",
          info.near ? " (parents by the vectors, where they have them nearest)" : "", s->path, info.f1);
    return status;
  }
  if (!r->analogy && !query_as_json(s)) /* JSON says it in the answer */
    geodisk_log_event(s->context, GEODISK_LOG_INFO,
                      "answers are by distance: %s was not trained on a hierarchy, and has no threshold", s->path);
  return GEODISK_OK;
}

/* Who looks for nearest nodes. */
static geodisk_search search_of(const query_request *r) {
  return r->device == GEODISK_DEVICE_CUDA   ? GEODISK_SEARCH_CUDA
         : r->device == GEODISK_DEVICE_AUTO ? GEODISK_SEARCH_CUDA_AUTO
                                            : GEODISK_SEARCH_AUTO;
}

static int run(const query_request *r, const char *path, int n, const char **names) {
  query_session s = {.r = r, .path = path, .several = n > 1 && !r->analogy && !r->barycenter};
  geodisk_model *model = NULL;
  s.context = cli_context(&r->common);
  int code = -1;
  const geodisk_import_options import = {.space = r->space == 1 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC,
                                         .radius = r->radius};
  geodisk_status status = geodisk_model_import(s.context, path, &import, NULL, &model);
  s.model = model;
  if (status == GEODISK_OK)
    status = geodisk_index_create(s.context, model, search_of(r), r->batch ? BATCH : (size_t)n, &s.index);
  if (status == GEODISK_OK)
    status = open_hierarchy(&s);
  if (status != GEODISK_OK)
    code = cli_failed(s.context, status);
  else if ((r->distance != NULL && !find(&s, r->distance, &s.distance)) || (r->rank != NULL && !find(&s, r->rank, &s.rank)) ||
           (r->difference != NULL && !find(&s, r->difference, &s.difference)) ||
           (r->geodesic != NULL && !find(&s, r->geodesic, &s.geodesic)))
    code = EXIT_FAILED;
  else
    code = r->batch ? run_batch(&s) : run_nodes(&s, n, names);
  geodisk_hierarchy_destroy(s.hierarchy);
  geodisk_index_destroy(s.index);
  geodisk_model_destroy(model);
  geodisk_context_destroy(s.context);
  return code;
}

static int check(query_request *r, int n) {
  const bool asked[] = {r->near,
                        r->parents,
                        r->children,
                        r->ancestors,
                        r->descendants,
                        r->siblings,
                        r->is_a,
                        r->common_ancestor,
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
  const char *pair = r->is_a ? "--is-a" : r->common_ancestor ? "--lowest-common-ancestor" : NULL;
  if (pair != NULL && n != 2)
    return cli_usage_error(&spec, "%s needs two nodes", pair);
  if (pair != NULL && r->questions > 1)
    return cli_usage_error(&spec, "%s goes with no other question", pair);
  if (r->threshold_given && !query_wants_hierarchy(r))
    return cli_usage_error(&spec, "--threshold goes with --is-a, --parents and other questions about what is above or below");
  if (r->barycenter && n < 1)
    return cli_usage_error(&spec, "--barycenter needs nodes");
  return -1;
}

int cmd_query(int argc, char **argv) {
  query_request r = {.neighbours = 10, .count = 1, .depth = 5, .steps = 8};
  const option_spec options[] = {
      {"neighbours", 'k', OPTION_INT, &r.neighbours, "K", "the K nearest nodes (default: 10)", 1, 1e9, &r.near},
      OPT_FLAG("parents", 0, &r.parents, "the parents; by distance the closest one, or --count of them"),
      OPT_FLAG("children", 0, &r.children, "the children; by distance the closest one, or --count of them"),
      OPT_FLAG("siblings", 0, &r.siblings, "the other children of the parents"),
      OPT_FLAG("is-a", 0, &r.is_a, "of two nodes: is A a B? yes or no, and the probability"),
      OPT_FLAG("lowest-common-ancestor", 0, &r.common_ancestor, "of two nodes: the deepest that is above both"),
      {"threshold", 0, OPTION_DOUBLE, &r.threshold, "X", "of the score, instead of the model's own", -1e300, 1e300,
       &r.threshold_given},
      {"count", 0, OPTION_INT, &r.count, "N", "how many parents, children, siblings at most (default: all; by distance 1)", 1,
       1e9, &r.count_given},
      OPT_FLAG("ancestors", 0, &r.ancestors, "all nodes above; by distance the closest parent, its closest parent, and so on"),
      OPT_FLAG("descendants", 0, &r.descendants, "all nodes below; by distance the closest child, its closest child, and so on"),
      OPT_INT("depth", 0, &r.depth, "N", "how many descendants by distance (default: 5)", 1, QUERY_CHAIN_MAX),
      OPT_FLAG("norm", 0, &r.norm, "the norm, and the distance from the origin"),
      OPT_FLAG("vector", 0, &r.vector, "the coordinates"),
      OPT_TEXT("distance", 0, &r.distance, "NODE2", "the distance to NODE2"),
      OPT_TEXT("rank", 0, &r.rank, "NODE2", "1 and how many nodes are nearer than NODE2"),
      OPT_TEXT("difference", 0, &r.difference, "NODE2",
               "the difference in hierarchy: NODE2's norm less NODE's, positive if NODE is higher"),
      OPT_TEXT("geodesic", 0, &r.geodesic, "NODE2", "the nodes passed on the way to NODE2: share of the way, node, distance"),
      OPT_INT("steps", 0, &r.steps, "N", "of the way (default: 8)", 1, 100000),
      OPT_FLAG("analogy", 0, &r.analogy,
               "of three nodes: A is to B as C is to what? As many levels above or below, else by parallel transport"),
      OPT_FLAG("barycenter", 0, &r.barycenter, "the nodes nearest to the barycenter of all NODEs"),
      OPT_FLAG("full", 0, &r.full, "numbers with all their digits, not six; JSON has them anyway"),
      OPT_CHOICE("device", 0, &r.device, "cpu|cuda|auto",
                 "where the nearest nodes are looked for, with the same answers (default: cpu)"),
      OPT_CHOICE("space", 0, &r.space, "hyperbolic|euclidean", "what the vectors are, unless MODEL is a model file"),
      OPT_DOUBLE("radius", 0, &r.radius, "R", "of their ball, unless MODEL is a model file (default: 1)", 1e-150, 1e150),
      OPT_END,
  };
  int code = args_parse(&spec, options, &r.common, argc, argv);
  if (code < 0 && r.common.n_args == 1 && strcmp(r.common.args[0], "-") == 0)
    code = cli_usage_error(&spec, "MODEL and names cannot both be standard input");
  if (code < 0)
    code = check(&r, r.common.n_args - 1);
  if (code < 0)
    code = run(&r, r.common.args[0], r.common.n_args - 1, r.common.args + 1);
  return code;
}
