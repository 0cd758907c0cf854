# SPDX-License-Identifier: ISC
"""counter.py - what a command costs: instructions of user mode, CPU time, memory; for instructions and growth."""
import os, platform, re, resource, signal, subprocess

O = os.path.abspath(os.environ.get("O", "build"))
TOOLS = os.environ.get("INSTALLED") or O	# where the tools are; the programs of tests are in O
PERF = subprocess.run("perf stat -e instructions:u true 2>&1 | grep -q '[0-9] *instructions'", shell=True).returncode == 0
METHOD = "perf stat -e instructions:u" if PERF else "valgrind --tool=cachegrind"


def first_line(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout.partition("\n")[0]
    except OSError:
        return "none"


def circumstances():
    """What the counts depend on, besides the sources: {name: value}."""
    said = subprocess.run(["readelf", "-p", ".comment", os.path.join(TOOLS, "pcat")], stdout=subprocess.PIPE, text=True).stdout
    return {"compiler": "; ".join(sorted(set(re.findall(r"\] +(.*)", said)))), "libc": first_line("ldd", "--version"),
            "zstd": first_line("pkg-config", "--modversion", "libzstd"), "machine": platform.machine(), "method": METHOD}


def instructions(tool, seed=1):
    """Those of a command, which has to succeed.  Its hash tables have that seed.  Its standard output is thrown away."""
    if PERF:
        tool = ["perf", "stat", "-e", "instructions:u", "-x,", "-o", "count", "--", *tool]
    else:			# valgrind needs more memory than the sandbox permits
        tool = ["valgrind", "--child-silent-after-fork=yes", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                "--log-file=count", tool[0], "--no-sandbox", *tool[1:]]
    subprocess.run(tool, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=os.environ | {"LD_PRELOAD": os.path.join(O, "seed.so"), "SEED": str(seed)})
    with open("count") as f:
        found = re.search(r"^(\d+),,instructions|refs: *([\d,]+)", f.read(), re.M)
    return int((found[1] or found[2]).replace(",", ""))


def run(tool, seconds=None, statuses=(0,)):
    """Seconds of CPU (user and system) and peak KiB of a command; None: it has not ended within so many seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.Popen([os.path.join(O, "bench/limit"), "run", "rss", *tool], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         start_new_session=True)
    try:
        said = p.communicate(timeout=seconds)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)	# limit, and what it runs
        p.communicate()
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if p.returncode not in statuses:
        raise SystemExit("%s: status %d: %s" % (" ".join(tool), p.returncode, said[:300]))
    with open("rss") as f:
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(f.read())
