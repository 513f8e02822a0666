/* collect.c - bounds for plain distances, and the k nearest by accurate ones. */
#include "collect.h"
#include "base/sorting.h"
#include "base/squares.h"

#include <math.h>
#include <stdlib.h>

#include "kernel/flat_distance.h"

/* Points with a gap of at most half of R^2 take their radius from the gap (ball.h). The gap says that the point lies at
 * |x'| = sqrt(R^2 - S); |x' - x| = |S - S(x)| / (|x| + |x'|), and both are at least 0.7 R. */
#define GAP_RULES     0.5
#define LEAST_RADIUS  0.7
#define SAME_RAY      0x1p-49  /* directions closer than 2^-50 may count as the same (ball.h) */
#define LEAST_SQUARED 0x1p-500 /* of R: differences whose squares underflow are below this */

enum { SLACK_BLOCK = 4096, SLACK_BLOCKS = 256, EXACT_FROM = 4096, MEASURED = 16 };

/* ---- the points ------------------------------------------------------------------------------------------------------ */

/* How far a point's place may be from its coordinates. */
static double place_slack(const geodisk_ball *ball, double square, double gap) {
  const double whole = ball->radius * ball->radius;
  const double rounding = (ball->dim + 3) * 0x1p-53 * whole;
  double slack = ball->radius * LEAST_SQUARED;
  if (gap <= GAP_RULES * whole)
    slack += (fabs(whole - square - gap) + rounding) / (LEAST_RADIUS * ball->radius) + SAME_RAY * ball->radius;
  return slack;
}

typedef struct slack_job {
  const geodisk_model *model;
  size_t first;
  double *out;
} slack_job;

static void slack_block(void *arg, size_t index) {
  const slack_job *job = arg;
  const size_t begin = (job->first + index) * SLACK_BLOCK, n = job->model->nodes;
  const size_t end = n - begin < SLACK_BLOCK ? n : begin + SLACK_BLOCK;
  double largest = 0;
  for (size_t i = begin; i < end; i++)
    largest = fmax(largest, place_slack(&job->model->ball, model_square_at(job->model, i), model_gap_at(job->model, i)));
  job->out[index] = largest;
}

void space_open(geodisk_context *context, const geodisk_model *model, space_view *out) {
  *out = (space_view){.model = model,
                      .ball = model->ball,
                      .hyperbolic = model->space == GEODISK_SPACE_HYPERBOLIC,
                      .nodes = model->nodes,
                      .dim = (size_t)model->ball.dim,
                      .relative = (model->ball.dim + 8) * 0x1p-52};
  if (!out->hyperbolic) {
    out->slack = 0x1p-500; /* squares of smaller differences underflow */
    return;
  }
  double found[SLACK_BLOCKS];
  const size_t blocks = (model->nodes + SLACK_BLOCK - 1) / SLACK_BLOCK;
  for (size_t first = 0; first < blocks; first += SLACK_BLOCKS) {
    const size_t count = blocks - first < SLACK_BLOCKS ? blocks - first : SLACK_BLOCKS;
    slack_job job = {model, first, found};
    geodisk_parallel(context, count, slack_block, &job);
    for (size_t i = 0; i < count; i++)
      out->slack = fmax(out->slack, found[i]);
  }
}

double space_weight(const space_view *view, size_t node) {
  return view->hyperbolic ? view->ball.radius * view->ball.radius / model_gap_at(view->model, node) : 1.0;
}

static double depth_of(const space_view *view, double square, double gap) {
  const double whole = view->ball.radius * view->ball.radius;
  if (!view->hyperbolic)
    return square;
  return (gap <= GAP_RULES * whole ? whole - gap : square) / gap;
}

/* How far a node is down the hierarchy: sinh^2(sqrt(k) r / 2) or |x|^2, which grow with the distance from the origin. */
static double space_depth(const space_view *view, uint32_t node) {
  return depth_of(view, model_square_at(view->model, node), view->hyperbolic ? model_gap_at(view->model, node) : 1.0);
}

void probe_prepare(const space_view *view, probe_point *point) {
  const double square = square_of(view->dim, point->x);
  if (!view->hyperbolic)
    point->gap = 1;
  point->depth = depth_of(view, square, point->gap);
  point->slack = view->slack + (view->hyperbolic ? place_slack(&view->ball, square, point->gap) : 0);
}

double probe_distance(const space_view *view, const probe_point *point, uint32_t node, double *y) {
  double gap;
  geodisk_model_point(view->model, node, y, &gap);
  return view->hyperbolic ? geodisk_distance_gap(&view->ball, point->x, point->gap, y, gap)
                          : flat_distance(view->dim, point->x, y);
}

/* ---- collecting ------------------------------------------------------------------------------------------------------ */

bool collector_open(collector *c, const space_view *view, const probe_point *point, size_t k) {
  *c = (collector){.view = view, .point = point, .k = k, .room = 2 * k + 64};
  c->best = geodisk_allocate(k, sizeof *c->best);
  c->list = geodisk_allocate(c->room, sizeof *c->list);
  c->y = geodisk_allocate(view->dim, MEASURED * sizeof *c->y);
  c->failed = c->best == NULL || c->list == NULL || c->y == NULL;
  return !c->failed;
}

void collector_close(collector *c) {
  geodisk_free_all(c->best, c->list, c->y);
  c->best = NULL;
  c->list = NULL;
  c->y = NULL;
}

/* The k-th smallest hi. */
static double threshold(const collector *c) { return c->n_best < c->k ? (double)INFINITY : c->best[0]; }

/* |x-y|^2 R^2/S(y) <= limit  <=>  |x-y| R / sqrt(S(y)) <= root of threshold * S(x), plus what the slack of both places adds. */
double collector_limit(const collector *c, double weight) {
  const double root = sqrt(threshold(c) * c->point->gap) + c->point->slack * sqrt(weight);
  return root * root * (1 + 2 * c->view->relative);
}

/* hi among the k smallest. */
static void note_best(collector *c, double hi) {
  double *heap = c->best;
  size_t at;
  if (c->n_best < c->k) {
    at = c->n_best++;
    for (; at > 0 && heap[(at - 1) / 2] < hi; at = (at - 1) / 2)
      heap[at] = heap[(at - 1) / 2];
    heap[at] = hi;
    return;
  }
  if (c->k == 0 || !(hi < heap[0]))
    return;
  for (at = 0;;) {
    size_t child = 2 * at + 1;
    if (child >= c->k)
      break;
    if (child + 1 < c->k && heap[child + 1] > heap[child])
      child++;
    if (!(heap[child] > hi))
      break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = hi;
}

static void note_all(collector *c) {
  c->n_best = 0;
  for (size_t i = 0; i < c->n; i++)
    note_best(c, c->list[i].hi);
}

static int by_distance(const void *a, const void *b) {
  const candidate *s = a, *t = b;
  return compare_first(COMPARE(s->distance, t->distance), COMPARE(s->node, t->node));
}

/* Drops what cannot be among the nearest any more. */
static void drop_hopeless(collector *c) {
  const double top = threshold(c);
  size_t kept = 0;
  for (size_t i = 0; i < c->n; i++)
    if (!(c->list[i].lo > top))
      c->list[kept++] = c->list[i];
  c->n = kept;
}

/* Accurate distances of the candidates first .. first + n - 1, n at most MEASURED. */
static void measure(collector *c, size_t first, size_t n) {
  const space_view *view = c->view;
  double gap[MEASURED], distance[MEASURED];
  for (size_t i = 0; i < n && view->hyperbolic; i++)
    geodisk_model_point(view->model, c->list[first + i].node, c->y + i * view->dim, &gap[i]);
  if (view->hyperbolic)
    geodisk_distances_gap(&view->ball, c->point->x, c->point->gap, n, c->y, gap, distance);
  for (size_t i = 0; i < n; i++)
    c->list[first + i].distance = view->hyperbolic ? distance[i] : probe_distance(view, c->point, c->list[first + i].node, c->y);
}

/* Bounds from the accurate distance: its relative error is doubled by the square and grows with d. */
static void bound(const space_view *view, candidate *a) {
  const double half = sqrt(view->ball.curvature) * a->distance / 2;
  const double root = view->hyperbolic ? sinh(half) : a->distance, q = root * root, error = (1 + half) * 0x1p-48;
  a->lo = q * (1 - error);
  a->hi = q * (1 + error);
}

/* Accurate distances for all, sorted; only the k nearest stay. */
static void decide(collector *c) {
  for (size_t i = 0; i < c->n; i += MEASURED)
    measure(c, i, c->n - i < MEASURED ? c->n - i : MEASURED);
  qsort(c->list, c->n, sizeof *c->list, by_distance);
  if (c->n > c->k)
    c->n = c->k;
}

/* Room for one more candidate. */
static void make_room(collector *c) {
  drop_hopeless(c);
  if (c->n <= c->room / 2)
    return;
  if (c->room < EXACT_FROM + 2 * c->k) {
    candidate *list = geodisk_reallocate(c->list, 2 * c->room, sizeof *list);
    c->failed = list == NULL;
    if (!c->failed) {
      c->list = list;
      c->room = 2 * c->room;
    }
    return;
  }
  decide(c);
  for (size_t i = 0; i < c->n; i++)
    bound(c->view, &c->list[i]);
  note_all(c);
}

static void add(collector *c, const candidate *new) {
  if (new->lo > threshold(c) || c->failed)
    return;
  if (c->n == c->room)
    make_room(c);
  if (c->failed)
    return;
  c->list[c->n++] = *new;
  note_best(c, new->hi);
}

void collector_offer(collector *c, uint32_t node, double product, double weight) {
  const probe_point *p = c->point;
  if (node == p->self)
    return;
  if (p->side != GEODISK_SIDE_ANY) {
    const double depth = space_depth(c->view, node);
    if (p->side == GEODISK_SIDE_HIGHER ? !(depth < p->depth) : !(depth > p->depth))
      return;
  }
  const double root = sqrt(product), slack = p->slack * sqrt(weight);
  const double low = fmax(0.0, root - slack), high = root + slack;
  const candidate new = {.lo = low * low * (1 - c->view->relative) / p->gap,
                         .hi = high * high * (1 + c->view->relative) / p->gap,
                         .distance = (double)NAN,
                         .node = node};
  add(c, &new);
}

void collector_merge(collector *c, const collector *other) {
  c->failed = c->failed || other->failed;
  for (size_t i = 0; i < other->n; i++)
    add(c, &other->list[i]);
}

size_t collector_finish(collector *c, geodisk_neighbour *out) {
  drop_hopeless(c);
  decide(c);
  for (size_t i = 0; i < c->n; i++)
    out[i] = (geodisk_neighbour){c->list[i].node, c->list[i].distance};
  return c->n;
}
