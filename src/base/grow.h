/* grow.h - arrays that grow. */
#ifndef GEODISK_BASE_GROW_H
#define GEODISK_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* Sees to it that the array whose pointer lies at `array` has room for `more` entries of `size` bytes behind the `used` ones. It
 * grows by half at least. False: memory is out, and the array as it was. */
bool array_grow(void *array, size_t used, size_t more, size_t *room, size_t size);

#endif
