// SPDX-License-Identifier: Apache-2.0
// Addresses hold the whole view: /r/12/counters?from=…; whoever opens one sees the same.

import { useEffect, useState } from "preact/hooks";

type Listener = () => void;
const listeners = new Set<Listener>();

function tell(): void {
	for (const listener of listeners) listener();
}

// step: one can go back from it, as from "push", but it is the same page and stays where it was scrolled to.
export function go(to: string, how: "push" | "step" | "replace" = "push"): void {
	if (to === location.pathname + location.search) return;
	if (how === "replace") history.replaceState(null, "", to);
	else history.pushState(null, "", to);
	if (how === "push") scrollTo(0, 0);
	tell();
}

// Changes of what stands behind the `?`; null takes one out. As a rule they make no step back: the view is the same.
export function setParams(changes: Record<string, string | null>, how: "step" | "replace" = "replace"): void {
	const params = new URLSearchParams(location.search);
	for (const [name, value] of Object.entries(changes)) {
		if (value === null || value === "") params.delete(name);
		else params.set(name, value);
	}
	const text = params.toString();
	go(location.pathname + (text && `?${text}`), how);
}

export interface Place {
	words: string[]; // of the path
	params: URLSearchParams;
}

export function here(): Place {
	return { words: location.pathname.split("/").filter(Boolean), params: new URLSearchParams(location.search) };
}

export function usePlace(): Place {
	const [place, setPlace] = useState(here);
	useEffect(() => {
		const update = () => setPlace(here());
		listeners.add(update);
		update();
		return () => void listeners.delete(update);
	}, []);
	return place;
}

// Plain links work as links; only a plain click on one of our own views stays in the page.
export function followLinks(): void {
	addEventListener("popstate", tell);
	document.addEventListener("click", (event) => {
		const link = (event.target as Element).closest?.("a");
		if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
		if (link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
		if (link.pathname.startsWith("/api/")) return; // model/download.ts
		event.preventDefault();
		go(link.pathname + link.search);
	});
}
