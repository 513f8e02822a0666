/* completion.c - what bash, zsh and fish complete, from the same tables as --help. Each command prints what may stand after it;
 * the command itself puts the shell's own code around all of it. */
#include "args.h"

#include <stdio.h>
#include <string.h>

enum { BASH, ZSH, FISH };

static const char *const shells[] = {"bash", "zsh", "fish"};

int completion_shell(const char *name) {
  for (int i = 0; i < 3; i++)
    if (strcmp(name, shells[i]) == 0)
      return i;
  return -1;
}

/* ---- texts in single quotes -------------------------------------------------------------------------------------------- */

/* The first sentence of a help text, which must not end the quotes. zsh divides word and text by a colon. */
static void put_help(int shell, const char *text) {
  for (const char *p = text; *p != 0 && *p != '\n' && !(p[0] == ';' && p[1] == ' '); p++) {
    if (*p == '\'')
      fputs(shell == FISH ? "\\'" : "'\\''", stdout);
    else if (*p == ':' && shell == ZSH)
      fputs("\\:", stdout);
    else if (*p == '\\')
      fputs("\\\\", stdout);
    else
      putchar(*p);
  }
}

/* ---- one option -------------------------------------------------------------------------------------------------------- */

/* "a|b|c" as "a b c". */
static void put_choices(const char *choices) {
  for (; *choices != 0; choices++)
    putchar(*choices == '|' ? ' ' : *choices);
}

/* Whether a value is a file: what its word in --help says. */
static bool wants_file(const option_spec *o) {
  static const char *const words[] = {"FILE", "MODEL", "GRAPH", "DIR", "PREFIX"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (o->kind == OPTION_STRING && strncmp(o->value, words[i], strlen(words[i])) == 0)
      return true;
  return false;
}

/* The words that may follow an option: a case of its own, in bash and zsh. */
static void put_values(int shell, const char *command, const option_spec *o) {
  if (o->kind == OPTION_FLAG)
    return;
  printf("  '%s --%s'", command, o->name);
  if (o->letter != 0)
    printf(" | '%s -%c'", command, o->letter);
  fputs(shell == BASH ? ") echo '" : ") reply=(", stdout);
  if (o->kind == OPTION_CHOICE)
    put_choices(o->value);
  else
    fputs(wants_file(o) ? "@files" : "@nothing", stdout);
  puts(shell == BASH ? "' ;;" : ") ;;");
}

static void put_fish_option(const char *command, const option_spec *o) {
  printf("complete -c geodisk -n '__geodisk_at \"%s\"' -l %s", command, o->name);
  if (o->letter != 0)
    printf(" -s %c", o->letter);
  if (o->kind == OPTION_CHOICE) {
    fputs(" -x -a '", stdout);
    put_choices(o->value);
    putchar('\'');
  } else if (o->kind != OPTION_FLAG) {
    fputs(wants_file(o) ? " -r -F" : " -x", stdout);
  }
  fputs(" -d '", stdout);
  put_help(FISH, o->help);
  puts("'");
}

/* ---- commands ----------------------------------------------------------------------------------------------------------- */

void args_print_completion(const command_spec *command, const option_spec *options, int shell) {
  const option_spec *const tables[] = {options, args_common};
  if (shell == FISH) {
    for (int t = 0; t < 2; t++)
      for (const option_spec *o = tables[t]; o->name != NULL; o++)
        put_fish_option(command->name, o);
    return;
  }
  printf(shell == BASH ? "  '%s') echo '" : "  '%s') reply=(", command->name);
  for (int t = 0; t < 2; t++)
    for (const option_spec *o = tables[t]; o->name != NULL; o++) {
      if (shell == BASH) {
        printf("--%s ", o->name);
        continue;
      }
      printf("'--%s:", o->name);
      put_help(ZSH, o->help);
      fputs("' ", stdout);
    }
  puts(shell == BASH ? "' ;;" : ") ;;");
  for (int t = 0; t < 2; t++)
    for (const option_spec *o = tables[t]; o->name != NULL; o++)
      put_values(shell, command->name, o);
}

static void put_group(const char *group, const command_entry *table, int shell) {
  if (shell != FISH)
    printf(shell == BASH ? "  '%s') echo '" : "  '%s') reply=(", group);
  for (const command_entry *entry = table; entry->name != NULL; entry++) {
    if (shell == BASH) {
      printf("%s ", entry->name);
      continue;
    }
    if (shell == ZSH)
      printf("'%s:", entry->name);
    else
      printf("complete -c geodisk -f -n '__geodisk_at \"%s\"' -a %s -d '", group, entry->name);
    put_help(shell, entry->summary);
    fputs(shell == ZSH ? "' " : "'\n", stdout);
  }
  if (shell != FISH)
    puts(shell == BASH ? "--help ' ;;" : "'--help:print a list of them') ;;");
}

/* What the shell runs: it finds the command that the words so far name, and asks the table. */
static const char *const before[] = {
    "# bash completion for geodisk; made by `geodisk completion bash` from the tables of its options.\n"
    "_geodisk_words() {\n"
    "  case $1 in\n",
    "#compdef geodisk\n"
    "# zsh completion for geodisk; made by `geodisk completion zsh` from the tables of its options.\n"
    "_geodisk_words() {\n"
    "  reply=()\n"
    "  case $1 in\n",
    "# fish completion for geodisk; made by `geodisk completion fish` from the tables of its options.\n"
    "function __geodisk_at --argument-names path\n"
    "  set -l here\n"
    "  for word in (commandline -opc)[2..-1]\n"
    "    string match -q -- '-*' $word; and break\n"
    "    set -l longer (string trim -- \"$here $word\")\n"
    "    contains -- \"$longer\" $__geodisk_commands; or break\n"
    "    set here $longer\n"
    "  end\n"
    "  test \"$here\" = \"$path\"\n"
    "end\n",
};

static const char *const after[] = {
    "  esac\n"
    "}\n"
    "_geodisk() {\n"
    "  local path= longer words word current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
    "    longer=${path:+$path }$word\n"
    "    [[ $word != -* && -n $(_geodisk_words \"$longer\") ]] || break\n"
    "    path=$longer\n"
    "  done\n"
    "  words=\n"
    "  [[ $previous == -* ]] && words=$(_geodisk_words \"$path $previous\")\n"
    "  if [[ $words == @nothing ]]; then\n"
    "    COMPREPLY=()\n"
    "    return\n"
    "  fi\n"
    "  [[ -n $words ]] || words=$(_geodisk_words \"$path\")\n"
    "  if [[ $words == @files || ( $words == --* && $current != -* ) ]]; then\n"
    "    compopt -o default 2>/dev/null\n"
    "    COMPREPLY=()\n"
    "    return\n"
    "  fi\n"
    "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
    "}\n"
    "complete -F _geodisk geodisk\n",
    "  esac\n"
    "}\n"
    "_geodisk() {\n"
    "  local path= longer word previous=${words[CURRENT-1]}\n"
    "  local -a reply\n"
    "  for word in ${words[2,CURRENT-1]}; do\n"
    "    [[ $word != -* ]] || break\n"
    "    longer=${path:+$path }$word\n"
    "    _geodisk_words $longer\n"
    "    (( ${#reply} )) || break\n"
    "    path=$longer\n"
    "  done\n"
    "  reply=()\n"
    "  [[ $previous == -* ]] && _geodisk_words \"$path $previous\"\n"
    "  if (( ! ${#reply} )); then\n"
    "    _geodisk_words \"$path\"\n"
    "    if [[ $reply[1] == --* && ${words[CURRENT]} != -* ]]; then\n"
    "      _files\n"
    "    else\n"
    "      _describe 'geodisk' reply\n"
    "    fi\n"
    "  elif [[ $reply[1] == @files ]]; then\n"
    "    _files\n"
    "  elif [[ $reply[1] != @nothing ]]; then\n"
    "    compadd -- $reply\n"
    "  fi\n"
    "}\n"
    "if [[ $funcstack[1] == _geodisk ]]; then\n"
    "  _geodisk \"$@\"\n"
    "else\n"
    "  compdef _geodisk geodisk\n"
    "fi\n",
    "",
};

/* Every command of a table and below, by way of the hidden option that each understands. */
static int put_members(const command_entry *table, int shell) {
  for (const command_entry *entry = table; entry->name != NULL; entry++) {
    char name[64], option[] = "--completion", value[8];
    snprintf(name, sizeof name, "%s", entry->name);
    snprintf(value, sizeof value, "%s", shells[shell]);
    char *argv[] = {name, option, value, NULL};
    const int code = entry->run(3, argv);
    if (code != EXIT_OK)
      return code;
  }
  return EXIT_OK;
}

int args_print_group_completion(const char *group, const command_entry *table, int shell) {
  const bool all = *group == 0;
  if (all)
    fputs(before[shell], stdout);
  if (all && shell == FISH)
    fputs("set -g __geodisk_commands (geodisk --commands)\n", stdout);
  put_group(group, table, shell);
  int code = put_members(table, shell);
  if (all)
    fputs(after[shell], stdout);
  return code != EXIT_OK ? code : cli_finish();
}
