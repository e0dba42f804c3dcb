// SPDX-License-Identifier: Apache-2.0
// Counters on the axis of the heatmap below. Each line has a height of its own: what belongs together is seen by
// when it happens. Dragging chooses a range.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useSize } from "../flame/size";
import { useDark } from "./canvas";
import { Range, SECOND } from "./heat";
import { Line, meanIn, short } from "./lines";

const LIGHT = ["#1b6ca8", "#b4530a", "#2e7d4f", "#7b3fa0", "#8a6d00", "#a3264d"];
const DARK = ["#6cb8f0", "#f2a25c", "#74cc98", "#c79be3", "#dcc25a", "#f08cab"];
const SHOWN = 4; // lines at the beginning
const HEIGHT = 84;

interface CountersProps {
	lines: Line[];
	span: number; // seconds
	range: Range | null;
	onRange: (range: Range | null) => void;
}

function plotOptions(lines: Line[], colors: string[], width: number, span: () => number, onSelect: (plot: uPlot) => void): uPlot.Options {
	const scales: uPlot.Scales = { x: { time: false, range: () => [0, span()] } };
	lines.forEach((_, at) => (scales[`y${at}`] = { range: (_plot, _min, most) => [0, (most || 1) * 1.08] }));
	return {
		width,
		height: HEIGHT,
		padding: [4, 0, 2, 0],
		legend: { show: false },
		axes: [{ show: false }],
		cursor: { y: false, points: { size: 5 }, drag: { x: true, y: false, setScale: false } },
		select: { show: true, left: 0, top: 0, width: 0, height: 0 },
		scales,
		series: [{}, ...lines.map(({ name }, at): uPlot.Series => ({
			label: name, scale: `y${at}`, stroke: colors[at % colors.length], width: 1.5, spanGaps: true, points: { show: false },
		}))],
		hooks: { setSelect: [onSelect] },
	};
}

// One time axis for lines that were measured at different times.
function tableOf(lines: Line[]): uPlot.AlignedData {
	return uPlot.join(lines.map(({ t, values }) => [t, values] as uPlot.AlignedData));
}

function usePlot({ lines, span, range, onRange }: CountersProps, colors: string[], width: number, onCursor: (at: number | null) => void) {
	const host = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | null>(null);
	const now = useRef({ onRange, onCursor, span, quiet: false });
	now.current = { ...now.current, onRange, onCursor, span };
	const look = [...lines.map(({ name }) => name), ...colors].join(); // what makes it another plot
	useLayoutEffect(() => {
		if (!width) return;
		const made = new uPlot(plotOptions(lines, colors, width, () => now.current.span, ({ select, posToVal }) => {
			if (now.current.quiet || select.width < 3) return;
			now.current.onRange([Math.round(posToVal.call(made, select.left, "x") * SECOND), Math.round(posToVal.call(made, select.left + select.width, "x") * SECOND)]);
		}), tableOf(lines), host.current!);
		made.over.addEventListener("mousemove", () => now.current.onCursor(made.cursor.left === undefined || made.cursor.left < 0 ? null : made.posToVal(made.cursor.left, "x")));
		made.over.addEventListener("mouseleave", () => now.current.onCursor(null));
		plot.current = made;
		return () => {
			plot.current = null;
			made.destroy();
		};
	}, [look, width]);
	useEffect(() => {
		plot.current?.batch(() => {
			plot.current!.setData(tableOf(lines), false);
			plot.current!.setScale("x", { min: 0, max: span });
		});
	}, [lines, span]);
	useEffect(() => {
		const made = plot.current;
		if (!made) return;
		now.current.quiet = true;
		const left = range ? made.valToPos(range[0] / SECOND, "x") : 0;
		const right = range ? made.valToPos(range[1] / SECOND, "x") : 0;
		made.setSelect({ left, width: right - left, top: 0, height: made.over.clientHeight }, false);
		now.current.quiet = false;
	}, [range?.[0], range?.[1], look, width, lines, span]);
	return host;
}

function valueAt({ t, values }: Line, at: number): number | null {
	let low = 0;
	let high = t.length - 1;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (t[middle]! < at) low = middle + 1;
		else high = middle;
	}
	const near = low && Math.abs(t[low - 1]! - at) < Math.abs(t[low]! - at) ? low - 1 : low;
	return values[near] ?? null;
}

export function Counters(props: CountersProps) {
	const [off, setOff] = useState<ReadonlySet<string> | null>(null);
	const [cursor, setCursor] = useState<number | null>(null);
	const [box, size] = useSize();
	const colors = useDark() ? DARK : LIGHT;
	const hidden = off ?? new Set(props.lines.slice(SHOWN).map(({ name }) => name));
	const all = props.lines.map((line, at) => ({ line, color: colors[at % colors.length]! }));
	const seen = all.filter(({ line }) => !hidden.has(line.name));
	const host = usePlot({ ...props, lines: seen.map(({ line }) => line) }, seen.map(({ color }) => color), size.width, setCursor);
	const toggle = (name: string) => {
		const next = new Set(hidden);
		if (!next.delete(name)) next.add(name);
		setOff(next);
	};
	const value = (line: Line) => short(cursor === null ? meanIn(line, props.range) : valueAt(line, cursor));
	return (
		<div class="time-counters">
			<div class="time-plot" ref={box}><div ref={host} /></div>
			<div class="time-lines" role="group" aria-label="Lines">
				<span class="time-what">{cursor !== null ? `at ${cursor.toFixed(2)} s` : props.range ? "mean of the chosen time" : "mean"}</span>
				{all.map(({ line, color }) => (
					<button key={line.name} type="button" aria-pressed={!hidden.has(line.name)} title={hidden.has(line.name) ? "Show it" : "Hide it"} onClick={() => toggle(line.name)}>
						<i style={{ background: color }} />{line.name} {line.per} <b>{value(line)}</b>
					</button>
				))}
			</div>
		</div>
	);
}
