// SPDX-License-Identifier: Apache-2.0
// The runs of a session, newest first, a page at a time: a thousand rows that change ten times a second are more than
// a browser takes. The stream changes one run at a time, so that the page is not asked for again with each of them.

import { useEffect, useRef, useState } from "preact/hooks";
import { api, type Refusal } from "../api/client";
import type { List, Run } from "../api/core";
import { asRefusal, useSoon, useStream } from "./hooks";

const PAGE = 60;

// An answer may have been made before what the stream has told meanwhile. The stream tells all the same: what this
// person alone sees, and may do, is that of the answer.
export function newer(known: Run | undefined, found: Run): Run {
	if (!known) return found;
	const [latest, other] = Number(known.change) > Number(found.change) ? [known, found] : [found, known];
	if (latest.may || !other.may) return latest;
	return { ...latest, may: other.may, masked: other.masked, environment: other.environment, form: other.form };
}

export interface Page {
	items: Run[];
	next: number | null; // where the older ones begin
	before: number | null; // null: the newest, where new runs come in
}

// The page with what is now known of a run: at its place, if that is on this page.
export function withRun(page: Page, run: Run, most = PAGE): Page {
	const at = page.items.findIndex((one) => one.id <= run.id);
	if (at >= 0 && page.items[at]!.id === run.id) {
		const items = [...page.items];
		items[at] = newer(items[at], run);
		return { ...page, items };
	}
	const outside = at < 0 ? page.next !== null : page.before !== null && at === 0;
	if (outside) return page;
	const items = at < 0 ? [...page.items, run] : [...page.items.slice(0, at), run, ...page.items.slice(at)];
	if (items.length <= most) return { ...page, items };
	return { ...page, items: items.slice(0, most), next: items[most - 1]!.id };
}

// What was answered, unless the stream has told something newer of a run.
export function withAnswer(page: Page | undefined, answer: List<Run>, before: number | null): Page {
	const known = new Map(page?.items.map((run) => [run.id, run]));
	return { items: answer.items.map((run) => newer(known.get(run.id), run)), next: answer.next ?? null, before };
}

export interface RunList {
	items: Run[] | undefined;
	refusal: Refusal | undefined;
	reload: () => void;
	older: (() => void) | undefined;
	newest: (() => void) | undefined; // back from older ones
	add: (run: Run) => void;
}

interface Hear {
	// Of whatever is told, by the stream or an answer: also what is older than that, or the same.
	changed: (before: Run | undefined, now: Run) => void;
	removed: (id: number) => void;
}

export function useRunList(session: number, hear: Hear): RunList {
	const [page, setPage] = useState<Page>();
	const [refusal, setRefusal] = useState<Refusal>();
	const latest = useRef<Page | undefined>(undefined);
	const news = useRef(0); // runs that the stream told of before any answer did
	const set = (now: Page) => setPage((latest.current = now));
	const change = (how: (page: Page) => Page) => latest.current && set(how(latest.current));
	const ask = (before: number | null) => {
		const told = news.current;
		return api.json<List<Run>>("/runs", { session, limit: PAGE, before }).then(
			(answer) => {
				setRefusal(undefined);
				for (const run of answer.items) hear.changed(known(run.id), run); // of what it is the first to tell
				set(withAnswer(latest.current, answer, before));
				if (news.current !== told) soon(); // it may have been made before them
			},
			(reason) => setRefusal(asRefusal(reason)),
		);
	};
	const again = () => void ask(latest.current?.before ?? null);
	const soon = useSoon(again);
	const later = useSoon(again, 800);
	const known = (id: number) => latest.current?.items.find((run) => run.id === id);
	useEffect(again, [session]);
	useStream([`session:${session}`], (event, data) => {
		if (event !== "run") return soon();
		const { run } = data as { run: Run };
		if (!known(run.id)) {
			news.current++;
			later(); // what this person may do with it
		}
		hear.changed(known(run.id), run);
		change((now) => withRun(now, run));
	});
	// A removed run is no longer its session's: only the topic of all of them tells.
	useStream(["sessions"], (_event, data) => {
		const { kind, id } = data as { kind?: string; id?: number };
		if (kind !== "run" || !id || !known(id)) return;
		change((now) => ({ ...now, items: now.items.filter((run) => run.id !== id) }));
		hear.removed(id);
	});
	// Those that wait change their places when others begin.
	useStream(["queue"], () => latest.current?.items.some((run) => run.state === "queued") && later());
	return {
		items: page?.items,
		refusal,
		reload: again,
		older: page?.next ? () => void ask(page.next) : undefined,
		newest: page && page.before !== null ? () => void ask(null) : undefined,
		add: (run) => change((now) => withRun(now, run)),
	};
}
