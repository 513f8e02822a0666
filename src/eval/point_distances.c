/* point_distances.c - distances of one point to many, tile by tile. */
#include "point_distances.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = RANK_GROUP_BYTES / sizeof(double) };

bool point_distances_create(const prepared *points, const char *instructions, point_distances *out) {
  const size_t dim = points->dim;
  point_distances m = {.points = points, .kernel = geodisk_rank_table(instructions)};
  m.tile_points = prepared_tile_points(points, sizeof(double));
  m.y = geodisk_allocate(m.tile_points, dim * sizeof *m.y);
  m.w = geodisk_allocate(m.tile_points, sizeof *m.w);
  m.q = geodisk_allocate(RANK_SOURCES, RANK_POINTS * sizeof *m.q);
  m.d = geodisk_allocate(RANK_POINTS, sizeof *m.d);
  m.x = geodisk_allocate_zero(RANK_SOURCES, dim * sizeof *m.x);
  m.scratch = geodisk_allocate(2, dim * sizeof *m.scratch);
  *out = m;
  return m.y && m.w && m.q && m.d && m.x && m.scratch;
}

void point_distances_destroy(point_distances *m) {
  double *const arrays[] = {m->y, m->w, m->q, m->d, m->x, m->scratch};
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
    free(arrays[i]);
}

void point_distances_from(const point_distances *m, size_t u, size_t n, const uint32_t *ids, double *out) {
  const prepared *p = m->points;
  const double limits[RANK_SOURCES] = {0};
  prepared_source(p, u, 0, m->x);
  for (size_t at = 0; at < n; at += m->tile_points) {
    const size_t count = n - at < m->tile_points ? n - at : m->tile_points, whole = (count + GROUP - 1) / GROUP * GROUP;
    const uint32_t *some = ids != NULL ? ids + at : NULL;
    prepared_tile(p, count, at, some, m->y, m->w);
    m->kernel->d.tile(p->dim, whole, m->y, m->w, m->x, limits, 0.0, m->q);
    prepared_fix_near(p, p, u, u, count, at, some, m->q, m->scratch);
    m->kernel->distances(p->kind, p->weight[u], p->unit, whole, m->q, m->d);
    memcpy(out + at, m->d, count * sizeof *m->d);
  }
}
