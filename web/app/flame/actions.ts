// SPDX-License-Identifier: Apache-2.0
// What can be done with a graph, by buttons and by keys.

import type { Graph } from "../../flame/columns";
import { pathKeys } from "../../flame/match";
import { outright, regular } from "../../flame/search";
import type { Tree } from "../../flame/tree";
import type { Direction, FlameView } from "../../flame/view";
import { toast } from "../widgets/toast";
import { NOT_SHOWN, escaped, isGroup, isNamed, nameIn, widestFrame } from "./model";
import { type FlameState, type Matching, type Named } from "./state";

type Changer = (changes: Partial<FlameState>) => void;

// What lies before somebody who acts.
export interface Desk {
	graph: Graph;
	tree: Tree;
	state: FlameState;
	chosen: number; // a frame, or -1
	view: FlameView | null;
	input: HTMLInputElement | null;
	change: Changer; // what undo takes back
	mark: Changer; // what it does not
	undo: () => void;
	choose: (key: number) => void; // a path's key, or -1
	help: () => void;
}

function keyOf({ graph, tree }: Desk, frame: number): number {
	return frame < 0 ? -1 : pathKeys(graph, tree)[frame]!;
}

function zoomTo(desk: Desk, frame: number): void {
	const key = keyOf(desk, frame);
	if (key !== desk.state.zoom) desk.change({ zoom: key });
}

// Also where nothing is zoomed but something was moved.
function reset({ state, view, change }: Desk): void {
	if (state.zoom) change({ zoom: 0 });
	else if (view && (view.from > 0 || view.to < view.tree.total[0]!)) view.zoomTo(0);
}

function toggle({ state, change }: Desk, what: "collapse" | "reverse"): void {
	const without = state.changes.filter((made) => made.what !== what);
	change({ changes: without.length < state.changes.length ? without : [...state.changes, { what }], zoom: 0 });
}

// A program or a thread can be focused on; the rest is for functions.
function changeBy({ graph, tree, state, chosen, change }: Desk, what: Named): void {
	if (!isNamed(graph, tree, chosen) || (what !== "focus" && isGroup(graph, tree, chosen))) return;
	change({ changes: [...state.changes, { what, name: nameIn(graph, tree, chosen) }], zoom: 0 });
}

// What is searched for becomes what is shown, or what is not; the search has done its work then.
function keepMatching({ state, change }: Desk, what: Matching): void {
	if (!state.search || !regular(state.search)) return;
	change({ changes: [...state.changes, { what, name: outright(state.search, state.exact) }], zoom: 0, search: "" });
}

function markName({ state, mark }: Desk, name: string): void {
	mark({ marked: state.marked === name ? "" : name });
}

function sandwich({ graph, tree, state, chosen, change }: Desk): void {
	if (state.sandwich) change({ sandwich: "" });
	else if (isNamed(graph, tree, chosen) && !isGroup(graph, tree, chosen)) change({ sandwich: nameIn(graph, tree, chosen) });
}

function escape(desk: Desk): void {
	desk.input?.blur();
	if (desk.state.search || desk.state.marked) desk.mark({ search: "", marked: "" });
	else desk.choose(-1);
	reset(desk);
}

export async function copyName(name: string): Promise<void> {
	try {
		await navigator.clipboard.writeText(name);
		toast("Name copied.");
	} catch {
		toast("The browser doesn't allow copying.");
	}
}

// A row of the table: its widest frame stands for it, so that what is done next is done to it.
function chooseFunction(desk: Desk, name: string): void {
	if (desk.state.sandwich) desk.change({ sandwich: name });
	else markName(desk, name);
	showFunction(desk, name);
}

function showFunction(desk: Desk, name: string): void {
	desk.choose(keyOf(desk, widestFrame(desk.graph, desk.tree, desk.graph.functions.indexOf(name))));
}

// What is not drawn has no inside: its caller is zoomed to, and brings it.
function drawnOf({ graph, tree }: Desk, frame: number): number {
	return frame > 0 && nameIn(graph, tree, frame) === NOT_SHOWN ? tree.parent[frame]! : frame;
}

export function actionsOf(desk: Desk) {
	const { graph, tree, state, chosen } = desk;
	return {
		focus: () => changeBy(desk, "focus"),
		hide: () => changeBy(desk, "hide"),
		only: () => (state.search ? keepMatching(desk, "keep") : changeBy(desk, "only")),
		without: () => (state.search ? keepMatching(desk, "drop") : changeBy(desk, "without")),
		// Of the chosen frame, whatever is searched for.
		change: (what: Named) => changeBy(desk, what),
		mark: () => isNamed(graph, tree, chosen) && markName(desk, nameIn(graph, tree, chosen)),
		copy: () => chosen >= 0 && void copyName(nameIn(graph, tree, chosen)),
		sandwich: () => sandwich(desk),
		undo: desk.undo,
		reset: () => reset(desk),
		icicle: () => desk.change({ inverted: !state.inverted }),
		reverse: () => toggle(desk, "reverse"),
		collapse: () => toggle(desk, "collapse"),
		table: () => desk.mark({ table: !state.table }),
		help: desk.help,
		search: () => desk.input?.focus(),
		find: (name: string) => desk.mark({ search: escaped(name), marked: "" }),
		choose: (frame: number) => desk.choose(keyOf(desk, frame)),
		enter: () => chosen >= 0 && zoomTo(desk, drawnOf(desk, chosen)),
		escape: () => escape(desk),
		arrow: (direction: Direction) => desk.view && desk.choose(keyOf(desk, desk.view.neighbour(chosen, direction))),
		click: (frame: number) => {
			desk.choose(keyOf(desk, frame));
			zoomTo(desk, drawnOf(desk, frame));
		},
		pick: (name: string) => chooseFunction(desk, name),
		show: (name: string) => showFunction(desk, name),
		takeBack: (at: number) => desk.change({ changes: state.changes.filter((_, i) => i !== at), zoom: 0 }),
	};
}

export type Actions = ReturnType<typeof actionsOf>;
