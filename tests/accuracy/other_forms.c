/* other_forms.c - exp on the hyperboloid and by the paper's lemma, straightforward double arithmetic (other_forms.h). */
#include "other_forms.h"

#include <math.h>

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* In units of R, with t = (1+|X|^2)/(1-|X|^2), s = 2X/(1-|X|^2); the lifted tangent is (e q, e V + q s), e = 1+t, q = s.V. */
void exp_hyperboloid(const geodisk_ball *ball, const double *x, const double *v, double *out) {
  int n = ball->dim;
  double R = ball->radius, x2 = dot(x, x, n) / (R * R), below = 1 - x2;
  double time = (1 + x2) / below, e = 1 + time, q = 2 * dot(x, v, n) / (R * R) / below;
  double far = e * sqrt(dot(v, v, n)) / R; /* the length of the step */
  double c = cosh(far), s = far > 0 ? sinh(far) / far : 1;
  double new_time = c * time + s * e * q;
  for (int i = 0; i < n; i++) {
    double space = 2 * x[i] / R / below, tangent = e * v[i] / R + q * space;
    out[i] = R * (c * space + s * tangent) / (1 + new_time);
  }
}

void exp_lemma(const geodisk_ball *ball, const double *x, const double *v, double *out) {
  int n = ball->dim;
  double R2 = ball->radius * ball->radius, x2 = dot(x, x, n), S = R2 - x2, length = sqrt(dot(v, v, n));
  double C = cosh(2 * ball->radius * length / S) - 1;
  double f = -dot(x, v, n) / length; /* x along e_x = -v/|v| */
  double h = sqrt(x2 - f * f);       /* x along e_y */
  double centre = -C * S / (2 * R2 + C * S);
  double kx = centre * f, ky = centre * h; /* from x to the centre of the circle of equal distance */
  double equal2 = C * (C + 2) * R2 * S * S / ((2 * R2 + C * S) * (2 * R2 + C * S));
  double rho = S / (2 * h); /* the geodesic's circle */
  double psi2 = rho * (rho - ky), p2 = equal2 - (kx * kx + ky * ky);
  double root = sqrt(4 * kx * kx * psi2 * psi2 + 4 * psi2 * psi2 * psi2 * p2 / (rho * rho) - psi2 * psi2 * p2 * p2 / (rho * rho));
  double along = (kx * (2 * psi2 - p2) - root) / (2 * (kx * kx + psi2 * psi2 / (rho * rho)));
  double across = rho - sqrt(rho * rho - along * along);
  for (int i = 0; i < n; i++) {
    double ex = -v[i] / length, ey = (x[i] - f * ex) / h;
    out[i] = x[i] + along * ex + across * ey;
  }
}
