// SPDX-License-Identifier: Apache-2.0
// Frames on a canvas: only what is in the window, and never more steps than pixels, however many frames
// there are.
//
// All frames of a level look the same on each of its lines of pixels, so one line is made, as numbers, and
// copied. That takes a tenth of the time of as many rectangles; only labels are left to the canvas.

import { Colors, packed } from "./color";
import type { Graph } from "./columns";
import { labelIn } from "./label";
import { Tree, firstBehind } from "./tree";

const FONT = '11px "DejaVu Sans Mono", Menlo, Consolas, monospace';
const PAD = 3;
const LEAST_LABEL = 3; // characters
const LEAST_WIDTH = 0.8; // pixels; what is narrower is drawn together with its neighbours
const FAINTEST = 0.04; // a pixel that is filled less than this stays empty
const DIMMED = 150; // of 255: the callers of what is zoomed
const HIT = 0x6a2c91;
const HIT_INK = "#ffffff";
const INK = "#000000";

// Where to paint: `from` and `to` in the tree's units, everything else in pixels of the page.
export interface Window {
	from: number;
	to: number;
	height: number;
	ratio: number; // pixels of the screen for one of the page
	row: number;
	gap: number; // between rows, part of `row`
	y: (depth: number) => number;
	labels: boolean;
}

export interface Paint {
	graph: Graph;
	tree: Tree;
	colors: Colors;
	hits: Uint8Array | null; // by function
	zoomed: number; // its callers are dimmed
}

interface Label {
	name: string;
	x: number;
	y: number;
	width: number;
	hit: boolean;
}

let letter = 0;

function letterWidth(context: CanvasRenderingContext2D): number {
	if (!letter) letter = context.measureText("m".repeat(100)).width / 100;
	return letter;
}

function isAscii(text: string): boolean {
	for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 126) return false;
	return true;
}

// Letters of one width, as far as they are ASCII's; a name with others may be cut a second time.
function drawLabel(context: CanvasRenderingContext2D, label: Label): void {
	const room = Math.floor((label.width - 2 * PAD) / letterWidth(context));
	if (room < LEAST_LABEL) return;
	let text = labelIn(label.name, room);
	if (!isAscii(text))
		while (text.length > LEAST_LABEL && context.measureText(text).width > label.width - PAD)
			text = `${text.slice(0, -2)}…`;
	context.fillStyle = label.hit ? HIT_INK : INK;
	context.fillText(text, label.x + PAD, label.y);
}

class Painter {
	private line: Uint32Array; // of pixels
	private scale: number; // pixels of the screen a unit
	labels: Label[] = [];

	constructor(private area: Window, private what: Paint, private image: ImageData) {
		this.line = new Uint32Array(image.width);
		this.scale = image.width / (area.to - area.from);
	}

	private isHit(frame: number): boolean {
		const { graph, tree, hits } = this.what;
		return hits !== null && frame > 0 && hits[graph.functionOf[tree.face[frame]!]!]! > 0;
	}

	// One level, from left to right.
	row(depth: number): void {
		const { tree } = this.what;
		const end = tree.levelAt[depth + 1]!;
		this.line.fill(0);
		for (let at = firstBehind(tree, depth, this.area.from); at < end;) {
			const frame = tree.level[at]!;
			const left = (tree.start[frame]! - this.area.from) * this.scale;
			const width = tree.total[frame]! * this.scale;
			if (left >= this.line.length) break;
			if (width < LEAST_WIDTH * this.area.ratio) at = this.dust(depth, at);
			else {
				this.frame(frame, depth, left, left + width);
				at++;
			}
		}
		this.copy(this.area.y(depth));
	}

	private frame(frame: number, depth: number, left: number, right: number): void {
		const { graph, tree, colors, zoomed } = this.what;
		const { ratio, row, gap, y } = this.area;
		const from = Math.max(0, Math.round(left));
		const to = Math.min(this.line.length, Math.round(right));
		const space = to - from > 2 * ratio ? Math.round(ratio) : 0;
		const hit = this.isHit(frame);
		const alpha = depth < tree.depth[zoomed]! ? DIMMED : 255;
		this.line.fill(packed(hit ? HIT : colors.of(tree.face[frame]!), alpha), from, Math.max(from + 1, to - space));
		if (this.area.labels && to - from > 20 * ratio) {
			const name = graph.functions[graph.functionOf[tree.face[frame]!]!]!;
			this.labels.push({ name, x: from / ratio, y: y(depth) + row - gap - 4.5, width: (to - from) / ratio, hit });
		}
	}

	// All frames that end in one pixel, as one that is the paler the less they fill of it.
	private dust(depth: number, first: number): number {
		const { tree, colors, hits } = this.what;
		const frame = tree.level[first]!;
		const x = Math.floor((tree.start[frame]! - this.area.from) * this.scale);
		const next = Math.max(first + 1, firstBehind(tree, depth, this.area.from + (x + 1) / this.scale, first));
		const filled = (tree.filled[next]! - tree.filled[first]!) * this.scale;
		let hit = false;
		for (let i = first; hits && i < next && !hit; i++) hit = this.isHit(tree.level[i]!);
		if (hit) this.line[Math.max(0, x)] = packed(HIT, 255);
		else if (filled >= FAINTEST)
			this.line[Math.max(0, x)] = packed(colors.of(tree.face[frame]!), Math.min(255, 64 + filled * 191));
		return next;
	}

	// Puts the line on all lines of a row that are in sight.
	private copy(y: number): void {
		const { ratio, row, gap } = this.area;
		const pixels = new Uint32Array(this.image.data.buffer);
		const top = Math.max(0, Math.round(y * ratio));
		const foot = Math.min(this.image.height, Math.max(top + 1, Math.round((y + row - gap) * ratio)));
		for (let at = top; at < foot; at++) pixels.set(this.line, at * this.line.length);
	}
}

const images = new WeakMap<CanvasRenderingContext2D, ImageData>();

// Megabytes a picture: the same ones each time.
function emptyImage(context: CanvasRenderingContext2D): ImageData {
	const { width, height } = context.canvas;
	const known = images.get(context);
	if (known?.width === width && known.height === height) {
		new Uint32Array(known.data.buffer).fill(0);
		return known;
	}
	const made = context.createImageData(width, height);
	images.set(context, made);
	return made;
}

// Paints the whole canvas anew.
export function paint(context: CanvasRenderingContext2D, area: Window, what: Paint): void {
	const image = emptyImage(context);
	const painter = new Painter(area, what, image);
	for (let depth = 0; depth < what.tree.rows; depth++) {
		const y = area.y(depth);
		if (y + area.row > 0 && y < area.height) painter.row(depth);
	}
	context.putImageData(image, 0, 0);
	context.setTransform(area.ratio, 0, 0, area.ratio, 0, 0);
	context.font = FONT;
	for (const label of painter.labels) drawLabel(context, label);
}
