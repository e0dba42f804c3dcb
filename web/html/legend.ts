// SPDX-License-Identifier: Apache-2.0
// What the colours mean.

import { Look, Palette, css } from "../flame/color";
import type { Graph } from "../flame/columns";
import { GROUP } from "../flame/reshape";
import type { Tree } from "../flame/tree";
import { baseName } from "./words";

const MOST = 12;
const UNKNOWN = 5; // the kind, and the colour, of what has no name

function key(color: number, text: string): HTMLElement {
	const item = document.createElement("span");
	const mark = document.createElement("i");
	mark.style.background = css(color);
	item.append(mark, text);
	return item;
}

function kinds(graph: Graph, tree: Tree, look: Look): HTMLElement[] {
	const seen = new Uint8Array(look.kinds.length);
	for (let i = 0; i < tree.length; i++) seen[graph.kindOf[tree.face[i]!]!] = 1;
	return look.kinds.filter((_, kind) => kind !== GROUP && seen[kind]).map((kind) => key(kind.color, kind.label));
}

// The objects with the most of their own.
function objects(graph: Graph, tree: Tree, look: Look): HTMLElement[] {
	const self = new Float64Array(graph.objects.length);
	for (let i = 0; i < tree.length; i++) self[graph.objectOf[graph.functionOf[tree.face[i]!]!]!] += tree.self[i]!;
	const order = Array.from(self.keys()).filter((object) => self[object]! > 0 && graph.objects[object]);
	order.sort((a, b) => self[b]! - self[a]!);
	const items = order.slice(0, MOST).map((object) => key(graph.objectColors[object]!, baseName(graph.objects[object]!)));
	if (order.length > MOST) items.push(Object.assign(document.createElement("span"), { textContent: `and ${order.length - MOST} more` }));
	return items.length ? items : [key(look.kinds[UNKNOWN]!.color, "no object is known")];
}

export function showLegend(host: HTMLElement, graph: Graph, tree: Tree, look: Look, palette: Palette): void {
	if (graph.fixedOf) host.textContent = "Colours are those of the palette file.";
	else if (palette === "kind") host.replaceChildren(...kinds(graph, tree, look));
	else if (palette === "object") host.replaceChildren(...objects(graph, tree, look));
	else host.textContent = "Colours tell names apart and mean nothing else.";
}
