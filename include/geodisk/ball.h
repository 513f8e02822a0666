/* geodisk/ball.h - the ball model of hyperbolic space: distance, exponential map, logarithm, transport, and friends.
 *
 * The ball of radius R and sectional curvature -k holds the points |x| < R. With the gap S(x) = R^2 - |x|^2,
 *
 *     metric factor   lam(x) = 2R / (S(x) sqrt(k))        the length of a tangent v at x is lam(x) |v|
 *     distance        d(x,y) = (2/sqrt(k)) asinh( R |x-y| / sqrt(S(x) S(y)) )
 *     gradient        grad f = df / lam^2                 (df: the Euclidean gradient)
 *
 * (Other programs' "curvature c" is R = 1/sqrt(c), k = c.) Tangents are given in the ball's coordinates.
 *
 * All functions up to "batches" are pure: no allocation, no state, any dim from 1 up. A point on or outside the rim, a ball with
 * radius or curvature <= 0 (or dim < 1), a NaN or an infinite number gives NaN (in every entry of `out`). Zero vectors, equal
 * points, the origin, denormals and steps of any finite length are fine; every point returned lies strictly inside the ball. A
 * number too large for its type is infinite. The unit of length does not matter: with R, points and tangents times a power of two
 * the answers are the same to the last bit. Where a function has several array arguments, `out` may be any of the inputs.
 *
 * Accuracy, over the whole ball (gaps down to 2^-53 R^2, dim 1 to 300, R 1e-3 to 1e6, k 1e-2 to 3): points within 4 * 2^-53 R of
 * the exact answer, everything else within 4 * 2^-53 relative (vectors: of their length). `make accuracy` prints what is
 * measured; docs/numerics.md shows it. The float twins (suffix f, at the end) keep the same in units of 2^-24.
 *
 * For example:
 *     geodisk_ball ball = geodisk_unit_ball(2);
 *     double x[2] = {0.5, 0.0}, v[2] = {0.0, 0.1}, y[2];
 *     geodisk_exp(&ball, x, v, y);                    // walk from x along v
 *     double d = geodisk_distance(&ball, x, y);       // = geodisk_norm(&ball, x, v)
 */
#ifndef GEODISK_BALL_H
#define GEODISK_BALL_H

#include "geodisk/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct geodisk_ball {
  int dim;          /* >= 1 */
  double radius;    /* R > 0 */
  double curvature; /* k > 0: the sectional curvature is -k */
} geodisk_ball;

/* The ball of radius 1 and curvature -1, the paper's and gensim's. */
GEODISK_API geodisk_ball geodisk_unit_ball(int dim);

/* Whether dim >= 1 and radius and curvature are finite and > 0. */
GEODISK_API bool geodisk_ball_valid(const geodisk_ball *ball);

/* ---- the metric ---------------------------------------------------------------------------------------------------- */

/* S(x) = R^2 - |x|^2: summed exactly enough (in three cascaded terms) to have all digits however small it is, then rounded once.
 * Where R^2 is out of range, the gap can be: infinite, denormal or 0. */
GEODISK_API double geodisk_gap(const geodisk_ball *ball, const double *x);

/* lam(x) = 2R / (S sqrt(k)). */
GEODISK_API double geodisk_metric_factor(const geodisk_ball *ball, const double *x);

/* <u,v> = lam^2 u.v,  |v| lam,  and the angle between u and v in [0, pi] (NaN if one is zero). */
GEODISK_API double geodisk_inner(const geodisk_ball *ball, const double *x, const double *u, const double *v);
GEODISK_API double geodisk_norm(const geodisk_ball *ball, const double *x, const double *v);
GEODISK_API double geodisk_angle(const geodisk_ball *ball, const double *x, const double *u, const double *v);

/* The Riemannian gradient from a Euclidean one: out = df / lam^2. */
GEODISK_API void geodisk_gradient(const geodisk_ball *ball, const double *x, const double *df, double *out);

/* ---- distance, exp, log and what follows from them ----------------------------------------------------------------- */

GEODISK_API double geodisk_distance(const geodisk_ball *ball, const double *x, const double *y);

/* The Riemannian gradients of d(x,y) in x and in y: unit tangents pointing away from the other point. Either output may be
 * NULL. Zero vectors for x = y. */
GEODISK_API void geodisk_distance_gradient(const geodisk_ball *ball, const double *x, const double *y, double *grad_x,
                                           double *grad_y);

/* The Hessian of d(., y)^2 / 2 at x applied to a tangent v: v along the geodesic to y is kept, v across it is multiplied by
 * theta coth(theta), theta = sqrt(k) d. */
GEODISK_API void geodisk_hessian(const geodisk_ball *ball, const double *x, const double *y, const double *v, double *out);

/* The exponential map: the point reached from x along the geodesic that starts with v, after the length of v. */
GEODISK_API void geodisk_exp(const geodisk_ball *ball, const double *x, const double *v, double *out);

/* Its inverse: the tangent at x whose exp is y. */
GEODISK_API void geodisk_log(const geodisk_ball *ball, const double *x, const double *y, double *out);

/* The point a share t of the way from x to y: exactly x and y for t = 0 and 1; t outside [0,1] extends the geodesic. */
GEODISK_API void geodisk_geodesic(const geodisk_ball *ball, const double *x, const double *y, double t, double *out);

/* Parallel transport of the tangent v from x to y along their geodesic. */
GEODISK_API void geodisk_transport(const geodisk_ball *ball, const double *x, const double *y, const double *v, double *out);

/* ---- half-spaces: what lies below a point --------------------------------------------------------------------------- */

/* The score d(p,c) - d(o,c) of "c is below p", o the `centre` (NULL: the origin). Where it is below 0, c is nearer to p than to
 * the centre: in the half-space around p that the perpendicular bisector of o and p cuts off; along the ray from o through p and
 * beyond it is -d(o,p), opposite it is d(o,p), and never outside these two. With the Gromov product (p|c) seen from o it is
 * d(o,p) - 2 (p|c). Accuracy: as above from the origin; from another
 * centre unless the two distances agree to 40 bits or more. */
GEODISK_API double geodisk_half_space_score(const geodisk_ball *ball, const double *centre /* or NULL */, const double *p,
                                            const double *c);

/* Its Riemannian gradients in p, the unit tangent away from c, and in c, the unit tangent away from p less the one away from the
 * centre. Either output may be NULL. Of equal points the part that has no direction is 0. */
GEODISK_API void geodisk_half_space_gradient(const geodisk_ball *ball, const double *centre /* or NULL */, const double *p,
                                             const double *c, double *grad_p, double *grad_c);

/* ---- Moebius operations -------------------------------------------------------------------------------------------- */

/* x (+) y. y -> x (+) y is the isometry that carries the origin to x along their geodesic without turning. */
GEODISK_API void geodisk_mobius_add(const geodisk_ball *ball, const double *x, const double *y, double *out);

/* s (x) x: the point on the ray through x at s times its distance from the origin. */
GEODISK_API void geodisk_mobius_scale(const geodisk_ball *ball, double s, const double *x, double *out);

/* The gyration gyr[x,y] v, the rotation by which (+) fails to associate: x (+) (y (+) z) = (x (+) y) (+) gyr[x,y] z. */
GEODISK_API void geodisk_gyration(const geodisk_ball *ball, const double *x, const double *y, const double *v, double *out);

/* The isometry that carries `centre` to the origin, applied to x: (-centre) (+) x. Its inverse is
 * geodisk_mobius_add(ball, centre, x, out). */
GEODISK_API void geodisk_centre(const geodisk_ball *ball, const double *centre, const double *x, double *out);

/* ---- other updates, for comparison --------------------------------------------------------------------------------- */

/* Pulls a point to |x| <= R (1 - margin) along its ray if it is outside (margin in (0,1)); returns whether it was. Any finite x
 * is allowed here. */
GEODISK_API bool geodisk_project(const geodisk_ball *ball, const double *x, double margin, double *out);

/* The natural-gradient retraction: project(x + v). Not a geodesic; see docs/math.md on its bias. */
GEODISK_API bool geodisk_retract(const geodisk_ball *ball, const double *x, const double *v, double margin, double *out);

/* The paper's Theorem 1 with its square root restored: exp_x(v) in another closed form. Right only where
 * geodisk_theorem1_holds(): elsewhere the geodesic turns by more than 90 degrees and the formula lands on the wrong point.
 * Provided for comparison; not held to the accuracy above. See docs/errata.md. */
GEODISK_API void geodisk_exp_theorem1(const geodisk_ball *ball, const double *x, const double *v, double *out);
GEODISK_API bool geodisk_theorem1_holds(const geodisk_ball *ball, const double *x, const double *v);

/* ---- other models and radii ---------------------------------------------------------------------------------------- */

/* The hyperboloid -t^2 + |s|^2 = -1/k: dim+1 numbers, time first. from_lorentz reads the space part; time must be > 0. `out` may
 * not overlap the input here. */
GEODISK_API void geodisk_to_lorentz(const geodisk_ball *ball, const double *x, double *out /* dim+1 */);
GEODISK_API void geodisk_from_lorentz(const geodisk_ball *ball, const double *p /* dim+1 */, double *out);

/* The Klein model in the same ball: geodesics are straight. */
GEODISK_API void geodisk_to_klein(const geodisk_ball *ball, const double *x, double *out);
GEODISK_API void geodisk_from_klein(const geodisk_ball *ball, const double *p, double *out);

/* The upper half-space, height last, metric |dp|^2 / (k height^2); the ball's origin is (0,...,0,1) and the rim's point
 * (0,...,0,R) is infinity. */
GEODISK_API void geodisk_to_halfspace(const geodisk_ball *ball, const double *x, double *out);
GEODISK_API void geodisk_from_halfspace(const geodisk_ball *ball, const double *p, double *out);

/* The distance r from the origin, the gap S and the Euclidean radius e = |x| of a point say the same:
 *     S = R^2 - e^2 = R^2 sech^2(sqrt(k) r / 2),   e = R tanh(sqrt(k) r / 2).
 * The gap keeps its digits to the rim, up to sqrt(k) r = 709.78 + 2 log R, where it becomes denormal (float: 88.72 + 2 log R);
 * from sqrt(k) r = 746.5 + 2 log R on it is 0 (float: 105.4 + 2 log R). e keeps its digits to the origin, r everywhere. The
 * radius of a gap or an e that does not belong to the ball is NaN; e < R always. */
GEODISK_API double geodisk_radius_from_gap(const geodisk_ball *ball, double gap);
GEODISK_API double geodisk_radius_from_euclidean(const geodisk_ball *ball, double euclidean);
GEODISK_API double geodisk_gap_from_radius(const geodisk_ball *ball, double radius);
GEODISK_API double geodisk_gap_from_euclidean(const geodisk_ball *ball, double euclidean);
GEODISK_API double geodisk_euclidean_from_radius(const geodisk_ball *ball, double radius);
GEODISK_API double geodisk_euclidean_from_gap(const geodisk_ball *ball, double gap);

/* ---- points as (x, gap): nothing saturates at the rim --------------------------------------------------------------- */

/* A point is its coordinates and its gap S, 0 < S <= R^2. Beyond |x|^2 = R^2/2 the gap says how far out the point is and x only
 * in which direction; nearer to the origin the coordinates say both. So points may lie far deeper than coordinates can tell:
 * their direction is known to 2^-53 and their radius to full precision. The radial part of a result comes from the gaps alone, so
 * walks along one ray are exact to radius 600 and back. The greatest radius is that of the smallest normal gap, sqrt(k) r =
 * 709.78 + 2 log R (float: 88.72 + 2 log R; at most 951): a walk that would go deeper ends there, with that gap. R must be
 * between 1e-150 and 1e150 (float: 1e-18 and 1e18), so that R^2 is in range. Directions closer than 2^-50 are the same to
 * rounding, and count as the same where that matters: when one point is deeper than its coordinates resolve (S < 2^-51 R^2), or
 * deeper than S < 2^-27.5 R^2 and the gaps differ by more than a factor of 2. (Float: 2^-21, 2^-22, 2^-13.) A gap that does not
 * belong to the ball, or NaN, gives NaN. `out_gap` may be NULL. */
GEODISK_API double geodisk_distance_gap(const geodisk_ball *ball, const double *x, double x_gap, const double *y, double y_gap);
/* out[i] = geodisk_distance_gap(ball, x, x_gap, y_i, y_gap[i]), the same number in about three fifths of the time. */
GEODISK_API void geodisk_distances_gap(const geodisk_ball *ball, const double *x, double x_gap, size_t n,
                                       const double *y /* n x dim */, const double *y_gap /* n */, double *out /* n */);
/* Also the gradients of the distance, which it returns; either output may be NULL. */
GEODISK_API double geodisk_distance_gradient_gap(const geodisk_ball *ball, const double *x, double x_gap, const double *y,
                                                 double y_gap, double *grad_x, double *grad_y);
GEODISK_API void geodisk_exp_gap(const geodisk_ball *ball, const double *x, double x_gap, const double *v, double *out,
                                 double *out_gap);
GEODISK_API void geodisk_log_gap(const geodisk_ball *ball, const double *x, double x_gap, const double *y, double y_gap,
                                 double *out);
GEODISK_API void geodisk_geodesic_gap(const geodisk_ball *ball, const double *x, double x_gap, const double *y, double y_gap,
                                      double t, double *out, double *out_gap);
GEODISK_API void geodisk_transport_gap(const geodisk_ball *ball, const double *x, double x_gap, const double *y, double y_gap,
                                       const double *v, double *out);
/* The centre of a score is given by its coordinates alone. */
GEODISK_API double geodisk_half_space_score_gap(const geodisk_ball *ball, const double *centre /* or NULL */, const double *p,
                                                double p_gap, const double *c, double c_gap);
GEODISK_API void geodisk_half_space_gradient_gap(const geodisk_ball *ball, const double *centre /* or NULL */, const double *p,
                                                 double p_gap, const double *c, double c_gap, double *grad_p, double *grad_c);

/* ---- random points ------------------------------------------------------------------------------------------------- */

/* Uniform (by hyperbolic volume) in the hyperbolic ball of the given radius >= 0 around the origin. */
GEODISK_API void geodisk_random_in_ball(const geodisk_ball *ball, geodisk_random *random, double radius, double *out,
                                        double *out_gap /* or NULL */);

/* The wrapped normal distribution: a normal tangent at the origin (standard deviation sigma >= 0, in hyperbolic length, in each
 * of dim directions), carried to `mean` (NULL: the origin) and walked along. */
GEODISK_API void geodisk_random_wrapped_normal(const geodisk_ball *ball, geodisk_random *random, const double *mean, double sigma,
                                               double *out, double *out_gap /* or NULL */);

/* ---- batches: threaded and vectorised ------------------------------------------------------------------------------ */

/* Arrays are row-major, n rows of dim numbers. `context` gives the threads (NULL: this one). Gaps may be NULL: they are then
 * computed from the coordinates. The result of a row depends on that row alone, so it is bit-identical for any number of threads
 * and any n. Bad rows give NaN in that row. Accuracy: distances within 16 * 2^-53 relative, points within 16 * 2^-53 R, on every
 * instruction set, of the single functions above; float within 2 * 2^-24. */

/* out[i] = d(x, y_i);  the same as sinh^2(sqrt(k) d / 2), which orders alike and needs no logarithm. */
GEODISK_API void geodisk_distance_many(geodisk_context *context, const geodisk_ball *ball, const double *x, size_t n,
                                       const double *y /* n x dim */, const double *y_gap /* n or NULL */, double *out /* n */);
GEODISK_API void geodisk_sinh2_many(geodisk_context *context, const geodisk_ball *ball, const double *x, size_t n,
                                    const double *y /* n x dim */, const double *y_gap /* n or NULL */, double *out /* n */);

/* out[i] = d(x_i, y_i). */
GEODISK_API void geodisk_distance_rows(geodisk_context *context, const geodisk_ball *ball, size_t n,
                                       const double *x /* n x dim */, const double *y /* n x dim */, double *out /* n */);

/* out[i*m + j] = d(x_i, y_j). y may be x. */
GEODISK_API void geodisk_distance_all(geodisk_context *context, const geodisk_ball *ball, size_t n, const double *x /* n x dim */,
                                      size_t m, const double *y /* m x dim */, double *out /* n x m */);

/* out[i] = d(p, c_i) - d(o, c_i), and d(p_i, c_i) - d(o, c_i), o the centre: within 32 * 2^-53 of the larger distance. */
GEODISK_API void geodisk_half_space_score_many(geodisk_context *context, const geodisk_ball *ball,
                                               const double *centre /* or NULL */, const double *p, size_t n,
                                               const double *c /* n x dim */, const double *c_gap /* n or NULL */,
                                               double *out /* n */);
GEODISK_API void geodisk_half_space_score_rows(geodisk_context *context, const geodisk_ball *ball,
                                               const double *centre /* or NULL */, size_t n, const double *p /* n x dim */,
                                               const double *c /* n x dim */, double *out /* n */);

/* out_i = exp at x_i of v_i. out may be x or v. out_gap: n numbers or NULL. */
GEODISK_API void geodisk_exp_many(geodisk_context *context, const geodisk_ball *ball, size_t n, const double *x /* n x dim */,
                                  const double *v /* n x dim */, double *out /* n x dim */, double *out_gap /* n or NULL */);

/* One step of gradient descent from Euclidean gradients df_i with learning rate lr: the geodesic update exp_x(-lr grad f), and
 * the natural-gradient update project(x - lr grad f), which returns how many rows were projected. out may be x or df. */
GEODISK_API void geodisk_geodesic_step_many(geodisk_context *context, const geodisk_ball *ball, size_t n,
                                            const double *x /* n x dim */, const double *df /* n x dim */, double lr,
                                            double *out /* n x dim */);
GEODISK_API size_t geodisk_natural_step_many(geodisk_context *context, const geodisk_ball *ball, size_t n,
                                             const double *x /* n x dim */, const double *df /* n x dim */, double lr,
                                             double margin, double *out /* n x dim */);

/* ---- float twins ---------------------------------------------------------------------------------------------------- */

/* The same functions on float arrays. They compute in double and round once; the ball stays a geodisk_ball. */
GEODISK_API float geodisk_gapf(const geodisk_ball *ball, const float *x);
GEODISK_API float geodisk_metric_factorf(const geodisk_ball *ball, const float *x);
GEODISK_API float geodisk_innerf(const geodisk_ball *ball, const float *x, const float *u, const float *v);
GEODISK_API float geodisk_normf(const geodisk_ball *ball, const float *x, const float *v);
GEODISK_API float geodisk_anglef(const geodisk_ball *ball, const float *x, const float *u, const float *v);
GEODISK_API void geodisk_gradientf(const geodisk_ball *ball, const float *x, const float *df, float *out);
GEODISK_API float geodisk_distancef(const geodisk_ball *ball, const float *x, const float *y);
GEODISK_API void geodisk_distance_gradientf(const geodisk_ball *ball, const float *x, const float *y, float *grad_x,
                                            float *grad_y);
GEODISK_API void geodisk_hessianf(const geodisk_ball *ball, const float *x, const float *y, const float *v, float *out);
GEODISK_API void geodisk_expf(const geodisk_ball *ball, const float *x, const float *v, float *out);
GEODISK_API void geodisk_logf(const geodisk_ball *ball, const float *x, const float *y, float *out);
GEODISK_API void geodisk_geodesicf(const geodisk_ball *ball, const float *x, const float *y, float t, float *out);
GEODISK_API void geodisk_transportf(const geodisk_ball *ball, const float *x, const float *y, const float *v, float *out);
GEODISK_API void geodisk_mobius_addf(const geodisk_ball *ball, const float *x, const float *y, float *out);
GEODISK_API void geodisk_mobius_scalef(const geodisk_ball *ball, float s, const float *x, float *out);
GEODISK_API void geodisk_gyrationf(const geodisk_ball *ball, const float *x, const float *y, const float *v, float *out);
GEODISK_API void geodisk_centref(const geodisk_ball *ball, const float *centre, const float *x, float *out);
GEODISK_API bool geodisk_projectf(const geodisk_ball *ball, const float *x, float margin, float *out);
GEODISK_API bool geodisk_retractf(const geodisk_ball *ball, const float *x, const float *v, float margin, float *out);
GEODISK_API void geodisk_exp_theorem1f(const geodisk_ball *ball, const float *x, const float *v, float *out);
GEODISK_API bool geodisk_theorem1_holdsf(const geodisk_ball *ball, const float *x, const float *v);
GEODISK_API void geodisk_to_lorentzf(const geodisk_ball *ball, const float *x, float *out);
GEODISK_API void geodisk_from_lorentzf(const geodisk_ball *ball, const float *p, float *out);
GEODISK_API void geodisk_to_kleinf(const geodisk_ball *ball, const float *x, float *out);
GEODISK_API void geodisk_from_kleinf(const geodisk_ball *ball, const float *p, float *out);
GEODISK_API void geodisk_to_halfspacef(const geodisk_ball *ball, const float *x, float *out);
GEODISK_API void geodisk_from_halfspacef(const geodisk_ball *ball, const float *p, float *out);
GEODISK_API float geodisk_radius_from_gapf(const geodisk_ball *ball, float gap);
GEODISK_API float geodisk_radius_from_euclideanf(const geodisk_ball *ball, float euclidean);
GEODISK_API float geodisk_gap_from_radiusf(const geodisk_ball *ball, float radius);
GEODISK_API float geodisk_gap_from_euclideanf(const geodisk_ball *ball, float euclidean);
GEODISK_API float geodisk_euclidean_from_radiusf(const geodisk_ball *ball, float radius);
GEODISK_API float geodisk_euclidean_from_gapf(const geodisk_ball *ball, float gap);
GEODISK_API float geodisk_distance_gapf(const geodisk_ball *ball, const float *x, float x_gap, const float *y, float y_gap);
GEODISK_API void geodisk_distances_gapf(const geodisk_ball *ball, const float *x, float x_gap, size_t n,
                                        const float *y /* n x dim */, const float *y_gap /* n */, float *out /* n */);
GEODISK_API float geodisk_distance_gradient_gapf(const geodisk_ball *ball, const float *x, float x_gap, const float *y,
                                                 float y_gap, float *grad_x, float *grad_y);
GEODISK_API void geodisk_exp_gapf(const geodisk_ball *ball, const float *x, float x_gap, const float *v, float *out,
                                  float *out_gap);
GEODISK_API void geodisk_log_gapf(const geodisk_ball *ball, const float *x, float x_gap, const float *y, float y_gap, float *out);
GEODISK_API void geodisk_geodesic_gapf(const geodisk_ball *ball, const float *x, float x_gap, const float *y, float y_gap,
                                       float t, float *out, float *out_gap);
GEODISK_API void geodisk_transport_gapf(const geodisk_ball *ball, const float *x, float x_gap, const float *y, float y_gap,
                                        const float *v, float *out);
GEODISK_API void geodisk_random_in_ballf(const geodisk_ball *ball, geodisk_random *random, float radius, float *out,
                                         float *out_gap);
GEODISK_API void geodisk_random_wrapped_normalf(const geodisk_ball *ball, geodisk_random *random, const float *mean, float sigma,
                                                float *out, float *out_gap);
GEODISK_API void geodisk_distance_manyf(geodisk_context *context, const geodisk_ball *ball, const float *x, size_t n,
                                        const float *y, const float *y_gap, float *out);
GEODISK_API void geodisk_sinh2_manyf(geodisk_context *context, const geodisk_ball *ball, const float *x, size_t n, const float *y,
                                     const float *y_gap, float *out);
GEODISK_API void geodisk_distance_rowsf(geodisk_context *context, const geodisk_ball *ball, size_t n, const float *x,
                                        const float *y, float *out);
GEODISK_API void geodisk_distance_allf(geodisk_context *context, const geodisk_ball *ball, size_t n, const float *x, size_t m,
                                       const float *y, float *out);
GEODISK_API float geodisk_half_space_scoref(const geodisk_ball *ball, const float *centre, const float *p, const float *c);
GEODISK_API void geodisk_half_space_gradientf(const geodisk_ball *ball, const float *centre, const float *p, const float *c,
                                              float *grad_p, float *grad_c);
GEODISK_API float geodisk_half_space_score_gapf(const geodisk_ball *ball, const float *centre, const float *p, float p_gap,
                                                const float *c, float c_gap);
GEODISK_API void geodisk_half_space_gradient_gapf(const geodisk_ball *ball, const float *centre, const float *p, float p_gap,
                                                  const float *c, float c_gap, float *grad_p, float *grad_c);
GEODISK_API void geodisk_half_space_score_manyf(geodisk_context *context, const geodisk_ball *ball, const float *centre,
                                                const float *p, size_t n, const float *c, const float *c_gap, float *out);
GEODISK_API void geodisk_half_space_score_rowsf(geodisk_context *context, const geodisk_ball *ball, const float *centre, size_t n,
                                                const float *p, const float *c, float *out);
GEODISK_API void geodisk_exp_manyf(geodisk_context *context, const geodisk_ball *ball, size_t n, const float *x, const float *v,
                                   float *out, float *out_gap);
GEODISK_API void geodisk_geodesic_step_manyf(geodisk_context *context, const geodisk_ball *ball, size_t n, const float *x,
                                             const float *df, float lr, float *out);
GEODISK_API size_t geodisk_natural_step_manyf(geodisk_context *context, const geodisk_ball *ball, size_t n, const float *x,
                                              const float *df, float lr, float margin, float *out);

#ifdef __cplusplus
}
#endif
#endif
