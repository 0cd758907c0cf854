# SPDX-License-Identifier: ISC
# join(what is done to parts) = what is done to the whole: the table of perfpipe-fleet(7) for the parts of --switch-output.
load lib

# parts SIZE FILE: in $T/parts
parts() {
	rm -rf "$T/parts"
	mkdir "$T/parts"
	pcat -q --switch-output="$1" -o "$T/parts/p" "$2"
	[ "$(ls "$T/parts" | wc -l)" -ge 3 ] || failed "$*: $(ls "$T/parts" | wc -l) parts"
}

# says FILE: what perf script says of its samples; not the kernel's symbols, which would be those of this machine
says() {
	perf script -f --ns --symfs=/nonexistent --kallsyms=/dev/null -i "$1" 2>/dev/null
}

# alike COMMAND... FILE: to perf, for the parts of FILE
alike() {
	local p out=() f=${*: -1}
	for p in "$T"/parts/p.*; do
		try "${@:1:$#-1}" "$p"
		[ $rc = 0 ] || { failed "$* of ${p##*/}"; return 0; }
		mv "$T/out" "$T/of.${p##*/}"
		out+=("$T/of.${p##*/}")
	done
	psort --merge "${out[@]}" >"$T/joined"
	"$@" >"$T/one"
	psort "$T/one" >"$T/whole"
	says "$T/whole" >"$T/want"
	[ -s "$T/want" ] || failed "$*: perf says nothing"
	says "$T/joined" | diff "$T/want" - >"$T/diff" || failed "$*: $(head -n 6 "$T/diff")"
}

rows() {
	local f=$1
	while read -r row; do
		set -f
		set -- $row
		set +f
		alike "$@" "$f"
	done
}

@test "law of parts: pfilter" {
	need perf
	parts 16K data/demo.data
	rows data/demo.data <<-'END'
		pfilter --pid 42-90
		pfilter --exclude-pid 42-90
		pfilter --cpu 0
		pfilter --event cpu-clock*
		pfilter --comms bash,head
		pfilter --exclude-comms gzip
		pfilter --dsos [kernel.kallsyms]
		pfilter --time 2865.1,2865.7
		pfilter --filter callchain.nr>3&&cpumode==kernel
		pfilter --sideband=needed --comms bash
		pfilter --sample 30% --seed 7
		pfilter --strip callchain
		pfilter --max-stack 2
		pfilter --drop-event dummy:HG
	END
	done_all
}

@test "law of parts: pfilter with what depends on payloads, and with pseudonyms" {
	need perf
	(umask 077; echo "a key of thirty-two bytes or more" | sha256sum >"$T/key")
	parts 8K data/sched.pipe.data
	rows data/sched.pipe.data <<-'END'
		pfilter --filter sched:sched_switch{prev_pid>0}
		pfilter --filter raw.prev_prio>=100||prev_pid==0
	END
	parts 16K data/demo.data
	alike pfilter --anon all --anon-key "$T/key" data/demo.data
	done_all
}

@test "law of parts: pcat, psort and pinject" {
	need perf
	parts 16K data/demo.data
	rows data/demo.data <<-'END'
		pcat -z3 --frame-size=64K
		pcat --endian=big
		pcat --compat=6.1
		psort
		psort --full
		pinject --finished-init --finished-round=10ms
		pinject --mmap2-buildid-all --no-fs
	END
	done_all
}

@test "law of parts: what does not hold" {
	need perf
	need jq
	parts 16K data/demo.data
	# so that the page does not say less than there is
	samples_of_parts() {
		for p in "$T"/parts/p.*; do
			"$@" -q "$p" | pstat --json | jq .samples
		done | jq -s add
	}
	for o in "--max-samples 5" "--every 7" "--time 0%-50%" "--time +100ms,"; do
		[ "$(samples_of_parts pfilter $o)" != "$(pfilter $o data/demo.data | pstat --json | jq .samples)" ] || failed "$o"
	done
	done_all
}
