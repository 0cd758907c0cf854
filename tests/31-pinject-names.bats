# SPDX-License-Identifier: ISC
# pinject -b: a BUILD_ID goes by name, so a name of two files gets none; -B tells them apart.
load lib
load pinject
KALLSYMS=		# perf has the names of the kernel that runs here

# buildids FILE: of $T/p, by BUILD_ID records
buildids() {
	records 67 <"$1" | awk -v p="$T/p" '$5 == p { print $3 }'
}
# two_programs: $T/a spends its time in alpha, $T/b in omega
two_programs() {
	need record; need cc; need readelf; need native
	for f in alpha omega; do
		cat >"$T/p.c" <<-END
			#include <time.h>
			#include <stdlib.h>
			__attribute__((noinline)) double $f(double x) { for (int i = 0; i < ${#T}000 + '${f::1}'; i++) x = x * 1.0001 + 1; return x; }
			int main(int argc, char **argv) { volatile double x = 1; clock_t end = clock() + CLOCKS_PER_SEC / 5;
			while (clock() < end) x = $f(x); return x == 0; }
		END
		cc -O1 -Wl,--build-id=sha1 -o "$T/${f::1}" "$T/p.c"
	done
	mv "$T/o" "$T/b"
	cp "$T/a" "$T/p"
	a=$(id_of "$T/a") b=$(id_of "$T/b")
	[ "$a" != "$b" ]
	sleep 0.05
}
# shown PERF FILE: "PID FUNCTION" of each sample in $T/p, by the files of $T/syms alone
shown() {
	HOME=/nonexistent $1 --buildid-dir "$T/syms" script -f -i "$2" -F pid,ip,sym,dso 2>/dev/null | grep " ($T/p)\$" |
	    sed 's/^ *\([0-9]*\) *[0-9a-f]* \([^ ]*\).*/\1 \2/' | grep -E ' (alpha|omega|\[unknown\])$' | sort | uniq -c
}
# small buffers, so that perf passes on what it has while the namespaces are there
RECORD="perf record -q -k mono --namespaces --no-bpf-event --no-buildid-mmap -e cpu-clock -F 2000 -m 4 -a -o -"

@test "names: two namespaces with another file at one path" {
	two_programs
	[ "$(id -u)" = 0 ] && unshare -m mount --bind "$T/a" "$T/p" 2>/dev/null || skip "no mount namespaces for this user"
	cat >"$T/run" <<-END
		unshare -m sh -c 'mount --bind $T/a $T/p; $T/p; sleep 1' &
		unshare -m sh -c 'mount --bind $T/b $T/p; sleep \$0; $T/p; sleep 1' \$1 &
		wait
	END
	for o in -B --mmap2-buildid-all; do
		rm -rf "$T/syms"
		$RECORD -- sh "$T/run" 0 2>/dev/null | pinject -q $o --archive --buildid-dir "$T/syms" >"$T/out" || failed "$o: status"
		mv "$T/p" "$T/hidden"
		for p in $PERFS; do
			type -P $p >/dev/null || continue
			shown $p "$T/out" >"$T/got"
			# main has a sample now and then
			[ "$(awk '{ print $3 }' "$T/got" | sort | tr '\n' ' ')" = "alpha omega " ] || failed "$o: $p: $(cat "$T/got")"
			[ "$(awk '{ print $2 }' "$T/got" | sort -u | wc -l)" = 2 ] || failed "$o: $p: one process has both"
		done
		# each process has the names of its own file without perf, too
		command pstat -q --csv --table sort --symbols "$T/syms" -s pid,symbol "$T/out" | grep -oE '^[0-9]+,(alpha|omega),' | sort -t, -k2 >"$T/got"
		[ "$(cut -d, -f2 "$T/got" | tr '\n' ' ')" = "alpha omega " ] && [ "$(cut -d, -f1 "$T/got" | sort -u | wc -l)" = 2 ] ||
		    failed "$o: pstat: $(cat "$T/got") $(pstat "$T/out" | grep '^lost')"
		mv "$T/hidden" "$T/p"
	done
	# both are mapped before a sample is looked at, or one of them long after the id of the other was written
	for o in "0 -b" "1.5 -b" "1.5 --buildid-all"; do
		turn 2 || continue
		rm -rf "$T/syms"
		rc=0
		$RECORD -- sh "$T/run" ${o% *} 2>/dev/null | pinject ${o#* } --archive --buildid-dir "$T/syms" >"$T/out" 2>"$T/err" || rc=$?
		buildids "$T/out" >"$T/got"
		if ! [ -s "$T/got" ]; then		# not written
			grep -q "it is the name of several files (use --mmap2-buildids)" "$T/err" || failed "$o: $(cat "$T/got")"
		else
			[ $rc = 1 ] && [ "$(wc -l <"$T/got")" = 1 ] &&
			    grep -q "^pinject: <stdin>: [0-9]* names are of several files, and have a BUILD_ID of only one: readers take it for all; use --mmap2-buildids" "$T/err" ||
			    failed "$o: $(cat "$T/got")"
		fi
		[ -s "$T/got" ] || [ "$o" = "0 -b" ] || failed "$o: not written early"
	done
	done_all
}

@test "names: several files with one build-id have a BUILD_ID" {
	two_programs
	[ "$(id -u)" = 0 ] && unshare -m mount --bind "$T/a" "$T/p" 2>/dev/null || skip "no mount namespaces for this user"
	cp "$T/a" "$T/c"
	cp "$T/c" "$T/p"
	sleep 0.05
	$RECORD -- sh -c "$T/p & unshare -m sh -c 'mount --bind $T/c $T/p; $T/p; sleep 1' & wait" 2>/dev/null |
	    pinject -b >"$T/out" 2>"$T/err" || grep -q 'names are of several files' "$T/err" || failed "status: $(cat "$T/err")"	# those of other tasks
	[ "$(buildids "$T/out")" = "$a" ] || failed "$(buildids "$T/out"): $(cat "$T/err")"
	done_all
}

@test "names: ./p; cat other >p; ./p" {
	two_programs
	for o in -b --buildid-all; do
		cat "$T/a" >"$T/p"
		sleep 0.05
		# read when it was changed already: the first one has no id, and the second one's would be taken for it
		perf record -q -k mono --no-bpf-event --no-buildid-mmap -e cpu-clock -F 2000 -o - -- \
		    sh -c "$T/p; sleep 0.1; cat $T/b >$T/p; sleep 0.1; $T/p" 2>/dev/null | psort >"$T/in"	# --buildid-all goes by the order of arrival
		for way in "pinject -v $o $T/in" "cat $T/in | pinject -v $o"; do
			try bash -c "$way"
			[ $rc = 0 ] && [ -z "$(buildids "$T/out")" ] && grep -q "no build-id of '$T/p': has been changed since" "$T/err" &&
			    grep -q "no build-id of '$T/p': it had other contents before (use --mmap2-buildids)" "$T/err" || failed "$way"
		done
	done
	pinject -q -B --archive --buildid-dir "$T/syms" "$T/in" >"$T/out"
	rm "$T/p"
	for p in $PERFS; do
		type -P $p >/dev/null || continue
		shown $p "$T/out" | awk '{ print $3 }' >"$T/got"
		! grep -qx alpha "$T/got" || failed "$p: $(cat "$T/got")"
		# 7.2 takes the map without an id and the one with an id for one file
		[ $p != perf ] || perf_since 7.0 || grep -qx omega "$T/got" || failed "$p: $(cat "$T/got")"
	done
	done_all
}

# A made stream, by CLOCK_MONOTONIC: its head, and "made": a map of $T/p by process $1, and a sample in it
HEAD="attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1"
made() {
	echo "MMAP2 misc=2 pid=$1 tid=$1 start=0x400000 len=0x10000 maj=$maj min=$min ino=$ino prot=5 flags=2 filename=$T/p @ pid=$1 tid=$1 time=$(mono)"
	echo "SAMPLE misc=2 ip=0x401000 pid=$1 tid=$1 time=$(mono)"
	echo "FINISHED_ROUND"
	echo "FINISHED_ROUND"
}

@test "names: overwritten while a made stream is live: what was written is said" {
	need native; need readelf; need perl
	for o in -b --buildid-all; do
		rm -f "$T/p" "$T/to" "$T/live"
		prog "$T/p" a
		a=$(id_of "$T/p")
		read -r maj min ino < <(stat -c '%Hd %Ld %i' "$T/p")
		sleep 0.05
		mkfifo "$T/to"
		pinject $o <"$T/to" >"$T/live" 2>"$T/err" &
		exec 5>"$T/to"
		{ echo "$HEAD"; made 7; made 8; } >"$T/recipe.txt"
		mkpipe "$T/recipe.txt" >"$T/in"
		cat "$T/in" >&5
		sent=$(stat -c %s "$T/in")
		await grown "$T/live" $((sent + 50))
		sleep 0.05
		brand "$T/p" b
		sleep 0.05
		made 9 >>"$T/recipe.txt"
		mkpipe "$T/recipe.txt" | tail -c +$((sent + 1)) >&5
		exec 5>&-
		rc=0
		wait $! || rc=$?
		[ $rc = 1 ] && [ "$(buildids "$T/live")" = "$a" ] && grep -q "1 names are of several files, and have a BUILD_ID of only one" "$T/err" ||
		    failed "$o: $(buildids "$T/live"): $(cat "$T/err")"
	done
	done_all
}

@test "names: a file that is deleted while a made stream is live has its BUILD_ID" {
	need native; need readelf; need perl
	prog "$T/p" a
	a=$(id_of "$T/p")
	read -r maj min ino < <(stat -c '%Hd %Ld %i' "$T/p")
	sleep 0.05
	mkfifo "$T/to"
	pinject -b <"$T/to" >"$T/live" 2>"$T/err" &
	exec 5>"$T/to"
	{ echo "$HEAD"; made 7; } >"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	cat "$T/in" >&5
	sent=$(stat -c %s "$T/in")
	await grown "$T/live" $((sent + 50))
	made 8 >>"$T/recipe.txt"
	rm "$T/p"
	mkpipe "$T/recipe.txt" | tail -c +$((sent + 1)) >&5
	exec 5>&-
	wait $!
	[ "$(buildids "$T/live")" = "$a" ]
	! grep "of several files" "$T/err" || false
}

@test "names: overwritten between two maps of a made stream: neither id is written" {
	need native; need readelf; need perl
	prog "$T/p" a
	read -r maj min ino < <(stat -c '%Hd %Ld %i' "$T/p")
	sleep 0.05
	{ echo "$HEAD"; made 7; } >"$T/recipe.txt"
	sleep 0.05
	brand "$T/p" b
	b=$(id_of "$T/p")
	sleep 0.05
	made 8 >>"$T/recipe.txt"
	mkpipe "$T/recipe.txt" >"$T/in"
	for o in -b --buildid-all; do
		for way in "pinject $o $T/in" "cat $T/in | pinject $o"; do
			try bash -c "$way"
			[ $rc = 0 ] && cmp "$T/in" "$T/out" && grep -q "it had other contents before" "$T/err" || failed "$way"
		done
	done
	for o in -B --mmap2-buildid-all; do
		pinject -q $o "$T/in" | perl -e 'local $/; print scalar(() = <STDIN> =~ /\Q@{[pack "H*", shift]}/g), "\n"' "$b" >"$T/got"
		[ "$(cat "$T/got")" = 1 ] || failed "$o: $(cat "$T/got") times"
	done
	done_all
}

@test "names: maps of one name with a build-id and without one are said" {
	local with="MMAP2 misc=0x4002 pid=P tid=P start=0x400000 len=0x10000 build_id=0102030405060708090a0b0c0d0e0f1011121314 prot=5 flags=2"
	local without="MMAP2 misc=2 pid=P tid=P start=0x400000 len=0x10000 maj=1 min=2 ino=3 prot=5 flags=2"
	local said="1 names are of maps with a build-id and of maps without one: perf 7.2 takes these for one file, .* The first is '/none/p'"
	local id="HEADER_BUILD_ID misc=0x8002 pid=-1 build_id=0102030405060708090a0b0c0d0e0f1011121314 id_size=20 filename=/none/p"
	# maps MAP NAME...: of processes 1, 2 ..., with a sample in each
	maps() {
		local pid=0 time=0
		echo "$HEAD"
		for ((; $#; )); do
			[ "$1" != "$id" ] || { echo "$1"; shift; continue; }
			pid=$((pid + 1)) time=$((time + 10))
			echo "${1//=P/=$pid} filename=$2 @ pid=$pid tid=$pid time=$time"
			echo "SAMPLE misc=2 ip=0x401000 pid=$pid tid=$pid time=$((time + 5))"
			shift 2
		done
	}
	for o in -B --mmap2-buildid-all; do
		for order in "$with $without" "$without $with"; do
			[ "$order" = "$with $without" ] && set -- "$with" /none/p "$without" /none/p || set -- "$without" /none/p "$with" /none/p
			maps "$@" "$without" /none/q "$with" /none/r "$without" //anon "$with" //anon | mkpipe >"$T/in"
			try pinject $o --no-fs "$T/in"
			[ $rc = 0 ] && grep -q "^pinject: warning: $said$" "$T/err" || failed "$o: $order: $(cat "$T/err")"
			try pinject -q $o --no-fs "$T/in"
			[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$o -q"
		done
		# an id that goes by the name is that of all
		maps "$id" "$with" /none/p "$without" /none/p | mkpipe >"$T/in"
		try pinject $o --no-fs "$T/in"
		[ $rc = 0 ] && ! grep 'names are of maps' "$T/err" || failed "$o: BUILD_ID"
	done
	done_all
}
