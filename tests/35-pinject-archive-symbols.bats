# SPDX-License-Identifier: ISC
# pinject --archive=symbols and =hits: files with the functions of those that were sampled, which perf reads as the whole.
load lib
KALLSYMS=		# perf has the names of the kernel that runs here

# A C program in several forms, one in C++ and one in Rust, each of which runs for a moment, in $T; "made" has their names.
programs() {
	need cc
	[ -d "$BATS_FILE_TMPDIR/made" ] || (mkdir "$BATS_FILE_TMPDIR/made" && make_programs)
	made=($(ls "$BATS_FILE_TMPDIR/made"))
	cp "$BATS_FILE_TMPDIR/made"/* "$T"
}
make_programs() {
	cat >"$T/spin.c" <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#include <time.h>
		__attribute__((noinline)) static double beta(double x) { for (int i = 0; i < 500; i++) x = x * 1.0001 + rand() % 3; return x; }
		__attribute__((noinline)) double alpha(double x) { return beta(x) + beta(-x); }
		double other_name(double) __attribute__((alias("alpha")));
		__asm__(".text\n.globl a_label\na_label: nop\nret\n");
		int main(int c, char **v) { volatile double x = 1; clock_t end = clock() + CLOCKS_PER_SEC / (c > 1 ? 200 : 16);
		(void)v; while (clock() < end) x = alpha(x); return x == 0; }
	END
	cat >"$T/spin.cc" <<-'END'
		#include <ctime>
		#include <map>
		#include <string>
		namespace outer { template <class T> struct counter { std::map<T, int> m;
		__attribute__((noinline)) int add(const T &t) { return ++m[t]; } }; }
		int main() { outer::counter<std::string> c; std::clock_t end = std::clock() + CLOCKS_PER_SEC / 16;
		int n = 0; while (std::clock() < end) for (int i = 0; i < 500; i++) n += c.add(std::to_string(i)); return n == 0; }
	END
	cat >"$T/spin.rs" <<-'END'
		#[inline(never)] fn work(v: &mut Vec<u64>) -> u64 { v.iter_mut().for_each(|x| *x = x.wrapping_mul(31) + 7); v.sort(); v[0] }
		fn main() { let t = std::time::Instant::now(); let mut v: Vec<u64> = (0..2000).collect(); let mut n = 0u64;
		while t.elapsed().as_millis() < 63 { n ^= work(&mut v); } if n == 1 { println!("{}", n); } }
	END
	make_it pie cc -O1 -fno-omit-frame-pointer -fPIE -pie "$T/spin.c"
	make_it exec cc -O1 -fno-omit-frame-pointer -fno-pie -no-pie "$T/spin.c"
	make_it static cc -O1 -fno-omit-frame-pointer -static "$T/spin.c"
	make_it stripped cc -O1 -fno-omit-frame-pointer -rdynamic -s "$T/spin.c"
	make_it cxx c++ -O1 -fno-omit-frame-pointer "$T/spin.cc"
	PATH=$PATH:$HOME/.cargo/bin make_it rust rustc -C opt-level=1 -C force-frame-pointers=yes -C link-arg=-Wl,--build-id=sha1 "$T/spin.rs"
}
# make_it NAME COMPILER...
make_it() {
	local name=$1 id=-Wl,--build-id=sha1
	shift
	[ "$1" != rustc ] || id=
	! type -P "$1" >/dev/null || "$@" $id -o "$BATS_FILE_TMPDIR/made/$name" 2>/dev/null || true
}
# recorded [option...]: what they do, in $T/in
recorded() {
	need record
	need readelf
	programs
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 2000 "${@:--g}" --no-buildid-mmap -o - -- \
	    sh -c 'cd "$1" && shift && for p; do ./$p; done' sh "$T" "${made[@]}" >"$T/in" 2>"$T/record.err" ||
	    skip "perf record -k mono does not work here"
}
# tried COMMAND...: try it; that the kernel shows an ordinary user no addresses is not of interest
tried() {
	try "$@"
	sed -i "/'\/proc\/kallsyms' is not used/d" "$T/err"
}
id_of() {
	readelf -n "$1" 2>/dev/null | sed -n 's/.*Build ID: //p'
}
# stored PROGRAM DIR
stored() {
	local id=$(id_of "$T/$1")
	echo "$T/$2/.build-id/${id:0:2}/${id:2}/elf"
}
functions_of() {
	readelf -sW "$@" 2>/dev/null | awk '($4 == "FUNC" || $4 == "IFUNC") && $7 ~ /^[0-9]+$/ { sub(/@+[A-Z].*/, "", $8); print $2, $3, $8 }' | sort -u
}
# The names of functions and labels
names_of() {
	readelf -sW "$@" 2>/dev/null | awk '$7 ~ /^[0-9]+$/ { sub(/@+[A-Z].*/, "", $8); print $8 }' | sort -u
}
# frames PERF DIR FILE: what perf script has of addresses
frames() {
	"$1" --buildid-dir "$T/$2" script -f -i "$3" -F comm,tid,time,event,ip,sym,dso --no-inline 2>/dev/null | tr '\t' ' '
}
# other_frames PERF DIR FILE: those that are not as in $T/whole.frames.  perf finds the entries of some PLTs only by their symbols.
other_frames() {
	frames "$@" | paste "$T/whole.frames" - | awk -F '\t' '$1 != $2 && !/@plt/ { print $1 " -> " $2 }'
}
all_files() {
	(cd "$T/$1" && find . -type f -printf '%P %s %T@ %i\n' | sort)
}

@test "archive: =symbols and =hits need a directory, =hits one of its own, and a size" {
	for what in symbols hits; do
		try pinject --archive=$what /dev/null
		[ $rc = 2 ] && one_line "pinject: --archive" || failed "$what: no directory"
	done
	for what in symbol symbols, symbols,0 hits,x symbolshits symbols,1K,1K 1K,symbols; do
		try pinject --archive=$what --buildid-dir "$T/syms" /dev/null
		[ $rc = 2 ] && one_line "pinject: --archive" || failed "$what"
	done
	mkdir "$T/used"
	: >"$T/used/file"
	try pinject --archive=hits --buildid-dir "$T/used" data/basic.pipe.data
	[ $rc = 2 ] && one_line "pinject: --archive=hits: the directory of --buildid-dir has other files; it needs one of its own" || failed "used"
	try pinject --archive=symbols --buildid-dir "$T/used" data/basic.pipe.data
	[ $rc = 0 ] || failed "symbols may be beside other files"
	done_all
}

@test "archive: with the functions alone, each perf gives the frames that it gives with whole files" {
	recorded
	for what in "" =symbols =hits; do
		tried pinject -b --archive$what --buildid-dir "$T/d$what" "$T/in"
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$what: $rc $(cat "$T/err")"
		cp "$T/out" "$T/stream"
	done
	[ ${#made[@]} -ge 3 ] || failed "made: ${made[*]}"
	# what is compared is nowhere else
	(cd "$T" && mkdir away && mv "${made[@]}" away)
	for p in $PERFS; do
		type -P "$p" >/dev/null || continue
		frames $p d "$T/stream" >"$T/whole.frames"
		grep -q ' beta (' "$T/whole.frames" && [ "$(grep -c '^ ' "$T/whole.frames")" -gt 300 ] || failed "$p: no names with whole files"
		[ ! -e "$T/away/cxx" ] || grep -q 'outer::counter' "$T/whole.frames" || failed "$p: no names of C++"
		for what in =symbols =hits; do
			other_frames $p "d$what" "$T/stream" >"$T/other"
			[ ! -s "$T/other" ] || failed "$p $what: $(head -n 4 "$T/other")"
		done
		! frames $p none "$T/stream" | grep -q ' beta (' || failed "$p: names from elsewhere"
	done
	done_all
}

@test "archive: each file of functions is sound, small, of its build-id, and always the same" {
	recorded
	pinject -q -b --archive --buildid-dir "$T/whole" "$T/in" >/dev/null
	for what in symbols hits; do
		pinject -q -b --archive=$what --buildid-dir "$T/$what" "$T/in" >/dev/null
		pinject -q -b --archive=$what --buildid-dir "$T/again" "$T/in" >/dev/null
		diff -r "$T/$what" "$T/again" || failed "$what: not the same"
		rm -r "$T/again"
		(cd "$T/whole" && find . -type f ! -name elf ! -name debug -exec sha1sum {} + | sort) | diff - \
		    <(cd "$T/$what" && find . -type f ! -name elf ! -name debug -exec sha1sum {} + | sort) || failed "$what: not the same kernel and vdso"
		[ "$(cd "$T/whole" && find files -name elf | sort)" = "$(cd "$T/$what" && find files -name elf | sort)" ] || failed "$what: other files"
		while read -r f; do
			w=$T/whole/${f#"$T/$what/"}
			[ "$(id_of "$f")" = "$(basename "${f%/*}")" ] || failed "$f: id"
			readelf -a "$f" >/dev/null 2>"$T/readelf" && [ ! -s "$T/readelf" ] || failed "readelf $f: $(head -n 3 "$T/readelf")"
			! type -P eu-elflint >/dev/null || eu-elflint --gnu-ld -d "$f" >"$T/lint" 2>&1 || failed "eu-elflint $f: $(head -n 3 "$T/lint")"
			functions_of "$f" | sed '/@plt$/d; s/.* //' | sort -u | comm -23 - <(names_of "$w" "${w%elf}debug") >"$T/more"
			[ ! -s "$T/more" ] || failed "$f: more: $(head -n 3 "$T/more")"
			[ $what = symbols ] || continue
			functions_of "$w" | comm -23 - <(functions_of "$f") >"$T/less"
			[ ! -s "$T/less" ] || failed "$f: less: $(head -n 3 "$T/less")"
		done < <(find "$T/$what/files" -name elf)
	done
	whole=$(find "$T/whole" \( -name elf -o -name debug \) -printf '%s\n' | awk '{ n += $1 } END { print n }')
	small=$(find "$T/symbols" -name elf -printf '%s\n' | awk '{ n += $1 } END { print n }')
	# 4 to 9 %, by what programs there are: code is not in them
	[ $((small * 100)) -le $((whole * 15)) ] || [ "$whole" -lt 8000000 ] || failed "$small of $whole bytes"
	for p in "${made[@]}"; do
		f=$(stored $p hits)
		[ "$(functions_of "$f" | wc -l)" -lt 100 ] || failed "$p: $(functions_of "$f" | wc -l) functions were hit"
		[ $p = cxx ] || [ $p = rust ] || functions_of "$f" | grep -q ' alpha$' || failed "$p: no alpha"
		[ $p != pie ] || [ "$(functions_of "$f" | grep -cE ' (beta|alpha|other_name|main)$')" = 4 ] || failed "$p: $(functions_of "$f")"
	done
	readelf -sW "$(stored pie symbols)" | grep -q 'FUNC .* a_label$' || failed "no label"
	case $(uname -m) in x86_64|i?86) readelf -sW "$(stored pie symbols)" | grep -q ' rand@plt$' || failed "no PLT";; esac
	done_all
}

@test "archive: another run adds nothing; what is more replaces what is less, and not the other way round" {
	recorded
	# run_it WHAT MARK: the program's file then has that
	run_it() {
		try pinject -q -b --archive$1 --buildid-dir "$T/d" "$T/in"
		[ $rc = 0 ] || failed "$1: status $rc"
		readelf -p .comment "$(stored pie d)" 2>/dev/null | sed -n 's/.*\(pinject --archive.*\)/\1/p' >"$T/state"
		[ "$(cat "$T/state")" = "$2" ] || failed "$1: is '$(cat "$T/state")', not '$2'"
	}
	run_it =hits "pinject --archive=hits"
	run_it =symbols "pinject --archive=symbols"
	all_files d >"$T/before"
	run_it =symbols "pinject --archive=symbols"
	all_files d | diff "$T/before" - || failed "symbols twice"
	run_it "" ""
	cmp "$T/pie" "$(stored pie d)" || failed "not the whole"
	all_files d >"$T/before"
	run_it =symbols ""
	all_files d | diff "$T/before" - || failed "symbols behind whole"
	# the same without O_TMPFILE
	rm -r "$T/d"
	with_fault tmpfile:1+:EOPNOTSUPP pinject -q -b --archive=symbols --buildid-dir "$T/d" "$T/in" >/dev/null || failed "without O_TMPFILE"
	with_fault tmpfile:1+:EOPNOTSUPP pinject -q -b --archive --buildid-dir "$T/d" "$T/in" >/dev/null || failed "without O_TMPFILE"
	cmp "$T/pie" "$(stored pie d)" && ! find "$T/d" -name '.*elf*' | grep . || failed "without O_TMPFILE: not the whole"
	done_all
}

@test "archive: functions of separate debug files are among them: by build-id, by name, and not of another build" {
	recorded
	need objcopy
	id=$(id_of "$T/pie")
	objcopy --only-keep-debug "$T/pie" "$T/pie.dbg"
	cp "$T/pie" "$T/full"
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 2000 -g --no-buildid-mmap -o - -- \
	    sh -c "cd '$T' && strip -R .gnu_debuglink pie && objcopy --add-gnu-debuglink=pie.dbg pie && exec ./pie" >"$T/in" 2>/dev/null
	# where FILE OTHER: with that as the debug file
	where() {
		rm -rf "$T/fs" "$T/d"
		mkdir -p "$T/fs$(dirname "$1")"
		cp "$2" "$T/fs$1"
		tried pinject -b --archive=symbols --symfs "$T/fs" --buildid-dir "$T/d" "$T/in"
		[ $rc = 0 ] || failed "$1: $rc $(cat "$T/err")"
		! [ -e "$(dirname "$(stored pie d)")/debug" ] || failed "$1: is stored"
	}
	for f in "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" "$T/.debug/pie.dbg" "$T/pie.dbg" "/usr/lib/debug$T/pie.dbg"; do
		mv "$T/pie.dbg" "$T/kept"
		where "$f" "$T/kept"
		functions_of "$T/full" | comm -23 - <(functions_of "$(stored pie d)") >"$T/less"
		[ ! -s "$T/less" ] && [ ! -s "$T/err" ] || failed "$f: less: $(head -n 3 "$T/less") $(cat "$T/err")"
		where "$f" "$(command -v sh)"
		! functions_of "$(stored pie d)" | grep -q ' beta$' || failed "$f: names of another build"
		mv "$T/kept" "$T/pie.dbg"
	done
	done_all
}

@test "archive: copies of stacks: a warning that perf needs whole files to unwind them" {
	recorded --call-graph dwarf,1024
	for what in symbols hits; do
		tried pinject -b --archive=$what --buildid-dir "$T/$what" "$T/in"
		[ $rc = 0 ] && one_line "pinject: warning: samples have copies of stacks; to unwind them perf needs whole files: --archive" || failed "$what"
		tried pinject --buildid-all --archive=$what -q --buildid-dir "$T/all.$what" "$T/in"
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$what -q"
	done
	tried pinject -b --archive --buildid-dir "$T/whole" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "whole"
	done_all
}

@test "archive: --buildid-all: functions of all files that are mapped; =hits goes by samples" {
	recorded
	pinject -q --buildid-all --archive=symbols --buildid-dir "$T/all" "$T/in" >/dev/null
	pinject -q -b --archive=symbols --buildid-dir "$T/sampled" "$T/in" >/dev/null
	pinject -q --buildid-all --archive=hits --buildid-dir "$T/hits" "$T/in" >/dev/null
	pinject -q --buildid-all "$T/in" | cmp - <(pinject -q --buildid-all --archive=hits --buildid-dir "$T/hits.2" "$T/in") || failed "another stream"
	for o in "-b -j --perf-map" -B --mmap2-buildid-all; do
		rm -rf "$T"/other.*
		pinject -q $o --buildid-dir "$T/other.1" "$T/in" | cmp - <(pinject -q $o --archive=hits --buildid-dir "$T/other.2" "$T/in") || failed "$o: another stream"
	done
	[ "$(find "$T/all" -name elf | wc -l)" -ge "$(find "$T/sampled" -name elf | wc -l)" ] || failed all
	[ "$(cd "$T/hits/files" && echo *)" = "$(cd "$T/sampled/files" && echo *)" ] || failed hits
	done_all
}

@test "archive: more files than can wait: =hits has all functions of the first ones, and none is missing" {
	need record
	programs
	mkdir "$T/many"
	perl -e 'my ($from, $to, $id) = @ARGV; local $/; open my $i, "<:raw", $from; my $d = <$i>; my $at = index $d, pack "H*", $id; die if $at < 0;
		for (1 .. 140) { substr($d, $at, 2) = pack "n", $_; open my $o, ">:raw", "$to/p$_"; print $o $d; chmod 0755, "$to/p$_" }' \
	    "$T/pie" "$T/many" "$(id_of "$T/pie")"
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 4000 -g --no-buildid-mmap -o - -- sh -c 'for p in "$1"/p*; do "$p" 1; done' sh "$T/many" \
	    >"$T/in" 2>/dev/null || skip "perf record -k mono does not work here"
	pinject -q -b --archive --buildid-dir "$T/whole" "$T/in" >"$T/stream"
	tried pinject -b --archive=hits --buildid-dir "$T/d" "$T/in"
	[ $rc = 0 ] && [ ! -s "$T/err" ] && cmp "$T/out" "$T/stream" || failed "$rc $(cat "$T/err")"
	[ "$(cd "$T/whole" && find files -name elf | sort)" = "$(cd "$T/d" && find files -name elf | sort)" ] || failed "other files"
	[ "$(find "$T/d" -name elf | wc -l)" -gt 130 ] || failed "$(find "$T/d" -name elf | wc -l) files"
	all=$(grep -l 'pinject --archive=symbols' -r "$T/d/files" --include=elf | wc -l)
	[ "$all" -gt 0 ] && [ "$all" -lt 30 ] || failed "$all with all functions"
	frames perf whole "$T/stream" >"$T/whole.frames"
	other_frames perf d "$T/stream" >"$T/other"
	[ ! -s "$T/other" ] || failed "$(head -n 4 "$T/other")"
	done_all
}

# A copy of a program is found below --symfs, where it is taken to be the right one: so it can be damaged.
# damaged OPTION...: archive with it; the file is "$made"
damaged() {
	rm -rf "$T/d"
	tried pinject -b --archive=symbols --symfs "$T/fs" --buildid-dir "$T/d" "$@" "$T/in"
	made=$(stored pie d)
}

@test "archive: of a damaged file: its functions or none, one warning, and the others as ever" {
	recorded
	mkdir -p "$T/fs$T"
	f=$T/fs$T/pie
	cp "$T/pie" "$f"
	damaged
	[ $rc = 0 ] && [ ! -s "$T/err" ] && [ -e "$made" ] || failed "undamaged: $(cat "$T/err")"
	functions_of "$T/pie" >"$T/functions"
	others=$(find "$T/d" -name elf | wc -l)
	seen=0
	for seed in {1..40}; do
		turn 3 || continue
		perl -e 'my ($seed, $from, $to) = @ARGV; srand $seed; local $/; open my $i, "<:raw", $from; my $d = <$i>; my $n = length $d;
			# headers, and the tables at the end; not the id
			for (1 .. 4) { my $at = $seed % 2 ? int(rand 64) + ($_ > 2 ? $n - 4096 : 0) : $n - 1 - int rand 8192; substr($d, $at, 1) = chr int rand 256 }
			$d = substr $d, 0, int($n * rand) if $seed % 5 == 0;
			open my $o, ">:raw", $to; print $o $d' "$seed" "$T/pie" "$f"
		[ "$(id_of "$f")" = "$(id_of "$T/pie")" ] || continue
		damaged
		[ $rc = 0 ] || failed "$seed: status $rc: $(cat "$T/err")"
		[ "$(grep -c "'$f\|'$T/pie'" "$T/err")" -le 1 ] && [ "$(grep -vc 'warning' "$T/err")" = 0 ] || failed "$seed: $(cat "$T/err")"
		if [ -e "$made" ]; then
			! type -P eu-elflint >/dev/null || readelf -S "$made" >/dev/null || failed "$seed: not sound"
			seen=$((seen + 1))
		else
			grep -q "^pinject: warning: '$T/pie' is not used: " "$T/err" || grep -q "no build-ids of 1 files" "$T/err" || failed "$seed: $(cat "$T/err")"
			[ "$(find "$T/d" -name elf | wc -l)" = $((others - 1)) ] || failed "$seed: others"
			damaged --strict
			[ $rc = 1 ] || failed "$seed: --strict: status $rc"
		fi
	done
	# each of them by its reason
	table() {
		perl -e 'my ($from, $to, $name, $field, $value) = @ARGV; local $/; open my $i, "<:raw", $from; my $d = <$i>;
			my ($off, $num, $str) = (unpack("Q<", substr $d, 40, 8), unpack("v", substr $d, 60, 2), unpack("v", substr $d, 62, 2));
			my $names = unpack "Q<", substr $d, $off + 64 * $str + 24, 8;
			for (0 .. $num - 1) { my $at = $off + 64 * $_; next unless unpack("Z*", substr $d, $names + unpack("V", substr $d, $at, 4)) eq $name;
				substr($d, $at + $field, 8) = pack "Q<", eval $value }
			open my $o, ">:raw", $to; print $o $d' "$T/pie" "$f" "$@"
	}
	if x86_64; then
		table .symtab 24 '1 << 40'
		damaged
		[ $rc = 0 ] && one_line "pinject: warning: '$T/pie' is not used: its table of symbols is damaged" || failed "beyond the end"
		table .symtab 32 '24 * ((1 << 24) + 1)'
		damaged
		[ $rc = 0 ] && one_line "pinject: warning: '$T/pie' is not used: it has too many symbols, or too long ones" || failed "too many"
		table .strtab 32 '3'
		damaged
		[ $rc = 0 ] && one_line "pinject: warning: '$T/pie' is not used: its table of symbols is damaged" || failed "names"
		# without their names, sections that tell of more symbols would not be found
		table .shstrtab 24 '1 << 40'
		damaged
		[ $rc = 0 ] && one_line "pinject: warning: '$T/pie' is not used: its table of sections is damaged" || failed "names of sections"
	fi
	done_all
}

@test "archive: when the process that reads symbols is killed, the files left are named, and the stream goes on" {
	recorded
	need strace
	pinject -q -b "$T/in" >"$T/stream"
	for strict in "" --strict; do
		rm -rf "$T/d"
		# it waits for the process that reads a file, and no other process of pinject waits for one
		tried strace -f -qq -o "$T/trace" -e trace=wait4 -e inject=wait4:signal=KILL pinject $strict -b --archive=symbols --buildid-dir "$T/d" "$T/in"
		grep -q KILL "$T/trace" || skip "strace kills nothing here"
		[ "$rc$strict" = 0 ] || [ "$rc$strict" = 1--strict ] || failed "status $rc $strict"
		cmp "$T/out" "$T/stream" || failed "the stream"
		grep -q "^pinject: warning: '.*' is not used: the process that reads symbols has ended$" "$T/err" || failed "$(cat "$T/err")"
		! grep -v "is not used: the process that reads symbols has ended$\|^pinject: warning: [0-9]* more files of --archive are not used" "$T/err" ||
		    failed "more messages"
		n=$(find "$T/d" -name elf | wc -l)
		[ "$n" -le 1 ] || failed "$n files"
	done
	done_all
}

@test "archive: what exceeds the size, and a full disk: as with whole files" {
	recorded
	tried pinject -b --archive=symbols,2K --buildid-dir "$T/small" "$T/in"
	[ $rc = 0 ] && grep -q "warning: --archive: [0-9]* files of [0-9]* bytes are left out, as all would exceed 2048;" "$T/err" || failed "size"
	try pinject --strict -b --archive=symbols,2K --buildid-dir "$T/small" "$T/in"
	[ $rc = 1 ] || failed "--strict"
	{ (ulimit -f 8; trap '' XFSZ; pinject -b --archive=symbols --buildid-dir "$T/syms" "$T/in" 2>"$T/err" || echo $? >"$T/rc"); } | cat >"$T/out"
	[ "$(cat "$T/rc")" = 1 ] && one_line "pinject: $T/syms/" || failed "full: $(cat "$T/err")"
	pinject -q -b "$T/in" | cmp - "$T/out" || failed "the stream"
	done_all
}

@test "archive: of recordings of the corpus, each perf gives the same frames by functions as by whole files" {
	need corpus
	for f in "$CORPUS"/own/*.pipe.data; do
		turn 7 || continue
		rm -rf "$T/whole" "$T/d" "$T/hits"
		pinject -q -b --archive --allow other-host,changed-files --buildid-dir "$T/whole" "$f" >"$T/stream" 2>/dev/null || continue
		find "$T/whole" -name elf | grep -q . || continue
		pinject -q -b --archive=symbols --allow other-host,changed-files --buildid-dir "$T/d" "$f" 2>/dev/null | cmp - "$T/stream" || failed "$f: stream"
		pinject -q -b --archive=hits --allow other-host,changed-files --buildid-dir "$T/hits" "$f" 2>/dev/null | cmp - "$T/stream" || failed "$f: stream"
		for p in $PERFS; do
			type -P "$p" >/dev/null || continue
			frames $p whole "$T/stream" >"$T/whole.frames"
			for d in d hits; do
				other_frames $p $d "$T/stream" >"$T/other"
				[ ! -s "$T/other" ] || failed "$f: $p $d: $(head -n 4 "$T/other")"
			done
		done
	done
	done_all
}
