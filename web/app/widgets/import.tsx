// SPDX-License-Identifier: Apache-2.0
// Choose a file or drop it on the page.
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Run } from "../api/core";
import { go } from "../model/address";
import { ACCEPTED, useDrop } from "../model/files";
import { asRefusal, useAction } from "../model/hooks";
import { toast } from "./toast";
import { Trouble } from "./trouble";

interface Props {
	send: (file: File, progress: (part: number) => void) => Promise<Run>;
	onRefused?: (trouble: ComponentChildren) => void; // where there is room for it; else it is said beside the button
}

export function Import({ send, onRefused }: Props) {
	const [part, setPart] = useState(0);
	const input = useRef<HTMLInputElement>(null);
	const here = useRef(true); // whoever has gone on to another view stays there
	useEffect(() => () => void (here.current = false), []);
	const action = useAction(async (file: File) => {
		setPart(0);
		try {
			const run = await send(file, setPart);
			if (here.current) go(`/r/${run.id}`);
			else toast(`Imported: ${file.name}`);
		} catch (reason) {
			if (!here.current) toast(asRefusal(reason).message); // nobody sees what is said beside the button
			throw reason;
		}
	});
	const take = useCallback((file: File) => void action.run(file), [send]);
	const over = useDrop(take);
	const trouble = <Trouble refusal={action.refusal} onClose={action.clear} />;
	useEffect(() => onRefused?.(action.refusal && trouble), [action.refusal]);
	return (
		<>
			<button type="button" disabled={action.busy} title={ACCEPTED} onClick={() => input.current!.click()}>
				{!action.busy ? "Import a file" : part < 1 ? `Uploading ${Math.round(part * 100)} %` : "Reading…"}
			</button>
			<input
				ref={input} type="file" hidden aria-label="File to import" data-import
				onChange={(event) => {
					const file = event.currentTarget.files?.[0];
					event.currentTarget.value = "";
					if (file) take(file);
				}}
			/>
			{over && <div class="dropzone" aria-hidden="true"><p>Drop it here</p><p class="dim">{ACCEPTED}</p></div>}
			{!onRefused && trouble}
		</>
	);
}
