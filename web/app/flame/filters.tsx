// SPDX-License-Identifier: Apache-2.0
// Which samples a graph is made of: event, thread or process, time.

import { grouped } from "../../flame/words";
import type { Threads } from "./data";
import { seconds } from "./times";
import type { FlameState } from "./state";

interface FilterProps {
	state: FlameState;
	change: (changes: Partial<FlameState>) => void;
	events: string[];
	threads: Threads | null; // null: they cannot be told apart yet
	start: string; // of the run, nanoseconds; "": not known
}

function EventChoice({ state, change, events }: FilterProps) {
	if (events.length < 2) return null;
	const event = events.includes(state.event) ? state.event : events[0];
	return (
		<label><span class="flame-what">Event</span> <select aria-label="Event" value={event} onChange={(changed) => change({ event: changed.currentTarget.value, zoom: 0 })}>
			{events.map((name) => <option key={name} value={name}>{name}</option>)}
		</select></label>
	);
}

// A thread may have had several names, as before and after an exec: it is one choice, by the one it had most.
export function byThread(rows: Threads["rows"]): Threads["rows"] {
	const all = new Map<number, Threads["rows"][number]>();
	for (const row of [...rows].sort((a, b) => b.percent - a.percent)) {
		const known = all.get(row.tid);
		all.set(row.tid, known ? { ...known, percent: known.percent + row.percent } : row);
	}
	return [...all.values()];
}

function ThreadChoice({ state, change, threads }: FilterProps) {
	if (!threads) return <label><span class="flame-what">Thread</span> <select class="flame-who" aria-label="Thread" disabled><option>all threads</option></select></label>; // its place is kept
	const left = threads.left_out;
	if (threads.rows.length && threads.rows.every(({ tid }) => !tid)) return null; // nobody told who they are of
	return (
		<label><span class="flame-what">Thread</span> <select class="flame-who" aria-label="Thread" value={state.who} onChange={(changed) => change({ who: changed.currentTarget.value, zoom: 0 })}>
			<option value="">all threads</option>
			{state.who[0] === "c" && <option value={state.who}>{`CPU ${state.who.slice(1)}`}</option>}
			{threads.processes.length > 1 && (
				<optgroup label="Processes">
					{threads.processes.map(({ comm, pid, percent }) => <option key={pid} value={`p${pid}`}>{`${comm} ${pid} (${percent.toFixed(2)} %)`}</option>)}
				</optgroup>
			)}
			<optgroup label="Threads">
				{byThread(threads.rows).map(({ comm, tid, percent }) => <option key={tid} value={`t${tid}`}>{`${comm} ${tid} (${percent.toFixed(2)} %)`}</option>)}
				{left > 0 && <option disabled>{`and ${grouped(left)} more with fewer samples`}</option>}
			</optgroup>
		</select></label>
	);
}

function RangeMark({ state, change, start }: FilterProps) {
	if (!state.from && !state.to) return null;
	const text = start ? `${state.from ? seconds(state.from, start) : "start"} – ${state.to ? seconds(state.to, start) : "end"}` : "Part of the run";
	return <button type="button" class="flame-range" title="Show the whole run" onClick={() => change({ from: "", to: "" })}>{text} ✕</button>;
}

export function Filters(props: FilterProps) {
	return (
		<div class="flame-filters">
			<EventChoice {...props} />
			<ThreadChoice {...props} />
			<RangeMark {...props} />
		</div>
	);
}
