// SPDX-License-Identifier: Apache-2.0
// Pixels of ours on a plot of uPlot, above its axes.
import type uPlot from "uplot";
import type { Raster } from "./raster";

// All plots draw here, one after the other, and copy the result: their own canvases hold axes too.
let bytes = new Uint8ClampedArray(0);
let board: HTMLCanvasElement | undefined;

function boardFor(width: number, height: number): HTMLCanvasElement {
	board ??= document.createElement("canvas");
	if (board.width < width) board.width = width;
	if (board.height < height) board.height = height;
	if (bytes.length < width * height * 4) bytes = new Uint8ClampedArray(width * height * 4);
	return board;
}

export function paintOn(plot: uPlot, paint: (raster: Raster) => void): void {
	const { left, top } = plot.bbox;
	const width = Math.round(plot.bbox.width);
	const height = Math.round(plot.bbox.height);
	if (width < 1 || height < 1) return;
	const canvas = boardFor(width, height);
	paint({ pixels: new Uint32Array(bytes.buffer, 0, width * height).fill(0), width, height });
	canvas.getContext("2d", { willReadFrequently: true })!.putImageData(new ImageData(bytes.subarray(0, width * height * 4), width, height), 0, 0);
	plot.ctx.drawImage(canvas, 0, 0, width, height, left, top, width, height);
}
