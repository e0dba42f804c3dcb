# SPDX-License-Identifier: Apache-2.0
"""Recordings to read: the whole host, with stacks, while real programs run.

They are made once, by perf, and kept below build/recordings; larger ones are grown from the largest.
PERFOLIO_BENCH_SAMPLES asks for another size of that one.  Those with copied stacks are made by
perfolio, since perf loses a part of such samples: of the whole host, and of sqlite built with all its
debug information from the source that npm's package of it carries.
"""
import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

from goals import NotCompared

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "build", "recordings")
TOOLS = os.environ.get("PERFOLIO_BENCH_TOOLS", os.path.join(ROOT, "build", "bench"))
LARGEST = int(os.environ.get("PERFOLIO_BENCH_SAMPLES", "820000"))
RATE = 15000  # a second and CPU
SQLITE = "better-sqlite3@12.11.1"
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
MORE_SQL = """
CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT UNIQUE, born TEXT, boss REFERENCES people);
CREATE TABLE notes(person INTEGER, at REAL, body TEXT, PRIMARY KEY(person, at)) WITHOUT ROWID;
CREATE VIEW counted AS SELECT p.name, count(*) AS n FROM people p JOIN notes ON person = id GROUP BY 1;
CREATE TRIGGER told AFTER UPDATE ON people BEGIN
  INSERT OR REPLACE INTO notes VALUES(new.id, julianday(new.born), 'was ' || old.name); END;
WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 3000)
INSERT INTO people SELECT x, format('%s-%05d', char(97 + x % 26), x), date('2000-01-01', x || ' days'),
  x / 7 FROM c;
INSERT INTO notes SELECT id, id * 1.5 + k, json_object('k', k, 'v', json_array(id, name, born))
  FROM people, (VALUES(1), (2), (3)) AS v JOIN (SELECT 1 AS k UNION SELECT 2) WHERE id % 2
  ON CONFLICT DO NOTHING;
UPDATE people SET name = replace(upper(name), '-', '_') WHERE id BETWEEN 500 AND 900;
SELECT name, n, rank() OVER (ORDER BY n DESC, name), sum(n) OVER (ROWS 3 PRECEDING) FROM counted;
SELECT json_extract(body, '$.v[1]'), strftime('%Y-%W', born), round(avg(at), 2) FROM notes
  LEFT JOIN people ON id = person WHERE json_valid(body) GROUP BY 1, 2 HAVING count(*) > 1
  ORDER BY 3 DESC, 1 COLLATE NOCASE;
WITH RECURSIVE up(id, depth) AS (SELECT id, 0 FROM people WHERE boss = 0 UNION ALL
  SELECT p.id, depth + 1 FROM people p JOIN up ON p.boss = up.id) SELECT depth, count(*) FROM up GROUP BY 1;
SELECT DISTINCT substr(name, 1, 2), group_concat(id, ';') FROM people WHERE name GLOB '[a-m]*'
  AND id IN (SELECT person FROM notes WHERE body LIKE '%1%') GROUP BY 1 EXCEPT SELECT 'a-', '';
SAVEPOINT s; DELETE FROM people WHERE boss IN (SELECT id FROM people WHERE id % 11 = 0); ROLLBACK TO s; RELEASE s;
ALTER TABLE people ADD COLUMN size GENERATED ALWAYS AS (length(name)); CREATE INDEX j ON people(size, born);
SELECT min(cast(hex(randomblob(4)) AS TEXT)), total(size), quote(zeroblob(9)) FROM people WHERE size > 6;
EXPLAIN QUERY PLAN SELECT * FROM people NATURAL JOIN notes; ANALYZE; REINDEX; PRAGMA integrity_check; VACUUM;
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


def made_by(path, maker):
    """The recording of that name, made if it is not there."""
    path = os.path.join(FOLDER, path)
    if not os.path.exists(path):
        os.makedirs(FOLDER, exist_ok=True)
        print(f"making {os.path.relpath(path)}", flush=True)
        with tempfile.TemporaryDirectory(prefix="perfolio-bench-") as scratch:
            maker(path + ".part", scratch)
        os.rename(path + ".part", path)
    return path


def record_copies(perfolio, path, argv):
    subprocess.run([perfolio, "record", "-q", "-e", "cpu-clock", "-F", "1999", "--call-graph", "dwarf",
                    "-o", path, *argv], check=True)


def copies(perfolio):
    """The whole host with copied stacks, 20,000 samples a CPU."""
    def maker(path, scratch):
        with busy_host(scratch):
            record_copies(perfolio, path, ["-a", "sleep", "10"])
    return made_by("copies-host.data", maker)


def fetch_sqlite(folder):
    """sqlite's source, all of it in one file, which is not ours to keep."""
    if not shutil.which("npm"):
        raise NotCompared("sqlite's source comes by npm, which is not installed")
    got = subprocess.run(["npm", "pack", "--silent", SQLITE], cwd=folder, check=False,
                         stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if got.returncode:
        raise NotCompared(f"npm can't fetch {SQLITE}: {got.stderr.strip()[-200:]}")
    with tarfile.open(os.path.join(folder, got.stdout.split()[-1])) as package:
        for name in ("sqlite3.c", "sqlite3.h"):
            with package.extractfile(f"package/deps/sqlite3/{name}") as source, \
                    open(os.path.join(folder, name), "wb") as target:
                shutil.copyfileobj(source, target)


def sqlite_copies(perfolio):
    """sqlite built with -O2 -g, with copied stacks; the program stays beside the recording."""
    program = os.path.join(FOLDER, "sqlite")

    def maker(path, scratch):
        fetch_sqlite(scratch)
        subprocess.run(["gcc", "-O2", "-g", "-pthread", f"-I{scratch}", "-o", program,
                        os.path.join(ROOT, "bench", "sqlite.c"), f"{scratch}/sqlite3.c", "-lm"],
                       check=True)
        with open(f"{scratch}/work.sql", "w", encoding="utf-8") as file:
            file.write(SQL + MORE_SQL)
        record_copies(perfolio, path, [program, f"{scratch}/work.sql", "12"])
    return made_by("copies-sqlite.data", maker)


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
