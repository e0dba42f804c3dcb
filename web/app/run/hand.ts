// SPDX-License-Identifier: Apache-2.0
// Wheel, mouse and fingers on a plot. The box of a zoom is uPlot's own.
import type uPlot from "uplot";
import { type Range, type View, zoomRange } from "./view";

const STEP = 1.25; // of one click of the wheel

export function wheel(plot: uPlot, view: View): void {
	plot.over.addEventListener("wheel", (event) => {
		// There is nothing to zoom out to: the page scrolls.
		if (view.isWhole && event.deltaY > 0 && !event.shiftKey && !event.ctrlKey) return;
		event.preventDefault();
		if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return view.panBy((event.deltaX || event.deltaY) / plot.over.clientWidth);
		const clicks = Math.min(3, Math.max(-3, event.deltaMode ? event.deltaY / 3 : event.deltaY / 100));
		view.zoom(plot.posToVal(event.offsetX, "x"), STEP ** clicks);
	}, { passive: false });
	plot.over.addEventListener("dblclick", () => view.set(null, true));
}

// One pointer takes the plot with it; with two the moments below them stay there.
class Drag {
	private readonly pointers = new Map<number, { from: number; now: number }>();
	private range: Range = [0, 1];

	constructor(private readonly plot: uPlot, private readonly view: View) {}

	get active(): boolean {
		return this.pointers.size > 0;
	}

	down(id: number, at: number): void {
		this.pointers.set(id, { from: at, now: at });
		this.restart();
		this.view.dragging = true;
	}

	move(id: number, at: number): void {
		const pointer = this.pointers.get(id);
		if (!pointer) return;
		pointer.now = at;
		const width = this.plot.over.clientWidth;
		const perPixel = (this.range[1] - this.range[0]) / width;
		const [one, two] = [...this.pointers.values()];
		if (!two) {
			// By whole pixels of the screen: what was drawn can be kept.
			const ratio = devicePixelRatio || 1;
			const by = (Math.round((one!.from - one!.now) * ratio) / ratio) * perPixel;
			return this.view.set([this.range[0] + by, this.range[1] + by]);
		}
		const factor = Math.abs(one!.from - two.from) / Math.max(8, Math.abs(one!.now - two.now));
		const middle = (one!.from + two.from) / 2 - this.plot.over.getBoundingClientRect().left;
		this.view.set(zoomRange(this.range, this.range[0] + middle * perPixel, factor));
	}

	up(id: number): void {
		this.pointers.delete(id);
		this.restart();
		if (this.active) return;
		this.view.dragging = false;
		this.view.draw();
	}

	private restart(): void {
		this.range = [...this.view.range];
		for (const pointer of this.pointers.values()) pointer.from = pointer.now;
	}
}

// Fingers always pan; a mouse does where that was chosen, and with Shift.
export function dragging(plot: uPlot, view: View, pans: () => boolean): void {
	const drag = new Drag(plot, view);
	const move = (event: PointerEvent) => drag.move(event.pointerId, event.clientX);
	const up = (event: PointerEvent) => {
		drag.up(event.pointerId);
		if (drag.active) return;
		removeEventListener("pointermove", move);
		removeEventListener("pointerup", up);
		removeEventListener("pointercancel", up);
	};
	const down = (event: PointerEvent) => {
		const wanted = event.pointerType === "touch" || pans() || event.shiftKey;
		plot.cursor.drag!.x = !wanted;
		if (!wanted || event.button) return;
		if (!drag.active) {
			addEventListener("pointermove", move);
			addEventListener("pointerup", up);
			addEventListener("pointercancel", up);
		}
		drag.down(event.pointerId, event.clientX);
	};
	plot.over.addEventListener("pointerdown", down);
}
