// SPDX-License-Identifier: Apache-2.0
// How often a counter had which value.
import type { ComponentChildren } from "preact";
import type { Run } from "../api/core";
import type { Counters, CountersHistogram } from "../api/schema";
import { setParams, usePlace } from "../model/address";
import { count, grouped, short } from "../model/format";
import { useFetch, useWidth } from "../model/hooks";
import { Trouble } from "../widgets/trouble";

const HEIGHT = 300;

export function Histogram({ run, children }: { run: Run; children: ComponentChildren }) {
	const { params } = usePlace();
	const [measure, width] = useWidth<HTMLDivElement>();
	const list = useFetch<Counters>(`/runs/${run.id}/counters`, { width: 10 });
	const event = params.get("counter") ?? list.data?.events[0] ?? "";
	const scale = params.get("scale") === "log" ? "log" : "linear";
	const data = useFetch<CountersHistogram>(event ? `/runs/${run.id}/counters/histogram` : null, { event, scale, bins: 50, from: params.get("from"), to: params.get("to") }, true);
	const found = data.data;
	return (
		<div class="counters" ref={measure}>
			<div class="row tools">
				{children}
				<label>Counter <select value={event} onChange={(change) => setParams({ counter: change.currentTarget.value })}>
					{list.data?.events.map((name) => <option value={name} key={name}>{name}</option>)}
				</select></label>
				<label class="check"><input type="checkbox" checked={scale === "log"} onChange={() => setParams({ scale: scale === "log" ? null : "log" })} /> Logarithmic values</label>
			</div>
			<Trouble refusal={list.refusal ?? data.refusal} />
			{found && <Bars data={found} width={width} />}
			{found && <Facts data={found} />}
		</div>
	);
}

function Bars({ data, width }: { data: CountersHistogram; width: number }) {
	const most = Math.max(...data.counts, 1);
	const step = width / Math.max(1, data.counts.length);
	return (
		<figure>
			<figcaption><b>{data.event}</b> <span class="dim">per interval, {count(data.points, "interval")}</span></figcaption>
			<svg class="histogram" width={width} height={HEIGHT + 24} role="img" aria-label={`Histogram of ${data.event}; its numbers are in the table below`}>
				{data.counts.map((value, at) => {
					const height = (value / most) * (HEIGHT - 20);
					return (
						<g key={at}>
							<rect x={at * step + 0.5} width={Math.max(1, step - 1)} y={HEIGHT - height} height={height} />
							<rect class="hover" x={at * step} width={step} y={0} height={HEIGHT}><title>{`${short(data.edges[at]!)} to ${short(data.edges[at + 1]!)}: ${count(value, "interval")}`}</title></rect>
						</g>
					);
				})}
				<text x="0" y={HEIGHT + 17}>{short(data.edges[0] ?? 0)}</text>
				<text x={width / 2} y={HEIGHT + 17} text-anchor="middle">{short(data.edges[Math.floor(data.edges.length / 2)] ?? 0)}</text>
				<text x={width} y={HEIGHT + 17} text-anchor="end">{short(data.edges[data.edges.length - 1] ?? 0)}</text>
				<text x="0" y="12">{count(most, "interval")}</text>
			</svg>
		</figure>
	);
}

function Facts({ data }: { data: CountersHistogram }) {
	const rows: [string, number | null][] = [["Least", data.min], ["Median", data.median], ["Mean", data.mean], ["90 % are below", data.p90], ["99 % are below", data.p99], ["Most", data.max], ["Standard deviation", data.deviation]];
	return (
		<>
			<dl class="figures">
				{rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value === null ? "–" : short(value)}</dd></div>)}
			</dl>
			<details class="as-table">
				<summary>As a table</summary>
				<table>
					<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Intervals</th></tr></thead>
					<tbody>{data.counts.map((value, at) => <tr key={at}><td class="number">{short(data.edges[at]!)}</td><td class="number">{short(data.edges[at + 1]!)}</td><td class="number">{grouped(value)}</td></tr>)}</tbody>
				</table>
			</details>
		</>
	);
}
