// SPDX-License-Identifier: Apache-2.0
// The frames of a graph, callers first and from left to right, as columns. A frame's callees follow it
// directly; `next` is the first frame behind all of them.

export interface Frames {
	depth: Uint32Array;
	face: Uint32Array;
	self: Float64Array;
	samples: Float64Array; // of its own
}

export interface Tree extends Frames {
	length: number;
	parent: Uint32Array; // the root is its own
	next: Uint32Array;
	start: Float64Array;
	total: Float64Array;
	totalSamples: Float64Array;
	rows: number;
	levelAt: Uint32Array; // by depth: where its frames begin in `level`
	level: Uint32Array; // frames by depth, from left to right
	filled: Float64Array; // by place in `level`: the sum of the totals before it, over all levels
}

function link(frames: Frames, tree: Tree): void {
	const path: number[] = [];
	for (let i = 0; i < tree.length; i++) {
		const depth = frames.depth[i]!;
		for (let d = path.length - 1; d >= depth; d--) tree.next[path[d]!] = i;
		path.length = depth;
		tree.parent[i] = depth ? path[depth - 1]! : i;
		path.push(i);
		if (depth + 1 > tree.rows) tree.rows = depth + 1;
	}
	for (const i of path) tree.next[i] = tree.length;
}

function sum(tree: Tree): void {
	tree.total.set(tree.self);
	tree.totalSamples.set(tree.samples);
	for (let i = tree.length - 1; i > 0; i--) {
		const parent = tree.parent[i]!;
		tree.total[parent]! += tree.total[i]!;
		tree.totalSamples[parent]! += tree.totalSamples[i]!;
	}
}

// Callees stand on their caller from its left end on; what is its own is free at the right.
function place(tree: Tree, total: Float64Array, start: Float64Array): void {
	const used = new Float64Array(tree.length);
	for (let i = 1; i < tree.length; i++) {
		const parent = tree.parent[i]!;
		start[i] = start[parent]! + used[parent]!;
		used[parent]! += total[i]!;
	}
}

function fill(tree: Tree): void {
	for (let i = 0; i < tree.length; i++) tree.filled[i + 1] = tree.filled[i]! + tree.total[tree.level[i]!]!;
}

function sortLevels(tree: Tree): void {
	const at = new Uint32Array(tree.rows + 2);
	for (let i = 0; i < tree.length; i++) at[tree.depth[i]! + 2]!++;
	for (let d = 2; d < at.length; d++) at[d]! += at[d - 1]!;
	for (let i = 0; i < tree.length; i++) tree.level[at[tree.depth[i]! + 1]!++] = i;
	tree.levelAt = at.subarray(0, tree.rows + 1);
	fill(tree);
}

// A tree on its way from other widths, which are 0 for frames that are new. Both ends are laid out in the
// same order, so everything between them is a whole graph too.
export class Blend {
	tree: Tree;
	private start: Float64Array;

	constructor(private goal: Tree, private widths: Float64Array) {
		this.start = new Float64Array(goal.length);
		this.tree = { ...goal, start: goal.start.slice(), total: goal.total.slice(), filled: goal.filled.slice() };
		place(goal, widths, this.start);
		this.at(0);
	}

	// 0 is the beginning, 1 the end.
	at(part: number): void {
		const { tree, goal } = this;
		for (let i = 0; i < tree.length; i++) {
			tree.start[i] = this.start[i]! + (goal.start[i]! - this.start[i]!) * part;
			tree.total[i] = this.widths[i]! + (goal.total[i]! - this.widths[i]!) * part;
		}
		if (part === 1) tree.start.set(goal.start), tree.total.set(goal.total);
		fill(tree);
	}
}

export function makeTree(frames: Frames): Tree {
	const length = frames.face.length;
	const tree: Tree = {
		...frames,
		length,
		parent: new Uint32Array(length),
		next: new Uint32Array(length),
		start: new Float64Array(length),
		total: new Float64Array(length),
		totalSamples: new Float64Array(length),
		rows: 0,
		levelAt: new Uint32Array(0),
		level: new Uint32Array(length),
		filled: new Float64Array(length + 1),
	};
	link(frames, tree);
	sum(tree);
	place(tree, tree.total, tree.start);
	sortLevels(tree);
	return tree;
}

// Frames that have a time: they stand where it says, with gaps between them.
export function makeTimeline(frames: Frames, start: Float64Array, total: Float64Array): Tree {
	const tree = makeTree(frames);
	tree.start.set(start);
	tree.total.set(total);
	fill(tree);
	return tree;
}

// The first place in a level whose frame ends behind `value`.
export function firstBehind(tree: Tree, depth: number, value: number, from = tree.levelAt[depth]!): number {
	const isBehind = (at: number) => tree.start[tree.level[at]!]! + tree.total[tree.level[at]!]! > value;
	let low = from;
	let high = tree.levelAt[depth + 1]!;
	// Most often it is near: steps that double come first, then halves.
	for (let step = 1; low + step < high; step *= 2) {
		if (isBehind(low + step)) high = low + step;
		else low += step + 1;
	}
	while (low < high) {
		const middle = (low + high) >> 1;
		if (isBehind(middle)) high = middle;
		else low = middle + 1;
	}
	return low;
}

// The frame of a level that covers `value`, or -1.
export function frameAt(tree: Tree, depth: number, value: number): number {
	if (depth < 0 || depth >= tree.rows) return -1;
	const at = firstBehind(tree, depth, value);
	if (at >= tree.levelAt[depth + 1]!) return -1;
	const frame = tree.level[at]!;
	return tree.start[frame]! <= value ? frame : -1;
}

export function childrenOf(tree: Tree, frame: number): number[] {
	const found: number[] = [];
	for (let i = frame + 1; i < tree.next[frame]!; i = tree.next[i]!) found.push(i);
	return found;
}
