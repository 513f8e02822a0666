/* fuzz_model.c - the reader of model files. What it accepts must be sound, and can be written again. */
#include "fuzz.h"

#include <math.h>

#include "geodisk/vectors.h"

static void must_be_sound_model(const geodisk_model *model) {
  const size_t nodes = geodisk_model_nodes(model);
  const int dim = geodisk_model_dim(model);
  double *x = malloc((size_t)dim * sizeof *x), gap;
  if (x == NULL)
    abort();
  for (uint32_t i = 0; i < nodes; i++) {
    uint32_t found;
    const char *name = geodisk_model_name(model, i);
    const size_t length = geodisk_model_name_length(model, i);
    if (strlen(name) != length || !geodisk_model_find(model, name, length, &found) || found != i)
      abort();
    geodisk_model_point(model, i, x, &gap);
    for (int k = 0; k < dim; k++)
      if (!isfinite(x[k]))
        abort();
    if (geodisk_model_space(model) == GEODISK_SPACE_HYPERBOLIC && (!(gap > 0) || !(geodisk_model_radius(model, i) >= 0)))
      abort();
  }
  free(x);
}

/* Whatever is read can be copied and written. */
static void must_be_writable(geodisk_context *context, const geodisk_model *model) {
  geodisk_model *copy = NULL;
  if (geodisk_model_write(context, model, "/dev/null") != GEODISK_OK ||
      geodisk_model_copy(context, model, GEODISK_WIDTH_AUTO, true, &copy) != GEODISK_OK ||
      geodisk_model_write(context, copy, "/dev/null") != GEODISK_OK)
    abort();
  geodisk_model_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  geodisk_context *context = NULL;
  geodisk_model *model = NULL;
  if (geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  if (geodisk_model_read_memory(context, "fuzz", data, size, &model) == GEODISK_OK) {
    must_be_sound_model(model);
    must_be_writable(context, model);
  } else if (model != NULL || geodisk_context_error(context)[0] == 0) {
    abort();
  }
  geodisk_model_destroy(model);
  geodisk_context_destroy(context);
  return 0;
}
