/* distance_model.c - the model of what was fitted to distances, and the options that are not given. */
#include <stdio.h>

#include "geodisk/embed.h"

geodisk_distance_options geodisk_distance_defaults(void) {
  return (geodisk_distance_options){.dim = 10, .seed = 1, .weighted = true};
}

geodisk_status geodisk_distance_model(geodisk_context *context, const geodisk_model_spec *spec,
                                      const geodisk_distance_options *options, const geodisk_distance_result *result,
                                      geodisk_model **out) {
  geodisk_model_spec of = *spec;
  char text[256], number[GEODISK_NUMBER_BYTES];
  geodisk_model *model = NULL;
  of.ball = geodisk_unit_ball(options->dim);
  of.space = options->space;
  of.gap = of.space == GEODISK_SPACE_EUCLIDEAN ? NULL : spec->gap;
  geodisk_status st = geodisk_model_create(context, &of, &model);
  geodisk_format_double(result->scale, number);
  snprintf(text, sizeof text, "{\"objective\":\"distances\",\"dim\":%d,\"stress\":\"%s\",\"start\":\"%s\",\"scale\":%s}",
           options->dim, options->stress == GEODISK_STRESS_SQUARED ? "squared" : "mean", result->start, number);
  if (st == GEODISK_OK)
    st = geodisk_model_set(context, model, "options", text);
  if (st == GEODISK_OK)
    st = geodisk_model_set(context, model, "scale", number);
  if (st == GEODISK_OK)
    st = geodisk_model_set(context, model, "program", "geodisk " GEODISK_VERSION);
  if (st == GEODISK_OK)
    *out = model;
  else
    geodisk_model_destroy(model);
  return st;
}
