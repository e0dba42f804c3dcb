# SPDX-License-Identifier: Apache-2.0
"""
A case of the lab: a shell script for the guest and a function that judges what it printed.

    @case("counts of a loop", "perfolio stat -x, -e instructions:u spin 1000")
    def loop(judge):
        judge.equal("instructions:u", 4028, judge.stat()["instructions:u"].count)
"""

from typing import NamedTuple


class Case:
    all = []

    def __init__(self, title, script, judge, boot, short):
        self.title, self.script, self.judge = title, script, judge
        self.boot, self.short, self.name = boot, short, judge.__name__.replace("_", "-")
        Case.all.append(self)


def case(title, script, boot="even", short=True):
    """Registers a case; short=False leaves it to the full run."""
    def register(judge):
        Case(title, script, judge, boot, short)
        return judge
    return register


class Result(NamedTuple):
    case: Case
    what: str
    expected: str
    got: str
    ok: bool
    evidence: str  # what the guest printed


class Row(NamedTuple):
    """A line of stat -x, as perf lays it out."""
    before: list  # columns ahead of the count: time of -I, thread, CPU
    count: object  # int, float, or None for <not counted> and <not supported>
    text: str  # the count as printed
    unit: str
    event: str
    running_ns: int
    share: float  # percent of the time it was counted
    metric: str
    metric_unit: str


def parse_row(line, before=0, separator=","):
    cells = line.split(separator)
    head, cells = cells[:before], cells[before:] + [""] * 7
    text = cells[0]
    try:
        count = float(text) if "." in text else int(text)
    except ValueError:
        count = None
    return Row(head, count, text, cells[1], cells[2], int(cells[3] or 0), float(cells[4] or 0),
               cells[5], cells[6])


def figure(value):
    if isinstance(value, float):
        return "{:,.4g}".format(value) if abs(value) < 1000 else "{:,.0f}".format(value)
    return "{:,}".format(value) if isinstance(value, int) else str(value)


class Judge:
    """What one case printed, and the checks made on it."""

    def __init__(self, case, path):
        self.case, self.results = case, []
        self.out = path.with_suffix(".out").read_text(errors="replace")
        self.err = path.with_suffix(".err").read_text(errors="replace")
        self.status = int(path.with_suffix(".rc").read_text())

    # ---- reading -------------------------------------------------------------------------------

    def rows(self, before=0, text=None):
        """The lines of stat -x, in order; stat writes them to standard error."""
        lines = (self.err if text is None else text).splitlines()
        return [parse_row(line, before) for line in lines
                if line.count(",") >= 4 + before and not line.startswith("#")]

    def stat(self, text=None):
        """The same by event."""
        return {row.event: row for row in self.rows(text=text)}

    def part(self, name):
        """What stands after the line `== NAME` that the script printed, both streams."""
        for stream in (self.out, self.err):
            if "== %s\n" % name in stream:
                return stream.partition("== %s\n" % name)[2].partition("\n== ")[0]
        raise ValueError("no part %s" % name)

    # ---- judging -------------------------------------------------------------------------------

    def holds(self, what, expected, got, ok):
        evidence = "$ %s\n%s%s[%d]" % (self.case.script, self.out[-2000:], self.err[-2000:],
                                      self.status)
        self.results.append(Result(self.case, what, figure(expected), figure(got), bool(ok),
                                   evidence))

    def equal(self, what, expected, got):
        self.holds(what, expected, got, got == expected)

    def near(self, what, expected, got, percent):
        """Within so many percent; a count that is missing fails."""
        ok = got is not None and abs(got - expected) <= abs(expected) * percent / 100
        self.holds(what, "%s ± %g %%" % (figure(expected), percent), got, ok)

    def between(self, what, low, high, got):
        self.holds(what, "%s to %s" % (figure(low), figure(high)), got,
                   got is not None and low <= got <= high)

    def says(self, what, words, text):
        """The text holds the words, whatever their case."""
        lines = [" ".join(line.split()) for line in text.splitlines()]
        line = next((line for line in lines if words.lower() in line.lower()), None)
        self.holds(what, '"%s"' % words, line or "not said", line is not None)
