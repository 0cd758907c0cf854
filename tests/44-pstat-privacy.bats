# SPDX-License-Identifier: ISC
# pstat --privacy: what a recording gives away; after pfilter --anon all, nothing of what that promises.
load lib
load pstat

# given FILE [option...]: the rows that are not none, "row distinct".
given() {
	pstat --privacy --json "${@:2}" "$1" 2>/dev/null | jq -r '.privacy[] | select(.count > 0) | "\(.row) \(.distinct)"'
}
# A recording with something in each row.
secrets() {
	cat <<-'END'
		attr type=1 config=0 period=1 sample_type=IP|TID|TIME|PERIOD|CALLCHAIN|RAW|BRANCH_STACK|REGS_USER|STACK_USER|PHYS_ADDR flags=sample_id_all|mmap|comm|mmap2|use_clockid clockid=0 ids=11 branch_sample_type=1 regs_user=3 stack_user=16
		HEADER_FEATURE feat_id=3 fs=build7.acme.example
		HEADER_FEATURE feat_id=4 fs=6.1.0-13-acme
		HEADER_FEATURE feat_id=5 fs=6.1.52
		HEADER_FEATURE feat_id=8 fs=Acme\sCPU
		HEADER_FEATURE feat_id=28 u4=1 fs=branches fs=32
		HEADER_FEATURE feat_id=10 u8=16384001
		HEADER_FEATURE feat_id=11 u4=3 fs=perf fs=record fs=/home/alice/bin/prog
		HEADER_FEATURE feat_id=29 u4=1 u4=1 u8=1700000000000000000 u8=1000
		HEADER_FEATURE feat_id=32
		EVENT_UPDATE update_type=2 id=11 z=cpu-clock/name=acme/
		HEADER_BUILD_ID misc=2 pid=-1 build_id=000102030405060708090a0b0c0d0e0f10111213 id_size=20 filename=/home/bob/lib.so
		BPF_METADATA prog_name=prog list=owner/alice
		MMAP misc=1 pid=-1 tid=0 start=0xffffffff81000000 len=0x3fffffff pgoff=0xffffffff81000000 filename=[kernel.kallsyms]_text
		COMM pid=100 tid=100 comm=alpha
		MMAP2 misc=2 pid=100 tid=100 start=0x400000 len=0x10000 maj=8 min=1 ino=4242 prot=5 flags=2 filename=/home/alice/bin/prog
		MMAP2 misc=2 pid=100 tid=100 start=0x7f0000000000 len=0x1000 prot=5 flags=2 filename=[vdso]
		NAMESPACES pid=100 tid=100 list=4/4026531841
		CGROUP id=77 path=/kubepods/pod0f3a2b1c-1111-2222-3333-444455556666/docker-aaaabbbbccccddddeeeeffff0000111122223333444455556666777788889999.scope
		KSYMBOL addr=0xffffffffc0001000 len=64 ksym_type=1 name=bpf_prog_1234_secret
		TEXT_POKE addr=0xffffffff81000010 old_len=5 new_len=5 bytes=0f1f440000e801020304
		AUXTRACE_INFO aux_type=1 priv=1,2,3
		rec type=100 zeros=8
		SAMPLE misc=2 ip=0x401000 pid=100 time=1000 period=1 chain=0xfffffffffffffe00,0x401000 raw=0102030405060708090a0b0c branch=0x401000/0x402000/1 uregs=2,6,7 stack=000102030405060708090a0b0c0d0e0f phys_addr=0x5000
		SAMPLE misc=1 ip=0xffffffff81000010 pid=100 time=1001 period=1
	END
}

@test "privacy: a value of each row is found" {
	need jq
	secrets | mkpipe >"$T/in"
	given "$T/in" >"$T/given"
	sed -n 's/^ROW(\([A-Z_]*\),.*/\1/p' ../cmd/pstat/privacy/rows.def | tr A-Z_ a-z- | sort >"$T/rows"
	# bpf: programs of a header feature
	diff <(cut -d ' ' -f 1 "$T/given" | sort) <(grep -vx bpf "$T/rows")
	for x in "host 1" "command 3" "users 2" "paths 2" "containers 1" "versions 1" "comms 1" "events 1"; do
		grep -qx "$x" "$T/given" || failed "$x"
	done
	done_all
}

# A component home, homes, users ... before a name; data/homes.list has the paths, and the user in each.
@test "privacy: users, by their home directories wherever these are" {
	need jq
	head='attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap2 ids=11'
	while read -r path user; do
		for line in "MMAP2 misc=2 pid=100 tid=100 start=0x400000 len=0x1000 prot=5 flags=2 filename=$path" "HEADER_FEATURE feat_id=11 u4=1 fs=$path"; do
			printf '%s\n' "$head" "$line" | mkpipe >"$T/in"
			got=$(pstat --privacy --json -v "$T/in" 2>/dev/null | jq -r '.privacy[] | select(.row == "users") | .names | join(" ")')
			[ "$got" = "${user#-}" ] || failed "$path: '$got', not '$user'"
		done
		printf '%s\n' "$head" "MMAP2 misc=2 pid=100 tid=100 start=0x400000 len=0x1000 prot=5 flags=2 filename=$path" | mkpipe |
		    pfilter --anon all -q >"$T/anon" 2>/dev/null
		pstat --privacy "$T/anon" | grep -q ' none .* users, by' || failed "$path: --anon all leaves a user"
	done <data/homes.list
	[ "$(wc -l <data/homes.list)" -ge 20 ]
	done_all
}

@test "privacy: times by the wall clock, without CLOCK_DATA" {
	need jq
	for x in "0 3" "11 3" "1 0" "7 0"; do
		set -- $x
		mkpipe >"$T/in" <<-END
			attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|use_clockid clockid=$1 ids=11
			COMM pid=100 tid=100 comm=alpha @ time=1700000000900000000
			SAMPLE misc=2 ip=0x401000 pid=100 time=1700000001000000000
			SAMPLE misc=2 ip=0x401000 pid=100 time=1700000001900000000
			SAMPLE misc=2 ip=0x401000 pid=100 time=1700000002000000000
		END
		got=$(given "$T/in" | sed -n 's/^wall-clock //p')
		[ "${got:-0}" = "$2" ] || failed "clock $1: $got"
		! given "$T/in" | grep -q wall-time || failed "clock $1: wall-time"
		pstat "$T/in" | grep -q '^contains.*wall-clock' || [ "$2" = 0 ] || failed "clock $1: the screen"
	done
	done_all
}

@test "privacy: names only with -v" {
	secrets | mkpipe >"$T/in"
	pstat --privacy "$T/in" >"$T/out"
	! grep -E 'acme|alice|bob|alpha|secret' "$T/out" || failed "without -v"
	pstat --privacy --json "$T/in" | jq -r '.privacy' >"$T/out"
	! grep -E 'acme|alice|bob|alpha|secret' "$T/out" || failed "JSON without -v"
	pstat --privacy -v "$T/in" >"$T/out" 2>/dev/null
	for x in build7.acme.example alice bob alpha bpf_prog_1234_secret /home/alice/bin/prog; do
		grep -q "^    $x$" "$T/out" || failed "-v: $x"
	done
	done_all
}

@test "privacy: the first place" {
	need jq
	secrets | mkpipe >"$T/in"
	at=$(secrets | mkpipe -l | awk -F '\t' '$3 == "COMM" { print $1; exit }')
	[ "$(pstat --privacy --json "$T/in" | jq '.privacy[] | select(.row == "comms") | .offset')" = "$at" ]
}

# What pfilter promises: rows whose anon_all is none.
nothing_left() {
	pfilter --anon all -q "$1" >"$T/anon" 2>/dev/null || [ -s "$T/anon" ] || return 0
	left=$(pstat --privacy --json -v -q "$T/anon" 2>/dev/null |
	    jq -r '.privacy[] | select(.anon_all == "none" and .count > 0) | "\(.row)=\(.names | tostring)"')
	[ -z "$left" ] || failed "$1: $left"
}
@test "privacy: pfilter --anon all leaves nothing of what it promises" {
	need jq
	secrets | mkpipe >"$T/in"
	nothing_left "$T/in"
	for f in data/*.data; do
		nothing_left "$f"
	done
	for f in all-types every-sample every-sample-b two-events; do
		[ ! -f "data/$f.txt" ] || nothing_left "$(recipe "$f")"
	done
	done_all
}

@test "privacy: each row's option takes it out" {
	need jq
	secrets | mkpipe >"$T/in"
	while read -r row command; do
		case $command in
		"pfilter --anon"*|"pfilter --drop-type"*|"pfilter --strip"*|"pcat --no-features"*|"nothing here") ;;
		*) failed "$row: $command"; continue;;
		esac
		case $row in
		bpf|unknown|texts|build-ids|pids|namespaces|code) continue;;	# not in it, or pseudonyms look the same
		wall-clock) [ "$command" = "nothing here" ] || failed "$row"; continue;;
		esac
		$command -q "$T/in" >"$T/out" 2>"$T/err" || failed "$row: $command: $(cat "$T/err")"
		! given "$T/out" | grep -q "^$row " || failed "$row: $command"
	done < <(pstat --privacy --json "$T/in" | jq -r '.privacy[] | "\(.row) \(.option)"')
	# hardware: each feature with such facts, also those that only a file has
	pstat --privacy --json "$T/in" | jq -r '.privacy[] | select(.row == "hardware") | .option' | sed 's/.*=//' | tr , '\n' | sort >"$T/named"
	sed -n 's/^FEAT([ 0-9]*, \([A-Z_]*\), *[A-Z]*, *HARDWARE,.*/\1/p' ../common/record/feature.def | tr A-Z a-z | sort | diff - "$T/named" >"$T/diff" ||
	    failed "hardware: $(cat "$T/diff")"
	[ -s "$T/named" ] || failed "hardware: no feature"
	done_all
}

@test "privacy: the page has each row" {
	sed -n 's/^ROW(\([A-Z_]*\), "\([^"]*\)", \([A-Z]*\),.*/\1 \3 \2/p' ../cmd/pstat/privacy/rows.def | tr A-Z_ a-z- >"$T/rows"
	sed -n '/^\.It Cm [a-z-]* Ar [a-z]*$/{ s/^\.It Cm \(.*\) Ar /\1 /; N; s/\n/ /; s/\.$//; p; }' ../man/pstat.1 |
	    grep -v '^[ewn][0-9]' | tr A-Z_ a-z- >"$T/page"
	[ "$(wc -l <"$T/rows")" -ge 25 ]
	diff "$T/rows" "$T/page"
}

@test "privacy: memory is bounded, and what is beyond is said" {
	need native
	! sanitized || skip "a sanitizer needs its own memory"
	need jq
	awk 'BEGIN {
		print "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|comm ids=11"
		for (i = 1; i < 120000; i++)
			print "COMM pid=" i " tid=" i " comm=c" i
	}' | mkpipe >"$T/in"
	(ulimit -v 65536; pstat --privacy --json -q "$T/in" >"$T/out")
	jq -e '.privacy[] | select(.row == "comms") | .rough and .count == 119999 and .distinct < 119999' "$T/out"
	jq -e '.exact | not' "$T/out"
}

@test "privacy: a value is counted in its row, whatever numbers other rows have" {
	need jq
	# pseudonyms of tasks are as many as the tasks
	pfilter -q --anon pid data/sched.pipe.data >"$T/anon"
	for f in data/sched.pipe.data "$T/anon"; do
		pstat --privacy --json -q "$f" | jq '.privacy[] | select(.row == "pids") | .distinct' >>"$T/pids"
	done
	[ "$(sort -u "$T/pids" | wc -l)" = 1 ]
}

@test "privacy: names and addresses in payloads of tracepoints, and what follows their formats" {
	need jq
	need python3
	python3 payload.py make little 3 | mkpipe >"$T/in"
	# of 3 samples of each event: 9 names of tasks, 6 paths; the text behind the formats
	for x in "comms 10" "paths 6" "kernel-addr 5" "raw 8"; do
		given "$T/in" | grep -qx "$x" || failed "$x: $(given "$T/in" | tr '\n' ' ')"
	done
	pfilter -q --anon comm,path,addr "$T/in" >"$T/anon"
	! given "$T/anon" | grep -E '^(comms|paths|kernel-addr) ' || failed "left"
	pfilter -q --anon pid "$T/in" >"$T/anon"
	! given "$T/anon" | grep '^raw ' || failed "raw is left"
	done_all
}

# perf probe --add 'GROUP:EVENT=...', and whoever writes to uprobe_events, can take any group.
@test "privacy: a probe in a group of any name is an event after a program" {
	need jq
	need python3
	local hex=$(printf probe_secret | od -An -tx1 | tr -d ' \n') other group
	for group in probe_secret mine_secrets; do
		other=$(printf $group | od -An -tx1 | tr -d ' \n')
		python3 payload.py make little 3 | sed "s/probe_secret/$group/g; s/$hex/$other/g" | mkpipe >"$T/in"
		[ "$(pstat --privacy -v --json "$T/in" | jq -c '.privacy[] | select(.row == "events") | [.distinct, .bytes, .names]')" = \
		    "[1,24,[\"$group:hidden_main\"]]" ] || failed "$group: $(given "$T/in" | tr '\n' ' ')"
		pfilter -q --anon event "$T/in" >"$T/anon"
		! given "$T/anon" | grep '^events ' || failed "$group: left"
	done
	done_all
}

@test "privacy: names that look like pseudonyms, and those that are only close to one" {
	need jq
	# PATH...: of each line, all of the first part are hidden, none of the second is
	{
		echo 'attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap ids=11'
		for p in /p0123456789/pabcdef0123.so //p0123456789//pabcdef0123 / '/p0123456789\s(deleted)' /SYSV0123456789 /memfd:p0123456789 \
		    '[anon:p0123456789]' '[stack:p0123456789]' '[m0123456789]' m0123456789.ko anon_inode:p0123456789 '[vdso]' '[heap]'; do
			echo "MMAP misc=2 pid=1 tid=1 start=0x1000 len=0x1000 pgoff=0 filename=$p"
		done
	} | mkpipe >"$T/in"
	[ "$(given "$T/in" | grep paths)" = "" ] || failed "hidden: $(pstat --privacy --json -v "$T/in" | jq -c '.privacy[] | select(.row == "paths").names')"
	for p in /p012345678 /p012345678g /p012345678A /p01234567890 /q0123456789 /p0123456789.sx /p0123456789.xo /p0123456789/acme \
	    /acme/p0123456789 '/acme\s(deleted)' '/p0123456789\s(deleted)x' /memfd:acme '[anon:p012345678x]' '[m0123456789' '[m012345678]' m0123456789.kox; do
		printf '%s\n' 'attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap ids=11' \
		    "MMAP misc=2 pid=1 tid=1 start=0x1000 len=0x1000 pgoff=0 filename=$p" | mkpipe >"$T/in"
		[ "$(given "$T/in" | grep paths)" = "paths 1" ] || failed "$p is taken for a pseudonym"
	done
	for s in symbol_0123456789: bpf_prog_acme:1 symbol_012345678:1 symbol_012345678X:1; do
		printf '%s\n' 'attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|ksymbol ids=11' \
		    "KSYMBOL addr=0xffffffffc0001000 len=64 ksym_type=1 name=${s%:*}" | mkpipe >"$T/in"
		[ "$(given "$T/in" | sed -n 's/^symbols //p')" = "${s#*:}" ] || failed "$s"
	done
	done_all
}
