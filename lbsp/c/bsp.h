#ifndef LBSP_BSP_H
#define LBSP_BSP_H

/*
 * BSPlib in C over lbsp: the 1998 standard (Hill, McColl, Stefanescu, Goudreau, Lang, Rao, Suel, Tsantilas,
 * Bisseling: BSPlib, the BSP programming library, Parallel Computing 24). For C89, C99 and C++.
 *
 *     lbspcc -O2 -o prog prog.c
 *     lbsp run -n 4 ./prog
 *
 * Started without lbsp run, a program is one process.
 *
 * Two faces. By default the types are those of 1998: int everywhere. With LBSP_MULTICOREBSP defined before
 * this header (or by including <mcbsp.h>), they are those of MulticoreBSP for C: unsigned process numbers,
 * size_t sizes. The typedefs bsp_pid_t, bsp_nprocs_t and bsp_size_t exist in both. Files of both faces may be
 * linked together.
 *
 * Wrong use ends the job on all processes, with one line on stderr that names the call, the process, the
 * superstep and the numbers: at the call where it can be known there, otherwise at the next bsp_sync.
 * Each call says below what it aborts on. All but bsp_init, bsp_begin, bsp_nprocs and bsp_abort abort outside
 * the SPMD part, that is before bsp_begin and after bsp_end. A process that ends in the SPMD part by exit or
 * by returning from main ends the job. One thread of a process makes the calls.
 */

#include <stdarg.h>
#include <stddef.h>
/* Not needed here: programs count on their header to bring these. Oxford's brings stdio.h, MulticoreBSP's stdint.h, and
 * with both in use string.h came along. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * The symbols behind the calls are named for lbsp and for the face. So a program that was compiled with another
 * library's bsp.h or mcbsp.h, whose types may differ, does not link, and the linker's error says why.
 */
#define LBSP_CALL_(name) __asm__("lbsp_bsp_" name)
#ifdef LBSP_MULTICOREBSP
#define LBSP_FACE_(name) __asm__("lbsp_multicore_" name)
typedef unsigned int bsp_pid_t;
typedef unsigned int bsp_nprocs_t;
typedef size_t bsp_size_t;
#else
#define LBSP_FACE_(name) __asm__("lbsp_1998_" name)
typedef int bsp_pid_t;
typedef int bsp_nprocs_t;
typedef int bsp_size_t;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The SPMD part ---- */

/*
 * To be the first statement of main where bsp_begin is not: spmd is the function that begins with bsp_begin.
 * Process 0 returns and goes on in main, which calls spmd. Every other process runs spmd at once, then exits
 * with 0 and never returns. Aborts if called twice or after bsp_begin, or with NULL.
 */
void bsp_init(void (*spmd)(void), int argc, char **argv) LBSP_CALL_("init");

/*
 * Begins the SPMD part with `processes` processes, or with as many as were started if those are fewer. Only
 * the number on process 0 counts. The surplus processes exit here with 0, silently. The others wait for
 * process 0 as long as it takes. Costs no superstep. Once in a program; the first statement of its function.
 * Aborts if called twice, and if process 0 gives less than 1.
 */
void bsp_begin(bsp_nprocs_t processes) LBSP_FACE_("begin");

/*
 * Ends the SPMD part, on all processes in the same superstep. Transfers since the last bsp_sync are dropped, and a
 * line on stderr says how many.
 * All processes go on after it; only process 0 need do so. Aborts, on all, if another process calls bsp_sync.
 */
void bsp_end(void) LBSP_CALL_("end");

/* Before bsp_begin the number of processes that were started; from it on, also after bsp_end, that of the
 * SPMD part. */
bsp_nprocs_t bsp_nprocs(void) LBSP_FACE_("nprocs");

/* This process, 0 to bsp_nprocs() - 1. */
bsp_pid_t bsp_pid(void) LBSP_FACE_("pid");

/* Seconds since bsp_begin, by a steady clock of this process's own. */
double bsp_time(void) LBSP_CALL_("time");

/*
 * Ends the superstep. In this order: all gets read, as things stand at the end of the superstep; what they
 * read is written; puts are written, where they overlap by source process, then in the order of the calls, so
 * that the highest process's last stays; the queue's messages are replaced by those sent; registrations, their
 * removals and the tag size take effect. Aborts, on all, if the processes disagree on those (how many, in
 * which order, of what), or if one is in bsp_end.
 */
void bsp_sync(void) LBSP_CALL_("sync");

/* Prints the message (as printf does) on stderr and ends all processes, with a non-zero exit code. Any
 * process, any time, also before bsp_begin and after bsp_end. What was printed before is not lost. */
void bsp_abort(const char *format, ...) LBSP_CALL_("abort");
void bsp_vabort(const char *format, va_list arguments) LBSP_CALL_("vabort");
void bsp_abort_va(const char *format, va_list arguments) LBSP_CALL_("abort_va");

/* ---- Registration ---- */

/*
 * Registers `bytes` bytes from `base` on, from the next superstep on. On all processes in the same order;
 * base and size may differ. An address may be registered many times, and the newest counts. NULL with 0 says
 * that this process has no memory here. Aborts on a negative size, and on NULL with more than 0 bytes.
 */
void bsp_push_reg(const void *base, bsp_size_t bytes) LBSP_FACE_("push_reg");

/*
 * Removes the newest registration of `base`, one of this superstep included, from the next superstep on. On
 * all processes in the same order, which must mean the same registration. The memory may be freed at once if
 * nobody names it in this superstep any more. NULL means the registration that the others remove by this
 * call, and if all give NULL, the newest that is NULL on all. Aborts if base is not registered.
 */
void bsp_pop_reg(const void *base) LBSP_CALL_("pop_reg");

/* ---- Direct remote memory access ---- */

/*
 * bsp_put writes `bytes` bytes from `source` to byte `offset` of what process `pid` registered in the place of
 * this process's `destination`, at the next bsp_sync. The source is copied now. bsp_get reads likewise into
 * `destination` at the next bsp_sync. bsp_hpput and bsp_hpget are the same (the standard would allow them to
 * read and write earlier; these do not), so memory must still stay as it is until the bsp_sync in programs
 * that are to be portable. To and from oneself too. 0 bytes do nothing, whatever the other arguments are.
 *
 * Abort on: pid out of range; a negative offset or size; offset + bytes beyond what process pid registered; an
 * address that is NULL, or not registered before this superstep.
 */
void bsp_put(bsp_pid_t pid, const void *source, const void *destination, bsp_size_t offset, bsp_size_t bytes) LBSP_FACE_("put");
void bsp_hpput(bsp_pid_t pid, const void *source, const void *destination, bsp_size_t offset, bsp_size_t bytes) LBSP_FACE_("hpput");
void bsp_get(bsp_pid_t pid, const void *source, bsp_size_t offset, void *destination, bsp_size_t bytes) LBSP_FACE_("get");
void bsp_hpget(bsp_pid_t pid, const void *source, bsp_size_t offset, void *destination, bsp_size_t bytes) LBSP_FACE_("hpget");

/*
 * MulticoreBSP's: reads at once instead of at the next bsp_sync. Here a process reads its own registered memory so;
 * another's memory is on another machine, whose program would have to stop and answer: aborts, use bsp_get. Otherwise
 * as bsp_get.
 */
void bsp_direct_get(bsp_pid_t pid, const void *source, bsp_size_t offset, void *destination, bsp_size_t bytes)
    LBSP_FACE_("direct_get");

/* ---- Messages ---- */

/*
 * From the next superstep on, sends have tags of *bytes bytes (0 at first). *bytes becomes the size that the call
 * before set, be it in this superstep or an earlier one: so calling again with what came back restores it (as in
 * BSPonMPI; MulticoreBSP and LPF give the size that sends have now, which differs after a second call in a superstep).
 * On all processes equally often and with the same size. Aborts on NULL and a negative size; at the bsp_sync if the
 * processes disagree.
 */
void bsp_set_tagsize(bsp_size_t *bytes) LBSP_FACE_("set_tagsize");

/*
 * Sends a tag and `bytes` bytes to process pid's queue of the next superstep. Both are copied now; NULL is
 * allowed where the size is 0. A message of no tag and no payload is still one. Aborts on: pid out of range; a
 * negative size; NULL where the size is not 0.
 */
void bsp_send(bsp_pid_t pid, const void *tag, const void *payload, bsp_size_t bytes) LBSP_FACE_("send");
void bsp_hpsend(bsp_pid_t pid, const void *tag, const void *payload, bsp_size_t bytes) LBSP_FACE_("hpsend");

/*
 * How many messages are left in the queue, and their payload in bytes. Either may be NULL. The queue holds what
 * was sent in the last superstep, by source process, then in the order of the calls (programs should not count on
 * that: the standard gives no order); what is not read by the next bsp_sync is gone. Aborts, in the face of
 * 1998, if the sum is more than an int holds.
 */
void bsp_qsize(bsp_nprocs_t *messages, bsp_size_t *bytes) LBSP_FACE_("qsize");

/* *status: payload bytes of the first message, whose tag is copied to `tag`; -1 if the queue is empty, and the
 * tag is untouched. The message stays. Aborts on a NULL status, and a NULL tag where the tag has bytes. */
void bsp_get_tag(bsp_size_t *status, void *tag) LBSP_FACE_("get_tag");

/* Copies at most `bytes` bytes of the first message's payload, and removes the message. Aborts on an empty
 * queue, a negative size, and NULL where bytes are to be copied. */
void bsp_move(void *payload, bsp_size_t bytes) LBSP_FACE_("move");

/* Points *tag and *payload to the first message's, aligned for any type, valid to the next bsp_sync; removes it
 * and returns its payload's bytes, or -1 if the queue is empty. Aborts on NULL. */
bsp_size_t bsp_hpmove(void **tag, void **payload) LBSP_FACE_("hpmove");

/* ---- Oxford's older names ---- */

#define bsp_pushregister bsp_push_reg
#define bsp_popregister bsp_pop_reg
#define bsp_set_tag_size bsp_set_tagsize
#define bsp_bsmp_info bsp_qsize

#ifdef __cplusplus
}
#endif

#endif
