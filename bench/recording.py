# SPDX-License-Identifier: Apache-2.0
"""Recordings to read: the whole host, with stacks, while real programs run.

They are made once, by perf, and kept below build/recordings; larger ones are grown from the largest.
PERFOLIO_BENCH_SAMPLES asks for another size of that one.
"""
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "build", "recordings")
TOOLS = os.environ.get("PERFOLIO_BENCH_TOOLS", os.path.join(ROOT, "build", "bench"))
LARGEST = int(os.environ.get("PERFOLIO_BENCH_SAMPLES", "820000"))
RATE = 15000  # a second and CPU
SQL = """
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 60000)
SELECT count(*), sum(x * x % 7), max(hex(x)) FROM c;
CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL);
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 40000)
INSERT INTO t SELECT x, printf('%x-%d', x, x % 97), x / 3.0 FROM c;
CREATE INDEX i ON t(b);
SELECT b, count(*), avg(c) FROM t WHERE b LIKE '%a%' GROUP BY substr(b, 1, 2) ORDER BY 2 DESC;
UPDATE t SET b = upper(b) WHERE a % 3 = 0;
DELETE FROM t WHERE a % 5 = 0;
"""
PYTHON = """
import ast, collections, glob, json, re, tokenize, xml.etree.ElementTree as tree, decimal, difflib
rows = [{'a': i, 'b': [str(i)] * 3} for i in range(8000)]
json.loads(json.dumps(rows, indent=1))
for path in glob.glob('/usr/lib/python3*/[a-m]*.py')[:40]:
    text = open(path, encoding='utf-8', errors='replace').read()
    compile(ast.parse(text), path, 'exec')
    collections.Counter(re.findall(r'[a-z_]+', text)).most_common(9)
    list(tokenize.generate_tokens(iter(text.splitlines(True)).__next__))[:1]
sum(decimal.Decimal(i).sqrt() for i in range(3000))
difflib.unified_diff(text.split('\\n'), text.upper().split('\\n'))
tree.tostring(tree.fromstring('<a>' + '<b c="d">e</b>' * 5000 + '</a>'))
"""


def steps(scratch):
    """What each program is given to do, as shell commands."""
    sources = "src/base/*.c src/profile/*.c src/event/*.c src/perfdata/*.c"
    return {
        "sqlite3": f"sqlite3 {scratch}/$$.db <{scratch}/work.sql; rm -f {scratch}/$$.db",
        "gcc": f"for f in $(ls {sources} | shuf -n 6); "
               f"do gcc -O2 -g -D_GNU_SOURCE -Isrc -c -o {scratch}/$$.o $f; done",
        "python3": f"/usr/bin/python3 {scratch}/work.py",
        "xz": "cat src/event/*.c | xz -6 -c | xz -dc",
        "redis-benchmark": f"redis-benchmark -s {scratch}/redis -n 4000 -q",
    }


@contextlib.contextmanager
def busy_host(scratch):
    """Real programs on all CPUs for as long as it lasts."""
    with open(os.path.join(scratch, "work.sql"), "w", encoding="utf-8") as file:
        file.write(SQL)
    with open(os.path.join(scratch, "work.py"), "w", encoding="utf-8") as file:
        file.write(PYTHON)
    doing = steps(scratch)
    lacking = [program for program in doing if not shutil.which(program)]
    if lacking:
        print(f"without {', '.join(lacking)}, which is not installed", flush=True)
    script = "while :; do " + "; ".join(text for program, text in doing.items()
                                        if program not in lacking) + "; done >/dev/null 2>&1"
    commands = [["sh", "-c", script] for _ in range(os.cpu_count())]
    if "redis-benchmark" not in lacking:
        # The server as redis-tools has it; the package of its own would start one for the machine.
        server = os.path.join(scratch, "redis-server")
        os.symlink(shutil.which("redis-check-rdb"), server)
        commands.insert(0, [server, "--port", "0", "--unixsocket", f"{scratch}/redis",
                            "--save", "", "--dir", scratch])
    busy = [subprocess.Popen(argv, cwd=ROOT, start_new_session=True, stdout=subprocess.DEVNULL)
            for argv in commands]
    try:
        yield
    finally:
        for process in busy:
            os.killpg(process.pid, 15)
            process.wait()


def record(path, samples):
    seconds = samples / RATE / os.cpu_count() * 1.02
    # -N: filling its cache of files takes perf 6.1 down when there are many.
    argv = ["perf", "record", "-q", "-N", "-a", "-g", "-e", "cpu-clock", "-F", str(RATE),
            "-o", path + ".part", "sleep", f"{seconds:.2f}"]
    with tempfile.TemporaryDirectory(prefix="perfolio-bench-") as scratch, busy_host(scratch):
        made = subprocess.run(argv, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if made.returncode:
        sys.exit(f"perf record failed: exit status {made.returncode}")
    os.rename(path + ".part", path)


def make(samples=LARGEST):
    """Gives the path of a recording with about that many samples."""
    path = os.path.join(FOLDER, f"host-{samples}.data")
    if not os.path.exists(path):
        os.makedirs(FOLDER, exist_ok=True)
        print(f"making {os.path.relpath(path)}", flush=True)
        record(path, samples)
    return path


def grown(samples):
    """The largest recording, again and again until it has that many."""
    path = os.path.join(FOLDER, f"grown-{samples}.data")
    if not os.path.exists(path):
        source = make()
        print(f"making {os.path.relpath(path)}", flush=True)
        subprocess.run([os.path.join(TOOLS, "grow"), source, str(samples),
                        path + ".part"], check=True)
        os.rename(path + ".part", path)
    return path


@functools.lru_cache
def shape(path):
    """What a recording is like, in words."""
    text = subprocess.check_output([os.path.join(TOOLS, "profile"), "read", path],
                                   encoding="utf-8")
    found = json.loads(text.splitlines()[-1])
    return (f"{os.path.basename(path)}: {found['samples']:,} samples, "
            f"{os.path.getsize(path) / 1e6:,.1f} MB, {found['stacks']:,} unique stacks "
            f"({found['nodes']:,} nodes), {found['addresses']:,} unique addresses in mappings, "
            f"{found['functions']:,} functions, {found['processes']:,} threads by name")
