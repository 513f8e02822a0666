/* paper_exact.h - what the forms of the exponential map are held to (paper_exact.c). */
#pragma once

enum { PAPER_EXACT_DIM = 2 };

/* exp_x(v) in the unit disk as the sum of two doubles. Within 2^-100 of the radius wherever paper_exp_case goes: so
 * tests/accuracy/test_paper_exact.c holds it to MPFR. */
void paper_exp_exact(const double *x, const double *v, double *high, double *low);

/* Bits it is computed with: 113, and 64 where the compiler has no more. */
int paper_exact_bits(void);

/* A point at a depth in a direction, and a step of a length at an angle to the ray through it. */
void paper_exp_case(double depth, double direction, double angle, double length, double *x, double *v);
