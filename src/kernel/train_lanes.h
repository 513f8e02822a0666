/* train_lanes.h - the trainer's kernels over the vectors of lanes.h, for one type of numbers: included once for float and once
 * for double. Operation by operation what src/embed/plain.c does, on many lanes at a time: candidates, targets or rows in the
 * lanes where each is a number, coordinates in the lanes where each is a point. */

/* ---- functions ---- */

LANES_INLINE V NAME(power2)(V y) { return (V)(((VI)y - (VI)ALL(MAGIC) + BIAS) << FRACTION); }

/* e^x, |x| <= 80. */
LANES_INLINE V NAME(exp)(V x) {
  const V y = x * ALL(LOG2E) + ALL(MAGIC), n = y - ALL(MAGIC);
  const V r = (x - n * ALL(LN2_HIGH)) - n * ALL(LN2_LOW);
  V sum = ALL(inverse_factorial(EXP_TERMS));
  for (int k = EXP_TERMS - 1; k >= 0; k--)
    sum = FMA(sum, r, ALL(inverse_factorial(k)));
  return sum * NAME(power2)(y);
}

/* log(x), x > 0 and normal. */
LANES_INLINE V NAME(log)(V x) {
  const VI e = ((VI)x - HALF_ROOT) >> FRACTION;
  const V m = (V)((VI)x - (e << FRACTION)), n = __builtin_convertvector(e, V);
  const V z = (m - ALL(1)) / (m + ALL(1)), w = z * z;
  V sum = ALL(0);
  for (int k = LOG_TERMS; k >= 3; k -= 2)
    sum = (sum + ALL((real)1 / (real)k)) * w;
  return FMA(n, ALL(LN2), ALL(2) * FMA(z, sum, z));
}

LANES_INLINE V NAME(power)(const train_rule *rule, V x) {
  if (rule->squarings < 0)
    return NAME(exp)(ALL((real)(2.0 * rule->sharpness)) * NAME(log)(x));
  for (int i = 0; i < rule->squarings; i++)
    x = x * x;
  return x;
}

/* Lanes are added in halves. */
LANES_INLINE real NAME(total)(V a) {
  real part[LANES];
  STORE(part, a);
  for (int half = LANES / 2; half >= 1; half /= 2)
    for (int i = 0; i < half; i++)
      part[i] += part[i + half];
  return part[0];
}

LANES_INLINE V NAME(first)(size_t count, V a) { /* lanes beyond `count` become 0 */
  VI lane;
  for (int i = 0; i < LANES; i++)
    lane[i] = i;
  return (V)((VI)a & (VI)(lane < (INT)count));
}

/* ---- the tile ---- */

typedef struct NAME(work) {
  const train_rule *rule;
  train_block *b;
  train_result *result;
  size_t room;
  real *tile;                            /* [room / LANES][stride][LANES]: columns of rows */
  real *gap, *inverse;                   /* room: of each candidate, and 1 / gap */
  real *y;                               /* 4 x room: |u-m|^2 / S(m) */
  real *near, *likely;                   /* room: those of the negatives that count; kept pushes */
  uint32_t *who;                         /* room */
  real *target_y, *target_likely, *pull; /* TRAIN_MOST_TARGETS + LANES */
  size_t fetched, share;                 /* of the rows that are read next: so many, and how many at a time */
} NAME(work);

static inline const real *NAME(row)(const NAME(work) * w, size_t candidate) {
  return (const real *)w->b->rows + (size_t)w->b->index[candidate] * w->rule->stride;
}

static void NAME(fill_tile)(const NAME(work) * w) {
  const size_t stride = w->rule->stride, candidates = w->b->candidates;
  const uint32_t *index = w->b->index;
  const real *all = w->b->rows, *rows[LANES];
  for (size_t c = 0; c < w->room; c += LANES) {
    real *tile = w->tile + c * stride;
    for (size_t i = 0; i < LANES; i++)
      rows[i] = all + (size_t)index[c + i < candidates ? c + i : 0] * stride;
    for (size_t k = 0; k < stride; k += LANES)
      TURN(rows, k, tile + k * LANES, LANES);
    const V gap = LOAD(tile + (stride - 1) * LANES);
    STORE(w->gap + c, gap);
    STORE(w->inverse + c, ALL(1) / gap);
  }
}

/* Some of the rows that are read next: few at a time, so that memory works while numbers are computed. */
LANES_INLINE void NAME(fetch)(NAME(work) * w, size_t count) {
  const size_t bytes = w->rule->stride * sizeof(real);
  const uint32_t *next = w->b->next, *end = w->b->nexts - w->fetched < count ? next + w->b->nexts : next + w->fetched + count;
  for (next += w->fetched; next < end; next++)
    for (size_t at = 0; at < bytes; at += 64)
      __builtin_prefetch((const char *)w->b->rows + *next * bytes + at);
  w->fetched = (size_t)(end - w->b->next);
}

#define AT_ONCE 4
#define WIDTH   (REGISTER_BYTES / sizeof(real))

/* y of all candidates for up to four sources: each part of the tile is loaded once for all. */
LANES_INLINE void NAME(distances)(NAME(work) * w, size_t dim, const real *const source[AT_ONCE], int count) {
  const bool flat = w->rule->flat;
  for (size_t c = 0; c < w->room; c += WIDTH) {
    const real *tile = w->tile + c / LANES * LANES * w->rule->stride + c % LANES;
    NV sum[AT_ONCE], m;
    for (int j = 0; j < count; j++)
      sum[j] = (NV){0};
    for (size_t k = 0; k < dim; k++) {
      memcpy(&m, tile + k * LANES, sizeof m);
      for (int j = 0; j < count; j++) {
        const NV d = source[j][k] - m;
        sum[j] = NFMA(d, d, sum[j]);
      }
    }
    memcpy(&m, w->inverse + c, sizeof m);
    for (int j = 0; j < count; j++) {
      const NV y = flat ? sum[j] : sum[j] * m;
      memcpy(w->y + (size_t)j * w->room + c, &y, sizeof y);
    }
    if (c % LANES == 0)
      NAME(fetch)(w, 1);
  }
}

static void NAME(all_distances)(NAME(work) * w, const real *const source[AT_ONCE], size_t count) {
  const size_t dim = w->rule->dim;
  if (count == 1)
    NAME(distances)(w, dim, source, 1);
  else if (count == 2)
    NAME(distances)(w, dim, source, 2);
  else if (dim == 2) /* the usual dimensions without a loop */
    NAME(distances)(w, 2, source, AT_ONCE);
  else if (dim == 5)
    NAME(distances)(w, 5, source, AT_ONCE);
  else if (dim == 10)
    NAME(distances)(w, 10, source, AT_ONCE);
  else
    NAME(distances)(w, dim, source, AT_ONCE);
}

/* ---- a unit ---- */

/* The distance of y as it enters ratios: a = e^(d/2), in flat space d itself; inverse: 1 / S(u). */
LANES_INLINE V NAME(growth)(const NAME(work) * w, V y, V inverse) {
  if (w->rule->flat)
    return SQRT(y);
  const V q = y * inverse;
  return SQRT(ALL(1) + q) + SQRT(q);
}

/* The likelihood of `a` relative to that of `than`: (e^(d'/2) / e^(d/2))^(2B). */
LANES_INLINE V NAME(ratio)(const NAME(work) * w, V than, V a) {
  const V r = w->rule->flat ? NAME(exp)(MIN(ALL((real)0.5) * (than - a), ALL(80))) : than / a;
  return NAME(power)(w->rule, MIN(r, ALL((real)w->rule->most)));
}

/* The negatives that count: y up to the limit. Returns how many; `near` and `who` have room for a vector more. */
LANES_INLINE size_t NAME(screen)(const NAME(work) * w, const real *y, real limit) {
  const size_t candidates = w->b->candidates;
  real *near = w->near;
  uint32_t *who = w->who;
  for (size_t c = 0; c < candidates; c += LANES) {
    const V a = LOAD(y + c);
    const uint32_t bits = UP_TO(a, ALL(limit));
    if (!bits)
      continue;
    PACK(near, bits, a);
    PACK_WORDS(who, bits, COUNT((uint32_t)c));
    const size_t n = (size_t)__builtin_popcount(bits);
    near += n;
    who += n;
  }
  return (size_t)(near - w->near);
}

LANES_INLINE V NAME(thin)(const NAME(work) * w, uint32_t key, uint32_t index, V push) {
  VH h = COUNT(index) * 0x9E3779B9u + key;
  h = (h ^ h >> 16) * 0x85EBCA6Bu;
  h = (h ^ h >> 13) * 0xC2B2AE35u;
  h = h ^ h >> 16;
  const V random = __builtin_convertvector((VHI)(h >> 8), V) * ALL((real)(w->rule->sparse * 0x1p-24));
  const V sparse = ALL((real)w->rule->sparse);
  return SELECT(push >= sparse, push, SELECT(random < push, sparse, ALL(0)));
}

/* One row is pulled: p > 0 towards the source, whose own sums gather in own, along and path. */
typedef struct NAME(source) {
  const real *row;
  real gap;
  real *own; /* stride */
  real along, path;
} NAME(source);

LANES_INLINE void NAME(add_whole)(SUM *sum, V a) {
  VS was;
  memcpy(&was, sum, sizeof was);
  was = (VS)((VW)was + (VW)WHOLE(a));
  memcpy(sum, &was, sizeof was);
}

LANES_INLINE void NAME(pull_source)(const NAME(work) * w, const NAME(source) * u, uint32_t c) {
  const size_t stride = w->rule->stride;
  SUM *sum = (SUM *)w->b->sums + c * stride;
  const real scale = (real)w->rule->scale;
  for (size_t k = 0; k < stride; k += LANES) {
    const V own = LOAD(u->own + k);
    V t = w->rule->flat ? -own : FMA(ALL(-u->gap), own, -(ALL(u->along) * LOAD(u->row + k)));
    t = t * ALL(scale);
    if (k + LANES == stride)
      t[LANES - 1] = u->path * scale;
    NAME(add_whole)(sum + k, t);
  }
  w->b->list[w->b->listed] = c;
  w->b->listed += !w->b->pulled[c];
  w->b->pulled[c] = 1;
}

/* The coefficient that makes S(m) (u-m) - |u-m|^2 m a unit vector, 1 / (|u-m| sqrt(S(u) S(m) + |u-m|^2)); 0 where points
 * coincide. */
LANES_INLINE V NAME(coefficient)(const NAME(work) * w, V square, V gap, V own_gap) {
  const V length = SQRT(square);
  const V c = w->rule->flat ? ALL(1) / length : ALL(1) / (length * SQRT(FMA(own_gap, gap, square)));
  return SELECT(square > ALL(LEAST_SQUARE), c, ALL(0));
}

/* Rows are pulled, each by p > 0 towards the source or p < 0 away from it. */
LANES_INLINE void NAME(pull_some)(const NAME(work) * w, size_t stride, NAME(source) * u, size_t count, const uint32_t *who,
                                  const real *y, const real *p, bool target) {
  const bool flat = w->rule->flat;
  const real scale = (real)w->rule->scale, *gaps = w->gap, *source = u->row;
  const real regularization = target ? -(real)((w->rule->flat ? 2.0 : 1.0) * w->rule->regularization * w->rule->scale) : 0;
  const uint32_t *index = w->b->index;
  const real *rows = w->b->rows;
  SUM *sums = w->b->sums;
  uint32_t *pulled = w->b->pulled, *list = w->b->list;
  size_t listed = w->b->listed;
  real along = u->along, whole = u->path;
  V own[(GEODISK_DIM_MOST + LANES) / LANES]; /* in registers, where `stride` is a constant */
  for (size_t k = 0; k < stride; k += LANES)
    own[k / LANES] = LOAD(u->own + k);
  for (size_t n = 0; n < count; n += LANES) {
    real gap[LANES], square[LANES], coefficient[LANES];
    const size_t left = count - n < LANES ? count - n : LANES;
    for (size_t i = 0; i < LANES; i++)
      gap[i] = gaps[who[n + (i < left ? i : 0)]];
    const V s = LOAD(gap), d2 = flat ? LOAD(y + n) : LOAD(y + n) * s;
    STORE(square, d2);
    STORE(coefficient, NAME(coefficient)(w, d2, s, ALL(u->gap)));
    for (size_t i = 0; i < left; i++) {
      const uint32_t c = who[n + i];
      const real pull = p[n + i], path = pull < 0 ? -pull : pull;
      if (!(path > 0) && !(regularization < 0))
        continue;
      const real pc = pull * coefficient[i];
      const real *row = rows + (size_t)index[c] * stride;
      SUM *sum = sums + c * stride;
      for (size_t k = 0; k < stride; k += LANES) {
        const V m = LOAD(row + k), d = LOAD(source + k) - m;
        V t = (flat ? d : FMA(ALL(gap[i]), d, -(ALL(square[i]) * m))) * ALL(pc) * ALL(scale);
        if (regularization < 0)
          t = FMA(ALL(regularization * gap[i]), m, t);
        own[k / LANES] = FMA(ALL(pc), d, own[k / LANES]);
        if (k + LANES == stride)
          t[LANES - 1] = path * scale;
        NAME(add_whole)(sum + k, t);
      }
      along = FMA1(pc, square[i], along);
      whole += path;
      list[listed] = c;
      listed += !pulled[c];
      pulled[c] = 1;
    }
  }
  for (size_t k = 0; k < stride; k += LANES)
    STORE(u->own + k, own[k / LANES]);
  u->along = along;
  u->path = whole;
  w->b->listed = listed;
}

LANES_INLINE void NAME(pull_rows)(const NAME(work) * w, NAME(source) * u, size_t count, const uint32_t *who, const real *y,
                                  const real *p, bool target) {
  if (w->rule->stride == LANES) /* the usual: a row is a vector or two */
    NAME(pull_some)(w, LANES, u, count, who, y, p, target);
  else if (w->rule->stride == (size_t)2 * LANES)
    NAME(pull_some)(w, (size_t)2 * LANES, u, count, who, y, p, target);
  else
    NAME(pull_some)(w, w->rule->stride, u, count, who, y, p, target);
}

static void NAME(unit)(NAME(work) * w, const train_unit *unit, real *y) {
  const train_rule *rule = w->rule;
  real own[GEODISK_DIM_MOST + LANES] __attribute__((aligned(64)));
  NAME(source) u = {NAME(row)(w, unit->source), w->gap[unit->source], own, 0, 0};
  const size_t targets = unit->targets;
  /* targets: their distances, the furthest; they and u are struck out */
  real furthest = 0;
  for (size_t j = 0; j < targets; j++) {
    w->target_y[j] = y[unit->target[j]];
    furthest = w->target_y[j] > furthest ? w->target_y[j] : furthest;
  }
  for (size_t j = targets; j % LANES; j++)
    w->target_y[j] = furthest;
  for (size_t c = w->b->candidates; c < w->room; c++)
    y[c] = (real)INFINITY;
  for (size_t c = 0; c < unit->apart; c++)
    y[c] = (real)INFINITY;
  y[unit->source] = (real)INFINITY;
  for (size_t j = 0; j < targets; j++)
    y[unit->target[j]] = (real)INFINITY;
  const V inverse = ALL(1) / ALL(u.gap);
  const V growth = NAME(growth)(w, ALL(furthest), inverse);
  real limit;
  if (rule->flat) {
    const real d = (growth + ALL((real)(2.0 * rule->reach)))[0];
    limit = d * d;
  } else {
    const V far = growth * ALL((real)rule->reach);
    const real half = ((far - ALL(1) / far) * ALL((real)0.5))[0];
    limit = half * half * u.gap;
  }
  limit = limit < (real)LARGEST ? limit : (real)LARGEST;
  NAME(fetch)(w, w->share);
  /* likelihoods, all relative to the furthest target's */
  const size_t negatives = NAME(screen)(w, y, limit);
  NAME(fetch)(w, w->share);
  V sum = ALL(0);
  for (size_t n = 0; n < negatives; n += LANES) {
    const V a = NAME(growth)(w, LOAD(w->near + n), inverse);
    const V r = NAME(first)(negatives - n, NAME(ratio)(w, growth, a));
    STORE(w->likely + n, r);
    sum = sum + r;
  }
  const real z = NAME(total)(sum);
  w->result->edges += targets;
  w->result->skipped += negatives == 0 ? targets : 0;
  if (!(z <= (real)LARGEST)) {
    w->result->bad_unit = w->result->bad ? w->result->bad_unit : (uint32_t)(unit - w->b->unit);
    w->result->bad = true;
    return;
  }
  if (negatives == 0)
    return;
  const V one = NAME(ratio)(w, growth, rule->flat ? ALL(0) : ALL(1));
  V shares = ALL(0), loss = ALL(0);
  for (size_t j = 0; j < targets; j += LANES) {
    const V a = NAME(growth)(w, LOAD(w->target_y + j), inverse);
    const V r = NAME(ratio)(w, growth, a);
    V weight = ALL(1);
    for (size_t i = 0; unit->weights && i < LANES; i++)
      weight[i] = j + i < targets ? (real)unit->weights[j + i] : 0;
    weight = NAME(first)(targets - j, weight);
    const V whole = (rule->complement ? one : r) + ALL(z), share = weight / whole;
    V pull = rule->complement ? weight : share * ALL(z);
    if (rule->sparse > 0)
      pull = NAME(thin)(w, unit->key, (uint32_t)(TRAIN_TARGET_INDEX + j), pull);
    STORE(w->pull + j, pull);
    shares = shares + share;
    loss = FMA(weight, NAME(log)(whole / r), loss);
  }
  const V share = ALL(NAME(total)(shares));
  if (!(share[0] <= (real)LARGEST)) {
    w->result->bad_unit = w->result->bad ? w->result->bad_unit : (uint32_t)(unit - w->b->unit);
    w->result->bad = true;
    return;
  }
  w->result->loss += (int64_t)LRINT(NAME(total)(loss) * (real)TRAIN_LOSS_SCALE);
  /* pushes: bounded, thinned */
  V factor = ALL(1);
  if (rule->bound > 0) {
    V pressed = ALL(0);
    for (size_t n = 0; n < negatives; n += LANES)
      pressed = pressed + MIN(LOAD(w->likely + n) * share, ALL((real)TRAIN_SMALL_PUSH));
    const real d = NAME(total)(pressed);
    if (d > (real)rule->bound)
      factor = ALL((real)rule->bound) / ALL(d);
  }
  size_t kept = 0;
  for (size_t n = 0; n < negatives; n += LANES) {
    V push = LOAD(w->likely + n) * share * factor;
    if (rule->sparse > 0)
      push = NAME(thin)(w, unit->key, (uint32_t)n, push);
    const uint32_t bits = ~UP_TO(push, ALL(0)) & ((1u << LANES) - 1);
    const V near = LOAD(w->near + n);
    const VH who = WORDS(w->who + n);
    PACK(w->likely + kept, bits, -push);
    PACK(w->near + kept, bits, near);
    PACK_WORDS(w->who + kept, bits, who);
    kept += (size_t)__builtin_popcount(bits);
  }
  for (size_t k = 0; k < rule->stride; k += LANES)
    STORE(own + k, ALL(0));
  NAME(pull_rows)(w, &u, kept, w->who, w->near, w->likely, false);
  NAME(pull_rows)(w, &u, targets, unit->target, w->target_y, w->pull, true);
  if (u.path > 0)
    NAME(pull_source)(w, &u, unit->source);
}

static void NAME(pulls)(const train_rule *rule, train_block *b, train_result *result) {
  NAME(work) w = {.rule = rule, .b = b, .result = result, .room = (b->candidates + LANES - 1) / LANES * LANES};
  real *at = b->scratch;
  w.tile = at;
  at += w.room * rule->stride;
  w.y = at;
  at += w.room * AT_ONCE;
  w.gap = at;
  at += w.room;
  w.inverse = at;
  at += w.room;
  w.near = at;
  at += w.room + LANES;
  w.likely = at;
  at += w.room + LANES;
  w.target_y = at;
  at += TRAIN_MOST_TARGETS + LANES;
  w.pull = at;
  at += TRAIN_MOST_TARGETS + LANES;
  w.who = (uint32_t *)(void *)at;
  w.share = b->nexts / (3 * b->units);
  NAME(fill_tile)(&w);
  for (size_t i = 0; i < b->units; i += AT_ONCE) {
    const real *source[AT_ONCE];
    const size_t count = b->units - i < AT_ONCE ? b->units - i : AT_ONCE;
    for (size_t j = 0; j < AT_ONCE; j++)
      source[j] = NAME(row)(&w, b->unit[i + (j < count ? j : 0)].source);
    NAME(all_distances)(&w, source, count);
    for (size_t j = 0; j < count; j++) {
      NAME(unit)(&w, &b->unit[i + j], w.y + j * w.room);
    }
  }
  NAME(fetch)(&w, b->nexts);
  result->pairs += b->units * b->candidates;
}

/* See train_table. */
static void NAME(add)(size_t stride, void *from, int64_t *to, bool first) {
  SUM *sum = from;
  if (first)
    for (size_t k = 0; k < stride; k++)
      to[k] = sum[k];
  else
    for (size_t k = 0; k < stride; k++)
      to[k] = train_add(to[k], sum[k]);
  memset(sum, 0, stride * sizeof *sum);
}

/* ---- steps ---- */

/* Whether a mask is zero in all lanes. */
LANES_INLINE bool NAME(none)(VI mask) {
  return (UP_TO(SELECT(mask, ALL(1), ALL(0)), ALL(0)) & ((1u << LANES) - 1)) == (1u << LANES) - 1;
}

/* tanh(x/2) and, in *rest, 1 - it; x >= 0. */
LANES_INLINE V NAME(tanh_half)(V x, V *rest) {
  const V h = MIN(x, ALL(1)) * ALL((real)0.25), h2 = h * h;
  const V top = FMA(FMA(h2 + ALL(378), h2, ALL(17325)), h2, ALL(135135));
  const V below = FMA(FMA(FMA(ALL(28), h2, ALL(3150)), h2, ALL(62370)), h2, ALL(135135));
  const V t = h * top / below, near = ALL(2) * t / FMA(t, t, ALL(1));
  const VI is_far = (VI)(x > ALL(1));
  *rest = ALL(1) - near;
  if (NAME(none)(is_far)) /* as nearly always */
    return near;
  const V e = NAME(exp)(-MIN(x, ALL(80))), far = (ALL(1) - e) / (ALL(1) + e), far_rest = ALL(2) * e / (ALL(1) + e);
  *rest = SELECT(is_far, far_rest, *rest);
  return SELECT(is_far, far, near);
}

/* LANES rows: x and g are [dim][LANES], the sums as numbers; gap and path LANES. x and gap become the new point. */
LANES_INLINE VI NAME(move_by)(const train_rule *rule, size_t dim, real *x, const real *g, V *gap, V path) {
  const V s = *gap;
  V step = ALL((real)rule->rate), square = ALL(0);
  if (rule->cap > 0)
    step = MIN(step, ALL((real)rule->cap) / path);
  for (size_t k = 0; k < dim; k++) {
    const V a = LOAD(g + k * LANES);
    square = FMA(a, a, square);
  }
  const V norm = SQRT(square), length = step * norm;
  const VI still = ~(VI)(norm > ALL(0));
  if (rule->flat) {
    for (size_t k = 0; k < dim; k++)
      STORE(x + k * LANES, FMA(step, LOAD(g + k * LANES), LOAD(x + k * LANES)));
    return still & 0;
  }
  const V unit = SELECT(still, ALL(0), ALL(1) / norm);
  V radius2 = ALL(0);
  for (size_t k = 0; k < dim; k++) {
    const V a = LOAD(x + k * LANES);
    radius2 = FMA(a, a, radius2);
  }
  VI clipped;
  V wanted = s;
  if (rule->update == TRAIN_GEODESIC) {
    /* z = n + t x = (n + e) - (1 - t r) e with r = |x|, e = x / r;  x' = x + S t z / |z|^2,  S' = S (1 - t^2) / |z|^2 */
    V rest;
    const V t = NAME(tanh_half)(length, &rest), r = SQRT(radius2);
    const V inverse = SELECT((VI)(r > ALL(0)), ALL(1) / r, ALL(0));
    const V inward = FMA(t, s / (ALL(1) + r), rest); /* 1 - t r */
    V aside = ALL(0);
    for (size_t k = 0; k < dim; k++) {
      const V a = FMA(LOAD(x + k * LANES), inverse, LOAD(g + k * LANES) * unit);
      aside = FMA(a, a, aside);
    }
    const V z2 = SELECT((VI)(r > ALL(0)), FMA(t * r, aside, inward * inward), ALL(1));
    const V away = s * t / z2;
    const V down = SELECT((VI)(r > ALL(0)), inward, ALL(0));
    for (size_t k = 0; k < dim; k++) {
      const V e = LOAD(x + k * LANES) * inverse, a = FMA(LOAD(g + k * LANES), unit, e);
      STORE(x + k * LANES, FMA(away, FMA(-down, e, a), LOAD(x + k * LANES)));
    }
    wanted = MIN(s * (rest * (ALL(1) + t)) / z2, ALL(1));
    clipped = ~(VI)(wanted >= ALL(LEAST_GAP));
  } else {
    const V factor =
        MIN(rule->update == TRAIN_NATURAL ? ALL((real)0.5) * s * length : ALL(2) / s * length, ALL((real)1e9)) * unit;
    V norm2 = ALL(0);
    for (size_t k = 0; k < dim; k++) {
      const V a = FMA(factor, LOAD(g + k * LANES), LOAD(x + k * LANES));
      norm2 = FMA(a, a, norm2);
      STORE(x + k * LANES, a);
    }
    const real edge = (real)(1.0 - rule->margin);
    clipped = ~(VI)(norm2 <= ALL(edge * edge));
    const V shrink = SELECT(clipped, ALL(edge) / SQRT(norm2), ALL(1));
    for (size_t k = 0; k < dim; k++)
      STORE(x + k * LANES, LOAD(x + k * LANES) * shrink);
    wanted = SELECT(clipped, ALL((real)(1.0 - (1.0 - rule->margin) * (1.0 - rule->margin))), ALL(1) - norm2);
  }
  wanted = SELECT((VI)(wanted >= ALL(LEAST_GAP)), wanted, ALL(LEAST_GAP));
  /* gap and coordinates are made to agree */
  V norm2 = ALL(0);
  for (size_t k = 0; k < dim; k++) {
    const V a = LOAD(x + k * LANES);
    norm2 = FMA(a, a, norm2);
  }
  const V target = MIN(ALL(1) - wanted, ALL((real)train_rim(dim, EPSILON)));
  const V measured = ALL(1) - norm2, off = norm2 - target;
  const VI trusted = (VI)(measured >= ALL(GAP_TRUST)) & (VI)(wanted >= ALL(GAP_TRUST));
  const VI wrong = ~trusted & ((VI)(off > ALL(0)) | (VI)(off < ALL(-SLACK)));
  if (!NAME(none)(wrong)) {
    const V scale = SELECT(wrong, SQRT(target / norm2), ALL(1));
    for (size_t k = 0; k < dim; k++)
      STORE(x + k * LANES, LOAD(x + k * LANES) * scale);
  }
  *gap = SELECT(trusted, measured, wanted);
  return clipped;
}

static VI NAME(move)(const train_rule *rule, real *x, const real *g, V *gap, V path) {
  switch (rule->dim) { /* the usual dimensions without loops */
  case 2:
    return NAME(move_by)(rule, 2, x, g, gap, path);
  case 5:
    return NAME(move_by)(rule, 5, x, g, gap, path);
  case 10:
    return NAME(move_by)(rule, 10, x, g, gap, path);
  default:
    return NAME(move_by)(rule, rule->dim, x, g, gap, path);
  }
}

/* The sums of a row as numbers. False: all are zero. */
LANES_INLINE bool NAME(take_sums)(const int64_t *sum, size_t stride, double unscale, real *out) {
  int64_t any = 0;
  for (size_t k = 0; k < stride; k++) {
    out[k] = (real)((double)sum[k] * unscale);
    any |= sum[k];
  }
  return any != 0;
}

static void NAME(moves)(const train_rule *rule, const train_moves *m, train_moved *moved) {
  const size_t dim = rule->dim, stride = rule->stride;
  real x[LANES * (GEODISK_DIM_MOST + LANES)] __attribute__((aligned(64))),
      g[LANES * (GEODISK_DIM_MOST + LANES)] __attribute__((aligned(64)));
  real turned[LANES * (GEODISK_DIM_MOST + LANES)] __attribute__((aligned(64)));
  const double unscale = 1.0 / rule->scale;
  for (size_t i = 0; i < m->count; i += LANES) {
    const size_t left = m->count - i < LANES ? m->count - i : LANES;
    const real *rows[LANES], *sums[LANES], *columns[LANES];
    bool pulled[LANES] = {false};
    for (size_t j = i + LANES; j < m->count && j < i + (size_t)2 * LANES; j++) /* those of the next step */
      for (size_t k = 0; k < stride; k += 64 / sizeof(real))
        __builtin_prefetch((const real *)m->rows + (size_t)m->row[j] * stride + k, 1);
    for (size_t j = 0; j < LANES; j++) {
      rows[j] = (const real *)m->rows + (size_t)m->row[i + (j < left ? j : 0)] * stride;
      sums[j] = turned + (j < left ? j : 0) * stride;
      if (j < left)
        pulled[j] = NAME(take_sums)(m->sums + (i + j) * stride, stride, unscale, turned + j * stride);
    }
    for (size_t k = 0; k < stride; k += LANES) {
      TURN(rows, k, x + k * LANES, LANES);
      TURN(sums, k, g + k * LANES, LANES);
    }
    V gap = LOAD(x + (stride - 1) * LANES), check = ALL(0);
    const VI clipped = NAME(move)(rule, x, g, &gap, LOAD(g + (stride - 1) * LANES));
    if (rule->flat)
      gap = ALL(1);
    for (size_t k = 0; k < dim; k++)
      check = check + LOAD(x + k * LANES) * ALL(0); /* 0 where all are finite */
    STORE(x + (stride - 1) * LANES, gap);
    for (size_t k = 0; k < stride; k += LANES) {
      for (size_t c = 0; c < LANES; c++)
        columns[c] = x + (k + c) * LANES;
      real back[LANES * LANES] __attribute__((aligned(64)));
      TURN(columns, 0, back, LANES);
      for (size_t j = 0; j < left; j++)
        if (pulled[j])
          STORE((real *)m->rows + (size_t)m->row[i + j] * stride + k, LOAD(back + j * LANES));
    }
    for (size_t j = 0; j < left; j++) {
      moved->clips += pulled[j] && clipped[j] != 0;
      if (!(check[j] == 0) || !(gap[j] > 0)) {
        moved->bad_row = moved->bad ? moved->bad_row : m->row[i + j];
        moved->bad = true;
      }
    }
  }
}

#undef AT_ONCE
#undef WIDTH
