// SPDX-License-Identifier: Apache-2.0
// The graph of a recording that goes on.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Graph } from "../../flame/columns";
import { LiveTree, TreeGrowth } from "../../flame/live";
import { grouped } from "../../flame/words";
import { MOST_THREADS, ProcessRow, Threads, isLive } from "./data";
import type { TabProps } from "./props";

interface LiveEvent extends TreeGrowth {
	event: number;
	event_name?: string;
}

export interface LiveGraph {
	graph: Graph;
	threads: Threads;
	events: string[];
	event: number; // which of them it is, as the stream numbers them
}

// Threads in the order in which they came: a list that somebody looks at stays as it is.
function liveThreads({ threads, samples }: LiveTree): Threads {
	const percent = (part: number) => (100 * part) / (samples || 1);
	const known = threads.filter(({ pid, tid }) => /^\d+$/.test(pid) && /^\d+$/.test(tid));
	const rows = known.map(({ comm, pid, tid, samples: own }) => ({ comm, pid: Number(pid), tid: Number(tid), samples: own, percent: percent(own) }));
	const processes = new Map<number, ProcessRow>();
	for (const row of rows) {
		const process = processes.get(row.pid) ?? { comm: row.comm, pid: row.pid, threads: 0, samples: 0, percent: 0 };
		process.threads++;
		process.samples += row.samples;
		process.percent = percent(process.samples);
		processes.set(row.pid, process);
	}
	const all = [...processes.values()];
	return {
		rows: rows.slice(0, MOST_THREADS), left_out: Math.max(0, rows.length - MOST_THREADS),
		processes: all.slice(0, MOST_THREADS), processes_left_out: Math.max(0, all.length - MOST_THREADS),
	};
}

const REST = 3; // times as long as a picture took

// Draws again, and the less often the longer that takes: hands and eyes come first.
function usePace(): () => void {
	const [, setVersion] = useState(0);
	const pace = useRef({ timer: 0, next: 0 });
	useEffect(() => () => clearTimeout(pace.current.timer), []);
	const draw = () => {
		const start = performance.now();
		pace.current.timer = 0;
		setVersion((version) => version + 1);
		requestAnimationFrame(() => setTimeout(() => (pace.current.next = performance.now() + REST * (performance.now() - start))));
	};
	return () => {
		pace.current.timer ||= window.setTimeout(draw, Math.max(0, pace.current.next - performance.now()));
	};
}

// The tree of a recording that goes on. The graph is the same object each time; `version` tells that
// there is more in it.
export function useLiveGraph({ run, subscribe }: TabProps, event: string, who: string): LiveGraph | null {
	const trees = useRef(new Map<number, { name: string; tree: LiveTree }>());
	const redraw = usePace();
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
			redraw();
		});
	}, [run.id, run.state]);
	const events = [...trees.current.values()].map(({ name }) => name);
	const at = Math.max(0, events.indexOf(event));
	const shown = [...trees.current.values()][at];
	if (!isLive(run.state) || !shown) return null;
	shown.tree.show(who);
	const { graph, samples, lost } = shown.tree;
	const counted = who ? graph.tree.totalSamples[0] ?? 0 : samples;
	graph.subtitle = `${graph.event}: ${grouped(counted)} samples so far${lost ? `, ${grouped(lost)} lost` : ""}`;
	return { graph, threads: liveThreads(shown.tree), events, event: [...trees.current.keys()][at]! };
}
