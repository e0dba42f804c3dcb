// SPDX-License-Identifier: Apache-2.0
// Lines above the heatmap: counters, ratios of them, and the samples themselves; their values in a range.

import { short as shortNumber } from "../model/format";
import { columnNear, type Columns } from "../run/columns";
import { inRange, meanOf, type Curves } from "../run/lines";
import type { Heat, Range } from "./heat";

export interface Line {
	name: string;
	sign: string; // of its unit, behind a number
	words: string; // what it is measured in
	mean: (from: number, to: number) => number; // over a time of the columns
	columns: Columns; // may grow while it is shown
	track: number;
	offset: number; // seconds from the heatmap's beginning to the columns'
}

const POINTS = 400;
const FEW = 4;
const STEPS = 40;

function lastCell({ counts }: Heat): number {
	let at = counts.length - 1;
	while (at > 0 && !counts[at]) at--;
	return at;
}

// Samples a second between two times, by the cells of the map: however few points are drawn.
function rateIn({ counts, rows }: Heat, cells: number, from: number, to: number): number {
	const [first, end] = [Math.max(0, from * rows), Math.min(cells, to * rows)];
	if (!(end > first)) return NaN;
	let sum = 0;
	for (let i = Math.floor(first); i < end; i++) sum += counts[i]! * (Math.min(end, i + 1) - Math.max(first, i));
	return (sum * rows) / (end - first);
}

// Samples in each of a few hundred steps: what a recording without counters has to show.
export function sampleLine(heat: Heat): Line {
	// What comes behind the end is no time without samples.
	const cells = Math.min(heat.counts.length, heat.end === undefined ? 1 + lastCell(heat) : Math.ceil(heat.end * heat.rows) || 1);
	// A step with one sample or none tells only when it was: a few belong together, if that leaves enough steps.
	const few = Math.min(Math.ceil((FEW * cells) / (heat.samples || 1)), Math.ceil(cells / STEPS));
	const together = Math.max(1, Math.ceil(cells / POINTS), few);
	const length = Math.ceil(cells / together);
	const x = new Float64Array(length);
	const mean = new Float64Array(length);
	for (let at = 0; at < length; at++) {
		const first = at * together;
		const end = Math.min(first + together, cells);
		for (let i = first; i < end; i++) mean[at]! += heat.counts[i]!;
		mean[at]! *= heat.rows / (end - first);
		x[at] = (first + end) / 2 / heat.rows;
	}
	const columns = { length, x, tracks: [{ mean, min: mean, max: mean }], step: together / heat.rows, from: -together / heat.rows / 2, to: cells / heat.rows };
	return { name: "samples", sign: "/s", words: "per second", mean: (from, to) => rateIn(heat, cells, from, to), columns, track: 0, offset: 0 };
}

// Counters of the same run; offset: from the heatmap's beginning to theirs.
export function counterLines(curves: Curves, offset: number): Line[] {
	const columns = curves.sources[0]!;
	return curves.lines
		.map(({ name, unit }, track): Line => ({ name, sign: unit.sign, words: unit.words, mean: (from, to) => meanOf(curves, inRange(curves, [from, to]), track), columns, track, offset }))
		.filter(({ track }) => columns.tracks[track]!.mean.subarray(0, columns.length).some((value) => !Number.isNaN(value)));
}

// The mean in a range, or over all; NaN: nothing was counted there.
export function meanIn({ mean, offset }: Line, range: Range | null): number {
	return range ? mean(range[0] / 1e9 - offset, range[1] / 1e9 - offset) : mean(-Infinity, Infinity);
}

export function valueAt({ columns, track, offset }: Line, at: number): number {
	const index = columnNear(columns, at - offset);
	return index < 0 ? NaN : columns.tracks[track]!.mean[index]!;
}

export function short(value: number, { sign }: Pick<Line, "sign">): string {
	return Number.isNaN(value) ? "–" : shortNumber(value) + sign;
}
