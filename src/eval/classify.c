/* classify.c - thresholds, precision, recall, F1, AUC and average precision of scored pairs, and their bootstrap intervals:
 * each resample gives every pair a Poisson weight of mean 1, which for many pairs is drawing them with replacement. */
#include "classify.h"
#include "base/sorting.h"

#include <math.h>
#include <stdlib.h>

enum { STREAM_BOOTSTRAP = 0x6201, FIGURES = 5 };

static int compare_pairs(const void *a, const void *b) {
  const scored_pair *x = a, *y = b;
  if (x->score != y->score)
    return x->score < y->score ? -1 : 1;
  return (int)y->yes - (int)x->yes;
}

void classify_sort(scored_pair *pairs, size_t n) { qsort(pairs, n, sizeof *pairs, compare_pairs); }

double classify_threshold(const scored_pair *pairs, size_t n, double *f1) {
  double all = 0.0, right = 0.0, best = 0.0, threshold = n > 0 ? pairs[0].score - 1.0 : 0.0;
  for (size_t i = 0; i < n; i++)
    all += pairs[i].yes;
  for (size_t i = 0; i < n; i++) {
    right += pairs[i].yes;
    if (i + 1 < n && pairs[i + 1].score == pairs[i].score)
      continue;
    const double now = 2.0 * right / ((double)(i + 1) + all);
    if (now > best) {
      best = now;
      threshold = i + 1 < n ? pairs[i].score + (pairs[i + 1].score - pairs[i].score) / 2.0 : pairs[i].score;
    }
  }
  if (f1 != NULL)
    *f1 = best;
  return threshold;
}

/* The five figures with weights (NULL: 1 each). Equal scores are one step of the curves: AUC counts them half. */
static void figures_of(const scored_pair *pairs, size_t n, double threshold, const uint8_t *weights, double out[FIGURES]) {
  double yes = 0.0, no = 0.0, right = 0.0, wrong = 0.0; /* all; with a score up to the threshold */
  double above = 0.0, precision_sum = 0.0;              /* pairs (edge, non-edge) in the right order; sum of precision x edges */
  for (size_t i = 0; i < n;) {
    double edges = 0.0, others = 0.0;
    const double score = pairs[i].score;
    do {
      const double w = weights != NULL ? weights[i] : 1.0;
      *(pairs[i].yes ? &edges : &others) += w;
    } while (++i < n && pairs[i].score == score);
    above += others * (yes + edges / 2.0);
    yes += edges;
    no += others;
    if (edges > 0.0)
      precision_sum += edges * yes / (yes + no);
    if (score <= threshold) {
      right = yes;
      wrong = no;
    }
  }
  out[0] = 2.0 * right / (right + wrong + yes);
  out[1] = right / (right + wrong);
  out[2] = right / yes;
  out[3] = above / (yes * no);
  out[4] = precision_sum / yes;
}

/* ---- the bootstrap ------------------------------------------------------------------------------------------------------ */

typedef struct bootstrap {
  const scored_pair *pairs;
  size_t n;
  double threshold;
  uint64_t seed;
  uint8_t *weights; /* n for each resample that is under way */
  double *figures;  /* resamples x FIGURES */
} bootstrap;

/* Poisson of mean 1 from 16 random bits: the cumulative probabilities times 2^16; the last is what is left. */
static uint8_t poisson(uint32_t bits) {
  static const uint32_t bounds[] = {24109, 48218, 60273, 64291, 65296, 65497, 65531, 65535};
  uint8_t k = 0;
  while (k < 8 && bits >= bounds[k])
    k++;
  return k;
}

static void resample_task(void *arg, size_t index) {
  const bootstrap *b = arg;
  uint8_t *weights = b->weights + index * b->n;
  geodisk_random random = geodisk_random_stream(b->seed, ((uint64_t)STREAM_BOOTSTRAP << 32) | index);
  for (size_t i = 0; i < b->n; i += 2) {
    const uint32_t bits = geodisk_random_bits32(&random);
    weights[i] = poisson(bits & 0xffff);
    if (i + 1 < b->n)
      weights[i + 1] = poisson(bits >> 16);
  }
  figures_of(b->pairs, b->n, b->threshold, weights, b->figures + index * FIGURES);
}

/* The 2.5 % and 97.5 % quantiles of a column. */
static geodisk_estimate interval(double value, size_t resamples, const double *figures, size_t column, double *scratch) {
  size_t n = 0;
  for (size_t i = 0; i < resamples; i++)
    if (!isnan(figures[i * FIGURES + column]))
      scratch[n++] = figures[i * FIGURES + column];
  if (n == 0)
    return (geodisk_estimate){value, value, value};
  qsort(scratch, n, sizeof *scratch, ascending_doubles);
  const size_t low = (size_t)(0.025 * (double)(n - 1) + 0.5), high = (size_t)(0.975 * (double)(n - 1) + 0.5);
  return (geodisk_estimate){value, fmin(value, scratch[low]), fmax(value, scratch[high])};
}

geodisk_status classify_judge(geodisk_context *context, const scored_pair *pairs, size_t n, double threshold, size_t resamples,
                              uint64_t seed, geodisk_classification *out) {
  enum { AT_ONCE = 16 };
  double figures[FIGURES];
  figures_of(pairs, n, threshold, NULL, figures);
  geodisk_estimate *const targets[FIGURES] = {&out->f1, &out->precision, &out->recall, &out->auc, &out->average_precision};
  out->threshold = threshold;
  for (size_t k = 0; k < FIGURES; k++)
    *targets[k] = (geodisk_estimate){figures[k], figures[k], figures[k]};
  if (resamples == 0)
    return GEODISK_OK;
  bootstrap b = {.pairs = pairs, .n = n, .threshold = threshold};
  b.weights = geodisk_allocate(AT_ONCE, n);
  double *all = geodisk_allocate(resamples, FIGURES * sizeof *all), *scratch = geodisk_allocate(resamples, sizeof *scratch);
  const bool enough = b.weights != NULL && all != NULL && scratch != NULL;
  for (size_t first = 0; enough && first < resamples; first += AT_ONCE) {
    b.figures = all + first * FIGURES;
    b.seed = seed + first;
    geodisk_parallel(context, resamples - first < AT_ONCE ? resamples - first : AT_ONCE, resample_task, &b);
  }
  for (size_t k = 0; enough && k < FIGURES; k++)
    *targets[k] = interval(figures[k], resamples, all, k, scratch);
  geodisk_free_all(b.weights, all, scratch);
  return enough ? GEODISK_OK : geodisk_no_memory(context, "for %zu scored pairs", n);
}
