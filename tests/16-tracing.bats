# SPDX-License-Identifier: ISC
# All tools: TRACING_DATA that perf would stop at in a stream.  What perf does not read of it is left out and said; a perf.data has all.
load lib

# The smallest contents, and their padding.
C=17084474726163696e67302e35000008001000006865616465725f706167650000000000000000006865616465725f6576656e7400000000000000000000000000000000000000000000000000
PAD=000000

# made KIND: a stream in $T/KIND; the record, or none, is between attr and samples
made() {
	local d
	case $1 in
	none) d=;;
	sound) d="HEADER_TRACING_DATA payload=$C$PAD";;
	surplus) d="HEADER_TRACING_DATA payload=$C${PAD}00000000000000000011223344556677";;
	unpadded) d="HEADER_TRACING_DATA payload=$C";;
	cut) d="HEADER_TRACING_DATA payload=${C:0:144}";;
	malformed) d="HEADER_TRACING_DATA payload=ff${C:2}$PAD";;
	inside) d="rec type=66 u4=77 x=$C$PAD";;
	empty) d="HEADER_TRACING_DATA data_size=0";;
	second) d="HEADER_TRACING_DATA payload=$C$PAD"$'\n'"HEADER_TRACING_DATA payload=$C$PAD";;
	esac
	mkpipe - >"$T/$1" <<-END
		attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME|PERIOD flags=sample_id_all|comm|mmap ids=1
		$d
		COMM pid=100 tid=100 comm=alpha @ pid=100 tid=100 time=1 id=1
		SAMPLE id=1 misc=2 ip=0x401000 pid=100 tid=100 time=1000 period=1
		SAMPLE id=1 misc=2 ip=0x401001 pid=100 tid=100 time=2000 period=1
		FINISHED_ROUND
	END
}
# What each is to become, and what is said of it.
kinds() {
	cat <<-'END'
		surplus sound of which perf reads 77: .*; they are left out
		unpadded sound no multiple of 8; padded
		second sound a second one in a stream; left out
		cut none cut or malformed, perf would stop at it in a stream; left out
		malformed none cut or malformed, perf would stop at it in a stream; left out
		inside none as simpleperf writes them, perf would stop at it in a stream; left out
		empty none it is empty, perf would stop at it in a stream; left out
	END
}
tools() {
	cat <<-'END'
		pcat
		pcat -z
		pcat --repair
		pcat --endian=big
		pcat --compat=6.1
		pcat --piece=1/2
		pfilter
		pfilter --pid 100
		pfilter --comms alpha --sideband=needed
		pfilter --anon all --anon-key KEY
		pfilter --drop-unused-events
		pfilter --every 2
		psort
		psort --full
		pinject
		pinject --finished-init
		pinject --sample-time
	END
}

@test "tracing data that perf refuses in a stream: each tool leaves out what perf does not read, says so, and does all else" {
	head -c 32 /dev/urandom >"$T/key"
	chmod 600 "$T/key"
	made sound
	made none
	while read -r kind as said; do
		made $kind
		while read -r tool; do
			tool=${tool/KEY/$T/key}
			$tool "$T/$as" >"$T/want" 2>/dev/null
			try $tool "$T/$kind"
			[ $rc = 1 ] && cmp "$T/want" "$T/out" && one_line "${tool%% *}: $T/$kind: byte " && grep -q "TRACING_DATA: .*$said" "$T/err" ||
			    failed "$tool: $kind"
		done < <(tools)
		rc=0
		cat "$T/$kind" | pcat 2>"$T/err" | cmp - "$T/$as" && grep -q "^pcat: <stdin>: byte .*$said" "$T/err" || failed "pipe: $kind"
	done < <(kinds)
	done_all
}

@test "tracing data that perf refuses: joins, parts and pieces" {
	made sound
	made none
	while read -r kind as said; do
		made $kind
		for tool in "pcat --merge-attrs" "psort --merge"; do
			pfilter --every 2 "$T/$as" >"$T/other"
			$tool "$T/$as" "$T/other" >"$T/want"
			try $tool "$T/$kind" "$T/other"
			[ $rc = 1 ] && cmp "$T/want" "$T/out" && one_line "${tool%% *}: $T/$kind: byte " && grep -q "$said" "$T/err" || failed "$tool: $kind"
		done
		mkdir "$T/parts" "$T/want.d"
		(cd "$T/want.d" && pcat --switch-output=rounds:1 --output-template part.%n "$T/$as") || failed "parts of $as"
		(cd "$T/parts" && try pcat --switch-output=rounds:1 --output-template part.%n "$T/$kind"; [ $rc = 1 ]) || failed "parts of $kind: status"
		diff -r "$T/want.d" "$T/parts" || failed "parts of $kind"
		rm -r "$T/parts" "$T/want.d"
	done < <(kinds)
	done_all
}

@test "tracing data that perf refuses in a stream: a perf.data has all of it, and a stream of that is as one of the stream" {
	made sound
	made none
	while read -r kind as said; do
		made $kind
		for tool in pcat "pfilter --pid 100" psort "pinject --finished-init"; do
			try $tool --format=file -f -o "$T/$kind.file" "$T/$kind"
			[ $rc = 0 ] && ! [ -s "$T/err" ] || failed "$tool: $kind"
			case $kind in inside|unpadded|second|empty) continue;; esac	# in a section they are as perf writes it
			try pcat "$T/$kind.file"
			[ $rc = 1 ] && one_line "pcat: $T/$kind.file: byte " && grep -q "$said" "$T/err" || failed "$tool: stream of the file of $kind"
		done
	done < <(kinds)
	for kind in sound inside unpadded; do
		pcat --format=file -f -o "$T/file" "$T/$kind"
		try pcat "$T/file"
		[ $rc = 0 ] && [ "$(od -An -v -tx1 "$T/out" | tr -d ' \n' | grep -c "$C$PAD")" = 1 ] || failed "file of $kind"
	done
	done_all
}

# changed KIND: a recording of perf with other TRACING_DATA
changed() {
	python3 - data/sched_R.pipe.data "$1" <<-'END'
		import struct, sys
		b = open(sys.argv[1], "rb").read()
		out, at = bytearray(b[:16]), 16
		while at < len(b):
		    kind, misc, size = struct.unpack_from("<IHH", b, at)
		    n = struct.unpack_from("<I", b, at + 8)[0] if kind == 66 else 0
		    p = b[at + size:at + size + n]
		    if kind != 66:
		        out += b[at:at + size + n]
		    elif sys.argv[2] == "surplus":
		        out += struct.pack("<IHHII", 66, 0, 16, n + 64, 0) + p + bytes(64)
		    elif sys.argv[2] == "second":
		        out += 2 * b[at:at + size + n]
		    elif sys.argv[2] == "inside":
		        out += struct.pack("<IHHI", 66, 0, 12 + n, n) + p
		    at += size + n
		sys.stdout.buffer.write(out)
	END
}

@test "tracing data that perf refuses in a stream: perf reads what the tools make of it as it reads sound data" {
	need perf
	need python3
	perf script -i data/sched_R.pipe.data >"$T/want" 2>/dev/null
	[ -s "$T/want" ]
	for kind in surplus second inside; do
		changed $kind >"$T/$kind"
		! perf script -i "$T/$kind" >"$T/out" 2>/dev/null || failed "perf reads the stream of $kind"
		try pfilter "$T/$kind"
		[ $kind = inside ] || perf script -i "$T/out" 2>/dev/null | cmp - "$T/want" || failed "stream of $kind"
		pcat --format=file -f -o "$T/file" "$T/$kind"
		perf script -i "$T/file" 2>/dev/null | cmp - "$T/want" || failed "file of $kind"
	done
	try pcat --repair --formats-from data/sched_R.pipe.data "$T/inside"
	[ $rc = 1 ]
	perf script -i "$T/out" 2>/dev/null | cmp - "$T/want"
	done_all
}

@test "tracing data of simpleperf: left out of a stream, read by perf in a file" {
	need corpus
	need perf
	f=$CORPUS/foreign/simpleperf/perf_with_tracepoint_event.data
	[ -e "$f" ] || skip "no such recording"
	try pcat "$f"
	[ $rc = 1 ]
	one_line "pcat: $f: byte 488: TRACING_DATA: its data are inside of the record, as simpleperf writes them"
	try pcat --format=file -o "$T/file" "$f"
	[ $rc = 0 ]
	perf script -i "$T/file" 2>/dev/null | grep -c "sched:sched_switch: .*next_comm=" >"$T/n"
	[ "$(cat "$T/n")" -gt 20 ]
}
