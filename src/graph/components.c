/* components.c - topological order (Kahn), weak components, strong components (Tarjan, without recursion), and one example of a
 * cycle. */
#include "order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

geodisk_status topological_order(geodisk_context *context, const geodisk_graph *graph, uint32_t *order, size_t *sorted) {
  uint64_t *waiting = geodisk_allocate(graph->nodes, sizeof *waiting); /* parents not yet in the order */
  if (waiting == NULL)
    return geodisk_no_memory(context, "for a topological order of %zu nodes", graph->nodes);
  size_t end = 0;
  for (size_t u = 0; u < graph->nodes; u++) {
    waiting[u] = parents_of(graph, u);
    if (waiting[u] == 0)
      order[end++] = (uint32_t)u;
  }
  for (size_t next = 0; next < end; next++) {
    const uint32_t parent = order[next];
    for (uint64_t e = graph->in.offsets[parent]; e < graph->in.offsets[parent + 1]; e++)
      if (--waiting[graph->in.nodes[e]] == 0)
        order[end++] = graph->in.nodes[e];
  }
  free(waiting);
  *sorted = end;
  return GEODISK_OK;
}

/* ---- components ------------------------------------------------------------------------------------------------------- */

static size_t weak_components(const geodisk_graph *graph, uint32_t *component, uint32_t *stack) {
  size_t count = 0;
  for (size_t start = 0; start < graph->nodes; start++) {
    if (component[start] != NO_NODE)
      continue;
    size_t height = 0;
    stack[height++] = (uint32_t)start;
    component[start] = (uint32_t)count;
    while (height > 0) {
      const uint32_t u = stack[--height];
      for (int direction = 0; direction < 2; direction++) {
        const csr *rows = direction == 0 ? &graph->out : &graph->in;
        for (uint64_t e = rows->offsets[u]; e < rows->offsets[u + 1]; e++)
          if (component[rows->nodes[e]] == NO_NODE) {
            component[rows->nodes[e]] = (uint32_t)count;
            stack[height++] = rows->nodes[e];
          }
      }
    }
    count++;
  }
  return count;
}

/* Tarjan's algorithm: a node whose smallest reachable visit number is its own closes a component. */
typedef struct strong_search {
  const geodisk_graph *graph;
  uint32_t *component; /* result; NO_NODE: not known yet */
  uint32_t *number;    /* 1 + order of the visit; 0: not visited */
  uint32_t *low;
  uint32_t *path, *held; /* the nodes under way, and those whose component is open */
  uint64_t *next_edge;
  size_t path_length, held_length;
  uint32_t visits, count;
} strong_search;

static void enter(strong_search *s, uint32_t u) {
  s->number[u] = s->low[u] = ++s->visits;
  s->next_edge[u] = s->graph->out.offsets[u];
  s->path[s->path_length++] = u;
  s->held[s->held_length++] = u;
}

static void leave(strong_search *s, uint32_t u) {
  if (s->low[u] == s->number[u]) {
    uint32_t member;
    do {
      member = s->held[--s->held_length];
      s->component[member] = s->count;
    } while (member != u);
    s->count++;
  }
  s->path_length--;
  if (s->path_length > 0) {
    const uint32_t below = s->path[s->path_length - 1];
    s->low[below] = s->low[u] < s->low[below] ? s->low[u] : s->low[below];
  }
}

static void strong_from(strong_search *s, uint32_t start) {
  enter(s, start);
  while (s->path_length > 0) {
    const uint32_t u = s->path[s->path_length - 1];
    if (s->next_edge[u] == s->graph->out.offsets[u + 1]) {
      leave(s, u);
      continue;
    }
    const uint32_t v = s->graph->out.nodes[s->next_edge[u]++];
    if (s->number[v] == 0)
      enter(s, v);
    else if (s->component[v] == NO_NODE && s->number[v] < s->low[u])
      s->low[u] = s->number[v];
  }
}

static geodisk_status strong_components(const geodisk_graph *graph, uint32_t *component, size_t *count) {
  geodisk_status status = GEODISK_ERROR_MEMORY;
  strong_search s = {.graph = graph};
  s.component = component;
  s.number = geodisk_allocate_zero(graph->nodes, sizeof *s.number);
  s.low = geodisk_allocate(graph->nodes, sizeof *s.low);
  s.path = geodisk_allocate(graph->nodes, sizeof *s.path);
  s.held = geodisk_allocate(graph->nodes, sizeof *s.held);
  s.next_edge = geodisk_allocate(graph->nodes, sizeof *s.next_edge);
  if (s.number != NULL && s.low != NULL && s.path != NULL && s.held != NULL && s.next_edge != NULL) {
    for (size_t u = 0; u < graph->nodes; u++)
      if (s.number[u] == 0)
        strong_from(&s, (uint32_t)u);
    *count = s.count;
    status = GEODISK_OK;
  }
  geodisk_free_all(s.number, s.low, s.path, s.held, s.next_edge);
  return status;
}

size_t renumber_groups(size_t nodes, uint32_t *group, uint32_t *number) {
  uint32_t count = 0;
  for (size_t u = 0; u < nodes; u++)
    number[u] = NO_NODE;
  for (size_t u = 0; u < nodes; u++) {
    if (number[group[u]] == NO_NODE)
      number[group[u]] = count++;
    group[u] = number[group[u]];
  }
  return count;
}

geodisk_status geodisk_graph_components(geodisk_context *context, const geodisk_graph *graph, bool strong, uint32_t *component,
                                        size_t *count) {
  if (graph == NULL || count == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "components: %s is NULL", graph == NULL ? "graph" : "count");
  geodisk_status status = GEODISK_OK;
  size_t found = 0;
  uint32_t *own = geodisk_allocate(graph->nodes, sizeof *own), *scratch = geodisk_allocate(graph->nodes, sizeof *scratch);
  if (own == NULL || scratch == NULL) {
    status = geodisk_no_memory(context, "for the components of %zu nodes", graph->nodes);
    goto done;
  }
  for (size_t u = 0; u < graph->nodes; u++)
    own[u] = NO_NODE;
  if (!strong)
    found = weak_components(graph, own, scratch);
  else if (strong_components(graph, own, &found) != GEODISK_OK)
    status = geodisk_no_memory(context, "for the components of %zu nodes", graph->nodes);
  if (status != GEODISK_OK)
    goto done;
  if (strong)
    renumber_groups(graph->nodes, own, scratch);
  if (component != NULL)
    memcpy(component, own, graph->nodes * sizeof *own);
  *count = found;

done:
  geodisk_free_all(own, scratch);
  return status;
}

/* ---- a cycle ---------------------------------------------------------------------------------------------------------- */

/* Breadth-first from `start` inside its component until an edge leads back to it; `from` keeps the way, `queue` the nodes. */
static size_t shortest_cycle(const geodisk_graph *graph, const uint32_t *component, uint32_t start, uint32_t *from,
                             uint32_t *queue, uint32_t *cycle) {
  size_t begin = 0, end = 0, length = 0;
  queue[end++] = start;
  for (size_t u = 0; u < graph->nodes; u++)
    from[u] = NO_NODE;
  for (;;) {
    const uint32_t u = queue[begin++];
    for (uint64_t e = graph->out.offsets[u]; e < graph->out.offsets[u + 1]; e++) {
      const uint32_t v = graph->out.nodes[e];
      if (v == start) {
        for (uint32_t w = u; w != start; w = from[w])
          length++;
        cycle[0] = start;
        size_t at = length;
        for (uint32_t w = u; w != start; w = from[w])
          cycle[at--] = w;
        return length + 1;
      }
      if (component[v] == component[start] && from[v] == NO_NODE) {
        from[v] = u;
        queue[end++] = v;
      }
    }
  }
}

geodisk_status geodisk_graph_find_cycle(geodisk_context *context, const geodisk_graph *graph, uint32_t *cycle, size_t *length) {
  if (graph == NULL || cycle == NULL || length == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "find cycle: an argument is NULL");
  size_t sorted;
  geodisk_status status = topological_order(context, graph, cycle, &sorted);
  if (status != GEODISK_OK)
    return status;
  if (sorted == graph->nodes) {
    *length = 0;
    return GEODISK_OK;
  }
  uint32_t *component = geodisk_allocate(graph->nodes, sizeof *component), *from = geodisk_allocate(graph->nodes, sizeof *from);
  uint32_t *queue = geodisk_allocate(graph->nodes, sizeof *queue);
  size_t count;
  if (component == NULL || from == NULL || queue == NULL)
    status = geodisk_no_memory(context, "for the cycles of %zu nodes", graph->nodes);
  else
    status = geodisk_graph_components(context, graph, true, component, &count);
  if (status == GEODISK_OK) {
    memset(queue, 0, graph->nodes * sizeof *queue); /* sizes, for now */
    for (size_t u = 0; u < graph->nodes; u++)
      queue[component[u]]++;
    uint32_t start = 0;
    while (queue[component[start]] < 2)
      start++;
    *length = shortest_cycle(graph, component, start, from, queue, cycle);
  }
  geodisk_free_all(component, from, queue);
  return status;
}

geodisk_status show_cycle(geodisk_context *context, const geodisk_graph *graph, char shown[SHOWN_CYCLE]) {
  enum { WHOLE = 8, NAME = 40 };
  size_t length = 0, used = 0;
  uint32_t *cycle = geodisk_allocate(graph->nodes, sizeof *cycle);
  const geodisk_status status = cycle != NULL ? geodisk_graph_find_cycle(context, graph, cycle, &length)
                                              : geodisk_no_memory(context, "for the cycles of %zu nodes", graph->nodes);
  shown[0] = 0;
  for (size_t i = 0; i <= length && status == GEODISK_OK && length > 0; i++) {
    if (length > WHOLE && i == WHOLE - 1)
      used += (size_t)snprintf(shown + used, SHOWN_CYCLE - used, "... (%zu more) -> ", length - WHOLE + 1);
    if (length <= WHOLE || i < WHOLE - 1 || i == length)
      used += (size_t)snprintf(shown + used, SHOWN_CYCLE - used, "%.*s%s", NAME, geodisk_graph_name(graph, cycle[i % length]),
                               i < length ? " -> " : "");
  }
  free(cycle);
  return status;
}

geodisk_status fail_cycle(geodisk_context *context, const geodisk_graph *graph, const char *what) {
  char shown[SHOWN_CYCLE];
  const geodisk_status status = show_cycle(context, graph, shown);
  if (status != GEODISK_OK)
    return status;
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s: the graph has a cycle: %s", what, shown);
}
