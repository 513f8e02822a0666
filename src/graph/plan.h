/* plan.h - how an edge list is written: told by options, else found out from its beginning. Readers of a whole file and of its
 * ranges follow the same plan. Internal to the graph module and the back-ends. */
#pragma once

#include "fields.h"
#include "geodisk/graph.h"

/* A table may have so many columns where some are chosen by name or number. */
enum { COLUMNS = 1024, PLAN_WORD = 48, PLAN_HINT = 400 };

typedef struct edge_plan {
  char separator;
  bool quotes;              /* are undone */
  bool comments;            /* there may be some */
  bool hash_names;          /* '#' at the start of a line begins a name, unless a blank or another one follows */
  bool percent_names;       /* the same for '%' */
  bool attributes;          /* the third field is a Python dictionary, as networkx.write_edgelist has it */
  bool header;              /* the first record is one */
  bool header_guessed;      /* it looks like one; else it was told, or there is no doubt */
  bool header_doubtful;     /* the first record is data, though its names occur nowhere else */
  bool parent_first;        /* as the header's words say */
  bool third_ignored;       /* the third column holds no numbers */
  bool chosen;              /* columns[] are chosen; else they are the first ones */
  int columns[3];           /* of child, parent and weight, from 0; -1: no weight */
  char words[3][PLAN_WORD]; /* the header's, of the same columns; "" where there is none, or it is too long */
  char hint[PLAN_HINT];     /* that other columns may be meant; "" */
} edge_plan;

/* Makes a plan from what the file begins with; `whole`: this is all of it. Errors: MEMORY; FORMAT and ARGUMENT about columns that
 * are not there. */
geodisk_status plan_make(geodisk_context *context, const char *label, const char *text, size_t size, bool whole,
                         const geodisk_graph_read_options *options, edge_plan *out);

/* Whether a line is a comment. */
bool plan_is_comment(const edge_plan *plan, const char *line, size_t length);

/* Splits a complete record, in which the quotes are undone in place if `quoted`, and takes the chosen columns out of it. `wide`
 * has room for COLUMNS fields where the plan has chosen some. Returns 0, or the number of a field that is wrong, which is then in
 * out->fields[0], with the reason. */
int plan_split(const edge_plan *plan, char *line, size_t length, bool quoted, field *wide, record *out, const char **reason);

/* What was found out, for people: "the first line is a header (name, boss)"; "" if there is nothing to say. */
void plan_text(const edge_plan *plan, char *text, size_t room);

/* ---- the sample ------------------------------------------------------------------------------------------------------- */

enum { SAMPLE_ROWS = 4096 };

/* The beginning of a file, in records. Fields point into `text`. */
typedef struct sample {
  char *text;
  field *wide; /* COLUMNS, of the record at hand; where columns are chosen */
  record *rows;
  size_t count;
} sample;

/* Splits the text, which is no longer fit for anything else, as the plan says. */
void sample_take(const edge_plan *plan, sample *s, size_t size, bool whole);
void sample_free(sample *s);

/* Whether other columns of a table with a header look like child and parent, or all of them like levels: in words; "" if not.
 * Errors: MEMORY. */
geodisk_status find_columns(const edge_plan *plan, const char *text, size_t size, bool whole, int columns, char *hint,
                            size_t room);

/* ---- headers ---------------------------------------------------------------------------------------------------------- */

typedef struct header_finding {
  bool header, guessed, doubtful, parent_first;
} header_finding;

/* Whether the first of some records is a header. Errors: MEMORY. */
geodisk_status find_header(const record *rows, size_t count, char separator, header_finding *out);

/* Whether two words stand above columns whatever comes below them; *parent_first: they say that the parent comes first. */
bool words_belong_together(const field *child, const field *parent); /* or have a word in common: id, manager_id */
bool words_of_header(const field *first, const field *second, bool *parent_first);
