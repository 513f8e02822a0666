/* fields.h - the grammar of an edge list: how a line splits into fields, which separator a file uses. Shared by the reader and
 * the writer. Internal to the graph module. */
#pragma once

#include "geodisk/base.h"

typedef struct field {
  char *text;
  size_t length;
  bool quoted; /* was in quotes, which are undone */
} field;

/* Child, parent, weight, and one more to know that there is more. */
enum { FIELDS = 4 };

typedef struct record {
  field fields[FIELDS];
  int count; /* at most FIELDS */
} record;

/* Splits a line without quotes into at most `room` fields; returns how many. */
int split_plain(char *line, size_t length, char separator, field *out, int room);

/* Where a scan for quotes stands; all zero at the start of a record. */
typedef struct quote_scan {
  size_t at; /* the next byte to look at */
  enum { SCAN_FIELD_START, SCAN_PLAIN, SCAN_QUOTED, SCAN_AFTER_QUOTE } state;
} quote_scan;

/* Goes on to the end of the line; true if a quote is still open there, so that the record goes on with the next line. */
bool scan_quotes(quote_scan *scan, const char *line, size_t length, char separator);

/* Splits a complete record with quotes, undoing them in place. Returns 0, or the number of the first field with text after its
 * closing quote, which is then in out[0]. */
int split_quoted(char *line, size_t length, char separator, field *out, int room, int *count);

/* The separator of a text, from up to 100 of its lines: tab, comma, semicolon, bar, or ' ' for blanks; 0 if no line has any.
 * Lines that are left out: none, those with '#' or '%' before a blank, all that begin with them. */
typedef enum skipped_lines { SKIP_NOTHING, SKIP_COMMENTS, SKIP_MARKED } skipped_lines;
char detect_separator(const char *text, size_t size, bool quotes, skipped_lines skip);

static inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
