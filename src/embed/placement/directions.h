/* directions.h - well separated directions: as many unit vectors as are asked for, the least angle between them as wide as a
 * lattice of latitudes makes it. */
#pragma once

#include <stddef.h>

/* The least angle between `count` >= 1 directions in dim >= 2 dimensions (pi for one). */
double embed_directions_angle(int dim, size_t count);

/* The directions themselves, count x dim, for the angle that embed_directions_angle tells; the first is (1, 0, ...), and the last
 * ones lie opposite to it. */
void embed_directions(int dim, size_t count, double angle, double *out);
