/* paper_methods.h - embeddings by other methods of descent: parts of `beyond`, one for each graph (paper_methods.c). */
#pragma once

#include "paper.h"

#define PAPER_METHODS_COLUMNS "method\trate\tpasses\tloss\tloss_error\ttau\ttau_error\tseeds"
#define PAPER_METHODS_SEEDS   "method\trate\tpasses\tseed\tloss\ttau"
enum { PAPER_METHODS_PARTS = 3 }; /* tree, closure, mammals */
void paper_methods_tree_settings(const paper *p, char text[PAPER_SETTINGS]);
void paper_methods_closure_settings(const paper *p, char text[PAPER_SETTINGS]);
void paper_methods_mammals_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_methods_tree_run(paper *p, paper_buffer *out);
int paper_methods_closure_run(paper *p, paper_buffer *out);
int paper_methods_mammals_run(paper *p, paper_buffer *out);
void paper_methods_report(paper *p, const paper_part parts[PAPER_METHODS_PARTS], paper_report *r);
