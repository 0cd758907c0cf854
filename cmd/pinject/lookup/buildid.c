/* SPDX-License-Identifier: ISC */
/* buildid.c - see buildid.h */
#include <sys/auxv.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buildid.h"

enum { SEGMENTS_MAX = 4096 };		/* of a vdso: real ones have some */

int
buildid_fd(struct build_id *id, int fd, const char **why)
{
	char first;
	Elf *elf;
	int rc = 0;

	/* libelf takes a file that cannot be read for one of another kind */
	if (pread(fd, &first, 1, 0) < 0) {
		*why = strerror(errno);
		return 0;
	}
	elf_version(EV_CURRENT);
	/* read, not mapped: a mapped file that shrinks causes SIGBUS */
	errno = 0;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	*why = !elf && errno ? strerror(errno) : BUILDID_NOT_ELF;
	if (elf && elf_kind(elf) == ELF_K_ELF) {
		rc = notes_elf(id, elf, fd);
		*why = rc < 0 ? strerror(errno) : "has no build-id";
	}
	elf_end(elf);
	return rc > 0;
}

int
buildid_kernel(struct build_id *id, const char **why)
{
	*why = NOTES_KERNEL " has none";
	return notes_file(id, AT_FDCWD, NOTES_KERNEL);
}

/* "[nf-nat]", "/lib/modules/6.1/nf-nat.ko.xz": nf_nat, as /sys/module has it.  0: not the name of a module. */
static int
module_name(const struct pp_dso *dso, char *s, size_t size)
{
	const char *from = strrchr(dso->name, '/'), *to;
	size_t n = 0;

	if (dso->name[0] == '[') {
		from = dso->name + 1;
		to = strchr(from, ']');
	} else {
		from = from ? from + 1 : dso->name;
		to = strstr(from, ".ko");
	}
	for (; to && from < to && n < size - 1; from++) {
		if (!isalnum((unsigned char)*from) && *from != '_' && *from != '-')
			return 0;
		s[n++] = *from == '-' ? '_' : *from;
	}
	s[n] = '\0';
	return n && from == to;
}

int
buildid_module(struct build_id *id, const struct pp_dso *dso, const char **why)
{
	char name[64], path[128];		/* MODULE_NAME_LEN is 56 */
	const struct dirent *e;
	DIR *d;
	int rc = 0;

	*why = "not the name of a module";
	if (!module_name(dso, name, sizeof name))
		return 0;
	*why = "no such module with a build-id is loaded";
	snprintf(path, sizeof path, "/sys/module/%s/notes", name);
	if (!(d = opendir(path)))
		return 0;
	while (!rc && (e = readdir(d)))
		if (strncmp(e->d_name, ".note", 5) == 0)
			rc = notes_file(id, dirfd(d), e->d_name);
	closedir(d);
	return rc;
}

int
buildid_vdso_own(struct build_id *id)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const ElfW(Ehdr) *eh = (const void *)image;
	const ElfW(Phdr) *ph;

	if (!image)
		return 0;
	ph = (const void *)(image + eh->e_phoff);
	for (unsigned i = 0; i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_NOTE && notes_find(id, image + ph[i].p_offset, ph[i].p_filesz, 4, false))
			return 1;
	return 0;
}

/* A 32-bit image in the memory of a process. */
static int
vdso_read(struct build_id *id, int mem, uint64_t start)
{
	Elf32_Ehdr eh;
	Elf32_Phdr ph;

	if (pread(mem, &eh, sizeof eh, (off_t)start) != sizeof eh || memcmp(eh.e_ident, ELFMAG, SELFMAG) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS32 || eh.e_type != ET_DYN || eh.e_phentsize != sizeof ph)
		return 0;
	for (unsigned i = 0; i < eh.e_phnum && i < SEGMENTS_MAX; i++)
		if (pread(mem, &ph, sizeof ph, (off_t)(start + eh.e_phoff + i * sizeof ph)) != sizeof ph)
			return 0;
		else if (ph.p_type == PT_NOTE && notes_read(id, mem, start + ph.p_offset, ph.p_filesz, 4, false) > 0)
			return 1;
	return 0;
}

/* Is that what the kernel has mapped there, and not the process? */
static bool
vdso_is_at(uint32_t pid, uint64_t start)
{
	char line[512];
	uintmax_t at;
	bool found = false;
	FILE *f;

	snprintf(line, sizeof line, "/proc/%u/maps", pid);
	if (!(f = fopen(line, "re")))
		return false;
	while (!found && fgets(line, sizeof line, f))
		found = strstr(line, " [vdso]\n") && sscanf(line, "%jx-", &at) == 1 && at == start;
	fclose(f);
	return found;
}

int
buildid_vdso(struct build_id *id, uint32_t pid, uint64_t start, const char **why)
{
	char path[32];
	int mem, rc;

	*why = "its address is unknown";
	if (!start)
		return 0;
	*why = "this process has no vdso with a build-id";
	if ((start <= UINT32_MAX) == (sizeof(void *) == 4))
		return buildid_vdso_own(id);
	*why = "the vdso of a 64-bit process, which a 32-bit program does not see";
	if (start > UINT32_MAX)
		return 0;
	*why = "the vdso of a 32-bit process that has ended";
	snprintf(path, sizeof path, "/proc/%u/mem", pid);
	if (!vdso_is_at(pid, start) || (mem = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return 0;
	rc = vdso_read(id, mem, start);
	close(mem);
	return rc;
}
