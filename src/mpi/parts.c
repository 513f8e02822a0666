/* parts.c - the beginning and the end of an epoch: every rank tells the part of its nodes, sends their rows to where the parts
 * begin, and has them sent back. Rows go in chunks, so that what is on the way takes little memory; they come home in the order
 * in which they left, so nothing has to be said about them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "ranks.h"

enum { CHUNK_ROWS = 1 << 15 };

static size_t whole_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

bool(ranks_all)(const ranks *r, bool ok) {
  int all = ok;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, r->share->comm);
  return all != 0;
}

part_shape ranks_shape(const geodisk_trainer *t, uint32_t part) {
  const ranks *r = ranks_of(t);
  const size_t count = part_count(r, part);
  part_shape s = {.orders = whole_lines(count * row_bytes(t))};
  s.other = s.orders + count * 4;
  s.threshold = s.other + (r->by_degree ? count * 4 : 0);
  s.inner_first = s.threshold + (r->by_degree ? count * 4 : 0);
  s.inner = s.inner_first + count * 4;
  s.bytes = whole_lines(s.inner + (size_t)r->inner_count[part] * (r->wide ? 8 : 4));
  return s;
}

/* ---- which part ---- */

/* Targets whose cards are told together. */
enum { CARDS_AT_ONCE = 1024 };

static void tell_block(void *arg, size_t block) {
  ranks *r = arg;
  const mpi_share *share = r->share;
  const uint32_t first = (uint32_t)block * SHARE_BLOCK, left = share->owned - first;
  const uint32_t end = first + (left < SHARE_BLOCK ? left : SHARE_BLOCK);
  for (uint32_t i = first; i < end; i++)
    r->own_part[i] = (uint16_t)deal_part(&r->deal, deal_card(&r->deal, order_of(r, i)));
  for (uint64_t e = share->offsets[first]; e < share->offsets[end]; e += CARDS_AT_ONCE) {
    const uint64_t more = share->offsets[end] - e;
    const uint32_t count = more < CARDS_AT_ONCE ? (uint32_t)more : CARDS_AT_ONCE;
    uint32_t cards[CARDS_AT_ONCE], walking[CARDS_AT_ONCE];
    memcpy(cards, r->target_order + e, count * sizeof *cards);
    deal_cards(&r->deal, count, cards, walking);
    for (uint32_t k = 0; k < count; k++)
      r->target_part[e + k] = (uint16_t)deal_part(&r->deal, cards[k]);
  }
}

static void tell_parts(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const mpi_share *share = r->share;
  geodisk_parallel(t->context, (share->owned + SHARE_BLOCK - 1) / SHARE_BLOCK, tell_block, r);
  memset(r->inner_count, 0, sizeof r->inner_count);
  for (uint32_t i = 0; i < share->owned; i++)
    for (uint64_t e = share->offsets[i]; e < share->offsets[i + 1]; e++)
      r->inner_count[r->own_part[i]] += r->target_part[e] == r->own_part[i];
  MPI_Allreduce(MPI_IN_PLACE, r->inner_count, (int)r->parts, MPI_UINT64_T, MPI_SUM, share->comm);
}

/* ---- slots ---- */

/* Blocks that hold the largest part of this epoch, with some room for the next. */
static bool make_slots(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  size_t bytes = 0;
  for (uint32_t p = 0; p < r->parts; p++) {
    const size_t b = ranks_shape(t, p).bytes;
    bytes = b > bytes ? b : bytes;
  }
  const size_t rows = (bytes + row_bytes(t) - 1) / row_bytes(t);
  if (rows > r->slot_rows) {
    r->slot_rows = rows + rows / 32;
    free(t->rows);
    t->rows = embed_allocate_rows((r->slot_count * r->slot_rows * row_bytes(t) + 127) / 64 * 64 + 64);
    if (!t->rows || r->slot_count * r->slot_rows > UINT32_MAX) {
      r->slot_rows = 0;
      return false;
    }
    memset(t->rows, 0, (r->slot_count * r->slot_rows * row_bytes(t) + 127) / 64 * 64 + 64);
  }
  for (uint32_t s = 0; s < r->slot_count; s++) {
    part_slot *slot = &r->slots[s];
    slot->part = NO_NODE;
    slot->block = (char *)t->rows + s * r->slot_rows * row_bytes(t);
    for (uint32_t i = 0; i <= r->largest; i++)
      slot->nodes[i] = (uint32_t)(s * r->slot_rows) + i;
  }
  uint32_t s = 0;
  for (uint32_t p = 0; p < r->parts; p++) {
    r->slot_of[p] = NO_NODE;
    if (rank_of_part(r, 0, p) != r->rank)
      continue;
    r->slot_of[p] = s;
    r->began[s] = p;
    r->slots[s++].part = p;
  }
  if (r->by_degree && !r->degrees)
    r->degrees = geodisk_allocate((size_t)r->slot_count * r->largest, sizeof *r->degrees);
  return !r->by_degree || r->degrees;
}

/* Three passes by 11 bits. */
static void sort_orders(uint32_t *a, uint32_t *spare, size_t n) {
  for (int shift = 0; shift < 33; shift += 11) {
    uint32_t heads[2049] = {0};
    for (size_t i = 0; i < n; i++)
      heads[(a[i] >> shift & 2047u) + 1]++;
    for (int i = 0; i < 2048; i++)
      heads[i + 1] += heads[i];
    for (size_t i = 0; i < n; i++)
      spare[heads[a[i] >> shift & 2047u]++] = a[i];
    uint32_t *other = a;
    a = spare;
    spare = other;
  }
}

/* The sorted orders of a part's nodes, from its cards. After three passes they lie in the other array. */
static void list_orders(void *arg, size_t slot) {
  const geodisk_trainer *t = arg;
  const ranks *r = ranks_of(t);
  const uint32_t part = r->slots[slot].part;
  if (part == NO_NODE)
    return;
  const uint32_t first = deal_first(&r->deal, part), count = part_count(r, part);
  uint32_t *orders = (uint32_t *)(void *)(r->slots[slot].block + ranks_shape(t, part).orders);
  uint32_t *cards = (uint32_t *)(void *)r->slots[slot].block; /* rows are not there yet */
  for (uint32_t i = 0; i < count; i++)
    cards[i] = deal_holder(&r->deal, first + i);
  sort_orders(cards, orders, count);
}

/* Tables for drawing by degree. */
static void build_alias(void *arg, size_t slot) {
  const geodisk_trainer *t = arg;
  const ranks *r = ranks_of(t);
  const uint32_t part = r->slots[slot].part;
  if (part == NO_NODE)
    return;
  const uint32_t count = part_count(r, part);
  const part_shape shape = ranks_shape(t, part);
  char *block = r->slots[slot].block;
  double *weights = r->degrees + slot * r->largest;
  alias table = {(uint32_t *)(void *)(block + shape.other), (uint32_t *)(void *)(block + shape.threshold)};
  for (uint32_t i = 0; i < count; i++)
    weights[i] = pow(weights[i], t->options.power);
  uint32_t *scratch = geodisk_allocate((size_t)count + 2, 12);
  if (scratch)
    embed_build_alias(weights, count, &table, scratch);
  else
    weights[0] = -1.0; /* tells ranks_deal */
  free(scratch);
}

/* ---- rows out and home ---- */

typedef struct chunk {
  uint32_t first, end; /* owned nodes */
  uint64_t *sent, *received, total;
} chunk;

/* How many of the rows of a chunk go to each rank, and come from each. */
static void count_chunk(const ranks *r, uint32_t index, chunk *c) {
  c->first = index < r->share->owned / CHUNK_ROWS + 1 ? index * CHUNK_ROWS : r->share->owned;
  c->end = r->share->owned - c->first < CHUNK_ROWS ? r->share->owned : c->first + CHUNK_ROWS;
  memset(c->sent, 0, (size_t)r->count * sizeof *c->sent);
  for (uint32_t i = c->first; i < c->end; i++)
    c->sent[rank_of_part(r, 0, r->own_part[i])]++;
  mpi_exchange_counts(r->share->comm, c->sent, c->received);
  c->total = 0;
  for (int k = 0; k < r->count; k++)
    c->total += c->received[k];
}

static uint32_t chunk_count(const ranks *r) {
  uint32_t most = 0;
  for (int k = 0; k < r->count; k++) {
    const uint32_t owned = r->share->firsts[k + 1] - r->share->firsts[k];
    most = owned > most ? owned : most;
  }
  return (most + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

static void count_traffic(ranks *r, const uint64_t *sent, size_t size, uint64_t *sum) {
  for (int k = 0; k < r->count; k++)
    *sum += k != r->rank ? sent[k] * size : 0;
}

static uint64_t *starts_of(const uint64_t *counts, int n, uint64_t *out) {
  uint64_t sum = 0;
  for (int k = 0; k < n; k++) {
    out[k] = sum;
    sum += counts[k];
  }
  return out;
}

/* More than the guess below is off by, but for one in thousands in parts of 5,000 nodes. */
enum { USUAL_ERROR = 128 };

/* The place of an order among sorted ones, evenly spread over 0 .. n-1: a guess that is rarely far off, and a search around it
 * without branches, which could not be guessed. */
uint32_t ranks_place(const uint32_t *orders, uint32_t count, uint32_t n, uint32_t order) {
  const uint32_t guess = (uint32_t)((uint64_t)order * count / n);
  uint32_t width = USUAL_ERROR, low = guess > width ? guess - width : 0, high = count - guess > width ? guess + width : count;
  for (; low > 0 && orders[low] > order; width *= 2)
    low = low > width ? low - width : 0;
  for (width = USUAL_ERROR; high < count && orders[high] <= order; width *= 2)
    high = count - high > width ? high + width : count;
  for (uint32_t length = high - low; length > 1;) {
    const uint32_t half = length / 2;
    low += orders[low + half] <= order ? half : 0;
    length -= half;
  }
  return low;
}

/* Rows that came, each with its order, into their parts. */
static void seat_rows(geodisk_trainer *t, const char *in, uint64_t count, uint64_t before) {
  ranks *r = ranks_of(t);
  const size_t size = row_bytes(t), record = sizeof(row_head) + size;
  for (uint64_t i = 0; i < count; i++) {
    row_head head;
    memcpy(&head, in + i * record, sizeof head);
    const uint32_t part = deal_part(&r->deal, deal_card(&r->deal, head.order)), s = r->slot_of[part];
    const uint32_t *orders = (const uint32_t *)(const void *)(r->slots[s].block + ranks_shape(t, part).orders);
    const uint32_t place = ranks_place(orders, part_count(r, part), r->deal.n, head.order);
    memcpy(r->slots[s].block + place * size, in + i * record + sizeof head, size);
    r->arrivals[before + i] = r->slots[s].nodes[place];
    if (r->by_degree)
      r->degrees[(size_t)s * r->largest + place] = (double)head.degree;
  }
}

/* Buffers of the exchange of rows; what is received may be more than a chunk. */
typedef struct buffers {
  char *out, *in;
  size_t room;
  uint64_t *counts; /* sent, received, next */
} buffers;

static bool make_buffers(const ranks *r, size_t record, buffers *b) {
  *b = (buffers){geodisk_allocate(CHUNK_ROWS, record), NULL, 0, geodisk_allocate(3 * (size_t)r->count, sizeof *b->counts)};
  return b->out && b->counts;
}

static bool make_room(buffers *b, size_t bytes) {
  if (!b->in || bytes > b->room) {
    free(b->in);
    b->room = bytes + bytes / 4 + 1;
    b->in = geodisk_allocate(b->room, 1);
  }
  return b->in != NULL;
}

static void free_buffers(buffers *b) {
  free(b->out);
  free(b->in);
  free(b->counts);
}

/* The k-th chunk, counted, with room for what comes; false: out of memory somewhere. */
static bool open_chunk(const ranks *r, uint32_t k, size_t record, buffers *b, chunk *c) {
  *c = (chunk){.sent = b->counts, .received = b->counts + r->count};
  count_chunk(r, k, c);
  const bool ok = make_room(b, c->total * record);
  return ranks_all(r, ok);
}

static bool rows_out(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const mpi_share *share = r->share;
  const size_t size = row_bytes(t), record = sizeof(row_head) + size;
  const uint32_t chunks = chunk_count(r);
  buffers b;
  bool ok = make_buffers(r, record, &b);
  ok = ranks_all(r, ok);
  uint64_t before = 0;
  for (uint32_t k = 0; k < chunks && ok; k++) {
    chunk c;
    if (!(ok = open_chunk(r, k, record, &b, &c)))
      break;
    uint64_t *next = starts_of(c.sent, r->count, b.counts + 2 * (size_t)r->count);
    for (uint32_t i = c.first; i < c.end; i++) {
      const uint64_t degree = share->offsets[i + 1] - share->offsets[i] + share->in_degree[i];
      const row_head head = {order_of(r, i), (uint32_t)degree};
      char *to = b.out + next[rank_of_part(r, 0, r->own_part[i])]++ * record;
      memcpy(to, &head, sizeof head);
      memcpy(to + sizeof head, r->home + i * size, size);
    }
    mpi_exchange(share->comm, record, b.out, c.sent, b.in, c.received);
    count_traffic(r, c.sent, record, &r->traffic.rows);
    seat_rows(t, b.in, c.total, before);
    before += c.total;
  }
  free_buffers(&b);
  return ok;
}

bool ranks_gather(geodisk_trainer *t) {
  ranks *r = ranks_of(t);
  const size_t size = row_bytes(t);
  const uint32_t chunks = chunk_count(r);
  buffers b;
  bool ok = make_buffers(r, size, &b);
  ok = ranks_all(r, ok);
  uint64_t before = 0;
  for (uint32_t k = 0; k < chunks && ok; k++) {
    chunk c;
    if (!(ok = open_chunk(r, k, size, &b, &c)))
      break;
    for (uint64_t i = 0; i < c.total; i++) { /* parts are back, but in other slots */
      const uint32_t began = r->arrivals[before + i], slot = r->slot_of[r->began[began / r->slot_rows]];
      memcpy(b.in + i * size, r->slots[slot].block + began % r->slot_rows * size, size);
    }
    mpi_exchange(r->share->comm, size, b.in, c.received, b.out, c.sent);
    count_traffic(r, c.received, size, &r->traffic.rows);
    uint64_t *next = starts_of(c.sent, r->count, b.counts + 2 * (size_t)r->count);
    for (uint32_t i = c.first; i < c.end; i++)
      memcpy(r->home + i * size, b.out + next[rank_of_part(r, 0, r->own_part[i])]++ * size, size);
    before += c.total;
  }
  free_buffers(&b);
  return ok;
}

bool ranks_deal(geodisk_trainer *t, uint64_t epoch, bool by_degree) {
  ranks *r = ranks_of(t);
  r->deal = embed_deal_of(t, r->parts, epoch);
  r->by_degree = by_degree;
  r->traffic = (geodisk_mpi_traffic){0};
  tell_parts(t);
  const bool slots = make_slots(t);
  if (!ranks_all(r, slots))
    return false;
  geodisk_parallel(t->context, r->slot_count, list_orders, t);
  uint32_t here = 0;
  for (uint32_t p = 0; p < r->parts; p++)
    here += r->slot_of[p] != NO_NODE ? part_count(r, p) : 0;
  free(r->arrivals);
  r->arrivals = geodisk_allocate(here, sizeof *r->arrivals);
  if (!ranks_all(r, r->arrivals != NULL) || !rows_out(t))
    return false;
  if (!by_degree)
    return true;
  geodisk_parallel(t->context, r->slot_count, build_alias, t);
  bool ok = true;
  for (uint32_t p = 0; p < r->parts; p++)
    ok = ok && (r->slot_of[p] == NO_NODE || r->degrees[(size_t)r->slot_of[p] * r->largest] >= 0.0);
  return ranks_all(r, ok);
}
