// SPDX-License-Identifier: Apache-2.0
// Colours of frames, the same as in our SVG (src/render/flame_color.c): a name has its colour everywhere.

import type { Graph } from "./columns";
import { GROUP } from "./reshape";

export const PALETTES = ["kind", "name", "warm", "object"] as const;
export type Palette = (typeof PALETTES)[number];

export interface Look {
	kinds: { name: string; label: string; color: number }[];
	hues: number[];
}

export function css(color: number): string {
	return `#${color.toString(16).padStart(6, "0")}`;
}

// Between the colour itself and one that is a quarter nearer to white.
function lighten(color: number, shade: number): number {
	const part = (shade >> 3) & 63;
	let result = 0;
	for (let shift = 0; shift < 24; shift += 8) {
		const value = (color >> shift) & 255;
		result |= (value + Math.floor(((255 - value) * part) / 256)) << shift;
	}
	return result;
}

function warm(shade: number): number {
	const red = 205 + ((shade >> 9) & 63);
	const green = 70 + Math.floor((((shade >> 15) & 255) * 150) / 255);
	return (red << 16) | (green << 8) | (40 + ((shade >> 23) & 31));
}

// A colour as four bytes of an ImageData, on machines whose lowest byte comes first, as all with browsers.
export function packed(color: number, alpha: number): number {
	return ((alpha << 24) | ((color & 255) << 16) | (color & 0xff00) | (color >> 16)) >>> 0;
}

// The colour of a face, worked out when it is first drawn.
export class Colors {
	private known: (number | undefined)[] = [];

	constructor(private graph: Graph, private look: Look, private palette: Palette) {}

	of(face: number): number {
		return (this.known[face] ??= this.find(face));
	}

	private find(face: number): number {
		const { graph, look } = this;
		const name = graph.functionOf[face]!;
		const kind = graph.kindOf[face]!;
		const shade = graph.shadeOf[name]!;
		if (graph.fixedOf) return graph.fixedOf[name]!;
		if (kind === GROUP) return look.kinds[kind]!.color;
		if (this.palette === "name") return lighten(look.hues[shade & 7]!, shade);
		if (this.palette === "warm") return warm(shade);
		if (this.palette === "object") return lighten(graph.objectColors[graph.objectOf[name]!]!, shade);
		return lighten(look.kinds[kind]!.color, shade);
	}
}
