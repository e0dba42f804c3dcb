// SPDX-License-Identifier: Apache-2.0
// One function between those that call it and those that it calls: two trees with it as their root.

import type { Graph } from "./columns";
import { Growing, finish } from "./reshape";
import type { Tree } from "./tree";

export interface Sandwich {
	callers: Tree; // from the function outwards
	callees: Tree;
}

// The outermost frames of a function: what it calls itself is below one of them and counts once.
function outermost(graph: Graph, tree: Tree, name: number): number[] {
	const found: number[] = [];
	for (let i = 0; i < tree.length;) {
		const hit = graph.functionOf[tree.face[i]!] === name;
		if (hit) found.push(i);
		i = hit ? tree.next[i]! : i + 1;
	}
	return found;
}

function addCallees(tree: Tree, frame: number, growing: Growing): void {
	const to = new Map<number, number>([[frame, 0]]);
	growing.add(0, tree.self[frame]!, tree.samples[frame]!);
	for (let i = frame + 1; i < tree.next[frame]!; i++) {
		const node = growing.child(to.get(tree.parent[i]!)!, tree.face[i]!);
		to.set(i, node);
		growing.add(node, tree.self[i]!, tree.samples[i]!);
	}
}

function addCallers(tree: Tree, frame: number, growing: Growing): void {
	let node = 0;
	for (let at = tree.parent[frame]!; at; at = tree.parent[at]!) node = growing.child(node, tree.face[at]!);
	growing.add(node, tree.total[frame]!, tree.totalSamples[frame]!);
}

// The frames that stand on the root, as one: a function may be there inlined and not, and in several objects.
export function joined(graph: Graph, tree: Tree): Tree {
	const growing = new Growing(tree.face[tree.length > 1 ? 1 : 0]!);
	for (let i = 1; i < tree.length; i = tree.next[i]!) addCallees(tree, i, growing);
	return finish(graph, growing);
}

// Of a tree from the roots on; null where it has no frame of that function.
export function sandwich(graph: Graph, tree: Tree, name: number): Sandwich | null {
	const frames = outermost(graph, tree, name);
	if (!frames.length) return null;
	const root = tree.face[frames[0]!]!;
	const callers = new Growing(root);
	const callees = new Growing(root);
	for (const frame of frames) {
		addCallers(tree, frame, callers);
		addCallees(tree, frame, callees);
	}
	return { callers: finish(graph, callers), callees: finish(graph, callees) };
}
