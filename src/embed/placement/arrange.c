/* arrange.c - siblings of a spanning forest in an order that brings together what else belongs together: where a node has a
 * second parent, its branch and that parent's become neighbours, if nothing heavier stands against it, and within the branches
 * both move to the side where they meet.
 *
 * A link is an edge between two nodes of which neither is above the other in the forest. Below the deepest node that has both
 * ends below it, it joins two children, and each pair of children has the sum of their links as its weight. The heaviest pairs
 * become neighbours, as long as no child gets three and no circle closes. Links between neighbours are then handed down: inside
 * each of the two branches they pull their end to that side. */
#include <stdlib.h>
#include <string.h>

#include "arcs.h"
#include "base/sorting.h"

typedef struct forest_link {
  uint32_t child, parent;
  uint32_t above; /* the deepest node with both below it; the number of nodes, where there is none */
} forest_link;

/* One end of a link, in the list of a node below which it lies. */
typedef struct link_end {
  uint32_t node;
  uint32_t next; /* in the list, NO_NODE after the last */
  bool right;    /* to which side it pulls */
} link_end;

/* Children `first` and `second` of a family, by their numbers in it. */
typedef struct sibling_pair {
  uint32_t first, second;
  uint64_t weight;
} sibling_pair;

typedef struct arranging {
  const geodisk_trainer *t;
  const uint32_t *parent, *size;
  uint32_t *start; /* the new place of each node */
  uint32_t *place; /* the old one */
  size_t link_count;
  forest_link *links; /* by `above` */
  link_end *ends;     /* of link i: 2i the child's, 2i + 1 the parent's */
  uint32_t *outer;    /* first of the list of each node */
  /* of the family at hand: */
  uint32_t count;
  uint32_t *kids; /* by their old places */
  uint32_t *seat; /* of each child, in the new order */
  uint32_t *row;  /* which child has a seat */
  uint32_t *near; /* two neighbours of each child and of the two sides */
  uint32_t *group;
  size_t pair_count;
  sibling_pair *pairs;
} arranging;

/* ---- links ---- */

static bool is_below(const arranging *s, uint32_t u, uint32_t above) {
  return s->place[u] >= s->place[above] && s->place[u] - s->place[above] < s->size[above];
}

static bool is_link(const arranging *s, uint32_t u, uint32_t v) { return !is_below(s, u, v) && !is_below(s, v, u); }

static int compare_links(const void *a, const void *b) {
  const forest_link *x = a, *y = b;
  return compare_first(COMPARE(x->above, y->above), compare_first(COMPARE(x->child, y->child), COMPARE(x->parent, y->parent)));
}

/* Counts them, or lists them once there is room. */
static void find_links(arranging *s) {
  const geodisk_graph_rows *out = &s->t->out;
  s->link_count = 0;
  for (uint32_t u = 0; u < s->t->nodes; u++)
    for (uint64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++) {
      const uint32_t v = out->nodes[e];
      if (!is_link(s, u, v))
        continue;
      if (s->links) {
        uint32_t above = s->parent[u];
        while (above != NO_NODE && !is_below(s, v, above))
          above = s->parent[above];
        s->links[s->link_count] = (forest_link){u, v, above == NO_NODE ? (uint32_t)s->t->nodes : above};
      }
      s->link_count++;
    }
  if (s->links)
    qsort(s->links, s->link_count, sizeof *s->links, compare_links);
}

/* The first link whose `above` is not less. */
static size_t first_link(const arranging *s, uint32_t above) {
  size_t low = 0, high = s->link_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->links[middle].above < above)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- one family ---- */

static void find_kids(arranging *s, uint32_t of) {
  const bool top = of == s->t->nodes;
  const size_t first = top ? 0 : (size_t)s->place[of] + 1, end = top ? s->t->nodes : (size_t)s->place[of] + s->size[of];
  s->count = 0;
  for (size_t i = first; i < end; i += s->size[s->t->order[i]])
    s->kids[s->count++] = s->t->order[i];
}

/* Which child has `node` at or below it. */
static uint32_t kid_above(const arranging *s, uint32_t node) {
  uint32_t low = 0, high = s->count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (s->place[s->kids[middle]] <= s->place[node])
      low = middle;
    else
      high = middle;
  }
  return low;
}

static int compare_members(const void *a, const void *b) {
  const sibling_pair *x = a, *y = b;
  return compare_first(COMPARE(x->first, y->first), COMPARE(x->second, y->second));
}

static int compare_weights(const void *a, const void *b) {
  const sibling_pair *x = a, *y = b;
  return compare_first(COMPARE(y->weight, x->weight), compare_members(a, b));
}

/* Pairs of children, or of a child and a side (count: the left one, count + 1: the right one), the heaviest first. */
static void find_pairs(arranging *s, uint32_t of) {
  size_t n = 0;
  for (size_t i = first_link(s, of); i < s->link_count && s->links[i].above == of; i++) {
    const uint32_t x = kid_above(s, s->links[i].child), y = kid_above(s, s->links[i].parent);
    s->pairs[n++] = (sibling_pair){x < y ? x : y, x < y ? y : x, s->size[s->links[i].child]};
  }
  for (uint32_t e = of == s->t->nodes ? NO_NODE : s->outer[of]; e != NO_NODE; e = s->ends[e].next)
    if (s->ends[e].node != of)
      s->pairs[n++] = (sibling_pair){kid_above(s, s->ends[e].node), s->count + s->ends[e].right, s->size[s->links[e / 2].child]};
  qsort(s->pairs, n, sizeof *s->pairs, compare_members);
  s->pair_count = 0;
  for (size_t i = 0; i < n; i++) {
    sibling_pair *last = s->pair_count > 0 ? &s->pairs[s->pair_count - 1] : NULL;
    if (last && compare_members(last, &s->pairs[i]) == 0)
      last->weight += s->pairs[i].weight;
    else
      s->pairs[s->pair_count++] = s->pairs[i];
  }
  qsort(s->pairs, s->pair_count, sizeof *s->pairs, compare_weights);
}

static uint32_t group_of(arranging *s, uint32_t i) {
  while (s->group[i] != i)
    i = s->group[i] = s->group[s->group[i]];
  return i;
}

/* Whether i has room for a neighbour: sides have one, children two. */
static bool is_free(const arranging *s, uint32_t i) {
  const uint32_t *near = s->near + 2 * (size_t)i;
  return near[0] == NO_NODE || (i < s->count && near[1] == NO_NODE);
}

static void join(const arranging *s, uint32_t i, uint32_t j) {
  s->near[2 * (size_t)i + (s->near[2 * (size_t)i] != NO_NODE)] = j;
  s->near[2 * (size_t)j + (s->near[2 * (size_t)j] != NO_NODE)] = i;
}

/* The heaviest pairs become neighbours. The two sides may only be joined by a row that has all the children. */
static void join_neighbours(arranging *s) {
  const uint32_t left = s->count, right = s->count + 1;
  uint32_t joined = 0;
  for (uint32_t i = 0; i < s->count + 2; i++) {
    s->group[i] = i;
    s->near[2 * (size_t)i] = s->near[2 * (size_t)i + 1] = NO_NODE;
  }
  for (size_t p = 0; p < s->pair_count; p++) {
    const uint32_t x = s->pairs[p].first, y = s->pairs[p].second, a = group_of(s, x), b = group_of(s, y);
    const uint32_t l = group_of(s, left), r = group_of(s, right);
    const bool closes = ((a == l && b == r) || (a == r && b == l)) && joined < s->count;
    if (a == b || closes || !is_free(s, x) || !is_free(s, y))
      continue;
    join(s, x, y);
    s->group[a] = b;
    joined++;
  }
}

/* Seats the row that begins at i, but for the sides, from seat `at` on; returns the seat after it. */
static uint32_t seat_row(arranging *s, uint32_t i, uint32_t at) {
  uint32_t before = NO_NODE;
  while (i != NO_NODE) {
    if (i < s->count) {
      s->seat[i] = at;
      s->row[at++] = i;
    }
    const uint32_t *near = s->near + 2 * (size_t)i, next = near[0] != before ? near[0] : near[1];
    before = i;
    i = next;
  }
  return at;
}

/* The row at the left side, all others, the row at the right side. */
static void seat_kids(arranging *s) {
  const uint32_t left = s->count, right = s->count + 1;
  for (uint32_t i = 0; i < s->count; i++)
    s->seat[i] = NO_NODE;
  const uint32_t from_right = group_of(s, left) == group_of(s, right) ? 0 : seat_row(s, right, 0);
  for (uint32_t i = 0; i < from_right / 2; i++) { /* it was walked inwards */
    const uint32_t other = s->row[i];
    s->row[i] = s->row[from_right - 1 - i];
    s->row[from_right - 1 - i] = other;
  }
  memmove(s->row + (s->count - from_right), s->row, from_right * sizeof *s->row);
  for (uint32_t i = s->count - from_right; i < s->count; i++)
    s->seat[s->row[i]] = i;
  uint32_t at = seat_row(s, left, 0);
  for (uint32_t i = 0; i < s->count; i++)
    if (s->seat[i] == NO_NODE && (s->near[2 * (size_t)i] == NO_NODE || s->near[2 * (size_t)i + 1] == NO_NODE))
      at = seat_row(s, i, at);
}

static void hand_down(arranging *s, uint32_t end, uint32_t node, bool right, uint32_t kid) {
  s->ends[end] = (link_end){node, s->outer[s->kids[kid]], right};
  s->outer[s->kids[kid]] = end;
}

/* Links between neighbours, and those to a side that end at its first child, go on pulling inside. */
static void hand_down_links(arranging *s, uint32_t of) {
  for (size_t i = first_link(s, of); i < s->link_count && s->links[i].above == of; i++) {
    const uint32_t x = kid_above(s, s->links[i].child), y = kid_above(s, s->links[i].parent);
    const bool right = s->seat[x] + 1 == s->seat[y];
    if (!right && s->seat[y] + 1 != s->seat[x])
      continue;
    hand_down(s, (uint32_t)(2 * i), s->links[i].child, right, x);
    hand_down(s, (uint32_t)(2 * i + 1), s->links[i].parent, !right, y);
  }
  for (uint32_t e = of == s->t->nodes ? NO_NODE : s->outer[of], next; e != NO_NODE; e = next) {
    next = s->ends[e].next;
    if (s->ends[e].node == of)
      continue;
    const uint32_t kid = kid_above(s, s->ends[e].node);
    if (s->seat[kid] == (s->ends[e].right ? s->count - 1 : 0))
      hand_down(s, e, s->ends[e].node, s->ends[e].right, kid);
  }
}

static void arrange_family(arranging *s, uint32_t of) {
  find_kids(s, of);
  if (s->count == 0)
    return;
  find_pairs(s, of);
  if (s->pair_count > 0) {
    join_neighbours(s);
    seat_kids(s);
    hand_down_links(s, of);
  } else {
    for (uint32_t i = 0; i < s->count; i++)
      s->row[i] = i;
  }
  uint32_t at = of == s->t->nodes ? 0 : s->start[of] + 1;
  for (uint32_t i = 0; i < s->count; i++) {
    s->start[s->kids[s->row[i]]] = at;
    at += s->size[s->kids[s->row[i]]];
  }
}

/* ---- all of them ---- */

static bool create(arranging *s) {
  const size_t n = s->t->nodes;
  s->place = geodisk_allocate(n, sizeof *s->place);
  s->outer = geodisk_allocate(n, sizeof *s->outer);
  s->kids = geodisk_allocate(n, sizeof *s->kids);
  s->seat = geodisk_allocate(n, sizeof *s->seat);
  s->row = geodisk_allocate(n, sizeof *s->row);
  s->near = geodisk_allocate(n + 2, 2 * sizeof *s->near);
  s->group = geodisk_allocate(n + 2, sizeof *s->group);
  if (!s->place || !s->outer || !s->kids || !s->seat || !s->row || !s->near || !s->group)
    return false;
  for (size_t i = 0; i < n; i++) {
    s->place[s->t->order[i]] = (uint32_t)i;
    s->outer[i] = NO_NODE;
  }
  find_links(s);
  if (s->link_count > UINT32_MAX / 2)
    return false;
  s->links = geodisk_allocate(s->link_count, sizeof *s->links);
  s->ends = geodisk_allocate(s->link_count, 2 * sizeof *s->ends);
  s->pairs = geodisk_allocate(s->link_count, 3 * sizeof *s->pairs); /* links of a family, and ends handed down to it */
  if (!s->links || !s->ends || !s->pairs)
    return false;
  find_links(s);
  return true;
}

bool embed_arrange(const geodisk_trainer *t, const uint32_t *parent, const uint32_t *size, uint32_t *start) {
  arranging s = {.t = t, .parent = parent, .size = size};
  s.start = start;
  const bool memory = create(&s);
  if (memory) {
    arrange_family(&s, (uint32_t)t->nodes);
    for (size_t i = 0; i < t->nodes; i++)
      arrange_family(&s, t->order[i]);
  }
  geodisk_free_all(s.place, s.outer, s.kids, s.seat, s.row, s.near, s.group, s.links, s.ends, s.pairs);
  return memory;
}
