#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whose list of a JIT's functions is believed: anybody can put a file under any process's name into /tmp."""
import os
import pwd
import shutil
import subprocess
import tempfile

import lib
from lib import check

SAID = "its map is another user's, a link, or may be written by anybody"


def names(path):
    """The names that a report shows, and what is said of the recording."""
    report = lib.run([lib.PERFOLIO, "report", "-i", path, "--no-children", "-s", "sym"])
    trust = lib.run([lib.PERFOLIO, "doctor", "-i", path])
    return report.stdout, " ".join((trust.stdout + trust.stderr).split())


def believed(path, name, wanted):
    shown, said = names(path)
    check(("made_by_jit" in shown) == wanted, f"{name}: {'believed' if wanted else 'not believed'}", shown[:800])
    check((SAID in said) == (not wanted), f"{name}: doctor says {'nothing of it' if wanted else 'why'}", said[:800])


def after_its_end(path, listed, folder):
    """The process is gone, and its list is whoever's it is."""
    other = os.path.join(folder, "other")
    os.chown(listed, pwd.getpwnam("daemon").pw_uid, -1)
    believed(path, "another user's", False)
    os.chown(listed, 0, -1)
    believed(path, "root's", True)
    os.chmod(listed, 0o666)
    believed(path, "one that anybody may write", False)
    os.chmod(listed, 0o644)
    os.link(listed, listed + ".link")
    believed(path, "one with another name", False)
    os.unlink(listed + ".link")
    os.rename(listed, other)
    os.symlink(other, listed)
    believed(path, "a link to root's", False)
    os.unlink(listed)
    os.mkfifo(listed)
    shown, _ = names(path)
    check("made_by_jit" not in shown, "a pipe is not waited for")
    os.unlink(listed)
    os.rename(other, listed)
    os.chown(listed, pwd.getpwnam("daemon").pw_uid, -1)
    os.chown(path, pwd.getpwnam("daemon").pw_uid, -1)
    believed(path, "that of the recording's own user", True)


def while_it_runs(folder):
    """A process of another user, recorded and shown by root."""
    nobody = pwd.getpwnam("nobody").pw_uid
    path = os.path.join(folder, "live.data")
    copy = os.path.join(folder, "jit")  # it tries to remove itself
    shutil.copy(lib.program("jit"), copy)
    with subprocess.Popen([copy, "/", os.path.join(folder, "never")], user=nobody) as program:
        listed = f"/tmp/perf-{program.pid}.map"
        try:
            lib.until(lambda: os.path.exists(listed) and os.path.getsize(listed))
            subprocess.run([lib.PERFOLIO, "record", "-q", "-F", "999", "-p", str(program.pid), "-o", path, "--", "sleep",
                            "0.5"], check=True)
            believed(path, "that of a process's own user", True)
            os.chown(listed, pwd.getpwnam("daemon").pw_uid, -1)
            believed(path, "another user's of a process that runs", False)
        finally:
            program.kill()
            program.wait()
            os.unlink(listed)


def main():
    lib.need_root()
    with tempfile.TemporaryDirectory(prefix="perfolio-maps-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        path = os.path.join(folder, "perf.data")
        subprocess.run([lib.PERFOLIO, "record", "-q", "-F", "999", "-o", path, "--", lib.program("jit"), "/", "/", "keep"],
                       check=True)
        script = lib.run([lib.PERFOLIO, "script", "-i", path, "-F", "pid"]).stdout.split()
        listed = f"/tmp/perf-{script[0]}.map"
        try:
            after_its_end(path, listed, folder)
        finally:
            os.unlink(listed)
        while_it_runs(folder)


if __name__ == "__main__":
    main()
    lib.done()
