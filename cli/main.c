/* main.c - the geodisk command: its table of sub-commands, and --version. */
#include "args.h"
#include "processes.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char summary[] = "graphs and hierarchies in hyperbolic space";

static int cmd_completion(int argc, char **argv);

static const command_entry commands[] = {
    {"barycenter", "the weighted mean of points, with a certified error bound", cmd_barycenter},
    {"bench", "the project's own measurements on this machine", cmd_bench},
    {"compare", "how alike two models of the same nodes are", cmd_compare},
    {"completion", "what bash, zsh or fish need to complete commands and options", cmd_completion},
    {"convert", "models to and from the formats of other programs", cmd_convert},
    {"eval", "how good is an embedding: ranks, loss, rank correlation, distortion", cmd_eval},
    {"geometry", "hyperbolic geometry on numbers from the command line or a file", cmd_geometry},
    {"graph", "read, check and prepare graphs: WordNet, closure, splits, generators", cmd_graph},
    {"place", "put new nodes at their place in a model without retraining", cmd_place},
    {"plot", "draw a model in the hyperbolic disk: PNG, SVG or PDF", cmd_plot},
    {"query", "ask a model: near nodes, parents, distances, analogies", cmd_query},
    {"reproduce", "the paper's experiments: figures, tables, and what of its claims holds", cmd_reproduce},
    {"train", "embed a graph in hyperbolic space", cmd_train},
    {"view", "a page for the browser in which one walks around in the disk", cmd_view},
    {NULL, NULL, NULL},
};

/* `geodisk completion bash`: a script for the shell, from all tables. */
static int cmd_completion(int argc, char **argv) {
  static const command_spec spec = {
      "completion",
      "what bash, zsh or fish need to complete commands and options",
      "bash|zsh|fish",
      "Prints a script that completes commands, options and their values on the command line of that shell; it is made from the "
      "tables that the help is made from. An installed geodisk has brought it along already; from a build folder, load it "
      "yourself.",
      "source <(geodisk completion bash)\n"
      "geodisk completion zsh > ~/.zfunc/_geodisk\n"
      "geodisk completion fish > ~/.config/fish/completions/geodisk.fish",
  };
  static const option_spec options[] = {OPT_END};
  common_options common;
  const int code = args_parse(&spec, options, &common, argc, argv);
  if (code >= 0)
    return code;
  const int shell = completion_shell(common.args[0]);
  if (shell < 0)
    return cli_usage_error(&spec, "'%s' is not one of bash, zsh, fish", common.args[0]);
  return args_print_group_completion("", commands, shell);
}

/* Version, instruction sets of this machine (the one in use first), optional parts, compiler. */
static int print_version(void) {
  static const char *const sets[] = {"avx512", "avx2", "sse2", "ref"};
  const common_options common = {.threads = 1, .quiet = true};
  geodisk_context *context = cli_context(&common);
  const char *in_use = geodisk_instruction_set(context);
  printf("geodisk %s\ninstruction set: %s; also here:", geodisk_version(), in_use);
  for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
    if (strcmp(sets[i], in_use) != 0 && geodisk_use_instruction_set(context, sets[i]) == GEODISK_OK)
      printf(" %s", sets[i]);
  char device[256] = "";
  const bool found = geodisk_device_name(context, device, sizeof device);
  printf("\ndevice: %s", found ? device : geodisk_context_error(context));
  geodisk_context_destroy(context);
  printf("\nfeatures: %s\ncompiler: %s\n", geodisk_features(),
#ifdef __clang__
         __VERSION__
#else
         "gcc " __VERSION__
#endif
  );
  return cli_finish();
}

/* `geodisk help NAME...` is `geodisk NAME... --help`. */
static int print_help(int argc, char **argv) {
  enum { MOST = 8 };
  char option[] = "--help", *line[MOST + 1];
  int n = 0;
  line[n++] = argv[0];
  for (int i = 2; i < argc && n < MOST - 1; i++)
    line[n++] = argv[i];
  line[n++] = option;
  line[n] = NULL;
  return args_dispatch("", summary, commands, n, line);
}

/* The sub-commands whose work ranks can share. The others would do all of it as many times. */
static bool is_for_ranks(const char *name) {
  return strcmp(name, "train") == 0 || strcmp(name, "eval") == 0 || strcmp(name, "convert") == 0;
}

static int run(int argc, char **argv) {
  for (const command_entry *c = commands; argc > 1 && ranks_several() && c->name != NULL; c++)
    if (strcmp(argv[1], c->name) == 0 && !is_for_ranks(c->name))
      return cli_error("%s is for one process: several share the work of train, eval and convert; start it without mpirun",
                       c->name);
  if (argc > 1 && strcmp(argv[1], "--version") == 0)
    return print_version();
  if (argc > 1 && strcmp(argv[1], "help") == 0)
    return print_help(argc, argv);
  return args_dispatch("", summary, commands, argc, argv);
}

int main(int argc, char **argv) {
  const bool silent = ranks_silence();
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is then an error of the write, which cli_finish reports */
  signal(SIGXFSZ, SIG_IGN); /* and so is a file larger than is allowed */
  const int code = run(argc, argv);
  return silent ? ranks_speak_up(code) : code;
}
