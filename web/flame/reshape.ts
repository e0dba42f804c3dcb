// SPDX-License-Identifier: Apache-2.0
// The same samples as another tree: from a function on, without a function, only stacks that have one or have it
// not, recursion collapsed, merged from the leaves. The rules are those of `perfolio flame --focus --hide --grep
// --exclude --collapse-recursion --reverse`.

import type { Graph } from "./columns";
import { NodeMap } from "./nodes";
import { Tree, makeTree } from "./tree";

export const GROUP = 6; // the kind of the root, of programs and of threads: they stay where they are

export type Step =
	| { what: "focus" | "hide"; name: number }
	| { what: "only" | "without"; found: Uint8Array } // by function
	| { what: "collapse" }
	| { what: "reverse" };

// A tree that grows by (parent, face).
export class Growing {
	parent: number[] = [0];
	face: number[];
	self: number[] = [0];
	samples: number[] = [0];
	private known: NodeMap;

	constructor(root: number) {
		this.face = [root];
		this.known = new NodeMap(this.parent, this.face);
	}

	child(parent: number, face: number): number {
		let child = this.known.find(parent, face);
		if (child < 0) {
			child = this.parent.push(parent) - 1;
			this.face.push(face);
			this.self.push(0);
			this.samples.push(0);
			this.known.add(child);
		}
		return child;
	}

	add(node: number, self: number, samples: number): void {
		this.self[node]! += self;
		this.samples[node]! += samples;
	}
}

const ranks = new WeakMap<Uint32Array, Uint32Array>(); // by the faces: a graph that grows gets others

// Each face's place in the order of names, in which siblings stand.
function rankOf(graph: Graph): Uint32Array {
	let rank = ranks.get(graph.functionOf);
	if (rank) return rank;
	const names = graph.functions;
	const order = Array.from(graph.functionOf, (_, face) => face);
	const nameOf = (face: number) => names[graph.functionOf[face]!]!;
	order.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : a - b));
	rank = new Uint32Array(order.length);
	for (let i = 0; i < order.length; i++) rank[order[i]!] = i;
	ranks.set(graph.functionOf, rank);
	return rank;
}

// The nodes by the rank of their faces, of equals the older first. Many nodes share few faces, so counting is
// quicker than comparing.
function byRank(face: number[], rank: Uint32Array): Uint32Array {
	const first = new Uint32Array(rank.length + 1);
	for (const one of face) first[rank[one]! + 1]!++;
	for (let i = 1; i < first.length; i++) first[i]! += first[i - 1]!;
	const order = new Uint32Array(face.length);
	for (let i = 0; i < face.length; i++) order[first[rank[face[i]!]!]!++] = i;
	return order;
}

// Puts the nodes into the order of a Tree.
export function finish(graph: Graph, growing: Growing): Tree {
	const { parent, face } = growing;
	const rank = rankOf(graph);
	const length = parent.length;
	const order = byRank(face, rank);
	const child = new Int32Array(length).fill(-1);
	const sibling = new Int32Array(length).fill(-1);
	for (let at = length - 1; at >= 0; at--) {
		const i = order[at]!;
		if (!i) continue;
		sibling[i] = child[parent[i]!]!;
		child[parent[i]!] = i;
	}
	const frames = {
		depth: new Uint32Array(length),
		face: new Uint32Array(length),
		self: new Float64Array(length),
		samples: new Float64Array(length),
	};
	for (let at = 0, node = 0, depth = 0; at < length; at++) {
		frames.depth[at] = depth;
		frames.face[at] = face[node]!;
		frames.self[at] = growing.self[node]!;
		frames.samples[at] = growing.samples[node]!;
		if (child[node]! >= 0) {
			node = child[node]!;
			depth++;
			continue;
		}
		while (node && sibling[node]! < 0) {
			node = parent[node]!;
			depth--;
		}
		node = sibling[node]!;
	}
	return makeTree(frames);
}

// By function: it has the name of the step's; each object may have one of it.
function calledAs(graph: Graph, step: Step): Uint8Array {
	if ("found" in step) return step.found;
	const called = new Uint8Array(graph.functions.length);
	const name = "name" in step ? graph.functions[step.name] : undefined;
	for (let i = 0; name !== undefined && i < called.length; i++) called[i] = Number(graph.functions[i] === name);
	return called;
}

// Each frame stands on what its caller became; where it goes, that takes what is its own.
function mapFrames(graph: Graph, tree: Tree, step: Step, growing: Growing): void {
	const to = new Int32Array(tree.length);
	const inside = new Uint8Array(tree.length);
	const called = calledAs(graph, step);
	for (let i = 1; i < tree.length; i++) {
		const face = tree.face[i]!;
		const name = graph.functionOf[face]!;
		const parent = tree.parent[i]!;
		const group = graph.kindOf[face] === GROUP;
		const above = growing.face[to[parent]!]!;
		if (step.what !== "hide") inside[i] = inside[parent]! || (called[name]! && (step.what === "focus" || !group) ? 1 : 0);
		const gone =
			!group &&
			((step.what === "focus" && !inside[i]) ||
				(step.what === "hide" && called[name]) ||
				(step.what === "collapse" && graph.functionOf[above] === name && graph.kindOf[above] !== GROUP));
		to[i] = gone ? to[parent]! : growing.child(to[parent]!, face);
		const left = step.what === "focus" || step.what === "only" ? inside[i] : step.what !== "without" || !inside[i];
		if (left) growing.add(to[i]!, tree.self[i]!, tree.samples[i]!);
	}
}

// Every stack from its leaf on, below its program or thread.
function reverse(graph: Graph, tree: Tree, growing: Growing): void {
	const groups: number[] = [];
	const stack: number[] = [];
	for (let i = 1; i < tree.length; i++) {
		if (!tree.self[i] && !tree.samples[i]) continue;
		groups.length = stack.length = 0;
		for (let at = i; at; at = tree.parent[at]!)
			(graph.kindOf[tree.face[at]!] === GROUP ? groups : stack).push(tree.face[at]!);
		let node = 0;
		while (groups.length) node = growing.child(node, groups.pop()!);
		for (const face of stack) node = growing.child(node, face);
		growing.add(node, tree.self[i]!, tree.samples[i]!);
	}
}

export function reshape(graph: Graph, tree: Tree, step: Step): Tree {
	const growing = new Growing(tree.face[0]!);
	if (step.what !== "focus" && step.what !== "only") growing.add(0, tree.self[0]!, tree.samples[0]!);
	if (step.what === "reverse") reverse(graph, tree, growing);
	else mapFrames(graph, tree, step, growing);
	return finish(graph, prune(growing));
}

// Programs in which nothing is left are left out.
function prune(growing: Growing): Growing {
	const count = growing.parent.length;
	const alive = new Uint8Array(count);
	for (let i = count - 1; i >= 0; i--) {
		if (growing.self[i] || growing.samples[i]) alive[i] = 1;
		if (alive[i]) alive[growing.parent[i]!] = 1;
	}
	const kept = new Growing(growing.face[0]!);
	const to = new Int32Array(count);
	kept.add(0, growing.self[0]!, growing.samples[0]!);
	for (let i = 1; i < count; i++) {
		if (!alive[i]) continue;
		to[i] = kept.parent.push(to[growing.parent[i]!]!) - 1;
		kept.face.push(growing.face[i]!);
		kept.self.push(growing.self[i]!);
		kept.samples.push(growing.samples[i]!);
	}
	return kept;
}
