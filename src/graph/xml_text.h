/* xml_text.h - the XML that graph files are made of, tag by tag: elements, attributes, text, CDATA, references; comments and
 * instructions are passed over, declarations of a document type refused. Internal to the graph module. */
#pragma once

#include "document.h"

typedef struct xml_slice {
  const char *text; /* decoded; NULL: not there */
  size_t length;
} xml_slice;

enum { XML_ATTRIBUTES = 32, XML_DEPTH = 256 };

typedef enum xml_event { XML_START, XML_END, XML_TEXT, XML_DONE } xml_event;

typedef struct xml_reader {
  document *d;
  char *at, *end;
  xml_slice name; /* of the element that starts or ends, without its prefix; the text of TEXT */
  xml_slice keys[XML_ATTRIBUTES], values[XML_ATTRIBUTES];
  int attributes;
  bool closing; /* the element just started is empty: its END comes next */
  xml_slice open[XML_DEPTH];
  int depth;
} xml_reader;

/* The next event. Errors: FORMAT with the line. Text is decoded in place. */
geodisk_status xml_next(xml_reader *reader, xml_event *event);

xml_slice xml_attribute(const xml_reader *reader, const char *key);
bool xml_is(xml_slice slice, const char *word);
