/* detect.c - finds out which separator an edge list has. */
#include "fields.h"

#include <string.h>

enum { SAMPLE_LINES = 100, CANDIDATES = 5 };
static const char candidates[CANDIDATES] = {'\t', ',', ';', '|', ' '}; /* in order of preference */

static int candidate_of(char c) {
  const char *found = memchr(candidates, c, CANDIDATES);
  return found != NULL ? (int)(found - candidates) : -1;
}

/* Goes over one line (more, if quotes hold line ends) and notes which candidates occur outside quotes; blanks count between
 * other text only. A quote opens where a field could begin. Returns what follows the line. */
static const char *look_at_line(const char *p, const char *end, bool quotes, bool present[CANDIDATES]) {
  bool field_start = true, text_before = false, blank_after_text = false;
  for (; p < end && *p != '\n'; p++) {
    const int which = candidate_of(*p);
    if (which >= 0 && !is_blank(*p))
      present[which] = true;
    if (is_blank(*p)) {
      present[0] = present[0] || *p == '\t';
      blank_after_text = text_before;
      field_start = true;
      continue;
    }
    if (*p == '\r' && p + 1 < end && p[1] == '\n')
      continue;
    present[CANDIDATES - 1] = present[CANDIDATES - 1] || blank_after_text;
    text_before = true;
    if (quotes && field_start && *p == '"') {
      for (p++; p < end && (*p != '"' || (p + 1 < end && p[1] == '"')); p++)
        p += *p == '"';
      if (p >= end)
        return end;
    }
    field_start = which >= 0;
  }
  return p < end ? p + 1 : end;
}

char detect_separator(const char *text, size_t size, bool quotes, skipped_lines skip) {
  const char *p = text, *const end = text + size;
  int lines[CANDIDATES] = {0}, any = 0;
  for (int looked = 0; p < end && looked < SAMPLE_LINES;) {
    const bool marked = *p == '#' || *p == '%';
    if (marked && (skip == SKIP_MARKED || (skip == SKIP_COMMENTS && (p + 1 == end || is_blank(p[1]) || p[1] == *p)))) {
      const char *next = memchr(p, '\n', (size_t)(end - p));
      p = next != NULL ? next + 1 : end;
      continue;
    }
    bool present[CANDIDATES] = {false};
    const char *start = p;
    p = look_at_line(p, end, quotes, present);
    looked += p - start > 1;
    bool split = false;
    for (int i = 0; i < CANDIDATES; i++) {
      lines[i] += present[i];
      split = split || present[i];
    }
    any += split;
  }
  for (int i = 0; i < CANDIDATES; i++)
    if (lines[i] > 0 && 2 * lines[i] >= any)
      return candidates[i];
  return 0;
}
