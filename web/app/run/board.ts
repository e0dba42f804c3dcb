// SPDX-License-Identifier: Apache-2.0
// Pixels of ours on a plot of uPlot, above its axes.
import type uPlot from "uplot";
import type { Frame, Raster } from "./raster";

const OURS: CanvasRenderingContext2DSettings = { willReadFrequently: true };

// All plots draw here, one after the other, and copy the result: their own canvases hold axes too.
let bytes = new Uint8ClampedArray(0);
let board: HTMLCanvasElement | undefined;

function boardFor(width: number, height: number): HTMLCanvasElement {
	board ??= document.createElement("canvas");
	if (board.width < width) board.width = width;
	if (board.height < height) board.height = height;
	return board;
}

type Paint = (raster: Raster) => void;

// Pixels of a part of the board, ready to be put somewhere.
function painted(width: number, height: number, paint: Paint): ImageData {
	if (bytes.length < width * height * 4) bytes = new Uint8ClampedArray(width * height * 4);
	paint({ pixels: new Uint32Array(bytes.buffer, 0, width * height).fill(0), width, height });
	return new ImageData(bytes.subarray(0, width * height * 4), width, height);
}

function sizeOf({ bbox }: uPlot): [number, number] {
	return [Math.round(bbox.width), Math.round(bbox.height)];
}

export function paintOn(plot: uPlot, paint: Paint): void {
	const [width, height] = sizeOf(plot);
	if (width < 1 || height < 1) return;
	const canvas = boardFor(width, height);
	canvas.getContext("2d", OURS)!.putImageData(painted(width, height, paint), 0, 0);
	plot.ctx.drawImage(canvas, 0, 0, width, height, plot.bbox.left, plot.bbox.top, width, height);
}

const PAD = 3; // columns at either side of a part: what is drawn there may reach into it
const MOST = 1e6; // columns from where the strip began: beyond, numbers lose digits

// What a picture is made of; the same again shows the same.
export interface Ground {
	version: number; // of the data
	paint: (raster: Raster, frame: Frame) => void;
}

// The curves of one plot, which are kept while it is panned: only columns that come into sight are drawn. Columns
// have numbers from where the strip began, and stand on its canvas at the remainder of the number by the width.
export class Strip {
	private readonly canvas = document.createElement("canvas");
	private readonly context = this.canvas.getContext("2d", OURS)!;
	private ground: Ground = { version: -1, paint: () => {} };
	private top = 0;
	private start = 0; // the time of column 0
	private pixel = 0; // seconds of a column
	private first = 0; // columns that are there
	private end = 0;

	draw(plot: uPlot, ground: Ground, frame: Frame): void {
		const [width, height] = sizeOf(plot);
		if (width < 1 || height < 1) return;
		const at = this.place(ground, frame, width, height);
		if (at >= this.end || at + width <= this.first) this.first = this.end = at;
		if (at < this.first) this.fill(at, this.first);
		if (at + width > this.end) this.fill(this.end, at + width);
		[this.first, this.end] = [at, at + width];
		const cut = ((at % width) + width) % width;
		const { left, top } = plot.bbox;
		plot.ctx.drawImage(this.canvas, cut, 0, width - cut, height, left, top, width - cut, height);
		if (cut) plot.ctx.drawImage(this.canvas, 0, 0, cut, height, left + width - cut, top, cut, height);
	}

	// The number of the frame's first column; the strip begins anew where that is none of its own.
	private place(ground: Ground, frame: Frame, width: number, height: number): number {
		const pixel = (frame.to - frame.from) / width;
		const at = (frame.from - this.start) / this.pixel;
		const known = ground.version === this.ground.version && ground.paint === this.ground.paint && frame.top === this.top && this.canvas.width === width && this.canvas.height === height;
		if (known && Math.abs(pixel / this.pixel - 1) < 1e-7 && Math.abs(at - Math.round(at)) < 0.05 && Math.abs(at) < MOST) return Math.round(at);
		if (this.canvas.width !== width) this.canvas.width = width;
		if (this.canvas.height !== height) this.canvas.height = height;
		[this.ground, this.top, this.start, this.pixel, this.first, this.end] = [ground, frame.top, frame.from, pixel, 0, 0];
		return 0;
	}

	private fill(first: number, end: number): void {
		const { canvas: { width, height }, context, pixel } = this;
		const columns = end - first;
		const from = this.start + (first - PAD) * pixel;
		const image = painted(columns + 2 * PAD, height, (raster) => this.ground.paint(raster, { from, to: from + (columns + 2 * PAD) * pixel, top: this.top }));
		// Around the edge of the canvas it goes on at the left.
		for (let done = 0; done < columns; ) {
			const to = (((first + done) % width) + width) % width;
			const part = Math.min(columns - done, width - to);
			context.putImageData(image, to - PAD - done, 0, PAD + done, 0, part, height);
			done += part;
		}
	}
}
