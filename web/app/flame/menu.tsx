// SPDX-License-Identifier: Apache-2.0
// What can be done with a frame or a function, where it was clicked at.

import { type MenuItem, Popup } from "../widgets/menu";
import type { Named } from "./state";

// What whoever shows functions can do with one.
export interface FunctionActions {
	zoom?: (() => void) | undefined;
	change: (what: Named) => void;
	around: (() => void) | undefined; // its callers and callees
	mark: () => void;
	find: () => void;
	copy: () => void;
	others: MenuItem[]; // where else it can be seen
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
		{ label: "Highlight", key: "M", onClick: mark },
		{ label: "Search for it", onClick: find },
		{ label: "Copy its name", key: "C", onClick: copy },
		...(group ? [] : others),
	];
}

export interface MenuPlace {
	name: string;
	x: number;
	y: number;
}

export function FunctionMenu({ place, items, onClose }: { place: MenuPlace; items: MenuItem[]; onClose: () => void }) {
	return <Popup title={place.name} items={items} x={place.x} y={place.y} onClose={onClose} />;
}
