/* cmd_geometry.c - `geodisk geometry OP`: the ball's operations on numbers from the command line or on the rows of a file.
 *
 * An operation takes up to three vectors: the point it starts at, the point it goes to, a tangent. Those given by options stay
 * the same for all rows; a row holds the others, in this order. */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT, TO, TANGENT, VECTORS };
static const char *const vector_names[VECTORS] = {"at", "to", "tangent"};

enum { BALL, LORENTZ, KLEIN, HALFSPACE };
static const char *const model_names[] = {"ball", "lorentz", "klein", "halfspace"};
#define MODELS "ball|lorentz|klein|halfspace"

enum { METHOD_EXP, METHOD_THEOREM1, METHOD_NATURAL };

/* How far inside the rim the natural-gradient step is pulled when it leaves the ball, as a share of the radius: the paper's. */
#define NATURAL_MARGIN 1e-10

/* What the command line asks for. */
typedef struct request {
  geodisk_ball ball;
  const char *text[VECTORS]; /* vectors given by options, or NULL */
  const char *direction;
  double length, share;
  bool length_given;
  int method, from, to;
  common_options common;
} request;

typedef void operation_fn(const request *r, double *const v[VECTORS], double *out);

typedef struct operation {
  command_spec spec;
  unsigned vectors;   /* 1 << AT and so on: what it takes */
  unsigned options;   /* its own options: OWN_* below */
  const char *result; /* the key in JSON */
  operation_fn *apply;
} operation;

enum { OWN_SHARE = 1, OWN_STEP = 2, OWN_MODELS = 4 };

/* Where numbers come from, for the texts of errors. */
typedef struct origin {
  const char *source; /* "--at", or a file's name */
  size_t row;         /* 0: not from a file */
} origin;

static const char *where(const origin *o, char *buffer, size_t bytes) {
  if (o->row > 0)
    snprintf(buffer, bytes, "%s: row %zu", o->source, o->row);
  else
    snprintf(buffer, bytes, "%s", o->source);
  return buffer;
}

/* ---- the operations -------------------------------------------------------------------------------------------------- */

static void apply_distance(const request *r, double *const v[VECTORS], double *out) {
  *out = geodisk_distance(&r->ball, v[AT], v[TO]);
}

static void apply_norm(const request *r, double *const v[VECTORS], double *out) {
  *out = geodisk_norm(&r->ball, v[AT], v[TANGENT]);
}

static void apply_exp(const request *r, double *const v[VECTORS], double *out) {
  if (r->method == METHOD_THEOREM1)
    geodisk_exp_theorem1(&r->ball, v[AT], v[TANGENT], out);
  else if (r->method == METHOD_NATURAL)
    geodisk_retract(&r->ball, v[AT], v[TANGENT], NATURAL_MARGIN, out);
  else
    geodisk_exp(&r->ball, v[AT], v[TANGENT], out);
}

static void apply_log(const request *r, double *const v[VECTORS], double *out) { geodisk_log(&r->ball, v[AT], v[TO], out); }

static void apply_geodesic(const request *r, double *const v[VECTORS], double *out) {
  geodisk_geodesic(&r->ball, v[AT], v[TO], r->share, out);
}

static void apply_transport(const request *r, double *const v[VECTORS], double *out) {
  geodisk_transport(&r->ball, v[AT], v[TO], v[TANGENT], out);
}

static void apply_hessian(const request *r, double *const v[VECTORS], double *out) {
  geodisk_hessian(&r->ball, v[AT], v[TO], v[TANGENT], out);
}

static int model_width(int model, int dim) { return model == LORENTZ ? dim + 1 : dim; }

/* By way of the ball. The scratch space for it is v[TO], which the operation does not take. */
static void apply_convert(const request *r, double *const v[VECTORS], double *out) {
  typedef void conversion(const geodisk_ball *, const double *, double *);
  static conversion *const from[] = {NULL, geodisk_from_lorentz, geodisk_from_klein, geodisk_from_halfspace};
  static conversion *const to[] = {NULL, geodisk_to_lorentz, geodisk_to_klein, geodisk_to_halfspace};
  const double *point = v[AT];
  if (from[r->from] != NULL) {
    from[r->from](&r->ball, v[AT], v[TO]);
    point = v[TO];
  }
  if (isnan(geodisk_gap(&r->ball, point)))
    out[0] = (double)NAN;
  else if (r->from == r->to)
    memcpy(out, v[AT], (size_t)model_width(r->to, r->ball.dim) * sizeof *out);
  else if (to[r->to] != NULL)
    to[r->to](&r->ball, point, out);
  else
    memcpy(out, point, (size_t)r->ball.dim * sizeof *out);
}

#define POINTS_TEXT                                                                                                              \
  "A vector is written as numbers with blanks between them. What no option gives is read from FILE (- for standard input), one " \
  "case a row, fields separated by tabs or blanks; empty rows and rows that start with # are skipped. With --json every row "    \
  "gives one object on a line of its own. "

static const operation operations[] = {
    {{"geometry distance", "the hyperbolic distance between two points", "[FILE]",
      POINTS_TEXT "A row holds X and Y, or the one of them that no option gives.",
      "geodisk geometry distance --at \"0.1 0.2\" --to \"0.5 -0.3\"\n"
      "geodisk geometry distance --at \"0 0\" points.tsv"},
     1u << AT | 1u << TO,
     0,
     "distance",
     apply_distance},
    {{"geometry norm", "the hyperbolic length of a tangent", "[FILE]",
      POINTS_TEXT "A row holds X and V. The length is 2R |V| / ((R^2 - |X|^2) sqrt(k)).",
      "geodisk geometry norm --at \"0.6 0\" --tangent \"0 0.32\""},
     1u << AT | 1u << TANGENT,
     0,
     "norm",
     apply_norm},
    {{"geometry exp", "the exponential map: walk from a point along a tangent", "[FILE]",
      POINTS_TEXT
      "A row holds X and V. V is in the ball's coordinates; its hyperbolic length is 2R |V| / ((R^2 - |X|^2) sqrt(k)).",
      "geodisk geometry exp --at \"0.5 0\" --tangent \"0 0.1\"\n"
      "geodisk geometry exp --at \"0.1 0.9\" --direction \"-1 -1.4\" --length 4.6 --method theorem1"},
     1u << AT | 1u << TANGENT,
     OWN_STEP,
     "point",
     apply_exp},
    {{"geometry log", "the tangent at one point whose exponential map is another", "[FILE]", POINTS_TEXT "A row holds X and Y.",
      "geodisk geometry log --at \"0.5 0\" --to \"0 0.5\""},
     1u << AT | 1u << TO,
     0,
     "tangent",
     apply_log},
    {{"geometry geodesic", "the point a share of the way from one point to another", "[FILE]", POINTS_TEXT "A row holds X and Y.",
      "geodisk geometry geodesic --at \"0.5 0\" --to \"0 0.5\" --share 0.25"},
     1u << AT | 1u << TO,
     OWN_SHARE,
     "point",
     apply_geodesic},
    {{"geometry transport", "carries a tangent along the geodesic from one point to another", "[FILE]",
      POINTS_TEXT "A row holds X, Y and V.", "geodisk geometry transport --at \"0 0\" --to \"0 0.5\" --tangent \"1 0\""},
     1u << AT | 1u << TO | 1u << TANGENT,
     0,
     "tangent",
     apply_transport},
    {{"geometry hessian", "the Hessian of half the squared distance to a point, applied to a tangent", "[FILE]",
      POINTS_TEXT "A row holds X, Y and V: the Hessian of d(., Y)^2 / 2 at X, applied to V.",
      "geodisk geometry hessian --at \"0.5 0\" --to \"0 0\" --tangent \"0 1\""},
     1u << AT | 1u << TO | 1u << TANGENT,
     0,
     "tangent",
     apply_hessian},
    {{"geometry convert", "carries points between the ball and other models of hyperbolic space", "[FILE]",
      POINTS_TEXT "A row holds one point. In the ball and the Klein model |x| < R; in the half-space the height is last and > 0; "
                  "on the hyperboloid (lorentz) there is one number more, the time, which comes first.",
      "geodisk geometry convert --to lorentz --at \"0.5 0\"\n"
      "geodisk geometry convert --from klein --to ball points.tsv"},
     1u << AT,
     OWN_MODELS,
     "point",
     apply_convert},
};

/* ---- reading --------------------------------------------------------------------------------------------------------- */

/* Numbers of one line or option value. */
typedef struct numbers {
  double *value;
  size_t n, capacity;
} numbers;

/* Splits `text` at tabs if it has one, else at runs of blanks, and reads every field. */
static int parse_fields(const char *text, const origin *o, numbers *out) {
  const bool tabs = strchr(text, '\t') != NULL;
  char place[300];
  out->n = 0;
  for (const char *p = text; *p != 0;) {
    if (!tabs && *p == ' ') {
      p++;
      continue;
    }
    size_t length = strcspn(p, tabs ? "\t" : " ");
    const char *next = p + length;
    while (length > 0 && *p == ' ') {
      p++;
      length--;
    }
    while (length > 0 && p[length - 1] == ' ')
      length--;
    if (!geodisk_grow(&out->value, out->n, 1, &out->capacity, sizeof *out->value))
      return cli_error("%s", geodisk_status_text(GEODISK_ERROR_MEMORY));
    if (!geodisk_parse_double(p, length, &out->value[out->n]))
      return cli_error("%s, column %zu: '%.*s' is not a finite number", where(o, place, sizeof place), out->n + 1,
                       (int)(length < 60 ? length : 60), p);
    out->n++;
    p = *next == 0 ? next : next + 1;
    if (tabs && *next != 0 && *p == 0)
      return cli_error("%s, column %zu: '' is not a finite number", where(o, place, sizeof place), out->n + 1);
  }
  return -1;
}

/* The dimension that `width` numbers of vector `which` mean. */
static int vector_dim(const operation *op, const request *r, int width) {
  return op->options & OWN_MODELS ? width - model_width(r->from, 0) : width;
}

static int vector_width(const operation *op, const request *r) {
  return op->options & OWN_MODELS ? model_width(r->from, r->ball.dim) : r->ball.dim;
}

/* ---- one case -------------------------------------------------------------------------------------------------------- */

typedef struct job {
  const operation *op;
  request *r;
  double *block, *v[VECTORS], *out; /* v and out lie in the block */
  numbers fixed[VECTORS];           /* from options */
  numbers row;
} job;

/* Makes room for the vectors once dim is known; the same room serves every row. */
static int place_vectors(job *j) {
  const size_t width = (size_t)j->r->ball.dim + 1;
  if (j->block == NULL && (j->block = geodisk_allocate(VECTORS + 1, width * sizeof(double))) == NULL)
    return cli_error("%s", geodisk_status_text(GEODISK_ERROR_MEMORY));
  for (size_t i = 0; i < VECTORS; i++)
    j->v[i] = j->block + i * width;
  j->out = j->block + VECTORS * width;
  return -1;
}

/* What is wrong with the result of another method than exp, or NULL. */
static const char *caveat(const job *j) {
  const request *r = j->r;
  if (r->method == METHOD_THEOREM1 && !geodisk_theorem1_holds(&r->ball, j->v[AT], j->v[TANGENT]))
    return "outside the domain of Theorem 1, which then gives a wrong point";
  if (r->method == METHOD_NATURAL && geodisk_retract(&r->ball, j->v[AT], j->v[TANGENT], NATURAL_MARGIN, j->out))
    return "the natural-gradient step left the ball and was pulled back inside";
  return NULL;
}

static int print_result(const job *j) {
  const request *r = j->r;
  char buffer[GEODISK_NUMBER_BYTES];
  const bool scalar = j->op->apply == apply_distance || j->op->apply == apply_norm;
  const int n = scalar ? 1 : j->op->options & OWN_MODELS ? model_width(r->to, r->ball.dim) : r->ball.dim;
  if (r->common.json) {
    printf("{\"%s\": %s", j->op->result, scalar ? "" : "[");
    for (int i = 0; i < n; i++)
      json_format("%s%n", i > 0 ? ", " : "", j->out[i]);
    fputs(scalar ? "" : "]", stdout);
    if (r->method == METHOD_THEOREM1)
      printf(", \"theorem1_holds\": %s", caveat(j) == NULL ? "true" : "false");
    if (r->method == METHOD_NATURAL)
      printf(", \"clipped\": %s", caveat(j) == NULL ? "false" : "true");
    puts("}");
  } else {
    for (int i = 0; i < n; i++)
      printf("%s%s", i > 0 ? "\t" : "", shortest_double(j->out[i], buffer));
    putchar('\n');
  }
  return ferror(stdout) ? cli_finish() : -1;
}

/* Checks the points, brings the tangent to the length asked for, applies the operation, prints. */
static int run_case(const job *j, const origin *o) {
  const request *r = j->r;
  char place[300];
  for (int i = AT; i <= TO && !(j->op->options & OWN_MODELS); i++)
    if ((j->op->vectors & 1u << i) != 0 && isnan(geodisk_gap(&r->ball, j->v[i])))
      return cli_error("%s: the point '%s' lies on or outside the rim of the ball of radius %s", where(o, place, sizeof place),
                       vector_names[i], shortest_double(r->ball.radius, (char[GEODISK_NUMBER_BYTES]){0}));
  double *tangent = j->v[TANGENT];
  if (r->length_given && tangent != NULL) {
    const double norm = geodisk_norm(&r->ball, j->v[AT], tangent);
    if (!(norm > 0))
      return cli_error("%s: the direction is zero", where(o, place, sizeof place));
    for (int i = 0; i < r->ball.dim; i++)
      tangent[i] *= r->length / norm;
  }
  j->op->apply(r, j->v, j->out);
  if (isnan(j->out[0]))
    return j->op->options & OWN_MODELS
               ? cli_error("%s: this is not a point of the model '%s'", where(o, place, sizeof place), model_names[r->from])
               : cli_error("%s: the result is not a number", where(o, place, sizeof place));
  const char *warning = r->common.quiet ? NULL : caveat(j);
  if (warning != NULL)
    fprintf(stderr, "geodisk: warning: %s: %s\n", where(o, place, sizeof place), warning);
  return print_result(j);
}

static bool is_missing(const job *j, int i) { return (j->op->vectors & 1u << i) != 0 && j->fixed[i].n == 0; }

/* How many vectors a row must hold. */
static int count_missing(const job *j) { return is_missing(j, AT) + is_missing(j, TO) + is_missing(j, TANGENT); }

/* Puts the numbers of a row, or of the options alone, in their places. */
static int fill_case(job *j, const origin *o) {
  const int missing = count_missing(j);
  char place[300];
  if (missing > 0 && j->r->ball.dim == 0) {
    const int columns = j->row.n > INT32_MAX ? 0 : (int)j->row.n;
    if (columns % missing != 0 || vector_dim(j->op, j->r, columns / missing) < 1)
      return cli_error("%s: %zu columns do not make %d vector%s of equal length", where(o, place, sizeof place), j->row.n,
                       missing, missing > 1 ? "s" : "");
    j->r->ball.dim = vector_dim(j->op, j->r, columns / missing);
  }
  const int code = place_vectors(j);
  if (code >= 0)
    return code;
  const size_t width = (size_t)vector_width(j->op, j->r);
  if (missing > 0 && j->row.n != width * (size_t)missing)
    return cli_error("%s: %zu columns, expected %zu", where(o, place, sizeof place), j->row.n, width * (size_t)missing);
  const double *next = j->row.value;
  for (int i = 0; i < VECTORS; i++) {
    if ((j->op->vectors & 1u << i) == 0)
      continue;
    const double *source = is_missing(j, i) ? next : j->fixed[i].value;
    if (source != NULL)
      memcpy(j->v[i], source, width * sizeof(double));
    if (is_missing(j, i))
      next += width;
  }
  return run_case(j, o);
}

/* ---- rows and options ------------------------------------------------------------------------------------------------ */

static int run_rows(job *j, const char *path) {
  const bool standard_input = strcmp(path, "-") == 0;
  FILE *file = standard_input ? stdin : fopen(path, "r");
  if (file == NULL)
    return cli_error("%s: %s", path, strerror(errno));
  origin o = {standard_input ? "standard input" : path, 0};
  char *line = NULL, place[300];
  size_t capacity = 0, cases = 0;
  ssize_t length;
  int code = -1;
  errno = 0;
  while (code < 0 && (length = cli_read_line(file, &line, &capacity)) >= 0) {
    o.row++;
    if (length > CLI_LINE_MAX) {
      code = cli_error("%s: a line is longer than %d bytes", where(&o, place, sizeof place), CLI_LINE_MAX);
      break;
    }
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
      line[--length] = 0;
    if (strlen(line) != (size_t)length) {
      code = cli_error("%s: a NUL byte", where(&o, place, sizeof place));
    } else if (line[0] != '#' && strspn(line, " \t") != (size_t)length) {
      code = parse_fields(line, &o, &j->row);
      if (code < 0)
        code = fill_case(j, &o);
      cases++;
    }
  }
  if (code < 0 && (ferror(file) || !feof(file)))
    code = cli_error("%s: %s", o.source, strerror(errno));
  else if (code < 0 && cases == 0)
    code = cli_error("%s: no rows", o.source);
  free(line);
  if (!standard_input)
    fclose(file);
  return code;
}

/* Reads the vectors given by options, which must agree in dimension. */
static int read_fixed(job *j) {
  request *r = j->r;
  if (r->direction != NULL && r->text[TANGENT] != NULL)
    return cli_usage_error(&j->op->spec, "--direction and --tangent exclude each other");
  if (r->direction != NULL && !r->length_given)
    return cli_usage_error(&j->op->spec, "--direction needs --length");
  const char *first = NULL;
  for (int i = 0; i < VECTORS; i++) {
    const bool direction = i == TANGENT && r->direction != NULL;
    const char *text = direction ? r->direction : r->text[i];
    if (text == NULL)
      continue;
    char name[16];
    snprintf(name, sizeof name, "--%s", direction ? "direction" : vector_names[i]);
    const origin o = {name, 0};
    const int code = parse_fields(text, &o, &j->fixed[i]);
    if (code >= 0)
      return code == EXIT_FAILED ? EXIT_USAGE : code;
    const int dim = vector_dim(j->op, r, (int)j->fixed[i].n);
    if (dim < 1)
      return cli_usage_error(&j->op->spec, "%s: too few numbers", name);
    if (r->ball.dim != 0 && dim != r->ball.dim)
      return cli_usage_error(&j->op->spec, "%s has %d numbers, --%s has %d", name, dim, first, r->ball.dim);
    first = first == NULL ? vector_names[i] : first;
    r->ball.dim = dim;
  }
  return -1;
}

static int run_job(job *j, const char *file) {
  int code = read_fixed(j);
  if (code >= 0)
    return code;
  const bool complete = count_missing(j) == 0;
  for (int i = 0; i < VECTORS && file == NULL; i++)
    if (is_missing(j, i))
      return cli_usage_error(&j->op->spec, "give --%s, or a FILE of rows (- for standard input)", vector_names[i]);
  if (complete && file != NULL)
    return cli_usage_error(&j->op->spec, "the options give all numbers: what is '%s' for?", file);
  const origin o = {"command line", 0};
  code = complete ? fill_case(j, &o) : run_rows(j, file);
  return code >= 0 ? code : cli_finish();
}

/* The options an operation has, into table[]. */
static void build_options(const operation *op, request *r, option_spec *table) {
  const option_spec all[] = {
      OPT_TEXT("at", 0, &r->text[AT], "X", "the point to start at"),
      OPT_TEXT("to", 0, &r->text[TO], "Y", "the other point"),
      OPT_TEXT("tangent", 0, &r->text[TANGENT], "V", "the tangent at the point to start at"),
      OPT_TEXT("direction", 0, &r->direction, "U", "instead of --tangent: only its direction; needs --length"),
      {"length", 0, OPTION_DOUBLE, &r->length, "L", "bring the tangent to this hyperbolic length", 0, 0, &r->length_given},
      OPT_CHOICE("method", 0, &r->method, "exp|theorem1|natural",
                 "the exponential map (the default); the paper's closed form, which is wrong where the geodesic turns by more "
                 "than 90 degrees; or the natural-gradient step X + V, pulled to |x| = (1 - 1e-10) R if it leaves the ball"),
      OPT_DOUBLE("share", 0, &r->share, "T", "how far to go: 0 is X, 1 is Y, 0.5 (the default) halfway", 0, 0),
      OPT_CHOICE("from", 0, &r->from, MODELS, "the model the points are given in (default: ball)"),
      OPT_CHOICE("to", 0, &r->to, MODELS, "the model to carry them to (default: ball)"),
      OPT_DOUBLE("radius", 0, &r->ball.radius, "R", "radius of the ball (default: 1)", 0, 0),
      OPT_DOUBLE("curvature", 0, &r->ball.curvature, "K", "the sectional curvature is -K (default: 1)", 0, 0),
      OPT_END,
  };
  const bool step = op->options & OWN_STEP, share = op->options & OWN_SHARE, models = op->options & OWN_MODELS;
  const bool wanted[] = {op->vectors & 1u << AT,
                         op->vectors & 1u << TO,
                         op->vectors & 1u << TANGENT,
                         step,
                         step,
                         step,
                         share,
                         models,
                         models,
                         true,
                         true,
                         true};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    if (wanted[i])
      *table++ = all[i];
}

static int run_operation(int argc, char **argv) {
  const operation *op = operations;
  while (strcmp(strchr(op->spec.name, ' ') + 1, argv[0]) != 0)
    op++;
  request r = {.ball = {0, 1, 1}, .share = 0.5};
  option_spec options[16];
  build_options(op, &r, options);
  job j = {.op = op, .r = &r};
  int code = args_parse(&op->spec, options, &r.common, argc, argv);
  if (code < 0 && !(r.ball.radius > 0 && r.ball.curvature > 0))
    code = cli_usage_error(&op->spec, "--%s must be > 0", r.ball.radius > 0 ? "curvature" : "radius");
  if (code < 0 && !(r.length >= 0))
    code = cli_usage_error(&op->spec, "--length must not be negative");
  if (code < 0)
    code = run_job(&j, r.common.n_args > 0 ? r.common.args[0] : NULL);
  for (int i = 0; i < VECTORS; i++)
    free(j.fixed[i].value);
  geodisk_free_all(j.row.value, j.block);
  return code;
}

int cmd_geometry(int argc, char **argv) {
  enum { OPERATIONS = sizeof operations / sizeof operations[0] };
  command_entry table[OPERATIONS + 1] = {{NULL, NULL, NULL}};
  for (int i = 0; i < OPERATIONS; i++)
    table[i] = (command_entry){strchr(operations[i].spec.name, ' ') + 1, operations[i].spec.summary, run_operation};
  return args_dispatch("geometry", "hyperbolic geometry on numbers from the command line or a file", table, argc, argv);
}
