/* other_forms.h - other ways to compute exp, in plain double, for comparison in the tests and the table only. */
#ifndef GEODISK_TESTS_OTHER_FORMS_H
#define GEODISK_TESTS_OTHER_FORMS_H

#include <geodisk/ball.h>

/* On the hyperboloid: lift x and v, cosh(D) p + sinh(D) u/|u|, drop back; as other programs do it. */
void exp_hyperboloid(const geodisk_ball *ball, const double *x, const double *v, double *out);

/* The paper's lemma before Theorem 1: an orthonormal basis e_x (along the step), e_y of the plane of x and v, the radius of the
 * geodesic's circle and that of the circle of equal distance, and where they meet (with Delta the length, not its square). Not
 * defined for v along x or zero; loses its digits near there. */
void exp_lemma(const geodisk_ball *ball, const double *x, const double *v, double *out);

#endif
