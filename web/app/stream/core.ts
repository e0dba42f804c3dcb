// SPDX-License-Identifier: Apache-2.0
// One event stream for any number of listeners.
//
// Topics come and go with whoever listens; the stream follows their union. A topic that others follow
// already is begun anew on the server, so that a newcomer gets its state too: every listener must take a
// snapshot at any time. After a break each topic goes on from the last event that was seen of it.
//
// Lives in a SharedWorker, one for all tabs of a browser, or in the page where there is none.

import { withProof } from "../api/proof";
import { readEvents } from "./events";

export interface Heard {
	event: string;
	data: { topic?: string; at?: string; [name: string]: unknown };
}
export type Listener = (heard: Heard) => void;
export type Status = "open" | "lost" | "refused" | "closed"; // refused: the server is there and no longer knows us

const RETRY_MS = [250, 1000, 2000, 5000];
// These tell of changes and have no state to begin with. What changed after a listener had looked and before the server
// tells of it nobody would hear of: so each is told to look again then.
const STATELESS = /^sessions?(:|$)/;

export class Stream {
	status: Status = "closed";
	onStatus: (status: Status) => void = () => {};
	private proof = "";
	private source: AbortController | null = null;
	private listeners = new Map<Listener, Set<string>>();
	private followed = new Set<string>(); // what the server knows of
	private last = new Map<string, string>(); // the last id of each topic
	private number = 0; // of the stream, once it said hello
	private failures = 0;
	private timer: ReturnType<typeof setTimeout> | undefined;

	// The same listener again: its topics are others now. Of fresh ones it wants the state too, though it had them.
	listen(listener: Listener, topics: string[], fresh: string[] = []): void {
		const before = this.listeners.get(listener) ?? new Set();
		this.listeners.set(listener, new Set(topics));
		const added = topics.filter((topic) => !before.has(topic) || fresh.includes(topic));
		for (const topic of added) this.last.delete(topic);
		this.adjust(added);
	}

	// Who has signed in anew is not kept waiting.
	showProof(proof: string): void {
		if (proof === this.proof) return;
		this.proof = proof;
		if (this.status !== "refused") return;
		clearTimeout(this.timer);
		if (this.listeners.size) this.open();
	}

	leave(listener: Listener): void {
		this.listeners.delete(listener);
		this.adjust([]);
	}

	private wanted(): Set<string> {
		const all = new Set<string>();
		for (const topics of this.listeners.values()) for (const topic of topics) all.add(topic);
		return all;
	}

	private adjust(added: string[]): void {
		const wanted = this.wanted();
		for (const topic of this.last.keys()) if (!wanted.has(topic)) this.last.delete(topic);
		if (!wanted.size) return this.close();
		if (!this.source) {
			if (!this.timer) this.open();
			return;
		}
		if (!this.number) return; // it says hello first, and then this is done
		const remove = [...this.followed].filter((topic) => !wanted.has(topic));
		const add = [...wanted].filter((topic) => added.includes(topic) || !this.followed.has(topic));
		if (add.length || remove.length) void this.change(add, remove);
	}

	private async change(add: string[], remove: string[]): Promise<void> {
		for (const topic of add) this.followed.add(topic);
		for (const topic of remove) this.followed.delete(topic);
		const answer = await fetch(`/api/v1/stream/${this.number}/topics`, {
			method: "POST",
			credentials: "same-origin",
			headers: { "Content-Type": "application/json", ...withProof(this.proof) },
			body: JSON.stringify({ add, remove }),
		}).catch(() => null);
		if (answer?.ok) this.begun(add);
		else this.again();
	}

	private begun(topics: string[]): void {
		for (const topic of topics.filter((one) => STATELESS.test(one)))
			for (const [listener, wanted] of this.listeners) if (wanted.has(topic)) listener({ event: "again", data: { topic } });
	}

	private open(): void {
		this.timer = undefined;
		this.number = 0;
		this.followed = this.wanted();
		const words = [...this.followed].map((topic) => topic + (this.last.has(topic) ? `@${this.last.get(topic)}` : ""));
		void this.follow((this.source = new AbortController()), `/api/v1/stream?topics=${encodeURIComponent(words.join(","))}`);
	}

	// An EventSource could not show the proof.
	private async follow(source: AbortController, address: string): Promise<void> {
		const shown = this.proof;
		let status = 0;
		try {
			const answer = await fetch(address, { credentials: "same-origin", cache: "no-store", headers: withProof(shown), signal: source.signal });
			status = answer.status;
			if (answer.ok) await readEvents(answer.body!, (event, data) => this.source === source && this.take(event, data));
		} catch {
			// lost, or left
		}
		if (this.source !== source) return;
		if (status === 401 && shown !== this.proof) return this.open(); // who signed in meanwhile is not kept waiting
		this.again();
		if (status !== 401) return;
		this.failures = 1;
		this.tell("refused"); // a server that was started anew wants us to sign in
	}

	private take(event: string, data: string): void {
		if (event === "dropped") return this.again();
		if (event !== "hello") return this.hear(event, data);
		this.number = (JSON.parse(data) as { stream: number }).stream;
		this.failures = 0;
		this.tell("open");
		this.begun([...this.followed]);
		this.adjust([]);
	}

	private hear(event: string, text: string): void {
		const data = JSON.parse(text) as Heard["data"];
		const topic = data.topic ?? "";
		if (data.at) this.last.set(topic, data.at);
		for (const [listener, topics] of this.listeners) if (topics.has(topic)) listener({ event, data });
	}

	private again(): void {
		this.source?.abort();
		this.source = null;
		this.number = 0;
		this.tell("lost");
		if (this.timer || !this.listeners.size) return;
		const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]!;
		this.timer = setTimeout(() => this.open(), wait);
	}

	private close(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.source?.abort();
		this.source = null;
		this.number = 0;
		this.tell("closed");
	}

	private tell(status: Status): void {
		this.status = status;
		this.onStatus(status);
	}
}
