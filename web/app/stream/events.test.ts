// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { EventText } from "./events";

const TEXT = 'retry: 1000\n\nid: 1-2\nevent: hello\ndata: {"stream":7}\n\n:\n\nevent: run\ndata: {"a":"\\n: x"}\n\n';

test("events are the same however the text was cut", () => {
	for (let size = 1; size <= TEXT.length; size++) {
		const heard: string[][] = [];
		const text = new EventText((event, data) => heard.push([event, data]));
		for (let at = 0; at < TEXT.length; at += size) text.add(TEXT.slice(at, at + size));
		expect(heard).toEqual([["hello", '{"stream":7}'], ["run", '{"a":"\\n: x"}']]);
	}
});
