// SPDX-License-Identifier: Apache-2.0
// Choose a file or drop it on the page.
import { useCallback, useRef, useState } from "preact/hooks";
import type { Run } from "../api/core";
import { go } from "../model/address";
import { ACCEPTED, useDrop } from "../model/files";
import { useAction } from "../model/hooks";
import { Trouble } from "./trouble";

export function Import({ send }: { send: (file: File, progress: (part: number) => void) => Promise<Run> }) {
	const [part, setPart] = useState(0);
	const input = useRef<HTMLInputElement>(null);
	const action = useAction(async (file: File) => {
		setPart(0);
		const run = await send(file, setPart);
		go(`/r/${run.id}`);
	});
	const take = useCallback((file: File) => void action.run(file), [send]);
	const over = useDrop(take);
	return (
		<>
			<button type="button" disabled={action.busy} title={ACCEPTED} onClick={() => input.current!.click()}>
				{action.busy ? `Sending ${Math.round(part * 100)} %` : "Import a file"}
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
			<Trouble refusal={action.refusal} />
		</>
	);
}
