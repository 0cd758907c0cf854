# SPDX-License-Identifier: ISC
# Recipes of recordings with call chains.

# chains FILE=SAMPLES...: a recipe, whose samples are in a chain of these files: "main/load/hash=30", the outermost first; of comm $COMM
chains() {
	local i x at time=1000000000 file
	declare -A map=()
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|PERIOD|CALLCHAIN flags=sample_id_all|mmap|comm|task|mmap2 ids=11"
	echo "COMM pid=100 tid=100 comm=${COMM-prog}"
	for x; do
		local chain=() ip=
		IFS=/ read -ra parts <<<"${x%=*}"
		for file in "${parts[@]}"; do
			if [ -z "${map[$file]-}" ]; then
				map[$file]=$((0x10000000 + ${#map[@]} * 4096))
				echo "MMAP2 misc=2 pid=100 tid=100 start=${map[$file]} len=0x1000 prot=5 flags=2 filename=/$file"
			fi
			chain=("$((${map[$file]} + 16))" "${chain[@]}")
		done
		echo "SAMPLE misc=2 ip=${chain[0]} pid=100 tid=100 cpu=0 time=$((time += 1000000)) period=1 repeat=${x#*=} step=1000 chain=0xfffffffffffffe00,$(IFS=,; echo "${chain[*]}")"
		time=$((time + 1000 * ${x#*=}))
	done
}

# hostile_names: a recipe, of names as hostile as they can be, of comms and of files
hostile_names() {
	local i=0 name
	echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CALLCHAIN flags=sample_id_all|comm|mmap2 ids=1"
	for name in '</script><script>alert(1)</script>' '\x22><img\x20src=x\x20onerror=alert(1)>' '</style><!--' '\\\x22,\x22' '\xd7\x90\xe2\x80\x8f\xe2\x81\xa7\xe2\x80\xae' \
	    '\xff\xc3\x9b2J' 'a\x0ab\x0d\x1b[2J' "$(printf 'L%.0s' {1..60000})" '<!--<script>' ']]>&lt;' '__proto__'; do
		i=$((i + 1))
		printf '%s\n' "COMM pid=10$i tid=10$i comm=${name:0:3000}" "MMAP2 misc=2 pid=10$i tid=10$i start=0x10000000 len=0x1000 prot=5 flags=2 filename=/$name" \
		    "SAMPLE misc=2 ip=0x10000000 pid=10$i tid=10$i cpu=0 time=${i}000000 chain=0xfffffffffffffe00,0x10000000"
	done
}
