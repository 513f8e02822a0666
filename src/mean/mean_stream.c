/* mean_stream.c - barycenters of points that come in blocks: rows are gathered into whole chunks, so that the sums are those of
 * points in memory, bit for bit. */
#include <string.h>

#include "mean_run.h"

/* Rows gathered before they are summed: a few chunks, so that threads have something to share. */
enum { BUFFER_ROWS = 16 * CHUNK_ROWS };

struct geodisk_mean_stream {
  mean_run run;
  geodisk_status failed; /* what ended it, or OK */
  bool in_pass;
  double *points, *weights; /* BUFFER_ROWS */
  size_t rows;
};

geodisk_status geodisk_mean_stream_create(const geodisk_ball *ball, const geodisk_mean_options *options,
                                          geodisk_mean_stream **out) {
  const geodisk_mean_options defaults = geodisk_mean_defaults();
  options = options != NULL ? options : &defaults;
  geodisk_status status = mean_check_options(ball, options);
  if (status != GEODISK_OK)
    return status;
  if (options->method == GEODISK_MEAN_STOCHASTIC)
    return geodisk_fail(options->context, GEODISK_ERROR_ARGUMENT, "a stream cannot be drawn from: not for the stochastic method");
  geodisk_mean_stream *stream = geodisk_allocate_zero(1, sizeof *stream);
  if (stream == NULL)
    return geodisk_no_memory(options->context, "for the mean");
  status = mean_run_create(ball, options, &stream->run);
  if (status == GEODISK_OK) {
    stream->points = geodisk_allocate(BUFFER_ROWS, (size_t)ball->dim * sizeof(double));
    stream->weights = geodisk_allocate(BUFFER_ROWS, sizeof(double));
    if (stream->points == NULL || stream->weights == NULL)
      status = geodisk_no_memory(options->context, "for the mean in dim %d", ball->dim);
  }
  if (status != GEODISK_OK) {
    geodisk_mean_stream_destroy(stream);
    return status;
  }
  *out = stream;
  return GEODISK_OK;
}

void geodisk_mean_stream_destroy(geodisk_mean_stream *stream) {
  if (stream == NULL)
    return;
  mean_run_destroy(&stream->run);
  geodisk_free_all(stream->points, stream->weights, stream);
}

static geodisk_status flush(geodisk_mean_stream *stream) {
  const geodisk_status status = plain_feed(&stream->run.plain, stream->rows, stream->points, stream->weights, NULL);
  stream->rows = 0;
  return status;
}

/* A stream that failed stays failed, one that is done takes no more. */
static geodisk_status check_open(geodisk_mean_stream *stream) {
  if (stream->failed != GEODISK_OK)
    return stream->failed;
  if (stream->run.next == ASK_DONE)
    return geodisk_fail(stream->run.plain.context, GEODISK_ERROR_ARGUMENT, "the stream is done");
  if (!stream->in_pass)
    mean_run_begin_pass(&stream->run);
  stream->in_pass = true;
  return GEODISK_OK;
}

geodisk_status geodisk_mean_stream_push(geodisk_mean_stream *stream, size_t rows, const double *points, const double *weights) {
  const geodisk_status open = check_open(stream);
  if (open != GEODISK_OK)
    return open;
  const size_t dim = stream->run.plain.dim;
  while (rows > 0) {
    const size_t room = BUFFER_ROWS - stream->rows, now = rows < room ? rows : room;
    memcpy(stream->points + stream->rows * dim, points, now * dim * sizeof(double));
    for (size_t i = 0; i < now; i++)
      stream->weights[stream->rows + i] = weights == NULL ? 1.0 : weights[i];
    stream->rows += now;
    rows -= now;
    points += now * dim;
    weights = weights == NULL ? NULL : weights + now;
    if (stream->rows == BUFFER_ROWS && (stream->failed = flush(stream)) != GEODISK_OK)
      return stream->failed;
  }
  return GEODISK_OK;
}

geodisk_status geodisk_mean_stream_end_pass(geodisk_mean_stream *stream, bool *done) {
  const geodisk_status open = check_open(stream);
  if (open != GEODISK_OK)
    return open;
  stream->in_pass = false;
  if (stream->rows > 0)
    stream->failed = flush(stream);
  if (stream->failed == GEODISK_OK)
    stream->failed = mean_run_end_pass(&stream->run);
  if (stream->failed == GEODISK_OK)
    *done = stream->run.next == ASK_DONE;
  return stream->failed;
}

geodisk_status geodisk_mean_stream_result(const geodisk_mean_stream *stream, double *out, geodisk_mean_info *info) {
  if (stream->failed != GEODISK_OK)
    return stream->failed;
  if (stream->run.next != ASK_DONE)
    return geodisk_fail(stream->run.plain.context, GEODISK_ERROR_ARGUMENT, "the stream is not done: it needs another pass");
  mean_run_result(&stream->run, out, info);
  return GEODISK_OK;
}
