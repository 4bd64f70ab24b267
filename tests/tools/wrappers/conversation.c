/* A program for the tests of bsp.h on a terminal and between pipes: talks with its user, or counts for ever. */
#include <bsp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *deed;
static const char *folder;

/* Process 0 asks for numbers until there are none, and tells each time what that many added over all give. */
static void add_up(void) {
  int number = 0;
  int more = 1;
  bsp_push_reg(&number, (int)sizeof number);
  bsp_push_reg(&more, (int)sizeof more);
  bsp_sync();
  while (more) {
    int rank;
    if (bsp_pid() == 0) {
      printf("number? ");
      fflush(stdout);
      more = scanf("%d", &number) == 1;
      for (rank = 1; rank < bsp_nprocs(); ++rank) {
        bsp_put(rank, &number, &number, 0, (int)sizeof number);
        bsp_put(rank, &more, &more, 0, (int)sizeof more);
      }
    }
    bsp_sync();
    if (more && bsp_pid() == bsp_nprocs() - 1) printf("%d processes make %d\n", bsp_nprocs(), bsp_nprocs() * number);
    fflush(stdout);
    bsp_sync();
  }
}

/* Says who it is where the test looks, and goes on until it is ended; process 0 prints a line for each superstep. */
static void count(void) {
  char path[4096];
  char whole[4096];
  FILE *file;
  long superstep;
  snprintf(path, sizeof path, "%.2000s/new-%d", folder, bsp_pid());
  snprintf(whole, sizeof whole, "%.2000s/%d", folder, bsp_pid());
  file = fopen(path, "w");
  if (file == NULL) bsp_abort("cannot write %s\n", path);
  fprintf(file, "%ld\n", (long)getpid());
  fclose(file);
  if (rename(path, whole) != 0) bsp_abort("cannot name %s\n", whole);
  for (superstep = 0;; ++superstep) {
    if (bsp_pid() == 0) printf("superstep %ld\n", superstep), fflush(stdout);
    usleep(1000);
    bsp_sync();
  }
}

static void spmd(void) {
  bsp_begin(bsp_nprocs());
  if (strcmp(deed, "add up") == 0) add_up();
  if (strcmp(deed, "count") == 0) count();
  bsp_end();
}

int main(int argc, char **argv) {
  deed = argc > 1 ? argv[1] : "";
  folder = argc > 2 ? argv[2] : ".";
  bsp_init(spmd, argc, argv);
  spmd();
  return 0;
}
