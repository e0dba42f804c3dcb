// SPDX-License-Identifier: Apache-2.0
// A run on a page of its own: /r/ID/TAB.
import { go, usePlace } from "../model/address";
import { RunPanel } from "./run_panel";

// What holds in every tab: the event, the range and the thread that are looked at.
const SHARED = ["event", "from", "to", "who"];

export function RunView({ id }: { id: number }) {
	const { words, params } = usePlace();
	const kept = new URLSearchParams(SHARED.flatMap((name) => (params.has(name) ? [[name, params.get(name)!]] : [])));
	const open = (tab: string) => go(`/r/${id}/${tab}${kept.size ? `?${kept}` : ""}`);
	return (
		<main class={`run${params.get("full") === "1" ? " full" : ""}`} tabIndex={-1}>
			<RunPanel id={id} tab={words[2] ?? ""} onTab={open} />
		</main>
	);
}
