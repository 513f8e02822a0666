/* train_isa.h - the trainer's kernels for the instruction set that the including file names: train_lanes.h for float and for
 * double. */
#include "lanes.h"
#include "train.h"
#include "train_draws.h"
#include "train_sample.h"

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
#define LOAD            load_f
#define STORE           store_f
#define FMA             fma_f
#define NV              nf
#define NFMA            fma_nf
#define SQRT            sqrt_f
#define MIN             min_f
#define UP_TO           up_to_f
#define SELECT(m, a, b) select_f((vi)(m), a, b)
#define PACK            pack_f
#define PACK_WORDS      pack_words_f
#define WORDS           words_f
#define COUNT           count_f
#define WHOLE           whole_f
#define TURN            turn_f
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
#undef LOAD
#undef STORE
#undef FMA
#undef NV
#undef NFMA
#undef SQRT
#undef MIN
#undef UP_TO
#undef SELECT
#undef PACK
#undef PACK_WORDS
#undef WORDS
#undef COUNT
#undef WHOLE
#undef TURN

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
#define LOAD            load_d
#define STORE           store_d
#define FMA             fma_d
#define NV              nd
#define NFMA            fma_nd
#define SQRT            sqrt_d
#define MIN             min_d
#define UP_TO           up_to_d
#define SELECT(m, a, b) select_d((vl)(m), a, b)
#define PACK            pack_d
#define PACK_WORDS      pack_words_d
#define WORDS           words_d
#define COUNT           count_d
#define WHOLE           whole_d
#define TURN            turn_d
#include "train_lanes.h"

const train_table TRAIN_TABLE = {TRAIN_NAME, pulls_d, pulls_f, moves_d, moves_f, draw_words, draw_comb, draw_near, sample_terms};
