/* mean_run.h - one run towards a barycenter of plain points: the solver and the passes, driven pass by pass. */
#pragma once

#include "mean_plain.h"
#include "solver.h"

typedef struct mean_run {
  solver solver;
  plain plain;
  request next; /* the pass to make */
} mean_run;

geodisk_status mean_check_options(const geodisk_ball *ball, const geodisk_mean_options *options);

/* mean_run_destroy is needed whatever create returns. */
geodisk_status mean_run_create(const geodisk_ball *ball, const geodisk_mean_options *options, mean_run *r);
void mean_run_destroy(mean_run *r);

/* A pass: begin, plain_feed(&r->plain, ...), end; until r->next is ASK_DONE. */
void mean_run_begin_pass(mean_run *r);
geodisk_status mean_run_end_pass(mean_run *r);
void mean_run_result(const mean_run *r, double *out, geodisk_mean_info *info);

/* Tells the callbacks where a run stands. *stop: the caller's wants no more. */
geodisk_status mean_go_on(const geodisk_mean_options *options, uint64_t iteration, const char *extra); /* progress alone */
geodisk_status mean_report(const geodisk_mean_options *options, const geodisk_mean_iteration *now, bool *stop);

/* The stochastic method: steps, then an accurate pass. */
geodisk_status mean_stochastic(mean_run *r, size_t n, const double *points, const double *weights, double *gaps);
