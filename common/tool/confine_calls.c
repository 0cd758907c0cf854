/* SPDX-License-Identifier: ISC */
/*
 * confine_calls.c - see confine.h: the system calls of a confined command, as a filter program of the kernel's.
 *
 * A call that stands in no row fails with EPERM, and one whose argument is refused, too.  A new need is a new row: build with
 * CPPFLAGS=-DCONFINE_KILL and the kernel ends the process at the call that lacks one.
 */
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <asm/termbits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "confine.h"

#ifdef CONFINE_KILL
#define REFUSE SECCOMP_RET_KILL_PROCESS
#else
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#endif

#if defined __x86_64__ && defined __LP64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#elif defined __i386__
#define ARCH AUDIT_ARCH_I386
#elif defined __arm__
#define ARCH AUDIT_ARCH_ARM
#elif defined __s390x__
#define ARCH AUDIT_ARCH_S390X
#elif defined __riscv && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#elif defined __powerpc64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_PPC64LE
#endif

/* Argument n of a call: its low and high half. */
#define LOW(n)	(offsetof(struct seccomp_data, args) + 8 * (n) + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0))

enum test {			/* of one argument */
	ANY,
	WITHOUT,		/* none of the bits is set */
	WITH,			/* all of the bits are set, and no others but those of `may' */
	EQUAL,			/* it is this number; several rows of one call: any of them */
	SELF,			/* it is our own pid */
	PEER, PARSER,		/* it is the descriptor of that name */
	NO_SUCH,		/* the call fails with ENOSYS, so that the C library takes another */
};
enum { SWAPPED_CLONE =
#ifdef __s390x__
	1
#else
	0
#endif
};

static const struct call {
	int		 nr;
	uint16_t	 rights;	/* enum confine_right: allowed only with one of these; 0: always */
	uint16_t	 not;		/* ... not with any of these */
	uint8_t		 test, arg;
	uint32_t	 value, may;
} calls[] = {
/* BOTH: of every process; CALL: of a command itself, not of one that serves it (SERVANT); ONLY: with a condition. */
#define SERVANT (CONFINE_SERVE | CONFINE_PARSE | CONFINE_KEEP)
/* What SERVE may, KEEP may, too: its processes can have no more than it has. */
#define SERVING (CONFINE_SERVE | CONFINE_KEEP)
#define MAKING (CONFINE_PARSE | CONFINE_KEEP)
#define BOTH(name) { .nr = __NR_##name },
#define CALL(name) { .nr = __NR_##name, .not = SERVANT },
#define ONLY(name, ...) { .nr = __NR_##name, __VA_ARGS__ },
#define COMMAND .not = SERVANT
#define IF_FILES .rights = CONFINE_READ | CONFINE_WRITE
#define IF_NAMES .rights = CONFINE_CREATE
#define IF_DIRS .rights = CONFINE_DIRS
	/* the stream: first, as they are made most often */
	BOTH(read) CALL(write) BOTH(pread64) CALL(writev) CALL(pwrite64)
#ifdef __NR_poll
	CALL(poll)
#endif
#ifdef __NR_ppoll
	CALL(ppoll)
#endif
#ifdef __NR_ppoll_time64
	CALL(ppoll_time64)
#endif
	BOTH(lseek) BOTH(close)
#ifdef __NR__llseek
	BOTH(_llseek)
#endif
	/* memory */
#ifdef __NR_mmap2
	ONLY(mmap2, .test = WITHOUT, .arg = 2, .value = PROT_EXEC)
#elif defined __NR_mmap && !defined __s390x__
	ONLY(mmap, .test = WITHOUT, .arg = 2, .value = PROT_EXEC)
#else
	BOTH(mmap)			/* its arguments stand in memory */
#endif
	ONLY(mprotect, .test = WITHOUT, .arg = 2, .value = PROT_EXEC)
	BOTH(munmap) BOTH(mremap) BOTH(madvise) BOTH(brk)
	CALL(sysinfo)			/* glibc's qsort(3): how much memory there is, or it sorts in another way */
	/* what is open */
	BOTH(fstat)
#ifdef __NR_fstat64
	BOTH(fstat64)
#endif
#ifdef __NR_newfstatat
	BOTH(newfstatat)
#endif
#ifdef __NR_fstatat64
	BOTH(fstatat64)
#endif
#ifdef __NR_statx
	BOTH(statx)
#endif
	CALL(ftruncate) CALL(fallocate)
#ifdef __NR_copy_file_range
	CALL(copy_file_range)		/* between files that are open */
#endif
#ifdef __NR_ftruncate64
	CALL(ftruncate64)
#endif
#ifdef __NR_fadvise64
	CALL(fadvise64)
#endif
#ifdef __NR_fadvise64_64
	CALL(fadvise64_64)
#endif
#ifdef __NR_arm_fadvise64_64
	CALL(arm_fadvise64_64)
#endif
	ONLY(ioctl, COMMAND, .test = EQUAL, .arg = 1, .value = TCGETS)
#ifdef TCGETS2			/* by which glibc 2.43 knows a terminal */
	ONLY(ioctl, COMMAND, .test = EQUAL, .arg = 1, .value = TCGETS2)
#endif
	ONLY(ioctl, COMMAND, .test = EQUAL, .arg = 1, .value = TIOCGWINSZ)
#define FCNTL(name, yes, no) \
	ONLY(fcntl, .rights = yes, .not = no, .test = EQUAL, .arg = 1, .value = name)
	FCNTL(F_DUPFD_CLOEXEC, 0, 0) FCNTL(F_GETFD, 0, 0) FCNTL(F_GETFL, 0, 0)
	FCNTL(F_SETFD, 0, SERVANT) FCNTL(F_SETFL, 0, SERVANT) FCNTL(F_SETPIPE_SZ, 0, SERVANT)
	FCNTL(F_SETSIG, CONFINE_FOLLOW, 0) FCNTL(F_SETLEASE, CONFINE_FOLLOW, 0)
#ifdef __NR_fcntl64
#define FCNTL64(name, yes, no) \
	ONLY(fcntl64, .rights = yes, .not = no, .test = EQUAL, .arg = 1, .value = name)
	FCNTL64(F_DUPFD_CLOEXEC, 0, 0) FCNTL64(F_GETFD, 0, 0) FCNTL64(F_GETFL, 0, 0)
	FCNTL64(F_SETFD, 0, SERVANT) FCNTL64(F_SETFL, 0, SERVANT) FCNTL64(F_SETPIPE_SZ, 0, SERVANT)
	FCNTL64(F_SETSIG, CONFINE_FOLLOW, 0) FCNTL64(F_SETLEASE, CONFINE_FOLLOW, 0)
#endif
	/* threads of zstd, and what they wait by */
	BOTH(futex)
#ifdef __NR_futex_time64
	BOTH(futex_time64)
#endif
	ONLY(clone, COMMAND, .test = WITH, .arg = SWAPPED_CLONE, .value = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD,
	    .may = CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |
	    CLONE_CHILD_CLEARTID | CLONE_DETACHED)
#ifdef __NR_clone3
	ONLY(clone3, .test = NO_SUCH)	/* its flags stand in memory: the C library goes on with clone */
#endif
	CALL(set_robust_list) CALL(sched_getaffinity) CALL(sched_yield)
#ifdef __NR_rseq
	CALL(rseq)
#endif
	/* time, chance, signals, the end */
	CALL(clock_gettime) BOTH(getrandom) CALL(rt_sigaction) CALL(rt_sigprocmask) BOTH(rt_sigreturn) BOTH(restart_syscall)
#ifdef __NR_clock_gettime64
	CALL(clock_gettime64)
#endif
#ifdef __NR_sigreturn
	BOTH(sigreturn)
#endif
	BOTH(getpid) BOTH(gettid) BOTH(geteuid) CALL(exit) BOTH(exit_group) ONLY(tgkill, .test = SELF, .arg = 0)
#ifdef __NR_geteuid32
	BOTH(geteuid32)
#endif
	/* names: Landlock says which */
	ONLY(openat, .rights = CONFINE_WRITE) ONLY(faccessat, IF_NAMES) ONLY(readlinkat, .rights = CONFINE_CREATE | SERVING)
	ONLY(getdents64, .rights = CONFINE_READ | SERVING) ONLY(prlimit64, IF_FILES, .test = EQUAL, .arg = 0, .value = 0)
#ifdef __NR_faccessat2
	ONLY(faccessat2, IF_NAMES)
#endif
#ifdef __NR_access
	ONLY(access, IF_NAMES)
#endif
#ifdef __NR_readlink
	ONLY(readlink, IF_NAMES)
#endif
	ONLY(mkdirat, IF_DIRS) ONLY(symlinkat, IF_DIRS) ONLY(ioctl, IF_DIRS, .test = EQUAL, .arg = 1, .value = FICLONE)
	ONLY(linkat, IF_NAMES) ONLY(unlinkat, IF_NAMES) ONLY(renameat2, IF_NAMES)
#ifdef __NR_renameat
	ONLY(renameat, IF_NAMES)
#endif
#ifdef __NR_unlink
	ONLY(unlink, IF_NAMES)
#endif
	ONLY(openat, .rights = CONFINE_READ | SERVING, .test = WITHOUT, .arg = 2, .value = O_ACCMODE | O_CREAT | O_TRUNC)
	/* a process that looks files up for another (not by openat2, whose flags stand in memory) */
	ONLY(ioctl, .rights = SERVING, .test = EQUAL, .arg = 1, .value = FS_IOC_GETVERSION)
	ONLY(fstatfs, .rights = SERVING) ONLY(getpgid, .rights = SERVING)
#ifdef __NR_fstatfs64
	ONLY(fstatfs64, .rights = SERVING)
#endif
	ONLY(sendto, .rights = CONFINE_ASK | SERVING, .test = PEER, .arg = 0)
	/* ... and hands over a descriptor of the file */
	ONLY(sendmsg, .rights = SERVING, .test = PEER, .arg = 0)
	ONLY(recvmsg, .rights = CONFINE_ASK | CONFINE_PARSE, .test = PEER, .arg = 0)
	/* a process that reads files for another, each in a process of its own */
	ONLY(sendmsg, .rights = CONFINE_HAND, .test = PARSER, .arg = 0)
	ONLY(sendto, .rights = CONFINE_PARSE, .test = PEER, .arg = 0)
	ONLY(clone, .rights = MAKING, .test = WITH, .arg = SWAPPED_CLONE, .value = SIGCHLD,
	    .may = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID)
	ONLY(wait4, .rights = MAKING) ONLY(set_robust_list, .rights = MAKING)
	/* each of these ends when one file takes too long: C libraries have alarm(3) by either call */
	ONLY(setitimer, .rights = SERVANT)
#ifdef __NR_alarm
	ONLY(alarm, .rights = SERVANT)
#endif
	/* a process that makes those that look files up, each of which limits its memory and closes a lock of its own */
	ONLY(seccomp, .rights = CONFINE_KEEP, .test = EQUAL, .arg = 0, .value = SECCOMP_SET_MODE_FILTER)
	ONLY(prlimit64, .rights = CONFINE_KEEP, .test = EQUAL, .arg = 0, .value = 0)
};
enum { CALLS = sizeof calls / sizeof *calls };

#if defined ARCH && !defined CONFINE_NO_CALLS	/* for tests: as where there is no table */

struct program {
	struct sock_filter code[16 + 6 * CALLS];
	unsigned short	 n;
};

static void
emit(struct program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	p->code[p->n++] = (struct sock_filter){ code, yes, no, k };
}

static void
give(struct program *p, uint32_t what)
{
	emit(p, BPF_RET | BPF_K, what, 0, 0);
}

static void
load(struct program *p, size_t offset)
{
	emit(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* The number of the call is in the accumulator, and again when the row did not decide. */
static void
row(struct program *p, const struct call *c, const struct confine *own)
{
	switch ((enum test)c->test) {
	case ANY:
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->nr, 0, 1);
		give(p, SECCOMP_RET_ALLOW);
		return;
	case NO_SUCH:
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->nr, 0, 1);
		give(p, SECCOMP_RET_ERRNO | ENOSYS);
		return;
	default:
		break;
	}
	emit(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)c->nr, 0, c->test == WITH ? 5 : 4);
	load(p, LOW(c->arg));
	switch ((enum test)c->test) {
	case WITHOUT:
		emit(p, BPF_JMP | BPF_JSET | BPF_K, c->value, 1, 0);
		break;
	case WITH:
		emit(p, BPF_ALU | BPF_AND | BPF_K, ~c->may, 0, 0);
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, c->value, 0, 1);
		break;
	default:
		emit(p, BPF_JMP | BPF_JEQ | BPF_K, c->test == SELF ? (uint32_t)getpid() : c->test == PEER ? (uint32_t)own->peer :
		    c->test == PARSER ? (uint32_t)own->parser : c->value, 0, 1);
	}
	give(p, SECCOMP_RET_ALLOW);
	load(p, offsetof(struct seccomp_data, nr));
}

int
confine_calls(const struct confine *own)
{
	struct program p = { .n = 0 };
	struct sock_fprog prog = { .filter = p.code };

	load(&p, offsetof(struct seccomp_data, arch));
	emit(&p, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	give(&p, SECCOMP_RET_KILL_PROCESS);
	load(&p, offsetof(struct seccomp_data, nr));	/* calls of x32 have a bit that no number in a row has */
	for (size_t i = 0; i < CALLS; i++)
		if ((!calls[i].rights || calls[i].rights & own->rights) && !(calls[i].not & own->rights))
			row(&p, &calls[i], own);
	give(&p, REFUSE);
	prog.len = p.n;
	/* Before Linux 5.16 a filter would make the processor slower, too, against code of others in this process: there is none. */
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &prog) == 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) == 0)
		return 1;
	return errno == EINVAL || errno == ENOSYS ? 0 : -1;
}

#else

int
confine_calls(const struct confine *own)
{
	(void)own;
	return 0;
}

#endif
