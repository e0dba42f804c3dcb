// SPDX-License-Identifier: Apache-2.0
// Counters on the axis of the heatmap below. Each line has a height of its own: what belongs together is seen by
// when it happens. Dragging chooses a range.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useSize } from "../flame/size";
import { useDark } from "../model/theme";
import { Range, SECOND } from "./heat";
import { paintOn } from "../run/board";
import { highest } from "../run/columns";
import { drawCurve, penColor, type Raster } from "../run/raster";
import type { View } from "../run/view";
import { Line, meanIn, short, valueAt } from "./lines";

const LIGHT = ["#1b6ca8", "#b4530a", "#2e7d4f", "#7b3fa0", "#8a6d00", "#a3264d"];
const DARK = ["#6cb8f0", "#f2a25c", "#74cc98", "#c79be3", "#dcc25a", "#f08cab"];
const SHOWN = 4; // lines at the beginning
const HEIGHT = 84;

interface CountersProps {
	lines: Line[];
	span: number; // seconds
	range: Range | null;
	onRange: (range: Range | null) => void;
	view: View; // tells of new points
}

function options(width: number, span: () => number, onDraw: (plot: uPlot) => void, onSelect: (plot: uPlot) => void): uPlot.Options {
	return {
		width,
		height: HEIGHT,
		padding: [4, 0, 2, 0],
		legend: { show: false },
		axes: [{ show: false }, { show: false }],
		cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
		select: { show: true, left: 0, top: 0, width: 0, height: 0 },
		scales: { x: { time: false, auto: false, range: () => [0, span()] }, y: { range: [0, 1] } },
		series: [{}, {}],
		hooks: { draw: [onDraw], setSelect: [onSelect] },
	};
}

interface Drawn {
	line: Line;
	color: string;
}

// Each line by itself, up to its highest value.
function paint(raster: Raster, lines: Drawn[], span: number): void {
	const ratio = devicePixelRatio || 1;
	for (const { line: { columns, track, offset }, color } of lines) {
		const frame = { from: -offset, to: span - offset };
		const found = [{ columns, from: frame.from, to: frame.to }];
		drawCurve(raster, { color: penColor(color), width: 1.4 * ratio, area: 0, band: 0 }, found, track, { ...frame, top: (highest(found, track) || 1) * 1.08 });
	}
}

function usePlot({ span, range, onRange, view }: CountersProps, lines: Drawn[], width: number, onCursor: (at: number | null) => void) {
	const host = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | null>(null);
	const now = useRef({ onRange, onCursor, span, lines, quiet: false });
	now.current = { ...now.current, onRange, onCursor, span, lines };
	const draw = () => plot.current?.batch(() => plot.current!.setScale("x", { min: 0, max: now.current.span }));
	useLayoutEffect(() => {
		if (!width) return undefined;
		const made = new uPlot(options(width, () => now.current.span, (drawn) => paintOn(drawn, (raster) => paint(raster, now.current.lines, now.current.span)), ({ select }) => {
			if (now.current.quiet || select.width < 3) return;
			const at = (left: number) => Math.round(made.posToVal(left, "x") * SECOND);
			now.current.onRange([at(select.left), at(select.left + select.width)]);
		}), [[], []], host.current!);
		made.over.addEventListener("mousemove", () => now.current.onCursor(made.cursor.left === undefined || made.cursor.left < 0 ? null : made.posToVal(made.cursor.left, "x")));
		made.over.addEventListener("mouseleave", () => now.current.onCursor(null));
		plot.current = made;
		draw();
		return () => {
			plot.current = null;
			made.destroy();
		};
	}, [width]);
	useEffect(() => void draw(), [lines.map(({ line, color }) => line.name + color).join(), lines.map(({ line }) => line.columns), span, width].flat());
	useEffect(() => view.watch(draw), [view]); // new points
	useEffect(() => {
		const made = plot.current;
		if (!made) return;
		now.current.quiet = true;
		const left = range ? made.valToPos(range[0] / SECOND, "x") : 0;
		const right = range ? made.valToPos(range[1] / SECOND, "x") : 0;
		made.setSelect({ left, width: right - left, top: 0, height: made.over.clientHeight }, false);
		now.current.quiet = false;
	}, [range?.[0], range?.[1], width, span]);
	return host;
}

export function Counters(props: CountersProps) {
	const [off, setOff] = useState<ReadonlySet<string> | null>(null);
	const [cursor, setCursor] = useState<number | null>(null);
	const [box, size] = useSize();
	const colors = useDark() ? DARK : LIGHT;
	const hidden = off ?? new Set(props.lines.slice(SHOWN).map(({ name }) => name));
	const all = props.lines.map((line, at) => ({ line, color: colors[at % colors.length]! }));
	const seen = all.filter(({ line }) => !hidden.has(line.name));
	const host = usePlot(props, seen, size.width, setCursor);
	const toggle = (name: string) => {
		const next = new Set(hidden);
		if (!next.delete(name)) next.add(name);
		setOff(next);
	};
	const value = (line: Line) => short(cursor === null ? meanIn(line, props.range) : valueAt(line, cursor), line);
	return (
		<div class="time-counters">
			<div class="time-plot" ref={box}><div ref={host} /></div>
			<div class={`time-lines${props.lines.length ? "" : " none"}`} role="group" aria-label="Lines">
				<span class="time-what">{cursor !== null ? `at ${cursor.toFixed(2)} s` : props.range ? "mean of the selected time" : "mean"}</span>
				{all.map(({ line, color }) => (
					<button key={line.name} type="button" aria-pressed={!hidden.has(line.name)} title={`${line.words}; ${hidden.has(line.name) ? "show it" : "hide it"}`} onClick={() => toggle(line.name)}>
						<i style={{ background: color }} /><span>{line.name}</span> <b>{value(line)}</b>
					</button>
				))}
			</div>
		</div>
	);
}
