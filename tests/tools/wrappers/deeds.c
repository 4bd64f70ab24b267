/* A program for the tests of a bsp.h process's life: does what its first argument says. */
#include <bsp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wanted;       /* set on process 0 before the SPMD part */
static const char *deed; /* argv is there on all */

static int is(const char *name) { return strcmp(deed, name) == 0; }

static void say_who(void) { printf("%d of %d\n", bsp_pid(), bsp_nprocs()); }

/* The rank that does wrong is 1; the others go on to a sync. */
static void do_wrong(void) {
  int x = 0;
  bsp_push_reg(&x, (int)sizeof x);
  bsp_sync();
  if (bsp_pid() == 1) {
    if (is("put out of range")) bsp_put(0, &x, &x, 4, 4);
    if (is("pid too large")) bsp_put(bsp_nprocs(), &x, &x, 0, 4);
    if (is("unregistered")) bsp_put(0, &x, &deed, 0, 4);
    if (is("abort")) printf("said before\n"), bsp_abort("enough %d", 7);
    if (is("exit")) exit(0);
    if (is("thread's end")) pthread_exit(NULL);
    if (is("push more")) bsp_push_reg(&x, 4);
    if (is("tag size")) x = 4, bsp_set_tagsize(&x);
    if (is("end early")) bsp_end(), exit(0);
    if (is("begin again")) bsp_begin(1);
    if (is("init in the middle")) bsp_init(do_wrong, 0, NULL);
  }
  bsp_sync();
  bsp_sync();
  bsp_end();
}

static void spmd(void) {
  if (is("others leave") && wanted == 0) exit(0); /* wanted is set on process 0 alone */
  bsp_begin(wanted);
  if (is("time")) {
    const double first = bsp_time();
    double later;
    bsp_sync();
    later = bsp_time();
    if (!(first >= 0 && first < 10 && later >= first)) bsp_abort("the time is %g, then %g\n", first, later);
  }
  if (is("put late")) {
    int x[2] = {0, 0};
    bsp_push_reg(x, (int)sizeof x);
    bsp_sync();
    if (bsp_pid() == 1) bsp_put(0, x, x, 0, (int)sizeof x), bsp_send(0, NULL, x, 4);
  }
  say_who();
  if (is("no end")) return;
  bsp_end();
}

int main(int argc, char **argv) {
  deed = argc > 1 ? argv[1] : "";
  if (is("abort first")) bsp_abort("before all\n");
  if (is("pid first")) bsp_pid();
  if (is("sync first")) bsp_sync();
  if (is("end first")) bsp_end();
  if (is("no begin")) bsp_init(spmd, argc, argv), exit(0);
  if (is("init twice")) bsp_init(spmd, argc, argv), bsp_init(spmd, argc, argv);
  if (is("read before init") && scanf("%d", &wanted) != 1) exit(1);
  if (is("read before init and abort") && scanf("%d", &wanted) != 1) bsp_abort("no number");
  if (is("nprocs, then init")) wanted = bsp_nprocs();
  if (is("leave at once")) return 0;
  if (is("leave at once in error")) return 3;
  if (is("leave")) return bsp_nprocs() == 3 ? 0 : 4;
  if (is("leave in error")) exit(bsp_nprocs());
  if (is("begin") || is("thread's end after")) {
    /* Only process 0's number counts, and without bsp_init all run main. */
    bsp_begin(getenv("LBSP_TEST_RANKS") ? atoi(getenv("LBSP_TEST_RANKS")) : 1);
    say_who();
    bsp_end();
    printf("after the end %d\n", bsp_nprocs());
    if (is("thread's end after")) pthread_exit(NULL);
    return 0;
  }
  if (argc > 2 && strcmp(argv[2], "wrong") == 0) {
    bsp_begin(bsp_nprocs());
    do_wrong();
    return 0;
  }
  bsp_init(spmd, argc, argv);
  wanted = bsp_nprocs();
  printf("%d available\n", wanted);
  if (is("others leave")) wanted = atoi(getenv("LBSP_TEST_RANKS"));
  if (is("read") && scanf("%d", &wanted) != 1) bsp_abort("no number\n");
  spmd();
  printf("after the end %d\n", bsp_nprocs());
  if (is("sync after")) bsp_sync();
  if (is("abort after")) bsp_abort("too late\n");
  return 0;
}
