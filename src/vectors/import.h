/* import.h - rows of names and numbers on their way into a model, and the readers that bring them. Internal to the vectors
 * module. */
#pragma once

#include "model.h"
#include "stream.h"

typedef struct importer {
  geodisk_context *context;
  stream in;
  const geodisk_import_options *options;
  geodisk_import_info info;
  name_table names;
  const char *names_path; /* names come from this file, not from the rows; NULL: from the rows */
  bool numbered;          /* nodes are called 0, 1, ... */
  bool single;            /* numbers are kept as float */
  size_t columns;         /* numbers in a row of the file: dim, or dim + 1 of the hyperboloid */
  size_t rows, room;      /* rows kept; room for so many in `values` */
  void *values;           /* rows x columns, double or float */
  double *row;            /* columns: the row being read */
} importer;

/* Says what is wrong with the line just read. */
geodisk_status import_fail(const importer *im, const char *what);

/* Sets the number of columns, once, and makes `row`; checks that they can be those of a model. */
geodisk_status import_columns(importer *im, uint64_t columns);

/* Adds im->row under a name (ignored where names come from elsewhere; checked to be UTF-8). A name that has come before is
 * counted and left out. */
geodisk_status import_row(importer *im, const char *name, size_t length);

/* The readers. They leave the rows in *im. */
geodisk_status import_word2vec(importer *im);
geodisk_status import_word2vec_binary(importer *im);
geodisk_status import_table(importer *im, char separator); /* ',' or '\t', or ' ' for runs of blanks */
geodisk_status import_npy(importer *im);

/* The numbers of word2vec's first line; false if it is not one. */
bool import_two_numbers(const char *line, size_t length, uint64_t *rows, uint64_t *columns);

/* Reads word2vec's first line, and sets the columns by it. */
geodisk_status import_word2vec_sizes(importer *im, uint64_t *rows);

/* Whether text[0..length) is `columns` (> 0) numbers and blanks around them, after a name and a blank; *name is the name's
 * length. Stores them in `row` if it is not NULL. Otherwise *bad is the column that is no number, 0 if there are too few. */
bool import_split_line(const char *text, size_t length, size_t columns, double *row, size_t *name, size_t *bad);
