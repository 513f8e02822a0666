/* many.c - many small barycenters at once: each on one thread, the problems spread over the threads. */
#include <string.h>

#include "mean_run.h"

typedef struct many {
  const geodisk_ball *ball;
  const geodisk_mean_problems *of;
  const geodisk_mean_options *options;
  double *out;
  geodisk_mean_info *info;
  geodisk_status *status;
} many;

static geodisk_status solve(const many *m, size_t j, const geodisk_mean_options *options, double *out, geodisk_mean_info *info) {
  const geodisk_mean_problems *of = m->of;
  const size_t dim = (size_t)m->ball->dim, first = of->begin[j];
  return geodisk_mean(m->ball, of->begin[j + 1] - first, of->points + first * dim,
                      of->weights == NULL ? NULL : of->weights + first, options, out, info);
}

static void solve_task(void *arg, size_t j) {
  const many *m = arg;
  m->status[j] = solve(m, j, m->options, m->out + j * (size_t)m->ball->dim, &m->info[j]);
}

geodisk_status geodisk_mean_many(const geodisk_ball *ball, const geodisk_mean_problems *problems,
                                 const geodisk_mean_options *options, double *out, geodisk_mean_info *info) {
  const geodisk_mean_options defaults = geodisk_mean_defaults();
  geodisk_mean_options own = options == NULL ? defaults : *options;
  geodisk_context *context = own.context;
  geodisk_status status = mean_check_options(ball, &own);
  if (status != GEODISK_OK)
    return status;
  for (size_t j = 0; j < problems->n; j++)
    if (problems->begin[j] > problems->begin[j + 1])
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "problem %zu ends before it begins", j);
  own.context = NULL; /* each problem runs on its own thread */
  own.on_iteration = NULL;
  own.start = NULL;
  const size_t dim = (size_t)ball->dim, n = problems->n;
  many m = {ball, problems, &own, NULL, NULL, NULL};
  m.out = geodisk_allocate(n, dim * sizeof *m.out);
  m.info = geodisk_allocate(n, sizeof *m.info);
  m.status = geodisk_allocate(n, sizeof *m.status);
  if (m.out == NULL || m.info == NULL || m.status == NULL) {
    status = geodisk_no_memory(context, "for %zu means", n);
    goto done;
  }
  geodisk_parallel(context, n, solve_task, &m);
  for (size_t j = 0; j < n; j++)
    if (m.status[j] != GEODISK_OK) {
      status = m.status[j];
      own.context = context; /* once more, for the text; it may fare better this time if memory was short */
      const bool again = solve(&m, j, &own, m.out, NULL) == status;
      geodisk_fail(context, status, "problem %zu: %s", j, again ? geodisk_context_error(context) : geodisk_status_text(status));
      goto done;
    }
  memcpy(out, m.out, n * dim * sizeof *out);
  if (info != NULL)
    memcpy(info, m.info, n * sizeof *info);
done:
  geodisk_free_all(m.out, m.info, m.status);
  return status;
}
