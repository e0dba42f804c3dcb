// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { counterWords, expectations } from "./plan";

const DISK = { used: 0, quota: 0, room: true, reason: "" };

test("a run with a limit has totals, one without has rates", () => {
	const expected = { seconds: 3600, samples: 360000, bytes: 36 << 20, overhead: 0.004, overhead_error: 0.001 };
	expect(expectations({ expected, disk: DISK }, true)).toEqual([["samples", "at most 360,000"], ["size", "at most 36.0 MiB"], ["overhead", "0.4 ± 0.1 %"], ["for", "1 h 00 min"]]);
	expect(expectations({ expected, disk: DISK }, false)).toEqual([["samples", "at most 100 per second"], ["size", "at most 614 KiB per minute"], ["overhead", "0.4 ± 0.1 %"], ["for at most", "1 h 00 min"]]);
	expect(expectations({ expected, disk: DISK }, false, true)[1]).toEqual(["size", "at most 614 KiB per minute; shallow stacks take less"]);
	expect(expectations({ expected: { seconds: null, samples: null, bytes: null, overhead: null, overhead_error: null }, disk: { ...DISK, used: 1024, quota: 2048 } }, true)).toEqual([["disk", "1.0 KiB of 2.0 KiB"]]);
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

test("an overhead that is hardly known is a bound", () => {
	const words = (overhead: number, overhead_error: number) => expectations({ expected: { seconds: 1, samples: null, bytes: null, overhead, overhead_error }, disk: DISK }, true)[0]![1];
	expect(words(0.001, 0.0008)).toBe("at most 0.2 %");
	expect(words(0.0001, 0.0002)).toBe("below 0.05 %");
	expect(words(0.2, 0.01)).toBe("20 ± 1 %");
	expect(words(0.6, 0.01)).toBe("programs take at least 2.5 times as long");
	expect(words(1.09, 0.01)).toBe("programs take at least 20.0 times as long");
});
