/* header.c - is the first line of a table a header? Both its words must occur nowhere else in the two columns, and the rest must
 * look like data that it does not belong to: numbers below words, names that hang together where the first line hangs on nothing,
 * or names of another shape. */
#include "plan.h"
#include "store.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of the rest, a share this large of numbers in a column makes it one of numbers. */
static const double mostly = 0.9;
/* A first line that hangs on nothing is a header where at most this share of the others hangs on nothing either (by Laplace's
 * rule of succession, so that two lines are enough and one is not). Tables mostly have headers, lists separated by blanks seldom.
 */
static const double few_alone = 0.6, few_alone_blanks = 0.25;
/* With fewer lines than this, the words must look like words: 'a b' is no header of three lines of letters. */
enum { MANY_ROWS = 8 };

/* ---- words ------------------------------------------------------------------------------------------------------------ */

static bool whole_number(const field *f) {
  size_t i = f->length > 0 && (f->text[0] == '-' || f->text[0] == '+');
  if (i == f->length)
    return false;
  for (; i < f->length; i++)
    if (f->text[i] < '0' || f->text[i] > '9')
      return false;
  return true;
}

static bool any_number(const field *f) {
  double value;
  return geodisk_parse_double(f->text, f->length, &value);
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
    {"name", "manager", false},
    {"name", "boss", false},
    {"employee", "manager", false},
    {"name", "reportsto", false},
    {"employee", "reportsto", false},
    {"employeeid", "managerid", false},
    {"manager", "employee", true},
    {"employee", "supervisor", false},
    {"id", "managerid", false},
    {"parentid", "id", true},
    {"citing", "cited", false},
    {"cited", "citing", true},
    {"package", "depends", false},
    {"class", "superclass", false},
};

/* Words for what stands in a column, whatever it is about. */
static const char *const column_words[] = {"id",    "key",    "label",  "name",   "title",    "code",       "node",
                                           "child", "parent", "source", "target", "ancestor", "descendant", "category"};

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

bool words_of_header(const field *first, const field *second, bool *parent_first) {
  for (size_t i = 0; i < sizeof header_words / sizeof header_words[0]; i++)
    if (word_is(first, header_words[i].first) && word_is(second, header_words[i].second)) {
      *parent_first = header_words[i].parent_first;
      return true;
    }
  return false;
}

/* The next word of a field from *at on, by blanks, punctuation and capitals within ("managerName"); false at its end. */
static bool next_word(const field *f, size_t *at, field *word) {
  const char *t = f->text;
  while (*at < f->length && !isalnum((unsigned char)t[*at]) && (unsigned char)t[*at] < 0x80)
    ++*at;
  const size_t start = *at;
  while (*at < f->length && (isalnum((unsigned char)t[*at]) || (unsigned char)t[*at] >= 0x80) &&
         !(*at > start && isupper((unsigned char)t[*at]) && islower((unsigned char)t[*at - 1])))
    ++*at;
  *word = (field){f->text + start, *at - start, false};
  return word->length > 0;
}

static bool same_word(const field *a, const field *b) {
  if (a->length != b->length)
    return false;
  for (size_t i = 0; i < a->length; i++)
    if (tolower((unsigned char)a->text[i]) != tolower((unsigned char)b->text[i]))
      return false;
  return true;
}

/* Whether two fields have a word in common: "Employee Name", "Manager Name". */
static bool share_word(const field *a, const field *b) {
  field first, second;
  for (size_t i = 0; next_word(a, &i, &first);)
    for (size_t j = 0; next_word(b, &j, &second);)
      if (first.length > 1 && same_word(&first, &second))
        return true;
  return false;
}

bool words_belong_together(const field *child, const field *parent) {
  bool parent_first;
  return share_word(child, parent) || words_of_header(child, parent, &parent_first);
}

/* Whether the last word of a field is one for columns: "parent_id", "Taxon name". */
static bool ends_in_column_word(const field *f) {
  field word, last = {NULL, 0, false};
  for (size_t i = 0; next_word(f, &i, &word);)
    last = word;
  for (size_t k = 0; k < sizeof column_words / sizeof column_words[0]; k++)
    if (last.length > 0 && word_is(&last, column_words[k]))
      return true;
  return false;
}

/* At least three letters, and nothing but letters, blanks and what joins words. */
static bool wordy(const field *f) {
  size_t letters = 0;
  for (size_t i = 0; i < f->length; i++) {
    const unsigned char c = (unsigned char)f->text[i];
    if (!(isalpha(c) || c >= 0x80 || strchr(" _-./()#", c) != NULL))
      return false;
    letters += isalpha(c) || c >= 0x80;
  }
  return letters >= 3;
}

typedef enum shape { SHAPE_LOWER, SHAPE_TITLE, SHAPE_UPPER, SHAPE_MIXED } shape;

/* How a name is written: in small letters, each word with a capital, all capitals, or with digits and whatever else. */
static shape shape_of(const field *f) {
  field word;
  bool lower = true, title = true, upper = true;
  for (size_t i = 0; i < f->length; i++)
    if (isdigit((unsigned char)f->text[i]))
      return SHAPE_MIXED;
  for (size_t i = 0; next_word(f, &i, &word);) {
    const unsigned char first = (unsigned char)word.text[0];
    lower = lower && !isupper(first);
    title = title && (isupper(first) || first >= 0x80);
    for (size_t k = 0; k < word.length; k++)
      upper = upper && !islower((unsigned char)word.text[k]);
  }
  return lower ? SHAPE_LOWER : upper ? SHAPE_UPPER : title ? SHAPE_TITLE : SHAPE_MIXED;
}

/* Whether a field must be in quotes in a file with this separator. */
static bool field_needs_quotes(const field *f, char separator) {
  if (f->length == 0 || is_blank(f->text[0]) || is_blank(f->text[f->length - 1]) || f->text[0] == '#' || f->text[0] == '%')
    return true;
  for (size_t i = 0; i < f->length; i++)
    if (strchr("\"\r\n\t,;|", f->text[i]) != NULL || f->text[i] == separator)
      return true;
  return false;
}

/* ---- the rest --------------------------------------------------------------------------------------------------------- */

/* What the records after the first are like. */
typedef struct rest {
  size_t rows;    /* with child and parent */
  size_t alone;   /* of these: both names occur in no other */
  size_t numbers; /* both names are whole numbers */
  size_t thirds;  /* with a third field */
  size_t third_numbers;
  size_t quoted;        /* both names in quotes */
  size_t for_nothing;   /* names in quotes that need none */
  size_t same_shape[2]; /* as the first record's */
  size_t share_word;
  bool known[2]; /* the first record's names occur in it */
} rest;

static bool is_pair(const record *r) { return r->count >= 2 && r->fields[0].length > 0 && r->fields[1].length > 0; }

static void look_at_row(const record *first, const record *r, char separator, rest *out) {
  const field *f = r->fields;
  out->rows++;
  out->numbers += whole_number(&f[0]) && whole_number(&f[1]);
  out->quoted += f[0].quoted && f[1].quoted;
  out->share_word += share_word(&f[0], &f[1]);
  for (int i = 0; i < 2; i++) {
    out->same_shape[i] += shape_of(&f[i]) == shape_of(&first->fields[i]);
    out->for_nothing += f[i].quoted && !field_needs_quotes(&f[i], separator);
  }
  if (r->count > 2 && f[2].length > 0) {
    out->thirds++;
    out->third_numbers += any_number(&f[2]);
  }
}

/* Counts how often each name occurs, in either column. */
static geodisk_status count_names(const record *rows, size_t count, name_table *names, uint32_t *times) {
  for (size_t i = 1; i < count; i++)
    for (int k = 0; k < 2 && is_pair(&rows[i]); k++) {
      uint32_t id;
      bool is_new;
      const geodisk_status status = names_intern(names, rows[i].fields[k].text, rows[i].fields[k].length, &id, &is_new);
      if (status != GEODISK_OK)
        return status;
      times[id] = is_new ? 1 : times[id] + 1;
    }
  return GEODISK_OK;
}

static uint32_t times_of(const name_table *names, const uint32_t *times, const field *f) {
  uint32_t id;
  return names_lookup(names, f->text, f->length, &id) ? times[id] : 0;
}

static geodisk_status look_at_rest(const record *rows, size_t count, char separator, rest *out) {
  name_table names = {0};
  uint32_t *times = geodisk_allocate(2 * count, sizeof *times);
  geodisk_status status = times != NULL ? count_names(rows, count, &names, times) : GEODISK_ERROR_MEMORY;
  for (size_t i = 1; i < count && status == GEODISK_OK; i++) {
    const record *r = &rows[i];
    if (!is_pair(r))
      continue;
    look_at_row(&rows[0], r, separator, out);
    out->alone += times_of(&names, times, &r->fields[0]) == 1 && times_of(&names, times, &r->fields[1]) == 1;
  }
  for (int k = 0; k < 2 && status == GEODISK_OK; k++)
    out->known[k] = times_of(&names, times, &rows[0].fields[k]) > 0;
  names_free(&names);
  free(times);
  return status;
}

/* ---- the verdict ------------------------------------------------------------------------------------------------------ */

static bool nearly_all(size_t part, size_t all) { return all > 0 && (double)part >= mostly * (double)all; }

/* Words above numbers, or above a third column of numbers. */
static bool above_numbers(const record *first, const rest *r) {
  const field *f = first->fields;
  if (!whole_number(&f[0]) && !whole_number(&f[1]) && nearly_all(r->numbers, r->rows))
    return true;
  return first->count > 2 && f[2].length > 0 && !any_number(&f[2]) && nearly_all(r->third_numbers, r->thirds) &&
         2 * r->thirds >= r->rows;
}

/* Something about the two words themselves that sets them apart from the names below. */
static bool set_apart(const record *first, const rest *r) {
  const field *f = first->fields;
  const bool other_shape = r->rows > 2 && 10 * r->same_shape[0] <= r->rows && 10 * r->same_shape[1] <= r->rows;
  const bool shared = share_word(&f[0], &f[1]) && 5 * r->share_word <= r->rows;
  return other_shape || shared || ends_in_column_word(&f[0]) || ends_in_column_word(&f[1]);
}

geodisk_status find_header(const record *rows, size_t count, char separator, header_finding *out) {
  *out = (header_finding){.header = false};
  if (count < 2 || !is_pair(&rows[0]))
    return GEODISK_OK;
  const field *f = rows[0].fields;
  rest r = {.rows = 0};
  const geodisk_status status = look_at_rest(rows, count, separator, &r);
  if (status != GEODISK_OK || r.rows == 0)
    return status;
  /* Quotes say that this is data, unless all is in quotes, needed or not. */
  const bool all_quoted = r.quoted == r.rows && r.for_nothing > 0;
  if ((f[0].quoted || f[1].quoted) && !(f[0].quoted && f[1].quoted && all_quoted))
    return GEODISK_OK;
  if (words_of_header(&f[0], &f[1], &out->parent_first)) {
    out->header = true;
    return GEODISK_OK;
  }
  if (any_number(&f[0]) || any_number(&f[1]) || r.known[0] || r.known[1])
    return GEODISK_OK;
  if (above_numbers(&rows[0], &r)) {
    out->header = true;
    return GEODISK_OK;
  }
  if (r.rows < 2 || (share_word(&f[0], &f[1]) && 2 * r.share_word >= r.rows)) /* "Homo sapiens", "Homo": as in the rest */
    return GEODISK_OK;
  const double alone = ((double)r.alone + 1) / ((double)r.rows + 2);
  const bool words = wordy(&f[0]) && wordy(&f[1]);
  if (alone <= few_alone_blanks)
    out->guessed = r.rows >= MANY_ROWS || words;
  else if (separator != ' ' && alone <= few_alone)
    out->guessed = words;
  out->guessed = out->guessed || set_apart(&rows[0], &r);
  out->header = out->guessed;
  out->doubtful = !out->header && words;
  return GEODISK_OK;
}
