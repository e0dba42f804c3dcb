// SPDX-License-Identifier: Apache-2.0
// A lane for each CPU or thread, time from left to right. Dragging chooses a range, a lane's name its samples.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { grouped } from "../../flame/words";
import { since } from "../flame/times";
import { useSize } from "../flame/size";
import { GridCanvas } from "./canvas";
import type { HeatAnswer, Lane } from "./data";
import { Range, SECOND } from "./heat";
import { HeatKey, TimeAxis } from "./heatmap";

interface LanesProps {
	answer: HeatAnswer;
	who: string;
	range: Range | null; // since start_ns
	onRange: (range: Range) => void;
	onWho: (who: string) => void;
}

export function whoOf(lane: Lane): string {
	return lane.cpu === undefined ? `t${lane.tid}` : `c${lane.cpu}`;
}

export function nameOf(lane: Lane): string {
	return lane.cpu === undefined ? `${lane.comm} ${lane.tid}` : `CPU ${lane.cpu}`;
}

// The lanes' columns as one grid, the first lane on top.
export function gridOf(items: Lane[], most: number) {
	const columns = items[0]?.counts.length ?? 0;
	const rows = items.length;
	const counts = new Array<number>(columns * rows);
	items.forEach((lane, at) => lane.counts.forEach((count, column) => (counts[column * rows + rows - 1 - at] = count)));
	return { columns, rows, counts, most };
}

// What a scrollbar takes is left out of the margin: the lanes stay on the axis of what is above them.
function useScrollbar(lanes: number) {
	const element = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => element.current?.style.setProperty("--scroll", `${element.current.offsetWidth - element.current.clientWidth}px`), [lanes]);
	return element;
}

interface Over {
	lane: number;
	part: number; // of the time
}

function laneWords(items: Lane[], { lane, part }: Over, time: (part: number) => string): string {
	const { counts, samples } = items[lane]!;
	const count = counts[Math.min(counts.length - 1, Math.floor(part * counts.length))] ?? 0;
	return `${nameOf(items[lane]!)}, ${time(part)}: ${grouped(count)} samples of ${grouped(samples)} in the lane`;
}

interface PlotProps {
	items: Lane[];
	most: number;
	chosen: [number, number] | null; // parts of the time
	onOver: (over: Over | null) => void;
	onDrag: (parts: [number, number] | null) => void;
	onDone: (parts: [number, number]) => void;
	onWidth: (width: number) => void;
}

function Plot({ items, most, chosen, onOver, onDrag, onDone, onWidth }: PlotProps) {
	const [plot, size] = useSize();
	const [drag, setDrag] = useState<[number, number] | null>(null);
	const grid = useMemo(() => gridOf(items, most), [items, most]);
	const at = (event: PointerEvent): Over => {
		const box = plot.current!.getBoundingClientRect();
		const within = (value: number, most: number) => Math.max(0, Math.min(most, value));
		return {
			part: within((event.clientX - box.left) / box.width, 1),
			lane: Math.floor(within(((event.clientY - box.top) / box.height) * items.length, items.length - 1)),
		};
	};
	const move = (to: [number, number] | null) => {
		setDrag(to);
		onDrag(to && inOrder(to));
	};
	useLayoutEffect(() => onWidth(size.width), [size.width]);
	const shown = drag ? inOrder(drag) : chosen;
	return (
		<div class="time-plot" ref={plot}
			onPointerDown={(event) => {
				if (event.button !== 0) return;
				event.currentTarget.setPointerCapture(event.pointerId);
				move([at(event).part, at(event).part]);
			}}
			onPointerMove={(event) => (drag ? move([drag[0], at(event).part]) : onOver(at(event)))}
			onPointerLeave={() => onOver(null)}
			onPointerCancel={() => move(null)}
			onPointerUp={() => {
				if (drag && Math.abs(drag[1] - drag[0]) * size.width > 3) onDone(inOrder(drag));
				move(null);
			}}>
			<GridCanvas grid={grid} size={size} />
			{shown && <div class={drag ? "time-moving" : "time-chosen"} style={{ left: `${100 * shown[0]}%`, width: `${100 * (shown[1] - shown[0])}%`, top: 0, height: "100%" }} />}
		</div>
	);
}

function inOrder([a, b]: [number, number]): [number, number] {
	return a < b ? [a, b] : [b, a];
}

const HINT = "Drag for a time; a name at the left shows only its samples.";

export function LaneMap({ answer, who, range, onRange, onWho }: LanesProps) {
	const items = useMemo(() => answer.items ?? [], [answer]);
	const scroller = useScrollbar(items.length);
	const [width, setWidth] = useState(0);
	const [drag, setDrag] = useState<[number, number] | null>(null);
	const [over, setOver] = useState<Over | null>(null);
	const from = since(answer.from_ns ?? answer.start_ns, answer.start_ns);
	const span = Math.max(1, since(answer.to_ns ?? answer.end_ns, answer.start_ns) - from);
	const time = (part: number) => `${((from + part * span) / SECOND).toFixed(3)} s`;
	if (!items.length)
		return <p class="flame-empty time-none">No sample says on which CPU it was taken: record with --sample-cpu, or the whole host.</p>;
	return (
		<div class="time-map">
			<div class="time-lanes" ref={scroller} style={{ "--lanes": items.length }}>
				<div class="time-names">
					{items.map((lane) => (
						<button key={whoOf(lane)} type="button" aria-pressed={who === whoOf(lane)} title={`Only ${nameOf(lane)}: ${grouped(lane.samples)} samples`}
							onClick={() => onWho(who === whoOf(lane) ? "" : whoOf(lane))}>{nameOf(lane)}</button>
					))}
				</div>
				<Plot items={items} most={answer.most} chosen={range && [(range[0] - from) / span, (range[1] - from) / span]} onOver={setOver}
					onDrag={setDrag} onDone={(parts) => onRange([Math.round(from + parts[0] * span), Math.round(from + parts[1] * span)])} onWidth={setWidth} />
			</div>
			<TimeAxis span={span / SECOND} width={width} from={from / SECOND} />
			<div class="time-said">
				<output>{drag ? `${time(drag[0])} – ${time(drag[1])}` : over ? laneWords(items, over, time) : HINT}</output>
				<HeatKey most={answer.most} />
				{(answer.left_out ?? 0) > 0 && <span>{grouped(answer.left_out!)} lanes with fewer samples are not shown</span>}
			</div>
		</div>
	);
}
