// SPDX-License-Identifier: Apache-2.0
// Keys of the flame graph, wherever on the page they are pressed, unless somebody types.

import { useEffect, useRef } from "preact/hooks";
import type { Direction } from "../../flame/view";
import type { Actions } from "./actions";

type Letter = "search" | "help" | "focus" | "hide" | "mark" | "copy" | "sandwich" | "only" | "without" | "undo" | "icicle" | "reverse" | "collapse" | "table";

const LETTERS: Record<string, Letter> = {
	"/": "search",
	"?": "help",
	f: "focus",
	h: "hide",
	m: "mark",
	c: "copy",
	s: "sandwich",
	o: "only",
	x: "without",
	u: "undo",
	i: "icicle",
	l: "reverse",
	r: "collapse",
	t: "table",
};

export function directionOf(key: string, inverted: boolean): Direction | null {
	if (key === "ArrowLeft") return "left";
	if (key === "ArrowRight") return "right";
	if (key === (inverted ? "ArrowDown" : "ArrowUp")) return "callee";
	return key === (inverted ? "ArrowUp" : "ArrowDown") ? "caller" : null;
}

// Where arrows have a meaning of their own.
const OWN_ARROWS = "input, select, textarea, [role=tab], [role=tablist], [role=listbox], [role=slider], [contenteditable], .flame-rows, .time-plot";

// Keys of the map of the Time tab, which chooses a range with them.
const OWN_KEYS = ["Enter", "Escape", " "];

function press(event: KeyboardEvent, actions: Actions, inverted: boolean): boolean {
	const target = event.target as Element;
	const typing = target.matches?.("input, select, textarea, [contenteditable]");
	const control = event.ctrlKey || event.metaKey;
	if (event.altKey || document.querySelector("dialog[open], .popup")) return false;
	if (OWN_KEYS.includes(event.key) && target.closest?.(".time-plot")) return false;
	if (event.key === "Escape" && (!typing || target.closest(".flame"))) actions.escape();
	else if (control && !typing && event.key === "z") actions.undo();
	else if (typing || control) return false;
	else if (event.key.startsWith("Arrow")) {
		const direction = directionOf(event.key, inverted);
		if (!direction || target.closest?.(OWN_ARROWS)) return false;
		actions.arrow(direction);
	} else if (event.key === "Enter") {
		if (target.closest?.("button, a, summary, [role=tab]")) return false;
		actions.enter();
	} else if (LETTERS[event.key]) actions[LETTERS[event.key]!]();
	else return false;
	return true;
}

export function useKeys(actions: Actions, inverted: boolean, active: boolean): void {
	const now = useRef({ actions, inverted });
	now.current = { actions, inverted };
	useEffect(() => {
		if (!active) return;
		let before = "";
		const listen = (event: KeyboardEvent) => {
			const goes = before === "g"; // the page's own: g s and g m lead to other views
			before = event.key;
			if (goes) return;
			if (!event.defaultPrevented && press(event, now.current.actions, now.current.inverted)) event.preventDefault();
		};
		window.addEventListener("keydown", listen, true); // before the page's own keys: here they mean more
		return () => window.removeEventListener("keydown", listen, true);
	}, [active]);
}
