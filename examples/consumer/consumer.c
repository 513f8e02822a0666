/* consumer.c - a program that uses an installed geodisk: walks a step in the disk and measures it.
 * With CMake see CMakeLists.txt; with pkg-config: cc consumer.c $(pkg-config --cflags --libs geodisk) */
#include <stdio.h>

#include <geodisk/geodisk.h>

int main(void) {
  const geodisk_ball disk = geodisk_unit_ball(2);
  const double x[2] = {0.5, 0.0}, v[2] = {0.0, 0.375};
  double y[2];
  geodisk_exp(&disk, x, v, y);
  printf("geodisk %s: a step of length %.15g ends at distance %.15g\n", geodisk_version(), geodisk_norm(&disk, x, v),
         geodisk_distance(&disk, x, y));
  return 0;
}
