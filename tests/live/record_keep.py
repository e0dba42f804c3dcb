#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What vanishes with the processes that were recorded still has its names afterwards."""
import os
import re
import shutil
import signal
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, until
from perffile import samples_in

need_program("perf")
need_program("gcc")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-keep-")
os.chdir(SCRATCH.name)
os.environ["HOME"] = os.path.join(SCRATCH.name, "home")  # whose ~/.debug is ours to look at
os.environ["DEBUGINFOD_URLS"] = ""
os.environ.pop("SUDO_UID", None)

# A third of the time in a function of its own, the rest in code that it makes, as a JIT does: one
# page of the machine's code for "count down and return", named in /tmp/perf-PID.map.
SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
static const unsigned char code[] = { 0xb8, 0, 0, 0x20, 0, 0xff, 0xc8, 0x75, 0xfc, 0xc3 };
#else
static const unsigned code[] = { 0x52a00400, 0x71000400, 0x54ffffe1, 0xd65f03c0 };
#endif
volatile unsigned long sum;
__attribute__((noinline)) static void spin_own(void)
{
	for (unsigned long i = 0; i < 500000; i++)
		sum += i;
}
int main(int argc, char **argv)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	time_t end = time(NULL) + atoi(argv[1]);
	char name[64];
	FILE *map;

	memcpy(page, code, sizeof(code));
	__builtin___clear_cache(page, page + sizeof(code));
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	map = argc > 2 ? fopen(name, "w") : NULL;
	if (map)
		fprintf(map, "%lx %lx made_by_jit\n", (unsigned long)page, sizeof(code)), fclose(map);
	puts("ready");
	fflush(stdout);
	while (time(NULL) < end) {
		spin_own();
		if (argc > 2)
			((void (*)(void))page)();
	}
	return 0;
}
"""
with open("prog.c", "w", encoding="utf-8") as file:
    file.write(SOURCE)
BUILT = run(["gcc", "-O1", "-static", "-Wl,--build-id", "prog.c", "-o", "prog"])
check(BUILT.returncode == 0, "a program that makes code", BUILT.stderr)


def start(*command):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    return process


def record(name, *flags):
    return run([PERFOLIO, "record", "-e", "cpu-clock:u", "-F", "997", "-o", name, *flags])


def named(name, comm):
    """Of all samples in user space, the share that has a name, and the names."""
    result = run([PERFOLIO, "report", "--stdio", "-i", name, "--comm", comm, "--sort", "sym"])
    rows = re.findall(r"^\s*([\d.]+)%.*\[\.\] (\S+)", result.stdout, re.M)
    known = sum(float(share) for share, symbol in rows if not re.match(r"\[unknown\]|0x", symbol))
    total = sum(float(share) for share, _ in rows)
    return known / total if total else 0, {symbol for _, symbol in rows}


def kept_note(result):
    found = re.search(r"note: kept (\d+) file", result.stderr)
    return int(found.group(1)) if found else 0


# ---- a container: its own root, pids and /tmp, on a file system that goes with it ----
INSIDE = """mount --make-rprivate / && mount -t tmpfs none jail && mkdir -p jail/app jail/tmp &&
cp prog jail/app/boxed && exec chroot jail /app/boxed "$1" jit"""
os.mkdir("jail")
outer = start("unshare", "-pfm", "sh", "-c", INSIDE, "sh", "1000")
inner = run(["pgrep", "-P", str(outer.pid)]).stdout.split()
result = record("box.data", "-p", inner[0], "--", "sleep", "1.2")
os.kill(int(inner[0]), signal.SIGKILL)
outer.wait()
check(not os.path.exists("jail/app") and not os.path.exists("/app/boxed"), "the container is gone")
share, symbols = named("box.data", "boxed")
check(share >= 0.95 and {"spin_own", "made_by_jit"} <= symbols,
      f"its program and its JIT's code have names nevertheless ({share:.1%})", symbols, result.stderr)
check(kept_note(result) == 2, "and the closing lines say what was kept", result.stderr)
text = run(["perf", "report", "--stdio", "-i", "box.data", "--comm", "boxed", "--sort", "sym"]).stdout
check("spin_own" in text and "made_by_jit" in text, "perf finds them, too", text)
JIT_LIST = f"/tmp/perf-{inner[0]}.map"
check(os.path.exists(JIT_LIST) and os.stat(JIT_LIST).st_mode & 0o777 == 0o600, "the JIT's list is ours only")
os.unlink(JIT_LIST)

# ---- recorded from inside a container of its own ----
shutil.rmtree("home", ignore_errors=True)
os.makedirs("home")
result = run(["unshare", "-pfm", "--mount-proc", PERFOLIO, "record", "-e", "cpu-clock:u", "-o", "in.data", "--",
              "./prog", "2"])
share, symbols = named("in.data", "prog")
check(result.returncode == 0 and share >= 0.95, f"record in a pid and mount namespace ({share:.1%})",
      result.stderr, symbols)
check(not kept_note(result), "a namespace that sees the same files: nothing is copied", result.stderr)

# ---- a program that is deleted, and one that is replaced while it runs ----
for how in ("deleted", "replaced"):
    shutil.copy("prog", "gone")
    process = start("./gone", "1000")
    os.unlink("gone")
    if how == "replaced":
        shutil.copy("/bin/true", "gone")
    result = record(f"{how}.data", "-p", str(process.pid), "--", "sleep", "0.8")
    process.kill()
    process.wait()
    share, symbols = named(f"{how}.data", "gone")
    check(share >= 0.95 and "spin_own" in symbols, f"{how} while it runs ({share:.1%})", symbols, result.stderr)

# It is deleted only after its first samples.
shutil.rmtree("home")
shutil.copy("prog", "late")
process = start("./late", "1000")
recorder = subprocess.Popen([PERFOLIO, "record", "-q", "-e", "cpu-clock:u", "-o", "late.data", "-p",
                             str(process.pid)])
until(lambda: samples_in("late.data") > 100)
os.unlink("late")
before = samples_in("late.data")
until(lambda: samples_in("late.data") > before + 100)
recorder.terminate()
recorder.wait()
process.kill()
process.wait()
share, symbols = named("late.data", "late")
check(share >= 0.95, f"deleted in the middle ({share:.1%})", symbols)

# ---- switched off ----
for flag in ("-N", "-B"):
    shutil.rmtree("home", ignore_errors=True)
    shutil.copy("prog", "off")
    process = start("./off", "1000")
    os.unlink("off")
    record("off.data", flag, "-p", str(process.pid), "--", "sleep", "0.5")
    process.kill()
    process.wait()
    check(not os.path.exists("home/.debug"), f"{flag} keeps nothing")

# ---- ordinary programs are not copied ----
result = record("plain.data", "--", "./prog", "1")
check(not os.path.exists("home/.debug") and not kept_note(result), "what stays is not copied", result.stderr)

# ---- under sudo: into the caller's folder, with the caller's rights ----
if run(["getent", "passwd", "65534"]).stdout:
    shutil.copy("prog", "sudo")
    process = start("./sudo", "1000")
    os.unlink("sudo")
    result = run([PERFOLIO, "record", "-e", "cpu-clock:u", "-o", "sudo.data", "-p", str(process.pid), "--", "sleep",
                  "0.5"], env={**os.environ, "SUDO_UID": "65534", "SUDO_GID": "65534"})
    process.kill()
    process.wait()
    check(result.returncode == 0 and not os.path.exists("home/.debug"),
          "for a caller without a home nothing is written elsewhere", result.stderr)

done()
