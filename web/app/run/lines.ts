// SPDX-License-Identifier: Apache-2.0
// Counters as curves: what is drawn, and saved as CSV or SVG. No browser in here.

import type { Counters } from "../api/schema";

export interface Line {
	name: string;
	unit: string; // "a second", "per cycle", "%"
	total: string; // of the whole range, "" for ratios
	mean: (number | null)[];
	min: (number | null)[];
	max: (number | null)[];
	shared: boolean; // its counter was shared: values are scaled
}

export interface Curves {
	x: number[]; // seconds since the start
	lines: Line[];
	grouped: boolean; // a point stands for several: min and max differ
}

// Points of a stream that no answer holds yet, by event.
export interface Tail {
	x: number[];
	values: Map<number, number[]>; // one for each of x
}

export function emptyTail(): Tail {
	return { x: [], values: new Map() };
}

// Values are of one interval; people think in seconds.
function perSecond(values: (number | null)[], interval: number): (number | null)[] {
	return interval === 1 ? values : values.map((value) => (value === null ? null : value / interval));
}

export function curvesOf(counters: Counters, tail: Tail = emptyTail()): Curves {
	const interval = Number(counters.interval_ns) / 1e9 || 1;
	const x = counters.t.map((t) => t / 1e9);
	const first = x[x.length - 1] ?? -1;
	const from = tail.x.findIndex((t) => t > first + 1e-9);
	const more = from < 0 ? [] : tail.x.slice(from);
	const lines = counters.lines.map((line): Line => {
		const added = from < 0 ? [] : (tail.values.get(line.index)?.slice(from) ?? more.map(() => null));
		const join = (values: (number | null)[]) => perSecond([...values, ...added], interval);
		return { name: line.event, unit: "a second", total: line.total, mean: join(line.mean), min: join(line.min), max: join(line.max), shared: line.share_counted > 0 && line.share_counted < 0.999 };
	});
	const gap = more.map(() => null);
	const ratios = counters.ratios.map((ratio): Line => ({
		name: ratio.name, unit: ratio.unit, total: "", shared: false,
		mean: [...ratio.mean, ...gap], min: [...ratio.min, ...gap], max: [...ratio.max, ...gap],
	}));
	return { x: [...x, ...more], lines: [...lines, ...ratios], grouped: counters.down_sampled };
}

type Row = (string | number)[]; // time_ns, event, cpu, value, enabled_ns, running_ns

// Adds rows of the stream; a tick is complete when all its events have come, so rows of one time share a place.
export function addRows(tail: Tail, rows: Row[], start: string): void {
	for (const [time, event, cpu, value, enabled, running] of rows) {
		if (cpu !== -1) continue;
		const t = Number(BigInt(time as string) - BigInt(start)) / 1e9;
		if (tail.x[tail.x.length - 1] !== t) tail.x.push(t);
		const values = tail.values.get(event as number) ?? [];
		const share = Number(enabled) && Number(running) ? Number(enabled) / Number(running) : 1;
		while (values.length < tail.x.length - 1) values.push(NaN);
		values[tail.x.length - 1] = Number(value) * share;
		tail.values.set(event as number, values);
	}
}

// Forgets what an answer holds by now, so that a long run does not grow here.
export function cutTail(tail: Tail, before: number): Tail {
	const from = tail.x.findIndex((t) => t > before);
	if (from < 0) return emptyTail();
	return { x: tail.x.slice(from), values: new Map([...tail.values].map(([event, values]) => [event, values.slice(from)])) };
}

export function clampRange(from: number, to: number, least: number, most: number): [number, number] {
	const span = Math.min(to - from, most - least);
	const start = Math.min(Math.max(from, least), most - span);
	return [start, start + span];
}

// Makes the span `factor` as wide; `at` stays where it is.
export function zoomRange([from, to]: [number, number], at: number, factor: number): [number, number] {
	return [at - (at - from) * factor, at + (to - at) * factor];
}

function inRange(curves: Curves, [from, to]: [number, number]): number[] {
	return curves.x.flatMap((x, at) => (x >= from && x <= to ? [at] : []));
}

function csvWord(text: string): string {
	return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function toCsv(curves: Curves, range: [number, number]): string {
	const head = ["seconds", ...curves.lines.flatMap((line) => {
		const name = `${line.name} ${line.unit}`;
		return curves.grouped ? [name, `${name} min`, `${name} max`] : [name];
	})];
	const rows = inRange(curves, range).map((at) => [
		curves.x[at]!.toFixed(6),
		...curves.lines.flatMap((line) => (curves.grouped ? [line.mean[at], line.min[at], line.max[at]] : [line.mean[at]]).map((value) => (value == null || Number.isNaN(value) ? "" : String(value)))),
	]);
	return [head.map(csvWord), ...rows].map((row) => row.join(",")).join("\n") + "\n";
}

function xmlText(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const SVG = { width: 1000, row: 120, left: 70, top: 34, foot: 26 };

// Curves below each other, on one axis of time, as they are on the page.
export function toSvg(curves: Curves, range: [number, number], colors: string[], title: string): string {
	const rows = inRange(curves, range);
	const height = SVG.top + curves.lines.length * SVG.row + SVG.foot;
	const toX = (x: number) => SVG.left + ((x - range[0]) / (range[1] - range[0] || 1)) * (SVG.width - SVG.left - 10);
	const parts = curves.lines.map((line, at) => {
		const most = Math.max(...rows.map((row) => line.max[row] ?? 0), 0) || 1;
		const top = SVG.top + at * SVG.row;
		const toY = (value: number) => top + SVG.row - 12 - (value / most) * (SVG.row - 34);
		const points = rows.flatMap((row) => (line.mean[row] == null || Number.isNaN(line.mean[row]) ? [] : [`${toX(curves.x[row]!).toFixed(1)},${toY(line.mean[row]!).toFixed(1)}`]));
		return `<text x="${SVG.left}" y="${top + 12}" font-weight="bold">${xmlText(line.name)} (${xmlText(line.unit)})</text>` +
			`<text x="4" y="${toY(most) + 4}">${most.toPrecision(4)}</text><text x="4" y="${toY(0) + 4}">0</text>` +
			`<line x1="${SVG.left}" x2="${SVG.width - 10}" y1="${toY(0)}" y2="${toY(0)}" stroke="#999"/>` +
			`<polyline fill="none" stroke="${colors[at % colors.length]}" stroke-width="1.5" points="${points.join(" ")}"/>`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${SVG.width}" height="${height}" font-family="sans-serif" font-size="11">` +
		`<rect width="100%" height="100%" fill="#fff"/><text x="4" y="18" font-size="14">${xmlText(title)}</text>${parts.join("")}` +
		`<text x="${SVG.left}" y="${height - 8}">${range[0].toFixed(3)} s</text><text x="${SVG.width - 80}" y="${height - 8}">${range[1].toFixed(3)} s</text></svg>\n`;
}
