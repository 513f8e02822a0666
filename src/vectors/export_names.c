/* export_names.c - names that a format cannot hold are changed, and stay different from all others. */
#include "export_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room after a name for "_", a node's number, "_", a number of attempts. */
enum { SUFFIX = 64 };

const char *export_name(const export_names *names, const geodisk_model *model, size_t node) {
  return names->other != NULL && names->other[node] != NULL ? names->other[node] : geodisk_model_name(model, (uint32_t)node);
}

/* Fills `out` with the name changed, as it comes in the given attempt; returns its length. */
static size_t change(const char *name, const char *endings, size_t node, unsigned attempt, char *out) {
  const size_t length = strlen(name);
  memcpy(out, name, length + 1);
  for (char *p = out; (p = strpbrk(p, endings)) != NULL;)
    *p = '_';
  if (attempt == 0)
    return length > 0 ? length : (size_t)snprintf(out, SUFFIX, "_");
  if (attempt == 1)
    return length + (size_t)snprintf(out + length, SUFFIX, "_%zu", node);
  return length + (size_t)snprintf(out + length, SUFFIX, "_%zu_%u", node, attempt);
}

/* `taken` holds the changed names so far. */
static geodisk_status change_name(export_names *names, const geodisk_model *model, size_t node, const char *endings,
                                  name_table *taken) {
  const char *name = geodisk_model_name(model, (uint32_t)node);
  char *other = geodisk_allocate(strlen(name) + SUFFIX, 1);
  names->other[node] = other;
  if (other == NULL)
    return GEODISK_ERROR_MEMORY;
  geodisk_status status = GEODISK_OK;
  bool is_new = false;
  for (unsigned attempt = 0; status == GEODISK_OK && !is_new; attempt++) {
    uint32_t holder;
    const size_t length = change(name, endings, node, attempt, other);
    if (!geodisk_model_find(model, other, length, &holder))
      status = names_intern(taken, other, length, &holder, &is_new);
  }
  return status;
}

geodisk_status export_names_make(export_names *names, const geodisk_model *model, geodisk_format format, uint64_t *count) {
  names->other = NULL;
  *count = 0;
  if (format == GEODISK_FORMAT_TSV || format == GEODISK_FORMAT_CSV)
    return GEODISK_OK;
  const bool lines = format == GEODISK_FORMAT_NPY || format == GEODISK_FORMAT_TENSORBOARD; /* of names */
  const char *endings = format == GEODISK_FORMAT_NPY ? "\n\r" : lines ? "\t\n\r" : " \t\n\r\v\f";
  name_table taken = {0};
  geodisk_status status = GEODISK_OK;
  for (size_t i = 0; status == GEODISK_OK && i < model->nodes; i++) {
    const char *name = geodisk_model_name(model, (uint32_t)i);
    const bool empty = *name == 0 && format != GEODISK_FORMAT_NPY;
    if (!empty && strpbrk(name, endings) == NULL)
      continue;
    if (names->other == NULL && (names->other = geodisk_allocate_zero(model->nodes, sizeof *names->other)) == NULL)
      status = GEODISK_ERROR_MEMORY;
    else
      status = change_name(names, model, i, endings, &taken);
    ++*count;
  }
  names_free(&taken);
  if (status != GEODISK_OK)
    export_names_free(names, model);
  return status;
}

void export_names_free(export_names *names, const geodisk_model *model) {
  for (size_t i = 0; names->other != NULL && i < model->nodes; i++)
    free(names->other[i]);
  free(names->other);
  names->other = NULL;
}
