// SPDX-License-Identifier: Apache-2.0
// Small pictures of results: samples over time, or the first counter. What is over is asked for once.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import { OVER, type Run } from "../api/core";
import type { Counters, Heatmap } from "../api/schema";
import type { SparkData } from "../widgets/spark";
import { seconds } from "./format";

const COLUMNS = 48;
const known = new Map<number, Promise<SparkData>>();

// Neighbours put together until at most `columns` are left.
export function gather(values: number[], columns: number, how: "sum" | "mean"): number[] {
	if (values.length <= columns) return values;
	const out: number[] = [];
	for (let at = 0; at < columns; at++) {
		const from = Math.floor((at * values.length) / columns);
		const to = Math.max(from + 1, Math.floor(((at + 1) * values.length) / columns));
		const sum = values.slice(from, to).reduce((a, b) => a + b, 0);
		out.push(how === "sum" ? sum : sum / (to - from));
	}
	return out;
}

// From the run's start to its end, idle or not: a heatmap has whole seconds.
export function during(counts: number[], rows: number, seconds: number): number[] {
	return counts.slice(0, Math.max(1, Math.ceil(seconds * rows - 1e-6)));
}

const ROWS = 20; // a second

async function samples(run: Run): Promise<SparkData> {
	const heat = await api.json<Heatmap>(`/runs/${run.id}/heatmap`, { rows: ROWS });
	return { kind: "bars", values: gather(during(heat.counts ?? [], ROWS, seconds(heat.end_ns, heat.start_ns)), COLUMNS, "sum") };
}

async function counters(run: Run): Promise<SparkData> {
	const data = await api.json<Counters>(`/runs/${run.id}/counters`, { width: COLUMNS });
	const line = data.lines.find((one) => one.cpu === -1) ?? data.lines[0];
	return { kind: "line", values: gather((line?.mean ?? []).map((value) => value ?? 0), COLUMNS, "mean") };
}

async function fetchPicture(run: Run): Promise<SparkData> {
	const tabs: string[] = run.facts?.tabs ?? [];
	for (const ask of [...(tabs.includes("time") ? [samples] : []), ...(tabs.includes("counters") ? [counters] : [])]) {
		const found = await ask(run).catch(() => null);
		if (found?.values.length) return found;
	}
	return { kind: "none", values: [] };
}

export function usePicture(run: Run | undefined | null): SparkData | undefined {
	const [data, setData] = useState<SparkData>();
	const over = !!run && OVER.includes(run.state);
	useEffect(() => {
		if (!over) return setData(undefined);
		let gone = false;
		if (!known.has(run.id)) known.set(run.id, fetchPicture(run));
		void known.get(run.id)!.then((found) => gone || setData(found));
		return () => void (gone = true);
	}, [run?.id, over]);
	return data;
}
