/* barycenter.c - the barycenter of a few points, with its certificate; the same with weights; and points deeper than coordinates.
 *
 *     cc barycenter.c $(pkg-config --cflags --libs geodisk) -o barycenter */
#include <math.h>
#include <stdio.h>

#include <geodisk/geodisk.h>

static void show(const char *what, const double *p, const geodisk_mean_info *info) {
  printf("%-28s (%.15f, %.15f)   loss %.6f, within %.0e of the truth, %llu passes\n", what, p[0], p[1], info->loss,
         info->error_bound, (unsigned long long)info->passes);
}

int main(void) {
  const geodisk_ball ball = geodisk_unit_ball(2);
  const double points[4][2] = {{0.9, 0.0}, {0.0, 0.8}, {-0.3, -0.3}, {0.5, 0.5}};
  const double weights[4] = {1, 1, 4, 0};
  double p[2];
  geodisk_mean_info info;
  if (geodisk_mean(&ball, 4, points[0], NULL, NULL, p, &info) != GEODISK_OK)
    return 1;
  show("barycenter", p, &info);
  if (geodisk_mean(&ball, 4, points[0], weights, NULL, p, &info) != GEODISK_OK)
    return 1;
  show("weighted 1, 1, 4, 0", p, &info);

  /* The paper's step 1/(2D+1), which is proved to converge, takes more passes. */
  geodisk_mean_options options = geodisk_mean_defaults();
  options.method = GEODISK_MEAN_GRADIENT;
  options.tolerance = 1e-9;
  if (geodisk_mean(&ball, 4, points[0], NULL, &options, p, &info) != GEODISK_OK)
    return 1;
  show("by the paper's descent", p, &info);

  /* At radius 300 the coordinates say only the direction; the gap says how deep. */
  const double deep[2][2] = {{0.6, 0.8 - 1e-15}, {-0.6, 0.8 - 1e-15}};
  const double gaps[2] = {geodisk_gap_from_radius(&ball, 300), geodisk_gap_from_radius(&ball, 200)};
  double gap;
  if (geodisk_mean_gap(&ball, &(geodisk_mean_points){.n = 2, .points = deep[0], .gaps = gaps}, NULL, p, &gap, &info) !=
      GEODISK_OK)
    return 1;
  show("of radius 300 and 200", p, &info);
  const double to_first = geodisk_distance_gap(&ball, p, gap, deep[0], gaps[0]);
  const double to_second = geodisk_distance_gap(&ball, p, gap, deep[1], gaps[1]);
  printf("%-28s radius %.12f, at the distances %.12f and %.12f\n", "", geodisk_radius_from_gap(&ball, gap), to_first, to_second);
  return fabs(to_first - to_second) < 1e-10 ? 0 : 1;
}
