#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""flame of a command, a process, a user and the host: the towers are those of the program, by its own
clock, and perf's samples folded by hand give the same."""
import glob
import json
import os
import re
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


def shares_hold(found):
    """split spends 60, 30 and 10 per cent in three functions; 99 samples a second tell within some."""
    whole = found.get("main", 0)
    return whole > 0 and all(abs(found.get(name, 0) / whole - share) < 0.13
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
    lib.check(shares_hold(found), "the towers are as wide as the program says", found)
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


def of_running(folder):
    """The same program as a process, its user's, and the host's."""
    for what, words in (("-p", None), ("-u", ["-u", str(os.getuid())]), ("-a", ["-a"])):
        with subprocess.Popen([lib.program("split"), "2500"], stdout=subprocess.DEVNULL) as process:
            path = os.path.join(folder, "live.json")
            done = lib.run([lib.PERFOLIO, "flame", *(words or ["-p", str(process.pid)]), "-F", "499",
                            "--duration", "1s", "-o", path, "--comm", "split", "--no-keep"], cwd=folder)
            process.kill()
        found = weights(tree(path)) if done.returncode == 0 else {}
        lib.check(shares_hold(found), f"{what}: the towers are as wide as the program says", found,
                  done.stderr)


def main():
    lib.need_program("perf")
    lib.need_root()
    with tempfile.TemporaryDirectory(prefix="perfolio-flame-") as folder:
        of_command(folder)
        of_running(folder)
    lib.done()


main()
