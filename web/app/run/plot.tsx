// SPDX-License-Identifier: Apache-2.0
// One plot: uPlot with our hands on it. Drag a box to zoom or drag to pan, the wheel zooms, keys do both.
// Plots of one page share the axis of time and the cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { moment, short } from "../model/format";
import { useWidth } from "../model/hooks";
import { clampRange, zoomRange } from "./lines";

export type Range = [number, number];

export interface PlotSeries {
	label: string;
	color: string;
	values: (number | null)[];
	min?: (number | null)[]; // a band, where points stand for several
	max?: (number | null)[];
}

export interface PlotProps {
	name: string;
	x: number[];
	series: PlotSeries[];
	range: Range;
	whole: Range;
	onRange: (range: Range) => void;
	drag: "zoom" | "pan";
	height: number;
	axis: boolean; // times below it
	dots?: boolean;
	top?: number; // of y; else the highest value
	format?: (value: number) => string;
	onPoint: (at: number | null) => void;
	onPlot?: (plot: uPlot | null) => void;
}

function tokens(): { ink: string; dim: string; line: string } {
	const style = getComputedStyle(document.documentElement);
	const token = (name: string) => style.getPropertyValue(name).trim();
	return { ink: token("--ink"), dim: token("--dim"), line: token("--line") };
}

function columns({ x, series }: PlotProps): uPlot.AlignedData {
	return [x, ...series.flatMap((one) => (one.min ? [one.values, one.max!, one.min] : [one.values]))] as uPlot.AlignedData;
}

function seriesOptions({ series, dots }: PlotProps): { list: uPlot.Series[]; bands: uPlot.Band[] } {
	const list: uPlot.Series[] = [{}];
	const bands: uPlot.Band[] = [];
	for (const one of series) {
		list.push({ label: one.label, stroke: one.color, width: dots ? 0 : 1.5, points: { show: dots ?? false, size: 3, fill: one.color, width: 0 }, spanGaps: false, ...(dots ? { paths: () => null } : {}) });
		if (!one.min) continue;
		list.push({ stroke: "transparent", points: { show: false } }, { stroke: "transparent", points: { show: false } });
		bands.push({ series: [list.length - 2, list.length - 1], fill: `${one.color}38` });
	}
	return { list, bands };
}

function options(props: PlotProps, width: number, live: { current: PlotProps }): uPlot.Options {
	const { ink, line, dim } = tokens();
	const { list, bands } = seriesOptions(props);
	const span = () => live.current.range[1] - live.current.range[0];
	return {
		width,
		height: props.height,
		series: list,
		bands,
		legend: { show: false },
		padding: [6, 22, props.axis ? 0 : 6, 0],
		scales: { x: { time: false, auto: false }, y: { range: (_, __, most) => [0, live.current.top ?? (most > 0 ? most * 1.06 : 1)] } },
		axes: [
			{ show: props.axis, stroke: dim, grid: { stroke: line, width: 1 }, ticks: { stroke: line }, size: 26, font: "11px system-ui", values: (_, at) => at.map((value) => moment(value, span())) },
			{ stroke: dim, grid: { stroke: line, width: 1 }, ticks: { show: false }, size: 62, space: 26, font: "11px system-ui", values: (_, at) => at.map((value) => (live.current.format ?? short)(value)) },
		],
		cursor: {
			sync: { key: "perfolio", setSeries: false, scales: ["x", null] },
			drag: { x: true, y: false, setScale: false },
			points: { size: 7, fill: ink },
			y: false,
		},
		hooks: {
			setCursor: [(plot) => live.current.onPoint(plot.cursor.idx ?? null)],
			setSelect: [
				(plot) => {
					const { left, width: wide } = plot.select;
					if (live.current.drag !== "zoom" || wide < 4) return;
					const range: Range = [plot.posToVal(left, "x"), plot.posToVal(left + wide, "x")];
					plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
					live.current.onRange(range);
				},
			],
		},
	};
}

// Wheel, and dragging to pan. The box of a zoom is uPlot's own.
function handle(plot: uPlot, live: { current: PlotProps }): void {
	const over = plot.over;
	const set = (range: Range) => {
		const [least, most] = live.current.whole;
		live.current.onRange(clampRange(range[0], range[1], least, most));
	};
	over.addEventListener("wheel", (event) => {
		event.preventDefault();
		const { range } = live.current;
		const span = range[1] - range[0];
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			const by = ((event.deltaX || event.deltaY) / over.clientWidth) * span;
			return set([range[0] + by, range[1] + by]);
		}
		const at = plot.posToVal(event.offsetX, "x");
		set(zoomRange(range, at, event.deltaY < 0 ? 0.8 : 1.25));
	}, { passive: false });
	over.addEventListener("pointerdown", (event) => {
		if (live.current.drag !== "pan" || event.button) return;
		const from = event.clientX;
		const { range } = live.current;
		const perPixel = (range[1] - range[0]) / over.clientWidth;
		const move = (now: PointerEvent) => set([range[0] - (now.clientX - from) * perPixel, range[1] - (now.clientX - from) * perPixel]);
		const up = () => {
			removeEventListener("pointermove", move);
			removeEventListener("pointerup", up);
		};
		addEventListener("pointermove", move);
		addEventListener("pointerup", up);
	});
	over.addEventListener("dblclick", () => live.current.onRange(live.current.whole));
}

export function panByKey(event: KeyboardEvent, { range, whole, onRange }: Pick<PlotProps, "range" | "whole" | "onRange">): void {
	const span = range[1] - range[0];
	const middle = (range[0] + range[1]) / 2;
	const to: Record<string, () => Range> = {
		ArrowLeft: () => [range[0] - span / 8, range[1] - span / 8],
		ArrowRight: () => [range[0] + span / 8, range[1] + span / 8],
		"+": () => zoomRange(range, middle, 0.7),
		"=": () => zoomRange(range, middle, 0.7),
		"-": () => zoomRange(range, middle, 1 / 0.7),
		Home: () => [whole[0], whole[0] + span],
		End: () => [whole[1] - span, whole[1]],
		"0": () => whole,
		Escape: () => whole,
	};
	const make = to[event.key];
	if (!make || event.ctrlKey || event.altKey || event.metaKey) return;
	event.preventDefault();
	event.stopPropagation();
	const [from, until] = make();
	onRange(clampRange(from, until, whole[0], whole[1]));
}

export function Plot(props: PlotProps) {
	const [measure, width] = useWidth<HTMLDivElement>();
	const host = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot | undefined>(undefined);
	const live = useRef(props);
	live.current = props;
	const shape = `${props.axis} ${props.dots} ${props.height} ${props.series.map((one) => `${one.label}${one.color}${!!one.min}`).join()} ${useDark()}`;
	useEffect(() => {
		if (!width || !host.current) return undefined;
		const made = new uPlot(options(live.current, width, live), columns(live.current), host.current);
		plot.current = made;
		made.setScale("x", { min: live.current.range[0], max: live.current.range[1] });
		handle(made, live);
		live.current.onPlot?.(made);
		return () => {
			made.destroy();
			plot.current = undefined;
			live.current.onPlot?.(null);
		};
	}, [shape, width > 0]);
	useEffect(() => void (width && plot.current?.setSize({ width, height: props.height })), [width]);
	useEffect(() => {
		const made = plot.current;
		if (!made) return;
		made.batch(() => {
			made.setData(columns(props), false);
			made.setScale("x", { min: props.range[0], max: props.range[1] });
		});
	}, [props.x, props.series, props.range[0], props.range[1]]);
	return (
		<div class={`plot ${props.drag}`} ref={measure} tabIndex={0} role="img" aria-label={`${props.name} over time; arrow keys pan, plus and minus zoom`} style={{ height: `${props.height}px` }} onKeyDown={(event) => panByKey(event, props)}>
			<div ref={host} />
		</div>
	);
}

// Canvases have no style sheet: with another theme they are made anew.
function useDark(): boolean {
	const query = matchMedia("(prefers-color-scheme: dark)");
	const [dark, setDark] = useState(query.matches);
	useEffect(() => {
		const change = () => setDark(query.matches);
		query.addEventListener("change", change);
		return () => query.removeEventListener("change", change);
	}, []);
	return dark;
}
