/* rows.h - loops over rows for the functions of ball.h that take one point at a time, so that NumPy arrays go through in one
 * call.
 *
 * A function is handed over by its address. Operand a of row i begins at a + i * a_step, so a step of 0 is the same point for
 * every row and nothing needs to be repeated in memory. Rows are spread over the context's threads (NULL: this one). The names
 * tell what a function takes: p a point or tangent, s a number; and what it gives: a point or a number. */
#pragma once

#include <geodisk/geodisk.h>

typedef struct rows_operands {
  size_t n;
  const double *a, *b, *c, *s;
  size_t a_step, b_step, c_step, s_step;
  double *out;
  size_t out_step;
} rows_operands;

typedef struct rows_operandsf {
  size_t n;
  const float *a, *b, *c, *s;
  size_t a_step, b_step, c_step, s_step;
  float *out;
  size_t out_step;
} rows_operandsf;

typedef void (*rows_p_point)(const geodisk_ball *, const double *, double *);
typedef void (*rows_pp_point)(const geodisk_ball *, const double *, const double *, double *);
typedef void (*rows_ppp_point)(const geodisk_ball *, const double *, const double *, const double *, double *);
typedef void (*rows_pps_point)(const geodisk_ball *, const double *, const double *, double, double *);
typedef void (*rows_sp_point)(const geodisk_ball *, double, const double *, double *);
typedef double (*rows_s_number)(const geodisk_ball *, double);
typedef double (*rows_p_number)(const geodisk_ball *, const double *);
typedef double (*rows_pp_number)(const geodisk_ball *, const double *, const double *);
typedef double (*rows_ppp_number)(const geodisk_ball *, const double *, const double *, const double *);
typedef void (*rows_p_pointf)(const geodisk_ball *, const float *, float *);
typedef void (*rows_pp_pointf)(const geodisk_ball *, const float *, const float *, float *);
typedef void (*rows_ppp_pointf)(const geodisk_ball *, const float *, const float *, const float *, float *);
typedef void (*rows_pps_pointf)(const geodisk_ball *, const float *, const float *, float, float *);
typedef void (*rows_sp_pointf)(const geodisk_ball *, float, const float *, float *);
typedef float (*rows_s_numberf)(const geodisk_ball *, float);
typedef float (*rows_p_numberf)(const geodisk_ball *, const float *);
typedef float (*rows_pp_numberf)(const geodisk_ball *, const float *, const float *);
typedef float (*rows_ppp_numberf)(const geodisk_ball *, const float *, const float *, const float *);

void rows_map_p_point(geodisk_context *context, const geodisk_ball *ball, rows_p_point f, const rows_operands *o);
void rows_map_pp_point(geodisk_context *context, const geodisk_ball *ball, rows_pp_point f, const rows_operands *o);
void rows_map_ppp_point(geodisk_context *context, const geodisk_ball *ball, rows_ppp_point f, const rows_operands *o);
void rows_map_pps_point(geodisk_context *context, const geodisk_ball *ball, rows_pps_point f, const rows_operands *o);
void rows_map_sp_point(geodisk_context *context, const geodisk_ball *ball, rows_sp_point f, const rows_operands *o);
void rows_map_s_number(geodisk_context *context, const geodisk_ball *ball, rows_s_number f, const rows_operands *o);
void rows_map_p_number(geodisk_context *context, const geodisk_ball *ball, rows_p_number f, const rows_operands *o);
void rows_map_pp_number(geodisk_context *context, const geodisk_ball *ball, rows_pp_number f, const rows_operands *o);
void rows_map_ppp_number(geodisk_context *context, const geodisk_ball *ball, rows_ppp_number f, const rows_operands *o);
void rows_map_p_pointf(geodisk_context *context, const geodisk_ball *ball, rows_p_pointf f, const rows_operandsf *o);
void rows_map_pp_pointf(geodisk_context *context, const geodisk_ball *ball, rows_pp_pointf f, const rows_operandsf *o);
void rows_map_ppp_pointf(geodisk_context *context, const geodisk_ball *ball, rows_ppp_pointf f, const rows_operandsf *o);
void rows_map_pps_pointf(geodisk_context *context, const geodisk_ball *ball, rows_pps_pointf f, const rows_operandsf *o);
void rows_map_sp_pointf(geodisk_context *context, const geodisk_ball *ball, rows_sp_pointf f, const rows_operandsf *o);
void rows_map_s_numberf(geodisk_context *context, const geodisk_ball *ball, rows_s_numberf f, const rows_operandsf *o);
void rows_map_p_numberf(geodisk_context *context, const geodisk_ball *ball, rows_p_numberf f, const rows_operandsf *o);
void rows_map_pp_numberf(geodisk_context *context, const geodisk_ball *ball, rows_pp_numberf f, const rows_operandsf *o);
void rows_map_ppp_numberf(geodisk_context *context, const geodisk_ball *ball, rows_ppp_numberf f, const rows_operandsf *o);
