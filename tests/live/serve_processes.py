#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of processes in docs/security.md against those that run: user, capabilities, no_new_privs, seccomp and what
files they open; a process that is not in the table fails, and so does a row that no process has."""
import os
import re

import lib
import server
import tracer
from lib import check

NAMES = ("chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable net_bind_service "
         "net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot sys_ptrace sys_pacct sys_admin "
         "sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease audit_write audit_control setfcap mac_override "
         "mac_admin syslog wake_alarm block_suspend audit_read perfmon bpf checkpoint_restore").split()


def capabilities(text):
    number = int(text, 16)
    return " ".join(name for bit, name in enumerate(NAMES) if number >> bit & 1) or "-"


OURS = capabilities(lib.status_of("self")["CapBnd"]).split()  # a container has fewer


def table():
    """The rows of the document by process."""
    with open(os.path.join(lib.SOURCE, "docs/security.md"), encoding="utf-8") as file:
        lines = file.read().split("## Processes", 1)[1].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return {row[0]: dict(zip(rows[0], row)) for row in rows[2:]}


def kind(status, supervisor):
    """Which row a process of the supervisor's is."""
    words = status["words"]
    text = " ".join(words)
    if status["run"]:
        return "workload"
    if "--role=analyser" in words:
        return "analyser" if int(status["PPid"]) == supervisor else "opener"
    if "--role=fenced" in words:
        inner = words[words.index("--role=fenced") + 1]
        return "check" if inner == "serve" and re.search("--role=(check|plan|plan-events) ", text) else inner
    if words[1:2] == ["doctor"] and "--server" in words:
        return "installation"
    role = next((word[7:] for word in words if word.startswith("--role=")), None)
    return role or (words[1] if len(words) > 1 else text)


def user_of(status, who):
    real, effective, saved = (int(number) for number in status["Uid"].split()[:3])
    names = {0: "root", who["web"]: "web", who["run"]: "run"}
    if real == effective == saved:
        return names.get(real, str(real))
    return f"shield:{names.get(effective)}" if real == saved and real not in names else status["Uid"]


def seen(status, who):
    """What the row should say."""
    sets = {capabilities(status[name]) for name in ("CapPrm", "CapEff", "CapBnd")}
    return {"user": user_of(status, who), "capabilities": sets.pop() if len(sets) == 1 else str(sets),
            "system calls": "listed" if status["Seccomp"] == "2" else "all"}


def compare(rows, name, status, who):
    row = rows.get(name)
    if not row:
        check(False, "a process is in the table", name, status["words"][:6])
        return
    found = seen(status, who)
    wanted = {**row, "capabilities": " ".join(word for word in row["capabilities"].split() if word in OURS) or "-"}
    bad = [(column, value, wanted[column]) for column, value in found.items()
           if sorted(value.split()) != sorted(wanted[column].split())]
    check(not bad and status["NoNewPrivs"] == "1" and int(status["CapInh"], 16) == int(status["CapAmb"], 16) == 0,
          f"{name}: as the table has it", bad, {key: status[key] for key in ("NoNewPrivs", "CapInh", "CapAmb")})


def files(rows, name, pid):
    """What it can open: nothing to write, and with Landlock not even the root folder."""
    writes = tracer.try_open(pid, "/dev/null", os.O_RDWR)
    root = tracer.try_open(pid, "/", os.O_RDONLY | os.O_DIRECTORY)
    found = "any" if not writes and not root else "read" if writes and not root else "Landlock" if writes else "?"
    check(found == rows[name]["files"], f"{name}: opens {rows[name]['files']}", found, writes, root)


def below(pid):
    """A process's children and theirs."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and lib.status_of(entry).get("PPid") == str(pid):
            found += [int(entry), *below(int(entry))]
    return found


def short_lived(site):
    """All kinds of questions, a run that ends, an import and a download."""
    for path in ("/doctor", "/server", "/processes", "/events", "/events/check?expression=cycles"):
        site.get(path)
    session = site.session()
    form = {"tool": "both", "target": {"kind": "command", "argv": ["sh", "-c", "true; sleep 0.1; true"]}}
    site.post("/plan", form)
    run = site.wait(site.run(session, {**form, "events": {"count": "page-faults", "sample": "cpu-clock"}}))
    site.get(f"/runs/{run['id']}/export/folded")
    head = {"Authorization": f"Bearer {site.token}"}
    site.raw("POST", f"/api/v1/sessions/{session}/import?name=few", b"main;a 1\n", head)
    lib.until(lambda: not os.listdir(f"{site.data}/supervisor/runs"))


def living(site, supervisor):
    """A run that goes on, with all that is around it: {pid: row}."""
    run = site.run(site.session(), {"tool": "both", "target": {"kind": "command", "argv": ["sleep", "1000"]}})
    site.wait(run, "running")
    wanted = {"web", "workload", "record", "stat", "analyser", "opener"}

    def around():
        found = {pid: kind(status, supervisor) for pid in below(supervisor) if (status := tracer.look(pid))}
        fenced = [pid for pid, name in found.items() if name in ("record", "stat", "analyser", "opener")]
        return found if wanted <= set(found.values()) and all(is_ready(pid) for pid in fenced) else None

    return lib.until(around) or {}


def is_ready(pid):
    """Its fence is up, and it waits: its last filter is there, and its thread in a system call."""
    status = lib.status_of(pid)
    return status.get("Seccomp") == "2" and status.get("State", "").startswith("S")


def main():
    if os.geteuid() or not os.path.exists("/proc/self/status"):
        lib.skip_all("as root its processes differ")
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        if int(file.read()) < 40:
            lib.skip_all("the kernel has no CAP_PERFMON, CAP_BPF and CAP_CHECKPOINT_RESTORE")
    rows, met = table(), set()
    quiet = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # whose looking needs a ptrace of its own
    with server.Server(env={"ASAN_OPTIONS": quiet.lstrip(":")}) as site:
        web = site.processes("web")[0]
        supervisor = int(lib.status_of(web)["PPid"])
        guard = int(lib.status_of(supervisor)["PPid"])
        check(guard == site.process.pid, "the first process is the guard")
        with tracer.Tracer(supervisor) as followed:
            short_lived(site)
        names = {"web": int(lib.status_of(web)["Uid"].split()[0])}
        names["run"] = next(int(one["Uid"].split()[0]) for one in followed.ended if one["run"])
        every = [(kind(one, supervisor), one, None) for one in followed.ended]
        every += [(name, tracer.look(pid), pid) for pid, name in living(site, supervisor).items()]
        every += [("guard", tracer.look(guard), guard), ("supervisor", tracer.look(supervisor), supervisor)]
        for name, status, pid in every:
            if name not in met or pid:
                compare(rows, name, status, names)
            if pid and name in rows and tracer.CAN_OPEN:
                files(rows, name, pid)
            met.add(name)
        check(met == set(rows), "every row is a process, and every process a row", met ^ set(rows))
        with open(f"{site.data}/perfolio.db", "rb") as file:
            check(file.read(6) == b"SQLite" and site.get("/me")["name"] == "owner", "and the server goes on")
    lib.done()


main()
