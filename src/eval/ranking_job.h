/* ranking_job.h - what the tasks of a ranking share, and what each of them leaves behind. */
#pragma once

#include <stdatomic.h>

#include "kernel/rank_device.h"
#include "prepared.h"

/* Sources are points of `own`, against which `points` are measured: all there are, or a slice of them at a time. */
typedef struct rank_job {
  const prepared *own, *points;
  size_t own_first, first; /* numbers of their first points among all */
  size_t nodes;            /* all there are */
  const rank_table *kernel;
  geodisk_graph_rows positives, known; /* rows of own points, by numbers among all; known.offsets NULL: none */
  const uint32_t *sources;             /* the own points judged, ascending */
  geodisk_rank_definition definition;
  bool loss;
  size_t tile_points;
  atomic_bool stopped; /* the tasks end early: out of memory, or the caller wants to stop */
} rank_job;

static inline bool rank_job_stopped(const rank_job *job) { return atomic_load_explicit(&job->stopped, memory_order_relaxed); }

/* One task: `count` sources from job->sources[first] on. Open it (NULL: memory is out); for each slice of the points, measure;
 * sort; for each slice, scan; close it, which fills out[0..count), if out is not NULL. */
typedef struct rank_arithmetic {
  void *(*open)(const rank_job *job, size_t first, size_t count);
  void (*measure)(void *task); /* the distances of its positives */
  void (*sort)(void *task);
  void (*scan)(void *task); /* counts the negatives between them */
  void (*close)(void *task, rank_record *out);
  /* All of the job's sources by a device. */
  geodisk_status (*by_device)(geodisk_context *context, const rank_device *device, const rank_job *job, size_t count,
                              rank_record *out);
} rank_arithmetic;
extern const rank_arithmetic rank_in_double, rank_in_float;

/* All of a task, where `points` are all there are. False if memory is out. */
bool rank_block(const rank_arithmetic *arithmetic, const rank_job *job, size_t first, size_t count, rank_record *out);
