#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a recording says of its own completeness: CPU time there was, idle time, what the events counted, losses."""
import json
import os
import signal
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, until
from perffile import samples_in

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-coverage-")
os.chdir(SCRATCH.name)
CHAIN = program("chain")


def events(name="perf.data"):
    answer = json.loads(run([PERFOLIO, "query", name, "events"]).stdout)
    for key in ("cpu_time_ns", "idle_ns"):
        answer[key] = answer.get(key) and int(answer[key])
    for row in answer["rows"]:
        row["counted"] = row.get("counted") and int(row["counted"])
        row["count"] = int(row["count"])
    return answer


def spent_by(pid):
    """The seconds of CPU time that a process has used."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def record(*words, **options):
    return run([PERFOLIO, "record", *words], **options)


# ---- a program that tells its own CPU time ----
spent = int(record("-q", "-e", "cpu-clock", "-F", "997", "--", CHAIN, "1", "1").stdout.split()[0])
answer = events()
row = answer["rows"][0]
check(answer["cpu_time_ns"] and 0.98 < answer["cpu_time_ns"] / spent < 1.1,
      f"the CPU time is the program's: {answer['cpu_time_ns']} of {spent} ns")
check(0.97 < row["counted"] / answer["cpu_time_ns"] <= 1, "a clock has counted as much, but for switches", row)
check(0.6 < row["count"] / row["counted"] < 1.05, f"samples × period are {row['count'] / row['counted']:.3f} of it")
check(answer["idle_ns"] is None, "of a program no idle time is known", answer)
plain = run_perf("script", "-F", "ip")
check(len(plain.stdout.split()) == row["samples"] and "rror" not in plain.stderr, "perf reads the file as ever",
      plain.stderr)

# ---- far above what timers here can do: the gap is seen though nothing is lost ----
spent = int(record("-q", "-e", "cpu-clock", "-F", "max", "--", CHAIN, "1", "0.3").stdout.split()[0])
answer = events()
check(answer["cpu_time_ns"] >= 0.98 * spent and answer["rows"][0]["count"] <= answer["cpu_time_ns"] * 1.01,
      f"the highest rate covers {answer['rows'][0]['count'] / answer['cpu_time_ns']:.0%} of the time")

# ---- only while it is enabled ----
os.mkfifo("ctl")
os.mkfifo("ack")
script = (f"{CHAIN} 1 0.3; echo enable >ctl; read a <ack; {CHAIN} 1 0.3; echo disable >ctl; read b <ack; {CHAIN} 1 0.3")
result = record("-q", "-e", "cpu-clock", "-F", "997", "-D", "-1", "--control", "fifo:ctl,ack", "--", "sh", "-c", script)
spent = int(result.stdout.split()[1])
got = events()["cpu_time_ns"]
check(0.95 < got / spent < 1.3, f"what was disabled is not counted: {got} of {spent} ns", result.stderr)

# ---- whole CPUs: time and idle time are the machine's ----
def idle_ticks():
    line = open("/proc/stat", encoding="ascii").readline().split()
    return int(line[4]) + int(line[5])


before = idle_ticks()
result = record("-e", "cpu-clock", "-F", "997", "-a", "--", "sleep", "2")
idle = (idle_ticks() - before) / os.sysconf("SC_CLK_TCK")
answer = events()
cpus = len(os.sched_getaffinity(0))
# The clock of a CPU that a virtual machine's host lets sleep may fall behind by some per cent.
check(answer["cpu_time_ns"] > 0.9 * 2e9 * cpus, f"CPUs × time: {answer['cpu_time_ns'] / 1e9:.3f} s of {cpus} CPUs")
room = 0.05 * cpus + 0.1 * idle
check(answer["idle_ns"] is not None and answer["idle_ns"] / 1e9 < idle + room and
      answer["idle_ns"] <= answer["cpu_time_ns"] * 1.1,
      f"idle for {(answer['idle_ns'] or 0) / 1e9:.2f} s, /proc/stat {idle:.2f} s with our start and end")

# ---- other events: what they counted ----
record("-q", "-e", "page-faults", "-c", "1", "-e", "cpu-clock", "--", CHAIN, "1", "0.1")
answer = events()
faults, clock = answer["rows"]
check(faults["counted"] == faults["count"] + faults["lost"], "every fault is sampled, as counted", faults)
# no event counts while the kernel switches tasks, which the program is charged with
check(0.9 * answer["cpu_time_ns"] - 1e6 < clock["counted"] <= answer["cpu_time_ns"], "the clock among others is the CPU time", answer)

# ---- a recorder that is killed: as of the last round ----
os.unlink("perf.data")
recorder = subprocess.Popen([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "997", "--", CHAIN, "1", "100"],
                            stdout=subprocess.DEVNULL, start_new_session=True)
until(lambda: samples_in("perf.data") > 300)
os.killpg(recorder.pid, signal.SIGKILL)
recorder.wait()
answer = events()
row = answer["rows"][0]
check(row["counted"] and 0.5 < row["count"] / row["counted"] < 1.05,
      f"after a kill the counts are those of the last round: {row['count'] / (row['counted'] or 1):.3f}", answer)

# ---- a pipe, compressed, several files ----
for words, name in ((["-o", "-"], "pipe"), (["-z", "-o", "packed"], "packed")):
    with open("pipe", "wb") as out:
        subprocess.run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "997", *words, "--", CHAIN, "1", "1"],
                       stdout=out if name == "pipe" else subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    answer = events(name)
    share = answer["rows"][0]["count"] / (answer["cpu_time_ns"] or 1)
    check(answer["cpu_time_ns"] and 0.6 < share < 1.2, f"{name}: samples are {share:.3f} of the CPU time", answer)
    check(len(run_perf("script", "-F", "ip", "-i", name).stdout.split()) == answer["rows"][0]["samples"],
          f"{name}: perf reads it")
result = record("-e", "cpu-clock", "-F", "997", "--switch-output=1s", "-o", "many", "--", CHAIN, "1", "3")
spent = int(result.stdout.split()[0])
each = [events(name)["cpu_time_ns"] for name in sorted(os.listdir(".")) if name.startswith("many")]
check(len(each) > 1 and 0.98 < sum(each) / spent < 1.1, f"{len(each)} files tell of their own time each", each, spent)

# ---- losses: one figure, whoever tells it ----
busy = subprocess.Popen([CHAIN, "1", "1000"], stdout=subprocess.DEVNULL)
recorder = subprocess.Popen([PERFOLIO, "record", "-e", "cpu-clock", "-F", "9999", "-m", "4", "--call-graph", "dwarf,4096",
                             "-o", "losing", "-p", str(busy.pid)], stderr=subprocess.PIPE, text=True)
until(lambda: os.path.exists("losing") and samples_in("losing") > 10)
recorder.send_signal(signal.SIGSTOP)  # its buffers run full
before = spent_by(busy.pid)
until(lambda: spent_by(busy.pid) > before + 0.5)
recorder.send_signal(signal.SIGCONT)
recorder.send_signal(signal.SIGINT)
told = recorder.communicate()[1]
busy.kill()
busy.wait()
lost = int([word.replace(",", "") for word in told.split(" LOST")[0].split()][-1]) if " LOST" in told else 0
rows = events("losing")["rows"]
check(lost > 10 and rows[0]["lost"] == lost, f"query says what record says: {rows[0]['lost']} and {lost}", told)
trust = run([PERFOLIO, "query", "losing", "quality"]).stdout
check(json.loads(trust)["trust"]["lost"] == int(lost), "so does the trust line", trust[:300])
done()
