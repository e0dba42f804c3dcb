// SPDX-License-Identifier: Apache-2.0
// Server-sent events out of the bytes of a reply, as our server writes them: fields on lines of their own, an empty line
// behind each event.

type Hear = (event: string, data: string) => void;

export class EventText {
	private rest = "";

	constructor(private hear: Hear) {}

	// The next piece of text, wherever it was cut.
	add(piece: string): void {
		const from = Math.max(0, this.rest.length - 1);
		this.rest += piece;
		let start = 0;
		for (let end; (end = this.rest.indexOf("\n\n", start || from)) >= 0; start = end + 2) this.tell(this.rest.slice(start, end));
		if (start) this.rest = this.rest.slice(start);
	}

	private tell(block: string): void {
		let event = "";
		let data = "";
		for (const line of block.split("\n")) {
			if (line.startsWith("event: ")) event = line.slice(7);
			else if (line.startsWith("data: ")) data = line.slice(6);
		}
		if (event) this.hear(event, data);
	}
}

// Until the stream ends or is lost.
export async function readEvents(body: ReadableStream<Uint8Array>, hear: Hear): Promise<void> {
	const text = new EventText(hear);
	const decoder = new TextDecoder();
	const reader = body.getReader();
	for (;;) {
		const { done, value } = await reader.read();
		if (done) return;
		text.add(decoder.decode(value, { stream: true }));
	}
}
