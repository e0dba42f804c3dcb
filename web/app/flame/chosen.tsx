// SPDX-License-Identifier: Apache-2.0
// The frame that is chosen, and what can be done with its function.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Actions } from "./actions";

interface ChosenProps {
	name: string; // "": none
	facts: string;
	root: boolean;
	group: boolean;
	source: ComponentChildren;
	actions: Actions;
}

const HINT = "The wider a frame, the more it took. Click or tap one to zoom, hover for its figures; / searches, ? shows the keys.";

function Copy({ name }: { name: string }) {
	const [said, setSaid] = useState("");
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(name);
			setSaid("Copied");
		} catch {
			setSaid("Not allowed");
		}
		setTimeout(() => setSaid(""), 1200);
	};
	return <button type="button" title="Copy its name (C)" onClick={() => void copy()}>{said || "Copy name"}</button>;
}

export function Chosen({ name, facts, root, group, source, actions }: ChosenProps) {
	if (!name) return <div class="flame-chosen"><p class="flame-dim">{HINT}</p></div>;
	return (
		<div class="flame-chosen">
			<p role="status" title={`${name}: ${facts}`}><b class="flame-name">{name}</b> <span class="flame-dim">{facts}</span></p>
			<div>
				<button type="button" disabled={root} title="Only stacks from this function on (F)" onClick={actions.focus}>Focus</button>
				<button type="button" disabled={group} title="Leave this function out; what it calls moves up (H)" onClick={actions.hide}>Hide</button>
				<button type="button" disabled={root} title="Show all its frames (M)" onClick={actions.mark}>Highlight</button>
				<button type="button" disabled={group} title="Its callers above, its callees below (S)" onClick={actions.sandwich}>Callers and callees</button>
				<Copy name={name} />
				{source}
			</div>
		</div>
	);
}
