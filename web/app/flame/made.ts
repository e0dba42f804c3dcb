// SPDX-License-Identifier: Apache-2.0
// Graphs for tests, from stacks as text: "main;work;sort 30".

import type { Graph } from "../../flame/columns";
import { shadeOf } from "../../flame/look";
import { GROUP } from "../../flame/reshape";
import { makeTree } from "../../flame/tree";

interface Node {
	name: string;
	self: number;
	children: Map<string, Node>;
}

function nodesOf(folded: string): Node {
	const root: Node = { name: "all", self: 0, children: new Map() };
	for (const line of folded.trim().split("\n")) {
		const at = line.lastIndexOf(" ");
		let node = root;
		for (const name of line.slice(0, at).trim().split(";")) {
			if (!node.children.has(name)) node.children.set(name, { name, self: 0, children: new Map() });
			node = node.children.get(name)!;
		}
		node.self += Number(line.slice(at + 1));
	}
	return root;
}

export function graphOf(folded: string): Graph {
	const functions: string[] = [];
	const depth: number[] = [];
	const face: number[] = [];
	const self: number[] = [];
	const walk = (node: Node, level: number) => {
		if (!functions.includes(node.name)) functions.push(node.name);
		depth.push(level);
		face.push(functions.indexOf(node.name));
		self.push(node.self);
		[...node.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).forEach((child) => walk(child, level + 1));
	};
	walk(nodesOf(folded), 0);
	const amounts = Float64Array.from(self);
	return {
		event: "made", unit: "samples", noun: "samples", subtitle: "", footer: "", empty: "", start: "", hidden: 0, least: 0,
		functions, objects: [""], places: [""], objectColors: [0],
		objectOf: new Uint32Array(functions.length),
		shadeOf: Uint32Array.from(functions, shadeOf),
		placeOf: new Uint32Array(functions.length),
		fixedOf: null,
		functionOf: Uint32Array.from(functions.keys()),
		kindOf: Uint32Array.from(functions, (name) => (name === "all" ? GROUP : 0)),
		tree: makeTree({ depth: Uint32Array.from(depth), face: Uint32Array.from(face), self: amounts, samples: amounts }),
	};
}

export const FOLDED = `
main;parse;malloc 10
main;work;malloc;brk 20
main;work;sort 30
main;work;sort;compare 40`;
