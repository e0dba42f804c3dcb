// SPDX-License-Identifier: Apache-2.0
// A grid of counts on a canvas, and a size and theme to draw it in.

import { useLayoutEffect, useRef } from "preact/hooks";
import type { Size } from "../flame/size";
import { useDark } from "../model/theme";
import { squeeze } from "./heat";
import { heatPalette } from "./ramp";

export interface Grid {
	columns: number;
	rows: number;
	counts: number[]; // at [column * rows + row], row 0 is the lowest
	most: number;
}

// Each cell is a whole number of pixels of the screen, or one pixel is the largest of several cells.
function paintGrid(canvas: HTMLCanvasElement, { columns, rows, counts, most }: Grid, { width, height }: Size, dark: boolean): void {
	const ratio = window.devicePixelRatio || 1;
	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	const context = canvas.getContext("2d");
	if (!context || !columns || !rows) return;
	const palette = heatPalette(dark);
	const fitted = squeeze(counts, columns, rows, canvas.width);
	const image = context.createImageData(canvas.width, canvas.height);
	const pixels = new Uint32Array(image.data.buffer);
	const line = new Uint32Array(canvas.width);
	const edge = (part: number, count: number, size: number) => Math.round((part * size) / count);
	const gap = Math.floor(canvas.width / fitted.columns) > 6 * ratio ? Math.round(ratio) : 0;
	for (let row = 0; row < rows; row++) {
		line.fill(0);
		for (let column = 0; column < fitted.columns; column++)
			line.fill(palette.of(fitted.counts[column * rows + row]!, most), edge(column, fitted.columns, canvas.width), edge(column + 1, fitted.columns, canvas.width) - gap);
		const foot = edge(rows - row, rows, canvas.height);
		for (let y = edge(rows - row - 1, rows, canvas.height); y < foot; y++) pixels.set(line, y * canvas.width);
	}
	context.putImageData(image, 0, 0);
}

export function GridCanvas({ grid, size }: { grid: Grid; size: Size }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const dark = useDark();
	useLayoutEffect(() => paintGrid(canvas.current!, grid, size, dark), [grid, size, dark]);
	return <canvas ref={canvas} aria-hidden="true" />;
}
