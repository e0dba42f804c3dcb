# SPDX-License-Identifier: Apache-2.0
"""The line under a report: what it says of real recordings is true, and its remedy works."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, run_perf, settings

FOLDER = tempfile.mkdtemp(prefix="perfolio-trust-")
ENV = {**os.environ, "HOME": os.path.join(FOLDER, "home"),
       "XDG_CACHE_HOME": os.path.join(FOLDER, "cache")}
SOURCE = """
volatile unsigned long sink;
__attribute__((noinline)) static void FUNCTION(void)
{ for (unsigned long i = 0; i < 2000000; i++) sink += i * i; }
int main(void) { for (int i = 0; i < 300; i++) FUNCTION(); return 0; }
"""

SORTS = """
#include <stdlib.h>
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) { static int v[1 << 16];
    for (int n = 0; n < 60; n++) { for (int i = 0; i < 1 << 16; i++) v[i] = rand();
        qsort(v, 1 << 16, sizeof(*v), less); } return 0; }
"""


def compiled(name, function="inner_work", *options):
    path = os.path.join(FOLDER, name)
    source = path + ".c"
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE.replace("FUNCTION", function))
    subprocess.run(["gcc", "-O1", "-g", "-Wl,--build-id", *options, source, "-o", path], check=True)
    return path


def record(name, *command):
    """perf's, which saves nothing here, so that what is gone is gone."""
    path = os.path.join(FOLDER, name + ".data")
    run_perf("record", "-q", "-N", "-F", "999", "-o", path, *command, env=ENV)
    return path


def trust(recording, *options, before=()):
    shutil.rmtree(ENV["XDG_CACHE_HOME"], ignore_errors=True)
    result = run([*before, PERFOLIO, "report", "-i", recording, "--no-index", "--json", "-g", "none",
                  *options], env=ENV)
    return json.loads(result.stdout)["trust"]


def says(label, found, state, remedy, object_name):
    check(found["unknown_percent"] > 50 and state in found["worst_reason"] and
          remedy in (found["remedy"] or "") and object_name in found["worst_object"],
          f"{label}: {found['worst_reason']}; {found['remedy']}", found)


def helped(label, found):
    check(found["unknown_percent"] < 5, f"{label}: followed, {found['unknown_percent']:.1f} % are "
          "left without a name", found)


def put_below(root, path, source):
    where = root + path
    os.makedirs(os.path.dirname(where), exist_ok=True)
    shutil.copy(source, where)


def check_stripped():
    path = compiled("stripped")
    shutil.copy(path, path + ".whole")
    run(["strip", path])
    recording = record("stripped", path)
    says("stripped", trust(recording), "exported functions", "debug symbols beside", "stripped")
    run(["objcopy", "--only-keep-debug", path + ".whole", path + ".debug"])
    run(["objcopy", "--add-gnu-debuglink=" + path + ".debug", path])
    helped("stripped", trust(recording))


def check_libc():
    """Sorting is done in functions that libc does not export; its package of symbols is hidden."""
    path = os.path.join(FOLDER, "sorts")
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(SORTS)
    subprocess.run(["gcc", "-O1", path + ".c", "-o", path], check=True)
    recording = record("sorts", path)
    helps = trust(recording)
    found = trust(recording, before=["unshare", "--mount", "sh", "-c",
                                     'mount -t tmpfs none /usr/lib/debug && exec "$@"', "-"])
    if helps["unknown_percent"] > 5:
        print("# libc: skipped, its debug symbols are not installed")
        return
    check(found["unknown_percent"] > 20 and "libc.so" in found["worst_object"] and
          found["remedy"].startswith("install the debug symbols of /usr/lib"),
          f"libc: {found['unknown_percent']:.1f} % without a name; {found['remedy']}", found)
    helped("libc", helps)


def check_gone_and_rebuilt():
    for label, state, remedy in (("gone", "not there", "bring back"),
                                 ("rebuilt", "changed since recording", "record again")):
        path = compiled(label)
        kept = path + ".kept"
        shutil.copy(path, kept)
        recording = record(label, path)
        os.unlink(path)
        if label == "rebuilt":
            compiled(label, "other_work")
        says(label, trust(recording), state, remedy, label)
        root = os.path.join(FOLDER, label + "-root")
        put_below(root, path, kept)
        helped(label, trust(recording, "--symfs", root))


def check_unreadable():
    path = compiled("secret")
    recording = record("secret", path)
    for name in (recording, FOLDER):
        os.chmod(name, 0o755)
    os.chmod(path, 0o700)
    nobody = ["setpriv", "--reuid=65534", "--clear-groups"]
    says("not readable", trust(recording, before=nobody), "cannot be read", "may read", "secret")
    helped("not readable", trust(recording))


def check_jit():
    node = shutil.which("node")
    if not node:
        print("# JIT: skipped, node is not installed")
        return
    script = "function hot(n){let s=0;for(let i=0;i<n;i++)s=(s*31+i)%65521;return s}" \
             "while(process.cpuUsage().user<1.5e6)hot(100000)"
    recording = record("jit", node, "-e", script)
    found = trust(recording)
    says("JIT", found, "made at run time", "--perf-basic-prof", "/tmp/perf-")
    check(re.search(r"write (/tmp/perf-\d+\.map)", found["remedy"]).group(1) ==
          found["worst_object"], "JIT: names the file", found)
    helped("JIT", trust(record("jit", node, "--perf-basic-prof", "-e", script)))


JAVA = """
public class Busy {
    static long mixWell(long n) { long s = 1; for (long i = 0; i < n; i++) s = s * 31 + (i ^ s); return s; }
    public static void main(String[] words) throws Exception {
        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
        long s = 0;
        while (threads.getCurrentThreadCpuTime() < 1500000000L) s += mixWell(100000);
        System.out.println(s);
        System.in.read();
    }
}
"""


def check_java():
    """What is advised for Java does give names: the map at its end, and the one that jcmd lets it write."""
    if not all(map(shutil.which, ("java", "javac", "jcmd"))):
        print("# Java: skipped, no JDK is installed")
        return
    with open(os.path.join(FOLDER, "Busy.java"), "w", encoding="utf-8") as file:
        file.write(JAVA)
    if run(["javac", "-d", FOLDER, os.path.join(FOLDER, "Busy.java")]).returncode:
        print("# Java: skipped, it can't be compiled")
        return
    java = ["java", "-XX:+PreserveFramePointer", "-cp", FOLDER]
    found = trust(record("java", *java, "Busy"))
    at_exit = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+DumpPerfMapAtExit"]
    says("Java", found, "made at run time", " ".join(at_exit) + ", or jcmd PID Compiler.perfmap", "/tmp/perf-")
    helped("Java", trust(record("java", *java, *at_exit, "Busy")))
    with subprocess.Popen([*java, "Busy"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as target:
        recording = record("attached", "-p", str(target.pid), "--", "sleep", "1")
        made = run(["jcmd", str(target.pid), "Compiler.perfmap"])
        shown = run([PERFOLIO, "report", "--no-children", "-g", "none", "-s", "sym", recording]).stdout
        check("Busy.mixWell" in shown, "Java: jcmd's map has the names", made.stdout, made.stderr, shown[:600])
        target.communicate(b"\n")


def check_hidden():
    """Somebody who may not see the kernel's addresses; root may."""
    recording = record("kernel", "-a", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=1M",
                       "count=8000")
    os.chmod(recording, 0o644)
    nobody = ["setpriv", "--reuid=65534", "--clear-groups"]
    try:
        with settings(kptr_restrict=1):
            found = trust(recording, "--comms", "dd", before=nobody)
    except OSError as error:
        print(f"# hidden kernel: skipped, kernel.kptr_restrict cannot be set: {error}")
        return
    if "hidden" not in found.get("worst_reason", ""):
        print("# hidden kernel: skipped, other work runs")
        return
    check("as root" in found["remedy"], f"hidden kernel: {found['remedy']}", found)
    after = trust(recording)
    check(after["unknown_percent"] < found["unknown_percent"], "hidden kernel: as root "
          f"{found['unknown_percent']:.1f} % become {after['unknown_percent']:.1f} %")


def check_all_well():
    found = trust(record("well", compiled("well")))
    check(found["remedy"] is None and found["unknown_percent"] < 1 and not found["lost"],
          "all well: no remedy", found)


def main():
    need_root()
    for name in ("perf", "gcc", "strip", "objcopy", "setpriv", "unshare"):
        need_program(name)
    os.makedirs(ENV["HOME"])
    try:
        check_stripped()
        check_libc()
        check_gone_and_rebuilt()
        check_unreadable()
        check_jit()
        check_java()
        check_hidden()
        check_all_well()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    done()


main()
