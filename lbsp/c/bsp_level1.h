#ifndef LBSP_BSP_LEVEL1_H
#define LBSP_BSP_LEVEL1_H

/*
 * The collective operations above <bsp.h> (level 1 of the Oxford toolset). All processes make the call in the
 * same place with the same root, op and nbytes. Each ends the superstep, some two, so whatever bsp_sync does
 * happens in them: transfers of before the call arrive, and the messages in the queue are replaced. No memory
 * need be registered; src and dst may be the same. Sizes are int in both faces of <bsp.h>. p is bsp_nprocs().
 *
 * Abort on: root out of range; a negative size; NULL where there are bytes. Different roots or sizes on
 * different processes are found out at the sync. 0 bytes still end the supersteps.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* nbytes from src on root go to dst on every process. Small: one superstep, root sends (p-1) nbytes. From
 * 4096 bytes on, with p > 2: two supersteps, each an h-relation of about nbytes. */
void bsp_bcast(int root, void *src, void *dst, int nbytes);

/* dst on root, of p nbytes, gets src of every process, by process. One superstep, h = (p-1) nbytes. dst counts
 * on root only. */
void bsp_gather(int root, void *src, void *dst, int nbytes);

/* src on root, of p nbytes, is dealt: process i gets the i-th nbytes into dst. One superstep, h = (p-1) nbytes.
 * src counts on root only. */
void bsp_scatter(int root, void *src, void *dst, int nbytes);

/*
 * dst on every process becomes src of process 0 op src of process 1 op ... of the last. op(result, left, right,
 * &nbytes) combines two values of nbytes; it must be associative, need not commute, and result may be the
 * same memory as left. Always from the left, so the result is the same on all. One superstep, h = (p-1) nbytes.
 */
void bsp_fold(void (*op)(void *result, void *left, void *right, int *nbytes), void *src, void *dst, int nbytes);

/* Likewise, but process i gets the values of processes 0 to i combined. */
void bsp_scan(void (*op)(void *result, void *left, void *right, int *nbytes), void *src, void *dst, int nbytes);

#ifdef __cplusplus
}
#endif

#endif
