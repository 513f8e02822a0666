/* stress.c - embeds a distance matrix: the nodes of a complete binary tree, so that hyperbolic distances are like those in the
 * tree.
 *
 * Trees do not fit into flat spaces, but into the hyperbolic plane they do, the better the longer an edge is. Minimising the
 * stress from a random start gets caught; so the tree grows level by level: children start near their parent, then all are
 * improved.
 *
 *     cc stress.c $(pkg-config --cflags --libs geodisk) -lm -o stress */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <geodisk/geodisk.h>

enum { LEVELS = 5, NODES = (1 << LEVELS) - 1, DIM = 2 };
static const double EDGE = 2.0; /* hyperbolic length of an edge */

static int steps_apart(int a, int b) {
  int steps = 0;
  for (a++, b++; a != b; steps++)
    if (a > b)
      a /= 2;
    else
      b /= 2;
  return steps;
}

int main(void) {
  const geodisk_ball ball = geodisk_unit_ball(DIM);
  double x[NODES * DIM] = {0}, gap[NODES], matrix[NODES * NODES];
  geodisk_random random = geodisk_random_stream(1, 0);
  geodisk_optim_info info = {0};
  gap[0] = 1.0;
  for (int n = 3; n <= NODES; n = 2 * n + 1) { /* with one more level */
    for (int i = n / 2; i < n; i++) {
      const int parent = (i - 1) / 2;
      double step[DIM];
      for (int j = 0; j < DIM; j++) /* a short way in a random direction */
        step[j] = 0.1 * geodisk_random_normal(&random) / (2 / gap[parent]);
      geodisk_exp_gap(&ball, x + parent * DIM, gap[parent], step, x + i * DIM, &gap[i]);
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        matrix[i * n + j] = EDGE * steps_apart(i, j);
    geodisk_objective *stress = NULL;
    geodisk_optim_options options = geodisk_optim_defaults(GEODISK_METHOD_BACKTRACKING);
    options.iterations = 300;
    if (geodisk_objective_stress(NULL, (size_t)n, matrix, NULL, NULL, &stress) != GEODISK_OK ||
        geodisk_minimise(&ball, stress, &options, x, gap, &info) != GEODISK_OK)
      return 1;
    geodisk_objective_destroy(stress);
    printf("%2d nodes: a distance is off by %.3f edges in the root mean square\n", n,
           sqrt(info.loss / (n * (n - 1) / 2.0)) / EDGE);
  }

  double worst = 0;
  for (int i = 0; i < NODES; i++)
    for (int j = i + 1; j < NODES; j++) {
      const double d = geodisk_distance_gap(&ball, x + i * DIM, gap[i], x + j * DIM, gap[j]);
      worst = fmax(worst, fabs(d / (EDGE * steps_apart(i, j)) - 1));
    }
  printf("worst distortion of a distance: %.0f %%\n", 100 * worst);
  return sqrt(info.loss / (NODES * (NODES - 1) / 2.0)) / EDGE < 0.5 ? 0 : 1;
}
