// SPDX-License-Identifier: Apache-2.0
// The pieces of the form.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export function Field({ label, hint, children }: { label: string; hint?: string; children: ComponentChildren }) {
	return (
		<label class="field">
			<span>{label}{hint && <small class="dim"> {hint}</small>}</span>
			{children}
		</label>
	);
}

interface FoldProps {
	summary: ComponentChildren;
	open?: boolean;
	set?: boolean; // something inside is not as it was at first
	children: ComponentChildren;
}

// A part that most runs need nothing of: its summary says what is set in it. What is inside is made when something is
// set or it is first opened, by `open` or by the user, who alone closes it.
export function Fold({ summary, open = false, set = false, children }: FoldProps) {
	const box = useRef<HTMLDetailsElement>(null);
	const [opened, setOpened] = useState(open);
	useEffect(() => {
		if (open) box.current!.open = true;
	}, [open]);
	return (
		<details class="fold" ref={box} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
			<summary>{summary}</summary>
			{(opened || set) && children}
		</details>
	);
}

interface SegmentProps<T extends string> {
	label: string;
	value: T;
	options: [T, string, string?][]; // value, word, what it means
	onChange: (value: T) => void;
}

// One of a few, as a row of buttons; arrow keys move, as among radio buttons.
export function Segments<T extends string>({ label, value, options, onChange }: SegmentProps<T>) {
	const onKey = (event: KeyboardEvent) => {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
		if (!step) return;
		event.preventDefault();
		const at = (options.findIndex(([one]) => one === value) + step + options.length) % options.length;
		onChange(options[at]![0]);
		(event.currentTarget as HTMLElement).querySelectorAll("button")[at]?.focus();
	};
	return (
		<div class="segments" role="radiogroup" aria-label={label} onKeyDown={onKey}>
			{options.map(([one, word, meaning]) => (
				<button type="button" role="radio" aria-checked={one === value} tabIndex={one === value ? 0 : -1} title={meaning} onClick={() => onChange(one)} key={one}>
					{word}
				</button>
			))}
		</div>
	);
}
