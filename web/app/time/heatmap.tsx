// SPDX-License-Identifier: Apache-2.0
// The sub-second heatmap: drag from one cell to another, or use the arrow keys with Shift, to choose a range.

import { useState } from "preact/hooks";
import { grouped, samplesText } from "../../flame/words";
import { useSize } from "../flame/size";
import { AsTable } from "./as_table";
import { useDark } from "../model/theme";
import { GridCanvas } from "./canvas";
import { Cell, Heat, Range, SECOND, boxesOf, cellAt, countIn, rangeOf, samplesBySecond, step, ticks } from "./heat";
import { heatPalette } from "./ramp";

interface HeatmapProps {
	heat: Heat;
	range: Range | null;
	busy: boolean; // another map is on its way
	onRange: (range: Range | null) => void;
}

function inSeconds(ns: number): string {
	return (ns / SECOND).toFixed(2);
}

function said(heat: Heat, range: Range): string {
	return `${inSeconds(range[0])} – ${inSeconds(range[1])} s: ${samplesText(countIn(heat, range))}`;
}

function Boxes({ heat, range, name }: { heat: Heat; range: Range; name: string }) {
	const percent = (part: number) => `${100 * part}%`;
	return (
		<>
			{boxesOf(heat, range).map((box, at) => (
				<div key={at} class={name} style={{ left: percent(box.x), top: percent(box.y), width: percent(box.width), height: percent(box.height) }} />
			))}
		</>
	);
}

// Below the map: seconds; at its left: fractions of one.
function Axes({ heat, width }: { heat: Heat; width: number }) {
	return (
		<>
			<div class="time-y" aria-hidden="true"><span>1 s</span><span>½</span><span>0</span></div>
			<TimeAxis span={heat.columns} width={width} whole />
		</>
	);
}

interface AxisProps {
	span: number; // seconds
	width: number; // pixels
	from?: number;
	whole?: boolean; // a second is a column: there is nothing between two
}

export function TimeAxis({ span, width, from = 0, whole = false }: AxisProps) {
	const room = (second: number) => width * (1 - (second - from) / span); // a word that is cut says another time
	const times = ticks(span, Math.max(2, width / 70), from).filter((second) => (!whole || (Number.isInteger(second) && second < span)) && room(second) >= 8 * `${second} s`.length);
	return (
		<div class="time-x" aria-hidden="true">
			{times.map((second) => (
				<span key={second} style={{ transform: `translateX(${(100 * (second - from)) / span}%)` }}>{`${second} s`}</span>
			))}
		</div>
	);
}

export function HeatKey({ most }: { most: number }) {
	const palette = heatPalette(useDark());
	const steps = Array.from({ length: 9 }, (_, i) => palette.css(i / 8)).join(", ");
	return <span class="time-key">none <i style={{ background: `linear-gradient(90deg, ${steps})` }} /> {samplesText(most)}</span>;
}

function Seconds({ heat, onRange }: { heat: Heat; onRange: (range: Range) => void }) {
	const show = (second: number) => onRange([second * SECOND, (second + 1) * SECOND]);
	return (
		<AsTable label="Samples by second" heads={["Second", "Samples", "Show"]} rows={() => samplesBySecond(heat).map((count, second) => (
			<tr key={second}>
				<td>{second}</td>
				<td>{grouped(count)}</td>
				<td><button type="button" aria-label={`Show second ${second} only`} onClick={() => show(second)}>only this</button></td>
			</tr>
		))} />
	);
}

const LABEL = "Samples over time: columns are seconds, rows fractions of a second. Arrow keys move, Shift extends, " +
	"Enter shows the range, Escape all of it. The table below has the same numbers.";

export function Heatmap({ heat, range, busy, onRange }: HeatmapProps) {
	const [plot, size] = useSize();
	const [drag, setDrag] = useState<[Cell, Cell] | null>(null);
	const [over, setOver] = useState<Cell | null>(null);
	const [cursor, setCursor] = useState<{ at: Cell; anchor: Cell } | null>(null);
	const at = (event: PointerEvent): Cell => {
		const box = plot.current!.getBoundingClientRect();
		return cellAt(heat, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
	};
	const press = (event: KeyboardEvent) => {
		if (event.key === "Escape") return onRange(null);
		if (event.key === "Enter" && cursor) onRange(rangeOf(heat, cursor.anchor, cursor.at));
		else if (event.key.startsWith("Arrow")) {
			const next = cursor ? step(heat, cursor.at, event.key) : { column: 0, row: 0 };
			setCursor({ at: next, anchor: event.shiftKey && cursor ? cursor.anchor : next });
		} else return;
		event.preventDefault();
		event.stopPropagation();
	};
	const moving = drag ? rangeOf(heat, ...drag) : cursor && rangeOf(heat, cursor.anchor, cursor.at);
	const words = moving ? said(heat, moving) : over ? said(heat, rangeOf(heat, over, over)) : range ? `Selected: ${said(heat, range)}` : "";
	return (
		<div class="time-map" aria-busy={busy}>
			<div class="time-plot time-heat" ref={plot} tabIndex={0} role="application" aria-roledescription="heatmap"
				aria-label={LABEL}
				onKeyDown={press} onBlur={() => setCursor(null)}
				onPointerDown={(event) => {
					if (event.button !== 0) return;
					event.currentTarget.setPointerCapture(event.pointerId);
					setCursor(null);
					setDrag([at(event), at(event)]);
				}}
				onPointerMove={(event) => (drag ? setDrag([drag[0], at(event)]) : setOver(at(event)))}
				onPointerLeave={() => setOver(null)}
				onPointerCancel={() => setDrag(null)}
				onPointerUp={() => {
					if (drag) onRange(rangeOf(heat, ...drag));
					setDrag(null);
				}}>
				<GridCanvas grid={heat} size={size} />
				{range && !drag && <Boxes heat={heat} range={range} name="time-chosen" />}
				{moving && <Boxes heat={heat} range={moving} name="time-moving" />}
				{over && !drag && <Boxes heat={heat} range={rangeOf(heat, over, over)} name="time-over" />}
			</div>
			<Axes heat={heat} width={size.width} />
			<div class="time-said">
				<output aria-live={cursor ? "polite" : "off"}>{words || `Drag over the map to select a time range. One column is a second, one cell ${1000 / heat.rows} ms.`}</output>
				<HeatKey most={heat.most} />
				<Seconds heat={heat} onRange={onRange} />
			</div>
		</div>
	);
}

