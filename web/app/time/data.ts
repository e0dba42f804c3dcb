// SPDX-License-Identifier: Apache-2.0
// What the Time tab asks for and hears.

import { useEffect, useRef, useState } from "preact/hooks";
import { Answer, isLive, isReady, useAnswer } from "../flame/data";
import type { Query, TabProps } from "../flame/props";
import { since } from "../flame/times";
import { Heat, emptyHeat, merge } from "./heat";

export type Lanes = "none" | "cpu" | "thread";
export const ROWS = 50;

export interface Lane {
	samples: number;
	counts: number[];
	cpu?: number;
	pid?: number;
	tid?: number;
	comm?: string;
}

export interface HeatAnswer {
	event: string | null;
	start_ns: string;
	end_ns: string;
	samples: number;
	most: number;
	columns?: number;
	rows?: number;
	counts?: number[];
	column_ns?: number;
	from_ns?: string;
	to_ns?: string;
	items?: Lane[];
	left_out?: number;
	note?: string;
}

// Without the range: the map shows all of the time, and the range in it.
function whole({ from: _from, to: _to, ...query }: Query): Query {
	return query;
}

export function useHeat({ api, run }: TabProps, filter: Query): Answer<Heat> {
	const query = { ...whole(filter), rows: ROWS };
	return useAnswer(isReady(run.state) ? async (signal) => {
		const answer = await api.json<HeatAnswer>(`/runs/${run.id}/heatmap`, query, signal);
		return { start: answer.start_ns, columns: answer.columns ?? 1, rows: answer.rows ?? ROWS, counts: answer.counts ?? [], most: answer.most, samples: answer.samples, end: since(answer.end_ns, answer.start_ns) / 1e9 };
	} : null, [run.id, run.state, JSON.stringify(query)]);
}

export const MOST_LANES = 64;
export const LANE_COLUMNS = 900;

// Lanes are of all threads or CPUs: one is chosen in them.
export function useLanes({ api, run }: TabProps, event: string, lanes: Lanes): Answer<HeatAnswer> {
	const query = { event: event || undefined, lanes, width: LANE_COLUMNS, limit: MOST_LANES };
	const wanted = lanes !== "none" && isReady(run.state);
	const answer = useAnswer(
		wanted ? async (signal) => ({ lanes, heat: await api.json<HeatAnswer>(`/runs/${run.id}/heatmap`, query, signal) }) : null,
		[run.id, run.state, event, lanes],
	);
	return { ...answer, value: answer.value?.lanes === lanes ? answer.value.heat : null }; // not CPUs where threads are asked for
}

interface HeatGrowth {
	event: number;
	start_ns: string;
	cells: [number, number, number][];
}

// The heatmap of an event of a recording that goes on.
export function useLiveHeat({ run, subscribe }: TabProps, event: number): Heat | null {
	const maps = useRef(new Map<number, Heat>());
	const [, setVersion] = useState(0);
	useEffect(() => {
		if (!isLive(run.state)) return;
		maps.current.clear();
		return subscribe([`run:${run.id}:heat`], (name, data) => {
			if (name !== "heat" && name !== "heat-snapshot") return;
			const growth = data as HeatGrowth;
			const known = name === "heat" ? maps.current.get(growth.event) : undefined;
			maps.current.set(growth.event, merge(known ?? emptyHeat(growth.start_ns, ROWS), growth.cells));
			setVersion((version) => version + 1);
		});
	}, [run.id, run.state]);
	return isLive(run.state) ? maps.current.get(event) ?? null : null;
}

export interface ChartAnswer {
	tid: number;
	comm: string;
	start_ns: string;
	from_ns: string;
	to_ns: string;
	samples: number;
	down_sampled: boolean;
	t: number[];
	length: number[];
	level: number[];
	function: number[];
	count: number[];
	functions: { name: string; object: string; kind: string }[];
}

export function useChart({ api, run }: TabProps, query: Query | null): Answer<ChartAnswer> {
	return useAnswer(query && isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/chart`, query, signal) : null, [run.id, run.state, JSON.stringify(query)]);
}
