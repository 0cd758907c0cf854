# SPDX-License-Identifier: ISC
# Symbolic links of another user in a directory like /tmp: the kernel says whether an output may follow one
# (fs.protected_symlinks), for all outputs.
load lib

SYSCTL=/proc/sys/fs/protected_symlinks

setup_file() {
	[ "$(id -u)" = 0 ] || { skip_file "only root can make links of another user"; return; }
	[ -z "${EMULATED-}" ] || { skip_file "the setting is of the whole machine"; return; }
	export BEFORE=$(cat $SYSCTL 2>/dev/null)
	[ -n "$BEFORE" ] && echo "$BEFORE" 2>/dev/null >$SYSCTL || skip_file "fs.protected_symlinks cannot be set here"
}
teardown_file() {
	[ -z "${BEFORE-}" ] || echo "$BEFORE" >$SYSCTL
}

# fresh: $D is a directory where all can make files, $V one of ours in it
fresh() {
	D=$T/public V=$D/ours
	rm -rf "$D"
	mkdir -m 1777 "$D"
	chown 65533:65533 "$D"
	mkdir "$V"
	cp data/basic.file.data "$D/in"
}
# plant LINK TARGET: by another user than the owner of the directory, and than us
plant() {
	ln -s "$2" "$D/$1"
	chown -h 65534:65534 "$D/$1"
}

# An output, OUT, of each kind: the name of the link, and the command.  Files x.N need -f where there is a link, whatever is behind it.
outputs() {
	cat <<-'END'
		x	pcat -o OUT data/basic.pipe.data
		x	pcat --format=file -o OUT data/basic.pipe.data
		x	pcat --format=gperftools -o OUT data/basic.file.data
		x	pcat --format=pprof -o OUT data/a_busy.pipe.data.zst
		x	pcat --format=jsonl -o OUT data/basic.pipe.data
		x	pcat --chunks -o OUT data/basic.file.data
		x	pcat --index -o OUT data/basic.file.data
		x	pcat --make-manifest -o OUT DIR/in
		x	pcat --switch-output=2K --manifest=OUT -o DIR/part data/basic.file.data
		x.00001	pcat --switch-output=20K -o OUT data/a_busy.pipe.data.zst
		x.00002	pcat --switch-output=20K -o OUT data/a_busy.pipe.data.zst
		x	pfilter -o OUT data/basic.pipe.data
		x	pfilter --comm bash -U OUT data/basic.pipe.data
		x	pfilter --anon all --anon-map OUT data/basic.pipe.data
		x	psort -o OUT data/basic.pipe.data
		x	psort --full -o OUT data/basic.pipe.data
		x	psort --merge -o OUT data/pid2_a.file.data data/pid2_b.file.data
		x	pinject -b -o OUT data/basic.pipe.data
		x	pstat -o OUT data/basic.pipe.data
		x	pstat --json -o OUT data/basic.pipe.data
		x	pstat --report OUT data/basic.pipe.data
		x	pstat --picture rate -o OUT data/a_busy.pipe.data.zst
		x	pstat --tee --interval 1s --json -o OUT data/basic.pipe.data
	END
}
# run_at PATH COMMAND...
run_at() {
	local path=$1
	shift
	set -- "${@//OUT/$path}"
	try "${@//DIR/$D}"
}

@test "links: of another user in a directory like /tmp, they are not followed by any output" {
	local name command n=0
	echo 1 >$SYSCTL
	while read -r name command; do
		fresh
		echo old >"$V/victim"
		plant "$name" "$V/victim"
		run_at "$D/x" ${command/ / -f }
		[ $rc != 0 ] && [ "$(cat "$V/victim")" = old ] && grep -q 'Permission denied' "$T/err" || failed "a file: $command"
		fresh
		plant "$name" "$V/new"
		[ $name = x ] || command=${command/ / -f }
		run_at "$D/x" $command
		[ $rc != 0 ] && [ -z "$(ls -A "$V")" ] && grep -q 'Permission denied' "$T/err" || failed "nothing: $command"
		fresh
		plant dir "$V"
		run_at "$D/dir/x" $command
		[ $rc != 0 ] && [ -z "$(ls -A "$V")" ] || failed "a directory: $command"
		n=$((n + 1))
	done < <(outputs)
	[ $n = 23 ] || failed "$n outputs"
	fresh
	plant dir "$V"
	a=$(readlink -f "$(command -v cat)")
	printf 'attr sample_type=IP|TID|TIME flags=mmap\nMMAP misc=2 pid=7 tid=7 start=0x400000 len=0x10000 filename=%s\n' "$a" | mkpipe >"$T/in"
	try pinject --buildid-all --archive --buildid-dir "$D/dir" "$T/in"
	[ $rc != 0 ] && [ -z "$(ls -A "$V")" ] || failed "--buildid-dir"
	done_all
}

@test "links: they are, where the kernel allows it: ours, of the directory's owner, and all with the setting at 0" {
	local name command who
	while read -r name command; do
		for who in 0 65533 65534; do
			turn 5 || continue
			case $who in 65534) echo 0 >$SYSCTL;; *) echo 1 >$SYSCTL;; esac
			fresh
			plant "$name" "$V/new"
			chown -h $who "$D/$name"
			[ $name = x ] || command=${command/ / -f }
			run_at "$D/x" $command
			[ $rc = 0 ] && [ -s "$V/new" ] && [ "$(ls -A "$V")" = new ] && [ -L "$D/$name" ] || failed "$who, nothing: $command"
			fresh
			echo old >"$V/victim"
			plant "$name" "$V/victim"
			chown -h $who "$D/$name"
			run_at "$D/x" ${command/ / -f }
			[ $rc = 0 ] && ! grep -qx old "$V/victim" && [ "$(ls -A "$V")" = victim ] && [ -L "$D/$name" ] || failed "$who, a file: $command"
		done
	done < <(outputs)
	done_all
}

as_user() {
	setpriv --reuid=65532 --regid=65532 --clear-groups "$@"
}

@test "links: a user's command does not follow another user's link either" {
	need setpriv
	echo 1 >$SYSCTL
	chmod o+x "$BATS_RUN_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$T"
	as_user "$(type -P pcat)" --version >/dev/null || skip "another user cannot run the commands where they are"
	for t in $TOOLS; do
		fresh
		echo old >"$V/victim"
		chown -R 65532 "$V"
		plant x "$V/victim"
		try as_user "$(type -P $t)" -f -o "$D/x" <data/basic.pipe.data
		[ $rc != 0 ] && [ "$(cat "$V/victim")" = old ] && grep -q 'Permission denied' "$T/err" || failed "$t"
		rm "$D/x"
		try as_user "$(type -P $t)" -f -o "$D/x" <data/basic.pipe.data
		[ $rc = 0 ] && [ -s "$D/x" ] || failed "$t: without a link"
	done
	done_all
}

@test "links: a link to an own descriptor is asked for, too" {
	echo 1 >$SYSCTL
	fresh
	plant x /dev/stdout
	try pcat -o "$D/x" data/basic.pipe.data
	[ $rc = 1 ] && [ ! -s "$T/out" ] && grep -q 'Permission denied' "$T/err" || failed "another user's"
	chown -h 0 "$D/x"
	try pcat -o "$D/x" data/basic.pipe.data
	[ $rc = 0 ] && cmp "$T/out" <(pcat data/basic.pipe.data) || failed ours
	done_all
}
