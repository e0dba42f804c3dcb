// SPDX-License-Identifier: Apache-2.0
// What a flame graph's SVG does in a browser: hover, zoom, search, keys, and its state in the address.
// The picture is whole without it; src/render/flame_svg.c draws it.

import { regular } from "../flame/search";

interface Frame {
	group: SVGGElement;
	rect: SVGRectElement;
	text: SVGTextElement | null;
	name: string;
	about: string; // what stands in brackets behind the name
	start: number;
	width: number;
	depth: number;
	parent: Frame | null;
}

const NS = "http://www.w3.org/2000/svg";
const HTML = "http://www.w3.org/1999/xhtml";
const PAD = 10;
const CHAR = 6.65;
const HEAD = 58; // the height of title, subtitle and controls
const HELP = "arrows move · Enter zooms · Esc resets · / searches";

const svg = document.documentElement as unknown as SVGSVGElement;
const pixels = svg.width.baseVal.value - 2 * PAD;
const inverted = svg.getAttribute("data-inverted") === "1";
const head = document.getElementById("head") as unknown as SVGGElement;
const details = svg.querySelector("text.d") as SVGTextElement;
const frames = readFrames();
const root = frames[0]!;

let zoomed: Frame = root;
let chosen: Frame | null = null;

function readFrames(): Frame[] {
	const found: Frame[] = [];
	const path: Frame[] = [];
	document.querySelectorAll<SVGGElement>("#frames > g").forEach((group) => {
		const title = group.querySelector("title")!.textContent!;
		const cut = title.lastIndexOf(" (");
		const depth = Number(group.dataset.d);
		const frame: Frame = {
			group,
			rect: group.querySelector("rect")!,
			text: group.querySelector("text"),
			name: title.slice(0, cut),
			about: title.slice(cut + 2, -1),
			start: Number(group.dataset.s),
			width: Number(group.dataset.w),
			depth,
			parent: depth ? path[depth - 1]! : null,
		};
		path[depth] = frame;
		group.id = `f${found.length}`;
		found.push(frame);
	});
	return found;
}

function label(frame: Frame, width: number, x: number): void {
	const room = Math.floor((width - 6) / CHAR);
	if (room < 3) {
		if (frame.text) frame.text.textContent = "";
		return;
	}
	if (!frame.text) {
		frame.text = document.createElementNS(NS, "text");
		frame.text.setAttribute("y", String(frame.rect.y.baseVal.value + 12));
		frame.group.appendChild(frame.text);
	}
	frame.text.setAttribute("x", String(x + 3));
	frame.text.textContent = frame.name.length <= room ? frame.name : `${frame.name.slice(0, room - 2)}..`;
}

function draw(): void {
	const from = zoomed.start;
	const to = from + zoomed.width;
	const scale = pixels / zoomed.width;
	for (const frame of frames) {
		const end = frame.start + frame.width;
		const below = frame.depth < zoomed.depth && frame.start <= from && end >= to;
		const inside = frame.depth >= zoomed.depth && frame.start >= from && end <= to;
		const x = below ? PAD : PAD + (frame.start - from) * scale;
		const width = below ? pixels : frame.width * scale;
		const classes = frame.group.classList;
		classes.toggle("o", !(below || inside) || width < 0.1);
		classes.toggle("a", below);
		if (!(below || inside)) continue;
		frame.rect.setAttribute("x", String(x));
		frame.rect.setAttribute("width", String(width));
		label(frame, width, x);
	}
	reset.style.display = zoomed === root ? "none" : "";
}

function say(text: string): void {
	details.textContent = text;
}

function tell(frame: Frame): void {
	say(`${frame.name}: ${frame.about}`);
}

function choose(frame: Frame | null): void {
	chosen?.group.classList.remove("k");
	chosen = frame;
	if (!frame) return;
	frame.group.classList.add("k");
	tell(frame);
}

function zoom(frame: Frame): void {
	zoomed = frame;
	draw();
	remember();
}

// Search. Frames come with callers first and from left to right, so a match that begins before the
// last one has ended stands on it and is not counted again.
function search(text: string): void {
	const expression = text ? regular(text, exact) : null;
	caseSwitch.classList.toggle("on", exact);
	caseSwitch.setAttribute("aria-pressed", String(exact));
	if (text && !expression) {
		matched.textContent = "not a regular expression";
		return;
	}
	let sum = 0;
	let end = -1;
	for (const frame of frames) {
		const hit = expression !== null && frame.depth > 0 && expression.test(frame.name);
		frame.group.classList.toggle("m", hit);
		if (!hit || frame.start < end) continue;
		sum += frame.width;
		end = frame.start + frame.width;
	}
	matched.textContent = expression ? `matched: ${((100 * sum) / root.width).toFixed(2)} %` : "";
	remember();
}

// The address: #z=12&s=malloc is frame 12 zoomed and a search.
function remember(): void {
	const state = new URLSearchParams();
	if (zoomed !== root) state.set("z", String(frames.indexOf(zoomed)));
	if (field.value) state.set("s", field.value);
	if (exact) state.set("c", "1");
	const text = state.toString();
	if (text !== location.hash.slice(1)) history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function recall(): void {
	const state = new URLSearchParams(location.hash.slice(1));
	zoomed = frames[Number(state.get("z") ?? 0)] ?? root;
	field.value = state.get("s") ?? "";
	exact = state.get("c") === "1";
	draw();
	search(field.value);
}

function control(x: number, anchor: string, text: string, y = 54): SVGTextElement {
	const made = document.createElementNS(NS, "text");
	made.setAttribute("x", String(x));
	made.setAttribute("y", String(y));
	made.setAttribute("text-anchor", anchor);
	made.textContent = text;
	head.appendChild(made);
	return made;
}

function makeField(): HTMLInputElement {
	const outer = document.createElementNS(NS, "foreignObject");
	const size: Record<string, number> = { x: pixels + PAD - 220, y: 8, width: 220, height: 28 };
	for (const key of Object.keys(size)) outer.setAttribute(key, String(size[key]));
	const made = document.createElementNS(HTML, "input") as HTMLInputElement;
	made.type = "search";
	made.placeholder = "search (regular expression)";
	made.setAttribute("aria-label", "search functions by regular expression");
	made.style.cssText = "width:100%;box-sizing:border-box;font:12px system-ui,sans-serif";
	outer.appendChild(made);
	head.appendChild(outer);
	return made;
}

function makeSwitch(): SVGTextElement {
	const made = control(pixels + PAD - 228, "end", "Aa", 25);
	made.setAttribute("class", "c");
	made.setAttribute("role", "button");
	made.setAttribute("aria-label", "match case");
	const about = document.createElementNS(NS, "title");
	about.textContent = "match case; otherwise it is ignored unless the search has a capital letter";
	made.appendChild(about);
	made.addEventListener("click", () => {
		exact = !exact;
		search(field.value);
	});
	return made;
}

// Keeps the title and the search in view, on paper of their own above the frames.
function follow(): void {
	head.setAttribute("transform", `translate(0 ${Math.max(0, window.scrollY)})`);
}

function raiseHead(): void {
	const paper = document.createElementNS(NS, "rect");
	paper.setAttribute("class", "b");
	paper.setAttribute("width", "100%");
	paper.setAttribute("height", String(HEAD));
	head.prepend(paper);
	svg.appendChild(head);
	window.addEventListener("scroll", follow);
	follow();
}

function frameOf(target: EventTarget | null): Frame | null {
	const group = target instanceof Element ? target.closest<SVGGElement>("#frames > g") : null;
	return group ? frames[Number(group.id.slice(1))]! : null;
}

function childrenOf(frame: Frame | null): Frame[] {
	return frames.filter((other) => other.parent === frame && !other.group.classList.contains("o"));
}

// One step with an arrow: to the caller, to the widest callee, or to a neighbour.
function step(key: string): void {
	if (!chosen) {
		choose(zoomed);
		return;
	}
	const away = inverted ? "ArrowDown" : "ArrowUp";
	const back = inverted ? "ArrowUp" : "ArrowDown";
	if (key === back) choose(chosen.parent ?? chosen);
	else if (key === away) {
		const children = childrenOf(chosen);
		if (children.length) choose(children.reduce((a, b) => (b.width > a.width ? b : a)));
	} else {
		const siblings = childrenOf(chosen.parent);
		const at = siblings.indexOf(chosen) + (key === "ArrowRight" ? 1 : -1);
		choose(siblings[at] ?? chosen);
	}
}

function escape(): void {
	if (document.activeElement === field) field.blur();
	if (field.value) {
		field.value = "";
		search("");
	} else {
		choose(null);
		say("");
	}
	zoom(root);
}

function press(event: KeyboardEvent): void {
	const typing = document.activeElement === field;
	const find = event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey);
	if (event.key === "Escape") escape();
	else if (find || (event.key === "/" && !typing)) field.focus();
	else if (typing) {
		if (event.key === "Enter") search(field.value);
		return;
	} else if (event.key.startsWith("Arrow")) step(event.key);
	else if (event.key === "Enter" && chosen) zoom(chosen);
	else if (event.key === "?") say(HELP);
	else return;
	event.preventDefault();
}

const reset = control(PAD, "start", "reset zoom");
reset.classList.add("c");
const matched = control(pixels + PAD, "end", "");
const field = makeField();
const caseSwitch = makeSwitch();
let exact = false; // case counts in a search without a capital letter, too

svg.addEventListener("mouseover", (event) => {
	const frame = frameOf(event.target);
	if (frame) tell(frame);
	else say("");
});
svg.addEventListener("click", (event) => {
	const frame = frameOf(event.target);
	if (frame) {
		choose(frame);
		zoom(frame);
	}
});
reset.addEventListener("click", () => zoom(root));
field.addEventListener("input", () => search(field.value));
window.addEventListener("keydown", press);
window.addEventListener("hashchange", recall);
recall();
raiseHead();
// A tall graph opens where it is widest, which is at its foot; an icicle's is on top already.
if (!inverted) window.addEventListener("load", () => window.scrollTo(0, svg.height.baseVal.value));
