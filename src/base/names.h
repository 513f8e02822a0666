/* names.h - names interned once, and found again: a table that grows, and what it is frozen into. Graphs and models have their
 * names here, a model those of the graph that it was trained on. Seen by every module. */
#pragma once

#include <stdatomic.h>

#include "geodisk/base.h"

/* Ids are 32-bit; the hash tables keep id + 1, and UINT32_MAX stays free to mean "none". */
#define NAMES_MAX ((size_t)UINT32_MAX - 1)

/* ---- names that are added one by one ----------------------------------------------------------------------------------- */

/* Names in one block of bytes, each ended by a NUL: name i is bytes[starts[i]] .. bytes[starts[i + 1] - 2]. A slot of the hash
 * table, which is probed linearly, is (upper half of the hash) << 32 | id + 1, or 0. All zero is an empty table. */
typedef struct name_table {
  char *bytes;
  size_t used, capacity; /* bytes */
  uint64_t *starts;      /* count + 1; starts[count] == used */
  size_t count, room;
  uint64_t *slots;
  size_t slot_count; /* a power of two, or 0 */
} name_table;

uint64_t name_hash(const char *text, size_t length);

/* The id of a name, added if it is new. MEMORY; UNSUPPORTED: there are NAMES_MAX already. */
geodisk_status names_intern(name_table *names, const char *text, size_t length, uint32_t *id, bool *is_new);

/* The same for a name whose hash is known. A search in a large table waits for memory three times: for the slot, for where the
 * name starts, for the name. Called for many names before they are interned, step 0, then step 1, then step 2 fetch these ahead.
 */
geodisk_status names_intern_hashed(name_table *names, const char *text, size_t length, uint64_t hash, uint32_t *id, bool *is_new);
void names_fetch(const name_table *names, uint64_t hash, int step);
bool names_lookup(const name_table *names, const char *text, size_t length, uint32_t *id);
void names_free(name_table *names);

/* ---- names that stay as they are --------------------------------------------------------------------------------------- */

/* The same block with a smaller table: a slot is id + 1, or 0. Its hash is keyed by an address, so that nobody can prepare names
 * that all fall into one place. It is shared by counting its users, and never changes. */
typedef struct name_index {
  atomic_size_t users;
  const char *bytes;
  const uint64_t *starts; /* count + 1 */
  size_t count;
  uint32_t *slots;
  size_t slot_count;
  uint64_t key;
  char *own_bytes; /* NULL: the bytes lie in somebody else's block, which outlives the index */
  uint64_t *own_starts;
} name_index;

/* Turns the table into an index; the table is empty afterwards, whatever the result. MEMORY. */
geodisk_status names_freeze(name_table *names, name_index **out);

/* An index of names that lie in a block of `size` bytes already, which stays where it is. Checked: their places, NULs, UTF-8,
 * that they are different. FORMAT: *bad is the first name that is wrong, *why says how. MEMORY has no *bad. With own_starts the
 * index frees the starts, whatever the result. */
typedef struct names_block {
  const char *bytes;
  uint64_t size;
  const uint64_t *starts; /* count + 1 */
  size_t count;
  char *own_bytes;      /* taken over, whatever the result; or NULL */
  uint64_t *own_starts; /* likewise */
} names_block;
geodisk_status names_index(const names_block *block, name_index **out, size_t *bad, const char **why);

/* One more user of the same names; a copy where they lie in somebody else's block. MEMORY. */
geodisk_status names_share(name_index *index, name_index **out);
void names_release(name_index *index); /* NULL is fine */

bool names_find(const name_index *index, const char *text, size_t length, uint32_t *id);
static inline const char *names_at(const name_index *index, size_t id) { return index->bytes + index->starts[id]; }
static inline size_t names_length(const name_index *index, size_t id) {
  return (size_t)(index->starts[id + 1] - index->starts[id] - 1);
}
