// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Counters } from "../api/schema";
import { addRows, clampRange, curvesOf, cutTail, emptyTail, toCsv, toSvg, zoomRange } from "./lines";

const COUNTERS: Counters = {
	run: 1, events: ["faults", "a<b"], cpus: [], start_ns: "9007199254740993000", interval_ns: "100000000", first_ns: "9007199254840993000", last_ns: "9007199254940993000",
	from_ns: "0", to_ns: "0", points: 4, down_sampled: false, running: true, t: [1e8, 2e8],
	lines: [
		{ event: "faults", index: 0, cpu: -1, total: "30", points: 2, share_counted: 1, min: [10, 20], max: [10, 20], mean: [10, 20] },
		{ event: "a<b", index: 1, cpu: -1, total: "3", points: 2, share_counted: 0.5, min: [1, null], max: [1, null], mean: [1, null] },
	],
	ratios: [{ name: "IPC", unit: "per cycle", of: "a", by: "b", cpu: -1, min: [1, 2], max: [1, 2], mean: [1, 2] }],
};

function row(ticks: number, event: number, value: number, share = 1): (string | number)[] {
	return [String(9007199254740993000n + BigInt(ticks) * 100000000n), event, -1, String(value), "100", String(100 * share)];
}

test("counts of an interval become rates", () => {
	const curves = curvesOf(COUNTERS);
	expect(curves.x).toEqual([0.1, 0.2]);
	expect(curves.lines[0]!.mean).toEqual([100, 200]);
	expect(curves.lines[1]!.mean).toEqual([10, null]);
	expect(curves.lines[1]!.shared).toBe(true);
	expect(curves.lines[2]!.mean).toEqual([1, 2]);
});

test("rows of the stream go on where the answer ends, none twice", () => {
	const tail = emptyTail();
	addRows(tail, [row(2, 0, 20), row(2, 1, 1), row(3, 0, 30), row(3, 1, 5, 0.5), [...row(3, 0, 7).slice(0, 2), 4, "7", "1", "1"]], COUNTERS.start_ns);
	const curves = curvesOf(COUNTERS, tail);
	expect(curves.x.map((x) => x.toFixed(3))).toEqual(["0.100", "0.200", "0.300"]);
	expect(curves.lines[0]!.mean).toEqual([100, 200, 300]);
	expect(curves.lines[1]!.mean).toEqual([10, null, 100]); // scaled: it counted half of the time
	expect(curves.lines[2]!.mean).toEqual([1, 2, null]);
	expect(cutTail(tail, 0.25).x).toHaveLength(1);
	expect(cutTail(tail, 0.3).x).toHaveLength(0);
});

test("ranges stay within the run", () => {
	expect(clampRange(-1, 1, 0, 10)).toEqual([0, 2]);
	expect(clampRange(9, 11, 0, 10)).toEqual([8, 10]);
	expect(clampRange(-5, 20, 0, 10)).toEqual([0, 10]);
	expect(zoomRange([0, 10], 5, 0.5)).toEqual([2.5, 7.5]);
	expect(zoomRange([0, 10], 0, 0.5)).toEqual([0, 5]);
});

test("saved files hold what is seen", () => {
	const curves = curvesOf(COUNTERS);
	expect(toCsv(curves, [0.15, 1])).toBe("seconds,faults a second,a<b a second,IPC per cycle\n0.200000,200,,2\n");
	const svg = toSvg(curves, [0, 0.2], ["#000"], "x & y");
	expect(svg).toContain("a&#60;b");
	expect(svg).not.toContain("a<b");
	expect(svg.match(/<polyline/g)).toHaveLength(3);
});
