// SPDX-License-Identifier: Apache-2.0
// The range of time that several plots show together. What moves it goes straight to the plots, once a frame of the
// screen; the rest of the page hears of it when the hand rests.

export type Range = [number, number]; // seconds since the start

export function clampRange(from: number, to: number, least: number, most: number): Range {
	const span = Math.min(to - from, most - least);
	const start = Math.min(Math.max(from, least), most - span);
	return [start, start + span];
}

// Makes the span `factor` as wide; `at` stays where it is.
export function zoomRange([from, to]: Range, at: number, factor: number): Range {
	return [at - (at - from) * factor, at + (to - at) * factor];
}

const REST_MS = 180;
const LEAST = 1e-6; // seconds that can be looked at

type Watcher = () => void;

export class View {
	whole: Range = [0, 0.001];
	live = false;
	dragging = false;
	version = 0; // of what the plots show
	onRest: (range: Range | null) => void = () => {};
	private chosen: Range | null = null; // null: the whole run
	private following = false; // the end of a run that goes on
	private readonly watchers = new Set<Watcher>();
	private frame = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;

	get range(): Range {
		return this.chosen ?? this.whole;
	}

	get isWhole(): boolean {
		return this.chosen === null;
	}

	// From outside: the address, or a new run. Nobody is told that does not draw.
	put(range: Range | null): void {
		this.chosen = range;
		this.following = false;
		this.draw();
	}

	// rests: nothing more of it is to come, as while something is dragged.
	set(range: Range | null, rests = false): void {
		const [least, most] = this.whole;
		const span = range ? Math.max(range[1] - range[0], LEAST) : 0;
		this.chosen = !range || span >= most - least ? null : clampRange(range[0], range[0] + span, least, most);
		this.following = this.live && this.chosen !== null && this.chosen[1] >= most - 1e-9;
		this.draw();
		clearTimeout(this.timer);
		if (rests) this.onRest(this.chosen);
		else this.timer = setTimeout(() => this.onRest(this.chosen), REST_MS);
	}

	// The run has become longer.
	grow(end: number): void {
		if (end <= this.whole[1]) return;
		if (this.following && this.chosen) this.chosen = [this.chosen[0] + end - this.whole[1], end];
		this.whole = [this.whole[0], end];
		this.draw();
	}

	panBy(part: number): void {
		const [from, to] = this.range;
		this.set([from + (to - from) * part, to + (to - from) * part]);
	}

	zoom(at: number, factor: number): void {
		this.set(zoomRange(this.range, at, factor));
	}

	// Called before each picture in which something is to be drawn anew.
	watch(watcher: Watcher): () => void {
		this.watchers.add(watcher);
		return () => void this.watchers.delete(watcher);
	}

	// There is something new to show.
	renew(): void {
		this.version++;
		this.draw();
	}

	draw(): void {
		this.frame ||= requestAnimationFrame(() => {
			this.frame = 0;
			for (const watcher of this.watchers) watcher();
		});
	}

	stop(): void {
		clearTimeout(this.timer);
		cancelAnimationFrame(this.frame);
		this.frame = 0;
	}
}
