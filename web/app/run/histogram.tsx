// SPDX-License-Identifier: Apache-2.0
// How often each value occurred.
import type { ComponentChildren } from "preact";
import type { Run } from "../api/core";
import type { Counters, CountersHistogram } from "../api/schema";
import { setParams, usePlace } from "../model/address";
import { count, duration, grouped, moment, seconds, short } from "../model/format";
import { useFetch, useWidth } from "../model/hooks";
import { Menu } from "../widgets/menu";
import { Trouble } from "../widgets/trouble";
import { histogramCsv } from "./csv";
import { intervalOf } from "./lines";
import { saveText } from "./save";
import { FullScreen } from "./tools";
import { countedOf, countUnit, levels, type Unit } from "./units";

const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 16;
const TOP = 18;
const MARKS = 6; // of the axis of values

export function Histogram({ run, children }: { run: Run; children: ComponentChildren }) {
	const { params } = usePlace();
	const [measure, width] = useWidth<HTMLDivElement>();
	const list = useFetch<Counters>(`/runs/${run.id}/counters`, { width: 10 });
	const event = params.get("counter") ?? list.data?.events[0] ?? "";
	const scale = params.get("scale") === "log" ? "log" : "linear";
	const data = useFetch<CountersHistogram>(event ? `/runs/${run.id}/counters/histogram` : null, { event, scale, bins: 50, from: params.get("from"), to: params.get("to") }, true);
	const found = data.data;
	const unit = found && list.data && countUnit(countedOf(list.data, list.data.events.indexOf(found.event)));
	return (
		<div class="counters" ref={measure}>
			<div class="row tools">
				{children}
				<label>Counter <select value={event} onChange={(change) => setParams({ counter: change.currentTarget.value })}>
					{list.data?.events.map((name) => <option value={name} key={name}>{name}</option>)}
				</select></label>
				<label class="check"><input type="checkbox" checked={scale === "log"} onChange={() => setParams({ scale: scale === "log" ? null : "log" })} /> Logarithmic values</label>
				<RangeOf counters={list.data} />
				<span class="grow" />
				{found && <Menu class="right" label="Save" title="Save the plot" items={[{ label: "CSV", hint: "the bars", onClick: () => saveText(histogramCsv(found), "text/csv", `run-${run.id}-histogram.csv`) }]} />}
				<FullScreen />
			</div>
			<Trouble refusal={list.refusal ?? data.refusal} />
			{found && unit && list.data && <Bars data={found} unit={unit} width={width} interval={intervalOf(list.data)} />}
			{found && unit && <Facts data={found} unit={unit} />}
		</div>
	);
}

// What part of the run it is of, if it was chosen among the curves.
function RangeOf({ counters }: { counters: Counters | undefined }) {
	const { params } = usePlace();
	const [from, to] = [params.get("from"), params.get("to")];
	if (!counters || !from || !to) return null;
	const [first, last] = [seconds(from, counters.start_ns), seconds(to, counters.start_ns)];
	return (
		<>
			<button type="button" onClick={() => setParams({ from: null, to: null })}>Whole run</button>
			<span class="dim range-words">{moment(first, last - first)} to {moment(last, last - first)}</span>
		</>
	);
}

function said(value: number, unit: Unit): string {
	return short(value * unit.factor) + unit.sign;
}

function Bars({ data, unit, width, interval }: { data: CountersHistogram; unit: Unit; width: number; interval: number }) {
	const most = Math.max(...data.counts, 1);
	const wide = Math.max(10, width - LEFT - RIGHT);
	const step = wide / Math.max(1, data.counts.length);
	const y = (value: number) => HEIGHT - (value / most) * (HEIGHT - TOP);
	return (
		<figure>
			<figcaption><b>{data.event}</b> <span class="dim">{unit.words || "counted"} in each interval of {duration(interval)}; {count(data.points, "interval")}</span></figcaption>
			<svg class="histogram" width={width} height={HEIGHT + 24} role="img" aria-label={`Histogram of ${data.event}; its numbers are in the table below`}>
				{levels(most).map((level) => (
					<g key={level}>
						<line x1={LEFT} x2={width - RIGHT} y1={y(level)} y2={y(level)} />
						<text x={LEFT - 8} y={y(level) + 4} text-anchor="end">{short(level)}</text>
					</g>
				))}
				<text x={LEFT} y="11">intervals</text>
				{data.counts.map((value, at) => (
					<g key={at}>
						<rect x={LEFT + at * step + 0.5} width={Math.max(1, step - 1)} y={y(value)} height={HEIGHT - y(value)} />
						<rect class="hover" x={LEFT + at * step} width={step} y={TOP} height={HEIGHT - TOP}><title>{`${said(data.edges[at]!, unit)} to ${said(data.edges[at + 1]!, unit)}: ${count(value, "interval")}`}</title></rect>
					</g>
				))}
				<line class="foot" x1={LEFT} x2={width - RIGHT} y1={HEIGHT} y2={HEIGHT} />
				<Scale data={data} unit={unit} wide={wide} />
			</svg>
		</figure>
	);
}

// Bars are equally wide, also where values go by powers: each mark names the edge that is there.
function Scale({ data, unit, wide }: { data: CountersHistogram; unit: Unit; wide: number }) {
	const bins = data.counts.length;
	if (!bins) return null;
	return (
		<>
			{Array.from({ length: MARKS }, (_, at) => {
				const edge = Math.round((at * bins) / (MARKS - 1));
				return <text key={at} x={LEFT + (edge / bins) * wide} y={HEIGHT + 17} text-anchor={at === 0 ? "start" : at === MARKS - 1 ? "end" : "middle"}>{said(data.edges[edge]!, unit)}</text>;
			})}
		</>
	);
}

function Facts({ data, unit }: { data: CountersHistogram; unit: Unit }) {
	const rows: [string, number | null][] = [["Minimum", data.min], ["Median", data.median], ["Mean", data.mean], ["90 % are below", data.p90], ["99 % are below", data.p99], ["Maximum", data.max], ["Standard deviation", data.deviation]];
	return (
		<>
			<dl class="figures">
				{rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value === null ? "–" : said(value, unit)}</dd></div>)}
			</dl>
			<details class="as-table">
				<summary>As a table</summary>
				<table>
					<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Intervals</th></tr></thead>
					<tbody>{data.counts.map((value, at) => <tr key={at}><td class="number">{said(data.edges[at]!, unit)}</td><td class="number">{said(data.edges[at + 1]!, unit)}</td><td class="number">{grouped(value)}</td></tr>)}</tbody>
				</table>
			</details>
		</>
	);
}
