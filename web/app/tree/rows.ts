// SPDX-License-Identifier: Apache-2.0
// Which rows of a call tree are seen: a row's callees follow it where it is open, the heaviest first. Only what is
// open is looked at, so a tree of a hundred thousand frames opens as fast as a small one.

import type { Graph } from "../../flame/columns";
import { pathKeys } from "../../flame/match";
import { type Tree, childrenOf } from "../../flame/tree";

export interface Row {
	frame: number;
	level: number; // from 1 on
	open: boolean;
	leaf: boolean;
	at: number; // among its siblings, from 1 on
	of: number;
}

const sorted = new WeakMap<Tree, Map<number, number[]>>();

// The callees of a frame, the heaviest first; of equals in their order.
export function calleesOf(tree: Tree, frame: number): number[] {
	let known = sorted.get(tree);
	if (!known) sorted.set(tree, (known = new Map()));
	let found = known.get(frame);
	if (!found) known.set(frame, (found = childrenOf(tree, frame).sort((a, b) => tree.total[b]! - tree.total[a]! || a - b)));
	return found;
}

// `open` has the keys of paths (flame/match.ts): they hold in other trees too.
export function rowsOf(graph: Graph, tree: Tree, open: ReadonlySet<number>): Row[] {
	const keys = pathKeys(graph, tree);
	const rows: Row[] = [];
	const waiting: { frame: number; level: number; at: number; of: number }[] = [];
	const push = (frame: number, level: number) => {
		const callees = calleesOf(tree, frame);
		for (let at = callees.length; at > 0; at--) waiting.push({ frame: callees[at - 1]!, level, at, of: callees.length });
	};
	push(0, 1);
	while (waiting.length) {
		const { frame, level, at, of } = waiting.pop()!;
		const leaf = tree.next[frame] === frame + 1;
		const isOpen = !leaf && open.has(keys[frame]!);
		rows.push({ frame, level, open: isOpen, leaf, at, of });
		if (isOpen) push(frame, level + 1);
	}
	return rows;
}

const WORTH = 0.1; // of the whole: below it the way is not hot any more

// The way that most samples take from a frame on, as long as one callee has most of it.
export function hotPath(graph: Graph, tree: Tree, from = 0): number[] {
	const keys = pathKeys(graph, tree);
	const path: number[] = from ? [keys[from]!] : [];
	for (let frame = from; ;) {
		const heaviest = calleesOf(tree, frame)[0];
		if (heaviest === undefined || tree.total[heaviest]! < Math.max(tree.total[frame]! / 2, WORTH * tree.total[from]!)) return path;
		path.push(keys[heaviest]!);
		frame = heaviest;
	}
}

// What has to be open for a frame to be seen.
export function callersOf(graph: Graph, tree: Tree, frame: number): number[] {
	const keys = pathKeys(graph, tree);
	const found: number[] = [];
	for (let at = frame && tree.parent[frame]!; at; at = tree.parent[at]!) found.push(keys[at]!);
	return found;
}

const MOST = 300; // keys in an address

// null: nothing was opened or folded yet; "-": nothing is open.
export function readOpen(text: string | null): Set<number> | null {
	if (!text) return null;
	return new Set(text.split(".").filter((one) => /^[0-9a-f]{1,8}$/.test(one)).map((one) => parseInt(one, 16)));
}

export function writeOpen(open: ReadonlySet<number>): string {
	return [...open].slice(-MOST).map((key) => key.toString(16)).join(".") || "-";
}
