// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { Heat, boxesOf, cellAt, countIn, emptyHeat, merge, rangeOf, samplesBySecond, squeeze, step, ticks, timeOf } from "./heat";

const heat: Heat = { start: "1000", columns: 3, rows: 4, counts: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], most: 12, samples: 78 };

describe("places and times of a heatmap", () => {
	it("time runs up a column and then on to the next", () => {
		expect(cellAt(heat, 0, 0.99)).toEqual({ column: 0, row: 0 });
		expect(cellAt(heat, 0.5, 0)).toEqual({ column: 1, row: 3 });
		expect(cellAt(heat, 7, -3)).toEqual({ column: 2, row: 3 });
		expect(timeOf(heat, { column: 1, row: 2 })).toBe(1.5e9);
	});

	it("a range takes both its ends in, either way round", () => {
		const a = { column: 0, row: 2 };
		const b = { column: 2, row: 0 };
		expect(rangeOf(heat, a, b)).toEqual([0.5e9, 2.25e9]);
		expect(rangeOf(heat, b, a)).toEqual([0.5e9, 2.25e9]);
		expect(rangeOf(heat, a, a)).toEqual([0.5e9, 0.75e9]);
		expect(countIn(heat, [0.5e9, 2.25e9])).toBe(3 + 4 + 5 + 6 + 7 + 8 + 9);
		expect(countIn(heat, [0, 3e9])).toBe(78);
	});

	it("is drawn as the rest of a column, whole ones and the beginning of one", () => {
		expect(boxesOf(heat, [0.5e9, 2.25e9])).toEqual([
			{ x: 0, y: 0, width: 1 / 3, height: 0.5 },
			{ x: 1 / 3, y: 0, width: 1 / 3, height: 1 },
			{ x: 2 / 3, y: 0.75, width: 1 / 3, height: 0.25 },
		]);
		expect(boxesOf(heat, [0, 3e9])).toEqual([{ x: 0, y: 0, width: 1, height: 1 }]);
		expect(boxesOf(heat, [1.25e9, 1.5e9])).toEqual([{ x: 1 / 3, y: 0.5, width: 1 / 3, height: 0.25 }]);
	});

	it("arrows go on in the next second", () => {
		expect(step(heat, { column: 0, row: 3 }, "ArrowUp")).toEqual({ column: 1, row: 0 });
		expect(step(heat, { column: 0, row: 3 }, "ArrowLeft")).toEqual({ column: 0, row: 3 });
		expect(step(heat, { column: 1, row: 3 }, "ArrowRight")).toEqual({ column: 2, row: 3 });
		expect(step(heat, { column: 2, row: 3 }, "ArrowUp")).toEqual({ column: 2, row: 3 });
	});
});

describe("a heatmap that grows", () => {
	it("takes new and changed cells in", () => {
		let live = merge(emptyHeat("5", 4), [[0, 1, 3], [2, 3, 9]]);
		expect(live).toMatchObject({ columns: 3, samples: 12, most: 9 });
		live = merge(live, [[0, 1, 5], [0, 9, 100]]);
		expect(live).toMatchObject({ columns: 3, samples: 14, most: 9 });
		expect(samplesBySecond(live)).toEqual([5, 0, 9]);
	});

	it("keeps the largest of what falls into one pixel", () => {
		expect(squeeze(heat.counts, 3, 4, 10).columns).toBe(3);
		expect(squeeze([1, 5, 2, 0, 9, 3], 6, 1, 3)).toEqual({ columns: 3, counts: [5, 2, 9] });
	});
});

describe("an axis", () => {
	it("has round times", () => {
		expect(ticks(17, 10)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16]);
		expect(ticks(0.4, 5)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
		expect(ticks(3600, 8)).toHaveLength(7);
		expect(ticks(2, 5, 5.08)).toEqual([5.5, 6, 6.5, 7]);
	});
});
