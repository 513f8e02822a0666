/* export_names.h - other names for nodes whose own a format cannot hold. Internal to the vectors module. */
#pragma once

#include "model.h"

typedef struct export_names {
  char **other; /* per node: another name, or NULL; NULL: every name stays */
} export_names;

/* word2vec readers end a name at the first blank, names files at the line's end: what they would end at becomes '_'. A name that
 * is then another node's gets the node's number after it. TSV and CSV have quotes: all names stay. *count: how many were changed.
 * MEMORY. */
geodisk_status export_names_make(export_names *names, const geodisk_model *model, geodisk_format format, uint64_t *count);
void export_names_free(export_names *names, const geodisk_model *model);

const char *export_name(const export_names *names, const geodisk_model *model, size_t node);
