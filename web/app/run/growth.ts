// SPDX-License-Identifier: Apache-2.0
// The counters of a run that goes on, in memory that does not grow with it: the latest ticks as they are, and the
// whole in columns of which two become one whenever there are too many. Nothing is allocated for a new point.

import type { Columns, Track } from "./columns";

// Columns of the whole and latest ticks; fewer where there are curves for each of many CPUs.
const SIZES = { few: { whole: 2048, recent: 4096 }, many: { whole: 512, recent: 512 } };
const MANY = 100;
const TIME = -1;

// What a curve is made of: a ratio of two counts, or of one and the nanoseconds in which it was counted.
export interface Recipe {
	of: number; // slots of counts
	by: number;
	factor: number;
}
export const perTime = (of: number, factor: number): Recipe => ({ of, by: TIME, factor });

// Marks among the rows: nothing is counted between the two.
export const PAUSED = -2;
const RESUMED = -3;

export type Row = (string | number)[]; // time_ns, event, cpu, value, enabled_ns, running_ns

interface Sums {
	sum: Float64Array;
	weight: Float64Array;
}

function track(length: number, grouped: boolean): Track {
	const mean = new Float64Array(length);
	return grouped ? { mean, min: new Float64Array(length), max: new Float64Array(length) } : { mean, min: mean, max: mean };
}

function columns(curves: number, length: number, step: number, grouped: boolean): Columns {
	return { length: 0, x: new Float64Array(length), tracks: Array.from({ length: curves }, () => track(length, grouped)), step, from: 0, to: 0 };
}

export class Growth {
	readonly whole: Columns;
	readonly recent: Columns;
	readonly gained: Float64Array; // by slot: what was counted behind the answer that it goes on from
	private readonly sums: Sums[];
	private ticks = 0; // in the last column
	private most = 1; // ticks in a column
	private began = 0; // the last column's first tick
	private readonly values: Float64Array; // of the tick that is coming in, by slot; NaN: not yet
	private time = NaN;
	private rows = 0;
	private usual = Infinity; // rows of a tick
	private paused = false;
	private held = false; // the values of a part of an interval wait for the rest

	// slots: where a row's count goes, by event and CPU; undefined: nobody wants it.
	constructor(private readonly recipes: Recipe[], slots: number, private readonly slot: (event: number, cpu: number) => number | undefined, private readonly start: bigint, private readonly interval: number) {
		const size = SIZES[recipes.length > MANY ? "many" : "few"];
		this.whole = columns(recipes.length, size.whole, interval, true);
		this.recent = columns(recipes.length, size.recent, interval, false);
		this.sums = recipes.map(() => ({ sum: new Float64Array(size.whole), weight: new Float64Array(size.whole) }));
		this.values = new Float64Array(slots).fill(NaN);
		this.gained = new Float64Array(slots);
	}

	// What was there before: an answer of the API, of fewer columns than are kept here.
	seed(from: Columns): void {
		const { whole } = this;
		const ticks = Math.max(1, Math.round(from.step / this.interval));
		whole.length = Math.min(from.length, whole.x.length);
		whole.x.set(from.x.subarray(0, whole.length));
		whole.tracks.forEach(({ mean, min, max }, index) => {
			const given = from.tracks[index]!;
			mean.set(given.mean.subarray(0, whole.length));
			min.set(given.min.subarray(0, whole.length));
			max.set(given.max.subarray(0, whole.length));
			const weight = this.recipes[index]!.by === TIME ? ticks * this.interval * 1e9 : ticks;
			for (let i = 0; i < whole.length; i++) {
				const known = !Number.isNaN(mean[i]!);
				this.sums[index]!.weight[i] = known ? weight : 0;
				this.sums[index]!.sum[i] = known ? mean[i]! * weight : 0;
			}
		});
		whole.to = Math.max(0, from.to - 1e-9); // the answer ends a nanosecond behind its last tick
		this.most = this.ticks = ticks;
		whole.step = ticks * this.interval;
	}

	add(rows: Row[]): void {
		for (const [time, event, cpu, value] of rows) {
			const now = this.since(time as string);
			if (event === PAUSED || event === RESUMED) {
				this.endTick(true);
				this.paused = event === PAUSED;
				continue;
			}
			if (now !== this.time) {
				this.endTick();
				this.time = now;
			}
			const slot = this.slot(event as number, cpu as number);
			this.rows++;
			if (slot === undefined) continue;
			const known = this.values[slot]!;
			this.values[slot] = (Number.isNaN(known) ? 0 : known) + Number(value);
		}
		// The last tick may go on in the next piece of the stream.
		if (this.rows >= this.usual) this.endTick();
	}

	private since(time: string): number {
		return Number(BigInt(time) - this.start) / 1e9;
	}

	// A part of an interval says little of a rate: it is of one tick with what follows, unless nothing does.
	private endTick(last = false): void {
		if (!this.rows && !this.held) return;
		const { time } = this;
		this.usual = this.rows || this.usual;
		this.rows = 0;
		this.held = this.recent.length > 0 && time - this.recent.to < this.interval / 2 && !last && !this.paused;
		if (this.held) return;
		if (this.paused) this.values.fill(NaN); // a gap, and not zeros
		if (time > this.recent.to + 1e-9) this.addRecent(time);
		if (time > this.whole.to + 1e-9) this.addWhole(time);
		this.values.fill(NaN);
	}

	private weight({ by }: Recipe, before: number): number {
		return by === TIME ? (this.time - before) * 1e9 : this.values[by]!;
	}

	private addRecent(time: number): void {
		const { recent } = this;
		if (recent.length === recent.x.length) {
			recent.length /= 2;
			recent.x.copyWithin(0, recent.length);
			for (const { mean } of recent.tracks) mean.copyWithin(0, recent.length);
		}
		const at = recent.length++;
		const before = at ? recent.x[at - 1]! : Math.max(0, time - this.interval);
		for (let i = 0; i < this.recipes.length; i++) {
			const recipe = this.recipes[i]!;
			const by = this.weight(recipe, before);
			recent.tracks[i]!.mean[at] = by > 0 ? (this.values[recipe.of]! * recipe.factor) / by : NaN;
		}
		recent.x[at] = time;
		recent.from = Math.max(0, recent.x[0]! - this.interval);
		recent.to = time;
	}

	private addWhole(time: number): void {
		const { whole } = this;
		if (!whole.length || this.ticks >= this.most) this.newColumn(time);
		const at = whole.length - 1;
		for (let i = 0; i < this.recipes.length; i++) {
			const recipe = this.recipes[i]!;
			const by = this.weight(recipe, whole.to);
			const value = this.values[recipe.of]! * recipe.factor;
			if (!(by > 0) || Number.isNaN(value)) continue;
			const { mean, min, max } = whole.tracks[i]!;
			const { sum, weight } = this.sums[i]!;
			sum[at]! += value;
			weight[at]! += by;
			mean[at] = sum[at]! / weight[at]!;
			if (!(value / by >= min[at]!)) min[at] = value / by;
			if (!(value / by <= max[at]!)) max[at] = value / by;
		}
		for (let slot = 0; slot < this.gained.length; slot++) if (!Number.isNaN(this.values[slot]!)) this.gained[slot]! += this.values[slot]!;
		this.ticks++;
		whole.x[at] = (this.began + time) / 2;
		whole.to = time;
	}

	private newColumn(time: number): void {
		const { whole } = this;
		if (whole.length === whole.x.length) this.halve();
		const at = whole.length++;
		for (let i = 0; i < this.recipes.length; i++) {
			const { mean, min, max } = whole.tracks[i]!;
			mean[at] = min[at] = max[at] = NaN;
			this.sums[i]!.sum[at] = this.sums[i]!.weight[at] = 0;
		}
		this.ticks = 0;
		this.began = time;
	}

	// Two columns become one, in place.
	private halve(): void {
		const { whole } = this;
		const half = whole.length / 2;
		for (let i = 0; i < half; i++) whole.x[i] = (whole.x[2 * i]! + whole.x[2 * i + 1]!) / 2;
		whole.tracks.forEach(({ mean, min, max }, index) => {
			const { sum, weight } = this.sums[index]!;
			for (let i = 0; i < half; i++) {
				const [a, b] = [2 * i, 2 * i + 1];
				sum[i] = sum[a]! + sum[b]!;
				weight[i] = weight[a]! + weight[b]!;
				mean[i] = weight[i] ? sum[i]! / weight[i]! : NaN;
				min[i] = min[a]! <= min[b]! || Number.isNaN(min[b]!) ? min[a]! : min[b]!;
				max[i] = max[a]! >= max[b]! || Number.isNaN(max[b]!) ? max[a]! : max[b]!;
			}
		});
		whole.length = half;
		this.most *= 2;
		whole.step = this.most * this.interval;
	}
}
