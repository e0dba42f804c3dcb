// SPDX-License-Identifier: Apache-2.0
// Downloads: the browser asks for them by itself and can't show our proof, so each has a ticket, good for one time.

import { api } from "../api/client";
import type { Ticket } from "../api/schema";
import { toast } from "../widgets/toast";
import { asRefusal } from "./hooks";

async function download(path: string): Promise<void> {
	const { address } = await api.post<Ticket>("/tickets", { path });
	const link = document.createElement("a");
	link.href = address;
	link.download = "";
	document.body.append(link);
	link.click();
	link.remove();
}

// Every link to the API is one; also with the middle button, or with keys that would open a window.
export function followDownloads(): void {
	const follow = (event: MouseEvent) => {
		const link = (event.target as Element).closest?.("a");
		if (!link || link.origin !== location.origin || !link.pathname.startsWith("/api/") || event.button > 1) return;
		if (new URLSearchParams(link.search).has("ticket")) return;
		event.preventDefault();
		download(link.pathname + link.search).catch((reason) => toast(asRefusal(reason).message));
	};
	document.addEventListener("click", follow);
	document.addEventListener("auxclick", follow);
}
