/* SPDX-License-Identifier: ISC */
/*
 * syscall.h - the key syscall: what a system call is called
 *
 * Samples of raw_syscalls:sys_enter and sys_exit have its number in the field id, those of syscalls:sys_enter_NAME and sys_exit_NAME in
 * __syscall_nr.  Names are those of the recording's machine (HEADER_ARCH), by libseccomp: on x86-64 those of x32 if bit 30 is set, and those
 * of i386 if the sample has registers of user space of 32 bits.  Without these a call of a 32-bit task has the name of another one.
 */
#ifndef PSTAT_SYSCALL_H
#define PSTAT_SYSCALL_H

#include "field/field.h"
#include "report/report.h"
#include "tool/tool.h"

struct syscalls;
/* Without libseccomp, exits 2. */
struct syscalls *syscalls_new(const struct tool *);
void	syscalls_free(struct syscalls *);
/* Where the samples of an event have the number, and the word size of the task. */
struct syscall_place {
	const struct field *number, *abi;	/* NULL: they have none */
	struct field_place at, abi_at;
};
void	syscalls_find(const struct syscalls *, const struct field_stream *, const struct field_kind *, struct syscall_place *);
/* The value of the key: of the number and the abi of perf_event_open(2), 0: unknown. */
uint64_t syscalls_key(int64_t number, uint64_t abi);
/* The name on that machine, of n bytes and always the same, else the number: a text that stays until syscalls_free(), or of a number from 8192 on until eight others. */
struct cell syscalls_cell(struct syscalls *, const char *arch, size_t n, uint64_t key);

#endif
