# SPDX-License-Identifier: Apache-2.0
"""Recordings to read: the whole host, with stacks, while real programs run.

They are made once and kept below build/recordings; PERFOLIO_BENCH_SAMPLES asks for another size.
"""
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SAMPLES = int(os.environ.get("PERFOLIO_BENCH_SAMPLES", "850000"))
RATE = 15000  # a second and CPU
SQL = ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<400000) "
       "SELECT count(*), sum(x*x%7), max(hex(x)) FROM c;")
PYTHON = "import json\nd=[{'a':i} for i in range(40000)]\nfor _ in range(5): json.loads(json.dumps(d))"
SOURCES = "src/base/text.c src/base/json.c src/base/options.c src/base/file.c"


def work():
    """A shell script that goes on for ever, with whatever of the programs is installed."""
    pieces = {
        "sqlite3": f'sqlite3 :memory: "{SQL}"',
        "gcc": f"for f in {SOURCES}; do gcc -O2 -D_GNU_SOURCE -Isrc -c -o /dev/null $f; done",
        "python3": f'python3 -c "{PYTHON}"',
        "xz": "xz -1 -c src/event/*.c",
    }
    steps = [step for program, step in pieces.items() if shutil.which(program)]
    return "while :; do " + "; ".join(steps) + "; done >/dev/null 2>&1"


def make(samples=SAMPLES):
    """Gives the path of a recording with about that many samples."""
    folder = os.path.join(ROOT, "build", "recordings")
    path = os.path.join(folder, f"host-{samples}.data")
    if os.path.exists(path):
        return path
    os.makedirs(folder, exist_ok=True)
    print(f"making {os.path.relpath(path)}", flush=True)
    busy = [subprocess.Popen(["sh", "-c", work()], cwd=ROOT, start_new_session=True)
            for _ in range(os.cpu_count())]
    try:
        seconds = samples / RATE / os.cpu_count() * 1.02 + 0.5
        # -N: filling its cache of files takes perf 6.1 down when there are many.
        made = subprocess.run(["perf", "record", "-q", "-N", "-a", "-g", "-e", "cpu-clock",
                               "-F", str(RATE), "-o", path + ".part", "sleep", f"{seconds:.1f}"],
                              check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        for process in busy:
            os.killpg(process.pid, 15)
            process.wait()
    if made.returncode:
        sys.exit(f"perf record failed: exit status {made.returncode}")
    os.rename(path + ".part", path)
    return path
