// SPDX-License-Identifier: Apache-2.0
// The runs of a session as far as they are loaded, newest first; the stream changes one at a time, so that a
// session with a thousand runs is not asked for again with each of them.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Refusal } from "../api/client";
import type { List, Run } from "../api/core";
import { asRefusal, useSoon, useStream } from "./hooks";

const PAGE = 50;

// An answer may have been made before what the stream has told meanwhile.
export function newer(known: Run | undefined, found: Run): Run {
	return known && Number(known.change) > Number(found.change) ? known : found;
}

// The list with what is now known of a run, at its place.
export function withRun(runs: Run[], run: Run): Run[] {
	const at = runs.findIndex((one) => one.id <= run.id);
	const known = at >= 0 && runs[at]!.id === run.id;
	const before = at < 0 ? runs : runs.slice(0, at);
	const after = at < 0 ? [] : runs.slice(known ? at + 1 : at);
	return [...before, newer(known ? runs[at] : undefined, run), ...after];
}

// The newest page took the place of what it covers; what is older stays.
export function withPage(runs: Run[], page: List<Run>): Run[] {
	const last = page.items[page.items.length - 1];
	const known = new Map(runs.map((run) => [run.id, run]));
	const items = page.items.map((run) => newer(known.get(run.id), run));
	return last && page.next ? [...items, ...runs.filter((run) => run.id < last.id)] : items;
}

export interface RunList {
	items: Run[] | undefined;
	refusal: Refusal | undefined;
	reload: () => void;
	more: (() => void) | undefined; // older ones
	add: (run: Run) => void;
}

interface Hear {
	changed: (before: Run | undefined, now: Run) => void;
	removed: (id: number) => void;
}

export function useRunList(session: number, hear: Hear): RunList {
	const [items, setItems] = useState<Run[]>();
	const [older, setOlder] = useState<number | null>(null); // where the next page begins
	const [refusal, setRefusal] = useState<Refusal>();
	const latest = useRef<Run[]>([]);
	latest.current = items ?? [];
	const set = (change: (runs: Run[]) => Run[]) => setItems((runs) => (latest.current = change(runs ?? [])));
	const ask = (before?: number) =>
		api.json<List<Run>>("/runs", { session, limit: before ? 2 * PAGE : PAGE, before }).then(
			(page) => {
				setRefusal(undefined);
				const first = !latest.current.length || !page.next;
				if (before || first) setOlder(page.next ?? null);
				set((runs) => (before ? [...runs, ...page.items] : withPage(runs, page)));
			},
			(reason) => setRefusal(asRefusal(reason)),
		);
	const soon = useSoon(() => void ask());
	useEffect(() => void ask(), [session]);
	useStream([`session:${session}`], (event, data) => {
		if (event !== "run") return soon();
		const { run } = data as { run: Run };
		hear.changed(latest.current.find((one) => one.id === run.id), run);
		set((runs) => withRun(runs, run));
	});
	// A removed run is no longer its session's: only the topic of all of them tells.
	useStream(["sessions"], (_event, data) => {
		const { kind, id } = data as { kind?: string; id?: number };
		if (kind !== "run" || !id || !latest.current.some((run) => run.id === id)) return;
		set((runs) => runs.filter((run) => run.id !== id));
		hear.removed(id);
	});
	// Those that wait change their places when others begin.
	useStream(["queue"], () => latest.current.some((run) => run.state === "queued") && soon());
	return { items, refusal, reload: () => void ask(), more: older ? () => void ask(older) : undefined, add: (run) => set((runs) => withRun(runs, run)) };
}
