/* points.h - points from a file or standard input: rows of numbers as text (TSV, CSV or blanks, with or without a name in front),
 * or NumPy's npy. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct point_rows {
  size_t n, dim;
  double *x;     /* n x dim */
  char **names;  /* n, or NULL: rows have none */
  size_t *lines; /* n: the row of the file, from 1 */
} point_rows;

/* Reads `path` ("-": standard input). A first row without numbers is a header; empty rows and rows that start with # are skipped;
 * a field is put in quotes with "..." if it contains separators. Returns false after printing an error that names row and column.
 */
bool points_read(const char *path, point_rows *out);
void points_free(point_rows *rows);
