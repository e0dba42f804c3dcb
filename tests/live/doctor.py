# SPDX-License-Identifier: Apache-2.0
"""doctor on the running kernel: what it says is held against what the kernel does when this script
tries the same by its own means."""
import ctypes
import errno
import json
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time

from lib import PERFOLIO, check, done, need_root, run, sanitized, settings

NOBODY = 65534
TRACEFS = "/sys/kernel/tracing"
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}[platform.machine()]
AS_NOBODY = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups"]

libc = ctypes.CDLL(None, use_errno=True)


def examine(prefix=(), **options):
    """doctor's findings by id, and how it ended."""
    result = run([*prefix, PERFOLIO, "doctor", "--json"], **options)
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        check(False, "doctor --json parses", result.stdout[:500], result.stderr)
        return {}, result
    return {finding["id"]: finding for finding in answer["findings"]}, result


def text(finding):
    return " ".join(filter(None, (finding.get(k) for k in ("what", "meaning", "remedy"))))


# ---- trying by our own means ---------------------------------------------------------------------

def open_event(kind, config, kernel, cpu=-1):
    """perf_event_open on this thread or a CPU: 0 or the errno value."""
    attr = bytearray(128)
    attr[0:4] = kind.to_bytes(4, "little")
    attr[4:8] = len(attr).to_bytes(4, "little")
    attr[8:16] = config.to_bytes(8, "little")
    # disabled, exclude_kernel and exclude_hv are bits 0, 5 and 6 of the flags at byte 40.
    attr[40] = 1 | (0 if kernel else 1 << 5 | 1 << 6)
    buffer = (ctypes.c_char * len(attr)).from_buffer(attr)
    fd = libc.syscall(PERF_EVENT_OPEN, buffer, -1 if cpu >= 0 else 0, cpu, -1, 0)
    if fd < 0:
        return ctypes.get_errno()
    os.close(fd)
    return 0


def as_nobody(function):
    """What function returns (a small number) in a child without privileges."""
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        os._exit(function())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def try_function_tracer():
    """The function tracer in an instance of our own: 0, or the errno value."""
    instance = os.path.join(TRACEFS, "instances", f"perfolio-test-{os.getpid()}")
    try:
        os.mkdir(instance)
    except OSError as error:
        return error.errno
    try:
        for name, value in (("tracing_on", "0"), ("set_ftrace_filter", "ksys_sync"),
                            ("current_tracer", "function"), ("current_tracer", "nop")):
            with open(os.path.join(instance, name), "w") as knob:
                knob.write(value)
        return 0
    except OSError as error:
        return error.errno
    finally:
        os.rmdir(instance)


def refuse_perf_event_open():
    """A seccomp filter as containers have it: EPERM for this one system call."""
    class Filter(ctypes.Structure):
        _fields_ = [("code", ctypes.c_ushort), ("jt", ctypes.c_ubyte), ("jf", ctypes.c_ubyte),
                    ("k", ctypes.c_uint)]

    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.POINTER(Filter))]

    load_number, jump_if_equal, give_back = 0x20, 0x15, 0x06
    allow, refuse = 0x7fff0000, 0x00050000 | errno.EPERM
    rules = (Filter * 4)(Filter(load_number, 0, 0, 0), Filter(jump_if_equal, 0, 1, PERF_EVENT_OPEN),
                         Filter(give_back, 0, 0, refuse), Filter(give_back, 0, 0, allow))
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    program = Program(len(rules), rules)
    libc.prctl(no_new_privileges, 1, 0, 0, 0)
    if libc.prctl(set_seccomp, filter_mode, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


# ---- the tests -----------------------------------------------------------------------------------

def this_machine():
    found, result = examine()
    has_pmu = open_event(0, 0, kernel=False) == 0
    with open("/proc/cpuinfo") as cpuinfo:
        virtual = " hypervisor " in cpuinfo.read()

    check(result.returncode == 0 and not result.stderr, "root: works, exit status 0",
          result.stderr, result.returncode)
    counters = found["hardware-counters"]
    check((counters["state"] == "ok") == has_pmu, f"hardware counters: {counters['what']}", counters)
    if virtual and not has_pmu:
        check("hides the CPU's PMU" in counters["what"] and counters["remedy"],
              "the hypervisor is named as the one that hides the PMU, with a remedy", counters)
        check("virtual, under " in found["machine"]["what"], "the machine is virtual",
              found["machine"])
    kprobes = os.path.exists(TRACEFS + "/kprobe_events")
    check((found["kprobes"]["state"] == "ok") == kprobes, f"kprobes: {found['kprobes']['what']}")
    if not kprobes:
        check("not built into this kernel" in found["kprobes"]["what"],
              "kprobes that are not built in are not called refused", found["kprobes"])

    with open(TRACEFS + "/available_tracers") as tracers:
        built_in = "function" in tracers.read().split()
    code = try_function_tracer()
    functions = found["function-tracing"]
    check((functions["state"] == "ok") == (code == 0), f"function tracing: {functions['what']}",
          functions, code)
    if built_in and code:
        check("refused" in functions["what"] and errno.errorcode[code] in functions["what"],
              "function tracing that is built in is called refused, with the reason", functions)
    check(found["clock-sampling"]["state"] == "ok", "clock samples arrive", found["clock-sampling"])
    check("you are root" in text(found["permission"]), "root is told that it is root")


def levels():
    """perf_event_paranoid 1 to 3, as an ordinary user."""
    for level in (1, 2, 3):
        with settings(perf_event_paranoid=level):
            found, result = examine(AS_NOBODY)
            own = as_nobody(lambda: open_event(1, 0, kernel=False))
            kernel = as_nobody(lambda: open_event(1, 0, kernel=True))
            cpu = as_nobody(lambda: open_event(1, 0, kernel=True, cpu=0))
        permission, words = found["permission"], text(found["permission"])
        label = f"level {level}: {words[:72]}"
        check(f"perf_event_paranoid is {level}" in words, label, permission)
        state = "missing" if own else "limited" if kernel or cpu else "ok"
        check(permission["state"] == state, f"level {level}: {state}, as the kernel has it",
              permission, (own, kernel, cpu))
        if not own:
            check(("without the kernel's part" in words) == (kernel != 0),
                  f"level {level}: the kernel's part is {'closed' if kernel else 'open'}", permission)
        if level == 3:
            wanted = "may measure nothing" if own else "takes for 2"
            check(wanted in words, f"level 3: {wanted}, found by trying", permission)
        check(permission["needs"] == "CAP_PERFMON" and "sysctl" in permission["remedy"],
              f"level {level}: the smallest grant and the sysctl are named", permission)
        check(result.returncode == (1 if own else 0), f"level {level}: exit status",
              result.returncode)


def ordinary_user():
    with settings(perf_event_paranoid=2):
        found, result = examine(AS_NOBODY)
    answer = json.loads(result.stdout)
    check("setcap cap_perfmon" in answer["grant"], "one grant for all that is closed",
          answer["grant"])
    for name in ("tracepoints", "bpf", "function-tracing"):
        check(found[name]["state"] == "missing", f"{name}: closed", found[name])
    check(not result.stderr, "nothing on stderr", result.stderr)


def granted():
    """The grant that doctor proposes does what it says."""
    if not shutil.which("setcap"):
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = os.path.join(folder, "perfolio")
        shutil.copy(PERFOLIO, copy)
        with settings(perf_event_paranoid=2):
            proposed = json.loads(run([*AS_NOBODY, copy, "doctor", "--json"]).stdout)["grant"]
            if run(["sh", "-c", proposed.removeprefix("sudo ")]).returncode:
                return
            result = run([*AS_NOBODY, copy, "doctor", "--json"])
        found = {finding["id"]: finding for finding in json.loads(result.stdout)["findings"]}
        for name in ("permission", "bpf", "kernel-symbols"):
            check(found[name]["state"] == "ok", f"after `{proposed.split(' /')[0]}`: {name}",
                  found[name])


def without_tracefs():
    found, result = examine(["unshare", "-m", "sh", "-c",
                             "umount -a -t tracefs,debugfs && exec \"$@\"", "sh"])
    check("tracefs is not mounted" in found["tracepoints"]["what"],
          f"without tracefs: {found['tracepoints']['what']}", found["tracepoints"])
    check("mount -t tracefs" in found["tracepoints"]["remedy"], "and how to mount it")
    check("without tracefs" in found["function-tracing"]["what"],
          "function tracing falls with it", found["function-tracing"])
    check(result.returncode == 0, "profiling works all the same")


def without_proc_and_sys():
    """What can't be seen is not said to be absent."""
    for folder, hidden in (("/proc", ("tracepoints", "uprobes", "kernel-symbols",
                                      "cgroups")),
                           ("/sys", ("uprobes", "kprobes", "btf"))):
        found, _ = examine(["unshare", "-m", "sh", "-c",
                            f"mount -t tmpfs none {folder} && exec \"$@\"", "sh"])
        states = {name: found[name]["state"] for name in hidden}
        check(set(states.values()) == {"unknown"}, f"without {folder}: unknown, not absent", states)


def sandboxes():
    found, result = examine(preexec_fn=refuse_perf_event_open)
    check(found["permission"]["state"] == "missing" and "seccomp" in found["permission"]["what"],
          f"seccomp filter: {found['permission']['what']}", found["permission"])
    check(result.returncode == 1, "seccomp filter: exit status 1", result.returncode)
    check("seccomp filter" in found["container"]["what"], "seccomp filter: named as container")

    if run(["unshare", "-U", "-r", "true"]).returncode:
        return
    found, _ = examine(["unshare", "-U", "-r"])
    check("you are root" not in text(found["permission"]),
          f"root of a user namespace is not taken for root: {found['permission']['what']}",
          found["permission"])
    check("no capability counts" in text(found["container"]), "and told that capabilities don't count",
          found["container"])


def leaves_nothing():
    def is_left(name):
        """Not of a doctor that runs elsewhere meanwhile: that clears it away before it ends, so it is looked at
        again when its process is gone."""
        return (not name.startswith("perfolio-doctor-")
                or not os.path.exists("/proc/" + name.removeprefix("perfolio-doctor-"))
                and os.path.exists(f"{TRACEFS}/instances/{name}"))

    def state():
        """The tracer, and the instances that are left."""
        with open(TRACEFS + "/current_tracer") as tracer:
            return tracer.read(), sorted(filter(is_left, os.listdir(TRACEFS + "/instances")))

    before, left = state(), 0
    for milliseconds in range(40, 240, 25):
        child = subprocess.Popen([PERFOLIO, "doctor"], stdout=subprocess.DEVNULL)
        time.sleep(milliseconds / 1000)
        child.send_signal(signal.SIGINT)
        child.wait()
        left += state() != before  # looked at each time: the next run would clear it away
    check(left == 0, "interrupted runs leave no tracing instance", left)

    dead = os.fork()
    if dead == 0:
        os._exit(0)
    os.waitpid(dead, 0)
    os.mkdir(f"{TRACEFS}/instances/perfolio-doctor-{dead}")
    run([PERFOLIO, "doctor"])
    check(state() == before, "what a killed run left is cleared away", before, state())


def quick():
    if sanitized():
        check(True, "quick # SKIP built with a sanitizer")
        return
    for name, prefix, limit in (("root", [], 0.5), ("ordinary user", AS_NOBODY, 0.2)):
        times = []
        # The quickest counts: what a busy machine adds is not ours.
        while len(times) < 5 or min(times) >= limit and len(times) < 40:
            start = time.monotonic()
            run([*prefix, PERFOLIO, "doctor"])
            times.append(time.monotonic() - start)
        check(min(times) < limit, f"{name}: {min(times):.3f} s, limit {limit} s", times)


def page():
    for locale, mark in (("C.UTF-8", "✓"), ("C", "+")):
        result = run([PERFOLIO, "doctor"], env={**os.environ, "LC_ALL": locale, "COLUMNS": ""})
        lines = result.stdout.splitlines()
        check(lines[0] == "Profiling works here.", f"{locale}: the verdict comes first", lines[:3])
        check(any(line.startswith(f"  {mark} CPU") for line in lines), f"{locale}: marks", lines[:9])
        check(max(map(len, lines)) <= 80, f"{locale}: no line is longer than 80 columns")
    result = run([PERFOLIO, "doctor", "one", "two"])
    check(result.returncode == 2, "two recordings at a time are wrong usage", result.stderr)
    with open("/dev/full", "w") as full:
        result = subprocess.run([PERFOLIO, "doctor"], stdout=full, stderr=subprocess.PIPE,
                                check=False)
    check(result.returncode == 1, "a full disk is a failure", result.stderr)


need_root()
for test in (this_machine, levels, ordinary_user, granted, without_tracefs,
             without_proc_and_sys, sandboxes, leaves_nothing, quick, page):
    test()
done()
