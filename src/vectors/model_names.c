/* model_names.c - the names of a model: checked, and found by a hash table. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes a round, each round a multiplication by an odd constant (bits of pi) and a shift, from a secret start. */
static uint64_t hash_name(uint64_t key, const char *text, size_t length) {
  uint64_t h = key ^ (length * 0x243f6a8885a308d3u);
  while (length > 0) {
    uint64_t word = 0;
    const size_t take = length < sizeof word ? length : sizeof word;
    memcpy(&word, text, take);
    h = (h ^ word) * 0x13198a2e03707345u;
    h ^= h >> 29;
    text += take;
    length -= take;
  }
  h *= 0xa4093822299f31d1u;
  return h ^ h >> 32;
}

static size_t name_length(const model_names *names, size_t i) { return (size_t)(names->starts[i + 1] - names->starts[i] - 1); }

/* The slot of a name, or the empty one where it belongs. */
static size_t probe(const model_names *names, const char *text, size_t length) {
  size_t at = (size_t)(hash_name(names->key, text, length) % names->slot_count);
  for (;; at = at + 1 == names->slot_count ? 0 : at + 1) {
    const uint32_t slot = names->slots[at];
    if (slot == 0 ||
        (name_length(names, slot - 1) == length && memcmp(names->bytes + names->starts[slot - 1], text, length) == 0))
      return at;
  }
}

/* Why name i cannot stay; NULL if it can. The starts up to i are known to be right. */
static const char *name_fault(const model_names *names, uint64_t bytes, size_t i) {
  const uint64_t start = names->starts[i], end = names->starts[i + 1];
  if (end <= start || end > bytes)
    return "does not lie where its offset says";
  const char *text = names->bytes + start;
  const size_t length = (size_t)(end - start - 1);
  if (text[length] != 0)
    return "does not end with a NUL byte";
  if (memchr(text, 0, length) != NULL)
    return "has a NUL byte inside";
  if (geodisk_utf8_prefix(text, length) != length)
    return "is not UTF-8";
  return NULL;
}

geodisk_status model_names_index(model_names *names, uint64_t bytes, size_t *bad, const char **why) {
  names->slot_count = names->count + names->count / 2 + 1;
  names->slots = geodisk_allocate_zero(names->slot_count, sizeof *names->slots);
  if (names->slots == NULL)
    return GEODISK_ERROR_MEMORY;
  names->key = (uint64_t)(uintptr_t)names->slots * 0x9e3779b97f4a7c15u;
  *bad = 0;
  *why = NULL;
  if (names->starts[0] != 0)
    *why = "does not begin at offset 0";
  for (size_t i = 0; *why == NULL && i < names->count; i++) {
    *bad = i;
    *why = name_fault(names, bytes, i);
    if (*why != NULL)
      break;
    const size_t at = probe(names, names->bytes + names->starts[i], name_length(names, i));
    if (names->slots[at] != 0)
      *why = "occurs twice";
    else
      names->slots[at] = (uint32_t)i + 1;
  }
  if (*why == NULL && names->starts[names->count] != bytes)
    *why = "is not the end of the names";
  return *why == NULL ? GEODISK_OK : GEODISK_ERROR_FORMAT;
}

bool model_names_find(const model_names *names, const char *name, size_t length, uint32_t *node) {
  const uint32_t slot = names->slots[probe(names, name, length)];
  if (slot != 0)
    *node = slot - 1;
  return slot != 0;
}

/* ---- names added one by one ------------------------------------------------------------------------------------------ */

enum { FIRST_NAMES = 512, FIRST_SLOTS = 1024, FIRST_BYTES = 1 << 13 };

/* A larger table for the names there are. */
static geodisk_status grow_slots(model_names *names) {
  model_names larger = *names;
  larger.slot_count = names->slot_count == 0 ? FIRST_SLOTS : 2 * names->slot_count;
  larger.slots = geodisk_allocate_zero(larger.slot_count, sizeof *larger.slots);
  if (larger.slots == NULL)
    return GEODISK_ERROR_MEMORY;
  larger.key = (uint64_t)(uintptr_t)larger.slots * 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < names->count; i++)
    larger.slots[probe(&larger, names->bytes + names->starts[i], name_length(names, i))] = (uint32_t)i + 1;
  free(names->slots);
  *names = larger;
  return GEODISK_OK;
}

/* Room for one more name; the table stays at most two thirds full. */
static geodisk_status make_room(names_builder *b, size_t length) {
  model_names *names = &b->names;
  if (names->count >= MODEL_MAX_NODES)
    return GEODISK_ERROR_UNSUPPORTED;
  if (names->count + 2 > b->starts_room) {
    const size_t room = b->starts_room == 0 ? FIRST_NAMES : b->starts_room + b->starts_room / 2;
    uint64_t *starts = geodisk_reallocate(names->own_starts, room, sizeof *starts);
    if (starts == NULL)
      return GEODISK_ERROR_MEMORY;
    if (b->starts_room == 0)
      starts[0] = 0;
    names->starts = names->own_starts = starts;
    b->starts_room = room;
  }
  const size_t used = (size_t)names->starts[names->count];
  if (b->bytes_room - used <= length) {
    const size_t room = b->bytes_room + b->bytes_room / 2 + FIRST_BYTES + length;
    char *bytes = geodisk_reallocate(names->own_bytes, room, 1);
    if (bytes == NULL)
      return GEODISK_ERROR_MEMORY;
    names->bytes = names->own_bytes = bytes;
    b->bytes_room = room;
  }
  return names->count + names->count / 2 + 2 > names->slot_count ? grow_slots(names) : GEODISK_OK;
}

geodisk_status names_builder_add(names_builder *builder, const char *name, size_t length, bool *is_new) {
  model_names *names = &builder->names;
  const geodisk_status status = make_room(builder, length);
  if (status != GEODISK_OK)
    return status;
  const size_t at = probe(names, name, length);
  *is_new = names->slots[at] == 0;
  if (!*is_new)
    return GEODISK_OK;
  const uint64_t start = names->starts[names->count];
  memcpy(names->own_bytes + start, name, length);
  names->own_bytes[start + length] = 0;
  names->own_starts[++names->count] = start + length + 1;
  names->slots[at] = (uint32_t)names->count;
  return GEODISK_OK;
}

void model_names_free(model_names *names) {
  free(names->slots);
  free(names->own_bytes);
  free(names->own_starts);
  *names = (model_names){0};
}
