# SPDX-License-Identifier: Apache-2.0
"""What a benchmark has to reach, checked on medians and printed beside them."""
import statistics


def median(runs, figure):
    return statistics.median(run[figure] for run in runs)


def verdict(met):
    return "reached" if met else "NOT REACHED"


class AtMost:
    """Our own figure; for a wall time the CPU time beside it, which a busy machine changes less."""

    def __init__(self, what, figure, limit, unit, cpu=None):
        self.what, self.figure, self.limit, self.unit = what, figure, limit, unit
        self.cpu = cpu

    def check(self, runs):
        got = median(runs["perfolio"], self.figure)
        cpu = f" ({median(runs['perfolio'], self.cpu):,.1f} of CPU time)" if self.cpu else ""
        return (f"{self.what}: {got:,.1f} {self.unit}{cpu}, goal at most {self.limit:,} {self.unit}: "
                f"{verdict(got <= self.limit)}")


class TimesLess:
    """The peer's figure by ours; a peer that was stopped would have had more."""

    def __init__(self, what, figure, times):
        self.what, self.figure, self.times = what, figure, times

    def check(self, runs):
        got = median(runs["perf"], self.figure) / median(runs["perfolio"], self.figure)
        more = "more than " if "stopped" in runs["perf"][-1] else ""
        return (f"{self.what}: {more}{got:,.1f} times less than perf, goal {self.times}: "
                f"{verdict(got >= self.times)}")
