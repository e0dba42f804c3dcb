// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Counters, CountersHistogram } from "../api/schema";
import { pieces } from "./columns";
import { histogramCsv, samplesCsv } from "./csv";
import { curvesOf, growthOf, inRange, linesOf, meanOf, momentOf, tableOf, toCsv, totalOf, toSvg } from "./lines";
import { countUnit, levels, roundTop, totalWords } from "./units";
import { clampRange, zoomRange } from "./view";

const COUNTERS: Counters = {
	run: 1, events: ["faults", "a<b"], units: ["", ""], scales: [1, 1], resets: [], pauses: [], cpus: [], start_ns: "9007199254740993000", interval_ns: "100000000", first_ns: "9007199254840993000", last_ns: "9007199254940993000",
	from_ns: "9007199254740993000", to_ns: "9007199254940993001", points: 4, down_sampled: false, running: true, per: "second", t: [1e8, 2e8], length: [1e8, 1e8],
	lines: [
		{ event: "faults", index: 0, cpu: -1, total: "30", points: 2, share_counted: 1, min: [], max: [], mean: [100, 200] },
		{ event: "a<b", index: 1, cpu: -1, total: "3", points: 2, share_counted: 0.5, min: [], max: [], mean: [10, null] },
	],
	ratios: [{ name: "IPC", unit: "per cycle", of: "faults", by: "a<b", cpu: -1, min: [], max: [], mean: [10, null] }],
};

function row(ticks: number, event: number, value: number, cpu = -1): (string | number)[] {
	return [String(9007199254740993000n + BigInt(Math.round(ticks * 100000000))), event, cpu, String(value), "100", "50"];
}

const rounded = (values: Iterable<number>) => [...values].map((value) => Number(value.toFixed(6)));

test("an answer becomes columns", () => {
	const { lines, sources: [columns] } = curvesOf(COUNTERS);
	expect(rounded(columns!.x)).toEqual([0.1, 0.2]);
	expect(rounded(columns!.tracks[0]!.mean)).toEqual([100, 200]);
	expect(rounded(columns!.tracks[1]!.mean)).toEqual([10, NaN]);
	expect(lines.map(({ shared }) => shared)).toEqual([false, true, false]);
	expect(rounded(columns!.tracks[2]!.mean)).toEqual([10, NaN]);
});

test("clocks are in ms, and ratios of one kind are told apart", () => {
	const line = COUNTERS.lines[0]!;
	const ratio = COUNTERS.ratios[0]!;
	const made = linesOf({ ...COUNTERS, events: ["task-clock:u", "faults"], lines: [{ ...line, event: "task-clock:u", mean: [5e8] }, { ...line, index: 1, cpu: 3 }], ratios: [{ ...ratio, of: "instructions:u" }, { ...ratio, of: "instructions:k" }] });
	expect(made.map(({ name }) => name)).toEqual(["task-clock:u", "faults CPU 3", "IPC of instructions:u", "IPC of instructions:k"]);
	expect(made[0]!.unit.sign).toBe(" ms/s");
	expect(5e8 * made[0]!.unit.factor).toBeCloseTo(500);
	expect(made[1]!.plot).toBe("faults");
});

const JOULES = 2 ** -32; // what the kernel says of power/energy-pkg/

test("an event with a scale is told in its unit: hover, table, CSV and total", () => {
	const energy: Counters = { ...COUNTERS, events: ["power/energy-pkg/", "a<b"], units: ["Joules", "MiB"], scales: [JOULES, 0.5], lines: COUNTERS.lines.map((line, at) => ({ ...line, event: at ? "a<b" : "power/energy-pkg/", total: at ? "3" : String(60 * 2 ** 32), mean: at ? [10, null] : [200 * 2 ** 32, 400 * 2 ** 32] })), ratios: [] };
	const curves = curvesOf(energy);
	expect(rounded(curves.sources[0]!.tracks[0]!.mean)).toEqual([200, 400]);
	expect(curves.lines.map(({ unit }) => unit.words)).toEqual(["watts: Joules per second", "MiB per second"]);
	expect(curves.lines.map(({ unit }) => unit.sign)).toEqual([" W", " MiB/s"]);
	expect(totalOf(curves, 0)).toBe("60 Joules in all");
	expect(totalOf(curves, 1)).toBe("1.5 MiB in all");
	const [head, first] = toCsv(curves, [0, 0.2]).split("\n");
	expect(head).toBe("seconds,power/energy-pkg/ watts: Joules per second,a<b MiB per second");
	expect(first).toBe("0.100000,200,5");
	const growth = growthOf(energy, curves);
	growth.add([row(3, 0, 30 * 2 ** 32), row(3, 1, 2), row(4, 0, 0), row(4, 1, 0)]);
	expect(rounded(growth.whole.tracks[0]!.mean.subarray(2, 3))).toEqual([300]);
	curves.gained = growth.gained;
	expect(totalOf(curves, 0)).toBe("90 Joules in all");
	expect(countUnit({ event: "power/energy-pkg/", unit: "Joules", scale: JOULES })).toEqual({ words: "Joules", sign: " Joules", factor: JOULES });
	expect(totalWords({ event: "task-clock", unit: "msec", scale: 1e-6 }, "1234000000")).toBe("1.234 s");
	expect(totalWords({ event: "faults", unit: "", scale: 1 }, "12345678901234567")).toBe("12,345,678,901,234,567");
});

test("totals begin anew at a reset, and go on with the stream", () => {
	const curves = curvesOf({ ...COUNTERS, resets: ["9007199254790993000", "9007199254840993000"] });
	expect(rounded(curves.resets)).toEqual([0.05, 0.1]);
	expect(totalOf(curves, 0)).toBe("30 since the reset at 0.10 s");
	const growth = growthOf(COUNTERS, curves);
	curves.gained = growth.gained;
	growth.add([row(2, 0, 20), row(2, 1, 1)]); // known already
	growth.add([row(3, 0, 12), row(3, 1, 5), row(4, 0, 0), row(4, 1, 0)]);
	expect(totalOf(curves, 0)).toBe("42 since the reset at 0.10 s");
	expect(totalOf(curves, 2)).toBe(""); // a ratio
});

test("rows of the stream go on where the answer ends, none twice, values as the API has them", () => {
	const growth = growthOf(COUNTERS, curvesOf(COUNTERS));
	growth.add([row(2, 0, 20), row(2, 1, 1), row(3, 0, 30), row(3, 1, 5), row(4, 0, 8)]);
	expect(rounded(growth.whole.x.subarray(0, growth.whole.length))).toEqual([0.1, 0.2, 0.3]); // 0.4 is not complete
	growth.add([row(4, 1, 2)]);
	expect(growth.whole.length).toBe(4);
	expect(rounded(growth.whole.tracks[0]!.mean.subarray(0, 4))).toEqual([100, 200, 300, 80]);
	expect(rounded(growth.whole.tracks[1]!.mean.subarray(0, 4))).toEqual([10, NaN, 50, 20]);
	expect(rounded(growth.whole.tracks[2]!.mean.subarray(0, 4))).toEqual([10, NaN, 6, 4]);
});

test("what comes late counts for a longer time", () => {
	const growth = growthOf(COUNTERS, curvesOf(COUNTERS));
	growth.add([row(6, 0, 40), row(6, 1, 4), row(7, 0, 10), row(7, 1, 1)]);
	expect(rounded(growth.whole.tracks[0]!.mean.subarray(2, 4))).toEqual([100, 100]);
});

test("a pause is a gap and not zeros, and a part of an interval no rate of its own", () => {
	const growth = growthOf(COUNTERS, curvesOf(COUNTERS));
	growth.add([row(3, 0, 10), row(3, 1, 1), row(3.2, 0, 2), row(3.2, 1, 1), row(3.2, -2, 0)]); // paused
	growth.add([row(4, 0, 0), row(4, 1, 0), row(4.8, 0, 0), row(4.8, 1, 0), row(4.8, -3, 0)]); // goes on
	growth.add([row(5, 0, 2), row(5, 1, 1), row(6, 0, 10), row(6, 1, 1), row(7, 0, 10), row(7, 1, 1)]);
	expect(rounded(growth.recent.x.subarray(0, growth.recent.length))).toEqual([0.3, 0.32, 0.4, 0.48, 0.6, 0.7]);
	expect(rounded(growth.recent.tracks[0]!.mean.subarray(0, 6))).toEqual([100, 100, NaN, NaN, 100, 100]);
	expect(growth.gained[0]).toBe(34);
});

test("of a paused run that is said of its totals, and its curve has a gap", () => {
	const start = 9007199254740993000n;
	const curves = curvesOf({ ...COUNTERS, pauses: [[String(start), String(start + 1500000000n)]], t: [1e8, 2e8, 3e8], length: [1e8, 1e8, 1e8], to_ns: String(start + 300000001n), lines: [{ ...COUNTERS.lines[0]!, mean: [100, null, 200] }], ratios: [] });
	expect(totalOf(curves, 0)).toBe("30 in all but the 1.5 s that it was paused");
	expect(toSvg(curves, [0, 0.3], ["#000000"], "x").match(/ d="M[^"]*M[^"]*"/g)).toHaveLength(1);
});

test("means go by time, those of ratios by what both counted", () => {
	const curves = curvesOf({ ...COUNTERS, t: [1e8, 4e8], length: [1e8, 3e8], to_ns: "9007199255140993001", lines: COUNTERS.lines.map((line, at) => ({ ...line, mean: at ? [10, 50] : [100, 200] })), ratios: [{ ...COUNTERS.ratios[0]!, mean: [10, 4] }] });
	const found = inRange(curves, [0, 0.4]);
	expect(meanOf(curves, found, 0)).toBeCloseTo((100 * 0.1 + 200 * 0.3) / 0.4);
	expect(meanOf(curves, found, 2)).toBeCloseTo((100 * 0.1 + 200 * 0.3) / (10 * 0.1 + 50 * 0.3));
	expect(meanOf(curves, inRange(curves, [0.45, 0.5]), 0)).toBeNaN();
});

test("the mean is that of the points, however many columns they are put into", () => {
	// 10 ticks of 0.1 s with 1 to 10 counts: 55 in 1 s
	const counts = Array.from({ length: 10 }, (_, at) => at + 1);
	const asked = (width: number): Counters => {
		const columns = Array.from({ length: width }, (_, at) => counts.filter((_, tick) => Math.floor((tick * width) / 10) === at));
		const mean = columns.map((ticks) => (ticks.reduce((a, b) => a + b, 0) / ticks.length) * 10);
		return { ...COUNTERS, down_sampled: true, to_ns: "9007199255740993000", t: columns.map((_, at) => ((at + 0.5) * 1e9) / width), length: columns.map(({ length }) => length * 1e8), ratios: [],
			lines: [{ ...COUNTERS.lines[0]!, min: mean, max: mean, mean }] };
	};
	for (const width of [1, 2, 3, 4, 7, 10]) {
		const curves = curvesOf(asked(width));
		expect(meanOf(curves, inRange(curves, [0, 1]), 0)).toBeCloseTo(55);
	}
	// of a column that lies in a range with a part of it, that part
	const two = curvesOf(asked(2));
	expect(meanOf(two, inRange(two, [0.25, 0.75]), 0)).toBeCloseTo(55);
	expect(meanOf(two, inRange(two, [0, 0.25]), 0)).toBeCloseTo(30);
});

test("CPUs of one tick add up", () => {
	const growth = growthOf(COUNTERS, curvesOf(COUNTERS));
	growth.add([row(3, 0, 30, 0), row(3, 0, 12, 1), row(4, 0, 1, 0), row(4, 0, 1, 1)]);
	expect(rounded(growth.whole.tracks[0]!.mean.subarray(2, 4))).toEqual([420, 20]);
});

test("a run that goes on for long takes no more memory, and loses no peak", () => {
	const growth = growthOf({ ...COUNTERS, t: [], length: [], lines: COUNTERS.lines.map((line) => ({ ...line, mean: [] })), ratios: [], to_ns: COUNTERS.start_ns }, curvesOf({ ...COUNTERS, t: [], length: [], lines: COUNTERS.lines.map((line) => ({ ...line, mean: [] })), ratios: [], to_ns: COUNTERS.start_ns }));
	const arrays = growth.whole.tracks.map(({ max }) => max);
	for (let tick = 1; tick <= 60000; tick++) growth.add([row(tick, 0, tick === 31234 ? 900 : 10), row(tick, 1, tick % 2)]);
	const { whole, recent } = growth;
	expect(whole.tracks.map(({ max }) => max)).toEqual(arrays);
	expect(whole.length).toBeLessThanOrEqual(2048);
	expect(recent.length).toBeLessThanOrEqual(4096);
	expect(Math.max(...whole.tracks[0]!.max.subarray(0, whole.length))).toBeCloseTo(9000);
	const sum = whole.tracks[1]!.mean.subarray(0, whole.length - 1).reduce((all, value) => all + value, 0);
	expect(sum / (whole.length - 1)).toBeCloseTo(5);
	expect(whole.x[whole.length - 1]).toBeGreaterThan(5990);
	expect(recent.x[recent.length - 1]).toBeCloseTo(6000);
	for (let i = 1; i < whole.length; i++) expect(whole.x[i]!).toBeGreaterThan(whole.x[i - 1]!);
});

test("each part of a range is drawn from what fits its pixels", () => {
	const make = (from: number, to: number, step: number) => ({ length: 1, x: new Float64Array(1), tracks: [], step, from, to });
	const [coarse, fine, ticks] = [make(0, 100, 1), make(40, 60, 0.1), make(90, 100, 0.01)];
	const names = (from: number, to: number, pixel: number) => pieces([coarse, fine, ticks], from, to, pixel).map(({ columns, from: a, to: b }) => [columns.step, a, b]);
	expect(names(0, 100, 1)).toEqual([[1, 0, 100]]);
	expect(names(30, 70, 0.1)).toEqual([[1, 30, 40], [0.1, 40, 60], [1, 60, 70]]);
	expect(names(45, 55, 0.1)).toEqual([[0.1, 45, 55]]);
	expect(names(80, 100, 0.02)).toEqual([[1, 80, 90], [0.01, 90, 100]]);
});

test("a moment names the value that is drawn there", () => {
	const curves = curvesOf(COUNTERS);
	const found = momentOf(curves, [0, 0.2], 0.16, 1000)!;
	expect(found.columns.tracks[0]!.mean[found.index]).toBeCloseTo(200);
	expect(momentOf({ ...curves, sources: [] }, [0, 1], 0.5, 10)).toBeNull();
});

test("ranges stay within the run", () => {
	expect(clampRange(-1, 1, 0, 10)).toEqual([0, 2]);
	expect(clampRange(9, 11, 0, 10)).toEqual([8, 10]);
	expect(clampRange(-5, 20, 0, 10)).toEqual([0, 10]);
	expect(zoomRange([0, 10], 5, 0.5)).toEqual([2.5, 7.5]);
	expect(zoomRange([0, 10], 0, 0.5)).toEqual([0, 5]);
});

test("axes end at round numbers above the highest value", () => {
	for (const most of [0.003, 0.99, 1, 1.3, 7, 9.99, 12345, 1e9]) {
		expect(roundTop(most)).toBeGreaterThan(most);
		expect(roundTop(most)).toBeLessThan(most * 1.45);
	}
	expect(roundTop(0)).toBe(1);
});

test("saved files hold what is seen", () => {
	const curves = curvesOf(COUNTERS);
	expect(toCsv(curves, [0.15, 1])).toBe("seconds,faults per second,a<b per second,IPC per cycle\n0.200000,200,,\n");
	expect(toCsv(curves, [0, 0.15], [0])).toBe("seconds,faults per second\n0.100000,100\n");
	expect(tableOf(curves, [0, 0.15], 100).map(({ values }) => rounded(values))).toEqual([[100, 10, 10]]);
	const svg = toSvg(curves, [0, 0.2], ["#000"], "x & y");
	expect(svg).toContain("a&#60;b");
	expect(svg).not.toContain("a<b");
	expect(svg.match(/<path/g)).toHaveLength(3);
	expect(histogramCsv({ event: "a,b", edges: [0, 1.5, 3], counts: [4, 5] } as CountersHistogram)).toBe('"a,b" from,"a,b" to,intervals\n0,1.5,4\n1.5,3,5\n');
	const samples = { run: 1, event: "cycles", unit: null, start_ns: "0", from_ns: "0", to_ns: "9", samples: 2, down_sampled: false, t: [1e9, 2e9], value: [7, 8], ip: ["0x1", ""], function: [0, -1], cpu: [0, -1], tid: [5, 6], functions: [{ name: 'f"<int, 3>', object: "a", kind: "user" as const }] };
	expect(samplesCsv(samples, [0, 1.5])).toBe('seconds,value,address,function,object,cpu,thread\n1.000000000,7,0x1,"f""<int, 3>",a,0,5\n');
});

test("the axis of counts has a few round numbers", () => {
	expect(levels(1)).toEqual([1]);
	expect(levels(3)).toEqual([1, 2, 3]);
	expect(levels(105)).toEqual([50, 100]);
	expect(levels(18)).toEqual([5, 10, 15]);
	for (const most of [7, 42, 999, 123456]) expect(levels(most).length).toBeGreaterThanOrEqual(2);
});
