/* history.c - what a training noted, as a table in the model: the tensor "history", a row for each epoch kept, and the text
 * "history_columns" with the names of its columns. */
#include "model.h"

#include <math.h>
#include <string.h>

enum { COLUMNS_MAX = 64 };

/* Half of the rows go to the last epochs, half to all of them at even steps. */
static const uint64_t half = GEODISK_HISTORY_ROWS / 2;

static const char columns_key[] = "history_columns", tensor_name[] = "history";

/* Files written before the columns had names. */
static const char former_names[] = "epoch lr loss held_out edges skipped clips radius";
enum { FORMER_COLUMNS = 8 };

bool geodisk_history_keeps(uint64_t epoch, uint64_t epochs) {
  if (epoch >= epochs)
    return false;
  if (epochs <= GEODISK_HISTORY_ROWS || epoch >= epochs - half)
    return true;
  uint64_t step = 1;
  while ((epochs - 1) / step >= half) /* epoch 0 counts too */
    step *= 2;
  return epoch % step == 0;
}

/* ---- checking -------------------------------------------------------------------------------------------------------- */

/* How many names there are, divided by single blanks and different, the first "epoch"; 0 if it is not so. */
static size_t count_names(const char *names) {
  size_t count = 0;
  if (strncmp(names, "epoch", 5) != 0 || (names[5] != ' ' && names[5] != 0))
    return 0;
  for (const char *name = names;; name++) {
    const size_t length = strcspn(name, " ");
    if (length == 0 || ++count > COLUMNS_MAX)
      return 0;
    for (const char *other = names; other < name; other += strcspn(other, " ") + 1)
      if (strcspn(other, " ") == length && memcmp(other, name, length) == 0)
        return 0;
    name += length;
    if (*name == 0)
      return count;
  }
}

/* What is wrong with the numbers, and in which row; NULL if nothing is. */
static const char *find_fault(const geodisk_history *h, size_t *row) {
  double before = -1;
  for (size_t i = 0; i < h->rows; i++) {
    const double *numbers = h->values + i * h->columns, epoch = numbers[0];
    *row = i;
    for (size_t k = 0; k < h->columns; k++)
      if (isnan(numbers[k]))
        return "has an entry that is no number";
    if (!(epoch > before && epoch <= 0x1p53 && floor(epoch) == epoch))
      return "has an epoch that is not a whole number greater than the one before";
    before = epoch;
  }
  return NULL;
}

/* The table of a model; false if there is none, or its shape is not that of one. */
static bool find_history(const geodisk_model *model, geodisk_history *out) {
  geodisk_tensor t;
  const char *names = geodisk_model_get(model, columns_key);
  if (!geodisk_model_tensor(model, tensor_name, &t) || t.type != GEODISK_TYPE_F64 || t.rank != 2 || t.shape[0] == 0 ||
      (names == NULL && t.shape[1] != FORMER_COLUMNS) || model_row_stride(&t) != t.shape[1])
    return false;
  if (names == NULL)
    names = former_names;
  if (count_names(names) != t.shape[1])
    return false;
  *out = (geodisk_history){.rows = t.shape[0], .columns = t.shape[1], .names = names, .values = t.data};
  return true;
}

geodisk_status model_check_history(geodisk_context *context, const char *label, const geodisk_model *model) {
  geodisk_history h;
  size_t row;
  if (!find_history(model, &h))
    return geodisk_model_get(model, columns_key) == NULL
               ? GEODISK_OK
               : geodisk_fail(
                     context, GEODISK_ERROR_FORMAT,
                     "%s: history is missing, or is not F64 of shape [epochs, columns] with the names in history_columns", label);
  const char *why = find_fault(&h, &row);
  return why == NULL ? GEODISK_OK : geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: history: row %zu %s", label, row, why);
}

/* ---- setting and asking ---------------------------------------------------------------------------------------------- */

/* Puts the rows that are kept into the model, in place of those it had. */
static geodisk_status put_history(geodisk_context *context, geodisk_model *model, const geodisk_history *history) {
  const size_t columns = history->columns, bytes = columns * sizeof(double);
  const uint64_t epochs = (uint64_t)history->values[(history->rows - 1) * columns] + 1;
  size_t kept = 0;
  for (size_t i = 0; i < history->rows; i++)
    kept += geodisk_history_keeps((uint64_t)history->values[i * columns], epochs);
  double *values = geodisk_allocate(kept, bytes);
  if (values == NULL)
    return geodisk_no_memory(context, "for the history of the model");
  const geodisk_tensor tensor = {.type = GEODISK_TYPE_F64, .rank = 2, .shape = {kept, columns}, .data = values};
  kept = 0;
  for (size_t i = 0; i < history->rows; i++)
    if (geodisk_history_keeps((uint64_t)history->values[i * columns], epochs))
      memcpy(values + columns * kept++, history->values + i * columns, bytes);
  model_remove_extra(model, tensor_name);
  if (model_put_extra(model, tensor_name, &tensor, values) != GEODISK_OK)
    return geodisk_no_memory(context, "for the history of the model");
  return geodisk_model_set(context, model, columns_key, history->names);
}

geodisk_status geodisk_model_set_history(geodisk_context *context, geodisk_model *model, const geodisk_history *history) {
  if (model == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "history: model is NULL");
  if (history == NULL || history->rows == 0) {
    model_remove_extra(model, tensor_name);
    return geodisk_model_set(context, model, columns_key, NULL);
  }
  if (history->names == NULL || history->values == NULL || history->columns == 0 ||
      count_names(history->names) != history->columns)
    return geodisk_fail(
        context, GEODISK_ERROR_ARGUMENT,
        "history: its values are NULL, or its names are not 1 to %d different words, one for each column, the first 'epoch'",
        COLUMNS_MAX);
  size_t row;
  const char *why = find_fault(history, &row);
  if (why != NULL)
    return geodisk_fail(context, GEODISK_ERROR_NUMERIC, "history: row %zu %s", row, why);
  const geodisk_status status = put_history(context, model, history);
  if (status != GEODISK_OK) { /* rather none than half of one, which no reader would take */
    model_remove_extra(model, tensor_name);
    geodisk_model_set(NULL, model, columns_key, NULL);
  }
  return status;
}

geodisk_status model_copy_history(geodisk_context *context, const geodisk_model *from, geodisk_model *to) {
  geodisk_history h;
  return find_history(from, &h) ? geodisk_model_set_history(context, to, &h) : GEODISK_OK;
}

bool geodisk_model_history(const geodisk_model *model, geodisk_history *out) { return find_history(model, out); }

size_t geodisk_history_column(const geodisk_history *history, const char *name) {
  const size_t length = strlen(name);
  size_t column = 0;
  for (const char *at = history->names; column < history->columns; at += strcspn(at, " ") + 1, column++)
    if (strcspn(at, " ") == length && memcmp(at, name, length) == 0)
      return column;
  return SIZE_MAX;
}
