/* hyperbolicity.c - Gromov's delta by the four-point condition.
 *
 * For four nodes with largest sum S1 = d(a,b) + d(c,d), twice their delta is S1 - max(S2, S3) <= min(d(a,b), d(c,d)) by the
 * triangle inequality. So pairs are taken from the farthest apart, each against all pairs before it, and when the distance at
 * hand is not more than twice the largest delta found, no later pair can give more. When the work is stopped before, half that
 * distance still bounds all that was not looked at.
 *
 * The delta of a graph is the largest of its blocks (biconnected components), so each is taken by itself, the largest first. A
 * block of n nodes has diameter at most n/2, so small ones soon cannot give more either. */
#include "base/sorting.h"
#include "blocks.h"
#include "order.h"

#include <math.h>
#include <stdlib.h>

enum { EXACT_NODES = 1500, SAMPLE_LEAST = 40, SAMPLE_MOST = 400, GROUPS = 10, FOURS_PER_GROUP = 100000, ALL_FOURS = 60 };
enum { STREAM_FOURS = 0x6d01, STREAM_CHOICE = 0x6d81 };
static const uint64_t pair_budget = 300000000, search_budget = 200000000;
static const double student_975 = 2.262157162740992; /* quantile of Student's t with GROUPS - 1 degrees of freedom */

typedef struct pair {
  uint16_t a, b;
} pair;

/* Distances between some nodes of a graph. */
typedef struct metric {
  uint32_t *hops; /* count x count */
  size_t count;
  uint32_t longest;      /* to any node */
  uint32_t eccentricity; /* the smallest, over these nodes, of the distance to the farthest node */
} metric;

static uint32_t hop(const metric *m, size_t a, size_t b) { return m->hops[a * m->count + b]; }

/* Twice the delta of four nodes. */
static uint32_t four_point(const metric *m, size_t a, size_t b, size_t c, size_t d) {
  const uint32_t x = hop(m, a, b) + hop(m, c, d), y = hop(m, a, c) + hop(m, b, d), z = hop(m, a, d) + hop(m, b, c);
  const uint32_t low = x < y ? x : y, high = x < y ? y : x; /* then z */
  return z > high ? z - high : high - (z > low ? z : low);
}

/* ---- distances -------------------------------------------------------------------------------------------------------- */

/* Puts `wanted` nodes, chosen at random, to the front in random order: every GROUPS-th of them is then a random group too. */
static void choose(uint32_t *nodes, size_t count, size_t wanted, uint64_t seed) {
  geodisk_random random = geodisk_random_stream(seed, STREAM_CHOICE);
  for (size_t i = 0; i < wanted; i++) {
    const size_t j = i + (size_t)geodisk_random_below(&random, count - i);
    const uint32_t node = nodes[i];
    nodes[i] = nodes[j];
    nodes[j] = node;
  }
}

/* How many of `count` nodes to search from. */
static size_t sample_size(const geodisk_graph *graph, size_t count, size_t asked) {
  size_t size = asked;
  if (size == 0) {
    size = (size_t)(search_budget / (graph->nodes + 2 * graph->edges + 1));
    size = size < SAMPLE_LEAST ? SAMPLE_LEAST : size > SAMPLE_MOST ? SAMPLE_MOST : size;
  }
  size = size < UINT16_MAX ? size : UINT16_MAX;
  return size < count ? size : count;
}

/* Distances between the first m->count of `nodes`, which are all in one component. */
static geodisk_status measure(geodisk_context *context, const geodisk_graph *graph, geodisk_way way, const uint32_t *nodes,
                              metric *m) {
  enum { ROWS = 64 };
  uint32_t *rows = geodisk_allocate(graph->nodes, ROWS * sizeof *rows);
  m->hops = geodisk_allocate(m->count * m->count, sizeof *m->hops);
  m->longest = 0;
  m->eccentricity = UINT32_MAX;
  geodisk_status status = rows != NULL && m->hops != NULL
                              ? GEODISK_OK
                              : geodisk_no_memory(context, "for the hyperbolicity of %zu nodes", graph->nodes);
  for (size_t first = 0; first < m->count && status == GEODISK_OK; first += ROWS) {
    const size_t now = m->count - first < ROWS ? m->count - first : ROWS;
    status = geodisk_graph_hops(context, graph, &(geodisk_path_options){.way = way, .sources = nodes + first, .n_sources = now},
                                rows, NULL);
    for (size_t i = 0; i < now && status == GEODISK_OK; i++) {
      const uint32_t *row = rows + i * graph->nodes;
      uint32_t farthest = 0;
      for (size_t v = 0; v < graph->nodes; v++)
        if (row[v] != GEODISK_GRAPH_UNREACHABLE && row[v] > farthest)
          farthest = row[v];
      m->eccentricity = farthest < m->eccentricity ? farthest : m->eccentricity;
      m->longest = farthest > m->longest ? farthest : m->longest;
      for (size_t j = 0; j < m->count; j++)
        m->hops[(first + i) * m->count + j] = row[nodes[j]];
    }
  }
  free(rows);
  return status;
}

/* ---- from the farthest pairs ------------------------------------------------------------------------------------------ */

/* All pairs, farthest first (a counting sort). NULL without memory. */
static pair *sorted_pairs(const metric *m, size_t *count) {
  const size_t n = m->count;
  *count = n * (n - 1) / 2;
  pair *pairs = geodisk_allocate(*count, sizeof *pairs);
  size_t *start = geodisk_allocate_zero((size_t)m->longest + 2, sizeof *start);
  if (pairs == NULL || start == NULL) {
    geodisk_free_all(pairs, start);
    return NULL;
  }
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < a; b++)
      start[m->longest - hop(m, a, b) + 1]++;
  for (uint32_t d = 0; d < m->longest; d++)
    start[d + 1] += start[d];
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < a; b++)
      pairs[start[m->longest - hop(m, a, b)]++] = (pair){(uint16_t)a, (uint16_t)b};
  free(start);
  return pairs;
}

/* What is known of the graph's delta so far, doubled, and the steps left. */
typedef struct delta_search {
  uint32_t lower, upper;
  uint64_t steps_left, steps_reported;
} delta_search;

/* Goes over the pairs of these nodes. *rest: twice what the fours not looked at may have, at most. */
static geodisk_status search_pairs(geodisk_context *context, const metric *m, delta_search *search, uint32_t *rest) {
  size_t count;
  pair *pairs = sorted_pairs(m, &count);
  if (pairs == NULL)
    return geodisk_no_memory(context, "for the distances of %zu nodes", m->count);
  geodisk_status status = GEODISK_OK;
  uint32_t best = search->lower;
  *rest = 0;
  for (size_t i = 1; i < count && status == GEODISK_OK; i++) {
    const uint32_t distance = hop(m, pairs[i].a, pairs[i].b);
    if (distance <= best)
      break;
    if (search->steps_left < i) {
      *rest = distance;
      break;
    }
    for (size_t j = 0; j < i; j++) {
      const uint32_t delta = four_point(m, pairs[i].a, pairs[i].b, pairs[j].a, pairs[j].b);
      best = delta > best ? delta : best;
    }
    search->steps_left -= i;
    if (search->steps_reported - search->steps_left > pair_budget / 100) {
      search->steps_reported = search->steps_left;
      const geodisk_progress progress = {.task = "measuring hyperbolicity", .unit = "steps"};
      if (!geodisk_progress_event(context, &progress))
        status = geodisk_fail(context, GEODISK_ERROR_STOPPED, "hyperbolicity: stopped");
    }
  }
  free(pairs);
  search->lower = best;
  return status;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------------- */

/* The undirected graph between the n members, without names: out-rows and in-rows are the same arrays. local[u] is the number of
 * u among the members, NO_NODE for all others, before and after. */
static geodisk_status block_graph(geodisk_context *context, const geodisk_graph *graph, const uint32_t *members, size_t n,
                                  uint32_t *local, geodisk_graph *block) {
  const csr *sides[2] = {&graph->out, &graph->in};
  uint64_t edges = 0;
  csr rows;
  for (size_t i = 0; i < n; i++) {
    local[members[i]] = (uint32_t)i;
    edges += parents_of(graph, members[i]) + children_of(graph, members[i]); /* more than enough */
  }
  geodisk_status status = csr_allocate(n, edges, false, &rows);
  for (size_t i = 0; i < n && status == GEODISK_OK; i++) {
    uint64_t at = rows.offsets[i];
    for (int side = 0; side < 2; side++)
      for (uint64_t e = sides[side]->offsets[members[i]]; e < sides[side]->offsets[members[i] + 1]; e++)
        if (local[sides[side]->nodes[e]] != NO_NODE)
          rows.nodes[at++] = local[sides[side]->nodes[e]];
    rows.offsets[i + 1] = at;
  }
  for (size_t i = 0; i < n; i++)
    local[members[i]] = NO_NODE;
  if (status != GEODISK_OK)
    return geodisk_no_memory(context, "for the hyperbolicity of %zu nodes", graph->nodes);
  *block = (geodisk_graph){.nodes = n, .edges = rows.offsets[n], .out = rows, .in = rows};
  return GEODISK_OK;
}

/* One block; the search's bounds grow by what it may have. */
static geodisk_status search_block(geodisk_context *context, const geodisk_graph *block,
                                   const geodisk_hyperbolicity_options *options, delta_search *search) {
  const size_t exact_nodes = options->exact_nodes > 0 ? options->exact_nodes : EXACT_NODES;
  const bool all = block->nodes <= exact_nodes && block->nodes <= UINT16_MAX;
  metric m = {.count = all ? block->nodes : sample_size(block, block->nodes, options->sample_nodes)};
  uint32_t rest = 0, *nodes = geodisk_allocate(block->nodes, sizeof *nodes);
  geodisk_status status =
      nodes != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the hyperbolicity of %zu nodes", block->nodes);
  for (size_t i = 0; i < block->nodes && status == GEODISK_OK; i++)
    nodes[i] = (uint32_t)i;
  if (status == GEODISK_OK && !all)
    choose(nodes, block->nodes, m.count, options->seed);
  if (status == GEODISK_OK)
    status = measure(context, block, GEODISK_WAY_TO_PARENTS, nodes, &m);
  if (status == GEODISK_OK)
    status = search_pairs(context, &m, search, &rest);
  if (status == GEODISK_OK && !all)
    rest = 2 * m.eccentricity; /* the diameter is at most twice that, and delta at most half the diameter */
  search->upper = rest > search->upper ? rest : search->upper;
  geodisk_free_all(nodes, m.hops);
  return status;
}

/* Blocks of the whole graph; those outside the component are passed over. */
static geodisk_status search_blocks(geodisk_context *context, const geodisk_graph *graph, const bool *inside,
                                    const geodisk_hyperbolicity_options *options, delta_search *search) {
  enum { LEAST = 4 }; /* three nodes have no four */
  block_list blocks = {NULL, NULL, 0};
  geodisk_status status = find_blocks(context, graph, LEAST, &blocks);
  if (status != GEODISK_OK)
    return status;
  sized_number *sizes = geodisk_allocate(blocks.count, sizeof *sizes);
  uint32_t *local = geodisk_allocate(graph->nodes, sizeof *local);
  if (sizes == NULL || local == NULL) {
    status = geodisk_no_memory(context, "for the hyperbolicity of %zu nodes", graph->nodes);
    goto done;
  }
  for (size_t u = 0; u < graph->nodes; u++)
    local[u] = NO_NODE;
  for (size_t i = 0; i < blocks.count; i++)
    sizes[i] = (sized_number){(uint32_t)(blocks.starts[i + 1] - blocks.starts[i]), (uint32_t)i};
  qsort(sizes, blocks.count, sizeof *sizes, larger_first);
  for (size_t i = 0; i < blocks.count && sizes[i].size / 2 > search->lower && status == GEODISK_OK; i++) {
    const uint32_t *members = blocks.members + blocks.starts[sizes[i].number];
    geodisk_graph block;
    if (!inside[members[0]])
      continue;
    if ((status = block_graph(context, graph, members, sizes[i].size, local, &block)) != GEODISK_OK)
      break;
    status = search_block(context, &block, options, search);
    csr_free(&block.out);
  }
  search->upper = search->upper > search->lower ? search->upper : search->lower;

done:
  geodisk_free_all(sizes, local);
  blocks_free(&blocks);
  return status;
}

/* ---- random fours ----------------------------------------------------------------------------------------------------- */

typedef struct four_sums {
  uint64_t twice_delta, distance, fours;
} four_sums;

static void add_four(const metric *m, const size_t v[4], four_sums *sums) {
  sums->twice_delta += four_point(m, v[0], v[1], v[2], v[3]);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++)
      sums->distance += hop(m, v[i], v[j]);
  sums->fours++;
}

static void all_fours(const metric *m, geodisk_hyperbolicity *out) {
  four_sums sums = {0, 0, 0};
  size_t v[4];
  for (v[0] = 3; v[0] < m->count; v[0]++)
    for (v[1] = 2; v[1] < v[0]; v[1]++)
      for (v[2] = 1; v[2] < v[1]; v[2]++)
        for (v[3] = 0; v[3] < v[2]; v[3]++)
          add_four(m, v, &sums);
  const double fours = sums.fours > 0 ? (double)sums.fours : 1;
  out->mean = out->mean_low = out->mean_high = (double)sums.twice_delta / 2 / fours;
  out->mean_distance = (double)sums.distance / 6 / fours;
}

/* Each group of nodes by itself, so that the groups' means are independent. */
static void random_fours(const metric *m, uint64_t seed, geodisk_hyperbolicity *out) {
  double means[GROUPS], mean = 0, variance = 0, distance = 0;
  const size_t size = m->count / GROUPS;
  for (size_t g = 0; g < GROUPS; g++) {
    geodisk_random random = geodisk_random_stream(seed, STREAM_FOURS + (uint64_t)g);
    four_sums sums = {0, 0, 0};
    while (sums.fours < FOURS_PER_GROUP) {
      size_t v[4];
      for (int k = 0; k < 4; k++)
        v[k] = g + GROUPS * (size_t)geodisk_random_below(&random, size);
      if (v[0] != v[1] && v[0] != v[2] && v[0] != v[3] && v[1] != v[2] && v[1] != v[3] && v[2] != v[3])
        add_four(m, v, &sums);
    }
    means[g] = (double)sums.twice_delta / 2 / FOURS_PER_GROUP;
    mean += means[g] / GROUPS;
    distance += (double)sums.distance / 6 / FOURS_PER_GROUP / GROUPS;
  }
  for (size_t g = 0; g < GROUPS; g++)
    variance += (means[g] - mean) * (means[g] - mean) / (GROUPS - 1);
  const double half_width = student_975 * sqrt(variance / GROUPS);
  out->mean = mean;
  out->mean_low = mean > half_width ? mean - half_width : 0;
  out->mean_high = mean + half_width;
  out->mean_distance = distance;
}

static geodisk_status mean_of_fours(geodisk_context *context, const geodisk_graph *graph, uint32_t *nodes,
                                    const geodisk_hyperbolicity_options *options, geodisk_hyperbolicity *out) {
  metric m = {.count = out->nodes <= ALL_FOURS ? out->nodes : sample_size(graph, out->nodes, options->sample_nodes)};
  if (out->nodes > ALL_FOURS && m.count < SAMPLE_LEAST) /* groups of at least four */
    m.count = SAMPLE_LEAST;
  choose(nodes, out->nodes, m.count, options->seed);
  const geodisk_status status = measure(context, graph, GEODISK_WAY_BOTH, nodes, &m);
  if (status == GEODISK_OK && out->nodes <= ALL_FOURS)
    all_fours(&m, out);
  else if (status == GEODISK_OK)
    random_fours(&m, options->seed, out);
  out->longest = m.longest;
  free(m.hops);
  return status;
}

/* ---- public ----------------------------------------------------------------------------------------------------------- */

/* The nodes of the largest weak component, ascending, and for each node whether it is one of them. */
static geodisk_status largest_component(geodisk_context *context, const geodisk_graph *graph, uint32_t *nodes, bool *inside,
                                        size_t *count) {
  size_t components, best = 0;
  uint32_t *component = geodisk_allocate(graph->nodes, sizeof *component);
  uint32_t *size = geodisk_allocate_zero(graph->nodes, sizeof *size);
  geodisk_status status = component != NULL && size != NULL
                              ? geodisk_graph_components(context, graph, false, component, &components)
                              : geodisk_no_memory(context, "for the hyperbolicity of %zu nodes", graph->nodes);
  if (status == GEODISK_OK) {
    for (size_t u = 0; u < graph->nodes; u++)
      size[component[u]]++;
    for (size_t c = 1; c < components; c++)
      best = size[c] > size[best] ? c : best;
    *count = 0;
    for (size_t u = 0; u < graph->nodes; u++) {
      inside[u] = component[u] == best;
      if (inside[u])
        nodes[(*count)++] = (uint32_t)u;
    }
  }
  geodisk_free_all(component, size);
  return status;
}

geodisk_status geodisk_graph_hyperbolicity(geodisk_context *context, const geodisk_graph *graph,
                                           const geodisk_hyperbolicity_options *options, geodisk_hyperbolicity *out) {
  if (graph == NULL || out == NULL || graph->nodes == 0)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "hyperbolicity: there is no node");
  options = options != NULL ? options : &(const geodisk_hyperbolicity_options){0};
  geodisk_hyperbolicity result = {.exact = false};
  delta_search search = {0, 0, pair_budget, pair_budget};
  uint32_t *nodes = geodisk_allocate(graph->nodes, sizeof *nodes);
  bool *inside = geodisk_allocate(graph->nodes, sizeof *inside);
  geodisk_status status = nodes != NULL && inside != NULL
                              ? largest_component(context, graph, nodes, inside, &result.nodes)
                              : geodisk_no_memory(context, "for the hyperbolicity of %zu nodes", graph->nodes);
  if (status == GEODISK_OK)
    status = search_blocks(context, graph, inside, options, &search);
  if (status == GEODISK_OK)
    status = mean_of_fours(context, graph, nodes, options, &result);
  if (status == GEODISK_OK) {
    result.exact = search.lower == search.upper;
    result.lower = (double)search.lower / 2;
    result.upper = (double)search.upper / 2;
    *out = result;
  }
  geodisk_free_all(nodes, inside);
  return status;
}
