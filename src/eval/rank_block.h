/* rank_block.h - one task of the ranking: a block of sources against all points, slice by slice and tile by tile. Included by
 * rank_blocks.c once for double and once for float arithmetic (REAL, IS_DOUBLE, NAME(x), and KERNEL, the member of the kernel
 * table); no include guard for that reason.
 *
 * A source's thresholds are the q of its positives and, for each, the next number: what lies between the two is a tie. Positives,
 * known edges and the source itself are taken out of the count by setting their q to infinity. */

typedef struct NAME(block) {
  const rank_job *job;
  size_t first, count; /* sources job->sources[first .. first + count) */
  REAL *x;             /* count rounded up to RANK_SOURCES: groups of dim x RANK_SOURCES */
  REAL *nearness;      /* the q of all positives, by source, ascending */
  REAL *thresholds;    /* by source, ascending, all different */
  uint32_t *hist;      /* as many: how many negatives lie between a threshold and the one before it */
  size_t *start;       /* count + 1: where a source's positives begin in `nearness`; its thresholds begin at twice that */
  size_t *used;        /* count: how many thresholds it has */
  uint64_t *seen_positive, *seen_known; /* count: the first entry of its rows that no tile has passed */
  double *sums;                         /* count: e^-d summed over the negatives */
  uint32_t *ids;                        /* a tile: positives by their numbers in the slice */
  REAL *y, *w, *q;                      /* one tile of points and their q to a group of sources */
  double *scratch;                      /* 2 dim */
} NAME(block);

static const uint32_t *NAME(positives_of)(const NAME(block) * b, size_t i, size_t *count) {
  const geodisk_graph_rows rows = b->job->positives;
  const uint32_t u = b->job->sources[b->first + i];
  *count = (size_t)(rows.offsets[u + 1] - rows.offsets[u]);
  return rows.nodes + rows.offsets[u];
}

static void NAME(free_block)(NAME(block) * b) {
  void *const arrays[] = {b->x,          b->nearness, b->thresholds, b->hist, b->start,   b->used, b->sums, b->seen_positive,
                          b->seen_known, b->y,        b->w,          b->q,    b->scratch, b->ids};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
}

static bool NAME(allocate_block)(NAME(block) * b) {
  const size_t dim = b->job->own->dim, groups = (b->count + RANK_SOURCES - 1) / RANK_SOURCES;
  b->start = geodisk_allocate(b->count + 1, sizeof *b->start);
  if (b->start == NULL)
    return false;
  size_t pairs = 0;
  for (size_t i = 0; i < b->count; i++) {
    size_t n;
    NAME(positives_of)(b, i, &n);
    b->start[i] = pairs;
    pairs += n;
  }
  b->start[b->count] = pairs;
  b->x = geodisk_allocate_zero(groups * RANK_SOURCES, dim * sizeof *b->x);
  b->nearness = geodisk_allocate(pairs, sizeof *b->nearness);
  b->thresholds = geodisk_allocate(2 * pairs, sizeof *b->thresholds);
  b->hist = geodisk_allocate_zero(2 * pairs, sizeof *b->hist);
  b->used = geodisk_allocate(b->count, sizeof *b->used);
  b->seen_positive = geodisk_allocate(b->count, sizeof *b->seen_positive);
  b->seen_known = geodisk_allocate(b->count, sizeof *b->seen_known);
  b->sums = geodisk_allocate_zero(b->count, sizeof *b->sums);
  b->y = geodisk_allocate(b->job->tile_points, dim * sizeof *b->y);
  b->w = geodisk_allocate(b->job->tile_points, sizeof *b->w);
  b->q = geodisk_allocate(RANK_SOURCES + 1, RANK_POINTS * sizeof *b->q); /* `count` writes a little past a row */
  b->scratch = geodisk_allocate(2 * dim, sizeof *b->scratch);
  b->ids = geodisk_allocate(b->job->tile_points, sizeof *b->ids);
  return b->x && b->nearness && b->thresholds && b->hist && b->used && b->seen_positive && b->seen_known && b->sums && b->y &&
         b->w && b->q && b->scratch && b->ids;
}

static int NAME(compare)(const void *a, const void *b) {
  const REAL x = *(const REAL *)a, y = *(const REAL *)b;
  return (x > y) - (x < y);
}

/* The number of a source in the slice; SIZE_MAX if it is not there. */
static size_t NAME(place_of)(const rank_job *job, size_t u) {
  const size_t number = job->own_first + u;
  return number >= job->first && number - job->first < job->points->points.nodes ? number - job->first : SIZE_MAX;
}

/* The second look exists in double only. */
static void NAME(fix_near)(const NAME(block) * b, size_t u, size_t n, size_t first, const uint32_t *ids, REAL *q) {
  if (IS_DOUBLE)
    prepared_fix_near(b->job->points, b->job->own, u, NAME(place_of)(b->job, u), n, first, ids, (double *)(void *)q, b->scratch);
}

/* The q of a source's positives in the slice, by the same kernel that measures the negatives. */
static void NAME(measure_positives)(NAME(block) * b, size_t i) {
  const rank_job *job = b->job;
  const size_t u = job->sources[b->first + i], s = i % RANK_SOURCES;
  const REAL limits[RANK_SOURCES] = {0};
  size_t n;
  const uint32_t *numbers = NAME(positives_of)(b, i, &n);
  const size_t end = csr_place(numbers, n, (uint32_t)(job->first + job->points->points.nodes));
  for (size_t at = csr_place(numbers, n, (uint32_t)job->first); at < end; at += job->tile_points) {
    const size_t part = end - at < job->tile_points ? end - at : job->tile_points;
    const size_t whole = (part + NAME(GROUP) - 1) / NAME(GROUP) * NAME(GROUP);
    for (size_t j = 0; j < part; j++)
      b->ids[j] = (uint32_t)(numbers[at + j] - job->first);
    NAME(prepared_tile)(job->points, part, 0, b->ids, b->y, b->w);
    job->kernel->KERNEL.tile(job->points->dim, whole, b->y, b->w, b->x + i / RANK_SOURCES * RANK_SOURCES * job->points->dim,
                             limits, 0, b->q);
    NAME(fix_near)(b, u, part, 0, b->ids, b->q + s * RANK_POINTS);
    memcpy(b->nearness + b->start[i] + at, b->q + s * RANK_POINTS, part * sizeof *b->q);
  }
}

/* All positives are measured: thresholds from their q. */
static void NAME(make_thresholds)(NAME(block) * b, size_t i) {
  const size_t n = b->start[i + 1] - b->start[i];
  REAL *nearness = b->nearness + b->start[i], *t = b->thresholds + 2 * b->start[i];
  qsort(nearness, n, sizeof *nearness, NAME(compare));
  size_t used = 0;
  for (size_t k = 0; k < n; k++) {
    if (k > 0 && nearness[k] == nearness[k - 1])
      continue;
    if (used == 0 || t[used - 1] != nearness[k])
      t[used++] = nearness[k];
    t[used++] = NAME(nextafter)(nearness[k], (REAL)INFINITY);
  }
  b->used[i] = used;
}

/* Sets the q of the nodes of one row that lie in this tile, which begins with node `first` of all, to infinity. */
static void NAME(take_out)(const geodisk_graph_rows *rows, size_t u, uint64_t *seen, size_t first, size_t n, REAL *q) {
  const uint64_t end = rows->offsets[u + 1];
  uint64_t at = *seen;
  while (at < end && rows->nodes[at] < first)
    at++;
  for (; at < end && rows->nodes[at] < first + n; at++)
    q[rows->nodes[at] - first] = (REAL)INFINITY;
  *seen = at;
}

/* One source, one tile: q holds n numbers, padded to `whole`. */
static void NAME(use_tile)(NAME(block) * b, size_t i, size_t first, size_t n, size_t whole, REAL *q) {
  const rank_job *job = b->job;
  const size_t u = job->sources[b->first + i];
  for (size_t j = n; j < whole; j++)
    q[j] = (REAL)INFINITY;
  NAME(take_out)(&job->positives, u, &b->seen_positive[i], job->first + first, n, q);
  if (job->known.offsets != NULL)
    NAME(take_out)(&job->known, u, &b->seen_known[i], job->first + first, n, q);
  const size_t place = NAME(place_of)(job, u);
  const bool itself = place >= first && place < first + n;
  const REAL own = itself ? q[place - first] : 0;
  if (itself)
    q[place - first] = (REAL)INFINITY;
  if (job->loss)
    b->sums[i] += job->kernel->KERNEL.sum(job->points->kind, job->own->weight[u], job->points->unit, whole, q);
  if (itself && job->definition == GEODISK_RANK_GENSIM)
    q[place - first] = own;
  job->kernel->KERNEL.count(whole, q, b->used[i], b->thresholds + 2 * b->start[i], b->hist + 2 * b->start[i]);
}

static void NAME(scan_tile)(NAME(block) * b, size_t first, size_t n) {
  const rank_job *job = b->job;
  const size_t dim = job->points->dim, whole = (n + NAME(GROUP) - 1) / NAME(GROUP) * NAME(GROUP);
  const REAL near = IS_DOUBLE ? (REAL)job->points->near_square : 0;
  NAME(prepared_tile)(job->points, n, first, NULL, b->y, b->w);
  for (size_t i = 0; i < b->count; i += RANK_SOURCES) {
    const size_t group = b->count - i < RANK_SOURCES ? b->count - i : RANK_SOURCES;
    REAL limits[RANK_SOURCES] = {0};
    for (size_t s = 0; s < group; s++)
      limits[s] = b->thresholds[2 * b->start[i + s] + b->used[i + s] - 1];
    const unsigned found = job->kernel->KERNEL.tile(dim, whole, b->y, b->w, b->x + i * dim, limits, near, b->q);
    for (size_t s = group; s-- > 0;) { /* downwards: `count` may write a little past its row */
      REAL *q = b->q + s * RANK_POINTS;
      const bool close = found >> (RANK_SOURCES + s) & 1;
      if (close)
        NAME(fix_near)(b, job->sources[b->first + i + s], n, first, NULL, q);
      if (found >> s & 1 || close || job->loss)
        NAME(use_tile)(b, i + s, first, n, whole, q);
    }
  }
}

/* From counts to ranks, from ranks to figures. */
static void NAME(score)(const NAME(block) * b, size_t i, rank_record *out) {
  const rank_job *job = b->job;
  const size_t u = job->sources[b->first + i], n = b->start[i + 1] - b->start[i];
  const REAL *nearness = b->nearness + b->start[i], *t = b->thresholds + 2 * b->start[i];
  const uint32_t *hist = b->hist + 2 * b->start[i];
  rank_score score = begin_source(job, u);
  uint64_t nearer = 0;
  size_t at = 0;
  for (size_t k = 0; k < n; k++) {
    if (k == 0 || nearness[k] != nearness[k - 1]) {
      while (t[at] != nearness[k])
        nearer += hist[at++];
      nearer += hist[at++]; /* now: all below nearness[k]; hist[at]: those equal to it */
    }
    rank_score_add(&score, nearer, hist[at]);
    if (job->loss)
      add_loss(job, &score.record, (double)nearness[k] * job->own->weight[u], b->sums[i]);
  }
  *out = rank_score_end(&score);
}

/* ---- the steps of a task ---- */

static void *NAME(open_block)(const rank_job *job, size_t first, size_t count) {
  NAME(block) *b = geodisk_allocate_zero(1, sizeof *b);
  if (b == NULL)
    return NULL;
  b->job = job;
  b->first = first;
  b->count = count;
  if (!NAME(allocate_block)(b)) {
    NAME(free_block)(b);
    free(b);
    return NULL;
  }
  for (size_t i = 0; i < count; i++)
    NAME(prepared_source)
  (job->own, job->sources[first + i], i % RANK_SOURCES, b->x + i / RANK_SOURCES * RANK_SOURCES * job->own->dim);
  return b;
}

static void NAME(measure_slice)(void *task) {
  NAME(block) *b = task;
  for (size_t i = 0; i < b->count; i++)
    NAME(measure_positives)(b, i);
}

static void NAME(sort_positives)(void *task) {
  NAME(block) *b = task;
  for (size_t i = 0; i < b->count; i++)
    NAME(make_thresholds)(b, i);
}

/* Where a source's row has passed the slices before. */
static uint64_t NAME(begin_row)(const geodisk_graph_rows *rows, uint32_t u, size_t least) {
  const uint64_t begin = rows->offsets[u];
  return begin + csr_place(rows->nodes + begin, (size_t)(rows->offsets[u + 1] - begin), (uint32_t)least);
}

static void NAME(scan_slice)(void *task) {
  NAME(block) *b = task;
  const rank_job *job = b->job;
  const size_t nodes = job->points->points.nodes;
  for (size_t i = 0; i < b->count; i++) {
    const uint32_t u = job->sources[b->first + i];
    b->seen_positive[i] = NAME(begin_row)(&job->positives, u, job->first);
    b->seen_known[i] = job->known.offsets != NULL ? NAME(begin_row)(&job->known, u, job->first) : 0;
  }
  for (size_t at = 0; at < nodes && !rank_job_stopped(job); at += job->tile_points)
    NAME(scan_tile)(b, at, nodes - at < job->tile_points ? nodes - at : job->tile_points);
}

static void NAME(close_block)(void *task, rank_record *out) {
  NAME(block) *b = task;
  for (size_t i = 0; out != NULL && i < b->count; i++)
    NAME(score)(b, i, &out[i]);
  NAME(free_block)(b);
  free(b);
}

/* ---- all sources at once, by a device ---- */

typedef struct NAME(device_run) {
  const rank_job *job;
  rank_record *out;
  const uint8_t *close; /* sources that need a second look, which the processor takes */
  REAL *tiles, *weights;
  atomic_bool memory_out;
} NAME(device_run);

enum { NAME(PER_TASK) = 1024 };

static void NAME(tile_some)(void *arg, size_t task) {
  const NAME(device_run) *run = arg;
  const size_t first = task * NAME(PER_TASK), left = run->job->points->points.nodes - first;
  NAME(prepared_tile)
  (run->job->points, left < NAME(PER_TASK) ? left : NAME(PER_TASK), first, NULL, run->tiles + first * run->job->points->dim,
   run->weights + first);
}

static void NAME(look_again)(void *arg, size_t i) {
  NAME(device_run) *run = arg;
  if (run->close[i] && !rank_block(IS_DOUBLE ? &rank_in_double : &rank_in_float, run->job, i, 1, &run->out[i]))
    atomic_store(&run->memory_out, true);
}

static geodisk_status NAME(rank_all)(geodisk_context *context, const rank_device *device, const rank_job *job, size_t count,
                                     rank_record *out) {
  const size_t nodes = job->points->points.nodes, whole = (nodes + NAME(GROUP) - 1) / NAME(GROUP) * NAME(GROUP);
  uint8_t *close = geodisk_allocate_zero(count, sizeof *close);
  double *scale = job->loss ? geodisk_allocate(count, sizeof *scale) : NULL;
  NAME(device_run) run = {.job = job, .out = out, .close = close};
  char why[DEVICE_TEXT] = "out of memory for the ranking";
  run.tiles = geodisk_allocate(whole, job->own->dim * sizeof *run.tiles);
  run.weights = geodisk_allocate(whole, sizeof *run.weights);
  geodisk_status st = close && run.tiles && run.weights && (scale || !job->loss) ? GEODISK_OK : GEODISK_ERROR_MEMORY;
  for (size_t i = 0; scale && i < count; i++)
    scale[i] = job->own->weight[job->sources[i]];
  if (st == GEODISK_OK) {
    geodisk_parallel(context, (nodes + NAME(PER_TASK) - 1) / NAME(PER_TASK), NAME(tile_some), &run);
    const rank_points points = {nodes,     job->points->dim, !IS_DOUBLE,
                                run.tiles, run.weights,      IS_DOUBLE ? job->points->near_square : 0.0};
    const rank_sources sources = {count,
                                  job->sources,
                                  job->positives.offsets,
                                  job->positives.nodes,
                                  job->known.offsets,
                                  job->known.nodes,
                                  job->definition == GEODISK_RANK_GENSIM,
                                  scale,
                                  job->points->kind,
                                  job->points->unit};
    st = device->rank(&points, &sources, out, close, why);
  }
  if (st == GEODISK_OK && memchr(close, 1, count))
    geodisk_parallel(context, count, NAME(look_again), &run);
  geodisk_free_all(close, scale, run.tiles, run.weights);
  if (st == GEODISK_OK && atomic_load(&run.memory_out))
    st = GEODISK_ERROR_MEMORY;
  return st == GEODISK_OK ? st : geodisk_fail(context, st, "%s", why);
}
