/* survey.h - many cases at once: draws them, asks a method, measures, and sums up by operation and region. */
#ifndef GEODISK_TESTS_SURVEY_H
#define GEODISK_TESTS_SURVEY_H

#include "measure.h"

/* How a survey gets its answers: case_call is the library's. */
typedef void (*answer_fn)(const accuracy_case *c, double *got);

typedef struct survey {
  const operation *op;
  bool single;
  uint64_t seed;
  size_t cases;
  answer_fn answer;
  bool (*accept)(const accuracy_case *c); /* or NULL; cases not accepted are passed over and not counted */
  /* filled by survey_run: one entry per case */
  measurement *results;
  signed char *regions; /* -1: passed over */
} survey;

/* What a set of errors comes to. */
typedef struct digest {
  size_t cases;
  double worst, p99;
  size_t worst_at; /* index of the worst case */
  size_t outside;  /* points on or outside the rim */
} digest;

/* Fills 2 * operation_count surveys of the library: each operation in double and then in float, `cases` in all by the operations'
 * weights, one in five a float. Returns how many it came to. */
size_t survey_plan(survey *surveys, uint64_t seed, size_t cases);

/* Runs all surveys, spread over the context's threads. The result does not depend on their number. */
void survey_run(geodisk_context *context, survey *surveys, size_t count);
void survey_free(survey *surveys, size_t count);

/* Of one region, or of all for region -1. */
digest survey_digest(const survey *s, int region);

/* Prints a case of the survey with both answers and the error. */
void survey_print(FILE *file, const survey *s, size_t index);

/* Sums up `count` errors; `results` is sorted by nobody and left alone. */
digest digest_of(const measurement *results, const signed char *regions, size_t count, int region);

#endif
