# SPDX-License-Identifier: Apache-2.0
"""The pager: on a terminal only, the user's own, its end is no failure, the exit status stays."""
import os
import pty
import select
import shutil
import subprocess
import tempfile
import time

from lib import PERFOLIO, check, done


def on_terminal(words, keys=b"", **environment):
    """What a terminal shows of a command, its exit status; keys are typed once something is shown."""
    env = {name: value for name, value in os.environ.items()
           if name not in ("PAGER", "PERFOLIO_PAGER", "LESS", "NO_COLOR")}
    env.update(TERM="xterm", LINES="24", COLUMNS="80", **environment)
    pid, fd = pty.fork()
    if not pid:
        os.execvpe(words[0], words, env)
    shown = b""
    while True:
        ready = select.select([fd], [], [], 60)[0]
        if not ready:
            os.kill(pid, 9)
            break
        try:
            piece = os.read(fd, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if keys and len(shown) > 500:
            os.write(fd, keys)
            keys = b""
    status = os.waitpid(pid, 0)[1]
    os.close(fd)
    return shown.decode(errors="replace"), os.waitstatus_to_exitcode(status)


def marks(folder):
    """A pager that leaves a file, and passes on what it reads."""
    return f"tee {folder}/paged"


def only(folder, *programs):
    """A folder for PATH that has no other programs."""
    path = os.path.join(folder, "bin")
    os.mkdir(path)
    for program in programs:
        os.symlink(shutil.which(program), os.path.join(path, program))
    return path


def check_choice(folder):
    words = [PERFOLIO, "help", "report"]
    path = os.path.join(folder, "paged")
    shown, status = on_terminal(words, PERFOLIO_PAGER=marks(folder))
    check(status == 0 and os.path.exists(path) and "--sort" in shown,
          "on a terminal the pager gets the help", shown[:500], status)
    with open(path, encoding="utf-8") as file:
        check("--sort" in file.read(), "all of it")
    os.unlink(path)
    shown, status = on_terminal(words, PAGER=marks(folder))
    check(status == 0 and os.path.exists(path), "$PAGER is taken")
    os.unlink(path)
    shown, status = on_terminal([os.path.abspath(PERFOLIO), *words[1:]], PATH=only(folder, "cat"))
    check(status == 0 and "--sort" in shown, "without less the text is shown as it is", shown[:500], status)
    shown, status = on_terminal(words, PAGER="false", PERFOLIO_PAGER=marks(folder))
    check(os.path.exists(path) and status == 0, "$PERFOLIO_PAGER goes before it")
    os.unlink(path)
    for options in (["--no-pager", "help", "report"], ["help", "--no-pager", "report"]):
        shown, status = on_terminal([PERFOLIO, *options], PAGER=marks(folder))
        check(not os.path.exists(path) and "--sort" in shown and status == 0,
              f"{' '.join(options)}: none", shown[:300])
    for given, taken in (({}, "FRSX"), ({"LESS": "R"}, "R")):
        shown, status = on_terminal(words, PAGER='echo "<$LESS>"; cat >/dev/null', **given)
        check(f"<{taken}>" in shown, "less cuts long lines, unless LESS is set", shown)
    shown, status = on_terminal(words, PAGER="")
    check("--sort" in shown and status == 0, "an empty $PAGER is none")
    made = subprocess.run(words, capture_output=True, text=True, check=False,
                          env={**os.environ, "PAGER": marks(folder)})
    check(not os.path.exists(path) and "--sort" in made.stdout, "in a pipe there is none")
    for command in (["list"], ["script", "-l"], ["report", "--header-only", "-i", "/dev/null"],
                    ["stat", "--help"]):
        on_terminal([PERFOLIO, *command], PAGER=marks(folder))
        check(os.path.exists(path) == (command[0] != "stat"),
              f"{command[0]} {'has' if command[0] != 'stat' else 'has no'} pager")
        if os.path.exists(path):
            os.unlink(path)


def check_trust(folder):
    """What the pager would cut off is broken between words; in a pipe it is one line."""
    path = os.path.join(folder, "odd.folded")
    with open(path, "w", encoding="utf-8") as file:
        file.write("app;main;work 7\n")
    shown, _ = on_terminal([PERFOLIO, "report", "-g", "none", "-i", path], PAGER="tee /dev/null")
    plain = subprocess.run([PERFOLIO, "report", "-g", "none", "-i", path], capture_output=True, text=True, check=False).stdout
    trust = shown[shown.index("# Trust"):].splitlines()
    whole = " ".join(line.rstrip() if line.startswith("# T") else line.rstrip()[6:] for line in trust if line.strip() != "#")
    check(len(trust) > 2 and max(map(len, trust)) <= 80 and whole in plain, "lines of trust end with the terminal's", shown, plain)


def check_titles(folder):
    """A long name makes its own line long, not the titles' lines."""
    path = os.path.join(folder, "long.folded")
    with open(path, "w", encoding="utf-8") as file:
        file.write("app;main;" + "f" * 400 + " 7\n")
    for pager in ("cat", "tee /dev/null"):
        shown, status = on_terminal([PERFOLIO, "report", "-g", "none", "-i", path], PAGER=pager)
        titles = [line for line in shown.splitlines() if line.startswith("# ") and (".." in line or "Symbol" in line)]
        check(status == 0 and "f" * 400 in shown and len(titles) == 2 and max(map(len, titles)) <= 80,
              f"{pager}: titles end with the terminal's line", titles)


def check_status(folder):
    missing = os.path.join(folder, "missing.data")
    shown, status = on_terminal([PERFOLIO, "report", "-i", missing], PAGER=marks(folder))
    check(status == 1 and "missing.data" in shown, "a failure is shown, and its status kept",
          shown, status)
    shown, status = on_terminal([PERFOLIO, "report", "--frob"], PAGER=marks(folder))
    check(status == 2, "so is that of a wrong option", shown, status)
    shown, status = on_terminal([PERFOLIO, "help", "report"], PAGER="no-such-pager")
    check("no-such-pager" in shown and status == 1, "a pager that is not there is named", shown,
          status)


def check_quit():
    """Leaving early is no failure, whether we were writing or not."""
    shown, status = on_terminal([PERFOLIO, "list"], PAGER="head -n 3")
    check(status == 0 and "Broken pipe" not in shown, "a pager that ends early is no failure",
          shown, status)
    shown, status = on_terminal([PERFOLIO, "list"], keys=b"q")
    check(status == 0 and "Broken pipe" not in shown, "q in less is none either", shown[-300:],
          status)
    shown, status = on_terminal([PERFOLIO, "--no-pager", "version"])
    check(status == 0 and shown.startswith("perfolio "), "the version", shown)


def check_work_ends(folder):
    """script follows a pipe that never ends: only the pager's end can end it."""
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    holder = os.open(fifo, os.O_RDWR)
    before = time.monotonic()
    _, status = on_terminal([PERFOLIO, "script", "-i", fifo], PAGER="true")
    check(status == 0 and time.monotonic() - before < 50,
          "what waits for input ends with the pager", status)
    os.close(holder)


def main():
    with tempfile.TemporaryDirectory(prefix="perfolio-pager-") as folder:
        check_choice(folder)
        check_titles(folder)
        check_trust(folder)
        check_status(folder)
        check_quit()
        check_work_ends(folder)
    done()


main()
