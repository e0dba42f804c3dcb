// SPDX-License-Identifier: Apache-2.0
// Sentences of the server: what stands between ` is a name of a program, and a number stays with its unit.

import { labelIn } from "../../flame/label";

// room: names of functions that are longer are shortened, whole on hover.
export function Words({ text, room = Infinity }: { text: string; room?: number }) {
	return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at} title={part.length > room ? part : undefined}>{labelIn(part, room)}</code> : kept(part)))}</>;
}

const MEASURED = /(\d[\d.,]* (?:%|(?:s|ms|us|ns|min|h|MiB|CPUs)(?![a-z])))/;

function kept(text: string) {
	return text.split(MEASURED).map((part, at) => (at % 2 ? <span class="kept" key={at}>{part}</span> : part));
}
