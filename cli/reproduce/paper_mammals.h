/* paper_mammals.h - what the experiment with WordNet's mammals (paper_mammals.c) and its report (paper_mammals_report.c) share.
 */
#pragma once

#include "paper.h"

/* Parts, each in dim 2 and then in dim 5. */
enum {
  PAPER_MAMMALS_RECONSTRUCTION = 0,
  PAPER_MAMMALS_LINKS = 2,
  PAPER_MAMMALS_UNIFORM = 4,
  PAPER_MAMMALS_GENSIM = 6,
  PAPER_MAMMALS_GENSIM_LINKS = 8,
  PAPER_MAMMALS_PARTS = 10,
  PAPER_MAMMALS_DIMS = 2
};
extern const paper_part paper_mammals_parts[PAPER_MAMMALS_PARTS];

extern const paper_figure paper_mammals_figures[];
enum { PAPER_MAMMALS_FIGURES = 2 };
void paper_mammals_report(paper *p, paper_report *r);
