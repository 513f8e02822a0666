/* options.c - defaults, recipes, checks and texts of the trainer's options: one table of fields gives the JSON of the model file,
 * its reader, and the list of differences that --resume shows; and the learning rate of an epoch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

geodisk_train_options geodisk_train_defaults(void) {
  return (geodisk_train_options){
      .dim = 10,
      .precision = GEODISK_PRECISION_DOUBLE,
      .space = GEODISK_SPACE_HYPERBOLIC,
      .update = GEODISK_UPDATE_GEODESIC,
      .loss = GEODISK_NEGATIVES_NICKEL_KIELA,
      .sharpness = 1,
      .negatives = 50,
      .sampling = GEODISK_SAMPLING_NEARBY,
      .power = 1.0,
      .nearby = 0.1,
      .epochs = GEODISK_AUTO_EPOCHS,
      .rates = GEODISK_RATES_RISE,
      .lr = 2.0,
      .lr_first = 2.0,
      .lr_last = 0.05,
      .rise = 0.4,
      .burn_in_lr = 0.001,
      .placement = GEODISK_PLACEMENT_TREE,
      .range = 0.001,
      .margin = 1e-5,
      .seed = 1,
  };
}

/* ---- recipes ---- */

/* WordNet's nouns: many epochs of the core, which arrange synsets with several hypernyms, then few of the whole with many
 * negatives; sharp likelihoods keep points near the origin, where there is still room between branches. In few dimensions the
 * placement of the tree is better: at a high rate that cools down slowly; in the plane, where there is no room to wander, at a
 * low one. */
static void recipe_nouns(geodisk_train_options *o) {
  const bool plane = o->dim <= 2, space = o->dim >= 5;
  o->placement = space ? GEODISK_PLACEMENT_RANDOM : GEODISK_PLACEMENT_TREE;
  o->core_epochs = space && !o->start ? 600 : 0;
  o->epochs = plane ? 60 : space ? 80 : 100;
  o->negatives = plane ? 50 : space ? 200 : 80;
  o->sparse = space ? 0.03 : 0.0;
  o->sharpness = plane ? 1 : 2;
  o->nearby = plane ? 0.04 : 0.03;
  o->rise = plane ? 0.5 : 0.1;
  o->lr = o->lr_first = plane ? 0.3 : 4.0;
  o->lr_last = plane ? 0.02 : space ? 0.006 : 0.015;
}

/* Longer alone makes the ranks worse: the rate is too high to settle down. */
static void recipe_nouns_best(geodisk_train_options *o) {
  recipe_nouns(o);
  o->epochs *= 2;
  o->negatives *= 2;
  o->nearby /= 2.0;
  o->lr = o->lr_first = o->lr / 2.0;
}

/* The core has always the same: points find their places by slowly rising rates. */
geodisk_train_options embed_core_options(const geodisk_train_options *options) {
  geodisk_train_options o = *options;
  o.core_epochs = 0;
  o.placement = GEODISK_PLACEMENT_RANDOM; /* it is overwritten: the cheaper one */
  o.burn_in = options->core_epochs < 40 ? options->core_epochs / 4 : 10;
  o.burn_in_lr = 0.0005;
  o.epochs = options->core_epochs - o.burn_in;
  o.rates = GEODISK_RATES_RISE;
  o.rise = 0.85;
  o.lr = 1.5;
  o.lr_first = o.lr_last = 0.015;
  o.negatives = 50;
  o.sampling = GEODISK_SAMPLING_UNIFORM;
  o.sparse = 0.03;
  o.variant = GEODISK_VARIANT_EDGE;
  o.async = false;
  o.parts = 0;
  return o;
}

static void recipe_mammals(geodisk_train_options *o) {
  o->epochs = 300;
  o->negatives = 20;
  o->nearby = 0.2;
  o->lr = o->lr_first = 1.0;
  o->lr_last = 0.03;
}

/* The paper's appendix: no burn-in, no regularisation, 10 uniform negatives, a constant rate, epsilon 1e-10. */
static void recipe_paper(geodisk_train_options *o) {
  o->negatives = 10;
  o->sampling = GEODISK_SAMPLING_UNIFORM;
  o->rates = GEODISK_RATES_CONSTANT;
  o->lr = 0.1;
  o->epochs = 50;
  o->placement = GEODISK_PLACEMENT_RANDOM;
  o->margin = GEODISK_DEFAULT_MARGIN;
}

/* What PoincareModel does unless told otherwise, but for its sampler by degree, which is what `power` 1 gives. */
static void recipe_gensim(geodisk_train_options *o) {
  o->negatives = 10;
  o->sampling = GEODISK_SAMPLING_DEGREE;
  o->rates = GEODISK_RATES_CONSTANT;
  o->lr = 0.1;
  o->epochs = 50;
  o->burn_in = 10;
  o->burn_in_lr = 0.01;
  o->placement = GEODISK_PLACEMENT_RANDOM;
  o->update = GEODISK_UPDATE_NATURAL;
  o->regularization = 1.0;
}

static const struct {
  const char *name;
  void (*set)(geodisk_train_options *options);
} recipes[] = {{"nouns", recipe_nouns},
               {"nouns-best", recipe_nouns_best},
               {"mammals", recipe_mammals},
               {"paper", recipe_paper},
               {"gensim", recipe_gensim}};
enum { RECIPES = sizeof recipes / sizeof recipes[0] };

const char *geodisk_train_recipe_name(size_t index) { return index < RECIPES ? recipes[index].name : NULL; }

geodisk_status geodisk_train_recipe(geodisk_context *context, const char *name, geodisk_train_options *options) {
  for (size_t i = 0; i < RECIPES; i++) {
    if (strcmp(name, recipes[i].name) != 0)
      continue;
    geodisk_train_options o = geodisk_train_defaults();
    o.dim = options->dim;
    o.precision = options->precision;
    o.seed = options->seed;
    o.start = options->start;
    recipes[i].set(&o);
    *options = o;
    return GEODISK_OK;
  }
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                      "there is no recipe \"%s\"; there are nouns, nouns-best, mammals, paper, gensim", name);
}

/* ---- the table of fields ---- */

typedef enum field_kind { FIELD_INT, FIELD_SIZE, FIELD_U64, FIELD_U32, FIELD_DOUBLE, FIELD_BOOL, FIELD_ENUM } field_kind;

static const struct field {
  const char *name;
  field_kind kind;
  size_t offset;
  const char *words; /* of an enum, in the order of its values */
} fields[] = {
#define FIELD(member, kind, words)                                                                                               \
  { #member, kind, offsetof(geodisk_train_options, member), words }
    FIELD(dim, FIELD_INT, NULL),
    FIELD(precision, FIELD_ENUM, "double|float"),
    FIELD(space, FIELD_ENUM, "hyperbolic|euclidean"),
    FIELD(update, FIELD_ENUM, "geodesic|natural|euclidean"),
    FIELD(loss, FIELD_ENUM, "nickel-kiela|complement"),
    FIELD(sharpness, FIELD_INT, NULL),
    FIELD(negatives, FIELD_SIZE, NULL),
    FIELD(sampling, FIELD_ENUM, "uniform|degree|nearby"),
    FIELD(power, FIELD_DOUBLE, NULL),
    FIELD(nearby, FIELD_DOUBLE, NULL),
    FIELD(epochs, FIELD_U64, NULL),
    FIELD(rates, FIELD_ENUM, "rise|constant|linear|cosine"),
    FIELD(lr, FIELD_DOUBLE, NULL),
    FIELD(lr_first, FIELD_DOUBLE, NULL),
    FIELD(lr_last, FIELD_DOUBLE, NULL),
    FIELD(rise, FIELD_DOUBLE, NULL),
    FIELD(burn_in, FIELD_U64, NULL),
    FIELD(burn_in_lr, FIELD_DOUBLE, NULL),
    FIELD(variant, FIELD_ENUM, "edge|grouped"),
    FIELD(sparse, FIELD_DOUBLE, NULL),
    FIELD(regularization, FIELD_DOUBLE, NULL),
    FIELD(async, FIELD_BOOL, NULL),
    FIELD(placement, FIELD_ENUM, "tree|random"),
    FIELD(core_epochs, FIELD_U64, NULL),
    FIELD(range, FIELD_DOUBLE, NULL),
    FIELD(margin, FIELD_DOUBLE, NULL),
    FIELD(seed, FIELD_U64, NULL),
    FIELD(parts, FIELD_U32, NULL),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* Word number `value` of "a|b|c", into out. */
static void word_of(const char *words, int value, char *out, size_t size) {
  for (int i = 0; i < value && words; i++) {
    words = strchr(words, '|');
    if (words)
      words++;
  }
  size_t length = words ? strcspn(words, "|") : 0;
  snprintf(out, size, "%.*s", (int)length, words ? words : "");
}

/* The JSON text of a field's value. */
static void field_text(const struct field *f, const geodisk_train_options *options, char *out, size_t size) {
  const void *p = (const char *)options + f->offset;
  char word[32];
  switch (f->kind) {
  case FIELD_INT:
    snprintf(out, size, "%d", *(const int *)p);
    break;
  case FIELD_SIZE:
    if (*(const size_t *)p == GEODISK_ALL_NEGATIVES)
      snprintf(out, size, "\"all\"");
    else
      snprintf(out, size, "%zu", *(const size_t *)p);
    break;
  case FIELD_U64:
    snprintf(out, size, "%llu", (unsigned long long)*(const uint64_t *)p);
    break;
  case FIELD_U32:
    snprintf(out, size, "%lu", (unsigned long)*(const uint32_t *)p);
    break;
  case FIELD_DOUBLE:
    geodisk_format_double(*(const double *)p, out);
    break;
  case FIELD_BOOL:
    snprintf(out, size, "%s", *(const bool *)p ? "true" : "false");
    break;
  case FIELD_ENUM:
    word_of(f->words, *(const int *)p, word, sizeof word);
    snprintf(out, size, "\"%s\"", word);
    break;
  }
}

char *embed_options_text(const geodisk_train_options *options) {
  char *text = geodisk_allocate(FIELDS, 96), *end = text;
  if (!text)
    return NULL;
  for (size_t i = 0; i < FIELDS; i++) {
    char value[64];
    field_text(&fields[i], options, value, sizeof value);
    end += snprintf(end, 96, "%s\"%s\":%s", i ? "," : "{", fields[i].name, value);
  }
  snprintf(end, 8, "}");
  return text;
}

/* Reads what embed_options_text wrote: every field must be there, in any order. Values never hold quotes, commas or braces. */
bool embed_options_from_text(const char *text, geodisk_train_options *options) {
  for (size_t i = 0; i < FIELDS; i++) {
    char key[40], value[64];
    snprintf(key, sizeof key, "\"%s\":", fields[i].name);
    const char *at = strstr(text, key);
    if (!at)
      return false;
    at += strlen(key);
    size_t length = strcspn(at, ",}");
    if (length == 0 || length >= sizeof value)
      return false;
    memcpy(value, at, length);
    value[length] = '\0';
    void *p = (char *)options + fields[i].offset;
    double number = 0.0;
    bool is_number = geodisk_parse_double(value, length, &number);
    switch (fields[i].kind) {
    case FIELD_INT:
      *(int *)p = (int)number;
      break;
    case FIELD_SIZE:
      *(size_t *)p = is_number ? (size_t)strtoull(value, NULL, 10) : GEODISK_ALL_NEGATIVES;
      is_number = true;
      break;
    case FIELD_U64:
      *(uint64_t *)p = strtoull(value, NULL, 10);
      break;
    case FIELD_U32:
      *(uint32_t *)p = (uint32_t)strtoul(value, NULL, 10);
      break;
    case FIELD_DOUBLE:
      *(double *)p = number;
      break;
    case FIELD_BOOL:
      *(bool *)p = strcmp(value, "true") == 0;
      is_number = true;
      break;
    case FIELD_ENUM:
      is_number = false;
      for (int w = 0; !is_number; w++) {
        char word[32], quoted[40];
        word_of(fields[i].words, w, word, sizeof word);
        if (!word[0])
          return false;
        snprintf(quoted, sizeof quoted, "\"%s\"", word);
        if (strcmp(quoted, value) == 0) {
          *(int *)p = w;
          is_number = true;
        }
      }
      break;
    }
    if (!is_number)
      return false;
  }
  return true;
}

/* Whether b differs from a in more than the number of epochs; the differences as text. */
bool embed_options_changed(const geodisk_train_options *a, const geodisk_train_options *b, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < FIELDS; i++) {
    char x[64], y[64];
    field_text(&fields[i], a, x, sizeof x);
    field_text(&fields[i], b, y, sizeof y);
    if (strcmp(x, y) == 0 || strcmp(fields[i].name, "epochs") == 0 || used >= size)
      continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s was %s, now %s", used ? "; " : "", fields[i].name, x, y);
  }
  return used > 0;
}

/* ---- checks ---- */

static bool positive(double a) { return a > 0.0 && a <= 1e300; }

geodisk_status embed_check_options(geodisk_context *context, const geodisk_train_options *o) {
  const struct {
    bool ok;
    const char *text;
    double value;
  } checks[] = {
      {o->dim >= 1 && o->dim <= 512, "dim must be 1 to 512", o->dim},
      {o->sharpness >= 1 && o->sharpness <= 16 && (o->sharpness & (o->sharpness - 1)) == 0, "sharpness must be 1, 2, 4, 8 or 16",
       o->sharpness},
      {o->negatives >= 1, "negatives must be at least 1", 0.0},
      {positive(o->lr), "the learning rate must be a positive number", o->lr},
      {positive(o->lr_first), "the first learning rate must be a positive number", o->lr_first},
      {positive(o->lr_last), "the last learning rate must be a positive number", o->lr_last},
      {o->rise >= 0.0 && o->rise <= 1.0, "the share of rising epochs must be 0 to 1", o->rise},
      {o->burn_in == 0 || positive(o->burn_in_lr), "the burn-in learning rate must be a positive number", o->burn_in_lr},
      {o->sparse >= 0.0 && o->sparse < 1.0, "sparse must be 0 or more and below 1", o->sparse},
      {o->regularization >= 0.0 && o->regularization <= 1e6, "regularization must be 0 to 1e6", o->regularization},
      {o->power >= 0.0 && o->power <= 10.0, "the power of the degree must be 0 to 10", o->power},
      {o->nearby >= 0.0 && o->nearby <= 1.0, "the share of nearby negatives must be 0 to 1", o->nearby},
      {o->range > 0.0 && o->range <= 0.5, "the range of the random placement must be above 0 and at most 0.5", o->range},
      {o->margin > 0.0 && o->margin < 1.0, "the margin must be between 0 and 1", o->margin},
      {o->core_epochs <= 0xFFFFFFFFu, "core epochs must be at most 4294967295", (double)o->core_epochs},
      {o->epochs <= 0xFFFFFFFFu, "epochs must be at most 4294967295", (double)o->epochs},
      {o->parts <= MOST_PARTS, "parts must be at most 1024", o->parts},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
    if (!checks[i].ok)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s, not %g", checks[i].text, checks[i].value);
  if (o->async && o->variant == GEODISK_VARIANT_GROUPED)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the grouped variant has no asynchronous form");
  if (o->core_epochs > 0 && o->start)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "core epochs arrange points anew: with a model to start from, take 0 of them");
  if (o->sharpness > 1 && o->loss == GEODISK_NEGATIVES_COMPLEMENT)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the complement loss is for sharpness 1, not %d", o->sharpness);
  return GEODISK_OK;
}

/* ---- the learning rate of an epoch, burn-in first ---- */

double embed_rate(const geodisk_train_options *o, uint64_t epoch) {
  if (epoch < o->burn_in)
    return o->burn_in_lr;
  if (o->epochs == GEODISK_AUTO_EPOCHS)
    return o->lr;
  double share = (double)(epoch - o->burn_in) / (double)o->epochs;
  switch (o->rates) {
  case GEODISK_RATES_CONSTANT:
    return o->lr;
  case GEODISK_RATES_LINEAR:
    return o->lr + (o->lr_last - o->lr) * share;
  case GEODISK_RATES_COSINE:
    return o->lr_last + 0.5 * (o->lr - o->lr_last) * (1.0 + cos(share * 3.14159265358979323846));
  case GEODISK_RATES_RISE:
    break;
  }
  if (share < o->rise)
    return o->lr_first * pow(o->lr / o->lr_first, share / o->rise);
  return o->lr * pow(o->lr_last / o->lr, (share - o->rise) / (1.0 - o->rise));
}

double embed_cooling_rate(const geodisk_train_options *o, uint64_t epoch, uint64_t epochs) {
  return o->lr * pow(o->lr_last / o->lr, (double)(epoch + 1) / (double)epochs);
}
