# SPDX-License-Identifier: ISC
# Every recording at hand, by our tools and by perf.
load lib
load oracle

@test "oracle: pcat: perf script prints the same for the stream and the recording" {
	need perf
	recordings | each 7 | by pcat
}

@test "oracle: psort: perf's order" {
	need perf
	recordings '!(*.file.data)' | each 7 | by psort
}

@test "oracle: pstat counts what perf report --stats counts" {
	need perf
	recordings | each 7 | by pstat
}
