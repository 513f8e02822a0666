/* custom_loss.c - a loss of one's own: the caller says which distances it needs and what it makes of them, geodisk does the chain
 * rule, the gradient check and the descent.
 *
 * A point is to be placed by measured distances to four known anchors, one of them wrong. Least squares would be pulled off by
 * it; a Cauchy loss, log(1 + ((d - measured)/s)^2), is not.
 *
 *     cc custom_loss.c $(pkg-config --cflags --libs geodisk) -lm -o custom_loss */
#include <math.h>
#include <stdio.h>

#include <geodisk/geodisk.h>

enum { ANCHORS = 4, DIM = 2 };

typedef struct measurements {
  double distance[ANCHORS];
  double scale;
} measurements;

/* One term that sees all distances. */
static double cauchy(void *user, size_t term, size_t count, const double *d, double *derivatives) {
  const measurements *m = user;
  double loss = 0;
  (void)term;
  for (size_t i = 0; i < count; i++) {
    const double off = (d[i] - m->distance[i]) / m->scale;
    loss += log1p(off * off);
    derivatives[i] = 2 * off / (1 + off * off) / m->scale;
  }
  return loss;
}

int main(void) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  const double truth[DIM] = {0.35, -0.2};
  double x[ANCHORS + 1][DIM] = {{0, 0}, {0.9, 0.1}, {-0.5, 0.6}, {0.1, -0.8}, {-0.7, -0.6}}; /* the unknown point first */
  const bool fixed[ANCHORS + 1] = {false, true, true, true, true};
  size_t pairs[ANCHORS][2];
  measurements m = {.scale = 0.2};
  for (size_t i = 0; i < ANCHORS; i++) {
    pairs[i][0] = 0;
    pairs[i][1] = i + 1;
    m.distance[i] = geodisk_distance(&ball, truth, x[i + 1]);
  }
  m.distance[3] += 0.8; /* the wrong one */

  geodisk_objective *objective = NULL;
  const geodisk_objective_spec spec = {
      .n_points = ANCHORS + 1, .n_pairs = ANCHORS, .pairs = pairs[0], .fixed = fixed, .loss = cauchy, .user = &m};
  if (geodisk_objective_create(NULL, &spec, &objective) != GEODISK_OK)
    return 1;

  geodisk_gradient_check check;
  if (geodisk_objective_check(NULL, &ball, objective, x[0], NULL, &check) != GEODISK_OK)
    return 1;
  printf("gradient check: off by %.1e at most\n", check.error);

  geodisk_optim_info info;
  if (geodisk_minimise(&ball, objective, NULL, x[0], NULL, &info) != GEODISK_OK)
    return 1;
  const double off = geodisk_distance(&ball, x[0], truth);
  printf("found (%.6f, %.6f) in %llu steps, loss %.6f, gradient %.1e; %.4f from the truth\n", x[0][0], x[0][1],
         (unsigned long long)info.iterations, info.loss, info.gradient_norm, off);
  geodisk_objective_destroy(objective);
  return check.error < 1e-9 && info.converged && off < 0.05 ? 0 : 1;
}
