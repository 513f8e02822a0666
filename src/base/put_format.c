/* put_format.c - goes through a format text, and hands what stands between its holes and in them to a target. */
#include "put_format.h"

#include <stdio.h>
#include <string.h>

void put_format(const text_target *target, void *user, const char *format, va_list arguments) {
  for (; *format != 0; format += 2) {
    const size_t plain = strcspn(format, "%");
    target->put(user, format, plain);
    format += plain;
    if (*format == 0)
      return;
    if (format[1] == 'n') {
      target->number(user, va_arg(arguments, double));
    } else if (format[1] == 'u') {
      char count[32];
      target->put(user, count, (size_t)snprintf(count, sizeof count, "%zu", va_arg(arguments, size_t)));
    } else {
      const char *text = va_arg(arguments, const char *);
      if (format[1] == 's')
        target->put(user, text, strlen(text));
      else
        target->own(user, format[1], text);
    }
  }
}
