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

const HINT = "Wider frames took more. Click or tap a frame to zoom, hover for its numbers; / to search, ? for keys.";

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
				<button type="button" disabled={root} title="Show only stacks through this function, from it on (F)" onClick={actions.focus}>Focus</button>
				<button type="button" disabled={group} title="Remove this function; its callees move up (H)" onClick={actions.hide}>Hide</button>
				<button type="button" disabled={group} title="Show only stacks that contain this function (O)" onClick={() => actions.change("only")}>Only with it</button>
				<button type="button" disabled={root} title="Highlight all its frames (M)" onClick={actions.mark}>Highlight</button>
				<button type="button" disabled={group} title="Show its callers above and its callees below (S)" onClick={actions.sandwich}>Callers and callees</button>
				<Copy name={name} />
				{source}
			</div>
		</div>
	);
}
