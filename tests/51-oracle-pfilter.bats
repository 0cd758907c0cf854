# SPDX-License-Identifier: ISC
# The output of pfilter for every recording, compared with perf script with the same options.
load lib
load oracle

@test "oracle: pfilter --pid --tid --cpu --time: perf script of the output is perf script of the input with the same options" {
	need perf
	recordings '!(*.file.data)' | each 7 | by pfilter
}
