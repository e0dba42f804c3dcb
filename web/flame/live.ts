// SPDX-License-Identifier: Apache-2.0
// A graph that grows while it is recorded: the stream's `tree` events, merged, of all threads or of one. Nodes
// are only ever added, and stand in the order of their names as in the finished graph, so that nothing changes
// its place.

import type { Graph } from "./columns";
import { LOOK, shadeOf } from "./look";
import { NodeMap } from "./nodes";
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
		noun: "samples",
		subtitle: "",
		footer: "",
		empty: "No samples yet.",
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

// A thread as the stream tells it: a group that stands on its program.
export interface LiveThread {
	comm: string;
	pid: string; // "?": not known
	tid: string;
	samples: number;
}

function threadOf(comm: string, name: string): LiveThread {
	const [pid, tid] = name.slice(comm.length + 1).split("/");
	return { comm, pid: pid ?? "?", tid: tid ?? "", samples: 0 };
}

// Frames by caller and face, siblings in the order of their names.
class Merged {
	self = [0];
	samples = [0];
	private parent = [0];
	private face: number[];
	private child = [NONE];
	private sibling = [NONE];
	private known: NodeMap;

	constructor(root: number, private isBefore: (a: number, b: number) => boolean) {
		this.face = [root];
		this.known = new NodeMap(this.parent, this.face);
	}

	at(parent: number, face: number): number {
		const known = this.known.find(parent, face);
		if (known >= 0) return known;
		const node = this.parent.push(parent) - 1;
		this.face.push(face);
		this.known.add(node);
		this.self.push(0);
		this.samples.push(0);
		this.child.push(NONE);
		this.sibling.push(NONE);
		this.link(node, parent);
		return node;
	}

	private link(node: number, parent: number): void {
		let before = NONE;
		let at = this.child[parent]!;
		for (; at !== NONE && this.isBefore(this.face[at]!, this.face[node]!); at = this.sibling[at]!) before = at;
		this.sibling[node] = at;
		if (before === NONE) this.child[parent] = node;
		else this.sibling[before] = node;
	}

	walk(): Tree {
		const length = this.parent.length;
		const depth = new Uint32Array(length);
		const face = new Uint32Array(length);
		const self = new Float64Array(length);
		const samples = new Float64Array(length);
		for (let at = 0, node = 0, level = 0; at < length; at++) {
			depth[at] = level;
			face[at] = this.face[node]!;
			self[at] = this.self[node]!;
			samples[at] = this.samples[node]!;
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

export class LiveTree {
	samples = 0;
	lost = 0;
	threads: LiveThread[] = [];
	private made: Graph;
	private stale = false; // there is more than the graph has
	private who = ""; // whose samples are shown, as in the address: "" all, p7 a process, t8 a thread
	// Nodes as they come, and what they are in the graph: threads of a program are one there.
	private parent: number[] = [];
	private face: number[] = [];
	private self: number[] = [];
	private count: number[] = [];
	private thread: number[] = [];
	private shown: number[] = [];
	private merged: Merged | null = null;
	private faces = new Map<number, number>();
	private functionOf: number[] = [];
	private kindOf: number[] = [];
	private shades: number[] = [];

	constructor(event: string) {
		this.made = emptyGraph(event);
	}

	// Always the same object; its columns are made when somebody looks, however much has come since.
	get graph(): Graph {
		if (this.stale) this.renew();
		return this.made;
	}

	// Takes a growth in; false if it does not go on from what is known: a snapshot is needed then.
	add(growth: TreeGrowth): boolean {
		if (growth.first !== this.parent.length) return false;
		for (const name of growth.names) this.shades[this.made.functions.push(name) - 1] = shadeOf(name);
		growth.parents.forEach((parent, i) => this.node(parent, this.faceOf(growth.name_ids[i]!, growth.kinds[i]!)));
		growth.changed.forEach((node, i) => this.set(node, Number(growth.self[i]), Number(growth.counts[i])));
		this.samples = Number(growth.samples);
		this.lost = Number(growth.lost);
		this.stale = true;
		return true;
	}

	// Shows the samples of a process or thread only. Which CPU a sample was taken on is known at the end.
	show(who: string): void {
		const wanted = who[0] === "c" ? "" : who;
		if (wanted === this.who) return;
		this.who = wanted;
		this.merged = null;
		this.shown.fill(NONE);
		this.parent.forEach((_, node) => this.place(node));
		this.self.forEach((self, node) => this.countIn(node, self, this.count[node]!));
		this.stale = true;
	}

	private faceOf(name: number, kind: number): number {
		const key = name * (GROUP + 1) + kind;
		const known = this.faces.get(key);
		if (known !== undefined) return known;
		this.faces.set(key, this.functionOf.length);
		this.kindOf.push(kind);
		return this.functionOf.push(name) - 1;
	}

	private nameOf(face: number): string {
		return this.made.functions[this.functionOf[face]!]!;
	}

	private isThread(node: number): boolean {
		return this.parent[node]! > 0 && this.kindOf[this.face[node]!] === GROUP;
	}

	private node(parent: number, face: number): void {
		const node = this.parent.push(parent) - 1;
		this.face.push(face);
		this.self.push(0);
		this.count.push(0);
		this.shown.push(NONE);
		if (this.isThread(node)) this.thread.push(this.threads.push(threadOf(this.nameOf(this.face[parent]!), this.nameOf(face))) - 1);
		else this.thread.push(node ? this.thread[parent]! : NONE);
		this.place(node);
	}

	private isWanted(node: number): boolean {
		const thread = this.threads[this.thread[node]!];
		if (!this.who) return true;
		return (this.who[0] === "p" ? thread?.pid : thread?.tid) === this.who.slice(1);
	}

	private place(node: number): void {
		if (!node || this.isWanted(node)) this.placeOf(node);
	}

	private placeOf(node: number): number {
		if (this.shown[node] !== NONE) return this.shown[node]!;
		this.merged ??= new Merged(this.face[0]!, (a, b) => (this.nameOf(a) === this.nameOf(b) ? a < b : this.nameOf(a) < this.nameOf(b)));
		const parent = node ? this.placeOf(this.parent[node]!) : 0;
		return (this.shown[node] = !node || this.isThread(node) ? parent : this.merged.at(parent, this.face[node]!));
	}

	private set(node: number, self: number, count: number): void {
		const thread = this.threads[this.thread[node]!];
		if (thread) thread.samples += self - this.self[node]!;
		this.countIn(node, self - this.self[node]!, count - this.count[node]!);
		this.self[node] = self;
		this.count[node] = count;
	}

	private countIn(node: number, samples: number, count: number): void {
		const at = this.shown[node]!;
		if (at === NONE) return;
		this.merged!.samples[at]! += samples;
		this.merged!.self[at]! += count;
	}

	private renew(): void {
		const { made } = this;
		made.objectOf = made.placeOf = new Uint32Array(made.functions.length);
		made.shadeOf = Uint32Array.from(this.shades);
		made.functionOf = Uint32Array.from(this.functionOf);
		made.kindOf = Uint32Array.from(this.kindOf);
		if (this.merged) made.tree = this.merged.walk();
		this.stale = false;
	}
}
