// SPDX-License-Identifier: Apache-2.0
// What is wrong with the stacks of a run, in a sentence with its remedy.

import { isReady, useAnswer } from "./data";
import type { TabProps } from "./props";

export interface Quality {
	has_stacks: boolean;
	trust: { samples: number; remedy: string | null; faults?: { text: string; percent: number; remedy: string | null }[] };
}

// The heaviest of the faults that what helps most is for, as report and doctor say it: another one's remedy would be no
// help.
export function noteOf({ has_stacks, trust }: Quality): string {
	const worst = trust.faults?.find(({ remedy }) => trust.remedy && remedy === trust.remedy) ?? trust.faults?.[0];
	if (worst) return `${worst.text.charAt(0).toUpperCase()}${worst.text.slice(1)}${trust.remedy ? `. What helps most: ${trust.remedy}` : ""}.`;
	if (!trust.samples) return "";
	return has_stacks ? "" : "Recorded without stacks, so each function stands alone: choose a call graph to see its callers.";
}

export function useNote({ api, run }: TabProps): string {
	const answer = useAnswer<Quality>(isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/quality`, {}, signal) : null, [run.id, run.state]);
	return answer.value ? noteOf(answer.value) : "";
}
