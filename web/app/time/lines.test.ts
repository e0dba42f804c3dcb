// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { gridOf, nameOf, whoOf } from "./lanes";
import { LiveLines, counterLines, meanIn, sampleLine, short } from "./lines";

describe("lines above the heatmap", () => {
	it("counters stand on the heatmap's time", () => {
		const lines = counterLines({
			start_ns: "3000000000", t: [0, 1e9],
			lines: [{ event: "cycles", cpu: -1, mean: [5, null], total: "5" }, { event: "cycles", cpu: 0, mean: [1, 1], total: "2" }],
			ratios: [{ name: "IPC", cpu: -1, mean: [0.5, 1.5] }],
		}, "1000000000");
		expect(lines).toEqual([
			{ name: "cycles", per: "", t: [2, 3], values: [5, null] },
			{ name: "IPC", per: "", t: [2, 3], values: [0.5, 1.5] },
		]);
		expect(meanIn(lines[1]!, null)).toBe(1);
		expect(meanIn(lines[1]!, [2.5e9, 4e9])).toBe(1.5);
		expect(meanIn(lines[0]!, [2.5e9, 4e9])).toBeNull();
	});

	it("samples are a line too, however many there are", () => {
		const heat = { start: "0", columns: 2, rows: 2, counts: [1, 2, 3, 4], most: 4, samples: 10 };
		expect(sampleLine(heat)).toMatchObject({ per: "in 500 ms", t: [0.25, 0.75, 1.25, 1.75], values: [1, 2, 3, 4] });
		const long = { ...heat, columns: 600, counts: new Array<number>(1200).fill(1) };
		const line = sampleLine(long);
		expect(line.t.length).toBeLessThanOrEqual(400);
		expect(line.values.reduce((sum: number, value) => sum + value!, 0)).toBe(1200);
	});

	it("counters that go on add up over CPUs and are scaled", () => {
		const live = new LiveLines(["cycles"], "1000000000");
		live.add([["1500000000", 0, 0, "10", "100", "100"], ["1500000000", 0, 1, 5, "100", "50"], ["1600000000", 0, -1, "7", "100", "0"], ["1600000000", 9, -1, 1, 1, 1]]);
		expect(live.lines[0]).toMatchObject({ t: [0.5, 0.6], values: [20, null] });
	});

	it("numbers are short", () => expect([short(null), short(3), short(12345), short(2.5e6), short(8.123456e9)]).toEqual(["–", "3", "12.35 k", "2.5 M", "8.123 G"]));
});

describe("lanes", () => {
	it("are one grid with the first on top", () => {
		const lanes = [{ samples: 3, counts: [1, 2], cpu: 0 }, { samples: 7, counts: [3, 4], pid: 1, tid: 5, comm: "prog" }];
		expect(gridOf(lanes, 4)).toEqual({ columns: 2, rows: 2, counts: [3, 1, 4, 2], most: 4 });
		expect(lanes.map(whoOf)).toEqual(["c0", "t5"]);
		expect(lanes.map(nameOf)).toEqual(["CPU 0", "prog 5"]);
	});
});
