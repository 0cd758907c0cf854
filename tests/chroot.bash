# SPDX-License-Identifier: ISC
# What tests/releases and tests/machines share: chroots of Debian suites.
# The bases are kept in $cache; each run works in a copy, which is unmounted and taken away at the end.  Not in a mount namespace
# of its own: pinject would look for the files of a process of another namespace there, of those that recipes name by chance.

set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/perfpipe
program=tests/${0##*/}

# skip REASON...: the test cannot run here; that is no failure.
skip() {
	echo "$program: skipped: $*"
	exit 0
}

# able: can it be done at all?  What runs left that were killed is taken away first.
able() {
	[ "$(id -u)" = 0 ] || skip "needs root, for debootstrap and chroot"
	command -v debootstrap >/dev/null || skip "debootstrap is not installed"
	mkdir -p "$cache"
	for root in "$cache"/run.*; do
		[ ! -d "$root" ] || kill -0 "${root##*.}" 2>/dev/null || away
	done
	[ -n "$(mirror)" ] || skip "apt knows no mirror"
}

# Where apt gets Debian from.
mirror() {
	apt-get indextargets --format '$(SITE) $(ORIGIN) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
	    awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }'
}

# base SUITE [ARCH]: its smallest system with what a newcomer has: git, make and a compiler.  Made anew after a month.
# It is called SUITE or SUITE-ARCH.
base() {
	local dir=$cache/$1${2:+-$2}
	exec {lock}>"$dir.lock"
	flock "$lock"
	[ -z "$(find "$dir" -maxdepth 0 -mtime +30 2>/dev/null)" ] || rm -rf --one-file-system "$dir"
	if [ ! -d "$dir" ]; then
		rm -rf --one-file-system "$dir.new"
		if ! debootstrap ${2:+--arch="$2"} --variant=minbase --include=git,make,gcc,libc6-dev,ca-certificates "$1" "$dir.new" "$(mirror)" \
		    >"$dir.log" 2>&1 </dev/null; then
			tail -n 3 "$dir.log"
			skip "debootstrap could not make ${dir##*/}"
		fi
		touch "$dir.new"
		mv "$dir.new" "$dir"
	fi
	flock -u "$lock"
}

# fresh SUITE: a copy of its base in $root, with /proc and /sys if they may be mounted.
fresh() {
	root=$cache/run.$1.$$
	trap away EXIT
	trap 'exit 1' INT TERM HUP
	cp -a --reflink=auto "$cache/$1" "$root"
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null
	apt-config dump 2>/dev/null | grep -i -e '^Acquire::.*::Proxy' -e '^Acquire::Check-Valid-Until' >"$root/etc/apt/apt.conf.d/99proxy"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe"	# it goes away in any case
	mount -t proc proc "$root/proc" 2>/dev/null || echo "$program: $1 has no /proc: its mount is refused"
	mount -t sysfs sys "$root/sys" 2>/dev/null || echo "$program: $1 has no /sys: its mount is refused"
	mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" 2>/dev/null || true
}
# keep SUITE: what apt has fetched, for the next run.
keep() {
	mkdir -p "$cache/$1/var/cache/apt/archives"
	cp -n "$root"/var/cache/apt/archives/*.deb "$cache/$1/var/cache/apt/archives/" 2>/dev/null
}
# What is mounted in $root, by us or by perf; false: something stays.
unmount() {
	local m
	for m in dev/pts sys proc; do
		while mountpoint -q "${root:?}/$m"; do umount -R "$root/$m" 2>/dev/null || umount -R -l "$root/$m" || return 1; done
	done
}
# Not with a mount in it: rm must not see what is below.
away() {
	! unmount || rm -rf --one-file-system "${root:?}"
}

# inside COMMAND...: run it in $root, in /perfpipe if that is there, as root with an environment that is empty but for proxies.
inside() {
	chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
	    ${http_proxy+"http_proxy=$http_proxy"} ${https_proxy+"https_proxy=$https_proxy"} \
	    sh -c 'cd /perfpipe 2>/dev/null || cd /; exec "$@"' sh "$@" </dev/null
}

# clone: a clean clone of what is committed, to /perfpipe of $root.
clone() {
	git clone -q --depth 1 "file://$PWD" "$root/perfpipe"
}

# beside: the recordings beside the project, and the dissector, to $root, where its tests look for them.
beside() {
	local d
	mkdir -p "$root/shared"
	for d in corpus tools; do
		[ ! -d "../shared/$d" ] || cp -rL "../shared/$d" "$root/shared/"
	done
}
