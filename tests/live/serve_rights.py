#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What one may not do with what is another's: the ways by which a viewer became owner of 0.1.0, and a runner removed
what others had measured; each refused, with words and a line in the log."""
import contextlib
import json
import os
import pwd
import shutil
import subprocess

import lib
import peer
import people
import server
from lib import check

ROOT = os.geteuid() == 0
SECRET = "s3cr3t-in-the-environment"
SLEEPER = ["/bin/sleep", "600"]
SAMPLE = {"tool": "sample", "events": {"sample": "cpu-clock"}, "limit_s": 0.3}


@contextlib.contextmanager
def process(user=None):
    """A process that is nobody's of the server; user: whose it is."""
    account = pwd.getpwnam(user) if user else None
    options = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": [], "cwd": "/"} if user else {}
    with subprocess.Popen(SLEEPER, stdin=subprocess.DEVNULL, **options) as made:
        try:
            yield made.pid
        finally:
            made.kill()


def family(site):
    """The guard, the supervisor, the web side, and one of its threads."""
    web = site.processes("web")[0]
    supervisor = int(lib.status_of(web)["PPid"])
    return {"guard": site.process.pid, "supervisor": supervisor, "web side": web}


def attach(person, session, kind, who, **more):
    return person.run(session, **SAMPLE, target={"kind": kind, "who": str(who), **more})


def refused(site, person, what, made, words):
    """403 with words for people, and a line in the log that has them."""
    status, said = made
    check(status == 403 and words in said["message"] + said["remedy"], f"{person.name}: {what} is refused", status, said)
    check(any(words in line for line in people.lines(site, "refused", person.name)), "... which is in the log",
          people.lines(site, "refused", person.name)[:3])


def own_processes(site, person):
    """S1: nobody attaches to the server itself, by process or thread, also not the owner."""
    session = person.session("attach")
    for name, pid in family(site).items():
        refused(site, person, f"attaching to the {name}", attach(person, session, "process", pid), "perfolio's own")
    web = family(site)["web side"]
    thread = max(map(int, os.listdir(f"/proc/{web}/task")))
    refused(site, person, "a thread of the web side", attach(person, session, "thread", thread), "perfolio's own")
    status, plan = person.ask("POST", "/plan", {**SAMPLE, "target": {"kind": "process", "who": str(web)}})
    check(status == 200 and not plan["permitted"] and "perfolio's own" in plan["refused"][0],
          "and the form's plan says so before", plan.get("refused"))
    listed = {one["pid"] for one in person.ask("GET", "/processes")[1]["items"]}
    check(not listed & set(family(site).values()), "the list to choose from has none of them")
    made = attach(person, session, "process", os.getpid(), children=True)
    if made[0] == 201:  # the supervisor knows who has started it
        ended = site.wait(made[1]["id"])
        check(ended["state"] == "failed" and "has started this server" in ended["reason"],
              "nor to its parent with all its children", ended["state"], ended["reason"])


def alone(site, owner):
    """Before anybody else has an account, the owner measures what the machine lets."""
    host = owner.ask("GET", "/hosts")[1]["items"][0]
    check((host["attach_others"], host["other_users"], host["whole_host"], host["shared"]) == (True, True, True, False),
          "alone, one may measure everything", host)
    with process() as pid:
        status, run = attach(owner, owner.session("alone"), "process", pid)
        check(status == 201 and site.wait(run["id"])["state"] == "done", "and does", status, run)


def second_account(site, persons):
    """Others' processes, users and the host are off; one's own account's stay."""
    account = site.get("/hosts")["items"][0]["workload_user"]
    for person in persons:
        session = person.session("others")
        host = person.ask("GET", "/hosts")[1]["items"][0]
        check((host["attach"], host["attach_others"], host["other_users"], host["whole_host"], host["shared"]) ==
              (True, False, False, False, True), f"{person.name}: with a second account it is off", host)
        refused(site, person, "the whole host", person.run(session, **SAMPLE, target={"kind": "host"}), "--allow host")
        if ROOT:
            refused(site, person, "user root", attach(person, session, "user", "root"), "--allow users")
            with process() as pid:
                refused(site, person, "root's process", attach(person, session, "process", pid), "--allow attach")
        with process(account if ROOT else None) as pid:
            got = person.ask("GET", "/processes")[1]
            check({one["user"] for one in got["items"]} == {account} and "--allow attach" in got["note"],
                  f"{person.name}: only processes of one's own account are listed", got["note"])
            status, run = attach(person, session, "process", pid)
            check(status == 201 and site.wait(run["id"])["state"] == "done", "which can be attached to", status, run)
        check(any(f"of the process {pid}" in line for line in people.lines(site, "run-add", person.name)),
              "and is in the log", people.lines(site, "run-add", person.name))


def raw_of_attached(site, owner, rob, sue, vera):
    """S1: what was attached to is for who did it, and never a viewer's."""
    account = site.get("/hosts")["items"][0]["workload_user"]
    with process(account if ROOT else None) as pid:
        status, run = attach(rob, rob.session("attached"), "process", pid)
        check(status == 201, "rob attaches", run)
        site.wait(run["id"])
    path = f"/runs/{run['id']}/export/perf.data"
    for person, wanted in ((rob, 200), (owner, 200), (sue, 403), (vera, 403)):
        status, _, body = person.raw("GET", path)
        check(status == wanted and body.startswith(b"PERFILE2") == (wanted == 200), f"{person.name}: perf.data is {wanted}",
              status, body[:100])
        action = "raw-download" if wanted == 200 else "refused"
        check(any(f"run {run['id']}" in line for line in people.lines(site, action, person.name)),
              "... with a line in the log", people.lines(site, action, person.name)[:3])
        check(person.ask("GET", f"/runs/{run['id']}")[1]["may"]["raw"] == (wanted == 200), "and the run says so before")
        check(person.ask("GET", f"/runs/{run['id']}/top")[0] in (200, 404), "names are for all")


def makers(site, owner, rob, sue, vera):
    """S10: another runner looks at a session, and changes nothing of it."""
    session = rob.session("rob's")
    status, done = rob.run(session, tool="count", events={"count": "page-faults"}, environment=f"TOKEN={SECRET}",
                           target={"kind": "command", "argv": ["sh", "-c", "echo $TOKEN"]})
    check(status == 201, "rob runs something", done)
    site.wait(done["id"])
    status, goes_on = rob.run(session, tool="count", events={"count": "page-faults"},
                              target={"kind": "command", "argv": ["sleep", "600"]})
    site.wait(goes_on["id"], "running")
    masked = vera.ask("GET", f"/runs/{done['id']}")[1]
    check(masked["environment"] == ["TOKEN=•••"] and masked["masked"] and SECRET not in str(masked),
          "a viewer sees names of the environment, no values", masked["environment"], masked["form"])
    check(vera.ask("GET", f"/runs/{done['id']}/output")[0] == 403, "and no output")
    quiet = rob.session("rob's, too")
    for method, path, body in (("DELETE", f"/sessions/{quiet}", None), ("DELETE", f"/sessions/{session}", None),
                               ("PATCH", f"/sessions/{session}", {"title": "x"}), ("POST", f"/runs/{goes_on['id']}/cancel", None), ("DELETE", f"/runs/{done['id']}", None),
                               ("POST", f"/runs/{done['id']}/rerun", None), ("POST", f"/sessions/{session}/runs", {}),
                               ("POST", f"/runs/{goes_on['id']}/pause", None)):
        status, got = sue.ask(method, path, body)
        check(status == 403 and got["error"]["code"] == "not-yours" and "rob" in got["error"]["message"],
              f"another runner: {method} {path} is refused", status, got)
    check(any("rob's" in line for line in people.lines(site, "refused", "sue")), "and in the log",
          people.lines(site, "refused", "sue")[:3])
    check(sue.ask("GET", f"/sessions/{session}")[1]["may_change"] is False, "the session says so before")
    check(site.wait(goes_on["id"], "running")["state"] == "running", "what ran goes on")
    status, got = sue.run(sue.session("copy"), **{**masked["form"], "repeats": 1})
    check(status == 400 and "TOKEN is hidden" in got["message"], "nobody takes the mask for a value", status, got)
    check(rob.ask("GET", f"/runs/{done['id']}")[1]["environment"] == [f"TOKEN={SECRET}"], "rob sees his own")
    check(owner.ask("POST", f"/runs/{goes_on['id']}/cancel")[0] == 200, "the owner stops it")
    site.wait(goes_on["id"])
    check(rob.ask("DELETE", f"/sessions/{session}")[0] == 204 and sue.ask("POST", f"/sessions/{session}/restore")[0] == 403,
          "rob removes it, and nobody else brings it back")
    check(rob.ask("POST", f"/sessions/{session}/restore")[0] == 200, "but he does")


def before_it_is(site, rob, vera):
    """Who follows the output of a run that is not there yet gets nothing of it when it is."""
    session = rob.session("rob's, later")
    last = max(run["id"] for run in site.get("/runs?limit=1")["items"])
    topics = ",".join(f"run:{last + 1 + i}{part}" for i in range(8) for part in ("", ":output"))
    with site.stream(topics, token=vera.token) as stream:
        status, made = rob.run(session, tool="count", events={"count": "page-faults"},
                               target={"kind": "command", "argv": ["echo", SECRET]})
        ended = site.wait(made["id"])
        seen = []
        while not any('"state": "done"' in json.dumps(one.data) for one in seen):
            seen.append(next(stream))
        told = [one for one in seen if one.data.get("topic", "").endswith(":output")]
        check(status == 201 and ended["state"] == "done" and made["id"] > last and {one.name for one in told} == {"end"},
              "output of a run that comes later is not for a viewer, who is told that there is none", told)


def log(site, rob, sue, vera):
    """The owner sees all lines, a runner their own; who is refused all the time does not fill it."""
    seen = {line["person"] for line in rob.ask("GET", "/audit?limit=1000")[1]["items"]}
    check(seen == {"rob"}, "a runner sees their own lines", seen)
    check({"rob", "sue", "vera"} <= {line["person"] for line in site.get("/audit?limit=1000")["items"]}, "the owner all")
    before = len(people.lines(site, "refused", "vera"))
    for _ in range(60):
        vera.ask("POST", "/sessions", {"title": "x"})
    after = len(people.lines(site, "refused", "vera"))
    check(after - before <= 20, "sixty refusals are few lines", before, after)
    for _ in range(100):
        vera.ask("POST", "/sessions", {"title": "x"})
    check(any("/sessions: 100 in a minute" in line for line in people.lines(site, "refused", "vera")), "which say how many")
    session = rob.session("values")
    run = rob.run(session, tool="count", environment="SECRET=x", target={"kind": "command", "argv": ["true"]})[1]["id"]
    site.wait(run)
    check(vera.ask("GET", f"/runs/{run}/output")[0] == 403 and
          any(f"run {run} " in line for line in people.lines(site, "refused", "vera")), "and hide no other kind")
    rob.ask("GET", f"/runs/{run}")
    for look in (f"/runs/{run}", f"/runs?session={session}"):
        check("SECRET=x" in str(site.get(look)) and
              people.lines(site, "raw-download", "owner").count(f"run {run}: environment") == 1,
              f"who sees another's values by {look} is noted, once a minute", people.lines(site, "raw-download"))
    check(not any("environment" in line for line in people.lines(site, "raw-download", "rob")), "and not who sees his own")


def allowed():
    """With --allow everything can be measured; still not the server, and still nothing raw for viewers."""
    with server.Server("--allow", "attach,users,host") as site:
        rob, vera = people.Person(site, "rob", "runner"), people.Person(site, "vera", "viewer")
        host = rob.ask("GET", "/hosts")[1]["items"][0]
        check(host["attach_others"] and host["other_users"] and host["whole_host"] and host["shared"],
              "--allow: others' processes, users and the host can be measured", host)
        own_processes(site, rob)
        with process() as pid:
            status, run = attach(rob, rob.session("allowed"), "process", pid)
            check(status == 201 and site.wait(run["id"])["state"] == "done", "a runner attaches to others'", status, run)
        check(vera.raw("GET", f"/runs/{run['id']}/export/perf.data")[0] == 403, "a viewer gets no recording all the same")
        if ROOT:
            web_user(site, rob)


def web_user(site, rob):
    """Of the user whom the web side runs as, all but the server is measured, and that is said."""
    web = family(site)["web side"]
    user = pwd.getpwuid(int(lib.status_of(web)["Uid"].split()[0])).pw_name
    with process(user):
        for tool in ("sample", "count"):
            form = {"tool": tool, "events": {tool: "cpu-clock"}, "limit_s": 0.3, "target": {"kind": "user", "who": user}}
            status, run = rob.run(rob.session("web user"), **form)
            ended = site.wait(run["id"]) if status == 201 else {"state": run, "usage": None, "reason": ""}
            notes = (ended["usage"] or {}).get("notes", "")
            check(ended["state"] == "done" and "of a perfolio server" in notes and "left out" in notes,
                  f"{tool}: of user {user} the server's processes are left out, which is said", ended["state"],
                  ended["reason"], notes)


def restarted(site):
    """Accounts that were made by a version without the mark, or whose mark is gone, count from the start on."""
    site.stop()
    for name in os.listdir(site.data):
        if name.startswith("supervisor"):
            shutil.rmtree(os.path.join(site.data, name))
    site.start_again()
    status, got = site.ask("POST", f"/sessions/{site.session()}/runs", {**SAMPLE, "target": {"kind": "host"}})
    check(status == 403, "after a start the accounts that there are count, mark or not", status, got)
    for name in ("rob", "sue", "vera"):
        people.user(site, "remove", name)
    site.stop()
    site.start_again()
    check(not site.get("/hosts")["items"][0]["shared"], "and without any the owner is alone again")


def taken_over():
    """A web side that was taken over can't deny that there is a second account."""
    taken = peer.Peer()
    try:
        host = {"target": peer.HOST, "tool": peer.COUNT, "limit_ns": 100_000_000}
        ended = taken.ran(**host)
        check("--allow" not in ended["reason"], "alone, the whole host is counted", ended["reason"])
        added = lib.run([lib.PERFOLIO, "user", "add", "--no-password", "--data", taken.files, "ann"])
        check(added.returncode == 0, "somebody gets an account", added.stderr)
        check("--allow host" in taken.ran(**host)["reason"], "and the supervisor refuses at once")
        for name in os.listdir(taken.files):  # all that the web side's user could do
            if name.startswith(("supervisor", "perfolio.db")):
                os.rename(os.path.join(taken.files, name), os.path.join(taken.files, f"away-{name}"))
        check("--allow host" in taken.ran(**host)["reason"], "whatever becomes of the mark and the rows")
        own = taken.ran(target=peer.PROCESS, who=str(taken.supervisor()))
        check("perfolio's own" in own["reason"], "nor does it measure itself", own["reason"])
    finally:
        taken.close()


def main():
    with server.Server() as site:
        owner = people.Owner(site)
        alone(site, owner)
        own_processes(site, owner)
        rob, sue = people.Person(site, "rob", "runner"), people.Person(site, "sue", "runner")
        vera = people.Person(site, "vera", "viewer")
        own_processes(site, rob)
        second_account(site, (owner, sue))
        raw_of_attached(site, owner, rob, sue, vera)
        makers(site, owner, rob, sue, vera)
        before_it_is(site, rob, vera)
        log(site, rob, sue, vera)
        restarted(site)
    allowed()
    taken_over()
    lib.done()


main()
