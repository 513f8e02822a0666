/* blocks.c - biconnected components by Hopcroft and Tarjan's depth-first search, without recursion. */
#include "blocks.h"
#include "order.h"

typedef struct block_search {
  const geodisk_graph *graph;
  uint32_t *number; /* 1 + order of the visit; 0: not visited */
  uint32_t *low;    /* the smallest number reached from below by one edge up */
  uint32_t *path;   /* the nodes under way */
  uint32_t *held;   /* visited nodes that belong to no finished block yet */
  uint64_t *next;   /* next neighbour of a node to look at */
  size_t path_length, held_length, least;
  uint32_t visits;
  block_list blocks;
} block_search;

/* Neighbour k of u: parents first, then children. */
static uint32_t neighbour(const geodisk_graph *graph, uint32_t u, uint64_t k) {
  const uint64_t parents = parents_of(graph, u);
  return k < parents ? graph->out.nodes[graph->out.offsets[u] + k] : graph->in.nodes[graph->in.offsets[u] + (k - parents)];
}

static void enter(block_search *s, uint32_t u) {
  s->number[u] = s->low[u] = ++s->visits;
  s->next[u] = 0;
  s->path[s->path_length++] = u;
  s->held[s->held_length++] = u;
}

/* v is finished, `above` is the node it was entered from. If nothing below v reaches past `above`, what is held since v is a
 * block together with `above`. */
static void leave(block_search *s, uint32_t v, uint32_t above) {
  if (s->low[v] < s->number[above]) {
    s->low[above] = s->low[v] < s->low[above] ? s->low[v] : s->low[above];
    return;
  }
  block_list *b = &s->blocks;
  uint64_t end = b->starts[b->count];
  uint32_t member;
  do {
    member = s->held[--s->held_length];
    b->members[end++] = member;
  } while (member != v);
  b->members[end++] = above;
  if (end - b->starts[b->count] >= s->least)
    b->starts[++b->count] = end;
}

static void search_from(block_search *s, uint32_t start) {
  enter(s, start);
  while (s->path_length > 0) {
    const uint32_t u = s->path[s->path_length - 1];
    const uint32_t above = s->path_length > 1 ? s->path[s->path_length - 2] : NO_NODE;
    if (s->next[u] == parents_of(s->graph, u) + children_of(s->graph, u)) {
      s->path_length--;
      if (above != NO_NODE)
        leave(s, u, above);
      continue;
    }
    const uint32_t v = neighbour(s->graph, u, s->next[u]++);
    if (s->number[v] == 0)
      enter(s, v);
    else if (s->number[v] < s->low[u]) /* also the node above: that is no way past it */
      s->low[u] = s->number[v];
  }
  s->held_length = 0; /* the start itself */
}

geodisk_status find_blocks(geodisk_context *context, const geodisk_graph *graph, size_t least, block_list *out) {
  const size_t nodes = graph->nodes;
  geodisk_status status = GEODISK_OK;
  block_search s = {.graph = graph, .least = least};
  s.number = geodisk_allocate_zero(nodes, sizeof *s.number);
  s.low = geodisk_allocate(nodes, sizeof *s.low);
  s.path = geodisk_allocate(nodes, sizeof *s.path);
  s.held = geodisk_allocate(nodes, sizeof *s.held);
  s.next = geodisk_allocate(nodes, sizeof *s.next);
  s.blocks.members = geodisk_allocate(2 * nodes, sizeof *s.blocks.members); /* each block adds one to the nodes it closes */
  s.blocks.starts = geodisk_allocate_zero(nodes + 1, sizeof *s.blocks.starts);
  if (s.number == NULL || s.low == NULL || s.path == NULL || s.held == NULL || s.next == NULL || s.blocks.members == NULL ||
      s.blocks.starts == NULL) {
    blocks_free(&s.blocks);
    status = geodisk_no_memory(context, "for the blocks of %zu nodes", graph->nodes);
  } else {
    for (size_t u = 0; u < nodes; u++)
      if (s.number[u] == 0)
        search_from(&s, (uint32_t)u);
    *out = s.blocks;
  }
  geodisk_free_all(s.number, s.low, s.path, s.held, s.next);
  return status;
}

void blocks_free(block_list *blocks) {
  geodisk_free_all(blocks->members, blocks->starts);
  *blocks = (block_list){NULL, NULL, 0};
}
