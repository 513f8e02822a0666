/* paper_theory.h - the parts of the experiment `theory`, one file each, and what its plan (paper_theory.c) calls of them. */
#pragma once

#include "paper.h"

/* Errors of forms of the exponential map (paper_exp.c). */
void paper_exp_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_exp_run(paper *p, paper_buffer *out);
void paper_exp_report(paper *p, const paper_part *part, paper_report *r);

/* Gradient descent with whole gradients: the bound of Theorem 2, and the geodesic against the Euclidean update (paper_rate.c). */
void paper_bound_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_bound_run(paper *p, paper_buffer *out);
void paper_bound_report(paper *p, const paper_part *part, paper_report *r);
void paper_rate_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_rate_run(paper *p, paper_buffer *out);
void paper_rate_report(paper *p, const paper_part *part, paper_report *r);

/* Second derivatives (propositions 1 and 2, the lemma on smoothness) and the two theorems on the bias (paper_constants.c). */
void paper_smoothness_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_smoothness_run(paper *p, paper_buffer *out);
void paper_smoothness_report(paper *p, const paper_part *part, paper_report *r);
void paper_bias_settings(const paper *p, char text[PAPER_SETTINGS]);
int paper_bias_run(paper *p, paper_buffer *out);
void paper_bias_report(paper *p, const paper_part *part, paper_report *r);
