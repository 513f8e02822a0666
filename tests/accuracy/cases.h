/* cases.h - single cases: drawn at random by region, read from the reference file, printed.
 *
 * A case is fixed by (seed, operation, number type, index) alone, so that one that failed can be drawn again. */
#ifndef GEODISK_TESTS_CASES_H
#define GEODISK_TESTS_CASES_H

#include <stdio.h>

#include "operations.h"

/* The columns of the printed table. */
enum { REGION_ORIGIN, REGION_MIDDLE, REGION_DEEP, REGION_EDGE, REGION_NEAR, REGION_OPPOSITE, REGION_RADIAL, REGION_COUNT };
extern const char *const region_names[REGION_COUNT];

typedef struct accuracy_case {
  const operation *op;
  geodisk_ball ball;
  bool single;   /* the numbers are floats */
  char kind[40]; /* where the points lie and how they are related, e.g. "deep+near" */
  int region;    /* its column */
  double slack;  /* how far v's rounding moves the answer; negative: not computed yet */
  uint64_t salt; /* seeds the sign patterns of the slack */
  double in[MAX_NUMBERS];
} accuracy_case;

/* Draws a case. Single: all inputs are floats. */
void case_draw(const operation *op, bool single, uint64_t seed, uint64_t index, accuracy_case *out);

/* Reads one line of the reference file: the case and the text of its outputs (inside `line`, which is changed). False when the
 * line is malformed. */
bool case_parse(char *line, accuracy_case *out, char **outputs);

/* Prints operation, kind, ball and the inputs as hex floats. */
void case_print(FILE *file, const accuracy_case *c);

#endif
