# SPDX-License-Identifier: ISC
# What versions of perf do each in its own way, for all that ask it.  Sourced by lib.bash and oracle.bash.

# perf_since 6.12: is this perf that, or newer?
perf_since() {
	[ -n "${PERF_VERSION-}" ] || PERF_VERSION=$(command perf version 2>/dev/null | sed 's/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/')
	set -- $PERF_VERSION ${1/./ }
	[ $# = 4 ] && (($1 > $3 || ($1 == $3 && $2 >= $4)))
}
export PERF_VERSION

# PERFS: the commands with which tests compare that can take any version: the installed perf, or all that the environment names.
export PERFS=${PERFS:-perf}

# perf record of root waits for a second at its end, if it records what BPF programs come and go (52-oracle-fresh has that).
# Most of the time of perf script goes into the 100,000 lines of /proc/kallsyms, which only root can read, and which are not for
# recordings of other kernels: it gets a short list, made by lib.bash, that it takes for any kernel; with KALLSYMS= the true one.
# Since 7.0 perf warns of each recording without a feature that it wants, be it untouched: that is not for the tests.
perf() {
	local -a first=()
	local perf=perf
	[ "${1-}" != --buildid-dir ] || { first=("$1" "$2"); shift 2; }
	case ${1-} in
	record) shift; command perf "${first[@]}" record --no-bpf-event "$@"; return;;	# its program may keep stderr open, and so sed
	script|report)		# with --kallsyms they need nothing of the script that make_perf puts in front of perf
		[ -z "$KALLSYMS" ] || perf=${TRUE_PERF:-perf}
		first+=("$1" ${KALLSYMS:+--kallsyms="$KALLSYMS"})
		shift;;
	esac
	if perf_since 7.0; then
		{ command "$perf" "${first[@]}" "$@" 2>&1 >&3 3>&- | sed '/^Invalid HEADER_CPU_DOMAIN_INFO: /d' >&2; } 3>&1
		return "${PIPESTATUS[0]}"
	fi
	command "$perf" "${first[@]}" "$@"
}

# make_perf DIR: there a perf for PATH, also for programs that tests start:
#	One perf record runs at a time: of two at once that record all CPUs, Linux 6.18 gives one in 50 a sample of an event of the other,
#	and perf itself cannot read that.  After 5 s it goes on: some tests need two.
#	It reads each 64th line of /proc/kallsyms, and those that perf looks for by name.  All of them take perf record, which reads them
#	up to three times, ten times as long as the rest of a short recording.  With KALLSYMS= only perf record does so; in make check-all none.
#	These lines are written once, while the kernel runs.
#	It gives no file of the system another name: kallsyms/kallsyms.c.
#	On a 32-bit machine times with nanoseconds are put right: true_perf there, for TRUE_PERF.
make_perf() {
	[ "$(type -P perf)" ] || return 0
	local few=$1/few true=$(type -P perf) ns= boot
	if [ "$(getconf LONG_BIT)" = 32 ]; then
		ns=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/ns.pl
		# before LD_PRELOAD is set, which is for one program
		ns="[ \"\$NS\" ] || case \" \$* \" in *' script '*' --ns '*) NS=1 exec perl '$ns' \"\$0\" \"\$@\";; esac"
		printf '%s\n' '#!/bin/sh' "$ns" "exec '$true' \"\$@\"" >"$1/true_perf"
		chmod +x "$1/true_perf"
	fi
	# what the kernel shows depends on the user
	! { [ -w "$O" ] && read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null || few=$O/kallsyms-few.$UID.$boot
	cat >"$1/perf" <<-END
		#!/bin/sh
		$ns
		if [ "\$1" = record ] && { : >>'$O/perf-record.lock'; } 2>/dev/null; then
			exec 9>>'$O/perf-record.lock'
			flock -w 5 9
		fi
		[ ! -e '$O/kallsyms.so' ] || export LD_PRELOAD='$O/kallsyms.so'
		if [ -z "\$ALL" ] && [ "\$LD_PRELOAD" ] && { [ -n "\$KALLSYMS" ] || [ "\$1" = record ]; }; then
			[ -e '$few' ] || { sed -n '1~64p; / _[a-z]*\$/p' /proc/kallsyms >'$few.'\$\$ && mv '$few.'\$\$ '$few'; } 2>/dev/null
			[ ! -e '$few' ] || export KALLSYMS_FILE='$few'
		fi
		exec '$true' "\$@"
	END
	chmod +x "$1/perf"
}

# Since 6.12 a thread is forgotten at its EXIT: samples that come later, as those of the EXIT itself, have a number for a comm,
# and no --comms chooses them.  perf 6.1 and pfilter know them by their name.
perf_forgets() {
	perf_since 6.12
}
# Lines that begin with a comm, without those of threads that it forgot.
perf_remembers() {
	if perf_forgets; then sed '/^ *:-\{0,1\}[0-9]/d'; else cat; fi
}

# Is it a file that this perf does not read at all, its own of another version perhaps?
perf_refuses() {
	! command perf script -f -F ip -i "$1" 2>&1 >/dev/null </dev/null | grep -q 'incompatible file format' && return 1
	return 0
}

# perf_stacks: print the option that perf record needs beside --call-graph dwarf, if any: of 32-bit x86 it also asks for segment registers,
# which a 64-bit kernel refuses.
perf_stacks() {
	local registers="--user-regs=ax,bx,cx,dx,si,di,bp,sp,ip,flags,cs,ss "
	perf record -q -e cpu-clock --call-graph dwarf -o /dev/null -- true >/dev/null 2>&1 ||
	    ! perf record -q -e cpu-clock $registers --call-graph dwarf -o /dev/null -- true >/dev/null 2>&1 || echo "$registers"
}

# clocks FILE OTHER: in both, the wall clock of the reference time has no fraction, if that of FILE, which perf has printed, is not one of
# six digits: perf 7.2 of a 32-bit machine multiplies those seconds in 32 bits, too, and keeps 32 bits of what comes out.
clocks() {
	! grep -qE "$WRONG_CLOCK" "$1" || sed -i -E 's/(reference time: [^.]*)\.[-0-9]+ = ([0-9]+)\.[-0-9]+ \(TOD\)/\1 = \2 (TOD)/' "$1" "$2"
}
WRONG_CLOCK='\.(-[0-9]+|[0-9]{7,}) \(TOD\)'

# Is there a perf, and does it read recordings?  perf 6.1 of 32-bit x86 writes past a block of its memory, whatever it reads, and is killed;
# on other machines that would be a fault, and is not asked for.
perf_reads() {
	local said=$BATS_RUN_TMPDIR/perf-reads status=0
	[ "$(type -P perf)" ] || return 1
	[ "$(getconf LONG_BIT)" = 32 ] || return 0
	if [ ! -f "$said" ]; then
		command perf script -i "$BATS_TEST_DIRNAME/data/basic.file.data" >"$said.out" 2>&1 </dev/null || status=$?
		echo "$status" >"$said"
	fi
	[ "$(cat "$said")" -lt 128 ]
}

# Does perf record take samples here?  Tested once for each file of tests; $PERF_WHY: the reason if not.
perf_records() {
	local said=$BATS_FILE_TMPDIR/perf-records
	if [ ! -f "$said" ]; then
		if ! perf record -q -e cpu-clock -F 4000 -o "$said.data" -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done' \
		    >"$said.err" 2>&1 </dev/null; then
			tail -n 1 "$said.err" >"$said"
		elif [ -z "$(perf script -F ip -i "$said.data" 2>/dev/null)" ]; then
			echo "none of a busy process" >"$said"
		else
			: >"$said"
		fi
	fi
	PERF_WHY=$(cat "$said")
	[ -z "$PERF_WHY" ]
}
