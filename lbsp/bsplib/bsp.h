#ifndef LBSP_BSP_H
#define LBSP_BSP_H

/*
 * BSPlib in C over lbsp: the 1998 standard (Hill, McColl, Stefanescu, Goudreau, Lang, Rao, Suel, Tsantilas,
 * Bisseling: BSPlib, the BSP programming library, Parallel Computing 24). For C89, C99 and C++.
 *
 *     lbspcc -O2 -o prog prog.c
 *     lbsp run -n 4 ./prog
 *
 * A program started without lbsp run is one process.
 *
 * There are two sets of types ("faces"). By default the types are those of 1998: int everywhere. With
 * LBSP_MULTICOREBSP defined before this header (or by including <mcbsp.h>), they are those of MulticoreBSP for C:
 * unsigned process numbers, size_t sizes. The typedefs bsp_pid_t, bsp_nprocs_t and bsp_size_t exist in both. Files
 * of both faces may be linked together.
 *
 * Wrong use ends the job on all processes, with one line on stderr that names the call, the process, the superstep
 * and the numbers. This happens at the call if the mistake can be known there, otherwise at the next bsp_sync. Each
 * call says below what it aborts on. Outside the SPMD part, that is before bsp_begin and after bsp_end, all calls
 * except bsp_init, bsp_begin, bsp_nprocs and bsp_abort abort. A process that leaves the SPMD part by exit, or by
 * returning from main, ends the job. Only one thread of a process may make the calls.
 */

#include <stdarg.h>
#include <stddef.h>
/* This header does not need these, but programs count on it to bring them. Oxford's header brings stdio.h, MulticoreBSP's
 * stdint.h, and both in effect string.h. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * The names of the symbols behind the calls contain lbsp and the face. So a program that was compiled with another
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

/* ---- The SPMD part ----
 *
 * A program may have more than one. Where bsp_init was called, each is the function of the last bsp_init, which process
 * 0 calls; between two parts the other processes wait for it. Elsewhere every process calls bsp_begin again. A part has
 * registrations, a queue and a time of its own; the processes' variables stay.
 */

/*
 * Must be the first statement of main if bsp_begin is not. spmd is the function that begins with bsp_begin. On
 * process 0 bsp_init returns, and main goes on and calls spmd. Every other process runs spmd at once, then whatever
 * process 0 calls further, and exits with 0 when process 0 does; bsp_init never returns there. Process 0 may call it
 * again after bsp_end, for the next part's function, which the executable itself must define. Aborts if it is called
 * twice for a part, after bsp_begin, or with NULL.
 */
void bsp_init(void (*spmd)(void), int argc, char **argv) LBSP_CALL_("init");

/*
 * Begins an SPMD part with `processes` processes, or with all that were started if those are fewer. Only the number
 * on process 0 counts. The surplus processes of the first part exit here with 0, silently, and no later part is larger
 * than the first. The others wait for process 0 as long as it takes. Costs no superstep; a further part costs one
 * exchange of messages. Call it as the first statement of the part's function. A process that a further part leaves
 * out waits for the next, or, without bsp_init, exits with 0 at the program's end. Aborts if it is called before the
 * last part's bsp_end, or if process 0 gives less than 1.
 */
void bsp_begin(bsp_nprocs_t processes) LBSP_FACE_("begin");

/*
 * Ends the SPMD part. All processes must call it in the same superstep. Transfers since the last bsp_sync are
 * dropped, and a line on stderr says how many. All processes go on after it, though the standard promises that only
 * for process 0. When a process exits it waits until all have come to the program's end. Aborts on all processes if
 * another process calls bsp_sync.
 */
void bsp_end(void) LBSP_CALL_("end");

/* Before bsp_begin: the number of processes that were started. From bsp_begin on, also after bsp_end: that of the
 * SPMD part. */
bsp_nprocs_t bsp_nprocs(void) LBSP_FACE_("nprocs");

/* This process, 0 to bsp_nprocs() - 1. */
bsp_pid_t bsp_pid(void) LBSP_FACE_("pid");

/* Seconds since bsp_begin, by this process's own steady clock. */
double bsp_time(void) LBSP_CALL_("time");

/* Of lbsp alone: whether this process has found the program's answer right, by comparing it with an independent one. It
 * goes into the report (`verified`), and if it is 0 on any process, the job's exit code is 1. In the SPMD part. */
void lbsp_verified(int right) LBSP_CALL_("verified");

/*
 * Ends the superstep. In this order:
 *   1. all gets read what is there at the end of the superstep;
 *   2. what they read is written;
 *   3. the puts are written, and where they overlap, by source process, then in the order of the calls, so that the
 *      highest process's last put stays;
 *   4. the messages that were sent replace those in the queue;
 *   5. registrations, their removals and the tag size take effect.
 * Aborts on all processes if they disagree on those of 5 (how many, in which order, of what), or if one is in bsp_end.
 */
void bsp_sync(void) LBSP_CALL_("sync");

/* Prints the message (as printf does) on stderr and ends all processes, with a non-zero exit code. Any process may
 * call it at any time, also before bsp_begin and after bsp_end. What was printed before is not lost. */
void bsp_abort(const char *format, ...) LBSP_CALL_("abort");
void bsp_vabort(const char *format, va_list arguments) LBSP_CALL_("vabort");
void bsp_abort_va(const char *format, va_list arguments) LBSP_CALL_("abort_va");

/* ---- Registration ---- */

/*
 * Registers `bytes` bytes that begin at `base`, from the next superstep on. All processes must register in the same
 * order; base and size may differ. An address may be registered many times, and the newest registration counts. NULL
 * with 0 says that this process has no memory here. Aborts on a negative size, and on NULL with more than 0 bytes.
 */
void bsp_push_reg(const void *base, bsp_size_t bytes) LBSP_FACE_("push_reg");

/*
 * Removes the newest registration of `base`, which may be one of this superstep, from the next superstep on. All
 * processes must remove in the same order, and mean the same registration. The memory may be freed at once if no
 * process uses it any more in this superstep. NULL means the registration that the others remove by this call; if all
 * give NULL, it means the newest one that is NULL on all. Aborts if base is not registered.
 */
void bsp_pop_reg(const void *base) LBSP_CALL_("pop_reg");

/* ---- Direct remote memory access ---- */

/*
 * bsp_put writes `bytes` bytes from `source` at the next bsp_sync, to byte `offset` of the memory that process `pid`
 * registered in the place of this process's `destination`. The source is copied now. bsp_get reads in the same way
 * into `destination` at the next bsp_sync. A process may put to and get from itself. 0 bytes do nothing, whatever the
 * other arguments are.
 *
 * bsp_hpput and bsp_hpget do the same, but the source of bsp_hpput is read during the bsp_sync: until that returns it
 * must not change, nor may other processes put there. The standard allows both calls to read and write at any time
 * before, so in a portable program the destination must stay unchanged as well.
 *
 * They abort on: pid out of range; a negative offset or size; offset + bytes beyond what process pid registered; an
 * address that is NULL or was not registered before this superstep.
 */
void bsp_put(bsp_pid_t pid, const void *source, const void *destination, bsp_size_t offset, bsp_size_t bytes) LBSP_FACE_("put");
void bsp_hpput(bsp_pid_t pid, const void *source, const void *destination, bsp_size_t offset, bsp_size_t bytes) LBSP_FACE_("hpput");
void bsp_get(bsp_pid_t pid, const void *source, bsp_size_t offset, void *destination, bsp_size_t bytes) LBSP_FACE_("get");
void bsp_hpget(bsp_pid_t pid, const void *source, bsp_size_t offset, void *destination, bsp_size_t bytes) LBSP_FACE_("hpget");

/*
 * A call of MulticoreBSP, which reads at once instead of at the next bsp_sync. Here a process can read its own
 * registered memory so. For another process's memory it aborts, because that process would have to stop and answer:
 * use bsp_get. Otherwise it is as bsp_get.
 */
void bsp_direct_get(bsp_pid_t pid, const void *source, bsp_size_t offset, void *destination, bsp_size_t bytes)
    LBSP_FACE_("direct_get");

/* ---- Messages ---- */

/*
 * From the next superstep on, messages have tags of *bytes bytes (0 at first). *bytes becomes the size that the
 * previous call set, in this superstep or an earlier one. So calling it again with the returned size restores that
 * size. (BSPonMPI does the same. MulticoreBSP and LPF return the size that messages have in this superstep, which
 * differs after a second call in a superstep.) All processes must call it equally often and with the same sizes.
 * Aborts on NULL and on a negative size, and at the bsp_sync if the processes disagree.
 */
void bsp_set_tagsize(bsp_size_t *bytes) LBSP_FACE_("set_tagsize");

/*
 * Sends a tag and `bytes` bytes to process pid's queue of the next superstep. Both are copied now. NULL is allowed if
 * the size is 0. A message without a tag and a payload is still a message. Aborts on: pid out of range; a negative
 * size; NULL if the size is not 0.
 */
void bsp_send(bsp_pid_t pid, const void *tag, const void *payload, bsp_size_t bytes) LBSP_FACE_("send");
void bsp_hpsend(bsp_pid_t pid, const void *tag, const void *payload, bsp_size_t bytes) LBSP_FACE_("hpsend");

/*
 * Gives the number of messages left in the queue, and the bytes of their payloads. Either argument may be NULL. The
 * queue holds what was sent in the last superstep, by source process, then in the order of the calls. (Portable
 * programs cannot count on that order, because the standard promises none.) What is not read by the next bsp_sync is
 * gone. With the types of 1998 it aborts if the sum is more than an int holds.
 */
void bsp_qsize(bsp_nprocs_t *messages, bsp_size_t *bytes) LBSP_FACE_("qsize");

/* Sets *status to the payload bytes of the first message, and copies its tag to `tag`. If the queue is empty, *status
 * is -1 and the tag is not touched. The message stays. Aborts on a NULL status, and on a NULL tag if the tag has
 * bytes. */
void bsp_get_tag(bsp_size_t *status, void *tag) LBSP_FACE_("get_tag");

/* Copies at most `bytes` bytes of the first message's payload, and removes the message. Aborts on an empty queue, a
 * negative size, and NULL if there are bytes to copy. */
void bsp_move(void *payload, bsp_size_t bytes) LBSP_FACE_("move");

/* Points *tag and *payload to those of the first message, which are aligned for any type and valid until the next
 * bsp_sync. Removes the message and returns the bytes of its payload, or -1 if the queue is empty. Aborts on NULL. */
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
