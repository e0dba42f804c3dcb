// SPDX-License-Identifier: Apache-2.0
// A first run for who has none: Perl, which every Debian has, counts words for some seconds. Its functions
// have names without debug symbols; its stacks need DWARF, as most programs' do.

import { api } from "../api/client";
import type { List, Run, Session } from "../api/core";
import { FIRST_FORM } from "./form";

const COMMAND = `perl -e 'srand 1; for (1 .. 900000) { $word = join "", map { chr(97 + rand 26) } 1 .. 3; $count{$word}++ } @top = sort { $count{$b} <=> $count{$a} } keys %count; print "$_ $count{$_}\\n" for @top[0 .. 9]'`;

export async function runExample(): Promise<Run> {
	const session = await api.post<Session>("/sessions", { title: "Example: counting words" });
	const made = await api.post<List<Run>>(`/sessions/${session.id}/runs`, {
		...FIRST_FORM,
		tool: "both",
		rate: "997",
		call_graph: "dwarf",
		target: { ...FIRST_FORM.target, command: COMMAND },
	});
	return made.items[0]!;
}
