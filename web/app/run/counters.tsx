// SPDX-License-Identifier: Apache-2.0
// The Counters tab: curves over time, their histogram, and for sampled runs the samples themselves.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ACTIVE, OVER, type Run } from "../api/core";
import { Segments } from "../bench/fields";
import { setParams, usePlace } from "../model/address";
import { moment, short } from "../model/format";
import { useWidth } from "../model/hooks";
import { useDark } from "../model/theme";
import { isCounted, runTitle } from "../model/runs";
import { Menu } from "../widgets/menu";
import { Trouble } from "../widgets/trouble";
import { curveColors, PAPER_COLORS } from "./colors";
import { Apart, type Curve, Together } from "./curves";
import { useCounters } from "./data";
import { Histogram } from "./histogram";
import { type Curves, tableOf, toCsv, totalOf, toSvg } from "./lines";
import type { Made } from "./plot";
import { SamplesView } from "./samples";
import { savePng, saveText } from "./save";
import { Tools, useDrag, useView } from "./tools";
import type { View } from "./view";

type Mode = "apart" | "together" | "histogram" | "samples";

export function CountersTab({ run }: { run: Run }) {
	const { params } = usePlace();
	const tabs = run.facts?.tabs;
	const counted = isCounted(run);
	const sampled = tabs ? tabs.includes("samples") || tabs.includes("flame") : false;
	const modes: [Mode, string, string][] = [
		...(counted ? ([["apart", "Apart", "One plot per event"], ["together", "Together", "All events in one plot: see what rises and falls together"], ["histogram", "Histogram", "How often each value occurred"]] as [Mode, string, string][]) : []),
		...(sampled ? ([["samples", "Samples", "Each sample with its value, address and function"]] as [Mode, string, string][]) : []),
	];
	const mode = modes.find(([name]) => name === params.get("view"))?.[0] ?? modes[0]?.[0] ?? "apart";
	const chooser = modes.length > 1 && <Segments label="How to show it" value={mode} options={modes} onChange={(view) => setParams({ view: view === modes[0]![0] ? null : view })} />;
	if (!modes.length) return <div class="hint" role="status"><p>Samples over time, with their values, addresses and functions, appear when the run ends.</p></div>;
	if (mode === "histogram") return <Histogram run={run} key={run.id}>{chooser}</Histogram>;
	if (mode === "samples") return <SamplesView run={run} key={run.id}>{chooser}</SamplesView>;
	return <CurvesView run={run} key={run.id} together={mode === "together"}>{chooser}</CurvesView>;
}

// Few plots are tall, many are low; alone on the screen they fill it.
function heightsFor(full: boolean): (plots: number) => number {
	const room = full ? innerHeight - 150 : Math.max(280, Math.min(430, innerHeight - 370)); // the axis below them is in the window
	return (plots) => Math.max(52, Math.min(full ? 2000 : 320, Math.floor(room / Math.max(1, plots)) - 24));
}

export function CurvesView({ run, together, children }: { run: Run; together: boolean; children: ComponentChildren }) {
	const { params } = usePlace();
	useDark(); // curves have other colours
	const [measure, width] = useWidth<HTMLDivElement>();
	const [start, setStart] = useState<string>();
	const { view, rested } = useView(start);
	const [drag, setDrag] = useDrag();
	const each = params.get("cpus") === "each";
	const { counters, curves, refusal, reload } = useCounters(run, view, rested, width, each && !together);
	const plots = useRef(new Map<string, Made>());
	const legend = useRef<HTMLDivElement>(null);
	const pointed = useRef(""); // at which curve, in the legend
	const point = (name: string) => {
		pointed.current = name;
		if (together) view.draw();
	};
	useEffect(() => setStart(counters?.start_ns), [counters?.start_ns]);
	const hidden = new Set((params.get("hide") ?? "").split("|").filter(Boolean));
	const all = curves ? colored(curves) : [];
	const shown = all.filter(({ line }) => !hidden.has(line.plot));
	const live = ACTIVE.includes(run.state);
	const waits = !OVER.includes(run.state) && !all.length; // what is refused now may be there in a moment
	const full = params.get("full") === "1";
	const common = { shown, view, drag, heights: heightsFor(full), keep: plots.current };
	return (
		<div class="counters" ref={measure}>
			<Tools view={view} zoomed={rested !== null} drag={drag} onDrag={setDrag} live={live} chooser={children}>
				{!!counters?.cpus.length && !together && <Segments label="CPUs" value={each ? "each" : "sum"} options={[["sum", "All CPUs"], ["each", "Each CPU"]]} onChange={(value) => setParams({ cpus: value === "each" ? "each" : null })} />}
				{curves && <SaveMenu run={run} curves={curves} shown={shown} view={view} together={together} plots={plots.current} />}
			</Tools>
			<Trouble refusal={waits ? undefined : refusal} onRetry={reload} />
			{!!all.length && <Legend curves={curves!} all={all} hidden={hidden} values={together} legend={legend} onPoint={point} />}
			{!all.length && (waits || !refusal) && <p class="pad dim">{waits ? "Waiting for the first point…" : counters ? "Nothing was counted." : " "}</p>}
			{curves && !!all.length && (together ? <Together {...common} curves={curves} pointed={pointed} onValues={(at, values) => writeValues(legend.current, at, values)} /> : <Apart {...common} curves={curves} />)}
			{curves && !!all.length && <AsTable curves={curves} shown={shown} view={view} live={live} />}
		</div>
	);
}

// An event keeps its colour whatever else is shown; its CPUs have one each.
function colored(curves: Curves): Curve[] {
	const colors = curveColors();
	const plots = [...new Set(curves.lines.map(({ plot }) => plot))];
	return curves.lines.map((line, track) => ({ line, track, color: colors[(line.cpu < 0 ? plots.indexOf(line.plot) : line.cpu) % colors.length]! }));
}

interface SaveProps {
	run: Run;
	curves: Curves;
	shown: Curve[];
	view: View;
	together: boolean;
	plots: Map<string, Made>;
}

function SaveMenu({ run, curves, shown, view, together, plots }: SaveProps) {
	const title = runTitle(run);
	const tracks = shown.map(({ track }) => track);
	const names = [...new Set(shown.map(({ line }) => `${line.plot}: ${line.unit.words}`))];
	const pictures = (): [string, Made | undefined][] => (together ? [[names.join("; "), plots.get("all")]] : names.map((name, at) => [name, plots.get([...new Set(shown.map(({ line }) => line.plot))][at]!)]));
	return (
		<Menu
			class="right" label="Save" title="Save the plot"
			items={[
				{ label: "PNG", hint: "the picture", onClick: () => savePng(pictures(), title, `run-${run.id}.png`) },
				{ label: "SVG", hint: "the picture, scalable", onClick: () => saveText(toSvg(curves, view.range, PAPER_COLORS, title, tracks), "image/svg+xml", `run-${run.id}.svg`) },
				{ label: "CSV", hint: "the numbers shown", onClick: () => saveText(toCsv(curves, view.range, tracks), "text/csv", `run-${run.id}.csv`) },
			]}
		/>
	);
}

interface LegendProps {
	curves: Curves;
	all: Curve[];
	hidden: Set<string>;
	values: boolean; // with room for a value each
	legend: { current: HTMLDivElement | null };
	onPoint: (name: string) => void; // "": at none
}

function Legend({ curves, all, hidden, values, legend, onPoint }: LegendProps) {
	const first = all.filter(({ line }, at) => all.findIndex((other) => other.line.plot === line.plot) === at);
	const cpus = all.filter(({ line }, at) => line.cpu >= 0 && all.findIndex((other) => other.line.cpu === line.cpu) === at);
	const toggle = (name: string, only: boolean) => {
		const now = new Set(only ? first.map(({ line }) => line.plot).filter((plot) => plot !== name) : hidden);
		if (!only && !now.delete(name)) now.add(name);
		// Once more: all of them again.
		const same = now.size === hidden.size && [...now].every((plot) => hidden.has(plot));
		setParams({ hide: (same ? [] : [...now]).join("|") || null });
	};
	return (
		<div class="legend" role="group" aria-label="Curves shown" ref={legend}>
			{first.map(({ line, color, track }) => (
				<button type="button" class="legend-item" aria-pressed={!hidden.has(line.plot)} onClick={(event) => toggle(line.plot, event.shiftKey)} onPointerEnter={() => onPoint(line.plot)} onPointerLeave={() => onPoint("")} onFocus={() => onPoint(line.plot)} onBlur={() => onPoint("")} key={line.plot} title={`${hidden.has(line.plot) ? "Show it" : "Hide it"}; with Shift: only this one${line.total && line.cpu < 0 ? `; ${totalOf(curves, track)}` : ""}${line.shared ? "; multiplexed: values are scaled" : ""}`}>
					{!cpus.length && <i style={{ background: color }} />} {line.plot}{line.shared ? " *" : ""}{values && <b data-track={track} />}
				</button>
			))}
			{cpus.map(({ line, color }) => <span class="legend-key" key={line.cpu}><i style={{ background: color }} /> CPU {line.cpu}</span>)}
			{values && <span class="dim number" data-moment />}
		</div>
	);
}

function writeValues(legend: HTMLElement | null, at: number | null, values: Map<number, string>): void {
	for (const place of legend?.querySelectorAll<HTMLElement>("[data-track]") ?? []) place.textContent = values.get(Number(place.dataset["track"])) ?? "";
	const when = legend?.querySelector("[data-moment]");
	if (when) when.textContent = at === null ? "" : `at ${moment(at, 1)}`;
}

const ROWS = 200;

// The same for those who don't see the curves.
function AsTable({ curves, shown, view, live }: { curves: Curves; shown: Curve[]; view: View; live: boolean }) {
	const [open, setOpen] = useState(false);
	const [, setRound] = useState(0);
	useEffect(() => {
		if (!open || !live) return undefined;
		const timer = setInterval(() => setRound((round) => round + 1), 1000);
		return () => clearInterval(timer);
	}, [open, live]);
	const rows = open ? tableOf(curves, view.range, ROWS) : [];
	const step = Math.max(1, Math.ceil(rows.length / ROWS));
	return (
		<details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>As a table</summary>
			{open && (
				<div class="scroll" tabIndex={0} role="region" aria-label="Counters as a table">
					<table>
						<thead><tr><th scope="col">Seconds</th>{shown.map(({ line }) => <th scope="col" key={line.name}>{line.name} ({line.unit.words})</th>)}</tr></thead>
						<tbody>
							{rows.filter((_, at) => at % step === 0).map(({ seconds, values }) => (
								<tr key={seconds}><td class="number">{seconds.toFixed(3)}</td>{shown.map(({ line, track }) => <td class="number" key={line.name}>{Number.isNaN(values[track]!) ? "" : short(values[track]!)}</td>)}</tr>
							))}
						</tbody>
					</table>
				</div>
			)}
		</details>
	);
}
