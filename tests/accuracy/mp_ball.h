/* mp_ball.h - every operation of geodisk/ball.h in multi-precision (MPFR), the answers the library is held to.
 *
 * Written apart from the library and by another road: points are lifted to the hyperboloid -t^2 + |s|^2 = -1 (scaled so that
 * radius and curvature drop out), everything happens there by linear algebra, and the result is dropped back into the ball. That
 * road cancels badly near the rim, which does not matter here: the precision is chosen per case (mp_precision.c).
 *
 * A vector is an mpfr_ptr to consecutive numbers (v + i is the i-th). No argument may overlap `out`. */
#ifndef GEODISK_TESTS_MP_BALL_H
#define GEODISK_TESTS_MP_BALL_H

#include <geodisk/ball.h>
#include <mpfr.h>

/* A ball with its working precision and a stack of scratch numbers. One per thread. */
typedef struct mp_ball {
  int dim;
  mpfr_prec_t precision;
  mpfr_ptr radius;    /* R */
  mpfr_ptr curvature; /* k */
  mpfr_ptr root;      /* sqrt(k) */
  mpfr_ptr pool;      /* the scratch numbers */
  size_t size, used;
} mp_ball;

/* Room for balls up to max_dim. Exits with a message when memory is out (tests only). */
void mp_ball_create(mp_ball *ball, int max_dim);
void mp_ball_set(mp_ball *ball, const geodisk_ball *from, mpfr_prec_t precision);
void mp_ball_destroy(mp_ball *ball);

/* Scratch: `n` numbers at the ball's precision, until the mark taken before is released. */
mpfr_ptr mp_take(mp_ball *ball, size_t n);
size_t mp_mark(const mp_ball *ball);
void mp_release(mp_ball *ball, size_t mark);

void mp_set_doubles(mpfr_ptr out, const double *from, size_t n);
void mp_dot(mp_ball *ball, mpfr_srcptr a, mpfr_srcptr b, size_t n, mpfr_ptr out);
void mp_length(mp_ball *ball, mpfr_srcptr a, size_t n, mpfr_ptr out);

/* ---- the metric ---- */
void mp_gap(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out);
void mp_metric_factor(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out);
void mp_inner(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr u, mpfr_srcptr v, mpfr_ptr out);
void mp_norm(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr v, mpfr_ptr out);
void mp_angle(mp_ball *ball, mpfr_srcptr u, mpfr_srcptr v, mpfr_ptr out);
void mp_gradient(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr df, mpfr_ptr out);

/* ---- on lifted points: dim+1 numbers, t - 1 first (so that the origin keeps its digits), then s ---- */
void mp_lift(mp_ball *ball, mpfr_srcptr x, mpfr_ptr p);
void mp_lift_gap(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr gap, mpfr_ptr p);      /* beyond |x|^2 = R^2/2 the gap decides */
void mp_drop(mp_ball *ball, mpfr_srcptr p, mpfr_ptr x);                           /* back into the ball */
void mp_drop_gap(mp_ball *ball, mpfr_srcptr p, mpfr_ptr gap);                     /* its gap, without forming x */
void mp_push(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr v, mpfr_ptr u);            /* a tangent v in the ball, lifted */
void mp_pull(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr u, mpfr_ptr v);            /* and back */
void mp_distance_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_ptr d); /* for curvature 1 */
void mp_exp_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr v, mpfr_ptr q);
void mp_log_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_ptr v);
void mp_geodesic_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_srcptr t, mpfr_ptr out);
void mp_transport_lifted(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr q, mpfr_srcptr v, mpfr_ptr out);

/* ---- distance, exp, log and what follows from them ---- */
void mp_distance(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out);
void mp_distance_gradient(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out); /* in x; swap for y */
void mp_half_space_score(mp_ball *ball, mpfr_srcptr p, mpfr_srcptr c, mpfr_ptr out);  /* from the origin */
void mp_hessian(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr v, mpfr_ptr out);
void mp_exp(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr v, mpfr_ptr out);
void mp_log(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out);
void mp_geodesic(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr t, mpfr_ptr out);
void mp_transport(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr v, mpfr_ptr out);

/* ---- Moebius operations (mp_models.c) ---- */
void mp_mobius_add(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_ptr out);
void mp_mobius_scale(mp_ball *ball, mpfr_srcptr s, mpfr_srcptr x, mpfr_ptr out);
void mp_gyration(mp_ball *ball, mpfr_srcptr x, mpfr_srcptr y, mpfr_srcptr v, mpfr_ptr out);
void mp_centre(mp_ball *ball, mpfr_srcptr centre, mpfr_srcptr x, mpfr_ptr out);

/* ---- other models and radii (mp_models.c) ---- */
void mp_to_lorentz(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out);
void mp_from_lorentz(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out);
void mp_to_klein(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out);
void mp_from_klein(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out);
void mp_to_halfspace(mp_ball *ball, mpfr_srcptr x, mpfr_ptr out);
void mp_from_halfspace(mp_ball *ball, mpfr_srcptr p, mpfr_ptr out);
void mp_radius_from_gap(mp_ball *ball, mpfr_srcptr gap, mpfr_ptr out);
void mp_radius_from_euclidean(mp_ball *ball, mpfr_srcptr euclidean, mpfr_ptr out);
void mp_gap_from_radius(mp_ball *ball, mpfr_srcptr radius, mpfr_ptr out);
void mp_gap_from_euclidean(mp_ball *ball, mpfr_srcptr euclidean, mpfr_ptr out);
void mp_euclidean_from_radius(mp_ball *ball, mpfr_srcptr radius, mpfr_ptr out);
void mp_euclidean_from_gap(mp_ball *ball, mpfr_srcptr gap, mpfr_ptr out);

#endif
