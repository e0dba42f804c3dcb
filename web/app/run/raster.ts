// SPDX-License-Identifier: Apache-2.0
// Curves as pixels, column by column. A browser that draws without a GPU takes several milliseconds for the outline of
// a thousand points; this takes tenths of one, so that many plots can follow the hand. No browser in here.
//
// A curve never goes back in time, so in each column of pixels it covers one stretch from top to bottom: between the
// lowest and the highest that its line reaches there. Both ends are shaded by how much of a pixel they cover.

import { columnAt, type Columns, type Piece } from "./columns";

export interface Raster {
	pixels: Uint32Array; // alpha, blue, green, red from the highest byte down; rows from the top
	width: number;
	height: number;
}

export interface Pen {
	color: number; // 0xbbggrr
	width: number; // of the line, in pixels
	area: number; // how much of the colour is below the line, 0 to 1
	band: number; // and between the lowest and the highest value
	strength?: number; // of the line, 0 to 1; 1 where it is not told
}

// What part of a raster stands for which time, and which value is its upper edge.
export interface Frame {
	from: number;
	to: number;
	top: number;
}

export function penColor(css: string): number {
	const rgb = parseInt(css.slice(1, 7), 16);
	return ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16);
}

const ROWS = 4096;
const cover = new Float32Array(ROWS + 2); // of one column
const shades = new Uint32Array(256); // the pen's colour, by how much of it there is
const areas = new Uint32Array(ROWS); // what is below the line, by row
let band = 0;

function mix(pen: Pen, height: number): void {
	for (let alpha = 0; alpha < 256; alpha++) shades[alpha] = ((alpha << 24) | pen.color) >>> 0;
	for (let row = 0; row < height; row++) areas[row] = shades[Math.round(255 * pen.area * (1 - (0.75 * row) / height))]!;
	band = shades[Math.round(255 * pen.band)]!;
}

function blend(pixels: Uint32Array, at: number, color: number, alpha: number): void {
	const below = pixels[at]!;
	const under = below >>> 24;
	if (!under || alpha >= 255) {
		pixels[at] = (((alpha | 0) << 24) | color) >>> 0;
		return;
	}
	const rest = (under * (255 - alpha)) / 255;
	const all = alpha + rest;
	if ((below & 0xffffff) === color) {
		pixels[at] = (((all | 0) << 24) | color) >>> 0;
		return;
	}
	const part = (shift: number) => ((((color >> shift) & 255) * alpha + ((below >> shift) & 255) * rest) / all) | 0;
	pixels[at] = (((all | 0) << 24) | (part(16) << 16) | (part(8) << 8) | part(0)) >>> 0;
}

// Adds a stretch of the line to the column's cover.
function stretch(top: number, bottom: number, part: number, height: number): void {
	const from = Math.max(0, top);
	const to = Math.min(height, bottom);
	if (from >= to) return;
	const first = from | 0;
	const last = to | 0;
	if (first === last) {
		cover[first]! += (to - from) * part;
		return;
	}
	cover[first]! += (first + 1 - from) * part;
	for (let row = first + 1; row < last; row++) cover[row]! += part;
	cover[last]! += (to - last) * part;
}

// The line of one column on what is there already.
function putLine({ pixels, width, height }: Raster, x: number, pen: Pen, low: number, high: number): void {
	const reach = 2 * pen.width;
	const full = 255 * (pen.strength ?? 1);
	const first = Math.max(0, (high - reach) | 0);
	const last = Math.min(height - 1, Math.ceil(low + reach));
	for (let row = first; row <= last; row++) {
		const part = cover[row]!;
		cover[row] = 0;
		if (part > 0.004) blend(pixels, row * width + x, pen.color, Math.min(1, part) * full);
	}
	cover[last + 1] = 0;
}

// What is behind the line: the band between two rows, and below both the area.
function putGround({ pixels, width, height }: Raster, x: number, pen: Pen, high: number, bandTop: number, bandFoot: number): void {
	const banded = bandTop <= bandFoot;
	if (banded) for (let row = Math.max(0, bandTop), end = Math.min(height - 1, bandFoot); row <= end; row++) pixels[row * width + x] = band;
	if (pen.area) for (let row = Math.max(0, banded ? bandFoot + 1 : Math.ceil(high)); row < height; row++) pixels[row * width + x] = areas[row]!;
}

// A point that no line leads to.
function putPoint(raster: Raster, x: number, pen: Pen, y: number): void {
	const radius = 1.2 * pen.width;
	for (let at = Math.max(0, Math.ceil(x - radius)); at <= x + radius && at < raster.width; at++)
		for (let row = Math.max(0, Math.ceil(y - radius)); row <= y + radius && row < raster.height; row++)
			blend(raster.pixels, row * raster.width + at, pen.color, 255);
}

function between(x: Float64Array, y: Float64Array, index: number, time: number): number {
	const part = (time - x[index - 1]!) / (x[index]! - x[index - 1]!);
	return y[index - 1]! + (y[index]! - y[index - 1]!) * part;
}

// How many parts a column is cut into: a slope needs several to look like one; what is steeper fills its column.
function parts(rise: number): number {
	return rise > 0.3 && rise < 3 ? 4 : 1;
}

function drawPiece(raster: Raster, pen: Pen, { columns, from, to }: Piece, index: number, frame: Frame): void {
	const { x, length } = columns;
	const { mean, min, max } = columns.tracks[index]!;
	const banded = min !== mean && pen.band > 0;
	const scale = raster.height / frame.top;
	const pixel = (frame.to - frame.from) / raster.width;
	const y = (value: number) => raster.height - value * scale;
	const first = Math.max(0, Math.round((from - frame.from) / pixel));
	const end = Math.min(raster.width, Math.round((to - frame.from) / pixel));
	const half = pen.width / 2;
	let next = columnAt(columns, frame.from + first * pixel);
	for (let at = first; at < end; at++) {
		const left = frame.from + at * pixel;
		const right = left + pixel;
		const begin = next;
		// Where the line comes in and goes out, if it does; NaN else, which no comparison below takes.
		const enter = begin > 0 && begin < length ? between(x, mean, begin, left) : NaN;
		let least = enter;
		let most = enter;
		let bandLeast = banded && begin > 0 && begin < length ? between(x, min, begin, left) : NaN;
		let bandMost = banded && begin > 0 && begin < length ? between(x, max, begin, left) : NaN;
		for (; next < length && x[next]! < right; next++) {
			const value = mean[next]!;
			if (!(value >= least)) least = Number.isNaN(value) ? least : value;
			if (!(value <= most)) most = Number.isNaN(value) ? most : value;
			if (!banded) continue;
			if (!(min[next]! >= bandLeast)) bandLeast = Number.isNaN(min[next]!) ? bandLeast : min[next]!;
			if (!(max[next]! <= bandMost)) bandMost = Number.isNaN(max[next]!) ? bandMost : max[next]!;
		}
		const leave = next > 0 && next < length ? between(x, mean, next, right) : NaN;
		if (leave < least || Number.isNaN(least)) least = leave;
		if (leave > most || Number.isNaN(most)) most = leave;
		if (Number.isNaN(least)) continue;
		const high = y(most);
		const low = y(least);
		if (Number.isNaN(enter) && Number.isNaN(leave)) putPoint(raster, at, pen, high);
		const cuts = next === begin ? parts(low - high) : 1;
		const part = (low - high) / cuts;
		const thick = cuts > 1 ? half * Math.hypot(1, low - high) : half; // measured down, not across
		for (let cut = 0; cut < cuts; cut++) stretch(high + cut * part - thick, high + (cut + 1) * part + thick, 1 / cuts, raster.height);
		putGround(raster, at, pen, high, banded ? Math.floor(y(bandMost)) : 0, banded ? Math.floor(y(bandLeast)) : -1);
		putLine(raster, at, pen, low, high);
	}
}

// A pen with area or band covers what is below: it is for one curve alone.
export function drawCurve(raster: Raster, pen: Pen, found: Piece[], track: number, frame: Frame): void {
	mix(pen, raster.height);
	for (const piece of found) if (piece.columns.tracks[track]) drawPiece(raster, pen, piece, track, frame);
}

// Thin dashed lines from top to bottom at moments.
export function drawMarks({ pixels, width, height }: Raster, color: number, moments: number[], frame: Frame): void {
	for (const moment of moments) {
		const x = Math.floor(((moment - frame.from) / (frame.to - frame.from)) * width);
		if (x < 0 || x >= width) continue;
		for (let row = 0; row < height; row++) if (row % 6 < 4) blend(pixels, row * width + x, color, 255);
	}
}

// Round dots at points of their own.
export function drawDots(raster: Raster, pen: Pen, columns: Columns, track: number, frame: Frame): void {
	const { x, length } = columns;
	const { mean } = columns.tracks[track]!;
	const perSecond = raster.width / (frame.to - frame.from);
	const radius = pen.width / 2;
	for (let i = columnAt(columns, frame.from); i < length && x[i]! <= frame.to; i++) {
		const across = (x[i]! - frame.from) * perSecond;
		const down = raster.height - (mean[i]! / frame.top) * raster.height;
		for (let row = Math.floor(down - radius); row <= down + radius; row++)
			for (let at = Math.floor(across - radius); at <= across + radius; at++) {
				if (row < 0 || at < 0 || row >= raster.height || at >= raster.width) continue;
				const inside = radius + 0.5 - Math.hypot(at + 0.5 - across, row + 0.5 - down);
				if (inside > 0) blend(raster.pixels, row * raster.width + at, pen.color, Math.min(1, inside) * 255 * 0.85);
			}
	}
}
