// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { during, gather } from "./picture";

test("gathering keeps the sum, or the mean", () => {
	const values = Array.from({ length: 1000 }, (_, at) => at % 7);
	const sum = (all: number[]) => all.reduce((a, b) => a + b, 0);
	expect(gather(values, 48, "sum")).toHaveLength(48);
	expect(sum(gather(values, 48, "sum"))).toBe(sum(values));
	expect(gather([4, 4, 4, 4], 2, "mean")).toEqual([4, 4]);
	expect(gather([1, 2], 48, "sum")).toEqual([1, 2]);
});

test("time without samples is shown from start to end", () => {
	expect(during([0, 0, 3, 0, 2, 0, 0, 0], 4, 1.5)).toEqual([0, 0, 3, 0, 2, 0]); // a second and a half
	expect(during([0, 0, 3, 0, 0, 0, 0, 0], 4, 2)).toHaveLength(8);
	expect(during([1, 0, 0, 0], 4, 0)).toEqual([1]);
});
