// SPDX-License-Identifier: Apache-2.0
// The view in the address behind the #, so that it can be sent to somebody with the file:
//	z=12  the frame that is zoomed, by its place in the graph as it is shown
//	s=RE  the search; m=NAME a function that is highlighted
//	v=    changes, in their order: f3 and h7 focus and hide a function by number, c collapse, r reverse
//	e, p, i, t, o: event, palette, icicle, table, order of the table

import { PALETTES, Palette } from "../flame/color";
import type { Step } from "../flame/reshape";

export type Order = "self" | "total" | "name";

export interface View {
	event: number;
	steps: Step[];
	zoomed: number;
	search: string;
	exact: boolean; // case counts in it, also without a capital letter
	marked: number; // a function, or -1
	palette: Palette;
	inverted: boolean;
	table: boolean;
	order: Order;
}

function writeStep(step: Step): string {
	if (step.what === "focus") return `f${step.name}`;
	if (step.what === "hide") return `h${step.name}`;
	return step.what === "collapse" ? "c" : "r";
}

function readStep(text: string): Step | null {
	const name = Number(text.slice(1));
	if (text === "c") return { what: "collapse" };
	if (text === "r") return { what: "reverse" };
	if (!/^[fh]\d+$/.test(text)) return null;
	return { what: text[0] === "f" ? "focus" : "hide", name };
}

export function writeView(view: View, standard: View): string {
	const state = new URLSearchParams();
	if (view.event !== standard.event) state.set("e", String(view.event));
	if (view.steps.length) state.set("v", view.steps.map(writeStep).join("."));
	if (view.zoomed) state.set("z", String(view.zoomed));
	if (view.search) state.set("s", view.search);
	if (view.exact) state.set("c", "1");
	if (view.marked >= 0) state.set("m", String(view.marked));
	if (view.palette !== standard.palette) state.set("p", view.palette);
	if (view.inverted !== standard.inverted) state.set("i", String(Number(view.inverted)));
	if (view.table !== standard.table) state.set("t", String(Number(view.table)));
	if (view.order !== standard.order) state.set("o", view.order);
	return state.toString();
}

function flag(text: string | null, standard: boolean): boolean {
	return text === null ? standard : text === "1";
}

function index(text: string | null, standard: number): number {
	return text !== null && /^\d+$/.test(text) ? Number(text) : standard;
}

export function readView(hash: string, standard: View): View {
	const state = new URLSearchParams(hash.replace(/^#/, ""));
	const palette = PALETTES.find((name) => name === state.get("p"));
	const order = (["self", "total", "name"] as const).find((name) => name === state.get("o"));
	const steps = (state.get("v") ?? "").split(".").map(readStep);
	return {
		event: index(state.get("e"), standard.event),
		steps: steps.filter((step): step is Step => step !== null),
		zoomed: index(state.get("z"), 0),
		search: state.get("s") ?? "",
		exact: flag(state.get("c"), false),
		marked: index(state.get("m"), -1),
		palette: palette ?? standard.palette,
		inverted: flag(state.get("i"), standard.inverted),
		table: flag(state.get("t"), standard.table),
		order: order ?? standard.order,
	};
}
