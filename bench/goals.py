# SPDX-License-Identifier: Apache-2.0
"""What a benchmark has to reach, checked on medians and printed beside them."""
import statistics


class NotCompared(Exception):
    """Something that a benchmark needs is not to be had here."""


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


class AtLeast:
    """Our own figure, where more is better."""

    def __init__(self, what, figure, limit, unit):
        self.what, self.figure, self.limit, self.unit = what, figure, limit, unit

    def check(self, runs):
        got = median(runs["perfolio"], self.figure)
        return (f"{self.what}: {got:,.1f} {self.unit}, goal at least {self.limit:,} {self.unit}: "
                f"{verdict(got >= self.limit)}")


class TimesLess:
    """The peer's figure by ours; a peer that was stopped would have had more."""

    def __init__(self, what, figure, times, ours="perfolio", peer="perf"):
        self.what, self.figure, self.times = what, figure, times
        self.ours, self.peer = ours, peer

    def check(self, runs):
        if self.peer not in runs:
            return f"{self.what}: not compared, {self.peer} is not here"
        got = median(runs[self.peer], self.figure) / median(runs[self.ours], self.figure)
        more = "more than " if "stopped" in runs[self.peer][-1] else ""
        return (f"{self.what}: {more}{got:,.1f} times less than {self.peer}, goal {self.times}: "
                f"{verdict(got >= self.times)}")


class ColdNearWarm:
    """The first run, which keeps what it read, against later ones."""

    def __init__(self, what, times):
        self.what, self.times = what, times

    def check(self, runs):
        times = median(runs["perfolio"], "cpu_ms") / median(runs["warm"], "cpu_ms")
        return (f"{self.what}, cold against warm: {times:.2f} times, goal at most {self.times}: "
                f"{verdict(times <= self.times)}")


class WarmTimesLess(TimesLess):
    """The same of our later runs."""

    def check(self, runs):
        return super().check({**runs, "perfolio": runs["warm"]})


def cold_and_warm(perfolio, scratch, arguments):
    """The commands of a benchmark that runs both with an empty cache and with what that left."""
    cache = f"{scratch}/cache"
    ours = f"exec {perfolio} {arguments} >/dev/null"
    return {
        "perfolio": ["sh", "-c", f"rm -rf {cache}; XDG_CACHE_HOME={cache} {ours}"],
        "warm": ["sh", "-c", f"XDG_CACHE_HOME={cache} {ours}"],
        "perf": ["sh", "-c", f"exec perf {arguments} >/dev/null 2>&1"],
    }
