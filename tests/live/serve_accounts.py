#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Unix account for each person: whose programs run as whom, what they can read of each other, and what a web side
that was taken over can make of it."""
import os
import shutil

import lib
import server
import unixpeople
from lib import check


def user(site, *words, **options):
    return lib.run([lib.PERFOLIO, "user", words[0], "--data", site.data, *words[1:]], **options)


class Person:
    """Somebody with a token of his own."""

    def __init__(self, site, name, *options):
        added = user(site, "add", "--no-password", "--role", "runner", *options, name)
        check(added.returncode == 0, f"{name} is added {' '.join(options)}", added.stderr)
        self.site, self.name = site, name
        self.head = {"Authorization": f"Bearer {user(site, 'token', name).stdout.strip()}"}
        self.session = self.ask("POST", "/sessions", {"title": name})[1]["id"]

    def ask(self, method, path, body=None):
        return self.site.ask(method, path, body, headers=self.head)

    def run(self, *argv, **form):
        """Its end, with what it has written."""
        form = {"tool": "count", "events": {"count": "page-faults"}, "target": {"kind": "command", "argv": list(argv)},
                **form}
        status, made = self.ask("POST", f"/sessions/{self.session}/runs", form)
        if status != 201:
            return {"state": "refused", "said": str(made), "usage": {}}
        run = self.site.wait(made["items"][0]["id"])
        run["said"] = output(self.site, run["id"])
        return run


def output(site, run):
    status, got = site.ask("GET", f"/runs/{run}/output")
    if status != 200:
        return ""
    return "".join(piece["text"] for piece in got["pieces"])


def refused(site):
    """Who is no person's account."""
    with open(f"/proc/{site.processes('web')[0]}/status", encoding="ascii") as file:
        web = next(line.split()[1] for line in file if line.startswith("Uid:"))
    for name in ("root", "0", "daemon", "nobody", web, "no-such-account", ""):
        tried = user(site, "add", "--no-password", "--unix", name, "eve")
        check(tried.returncode == 1 and "--unix" in tried.stderr and "eve" not in user(site, "list").stdout,
              f"--unix '{name}' is refused", tried.returncode, tried.stderr)


def as_whom(site, people, ann, ben, cleo):
    """Each as their own; the record says so; nobody reads another's secrets, which one shared account let all do."""
    shared = site.get("/hosts")["items"][0]["workload_user"]
    secret = os.path.join(people["alice"].pw_dir, "secret")
    made = ann.run("sh", "-c", f"umask 077; echo the-key >{secret}; cat {secret}; id -un; id -Gn; echo $HOME")
    check("the-key" in made["said"] and made["usage"]["unix_user"] == "alice", "ann's program is alice", made["said"])
    check(made["said"].split()[1:] == ["alice", "alice", people["alice"].pw_dir], "with her group and home alone",
          made["said"])
    for person, account in ((ben, "bob"), (cleo, shared)):
        tried = person.run("sh", "-c", f"id -un; cat {secret}; ls {people['alice'].pw_dir}; kill -0 1")
        check(tried["usage"]["unix_user"] == account and tried["said"].startswith(account),
              f"{person.name}'s is {account}", tried["said"])
        check("the-key" not in tried["said"] and tried["said"].count("ermission denied") == 2,
              "which can't read what alice's wrote", tried["said"])
    check(ann.ask("GET", "/me")[1]["unix_user"] == "alice" and cleo.ask("GET", "/me")[1]["unix_user"] == shared,
          "everybody is told whom he runs as")


def names(site, people, ann):
    """What measures and what reads the results get at a program that only alice may read."""
    program = os.path.join(people["alice"].pw_dir, "deep")
    shutil.copy(lib.program("deep"), program)
    os.chown(program, people["alice"].pw_uid, people["alice"].pw_gid)
    os.chmod(program, 0o500)
    plan = ann.ask("POST", "/plan", {"tool": "sample", "target": {"kind": "command", "argv": [program, "100", "0.3"]}})[1]
    check(not plan.get("warnings") and not plan.get("refused"), "it is looked for as alice", plan)
    run = ann.run(program, "100", "0.3", tool="both", rate="999", call_graph="fp", folder=people["alice"].pw_dir)
    check(run["state"] == "done", "a program in a home of mode 0700 is measured", run["reason"], run["said"])
    check("at_the_bottom" in str(site.get(f"/runs/{run['id']}/top")), "and its functions have names")


def taken_over(site, ann):
    """The web side owns the data folder: it can put another folder in place of the supervisor's, and gets nowhere."""
    web = int(lib.status_of(site.processes("web")[0])["Uid"].split()[0])
    child = os.fork()
    if not child:
        os.setgroups([])
        os.setresuid(web, web, web)
        try:
            with open(f"{site.data}/supervisor/unix-accounts", "a", encoding="ascii"):
                os._exit(1)
        except PermissionError:
            pass
        os.rename(f"{site.data}/supervisor", f"{site.data}/gone")
        os.mkdir(f"{site.data}/supervisor", 0o755)
        with open(f"{site.data}/supervisor/unix-accounts", "w", encoding="ascii") as out:
            out.write("ann root\n")
        os._exit(0)
    check(os.waitpid(child, 0)[1] == 0, "the list itself is not the web side's to change")
    run = ann.run("id", "-un")
    check(run["state"] in ("failed", "refused") and "root" not in run["said"].split(),
          "a list of the web side's own starts nothing", run["state"], run["said"], run.get("reason"))
    shutil.rmtree(f"{site.data}/supervisor")
    run = ann.run("id", "-un")
    check(run["said"] == "alice\n", "without one, the list counts that was there", run["state"], run["said"])
    shutil.rmtree(f"{site.data}/supervisor", ignore_errors=True)  # made anew, for that run's /tmp
    os.rename(f"{site.data}/gone", f"{site.data}/supervisor")
    check(ann.run("id", "-un")["said"] == "alice\n", "with the right one in its place it goes on")


def wrong_accounts(site, ann):
    """What root has written wrongly, or what has gone since, is no reason to become somebody else."""
    path = f"{site.data}/supervisor/unix-accounts"
    with open(path, encoding="ascii") as file:
        before = file.read()
    for account in ("root", "daemon", "ghost", "alice bob"):
        with open(path, "w", encoding="ascii") as out:
            out.write(f"ann {account}\n")
        run = ann.run("id", "-un")
        check(run["state"] in ("failed", "refused") and not run["usage"].get("unix_user"),
              f"a line 'ann {account}' starts nothing", run["state"], run["said"])
    with open(path, "w", encoding="ascii") as out:
        out.write(before)


def changed(site, people, ann, ben):
    """What root changes counts at once, is shown and noted."""
    moved = user(site, "change", "--unix", "bob", "ann")
    run = ann.run("id", "-un")
    check(moved.returncode == 0 and run["said"] == "bob\n", "another account for ann", moved.stderr, run["said"])
    check("bob" in next(line for line in user(site, "list").stdout.splitlines() if line.startswith("ann")),
          "is in the list", user(site, "list").stdout)
    check(user(site, "change", "--shared", "ann").returncode == 0 and
          ann.run("id", "-un")["said"] == site.get("/hosts")["items"][0]["workload_user"] + "\n", "the shared one again")
    check(user(site, "change", "--unix", "alice", "owner").returncode == 0, "the owner may have one, too")
    session = site.session()
    run = site.wait(site.run(session, {"tool": "count", "events": {"count": "page-faults"},
                                       "target": {"kind": "command", "argv": ["id", "-un"]}}))
    check(run["usage"]["unix_user"] == "alice", "which counts", run["usage"])
    user(site, "remove", "ben")
    with open(f"{site.data}/supervisor/unix-accounts", encoding="ascii") as file:
        check("ben" not in file.read(), "a user who is removed leaves no account behind")
    lines = [(line["action"], line["detail"]) for line in site.get("/audit?limit=200")["items"]]
    check(("user add", "ann, Unix account alice") in lines and ("user change", "ann, Unix account bob") in lines,
          "and all of it is in the log", lines[:6])


def removed(site):
    """What waits when its maker is removed, or becomes a viewer, does not run: as nobody, nor as who has the name next."""
    form = {"tool": "count", "events": {"count": "page-faults"}}
    busy = site.run(site.session(), {**form, "target": {"kind": "command", "argv": ["sleep", "600"]}})
    site.wait(busy, "running")
    waiting = {}
    for name in ("dora", "emil"):
        person = Person(site, name)
        waiting[name] = person.ask("POST", f"/sessions/{person.session}/runs",
                                   {**form, "target": {"kind": "command", "argv": ["id", "-un"]}})[1]["items"][0]["id"]
    user(site, "remove", "dora")
    user(site, "add", "--no-password", "--role", "runner", "--unix", "bob", "dora")
    user(site, "change", "--role", "viewer", "emil")
    site.post(f"/runs/{busy}/cancel")
    for name, words in (("dora", "was removed"), ("emil", "may not start runs")):
        run = site.wait(waiting[name])
        check(run["state"] == "failed" and words in run["reason"] and not output(site, run["id"]),
              f"what {name} had queued does not run", run["state"], run["reason"])


def main():
    people, scratch = unixpeople.enter("alice", "bob")
    try:
        with server.Server() as site:
            refused(site)
            ann = Person(site, "ann", "--unix", "alice")
            ben = Person(site, "ben", "--unix", "bob")
            cleo = Person(site, "cleo")
            as_whom(site, people, ann, ben, cleo)
            names(site, people, ann)
            taken_over(site, ann)
            wrong_accounts(site, ann)
            changed(site, people, ann, ben)
            removed(site)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    lib.done()


main()
