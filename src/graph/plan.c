/* plan.c - finds out how an edge list is written: which lines are comments, whether it begins with a header, which columns are
 * wanted, what the third one is. From the lines the file begins with, split as the reader will. */
#include "plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_input.h"

void sample_free(sample *s) { geodisk_free_all(s->text, s->wide, s->rows); }

/* ---- lines ------------------------------------------------------------------------------------------------------------ */

/* '#' or '%' at the start of a line, where a blank, nothing, or the same again follows: always a comment. */
static bool surely_comment(const char *line, size_t length) {
  return length > 0 && (line[0] == '#' || line[0] == '%') &&
         (length == 1 || is_blank(line[1]) || line[1] == '\r' || line[1] == line[0]);
}

bool plan_is_comment(const edge_plan *plan, const char *line, size_t length) {
  if (length == 0 || (line[0] != '#' && line[0] != '%') || !plan->comments)
    return false;
  return surely_comment(line, length) || !(line[0] == '#' ? plan->hash_names : plan->percent_names);
}

/* Where the dictionary at the end of a line begins, before the separator; `length` if there is none. */
static size_t attributes_at(const char *line, size_t length) {
  while (length > 0 && (is_blank(line[length - 1]) || line[length - 1] == '\r'))
    length--;
  if (length < 3 || line[length - 1] != '}')
    return length;
  for (size_t i = 1; i + 1 < length; i++)
    if (line[i] == '{' && strchr("\t,;| ", line[i - 1]) != NULL && strchr("}'\"", line[i + 1]) != NULL)
      return i;
  return length;
}

static size_t line_length(const char *p, const char *end) {
  const char *stop = memchr(p, '\n', (size_t)(end - p));
  return (size_t)((stop != NULL ? stop : end) - p);
}

/* Whether most lines end in a dictionary. */
static bool has_attributes(const char *text, size_t size) {
  const char *end = text + size;
  size_t lines = 0, with = 0;
  for (const char *p = text; p < end && lines < 100;) {
    const size_t length = line_length(p, end);
    if (length > 0 && !surely_comment(p, length)) {
      lines++;
      with += memchr(p, '{', length) != NULL && attributes_at(p, length) < length;
    }
    p += length + 1;
  }
  return 2 * with > lines;
}

/* Blanks in the place of dictionaries, so that what is in them separates nothing. */
static void blank_attributes(char *text, size_t size) {
  char *end = text + size;
  for (char *p = text; p < end;) {
    const size_t length = line_length(p, end), at = attributes_at(p, length);
    memset(p + at, ' ', length - at);
    p += length + 1;
  }
}

/* ---- records ---------------------------------------------------------------------------------------------------------- */

/* The weight in a Python dictionary: what follows the key 'weight', if that is there. */
static field weight_of(char *text, size_t length) {
  int depth = 0;
  for (size_t i = 0; i < length; i++) {
    const char c = text[i];
    depth += (c == '{' || c == '[' || c == '(') - (c == '}' || c == ']' || c == ')');
    if (c != '\'' && c != '"')
      continue;
    size_t close = i + 1;
    while (close < length && text[close] != c)
      close += text[close] == '\\' ? 2 : 1;
    const bool key = depth == 1 && close - i == 7 && memcmp(text + i + 1, "weight", 6) == 0;
    i = close;
    if (!key)
      continue;
    size_t begin = close + 1;
    while (begin < length && (text[begin] == ':' || text[begin] == ' '))
      begin++;
    if (length - begin > 3 && memcmp(text + begin, "np.", 3) == 0) /* np.float64(2.0) */
      while (begin < length && text[begin - 1] != '(')
        begin++;
    size_t stop = begin;
    while (stop < length && strchr(",})", text[stop]) == NULL)
      stop++;
    return (field){text + begin, stop - begin, false};
  }
  return (field){NULL, 0, false};
}

static int split_attributes(const edge_plan *plan, char *line, size_t length, record *out, const char **reason) {
  const size_t at = attributes_at(line, length);
  size_t names = at;
  while (names > 0 && (is_blank(line[names - 1]) || (at < length && line[names - 1] == plan->separator)))
    names--;
  out->count = split_plain(line, names, plan->separator, out->fields, FIELDS);
  if (out->count > 2) {
    out->fields[0] = out->fields[2];
    *reason = "a third field before the data of the edge; names with blanks need another delimiter";
    return 3;
  }
  const field weight = at < length && out->count == 2 ? weight_of(line + at, length - at) : (field){NULL, 0, false};
  if (weight.text != NULL)
    out->fields[out->count++] = weight;
  return 0;
}

/* The chosen columns of a wide record. One that is not there is blank; a weight that is not there is none. */
static void choose(const edge_plan *plan, const field *wide, int count, record *out) {
  char *nowhere = count > 0 ? wide[0].text : NULL;
  out->count = plan->columns[2] >= 0 && plan->columns[2] < count ? 3 : 2;
  for (int i = 0; i < out->count; i++)
    out->fields[i] = plan->columns[i] < count ? wide[plan->columns[i]] : (field){nowhere, 0, false};
}

int plan_split(const edge_plan *plan, char *line, size_t length, bool quoted, field *wide, record *out, const char **reason) {
  if (plan->attributes)
    return split_attributes(plan, line, length, out, reason);
  field *fields = plan->chosen ? wide : out->fields;
  const int room = plan->chosen ? COLUMNS : FIELDS;
  int count, wrong = 0;
  if (quoted)
    wrong = split_quoted(line, length, plan->separator, fields, room, &count);
  else
    count = split_plain(line, length, plan->separator, fields, room);
  if (wrong > 0) {
    out->fields[0] = fields[0];
    *reason = "text after the closing quote (quotes can be read as letters: no quotes)";
    return wrong;
  }
  if (plan->chosen)
    choose(plan, wide, count, out);
  else
    out->count = count;
  return 0;
}

/* ---- the sample ------------------------------------------------------------------------------------------------------- */

/* The length of the record that begins at p, line ends inside quotes included; 0 if its end is not in the text. */
static size_t record_length(const edge_plan *plan, const char *p, const char *end, bool whole, bool *quoted) {
  quote_scan scan = {.at = 0};
  *quoted = false;
  for (size_t length = 0; p + length < end;) {
    length += line_length(p + length, end);
    if (p + length == end && !whole)
      return 0;
    *quoted = plan->quotes && memchr(p, '"', length) != NULL;
    if (!*quoted || !scan_quotes(&scan, p, length, plan->separator))
      return length;
    length++;
  }
  return 0;
}

/* Splits the text into rows, comments that are certain and blank lines left out. */
void sample_take(const edge_plan *plan, sample *s, size_t size, bool whole) {
  char *p = s->text, *const end = s->text + size;
  s->count = 0;
  while (p < end && s->count < SAMPLE_ROWS) {
    bool quoted;
    const size_t line = line_length(p, end);
    const bool marked = plan->comments && line > 0 && (p[0] == '#' || p[0] == '%');
    if (marked &&
        (plan_is_comment(plan, p, line) || memchr(p, '"', line) != NULL)) { /* nor do quotes of a comment open anything */
      p += line + 1;
      continue;
    }
    size_t length = record_length(plan, p, end, whole, &quoted);
    if (length == 0 && p[0] != '\n')
      return;
    char *const record_start = p;
    p += length + 1;
    length -= record_start + length < end && length > 0 && record_start[length - 1] == '\r';
    size_t i = 0;
    while (i < length && is_blank(record_start[i]))
      i++;
    const char *reason;
    if (i < length && plan_split(plan, record_start, length, quoted, s->wide, &s->rows[s->count], &reason) == 0 &&
        s->rows[s->count].count > 0)
      s->count++;
  }
}

/* ---- comments or names ------------------------------------------------------------------------------------------------ */

static bool begins_with_mark(const field *f, char mark) {
  return !f->quoted && f->length > 1 && f->text[0] == mark && f->text[1] != mark;
}

/* Whether lines that begin with the mark, without a blank after it, are data like the others: as many fields, and the mark begins
 * other names as well, or a quarter of all lines. */
static bool mark_begins_names(const sample *s, char mark) {
  size_t counts[FIELDS + 1] = {0}, marked = 0, alike = 0, elsewhere = 0;
  for (size_t i = 0; i < s->count; i++) {
    const record *r = &s->rows[i];
    const bool starts = begins_with_mark(&r->fields[0], mark);
    marked += starts;
    counts[r->count] += !starts;
    elsewhere += r->count > 1 && begins_with_mark(&r->fields[1], mark);
  }
  int usual = 2;
  for (int k = 2; k <= FIELDS; k++)
    usual = counts[k] > counts[usual] ? k : usual;
  for (size_t i = 0; i < s->count; i++) {
    const record *r = &s->rows[i];
    alike += begins_with_mark(&r->fields[0], mark) && (marked == s->count ? r->count >= 2 : r->count == usual);
  }
  return alike > 0 && 2 * alike >= marked && (elsewhere > 0 || 4 * alike >= s->count);
}

/* ---- columns ---------------------------------------------------------------------------------------------------------- */

/* "name,manager,weight" in parts; a comma within a name is written twice. Returns how many, at most 4. */
static int split_columns(const char *text, char *copy, field parts[4]) {
  int count = 0;
  char *to = copy;
  parts[count++] = (field){to, 0, false};
  for (const char *p = text; *p != 0; p++) {
    if (*p == ',' && p[1] != ',') {
      if (count == 4)
        break;
      parts[count++] = (field){to, 0, false};
      continue;
    }
    p += *p == ',';
    *to++ = *p;
    parts[count - 1].length++;
  }
  return count;
}

static int number_of(const field *f) {
  int value = 0;
  if (f->length == 0 || f->length > 4)
    return 0;
  for (size_t i = 0; i < f->length; i++) {
    if (f->text[i] < '0' || f->text[i] > '9')
      return 0;
    value = 10 * value + (f->text[i] - '0');
  }
  return value <= COLUMNS ? value : 0;
}

static bool same_letters(const field *a, const field *b, bool any_case) {
  if (a->length != b->length)
    return false;
  for (size_t i = 0; i < a->length; i++) {
    const char x = a->text[i], y = b->text[i];
    const char lower_x = (char)(x >= 'A' && x <= 'Z' ? x + ('a' - 'A') : x),
               lower_y = (char)(y >= 'A' && y <= 'Z' ? y + ('a' - 'A') : y);
    if (x != y && !(any_case && lower_x == lower_y))
      return false;
  }
  return true;
}

/* The column of a header with this name, capitals apart if need be; -1: there is none. */
static int column_named(const field *header, int count, const field *name) {
  for (int any_case = 0; any_case < 2; any_case++)
    for (int i = 0; i < count; i++) {
      field h = header[i];
      if (i == 0 && h.length > 1 && h.text[0] == '#') {
        h.text++;
        h.length--;
      }
      if (same_letters(&h, name, any_case == 1))
        return i;
    }
  return -1;
}

static geodisk_status no_such_column(geodisk_context *context, const char *label, const field *header, int count,
                                     const field *name) {
  char list[400] = "", shown[SHOWN_FIELD];
  size_t used = 0;
  for (int i = 0; i < count && used + SHOWN_FIELD + 8 < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                             show_field(shown, header[i].text, header[i].length));
  return geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: line 1: there is no column '%s' in the header (%s)", label,
                      show_field(shown, name->text, name->length), list);
}

/* The first record of the text with all its columns; *count 0: there is none. */
static void first_record(const edge_plan *plan, sample *s, size_t size, bool whole, int *count) {
  edge_plan all = *plan;
  const bool may_be_comment = all.comments;
  char *p = s->text, *const end = s->text + size;
  all.chosen = all.comments = false;
  *count = 0;
  while (p < end) {
    bool quoted;
    const size_t line = line_length(p, end);
    if (line == 0 || (line == 1 && p[0] == '\r') || (may_be_comment && surely_comment(p, line))) {
      p += line + 1;
      continue;
    }
    size_t length = record_length(&all, p, end, whole, &quoted);
    length -= p + length < end && length > 0 && p[length - 1] == '\r';
    if (!quoted)
      *count = split_plain(p, length, plan->separator, s->wide, COLUMNS);
    else if (split_quoted(p, length, plan->separator, s->wide, COLUMNS, count) > 0)
      *count = 0;
    return;
  }
}

/* Finds the columns asked for. The text of the sample is split on the way, and no longer fit for anything else. */
static geodisk_status choose_columns(geodisk_context *context, const char *label, const char *columns, sample *s, size_t size,
                                     bool whole, edge_plan *plan, bool *by_name) {
  field parts[4];
  char *copy = geodisk_allocate(strlen(columns) + 1, 1);
  if (copy == NULL)
    return geodisk_no_memory(context, "to read %s", label);
  const int wanted = split_columns(columns, copy, parts);
  geodisk_status status = GEODISK_OK;
  int count = 0;
  *by_name = false;
  plan->columns[2] = -1;
  if (wanted < 2 || wanted > 3)
    status = geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "columns: '%s' is not CHILD,PARENT or CHILD,PARENT,WEIGHT", columns);
  else
    first_record(plan, s, size, whole, &count);
  for (int i = 0; i < wanted && status == GEODISK_OK; i++) {
    plan->columns[i] = column_named(s->wide, count, &parts[i]);
    if (plan->columns[i] >= 0)
      *by_name = true;
    else if (number_of(&parts[i]) > 0)
      plan->columns[i] = number_of(&parts[i]) - 1;
    else
      status = no_such_column(context, label, s->wide, count, &parts[i]);
    if (status == GEODISK_OK && plan->columns[i] >= count && count > 0)
      status = geodisk_fail(context, GEODISK_ERROR_FORMAT, "%s: line 1: there is no column %d, there are %d", label,
                            plan->columns[i] + 1, count);
    if (status == GEODISK_OK && plan->columns[i] < count) {
      const field *word = &s->wide[plan->columns[i]];
      snprintf(plan->words[i], PLAN_WORD, "%.*s", word->length < PLAN_WORD ? (int)word->length : 0, word->text);
    }
  }
  free(copy);
  plan->chosen = status == GEODISK_OK;
  return status;
}

/* ---- the plan --------------------------------------------------------------------------------------------------------- */

static void keep_words(const record *r, edge_plan *plan) {
  for (int i = 0; i < 3; i++) {
    const bool kept = i < r->count && r->fields[i].length < PLAN_WORD;
    snprintf(plan->words[i], PLAN_WORD, "%.*s", kept ? (int)r->fields[i].length : 0, kept ? r->fields[i].text : "");
  }
}

static geodisk_status decide_header(geodisk_context *context, const char *label, geodisk_choice wish, const sample *s,
                                    edge_plan *plan) {
  header_finding found = {.header = wish == GEODISK_CHOICE_YES};
  if (wish == GEODISK_CHOICE_AUTO && find_header(s->rows, s->count, plan->separator, &found) != GEODISK_OK)
    return geodisk_no_memory(context, "to read %s", label);
  plan->header = found.header && s->count > 0;
  plan->header_guessed = found.guessed;
  plan->header_doubtful = found.doubtful;
  plan->parent_first = found.parent_first;
  if (plan->header)
    keep_words(&s->rows[0], plan);
  else
    memset(plan->words, 0, sizeof plan->words);
  return GEODISK_OK;
}

/* Whether the third column holds other things than numbers, mostly. */
static bool third_is_text(const sample *s, bool header) {
  size_t numbers = 0, others = 0;
  for (size_t i = header; i < s->count; i++) {
    const field *f = &s->rows[i].fields[2];
    double value;
    if (s->rows[i].count < 3 || (f->length == 0 && !f->quoted))
      continue;
    if (geodisk_parse_double(f->text, f->length, &value) || (!f->quoted && memchr(f->text, '\r', f->length) != NULL))
      numbers++;
    else
      others++;
  }
  return others > numbers;
}

/* Of a table with a header and more columns than two. */
static geodisk_status suggest_columns(geodisk_context *context, const char *label, const char *text, size_t size, bool whole,
                                      sample *s, edge_plan *plan) {
  edge_plan all = *plan;
  int count = 0;
  if (s->wide == NULL && (s->wide = geodisk_allocate_zero(COLUMNS, sizeof *s->wide)) == NULL)
    return geodisk_no_memory(context, "to read %s", label);
  memcpy(s->text, text, size);
  first_record(&all, s, size, whole, &count);
  return find_columns(plan, text, size, whole, count, plan->hint, sizeof plan->hint) == GEODISK_OK
             ? GEODISK_OK
             : geodisk_no_memory(context, "to read %s", label);
}

static geodisk_status make(geodisk_context *context, const char *label, const char *text, size_t size, bool whole,
                           const geodisk_graph_read_options *options, sample *s, edge_plan *plan) {
  geodisk_choice header = options->header;
  bool by_name = false, marked = false; /* columns; the line with their names */
  memcpy(s->text, text, size);
  plan->attributes = options->columns == NULL && has_attributes(s->text, size);
  if (plan->attributes)
    blank_attributes(s->text, size);
  if (plan->separator == 0)
    plan->separator = detect_separator(s->text, size, plan->quotes, plan->comments ? SKIP_MARKED : SKIP_NOTHING);
  if (plan->separator == 0)
    plan->separator = detect_separator(s->text, size, plan->quotes, plan->comments ? SKIP_COMMENTS : SKIP_NOTHING);
  if (plan->separator == 0)
    plan->separator = '\t';
  if (options->columns != NULL) {
    const geodisk_status status = choose_columns(context, label, options->columns, s, size, whole, plan, &by_name);
    if (status != GEODISK_OK)
      return status;
    marked = s->wide[0].length > 0 && s->wide[0].text[0] == '#';
  }
  plan->hash_names = plan->percent_names = true;
  memcpy(s->text, text, size);
  sample_take(plan, s, size, whole);
  plan->hash_names = plan->comments && mark_begins_names(s, '#');
  plan->percent_names = plan->comments && mark_begins_names(s, '%');
  memcpy(s->text, text, size);
  sample_take(plan, s, size, whole);
  if (by_name) /* the names stand in the first line, be it a comment */
    header = marked && plan->comments && !plan->hash_names ? GEODISK_CHOICE_NO : GEODISK_CHOICE_YES;
  const geodisk_status status = decide_header(context, label, header, s, plan);
  if (status == GEODISK_OK && options->weights == GEODISK_CHOICE_AUTO && !plan->chosen)
    plan->third_ignored = third_is_text(s, plan->header);
  if (status != GEODISK_OK || plan->chosen || !plan->header || s->count < 2 || s->rows[0].count < 3)
    return status;
  return suggest_columns(context, label, text, size, whole, s, plan);
}

geodisk_status plan_make(geodisk_context *context, const char *label, const char *text, size_t size, bool whole,
                         const geodisk_graph_read_options *options, edge_plan *out) {
  edge_plan plan = {
      .separator = options->separator, .quotes = !options->no_quotes, .comments = !options->no_comments, .columns = {0, 1, 2}};
  sample s = {.text = geodisk_allocate(size, 1), .rows = geodisk_allocate(SAMPLE_ROWS, sizeof *s.rows)};
  if (options->columns != NULL)
    s.wide = geodisk_allocate_zero(COLUMNS, sizeof *s.wide); /* a file of comments has no first record */
  geodisk_status status;
  if (s.text == NULL || s.rows == NULL || (options->columns != NULL && s.wide == NULL))
    status = geodisk_no_memory(context, "to read %s", label);
  else
    status = make(context, label, text, size, whole, options, &s, &plan);
  sample_free(&s);
  if (status == GEODISK_OK)
    *out = plan;
  return status;
}

/* ---- for people ------------------------------------------------------------------------------------------------------- */

static void say(char *text, size_t room, const char *format, ...) GEODISK_PRINTF(3, 4);
static void say(char *text, size_t room, const char *format, ...) {
  size_t used = strlen(text);
  if (used > 0 && used + 3 < room)
    used += (size_t)snprintf(text + used, room - used, "; ");
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text + used, room - used, format, arguments);
  va_end(arguments);
}

void plan_text(const edge_plan *plan, char *text, size_t room) {
  text[0] = 0;
  if (plan->header && plan->words[0][0] != 0 && plan->words[1][0] != 0)
    say(text, room, "the first line is a header (%s, %s%s%s)", plan->words[0], plan->words[1],
        plan->words[2][0] != 0 && !plan->chosen ? ", " : "", plan->chosen ? "" : plan->words[2]);
  else if (plan->header)
    say(text, room, "the first line is a header");
  else if (plan->header_doubtful)
    say(text, room, "the first line is taken as data, though its names occur nowhere else (header yes, if it is one)");
  if (plan->chosen)
    say(text, room, "child from column %d, parent from column %d", plan->columns[0] + 1, plan->columns[1] + 1);
  if (plan->chosen && plan->columns[2] >= 0)
    say(text, room, "weight from column %d", plan->columns[2] + 1);
  if (plan->attributes)
    say(text, room, "the third field is data of the edge, of which the weight is taken");
  if ((plan->hash_names || plan->percent_names) && plan->words[0][0] != '#')
    say(text, room, "lines that begin with %s are data, comments only where a blank follows", plan->hash_names ? "#" : "%");
}
