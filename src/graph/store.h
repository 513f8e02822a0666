/* store.h - how a graph lies in memory: interned names, compressed rows both ways, and the builder that makes them. Internal to
 * the graph module. */
#ifndef GEODISK_GRAPH_STORE_H
#define GEODISK_GRAPH_STORE_H

#include "geodisk/graph.h"

/* Ids are 32-bit; the hash table keeps id + 1, and UINT32_MAX stays free to mean "none". */
#define NO_NODE   UINT32_MAX
#define MAX_NODES ((size_t)UINT32_MAX - 1)

/* ---- names ------------------------------------------------------------------------------------------------------------ */

/* Names in one block of bytes, each ended by a NUL, found by a hash table with linear probing. While names are added, a slot is
 * (upper half of the hash) << 32 | id + 1, or 0; the frozen index keeps only id + 1, in 4 bytes. */
typedef struct name_table {
  char *bytes;
  size_t used, capacity; /* bytes */
  uint64_t *starts;      /* count + 1; starts[count] == used */
  size_t count, room;
  uint64_t *slots;
  size_t slot_count; /* a power of two, or 0 */
} name_table;

typedef struct name_index {
  char *bytes;
  uint64_t *starts;
  uint32_t *slots;
  size_t count, slot_count;
} name_index;

uint64_t name_hash(const char *text, size_t length);

/* The id of a name, added if it is new. */
geodisk_status names_intern(name_table *names, const char *text, size_t length, uint32_t *id, bool *is_new);

/* The same for a name whose hash is known. A search in a large table waits for memory three times: for the slot, for where the
 * name starts, for the name. Called for many names before they are interned, step 0, then step 1, then step 2 fetch these ahead.
 */
geodisk_status names_intern_hashed(name_table *names, const char *text, size_t length, uint64_t hash, uint32_t *id, bool *is_new);
void names_fetch(const name_table *names, uint64_t hash, int step);
bool names_lookup(const name_table *names, const char *text, size_t length, uint32_t *id);
void names_free(name_table *names);

/* Turns the table into the compact index; the table is empty afterwards, whatever the result. */
geodisk_status names_freeze(name_table *names, name_index *index);
geodisk_status names_copy(const name_index *from, name_index *index);
bool index_lookup(const name_index *index, const char *text, size_t length, uint32_t *id);
void index_free(name_index *index);

/* ---- compressed rows -------------------------------------------------------------------------------------------------- */

typedef struct csr {
  uint64_t *offsets; /* nodes + 1 (allocated: nodes + 2) */
  uint32_t *nodes;
  double *weights; /* or NULL */
} csr;

/* Rows with room for `nodes` and `edges`, offsets zero. */
geodisk_status csr_allocate(size_t nodes, uint64_t edges, bool weighted, csr *out);
void csr_free(csr *rows);

/* The rows the other way round. Stable: entries of a new row come in the order of the old rows, so rows of the transpose are
 * sorted, and transposing twice sorts. `to` must have been allocated for as many edges; what it held is overwritten. */
void csr_transpose(size_t nodes, const csr *from, csr *to);

/* Copies one edge, with its weight if both have weights. */
static inline void csr_copy_edge(const csr *from, uint64_t e, csr *to, uint64_t at) {
  to->nodes[at] = from->nodes[e];
  if (to->weights != NULL && from->weights != NULL)
    to->weights[at] = from->weights[e];
}

/* Leaves out self-loops and, of equal neighbours in a sorted row, all but the first; returns the edges left. */
uint64_t csr_make_simple(size_t nodes, csr *rows, geodisk_graph_dropped *dropped);

/* ---- the graph -------------------------------------------------------------------------------------------------------- */

struct geodisk_graph {
  size_t nodes;
  uint64_t edges;
  csr out, in;
  name_index names;
};

/* A graph from out-rows in any order within the row, self-loops and duplicates allowed. Takes over *names and *out, which are
 * empty afterwards, whatever the result. */
geodisk_status graph_from_rows(geodisk_context *context, name_index *names, csr *out, geodisk_graph_dropped *dropped,
                               geodisk_graph **graph);

/* A graph with the same nodes as `of` and out-rows `out`, which are taken over. */
geodisk_status graph_with_rows(geodisk_context *context, const geodisk_graph *of, csr *out, geodisk_graph **graph);

/* ---- the builder ------------------------------------------------------------------------------------------------------ */

/* Collects names and edges in the order they come, in blocks (so that growing never copies), then sorts them into rows. */
enum { FIRST_BLOCK = 1 << 10, LARGEST_BLOCK = 1 << 17 };

typedef struct edge_block {
  struct edge_block *next;
  size_t count, capacity;
  double *weights;   /* capacity, or NULL */
  uint32_t *lines;   /* capacity, or NULL */
  uint32_t *parents; /* behind the children */
  uint32_t children[];
} edge_block;

typedef struct graph_builder {
  name_table names;
  edge_block *first, *last;
  uint64_t edges;
  bool weighted;   /* edges carry weights; set by the first call with one */
  bool keep_lines; /* edges carry line numbers, so that a duplicate can be found again */
} graph_builder;

/* A negative weight means: none given (1 if other edges have one). Self-loops may be added; they are left out at the end. */
geodisk_status builder_add(graph_builder *builder, uint32_t child, uint32_t parent, double weight, uint64_t line);

/* Makes the graph; the builder is empty afterwards, whatever the result. With keep_lines, the first duplicate found is described
 * in *repeat (child NO_NODE: there is none). */
typedef struct repeated_edge {
  uint32_t child, parent;
  uint64_t line; /* of its second occurrence */
} repeated_edge;
geodisk_status builder_finish(geodisk_context *context, graph_builder *builder, geodisk_graph_dropped *dropped,
                              repeated_edge *repeat /* or NULL */, geodisk_graph **out);
void builder_free(graph_builder *builder);

#endif
