// SPDX-License-Identifier: Apache-2.0
// Sums by function, and which functions a search finds.

import type { Graph } from "./columns";
import { GROUP } from "./reshape";
import type { Tree } from "./tree";

export interface Sums {
	self: Float64Array; // by function
	total: Float64Array; // with what it calls; a function that calls itself counts once
	order: Uint32Array; // functions that have frames, programs and threads left out
}

export function sumFunctions(graph: Graph, tree: Tree): Sums {
	const count = graph.functions.length;
	const self = new Float64Array(count);
	const total = new Float64Array(count);
	const open = new Uint32Array(count); // how often a function is on the way from the root
	const seen = new Uint8Array(count);
	const path: number[] = [];
	for (let i = 0; i < tree.length; i++) {
		const face = tree.face[i]!;
		const name = graph.functionOf[face]!;
		while (path.length > tree.depth[i]!) open[path.pop()!]!--;
		self[name]! += tree.self[i]!;
		if (!open[name]) total[name]! += tree.total[i]!;
		open[name]!++;
		path.push(name);
		if (graph.kindOf[face] !== GROUP) seen[name] = 1;
	}
	return { self, total, order: Uint32Array.from(seen.keys()).filter((name) => seen[name]) };
}

// By name: 1 where it matches.
export function findNames(names: string[], expression: RegExp): Uint8Array {
	const hits = new Uint8Array(names.length);
	for (let i = 0; i < hits.length; i++) hits[i] = Number(expression.test(names[i]!));
	return hits;
}

// What matching frames cover, in the tree's units: one that stands on another counts once.
export function covered(graph: Graph, tree: Tree, hits: Uint8Array): number {
	let sum = 0;
	for (let i = 1; i < tree.length;) {
		const hit = hits[graph.functionOf[tree.face[i]!]!];
		if (hit) sum += tree.total[i]!;
		i = hit ? tree.next[i]! : i + 1;
	}
	return sum;
}
