// SPDX-License-Identifier: Apache-2.0
// Curves in plots: one below the other on one axis of time, or all in one.
import { useCallback, useEffect, useRef } from "preact/hooks";
import { moment, short } from "../model/format";
import { highest } from "./columns";
import { inRange, meanOf, momentOf, totalOf, type Curves, type Line } from "./lines";
import { type Dot, type Made, Plot } from "./plot";
import { drawCurve, drawMarks, penColor, type Frame, type Raster } from "./raster";
import type { Drag } from "./tools";
import type { View } from "./view";

export interface Curve {
	line: Line;
	track: number; // its place in the columns
	color: string;
}

export interface CurvesProps {
	curves: Curves;
	shown: Curve[];
	view: View;
	drag: Drag;
	heights: (plots: number) => number;
	keep: Map<string, Made>; // to be saved
}

const AXIS = 22; // what times below a plot take
const MARGIN = 1.04;
const MARK = penColor("#808080"); // seen on light and dark

export function shortOf({ unit }: Line, value: number): string {
	return Number.isNaN(value) ? "–" : short(value) + unit.sign;
}

function plotsOf(shown: Curve[]): Map<string, Curve[]> {
	const plots = new Map<string, Curve[]>();
	for (const curve of shown) plots.set(curve.line.plot, [...(plots.get(curve.line.plot) ?? []), curve]);
	return plots;
}

export function Apart(props: CurvesProps) {
	const plots = [...plotsOf(props.shown)];
	const height = props.heights(plots.length);
	return (
		<div class="plots">
			{plots.map(([name, curves], at) => <OnePlot key={name} {...props} name={name} mine={curves} height={height} axis={at === plots.length - 1} />)}
			{!plots.length && <p class="pad dim">All curves are hidden.</p>}
		</div>
	);
}

function pen(color: string, alone: boolean) {
	const ratio = devicePixelRatio || 1;
	return { color: penColor(color), width: 1.4 * ratio, area: alone ? 0.2 : 0, band: alone ? 0.34 : 0 };
}

// What is said of a range when nobody points at a moment.
function summary(curves: Curves, { line, track }: Curve, view: View): string {
	const found = inRange(curves, view.range);
	const mean = meanOf(curves, found, track);
	if (Number.isNaN(mean)) return "";
	const total = view.isWhole ? totalOf(curves, track) : "";
	return `mean ${shortOf(line, mean)}, highest ${shortOf(line, highest(found, track))}${total && `, ${total}`}`;
}

function OnePlot({ curves, name, mine, view, drag, height, axis, keep }: CurvesProps & { name: string; mine: Curve[]; height: number; axis: boolean }) {
	const readout = useRef<HTMLSpanElement>(null);
	const { line } = mine[0]!;
	const alone = mine.length === 1;
	const say = (text: string) => readout.current && readout.current.textContent !== text && (readout.current.textContent = text);
	const pointed = useRef(false);
	const rest = () => pointed.current || view.dragging || say(alone ? summary(curves, mine[0]!, view) : "");
	useEffect(() => {
		rest();
		return view.watch(rest);
	}, [curves, view, mine.length]);
	const tell = (at: number | null, top: number, columns: number): Dot[] => {
		const found = at === null ? null : momentOf(curves, view.range, at, columns);
		pointed.current = found !== null;
		if (!found) {
			rest();
			return [];
		}
		const { x, tracks } = found.columns;
		const words = mine.slice(0, 8).map((curve) => (alone ? valueWords(curve, found.columns.tracks[curve.track]!, found.index) : `CPU ${curve.line.cpu} ${shortOf(curve.line, tracks[curve.track]!.mean[found.index]!)}`));
		say(`${moment(x[found.index]!, 1)}: ${words.join("  ")}${mine.length > 8 ? "  …" : ""}`);
		return mine.map(({ track, color }) => ({ x: x[found.index]!, y: tracks[track]!.mean[found.index]! / top, color }));
	};
	const paint = useCallback((raster: Raster, frame: Frame) => {
		const found = inRange(curves, [frame.from, frame.to], raster.width);
		for (const { track, color } of mine) drawCurve(raster, pen(color, alone), found, track, frame);
		drawMarks(raster, MARK, curves.resets, frame);
	}, [curves, curves.sources, mine.map(({ color }) => color).join()]);
	return (
		<figure class="one-line">
			<figcaption><b>{name}</b> <span class="dim">{line.unit.words}{mine.some((one) => one.line.shared) ? ", scaled: multiplexed" : ""}</span> <span ref={readout} class="readout" /></figcaption>
			<Plot
				name={name} view={view} drag={drag} height={axis ? height + AXIS : height} axis={axis} sign={line.unit.sign} shape={mine.map(({ color }) => color).join()}
				most={(from, to, columns) => {
					const found = inRange(curves, [from, to], columns);
					return mine.reduce((most, { track }) => Math.max(most, highest(found, track)), 0);
				}}
				keep paint={paint} tell={tell}
				onPlot={(made) => (made ? keep.set(name, made) : keep.delete(name))}
			/>
		</figure>
	);
}

function valueWords({ line }: Curve, { mean, min, max }: { mean: Float64Array; min: Float64Array; max: Float64Array }, index: number): string {
	const spread = min !== mean && min[index] !== max[index] ? ` (${short(min[index]!)} to ${short(max[index]!)})` : "";
	return shortOf(line, mean[index]!) + spread;
}

// All on one axis, each against its own highest value: what rises and falls together.
export function Together({ curves, shown, view, drag, heights, keep, pointed, onValues }: CurvesProps & { pointed: { current: string }; onValues: (at: number | null, values: Map<number, string>) => void }) {
	const last = useRef(new Map<number, number>());
	const tops = (from: number, to: number, columns: number) => {
		const found = inRange(curves, [from, to], columns);
		for (const { track } of shown) {
			const top = (highest(found, track) || 1) * MARGIN;
			// While it is dragged the scale only makes room.
			last.current.set(track, view.dragging ? Math.max(top, last.current.get(track) ?? 0) : top);
		}
		return { found, top: (track: number) => last.current.get(track)! };
	};
	const paint = useCallback((raster: Raster, frame: Frame) => {
		const { found, top } = tops(frame.from, frame.to, raster.width);
		// The one that is pointed at in the legend comes last, and the others step back.
		const name = pointed.current;
		const order = [...shown].sort((a, b) => Number(a.line.plot === name) - Number(b.line.plot === name));
		drawMarks(raster, MARK, curves.resets, frame);
		for (const { track, color, line } of order) drawCurve(raster, { ...pen(color, false), strength: !name || line.plot === name ? 1 : 0.25 }, found, track, { ...frame, top: top(track) });
	}, [curves, curves.sources, shown.map(({ line }) => line.name).join()]);
	const tell = (at: number | null, _top: number, columns: number): Dot[] => {
		const found = at === null ? null : momentOf(curves, view.range, at, columns);
		if (!found) {
			onValues(null, new Map());
			return [];
		}
		const { x, tracks } = found.columns;
		const value = (track: number) => tracks[track]!.mean[found.index]!;
		const { top } = tops(view.range[0], view.range[1], columns);
		onValues(x[found.index]!, new Map(shown.map(({ line, track }) => [track, shortOf(line, value(track))])));
		return shown.map(({ track, color }) => ({ x: x[found.index]!, y: value(track) / top(track), color }));
	};
	return (
		<figure class="one-line">
			<figcaption><b>All curves</b> <span class="dim">each in % of its highest value in this range</span></figcaption>
			<Plot
				name="All curves" view={view} drag={drag} height={heights(1)} axis top={100 * MARGIN} sign=" %" shape="together" keep={false} most={() => 100} paint={paint} tell={tell}
				onPlot={(made) => (made ? keep.set("all", made) : keep.delete("all"))}
			/>
		</figure>
	);
}
