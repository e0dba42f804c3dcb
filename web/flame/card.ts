// SPDX-License-Identifier: Apache-2.0
// What is known of a frame: in a card beside the pointer, and in one line.

import type { Look } from "./color";
import type { Graph } from "./columns";
import type { Tree } from "./tree";
import { amount, percent, samplesText } from "./words";

export interface Subject {
	graph: Graph;
	tree: Tree;
	look: Look;
	frame: number;
	zoomed: number;
	leafFirst: boolean; // what is a frame's own is then that of the outermost caller, and says nothing
	whole?: number; // what shares are of; the tree's root where it is not given
}

function withShare(value: number, samples: number, subject: Subject): string {
	const { graph, tree } = subject;
	const counted = graph.unit === graph.noun ? "" : `, ${samplesText(samples, graph.noun)}`;
	return `${amount(value, graph.unit)}${counted}, ${percent(value, subject.whole ?? tree.total[0]!)}`;
}

export function nameOf(subject: Subject): string {
	return subject.graph.functions[subject.graph.functionOf[subject.tree.face[subject.frame]!]!]!;
}

// Pairs of a word and what it says.
export function factsOf(subject: Subject): [string, string][] {
	const { graph, tree, frame, zoomed } = subject;
	const face = tree.face[frame]!;
	const name = graph.functionOf[face]!;
	const kind = subject.look.kinds[graph.kindOf[face]!]!.label;
	const facts: [string, string][] = [["total", withShare(tree.total[frame]!, tree.totalSamples[frame]!, subject)]];
	if (!subject.leafFirst) facts.push(["self", withShare(tree.self[frame]!, tree.samples[frame]!, subject)]);
	if (zoomed && frame > zoomed && frame < tree.next[zoomed]!)
		facts.push(["of the zoomed", percent(tree.total[frame]!, tree.total[zoomed]!)]);
	if (kind) facts.push(["kind", kind]);
	const object = graph.objects[graph.objectOf[name]!]!;
	const place = graph.places[graph.placeOf[name]!]!;
	if (object) facts.push(["object", object]);
	if (place) facts.push(["hottest line", place]);
	return facts;
}

export function line(subject: Subject): string {
	return factsOf(subject).slice(0, subject.leafFirst ? 1 : 2).map(([word, text]) => `${word} ${text}`).join(" · ");
}

export function showCard(card: HTMLElement, subject: Subject, x: number, y: number): void {
	const name = document.createElement("div");
	const list = document.createElement("dl");
	name.className = "card-name";
	name.textContent = nameOf(subject);
	for (const [word, text] of factsOf(subject)) {
		list.appendChild(document.createElement("dt")).textContent = word;
		list.appendChild(document.createElement("dd")).textContent = text;
	}
	card.replaceChildren(name, list);
	card.hidden = false;
	const { offsetWidth, offsetHeight } = card;
	const left = Math.max(4, Math.min(x + 14, window.innerWidth - offsetWidth - 4));
	const below = y + 18 + offsetHeight < window.innerHeight;
	const top = Math.max(4, below ? y + 18 : y - offsetHeight - 12);
	card.style.transform = `translate(${left}px, ${top}px)`;
}
