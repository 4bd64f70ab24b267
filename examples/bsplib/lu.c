/* LU decomposition with partial pivoting; the columns are dealt cyclically. Every step registers what it needs
 * and removes it again. Process 0 gathers the factors and compares L U with the permuted matrix. */
#include <bsp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double entry(int n, int i, int j) { return sin(1.0 + 7 * i + 3 * j * j % 11 + i * j) + (i == n - 1 - j); }

/* Column j is on process j % p, at place j / p. */
static void decompose(int p, int s, int n, double *a, int *permutation) {
  const int row = (int)sizeof(double);
  int k, i, j;
  for (k = 0; k < n; k++) {
    double *pivot_column = malloc((size_t)n * sizeof(double));
    int pivot = k, *pivot_row = malloc(sizeof(int));
    bsp_push_reg(pivot_column, n * row);
    bsp_push_reg(pivot_row, (int)sizeof(int));
    bsp_sync();
    if (k % p == s) {
      double *c = a + (size_t)(k / p) * n, swap;
      int t;
      for (i = k + 1; i < n; i++)
        if (fabs(c[i]) > fabs(c[pivot])) pivot = i;
      if (c[pivot] == 0) bsp_abort("lu: the matrix is singular at step %d\n", k);
      swap = c[k], c[k] = c[pivot], c[pivot] = swap;
      for (i = k + 1; i < n; i++) c[i] /= c[k];
      for (t = 0; t < p; t++) {
        bsp_put(t, c + k, pivot_column, k * row, (n - k) * row);
        bsp_put(t, &pivot, pivot_row, 0, (int)sizeof(int));
      }
    }
    bsp_sync();
    pivot = *pivot_row;
    i = permutation[k], permutation[k] = permutation[pivot], permutation[pivot] = i;
    for (j = 0; j * p + s < n; j++) {
      double *c = a + (size_t)j * n, swap;
      if (j * p + s == k) continue;
      swap = c[k], c[k] = c[pivot], c[pivot] = swap;
      if (j * p + s < k) continue;
      for (i = k + 1; i < n; i++) c[i] -= pivot_column[i] * c[k];
    }
    bsp_pop_reg(pivot_row);
    bsp_pop_reg(pivot_column);
    free(pivot_row);
    free(pivot_column);
  }
}

static double worst_error(int n, const double *lu, const int *permutation) {
  double worst = 0;
  int i, j, k;
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++) {
      double sum = 0;
      for (k = 0; k <= i && k <= j; k++)
        sum += (k == i ? 1 : lu[(size_t)k * n + i]) * lu[(size_t)j * n + k];
      worst = fmax(worst, fabs(sum - entry(n, permutation[i], j)));
    }
  return worst;
}

int main(int argc, char **argv) {
  int p, s, n = argc > 1 ? atoi(argv[1]) : 64, i, j, bytes, *permutation;
  double *a, *all;
  bsp_begin(bsp_nprocs());
  p = bsp_nprocs();
  s = bsp_pid();
  bytes = n * (int)sizeof(double);
  a = malloc((size_t)(n / p + 1) * bytes);
  all = malloc(s == 0 ? (size_t)n * bytes + 1 : 1);
  permutation = malloc((size_t)n * sizeof(int) + 1);
  for (i = 0; i < n; i++) permutation[i] = i;
  for (j = 0; j * p + s < n; j++)
    for (i = 0; i < n; i++) a[(size_t)j * n + i] = entry(n, i, j * p + s);
  bsp_push_reg(all, s == 0 ? n * bytes : 0);
  bsp_sync();
  decompose(p, s, n, a, permutation);
  for (j = 0; j * p + s < n; j++) bsp_hpput(0, a + (size_t)j * n, all, (j * p + s) * bytes, bytes);
  bsp_sync();
  if (s == 0) {
    const double error = worst_error(n, all, permutation);
    if (!(error < 1e-10)) bsp_abort("lu: error %g\n", error);
    printf("lu: n=%d p=%d error %.1e, right\n", n, p, error);
  }
  bsp_pop_reg(all);
  free(permutation);
  free(all);
  free(a);
  bsp_end();
  return 0;
}
