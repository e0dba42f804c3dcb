// SPDX-License-Identifier: Apache-2.0
// Files of others that become runs: dropped on the page or chosen.

import { useEffect, useState } from "preact/hooks";
import { api, Refusal } from "../api/client";
import { OVER, type Run, type Session } from "../api/core";

export const ACCEPTED = "perf.data, perf script text, folded stacks or pprof; also packed with gzip or zstd";

const PAUSE_MS = 250;

// The run once its file is read. A server that restarts reads it then.
async function whenRead(id: number): Promise<Run> {
	for (;;) {
		const run = await api.json<Run>(`/runs/${id}`).catch((reason) => {
			if (reason instanceof Refusal && reason.status === 0) return null;
			throw reason;
		});
		if (run && OVER.includes(run.state)) return run;
		await new Promise((done) => setTimeout(done, PAUSE_MS));
	}
}

// What begins like a profile and can't be read is known when all of it was sent: it leaves no run behind.
export async function importInto(session: number, file: File, progress: (part: number) => void): Promise<Run> {
	const sent = await api.upload<Run>(`/sessions/${session}/import`, { name: file.name }, file, progress);
	progress(1);
	const run = await whenRead(sent.id);
	if (run.state === "done") return run;
	await api.remove(`/runs/${run.id}`).catch(() => {});
	throw new Refusal(400, "unreadable", `${file.name} can't be read: ${run.reason.replace(/^its data can't be read: /, "")}.`, "");
}

export async function importAlone(file: File, progress: (part: number) => void): Promise<Run> {
	const session = await api.post<Session>("/sessions", { title: file.name });
	try {
		return await importInto(session.id, file, progress);
	} catch (reason) {
		await api.remove(`/sessions/${session.id}`).catch(() => {});
		throw reason;
	}
}

// True while something is dragged over the window.
export function useDrop(onFile: (file: File) => void): boolean {
	const [over, setOver] = useState(false);
	useEffect(() => {
		let depth = 0;
		const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files");
		const enter = (event: DragEvent) => files(event) && (depth++, setOver(true));
		const leave = (event: DragEvent) => files(event) && --depth <= 0 && setOver(false);
		const hover = (event: DragEvent) => files(event) && event.preventDefault();
		const drop = (event: DragEvent) => {
			if (!files(event)) return;
			event.preventDefault();
			depth = 0;
			setOver(false);
			const file = event.dataTransfer?.files[0];
			if (file) onFile(file);
		};
		addEventListener("dragenter", enter);
		addEventListener("dragleave", leave);
		addEventListener("dragover", hover);
		addEventListener("drop", drop);
		return () => {
			removeEventListener("dragenter", enter);
			removeEventListener("dragleave", leave);
			removeEventListener("dragover", hover);
			removeEventListener("drop", drop);
		};
	}, [onFile]);
	return over;
}
