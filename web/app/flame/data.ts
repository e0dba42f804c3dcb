// SPDX-License-Identifier: Apache-2.0
// What the tabs ask the server for.

import { useEffect, useRef, useState } from "preact/hooks";
import { Graph, readGraph } from "../../flame/columns";
import { grouped } from "../../flame/words";
import { lacksFrames } from "./model";
import { Query, Refusal, TabProps, refusalOf } from "./props";
import { FlameState, filterOf } from "./state";

export interface Answer<T> {
	value: T | null; // the last one, until the next is there
	refusal: Refusal | null;
	busy: boolean;
}

// Asks again when one of `about` is another; an answer that is no longer wanted is thrown away.
export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | null, about: unknown[]): Answer<T> {
	const [answer, setAnswer] = useState<{ value: T | null; refusal: Refusal | null; about: unknown[] | null }>({ value: null, refusal: null, about: null });
	useEffect(() => {
		if (!ask) return;
		const ending = new AbortController();
		ask(ending.signal).then(
			(value) => !ending.signal.aborted && setAnswer({ value, refusal: null, about }),
			(reason) => !ending.signal.aborted && setAnswer({ value: null, refusal: refusalOf(reason), about }),
		);
		return () => ending.abort();
	}, about);
	// By what is shown, not by what is under way: it is busy from the picture on in which something else is wanted.
	const fresh = about.every((one, at) => one === answer.about?.[at]);
	return { value: answer.value, refusal: answer.refusal, busy: ask !== null && !fresh };
}

export interface EventRow {
	event: string;
	unit: string | null;
	samples: number;
}

export interface ThreadRow {
	comm: string;
	pid: number;
	tid: number;
	samples: number;
	percent: number;
}

export interface ProcessRow {
	comm: string;
	pid: number;
	threads: number;
	samples: number;
	percent: number;
}

export interface Threads {
	rows: ThreadRow[];
	left_out: number;
	processes: ProcessRow[];
	processes_left_out: number;
}

// A finished run has an index that can be asked; before that there is the stream.
export function isLive(state: string): boolean {
	return state === "running";
}

export function isReady(state: string): boolean {
	return !["queued", "starting", "running", "processing"].includes(state);
}

export const MOST_THREADS = 200;
const ZOOMED_MS = 250; // until a zoom has come to its end
const FRAMES = 100000; // as many as are drawn at once without a pause
const MOST_ROWS = 100000;

export function useEvents({ api, run }: TabProps): Answer<{ rows: EventRow[] }> {
	return useAnswer(isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/events`, {}, signal) : null, [run.id, run.state]);
}

export function useThreads({ api, run }: TabProps, filter: Query): Answer<Threads> {
	const query = { ...filter, limit: MOST_THREADS };
	return useAnswer(isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/threads`, query, signal) : null, [run.id, run.state, JSON.stringify(filter)]);
}

// Frames that no screen could show stay on the server; it is said how many.
function readAnswer(text: string): Graph {
	const graph = readGraph(text);
	if (graph.event && !graph.subtitle.startsWith(graph.event)) graph.subtitle = `${graph.event}: ${graph.subtitle}`;
	if (graph.hidden)
		graph.footer += ` ${grouped(graph.hidden)} frames narrower than ${share(graph.least)} are left out; they come when you zoom to where they are.`;
	return graph;
}

// Two digits that count: 0.00 % would say nothing.
function share(part: number): string {
	return `${Number((100 * part).toPrecision(2))} %`;
}

// A frame that is looked into is asked for again with what was left out of it, once it is zoomed to. A
// graph of other samples begins with the frame that the address has.
function useInside(state: FlameState, asked: string, graph: Graph | null): number {
	const [, setVersion] = useState(0);
	const now = useRef({ asked: "", inside: 0 });
	if (now.current.asked !== asked) now.current = { asked, inside: state.changes.length ? 0 : state.zoom };
	const { zoom, changes } = state;
	useEffect(() => {
		if (!graph?.hidden || !zoom || changes.length || now.current.inside === zoom || !lacksFrames(graph, zoom)) return;
		const timer = setTimeout(() => {
			now.current.inside = zoom;
			setVersion((version) => version + 1);
		}, ZOOMED_MS);
		return () => clearTimeout(timer);
	}, [graph, zoom, changes]);
	return now.current.inside;
}

export function useGraph({ api, run }: TabProps, state: FlameState): Answer<Graph> {
	const filter = filterOf(state);
	const asked = JSON.stringify([run.id, filter, state.most]);
	const last = useRef<Graph | null>(null);
	const inside = useInside(state, asked, last.current);
	const query = { ...filter, most: state.most || FRAMES, inside: inside ? inside.toString(16) : undefined };
	const answer = useAnswer(
		isReady(run.state) ? async (signal) => readAnswer(await api.text(`/runs/${run.id}/flame`, query, signal)) : null,
		[run.state, asked, inside],
	);
	last.current = answer.value;
	return answer;
}

// Self and total of functions, in the graph's unit. Two objects may have functions of one name.
export type Totals = Map<string, { self: number; total: number }>;

export function functionKey(name: string, object: string): string {
	return `${name}\0${object}`;
}

interface TopRow {
	function: string | null;
	object: string;
	self_count: string;
	total_count: string;
}

// The sums of all frames of a graph that was sent without its narrowest; null: its own are right.
export function useTotals({ api, run }: TabProps, state: FlameState, graph: Graph | null): Totals | null {
	const wanted = isReady(run.state) && graph !== null && graph.hidden > 0 && !state.changes.length;
	const filter = filterOf(state);
	const answer = useAnswer(wanted ? async (signal) => {
		const { rows } = await api.json<{ rows: TopRow[] }>(`/runs/${run.id}/top`, { ...filter, limit: MOST_ROWS }, signal);
		const totals: Totals = new Map();
		for (const row of rows)
			if (row.function) totals.set(functionKey(row.function, row.object), { self: Number(row.self_count), total: Number(row.total_count) });
		return totals;
	} : null, [run.id, wanted, JSON.stringify(filter)]);
	return wanted ? answer.value : null;
}
