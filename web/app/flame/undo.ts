// SPDX-License-Identifier: Apache-2.0
// Changes that can be taken back: of what samples a graph is made, and of the graph; not of its marks.

import { useRef, useState } from "preact/hooks";
import type { FlameState } from "./state";

const MOST = 100;

export interface History {
	can: boolean;
	change: (changes: Partial<FlameState>) => void;
	undo: () => void;
}

function kept({ event, who, from, to, changes, zoom, inverted, sandwich, search }: FlameState, next: Partial<FlameState>): Partial<FlameState> {
	return { event, who, from, to, changes, zoom, inverted, sandwich, ...("search" in next ? { search } : {}) };
}

function isSame(state: FlameState, next: Partial<FlameState>): boolean {
	return (Object.keys(next) as (keyof FlameState)[]).every((name) => state[name] === next[name]);
}

export function useHistory(state: FlameState, change: (changes: Partial<FlameState>) => void): History {
	const past = useRef<Partial<FlameState>[]>([]);
	const [can, setCan] = useState(false);
	return {
		can,
		change: (next) => {
			if (isSame(state, next)) return;
			past.current = [...past.current.slice(1 - MOST), kept(state, next)];
			setCan(true);
			change(next);
		},
		undo: () => {
			const before = past.current.pop();
			setCan(past.current.length > 0);
			if (before) change(before);
		},
	};
}
