/* file_place.h - where a file goes that is being written: who takes what is written to "-", and where the others lie until they
 * are committed, for back-ends whose ranks write them together. Seen by src/base and the back-ends. */
#pragma once

#include "geodisk/base.h"

/* What geodisk_context_on_write has set; NULL: nobody. */
geodisk_write_fn context_write(const geodisk_context *context, void **user);

/* The temporary name; NULL where it is written directly (a pipe). Valid as long as the file is open. */
const char *file_temporary_path(const geodisk_file *file);
