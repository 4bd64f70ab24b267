/* y = A x for a sparse matrix, again and again: nonzeros dealt at random, vectors cyclically. Fan-out by gets of
 * just the components needed, fan-in by messages whose tag is the row. Compared with the whole done by each. */
#include <bsp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { per_row = 5, steps = 4 };

static int column(int n, int i, int k) { return (int)(((long)i * 31 + (long)k * k * 17 + k) % n); }
static double value(int i, int k) { return 1.0 / (2 + i % 7 + k); }
static int owner(int p, int i, int k) { return (i * 5 + k * 3 + i / 7) % p; }

/* One product of what this process has; v is dealt cyclically, v[i / p] on process i % p. */
static void multiply(int p, int s, int n, double *v, double *fetched) {
  int i, k, messages;
  for (i = 0; i < n; i++)
    for (k = 0; k < per_row; k++)
      if (owner(p, i, k) == s) {
        const int j = column(n, i, k);
        bsp_get(j % p, v, j / p * (int)sizeof(double), fetched + j, (int)sizeof(double));
      }
  bsp_sync();
  for (i = 0; i < n; i++) {
    double sum = 0;
    int any = 0;
    for (k = 0; k < per_row; k++)
      if (owner(p, i, k) == s) sum += value(i, k) * fetched[column(n, i, k)], any = 1;
    if (any) bsp_send(i % p, &i, &sum, (int)sizeof(double));
  }
  bsp_sync();
  for (i = 0; i * p + s < n; i++) v[i] = 0;
  for (bsp_qsize(&messages, NULL); messages > 0; messages--) {
    void *tag, *payload;
    if (bsp_hpmove(&tag, &payload) != (int)sizeof(double)) bsp_abort("spmv: a message of a wrong size\n");
    v[*(int *)tag / p] += *(double *)payload;
  }
}

static void multiply_alone(int n, double *v, double *scratch) {
  int i, k;
  for (i = 0; i < n; i++)
    for (scratch[i] = 0, k = 0; k < per_row; k++) scratch[i] += value(i, k) * v[column(n, i, k)];
  for (i = 0; i < n; i++) v[i] = scratch[i];
}

int main(int argc, char **argv) {
  int p, s, i, n = argc > 1 ? atoi(argv[1]) : 500, tag = (int)sizeof(int);
  double *v, *fetched, *whole, worst = 0;
  bsp_begin(bsp_nprocs());
  p = bsp_nprocs();
  s = bsp_pid();
  v = malloc((size_t)(n / p + 1) * sizeof(double));
  fetched = malloc((size_t)n * sizeof(double));
  whole = malloc((size_t)n * sizeof(double));
  for (i = 0; i < n; i++) whole[i] = 1 + i % 3;
  for (i = 0; i * p + s < n; i++) v[i] = whole[i * p + s];
  bsp_push_reg(v, (n + p - s - 1) / p * (int)sizeof(double));
  bsp_set_tagsize(&tag);
  bsp_sync();
  for (i = 0; i < steps; i++) {
    multiply(p, s, n, v, fetched);
    multiply_alone(n, whole, fetched);
  }
  for (i = 0; i * p + s < n; i++) worst = fmax(worst, fabs(v[i] - whole[i * p + s]) / fabs(whole[i * p + s]));
  if (!(worst < 1e-12)) bsp_abort("spmv: process %d has error %g\n", s, worst);
  bsp_pop_reg(v);
  bsp_sync();
  if (s == 0) printf("spmv: n=%d p=%d error %.1e, right\n", n, p, worst);
  free(whole);
  free(fetched);
  free(v);
  bsp_end();
  return 0;
}
