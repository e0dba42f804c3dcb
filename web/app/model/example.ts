// SPDX-License-Identifier: Apache-2.0
// A first run for who has none: a program that every Linux has, at work for some seconds.

import { api } from "../api/client";
import type { List, Run, Session } from "../api/core";
import { FIRST_FORM } from "./form";

const COMMAND = "for n in 1 2 3; do seq 400000 | sort -r | gzip -9 | md5sum; done";

export async function runExample(): Promise<Run> {
	const session = await api.post<Session>("/sessions", { title: "Example: numbers, sorted and packed" });
	const answer = await api.post<Run | List<Run>>(`/sessions/${session.id}/runs`, {
		...FIRST_FORM,
		tool: "both",
		target: { ...FIRST_FORM.target, command: COMMAND, shell: true },
	});
	return "items" in answer ? answer.items[0]! : answer;
}
