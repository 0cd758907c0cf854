# SPDX-License-Identifier: ISC
# Comparisons of the tools with perf, for a recording.
# Sourced by 50-oracle*.bats (behind lib.bash); also run by itself, "bash oracle.bash CHECK RECORDING", in the function by():
# recordings are many and perf is slow, so they are checked in parallel.
#
# perf 6.1 does not show a seekable file and the same records in a pipe alike: default fields of some events differ, call
# chains are unwound in files only, pid, tid and cpu of a foreign machine's samples are mixed up in pipes.  So where the
# default output differs, it is compared with that of perf's own pipe form of the file (perf inject), and if perf cannot make
# one, by explicit fields without chains.  What perf 6.1 cannot read is left to tools/dump.py beside the corpus, a dissector
# that shares nothing with perf or with us.

source "$(dirname "${BASH_SOURCE[0]}")/perf.bash"

DUMP=${CORPUS:-/nonexistent}/../tools/dump.py
FIELDS="comm,pid,tid,cpu,time,event,ip,sym,dso,period comm,pid,tid,time,event,ip,sym,dso,period comm,pid,tid,time,event,trace
time,event,ip,sym,period"
export DEBUGINFOD_URLS=

# recordings [PATTERN]: those that data/ has, or with $ALL the corpus; not what is no perf recording, or one that perf reads in
# part only.
recordings() {
	local f
	if [ "${ALL-}" ] && [ -d "$CORPUS" ]; then
		for f in "$CORPUS"/own/* "$CORPUS"/foreign/*/*; do
			case $f in
			*/pprof/*|*/hotspot/*|*/quipper_fuzz/*|*/probe.data.stream) continue;;
			esac
			[[ $f == ${1-*} ]] && echo "$f"
		done
	else
		for f in data/*.data; do
			[[ $f == ${1-*} ]] && echo "$f"
		done
	fi
}

# by CHECK: run it for each recording named on standard input.
by() {
	export O PATH CORPUS
	xargs -r -d '\n' -n 1 -P "$(nproc)" bash oracle.bash "$1"
}

# ---- perf, and the judge -----------------------------------------------------------------------------

# script OUT [option...]: perf script, whatever its status: it reports 0 for failures and others for successes.
script() {
	local out=$1
	shift
	perf script -f --ns "$@" 2>"$out.err" </dev/null | ${lines_of:-cat} >"$out" || true
}
# Without the samples of tid -1, of tasks that are gone: which pid perf takes them for depends on what it saw before.
without_gone() {
	awk '/^ *:-1 +-1[ \/]/ { gone = 1; next } /^[^\t]/ { gone = 0 } !gone'
}

# Records that are in the data of any container, by the dissector, without where they stand.
kernel_records() {
	python3 "$DUMP" "$1" 2>/dev/null | awk -F '\t' -v OFS='\t' '
		$3 !~ /^(HEADER_|TRACING_DATA|BUILD_ID|EVENT_UPDATE|COMPRESSED)/ { $1 = $2 = ""; print }'
}
has_dump() {
	[ -f "$DUMP" ] && [ "$(stat -L -c %s "$1")" -lt 25000 ] && command -v python3 >/dev/null
}

differ() {
	echo "FAILED: $*"
	if [ -s "$W/diff" ]; then head -n 20 "$W/diff"; fi
	bad=1
}

# agree IN OUT [option...]: is perf script of IN with these options perf script of OUT?  The difference of the default fields
# is in $W/diff.
agree() {
	local in=$1 out=$2 F
	shift 2
	script "$W/want" -i "$in" "$@"
	script "$W/got" -i "$out"
	diff -u "$W/want" "$W/got" >"$W/diff" && return
	[ -f "$W/piped" ] || perf inject -f -i "$in" -o - >"$W/piped" 2>/dev/null </dev/null
	script "$W/want" -i "$W/piped" "$@"
	[ -s "$W/want" ] && cmp -s "$W/want" "$W/got" && return
	for F in $FIELDS; do
		script "$W/want" -G -F "$F" -i "$in" "$@"
		script "$W/got" -G -F "$F" -i "$out"
		[ -s "$W/want" ] && cmp -s "$W/want" "$W/got" && return
	done
	return 1
}

# Most of perf's time goes into reading symbols.  Which task a sample belongs to, its time and map do not depend on them, so
# with_symbols uses them for one recording in three, and the others have no symbols.
bare="--symfs=/nonexistent --kallsyms=/dev/null"
with_symbols() {
	[ $(($(stat -L -c %s "$1") / 8 % 3)) = 0 ]
}
# alike IN OUT [option...]: as agree, by the bare output if that is enough.
alike() {
	local in=$1 out=$2
	shift 2
	if ! with_symbols "$in"; then
		script "$W/want" $bare -i "$in" "$@"
		script "$W/got" $bare -i "$out"
		[ -s "$W/want" ] && cmp -s "$W/want" "$W/got" && return
	fi
	agree "$in" "$out" "$@"
}

# same_records IN OUT: does the dissector print the same for both?  True if there is none, or if it would take long.
same_records() {
	has_dump "$1" || return 0
	diff -u <(kernel_records "$1") <(kernel_records "$2") >"$W/diff"
}

# perf_delivers FILE, perf_finds FILE: a line for each record, in the order in which perf delivers them, and in that of the
# file.  Without records that psort moves, writes itself or expands; without offsets.
perf_delivers() {
	perf report -f -D -i "$@" 2>/dev/null </dev/null | grep -a PERF_RECORD_ |
	    grep -av 'PERF_RECORD_\(FINISHED_ROUND\|COMPRESSED\|FEATURE\)' | sed 's/0x[0-9a-f]* \[0x/[0x/'
}
perf_finds() {
	perf_delivers "$1" --disable-order
}

# perf_samples FILE: does it get to samples at all?
perf_samples() {
	script "$W/reads" $bare -i "$1" -F ip
	[ -s "$W/reads" ]
}

# ---- checks ------------------------------------------------------------------------------------------

# pcat: the same stream, or the same output of perf as for the file.
check_pcat() {
	local rc=0
	pcat "$1" >"$W/out" 2>"$W/err" || rc=$?
	if [ $rc != 0 ]; then
		# Refused, or read up to a fault: then the dissector must find a fault, too.
		[ $rc = 1 ] && [ "$(wc -l <"$W/err")" = 1 ] || differ "pcat: status $rc: $(cat "$W/err")"
		has_dump "$1" || return 0
		# Tracing data inside of the record are no fault for the dissector, but perf would stop at them in a stream.
		grep -q "TRACING_DATA: its data are inside of the record" "$W/err" ||
		! python3 "$DUMP" --check "$1" 2>&1 | grep -q 'problems=0 error=None' || differ "pcat: $(cat "$W/err")"
		! [ -s "$W/out" ] || same_records "$1" "$W/out" || differ "pcat: the records before the fault"
		return
	fi
	cmp -s "$1" "$W/out" && return
	alike "$1" "$W/out" || ! perf_samples "$1" || ! perf_samples "$W/out" || differ "pcat: perf script differs"
	case $1 in
	*/simpleperf/perf_with_tracepoint*) ;;	# has tracing data where perf has records
	*) same_records "$1" "$W/out" || differ "pcat: not the same records";;
	esac
}

# psort: perf's order, and in order.
check_psort() {
	local rc=0
	psort "$1" >"$W/out" 2>"$W/err" || rc=$?
	[ $rc = 0 ] || { check_refusal psort "$1"; return; }
	alike "$1" "$W/out" || ! perf_samples "$1" ||
	    ! perf_samples "$W/out" || differ "psort: perf script differs"
	# perf script sorts the output of psort again; the dissector does not
	pcat -q "$1" >"$W/stream" 2>/dev/null || differ "psort: pcat refuses"
	perf_delivers "$W/stream" >"$W/want"
	! [ -s "$W/want" ] || perf_finds "$W/out" | diff -u "$W/want" - >"$W/diff" || differ "psort: not perf's order"
	if ! grep -q 'arrived later than their round' "$W/err"; then
		psort -c "$W/out" >"$W/diff" 2>&1 || differ "psort -c of what psort made"
	fi
	[[ $1 == */simpleperf/perf_with_tracepoint* ]] || ! has_dump "$1" || diff -u <(timed "$1" --ordered) <(timed "$W/out") >"$W/diff" ||
	    differ "psort: not the dissector's order"
}
# The records that are put in order, by the dissector.
timed() {	# FILE [--ordered]
	python3 "$DUMP" ${2-} "$1" 2>/dev/null |
	    awk -F '\t' -v OFS='\t' '$8 != "-" && $8 != 0 { $1 = $2 = ""; print }'
}

# A tool has failed: correct if pcat or perf fails, too.
check_refusal() {
	! pcat "$2" >/dev/null 2>&1 || ! perf_samples "$2" || differ "$1: gave up: $(cat "$W/err")"
}

# words FIELD: the different words of that column of $W/col, the most frequent first.
words() {
	cut -d ' ' -f "$1" "$W/col" | sort | uniq -c | sort -k1,1nr -k2 | awk '{ print $2 }'
}

# select_like IN OPTION VALUE [option...]: pfilter's selection against perf's.
select_like() {
	local in=$1 option=$2 value=$3 rc=0
	shift 3
	local lines_of=without_gone
	set -- --no-itrace "$@"		# samples that perf decodes from hardware trace, which is kept as a whole, are of any task
	script "$W/want" "$@" -i "$in" "$option" "$value"
	if ! [ -s "$W/want" ] && [ -s "$W/want.err" ]; then
		return			# perf refuses (no CPU in the samples...)
	fi
	pfilter "$option" "$value" "$in" >"$W/out" 2>"$W/err" || rc=$?
	[ $rc = 0 ] || { differ "pfilter $option $value: status $rc: $(cat "$W/err")"; return; }
	script "$W/got" "$@" -i "$W/out"
	# perf may print nothing for a stream with hardware trace, but all samples for the file
	[ -s "$W/got" ] || ! pcat -q --format=file -f -o "$W/out.file" "$W/out" 2>/dev/null ||
	    script "$W/got" "$@" -i "$W/out.file"
	[ -s "$W/want" ] && cmp -s "$W/want" "$W/got" || agree "$in" "$W/out" "$option" "$value" ||
	    differ "pfilter $option $value: perf script differs"
}

check_pfilter() {
	local -a pid=() tid=() cpu=() time=()

	case $1 in *p72_group_S*) return;; esac	# values per thread, which perf has since 7
	script "$W/col" $bare -i "$1" -G -F pid,tid,cpu,time
	[ -s "$W/col" ] || script "$W/col" $bare -i "$1" -G -F pid,tid,time
	[ -s "$W/col" ] || return 0
	pcat "$1" >/dev/null 2>&1 || return 0	# damaged: check_pcat's business
	sed -i 's|/| |; s/\[//; s/\]//; s/://; s/^ *//; s/  */ /g' "$W/col"
	mapfile -t pid < <(words 1)
	mapfile -t tid < <(words 2)
	[ "$(awk '{ print NF; exit }' "$W/col")" != 4 ] || mapfile -t cpu < <(words 3 | sed 's/^00*\(.\)/\1/')
	mapfile -t time < <(awk '{ print $NF }' "$W/col" | sort -n)
	if with_symbols "$1"; then
		select_like "$1" --pid "${pid[0]}"
	else
		select_like "$1" --pid "${pid[0]}" $bare
	fi
	[ ${#pid[@]} -lt 2 ] || select_like "$1" --pid "${pid[-1]},${pid[${#pid[@]} / 2]}" $bare
	[ ${#tid[@]} -lt 2 ] || select_like "$1" --tid "${tid[${#tid[@]} / 2]}" $bare
	[ ${#cpu[@]} -lt 2 ] || select_like "$1" --cpu "${cpu[-1]}" $bare
	[ ${#time[@]} -lt 4 ] ||
	    select_like "$1" --time "${time[${#time[@]} / 4]},${time[${#time[@]} * 2 / 3]}" $bare
}

# history_like IN OPTION VALUE PERFOPTION [pfilter option...]: where perf shows the pipe form of a recording otherwise, what
# is left of all side-band is the judge.
history_like() {
	local in=$1 option=$2 value=$3 perf=$4 F="comm,pid,tid,event,ip,sym,dso" rc=0
	shift 4
	pfilter "$option" "$value" "$@" "$in" >"$W/out" 2>"$W/err" || rc=$?
	[ $rc = 0 ] || { differ "pfilter $option $value: status $rc: $(cat "$W/err")"; return; }
	script "$W/want" $bare -F "$F" -i "$in" "$perf" "$value"
	script "$W/got" $bare -F "$F" -i "$W/out"
	! cmp -s "$W/want" "$W/got" || return 0
	pfilter "$option" "$value" "$in" >"$W/all" 2>/dev/null
	script "$W/want" $bare -F "$F" -i "$W/all"
	diff -u "$W/want" "$W/got" >"$W/diff" || differ "pfilter $option $value $*: perf script differs"
}

# The comms, pids and tids of a recording: some of each, frequent and rare.
check_state() {
	local -a comm=() dso=()

	pcat "$1" >/dev/null 2>&1 || return 0
	script "$W/col" $bare -i "$1" -G -F comm
	sed -i 's/^ *//; s/ *$//; /[ ,]/d; /^$/d' "$W/col"
	mapfile -t comm < <(words 1)
	[ ${#comm[@]} -lt 1 ] || history_like "$1" --comms "${comm[0]}" --comms
	[ ${#comm[@]} -lt 3 ] || history_like "$1" --comms "${comm[${#comm[@]} / 2]},${comm[-1]}" --comms
	script "$W/col" $bare -i "$1" -G -F ip,dso
	sed -i 's/.*(\(.*\))$/\1/; /[ ,]/d; /^$/d' "$W/col"
	mapfile -t dso < <(words 1)
	[ ${#dso[@]} -lt 1 ] || history_like "$1" --dsos "${dso[0]}" --dsos
	[ ${#dso[@]} -lt 3 ] || history_like "$1" --dsos "${dso[1]},${dso[-1]}" --dsos --sideband=needed
}
check_needed() {
	local -a pid=() tid=() comm=()

	pcat "$1" >/dev/null 2>&1 || return 0
	script "$W/col" $bare -i "$1" -G -F pid,tid
	sed -i 's|/| |; s/^ *//; s/  */ /g' "$W/col"
	mapfile -t pid < <(words 1 | grep -x -e '-\?[0-9]*')
	mapfile -t tid < <(words 2 | grep -x -e '-\?[0-9]*')
	[ ${#pid[@]} -lt 1 ] || history_like "$1" --pid "${pid[0]}" --pid --sideband=needed
	[ ${#pid[@]} -lt 3 ] || history_like "$1" --pid "${pid[1]},${pid[-1]}" --pid --sideband=needed
	[ ${#tid[@]} -lt 2 ] || history_like "$1" --tid "${tid[${#tid[@]} / 2]}" --tid --sideband=needed
	script "$W/col" $bare -i "$1" -G -F comm
	sed -i 's/^ *//; s/ *$//; /[ ,]/d; /^$/d' "$W/col"
	mapfile -t comm < <(words 1)
	[ ${#comm[@]} -lt 2 ] || history_like "$1" --comms "${comm[1]}" --comms --sideband=needed
}

# pstat's counts against perf report --stats.  Of a file perf does not count what stands in the header; of a compressed
# stream it counts also what is compressed; of a stream it does not know all names.  perf 7 may record values to read per
# thread, which perf 6.1 does not understand: no samples by event then.
check_pstat() {
	local rc=0 file= names=1
	pstat --json "$1" >"$W/json" 2>"$W/err" || rc=$?
	[ $rc = 0 ] || { check_refusal pstat "$1"; return; }
	perf report --stats -f -i "$1" >"$W/stats" 2>"$W/stats.err" </dev/null || [ $? -lt 128 ] || return 0
	# some perf take the payload of TRACING_DATA for records here, and stop
	grep -q 'TOTAL events' "$W/stats" && ! grep -q 'unexpected end' "$W/stats.err" && perf_samples "$1" || return 0
	if grep -q '"container":"seekable' "$W/json"; then
		file='ATTR|FEATURE|BUILD_ID|TRACING_DATA|EVENT_UPDATE|'
	else
		names=0
	fi
	awk -v skip="^(${file}COMPRESSED2?|TOTAL)$" -v names=$names '
		/ events: / && !event && $1 !~ skip { print $1, $3 | "sort" }
		/ stats:$/ && !/^Aggregated/ { sub(/ stats:$/, ""); event = $0; close("sort") }
		/ SAMPLE events: / && event { print "event", names ? event : "", $3 }' "$W/stats" >"$W/want"
	sed -n 's/^ {"type":[0-9]*,"name":"\([^"]*\)","records":\([0-9]*\),.*/\1 \2/p' "$W/json" |
	    sed 's/^HEADER_//' | awk -v skip="^(${file}COMPRESSED2?)$" '$1 !~ skip' | sort >"$W/got"
	sed -n 's/^ {"name":"\(.*\)","nth":[0-9]*,"attr_type.*"samples":\([0-9]*\),"period.*/event \1 \2/p' "$W/json" |
	    awk -v names=$names '$NF { print names ? $0 : "event  " $NF }' >>"$W/got"
	if grep -q '"perf_version":"7' "$W/json"; then
		sed -i '/^event/d' "$W/want" "$W/got"
	fi
	diff -u "$W/want" "$W/got" >"$W/diff" || differ "pstat: not the counts of perf report --stats"
}

# lines OUT FILE FIELDS: perf script's, without the width of a column, which depends on the other events, and without
# what a name with a newline in it leaves behind.
lines() {
	script "$1" $bare -G -F "$3" -i "$2"
	sed -i 's/  */ /g; /^ /!d' "$1"
}
# The fields that perf can show of this recording.
fields_of() {
	local F
	for F in comm,pid,tid,cpu,time,event,ip,sym,dso,period comm,pid,tid,time,event,ip,sym,dso,period \
	    comm,pid,tid,event,ip,sym,dso comm,pid,tid,time,event event,ip,period ip,sym,dso,period; do
		script "$W/reads" $bare -G -F "$F" -i "$1"
		[ ! -s "$W/reads" ] || { echo "$F"; return; }
	done
}
# Does the dissector accept it?  Its output is in $W/diff.
sound() {
	python3 "$DUMP" --check "$1" >"$W/diff" 2>&1
	grep -q 'problems=0 error=None' "$W/diff"
}
# The events, one a line.
events_of() {
	pstat --json "$1" 2>/dev/null | jq -r '.events[]?.name'
}
# Each event dropped: the lines of the others stay as they are, and nobody misses it.
check_drop() {
	local rc F e
	local -a events
	mapfile -t events < <(events_of "$1")
	[ ${#events[@]} -gt 1 ] || return 0
	pcat "$1" >"$W/in" 2>/dev/null || return 0	# damaged: check_pcat's business
	F=$(fields_of "$W/in")
	lines "$W/all" "$W/in" "${F:-ip}"
	for e in "${events[@]}"; do
		rc=0
		pfilter --drop-event "$e" "$1" >"$W/out" 2>"$W/err" || rc=$?
		[ $rc = 0 ] || { differ "--drop-event $e: status $rc: $(cat "$W/err")"; continue; }
		diff <(events_of "$1" | grep -Fxv -e "$e") <(events_of "$W/out") >"$W/diff" || differ "--drop-event $e: events"
		sound "$W/out" || ! sound "$W/in" || differ "--drop-event $e: dissector"
		[[ $F == *event* ]] || continue
		E=$e awk 'BEGIN { e = " " ENVIRON["E"] } !index($0, e ": ") && substr($0, length($0) - length(e) + 1) != e' "$W/all" >"$W/want"
		if grep -q 'leads a group' "$W/err"; then continue; fi
		lines "$W/got" "$W/out" "$F"
		diff "$W/want" "$W/got" >"$W/diff" || differ "--drop-event $e: perf script differs"
		[ -s "$W/all.err" ] || ! [ -s "$W/got.err" ] || differ "--drop-event $e: perf says $(head -n 2 "$W/got.err")"
	done
}

# Each column stripped: what perf shows of the rest stays the same.
check_strip() {
	local rc F w args words
	pcat "$1" >"$W/in" 2>/dev/null || return 0
	F=$(fields_of "$W/in")
	[ -n "$F" ] || return 0
	lines "$W/want" "$W/in" "$F"
	words=$(sed -n 's/^SAMPLE(.*, "\([a-z-]*\)", *\(ROWS\|NUMBER\),.*/\1/p' ../common/record/sample.def | sort -u)
	[ -n "$words" ] || differ "no words of --strip"
	for w in $words $(grep -vx read <<<"$words" | paste -sd,) "--stack-size 128" "--max-stack 2"; do
		[[ $w == --* ]] && args=$w || args="--strip $w"
		rc=0
		pfilter $args "$1" >"$W/out" 2>"$W/err" || rc=$?
		[ $rc = 0 ] || { differ "$args: status $rc: $(cat "$W/err")"; continue; }
		sound "$W/out" || ! sound "$W/in" || differ "$args: dissector"
		[[ $w != read ]] || continue	# its period was another
		lines "$W/got" "$W/out" "$F"
		diff "$W/want" "$W/got" >"$W/diff" || differ "$args: perf script differs"
	done
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	W=$(mktemp -d)
	bad=0
	: >"$W/diff"
	set -u
	("check_$1" "$2"; exit $bad) >"$W/said" 2>&1 || bad=1
	sed -i '/^oracle.bash: line .* Segmentation fault .*perf /d' "$W/said"	# perf's, not ours
	if [ $bad != 0 ] || [ -s "$W/said" ]; then
		echo "== $1 $2"
		cat "$W/said"
	fi
	rm -rf "$W"
	exit $bad
fi
