/* A program for the tests with more than one SPMD part: does what its first argument says. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wanted;         /* processes of the next part, known to process 0 alone */
static const char *deed;   /* argv is there on all */
static int parts_seen;     /* each process's own, from part to part */
static int own_pid;

static int is(const char *name) { return strcmp(deed, name) == 0; }

/* The sum of all processes' numbers, by puts and a get of 100 kB through what every part registers anew. */
static int sum_of_pids(void) {
  static int terms[25000];
  static int others[25000];
  int sum = 0;
  int pid;
  memset(terms, 0, sizeof terms);
  bsp_push_reg(terms, (int)sizeof terms);
  bsp_sync();
  for (pid = 0; pid < bsp_nprocs(); ++pid)
    bsp_put(pid, &own_pid, terms, own_pid * (int)sizeof own_pid, (int)sizeof own_pid);
  bsp_sync();
  bsp_get((bsp_pid() + 1) % bsp_nprocs(), terms, 0, others, (int)sizeof others);
  bsp_sync();
  for (pid = 0; pid < bsp_nprocs(); ++pid)
    sum += others[pid];
  return sum;
}

static void say(const char *part) {
  int sum;
  own_pid = bsp_pid();
  sum = sum_of_pids();
  ++parts_seen;
  printf("%s: %d of %d, sum %d, part %d here\n", part, own_pid, bsp_nprocs(), sum, parts_seen);
}

static void first(void) {
  bsp_begin(wanted);
  if (is("_exit in the first") && bsp_pid() == 1) _exit(0);
  say("first");
  bsp_end();
  fflush(stdout);
  if (is("exit") && own_pid == 1) exit(0);
  if (is("_exit of another") && own_pid == 1) _exit(0);
}

static void second(void) {
  if (is("no begin") && own_pid == 1) return;
  bsp_begin(wanted);
  if (is("_exit in the second") && bsp_pid() == 1) _exit(0);
  if (is("abort")) {
    if (bsp_pid() == 1) bsp_abort("enough");
    bsp_sync();
  }
  say("second");
  bsp_end();
}

static void without_init(void) {
  bsp_begin(3);
  say("first");
  bsp_end();
  if (is("one ends") && own_pid == 1) return;
  bsp_begin(2);
  say("second");
  bsp_end();
  bsp_begin(3);
  say("third");
  bsp_end();
}

int main(int argc, char **argv) {
  deed = argc > 1 ? argv[1] : "";
  if (is("without init") || is("one ends")) {
    without_init();
    return 0;
  }
  bsp_init(first, argc, argv);
  wanted = 3;
  first();
  if (is("_exit")) fflush(stdout), _exit(0);
  if (is("_exit of another")) return 0;
  printf("between\n");
  bsp_init(second, argc, argv);
  wanted = 2;
  second();
  second();
  wanted = 9;
  bsp_init(first, argc, argv);
  first();
  printf("after\n");
  return is("error") ? 3 : 0;
}
