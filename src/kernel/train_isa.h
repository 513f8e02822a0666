/* train_isa.h - the trainer's kernels for the instruction set that the including file names: train_lanes.h for float and for
 * double. */
#include "lanes.h"
#include "train.h"
#include "train_draws.h"
#include "train_sample.h"

/* The operations of either, by NAME. */
#define LOAD       NAME(load)
#define STORE      NAME(store)
#define FMA        NAME(fma)
#define SQRT       NAME(sqrt)
#define MIN        NAME(min)
#define UP_TO      NAME(up_to)
#define PACK       NAME(pack)
#define PACK_WORDS NAME(pack_words)
#define WORDS      NAME(words)
#define COUNT      NAME(count)
#define WHOLE      NAME(whole)
#define TURN       NAME(turn)

#define TRAIN_SINGLE 1
#include "train_constants.h"
#define V               vf
#define VI              vi
#define VH              vu
#define VHI             vi
#define VS              vi
#define VW              vu
#define NAME(x)         x##_f
#define ALL(a)          all_f((float)(a))
#define NV              nf
#define NFMA            fma_nf
#define SELECT(m, a, b) select_f((vi)(m), a, b)
#include "train_lanes.h"
#undef TRAIN_SINGLE
#undef V
#undef VI
#undef VH
#undef VHI
#undef VS
#undef VW
#undef NAME
#undef ALL
#undef NV
#undef NFMA
#undef SELECT

#define TRAIN_SINGLE 0
#include "train_constants.h"
#define V               vd
#define VI              vl
#define VH              vu8
#define VHI             vi8
#define VS              vl
#define VW              vw
#define NAME(x)         x##_d
#define ALL(a)          all_d((double)(a))
#define NV              nd
#define NFMA            fma_nd
#define SELECT(m, a, b) select_d((vl)(m), a, b)
#include "train_lanes.h"

const train_table TRAIN_TABLE = {TRAIN_NAME, pulls_d,    pulls_f,   moves_d,   moves_f,     add_d,
                                 add_f,      draw_words, draw_comb, draw_near, sample_terms};
