/* is_a.c - entailment: how well each of several scores tells edges (c, p), "c is a p", from pairs that are none. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/squares.h"
#include "classify.h"
#include "is_a_draw.h"
#include "prepared.h"
#include "relation.h"

enum { TASK_PAIRS = 1024, DEFAULT_RESAMPLES = 200 };

/* What the scores of a pair are made of. */
typedef struct measured_pair {
  double distance;
  double child_radius, parent_radius; /* distances from the origin */
  double child_norm, parent_norm;     /* Euclidean, as a share of the ball's radius */
  double angle;                       /* at the parent, between the ray outwards and the child */
  double order;                       /* the half-space score of the order */
} measured_pair;

typedef struct pair_list {
  size_t n, edges; /* the edges come first */
  uint32_t *child, *parent;
  measured_pair *measured;
} pair_list;

static void free_list(pair_list *list) { geodisk_free_all(list->child, list->parent, list->measured); }

static size_t add_rows(const geodisk_relation *relation, pair_list *list, size_t at) {
  const geodisk_graph_rows rows = geodisk_relation_rows(relation);
  for (uint32_t u = 0; u < geodisk_relation_points(relation); u++)
    for (uint64_t e = rows.offsets[u]; e < rows.offsets[u + 1]; e++, at++) {
      list->child[at] = u;
      list->parent[at] = rows.nodes[e];
    }
  return at;
}

static size_t pairs_of(const geodisk_relation *relation) {
  return (size_t)geodisk_relation_rows(relation).offsets[geodisk_relation_points(relation)];
}

static geodisk_status make_list(geodisk_context *context, const geodisk_is_a_pairs *pairs, pair_list *list) {
  list->edges = pairs_of(pairs->edges);
  list->n = list->edges + pairs_of(pairs->non_edges);
  if (list->edges == 0 || list->edges == list->n)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "entailment: there are no %s to judge by",
                        list->edges == 0 ? "edges" : "non-edges");
  list->child = geodisk_allocate(list->n, sizeof *list->child);
  list->parent = geodisk_allocate(list->n, sizeof *list->parent);
  list->measured = geodisk_allocate(list->n, sizeof *list->measured);
  if (list->child == NULL || list->parent == NULL || list->measured == NULL)
    return geodisk_no_memory(context, "for %zu pairs", list->n);
  add_rows(pairs->non_edges, list, add_rows(pairs->edges, list, 0));
  return GEODISK_OK;
}

/* ---- measuring ---------------------------------------------------------------------------------------------------------- */

typedef struct measuring {
  const prepared *points;
  const pair_list *list;
  atomic_bool memory_out, too_far;
} measuring;

/* A point with what it takes to measure from it. */
typedef struct placed {
  double *x;
  double gap, radius, norm;
} placed;

static void load_placed(const prepared *p, size_t node, placed *out) {
  const geodisk_ball *ball = &p->points.ball;
  prepared_row(p, node, out->x, &out->gap);
  out->norm = norm_of(p->dim, out->x);
  out->radius = out->norm;
  if (p->kind == RANK_FLAT)
    return;
  if (isnan(out->gap))
    out->gap = geodisk_gap(ball, out->x);
  out->radius = geodisk_radius_from_gap(ball, out->gap);
  out->norm = geodisk_euclidean_from_gap(ball, out->gap) / ball->radius;
}

/* The angle between p, seen from the origin, and v. 0 where one of them has no direction. */
static double angle_between(size_t dim, const double *p, const double *v) {
  double along = 0.0;
  for (size_t i = 0; i < dim; i++)
    along += p[i] * v[i];
  const double cosine = along / (norm_of(dim, p) * norm_of(dim, v));
  return isnan(cosine) ? 0.0 : acos(fmax(-1.0, fmin(1.0, cosine)));
}

static measured_pair measure(const prepared *p, const placed *c, const placed *parent, double *v) {
  measured_pair m = {
      .child_radius = c->radius, .parent_radius = parent->radius, .child_norm = c->norm, .parent_norm = parent->norm};
  if (p->kind == RANK_FLAT) {
    for (size_t i = 0; i < p->dim; i++)
      v[i] = c->x[i] - parent->x[i];
    m.distance = norm_of(p->dim, v);
  } else {
    geodisk_log_gap(&p->points.ball, parent->x, parent->gap, c->x, c->gap, v);
    m.distance = geodisk_distance_gap(&p->points.ball, parent->x, parent->gap, c->x, c->gap);
  }
  m.angle = angle_between(p->dim, parent->x, v);
  return m;
}

static double order_score(const double *order, uint32_t child, uint32_t parent) {
  const geodisk_ball plane = geodisk_unit_ball(2);
  const double *c = order + 3 * (size_t)child, *p = order + 3 * (size_t)parent;
  return geodisk_order_score(geodisk_distance_gap(&plane, p, p[2], c, c[2]), geodisk_radius_from_gap(&plane, p[2]),
                             geodisk_radius_from_gap(&plane, c[2]));
}

static void measure_task(void *arg, size_t index) {
  measuring *job = arg;
  const prepared *p = job->points;
  const pair_list *list = job->list;
  const size_t end = list->n - index * TASK_PAIRS < TASK_PAIRS ? list->n : (index + 1) * TASK_PAIRS;
  double *scratch = geodisk_allocate(3, p->dim * sizeof *scratch);
  if (scratch == NULL) {
    atomic_store(&job->memory_out, true);
    return;
  }
  placed child = {.x = scratch}, parent = {.x = scratch + p->dim};
  for (size_t i = index * TASK_PAIRS; i < end; i++) {
    load_placed(p, list->child[i], &child);
    load_placed(p, list->parent[i], &parent);
    list->measured[i] = measure(p, &child, &parent, scratch + 2 * p->dim);
    if (p->points.order != NULL)
      list->measured[i].order = order_score(p->points.order, list->child[i], list->parent[i]);
    const measured_pair *m = &list->measured[i];
    if (!isfinite(m->distance) || !isfinite(m->child_radius) || !isfinite(m->parent_radius))
      atomic_store(&job->too_far, true);
  }
  free(scratch);
}

static geodisk_status measure_all(geodisk_context *context, const prepared *points, const pair_list *list) {
  measuring job = {.points = points, .list = list};
  geodisk_parallel(context, (list->n + TASK_PAIRS - 1) / TASK_PAIRS, measure_task, &job);
  if (atomic_load(&job.memory_out))
    return geodisk_no_memory(context, "for a pair of points");
  return atomic_load(&job.too_far)
             ? geodisk_fail(context, GEODISK_ERROR_NUMERIC, "entailment: points so far apart that their distance is not finite")
             : GEODISK_OK;
}

/* ---- scores: the lower, the likelier ------------------------------------------------------------------------------------- */

static double half_space(const measured_pair *m, double weight) {
  return m->distance - m->child_radius + weight * m->parent_radius;
}
static double distance(const measured_pair *m, double unused) {
  (void)unused;
  return m->distance;
}
static double nickel_kiela(const measured_pair *m, double alpha) {
  return (1.0 + alpha * (m->parent_norm - m->child_norm)) * m->distance;
}

/* How far the child is outside the cone: its angle less the half-aperture asin(K (1 - |p|^2) / |p|), which is a right angle for
 * points too near to the origin to have a cone. */
static double cone(const measured_pair *m, double k) {
  const double sine = k * (1.0 - m->parent_norm * m->parent_norm) / m->parent_norm;
  return m->angle - (sine < 1.0 ? asin(sine) : acos(0.0));
}

static double order(const measured_pair *m, double unused) {
  (void)unused;
  return m->order;
}

enum { MOST_PARAMETERS = 21 };
static const struct score {
  double (*of)(const measured_pair *m, double parameter);
  int parameters; /* to choose from */
  double values[MOST_PARAMETERS];
} scores[GEODISK_IS_A_SCORES] = {
    [GEODISK_IS_A_HALF_SPACE] = {half_space, 1, {0}},
    [GEODISK_IS_A_HALF_SPACE_RADIUS] = {half_space, 21, {-0.5, -0.45, -0.4, -0.35, -0.3, -0.25, -0.2, -0.15, -0.1, -0.05, 0,
                                                         0.05, 0.1,   0.15, 0.2,   0.25, 0.3,   0.35, 0.4,   0.45, 0.5}},
    [GEODISK_IS_A_DISTANCE] = {distance, 1, {0}},
    [GEODISK_IS_A_NICKEL_KIELA] = {nickel_kiela, 13, {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1e3, 1e4, 1e5}},
    [GEODISK_IS_A_CONE] = {cone, 8, {0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1}},
    [GEODISK_IS_A_ORDER] = {order, 1, {0}},
};

/* How many scores the points have: the order is the last. */
static int scores_there(const geodisk_eval_points *points) {
  return points->order != NULL ? GEODISK_IS_A_SCORES : GEODISK_IS_A_ORDER;
}

static void score_all(const pair_list *list, const struct score *score, double parameter, scored_pair *out) {
  for (size_t i = 0; i < list->n; i++)
    out[i] = (scored_pair){score->of(&list->measured[i], parameter), i < list->edges};
  classify_sort(out, list->n);
}

/* ---- thresholds and parameters: every value of every score is a task ----------------------------------------------------- */

typedef struct choice {
  double threshold, f1;
} choice;

typedef struct choosing {
  const pair_list *list;
  choice choices[GEODISK_IS_A_SCORES][MOST_PARAMETERS];
  atomic_bool memory_out;
} choosing;

static void choose_task(void *arg, size_t index) {
  choosing *job = arg;
  const size_t s = index / MOST_PARAMETERS, i = index % MOST_PARAMETERS;
  if (i >= (size_t)scores[s].parameters)
    return;
  scored_pair *scored = geodisk_allocate(job->list->n, sizeof *scored);
  if (scored == NULL) {
    atomic_store(&job->memory_out, true);
    return;
  }
  score_all(job->list, &scores[s], scores[s].values[i], scored);
  choice *c = &job->choices[s][i];
  c->threshold = classify_threshold(scored, job->list->n, &c->f1);
  free(scored);
}

/* The threshold and parameter of the best F1 on the list, the first of equals. */
static geodisk_status choose(geodisk_context *context, const pair_list *list, int count, geodisk_classification *results) {
  choosing job = {.list = list};
  geodisk_parallel(context, (size_t)count * MOST_PARAMETERS, choose_task, &job);
  if (atomic_load(&job.memory_out))
    return geodisk_no_memory(context, "for %zu pairs", list->n);
  for (int s = 0; s < count; s++) {
    int best = 0;
    for (int i = 1; i < scores[s].parameters; i++)
      if (job.choices[s][i].f1 > job.choices[s][best].f1)
        best = i;
    results[s].parameter = scores[s].values[best];
    results[s].threshold = job.choices[s][best].threshold;
  }
  return GEODISK_OK;
}

/* ---- the figures ----------------------------------------------------------------------------------------------------------- */

static geodisk_status judge_all(geodisk_context *context, const pair_list *judged, const geodisk_is_a_options *options, int count,
                                geodisk_classification *results) {
  const size_t resamples = options->resamples == 0 ? DEFAULT_RESAMPLES : options->resamples < 0 ? 0 : (size_t)options->resamples;
  scored_pair *scored = geodisk_allocate(judged->n, sizeof *scored);
  if (scored == NULL)
    return geodisk_no_memory(context, "for %zu pairs", judged->n);
  geodisk_status st = GEODISK_OK;
  if (options->threshold_given)
    results[GEODISK_IS_A_HALF_SPACE].threshold = options->threshold;
  for (int s = 0; s < count && st == GEODISK_OK; s++) {
    score_all(judged, &scores[s], results[s].parameter, scored);
    st = classify_judge(context, scored, judged->n, results[s].threshold, resamples, options->seed, &results[s]);
  }
  free(scored);
  return st;
}

static geodisk_classification no_figures(void) {
  const double nan = (double)NAN;
  const geodisk_estimate none = {nan, nan, nan};
  return (geodisk_classification){nan, nan, none, none, none, none, none};
}

static geodisk_status check(geodisk_context *context, const geodisk_eval_points *points, const geodisk_is_a_pairs *pairs) {
  if (pairs->edges == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "entailment: edges is NULL");
  if (geodisk_relation_points(pairs->edges) != points->nodes ||
      (pairs->non_edges != NULL && geodisk_relation_points(pairs->non_edges) != points->nodes))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "entailment: the relations are of other points");
  return GEODISK_OK;
}

geodisk_status geodisk_eval_is_a(geodisk_context *context, const geodisk_eval_points *points, const geodisk_is_a_pairs *judged,
                                 const geodisk_is_a_pairs *validation, const geodisk_is_a_options *options, geodisk_is_a *out) {
  options = options != NULL ? options : &(const geodisk_is_a_options){0};
  if (points == NULL || judged == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "entailment: an argument is NULL");
  prepared p = {0};
  pair_list list = {0}, chosen_on = {0};
  geodisk_is_a result = {0};
  geodisk_is_a_pairs judged_on = *judged, validated_on = validation != NULL ? *validation : (geodisk_is_a_pairs){0};
  is_a_drawn drawn = {0};
  geodisk_status st = check(context, points, judged);
  if (st == GEODISK_OK && validation != NULL)
    st = check(context, points, validation);
  if (st == GEODISK_OK && validation == NULL)
    geodisk_log_event(context, GEODISK_LOG_WARNING,
                      "thresholds are chosen on the pairs that are judged, which flatters; `validation` gives others");
  if (st == GEODISK_OK)
    st = is_a_draw(context, options, &judged_on, validation != NULL ? &validated_on : NULL, &drawn);
  if (st == GEODISK_OK)
    st = prepared_create(context, points, &p);
  if (st == GEODISK_OK && (st = make_list(context, &judged_on, &list)) == GEODISK_OK)
    st = measure_all(context, &p, &list);
  if (st == GEODISK_OK && validation != NULL && (st = make_list(context, &validated_on, &chosen_on)) == GEODISK_OK)
    st = measure_all(context, &p, &chosen_on);
  if (st == GEODISK_OK) {
    result.edges = list.edges;
    result.non_edges = list.n - list.edges;
    result.order = points->order != NULL;
    for (int s = scores_there(points); s < GEODISK_IS_A_SCORES; s++)
      result.scores[s] = no_figures();
    st = choose(context, validation != NULL ? &chosen_on : &list, scores_there(points), result.scores);
    if (st == GEODISK_OK)
      st = judge_all(context, &list, options, scores_there(points), result.scores);
  }
  prepared_destroy(&p);
  free_list(&list);
  free_list(&chosen_on);
  is_a_drawn_destroy(&drawn);
  if (st == GEODISK_OK)
    *out = result;
  return st;
}
