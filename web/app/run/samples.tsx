// SPDX-License-Identifier: Apache-2.0
// The samples themselves over time: each with its value, address and function.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../api/core";
import type { QueryEvents, SamplePoints } from "../api/schema";
import { setParams, usePlace } from "../model/address";
import { count, grouped, moment, seconds, short } from "../model/format";
import { useFetch, useWidth } from "../model/hooks";
import { runTitle } from "../model/runs";
import { Menu } from "../widgets/menu";
import { Trouble } from "../widgets/trouble";
import { curveColors } from "./colors";
import { columnAt, type Columns, highest } from "./columns";
import { samplesCsv } from "./csv";
import { type Dot, type Made, Plot } from "./plot";
import { drawDots, penColor, type Frame, type Raster } from "./raster";
import { savePng, saveText } from "./save";
import { Tools, useDrag, useView } from "./tools";
import { sampleUnit } from "./units";
import type { Range, View } from "./view";

const HEIGHT = 380;
const DOT = 3.4; // pixels
const REACH = 24; // pixels from the pointer in which a sample is looked for

function asColumns(data: SamplePoints): Columns {
	const { factor } = sampleUnit(data.unit);
	const mean = Float64Array.from(data.value, (value) => value * factor);
	const x = Float64Array.from(data.t, (t) => t / 1e9);
	return { length: x.length, x, tracks: [{ mean, min: mean, max: mean }], step: 0, from: x[0] ?? 0, to: (x[x.length - 1] ?? 0) + 1e-9 };
}

// The sample that is nearest to a moment, of several the one at the pointer's height; -1: none is near.
export function nearest(columns: Columns, at: number, level: number, perPixel: number, topPerPixel: number): number {
	const { x, tracks, length } = columns;
	const values = tracks[0]!.mean;
	let best = -1;
	let least = Infinity;
	for (let i = columnAt(columns, at - REACH * perPixel); i < length && x[i]! <= at + REACH * perPixel; i++) {
		const far = Math.hypot((x[i]! - at) / perPixel, (values[i]! - level) / topPerPixel / 6);
		if (far < least) [best, least] = [i, far];
	}
	return best;
}

function useSamples(run: Run, event: string, range: Range | null, start: string | undefined, width: number) {
	const span = range ? range[1] - range[0] : 0;
	const ns = (value: number) => String(BigInt(start!) + BigInt(Math.round(Math.max(0, value) * 1e9)));
	// What comes in while panning is there already.
	const around = range && start ? { from: ns(range[0] - span), to: ns(range[1] + span) } : {};
	return useFetch<SamplePoints>(width ? `/runs/${run.id}/samples` : null, { event, width: width * (range ? 3 : 1), ...around }, true);
}

export function SamplesView({ run, children }: { run: Run; children: ComponentChildren }) {
	const { params } = usePlace();
	const [measure, width] = useWidth<HTMLDivElement>();
	const [drag, setDrag] = useDrag();
	const event = params.get("event") ?? "";
	const events = useFetch<QueryEvents>(`/runs/${run.id}/events`);
	const first = useFetch<SamplePoints>(`/runs/${run.id}/samples`, { event, width: 100 });
	const { view, rested } = useView(first.data?.start_ns);
	const answer = useSamples(run, event, rested, first.data?.start_ns, width);
	const found = answer.data;
	const picture = useRef<Made | null>(null);
	useEffect(() => {
		if (!first.data) return;
		view.whole = [0, Math.max(seconds(first.data.to_ns, first.data.start_ns), 0.001)];
		view.draw();
	}, [first.data]);
	const names = events.data?.rows.filter((row) => row.samples > 0).map((row) => row.event) ?? [];
	return (
		<div class="counters" ref={measure}>
			<Tools view={view} zoomed={rested !== null} drag={drag} onDrag={setDrag} chooser={children}>
				{names.length > 1 && (
					<label>Event <select value={event} onChange={(change) => setParams({ event: change.currentTarget.value || null })}>
						{names.map((name, at) => <option value={at ? name : ""} key={name}>{name}</option>)}
					</select></label>
				)}
				{found && (
					<Menu
						class="right" label="Save" title="Save the plot"
						items={[
							{ label: "PNG", hint: "the picture", onClick: () => savePng([[`${found.event}: value of each sample`, picture.current ?? undefined]], runTitle(run), `run-${run.id}-samples.png`) },
							{ label: "CSV", hint: "the samples shown", onClick: () => saveText(samplesCsv(found, view.range), "text/csv", `run-${run.id}-samples.csv`) },
						]}
					/>
				)}
			</Tools>
			<Trouble refusal={answer.refusal} onRetry={answer.reload} />
			{found && <Dots data={found} view={view} drag={drag} full={params.get("full") === "1"} onPlot={(made) => (picture.current = made)} />}
			{found && <AsTable data={found} view={view} />}
		</div>
	);
}

function Dots({ data, view, drag, full, onPlot }: { data: SamplePoints; view: View; drag: "zoom" | "pan"; full: boolean; onPlot: (made: Made | null) => void }) {
	const readout = useRef<HTMLParagraphElement>(null);
	const columns = useMemo(() => asColumns(data), [data]);
	const color = curveColors()[0]!;
	const paint = useCallback((raster: Raster, frame: Frame) => drawDots(raster, { color: penColor(color), width: DOT * (devicePixelRatio || 1), area: 0, band: 0 }, columns, 0, frame), [columns, color]);
	const height = full ? Math.max(HEIGHT, innerHeight - 190) : HEIGHT;
	const tell = (at: number | null, top: number, wide: number, level: number): Dot[] => {
		const perPixel = (view.range[1] - view.range[0]) / wide;
		const index = at === null ? -1 : nearest(columns, at, level * top, perPixel, top / height);
		if (readout.current) readout.current.textContent = index < 0 ? "Hover over a sample to see its function." : sampleWords(data, index);
		return index < 0 ? [] : [{ x: columns.x[index]!, y: columns.tracks[0]!.mean[index]! / top, color }];
	};
	return (
		<figure class="one-line">
			<figcaption>
				<b>{data.event}</b> <span class="dim">value of each sample{data.unit ? `, in${sampleUnit(data.unit).sign}` : ""}</span>
				<span class="readout dim">{count(data.samples, "sample")}{data.down_sampled ? "; lowest and highest of each column" : ""}</span>
			</figcaption>
			<Plot
				name={`Samples of ${data.event}`} view={view} drag={drag} height={height} axis sign={sampleUnit(data.unit).sign} shape={data.event ?? ""} keep={false}
				most={(from, to) => highest([{ columns, from, to }], 0)} paint={paint} tell={tell} onPlot={onPlot}
			/>
			<p ref={readout} class="readout wide" aria-live="off">Hover over a sample to see its function.</p>
		</figure>
	);
}

function sampleWords(data: SamplePoints, at: number): string {
	const place = data.functions[data.function[at] ?? -1];
	const cpu = data.cpu[at]! < 0 ? "" : `   CPU ${data.cpu[at]}`;
	const { factor, sign } = sampleUnit(data.unit);
	return `${moment(data.t[at]! / 1e9, 0.1)}   ${short(data.value[at]! * factor)}${sign}   ${place?.name || "[unknown]"}   ${data.ip[at] ?? ""}   ${place?.object ?? ""}${cpu}   thread ${data.tid[at]}`;
}

const ROWS = 200;

function AsTable({ data, view }: { data: SamplePoints; view: View }) {
	const [open, setOpen] = useState(false);
	const seen = open ? data.t.flatMap((t, at) => (t / 1e9 >= view.range[0] && t / 1e9 <= view.range[1] ? [at] : [])) : [];
	const step = Math.max(1, Math.ceil(seen.length / ROWS));
	return (
		<details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>As a table</summary>
			<div class="scroll" tabIndex={0} role="region" aria-label="Samples as a table">
				<table>
					<thead><tr><th scope="col">Seconds</th><th scope="col">Value{data.unit ? ` (${data.unit})` : ""}</th><th scope="col">Address</th><th scope="col">Function</th><th scope="col">CPU</th><th scope="col">Thread</th></tr></thead>
					<tbody>
						{seen.filter((_, at) => at % step === 0).map((at) => (
							<tr key={at}><td class="number">{(data.t[at]! / 1e9).toFixed(6)}</td><td class="number">{grouped(data.value[at]!)}</td><td class="mono">{data.ip[at]}</td><td class="mono">{data.functions[data.function[at] ?? -1]?.name ?? ""}</td><td class="number">{data.cpu[at]}</td><td class="number">{data.tid[at]}</td></tr>
						))}
					</tbody>
				</table>
			</div>
		</details>
	);
}
