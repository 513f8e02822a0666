/* processes.h - the command as one of several processes, started by mpirun or srun. Without libgeodisk-mpi, ranks_start says what
 * is missing, and what else is called of it is here. Only rank 0 has a voice: main() silences the others before anything is
 * printed. */
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

/* Rank 0, or no ranks at all. */
static inline bool ranks_leads(const geodisk_mpi *mpi) { return geodisk_mpi_rank(mpi) == 0; }
