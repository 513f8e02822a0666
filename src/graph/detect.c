/* detect.c - finds out which separator an edge list has. */
#include "fields.h"

#include <string.h>

enum { SAMPLE_LINES = 100, CANDIDATES = 5 };
static const char candidates[CANDIDATES] = {'\t', ',', ';', '|', ' '}; /* in order of preference */

static int candidate_of(char c) {
  const char *found = memchr(candidates, c, CANDIDATES);
  return found != NULL ? (int)(found - candidates) : -1;
}

/* Goes over one line (more, if quotes hold line ends) and counts the candidates outside quotes; of blanks, between other text
 * only, whether there are some. A quote opens where a field could begin. Returns what follows the line. */
static const char *look_at_line(const char *p, const char *end, bool quotes, int times[CANDIDATES]) {
  bool field_start = true, text_before = false, blank_after_text = false;
  for (; p < end && *p != '\n'; p++) {
    const int which = candidate_of(*p);
    if (which >= 0 && !is_blank(*p))
      times[which]++;
    if (is_blank(*p)) {
      times[0] += *p == '\t';
      blank_after_text = text_before;
      field_start = true;
      continue;
    }
    if (*p == '\r' && p + 1 < end && p[1] == '\n')
      continue;
    times[CANDIDATES - 1] |= blank_after_text;
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

/* How often a candidate occurs in the lines that were looked at: in how many, and in how many as often as in the first. */
typedef struct occurrence {
  int lines, first, alike;
} occurrence;

/* The first that is in half of the lines; but for one after it that makes columns of all lines, which the first does not: between
 * semicolons, commas are in numbers and names. Blanks make columns of nothing. */
static char best_of(const occurrence seen[CANDIDATES], int looked, int split) {
  int best = -1;
  for (int i = 0; i < CANDIDATES; i++) {
    const bool columns = seen[i].first > 0 && seen[i].alike == looked && candidates[i] != ' ';
    if (columns && (best < 0 || seen[best].alike < looked))
      return candidates[i];
    if (best < 0 && seen[i].lines > 0 && 2 * seen[i].lines >= split)
      best = i;
  }
  return best < 0 ? 0 : candidates[best];
}

char detect_separator(const char *text, size_t size, bool quotes, skipped_lines skip) {
  const char *p = text, *const end = text + size;
  occurrence seen[CANDIDATES] = {{0}};
  int looked = 0, any = 0;
  while (p < end && looked < SAMPLE_LINES) {
    const bool marked = *p == '#' || *p == '%';
    if (marked && (skip == SKIP_MARKED || (skip == SKIP_COMMENTS && (p + 1 == end || is_blank(p[1]) || p[1] == *p)))) {
      const char *next = memchr(p, '\n', (size_t)(end - p));
      p = next != NULL ? next + 1 : end;
      continue;
    }
    int times[CANDIDATES] = {0};
    const char *start = p;
    p = look_at_line(p, end, quotes, times);
    if (p - start <= 1 || (p - start == 2 && *start == '\r')) /* blank */
      continue;
    bool split = false;
    for (int i = 0; i < CANDIDATES; i++) {
      seen[i].first = looked == 0 ? times[i] : seen[i].first;
      seen[i].alike += times[i] == seen[i].first;
      seen[i].lines += times[i] > 0;
      split = split || times[i] > 0;
    }
    looked++;
    any += split;
  }
  return best_of(seen, looked, any);
}
