# SPDX-License-Identifier: ISC
"""locked.py [-t] [-k KERNEL;...|all] [-m REGEX] TABLE: what the tools may still do behind their locks, tried by tests/locked.c and compared.

Runs each tool in each way that makes its lock wider, and each of its processes makes calls; on this kernel (KERNEL both), on one without
Landlock, without seccomp, with neither, on one that has them and refuses them, and as an ordinary user.  -t prints all that was found;
-m: only the ways that match.

TABLE has a row for what is allowed: KERNELS, PROCESSES, CALLS, REASON, with tabs between; lists of patterns with "; " between.
A call that is allowed and stands in no row, a row that holds for no process, or not for all that it names, and a row without a reason
are faults.
"""
import functools, getopt, glob, os, re, shutil, signal, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
O = os.environ["O"]
HEADER = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
USER = 65534

# name: what is given to the tool, behind a "<" its standard input.  Names of files are in the directory of the run.
WAYS = """
pcat < in/pipe
pcat in/data
pcat -o out/new in/data
pcat --format=file -o out/new in/data
pcat --switch-output=2K -o out/new in/data
pcat --switch-output=2K --output-template=out/%n in/data
pcat --write-index -o out/new in/data
pcat -z --threads=2 in/data
pcat in/a in/b
pcat --follow in/data
pcat --repair in/data
pcat --repair --formats-from in/sched in/data
pcat --format=jsonl -o out/new in/data
pcat --format=gperftools -o out/new in/data
pcat --format=pprof -o out/new in/data
pcat --format=pprof --symbols store -o out/new in/data
pcat --index -o out/new in/data
pcat --index --follow -o out/new in/data
pcat --make-manifest -o in/new.tsv in/a in/b
pcat --manifest=in/list.tsv
pfilter < in/pipe
pfilter in/data
pfilter --time 10% in/data
pfilter --comm x -U out/new in/data
pfilter --format=file -o out/new in/data
pfilter --anon=all --anon-map out/new in/data
pfilter --anon-undo in/map in/text
pfilter --jobs=2 --comm cpu in/data
psort < in/pipe
psort --full -T tmp in/data
psort --full -S 1M -T tmp in/big
psort --merge in/a in/b
psort --manifest=in/list.tsv --merge
psort --check in/sorted
psort --format=file -o out/new in/data
pinject --finished-init < in/pipe
pinject -b in/host
pinject -b --no-fs in/host
pinject -b --symfs store in/host
pinject -b --jobs=2 in/host
pinject --buildid-all in/host
pinject --buildid-dir store in/host
pinject --archive=symbols --buildid-dir new in/host
pinject --jit --buildid-dir store in/host
pinject --jit --jit-dump-dir tmp --buildid-dir store in/host
pinject --perf-map --buildid-dir store in/host
pinject --unwind in/host
pinject --unwind --unwind-files tmp in/host
pinject --format=file -o out/new in/host
pstat < in/pipe
pstat in/data
pstat --json -o out/new in/data
pstat --tee --interval 1ms -o out/new in/data
pstat --report out/new in/data
pstat --symbols store --folded in/data
pstat --symbols local --folded in/data
pstat --jobs=2 in/data
pstat --diff in/a in/b
pstat --merge in/json
pstat --manifest=in/list.tsv
""".strip().splitlines()

# KERNEL: what locked is told, and the user
KERNELS = {
    "both": ([], 0), "no Landlock": (["-l", "ENOSYS"], 0), "no seccomp": (["-s", "EINVAL"], 0),
    "neither": (["-l", "ENOSYS", "-s", "ENOSYS"], 0), "no new privileges": (["-p", "EPERM"], 0),
    "Landlock refuses": (["-l", "EPERM"], 0), "seccomp refuses": (["-s", "EPERM"], 0),
    "user": ([], USER), "user, no Landlock": (["-l", "ENOSYS"], USER), "user, no seccomp": (["-s", "EINVAL"], USER),
    "user, neither": (["-l", "ENOSYS", "-s", "ENOSYS"], USER),
}
FCNTL = {0: "F_DUPFD", 1: "F_GETFD", 2: "F_SETFD", 3: "F_GETFL", 4: "F_SETFL", 8: "F_SETOWN", 10: "F_SETSIG", 1024: "F_SETLEASE",
    1030: "F_DUPFD_CLOEXEC", 1031: "F_SETPIPE_SZ"}
IOCTL = {0x5401: "TCGETS", 0x5413: "TIOCGWINSZ", 0x802c542a: "TCGETS2", 0x40049409: "FICLONE", 0x80087601: "FS_IOC_GETVERSION"}
REFUSED = ("EPERM", "EACCES", "0")


def call_names():
    with open(HEADER) as f:
        return {int(n): name for name, n in re.findall(r"#define __NR_(\w+) (\d+)", f.read())}


def tool(name):
    return os.path.join(os.environ.get("INSTALLED") or O, name)


def make_inputs(d):
    data = os.path.join(HERE, "data")
    os.mkdir(d + "/in")
    for name, of in (("pipe", "basic.pipe.data"), ("data", "basic.file.data"), ("a", "pid2_a.file.data"), ("b", "pid2_b.file.data"),
            ("sched", "sched_R.file.data"), ("big", "demo.data")):
        shutil.copy(os.path.join(data, of), f"{d}/in/{name}")
    def run(*a, to=None):
        with open(to or os.devnull, "wb") as f:
            subprocess.run([tool(a[0]), "-q", *a[1:]], cwd=d, stdout=f, stderr=subprocess.DEVNULL)
    run("pcat", "--make-manifest", "-o", "in/list.tsv", "in/a", "in/b")
    run("psort", "in/data", to=d + "/in/sorted")
    run("pfilter", "--anon=all", "--anon-map", "in/map", "in/data")
    run("pstat", "--json", "in/data", to=d + "/in/json")
    with open(d + "/in/text", "w") as f:
        f.write("comm_1\n")
    perf = os.environ.get("TRUE_PERF") or "perf"
    try:
        subprocess.run([perf, "record", "-q", "-F", "499", "-e", "cpu-clock:u", "-o", d + "/in/host", "--", "sh", "-c",
            "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        pass
    recorded = os.path.exists(d + "/in/host")
    if not recorded:
        shutil.copy(d + "/in/data", d + "/in/host")
    return recorded


def make_places(d, user):
    for place in ("in", "out", "tmp", "store", "other"):
        os.makedirs(f"{d}/{place}", exist_ok=True)
        for name in ("file", "spare"):
            with open(f"{d}/{place}/{name}", "w") as f:
                f.write("x\n")
    if user:
        for at, dirs, files in os.walk(d):
            for name in [at] + [os.path.join(at, f) for f in files]:
                os.chown(name, user, user)


def one(d, kernel, way):
    """(process, call, result) of each try, the status, and what stands on standard error."""
    given, user = KERNELS[kernel]
    command, _, stdin = way.partition(" < ")
    words = command.split()
    words[:1] = [d + "/bin/" + words[0], "-v"]
    for name in ("out", "store", "new"):
        shutil.rmtree(f"{d}/{name}", ignore_errors=True)
    if os.path.exists(d + "/in/new.tsv"):
        os.unlink(d + "/in/new.tsv")
    make_places(d, user)
    table = d + "/table"
    with open(d + "/err", "w+b") as e, open(os.path.join(d, stdin) if stdin else os.devnull, "rb") as i:
        p = subprocess.Popen([os.path.join(O, "locked"), "-o", table, *given, *(["-u", str(user)] if user else []), d, *words], cwd=d,
            stdin=i, stdout=subprocess.DEVNULL, stderr=e, start_new_session=True)
        try:
            status = p.wait(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            status = "never ends"
        e.seek(0)
        said = e.read().decode(errors="replace")
    with open(table) as f:
        tries = [line.rstrip("\n").split("\t") for line in f]
    # the first process that is locked says it; of several, each
    tells = sorted({re.sub(r"ABI \d+", "ABI N", t) for t in re.findall(r"confinement: (.*)", said)})
    return tries, [("end", f"status {status}", repr(said.replace(d, ""))), *(("end", "says: " + t, "ok") for t in tells)], said


def readable(call, numbers):
    kind, _, n = call.partition(" ")
    if kind == "call" and n.isdigit():
        return numbers.get(int(n), call)
    if kind == "fcntl":
        return "fcntl " + FCNTL.get(int(n), n)
    if kind == "ioctl" and n.startswith("0x"):
        return "ioctl " + IOCTL.get(int(n, 16), n)
    return call


# What a process is, by its name and the way.
ROLES = (
    (r"end", r"", "end"), (r"main", r"", "tool"), (r".* thread", r"", "thread"),
    (r"main\.\d+", r"--jobs", "piece"), (r"main\.\d+\.1", r"--jobs", "look-up"), (r"main\.\d+", r"--diff", "report"),
    (r"main\.1", r"--write-index", "index reader"),
    (r"main\.1", r"--symbols", "keeper"), (r"main\.1\.1", r"--symbols", "symbol reader"),
    (r"main\.1", r"pinject", "look-up"), (r"main\.2", r"pinject", "reader"), (r"main\.2\.child", r"pinject", "file reader"),
)


def role(process, way):
    return next((r for p, w, r in ROLES if re.fullmatch(p, process) and re.search(w, way)), process)


def add(calls, call, result):
    """Of processes of one role what one may, all may."""
    if call not in calls or not allowed(call, calls[call]):
        calls[call] = result


def allowed(call, result):
    return result not in REFUSED and not (call == "clone3" and result == "ENOSYS")


STATE = ("PR_SET_NO_NEW_PRIVS", "seccomp")


def read_table(path):
    rows, faults, lists = [], [], {}
    def spelled(cell):
        return [p for q in cell.split("; ") for p in lists.get(q, [q])]
    with open(path) as f:
        for n, line in enumerate(f, 1):
            if line.startswith("#") or not line.strip():
                continue
            cells = line.rstrip("\n").split("\t")
            if line[0] == "=":
                lists[cells[0][1:]] = spelled(cells[1])
                continue
            if len(cells) != 4 or len(cells[3].split()) < 2:
                faults.append(f"{path}:{n}: no reason")
                continue
            rows.append((n, *map(spelled, cells[:3]), cells[3]))
    return rows, faults


@functools.lru_cache(None)
def fits(pattern, name):
    """A pattern of a shell, of which only * is special."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name) is not None


def match(patterns, name):
    """One of the patterns, and none of those behind a "!"."""
    return any(fits(p, name) for p in patterns if p[0] != "!") and not any(fits(p[1:], name) for p in patterns if p[0] == "!")


def compare(found, rows, whole, impossible):
    """found: {(kernel, process): {call: result}}; impossible: of each kernel what is refused without any lock, too."""
    faults = []
    for (kernel, process), calls in found.items():
        free = {c for c, result in calls.items() if allowed(c, result) and c not in STATE}
        possible = free | impossible[kernel]
        mine = [r for r in rows if match(r[1], kernel) and match(r[2], process)]
        covered = set()
        for n, _, _, patterns, _ in mine:
            for p in patterns:
                of = {p} if "*" not in p else {c for c in possible if fits(p, c)}
                if not of & possible:
                    faults.append(f"line {n}: not allowed: {kernel}\t{process}\t{p}")
                covered |= of
        for call in sorted(free - covered):
            faults.append(f"allowed without a row: {kernel}\t{process}\t{call}\t{calls[call]}")
    if whole:
        for n, kernels, processes, _, _ in rows:
            if not any(match(kernels, k) and match(processes, p) for k, p in found):
                faults.append(f"line {n}: of no process")
    return faults


def main():
    opts, args = getopt.getopt(sys.argv[1:], "tk:m:")
    opts = dict(opts)
    numbers = call_names()
    kernels = opts.get("-k", "both").split(";") if opts.get("-k") != "all" else list(KERNELS)
    if os.geteuid():
        kernels = [k for k in kernels if not KERNELS[k][1]]
    rows, faults = read_table(args[0])
    found, dead = {}, []
    d = tempfile.mkdtemp(prefix="locked.")
    os.chmod(d, 0o755)
    try:
        os.mkdir(d + "/bin")
        for main in glob.glob(os.path.join(HERE, "..", "cmd", "*", "main.c")):
            shutil.copy(tool(os.path.basename(os.path.dirname(main))), d + "/bin")
        recorded = make_inputs(d)
        impossible = {}
        for kernel in kernels:
            bare = "user" if KERNELS[kernel][1] else "both"
            impossible[kernel] = {c for _, c, r in one(d, bare, "pcat --no-sandbox in/data")[0] if r in REFUSED}
            for way in WAYS:
                if not re.search(opts.get("-m", ""), way):
                    continue
                tries, end, said = one(d, kernel, way)
                if not tries:
                    faults.append(f"{kernel}: {way}: no process was tried: {said}")
                if "-t" in opts:
                    print(kernel, way, said, sep="\t")
                for process, call, result in tries + end:
                    add(found.setdefault((kernel, f"{way}: {role(process, way)}"), {}), readable(call, numbers), result)
    finally:
        shutil.rmtree(d)
    if "-t" in opts:
        for (kernel, process), calls in found.items():
            for call, result in calls.items():
                print(kernel, process, call, result, sep="\t")
    faults += compare(found, rows, "-m" not in opts and "-k" in opts and opts["-k"] == "all" and recorded, impossible)
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{len(found)} processes, {sum(map(len, found.values()))} tries, {len(faults)} faults", file=sys.stderr)
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
