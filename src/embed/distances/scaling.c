/* scaling.c - classical scaling of landmarks (Torgerson; de Silva and Tenenbaum 2004): the squared lengths between the sources,
 * centred, have leading eigenvectors V and eigenvalues L; a node with squared lengths e to the sources is at
 * -1/2 L^(-1/2) V' (e - mean), a source itself at its row of V L^(1/2). The eigenvectors come from subspace iteration. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distance_fit.h"
#include "embed/trainer.h"

enum { ITERATIONS = 40, ROWS_PER_TASK = 16 };

typedef struct scaling {
  const geodisk_distances *d;
  size_t sources, dim;
  double *centred;        /* sources x sources: -1/2 of the squared lengths, centred */
  double *means;          /* sources: of the squared lengths to all sources */
  double *vectors, *next; /* sources x dim */
  double *values;         /* dim */
  double furthest;        /* squared; what stands for lengths that there are not */
  double *out;
} scaling;

static uint32_t source_at(const scaling *s, size_t i) { return s->d->source_nodes ? s->d->source_nodes[i] : (uint32_t)i; }

static double squared_length(const scaling *s, size_t source, uint32_t node) {
  const double length = s->d->lengths[source * s->d->nodes + node];
  return length >= 0.0 && length < 1e150 ? length * length : s->furthest;
}

static void multiply_rows(void *arg, size_t task) {
  const scaling *s = arg;
  const size_t dim = s->dim, first = task * ROWS_PER_TASK;
  for (size_t i = first; i < s->sources && i < first + ROWS_PER_TASK; i++) {
    double *to = s->next + i * dim;
    memset(to, 0, dim * sizeof *to);
    for (size_t j = 0; j < s->sources; j++)
      for (size_t k = 0; k < dim; k++)
        to[k] += s->centred[i * s->sources + j] * s->vectors[j * dim + k];
  }
}

/* Gram and Schmidt; the lengths of the columns are the sizes of the eigenvalues. */
static void make_orthonormal(scaling *s, double *columns) {
  const size_t dim = s->dim;
  for (size_t k = 0; k < dim; k++) {
    double square = 0.0;
    for (size_t l = 0; l < k; l++) {
      double dot = 0.0;
      for (size_t i = 0; i < s->sources; i++)
        dot += columns[i * dim + k] * columns[i * dim + l];
      for (size_t i = 0; i < s->sources; i++)
        columns[i * dim + k] -= dot * columns[i * dim + l];
    }
    for (size_t i = 0; i < s->sources; i++)
      square += columns[i * dim + k] * columns[i * dim + k];
    s->values[k] = sqrt(square);
    for (size_t i = 0; i < s->sources && square > 0.0; i++)
      columns[i * dim + k] /= s->values[k];
  }
}

static void centre(scaling *s) {
  const size_t n = s->sources;
  double all = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t v = 0; v < s->d->nodes; v++) {
      const double length = s->d->lengths[i * s->d->nodes + v];
      if (length < 1e150 && length * length > s->furthest)
        s->furthest = length * length;
    }
  for (size_t i = 0; i < n; i++) {
    s->means[i] = 0.0;
    for (size_t j = 0; j < n; j++)
      s->means[i] += squared_length(s, i, source_at(s, j)) / (double)n;
    all += s->means[i] / (double)n;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      s->centred[i * n + j] = -0.5 * (squared_length(s, i, source_at(s, j)) - s->means[i] - s->means[j] + all);
}

static void place_rows(void *arg, size_t task) {
  const scaling *s = arg;
  const size_t dim = s->dim, first = task * ROWS_PER_TASK;
  for (size_t u = first; u < s->d->nodes && u < first + ROWS_PER_TASK; u++) {
    double *x = s->out + u * dim;
    memset(x, 0, dim * sizeof *x);
    for (size_t i = 0; i < s->sources; i++) {
      const double off = -0.5 * (squared_length(s, i, (uint32_t)u) - s->means[i]);
      for (size_t k = 0; k < dim; k++)
        x[k] += off * s->vectors[i * dim + k];
    }
    for (size_t k = 0; k < dim; k++)
      x[k] = s->values[k] > 0.0 ? x[k] / sqrt(s->values[k]) : 0.0;
  }
}

geodisk_status embed_classical_scaling(geodisk_context *context, const geodisk_distances *d, int dim, uint64_t seed,
                                       double *out) {
  scaling s = {.d = d, .sources = d->sources, .dim = (size_t)dim};
  s.out = out;
  const size_t n = s.sources, tasks = (n + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
  s.centred = geodisk_allocate(n * n, sizeof *s.centred);
  s.means = geodisk_allocate(n, sizeof *s.means);
  s.vectors = geodisk_allocate(n * s.dim, sizeof *s.vectors);
  s.next = geodisk_allocate(n * s.dim, sizeof *s.next);
  s.values = geodisk_allocate_zero(s.dim, sizeof *s.values);
  const bool memory = s.centred && s.means && s.vectors && s.next && s.values;
  if (memory) {
    geodisk_random random = geodisk_random_stream(seed, stream_of(STREAM_PLACE, 0, PLACE_SCALING));
    for (size_t i = 0; i < n * s.dim; i++)
      s.vectors[i] = geodisk_random_normal(&random);
    centre(&s);
    for (int i = 0; i < ITERATIONS; i++) {
      geodisk_parallel(context, tasks, multiply_rows, &s);
      double *now = s.next;
      s.next = s.vectors;
      s.vectors = now;
      make_orthonormal(&s, s.vectors);
    }
    geodisk_parallel(context, (d->nodes + ROWS_PER_TASK - 1) / ROWS_PER_TASK, place_rows, &s);
  }
  geodisk_free_all(s.centred, s.means, s.vectors, s.next, s.values);
  return memory ? GEODISK_OK : geodisk_no_memory(context, "for the scaling of %zu nodes", n);
}
