// SPDX-License-Identifier: Apache-2.0
// The samples themselves over time: each with its value, address and function.
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../api/core";
import type { QueryEvents, SamplePoints } from "../api/schema";
import { Segments } from "../bench/fields";
import { setParams, usePlace } from "../model/address";
import { count, grouped, moment, seconds, short } from "../model/format";
import { useFetch, useWidth } from "../model/hooks";
import { Trouble } from "../widgets/trouble";
import { curveColors } from "./colors";
import { useRange } from "./counters";
import { clampRange } from "./lines";
import { Plot, type Range } from "./plot";

export function SamplesView({ run, children }: { run: Run; children: ComponentChildren }) {
	const { params } = usePlace();
	const [measure, width] = useWidth<HTMLDivElement>();
	const [drag, setDrag] = useState<"zoom" | "pan">("zoom");
	const event = params.get("event") ?? "";
	const events = useFetch<QueryEvents>(`/runs/${run.id}/events`);
	const first = useFetch<SamplePoints>(`/runs/${run.id}/samples`, { event, width: 100 });
	const data = useFetch<SamplePoints>(width ? `/runs/${run.id}/samples` : null, { event, width, from: params.get("from"), to: params.get("to") }, true);
	const [range, setRange] = useRange(first.data?.start_ns);
	const whole: Range = first.data ? [0, Math.max(seconds(first.data.to_ns, first.data.start_ns), 0.001)] : [0, 1];
	const found = data.data;
	const readout = useRef<HTMLParagraphElement>(null);
	const latest = useRef(found);
	latest.current = found;
	const color = curveColors()[0]!;
	const x = useMemo(() => found?.t.map((t) => t / 1e9) ?? [], [found]);
	const series = useMemo(() => [{ label: "value", color, values: (found?.value ?? []) as (number | null)[] }], [found, color]);
	const names = events.data?.rows.filter((row) => row.samples > 0).map((row) => row.event) ?? [];
	const view = range ?? whole;
	return (
		<div class="counters" ref={measure}>
			<div class="row tools">
				{children}
				<Segments label="What dragging does" value={drag} options={[["zoom", "Drag: zoom"], ["pan", "Drag: pan"]]} onChange={setDrag} />
				<button type="button" disabled={!range} onClick={() => setRange(null)}>Whole run</button>
				{names.length > 1 && (
					<label>Event <select value={event} onChange={(change) => setParams({ event: change.currentTarget.value || null })}>
						{names.map((name, at) => <option value={at ? name : ""} key={name}>{name}</option>)}
					</select></label>
				)}
				<span class="grow" />
				{found && <span class="dim">{count(found.samples, "sample")}{found.down_sampled ? "; of each column the lowest and highest" : ""}</span>}
			</div>
			<Trouble refusal={data.refusal} onRetry={data.reload} />
			{found && (
				<figure class="one-line">
					<figcaption><b>{found.event}</b> <span class="dim">value of each sample{found.unit ? `, ${found.unit}` : ""}</span></figcaption>
					<Plot
						name={`Samples of ${found.event}`} x={x} series={series} range={view} whole={whole} drag={drag} height={380} axis dots
						onRange={(now) => setRange(now[0] <= whole[0] && now[1] >= whole[1] ? null : clampRange(now[0], now[1], whole[0], whole[1]))}
						onPoint={(at) => readout.current && (readout.current.textContent = at === null ? " " : sampleWords(latest.current!, at))}
					/>
					<p ref={readout} class="readout wide"> </p>
				</figure>
			)}
			{found && <AsTable data={found} />}
		</div>
	);
}

function sampleWords(data: SamplePoints, at: number): string {
	const place = data.functions[data.function[at] ?? -1];
	return `${moment(data.t[at]! / 1e9, 0.1)}   ${short(data.value[at]!)}   ${place?.name || "[unknown]"}   ${data.ip[at] ?? ""}   ${place?.object ?? ""}   CPU ${data.cpu[at]}   thread ${data.tid[at]}`;
}

function AsTable({ data }: { data: SamplePoints }) {
	const [open, setOpen] = useState(false);
	const step = Math.max(1, Math.ceil(data.t.length / 200));
	const rows = open ? data.t.map((_, at) => at).filter((at) => at % step === 0) : [];
	return (
		<details class="as-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>As a table</summary>
			<table>
				<thead><tr><th scope="col">Seconds</th><th scope="col">Value</th><th scope="col">Address</th><th scope="col">Function</th><th scope="col">CPU</th><th scope="col">Thread</th></tr></thead>
				<tbody>
					{rows.map((at) => (
						<tr key={at}><td class="number">{(data.t[at]! / 1e9).toFixed(6)}</td><td class="number">{grouped(data.value[at]!)}</td><td class="mono">{data.ip[at]}</td><td class="mono">{data.functions[data.function[at] ?? -1]?.name ?? ""}</td><td class="number">{data.cpu[at]}</td><td class="number">{data.tid[at]}</td></tr>
					))}
				</tbody>
			</table>
		</details>
	);
}
