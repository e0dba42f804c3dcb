// SPDX-License-Identifier: Apache-2.0
// Lanes of a recording that goes on: what the stream has told of each CPU and thread, as a picture of lanes and as the
// heatmap of one thread or process.

import { useEffect, useRef, useState } from "preact/hooks";
import { isLive } from "../flame/data";
import type { TabProps } from "../flame/props";
import { after } from "../flame/times";
import { HeatAnswer, LANE_COLUMNS, Lane, Lanes, MOST_LANES, ROWS } from "./data";
import { Heat, SECOND } from "./heat";

const PAUSE_MS = 400; // between two pictures: lanes are wide
const SLOT = SECOND / ROWS;

interface Facts {
	cpu?: number;
	pid?: number;
	tid?: number;
	comm?: string;
}

export interface LaneGrowth {
	event: number;
	start_ns: string;
	first: number;
	lanes: Facts[];
	cells: [number, number, number][]; // lane, slot, samples
	left_out: number;
	full: boolean;
}

export class LiveLanes {
	private lanes: { facts: Facts; slots: number[]; counts: number[] }[] = []; // slots in the order of time
	private leftOut = 0;
	private end = 0; // slots
	private full = false;

	constructor(private start: string) {}

	add({ lanes, cells, left_out, full }: LaneGrowth): void {
		for (const facts of lanes) this.lanes.push({ facts, slots: [], counts: [] });
		for (const [lane, slot, count] of cells) {
			const known = this.lanes[lane];
			if (!known) continue;
			if (known.slots.at(-1) === slot) known.counts[known.counts.length - 1] = count;
			else {
				known.slots.push(slot);
				known.counts.push(count);
			}
			this.end = Math.max(this.end, slot + 1);
		}
		this.leftOut = left_out;
		this.full = full;
	}

	// As the API has them of a finished run.
	lanesBy(kind: Lanes): HeatAnswer {
		const width = Math.max(1, Math.min(LANE_COLUMNS, this.end));
		const all = this.lanes.filter(({ facts }) => (facts.cpu !== undefined) === (kind === "cpu"));
		const items = all.map(({ facts, slots, counts }): Lane => {
			const columns = new Array<number>(width).fill(0);
			slots.forEach((slot, at) => (columns[Math.floor((slot * width) / this.end)]! += counts[at]!));
			return { ...facts, counts: columns, samples: counts.reduce((sum, count) => sum + count, 0) };
		});
		// Those with the most samples; threads in the order in which they came, so that none changes its place.
		const shown = items.slice().sort((a, b) => b.samples - a.samples).slice(0, MOST_LANES);
		shown.sort((a, b) => (kind === "cpu" ? a.cpu! - b.cpu! : items.indexOf(a) - items.indexOf(b)));
		const end = after(this.start, this.end * SLOT);
		return {
			event: null, start_ns: this.start, end_ns: end, from_ns: this.start, to_ns: end,
			samples: items.reduce((sum, { samples }) => sum + samples, 0),
			most: shown.reduce((most, { counts }) => counts.reduce((a, b) => Math.max(a, b), most), 0),
			items: shown, left_out: items.length - shown.length + (kind === "thread" ? this.leftOut : 0),
			...(this.full ? { note: "Too many samples to show live: the rest appears when the run ends" } : {}),
		};
	}

	// The heatmap of a process, thread or CPU: p7, t8, c0.
	heatOf(who: string): Heat {
		const columns = Math.max(1, Math.ceil(this.end / ROWS));
		const counts = new Array<number>(columns * ROWS).fill(0);
		const key = ({ cpu, pid, tid }: Facts) => (who[0] === "c" ? cpu : who[0] === "p" ? pid : tid);
		for (const { facts, slots, counts: own } of this.lanes)
			if (key(facts) === Number(who.slice(1))) slots.forEach((slot, at) => (counts[slot]! += own[at]!));
		return {
			start: this.start, columns, rows: ROWS, counts,
			most: counts.reduce((a, b) => Math.max(a, b), 0), samples: counts.reduce((a, b) => a + b, 0),
		};
	}
}

// Of an event; null while nothing has come.
export function useLiveLanes({ run, subscribe }: TabProps, event: number, wanted: boolean): LiveLanes | null {
	const known = useRef(new Map<number, LiveLanes>());
	const timer = useRef(0);
	const [, setVersion] = useState(0);
	const follows = wanted && isLive(run.state);
	useEffect(() => {
		if (!follows) return;
		known.current.clear();
		const draw = () => {
			timer.current = 0;
			setVersion((version) => version + 1);
		};
		const leave = subscribe([`run:${run.id}:lanes`], (name, data) => {
			if (name !== "lanes" && name !== "lanes-snapshot") return;
			const growth = data as LaneGrowth;
			const lanes = (name === "lanes" && known.current.get(growth.event)) || new LiveLanes(growth.start_ns);
			lanes.add(growth);
			known.current.set(growth.event, lanes);
			timer.current ||= window.setTimeout(draw, PAUSE_MS);
		});
		return () => {
			clearTimeout(timer.current);
			timer.current = 0;
			leave();
		};
	}, [run.id, follows]);
	return follows ? known.current.get(event) ?? null : null;
}
