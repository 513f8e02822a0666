/* mean_ref.c - the passes of the means in plain C: the truth the vector versions are held to (mean_pass.h says what is summed).
 */
#include <math.h>

#include "dd.h"
#include "mean_pass.h"

/* Below this u the quotient (h-1)/g^2 is taken from its series, 4/3 - 32/15 u + ..., whose next term is below 2^-24 here: enough
 * for a Hessian. */
#define SMALL_U 0x1p-13
/* A row with a smaller g is at p, for the median. */
#define LEAST_G 0x1p-300

void geodisk_mean_plain_ref(const mean_point *at, size_t n, const double *q, const double *gaps, const double *weights,
                            double *sums, double *scratch) {
  const size_t dim = at->dim;
  for (size_t i = 0; i < n; i++, q += dim) {
    const double w = weights == NULL ? at->weight_scale : weights[i] * at->weight_scale;
    double *zeta = scratch, s = 0.0;
    for (size_t j = 0; j < dim; j++) {
      zeta[j] = q[j] - at->p[j];
      s += zeta[j] * zeta[j];
    }
    const double u = s * at->ratio / gaps[i], square = u + u * u, g = sqrt(square), theta = log1p(2.0 * (u + g));
    double f, h, across;
    if (at->median) {
      f = g > LEAST_G ? 0.5 / g : 0.0;
      h = f * (1.0 + 2.0 * u);
      across = g > LEAST_G ? h / square : 0.0;
    } else {
      f = g > 0.0 ? theta / (2.0 * g) : 1.0;
      h = f * (1.0 + 2.0 * u);
      across = u < SMALL_U ? 4.0 / 3.0 - 32.0 / 15.0 * u : (h - 1.0) / square;
    }
    const double along = at->gap / gaps[i], back = s / gaps[i];
    for (size_t j = 0; j < dim; j++)
      zeta[j] = along * zeta[j] - back * at->p[j];
    sums[0] += w * theta * theta;
    sums[1] += w * h;
    sums[2] += w * theta;
    sums[3] += at->median ? (g > LEAST_G ? 0.0 : w) : w * u;
    for (size_t j = 0; j < dim; j++)
      sums[4 + j] += w * f * zeta[j];
    for (size_t j = 0; at->centroid && j < dim; j++)
      sums[4 + dim + j] += w * zeta[j];
    double *hessian = sums + MEAN_SUMS(dim);
    for (size_t j = 0; at->hessian && j < dim; j++)
      for (size_t k = j; k < dim; k++)
        *hessian++ += w * across * zeta[j] * zeta[k];
  }
}

static void add_to_pair(double *pair, dd term) {
  const dd sum = dd_add((dd){pair[0], pair[1]}, term);
  pair[0] = sum.hi;
  pair[1] = sum.lo;
}

void geodisk_mean_accurate_ref(const mean_point *at, size_t n, const double *q, const double *gaps, const double *weights,
                               double *sums, double *scratch) {
  const size_t dim = at->dim;
  const dd ratio = {at->ratio, at->ratio_rest};
  double *high = scratch, *low = scratch + dim; /* delta */
  for (size_t i = 0; i < n; i++, q += dim) {
    const double w = weights == NULL ? at->weight_scale : weights[i] * at->weight_scale;
    dd s = {0.0, 0.0};
    for (size_t j = 0; j < dim; j++) {
      const dd delta = two_sum(q[j], -at->p[j]);
      high[j] = delta.hi;
      low[j] = delta.lo;
      s = dd_add(s, dd_sqr(delta));
    }
    const dd u = dd_div(dd_mul(s, ratio), dd_from(gaps[i])), g = dd_sqrt(dd_add(u, dd_sqr(u)));
    const dd theta = dd_log1p(dd_scale(dd_add(u, g), 2.0));
    const dd f = g.hi > 0.0 ? dd_div(theta, dd_scale(g, 2.0)) : dd_from(1.0);
    const double c = dd_round(dd_div(dd_mul_d(f, w), dd_from(gaps[i])));
    add_to_pair(sums, dd_mul_d(s, c));
    add_to_pair(sums + 2, dd_mul_d(dd_sqr(theta), w));
    add_to_pair(sums + 4, dd_mul_d(theta, w));
    for (size_t j = 0; j < dim; j++)
      add_to_pair(sums + 6 + 2 * j, dd_mul_d((dd){high[j], low[j]}, c));
  }
}
