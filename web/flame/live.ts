// SPDX-License-Identifier: Apache-2.0
// A graph that grows while it is recorded: the stream's `tree` events, merged. Nodes are only ever added,
// and stand in the order of their names as in the finished graph, so that nothing changes its place.

import type { Graph } from "./columns";
import { LOOK, shadeOf } from "./look";
import { GROUP } from "./reshape";
import { Tree, makeTree } from "./tree";

type Amount = number | string; // text where it may pass 2^53

export interface TreeGrowth {
	first: number; // the first new node
	names: string[];
	parents: number[];
	name_ids: number[];
	kinds: number[];
	changed: number[];
	self: Amount[]; // samples
	counts: Amount[];
	samples: Amount;
	lost: Amount;
}

const NONE = -1;
const UNKNOWN = 5;

function emptyGraph(event: string): Graph {
	return {
		event,
		unit: /^(cpu|task)-clock\b/.test(event) ? "ns" : event || "samples",
		subtitle: "",
		footer: "",
		empty: "No sample has come in yet.",
		start: "",
		hidden: 0,
		least: 0,
		functions: [],
		objects: [""],
		places: [""],
		objectColors: [LOOK.kinds[UNKNOWN]!.color],
		objectOf: new Uint32Array(0),
		shadeOf: new Uint32Array(0),
		placeOf: new Uint32Array(0),
		fixedOf: null,
		functionOf: new Uint32Array(0),
		kindOf: new Uint32Array(0),
		tree: makeTree({ depth: new Uint32Array(0), face: new Uint32Array(0), self: new Float64Array(0), samples: new Float64Array(0) }),
	};
}

export class LiveTree {
	graph: Graph;
	samples = 0;
	lost = 0;
	private parent: number[] = [];
	private face: number[] = [];
	private self: number[] = [];
	private count: number[] = [];
	private child: number[] = [];
	private sibling: number[] = [];
	private faces = new Map<number, number>();
	private functionOf: number[] = [];
	private kindOf: number[] = [];
	private shades: number[] = [];

	constructor(private event: string) {
		this.graph = emptyGraph(event);
	}

	// Takes a growth in; false if it does not go on from what is known: a snapshot is needed then.
	add(growth: TreeGrowth): boolean {
		if (growth.first !== this.parent.length) return false;
		for (const name of growth.names) this.shades[this.graph.functions.push(name) - 1] = shadeOf(name);
		growth.parents.forEach((parent, i) => this.node(parent, this.faceOf(growth.name_ids[i]!, growth.kinds[i]!)));
		growth.changed.forEach((node, i) => {
			this.self[node] = Number(growth.self[i]);
			this.count[node] = Number(growth.counts[i]);
		});
		this.samples = Number(growth.samples);
		this.lost = Number(growth.lost);
		this.renew();
		return true;
	}

	// Begins anew with all that is known.
	snapshot(growth: TreeGrowth): boolean {
		Object.assign(this, new LiveTree(this.event));
		return this.add(growth);
	}

	private faceOf(name: number, kind: number): number {
		const key = name * (GROUP + 1) + kind;
		const known = this.faces.get(key);
		if (known !== undefined) return known;
		this.faces.set(key, this.functionOf.length);
		this.kindOf.push(kind);
		return this.functionOf.push(name) - 1;
	}

	private isBefore(a: number, b: number): boolean {
		const nameOf = (node: number) => this.graph.functions[this.functionOf[this.face[node]!]!]!;
		return nameOf(a) === nameOf(b) ? this.face[a]! < this.face[b]! : nameOf(a) < nameOf(b);
	}

	private node(parent: number, face: number): void {
		const node = this.parent.push(parent) - 1;
		this.face.push(face);
		this.self.push(0);
		this.count.push(0);
		this.child.push(NONE);
		this.sibling.push(NONE);
		if (!node) return;
		let before = NONE;
		let at = this.child[parent]!;
		for (; at !== NONE && this.isBefore(at, node); at = this.sibling[at]!) before = at;
		this.sibling[node] = at;
		if (before === NONE) this.child[parent] = node;
		else this.sibling[before] = node;
	}

	// The graph's columns; the graph itself stays the same object.
	private renew(): void {
		const count = this.graph.functions.length;
		this.graph.objectOf = this.graph.placeOf = new Uint32Array(count);
		this.graph.shadeOf = Uint32Array.from(this.shades);
		this.graph.functionOf = Uint32Array.from(this.functionOf);
		this.graph.kindOf = Uint32Array.from(this.kindOf);
		this.graph.tree = this.walk();
	}

	private walk(): Tree {
		const length = this.parent.length;
		const depth = new Uint32Array(length);
		const face = new Uint32Array(length);
		const self = new Float64Array(length);
		const samples = new Float64Array(length);
		for (let at = 0, node = 0, level = 0; at < length; at++) {
			depth[at] = level;
			face[at] = this.face[node]!;
			self[at] = this.count[node]!;
			samples[at] = this.self[node]!;
			if (this.child[node]! !== NONE) {
				node = this.child[node]!;
				level++;
				continue;
			}
			for (; node && this.sibling[node]! === NONE; level--) node = this.parent[node]!;
			node = this.sibling[node]!;
		}
		return makeTree({ depth, face, self, samples });
	}
}
