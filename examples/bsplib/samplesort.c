/* Sorts n numbers: sort locally, choose splitters from regular samples, send every part where it belongs as a
 * message whose tag is its source, merge. Process 0 then compares with qsort of all. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) {
  const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
  return (x > y) - (x < y);
}

static unsigned number(unsigned i) {
  i = (i ^ 61u) ^ (i >> 16);
  i *= 9u;
  i ^= i >> 4;
  return (i * 0x27d4eb2du) >> 3;
}

/* The p*p samples of all processes, p from each, sorted. */
static void gather_samples(int p, int s, int n, const unsigned *keys, unsigned *samples) {
  int i, t;
  bsp_push_reg(samples, p * p * (int)sizeof(unsigned));
  bsp_sync();
  for (i = 0; i < p; i++) {
    const unsigned sample = n > 0 ? keys[(size_t)i * n / p] : 0;
    for (t = 0; t < p; t++)
      bsp_put(t, &sample, samples, (s * p + i) * (int)sizeof(unsigned), (int)sizeof(unsigned));
  }
  bsp_sync();
  bsp_pop_reg(samples);
  qsort(samples, (size_t)p * p, sizeof(unsigned), compare);
}

static unsigned *exchange(int p, int s, int n, const unsigned *keys, const unsigned *samples, int *received) {
  int t, begin = 0, messages, bytes, filled = 0;
  unsigned *mine;
  for (t = 0; t < p; t++) {
    int end = begin;
    while (end < n && (t == p - 1 || keys[end] < samples[(t + 1) * p])) end++;
    if (end > begin) bsp_send(t, &s, keys + begin, (end - begin) * (int)sizeof(unsigned));
    begin = end;
  }
  bsp_sync();
  bsp_qsize(&messages, &bytes);
  mine = malloc((size_t)bytes + 1);
  while (messages-- > 0) {
    int length, source;
    bsp_get_tag(&length, &source);
    if (source < 0 || source >= p) bsp_abort("samplesort: a message of process %d\n", source);
    bsp_move((char *)mine + filled, length);
    filled += length;
  }
  *received = filled / (int)sizeof(unsigned);
  qsort(mine, (size_t)*received, sizeof(unsigned), compare);
  return mine;
}

static void check(int p, int n, const unsigned *sorted) {
  unsigned *expected = malloc((size_t)n * sizeof(unsigned) + 1);
  int i;
  for (i = 0; i < n; i++) expected[i] = number((unsigned)i);
  qsort(expected, (size_t)n, sizeof(unsigned), compare);
  if (memcmp(sorted, expected, (size_t)n * sizeof(unsigned)) != 0) bsp_abort("samplesort: not sorted\n");
  printf("samplesort: n=%d p=%d, right\n", n, p);
  free(expected);
}

int main(int argc, char **argv) {
  int p, s, i, n = argc > 1 ? atoi(argv[1]) : 20000, local, count, offset = 0, tag = (int)sizeof(int), *counts;
  unsigned *keys, *samples, *mine, *all;
  bsp_begin(bsp_nprocs());
  p = bsp_nprocs();
  s = bsp_pid();
  local = (n + p - s - 1) / p;
  keys = malloc((size_t)local * sizeof(unsigned) + 1);
  samples = malloc((size_t)p * p * sizeof(unsigned));
  counts = calloc((size_t)p, sizeof(int));
  all = malloc(s == 0 ? (size_t)n * sizeof(unsigned) + 1 : 1);
  for (i = 0; i < local; i++) keys[i] = number((unsigned)(i * p + s));
  qsort(keys, (size_t)local, sizeof(unsigned), compare);
  bsp_set_tagsize(&tag);
  gather_samples(p, s, local, keys, samples);
  mine = exchange(p, s, local, keys, samples, &count);
  bsp_push_reg(counts, p * (int)sizeof(int));
  bsp_push_reg(all, s == 0 ? n * (int)sizeof(unsigned) : 0);
  bsp_sync();
  for (i = s + 1; i < p; i++) bsp_put(i, &count, counts, s * (int)sizeof(int), (int)sizeof(int));
  bsp_sync();
  for (i = 0; i < s; i++) offset += counts[i];
  bsp_put(0, mine, all, offset * (int)sizeof(unsigned), count * (int)sizeof(unsigned));
  bsp_sync();
  if (s == 0) check(p, n, all);
  free(mine);
  free(all);
  free(counts);
  free(samples);
  free(keys);
  bsp_end();
  return 0;
}
