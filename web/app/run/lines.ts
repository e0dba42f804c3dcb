// SPDX-License-Identifier: Apache-2.0
// Counters as curves: what each one is called and measured in, what it is made of, and as CSV or SVG.
// No browser in here.

import type { Counters } from "../api/schema";
import { exact, moment, seconds } from "../model/format";
import { csvNumber, csvWord } from "./csv";
import { columnAt, columnNear, columnsOf, highest, meanOver, pieces, type Columns, type Piece } from "./columns";
import { Growth, perTime, type Recipe } from "./growth";
import { countedOf, rateUnit, ratioUnit, totalWords, type Counted, type Unit } from "./units";
import type { Range } from "./view";

export interface Line {
	name: string;
	plot: string; // curves of one event share a plot: its CPUs
	cpu: number; // -1: all together
	unit: Unit;
	total: string; // of the whole run, or since the counters were reset; "" for ratios
	counted?: Counted; // not for ratios
	shared: boolean; // its counter was shared: values are scaled
	ratio?: Recipe; // of other curves
}

export interface Curves {
	lines: Line[];
	sources: Columns[]; // each has a track for each line
	interval: number; // seconds
	resets: number[]; // seconds: where the counters began at zero again
	paused: number; // seconds in which nothing was counted
	gained?: Float64Array; // while a run goes on: what came to the totals since
}

export function intervalOf(counters: Counters): number {
	return Number(counters.interval_ns) / 1e9 || 1;
}

function cpuName(name: string, cpu: number): string {
	return cpu < 0 ? name : `${name} CPU ${cpu}`;
}

// Two ratios of one kind are told apart by what they are of: IPC of instructions:u.
function ratioName({ name, of, cpu }: Counters["ratios"][number], all: Counters["ratios"]): string {
	return all.some((other) => other.name === name && other.cpu === cpu && other.of !== of) ? `${name} of ${of}` : name;
}

function recipeOf({ of, by, cpu, unit }: Counters["ratios"][number], { lines }: Counters): Recipe {
	const slotOf = (event: string) => lines.findIndex((line) => line.event === event && line.cpu === cpu);
	const factor = unit === "%" ? 100 : 1;
	return by ? { of: slotOf(of), by: slotOf(by), factor } : perTime(slotOf(of), factor);
}

export function linesOf(counters: Counters): Line[] {
	return [
		...counters.lines.map(({ event, index, cpu, total, share_counted }): Line => {
			const counted = countedOf(counters, index);
			return { name: cpuName(event, cpu), plot: event, cpu, unit: rateUnit(counted), total, counted, shared: share_counted > 0 && share_counted < 0.999 };
		}),
		...counters.ratios.map((ratio): Line => {
			const plot = ratioName(ratio, counters.ratios);
			return { name: cpuName(plot, ratio.cpu), plot, cpu: ratio.cpu, unit: ratioUnit(ratio.unit), total: "", shared: false, ratio: recipeOf(ratio, counters) };
		}),
	];
}

export function curvesOf(counters: Counters): Curves {
	const lines = linesOf(counters);
	return { lines, sources: [columnsOf(counters, lines.map(({ unit }) => unit.factor))], interval: intervalOf(counters), resets: counters.resets.map((ns) => seconds(ns, counters.start_ns)), paused: counters.pauses.reduce((sum, [from, to]) => sum + seconds(to!, from!), 0) };
}

// What goes on from an answer of the API: the same curves, made of rows of the stream.
export function growthOf(counters: Counters, curves: Curves): Growth {
	const each = counters.lines.some(({ cpu }) => cpu >= 0);
	const slots = new Map(counters.lines.map(({ index, cpu }, slot) => [index * 65536 + cpu + 1, slot]));
	const recipes = curves.lines.map(({ ratio, unit }, slot) => ratio ?? perTime(slot, unit.factor * 1e9));
	const growth = new Growth(recipes, counters.lines.length, (event, cpu) => slots.get(event * 65536 + (each ? cpu + 1 : 0)), BigInt(counters.start_ns), curves.interval);
	growth.seed(curves.sources[0]!);
	return growth;
}

// What was counted in all, "" for ratios: since the counters were last reset, if they were.
export function totalOf({ lines, gained, resets, paused }: Curves, track: number): string {
	const { counted, total } = lines[track]!;
	if (!counted) return "";
	const more = gained?.[track];
	const words = totalWords(counted, more ? Number(total) + more : total);
	const last = resets[resets.length - 1];
	if (last !== undefined) return `${words} since the reset at ${moment(last, 10)}`;
	return paused ? `${words} in all but the ${exact(paused)} that it was paused` : `${words} in all`;
}

// The mean over a range; that of a ratio is the ratio of what both counted there.
export function meanOf({ lines }: Curves, found: Piece[], track: number): number {
	const { ratio } = lines[track]!;
	if (!ratio || ratio.by < 0) return meanOver(found, track);
	const scale = (at: number) => lines[at]!.unit.factor;
	return (meanOver(found, ratio.of, ratio.by) * ratio.factor * scale(ratio.by)) / scale(ratio.of);
}

const SAVED = 1200; // columns at most

export function inRange({ sources }: Curves, [from, to]: Range, columns = SAVED): Piece[] {
	return pieces(sources, from, to, (to - from) / columns);
}

// The column that a moment belongs to, in what is drawn there.
export function momentOf(curves: Curves, range: Range, at: number, columns: number): { columns: Columns; index: number } | null {
	const found = inRange(curves, range, columns);
	const piece = found.find(({ from, to }) => at >= from && at < to) ?? (at >= range[1] ? found[found.length - 1] : found[0]);
	const index = piece ? columnNear(piece.columns, at) : -1;
	return index < 0 ? null : { columns: piece!.columns, index };
}

function* rowsOf(found: Piece[]): Generator<[Columns, number]> {
	for (const { columns, from, to } of found) {
		const end = columnAt(columns, to + 1e-9);
		for (let i = columnAt(columns, from); i < end; i++) yield [columns, i];
	}
}

// Rows of a table: seconds, and a value for each line.
export function tableOf(curves: Curves, range: Range, columns: number): { seconds: number; values: number[] }[] {
	return [...rowsOf(inRange(curves, range, columns))].map(([from, i]) => ({ seconds: from.x[i]!, values: from.tracks.map(({ mean }) => mean[i]!) }));
}

export function toCsv(curves: Curves, range: Range, shown: number[] = curves.lines.map((_, at) => at)): string {
	const found = inRange(curves, range);
	const grouped = found.some(({ columns }) => columns.tracks.some(({ mean, min }) => mean !== min));
	const head = ["seconds", ...shown.flatMap((at) => {
		const name = `${curves.lines[at]!.name} ${curves.lines[at]!.unit.words}`;
		return grouped ? [name, `${name} min`, `${name} max`] : [name];
	})];
	const lines = [head.map(csvWord).join(",")];
	for (const [{ x, tracks }, i] of rowsOf(found))
		lines.push([x[i]!.toFixed(6), ...shown.flatMap((at) => {
			const { mean, min, max } = tracks[at]!;
			return grouped ? [mean[i]!, min[i]!, max[i]!].map(csvNumber) : [csvNumber(mean[i]!)];
		})].join(","));
	return `${lines.join("\n")}\n`;
}

function xmlText(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const SVG = { width: 1000, row: 120, left: 70, top: 34, foot: 26 };

// A path that begins anew behind each gap.
function svgCurve(found: Piece[], at: number, toX: (x: number) => number, toY: (y: number) => number): string {
	const points: string[] = [];
	let gap = true;
	for (const [{ x, tracks }, i] of rowsOf(found)) {
		const value = tracks[at]!.mean[i]!;
		if (!Number.isNaN(value)) points.push(`${gap ? "M" : "L"}${toX(x[i]!).toFixed(1)},${toY(value).toFixed(1)}`);
		gap = Number.isNaN(value);
	}
	return points.join("");
}

// Curves below each other, on one axis of time, as they are on the page.
export function toSvg(curves: Curves, range: Range, colors: string[], title: string, shown: number[] = curves.lines.map((_, at) => at)): string {
	const found = inRange(curves, range);
	const height = SVG.top + shown.length * SVG.row + SVG.foot;
	const toX = (x: number) => SVG.left + ((x - range[0]) / (range[1] - range[0] || 1)) * (SVG.width - SVG.left - 10);
	const parts = shown.map((at, place) => {
		const { name, unit } = curves.lines[at]!;
		const most = highest(found, at) || 1;
		const top = SVG.top + place * SVG.row;
		const toY = (value: number) => top + SVG.row - 12 - (value / most) * (SVG.row - 34);
		return `<text x="${SVG.left}" y="${top + 12}" font-weight="bold">${xmlText(`${name} (${unit.words})`)}</text>` +
			`<text x="4" y="${toY(most) + 4}">${Number(most.toPrecision(4))}${xmlText(unit.sign)}</text><text x="4" y="${toY(0) + 4}">0</text>` +
			`<line x1="${SVG.left}" x2="${SVG.width - 10}" y1="${toY(0)}" y2="${toY(0)}" stroke="#999"/>` +
			`<path fill="none" stroke="${colors[at % colors.length]}" stroke-width="1.5" d="${svgCurve(found, at, toX, toY)}"/>`;
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${SVG.width}" height="${height}" font-family="sans-serif" font-size="11">` +
		`<rect width="100%" height="100%" fill="#fff"/><text x="4" y="18" font-size="14">${xmlText(title)}</text>${parts.join("")}` +
		`<text x="${SVG.left}" y="${height - 8}">${range[0].toFixed(3)} s</text><text x="${SVG.width - 80}" y="${height - 8}">${range[1].toFixed(3)} s</text></svg>\n`;
}
