#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What another user puts under the name of an output, in a folder that both may write to, is not followed and not
written to, by any command; ordinary outputs go on working."""
import os
import pwd
import shutil
import subprocess
import tempfile

import lib
from lib import check

FOLDED = "main;work 90\nmain;wait 10\n"


def commands(folded, recording):
    """Every command that writes a file, with the name where %s stands."""
    return {
        "flame": ["flame", folded, "-o", "%s"],
        "flame html": ["flame", folded, "--format", "html", "-o", "%s"],
        "fold": ["fold", folded, "-o", "%s"],
        "export csv": ["export", folded, "--format", "csv", "-o", "%s"],
        "export pprof": ["export", folded, "--format", "pprof", "-o", "%s"],
        "stat": ["stat", "-o", "%s", "-e", "task-clock", "--", "true"],
        "stat --append": ["stat", "--append", "-o", "%s", "-e", "task-clock", "--", "true"],
        "record": ["record", "-q", "-N", "-o", "%s", "--", "true"],
        "archive": ["archive", "-i", recording, "-o", "%s"],
    }


def planted(folder, kind, other):
    """Something of another user's under the name of the output; what must stay as it is, and its bytes."""
    victim, name = os.path.join(folder, "victim"), os.path.join(folder, "out")
    for path in (name, name + ".old", victim):
        if os.path.lexists(path):
            os.unlink(path)
    with open(victim, "w", encoding="ascii") as file:
        file.write("precious")
    if kind == "link":
        os.symlink(victim, name)
    elif kind == "link to nothing":
        os.unlink(victim)
        os.symlink(victim, name)
    elif kind == "hard link":
        os.link(victim, name)
    elif kind == "pipe":
        os.mkfifo(name, 0o666)
    elif kind == "file":
        with open(name, "w", encoding="ascii"):
            pass
        os.chmod(name, 0o666)
    elif kind == "link to a device":
        os.symlink("/dev/null", name)
    if kind != "hard link":  # the kernel lets one make such a link to another user's file only if that may be written
        os.chown(name, other, -1, follow_symlinks=False)
    return name, victim


def untouched(kind, victim):
    if kind == "link to nothing":
        return not os.path.lexists(victim)
    with open(victim, "rb") as file:
        return file.read() == b"precious"


def attacked(folder, folded, recording):
    other = pwd.getpwnam("nobody").pw_uid
    for what, words in commands(folded, recording).items():
        for kind in ("link", "link to nothing", "hard link", "pipe", "file", "link to a device"):
            name, victim = planted(folder, kind, other)
            result = lib.run([lib.PERFOLIO, *(name if word == "%s" else word for word in words)], timeout=60)
            st = os.lstat(name)
            ours = os.path.isfile(name) and not os.path.islink(name) and st.st_uid == os.geteuid() and st.st_nlink == 1 \
                and result.returncode == 0
            refused = result.returncode != 0 and "others may write to" in result.stderr
            check(untouched(kind, victim) and (ours or refused), f"{what}: a planted {kind} is not written through",
                  result.returncode, result.stderr[-300:])
    leftovers = [name for name in os.listdir(folder) if name not in ("out", "out.old", "victim")]
    check(not leftovers, "nothing half-written is left", leftovers)


def ordinary(folder, folded, recording):
    """In a folder of one's own."""
    for what, words in commands(folded, recording).items():
        name, target = os.path.join(folder, "name"), os.path.join(folder, "target")

        def run(path, words=words, **options):
            return lib.run([lib.PERFOLIO, *(path if word == "%s" else word for word in words)], **options)

        for path in (name, name + ".old", target):
            if os.path.lexists(path):
                os.unlink(path)
        result = run(name)
        check(result.returncode == 0 and os.path.getsize(name), f"{what}: a new file", result.stderr)
        result = run(name)
        check(result.returncode == 0 and os.path.getsize(name), f"{what}: in the place of an older one", result.stderr)
        if what != "record":  # which keeps the older one, be it a link
            os.rename(name, target)
            os.symlink("target", name)
            result = run(name)
            check(result.returncode == 0 and os.path.islink(name) and os.path.getsize(target),
                  f"{what}: through a link of one's own", result.stderr)
        result = run("/dev/null")
        check(result.returncode == 0, f"{what}: /dev/null", result.stderr)
        with open(target, "w", encoding="ascii") as file:
            result = subprocess.run([lib.PERFOLIO, *("/dev/stdout" if word == "%s" else word for word in words)],
                                    stdout=file, stderr=subprocess.PIPE, text=True, check=False)
        check(result.returncode == 0 and os.path.getsize(target), f"{what}: /dev/stdout", result.stderr)


def main():
    lib.need_root()
    with tempfile.TemporaryDirectory(prefix="perfolio-links-") as own, \
            tempfile.TemporaryDirectory(prefix="perfolio-shared-") as shared:
        os.chmod(shared, 0o1777)
        folded, recording = os.path.join(own, "in.folded"), os.path.join(own, "in.data")
        with open(folded, "w", encoding="ascii") as file:
            file.write(FOLDED)
        subprocess.run([lib.PERFOLIO, "record", "-q", "-o", recording, "--", "sh", "-c", "i=0; while [ $i -lt 20000 ]; "
                        "do i=$((i+1)); done"], check=True)
        attacked(shared, folded, recording)
        ordinary(own, folded, recording)
        shutil.rmtree(shared, ignore_errors=True)
        os.mkdir(shared)


if __name__ == "__main__":
    main()
    lib.done()
