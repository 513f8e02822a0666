/* suggest.c - the names that look most like a word that is none: what was probably meant. */
#include "base/characters.h"
#include "model.h"

#include <string.h>

/* How much a name differs from the word: kinds of likeness first, then letters. */
typedef struct suggestion {
  uint32_t node;
  unsigned unlikeness;
} suggestion;

enum { ALIKE = 0, ENDS = 1, BEGINS = 1000, FAR = 1000000, SHORT = 64 };

/* The character at text (n > 0 bytes left) and how many bytes it has; a byte that is not UTF-8 stands for itself. */
static uint32_t character(const char *text, size_t n, size_t *bytes) {
  const unsigned char first = (unsigned char)*text;
  const size_t length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  uint32_t c = first;
  *bytes = length <= n && geodisk_utf8_prefix(text, length) == length ? take_utf8(text, &c) : 1;
  return c;
}

/* Without the case of ASCII letters; 0 for ASCII blanks and signs. */
static uint32_t folded(uint32_t c) {
  if (c >= 'A' && c <= 'Z')
    return c - 'A' + 'a';
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80 ? c : 0;
}

/* The letters of a text without blanks, signs and capitals; *first is how many of them come before the first blank or sign. */
static size_t fold(const char *text, size_t length, uint32_t *out, size_t *first) {
  size_t n = 0, bytes;
  *first = SIZE_MAX;
  for (size_t i = 0; i < length; i += bytes) {
    const uint32_t c = folded(character(text + i, length - i, &bytes));
    if (c != 0)
      out[n++] = c;
    else if (*first == SIZE_MAX)
      *first = n;
  }
  if (*first == SIZE_MAX)
    *first = n;
  return n;
}

/* Letters to change, add, leave out or swap with their neighbour to get from a to b (optimal string alignment); `most` + 1 if it
 * is more than that. Lengths are below SHORT. */
static unsigned edits(const uint32_t *a, size_t n, const uint32_t *b, size_t m, unsigned most) {
  unsigned rows[3][SHORT + 1];
  if ((n > m ? n - m : m - n) > most)
    return most + 1;
  for (size_t j = 0; j <= m; j++)
    rows[0][j] = (unsigned)j;
  for (size_t i = 1; i <= n; i++) {
    unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3], least = most + 1;
    row[0] = (unsigned)i;
    for (size_t j = 1; j <= m; j++) {
      unsigned cost = above[j - 1] + (a[i - 1] != b[j - 1]);
      cost = above[j] + 1 < cost ? above[j] + 1 : cost;
      cost = row[j - 1] + 1 < cost ? row[j - 1] + 1 : cost;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < cost)
        cost = before[j - 2] + 1;
      row[j] = cost;
      least = cost < least ? cost : least;
    }
    if (least > most)
      return most + 1;
  }
  return rows[n % 3][m];
}

/* Whether the last part of a path is the word: names of documents that are not unique become paths. */
static bool ends_in(const uint32_t *word, size_t n, const char *name, size_t length, uint32_t *letters) {
  size_t at = length, first;
  while (at > 0 && name[at - 1] != '/')
    at--;
  return at > 0 && n > 0 && fold(name + at, length - at, letters, &first) == n && memcmp(word, letters, n * sizeof *word) == 0;
}

/* `word` is folded, n letters; the name is given as it is. */
static unsigned unlikeness(const uint32_t *word, size_t n, const char *name, size_t length, uint32_t *letters) {
  size_t first;
  if (ends_in(word, n, name, length, letters))
    return ENDS;
  const size_t m = fold(name, length, letters, &first);
  const bool begins = m >= n && memcmp(word, letters, n * sizeof *word) == 0;
  if (begins && m == n)
    return ALIKE;
  if (begins && n > 0)
    return BEGINS + (m - n < BEGINS ? (unsigned)(m - n) : BEGINS - 1);
  const unsigned most = n < 4 ? 1 : (unsigned)(n / 3);
  if (n >= SHORT || m == 0)
    return FAR;
  unsigned best = m < SHORT ? edits(word, n, letters, m, most) : most + 1;
  if (first > 0 && first < m && first < SHORT) { /* dog.n.01 may be meant by its first part */
    const unsigned part = edits(word, n, letters, first, most);
    best = part < best ? part : best;
  }
  return best > most ? FAR : 2 * BEGINS + 2 * best + (word[0] != letters[0]); /* people get the first letter right */
}

geodisk_status geodisk_model_suggest(geodisk_context *context, const geodisk_model *model, const char *name, size_t room,
                                     uint32_t *out, size_t *found) {
  if (model == NULL || name == NULL || out == NULL || found == NULL)
    return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "suggest: an argument is NULL");
  const size_t length = strlen(name);
  size_t longest = length;
  for (uint32_t i = 0; i < model->nodes; i++)
    longest = geodisk_model_name_length(model, i) > longest ? geodisk_model_name_length(model, i) : longest;
  uint32_t *letters = geodisk_allocate(longest + 1, 2 * sizeof *letters);
  suggestion *best = geodisk_allocate(room, sizeof *best);
  if (letters == NULL || best == NULL) {
    geodisk_free_all(letters, best);
    return geodisk_no_memory(context, "to compare names");
  }
  size_t kept = 0, first;
  const size_t n = fold(name, length, letters, &first);
  for (uint32_t i = 0; room > 0 && i < model->nodes; i++) {
    const suggestion new = {
        i, unlikeness(letters, n, geodisk_model_name(model, i), geodisk_model_name_length(model, i), letters + longest + 1)};
    if (new.unlikeness >= FAR || (kept == room && new.unlikeness >= best[kept - 1].unlikeness))
      continue;
    size_t at = kept < room ? kept++ : kept - 1; /* sorted, the first of equals first */
    for (; at > 0 && best[at - 1].unlikeness > new.unlikeness; at--)
      best[at] = best[at - 1];
    best[at] = new;
  }
  for (size_t i = 0; i < kept; i++)
    out[i] = best[i].node;
  *found = kept;
  geodisk_free_all(letters, best);
  return GEODISK_OK;
}
