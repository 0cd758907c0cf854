# SPDX-License-Identifier: ISC
# Confinement: locked before the first byte of an input is read, and what the locks refuse.
load lib

setup_file() {
	export KERNEL_ABI=$(kernel_abi)
}
able() {
	need native
	! sanitized || skip "a sanitizer needs files and programs"
	[ -n "$KERNEL_ABI" ] || skip "this kernel has no Landlock or no seccomp"
}

# locks_first COMMAND...: each process that reads an input ($T/in...) or a pipe has closed both locks before.
locks_first() {
	rm -rf "$T"/out*
	rc=0
	strace -f -y -o "$T/trace" -e trace=read,pread64,readv,preadv,mmap,landlock_restrict_self,prctl,seccomp \
	    "$@" >"$T/stdout" 2>"$T/err" || rc=$?
	[ $rc = 0 ] || { failed "$*"; return 0; }
	awk -v one="${ONE-}" '
		/<unfinished \.\.\.>$/ { begun[$1] = $0; next }
		/ resumed>/ { $0 = begun[$1] $0 }
		one { $1 = "all" }
		/landlock_restrict_self\(.* = 0$/ { landlock[$1] = 1 }
		/SECCOMP_SET_MODE_FILTER.* = 0$/ { seccomp[$1] = 1 }
		/ (p?read(64|v)?|mmap)\(.*<([^>]*\/in[^>\/]*(\/[^>]*)?|pipe:[^>]*)>/ {
			n++
			if (!landlock[$1] || !seccomp[$1]) { print "before the locks: " $0; bad = 1 }
		}
		END { if (!n) { print "no input was read"; bad = 1 } exit bad }' "$T/trace" || failed "$*"
}

inputs() {
	cp data/basic.pipe.data "$T/in.pipe"
	cp data/basic.file.data "$T/in.file"
	cp data/pid2_a.file.data "$T/in.a"
	cp data/pid2_b.file.data "$T/in.b"
	cp data/a_busy.pipe.data.zst "$T/in.zst"
	cp data/sched_R.file.data "$T/in.sched"
	mkdir -p "$T/in.dir"
	cp data/basic.file.data "$T/in.dir/data"
}

@test "confine: each tool is locked before it reads, whatever its input is" {
	able; need strace
	inputs
	for t in $TOOLS; do
		for f in pipe file zst dir; do
			locks_first $(neutral $t) "$T/in.$f"
		done
		cat "$T/in.pipe" | locks_first $(neutral $t)
		cat "$T/in.file" | locks_first $(neutral $t) -		# is copied into the spare temporary file
		locks_first $(neutral $t) <"$T/in.file"
	done
	done_all
}

@test "confine: each way of output" {
	able; need strace
	inputs
	for t in $STREAMERS; do
		locks_first $(neutral $t) -o "$T/out" "$T/in.pipe"
		locks_first $(neutral $t) --format=file -o "$T/out" "$T/in.pipe"
		locks_first $(neutral $t) --format=file -f -o "$T/in.new" "$T/in.zst"
	done
	locks_first pstat --json -o "$T/out" "$T/in.file"
	for f in pipe file zst; do
		locks_first pstat --tee --interval 1ms -o "$T/out" "$T/in.$f"
		cat "$T/in.$f" | locks_first pstat --tee --interval 1ms --json
	done
	for o in --switch-output=2K "--switch-output=2K --switch-max-files=2" "--switch-output=2K --format=file" -z "-z --threads=2"; do
		locks_first pcat $o -o "$T/out" "$T/in.file"
	done
	locks_first pcat --switch-output=2K --output-template "$T/out.%t" "$T/in.a" "$T/in.b"
	locks_first pcat --format=gperftools -o "$T/out" "$T/in.file"
	locks_first pcat --format=pprof -o "$T/out" "$T/in.file"
	locks_first pcat --format=pprof --threads=2 -o "$T/out" "$T/in.file"
	locks_first pcat --format=jsonl -o "$T/out" "$T/in.file"
	{ head -n 2 data/base.txt; for i in {1..6000}; do echo "SAMPLE misc=2 ip=$i pid=$i tid=$i time=$i"; done; } | mkpipe /dev/stdin >"$T/in.tasks"
	locks_first pcat --format=pprof -S 1M -o "$T/out" "$T/in.tasks"
	[ -e "$T/out.00002" ] || failed "no second file"
	done_all
}

@test "confine: pcat that joins, repairs, follows" {
	able; need strace
	inputs
	locks_first pcat "$T/in.a" "$T/in.b"
	cat "$T/in.b" | locks_first pcat --remap-pids=100000 "$T/in.a" -
	locks_first pcat --remap-pids=100000 "$T/in.a" - <"$T/in.b"
	locks_first pcat --switch-output=2K -o "$T/out" <"$T/in.b"
	locks_first pcat --repair "$T/in.pipe"
	locks_first pcat --repair --formats-from "$T/in.sched" "$T/in.file"
	locks_first pcat --follow "$T/in.file"
	locks_first pcat --switch-output=2K --manifest="$T/out.tsv" -o "$T/out" "$T/in.file"
	# the list is read before the locks, as it says what may be opened behind them
	locks_first pcat --make-manifest -o "$T/list.tsv" "$T/in.a" "$T/in.b"
	for c in "pcat --part=in.a" pcat "psort --merge"; do
		locks_first $c --manifest="$T/list.tsv"
	done
	pstat --json "$T/in.a" >"$T/in.json"
	locks_first pstat --diff "$T/in.json" "$T/in.b"		# its processes, too
	ONE=yes locks_first pstat --manifest="$T/list.tsv"	# its thread, which begins later, has the locks of the process
	locks_first sh -c 'ulimit -n 20; exec pcat --allow same-input "$@"' sh $(printf "$T/in.a %.0s" {1..30})
	done_all
}

@test "confine: psort that merges and spills, pfilter that reads twice and keeps temporary files, pinject that looks up" {
	able; need strace
	inputs
	locks_first psort --merge "$T/in.a" "$T/in.b"
	cat "$T/in.b" | locks_first psort --merge --remap-pids=100000 "$T/in.a" -
	locks_first psort --full -T "$T" "$T/in.file"
	psort "$T/in.file" >"$T/in.sorted"
	locks_first psort --check "$T/in.sorted"
	locks_first pfilter --time 10% "$T/in.file"
	locks_first pfilter --time 10% <"$T/in.file"
	locks_first pfilter --comm x -U "$T/out" "$T/in.file"
	locks_first pfilter --drop-unused-events "$T/in.file"
	locks_first pfilter --anon=all --anon-map "$T/map" "$T/in.file"
	echo comm_1 >"$T/in.text"
	locks_first pfilter --anon-undo "$T/map" "$T/in.text"
	locks_first pfilter --stats --dry-run "$T/in.file"
	locks_first pinject -b "$T/in.file"
	locks_first pinject --buildid-all "$T/in.file"
	locks_first pinject --buildid-dir "$T/out.dir" "$T/in.file"
	locks_first pinject --archive=symbols --buildid-dir "$T/out.symbols" "$T/in.file"
	done_all
}

@test "confine: behind the locks nothing works that is not needed" {
	able
	for places in "" "r /usr" "r /usr c /usr" "r /usr c /usr d /usr"; do
		try timeout -s KILL 20 confine $places </dev/null
		[ $rc = 0 ] && [ "$(grep -c ': refused$' "$T/out")" -ge 49 ] || failed "confine $places: $(grep -v refused "$T/out")"
	done
	# who looks files up can open them, to read
	try timeout -s KILL 20 confine s - </dev/null
	[ "$(grep -v ': refused$' "$T/out" | sed 1d | paste -sd,)" = "open: works" ] && [ "$(grep -c ': refused$' "$T/out")" -ge 48 ] ||
	    failed "confine s: $(grep -v refused "$T/out")"
	# who reads ELF files can make processes like itself
	try timeout -s KILL 20 confine p - </dev/null
	[ "$(grep -v ': refused$' "$T/out" | sed 1d | paste -sd,)" = "fork: works" ] && [ "$(grep -c ': refused$' "$T/out")" -ge 48 ] ||
	    failed "confine p: $(grep -v refused "$T/out")"
	done_all
}

# built MACROS...: the program that tries, as on another kernel.
built() {
	${CC:-cc} -D_GNU_SOURCE -I../common "$@" -o "$T/confine" confine.c ../common/tool/confine.c ../common/tool/confine_calls.c -pthread
}

@test "confine: on older kernels" {
	able
	declare -A more=([1]="open creat unlink unlinkat rename link symlink mkdir mount execve" [3]=truncate [6]="kill tgkill")
	for abi in 0 1 2 3 4 5 6; do
		turn 3 || continue
		[ $abi -le "$KERNEL_ABI" ] || break
		refused+=" ${more[$abi]-}"
		built -DCONFINE_ABI=$abi
		try timeout -s KILL 20 "$T/confine" r /usr </dev/null
		# without Landlock, the right to open is a right to open all
		[ $abi = 0 ] || [ $rc = 0 ] || failed "ABI $abi: $(grep -v refused "$T/out")"
		[ "$(head -n 1 "$T/out" | grep -o 'Landlock.*')" = "Landlock$([ $abi = 0 ] || echo " ABI $abi"), seccomp" ] || failed "ABI $abi"
		built -DCONFINE_ABI=$abi -DCONFINE_NO_CALLS
		try timeout -s KILL 20 "$T/confine" </dev/null
		for name in $refused; do
			grep -q "^$name: refused" "$T/out" || failed "ABI $abi alone: $(grep "^$name:" "$T/out")"
		done
		grep -q "no seccomp$" "$T/out" || failed "ABI $abi alone"
	done
	done_all
}

@test "confine: -v says what holds, --no-sandbox goes without" {
	able
	for t in $TOOLS; do
		try $(neutral $t) -v data/basic.pipe.data
		grep -qx "$t: confinement: Landlock ABI [0-9]*, seccomp" "$T/err" || failed "$t"
		try $(neutral $t) -v --no-sandbox data/basic.pipe.data
		grep -qx "$t: confinement: none, by --no-sandbox" "$T/err" || failed "$t --no-sandbox"
	done
	# psort -c takes few options
	try psort -c -v --no-sandbox "$(recipe sorted)"
	[ $rc = 0 ] && grep -qx "psort: confinement: none, by --no-sandbox" "$T/err" || failed "psort -c"
	done_all
}

@test "confine: a kernel that refuses what both locks need: it is said, always" {
	need native
	for t in $TOOLS; do
		try with_fault prctl:1+:EPERM $(neutral $t) data/basic.pipe.data
		[ $rc = 0 ] && [ -s "$T/out" ] || failed "$t"
		one_line "$t: warning: confinement: none: PR_SET_NO_NEW_PRIVS: Operation not permitted" || failed "$t"
		try with_fault prctl:1+:EPERM $(neutral $t) --no-sandbox data/basic.pipe.data
		[ $rc = 0 ] && [ ! -s "$T/err" ] || failed "$t --no-sandbox"
	done
	done_all
}

@test "confine: a kernel that refuses random numbers: tables have other seeds, and --anon needs a key" {
	need native
	for t in $TOOLS; do
		$(neutral $t) -q data/a_busy.pipe.data.zst >"$T/want"
		try with_fault getrandom:1+:ENOSYS $(neutral $t) -q data/a_busy.pipe.data.zst
		[ $rc = 0 ] && cmp "$T/want" "$T/out" || failed "$t"
	done
	try with_fault getrandom:1+:ENOSYS pfilter --anon all data/basic.pipe.data
	[ $rc = 2 ] && one_line "pfilter: --anon: no random bytes for a key" || failed "--anon"
	done_all
}
