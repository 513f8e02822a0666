/* model_parts.c - what a model carries beside its points: texts by key and extra tensors by name, both kept sorted. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *word, const char *const *list) {
  for (; *list != NULL; list++)
    if (strcmp(word, *list) == 0)
      return true;
  return false;
}

bool model_reserved_key(const char *key) {
  static const char *const keys[] = {"format", "format_version", "space", "radius", "curvature", NULL};
  return is_one_of(key, keys) || strncmp(key, "crc32c", 6) == 0; /* sums.h */
}

bool model_reserved_name(const char *name) {
  static const char *const arrays[] = {"vectors", "gap", "counts", "names", "name_offsets", NULL};
  return is_one_of(name, arrays) || strncmp(name, "__", 2) == 0;
}

static bool is_utf8(const char *text) { return geodisk_utf8_prefix(text, strlen(text)) == strlen(text); }

/* Position of `key` among n records that begin with a char *, or of the first that comes after it. */
static size_t position(const void *records, size_t n, size_t size, const char *key, bool *found) {
  size_t low = 0, high = n;
  *found = false;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const char *name;
    memcpy(&name, (const char *)records + middle * size, sizeof name);
    const int order = strcmp(name, key);
    if (order == 0) {
      *found = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* ---- texts ----------------------------------------------------------------------------------------------------------- */

static void remove_text(geodisk_model *model, size_t at) {
  geodisk_free_all(model->texts[at].key, model->texts[at].text);
  model->n_texts--;
  memmove(model->texts + at, model->texts + at + 1, (model->n_texts - at) * sizeof *model->texts);
}

geodisk_status geodisk_model_set(geodisk_context *context, geodisk_model *model, const char *key, const char *text) {
  if (model == NULL || key == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "metadata: %s is NULL", model == NULL ? "model" : "key");
  if (*key == 0 || model_reserved_key(key) || !is_utf8(key))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "metadata: the key '%s' cannot be set", key);
  if (text != NULL && !is_utf8(text))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "metadata: the text of '%s' is not UTF-8", key);
  bool found;
  const size_t at = position(model->texts, model->n_texts, sizeof *model->texts, key, &found);
  if (text == NULL) {
    if (found)
      remove_text(model, at);
    return GEODISK_OK;
  }
  char *new_text = strdup(text), *new_key = found ? NULL : strdup(key);
  model_text *texts = found ? model->texts : geodisk_reallocate(model->texts, model->n_texts + 1, sizeof *texts);
  if (texts != NULL)
    model->texts = texts;
  if (new_text == NULL || (!found && new_key == NULL) || texts == NULL) {
    geodisk_free_all(new_text, new_key);
    return geodisk_no_memory(context, "for '%s' of the model", key);
  }
  if (found) {
    free(texts[at].text);
    texts[at].text = new_text;
  } else {
    memmove(texts + at + 1, texts + at, (model->n_texts - at) * sizeof *texts);
    texts[at] = (model_text){new_key, new_text};
    model->n_texts++;
  }
  return GEODISK_OK;
}

const char *geodisk_model_get(const geodisk_model *model, const char *key) {
  bool found;
  const size_t at = position(model->texts, model->n_texts, sizeof *model->texts, key, &found);
  return found ? model->texts[at].text : NULL;
}

const char *geodisk_model_key(const geodisk_model *model, size_t index) {
  return index < model->n_texts ? model->texts[index].key : NULL;
}

/* ---- extra tensors --------------------------------------------------------------------------------------------------- */

geodisk_status model_put_extra(geodisk_model *model, const char *name, const geodisk_tensor *tensor, void *own) {
  bool found;
  const size_t at = position(model->extras, model->n_extras, sizeof *model->extras, name, &found);
  char *copy = strdup(name);
  model_extra *extras = geodisk_reallocate(model->extras, model->n_extras + 1, sizeof *extras);
  if (extras != NULL)
    model->extras = extras;
  if (copy == NULL || extras == NULL || found) {
    geodisk_free_all(copy, own);
    return found ? GEODISK_ERROR_ARGUMENT : GEODISK_ERROR_MEMORY;
  }
  memmove(extras + at + 1, extras + at, (model->n_extras - at) * sizeof *extras);
  extras[at] = (model_extra){copy, {*tensor, own}};
  model->n_extras++;
  return GEODISK_OK;
}

void model_remove_extra(geodisk_model *model, const char *name) {
  bool found;
  const size_t at = position(model->extras, model->n_extras, sizeof *model->extras, name, &found);
  if (!found)
    return;
  geodisk_free_all(model->extras[at].name, model->extras[at].array.own);
  model->n_extras--;
  memmove(model->extras + at, model->extras + at + 1, (model->n_extras - at) * sizeof *model->extras);
}

geodisk_status geodisk_model_add_tensor(geodisk_context *context, geodisk_model *model, const char *name,
                                        const geodisk_tensor *tensor, void **data) {
  if (model == NULL || name == NULL || tensor == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "tensor: %s is NULL",
                        model == NULL  ? "model"
                        : name == NULL ? "name"
                                       : "tensor");
  geodisk_tensor other;
  if (*name == 0 || model_reserved_name(name) || !is_utf8(name) || geodisk_model_tensor(model, name, &other))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "tensor: the name '%s' cannot be taken", name);
  if (geodisk_type_size(tensor->type) == 0 || tensor->rank < 0 || tensor->rank > GEODISK_TENSOR_RANK)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "tensor '%s': no such type (%d), or rank %d is not from 0 to %d", name,
                        (int)tensor->type, tensor->rank, GEODISK_TENSOR_RANK);
  if (tensor->data == NULL && data == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "tensor '%s': nowhere to say where its data are", name);
  size_t count;
  if (!model_tensor_count(tensor, &count))
    return geodisk_no_memory(context, "for '%s' of the model", name);
  if (tensor->stride != 0 && tensor->stride < model_row_length(tensor))
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "tensor '%s': its stride %zu is less than a row", name, tensor->stride);
  geodisk_tensor view = *tensor;
  void *own = NULL;
  if (tensor->data == NULL) {
    own = geodisk_allocate_zero(count, geodisk_type_size(tensor->type));
    view.stride = 0;
    view.data = own;
    if (own == NULL)
      return geodisk_no_memory(context, "for '%s' of the model", name);
  }
  if (model_put_extra(model, name, &view, own) != GEODISK_OK)
    return geodisk_no_memory(context, "for '%s' of the model", name);
  if (data != NULL)
    *data = own;
  return GEODISK_OK;
}

bool geodisk_model_tensor(const geodisk_model *model, const char *name, geodisk_tensor *out) {
  bool found;
  const size_t at = position(model->extras, model->n_extras, sizeof *model->extras, name, &found);
  if (found)
    *out = model->extras[at].array.view;
  return found;
}

bool geodisk_model_tensor_at(const geodisk_model *model, size_t index, const char **name, geodisk_tensor *out) {
  if (index >= model->n_extras)
    return false;
  *name = model->extras[index].name;
  *out = model->extras[index].array.view;
  return true;
}
