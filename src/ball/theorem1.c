/* theorem1.c - the closed form of the exponential map in the paper's Theorem 1, as printed but for its first slip: Delta is the
 * length of the tangent, not its square. Plain floating point, for comparison with exp.c.
 *
 *     g      = (2R/S)^2 (-v),     F = g.x,     C = cosh Delta - 1
 *
 *     tau    = S sinh(Delta) / (2R sqrt(cosh Delta + 1) Delta)
 *
 *     zeta^2 = 2R^2 + C (R^2 + |x|^2) - 2 F^2 tau^2
 *
 *     xi     = ( -F tau [zeta^2 - 2C|x|^2 + 2F^2 tau^2] - zeta^2 sqrt(zeta^2 - C|x|^2 + 2F^2 tau^2) )
 *              / ( 4|x|^2 C F^2 tau^2 - 4F^4 tau^4 + zeta^4 )
 *
 *     W      = 1 + sqrt(1 - 4 |x|^2 C xi^2 + 4 F^2 tau^2 xi^2)
 *
 *     exp_x(v) - x = (S tau xi - 2 S F tau^2 xi^2 / W) g + (2 S C xi^2 / W) x
 *
 * The square root in W picks the near quarter of the geodesic's circle: beyond a turn of 90 degrees the answer is another point.
 */
#include <math.h>

#include "geodisk/ball.h"
#include "real.h"

typedef struct products {
  double r2, x2, xv, v2, gap; /* R^2, |x|^2, x.v, |v|^2, R^2 - |x|^2 */
} products;

static bool load_products(const geodisk_ball *ball, const real *x, const real *v, products *p) {
  if (!geodisk_ball_valid(ball))
    return false;
  *p = (products){.r2 = ball->radius * ball->radius};
  for (int i = 0; i < ball->dim; i++) {
    double xi = (double)x[i], vi = (double)v[i];
    p->x2 += xi * xi;
    p->xv += xi * vi;
    p->v2 += vi * vi;
  }
  p->gap = p->r2 - p->x2;
  return p->gap > 0.0 && isfinite(p->v2);
}

void NAME(exp_theorem1)(const geodisk_ball *ball, const real *x, const real *v, real *out) {
  products p;
  if (!load_products(ball, x, v, &p)) {
    for (int i = 0; i < ball->dim; i++)
      out[i] = (real)NAN;
    return;
  }
  const double R = ball->radius, S = p.gap;
  double factor = 2.0 * R / S;        /* lam sqrt(k) */
  double delta = factor * sqrt(p.v2); /* the length to go, times sqrt(k) */
  double to_g = -factor * factor;     /* g = to_g v */
  double F = to_g * p.xv;
  double s = sinh(0.5 * delta), C = 2.0 * s * s; /* cosh - 1 */
  double sinhc = delta > 0.0 ? sinh(delta) / delta : 1.0;
  double tau = S / (2.0 * R * sqrt(C + 2.0)) * sinhc;
  double f2 = F * F * tau * tau;
  double zeta2 = 2.0 * p.r2 + C * (p.r2 + p.x2) - 2.0 * f2;
  double top = -F * tau * (zeta2 - 2.0 * C * p.x2 + 2.0 * f2) - zeta2 * sqrt(zeta2 - C * p.x2 + 2.0 * f2);
  double xi = top / (4.0 * p.x2 * C * f2 - 4.0 * f2 * f2 + zeta2 * zeta2);
  double W = 1.0 + sqrt(fmax(0.0, 1.0 - 4.0 * p.x2 * C * xi * xi + 4.0 * f2 * xi * xi));
  double along_v = (S * tau * xi - 2.0 * S * F * tau * tau * xi * xi / W) * to_g;
  double along_x = 2.0 * S * C * xi * xi / W;
  for (int i = 0; i < ball->dim; i++)
    out[i] = (real)((double)x[i] + (along_v * (double)v[i] + along_x * (double)x[i]));
}

/* The chord to the end point, along z = n + t x/R, makes half the angle of the turn with n: at most 45 degrees. */
bool NAME(theorem1_holds)(const geodisk_ball *ball, const real *x, const real *v) {
  products p;
  if (!load_products(ball, x, v, &p))
    return false;
  if (p.v2 == 0.0)
    return true;
  double length = sqrt(p.v2), t = tanh(ball->radius * length / p.gap);
  double nx = p.xv / (length * ball->radius);
  double zn = 1.0 + t * nx, z2 = 1.0 + 2.0 * t * nx + t * t * p.x2 / p.r2;
  return zn > 0.0 && 2.0 * zn * zn >= z2;
}
