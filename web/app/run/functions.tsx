// SPDX-License-Identifier: Apache-2.0
// Functions by weight; of a chosen one, who calls it and whom it calls.
import { useState } from "preact/hooks";
import { labelIn, spoken } from "../../flame/label";
import { outright, regular } from "../../flame/search";
import { amount, samplesText } from "../../flame/words";
import type { QueryNeighbours, QueryTop } from "../api/schema";
import { useEvents, useThreads } from "../flame/data";
import { Filters } from "../flame/filters";
import { copyName } from "../flame/actions";
import { FunctionMenu, type MenuPlace, rowItems, rowMenu } from "../flame/menu";
import { escaped } from "../flame/model";
import type { TabProps } from "../flame/props";
import { useSize } from "../flame/size";
import { type FlameState, changesText, filterOf, readState, writeState } from "../flame/state";
import { CaseSwitch, Trail } from "../flame/toolbar";
import { setParams } from "../model/address";
import { grouped, percent } from "../model/format";
import { useFetch, useLater } from "../model/hooks";
import { Trouble } from "../widgets/trouble";

// How rows are sorted, its word, and how many columns it has: the share, and the amount with its samples.
const COLUMNS: [string, string, number][] = [["self", "Self", 2], ["total", "Total", 2], ["name", "Function", 1], ["object", "Object", 1]];
const STEP = 100;
const SHARED = ["event", "from", "to", "who", "changes"]; // of the address, in the flame graph too

const FIGURES = 420; // pixels of a row that are not names; page.css has the same
const OBJECT_PART = 0.72; // of the rest is the function's name
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
	const filter: Filter = { ...filterOf(state), changes: changesText(state.changes) || undefined };
	const asked = useLater(outright(search, state.exact), 150);
	const [menu, setMenu] = useState<MenuPlace | null>(null);
	const change = (changes: Partial<FlameState>) => setParams(writeState({ ...state, ...changes }));
	const known = useEvents(props);
	const events = known.value?.rows.filter((row) => row.samples > 0).map((row) => row.event) ?? [];
	const threads = useThreads(props, { event: filter["event"] }).value;
	const top = useFetch<QueryTop>(`/runs/${run.id}/top`, { ...filter, search: asked, sort, limit }, true);
	const room = Math.max(16, Math.floor(((width - FIGURES) * OBJECT_PART) / LETTER));
	const noun = top.data?.noun ?? "samples";
	const unit = top.data?.unit ?? noun;
	const amounts = unit === noun ? noun : `${unit === "ns" || unit === "nanoseconds" ? "time" : unit}, ${noun}`;
	return (
		<div class="functions" aria-busy={[top.data ?? top.refusal, known.value ?? known.refusal].some((one) => !one)}>
			<div class="row">
				<div class="flame-find">
					<input
						data-search type="search" class="search" placeholder="Search functions" title="Functions and objects, by a regular expression ( / )" aria-label="Search functions" value={search} aria-invalid={!!search && !regular(search)}
						onInput={(event) => setParams({ search: event.currentTarget.value })}
						onKeyDown={(event) => event.key === "Escape" && setParams({ search: null })}
					/>
					<CaseSwitch exact={state.exact} change={change} />
				</div>
				<Filters state={state} change={change} events={events} threads={threads} start="" />
				<span class="grow" />
				<span class="dim">{top.data ? `${unit === "samples" || noun === "samples" ? samplesText(top.data.samples) : amount(Number(top.data.count), unit)}${unit === top.data.event ? "" : ` of ${top.data.event}`}` : " "}</span>
			</div>
			<Trail changes={state.changes} onRemove={(at) => change({ changes: state.changes.filter((_, i) => i !== at) })} />
			<Trouble refusal={top.refusal} onRetry={top.reload} />
			<div class="functions-columns">
				<div class="scroll" ref={box}>
					<table class="bars wide" aria-busy={top.busy}>
						<colgroup><col class="of-share" /><col class="of-amount" /><col class="of-share" /><col class="of-amount" /><col /><col class="of-object" /></colgroup>
						<thead>
							<tr>
								{COLUMNS.map(([name, word, columns]) => (
									<th key={name} scope="col" colSpan={columns} aria-sort={sort === name ? (name === "self" || name === "total" ? "descending" : "ascending") : undefined}>
										<button type="button" onClick={() => setParams({ sort: name === "self" ? null : name })}>{word}{columns > 1 && <small aria-hidden="true">  {amounts}</small>}</button>
									</th>
								))}
							</tr>
						</thead>
						<tbody onContextMenu={(event) => rowMenu(event, setMenu)}>
							{top.data?.rows.map((row) => (
								<tr key={`${row.function}${row.object}`} data-function={row.function ?? "unknown"} data-nameless={row.function ? undefined : ""} aria-selected={chosen !== "" && row.function === chosen}>
									<Figures share={row.self_percent} count={row.self_count} samples={row.self_samples} unit={unit} noun={noun} />
									<Figures share={row.total_percent} count={row.total_count} samples={row.total_samples} unit={unit} noun={noun} />
									<td class="ellipsis"><button type="button" class="link mono" title={`${row.function}${row.place ? `, ${row.place}` : ""}`} aria-label={row.function ? spoken(row.function, room) : "unknown"} onClick={() => setParams({ function: row.function })}>{row.function ? labelIn(row.function, room) : "[unknown]"}</button></td>
									<td class="ellipsis dim" title={row.object}>{row.object.split("/").pop()}</td>
								</tr>
							))}
						</tbody>
					</table>
					{top.data?.rows.length === 0 && <p class="dim pad">No function matches.</p>}
					{!!top.data?.left_out && <p class="pad dim">{grouped(top.data.left_out)} more <button type="button" onClick={() => setLimit(limit + STEP * 4)}>Show more</button></p>}
				</div>
				{chosen && <Around run={run.id} name={chosen} filter={filter} params={params} link={link} onMenu={setMenu} />}
			</div>
			{menu && <FunctionMenu place={menu} onClose={() => setMenu(null)} items={rowItems({
				change: (what) => change({ changes: [...state.changes, { what, name: menu.name }] }), around: () => setParams({ function: menu.name }),
				find: () => setParams({ search: `^${escaped(menu.name)}$` }), copy: () => void copyName(menu.name),
				others: [{ label: "In the flame graph", href: link("flame", { ...shared(params), marked: menu.name }) }, { label: "In the call tree", href: link("calltree", { ...shared(params), search: `^${escaped(menu.name)}$` }) }],
			})} />}
		</div>
	);
}

// A share, what it is in the event's own unit, and by how many samples that is known.
function Figures({ share, count, samples, unit, noun }: { share: number; count: string; samples: number; unit: string; noun: string }) {
	return (
		<>
			<td class="number share" style={{ "--part": `${share}%` }}>{percent(share)}</td>
			<td class="number amount">{unit !== noun && <span>{amount(Number(count), unit)}</span>} <small title={samplesText(samples, noun)}>{grouped(samples)}</small></td>
		</>
	);
}

function shared(params: URLSearchParams): Record<string, string> {
	return Object.fromEntries(SHARED.flatMap((word) => (params.has(word) ? [[word, params.get(word)!]] : [])));
}

interface AroundProps extends Pick<TabProps, "link" | "params"> {
	run: number;
	name: string;
	filter: Filter;
	onMenu: (place: MenuPlace) => void;
}

function Around({ run, name, filter, params, link, onMenu }: AroundProps) {
	const query = { ...filter, function: name, limit: 50 };
	const callers = useFetch<QueryNeighbours>(`/runs/${run}/callers`, query);
	const callees = useFetch<QueryNeighbours>(`/runs/${run}/callees`, query);
	const self = callers.data?.functions[0];
	if ([callers, callees].some((answer) => !answer.data && !answer.refusal)) return <section class="around" aria-busy="true" />;
	return (
		<section class="around" aria-label={`Callers and callees of ${name}`} onContextMenu={(event) => rowMenu(event, onMenu)}>
			<div class="row">
				<h3 class="mono ellipsis" title={name}>{name}</h3>
				<span class="grow" />
				<a href={link("flame", { ...shared(params), marked: name })}>Show in the flame graph</a>
				<a href={link("calltree", { ...shared(params), search: `^${escaped(name)}$` })}>Show in the call tree</a>
				<button type="button" class="quiet" aria-label="Close" onClick={() => setParams({ function: null })}>×</button>
			</div>
			{self && <p class="dim">{percent(self.self_percent)} self ({grouped(self.self_samples)} samples), {percent(self.total_percent)} with what it calls ({grouped(self.total_samples)} samples) · {self.object}</p>}
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
						<tr key={at} data-function={row.function ?? "unknown"} data-nameless={row.function ? undefined : ""}>
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
