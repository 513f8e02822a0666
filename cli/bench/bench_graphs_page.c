/* bench_graphs_page.c - the tables of `geodisk bench graphs` in a document: what is measured replaces the same graphs' rows in
 * the same dimensions, and what was measured before stays, below the line that says when and by which command. Tables of the same
 * day, machine, commit and options become one. */
#define _DEFAULT_SOURCE 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "bench_graphs.h"

static const char begin[] = "<!-- bench graphs: begin -->\n", end[] = "<!-- bench graphs: end -->";
static const char stamp[] = "Measured ", words[] = "`geodisk bench graphs", row_start[] = "| ";
enum { HEAD_LINES = 2 }; /* of a table */

/* ---- lines ---- */

static bool begins_with(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static const char *line_after(const char *line) {
  const char *at = strchr(line, '\n');
  return at != NULL ? at + 1 : line + strlen(line);
}

static void put_line(FILE *out, const char *line) { fwrite(line, 1, (size_t)(line_after(line) - line), out); }

/* Cell 0, 1 ... of a row, as it stands between its bars. */
static const char *cell_of(const char *row, int cell, size_t *length) {
  const char *at = row;
  for (int i = 0; i <= cell && at != NULL; i++)
    at = strchr(at + (i > 0), '|');
  const char *close = at != NULL ? strchr(at + 1, '|') : NULL;
  if (close == NULL)
    return NULL;
  at++;
  while (at < close && *at == ' ')
    at++;
  while (close > at && close[-1] == ' ')
    close--;
  *length = (size_t)(close - at);
  return at;
}

static bool is_head(const char *row) { return begins_with(row, "| graph |") || begins_with(row, "| ---"); }

static bool is_row(const char *line) { return begins_with(line, row_start) && !is_head(line); }

/* ---- stamps ---- */

/* Where the names of graphs in a stamp begin and end. */
static bool find_names(const char *line, const char **from, const char **to) {
  const char *at = strstr(line, words);
  if (at == NULL || at >= line_after(line))
    return false;
  at += sizeof words - 1;
  *from = at;
  while (*at == ' ' && at[1] != '-')
    at += 1 + strcspn(at + 1, " `\n");
  *to = at;
  return true;
}

static bool same_but_names(const char *a, const char *b) {
  const char *from[2], *to[2];
  if (!find_names(a, &from[0], &to[0]) || !find_names(b, &from[1], &to[1]))
    return false;
  const size_t before = (size_t)(from[0] - a), after = (size_t)(line_after(a) - to[0]);
  return before == (size_t)(from[1] - b) && after == (size_t)(line_after(b) - to[1]) && strncmp(a, b, before) == 0 &&
         strncmp(to[0], to[1], after) == 0;
}

/* The stamp of `now`, with the names of `before`, too, that it has not. */
static void put_stamp(FILE *out, const char *before, const char *now) {
  const char *from[2], *to[2];
  if (before == NULL || !find_names(before, &from[0], &to[0]) || !find_names(now, &from[1], &to[1])) {
    put_line(out, now);
    return;
  }
  fwrite(now, 1, (size_t)(from[1] - now), out);
  for (const char *at = from[0]; at < to[0];) {
    const size_t length = 1 + strcspn(at + 1, " `\n");
    bool again = false;
    for (const char *k = from[1]; k < to[1] && !again; k += 1 + strcspn(k + 1, " `\n"))
      again = length == 1 + strcspn(k + 1, " `\n") && strncmp(at, k, length) == 0;
    if (!again)
      fwrite(at, 1, length, out);
    at += length;
  }
  fwrite(from[1], 1, (size_t)(line_after(now) - from[1]), out);
}

/* ---- what stays ---- */

/* The rows of a table that are not measured anew; returns how many. A row without a name belongs to the graph above it. */
static int put_rows(FILE *out, const char *line, const char *stop, const bench_graphs_page *page) {
  const char *name = NULL, *size = NULL, *put = NULL;
  size_t name_length = 0, size_length = 0, length;
  int rows = 0;
  for (; line < stop && !begins_with(line, stamp); line = line_after(line)) {
    if (!is_row(line))
      continue;
    const char *cell = cell_of(line, 0, &length), *dim = cell_of(line, 2, &(size_t){0});
    if (cell == NULL || dim == NULL)
      continue;
    if (length > 0) {
      name = cell;
      name_length = length;
      size = cell_of(line, 1, &size_length);
    }
    if (name == NULL || page->measured(page->of, name, name_length, (int)strtol(dim, NULL, 10)))
      continue;
    rows++;
    if (out == NULL)
      continue;
    fprintf(out, "| %.*s | %.*s | ", put == name ? 0 : (int)name_length, name, (int)size_length, size);
    put_line(out, dim);
    put = name;
  }
  return rows;
}

static const char *next_stamp(const char *line, const char *stop) {
  while (line < stop && !begins_with(line, stamp))
    line = line_after(line);
  return line;
}

/* The head of a table, in its place. */
static const char *put_head(FILE *out, const char *table) {
  const char *line = line_after(table);
  for (int heads = 0; *line != 0 && heads < HEAD_LINES; line = line_after(line)) {
    heads += is_head(line);
    put_line(out, line);
  }
  return line;
}

static void put_tables(FILE *out, const char *old, const char *stop, const bench_graphs_page *page) {
  const char *same = NULL;
  for (const char *at = next_stamp(old, stop); at < stop; at = next_stamp(line_after(at), stop)) {
    if (same_but_names(at, page->table)) {
      same = at;
    } else if (put_rows(NULL, line_after(at), stop, page) > 0) {
      put_line(out, at);
      put_head(out, at); /* its own: columns may have been others */
      put_rows(out, line_after(at), stop, page);
      fputc('\n', out);
    }
  }
  if (same != NULL && put_rows(NULL, line_after(same), stop, page) == 0)
    same = NULL;
  put_stamp(out, same, page->table);
  const char *rest = put_head(out, page->table);
  if (same != NULL)
    put_rows(out, line_after(same), stop, page);
  fputs(rest, out);
}

/* Pictures of before stay in their order of graphs. */
static void put_pictures(FILE *out, const char *old, const char *stop, const bench_graphs_page *page) {
  bool any = false;
  for (int i = 0; i < BENCH_GRAPHS; i++) {
    char line[256];
    snprintf(line, sizeof line, "![%s](", bench_graph_rows[i].what);
    const char *before = strstr(old, line);
    if (page->pictured[i]) {
      fprintf(out, "%s![%s](%s/%s.png \"%s\")\n", any ? "" : "\n", bench_graph_rows[i].what, page->folder,
              bench_graph_rows[i].key, bench_graph_rows[i].what);
    } else if (before != NULL && before < stop) {
      fputs(any ? "" : "\n", out);
      put_line(out, before);
    } else {
      continue;
    }
    any = true;
  }
}

/* ---- the document ---- */

int bench_graphs_write_page(const char *path, const bench_graphs_page *page) {
  FILE *file = fopen(path, "r+");
  char *text = NULL;
  size_t room = 0;
  if (file == NULL)
    return cli_error("%s: cannot be opened: %s", path, strerror(errno));
  const ssize_t length = getdelim(&text, &room, '\0', file);
  const char *from = length > 0 ? strstr(text, begin) : NULL, *to = from != NULL ? strstr(from, end) : NULL;
  int code = EXIT_OK;
  if (to == NULL) {
    code = cli_error("%s: the marks \"bench graphs: begin\" and \"end\" are missing", path);
  } else {
    from += sizeof begin - 1;
    rewind(file);
    fwrite(text, 1, (size_t)(from - text), file);
    put_tables(file, from, to, page);
    put_pictures(file, from, to, page);
    fputs(to, file);
    if (fflush(file) != 0 || ftruncate(fileno(file), ftell(file)) != 0)
      code = cli_error("%s: cannot be written: %s", path, strerror(errno));
  }
  free(text);
  if (fclose(file) != 0 && code == EXIT_OK)
    code = cli_error("%s: could not be written", path);
  return code;
}
