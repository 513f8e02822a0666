/* processes.h - the command as one of several processes, started by mpirun or srun. Without libgeodisk-mpi, ranks_start says what
 * is missing. Only rank 0 has a voice: main() silences the others before anything is printed. */
#pragma once

#include "geodisk/mpi.h"

bool ranks_built(void);    /* with MPI */
bool ranks_launched(void); /* as one of several processes, or by mpirun as the only one */
bool ranks_several(void);  /* as one of at least two */
/* Standard output and error go nowhere, unless this is rank 0 or the only process; returns whether they do. */
bool ranks_silence(void);
/* The exit code of a rank that was silenced: 0, since rank 0 speaks for all, unless it failed before MPI had started; then it
 * says why. */
int ranks_speak_up(int code);

/* Starts MPI. From then on SIGUSR1 and SIGTERM ask the task to stop as Ctrl-C does: mpirun hands on the first, and sends the
 * second when the job must end, because a rank has died or by Ctrl-C, a second before it kills. */
geodisk_status ranks_start(geodisk_context *context, geodisk_mpi **out);
/* What rank 0 says on SIGTERM: where the work can be taken up again. */
void ranks_last_words(const char *format, ...) GEODISK_PRINTF(1, 2);
void ranks_end(geodisk_mpi *mpi);                                  /* NULL is fine */
bool ranks_leads(const geodisk_mpi *mpi);                          /* rank 0, or no ranks at all */
int ranks_count(const geodisk_mpi *mpi);                           /* 1 for NULL */
uint64_t ranks_peak_memory(geodisk_mpi *mpi);                      /* of any rank, in bytes */
geodisk_mpi_traffic ranks_traffic(const geodisk_trainer *trainer); /* of a trainer on ranks */
geodisk_status ranks_agree(geodisk_context *context, geodisk_mpi *mpi, geodisk_status status);
geodisk_status ranks_trainer(geodisk_context *context, geodisk_mpi *mpi, const char *path, const geodisk_graph_read_options *read,
                             const char *resume, const geodisk_train_options *options, geodisk_trainer **out);
geodisk_status ranks_ranking(geodisk_context *context, geodisk_mpi *mpi, const geodisk_mpi_judged *judged,
                             const geodisk_ranking_options *options, uint64_t *nodes, geodisk_ranking *out);
geodisk_status ranks_export(geodisk_context *context, geodisk_mpi *mpi, const char *model, const char *path,
                            const geodisk_export_options *options, geodisk_mpi_exported *out);
