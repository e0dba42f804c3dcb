#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evlist, buildid-list, buildid-cache and archive beside perf, on the same recordings and the same folder."""
import os
import shutil
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, run, run_perf

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-buildids-")
os.chdir(SCRATCH.name)
os.environ["HOME"] = SCRATCH.name
DEBUG = os.path.join(SCRATCH.name, ".debug")


def both(*words):
    perf, ours = run_perf(*words), run([PERFOLIO, *words])
    return perf.stdout.replace("'perf ", "'perfolio "), ours.stdout, ours.stderr


def events():
    run_perf("record", "-q", "-B", "-N", "-e", "{cpu-clock,task-clock}:S", "-e", "sched:sched_switch", "-c", "1000", "-a",
             "-o", "events", "true")
    run_perf("record", "-q", "-B", "-N", "-e", "page-faults", "-F", "99", "-g", "-d", "-o", "single", "true")
    run([PERFOLIO, "record", "-q", "-g", "-o", "ours", "true"])
    for name in ("events", "single", "ours"):
        for words in ([], ["-F"], ["-v"], ["-g"], ["--trace-fields"]):
            perf, ours, said = both("evlist", "-i", name, *words)
            check(perf == ours and ours, f"evlist {' '.join(words)}: {name}", perf, ours, said)
    piped = run(["sh", "-c", f"{PERFOLIO} record -q -e page-faults -o - true | {PERFOLIO} evlist -i -"]).stdout
    check(piped == "page-faults\n", "evlist of a pipe", piped)


def listing():
    run([PERFOLIO, "record", "-q", "-e", "page-faults", "-c", "1", "-o", "list", "ls", "/"])
    perf, ours, said = both("buildid-list", "-i", "list")
    check(sorted(perf.splitlines()) == sorted(ours.splitlines()) and "libc.so.6" in ours, "buildid-list", perf, ours, said)
    perf, ours, said = both("buildid-list", "-k")
    check(perf == ours and len(ours) == 41, "buildid-list -k: the running kernel's", perf, ours, said)
    hits = run([PERFOLIO, "buildid-list", "-H", "-i", "list"]).stdout
    check("libc.so.6" in hits and "[vdso]" not in hits, "buildid-list -H", hits)


def cache():
    shutil.copy("/bin/true", "prog")
    prog = os.path.realpath("prog")
    run([PERFOLIO, "buildid-cache", "-a", "prog,/bin/ls"])
    perf, ours, said = both("buildid-cache", "-l")
    check(sorted(perf.splitlines()) == sorted(ours.splitlines()) and prog in ours and ours.count("\n") == 2,
          "buildid-cache -a, -l: perf lists the same", perf, ours, said)
    link = [os.path.join(folder, name) for folder, _, names in os.walk(DEBUG) for name in names if name == "elf"]
    check(len(link) == 2, "as files of the layout", link)
    run_perf("buildid-cache", "-a", "/bin/cat")
    _, ours, _ = both("buildid-cache", "-l")
    check("/cat" in ours, "what perf added is listed", ours)
    run([PERFOLIO, "buildid-cache", "-r", "/bin/cat"])
    perf, ours, _ = both("buildid-cache", "-l")
    check("/cat" not in ours and "/cat" not in perf, "-r takes it out, for perf too", perf, ours)
    run([PERFOLIO, "buildid-cache", "-p", "prog"])
    perf, ours, _ = both("buildid-cache", "-l")
    check(prog not in ours and prog not in perf and ours, "-p takes a path out", perf, ours)
    missing = run([PERFOLIO, "buildid-cache", "-M", "list"]).stdout
    check("libc.so.6" in missing and "/bin/ls" not in missing, "-M: what is not there", missing)
    run([PERFOLIO, "buildid-cache", "-P"])
    check(run([PERFOLIO, "buildid-cache", "-l"]).stdout == "" and not os.listdir(os.path.join(DEBUG, ".build-id")),
          "-P takes everything out")
    refused = run([PERFOLIO, "buildid-cache", "-r", "/bin/cat"])
    check(refused.returncode == 1 and "not in" in refused.stderr, "what is not there can't be removed", refused.stderr)
    refused = run([PERFOLIO, "buildid-cache", "-a", "/etc/passwd"])
    check(refused.returncode == 1 and "no build-id" in refused.stderr, "nor can be added what has no build-id", refused.stderr)


def archive():
    made = run([PERFOLIO, "archive", "list"])
    names = subprocess.run(["tar", "tzf", "list.tar.gz"], stdout=subprocess.PIPE, text=True, check=False).stdout
    check(made.returncode == 0 and "libc.so.6/" in names and ".build-id/" in names and names.count("/elf\n") >= 3,
          "archive packs what it ran", made.stderr, names)
    os.mkdir("elsewhere")
    subprocess.run(["tar", "xzf", "list.tar.gz", "-C", "elsewhere"], check=False)
    text = run([PERFOLIO, "script", "-i", "list", "--symfs", "/nonexistent", "--buildid-dir", os.path.abspath("elsewhere"),
                "-F", "ip,sym,dso"]).stdout
    check("libc.so.6" in text and any("libc.so.6" in line and "[unknown]" not in line for line in text.splitlines()),
          "and there are names from it where the files are not", text[:500])


events()
listing()
cache()
archive()
done()
