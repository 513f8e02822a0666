/* compare.c - two models of the same nodes: do they order distances alike, do nodes have the same neighbours, and how far apart
 * are they when the one is laid on the other by an isometry? */
#include "base/squares.h"
#include "geodisk/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "procrustes.h"

enum { NEIGHBOURS = 10, SAMPLE = 2000, PAIRS = 1 << 20, PAIRS_PER_TASK = 4096, LEAST_NODES = 3 };
enum { STREAM_PAIRS = 1, STREAM_NODES = 2 }; /* of the seed */

typedef struct comparison_run {
  geodisk_context *context;
  geodisk_compare_options options;
  size_t n;                /* nodes in both */
  uint32_t *of_first;      /* their numbers in the first model */
  geodisk_model *model[2]; /* the nodes in both, in the same order, in double */
  bool all_pairs;
  double *distances[2]; /* of the pairs */
} comparison_run;

/* ---- the nodes that both have ---- */

/* A model of some nodes of another, in double, called "0", "1", ... */
static geodisk_status part_of(geodisk_context *context, const geodisk_model *model, size_t n, const uint32_t *nodes,
                              geodisk_model **out) {
  const geodisk_model_spec spec = {.nodes = n, .ball = geodisk_model_ball(model), .space = geodisk_model_space(model)};
  geodisk_model *part = NULL;
  const geodisk_status status = geodisk_model_create(context, &spec, &part);
  if (status != GEODISK_OK)
    return status;
  const size_t dim = (size_t)spec.ball.dim;
  double *x = geodisk_model_edit_vectors(part), *gap = geodisk_model_edit_gap(part), unused;
  for (size_t i = 0; i < n; i++)
    geodisk_model_point(model, nodes[i], x + i * dim, gap != NULL ? gap + i : &unused);
  *out = part;
  return GEODISK_OK;
}

static geodisk_status match(comparison_run *run, const geodisk_model *first, const geodisk_model *second) {
  const size_t most = geodisk_model_nodes(first);
  uint32_t *of_second = geodisk_allocate(most, sizeof *of_second);
  run->of_first = geodisk_allocate(most, sizeof *run->of_first);
  geodisk_status status =
      of_second != NULL && run->of_first != NULL ? GEODISK_OK : geodisk_no_memory(run->context, "to compare the models");
  for (size_t i = 0; status == GEODISK_OK && i < most; i++)
    if (geodisk_model_find(second, geodisk_model_name(first, (uint32_t)i), geodisk_model_name_length(first, (uint32_t)i),
                           &of_second[run->n]))
      run->of_first[run->n++] = (uint32_t)i;
  if (status == GEODISK_OK && run->n < LEAST_NODES)
    status = geodisk_fail(run->context, GEODISK_ERROR_ARGUMENT, "the models have %zu nodes in common, too few to compare them",
                          run->n);
  if (status == GEODISK_OK)
    status = part_of(run->context, first, run->n, run->of_first, &run->model[0]);
  if (status == GEODISK_OK)
    status = part_of(run->context, second, run->n, of_second, &run->model[1]);
  free(of_second);
  return status;
}

/* ---- distances of pairs ---- */

/* The pair of a number: all of them row by row, or one that is drawn. */
static void pair_of(const comparison_run *run, uint64_t number, uint32_t *a, uint32_t *b) {
  if (run->all_pairs) { /* pair (a, b), b < a, has the number a (a - 1) / 2 + b */
    uint64_t row = (uint64_t)((1 + sqrt(1 + 8 * (double)number)) / 2);
    while (row * (row - 1) / 2 > number)
      row--;
    while ((row + 1) * row / 2 <= number)
      row++;
    *a = (uint32_t)row;
    *b = (uint32_t)(number - row * (row - 1) / 2);
    return;
  }
  geodisk_random random = geodisk_random_stream(run->options.seed, (uint64_t)STREAM_PAIRS << 32 | number);
  *a = (uint32_t)geodisk_random_below(&random, run->n);
  *b = (uint32_t)geodisk_random_below(&random, run->n - 1);
  *b += *b >= *a;
}

static void measure_pairs(void *arg, size_t task) {
  comparison_run *run = arg;
  const size_t begin = task * PAIRS_PER_TASK, left = run->options.pairs - begin,
               end = begin + (left < PAIRS_PER_TASK ? left : PAIRS_PER_TASK);
  for (size_t i = begin; i < end; i++) {
    uint32_t a, b;
    pair_of(run, i, &a, &b);
    for (int m = 0; m < 2; m++)
      if (geodisk_model_distance(NULL, run->model[m], a, b, &run->distances[m][i]) != GEODISK_OK)
        run->distances[m][i] = (double)NAN; /* no memory, which is told when all tasks are done */
  }
}

static geodisk_status compare_distances(comparison_run *run, geodisk_comparison *out) {
  const uint64_t all = (uint64_t)run->n * (run->n - 1) / 2;
  run->all_pairs = all <= run->options.pairs;
  if (run->all_pairs)
    run->options.pairs = (size_t)all;
  const size_t n = run->options.pairs;
  for (int m = 0; m < 2; m++)
    if ((run->distances[m] = geodisk_allocate(n, sizeof(double))) == NULL)
      return geodisk_no_memory(run->context, "to compare the models");
  geodisk_parallel(run->context, (n + PAIRS_PER_TASK - 1) / PAIRS_PER_TASK, measure_pairs, run);
  for (size_t i = 0; i < n; i++)
    if (isnan(run->distances[0][i]) || isnan(run->distances[1][i]))
      return geodisk_no_memory(run->context, "to compare the models");
  geodisk_correlation found;
  const geodisk_status status = geodisk_rank_correlation(run->context, n, run->distances[0], run->distances[1], &found);
  if (status == GEODISK_OK) {
    out->pairs = n;
    out->kendall_tau = found.kendall_tau;
    out->spearman = found.spearman;
  }
  return status;
}

/* ---- neighbours ---- */

/* `count` of the nodes, drawn without replacement: the front of a shuffle. */
static void draw_nodes(uint64_t seed, size_t n, size_t count, uint32_t *nodes) {
  geodisk_random random = geodisk_random_stream(seed, (uint64_t)STREAM_NODES << 32);
  for (size_t i = 0; i < n; i++)
    nodes[i] = (uint32_t)i;
  for (size_t i = 0; i < count && count < n; i++) {
    const size_t j = i + (size_t)geodisk_random_below(&random, n - i);
    const uint32_t node = nodes[i];
    nodes[i] = nodes[j];
    nodes[j] = node;
  }
}

static size_t shared(const geodisk_neighbour *a, size_t n_a, const geodisk_neighbour *b, size_t n_b) {
  size_t count = 0;
  for (size_t i = 0; i < n_a; i++)
    for (size_t j = 0; j < n_b; j++)
      count += a[i].node == b[j].node;
  return count;
}

static geodisk_status nearest(comparison_run *run, int m, size_t count, const uint32_t *nodes, geodisk_neighbour *out,
                              size_t *found) {
  geodisk_index *index = NULL;
  geodisk_status status = geodisk_index_create(run->context, run->model[m], GEODISK_SEARCH_AUTO, count, &index);
  if (status == GEODISK_OK)
    status = geodisk_index_nearest(
        run->context, index, &(geodisk_nearest_query){.n = count, .nodes = nodes, .k = run->options.neighbours}, out, found);
  geodisk_index_destroy(index);
  return status;
}

static geodisk_status compare_neighbours(comparison_run *run, geodisk_comparison *out) {
  const size_t k = run->options.neighbours, count = run->options.sample;
  uint32_t *nodes = geodisk_allocate(run->n, sizeof *nodes);
  geodisk_neighbour *near[2] = {NULL, NULL};
  size_t *found[2] = {NULL, NULL};
  geodisk_status status = nodes != NULL ? GEODISK_OK : geodisk_no_memory(run->context, "to compare the models");
  if (status == GEODISK_OK)
    draw_nodes(run->options.seed, run->n, count, nodes);
  for (int m = 0; m < 2 && status == GEODISK_OK; m++) {
    near[m] = geodisk_allocate(count, k * sizeof **near);
    found[m] = geodisk_allocate(count, sizeof **found);
    status = near[m] != NULL && found[m] != NULL ? nearest(run, m, count, nodes, near[m], found[m])
                                                 : geodisk_no_memory(run->context, "to compare the models");
  }
  if (status == GEODISK_OK) {
    uint64_t same = 0;
    for (size_t i = 0; i < count; i++)
      same += shared(near[0] + i * k, found[0][i], near[1] + i * k, found[1][i]);
    out->neighbours = k;
    out->nodes_judged = count;
    out->overlap = (double)same / ((double)count * (double)k);
  }
  for (int m = 0; m < 2; m++) {
    geodisk_free_all(near[m], found[m]);
  }
  free(nodes);
  return status;
}

/* ---- the best isometry ---- */

/* Normal coordinates around the barycenter, in units of 1/sqrt(k): the direction in which a node is seen, times its distance. */
static geodisk_status see_from_middle(comparison_run *run, int m, double *w) {
  const geodisk_model *model = run->model[m];
  const geodisk_ball ball = geodisk_model_ball(model);
  const bool flat = geodisk_model_space(model) == GEODISK_SPACE_EUCLIDEAN;
  const size_t dim = (size_t)ball.dim;
  uint32_t *nodes = geodisk_allocate(run->n, sizeof *nodes);
  double *middle = geodisk_allocate(dim, sizeof *middle), gap = 0;
  geodisk_status status = nodes != NULL && middle != NULL ? GEODISK_OK : geodisk_no_memory(run->context, "to compare the models");
  for (size_t i = 0; status == GEODISK_OK && i < run->n; i++)
    nodes[i] = (uint32_t)i;
  if (status == GEODISK_OK)
    status = geodisk_model_mean(run->context, model, run->n, nodes, NULL, middle, &gap);
  const double *x = geodisk_model_vectors(model), *gaps = geodisk_model_gap(model);
  for (size_t i = 0; status == GEODISK_OK && i < run->n; i++) {
    double *v = w + i * dim;
    if (flat) {
      for (size_t d = 0; d < dim; d++)
        v[d] = x[i * dim + d] - middle[d];
      continue;
    }
    geodisk_log_gap(&ball, middle, gap, x + i * dim, gaps[i], v);
    const double square = square_of(dim, v);
    const double length = geodisk_distance_gap(&ball, middle, gap, x + i * dim, gaps[i]) * sqrt(ball.curvature);
    for (size_t d = 0; d < dim && square > 0; d++)
      v[d] *= length / sqrt(square);
  }
  geodisk_free_all(middle, nodes);
  return status;
}

/* The distance of the points that have normal coordinates a and b; `room` has 3 dim numbers. */
static double apart(bool flat, size_t dim, const double *a, const double *b, double *room) {
  if (flat)
    return sqrt(square_between(dim, a, b));
  const geodisk_ball unit = geodisk_unit_ball((int)dim);
  double *x = room, *y = room + dim, *origin = room + 2 * dim, x_gap, y_gap;
  memset(origin, 0, dim * sizeof *origin);
  for (size_t d = 0; d < dim; d++) { /* a tangent at the origin is half as long in coordinates */
    x[d] = 0.5 * a[d];
    y[d] = 0.5 * b[d];
  }
  geodisk_exp_gap(&unit, origin, 1, x, x, &x_gap);
  geodisk_exp_gap(&unit, origin, 1, y, y, &y_gap);
  return geodisk_distance_gap(&unit, x, x_gap, y, y_gap);
}

static void lay_on(const comparison_run *run, size_t dim, const double *a, const double *b, const double *q, double *room,
                   geodisk_comparison *out) {
  const bool flat = geodisk_model_space(run->model[0]) == GEODISK_SPACE_EUCLIDEAN;
  double sum = 0, square = 0, worst = -1, *turned = room + 3 * dim;
  for (size_t i = 0; i < run->n; i++) {
    for (size_t r = 0; r < dim; r++) {
      turned[r] = 0;
      for (size_t c = 0; c < dim; c++)
        turned[r] += q[r * dim + c] * a[i * dim + c];
      square += b[i * dim + r] * b[i * dim + r];
    }
    const double d = apart(flat, dim, turned, b + i * dim, room);
    sum += d;
    if (d > worst) {
      worst = d;
      out->worst = run->of_first[i];
    }
  }
  out->spread = sqrt(square / (double)run->n);
  out->moved_mean = sum / (double)run->n;
  out->moved_worst = worst;
}

static geodisk_status compare_places(comparison_run *run, geodisk_comparison *out) {
  const size_t dim = (size_t)geodisk_model_dim(run->model[0]), n = run->n;
  out->aligned =
      geodisk_model_dim(run->model[1]) == (int)dim && geodisk_model_space(run->model[0]) == geodisk_model_space(run->model[1]);
  out->spread = out->moved_mean = out->moved_worst = (double)NAN;
  if (!out->aligned)
    return GEODISK_OK;
  double *w = geodisk_allocate(n, 2 * dim * sizeof *w), *square = geodisk_allocate_zero(dim, (3 * dim + 4) * sizeof *square);
  geodisk_status status = w != NULL && square != NULL ? GEODISK_OK : geodisk_no_memory(run->context, "to compare the models");
  for (int m = 0; m < 2 && status == GEODISK_OK; m++)
    status = see_from_middle(run, m, w + (size_t)m * n * dim);
  if (status == GEODISK_OK) {
    const double *a = w, *b = w + n * dim;
    double *product = square, *v = square + dim * dim, *q = square + 2 * dim * dim;
    for (size_t i = 0; i < n; i++)
      for (size_t r = 0; r < dim; r++)
        for (size_t c = 0; c < dim; c++)
          product[r * dim + c] += b[i * dim + r] * a[i * dim + c];
    eval_procrustes(dim, product, v, q);
    lay_on(run, dim, a, b, q, square + 3 * dim * dim, out);
  }
  geodisk_free_all(w, square);
  return status;
}

/* ---- all of it ---- */

static size_t chosen(size_t wanted, size_t otherwise, size_t most) {
  const size_t value = wanted != 0 ? wanted : otherwise;
  return value < most ? value : most;
}

geodisk_status geodisk_eval_compare(geodisk_context *context, const geodisk_model *first, const geodisk_model *second,
                                    const geodisk_compare_options *options, geodisk_comparison *out) {
  if (first == NULL || second == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "compare: %s is NULL", out == NULL ? "out" : "a model");
  comparison_run run = {.context = context, .options = options != NULL ? *options : (geodisk_compare_options){0}};
  geodisk_comparison found = {0};
  geodisk_status status = match(&run, first, second);
  if (status != GEODISK_OK)
    goto done;
  run.options.neighbours = chosen(run.options.neighbours, NEIGHBOURS, run.n - 1);
  run.options.sample = chosen(run.options.sample, SAMPLE, run.n);
  run.options.pairs = chosen(run.options.pairs, PAIRS, SIZE_MAX / 2);
  found.nodes = run.n;
  found.only_first = geodisk_model_nodes(first) - run.n;
  found.only_second = geodisk_model_nodes(second) - run.n;
  if ((status = compare_distances(&run, &found)) != GEODISK_OK)
    goto done;
  if ((status = compare_neighbours(&run, &found)) != GEODISK_OK)
    goto done;
  if ((status = compare_places(&run, &found)) != GEODISK_OK)
    goto done;
  *out = found;
done:
  for (int m = 0; m < 2; m++) {
    geodisk_model_destroy(run.model[m]);
    free(run.distances[m]);
  }
  free(run.of_first);
  return status;
}
