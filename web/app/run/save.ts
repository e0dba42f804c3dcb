// SPDX-License-Identifier: Apache-2.0
// Pictures and numbers as files, made in the browser.
import type { Made } from "./plot";

function save(blob: Blob, name: string): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(blob);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function saveText(text: string, type: string, name: string): void {
	save(new Blob([text], { type }), name);
}

// The plots below each other, with their names, on the page's own paper.
export function savePng(plots: [string, Made | undefined][], title: string, file: string): void {
	const all = plots.flatMap(([name, made]) => (made ? [{ name, canvas: made.plot.ctx.canvas }] : []));
	for (const [, made] of plots) made?.draw(true);
	if (!all.length) return;
	const ratio = devicePixelRatio || 1;
	const head = 26 * ratio;
	const caption = 20 * ratio;
	const canvas = document.createElement("canvas");
	canvas.width = Math.max(...all.map((one) => one.canvas.width));
	canvas.height = head + all.reduce((sum, one) => sum + caption + one.canvas.height, 0);
	const context = canvas.getContext("2d")!;
	const style = getComputedStyle(document.documentElement);
	context.fillStyle = style.getPropertyValue("--paper");
	context.fillRect(0, 0, canvas.width, canvas.height);
	context.fillStyle = style.getPropertyValue("--ink");
	context.font = `bold ${13 * ratio}px system-ui`;
	context.fillText(title, 8 * ratio, 17 * ratio);
	context.font = `${12 * ratio}px system-ui`;
	let y = head;
	for (const one of all) {
		context.fillText(one.name, 8 * ratio, y + 14 * ratio);
		context.drawImage(one.canvas, 0, y + caption);
		y += caption + one.canvas.height;
	}
	canvas.toBlob((blob) => blob && save(blob, file));
}
