// SPDX-License-Identifier: Apache-2.0
// What stands above the plots of a run, and the range of time that they share with the address.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Segments } from "../bench/fields";
import { setParams, usePlace } from "../model/address";
import { moment, seconds } from "../model/format";
import { type Range, View } from "./view";

export type Drag = "zoom" | "pan";

// A view whose range is in the address, in nanoseconds as the API has them. `rested` is where the hand has left it.
export function useView(start: string | undefined): { view: View; rested: Range | null } {
	const { params } = usePlace();
	const view = useMemo(() => new View(), []);
	const [from, to] = [params.get("from"), params.get("to")];
	const rested = useMemo<Range | null>(() => (start && from && to ? [seconds(from, start), seconds(to, start)] : null), [start, from, to]);
	const mine = useRef("");
	// The address follows when the hand rests: browsers limit how often it may change.
	view.onRest = (range) => {
		const ns = (value: number) => String(BigInt(start!) + BigInt(Math.round(value * 1e9)));
		const words = range && start ? { from: ns(range[0]), to: ns(range[1]) } : { from: null, to: null };
		mine.current = `${words.from} ${words.to}`;
		setParams(words);
	};
	useEffect(() => {
		if (start && mine.current !== `${from} ${to}`) view.put(rested);
	}, [start, from, to]);
	useEffect(() => () => view.stop(), []);
	return { view, rested };
}

const LATEST = 30; // seconds

interface ToolsProps {
	view: View;
	zoomed: boolean;
	drag: Drag;
	onDrag: (drag: Drag) => void;
	live?: boolean;
	chooser: ComponentChildren; // at the left
	children?: ComponentChildren; // at the right
}

export function Tools({ view, zoomed, drag, onDrag, live, chooser, children }: ToolsProps) {
	return (
		<div class="row tools">
			{chooser}
			<Segments label="What dragging does" value={drag} options={[["zoom", "Zoom", "Drag over a range to zoom in; hold Shift to pan"], ["pan", "Pan", "Drag to pan the plots"]]} onChange={onDrag} />
			<button type="button" disabled={!zoomed} onClick={() => view.set(null, true)} title="Also: double-click, Esc or 0">Whole run</button>
			{live && <button type="button" onClick={() => view.set([view.whole[1] - LATEST, view.whole[1]], true)} title="Follow the end of the run">Last {LATEST} s</button>}
			<RangeWords view={view} />
			<span class="grow" />
			{children}
			<FullScreen />
		</div>
	);
}

export function FullScreen() {
	const { params } = usePlace();
	const full = params.get("full") === "1";
	return <button type="button" onClick={() => setParams({ full: full ? null : "1" })} title={full ? "Back to the run" : "Show only the plot; you can share the address"}>{full ? "Back" : "Full screen"}</button>;
}

// Written straight into the page: it changes with every frame that is panned.
function RangeWords({ view }: { view: View }) {
	const words = useRef<HTMLSpanElement>(null);
	const write = () => {
		const [from, to] = view.range;
		const text = `${moment(from, to - from)} to ${moment(to, to - from)}`;
		if (words.current && words.current.textContent !== text) words.current.textContent = text;
	};
	useEffect(() => {
		write();
		return view.watch(write);
	}, [view]);
	return <span class="dim range-words" ref={words} />;
}

export function useDrag(): [Drag, (drag: Drag) => void] {
	return useState<Drag>("zoom");
}
