/* ball_testing.h - what the tests of the ball share: the operations that take two points and a tangent, as a table. */
#ifndef GEODISK_TESTS_BALL_TESTING_H
#define GEODISK_TESTS_BALL_TESTING_H

#include <stdbool.h>

#include "geodisk/ball.h"

static const geodisk_ball plane = {2, 1.0, 1.0};

/* Outside the gap is NaN; inside it may be 0 where R^2 is. */
static inline bool inside(const geodisk_ball *ball, const double *x) { return geodisk_gap(ball, x) >= 0.0; }

/* Every operation, called with two points, a tangent and a number. */
typedef void (*operation)(const geodisk_ball *ball, const double *x, const double *y, const double *v, double *out);
static void op_exp(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)y;
  geodisk_exp(b, x, v, out);
}
static void op_log(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)v;
  geodisk_log(b, x, y, out);
}
static void op_geodesic(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)v;
  geodisk_geodesic(b, x, y, 0.25, out);
}
static void op_extend(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)v;
  geodisk_geodesic(b, x, y, 1.75, out);
}
static void op_transport(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  geodisk_transport(b, x, y, v, out);
}
static void op_mobius(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)v;
  geodisk_mobius_add(b, x, y, out);
}
static void op_centre(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)v;
  geodisk_centre(b, x, y, out);
}
static void op_gyration(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  geodisk_gyration(b, x, y, v, out);
}
static void op_hessian(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  geodisk_hessian(b, x, y, v, out);
}
static void op_gradient(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)y;
  geodisk_gradient(b, x, v, out);
}
static void op_distance_gradient(const geodisk_ball *b, const double *x, const double *y, const double *v, double *out) {
  (void)v;
  geodisk_distance_gradient(b, x, y, out, NULL);
}

static const struct {
  operation call;
  bool uses_y, uses_v, gives_point;
} operations[] = {{op_exp, false, true, true},
                  {op_log, true, false, false},
                  {op_geodesic, true, false, true},
                  {op_extend, true, false, true},
                  {op_transport, true, true, false},
                  {op_mobius, true, false, true},
                  {op_centre, true, false, true},
                  {op_gyration, true, true, false},
                  {op_hessian, true, true, false},
                  {op_gradient, false, true, false},
                  {op_distance_gradient, true, false, false}};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

#endif
