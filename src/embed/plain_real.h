/* plain_real.h - a unit of the loop for one type of numbers: included by plain.c once for float and once for double. The formulas
 * it calls are in kernel/train_formulas.h.
 *
 * Every operation rounds once, in the order in which it is written; FMA is one operation. Sums over many are made in LANES
 * partial sums, the i-th number into the sum i mod LANES, and these are added in halves. That is all the kernels of src/kernel
 * rely on. */

#include "kernel/train_formulas.h"

/* One unit: its pulls go into sums, candidates x stride. */
static void NAME(unit)(const train_rule *rule, const drawn_block *d, const void *all_rows, const train_unit *unit,
                       plain_room *room, int64_t *sums, tally *noted) {
  const size_t dim = rule->dim, stride = rule->stride, last = stride - 1;
  const real *rows = all_rows, *u = rows + (size_t)d->node[unit->source] * stride;
  real *y = room->y, *likely = room->likely, *target_pull = room->pull, *own = room->own;
  uint32_t *who = room->who;
  const real gap = u[last], inverse = (real)1 / gap;

  /* distances, by y = |u-m|^2 / S(m) */
  for (size_t c = 0; c < d->candidates; c++) {
    const real *m = rows + (size_t)d->node[c] * stride;
    real square = 0;
    for (size_t k = 0; k < dim; k++) {
      const real difference = u[k] - m[k];
      square = FMA1(difference, difference, square);
    }
    y[c] = rule->flat ? square : square * ((real)1 / m[last]);
  }

  /* the furthest target; negatives much less likely than it are dropped */
  real furthest = 0;
  for (size_t j = 0; j < unit->targets; j++)
    furthest = y[unit->target[j]] > furthest ? y[unit->target[j]] : furthest;
  const real growth = NAME(growth)(rule, furthest, inverse), far = growth * (real)rule->reach;
  const real half = (far - 1 / far) * (real)0.5, length = growth + (real)(2.0 * rule->reach);
  real limit = rule->flat ? length * length : half * half * gap;
  limit = limit < (real)LARGEST ? limit : (real)LARGEST;
  bool *struck = room->struck;
  for (size_t c = 0; c < d->candidates; c++)
    struck[c] = c < unit->apart || c == unit->source;
  for (size_t j = 0; j < unit->targets; j++)
    struck[unit->target[j]] = true;
  size_t negatives = 0;
  for (size_t c = 0; c < d->candidates; c++)
    if (!struck[c] && y[c] <= limit)
      who[negatives++] = (uint32_t)c;

  /* likelihoods a^(-2B), relative to the furthest target's */
  real part[LANES] = {0}, shares[LANES] = {0}, losses[LANES] = {0}, pressed[LANES] = {0};
  for (size_t n = 0; n < negatives; n++) {
    const real a = NAME(growth)(rule, y[who[n]], inverse);
    likely[n] = NAME(ratio)(rule, growth, a);
    part[n % LANES] += likely[n];
  }
  const real z = NAME(total)(part);
  noted->edges += unit->targets;
  noted->skipped += negatives == 0 ? unit->targets : 0;
  if (!(z <= (real)LARGEST)) {
    noted->bad_node = noted->bad ? noted->bad_node : d->node[unit->source];
    noted->bad = true;
    return;
  }
  if (negatives == 0)
    return;

  /* softmax of each target over itself and the negatives */
  const real one = NAME(ratio)(rule, growth, rule->flat ? 0 : 1);
  for (size_t j = 0; j < unit->targets; j++) {
    const real a = NAME(growth)(rule, y[unit->target[j]], inverse);
    const real r = NAME(ratio)(rule, growth, a);
    const real weight = unit->weights ? (real)unit->weights[j] : 1;
    const real whole = (rule->complement ? one : r) + z, share = weight / whole;
    target_pull[j] = NAME(thin)(rule, unit->key, (uint32_t)(TRAIN_TARGET_INDEX + j), rule->complement ? weight : share * z);
    shares[j % LANES] += share;
    losses[j % LANES] = FMA1(weight, NAME(log)(whole / r), losses[j % LANES]);
  }
  const real share = NAME(total)(shares);
  if (!(share <= (real)LARGEST)) {
    noted->bad_node = noted->bad ? noted->bad_node : d->node[unit->source];
    noted->bad = true;
    return;
  }
  noted->loss += LRINT(NAME(total)(losses) * (real)TRAIN_LOSS_SCALE);

  /* pushes, bounded */
  real factor = 1;
  for (size_t n = 0; n < negatives; n++)
    pressed[n % LANES] += NAME(least)(likely[n] * share, (real)TRAIN_SMALL_PUSH);
  const real pressure = NAME(total)(pressed);
  if (rule->bound > 0 && pressure > (real)rule->bound)
    factor = (real)rule->bound / pressure;

  /* each pull acts along the geodesic between u and m: at m along the unit tangent c (S(m) (u-m) - |u-m|^2 m) */
  real along = 0, path = 0;
  memset(own, 0, stride * sizeof *own);
  for (size_t n = 0; n < negatives + unit->targets; n++) {
    const bool target = n >= negatives;
    const uint32_t c = target ? unit->target[n - negatives] : who[n];
    const real p = target ? target_pull[n - negatives] : -NAME(thin)(rule, unit->key, (uint32_t)n, likely[n] * share * factor);
    const real drag = target ? -(real)((rule->flat ? 2.0 : 1.0) * rule->regularization * rule->scale) : 0;
    if (!(p != 0) && !(drag < 0))
      continue;
    const real *m = rows + (size_t)d->node[c] * stride, s = m[last], square = rule->flat ? y[c] : y[c] * s,
               distance = SQRT1(square);
    const real steep = rule->flat ? 1 / distance : 1 / (distance * SQRT1(FMA1(gap, s, square)));
    const real pc = p * (square > LEAST_SQUARE ? steep : 0), size = p < 0 ? -p : p;
    int64_t *sum = sums + c * stride;
    for (size_t k = 0; k < dim; k++) {
      const real difference = u[k] - m[k];
      real t = (rule->flat ? difference : FMA1(s, difference, -(square * m[k]))) * pc * (real)rule->scale;
      if (drag < 0)
        t = FMA1(drag * s, m[k], t);
      sum[k] = train_add(sum[k], LRINT(t));
      own[k] = FMA1(pc, difference, own[k]);
    }
    sum[last] = train_add(sum[last], LRINT(size * (real)rule->scale));
    along = FMA1(pc, square, along);
    path += size;
  }
  if (!(path > 0))
    return;
  int64_t *sum = sums + unit->source * stride;
  for (size_t k = 0; k < dim; k++)
    sum[k] = train_add(sum[k], LRINT((rule->flat ? -own[k] : FMA1(-gap, own[k], -(along * u[k]))) * (real)rule->scale));
  sum[last] = train_add(sum[last], LRINT(path * (real)rule->scale));
}
