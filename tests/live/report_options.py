# SPDX-License-Identifier: Apache-2.0
"""Each option of report: it has perf's effect on the same recording, and some effect at all.

Lines are compared without the widths of columns, and as a set: rows of equal shares are in no order.
Where perf has an address in the place of a name that it does not know we have [unknown]: most
recordings are looked at with -U.
"""
import os
import re
import shutil
import subprocess
import tempfile

import perfmade
from lib import PERFOLIO, check, done, need_program, run, run_perf

SOURCE = """
#include <map>
#include <string>
#include <thread>
#include <sys/syscall.h>
#include <unistd.h>
#define ALONE __attribute__((noinline))
template <class A, class B> ALONE long work(A a, B b, long n)
{
	volatile long s = 0;
	for (long i = 0; i < n; i++)
		s += i * a % (b + 1);
	return s;
}
static inline __attribute__((always_inline)) long tucked(long n)
{
	volatile long s = 0;
	for (long i = 0; i < n; i++)
		s += i * 3 % 7;
	return s;
}
ALONE long carrier(long n) { return tucked(n) + 1; }
ALONE long deep(int d)
{
	long r = d > 0 ? deep(d - 1) : work<int, long>(3, 7, 20000);
	__asm__ volatile("" ::: "memory");
	return r + 1;
}
ALONE long asking(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s += syscall(SYS_getppid);
	return s;
}
int main()
{
	long other = 0, own = 0;
	std::thread thread([&] { for (int i = 0; i < 400; i++) other += work<long, int>(5, 9, 40000); });
	for (int i = 0; i < 400; i++)
		own += deep(i % 12) + asking(1500) + carrier(9000);
	thread.join();
	return other + own == 42;
}
"""
PLT = re.compile(r"[\w.]+@plt\b|\b_init\b")


def lines_of(text, comments=True):
    """What is told, without widths, tips, trust lines and ends of lines."""
    told = []
    for line in re.split(r"\n# (?:Nothing matches\.|Trust)", text)[0].splitlines():
        words = " ".join(PLT.sub("PLT", line).split())
        words = re.sub(r"\bdl-[\w.-]+\.[ch]\b", "dl.c", words)  # the dynamic linker's, of which perf takes another file
        words = re.sub(r"^[|\- ]+", "", words)  # which of two equal branches comes last
        if not words or words.strip("# .") == "" or re.match(r"# \(Tip|# Idle", words):
            continue
        if words.startswith("#") and not comments:
            continue
        told.append(words)
    return told


def report(program, path, *options, errors=False):
    made = subprocess.run([program, "report", "--stdio",
                           "-i", path, *options], capture_output=True, text=True, check=False, timeout=300,
                          errors="replace", stdin=subprocess.DEVNULL)
    return made.stdout + (made.stderr if errors else "")


def same(path, *options, without=None, comments=True):
    """Both say the same; and not what is said without the last option (or with `without` instead)."""
    ours, theirs = (lines_of(report(program, path, *options), comments) for program in (PERFOLIO, "perf"))
    name = " ".join(options)
    only = sorted(set(ours) - set(theirs))[:6], sorted(set(theirs) - set(ours))[:6]
    check(len(ours) > 3 and sorted(ours) == sorted(theirs), f"{name}: perf says the same, in {len(ours)} lines",
          "here alone:", *only[0], "perf alone:", *only[1])
    plain = lines_of(report(PERFOLIO, path, *(without if without is not None else options[:-1])), comments)
    check(plain != ours, f"{name}: it has an effect", *ours[:10])
    return ours


def shares(text):
    """Shares by the rest of the row."""
    rows = {}
    for line in text.splitlines():
        found = re.match(r" *([0-9.]+)% +(.*\S) *$", line)
        if found:
            rows[" ".join(found[2].split())] = float(found[1])
    return rows


FLAT = ("-U", "--no-children", "-g", "none")


def check_rows(one, two, group, empty):
    """Which rows and columns there are."""
    same(one, *FLAT, "-s", "dso", without=FLAT)
    same(one, *FLAT, "-s", "+pid", without=FLAT)
    for key in ("comm", "pid", "sym", "sym,dso", "srcfile", "dso,comm"):
        same(one, *FLAT, "--sort", key, without=(*FLAT, "-s", "cpu"))
    same(one, *FLAT, "-F", "overhead,sample,sym", without=FLAT)
    same(one, *FLAT, "--fields", "comm,overhead", without=FLAT)
    same(one, *FLAT, "-s", "dso", "-F", "sample", without=(*FLAT, "-s", "dso"))
    same(one, "-U", "-g", "none", "-s", "comm", "-F", "overhead,overhead_children,sym", without=("-U", "-g", "none"))
    same(one, *FLAT, "-n")
    same(one, *FLAT, "--show-nr-samples")
    same(one, *FLAT, "--show-total-period")
    same(one, *FLAT, "--show-cpu-utilization")
    same(one, *FLAT, "-c", "made-up", without=FLAT)
    same(one, *FLAT, "--comms", "cpp,other", without=(*FLAT, "--comms", "other"))
    same(one, *FLAT, "-d", "cpp", without=FLAT)
    same(one, *FLAT, "--dsos", "libc.so.6,cpp", without=FLAT)
    same(one, *FLAT, "-S", "carrier", without=FLAT)
    same(one, *FLAT, "--symbols", "carrier,asking", without=FLAT)
    same(one, *FLAT, "--symbol-filter", "rri", without=FLAT)
    same(one, *FLAT, "-d", "cpp", "--percentage", "relative", without=(*FLAT, "-d", "cpp"))
    same(one, *FLAT, "--percent-limit", "2", without=FLAT)
    same(one, *FLAT, "-p", "deep", without=FLAT)
    # several callers match: the first one in the order of the trees
    for trees in (("--children", "-g", "none"), ("--no-children", "-g", "caller,0.5"), ("--no-children", "-g", "callee,0.5")):
        same(one, "-U", *trees, "-s", "sym", "-p", "main|deep", without=("-U", *trees, "-s", "sym", "-p", "deep"))
    same(one, *FLAT, "--parent", "deep", "-x", without=(*FLAT, "--parent", "deep"))
    same(one, *FLAT, "--parent", "asking", "--exclude-other", without=(*FLAT, "--parent", "asking"))
    same(one, "-U", "-g", "none", "--no-children")
    same(one, "-U", "-g", "none", "--children", without=FLAT)
    same(one, "-U", "-g", "none", "--hierarchy")
    same(one, "-U", "--hierarchy", "-s", "dso,sym", "-n", without=("-U", "-s", "dso,sym", "-n"))
    same(two, "-U", "--group")
    same(two, "-U", "--group", "-s", "sym", "--group-sort-idx", "1", without=("-U", "-s", "sym"))
    # The order is its whole effect: shares of the second event fall.
    text = report(PERFOLIO, two, "-U", "--group", "--group-sort-idx", "1")
    seconds = [float(found) for found in re.findall(r"^ +[0-9.]+% +([0-9.]+)%", text, re.M)]
    check(len(seconds) > 5 and seconds == sorted(seconds, reverse=True), "--group-sort-idx 1: by the second event", text[:2000])
    same(group, "-U", "-g", "none", without=("-U", "-g", "none", "--no-group"))
    # perf writes "events" where one is left, and "anon group" nowhere then.
    check("of event 'cpu-clock'" in report(PERFOLIO, group, "--no-group"), "--no-group: one table for each event")
    same(empty, "-U", "-s", "comm", "--no-skip-empty")
    check("alignment-faults" not in report(PERFOLIO, empty, "--skip-empty") and
          "'alignment-faults'" in report(PERFOLIO, empty, "--no-skip-empty"), "--skip-empty: events without samples")


def check_odd_names(folder):
    """A row is a line, whatever a thread is called."""
    path = os.path.join(folder, "odd.data")
    spin = "open('/proc/self/comm', 'w').write('a\\tb\\nc'); [i * i for i in range(3000000)]"
    run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "999", "-o", path, "--", "python3", "-S", "-c", spin])
    for options in ((), ("-t", ",")):
        rows = report(PERFOLIO, path, "-g", "none", "--no-children", "-s", "comm", *options)
        check(re.search(r"%[ ,]+a\?b\?c *$", rows, re.M), "an end of a line in a thread's name does not break the row", rows)


def check_layout(one):
    same(one, *FLAT, "-q")
    same(one, *FLAT, "--quiet")
    told = report(PERFOLIO, one, *FLAT, "-q", errors=True)
    check(not re.search("^#", told, re.M) and "%" in told, "-q: rows alone", told[:300])
    same(one, *FLAT, "-t", ",", without=FLAT)
    made = report(PERFOLIO, one, *FLAT, "--field-separator=,")
    rows = [line for line in made.splitlines() if "%" in line and not line.startswith("#")]
    check(rows and all(line.count(",") == 3 for line in rows) and "work<long. int>" in made,
          "-t,: a comma in a name is a point, as in perf", *rows[:5])
    told = report(PERFOLIO, one, "-t", ".", errors=True)
    check("-t ." in told, "-t .: refused, as in perf", told)
    for widths in ("5,10,6", "9,3,4", "9,0,0,12", "9,3,4,7"):
        ours, theirs = (report(program, one, *FLAT, "-w", widths) for program in (PERFOLIO, "perf"))
        check([line.rstrip() for line in ours.splitlines()[11:15]] == [line.rstrip() for line in theirs.splitlines()[11:15]],
              f"-w {widths}: perf's widths", ours[:1500], theirs[:1500])
    check(report(PERFOLIO, one, *FLAT, "--column-widths", "9,3,4") != report(PERFOLIO, one, *FLAT), "--column-widths: has an effect")
    same(one, *FLAT, "--stdio-color", "always", without=FLAT)
    check("\033[31m" in report(PERFOLIO, one, *FLAT, "--stdio-color", "always") and
          "\033" not in report(PERFOLIO, one, *FLAT, "--stdio-color", "never") + report(PERFOLIO, one, *FLAT),
          "--stdio-color: always, never; auto is never in a pipe")
    same(one, *FLAT, "--no-demangle")
    check("_Z" in report(PERFOLIO, one, *FLAT, "--no-demangle") and "_Z" not in report(PERFOLIO, one, *FLAT, "--demangle"),
          "--demangle: names as they were written, or not")
    # perf has a letter for where a symbol's table was found besides.
    ours = report(PERFOLIO, one, *FLAT, "-v")
    theirs = re.sub(r"(0x[0-9a-f]+ +)\S (\[.\])", r"\1\2", report("perf", one, *FLAT, "--verbose"))
    check(sorted(lines_of(ours, False)) == sorted(lines_of(theirs, False)), "-v: perf's addresses, paths and parameters",
          ours[:1500], theirs[:1500])
    check(re.search(r"0x[0-9a-f]+ +\[\.\] .*work<long, int>\(long, int, long\)", report(PERFOLIO, one, *FLAT, "--verbose")),
          "--verbose: has an effect")


def check_trees(one):
    base = ("-U", "--no-children")
    same(one, *base, "-g", "caller", without=(*base, "-g", "none"))
    same(one, *base, "-g", without=base)  # T6: bare, it is perf's caller
    same(one, *base, "-G")
    same(one, *base, "--inverted")
    for words in ("callee", "folded", "flat", "caller,folded,period", "graph,count", "graph,period", "caller,5",
                  "none"):
        same(one, *base, "--call-graph", words, without=(*base, "--call-graph", "caller,0.7"))
    ours, theirs = (shares_of_branches(report(program, one, *base, "-g", "caller,fractal,3"))
                    for program in (PERFOLIO, "perf"))
    check(ours == theirs and ours, "-g fractal: shares of the frame before", ours, theirs)
    # In perf --max-stack keeps the outermost frames where trees go from the callers: the row's own
    # function is then missing in its tree.  Here it is always the innermost ones.
    same(one, *base, "-g", "callee", "--max-stack", "2", without=(*base, "-g", "callee"))
    text = report(PERFOLIO, one, *base, "-g", "caller", "--max-stack", "1")
    check(re.search(r"---work<long, int>\n\n", text), "--max-stack 1: the function itself", text[:1500])
    run_perf("record", "-q", "-e", "kmem:kmem_cache_alloc", "--call-graph", "dwarf,4096", "-o", one + ".copies", "--", "ls", "/")
    for most in (1, 3):  # of copied stacks so many of the kernel and so many of the program
        words = ("--no-children", "-s", "comm", "-g", "folded,callee,0", "--no-inline", "--max-stack", str(most))
        ours, theirs = ({re.sub(r"\b0x[0-9a-f]+", "[unknown]", line.split(" ", 1)[1])
                         for line in report(program, one + ".copies", *words).splitlines() if line[:1].isdigit()}
                        for program in (PERFOLIO, "perf"))
        check(ours == theirs and any(line.count(";") == 2 * most - 1 for line in ours),
              f"--max-stack {most} of copied stacks: perf's {len(theirs)} stacks", ours - theirs, theirs - ours)
    same(one, *base, "-g", "callee", "--ignore-callees", "deep|asking", without=(*base, "-g", "callee"))
    told = report(PERFOLIO, one, "--call-graph=address", errors=True)
    check("by function" in told, "-g address: refused, with the reason", told)


def write_stacks(path, program, stacks):
    """A recording of so many samples of each stack of the program's functions, the innermost first."""
    p = perfmade
    names = symbols_of(program)
    low, size = code_of(program)
    kind = p.IP | p.TID | p.TIME | p.PERIOD | p.CHAIN
    records = p.beginning(kind, program, offset=low, size=size)
    for i, (parts, count) in enumerate(stacks):
        ends = [names.get(part) or next(at for name, at in names.items() if part in name) for part in parts]
        chain = [0x400000 + at - low + 4 for at in ends]
        records += [p.sample(kind, p.USER, ip=chain[0], time=10**9 + 100 * i + k, chain=[-512 % 2**64, *chain]) for k in range(count)]
    p.write(path, kind, records)


def check_fractal(program, folder):
    """Shares of the frame before, where that has samples of its own."""
    path = os.path.join(folder, "fractal.data")
    outer = ("carrierl", "_start")
    write_stacks(path, program, ((outer, 7), (("askingl", *outer), 1), (("deepi", "askingl", *outer), 3), (("deepi", *outer), 5)))
    for words in ("0.5,caller", "30,caller", "0.5,1,caller", "0.5,caller,period", "0.5,caller,count", "0.5,callee"):
        for children in ("--children", "--no-children"):
            # perf calls what is left out inlined.
            ours, theirs = ([line.replace("[...] (inlined)", "[...]") for line in lines_of(report(tool, path, children, "-g", "fractal," + words))]
                            for tool in (PERFOLIO, "perf"))
            check(sorted(ours) == sorted(theirs) and len(ours) > 9, f"-g fractal,{words} {children}: perf says the same", *ours, "perf:", *theirs)
    tree = report(PERFOLIO, path, "--children", "-g", "fractal,0.5,caller", "--symbol-filter", "_start")
    check([share for share, _ in shares_of_branches(tree)] == ["100.00", "25.00", "31.25", "43.75"],
          "-g fractal: what a frame does itself is a part of the row", tree)


def check_limit(program, folder):
    """-g with the most branches of a frame, where none weighs as much as another."""
    path = os.path.join(folder, "limit.data")
    write_stacks(path, program, ((("deepi", "askingl"), 5), (("deepi", "carrierl"), 3), (("deepi", "_start"), 2)))
    for limit, left in (("1", 1), ("2", 2), ("9", 3)):
        told = same(path, "--no-children", "-g", "callee,0.5," + limit, without=("--no-children", "-g", "callee,0.5,0,count"))
        check(len(shares_of_branches("--" + "\n--".join(told))) == left, f"-g callee,0.5,{limit}: so many branches", *told)


def shares_of_branches(text):
    return sorted(re.findall(r"--([0-9.]+)%--(\S+)", text))


def check_samples(one, trace):
    """Which samples are counted."""
    stamps = [float(word) for word in re.findall(r"([0-9]+\.[0-9]+):", run([PERFOLIO, "script", "-i", one, "-F", "time"]).stdout)]
    first, second, third = (f"{stamps[len(stamps) * part // 4]:.6f}" for part in (1, 2, 3))
    same(one, *FLAT, "--time", f"{first},{second}", without=FLAT)
    same(one, *FLAT, "--time", f",{first} {second},{third}", without=FLAT)
    for times in ("10%-20%", "10%-20%,30%-40%", "10%/1,10%/3"):
        same(one, *FLAT, "--time", times, without=FLAT)
    alone = run([PERFOLIO, "report", "-i", one, "--time", first])
    check(alone.returncode == 2 and "must be FROM-TO" in alone.stderr, "--time START without a comma: refused, as by perf", alone.stderr)
    tids = sorted(set(re.findall(r"^ *\S+ +([0-9]+)", run([PERFOLIO, "script", "-i", one, "-F", "comm,tid"]).stdout, re.M)))
    check(len(tids) > 1, "two threads were recorded", tids)
    # A row of two threads is kept or dropped by perf for the one that it saw first: a row a thread.
    same(one, *FLAT, "-s", "pid,sym", "--tid", tids[-1], without=(*FLAT, "-s", "pid,sym"))
    same(one, *FLAT, "-s", "pid,sym", "--pid", tids[0], without=(*FLAT, "-s", "pid,sym", "--pid", "1"))
    same(one, *FLAT, "-s", "time", without=(*FLAT, "-s", "comm"))
    same(one, *FLAT, "-s", "time", "--time-quantum", "20ms", without=(*FLAT, "-s", "time"))
    same(one, *FLAT, "-s", "time", "--ns")
    same(trace, "-C", "0", "-s", "comm,cpu", without=("-s", "comm,cpu"))
    same(trace, "--cpu", "1", "-s", "trace", without=("-s", "trace"))
    # Newer libraries print a CPU with the zeros that the event's own sentence has.
    ours, theirs = ([re.sub(r"=0+(?=[0-9])", "=", line) for line in lines_of(report(program, trace, "-s", "trace", "--raw-trace"))]
                    for program in (PERFOLIO, "perf"))
    check(sorted(ours) == sorted(theirs) and any("prev_state=" in line for line in ours), "--raw-trace: the fields", *ours[:5], *theirs[:5])
    check(report(PERFOLIO, trace, "-s", "trace") != report(PERFOLIO, trace, "-s", "trace", "--raw-trace"), "--raw-trace: has an effect")
    same(trace, "-s", "next_pid", without=("-s", "comm"), comments=False)
    same(trace, "-s", "sched:sched_switch.prev_prio", without=("-s", "comm"), comments=False)
    same(trace, "-s", "comm", "--socket-filter", "0", without=("-s", "comm"))
    rows = [shares(report(PERFOLIO, trace, "-s", "comm", "--socket-filter", number)) for number in ("0", "7")]
    check(len(rows[0]) > 2 and not rows[1], "--socket-filter: rows of that socket", rows)
    # Whatever is started is switched to before it ends.
    switches = ("--switch-on", "sched:sched_process_fork", "--switch-off", "sched:sched_process_exit")
    same(trace, "-s", "comm,sym", *switches, without=("-s", "comm,sym"))
    same(trace, "-s", "comm,sym", *switches, "--show-on-off-events")
    same(trace, "-s", "comm,sym", *switches[:2], without=("-s", "comm,sym"))
    # Alone, perf 6.1 leaves out that event's samples and nothing after them.
    counts = re.findall(r"Samples: (\S+)", report(PERFOLIO, trace, "--switch-off", "sched:sched_switch"))
    check(set(counts) <= {"0", "1"}, "--switch-off: nothing after the event", counts)


def check_symbols(one, folder):
    """Where names come from."""
    kernel = os.path.join(folder, "kallsyms")
    with open(kernel, "w", encoding="utf-8") as file:
        file.write("ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff81000200 T _ZN4rust4mainEv\n"
                   "ffffffff81000400 T plain\nffffffff82000000 T _etext\nffffffffc0000000 t inmodule\t[made]\n")
    made = os.path.join(folder, "kernel.data")
    kind = perfmade.IP | perfmade.TID | perfmade.TIME | perfmade.PERIOD
    begin = perfmade.KERNEL_START
    module = perfmade.record(perfmade.MMAP, perfmade.KERNEL, perfmade.struct.pack("=iIQQQ", -1, 0, 0xffffffffc0000000, 0x1000, 0)
                             + perfmade.padded("[made]") + perfmade.trailer(kind, 0, 0))
    # The kernel as one of a known build, in front of the other records that name it.
    known = perfmade.record(10, perfmade.KERNEL | 1 << 14, perfmade.struct.pack("=iIQQQB3x20sII", -1, 0, perfmade.KERNEL_START,
                            0x1000000, perfmade.KERNEL_START, 20, bytes.fromhex("ab" * 20), 5, 2) +
                            perfmade.padded("[kernel.kallsyms]_text") + perfmade.trailer(kind, 0, 0))
    records = [known, *perfmade.beginning(kind, "/nowhere/made")[1:], module]
    records += [perfmade.sample(kind, perfmade.KERNEL, ip=ip, time=10**9 + ip % 4096)
                for ip in (begin + 0x210, begin + 0x210, begin + 0x410, 0xffffffffc0000010)]
    perfmade.write(made, kind, records)
    names = ("--kallsyms", kernel)
    told = report(PERFOLIO, made, *names)
    theirs = report("perf", made, *names)
    check("plain" in told and "_ZN4rust4mainEv" in told and "_ZN4rust4mainEv" in theirs and "plain" not in report(PERFOLIO, made),
          "--kallsyms: names of that list, the kernel's as they are", told, theirs)
    check("rust::main" in report(PERFOLIO, made, *names, "--demangle-kernel"), "--demangle-kernel: names of the kernel too")
    check("inmodule" in report(PERFOLIO, made, *names, "-m") and "plain" in report(PERFOLIO, made, *names, "--no-modules") and
          "inmodule" not in report(PERFOLIO, made, *names, "--no-modules"), "--no-modules: none of modules; -m, --modules: on",
          report(PERFOLIO, made, *names, "--no-modules"))
    # A vmlinux with the names of a build that the recording may be of.
    image = os.path.join(folder, "vmlinux")
    source = os.path.join(folder, "image.s")
    with open(source, "w", encoding="utf-8") as file:
        file.write(".globl _text, _stext, imaged, other\n.type imaged,@function\n.type other,@function\n.text\n_text:\n_stext:\n"
                   ".fill 0x200, 1, 0x90\nimaged:\n.fill 0x200, 1, 0x90\n.size imaged, 0x200\nother:\n.fill 0x200, 1, 0x90\n"
                   ".size other, 0x200\n")
    run(["gcc", "-nostdlib", "-static", "-Wl,-Ttext=0xffffffff81000000,--build-id=0x" + "ab" * 20 + ",-e,_text", "-o", image, source])
    if check(os.path.exists(image), "an image of a kernel was linked"):
        told = report(PERFOLIO, made, "-k", image)
        check("imaged" in told and "imaged" in report(PERFOLIO, made, "--vmlinux", image) and
              "imaged" not in report(PERFOLIO, made, *names), "-k, --vmlinux: names of that image", told)
    # symfs: the program is there alone.
    shutil.copy(os.path.join(folder, "cpp"), os.path.join(folder, "kept"))
    apart = os.path.join(folder, "symfs") + folder
    os.makedirs(apart)
    os.rename(os.path.join(folder, "cpp"), os.path.join(apart, "cpp"))
    cache = {**os.environ, "XDG_CACHE_HOME": os.path.join(folder, "cache"), "HOME": os.path.join(folder, "home")}
    told = [subprocess.run([PERFOLIO, "report", "-i", one, "--no-children", "-g", "none", *words], env=cache,
                           capture_output=True, text=True, check=False).stdout
            for words in ((), ("--symfs", os.path.join(folder, "symfs")))]
    os.rename(os.path.join(folder, "kept"), os.path.join(folder, "cpp"))
    check("carrier" not in told[0] and "carrier" in told[1], "--symfs: files below it", told[1][:800])
    paths = report(PERFOLIO, one, *FLAT, "-s", "srcline", "--full-source-path")
    check(f"{folder}/cpp.cc:" in paths and f"{folder}/cpp.cc:" in report("perf", one, *FLAT, "-s", "srcline", "--full-source-path")
          and f"{folder}/" not in report(PERFOLIO, one, *FLAT, "-s", "srcline"), "--full-source-path: with their folders", paths[:600])
    inlined = report(PERFOLIO, one, "--inline", "-g", "caller")
    check("tucked (inlined)" in inlined and "(inlined)" not in report(PERFOLIO, one, "--no-inline"),
          "--inline: what the compiler tucked in", inlined[:300])


def check_ignored_image(folder):
    """--ignore-vmlinux: an image that is found for the recorded kernel is not read."""
    release = os.uname().release
    place = os.path.join(folder, "symfs2")
    image = os.path.join(place, "boot", f"vmlinux-{release}")
    os.makedirs(os.path.dirname(image))
    if not os.path.exists(os.path.join(folder, "vmlinux")):
        return
    shutil.copy(os.path.join(folder, "vmlinux"), image)
    made = os.path.join(folder, "kernel.data")
    told = [report(PERFOLIO, made, "--symfs", place, *words) for words in ((), ("--ignore-vmlinux",))]
    check(("imaged" in told[0]) and "imaged" not in told[1], "--ignore-vmlinux: not from an image that is found", *told)


def check_records(one, threads):
    same(one, "--stats", without=())
    same(one, "--tasks", without=())
    ours, theirs = (re.findall(r"([0-9a-f]+-[0-9a-f]+) r-xp ([0-9a-f]{8}).* (\S+)$", report(program, one, "--mmaps"), re.M)
                    for program in (PERFOLIO, "perf"))
    check(ours == theirs and len(ours) > 3, "--mmaps: perf's mappings, without the files' numbers", ours[:5], theirs[:5])
    for words in (("-D",), ("--dump-raw-trace",), ("-D", "--disable-order")):
        ours, theirs = (report(program, one, *words).splitlines() for program in (PERFOLIO, "perf"))
        theirs = [line.replace("PERF_RECORD_FINISHED_ROUND: unhandled!", "PERF_RECORD_FINISHED_ROUND") for line in theirs]
        check(ours == theirs and len(ours) > 1000, f"{' '.join(words)}: perf's {len(ours)} lines",
              *[f"{a} | {b}" for a, b in zip(ours, theirs) if a != b][:3])
    check(report(PERFOLIO, one, "-D") != report(PERFOLIO, one, "-D", "--disable-order"), "--disable-order: another order")
    same(threads, "-U", "-T")
    same(threads, "-U", "--threads", "--pretty", "raw", without=("-U", "--threads"))
    same(one, *FLAT, "--header-only", without=FLAT)
    check("# hostname" in report(PERFOLIO, one, "--header") and "# Overhead" in report(PERFOLIO, one, "--header", *FLAT),
          "--header: first what the recording tells")
    ours, theirs = (lines_of(report(program, one, "--header-only", "-I")) for program in (PERFOLIO, "perf"))
    check(ours == theirs and len(ours) > len(lines_of(report(PERFOLIO, one, "--header-only"))), "-I: the long parts, as perf's")
    check(report(PERFOLIO, one, "--header-only", "--show-info") == report(PERFOLIO, one, "--header-only", "-I"), "--show-info: the same")
    text = subprocess.run([PERFOLIO, "report", "--input", one, "-s", "dso"], capture_output=True, text=True, check=False).stdout
    check("cpp" in text, "--input: that file", text[:300])
    if not os.getuid():
        os.chown(one, 65534, 65534)
        told = report(PERFOLIO, one, *FLAT, errors=True)
        check("belongs to user 65534" in told and "belongs" not in report(PERFOLIO, one, *FLAT, "-f", errors=True) and
              "belongs" not in report(PERFOLIO, one, *FLAT, "--force", errors=True), "-f: no word about whose it is", told[-300:])
        os.chown(one, 0, 0)


def code_of(program):
    """Where its code is in the file, and the size of the mapping that this makes."""
    for line in run(["readelf", "-lW", program]).stdout.splitlines():
        words = line.split()
        if words[:1] == ["LOAD"] and "R E" in line:
            return int(words[1], 16), int(words[4], 16) + 0xfff & ~0xfff
    return None


def symbols_of(program):
    found = {}
    for line in run(["nm", program]).stdout.splitlines():
        words = line.split()
        if len(words) == 3:
            found[words[2]] = int(words[0], 16)
    return found


def check_memory(program, folder):
    """Memory accesses and branches, made by hand: this machine's counters may have neither."""
    names = symbols_of(program)
    deep, asking, carrier = (next(at for name, at in names.items() if part in name) for part in ("deepi", "askingl", "carrierl"))
    low = min(deep, asking, carrier) & ~0xfff

    def at(address):
        return 0x400000 + address - low
    p = perfmade
    kind = (p.IP | p.TID | p.TIME | p.ADDR | p.CPU | p.PERIOD | p.WEIGHT | p.DATA_SRC | p.TRANSACTION | p.PHYS | p.CGROUP |
            p.DATA_PAGE | p.CODE_PAGE)
    records = p.beginning(kind, program, offset=low)
    records.append(p.record(p.CGROUP_RECORD, 0, p.struct.pack("=Q", 77) + p.padded("/my/group") + p.trailer(kind)))
    load = 2 | 0xa << 5 | 2 << 19 | 2 << 24 | 0xa << 26
    far = 2 | 2 << 19 | 2 << 24 | 0xa << 26 | 0xd << 33 | 1 << 37 | 2 << 40
    store = 4 | 0x82 << 5 | 4 << 19 | 1 << 24 | 0x14 << 26
    for i, (address, source, weight, transaction, group) in enumerate((
            (deep, load, 10, 1, 77), (deep, store, 20, 0, 77), (asking, store, 30, 0, 0), (carrier, far, 40, 2 | 1 << 32, 5),
            (carrier, far, 40, 2 | 1 << 32, 5), (carrier, load, 70, 0, 77))):
        records.append(p.sample(kind, p.USER, ip=at(address + 4), time=10**9 + i * 60_000_000, addr=0x7000 + i * 32, cpu=i % 2,
                                weight=weight, data_src=source, transaction=transaction, cgroup=group, phys=0x123000 + i * 64,
                                data_page=4096, code_page=2 << 20))
    memory = os.path.join(folder, "memory.data")
    p.write(memory, kind, records)
    for key in ("local_weight", "weight", "transaction", "cgroup", "time", "code_page_size", "ins_lat", "local_ins_lat", "addr",
                "dso_size", "socket", "trace", "cpu"):
        same(memory, "-s", key, without=("-s", "sym"))
    for key in ("dso_daddr", "locked", "tlb", "mem", "snoop", "dcacheline", "phys_daddr", "data_page_size", "blocked"):
        same(memory, "--mem-mode", "-s", key, without=("-s", "sym"))
    ours, theirs = (lines_of(report(program, memory, "--mem-mode"), False) for program in (PERFOLIO, "perf"))
    check(sorted(ours) == sorted(theirs) and len(ours) > 4, "--mem-mode: perf's rows", *ours, *theirs)
    same(memory, "-s", "addr,sym", without=("-s", "sym"))

    kind = p.IP | p.TID | p.TIME | p.CPU | p.PERIOD | p.BRANCHES
    records = p.beginning(kind, program, offset=low)
    for i in range(5):
        records.append(p.sample(kind, p.USER, ip=at(deep + 4), time=10**9 + i, branches=[
            p.branch(at(deep + 4), at(asking + 8), True, cycles=3), p.branch(at(asking + 9), at(carrier), predicted=True, abort=not i),
            p.branch(at(carrier + 2), at(deep), predicted=True, in_tx=i > 2, cycles=9)]))
    branches = os.path.join(folder, "branches.data")
    p.write(branches, kind, records, p.ANY_BRANCH)
    for key in ("dso_from", "dso_to", "mispredict", "abort", "in_tx", "cycles", "srcline_from", "srcline_to"):
        same(branches, "-b", "-s", key, without=("-s", "sym"))
    rows = shares(report(PERFOLIO, branches, "--branch-stack"))
    theirs = shares(report("perf", branches, "-b"))
    check(rows == theirs and any("[.] deep [.] asking 3" in row for row in rows), "--branch-stack: from where to where", rows, theirs)
    rows = shares(report(PERFOLIO, branches, "-b", "-s", "symbol_from,symbol_to"))
    check(rows == {"[.] deep [.] asking": 33.33, "[.] asking [.] carrier": 33.33, "[.] carrier [.] deep": 33.33},
          "-s symbol_from,symbol_to", rows)
    told = report(PERFOLIO, branches, "-s", "symbol_from", errors=True)
    check("-b" in told, "a key of branches without them names the option", told)


def check_nameless(folder):
    """[unknown] can be taken apart by address: T28."""
    p = perfmade
    kind = p.IP | p.TID | p.TIME | p.PERIOD
    records = p.beginning(kind, "/nowhere/made")
    records += [p.sample(kind, p.USER, ip=0x400000 + at, time=10**9 + i) for i, at in enumerate((16, 16, 16, 32, 900))]
    path = os.path.join(folder, "nameless.data")
    p.write(path, kind, records)
    rows = shares(report(PERFOLIO, path, "-s", "dso,sym,addr"))
    check(rows == {"made [.] [unknown] 0x400010": 60, "made [.] [unknown] 0x400020": 20, "made [.] [unknown] 0x400384": 20},
          "-s dso,sym,addr: code without names, address by address", rows)
    rows = shares(report(PERFOLIO, path, "-s", "srcfile,sym"))
    check(len(rows) == 1, "-s srcfile,sym: one row for what has no name", rows)


def check_sources(one, folder):
    """T24: rows by source line and file are perf's, each once, and no name in them is mangled."""
    for keys, wanted in (("srcline", r"cpp\.cc:\d+$"), ("srcfile,sym", r"cpp\.cc +\[\.\] ")):
        rows = [" ".join(row) for row in re.findall(r"^ *[0-9.]+% +(\S.*\S) *()$", report(PERFOLIO, one, *FLAT, "-s", keys), re.M)]
        check(len(rows) > 3 and len(rows) == len(set(rows)), f"-s {keys}: each row once",
              *sorted(row for row in set(rows) if rows.count(row) > 1))
        ours, theirs = ({row: share for row, share in shares(report(program, one, *FLAT, "-s", keys)).items()
                         if re.match(wanted, row)} for program in (PERFOLIO, "perf"))
        check(ours == theirs and len(ours) > 1, f"-s {keys}: perf's lines and shares", ours, theirs)
    path = os.path.join(folder, "bare")
    run(["g++", "-O1", "-fno-omit-frame-pointer", "-pthread", "-o", path, os.path.join(folder, "cpp.cc")])
    run_perf("record", "-q", "-N", "-e", "cpu-clock", "-F", "1999", "-o", path + ".data", path)
    rows = report(PERFOLIO, path + ".data", *FLAT, "-s", "srcline")
    check("work<long, int>+" in rows and "_Z" not in rows, "-s srcline: without debug information, names as they are written", rows[:900])


def check_names(folder):
    """A thread is called as the program that it executed last."""
    path = os.path.join(folder, "execs.data")
    run_perf("record", "-q", "-N", "-e", "raw_syscalls:sys_enter", "-o", path, "sh", "-c",
             "for i in 1 2 3; do ls / >/dev/null; sh -c 'echo a | cat >/dev/null'; done")
    for key in ("pid", "comm"):
        rows = same(path, "-s", key, without=("-s", "cpu"))
        check(sum(row.endswith(":cat" if key == "pid" else " cat") for row in rows) == (3 if key == "pid" else 1),
              f"-s {key}: a child that became cat", *rows)


def main():
    need_program("perf")
    need_program("g++")
    with tempfile.TemporaryDirectory(prefix="perfolio-options-") as folder:
        program = os.path.join(folder, "cpp")
        with open(program + ".cc", "w", encoding="utf-8") as file:
            file.write(SOURCE)
        built = run(["g++", "-O1", "-g", "-fno-omit-frame-pointer", "-pthread", "-o", program, program + ".cc"])
        if not check(os.path.exists(program), "the program was built", built.stderr):
            done()
        one, two, group, threads, trace, empty = (os.path.join(folder, name + ".data")
                                                  for name in ("one", "two", "group", "threads", "trace", "empty"))
        for path, words in ((one, ("-e", "cpu-clock", "-F", "1999", "-g", "--timestamp-boundary")), (two, ("-e", "cpu-clock,task-clock", "-F", "999")),
                            (group, ("-e", "{cpu-clock,task-clock}", "-F", "999", "-g")),
                            (empty, ("-e", "cpu-clock,alignment-faults")),
                            (threads, ("-e", "cpu-clock", "-F", "999", "-s"))):
            run_perf("record", "-q", *words, "-o", path, program)
        # of several priorities, on a machine that does nothing else
        run_perf("record", "-q", "-e", "sched:sched_switch,sched:sched_wakeup,sched:sched_process_fork,sched:sched_process_exit", "-a", "-o", trace, "sh", "-c",
                 f"for i in 1 3 5 7 9 11; do nice -n $i sleep 0.02 & nice -n $i sleep 0.03; done; {program}; wait")
        check_rows(one, two, group, empty)
        check_layout(one)
        check_trees(one)
        check_samples(one, trace)
        check_records(one, threads)
        check_odd_names(folder)
        check_memory(program, folder)
        check_nameless(folder)
        check_sources(one, folder)
        check_names(folder)
        check_limit(program, folder)
        check_fractal(program, folder)
        check_symbols(one, folder)
        check_ignored_image(folder)
    done()


main()
