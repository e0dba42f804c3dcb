// SPDX-License-Identifier: Apache-2.0
// Lines above the heatmap: counters, ratios of them, and the samples themselves; their values in a range.

import { since } from "../flame/times";
import type { CounterAnswer } from "./data";
import type { Heat, Range } from "./heat";

export interface Line {
	name: string;
	per: string; // what one value is of, where nobody would guess it
	t: number[]; // seconds since the heatmap's beginning
	values: (number | null)[];
}

const POINTS = 400;

// Samples in each of a few hundred steps: what a recording without counters has to show.
export function sampleLine(heat: Heat): Line {
	const together = Math.max(1, Math.ceil(heat.counts.length / POINTS));
	const t: number[] = [];
	const values: number[] = [];
	for (let at = 0; at < heat.counts.length; at += together) {
		const part = heat.counts.slice(at, at + together);
		t.push((at + part.length / 2) / heat.rows);
		values.push(part.reduce((sum, count) => sum + count, 0));
	}
	return { name: "samples", per: `in ${(together * 1000) / heat.rows} ms`, t, values };
}

export function counterLines(answer: CounterAnswer, start: string): Line[] {
	const offset = since(answer.start_ns, start);
	const t = answer.t.map((ns) => (ns + offset) / 1e9);
	return [
		...answer.lines.filter(({ cpu }) => cpu < 0).map(({ event, mean }): Line => ({ name: event, per: "", t, values: mean })),
		...answer.ratios.filter(({ cpu }) => cpu < 0).map(({ name, mean }): Line => ({ name, per: "", t, values: mean })),
	];
}

type Amount = number | string;
export type Point = [string, number, number, Amount, Amount, Amount]; // time, event, CPU, value, enabled, running

// What is counted while it goes on: those of all CPUs at one time add up; a counter that had to share is
// scaled to what it would have counted.
export class LiveLines {
	lines: Line[];

	constructor(events: string[], private start: string) {
		this.lines = events.map((name) => ({ name, per: "", t: [], values: [] }));
	}

	add(points: Point[]): void {
		for (const [time, event, , value, enabled, running] of points) {
			const line = this.lines[event];
			if (!line) continue;
			const at = since(time, this.start) / 1e9;
			const scaled = Number(running) ? (Number(value) * Number(enabled)) / Number(running) : null;
			const last = line.t.length - 1;
			if (last >= 0 && line.t[last] === at) {
				if (scaled !== null) line.values[last] = (line.values[last] ?? 0) + scaled;
			} else {
				line.t.push(at);
				line.values.push(scaled);
			}
		}
	}
}

// The mean in a range, or over all.
export function meanIn({ t, values }: Line, range: Range | null): number | null {
	let sum = 0;
	let count = 0;
	for (let i = 0; i < t.length; i++) {
		if (values[i] === null || (range && (t[i]! * 1e9 < range[0] || t[i]! * 1e9 >= range[1]))) continue;
		sum += values[i]!;
		count++;
	}
	return count ? sum / count : null;
}

export function short(value: number | null): string {
	if (value === null) return "–";
	const size = Math.abs(value);
	const [by, letter] = size >= 1e9 ? [1e9, " G"] : size >= 1e6 ? [1e6, " M"] : size >= 1e4 ? [1e3, " k"] : [1, ""];
	return `${Number((value / by).toPrecision(4))}${letter}`;
}
