/* The fast Fourier transform of n = 2^m numbers on p = 2^q processes, p * p <= n: dealt cyclically, an FFT of n/p
 * on each process, twiddled, one superstep that redeals by gets, then FFTs of p. Compared with the sum itself. */
#include <bsp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* x: n complex numbers, in place. */
static void fft(int n, double *x) {
  int i, j = 0, half, k;
  for (i = 1; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      double re = x[2 * i], im = x[2 * i + 1];
      x[2 * i] = x[2 * j], x[2 * i + 1] = x[2 * j + 1];
      x[2 * j] = re, x[2 * j + 1] = im;
    }
  }
  for (half = 1; half < n; half *= 2)
    for (i = 0; i < n; i += 2 * half)
      for (k = 0; k < half; k++) {
        double c = cos(pi * k / half), d = -sin(pi * k / half), *u = x + 2 * (i + k), *v = u + 2 * half;
        double re = c * v[0] - d * v[1], im = c * v[1] + d * v[0];
        v[0] = u[0] - re, v[1] = u[1] - im;
        u[0] += re, u[1] += im;
      }
}

static double re_in(int i) { return cos(0.3 * i) + i % 5; }
static double im_in(int i) { return sin(0.7 * i * i); }

/* Number i of the input is x[i / p] on process i % p; number k of the output is y[k2 + (k1 % b) p] with
 * k = k1 + k2 n/p on process k1 / b, b = n / p / p. */
static void parallel_fft(int p, int s, int n, double *x, double *y) {
  const int local = n / p, block = local / p, pair = 2 * (int)sizeof(double);
  double *column = malloc((size_t)local * pair);
  int k, t;
  bsp_push_reg(x, local * pair);
  fft(local, x);
  for (k = 0; k < local; k++) {
    double c = cos(2 * pi * s * k / n), d = -sin(2 * pi * s * k / n), re = x[2 * k];
    x[2 * k] = c * re - d * x[2 * k + 1];
    x[2 * k + 1] = c * x[2 * k + 1] + d * re;
  }
  bsp_sync();
  for (t = 0; t < p; t++) bsp_get(t, x, s * block * pair, column + 2 * t * block, block * pair);
  bsp_pop_reg(x);
  bsp_sync();
  for (k = 0; k < block; k++) {
    for (t = 0; t < p; t++) memcpy(y + 2 * (k * p + t), column + 2 * (t * block + k), (size_t)pair);
    fft(p, y + 2 * k * p);
  }
  free(column);
}

static double worst_error(int p, int s, int n, const double *y) {
  const int local = n / p, block = local / p;
  double worst = 0;
  int a, b, i;
  for (a = 0; a < block; a++)
    for (b = 0; b < p; b++) {
      int k = s * block + a + b * local;
      double re = 0, im = 0;
      for (i = 0; i < n; i++) {
        double angle = -2 * pi * ((double)i * k - floor((double)i * k / n) * n) / n;
        re += re_in(i) * cos(angle) - im_in(i) * sin(angle);
        im += re_in(i) * sin(angle) + im_in(i) * cos(angle);
      }
      worst = fmax(worst, fabs(re - y[2 * (a * p + b)]) + fabs(im - y[2 * (a * p + b) + 1]));
    }
  return worst;
}

int main(int argc, char **argv) {
  int p, s, i, n = argc > 1 ? atoi(argv[1]) : 1024;
  double *x, *y, error;
  bsp_begin(bsp_nprocs());
  p = bsp_nprocs();
  s = bsp_pid();
  if (n < p * p || (n & (n - 1)) || (p & (p - 1))) bsp_abort("fft: n and p must be powers of 2, and p*p <= n\n");
  x = malloc((size_t)(n / p) * 2 * sizeof(double));
  y = malloc((size_t)(n / p) * 2 * sizeof(double));
  for (i = 0; i < n / p; i++) x[2 * i] = re_in(i * p + s), x[2 * i + 1] = im_in(i * p + s);
  parallel_fft(p, s, n, x, y);
  error = worst_error(p, s, n, y);
  if (!(error < 1e-8 * n)) bsp_abort("fft: process %d has error %g\n", s, error);
  bsp_sync();
  if (s == 0) printf("fft: n=%d p=%d error %.1e, right\n", n, p, error);
  free(y);
  free(x);
  bsp_end();
  return 0;
}
