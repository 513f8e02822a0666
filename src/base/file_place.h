/* file_place.h - where a file that is being written lies until it is committed: for back-ends whose ranks write it together. Seen
 * by src/base and the back-ends. */
#ifndef GEODISK_BASE_FILE_PLACE_H
#define GEODISK_BASE_FILE_PLACE_H

#include "geodisk/base.h"

/* The temporary name; NULL where it is written directly (a pipe). Valid as long as the file is open. */
const char *file_temporary_path(const geodisk_file *file);

#endif
