// SPDX-License-Identifier: Apache-2.0
// A line to copy. Without a secure context there is no clipboard: then the text is selected.
import { useRef, useState } from "preact/hooks";

// quiet: what is around it says what the line is.
export function CopyLine({ text, label, quiet }: { text: string; label: string; quiet?: boolean }) {
	const code = useRef<HTMLElement>(null);
	const [copied, setCopied] = useState(false);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(text);
			setCopied(true);
			setTimeout(() => setCopied(false), 1500);
		} catch {
			getSelection()?.selectAllChildren(code.current!);
		}
	};
	return (
		<div class="copyline">
			{!quiet && <span class="dim">{label}</span>}
			<code ref={code} tabIndex={0} aria-label={`${label} command line`}>{text}</code>
			<button type="button" onClick={() => void copy()} aria-label={`Copy the ${label} command line`}>
				{copied ? "Copied" : "Copy"}
			</button>
		</div>
	);
}
