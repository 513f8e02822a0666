/* procrustes.h - the orthogonal map that brings one set of vectors nearest to another. */
#pragma once

#include <stddef.h>

/* The orthogonal Q (dim x dim, row-major, reflections included) with the largest trace of Q^T M, that is, the least
 * sum |Q a_i - b_i|^2 for M = sum b_i a_i^T: U V^T of the singular values M = U S V^T. `m` is overwritten; `v` is room for
 * dim x dim numbers. Where M is of lower rank, what is left open is chosen, not found. */
void eval_procrustes(size_t dim, double *m, double *v, double *q);
