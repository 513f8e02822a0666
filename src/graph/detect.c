/* detect.c - finds out how an edge list is written: its separator, and whether it begins with a header. */
#include "fields.h"

#include <ctype.h>
#include <string.h>

/* ---- separator -------------------------------------------------------------------------------------------------------- */

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

char detect_separator(const char *text, size_t size, bool quotes, bool comments) {
  const char *p = text, *const end = text + size;
  int lines[CANDIDATES] = {0}, any = 0;
  for (int looked = 0; p < end && looked < SAMPLE_LINES;) {
    if (comments && (*p == '#' || *p == '%')) {
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

/* ---- header ----------------------------------------------------------------------------------------------------------- */

static bool whole_number(const field *f) {
  size_t i = f->length > 0 && (f->text[0] == '-' || f->text[0] == '+');
  if (i == f->length)
    return false;
  for (; i < f->length; i++)
    if (f->text[i] < '0' || f->text[i] > '9')
      return false;
  return true;
}

/* Pairs of words that people put over their columns, lower case, without blanks and punctuation. */
static const struct {
  const char *first, *second;
  bool parent_first;
} header_words[] = {
    {"child", "parent", false},
    {"parent", "child", true},
    {"childid", "parentid", false},
    {"parentid", "childid", true},
    {"hyponym", "hypernym", false},
    {"hypernym", "hyponym", true},
    {"source", "target", false},
    {"sourceid", "targetid", false},
    {"from", "to", false},
    {"src", "dst", false},
    {"id1", "id2", false},
    {"node1", "node2", false},
    {"nodea", "nodeb", false},
    {"head", "tail", false},
    {"subject", "object", false},
    {"start", "end", false},
    {"fromnodeid", "tonodeid", false},
    {"id", "parent", false},
    {"id", "parentid", false},
    {"name", "parent", false},
    {"term", "parent", false},
    {"descendant", "ancestor", false},
    {"ancestor", "descendant", true},
};

static bool word_is(const field *f, const char *word) {
  for (size_t i = 0; i < f->length; i++) {
    const unsigned char c = (unsigned char)f->text[i];
    if (c >= 0x80 || isalnum(c)) {
      const char lower = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
      if (*word++ != lower)
        return false;
    }
  }
  return *word == 0;
}

bool looks_like_header(const record *first, const record *second, bool weights, bool *parent_first) {
  *parent_first = false;
  if (first->count < 2 || second->count < 2)
    return false;
  const field *a = first->fields, *b = second->fields;
  if (a[0].quoted || a[1].quoted || (first->count > 2 && a[2].quoted))
    return false;
  for (size_t i = 0; i < sizeof header_words / sizeof header_words[0]; i++)
    if (word_is(&a[0], header_words[i].first) && word_is(&a[1], header_words[i].second)) {
      *parent_first = header_words[i].parent_first;
      return true;
    }
  double value;
  if (weights && first->count > 2 && second->count > 2 && !geodisk_parse_double(a[2].text, a[2].length, &value) &&
      geodisk_parse_double(b[2].text, b[2].length, &value) && a[2].length > 0)
    return true;
  return a[0].length > 0 && a[1].length > 0 && !whole_number(&a[0]) && !whole_number(&a[1]) && whole_number(&b[0]) &&
         whole_number(&b[1]);
}
