# SPDX-License-Identifier: ISC
# --symbols of pstat and pcat: names of functions, compared with those of perf; what is hostile; what is confined.
load lib
load pstat
KALLSYMS=		# perf has the names of the kernel that runs here

# sources: programs with functions that call each other, in C, C++ and, if it is installed, Rust
sources() {
	cat >"$1/c.c" <<-'END'
		#include <time.h>
		#include <unistd.h>
		static volatile long sink;
		__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sink += i * i; }
		__attribute__((noinline)) void middle(int n) { leaf(n); for (int i = 0; i < n / 2; i++) sink ^= i; }
		void alias_of_middle(int) __attribute__((alias("middle")));
		__attribute__((noinline)) int recursive(int n) { if (n) return recursive(n - 1) + 1; middle(2000); return 0; }
		int main(void) { clock_t end = clock() + CLOCKS_PER_SEC / 5; struct timespec t;
		while (clock() < end) { sink += recursive(7); alias_of_middle(1000); for (int i = 0; i < 50; i++) clock_gettime(0, &t); sink += getppid(); } return 0; }
	END
	cat >"$1/cc.cc" <<-'END'
		#include <ctime>
		#include <map>
		#include <string>
		namespace hot {
		template <class T> struct Box { T v; __attribute__((noinline)) T spin(T n) { volatile T s = 0; for (T i = 0; i < n; i++) s = s + i * v; return s; } };
		struct Shape { virtual ~Shape() {} virtual long area(int) const = 0; };
		struct Square : Shape { __attribute__((noinline)) long area(int n) const override { volatile long s = 0; for (int i = 0; i < n; i++) s = s + i; return s; } };
		bool operator<(const Square &, const Shape &s) { return s.area(300) > 0; }
		}
		int main() { hot::Box<long> b{3}; hot::Square q; std::map<int, std::string> m; long n = 0; clock_t end = clock() + CLOCKS_PER_SEC / 5;
		while (clock() < end) { n += b.spin(900); n += q < q; m[n % 500] = std::string(100, 'x'); n += [&](int k) { return q.area(k); }(400); } return n == 1; }
	END
	cat >"$1/i386.c" <<-'END'
		static volatile int sink;
		__attribute__((noinline)) static void leaf(int n) { for (int i = 0; i < n; i++) sink += i * i; }
		__attribute__((noinline)) void middle(int n) { leaf(n); for (int i = 0; i < n / 2; i++) sink ^= i; }
		void _start(void) { for (int i = 0; i < 60000; i++) middle(2000); __asm__ volatile ("int $0x80" :: "a"(1), "b"(0)); }
	END
	cat >"$1/r.rs" <<-'END'
		use std::time::{Duration, Instant};
		#[inline(never)] fn work<T: Into<u64>>(x: T) -> u64 { let mut s: u64 = x.into(); for i in 0..2000u64 { s = std::hint::black_box(s.wrapping_mul(31) + i); } s }
		struct P; trait Run { fn run(&self, n: u32) -> u64; }
		impl Run for P { #[inline(never)] fn run(&self, n: u32) -> u64 { work(n).wrapping_add(work(n as u8)) } }
		fn main() { let b = Instant::now(); let mut t = 0u64; while b.elapsed() < Duration::from_millis(200) { t = t.wrapping_add(P.run(t as u32)); } std::process::exit((t == 1) as i32); }
	END
}

# recorded: once for the file, $R/NAME: recordings with ids; $R/dir: what pinject --archive has of their files
recorded() {
	need record
	need cc
	R=$BATS_FILE_TMPDIR/recorded
	[ ! -e "$R/done" ] || return 0
	rm -rf "$R"
	mkdir -p "$R"
	sources "$R"
	(cd "$R" && cc -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o c c.c && cc -O1 -no-pie -fno-omit-frame-pointer -Wl,--build-id=sha1 -o fixed c.c &&
	    cc -O1 -s -fno-omit-frame-pointer -Wl,--build-id=sha1 -o stripped c.c && cc -O1 -static -fno-omit-frame-pointer -Wl,--build-id=sha1 -o static c.c)
	(cd "$R" && cc -O1 -static-pie -fno-omit-frame-pointer -Wl,--build-id=sha1 -o static-pie c.c && cc -O1 -pie -Wl,-Ttext-segment=0x10000000 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o prelinked c.c)
	[ "$(uname -m)" != x86_64 ] || (cd "$R" && cc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -fno-omit-frame-pointer -Wl,--build-id=sha1 -o i386 i386.c) || true
	! type c++ >/dev/null 2>&1 || (cd "$R" && c++ -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 -o cc cc.cc)
	! rustc --version >/dev/null 2>&1 || (cd "$R" && rustc -O -C force-frame-pointers=yes -C link-arg=-Wl,--build-id=sha1 -o rust r.rs 2>/dev/null) || true
	for p in c fixed stripped static cc rust static-pie prelinked i386; do
		[ -x "$R/$p" ] || continue
		perf record -k mono -q -e cpu-clock -F 2000 -g --no-buildid --no-buildid-cache -o "$R/$p.raw" -- "$R/$p" >/dev/null 2>"$R/err" ||
		    skip "perf record -k mono does not work here"
		pinject -q -B --archive --buildid-dir "$R/dir" -i "$R/$p.raw" -o "$R/$p.data" 2>"$R/err" || failed "pinject: $(cat "$R/err")"
	done
	touch "$R/done"
}
# The first six of them; those of further programs: these are like one of the six but for where the file lies in memory.
recordings() {
	for p in ${*:-c fixed stripped static cc rust}; do
		[ ! -e "$R/$p.data" ] || echo "$R/$p.data"
	done
}

# csv FILE OPTION...: rows of a sort, "NAMES SAMPLES"
csv() {
	command pstat -q --csv --table sort --top 0 --symbols "${DIR-$R/dir}" "${@:2}" "$1" | jq -Rr 'select(length > 0)'
}

# made NAME [OPTION...]: a stream of four samples in a map of $T/made.so at $MAPPED (0x10000000), and $T/dir that has that; options of cc
made() {
	need cc
	cat >"$T/made.s" <<-END
		.text
		.globl one
		.type one, @function
		one: .zero 64
		.size one, 64
		.globl ${1}
		.type ${1}, @function
		${1}: .zero 64
		.size ${1}, 64
	END
	cc "${@:2}" -shared -nostdlib -Wl,--build-id=sha1 -o "$T/made.so" -x assembler "$T/made.s" 2>/dev/null || skip "no assembler for these names"
	ID=$(readelf -n "$T/made.so" | sed -n 's/.*Build ID: //p')
	mkdir -p "$T/dir/.build-id/${ID:0:2}/${ID:2}"
	cp "$T/made.so" "$T/dir/.build-id/${ID:0:2}/${ID:2}/elf"
	ELF=$T/dir/.build-id/${ID:0:2}/${ID:2}/elf
	at=$((0x$(readelf -sW "$T/made.so" | awk '$8 == "one" { print $2; exit }')))
	{
		head -n 2 data/base.txt
		echo "COMM pid=100 tid=100 comm=alpha"
		echo "MMAP2 misc=0x4002 pid=100 tid=100 start=${MAPPED=0x10000000} len=0x100000 build_id=$ID prot=5 flags=2 filename=/nowhere/made.so"
		for i in 1 2 3; do
			echo "SAMPLE misc=2 ip=$((MAPPED + at + 8)) pid=100 tid=100 time=$((10 + i))"
		done
		echo "SAMPLE misc=2 ip=$((MAPPED + at + 64 + 8)) pid=100 tid=100 time=20"
	} >"$T/made.txt"
	mkpipe "$T/made.txt" >"$T/made.data"
}

@test "symbols: stacks have the names that perf gives them" {
	recorded
	need python3
	for f in $(recordings) $(recordings static-pie prelinked i386); do
		command pstat -q --symbols "$R/dir" --folded "$f" >"$T/folded" || failed "$f"
		for p in $PERFS; do
			command $p --buildid-dir "$R/dir" script -F tid,ip,sym,symoff --no-inline -f -i "$f" >"$T/script" 2>/dev/null </dev/null
			try python3 symbols.py "$T/folded" "$T/script" 0.99
			[ $rc = 0 ] || failed "$f $p: $(head -c 3000 "$T/out")"
		done
	done
	done_all
}

@test "symbols: the functions of the programs are there, of the kernel, and none where a program has no symbols" {
	recorded
	for w in leaf middle; do
		[ ! -e "$R/i386.data" ] || csv "$R/i386.data" -s symbol | grep -q "^$w," || failed "i386: $w"
	done
	for p in c fixed static static-pie prelinked; do
		for w in leaf alias_of_middle; do
			csv "$R/$p.data" -s symbol | grep -q "^$w," || failed "$p: $w"
		done
		for w in main recursive; do
			csv "$R/$p.data" -s symbol --children | grep -q "^$w," || failed "$p: $w"
		done
	done
	csv "$R/stripped.data" -s symbol | grep -q '^\[stripped\],' || failed "stripped"
	! csv "$R/stripped.data" -s symbol | grep '^leaf,' || failed "stripped: leaf"
	[ ! -e "$R/cc.data" ] || csv "$R/cc.data" -s symbol | grep -q '^hot::Box<long>::spin,\|^_ZN3hot' || failed "cc"
	[ ! -e "$R/rust.data" ] || csv "$R/rust.data" -s symbol | grep -q 'work,' || failed "rust"
	done_all
}

@test "symbols: sums: rows, folded stacks and profiles count the same samples" {
	recorded
	need jq
	need python3
	for f in $(recordings); do
		n=$(pstat --json "$f" | jq .samples)
		command pstat -q --symbols "$R/dir" --folded "$f" >"$T/folded"
		[ "$(awk '{ n += $NF } END { print n }' "$T/folded")" = "$n" ] || failed "$f: folded"
		pstat -q --json --symbols "$R/dir" -s symbol "$f" >"$T/json"
		[ "$(jq '[.sort[].samples] | add' "$T/json")" = "$n" ] || failed "$f: sort"
		# by the last frame; by comm
		sed 's/ \([0-9]*\)$/\t\1/; s/.*;//' "$T/folded" | awk -F'\t' '{ n[$1] += $2 } END { for (k in n) print k "\t" n[k] }' | sort >"$T/leaf"
		jq -r '.sort[] | select(.samples > 0) | "\(.symbol | gsub(";"; ":"))\t\(.samples)"' "$T/json" | sort | diff "$T/leaf" - || failed "$f: leaves"
		sed 's/;.* / /' "$T/folded" | awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort >"$T/comm"
		pstat -q --json -s comm "$f" | jq -r '.sort[] | "\(.comm) \(.samples)"' | sort | diff "$T/comm" - || failed "$f: comm"
		# in how many stacks a function is
		pstat -q --json --symbols "$R/dir" -s symbol --children "$f" | jq -r '.sort[] | "\(.symbol)\t\(.samples)"' | sort >"$T/children"
		sed 's/ \([0-9]*\)$/\t\1/' "$T/folded" | awk -F'\t' '{ k = split($1, f, ";"); split("", seen)
			for (i = 2; i <= k; i++) if (!(f[i] in seen)) { seen[f[i]] = 1; n[f[i]] += $2 } } END { for (x in n) print x "\t" n[x] }' | sort >"$T/anywhere"
		sed 's/;/:/g' "$T/children" | sort | diff "$T/anywhere" - || failed "$f: children"
	done
	done_all
}

@test "symbols: pinject --archive=symbols has all names of whole files" {
	recorded
	for f in $(recordings); do
		pinject -q -B --archive=symbols --buildid-dir "$T/small" -i "${f%.data}.raw" -o "$T/in" -f
		command pstat -q --symbols "$T/small" --folded "$T/in" >"$T/small.folded"
		command pstat -q --symbols "$R/dir" --folded "$f" | diff - "$T/small.folded" >"$T/diff" || failed "$f: $(head -n 4 "$T/diff")"
	done
	done_all
}

@test "symbols: lines of parts add up to those of the whole" {
	recorded
	command pstat -q --symbols "$R/dir" --folded "$R/c.data" >"$T/whole"
	for k in 1 2 3; do
		pcat --piece=$k/3 -o "$T/part.$k" "$R/c.data"
	done
	for p in "$T"/part.*; do
		command pstat -q --symbols "$R/dir" --folded "$p"
	done | sed 's/ \([0-9]*\)$/\t\1/' | awk -F'\t' '{ n[$1] += $2 } END { for (k in n) print k " " n[k] }' | sort >"$T/parts"
	sort "$T/whole" | diff - "$T/parts"
}

@test "symbols: a profile of pprof has the frames of the folded stacks" {
	recorded
	need python3
	for f in $(recordings); do
		command pstat -q --symbols "$R/dir" --folded "$f" >"$T/folded"
		pcat -q --format=pprof --symbols "$R/dir" -o "$T/profile" -f "$f" || failed "$f"
		python3 pprof.py folded "$T/profile" >"$T/read" || failed "$f: pprof.py"
		# a frame without a name has none in the profile
		sed -E 's/ ([0-9]+)$/\t\1/; s/^[^;]*;//' "$T/folded" | awk -F'\t' '{ k = split($1, f, ";"); s = ""; for (i = 1; i <= k; i++) { x = f[i]
			if (x ~ /^\[.*\]$/) x = "?"; if (x != "?" || last != "?" || i == 1) s = s (i > 1 ? ";" : "") x; last = x } n[s] += $2 }
			END { for (k in n) print k " " n[k] }' | sort >"$T/want"
		sort "$T/read" | diff "$T/want" - >"$T/diff" || failed "$f: $(head -n 6 "$T/diff")"
	done
	done_all
}

@test "symbols: an empty directory names nothing, and changes no count" {
	recorded
	mkdir "$T/empty"
	command pstat --symbols "$T/empty" --folded "$R/c.data" >"$T/folded" 2>"$T/err"
	[ "$(awk '{ n += $NF } END { print n }' "$T/folded")" = "$(command pstat -q --symbols "$R/dir" --folded "$R/c.data" | awk '{ n += $NF } END { print n }')" ]
	sed 's/ [0-9]*$//; s/^[^;]*;//' "$T/folded" | tr ';' '\n' | sort -u >"$T/names"
	! grep -v '^\[.*\]$' "$T/names" || false
	grep -q 'names for 0.0 % of user samples' "$T/err"
	grep -q 'pinject --archive' "$T/err"
}

@test "symbols: without any name the rows are offsets in the files; a name that comes late makes them files" {
	made two
	mkdir "$T/empty"
	at=$((0x$(readelf -sW "$ELF" | awk '$8 == "one" { print $2; exit }') + 8))	# of a file whose segments lie as they are loaded
	printf 'made.so+%#x 3\nmade.so+%#x 1\n' $at $((at + 64)) >"$T/want"
	DIR=$T/empty csv "$T/made.data" -s symbol | sed '1d; s/,[^,]*,/ /; s/,.*//' | diff "$T/want" -
	# an address in the kernel, and one in no map
	{
		cat "$T/made.txt"
		echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x1000 pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text"
		echo "SAMPLE misc=1 ip=0xffffffff81000123 pid=100 tid=100 time=30"
		echo "SAMPLE misc=2 ip=0x99 pid=100 tid=100 time=31"
	} >"$T/more.txt"
	mkpipe "$T/more.txt" >"$T/more.data"
	DIR=$T/empty csv "$T/more.data" -s symbol | cut -d, -f1 | grep -v made | sort | tr '\n' ' ' >"$T/got"
	[ "$(cat "$T/got")" = "[kernel.kallsyms]+0x123 [no map] symbol " ] || failed "$(cat "$T/got")"
	# the last sample has a name
	{ sed "s/build_id=$ID/build_id=${ID//[0-9]/0}/" "$T/more.txt"
		echo "MMAP2 misc=0x4002 pid=200 tid=200 start=0x10000000 len=0x100000 build_id=$ID prot=5 flags=2 filename=/nowhere/made.so"
		echo "SAMPLE misc=2 ip=$((0x10000000 + at)) pid=200 tid=200 time=40"; } | mkpipe - >"$T/late.data"
	DIR=$T/dir csv "$T/late.data" -s symbol | cut -d, -f1,3 | sort | tr '\n' ' ' >"$T/got"
	[ "$(cat "$T/got")" = "[kernel.kallsyms],1 [made.so],4 [no map],1 one,1 symbol,records " ] || failed "$(cat "$T/got")"
	# in reports that are merged, or where call chains are counted, they are files
	DIR=$T/empty csv "$T/made.data" -s symbol --children | grep -q '^\[made.so\],' || failed children
	pstat -q --json --symbols "$T/empty" -s symbol "$T/made.data" | jq -r '.sort[].symbol' | grep -qx '\[made.so\]' || failed json
	# too many places
	{ head -n 2 data/base.txt; echo "MMAP2 misc=2 pid=100 tid=100 start=0x10000000 len=0x100000 prot=5 flags=2 filename=/nowhere/made.so"
		seq 33000 | awk '{ print "SAMPLE misc=2 ip=" 268435456 + $1 " pid=100 tid=100 time=" $1 }'; } | mkpipe - >"$T/many.data"
	DIR=$T/empty csv "$T/many.data" -s symbol | cut -d, -f1 | tr '\n' ' ' >"$T/got"
	[ "$(cat "$T/got")" = "symbol [made.so] " ] || failed "many: $(head -c 200 "$T/got")"
	done_all
}

@test "symbols: more addresses than are remembered at first keep their files" {
	{
		head -n 2 data/base.txt
		echo "MMAP2 misc=2 pid=100 tid=100 start=10000 len=5000 prot=5 flags=2 filename=/nowhere/one.so"
		echo "MMAP2 misc=2 pid=100 tid=100 start=15000 len=3000 prot=5 flags=2 filename=/nowhere/two.so"
		for i in 1 2; do
			seq 10000 18999 | awk '{ print "SAMPLE misc=2 ip=" $1 " pid=100 tid=100 time=" NR }'
		done
	} | mkpipe - >"$T/many.data"
	mkdir "$T/dir"
	command pstat -q --symbols "$T/dir" --folded "$T/many.data" | cut -d ';' -f 2 >"$T/got"
	printf '%s\n' '[no map] 2000' '[one.so] 10000' '[two.so] 6000' | diff - "$T/got"
}

@test "symbols: --privacy has the functions that a recording leads to, until its build-ids are others" {
	need jq
	made two
	symbols() {
		command pstat -q -v --json --privacy --symbols "$T/dir" "$1" 2>/dev/null | jq -c '.privacy[] | select(.row == "symbols") | [.distinct, .bytes, .names]'
	}
	[ "$(symbols "$T/made.data")" = '[2,6,["one","two"]]' ] || failed "$(symbols "$T/made.data")"
	# with a name that is in the recording, too
	{ cat "$T/made.txt"; echo "KSYMBOL addr=0xffffffffc0001000 len=64 ksym_type=1 name=two"; } | mkpipe - >"$T/ksymbol.data"
	[ "$(symbols "$T/ksymbol.data" | cut -c 1-2)" = '[2' ] || failed "$(symbols "$T/ksymbol.data")"
	pfilter -q --anon path,build-id "$T/made.data" >"$T/anon.data"
	[ "$(symbols "$T/anon.data" | cut -c 1-2)" = '[0' ] || failed "anon: $(symbols "$T/anon.data")"
	command pstat -q --json --privacy "$T/made.data" | jq -e '.privacy[] | select(.row == "symbols") | .count == 0' >/dev/null || failed "without --symbols"
	done_all
}

@test "symbols: the names of another build-id are not taken" {
	made two
	DIR=$T/dir
	csv "$T/made.data" -s symbol >"$T/rows"
	grep -q '^one,' "$T/rows"
	grep -q '^two,' "$T/rows"
	# the same file under another id
	other=${ID//[0-9]/0}
	mkdir -p "$T/dir/.build-id/${other:0:2}/${other:2}"
	cp "$ELF" "$T/dir/.build-id/${other:0:2}/${other:2}/elf"
	sed "s/build_id=$ID/build_id=$other/" "$T/made.txt" >"$T/other.txt"
	mkpipe "$T/other.txt" >"$T/other.data"
	try command pstat --csv --table sort --symbols "$T/dir" -s symbol "$T/other.data"
	[ $rc = 0 ]
	! grep -q '^one,\|^two,' "$T/out" || false
	grep -q 'its build-id is another one' "$T/err"
}

# of_machine ARCH: the names in the recording that made() has made, on that machine
of_machine() {
	{ head -n 2 "$T/made.txt"; echo "HEADER_FEATURE feat_id=6 fs=$1"; tail -n +3 "$T/made.txt"; } | mkpipe - >"$T/machine.data"
	command pstat --csv --table sort --symbols "$T/dir" -s symbol "$T/machine.data" 2>"$T/err" | sed '1d; s/,.*//; s/+.*//' | sort -u | tr '\n' ' '
}
@test "symbols: a file of another machine or class than the process is not used" {
	made two
	machine=$(uname -m)
	[ "$(of_machine "$machine")" = "one two " ] || failed own
	[ "$(of_machine none-such)" = "one two " ] || failed none-such
	[ $machine != x86_64 ] || [ "$(of_machine i686)" = "one two " ] || failed "as setarch(8) names it"
	other=s390x
	[ "$machine" != s390x ] || other=x86_64
	[ "$(of_machine $other)" = "made.so " ] && grep -q 'its file is of another machine' "$T/err" || failed "$other"
	command pcat --format=pprof --symbols "$T/dir" -o "$T/profile" "$T/machine.data" 2>"$T/err"
	grep -q 'its file is of another machine' "$T/err" || failed pprof
	[ $machine = x86_64 ] || { done_all; skip "no other class is known here"; }
	made two -m32
	[ "$(of_machine x86_64)" = "one two " ] || failed "32 bits"
	[ "$(of_machine i686)" = "one two " ] || failed "32 bits, i686"
	MAPPED=$((1 << 40)) made two -m32
	[ "$(of_machine x86_64)" = "made.so " ] || failed "32 bits above 4 GiB"
	done_all
}

# kernel ADDRESS NAME...: rows of three samples in a kernel that begins there: of its own code, of a module, in no map
kernel() {
	local id=0102030405060708090a0b0c0d0e0f1011121314 at=$1 m
	mkdir -p "$T/dir/[kernel.kallsyms]/$id"
	printf 'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 t one\nffffffff81000200 T two\nffffffff81000300 T _etext\nffffffffa0000000 t in_module\t[mod_one]\n' \
	    >"$T/dir/[kernel.kallsyms]/$id/kallsyms"
	{
		head -n 2 data/base.txt
		echo "HEADER_BUILD_ID misc=0x8001 pid=-1 build_id=$id id_size=20 filename=[kernel.kallsyms]"
		echo "MMAP misc=1 pid=-1 tid=0 start=$at len=0x1000 pgoff=${PGOFF-$at} filename=[kernel.kallsyms]${SUFFIX-_text}"
		echo "MMAP misc=1 pid=-1 tid=0 start=0xffffffffa0000000 len=0x1000 pgoff=0 filename=/lib/modules/mod-one.ko.xz"
		for ip in $((at + 0x110)) $((at + 0x210)) 0xffffffffa0000010; do
			echo "SAMPLE misc=1 ip=$ip pid=100 tid=100 time=10"
		done
	} >"$T/kernel.txt"
	mkpipe "$T/kernel.txt" >"$T/kernel.data"
	command pstat -q --csv --table sort --symbols "$T/dir" -s symbol "$T/kernel.data" | sed '1d; s/,.*//' | sort | tr '\n' ' '
}
@test "symbols: the kernel's, also after another boot, but only where it is known to be" {
	[ "$(kernel 0xffffffff81000000)" = "in_module one two " ]
	[ "$(SUFFIX=_stext kernel 0xffffffff81000000)" = "in_module one two " ]
	[ "$(kernel 0xffffffff9a200000)" = "[mod-one.ko.xz] one two " ]
	[ "$(SUFFIX= kernel 0xffffffff9a200000)" = "[mod-one.ko.xz] one two " ]
	# none: offsets
	[ "$(PGOFF=0 kernel 0xffffffff81000000)" = "[kernel.kallsyms]+0x110 [kernel.kallsyms]+0x210 mod-one.ko.xz+0x10 " ]
	[ "$(SUFFIX=_other kernel 0xffffffff81000000)" = "[kernel.kallsyms]+0x110 [kernel.kallsyms]+0x210 mod-one.ko.xz+0x10 " ]
}

# kernel_samples ID <ADDRESSES: a recording of the kernel that runs, with a sample at each of them, by a thread of its own
kernel_samples() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU flags=sample_id_all|comm|mmap2 ids=1"
		echo "HEADER_BUILD_ID misc=0x8001 pid=-1 build_id=$1 id_size=20 filename=[kernel.kallsyms]"
		awk '$3 == "_text" { t = $1 } $3 == "_etext" { printf "MMAP misc=1 pid=-1 tid=0 start=0x%s len=%d pgoff=0x%s filename=[kernel.kallsyms]_text\n", t, 1073741824, t }' /proc/kallsyms
		awk '{ print "SAMPLE misc=1 ip=0x" $1 " pid=1 tid=" NR " cpu=0 time=" NR }'
	} | mkpipe -
}
# as_perf DIR FILE: the names that pstat --symbols=DIR gives to these samples are those of each perf
as_perf() {
	local p
	command pstat -q --csv --table sort --top 0 --symbols "$1" -s tid,symbol "$2" | sed 1d | sort -n | cut -d, -f2 >"$T/got"
	for p in $PERFS; do
		command $p script -F ip,sym -f -i "$2" 2>/dev/null </dev/null | awk '{ print $2 }' | diff - "$T/got" >"$T/diff" || failed "$p: $(head -n 6 "$T/diff")"
	done
}
@test "symbols: of several names that the kernel has for one address, perf's is taken" {
	need record
	local id
	id=$(perf buildid-list -k)
	mkdir -p "$T/dir/[kernel.kallsyms]/$id"
	cat /proc/kallsyms >"$T/dir/[kernel.kallsyms]/$id/kallsyms"
	awk '$2 ~ /^[tTwW]$/ && $4 == "" && $1 ~ /[1-9a-f]/ { n[$1]++ } END { for (a in n) if (n[a] > 1) print a }' /proc/kallsyms | sort | head -n 200 >"$T/at"
	[ -s "$T/at" ] || skip "the kernel shows no addresses"
	kernel_samples "$id" <"$T/at" >"$T/in"
	as_perf "$T/dir" "$T/in"
	done_all
}

@test "symbols: local: the kernel that runs has the names of /proc/kallsyms, whatever the cache has of it" {
	need record
	local id text
	id=$(perf buildid-list -k)
	awk '$2 ~ /^[tT]$/ && $4 == "" && $1 ~ /[1-9a-f]/ && NR % 500 == 0 { print $1 }' /proc/kallsyms | head -n 100 >"$T/at"
	[ -s "$T/at" ] || skip "the kernel shows no addresses"
	text=$(awk '$3 == "_text" { print $1; exit }' /proc/kallsyms)
	mkdir -p "$T/home/.debug/[kernel.kallsyms]/$id"
	printf '%s T _text\n%s T cached\n' "$text" "$(printf '%x' "$((0x$text + 4096))")" >"$T/home/.debug/[kernel.kallsyms]/$id/kallsyms"
	printf '[buildid]\n\tdir = %s\n' "$T/home/.debug" >"$PERF_CONFIG"
	kernel_samples "$id" <"$T/at" >"$T/in"
	HOME=$T/home as_perf local "$T/in"
	! grep -x cached "$T/got" || failed "the cache"
	# the cache, for a user to whom the kernel shows no addresses
	other() { command setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$T/home" "$@"; }
	if other test -r "$T/in" 2>/dev/null && ! other grep -q '^0*[1-9a-f]' /proc/kallsyms; then
		other pstat -q --csv --table sort --symbols local -s symbol "$T/in" | grep -q '^cached,' || failed "another user"
	fi
	done_all
}

@test "symbols: names as hostile as they can be do no harm" {
	need cc
	made 'two'
	# the same length in the file: control bytes, what is not UTF-8, what separates
	for name in '\x1b[m' ';;\n' '\xff\xfe;' '\xe2\x80\xae' 'a\tb'; do
		made 'twooo'
		python3 - "$ELF" "$name" <<-'END'
			import sys
			b = bytearray(open(sys.argv[1], "rb").read())
			n = sys.argv[2].encode().decode("unicode_escape").encode("latin-1").ljust(5, b"x")[:5]
			open(sys.argv[1], "wb").write(bytes(b).replace(b"twooo", n))
		END
		try command pstat --symbols "$T/dir" --folded "$T/made.data"
		[ $rc = 0 ] && [ "$(wc -l <"$T/out")" = 2 ] || failed "$name"
		! LC_ALL=C grep -q $'[\x01-\x09\x0b-\x1f\x7f]' "$T/out" || failed "$name: control bytes"
		iconv -f UTF-8 -t UTF-8 "$T/out" >/dev/null || failed "$name: UTF-8"
		[ "$(awk -F';' '{ print NF }' "$T/out" | sort -u)" = 2 ] || failed "$name: frames"
		pstat --json --symbols "$T/dir" -s symbol "$T/made.data" >"$T/out" || failed "$name: json"
		pcat -q --format=pprof --symbols "$T/dir" -f -o "$T/profile" "$T/made.data" && python3 pprof.py folded "$T/profile" >/dev/null || failed "$name: pprof"
	done
	done_all
}

# damaged FILE STEP: each STEP-th byte of a symbol file cut off or changed, each in a file of its own id in $T/damaged: a recording with a
# sample in each function of each; how many samples there are
damaged() {
	python3 - "$1" "$2" "$ID" "$at" "$T/damaged" <<-'END'
		import os, sys
		sound, step, id, at, to = open(sys.argv[1], "rb").read(), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5]
		note = sound.index(bytes.fromhex(id))
		n = 0
		with open(to + ".txt", "w") as recipe:
		    recipe.write("".join(open("data/base.txt").readlines()[:2]))
		    for i in range(0, len(sound), step):
		        for change in None, 0xff, 0x01, 0x80:
		            if change and note <= i < note + 20:
		                continue
		            own = n.to_bytes(4, "big") + bytes.fromhex(id)[4:]
		            b = bytearray(sound.replace(bytes.fromhex(id), own))
		            if change is None:
		                del b[i:]
		            else:
		                b[i] ^= change
		            os.makedirs(f"{to}/.build-id/{own.hex()[:2]}/{own.hex()[2:]}")
		            open(f"{to}/.build-id/{own.hex()[:2]}/{own.hex()[2:]}/elf", "wb").write(b)
		            start = (n + 1) << 24
		            recipe.write(f"MMAP2 misc=0x4002 pid=100 tid=100 start={start} len=0x100000 build_id={own.hex()} prot=5 flags=2 filename=/nowhere/made.so\n")
		            recipe.write(f"SAMPLE misc=2 ip={start + at + 8} pid=100 tid=100 time=10\nSAMPLE misc=2 ip={start + at + 72} pid=100 tid=100 time=10\n")
		            n += 1
		print(2 * n)
	END
}

# All at once, as each would take a process otherwise.
@test "symbols: a file that is cut or changed gives its names or none" {
	need python3
	made two
	sed "s|/nowhere|$T|" "$T/made.txt" | mkpipe - >"$T/here.data"
	pinject -q -B --archive=symbols --buildid-dir "$T/small" -f -o /dev/null -i "$T/here.data"
	for f in "$T"/small/files/"$ID"/elf "$ELF"; do
		rm -rf "$T/damaged"
		n=$(damaged "$f" $(($(stat -c %s "$f") / (${ALL:+5 *} 190) + 1)))	# a fifth of the bytes of the small one
		mkpipe "$T/damaged.txt" >"$T/damaged.data"
		python3 - "$(type -P pstat)" "$T" >"$T/got" 2>"$T/err" <<-'END'
			import csv, io, resource, subprocess, sys
			p = subprocess.run([sys.argv[1], "--csv", "--table", "sort", "--top", "0", "--symbols", sys.argv[2] + "/damaged", "-s", "symbol", sys.argv[2] + "/damaged.data"], capture_output=True)
			rows = list(csv.reader(io.StringIO(p.stdout.decode("utf-8", "surrogateescape"))))[1:]
			warnings = p.stderr.decode("utf-8", "surrogateescape").split("\n")
			print(p.returncode, sum(int(r[3]) for r in rows), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
			print(sum(int(r[3]) for r in rows if r[0] in ("one", "two", "[made.so]")))
			print(sum("has ended" in w or "does not answer" in w for w in warnings), sum("it has no names: " in w for w in warnings))
		END
		{ read -r rc samples memory && read -r names && read -r ended warned; } <"$T/got" || failed "$f: $(cat "$T/err")"
		[ $rc = 0 ] && [ $samples = $n ] && [ $ended = 0 ] || failed "$f: $(cat "$T/got"), not $n"
		# most have both names; one warning for a file
		[ $names -gt $((n * 9 / 10)) ] && [ $warned -le $((n / 2)) ] && [ $warned -gt 0 ] || failed "$f: names $names, warned $warned of $n"
		sanitized || [ -n "${EMULATED-}" ] || [ $memory -lt 65536 ] || failed "$f: $memory KiB"
	done
	done_all
}

# workers: the process that reads files, of the pstat with that pid; it is a child of one that only waits
worker() {
	pgrep -P "$(pgrep -P "$1")"
}

@test "symbols: when the process that reads files ends, another one goes on" {
	need pgrep
	made two
	mkfifo "$T/fifo"
	"$(type -P pstat)" --symbols "$T/dir" --folded <"$T/fifo" >"$T/out" 2>"$T/err" &
	pid=$!
	exec 7>"$T/fifo"
	head -c 4096 data/basic.pipe.data >/dev/null
	await worker $pid
	kill -9 "$(worker $pid)"
	sleep 0.2
	cat "$T/made.data" >&7
	exec 7>&-
	wait $pid
	grep -q ';one 3' "$T/out"
	grep -q ';two 1' "$T/out"
}

@test "symbols: the process that reads files opens none but those below the directory" {
	need strace
	need native
	! sanitized || skip "a sanitizer needs files"
	made two
	# a link out of it is not followed
	rm "$ELF"
	ln -s "$T/made.so" "$ELF"
	try command pstat --csv --table sort --symbols "$T/dir" -s symbol "$T/made.data"
	[ $rc = 0 ]
	! grep -q '^one,' "$T/out" || false
	# nor one that the kernel could wait for, or act by
	rm "$ELF"
	mkfifo "$ELF"
	try timeout 20 env "$(type -P pstat)" --csv --table sort --symbols "$T/dir" -s symbol "$T/made.data"
	[ $rc = 0 ]
	! grep -q '^one,' "$T/out" || false
	rm "$ELF"
	cp "$T/made.so" "$ELF"
	strace -f -o "$T/trace" -e trace=landlock_restrict_self,seccomp,openat,read,pread64,execve,socket,connect "$(type -P pstat)" --symbols "$T/dir" --folded \
	    "$T/made.data" >"$T/out" 2>/dev/null
	grep -q ';two 1' "$T/out"
	awk '
		/<unfinished \.\.\.>$/ { begun[$1] = $0; next }
		/ resumed>/ { $0 = begun[$1] $0 }
		/SECCOMP_SET_MODE_FILTER.* = 0$/ { locked[$1] = 1 }
		/openat\(.*proc\/self\/fd/ { n++; if (!locked[$1]) { print "not locked: " $0; bad = 1 } }
		locked[$1] && /(socket|connect|execve)\(/ { print; bad = 1 }
		END { if (!n) { print "no file was opened"; bad = 1 } exit bad }' "$T/trace"
	grep -q 'landlock_restrict_self.* = 0' "$T/trace" || [ -z "$(command pstat -v data/basic.pipe.data 2>&1 >/dev/null | grep Landlock)" ]
}

@test "symbols: local: the file itself, if its build-id is the recorded one" {
	recorded
	try command pstat -q --csv --table sort --symbols local -s symbol "$R/c.data"
	[ $rc = 0 ]
	grep -q '^leaf,' "$T/out"
	cp "$R/c" "$T/keep"
	cp "$R/stripped" "$T/other"
	printf 'x' >>"$T/other"
	# another program at that path
	mv "$R/c" "$T/c.away"
	cp "$R/fixed" "$R/c"
	try command pstat --csv --table sort --symbols local -s symbol "$R/c.data"
	mv "$T/c.away" "$R/c"
	[ $rc = 0 ]
	! grep -q '^leaf,' "$T/out" || false
}

@test "symbols: local: of several paths of one build-id, each is looked at until one has it" {
	recorded
	cp "$R/c" "$T/one"
	cp "$R/c" "$T/two"
	cp "$R/c" "$T/three"
	cp "$R/c" "$T/later"
	sleep 0.05
	perf record -q -e cpu-clock -F 2000 -k mono -o - -- sh -c "for f in one two three later; do $T/\$f; done" 2>/dev/null | pinject -q -B >"$T/in"
	rm "$T/one" "$T/later"	# as that of a container that is gone
	cp "$R/stripped" "$T/two"
	command pstat -q --csv --table sort --symbols local -s dso,symbol "$T/in" >"$T/out"
	for f in three later; do grep -q "^$T/$f,leaf," "$T/out" || failed "none of $f: $(grep "$T" "$T/out")"; done
	! grep "^$T/\(one\|two\),leaf," "$T/out" || failed "names of a file that is not there"
	# once one has it, it is that of all
	cp "$R/c" "$T/one"
	rm "$T/three"
	command pstat -q --csv --table sort --symbols local -s dso,symbol "$T/in" >"$T/out"
	for f in one two three later; do grep -q "^$T/$f,leaf," "$T/out" || failed "$f: $(cat "$T/out")"; done
	done_all
}

@test "symbols: a BUILD_ID whose name is several files is said" {
	made two
	local said="1 names are of several files, and have a BUILD_ID of only one: .* The first is '/nowhere/made.so'"
	# two FIELDS: a second map of that name
	two() {
		head -n 2 data/base.txt
		echo "HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=$ID id_size=20 filename=/nowhere/made.so"
		for map in "100 misc=2 maj=1 min=2 ino=3" "101 $1"; do
			echo "MMAP2 pid=${map%% *} tid=${map%% *} start=0x10000000 len=0x100000 ${map#* } prot=5 flags=2 filename=/nowhere/made.so"
			echo "SAMPLE misc=2 ip=$((0x10000000 + at)) pid=${map%% *} tid=${map%% *} time=10"
		done
	}
	for map in "misc=2 maj=1 min=2 ino=4" "misc=2 maj=1 min=9 ino=3" "misc=2 maj=1 min=2 ino=3" "misc=2" "misc=0x4002 build_id=$ID"; do
		two "$map" | mkpipe >"$T/in"
		for tool in "pstat -s symbol" "pcat --format=pprof"; do
			command $tool --symbols "$T/dir" "$T/in" >"$T/out" 2>"$T/err" || failed "$map: $tool: $(cat "$T/err")"
			case $map in
			*ino=4|*min=9*) grep -q "^${tool%% *}: warning: --symbols: $said" "$T/err" || failed "$map: $tool: $(cat "$T/err")";;
			*) ! grep "several files" "$T/err" || failed "$map: $tool";;
			esac
		done
	done
	done_all
}

@test "symbols: a stream from elsewhere has the names of the file that it was" {
	recorded
	command pstat -q --symbols "$R/dir" --folded "$R/c.data" >"$T/want"
	pcat "$R/c.data" | command pstat -q --symbols "$R/dir" --folded - | diff "$T/want" -
	pcat --endian=big "$R/c.data" 2>/dev/null | command pstat -q --symbols "$R/dir" --folded - | diff "$T/want" - || failed big
	# of another machine, whose files are not here: its samples, and no names of ours
	pcat data/s390x_basic.pipe.data | command pstat --symbols "$R/dir" --folded - >"$T/out" 2>"$T/err"
	[ "$(awk '{ n += $NF } END { print n }' "$T/out")" = "$(pstat --json data/s390x_basic.pipe.data | jq .samples)" ] || failed sums
	! sed 's/ [0-9]*$//; s/^[^;]*;//' "$T/out" | tr ';' '\n' | grep -v '^\[.*\]$' || failed names
	grep -q 'names for 0.0 % of kernel samples' "$T/err" || failed "$(cat "$T/err")"
	# BUILD_ID records; in a file they stand behind the samples
	pinject -q -b --archive --allow changed-files --buildid-dir "$T/dir" -f -i "$R/c.raw" -o "$T/b.data"
	pcat --format=file -o "$T/b.file" "$T/b.data"
	command pstat -q --symbols "$T/dir" --folded "$T/b.file" | diff "$T/want" - || failed file
	done_all
}

@test "symbols: reports of parts merge, and names are their keys" {
	recorded
	need jq
	for k in 1 2 3; do
		pcat --piece=$k/3 -o "$T/part.$k" "$R/c.data"
	done
	i=0
	for p in "$T"/part.*; do
		pstat -q --json --symbols "$R/dir" -s symbol,event "$p" >"$T/$((i++)).json"
	done
	pstat --merge --json "$T"/[0-9]*.json | jq '[.sort[] | {symbol, samples}] | sort_by(.symbol)' >"$T/merged"
	pstat -q --json --symbols "$R/dir" -s symbol,event "$R/c.data" | jq '[.sort[] | {symbol, samples}] | sort_by(.symbol)' | diff - "$T/merged"
}

@test "symbols: wrong usage" {
	for o in "-s symbol" --folded "--children -s comm" "--demangle none" "--symbols $T" "--symbols $T --children" "--symbols $T/none --folded" \
	    "--symbols $T --folded --json" "--symbols $T --folded --piece 1/2" "--symbols $T -s symbol --merge" "--symbols $T -s symbol,dso --children" "--symbols $T -s symbol --children --picture rate" "--symbols $T --folded --demangle x"; do
		try command pstat $o data/basic.pipe.data
		[ $rc = 2 ] && one_line "pstat: " && [ ! -s "$T/out" ] || failed "pstat $o"
	done
	for o in "--symbols $T" "--demangle none --format=pprof"; do
		try pcat $o -o "$T/x" data/basic.pipe.data
		[ $rc = 2 ] && one_line "pcat: " || failed "pcat $o"
	done
	done_all
}

@test "symbols: a call chain with a marker that perf does not know is dropped, as in perf" {
	local user=0xfffffffffffffe00 i=0 chain p
	{
		echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm|mmap2 ids=1"
		echo "COMM pid=100 tid=100 comm=alpha"
		# the frames behind the first; the last two are no markers, and known ones
		for chain in 0xffffffffffffffff,0x1234 0x1234,0xfffffffffffff780 0xfffffffffffff600,0x1234 0xfffffffffffff001 0xffffffffffffff00,$user,0x1234 \
		    0xfffffffffffff000 0xffffffffffffff80,0xffffffff81000000,0xffffffffffffffe0,0x1234; do
			i=$((i + 1))
			echo "MMAP2 misc=2 pid=100 tid=100 start=$((i * 4096)) len=0x1000 prot=5 flags=2 filename=/file-$i"
			echo "SAMPLE misc=2 ip=$((i * 4096)) pid=100 tid=$i cpu=0 time=${i}00 chain=$user,$((i * 4096)),$chain"
		done
	} | mkpipe - >"$T/in"
	mkdir "$T/dir"
	command pstat --folded --symbols "$T/dir" "$T/in" 2>"$T/err" | sed -n 's/^[^;]*;\[file-\([0-9]*\)\] 1$/\1/p' | sort -n >"$T/alone"
	grep -q '5 samples have a damaged call chain' "$T/err" || failed "$(cat "$T/err")"
	for p in $PERFS; do
		[ "$(type -P $p)" ] || continue
		command $p script -F tid,ip -f -i "$T/in" 2>/dev/null </dev/null | awk 'BEGIN { RS = "" } NF == 1 { print $1 }' | diff - "$T/alone" >"$T/diff" || failed "$p: $(cat "$T/diff")"
	done
	[ "$(wc -l <"$T/alone")" = 5 ]
	command pstat --children -s symbol --symbols "$T/dir" "$T/in" >/dev/null 2>"$T/err"
	grep -q '5 samples have a damaged call chain' "$T/err" || failed children
	command pstat --picture flame "$T/in" | grep -q '>5 samples have a damaged call chain' || failed flame
	command pcat --format=pprof -f -o "$T/profile" "$T/in" 2>"$T/err"
	grep -q '5 samples have a damaged call chain' "$T/err" || failed pprof
	done_all
}

@test "symbols: recordings without call chains fold, and say so" {
	mkdir "$T/d"
	try command pstat --symbols "$T/d" --folded data/basic.pipe.data
	[ $rc = 0 ]
	grep -q 'perf record -g' "$T/err"
}

@test "symbols: built without a demangler it has the names of files; only --demangle=short and full are refused" {
	[ -n "${ALL-}" ] || skip "builds pstat once more: in make check-all"
	[ -z "${INSTALLED-}" ] || skip "what is installed is not built here"
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C .. O="$T/without" DEMANGLE=no CFLAGS=-O0 "$T/without/pstat"
	for how in "" --demangle=none; do
		"$T/without/pstat" -q --symbols local $how --sort symbol data/basic.pipe.data >"$T/got" 2>"$T/err" || failed "$how: $(cat "$T/err")"
		grep -q SYMBOL "$T/got" || failed "$how: $(cat "$T/got")"
	done
	for how in short full; do
		try "$T/without/pstat" --symbols local --demangle=$how --sort symbol data/basic.pipe.data
		[ $rc = 2 ] && one_line "pstat: --demangle: this program was built without a demangler; c++filt has one" || failed $how
	done
	done_all
}
