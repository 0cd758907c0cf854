# SPDX-License-Identifier: ISC
# pinject --unwind: call chains in place of copies of stacks.
load lib

setup_file() {
	export W=$BATS_FILE_TMPDIR
	O=$(cd "${O:-$BATS_TEST_DIRNAME/../build}" && pwd)
	cd "$W"
	type -P c++ >/dev/null && type -P cc >/dev/null || return 0
	# what is called by dlopen(3), through a PLT, by threads, in a handler of a signal, and while an exception is on its way
	cat >plug.c <<-'END'
		#include <stdlib.h>
		static int less(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }
		int plugged(int n) { int v[400]; for (int i = 0; i < 400; i++) v[i] = i * 7919 % 401 + n; qsort(v, 400, sizeof *v, less); return v[7]; }
	END
	cat >load.cc <<-'END'
		#include <csignal>
		#include <cstdlib>
		#include <ctime>
		#include <dlfcn.h>
		#include <functional>
		#include <stdexcept>
		#include <string>
		#include <sys/time.h>
		#include <thread>
		static volatile unsigned long sink;
		static void on_signal(int) { for (int i = 0; i < 200000; i++) sink += i; }
		template <int N> struct deep { __attribute__((noinline)) static unsigned long go(const std::function<int(int)> &f, int k) {
			std::string s(N % 13 + 20, 'a'); unsigned long r = deep<N - 1>::go([&](int x) { return f(x) + (int)s.size(); }, k); return r + s[3]; } };
		template <> struct deep<0> { __attribute__((noinline)) static unsigned long go(const std::function<int(int)> &f, int k) {
			unsigned long t = 0; for (int i = 0; i < 20; i++) t += f(i); if (k % 3 == 0) throw std::runtime_error("x"); return t; } };
		static int (*plugged)(int);
		static void work(int ms) {
			timespec t; long end; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); end = t.tv_nsec / 1000000 + t.tv_sec * 1000 + ms;
			for (int k = 0; t.tv_nsec / 1000000 + t.tv_sec * 1000 < end; k++) {
				try { sink += deep<12>::go([](int x) { return x; }, k); } catch (std::exception &) { sink++; }
				sink += plugged(k); clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
			}
		}
		int main(int c, char **v) {
			plugged = (int (*)(int))dlsym(dlopen(v[1], RTLD_NOW), "plugged"); (void)c;
			signal(SIGALRM, on_signal); itimerval it = { { 0, 3000 }, { 0, 3000 } }; setitimer(ITIMER_REAL, &it, 0);
			std::thread a(work, atoi(v[2])); work(atoi(v[2])); a.join(); }
	END
	# depth 1, 2 ... N in turn: which return addresses there are, is printed
	cat >known.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <time.h>
		static void *leaf, *again, *outer, *first; static volatile int sink; static int loops;
		__attribute__((noinline)) static int spin(void) { leaf = __builtin_return_address(0); for (int i = 0; i < loops; i++) sink += i; return sink; }
		__attribute__((noinline, noclone)) static int down(int n, int top) {
			int r; if (top) outer = __builtin_return_address(0); else again = __builtin_return_address(0);
			if (n == 1) r = spin(); else r = down(n - 1, 0) + sink; sink ^= r; return r + n; }
		int main(int c, char **v) {
			struct timespec a, b; first = __builtin_return_address(0); (void)c; loops = 100000;
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a); spin(); clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
			loops = (int)(100000.0 * 1e3 * atoi(v[3]) / ((b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec + 1)); if (loops > 30000000) loops = 30000000;
			for (int n = atoi(v[1]); n <= atoi(v[2]); n++) sink += down(n, 1);
			printf("%lx %lx %lx %lx\n", (long)leaf - 1, (long)again - 1, (long)outer - 1, (long)first - 1); }
	END
	cc -O1 -fPIC -shared -fomit-frame-pointer -Wl,--build-id=sha1 -o plug.so plug.c
	c++ -O1 -fomit-frame-pointer -pthread -Wl,--build-id=sha1 -o load load.cc -ldl
	cc -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=sha1 -o known known.c
	dwarf -F 1500 -- ./load ./plug.so 120 >in.pipe 2>err && [ -s in.pipe ] || return 0
	"$(type -P pinject)" -v --unwind in.pipe >out.pipe 2>out.err || true
}

# dwarf OPTION...: perf record, to standard output
dwarf() {
	command perf record -q --no-bpf-event -e cpu-clock --call-graph dwarf -o - "$@" </dev/null
}
# What all tests need: in.pipe, unwound as out.pipe.
recorded() {
	need record
	need native
	[ -x "$W/load" ] || skip "no compiler for C++"
	x86_64 || [ "$(uname -m)" = aarch64 ] || skip "stacks of $(uname -m) cannot be unwound"
	[ -s "$W/in.pipe" ] || skip "perf record takes no copies of stacks: $(tail -n 1 "$W/err")"
	[ -s "$W/out.pipe" ] || { cat "$W/out.err"; false; }
}
unwound() {
	python3 chains.py "$@"
}
# script PERF FILE: chains by that perf
script() {
	command "$1" script --no-inline --ns -F tid,time,ip -i - <"$2" 2>/dev/null
}
# silent: are there no messages, but that files of the system got another name, as by another perf meanwhile?
silent() {
	! grep -v 'files got another name' "$T/err"
}
# count KIND: of what chains.py script has printed
count() {
	sed -n "s/^$1 //p" "$T/kinds" | grep . || echo 0
}

@test "unwind: chains are those that perf finds in the copies: C++, exceptions, signals, threads, dlopen, PLT" {
	recorded
	for p in $PERFS; do
		script $p "$W/in.pipe" >"$T/before"
		script $p "$W/out.pipe" >"$T/after"
		case $($p version) in *" "[56].*) lower=1;; *) lower=0;; esac
		unwound script $([ $lower = 0 ] || echo -l) "$T/before" "$T/after" >"$T/kinds" 2>"$T/differ"
		cat "$T/kinds"
		[ "$(count samples)" -gt 100 ] && [ "$(count frames)" -gt "$((10 * $(count samples)))" ] || failed "$p: too few"
		# libunwind writes addresses of the stack, too, where it leaves the tables: some of a thousand chains
		few=$((lower ? $(count samples) / 100 : 0))
		[ "$(count equal)" -ge "$(($(count samples) * 99 / 100))" ] && [ $(($(count differ) + $(count shorter))) -le $few ] &&
		    [ "$(count "kernel parts differ")" = 0 ] || failed "$p: $(cat "$T/kinds" "$T/differ")"
	done
	grep -q "unwound: [0-9]* samples .* 9[0-9.]* %\|unwound: .* 100.0 %" "$W/out.err" || failed "$(cat "$W/out.err")"
	done_all
}

@test "unwind: chains are those that a second unwinder finds, by the tables that readelf prints" {
	recorded
	need readelf
	x86_64 || skip "the second unwinder is of x86-64"
	python3 walk.py "$W/in.pipe" "$W/out.pipe" >"$T/kinds" 2>"$T/err" || failed "$(tail -n 1 "$T/err")"
	cat "$T/kinds" "$T/err"
	[ "$(count samples)" -gt 100 ] && [ "$(count equal)" = "$(count samples)" ] && [ "$(count "ended by start")" -gt 100 ] || failed
	done_all
}

@test "unwind: of all processes, by a perf that does not lose frames of several" {
	recorded
	local newest=
	for p in $PERFS; do
		case $($p version) in *" "[7-9].*) newest=$p;; esac
	done
	[ "$newest" ] || skip "perf before 7 loses frames of several processes"
	dwarf -F 500 -a -- sh -c 'cd "$1"; ./load ./plug.so 60 & ./load ./plug.so 60; wait; for i in 1 2 3 4; do ls -lR /usr/share/perl5; done | gzip >/dev/null' sh "$W" >"$T/in" 2>"$T/err" ||
	    skip "perf record -a does not work here"
	try pinject --unwind "$T/in"
	[ $rc = 0 ] || failed "status"
	unwound same "$T/in" "$T/out" || failed "other records"
	# what else runs may have no tables
	for f in in out; do
		pfilter -q --comms load,ls,gzip,sh "$T/$f" >"$T/$f.ours"
		script $newest "$T/$f.ours" >"$T/$f.script"
	done
	unwound script "$T/in.script" "$T/out.script" >"$T/kinds" 2>"$T/differ"
	cat "$T/kinds"
	[ "$(count samples)" -gt 50 ] && [ "$(($(count equal) + $(count "none before")))" -ge "$(($(count samples) * 99 / 100))" ] && [ "$(count differ)" = 0 ] ||
	    failed "$(cat "$T/kinds" "$T/differ")"
	done_all
}

@test "unwind: a program's own chain is found at each depth, and no more than 127 frames of a deeper one" {
	recorded
	dwarf -F 4000 -- sh -c '"$1" 1 126 900 >"$2"' sh "$W/known" "$T/known" >"$T/in" 2>"$T/err"
	read -r leaf again outer first <"$T/known"
	try pinject --unwind "$T/in"
	[ $rc = 0 ] || failed "status"
	unwound chains "$T/out" | sort -n -k 3 | awk -v leaf="$leaf" -v again="$again" -v outer="$outer" -v first="$first" '
		$5 == leaf {
			for (n = 1; $(5 + n) == again; n++)
				;
			# of 127 frames, the last ones are not there
			if (NF < 130 && ($(5 + n) != outer || $(6 + n) != first || NF < 7 + n)) { print "wrong at depth " n ": " $0; bad = 1; exit }
			if (n < last) { print "depth " n " after " last; bad = 1; exit }
			if (!seen[last = n]++) depths++
		}
		END { if (!bad) print depths }' >"$T/depths"
	[ "$(cat "$T/depths")" -ge 100 ] 2>/dev/null || failed "depths: $(cat "$T/depths")"
	dwarf -F 4000 -- sh -c '"$1" 300 300 9000 >/dev/null' sh "$W/known" >"$T/in" 2>"$T/err"
	for max in 127 5 128; do
		try pinject --unwind --unwind-max=$max "$T/in"
		[ $rc = 0 ] || failed "$max: status"
		unwound chains "$T/out" | awk -v max=$max 'NF > most { most = NF } END { exit most != max + 3 }' || failed "$max"
	done
	done_all
}

@test "unwind: kernel parts, other fields and other records stay; each perf reads the result" {
	recorded
	unwound same "$W/in.pipe" "$W/out.pipe" >"$T/n" 2>"$T/err" && n=$(cat "$T/n") && [ "$n" -gt 100 ] || failed "$(tail -n 1 "$T/err")"
	[ $(($(stat -c %s "$W/in.pipe") / $(stat -c %s "$W/out.pipe"))) -ge 10 ] || failed "size"
	# EVENT_DESC, as perf record writes it beside the attrs
	command perf report --header-only -i "$W/out.pipe" 2>/dev/null >"$T/header"
	grep -q 'sample_type = .*CALLCHAIN' "$T/header" && ! grep 'STACK_USER\|REGS_USER\|exclude_callchain_user\|sample_stack_user' "$T/header" || failed "EVENT_DESC"
	pinject --unwind=keep-regs "$W/in.pipe" >"$T/regs"
	unwound same "$W/in.pipe" "$T/regs" regs >/dev/null || failed "registers"
	diff <(unwound chains "$T/regs") <(unwound chains "$W/out.pipe") >/dev/null || failed "other chains"
	for p in $PERFS; do
		[ "$(command $p script -F comm,tid,time,ip,sym -i - <"$W/out.pipe" 2>"$T/err" | grep -c '^load')" = "$n" ] || failed "$p script"
		command $p report --stdio --no-children -i - <"$W/out.pipe" 2>/dev/null | grep -q 'deep<' || failed "$p report"
	done
	pinject -q --unwind --format=file -o "$T/file.data" "$W/in.pipe"
	for f in "$W/out.pipe" "$T/file.data"; do
		command perf script --no-inline --ns -F tid,time,ip -i "$f" 2>/dev/null | awk '{ print /^\t/ ? $1 : $0 }' >"$T/script.${f##*.}"
	done
	[ -s "$T/script.pipe" ] && cmp "$T/script.pipe" "$T/script.data" || failed "perf.data"
	done_all
}

@test "unwind: nothing of a stack is left" {
	recorded
	unwound private "$W/in.pipe" "$W/out.pipe" >"$T/found" || failed "$(cat "$T/found")"
	pinject --unwind --unwind-max=1 --no-fs "$W/in.pipe" 2>/dev/null >"$T/out"
	unwound private "$W/in.pipe" "$T/out" >"$T/found" || failed "one frame: $(cat "$T/found")"
	done_all
}

@test "unwind: from a pipe, from a file, in pieces of any size: the same bytes; before and behind pfilter" {
	recorded
	pinject -q --unwind <"$W/in.pipe" | cmp - "$W/out.pipe" || failed "redirected"
	for size in 100 65537 4000000; do
		dd bs=$size if="$W/in.pipe" 2>/dev/null | pinject -q --unwind | cmp - "$W/out.pipe" || failed "$size"
	done
	zstd -q -c "$W/in.pipe" | pinject -q --unwind | cmp - "$W/out.pipe" || failed "zstd"
	pfilter -q --cpu 0 "$W/in.pipe" | pinject -q --unwind >"$T/after"
	pinject -q --unwind "$W/in.pipe" | pfilter -q --cpu 0 | cmp - "$T/after" || failed "pfilter --cpu"
	pfilter -q --filter 'cpumode == user' "$W/in.pipe" | pinject -q --unwind >"$T/after"
	pinject -q --unwind "$W/in.pipe" | pfilter -q --filter 'cpumode == user' | cmp - "$T/after" || failed "pfilter --filter"
	# a cut of the recording: what is whole before the cut is written, by the maps that are there
	head -c 100001 "$W/in.pipe" >"$T/cut"
	pcat -q --repair "$T/cut" >"$T/whole" 2>"$T/err" || true
	try pinject -q --unwind "$T/cut"
	[ $rc = 1 ] && pinject -q --unwind "$T/whole" | cmp - "$T/out" || failed "cut"
	done_all
}

@test "unwind: two libraries at one address by turns, in the process, a child of fork and one that shares its memory" {
	recorded
	need readelf
	x86_64 || skip "the second unwinder is of x86-64"
	for n in 1 2; do
		echo "static volatile int s; __attribute__((noinline)) static int deep(int n) { volatile char p[40 * $n]; p[0] = 1; if (n) return deep(n - 1) + p[0];
			for (int i = 0; i < 200000; i++) s += i; return s; } int plug(void) { return deep(5) + 1; }" >"$T/$n.c"
		cc -O1 -fPIC -shared -fomit-frame-pointer -fno-optimize-sibling-calls -o "$T/$n.so" "$T/$n.c"
	done
	cat >"$T/turns.c" <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <sched.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <sys/wait.h>
		#include <unistd.h>
		static int again(void *p) { for (int i = 0; i < 20; i++) ((int (*)(void))p)(); return 0; }
		int main(void) {
			for (int i = 0; i < 40; i++) {
				void *h = dlopen(i & 1 ? "./1.so" : "./2.so", RTLD_NOW), *p = dlsym(h, "plug"); again(p); printf("%p\n", p);
				if (i % 20 == 7) { if (!fork()) { again(p); _exit(0); } wait(0); }
				if (i % 20 == 8) { char *s = malloc(1 << 20); clone(again, s + (1 << 20) - 64, CLONE_VM | SIGCHLD, p); wait(0); }
				dlclose(h); } }
	END
	cc -O1 -fomit-frame-pointer -o "$T/turns" "$T/turns.c" -ldl
	(cd "$T" && dwarf -F 1000 -- sh -c './turns >addresses' >in)
	[ "$(sort -u "$T/addresses" | wc -l)" = 1 ] || skip "they are at several addresses"
	try pinject --unwind "$T/in"
	[ $rc = 0 ] && silent || failed "status"
	python3 walk.py "$T/in" "$T/out" >"$T/kinds" 2>"$T/err" || failed
	cat "$T/kinds" "$T/err"
	[ "$(count samples)" -gt 40 ] && [ "$(count equal)" = "$(count samples)" ] &&
	    [ "$(count "ended by start")" -ge "$(($(count samples) * 9 / 10))" ] || failed
	done_all
}

@test "unwind: a file that was replaced, changed or is gone is not used; files by build-id are" {
	recorded
	local prog=$T/prog
	cp "$W/known" "$prog"
	# --buildid-mmap, which newer versions have by default, would say which build it was
	dwarf --no-buildid-mmap -k mono -F 2000 -- sh -c '"$1" 20 60 1500 >/dev/null' sh "$prog" >"$T/in" 2>"$T/err" || skip "no -k mono"
	pinject -q --unwind "$T/in" >"$T/whole"
	pinject -q --mmap2-buildid-all --archive --buildid-dir "$T/files" "$T/in" >"$T/ids" 2>/dev/null
	unwound chains "$T/whole" >"$T/chains"
	[ "$(awk 'NF > 24' "$T/chains" | wc -l)" -gt 20 ] || failed "whole"
	for how in replaced changed gone; do
		case $how in
		replaced) rm "$prog"; cp "$W/load" "$prog";;
		changed) rm "$prog"; cp "$W/known" "$prog"; pinject -q --unwind "$T/in" >/dev/null 2>&1; cat "$W/load" >"$prog";;
		gone) rm "$prog";;
		esac
		try pinject --unwind "$T/in"
		[ $rc = 0 ] && grep -q "^pinject: warning: '$prog' is not used: \(was replaced\|does not exist\|has been changed\)" "$T/err" || failed "$how"
		# without its tables, a chain ends at the first frame in it
		[ "$(unwound chains "$T/out" | awk 'NF > 24' | wc -l)" = 0 ] || failed "$how: chains"
		grep -q 'warning: only .* reach the start of their thread; the commonest reason' "$T/err" || failed "$how: no warning"
		try pinject --unwind --strict "$T/in"
		[ $rc = 1 ] || failed "$how: --strict"
		try pinject -q --unwind --unwind-files "$T/files" "$T/ids"
		[ $rc = 0 ] && unwound chains "$T/out" | diff -q - "$T/chains" || failed "$how: --unwind-files"
	done
	# of another machine, and of another kind of machine
	pinject -q --set-feature HOSTNAME=elsewhere "$T/ids" >"$T/away"
	try pinject --unwind "$T/away"
	[ $rc = 0 ] && grep -q "files are not used to unwind: the recording was made on another host" "$T/err" || failed "elsewhere"
	try pinject -q --unwind --unwind-files "$T/files" "$T/away"
	unwound chains "$T/out" | diff -q - "$T/chains" || failed "elsewhere: --unwind-files"
	pinject -q --set-feature ARCH=riscv64 "$T/ids" >"$T/away"
	try pinject --unwind --unwind-files "$T/files" "$T/away"
	[ $rc = 1 ] && one_line "pinject: $T/away: --unwind: recorded on riscv64: only stacks of x86_64 and aarch64 can be unwound" || failed "machine"
	done_all
}

@test "unwind: a file of two names that was changed, with its old mtime, is named in a warning" {
	recorded
	cp "$W/known" "$T/prog"
	ln "$T/prog" "$T/second"
	cp "$W/load" "$T/other"
	touch -d 2020-01-01 "$T/prog" "$T/other"
	sleep 0.02
	for clock in "-k mono" ""; do
		dwarf --no-buildid-mmap $clock -F 1000 -- "$T/prog" 20 40 200 >"$T/in" 2>"$T/err" || skip "no -k mono"
		try pinject --unwind "$T/in"
		[ $rc = 0 ] && ! grep "'$T/prog'" "$T/err" || failed "$clock: unchanged"
		pinject -q --buildid-all "$T/in" >"$T/ids"
		# it has its name and inode, and the mtime it had
		cp "$T/prog" "$T/first"
		cp -p "$T/other" "$T/prog"
		try pinject -v --unwind "$T/in"
		[ $rc = 0 ] && grep -q "^pinject: '$T/prog' got another name or other contents after it was mapped" "$T/err" &&
		    grep -q '^pinject: warning: [0-9]* files got another name or other contents' "$T/err" || failed "$clock: changed"
		try pinject --unwind --strict "$T/in"
		[ $rc = 1 ] || failed "$clock: --strict"
		# an id says which it is
		try pinject --unwind "$T/ids"
		[ $rc = 0 ] && grep -q "'$T/prog' is not used" "$T/err" && ! grep "another name.*'$T/prog'" "$T/err" || failed "$clock: by its id"
		cp "$T/first" "$T/prog"
		touch -d 2020-01-01 "$T/prog"
		sleep 0.02
	done
	done_all
}

@test "unwind: live, a file that is deleted before its samples come is used all the same" {
	recorded
	cp "$W/known" "$T/known"
	dwarf -k mono -F 3000 -- sh -c 'cp "$1/known" "$1/prog"; "$1/prog" 20 60 3000 >/dev/null; rm "$1/prog"; sleep 0.2' sh "$T" 2>"$T/rec.err" |
	    pinject --unwind >"$T/out" 2>"$T/err"
	! grep -q prog "$T/err" || failed "it is not used"
	[ "$(unwound chains "$T/out" | awk 'NF > 24' | wc -l)" -gt 100 ] || failed "chains"
	done_all
}

@test "unwind: with -b and --archive=symbols in one run, names of all frames are found elsewhere" {
	recorded
	mkdir "$T/away"
	cp "$W/load" "$W/plug.so" "$T/away"
	(cd "$T/away" && dwarf -F 1000 -- ./load ./plug.so 60) 2>/dev/null | pinject --unwind -b --archive=symbols --buildid-dir "$T/syms" 2>"$T/err" | psort >"$T/small"
	! grep -q 'copies of stacks' "$T/err" || failed "$(cat "$T/err")"
	rm -r "$T/away"
	for p in $PERFS; do
		command $p --buildid-dir "$T/syms" script -F ip,sym -i "$T/small" >"$T/script" 2>/dev/null
		for name in plugged 'deep<0>::go' 'deep<12>::go' work main on_signal; do
			grep -qF " $name" "$T/script" || failed "$p: $name"
		done
	done
	# the callers are in the maps that -B leaves, too
	pinject -q --unwind -B "$W/in.pipe" | pstat --json | jq -e '.types[] | select(.name == "MMAP2") | .records > 3' >/dev/null || failed "-B"
	done_all
}

@test "unwind: jitted code has tables, by which chains go on behind it" {
	recorded
	mkdir "$T/dumps"
	dwarf -k mono -F 3000 -- sh -c '"$1" -c -u -n 6 -m 200 "$2" >/dev/null' sh "$O/jit" "$T/dumps" >"$T/in" 2>"$T/err" ||
	    skip "perf record -k mono does not work here"
	pinject -q --unwind "$T/in" >"$T/without" 2>/dev/null
	try pinject -v --unwind -j --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ] || failed "status"
	pinject -q -j --buildid-dir "$T/syms2" "$T/in" >"$T/jitted"
	unwound same "$T/jitted" "$T/out" >/dev/null || failed "records"
	perf --buildid-dir "$T/syms" script -F ip,sym -i "$T/out" >"$T/script" 2>/dev/null
	# functions that call each other, down from main
	perl -00 -ne '$n++ if /made_(\d).*made_.*main/s; END { print $n + 0 }' "$T/script" >"$T/whole"
	[ "$(cat "$T/whole")" -gt 20 ] || failed "whole chains: $(cat "$T/whole")"
	[ "$(perf script -F ip,sym -i "$T/without" 2>/dev/null | grep -c 'main$')" -lt "$(grep -c 'main$' "$T/script")" ] || failed "without -j"
	done_all
}

@test "unwind: what has no copies of stacks passes unchanged, with a warning; the other byte order is refused" {
	for f in data/demo.data data/g_fp.pipe.data; do
		pcat -q "$f" >"$T/in"
		try pinject --unwind "$T/in"
		[ $rc = 0 ] && cmp "$T/in" "$T/out" && one_line "pinject: warning: nothing to unwind: no event has copies of stacks" || failed "$f"
	done
	for order in "" -b; do
		mkpipe $order - >"$T/in" <<-'END'
			attr type=1 config=0 period=1 sample_type=IP|TID|TIME|REGS_USER|STACK_USER flags=sample_id_all|mmap|comm regs_user=0x180 stack_user=16 ids=11
			COMM pid=5 tid=5 comm=prog tid=5 time=100
			SAMPLE ip=0x1000 pid=5 tid=5 time=200 uregs=2,0x2000,0x1000 stack=1122334455667788 dyn_size=8
			SAMPLE ip=0x1000 pid=5 tid=5 time=300 uregs=1,0x2000,0x1234 stack=1122334455667788 dyn_size=8
			SAMPLE ip=0x1000 pid=5 tid=5 time=400 uregs=0
		END
		try pinject -q --unwind "$T/in"
		[ $rc = $((${#order} / 2)) ] || failed "$order"
		[ "$order" ] || mv "$T/out" "$T/chains"
	done
	! big_endian || skip "the first is of the other byte order"
	one_line "pinject: $T/in: --unwind: recorded on a machine of the other byte order" || failed "message"
	x86_64 || skip "other registers"
	[ "$(unwound chains "$T/chains" | tr '\n' ' ')" = "5 5 200 1000 5 5 300 1234 " ] || failed "$(unwound chains "$T/chains")"
	done_all
}

@test "unwind: without perf: a program's own stacks, of 30 to 44 calls; without rounds the memory is bounded" {
	need native
	"$O/bench/stacks" 3000000 >"$T/in" 2>"$T/err" || skip "stacks of $(uname -m) cannot be unwound"
	try pinject --unwind "$T/in"
	[ $rc = 0 ] && silent || failed "status"
	# its calls, the function that takes the copy, main, and three of the C library and before it
	unwound chains "$T/out" | awk '{ n[NF - 3]++ } END { for (i in n) print i }' | sort -n | xargs >"$T/lengths"
	read -r least _ <"$T/lengths"
	[ "$(cat "$T/lengths")" = "$(seq -s ' ' "$least" $((least + 14)))" ] && ((least >= 32 && least <= 36)) || failed "lengths: $(cat "$T/lengths")"
	"$O/bench/stacks" 80000000 >"$T/in"
	without="pfilter -q --drop-type finished_round --allow vital-types"
	$without "$T/in" | "$O/bench/limit" run "$T/rss" "$(type -P pinject)" -q --unwind >"$T/out"
	pinject -q --unwind "$T/in" | $without | cmp - "$T/out" || failed "without rounds"
	[ "$(cat "$T/rss")" -le $((100 << 10)) ] || sanitized || failed "memory: $(cat "$T/rss") KiB"
	done_all
}
