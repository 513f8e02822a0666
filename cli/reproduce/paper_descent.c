/* paper_descent.c - the paper's embedding as its text has it: one edge u -> v at a time, and some nodes m without an edge from u,
 *
 *     L = d(u,v) + log( Z ),   Z = sum over m of e^-d(u,m), and 1 for u itself (the paper's formula) or e^-d(u,v) (gensim's),
 *
 * every point moved by one of the three updates against its gradient. The trainer of the library does the same a hundred times
 * faster, but goes through the edges in an order of its own; here they are drawn uniformly. Formulas are those of docs/math.md in
 * plain double: tests/unit/cli/test_cli_descent.c holds a step to the one made of the library's log and updates. */
#include "paper_descent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this depth (gap 2^-36: distance 26) walks are left to the library, which keeps all digits there. */
static const double deep = 0x1p-36;

bool paper_points_start(paper_points *at, size_t nodes, int dim, uint64_t seed) {
  const size_t row = (size_t)dim;
  geodisk_random start = geodisk_random_stream(seed, 0);
  *at = (paper_points){.ball = geodisk_unit_ball(dim), .nodes = nodes};
  at->x = geodisk_allocate(2 * nodes * (row + 1), sizeof *at->x);
  if (at->x == NULL)
    return false;
  at->moved = at->x + nodes * row;
  at->gap = at->moved + nodes * row;
  at->weight = at->gap + nodes;
  for (size_t i = 0; i < nodes * row; i++)
    at->x[i] = 0.001 * (2 * geodisk_random_uniform(&start) - 1);
  for (size_t i = 0; i < nodes; i++)
    at->gap[i] = geodisk_gap(&at->ball, at->x + i * row);
  return true;
}

void paper_points_end(paper_points *at) {
  free(at->x);
  at->x = NULL;
}

/* exp_x of the distance `length` in the direction of the unit vector n: x + S t z / |z|^2 with t = tanh(length / 2), z = n + t x.
 * With rho = |x| and 1 - t rho = (1-t) + t (1-rho), |z|^2 = (1 - t rho)^2 + t rho |n + x/rho|^2 does not cancel. Far out the gap
 * says how deep x is and x the direction only; near the centre x has both. */
static void walk(const geodisk_ball *ball, const double *x, double gap, const double *n, double length, double *out,
                 double *out_gap) {
  const int dim = ball->dim;
  double square = 0, bend = 0, z[PAPER_MOST_DIM];
  for (int i = 0; i < dim; i++)
    square += x[i] * x[i];
  const double size = sqrt(square), rho = gap < 0.5 ? sqrt(1 - gap) : size, S = gap < 0.5 ? gap : 1 - square;
  const double e = expm1(length), t = e / (e + 2), rest = 2 / (e + 2), turn = rest + t * S / (1 + rho);
  const double unit = size > 0 ? 1 / size : 0;
  for (int i = 0; i < dim; i++) {
    const double sum = n[i] + x[i] * unit;
    bend += sum * sum;
    z[i] = sum - turn * x[i] * unit;
  }
  if (!(size > 0)) { /* at the centre there is no bend */
    memcpy(z, n, (size_t)dim * sizeof *n);
    bend = 0;
  }
  const double norm = size > 0 ? turn * turn + t * rho * bend : 1, new_gap = S * rest * (2 - rest) / norm;
  if (gap < deep || new_gap < deep) {
    double step[PAPER_MOST_DIM];
    for (int i = 0; i < dim; i++)
      step[i] = length * gap / 2 * n[i];
    geodisk_exp_gap(ball, x, gap, step, out, out_gap);
    return;
  }
  const double share = S * t / norm, scale = rho * unit;
  for (int i = 0; i < dim; i++)
    out[i] = scale * x[i] + share * z[i];
  *out_gap = new_gap;
}

/* Moves (x, gap) the signed distance `length` in the direction of the unit vector n, under a rule. */
static void move(const geodisk_ball *ball, geodisk_update rule, const double *x, double gap, const double *n, double length,
                 double *out, double *out_gap) {
  double step[PAPER_MOST_DIM];
  const double factor = rule == GEODISK_UPDATE_GEODESIC ? (length < 0 ? -1 : 1) : length * gap / 2;
  for (int i = 0; i < ball->dim; i++)
    step[i] = factor * n[i];
  if (rule == GEODISK_UPDATE_GEODESIC)
    walk(ball, x, gap, step, fabs(length), out, out_gap);
  else
    geodisk_update_point(ball, rule, GEODISK_MARGIN_DEFAULT, x, gap, step, out, out_gap);
}

/* What u and m are to each other, from |D|^2 for D = m - u and their gaps S, T: q = |D|^2 / (S T) = sinh^2(d/2). */
typedef struct sight {
  double square, root, q; /* |D|^2, |D| sqrt(|D|^2 + S T), q */
} sight;

static sight sight_of(const paper_points *at, uint32_t u, uint32_t m) {
  const size_t row = (size_t)at->ball.dim;
  const double *x = at->x + u * row, *y = at->x + m * row, gaps = at->gap[u] * at->gap[m];
  double square = 0;
  for (size_t i = 0; i < row; i++)
    square += (y[i] - x[i]) * (y[i] - x[i]);
  return (sight){square, sqrt(square * (square + gaps)), square / gaps};
}

/* Moves m against `pull` times the gradient of d(u, m) into a slot, and adds the same for u to `along`. The unit tangent at u
 * towards m is (S D - |D|^2 u) / root, that at m towards u (-T D - |D|^2 m) / root. */
static void move_one(paper_points *at, const paper_step *s, size_t slot, uint32_t m, double pull, double *along) {
  const size_t row = (size_t)at->ball.dim;
  const double *x = at->x + s->u * row, *y = at->x + m * row, S = at->gap[s->u], T = at->gap[m];
  const sight seen = sight_of(at, s->u, m);
  double n[PAPER_MOST_DIM];
  if (!(seen.root > 0)) { /* two points in one place: there is no direction */
    memcpy(at->moved + slot * row, y, row * sizeof *y);
    at->weight[slot] = T;
    return;
  }
  const double inverse = 1 / seen.root, factor = s->rate * pull * S / 2;
  for (size_t i = 0; i < row; i++) {
    const double d = y[i] - x[i];
    along[i] += factor * ((S * d - seen.square * x[i]) * inverse);
    n[i] = (-T * d - seen.square * y[i]) * inverse;
  }
  move(&at->ball, s->update, y, T, n, s->rate * pull, at->moved + slot * row, &at->weight[slot]);
}

/* u moves by what the others add up to. */
static void move_source(paper_points *at, const paper_step *s, const double *along) {
  const size_t row = (size_t)at->ball.dim;
  double *x = at->x + s->u * row, *gap = &at->gap[s->u], n[PAPER_MOST_DIM], square = 0;
  for (size_t i = 0; i < row; i++)
    square += along[i] * along[i];
  const double size = sqrt(square);
  if (size == 0)
    return;
  for (size_t i = 0; i < row; i++)
    n[i] = along[i] / size;
  move(&at->ball, s->update, x, *gap, n, 2 * size / *gap, x, gap);
}

double paper_edge_step(paper_points *at, const paper_step *s) {
  const size_t row = (size_t)at->ball.dim;
  const double nearness = sight_of(at, s->u, s->v).q, distance = 2 * asinh(sqrt(nearness));
  double along[PAPER_MOST_DIM] = {0}, sum = 0;
  /* Slot 0 is v, the others follow. All pulls come from the points before the step. e^-d = 1 / (sqrt(1+q) + sqrt q)^2. */
  for (size_t k = 0; k <= s->n_others; k++) {
    const double q = k == 0 ? nearness : sight_of(at, s->u, s->others[k - 1]).q, e = sqrt(1 + q) + sqrt(q);
    at->weight[k] = 1 / (e * e);
    sum += k == 0 && s->complement ? 1 : at->weight[k];
  }
  for (size_t k = 0; k <= s->n_others; k++) {
    const double share = at->weight[k] / sum, pull = k > 0 ? -share : s->complement ? 1 : 1 - share;
    move_one(at, s, k, k == 0 ? s->v : s->others[k - 1], pull, along);
  }
  move_source(at, s, along);
  for (size_t k = 0; k <= s->n_others; k++) {
    const uint32_t m = k == 0 ? s->v : s->others[k - 1];
    memcpy(at->x + m * row, at->moved + k * row, row * sizeof *at->x);
    at->gap[m] = at->weight[k];
  }
  return distance + log(sum);
}
