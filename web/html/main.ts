// SPDX-License-Identifier: Apache-2.0
// The document around the flame graph: one view (address.ts), and what each control changes in it.

import { Colors, Look, Palette } from "../flame/color";
import { Graph, readGraph } from "../flame/columns";
import { covered, findNames } from "../flame/functions";
import { regular } from "../flame/search";
import { Minimap } from "../flame/minimap";
import { GROUP, Step, reshape } from "../flame/reshape";
import type { Tree } from "../flame/tree";
import { Direction, FlameView } from "../flame/view";
import { Order, View, readView, writeView } from "./address";
import { Subject, line, nameOf, showCard } from "../flame/card";
import { showLegend } from "./legend";
import { FunctionTable } from "./table";
import { amount, percent } from "../flame/words";

interface Page extends Look {
	title: string;
	notes: string;
	palette: Palette;
	inverted: boolean;
	reversed: boolean;
}

function byId<T extends HTMLElement>(id: string): T {
	return document.getElementById(id) as T;
}

const app = byId("app");
const page = JSON.parse(byId("page").textContent!) as Page;
const written = Array.from(document.querySelectorAll("script.graph"), (script) => script.textContent!);
const search = byId<HTMLInputElement>("search");
const exact = byId("exact");
const matched = byId("matched");
const card = byId("card");
const narrow = matchMedia("(max-width: 760px)");
const graphs: (Graph | undefined)[] = [];

const standard: View = {
	event: 0,
	steps: [],
	zoomed: 0,
	search: "",
	exact: false,
	marked: -1,
	palette: page.palette,
	inverted: page.inverted,
	table: !narrow.matches,
	order: "self",
};

let view = readView(location.hash, standard);
let past: View[] = [];
let shownSteps = "";
let graph: Graph;
let tree: Tree;
let found: Uint8Array | null = null; // what the search finds

app.hidden = false;
app.dataset["table"] = view.table ? "on" : "off";
const flame = new FlameView(byId("frames"));
const minimap = new Minimap(byId("minimap"), flame);
const table = new FunctionTable(byId("table"));

function graphOf(event: number): Graph {
	return (graphs[event] ??= readGraph(written[event]!));
}

function treeOf(): Tree {
	return view.steps.reduce((made, step) => reshape(graph, made, step), graph.tree);
}

function subjectOf(frame: number): Subject {
	return { graph, tree, look: page, frame, zoomed: view.zoomed, leafFirst: isLeafFirst() };
}

function nameIdOf(frame: number): number {
	return graph.functionOf[tree.face[frame]!]!;
}

// Brings what is shown to what the view says. The graph comes first, the rest after it is drawn.
function show(): void {
	const event = Math.min(view.event, written.length - 1);
	const steps = JSON.stringify([event, view.steps]);
	graph = graphOf(event);
	flame.inverted = view.inverted;
	if (steps !== shownSteps) {
		shownSteps = steps;
		tree = treeOf();
		later(showSums);
	}
	if (view.zoomed >= tree.length) view.zoomed = 0;
	applySearch();
	// Before the first picture: words that come later would move it.
	byId("subtitle").textContent = graph.subtitle + shownPart();
	byId("trust").textContent = graph.footer;
	flame.show({ graph, tree, colors: new Colors(graph, page, view.palette) });
	if (view.zoomed) flame.zoomTo(view.zoomed, false);
	showChosen();
	later(showAround);
}

const waiting = new Set<() => void>();

// After the next picture: first what can be seen of the graph, then everything else.
function later(what: () => void): void {
	if (!waiting.size)
		requestAnimationFrame(() =>
			setTimeout(() => {
				const all = [...waiting];
				waiting.clear();
				all.forEach((one) => one());
			}),
		);
	waiting.add(what);
}

// Sums by function are the same whichever way the stacks are merged, and are made from the roots on.
function showSums(): void {
	const forward = isLeafFirst() ? reshape(graph, tree, { what: "reverse" }) : tree;
	table.show(graph, forward);
	table.list(view.order, found, view.marked);
	showLegend(byId("legend"), graph, forward, page, view.palette);
}

function pressed(id: string, value: boolean): void {
	byId(id).setAttribute("aria-pressed", String(value));
}

function has(what: Step["what"]): boolean {
	return view.steps.some((step) => step.what === what);
}

function isLeafFirst(): boolean {
	return has("reverse") !== page.reversed;
}

// How much of the samples a graph with less in it is.
function shownPart(): string {
	const all = graph.tree.total[0]!;
	const now = tree.total[0]!;
	return now === all ? "" : ` · shown: ${amount(now, graph.unit)}, ${percent(now, all)}`;
}

// Everything but the graph itself.
function showAround(): void {
	const empty = !tree.total[0];
	byId("empty").hidden = !empty;
	byId("frames").hidden = byId("minimap").hidden = empty;
	byId("empty").textContent = view.steps.length ? "Nothing left to show: undo the last change." : graph.empty;
	minimap.show({ graph, tree, colors: new Colors(graph, page, view.palette) });
	pressed("inverted", view.inverted);
	pressed("reverse", isLeafFirst());
	pressed("collapse", has("collapse"));
	showTable();
	showTrail();
	byId<HTMLSelectElement>("palette").value = view.palette;
	byId<HTMLSelectElement>("event").value = String(view.event);
	showButtons();
}

function showTable(): void {
	app.dataset["table"] = view.table ? "on" : "off";
	pressed("tabled", view.table);
}

function showButtons(): void {
	const whole = flame.from <= 0 && flame.to >= (tree.total[0] || 1);
	byId<HTMLButtonElement>("reset").disabled = whole && !view.zoomed;
	byId<HTMLButtonElement>("undo").disabled = !past.length;
}

const STEP_WORDS = {
	focus: "Focus: ",
	hide: "Hidden: ",
	only: "Only with: ",
	without: "Without: ",
	collapse: "Recursion collapsed",
	reverse: "Leaf first",
};

// What was done to the graph, in its order; each can be taken back alone.
function showTrail(): void {
	byId("trail").replaceChildren(
		...view.steps.map((step, at) => {
			const button = document.createElement("button");
			button.type = "button";
			button.textContent = `${STEP_WORDS[step.what]}${"name" in step ? graph.functions[step.name] : ""} ✕`;
			button.title = "Undo this";
			button.addEventListener("click", () => change({ steps: view.steps.filter((_, i) => i !== at), zoomed: 0 }));
			return button;
		}),
	);
}

// Search and highlighting. A bad expression changes nothing but says so.
function applySearch(): void {
	const expression = view.search ? regular(view.search, view.exact) : null;
	search.removeAttribute("aria-invalid");
	exact.setAttribute("aria-pressed", String(view.exact));
	if (view.search && !expression) {
		search.setAttribute("aria-invalid", "true");
		matched.textContent = "not a regular expression";
		return;
	}
	if (search.value !== view.search) search.value = view.search;
	found = expression && findNames(graph.functions, expression);
	flame.hits = found;
	if (view.marked >= graph.functions.length) view.marked = -1;
	if (view.marked >= 0) {
		flame.hits = new Uint8Array(graph.functions.length);
		flame.hits[view.marked] = 1;
	}
	matched.textContent = flame.hits ? `matched: ${percent(covered(graph, tree, flame.hits), tree.total[0]!)}` : "";
}

function remember(): void {
	const text = writeView(view, standard);
	if (text !== location.hash.slice(1)) history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

// A change that undo takes back, and that makes another graph.
function change(changes: Partial<View>): void {
	past.push({ ...view });
	view = { ...view, ...changes };
	show();
	remember();
}

function undo(): void {
	const before = past.pop();
	if (!before) return;
	view = { ...view, event: before.event, steps: before.steps, zoomed: before.zoomed, inverted: before.inverted };
	show();
	remember();
}

function toggleStep(step: Step): void {
	const without = view.steps.filter((other) => other.what !== step.what);
	change({ steps: without.length < view.steps.length ? without : [...view.steps, step], zoomed: 0 });
}

function zoom(frame: number): void {
	if (frame !== view.zoomed) past.push({ ...view });
	view.zoomed = frame;
	flame.zoomTo(frame);
	showButtons();
	remember();
}

// Other marks on the same graph.
function mark(changes: Partial<View>): void {
	view = { ...view, ...changes };
	applySearch();
	flame.draw();
	later(() => {
		table.list(view.order, found, view.marked);
		minimap.draw();
	});
	remember();
}

const HINT = "Wider frames took more. Click or tap a frame to zoom, hover for its numbers; / to search, ? for keys.";

function showChosen(): void {
	const frame = flame.chosen;
	byId("actions").hidden = frame < 0;
	if (frame < 0) {
		byId("chosen-name").textContent = "";
		byId("chosen-facts").textContent = HINT;
		return;
	}
	const group = graph.kindOf[tree.face[frame]!] === GROUP;
	const text = line(subjectOf(frame));
	byId("chosen-name").textContent = nameOf(subjectOf(frame));
	byId("chosen-facts").textContent = text;
	byId<HTMLButtonElement>("hide").disabled = group;
	byId<HTMLButtonElement>("focus").disabled = frame === 0;
	byId("live").textContent = `${nameOf(subjectOf(frame))}: ${text}`;
}

function choose(frame: number): void {
	flame.choose(frame);
	showChosen();
}

function focusOn(what: "focus" | "hide"): void {
	const frame = flame.chosen;
	if (frame <= 0 || (what === "hide" && graph.kindOf[tree.face[frame]!] === GROUP)) return;
	change({ steps: [...view.steps, { what, name: nameIdOf(frame) }], zoomed: 0 });
}

function highlight(name: number): void {
	mark({ marked: view.marked === name ? -1 : name });
	// The widest frame of a function stands for it, so that the buttons below the graph act on it.
	let widest = -1;
	for (let i = 1; i < tree.length; i++)
		if (nameIdOf(i) === name && (widest < 0 || tree.total[i]! > tree.total[widest]!)) widest = i;
	choose(widest);
}

async function copyName(): Promise<void> {
	if (flame.chosen < 0) return;
	const button = byId("copy");
	try {
		await navigator.clipboard.writeText(nameOf(subjectOf(flame.chosen)));
		button.textContent = "Copied";
	} catch {
		button.textContent = "Not allowed";
	}
	setTimeout(() => (button.textContent = "Copy name"), 1200);
}

function escape(): void {
	search.blur();
	card.hidden = true;
	if (view.search || view.marked >= 0) mark({ search: "", marked: -1 });
	else choose(-1);
	zoom(0);
}

function arrow(key: string): void {
	const away = view.inverted ? "ArrowDown" : "ArrowUp";
	const direction: Direction =
		key === "ArrowLeft" ? "left" : key === "ArrowRight" ? "right" : key === away ? "callee" : "caller";
	choose(flame.neighbour(flame.chosen, direction));
}

const letters: Record<string, () => void> = {
	"/": () => search.focus(),
	"?": () => byId<HTMLDialogElement>("help").showModal(),
	f: () => focusOn("focus"),
	h: () => focusOn("hide"),
	m: () => flame.chosen > 0 && highlight(nameIdOf(flame.chosen)),
	c: () => void copyName(),
	u: undo,
	i: () => change({ inverted: !view.inverted }),
	l: () => toggleStep({ what: "reverse" }),
	r: () => toggleStep({ what: "collapse" }),
	t: () => toggleTable(),
};

function press(event: KeyboardEvent): void {
	const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
	const button = event.target instanceof HTMLButtonElement;
	const control = event.ctrlKey || event.metaKey;
	if (byId<HTMLDialogElement>("help").open || event.altKey) return;
	if (control && event.key.toLowerCase() === "f" && document.activeElement !== search) search.focus();
	else if (event.key === "Escape") escape();
	else if (typing || control) return;
	else if (event.key.startsWith("Arrow")) arrow(event.key);
	else if (event.key === "Enter" && !button && flame.chosen >= 0) zoom(flame.chosen);
	else if (letters[event.key]) letters[event.key]!();
	else return;
	event.preventDefault();
}

function toggleTable(): void {
	view.table = !view.table;
	showTable();
	remember();
}

function onClick(id: string, what: () => void): void {
	byId(id).addEventListener("click", what);
}

function listen(): void {
	flame.onPoint = (frame, event) => {
		if (frame < 0 || event.pointerType === "touch") card.hidden = true;
		else showCard(card, subjectOf(frame), event.clientX, event.clientY);
	};
	flame.onClick = (frame) => {
		choose(frame);
		zoom(frame);
	};
	flame.onDraw = () => {
		minimap.mark();
		showButtons();
	};
	table.onChoose = highlight;
	table.onOrder = (order: Order) => {
		view.order = order;
		table.list(order, found, view.marked);
		remember();
	};
	search.addEventListener("input", () => mark({ search: search.value, marked: -1 }));
	exact.addEventListener("click", () => mark({ exact: !view.exact }));
	window.addEventListener("keydown", press);
	window.addEventListener("hashchange", () => {
		view = readView(location.hash, standard);
		show();
	});
	byId("palette").addEventListener("change", (event) => {
		view.palette = (event.target as HTMLSelectElement).value as Palette;
		later(showSums);
		show();
		remember();
	});
	byId("event").addEventListener("change", (event) =>
		change({ event: Number((event.target as HTMLSelectElement).value), steps: [], zoomed: 0, marked: -1 }));
	onClick("reset", () => zoom(0));
	onClick("undo", undo);
	onClick("inverted", letters["i"]!);
	onClick("reverse", letters["l"]!);
	onClick("collapse", letters["r"]!);
	onClick("tabled", toggleTable);
	onClick("keys", letters["?"]!);
	onClick("focus", letters["f"]!);
	onClick("hide", letters["h"]!);
	onClick("mark", letters["m"]!);
	onClick("copy", () => void copyName());
}

// The names of events stand at the beginning of their graphs: to list them none has to be read.
function listEvents(): void {
	const select = byId<HTMLSelectElement>("event");
	byId("events").hidden = written.length < 2;
	written.forEach((text, at) => {
		const name = /^\{"event":("(?:[^"\\]|\\.)*")/.exec(text);
		select.add(new Option(name ? (JSON.parse(name[1]!) as string) : `event ${at}`, String(at)));
	});
}

byId("title").textContent = page.title;
byId("notes").textContent = page.notes;
listEvents();
show();
performance.mark("flame-drawn");
listen();
