/* step.c - workers, and one step of training: hands the kernel its rows and adds up what came of it. */
#include <math.h>
#include <pthread.h>

#include "trainer.h"

worker *embed_take_worker(geodisk_trainer *t) {
  pthread_mutex_lock(t->lock);
  int i = 0;
  while (t->busy[i])
    i++; /* there are as many as threads: one is free */
  t->busy[i] = true;
  pthread_mutex_unlock(t->lock);
  return &t->workers[i];
}

void embed_give_worker(geodisk_trainer *t, worker *w) {
  pthread_mutex_lock(t->lock);
  t->busy[w - t->workers] = false;
  pthread_mutex_unlock(t->lock);
}

void embed_add_tally(tally *sum, const tally *part) {
  sum->loss += part->loss + (part->ratio > 0.0 ? log(part->ratio) : 0.0);
  sum->edges += part->edges;
  sum->skipped += part->skipped;
  sum->clips += part->clips;
  if (part->bad && !sum->bad) {
    sum->bad = true;
    sum->bad_child = part->bad_child;
    sum->bad_parent = part->bad_parent;
  }
}

static void run_kernel(geodisk_trainer *t, const train_rule *rule, const train_step *step, train_result *result) {
  if (t->options.precision == GEODISK_PRECISION_FLOAT)
    t->kernel->f(rule, t->rows, step, result);
  else
    t->kernel->d(rule, t->rows, step, result);
}

static double take_step(geodisk_trainer *t, worker *w, const train_rule *rule, train_step *step, tally *sum) {
  if (rule->sparse > 0.0)
    for (size_t i = 0; i < step->negatives; i++)
      w->randoms[i] = embed_word(t, w);
  step->randoms = w->randoms;
  step->turn = (uint32_t)sum->edges;
  step->scratch = w->scratch;
  train_result result = {.ratio = sum->ratio};
  run_kernel(t, rule, step, &result);
  sum->loss += result.loss;
  sum->ratio = result.ratio;
  sum->edges += step->positives;
  sum->clips += result.clips;
  if (result.bad) {
    sum->bad = true;
    sum->bad_child = step->u;
    sum->bad_parent = step->index[step->negatives] % (uint32_t)t->nodes;
  }
  return result.likelihoods;
}

void embed_step(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t u, uint32_t *index, size_t negatives,
                const double *weight, tally *sum) {
  train_step step = {.u = u, .negatives = negatives, .positives = 1, .weights = weight};
  step.index = index;
  take_step(t, w, rule, &step, sum);
}

double embed_group_step(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t u, size_t negatives, size_t positives,
                        const double *weights, tally *sum) {
  train_step step = {.u = u, .index = w->index, .negatives = negatives, .positives = positives, .weights = weights, .hold = true};
  return take_step(t, w, rule, &step, sum);
}

void embed_pull_target(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t v, size_t sources, const double *weights,
                       const void *others) {
  const train_step step = {
      .u = v, .index = w->index, .positives = sources, .weights = weights, .others = others, .hold = true, .scratch = w->scratch};
  train_result result = {.ratio = 1.0};
  run_kernel(t, rule, &step, &result);
}
