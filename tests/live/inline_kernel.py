# SPDX-License-Identifier: Apache-2.0
"""Inlined functions and lines of the kernel and its modules, beside addr2line and perf.

A program linked where kernels are stands in for an image that was loaded elsewhere, an object file
for a module, and an image with the running kernel's build-id for that: one function in its place.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lib import PERFOLIO, check, done, need_program, need_root, program, run  # noqa: E402

LINKED, LOADED = 0xffffffff81000000, 0xffffffffa2600000
CODE = """
static inline unsigned next(unsigned x) {
    return x * 1103515245u + 12345u; }
static inline unsigned mix(unsigned x) {
    for (int i = 0; i < 50; i++) x = next(x) ^ (x >> 7);
    return x; }
__attribute__((noinline)) unsigned work(unsigned n) {
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++) s += mix(i + s);
    return s; }
__attribute__((noinline, section(".init.text"))) unsigned setup(unsigned n) { return mix(n) + 1; }
unsigned _start(unsigned n) { return work(n) + mix(n) + setup(n); }
"""
WHOLE = """
static inline void filler(void) {
    __asm__ volatile(".fill %d, 1, 0x90"); }
void stand_in(void) {
    filler(); }
"""
BUSY = """
#include <time.h>
int main(void) { struct timespec t; for (int i = 0; i < 12000000; i++) clock_gettime(CLOCK_MONOTONIC, &t); }
"""
FOLDER = tempfile.mkdtemp(prefix="perfolio-kernel-")


def path(name):
    return os.path.join(FOLDER, name)


def build(name, code, *options):
    source = path(name + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(code)
    made = run(["gcc", "-O2", "-g", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-falign-functions=1",
                *options, source, "-o", path(name)])
    check(made.returncode == 0, f"{name} is built", made.stderr)
    return path(name)


def link_at(address):
    return ["-nostdlib", "-static", "-no-pie", f"-Wl,-Ttext=0x{address:x}",
            f"-Wl,--defsym=_text=0x{address:x}"]


def ask(command, addresses):
    text = subprocess.run(command, input="".join(f"0x{a:x}\n" for a in addresses), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    text = re.sub(r" \(discriminator \d+\)|:\?$", "", text, flags=re.M)
    return [answer.split("\n", 1)[-1] for answer in re.split(r"^0x", text, flags=re.M)[1:]]


def text_size(file):
    match = re.search(r" \.text +PROGBITS +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+)",
                      run(["readelf", "-SW", file]).stdout)
    return int(match[1], 16)


def compare(what, ours, theirs):
    differ = [(i, a, b) for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    check(len(ours) == len(theirs) > 50 and not differ,
          f"{what}: {len(ours)} addresses are as addr2line has them", *differ[:3])
    check(any(answer.count("\n") == 6 for answer in ours), f"{what}: some are inlined twice over")


def kernel():
    image = build("image", CODE, *link_at(LINKED))
    offsets = range(text_size(image))
    compare("an image that was loaded elsewhere",
            ask([program("inlines"), "--kernel", f"{LOADED:x}", image], [LOADED + o for o in offsets]),
            ask(["addr2line", "-a", "-i", "-f", "-e", image], [LINKED + o for o in offsets]))


def module():
    for options in (["-gdwarf-5"], ["-gdwarf-4", "-gz"]):
        module_file = build("module", CODE, "-c", *options)
        offsets = range(text_size(module_file))
        compare(f"a module, {' '.join(options)}",
                ask([program("inlines"), "--module", f"{LOADED:x}", module_file],
                    [LOADED + o for o in offsets]),
                ask(["addr2line", "-a", "-i", "-f", "-j", ".text", "-e", module_file], offsets))


def kernel_text():
    """Where the running kernel's code begins and ends."""
    found = {}
    with open("/proc/kallsyms", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[2] in ("_text", "_etext"):
                found[words[2]] = int(words[0], 16)
    return found.get("_text", 0), found.get("_etext", 0)


def build_id(notes):
    at = notes.index(b"GNU\0")
    while notes[at - 4:at] != b"\3\0\0\0":
        at = notes.index(b"GNU\0", at + 4)
    return notes[at + 4:at + 4 + int.from_bytes(notes[at - 8:at - 4], "little")].hex()


def kernel_id():
    with open("/sys/kernel/notes", "rb") as file:
        return build_id(file.read())


def vdso_id():
    with open("/proc/self/maps", encoding="utf-8") as maps, open("/proc/self/mem", "rb") as memory:
        line = [line for line in maps if "[vdso]" in line][0]
        start, end = (int(number, 16) for number in line.split()[0].split("-"))
        memory.seek(start)
        return build_id(memory.read(end - start))


def vdso():
    """A file of debug information for it, in the folder of build-ids."""
    busy = build("busy", BUSY, "-fno-builtin")
    made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-F", "999", "-o", path("vdso.data"), busy])
    check(made.returncode == 0, "a program that asks for the time is recorded", made.stderr)
    name = vdso_id()
    folder = path(f"ids/.build-id/{name[:2]}/{name[2:]}")
    os.makedirs(folder)
    file = build("debug", WHOLE % 0x4000, *link_at(0x400), f"-Wl,--build-id=0x{name}", "-Wl,-e,0")
    os.rename(file, os.path.join(folder, "debug"))
    text = run([PERFOLIO, "script", "-i", path("vdso.data"), "--buildid-dir", path("ids"), "-F",
                "ip,sym,srcline"]).stdout
    check(text.count("  debug.c:3\n") > 10, "lines of the vdso come from the folder of build-ids",
          text[:1000])


def views():
    start, end = kernel_text()
    if not start:
        print("# the kernel's addresses are hidden")
        return
    image = build("vmlinux", WHOLE % (end - start), *link_at(LINKED), f"-Wl,--build-id=0x{kernel_id()}",
                  "-Wl,-e,0")
    data = path("kernel.data")
    made = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:k", "-F", "999", "-g", "-o", data, "dd",
                "if=/dev/zero", "of=/dev/null", "bs=1", "count=200000"])
    check(made.returncode == 0, "kernel code is recorded", made.stderr)
    kept = run([PERFOLIO, "record", "-q", "-e", "cpu-clock:k", "--vmlinux", image, "-o", path("kept.data"), "true"],
               env={**os.environ, "HOME": path("home")})
    copies = [name for _, _, names in os.walk(path("home")) for name in names if name == "elf"]
    check(kept.returncode == 0 and copies == ["elf"], "record --vmlinux keeps the image by its build-id", kept.stderr, copies)
    other = run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "--vmlinux", "/bin/true", "-o", path("kept.data"), "true"])
    check(other.returncode == 2 and "not the running kernel" in other.stderr, "and no other file", other.stderr)
    text = run([PERFOLIO, "script", "-i", data, "-k", image, "--inline", "-F", "ip,sym,srcline"]).stdout
    pairs = len(re.findall(r"\t *[0-9a-f]+ filler\n  vmlinux.c:3 \(inlined\)\n"
                           r"\t *[0-9a-f]+ stand_in\n  vmlinux.c:5\n", text))
    check(pairs > 20 and pairs == text.count(" stand_in\n"), "script shows what is inlined in the kernel",
          pairs, text[:1000])
    for words in ([], ["--show-kernel-path"]):
        mine, perfs = (run([name, "script", "-i", data, "-k", image, "-F", "ip,sym,dso", *words]).stdout
                       for name in (PERFOLIO, "perf"))
        check((f"({image})" in mine) == (f"({image})" in perfs) == bool(words), f"the kernel's file: {words}", mine[:500], perfs[:500])
    ours, theirs = (run([name, "script", "-i", data, "-k", image, "-F", "ip,sym,srcline"])
                    .stdout.splitlines() for name in (PERFOLIO, "perf"))
    theirs = [line for line in theirs if line.strip() != ":0"]  # of code that others have put into the kernel
    differ = [(a, b) for a, b in zip(ours, theirs) if a != b]
    check(len(ours) == len(theirs) > 50 and not differ, "lines of kernel code are as perf has them",
          *differ[:5])
    text = run([PERFOLIO, "report", "-i", data, "-k", image, "--inline", "--stdio"]).stdout
    check("filler (inlined)" in text, "report too", text[:2000])
    text = run([PERFOLIO, "report", "-i", data, "-k", image, "--stdio", "--no-children", "-g", "none",
                "--sort", "srcline"]).stdout
    check(re.search(r"\d\d%  vmlinux.c:3", text), "samples in the kernel have their line", text[:2000])


def main():
    need_root()
    os.environ["XDG_CACHE_HOME"] = path("cache")  # the stand-in is not to be kept as the kernel
    for name in ("gcc", "addr2line", "perf"):
        need_program(name)
    kernel()
    module()
    vdso()
    views()
    shutil.rmtree(FOLDER)
    done()


main()
