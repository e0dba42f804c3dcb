// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the system says, unless somebody chose one of them in this browser.
import { useEffect, useState } from "preact/hooks";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const query = () => matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

export function theme(): Theme {
	const chosen = document.documentElement.dataset["theme"];
	return chosen === "light" || chosen === "dark" ? chosen : "system";
}

function show(chosen: string | null): void {
	const root = document.documentElement;
	if (chosen === "light" || chosen === "dark") root.dataset["theme"] = chosen;
	else delete root.dataset["theme"];
	for (const listener of listeners) listener();
}

export function setTheme(chosen: Theme): void {
	if (chosen === "system") localStorage.removeItem(KEY);
	else localStorage.setItem(KEY, chosen);
	show(chosen);
}

// Before anything is drawn; other tabs of the browser follow.
export function startTheme(): void {
	show(localStorage.getItem(KEY));
	addEventListener("storage", (event) => event.key === KEY && show(event.newValue));
}

export function isDark(): boolean {
	return theme() === "dark" || (theme() === "system" && query().matches);
}

// Canvases have no style sheet: with another theme they are drawn anew.
export function useDark(): boolean {
	const [dark, setDark] = useState(isDark);
	useEffect(() => {
		const update = () => setDark(isDark());
		const system = query();
		system.addEventListener("change", update);
		listeners.add(update);
		return () => {
			system.removeEventListener("change", update);
			listeners.delete(update);
		};
	}, []);
	return dark;
}

export function useTheme(): Theme {
	const [now, setNow] = useState(theme);
	useEffect(() => {
		const update = () => setNow(theme());
		listeners.add(update);
		return () => void listeners.delete(update);
	}, []);
	return now;
}
