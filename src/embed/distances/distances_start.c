/* distances_start.c - fitting distances from several beginnings: classical scaling in flat space, the same at the curvature that
 * suits, and the construction of a spanning tree. What has the least distortion is kept, so that curved space is never worse than
 * flat space, of which it is a limit. Nodes that are no landmarks are placed last, each by its own lengths. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distance_fit.h"
#include "embed/placement/construction.h"
#include "embed/placement/placement.h"
#include "embed/trainer.h"

enum { MOST_EPOCHS = 300, MANY_EPOCHS = 70, LEAST_EPOCHS = 28, MOST_TRIES = 40, SAMPLE = 512, ALL_PAIRS = 4096, LANDMARKS = 256 };
#define PAIRS_IN_ALL    3e8  /* epochs x pairs of the descent, unless epochs are given */
#define NEARLY_EXACT    0.05 /* distortion */
#define PAIRS_EASILY    8e7
#define PAIRS_TO_REFINE 6e7
#define LEAST_LENGTH    1e-30 /* lengths are kept in single precision */
#define MOST_LENGTH     1e30
#define NEARLY_FLAT     1e-3 /* size of a flat arrangement in hyperbolic space: distances are off by its square */

typedef struct fitting {
  geodisk_context *context;
  const geodisk_distances *d;
  const geodisk_distance_options *o;
  const geodisk_graph *graph; /* or NULL: a matrix */
  pair_points p;              /* the sources, in an order drawn at random */
  uint32_t *order;            /* which source is at which place of it */
  float *lengths;             /* between the sources, in that order */
  double *flat;               /* sources x dim: classical scaling, in that order */
  double *tree;               /* nodes x (dim + 1): the construction, or NULL */
  double *best;               /* sources x (dim + 1) */
  double least, flat_figure;  /* figures: of the best, and of flat space */
  double curve;               /* of the best; 0: of flat space */
  const char *start;
  double size;     /* root mean square of the flat coordinates as classical scaling has them */
  double furthest; /* length */
  distance_descent descent;
  distance_watch watch;
  uint64_t epoch;
} fitting;

static uint32_t node_of(const geodisk_distances *d, size_t source) {
  return d->source_nodes ? d->source_nodes[source] : (uint32_t)source;
}

/* ---- what is given ---- */

/* The sources in random order, and the lengths between them. */
static void draw_order(fitting *f) {
  const size_t n = f->p.nodes;
  double square = 0.0, pairs = 0.0;
  geodisk_random random = geodisk_random_stream(f->o->seed, stream_of(STREAM_PLACE, 2, PLACE_SCALING));
  for (size_t i = 0; i < n; i++)
    f->order[i] = (uint32_t)i;
  for (size_t i = n; i-- > 1;) {
    const size_t j = (size_t)geodisk_random_below(&random, i + 1);
    const uint32_t swapped = f->order[i];
    f->order[i] = f->order[j];
    f->order[j] = swapped;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double length = f->d->lengths[f->order[i] * f->d->nodes + node_of(f->d, f->order[j])];
      f->lengths[i * n + j] = i != j && embed_counts(length) ? (float)length : 0.0f;
      if (i == j || !embed_counts(length))
        continue;
      square += length * length;
      pairs += 1.0;
      f->furthest = length > f->furthest ? length : f->furthest;
    }
  f->descent.square = pairs > 0.0 ? square / pairs : 1.0;
}

/* Points that fall together would never part: each a little aside. */
static void part(const fitting *f, size_t count, double *flat) {
  double square = 0.0;
  geodisk_random random = geodisk_random_stream(f->o->seed, stream_of(STREAM_PLACE, 1, PLACE_SCALING));
  for (size_t i = 0; i < count; i++)
    square += flat[i] * flat[i] / (double)count;
  const double aside = square > 0.0 ? 1e-3 * sqrt(square) : 1.0;
  for (size_t i = 0; i < count; i++)
    flat[i] += aside * geodisk_random_normal(&random);
}

static geodisk_status scale(fitting *f) {
  const size_t dim = (size_t)f->o->dim, n = f->d->nodes;
  double *flat = geodisk_allocate(n, dim * sizeof *flat), square = 0.0;
  const geodisk_status st = flat ? embed_classical_scaling(f->context, f->d, f->o->dim, f->o->seed, flat)
                                 : geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  if (st == GEODISK_OK) {
    part(f, n * dim, flat);
    for (size_t i = 0; i < f->p.nodes; i++)
      memcpy(f->flat + i * dim, flat + node_of(f->d, f->order[i]) * dim, dim * sizeof *flat);
    for (size_t i = 0; i < f->p.nodes * dim; i++)
      square += f->flat[i] * f->flat[i] / (double)f->p.nodes;
  }
  f->size = sqrt(square);
  free(flat);
  return st;
}

/* ---- beginnings ---- */

/* p.rows are kept if they are better than all before; curve 0: they are nearly flat. */
static geodisk_status keep_better(fitting *f, const char *name, double curve, geodisk_distance_result *r) {
  if (!embed_judge_pairs(&f->p, r))
    return geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  const double figure = embed_figure(f->o->stress, r);
  if (f->start && !(figure < f->least))
    return GEODISK_OK;
  f->least = figure;
  f->start = name;
  f->curve = curve;
  memcpy(f->best, f->p.rows, f->p.nodes * ((size_t)f->o->dim + 1) * sizeof *f->best);
  return GEODISK_OK;
}

static geodisk_status descend(fitting *f, distance_course course, double curve, uint64_t epochs) {
  f->descent.course = course;
  f->descent.curve = curve;
  f->descent.epochs = epochs;
  return embed_descend_pairs(&f->p, &f->descent, &f->watch) ? GEODISK_OK
                                                            : geodisk_fail(f->context, GEODISK_ERROR_STOPPED, "stopped");
}

/* In flat space; then, unless that was asked for, brought into hyperbolic space, so small that it is as good there. */
static geodisk_status try_flat(fitting *f, uint64_t epochs) {
  const size_t dim = (size_t)f->o->dim;
  const bool asked = f->o->space == GEODISK_SPACE_EUCLIDEAN;
  geodisk_distance_result r;
  f->p.flat = true;
  embed_lift(&f->p, f->flat, f->size / COURSE_GROWTH);
  geodisk_status st = descend(f, COURSE_WHOLE, 1.0, epochs);
  f->p.flat = asked;
  for (size_t i = 0; i < f->p.nodes && !asked; i++)
    memcpy(f->flat + i * dim, f->p.rows + i * (dim + 1), dim * sizeof *f->flat);
  if (!asked)
    embed_lift(&f->p, f->flat, NEARLY_FLAT);
  const geodisk_status kept = st == GEODISK_OK || st == GEODISK_ERROR_STOPPED ? keep_better(f, "scaling", 0.0, &r) : st;
  f->flat_figure = kept == GEODISK_OK ? embed_figure(f->o->stress, &r) : 0.0;
  return kept == GEODISK_OK ? st : kept;
}

/* A tree of shortest ways from the hub, of a matrix one of shortest edges, constructed as deep as doubles resolve. */
static geodisk_status construct(fitting *f) {
  const size_t n = f->d->nodes, stride = (size_t)f->o->dim + 1;
  const geodisk_tree_options o = {.dim = f->o->dim, .precision = GEODISK_PRECISION_DOUBLE, .weighted = true};
  geodisk_tree_info info;
  uint32_t *parent = geodisk_allocate(n + 1, sizeof *parent);
  double *lengths = geodisk_allocate(n + 1, sizeof *lengths);
  const construction_forest forest = {.nodes = n, .parent = parent, .weights = lengths};
  f->tree = geodisk_allocate(n + 1, stride * sizeof *f->tree);
  const bool spanned =
      parent && lengths && f->tree &&
      (f->graph ? embed_span_shortest(f->graph, f->o->weighted, parent, lengths) : embed_span_matrix(f->d, parent, lengths));
  const geodisk_status st = spanned ? embed_construct(f->context, &o, &forest, f->tree, &info)
                                    : geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  geodisk_free_all(parent, lengths);
  return st;
}

static geodisk_status try_tree(fitting *f, uint64_t epochs) {
  const size_t stride = (size_t)f->o->dim + 1;
  geodisk_distance_result r;
  geodisk_status st = construct(f);
  if (st != GEODISK_OK)
    return st;
  for (size_t i = 0; i < f->p.nodes; i++)
    memcpy(f->p.rows + i * stride, f->tree + node_of(f->d, f->order[i]) * stride, stride * sizeof *f->tree);
  if (!embed_judge_pairs(&f->p, &r))
    return geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  if (!(r.scale > 0.0) || embed_figure(f->o->stress, &r) > 2.0 * f->least) /* no tree: it would not get far */
    return GEODISK_OK;
  const double curve = 1.0 / r.scale;
  st = descend(f, COURSE_WARM, curve, epochs);
  const geodisk_status kept = st == GEODISK_OK || st == GEODISK_ERROR_STOPPED ? keep_better(f, "tree", curve, &r) : st;
  return kept == GEODISK_OK ? st : kept;
}

/* Sources that do not take part are placed by those that do. */
static geodisk_status place_rest(const fitting *f, double curve) {
  const size_t known = f->p.count, rest = f->p.nodes - known;
  uint32_t *targets = geodisk_allocate(rest + 1, sizeof *targets);
  for (size_t i = 0; i < rest && targets; i++)
    targets[i] = node_of(f->d, f->order[known + i]);
  const distance_placing a = {.known = f->p,
                              .sources = f->order,
                              .lengths = f->d->lengths,
                              .nodes = f->d->nodes,
                              .count = rest,
                              .targets = targets,
                              .rows = f->p.rows + known * ((size_t)f->o->dim + 1),
                              .stress = f->o->stress,
                              .curve = curve,
                              .square = f->descent.square};
  if (!targets)
    return geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  embed_place_points(&a);
  free(targets);
  return GEODISK_OK;
}

/* At the curvature that suits a sample best: the others are placed by it, then all go on. */
static geodisk_status try_curved(fitting *f, uint64_t epochs) {
  const size_t stride = (size_t)f->o->dim + 1;
  geodisk_distance_result r;
  distance_search found = {.size = f->size, .furthest = f->furthest, .watch = &f->watch};
  f->p.count = f->p.nodes < SAMPLE ? f->p.nodes : SAMPLE;
  found.rows = geodisk_allocate(f->p.count, stride * sizeof *found.rows);
  geodisk_status st = found.rows ? embed_find_curve(&found, &f->p, f->flat, f->descent)
                                 : geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  if (st == GEODISK_OK) {
    memcpy(f->p.rows, found.rows, f->p.count * stride * sizeof *found.rows);
    st = place_rest(f, found.curve);
  }
  f->p.count = f->p.nodes;
  free(found.rows);
  if (st != GEODISK_OK)
    return st;
  st = descend(f, COURSE_PLACED, found.curve, epochs);
  const geodisk_status kept = st == GEODISK_OK || st == GEODISK_ERROR_STOPPED ? keep_better(f, "scaling", found.curve, &r) : st;
  return kept == GEODISK_OK ? st : kept;
}

/* Curvature up and down by ever smaller steps, each with a short descent. */
static geodisk_status refine(fitting *f) {
  const size_t size = f->p.nodes * ((size_t)f->o->dim + 1) * sizeof *f->best;
  const double fit = PAIRS_TO_REFINE / (0.5 * (double)f->p.nodes * (double)f->p.nodes), each = fit / MOST_TRIES;
  const uint64_t epochs = f->o->steps ? f->o->steps / 6 + 1 : each > 500.0 ? 500 : each < 12.0 ? 12 : (uint64_t)each;
  geodisk_distance_result r;
  geodisk_status st = GEODISK_OK;
  double by = 1.1;
  int failed = 0;
  for (int left = fit < MOST_TRIES * (double)epochs ? (int)(fit / (double)epochs) : MOST_TRIES; left > 0 && st == GEODISK_OK;
       left--) {
    const double before = f->least, curve = f->curve * by;
    memcpy(f->p.rows, f->best, size);
    embed_stretch(&f->p, by);
    const distance_course course = f->least < NEARLY_EXACT && left % 2 ? COURSE_EXACT : COURSE_LAST;
    if ((st = descend(f, course, curve, epochs)) == GEODISK_OK)
      st = keep_better(f, f->start, curve, &r);
    failed = f->least < before ? 0 : failed + 1;
    if (failed > 0)
      by = 1.0 / by; /* the other way, then less far */
    if (failed == 2) {
      by = sqrt(by);
      failed = 0;
    }
  }
  return st;
}

/* Warmed up once more, now that the curvature is known. */
static geodisk_status try_again(fitting *f, uint64_t epochs) {
  geodisk_distance_result r;
  const double curve = f->curve;
  memcpy(f->p.rows, f->best, f->p.nodes * ((size_t)f->o->dim + 1) * sizeof *f->best);
  const geodisk_status st = descend(f, COURSE_AGAIN, curve, epochs);
  return st == GEODISK_OK ? keep_better(f, f->start, curve, &r) : st;
}

/* From the best rows of the sources to rows of all nodes. */
static geodisk_status place_others(fitting *f, double *rows) {
  const size_t stride = (size_t)f->o->dim + 1, n = f->d->nodes;
  const bool tree = strcmp(f->start, "tree") == 0;
  uint32_t *targets = geodisk_allocate(n, sizeof *targets);
  geodisk_distance_result r;
  memcpy(f->p.rows, f->best, f->p.nodes * stride * sizeof *rows);
  const bool memory = targets && embed_judge_pairs(&f->p, &r);
  for (uint32_t u = 0; u < n && memory; u++)
    targets[u] = u;
  if (tree && memory)
    memcpy(rows, f->tree, n * stride * sizeof *rows);
  for (size_t i = 0; i < f->p.nodes && memory; i++) {
    const uint32_t u = node_of(f->d, f->order[i]);
    targets[u] = NO_NODE;
    memcpy(rows + u * stride, f->best + i * stride, stride * sizeof *rows);
  }
  const distance_placing a = {.known = f->p,
                              .sources = f->order,
                              .lengths = f->d->lengths,
                              .nodes = n,
                              .count = n,
                              .targets = targets,
                              .rows = rows,
                              .begun = tree,
                              .stress = f->o->stress,
                              .curve = memory && r.scale > 0.0 ? 1.0 / r.scale : 1.0,
                              .square = f->descent.square};
  if (memory && f->d->source_nodes)
    embed_place_points(&a);
  free(targets);
  return memory ? GEODISK_OK : geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
}

/* ---- all of it ---- */

/* Each pair of sources once. */
static geodisk_status judge_all(const fitting *f, const double *rows, geodisk_distance_result *out) {
  const size_t stride = (size_t)f->o->dim + 1, n = f->d->nodes;
  const bool flat = f->o->space == GEODISK_SPACE_EUCLIDEAN;
  double *r = geodisk_allocate(f->d->sources * n, sizeof *r), square;
  size_t count = 0;
  for (size_t i = 0; i < f->d->sources && r; i++) {
    const size_t u = node_of(f->d, i);
    for (size_t v = f->d->source_nodes ? 0 : i + 1; v < n; v++) {
      const double length = f->d->lengths[i * n + v];
      if (u != v && embed_counts(length))
        r[count++] = embed_distance_between(f->o->dim, flat, rows + u * stride, rows + v * stride, &square) / length;
    }
  }
  if (!r)
    return geodisk_no_memory(f->context, "for the distances of %zu nodes", f->d->nodes);
  embed_judge_ratios(count, r, out);
  out->start = f->start;
  out->flat = f->flat_figure;
  free(r);
  return GEODISK_OK;
}

static geodisk_status check(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o) {
  if (o->dim < 1 || o->dim > GEODISK_DIM_MOST)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "dim must be 1 to %d, not %d", GEODISK_DIM_MOST, o->dim);
  if ((unsigned)o->space > GEODISK_SPACE_EUCLIDEAN || (unsigned)o->stress > GEODISK_STRESS_SQUARED)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "there is no such %s",
                        (unsigned)o->stress > GEODISK_STRESS_SQUARED ? "stress" : "space");
  if (d->nodes < 2 || d->sources < 1 || (!d->source_nodes && d->sources != d->nodes))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "distances between at least two nodes are needed, not of %zu", d->nodes);
  bool any = false;
  for (size_t i = 0; i < d->sources * d->nodes; i++) {
    const double length = d->lengths[i];
    any |= length > 0.0 && isfinite(length);
    if (length > 0.0 && isfinite(length) && (length < LEAST_LENGTH || length > MOST_LENGTH))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                          "the distance of nodes %zu and %zu is %g: distances are from %g to %g, or 0; take another unit",
                          (size_t)node_of(d, i / d->nodes), i % d->nodes, length, LEAST_LENGTH, MOST_LENGTH);
  }
  return any ? GEODISK_OK
             : geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "no two nodes have a distance: there is nothing to fit");
}

/* Small ones take their time, large ones as many as a minute allows. */
static uint64_t epochs_for(double pairs) {
  const double easily = PAIRS_EASILY / pairs, fit = PAIRS_IN_ALL / pairs;
  if (easily > MANY_EPOCHS)
    return easily < MOST_EPOCHS ? (uint64_t)easily : MOST_EPOCHS;
  return fit > MANY_EPOCHS ? MANY_EPOCHS : fit < LEAST_EPOCHS ? LEAST_EPOCHS : (uint64_t)fit;
}

/* Everything that is tried; STOPPED: what there is is in f->best all the same, if f->start is set. */
static geodisk_status search(fitting *f) {
  const double pairs = 0.5 * (double)f->p.nodes * (double)f->p.nodes;
  const uint64_t epochs = f->o->steps ? f->o->steps : epochs_for(pairs);
  const bool flat = f->o->space == GEODISK_SPACE_EUCLIDEAN;
  const double sample = f->p.nodes < SAMPLE ? pairs : 0.5 * SAMPLE * SAMPLE;
  f->watch.total = (uint64_t)(pairs * (double)epochs * (flat ? 1.0 : 4.0) + (flat ? 0.0 : sample * SEARCH_EPOCHS));
  geodisk_status st = try_flat(f, epochs);
  if (flat)
    return st;
  if (st == GEODISK_OK && f->o->dim > 1 && (f->graph || !f->d->source_nodes))
    st = try_tree(f, epochs);
  if (st == GEODISK_OK)
    st = try_curved(f, epochs);
  if (st == GEODISK_OK && f->curve > 0.0)
    st = refine(f);
  if (st == GEODISK_OK && f->curve > 0.0 && pairs < PAIRS_EASILY / 10.0) /* of larger ones the minute is over */
    st = try_again(f, epochs);
  return st;
}

static bool make_room(fitting *f) {
  const size_t n = f->p.nodes, stride = (size_t)f->o->dim + 1;
  f->order = geodisk_allocate(n, sizeof *f->order);
  f->lengths = geodisk_allocate(n * n, sizeof *f->lengths);
  f->flat = geodisk_allocate(n, stride * sizeof *f->flat);
  f->best = geodisk_allocate(n, stride * sizeof *f->best);
  f->p.rows = geodisk_allocate(n, stride * sizeof *f->p.rows);
  f->p.blocks = geodisk_allocate(n / 32 + 3, sizeof *f->p.blocks);
  f->p.lengths = f->lengths;
  return f->order && f->lengths && f->flat && f->best && f->p.rows && f->p.blocks;
}

static geodisk_status fit(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *o,
                          const geodisk_graph *graph, double *points, double *gaps, geodisk_distance_result *result) {
  const size_t dim = (size_t)o->dim;
  fitting f = {.context = context, .d = d, .o = o, .graph = graph};
  f.p = (pair_points){.context = context,
                      .dim = o->dim,
                      .flat = o->space == GEODISK_SPACE_EUCLIDEAN,
                      .nodes = d->sources,
                      .count = d->sources,
                      .seed = o->seed};
  f.descent = (distance_descent){.stress = o->stress, .epoch = &f.epoch};
  geodisk_distance_result found;
  double *rows = geodisk_allocate(d->nodes, (dim + 1) * sizeof *rows);
  geodisk_status st =
      make_room(&f) && rows ? GEODISK_OK : geodisk_no_memory(f.context, "for the distances of %zu nodes", f.d->nodes);
  if (st == GEODISK_OK) {
    draw_order(&f);
    st = scale(&f);
  }
  if (st == GEODISK_OK)
    st = search(&f);
  if ((st == GEODISK_OK || st == GEODISK_ERROR_STOPPED) && f.start) {
    geodisk_status placed = place_others(&f, rows);
    if (placed == GEODISK_OK)
      placed = judge_all(&f, rows, &found);
    st = placed == GEODISK_OK ? st : placed;
    for (size_t u = 0; u < d->nodes && placed == GEODISK_OK; u++) {
      memcpy(points + u * dim, rows + u * (dim + 1), dim * sizeof *points);
      gaps[u] = rows[u * (dim + 1) + dim];
    }
    if (placed == GEODISK_OK && result)
      *result = found;
  }
  geodisk_free_all(rows, f.order, f.lengths, f.flat, f.tree, f.best, f.p.rows, f.p.blocks);
  return st;
}

static geodisk_status fit_rounding(geodisk_context *context, const geodisk_distances *d, const geodisk_distance_options *asked,
                                   const geodisk_graph *graph, double *points, double *gaps, geodisk_distance_result *result) {
  geodisk_distance_options o = *asked;
  o.steps = o.steps == GEODISK_EPOCHS_NONE ? 1 : o.steps;
  geodisk_status st = check(context, d, &o);
  if (st != GEODISK_OK)
    return st;
  fenv_t theirs; /* rounding to nearest, whatever the caller has set */
  fegetenv(&theirs);
  fesetenv(FE_DFL_ENV);
  st = fit(context, d, &o, graph, points, gaps, result);
  fesetenv(&theirs);
  return st;
}

geodisk_status geodisk_fit_distances(geodisk_context *context, const geodisk_distances *distances,
                                     const geodisk_distance_options *options, double *points, double *gaps,
                                     geodisk_distance_result *result) {
  return fit_rounding(context, distances, options, NULL, points, gaps, result);
}

/* Lengths of shortest ways from the sources. */
static geodisk_status measure(geodisk_context *context, const geodisk_graph *graph, bool weighted, size_t n_sources,
                              const uint32_t *sources, double *lengths) {
  const size_t n = geodisk_graph_nodes(graph);
  const geodisk_path_options from = {.sources = sources, .n_sources = n_sources};
  if (weighted)
    return geodisk_graph_lengths(context, graph, &from, lengths, NULL);
  uint32_t *hops = (uint32_t *)lengths; /* the first half of the room; read from behind, before it is written over */
  const geodisk_status st = geodisk_graph_hops(context, graph, &from, hops, NULL);
  for (size_t i = n_sources * n; i-- > 0 && st == GEODISK_OK;) {
    uint32_t h;
    memcpy(&h, (const char *)lengths + i * sizeof h, sizeof h);
    lengths[i] = h == GEODISK_GRAPH_UNREACHABLE ? (double)INFINITY : h;
  }
  return st;
}

geodisk_status geodisk_fit_graph_distances(geodisk_context *context, const geodisk_graph *graph,
                                           const geodisk_distance_options *options, double *points, double *gaps,
                                           geodisk_distance_result *result) {
  const size_t n = geodisk_graph_nodes(graph);
  uint32_t *sources = geodisk_allocate(n, sizeof *sources);
  const size_t count = n > ALL_PAIRS ? LANDMARKS : n;
  double *lengths = geodisk_allocate(count * n, sizeof *lengths);
  geodisk_status st = GEODISK_OK;
  if (!sources || !lengths) {
    st = geodisk_no_memory(context, "for the distances of %zu nodes", n);
  } else {
    if (n > ALL_PAIRS)
      geodisk_graph_sample(graph, count, options->seed, sources);
    else
      for (uint32_t u = 0; u < n; u++)
        sources[u] = u;
    st = measure(context, graph, options->weighted && geodisk_graph_weighted(graph), count, sources, lengths);
  }
  const geodisk_distances d = {n, count, n > ALL_PAIRS ? sources : NULL, lengths};
  if (st == GEODISK_OK)
    st = fit_rounding(context, &d, options, graph, points, gaps, result);
  geodisk_free_all(sources, lengths);
  return st;
}
