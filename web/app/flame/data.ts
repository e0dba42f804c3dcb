// SPDX-License-Identifier: Apache-2.0
// What the tabs ask the server for.

import { useEffect, useRef, useState } from "preact/hooks";
import { Graph, readGraph } from "../../flame/columns";
import { LiveTree, TreeGrowth } from "../../flame/live";
import { grouped, percent } from "../../flame/words";
import { Query, Refusal, TabProps, refusalOf } from "./props";

export interface Answer<T> {
	value: T | null; // the last one, until the next is there
	refusal: Refusal | null;
	busy: boolean;
}

// Asks again when one of `about` is another; an answer that is no longer wanted is thrown away.
export function useAnswer<T>(ask: ((signal: AbortSignal) => Promise<T>) | null, about: unknown[]): Answer<T> {
	const [answer, setAnswer] = useState<Answer<T>>({ value: null, refusal: null, busy: ask !== null });
	useEffect(() => {
		if (!ask) return;
		const ending = new AbortController();
		setAnswer((before) => ({ ...before, busy: true }));
		ask(ending.signal).then(
			(value) => !ending.signal.aborted && setAnswer({ value, refusal: null, busy: false }),
			(reason) => !ending.signal.aborted && setAnswer({ value: null, refusal: refusalOf(reason), busy: false }),
		);
		return () => ending.abort();
	}, about);
	return answer;
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

const MOST_THREADS = 200;

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
	if (graph.hidden) graph.footer += ` ${grouped(graph.hidden)} frames narrower than ${percent(graph.least, 1)} are not drawn.`;
	return graph;
}

export function useGraph({ api, run }: TabProps, query: Query): Answer<Graph> {
	const asked = JSON.stringify(query);
	return useAnswer(
		isReady(run.state) ? async (signal) => readAnswer(await api.text(`/runs/${run.id}/flame`, query, signal)) : null,
		[run.id, run.state, asked],
	);
}

interface LiveEvent extends TreeGrowth {
	event: number;
	event_name?: string;
}

export interface LiveGraph {
	graph: Graph;
	events: string[];
	event: number; // which of them it is, as the stream numbers them
}

// The tree of a recording that goes on. The graph is the same object each time; `version` tells that
// there is more in it.
export function useLiveGraph({ run, subscribe }: TabProps, event: string): LiveGraph | null {
	const trees = useRef(new Map<number, { name: string; tree: LiveTree }>());
	const [, setVersion] = useState(0);
	useEffect(() => {
		if (!isLive(run.state)) return;
		trees.current.clear();
		return subscribe([`run:${run.id}:tree`], (name, data) => {
			if (name !== "tree" && name !== "tree-snapshot") return;
			const growth = data as LiveEvent;
			const known = trees.current.get(growth.event);
			const title = growth.event_name || known?.name || "";
			const tree = known && name === "tree" ? known.tree : new LiveTree(title);
			if (tree.add(growth)) trees.current.set(growth.event, { name: title, tree });
			setVersion((version) => version + 1);
		});
	}, [run.id, run.state]);
	const events = [...trees.current.values()].map(({ name }) => name);
	const at = Math.max(0, events.indexOf(event));
	const shown = [...trees.current.values()][at];
	if (!isLive(run.state) || !shown) return null;
	const { graph, samples, lost } = shown.tree;
	graph.subtitle = `${graph.event}: ${grouped(samples)} samples so far${lost ? `, ${grouped(lost)} lost` : ""}`;
	return { graph, events, event: [...trees.current.keys()][at]! };
}
