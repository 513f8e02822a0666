/* rows.c - the loops of rows.h: one macro gives the loop over a block of rows and the function that spreads the blocks. */
#include "rows.h"

enum { ROWS_PER_TASK = 256 };

#define A         (o->a + i * o->a_step)
#define B         (o->b + i * o->b_step)
#define C         (o->c + i * o->c_step)
#define S         (o->s[i * o->s_step])
#define OUT       (o->out + i * o->out_step)
#define POINT(x)  (x)
#define NUMBER(x) (*OUT = (x))

#define ROWS(name, operands, call)                                                                                               \
  typedef struct rows_work_##name {                                                                                              \
    const geodisk_ball *ball;                                                                                                    \
    rows_##name f;                                                                                                               \
    const operands *o;                                                                                                           \
  } rows_work_##name;                                                                                                            \
  static void rows_task_##name(void *arg, size_t index) {                                                                        \
    const rows_work_##name *work = arg;                                                                                          \
    const geodisk_ball *ball = work->ball;                                                                                       \
    const operands *o = work->o;                                                                                                 \
    rows_##name f = work->f;                                                                                                     \
    const size_t begin = index * ROWS_PER_TASK, end = o->n - begin < ROWS_PER_TASK ? o->n : begin + ROWS_PER_TASK;               \
    for (size_t i = begin; i < end; i++)                                                                                         \
      call;                                                                                                                      \
  }                                                                                                                              \
  void rows_map_##name(geodisk_context *context, const geodisk_ball *ball, rows_##name f, const operands *o) {                   \
    rows_work_##name work = {ball, f, o};                                                                                        \
    geodisk_parallel(context, o->n / ROWS_PER_TASK + (o->n % ROWS_PER_TASK != 0), rows_task_##name, &work);                      \
  }

#define ROWS_OF_TYPE(f_)                                                                                                         \
  ROWS(p_point##f_, rows_operands##f_, POINT(f(ball, A, OUT)))                                                                   \
  ROWS(pp_point##f_, rows_operands##f_, POINT(f(ball, A, B, OUT)))                                                               \
  ROWS(ppp_point##f_, rows_operands##f_, POINT(f(ball, A, B, C, OUT)))                                                           \
  ROWS(pps_point##f_, rows_operands##f_, POINT(f(ball, A, B, S, OUT)))                                                           \
  ROWS(sp_point##f_, rows_operands##f_, POINT(f(ball, S, A, OUT)))                                                               \
  ROWS(s_number##f_, rows_operands##f_, NUMBER(f(ball, S)))                                                                      \
  ROWS(p_number##f_, rows_operands##f_, NUMBER(f(ball, A)))                                                                      \
  ROWS(pp_number##f_, rows_operands##f_, NUMBER(f(ball, A, B)))                                                                  \
  ROWS(ppp_number##f_, rows_operands##f_, NUMBER(f(ball, A, B, C)))

ROWS_OF_TYPE()
ROWS_OF_TYPE(f)
