// SPDX-License-Identifier: Apache-2.0
import type { Run } from "../api/core";
import { stateTone, stateWord } from "../model/runs";

export function StateBadge({ run }: { run: Run }) {
	return <span class={`state ${stateTone(run)}`} title={run.reason || run.facts?.damage || undefined}>{stateWord(run)}</span>;
}
