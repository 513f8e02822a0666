/* variance.c - RSVRG (Zhang, Reddi and Sra 2016): stochastic descent whose noise dies out. Every `inner` steps the whole gradient
 * is taken at a snapshot z; between, a batch B steps along
 *
 *     grad f_B(x) - transport_{z -> x}( grad f_B(z) - grad f(z) ),
 *
 * which is unbiased and has no variance left once x and z are at the minimum. */
#include <string.h>

#include "run.h"

/* r->step holds grad f_B(z) on entry. */
static void rsvrg_step(run *r, size_t i) {
  double *step = r->step + i * r->dim;
  const double *full = r->full_gradient + i * r->dim, *gradient = r->gradient + i * r->dim;
  for (size_t c = 0; c < r->dim; c++)
    step[c] -= full[c];
  geodisk_transport_gap(r->e.ball, r->trial_x + i * r->dim, r->trial_gap[i], r->x + i * r->dim, r->gap[i], step, step);
  for (size_t c = 0; c < r->dim; c++)
    step[c] = -r->last_rate * (gradient[c] - step[c]);
}

geodisk_status step_rsvrg(run *r, double rate) {
  (void)rate;
  geodisk_status status;
  const uint64_t terms = r->e.objective->n_terms;
  const uint64_t inner = r->options.inner > 0 ? r->options.inner : 2 * ((terms + r->options.batch - 1) / r->options.batch);
  if (inner == 0 || r->iteration % inner == 0) {
    if (!r->fresh && (status = run_evaluate(r)) != GEODISK_OK)
      return status;
    memcpy(r->trial_x, r->x, r->n * r->dim * sizeof(double));
    memcpy(r->trial_gap, r->gap, r->n * sizeof(double));
    memcpy(r->full_gradient, r->gradient, r->n * r->dim * sizeof(double));
  }
  r->fresh = false;
  geodisk_random same = r->random;
  if ((status = run_sample_gradient(r, same, r->trial_x, r->trial_gap, r->step, &r->random)) != GEODISK_OK)
    return status;
  if ((status = run_sample_gradient(r, same, r->x, r->gap, r->gradient, &r->random)) != GEODISK_OK)
    return status;
  run_for_free_points(r, rsvrg_step);
  return run_move(r);
}
