// SPDX-License-Identifier: Apache-2.0
// What the tabs ask the server for.

import { useEffect, useRef, useState } from "preact/hooks";
import { Graph, readGraph } from "../../flame/columns";
import { GROUP } from "../../flame/reshape";
import { grouped, percent } from "../../flame/words";
import { lacksFrames, notDrawn } from "./model";
import { Query, Refusal, TabProps, refusalOf } from "./props";
import { Change, FlameState, changesText, filterOf } from "./state";

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
export const FRAMES = 100000; // as many as are drawn at once without a pause

export function useEvents({ api, run }: TabProps): Answer<{ rows: EventRow[] }> {
	return useAnswer(isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/events`, {}, signal) : null, [run.id, run.state]);
}

export function useThreads({ api, run }: TabProps, filter: Query): Answer<Threads> {
	const query = { ...filter, limit: MOST_THREADS };
	return useAnswer(isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/threads`, query, signal) : null, [run.id, run.state, JSON.stringify(filter)]);
}

// A graph with the changes that the server has made in it; null: they are made here.
export interface Asked {
	graph: Graph;
	changes: Change[] | null;
	query: Query; // the samples and frames that it is of
}

export async function askGraph({ api, run }: TabProps, query: Query, signal: AbortSignal): Promise<Graph> {
	const graph = readGraph(await api.text(`/runs/${run.id}/flame`, query, signal));
	if (graph.event && !graph.subtitle.startsWith(graph.event)) graph.subtitle = `${graph.event}: ${graph.subtitle}`;
	return graph;
}

// Two digits that count: 0.00 % would say nothing.
function share(part: number): string {
	return part < 0.001 ? `${Number((100 * part).toPrecision(2))} %` : percent(part, 1);
}

// Frames that no screen could show stay on the server; it is said how many, and what they weigh.
export function leftOut(graph: Graph): string {
	if (!graph.hidden) return "";
	return `${grouped(graph.hidden)} frames narrower than ${share(graph.least)} are not drawn; ${share(notDrawn(graph))} of the samples end in them. All figures count them.`;
}

// A frame that is looked into is asked for again with what was left out of it, once it is zoomed to. A
// graph of other samples begins with the frame that the address has.
function useInside(state: FlameState, asked: string, graph: Graph | null): number {
	const [, setVersion] = useState(0);
	const now = useRef({ asked: "", inside: 0 });
	if (now.current.asked !== asked) now.current = { asked, inside: state.zoom };
	const { zoom } = state;
	useEffect(() => {
		if (!graph?.hidden || !zoom || now.current.inside === zoom || !lacksFrames(graph, zoom)) return;
		const timer = setTimeout(() => {
			now.current.inside = zoom;
			setVersion((version) => version + 1);
		}, ZOOMED_MS);
		return () => clearTimeout(timer);
	}, [graph, zoom]);
	return now.current.inside;
}

// A focus on a program keeps its samples, one on a function its stacks from there on.
export function splitPrograms(whole: Graph, changes: Change[]): { comm: string | undefined; changes: string | undefined } {
	const programs = new Set(Array.from(whole.functionOf.keys()).filter((face) => face !== whole.tree.face[0] && whole.kindOf[face] === GROUP).map((face) => whole.functions[whole.functionOf[face]!]!));
	const isProgram = (change: Change) => change.what === "focus" && programs.has(change.name);
	const program = changes.filter(isProgram).at(-1);
	return { comm: program && "name" in program ? program.name : undefined, changes: changesText(changes.filter((change) => !isProgram(change))) || undefined };
}

// A graph that was sent with all its frames is changed here, at once; of another, the server changes all of it.
export function useGraph(tab: TabProps, state: FlameState): Answer<Asked> {
	const filter = filterOf(state);
	const asked = JSON.stringify([tab.run.id, filter, state.most]);
	const kept = useRef<{ asked: string; whole: Graph } | null>(null);
	const known = kept.current?.asked === asked ? kept.current.whole : null;
	const changed = known && !known.hidden ? "" : changesText(state.changes);
	const last = useRef<Graph | null>(null);
	const inside = useInside(state, asked + changed, last.current);
	const ask = async (signal: AbortSignal): Promise<Asked> => {
		const query = { ...filter, most: state.most || FRAMES };
		const whole = known ?? (await askGraph(tab, query, signal));
		kept.current = { asked, whole };
		if (!whole.hidden || (!state.changes.length && !inside)) return { graph: whole, changes: null, query: filter };
		const changes = splitPrograms(whole, state.changes);
		const graph = await askGraph(tab, { ...query, ...changes, inside: inside ? inside.toString(16) : undefined }, signal);
		graph.subtitle = whole.subtitle;
		graph.outside = whole.tree.total[0]! - graph.tree.total[0]!;
		return { graph, changes: state.changes, query: { ...filter, ...changes } };
	};
	const answer = useAnswer(isReady(tab.run.state) ? ask : null, [tab.run.state, asked, changed, inside]);
	last.current = answer.value?.graph ?? null;
	return answer;
}
