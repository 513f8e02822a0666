/* names.c - names interned once: a block of bytes, where each name starts, and a hash table from name to id. While names are
 * added, slots carry half of the hash, so that a probe rarely touches the names; what is frozen keeps a table half that size. */
#include "names.h"
#include "grow.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

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

static uint64_t hash_from(uint64_t key, const char *text, size_t length) {
  uint64_t h = key ^ (length * 0xbb67ae8584caa73bu);
  while (length > 8) {
    h = scramble(h ^ load64(text));
    text += 8;
    length -= 8;
  }
  char last[8] = {0};
  memcpy(last, text, length);
  return scramble(h ^ load64(last));
}

/* Part of geodisk_graph_fingerprint, so it never changes. */
uint64_t name_hash(const char *text, size_t length) { return hash_from(0, text, length); }

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
  if (names->count >= NAMES_MAX)
    return GEODISK_ERROR_UNSUPPORTED;
  if (!array_grow(&names->starts, names->count, 2, &names->room, sizeof *names->starts) ||
      !array_grow(&names->bytes, names->used, length + 1, &names->capacity, 1))
    return GEODISK_ERROR_MEMORY;
  names->starts[names->count] = names->used; /* the first time it is fresh */
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
  geodisk_free_all(names->bytes, names->starts, names->slots);
  *names = (name_table){0};
}

/* ---- the frozen index ------------------------------------------------------------------------------------------------- */

/* The slot of the name, or the empty one where it belongs. The upper half of the hash is mapped to [0, slot_count), which is no
 * power of two. */
static size_t find_slot(const name_index *index, const char *text, size_t length) {
  const uint64_t high = hash_from(index->key, text, length) >> 32;
  size_t at = (size_t)((high * (uint64_t)(index->slot_count & 0xffffffffu) >> 32) + high * (index->slot_count >> 32));
  while (index->slots[at] != 0 && !same_name(index->bytes, index->starts, index->slots[at] - 1, text, length))
    at = at + 1 == index->slot_count ? 0 : at + 1;
  return at;
}

/* Why name i cannot stay; NULL if it can. The starts up to i are known to be right. */
static const char *name_fault(const names_block *block, size_t i) {
  const uint64_t start = block->starts[i], end = block->starts[i + 1];
  if (i == 0 && start != 0)
    return "does not begin at offset 0";
  if (end <= start || end > block->size)
    return "does not lie where its offset says";
  const char *text = block->bytes + start;
  const size_t length = (size_t)(end - start - 1);
  if (text[length] != 0)
    return "does not end with a NUL byte";
  if (memchr(text, 0, length) != NULL)
    return "has a NUL byte inside";
  if (geodisk_utf8_prefix(text, length) != length)
    return "is not UTF-8";
  return NULL;
}

/* Fills the table; with `block`, names are checked before they enter. */
static const char *fill_slots(name_index *index, const names_block *block, size_t *bad) {
  for (size_t i = 0; i < index->count; i++) {
    const char *why = block != NULL ? name_fault(block, i) : NULL;
    *bad = i;
    if (why != NULL)
      return why;
    const size_t at = find_slot(index, names_at(index, i), names_length(index, i));
    if (index->slots[at] != 0)
      return "occurs twice";
    index->slots[at] = (uint32_t)i + 1;
  }
  return block != NULL && block->starts[block->count] != block->size ? "is not the end of the names" : NULL;
}

/* An index with an empty table. Takes over what is owned, whatever the result. */
static name_index *make_index(const names_block *block) {
  name_index *index = geodisk_allocate_zero(1, sizeof *index);
  const size_t slot_count = block->count + block->count / 2 + 1;
  uint32_t *slots = geodisk_allocate_zero(slot_count, sizeof *slots);
  if (index == NULL || slots == NULL) {
    geodisk_free_all(index, slots, block->own_bytes, block->own_starts);
    return NULL;
  }
  *index = (name_index){.bytes = block->bytes,
                        .starts = block->starts,
                        .count = block->count,
                        .slots = slots,
                        .slot_count = slot_count,
                        .key = (uint64_t)(uintptr_t)slots * 0x9e3779b97f4a7c15u,
                        .own_bytes = block->own_bytes,
                        .own_starts = block->own_starts};
  atomic_init(&index->users, 1);
  return index;
}

geodisk_status names_index(const names_block *block, name_index **out, size_t *bad, const char **why) {
  name_index *index = make_index(block);
  if (index == NULL)
    return GEODISK_ERROR_MEMORY;
  *why = fill_slots(index, block, bad);
  if (*why != NULL) {
    names_release(index);
    return GEODISK_ERROR_FORMAT;
  }
  *out = index;
  return GEODISK_OK;
}

/* The block of an index of names that are known to be good. */
static geodisk_status index_own(char *bytes, uint64_t *starts, size_t count, name_index **out) {
  if (bytes == NULL || starts == NULL) {
    geodisk_free_all(bytes, starts);
    return GEODISK_ERROR_MEMORY;
  }
  const names_block block = {.bytes = bytes, .starts = starts, .count = count, .own_bytes = bytes, .own_starts = starts};
  name_index *index = make_index(&block);
  if (index == NULL)
    return GEODISK_ERROR_MEMORY;
  size_t bad;
  fill_slots(index, NULL, &bad);
  *out = index;
  return GEODISK_OK;
}

geodisk_status names_freeze(name_table *names, name_index **out) {
  free(names->slots);
  const name_table table = *names;
  *names = (name_table){0};
  if (table.starts == NULL) /* no names at all */
    return index_own(geodisk_allocate_zero(1, 1), geodisk_allocate_zero(1, sizeof *table.starts), 0, out);
  uint64_t *starts = geodisk_reallocate(table.starts, table.count + 1, sizeof *starts);
  char *bytes = geodisk_reallocate(table.bytes, table.used, 1);
  if (starts == NULL)
    free(table.starts);
  if (bytes == NULL)
    free(table.bytes);
  return index_own(bytes, starts, table.count, out);
}

geodisk_status names_share(name_index *index, name_index **out) {
  if (index->own_bytes != NULL) {
    atomic_fetch_add(&index->users, 1);
    *out = index;
    return GEODISK_OK;
  }
  const size_t size = (size_t)index->starts[index->count];
  char *bytes = geodisk_allocate(size, 1);
  uint64_t *starts = geodisk_allocate(index->count + 1, sizeof *starts);
  if (bytes != NULL && starts != NULL) {
    memcpy(bytes, index->bytes, size);
    memcpy(starts, index->starts, (index->count + 1) * sizeof *starts);
  }
  return index_own(bytes, starts, index->count, out);
}

bool names_find(const name_index *index, const char *text, size_t length, uint32_t *id) {
  const uint32_t slot = index->slots[find_slot(index, text, length)];
  if (slot != 0)
    *id = slot - 1;
  return slot != 0;
}

void names_release(name_index *index) {
  if (index == NULL || atomic_fetch_sub(&index->users, 1) > 1)
    return;
  geodisk_free_all(index->slots, index->own_bytes, index->own_starts, index);
}
