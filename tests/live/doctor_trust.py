# SPDX-License-Identifier: Apache-2.0
"""doctor on recordings: faults planted one by one, each named with its reason and remedy."""
import json
import os
import platform
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, settings

SPIN = """
#include <stdint.h>
#include <time.h>
__attribute__((noinline)) uint64_t work(uint64_t n)
{
	volatile uint64_t sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += i;
	return sum;
}
__attribute__((noinline)) uint64_t caller(uint64_t n)
{
	uint64_t sum = work(n);
	return sum + 1;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		caller(2000009);
}
"""
DEEP = SPIN.replace("uint64_t sum = work(n);", """volatile char room[4096];
	uint64_t sum = n % 10 ? caller(n - 1) : work(n);
	room[n % sizeof(room)] = 1;""")
THREADS = SPIN.replace("#include <time.h>", "#include <pthread.h>\n#include <time.h>").replace("int main(void)", """
static void *body(void *none)
{
	while (clock() < CLOCKS_PER_SEC / 2)
		caller(100000);
	return none;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
}
int unused(void)""")
# A loop that counts its argument down, as a runtime that compiles would leave it in memory.
LOOPS = {"x86_64": "0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3",
         "aarch64": "0x00, 0x04, 0x00, 0xf1, 0xe1, 0xff, 0xff, 0x54, 0xc0, 0x03, 0x5f, 0xd6"}
JIT = """
#include <string.h>
#include <sys/mman.h>
#include <time.h>
int main(void)
{
	static const unsigned char code[] = { %s };
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*loop)(unsigned long) = at;
	memcpy(at, code, sizeof(code));
	__builtin___clear_cache(at, (char *)at + sizeof(code));
	while (clock() < CLOCKS_PER_SEC / 2)
		loop(1000000);
}
"""
KERNEL = "exec dd if=/dev/zero of=/dev/null bs=1M count=4000 status=none"


def build(folder, name, source, *flags):
    path = os.path.join(folder, name)
    with open(path + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    made = run(["gcc", "-O1", "-o", path, path + ".c", *flags])
    if made.returncode:
        check(False, f"{name} is built", made.stderr)
    return path


def record(path, graph="fp"):
    data = path + ".data"
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "997", "--call-graph", graph, "-o", data,
         path])
    return data


def examine(data, *before):
    out = run([*before, PERFOLIO, "doctor", "--json", "-i", data])
    try:
        return json.loads(out.stdout)
    except json.JSONDecodeError:
        check(False, f"{data} is examined", out.stdout, out.stderr)
        return {"good": None, "objects": []}


def expect(found, path, what, reason, remedy):
    """One object's fault, its reason and a word of its remedy."""
    rows = [row for row in found["objects"] if row["path"].endswith(path)]
    fault = rows[0][what] if rows else {"reason": "no such object", "remedy": None}
    check(fault["reason"] == reason and remedy in (fault["remedy"] or ""),
          f"{what}: {reason}, and '{remedy}' would help", fault, found)


def frame_pointers(folder):
    good = build(folder, "good", SPIN, "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
    found = examine(record(good))
    check(found["good"], "a program with frame pointers and symbols is good", found)
    threads = build(folder, "threads", THREADS, "-fno-omit-frame-pointer", "-pthread",
                    "-fno-optimize-sibling-calls")
    found = examine(record(threads))
    check(found["good"], "so is one whose work is done in threads", found)
    words = run([PERFOLIO, "doctor", good + ".data"]).stdout
    check(words.startswith("Good: "), "and the page says so in its first word", words)
    without = build(folder, "without", SPIN, "-fomit-frame-pointer")
    found = examine(record(without))
    check(not found["good"], "one without them is not", found)
    expect(found, "/without", "stacks", "no-frame-pointer", "--call-graph dwarf")


def copies(folder):
    path = build(folder, "tables", SPIN, "-fomit-frame-pointer")
    found = examine(record(path, "dwarf"))
    check(found["good"], "a copied stack needs no frame pointers", found)
    path = build(folder, "nameless", SPIN, "-fomit-frame-pointer", "-s")
    found = examine(record(path, "dwarf"))
    check(found["cut_stacks"] < 0.05 * found["samples"], "nor a name for where the program begins",
          found)
    path = build(folder, "no-tables", SPIN, "-fomit-frame-pointer",
                 "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
    expect(examine(record(path, "dwarf")), "/no-tables", "stacks", "no-unwind-table",
           "-fasynchronous-unwind-tables")
    path = build(folder, "deep", DEEP, "-fomit-frame-pointer", "-fno-optimize-sibling-calls")
    expect(examine(record(path, "dwarf,1024")), "/deep", "stacks", "copy-too-small", "dwarf,32768")


def names(folder):
    stripped = build(folder, "stripped", SPIN, "-static", "-s")
    expect(examine(record(stripped)), "/stripped", "names", "stripped", "without stripping")
    exports = build(folder, "exports", SPIN, "-s")
    expect(examine(record(exports)), "/exports", "names", "exports-only", "without stripping")
    rebuilt = build(folder, "rebuilt", SPIN)
    data = record(rebuilt)
    build(folder, "rebuilt", SPIN.replace("2000009", "2000019"))
    expect(examine(data), "/rebuilt", "names", "build-id-mismatch", "record again")
    gone = build(folder, "gone", SPIN)
    data = record(gone)
    os.unlink(gone)
    expect(examine(data), "/gone", "names", "no-file", "bring back")


def jit(folder):
    if platform.machine() not in LOOPS:
        return
    path = build(folder, "jit", JIT % LOOPS[platform.machine()])
    expect(examine(record(path)), ".map", "names", "jit-without-map", "--perf-basic-prof")


def hidden_kernel(folder):
    data = os.path.join(folder, "kernel.data")
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock:k", "-o", data, "sh", "-c", KERNEL])
    os.chmod(folder, 0o755)
    os.chmod(data, 0o644)
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", "-u", "HOME",
              "XDG_CACHE_HOME=" + os.path.join(folder, "none")]
    with settings(kptr_restrict=1, perf_event_paranoid=2):
        found = examine(data, *nobody)
    expect(found, "[kernel.kallsyms]", "names", "kernel-hidden", "kptr_restrict")


def process(folder):
    path = build(folder, "lasting", SPIN.replace("CLOCKS_PER_SEC / 2", "1000 * CLOCKS_PER_SEC"),
                 "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls")
    with subprocess.Popen([path]) as lasting:
        out = run([PERFOLIO, "doctor", "--json", "-p", str(lasting.pid)])
        lasting.kill()
    found = json.loads(out.stdout) if out.stdout else {}
    check(found.get("samples", 0) > 20 and found.get("good"), "a running process is examined",
          out.stdout, out.stderr)
    out = run([PERFOLIO, "doctor", "-p", "999999999"])
    check(out.returncode == 1 and "999999999" in out.stderr, "one that is not there is an error",
          out.stderr)


def main():
    need_root()
    need_program("gcc")
    with tempfile.TemporaryDirectory(prefix="perfolio-trust-") as folder:
        frame_pointers(folder)
        copies(folder)
        names(folder)
        jit(folder)
        hidden_kernel(folder)
        process(folder)
    done()


main()
