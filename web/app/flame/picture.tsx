// SPDX-License-Identifier: Apache-2.0
// One flame graph of web/flame as a component. What is given is what is seen; the canvas is kept.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Subject } from "../../flame/card";
import { showCard } from "../../flame/card";
import { Minimap } from "../../flame/minimap";
import { FlameView, Shown } from "../../flame/view";

export interface PictureProps {
	shown: Shown;
	hits: Uint8Array | null;
	inverted: boolean;
	zoom: number; // a frame
	chosen: number; // a frame, or -1
	label: string;
	minimap?: boolean;
	still?: boolean; // another tree is another thing: nothing of it moves there
	way?: string; // how stacks are merged: in another way nothing is where it was
	subject: (frame: number) => Subject;
	onChoose: (frame: number) => void; // by a click
	onMenu?: (frame: number, x: number, y: number) => void; // a right click, or the key for it on the chosen frame
	onSeen?: (whole: boolean, from: number, to: number) => void;
	hold?: (view: FlameView | null) => void;
}

// The card is one for the whole page: only one frame can be pointed at.
function cardElement(): HTMLElement {
	const known = document.getElementById("flame-card");
	if (known) return known;
	const card = document.createElement("div");
	card.id = card.className = "flame-card";
	card.setAttribute("role", "tooltip");
	card.hidden = true;
	return document.body.appendChild(card);
}

interface Parts {
	view: FlameView;
	minimap: Minimap | null;
}

export function Picture(props: PictureProps) {
	const frames = useRef<HTMLDivElement>(null);
	const strip = useRef<HTMLDivElement>(null);
	const parts = useRef<Parts | null>(null);
	const now = useRef(props);
	now.current = props;

	useLayoutEffect(() => {
		const view = new FlameView(frames.current!);
		const minimap = strip.current ? new Minimap(strip.current, view) : null;
		const card = cardElement();
		parts.current = { view, minimap };
		view.onPoint = (frame, event) => {
			if (frame < 0 || event.pointerType === "touch") card.hidden = true;
			else showCard(card, now.current.subject(frame), event.clientX, event.clientY);
		};
		view.onClick = (frame) => now.current.onChoose(frame);
		view.onMenu = (frame, event) => {
			const { onMenu, chosen } = now.current;
			const at = frame < 0 ? chosen : frame;
			if (!onMenu || at < 0) return false;
			const bounds = frames.current!.getBoundingClientRect();
			const place = view.placeOf(at);
			if (frame < 0) onMenu(at, bounds.left + place.x + 8, bounds.top + place.y - frames.current!.scrollTop + 18);
			else onMenu(at, event.clientX, event.clientY);
			return true;
		};
		view.onDraw = () => {
			minimap?.mark();
			now.current.onSeen?.(view.from <= 0 && view.to >= (view.tree.total[0] || 1), view.from, view.to);
		};
		now.current.hold?.(view);
		return () => {
			now.current.hold?.(null);
			card.hidden = true;
			minimap?.end();
			view.end();
		};
	}, []);

	const { shown, hits, inverted, zoom, chosen } = props;
	const last = useRef<{ shown: Shown; inverted: boolean; way: string | undefined } | null>(null);
	useLayoutEffect(() => {
		const { view } = parts.current!;
		const fresh = !last.current || last.current.inverted !== inverted || last.current.way !== props.way || (now.current.still && last.current.shown !== shown);
		view.hits = hits;
		if (fresh) {
			view.inverted = inverted;
			view.show(shown);
		} else if (last.current!.shown !== shown) view.grow(shown);
		else view.draw();
		if (view.zoomed !== zoom) view.zoomTo(zoom, !fresh);
		if (view.chosen !== chosen) view.choose(chosen);
		if (!last.current) performance.mark("flame-drawn", { detail: shown.tree.length });
		last.current = { shown, inverted, way: props.way };
	}, [shown, hits, inverted, zoom, chosen]);

	// After the graph itself: it is what people wait for.
	useEffect(() => {
		const { minimap } = parts.current!;
		const timer = setTimeout(() => minimap?.show(shown));
		return () => clearTimeout(timer);
	}, [shown, hits, inverted]);

	return (
		<div class="flame-picture">
			{props.minimap && <div class="flame-minimap" ref={strip} title="The whole graph; drag to move" />}
			<div class="flame-frames" ref={frames} tabIndex={0} role="application" aria-roledescription="flame graph" aria-label={props.label} />
		</div>
	);
}

