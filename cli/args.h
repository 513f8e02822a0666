/* args.h - one table of options per sub-command gives its parser, its --help and its man page. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "geodisk/geodisk.h"

/* Exit codes of the command; cli_interrupted_code gives that of an interrupted one. */
enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef enum option_kind {
  OPTION_FLAG,   /* target: bool *                       --name                            */
  OPTION_INT,    /* target: int64_t *, bounds min..max   --name N                          */
  OPTION_DOUBLE, /* target: double *, bounds min..max    --name X (inf and nan are refused) */
  OPTION_STRING, /* target: const char **                --name TEXT                       */
  OPTION_CHOICE, /* target: int *, the index into the |-separated `value`                  */
  OPTION_GONE    /* no target: an error that says, by `help`, what does its work now       */
} option_kind;

/* One option. A table ends with an entry whose name is NULL. The defaults are what the targets hold before parsing; `help` names
 * them where it matters. */
typedef struct option_spec {
  const char *name; /* without the dashes */
  char letter;      /* one-letter form, or 0 */
  option_kind kind;
  void *target;
  const char *value; /* the word in help for the value, e.g. "FILE"; the choices "a|b|c" for OPTION_CHOICE; NULL for flags */
  const char *help;
  double min, max; /* bounds, inclusive, of numbers; both 0: none */
  bool *given;     /* set to true when the option is on the command line; or NULL */
} option_spec;

/* Entries without `given`, of numbers with bounds; the end of a table. */
#define OPT_FLAG(name, letter, target, help)                                                                                     \
  { name, letter, OPTION_FLAG, target, NULL, help, 0, 0, NULL }
#define OPT_TEXT(name, letter, target, value, help)                                                                              \
  { name, letter, OPTION_STRING, target, value, help, 0, 0, NULL }
#define OPT_CHOICE(name, letter, target, words, help)                                                                            \
  { name, letter, OPTION_CHOICE, target, words, help, 0, 0, NULL }
#define OPT_INT(name, letter, target, value, help, min, max)                                                                     \
  { name, letter, OPTION_INT, target, value, help, min, max, NULL }
#define OPT_DOUBLE(name, letter, target, value, help, min, max)                                                                  \
  { name, letter, OPTION_DOUBLE, target, value, help, min, max, NULL }
#define OPT_GONE(name, help)                                                                                                     \
  { name, 0, OPTION_GONE, NULL, NULL, help, 0, 0, NULL }
#define OPT_END                                                                                                                  \
  { NULL, 0, OPTION_FLAG, NULL, NULL, NULL, 0, 0, NULL }

/* What every sub-command has besides its own options: --help, --threads N, --quiet, --json, and its positional arguments. */
enum { FEW_ARGS = 5 };
typedef struct common_options {
  int64_t threads; /* 0: all cores */
  bool quiet;
  bool json;
  const char **args; /* n_args of them, in `few` of what was parsed into, or where there may be more at the front of argv */
  int n_args;
  const char *few[FEW_ARGS];
} common_options;

/* A sub-command (or a sub-sub-command, e.g. `geodisk graph info`). */
typedef struct command_spec {
  const char *name;        /* "geometry distance" */
  const char *summary;     /* one line */
  const char *arguments;   /* "X [Y]" or "": positional arguments as shown in the usage line, which says how many: those in
                              brackets may be missing, and after "..." there may be any number */
  const char *description; /* paragraphs, wrapped by the printer */
  const char *examples;    /* one command a line; shown in --help and the man page */
} command_spec;

/* Parses argv[1..argc) against the command's own `options` and the common ones. Prints help on stdout for --help. Returns -1 to
 * go on, else the exit code to return. Unknown options, malformed values and a wrong number of arguments are errors that name the
 * option; "--" ends the options; numbers such as -0.5 are arguments, not options; --name=value works. */
int args_parse(const command_spec *command, const option_spec *options, common_options *common, int argc, char **argv);

/* A command with sub-commands hands over to the one named by argv[1], and prints the list of them for --help. `group` is what
 * stands before the name on the command line: "" for the command itself, "geometry" for `geodisk geometry NAME`. The table ends
 * with an entry whose name is NULL. Returns the exit code; an unknown name is an error that suggests the nearest one. */
typedef struct command_entry {
  const char *name;
  const char *summary;
  int (*run)(int argc, char **argv); /* argv[0] is the name */
} command_entry;
int args_dispatch(const char *group, const char *summary, const command_entry *table, int argc, char **argv);

/* Help on stdout, and a man page (mdoc) on stdout; args_parse and args_dispatch print them for --help and --man. */
void args_print_help(const command_spec *command, const option_spec *options);
void args_print_man(const command_spec *command, const option_spec *options);
void args_print_group_help(const char *group, const char *summary, const command_entry *table);
void args_print_group_man(const char *group, const char *summary, const command_entry *table);

/* Completion for a shell (0, 1, 2; -1: none of these) on stdout: of one command, and of a group with all below it. */
int completion_shell(const char *name);
void args_print_completion(const command_spec *command, const option_spec *options, int shell);
int args_print_group_completion(const char *group, const command_entry *table, int shell);

/* Whether a stream is a terminal that shall have colours: NO_COLOR (https://no-color.org) is not set, TERM not "dumb". */
bool cli_coloured(int fd);

extern const option_spec args_common[]; /* what every sub-command has; targets are NULL */

/* The one of n names that looks most like `word`, or NULL when none is near. */
const char *args_nearest(const char *word, const char *const *names, int n);

/* Prints "geodisk: error: ..." on stderr and returns EXIT_FAILED / EXIT_USAGE. */
int cli_error(const char *format, ...) GEODISK_PRINTF(1, 2);

/* The library's messages name its fields, `max_edges`; the command calls them by its options, --max-edges. Returns out. */
char *cli_translate(const char *text, char *out, size_t room);
int cli_usage_error(const command_spec *command, const char *format, ...) GEODISK_PRINTF(2, 3);

/* Whether an output (NULL: none) is one of the command's inputs, which it would overwrite: -1 if not, else a usage error that
 * names both. Only files that exist can be. */
int cli_check_inputs(const command_spec *command, const char *option, const char *output, const char *const *inputs, int n);

/* A context for the command: threads as asked for, log messages on stderr unless quiet, a progress bar on stderr (a terminal) or
 * plain lines (otherwise) for tasks of more than a second, Ctrl-C, SIGTERM and SIGHUP make the running task stop
 * (cli_interrupted() is then true, and the exit code 128 and the signal's number: 130, 143, 129). Where there can be none, the
 * command ends with an error; or gets NULL when it has been told, if it has something to give back. */
geodisk_context *cli_context(const common_options *common);
geodisk_context *cli_context_or_null(const common_options *common);
void cli_listen(void); /* from now on, for those who have no context yet but something to give back */
bool cli_interrupted(void);
int cli_interrupted_code(void);
void cli_interrupt(void); /* as if by Ctrl-C; safe in a signal handler */

/* Reports a failed library call: prints the context's error text; returns EXIT_FAILED, or that of an interrupted command. */
int cli_failed(const geodisk_context *context, geodisk_status status);

/* The end of a command that has printed what it found, or failed: cli_finish or cli_failed; destroys the context. */
int cli_end(geodisk_context *context, geodisk_status status);

/* The shortest decimal that reads back as the same number ("0.1", "1e-300", "nan", "inf"), into buffer (at least
 * GEODISK_NUMBER_BYTES); returns buffer. */
const char *shortest_double(double value, char *buffer);
const char *shortest_float(float value, char *buffer);

/* Text from a file on a terminal, and a name in a row of a table: escaped (geodisk_escape), in a row so that it can be
 * had back. */
void put_text(FILE *stream, const char *text);
void put_name(FILE *stream, const char *name);
/* A text in which there are such; a line of it. */
void put_arguments(FILE *stream, const char *format, va_list arguments) GEODISK_PRINTF(2, 0);
void put_said(FILE *stream, const char *format, ...) GEODISK_PRINTF(2, 3);

/* A JSON string with quotes and escapes (bytes that are not UTF-8 become U+FFFD), and a number (null when it is not finite), on
 * stdout. */
void json_string(const char *text);
void json_number(double value);

/* A text with holes as it is on stdout, and in them: %n a number as above, %w a double as a whole number, %j a JSON string (null
 * for NULL), %s a text, %b a bool, %d an int, %z a size_t, %u a uint64_t. */
void json_format(const char *format, ...);

/* Figures on stdout: lines of a key, a tab and a value of six digits, or with --json one object. */
typedef struct cli_figures {
  bool json, begun;
} cli_figures;
void figures_key(cli_figures *f, const char *key); /* what is printed next is its value, and in lines the end of the line */
void figures_count(cli_figures *f, const char *key, uint64_t value);
void figures_number(cli_figures *f, const char *key, double value);
void figures_end(const cli_figures *f);

/* Whether `text` is a finite decimal or hex number and nothing else; locale-independent. */
bool parse_number(const char *text, double *out);

/* Reads a line as getline does, but no more than CLI_LINE_MAX bytes of it: a longer one, which may have no end, comes with a
 * length above that and is the last. */
enum { CLI_LINE_MAX = 1 << 24 };
ssize_t cli_read_line(FILE *file, char **line, size_t *room);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* stdout flushed and checked: EXIT_OK, or EXIT_FAILED with a message (a full disk, a closed pipe). Every command ends with it. */
int cli_finish(void);

/* Each sub-command: argv[0] is its name. */
int cmd_barycenter(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_geometry(int argc, char **argv);
int cmd_graph(int argc, char **argv);
int cmd_place(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_query(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_view(int argc, char **argv);
int cmd_bench(int argc, char **argv);
