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

export function LaneMap({ answer, who, range, onRange, onWho }: LanesProps) {
	const items = answer.items ?? [];
	const [plot, size] = useSize();
	const scroller = useScrollbar(items.length);
	const [drag, setDrag] = useState<[number, number] | null>(null);
	const [over, setOver] = useState<{ lane: number; part: number } | null>(null);
	const from = since(answer.from_ns ?? answer.start_ns, answer.start_ns);
	const span = Math.max(1, since(answer.to_ns ?? answer.end_ns, answer.start_ns) - from);
	const grid = useMemo(() => gridOf(items, answer.most), [answer]);
	const part = (event: PointerEvent) => {
		const box = plot.current!.getBoundingClientRect();
		return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
	};
	const laneAt = (event: PointerEvent) => {
		const box = plot.current!.getBoundingClientRect();
		return Math.max(0, Math.min(items.length - 1, Math.floor(((event.clientY - box.top) / box.height) * items.length)));
	};
	const shownRange = drag ? [Math.min(...drag), Math.max(...drag)] : range && [(range[0] - from) / span, (range[1] - from) / span];
	const seconds = (at: number) => ((from + at * span) / SECOND).toFixed(3);
	const lane = over && items[over.lane];
	const words = drag ? `${seconds(Math.min(...drag))} – ${seconds(Math.max(...drag))} s`
		: lane && over ? `${nameOf(lane)}, ${seconds(over.part)} s: ${grouped(lane.counts[Math.min(lane.counts.length - 1, Math.floor(over.part * lane.counts.length))] ?? 0)} samples of ${grouped(lane.samples)} in the lane`
			: "Drag for a time; a name at the left shows only its samples.";
	if (!items.length)
		return <p class="flame-empty time-none">{"No sample says on which CPU it was taken: record with --sample-cpu, or the whole host."}</p>;
	return (
		<div class="time-map">
			<div class="time-lanes" ref={scroller} style={{ "--lanes": items.length }}>
				<div class="time-names">
					{items.map((one) => (
						<button key={whoOf(one)} type="button" aria-pressed={who === whoOf(one)} title={`Only ${nameOf(one)}: ${grouped(one.samples)} samples`}
							onClick={() => onWho(who === whoOf(one) ? "" : whoOf(one))}>{nameOf(one)}</button>
					))}
				</div>
				<div class="time-plot" ref={plot}
					onPointerDown={(event) => {
						if (event.button !== 0) return;
						event.currentTarget.setPointerCapture(event.pointerId);
						setDrag([part(event), part(event)]);
					}}
					onPointerMove={(event) => (drag ? setDrag([drag[0], part(event)]) : setOver({ lane: laneAt(event), part: part(event) }))}
					onPointerLeave={() => setOver(null)}
					onPointerCancel={() => setDrag(null)}
					onPointerUp={() => {
						if (drag && Math.abs(drag[1] - drag[0]) * size.width > 3)
							onRange([Math.round(from + Math.min(...drag) * span), Math.round(from + Math.max(...drag) * span)]);
						setDrag(null);
					}}>
					<GridCanvas grid={grid} size={size} />
					{shownRange && <div class={drag ? "time-moving" : "time-chosen"} style={{ left: `${100 * shownRange[0]!}%`, width: `${100 * (shownRange[1]! - shownRange[0]!)}%`, top: 0, height: "100%" }} />}
				</div>
			</div>
			<TimeAxis span={span / SECOND} width={size.width} from={from / SECOND} />
			<div class="time-said">
				<output>{words}</output>
				<HeatKey most={answer.most} />
				{(answer.left_out ?? 0) > 0 && <span>{grouped(answer.left_out!)} lanes with fewer samples are not shown</span>}
			</div>
		</div>
	);
}
