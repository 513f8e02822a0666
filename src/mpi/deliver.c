/* deliver.c - edges to the ranks that train them: each rank sorts its edges by bucket (the parts they join), which is by receiver
 * too, and sends them; the receiver opens a bucket when its game begins, turns orders into places and puts the links into the
 * order of a plain process: sources in their scattered order, the links of each as in the graph. */
#include <stdlib.h>
#include <string.h>

#include "exchange.h"
#include "ranks.h"

void ranks_delivered(geodisk_trainer *t) {
  delivery *d = &ranks_of(t)->links;
  free(d->number);
  free(d->records);
  free(d->weights);
  free(d->starts);
  *d = (delivery){0};
}

/* Buckets counted through: rank by rank, those of round 0 (part with itself), then game by game. ends[k]: after those of rank k.
 */
static void number_buckets(const ranks *r, uint32_t from_round, uint32_t to_round, uint32_t *number, uint32_t *ends) {
  const uint32_t parts = r->parts, games = tournament_games(parts);
  for (size_t i = 0; i < (size_t)parts * parts; i++)
    number[i] = NO_NODE;
  memset(ends, 0, (size_t)r->count * sizeof *ends);
  for (int pass = 0; pass < 2; pass++) { /* how many a rank has; then, from where the ranks before it end, which */
    for (uint32_t k = 0, before = 0; k < (uint32_t)r->count && pass == 1; k++) {
      const uint32_t count = ends[k];
      ends[k] = before;
      before += count;
    }
    for (uint32_t p = 0; p < parts && from_round == 0; p++)
      number[(size_t)p * parts + p] = ends[rank_of_part(r, 0, p)]++;
    for (uint32_t round = from_round > 0 ? from_round : 1; round < to_round; round++)
      for (uint32_t g = 0; g < games; g++) {
        uint32_t a, b, *next = &ends[rank_of_game(r, g)];
        opponents(parts, round, g, &a, &b);
        if (b >= parts)
          continue;
        number[(size_t)a * parts + b] = (*next)++;
        number[(size_t)b * parts + a] = (*next)++;
      }
  }
}

/* A rank's own edges, sorted by bucket. */
typedef struct outbox {
  uint64_t *counts;                                       /* buckets of all ranks */
  uint64_t *sent, *received, *bucket_counts, *my_buckets; /* ranks each */
  link_record *records;
  double *weights;
} outbox;

static void free_outbox(outbox *box) {
  free(box->counts);
  free(box->sent);
  free(box->records);
  free(box->weights);
}

static void count_edges(const ranks *r, uint64_t *counts) {
  const mpi_share *share = r->share;
  for (uint32_t i = 0; i < share->owned; i++) {
    const uint32_t *row = r->links.number + (size_t)r->own_part[i] * r->parts;
    for (uint64_t e = share->offsets[i]; e < share->offsets[i + 1]; e++)
      if (row[r->target_part[e]] != NO_NODE)
        counts[row[r->target_part[e]]]++;
  }
}

/* next: where the links of each bucket go. */
static void pack_edges(const geodisk_trainer *t, uint64_t *next, const outbox *box) {
  const ranks *r = ranks_of(t);
  const mpi_share *share = r->share;
  for (uint32_t i = 0; i < share->owned; i++) {
    const uint32_t *row = r->links.number + (size_t)r->own_part[i] * r->parts, source = order_of(r, i);
    for (uint64_t e = share->offsets[i]; e < share->offsets[i + 1]; e++) {
      const uint32_t bucket = row[r->target_part[e]];
      if (bucket == NO_NODE)
        continue;
      const uint64_t to = next[bucket]++;
      box->records[to] = (link_record){source, r->target_order[e]};
      if (box->weights)
        box->weights[to] = share->weights[e] / t->mean_weight;
    }
  }
}

/* Where the links from each sender begin, by bucket, from counts that lie there; returns how many there are. */
static uint64_t number_links(ranks *r) {
  delivery *d = &r->links;
  uint64_t sum = 0;
  for (int k = 0; k < r->count; k++) {
    uint64_t *row = d->starts + (size_t)k * (d->count + 1);
    for (uint32_t i = 0; i <= d->count; i++) {
      const uint64_t count = i < d->count ? row[i] : 0;
      row[i] = sum;
      sum += count;
    }
  }
  for (uint32_t i = 0; i < d->count; i++) {
    uint64_t links = 0;
    for (int k = 0; k < r->count; k++) {
      const uint64_t *row = d->starts + (size_t)k * (d->count + 1);
      links += row[i + 1] - row[i];
    }
    d->longest = links > d->longest ? links : d->longest;
  }
  return sum;
}

/* Counts of every bucket to its receiver. false: out of memory somewhere. */
static bool exchange_counts(ranks *r, const uint32_t *ends, outbox *box) {
  delivery *d = &r->links;
  const MPI_Comm comm = r->share->comm;
  const size_t total = (size_t)r->count * ((size_t)d->count + 1);
  uint64_t *received = geodisk_allocate((size_t)r->count * d->count, sizeof *received);
  d->starts = geodisk_allocate_zero(total, sizeof *d->starts);
  if (ranks_all(r, received && d->starts)) {
    for (int k = 0; k < r->count; k++) {
      box->bucket_counts[k] = ends[k] - (k > 0 ? ends[k - 1] : 0);
      box->my_buckets[k] = d->count;
    }
    mpi_exchange(comm, sizeof *received, box->counts, box->bucket_counts, received, box->my_buckets);
    for (int k = 0; k < r->count; k++) {
      r->traffic.edges += k != r->rank ? box->bucket_counts[k] * sizeof *received : 0;
      if (d->count > 0)
        memcpy(d->starts + (size_t)k * (d->count + 1), received + (size_t)k * d->count, d->count * sizeof *received);
    }
    free(received);
    return true;
  }
  free(received);
  return false;
}

bool ranks_deliver(geodisk_trainer *t, uint32_t from_round, uint32_t to_round) {
  ranks *r = ranks_of(t);
  delivery *d = &r->links;
  const MPI_Comm comm = r->share->comm;
  outbox box = {.counts = geodisk_allocate_zero((size_t)r->parts * r->parts + 1, sizeof *box.counts),
                .sent = geodisk_allocate_zero(4 * (size_t)r->count, sizeof *box.sent)};
  uint32_t *ends = geodisk_allocate((size_t)r->count, sizeof *ends);
  ranks_delivered(t);
  d->number = geodisk_allocate((size_t)r->parts * r->parts, sizeof *d->number);
  bool ok = ranks_all(r, box.counts && box.sent && ends && d->number);
  if (!ok)
    goto done;
  box.received = box.sent + r->count;
  box.bucket_counts = box.received + r->count;
  box.my_buckets = box.bucket_counts + r->count;
  number_buckets(r, from_round, to_round, d->number, ends);
  d->first = r->rank > 0 ? ends[r->rank - 1] : 0;
  d->count = ends[r->rank] - d->first;
  count_edges(r, box.counts);
  if (!(ok = exchange_counts(r, ends, &box)))
    goto done;
  const uint64_t received = number_links(r);
  uint64_t sum = 0;
  for (uint32_t i = 0, k = 0; i < ends[r->count - 1]; i++) { /* counts become places */
    while (i >= ends[k])
      k++;
    const uint64_t count = box.counts[i];
    box.sent[k] += count;
    box.counts[i] = sum;
    sum += count;
  }
  const bool weighted = r->share->weights != NULL;
  box.records = geodisk_allocate(sum, sizeof *box.records);
  box.weights = weighted ? geodisk_allocate(sum, sizeof *box.weights) : NULL;
  d->records = geodisk_allocate(received, sizeof *d->records);
  d->weights = weighted ? geodisk_allocate(received, sizeof *d->weights) : NULL;
  if (!(ok = ranks_all(r, box.records && d->records && (!weighted || (box.weights && d->weights)))))
    goto done;
  pack_edges(t, box.counts, &box);
  mpi_exchange_counts(comm, box.sent, box.received);
  mpi_exchange(comm, sizeof *box.records, box.records, box.sent, d->records, box.received);
  if (weighted)
    mpi_exchange(comm, sizeof *box.weights, box.weights, box.sent, d->weights, box.received);
  for (int k = 0; k < r->count; k++)
    r->traffic.edges += k != r->rank ? box.sent[k] * (sizeof *box.records + (weighted ? sizeof *box.weights : 0)) : 0;
done:
  free_outbox(&box);
  free(ends);
  return ok;
}

/* ---- a bucket opened ---- */

static const uint32_t *orders_of(const geodisk_trainer *t, uint32_t part) {
  const ranks *r = ranks_of(t);
  return (const uint32_t *)(const void *)(r->slots[r->slot_of[part]].block + ranks_shape(t, part).orders);
}

/* The links of a bucket as they came, with their sources' turns and targets' places; returns how many. */
static size_t read_bucket(const geodisk_trainer *t, uint32_t a, uint32_t b, turned_link *out) {
  const ranks *r = ranks_of(t);
  const delivery *d = &r->links;
  const uint32_t bucket = d->number[(size_t)a * r->parts + b] - d->first, n = r->deal.n;
  const uint32_t sources = part_count(r, a), targets = part_count(r, b), *from = orders_of(t, a), *to = orders_of(t, b);
  const uint32_t *turn_of = r->turn_of[sources != r->largest];
  size_t count = 0;
  for (int k = 0; k < r->count; k++) {
    const uint64_t *row = d->starts + (size_t)k * (d->count + 1);
    for (uint64_t i = row[bucket]; i < row[bucket + 1]; i++) {
      const link_record link = d->records[i];
      out[count++] =
          (turned_link){turn_of[ranks_place(from, sources, n, link.source)], ranks_place(to, targets, n, link.target), i};
    }
  }
  return count;
}

/* By turns, links of one turn staying in order: in one go with a head for each turn if there are about as many links, else byte
 * by byte. Returns where they are then: in the one array or the other. */
static const turned_link *sort_by_turn(turned_link *links, turned_link *spare, size_t count, uint32_t turns, uint32_t *heads) {
  if (count >= turns / 4) {
    memset(heads, 0, ((size_t)turns + 1) * sizeof *heads);
    for (size_t i = 0; i < count; i++)
      heads[links[i].turn + 1]++;
    for (uint32_t i = 0; i < turns; i++)
      heads[i + 1] += heads[i];
    for (size_t i = 0; i < count; i++)
      spare[heads[links[i].turn]++] = links[i];
    return spare;
  }
  for (uint32_t shift = 0; shift < 32 && (turns - 1) >> shift; shift += 8) {
    uint32_t bytes[257] = {0};
    for (size_t i = 0; i < count; i++)
      bytes[(links[i].turn >> shift & 255u) + 1]++;
    for (int i = 0; i < 256; i++)
      bytes[i + 1] += bytes[i];
    for (size_t i = 0; i < count; i++)
      spare[bytes[links[i].turn >> shift & 255u]++] = links[i];
    turned_link *other = links;
    links = spare;
    spare = other;
  }
  return links;
}

static size_t open_bucket(const geodisk_trainer *t, uint32_t a, uint32_t b, const desk *d, void *pairs, double *weights,
                          uint32_t *first) {
  const ranks *r = ranks_of(t);
  const uint32_t sources = part_count(r, a), *scattered = r->scattered[sources != r->largest];
  const size_t count = read_bucket(t, a, b, d->links);
  const turned_link *links = sort_by_turn(d->links, d->spare, count, sources, d->heads);
  uint32_t turn = 0;
  for (size_t i = 0; i < count; i++) {
    for (; first && turn <= links[i].turn; turn++)
      first[scattered[turn]] = (uint32_t)i;
    link_set(pairs, r->wide, i, scattered[links[i].turn], links[i].target);
    if (weights)
      weights[i] = r->links.weights[links[i].record];
  }
  for (; first && turn < sources; turn++)
    first[scattered[turn]] = (uint32_t)count;
  return count;
}

link_list ranks_open_bucket(const geodisk_trainer *t, uint32_t a, uint32_t b, const desk *d, int side) {
  const size_t count = open_bucket(t, a, b, d, d->pairs[side], d->weights[side], NULL);
  return (link_list){.pairs = d->pairs[side], .weights = d->weights[side], .count = count, .wide = ranks_of(t)->wide};
}

void ranks_open_inner(const geodisk_trainer *t, uint32_t part, const desk *d, void *pairs, double *weights, uint32_t *first) {
  (void)open_bucket(t, part, part, d, pairs, weights, first);
}
