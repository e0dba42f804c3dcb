# SPDX-License-Identifier: Apache-2.0
"""Programs whose files are hard to get at, recorded for real: names in 95 % of their user samples.

Each runs in its own surroundings while perf and we record it; both recordings are reported while it
lives, perf's also when it is gone and only what perf saved is left.
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, run_perf, runs, until

FOLDER = tempfile.mkdtemp(prefix="perfolio-hard-")
CACHE = os.path.join(FOLDER, "cache")
ENV = {**os.environ, "HOME": os.path.join(FOLDER, "home"), "XDG_CACHE_HOME": CACHE}
NAMED = 0.95
ENOUGH = 20  # samples
SOURCE = """
#include <unistd.h>
volatile unsigned long sink;
__attribute__((noinline)) static void FUNCTION(void)
{ for (unsigned long i = 0; i < 1000000; i++) sink += i * i; }
int main(void) { alarm(600); for (;;) FUNCTION(); }
"""
SCRIPT = """
function hot(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) % 65521; return s }
function warm(o, n) { for (let i = 0; i < n; i++) o['k' + (i % 50)] = hot(200); return o }
let t = 0;
while (process.cpuUsage().user < SECONDS * 1e6) { t += hot(100000); warm({}, 200); }
"""

# Else the hot function becomes a part of the one that calls it, sooner or later.
KEEP_CALLS = ["--no-turbo-inlining"]


def compile_program(path, function):
    source = os.path.join(FOLDER, "source.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE.replace("FUNCTION", function))
    made = run(["gcc", "-O1", "-static", "-Wl,--build-id", source, "-o", path])
    return made.returncode == 0


def start(name, command, **options):
    """A process that ends with its group, when the last one of it has become the program of this name."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, **options)
    until(lambda: runs(innermost(process.pid), name))
    return process


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(10)


def innermost(pid):
    """The last of a chain of children: what runs behind unshare."""
    while True:
        child = run(["pgrep", "-P", str(pid)]).stdout.split()
        if not child:
            return pid
        pid = int(child[0])


def user_share(recording):
    """How many user samples there are, and the share of them with a name."""
    result = run([PERFOLIO, "report", "-i", recording, "--no-index", "--json", "-g", "none",
                  "--no-children", "--sort", "dso,symbol"], env=ENV)
    rows = [row for event in json.loads(result.stdout)["events"] for row in event["rows"]
            if not row["object"].startswith("[kernel")]
    total = sum(row["self_samples"] for row in rows)
    named = sum(row["self_samples"] for row in rows if row["symbol"] != "[unknown]")
    return total, named / total if total else 0, rows


def record(command, recording, pids):
    """For half a second; for longer on a machine that is so busy that it brings few samples."""
    for seconds in ("0.5", "4", "15"):
        for _ in range(5):
            made = run([*command, "-o", recording, "-F", "1999", "-p", pids, "--", "sleep", seconds],
                       env=ENV)
            if made.returncode >= 0:  # else perf died, see run_perf
                break
        if not os.path.exists(recording) or user_share(recording)[0] >= ENOUGH:
            break
    return made


def check_names(label, recording, wanted=None):
    total, share, rows = user_share(recording)
    check(total >= ENOUGH and share >= NAMED, f"{label}: {100 * share:.1f} % of {total} named",
          rows[:5])
    if wanted:
        hot = sum(row["self_samples"] for row in rows if wanted in row["symbol"])
        check(hot > 0.1 * total, f"{label}: {wanted} has {hot} of them", rows[:5])


def record_both(pid, label, wanted):
    for who, command in (("perf", ["perf", "record", "-q"]), ("ours", [PERFOLIO, "record"])):
        recording = os.path.join(FOLDER, who + ".data")
        made = record(command, recording, str(pid))
        if not os.path.exists(recording):
            check(False, f"{label}: {who} recorded", made.stderr)
            continue
        check_names(f"{label}, {who}", recording, wanted)


def check_container():
    root = os.path.join(FOLDER, "root")
    os.makedirs(os.path.join(root, "app"))
    compile_program(os.path.join(root, "app", "prog"), "in_the_container")
    process = start("prog", ["unshare", "--mount", "--pid", "--fork", "--root", root, "/app/prog"])
    record_both(innermost(process.pid), "a container", "in_the_container")
    stop(process)
    shutil.rmtree(root)
    shutil.rmtree(CACHE, ignore_errors=True)  # else our own cache would know it
    check_names("a container that is gone, perf's ~/.debug", os.path.join(FOLDER, "perf.data"),
                "in_the_container")


def check_one_path_two_programs():
    """A path that means one program here and another one in a container, in one recording."""
    here = os.path.join(FOLDER, "same", "prog")
    root = os.path.join(FOLDER, "other")
    os.makedirs(os.path.dirname(here))
    os.makedirs(root + os.path.dirname(here))
    compile_program(here, "of_the_host")
    compile_program(root + here, "of_the_container")
    outer = start("prog", [here])
    inner = start("prog", ["unshare", "--mount", "--root", root, here])
    pids = f"{outer.pid},{innermost(inner.pid)}"
    for who, command in (("perf", ["perf", "record", "-q"]), ("ours", [PERFOLIO, "record"])):
        recording = os.path.join(FOLDER, who + ".data")
        record(command, recording, pids)
        total, share, rows = user_share(recording)
        names = {row["symbol"] for row in rows}
        check(share >= NAMED and {"of_the_host", "of_the_container"} <= names,
              f"one path, two programs, {who}: {100 * share:.1f} % of {total} named, by both",
              rows[:5])
    stop(outer)
    stop(inner)


def check_deleted():
    path = os.path.join(FOLDER, "deleted")
    compile_program(path, "once_was_here")
    process = start("deleted", [path])
    os.unlink(path)
    record_both(process.pid, "a deleted program", "once_was_here")
    compile_program(path, "another_one")
    check_names("its name taken by another, perf", os.path.join(FOLDER, "perf.data"),
                "once_was_here")
    stop(process)


def is_compiled(pid):
    """Whether node has told of the hot function's final code, in its own /tmp and by its own number."""
    for path in glob.glob(f"/proc/{pid}/root/tmp/perf-*.map"):
        with open(path, encoding="utf-8", errors="replace") as file:
            if re.search(r":\*'?hot ", file.read()):
                return True
    return False


def check_node(label, wrapper):
    node = shutil.which("node")
    if not node:
        print(f"# {label}: skipped, node is not installed")
        return
    process = start("node", [*wrapper, node, "--perf-basic-prof", *KEEP_CALLS, "-e",
                             SCRIPT.replace("SECONDS", "600")], cwd=FOLDER)
    pid = innermost(process.pid)
    until(lambda: is_compiled(pid))
    record_both(pid, label, "hot")
    stop(process)
    for path in (f"/tmp/perf-{pid}.map",):
        if os.path.exists(path):
            os.unlink(path)


def check_jitdump():
    """perf inject --jit makes an ELF file of every function and mappings of them."""
    node = shutil.which("node")
    if not node:
        print("# jitdump: skipped, node is not installed")
        return
    raw, injected = (os.path.join(FOLDER, name) for name in ("raw.data", "jit.data"))
    script = SCRIPT.replace("SECONDS", "1")
    run_perf("record", "-q", "-k", "mono", "-F", "999", "-o", raw, node, "--perf-prof",
             *KEEP_CALLS, "-e", script, cwd=FOLDER, env=ENV)
    made = run_perf("inject", "--jit", "-i", raw, "-o", injected, cwd=FOLDER, env=ENV)
    if not any(name.startswith("jitted-") for name in os.listdir(FOLDER)):
        print("# jitdump: skipped, perf inject made no files:", made.stderr.strip()[:200])
        return
    check_names("jitdump", injected, "hot")


def main():
    need_root()
    for name in ("perf", "gcc", "unshare", "pgrep"):
        need_program(name)
    os.makedirs(ENV["HOME"])
    try:
        check_container()
        check_one_path_two_programs()
        check_deleted()
        check_node("node's JIT", [])
        check_node("node's JIT in a container", ["unshare", "--mount", "--pid", "--fork", "sh",
                                                 "-c", 'mount -t tmpfs none /tmp; exec "$@"', "-"])
        check_jitdump()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    done()


main()
