/* node_names.c - what nodes are called on paper: other names that were given, WordNet's without their endings, long common
 * beginnings left out, and nothing in them that a canvas cannot write. */
#include <stdlib.h>
#include <string.h>

#include "base/characters.h"
#include "canvas.h"
#include "scene.h"

/* A beginning is left out if it has so many letters and so large a share of the names, and so many of them, have it. */
enum { LEAST_PREFIX = 10, LEAST_NAMES = 5 };
#define PREFIX_SHARE 0.6
static const char separators[] = "/\\:.#";
static const char ellipsis[] = "\xe2\x80\xa6", replacement[] = "\xef\xbf\xbd";

/* ---- letters ----------------------------------------------------------------------------------------------------------- */

/* Unicode keeps these for programs: cairo refuses text that has them, and XML two of them. */
static bool noncharacter(uint32_t code) { return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef); }

static bool control(uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/* Text as canvases can write it. */
static void add_clean(byte_sink *out, const char *text, size_t length, bool blanks) {
  for (size_t at = 0, step; at < length; at += step) {
    uint32_t code;
    step = take_utf8(text + at, &code);
    if (control(code) || (blanks && code == '_'))
      sink_add(out, " ", 1);
    else if (noncharacter(code))
      sink_text(out, replacement);
    else
      sink_add(out, text + at, step);
  }
}

/* ---- WordNet ----------------------------------------------------------------------------------------------------------- */

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* The length without ".n.01" at the end. */
static size_t without_sense(const char *name, size_t length) {
  size_t n = length;
  while (n > 0 && digit(name[n - 1]))
    n--;
  if (length - n >= 2 && n >= 4 && name[n - 1] == '.' && name[n - 3] == '.' && strchr("nvasr", name[n - 2]) != NULL)
    return n - 3;
  return length;
}

/* ---- common beginnings -------------------------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* How many of n sorted names begin with the first `length` bytes of names[at], and go on. */
static size_t sharing(const char *const *names, size_t n, size_t at, size_t length) {
  size_t count = 0;
  for (size_t i = at; i < n && strncmp(names[i], names[at], length) == 0; i++)
    count += names[i][length] != 0;
  for (size_t i = at; i-- > 0 && strncmp(names[i], names[at], length) == 0;)
    count += names[i][length] != 0;
  return count;
}

/* The length of the longest beginning of names[n / 2], up to a separator, that is worth leaving out; 0: none. What so many names
 * share, the one in the middle of all has, too. */
static size_t common_prefix(const char **names, size_t n) {
  if (n < LEAST_NAMES)
    return 0;
  qsort((void *)names, n, sizeof *names, by_bytes);
  const char *middle = names[n / 2];
  for (size_t length = strlen(middle); length >= LEAST_PREFIX; length--) {
    if (strchr(separators, middle[length - 1]) == NULL)
      continue;
    const size_t count = sharing(names, n, n / 2, length);
    if (count >= LEAST_NAMES && (double)count >= PREFIX_SHARE * (double)n)
      return length;
  }
  return 0;
}

/* ---- all of them -------------------------------------------------------------------------------------------------------- */

/* The texts that were given, by the numbers of the scene; NULL: none for this node. */
static geodisk_status given_texts(geodisk_context *context, const geodisk_scene_options *options, const geodisk_scene *scene,
                                  const char **given) {
  for (size_t k = 0; k < options->renamed; k++) {
    const char *text = options->renamed_texts[k];
    uint32_t i;
    if (geodisk_utf8_prefix(text, strlen(text)) != strlen(text))
      return geodisk_fail(context, GEODISK_ERROR_ARGUMENT, "the label of '%s' is not UTF-8", options->renamed_names[k]);
    if (geodisk_scene_find(scene, options->renamed_names[k], &i))
      given[i] = text;
  }
  return GEODISK_OK;
}

static void add_label(byte_sink *out, const char *name, const char *prefix, bool full) {
  const size_t length = strlen(name), short_length = full ? length : without_sense(name, length), skip = strlen(prefix);
  if (skip > 0 && length > skip && strncmp(name, prefix, skip) == 0) {
    const char last = prefix[skip - 1];
    sink_text(out, ellipsis);
    if (last == '/' || last == '\\')
      sink_add(out, &last, 1);
    add_clean(out, name + skip, length - skip, false);
  } else {
    add_clean(out, name, short_length, short_length < length);
  }
}

geodisk_status scene_labels(geodisk_context *context, const geodisk_scene_options *options, scene_arrays *s,
                            const geodisk_scene *scene) {
  const char **given = geodisk_allocate_zero(s->nodes, sizeof *given), **names = geodisk_allocate(s->nodes, sizeof *names);
  byte_sink labels = {0};
  geodisk_status st = given != NULL && names != NULL ? GEODISK_OK : geodisk_no_memory(context, "for the picture's names");
  size_t n = 0, skip = 0;
  if (st == GEODISK_OK)
    st = given_texts(context, options, scene, given);
  for (uint32_t i = 0; st == GEODISK_OK && !options->full_names && i < s->nodes; i++)
    if (given[i] == NULL)
      names[n++] = geodisk_scene_name(scene, i);
  if (st == GEODISK_OK) {
    skip = common_prefix(names, n);
    s->prefix = geodisk_allocate_zero(skip + 1, 1);
    s->label_starts = geodisk_allocate(s->nodes, sizeof *s->label_starts);
    if (s->prefix == NULL || s->label_starts == NULL)
      st = geodisk_no_memory(context, "for the picture's names");
  }
  if (st == GEODISK_OK && skip > 0)
    memcpy(s->prefix, names[n / 2], skip);
  for (uint32_t i = 0; st == GEODISK_OK && i < s->nodes; i++) {
    s->label_starts[i] = labels.length;
    if (given[i] != NULL)
      add_clean(&labels, given[i], strlen(given[i]), false);
    else
      add_label(&labels, geodisk_scene_name(scene, i), s->prefix, options->full_names);
    sink_add(&labels, "", 1);
  }
  if (st == GEODISK_OK && labels.failed)
    st = geodisk_no_memory(context, "for the picture's names");
  s->label_bytes = labels.bytes;
  geodisk_free_all((void *)given, (void *)names);
  return st;
}

/* ---- long ones ---------------------------------------------------------------------------------------------------------- */

static bool slash(char c) { return c == '/' || c == '\\'; }
static bool breaks(char c) { return strchr(":.#_- ", c) != NULL; }

/* Marks that belong to the letter before them. */
static bool attached(uint32_t code) {
  return (code >= 0x300 && code <= 0x36f) || (code >= 0xfe00 && code <= 0xfe0f) || code == 0x200d ||
         (code >= 0x1f3fb && code <= 0x1f3ff);
}

char *label_shorten(const char *text, size_t most) {
  size_t letters = 0, length = 0;
  uint32_t code;
  for (size_t step; text[length] != 0; length += step, letters++)
    step = take_utf8(text + length, &code);
  char *out = geodisk_allocate(length + sizeof ellipsis, 1);
  if (out == NULL)
    return NULL;
  if (letters <= most) {
    memcpy(out, text, length + 1);
    return out;
  }
  /* Two fifths from the beginning, three from the end; each ends at a slash if there is one, at another sign between words if
   * that is near. */
  const size_t head_letters = 2 * most / 5, tail_letters = most - 1 - head_letters;
  size_t head = 0, tail = 0, head_word = 0, tail_word = 0, head_slash = 0, tail_slash = 0, at = 0;
  for (size_t k = 0, step; k < letters; k++, at += step) {
    step = take_utf8(text + at, &code);
    if (k == head_letters)
      head = at;
    if (k < head_letters && 2 * (k + 1) > head_letters && breaks(text[at]))
      head_word = at + 1;
    if (k >= letters - tail_letters && tail == 0 && !attached(code))
      tail = at;
    if (tail > 0 && tail_word == 0 && 2 * (letters - k) > tail_letters && breaks(text[at]))
      tail_word = at;
    if (k < head_letters && 3 * (k + 1) > head_letters && slash(text[at]))
      head_slash = at + 1;
    if (tail > 0 && tail_slash == 0 && k + 2 < letters && slash(text[at]))
      tail_slash = at;
  }
  head = head_slash > 0 ? head_slash : head_word > 0 ? head_word : head;
  tail = tail_slash > 0 ? tail_slash : tail_word > 0 ? tail_word : tail;
  if (tail < head) /* marks only */
    tail = length;
  size_t n = 0;
  memcpy(out, text, head);
  n += head;
  memcpy(out + n, ellipsis, sizeof ellipsis - 1);
  n += sizeof ellipsis - 1;
  memcpy(out + n, text + tail, length - tail + 1);
  return out;
}
