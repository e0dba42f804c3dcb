// SPDX-License-Identifier: Apache-2.0
// Sentences of the server: what stands between ` is a name of a program.

export function Words({ text }: { text: string }) {
	return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}
