# SPDX-License-Identifier: ISC
# What pfilter keeps of every recording at hand, and what perf script shows if asked for the same.
load lib
load oracle

@test "oracle: pfilter --pid --tid --cpu --time: perf script of the output is perf script of the input, so asked" {
	need perf
	recordings '!(*.file.data)' | each pfilter
}
