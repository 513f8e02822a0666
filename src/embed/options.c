/* options.c - defaults, recipes, checks and texts of the trainer's options: one table of fields gives the JSON of the model file,
 * its reader, and the list of differences that resuming shows. */
#include <limits.h>
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
      .loss = GEODISK_LOSS_NICKEL_KIELA,
      .units = GEODISK_UNITS_SOURCE,
      .sampling = GEODISK_SAMPLING_NEARBY,
      .power = 1.0,
      .nearby = -1.0,
      .inner = -1.0,
      .epochs = GEODISK_EPOCHS_AUTO,
      .rates = GEODISK_RATES_RISE,
      .rise = -1.0,
      .cap = -1.0,
      .bound = -1.0,
      .sparse = -1.0,
      .burn_in_lr = 0.001,
      .placement = GEODISK_PLACEMENT_AUTO,
      .core_epochs = GEODISK_CORE_EPOCHS_AUTO,
      .range = 0.001,
      .margin = 1e-5,
      .seed = 1,
  };
}

/* ---- recipes ---- */

/* Edge by edge, each with negatives of its own, every step at its full length: as other programs do. */
static void step_by_step(geodisk_train_options *o) {
  o->units = GEODISK_UNITS_EDGE;
  o->batch = 1;
  o->sharpness = o->sharpness_first = 1.0;
  o->cap = o->bound = o->sparse = 0.0;
  o->core_epochs = 0;
  o->rates = GEODISK_RATES_CONSTANT;
  o->placement = GEODISK_PLACEMENT_RANDOM;
}

/* What suits the graph: all is left open, for geodisk_auto_trainer, or for the trainer itself. */
static void recipe_auto(geodisk_train_options *o) { (void)o; }

/* The paper's appendix: no burn-in, no regularisation, 10 uniform negatives, a constant rate, epsilon 1e-10. */
static void recipe_paper(geodisk_train_options *o) {
  step_by_step(o);
  o->negatives = 10;
  o->sampling = GEODISK_SAMPLING_UNIFORM;
  o->lr = 0.1;
  o->epochs = 50;
  o->margin = GEODISK_MARGIN_DEFAULT;
}

/* What PoincareModel does unless told otherwise, but for its sampler by degree, which is what `power` 1 gives. */
static void recipe_gensim(geodisk_train_options *o) {
  step_by_step(o);
  o->negatives = 10;
  o->sampling = GEODISK_SAMPLING_DEGREE;
  o->lr = 0.1;
  o->epochs = 50;
  o->burn_in = 10;
  o->burn_in_lr = 0.01;
  o->update = GEODISK_UPDATE_NATURAL;
  o->regularization = 1.0;
}

/* Who is below whom, by the score d(p,c) - d(o,c): the placement has it, and training for ranks would spoil it. */
static void recipe_entailment(geodisk_train_options *o) {
  o->placement = GEODISK_PLACEMENT_ARCS;
  o->epochs = GEODISK_EPOCHS_NONE;
}

/* Edges that were held out of a closed hierarchy: likelihoods less sharp than for remembering, more nearby negatives, a longer
 * core; where there is room, what is chosen for a closure of which edges are seen to be missing. In the plane, where nothing is
 * arranged from a random start, it is what is chosen anyway. */
static void recipe_link_prediction(geodisk_train_options *o) {
  if (o->dim <= 2)
    return;
  o->nearby = 0.6;
  o->core_epochs = 700;
  if (o->dim >= 8) {
    o->sharpness = 6.0;
    o->negatives = 768;
    o->inner = 0.65;
    o->epochs = 150;
    return;
  }
  o->sharpness = 4.0;
  o->negatives = 1024;
  o->epochs = 120;
  o->batch = 8192;
  o->cap = 1.0;
  o->lr = o->lr_first = 1.0;
  o->lr_last = 0.002;
  o->rise = 0.0;
}

static const struct {
  const char *name;
  void (*set)(geodisk_train_options *options);
} recipes[] = {{"auto", recipe_auto},
               {"paper", recipe_paper},
               {"gensim", recipe_gensim},
               {"entailment", recipe_entailment},
               {"link-prediction", recipe_link_prediction}};
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
    o.device = options->device;
    o.start = options->start;
    recipes[i].set(&o);
    if (o.start)
      o.space = geodisk_model_space(o.start);
    *options = o;
    return GEODISK_OK;
  }
  static const char *const gone[] = {"nouns", "nouns-best", "mammals"};
  for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
    if (strcmp(name, gone[i]) == 0)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                          "the recipe \"%s\" is gone: training without a recipe does what it did", name);
  return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                      "there is no recipe \"%s\"; there are auto, paper, gensim, entailment and link-prediction", name);
}

void geodisk_train_start(geodisk_train_options *options, const geodisk_model *start) {
  options->start = start;
  options->dim = geodisk_model_dim(start);
  options->space = geodisk_model_space(start);
}

/* ---- the table of fields ---- */

typedef enum field_kind { FIELD_INT, FIELD_SIZE, FIELD_U64, FIELD_U32, FIELD_DOUBLE, FIELD_ENUM } field_kind;

static const struct field {
  const char *name;
  const char *words; /* of an enum, in the order of its values */
  size_t offset;
  field_kind kind;
  bool chosen; /* may be left open, as the defaults do, and is chosen then */
} fields[] = {
#define FIELD(member, kind, words)                                                                                               \
  { #member, words, offsetof(geodisk_train_options, member), kind, false }
#define OPEN(member, kind, words)                                                                                                \
  { #member, words, offsetof(geodisk_train_options, member), kind, true }
    FIELD(dim, FIELD_INT, NULL),
    FIELD(precision, FIELD_ENUM, "double|float"),
    FIELD(space, FIELD_ENUM, "hyperbolic|euclidean"),
    FIELD(update, FIELD_ENUM, "geodesic|natural|euclidean"),
    FIELD(loss, FIELD_ENUM, "nickel-kiela|complement"),
    OPEN(sharpness, FIELD_DOUBLE, NULL),
    OPEN(sharpness_first, FIELD_DOUBLE, NULL),
    FIELD(units, FIELD_ENUM, "source|edge"),
    OPEN(block, FIELD_U32, NULL),
    OPEN(batch, FIELD_U64, NULL),
    OPEN(negatives, FIELD_SIZE, NULL),
    FIELD(sampling, FIELD_ENUM, "uniform|degree|nearby"),
    FIELD(power, FIELD_DOUBLE, NULL),
    OPEN(nearby, FIELD_DOUBLE, NULL),
    OPEN(inner, FIELD_DOUBLE, NULL),
    OPEN(epochs, FIELD_U64, NULL),
    FIELD(rates, FIELD_ENUM, "rise|constant|linear|cosine"),
    OPEN(lr, FIELD_DOUBLE, NULL),
    OPEN(lr_first, FIELD_DOUBLE, NULL),
    OPEN(lr_last, FIELD_DOUBLE, NULL),
    OPEN(rise, FIELD_DOUBLE, NULL),
    OPEN(cap, FIELD_DOUBLE, NULL),
    OPEN(bound, FIELD_DOUBLE, NULL),
    FIELD(burn_in, FIELD_U64, NULL),
    FIELD(burn_in_lr, FIELD_DOUBLE, NULL),
    OPEN(sparse, FIELD_DOUBLE, NULL),
    FIELD(regularization, FIELD_DOUBLE, NULL),
    OPEN(placement, FIELD_ENUM, "tree|random|auto|construction|arcs"),
    OPEN(core_epochs, FIELD_U64, NULL),
    OPEN(depth, FIELD_DOUBLE, NULL),
    FIELD(range, FIELD_DOUBLE, NULL),
    FIELD(margin, FIELD_DOUBLE, NULL),
    FIELD(seed, FIELD_U64, NULL),
#undef FIELD
#undef OPEN
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
    if (*(const size_t *)p == GEODISK_NEGATIVES_ALL)
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

/* A whole number in digits alone, at most `most`. */
static bool parse_whole(const char *text, uint64_t most, uint64_t *out) {
  uint64_t number = 0;
  if (!*text)
    return false;
  for (; *text; text++) {
    const unsigned digit = (unsigned char)*text - (unsigned)'0';
    if (digit > 9 || number > (most - digit) / 10)
      return false;
    number = 10 * number + digit;
  }
  *out = number;
  return true;
}

/* The value of a field from its text; false if it is not one. */
static bool set_field(const struct field *f, const char *text, geodisk_train_options *options) {
  void *p = (char *)options + f->offset;
  uint64_t whole = 0;
  bool fine = false;
  switch (f->kind) {
  case FIELD_INT:
    fine = parse_whole(text, INT_MAX, &whole);
    *(int *)p = (int)whole;
    break;
  case FIELD_SIZE:
    fine = parse_whole(text, SIZE_MAX, &whole) || strcmp(text, "\"all\"") == 0;
    *(size_t *)p = text[0] == '"' ? GEODISK_NEGATIVES_ALL : (size_t)whole;
    break;
  case FIELD_U64:
    fine = parse_whole(text, UINT64_MAX, &whole);
    *(uint64_t *)p = whole;
    break;
  case FIELD_U32:
    fine = parse_whole(text, UINT32_MAX, &whole);
    *(uint32_t *)p = (uint32_t)whole;
    break;
  case FIELD_DOUBLE:
    fine = geodisk_parse_double(text, strlen(text), p);
    break;
  case FIELD_ENUM:
    for (int w = 0; !fine; w++) {
      char word[32], quoted[40];
      word_of(f->words, w, word, sizeof word);
      if (!word[0])
        return false;
      snprintf(quoted, sizeof quoted, "\"%s\"", word);
      fine = strcmp(quoted, text) == 0;
      *(int *)p = w;
    }
    break;
  }
  return fine;
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
    if (!set_field(&fields[i], value, options))
      return false;
  }
  return true;
}

/* What a field has that is left open; then whatever was chosen before is fine. */
static bool is_open(const struct field *f, const geodisk_train_options *o) {
  const geodisk_train_options open = geodisk_train_defaults();
  char now[64], unset[64];
  field_text(f, o, now, sizeof now);
  field_text(f, &open, unset, sizeof unset);
  return f->chosen && strcmp(now, unset) == 0;
}

/* Whether `now` differs from `then` in more than the number of epochs; the differences as text. */
bool embed_options_changed(const geodisk_train_options *a, const geodisk_train_options *b, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < FIELDS; i++) {
    char x[64], y[64];
    field_text(&fields[i], a, x, sizeof x);
    field_text(&fields[i], b, y, sizeof y);
    if (strcmp(x, y) == 0 || strcmp(fields[i].name, "epochs") == 0 || is_open(&fields[i], b) || used >= size)
      continue;
    used += (size_t)snprintf(text + used, size - used, "%s%s was %s, now %s", used ? "; " : "", fields[i].name, x, y);
  }
  return used > 0;
}

/* ---- checks ---- */

static bool positive(double a) { return a >= 1e-300 && a <= 1e300; } /* so that a hundredth of it is not 0 */

geodisk_status embed_check_options(geodisk_context *context, const geodisk_train_options *o) {
  const struct {
    bool ok;
    const char *text;
    double value;
  } checks[] = {
      {o->dim >= 1 && o->dim <= GEODISK_DIM_MOST, "dim must be 1 to 512", o->dim},
      {o->sharpness == 0.0 || (o->sharpness >= 0.0625 && o->sharpness <= 64.0), "sharpness must be 1/16 to 64", o->sharpness},
      {o->sharpness_first == 0.0 || (o->sharpness_first >= 0.0625 && o->sharpness_first <= 64.0),
       "the first sharpness must be 1/16 to 64", o->sharpness_first},
      {(unsigned)o->device <= GEODISK_DEVICE_AUTO, "there is no such device", o->device},
      {o->block <= TRAIN_MOST_UNITS, "a block has at most 32 units", o->block},
      {o->lr == 0.0 || positive(o->lr), "the learning rate must be a positive number", o->lr},
      {o->lr_first == 0.0 || positive(o->lr_first), "the first learning rate must be a positive number", o->lr_first},
      {o->lr_last == 0.0 || positive(o->lr_last), "the last learning rate must be a positive number", o->lr_last},
      {o->rise <= 1.0, "the share of rising epochs must be 0 to 1", o->rise},
      {o->cap <= 1e300, "the cap must be 0 or a positive number", o->cap},
      {o->bound <= 1e300, "the bound must be 0 or a positive number", o->bound},
      {o->burn_in <= 0xFFFFFFFFu, "burn-in must be at most 4294967295 epochs", (double)o->burn_in},
      {o->burn_in == 0 || positive(o->burn_in_lr), "the burn-in learning rate must be a positive number", o->burn_in_lr},
      {o->sparse < 1.0, "sparse must be 0 or more and below 1", o->sparse},
      {o->regularization >= 0.0 && o->regularization <= 1e6, "regularization must be 0 to 1e6", o->regularization},
      {o->power >= 0.0 && o->power <= 10.0, "the power of the degree must be 0 to 10", o->power},
      {o->nearby <= 1.0, "the share of nearby negatives must be 0 to 1", o->nearby},
      {o->inner <= 1.0, "the share of inner negatives must be 0 to 1", o->inner},
      {o->depth >= 0.0 && o->depth <= 100.0, "the depth of the tree placement must be a positive number up to 100", o->depth},
      {o->range > 0.0 && o->range <= 0.5, "the range of the random placement must be above 0 and at most 0.5", o->range},
      {o->margin > 0.0 && o->margin < 1.0, "the margin must be between 0 and 1", o->margin},
      {o->core_epochs <= 0xFFFFFFFFu || o->core_epochs == GEODISK_CORE_EPOCHS_AUTO, "core epochs must be at most 4294967295",
       (double)o->core_epochs},
      {o->epochs <= 0xFFFFFFFFu || o->epochs == GEODISK_EPOCHS_NONE, "epochs must be at most 4294967295", (double)o->epochs},
      {(unsigned)o->precision <= GEODISK_PRECISION_FLOAT, "there is no such precision", (double)o->precision},
      {(unsigned)o->space <= GEODISK_SPACE_EUCLIDEAN, "there is no such space", (double)o->space},
      {(unsigned)o->update <= GEODISK_UPDATE_EUCLIDEAN, "there is no such update", (double)o->update},
      {(unsigned)o->loss <= GEODISK_LOSS_COMPLEMENT, "there is no such loss", (double)o->loss},
      {(unsigned)o->units <= GEODISK_UNITS_EDGE, "there are no such units", (double)o->units},
      {(unsigned)o->sampling <= GEODISK_SAMPLING_NEARBY, "there is no such sampling", (double)o->sampling},
      {(unsigned)o->rates <= GEODISK_RATES_COSINE, "there is no such schedule of rates", (double)o->rates},
      {(unsigned)o->placement <= GEODISK_PLACEMENT_ARCS, "there is no such placement", (double)o->placement},
  };
  for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
    if (!checks[i].ok)
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s, not %g", checks[i].text, checks[i].value);
  for (size_t i = 0; i < FIELDS; i++) { /* also what plays no part: a checkpoint could not be read again */
    const double value = fields[i].kind == FIELD_DOUBLE ? *(const double *)((const char *)o + fields[i].offset) : 0.0;
    if (!(fabs(value) <= 1e300))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "%s must be a finite number, not %g", fields[i].name, value);
  }
  if (o->placement == GEODISK_PLACEMENT_CONSTRUCTION && o->space == GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "trees are constructed in hyperbolic space, not in flat space");
  if (o->placement == GEODISK_PLACEMENT_ARCS && o->space == GEODISK_SPACE_EUCLIDEAN)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "points are placed on arcs in hyperbolic space, not in flat space");
  if (o->core_epochs > 0 && o->core_epochs != GEODISK_CORE_EPOCHS_AUTO && o->start)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT,
                        "core epochs arrange points anew: with a model to start from, take 0 of them");
  const geodisk_ball ball = geodisk_unit_ball(o->dim);
  return o->start ? geodisk_model_fits(context, o->start, "the model to start from", o->space, &ball) : GEODISK_OK;
}
