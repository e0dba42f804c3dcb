// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { Columns } from "./columns";
import { drawCurve, drawDots, drawMarks, penColor, type Pen, type Raster } from "./raster";

const PEN: Pen = { color: 0x112233, width: 1, area: 0, band: 0 };

function raster(width: number, height: number): Raster {
	return { pixels: new Uint32Array(width * height), width, height };
}

function columns(points: [number, number][], band = 0): Columns {
	const mean = Float64Array.from(points, ([, y]) => y);
	return { length: points.length, x: Float64Array.from(points, ([x]) => x), tracks: [{ mean, min: band ? mean.map((y) => y - band) : mean, max: band ? mean.map((y) => y + band) : mean }], step: 1, from: 0, to: 100 };
}

// How much of each row a column of pixels has, from the top.
function alphas({ pixels, width, height }: Raster, x: number): number[] {
	return Array.from({ length: height }, (_, row) => Math.round((pixels[row * width + x]! >>> 24) / 2.55));
}

function draw(made: Raster, points: [number, number][], pen = PEN, band = 0): void {
	drawCurve(made, pen, [{ columns: columns(points, band), from: 0, to: made.width }], 0, { from: 0, to: made.width, top: made.height });
}

test("colours of the page become pixels", () => expect(penColor("#332211")).toBe(0x112233));

test("a level line is as thick as the pen, wherever it lies between rows", () => {
	const made = raster(10, 10);
	draw(made, [[0, 5.5], [10, 5.5]]);
	expect(alphas(made, 4)).toEqual([0, 0, 0, 0, 100, 0, 0, 0, 0, 0]);
	const between = raster(10, 10);
	draw(between, [[0, 5], [10, 5]]);
	expect(alphas(between, 4)).toEqual([0, 0, 0, 0, 50, 50, 0, 0, 0, 0]);
});

test("a jump leaves no hole, and no peak is lost however many points share a pixel", () => {
	const made = raster(4, 10);
	draw(made, [[0, 1], [1.2, 1], [1.4, 9], [1.6, 1], [4, 1]]);
	expect(alphas(made, 1).slice(1, 9)).toEqual([100, 100, 100, 100, 100, 100, 100, 100]);
	expect(alphas(made, 3).slice(0, 8)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

test("where nothing was counted nothing is drawn", () => {
	const made = raster(10, 10);
	draw(made, [[0, 5.5], [3, 5.5], [4, NaN], [6, 5.5], [10, 5.5]]);
	expect([1, 4, 5, 8].map((x) => alphas(made, x)[4])).toEqual([100, 0, 0, 100]);
});

test("a point by itself is seen", () => {
	const made = raster(20, 10);
	draw(made, [[2, NaN], [10.5, 5.5], [18, NaN]]);
	expect([9, 10, 11].map((x) => alphas(made, x)[4])).toEqual([100, 100, 100]);
	expect(alphas(made, 14).every((alpha) => !alpha)).toBe(true);
});

test("the band reaches from the lowest to the highest, the area to the foot", () => {
	const made = raster(4, 10);
	draw(made, [[0, 5.5], [4, 5.5]], { ...PEN, band: 0.4, area: 0.1 }, 2);
	const found = alphas(made, 2);
	expect(found[4]).toBe(100);
	expect(found.slice(2, 4).concat(found.slice(5, 7)).every((alpha) => alpha >= 39 && alpha <= 40)).toBe(true);
	expect(found[1]).toBe(0);
	expect(found.slice(8).every((alpha) => alpha > 0 && alpha < 10)).toBe(true);
});

test("a curve in front covers the one behind", () => {
	const made = raster(4, 10);
	draw(made, [[0, 5.5], [4, 5.5]]);
	draw(made, [[0, 5.5], [4, 5.5]], { ...PEN, color: 0x445566 });
	expect(made.pixels[4 * 4 + 1]! & 0xffffff).toBe(0x445566);
});

test("a mark is a dashed line at its moment, and none outside", () => {
	const made = raster(20, 12);
	drawMarks(made, 0x445566, [-1, 5.5, 20], { from: 0, to: 20, top: 1 });
	expect(alphas(made, 5)).toEqual([100, 100, 100, 100, 0, 0, 100, 100, 100, 100, 0, 0]);
	expect(made.pixels.reduce((sum, pixel) => sum + (pixel ? 1 : 0), 0)).toBe(8);
});

test("dots stand at their points, and those outside are left out", () => {
	const made = raster(20, 20);
	drawDots(made, { ...PEN, width: 3 }, columns([[5.5, 10.5], [50, 3]]), 0, { from: 0, to: 20, top: 20 });
	expect(alphas(made, 5)[9]).toBe(85);
	expect(alphas(made, 12).every((alpha) => !alpha)).toBe(true);
});
