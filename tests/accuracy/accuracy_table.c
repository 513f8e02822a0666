/* accuracy_table.c - prints the measured accuracy as Markdown: every operation in every region, beside it other ways to compute
 * exp and gensim's distance on the same cases. `make accuracy` runs it; docs/numerics.md shows what it printed.
 *
 *     accuracy_table [seed [cases]] */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "other_forms.h"
#include "survey.h"

/* ---- cells ----------------------------------------------------------------------------------------------------------- */

static void print_units(double units) {
  if (isinf(units))
    printf("NaN");
  else if (units < 100)
    printf("%.2f", units);
  else
    printf("%.0e", units);
}

/* "worst / p99", or nothing where there are no cases. */
static void print_cell(const digest *sum) {
  printf(" | ");
  if (sum->cases == 0)
    return;
  print_units(sum->worst);
  printf(" / ");
  print_units(sum->p99);
}

static void print_head(const char *first, const char *last) {
  printf("| %s | cases", first);
  for (int r = 0; r < REGION_COUNT; r++)
    printf(" | %s", region_names[r]);
  printf(" | all%s |\n| --- | ---", last);
  for (int r = 0; r < REGION_COUNT; r++)
    printf(" | ---");
  printf(" | ---%s |\n", *last ? " | ---" : "");
}

static void print_row(const char *name, const measurement *results, const signed char *regions, size_t count) {
  digest all = digest_of(results, regions, count, -1);
  printf("| %s | %zu", name, all.cases);
  for (int r = 0; r < REGION_COUNT; r++) {
    digest sum = digest_of(results, regions, count, r);
    print_cell(&sum);
  }
  print_cell(&all);
}

/* ---- other ways to compute ------------------------------------------------------------------------------------------- */

static void by_theorem1(const accuracy_case *c, double *got) { geodisk_exp_theorem1(&c->ball, c->in, c->in + c->ball.dim, got); }

static void by_hyperboloid(const accuracy_case *c, double *got) { exp_hyperboloid(&c->ball, c->in, c->in + c->ball.dim, got); }

/* Steps of length 20 or less: longer ones overflow in the other forms, which says little. */
#define LONGEST_STEP 20.0

static bool not_too_long(const accuracy_case *c) {
  return geodisk_norm(&c->ball, c->in, c->in + c->ball.dim) * sqrt(c->ball.curvature) <= LONGEST_STEP;
}

static bool in_theorem1_domain(const accuracy_case *c) {
  return not_too_long(c) && geodisk_theorem1_holds(&c->ball, c->in, c->in + c->ball.dim);
}

static bool in_unit_ball(const accuracy_case *c) { return c->ball.radius == 1 && c->ball.curvature == 1; }

/* ---- gensim ---------------------------------------------------------------------------------------------------------- */

/* Writes the accepted cases to a file, has the script compute them, measures its answers. False when gensim is not there. */
static bool run_gensim(const survey *s, measurement *results, signed char *regions) {
  char path[] = "/tmp/geodisk-accuracy-XXXXXX", command[4096], line[128];
  int descriptor = mkstemp(path);
  FILE *cases = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  accuracy_case *c = geodisk_allocate(1, sizeof *c);
  if (!cases || !c) {
    perror("accuracy_table");
    exit(1);
  }
  for (size_t i = 0; i < s->cases; i++) {
    case_draw(s->op, false, s->seed, i, c);
    regions[i] = s->accept(c) ? (signed char)c->region : -1;
    for (size_t k = 0, n = 2 * (size_t)c->ball.dim; k < n && regions[i] >= 0; k++)
      fprintf(cases, "%a%c", c->in[k], k + 1 < n ? ' ' : '\n');
  }
  if (fclose(cases) != 0) {
    perror("accuracy_table");
    exit(1);
  }
  snprintf(command, sizeof command, "'%s' '%s/gensim_distance.py' < %s", GEODISK_SYSTEM_PYTHON, GEODISK_TESTS_DIR, path);
  FILE *answers = popen(command, "r");
  mp_ball mp;
  mp_ball_create(&mp, MAX_DIM);
  size_t read = 0, wanted = 0;
  for (size_t i = 0; answers && i < s->cases; i++) {
    if (regions[i] < 0)
      continue;
    wanted++;
    if (!fgets(line, sizeof line, answers))
      continue;
    double got = strtod(line, NULL);
    case_draw(s->op, false, s->seed, i, c);
    results[i] = case_measure(&mp, c, &got);
    read++;
  }
  int status = answers ? pclose(answers) : -1;
  mp_ball_destroy(&mp);
  free(c);
  unlink(path);
  return status == 0 && read == wanted;
}

/* ---- the tables ------------------------------------------------------------------------------------------------------ */

static void operations_table(geodisk_context *context, uint64_t seed, size_t cases) {
  size_t count = (size_t)operation_count * 2;
  survey *surveys = geodisk_allocate_zero(count, sizeof *surveys);
  if (!surveys)
    abort();
  size_t total = survey_plan(surveys, seed, cases);
  survey_run(context, surveys, count);
  printf("geodisk %s, %zu random cases (seed %llu): worst error / 99th percentile, in units of 2^-53, by region;\n",
         geodisk_version(), total, (unsigned long long)seed);
  printf("last column: the float twin, all regions, in units of 2^-24.\n\n");
  print_head("operation", " | float");
  for (size_t i = 0; i < count; i += 2) {
    print_row(surveys[i].op->name, surveys[i].results, surveys[i].regions, surveys[i].cases);
    digest single = survey_digest(&surveys[i + 1], -1);
    print_cell(&single);
    printf(" |\n");
  }
  survey_free(surveys, count);
  free(surveys);
}

/* How many answers have no correct digit left: off by 2^52 units or more, infinite, or not a number. */
static size_t lost(const measurement *results, const signed char *regions, size_t count) {
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    n += regions[i] >= 0 && !(results[i].units < 0x1p52);
  return n;
}

static void exp_table(geodisk_context *context, uint64_t seed, size_t cases) {
  static const char *const names[] = {"geodisk_exp", "hyperboloid form", "Theorem 1", "Theorem 1 in its domain"};
  const operation *op = operation_named("exp");
  survey surveys[] = {
      {.op = op, .seed = seed, .cases = cases, .answer = case_call, .accept = not_too_long},
      {.op = op, .seed = seed, .cases = cases, .answer = by_hyperboloid, .accept = not_too_long},
      {.op = op, .seed = seed, .cases = cases, .answer = by_theorem1, .accept = not_too_long},
      {.op = op, .seed = seed, .cases = cases, .answer = by_theorem1, .accept = in_theorem1_domain},
  };
  enum { FORMS = sizeof surveys / sizeof surveys[0] };
  survey_run(context, surveys, FORMS);
  printf("\nThe exponential map in other forms, double, on the same cases with steps of sqrt(k) length up to %g (NaN: some\n"
         "answers are no number):\n\n",
         LONGEST_STEP);
  print_head("exp by", "");
  for (int i = 0; i < FORMS; i++) {
    print_row(names[i], surveys[i].results, surveys[i].regions, surveys[i].cases);
    printf(" |\n");
  }
  printf("\n");
  for (int i = 0; i < FORMS; i++) {
    digest sum = survey_digest(&surveys[i], -1);
    printf("- %s: wrong by half the radius or more, or no number, in %zu of %zu cases; on or outside the rim in %zu.\n", names[i],
           lost(surveys[i].results, surveys[i].regions, surveys[i].cases), sum.cases, sum.outside);
  }
  survey_free(surveys, FORMS);
}

static void distance_table(geodisk_context *context, uint64_t seed, size_t cases) {
  survey own = {.op = operation_named("distance"), .seed = seed, .cases = cases, .answer = case_call, .accept = in_unit_ball};
  survey_run(context, &own, 1);
  measurement *results = geodisk_allocate_zero(cases, sizeof *results);
  signed char *regions = geodisk_allocate_zero(cases, sizeof *regions);
  if (!results || !regions)
    abort();
  fflush(stdout);
  bool there = run_gensim(&own, results, regions);
  printf("\nThe distance in the unit ball (radius 1, curvature 1), geodisk and gensim's `vector_distance`:\n\n");
  print_head("distance by", "");
  print_row("geodisk_distance", own.results, own.regions, cases);
  printf(" |\n");
  if (there) {
    print_row("gensim", results, regions, cases);
    printf(" |\n");
    printf("\ngensim's answer is off by half or more, infinite or no number in %zu of %zu cases.\n",
           lost(results, regions, cases), digest_of(results, regions, cases, -1).cases);
  } else {
    printf("\n(gensim is not installed: no row for it.)\n");
  }
  free(results);
  free(regions);
  survey_free(&own, 1);
}

int main(int argc, char **argv) {
  unsigned long long numbers[] = {1, 200000};
  for (int i = 1; i < argc && i < 3; i++) {
    char *end;
    errno = 0;
    numbers[i - 1] = strtoull(argv[i], &end, 0);
    if (errno != 0 || end == argv[i] || *end != '\0') {
      fprintf(stderr, "accuracy_table: '%s' is not a number\n", argv[i]);
      return 2;
    }
  }
  geodisk_context *context = NULL;
  if (geodisk_context_create(0, &context) != GEODISK_OK)
    return 1;
  size_t cases = (size_t)numbers[1];
  operations_table(context, numbers[0], cases);
  exp_table(context, numbers[0], cases / 20);
  distance_table(context, numbers[0], cases / 10);
  geodisk_context_destroy(context);
  return fflush(stdout) == 0 ? 0 : 1;
}
