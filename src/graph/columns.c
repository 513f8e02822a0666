/* columns.c - tables of more columns than two, of which the first two are not the child and its parent: is there another pair of
 * which the second holds what the first does, or are the columns levels, each below the one before? It is said, not done. */
#include "plan.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns and bytes that are looked at, and rows without which nothing is said. */
enum { LOOKED_AT = 12, BYTES = 1 << 16, FEWEST_ROWS = 3 };

/* Two columns hang together where so many of the names in the second occur in the first, and do not up to so many. */
static const double together = 0.8, apart = 0.2;
/* The lowest level has so many more names than the highest. */
static const double wider = 1.5;

/* Two columns of the rows below the header. */
typedef struct two_columns {
  size_t rows, distinct[2];
  size_t asked, held, same; /* of the second: not blank; occur in the first; in the same row */
  size_t numbers;
  bool decided; /* what stands in the second decides what stands in the first */
} two_columns;

static bool is_number(const field *f) {
  double value;
  return geodisk_parse_double(f->text, f->length, &value);
}

static bool is_same(const field *a, const field *b) { return a->length == b->length && memcmp(a->text, b->text, a->length) == 0; }

static geodisk_status look_at_two(const sample *s, two_columns *out) {
  name_table names[2] = {{0}, {0}};
  size_t *first_of = geodisk_allocate(s->count + 1, sizeof *first_of); /* rows, of what stands in the second */
  geodisk_status st = first_of ? GEODISK_OK : GEODISK_ERROR_MEMORY;
  *out = (two_columns){.decided = true};
  for (size_t i = 1; i < s->count && st == GEODISK_OK; i++) {
    const field *f = s->rows[i].fields;
    uint32_t id;
    bool is_new = false;
    if (f[0].length == 0)
      continue;
    out->rows++;
    st = names_intern(&names[0], f[0].text, f[0].length, &id, &is_new);
    out->distinct[0] += is_new;
    if (st != GEODISK_OK || f[1].length == 0)
      continue;
    out->asked++;
    out->same += is_same(&f[0], &f[1]);
    out->numbers += is_number(&f[1]);
    st = names_intern(&names[1], f[1].text, f[1].length, &id, &is_new);
    out->distinct[1] += is_new;
    if (st == GEODISK_OK && is_new)
      first_of[id] = i;
    else if (st == GEODISK_OK)
      out->decided = out->decided && is_same(&s->rows[first_of[id]].fields[0], &f[0]);
  }
  for (size_t i = 1; i < s->count && st == GEODISK_OK; i++) {
    const field *f = s->rows[i].fields;
    uint32_t id;
    out->held += f[0].length > 0 && f[1].length > 0 && names_lookup(&names[0], f[1].text, f[1].length, &id);
  }
  names_free(&names[0]);
  names_free(&names[1]);
  free(first_of);
  return st;
}

/* The table's text once more, from which other columns are taken. */
typedef struct table {
  const char *text;
  size_t size;
  bool whole;
  edge_plan plan;
  sample s;
} table;

static geodisk_status look(table *t, int child, int parent, two_columns *out) {
  t->plan.chosen = true;
  t->plan.columns[0] = child;
  t->plan.columns[1] = parent;
  t->plan.columns[2] = -1;
  memcpy(t->s.text, t->text, t->size);
  sample_take(&t->plan, &t->s, t->size, t->whole);
  return look_at_two(&t->s, out);
}

static bool hang_together(const two_columns *two) {
  return two->rows >= FEWEST_ROWS && two->distinct[0] == two->rows && two->asked >= 2 &&
         (double)two->held >= together * (double)two->asked && 10 * two->same <= two->asked;
}

static void word_of(const field *f, char word[PLAN_WORD]) {
  snprintf(word, PLAN_WORD, "%.*s", f->length < PLAN_WORD ? (int)f->length : 0, f->text);
}

/* Any pair of columns, the nearest to the left first; numbers may be those of rows by chance, so their headers must agree. */
static geodisk_status find_pair(table *t, int columns, char *hint, size_t room, bool *found) {
  for (int child = 0; child < columns && !*found; child++)
    for (int parent = 0; parent < columns && !*found; parent++) {
      two_columns two;
      const geodisk_status st = child != parent ? look(t, child, parent, &two) : GEODISK_OK;
      if (st != GEODISK_OK)
        return st;
      if (child == parent || !hang_together(&two))
        continue;
      const field *f = t->s.rows[0].fields;
      char words[2][PLAN_WORD];
      if (2 * two.numbers > two.asked && !words_belong_together(&f[0], &f[1]))
        continue;
      *found = true;
      word_of(&f[0], words[0]);
      word_of(&f[1], words[1]);
      snprintf(hint, room,
               "the first two columns do not hang together, but column %d (%s) holds what stands in column %d (%s): if these are "
               "parent and child, read columns %d,%d",
               parent + 1, words[1], child + 1, words[0], child + 1, parent + 1);
    }
  return GEODISK_OK;
}

/* Levels from the first column on, the highest first or the lowest. */
static geodisk_status find_levels(table *t, int columns, bool lowest_first, char *hint, size_t room, bool *found) {
  two_columns two = {0};
  size_t highest = 0, lowest = 0;
  char words[2][PLAN_WORD] = {"", ""};
  int levels = 1;
  for (; levels < columns; levels++) {
    const geodisk_status st = lowest_first ? look(t, levels, levels - 1, &two) : look(t, levels - 1, levels, &two);
    if (st != GEODISK_OK)
      return st;
    const bool below = two.rows >= FEWEST_ROWS && two.decided && 10 * two.asked >= 9 * two.rows && 2 * two.numbers < two.asked &&
                       two.distinct[0] <= two.distinct[1] && (levels > 1 || two.distinct[0] < two.rows) &&
                       (double)two.held <= apart * (double)two.asked;
    if (!below)
      break;
    if (levels == 1) {
      word_of(&t->s.rows[0].fields[lowest_first], words[0]);
      highest = two.distinct[0];
      lowest = two.distinct[1];
    }
    word_of(&t->s.rows[0].fields[!lowest_first], words[1]);
    highest = lowest_first ? two.distinct[0] : highest;
    lowest = lowest_first ? lowest : two.distinct[1];
  }
  *found = levels > 2 && (double)lowest >= wider * (double)highest;
  if (*found)
    snprintf(
        hint, room,
        "columns 1 to %d (%s to %s) look like levels, the %s first, of which only the first two are read: make edges of every "
        "two that are side by side",
        levels, words[0], words[1], lowest_first ? "lowest" : "highest");
  return GEODISK_OK;
}

geodisk_status find_columns(const edge_plan *plan, const char *text, size_t size, bool whole, int columns, char *hint,
                            size_t room) {
  table t = {.text = text, .size = size < BYTES ? size : BYTES, .plan = *plan};
  two_columns two;
  bool found = false;
  columns = columns < LOOKED_AT ? columns : LOOKED_AT;
  hint[0] = 0;
  t.whole = whole && t.size == size;
  t.s = (sample){.text = geodisk_allocate(t.size, 1),
                 .wide = geodisk_allocate_zero(COLUMNS, sizeof *t.s.wide),
                 .rows = geodisk_allocate(SAMPLE_ROWS, sizeof *t.s.rows)};
  geodisk_status st = t.s.text && t.s.wide && t.s.rows ? look(&t, 0, 1, &two) : GEODISK_ERROR_MEMORY;
  if (st == GEODISK_OK && (double)two.held <= apart * (double)two.asked) {
    st = find_pair(&t, columns, hint, room, &found);
    for (int lowest_first = 0; lowest_first < 2 && st == GEODISK_OK && !found; lowest_first++)
      st = find_levels(&t, columns, lowest_first == 1, hint, room, &found);
  }
  sample_free(&t.s);
  return st;
}
