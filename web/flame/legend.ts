// SPDX-License-Identifier: Apache-2.0
// What the colours mean: a few colours with a word each, or a sentence.

import type { Look, Palette } from "./color";
import type { Graph } from "./columns";
import { GROUP } from "./reshape";
import type { Tree } from "./tree";
import { baseName } from "./words";

const MOST = 12;
const UNKNOWN = 5; // the kind, and the colour, of what has no name

export interface Key {
	color: number | null;
	text: string;
}

function kinds(graph: Graph, tree: Tree, look: Look): Key[] {
	const seen = new Uint8Array(look.kinds.length);
	for (let i = 0; i < tree.length; i++) seen[graph.kindOf[tree.face[i]!]!] = 1;
	return look.kinds.filter((_, kind) => kind !== GROUP && seen[kind]).map(({ color, label }) => ({ color, text: label }));
}

// The objects with the most of their own.
function objects(graph: Graph, tree: Tree, look: Look): Key[] {
	const self = new Float64Array(graph.objects.length);
	for (let i = 0; i < tree.length; i++) self[graph.objectOf[graph.functionOf[tree.face[i]!]!]!]! += tree.self[i]!;
	const order = Array.from(self.keys()).filter((object) => self[object]! > 0 && graph.objects[object]);
	order.sort((a, b) => self[b]! - self[a]!);
	const keys: Key[] = order.slice(0, MOST).map((object) => ({ color: graph.objectColors[object]!, text: baseName(graph.objects[object]!) }));
	if (order.length > MOST) keys.push({ color: null, text: `and ${order.length - MOST} more` });
	return keys.length ? keys : [{ color: look.kinds[UNKNOWN]!.color, text: "no object known" }];
}

export function legendOf(graph: Graph, tree: Tree, look: Look, palette: Palette): Key[] {
	if (graph.fixedOf) return [{ color: null, text: "Colours come from the palette file." }];
	if (palette === "kind") return kinds(graph, tree, look);
	if (palette === "object") return objects(graph, tree, look);
	return [{ color: null, text: "Colours only tell names apart." }];
}
