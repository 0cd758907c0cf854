# SPDX-License-Identifier: ISC
# pinject: what holds for all that it puts in, by tests/laws.py.
load lib
load oracle

# laws [-1] [-w TYPE] [-x LAW] OPTIONS: of all recordings, and $T/now if it is there
laws() {
	{ recordings | each 2; [ ! -e "$T/now" ] || echo "$T/now"; } | xargs -d '\n' python3 laws.py "${@:1:$#-1}" -- "${@: -1}"
}
HERE="--allow other-host,changed-files"

@test "pinject: BUILD_IDs" {
	laws "--buildid-all $HERE"
	# of the samples of the recordings, only the vdso's may be of files that are here, and of that only if the tools are of 64 bits
	! perf_records || perf record -q -e cpu-clock -F 4000 --no-buildid-mmap -o - -- bash -c 'for i in {1..8000}; do :; done' >"$T/now" 2>/dev/null || rm "$T/now"
	laws "-b $HERE"
}
@test "pinject: build-ids in maps" {
	laws -x "taken out" "--mmap2-buildid-all $HERE"
	laws -x "taken out" "-B $HERE"
}
@test "pinject: marks" {
	laws -1 -w 68 "--finished-round=1s"		# 68: FINISHED_ROUND
	laws -w 82 "--finished-init"			# 82: FINISHED_INIT
	laws -x "taken out" -w 69 "--id-index"		# 69: ID_INDEX
}
@test "pinject: features" {
	laws -x "taken out" "--set-feature HOSTNAME=other"
	laws -x "taken out" "--no-features CMDLINE"
}
@test "pinject: all together" {
	laws -1 -w 68 "-b --buildid-dir DIR -j --perf-map --finished-round=1s --finished-init $HERE"
}
