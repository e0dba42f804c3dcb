// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { gridOf, partOf, stepLane } from "./lane_plot";
import { nameOf, whoOf } from "./lanes";
import { counterLines, meanIn, sampleLine, short, valueAt } from "./lines";

describe("lines above the heatmap", () => {
	const columns = { length: 2, x: Float64Array.of(0, 1), tracks: [[5, NaN], [0.5, 1.5], [NaN, NaN]].map((values) => {
		const mean = Float64Array.from(values);
		return { mean, min: mean, max: mean };
	}), step: 1, from: -1, to: 2 };
	const unit = { words: "per second", sign: "/s", factor: 1 };
	const line = (name: string) => ({ name, plot: name, cpu: -1, unit, total: "", shared: false });

	it("counters stand on the heatmap's time", () => {
		const lines = counterLines({ lines: [line("cycles"), line("IPC"), line("never")], sources: [columns], resets: [], paused: 0, interval: 1 }, 2);
		expect(lines.map(({ name }) => name)).toEqual(["cycles", "IPC"]);
		expect(meanIn(lines[1]!, null)).toBe(1);
		expect(meanIn(lines[1]!, [2.5e9, 4e9])).toBe(1.5);
		expect(meanIn(lines[0]!, [2.5e9, 4e9])).toBeNaN();
		expect([valueAt(lines[1]!, 2.1), valueAt(lines[1]!, 2.9), valueAt(lines[1]!, 99)]).toEqual([0.5, 1.5, 1.5]);
	});

	it("the mean of a ratio is that of what both counted", () => {
		const mean = (values: number[]) => ({ mean: Float64Array.from(values), min: Float64Array.from(values), max: Float64Array.from(values) });
		const both = { length: 2, x: Float64Array.of(0, 1), tracks: [mean([30, 10]), mean([10, 10]), mean([3, 1])], step: 1, from: -1, to: 2 };
		both.tracks[1]!.mean[0] = 40;
		const ratio = { of: 0, by: 1, factor: 1 };
		const lines = counterLines({ lines: [line("instructions"), line("cycles"), { ...line("IPC"), ratio }], sources: [both], resets: [], paused: 0, interval: 1 }, 0);
		expect(meanIn(lines[2]!, null)).toBeCloseTo(40 / 50);
	});

	it("samples are a line too, however many there are", () => {
		const heat = { start: "0", columns: 2, rows: 2, counts: [1, 2, 3, 4], most: 4, samples: 10 };
		const few = sampleLine(heat).columns;
		expect([[...few.x], [...few.tracks[0]!.mean]]).toEqual([[0.25, 0.75, 1.25, 1.75], [2, 4, 6, 8]]); // a second
		const { length, step, tracks } = sampleLine({ ...heat, columns: 600, counts: new Array<number>(1200).fill(1) }).columns;
		expect(length).toBeLessThanOrEqual(400);
		expect(tracks[0]!.mean.reduce((sum, value) => sum + value * step, 0)).toBeCloseTo(1200);
	});

	it("samples that are few stand together, and what is behind the end counts for nothing", () => {
		const counts = Array.from({ length: 200 }, (_, at) => Number(at < 100 && at % 2));
		const heat = { start: "0", columns: 4, rows: 50, counts, most: 1, samples: 50, end: 2 };
		const line = sampleLine(heat);
		expect(meanIn(line, null)).toBeCloseTo(25, 0); // 50 in 2 s
		expect(Math.max(...line.columns.tracks[0]!.mean)).toBeLessThan(51); // no 0 and 50 by turns
		expect(line.columns.to).toBe(2);
		expect(sampleLine({ ...heat, end: undefined }).columns.to).toBe(2);
	});

	it("the mean of a range is that of its own samples", () => {
		// one sample in each of the first 2.9 s, none behind: what is drawn puts cells together
		const counts = Array.from({ length: 500 }, (_, at) => Number(at < 145 && at % 10 === 0));
		const line = sampleLine({ start: "0", columns: 10, rows: 50, counts, most: 1, samples: 15, end: 10 });
		expect(meanIn(line, [2.9e9, 3e9])).toBe(0);
		expect(meanIn(line, [0, 2e9])).toBeCloseTo(5);
		expect(meanIn(line, null)).toBeCloseTo(1.5);
	});

	it("numbers are short, with their unit", () => expect([short(NaN, { sign: "/s" }), short(3, { sign: "" }), short(12345, { sign: "/s" })]).toEqual(["–", "3", "12.3 k/s"]));
});

describe("lanes", () => {
	it("are one grid with the first on top", () => {
		const lanes = [{ samples: 3, counts: [1, 2], cpu: 0 }, { samples: 7, counts: [3, 4], pid: 1, tid: 5, comm: "prog" }];
		expect(gridOf(lanes, 4)).toEqual({ columns: 2, rows: 2, counts: [3, 1, 4, 2], most: 4 });
		expect(lanes.map(whoOf)).toEqual(["c0", "t5"]);
		expect(lanes.map(nameOf)).toEqual(["CPU 0", "prog 5"]);
	});

	it("have a time and a lane that arrows choose", () => {
		let cursor = stepLane(null, "ArrowRight", false, 3);
		expect(partOf(cursor)).toEqual([0, 0.01]);
		cursor = stepLane(stepLane(cursor, "ArrowDown", false, 3), "ArrowRight", false, 3);
		cursor = stepLane(stepLane(cursor, "ArrowRight", true, 3), "ArrowRight", true, 3);
		expect(cursor.lane).toBe(1);
		expect(partOf(cursor)).toEqual([0.01, 0.04]);
		expect(stepLane(stepLane(cursor, "ArrowUp", false, 3), "ArrowUp", false, 3).lane).toBe(0);
		expect(partOf(stepLane({ lane: 0, part: 0.99, anchor: 0.99 }, "ArrowRight", false, 3))).toEqual([0.99, 1]);
	});
});
