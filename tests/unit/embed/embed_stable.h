/* embed_stable.h - trains at rates and sharpness where steps are huge, and checks what must hold all the same: every number
 * finite, no point on or outside the rim, gaps those of the coordinates where these can tell, a model that can be written. For a
 * quick and a long test. */
#ifndef GEODISK_EMBED_STABLE_H
#define GEODISK_EMBED_STABLE_H

#include <math.h>

#include "embed_testing.h"

static inline void check_points(const geodisk_trainer *t, const char *what) {
  const geodisk_ball ball = geodisk_unit_ball(t->options.dim);
  const bool flat = t->options.space == GEODISK_SPACE_EUCLIDEAN, single = t->options.precision == GEODISK_PRECISION_FLOAT;
  for (uint32_t u = 0; u < t->nodes; u++) {
    double x[512], gap;
    embed_get_row(t, u, x, &gap);
    for (int k = 0; k < t->options.dim; k++)
      if (!isfinite(x[k]))
        fail_msg("%s: node %u: coordinate %d is %g", what, u, k, x[k]);
    const double measured = geodisk_gap(&ball, x);
    if (flat)
      continue;
    if (!(gap > 0.0 && gap <= 1.0 && measured > 0.0))
      fail_msg("%s: node %u: gap %g, coordinates say %g", what, u, gap, measured);
    const double apart = single ? 1e-4 : 1e-6 * gap; /* directions of the placement are floats, which adds up with depth */
    if (gap > (single ? 1e-2 : 1e-8) && !(fabs(gap - measured) <= apart))
      fail_msg("%s: node %u: gap %.17g, coordinates say %.17g", what, u, gap, measured);
  }
}

/* Trains and checks; returns how many moves were clipped. */
static inline uint64_t train_and_check(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *o,
                                       const char *what) {
  geodisk_trainer *t = make_trainer(context, graph, o);
  uint64_t clips = 0;
  for (uint64_t i = 0; i < geodisk_trainer_epochs(t); i++) {
    geodisk_train_epoch e;
    if (geodisk_trainer_epoch(t, &e) != GEODISK_OK)
      fail_msg("%s: %s", what, geodisk_context_error(context));
    if (!(isfinite(e.loss) && isfinite(e.radius) && isfinite(e.sample)))
      fail_msg("%s: loss %g, radius %g, sample %g", what, e.loss, e.radius, e.sample);
    clips += e.clips;
  }
  check_points(t, what);
  if (geodisk_trainer_save(t, "embed_stable.safetensors") != GEODISK_OK)
    fail_msg("%s: %s", what, geodisk_context_error(context));
  remove("embed_stable.safetensors");
  geodisk_trainer_destroy(t);
  return clips;
}

static const double stable_rates[] = {0.01, 1.0, 10.0, 100.0};
static const double stable_sharpness[] = {0.0625, 1.0, 3.7, 8.0, 64.0};
static const int stable_dims[] = {1, 2, 5, 10, 50};
enum { STABLE_RATES = 4, STABLE_SHARPNESS = 5, STABLE_DIMS = 5, STABLE_WAYS = 4 * 5 * 5 * 2 * 2 * 2 };

/* One of the ways to be unstable: all combinations of rate, sharpness, dimension, precision, cap (0 and 1) and units. The rest
 * follows from the number too. */
static inline geodisk_train_options stable_way(uint32_t i, char *what, size_t size) {
  geodisk_train_options o = geodisk_train_defaults();
  uint32_t rest = i;
  o.lr = o.lr_first = stable_rates[rest % STABLE_RATES];
  rest /= STABLE_RATES;
  o.sharpness = o.sharpness_first = stable_sharpness[rest % STABLE_SHARPNESS];
  rest /= STABLE_SHARPNESS;
  o.dim = stable_dims[rest % STABLE_DIMS];
  rest /= STABLE_DIMS;
  o.precision = rest % 2 ? GEODISK_PRECISION_FLOAT : GEODISK_PRECISION_DOUBLE;
  o.cap = rest / 2 % 2 ? 1.0 : 0.0;
  o.units = rest / 4 % 2 ? GEODISK_UNITS_EDGE : GEODISK_UNITS_SOURCE;
  o.rates = GEODISK_RATES_CONSTANT;
  o.core_epochs = 0;
  o.epochs = 20;
  o.negatives = i % 7 == 0 ? GEODISK_NEGATIVES_ALL : 5;
  o.batch = i % 3 == 0 ? 1 : UINT64_MAX;
  o.bound = i % 5 == 0 ? 0.0 : 3.84;
  o.sparse = i % 4 == 0 ? 0.0 : 0.03;
  o.loss = i % 11 == 0 ? GEODISK_LOSS_COMPLEMENT : GEODISK_LOSS_NICKEL_KIELA;
  o.placement = i % 2 ? GEODISK_PLACEMENT_TREE : GEODISK_PLACEMENT_RANDOM;
  o.sampling = (geodisk_sampling)(i % 3);
  o.space = i % 17 == 0 ? GEODISK_SPACE_EUCLIDEAN : GEODISK_SPACE_HYPERBOLIC;
  o.regularization = i % 13 == 0 && i % 17 != 0 ? 1.0 : 0.0; /* in flat space it multiplies points by 1 - 2 rate */
  o.seed = i;
  snprintf(what, size, "way %u: rate %g, sharpness %g, dim %d, cap %g, %s, %s units", i, o.lr, o.sharpness, o.dim, o.cap,
           o.precision == GEODISK_PRECISION_FLOAT ? "float" : "double", o.units == GEODISK_UNITS_EDGE ? "edge" : "source");
  return o;
}

#endif
