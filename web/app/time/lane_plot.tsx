// SPDX-License-Identifier: Apache-2.0
// The picture of the lanes: a pointer or the arrow keys choose a part of the time.

import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { useSize } from "../flame/size";
import { GridCanvas } from "./canvas";
import type { Lane } from "./data";

export type Part = [number, number]; // of the time: [0, 1] is all of it

export interface Over {
	lane: number;
	part: number;
}

// Where the arrow keys are: they moved from `anchor` to `at`.
export interface Cursor extends Over {
	anchor: number;
}

const STEPS = 100; // of an arrow key from one end to the other

// The lanes' columns as one grid, the first lane on top.
export function gridOf(items: Lane[], most: number) {
	const columns = items[0]?.counts.length ?? 0;
	const rows = items.length;
	const counts = new Array<number>(columns * rows);
	items.forEach((lane, at) => lane.counts.forEach((count, column) => (counts[column * rows + rows - 1 - at] = count)));
	return { columns, rows, counts, most };
}

function within(value: number, most: number): number {
	return Math.max(0, Math.min(most, value));
}

function inOrder([a, b]: Part): Part {
	return a < b ? [a, b] : [b, a];
}

// Where an arrow leads; a step with Shift keeps the other end.
export function stepLane(cursor: Cursor | null, key: string, extend: boolean, lanes: number): Cursor {
	if (!cursor) return { lane: 0, part: 0, anchor: 0 };
	const by = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
	const down = { ArrowUp: -1, ArrowDown: 1 }[key] ?? 0;
	const part = within(Math.round(cursor.part * STEPS + by) / STEPS, 1 - 1 / STEPS);
	return { lane: within(cursor.lane + down, lanes - 1), part, anchor: extend || down ? cursor.anchor : part };
}

// Both ends are taken in.
export function partOf({ part, anchor }: Cursor): Part {
	const [from, to] = inOrder([part, anchor]);
	return [from, within(to + 1 / STEPS, 1)];
}

interface PlotProps {
	items: Lane[];
	most: number;
	chosen: Part | null;
	onOver: (over: Over | null) => void;
	onMove: (part: Part | null) => void; // a part is being chosen
	onRange: (part: Part | null) => void; // it was
	onLane: (lane: number) => void;
	onWidth: (width: number) => void;
}

const LABEL = "Samples over time in lanes. Arrow keys move, Shift with left and right extends, Enter shows that time, " +
	"Space only that lane, Escape all of the time. The table below has the lanes' numbers.";

export function LanePlot({ items, most, chosen, onOver, onMove, onRange, onLane, onWidth }: PlotProps) {
	const [plot, size] = useSize();
	const [drag, setDrag] = useState<Part | null>(null);
	const [cursor, setCursor] = useState<Cursor | null>(null);
	const grid = useMemo(() => gridOf(items, most), [items, most]);
	const at = (event: PointerEvent): Over => {
		const box = plot.current!.getBoundingClientRect();
		return {
			part: within((event.clientX - box.left) / box.width, 1),
			lane: Math.floor(within(((event.clientY - box.top) / box.height) * items.length, items.length - 1)),
		};
	};
	const moveTo = (to: Part | null) => {
		setDrag(to);
		onMove(to && inOrder(to));
	};
	const point = (to: Cursor | null) => {
		setCursor(to);
		onOver(to);
		onMove(to && partOf(to));
	};
	const press = (event: KeyboardEvent) => {
		if (event.key.startsWith("Arrow")) point(stepLane(cursor, event.key, event.shiftKey, items.length));
		else if (event.key === "Enter" && cursor) onRange(partOf(cursor));
		else if (event.key === " " && cursor) onLane(cursor.lane);
		else if (event.key === "Escape") onRange(null);
		else return;
		event.preventDefault();
		event.stopPropagation();
	};
	useLayoutEffect(() => onWidth(size.width), [size.width]);
	const shown = drag ? inOrder(drag) : cursor ? partOf(cursor) : null;
	const box = ([from, to]: Part, name: string, lane?: number) => (
		<div class={name} style={{ left: `${100 * from}%`, width: `${100 * (to - from)}%`,
			top: lane === undefined ? 0 : `${(100 * lane) / items.length}%`, height: lane === undefined ? "100%" : `${100 / items.length}%` }} />
	);
	return (
		<div class="time-plot" ref={plot} tabIndex={0} role="application" aria-roledescription="lanes" aria-label={LABEL}
			onKeyDown={press} onBlur={() => point(null)}
			onPointerDown={(event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				setCursor(null);
				moveTo([at(event).part, at(event).part]);
			}}
			onPointerMove={(event) => (drag ? moveTo([drag[0], at(event).part]) : onOver(at(event)))}
			onPointerLeave={() => onOver(cursor)}
			onPointerCancel={() => moveTo(null)}
			onPointerUp={() => {
				if (drag && Math.abs(drag[1] - drag[0]) * size.width > 3) onRange(inOrder(drag));
				moveTo(null);
			}}>
			<GridCanvas grid={grid} size={size} />
			{chosen && !drag && box(chosen, "time-chosen")}
			{shown && box(shown, "time-moving")}
			{cursor && box([cursor.part, cursor.part + 1 / STEPS], "time-over", cursor.lane)}
		</div>
	);
}
