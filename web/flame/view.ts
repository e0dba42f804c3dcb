// SPDX-License-Identifier: Apache-2.0
// A flame graph in an element that scrolls: what part of it is seen, zooming, and which frame is where.
//
//	const view = new FlameView(element);
//	view.show({ graph, tree, colors });
//	view.onPoint = (frame, event) => …; view.zoomTo(frame);
//	view.grow({ graph, tree, colors });	the same graph with more in it: widths move to what they are now
//
// The view knows nothing of what stands around it.

import type { Colors } from "./color";
import type { Graph } from "./columns";
import { matchTrees } from "./match";
import { Paint, Window, paint } from "./paint";
import { Blend, Tree, childrenOf, frameAt } from "./tree";

export const ROW = 18;
const ZOOM_MS = 180;
const GROW_MS = 240; // about the time between two growths of a live tree

export interface Shown {
	graph: Graph;
	tree: Tree;
	colors: Colors;
}

// A part of a frame's width: [0, 1] is all of it.
type Part = [number, number];

interface Motion {
	from: Part;
	to: Part;
	since: number;
}

export type Direction = "caller" | "callee" | "left" | "right";

function makeBox(host: HTMLElement, name: string): HTMLDivElement {
	const box = document.createElement("div");
	box.className = name;
	box.hidden = true;
	host.appendChild(box);
	return box;
}

export class FlameView {
	from = 0;
	to = 1;
	zoomed = 0;
	chosen = -1;
	hits: Uint8Array | null = null;
	inverted = false; // the root on top
	onPoint: (frame: number, event: PointerEvent) => void = () => {};
	onClick: (frame: number) => void = () => {};
	// A right click, or the key for it (frame -1); true: there is a menu of our own.
	onMenu: (frame: number, event: MouseEvent) => boolean = () => false;
	onDraw: () => void = () => {};
	private shown: Shown | null = null;
	private given: Tree | null = null; // the tree of what was last shown; `shown` may be on its way to it
	private canvas = document.createElement("canvas");
	private sizer = document.createElement("div");
	private hoverBox: HTMLDivElement;
	private chosenBox: HTMLDivElement;
	private hovered = -1;
	private pointer: PointerEvent | null = null; // the last one, while it is over the graph
	private motion: Motion | null = null; // of what is seen, as parts of the zoomed frame
	private blend: { widths: Blend; since: number } | null = null;
	private animation = 0;
	private queued = 0;
	private ending = new AbortController();
	private observer = new ResizeObserver(() => this.resize());
	private content = 0; // the height that is scrolled
	private below = 0; // how much of it was under the lower edge when it was last drawn
	private ratio = 1;

	constructor(private host: HTMLElement) {
		this.canvas.setAttribute("aria-hidden", "true");
		this.sizer.className = "sizer";
		this.sizer.appendChild(this.canvas);
		host.appendChild(this.sizer);
		this.hoverBox = makeBox(this.sizer, "box hover");
		this.chosenBox = makeBox(this.sizer, "box chosen");
		host.addEventListener("scroll", () => this.redraw(), { signal: this.ending.signal });
		this.observer.observe(host);
		this.listen();
	}

	// Takes the view out of its element.
	end(): void {
		this.stop();
		cancelAnimationFrame(this.queued);
		this.observer.disconnect();
		this.ending.abort();
		this.sizer.remove();
	}

	get tree(): Tree {
		return this.shown!.tree;
	}

	show(shown: Shown): void {
		this.shown = shown;
		this.given = shown.tree;
		this.stop();
		this.from = 0;
		this.to = shown.tree.total[0]! || 1;
		this.zoomed = 0;
		this.chosen = this.hovered = -1;
		this.fit();
		this.scrollToRoot();
		this.draw();
		this.pointAgain();
	}

	// Shows another tree of the same things: what is zoomed, chosen and seen stays, widths are eased.
	grow(shown: Shown): void {
		const before = this.shown;
		if (!before?.tree.total[0] || !shown.tree.total[0]) {
			this.show(shown);
			return;
		}
		if (shown.tree === this.given) {
			this.shown = { ...shown, tree: before.tree }; // other colours only
			this.draw();
			return;
		}
		this.given = shown.tree;
		const same = matchTrees(before.graph, before.tree, shown.graph, shown.tree);
		const now = (frame: number) => (frame < 0 ? -1 : same.indexOf(frame));
		const seen = this.part();
		const widths = new Float64Array(same.length);
		same.forEach((frame, i) => (widths[i] = frame < 0 ? 0 : before.tree.total[frame]!));
		const stays = now(this.zoomed) >= 0;
		this.zoomed = Math.max(0, now(this.zoomed));
		this.chosen = now(this.chosen);
		this.hovered = now(this.hovered);
		const blend = new Blend(shown.tree, widths);
		this.shown = { ...shown, tree: blend.tree };
		this.blend = { widths: blend, since: performance.now() };
		if (!stays) this.motion = { from: [0, 1], to: [0, 1], since: 0 };
		this.setPart(stays ? seen : [0, 1]);
		this.fit();
		this.run();
		this.pointAgain(); // with the figures of now
	}

	// What is seen, as a part of the zoomed frame.
	private part(): Part {
		const start = this.tree.start[this.zoomed]!;
		const total = this.tree.total[this.zoomed]! || 1;
		return [(this.from - start) / total, (this.to - start) / total];
	}

	private setPart([from, to]: Part): void {
		const start = this.tree.start[this.zoomed]!;
		const total = this.tree.total[this.zoomed]! || 1;
		this.from = start + from * total;
		this.to = start + to * total;
	}

	scrollToRoot(): void {
		this.host.scrollTop = this.inverted ? 0 : this.contentHeight();
	}

	private contentHeight(): number {
		return Math.max(this.tree.rows * ROW + 4, this.host.clientHeight);
	}

	private y(depth: number): number {
		return this.inverted ? 2 + depth * ROW : this.content - 2 - (depth + 1) * ROW;
	}

	// Fits the canvas to its element. What stands at the foot of a graph that grows upwards stays there;
	// in an element that grew the browser has moved it already, so where it stood is known from drawing.
	private fit(): boolean {
		const ratio = window.devicePixelRatio || 1;
		const width = Math.round(this.host.clientWidth * ratio);
		const height = Math.round(this.host.clientHeight * ratio);
		const content = this.contentHeight();
		const fits = this.canvas.width === width && this.canvas.height === height && this.content === content;
		if (fits) return false;
		this.canvas.width = width;
		this.canvas.height = height;
		this.canvas.style.width = `${this.host.clientWidth}px`;
		this.canvas.style.height = `${this.host.clientHeight}px`;
		this.sizer.style.height = `${content}px`;
		this.ratio = ratio;
		this.content = content;
		if (!this.inverted) this.host.scrollTop = content - this.host.clientHeight - Math.max(0, this.below);
		return true;
	}

	resize(): void {
		if (this.shown && this.fit()) this.draw();
	}

	redraw(): void {
		this.queued ||= requestAnimationFrame(() => this.draw());
	}

	draw(): void {
		cancelAnimationFrame(this.queued);
		this.queued = 0;
		const context = this.canvas.getContext("2d", { willReadFrequently: true });
		if (!this.shown || !context || !this.canvas.width || !this.canvas.height) return;
		const top = this.host.scrollTop;
		this.below = this.content - top - this.host.clientHeight;
		const area: Window = {
			from: this.from,
			to: this.to,
			height: this.host.clientHeight,
			ratio: this.ratio,
			row: ROW,
			gap: 1,
			y: (depth) => this.y(depth) - top,
			labels: true,
		};
		const what: Paint = { ...this.shown, hits: this.hits, zoomed: this.zoomed };
		if (this.tree.total[0]) paint(context, area, what);
		this.frameBox(this.hoverBox, this.hovered);
		this.frameBox(this.chosenBox, this.chosen);
		this.onDraw();
	}

	// Puts an outline around a frame, as far as it is seen.
	private frameBox(box: HTMLDivElement, frame: number): void {
		const place = frame < 0 ? null : this.placeOf(frame);
		box.hidden = !place || place.width <= 0;
		if (!place) return;
		box.style.transform = `translate(${place.x}px, ${place.y}px)`;
		box.style.width = `${Math.max(2, place.width)}px`;
		box.style.height = `${ROW - 1}px`;
	}

	// Where a frame stands, in pixels of what is scrolled.
	placeOf(frame: number): { x: number; y: number; width: number } {
		const width = this.host.clientWidth;
		const scale = width / (this.to - this.from);
		const left = Math.max(0, (this.tree.start[frame]! - this.from) * scale);
		const right = Math.min(width, (this.tree.start[frame]! + this.tree.total[frame]! - this.from) * scale);
		return { x: Math.round(left), y: this.y(this.tree.depth[frame]!), width: Math.round(right - left) };
	}

	// The frame at a place of the window, or -1.
	frameUnder(clientX: number, clientY: number): number {
		if (!this.shown) return -1;
		const bounds = this.host.getBoundingClientRect();
		const y = clientY - bounds.top + this.host.scrollTop;
		const depth = this.inverted ? Math.floor((y - 2) / ROW) : Math.floor((this.content - 2 - y) / ROW);
		const value = this.from + ((clientX - bounds.left) / this.host.clientWidth) * (this.to - this.from);
		return value < this.from || value > this.to ? -1 : frameAt(this.tree, depth, value);
	}

	setRange(from: number, to: number): void {
		this.motion = null;
		const whole = this.tree.total[0]!;
		const span = Math.min(whole, Math.max(to - from, whole * 1e-9));
		this.from = Math.min(Math.max(0, from), whole - span);
		this.to = this.from + span;
		this.redraw();
	}

	zoomTo(frame: number, animated = true): void {
		this.zoomed = frame;
		this.reveal(frame);
		this.moveTo(this.tree.start[frame]!, this.tree.start[frame]! + this.tree.total[frame]!, animated);
	}

	private stop(): void {
		cancelAnimationFrame(this.animation);
		this.animation = 0;
		this.motion = null;
		this.blend?.widths.at(1);
		this.blend = null;
	}

	moveTo(from: number, to: number, animated = true): void {
		const before = this.part();
		[this.from, this.to] = [from, to];
		this.motion = { from: animated ? before : this.part(), to: this.part(), since: performance.now() };
		this.setPart(this.motion.from);
		this.run();
	}

	private run(): void {
		cancelAnimationFrame(this.animation);
		this.step(performance.now());
	}

	// One picture of a movement. Widths that grow and a zoom go on beside each other.
	private step(now: number): void {
		const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
		const eased = (since: number, time: number) => {
			const part = still ? 1 : Math.min(1, Math.max(0, (now - since) / time));
			return 1 - (1 - part) ** 3;
		};
		const seen = this.part();
		const grown = this.blend ? eased(this.blend.since, GROW_MS) : 1;
		const { from, to, since } = this.motion ?? { from: seen, to: seen, since: 0 };
		const moved = from[0] === to[0] && from[1] === to[1] ? 1 : eased(since, ZOOM_MS);
		this.blend?.widths.at(grown);
		this.setPart([from[0] + (to[0] - from[0]) * moved, from[1] + (to[1] - from[1]) * moved]);
		if (grown === 1) this.blend = null;
		if (moved === 1) this.motion = null;
		if (this.blend || this.motion) this.animation = requestAnimationFrame((time) => this.step(time));
		this.draw();
		if (!this.blend && !this.motion) this.pointAgain();
	}

	choose(frame: number): void {
		this.chosen = frame;
		if (frame >= 0) this.reveal(frame);
		this.frameBox(this.chosenBox, frame);
	}

	// Scrolls a frame's row into sight.
	private reveal(frame: number): void {
		const y = this.y(this.tree.depth[frame]!);
		const height = this.host.clientHeight;
		if (y < this.host.scrollTop) this.host.scrollTop = y - 2 * ROW;
		else if (y + ROW > this.host.scrollTop + height) this.host.scrollTop = y + 3 * ROW - height;
	}

	// The frame that one step leads to: the caller, the widest callee, or a neighbour on the same caller.
	neighbour(frame: number, direction: Direction): number {
		const tree = this.tree;
		if (frame < 0) return this.zoomed;
		if (direction === "caller") return tree.parent[frame]!;
		if (direction === "callee") {
			const children = childrenOf(tree, frame);
			return children.length ? children.reduce((a, b) => (tree.total[b]! > tree.total[a]! ? b : a)) : frame;
		}
		if (!frame) return frame;
		const siblings = childrenOf(tree, tree.parent[frame]!);
		return siblings[siblings.indexOf(frame) + (direction === "right" ? 1 : -1)] ?? frame;
	}

	private listen(): void {
		const { signal } = this.ending;
		let drag: { x: number; from: number; to: number; moved: boolean } | null = null;
		this.host.addEventListener("pointerdown", (event) => {
			if (event.button === 0 && event.offsetX < this.host.clientWidth)
				drag = { x: event.clientX, from: this.from, to: this.to, moved: false };
		}, { signal });
		this.host.addEventListener("pointermove", (event) => {
			if (drag && Math.abs(event.clientX - drag.x) > 4 && !drag.moved) {
				drag.moved = true;
				this.host.setPointerCapture(event.pointerId);
			}
			if (drag?.moved) {
				const by = ((event.clientX - drag.x) / this.host.clientWidth) * (drag.to - drag.from);
				this.setRange(drag.from - by, drag.to - by);
			}
			this.point(drag?.moved ? -1 : this.frameUnder(event.clientX, event.clientY), event);
		}, { signal });
		this.host.addEventListener("pointerup", (event) => {
			const frame = drag && !drag.moved ? this.frameUnder(event.clientX, event.clientY) : -1;
			drag = null;
			if (frame < 0) return;
			this.point(-1, event); // what it says would hide what can be done with it
			this.onClick(frame);
		}, { signal });
		this.host.addEventListener("contextmenu", (event) => {
			const frame = event.clientX || event.clientY ? this.frameUnder(event.clientX, event.clientY) : -1;
			if (!this.onMenu(frame, event)) return;
			event.preventDefault();
			drag = null;
			this.hovered = -1;
			this.onPoint(-1, event as PointerEvent);
		}, { signal });
		this.host.addEventListener("pointercancel", () => (drag = null), { signal });
		this.host.addEventListener("pointerleave", (event) => this.point(-1, event), { signal });
		this.host.addEventListener("wheel", (event) => this.wheel(event), { passive: false, signal });
	}

	// What moved may have brought another frame under the pointer, or other figures for the same one.
	private pointAgain(): void {
		if (this.pointer) this.point(this.frameUnder(this.pointer.clientX, this.pointer.clientY), this.pointer);
	}

	private point(frame: number, event: PointerEvent): void {
		this.pointer = event.type === "pointermove" ? event : null;
		this.hovered = frame;
		this.frameBox(this.hoverBox, frame);
		this.onPoint(frame, event);
	}

	// With Ctrl the wheel zooms around the pointer, sideways it moves; else it scrolls, as everywhere.
	private wheel(event: WheelEvent): void {
		const span = this.to - this.from;
		if (event.ctrlKey || event.metaKey) {
			const bounds = this.host.getBoundingClientRect();
			const at = this.from + ((event.clientX - bounds.left) / this.host.clientWidth) * span;
			const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 100);
			this.setRange(at - (at - this.from) * factor, at + (this.to - at) * factor);
		} else if (event.deltaX) {
			const by = (event.deltaX / this.host.clientWidth) * span;
			this.setRange(this.from + by, this.to + by);
		} else return;
		event.preventDefault();
	}
}
