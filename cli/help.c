/* help.c - prints the tables of options and commands: as --help and as manual pages (mdoc). */
#include "args.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 80, INDENT = 2, HELP_COLUMN = 26 };

#define MAN_DATE "November 15, 2026" /* of the manual pages: that of the release in CHANGELOG.md */

/* ---- --help ---------------------------------------------------------------------------------------------------------- */

/* Prints words from `column` on, continued lines from `indent` on; a newline in the text starts a new line. */
static void print_wrapped(const char *text, int column, int indent) {
  bool first = true;
  while (*text != 0) {
    const int length = (int)strcspn(text, " \n");
    if (!first && column + 1 + length > WIDTH) {
      printf("\n%*s", indent, "");
      column = indent;
    } else if (!first) {
      putchar(' ');
      column++;
    }
    printf("%.*s", length, text);
    column += length;
    first = false;
    text += length;
    if (*text == '\n') {
      printf("\n%s%*s", text[1] == '\n' ? "\n" : "", indent, "");
      text += text[1] == '\n' ? 2 : 1;
      column = indent;
      first = true;
    } else if (*text == ' ') {
      text++;
    }
  }
  putchar('\n');
}

static void print_option(const option_spec *option) {
  if (option->kind == OPTION_GONE)
    return;
  int column = printf("%*s", INDENT, "");
  if (option->letter != 0)
    column += printf("-%c, ", option->letter);
  column += printf("--%s", option->name);
  if (option->value != NULL)
    column += printf(" %s", option->value);
  if (column + 2 > HELP_COLUMN) {
    putchar('\n');
    column = 0;
  }
  printf("%*s", HELP_COLUMN - column, "");
  print_wrapped(option->help, HELP_COLUMN, HELP_COLUMN);
}

/* A word that stands above others, or begins the page. */
static void print_heading(const char *before, const char *word, const char *after) {
  const bool bold = cli_coloured(STDOUT_FILENO);
  printf("%s%s%s%s%s", before, bold ? "\033[1m" : "", word, bold ? "\033[0m" : "", after);
}

void args_print_help(const command_spec *command, const option_spec *options) {
  print_heading("", "Usage:", " ");
  printf("geodisk %s [options]%s%s\n\n", command->name, *command->arguments != 0 ? " " : "", command->arguments);
  print_wrapped(command->summary, 0, 0);
  if (command->description != NULL && *command->description != 0) {
    putchar('\n');
    print_wrapped(command->description, 0, 0);
  }
  print_heading("\n", "Options:", "\n");
  for (const option_spec *o = options; o->name != NULL; o++)
    print_option(o);
  for (const option_spec *o = args_common; o->name != NULL; o++)
    print_option(o);
  if (command->examples != NULL && *command->examples != 0) {
    print_heading("\n", "Examples:", "\n");
    printf("%*s", INDENT, "");
    for (const char *p = command->examples; *p != 0; p++) {
      putchar(*p);
      if (*p == '\n')
        printf("%*s", INDENT, "");
    }
    putchar('\n');
  }
}

void args_print_group_help(const char *group, const char *summary, const command_entry *table) {
  print_heading("", "Usage:", " ");
  printf("geodisk %s%sCOMMAND [options] [arguments]\n\n", group, *group != 0 ? " " : "");
  print_wrapped(summary, 0, 0);
  print_heading("\n", "Commands:", "\n");
  for (const command_entry *entry = table; entry->name != NULL; entry++) {
    const int column = printf("%*s%s", INDENT, "", entry->name);
    printf("%*s", column < 20 ? 20 - column : 1, "");
    print_wrapped(entry->summary, 20, 20);
  }
  printf("\n'geodisk %s%sCOMMAND --help' says more about one of them.\n", group, *group != 0 ? " " : "");
}

/* ---- manual pages ---------------------------------------------------------------------------------------------------- */

/* Text with roff's special characters escaped; newlines start new lines, an empty line a paragraph. */
static void man_text(const char *text) {
  bool line_start = true;
  for (; *text != 0; text++) {
    if (*text == '\n') {
      const bool paragraph = text[1] == '\n';
      if (!line_start) /* else a sentence has just ended the line */
        putchar('\n');
      if (paragraph)
        fputs(".Pp\n", stdout);
      text += paragraph ? 1 : 0;
      line_start = true;
      continue;
    }
    if (line_start && (*text == '.' || *text == '\''))
      fputs("\\&", stdout);
    if (*text == '\\')
      fputs("\\e", stdout);
    else
      putchar(*text);
    /* A new sentence starts a new line, as mdoc likes it. */
    line_start = *text == '.' && text[1] == ' ';
    if (line_start) {
      putchar('\n');
      text++;
    }
  }
  putchar('\n');
}

static void man_header(const char *name, const char *summary) {
  const char *dash = *name != 0 ? "-" : "";
  printf(".Dd %s\n.Dt GEODISK%s", MAN_DATE, dash);
  for (const char *p = name; *p != 0; p++)
    putchar(*p == ' ' ? '-' : toupper((unsigned char)*p));
  printf(" 1\n.Os\n.Sh NAME\n.Nm geodisk%s", dash);
  for (const char *p = name; *p != 0; p++)
    putchar(*p == ' ' ? '-' : *p);
  printf("\n.Nd %s\n.Sh SYNOPSIS\n.Nm geodisk%s%s\n", summary, *name != 0 ? " " : "", name);
}

static void man_option(const option_spec *option) {
  if (option->kind == OPTION_GONE)
    return;
  fputs(".It ", stdout);
  if (option->letter != 0)
    printf("Fl %c , ", option->letter);
  printf("Fl -%s", option->name);
  if (option->value != NULL)
    printf(" Ar \\&%s", option->value);
  putchar('\n');
  man_text(option->help);
}

static void man_exit_status(void) {
  puts(".Sh EXIT STATUS\n0 for success, 1 for a failure, 2 for a wrong command line,\n130 when interrupted.");
}

static void man_see_also(void) { puts(".Sh SEE ALSO\n.Xr geodisk 1"); }

void args_print_man(const command_spec *command, const option_spec *options) {
  man_header(command->name, command->summary);
  puts(".Op Ar options");
  if (*command->arguments != 0)
    printf(".Ar \"%s\"\n", command->arguments);
  puts(".Sh DESCRIPTION");
  man_text(command->description != NULL && *command->description != 0 ? command->description : command->summary);
  puts(".Pp\nThe options are:\n.Bl -tag -width Ds");
  for (const option_spec *o = options; o->name != NULL; o++)
    man_option(o);
  for (const option_spec *o = args_common; o->name != NULL; o++)
    man_option(o);
  puts(".El");
  man_exit_status();
  if (command->examples != NULL && *command->examples != 0) {
    puts(".Sh EXAMPLES\n.Bd -literal");
    man_text(command->examples);
    puts(".Ed");
  }
  man_see_also();
}

void args_print_group_man(const char *group, const char *summary, const command_entry *table) {
  man_header(group, summary);
  puts(".Ar command\n.Op Ar options\n.Op Ar arguments\n.Sh DESCRIPTION");
  man_text(summary);
  puts(".Pp\nThe commands, each with a page of its own, are:\n.Bl -tag -width Ds");
  for (const command_entry *entry = table; entry->name != NULL; entry++) {
    printf(".It Cm %s\n", entry->name);
    man_text(entry->summary);
  }
  puts(".El");
  man_exit_status();
  if (*group != 0)
    man_see_also();
}
