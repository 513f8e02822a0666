/* paper_walk.h - the point that walks in the paper's barycenter experiment (paper_walk.c), and what is measured of it. */
#pragma once

#include "paper.h"

enum { PAPER_WALK_DRAWN = 3, PAPER_WALK_RULES = 5, PAPER_WALK_RATES = 6, PAPER_WALK_LAST = 200, PAPER_WALK_DIM = 2 };

/* Starting on the line through both anchors, and, the last two, anywhere in the plane. */
extern const char *const paper_walk_rules[PAPER_WALK_RULES];
extern const double paper_walk_rates[PAPER_WALK_RATES];

typedef struct paper_walker {
  geodisk_ball ball;
  geodisk_update rule;
  double rate, x[PAPER_WALK_DIM], gap, anchors[2][PAPER_WALK_DIM], gaps[2];
  double optimum;     /* distance of the barycenter from either anchor */
  double near_gap[2]; /* gaps of points that are nearer to the optimum than 5 % of that distance */
  bool clipped;       /* the last step */
  geodisk_random random;
} paper_walker;

paper_walker paper_walker_start(int rule, int rate, uint64_t seed);
void paper_walker_step(paper_walker *w);
double paper_walker_offset(const paper_walker *w); /* how much farther out than the optimum */
double paper_walker_loss(const paper_walker *w);
bool paper_walker_is_near(const paper_walker *w);

/* The learning rate from which on a natural step from the optimum reaches the boundary, where it is clipped. */
double paper_walk_clips_at(void);

/* Figures and section of `barycenter` (paper_barycenter_report.c). */
extern const paper_figure paper_barycenter_figures[];
enum { PAPER_BARYCENTER_FIGURES = 3 };
extern const paper_part paper_barycenter_parts[];
void paper_barycenter_report(paper *p, paper_report *r);
void paper_barycenter_times(paper *p, paper_report *r);

/* The updates given equal time instead of equally many steps (paper_times.c): a part of `barycenter`. */
void paper_times_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_times_run(paper *p, paper_buffer *out);
void paper_times_report(paper *p, const paper_part *part, paper_report *r);

/* What a step costs by dimension: natural, Theorem 1, geodisk's (paper_times.c). */
void paper_cost_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_cost_run(paper *p, paper_buffer *out);
void paper_cost_report(paper *p, const paper_part *part, paper_report *r);
