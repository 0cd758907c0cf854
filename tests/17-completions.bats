# SPDX-License-Identifier: ISC
# Completions of bash, zsh and fish, which common/completions.sh makes of --list-options.
load lib

C=$O/completions

# offered SHELL LINE: what it offers for the last word of the line, sorted
offered() {
	case $1 in
	fish) HOME=$T fish --no-config -c 'for f in '"$C"'/*.fish; source $f; end; complete -C $argv[1]' "$2" 2>>"$T/errors" | cut -f 1;;
	*) T=$T python3 complete.py "$1" "$C" "$2";;
	esac | sed 's:[=/,]$::; s/^--[a-z-]*=//; /^$/d' | sort -u
}
# offers LINE WORD...: these and no others
offers() {
	offered $SHELL_OF "$1" >"$T/offered"
	printf '%s\n' "${@:2}" | sed '/^$/d' | sort | diff - "$T/offered" || failed "$SHELL_OF: $1"
}

# A recording with names of threads that a shell could obey, or that a terminal could.
hostile() {
	local i=10 n
	{ echo "attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|comm ids=1"
	  echo "EVENT_UPDATE update_type=2 id=1 z=one:event"
	  for n in 'two\swords' '$(touch\sHIT)' '`touch\sHIT`' "it's" 'dq"x' 'x;touch\sHIT' '*' '!!' '~' '#x' 'a\nb\x0ac' 'esc\x1b[31m' 'c1\xc2\x9b' \
	    'back\\slash' '-o' 'a,b' 'tab\x09x' '[x]' '&&x' '{a..c}' '>HIT' '%q'; do
		i=$((i + 1))
		echo "COMM pid=$i tid=$i comm=$n"
		echo "SAMPLE misc=2 ip=1 pid=$i tid=$i time=$i"
	  done; } | mkpipe - >"$T/hostile.data"
	printf '%s\n' 'two words' '$(touch HIT)' '`touch HIT`' "it's" 'dq"x' 'x;touch HIT' '*' '!!' '~' '#x' '[x]' '&&x' '{a..c}' '>HIT' '%q' |
	    LC_ALL=C sort >"$T/harmless"
}

completes() {
	need "$1"
	need python3
	[ -d "$C" ] || skip "no completions in $O"
	SHELL_OF=$1
	offers "pfilter --sideband " all needed none
	offers "pfilter --sideband=" all needed none
	offers "pfilter --sideband n" needed none
	offers "psort --align w" wall
	offers "pfilter --fail" --fail-if-empty
	offers "pstat --theme=" light dark
	offers "pfilter --anon comm,p" comm,path comm,pid
	offers "pcat --manifest data/law.t" data/law.txt
	offers "pcat --output=data/law.t" data/law.txt
	offers "pfilter data/law.t" data/law.txt
	offers "psort --tmpdir ../cm" ../cmd
	offers "pfilter data/demo.data --comms " bash gzip head perf swapper true
	offers "pfilter data/demo.data --comms g" gzip
	offers "pfilter data/demo.data --comms true,g" true,gzip
	offers "pfilter data/sched.pipe.data -e sched:sched_sw" sched:sched_switch
	offers "pfilter data/sched.pipe.data --event=sched:sched_sw" sched:sched_switch
	# through perfpipe(1)
	offers "perfpipe p" $TOOLS
	offers "perfpipe help ps" psort pstat
	offers "perfpipe pfilter --sideband=n" needed none
	offers "perfpipe pfilter data/demo.data --comms true,g" true,gzip
	# without a recording, or with one that is none
	offers "pfilter -o data/demo.data --comms "
	offers "pfilter data/law.txt --comms "
	offers "pfilter /dev/zero --comms "
	# each tool, each option
	for t in $TOOLS; do
		offered $1 "$t --" >"$T/offered"
		$t --list-options | sed -n 's/^{"name":"\([a-z0-9-]*\)".*/--\1/p' | sort | diff - "$T/offered" || failed "$1: $t"
	done
	hostile
	# the shell runs in tests/: HIT would be there
	offered $1 "pfilter $T/hostile.data --comms " | diff "$T/harmless" - || failed "$1: names"
	[ ! -e HIT ] || { rm -f HIT; failed "$1 has run a name"; }
	done_all
}

@test "completions: bash" {
	completes bash
}

@test "completions: zsh" {
	completes zsh
}

@test "completions: fish" {
	completes fish
	[ ! -s "$T/errors" ] || { cat "$T/errors"; false; }
}
