# SPDX-License-Identifier: ISC
# Streams of many CPUs, for tests of order.

# interleaved SEED N ROUND LATE: a recipe of N records of some CPUs.  Their buffers are drained one after the other, each
# as far as its clock got; then, one time in ROUND (0: never), comes a mark.  LATE: one record in so many (0: none) is far
# older than the marks allow.  Among them are types that nobody knows, others that perf makes itself, payloads, and what
# has no time.
interleaved() {
	echo "attr type=1 sample_type=IP|TID|TIME|PERIOD|RAW flags=sample_id_all|comm ids=1 len=128"
	awk -v seed="$1" -v n="$2" -v round="$3" -v late="$4" 'BEGIN {
		srand(seed)
		cpus = 1 + int(rand() * rand() * 64)
		span = 20 + rand() * rand() * 3000
		ties = 1 + int(rand() * 40)
		for (i = 1; i <= n;) {
			drained += 1 + int(rand() * span)
			for (c = 0; c < cpus; c++)
				for (t[c] += c ? 0 : 1; t[c] < drained + c * span / 64 && i <= n; t[c] += int(rand() * ties * 2))
					record(c, t[c] + 1)
			if (round && rand() < 1 / round)
				print "FINISHED_ROUND"
		}
	}
	function record(c, time,   r, n) {
		r = rand()
		if (late && rand() * late < 1)
			time = 1 + int(rand() * time)
		if (r < .005)
			time = r < .002 ? 0 : -1
		at = sprintf("@ pid=%d tid=%d time=%s", c + 10, c + 10, time)
		r = rand()
		if (r < .97)
			printf "SAMPLE ip=0x1000 pid=%d tid=%d time=%s period=%d raw=01020304\n", c + 10, c + 10, time, i
		else if (r < .975)
			printf "COMM pid=%d tid=%d comm=c%d %s\n", c + 10, c + 10, i, at
		else if (r < .98)
			printf "LOST id=1 lost=%d %s\n", i, at
		else if (r < .985)
			printf "rec type=63 u8=%d u4=%d u4=%d u8=%s\n", i, c + 10, c + 10, time
		else if (r < .99)
			printf "rec type=200 u8=%d zeros=%d\n", i, int(rand() * 20)
		else if (r < .995)
			printf "AUXTRACE offset=%d payload=0102030405060708\n", i
		else {
			n = 1 + int(rand() * 60000)
			printf "SAMPLE ip=0x1000 pid=%d tid=%d time=%s period=%d raw= raw_size=%d s=%0*d\n", c + 10, c + 10, time, i, n, n, 7
		}
		i++
	}'
}
