#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How `record` begins, ends and what it leaves: signals, statuses, files, delays, control, notes."""
import glob
import json
import os
import pty
import re
import signal
import stat
import subprocess
import tempfile
import time

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, settings, until
from perffile import PerfFile, samples_in

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-behaviour-")
os.chdir(SCRATCH.name)
CHAIN = program("chain")
EVENT = ["-e", "cpu-clock", "-F", "997"]


def record(*words, **options):
    return run([PERFOLIO, "record", *words], **options)


def times(name="perf.data"):
    text = run_perf("script", "-f", "-G", "-F", "time", "-i", name)
    return [float(line.strip().rstrip(":")) for line in text.stdout.splitlines()]


def clear():
    for name in glob.glob("perf.data*"):
        os.unlink(name)


def used_by_children(process):
    """The CPU time of what a process has started, in ticks of 10 ms."""
    used = 0
    for pid in run(["pgrep", "-P", str(process.pid)]).stdout.split():
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            used += sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13])
    return used


def taken(cpu_ns):
    """How many samples a program's CPU time, in ns as it tells it, brings.  Of a machine that takes time away from
    its guests, or lets timers come late, there are fewer, never more."""
    return int(cpu_ns) / 1e9 * 997


# ---- exit statuses ----
for command, status in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["true"], 0),
                        (["no-such-command"], 127), (["/etc/passwd"], 127)):
    result = record("-q", *EVENT, "--", *command)
    check(result.returncode == status, f"status {status} for {' '.join(command)}", result.stderr)
for signal_sent in ("KILL", "TERM"):
    result = record(*EVENT, "--", "sh", "-c", f"kill -{signal_sent} $$")
    check(("sh: Killed" if signal_sent == "KILL" else "sh: Terminated") in result.stderr,
          f"the signal that ended it: {signal_sent}", result.stderr)
clear()
record("-q", *EVENT, "--", "true")
size = os.path.getsize("perf.data")
record("-q", *EVENT, "--", "no-such-command")
check(glob.glob("perf.data*") == ["perf.data"] and os.path.getsize("perf.data") == size,
      "a command that can't be started leaves the older recording alone", glob.glob("perf.data*"))

# ---- the file ----
check(stat.S_IMODE(os.stat("perf.data").st_mode) == 0o600, "files are for their owner only")
record("-q", *EVENT, "--", CHAIN, "1", "0.1")
check(os.path.exists("perf.data.old") and os.path.getsize("perf.data.old") == size,
      "the older one becomes perf.data.old")
record("-q", *EVENT, "--", "true", env={**os.environ, "SUDO_UID": "4711", "SUDO_GID": "4712"})
owner = os.stat("perf.data")
check((owner.st_uid, owner.st_gid) == (4711, 4712), "under sudo it belongs to the caller")
clear()
result = record("-q", *EVENT, "-o", "no/such/folder", "--", "true")
check(result.returncode == 1 and "no/such/folder" in result.stderr, "a folder that is not there is said",
      result.stderr)
result = record("-q", *EVENT, "-o", "/dev/null", "--", "true")
check(result.returncode == 0, "-o /dev/null", result.stderr)

# ---- ends ----
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    clear()
    recorder = subprocess.Popen([PERFOLIO, "record", *EVENT, "-a"], stderr=subprocess.PIPE, text=True)
    until(lambda: samples_in("perf.data") > 100)
    recorder.send_signal(number)
    words = recorder.communicate(timeout=120)[1]
    features = PerfFile("perf.data").features()
    check(recorder.returncode == 128 + number and "BUILD_ID" in features and len(times()) > 100,
          f"{number.name} closes the file", words, recorder.returncode)
clear()
recorder = subprocess.Popen([PERFOLIO, "record", *EVENT, "--", CHAIN, "1", "1000"], text=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
until(lambda: samples_in("perf.data") > 3)
recorder.terminate()
words = recorder.communicate(timeout=120)[1]
check(recorder.returncode == 128 + signal.SIGTERM and len(times()) > 3,
      "SIGTERM ends the command and the file", words, recorder.returncode)
clear()
for timeout in ("300ms", "3s", "20s"):  # a busy machine may let it run for some ms only
    began = time.monotonic()
    result = record(*EVENT, "--timeout", timeout, "--", CHAIN, "1", "200")
    if len(times()) > 3:
        break
check(time.monotonic() - began < 150 and len(times()) > 3 and result.returncode == 0,
      "--timeout ends it, which is a success", result.stderr)

# ---- delay and control ----
clear()
for seconds in ("1", "10"):
    began = time.monotonic()  # which is the clock of the samples, too
    record("-q", *EVENT, "-D", "400", "--", CHAIN, "1", seconds)
    span = times() or [0]
    if len(span) > 100:
        break
comm = [kind for kind, _, _ in PerfFile("perf.data").records() if kind == 3]
check(len(span) > 100 and comm, f"-D 400 of {seconds} s: there are samples of {span[-1] - span[0]:.2f} s")
check(span[0] - began > 0.4, f"the first comes {span[0] - began:.2f} s after the start")
symbols = run(["perf", "script", "-F", "ip,sym", "--comm", "chain"]).stdout
check("leaf" in symbols, "and its mappings are known nevertheless", symbols[:300])
clear()
os.mkfifo("ctl")
os.mkfifo("ack")
script = (f"{CHAIN} 1 0.3; echo enable >ctl; read a <ack; {CHAIN} 1 0.3; echo disable >ctl; read b <ack; "
          f"{CHAIN} 1 0.3; echo ping >ctl; read c <ack; echo $a $b $c")
for _ in range(5):
    result = record(*EVENT, "-D", "-1", "--control", "fifo:ctl,ack", "--", "sh", "-c", script)
    pids = run_perf("script", "-G", "-F", "pid", "--comm", "chain").stdout.split()
    wanted = taken((result.stdout.split() + ["0", "0"])[1])
    if len(pids) > 0.9 * wanted:
        break
check("ack ack ack" in result.stdout, "--control is acknowledged", result.stdout, result.stderr)
check(len(set(pids)) == 1 and 0.5 * wanted - 10 < len(pids) < 1.05 * wanted + 10,
      "and only the bracketed part is sampled", set(pids), len(pids), wanted)
clear()
script = (f"for w in 'enable cpu-clock' 'enable nothing' evlist 'evlist -F' snapshot; do echo $w >ctl; read a <ack; "
          f"echo got $a; done; {CHAIN} 1 0.3; echo disable cpu-clock >ctl; read a <ack; {CHAIN} 1 0.3; "
          "echo nonsense >ctl; echo ping >ctl; read a <ack; echo got $a; read -t 0.2 a <>ack || echo nothing more")
result = record("-e", "cpu-clock,task-clock", "-F", "997", "-D", "-1", "--control", "fifo:ctl,ack", "--",
                "bash", "-c", script)
words = result.stdout.replace("\0", "").splitlines()
check(words.count("got ack") == 6 and words[-1] == "nothing more",
      "perf's words are acknowledged, an unknown one is not", result.stdout, result.stderr)
check("cpu-clock" in words and "cpu-clock: sample_freq=997" in words, "evlist names the events", words)
pids = set(run_perf("script", "-G", "-F", "pid", "--comm", "chain").stdout.split())
events = set(run_perf("script", "-G", "-F", "event").stdout.split())
check(len(pids) == 1 and events == {"cpu-clock:"} and "Event cpu-clock disabled" in result.stderr,
      "enable and disable of one event", pids, events, result.stderr)

# ---- several files ----


def taken_share(*flags):
    """Of the samples that a program's CPU time should bring, those that are there; the files they are in."""
    clear()
    result = record(*EVENT, *flags, "--", CHAIN, "1", "1.5")
    parts = [times(name) for name in sorted(glob.glob("perf.data*"))]
    return sum(len(part) for part in parts) / taken(result.stdout), parts, result.stderr


# What a machine that is busy or shared takes away it takes from a recording in one file as well.
for _ in range(8):
    whole = taken_share()[0]
    share, parts, words = taken_share("--switch-output=400ms")
    files = sorted(glob.glob("perf.data.2*"))
    if len(files) >= 3 and share > whole - 0.05:
        break
check(len(files) >= 3 and not os.path.exists("perf.data"), "--switch-output by time", files, words)
check(share > whole - 0.05 and all(a[-1] <= b[0] for a, b in zip(parts, parts[1:]) if a and b),
      f"each goes on where the one before ended: {share:.1%} of the samples, {whole:.1%} in one file",
      [len(part) for part in parts])
symbols = run_perf("script", "-F", "ip,sym", "-i", files[1]).stdout
check("leaf" in symbols, "each describes its processes", symbols[:200])
clear()
record("-q", *EVENT, "--switch-output=200ms", "--switch-max-files", "2", "--", CHAIN, "1", "1.5")
check(len(glob.glob("perf.data.2*")) == 2, "--switch-max-files 2 keeps two")
clear()
recorder = subprocess.Popen([PERFOLIO, "record", "-q", *EVENT, "--switch-output", "--", CHAIN, "1", "1000"],
                            stdout=subprocess.DEVNULL)
until(lambda: samples_in("perf.data"))
recorder.send_signal(signal.SIGUSR2)
until(lambda: glob.glob("perf.data.2*") and samples_in("perf.data"))
recorder.terminate()
recorder.wait(timeout=120)
check(len(glob.glob("perf.data.2*")) == 2, "--switch-output by SIGUSR2", glob.glob("perf.data*"))
for seconds in ("2", "40"):  # a busy machine may give it too little time for 50 KB
    clear()
    record("-q", *EVENT, "-F", "9999", "--switch-output=50K", "--", CHAIN, "2", seconds)
    sizes = [os.path.getsize(name) for name in glob.glob("perf.data.2*")]
    if len(sizes) >= 2:
        break
check(len(sizes) >= 2, "--switch-output by size", sizes)
clear()
# Some hundred samples fill a ring: within half a second even where timers come as seldom as 1,000 times in one.
record("-q", "-a", "-e", "cpu-clock", "-F", "9999", "--overwrite", "-m", "16K", "--", CHAIN, "2", "2")
span = times()
check(span and span[-1] - span[0] < 1, f"--overwrite keeps the newest: {span[-1] - span[0]:.2f} of 2 s")
clear()
recorder = subprocess.Popen([PERFOLIO, "record", "-q", *EVENT, "--overwrite", "--switch-output=signal", "--",
                             CHAIN, "1", "1000"], stdout=subprocess.DEVNULL)
until(lambda: used_by_children(recorder) > 20)
recorder.send_signal(signal.SIGUSR2)
until(lambda: glob.glob("perf.data.2*"))
ticks = used_by_children(recorder)
until(lambda: used_by_children(recorder) > ticks + 20)
recorder.terminate()
recorder.wait(timeout=120)
spans = [times(name) for name in sorted(glob.glob("perf.data.2*"))]
check(len(spans) == 2 and spans[0] and spans[1] and spans[0][-1] < spans[1][0],
      "--overwrite --switch-output: each sample is in one file only", [len(span) for span in spans])
clear()
# At a rate at which many CPUs, too, bring only some MB in the time between two looks at the size.
result = record("-a", "-e", "cpu-clock", "-F", "997", "-g", "--max-size", "300K")
check(result.returncode == 0 and 300e3 <= os.path.getsize("perf.data") < 20e6, "--max-size ends it",
      result.stderr)
clear()
result = record(*EVENT[:2], "-F", "9999", "-g", "--max-size", "300K", "--", CHAIN, "1", "1000")
size = os.path.getsize("perf.data")
check(result.returncode == 0 and 300 * 1024 <= size < 400 * 1024 and "stopped at the size limit of 0.307 MB" in result.stderr,
      f"--max-size ends a command near its limit, and says so: {size}", result.stderr)
covered = json.loads(run([PERFOLIO, "doctor", "--json", "perf.data"]).stdout)["covered_percent"]
check(covered is not None and covered < 105, f"and its samples stand for {covered} % of the CPU time")

# ---- what is said ----
clear()
result = record("--", "true")
check("no hardware counters here, sampling cpu-clock" in result.stderr and "3,997 times a second" in result.stderr
      or "sampling cycles" in result.stderr, "the default event and rate are said", result.stderr)
check("may run in step" not in result.stderr, "the default rate is no round one", result.stderr)
for flags, words in ((["-F", "1000"], "; 997 does"), (["-F", "100"], "; 99 does"),
                     (["-F", "10000000"], "the kernel allows"), (["-c", "100"], "every 10000"),
                     (["-e", "faults", "-c", "10", "-P"], "every single faults")):
    event = [] if "-e" in flags else ["-e", "cpu-clock"]
    result = record(*event, *flags, "--", "true")
    check(words in result.stderr and result.returncode == 0, f"{' '.join(flags)}: '{words}'",
          result.stderr)
for flags in (["-e", "cs:u"], ["-e", "cs", "--all-user"], ["-e", "migrations:u"]):
    result = record(*flags, "-o", "void.data", "--", "sleep", "0.01")
    read = [run([PERFOLIO, *words, "void.data"]).stderr for words in (["report"], ["doctor"])]
    check(result.returncode == 0 and all("it happens in the kernel only, and the kernel was left out" in said
                                         for said in (result.stderr, *read)),
          f"{' '.join(flags)}: why there are no samples", result.stderr, read)
result = record("-e", "cpu-clock", "-F", "997", "--", "true")
check("note:" not in result.stderr, "no note where there is nothing to say", result.stderr)
result = record("-e", "cpu-clock", "-F", "10000000", "--strict-freq", "--", "true")
check(result.returncode == 1 and "kernel allows" in result.stderr, "--strict-freq refuses", result.stderr)
result = record("-q", "-e", "cpu-clock", "--", "true")
check(not result.stderr, "-q says nothing", result.stderr)
result = record("-e", "cpu-clock", "-F", "997", "-o", "other.data", "--", CHAIN, "1", "0.2")
check(re.search(r"^\[ perfolio record: [\d,]+ samples of cpu-clock in [\d.]+ s, none lost \]\n"
                r"\[ perfolio record: wrote 0\.\d+ MB to other.data; next: perfolio report -i other.data \]$",
                result.stderr, re.M), "the closing lines", result.stderr)
result = record("--plan", "-e", "cpu-clock", "-F", "997", "-a")
check(re.search(r"cpu-clock +[\d,]+ +[\d.]+ us +\d+ +[\d.]+", result.stdout) and
      re.search(r"about [\d.,]+ (% \(±[\d.]+\) longer|times as long)|can't be told", result.stdout), "--plan measures what a sample costs", result.stdout, result.stderr)
# The most is what the copies come to that are really made: at 99 Hz nearly 64 KB each.
result = record("--plan", "-e", "cpu-clock", "-F", "99", "--call-graph", "dwarf", "-a")
most = re.search(r"at most ([\d.,]+) MB a second", result.stdout)
check(most and float(most.group(1).replace(",", "")) >= 99 * os.cpu_count() * 65000 / 1e6, "--plan: the most that it may write",
      result.stdout, result.stderr)

# ---- lost: counted, printed, in the file ----
clear()
# A sample that is larger than its ring can only be lost.
result = record(*EVENT, "--call-graph", "dwarf", "-m", "1", "--", CHAIN, "1", "0.3")
lost = re.search(r"([\d,]+) LOST \(", result.stderr)
if check(lost is not None, "a ring of one page loses stack copies, and says so", result.stderr):
    told = int(lost.group(1).replace(",", ""))
    records = [record_ for record_ in PerfFile("perf.data").records() if record_[0] == 13]
    total = sum(int.from_bytes(body[:8], "little") for _, _, body in records)
    check(total == told, f"and the file holds the same count ({told:,})", total)

# ---- an ordinary user ----
os.chmod(".", 0o777)
clear()
with settings(perf_event_paranoid=2):
    result = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PERFOLIO, "record",
                  "-g", "--", CHAIN, "1", "0.3"])
    refused = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", PERFOLIO, "record",
                   "-q", "-a", "-o", "refused.data", "--", "true"])
check(result.returncode == 0 and "only user mode is recorded" in result.stderr and len(times()) > 5,
      "without permission for the kernel: user mode, and said", result.stderr)
check(refused.returncode == 1 and "perf_event_paranoid is 2" in refused.stderr,
      "-a is refused, with the reason and the remedy", refused.stderr)

# ---- on a terminal ----
clear()
pid, fd = pty.fork()
if pid == 0:
    os.execv(PERFOLIO, [PERFOLIO, "record", "-a", *EVENT, "--", "sleep", "2.2"])
text = b""
while True:
    try:
        piece = os.read(fd, 4096)
    except OSError:
        break
    if not piece:
        break
    text += piece
os.waitpid(pid, 0)
check(re.search(rb"recording: \d+\.\d s, [\d,]+ samples, ", text), "a progress line on a terminal", text)
result = record("-a", *EVENT, "--", "sleep", "1.5")
check("recording:" not in result.stderr, "and none elsewhere", result.stderr)

done()
