# SPDX-License-Identifier: Apache-2.0
"""Names of programs that are hard to get at: in containers, deleted, replaced, JITs, by debuginfod.
"""
import http.server
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import check, done, need_program, need_root, program, run, runs, until  # noqa: E402

FOLDER = tempfile.mkdtemp(prefix="perfolio-places-")
# perf keeps what it records of others in ~/.debug; the programs below must not be found there.
os.environ["HOME"] = FOLDER
# It waits for the end of its input, so that it ends with the test whatever happens.
SOURCE = """
#include <unistd.h>
__attribute__((noinline)) static int FUNCTION(int n) { char c; return read(0, &c, 1) + n; }
int main(int argc, char **argv) { (void)argv; return FUNCTION(argc) ; }
"""


def compile_program(path, function, *options):
    source = os.path.join(FOLDER, "source.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE.replace("FUNCTION", function))
    made = run(["gcc", "-O1", "-static-pie", "-Wl,--build-id", *options, source, "-o", path])
    if made.returncode:
        made = run(["gcc", "-O1", "-static", "-Wl,--build-id", *options, source, "-o", path])
    return made.returncode == 0


def function_offset(path, function):
    """The place of a function in the file, as nm and readelf tell it."""
    for line in run(["nm", path]).stdout.splitlines():
        words = line.split()
        if words[-1] == function:
            address = int(words[0], 16)
    for line in run(["readelf", "-lW", path]).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"]:
            offset, start, size = int(words[1], 16), int(words[2], 16), int(words[4], 16)
            if start <= address < start + size:
                return address - start + offset
    return None


def build_id(path):
    text = run(["readelf", "-n", path]).stdout
    return text.split("Build ID: ")[1].split()[0]


def ask(offset, *words, env=None):
    """State, source and name."""
    asked = subprocess.run([program("names"), *words], input=f"{offset:x}", capture_output=True,
                           text=True, check=True, env={**os.environ, **(env or {})})
    head, line = asked.stdout.splitlines()[:2]
    state, source = head.rsplit(" ", 1)[0].split(" ", 1)
    return state, source, line.split(" ", 2)[2] if line.count(" ") > 1 else None


def start(command, **options):
    """A process that has become the program that stands last; behind unshare --fork that is its child."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, **options)
    name = os.path.basename(command[-1])
    until(lambda: any(runs(pid, name) for pid in (process.pid, *children_of(process))))
    return process


def children_of(process):
    return run(["pgrep", "-P", str(process.pid)]).stdout.split()


def stop(process):
    process.stdin.close()
    process.wait(120)


def check_container():
    """Its own root and mount namespace: the path means something else to us, or nothing."""
    root = os.path.join(FOLDER, "root")
    os.makedirs(os.path.join(root, "app"))
    inside = os.path.join(root, "app", "prog")
    compile_program(inside, "in_the_container")
    os.symlink("/app/prog", os.path.join(root, "link"))  # absolute: means the container's root
    process = start(["unshare", "--mount", "--root", root, "/app/prog"])
    offset, ident = function_offset(inside, "in_the_container"), build_id(inside)
    for label, path in (("by its path", "/app/prog"), ("by an absolute link", "/link")):
        state, _, name = ask(offset, f"pid={process.pid}", f"build-id={ident}", "file", path)
        check((state, name) == ("full", "in_the_container"), f"a program in a container {label}",
              state, name)
    state, _, name = ask(offset, f"pid={process.pid}", "file", "/app/prog")
    check((state, name) == ("full", "in_the_container"), "the same without a build-id", state, name)
    state, _, name = ask(offset, f"build-id={ident}", "file", "/app/prog")
    check((state, name) == ("missing", None), "it is missing without the process", state, name)
    stop(process)


def check_deleted():
    path = os.path.join(FOLDER, "deleted")
    compile_program(path, "once_was_here")
    offset, ident = function_offset(path, "once_was_here"), build_id(path)
    process = start([path])
    pid = f"pid={process.pid}"
    os.unlink(path)
    for label, words in (("with its build-id", [pid, f"build-id={ident}"]), ("without", [pid])):
        state, source, name = ask(offset, *words, "file", path + " (deleted)")
        check((state, name) == ("full", "once_was_here"), f"a deleted program {label}",
              state, source, name)
    state, _, name = ask(offset, pid, f"build-id={ident}", "file", path)
    check((state, name) == ("full", "once_was_here"), "deleted after it was recorded", state, name)
    # Another build takes its name: the old one still runs and is found by its build-id.
    compile_program(path, "the_new_one_here")
    state, _, name = ask(offset, pid, f"build-id={ident}", "file", path)
    check((state, name) == ("full", "once_was_here"), "replaced while it runs", state, name)
    stop(process)
    state, _, name = ask(offset, f"build-id={ident}", "file", path)
    check((state, name) == ("mismatch", None), "replaced and gone: another build is not believed",
          state, name)


def check_jit_in_container():
    """A process writes its map under the pid that it has in its own namespace."""
    root = os.path.join(FOLDER, "jit")
    os.makedirs(os.path.join(root, "app"))
    os.makedirs(os.path.join(root, "tmp"))
    compile_program(os.path.join(root, "app", "prog"), "runs")
    process = start(["unshare", "--mount", "--pid", "--fork", "--root", root, "/app/prog"])
    child = children_of(process)
    if not child:
        print("# JIT map in a container: skipped, no process to be seen")
        return
    with open(os.path.join(root, "tmp", "perf-1.map"), "w", encoding="utf-8") as file:
        file.write("7f0000001000 40 LazyCompile:*hot /srv/app.js:1\n")
    state, source, name = ask(0x7f0000001010, f"pid={child[0]}", "jit", "//anon")
    check((state, name) == ("full", "LazyCompile:*hot /srv/app.js:1"),
          "a JIT's map in a container's own /tmp, under its own pid", state, source, name)
    stop(process)


def check_node():
    """Addresses out of a real map that node writes."""
    node = shutil.which("node")
    if not node:
        print("# node: skipped, not installed")
        return
    script = "function hot(n){let s=0;for(let i=0;i<n;i++)s+=i%7;return s}" \
             "let t=0;for(let k=0;k<300;k++)t+=hot(1e5);console.log(process.pid,t)"
    ran = run([node, "--perf-basic-prof", "-e", script], cwd=FOLDER)
    pid = ran.stdout.split()[0]
    path = f"/tmp/perf-{pid}.map"
    last = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            begin, size, name = line.rstrip("\n").split(" ", 2)
            last[int(begin, 16)] = (int(size, 16), name)
    asked = subprocess.run([program("names"), f"pid={pid}", "jit", "//anon"],
                           input="\n".join(f"{a:x}" for a in last), capture_output=True, text=True,
                           errors="replace", check=True).stdout.splitlines()[1:]
    same = sum(line.split(" ", 2)[2] == name for line, (_, name) in zip(asked, last.values())
               if line.count(" ") > 1)
    check(same >= 0.95 * len(last) > 50, f"node's map: {same} of {len(last)} starts by their name")
    os.unlink(path)


class DebugServer(http.server.BaseHTTPRequestHandler):
    """Just enough of debuginfod: GET /buildid/ID/{debuginfo,executable}."""
    files, asked, delay = {}, [], 0

    def do_GET(self):
        self.asked.append(self.path)
        time.sleep(self.delay)
        data = self.files.get(self.path)
        self.send_response(200 if data else 404)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *args):
        pass


def check_debuginfod():
    path = os.path.join(FOLDER, "split")
    compile_program(path, "only_in_debug", "-g")
    offset, ident = function_offset(path, "only_in_debug"), build_id(path)
    run(["objcopy", "--only-keep-debug", path, path + ".dbg"])
    run(["strip", path])
    with open(path + ".dbg", "rb") as file:
        DebugServer.files[f"/buildid/{ident}/debuginfo"] = file.read()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), DebugServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    env = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{server.server_port}/",
           "DEBUGINFOD_CACHE_PATH": os.path.join(FOLDER, "debuginfod")}
    state, _, name = ask(offset, "file", path, env=env)
    check(name is None and not DebugServer.asked, "no server is asked unless we are told to",
          state, name, DebugServer.asked)
    state, source, name = ask(offset, "debuginfod=1", "file", path, env=env)
    if not DebugServer.asked:
        print("# debuginfod: skipped, libdebuginfod.so.1 is not installed")
    else:
        check((state, name) == ("full", "only_in_debug"), "debug information from a server",
              state, source, name)
        address = next(int(line.split()[0], 16) for line in run(["nm", path + ".dbg"]).stdout
                       .splitlines() if line.endswith(" only_in_debug"))
        kernel = [f"build-id={ident}", "kernel", "[kernel.kallsyms]"]
        state, _, name = ask(address, *kernel, env=env)
        check(state == "mismatch" and name is None, "a kernel that does not run here", state, name)
        state, _, name = ask(address, "debuginfod=1", *kernel, env=env)
        check((state, name) == ("full", "only_in_debug"), "a kernel's image from a server", state,
              name)
    server.shutdown()


def main():
    need_root()
    need_program("gcc")
    need_program("unshare")
    try:
        check_container()
        check_deleted()
        check_jit_in_container()
        check_node()
        check_debuginfod()
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    done()


main()
