/* place_node.c - one new node: its edges to nodes that have a place, where it starts, and its descent. */
#include "base/sorting.h"
#include "base/squares.h"
#include "place.h"
#include "scan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where descent begins: so far from the barycenter, in the ball of curvature -1; far enough to be off the neighbours' corners. */
static const double start_step = 0.5;

static geodisk_ball ball_of(const placing *p) { return geodisk_model_ball(p->model); }

/* Stores a point, rounded to the model's precision but never onto the rim. */
static void store_point(const placing *p, size_t node, const double *x, double gap) {
  const geodisk_ball ball = ball_of(p);
  const size_t dim = (size_t)ball.dim;
  if (geodisk_model_precision(p->out) == GEODISK_PRECISION_DOUBLE) {
    memcpy(geodisk_model_edit_vectors(p->out) + node * dim, x, dim * sizeof *x);
    if (geodisk_model_edit_gap(p->out) != NULL)
      geodisk_model_edit_gap(p->out)[node] = gap;
    return;
  }
  float *row = geodisk_model_edit_vectorsf(p->out) + node * dim;
  double shrink = 1;
  for (double margin = 0x1p-24;; margin *= 2) {
    for (size_t k = 0; k < dim; k++)
      row[k] = (float)(x[k] * shrink);
    if (geodisk_model_edit_gapf(p->out) == NULL || geodisk_gapf(&ball, row) > 0)
      break;
    shrink = 1 - margin;
  }
  if (geodisk_model_edit_gapf(p->out) != NULL)
    geodisk_model_edit_gapf(p->out)[node] = fmaxf((float)gap, 0x1p-126f);
}

/* Whether a node of the graph has its place before this round. */
static bool has_place(const placing *p, uint32_t g) {
  const uint32_t node = p->in_model[g];
  return node < p->old || p->round[node - p->old] < p->now;
}

size_t place_neighbours(const placing *p, uint32_t g) {
  const geodisk_graph_rows rows[2] = {geodisk_graph_out(p->graph), geodisk_graph_in(p->graph)};
  size_t n = 0;
  for (int side = 0; side < 2; side++)
    for (uint64_t e = rows[side].offsets[g]; e < rows[side].offsets[g + 1]; e++)
      n += has_place(p, rows[side].nodes[e]) && !(rows[side].weights != NULL && rows[side].weights[e] == 0);
  return n;
}

/* ---- surroundings -------------------------------------------------------------------------------------------------------- */

/* A node's edges to nodes that have a place, and its competitors. */
typedef struct surroundings {
  relation *parents, *children, *competitors;
  size_t n_parents, n_children, n_competitors;
  uint32_t *neighbours; /* old ones, ascending */
  size_t n_neighbours;
} surroundings;

static void free_surroundings(surroundings *s) { geodisk_free_all(s->parents, s->children, s->competitors, s->neighbours); }

static size_t collect(const placing *p, const geodisk_graph_rows *rows, uint32_t g, relation *out) {
  size_t n = 0;
  for (uint64_t e = rows->offsets[g]; e < rows->offsets[g + 1]; e++) {
    const double weight = rows->weights != NULL ? rows->weights[e] : 1;
    if (has_place(p, rows->nodes[e]) && weight > 0)
      out[n++] = (relation){.node = p->in_model[rows->nodes[e]], .weight = weight};
  }
  return n;
}

/* Z of any node that has a place. */
static double sum_of(const placing *p, uint32_t node, double *x) {
  if (node < p->old && !isnan(p->sums[node]))
    return p->sums[node];
  double gap;
  geodisk_model_point(p->out, node, x, &gap);
  return crowd_sum(&p->crowd, x, gap, &node, 1);
}

/* Unless it is a child, or has nobody else in its sum. */
static void add_competitor(surroundings *s, uint32_t node, double sum) {
  bool child = false;
  for (size_t i = 0; i < s->n_children; i++)
    child = child || s->children[i].node == node;
  if (!child && sum > 0)
    s->competitors[s->n_competitors++] = (relation){.node = node, .weight = 1, .sum = sum};
}

static bool look_around(const placing *p, size_t task, double *x, surroundings *s) {
  const geodisk_graph_rows out = geodisk_graph_out(p->graph), in = geodisk_graph_in(p->graph);
  const uint32_t g = p->in_graph[p->to_do[task]];
  const size_t up = (size_t)(out.offsets[g + 1] - out.offsets[g]), down = (size_t)(in.offsets[g + 1] - in.offsets[g]);
  s->parents = geodisk_allocate(up, sizeof *s->parents);
  s->children = geodisk_allocate(down, sizeof *s->children);
  s->competitors = geodisk_allocate(p->options.competitors, sizeof *s->competitors);
  s->neighbours = geodisk_allocate(up + down, sizeof *s->neighbours);
  if (s->parents == NULL || s->children == NULL || s->competitors == NULL || s->neighbours == NULL)
    return false;
  s->n_parents = collect(p, &out, g, s->parents);
  s->n_children = collect(p, &in, g, s->children);
  for (size_t i = 0; i < s->n_parents; i++)
    if (s->parents[i].node < p->old)
      s->neighbours[s->n_neighbours++] = s->parents[i].node;
  for (size_t i = 0; i < s->n_children; i++) {
    if (s->children[i].node < p->old)
      s->neighbours[s->n_neighbours++] = s->children[i].node;
    s->children[i].sum = sum_of(p, s->children[i].node, x);
    if (isnan(s->children[i].sum))
      return false;
  }
  qsort(s->neighbours, s->n_neighbours, sizeof *s->neighbours, ascending_u32);
  const geodisk_neighbour *near = p->near + task * p->options.competitors;
  for (size_t i = 0; i < p->n_near[task]; i++)
    add_competitor(s, near[i].node, p->sums[near[i].node]);
  return true;
}

/* The barycenter of a node's neighbours. */
static geodisk_status find_middle(const placing *p, uint32_t g, double *x, double *gap) {
  const geodisk_graph_rows rows[2] = {geodisk_graph_out(p->graph), geodisk_graph_in(p->graph)};
  const size_t n = place_neighbours(p, g);
  uint32_t *nodes = geodisk_allocate(n, sizeof *nodes);
  double *weights = geodisk_allocate(n, sizeof *weights);
  geodisk_status status = nodes != NULL && weights != NULL ? GEODISK_OK : geodisk_no_memory(p->context, "to place the nodes");
  size_t at = 0;
  for (int side = 0; side < 2 && status == GEODISK_OK; side++)
    for (uint64_t e = rows[side].offsets[g]; e < rows[side].offsets[g + 1]; e++) {
      const double weight = rows[side].weights != NULL ? rows[side].weights[e] : 1;
      if (has_place(p, rows[side].nodes[e]) && weight > 0) {
        nodes[at] = p->in_model[rows[side].nodes[e]];
        weights[at++] = weight;
      }
    }
  if (status == GEODISK_OK)
    status = geodisk_model_mean(p->context, p->out, n, nodes, weights, x, gap);
  geodisk_free_all(nodes, weights);
  return status;
}

/* A step off the middle, outwards and in the node's own direction. */
static geodisk_status step_aside(const placing *p, uint32_t g, double *x, double *gap) {
  const geodisk_ball ball = ball_of(p);
  const size_t dim = (size_t)ball.dim, length = geodisk_graph_name_length(p->graph, g);
  const char *name = geodisk_graph_name(p->graph, g);
  uint64_t stream = 0xcbf29ce484222325u; /* a hash of the name (FNV-1a) */
  for (size_t i = 0; i < length; i++)
    stream = (stream ^ (unsigned char)name[i]) * 0x100000001b3u;
  geodisk_random random = geodisk_random_stream(p->options.seed, stream);
  const bool hyperbolic = geodisk_model_space(p->model) == GEODISK_SPACE_HYPERBOLIC;
  double *v = geodisk_allocate(dim, sizeof *v);
  if (v == NULL)
    return geodisk_no_memory(p->context, "to place the nodes");
  const double norm = norm_of(dim, x);
  for (size_t k = 0; k < dim; k++)
    v[k] = 0.25 * geodisk_random_normal(&random) + (norm > 0 ? x[k] / norm : 0);
  const double drawn = norm_of(dim, v);
  const double unit = hyperbolic ? *gap / (2 * ball.radius) : 1; /* sqrt(k) / lam */
  for (size_t k = 0; k < dim; k++)
    v[k] *= start_step * unit / drawn;
  if (hyperbolic)
    geodisk_exp_gap(&ball, x, *gap, v, x, gap);
  else
    for (size_t k = 0; k < dim; k++)
      x[k] += v[k];
  free(v);
  return GEODISK_OK;
}

/* Task: places one node of this round. */
void place_node(void *arg, size_t task) {
  placing *p = arg;
  const uint32_t i = p->to_do[task];
  const size_t dim = (size_t)ball_of(p).dim;
  surroundings s = {.parents = NULL};
  descent d;
  double *x = geodisk_allocate(dim, sizeof *x), gap;
  bool ok = x != NULL && look_around(p, task, x, &s);
  if (ok) {
    const attraction a = {.model = p->out,
                          .negatives = p->crowd,
                          .skip = s.neighbours,
                          .n_skip = s.n_neighbours,
                          .parents = s.parents,
                          .n_parents = s.n_parents,
                          .children = s.children,
                          .n_children = s.n_children,
                          .competitors = s.competitors,
                          .n_competitors = s.n_competitors};
    geodisk_model_point(p->out, (uint32_t)(p->old + i), x, &gap); /* where it begins was stored there */
    ok = attraction_descend(&a, p->options.iterations, p->options.tolerance, x, &gap, &d);
  }
  if (ok) {
    store_point(p, p->old + i, x, gap);
    p->found[i] = (geodisk_placed){(uint32_t)(p->old + i), d.loss, d.gradient_norm, d.iterations, d.converged, p->now};
  }
  p->failed[task] = !ok;
  free_surroundings(&s);
  free(x);
}

/* ---- preparation --------------------------------------------------------------------------------------------------------- */

/* The wanted sums are made in groups of nodes, side by side. */
typedef struct sums_job {
  placing *p;
  space_view view;
  const uint32_t *nodes;
  size_t n;
} sums_job;

/* Task: Z of SCAN_GROUP old nodes. -1 stays where memory is out. */
static void sum_group(void *arg, size_t task) {
  const sums_job *job = arg;
  placing *p = job->p;
  const size_t first = task * SCAN_GROUP, n = job->n - first < SCAN_GROUP ? job->n - first : SCAN_GROUP, dim = job->view.dim;
  double *x = geodisk_allocate(dim, SCAN_GROUP * sizeof *x), sums[SCAN_GROUP];
  scanner *scan = p->sample == NULL ? scanner_create(p->context, &job->view) : NULL;
  probe_point points[SCAN_GROUP];
  if (x == NULL || (p->sample == NULL && scan == NULL)) {
    free(x);
    scanner_destroy(scan);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    points[i] = (probe_point){.x = x + i * dim, .self = job->nodes[first + i]};
    geodisk_model_point(p->model, points[i].self, x + i * dim, &points[i].gap);
    if (!job->view.hyperbolic)
      points[i].gap = 1;
    if (p->sample != NULL)
      sums[i] = crowd_sum(&p->crowd, points[i].x, points[i].gap, &points[i].self, 1);
  }
  if (p->sample == NULL)
    scan_sums(scan, n, points, sums);
  for (size_t i = 0; i < n; i++)
    p->sums[points[i].self] = isnan(sums[i]) ? -1 : sums[i];
  free(x);
  scanner_destroy(scan);
}

static geodisk_status make_sums(placing *p) {
  uint32_t *wanted = geodisk_allocate(p->n_to_do * p->options.competitors, sizeof *wanted);
  if (wanted == NULL)
    return geodisk_no_memory(p->context, "to place the nodes");
  sums_job job = {.p = p, .nodes = wanted};
  space_open(p->context, p->model, &job.view);
  for (size_t i = 0; i < p->n_to_do; i++)
    for (size_t j = 0; j < p->n_near[i]; j++) {
      const uint32_t node = p->near[i * p->options.competitors + j].node;
      if (!isnan(p->sums[node]))
        continue;
      p->sums[node] = -1; /* wanted */
      wanted[job.n++] = node;
    }
  geodisk_parallel(p->context, (job.n + SCAN_GROUP - 1) / SCAN_GROUP, sum_group, &job);
  geodisk_status status = GEODISK_OK;
  for (size_t i = 0; i < job.n; i++)
    if (p->sums[wanted[i]] == -1)
      status = geodisk_no_memory(p->context, "to place the nodes");
  free(wanted);
  return status;
}

/* Starting places, competitors, and the sums of those. */
geodisk_status place_prepare(placing *p, const geodisk_index *index) {
  const size_t dim = (size_t)ball_of(p).dim, k = p->options.competitors;
  const bool hyperbolic = geodisk_model_space(p->model) == GEODISK_SPACE_HYPERBOLIC;
  double *x = geodisk_allocate(p->n_to_do, dim * sizeof *x), *gap = geodisk_allocate(p->n_to_do, sizeof *gap);
  geodisk_status status = x != NULL && gap != NULL ? GEODISK_OK : geodisk_no_memory(p->context, "to place the nodes");
  for (size_t i = 0; status == GEODISK_OK && i < p->n_to_do; i++) {
    const uint32_t g = p->in_graph[p->to_do[i]];
    status = find_middle(p, g, x + i * dim, &gap[i]);
    if (status == GEODISK_OK)
      status = step_aside(p, g, x + i * dim, &gap[i]);
    if (status == GEODISK_OK)
      store_point(p, p->old + p->to_do[i], x + i * dim, gap[i]);
    else if (status == GEODISK_ERROR_NUMERIC)
      status = geodisk_fail(p->context, status, "place: '%.64s': %s", geodisk_graph_name(p->graph, g),
                            geodisk_context_error(p->context));
  }
  if (status == GEODISK_OK)
    status = geodisk_index_nearest(p->context, index,
                                   &(geodisk_nearest_query){.n = p->n_to_do, .x = x, .gap = hyperbolic ? gap : NULL, .k = k},
                                   p->near, p->n_near);
  if (status == GEODISK_OK)
    status = make_sums(p);
  geodisk_free_all(x, gap);
  return status;
}
