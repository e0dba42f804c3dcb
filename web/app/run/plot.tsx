// SPDX-License-Identifier: Apache-2.0
// One plot: uPlot draws the axes and follows the pointer, the curves are ours (raster.ts). Drag a box to zoom or drag to
// pan, the wheel zooms, fingers pan and pinch, keys do both. Plots of one page share the axis of time and the cursor.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useEffect, useRef } from "preact/hooks";
import { useWidth } from "../model/hooks";
import { moment, short } from "../model/format";
import { paintOn, Strip } from "./board";
import { useDark } from "../model/theme";
import { dragging, wheel } from "./hand";
import type { Frame, Raster } from "./raster";
import { roundTop } from "./units";
import type { View } from "./view";

export interface Dot {
	x: number; // seconds
	y: number; // as a part of the height
	color: string;
}

export interface PlotProps {
	name: string;
	view: View;
	drag: "zoom" | "pan";
	height: number;
	axis: boolean; // times below it
	top?: number; // of y; else the highest value
	sign: string; // behind the numbers of the axis
	shape: string; // what makes it another plot
	keep: boolean; // what is painted: it is the same wherever in the plot it stands
	most: (from: number, to: number, columns: number) => number; // the highest value there
	paint: (raster: Raster, frame: Frame) => void;
	tell: (at: number | null, top: number, columns: number, level: number) => Dot[]; // says what is at a moment; where to put dots
	onPlot?: (plot: Made | null) => void;
}

function tokens(): { dim: string; line: string } {
	const style = getComputedStyle(document.documentElement);
	const token = (name: string) => style.getPropertyValue(name).trim();
	return { dim: token("--dim"), line: token("--line") };
}

const FONT = "11px system-ui, sans-serif";

// One that is made once and lives until its shape is another.
export class Made {
	readonly plot: uPlot;
	private top = 1;
	private dots: HTMLElement[] = [];
	private seen = true;
	private readonly strip = new Strip();
	private readonly watch: IntersectionObserver;
	private readonly unwatch: () => void;

	constructor(host: HTMLElement, width: number, private readonly props: { current: PlotProps }) {
		const { view } = props.current;
		this.plot = new uPlot(this.options(width), [[], []], host);
		this.unwatch = view.watch(() => this.draw());
		// Of many plots only those are drawn that are on the screen.
		this.watch = new IntersectionObserver(([entry]) => {
			this.seen = entry!.isIntersecting;
			if (this.seen) this.draw();
		}, { rootMargin: "120px" });
		this.watch.observe(host);
		wheel(this.plot, view);
		dragging(this.plot, view, () => props.current.drag === "pan");
		this.draw();
	}

	destroy(): void {
		this.watch.disconnect();
		this.unwatch();
		this.plot.destroy();
	}

	// force: also where nobody sees it, to be saved.
	draw(force = false): void {
		const { props: { current: props }, plot } = this;
		if (!this.seen && !force) return;
		const [from, to] = props.view.range;
		const top = props.top ?? roundTop(props.most(from, to, Math.max(1, plot.bbox.width)));
		// While it is dragged the scale only makes room.
		this.top = props.view.dragging ? Math.max(this.top, top) : top;
		plot.batch(() => plot.setScale("x", { min: from, max: to }));
	}

	private options(width: number): uPlot.Options {
		const { props: { current: props } } = this;
		const { dim, line } = tokens();
		const common = { stroke: dim, grid: { stroke: line, width: 1 }, font: FONT };
		return {
			width,
			height: props.height,
			series: [{}, { paths: () => null, points: { show: false } }],
			legend: { show: false },
			padding: [6, 22, props.axis ? 0 : 6, 0],
			scales: { x: { time: false, auto: false }, y: { range: () => [0, this.top] } },
			axes: [
				{ ...common, ticks: { show: props.axis, stroke: line, size: 4 }, size: props.axis ? 28 : 0, space: 70, values: (plot, at) => (props.axis ? at.map((value) => moment(value, plot.scales.x!.max! - plot.scales.x!.min!)) : []) },
				{ ...common, ticks: { show: false }, size: 74, space: props.height > 200 ? 44 : 24, values: (_, at) => at.map((value) => `${short(value)}${value ? props.sign : ""}`) },
			],
			cursor: {
				sync: { key: "perfolio", setSeries: false, scales: ["x", null] },
				drag: { x: true, y: false, setScale: false },
				points: { show: false },
				y: false,
			},
			hooks: {
				draw: [(plot) => this.paint(plot)],
				setCursor: [() => this.point()],
				setSelect: [(plot) => this.select(plot)],
			},
		};
	}

	private paint(plot: uPlot): void {
		const { paint, keep, view } = this.props.current;
		const frame = { from: plot.scales.x!.min!, to: plot.scales.x!.max!, top: this.top };
		if (keep) this.strip.draw(plot, { version: view.version, paint }, frame);
		else paintOn(plot, (raster) => paint(raster, frame));
	}

	private select(plot: uPlot): void {
		const { left, width } = plot.select;
		const { drag, view } = this.props.current;
		if (width < 1) return;
		plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		if (drag === "zoom" && width >= 4) view.set([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")], true);
	}

	// What is under the pointer moves with it while it drags: nothing new to say.
	private point(): void {
		const { plot, props: { current: props } } = this;
		if (props.view.dragging) return;
		const left = plot.cursor.left ?? -1;
		const level = 1 - (plot.cursor.top ?? 0) / Math.max(1, plot.over.clientHeight);
		const dots = props.tell(left < 0 ? null : plot.posToVal(left, "x"), this.top, Math.max(1, plot.bbox.width), level);
		dots.forEach((dot, index) => this.put(index, dot));
		for (let i = dots.length; i < this.dots.length; i++) this.dots[i]!.hidden = true;
	}

	private put(index: number, { x, y, color }: Dot): void {
		let dot = this.dots[index];
		if (!dot) {
			dot = this.plot.over.appendChild(document.createElement("i"));
			dot.className = "plot-dot";
			this.dots.push(dot);
		}
		dot.hidden = !(y >= 0 && y <= 1);
		dot.style.background = color;
		dot.style.transform = `translate(${this.plot.valToPos(x, "x")}px, ${(1 - y) * this.plot.over.clientHeight}px)`;
	}
}

export function panByKey(event: KeyboardEvent, view: View): void {
	const [from, to] = view.range;
	const [first, last] = view.whole;
	const span = to - from;
	const middle = (from + to) / 2;
	const actions: Record<string, () => void> = {
		ArrowLeft: () => view.panBy(-1 / 8),
		ArrowRight: () => view.panBy(1 / 8),
		"+": () => view.zoom(middle, 0.7),
		"=": () => view.zoom(middle, 0.7),
		"-": () => view.zoom(middle, 1 / 0.7),
		Home: () => view.set([first, first + span]),
		End: () => view.set([last - span, last]),
		"0": () => view.set(null, true),
		Escape: () => view.set(null, true),
	};
	const act = actions[event.key];
	if (!act || event.ctrlKey || event.altKey || event.metaKey) return;
	event.preventDefault();
	event.stopPropagation();
	act();
}

export function Plot(props: PlotProps) {
	const [measure, width] = useWidth<HTMLDivElement>();
	const host = useRef<HTMLDivElement>(null);
	const made = useRef<Made | undefined>(undefined);
	const latest = useRef(props);
	latest.current = props;
	const shape = `${props.axis} ${props.height} ${props.sign} ${props.shape} ${useDark()}`;
	useEffect(() => {
		if (!width || !host.current) return undefined;
		const one = new Made(host.current, width, latest);
		made.current = one;
		latest.current.onPlot?.(one);
		return () => {
			one.destroy();
			made.current = undefined;
			latest.current.onPlot?.(null);
		};
	}, [shape, width > 0, props.view]);
	useEffect(() => {
		if (!width || !made.current) return;
		made.current.plot.setSize({ width, height: props.height });
		made.current.draw();
	}, [width]);
	useEffect(() => made.current?.draw(), [props.paint]);
	return (
		<div class={`plot ${props.drag}`} ref={measure} tabIndex={0} role="img" aria-label={`${props.name} over time; arrow keys pan, plus and minus zoom`} style={{ height: `${props.height}px` }} onKeyDown={(event) => panByKey(event, props.view)}>
			<div ref={host} />
		</div>
	);
}
