/* train_options.c - the options of `geodisk train`. What is not given is the library's to decide: options begin as its defaults,
 * a recipe, the model to start from or a checkpoint has them, and those that are given are laid over them. */
#include <string.h>

#include "train_session.h"

static const command_spec command = {
    .name = "train",
    .summary = "embed a graph in hyperbolic space",
    .arguments = "[GRAPH]",
    .description = GRAPH_SOURCE_TEXT
    "Learns a point of the hyperbolic ball for every node, so that each node is near its parents and far from the rest. The same "
    "seed gives the same file on any number of threads and any machine.\n\n"
    "Settings that are not given are chosen: by looking at the graph, and where that does not settle it, by short trainings with "
    "several starts, sharpnesses and rates (at most a third of the work), of which the best are trained whole, once also in flat "
    "space, and longer while that improves ranks; the best of all is the model. What was seen and taken is printed, and kept in "
    "the model; at the end come mean rank and MAP, of a large graph those of a sample of its nodes.\n\n"
    "Ctrl-C finishes the epoch, saves the model and exits with 130 (SIGTERM with 143, SIGHUP with 129); --resume goes on from "
    "there, to exactly the bytes of an uninterrupted run. An edge list of direct links (dog, canine; canine, carnivore) usually "
    "wants --closure, so that a node is near all its ancestors, not only its parents.\n\n"
    "--objective distances keeps how far apart nodes are, by shortest ways in the graph (weights are lengths) or by the matrix "
    "of --distances, up to one scale that is learned.\n\n"
    "Started by mpirun or srun, all processes train together, to the same file; no process then holds the whole graph.",
    .examples = "geodisk train data/mammals.tsv -o mammals.safetensors --dim 2\n"
                "geodisk train nouns.tsv.gz -o nouns.safetensors --dim 10 --precision float\n"
                "geodisk train nouns.tsv.gz -o nouns.safetensors --resume nouns.safetensors --epochs 300\n"
                "geodisk train --distances cities.csv -o cities.safetensors --dim 2 --space euclidean\n"
                "mpirun -n 4 geodisk train large.tsv -o large.safetensors --checkpoint-every 5",
};

/* ---- numbers or words ---- */

static bool whole_number(const char *text, uint64_t *out) {
  double value;
  if (!parse_number(text, &value) || value < 1.0 || value > 9e15 || value != (double)(uint64_t)value)
    return false;
  *out = (uint64_t)value;
  return true;
}

/* A number that may be a word instead; `zero`: what 0 stands for, NO_ZERO where it is not taken. */
#define NO_ZERO (UINT64_MAX - 1)
static int read_count(const char *option, const char *text, const char *word, uint64_t of_word, uint64_t zero, uint64_t *out) {
  const bool zero_taken = zero != NO_ZERO;
  if (!text)
    return -1;
  if (strcmp(text, word) == 0)
    *out = of_word;
  else if (zero_taken && strcmp(text, "0") == 0)
    *out = zero;
  else if (!whole_number(text, out))
    return cli_usage_error(&command, "--%s takes a whole number%s or \"%s\", not \"%s\"", option, zero_taken ? "" : " from 1 up",
                           word, text);
  return -1;
}

static int read_counts(train_arguments *a) {
  geodisk_train_options *o = &a->options;
  uint64_t negatives = o->negatives;
  int code = read_count("epochs", a->epochs, "auto", GEODISK_EPOCHS_AUTO, GEODISK_EPOCHS_NONE, &o->epochs);
  if (code < 0)
    code = read_count("negatives", a->negatives, "all", GEODISK_NEGATIVES_ALL, NO_ZERO, &negatives);
  if (code < 0)
    code = read_count("batch", a->batch, "all", UINT64_MAX, NO_ZERO, &o->batch);
  if (code < 0)
    code = read_count("core-epochs", a->core_epochs, "auto", GEODISK_CORE_EPOCHS_AUTO, 0, &o->core_epochs);
  o->negatives = (size_t)negatives;
  return code;
}

/* The parser knows words as numbers of its own. */
static void words_of_options(train_arguments *a) {
  const geodisk_train_options *o = &a->options;
  a->update = (int)o->update;
  a->loss = (int)o->loss;
  a->sampling = (int)o->sampling;
  a->precision = (int)o->precision;
  a->space = (int)o->space;
  a->units = (int)o->units;
  a->rates = (int)o->rates;
  a->placement = (int)o->placement;
  a->device = (int)o->device;
  a->dim = o->dim;
  a->seed = (int64_t)o->seed;
  a->block = o->block;
  a->burn_in = (int64_t)o->burn_in;
}

/* The other way round. */
static void options_of_words(train_arguments *a) {
  geodisk_train_options *o = &a->options;
  o->update = (geodisk_update)a->update;
  o->loss = (geodisk_loss)a->loss;
  o->sampling = (geodisk_sampling)a->sampling;
  o->precision = (geodisk_precision)a->precision;
  o->space = (geodisk_space)a->space;
  o->units = (geodisk_units)a->units;
  o->rates = (geodisk_rates)a->rates;
  o->placement = (geodisk_placement)a->placement;
  o->device = (geodisk_device)a->device;
  o->dim = (int)a->dim;
  o->seed = (uint64_t)a->seed;
  o->block = (uint32_t)a->block;
  o->burn_in = (uint64_t)a->burn_in;
}

/* Reads the words of the command line over what options are. */
static int parse_over(int argc, char **argv, common_options *common, train_arguments *a) {
  geodisk_train_options *o = &a->options;
  words_of_options(a);
  const option_spec options[] = {
      OPT_TEXT("output", 'o', &a->output, "FILE", "the model to write (needed); also the checkpoint"),
      OPT_INT("dim", 'd', &a->dim, "N", "dimensions of the ball (default 10)", 1, GEODISK_DIM_MOST),
      OPT_CHOICE("objective", 0, &a->objective, "neighbours|distances",
                 "what is learned: who is near whom (default), or how far apart all are"),
      OPT_TEXT("distances", 0, &a->distances, "FILE",
               "a square of distances (CSV, TSV or npy) instead of GRAPH; --objective distances goes without saying"),
      OPT_CHOICE("stress", 0, &a->stress, "mean|squared",
                 "the distortion of --objective distances: |s d/g - 1| (default) or |(s d/g)^2 - 1|, with s learned"),
      OPT_TEXT("recipe", 0, &a->recipe, "NAME",
               "auto (the default): what suits the graph, by looking and short trials; entailment: who is below whom; "
               "link-prediction: edges that were held out; of other programs: paper, gensim; other options change them"),
      OPT_TEXT("epochs", 'e', &a->epochs, "N|auto",
               "passes over the edges (default auto: by the size and kind of the graph); 0: the placement is the model"),
      OPT_DOUBLE("lr", 0, &o->lr, "X", "the learning rate, of the schedule's peak (default: by the graph)", 1e-12, 1e6),
      OPT_CHOICE("lr-schedule", 0, &a->rates, "rise|constant|linear|cosine", "rise: up to --lr, then down"),
      OPT_DOUBLE("lr-first", 0, &o->lr_first, "X", "where `rise` begins", 1e-12, 1e6),
      OPT_DOUBLE("lr-last", 0, &o->lr_last, "X", "where schedules end", 1e-12, 1e6),
      OPT_DOUBLE("rise", 0, &o->rise, "X", "the share of the epochs in which `rise` goes up", 0, 1),
      OPT_CHOICE("update", 0, &a->update, "geodesic|natural|euclidean", "how points move; the two others are for comparison"),
      OPT_TEXT("negatives", 'k', &a->negatives, "K|all",
               "negatives that a block of units shares, or an edge has (default: by the graph; edge 50); all: exact, for small "
               "graphs"),
      OPT_CHOICE("sampling", 0, &a->sampling, "uniform|degree|nearby",
                 "how negatives are drawn; nearby: a share of them close by in the hierarchy"),
      OPT_DOUBLE("nearby", 0, &o->nearby, "X", "the share of negatives that come from nearby", 0, 1),
      OPT_DOUBLE("inner", 0, &o->inner, "X", "the share of negatives that are inner nodes, which have children", 0, 1),
      OPT_DOUBLE("power", 0, &o->power, "X", "of the degree, for --sampling degree (default 1)", 0, 10),
      OPT_CHOICE("loss", 0, &a->loss, "nickel-kiela|complement", "with or without the positive in the denominator"),
      OPT_DOUBLE("sharpness", 0, &o->sharpness, "B",
                 "likelihoods are e^(-B d); 1/16 to 64 (default: by the dimension and the graph)", 0.0625, 64),
      OPT_DOUBLE("sharpness-first", 0, &o->sharpness_first, "B", "the sharpness of the first 40 % of the epochs", 0.0625, 64),
      OPT_CHOICE("units", 0, &a->units, "source|edge", "what is trained at a time: a node with all its targets, or an edge"),
      OPT_INT("block", 0, &a->block, "N", "source units that share their negatives (default 32)", 1, 32),
      OPT_TEXT("batch", 0, &a->batch, "N|all", "units that are trained before points move (default: by the graph)"),
      OPT_DOUBLE("cap", 0, &o->cap, "X", "no point moves further than this in a batch; 0: any length", 0, 1e6),
      OPT_DOUBLE("bound", 0, &o->bound, "X", "of the pushes of a unit, each counted up to 0.03; 0: none (default 3.84)", 0, 1e6),
      OPT_INT("burn-in", 0, &a->burn_in, "N", "epochs at a low rate before the others", 0, 1e9),
      OPT_DOUBLE("burn-in-lr", 0, &o->burn_in_lr, "X", "their rate", 1e-12, 1e6),
      OPT_CHOICE(
          "device", 0, &a->device, "cpu|cuda|auto",
          "where epochs run, to the same bytes; auto: cuda where there is one and the graph is large enough (default cpu)"),
      OPT_CHOICE("precision", 0, &a->precision, "double|float", "of the points; float is faster and shallower"),
      OPT_INT("seed", 's', &a->seed, "N", "of all random choices (default 1)", 0, 9e15),
      OPT_DOUBLE("sparse", 0, &o->sparse, "Q", "pulls weaker than Q are made Q or dropped, at random", 0, 0.999),
      OPT_DOUBLE("regularization", 0, &o->regularization, "X", "pulls targets to the origin: X times |v|^2 for each edge (0)", 0,
                 1e6),
      OPT_GONE("async", "training is deterministic on any number of threads; --units edge goes edge by edge"),
      OPT_GONE("variant", "--units source (the default) trains a node with all its targets, --units edge edge by edge"),
      OPT_CHOICE("space", 0, &a->space, "hyperbolic|euclidean", "euclidean: the flat baseline"),
      OPT_CHOICE("placement", 0, &a->placement, "tree|random|auto|construction|arcs",
                 "where the points begin (default auto: by the graph); construction: a tree, exactly; arcs: for entailment"),
      OPT_DOUBLE("depth", 0, &o->depth, "X",
                 "radii of the tree placement, or lengths of the construction, are multiplied by this", 1e-3, 100),
      OPT_TEXT("core-epochs", 0, &a->core_epochs, "N|auto",
               "first N epochs without leaves that hang on one node, which then begin beside it"),
      OPT_TEXT("init", 0, &a->init, "MODEL", "begin where this model has its nodes; new ones begin beside their neighbours"),
      OPT_GONE("parts", "--batch says how many units are trained before points move"),
      OPT_INT("checkpoint-every", 0, &a->checkpoint_every, "N", "save the model every N epochs", 0, 1e9),
      OPT_INT("eval-every", 0, &a->eval_every, "N", "print (and log) mean rank and MAP every N epochs", 0, 1e9),
      OPT_TEXT("resume", 0, &a->resume, "MODEL", "go on with a model saved before it was done; only --epochs may differ"),
      OPT_TEXT("log", 0, &a->log, "FILE", "one JSON object a line for each epoch"),
      GRAPH_SOURCE_OPTIONS(a->source),
      OPT_END,
  };
  const int code = args_parse(&command, options, common, argc, argv);
  a->graph = code < 0 && common->n_args > 0 ? common->args[0] : NULL;
  return code;
}

/* What goes with what; -1 to go on. */
static int check(const common_options *common, const train_arguments *a) {
  if (!a->graph && !a->distances)
    return cli_usage_error(&command, "say what to embed: GRAPH, or --distances FILE");
  if (a->graph && a->distances)
    return cli_usage_error(&command, "--distances takes the place of GRAPH: give one of them");
  if (!a->output)
    return cli_usage_error(&command, "say where the model goes: -o FILE");
  if (a->init && a->resume)
    return cli_usage_error(&command, "--init begins anew, --resume goes on: give one of them");
  if (strcmp(a->output, "-") == 0 && (common->json || a->checkpoint_every > 0))
    return cli_usage_error(&command, "%s needs -o FILE: the model itself goes to standard output",
                           common->json ? "--json" : "--checkpoint-every");
  const char *const inputs[] = {a->graph ? a->graph : a->distances, a->init, a->resume, a->output};
  const int code = cli_check_inputs(&command, "--output", a->output, inputs, 2);
  return code >= 0 ? code : cli_check_inputs(&command, "--log", a->log, inputs, 4);
}

/* What options are before those that are given: a recipe's, those of the model to start from, of the checkpoint. Ranks, none of
 * which reads a whole model, compare theirs when they resume. -1 to go on. */
static int begin(const common_options *common, train_arguments *a) {
  geodisk_context *context = cli_context(common);
  geodisk_status st = GEODISK_OK;
  int code = -1;
  if (a->init && !ranks_launched() && (st = geodisk_model_read(context, a->init, &a->start)) == GEODISK_OK)
    geodisk_train_start(&a->options, a->start);
  if (st == GEODISK_OK && a->resume && !ranks_launched())
    st = geodisk_train_resumed(context, a->resume, &a->options);
  if (st != GEODISK_OK)
    code = cli_failed(context, st);
  else if (a->recipe && geodisk_train_recipe(context, a->recipe, &a->options) != GEODISK_OK)
    code = cli_usage_error(&command, "--recipe: %s", geodisk_context_error(context));
  geodisk_context_destroy(context);
  return code;
}

int train_parse(int argc, char **argv, common_options *common, train_arguments *a) {
  *a = (train_arguments){.options = geodisk_train_defaults(), .source = {.advise = true}};
  int code = parse_over(argc, argv, common, a);
  if (code < 0)
    code = check(common, a);
  if (code < 0 && a->objective == 0 && !a->distances && (a->recipe || a->init || a->resume)) {
    a->options = geodisk_train_defaults();
    a->options.dim = (int)a->dim; /* a recipe may look at it */
    if ((code = begin(common, a)) < 0)
      code = parse_over(argc, argv, common, a);
  }
  if (code < 0)
    code = read_counts(a);
  if (code < 0)
    code = graph_source_prepare(&command, &a->source);
  if (code < 0)
    options_of_words(a);
  return code;
}
