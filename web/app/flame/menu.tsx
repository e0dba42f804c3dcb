// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame or a function, where it was clicked at.

import { type MenuItem, Popup } from "../widgets/menu";
import type { Named } from "./state";

// What whoever shows functions can do with one.
export interface FunctionActions {
	zoom?: (() => void) | undefined;
	change: (what: Named) => void;
	around: (() => void) | undefined; // its callers and callees
	mark?: (() => void) | undefined;
	find: () => void;
	copy: () => void;
	others: MenuItem[]; // where else it can be seen
}

// Of a row of a table: keys are for what is chosen in a graph.
export function rowItems(actions: FunctionActions): MenuItem[] {
	return functionItems(actions, false).map(({ key: _key, ...item }) => item);
}

// `group`: a program or a thread, of which there is only to focus on.
export function functionItems(actions: FunctionActions, group: boolean): MenuItem[] {
	const { zoom, change, around, mark, find, copy, others } = actions;
	return [
		...(zoom ? [{ label: "Zoom to it", key: "Enter", onClick: zoom }] : []),
		{ label: "Focus: only stacks from it on", key: "F", onClick: () => change("focus") },
		...(group ? [] : [
			{ label: "Only stacks that contain it", key: "O", onClick: () => change("only") },
			{ label: "Remove stacks that contain it", key: "X", onClick: () => change("without") },
			{ label: "Hide: its callees move up", key: "H", onClick: () => change("hide") },
			...(around ? [{ label: "Callers and callees", key: "S", onClick: around }] : []),
		]),
		...(mark ? [{ label: "Highlight", key: "M", onClick: mark }] : []),
		{ label: "Search for it", onClick: find },
		{ label: "Copy its name", key: "C", onClick: copy },
		...(group ? [] : others),
	];
}

// Where a row is clicked at with the right button, or asked by a key: the function of the row, and the place. What has
// no name has no menu.
export function rowMenu(event: MouseEvent, open: (place: MenuPlace) => void): void {
	const row = (event.target as Element).closest<HTMLElement>("[data-function]:not([data-nameless])");
	const name = row?.dataset["function"];
	if (!row || !name) return;
	event.preventDefault();
	const bounds = row.getBoundingClientRect();
	open({ name, x: event.clientX || bounds.left + 200, y: event.clientY || bounds.bottom });
}

export interface MenuPlace {
	name: string;
	x: number;
	y: number;
}

export function FunctionMenu({ place, items, onClose }: { place: MenuPlace; items: MenuItem[]; onClose: () => void }) {
	return <Popup title={place.name} items={items} x={place.x} y={place.y} onClose={onClose} />;
}
