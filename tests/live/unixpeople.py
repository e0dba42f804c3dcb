# SPDX-License-Identifier: Apache-2.0
"""Unix accounts for the tests of `user --unix`, in a mount namespace of the test's own: nothing is added to the machine.

    people = unixpeople.enter("alice", "bob")  # at the beginning of main(): starts the script again, inside
    people["alice"].home
"""
import os
import pwd
import shutil
import sys
import tempfile

import lib

FIRST_UID = 61001
MARK = "--with-unix-people"


def _inside(names):
    scratch = tempfile.mkdtemp(prefix="perfolio-people-", dir="/run")
    os.chmod(scratch, 0o755)
    for file, line in (("passwd", "{name}:x:{uid}:{uid}::{home}:/bin/sh\n"), ("group", "{name}:x:{uid}:\n")):
        made = os.path.join(scratch, file)
        shutil.copy(f"/etc/{file}", made)
        with open(made, "a", encoding="ascii") as out:
            for number, name in enumerate(names):
                out.write(line.format(name=name, uid=FIRST_UID + number, home=os.path.join(scratch, name)))
        if lib.run(["mount", "--bind", made, f"/etc/{file}"]).returncode:
            lib.skip_all("nothing can be mounted here")
    people = {}
    for name in names:
        people[name] = pwd.getpwnam(name)
        os.mkdir(people[name].pw_dir, 0o700)
        os.chown(people[name].pw_dir, people[name].pw_uid, people[name].pw_gid)
    return people, scratch


def enter(*names):
    """The accounts by name, as pwd has them, and the folder with their homes, to be removed at the end."""
    if os.geteuid():
        lib.skip_all("only root's server starts programs as others")
    if MARK not in sys.argv:
        if not shutil.which("unshare"):
            lib.skip_all("there is no unshare")
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv, MARK])
    return _inside(names)
