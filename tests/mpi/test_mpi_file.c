/* test_mpi_file.c - checkpoints written by all ranks have the bytes of a plain process's, and are read back as it reads them;
 * what goes wrong goes wrong on all ranks and leaves the old file. */
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embed/backend.h"
#include "mpi/share.h"
#include "mpi_testing.h"

#include <string.h>

static char *read_whole(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  check(file != NULL && fseek(file, 0, SEEK_END) == 0);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size);
  check(bytes != NULL && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void check_same_file(const char *a, const char *b) {
  size_t n, m;
  char *x = read_whole(a, &n), *y = read_whole(b, &m);
  check(n == m && memcmp(x, y, n) == 0);
  free(x);
  free(y);
}

static checkpoint checkpoint_of(const geodisk_trainer *plain, const mpi_share *share) {
  return (checkpoint){.options = plain->options,
                      .history = plain->history,
                      .rows_kept = plain->history_rows,
                      .position = plain->position,
                      .rows = trainer_row(plain, share->first)};
}

/* Flips a bit of a file; collective. */
static void flip(const char *path, size_t from_end) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_here() == 0) {
    FILE *file = fopen(path, "r+b");
    check(file != NULL && fseek(file, -(long)from_end, SEEK_END) == 0);
    const int byte = fgetc(file);
    check(byte != EOF && fseek(file, -1, SEEK_CUR) == 0 && fputc(byte ^ 4, file) != EOF && fclose(file) == 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* A file that is no longer as it was written is refused by all, whichever rank would have read the place. */
static void test_damage(geodisk_context *context, const mpi_share *share, const char *path) {
  size_t size;
  free(read_whole(path, &size));
  checkpoint_found found;
  void *rows = NULL;
  static const int parts[] = {2, 3, 5, 100};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    flip(path, size / (size_t)parts[i]);
    check(mpi_share_load(context, share, path, NULL, &found, &rows) == GEODISK_ERROR_FORMAT);
    check(strstr(geodisk_context_error(context), " is damaged: the CRC-32C of its bytes is ") != NULL);
    flip(path, size / (size_t)parts[i]);
  }
}

static void test_bytes(geodisk_context *context, const geodisk_graph *graph, const geodisk_train_options *options, int epochs) {
  geodisk_trainer *plain = NULL;
  mpi_share *share = NULL;
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  check_ok(context, geodisk_trainer_create(context, graph, options, &plain));
  for (int i = 0; i < epochs; i++)
    check_ok(context, geodisk_trainer_epoch(plain, NULL));
  if (rank_here() == 0)
    check_ok(context, geodisk_trainer_save(plain, "plain.safetensors"));
  const checkpoint c = checkpoint_of(plain, share);
  check_ok(context, mpi_share_save(context, share, &c, "ranks.safetensors"));
  check_same_file("plain.safetensors", "ranks.safetensors");

  checkpoint_found found;
  void *rows = NULL;
  check_ok(context, mpi_share_load(context, share, "ranks.safetensors", epochs % 2 ? options : NULL, &found, &rows));
  check(found.position == (uint64_t)epochs && found.options.dim == options->dim && found.options.seed == options->seed);
  geodisk_trainer *resumed = NULL;
  check_ok(context, geodisk_trainer_resume(context, graph, "ranks.safetensors", NULL, &resumed));
  const size_t bytes = row_bytes(plain);
  check(memcmp(rows, (const char *)resumed->rows + share->first * bytes, share->owned * bytes) == 0);
  geodisk_trainer_destroy(resumed);
  for (int i = 0; i < epochs; i++)
    check(found.history[i].loss == plain->history[i].loss && found.history[i].edges == plain->history[i].edges);
  free(found.history);
  free(rows);

  geodisk_train_options other = *options; /* refused by name, as by a plain process */
  other.lr = 0.123;
  check(mpi_share_load(context, share, "ranks.safetensors", &other, &found, &rows) == GEODISK_ERROR_ARGUMENT);
  check(strstr(geodisk_context_error(context), "was trained with other options: lr was") != NULL);
  share->fingerprint ^= 1;
  check(mpi_share_load(context, share, "ranks.safetensors", options, &found, &rows) == GEODISK_ERROR_ARGUMENT);
  check(strstr(geodisk_context_error(context), "its graph is another one") != NULL);
  test_damage(context, share, "ranks.safetensors");
  MPI_Barrier(MPI_COMM_WORLD);
  mpi_share_destroy(share);
  geodisk_trainer_destroy(plain);
}

/* A number that is not finite, on the last rank that has nodes: nothing is written, and the old file stays. */
static void test_failures(geodisk_context *context, const geodisk_graph *graph) {
  geodisk_train_options o = geodisk_train_defaults();
  geodisk_trainer *plain = NULL;
  mpi_share *share = NULL;
  struct stat before, after;
  check_ok(context, mpi_share_of_graph(context, MPI_COMM_WORLD, graph, &share));
  check_ok(context, geodisk_trainer_create(context, graph, &o, &plain));
  const checkpoint c = checkpoint_of(plain, share);
  check_ok(context, mpi_share_save(context, share, &c, "kept.safetensors"));
  check(stat("kept.safetensors", &before) == 0);
  /* as if the disk were full, for the last rank only */
  struct rlimit unlimited, limit;
  check(getrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  limit = unlimited;
  limit.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  check(rank_here() < ranks_here() - 1 || setrlimit(RLIMIT_FSIZE, &limit) == 0);
  const geodisk_status full = mpi_share_save(context, share, &c, "kept.safetensors");
  check(setrlimit(RLIMIT_FSIZE, &unlimited) == 0);
  check(full == GEODISK_ERROR_IO && strstr(geodisk_context_error(context), "kept.safetensors: cannot write") != NULL);
  check(stat("kept.safetensors", &after) == 0 && before.st_ino == after.st_ino && before.st_size == after.st_size);
  ((double *)plain->rows)[(plain->nodes - 1) * plain->stride] = 2.0;
  check(mpi_share_save(context, share, &c, "kept.safetensors") == GEODISK_ERROR_NUMERIC);
  char text[64];
  snprintf(text, sizeof text, "node %zu ", plain->nodes - 1);
  check(strstr(geodisk_context_error(context), text) != NULL);
  check(stat("kept.safetensors", &after) == 0 && before.st_ino == after.st_ino && before.st_size == after.st_size);
  check(mpi_share_save(context, share, &c, "no/such/folder/file") == GEODISK_ERROR_IO);
  check(mpi_share_save(context, share, &c, "/dev/null") == GEODISK_ERROR_UNSUPPORTED);
  checkpoint_found found;
  void *rows = NULL;
  check(mpi_share_load(context, share, "no such file", NULL, &found, &rows) == GEODISK_ERROR_IO);
  DIR *folder = opendir(".");
  check(folder != NULL);
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
    check(strstr(entry->d_name, ".tmp") == NULL);
  closedir(folder);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_here() == 0)
    check(truncate("kept.safetensors", before.st_size - 100) == 0);
  MPI_Barrier(MPI_COMM_WORLD);
  check(mpi_share_load(context, share, "kept.safetensors", NULL, &found, &rows) == GEODISK_ERROR_FORMAT);
  MPI_Barrier(MPI_COMM_WORLD);
  mpi_share_destroy(share);
  geodisk_trainer_destroy(plain);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  geodisk_context *context = context_of_one_thread();
  geodisk_graph *graph = NULL;
  const geodisk_generate_options tree = {.kind = GEODISK_GENERATOR_RECURSIVE, .nodes = 5000, .seed = 2};
  check_ok(context, geodisk_graph_generate(context, &tree, &graph));
  geodisk_train_options o = geodisk_train_defaults();
  o.negatives = 3;
  o.epochs = 5;
  o.core_epochs = 0; /* while the core is trained, leaves are put into place for saving only */
  test_bytes(context, graph, &o, 2);
  o.precision = GEODISK_PRECISION_FLOAT;
  o.dim = 3;
  test_bytes(context, graph, &o, 0);
  o.space = GEODISK_SPACE_EUCLIDEAN;
  test_bytes(context, graph, &o, 3);
  test_failures(context, graph);
  geodisk_graph_destroy(graph);
  check_ok(context, geodisk_graph_read(context, GEODISK_DATA_DIR "/mammals.tsv", NULL, NULL, &graph));
  test_bytes(context, graph, &o, 1);
  geodisk_graph_destroy(graph);
  geodisk_context_destroy(context);
  MPI_Finalize();
  return 0;
}
