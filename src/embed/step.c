/* step.c - workers, and one step of training: hands the kernel its rows and adds up what came of it. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "trainer.h"

geodisk_status embed_create_workers(geodisk_trainer *t, size_t largest) {
  const size_t rows = t->longest + TRAIN_PAD;
  t->worker_count = geodisk_context_threads(t->context);
  t->workers = geodisk_allocate_zero((size_t)t->worker_count, sizeof *t->workers);
  t->busy = geodisk_allocate_zero((size_t)t->worker_count, sizeof *t->busy);
  t->lock = geodisk_allocate_zero(1, sizeof(pthread_mutex_t));
  if (!t->workers || !t->busy || !t->lock)
    return GEODISK_ERROR_MEMORY;
  pthread_mutex_init(t->lock, NULL);
  for (int i = 0; i < t->worker_count; i++) {
    worker *w = &t->workers[i];
    w->stamp = geodisk_allocate_zero(largest, sizeof *w->stamp);
    w->index_room = rows;
    w->halves = geodisk_allocate_zero(HALVES + TRAIN_AT_ONCE * rows + TRAIN_COMB_PAD, sizeof *w->halves);
    w->index = geodisk_allocate(rows, 2 * TRAIN_AT_ONCE * sizeof *w->index);
    w->largest = largest;
    w->closed = geodisk_allocate_zero(largest, sizeof *w->closed);
    w->rest = geodisk_allocate(largest, sizeof *w->rest);
    w->randoms = geodisk_allocate_zero(rows, TRAIN_AT_ONCE * sizeof *w->randoms);
    for (int odd = 0; odd < 2; odd++)
      w->combs[odd].starts = w->starts[odd] = geodisk_allocate_zero(rows + 2 * TRAIN_COMB_PAD, sizeof *w->starts[odd]);
    w->places_room = rows + TRAIN_COMB_PAD;
    w->places = geodisk_allocate(w->places_room, TRAIN_AT_ONCE * sizeof *w->places);
    w->scratch_bytes = train_scratch_bytes(t->longest, (size_t)t->options.dim);
    w->scratch = geodisk_allocate(w->scratch_bytes, TRAIN_AT_ONCE);
    if (!w->stamp || !w->index || !w->halves || !w->closed || !w->rest || !w->randoms || !w->starts[0] || !w->starts[1] ||
        !w->places || !w->scratch)
      return GEODISK_ERROR_MEMORY;
  }
  return GEODISK_OK;
}

void embed_destroy_workers(geodisk_trainer *t) {
  for (int i = 0; t->workers && i < t->worker_count; i++) {
    free(t->workers[i].stamp);
    free(t->workers[i].index);
    free(t->workers[i].halves);
    free(t->workers[i].closed);
    free(t->workers[i].rest);
    free(t->workers[i].randoms);
    free(t->workers[i].starts[0]);
    free(t->workers[i].starts[1]);
    free(t->workers[i].places);
    free(t->workers[i].scratch);
  }
  if (t->lock)
    pthread_mutex_destroy(t->lock);
  free(t->lock);
  free(t->busy);
  free(t->workers);
}

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

static void run_kernel(geodisk_trainer *t, const train_rule *rule, const train_step *steps, size_t count, train_result *result) {
  if (t->options.precision == GEODISK_PRECISION_FLOAT)
    t->kernel->f(rule, t->rows, steps, count, result);
  else
    t->kernel->d(rule, t->rows, steps, count, result);
}

/* The regularisation's pull on v, for `edges` edges: along the ray to the origin, by the rule of the update. */
static void pull_to_origin(geodisk_trainer *t, const train_rule *rule, uint32_t v, size_t edges) {
  const size_t dim = rule->dim;
  const double strength = rule->lr / t->options.sharpness * t->options.regularization * (double)edges;
  double x[512], gap, square = 0.0, scale;
  embed_get_row(t, v, x, &gap);
  for (size_t k = 0; k < dim; k++)
    square += x[k] * x[k];
  if (!(square > 0.0))
    return;
  if (rule->flat || rule->update == TRAIN_EUCLIDEAN) {
    scale = fmax(1.0 - 2.0 * strength, 0.0);
  } else if (rule->update == TRAIN_NATURAL) {
    scale = fmax(1.0 - 0.5 * strength * gap * gap, 0.0);
  } else { /* a step of length strength * S |x|, which (S/2)^2 times the gradient 2 x has; at most to the origin */
    const double norm = sqrt(fmax(1.0 - gap, 0.0)), h = 0.5 * strength * gap * norm, t2 = h * h;
    const double way = h < 0.01 ? h * (1.0 - t2 / 3.0 * (1.0 - 0.4 * t2)) : tanh(h), past = 1.0 - norm * way;
    const double end = fmax(norm - way, 0.0) / past;
    scale = end / sqrt(square);
    gap = end > 0.0 ? gap * (1.0 - way * way) / (past * past) : 1.0;
  }
  for (size_t k = 0; k < dim; k++)
    x[k] *= scale;
  if (rule->flat || rule->update != TRAIN_GEODESIC)
    gap = rule->flat ? gap : 1.0 - square * scale * scale;
  embed_set_row(t, v, x, gap);
}

void embed_take_steps(geodisk_trainer *t, worker *w, const train_rule *rule, train_step *steps, size_t count, double *likelihoods,
                      tally *sum) {
  train_result result = {.ratio = sum->ratio};
  uint32_t targets[TRAIN_AT_ONCE]; /* the kernel may leave rows out of the list that are not pulled */
  for (size_t i = 0; i < count; i++) {
    uint16_t *randoms = w->randoms + i * w->index_room;
    if (rule->sparse > 0.0)
      memcpy(randoms, embed_halves(t, w, steps[i].negatives), steps[i].negatives * sizeof *randoms);
    steps[i].randoms = randoms;
    steps[i].turn = (uint32_t)sum->edges;
    steps[i].scratch = (char *)w->scratch + i * w->scratch_bytes;
    targets[i] = steps[i].index[steps[i].negatives];
    sum->edges += steps[i].positives;
  }
  run_kernel(t, rule, steps, count, &result);
  sum->loss += result.loss;
  sum->ratio = result.ratio;
  sum->clips += result.clips;
  if (result.bad) {
    sum->bad = true;
    sum->bad_child = steps[result.bad_step].u;
    sum->bad_parent = targets[result.bad_step];
  }
  for (size_t i = 0; likelihoods && i < count; i++)
    likelihoods[i] = result.likelihoods[i];
}

void embed_steps(geodisk_trainer *t, worker *w, const train_rule *rule, company *c, tally *sum) {
  if (c->apart && t->options.regularization == 0.0) {
    embed_take_steps(t, w, rule, c->steps, c->count, NULL, sum);
    return;
  }
  for (size_t i = 0; i < c->count && !sum->bad; i++) {
    train_step *step = &c->steps[i];
    if (step->negatives == 0) {
      sum->skipped++;
      continue;
    }
    const uint32_t target = step->index[step->negatives];
    embed_take_steps(t, w, rule, step, 1, NULL, sum);
    if (t->options.regularization > 0.0 && !sum->bad)
      pull_to_origin(t, rule, target, 1);
  }
}

void embed_pull_target(geodisk_trainer *t, worker *w, const train_rule *rule, uint32_t v, size_t sources, const double *weights,
                       const void *others) {
  const train_step step = {
      .u = v, .index = w->index, .positives = sources, .weights = weights, .others = others, .hold = true, .scratch = w->scratch};
  train_result result = {.ratio = 1.0};
  run_kernel(t, rule, &step, 1, &result);
  if (t->options.regularization > 0.0)
    pull_to_origin(t, rule, v, sources);
}
