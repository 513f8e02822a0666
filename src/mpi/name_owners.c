/* name_owners.c - names at the ranks their hashes say. Numbers follow the order of first occurrence in the file, so a number is
 * the count of smaller keys: thresholds found by bisection over all ranks at once cut the keys into the ranges of the shares, and
 * each rank sorts its own range. */
#include "name_owners.h"
#include "base/grow.h"
#include "base/sorting.h"

#include "exchange.h"

#include <stdlib.h>
#include <string.h>

geodisk_status owners_create(geodisk_context *context, MPI_Comm comm, name_owners *out) {
  name_owners owners = {.context = context, .comm = comm};
  MPI_Comm_rank(comm, &owners.rank);
  MPI_Comm_size(comm, &owners.ranks);
  owners.counts = geodisk_allocate(4 * (size_t)owners.ranks, sizeof *owners.counts);
  *out = owners;
  return mpi_agree_memory(context, comm, owners.counts != NULL, "the names");
}

void owners_free(name_owners *owners) {
  names_free(&owners->names);
  geodisk_free_all(owners->keys, owners->numbers, owners->counts);
  *owners = (name_owners){.context = owners->context};
}

/* ---- ids -------------------------------------------------------------------------------------------------------------- */

/* On the way to its owner, a name has this in front of its bytes. */
typedef struct name_head {
  uint32_t local; /* its number among the sender's */
  uint32_t length;
} name_head;

static size_t length_of(const name_table *names, size_t i) { return (size_t)(names->starts[i + 1] - names->starts[i] - 1); }

static int owner_of_name(const name_owners *owners, const name_table *names, size_t i) {
  const uint64_t hash = name_hash(names->bytes + names->starts[i], length_of(names, i));
  return (int)((hash >> 32) * (uint64_t)owners->ranks >> 32); /* the table of the owner goes by the lower half */
}

/* Counts the bytes for each owner, and once `out` is there, writes them. */
static uint64_t pack_names(const name_owners *owners, const name_table *names, uint64_t *bytes, char *out) {
  uint64_t *at = owners->counts + 3 * (size_t)owners->ranks;
  mpi_starts((size_t)owners->ranks, bytes, at);
  if (out == NULL)
    memset(bytes, 0, (size_t)owners->ranks * sizeof *bytes);
  for (size_t i = 0; i < names->count; i++) {
    const int r = owner_of_name(owners, names, i);
    const name_head head = {(uint32_t)i, (uint32_t)length_of(names, i)};
    if (out == NULL) {
      bytes[r] += sizeof head + head.length;
      continue;
    }
    memcpy(out + at[r], &head, sizeof head);
    memcpy(out + at[r] + sizeof head, names->bytes + names->starts[i], head.length);
    at[r] += sizeof head + head.length;
  }
  uint64_t sum = 0;
  for (int r = 0; r < owners->ranks; r++)
    sum += bytes[r];
  return sum;
}

/* Adds a name that came from another rank, or finds it. */
static geodisk_status own_name(name_owners *owners, const char *text, size_t length, uint64_t key, uint32_t *id) {
  uint32_t index;
  bool is_new;
  const geodisk_status status = names_intern(&owners->names, text, length, &index, &is_new);
  if (status != GEODISK_OK)
    return status;
  const uint64_t wide = (uint64_t)index * (uint64_t)owners->ranks + (uint64_t)owners->rank;
  if (wide >= NO_NODE)
    return GEODISK_ERROR_UNSUPPORTED;
  if (!array_grow(&owners->keys, index, 1, &owners->room, sizeof *owners->keys))
    return GEODISK_ERROR_MEMORY;
  if (is_new || key < owners->keys[index])
    owners->keys[index] = key;
  *id = (uint32_t)wide;
  return GEODISK_OK;
}

/* The ids of the names that came, in the order they came; answered[r] of them for rank r. */
static geodisk_status answer_names(name_owners *owners, const char *bytes, const uint64_t *received, const uint64_t *first_keys,
                                   uint32_t *answers, uint64_t *answered) {
  geodisk_status status = GEODISK_OK;
  for (int r = 0; r < owners->ranks && status == GEODISK_OK; r++) {
    const char *end = bytes + received[r];
    answered[r] = 0;
    while (bytes < end && status == GEODISK_OK) {
      name_head head;
      memcpy(&head, bytes, sizeof head);
      status = own_name(owners, bytes + sizeof head, head.length, first_keys[r] + head.local, answers++);
      bytes += sizeof head + head.length;
      answered[r]++;
    }
  }
  if (status == GEODISK_ERROR_UNSUPPORTED)
    return geodisk_fail(owners->context, status, "more than %zu nodes", NAMES_MAX);
  return status == GEODISK_OK ? status : geodisk_fail(owners->context, status, "not enough memory for the names");
}

static size_t count_names(const char *bytes, size_t size) {
  size_t n = 0;
  for (size_t at = 0; at < size; n++) {
    name_head head;
    memcpy(&head, bytes + at, sizeof head);
    at += sizeof head + head.length;
  }
  return n;
}

geodisk_status owners_identify(name_owners *owners, const name_table *names, uint64_t first_key, uint32_t *ids) {
  const size_t ranks = (size_t)owners->ranks;
  uint64_t *sent = owners->counts, *received = sent + ranks, *first_keys = received + ranks, *at = first_keys + ranks;
  char *packed = NULL;
  void *came = NULL, *answers = NULL, *back = NULL;
  size_t size = 0, count = 0;
  memset(sent, 0, ranks * sizeof *sent);
  packed = geodisk_allocate((size_t)pack_names(owners, names, sent, NULL), 1);
  geodisk_status status = mpi_agree_memory(owners->context, owners->comm, packed != NULL, "the names");
  if (status != GEODISK_OK)
    goto done;
  pack_names(owners, names, sent, packed);
  if ((status = mpi_deliver(owners->context, owners->comm, 1, packed, sent, received, &came, &size)) != GEODISK_OK)
    goto done;
  MPI_Allgather(&first_key, 1, MPI_UINT64_T, first_keys, 1, MPI_UINT64_T, owners->comm);
  answers = geodisk_allocate(count_names(came, size), sizeof(uint32_t));
  if (answers == NULL)
    status = geodisk_no_memory(owners->context, "for the names");
  else
    status = answer_names(owners, came, received, first_keys, answers, sent);
  if ((status = mpi_agree(owners->context, owners->comm, status)) != GEODISK_OK)
    goto done;
  if ((status = mpi_deliver(owners->context, owners->comm, sizeof(uint32_t), answers, sent, received, &back, &count)) !=
      GEODISK_OK)
    goto done;
  mpi_starts(ranks, received, at);
  for (size_t i = 0; i < names->count; i++) /* in the order in which they were packed */
    ids[i] = ((uint32_t *)back)[at[owner_of_name(owners, names, i)]++];

done:
  geodisk_free_all(packed, came, answers, back);
  return status;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------------- */

/* A name on its way to the owner of its number. */
typedef struct numbered {
  uint64_t key;
  uint32_t at; /* sender: which of its names; receiver: which of those that came */
  uint32_t length;
} numbered;

static int by_key(const void *a, const void *b) {
  const numbered *x = a, *y = b;
  return COMPARE(x->key, y->key);
}

static uint64_t keys_below(const numbered *list, size_t count, uint64_t key) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (list[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Where the sorted keys of this rank are cut: the first cut[r] of them are below the keys of rank r's range. Bisection for all
 * ranges at once; keys differ, so that there is a key with exactly firsts[r] smaller ones. */
static void cut_keys(const name_owners *owners, const numbered *list, size_t count, const uint32_t *firsts, uint64_t *low) {
  const size_t ranks = (size_t)owners->ranks;
  uint64_t *high = owners->counts + ranks, *here = high + ranks, *all = here + ranks;
  for (size_t r = 0; r < ranks; r++) {
    low[r] = 0;
    high[r] = UINT64_MAX;
  }
  for (int bit = 0; bit < 64; bit++) { /* the least key with at least firsts[r] below it is in low .. high */
    for (size_t r = 0; r < ranks; r++)
      here[r] = keys_below(list, count, low[r] + (high[r] - low[r]) / 2);
    MPI_Allreduce(here, all, (int)ranks, MPI_UINT64_T, MPI_SUM, owners->comm);
    for (size_t r = 0; r < ranks; r++) {
      const uint64_t middle = low[r] + (high[r] - low[r]) / 2;
      if (all[r] >= firsts[r])
        high[r] = middle;
      else
        low[r] = middle + 1;
    }
  }
  for (size_t r = 0; r < ranks; r++)
    low[r] = keys_below(list, count, high[r]);
}

/* Sorts the names that came by their keys and lays them out; answers[i] is the number of the i-th that came. */
static bool lay_names(mpi_share *share, numbered *came, size_t count, const char *bytes, size_t size, uint32_t *answers) {
  uint64_t *from = geodisk_allocate(count, sizeof *from), at = 0;
  share->names = geodisk_allocate(size + count, 1);
  share->name_starts = geodisk_allocate(count + 1, sizeof *share->name_starts);
  if (from == NULL || share->names == NULL || share->name_starts == NULL) {
    free(from);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    from[i] = at;
    at += came[i].length;
    came[i].at = (uint32_t)i;
  }
  qsort(came, count, sizeof *came, by_key);
  at = 0;
  for (size_t i = 0; i < count; i++) {
    share->name_starts[i] = at;
    memcpy(share->names + at, bytes + from[came[i].at], came[i].length);
    share->names[at + came[i].length] = 0;
    at += came[i].length + 1;
    answers[came[i].at] = share->first + (uint32_t)i;
  }
  share->name_starts[count] = at;
  free(from);
  return true;
}

/* The list of owned names, sorted by key, and their bytes in that order; the table is empty afterwards. */
static bool list_names(name_owners *owners, numbered **list, char **bytes) {
  const size_t count = owners->names.count;
  *list = geodisk_allocate(count, sizeof **list);
  *bytes = geodisk_allocate(owners->names.used, 1);
  if (*list == NULL || *bytes == NULL)
    return false;
  for (size_t i = 0; i < count; i++)
    (*list)[i] = (numbered){owners->keys[i], (uint32_t)i, (uint32_t)length_of(&owners->names, i)};
  free(owners->keys);
  owners->keys = NULL;
  qsort(*list, count, sizeof **list, by_key);
  char *to = *bytes;
  for (size_t i = 0; i < count; i++) {
    memcpy(to, owners->names.bytes + owners->names.starts[(*list)[i].at], (*list)[i].length);
    to += (*list)[i].length;
  }
  names_free(&owners->names);
  return true;
}

geodisk_status owners_number(name_owners *owners, mpi_share **out) {
  const size_t ranks = (size_t)owners->ranks, count = owners->names.count;
  uint64_t *cut = owners->counts, *sent = cut + ranks, *received = sent + ranks, *sent_bytes = received + ranks;
  numbered *list = NULL;
  char *bytes = NULL;
  void *came = NULL, *came_bytes = NULL, *numbers = NULL;
  uint32_t *answers = NULL;
  size_t n = 0, size = 0;
  mpi_share *share = mpi_share_empty(owners->comm, mpi_sum(owners->comm, count));
  owners->numbers = geodisk_allocate(count, sizeof *owners->numbers);
  bool enough = share != NULL && owners->numbers != NULL && list_names(owners, &list, &bytes);
  geodisk_status status = mpi_agree_memory(owners->context, owners->comm, enough, "the names");
  if (status != GEODISK_OK)
    goto done;
  cut_keys(owners, list, count, share->firsts, cut);
  for (size_t r = 0, i = 0; r < ranks; r++) {
    sent[r] = (r + 1 < ranks ? cut[r + 1] : count) - cut[r];
    sent_bytes[r] = 0;
    for (size_t end = i + sent[r]; i < end; i++)
      sent_bytes[r] += list[i].length;
  }
  if ((status = mpi_deliver(owners->context, owners->comm, sizeof *list, list, sent, received, &came, &n)) != GEODISK_OK)
    goto done;
  if ((status = mpi_deliver(owners->context, owners->comm, 1, bytes, sent_bytes, cut, &came_bytes, &size)) != GEODISK_OK)
    goto done;
  free(bytes);
  bytes = NULL;
  answers = geodisk_allocate(n, sizeof *answers);
  enough = answers != NULL && n == share->owned && lay_names(share, came, n, came_bytes, size, answers);
  if ((status = mpi_agree_memory(owners->context, owners->comm, enough, "the names")) != GEODISK_OK)
    goto done;
  if ((status = mpi_deliver(owners->context, owners->comm, sizeof *answers, answers, received, sent, &numbers, &n)) != GEODISK_OK)
    goto done;
  for (size_t i = 0; i < count; i++)
    owners->numbers[list[i].at] = ((uint32_t *)numbers)[i];
  *out = share;
  share = NULL;

done:
  mpi_share_destroy(share);
  geodisk_free_all(list, bytes, came, came_bytes, numbers, answers);
  return status;
}

/* ---- look-up ---------------------------------------------------------------------------------------------------------- */

geodisk_status owners_look_up(name_owners *owners, size_t count, uint32_t *ids) {
  const size_t ranks = (size_t)owners->ranks;
  uint64_t *sent = owners->counts, *received = sent + ranks, *at = received + ranks, *same = at + ranks;
  uint32_t *questions = geodisk_allocate(count, sizeof *questions);
  void *came = NULL, *back = NULL;
  size_t n = 0;
  geodisk_status status = mpi_agree_memory(owners->context, owners->comm, questions != NULL, "the edges");
  if (status != GEODISK_OK)
    goto done;
  memset(sent, 0, ranks * sizeof *sent);
  for (size_t i = 0; i < count; i++)
    sent[ids[i] % ranks]++;
  mpi_starts(ranks, sent, at);
  for (size_t i = 0; i < count; i++)
    questions[at[ids[i] % ranks]++] = ids[i];
  if ((status = mpi_deliver(owners->context, owners->comm, sizeof *ids, questions, sent, received, &came, &n)) != GEODISK_OK)
    goto done;
  uint32_t *numbers = came;
  for (size_t i = 0; i < n; i++)
    numbers[i] = owners->numbers[numbers[i] / ranks];
  if ((status = mpi_deliver(owners->context, owners->comm, sizeof *ids, numbers, received, same, &back, &n)) != GEODISK_OK)
    goto done;
  mpi_starts(ranks, sent, at);
  for (size_t i = 0; i < count; i++)
    ids[i] = ((uint32_t *)back)[at[ids[i] % ranks]++];

done:
  geodisk_free_all(questions, came, back);
  return status;
}
