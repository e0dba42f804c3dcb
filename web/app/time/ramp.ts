// SPDX-License-Identifier: Apache-2.0
// Colours of a heatmap, from the paper's own to the strongest: one hue that only gets stronger, which
// everybody can tell apart.

type Ramp = [number, number, number][];

const LIGHT: Ramp = [[243, 241, 234], [252, 214, 158], [243, 145, 78], [213, 62, 36], [150, 12, 18]];
const DARK: Ramp = [[38, 40, 43], [92, 40, 22], [172, 64, 28], [234, 124, 52], [255, 204, 122]];
const STEPS = 64;

function between(ramp: Ramp, part: number): number {
	const at = part * (ramp.length - 1);
	const low = Math.min(ramp.length - 2, Math.floor(at));
	const mix = (channel: 0 | 1 | 2) => Math.round(ramp[low]![channel] + (ramp[low + 1]![channel] - ramp[low]![channel]) * (at - low));
	return (255 << 24) | (mix(2) << 16) | (mix(1) << 8) | mix(0);
}

export interface Palette {
	of(count: number, most: number): number; // as four bytes of an ImageData
	css(part: number): string;
}

export function heatPalette(dark: boolean): Palette {
	const ramp = dark ? DARK : LIGHT;
	const colors = Array.from({ length: STEPS + 1 }, (_, i) => between(ramp, i / STEPS) >>> 0);
	return {
		// One sample must be seen beside none, and many must not drown the rest.
		of: (count, most) => colors[count ? Math.max(8, Math.round((count / (most || 1)) ** 0.75 * STEPS)) : 0]!,
		css: (part) => {
			const color = colors[Math.round(part * STEPS)]!;
			return `rgb(${color & 255} ${(color >> 8) & 255} ${(color >> 16) & 255})`;
		},
	};
}
