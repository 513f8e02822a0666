/* paper_methods.h - embeddings by other methods of descent: a part of `beyond` (paper_methods.c). */
#ifndef GEODISK_CLI_PAPER_METHODS_H
#define GEODISK_CLI_PAPER_METHODS_H

#include "paper.h"

#define PAPER_METHODS_COLUMNS "method\tgraph\trate\tpasses\tloss\tloss_error\ttau\ttau_error\tseeds"
#define PAPER_METHODS_SEEDS   "method\tgraph\trate\tpasses\tseed\tloss\ttau"
void paper_methods_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_methods_run(paper *p, paper_buffer *out);
void paper_methods_report(paper *p, const paper_part *part, paper_report *r);

#endif
