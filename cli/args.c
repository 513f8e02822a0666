/* args.c - parses a command line against a table of options, and hands over to sub-commands.
 *
 * Three options stand in no help: --man prints the manual page, --commands the names of all commands below, --completion SHELL
 * what a shell can complete; the build makes with them what is installed. */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 1024, MAX_NAMES = 64 };

const option_spec args_common[] = {
    {"threads", 0, OPTION_INT, NULL, "N", "worker threads; 0, the default, takes all cores", 0, MAX_THREADS, NULL},
    OPT_FLAG("quiet", 'q', NULL, "no messages and no progress on standard error, errors excepted"),
    OPT_FLAG("json", 0, NULL, "print the result as JSON"),
    OPT_FLAG("help", 'h', NULL, "print this help"),
    OPT_END,
};

/* ---- errors ---------------------------------------------------------------------------------------------------------- */

bool cli_coloured(int fd) {
  const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(fd) == 1 && (no == NULL || *no == 0) && (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

static const char *red(void) { return cli_coloured(STDERR_FILENO) ? "\033[1;31m" : ""; }
static const char *plain(void) { return cli_coloured(STDERR_FILENO) ? "\033[0m" : ""; }

int cli_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "geodisk: %serror:%s ", red(), plain());
  put_arguments(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return EXIT_FAILED;
}

int cli_usage_error(const command_spec *command, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "geodisk %s: %serror:%s ", command->name, red(), plain());
  put_arguments(stderr, format, arguments);
  fprintf(stderr, "\nTry 'geodisk %s --help'.\n", command->name);
  va_end(arguments);
  return EXIT_USAGE;
}

/* ---- the nearest name ------------------------------------------------------------------------------------------------ */

/* Levenshtein's distance of two words, which are cut at 63 characters. */
static int edit_distance(const char *a, const char *b) {
  enum { LONGEST = 63 };
  int row[LONGEST + 1];
  const int width = (int)strnlen(b, LONGEST), height = (int)strnlen(a, LONGEST);
  for (int j = 0; j <= width; j++)
    row[j] = j;
  for (int i = 1; i <= height; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= width; j++) {
      const int replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      const int remove = row[j] + 1, insert = row[j - 1] + 1;
      row[j] = replace < remove ? replace : remove;
      row[j] = row[j] < insert ? row[j] : insert;
    }
  }
  return row[width];
}

const char *args_nearest(const char *word, const char *const *names, int n) {
  const char *nearest = NULL;
  int best = 1 + (int)strlen(word) / 3; /* one slip in three letters, and one more */
  for (int i = 0; i < n; i++) {
    if (strlen(word) >= 2 && strncmp(word, names[i], strlen(word)) == 0)
      return names[i];
    const int distance = edit_distance(word, names[i]);
    if (distance <= best) {
      best = distance - 1;
      nearest = names[i];
    }
  }
  return nearest;
}

static int unknown_option(const command_spec *command, const option_spec *options, const char *token, size_t length) {
  const char *names[MAX_NAMES];
  int n = 0;
  for (const option_spec *o = options; o->name != NULL && n < MAX_NAMES; o++)
    names[n++] = o->name;
  for (const option_spec *o = args_common; o->name != NULL && n < MAX_NAMES; o++)
    names[n++] = o->name;
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), token[1] == '-' ? token + 2 : token + 1);
  const char *nearest = token[1] == '-' ? args_nearest(word, names, n) : NULL;
  if (nearest != NULL)
    return cli_usage_error(command, "unknown option '%s%s'; did you mean --%s?", token[1] == '-' ? "--" : "-", word, nearest);
  return cli_usage_error(command, "unknown option '%s%s'", token[1] == '-' ? "--" : "-", word);
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

/* "at least 1", "at most 5", "from 1 to 5", into a static buffer's worth of text. */
static const char *bounds_text(const option_spec *option, char *buffer, size_t bytes) {
  char low[GEODISK_NUMBER_BYTES], high[GEODISK_NUMBER_BYTES];
  shortest_double(option->min, low);
  shortest_double(option->max, high);
  if (isinf(option->max))
    snprintf(buffer, bytes, "at least %s", low);
  else if (isinf(option->min))
    snprintf(buffer, bytes, "at most %s", high);
  else
    snprintf(buffer, bytes, "from %s to %s", low, high);
  return buffer;
}

static bool in_bounds(const option_spec *option, double value) {
  return (option->min == 0 && option->max == 0) || (value >= option->min && value <= option->max);
}

/* The index of `text` among the |-separated choices, or -1. */
static int choice_index(const char *choices, const char *text) {
  const size_t length = strlen(text);
  int index = 0;
  for (const char *p = choices;; index++) {
    const size_t n = strcspn(p, "|");
    if (n == length && strncmp(p, text, n) == 0)
      return index;
    if (p[n] == 0)
      return -1;
    p += n + 1;
  }
}

/* Stores the value; -1, or the exit code of the error printed. */
static int set_value(const command_spec *command, const option_spec *option, const char *text) {
  char bounds[2 * GEODISK_NUMBER_BYTES + 16];
  switch (option->kind) {
  case OPTION_GONE:
    break;
  case OPTION_FLAG:
    *(bool *)option->target = true;
    break;
  case OPTION_STRING:
    *(const char **)option->target = text;
    break;
  case OPTION_INT: {
    char *end;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    const bool starts_well =
        (*text >= '0' && *text <= '9') || ((*text == '-' || *text == '+') && text[1] >= '0' && text[1] <= '9');
    if (!starts_well || *end != 0 || errno != 0)
      return cli_usage_error(command, "--%s: '%s' is not a whole number", option->name, text);
    if (!in_bounds(option, (double)value))
      return cli_usage_error(command, "--%s: %s is out of range; it must be %s", option->name, text,
                             bounds_text(option, bounds, sizeof bounds));
    *(int64_t *)option->target = value;
    break;
  }
  case OPTION_DOUBLE: {
    double value;
    if (!parse_number(text, &value))
      return cli_usage_error(command, "--%s: '%s' is not a finite number", option->name, text);
    if (!in_bounds(option, value))
      return cli_usage_error(command, "--%s: %s is out of range; it must be %s", option->name, text,
                             bounds_text(option, bounds, sizeof bounds));
    *(double *)option->target = value;
    break;
  }
  case OPTION_CHOICE: {
    const int index = choice_index(option->value, text);
    if (index < 0)
      return cli_usage_error(command, "--%s: '%s' is not one of %s", option->name, text, option->value);
    *(int *)option->target = index;
    break;
  }
  }
  if (option->given != NULL)
    *option->given = true;
  return -1;
}

/* ---- parsing --------------------------------------------------------------------------------------------------------- */

static const option_spec *find_option(const option_spec *options, const char *name, size_t length, char letter) {
  for (const option_spec *o = options; o->name != NULL; o++)
    if (letter != 0 ? o->letter == letter : strlen(o->name) == length && strncmp(o->name, name, length) == 0)
      return o;
  return NULL;
}

/* Whether the token is an argument: a word, "-" (standard input), or a number such as -0.5 or -.5. */
static bool is_argument(const char *token) {
  if (token[0] != '-' || token[1] == 0)
    return true;
  const char *p = token[1] == '.' ? token + 2 : token + 1;
  return *p >= '0' && *p <= '9';
}

/* One option token and perhaps the value after it; *i is left on the last token used. -1, or the exit code. */
static int parse_option(const command_spec *command, const option_spec *options, const option_spec *common, int argc, char **argv,
                        int *i) {
  const char *token = argv[*i], *value = NULL;
  const bool is_long = token[1] == '-';
  const char *name = is_long ? token + 2 : token + 1;
  const size_t length = is_long ? strcspn(name, "=") : 1;
  const char letter = is_long ? 0 : *name;
  const option_spec *option = find_option(options, name, length, letter);
  if (option == NULL)
    option = find_option(common, name, length, letter);
  if (option == NULL)
    return unknown_option(command, options, token, length);
  if (option->kind == OPTION_GONE)
    return cli_usage_error(command, "--%s is gone: %s", option->name, option->help);
  if (name[length] != 0)
    value = is_long ? name + length + 1 : name + length;
  if (option->kind == OPTION_FLAG) {
    if (value != NULL)
      return cli_usage_error(command, "--%s takes no value", option->name);
  } else if (value == NULL) {
    if (*i + 1 >= argc)
      return cli_usage_error(command, "--%s needs a value (%s)", option->name, option->value);
    value = argv[++*i];
  }
  return set_value(command, option, value);
}

/* How many arguments a usage line asks for; *most -1: any number. */
static void count_arguments(const char *usage, int *least, int *most) {
  bool needed = true;
  *least = *most = 0;
  for (const char *word = usage; *word != 0; word += strspn(word, " ")) {
    const size_t length = strcspn(word, " ");
    if (strncmp(word, "...", 3) == 0) {
      *most = -1;
      return;
    }
    needed = needed && *word != '[';
    *least += needed;
    ++*most;
    word += length;
  }
}

int args_parse(const command_spec *command, const option_spec *options, common_options *common, int argc, char **argv) {
  bool help = false, man = false, commands = false, only_arguments = false;
  const char *shell = NULL;
  *common = (common_options){0};
  int least, most;
  count_arguments(command->arguments, &least, &most);
  common->args = most < 0 || most > FEW_ARGS ? (const char **)argv : common->few;
  const option_spec targets[] = {
      {"threads", 0, OPTION_INT, &common->threads, "N", NULL, 0, MAX_THREADS, NULL},
      OPT_FLAG("quiet", 'q', &common->quiet, NULL),
      OPT_FLAG("json", 0, &common->json, NULL),
      OPT_FLAG("help", 'h', &help, NULL),
      OPT_FLAG("man", 0, &man, NULL),
      OPT_FLAG("commands", 0, &commands, NULL),
      OPT_TEXT("completion", 0, &shell, "SHELL", NULL),
      OPT_END,
  };
  const char *excess = NULL; /* the first argument too many */
  for (int i = 1; i < argc; i++) {
    if (only_arguments || is_argument(argv[i])) {
      if (most < 0 || common->n_args < most)
        common->args[common->n_args++] = argv[i];
      else if (excess == NULL)
        excess = argv[i];
    } else if (strcmp(argv[i], "--") == 0) {
      only_arguments = true;
    } else {
      const int code = parse_option(command, options, targets, argc, argv, &i);
      if (code >= 0)
        return code;
      if (help || man || commands || shell != NULL) {
        if (shell != NULL && completion_shell(shell) < 0)
          return cli_usage_error(command, "--completion: '%s' is not one of bash|zsh|fish", shell);
        if (shell != NULL)
          args_print_completion(command, options, completion_shell(shell));
        else if (help)
          args_print_help(command, options);
        else if (man)
          args_print_man(command, options);
        else
          puts(command->name);
        return cli_finish();
      }
    }
  }
  if (common->n_args < least)
    return cli_usage_error(command, "an argument is missing; usage: geodisk %s [options] %s", command->name, command->arguments);
  if (excess != NULL)
    return cli_usage_error(command, "unexpected argument '%s'", excess);
  return -1;
}

/* ---- sub-commands ---------------------------------------------------------------------------------------------------- */

/* The names of all commands of the table, each group's before its members'. */
static int print_commands(const char *group, const command_entry *table) {
  if (*group != 0)
    puts(group);
  for (const command_entry *entry = table; entry->name != NULL; entry++) {
    char name[64], option[] = "--commands";
    snprintf(name, sizeof name, "%s", entry->name);
    char *argv[] = {name, option, NULL};
    const int code = entry->run(2, argv);
    if (code != EXIT_OK)
      return code;
  }
  return cli_finish();
}

int args_dispatch(const char *group, const char *summary, const command_entry *table, int argc, char **argv) {
  const char *space = *group != 0 ? " " : "";
  const char *names[MAX_NAMES];
  int n = 0;
  const char *word = argc > 1 ? argv[1] : NULL;
  if (word == NULL) {
    fprintf(stderr, "geodisk%s%s: %serror:%s which command? Try 'geodisk%s%s --help'.\n", space, group, red(), plain(), space,
            group);
    return EXIT_USAGE;
  }
  for (const command_entry *entry = table; entry->name != NULL; entry++) {
    if (strcmp(entry->name, word) == 0)
      return entry->run(argc - 1, argv + 1);
    if (n < MAX_NAMES)
      names[n++] = entry->name;
  }
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
    args_print_group_help(group, summary, table);
    return cli_finish();
  }
  if (strcmp(word, "--man") == 0) {
    args_print_group_man(group, summary, table);
    return cli_finish();
  }
  if (strcmp(word, "--commands") == 0)
    return print_commands(group, table);
  if (strcmp(word, "--completion") == 0 && argc > 2 && completion_shell(argv[2]) >= 0)
    return args_print_group_completion(group, table, completion_shell(argv[2]));
  const char *nearest = args_nearest(word, names, n);
  fprintf(stderr, "geodisk%s%s: error: unknown %s '", space, group, *word == '-' ? "option" : "command");
  put_text(stderr, word);
  fputc('\'', stderr);
  if (nearest != NULL && *word != '-')
    fprintf(stderr, "; did you mean '%s'?", nearest);
  fprintf(stderr, "\nTry 'geodisk%s%s --help'.\n", space, group);
  return EXIT_USAGE;
}
