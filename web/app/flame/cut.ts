// SPDX-License-Identifier: Apache-2.0
// Figures of a graph that has more frames than were sent: the server has them from all of its samples.

import type { Graph } from "../../flame/columns";
import { joined } from "../../flame/sandwich";
import { Answer, Asked, FRAMES, askGraph, isReady, useAnswer } from "./data";
import { expressionOf, isLeafFirst } from "./model";
import type { TabProps } from "./props";
import { regular } from "../../flame/search";
import type { FlameState } from "./state";

const MOST_ROWS = 100000;
const TYPED_MS = 80; // until somebody who types has come to an end

// Self and total of functions, in the graph's unit. Two objects may have functions of one name.
export interface Totals {
	names: string[];
	self: Float64Array;
	total: Float64Array;
}

// A function's callers and callees, each with it as the root.
export interface Halves {
	callers: Graph;
	callees: Graph;
}

export interface Cut {
	totals: Answer<Totals>;
	share: Answer<number>; // of 1, that the search finds
	halves: Answer<Halves>;
}

interface TopRow {
	function: string | null;
	self_count: string;
	total_count: string;
}

function totalsOf(rows: TopRow[]): Totals {
	return {
		names: rows.map((row) => row.function ?? ""),
		self: Float64Array.from(rows, (row) => Number(row.self_count)),
		total: Float64Array.from(rows, (row) => Number(row.total_count)),
	};
}

function pause(signal: AbortSignal): Promise<void> {
	return new Promise((done, stop) => {
		const timer = setTimeout(done, TYPED_MS);
		signal.addEventListener("abort", () => (clearTimeout(timer), stop(signal.reason)));
	});
}

async function askHalf(tab: TabProps, { query, changes }: Asked, more: string, signal: AbortSignal): Promise<Graph> {
	// Callers and callees are told by the stacks as they were called.
	const made = [query["changes"], isLeafFirst(changes ?? []) && "reverse", more].filter(Boolean).join(",");
	const graph = await askGraph(tab, { ...query, changes: made, group: "none", most: FRAMES }, signal);
	return { ...graph, tree: joined(graph, graph.tree) };
}

async function askHalves(tab: TabProps, asked: Asked, name: string, signal: AbortSignal): Promise<Halves> {
	const encoded = encodeURIComponent(name);
	const [callers, callees] = await Promise.all([askHalf(tab, asked, `until:${encoded},reverse`, signal), askHalf(tab, asked, `focus:${encoded}`, signal)]);
	return { callers, callees };
}

// null: the graph has all its frames, and its own figures are right.
export function useCut(tab: TabProps, state: FlameState, asked: Asked | null): Cut | null {
	const { api, run } = tab;
	const cut = asked !== null && isReady(run.state) && asked.graph.hidden > 0 ? asked : null;
	const about = [run.id, cut && JSON.stringify(cut.query)];
	const expression = expressionOf(state);
	const totals = useAnswer(cut && (async (signal) => {
		const { rows } = await api.json<{ rows: TopRow[] }>(`/runs/${run.id}/top`, { ...cut.query, limit: MOST_ROWS }, signal);
		return totalsOf(rows);
	}), about);
	const share = useAnswer(cut && expression && regular(expression) ? async (signal) => {
		await pause(signal);
		const found = await api.json<{ matched_count: string; count: string }>(`/runs/${run.id}/flame`, { ...cut.query, most: 1, search: expression }, signal);
		return Number(found.matched_count) / (Number(found.count) || 1);
	} : null, [...about, expression]);
	const halves = useAnswer(cut && state.sandwich ? (signal) => askHalves(tab, cut, state.sandwich, signal) : null, [...about, state.sandwich]);
	return cut && { totals, share, halves };
}
