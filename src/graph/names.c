/* names.c - names interned once: a block of bytes, where each name starts, and a hash table from name to id. While a graph is
 * read, slots carry half of the hash, so that a probe rarely touches the names; the finished graph keeps a table half that size.
 */
#include "store.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024, FIRST_NAMES = 512, FIRST_BYTES = 1 << 14 };

/* ---- hash ------------------------------------------------------------------------------------------------------------- */

static uint64_t load64(const char *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/* Two rounds of multiply and shift, odd constants from the bits of the golden ratio and of sqrt(2). */
static uint64_t scramble(uint64_t h) {
  h *= 0x9e3779b97f4a7c15u;
  h ^= h >> 32;
  h *= 0x6a09e667f3bcc909u;
  return h ^ (h >> 29);
}

/* Part of geodisk_graph_fingerprint, so it never changes. */
uint64_t name_hash(const char *text, size_t length) {
  uint64_t h = length * 0xbb67ae8584caa73bu;
  while (length > 8) {
    h = scramble(h ^ load64(text));
    text += 8;
    length -= 8;
  }
  char last[8] = {0};
  memcpy(last, text, length);
  return scramble(h ^ load64(last));
}

/* ---- the growing table ------------------------------------------------------------------------------------------------ */

static bool same_name(const char *bytes, const uint64_t *starts, uint32_t id, const char *text, size_t length) {
  return starts[id + 1] - starts[id] == length + 1 && memcmp(bytes + starts[id], text, length) == 0;
}

static geodisk_status grow_slots(name_table *names) {
  const size_t slot_count = names->slot_count == 0 ? FIRST_SLOTS : 2 * names->slot_count;
  uint64_t *slots = geodisk_allocate_zero(slot_count, sizeof *slots);
  if (slots == NULL)
    return GEODISK_ERROR_MEMORY;
  for (size_t i = 0; i < names->count; i++) {
    const uint64_t hash = name_hash(names->bytes + names->starts[i], (size_t)(names->starts[i + 1] - names->starts[i] - 1));
    size_t at = hash & (slot_count - 1);
    while (slots[at] != 0)
      at = (at + 1) & (slot_count - 1);
    slots[at] = (hash & 0xffffffff00000000u) | (i + 1);
  }
  free(names->slots);
  names->slots = slots;
  names->slot_count = slot_count;
  return GEODISK_OK;
}

/* Room for one more name of `length` bytes. The table is at most three quarters full. */
static geodisk_status make_room(name_table *names, size_t length) {
  if (names->count >= MAX_NODES)
    return GEODISK_ERROR_UNSUPPORTED;
  if (names->count + 2 > names->room) {
    const size_t room = names->room == 0 ? FIRST_NAMES : names->room + names->room / 2;
    uint64_t *starts = geodisk_reallocate(names->starts, room, sizeof *starts);
    if (starts == NULL)
      return GEODISK_ERROR_MEMORY;
    starts[names->count] = names->used; /* the first time it is fresh */
    names->starts = starts;
    names->room = room;
  }
  if (names->capacity - names->used < length + 1) {
    size_t capacity = names->capacity == 0 ? FIRST_BYTES : names->capacity + names->capacity / 2;
    if (capacity - names->used < length + 1)
      capacity = names->used + length + 1;
    char *bytes = geodisk_reallocate(names->bytes, capacity, 1);
    if (bytes == NULL)
      return GEODISK_ERROR_MEMORY;
    names->bytes = bytes;
    names->capacity = capacity;
  }
  return 4 * (names->count + 1) > 3 * names->slot_count ? grow_slots(names) : GEODISK_OK;
}

/* The slot of the name, or the empty one where it belongs. */
static size_t probe(const name_table *names, uint64_t hash, const char *text, size_t length) {
  const uint64_t tag = hash & 0xffffffff00000000u;
  size_t at = hash & (names->slot_count - 1);
  for (;; at = (at + 1) & (names->slot_count - 1)) {
    const uint64_t slot = names->slots[at];
    if (slot == 0)
      return at;
    if ((slot & 0xffffffff00000000u) == tag && same_name(names->bytes, names->starts, (uint32_t)slot - 1, text, length))
      return at;
  }
}

bool names_lookup(const name_table *names, const char *text, size_t length, uint32_t *id) {
  if (names->slot_count == 0)
    return false;
  const uint64_t slot = names->slots[probe(names, name_hash(text, length), text, length)];
  if (slot != 0)
    *id = (uint32_t)slot - 1;
  return slot != 0;
}

void names_fetch(const name_table *names, uint64_t hash, int step) {
  if (names->slot_count == 0)
    return;
  size_t at = hash & (names->slot_count - 1);
  if (step == 0) {
    __builtin_prefetch(&names->slots[at]);
    return;
  }
  while (names->slots[at] != 0 && ((names->slots[at] ^ hash) & 0xffffffff00000000u) != 0)
    at = (at + 1) & (names->slot_count - 1);
  if (names->slots[at] == 0)
    return;
  const uint64_t *start = &names->starts[(uint32_t)names->slots[at] - 1];
  if (step == 1)
    __builtin_prefetch(start);
  else
    __builtin_prefetch(&names->bytes[*start]);
}

geodisk_status names_intern(name_table *names, const char *text, size_t length, uint32_t *id, bool *is_new) {
  return names_intern_hashed(names, text, length, name_hash(text, length), id, is_new);
}

geodisk_status names_intern_hashed(name_table *names, const char *text, size_t length, uint64_t hash, uint32_t *id,
                                   bool *is_new) {
  if (names->slot_count != 0) {
    const uint64_t slot = names->slots[probe(names, hash, text, length)];
    if (slot != 0) {
      *id = (uint32_t)slot - 1;
      *is_new = false;
      return GEODISK_OK;
    }
  }
  const geodisk_status status = make_room(names, length);
  if (status != GEODISK_OK)
    return status;
  const size_t at = probe(names, hash, text, length); /* again: the slots may have grown */
  memcpy(names->bytes + names->used, text, length);
  names->bytes[names->used + length] = 0;
  names->used += length + 1;
  *id = (uint32_t)names->count;
  *is_new = true;
  names->starts[++names->count] = names->used;
  names->slots[at] = (hash & 0xffffffff00000000u) | names->count;
  return GEODISK_OK;
}

void names_free(name_table *names) {
  free(names->bytes);
  free(names->starts);
  free(names->slots);
  *names = (name_table){0};
}

/* ---- the frozen index ------------------------------------------------------------------------------------------------- */

/* Maps a hash to [0, slot_count) by its upper 32 bits, for sizes that are no power of two. */
static size_t home_slot(uint64_t hash, size_t slot_count) {
  return (size_t)(((hash >> 32) * (uint64_t)(slot_count & 0xffffffffu) >> 32) + (hash >> 32) * (slot_count >> 32));
}

static geodisk_status fill_index(name_index *index) {
  index->slot_count = index->count + index->count / 2 + 1;
  index->slots = geodisk_allocate_zero(index->slot_count, sizeof *index->slots);
  if (index->slots == NULL)
    return GEODISK_ERROR_MEMORY;
  for (size_t i = 0; i < index->count; i++) {
    const uint64_t hash = name_hash(index->bytes + index->starts[i], (size_t)(index->starts[i + 1] - index->starts[i] - 1));
    size_t at = home_slot(hash, index->slot_count);
    while (index->slots[at] != 0)
      at = at + 1 == index->slot_count ? 0 : at + 1;
    index->slots[at] = (uint32_t)i + 1;
  }
  return GEODISK_OK;
}

geodisk_status names_freeze(name_table *names, name_index *index) {
  free(names->slots);
  name_index frozen = {.bytes = names->bytes, .starts = names->starts, .count = names->count};
  const size_t used = names->used;
  *names = (name_table){0};
  if (frozen.starts == NULL) { /* no names at all */
    frozen.starts = geodisk_allocate_zero(1, sizeof *frozen.starts);
    frozen.bytes = geodisk_allocate_zero(1, 1);
  } else { /* shrinking cannot do harm when it fails */
    uint64_t *starts = geodisk_reallocate(frozen.starts, frozen.count + 1, sizeof *starts);
    char *bytes = geodisk_reallocate(frozen.bytes, used, 1);
    frozen.starts = starts != NULL ? starts : frozen.starts;
    frozen.bytes = bytes != NULL ? bytes : frozen.bytes;
  }
  if (frozen.starts == NULL || frozen.bytes == NULL || fill_index(&frozen) != GEODISK_OK) {
    index_free(&frozen);
    return GEODISK_ERROR_MEMORY;
  }
  *index = frozen;
  return GEODISK_OK;
}

geodisk_status names_copy(const name_index *from, name_index *index) {
  name_index copy = {.count = from->count, .slot_count = from->slot_count};
  copy.bytes = geodisk_allocate((size_t)from->starts[from->count], 1);
  copy.starts = geodisk_allocate(from->count + 1, sizeof *copy.starts);
  copy.slots = geodisk_allocate(from->slot_count, sizeof *copy.slots);
  if (copy.bytes == NULL || copy.starts == NULL || copy.slots == NULL) {
    index_free(&copy);
    return GEODISK_ERROR_MEMORY;
  }
  memcpy(copy.bytes, from->bytes, (size_t)from->starts[from->count]);
  memcpy(copy.starts, from->starts, (from->count + 1) * sizeof *copy.starts);
  memcpy(copy.slots, from->slots, from->slot_count * sizeof *copy.slots);
  *index = copy;
  return GEODISK_OK;
}

bool index_lookup(const name_index *index, const char *text, size_t length, uint32_t *id) {
  size_t at = home_slot(name_hash(text, length), index->slot_count);
  for (; index->slots[at] != 0; at = at + 1 == index->slot_count ? 0 : at + 1)
    if (same_name(index->bytes, index->starts, index->slots[at] - 1, text, length)) {
      *id = index->slots[at] - 1;
      return true;
    }
  return false;
}

void index_free(name_index *index) {
  free(index->bytes);
  free(index->starts);
  free(index->slots);
  *index = (name_index){0};
}
