// SPDX-License-Identifier: Apache-2.0
// Files of others that become runs: dropped on the page or chosen.

import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client";
import type { Run, Session } from "../api/core";

export const ACCEPTED = "perf.data, perf script text, folded stacks or pprof; also packed with gzip or zstd";

export async function importInto(session: number, file: File, progress: (part: number) => void): Promise<Run> {
	return api.upload<Run>(`/sessions/${session}/import`, { name: file.name }, file, progress);
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
