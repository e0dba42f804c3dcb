// SPDX-License-Identifier: Apache-2.0
// A column beside the run that can be folded to a rail, so that the run has the room. This browser remembers it.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

function useMatches(media: string): boolean {
	const [matches, setMatches] = useState(() => matchMedia(media).matches);
	useEffect(() => {
		const query = matchMedia(media);
		const update = () => setMatches(query.matches);
		query.addEventListener("change", update);
		return () => query.removeEventListener("change", update);
	}, [media]);
	return matches;
}

// Whether a column is open: as it was left, else where there is room by the media query.
export function useOpen(name: string, room: string): [boolean, (open: boolean) => void] {
	const key = `bench.${name}`;
	const [kept, setKept] = useState(() => localStorage.getItem(key));
	const usual = useMatches(room);
	const set = (open: boolean) => {
		localStorage.setItem(key, open ? "open" : "folded");
		setKept(open ? "open" : "folded");
	};
	return [kept ? kept === "open" : usual, set];
}

interface ColumnProps {
	title: string;
	open: boolean;
	onOpen?: ((open: boolean) => void) | undefined; // undefined: it stays open
	children: ComponentChildren;
}

export function Column({ title, open, onOpen, children }: ColumnProps) {
	if (!open && onOpen)
		return (
			<aside class="column folded" aria-label={title}>
				<button type="button" class="rail" aria-expanded="false" title={`Show: ${title}`} onClick={() => onOpen(true)}><span>{title}</span></button>
			</aside>
		);
	return (
		<aside class="column" aria-label={title}>
			<div class="column-head">
				<h2>{title}</h2>
				{onOpen && <button type="button" class="quiet" aria-expanded="true" aria-label={`Fold away: ${title}`} title="Fold this column to give the run more room" onClick={() => onOpen(false)}>Fold</button>}
			</div>
			{children}
		</aside>
	);
}
