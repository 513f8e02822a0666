/* put_format.h - texts with holes, as printf has them, for whatever writes them piece by piece: %s a text, %u a count (size_t),
 * %n a number (double). Other letters are the writer's own and take a text. */
#pragma once

#include <stdarg.h>

#include "geodisk/base.h"

typedef struct text_target {
  void (*put)(void *user, const void *bytes, size_t size);
  void (*number)(void *user, double value);               /* %n */
  void (*own)(void *user, char letter, const char *text); /* or NULL */
} text_target;

void put_format(const text_target *target, void *user, const char *format, va_list arguments);
