/* builder.c - collects names and edges as they come and makes a graph of them; also the graph made from arrays.
 *
 * Peak memory: 8 bytes per edge in the blocks while the first rows (4 bytes per edge) are filled; then the blocks go and the
 * transposed rows come. */
#include "base/sorting.h"
#include "store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_blocks(graph_builder *builder) {
  for (edge_block *block = builder->first, *next; block != NULL; block = next) {
    next = block->next;
    geodisk_free_all(block->weights, block->lines, block);
  }
  builder->first = builder->last = NULL;
}

void builder_free(graph_builder *builder) {
  free_blocks(builder);
  names_free(&builder->names);
}

/* ---- adding edges ----------------------------------------------------------------------------------------------------- */

static geodisk_status add_weights(edge_block *block) {
  block->weights = geodisk_allocate(block->capacity, sizeof *block->weights);
  if (block->weights == NULL)
    return GEODISK_ERROR_MEMORY;
  for (size_t i = 0; i < block->count; i++)
    block->weights[i] = 1;
  return GEODISK_OK;
}

static geodisk_status add_block(graph_builder *builder) {
  size_t capacity = builder->last != NULL ? 2 * builder->last->capacity : FIRST_BLOCK;
  if (capacity > LARGEST_BLOCK)
    capacity = LARGEST_BLOCK;
  edge_block *block = geodisk_allocate(sizeof *block + 2 * capacity * sizeof(uint32_t), 1);
  if (block == NULL)
    return GEODISK_ERROR_MEMORY;
  *block = (edge_block){.capacity = capacity, .parents = block->children + capacity};
  block->lines = builder->keep_lines ? geodisk_allocate(capacity, sizeof *block->lines) : NULL;
  if ((builder->keep_lines && block->lines == NULL) || (builder->weighted && add_weights(block) != GEODISK_OK)) {
    geodisk_free_all(block->lines, block);
    return GEODISK_ERROR_MEMORY;
  }
  if (builder->last != NULL)
    builder->last->next = block;
  else
    builder->first = block;
  builder->last = block;
  return GEODISK_OK;
}

geodisk_status builder_add(graph_builder *builder, uint32_t child, uint32_t parent, double weight, uint64_t line) {
  if ((builder->last == NULL || builder->last->count == builder->last->capacity) && add_block(builder) != GEODISK_OK)
    return GEODISK_ERROR_MEMORY;
  if (weight >= 0 && !builder->weighted) {
    for (edge_block *block = builder->first; block != NULL; block = block->next)
      if (block->weights == NULL && add_weights(block) != GEODISK_OK)
        return GEODISK_ERROR_MEMORY;
    builder->weighted = true;
  }
  edge_block *block = builder->last;
  block->children[block->count] = child;
  block->parents[block->count] = parent;
  if (block->weights != NULL)
    block->weights[block->count] = weight >= 0 ? weight : 1;
  if (block->lines != NULL)
    block->lines[block->count] = line <= UINT32_MAX ? (uint32_t)line : 0;
  block->count++;
  builder->edges++;
  return GEODISK_OK;
}

/* ---- finishing -------------------------------------------------------------------------------------------------------- */

typedef struct blocks_of {
  const graph_builder *builders;
  size_t count, at;
  bool weighted;
  const edge_block *block; /* of builder `at`; NULL: its first one */
} blocks_of;

static bool next_block(void *user, uint64_t piece, csr_pairs *out) {
  blocks_of *all = user;
  if (piece == 0)
    all->at = 0, all->block = all->builders->first;
  else
    all->block = all->block->next;
  while (all->block == NULL && ++all->at < all->count)
    all->block = all->builders[all->at].first;
  if (all->block == NULL)
    return false;
  *out = (csr_pairs){.count = all->block->count,
                     .from = all->block->children,
                     .to = all->block->parents,
                     .weights = all->weighted ? all->block->weights : NULL};
  return true;
}

geodisk_status builder_rows(const graph_builder *builders, size_t count, bool weighted, size_t nodes, csr *rows) {
  uint64_t edges = 0;
  for (size_t i = 0; i < count; i++)
    edges += builders[i].edges;
  blocks_of all = {.builders = builders, .count = count, .weighted = weighted};
  const geodisk_status status = csr_allocate(nodes, edges, weighted, rows);
  if (status == GEODISK_OK)
    csr_fill(nodes, next_block, &all, rows);
  return status;
}

/* The first row with a neighbour twice, its neighbour, and the line where it is named for the second time. Self-loops count only
 * once they are reported as such, so they are passed over. */
static geodisk_status find_repeat(const graph_builder *builder, size_t nodes, const csr *rows, repeated_edge *repeat) {
  *repeat = (repeated_edge){NO_NODE, NO_NODE, 0};
  uint64_t longest = 0;
  for (size_t u = 0; u < nodes; u++)
    longest = rows->offsets[u + 1] - rows->offsets[u] > longest ? rows->offsets[u + 1] - rows->offsets[u] : longest;
  uint32_t *row = geodisk_allocate((size_t)longest, sizeof *row);
  if (row == NULL)
    return GEODISK_ERROR_MEMORY;
  for (size_t u = 0; u < nodes && repeat->child == NO_NODE; u++) {
    const size_t degree = (size_t)(rows->offsets[u + 1] - rows->offsets[u]);
    memcpy(row, rows->nodes + rows->offsets[u], degree * sizeof *row);
    qsort(row, degree, sizeof *row, ascending_u32);
    for (size_t i = 1; i < degree; i++)
      if (row[i] == row[i - 1] && row[i] != u) {
        *repeat = (repeated_edge){(uint32_t)u, row[i], 0};
        break;
      }
  }
  free(row);
  int seen = 0;
  for (const edge_block *block = builder->first; block != NULL && repeat->child != NO_NODE; block = block->next)
    for (size_t i = 0; i < block->count; i++)
      if (block->children[i] == repeat->child && block->parents[i] == repeat->parent && ++seen == 2)
        repeat->line = block->lines[i];
  return GEODISK_OK;
}

geodisk_status builder_finish(geodisk_context *context, graph_builder *builder, geodisk_graph_dropped *dropped,
                              repeated_edge *repeat, geodisk_graph **out) {
  geodisk_status status;
  name_index *names = NULL;
  csr rows = {NULL, NULL, NULL};
  const uint64_t edges = builder->edges;
  if ((status = names_freeze(&builder->names, &names)) != GEODISK_OK)
    goto done;
  if ((status = builder_rows(builder, 1, builder->weighted, names->count, &rows)) != GEODISK_OK)
    goto done;
  if (builder->keep_lines && repeat != NULL && (status = find_repeat(builder, names->count, &rows, repeat)) != GEODISK_OK)
    goto done;
  builder_free(builder);
  return graph_from_rows(context, names, &rows, dropped, out);

done:
  builder_free(builder);
  csr_free(&rows);
  names_release(names);
  return geodisk_fail(context, status, "not enough memory for a graph of %" PRIu64 " edges", edges);
}

/* ---- a graph from arrays ---------------------------------------------------------------------------------------------- */

static geodisk_status add_names(geodisk_context *context, const geodisk_graph_arrays *arrays, name_table *names) {
  for (size_t i = 0; i < arrays->nodes; i++) {
    char number[32];
    snprintf(number, sizeof number, "%zu", i);
    const char *name = arrays->names != NULL ? arrays->names[i] : number;
    if (name == NULL)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "name %zu is NULL", i);
    const size_t length = strlen(name);
    if (geodisk_utf8_prefix(name, length) < length)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "name %zu is not valid UTF-8", i);
    uint32_t id;
    bool is_new;
    const geodisk_status status = names_intern(names, name, length, &id, &is_new);
    if (status == GEODISK_ERROR_UNSUPPORTED)
      return geodisk_fail(context, status, "more than %zu nodes", NAMES_MAX);
    if (status != GEODISK_OK)
      return geodisk_fail(context, status, "not enough memory for the names of %zu nodes", arrays->nodes);
    if (!is_new)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "names %u and %zu are the same: '%.60s'", id, i, name);
  }
  return GEODISK_OK;
}

static geodisk_status add_edges(geodisk_context *context, const geodisk_graph_arrays *arrays, graph_builder *builder) {
  for (size_t e = 0; e < arrays->edges; e++) {
    const uint32_t child = arrays->children[e], parent = arrays->parents[e];
    const double weight = arrays->weights != NULL ? arrays->weights[e] : -1;
    if (child >= arrays->nodes || parent >= arrays->nodes)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "edge %zu: %u -> %u is not between nodes 0 .. %zu", e, child, parent,
                          arrays->nodes - 1);
    if (arrays->weights != NULL && !(weight >= 0 && weight <= HUGE_VAL && !isinf(weight)))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "edge %zu: weight %g is not finite and >= 0", e, weight);
    if (builder_add(builder, child, parent, weight, 0) != GEODISK_OK)
      return geodisk_no_memory(context, "for %zu edges", arrays->edges);
  }
  return GEODISK_OK;
}

geodisk_status geodisk_graph_create(geodisk_context *context, const geodisk_graph_arrays *arrays, geodisk_graph_dropped *dropped,
                                    geodisk_graph **out) {
  if (arrays == NULL || out == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "graph from arrays: %s is NULL", arrays == NULL ? "arrays" : "out");
  if (arrays->edges > 0 && (arrays->children == NULL || arrays->parents == NULL))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "graph from arrays: children or parents is NULL");
  if (arrays->nodes > NAMES_MAX)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "graph from arrays: %zu nodes, more than %zu", arrays->nodes,
                        NAMES_MAX);
  graph_builder builder = {.weighted = false};
  geodisk_status status = add_names(context, arrays, &builder.names);
  if (status == GEODISK_OK)
    status = add_edges(context, arrays, &builder);
  if (status == GEODISK_OK)
    return builder_finish(context, &builder, dropped, NULL, out);
  builder_free(&builder);
  return status;
}
