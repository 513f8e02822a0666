/* stress_layout.c - distances of the model fitted in the hyperbolic plane. Pairs of nodes are taken one after the other, at
 * random and from near places of the forest, and both ends move along their geodesic so that the pair comes nearer to its
 * distance; the share of the way falls from pass to pass (stochastic gradient descent of the stress, as in graph drawing). One
 * thread: the order of the pairs is part of the result.
 *
 * A point is kept as e^r, r its distance from the origin, and its angle: hyperbolic functions of r are then arithmetic. */
#include "base/sorting.h"
#include "projection.h"

#include <math.h>
#include <stdlib.h>

#define LONGEST 1e120 /* e^r: products of two and their squares stay in range */
enum { FEWEST_PASSES = 12, MOST_PASSES = 100, FAR_PAIRS = 8, MEASURED = 100000 };
#define VISITS 150000.0                   /* of nodes: small graphs have time for more passes */
static const uint64_t SEED = 0x6469736bu; /* the same picture every time */

/* ---- the plane --------------------------------------------------------------------------------------------------- */

static double sinh_of(double e) { return (e - 1 / e) / 2; }
static double cosh_of(double e) { return (e + 1 / e) / 2; }

/* sinh^2((r - s) / 2) from e^r and e^s. */
static double half_squared(double e, double f) { return (e - f) * (e - f) / (4 * e * f); }

/* e^d from u = sinh^2(d / 2). */
static double exp_from(double u) { return 1 + 2 * u + 2 * sqrt(u) * sqrt(1 + u); }

double plane_distance(const plane_point *p, const plane_point *q) {
  const double across = sin((q->angle - p->angle) / 2);
  return 2 * asinh(sqrt(half_squared(p->e, q->e) + sinh_of(p->e) * sinh_of(q->e) * across * across));
}

/* The unit vector at p that points away from q: its part along the ray from the origin, and across it, towards larger angles.
 * `half` is sin(t/2), `cosine` cos(t/2), t the angle from p to q. */
static void away(const plane_point *p, const plane_point *q, double half, double cosine, double *out, double *across) {
  const double a = (p->e / q->e - q->e / p->e) / 2 + 2 * cosh_of(p->e) * sinh_of(q->e) * half * half;
  const double b = -2 * sinh_of(q->e) * half * cosine, norm = sqrt(a * a + b * b);
  *out = norm > 0 ? a / norm : 1;
  *across = norm > 0 ? b / norm : 0;
}

void plane_step(plane_point *p, double exp_step, double out, double across) {
  /* The law of cosines for the new radius, written without cancellation when the step goes inwards; the angle by its tangent. */
  const double s = sinh_of(p->e), step = sinh_of(exp_step);
  const double u = half_squared(p->e, exp_step) + s * step * (1 + out) / 2;
  const double turn = atan2(step * across, s * cosh_of(exp_step) + cosh_of(p->e) * step * out), e = exp_from(u);
  if (e < LONGEST && turn == turn) { /* a step that leads nowhere is not taken */
    p->e = e;
    p->angle += turn;
  }
}

/* ---- the fit ----------------------------------------------------------------------------------------------------- */

/* Moves both ends of a pair along their geodesic, together by the share of what is missing; the centre stays. */
static void relax(const source_points *source, plane_point *points, uint32_t i, uint32_t j, double share, uint32_t centre) {
  plane_point *p = &points[i], *q = &points[j];
  if (i == j)
    return;
  const double wanted = source_distance(source, i, j);
  if (!(wanted > 0))
    return;
  const double t = (q->angle - p->angle) / 2, half = sin(t), cosine = cos(t);
  const double d = log(exp_from(half_squared(p->e, q->e) + sinh_of(p->e) * sinh_of(q->e) * half * half));
  const double step = share * (wanted - d) / (i == centre || j == centre ? 1 : 2), length = exp(fabs(step));
  const double sign = step < 0 ? -1 : 1;
  double out_p, across_p, out_q, across_q;
  away(p, q, half, cosine, &out_p, &across_p);
  away(q, p, -half, cosine, &out_q, &across_q);
  if (i != centre)
    plane_step(p, length, sign * out_p, sign * across_p);
  if (j != centre)
    plane_step(q, length, sign * out_q, sign * across_q);
}

geodisk_status stress_fit(geodisk_context *context, const source_points *source, const uint32_t *parent, uint32_t centre,
                          plane_point *points) {
  const size_t n = source->nodes;
  const uint64_t passes = (uint64_t)fmax(FEWEST_PASSES, fmin(MOST_PASSES, VISITS / (double)n));
  for (uint64_t pass = 0; n > 2 && pass < passes; pass++) {
    const geodisk_progress progress = {"projecting into the plane", "passes", pass, passes, NULL};
    if (!geodisk_progress_event(context, &progress))
      return geodisk_fail(context, GEODISK_ERROR_STOPPED, "stopped");
    /* From a half down to a hundredth of the way, geometrically. */
    const double share = 0.5 * pow(0.02, (double)pass / (double)(passes - 1));
    geodisk_random random = geodisk_random_stream(SEED, pass);
    for (uint32_t i = 0; i < n; i++) {
      if (parent[i] != GEODISK_NODE_NONE)
        relax(source, points, i, parent[i], share, centre);
      relax(source, points, i, centre, share, centre);
      for (int k = 0; k < FAR_PAIRS; k++)
        relax(source, points, i, (uint32_t)geodisk_random_below(&random, n), share, centre);
    }
  }
  return GEODISK_OK;
}

/* ---- how well it fits -------------------------------------------------------------------------------------------- */

/* |d' / d - 1|; NaN for points that coincide in the model. */
static double distortion(const source_points *source, const plane_point *points, uint32_t i, uint32_t j) {
  const double wanted = source_distance(source, i, j);
  return wanted > 0 ? fabs(plane_distance(&points[i], &points[j]) / wanted - 1) : (double)NAN;
}

geodisk_status stress_measure(geodisk_context *context, const source_points *source, const geodisk_scene *scene,
                              const plane_point *points, geodisk_projection *out) {
  double *list = geodisk_allocate(MEASURED, sizeof *list), sum = 0, edge_sum = 0;
  size_t n = 0, n_edges = 0;
  if (list == NULL)
    return geodisk_no_memory(context, "for the projection");
  geodisk_random random = geodisk_random_stream(SEED, UINT64_MAX);
  for (size_t k = 0; source->nodes > 1 && k < MEASURED; k++) {
    const uint32_t i = (uint32_t)geodisk_random_below(&random, source->nodes);
    const uint32_t j = (uint32_t)geodisk_random_below(&random, source->nodes);
    const double value = i != j ? distortion(source, points, i, j) : (double)NAN;
    if (value == value)
      sum += list[n++] = value;
  }
  for (size_t e = 0; e < scene->edges; e++) {
    const double value = distortion(source, points, scene->edge_child[e], scene->edge_parent[e]);
    if (value == value) {
      edge_sum += value;
      n_edges++;
    }
  }
  if (n > 0)
    qsort(list, n, sizeof *list, ascending_doubles);
  out->pairs = n;
  out->distortion_mean = n > 0 ? sum / (double)n : 0;
  out->distortion_median = n > 0 ? list[n / 2] : 0;
  out->distortion_95 = n > 0 ? list[n - 1 - n / 20] : 0;
  out->edge_distortion_mean = n_edges > 0 ? edge_sum / (double)n_edges : (double)NAN;
  free(list);
  return GEODISK_OK;
}
