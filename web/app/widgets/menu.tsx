// SPDX-License-Identifier: Apache-2.0
// A button that opens a list of links or actions: arrow keys, Esc, and a click elsewhere close it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface MenuItem {
	label: string;
	hint?: string;
	href?: string; // a download or a link
	download?: boolean;
	onClick?: () => void;
	danger?: boolean;
}

export function Menu({ label, title, items, class: name }: { label: ComponentChildren; title: string; items: MenuItem[]; class?: string }) {
	const [open, setOpen] = useState(false);
	const box = useRef<HTMLDivElement>(null);
	const entries = () => [...box.current!.querySelectorAll<HTMLElement>("[role=menuitem]")];
	useEffect(() => {
		if (!open) return undefined;
		entries()[0]?.focus();
		const away = (event: Event) => !box.current?.contains(event.target as Node) && setOpen(false);
		document.addEventListener("pointerdown", away);
		return () => document.removeEventListener("pointerdown", away);
	}, [open]);
	const close = () => {
		setOpen(false);
		box.current?.querySelector("button")?.focus();
	};
	const onKey = (event: KeyboardEvent) => {
		if (!open) return;
		const all = entries();
		const at = all.indexOf(document.activeElement as HTMLElement);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
		if (event.key === "Escape") close();
		else if (event.key === "Tab") setOpen(false);
		else if (to !== undefined) all[(to + all.length) % all.length]?.focus();
		else return;
		event.stopPropagation();
		if (event.key !== "Tab") event.preventDefault();
	};
	return (
		<div class={`menu ${name ?? ""}`} ref={box} onKeyDown={onKey}>
			<button type="button" aria-haspopup="menu" aria-expanded={open} title={title} aria-label={title} onClick={() => setOpen(!open)}>
				{label}
			</button>
			{open && (
				<div role="menu" aria-label={title} class="menu-list">
					{items.map((item) => (
						<Entry item={item} close={close} key={item.label} />
					))}
				</div>
			)}
		</div>
	);
}

function Entry({ item, close }: { item: MenuItem; close: () => void }) {
	const inside = (
		<>
			<span>{item.label}</span>
			{item.hint && <small>{item.hint}</small>}
		</>
	);
	const name = item.danger ? "danger" : undefined;
	if (item.href)
		return (
			<a role="menuitem" class={name} href={item.href} download={item.download ? "" : undefined} onClick={() => setTimeout(close)}>
				{inside}
			</a>
		);
	return (
		<button type="button" role="menuitem" class={name} onClick={() => (close(), item.onClick?.())}>
			{inside}
		</button>
	);
}
