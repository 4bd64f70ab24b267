#ifndef LBSP_BSP_LEVEL1_H
#define LBSP_BSP_LEVEL1_H

/*
 * The collective operations on top of <bsp.h> (level 1 of the Oxford toolset). All processes must make the call in
 * the same place, with the same root, op and nbytes. Each call ends a superstep, and some end two. So they do whatever
 * bsp_sync does: transfers made before the call arrive, and the messages in the queue are replaced. No memory need be
 * registered; src and dst may be the same. Sizes are int in both faces of <bsp.h>. p is bsp_nprocs().
 *
 * They abort on: root out of range; a negative size; NULL if there are bytes. Different calls, roots, sizes or
 * operations on different processes are found at the sync. 0 bytes still end the supersteps.
 */

/* As in <bsp.h>, which may come before or after. */
#define LBSP_CALL_(name) __asm__("lbsp_bsp_" name)

#ifdef __cplusplus
extern "C" {
#endif

/* Copies nbytes from src on root to dst on every process. Takes one superstep, in which root sends (p-1) nbytes. From
 * 4096 bytes on, with p > 2, takes two supersteps, each an h-relation of about nbytes. */
void bsp_bcast(int root, void *src, void *dst, int nbytes) LBSP_CALL_("bcast");

/* Copies src of every process to dst on root, of p nbytes, in the order of the processes. Takes one superstep,
 * h = (p-1) nbytes. dst counts on root only. */
void bsp_gather(int root, void *src, void *dst, int nbytes) LBSP_CALL_("gather");

/* Shares out src on root, of p nbytes: process i gets the i-th nbytes into dst. Takes one superstep,
 * h = (p-1) nbytes. src counts on root only. */
void bsp_scatter(int root, void *src, void *dst, int nbytes) LBSP_CALL_("scatter");

/*
 * Sets dst on every process to src of process 0 op src of process 1 op ... op src of the last. op(result, left,
 * right, &nbytes) combines two values of nbytes. It must be associative, but need not be commutative; result may be
 * the same memory as left. The values are always combined from the left, so the result is the same on all processes.
 * Takes one superstep, h = (p-1) nbytes.
 *
 * op may be any function of three pointers to values and a pointer to int: void (*)(double *, double *, double *,
 * int *) as well as void (*)(void *, void *, void *, int *).
 */
#ifdef __cplusplus
void bsp_fold(void (*op)(void *result, void *left, void *right, int *nbytes), void *src, void *dst, int nbytes)
    LBSP_CALL_("fold");
#else
void bsp_fold(void (*op)(void), void *src, void *dst, int nbytes) LBSP_CALL_("fold");
#define bsp_fold(op, src, dst, nbytes) bsp_fold((void (*)(void))(op), src, dst, nbytes)
#endif

/* As bsp_fold, but process i gets the combination of the values of processes 0 to i. */
#ifdef __cplusplus
void bsp_scan(void (*op)(void *result, void *left, void *right, int *nbytes), void *src, void *dst, int nbytes)
    LBSP_CALL_("scan");
#else
void bsp_scan(void (*op)(void), void *src, void *dst, int nbytes) LBSP_CALL_("scan");
#define bsp_scan(op, src, dst, nbytes) bsp_scan((void (*)(void))(op), src, dst, nbytes)
#endif

/*
 * Each takes one value of every process and returns the sum, the product, the least or the greatest of them on every
 * process; those with _prefix combine processes 0 to this one. I: int, R: float, D: double. Each takes one superstep.
 */
int bsp_sumI(int value) LBSP_CALL_("sumI");
float bsp_sumR(float value) LBSP_CALL_("sumR");
double bsp_sumD(double value) LBSP_CALL_("sumD");
int bsp_sumI_prefix(int value) LBSP_CALL_("sumI_prefix");
float bsp_sumR_prefix(float value) LBSP_CALL_("sumR_prefix");
double bsp_sumD_prefix(double value) LBSP_CALL_("sumD_prefix");
int bsp_productI(int value) LBSP_CALL_("productI");
float bsp_productR(float value) LBSP_CALL_("productR");
double bsp_productD(double value) LBSP_CALL_("productD");
int bsp_productI_prefix(int value) LBSP_CALL_("productI_prefix");
float bsp_productR_prefix(float value) LBSP_CALL_("productR_prefix");
double bsp_productD_prefix(double value) LBSP_CALL_("productD_prefix");
int bsp_minI(int value) LBSP_CALL_("minI");
float bsp_minR(float value) LBSP_CALL_("minR");
double bsp_minD(double value) LBSP_CALL_("minD");
int bsp_minI_prefix(int value) LBSP_CALL_("minI_prefix");
float bsp_minR_prefix(float value) LBSP_CALL_("minR_prefix");
double bsp_minD_prefix(double value) LBSP_CALL_("minD_prefix");
int bsp_maxI(int value) LBSP_CALL_("maxI");
float bsp_maxR(float value) LBSP_CALL_("maxR");
double bsp_maxD(double value) LBSP_CALL_("maxD");
int bsp_maxI_prefix(int value) LBSP_CALL_("maxI_prefix");
float bsp_maxR_prefix(float value) LBSP_CALL_("maxR_prefix");
double bsp_maxD_prefix(double value) LBSP_CALL_("maxD_prefix");

/* Whether the value is not 0 on all processes, and on any process. */
int bsp_all(int value) LBSP_CALL_("all");
int bsp_any(int value) LBSP_CALL_("any");

/* Sorts one value of every process: process i gets the i-th least. */
int bsp_sortI(int value) LBSP_CALL_("sortI");
float bsp_sortR(float value) LBSP_CALL_("sortR");
double bsp_sortD(double value) LBSP_CALL_("sortD");
char bsp_sortC(char value) LBSP_CALL_("sortC");

#ifdef __cplusplus
}

template <class Result, class A, class B, class C>
inline void bsp_fold(Result (*op)(A *, B *, C *, int *), void *src, void *dst, int nbytes) {
  bsp_fold(reinterpret_cast<void (*)(void *, void *, void *, int *)>(op), src, dst, nbytes);
}

template <class Result, class A, class B, class C>
inline void bsp_scan(Result (*op)(A *, B *, C *, int *), void *src, void *dst, int nbytes) {
  bsp_scan(reinterpret_cast<void (*)(void *, void *, void *, int *)>(op), src, dst, nbytes);
}
#endif

#endif
