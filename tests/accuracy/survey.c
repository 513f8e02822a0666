/* survey.c - runs surveys over many cases and threads (survey.h). */
#include "survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 50 }; /* cases of one task: enough to outweigh creating the scratch numbers */

typedef struct plan {
  survey *surveys;
  size_t count;
} plan;

size_t survey_plan(survey *surveys, uint64_t seed, size_t cases) {
  int weights = 0;
  size_t total = 0;
  for (int op = 0; op < operation_count; op++)
    weights += operations[op].weight;
  for (int i = 0; i < 2 * operation_count; i++) {
    bool single = i % 2;
    double share = (double)cases * operations[i / 2].weight / weights * (single ? 0.2 : 0.8);
    surveys[i] =
        (survey){.op = &operations[i / 2], .single = single, .seed = seed, .cases = (size_t)share + 1, .answer = case_call};
    total += surveys[i].cases;
  }
  return total;
}

static size_t blocks_of(const survey *s) { return (s->cases + BLOCK - 1) / BLOCK; }

static void run_block(void *arg, size_t index) {
  const plan *all = arg;
  survey *s = all->surveys;
  while (index >= blocks_of(s))
    index -= blocks_of(s++);
  mp_ball mp;
  mp_ball_create(&mp, MAX_DIM);
  accuracy_case *c = geodisk_allocate(1, sizeof *c);
  double *got = geodisk_allocate(MAX_NUMBERS, sizeof *got);
  if (!c || !got)
    abort();
  for (size_t i = index * BLOCK; i < s->cases && i < (index + 1) * BLOCK; i++) {
    case_draw(s->op, s->single, s->seed, i, c);
    s->regions[i] = -1;
    if (s->accept && !s->accept(c))
      continue;
    s->answer(c, got);
    s->results[i] = case_measure(&mp, c, got);
    s->regions[i] = (signed char)c->region;
  }
  free(got);
  free(c);
  mp_ball_destroy(&mp);
}

void survey_run(geodisk_context *context, survey *surveys, size_t count) {
  plan all = {surveys, count};
  size_t blocks = 0;
  for (size_t i = 0; i < count; i++) {
    surveys[i].results = geodisk_allocate_zero(surveys[i].cases, sizeof *surveys[i].results);
    surveys[i].regions = geodisk_allocate_zero(surveys[i].cases, sizeof *surveys[i].regions);
    if (!surveys[i].results || !surveys[i].regions)
      abort();
    blocks += blocks_of(&surveys[i]);
  }
  geodisk_parallel(context, blocks, run_block, &all);
}

void survey_free(survey *surveys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(surveys[i].results);
    free(surveys[i].regions);
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

digest digest_of(const measurement *results, const signed char *regions, size_t count, int region) {
  digest sum = {0};
  double *sorted = geodisk_allocate(count, sizeof *sorted);
  if (!sorted)
    abort();
  for (size_t i = 0; i < count; i++) {
    if (regions[i] < 0 || (region >= 0 && regions[i] != region))
      continue;
    if (!(results[i].units <= sum.worst) || sum.cases == 0) {
      sum.worst = results[i].units;
      sum.worst_at = i;
    }
    sum.outside += !results[i].inside;
    sorted[sum.cases++] = results[i].units;
  }
  qsort(sorted, sum.cases, sizeof *sorted, ascending);
  if (sum.cases)
    sum.p99 = sorted[(size_t)ceil(0.99 * (double)sum.cases) - 1];
  free(sorted);
  return sum;
}

digest survey_digest(const survey *s, int region) { return digest_of(s->results, s->regions, s->cases, region); }

void survey_print(FILE *file, const survey *s, size_t index) {
  mp_ball mp;
  mp_ball_create(&mp, MAX_DIM);
  accuracy_case *c = geodisk_allocate(1, sizeof *c);
  double *got = geodisk_allocate(MAX_NUMBERS, sizeof *got);
  if (!c || !got)
    abort();
  case_draw(s->op, s->single, s->seed, index, c);
  s->answer(c, got);
  measurement m = case_measure(&mp, c, got);
  fprintf(file, "%.4g units%s: ", m.units, m.inside ? "" : ", on or outside the rim");
  case_print(file, c);
  mpfr_ptr exact = case_exact(&mp, c, case_precision(&mp, c));
  for (size_t i = 0, n = output_numbers(c->op, c->ball.dim); i < n; i++)
    mpfr_fprintf(file, "  got %-24a = %-24.17g exact %.25Rg\n", got[i], got[i], exact + i);
  free(got);
  free(c);
  mp_ball_destroy(&mp);
}
