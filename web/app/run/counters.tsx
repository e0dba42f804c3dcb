// SPDX-License-Identifier: Apache-2.0
// The Counters tab: curves over time, their histogram, and for sampled runs the samples themselves.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { ACTIVE, type Run } from "../api/core";
import { Segments } from "../bench/fields";
import { setParams, usePlace } from "../model/address";
import { moment, seconds, short } from "../model/format";
import { useWidth } from "../model/hooks";
import { runTitle } from "../model/runs";
import { Menu } from "../widgets/menu";
import { Trouble } from "../widgets/trouble";
import { curveColors, PAPER_COLORS } from "./colors";
import { useCounters } from "./data";
import { Histogram } from "./histogram";
import { clampRange, type Curves, type Line, toCsv, toSvg } from "./lines";
import { Plot, type Range } from "./plot";
import { SamplesView } from "./samples";
import { savePng, saveText } from "./save";

type Mode = "apart" | "together" | "histogram" | "samples";

export function CountersTab({ run }: { run: Run }) {
	const { params } = usePlace();
	const tabs = run.facts?.tabs;
	const counted = tabs ? tabs.includes("counters") : run.tool === "count" || run.tool === "both";
	const sampled = tabs ? tabs.includes("samples") || tabs.includes("flame") : false;
	const modes: [Mode, string][] = [
		...(counted ? ([["apart", "Apart"], ["together", "Together"], ["histogram", "Histogram"]] as [Mode, string][]) : []),
		...(sampled ? ([["samples", "Samples"]] as [Mode, string][]) : []),
	];
	const mode = modes.find(([name]) => name === params.get("view"))?.[0] ?? modes[0]?.[0] ?? "apart";
	const chooser = modes.length > 1 && <Segments label="How to show it" value={mode} options={modes} onChange={(view) => setParams({ view: view === modes[0]![0] ? null : view })} />;
	if (mode === "histogram") return <Histogram run={run}>{chooser}</Histogram>;
	if (mode === "samples") return <SamplesView run={run}>{chooser}</SamplesView>;
	return <CurvesView run={run} together={mode === "together"}>{chooser}</CurvesView>;
}

// The range in the address, in nanoseconds as the API has them; null: the whole run.
export function useRange(start: string | undefined): [Range | null, (range: Range | null) => void] {
	const { params } = usePlace();
	const from = params.get("from");
	const to = params.get("to");
	const fromAddress: Range | null = start && from && to ? [seconds(from, start), seconds(to, start)] : null;
	const [range, setRange] = useState<Range | null>(null);
	const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
	useEffect(() => setRange(null), [from, to]);
	const set = (now: Range | null) => {
		setRange(now);
		clearTimeout(timer.current);
		// The address follows when the hand rests: browsers limit how often it may change.
		timer.current = setTimeout(() => {
			const ns = (value: number) => String(BigInt(start!) + BigInt(Math.round(value * 1e9)));
			setParams(now && start ? { from: ns(now[0]), to: ns(now[1]) } : { from: null, to: null });
		}, 200);
	};
	return [range ?? fromAddress, set];
}

export function CurvesView({ run, together, children }: { run: Run; together: boolean; children: preact.ComponentChildren }) {
	const { params } = usePlace();
	const [measure, width] = useWidth<HTMLDivElement>();
	const [start, setStart] = useState<string>();
	const [range, setRange] = useRange(start);
	const [drag, setDrag] = useState<"zoom" | "pan">("zoom");
	const settled = useSettled(range);
	const data = useCounters(run, settled, width);
	const plots = useRef(new Map<string, uPlot>());
	const { curves, whole } = data;
	useEffect(() => setStart(data.counters?.start_ns), [data.counters?.start_ns]);
	const hidden = new Set((params.get("hide") ?? "").split("|").filter(Boolean));
	const shown = curves && { ...curves, lines: curves.lines.filter((line) => !hidden.has(line.name)) };
	const colors = curveColors();
	const colorOf = (line: Line) => colors[curves!.lines.indexOf(line) % colors.length]!;
	const toggle = (name: string) => {
		if (!hidden.delete(name)) hidden.add(name);
		setParams({ hide: [...hidden].join("|") || null });
	};
	const view = range ?? whole;
	const title = runTitle(run);
	const onRange = (now: Range) => setRange(now[0] <= whole[0] && now[1] >= whole[1] ? null : clampRange(now[0], now[1], whole[0], whole[1]));
	return (
		<div class="counters" ref={measure}>
			<div class="row tools">
				{children}
				<Segments label="What dragging does" value={drag} options={[["zoom", "Drag: zoom"], ["pan", "Drag: pan"]]} onChange={setDrag} />
				<button type="button" disabled={!range} onClick={() => setRange(null)}>Whole run</button>
				<span class="dim" role="status">{moment(view[0], view[1] - view[0])} to {moment(view[1], view[1] - view[0])}</span>
				<span class="grow" />
				{shown && (
					<Menu
						class="right" label="Save" title="Save the plot"
						items={[
							{ label: "PNG", hint: "the picture", onClick: () => savePng(shown.lines.map((line) => [line.name, plots.current.get(together ? "all" : line.name)]), title, together) },
							{ label: "SVG", hint: "the picture, to scale", onClick: () => saveText(toSvg(shown, view, PAPER_COLORS, title), "image/svg+xml", `run-${run.id}.svg`) },
							{ label: "CSV", hint: "the numbers that are shown", onClick: () => saveText(toCsv(shown, view), "text/csv", `run-${run.id}.csv`) },
						]}
					/>
				)}
				<button type="button" onClick={() => setParams({ full: params.get("full") === "1" ? null : "1" })} title="Only the plot; the address can be sent to somebody">{params.get("full") === "1" ? "Back" : "Full screen"}</button>
			</div>
			<Trouble refusal={data.refusal} onRetry={data.reload} />
			{curves && (
				<div class="legend" role="group" aria-label="Curves that are shown">
					{curves.lines.map((line) => (
						<button type="button" class="legend-item" aria-pressed={!hidden.has(line.name)} onClick={() => toggle(line.name)} key={line.name} title={line.shared ? "Its counter was shared with others: values are scaled" : undefined}>
							<i style={{ background: colorOf(line) }} /> {line.name}{line.shared ? " *" : ""}
						</button>
					))}
				</div>
			)}
			{!curves && !data.refusal && <p class="pad dim">{ACTIVE.includes(run.state) ? "Waiting for the first point…" : " "}</p>}
			{shown && (together
				? <Together curves={shown} colorOf={colorOf} view={view} whole={whole} onRange={onRange} drag={drag} keep={plots.current} />
				: <Apart curves={shown} colorOf={colorOf} view={view} whole={whole} onRange={onRange} drag={drag} keep={plots.current} />)}
			{shown && <AsTable curves={shown} view={view} />}
		</div>
	);
}

// The range that data are asked for: the one that is seen, once it rests.
function useSettled(range: Range | null): Range | null {
	const [settled, setSettled] = useState(range);
	const key = range?.join();
	useEffect(() => {
		const timer = setTimeout(() => setSettled(range), 150);
		return () => clearTimeout(timer);
	}, [key]);
	return settled;
}

interface ViewProps {
	curves: Curves;
	colorOf: (line: Line) => string;
	view: Range;
	whole: Range;
	onRange: (range: Range) => void;
	drag: "zoom" | "pan";
	keep: Map<string, uPlot>;
}

function Apart(props: ViewProps) {
	const { curves } = props;
	return (
		<div class="plots">
			{curves.lines.map((line, at) => <OneLine key={line.name} {...props} line={line} axis={at === curves.lines.length - 1} />)}
			{!curves.lines.length && <p class="pad dim">All curves are hidden.</p>}
		</div>
	);
}

function OneLine({ curves, line, axis, colorOf, view, whole, onRange, drag, keep }: ViewProps & { line: Line; axis: boolean }) {
	const readout = useRef<HTMLSpanElement>(null);
	const color = colorOf(line);
	const latest = useRef({ curves, line });
	latest.current = { curves, line };
	const series = useMemo(() => [{ label: line.name, color, values: line.mean, ...(curves.grouped ? { min: line.min, max: line.max } : {}) }], [line, color]);
	const onPoint = (at: number | null) => {
		if (!readout.current) return;
		readout.current.textContent = at === null ? "" : words(latest.current.curves, latest.current.line, at);
	};
	return (
		<figure class="one-line">
			<figcaption><b>{line.name}</b> <span class="dim">{line.unit}{line.shared ? ", scaled" : ""}</span> <span ref={readout} class="readout" /></figcaption>
			<Plot
				name={line.name} x={curves.x} series={series} range={view} whole={whole} onRange={onRange} drag={drag} height={axis ? 128 : 102} axis={axis} onPoint={onPoint}
				onPlot={(plot) => (plot ? keep.set(line.name, plot) : keep.delete(line.name))}
			/>
		</figure>
	);
}

function words(curves: Curves, line: Line, at: number): string {
	const value = line.mean[at];
	if (value == null || Number.isNaN(value)) return "";
	const spread = curves.grouped && line.min[at] !== line.max[at] ? ` (${short(line.min[at] ?? 0)} to ${short(line.max[at] ?? 0)})` : "";
	return `${moment(curves.x[at]!, 1)}: ${short(value)}${spread}`;
}

// All on one axis, each against its own highest value: what rises and falls together.
function Together({ curves, colorOf, view, whole, onRange, drag, keep }: ViewProps) {
	const readout = useRef<HTMLDivElement>(null);
	const latest = useRef(curves);
	latest.current = curves;
	const series = useMemo(
		() => curves.lines.map((line) => {
			const most = line.mean.reduce<number>((a, b) => Math.max(a, b ?? 0), 0) || 1;
			return { label: line.name, color: colorOf(line), values: line.mean.map((value) => (value === null ? null : (value / most) * 100)) };
		}),
		[curves],
	);
	const onPoint = (at: number | null) => {
		if (!readout.current) return;
		readout.current.textContent = at === null ? " " : latest.current.lines.map((line) => `${line.name} ${short(line.mean[at] ?? 0)}`).join("   ") + `   at ${moment(latest.current.x[at]!, 1)}`;
	};
	return (
		<figure class="one-line">
			<figcaption><b>All curves</b> <span class="dim">each in % of its highest value</span></figcaption>
			<Plot name="All curves" x={curves.x} series={series} range={view} whole={whole} onRange={onRange} drag={drag} height={360} axis onPoint={onPoint} top={104} format={(value) => `${value} %`} onPlot={(plot) => (plot ? keep.set("all", plot) : keep.delete("all"))} />
			<div ref={readout} class="readout wide"> </div>
		</figure>
	);
}

// The same for those who don't see the curves.
function AsTable({ curves, view }: { curves: Curves; view: Range }) {
	const [open, setOpen] = useState(false);
	const rows = open ? curves.x.flatMap((x, at) => (x >= view[0] && x <= view[1] ? [at] : [])) : [];
	const step = Math.max(1, Math.ceil(rows.length / 200));
	return (
		<details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>As a table</summary>
			{open && (
				<div class="scroll" tabIndex={0} role="region" aria-label="Counters as a table">
					<table>
						<thead><tr><th scope="col">Seconds</th>{curves.lines.map((line) => <th scope="col" key={line.name}>{line.name} ({line.unit})</th>)}</tr></thead>
						<tbody>
							{rows.filter((_, at) => at % step === 0).map((at) => (
								<tr key={at}><td class="number">{curves.x[at]!.toFixed(3)}</td>{curves.lines.map((line) => <td class="number" key={line.name}>{line.mean[at] == null ? "" : short(line.mean[at]!)}</td>)}</tr>
							))}
						</tbody>
					</table>
				</div>
			)}
		</details>
	);
}
