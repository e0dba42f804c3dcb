// SPDX-License-Identifier: Apache-2.0
// What the Flame and Time tabs get from the page around them.

export type Query = Record<string, string | number | undefined>;

export interface Api {
	json<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T>; // paths below /api/v1
	text(path: string, query?: Query, signal?: AbortSignal): Promise<string>;
}

export interface RunFacts {
	id: number;
	state: string;
	counted: boolean; // there are counters too
}

export interface TabProps {
	run: RunFacts;
	params: URLSearchParams; // what stands behind ? in the address
	setParams(changes: Record<string, string | null>): void; // null takes one out
	api: Api;
	subscribe(topics: string[], hear: (event: string, data: unknown) => void): () => void;
	link(tab: string, query: Record<string, string>): string; // of another tab of this run
}

// What the API says instead of an answer.
export interface Refusal {
	message: string;
	remedy?: string;
}

export function refusalOf(reason: unknown): Refusal {
	const { message, remedy } = reason as { message?: string; remedy?: string };
	return { message: message || String(reason), remedy: remedy ?? "" };
}
