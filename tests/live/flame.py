#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""flame of a command, a process, a user and the host: the towers are those of the program, by its own
clock, and perf's samples folded by hand give the same."""
import glob
import json
import os
import pty
import re
import signal
import subprocess
import tempfile

import lib


def tree(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def weights(node, found=None):
    """name → the largest value of a frame of that name."""
    found = {} if found is None else found
    found[node["name"]] = max(found.get(node["name"], 0), node["value"])
    for child in node.get("children", []):
        weights(child, found)
    return found


def shares_hold(found, rate):
    """split spends 60, 30 and 10 per cent in three functions; how well samples tell depends on their number, which
    is small on a busy machine: five times what chance makes of a half."""
    whole = found.get("main", 0)
    room = max(0.13, 2.5 / (max(whole, 1) / 1e9 * rate) ** 0.5)
    return whole > 0 and all(abs(found.get(name, 0) / whole - share) < room
                             for name, share in (("most", 0.6), ("some", 0.3), ("little", 0.1)))


def of_command(folder):
    done = lib.run([lib.PERFOLIO, "flame", "-F", "999", "--format", "json", "--", lib.program("split"), "700"],
                   cwd=folder)
    names = done.stderr.strip().splitlines()[-2:]
    lib.check(done.returncode == 0 and
              re.fullmatch(r".+\.\d{8}_\d{6}_UTC\.cmd_split\.flamegraph\.json", names[0]) and
              names[1] == names[0].replace("flamegraph.json", "perf.data") and
              all(os.path.exists(os.path.join(folder, name)) for name in names),
              "a command ends in the names of picture and recording", done.stderr)
    found = weights(tree(os.path.join(folder, names[0])))
    lib.check(shares_hold(found, 999), "the towers are as wide as the program says", found)
    text = lib.run(["perf", "script", "-F", "comm,tid,time,period,event,ip,sym,dso", "-i",
                    os.path.join(folder, names[1])]).stdout
    path = os.path.join(folder, "perf.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    lib.run([lib.PERFOLIO, "flame", path, "-o", os.path.join(folder, "perf.json"), "--idle"])
    other = weights(tree(os.path.join(folder, "perf.json")))
    lib.check(other["all"] == found["all"] and
              all(other.get(name) == found.get(name) for name in ("most", "some", "little")),
              "perf script's text of the same recording weighs the same", (found, other))
    done = lib.run([lib.PERFOLIO, "flame", "--no-keep", "-o", "x.svg", "--", "sh", "-c", "exit 7"], cwd=folder)
    lib.check(done.returncode == 7, "the command's status is ours", done.stderr)
    lib.check(os.path.exists(os.path.join(folder, "x.svg")) and
              not glob.glob(os.path.join(folder, "*cmd_sh*")),
              "--no-keep leaves the picture alone", os.listdir(folder))


def says_what_helps(folder):
    """Before the names of the files, which stay last, and in the picture."""
    done = lib.run([lib.PERFOLIO, "flame", "-F", "25", "-o", "few.svg", "--", lib.program("split"), "400"], cwd=folder)
    said = re.search(r"What would help most: record longer or at a higher rate \(-F\): \d+ samples? says? little\.", done.stderr)
    with open(os.path.join(folder, "few.svg"), encoding="utf-8") as file:
        picture = file.read()
    lib.check(said and f">{said[0]}</text>" in picture and
              done.stderr.splitlines()[-2:] == ["few.svg", "few.perf.data"],
              "a handful of samples: what would help is said, and drawn", done.stderr)


def of_running(folder):
    """The same program as a process, its user's, and the host's."""
    for what, words in (("-p", None), ("-u", ["-u", str(os.getuid())]), ("-a", ["-a"])):
        with subprocess.Popen([lib.program("split"), "1000000"], stdout=subprocess.DEVNULL) as process:
            path = os.path.join(folder, "live.json")
            done = lib.run([lib.PERFOLIO, "flame", *(words or ["-p", str(process.pid)]), "-F", "499",
                            "--duration", "1s", "-o", path, "--comm", "split", "--no-keep"], cwd=folder)
            process.kill()
        found = weights(tree(path)) if done.returncode == 0 else {}
        lib.check(shares_hold(found, 499), f"{what}: the towers are as wide as the program says", found,
                  done.stderr)


def of_children(folder):
    """What -p's process has started before is taken in by --tree, and only then."""
    with subprocess.Popen(["sh", "-c", f"{lib.program('split')} 1000000 & echo; wait"], stdout=subprocess.PIPE) as shell:
        shell.stdout.readline()
        found = [lib.run([lib.PERFOLIO, "flame", "-p", str(shell.pid), *words, "--duration", "700ms", "--no-keep",
                          "--format", "folded", "-o", "-"], cwd=folder) for words in ([], ["--tree"])]
        subprocess.run(["pkill", "-P", str(shell.pid)], check=False)
    lib.check("--tree takes" in found[0].stderr and "most" not in found[0].stdout and "most" in found[1].stdout,
              "--tree takes children in", *(done.stdout[:500] + done.stderr for done in found))


def written(done):
    """The names at the end of what was said."""
    return [line for line in done.stderr.splitlines() if re.fullmatch(r"[^ ]+\.(svg|data|txt)", line)]


def folded(path):
    """The lines as flame draws them: without idle CPUs."""
    return lib.run([lib.PERFOLIO, "fold", "-e", "cpu-clock", "--no-idle", path]).stdout


def names_and_words(folder):
    """What the files are called, and what is said of how it is recorded."""
    for what, words in ((f"pid_{os.getpid()}", ["-p", str(os.getpid())]), (f"user_{os.getuid()}", ["-u", str(os.getuid())]),
                        ("all", ["-a"])):
        done = lib.run([lib.PERFOLIO, "flame", *words, "--duration", "200ms"], cwd=folder)
        names = written(done)
        lib.check(len(names) == 2 and
                  re.fullmatch(rf".+\.\d{{8}}_\d{{6}}_UTC\.{what}\.flamegraph\.svg", names[0]) and
                  names[1] == names[0].replace("flamegraph.svg", "perf.data") and
                  all(os.path.exists(os.path.join(folder, name)) for name in names),
                  f"{words[0]}: a picture and its recording", done.stderr)
        lib.check("for 200 ms, 99 samples a second" in done.stderr and "stacks: copied and unwound" in done.stderr,
                  f"{words[0]}: how long, how often and how stacks are followed is said", done.stderr)
    done = lib.run([lib.PERFOLIO, "flame", "-p", "999999999"], cwd=folder)
    lib.check(done.returncode == 1 and "999999999" in done.stderr and not written(done), "a process that is not there",
              done.stderr)


def what_is_kept(folder):
    """Beside the picture, its text on request; two events are two pictures."""
    os.mkdir(os.path.join(folder, "sub"))
    done = lib.run([lib.PERFOLIO, "flame", "-F", "499", "-e", "cpu-clock,page-faults", "--save-script", "-o", "sub/out.svg",
                    "--", lib.program("split"), "300"], cwd=folder)
    names = written(done)
    lib.check(names == [f"sub/out.{end}" for end in ("cpu-clock.svg", "page-faults.svg", "perf-script.txt", "perf.data")],
              "a picture an event; recording and text beside them", done.stderr)
    text, recording = (folded(os.path.join(folder, f"sub/out.{end}")) for end in ("perf-script.txt", "perf.data"))
    lib.check(text == recording and "most" in text, "the text says what the recording says", text, recording)
    done = lib.run([lib.PERFOLIO, "flame", "--no-keep", "--keep", "script", "-o", "sub/x.svg", "--", lib.program("split"), "100"],
                   cwd=folder)
    lib.check(written(done) == ["sub/x.svg", "sub/x.perf-script.txt"] and
              sorted(os.listdir(os.path.join(folder, "sub")))[-2:] == ["x.perf-script.txt", "x.svg"], "the text alone", done.stderr)
    done = lib.run([lib.PERFOLIO, "flame", "--no-keep", "-o", "-", "--", lib.program("split"), "100"], cwd=folder)
    lib.check(done.stdout.startswith("<?xml") and "most 0." in done.stderr,
              "a picture on standard output is not mixed with the command's", done.stdout[:200], done.stderr)
    done = lib.run([lib.PERFOLIO, "flame", "--duration", "300ms", "--no-keep", "-o", "sub/s.svg", "--", "sleep", "60"], cwd=folder)
    lib.check(done.returncode == 0 and ("there are no samples" in done.stderr or "says little" in done.stderr or
                                        "say little" in done.stderr), "--duration ends a command, and it is no failure",
              done.stderr)


def by_cpu(folder):
    """A filter by CPU is refused where samples tell none, as perf does."""
    asking = (["flame", "--cpu", "0-9999", "-o", "c.svg"], ["fold", "--cpu", "0-9999"], ["query", "--cpu", "0-9999"],
              ["report", "-C", "0-9999"], ["script", "-C", "0-9999"])
    for name, words in (("without", []), ("mixed", ["-e", "cpu-clock,sched:sched_switch"]), ("with", ["--sample-cpu"])):
        lib.run([lib.PERFOLIO, "record", *words, "-o", f"{name}.data", "--", lib.program("split"), "100"], cwd=folder)
        for command, *options in asking:
            done = lib.run([lib.PERFOLIO, command, *options, f"{name}.data", *(["top"] if command == "query" else [])],
                           cwd=folder)
            refused = done.returncode == 1 and "do not tell their CPU" in done.stderr and not done.stdout
            lib.check(refused if name != "with" else done.returncode == 0 and not refused,
                      f"{command}: samples {name} CPUs, by CPU", done.stdout[:500], done.stderr)


def in_the_browser(folder):
    browser, seen = os.path.join(folder, "browser"), os.path.join(folder, "seen")
    with open(browser, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\necho "$@" >>{seen}\n')
    os.chmod(browser, 0o755)
    lib.run([lib.PERFOLIO, "flame", "--open", "--no-keep", "-o", "seen.svg", "--", lib.program("split"), "100"], cwd=folder,
            env={**os.environ, "BROWSER": f"/no/such:{browser}"})
    with open(seen, encoding="utf-8") as file:
        lib.check(file.read() == os.path.realpath(os.path.join(folder, "seen.svg")) + "\n", "--open starts the browser")
    bare = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")}
    with open(os.path.join(folder, "a.txt"), "w", encoding="utf-8") as file:
        file.write("main;work 3\n")
    done = lib.run([lib.PERFOLIO, "flame", "--open", "a.txt"], cwd=folder, env=bare)
    lib.check(done.returncode == 0 and "--open: no browser" in done.stderr, "where there is none it is said", done.stderr)


def ended_early(folder):
    """Ctrl-C, with the line of progress that a terminal shows meanwhile."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([lib.program("split"), "1000000"], stdout=subprocess.DEVNULL) as target, \
            subprocess.Popen([lib.PERFOLIO, "flame", "-p", str(target.pid), "--duration", "50s", "--no-keep", "-o", "early.svg"],
                             cwd=folder, stderr=theirs, stdout=subprocess.DEVNULL) as process:
        os.close(theirs)
        said = ""
        while " samples, " not in said:
            said += os.read(ours, 4096).decode("utf-8", "replace")
        process.send_signal(signal.SIGINT)
        try:
            while piece := os.read(ours, 4096):
                said += piece.decode("utf-8", "replace")
        except OSError:  # a terminal's other end that was closed
            pass
        status = process.wait()
        target.kill()
    lib.check(re.search(r"recording: [\d.]+ s of 50 s, [\d,]+ samples, [\d.]+ MB, 0 lost", said), "progress is shown", said)
    lib.check(status == 0 and os.path.exists(os.path.join(folder, "early.svg")), "Ctrl-C ends it and it is drawn", status, said)


def main():
    lib.need_program("perf")
    lib.need_root()
    with tempfile.TemporaryDirectory(prefix="perfolio-flame-") as folder:
        of_command(folder)
        says_what_helps(folder)
        of_running(folder)
        of_children(folder)
        names_and_words(folder)
        what_is_kept(folder)
        by_cpu(folder)
        in_the_browser(folder)
        ended_early(folder)
    lib.done()


main()
