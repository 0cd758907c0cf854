# SPDX-License-Identifier: ISC
# What the tests of pfilter --around and --span share.

# made SEED N: a stream of window.py; prints its path
made() {
	python3 window.py --make "$1" "$2" >"$T/made.$1.txt"
	mkpipe "$T/made.$1.txt" >"$T/made.$1"
	echo "$T/made.$1"
}
