# SPDX-License-Identifier: ISC
# GNU parallel over ssh to two hosts, which are sshds of ours on two ports; one dies in mid-run.  And Snakemake.
BATS_TEST_DIRNAME=${BATS_TEST_DIRNAME%/fleet}
load lib
load fleet/fleet

# host NAME: an sshd on a free port; HOST and ssh_config know it by that name
host() {
	local i port
	for i in 1 2 3 4 5 6 7 8; do
		port=$((20000 + RANDOM % 12000))
		cat >"$T/ssh/$1.conf" <<-END
			Port $port
			ListenAddress 127.0.0.1
			HostKey $T/ssh/key
			AuthorizedKeysFile $T/ssh/authorized
			PidFile $T/ssh/$1.pid
			StrictModes no
			SetEnv PATH=$T/bin/$1:$PATH
		END
		"$SSHD" -f "$T/ssh/$1.conf" -E "$T/ssh/$1.log" </dev/null 3>&- || continue
		await [ -s "$T/ssh/$1.pid" ] && break
	done
	cat >>"$T/ssh/config" <<-END
		Host $1
			HostName 127.0.0.1
			Port $port
			User $(id -un)
			IdentityFile $T/ssh/key
			IdentitiesOnly yes
			StrictHostKeyChecking no
			UserKnownHostsFile /dev/null
			LogLevel ERROR
	END
}
# fall NAME: the host is gone: what listens, its sessions, and what runs there
fall() {
	local listens pids
	listens=$(cat "$T/ssh/$1.pid")
	pids="$(ps -o pid= --ppid "$listens" || true) $(cat "$T/runs.$1" 2>/dev/null || true)"
	kill -9 $listens $pids 2>/dev/null || true
	rm -f "$T/ssh/$1.pid"
}
hosts() {
	SSHD=$(PATH=$PATH:/usr/sbin type -P sshd) || skip "sshd is not installed"
	need ssh-keygen; need parallel
	[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
	mkdir -p "$T/ssh" "$T/bin/one" "$T/bin/two" "$T/parallel"
	ssh-keygen -q -t ed25519 -N '' -f "$T/ssh/key" </dev/null
	cp "$T/ssh/key.pub" "$T/ssh/authorized"
	export PARALLEL_SSH="ssh -F $T/ssh/config" PARALLEL_HOME=$T/parallel
	# the second host never ends its first job
	printf '#!/bin/sh\n[ "$1" != pfilter ] || echo >>%s/did.one\nexec %s "$@"\n' "$T" "$(type -P perfpipe)" >"$T/bin/one/perfpipe"
	printf '#!/bin/sh\n[ "$1" = pfilter ] || exec %s "$@"\necho $$ >>%s/runs.two\nexec sleep 60\n' "$(type -P perfpipe)" "$T" >"$T/bin/two/perfpipe"
	chmod +x "$T"/bin/*/perfpipe
	host one
	host two
	ssh -F "$T/ssh/config" two true </dev/null >"$T/err" 2>&1 || skip "no login by ssh here: $(tail -n 1 "$T/err") $(tail -n 1 "$T/ssh/two.log")"
}
teardown() {
	local f
	for f in "$T"/ssh/*.pid; do
		f=${f##*/}
		[ "$f" = "*.pid" ] || fall "${f%.pid}"
	done
}

@test "fleet: parallel over ssh: one of two hosts dies, and parts and pieces give what one run gives" {
	hosts
	whole
	# parts
	"$FLEET/parallel.sh" 1/one,1/two "$T/out" "$T/parts.tsv" $SELECT 3>&- >"$T/log" 2>&1 &
	job=$!
	await [ -s "$T/runs.two" ] || { cat "$T/log"; failed "the second host did nothing"; }
	fall two
	wait $job || failed "status: $(cat "$T/log")"
	grown "$T/did.one" $N || failed "the first host did not do all"
	cmp "$T/out/all.data" "$T/want" || failed "parts"
	[ "$(ls -A "$T/out" | grep -c '^p\.')" = $N ] || failed "results: $(ls -A "$T/out")"
	! ls -A "$T/out" | grep '^\.p' || failed "left"
	# again: nothing is done
	: >"$T/did.one"
	"$FLEET/parallel.sh" 1/one "$T/out" "$T/parts.tsv" $SELECT 3>&- >"$T/log" 2>&1 || failed "again: $(cat "$T/log")"
	[ ! -s "$T/did.one" ] || failed "done twice"
	# a result that got lost is no whole
	rm "$T/out/p.00002"
	! "$FLEET/parallel.sh" 1/one "$T/out" "$T/parts.tsv" $SELECT 3>&- >"$T/log" 2>&1 || failed "without a result"
	# pieces
	"$FLEET/parallel.sh" 2/one "$T/pieces" "$T/whole/8" $SELECT 3>&- >"$T/log" 2>&1 || failed "pieces: $(cat "$T/log")"
	same "$T/pieces/all.data" || failed "pieces"
	done_all
}

@test "fleet: parallel on this machine" {
	need parallel
	whole
	export PARALLEL_HOME=$T/parallel
	mkdir "$T/parallel"
	"$FLEET/parallel.sh" 2/: "$T/out" "$T/parts.tsv" $SELECT 3>&- >"$T/log" 2>&1 || failed "$(cat "$T/log")"
	cmp "$T/out/all.data" "$T/want"
	# other options: the results of the jobs that have been done would be those of these
	"$FLEET/parallel.sh" 2/: "$T/out" "$T/parts.tsv" --cpu 0 3>&- >"$T/log" 2>&1 && failed "other options" || [ $? = 2 ]
	touch -d '1 hour ago' "$T/parts.tsv"
	"$FLEET/parallel.sh" 2/: "$T/out" "$T/parts.tsv" $SELECT 3>&- >"$T/log" 2>&1 && failed "another manifest" || [ $? = 2 ]
	cmp "$T/out/all.data" "$T/want"
}

@test "fleet: parallel: parts of any name, in directories of any name" {
	need parallel
	whole
	export PARALLEL_HOME=$T/parallel
	mkdir -p "$T/parallel" "$T/-d & 'e'/a"
	cd "$T/-d & 'e'"
	local names=("a/b" "a_b" "-x" ":::" '$(touch y)' "{}" "it's" "&" "a b") k=0
	for name in "${names[@]}"; do pfilter -q --piece=$((k += 1))/${#names[@]} "$T/whole" >"./$name"; done
	pcat --make-manifest "${names[@]/#/./}" >"$T/list"
	cp "$T/list" ./-m
	"$FLEET/parallel.sh" 2/: "-o & ut" -m $SELECT 3>&- >"$T/log" 2>&1 || failed "$(cat "$T/log")"
	same "$T/-d & 'e'/-o & ut/all.data" || failed "parts"
	cp "$T/whole" "./whole of all"
	"$FLEET/parallel.sh" 2/: "-o & ut2" "whole of all/3" $SELECT 3>&- >"$T/log" 2>&1 || failed "$(cat "$T/log")"
	same "$T/-d & 'e'/-o & ut2/all.data" || failed "pieces"
	[ ! -e y ] || failed "a name was run"
	cp "./a b" ./job
	pcat --make-manifest ./job >"$T/list"
	cp "$T/list" ./-m
	"$FLEET/parallel.sh" 2/: "-out3" -m $SELECT 3>&- >"$T/log" 2>&1 && failed "job" || [ $? = 2 ]
	done_all
}

@test "fleet: Snakemake refuses a part whose name would be a command" {
	need snakemake
	whole
	mkdir "$T/home"
	cp "$T/whole" "$T/x; touch y"
	(cd "$T" && pcat --make-manifest "./x; touch y" >list)
	(cd "$T" && HOME=$T/home snakemake -q -c2 -s "$FLEET/Snakefile" --config manifest=list out=out options="$SELECT") \
	    </dev/null 3>&- >"$T/log" 2>&1 && failed "status 0"
	[ ! -e "$T/y" ] && grep -q 'a part cannot have the name' "$T/log" || failed "$(cat "$T/log")"
}

@test "fleet: Snakemake" {
	need snakemake
	whole
	mkdir "$T/home"
	(cd "$T" && HOME=$T/home snakemake -q -c2 -s "$FLEET/Snakefile" --config manifest="$T/parts.tsv" out="$T/out" options="$SELECT") \
	    </dev/null 3>&- >"$T/log" 2>&1 || failed "$(cat "$T/log")"
	cmp "$T/out/all.data" "$T/want"
}
