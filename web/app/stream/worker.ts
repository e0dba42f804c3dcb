// SPDX-License-Identifier: Apache-2.0
// The stream of all tabs: a SharedWorker. A tab says what it wants, and shows by a lock that it is alive.

import { Stream, type Heard } from "./core";

export type FromTab = { want: string[]; fresh: string[]; lock: string } | { proof: string };
export type ToTab = { heard: Heard } | { status: Stream["status"] };

const stream = new Stream();
const ports = new Set<MessagePort>();

stream.onStatus = (status) => {
	for (const port of ports) port.postMessage({ status } satisfies ToTab);
};

function serve(port: MessagePort): void {
	const listener = (heard: Heard) => port.postMessage({ heard } satisfies ToTab);
	let watched = false;
	ports.add(port);
	port.onmessage = ({ data }: MessageEvent<FromTab>) => {
		if ("proof" in data) return stream.showProof(data.proof); // workers have no storage
		stream.listen(listener, data.want, data.fresh);
		port.postMessage({ status: stream.status } satisfies ToTab);
		// A tab that is closed tells nobody; its lock becomes free.
		if (watched || !data.lock) return;
		watched = true;
		void navigator.locks.request(data.lock, () => {
			stream.leave(listener);
			ports.delete(port);
			port.close();
		});
	};
}

(self as unknown as { onconnect: (event: MessageEvent) => void }).onconnect = (event) => serve(event.ports[0]!);
