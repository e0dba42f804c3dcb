# SPDX-License-Identifier: Apache-2.0
"""One door for input: every command that reads a profile reads it in every form, by -i, as a word, packed, and from
standard input, and counts the same samples in all of them.
"""
import gzip
import json
import os
import re
import subprocess
import tempfile

from lib import PERFOLIO, check, done, need_program, program, run, run_perf


def perfolio(*words, stdin=None):
    return subprocess.run([PERFOLIO, *words], stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, timeout=300)


def text_of(*words, **options):
    return perfolio(*words, **options).stdout.decode(errors="replace")


# What each command says of the number of samples, given how it is told of the file.
def folded(*words, **options):
    return sum(int(line.rsplit(" ", 1)[1]) for line in
               text_of("fold", "--weight", "samples", *words, **options).splitlines())


def flamed(*words, **options):
    found = re.search(r"([\d,]+) (?:samples?|counts) in all", text_of("flame", "--idle", "-o", "-", *words, **options))
    return int(found[1].replace(",", "")) if found else None


def exported(*words, **options):
    return sum(int(line.split(",")[3]) for line in
               text_of("export", "--format", "csv", *words, **options).splitlines()[1:] if line[:1] != "#")


def queried(*words, **options):
    if words[0] == "-i":
        words = (*words, "top")
    else:
        words = (words[0], "top", *words[1:])
    return json.loads(text_of("query", *words, **options) or "{}").get("samples")


def reported(*words, **options):
    found = json.loads(text_of("report", "--json", "-g", "none", *words, **options) or '{"events": []}')
    return sum(event["samples"] for event in found["events"])


def scripted(*words, **options):
    text = text_of("script", *words, **options)
    return len([block for block in text.split("\n\n") if block.strip()])


def examined(*words, **options):
    return json.loads(text_of("doctor", "--json", *words, **options) or "{}").get("samples")


COMMANDS = {"fold": folded, "flame": flamed, "export": exported, "query": queried, "report": reported,
            "script": scripted, "doctor": examined}


def forms(folder, path):
    """The same samples in every form: name and file."""
    made = {"perf.data": path}
    # A pprof holds two values a sample: how many it stands for, and their time.
    for name, words in (("text", ("script", path)), ("folded", ("fold", "--weight", "samples", path)),
                        ("pprof", ("export", "--format", "pprof", path))):
        made[name] = os.path.join(folder, "in." + name)
        with open(made[name], "wb") as file:
            file.write(perfolio(*words).stdout)
    for name in ("perf.data", "text", "folded"):
        with open(made[name], "rb") as file, gzip.open(os.path.join(folder, f"in.{name}.gz"), "wb") as packed:
            packed.write(file.read())
        made[name + ".gz"] = os.path.join(folder, f"in.{name}.gz")
    run(["zstd", "-q", path, "-o", os.path.join(folder, "in.zst")])
    made["perf.data.zst"] = os.path.join(folder, "in.zst")
    return made


def main():
    need_program("perf")
    need_program("zstd")
    with tempfile.TemporaryDirectory(prefix="perfolio-door-") as folder:
        path = os.path.join(folder, "perf.data")
        made = run_perf("record", "-q", "-e", "cpu-clock", "-F", "199", "-g", "-o", path, program("steady"), "200")
        check(made.returncode == 0, "perf records", made.stderr)
        count = len([block for block in run_perf("script", "-i", path).stdout.split("\n\n") if block.strip()])
        check(count > 10, f"{count} samples")
        for form, file in forms(folder, path).items():
            for command, samples in COMMANDS.items():
                one = ("-e", "cpu-clock") if form == "pprof" and command in ("export", "report", "script") else ()
                check((got := samples("-i", file, *one)) == count, f"{command} -i {form}", got)
                check((got := samples(file, *one)) == count, f"{command} {form}", got)
                with open(file, "rb") as stdin:
                    check((got := samples("-", *one, stdin=stdin)) == count, f"{command} - < {form}", got)
                with subprocess.Popen(["cat", file], stdout=subprocess.PIPE) as cat:
                    check((got := samples("-i", "-", *one, stdin=cat.stdout)) == count,
                          f"cat {form} | {command} -i -", got)
        with open(os.path.join(folder, "pipe.data"), "wb") as file:
            subprocess.run([PERFOLIO, "record", "-q", "-e", "cpu-clock", "-F", "199", "-g", "-o", "-", "--",
                            program("steady"), "200"], stdout=file, stderr=subprocess.DEVNULL, check=False)
        file = os.path.join(folder, "pipe.data")
        count = scripted("-i", file)
        check(count > 10, f"{count} samples of a pipe")
        for command, samples in COMMANDS.items():
            check((got := samples("-i", file)) == count, f"{command} -i pipe.data", got)
            with subprocess.Popen(["cat", file], stdout=subprocess.PIPE) as cat:
                check((got := samples("-i", "-", stdin=cat.stdout)) == count, f"cat pipe.data | {command} -i -", got)
    done()


main()
