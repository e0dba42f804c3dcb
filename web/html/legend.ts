// SPDX-License-Identifier: Apache-2.0

import { Look, Palette, css } from "../flame/color";
import type { Graph } from "../flame/columns";
import { Key, legendOf } from "../flame/legend";
import type { Tree } from "../flame/tree";

function item({ color, text }: Key): HTMLElement {
	const item = document.createElement("span");
	if (color !== null) item.appendChild(document.createElement("i")).style.background = css(color);
	item.append(text);
	return item;
}

export function showLegend(host: HTMLElement, graph: Graph, tree: Tree, look: Look, palette: Palette): void {
	host.replaceChildren(...legendOf(graph, tree, look, palette).map(item));
}
