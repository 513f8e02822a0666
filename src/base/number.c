/* number.c - numbers as text: shortest decimals that read back exactly, and strict reading. Neither depends on the locale: where
 * the C library's decimal point is not '.', it is replaced on the way in and out. */
#include "geodisk/base.h"

#include <float.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUT = 1000 };

/* ---- writing --------------------------------------------------------------------------------------------------------- */

/* A candidate: `digits` significant decimal digits, the first before the point, times 10^exponent. */
typedef struct decimal {
  int digits;
  char digit[20]; /* '0'..'9' */
  int exponent;
} decimal;

static bool reads_back(const decimal *d, double value, bool single) {
  char text[40];
  snprintf(text, sizeof text, "%.*se%d", d->digits, d->digit, d->exponent - (d->digits - 1));
  return single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

/* The decimal of that many digits nearest to value > 0. */
static void nearest_decimal(double value, int digits, decimal *d) {
  char text[40];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  d->digits = 0;
  const char *p = text;
  for (; *p != 'e'; p++)
    if (*p >= '0' && *p <= '9') /* leaves out the locale's decimal point */
      d->digit[d->digits++] = *p;
  d->exponent = (int)strtol(p + 1, NULL, 10);
}

/* The next larger decimal of the same length. */
static void step_up(decimal *d) {
  int i = d->digits - 1;
  while (i >= 0 && d->digit[i] == '9')
    d->digit[i--] = '0';
  if (i >= 0) {
    d->digit[i]++;
    return;
  }
  d->digit[0] = '1'; /* 9...9 became 10...0 */
  d->exponent++;
}

/* Whether some decimal of that many digits reads back. At a power of two the numbers below lie twice as close as those above, so
 * the nearest decimal may fail where the next larger one holds. */
static bool try_digits(double value, int digits, bool single, decimal *d) {
  nearest_decimal(value, digits, d);
  if (reads_back(d, value, single))
    return true;
  int e;
  if (frexp(value, &e) != 0.5)
    return false;
  step_up(d);
  return reads_back(d, value, single);
}

/* %g's layout with the exponent as short as it goes. */
static int lay_out(const decimal *d, bool negative, char *buffer) {
  int digits = d->digits;
  while (digits > 1 && d->digit[digits - 1] == '0')
    digits--;
  char *p = buffer;
  if (negative)
    *p++ = '-';
  const int e = d->exponent;
  if (e < -5 || e > 15) {
    *p++ = d->digit[0];
    if (digits > 1) {
      *p++ = '.';
      memcpy(p, d->digit + 1, (size_t)digits - 1);
      p += digits - 1;
    }
    p += snprintf(p, 8, "e%d", e);
    return (int)(p - buffer);
  }
  for (int i = e < 0 ? e : 0; i < digits || i <= e; i++) {
    if (i == e + 1 && i > 0)
      *p++ = '.';
    *p++ = i >= 0 && i < digits ? d->digit[i] : '0';
    if (i == e && e < 0)
      *p++ = '.';
  }
  *p = 0;
  return (int)(p - buffer);
}

static int format(double value, bool single, char *buffer) {
  if (isnan(value))
    return snprintf(buffer, GEODISK_NUMBER_BYTES, "nan");
  const bool negative = signbit(value);
  value = fabs(value);
  if (isinf(value) || value == 0)
    return snprintf(buffer, GEODISK_NUMBER_BYTES, "%s%s", negative ? "-" : "", value == 0 ? "0" : "inf");
  /* A normal number that some decimal of DIG digits gives, gives that decimal back when printed with DIG digits; so only
   * subnormals, which hold fewer digits, need the search from below. */
  const bool normal = value >= (single ? (double)FLT_MIN : DBL_MIN);
  const int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
  int digits = !normal ? 1 : single ? FLT_DIG : DBL_DIG;
  decimal d;
  while (!try_digits(value, digits, single, &d) && digits < most)
    digits++;
  return lay_out(&d, negative, buffer);
}

int geodisk_format_double(double value, char *buffer) { return format(value, false, buffer); }
int geodisk_format_float(float value, char *buffer) { return format((double)value, true, buffer); }

/* ---- reading --------------------------------------------------------------------------------------------------------- */

/* Digits, point, exponent: the mantissa's digits as an integer while it stays below 2^53, else `exact` is false. Returns false
 * when the text is not a decimal number. */
static bool scan_decimal(const char *p, const char *end, uint64_t *mantissa, int *exponent, bool *exact) {
  bool any = false;
  *mantissa = 0;
  *exponent = 0;
  *exact = true;
  for (int after_point = 0; p < end && *p != 'e' && *p != 'E'; p++) {
    if (*p == '.' && !after_point) {
      after_point = 1;
    } else if (*p >= '0' && *p <= '9') {
      any = true;
      if (*mantissa >= ((uint64_t)1 << 53) / 10)
        *exact = false;
      else
        *mantissa = *mantissa * 10 + (uint64_t)(*p - '0');
      *exponent -= after_point;
    } else {
      return false;
    }
  }
  if (!any)
    return false;
  if (p == end)
    return true;
  p++;
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+'))
    p++;
  if (p == end)
    return false;
  int power = 0;
  for (; p < end; p++) {
    if (*p < '0' || *p > '9')
      return false;
    if (power < 100000)
      power = power * 10 + (*p - '0');
  }
  *exponent += negative ? -power : power;
  return true;
}

static bool is_hex(const char *p, const char *end) {
  static const char allowed[] = "0123456789abcdefABCDEF.pP+-";
  if (end - p < 3 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
    return false;
  for (p += 2; p < end; p++)
    if (*p == 0 || strchr(allowed, *p) == NULL)
      return false;
  return true;
}

/* The C library's correctly rounded reading of text without a sign, with '.' turned into the locale's point. */
static bool library_parse(const char *text, const char *end, double *out) {
  char copy[MAX_INPUT + 16];
  const char *radix = nl_langinfo(RADIXCHAR);
  const size_t radix_bytes = strlen(radix);
  size_t n = 0;
  for (const char *p = text; p < end; p++) {
    if (n + radix_bytes >= sizeof copy)
      return false;
    if (*p == '.') {
      memcpy(copy + n, radix, radix_bytes);
      n += radix_bytes;
    } else {
      copy[n++] = *p;
    }
  }
  copy[n] = 0;
  char *stop;
  const double value = strtod(copy, &stop);
  if (stop != copy + n || !isfinite(value))
    return false;
  *out = value;
  return true;
}

bool geodisk_parse_double(const char *text, size_t length, double *out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (length == 0 || length > MAX_INPUT)
    return false;
  const char *p = text, *end = text + length;
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+')
    p++;
  uint64_t mantissa;
  int exponent;
  bool exact;
  double value;
  if (!is_hex(p, end)) {
    if (!scan_decimal(p, end, &mantissa, &exponent, &exact))
      return false;
    /* An integer below 2^53 and a power of ten up to 10^22 are exact doubles: one operation rounds once (Clinger 1990). */
    if (exact && exponent >= -22 && exponent <= 22) {
      value = exponent < 0 ? (double)mantissa / powers[-exponent] : (double)mantissa * powers[exponent];
      *out = negative ? -value : value;
      return true;
    }
  }
  if (!library_parse(p, end, &value))
    return false;
  *out = negative ? -value : value;
  return true;
}
