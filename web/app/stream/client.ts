// SPDX-License-Identifier: Apache-2.0
// What a tab hears of the server: subscribe(["run:7"], (event, data) => …) until the returned call.

import { proof, watchProof } from "../api/proof";
import { Stream, type Heard, type Status } from "./core";
import type { FromTab, ToTab } from "./worker";

type Hear = (event: string, data: unknown) => void;
interface Subscription {
	topics: string[];
	hear: Hear;
}

const subscriptions = new Set<Subscription>();
const watchers = new Set<(status: Status) => void>();
let status: Status = "closed";
type Want = (topics: string[], fresh: string[]) => void;
let want: Want | null = null;
let queued: Set<string> | null = null; // topics with a new listener

function heard({ event, data }: Heard): void {
	for (const one of [...subscriptions]) if (one.topics.includes(data.topic ?? "")) one.hear(event, data);
}

function setStatus(now: Status): void {
	if (now === status) return;
	status = now;
	for (const watch of watchers) watch(now);
}

function shared(): Want {
	const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module", name: "perfolio" });
	const lock = `perfolio-tab-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
	worker.port.onmessage = ({ data }: MessageEvent<ToTab>) => ("heard" in data ? heard(data.heard) : setStatus(data.status));
	const show = () => worker.port.postMessage({ proof: proof() } satisfies FromTab);
	let held: Promise<void> | null = null;
	show();
	watchProof(show);
	return (topics, fresh) => {
		// Asked for only once it is held: else the worker would get it, and take the tab for closed.
		held ??= new Promise((have) => void navigator.locks.request(lock, () => (have(), new Promise(() => {}))));
		void held.then(() => worker.port.postMessage({ want: topics, fresh, lock } satisfies FromTab));
	};
}

function alone(): Want {
	const stream = new Stream();
	const show = () => stream.showProof(proof());
	stream.onStatus = setStatus;
	show();
	watchProof(show);
	return (topics, fresh) => stream.listen(heard, topics, fresh);
}

function start(): Want {
	return "SharedWorker" in globalThis && navigator.locks ? shared() : alone();
}

// Several of one moment are one message.
function update(fresh: string[]): void {
	if (queued) return fresh.forEach((topic) => queued!.add(topic));
	queued = new Set(fresh);
	queueMicrotask(() => {
		const begun = queued!;
		queued = null;
		const topics = new Set<string>();
		for (const one of subscriptions) for (const topic of one.topics) topics.add(topic);
		want ??= start();
		want([...topics], [...begun]);
	});
}

export function subscribe(topics: string[], hear: Hear): () => void {
	const one = { topics, hear };
	subscriptions.add(one);
	update(topics);
	return () => {
		subscriptions.delete(one);
		update([]);
	};
}

export function watchStatus(watch: (status: Status) => void): () => void {
	watchers.add(watch);
	watch(status);
	return () => void watchers.delete(watch);
}
