/* fuzz_checkpoint.c - going on from a checkpoint, with a small graph that is always the same. What is accepted trains an epoch
 * more, or says why it cannot, and can be saved. */
#define _GNU_SOURCE /* memfd_create */
#include "fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "geodisk/embed.h"

static const char edges[] = "b a\nc a\nd b\ne b\nf c\n";

static void must_go_on(geodisk_context *context, geodisk_trainer *trainer) {
  const geodisk_train_options options = geodisk_trainer_options(trainer);
  size_t kept = 0;
  const geodisk_train_epoch *history = geodisk_trainer_history(trainer, &kept);
  const uint64_t position = geodisk_trainer_position(trainer);
  if (position > 0 && (kept == 0 || history[kept - 1].epoch + 1 != position))
    abort();
  if (options.negatives != GEODISK_NEGATIVES_ALL && options.negatives > 1000)
    return; /* nothing wrong, but slow */
  if (position < geodisk_trainer_epochs(trainer)) {
    const geodisk_status st = geodisk_trainer_epoch(trainer, NULL);
    if (st == GEODISK_ERROR_NUMERIC && geodisk_context_error(context)[0] != 0)
      return;
    if (st != GEODISK_OK || geodisk_trainer_position(trainer) != position + 1)
      abort();
  }
  if (geodisk_trainer_save(trainer, "/dev/null") != GEODISK_OK)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  geodisk_context *context = NULL;
  geodisk_graph *graph = NULL;
  geodisk_trainer *trainer = NULL;
  if (geodisk_context_create(1, &context) != GEODISK_OK)
    return 0;
  if (geodisk_graph_read_memory(context, &(geodisk_memory_file){"fuzz", edges, sizeof edges - 1}, NULL, NULL, &graph) !=
      GEODISK_OK)
    abort();
  char path[64];
  const int fd = memfd_create("checkpoint", 0);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (geodisk_trainer_resume(context, graph, path, NULL, &trainer) == GEODISK_OK)
    must_go_on(context, trainer);
  else if (trainer != NULL || geodisk_context_error(context)[0] == 0)
    abort();
  close(fd);
  geodisk_trainer_destroy(trainer);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  return 0;
}
