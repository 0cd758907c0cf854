# SPDX-License-Identifier: ISC
# pinject --set-feature takes exactly the text that perf report --header-only -I prints.
load lib

# features <header: "NAME TEXT" of each feature that perf has printed, with \n for a newline
features() {
	awk '
		function put() { if (name != "") print name, text; name = "" }
		function one(n) { put(); name = n; text = $0 }
		function more(n) { if (name == n) text = text "\\n" $0; else one(n) }
		/^# hostname : /	{ one("HOSTNAME"); next }
		/^# os release : /	{ one("OSRELEASE"); next }
		/^# perf version : /	{ one("VERSION"); next }
		/^# arch : /		{ one("ARCH"); next }
		/^# nrcpus /		{ more("NRCPUS"); next }
		/^# cpudesc : /		{ one("CPUDESC"); next }
		/^# cpuid : /		{ one("CPUID"); next }
		/^# total memory : /	{ one("TOTAL_MEM"); next }
		/^# cmdline : /		{ one("CMDLINE"); next }
		/^# (sibling |CPU [0-9]+: |Core ID)/ { more("CPU_TOPOLOGY"); next }
		/^# node[0-9]+ /	{ more("NUMA_TOPOLOGY"); next }
		/^# pmu mappings: /	{ one("PMU_MAPPINGS"); next }
		/^# group: /		{ more("GROUP_DESC"); next }
		/^# (time of|sample duration)/ { more("SAMPLE_TIME"); next }
		/^# memory nodes/	{ one("MEM_TOPOLOGY"); next }
		/^#  +[0-9]+ \[/	{ more("MEM_TOPOLOGY"); next }
		/^# clockid frequency/	{ one("CLOCKID"); next }
		/^# cpu pmu cap/	{ one("CPU_PMU_CAPS"); next }
		/^# (clockid: |reference time)/ { more("CLOCK_DATA"); next }
		/^# [^ ]+ pmu cap/	{ more("PMU_CAPS"); next }
		/^# (schedstat|Maximum sched|cpu\t|nr_domains|Domain)/ { more("CPU_DOMAIN_INFO"); next }
		/^# (e_machine|  e_flags)/ { more("E_MACHINE"); next }
		/^# cacheline size/	{ one("CLN_SIZE"); next }
		/^#/			{ put(); next }
					{ if (name == "CMDLINE") text = text "\\n" $0 }
		END			{ put() }'
}
# Those of streams, but what --set-feature does not take as perf's text, or perf prints in no line of its own.
@test "printed: features() knows a line of each feature" {
	sed -nE 's/^FEAT\( ?[0-9]+, ([A-Z_]+), +BOTH,.*/\1/p' ../common/record/feature.def >"$T/rows"
	[ "$(wc -l <"$T/rows")" -ge 25 ] || failed "rows not found"
	while read -r name; do
		case $name in
		EVENT_DESC|BPF_PROG_INFO|BPF_BTF|COMPRESSED) ;;
		*) declare -f features | grep -qE "(one|more)\(\"$name\"\)" || failed "$name" ;;
		esac
	done <"$T/rows"
	done_all
}
header() {
	"$1" report --header-only -I -i - <"$2" 2>/dev/null | sed '/^# ========/,/^# ========/d'
}

# printed PERF STREAM: what it prints of each feature is set, and then it prints the same
printed() {
	local perf=$1 in=$2 name text value also
	header "$perf" "$in" >"$T/header"
	features <"$T/header" >"$T/features"
	while IFS= read -r text; do
		name=${text%% *} text=${text#* }
		value=${text//\\n/$'\n'}
		# of what it was before, nothing is left to be printed
		also=(--no-features "$name")
		[ "$name" != NRCPUS ] || also=()
		# the form of CPU_PMU_CAPS is also one of PMU_CAPS
		[ "$name" != PMU_CAPS ] || ! grep -q '^# cpu pmu' <<<"$value" || continue
		! [[ $value =~ $WRONG_CLOCK ]] || continue
		try pinject "${also[@]}" --set-feature "$name=$value" "$in"
		[ $rc = 0 ] && ! [ -s "$T/err" ] || { failed "$perf: $in: $name=$value"; continue; }
		header "$perf" "$T/out" | diff "$T/header" - >"$T/diff" || failed "$perf: $in: $name=$value: $(cat "$T/diff")"
		echo "$name" >>"$T/seen"
	done <"$T/features"
}

# A recording with all that a stream can have, in forms that the machines of tests/data do not have.
all_features() {
	pinject -q --set-feature NRCPUS=3,2 --set-feature HOSTNAME=box --set-feature 'CPUDESC=Z80 : fast' \
	    --set-feature $'CPU_TOPOLOGY=0-2\nsibling threads : 0-1\nsibling threads : 2\nCPU 0 : core 0, socket 0\nCPU 1 : core 0, socket 0\nCPU 2 : core 5, socket 1\nsibling dies : 0-1\nsibling dies : 2\nCPU 0 : die 0\nCPU 1 : die 0\nCPU 2 : die 1' \
	    --set-feature $'NUMA_TOPOLOGY=node 0 : total 100 kB, free 50 kB, CPUs 0-1\nnode 3 : total 7 kB, free 2 kB, CPUs 2' \
	    --set-feature $'MEM_TOPOLOGY=0x8000000\nmemory node 0 : 65 blocks: 0-2,63-64\nmemory node 1 : 65 blocks: 3' \
	    --set-feature 'CMDLINE=/bin/perf record -e x -- sh -c it'\''s;  done' --set-feature 'GROUP_DESC=mine, led by event 1, 3 members' \
	    --set-feature 'CPU_PMU_CAPS=branches=32, x=y' --set-feature SAMPLE_TIME=1.5,2.25 --set-feature "CLOCKID=4 ns" \
	    --set-feature $'PMU_CAPS=pmu capabilities : a=1, b=2 of cpu_core\npmu capabilities : c=3 of cpu_atom' \
	    --set-feature "CLOCK_DATA=clockid 1, wall clock 1700000000.000001 s at 2.000000003 s" "$@" data/multi.pipe.data
}

@test "printed: each feature of the recordings here, by each perf" {
	need perf
	all_features >"$T/all"
	# without cores or dies
	all_features --set-feature $'CPU_TOPOLOGY=0-2\nsibling threads : 0\nCPU 0 : core 0, socket 0\nCPU 1 : core 1, socket -1\nCPU 2 : core 5, socket 1' >"$T/flat"
	all_features --set-feature $'CPU_TOPOLOGY=0-2\nsibling threads : 0' >"$T/none"
	all_features --set-feature $'CPU_DOMAIN_INFO=17, at most 2 domains\nCPU 0 domains : 2\n  domain 0, SMT, mask 3, CPUs 0-1\n  domain 1, PKG, mask 7, CPUs 0-2\nCPU 1 domains : 0\nCPU 2 domains : 0' \
	    --set-feature E_MACHINE=62,0x10 --set-feature CLN_SIZE=64 >"$T/new"
	for p in $PERFS; do
		type -P $p >/dev/null || continue
		for in in "$T/all" "$T/flat" "$T/none" $(ls data/*.pipe.data | each 11); do
			printed $p "$in"
		done
		[ "$(command $p version | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -lt 7 ] || printed $p "$T/new"
	done
	sort -u "$T/seen" >"$T/names"
	[ "$(wc -l <"$T/names")" -ge 18 ] || failed "few: $(cat "$T/names")"
	done_all
}

@test "printed: of other machines" {
	need perf
	need corpus
	for p in $PERFS; do
		type -P $p >/dev/null || continue
		while read -r in; do
			pcat -q "$in" >"$T/in" 2>/dev/null || continue
			printed $p "$T/in"
		done < <(find "$CORPUS"/foreign -type f -size -2000k 2>/dev/null | sort | each 20)
	done
	done_all
}

@test "printed: what perf would not print is wrong usage" {
	wrong() {
		try pinject --set-feature "$1" data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && one_line "pinject: --set-feature $2" || failed "$1: $(cat "$T/err")"
	}
	wrong CPU_TOPOLOGY=garbage "CPU_TOPOLOGY: 'garbage': expected numbers of CPUs such as 0-3,8"
	wrong $'CPU_TOPOLOGY=# sibling sockets : 0-1\n# sibling threads : zero' "CPU_TOPOLOGY: 'zero': expected numbers of CPUs"
	wrong $'CPU_TOPOLOGY=# sibling sockets : 0-1\n# sibling dies    : 0-1\n# sibling threads : 0' "CPU_TOPOLOGY: '': expected lines of CPUs, as there are dies"
	wrong $'CPU_TOPOLOGY=# sibling sockets : 0-1\n# sibling threads : 0\n# CPU 1: Core ID 0, Socket ID 0' "CPU_TOPOLOGY: 'CPU 1: Core ID 0, Socket ID 0': expected a line for each CPU, from 0 on"
	wrong '# NUMA_TOPOLOGY=x' "'# NUMA_TOPOLOGY': not a header feature"
	wrong '=# node0' "'=# node0': expected NAME=VALUE"
	wrong $'NUMA_TOPOLOGY=# node0 meminfo  : total = 1 kB, free = 5 kB' "NUMA_TOPOLOGY: '': expected the line of the CPUs of that node"
	wrong $'NUMA_TOPOLOGY=# node0 meminfo  : total = 1 kB, free = 5 kB\n# node0 cpu list : x' "NUMA_TOPOLOGY: HEADER_FEATURE: NUMA_TOPOLOGY: cpus is not a list of CPUs"
	wrong 'PMU_MAPPINGS=# pmu mappings: cpu = x' "PMU_MAPPINGS: 'pmu mappings: cpu = x': expected the number of each PMU"
	wrong $'MEM_TOPOLOGY=# memory nodes (nr 1, block size 0x8000000):\n#    0 [1G]: 3-1' "MEM_TOPOLOGY: "
	wrong $'MEM_TOPOLOGY=# memory nodes (nr 2, block size 0x8000000):\n#    0 [1G]: 3' "MEM_TOPOLOGY: '': expected a line for each node"
	wrong "MEM_TOPOLOGY=# memory nodes (nr 1, block size 0x8000000):"$'\n'"#    0 [1G]: $(seq -s , 1 2 99 | head -c 99)" "MEM_TOPOLOGY: the blocks of node 0 are cut"
	wrong 'CLOCKID=# clockid frequency: 1001 MHz' "CLOCKID: '': expected a multiple of 1000 MHz"
	wrong 'CLOCK_DATA=# clockid: monotonic (1)' "CLOCK_DATA: '': expected 'reference time: "
	wrong $'CLN_SIZE=# cacheline size: 64\n# more' "CLN_SIZE: 'more': expected nothing more"
	# what events there are shows the recording
	try pinject --set-feature 'GROUP_DESC=# group: {cycles,instructions}' data/basic.pipe.data
	[ $rc = 1 ] && one_line "pinject: data/basic.pipe.data: --set-feature GROUP_DESC: the recording has no such events: cycles,instructions" || failed groups
	done_all
}

@test "printed: CPU_DOMAIN_INFO, in the form of perf 7.0 and in ours, is one feature; a line that is missing is wrong usage" {
	perfs=$'# schedstat version\t: 17\n# Maximum sched domains\t: 2\n# cpu\t\t: 0\n# nr_domains\t: 2\n# Domain\t\t: 0\n# Domain name\t: SMT
# Domain cpu map   : 3\n# Domain cpu list  : 0-1\n# Domain\t\t: 1\n# Domain name\t: PKG\n# Domain cpu map   : 7\n# Domain cpu list  : 0-2\n# cpu\t\t: 1\n# nr_domains\t: 0'
	ours=$'17, at most 2 domains\nCPU 0 domains : 2\n  domain 0, SMT, mask 3, CPUs 0-1\n  domain 1, PKG, mask 7, CPUs 0-2\nCPU 1 domains : 0'
	pinject --set-feature "CPU_DOMAIN_INFO=$ours" data/basic.pipe.data >"$T/ours"
	pinject --set-feature "CPU_DOMAIN_INFO=$perfs" data/basic.pipe.data | cmp - "$T/ours" || failed "not the same"
	while IFS='|' read -r line want; do
		try pinject --set-feature "CPU_DOMAIN_INFO=$(grep -v "$line" <<<"$perfs")" data/basic.pipe.data
		[ $rc = 2 ] && [ ! -s "$T/out" ] && grep -q "^pinject: --set-feature CPU_DOMAIN_INFO: '.*': expected $want$" "$T/err" || failed "$line: $(cat "$T/err")"
	done <<-'END'
		nr_domains|'nr_domains : ' and a number
		Domain[[:blank:]]*:|'Domain : ' and a number
		Domain name|'Domain name : '
		cpu map|'Domain cpu map : ' and 'Domain cpu list : '
	END
	done_all
}
