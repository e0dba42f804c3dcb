// SPDX-License-Identifier: Apache-2.0
// A lane for each CPU or thread, time from left to right. Dragging or Shift with arrows chooses a range, a lane's
// name or Space its samples.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { grouped, samplesText } from "../../flame/words";
import { since } from "../flame/times";
import { AsTable } from "./as_table";
import type { HeatAnswer, Lane } from "./data";
import { Range, SECOND } from "./heat";
import { HeatKey, TimeAxis } from "./heatmap";
import { LanePlot, Over, Part } from "./lane_plot";

interface LanesProps {
	answer: HeatAnswer;
	who: string;
	range: Range | null; // since start_ns
	busy: boolean; // other lanes are on their way
	onRange: (range: Range | null) => void;
	fixed: string; // why no lane can be chosen; "": one can
	onWho: (who: string) => void;
}

export function whoOf(lane: Lane): string {
	return lane.cpu === undefined ? `t${lane.tid}` : `c${lane.cpu}`;
}

// Those with a place in its order, then the others.
export function inPlaces(items: Lane[], places: Map<string, number>): Lane[] {
	if (!places.size) return items;
	const place = (lane: Lane) => places.get(whoOf(lane)) ?? Infinity;
	return items.map((lane, at) => ({ lane, at })).sort((a, b) => (place(a.lane) === place(b.lane) ? a.at - b.at : place(a.lane) - place(b.lane))).map(({ lane }) => lane);
}

export function nameOf(lane: Lane): string {
	return lane.cpu === undefined ? `${lane.comm} ${lane.tid}` : `CPU ${lane.cpu}`;
}

// What a scrollbar takes is left out of the margin: the lanes stay on the axis of what is above them.
function useScrollbar(lanes: number) {
	const element = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => element.current?.style.setProperty("--scroll", `${element.current.offsetWidth - element.current.clientWidth}px`), [lanes]);
	return element;
}

function laneWords(items: Lane[], { lane, part }: Over, time: (part: number) => string): string {
	const { counts, samples } = items[lane]!;
	const count = counts[Math.min(counts.length - 1, Math.floor(part * counts.length))] ?? 0;
	return `${nameOf(items[lane]!)}, ${time(part)}: ${samplesText(count)} of ${grouped(samples)} in the lane`;
}

const HINT = "Drag to select a time range; click a name to show only its samples.";

function LaneTable({ items, fixed, onWho }: { items: Lane[]; fixed: string; onWho: (who: string) => void }) {
	return (
		<AsTable label="Samples by lane" heads={["Lane", "Samples", "Show"]} rows={() => items.map((lane) => (
			<tr key={whoOf(lane)}>
				<td>{nameOf(lane)}</td>
				<td>{grouped(lane.samples)}</td>
				<td><button type="button" disabled={fixed !== ""} aria-label={`Show ${nameOf(lane)} only`} onClick={() => onWho(whoOf(lane))}>only this</button></td>
			</tr>
		))} />
	);
}

export function LaneMap({ answer, who, range, busy, fixed, onRange, onWho }: LanesProps) {
	const items = useMemo(() => answer.items ?? [], [answer]);
	const scroller = useScrollbar(items.length);
	const [width, setWidth] = useState(0);
	const [moving, setMoving] = useState<Part | null>(null);
	const [over, setOver] = useState<Over | null>(null);
	const from = since(answer.from_ns ?? answer.start_ns, answer.start_ns);
	const span = Math.max(1, since(answer.to_ns ?? answer.end_ns, answer.start_ns) - from);
	const time = (part: number) => `${((from + part * span) / SECOND).toFixed(3)} s`;
	const choose = (lane: Lane) => fixed || onWho(who === whoOf(lane) ? "" : whoOf(lane));
	if (!items.length)
		return <p class="flame-empty time-none">The samples don't include the CPU: record with --sample-cpu, or the whole host.</p>;
	const words = [over ? laneWords(items, over, time) : "", moving && moving[1] > moving[0] ? `${time(moving[0])} – ${time(moving[1])}` : ""].filter(Boolean).join(" · ");
	return (
		<div class="time-map" aria-busy={busy}>
			<div class="time-lanes" ref={scroller} style={{ "--lanes": items.length }}>
				<div class="time-names">
					{items.map((lane) => (
						<button key={whoOf(lane)} type="button" aria-pressed={who === whoOf(lane)} disabled={fixed !== ""} title={fixed || `Only ${nameOf(lane)}: ${samplesText(lane.samples)}`}
							onClick={() => choose(lane)}>{nameOf(lane)}</button>
					))}
				</div>
				<LanePlot items={items} most={answer.most} chosen={range && [(range[0] - from) / span, (range[1] - from) / span]} onOver={setOver}
					onMove={setMoving} onWidth={setWidth} onLane={(lane) => choose(items[lane]!)}
					onRange={(part) => onRange(part && [Math.round(from + part[0] * span), Math.round(from + part[1] * span)])} />
			</div>
			<TimeAxis span={span / SECOND} width={width} from={from / SECOND} />
			<div class="time-said">
				<output>{words || HINT}</output>
				<HeatKey most={answer.most} />
				{(answer.left_out ?? 0) > 0 && <span>{grouped(answer.left_out!)} more lanes are not shown</span>}
				{answer.note && <span>{answer.note}</span>}
				<LaneTable items={items} fixed={fixed} onWho={onWho} />
			</div>
		</div>
	);
}
