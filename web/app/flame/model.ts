// SPDX-License-Identifier: Apache-2.0
// What a view makes of a graph: its tree, what a search finds in it, sums by function.

import type { Graph } from "../../flame/columns";
import { covered, findNames } from "../../flame/functions";
import { GROUP, Step, reshape } from "../../flame/reshape";
import { frameOfKey } from "../../flame/match";
import { outright, regular } from "../../flame/search";
import type { Tree } from "../../flame/tree";
import type { Change, FlameState } from "./state";

export function isLeafFirst(changes: Change[]): boolean {
	return changes.some((change) => change.what === "reverse");
}

// Functions are numbered anew in each graph; one that has none there changes nothing in it, unless only
// it was to be seen.
function stepOf(graph: Graph, change: Change): Step | null {
	if (!("name" in change)) return change;
	const { what, name } = change;
	if (what === "keep" || what === "drop") {
		const expression = regular(name);
		return expression && { what: what === "keep" ? "only" : "without", found: findNames(graph.functions, expression) };
	}
	if (what === "only" || what === "without") return { what, found: Uint8Array.from(graph.functions, (one) => Number(one === name)) };
	const found = graph.functions.indexOf(name);
	return found < 0 && what === "hide" ? null : { what, name: found };
}

export function treeOf(graph: Graph, changes: Change[]): Tree {
	return changes.reduce((tree, change) => {
		const step = stepOf(graph, change);
		return step ? reshape(graph, tree, step) : tree;
	}, graph.tree);
}

// From the roots on, for sums by function: they are the same whichever way stacks are merged.
export function forwardTree(graph: Graph, tree: Tree, changes: Change[]): Tree {
	if (!isLeafFirst(changes)) return tree;
	if (changes[changes.length - 1]!.what === "reverse") return treeOf(graph, changes.slice(0, -1));
	return reshape(graph, tree, { what: "reverse" });
}

// What is highlighted, as an expression: one function, or what is searched for; "": nothing.
export function expressionOf({ search, exact, marked }: Pick<FlameState, "search" | "exact" | "marked">): string {
	return marked ? `(?-i)^${escaped(marked)}$` : outright(search, exact);
}

// A name as an expression that finds it.
export function escaped(name: string): string {
	return name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

// What a view shows of a graph: its tree, and the same from the roots on. Changes that it came with are not made
// again.
export function treesOf(graph: Graph, made: Change[] | null, changes: Change[]): { tree: Tree; forward: Tree } {
	const tree = made ? graph.tree : treeOf(graph, changes);
	if (!made) return { tree, forward: forwardTree(graph, tree, changes) };
	return { tree, forward: isLeafFirst(made) && !graph.hidden ? reshape(graph, tree, { what: "reverse" }) : tree };
}

export interface Found {
	expression: RegExp | null; // what is searched for
	found: Uint8Array | null; // by function: what the search finds
	hits: Uint8Array | null; // what is highlighted: that, or one function
	share: number; // of 1
	bad: boolean; // not a regular expression
}

export function search(graph: Graph, tree: Tree, state: Pick<FlameState, "search" | "exact" | "marked">): Found {
	const expression = state.search ? regular(state.search, state.exact) : null;
	if (state.search && !expression) return { expression, found: null, hits: null, share: 0, bad: true };
	const found = expression && findNames(graph.functions, expression);
	const marked = state.marked ? graph.functions.indexOf(state.marked) : -1;
	let hits = found;
	if (marked >= 0) {
		hits = new Uint8Array(graph.functions.length);
		hits[marked] = 1;
	}
	const share = hits ? covered(graph, tree, hits) / (tree.total[0] || 1) : 0;
	return { expression, found, hits, share, bad: false };
}

// The frame that stands for a function: its widest.
export function widestFrame(graph: Graph, tree: Tree, name: number): number {
	let widest = -1;
	for (let i = 1; i < tree.length; i++)
		if (graph.functionOf[tree.face[i]!] === name && (widest < 0 || tree.total[i]! > tree.total[widest]!)) widest = i;
	return widest;
}

export function isGroup(graph: Graph, tree: Tree, frame: number): boolean {
	return graph.kindOf[tree.face[frame]!] === GROUP;
}

export function nameIn(graph: Graph, tree: Tree, frame: number): string {
	return graph.functions[graph.functionOf[tree.face[frame]!]!] ?? "";
}

export const NOT_SHOWN = "[not shown]"; // src/render/flame_columns.h

// A frame of a function, a program or a thread; not the root, and not what is left out.
export function isNamed(graph: Graph, tree: Tree, frame: number): boolean {
	return frame > 0 && nameIn(graph, tree, frame) !== NOT_SHOWN;
}

const SEEN = 1 / 4000; // of a screen's width

// How much of a graph, as a share of 1, is in no frame of its own.
export function notDrawn({ functions, functionOf, tree }: Graph): number {
	const name = functions.indexOf(NOT_SHOWN);
	let sum = 0;
	for (let i = 1; name >= 0 && i < tree.length; i++) if (functionOf[tree.face[i]!] === name) sum += tree.self[i]!;
	return sum / (tree.total[0] || 1);
}

// Whether a frame has something in it that was left out and would be seen in a zoom to it.
export function lacksFrames(graph: Graph, key: number): boolean {
	const { tree } = graph;
	const zoomed = frameOfKey(graph, tree, key);
	const name = graph.functions.indexOf(NOT_SHOWN);
	for (let i = zoomed + 1; zoomed && i < tree.next[zoomed]!; i++)
		if (graph.functionOf[tree.face[i]!] === name && tree.total[i]! > SEEN * tree.total[zoomed]!) return true;
	return false;
}
