/* graph.c - the graph object: making it from rows, and what can be asked of it without computing. */
#include "graph_names.h"
#include "ranges.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>

/* Gives memory back that turned out not to be needed; harmless when that fails. */
static void shrink(csr *rows, uint64_t edges) {
  uint32_t *nodes = geodisk_reallocate(rows->nodes, (size_t)edges, sizeof *nodes);
  rows->nodes = nodes != NULL ? nodes : rows->nodes;
  if (rows->weights != NULL) {
    double *weights = geodisk_reallocate(rows->weights, (size_t)edges, sizeof *weights);
    rows->weights = weights != NULL ? weights : rows->weights;
  }
}

/* Leaves out self-loops and, of equal neighbours in a sorted row, all but the first; returns the edges left. */
static uint64_t make_simple(size_t nodes, csr *rows, geodisk_graph_dropped *dropped) {
  uint64_t kept = 0, row_start = 0;
  for (size_t u = 0; u < nodes; u++) {
    const uint64_t row_end = rows->offsets[u + 1];
    const uint64_t first = kept;
    for (uint64_t e = row_start; e < row_end; e++) {
      const uint32_t v = rows->nodes[e];
      if (v == u) {
        dropped->self_loops++;
      } else if (kept > first && rows->nodes[kept - 1] == v) {
        dropped->duplicates++;
      } else {
        csr_copy_edge(rows, e, rows, kept++);
      }
    }
    row_start = row_end;
    rows->offsets[u + 1] = kept;
  }
  return kept;
}

geodisk_status graph_from_rows(geodisk_context *context, name_index *names, csr *out, geodisk_graph_dropped *dropped,
                               geodisk_graph **graph) {
  const size_t nodes = names->count;
  geodisk_graph_dropped left_out = {0, 0};
  csr in = {NULL, NULL, NULL};
  geodisk_graph *made = geodisk_allocate_zero(1, sizeof *made);
  if (made == NULL || csr_allocate(nodes, out->offsets[nodes], out->weights != NULL, &in) != GEODISK_OK) {
    free(made);
    csr_free(out);
    names_release(names);
    return geodisk_no_memory(context, "for a graph of %zu nodes", nodes);
  }
  csr_transpose(nodes, out, &in); /* twice: sorts the rows of both; of equal edges the first stays the first */
  csr_transpose(nodes, &in, out);
  const uint64_t before = out->offsets[nodes];
  const uint64_t edges = make_simple(nodes, out, &left_out);
  geodisk_graph_dropped same = {0, 0};
  make_simple(nodes, &in, &same);
  if (edges < before) {
    shrink(out, edges);
    shrink(&in, edges);
  }
  if (edges == 0) { /* a graph without edges has no weights either */
    geodisk_free_all(out->weights, in.weights);
    out->weights = in.weights = NULL;
  }
  *made = (geodisk_graph){.nodes = nodes, .edges = edges, .out = *out, .in = in, .names = names};
  *out = (csr){NULL, NULL, NULL};
  if (dropped != NULL)
    *dropped = left_out;
  *graph = made;
  return GEODISK_OK;
}

geodisk_status graph_with_rows(geodisk_context *context, const geodisk_graph *of, csr *out, geodisk_graph **graph) {
  name_index *names;
  if (names_share(of->names, &names) != GEODISK_OK) {
    csr_free(out);
    return geodisk_no_memory(context, "for a graph of %zu nodes", of->nodes);
  }
  return graph_from_rows(context, names, out, NULL, graph);
}

void geodisk_graph_destroy(geodisk_graph *graph) {
  if (graph == NULL)
    return;
  csr_free(&graph->out);
  csr_free(&graph->in);
  names_release(graph->names);
  free(graph);
}

size_t geodisk_graph_nodes(const geodisk_graph *graph) { return graph->nodes; }
size_t geodisk_graph_edges(const geodisk_graph *graph) { return (size_t)graph->edges; }
bool geodisk_graph_weighted(const geodisk_graph *graph) { return graph->out.weights != NULL; }

geodisk_graph_rows geodisk_graph_out(const geodisk_graph *graph) {
  return (geodisk_graph_rows){graph->out.offsets, graph->out.nodes, graph->out.weights};
}

geodisk_graph_rows geodisk_graph_in(const geodisk_graph *graph) {
  return (geodisk_graph_rows){graph->in.offsets, graph->in.nodes, graph->in.weights};
}

void geodisk_graph_children(const geodisk_graph *graph, uint32_t *out) {
  for (size_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++)
      out[e] = (uint32_t)u;
}

bool geodisk_graph_has_edge(const geodisk_graph *graph, uint32_t child, uint32_t parent) {
  if (child >= graph->nodes)
    return false;
  const uint64_t first = graph->out.offsets[child];
  return csr_has(graph->out.nodes + first, (size_t)(graph->out.offsets[child + 1] - first), parent);
}

const char *geodisk_graph_name(const geodisk_graph *graph, uint32_t node) {
  return node < graph->nodes ? names_at(graph->names, node) : NULL;
}

size_t geodisk_graph_name_length(const geodisk_graph *graph, uint32_t node) {
  return node < graph->nodes ? names_length(graph->names, node) : 0;
}

const char *geodisk_graph_names(const geodisk_graph *graph, const uint64_t **starts) {
  *starts = graph->names->starts;
  return graph->names->bytes;
}

name_index *graph_names(const geodisk_graph *graph) { return graph->names; }

bool geodisk_graph_find(const geodisk_graph *graph, const char *name, size_t length, uint32_t *node) {
  return name != NULL && names_find(graph->names, name, length, node);
}

/* ---- fingerprint and size --------------------------------------------------------------------------------------------- */

/* One step of the fingerprint; the name hash of 16 bytes, lower byte first. */
static uint64_t absorb(uint64_t state, uint64_t value) {
  char bytes[16];
  for (int i = 0; i < 8; i++) {
    bytes[i] = (char)(state >> (8 * i));
    bytes[8 + i] = (char)(value >> (8 * i));
  }
  return name_hash(bytes, sizeof bytes);
}

uint64_t graph_range_hash(const graph_range *range) {
  uint64_t sum = 0;
  const uint64_t first_edge = range->offsets[0], first_name = range->starts[0];
  for (size_t i = 0; i < range->count; i++) {
    const uint64_t u = range->first + i;
    sum += absorb(
        u, name_hash(range->names + (range->starts[i] - first_name), (size_t)(range->starts[i + 1] - range->starts[i] - 1)));
    for (uint64_t e = range->offsets[i] - first_edge; e < range->offsets[i + 1] - first_edge; e++) {
      uint64_t hash = absorb(~u, range->targets[e]);
      if (range->weights != NULL) {
        const double weight = range->weights[e] + 0.0; /* -0 and 0 are equal */
        uint64_t bits;
        memcpy(&bits, &weight, sizeof bits);
        hash = absorb(hash, bits);
      }
      sum += hash;
    }
  }
  return sum;
}

uint64_t graph_fingerprint_of(uint64_t nodes, uint64_t edges, bool weighted, uint64_t sum) {
  return absorb(absorb(absorb(nodes, edges), weighted), sum);
}

uint64_t geodisk_graph_fingerprint(const geodisk_graph *graph) {
  const graph_range whole = {.count = graph->nodes,
                             .names = graph->names->bytes,
                             .starts = graph->names->starts,
                             .offsets = graph->out.offsets,
                             .targets = graph->out.nodes,
                             .weights = graph->out.weights};
  return graph_fingerprint_of(graph->nodes, graph->edges, graph->out.weights != NULL, graph_range_hash(&whole));
}

size_t geodisk_graph_memory(const geodisk_graph *graph) {
  const size_t edges = (size_t)graph->edges;
  const size_t per_edge = 2 * (sizeof(uint32_t) + (graph->out.weights != NULL ? sizeof(double) : 0));
  return sizeof *graph + edges * per_edge + 2 * (graph->nodes + 2) * sizeof(uint64_t) + (graph->nodes + 1) * sizeof(uint64_t) +
         graph->names->slot_count * sizeof(uint32_t) + (size_t)graph->names->starts[graph->nodes];
}
