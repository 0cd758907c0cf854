# SPDX-License-Identifier: ISC
# pfilter --strip, --stack-size, --max-stack: the expected output is a second recipe.
load lib
load oracle

# The recipe of every field there is, without what $2, a sed script, takes out.
without() {
	cp data/every-sample.txt "$T/in"
	sed -E "$2" "$T/in" >"$T/want"
	becomes --strip "$1"
}

@test "pfilter --strip: each field by itself, and all of them" {
	# in the attr sample_type is 0x1ffbfff: one bit less, and what describes the field is 0
	without addr 's/0x1ffbfff/0x1ffbff7/; s/ addr=\S*//'
	without read 's/0x1ffbfff/0x1ffbfef/; s/ read=\S*//'
	without callchain 's/0x1ffbfff/0x1ffbfdf/; s/ chain=\S*//'
	without raw 's/0x1ffbfff/0x1ffbbff/; s/ raw=\S*//'
	without brstack 's/0x1ffbfff/0x1ffb7ff/; s/ (hw_idx|branch|counters)=\S*//g; s/ branch_sample_type=\S*//'
	without user-regs 's/0x1ffbfff/0x1ffafff/; s/ uregs=\S*//; s/ regs_user=\S*//'
	without user-stack 's/0x1ffbfff/0x1ff9fff/; s/ (stack|dyn_size)=\S*//g; s/ stack_user=\S*//'
	without weight 's/0x1ffbfff/0xffbfff/; s/ weight=\S*//'
	without data-src 's/0x1ffbfff/0x1ff3fff/; s/ data_src=\S*//'
	without intr-regs 's/0x1ffbfff/0x1fbbfff/; s/ iregs=\S*//; s/ regs_intr=\S*//'
	without phys 's/0x1ffbfff/0x1f7bfff/; s/ phys_addr=\S*//'
	without aux 's/0x1ffbfff/0x1efbfff/; s/ aux=\S*//'
	without callchain,user-stack,user-regs,intr-regs,raw,brstack,phys,data-src,weight,addr,read,aux \
	    's/0x1ffbfff/0xe303c7/; s/ (addr|read|chain|raw|hw_idx|branch|counters|uregs|stack|dyn_size|weight|data_src|iregs|phys_addr|aux)=\S*//g
	    s/ (branch_sample_type|regs_user|regs_intr|stack_user)=\S*//g'
	done_all
}

@test "pfilter --strip: flags of the call chain, records that belong to a field, EVENT_DESC" {
	cat >"$T/in" <<-'E'
	attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN|AUX flags=sample_id_all|exclude_callchain_kernel|exclude_callchain_user|comm ids=11
	attr type=1 config=2 sample_type=IDENTIFIER|IP|TID|TIME|CALLCHAIN flags=sample_id_all ids=21 len=64 attrsize=64
	attr type=1 config=9 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=31 len=144 attrsize=144
	HEADER_FEATURE feat_id=12 u4=2 u4=128 attr=0 u4=1 fs=cpu-clock u8=11 attr=1 zeros=64 u4=1 fs=page-faults u8=21
	HEADER_FEATURE feat_id=7 u4=2 u4=2
	AUXTRACE_INFO aux_type=1 priv=8,2,3
	COMM pid=100 tid=100 comm=beta @ time=1000 id=11
	SAMPLE misc=2 ip=0x401000 pid=100 time=1001 chain=0xfffffffffffffe00,0x401004 aux=0102030405060708
	SAMPLE ev=1 misc=2 ip=0x401000 pid=100 time=1002 chain=0xfffffffffffffe00,0x401004
	SAMPLE ev=2 misc=2 ip=0x401000 pid=100 time=1003
	CALLCHAIN_DEFERRED cookie=1 list=0xfffffffffffffe00,0x401000 @ pid=100 tid=100 time=1180 id=11
	ITRACE_START pid=100 tid=100 @ time=1070 id=11
	AUX aux_offset=0 aux_size=16 flags=1 @ pid=100 tid=100 time=1080 id=11
	AUX_OUTPUT_HW_ID hw_id=9 @ time=1081 id=11
	AUXTRACE offset=0 reference=1 idx=0 tid=100 cpu=0 payload=44000000000008004400000000000800
	AUXTRACE_ERROR error_type=1 code=2 cpu=0 pid=100 tid=100 fmt=2 ip=0x401000 time=1190 msg=trace\sbroke
	FINISHED_ROUND
	E
	sed -E '/DEFERRED/d; s/\|CALLCHAIN//; s/ chain=\S*//; s/\|exclude_callchain_(kernel|user)//g' "$T/in" >"$T/want"
	becomes --strip callchain
	sed -E '/AUXTRACE|^AUX|ITRACE/d; s/\|AUX//; s/ aux=\S*//' "$T/in" >"$T/want"
	becomes --strip aux
	cp "$T/in" "$T/want"
	becomes --strip raw,weight,brstack
	done_all
}

@test "pfilter --stack-size" {
	local head='attr type=1 config=0 sample_type=IDENTIFIER|IP|STACK_USER ids=11 stack_user='
	printf '%s\n' "${head}16" 'SAMPLE ip=1 stack=000102030405060708090a0b0c0d0e0f dyn_size=16' 'SAMPLE ip=2 stack=0001020304050607 dyn_size=1' \
	    'SAMPLE ip=3' 'SAMPLE ip=4 stack=000102030405060708090a0b0c0d0e0f dyn_size=4' >"$T/in"
	printf '%s\n' "${head}8" 'SAMPLE ip=1 stack=0001020304050607 dyn_size=8' 'SAMPLE ip=2 stack=0001020304050607 dyn_size=1' \
	    'SAMPLE ip=3' 'SAMPLE ip=4 stack=0001020304050607 dyn_size=4' >"$T/want"
	becomes --stack-size 8
	printf '%s\n' "${head}0" 'SAMPLE ip=1' 'SAMPLE ip=2' 'SAMPLE ip=3' 'SAMPLE ip=4' >"$T/want"
	becomes --stack-size 0
	cp "$T/in" "$T/want"
	becomes --stack-size 16
	try pfilter --stack-size 12 "$T/in-b.pipe"
	[ $rc = 2 ] && one_line "pfilter: --stack-size '12': expected a multiple of 8" || failed 12
	done_all
}

@test "pfilter --max-stack: the innermost entries, without markers that have nothing behind them" {
	local head='attr type=1 config=0 sample_type=IDENTIFIER|IP|CALLCHAIN flags=sample_id_all ids=11 max_stack='
	local k=0xffffffffffffff80 u=0xfffffffffffffe00 d=0xfffffffffffffd80
	chains() {
		echo "$head$1"
		shift
		for c; do
			[[ $c == +* ]] && echo "CALLCHAIN_DEFERRED cookie=7 list=${c#+} @ id=11" || echo "SAMPLE ip=1 ${c:+chain=$c}"
		done
	}
	chains 0 $k,1,2,$u,3,4 $k,1,2,3,$u,4 $k,$u,1,2 1,2,3,4 $k,1,$d,77 $k,1,2,3,$d,77 $u "" $k,1,2,$d +$u,1,2,3 +$u,1,2 >"$T/in"
	chains 2 $k,1,2 $k,1,2 $k,$u,1,2 1,2 $k,1,$d,77 $k,1,2 $u "" $k,1,2,$d +$u,1,2 +$u,1,2 >"$T/want"
	becomes --max-stack 2
	chains 3 $k,1,2,$u,3 $k,1,2,3 $k,$u,1,2 1,2,3 $k,1,$d,77 $k,1,2,3,$d,77 $u "" $k,1,2,$d +$u,1,2,3 +$u,1,2 >"$T/want"
	becomes --max-stack 3
	done_all
}

@test "pfilter --max-stack: a chain that counts more than there is" {
	{
		echo 'attr type=1 config=0 sample_type=IDENTIFIER|IP|CALLCHAIN flags=sample_id_all ids=11'
		echo 'SAMPLE ip=1 chain=1,2,3'
		echo 'rec type=9 u8=11 u8=1 u8=0x2000000000000001 u8=1 u8=2 u8=3'
	} >"$T/recipe"
	for o in "--max-stack 1" "--strip callchain"; do
		mkpipe "$T/recipe" >"$T/in"
		try pfilter $o "$T/in"
		[ $rc = 1 ] && one_line "pfilter: $T/in: byte 216: SAMPLE: callchain lies past the end of " || failed "$o"
		[ "$(pstat --json "$T/out" | jq '.records')" = 2 ] || failed "$o: what came before"
	done
	{
		sed '$d' "$T/recipe"
		echo 'CALLCHAIN_DEFERRED cookie=1 nr=0x2000000000000001 list=1,2 @ id=11'
	} | mkpipe - >"$T/in"
	try pfilter --max-stack 1 "$T/in"
	[ $rc = 1 ] && one_line "pfilter: $T/in: byte 216: CALLCHAIN_DEFERRED: " || failed deferred
	done_all
}

@test "pfilter --strip: a record stays a multiple of 8" {
	printf '%s\n' 'attr type=1 config=0 sample_type=IDENTIFIER|IP|RAW ids=11' 'SAMPLE ip=1 raw=010203 zeros=1' >"$T/in"
	printf '%s\n' 'attr type=1 config=0 sample_type=IDENTIFIER|IP ids=11' 'SAMPLE ip=1 zeros=8' >"$T/want"
	mkpipe "$T/in" >"$T/in.pipe"
	try pfilter --strip raw "$T/in.pipe"
	[ $rc = 0 ] && [ $(($(stat -c %s "$T/out") % 8)) = 0 ]
}

@test "pfilter --strip: the padding behind RAW goes with it, so that the size is that of the fields" {
	local head='attr sample_type=IP|TID|TIME|RAW flags=sample_id_all ids=1' n
	for n in 01 010203 0102030405 01020304050607 0102030405060708; do
		{ echo "$head"; echo "SAMPLE misc=2 ip=0x401000 pid=100 time=1000 raw=$n zeros=$(((12 - ${#n} / 2 % 8) % 8))"; } | mkpipe >"$T/in"
		pcat "$T/in" >/dev/null || failed "$n: the input"
		pfilter --strip raw "$T/in" >"$T/stripped"
		try pcat "$T/stripped"
		[ $rc = 0 ] || failed "$n: it is refused"
		[ "$(pstat --json "$T/stripped" | jq -c '[.types[] | select(.type == 9) | .bytes]')" = '[32]' ] || failed "$n: size"
	done
	done_all
}

@test "pfilter --strip: cut and changed input" {
	in=$(recipe every-sample)
	mkpipe -l data/every-sample.txt >"$T/list"
	cuts -n "$in" "$T/list" pfilter --max-stack 1 --stack-size 8 || failed prefixes
	cuts -x "$in" "$T/list" pfilter --strip callchain,raw,user-stack,aux || failed flips
	done_all
}

@test "pfilter --strip: refusals" {
	try pfilter --strip callchain,stack data/multi.pipe.data
	[ $rc = 2 ] && one_line "pfilter: --strip 'stack': no such field; there are addr, read, callchain, raw, brstack, user-regs, " || failed word
	# perf finds an id at one place for all
	{
		echo 'attr type=1 config=0 sample_type=IP|TID|TIME|ID flags=sample_id_all ids=11'
		echo 'attr type=1 config=2 sample_type=TID|TIME|ADDR|ID flags=sample_id_all ids=21'
		echo 'SAMPLE ip=1 pid=100 time=1000'
		echo 'SAMPLE ev=1 pid=100 time=1000 addr=5'
	} | mkpipe - >"$T/in"
	try pfilter --strip addr "$T/in"
	[ $rc = 2 ] && one_line "pfilter: --strip addr: only some events of this recording have it" || failed addr
	try pfilter --strip raw "$T/in"
	[ $rc = 0 ] && cmp "$T/in" "$T/out" || failed raw
	try pfilter --strip addr --drop-event page-faults:HG "$T/in"
	[ $rc = 0 ] || failed "addr of one"
	# what perf record --off-cpu writes
	{
		echo 'attr type=1 config=10 sample_type=IDENTIFIER|IP|TID|TIME|RAW flags=sample_id_all ids=11'
		echo 'attr type=1 config=0 sample_type=IDENTIFIER|IP|TID|TIME flags=sample_id_all ids=21'
		echo 'EVENT_UPDATE update_type=2 id=11 z=offcpu-time'
		echo 'EVENT_UPDATE update_type=2 id=21 z=cpu-clock'
		echo 'SAMPLE ip=1 pid=100 time=1000 raw=01020304'
	} | mkpipe - >"$T/in"
	try pfilter --strip raw "$T/in"
	[ $rc = 2 ] && one_line "pfilter: --strip raw: it holds the samples of event offcpu-time" || failed off-cpu
	try pfilter --strip raw --drop-event offcpu-time "$T/in"
	[ $rc = 0 ] || failed "off-cpu dropped"
	done_all
}

@test "pfilter --strip: perf's chains, and its report without them" {
	need perf
	pfilter --max-stack 3 data/g_fp.pipe.data >"$T/out"
	perf script -f -i data/g_fp.pipe.data --max-stack 3 -F time,ip,sym 2>/dev/null >"$T/a"
	perf script -f -i "$T/out" -F time,ip,sym 2>/dev/null >"$T/b"
	[ -s "$T/a" ]
	diff "$T/a" "$T/b"
	pfilter --strip callchain data/g_fp.pipe.data >"$T/out"
	perf report -f -i data/g_fp.pipe.data -g none --no-children --stdio 2>/dev/null >"$T/a"
	perf report -f -i "$T/out" --stdio >"$T/b" 2>"$T/err"
	grep -q '%' "$T/a"
	diff <(grep -v '^#' "$T/a") <(grep -v '^#' "$T/b")
	! grep -i 'warning\|error\|fail' "$T/err"
}

@test "oracle: --strip: each field of the recordings at hand: what perf shows of the others" {
	need perf
	need python3
	recordings '*@(both_regs_stack|mixed_types|sched_R|s390x_dwarf|g_fp|p72_z22_dwarf).pipe.data' | each strip
}
