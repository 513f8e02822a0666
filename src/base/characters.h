/* characters.h - characters as UTF-8, and behind the escapes of JSON. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The character of the escape at *p, which stands behind a backslash; *p moves behind it. 0: not one that is allowed. */
uint32_t json_unescape(const char **p, const char *end);

/* Writes a character as UTF-8, up to four bytes, and returns where they end. */
char *put_utf8(uint32_t c, char *out);

/* The character that begins at p, which must be UTF-8, and how many bytes it has. */
size_t take_utf8(const char *p, uint32_t *c);
