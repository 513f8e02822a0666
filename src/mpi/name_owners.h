/* name_owners.h - names spread over the ranks by their hashes, while a graph is read: every name has one owner, who gives it an
 * id at once and, when all are known, the number it has in a plain process. Internal to the mpi module; all but free is
 * collective.
 */
#pragma once

#include "graph/ranges.h"
#include "share.h"

typedef struct name_owners {
  geodisk_context *context;
  MPI_Comm comm;
  int rank, ranks;
  name_table names;  /* owned */
  uint64_t *keys;    /* of each: says where it first occurs; smaller ones are earlier in the file */
  size_t room;       /* for so many keys */
  uint32_t *numbers; /* of each, once owners_number was called */
  uint64_t *counts;  /* 4 x ranks: scratch */
} name_owners;

geodisk_status owners_create(geodisk_context *context, MPI_Comm comm, name_owners *out);
void owners_free(name_owners *owners);

/* The ids of names; the place of name i in the file is first_key + i. An id is (number at its owner) * ranks + owner. */
geodisk_status owners_identify(name_owners *owners, const name_table *names, uint64_t first_key, uint32_t *ids);

/* Numbers the names in the order of their keys, and moves each to the rank that owns its number: makes a share with its ranges
 * and names filled in. The names are gone from here, ids can be looked up. */
geodisk_status owners_number(name_owners *owners, mpi_share **out);

/* Puts numbers in the place of ids. */
geodisk_status owners_look_up(name_owners *owners, size_t count, uint32_t *ids);
