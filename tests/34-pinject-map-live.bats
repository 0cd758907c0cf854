# SPDX-License-Identifier: ISC
# pinject --perf-map, of processes that run: names by the file that they write, compared with what they did, and with perf's names when
# all is over.
load lib

# names FILE [perf option...]: time and name of each sample, or of each entry of its chain; what has no name is [unknown]
names() {
	local f=$1
	shift
	perf "$@" script -f -i "$f" -F time,ip,sym 2>/dev/null | sed 's/^\t *[0-9a-f]* //; /^$/d'
}

# jitted OPTION...: our maker's load, recorded and named live; how many of its functions have samples, and how many samples have the
# right name, another one or none, in $T/counts: the maker notes when each function runs.
jitted() {
	need record
	need native
	rm -rf "$T/made" "$T/syms"
	mkdir "$T/made"
	perf record -k mono -q --no-bpf-event -m 1 -e cpu-clock -F 2000 -o - -- "$O/jit" -P "$@" "$T/made" 2>"$T/record.err" |
	    tee "$T/in" | pinject --perf-map="$T/made" --buildid-dir "$T/syms" >"$T/out" || skip "perf record -k mono does not work here"
	right "$T/out" --buildid-dir "$T/syms" >"$T/counts"
}
# right FILE [perf option...]: the same of a file
right() {
	local f=$1
	shift
	perf "$@" script -f -i "$f" --ns -F time,ip,sym 2>/dev/null | perl -e 'my (@run, @sym, %seen); my ($right, $wrong, $none) = (0, 0, 0);
		open F, shift; push @run, [split] while <F>; open F, shift; while (<F>) { my ($a, $n) = split; push @sym, [hex $a, hex $n] }
		@sym = sort { $a->[0] <=> $b->[0] } @sym; my ($lo, $hi) = ($sym[0][0], $sym[-1][0] + $sym[-1][1]);
		while (<STDIN>) {
			my ($s, $ns, $ip, $sym) = /^\s*(\d+)\.(\d{9}):\s+([0-9a-f]+)\s*(\S*)/ or next;
			next if hex $ip < $lo || hex $ip >= $hi;
			my ($r) = grep { "$s$ns" > $_->[0] && "$s$ns" < $_->[1] } @run or next;
			$seen{$r->[2]} = 1;
			if ($sym eq $r->[2]) { $right++ } elsif ($sym =~ /^(made|quick)_/) { $wrong++ } else { $none++ }
		}
		printf "%d %d %d %d\n", scalar keys %seen, $right, $wrong, $none;' "$T/made/truth" "$T"/made/perf-*.map
}

@test "perf-map: live, of code that is made all the time, each sample has the name of the function that ran" {
	jitted -q 3000 -n 20 -m 100
	read -r functions right wrong none <"$T/counts"
	[ "$functions" = 20 ] && [ "$right" -gt 200 ] && [ "$wrong" = 0 ] && [ "$none" = 0 ] || failed "$functions functions: $right $wrong $none"
	# ... by images of what is new: of all in each they would be some megabytes
	[ "$(du -s "$T/syms" | cut -f1)" -lt 1500 ] || failed "$(du -s "$T/syms")"
	# the memory is made writable for each function
	jitted -r -q 300 -n 10 -m 100
	read -r functions right wrong none <"$T/counts"
	[ "$functions" = 10 ] && [ "$right" -gt 100 ] && [ "$wrong" = 0 ] && [ "$none" = 0 ] || failed "-r: $functions functions: $right $wrong $none"
	done_all
}

# Lines have no time: at most the samples of the round in which a line is read have its name too early.  perf, which reads the file
# when all is over, gives all samples the name of the last function.
@test "perf-map: live, of functions one after another in one place, most samples have the right name" {
	jitted -p -n 5 -m 500
	read -r functions right wrong none <"$T/counts"
	[ "$functions" = 5 ] && [ "$none" = 0 ] && [ "$right" -gt $((wrong * 2)) ] || failed "$functions functions: $right $wrong $none"
	cp "$T"/made/perf-*.map /tmp
	read -r _ after < <(right "$T/in")
	for f in "$T"/made/perf-*.map; do rm "/tmp/${f##*/}"; done
	[ "${after%% *}" -lt "$right" ] || failed "perf afterwards: $after"
	done_all
}

# real COMMAND...: a recording of it; perf's names here, with its file, and without it elsewhere, are the same
real() {
	need record
	rm -rf "$T/syms"
	perf record -k mono -q --no-bpf-event -e cpu-clock -F 2000 -g --no-buildid-mmap -o - -- "$@" >"$T/in" 2>"$T/record.err" || skip "perf record -k mono does not work here"
	try pinject -v --perf-map --buildid-dir "$T/syms" "$T/in"
	[ $rc = 0 ]
	names "$T/in" >"$T/names.in"
	# other tests have such files there, too
	for pid in $(perf script -f -F pid -i "$T/in" 2>/dev/null | sort -u); do
		! [ -e /tmp/perf-$pid.map ] || mv /tmp/perf-$pid.map "$T/gone.map"
	done
	[ -s "$T/gone.map" ]
	names "$T/out" --buildid-dir "$T/syms" >"$T/names.out"
	diff -u "$T/names.in" "$T/names.out" | head -n 20
	cmp "$T/names.in" "$T/names.out"
}
@test "perf-map: of node" {
	need node
	echo 'function spin(n){let s=0;for(let i=0;i<n;i++)s+=i*i%7;return s} let t=Date.now(),x=0;while(Date.now()-t<300)x+=spin(3000)' >"$T/loop.js"
	real node --perf-basic-prof --logfile="$T/log" "$T/loop.js"
	grep -q 'spin' "$T/names.out"
	# without perf, too
	perf --buildid-dir "$T/syms" script -G -f -i "$T/out" -F ip,sym 2>/dev/null | sed 's/^ *[0-9a-f]* //' | grep 'loop\.js' | sort | uniq -c | sed 's/^ *//' >"$T/want"
	command pstat -q --json --symbols "$T/syms" -s symbol "$T/out" | jq -r '.sort[] | select(.symbol | test("loop\\.js")) | "\(.samples) \(.symbol)"' | sort -k2 >"$T/got"
	[ -s "$T/want" ] && sort -k2 "$T/want" | diff - "$T/got"
}
@test "perf-map: of node, live, while it goes on to compile" {
	need node
	echo 'const end = Date.now() + 2000; let k = 0, x = 0; while (Date.now() < end) {
	    const f = new Function(`return function made_${k}(n) { let s = 0; for (let i = 0; i < n; i++) s += i * i % ${k + 7}; return s }`)();
	    const t = Date.now(); while (Date.now() - t < 80) x += f(2000); k++ }' >"$T/load.js"
	need record
	perf record -k mono -q --no-bpf-event -m 16 -e cpu-clock -F 2000 -g --no-buildid-mmap -o - -- node --perf-basic-prof --logfile="$T/log" "$T/load.js" 2>"$T/record.err" |
	    tee "$T/in" | pinject --perf-map --buildid-dir "$T/syms" >"$T/out" || skip "perf record -k mono does not work here"
	names "$T/in" >"$T/names.in"
	for pid in $(perf script -f -F pid -i "$T/in" 2>/dev/null | sort -u); do
		! [ -e /tmp/perf-$pid.map ] || mv /tmp/perf-$pid.map "$T/gone.map"
	done
	names "$T/out" --buildid-dir "$T/syms" >"$T/names.out"
	[ "$(grep -o 'made_[0-9]*' "$T/names.out" | sort -u | wc -l)" -ge 8 ] || failed "few functions"
	# where code lies in the place of other code, perf takes the last line
	same=$(paste -d'\t' "$T/names.in" "$T/names.out" | awk -F'\t' '$1 == $2' | wc -l)
	all=$(wc -l <"$T/names.in")
	[ "$(wc -l <"$T/names.out")" = "$all" ] && [ $((all - same)) -le $((all / 100)) ] || failed "$same of $all are the same: $(diff "$T/names.in" "$T/names.out" | head)"
	done_all
}
@test "perf-map: of java" {
	need javac
	echo 'public class Hot { static long spin(long n) { long s = 0; for (long i = 0; i < n; i++) s += i * i % 7; return s; }
	    public static void main(String[] a) { long t = System.currentTimeMillis(), x = 0;
	    while (System.currentTimeMillis() - t < 400) x += spin(3000); System.out.println(x); } }' >"$T/Hot.java"
	javac -d "$T" "$T/Hot.java"
	java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -version 2>"$T/version" || skip "this java writes no perf-PID.map"
	real java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp "$T" Hot
	grep -q 'Hot.spin' "$T/names.out"
}
