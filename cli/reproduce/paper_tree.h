/* paper_tree.h - what the experiment with the tree (paper_tree.c) and its report (paper_tree_report.c) share. */
#pragma once

#include "paper.h"

enum { PAPER_TREE_RULES = 3, PAPER_TREE_SHAPES = 2, PAPER_TREE_STAGES = 3, PAPER_TREE_PARTS = 4 };

/* Geodesic, natural, euclidean. */
extern const char *const paper_tree_rules[PAPER_TREE_RULES];

/* Undirected, closure; then gensim on both. */
extern const paper_part paper_tree_parts[PAPER_TREE_PARTS];

extern const paper_figure paper_tree_figures[];
enum { PAPER_TREE_FIGURES = 1 };
void paper_tree_report(paper *p, paper_report *r);
