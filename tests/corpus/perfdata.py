#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our reading of everybody's recordings against perf 6.1's.

For each recording: samples per event and records per type, the text of `script` with perf's flags,
and the header.  Where perf is wrong, or its reference is of something else, the difference is proved
here, file by file; anything else is a failure.
"""
import collections
import os
import re
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
from lib import PERFOLIO, check, done, run  # noqa: E402
from corpus import PERFDATA, need_corpus, notes, recordings, reference  # noqa: E402

LINES = 200  # what a reference holds of the text


def script(name, *options, cwd=None):
    result = run([PERFOLIO, "script", "-i", os.path.join(PERFDATA, name), *options], timeout=300,
                 cwd=cwd, encoding="latin1")
    return result.stdout, result.stderr, result.returncode


def table(text):
    """Lines "COUNT<tab>NAME" as {name: count}."""
    rows = (line.split("\t", 1) for line in text.splitlines() if line)
    return {name: int(count) for count, name in rows}


def records(data, at, end):
    """(offset, type, size) of the records in a stretch of a file, as far as they make sense."""
    while at + 8 <= min(end, len(data)):
        kind, _, size = struct.unpack_from("<IHH", data, at)
        if size < 8:
            return
        yield at, kind, size
        at += size


def file_records(name):
    with open(os.path.join(PERFDATA, name), "rb") as file:
        data = file.read()
    offset, size = struct.unpack_from("<QQ", data, 40)
    return data, list(records(data, offset, offset + size))


def scanned(name):
    """The manifest's own count of a recording's records, by perf's names."""
    found = re.search(r"records=([^;]*)", NOTES[name])
    rename = {"HEADER_ATTR": "ATTR", "HEADER_FEATURE": "FEATURE", "HEADER_BUILD_ID": "BUILD_ID"}
    pairs = (entry.rsplit(":", 1) for entry in found.group(1).split(",") if ":" in entry)
    return {"PERF_RECORD_" + rename.get(kind, kind): int(count) for kind, count in pairs
            if not re.fullmatch(r"T\d+", kind)}


# Differences between a reference and the truth.  Each takes the wanted counts and gives them
# corrected, after it has shown that the correction is due.

def cut_record(name, want):
    """perf maps the file and reads the last record from the zeros behind its end."""
    data, found = file_records(name)
    at, kind, size = [row for row in found if row[0] < len(data)][-1]
    assert kind == 10 and at + size > len(data), "the last MMAP2 is whole"
    return {**want, "PERF_RECORD_MMAP2": want["PERF_RECORD_MMAP2"] - 1}


def perf_gave_up(name, want):
    """perf ended with an error in the middle; the manifest's scan went on."""
    errors = reference(name, "perf_errors.txt")
    assert "failed to process" in errors or "bad event header size" in errors, errors
    truth = scanned(name)
    assert all(truth.get(kind, 0) >= count for kind, count in want.items()), "perf saw more"
    return truth


def rounds_dropped(name, want):
    """The reference is of a copy with the compression undone, which left the rounds out."""
    assert "REFERENCE FROM A DERIVED COPY" in NOTES[name] and "expanded" in NOTES[name]
    rounds = scanned(name).get("PERF_RECORD_FINISHED_ROUND")
    return {**want, "PERF_RECORD_FINISHED_ROUND": rounds} if rounds else want


COUNTS_EXPLAINED = {
    "hiperf__test_fuzztest_resource_testdata_report_test.data": cut_record,
    "lpd__fibo.compressed2.pipe.data": rounds_dropped,
    "lpd__sleep.compressed.data": rounds_dropped,
    "lpd__sleep.compressed2.pipe.data": rounds_dropped,
    "perfparser__cpp-inlining_cpp-inlining.perf.data": rounds_dropped,
    "quipper__perf.data.piped.intel_pt-4.14": perf_gave_up,
    "simpleperf__perf_with_callchain_record.data": perf_gave_up,
}


def check_counts(name):
    text, errors, status = script(name, "-D")
    found = re.findall(r"^[^\n]*\]: (PERF_RECORD_\w+)", text, re.M)
    got = dict(collections.Counter(found))
    want = reference(name, "records_by_type.tsv")
    if want is not None:
        want = table(want)
        if name in COUNTS_EXPLAINED:
            want = COUNTS_EXPLAINED[name](name, want)
        check(got == want, f"{name}: records by type", f"got {got}", f"want {want}", errors)
    want = reference(name, "samples_by_event.tsv")
    if want is not None:
        text, errors, status = script(name, "-G", "-F", "event")
        got = collections.Counter(line.strip()[:-1] for line in text.splitlines())
        check(status == 0 and dict(got) == table(want), f"{name}: samples by event",
              f"got {dict(got)}", f"want {table(want)}", errors)


def read_past_the_record(name, lines):
    """
    A call chain by branch records with no branch in it: perf prints the first branch's target all
    the same, and finds there the second word of the next record.
    """
    data, found = file_records(name)
    stray = []
    for at, _, size in (row for row in found if row[1] == 9):
        chain = struct.unpack_from("<Q", data, at + 40)[0]  # behind header, ip, tid, time, period
        branches = struct.unpack_from("<Q", data, at + 48 + 8 * chain)[0]
        stray.append(None if branches else struct.unpack_from("<Q", data, at + size + 8)[0])
    kept, sample = [], -1
    for line, following in zip(lines, lines[1:] + [""]):
        sample += bool(line) and not line.startswith("\t")
        last = line and not following
        if last and stray[sample] is not None:
            # As an address, or as an offset in what is mapped there, page by page.
            assert (int(line.split()[0], 16) - stray[sample]) % 4096 == 0, line
        else:
            kept.append(line)
    return kept


LINES_EXPLAINED = {
    "perfparser__vector_static_gcc_perf.lbr.data": read_past_the_record,
}


def check_text(name, empty, totals):
    want = reference(name, "script200.txt")
    if want is None:
        return
    want = want.splitlines()
    command = reference(name, "script200.cmd").split("(rc=")[0].split()[2:]
    command = [empty if word == "EMPTY" else word for word in command]
    text, errors, status = script(name, *command)
    whole = len(want) < LINES
    if name in LINES_EXPLAINED:
        want = LINES_EXPLAINED[name](name, want)
    got = text.splitlines()
    got = got if whole else got[:len(want)]
    same = sum(a == b for a, b in zip(got, want))
    totals[0] += same
    totals[1] += len(want)
    wrong = next(((a, b) for a, b in zip(got, want) if a != b), None)
    check(status == 0 and len(got) == len(want) and same >= 0.95 * len(want),
          f"{name}: {same} of {len(want)} lines of text", f"{len(got)} lines", errors, wrong)


# Lines of the header that can't be the same, and why.

def of_a_copy(name, line):
    assert "expanded" in NOTES[name]
    return line.startswith(("# data size", "# feat offset"))


def perf_stopped_reading(_name, line):
    """CPUDESC is empty in this file; perf takes none of the features behind it."""
    return line.startswith(("# cpudesc", "# total memory", "# cmdline", "# pmu mappings"))


HEADERS_EXPLAINED = {
    "lpd__sleep.compressed.data": of_a_copy,
    "perfparser__cpp-inlining_cpp-inlining.perf.data": of_a_copy,
    "quipper__perf.data.armv7.perf_3.14-3.8": perf_stopped_reading,
}


def check_header(name):
    want = reference(name, "header.txt")
    if want is None:
        return
    explained = HEADERS_EXPLAINED.get(name, lambda *_: False)

    def kept(text):
        return [line for line in text.splitlines()
                if not line.startswith("# captured on") and not explained(name, line)]

    text, errors, _ = script(name, "--header-only")
    wrong = [(a, b) for a, b in zip(kept(text), kept(want)) if a != b]
    check(kept(text) == kept(want), f"{name}: header", errors, wrong[:3])


need_corpus()
NOTES = notes()
TOTALS = [0, 0]
with tempfile.TemporaryDirectory() as nothing:
    for recording in recordings():
        check_counts(recording)
        check_text(recording, nothing, TOTALS)
        check_header(recording)
check(TOTALS[0] >= 0.99 * TOTALS[1], f"{TOTALS[0]} of {TOTALS[1]} lines of text in all")
done()
