/* operations.h - the operations of geodisk/ball.h as one table: their inputs, how their error is counted, the exact answer in
 * MPFR and the library's own, in double and in float. The generator, the tests and the printed table all go through it. */
#ifndef GEODISK_TESTS_OPERATIONS_H
#define GEODISK_TESTS_OPERATIONS_H

#include "mp_ball.h"

enum {
  MAX_DIM = 300,
  MAX_NUMBERS = 3 * MAX_DIM + 3 /* inputs or outputs of one case */
};

/* The letters of `inputs`, in the order in which the numbers stand:
 *     x y      points                         X Y     points as (x, gap): dim coordinates, then the gap
 *     u v d    tangents, a Euclidean gradient  t s     a share of the way, a factor
 *     L K H    points of the hyperboloid (dim+1 numbers, time first), the Klein model, the half-space
 *     g r e    a gap, a hyperbolic radius, a Euclidean radius */
typedef struct operation {
  const char *name;
  const char *inputs;
  char output; /* p: a point of the ball, v: dim numbers, l: dim+1 numbers, 1: one number */
  bool slack;  /* the answer may move as much as v's own rounding moves it */
  int weight;  /* its share of the random cases */
  void (*exact)(mp_ball *ball, mpfr_srcptr in, mpfr_ptr out);
  void (*call)(const geodisk_ball *ball, const double *in, double *out);
  void (*call_float)(const geodisk_ball *ball, const float *in, float *out);
} operation;

extern const operation operations[];
extern const int operation_count;

/* NULL if there is none of that name. */
const operation *operation_named(const char *name);

/* How many numbers one letter stands for; all inputs together; the output. */
size_t letter_numbers(char letter, int dim);
size_t input_numbers(const operation *op, int dim);
size_t output_numbers(const operation *op, int dim);

/* Where the numbers of a letter begin among the inputs, or -1 if the operation has no such letter. */
long letter_offset(const operation *op, char letter, int dim);

#endif
