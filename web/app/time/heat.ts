// SPDX-License-Identifier: Apache-2.0
// FlameScope's heatmap: columns are seconds, rows fractions of one, and time runs up each column and then
// on to the next. Where a place is which time, and the other way round. Times are nanoseconds since `start`.

export interface Heat {
	start: string; // nanoseconds: when the first column begins
	columns: number;
	rows: number;
	counts: number[]; // at [second * rows + fraction]
	most: number;
	samples: number;
	end?: number; // seconds, of the recording: the last column is seldom a whole second; absent while it goes on
}

export interface Cell {
	column: number;
	row: number;
}

export type Range = [number, number]; // from and to, `to` is not part of it

export const SECOND = 1e9;

// A place as parts of the picture, from its left upper corner.
export function cellAt(heat: Heat, x: number, y: number): Cell {
	const within = (value: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(value * count)));
	return { column: within(x, heat.columns), row: heat.rows - 1 - within(y, heat.rows) };
}

export function timeOf(heat: Heat, { column, row }: Cell): number {
	return (column + row / heat.rows) * SECOND;
}

// From one cell to another, both taken in, whichever comes first.
export function rangeOf(heat: Heat, a: Cell, b: Cell): Range {
	const [first, last] = timeOf(heat, a) <= timeOf(heat, b) ? [a, b] : [b, a];
	return [Math.round(timeOf(heat, first)), Math.round(timeOf(heat, { column: last.column, row: last.row + 1 }))];
}

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

// The part of the picture that a range takes, as parts of it: at most a rest of a column, whole columns and
// the beginning of one.
export function boxesOf(heat: Heat, [from, to]: Range): Box[] {
	const boxes: Box[] = [];
	const add = (column: number, count: number, low: number, high: number) => {
		if (high > low && count > 0)
			boxes.push({ x: column / heat.columns, y: 1 - high, width: count / heat.columns, height: high - low });
	};
	const first = Math.floor(from / SECOND);
	const last = Math.floor(to / SECOND);
	if (first === last) add(first, 1, from / SECOND - first, to / SECOND - first);
	else {
		const whole = from === first * SECOND ? first : first + 1;
		if (whole > first) add(first, 1, from / SECOND - first, 1);
		add(whole, last - whole, 0, 1);
		add(last, 1, 0, to / SECOND - last);
	}
	return boxes;
}

export function countIn(heat: Heat, [from, to]: Range): number {
	const first = Math.max(0, Math.round((from / SECOND) * heat.rows));
	const last = Math.min(heat.counts.length, Math.round((to / SECOND) * heat.rows));
	let sum = 0;
	for (let i = first; i < last; i++) sum += heat.counts[i]!;
	return sum;
}

export function samplesBySecond(heat: Heat): number[] {
	return Array.from({ length: heat.columns }, (_, second) =>
		heat.counts.slice(second * heat.rows, (second + 1) * heat.rows).reduce((sum, count) => sum + count, 0));
}

// The cell that arrows lead to; sideways by seconds, up and down by fractions, on into the next second.
export function step(heat: Heat, { column, row }: Cell, key: string): Cell {
	const last = heat.columns * heat.rows - 1;
	const by = { ArrowLeft: -heat.rows, ArrowRight: heat.rows, ArrowUp: 1, ArrowDown: -1 }[key] ?? 0;
	const at = column * heat.rows + row + by;
	if (at < 0 || at > last) return { column, row };
	return { column: Math.floor(at / heat.rows), row: at % heat.rows };
}

export function emptyHeat(start: string, rows: number): Heat {
	return { start, columns: 1, rows, counts: new Array<number>(rows).fill(0), most: 0, samples: 0 };
}

// Takes new and changed cells in: [second, row, samples]. Gives a new object, since what is shown changed.
export function merge(heat: Heat, cells: [number, number, number][]): Heat {
	const counts = heat.counts;
	let { most, samples, columns } = heat;
	for (const [second, row, count] of cells) {
		if (row >= heat.rows || second > 1e6) continue;
		for (; columns <= second; columns++) for (let i = 0; i < heat.rows; i++) counts.push(0);
		const at = second * heat.rows + row;
		samples += count - counts[at]!;
		counts[at] = count;
		most = Math.max(most, count);
	}
	return { ...heat, counts, most, samples, columns };
}

// Counts in as many columns as there are pixels: of cells that fall together the largest counts, so that a
// short burst in a long recording is seen.
export function squeeze(counts: number[], columns: number, rows: number, width: number): { columns: number; counts: number[] } {
	if (columns <= width) return { columns, counts };
	const made = new Array<number>(width * rows).fill(0);
	for (let column = 0; column < columns; column++) {
		const to = Math.floor((column * width) / columns) * rows;
		for (let row = 0; row < rows; row++) made[to + row] = Math.max(made[to + row]!, counts[column * rows + row]!);
	}
	return { columns: width, counts: made };
}

// Seconds between two marks.
const STEPS = [
	1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30,
	60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400,
];

// Times for the marks of an axis, in seconds, at most about `most` of them: round ones from `from` on.
export function ticks(span: number, most: number, from = 0): number[] {
	const by = STEPS.find((one) => span / one <= most) ?? span;
	const first = Math.ceil(from / by - 1e-9);
	const last = Math.floor((from + span) / by + 1e-9);
	return Array.from({ length: Math.max(0, last - first) + 1 }, (_, i) => Number(((first + i) * by).toFixed(6)));
}
