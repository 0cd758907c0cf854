/* SPDX-License-Identifier: ISC */
/* Functions of ELF files that a compiler makes here: those that readelf(1) lists. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbol/elfsym.h"

#include "check.h"

static char	 dir[] = "/tmp/elfsym.XXXXXX";

static const char c_text[] =
    "#include <stdio.h>\n#include <stdlib.h>\n"
    "__attribute__((noinline)) static int alpha(int n) { return n * rand(); }\n"
    "__attribute__((noinline)) int beta(int n) { return alpha(n) + 1; }\n"
    "int gamma_alias(int) __attribute__((weak, alias(\"beta\")));\n"
    "__asm__(\".text\\n.globl label\\nlabel: .byte 0,0,0,0\\n\");\n"
    "__asm__(\".hidden unseen\\n.globl unseen\\nunseen: .byte 0,0,0,0\\n\");\n"
    "int data = 3;\n"
    "int main(int c, char **v) { (void)v; return puts(\"x\") + beta(c) + gamma_alias(data); }\n";
static const char cxx_text[] =
    "#include <vector>\n#include <string>\n"
    "namespace outer { template <class T> struct box { T v; __attribute__((noinline)) T get(int) { return v; } }; }\n"
    "int main(int c, char **) { outer::box<std::vector<std::string>> b; outer::box<int> i{c}; return i.get(1) + (int)b.get(2).size(); }\n";

/* Run a command, in which each % is the directory. */
static bool
run(const char *command)
{
	char text[1024];
	size_t n = 0;

	for (; *command; command++)
		n += (size_t)snprintf(text + n, sizeof text - n, *command == '%' ? "%s" : "%.1s", *command == '%' ? dir : command);
	assert_true(n < sizeof text - 20);
	strcpy(text + n, " >/dev/null 2>&1");
	return system(text) == 0;
}

static char *
path(const char *name)
{
	static char to[256];

	snprintf(to, sizeof to, "%s/%s", dir, name);
	return to;
}

static void
put(const char *name, const char *text)
{
	FILE *f = fopen(path(name), "w");

	assert_true(f && fputs(text, f) >= 0 && !fclose(f));
}

static int
get(struct elfsym *f, const char *name, const char **why)
{
	int fd = open(path(name), O_RDONLY), rc;

	assert_true(fd >= 0);
	rc = elfsym_read(f, fd, why);
	close(fd);
	return rc;
}

static const struct elfsym_symbol *
find(const struct elfsym *f, const char *name, uint64_t addr)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(elfsym_name(f, f->symbol[i].name), name) && (!addr || f->symbol[i].addr == addr))
			return &f->symbol[i];
	return NULL;
}

/* As many functions as readelf lists, each of them with that address and size.  Returns how many. */
static size_t
compare(const struct elfsym *f, const char *name)
{
	char line[70000], command[300], type[16], section[16], symbol[65536], size[32];
	size_t listed = 0, mine = 0;
	uint64_t addr;
	FILE *p;

	snprintf(command, sizeof command, "readelf -sW '%s' 2>/dev/null", path(name));
	assert_non_null(p = popen(command, "r"));
	while (fgets(line, sizeof line, p)) {
		const struct elfsym_symbol *y;

		if (sscanf(line, " %*[0-9]: %" SCNx64 " %31s %15s %*s %*s %15s %65535s", &addr, size, type, section, symbol) != 5 ||
		    (strcmp(type, "FUNC") && strcmp(type, "IFUNC")) || !strcmp(section, "UND") || !strcmp(section, "ABS"))
			continue;
		symbol[strcspn(symbol, "@")] = 0;	/* its version */
		if (f->machine == EM_ARM)
			addr &= ~UINT64_C(1);
		y = find(f, symbol, addr);
		if (!y) {
			fail_msg("%s: %s is missing", name, symbol);
			return 0;			/* never reached, which clang-tidy does not know */
		}
		assert_int_equal(y->size, strtoull(size, NULL, 0));
		assert_int_equal(y->type, strcmp(type, "FUNC") ? STT_GNU_IFUNC : STT_FUNC);
		listed++;
	}
	pclose(p);
	for (size_t i = 0; i < f->n; i++)
		mine += f->symbol[i].type != STT_NOTYPE && f->symbol[i].source != ELFSYM_PLT;
	assert_int_equal(mine, listed);
	return listed;
}

static void
check_all(const struct elfsym *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct elfsym_section *n = &f->section[f->symbol[i].section];

		assert_true(f->symbol[i].section < f->nsections && f->symbol[i].addr - n->addr < n->size);
		assert_true(*elfsym_name(f, f->symbol[i].name));
	}
}

static const struct build { const char *name, *command; uint16_t type; bool stripped, label, plt; } builds[] = {
	{ "pie", "cc -O1 -fPIE -pie -Wl,--build-id=sha1,-z,lazy -o %/pie %/c.c", ET_DYN, false, true, true },
	{ "exec", "cc -O1 -fno-pie -no-pie -Wl,--build-id=sha1,-z,lazy -o %/exec %/c.c", ET_EXEC, false, true, true },
	{ "static", "cc -O1 -static -Wl,--build-id=sha1 -o %/static %/c.c", ET_EXEC, false, true, false },
	{ "stripped", "cc -O1 -shared -fPIC -s -Wl,--build-id=sha1 -o %/stripped %/c.c", ET_DYN, true, false, true },
	{ "object", "cc -O1 -ffunction-sections -c -o %/object %/c.c", ET_REL, false, true, false },
	{ "c++", "c++ -O1 -Wl,--build-id=sha1 -o %/c++ %/c.cc", ET_DYN, false, false, false },
};

static void
test_builds(void **state)
{
	const struct elfsym_symbol *y;
	struct elfsym f;
	const char *why;
	unsigned done = 0;

	(void)state;
	put("c.c", c_text);
	put("c.cc", cxx_text);
	for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
		const struct build *b = &builds[i];

		if (!run(b->command)) {
			print_message("%s: not compiled here\n", b->name);
			continue;
		}
		done++;
		assert_int_equal(get(&f, b->name, &why), 1);
		assert_true(!f.damage && f.type == b->type && (f.type == ET_REL ? !f.nsegments : f.nsegments));
		assert_int_equal(f.id.len, f.type == ET_REL ? 0 : 20);
		assert_true(compare(&f, b->name) >= (b->stripped ? 2 : 3));
		if (f.type != ET_REL)
			check_all(&f);
		if (b->name[1] != '+') {
			assert_true(find(&f, "beta", 0)->size > 0 && find(&f, "gamma_alias", 0)->bind == STB_WEAK);
			assert_int_equal(find(&f, "gamma_alias", 0)->addr, find(&f, "beta", 0)->addr);
			assert_int_equal(find(&f, "beta", 0)->source, b->stripped ? ELFSYM_DYNSYM : ELFSYM_SYMTAB);
			assert_true(!find(&f, "data", 0) && !find(&f, "unseen", 0) && !find(&f, "puts", 0) == !strstr(b->command, "-static"));
			assert_true(!find(&f, "alpha", 0) == b->stripped);
			assert_true(!find(&f, "label", 0) == !b->label || b->stripped);
		} else {
			assert_non_null(find(&f, "_ZN5outer3boxIiE3getEi", 0));
		}
		if (b->plt && (f.machine == EM_X86_64 || f.machine == EM_386)) {
			assert_non_null(y = find(&f, "rand@plt", 0));
			assert_true(y->size == 16 && y->source == ELFSYM_PLT && y->bind == STB_GLOBAL);
			assert_true(!strncmp(elfsym_name(&f, f.section[y->section].name), ".plt", 4));
		}
		elfsym_free(&f);
	}
	if (!done)
		skip();
}

static void
test_addresses(void **state)
{
	struct elfsym f;
	const char *why;
	uint64_t addr = 0;

	(void)state;
	if (!run(builds[1].command))
		skip();
	assert_int_equal(get(&f, "exec", &why), 1);
	for (size_t i = 0; i < f.nsegments; i++) {
		assert_true(elfsym_addr(&f, f.segment[i].offset + f.segment[i].filesz - 1, &addr));
		assert_int_equal(addr, f.segment[i].addr + f.segment[i].filesz - 1);
	}
	assert_true(!elfsym_addr(&f, UINT64_MAX, &addr) && !elfsym_addr(&f, UINT64_C(1) << 40, &addr));
	/* without bytes in the file, as images of jitted code */
	f.segment[0].filesz = 0;
	f.segment[0].memsz = 0x40;
	assert_true(elfsym_addr(&f, f.segment[0].offset + 0x3f, &addr));
	assert_int_equal(addr, f.segment[0].addr + 0x3f);
	elfsym_free(&f);
}

/* What strip(1) took away is in the debug file, or in .gnu_debugdata. */
static void
test_separate(void **state)
{
	struct elfsym f;
	const char *why;
	size_t n;
	int fd;

	(void)state;
	if (!run(builds[0].command) || !run("objcopy --only-keep-debug %/pie %/pie.debug && strip -o %/bare %/pie") ||
	    !run("objcopy --add-gnu-debuglink=%/pie.debug %/bare") ||
	    !run(builds[3].command))
		skip();
	assert_int_equal(get(&f, "bare", &why), 1);
	assert_null(find(&f, "alpha", 0));
	assert_string_equal(f.debuglink, "pie.debug");
	n = f.n;
	fd = open(path("stripped"), O_RDONLY);
	assert_int_equal(elfsym_add_debug(&f, fd, &why), 0);
	assert_string_equal(why, "of another build");
	close(fd);
	fd = open(path("c.c"), O_RDONLY);
	assert_int_equal(elfsym_add_debug(&f, fd, &why), 0);
	assert_string_equal(why, "not an ELF file");
	close(fd);
	assert_int_equal(f.n, n);
	fd = open(path("pie.debug"), O_RDONLY);
	assert_int_equal(elfsym_add_debug(&f, fd, &why), 1);
	close(fd);
	assert_true(find(&f, "alpha", 0)->source == ELFSYM_DEBUG_FILE && find(&f, "label", 0));
	check_all(&f);
	elfsym_free(&f);

	if (!run("xz -k -f %/pie.debug && objcopy --add-section .gnu_debugdata=%/pie.debug.xz %/bare %/mini"))
		skip();
	assert_int_equal(get(&f, "mini", &why), 1);
	assert_null(f.damage);
	if (!elfsym_has_xz)
		assert_null(find(&f, "alpha", 0));
	else
		assert_int_equal(find(&f, "alpha", 0)->source, ELFSYM_DEBUGDATA);
	elfsym_free(&f);
}

/* Sixteen flipped bits, or an end, anywhere: names that are sound, or none. */
static void
test_damage(void **state)
{
	static uint8_t file[1 << 20];
	struct elfsym f;
	const char *why;
	size_t n, damaged = 0;
	FILE *in;
	int fd;

	(void)state;
	if (!run(builds[0].command))
		skip();
	assert_non_null(in = fopen(path("pie"), "r"));
	n = fread(file, 1, sizeof file, in);
	fclose(in);
	srand(1);
	for (int i = 0; i < 2000; i++) {
		size_t at = (size_t)rand() % (i % 4 ? n : 64), end = i % 5 ? n : (size_t)rand() % n;
		uint8_t was[2] = { file[at], file[(at + 1) % n] };

		file[at] ^= (uint8_t)rand();
		file[(at + 1) % n] ^= (uint8_t)rand();
		assert_true((fd = open(path("bad"), O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0);
		assert_int_equal(write(fd, file, end), end);
		if (elfsym_read(&f, fd, &why)) {
			if (f.type != ET_REL)
				check_all(&f);
			damaged += f.damage != NULL;
		}
		elfsym_free(&f);
		close(fd);
		file[at] = was[0];
		file[(at + 1) % n] = was[1];
	}
	assert_true(damaged);
}

/* A file of this directory in memory. */
static size_t
load(const char *name, uint8_t *to, size_t size)
{
	FILE *in = fopen(path(name), "r");
	size_t n;

	assert_non_null(in);
	n = fread(to, 1, size, in);
	fclose(in);
	assert_in_range(n, 1, size - 1);
	return n;
}

static bool
read_bytes(struct elfsym *f, const uint8_t *p, size_t n)
{
	const char *why;
	int fd = open(path("bad"), O_RDWR | O_CREAT | O_TRUNC, 0600);
	bool ok;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, n), n);
	ok = elfsym_read(f, fd, &why);
	close(fd);
	return ok;
}

static void
check_field(uint8_t *file, size_t n, void *field, size_t size, uint64_t value, bool must)
{
	uint64_t was = 0;
	struct elfsym f;

	memcpy(&was, field, size);
	memcpy(field, &value, size);
	if (read_bytes(&f, file, n)) {
		check_all(&f);
		if (must && !f.damage)
			assert_true(find(&f, "alpha", 0) && find(&f, "rand@plt", 0) && f.id.len == 20);
	}
	elfsym_free(&f);
	memcpy(field, &was, size);
}

/* Each field of each section: names that are sound, and where a table or its names are elsewhere, none is missing without a word. */
static void
test_fields(void **state)
{
	static const uint64_t values[] = { 0, 1, 7, 4096, 1 << 20, INT32_MAX, UINT64_MAX - 8 };
	static uint8_t file[1 << 20];
	Elf64_Ehdr *eh = (Elf64_Ehdr *)(void *)file;
	size_t n;

	(void)state;
	if (!run(builds[0].command))
		skip();
	n = load("pie", file, sizeof file);
	if (file[EI_CLASS] != ELFCLASS64 || file[EI_DATA] != ELFDATA2LSB || eh->e_machine != EM_X86_64)
		skip();
	for (size_t i = 0; i < eh->e_shnum; i++) {
		Elf64_Shdr *sh = (Elf64_Shdr *)(void *)(file + eh->e_shoff) + i;
		bool table = sh->sh_type == SHT_SYMTAB || sh->sh_type == SHT_DYNSYM, names = sh->sh_type == SHT_STRTAB;

		for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
			uint64_t value = values[v];

			check_field(file, n, &sh->sh_name, 4, value, value >= 4096);
			check_field(file, n, &sh->sh_type, 4, value, false);
			check_field(file, n, &sh->sh_flags, 8, value, false);
			check_field(file, n, &sh->sh_addr, 8, value, false);
			check_field(file, n, &sh->sh_offset, 8, value, (table || names) && value >= INT32_MAX);
			check_field(file, n, &sh->sh_size, 8, value, (table || names) && value >= INT32_MAX);
			check_field(file, n, &sh->sh_link, 4, value, table && value >= 4096);
			check_field(file, n, &sh->sh_entsize, 8, value, false);
		}
	}
	for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
		check_field(file, n, &eh->e_shoff, 8, values[v], values[v] >= 1 << 20);
		check_field(file, n, &eh->e_shnum, 2, values[v], false);
		check_field(file, n, &eh->e_shstrndx, 2, values[v], values[v] == 4096);
		check_field(file, n, &eh->e_phoff, 8, values[v], false);
		check_field(file, n, &eh->e_phnum, 2, values[v], false);
		check_field(file, n, &eh->e_phentsize, 2, values[v], false);
	}
}

/* Symbols of ARM's assemblers that say what follows, code or data, are no functions; of x86 they may be. */
static void
test_mapping(void **state)
{
	static const struct { uint16_t machine; bool mapping; } rows[] = {
		{ EM_X86_64, false }, { EM_ARM, true }, { EM_AARCH64, true }, { EM_RISCV, true },
	};
	static uint8_t file[1 << 20];
	struct elfsym f;
	size_t n;

	(void)state;
	put("map.c", "__asm__(\".text\\n\\\"$x\\\": nop\\n\\\"$d.12\\\": nop\\n\\\"$y\\\": nop\\n\\\"$\\\": nop\\n"
	    ".globl odd\\n nop\\n.type odd, @function\\nodd: nop\\n.size odd, 1\\n\");\n");
	if (!run("cc -m64 -c -o %/map %/map.c") || !run("readelf -h %/map | grep -q X86-64"))
		skip();
	n = load("map", file, sizeof file);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		file[offsetof(Elf64_Ehdr, e_machine)] = rows[i].machine & 0xff;		/* little endian, as the file is */
		file[offsetof(Elf64_Ehdr, e_machine) + 1] = rows[i].machine >> 8;
		assert_true(read_bytes(&f, file, n));
		assert_int_equal(!find(&f, "$x", 0), rows[i].mapping);
		assert_int_equal(!find(&f, "$d.12", 0), rows[i].mapping);
		assert_true(find(&f, "$y", 0) && find(&f, "$", 0));
		assert_int_equal(find(&f, "odd", 0)->addr, rows[i].machine == EM_ARM ? 4 : 5);
		elfsym_free(&f);
	}
}

/* Sections that tell of symbols elsewhere: what cannot be read of them is said. */
static void
test_elsewhere(void **state)
{
	static const struct { const char *make, *section, *damage, *link; } rows[] = {
		{ "{ printf no-xz >%/part; }", "debugdata", "its .gnu_debugdata cannot be expanded", "" },
		{ "{ printf text | xz >%/part; }", "debugdata", "its .gnu_debugdata is no ELF file", "" },
		{ "{ : | xz >%/part; }", "debugdata", "its .gnu_debugdata is no ELF file", "" },
		{ "{ xz -c %/pie | head -c 2000 >%/part; }", "debugdata", "its .gnu_debugdata cannot be expanded", "" },
		{ "{ head -c 5000 /dev/zero >%/part; }", "debuglink", "its .gnu_debuglink cannot be read", "" },
		{ "{ printf 'a/b\\0' >%/part; }", "debuglink", NULL, "" },
		{ "{ printf 'without-an-end' >%/part; }", "debuglink", NULL, "" },
		{ "{ (head -c 300 /dev/zero | tr '\\0' x; printf '\\0') >%/part; }", "debuglink", NULL, "" },
		{ "{ printf 'some.debug\\0' >%/part; }", "debuglink", NULL, "some.debug" },
	};
	char command[200];
	struct elfsym f;
	const char *why;

	(void)state;
	if (!run(builds[0].command))
		skip();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool xz = !strcmp(rows[i].section, "debugdata");

		snprintf(command, sizeof command, "objcopy --add-section .gnu_%s=%%/part %%/pie %%/with", rows[i].section);
		if (!run(rows[i].make) || !run(command))
			skip();
		assert_int_equal(get(&f, "with", &why), 1);
		if (!rows[i].damage || (xz && !elfsym_has_xz))
			assert_null(f.damage);
		else
			assert_string_equal(f.damage, rows[i].damage);
		assert_string_equal(f.debuglink, rows[i].link);
		assert_non_null(find(&f, "alpha", 0));
		elfsym_free(&f);
	}
}

static void
test_none(void **state)
{
	struct elfsym f;
	const char *why;
	int fd = open(dir, O_RDONLY);

	(void)state;
	put("text", "no ELF");
	put("empty", "");
	assert_int_equal(get(&f, "text", &why), 0);
	assert_string_equal(why, "not an ELF file");
	assert_int_equal(get(&f, "empty", &why), 0);
	assert_int_equal(elfsym_read(&f, fd, &why), 0);
	assert_string_equal(why, strerror(EISDIR));
	close(fd);
}

static int
setup(void **state)
{
	(void)state;
	return mkdtemp(dir) && run("command -v readelf") ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	return run("rm -r %") ? 0 : -1;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builds),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_separate),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_mapping),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
