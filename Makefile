# SPDX-FileCopyrightText: 2026 The perfpipe authors
# SPDX-License-Identifier: ISC
# GNU make.
#
# First:		make demo; make check
# While editing:	make quick [T="61 unit/state"]; make same BASE=REV [ONLY=REGEX]
# Also:			check-all, fleet, install DESTDIR= PREFIX= PROGRAM_PREFIX=, bench, soak MINUTES=, asan, lint, golden T=,
#			fuzz [TIME=SECONDS] [SANITIZE=memory], coverage [T=], mutate [N=] [SEED=] [ONLY=REGEX], clean
# To give it away:	dist, distcheck, deb, deb-twice; installcheck after install, with the same DESTDIR= and PREFIX=
#
# make O=DIR builds in DIR.  CC, CFLAGS, CPPFLAGS, LDFLAGS and PKG_CONFIG are used, from the command line or the environment.
# A new source file needs no line here: each directory of common and cmd is compiled as a whole.  A new command is a directory
# of cmd with a main.c; only a library of its own needs a line, as that of pstat has.
PREFIX = /usr/local
# Where the tools go, and perfpipe(1), which runs them; what their names, and those of their pages, begin with.
BINDIR = $(PREFIX)/bin
TOOLDIR = $(BINDIR)
PROGRAM_PREFIX =
PAGE_PREFIX = $(PROGRAM_PREFIX)
LIBDIR = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR = $(PREFIX)/share/man
CFLAGS ?= -O2 -g
O      = build
TOOLS  = $(patsubst cmd/%/main.c,%,$(wildcard cmd/*/main.c))
PKGS   = libzstd libbsd-overlay

# What makes a fault hard to use, for commands and libraries.  CFLAGS and LDFLAGS come later and have the last word.  FORTIFY needs an
# optimizing compiler, gives way to a level that CFLAGS or CPPFLAGS set, and would hide calls from a sanitizer.
FORTIFY = $(if $(filter-out -O0,$(lastword $(filter -O%,$(CFLAGS)))),$\
	$(if $(findstring _FORTIFY_SOURCE,$(CFLAGS) $(CPPFLAGS))$(findstring -fsanitize=,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
# The stack protector is the one for functions with arrays of bytes: -strong costs up to 8 % of the instructions for a record.
HARDEN = -fstack-protector $(FORTIFY)
HARDEN_LINK = -Wl,-z,relro,-z,now

WARN   = -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Wformat=2
# Numbers with a point are the same on all machines: each operation rounds to a double.  The registers of the 80387 do not (32-bit x86).
FLOAT  := -ffp-contract=off $(shell $(CC) $(CPPFLAGS) $(CFLAGS) -std=c11 -dM -E -xc /dev/null 2>/dev/null | \
	sed -n 's/.*__FLT_EVAL_METHOD__ 2$$/-msse2 -mfpmath=sse/p')
PKG_CFLAGS := $(shell $(or $(PKG_CONFIG),pkg-config) --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := $(shell $(or $(PKG_CONFIG),pkg-config) --libs $(PKGS) 2>/dev/null)
# Sizes of files and times have 64 bits, where a long has 32, too.
DEFS   = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -DLIBBSD_NETBSD_VIS -Icommon $(PKG_CFLAGS) $(CPPFLAGS)
COMPILE = $(CC) $(DEFS) -MMD -MP $(WARN) $(FLOAT)
LINK   = $(CC) $(WARN) $(HARDEN_LINK) -pie $(CFLAGS) $(LDFLAGS)
LINK_SHARED = $(CC) $(WARN) $(HARDEN_LINK) -shared $(CFLAGS) $(LDFLAGS)
LDLIBS = $(PKG_LIBS) -pthread
# Without liblzma, symbols in .gnu_debugdata are not read (common/symbol/elfsym_xz.c).
LZMA   = $(eval LZMA := $(shell printf '\043include <lzma.h>\nint main(void) { return !lzma_version_number(); }' | \
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c -o /dev/null - -llzma 2>/dev/null && echo -llzma))$(LZMA)
$(O)/common/symbol/elfsym_xz.o: DEFS += $(LZMA:-llzma=-DWITH_LZMA)
$(O)/pcat: LDLIBS += -lz -lmd $(SYMBOLS)
$(O)/psort: LDLIBS += -lmd
$(O)/pinject: LDLIBS += -lelf $(LZMA) -lmd -lz
$(O)/pfilter: LDLIBS += -lmd
$(O)/pstat: LDLIBS += -ljansson -lmd $(SYMBOLS) $(SECCOMP)
# Without libseccomp, which has names of system calls, there is no --sort syscall (cmd/pstat/sort/syscall.c).
SECCOMP = $(eval SECCOMP := $(shell printf '\043include <seccomp.h>\nint main(void) { return !seccomp_version(); }' | \
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -x c -o /dev/null - -lseccomp 2>/dev/null && echo -lseccomp))$(SECCOMP)
$(O)/cmd/pstat/sort/syscall.o: DEFS += $(SECCOMP:-lseccomp=-DWITH_SECCOMP)
# common/symbol: ELF files, and names of C++ and Rust, by a demangler of the GNU Library General Public License; DEMANGLE=no does without.
SYMBOLS = -lelf $(LZMA) $(DEMANGLER)
DEMANGLER = $(if $(filter no,$(DEMANGLE)),,-liberty)
$(O)/common/symbol/demangle.o: DEFS += $(if $(filter no,$(DEMANGLE)),-DNO_DEMANGLE)

# LIB_DIRS are the library, SHARED_DIRS what commands share besides it.  Commands and tests link the objects as they are;
# libperfpipe (below) is for other programs.
LIB    = $(O)/library.a
SHARED = $(O)/tool.a
LIB_DIRS = $(addprefix common/,record make source sink state index)
SHARED_DIRS = $(addprefix common/,tool field convert join stack symbol unwind)
objs   = $(patsubst %.c,$(O)/%.o,$(foreach d,$(1),$(wildcard $(d)/*.c)))
progs  = $(patsubst tests/%.c,$(O)/%,$(wildcard tests/$(1)*.c))

all: $(TOOLS) $(O)/perfpipe library
.PHONY: all completions demo quick check check-all fleet same golden asan coverage mutate fuzz lint bench bench-instr bench-growth bench-bombs soak install installcheck uninstall dist distcheck deb deb-twice clean library test-programs examiners run-tests fuzzers known $(TOOLS)
$(TOOLS): %: $(O)/%

.SECONDEXPANSION:
$(TOOLS:%=$(O)/%): $(O)/%: $$(call objs,cmd/% cmd/%/*) $(SHARED) $(LIB)
	$(LINK) -o $@ $^ $(LDLIBS) $(KNOWN_LIBS)
# perfpipe(1) for tools in a directory, and what their names and those of their pages begin with
dispatcher = sed -e 's|@TOOLDIR@|$1|; s|@PROGRAM_PREFIX@|$2|; s|@PAGE_PREFIX@|$3|' \
	-e 's/@TOOLS@/$(subst $(eval) ,|,$(strip $(TOOLS)))/' common/perfpipe.sh
$(O)/perfpipe: common/perfpipe.sh Makefile | $(O)/ready
	$(call dispatcher,$(abspath $(O))) >$@.new && chmod 755 $@.new && mv $@.new $@
# LIB=library.so of a directory: tests/mutate, which has many of them for one set of programs
$(LIB): $(call objs,$(LIB_DIRS))
	rm -f $@ && $(if $(filter %.so,$@),$(LINK_SHARED) -Wl$(comma)-soname$(comma)$(@F) -o $@ $^ $(PKG_LIBS) -pthread,$(AR) rcs $@ $^)
$(SHARED): $(call objs,$(SHARED_DIRS))
	rm -f $@ && $(AR) rcs $@ $^
# The directories of a command include each other's headers by paths from the command's own.
$(O)/cmd/%.o: DEFS += -Icmd/$(word 2,$(subst /, ,$*))
$(O)/%.o: %.c | $(O)/ready
	@mkdir -p $(@D)
	$(COMPILE) $(HARDEN) -fPIE $(CFLAGS) -c -o $@ $<
# The style and the scripts of a page, as the numbers of their bytes.
PAGE_H = $(addprefix $(O)/cmd/pstat/page/,page.css.h page.js.h flame.css.h chains.js.h flame.js.h)
$(O)/cmd/pstat/page/page.o: $(PAGE_H)
$(O)/cmd/pstat/page/page.o: DEFS += -I$(O)/cmd/pstat/page
$(O)/cmd/pstat/page/%.h: cmd/pstat/page/% | $(O)/ready
	@mkdir -p $(@D)
	od -An -v -tu1 $< | sed 's/[0-9][0-9]*/&,/g' >$@.new && mv $@.new $@
# Check that everything that a build needs is installed; if not, print how to install it.
$(O)/ready:
	@tests/setup -n build && mkdir -p $(O) && touch $@
-include $(wildcard $(O)/common/*/*.d $(O)/pic/common/*/*.d $(O)/cmd/*/*.d $(O)/cmd/*/*/*.d $(O)/tests/*.d $(O)/tests/*/*.d)

# ---- MemorySanitizer -----------------------------------------------------------------------------
# If CFLAGS ask for it, the functions of known.c stand in the place of those of libraries that were not compiled for it.

KNOWN = $(if $(findstring memory,$(filter -fsanitize=%,$(CFLAGS))),$(O)/tests/fuzz/memory/known.o)
KNOWN_NAMES := $(shell sed -n 's/^WRAP(\(.*\))$$/\1/p' tests/fuzz/memory/known.c)
KNOWN_LIBS = $(if $(KNOWN),-lelf -lz -lmd -ljansson $(LZMA) $(DEMANGLER) $(KNOWN_NAMES:%=-Wl$(comma)--wrap=%))
comma = ,
$(O)/tests/fuzz/memory/known.o: DEFS += $(LZMA:-llzma=-DWITH_LZMA) $(if $(filter no,$(DEMANGLE)),-DNO_DEMANGLE)
$(TOOLS:%=$(O)/%): $(KNOWN)

# ---- libperfpipe ---------------------------------------------------------------------------------
# It exports what perfpipe.h declares.  In the static library the other names are local to its one object.

SONAME   = libperfpipe.so.0
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
PIC      = $(patsubst $(O)/%,$(O)/pic/%,$(call objs,$(LIB_DIRS)))
HEADERS  = $(addprefix $(O)/include/,perfpipe.h perfpipe_state.h perfpipe_inline.h)
library: $(O)/libperfpipe.a $(O)/$(SONAME) $(HEADERS)
$(O)/pic/%.o: %.c | $(O)/ready
	@mkdir -p $(@D)
	$(COMPILE) $(HARDEN) $(CFLAGS) -fPIC -fvisibility=hidden -fno-semantic-interposition -c -o $@ $<
$(O)/libperfpipe.a: $(PIC)
	$(CC) -r -nostdlib -o $(O)/pic/perfpipe.o $^
	$(OBJCOPY) --localize-hidden $(O)/pic/perfpipe.o
# those of 32-bit x86 that the compiler makes for each object, of which the linker keeps one for all
	$(OBJCOPY) -w --globalize-symbol='__x86.get_pc_thunk.*' $(O)/pic/perfpipe.o
	rm -f $@ && $(AR) rcs $@ $(O)/pic/perfpipe.o
$(O)/$(SONAME): $(PIC)
	$(LINK_SHARED) -Wl,-soname,$(SONAME) -o $@ $^ $(shell $(or $(PKG_CONFIG),pkg-config) --libs libzstd 2>/dev/null) -pthread
$(O)/include/%.h: common/%.h common/header.sh $(wildcard common/record/*.def) | $(O)/ready
	@mkdir -p $(@D)
	CC="$(CC)" common/header.sh <$< >$@

# ---- completions ---------------------------------------------------------------------------------
# Of bash, zsh and fish, made of what the commands say of their options: they have to run here.  `make install COMPLETIONS=' does
# without, if they were built for another machine.

COMMANDS = perfpipe $(addprefix $(PROGRAM_PREFIX),$(TOOLS))
COMPLETED = $(O)/completions$(addprefix -,$(PROGRAM_PREFIX))
COMPLETIONS = $(foreach t,$(COMMANDS),$(addprefix $(COMPLETED)/,$t _$t $t.fish))
completions: $(COMPLETIONS)
complete = @mkdir -p $(@D) && common/completions.sh $1 >$@.new && mv $@.new $@
$(TOOLS:%=$(COMPLETED)/$(PROGRAM_PREFIX)%): $(COMPLETED)/$(PROGRAM_PREFIX)%: $(O)/% common/completions.sh
	$(call complete,bash $< $(PROGRAM_PREFIX))
$(TOOLS:%=$(COMPLETED)/_$(PROGRAM_PREFIX)%): $(COMPLETED)/_$(PROGRAM_PREFIX)%: $(O)/% common/completions.sh
	$(call complete,zsh $< $(PROGRAM_PREFIX))
$(TOOLS:%=$(COMPLETED)/$(PROGRAM_PREFIX)%.fish): $(COMPLETED)/$(PROGRAM_PREFIX)%.fish: $(O)/% common/completions.sh
	$(call complete,fish $< $(PROGRAM_PREFIX))
$(addprefix $(COMPLETED)/,perfpipe _perfpipe perfpipe.fish): $(TOOLS:%=$(O)/%) common/completions.sh
	$(call complete,$(if $(filter %.fish,$@),fish,$(if $(filter _%,$(@F)),zsh,bash)) perfpipe $(TOOLS:%=$(O)/%))

# ---- make demo, make check ----------------------------------------------------------------------
# Both install missing packages first, and then run make again, which finds them.

AGAIN = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j2)

demo:
	@tests/setup demo
	@echo 'building ...'
	+@$(AGAIN) -s all
	@O=$(O) tests/demo

check:
	@tests/setup check$(if $(ALL),-all)
	@echo 'building ...'
	+@$(AGAIN) -s test-programs
	+@$(AGAIN) run-tests

# All tests, some hours: each recording of ../shared with each version of perf, other machines, large files.
check-all:
	@tests/setup check-all
	@O=$(O) tests/check-all

# Two minutes: the examples of man/examples/fleet with GNU parallel over ssh, Slurm and Snakemake, which run on this machine.
# They are in a directory of their own, so that `make check' does not run them.
fleet:
	@tests/setup fleet
	+@$(AGAIN) -s test-programs FUZZ= SEEDS=
	@$(PROVE) $(wildcard tests/fleet/*.bats)

# Some seconds: the unit tests, and the tests whose names begin with a word of T (default: a few of each command).
quick:
	+@$(AGAIN) -s test-programs FUZZ= SEEDS=
	@$(PROVE) $(UNITS) $(wildcard $(patsubst %,tests/%*.bats,$(or $(T),$(QUICK_TESTS))))

# ---- tests ---------------------------------------------------------------------------------------

# Programs that test the commands are built without sanitizers, even if the commands are built with them.
UNITS     = $(call progs,unit/)
EXAMINERS = $(call progs,) $(call progs,bench/)
PLAIN     = $(filter-out -fsanitize=% -fno-sanitize%,$(CFLAGS))
TARGETS   = $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/main.c,$(wildcard tests/fuzz/*.c)))
# With ALL libFuzzer runs its targets; else they run their seeds once, which needs no clang.
SEEDS     = $(if $(ALL),,$(TARGETS:%=$(O)/seeds/%))
FUZZ      = $(if $(ALL),$(TARGETS:%=$(O)/fuzz/%))
FUZZ_RUNS = 2000000
PRELOAD   = $(O)/fault.so $(O)/kallsyms.so $(O)/seed.so
BATS      = $(sort $(wildcard tests/*.bats))
# The longest tests start first, those that wait for what they record among them.  There are three jobs more than processors for that.
LONG      = $(wildcard $(patsubst %,tests/%.bats,15-outputs 31-pinject-live 35-pinject-archive-symbols 05-docs 31-pinject-names 31-pinject-files 34-pinject-map-live 35-pinject-archive \
	49-pstat-live 43-pstat-check 39-pinject-unwind 70-law 10-seven 68-pfilter-span 65-pfilter-anon 53-oracle-order 29-psort-merge 26-pcat-inputs 34-pinject-map \
	23-pcat-compress 70-law-parts 68-pfilter-tasks 69-pfilter-container 73-index 68-pfilter-kernel 52-oracle-fresh 42-pstat-symbols))
TESTS     = $(FUZZ) $(SEEDS) $(LONG) $(filter-out $(LONG),$(BATS)) $(UNITS)
QUICK_TESTS = 01 10 11 12 13 15 20 21 22 27 28 61
JOBS      = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 3)
# Seconds for each @test, on a busy machine, too.
TEST_LIMIT = $(if $(ALL),14400,$(if $(findstring -fsanitize,$(CFLAGS)),1800,300))
PROVE     = O=$(abspath $(O)) FUZZ_RUNS=$(FUZZ_RUNS) TEST_LIMIT=$(TEST_LIMIT) prove -j$(JOBS) --timer -f -o -e tests/tap

test-programs: all completions $(UNITS) $(EXAMINERS) $(SEEDS) $(PRELOAD) $(if $(FUZZ),fuzz)
# for tests of installed tools: nothing that is installed is built
examiners: $(EXAMINERS) $(PRELOAD)
run-tests:
	@$(PROVE) $(TESTS)

$(UNITS): $(O)/%: $(O)/tests/%.o $(KNOWN) $(SHARED) $(LIB)
	@mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(filter %.a %.so,$^) $(LDLIBS) $(KNOWN_LIBS) -lcmocka
# those that test a part of a command
$(O)/unit/image: $(patsubst %.c,$(O)/%.o,$(wildcard cmd/pinject/code/image*.c) cmd/pinject/elf/out.c)
$(O)/unit/image: LDLIBS += -lelf -lmd
$(O)/unit/elfsym: LDLIBS += -lelf $(LZMA)
$(O)/unit/unwind $(O)/unit/unwind_chain: LDLIBS += -lz
$(O)/unit/symtab: LDLIBS += $(DEMANGLER)
$(O)/unit/frames: LDLIBS += $(SYMBOLS) -lmd
$(O)/unit/jitdump: $(O)/cmd/pinject/code/jitdump.o
$(O)/unit/store: $(O)/cmd/pinject/store/store.o
$(O)/unit/vdso: $(O)/cmd/pinject/lookup/buildid.o
$(O)/unit/vdso: LDLIBS += -lelf
$(O)/unit/stacked: $(O)/cmd/pinject/chains/sample.o
$(O)/unit/perf_text: $(addprefix $(O)/cmd/pinject/header/,perf_text.o perf_line.o)
PICTURE   = $(patsubst %.c,$(O)/%.o,$(wildcard $(addprefix cmd/pstat/picture/,svg*.c number.c scale.c scene.c panel.c)))
$(O)/unit/picture: $(PICTURE)
$(O)/unit/moments: $(addprefix $(O)/cmd/pstat/,stacks/moments.o tally/spans.o)
$(O)/unit/scale: $(O)/cmd/pstat/picture/scale.o
$(O)/unit/scale: LDLIBS += -lm
$(O)/unit/syscall: $(O)/cmd/pstat/sort/syscall.o
$(O)/unit/syscall: LDLIBS += $(SECCOMP)
$(O)/tests/unit/syscall.o: DEFS += -Icmd/pstat $(SECCOMP:-lseccomp=-DWITH_SECCOMP)
$(O)/unit/term: $(patsubst %.c,$(O)/%.o,$(wildcard cmd/pstat/picture/term*.c) cmd/pstat/picture/number.c cmd/pstat/picture/scale.c cmd/pstat/picture/scene.c cmd/pstat/picture/panel.c cmd/pstat/report/text.c)
$(addprefix $(O)/tests/unit/,moments.o picture.o scale.o term.o): DEFS += -Icmd/pstat
$(O)/tests/unit/image.o $(O)/tests/unit/jitdump.o $(O)/tests/unit/perf_text.o $(O)/tests/unit/stacked.o $(O)/tests/unit/store.o $(O)/tests/unit/vdso.o: DEFS += -Icmd/pinject
$(EXAMINERS): $(O)/%: tests/%.c | $(O)/ready
	@mkdir -p $(@D)
	@mkdir -p $(O)/tests
	$(COMPILE) -MF $(O)/tests/$(subst /,-,$*).d $(PLAIN) $(LDFLAGS) -o $@ $(filter %.c,$^) $(LDLIBS)
$(O)/confine: common/tool/confine.c common/tool/confine_calls.c
$(O)/format-fields: common/record/format.c
$(O)/unwinding: $(wildcard common/unwind/*.c)
$(O)/unwinding: LDLIBS += -lz
$(PRELOAD): $(O)/%.so: $$(wildcard tests/%/*.c) | $(O)/ready
	$(CC) $(DEFS) $(WARN) $(filter-out -fprofile-% -fcoverage-%,$(PLAIN)) -fPIC -shared -o $@ $^ -ldl

# make same BASE=REV [ONLY=REGEX]: compare the output of the commands with that of another commit
same: all $(O)/mkpipe
	@O=$(abspath $(O)) tests/same $(or $(BASE),$(error make same BASE=REV)) $(if $(ONLY),'$(ONLY)')

# make golden [T=20-pfilter]: make the present output the expected output; then review git diff
golden: test-programs
	UPDATE=1 $(PROVE) tests/$(or $(T),*).bats

# make check with AddressSanitizer and UndefinedBehaviorSanitizer; a memory leak fails.
asan:
	+@$(MAKE) O=$(O)/asan CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all' check

# make coverage [T="61 unit/state"]: lines and branches that the tests reach
coverage:
	@tests/setup coverage
	@O=$(O) tests/coverage $(T)
# make mutate [N=100] [SEED=1] [ONLY=REGEX]: do the tests notice faults in the library?
mutate:
	@tests/setup check
	@O=$(O) tests/mutate $(if $(N),-n $(N)) $(if $(SEED),-s $(SEED)) $(if $(ONLY),'$(ONLY)')

# make fuzz [TIME=SECONDS] [SANITIZE=memory] [ONLY="TARGET..."]: libFuzzer needs clang, and a library compiled for it: a build directory
# of its own.  The same targets with a main() that runs files once are in $(O)/seeds.  With TIME: runs all, one after the other, for
# so many seconds.  SANITIZE=memory: MemorySanitizer, which first runs each seed and the unit programs; SANITIZE=none: what must hold,
# some times faster.
TARGET_DIR = $(O)/seeds
ENGINE = $(O)/tests/fuzz/main.o
SANITIZE = address,undefined
FUZZ_O = $(O)/fuzz$(if $(findstring address,$(SANITIZE)),,-$(SANITIZE))
FUZZ_FLAGS = $(if $(filter none,$(SANITIZE)),-O2 -g -fsanitize=fuzzer-no-link,$\
	-O1 -g -fsanitize=fuzzer-no-link,$(SANITIZE) -fno-sanitize-recover=all)
fuzz:
	@tests/setup fuzz
	+@$(AGAIN) O=$(FUZZ_O) TARGET_DIR=$(FUZZ_O) ENGINE=-fsanitize=fuzzer CC=clang CFLAGS='$(FUZZ_FLAGS)' $(if $(filter memory,$(SANITIZE)),known,fuzzers)
	$(if $(TIME),@O=$(O) FUZZ=$(FUZZ_O) tests/fuzz/turns $(TIME) $(or $(ONLY),$(TARGETS)))
FUZZERS = $(TARGETS:%=$(TARGET_DIR)/%)
fuzzers: $(FUZZERS)
# each seed once, and the unit programs
known: $(FUZZERS) $(UNITS) $(O)/mkpipe
	@$(PROVE) $(FUZZERS) $(UNITS)
known: FUZZ_RUNS = 0
$(TARGET_DIR)/index $(TARGET_DIR)/piece: $(call objs,common/index)
$(FUZZERS): $(TARGET_DIR)/%: $(O)/tests/fuzz/%.o $(KNOWN) $(filter %.o,$(ENGINE)) $(O)/common/tool/confine.o $(O)/common/tool/confine_calls.o $(LIB)
	@mkdir -p $(@D)
	$(LINK) $(filter-out %.o,$(ENGINE)) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) $(KNOWN_LIBS)
# those that test a part of a command
$(TARGET_DIR)/jitdump: $(O)/cmd/pinject/code/jitdump.o
$(TARGET_DIR)/maptext: $(O)/cmd/pinject/code/maptext.o
$(TARGET_DIR)/notes: $(O)/common/symbol/notes.o
$(TARGET_DIR)/notes: LDLIBS += -lelf
$(TARGET_DIR)/unwind_file $(TARGET_DIR)/unwind_chain: $(call objs,common/unwind)
$(TARGET_DIR)/unwind_file $(TARGET_DIR)/unwind_chain: LDLIBS += -lz
$(TARGET_DIR)/elfsym: $(patsubst %.c,$(O)/%.o,$(wildcard common/symbol/elfsym*.c) common/symbol/notes.c cmd/pinject/elf/out.c cmd/pinject/symbols/symbol_file.c)
$(TARGET_DIR)/elfsym: LDLIBS += -lelf $(LZMA)
$(TARGET_DIR)/symtab: $(patsubst %.c,$(O)/%.o,$(wildcard common/symbol/symtab*.c common/symbol/demangle.c))
$(TARGET_DIR)/symtab: LDLIBS += $(DEMANGLER)
$(TARGET_DIR)/select: $(filter-out $(O)/cmd/pfilter/main.o,$(call objs,cmd/pfilter cmd/pfilter/*)) $(SHARED)
$(TARGET_DIR)/select: LDLIBS = $(LIB) $(PKG_LIBS) -pthread -lmd -Wl,--wrap=exit,--wrap=field_near,--wrap=field_payload_near,--wrap=free,--wrap=strndup,--wrap=reallocarray,--wrap=tool_alloc
$(O)/tests/fuzz/select.o: DEFS += -Icmd/pfilter
$(TARGET_DIR)/manifest: $(SHARED)
$(TARGET_DIR)/manifest: LDLIBS = $(LIB) $(PKG_LIBS) -pthread -lmd -Wl,--wrap=asprintf,--wrap=exit,--wrap=free,--wrap=reallocarray,--wrap=tool_alloc
$(TARGET_DIR)/pprof $(TARGET_DIR)/jsonl: $(filter-out $(O)/cmd/pcat/main.o,$(call objs,cmd/pcat cmd/pcat/*)) $(SHARED)
$(TARGET_DIR)/pprof $(TARGET_DIR)/jsonl: LDLIBS = $(LIB) $(PKG_LIBS) -pthread -lz -lmd $(SYMBOLS)
$(O)/tests/fuzz/pprof.o $(O)/tests/fuzz/jsonl.o: DEFS += -Icmd/pcat
# whole: all tools in one program, each an object of which only its main() is seen, by another name
WHOLE = $(TOOLS:%=$(O)/tools/%.o)
$(WHOLE): $(O)/tools/%.o: $$(call objs,cmd/% cmd/%/*)
	@mkdir -p $(@D)
	$(CC) -r -nostdlib -o $@ $^
	$(OBJCOPY) --redefine-sym main=$*_main $@
	$(OBJCOPY) -w -G $*_main -G 'asan.*' -G 'sancov.*' -G '__*' $@
$(TARGET_DIR)/whole: $(WHOLE) $(call objs,tests/fuzz/whole) $(SHARED)
$(O)/tests/fuzz/whole/run.o: DEFS += -D'WHOLE_TOOLS=$(patsubst %,TOOL(%),$(TOOLS))'
$(TARGET_DIR)/whole: LDLIBS = $(LIB) $(PKG_LIBS) -pthread -lz -lmd $(SYMBOLS) -ljansson $(SECCOMP)
$(O)/tests/fuzz/elfsym.o $(O)/tests/fuzz/jitdump.o $(O)/tests/fuzz/maptext.o $(O)/tests/fuzz/notes.o: DEFS += -Icmd/pinject

# ---- the rest ------------------------------------------------------------------------------------

SOURCES = $(wildcard common/*/*.c cmd/*/*.c cmd/*/*/*.c)
MANUALS = $(wildcard man/*.[1-9])
DOCDIR  = $(PREFIX)/share/doc/perfpipe
DOCS    = README.md LICENSE
EXAMPLES = $(wildcard man/examples/*/*)

# mandoc, codespell and clang-tidy; what it tells falsely is in tests/lint.known.  L="FILE...": of these only.
lint: $(PAGE_H)
	@tests/setup lint
	@O=$(O) DEFS='$(DEFS)' tests/lint $(L)

bench: test-programs
	O=$(abspath $(O)) tests/bench/bench
# make bench-instr [ONLY=REGEX]: instructions for each record, compared with tests/bench/counts.tsv; ACCEPT=1 keeps the new ones
bench-instr: test-programs
	@O=$(abspath $(O)) tests/bench/instructions -c $(if $(ONLY),'$(ONLY)')
# make bench-growth [QUICK=1]: the cost of a record as tasks, maps, events and so on become many
bench-growth: test-programs
	@O=$(abspath $(O)) tests/bench/growth $(if $(ONLY),'$(ONLY)')

# make bench-bombs [QUICK=1] [ALL=1] [ONLY=REGEX]: the same of streams that are the worst for one structure
bench-bombs: test-programs
	@O=$(abspath $(O)) tests/bench/bombs $(if $(ONLY),'$(ONLY)')
# make soak [MINUTES=60] [LOG=FILE]: four tools behind perf record -a for an hour; MANY=200: 200 such pipelines at once
soak: all
	@O=$(abspath $(O)) tests/soak

# What pkg-config moves with the prefix.
below = $(patsubst $(PREFIX)/%,\$${prefix}/%,$1)
VERSION = $(shell sed -n 's/^.define PP_VERSION "\(.*\)"/\1/p' common/perfpipe.h)
PC = "prefix=$(PREFIX)" "includedir=$(call below,$(INCLUDEDIR))" "libdir=$(call below,$(LIBDIR))" "" "Name: perfpipe" "Description: reads and writes recordings of perf" "Version: $(VERSION)" "Requires.private: libzstd" \
	"Cflags: -I\$${includedir}" "Libs: -L\$${libdir} -lperfpipe" "Libs.private: -pthread"
SHARE = $(DESTDIR)$(PREFIX)/share
# page FILE: its name when it is installed
page = $(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $1))/$(if $(filter $(TOOLS:%=man/%.1),$1),$(PAGE_PREFIX))$(notdir $1)
install: all $(COMPLETIONS)
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $(HEADERS) $(DESTDIR)$(INCLUDEDIR)
	install -m 644 $(O)/libperfpipe.a $(O)/$(SONAME) $(DESTDIR)$(LIBDIR)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libperfpipe.so
	printf '%s\n' $(PC) >$(DESTDIR)$(LIBDIR)/pkgconfig/perfpipe.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/perfpipe.pc
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(TOOLDIR) $(sort $(dir $(foreach m,$(MANUALS),$(call page,$m))))
	$(foreach t,$(TOOLS),install $(O)/$t $(DESTDIR)$(TOOLDIR)/$(PROGRAM_PREFIX)$t &&) true
	$(call dispatcher,$(TOOLDIR),$(PROGRAM_PREFIX),$(PAGE_PREFIX)) >$(DESTDIR)$(BINDIR)/perfpipe
	chmod 755 $(DESTDIR)$(BINDIR)/perfpipe
	$(foreach m,$(MANUALS),install -m 644 $m $(call page,$m) &&) true
ifneq ($(COMPLETIONS),)
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 644 $(COMMANDS:%=$(COMPLETED)/%) $(SHARE)/bash-completion/completions
	install -m 644 $(COMMANDS:%=$(COMPLETED)/_%) $(SHARE)/zsh/site-functions
	install -m 644 $(COMMANDS:%=$(COMPLETED)/%.fish) $(SHARE)/fish/vendor_completions.d
endif
	install -d $(DESTDIR)$(DOCDIR) $(sort $(dir $(EXAMPLES:man/%=$(DESTDIR)$(DOCDIR)/%)))
	install -m 644 $(DOCS) $(DESTDIR)$(DOCDIR)
	for f in $(EXAMPLES:man/%=%); do if [ -x man/$$f ]; then m=755; else m=644; fi; \
		install -m $$m man/$$f $(DESTDIR)$(DOCDIR)/$$f && sed -i 's|/usr/local/share/doc/perfpipe|$(DOCDIR)|' $(DESTDIR)$(DOCDIR)/$$f || exit 1; done
# What `make install' has put there, with the same DESTDIR, PREFIX and so on: are the pages those of man/, and do the commands of pages and README,
# and the jobs of make fleet, run with the installed tools?
INSTALLCHECK = tests/05-docs.bats $(wildcard tests/fleet/*.bats)
LINKED = $(abspath $(O))/installed
installcheck:
	@tests/setup fleet
	+@$(AGAIN) -s examiners
	@rm -rf $(LINKED) && mkdir $(LINKED)
	@for t in $(TOOLS); do ln -s "$$(realpath -s $(DESTDIR)$(TOOLDIR))/$(PROGRAM_PREFIX)$$t" $(LINKED)/$$t && $(LINKED)/$$t --version >$(LINKED)/version || exit 1; done
	@sed 's|^tools=.*|tools=$(LINKED) prefix= pages=|' $(DESTDIR)$(BINDIR)/perfpipe >$(LINKED)/perfpipe && chmod 755 $(LINKED)/perfpipe
	@$(foreach m,$(MANUALS),zcat -f $(call page,$m)* | cmp - $m &&) true
	@INSTALLED=$(LINKED) EXAMPLES="$$(realpath -s $(DESTDIR)$(DOCDIR))/examples/fleet" $(PROVE) $(INSTALLCHECK)
uninstall:
	rm -f $(HEADERS:$(O)/include/%=$(DESTDIR)$(INCLUDEDIR)/%)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libperfpipe.a $(SONAME) libperfpipe.so pkgconfig/perfpipe.pc)
	rm -f $(TOOLS:%=$(DESTDIR)$(TOOLDIR)/$(PROGRAM_PREFIX)%) $(DESTDIR)$(BINDIR)/perfpipe
	rm -f $(addprefix $(DESTDIR)$(DOCDIR)/,$(notdir $(DOCS)) $(EXAMPLES:man/%=%))
	rm -f $(COMMANDS:%=$(SHARE)/bash-completion/completions/%) $(COMMANDS:%=$(SHARE)/zsh/site-functions/_%) $(COMMANDS:%=$(SHARE)/fish/vendor_completions.d/%.fish)
	rm -f $(foreach m,$(MANUALS),$(call page,$m))
# An archive of the last commit, a trial of it, and Debian's packages, in $(O)/deb.
dist:
	@tests/packaging/dist $(VERSION) $(O)
distcheck: dist
	tests/packaging/distcheck $(O)/perfpipe-$(VERSION).tar.gz
deb: dist
	@tests/setup deb
	tests/packaging/deb $(O)/perfpipe-$(VERSION).tar.gz $(O)/deb
# The same twice, under other circumstances: the packages have the same bytes.
deb-twice: dist
	@tests/setup deb
	DEB_BUILD_OPTIONS=nocheck tests/packaging/twice $(O)/perfpipe-$(VERSION).tar.gz $(O)/deb
clean:
	rm -rf $(O)
