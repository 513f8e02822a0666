/* places.c - from numbers to places and back: who reads or writes a file knows nodes by number, who trains them by place. */
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "embed/placement/placement.h"
#include "exchange.h"
#include "ranks.h"

typedef struct moving {
  geodisk_trainer *t;
  ranks *r;
  const uint32_t *place; /* of owned numbers */
  size_t row, bytes;
  uint64_t edge_row; /* of edges told in order: the row of the next */
  char *from, *to;
} moving;

/* ---- numbers ---- */

typedef struct node_note {
  uint32_t place, number, degree;
} node_note;

static void tell_node(void *user, size_t i, void *message) {
  const moving *m = user;
  const mpi_share *s = m->r->share;
  *(node_note *)message = (node_note){m->place[i], s->first + (uint32_t)i, (uint32_t)(s->offsets[i + 1] - s->offsets[i])};
}

static void hear_node(void *user, const void *message) {
  const moving *m = user;
  const node_note *note = message;
  m->r->number[note->place - m->r->first] = note->number;
  if (m->r->offsets)
    m->r->offsets[note->place - m->r->first + 1] = note->degree;
}

/* ---- edges ---- */

typedef struct edge_note {
  uint32_t source, index, target;
  double weight;
} edge_note;

static void tell_edge(void *user, size_t i, void *message) {
  moving *m = user;
  const mpi_share *s = m->r->share;
  while (s->offsets[m->edge_row + 1] <= i)
    m->edge_row++;
  *(edge_note *)message = (edge_note){m->place[m->edge_row], (uint32_t)(i - s->offsets[m->edge_row]), s->targets[i],
                                      s->weights ? s->weights[i] : 1.0};
}

static void hear_edge(void *user, const void *message) {
  const ranks *r = ((const moving *)user)->r;
  const edge_note *note = message;
  const uint64_t at = r->offsets[note->source - r->first] + note->index;
  r->targets[at] = note->target;
  if (r->weights)
    r->weights[at] = note->weight;
}

static void answer_place(void *user, const uint32_t *question, void *answer) {
  const moving *m = user;
  *(uint32_t *)answer = m->place[*question - m->r->share->first];
}

/* Every row to the owner of its place; the targets, by place, stay in the order of their numbers. */
static geodisk_status move_edges(moving *m) {
  ranks *r = m->r;
  mpi_share *s = r->share;
  for (uint32_t i = 0; i < r->owned; i++)
    r->offsets[i + 1] += r->offsets[i];
  const size_t edges = (size_t)r->offsets[r->owned];
  r->targets = geodisk_allocate(edges, sizeof *r->targets);
  r->weights = s->weights ? geodisk_allocate(edges, sizeof *r->weights) : NULL;
  geodisk_status st = mpi_agree_memory(m->t->context, s->comm, r->targets && (!s->weights || r->weights), "the edges");
  const telling edge = {sizeof(edge_note), tell_edge, hear_edge, m};
  if (st == GEODISK_OK)
    st = mpi_tell(m->t->context, s, &edge, (size_t)s->offsets[s->owned]);
  geodisk_free_all(s->targets, s->weights);
  s->targets = NULL;
  s->weights = NULL;
  return st;
}

/* ---- rows ---- */

static void tell_row(void *user, size_t i, void *message) {
  const moving *m = user;
  uint32_t *to = message;
  *to = m->place[i];
  memcpy(to + 1, m->from + i * m->bytes, m->bytes);
}

static void hear_row(void *user, const void *message) {
  const moving *m = user;
  const uint32_t *from = message;
  memcpy(m->to + (size_t)(*from - m->r->first) * m->bytes, from + 1, m->bytes);
}

geodisk_status ranks_rows_by_number(geodisk_trainer *t, void *rows) {
  ranks *r = ranks_of(t);
  moving m = {.t = t, .r = r, .place = r->number, .bytes = row_bytes(t), .from = t->rows, .to = rows};
  if (!r->number) {
    memcpy(rows, t->rows, r->owned * m.bytes);
    return GEODISK_OK;
  }
  const telling row = {sizeof *r->number + m.bytes, tell_row, hear_row, &m};
  return mpi_tell(t->context, r->share, &row, r->owned);
}

/* ---- all of it ---- */

/* Places of the sample's nodes. */
static geodisk_status place_sample(moving *m) {
  const loss_sample *sample = m->t->sample;
  ranks *r = m->r;
  const size_t n = sample ? sample->edges * SAMPLE_NODES : 0;
  r->sample_places = geodisk_allocate(n / SAMPLE_NODES, sizeof *r->sample_places);
  geodisk_status st = mpi_agree_memory(m->t->context, r->share->comm, r->sample_places != NULL, "the sample of the loss");
  if (st != GEODISK_OK || n == 0)
    return st;
  uint32_t *places = (uint32_t *)r->sample_places;
  const uint32_t *nodes = sample->nodes[0];
  for (size_t i = 0; i < n; i++)
    places[i] = nodes[i] == NO_NODE ? 0 : nodes[i];
  const asking place = {1, sizeof *places, answer_place, m};
  if (r->number)
    st = mpi_ask(m->t->context, r->share, &place, places, n, places);
  for (size_t i = 0; i < n; i++)
    places[i] = nodes[i] == NO_NODE ? NO_NODE : places[i];
  return st;
}

static void at_random(const geodisk_trainer *t) {
  const ranks *r = ranks_of(t);
  double x[GEODISK_DIM_MOST], gap;
  for (uint32_t i = 0; i < r->owned; i++) {
    embed_point_at_random(&t->options, r->number ? r->number[i] : r->first + i, x, &gap);
    embed_write_row(&t->options, trainer_row(t, i), x, gap);
  }
}

geodisk_status ranks_take_places(geodisk_trainer *t, uint32_t *place, void *rows) {
  ranks *r = ranks_of(t);
  mpi_share *s = r->share;
  const bool edges = t->options.units == GEODISK_UNITS_EDGE;
  moving m = {.t = t, .r = r, .place = place, .bytes = row_bytes(t), .from = rows, .to = t->rows};
  geodisk_status st = GEODISK_OK;
  if (place) {
    r->number = geodisk_allocate(r->owned, sizeof *r->number);
    r->offsets = edges ? NULL : geodisk_allocate_zero((size_t)r->owned + 1, sizeof *r->offsets);
    st = mpi_agree_memory(t->context, s->comm, r->number && (edges || r->offsets), "the order of the nodes");
    const telling node = {sizeof(node_note), tell_node, hear_node, &m};
    if (st == GEODISK_OK)
      st = mpi_tell(t->context, s, &node, s->owned);
    const asking target = {1, sizeof(uint32_t), answer_place, &m};
    if (st == GEODISK_OK)
      st = mpi_ask(t->context, s, &target, s->targets, (size_t)s->offsets[s->owned], s->targets);
    if (st == GEODISK_OK && !edges)
      st = move_edges(&m);
  }
  if (edges || !place) { /* units stay where they are */
    r->offsets = s->offsets;
    r->targets = s->targets;
    r->weights = s->weights;
    r->unit_place = edges ? place : NULL;
  }
  const telling row = {sizeof *place + m.bytes, tell_row, hear_row, &m};
  if (st == GEODISK_OK && !rows)
    at_random(t);
  else if (st == GEODISK_OK && place)
    st = mpi_tell(t->context, s, &row, s->owned);
  else if (st == GEODISK_OK)
    memcpy(t->rows, rows, r->owned * m.bytes);
  if (st == GEODISK_OK)
    st = place_sample(&m);
  if (r->unit_place != place)
    free(place);
  return st;
}

/* ---- degrees ---- */

static void answer_degree(void *user, const uint32_t *question, void *answer) {
  const mpi_share *s = ((const moving *)user)->r->share;
  const uint32_t i = *question - s->first;
  *(uint64_t *)answer = s->offsets[i + 1] - s->offsets[i] + s->in_degree[i];
}

/* Of the own blocks of places (ranges are whole blocks), and of all blocks. */
geodisk_status ranks_degree_tables(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const size_t blocks = (t->nodes + DEGREE_BLOCK - 1) / DEGREE_BLOCK;
  moving m = {.t = t, .r = r};
  uint32_t *numbers = geodisk_allocate(r->owned, sizeof *numbers);
  uint64_t *degrees = geodisk_allocate(r->owned, sizeof *degrees);
  double *sums = geodisk_allocate_zero(blocks, sizeof *sums), weights[DEGREE_BLOCK];
  t->aliases.other = geodisk_allocate(r->owned, sizeof *t->aliases.other);
  t->aliases.threshold = geodisk_allocate(r->owned, sizeof *t->aliases.threshold);
  geodisk_status st = mpi_agree_memory(t->context, r->share->comm,
                                       numbers && degrees && sums && t->aliases.other && t->aliases.threshold, "sampling");
  for (uint32_t i = 0; i < r->owned && st == GEODISK_OK; i++)
    numbers[i] = r->number ? r->number[i] : r->first + i;
  const asking degree = {1, sizeof *degrees, answer_degree, &m};
  if (st == GEODISK_OK)
    st = mpi_ask(t->context, r->share, &degree, numbers, r->owned, degrees);
  for (uint32_t first = 0; first < r->owned && st == GEODISK_OK; first += DEGREE_BLOCK) {
    const uint32_t count = r->owned - first < DEGREE_BLOCK ? r->owned - first : DEGREE_BLOCK;
    for (uint32_t i = 0; i < count; i++)
      weights[i] = embed_degree_weight(&t->options, degrees[first + i]);
    const alias table = {t->aliases.other + first, t->aliases.threshold + first};
    sums[(r->first + first) / DEGREE_BLOCK] = embed_degree_table(weights, count, &table);
  }
  if (st == GEODISK_OK) {
    MPI_Allreduce(MPI_IN_PLACE, sums, (int)blocks, MPI_DOUBLE, MPI_SUM, r->share->comm);
    st = mpi_agree_memory(t->context, r->share->comm, embed_degree_blocks(t, sums), "sampling");
  }
  geodisk_free_all(numbers, degrees, sums);
  return st;
}

geodisk_status ranks_list_inner(geodisk_trainer *t) {
  const ranks *r = ranks_of(t);
  const size_t words = t->nodes / 64 + 1;
  uint64_t *led = geodisk_allocate_zero(words, sizeof *led);
  geodisk_status st = mpi_agree_memory(t->context, r->share->comm, led != NULL, "the inner nodes");
  for (uint64_t e = 0; st == GEODISK_OK && e < r->offsets[r->owned]; e++)
    led[r->targets[e] / 64] |= (uint64_t)1 << r->targets[e] % 64;
  if (st == GEODISK_OK) {
    MPI_Allreduce(MPI_IN_PLACE, led, (int)words, MPI_UINT64_T, MPI_BOR, r->share->comm);
    st = mpi_agree_memory(t->context, r->share->comm, embed_list_inner(t, led), "the inner nodes");
  }
  free(led);
  return st;
}
