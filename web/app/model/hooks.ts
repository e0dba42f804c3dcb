// SPDX-License-Identifier: Apache-2.0
// What views have in common: data that is fetched, heard, or changes with time.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { api, type Query, Refusal } from "../api/client";
import { subscribe, watchStatus } from "../stream/client";

export interface Answer<T> {
	data: T | undefined; // stays while it is fetched anew
	refusal: Refusal | undefined;
	busy: boolean;
	reload: () => void;
	set: (data: T) => void; // what is known from elsewhere, for example from the stream
}

export function asRefusal(reason: unknown): Refusal {
	if (reason instanceof Refusal) return reason;
	return new Refusal(0, "broken", reason instanceof Error ? reason.message : String(reason), "");
}

// path null: nothing is asked. What belongs to another path is never shown, unless `keep` says so.
export function useFetch<T>(path: string | null, query: Query = {}, keep = false): Answer<T> {
	const key = path === null ? "" : path + JSON.stringify(query);
	const [state, setState] = useState<{ key: string; data?: T; refusal?: Refusal }>({ key: "" });
	const [round, setRound] = useState(0);
	const [busy, setBusy] = useState(path !== null);
	useEffect(() => {
		if (path === null) return setBusy(false);
		const stop = new AbortController();
		setBusy(true);
		api.json<T>(path, query, stop.signal).then(
			(data) => {
				setState({ key, data });
				setBusy(false);
			},
			(reason) => {
				if (stop.signal.aborted) return;
				setState((old) => ({ ...(old.key === key || keep ? old : {}), key, refusal: asRefusal(reason) }));
				setBusy(false);
			},
		);
		return () => stop.abort();
	}, [key, round]);
	const mine = state.key === key || (keep && path !== null);
	return {
		data: mine ? state.data : undefined,
		refusal: mine ? state.refusal : undefined,
		busy,
		reload: useCallback(() => setRound((value) => value + 1), []),
		set: useCallback((data: T) => setState({ key, data }), [key]),
	};
}

// Also hears `again` after the connection was lost: topics without a state of their own may have missed something.
export function useStream(topics: string[], hear: (event: string, data: unknown) => void): void {
	const latest = useRef(hear);
	latest.current = hear;
	useEffect(() => {
		if (!topics.length) return undefined;
		let lost = false;
		const unwatch = watchStatus((status) => {
			if (status === "open" && lost) latest.current("again", {});
			lost = status !== "open" && (lost || status !== "closed");
		});
		const leave = subscribe(topics, (event, data) => latest.current(event, data));
		return () => {
			unwatch();
			leave();
		};
	}, [topics.join()]);
}

// Calls that come in bursts become one, at most `wait` ms later.
export function useSoon(call: () => void, wait = 120): () => void {
	const latest = useRef(call);
	const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
	latest.current = call;
	useEffect(() => () => clearTimeout(timer.current), []);
	return useCallback(() => {
		timer.current ??= setTimeout(() => {
			timer.current = undefined;
			latest.current();
		}, wait);
	}, [wait]);
}

export function useLater<T>(value: T, wait: number): T {
	const [later, setLater] = useState(value);
	useEffect(() => {
		const timer = setTimeout(() => setLater(value), wait);
		return () => clearTimeout(timer);
	}, [JSON.stringify(value), wait]);
	return later;
}

export function useNow(every: number): number {
	const [now, setNow] = useState(Date.now);
	useEffect(() => {
		if (!every) return undefined;
		const timer = setInterval(() => setNow(Date.now()), every);
		return () => clearInterval(timer);
	}, [every]);
	return now;
}

// An action of a button: while it runs, and what it was refused with.
export function useAction<A extends unknown[]>(call: (...words: A) => Promise<unknown>): {
	run: (...words: A) => Promise<boolean>;
	busy: boolean;
	refusal: Refusal | undefined;
	clear: () => void;
} {
	const [busy, setBusy] = useState(false);
	const [refusal, setRefusal] = useState<Refusal>();
	const run = async (...words: A) => {
		setBusy(true);
		setRefusal(undefined);
		try {
			await call(...words);
			return true;
		} catch (reason) {
			setRefusal(asRefusal(reason));
			return false;
		} finally {
			setBusy(false);
		}
	};
	return { run, busy, refusal, clear: () => setRefusal(undefined) };
}

// Parts from the smallest to the largest; null: another view says what the window is called.
export function useTitle(...parts: (string | undefined)[] | [null]): void {
	const title = parts[0] === null ? null : [...parts, "perfolio"].filter(Boolean).join(" · ");
	useEffect(() => {
		if (title !== null) document.title = title;
	}, [title]);
}

// True from the moment on when the element comes near the window: what is far below need not be asked for.
export function useSeen<E extends Element>(): [(element: E | null) => void, boolean] {
	const [seen, setSeen] = useState(false);
	const watch = useRef<IntersectionObserver | undefined>(undefined);
	const set = useCallback((element: E | null) => {
		watch.current?.disconnect();
		if (!element) return;
		watch.current = new IntersectionObserver((all) => {
			if (!all.some((one) => one.isIntersecting)) return;
			watch.current?.disconnect();
			setSeen(true);
		}, { rootMargin: "300px" });
		watch.current.observe(element);
	}, []);
	return [set, seen];
}

// The size of an element in whole pixels; 0 before it is known.
export function useWidth<E extends Element>(): [(element: E | null) => void, number] {
	const [width, setWidth] = useState(0);
	const watch = useRef<ResizeObserver | undefined>(undefined);
	const set = useCallback((element: E | null) => {
		watch.current?.disconnect();
		if (!element) return;
		const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width));
		watch.current = new ResizeObserver(measure);
		watch.current.observe(element);
		measure();
	}, []);
	return [set, width];
}
