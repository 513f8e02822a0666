/* mp_ball.c - distance, exp, log, geodesic and transport in multi-precision, on the hyperboloid.
 *
 * With X = x/R a point lifts to t = (1+|X|^2)/(1-|X|^2), s = 2X/(1-|X|^2), and drops back by X = s/(1+t). A tangent V = v/R lifts
 * by the derivative of that map. The inner product is <(t,s),(t',s')> = s.s' - t t'; lengths there are sqrt(k) times ours. */
#include "mp_ball.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define RN MPFR_RNDN

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

enum { MP_VECTORS = 40 }; /* scratch vectors of dim+1 numbers that can be in use at a time */

void mp_ball_create(mp_ball *ball, int max_dim) {
  *ball = (mp_ball){.size = (size_t)MP_VECTORS * (size_t)(max_dim + 1) + 100};
  ball->pool = malloc(ball->size * sizeof *ball->pool);
  if (!ball->pool) {
    fprintf(stderr, "mp_ball: out of memory\n");
    exit(1);
  }
  mpfr_set_emax(mpfr_get_emax_max()); /* of this thread: steps of length 1e9 have exponents beyond the usual range */
  mpfr_set_emin(mpfr_get_emin_min());
  for (size_t i = 0; i < ball->size; i++)
    mpfr_init2(ball->pool + i, 64);
}

void mp_ball_destroy(mp_ball *ball) {
  for (size_t i = 0; i < ball->size; i++)
    mpfr_clear(ball->pool + i);
  free(ball->pool);
  mpfr_free_cache();
  *ball = (mp_ball){0};
}

mpfr_ptr mp_take(mp_ball *ball, size_t n) {
  mpfr_ptr from = ball->pool + ball->used;
  ball->used += n;
  if (ball->used > ball->size) {
    fprintf(stderr, "mp_ball: scratch numbers used up\n");
    abort();
  }
  for (size_t i = 0; i < n; i++)
    mpfr_set_prec(from + i, ball->precision);
  return from;
}

size_t mp_mark(const mp_ball *ball) { return ball->used; }
void mp_release(mp_ball *ball, size_t mark) { ball->used = mark; }

void mp_ball_set(mp_ball *ball, const geodisk_ball *from, mpfr_prec_t precision) {
  ball->dim = from->dim;
  ball->precision = precision;
  ball->used = 0;
  ball->radius = mp_take(ball, 3);
  ball->curvature = ball->radius + 1;
  ball->root = ball->radius + 2;
  mpfr_set_d(ball->radius, from->radius, RN);
  mpfr_set_d(ball->curvature, from->curvature, RN);
  mpfr_sqrt(ball->root, ball->curvature, RN);
}

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

void mp_set_doubles(mpfr_ptr out, const double *from, size_t n) {
  for (size_t i = 0; i < n; i++)
    mpfr_set_d(out + i, from[i], RN);
}

void mp_dot(mp_ball *ball, mpfr_srcptr a, mpfr_srcptr b, size_t n, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr product = mp_take(ball, 2), sum = product + 1;
  mpfr_set_zero(sum, 1);
  for (size_t i = 0; i < n; i++) {
    mpfr_mul(product, a + i, b + i, RN);
    mpfr_add(sum, sum, product, RN);
  }
  mpfr_set(out, sum, RN);
  mp_release(ball, mark);
}

void mp_length(mp_ball *ball, mpfr_srcptr a, size_t n, mpfr_ptr out) {
  mp_dot(ball, a, a, n, out);
  mpfr_sqrt(out, out, RN);
}

/* <a,b> of lifted tangents (their first number is the time part itself). */
static void lorentz(mp_ball *ball, mpfr_srcptr a, mpfr_srcptr b, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr time = mp_take(ball, 2), space = time + 1;
  mpfr_mul(time, a, b, RN);
  mp_dot(ball, a + 1, b + 1, (size_t)ball->dim, space);
  mpfr_sub(out, space, time, RN);
  mp_release(ball, mark);
}

/* ---- the metric ------------------------------------------------------------------------------------------------------ */

void mp_gap(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr square = mp_take(ball, 2), length = square + 1;
  mpfr_sqr(square, ball->radius, RN);
  mp_dot(ball, x, x, (size_t)ball->dim, length);
  mpfr_sub(out, square, length, RN);
  mp_release(ball, mark);
}

void mp_metric_factor(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr below = mp_take(ball, 1);
  mp_gap(ball, x, below);
  mpfr_mul(below, below, ball->root, RN);
  mpfr_mul_ui(out, ball->radius, 2, RN);
  mpfr_div(out, out, below, RN);
  mp_release(ball, mark);
}

void mp_inner(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr u, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr factor = mp_take(ball, 2), dot = factor + 1;
  mp_metric_factor(ball, x, factor);
  mpfr_sqr(factor, factor, RN);
  mp_dot(ball, u, v, (size_t)ball->dim, dot);
  mpfr_mul(out, factor, dot, RN);
  mp_release(ball, mark);
}

void mp_norm(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr v, mpfr_ptr out) {
  mp_inner(ball, x, v, v, out);
  mpfr_sqrt(out, out, RN);
}

/* atan2(|w|, |v| u.v) with w = u |v|^2 - v (u.v): |v|^2 times the part of u across v, and times the part along it. */
void mp_angle(mp_ball *ball, mpfr_srcptr u, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr dot = mp_take(ball, 4), square = dot + 1, across = dot + 2, product = dot + 3, w = mp_take(ball, n);
  mp_dot(ball, u, v, n, dot);
  mp_dot(ball, v, v, n, square);
  for (size_t i = 0; i < n; i++) {
    mpfr_mul(w + i, u + i, square, RN);
    mpfr_mul(product, v + i, dot, RN);
    mpfr_sub(w + i, w + i, product, RN);
  }
  mp_length(ball, w, n, across);
  mpfr_sqrt(square, square, RN);
  mpfr_mul(dot, dot, square, RN);
  mpfr_atan2(out, across, dot, RN);
  mp_release(ball, mark);
}

void mp_gradient(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr df, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr factor = mp_take(ball, 1);
  mp_metric_factor(ball, x, factor);
  mpfr_sqr(factor, factor, RN);
  for (int i = 0; i < ball->dim; i++)
    mpfr_div(out + i, df + i, factor, RN);
  mp_release(ball, mark);
}

/* ---- up to the hyperboloid and down ---------------------------------------------------------------------------------- */

void mp_lift(mp_ball *ball, mpfr_srcptr x, mpfr_ptr p) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr gap = mp_take(ball, 2), factor = gap + 1;
  mp_gap(ball, x, gap);
  mp_dot(ball, x, x, n, p);
  mpfr_mul_ui(p, p, 2, RN);
  mpfr_div(p, p, gap, RN); /* t - 1 = 2 |x|^2 / S */
  mpfr_mul_ui(factor, ball->radius, 2, RN);
  mpfr_div(factor, factor, gap, RN);
  for (size_t i = 0; i < n; i++)
    mpfr_mul(p + 1 + i, x + i, factor, RN); /* s = 2 R x / S */
  mp_release(ball, mark);
}

void mp_lift_gap(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr gap, mpfr_ptr p) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr square = mp_take(ball, 4), length = square + 1, g = square + 2, factor = square + 3;
  mpfr_sqr(square, ball->radius, RN);
  mp_dot(ball, x, x, n, length);
  mpfr_mul_ui(factor, length, 2, RN);
  if (mpfr_lessequal_p(factor, square)) {
    mp_lift(ball, x, p);
  } else {
    mpfr_div(g, gap, square, RN); /* 1 - |X|^2 */
    mpfr_ui_sub(p, 1, g, RN);
    mpfr_sqrt(factor, p, RN); /* |X| */
    mpfr_mul_ui(p, p, 2, RN);
    mpfr_div(p, p, g, RN);
    mpfr_mul_ui(factor, factor, 2, RN);
    mpfr_div(factor, factor, g, RN);
    mpfr_sqrt(length, length, RN);
    mpfr_div(factor, factor, length, RN); /* |s| / |x| */
    for (size_t i = 0; i < n; i++)
      mpfr_mul(p + 1 + i, x + i, factor, RN);
  }
  mp_release(ball, mark);
}

/* t + 1, which is also 2 / (1 - |X|^2). */
static void upper(mpfr_srcptr p, mpfr_ptr out) { mpfr_add_ui(out, p, 2, RN); }

void mp_drop(mp_ball *ball, mpfr_srcptr p, mpfr_ptr x) {
  size_t mark = mp_mark(ball);
  mpfr_ptr factor = mp_take(ball, 1);
  upper(p, factor);
  mpfr_div(factor, ball->radius, factor, RN);
  for (int i = 0; i < ball->dim; i++)
    mpfr_mul(x + i, p + 1 + i, factor, RN);
  mp_release(ball, mark);
}

void mp_drop_gap(mp_ball *ball, mpfr_srcptr p, mpfr_ptr gap) {
  size_t mark = mp_mark(ball);
  mpfr_ptr e = mp_take(ball, 1);
  upper(p, e);
  mpfr_sqr(gap, ball->radius, RN);
  mpfr_mul_ui(gap, gap, 2, RN);
  mpfr_div(gap, gap, e, RN);
  mp_release(ball, mark);
}

/* With V = v/R, q = s.V and e = t+1: the lifted tangent is (e q, e V + q s). */
void mp_push(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr v, mpfr_ptr u) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr e = mp_take(ball, 3), q = e + 1, along = e + 2;
  upper(p, e);
  mp_dot(ball, p + 1, v, n, q);
  mpfr_div(q, q, ball->radius, RN);
  mpfr_mul(u, e, q, RN);
  mpfr_div(e, e, ball->radius, RN);
  for (size_t i = 0; i < n; i++) {
    mpfr_mul(along, q, p + 1 + i, RN);
    mpfr_mul(u + 1 + i, e, v + i, RN);
    mpfr_add(u + 1 + i, u + 1 + i, along, RN);
  }
  mp_release(ball, mark);
}

/* The derivative of X = s/(1+t): V = u_s/e - s u_t/e^2. */
void mp_pull(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr u, mpfr_ptr v) {
  size_t mark = mp_mark(ball);
  mpfr_ptr e = mp_take(ball, 3), ratio = e + 1, along = e + 2;
  upper(p, e);
  mpfr_div(ratio, u, e, RN);
  mpfr_div(e, ball->radius, e, RN);
  for (int i = 0; i < ball->dim; i++) {
    mpfr_mul(along, ratio, p + 1 + i, RN);
    mpfr_sub(v + i, u + 1 + i, along, RN);
    mpfr_mul(v + i, v + i, e, RN);
  }
  mp_release(ball, mark);
}

/* ---- distance, exp, log on the hyperboloid --------------------------------------------------------------------------- */

/* sinh(d/2) = |p - q| / 2, and p - q itself. */
static void half_chord(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_ptr difference, mpfr_ptr out) {
  for (int i = 0; i <= ball->dim; i++)
    mpfr_sub(difference + i, q + i, p + i, RN);
  lorentz(ball, difference, difference, out);
  if (mpfr_sgn(out) < 0)
    mpfr_set_zero(out, 1);
  mpfr_sqrt(out, out, RN);
  mpfr_div_ui(out, out, 2, RN);
}

void mp_distance_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_ptr d) {
  size_t mark = mp_mark(ball);
  mpfr_ptr difference = mp_take(ball, (size_t)ball->dim + 1);
  half_chord(ball, p, q, difference, d);
  mpfr_asinh(d, d, RN);
  mpfr_mul_ui(d, d, 2, RN);
  mp_release(ball, mark);
}

/* q = p + (cosh L - 1)(point p) + (sinh L / L) u, where L = |u|. */
void mp_exp_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr v, mpfr_ptr q) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr u = mp_take(ball, n + 1), length = mp_take(ball, 4), c = length + 1, s = length + 2, term = length + 3;
  mp_push(ball, p, v, u);
  upper(p, length); /* |u| = e |V|, better than by its own inner product */
  mp_length(ball, v, n, s);
  mpfr_mul(length, length, s, RN);
  mpfr_div(length, length, ball->radius, RN);
  if (mpfr_zero_p(length)) {
    for (size_t i = 0; i <= n; i++)
      mpfr_set(q + i, p + i, RN);
  } else {
    mpfr_div_ui(c, length, 2, RN);
    mpfr_sinh(c, c, RN);
    mpfr_sqr(c, c, RN);
    mpfr_mul_ui(c, c, 2, RN); /* cosh L - 1 */
    mpfr_sinh(s, length, RN);
    mpfr_div(s, s, length, RN);
    for (size_t i = 0; i <= n; i++) {
      mpfr_mul(q + i, p + i, c, RN);
      mpfr_mul(term, u + i, s, RN);
      mpfr_add(q + i, q + i, term, RN);
      mpfr_add(q + i, q + i, p + i, RN);
    }
    mpfr_add(q, q, c, RN); /* the time part of the point p is 1 + p[0] */
  }
  mp_release(ball, mark);
}

/* u = (d / sinh d) ((q - p) - (cosh d - 1) p), pulled down. */
void mp_log_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_ptr v) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr u = mp_take(ball, n + 1), d = mp_take(ball, 4), c = d + 1, factor = d + 2, term = d + 3;
  half_chord(ball, p, q, u, d);
  if (mpfr_zero_p(d)) {
    for (size_t i = 0; i < n; i++)
      mpfr_set_zero(v + i, 1);
  } else {
    mpfr_sqr(c, d, RN);
    mpfr_mul_ui(c, c, 2, RN); /* cosh d - 1 */
    mpfr_asinh(d, d, RN);
    mpfr_mul_ui(d, d, 2, RN);
    mpfr_sinh(factor, d, RN);
    mpfr_div(factor, d, factor, RN);
    for (size_t i = 0; i <= n; i++) {
      mpfr_mul(term, c, p + i, RN);
      mpfr_sub(u + i, u + i, term, RN);
      if (i == 0)
        mpfr_sub(u, u, c, RN);
      mpfr_mul(u + i, u + i, factor, RN);
    }
    mp_pull(ball, p, u, v);
  }
  mp_release(ball, mark);
}

/* a p + b q with a = sinh((1-t) d)/sinh d, b = sinh(t d)/sinh d. */
void mp_geodesic_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_srcptr t, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr d = mp_take(ball, 5), a = d + 1, b = d + 2, s = d + 3, term = d + 4;
  mp_distance_lifted(ball, p, q, d);
  if (mpfr_zero_p(d)) {
    for (int i = 0; i <= ball->dim; i++)
      mpfr_set(out + i, p + i, RN);
  } else {
    mpfr_sinh(s, d, RN);
    mpfr_ui_sub(a, 1, t, RN);
    mpfr_mul(a, a, d, RN);
    mpfr_sinh(a, a, RN);
    mpfr_div(a, a, s, RN);
    mpfr_mul(b, t, d, RN);
    mpfr_sinh(b, b, RN);
    mpfr_div(b, b, s, RN);
    for (int i = 0; i <= ball->dim; i++) {
      mpfr_mul(out + i, a, p + i, RN);
      mpfr_mul(term, b, q + i, RN);
      mpfr_add(out + i, out + i, term, RN);
    }
    mpfr_add(out, out, a, RN); /* the times are 1 + p[0], 1 + q[0], 1 + out[0] */
    mpfr_add(out, out, b, RN);
    mpfr_sub_ui(out, out, 1, RN);
  }
  mp_release(ball, mark);
}

/* u + <q,u> / (1 - <p,q>) (p + q); 1 - <p,q> = 2 + <p-q,p-q>/2. */
void mp_transport_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr u = mp_take(ball, n + 1), difference = mp_take(ball, n + 1), below = mp_take(ball, 3), ratio = below + 1,
           term = below + 2;
  mp_push(ball, p, v, u);
  half_chord(ball, p, q, difference, below);
  mpfr_sqr(below, below, RN);
  mpfr_add_ui(below, below, 1, RN);
  mpfr_mul_ui(below, below, 2, RN);
  lorentz(ball, difference, u, ratio); /* <q,u> = <q-p,u>, as <p,u> = 0 */
  mpfr_div(ratio, ratio, below, RN);
  for (size_t i = 0; i <= n; i++) {
    mpfr_add(term, p + i, q + i, RN);
    if (i == 0)
      mpfr_add_ui(term, term, 2, RN);
    mpfr_mul(term, term, ratio, RN);
    mpfr_add(u + i, u + i, term, RN);
  }
  mp_pull(ball, q, u, out);
  mp_release(ball, mark);
}

/* ---- the same on points of the ball ---------------------------------------------------------------------------------- */

static mpfr_ptr lifted(mp_ball *ball, mpfr_srcptr x) {
  mpfr_ptr p = mp_take(ball, (size_t)ball->dim + 1);
  mp_lift(ball, x, p);
  return p;
}

void mp_distance(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted(ball, x), q = lifted(ball, y);
  mp_distance_lifted(ball, p, q, out);
  mpfr_div(out, out, ball->root, RN);
  mp_release(ball, mark);
}

void mp_exp(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted(ball, x), q = mp_take(ball, (size_t)ball->dim + 1);
  mp_exp_lifted(ball, p, v, q);
  mp_drop(ball, q, out);
  mp_release(ball, mark);
}

void mp_log(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted(ball, x), q = lifted(ball, y);
  mp_log_lifted(ball, p, q, out);
  mp_release(ball, mark);
}

/* -log / d: the unit tangent at x that points away from y; zero for x = y. */
void mp_distance_gradient(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr d = mp_take(ball, 1);
  mp_log(ball, x, y, out);
  mp_distance(ball, x, y, d);
  for (int i = 0; i < ball->dim && !mpfr_zero_p(d); i++) {
    mpfr_div(out + i, out + i, d, RN);
    mpfr_neg(out + i, out + i, RN);
  }
  mp_release(ball, mark);
}

/* d(p,c) - d(o,c), o the origin. */
void mp_half_space_score(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr c, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr origin = mp_take(ball, n), far = mp_take(ball, 1);
  for (size_t i = 0; i < n; i++)
    mpfr_set_zero(origin + i, 1);
  mp_distance(ball, p, c, out);
  mp_distance(ball, origin, c, far);
  mpfr_sub(out, out, far, RN);
  mp_release(ball, mark);
}

/* v along the geodesic is kept, the rest is multiplied by theta coth(theta); angles in the ball are Euclidean. */
void mp_hessian(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball), n = (size_t)ball->dim;
  mpfr_ptr to = mp_take(ball, n), theta = mp_take(ball, 5), factor = theta + 1, dot = theta + 2, square = theta + 3,
           along = theta + 4;
  mp_log(ball, x, y, to);
  mp_distance(ball, x, y, theta);
  mpfr_mul(theta, theta, ball->root, RN);
  if (mpfr_zero_p(theta)) {
    for (size_t i = 0; i < n; i++)
      mpfr_set(out + i, v + i, RN);
  } else {
    mpfr_coth(factor, theta, RN);
    mpfr_mul(factor, factor, theta, RN);
    mp_dot(ball, to, v, n, dot);
    mp_dot(ball, to, to, n, square);
    mpfr_div(dot, dot, square, RN);
    for (size_t i = 0; i < n; i++) {
      mpfr_mul(along, dot, to + i, RN);
      mpfr_sub(out + i, v + i, along, RN);
      mpfr_mul(out + i, out + i, factor, RN);
      mpfr_add(out + i, out + i, along, RN);
    }
  }
  mp_release(ball, mark);
}

void mp_geodesic(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr t, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted(ball, x), q = lifted(ball, y), z = mp_take(ball, (size_t)ball->dim + 1);
  mp_geodesic_lifted(ball, p, q, t, z);
  mp_drop(ball, z, out);
  mp_release(ball, mark);
}

void mp_transport(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr v, mpfr_ptr out) {
  size_t mark = mp_mark(ball);
  mpfr_ptr p = lifted(ball, x), q = lifted(ball, y);
  mp_transport_lifted(ball, p, q, v, out);
  mp_release(ball, mark);
}
