/* xml_text.c - reads XML tag by tag, in place. */
#include "xml_text.h"
#include "base/characters.h"

#include <string.h>

static geodisk_status fail_at(const xml_reader *r, const char *at, const char *reason) {
  return document_fail(r->d, at, 16, reason);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool begins(const xml_reader *r, const char *word) {
  const size_t length = strlen(word);
  return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

/* Where `word` comes next, or NULL. */
static char *find(char *from, const char *end, const char *word) {
  const size_t length = strlen(word);
  for (char *p = from; (size_t)(end - p) >= length; p++) {
    p = memchr(p, word[0], (size_t)(end - p));
    if (p == NULL || (size_t)(end - p) < length)
      return NULL;
    if (memcmp(p, word, length) == 0)
      return p;
  }
  return NULL;
}

bool xml_is(xml_slice slice, const char *word) {
  return slice.text != NULL && strlen(word) == slice.length && memcmp(slice.text, word, slice.length) == 0;
}

xml_slice xml_attribute(const xml_reader *reader, const char *key) {
  for (int i = 0; i < reader->attributes; i++)
    if (xml_is(reader->keys[i], key))
      return reader->values[i];
  return (xml_slice){NULL, 0};
}

/* ---- references ------------------------------------------------------------------------------------------------------- */

/* The character that the text between & and ; stands for; 0: none that is known. */
static uint32_t reference(const char *p, size_t length) {
  static const struct {
    const char *name;
    char c;
  } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strlen(known[i].name) == length && memcmp(known[i].name, p, length) == 0)
      return (unsigned char)known[i].c;
  if (length < 2 || p[0] != '#')
    return 0;
  const bool hex = p[1] == 'x';
  uint32_t value = 0;
  for (size_t i = hex ? 2 : 1; i < length; i++) {
    const char c = p[i];
    const int digit = c >= '0' && c <= '9'          ? c - '0'
                      : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                    : -1;
    if (digit < 0 || value > 0x10ffff)
      return 0;
    value = (hex ? 16 : 10) * value + (uint32_t)digit;
  }
  return value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff) ? 0 : value;
}

/* Undoes the references between begin and end; line ends and tabs of an attribute are blanks. */
static geodisk_status decode(const xml_reader *r, char *begin, char *end, bool attribute, xml_slice *out) {
  char *write = begin;
  for (char *p = begin; p < end;) {
    if (*p != '&') {
      *write++ = attribute && is_space(*p) ? ' ' : *p;
      p++;
      continue;
    }
    const char *stop = memchr(p, ';', (size_t)(end - p));
    const uint32_t c = stop != NULL ? reference(p + 1, (size_t)(stop - p) - 1) : 0;
    if (c == 0)
      return fail_at(r, p, "a reference that is not known; & is written &amp;");
    p += stop - p + 1;
    write = put_utf8(c, write);
  }
  *out = (xml_slice){begin, (size_t)(write - begin)};
  return GEODISK_OK;
}

/* ---- tags ------------------------------------------------------------------------------------------------------------- */

/* A name without its prefix. */
static xml_slice take_name(xml_reader *r) {
  const char *start = r->at;
  while (r->at < r->end && !is_space(*r->at) && strchr("/>=<\"'&", *r->at) == NULL) {
    if (*r->at++ == ':')
      start = r->at;
  }
  return (xml_slice){start, (size_t)(r->at - start)};
}

static void skip_space(xml_reader *r) {
  while (r->at < r->end && is_space(*r->at))
    r->at++;
}

static geodisk_status take_attribute(xml_reader *r) {
  char *const start = r->at;
  const xml_slice key = take_name(r);
  skip_space(r);
  if (key.length == 0 || r->at == r->end || *r->at != '=')
    return fail_at(r, start, "expected an attribute");
  r->at++;
  skip_space(r);
  if (r->at == r->end || (*r->at != '"' && *r->at != '\''))
    return fail_at(r, start, "the value of an attribute stands in quotes");
  char *close = memchr(r->at + 1, *r->at, (size_t)(r->end - r->at - 1));
  if (close == NULL)
    return fail_at(r, start, "a quote is opened and never closed");
  xml_slice value;
  const geodisk_status status = decode(r, r->at + 1, close, true, &value);
  if (status != GEODISK_OK)
    return status;
  r->at = close + 1;
  if (r->attributes < XML_ATTRIBUTES) { /* what is wanted of an element comes among its first ones */
    r->keys[r->attributes] = key;
    r->values[r->attributes++] = value;
  }
  return GEODISK_OK;
}

static geodisk_status take_start(xml_reader *r) {
  char *const start = r->at++;
  r->name = take_name(r);
  r->attributes = 0;
  if (r->name.length == 0)
    return fail_at(r, start, "expected the name of an element");
  if (r->depth == XML_DEPTH)
    return fail_at(r, start, "elements lie too deep in each other");
  for (;;) {
    skip_space(r);
    if (r->at == r->end)
      return fail_at(r, start, "a tag is opened and never closed");
    if (*r->at == '>' || begins(r, "/>"))
      break;
    const geodisk_status status = take_attribute(r);
    if (status != GEODISK_OK)
      return status;
  }
  r->closing = *r->at == '/';
  r->at += r->closing ? 2 : 1;
  r->open[r->depth++] = r->name;
  return GEODISK_OK;
}

static geodisk_status take_end(xml_reader *r) {
  char *const start = r->at;
  r->at += 2;
  r->name = take_name(r);
  skip_space(r);
  if (r->at == r->end || *r->at != '>')
    return fail_at(r, start, "expected the end of the tag");
  r->at++;
  const xml_slice open = r->depth > 0 ? r->open[r->depth - 1] : (xml_slice){NULL, 0};
  if (open.text == NULL || open.length != r->name.length || memcmp(open.text, r->name.text, open.length) != 0)
    return fail_at(r, start, "this closes an element that is not open");
  r->depth--;
  return GEODISK_OK;
}

/* Comments and instructions; *passed: there was one. */
static geodisk_status pass_over(xml_reader *r, bool *passed) {
  static const struct { const char *begin, *end; } kinds[] = {{"<!--", "-->"}, {"<?", "?>"}};
  *passed = true;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (begins(r, kinds[i].begin)) {
      char *close = find(r->at + strlen(kinds[i].begin), r->end, kinds[i].end);
      if (close == NULL)
        return fail_at(r, r->at, "a comment or instruction that never ends");
      r->at = close + strlen(kinds[i].end);
      return GEODISK_OK;
    }
  if (begins(r, "<!DOCTYPE")) {
    char *close = memchr(r->at, '>', (size_t)(r->end - r->at)), *inner = memchr(r->at, '[', (size_t)(r->end - r->at));
    if (close == NULL || (inner != NULL && inner < close))
      return fail_at(r, r->at, "declarations in the document are not read");
    r->at = close + 1;
    return GEODISK_OK;
  }
  *passed = false;
  return GEODISK_OK;
}

geodisk_status xml_next(xml_reader *r, xml_event *event) {
  if (r->closing) {
    r->closing = false;
    r->name = r->open[--r->depth];
    *event = XML_END;
    return GEODISK_OK;
  }
  for (;;) {
    if (r->at == r->end) {
      *event = XML_DONE;
      return r->depth == 0 ? GEODISK_OK : fail_at(r, r->end, "the file ends inside an element");
    }
    bool passed = false;
    geodisk_status status = pass_over(r, &passed);
    if (status != GEODISK_OK)
      return status;
    if (!passed)
      break;
  }
  if (begins(r, "<![CDATA[")) {
    char *begin = r->at + 9, *close = find(begin, r->end, "]]>");
    if (close == NULL)
      return fail_at(r, r->at, "CDATA that never ends");
    r->name = (xml_slice){begin, (size_t)(close - begin)};
    r->at = close + 3;
    *event = XML_TEXT;
    return GEODISK_OK;
  }
  if (*r->at == '<') {
    *event = begins(r, "</") ? XML_END : XML_START;
    return *event == XML_END ? take_end(r) : take_start(r);
  }
  char *stop = memchr(r->at, '<', (size_t)(r->end - r->at)), *start = r->at;
  r->at = stop != NULL ? stop : r->end;
  *event = XML_TEXT;
  return decode(r, start, r->at, false, &r->name);
}
