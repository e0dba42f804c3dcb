// SPDX-License-Identifier: Apache-2.0
// The same frame in two trees: the one with the same names on the way from the root.

import type { Graph } from "./columns";
import { NodeMap } from "./nodes";
import { GROUP } from "./reshape";
import type { Tree } from "./tree";

const INLINED = 4; // src/profile/flametree.h

// By face of `now`: the face of the same function and kind in `was`, or -1.
function sameFaces(was: Graph, now: Graph): Int32Array {
	const faces = new Int32Array(now.functionOf.length);
	if (was === now) return faces.map((_, face) => face);
	const key = (graph: Graph, face: number) => `${graph.kindOf[face]} ${graph.functions[graph.functionOf[face]!]}`;
	const known = new Map<string, number>();
	for (let face = 0; face < was.functionOf.length; face++) known.set(key(was, face), face);
	return faces.map((_, face) => known.get(key(now, face)) ?? -1);
}

// By frame of the tree `now`: the same frame of `was`, or -1.
export function matchTrees(wasGraph: Graph, was: Tree, nowGraph: Graph, now: Tree): Int32Array {
	const faces = sameFaces(wasGraph, nowGraph);
	const children = new NodeMap(was.parent, was.face);
	const same = new Int32Array(now.length).fill(-1);
	for (let i = 1; i < was.length; i++) children.add(i);
	if (was.length && now.length) same[0] = 0;
	for (let i = 1; i < now.length; i++) {
		const parent = same[now.parent[i]!]!;
		const face = faces[now.face[i]!]!;
		if (parent >= 0 && face >= 0) same[i] = children.find(parent, face);
	}
	return same;
}

const known = new WeakMap<Tree, Uint32Array>();

// A number for the names on the way to each frame: it stays the same while a tree grows, so an address
// can hold it. The root's is 0.
export function pathKeys(graph: Graph, tree: Tree): Uint32Array {
	const made = known.get(tree);
	if (made) return made;
	const keys = new Uint32Array(tree.length);
	known.set(tree, keys);
	for (let i = 1; i < tree.length; i++) {
		const face = tree.face[i]!;
		const shade = graph.shadeOf[graph.functionOf[face]!]! ^ Math.imul(graph.kindOf[face]! + 1, 0x85ebca6b);
		const mixed = Math.imul(keys[tree.parent[i]!]! ^ shade, 0x9e3779b1);
		keys[i] = (mixed ^ (mixed >>> 15)) + tree.depth[i]!;
	}
	return keys;
}

// The frame with that key, or 0.
export function frameOfKey(graph: Graph, tree: Tree, key: number): number {
	return key ? Math.max(0, pathKeys(graph, tree).indexOf(key)) : 0;
}

// A number for the names on the way to a frame, without programs and threads: src/profile/reshape.c has the same, so
// that the server finds all stacks through the frame. 0: it is no function's.
export function wayOf(graph: Graph, tree: Tree, frame: number): number {
	const path: number[] = [];
	for (let at = frame; at; at = tree.parent[at]!) if (graph.kindOf[tree.face[at]!] !== GROUP) path.push(tree.face[at]!);
	return path.reduceRight((caller, face) => {
		const inlined = graph.kindOf[face] === INLINED ? 0x85ebca6b : 0;
		const mixed = Math.imul(caller ^ hashOf(graph.functions[graph.functionOf[face]!]!) ^ inlined, 0x9e3779b1);
		return (mixed ^ (mixed >>> 15)) >>> 0 || 1;
	}, 0);
}

// FNV-1a of the name's bytes.
function hashOf(name: string): number {
	let hash = 2166136261;
	for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 16777619);
	return hash >>> 0;
}
