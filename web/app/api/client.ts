// SPDX-License-Identifier: Apache-2.0
// Requests to the server. What it refuses comes as a Refusal, with words for people and what helps.

import { proof, withProof } from "./proof";

export type Query = Record<string, string | number | boolean | undefined | null>;

export class Refusal extends Error {
	constructor(
		readonly status: number, // 0: the server did not answer
		readonly code: string,
		message: string,
		readonly remedy: string,
	) {
		super(message);
	}
}

export function address(path: string, query: Query = {}): string {
	const words = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
	const text = new URLSearchParams(words.map(([name, value]) => [name, String(value)])).toString();
	return `/api/v1${path}${text && `?${text}`}`;
}

async function refusalOf(answer: Response): Promise<Refusal> {
	try {
		const { error } = (await answer.json()) as { error: { code: string; message: string; remedy?: string } };
		return new Refusal(answer.status, error.code, error.message, error.remedy ?? "");
	} catch {
		return new Refusal(answer.status, "unreadable", `The server answered ${answer.status} ${answer.statusText}`, "");
	}
}

// Called when the server no longer knows us.
let onSignedOut: (refusal: Refusal) => void = () => {};

export function whenSignedOut(call: (refusal: Refusal) => void): void {
	onSignedOut = call;
}

async function ask(path: string, query: Query | undefined, init: RequestInit): Promise<Response> {
	const shown = proof();
	let answer: Response;
	try {
		answer = await fetch(address(path, query), { credentials: "same-origin", ...init, headers: { ...init.headers, ...withProof(shown) } as Record<string, string> });
	} catch {
		init.signal?.throwIfAborted();
		throw new Refusal(0, "unreachable", "The server isn't responding", "It may be restarting; the page reconnects by itself.");
	}
	if (answer.ok) return answer;
	const refusal = await refusalOf(answer);
	init.signal?.throwIfAborted(); // what was left while it came says nothing
	if (answer.status !== 401 || path === "/sign-in") throw refusal;
	if (shown !== proof()) return ask(path, query, init); // somebody has signed in or out meanwhile, maybe in another tab
	onSignedOut(refusal);
	throw refusal;
}

async function send<T>(method: string, path: string, body?: unknown, query?: Query): Promise<T> {
	const init: RequestInit = { method };
	if (body !== undefined) {
		init.body = JSON.stringify(body);
		init.headers = { "Content-Type": "application/json" };
	}
	const answer = await ask(path, query, init);
	const text = await answer.text();
	return (text ? JSON.parse(text) : null) as T;
}

// A file as the body, with how much of it has been sent, from 0 to 1.
function upload<T>(path: string, query: Query, file: Blob, progress: (part: number) => void): Promise<T> {
	return new Promise((done, fail) => {
		const request = new XMLHttpRequest();
		request.open("POST", address(path, query));
		request.setRequestHeader("Content-Type", "application/octet-stream");
		for (const [name, value] of Object.entries(withProof(proof()))) request.setRequestHeader(name, value);
		request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
		request.onerror = () => fail(new Refusal(0, "unreachable", "The server isn't responding", "Try again once it is back."));
		request.onload = async () => {
			const ok = request.status >= 200 && request.status < 300;
			if (ok) done(JSON.parse(request.responseText) as T);
			else fail(await refusalOf(new Response(request.responseText, { status: request.status })));
		};
		request.send(file);
	});
}

export const api = {
	json: async <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
		(await (await ask(path, query, signal ? { signal } : {})).json()) as T,
	text: async (path: string, query?: Query, signal?: AbortSignal): Promise<string> =>
		(await ask(path, query, signal ? { signal } : {})).text(),
	post: <T>(path: string, body?: unknown, query?: Query) => send<T>("POST", path, body, query),
	patch: <T>(path: string, body: unknown) => send<T>("PATCH", path, body),
	remove: <T>(path: string) => send<T>("DELETE", path),
	upload,
};
