// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { counterWords, expectations } from "./plan";

const DISK = { used: 0, quota: 0, room: true, reason: "" };

test("a run with a limit has totals, one without has rates", () => {
	const expected = { seconds: 3600, samples: 360000, bytes: 36 << 20, overhead: 0.004 };
	expect(expectations({ expected, disk: DISK }, true)).toEqual([["samples", "about 360,000"], ["size", "about 36.0 MiB"], ["overhead", "about 0.4 %"], ["for", "1 h 00 min"]]);
	expect(expectations({ expected, disk: DISK }, false)).toEqual([["samples", "about 100 a second"], ["size", "about 614 KiB a minute"], ["overhead", "about 0.4 %"], ["for at most", "1 h 00 min"]]);
	expect(expectations({ expected: { seconds: null, samples: null, bytes: null, overhead: null }, disk: { ...DISK, used: 1024, quota: 2048 } }, true)).toEqual([["disk", "1.0 KiB of 2.0 KiB"]]);
});

test("counters that don't fit are told as turns", () => {
	expect(counterWords(null)).toEqual([]);
	expect(counterWords({ needed: 0, general: 4 })[0]).toContain("No hardware counter");
	expect(counterWords({ needed: 2, general: 4, fixed: 3, passes: 1, events: [] })).toHaveLength(1);
	expect(counterWords({ needed: 9, general: 4, fixed: 0, passes: 3, events: [{ shares: true }, { shares: true }] })[1]).toContain("2 would share a counter");
});

test("what can't be counted is said, and is not said to need no counter", () => {
	const event = { name: "cycles", need: "unavailable", why: "no counters" };
	expect(counterWords({ needed: 0, events: [event] })).toEqual(["cycles can't be measured here (no counters)"]);
	expect(counterWords({ needed: 0, events: [event] }, ["cycles is left out"])).toEqual([]);
	expect(counterWords({ needed: 0, events: [event, { name: "faults", need: "none" }] })[1]).toBe("No hardware counter needed: the kernel counts the others");
});
