// SPDX-License-Identifier: Apache-2.0
// The view of a flame graph in the address, so that it can be sent to somebody. Functions stand there by
// name and a zoomed frame by its path: both hold while a recording grows and when it is filtered.

import { PALETTES, Palette } from "../../flame/color";

export type Order = "self" | "total" | "name";
// Of one function: stacks from it on; without it; only stacks with it; none of them.
export type Named = "focus" | "hide" | "only" | "without";
// Of a search: only stacks with a function that it finds; none of them. The name is the expression.
export type Matching = "keep" | "drop";
export type Change = { what: Named | Matching; name: string } | { what: "collapse" } | { what: "reverse" };

const NAMED: readonly (Named | Matching)[] = ["focus", "hide", "only", "without", "keep", "drop"];

export interface FlameState {
	event: string; // "": the first
	who: string; // "": all; p7 a process, t8 a thread, c0 a CPU
	from: string; // nanoseconds; "": the beginning
	to: string;
	changes: Change[]; // of the tree, in their order
	zoom: number; // a path's key; 0: all
	search: string;
	exact: boolean; // case counts in a search without a capital letter, too
	marked: string; // a function
	palette: Palette;
	inverted: boolean;
	table: boolean;
	order: Order;
	sandwich: string; // a function between its callers and callees
	most: string; // frames, the widest; "": as many as a screen can show
}

export const STANDARD: FlameState = {
	event: "",
	who: "",
	from: "",
	to: "",
	changes: [],
	zoom: 0,
	search: "",
	exact: false,
	marked: "",
	palette: "kind",
	inverted: false,
	table: true,
	order: "self",
	sandwich: "",
	most: "",
};

// The samples of the standard view.
export const ALL: Partial<FlameState> = { event: "", who: "", from: "", to: "", zoom: 0, most: "" };

function writeChange(change: Change): string {
	return "name" in change ? `${change.what}:${encodeURIComponent(change.name)}` : change.what;
}

// As the address has them, and as the API takes them.
export function changesText(changes: Change[]): string {
	return changes.map(writeChange).join(",");
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function readChange(text: string): Change | null {
	const [what, name] = text.split(":");
	if (what === "collapse" || what === "reverse") return { what };
	const named = NAMED.find((one) => one === what);
	return named && name ? { what: named, name: decoded(name) } : null;
}

function oneOf<T extends string>(all: readonly T[], text: string | null, otherwise: T): T {
	return all.find((one) => one === text) ?? otherwise;
}

function flag(text: string | null, otherwise: boolean): boolean {
	return text === null ? otherwise : text === "1";
}

export function readState(params: URLSearchParams, standard = STANDARD): FlameState {
	const text = (name: string) => params.get(name) ?? "";
	const number = (name: string) => (/^\d{1,20}$/.test(text(name)) ? text(name) : "");
	const zoom = text("zoom");
	return {
		event: text("event"),
		who: /^[ptc]\d{1,10}$/.test(text("who")) ? text("who") : "",
		from: number("from"),
		to: number("to"),
		changes: text("changes").split(",").map(readChange).filter((change): change is Change => change !== null),
		zoom: /^[0-9a-f]{1,8}$/.test(zoom) ? parseInt(zoom, 16) : 0,
		search: text("search"),
		exact: flag(params.get("case"), standard.exact),
		marked: text("marked"),
		palette: oneOf(PALETTES, params.get("colours"), standard.palette),
		inverted: flag(params.get("icicle"), standard.inverted),
		table: flag(params.get("table"), standard.table),
		order: oneOf(["self", "total", "name"] as const, params.get("order"), standard.order),
		sandwich: text("sandwich"),
		most: /^[1-9]\d{0,5}$/.test(text("most")) ? text("most") : "",
	};
}

// What of the address is another: null takes a word out.
export function writeState(state: FlameState, standard = STANDARD): Record<string, string | null> {
	const differs = (is: boolean, usual: boolean) => (is === usual ? null : is ? "1" : "0");
	return {
		event: state.event || null,
		who: state.who || null,
		from: state.from || null,
		to: state.to || null,
		changes: changesText(state.changes) || null,
		zoom: state.zoom ? state.zoom.toString(16) : null,
		search: state.search || null,
		case: differs(state.exact, standard.exact),
		marked: state.marked || null,
		colours: state.palette === standard.palette ? null : state.palette,
		icicle: differs(state.inverted, standard.inverted),
		table: differs(state.table, standard.table),
		order: state.order === standard.order ? null : state.order,
		sandwich: state.sandwich || null,
		most: state.most || null,
	};
}

// Of some samples only: what is said of the run may not be so of these.
export function isPart({ from, to, who }: FlameState): boolean {
	return from !== "" || to !== "" || who !== "";
}

// The samples that a graph is made of, as the API wants them.
export function filterOf(state: FlameState): Record<string, string | undefined> {
	const who = state.who.slice(1);
	return {
		event: state.event || undefined,
		from: state.from || undefined,
		to: state.to || undefined,
		pid: state.who[0] === "p" ? who : undefined,
		tid: state.who[0] === "t" ? who : undefined,
		cpu: state.who[0] === "c" ? who : undefined,
	};
}
