# SPDX-License-Identifier: ISC
"""failing.py [-v] [-a | -k] [-m REGEX] [-e N] [-c CALLS] TABLE: each system call of each tool fails, in each place, with each errno that it has.

tests/failing.c makes it fail.

-a: instead of system calls, each allocation of memory fails, by fault/fault.c.
-k: instead of failing calls, SIGKILL at every 20th call, and at each call that names a file.
-m: only the ways that match; -c: only these calls, a regular expression; -e N: one case in N.  -v: a line for each case.

Whatever fails, this holds, or it is a fault:
	status 0	the output is complete: the same as without
	status 1	a line on standard error names the tool and says why: the text of that errno
			a file that was to be replaced is as before, or whole and new; no other file is left, but finished parts of
			--switch-output, and what is good of a damaged input, as NAME.tmp; of one input, standard output is a prefix
	no other status, no signal, no run of over ten seconds
After SIGKILL a file that was to be replaced is as before or whole and new, and what is left has names that end in .tmp.

TABLE has rows for what may be otherwise: WAY, CALL, ERRNO, SEEN, REASON, with tabs between; patterns of a shell, of which only * is
special.
"""
import errno, getopt, hashlib, os, re, shlex, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

import locked

FAILING = os.path.join(locked.O, "failing")
FAULT = os.path.join(locked.O, "fault.so")
SECONDS = "20"

# what is given to the tool, behind a "<" its standard input
WAYS = """
pcat < in/pipe
pcat in/data
pcat -f -o out/old in/data
pcat --format=file -f -o out/old in/data
pcat --switch-output=2K -o out/new in/data
pcat -z --threads=2 in/data
pcat -d in/z
pcat in/a in/b
pcat --repair in/data
pcat --format=jsonl -f -o out/old in/data
pcat --format=gperftools -f -o out/old in/data
pcat --format=pprof -f -o out/old in/data
pcat --format=pprof --symbols local -f -o out/old in/host
pcat --index -o out/new in/data
pcat --write-index -o out/new in/data
pcat --format=file --write-index -o out/new in/big
pcat --format=file --copy-data -f -o out/old in/data
pcat --manifest=in/list.tsv
pfilter < in/pipe
pfilter -f -o out/old in/data
pfilter --time 10% in/data
pfilter --comm x -f -o out/old -U out/new in/data
pfilter --format=file -f -o out/old in/data
pfilter --anon=all --anon-key in/key --anon-map out/new in/data
pfilter --anon-undo in/map in/text
pfilter --jobs=2 --comm cpu in/data
psort < in/pipe
psort -f -o out/old in/data
psort --full -T tmp in/data
psort --full -S 1M -T tmp -f -o out/old in/big
psort --full -S 1M --compress-temp -T tmp in/big
psort --merge in/a in/b
psort --check in/sorted
psort --format=file -f -o out/old in/data
pinject --finished-init < in/pipe
pinject -b -f -o out/old in/host
pinject -b --jobs=2 in/host
pinject --buildid-all in/data
pinject --buildid-dir out/store in/host
pinject --unwind in/host
pinject --buildid-all --jobs=3 in/big
pinject --format=file -f -o out/old in/host
pstat < in/pipe
pstat in/data
pstat --json -f -o out/old in/data
pstat --tee --json -o out/new in/data
pstat -f --report out/old in/data
pstat --picture flame -f -o out/old in/data
pstat --symbols local --folded in/host
pstat --jobs=2 --json in/data
pstat --diff in/a in/b
pstat --merge in/json
pstat --privacy in/data
pstat --check in/data
pcat --format=jsonl in/sched
pcat --repair --formats-from in/sched in/data
pcat --compat=6.1 --endian=big --no-features=CMDLINE in/sched
pcat --chunks --chunk-size=4K in/data
pcat --make-manifest -f -o in/new.tsv in/a in/b
pcat --merge-attrs --host-tag=comm --align=wall in/a in/b
pfilter --filter 'sched:sched_switch{prev_pid>0 && prev_comm ~ "s*"} or nr <= 9' in/switches
pfilter --span syscall --span-period --span-open in/traced
pfilter --span offcpu --longer-than 1us --span-with same in/switches
pfilter --around 'period>0' --before 1ms --around-same cpu in/sched
pfilter --payload-tasks --comms sleep,perf --inherit in/traced
pfilter --sideband=needed --dsos *libc* --drop-unused-events in/multi
pfilter --drop-event *clock* --max-stack 3 --strip user-stack --every 2 --scale-period in/multi
pfilter --max-rate 100 --max-samples 9 --stop --cgroup * in/cgroups
pfilter --switch-on cpu-clock --container 0123456789ab in/cgroups
pfilter --anon=all --anon-key in/key in/traced
pfilter --time 40%-50% in/indexed
psort -u --rounds=keep --untimed=stamp --late=drop in/multi
psort --window 1ms --stats in/multi
psort --merge --manifest=in/list.tsv
psort --merge --merge-attrs --host-tag=comm in/sched in/sched_again
pinject -j --buildid-dir out/store in/jitted
pinject --perf-map=in --buildid-dir out/store in/jitted
pinject -b --archive=symbols --buildid-dir out/store in/host
pinject --unwind --no-fs in/dwarf
pinject --buildid-all --no-fs --known-build-ids file://in/ids in/data
pinject --finished-round=1ms --id-index --sample-time --set-feature=HOSTNAME=x --add-cmdline in/data
pinject --features-from in/sched --clock-data=1000:2000 in/data
pstat --sort comm,dso,raw.prev_pid --columns=p50,max in/switches
pstat --hist raw.prev_prio --sort syscall in/traced
pstat --sort symbol --children --symbols in in/multi
pstat --events --header --tasks --mmaps --build-ids in/multi
pstat --picture rate,cpu,tasks,subsecond,disorder,hist:period,fill,flame in/multi
pstat --picture flame,rate --term in/multi
pstat --interval 1ms --sort comm in/multi
pstat --diff --picture flame in/multi in/multi
pstat --diff --report out/old -f in/multi in/sched
pstat --format=openmetrics in/multi
pstat --csv --table=pids in/multi
pstat --folded --symbols in --weight period in/multi
pstat --sort cgroup,container --interval 1ms in/cgroups
pcat --switch-output=2K --output-template out/%n in/data
pfilter --filter-file in/expression in/data
pfilter --kallsyms in/kallsyms --filter 'writeback:writeback_dirty_inode{ino.function == one}' in/traced
pinject --kallsyms in/kallsyms in/data
pinject -b --symfs in in/data
pinject -j --jit-dump-dir in --buildid-dir out/store in/jitted
pinject --unwind --unwind-files in in/dwarf
pstat --manifest=in/list.tsv
""".strip().splitlines()

# What a call may fail with; "-": it cannot, or nothing depends on it.
ERRNOS = """
access faccessat faccessat2: EACCES EIO
chdir: EACCES
chmod fchmod fchmodat: EPERM EIO
clone clone3 fork vfork: EAGAIN ENOMEM
close: EIO EINTR
connect: EACCES
copy_file_range: EXDEV EINVAL EIO ENOSPC
dup dup2 dup3: EMFILE
epoll_create1: EMFILE
epoll_ctl: ENOMEM
execve: EACCES ENOMEM
fadvise64: EINVAL
fallocate: ENOSPC EOPNOTSUPP
fcntl F_DUPFD_CLOEXEC: EMFILE
fcntl F_SETPIPE_SZ: EPERM
flock: EINTR ENOLCK
fstat: EIO
fstatfs statfs: EIO
newfstatat: EIO ENOMEM EACCES
fsync fdatasync: EIO ENOSPC
ftruncate: EIO EFBIG
getcwd: ENOENT
getpgid: EPERM
getdents64: EIO
getrandom: EINTR ENOSYS
inotify_init1 inotify_add_watch: EMFILE
ioctl: ENOTTY EIO
kill tgkill: EPERM
landlock_create_ruleset landlock_add_rule landlock_restrict_self: EPERM ENOMEM
link linkat symlink symlinkat: EEXIST EACCES ENOSPC
memfd_create: EMFILE ENOMEM
mkdir mkdirat: EACCES ENOSPC
mmap mprotect mremap: ENOMEM
msync: EIO
open openat openat2: EACCES EMFILE ENFILE EIO EINTR
pipe pipe2 socketpair: EMFILE
poll ppoll select pselect6: EINTR ENOMEM
prctl: EPERM
read pread64 readv preadv: EIO EINTR ENOMEM
readlink readlinkat: EACCES EIO
recvmsg recvfrom sendmsg sendto: EIO ENOMEM
rename renameat renameat2: EACCES ENOSPC EIO
seccomp: EPERM ENOMEM
setrlimit prlimit64: EPERM
setsockopt shutdown socket: ENOMEM
perf_event_open: EACCES
splice tee vmsplice: EINVAL EIO ENOMEM
timer_create timer_settime timerfd_create setitimer: EAGAIN
unlink unlinkat rmdir: EACCES EIO
utimensat: EPERM
wait4 waitid: EINTR
write pwrite64 writev pwritev: ENOSPC EIO EINTR EDQUOT
""" + """
alarm arch_prctl brk close_range clock_gettime clock_nanosleep exit exit_group futex getegid geteuid getgid getpid getppid getrusage: -
gettid getuid lseek: -
madvise membarrier munmap nanosleep pause restart_syscall rseq rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait: -
sched_getaffinity sched_yield set_robust_list set_tid_address sigaltstack sysinfo umask uname: -
""".rstrip()
AT_FDCWD = str(2**32 - 100)
FREE = {"fcntl " + c for c in ("F_GETFD", "F_SETFD", "F_GETFL", "F_SETFL")}	# fail for a closed descriptor only
SAME = {errno.ENOMEM: "out of memory"}
FILES = re.compile(r"(open|rename|link|unlink|mkdir|ftruncate|fallocate|write|close|fchmod)")


def errnos():
    table = {}
    for line in ERRNOS.split("\n"):
        calls, _, names = line.partition(": ")
        for call in [calls] if calls.startswith("fcntl") else calls.split():
            table.setdefault(call, [] if names == "-" else names.split())
    return table


def read_rows(path):
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t") for line in f if line.strip() and line[0] != "#"]
    for row in rows:
        if len(row) != 5 or len(row[4].split()) < 2:
            sys.exit(f"{path}: {row}: not a way, a call, an errno, what is seen and a reason")
    return rows


JITTED = 9999991		# no process has it
DUMP = """head pid={pid}
load time=20 pid={pid} tid={pid} addr=0x10000 size=64 name=first
debug time=30 addr=0x10100 lines=10100:1:a.src,10110:2:a.src
unwind time=30 size=8 header=4 mapped=4
load time=30 pid={pid} tid={pid} addr=0x10100 size=64 name=second
move time=40 pid={pid} tid={pid} from=0x10000 addr=0x10200 size=64
close time=90
"""
JIT = """attr type=1 config=0 period=1 sample_type=IP|TID|TIME flags=sample_id_all|mmap|comm|task|mmap2|use_clockid clockid=1
COMM pid={pid} tid={pid} time=5 comm=jit
MMAP2 misc=2 pid={pid} tid={pid} time=10 start=0x900000 len=0x1000 prot=5 flags=2 filename={dir}/jit-{pid}.dump
MMAP2 misc=2 pid={pid} tid={pid} time=10 start=0x10000 len=0x10000 prot=7 flags=0x22 filename=//anon
SAMPLE misc=2 pid={pid} tid={pid} time=25 ip=0x10010
SAMPLE misc=2 pid={pid} tid={pid} time=35 ip=0x10110
SAMPLE misc=2 pid={pid} tid={pid} time=45 ip=0x10210
FINISHED_ROUND
"""
CGROUPS = """attr type=1 config=0 period=1 sample_type=IP|TID|TIME|CPU|CGROUP flags=sample_id_all|cgroup|comm
COMM pid=1 tid=1 time=5 cpu=0 comm=one
CGROUP id=2 path=/system.slice/docker-0123456789ab0123456789ab0123456789ab0123456789ab0123456789ab0123.scope
CGROUP id=3 path=/user.slice/a @ pid=1 tid=1 time=15 cpu=0
SAMPLE misc=1 ip=1 pid=1 tid=1 time=10 cpu=0 cgroup=2
SAMPLE misc=1 ip=2 pid=1 tid=1 time=20 cpu=0 cgroup=3
FINISHED_ROUND
"""


class Place:
    """A directory for one run at a time."""
    def __init__(self, top, inputs):
        self.d = tempfile.mkdtemp(dir=top)
        os.symlink(inputs, self.d + "/in")

    def run(self, way, *given, fault=None):
        """Status, text on standard error, {name: digest} of what there is then, the output."""
        before = ["env", "LD_PRELOAD=" + FAULT, "FAULT=" + fault] if fault else []
        for name in ("out", "tmp"):
            shutil.rmtree(f"{self.d}/{name}", ignore_errors=True)
            os.mkdir(f"{self.d}/{name}")
        with open(self.d + "/out/old", "w") as f:
            f.write("old\n")
        command, _, stdin = way.partition(" < ")
        words = shlex.split(command)
        with open(self.d + "/stdout", "wb") as o, open(self.d + "/err", "w+b") as e, \
                open(os.path.join(self.d, stdin) if stdin else os.devnull, "rb") as i:
            p = subprocess.run([FAILING, "-s", SECONDS, *given, *before, locked.tool(words[0]), *words[1:]], cwd=self.d, stdin=i, stdout=o,
                stderr=e, env={**os.environ, "TMPDIR": self.d + "/tmp"}, start_new_session=True)
            e.seek(0)
            said = e.read().decode(errors="replace")
        there = {}
        for top in ("out", "tmp"):
            for at, dirs, files in os.walk(f"{self.d}/{top}"):
                for name in files:
                    path = os.path.join(at, name)
                    with open(path, "rb") as f:
                        there[os.path.relpath(path, self.d)] = hashlib.sha256(f.read()).hexdigest()
        with open(self.d + "/stdout", "rb") as f:
            return p.returncode, said.replace(self.d, ""), there, f.read()

    def calls(self):
        with open(self.d + "/calls") as f:
            return [line.rstrip("\n").split("\t") for line in f]


OLD = hashlib.sha256(b"old\n").hexdigest()


def more_inputs(d):
    """An index; several events; copies of stacks; code made at run time, with names for it in a jitdump and in a perf-PID.map."""
    for name, of in (("multi", "multi.pipe.data"), ("switches", "sched.pipe.data"), ("traced", "tracepoints.pipe.data"),
            ("dwarf", "p72_z22_dwarf.pipe.data"), ("indexed", "basic.file.data"), ("sched_again", "sched_R.file.data")):
        shutil.copy(os.path.join(locked.HERE, "data", of), f"{d}/{name}")
    subprocess.run([locked.tool("pcat"), "-q", "--index", "--chunk-size=4K", "indexed"], cwd=d, check=True)
    for name, text in (("ids", "0123456789abcdef0123456789abcdef01234567 /usr/bin/dd"), ("expression", "period > 0"),
            ("kallsyms", "ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000100 T one\nffffffff81001000 T _etext\n")):
        with open(f"{d}/{name}", "w") as f:
            f.write(text)
    with open(f"{d}/perf-{JITTED}.map", "w") as f:
        f.write("10000 100 first\n10100 100 second\n")
    for name, text in ((f"jit-{JITTED}.dump", DUMP), ("jitted", JIT), ("cgroups", CGROUPS)):
        program = os.path.join(locked.HERE, "mkjitdump") if text is DUMP else os.path.join(locked.O, "mkpipe")
        with open(f"{d}/{name}", "wb") as f:
            subprocess.run([program, *([] if text is DUMP else ["-"])], input=text.format(pid=JITTED, dir=d).encode(), stdout=f, check=True)


def judge(way, want, got, number, streams):
    """What is wrong, a word or more; "": nothing.  number: of the errno, 0 for SIGKILL."""
    status, said, there, output = got
    _, _, whole, complete = want
    if number and status == 0:
        told = set(said.split("\n")) - set(want[1].split("\n"))
        return "" if there == whole and output == complete else "another output" + (", and says so" if told else "")
    if number and status != 1:
        return "never ends" if status == 124 else f"status {status}"
    for path, digest in there.items():
        if path == "out/old":
            if digest not in (OLD, whole.get(path)):
                return "the old file is neither old nor new"
        elif path.startswith("tmp/") or not (digest == whole.get(path) or path.endswith(".tmp") or "--switch-output" in way):
            return f"left behind: {path}"
    if "out/old" not in there:
        return "the old file is gone"
    if not number:
        return ""
    if streams and not complete.startswith(output):
        return "standard output is not a prefix"
    if not re.search(r"^\w+: ", said, re.M):
        return "no message"
    if os.strerror(number) not in said and SAME.get(number, "\0") not in said:
        return "another cause: " + said.strip().split("\n")[-1]
    return ""


def call_of(nr, args, names):
    """The name of the call, of fcntl(2) with what it is to do, and of newfstatat(2) by what it is: fstat(2) or stat(2)."""
    name = names.get(int(nr), nr)
    if name == "fcntl":
        return "fcntl " + locked.FCNTL.get(int(args[1]), args[1])
    return "fstat" if name == "newfstatat" and args[0] != AT_FDCWD else name


def cases(way, calls, names, table, opts, count, unknown):
    """(task, n, number and name of the call, errno name or None for SIGKILL) of what to try."""
    every = int(opts.get("-e", 1))
    chosen = re.compile(opts.get("-c", ""))
    for task, n, nr, result, *args in calls:
        call = call_of(nr, args, names)
        if call in FREE:
            continue
        if call not in table:
            unknown.add(call)
            continue
        if not chosen.match(call) or (call in ("write", "writev") and args[0] == "2"):
            continue
        for e in [None] if "-k" in opts else table[call]:
            if "-k" in opts and int(n) % 20 and not FILES.match(call):
                continue
            count[0] += 1
            if count[0] % every == 0:
                yield task, n, nr, call, e


def allocations(place, way, opts, count):
    """(None, n, None, "malloc", "ENOMEM") of what to try."""
    for n in range(1, int(re.search(r"^fault: malloc (\d+)$", place.run(way, fault="malloc:count")[1], re.M).group(1)) + 1):
        count[0] += 1
        if count[0] % int(opts.get("-e", 1)) == 0:
            yield None, n, None, "malloc", "ENOMEM"


def main():
    opts, args = getopt.getopt(sys.argv[1:], "vakm:c:e:")
    opts = dict(opts)
    rows, names, table = read_rows(args[0]), locked.call_names(), errnos()
    used, faults, tried, count, unknown = set(), [], 0, [0], set()
    top = tempfile.mkdtemp(prefix="failing.")
    try:
        locked.make_inputs(top)
        subprocess.run([locked.tool("pcat"), "-q", "-z", "-o", "in/z", "in/data"], cwd=top, check=True)
        more_inputs(top + "/in")
        with open(top + "/in/key", "w", opener=lambda p, f: os.open(p, f, 0o600)) as f:
            f.write("a key of thirty-two bytes or more of it\n")
        places = [Place(top, top + "/in") for _ in range(2)]
        free = list(places)

        def one(way, want, streams, case):
            task, n, nr, call, e = case
            place = free.pop()
            how = ["-e", str(getattr(errno, e))] if e else ["-k"]
            if "-a" in opts:
                got = place.run(way, fault=f"malloc:{n}:{e}")
            else:
                got = place.run(way, "-o", place.d + "/calls", "-t", task, "-n", n, "-c", nr, *how)
            wrong = judge(way, want, got, getattr(errno, e) if e else 0, streams)
            if wrong and "-a" not in opts:	# what was in this place then
                call = next((call_of(c[2], c[4:], names) for c in place.calls() if c[3] == "failed"), call)
            free.append(place)
            return case, call, wrong, got

        with ThreadPoolExecutor(len(places)) as pool:
            for way in WAYS:
                if not re.search(opts.get("-m", ""), way):
                    continue
                want = places[0].run(way, "-o", places[0].d + "/calls")
                if want[0]:
                    faults.append(f"{way}: status {want[0]} without any failure: {want[1]}")
                    continue
                calls = places[0].calls()
                streams = not re.match(r"pstat|pcat -z|pcat --repair|.* in/\w+ in/\w+$|.*manifest", way)
                if places[0].run(way)[2:] != want[2:]:
                    faults.append(f"{way}: two runs give different outputs")
                    continue
                todo = list(allocations(places[0], way, opts, count) if "-a" in opts else
                            cases(way, calls, names, table, opts, count, unknown))
                for (task, n, _, _, e), call, wrong, got in pool.map(lambda c: one(way, want, streams, c), todo):
                    tried += 1
                    if "-v" in opts:
                        print(way, task, n, call, e, got[0], wrong, got[1].strip(), sep="\t", flush=True)
                    if not wrong:
                        continue
                    case = (way, call, e or "SIGKILL", wrong)
                    row = next((i for i, r in enumerate(rows) if all(locked.fits(p, x) for p, x in zip(r, case))), None)
                    if row is None:
                        faults.append(f"{way}\t{task} {n}\t{call}\t{e or 'SIGKILL'}\t{wrong}")
                    used.add(row)
    finally:
        shutil.rmtree(top)
    faults += [f"what {call} fails with is not known" for call in sorted(unknown)]
    if not {"-m", "-c", "-e", "-k", "-a"} & set(opts):
        faults += [f"{args[0]}: of no case: {r}" for i, r in enumerate(rows) if i not in used and r[2] != "SIGKILL" and r[1] != "malloc"]
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{tried} cases, {len(faults)} faults", file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
