/* word_pairs.c - reading files of word pairs with scores: HyperLex's, with a header, or three plain columns. */
#include "word_pairs.h"
#include "base/grow.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_FIELDS = 64, NONE = -1, LINE_MAX_BYTES = 1 << 20 };

typedef struct pair_columns {
  int first, second, score, pos;
} pair_columns;

typedef struct pair_reader {
  geodisk_context *context;
  const char *label;
  unsigned long line;
  char *text; /* the line, cut into fields */
  size_t room;
  char *fields[MOST_FIELDS];
  int n_fields;
  pair_columns columns;
} pair_reader;

/* Cuts the line at tabs, or at runs of blanks if it has none. */
static void split_line(pair_reader *r) {
  const bool tabs = strchr(r->text, '\t') != NULL;
  r->text[strcspn(r->text, "\r\n")] = 0;
  r->n_fields = 0;
  char *at = r->text;
  if (!tabs)
    at += strspn(at, " ");
  while (*at != 0 && r->n_fields < MOST_FIELDS) {
    r->fields[r->n_fields++] = at;
    at += strcspn(at, tabs ? "\t" : " ");
    if (*at != 0)
      *at++ = 0;
    if (!tabs)
      at += strspn(at, " ");
  }
}

static int find_column(const pair_reader *r, const char *name) {
  for (int i = 0; i < r->n_fields; i++)
    if (strcasecmp(r->fields[i], name) == 0)
      return i;
  return NONE;
}

static bool is_number(const char *text) {
  double value;
  return geodisk_parse_double(text, strlen(text), &value);
}

/* The first line: a header, or already a pair (then true). */
static geodisk_status read_header(pair_reader *r, bool *is_pair) {
  r->columns = (pair_columns){0, 1, 2, NONE};
  *is_pair = r->n_fields >= 3 && is_number(r->fields[2]);
  if (*is_pair)
    return GEODISK_OK;
  r->columns =
      (pair_columns){find_column(r, "WORD1"), find_column(r, "WORD2"), find_column(r, "AVG_SCORE"), find_column(r, "POS")};
  if (r->columns.score == NONE)
    r->columns.score = find_column(r, "SCORE");
  if (r->columns.first == NONE || r->columns.second == NONE || r->columns.score == NONE)
    return geodisk_fail(r->context, GEODISK_ERROR_FORMAT,
                        "%s: line %lu: neither two words and a score, nor a header with WORD1, WORD2 and AVG_SCORE", r->label,
                        r->line);
  return GEODISK_OK;
}

static geodisk_status add_pair(pair_reader *r, char pos, word_pairs *out, size_t *room) {
  const pair_columns *c = &r->columns;
  const int last = c->first > c->second ? c->first : c->second, needed = (last > c->score ? last : c->score) + 1;
  if (r->n_fields < needed)
    return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %lu: %d fields, expected %d at least", r->label, r->line,
                        r->n_fields, needed);
  word_pair pair = {0};
  const char *score = r->fields[c->score], *first = r->fields[c->first], *second = r->fields[c->second];
  if (!geodisk_parse_double(score, strlen(score), &pair.score))
    return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %lu: the score '%.40s' is not a number", r->label, r->line,
                        score);
  if (pos != 0 && c->pos != NONE && c->pos < r->n_fields &&
      tolower((unsigned char)r->fields[c->pos][0]) != tolower((unsigned char)pos)) {
    out->filtered++;
    return GEODISK_OK;
  }
  if (!array_grow(&out->pairs, out->n, 1, room, sizeof *out->pairs))
    return geodisk_no_memory(r->context, "for %zu pairs of words", out->n);
  const size_t first_size = strlen(first) + 1, second_size = strlen(second) + 1;
  pair.first = geodisk_allocate(first_size + second_size, 1);
  if (pair.first == NULL)
    return geodisk_no_memory(r->context, "for %zu pairs of words", out->n);
  pair.second = pair.first + first_size;
  memcpy(pair.first, first, first_size);
  memcpy(pair.second, second, second_size);
  out->pairs[out->n++] = pair;
  return GEODISK_OK;
}

/* Reads a line into the reader's text; *length 0 at the end of the file. */
static geodisk_status next_line(pair_reader *r, FILE *file, size_t *length) {
  size_t n = 0;
  int c = EOF;
  r->line++;
  do {
    if (!array_grow(&r->text, n, 2, &r->room, 1))
      return geodisk_no_memory(r->context, "for line %lu of %s", r->line, r->label);
    if ((c = getc(file)) != EOF)
      r->text[n++] = (char)c;
    if (n > LINE_MAX_BYTES)
      return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %lu is longer than %d bytes", r->label, r->line,
                          LINE_MAX_BYTES);
  } while (c != EOF && c != '\n');
  r->text[n] = 0;
  *length = n;
  return GEODISK_OK;
}

static geodisk_status read_lines(pair_reader *r, FILE *file, char pos, word_pairs *out) {
  size_t room = 0;
  bool started = false;
  for (;;) {
    size_t length = 0;
    geodisk_status st = next_line(r, file, &length);
    if (st != GEODISK_OK)
      return st;
    if (length == 0)
      break;
    if (strlen(r->text) != length)
      return geodisk_fail(r->context, GEODISK_ERROR_FORMAT, "%s: line %lu: a NUL byte", r->label, r->line);
    split_line(r);
    if (r->n_fields == 0)
      continue;
    bool is_pair = true;
    st = started ? GEODISK_OK : read_header(r, &is_pair);
    started = true;
    if (st == GEODISK_OK && is_pair)
      st = add_pair(r, pos, out, &room);
    if (st != GEODISK_OK)
      return st;
  }
  if (ferror(file))
    return geodisk_fail(r->context, GEODISK_ERROR_IO, "%s: %s", r->label, strerror(errno));
  return GEODISK_OK;
}

geodisk_status word_pairs_read(geodisk_context *context, const char *path, char pos, word_pairs *out) {
  const bool standard = strcmp(path, "-") == 0;
  FILE *file = standard ? stdin : fopen(path, "r");
  pair_reader reader = {.context = context, .label = standard ? "standard input" : path};
  word_pairs pairs = {0};
  if (file == NULL)
    return geodisk_fail(context, GEODISK_ERROR_IO, "%s: %s", path, strerror(errno));
  const geodisk_status st = read_lines(&reader, file, pos, &pairs);
  free(reader.text);
  if (!standard)
    fclose(file);
  if (st == GEODISK_OK)
    *out = pairs;
  else
    word_pairs_destroy(&pairs);
  return st;
}

void word_pairs_destroy(word_pairs *pairs) {
  for (size_t i = 0; i < pairs->n; i++)
    free(pairs->pairs[i].first);
  free(pairs->pairs);
  *pairs = (word_pairs){0};
}
