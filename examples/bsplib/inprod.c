/* The inner product of two vectors, dealt cyclically. The number n is read by process 0. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

static int processes;

static double inner_product(int p, int s, int n, const double *x, const double *y) {
  double sum = 0, *parts = malloc((size_t)p * sizeof(double));
  int i, t, mine = (n + p - s - 1) / p;
  bsp_push_reg(parts, p * (int)sizeof(double));
  bsp_sync();
  for (i = 0; i < mine; i++) sum += x[i] * y[i];
  for (t = 0; t < p; t++) bsp_put(t, &sum, parts, s * (int)sizeof(double), (int)sizeof(double));
  bsp_sync();
  for (sum = 0, t = 0; t < p; t++) sum += parts[t];
  bsp_pop_reg(parts);
  free(parts);
  return sum;
}

static void spmd(void) {
  int p, s, n = 0, i, mine;
  double *x, sum, expected;
  bsp_begin(processes);
  p = bsp_nprocs();
  s = bsp_pid();
  bsp_push_reg(&n, (int)sizeof n);
  bsp_sync();
  if (s == 0 && (scanf("%d", &n) != 1 || n < 0)) bsp_abort("inprod: give a number on standard input\n");
  bsp_sync();
  bsp_get(0, &n, 0, &n, (int)sizeof n);
  bsp_sync();
  bsp_pop_reg(&n);
  mine = (n + p - s - 1) / p;
  x = malloc((size_t)(mine + 1) * sizeof(double));
  for (i = 0; i < mine; i++) x[i] = i * p + s + 1;
  sum = inner_product(p, s, n, x, x);
  expected = (double)n * (n + 1.0) * (2.0 * n + 1.0) / 6;
  if (sum != expected) bsp_abort("inprod: process %d found %.0f instead of %.0f\n", s, sum, expected);
  if (s == 0) printf("inprod: n=%d p=%d sum %.0f, right\n", n, p, sum);
  free(x);
  bsp_end();
}

int main(int argc, char **argv) {
  bsp_init(spmd, argc, argv);
  processes = bsp_nprocs();
  spmd();
  return 0;
}
