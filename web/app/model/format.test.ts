// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { ago, bytes, count, duration, exact, grouped, moment, seconds, short } from "./format";

test("numbers are grouped, also those past 2^53", () => {
	expect(grouped(1234567)).toBe("1,234,567");
	expect(grouped(999)).toBe("999");
	expect(grouped("9007199254740993")).toBe("9,007,199,254,740,993");
	expect(count(1, "run")).toBe("1 run");
	expect(count(1200, "process", "processes")).toBe("1,200 processes");
});

test("small places get short numbers", () => {
	expect(short(0)).toBe("0");
	expect(short(1234)).toBe("1,234");
	expect(short(12345)).toBe("12.3 k");
	expect(short(2e6)).toBe("2 M");
	expect(short(1234567890)).toBe("1.23 G");
	expect(short(0.25)).toBe("0.25");
});

test("times have units that fit", () => {
	expect(duration(0)).toBe("0.00 s");
	expect(duration(0.0042)).toBe("4.2 ms");
	expect(duration(1.5)).toBe("1.50 s");
	expect([59.96, 75.4, 3599.4].map(duration)).toEqual(["60 s", "75 s", "59 min 59 s"]);
	expect(duration(3725)).toBe("1 h 02 min");
	expect([0, 0.00002049, 0.02049, 0.99996, 9.393, 12.3456].map(exact)).toEqual(["0 s", "20.49 us", "20.49 ms", "1 s", "9.393 s", "12.35 s"]);
	expect([119.4, 125, 3599.4, 3600, 7325].map(exact)).toEqual(["119.4 s", "2 min 05 s", "59 min 59 s", "1 h 00 min", "2 h 02 min"]);
	expect(moment(1.23456, 10)).toBe("1.23 s");
	expect(bytes(1536)).toBe("1.5 KiB");
	expect(bytes("5368709120")).toBe("5.0 GiB");
});

test("differences of large times keep their digits", () => {
	expect(seconds("1763216912000000500", "1763216912000000000")).toBe(5e-7);
	expect(seconds("2500000000")).toBe(2.5);
});

test("the past is told roughly", () => {
	const now = 1_700_000_000_000;
	const then = (back: number) => String(BigInt(now - back * 1000) * 1_000_000n);
	expect(ago(then(5), now)).toBe("just now");
	expect(ago(then(300), now)).toBe("5 min ago");
	expect(ago(then(7200), now)).toBe("2 h ago");
	expect(ago(then(3 * 86400), now)).toBe("3 days ago");
});
