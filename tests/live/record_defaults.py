#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `flame` and `record` choose by themselves gives a picture, or they say why not: rate, copies of stacks, notes."""
import json
import os
import re
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, need_root, program, run, run_perf, until

need_program("perf")
need_root()
SCRATCH = tempfile.TemporaryDirectory(prefix="perfolio-defaults-")
os.chdir(SCRATCH.name)
CLOCK = ["-e", "cpu-clock"]


def query(name, question):
    return json.loads(run([PERFOLIO, "query", name, question]).stdout)


def flame(*words):
    return run([PERFOLIO, "flame", *CLOCK, "-o", "f.svg", *words])


# ---- a program that is soon over has a picture nevertheless ----
result = flame("--", program("deep"), "100", "0.5")
row = query("f.perf.data", "events")["rows"][0]
check(row["samples"] > 250, f"half a second of CPU time gives {row['samples']} samples", result.stderr)
check("999 samples a second (99 after the first 3000)" in result.stderr, "how many is said", result.stderr)

# ---- of a longer one there are fewer, and each weighs what it stands for ----
result = flame("--", program("deep"), "100", "6")
answer = query("f.perf.data", "events")
row = answer["rows"][0]
periods = run_perf("script", "-F", "period", "-i", "f.perf.data").stdout.split()
kinds = sorted(set(periods), key=int)
check(len(kinds) == 2 and int(kinds[1]) > 9 * int(kinds[0]), "there are two periods", kinds)
check(row["samples"] < 5500 and 0.7 < int(row["count"]) / int(row["counted"]) < 1.05,
      f"{row['samples']} samples are {int(row['count']) / int(row['counted']):.1%} of {int(row['counted']) / 1e9:.2f} s", row)
check(sum(map(int, periods)) == int(row["count"]), "perf adds them up to the same")
result = flame("-F", "99", "--", program("deep"), "100", "0.3")
check("99 samples a second;" in result.stderr and query("f.perf.data", "events")["rows"][0]["samples"] < 60,
      "-F is taken as it is", result.stderr)

# ---- stacks deeper than 8 KB are whole, and the file has no more of them than there was ----
flame("--", program("deep"), "20000", "0.5")
quality = query("f.perf.data", "quality")
check(quality["whole_stacks"] > 200 and quality["cut_stacks"] < 0.02 * quality["whole_stacks"],
      f"20 KB deep: {quality['whole_stacks']} whole, {quality['cut_stacks']} cut")
theirs = run_perf("script", "-F", "ip,sym", "-i", "f.perf.data").stdout
check(theirs.count("with_room") > 0.95 * quality["whole_stacks"], "perf unwinds them too", theirs[:300])
env = {"PATH": os.environ["PATH"]}  # what stands above the stack is copied with it
run([PERFOLIO, "flame", *CLOCK, "-o", "s.svg", "--", program("deep"), "100", "0.5"], env=env)
samples = query("s.perf.data", "events")["rows"][0]["samples"]
check(os.path.getsize("s.perf.data") / samples < 12000, "shallow ones take less than 12 KB each of 64",
      os.path.getsize("s.perf.data"), samples)
run([PERFOLIO, "record", "-q", *CLOCK, "-F", "999", "--call-graph", "dwarf,8192", "--", program("deep"), "20000", "0.3"])
quality = query("perf.data", "quality")
check(quality["cut_stacks"] + quality["spliced_stacks"] > 100, "a size that is given is kept to", str(quality)[:300])

# ---- a process that sleeps ----
sleeper = subprocess.Popen(["sleep", "1000"])
until(lambda: open(f"/proc/{sleeper.pid}/stat", encoding="ascii").read().split()[2] == "S")
for command in (["flame", "--duration", "300ms", "-o", "f.svg"], ["record", "--timeout", "300ms"]):
    result = run([PERFOLIO, *command, *CLOCK, "-p", str(sleeper.pid)])
    check(re.search(rf"no samples: process {sleeper.pid} used [0-9.]+ ms of CPU time in [0-9.]+ s and is now asleep",
                    result.stderr), f"{command[0]}: that it slept is said", result.stderr)
sleeper.kill()
sleeper.wait()

# ---- a probe that is inherited misses hits, which the kernel does not tell ----
CONTROL = "/sys/kernel/tracing/uprobe_events"
if os.path.exists(CONTROL):
    group = f"perfolio_record_{os.getpid()}"

    def write_control(text):
        control = os.open(CONTROL, os.O_WRONLY | os.O_APPEND)
        os.write(control, text.encode())
        os.close(control)

    with open("/bin/true", "rb") as program:  # where it begins: hit once by each process
        entry = int.from_bytes(program.read(32)[24:], "little")
    write_control(f"p:{group}/here /bin/true:{entry:#x}\n")
    try:
        for name, words in (("probe", []), ("probe-host", ["-a"])):
            run([PERFOLIO, "record", "-g", *words, "-e", f"{group}:here", "-o", name, "--", "sh", "-c", "/bin/true; /bin/true; :"])
        said = {word: "may miss hits" in run([PERFOLIO, *word.split(), "-e", f"{group}:here", "--", "true"]).stderr
                for word in ("record -g", "record -a", "stat", "stat -r 2", "stat -a", "stat -i")}
        said["modifier"] = "may miss hits" in run([PERFOLIO, "stat", "-e", f"{group}:here:u", "--", "true"]).stderr
    finally:
        write_control(f"-:{group}/here\n")
    check([word for word, told in said.items() if told] == ["record -g", "stat", "stat -r 2", "modifier"],
          "that a probe may miss hits is said, but not with -a", said)
    found = {name: query(name, "quality")["trust"] for name in ("probe", "probe-host")}
    faults = {name: [fault["reason"] for fault in trust["faults"]] for name, trust in found.items()}
    check("probe-missed" in faults["probe"] and "probe-missed" not in faults["probe-host"] and
          not found["probe"]["good"], "of what was recorded, too", found)

# ---- rates that programs suffer from ----
most = int(open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii").read())
if most >= 50000:
    result = run([PERFOLIO, "record", *CLOCK, "-F", "max", "--", "true"])
    plan = run([PERFOLIO, "record", *CLOCK, "-F", "max", "--plan"]).stdout
    planned = re.search(r"about ([0-9.,]+) times as long", plan)
    said = re.search(r"note: [0-9,]+ samples a second of [0-9.]+ us each: programs take about [0-9.]+ times as long",
                     result.stderr)
    if "can't be told" in plan:
        print("# -F max: this machine is too busy to find out what a sample costs")
    else:  # CPU time, which a busy machine does not change: at least as much as was planned, and no other order
        spin = "import time; sum(range(3000000)); print(time.process_time_ns())"
        alone = min(int(run(["python3", "-S", "-c", spin]).stdout) for _ in range(3))
        taken = int(run([PERFOLIO, "record", "-q", *CLOCK, "-F", "max", "-o", "max", "--", "python3", "-S", "-c", spin]).stdout)
        times = float(planned.group(1).replace(",", "")) if planned else 1.0
        check(said or times < 1.4, f"-F max: {times} times as long by plan, and said", result.stderr, plan)
        check(times < 1.5 * taken / alone and taken / alone < 8 * times,
              f"-F max: about {times} times as long by plan, {taken / alone:.1f} in truth", plan)
    result = run([PERFOLIO, "record", *CLOCK, "-F", "999", "--", "true"])
    check("us each" not in result.stderr, "nothing is said of usual ones", result.stderr)
done()
