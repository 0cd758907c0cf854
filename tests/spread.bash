# SPDX-License-Identifier: ISC
# What the tests of what pfilter selects share.

# samples STREAM: how many
samples() {
	pstat --json "$1" | jq .samples
}

# spread: samples of pids 1 to 200 and tids beyond what a pid can be, at 1.000000001, 1.000000002 ... s
spread() {
	{
		echo "attr type=1 config=0 period=1 sample_type=IDENTIFIER|IP|TID|TIME|CPU flags=sample_id_all|comm ids=11"
		echo "EVENT_UPDATE update_type=2 id=11 z=cpu-clock"
		seq 200 | awk '{ printf "SAMPLE ip=0x401000 pid=%d tid=%d time=%d cpu=%d\n", $1, $1 + 4194304 * ($1 % 2),
		    1000000000 + $1, $1 % 4 }'
		echo "FINISHED_ROUND"
	} >"$T/spread.txt"
	mkpipe "$T/spread.txt" >"$T/spread"
}
