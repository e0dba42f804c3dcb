// SPDX-License-Identifier: Apache-2.0
// One event stream for any number of listeners.
//
// Topics come and go with whoever listens; the stream follows their union. A topic that others follow
// already is begun anew on the server, so that a newcomer gets its state too: every listener must take a
// snapshot at any time. After a break each topic goes on from the last event that was seen of it.
//
// Lives in a SharedWorker, one for all tabs of a browser, or in the page where there is none.

export interface Heard {
	event: string;
	data: { topic?: string; at?: string; [name: string]: unknown };
}
export type Listener = (heard: Heard) => void;
export type Status = "open" | "lost" | "refused" | "closed"; // refused: the server is there and no longer knows us

const RETRY_MS = [250, 1000, 2000, 5000];
const NAMES = [
	"change", "run", "queue", "points", "points-snapshot", "output", "output-snapshot", "tree", "tree-snapshot",
	"heat", "heat-snapshot", "lanes", "lanes-snapshot", "end",
];

// These tell of changes and have no state to begin with. What changed after a listener had looked and before the server
// tells of it nobody would hear of: so each is told to look again then.
const STATELESS = /^sessions?(:|$)/;

export class Stream {
	status: Status = "closed";
	onStatus: (status: Status) => void = () => {};
	private source: EventSource | null = null;
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
			headers: { "Content-Type": "application/json" },
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
		const source = new EventSource(`/api/v1/stream?topics=${encodeURIComponent(words.join(","))}`);
		this.source = source;
		source.addEventListener("hello", (event) => {
			this.number = (JSON.parse((event as MessageEvent<string>).data) as { stream: number }).stream;
			this.failures = 0;
			this.tell("open");
			this.begun([...this.followed]);
			this.adjust([]);
		});
		source.addEventListener("dropped", () => this.again());
		// The browser would come back with the first topics of all; we know better where each one is.
		source.onerror = () => this.again();
		for (const name of NAMES)
			source.addEventListener(name, (event) => this.hear(name, (event as MessageEvent<string>).data));
	}

	private hear(event: string, text: string): void {
		const data = JSON.parse(text) as Heard["data"];
		const topic = data.topic ?? "";
		if (data.at) this.last.set(topic, data.at);
		for (const [listener, topics] of this.listeners) if (topics.has(topic)) listener({ event, data });
	}

	private again(): void {
		this.source?.close();
		this.source = null;
		this.number = 0;
		this.tell("lost");
		if (this.timer || !this.listeners.size) return;
		const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)]!;
		this.timer = setTimeout(() => void this.retry(), wait);
	}

	// An EventSource does not tell why it was refused; a server that was started anew wants us to sign in.
	private async retry(): Promise<void> {
		const answer = await fetch("/api/v1/me", { credentials: "same-origin" }).catch(() => null);
		this.timer = undefined;
		if (this.source || !this.listeners.size) return;
		if (answer?.ok) return this.open();
		this.again();
		if (answer?.status === 401) {
			this.failures = 1;
			this.tell("refused");
		}
	}

	private close(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.source?.close();
		this.source = null;
		this.number = 0;
		this.tell("closed");
	}

	private tell(status: Status): void {
		this.status = status;
		this.onStatus(status);
	}
}
