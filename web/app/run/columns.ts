// SPDX-License-Identifier: Apache-2.0
// Points of several curves in columns of numbers, at several resolutions.
//
// Of one run there are a coarse whole, a fine piece around what is seen, and while it runs the latest ticks. Whoever
// draws, saves or names a value asks which of them fits the pixels; so a picture costs what its width costs, however
// long the run is.

import type { Counters } from "../api/schema";

export interface Track {
	mean: Float64Array; // NaN: nothing was counted
	min: Float64Array; // the same array as mean where each point is one tick
	max: Float64Array;
}

export interface Columns {
	length: number;
	x: Float64Array; // seconds since the start
	tracks: Track[];
	lengths?: Float64Array; // seconds that the ticks of each took; else it is told by their places
	step: number; // seconds from one to the next
	from: number; // the time that it covers
	to: number;
}

export interface Piece {
	columns: Columns;
	from: number;
	to: number;
}

function numbers(values: (number | null)[], factor: number): Float64Array {
	const made = new Float64Array(values.length);
	for (let i = 0; i < made.length; i++) made[i] = values[i] === null ? NaN : values[i]! * factor;
	return made;
}

// Of an answer of the API; a factor for each of its lines and then its ratios.
export function columnsOf(counters: Counters, factors: number[]): Columns {
	const start = BigInt(counters.start_ns);
	const at = (ns: string) => Number(BigInt(ns) - start) / 1e9;
	const [from, to] = [at(counters.from_ns), at(counters.to_ns)];
	const length = counters.t.length;
	const tracks = [...counters.lines, ...counters.ratios].map((line, index): Track => {
		const mean = numbers(line.mean, factors[index]!);
		if (!counters.down_sampled) return { mean, min: mean, max: mean };
		return { mean, min: numbers(line.min, factors[index]!), max: numbers(line.max, factors[index]!) };
	});
	const step = counters.down_sampled ? (to - from) / Math.max(1, length) : Number(counters.interval_ns) / 1e9;
	return { length, x: numbers(counters.t, 1e-9), lengths: numbers(counters.length, 1e-9), tracks, step, from, to };
}

// The first column at or behind a time.
export function columnAt({ x, length }: Columns, time: number): number {
	let low = 0;
	let high = length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (x[middle]! < time) low = middle + 1;
		else high = middle;
	}
	return low;
}

// The one that is nearest to a time; -1: there is none.
export function columnNear(columns: Columns, time: number): number {
	const behind = columnAt(columns, time);
	if (behind === columns.length) return behind - 1;
	return behind && time - columns.x[behind - 1]! < columns.x[behind]! - time ? behind - 1 : behind;
}

// The coarsest that still has a column for every other pixel; where none is that fine, the finest.
function fitting(sources: Columns[], time: number, pixel: number): Columns | undefined {
	let best: Columns | undefined;
	for (const one of sources) {
		if (!one.length || time < one.from || time >= one.to) continue;
		const enough = one.step <= 2 * pixel;
		if (!best || (enough ? best.step > 2 * pixel || one.step > best.step : one.step < best.step)) best = one;
	}
	return best;
}

// What a range is drawn from, in the order of time.
export function pieces(sources: Columns[], from: number, to: number, pixel: number): Piece[] {
	const edges = [from, ...sources.flatMap((one) => [one.from, one.to]).filter((edge) => edge > from && edge < to).sort((a, b) => a - b), to];
	const made: Piece[] = [];
	for (let i = 0; i + 1 < edges.length; i++) {
		const columns = fitting(sources, edges[i]!, pixel);
		const last = made[made.length - 1];
		if (!columns) continue;
		if (last?.columns === columns && last.to === edges[i]) last.to = edges[i + 1]!;
		else made.push({ columns, from: edges[i]!, to: edges[i + 1]! });
	}
	return made;
}

// The highest value of a curve in a range.
export function highest(found: Piece[], track: number): number {
	let most = 0;
	for (const { columns, from, to } of found) {
		const max = columns.tracks[track]?.max;
		if (!max) continue;
		const end = columnAt(columns, to + 1e-9); // a tick stands at its end: the last one at that of the run
		for (let i = columnAt(columns, from); i < end; i++) if (max[i]! > most) most = max[i]!;
	}
	return most;
}

// How much of a column lies in a range: a tick stands at its end, a column of several in its middle.
function partIn({ x, step }: Columns, ticks: boolean, length: number, i: number, from: number, to: number): number {
	const wide = ticks ? length : step;
	const end = ticks ? x[i]! : x[i]! + step / 2;
	const inside = Math.min(end, to) - Math.max(end - wide, from);
	return wide > 0 ? Math.max(0, Math.min(1, inside / wide)) : 1;
}

// The mean over the time of a range: a column counts by how long its ticks took, and as far as it lies there. `by`: of
// a ratio of two curves. NaN: nothing.
export function meanOver(found: Piece[], track: number, by?: number): number {
	let sum = 0;
	let weight = 0;
	for (const { columns, from, to } of found) {
		const values = columns.tracks[track]?.mean;
		const divisors = by === undefined ? undefined : columns.tracks[by]?.mean;
		if (!values) continue;
		const ticks = values === columns.tracks[track]!.min;
		const first = ticks ? columns.x[0]! - columns.from : columns.step;
		const end = Math.min(columns.length, columnAt(columns, to + columns.step) + 1);
		for (let i = Math.max(0, columnAt(columns, from - columns.step) - 1); i < end; i++) {
			const whole = columns.lengths?.[i] ?? (i ? columns.x[i]! - columns.x[i - 1]! : first);
			const length = whole * partIn(columns, ticks, whole, i, from, to);
			const part = divisors ? divisors[i]! * length : length;
			if (Number.isNaN(values[i]!) || Number.isNaN(part)) continue;
			sum += values[i]! * length;
			weight += part;
		}
	}
	return weight > 0 ? sum / weight : NaN;
}
