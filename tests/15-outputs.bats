# SPDX-License-Identifier: ISC
# The outputs of tests/outputs.tsv.  make golden T=15-outputs makes them anew.
load lib

@test "outputs: of some 1,400 commands, status, output and messages are those of the table" {
	need python3
	./outputs
}
