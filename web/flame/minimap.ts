// SPDX-License-Identifier: Apache-2.0
// The whole graph in a strip, with the part that is seen; dragging in it moves that part.

import { paint } from "./paint";
import type { FlameView, Shown } from "./view";

export class Minimap {
	private canvas = document.createElement("canvas");
	private seen = document.createElement("div");
	private shown: Shown | null = null;
	private observer = new ResizeObserver(() => this.draw());
	private ending = new AbortController();

	constructor(private host: HTMLElement, private view: FlameView) {
		this.canvas.setAttribute("aria-hidden", "true");
		this.seen.className = "seen";
		host.append(this.canvas, this.seen);
		this.observer.observe(host);
		host.addEventListener("pointerdown", (event) => this.take(event), { signal: this.ending.signal });
	}

	// Takes the strip out of its element.
	end(): void {
		this.observer.disconnect();
		this.ending.abort();
		this.canvas.remove();
		this.seen.remove();
	}

	show(shown: Shown): void {
		this.shown = shown;
		this.draw();
	}

	draw(): void {
		const context = this.canvas.getContext("2d", { willReadFrequently: true });
		if (!this.shown || !context) return;
		const ratio = window.devicePixelRatio || 1;
		const width = this.host.clientWidth;
		const height = this.host.clientHeight;
		const { tree } = this.shown;
		const row = Math.min(4, height / tree.rows);
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		if (tree.total[0] && width && height)
			paint(context, {
				from: 0,
				to: tree.total[0],
				height,
				ratio,
				row: Math.ceil(row),
				gap: 0,
				y: (depth) => Math.round(this.view.inverted ? depth * row : height - (depth + 1) * row),
				labels: false,
			}, { ...this.shown, hits: this.view.hits, zoomed: 0 });
		this.mark();
	}

	// Shows where the view is.
	mark(): void {
		const { from, to, tree } = this.view;
		const whole = tree.total[0] || 1; // of the view's own tree: it may be on its way to what is shown here
		this.seen.hidden = from <= 0 && to >= whole;
		this.seen.style.left = `${(100 * from) / whole}%`;
		this.seen.style.width = `max(${(100 * (to - from)) / whole}%, 3px)`;
	}

	// A press inside the part takes hold of it, one beside it brings it there.
	private take(event: PointerEvent): void {
		const whole = this.shown?.tree.total[0];
		if (!whole) return;
		const bounds = this.host.getBoundingClientRect();
		const valueAt = (x: number) => ((x - bounds.left) / bounds.width) * whole;
		const span = this.view.to - this.view.from;
		const pressed = valueAt(event.clientX);
		const inside = pressed >= this.view.from && pressed <= this.view.to;
		const held = inside ? pressed - this.view.from : span / 2;
		const move = (at: PointerEvent) => {
			const from = valueAt(at.clientX) - held;
			this.view.setRange(from, from + span);
		};
		if (span >= whole) return;
		move(event);
		this.host.setPointerCapture(event.pointerId);
		this.host.addEventListener("pointermove", move);
		this.host.addEventListener("pointerup", () => this.host.removeEventListener("pointermove", move), { once: true });
	}
}
