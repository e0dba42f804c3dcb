// SPDX-License-Identifier: Apache-2.0
// A button that opens a list of links or actions: arrow keys, Esc, and a click elsewhere close it.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface MenuItem {
	label: string;
	hint?: string;
	href?: string; // a download or a link
	download?: boolean;
	onClick?: () => void;
	danger?: boolean;
	chosen?: boolean; // one of several, of which one holds
	off?: boolean; // it can't be done now
	key?: string; // that does the same
}

// Arrow keys, Esc and Tab within a list that is open.
function listKeys(event: KeyboardEvent, box: HTMLElement, close: (back: boolean) => void): void {
	const all = [...box.querySelectorAll<HTMLElement>("[role^=menuitem]")];
	const at = all.indexOf(document.activeElement as HTMLElement);
	const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
	if (event.key === "Escape") close(true);
	else if (event.key === "Tab") close(false);
	else if (to !== undefined) all[(to + all.length) % all.length]?.focus();
	else return;
	event.stopPropagation();
	if (event.key !== "Tab") event.preventDefault();
}

function useAway(open: boolean, box: { current: HTMLElement | null }, close: () => void): void {
	useEffect(() => {
		if (!open) return undefined;
		box.current?.querySelector<HTMLElement>("[role^=menuitem]")?.focus();
		const away = (event: Event) => !box.current?.contains(event.target as Node) && close();
		document.addEventListener("pointerdown", away);
		return () => document.removeEventListener("pointerdown", away);
	}, [open]);
}

export function Menu({ label, title, items, class: name }: { label: ComponentChildren; title: string; items: MenuItem[]; class?: string }) {
	const [open, setOpen] = useState(false);
	const box = useRef<HTMLDivElement>(null);
	const close = (back = true) => {
		setOpen(false);
		if (back) box.current?.querySelector("button")?.focus();
	};
	useAway(open, box, () => setOpen(false));
	return (
		<div class={`menu ${name ?? ""}`} ref={box} onKeyDown={(event) => open && listKeys(event, box.current!, close)}>
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

interface PopupProps {
	title: string;
	items: MenuItem[];
	x: number; // in the window
	y: number;
	onClose: () => void;
}

// The same list where the pointer is: what a right click opens. Focus goes back to where it was.
export function Popup({ title, items, x, y, onClose }: PopupProps) {
	const box = useRef<HTMLDivElement>(null);
	const before = useRef(document.activeElement as HTMLElement | null);
	const close = (back = true) => {
		onClose();
		if (back) before.current?.focus();
	};
	useAway(true, box, onClose);
	useLayoutEffect(() => {
		box.current!.showPopover(); // above everything, whatever it stands in
		const { width, height } = box.current!.getBoundingClientRect();
		box.current!.style.transform = `translate(${Math.max(4, Math.min(x, innerWidth - width - 8))}px, ${Math.max(4, Math.min(y, innerHeight - height - 8))}px)`;
	}, [x, y]);
	return (
		<div role="menu" aria-label={title} class="menu-list popup" popover="manual" ref={box} onKeyDown={(event) => listKeys(event, box.current!, close)} onContextMenu={(event) => event.preventDefault()}>
			{items.map((item) => <Entry item={item} close={close} key={item.label} />)}
		</div>
	);
}

function Entry({ item, close }: { item: MenuItem; close: (back?: boolean) => void }) {
	const inside = (
		<>
			<span>{item.label}</span>
			{item.hint && <small>{item.hint}</small>}
			{item.key && <kbd>{item.key}</kbd>}
		</>
	);
	const name = item.danger ? "danger" : undefined;
	if (item.href)
		return (
			<a role="menuitem" class={name} href={item.href} download={item.download ? "" : undefined} onClick={() => setTimeout(() => close())}>
				{inside}
			</a>
		);
	return (
		<button type="button" role={item.chosen === undefined ? "menuitem" : "menuitemradio"} aria-checked={item.chosen} class={name} disabled={item.off} onClick={() => (close(), item.onClick?.())}>
			{inside}
		</button>
	);
}
