// SPDX-License-Identifier: Apache-2.0
// Keys of the whole page. A view marks its search field with data-search.

import { go } from "./address";

function typing(target: EventTarget | null): boolean {
	const element = target as HTMLElement | null;
	return !!element?.closest?.("input, textarea, select, [contenteditable]");
}

export function listenToKeys(help: () => void): () => void {
	let first = "";
	const onKey = (event: KeyboardEvent) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
		const search = document.querySelector<HTMLInputElement>("[data-search]");
		const tab = /^[1-9]$/.test(event.key) ? document.querySelectorAll<HTMLElement>("[role=tablist] [role=tab]")[Number(event.key) - 1] : undefined;
		if (event.key === "/" && search) search.focus();
		else if (event.key === "?") help();
		else if (first === "g" && event.key === "s") go("/");
		else if (first === "g" && event.key === "m") go("/hosts");
		else if (tab) tab.click();
		else {
			first = event.key;
			return;
		}
		first = "";
		event.preventDefault();
	};
	document.addEventListener("keydown", onKey);
	return () => document.removeEventListener("keydown", onKey);
}
