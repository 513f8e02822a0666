/* share_ranking.c - ranks by all ranks: each judges the nodes whose points it has; the slices of the points go round in a ring,
 * once to measure the edges and once to count what is nearer, while the next one is on its way. Figures are added up in the order
 * of the nodes, from rank to rank, so that they are those of a plain process to the last digit. */
#include "eval/ranking_slices.h"
#include "geodisk/mpi.h"
#include "launch.h"
#include "outbox.h"
#include "share_relation.h"

#include <stdlib.h>
#include <string.h>

/* ---- the ring --------------------------------------------------------------------------------------------------------- */

/* A slice of the points, row after row: coordinates, then the gap where there is one. */
typedef struct ring {
  const model_share *share;
  geodisk_eval_points shape; /* without the points */
  size_t row_bytes;
  MPI_Datatype row;
  char *here, *next; /* room for the largest slice each */
  int at;            /* whose slice is here */
} ring;

static uint32_t first_of(const ring *r, int rank) { return mpi_share_first(r->share->nodes, r->share->ranks, rank); }
static uint32_t count_of(const ring *r, int rank) { return first_of(r, rank + 1) - first_of(r, rank); }

static geodisk_status ring_create(geodisk_context *context, const model_share *share, const geodisk_eval_points *own, ring *out) {
  const size_t dim = (size_t)own->ball.dim, size = own->precision == GEODISK_PRECISION_FLOAT ? sizeof(float) : sizeof(double);
  const size_t stride = own->vectors_stride != 0 ? own->vectors_stride : dim;
  const size_t gap_stride = own->gap_stride != 0 ? own->gap_stride : 1;
  ring r = {.share = share, .shape = *own, .row_bytes = (dim + (own->gap != NULL)) * size, .at = share->rank};
  size_t largest = 0;
  for (int rank = 0; rank < share->ranks; rank++)
    largest = count_of(&r, rank) > largest ? count_of(&r, rank) : largest;
  MPI_Type_contiguous((int)r.row_bytes, MPI_BYTE, &r.row);
  MPI_Type_commit(&r.row);
  r.shape.vectors_stride = dim + (own->gap != NULL);
  r.shape.gap_stride = own->gap != NULL ? r.shape.vectors_stride : 0;
  r.here = geodisk_allocate(largest, r.row_bytes);
  r.next = geodisk_allocate(largest, r.row_bytes);
  for (uint32_t i = 0; i < share->owned && r.here != NULL; i++) {
    char *row = r.here + i * r.row_bytes;
    memcpy(row, (const char *)own->vectors + i * stride * size, dim * size);
    if (own->gap != NULL)
      memcpy(row + dim * size, (const char *)own->gap + i * gap_stride * size, size);
  }
  *out = r;
  return mpi_agree_memory(context, share->comm, r.here != NULL && r.next != NULL, "the points");
}

static void ring_free(ring *r) {
  if (r->share != NULL)
    MPI_Type_free(&r->row);
  geodisk_free_all(r->here, r->next);
}

/* The points that are here; false: there are none. */
static bool ring_points(const ring *r, geodisk_eval_points *out) {
  const size_t dim = (size_t)r->shape.ball.dim, size = r->row_bytes / r->shape.vectors_stride;
  *out = r->shape;
  out->nodes = count_of(r, r->at);
  out->vectors = r->here;
  out->gap = r->shape.gap != NULL ? r->here + dim * size : NULL;
  return out->nodes > 0;
}

/* Begins to pass the slice on to the rank before and to take one from the rank after. */
static void ring_pass(const ring *r, MPI_Request requests[2]) {
  enum { RING_TAG = 73 };
  const int ranks = r->share->ranks, before = (r->share->rank + ranks - 1) % ranks, after = (r->share->rank + 1) % ranks;
  MPI_Irecv(r->next, (int)count_of(r, (r->at + 1) % ranks), r->row, after, RING_TAG, r->share->comm, &requests[0]);
  MPI_Isend(r->here, (int)count_of(r, r->at), r->row, before, RING_TAG, r->share->comm, &requests[1]);
}

static void ring_turn(ring *r, MPI_Request requests[2]) {
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  char *held = r->here;
  r->here = r->next;
  r->next = held;
  r->at = (r->at + 1) % r->share->ranks;
}

/* ---- batches ---------------------------------------------------------------------------------------------------------- */

typedef geodisk_status (*slice_step)(ranking_batch *batch, const geodisk_eval_points *slice, size_t first);

/* All slices once; batch NULL: this rank only passes them on. */
static geodisk_status go_round(ring *r, ranking_batch *batch, slice_step step) {
  geodisk_status status = GEODISK_OK;
  for (int turn = 0; turn < r->share->ranks; turn++) {
    MPI_Request requests[2];
    geodisk_eval_points slice;
    const bool last = turn == r->share->ranks - 1;
    if (!last)
      ring_pass(r, requests);
    if (batch != NULL && ring_points(r, &slice) && status == GEODISK_OK)
      status = step(batch, &slice, first_of(r, r->at));
    if (!last)
      ring_turn(r, requests);
  }
  return status;
}

typedef struct judging {
  geodisk_context *context;
  const model_share *share;
  ranking_slices slices;
  bool has_points;   /* this rank has */
  uint32_t *sources; /* own points that are judged */
  size_t count;
  rank_record *records; /* count */
  ring ring;
} judging;

static void report_progress(const judging *j, size_t done, bool *stop) {
  const geodisk_progress progress = {.task = "ranking", .unit = "nodes", .done = done, .total = j->count};
  *stop = !geodisk_progress_event(j->context, &progress);
}

/* All ranks go through as many batches as the one that has most. */
static geodisk_status judge_all(judging *j) {
  geodisk_status status = GEODISK_OK;
  MPI_Comm comm = j->share->comm;
  for (size_t done = 0;;) {
    bool stop = false;
    report_progress(j, done, &stop);
    if (stop)
      status = geodisk_fail(j->context, GEODISK_ERROR_STOPPED, "stopped");
    if ((status = mpi_agree(j->context, comm, status)) != GEODISK_OK)
      return status;
    const size_t count = j->count > done ? ranking_batch_size(&j->slices, j->sources + done, j->count - done) : 0;
    if (mpi_sum(comm, count) == 0)
      return GEODISK_OK;
    ranking_batch *batch = NULL;
    if (count > 0)
      status = ranking_batch_open(&j->slices, j->sources + done, count, &batch);
    if ((status = mpi_agree(j->context, comm, status)) == GEODISK_OK)
      status = mpi_agree(j->context, comm, go_round(&j->ring, batch, ranking_batch_measure));
    if (status == GEODISK_OK && batch != NULL)
      ranking_batch_sort(batch);
    if (status == GEODISK_OK)
      status = go_round(&j->ring, batch, ranking_batch_scan);
    ranking_batch_close(batch, status == GEODISK_OK ? j->records + done : NULL);
    done += count;
  }
}

/* The own points with edges, or those of a sample that all ranks draw alike. */
static geodisk_status choose_sources(judging *j, const share_relation *rows, const geodisk_ranking_options *options,
                                     size_t *all) {
  const uint32_t owned = j->share->owned;
  size_t here = 0;
  for (uint32_t u = 0; u < owned; u++)
    here += rows->offsets[u + 1] > rows->offsets[u];
  *all = (size_t)mpi_sum(j->share->comm, here);
  const size_t before = (size_t)mpi_sum_before(j->share->comm, here);
  if (*all == 0)
    return geodisk_fail(j->context, GEODISK_ERROR_ARGUMENT, "the graph has no edges to evaluate");
  const bool sample = options->sample > 0 && options->sample < *all;
  uint32_t *drawn = geodisk_allocate(sample ? options->sample : 0, sizeof *drawn);
  j->sources = geodisk_allocate(here, sizeof *j->sources);
  geodisk_status status =
      mpi_agree_memory(j->context, j->share->comm, drawn != NULL && j->sources != NULL, "the nodes to be judged");
  if (status == GEODISK_OK && sample)
    ranking_draw(options->seed, options->sample, *all, drawn);
  size_t number = before, next = 0;
  for (uint32_t u = 0; u < owned && status == GEODISK_OK; u++) {
    if (rows->offsets[u + 1] == rows->offsets[u])
      continue;
    while (sample && next < options->sample && drawn[next] < number)
      next++;
    if (!sample || (next < options->sample && drawn[next] == number))
      j->sources[j->count++] = u;
    number++;
  }
  free(drawn);
  j->records = geodisk_allocate_zero(j->count, sizeof *j->records);
  return status == GEODISK_OK ? mpi_agree_memory(j->context, j->share->comm, j->records != NULL, "the nodes to be judged")
                              : status;
}

/* ---- figures ---------------------------------------------------------------------------------------------------------- */

/* From rank to rank, then to all. */
static void add_up(const judging *j, ranking_sums *sums, void (*add)(ranking_sums *, size_t, const rank_record *)) {
  enum { SUMS_TAG = 74 };
  const model_share *s = j->share;
  if (s->rank > 0)
    MPI_Recv(sums, (int)sizeof *sums, MPI_BYTE, s->rank - 1, SUMS_TAG, s->comm, MPI_STATUS_IGNORE);
  add(sums, j->count, j->records);
  if (s->rank + 1 < s->ranks)
    MPI_Send(sums, (int)sizeof *sums, MPI_BYTE, s->rank + 1, SUMS_TAG, s->comm);
  MPI_Bcast(sums, (int)sizeof *sums, MPI_BYTE, s->ranks - 1, s->comm);
}

static void find_figures(const judging *j, size_t all, geodisk_ranking *out) {
  ranking_sums sums = {.nodes_all = all};
  add_up(j, &sums, ranking_sums_add);
  if (sums.nodes < all)
    add_up(j, &sums, ranking_sums_square);
  ranking_sums_finish(&sums, false, out);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

/* What all slices must agree on. */
static geodisk_status settle(judging *j, const geodisk_ranking_options *options) {
  double mine[2] = {j->has_points ? j->slices.own.largest : 0.0, j->has_points && !j->slices.own.single_fits ? 1.0 : 0.0}, all[2];
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, j->share->comm);
  const geodisk_status status = j->has_points ? ranking_slices_settle(&j->slices, options, all[0], all[1] == 0.0) : GEODISK_OK;
  return mpi_agree(j->context, j->share->comm, status);
}

static geodisk_status judge(geodisk_context *context, const model_share *points, const share_relation *rows,
                            const geodisk_ranking_options *options, geodisk_ranking *out) {
  judging j = {.context = context, .share = points, .has_points = points->owned > 0};
  geodisk_eval_points own;
  size_t all = 0;
  const geodisk_graph_rows positives = {.offsets = rows->offsets, .nodes = rows->targets};
  geodisk_status status = geodisk_eval_points_of_model(context, points->model, geodisk_model_space(points->model), &own);
  if (status == GEODISK_OK && j.has_points)
    status = ranking_slices_create(context, &own, points->first, (size_t)points->nodes, &positives, &j.slices);
  if ((status = mpi_agree(context, points->comm, status)) == GEODISK_OK)
    status = settle(&j, options);
  if (status == GEODISK_OK)
    status = choose_sources(&j, rows, options, &all);
  if (status == GEODISK_OK)
    status = ring_create(context, points, &own, &j.ring);
  if (status == GEODISK_OK)
    status = judge_all(&j);
  if (status == GEODISK_OK)
    find_figures(&j, all, out);
  ring_free(&j.ring);
  ranking_slices_free(&j.slices);
  geodisk_free_all(j.sources, j.records);
  return status;
}

geodisk_status geodisk_mpi_eval_ranking(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_judged *judged,
                                        const geodisk_ranking_options *options, uint64_t *nodes, geodisk_ranking *out) {
  options = options != NULL ? options : &(const geodisk_ranking_options){0};
  if (options->loss)
    return geodisk_fail(context, GEODISK_ERROR_UNSUPPORTED, "losses are found in one process only; on ranks leave them out");
  mpi_share *graph = NULL;
  model_share points = {.model = NULL};
  share_relation rows = {NULL, NULL};
  geodisk_status status = model_share_read(context, mpi->comm, judged->model, &points);
  if (status == GEODISK_OK)
    status = mpi_share_read(context, mpi->comm, judged->graph, &judged->read, &graph);
  if (status == GEODISK_OK)
    status = share_relation_create(context, graph, &points, judged->skip_missing, &rows);
  mpi_share_destroy(graph);
  if (status == GEODISK_OK)
    status = judge(context, &points, &rows, options, out);
  if (status == GEODISK_OK)
    *nodes = points.nodes;
  share_relation_free(&rows);
  model_share_free(&points);
  return status;
}
