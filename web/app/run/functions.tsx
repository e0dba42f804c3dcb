// SPDX-License-Identifier: Apache-2.0
// Functions by weight; of a chosen one, who calls it and whom it calls.
import { useState } from "preact/hooks";
import { labelIn, spoken } from "../../flame/label";
import type { QueryNeighbours, QueryTop } from "../api/schema";
import { useEvents, useThreads } from "../flame/data";
import { Filters } from "../flame/filters";
import type { TabProps } from "../flame/props";
import { useSize } from "../flame/size";
import { filterOf, readState, writeState } from "../flame/state";
import { setParams } from "../model/address";
import { grouped, percent } from "../model/format";
import { useFetch, useLater } from "../model/hooks";
import { Trouble } from "../widgets/trouble";

const COLUMNS: [string, string][] = [["self", "Self"], ["total", "Total"], ["name", "Function"], ["object", "Object"]];
const STEP = 100;
const SHARED = ["event", "from", "to", "who"]; // of the address, in the flame graph too

const OBJECT_PART = 0.62; // of the row's width is the function's name
const LETTER = 7.8;

type Filter = Record<string, string | undefined>;

export function FunctionsTab(props: TabProps) {
	const { run, params, link } = props;
	const [limit, setLimit] = useState(STEP);
	const [box, { width }] = useSize();
	const search = params.get("search") ?? "";
	const sort = params.get("sort") ?? "self";
	const chosen = params.get("function") ?? "";
	const state = readState(params);
	const filter = filterOf(state);
	const asked = useLater(search, 150);
	const known = useEvents(props);
	const events = known.value?.rows.filter((row) => row.samples > 0).map((row) => row.event) ?? [];
	const threads = useThreads(props, { event: filter["event"] }).value;
	const top = useFetch<QueryTop>(`/runs/${run.id}/top`, { ...filter, search: asked, sort, limit }, true);
	const room = Math.max(16, Math.floor(((width - 170) * OBJECT_PART) / LETTER));
	return (
		<div class="functions" aria-busy={[top.data ?? top.refusal, known.value ?? known.refusal].some((one) => !one)}>
			<div class="row">
				<input
					data-search type="search" class="search" placeholder="Search functions and objects ( / )" aria-label="Search functions" value={search}
					onInput={(event) => setParams({ search: event.currentTarget.value })}
					onKeyDown={(event) => event.key === "Escape" && setParams({ search: null })}
				/>
				<Filters state={state} change={(changes) => setParams(writeState({ ...state, ...changes }))} events={events} threads={threads} start="" />
				<span class="grow" />
				<span class="dim">{top.data ? `${grouped(top.data.samples)} samples of ${top.data.event}` : " "}</span>
			</div>
			<Trouble refusal={top.refusal} onRetry={top.reload} />
			<div class="functions-columns">
				<div class="scroll" ref={box}>
					<table class="bars wide" aria-busy={top.busy}>
						<thead>
							<tr>
								{COLUMNS.map(([name, word]) => (
									<th key={name} scope="col" aria-sort={sort === name ? (name === "self" || name === "total" ? "descending" : "ascending") : undefined}>
										<button type="button" onClick={() => setParams({ sort: name === "self" ? null : name })}>{word}</button>
									</th>
								))}
							</tr>
						</thead>
						<tbody>
							{top.data?.rows.map((row) => (
								<tr key={`${row.function}${row.object}`} data-function={row.function ?? "unknown"} aria-selected={chosen !== "" && row.function === chosen}>
									<td class="number share" style={{ "--part": `${row.self_percent}%` }} title={`${grouped(row.self_samples)} samples`}>{percent(row.self_percent)}</td>
									<td class="number share" style={{ "--part": `${row.total_percent}%` }} title={`${grouped(row.total_samples)} samples`}>{percent(row.total_percent)}</td>
									<td class="ellipsis"><button type="button" class="link mono" title={`${row.function}${row.place ? `, ${row.place}` : ""}`} aria-label={row.function ? spoken(row.function, room) : "unknown"} onClick={() => setParams({ function: row.function })}>{row.function ? labelIn(row.function, room) : "[unknown]"}</button></td>
									<td class="ellipsis dim" title={row.object}>{row.object.split("/").pop()}</td>
								</tr>
							))}
						</tbody>
					</table>
					{top.data?.rows.length === 0 && <p class="dim pad">No function matches.</p>}
					{!!top.data?.left_out && <p class="pad dim">{grouped(top.data.left_out)} more <button type="button" onClick={() => setLimit(limit + STEP * 4)}>Show more</button></p>}
				</div>
				{chosen && <Around run={run.id} name={chosen} filter={filter} params={params} link={link} />}
			</div>
		</div>
	);
}

interface AroundProps extends Pick<TabProps, "link" | "params"> {
	run: number;
	name: string;
	filter: Filter;
}

function Around({ run, name, filter, params, link }: AroundProps) {
	const query = { ...filter, function: name, limit: 50 };
	const callers = useFetch<QueryNeighbours>(`/runs/${run}/callers`, query);
	const callees = useFetch<QueryNeighbours>(`/runs/${run}/callees`, query);
	const self = callers.data?.functions[0];
	const shared = Object.fromEntries(SHARED.flatMap((word) => (params.has(word) ? [[word, params.get(word)!]] : [])));
	if ([callers, callees].some((answer) => !answer.data && !answer.refusal)) return <section class="around" aria-busy="true" />;
	return (
		<section class="around" aria-label={`Callers and callees of ${name}`}>
			<div class="row">
				<h3 class="mono ellipsis" title={name}>{name}</h3>
				<span class="grow" />
				<a href={link("flame", { ...shared, marked: name })}>Show in the flame graph</a>
				<button type="button" class="quiet" aria-label="Close" onClick={() => setParams({ function: null })}>×</button>
			</div>
			{self && <p class="dim">{percent(self.self_percent)} self, {percent(self.total_percent)} with what it calls · {self.object}</p>}
			<Trouble refusal={callers.refusal ?? callees.refusal} />
			<Neighbours title="Called by" data={callers.data} none="None: stacks begin here." />
			<Neighbours title="Calls" data={callees.data} none="None: samples end here." />
		</section>
	);
}

function Neighbours({ title, data, none }: { title: string; data: QueryNeighbours | undefined; none: string }) {
	const rows = data?.functions.flatMap((one) => one.rows) ?? [];
	return (
		<>
			<h4>{title}</h4>
			<table class="bars" aria-label={title}>
				<tbody>
					{rows.map((row, at) => (
						<tr key={at}>
							<td class="number share" style={{ "--part": `${row.percent}%` }} title={`${grouped(row.samples)} samples`}>{percent(row.percent)}</td>
							<td class="ellipsis">
								{row.function ? <button type="button" class="link mono" title={row.function} onClick={() => setParams({ function: row.function })}>{row.function}</button> : <span class="dim">[unknown]</span>}
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{data && !rows.length && <p class="dim">{none}</p>}
		</>
	);
}
