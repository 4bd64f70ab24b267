/* The machine's parameters as BSP counts them: r (flop/s), and g and l, the cost T(h) = g h + l of an h-relation of
 * 8-byte words, by least squares; in flops and in seconds. Every word is checked to have arrived. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>

enum { largest = 256, repetitions = 8, vector = 1024 };

static double measure_rate(void) {
  static double x[vector], y[vector];
  double alpha = 1.0 / 3, begin, seconds;
  long flops = 0;
  int i;
  for (i = 0; i < vector; i++) x[i] = y[i] = i;
  begin = bsp_time();
  do {
    for (i = 0; i < vector; i++) y[i] += alpha * x[i];
    for (i = 0; i < vector; i++) x[i] -= alpha * 1e-9 * y[i];
    flops += 5 * vector;
    seconds = bsp_time() - begin;
  } while (seconds < 0.01);
  return (double)flops / seconds + 0 * x[1];
}

/* Seconds of a superstep in which every process sends h words, dealt over the others in turn. */
static double measure_relation(int p, int s, int h, double *words) {
  const int word = (int)sizeof(double);
  double begin;
  int i, k;
  bsp_sync();
  begin = bsp_time();
  for (k = 0; k < repetitions; k++) {
    for (i = 0; i < h; i++) {
      const double value = k * 1000.0 + i;
      const int to = p == 1 ? 0 : (s + 1 + i % (p - 1)) % p;
      bsp_put(to, &value, words, i * word, word);
    }
    bsp_sync();
    for (i = 0; i < h; i++)
      if (words[i] != k * 1000.0 + i) bsp_abort("parameters: word %d of %d is %g\n", i, h, words[i]);
  }
  return (bsp_time() - begin) / repetitions;
}

int main(void) {
  int p, s, h;
  double rate, *words, n = 0, sum_h = 0, sum_t = 0, sum_hh = 0, sum_ht = 0, g, l;
  bsp_begin(bsp_nprocs());
  p = bsp_nprocs();
  s = bsp_pid();
  words = malloc(largest * sizeof(double));
  bsp_push_reg(words, largest * (int)sizeof(double));
  bsp_sync();
  rate = measure_rate();
  for (h = 0; h <= largest; h += 32) {
    const double seconds = measure_relation(p, s, h, words);
    n++, sum_h += h, sum_t += seconds, sum_hh += (double)h * h, sum_ht += h * seconds;
  }
  g = (n * sum_ht - sum_h * sum_t) / (n * sum_hh - sum_h * sum_h);
  l = (sum_t - g * sum_h) / n;
  if (s == 0) {
    printf("parameters: p=%d r=%.0f Mflop/s g=%.1f l=%.0f flops, right\n", p, rate / 1e6, g * rate, l * rate);
    printf("parameters: g=%.3f us a word, l=%.1f us\n", g * 1e6, l * 1e6);
  }
  bsp_pop_reg(words);
  free(words);
  bsp_end();
  return 0;
}
