// SPDX-License-Identifier: Apache-2.0
// What is wrong with the stacks of a run, in a sentence with its remedy.

import { isReady, useAnswer } from "./data";
import type { TabProps } from "./props";

export interface Quality {
	has_stacks: boolean;
	trust: { samples: number; lost_percent: number; cut_percent: number; unknown_percent: number; worst_percent?: number; remedy: string | null };
}

const CUT = 10; // percent from which on it is worth a word
const LOST = 1;

function share(percent: number): string {
	return `${percent.toFixed(percent < 10 ? 1 : 0)} %`;
}

export function noteOf({ has_stacks, trust }: Quality): string {
	if (!trust.samples) return "";
	if (!has_stacks) return "Recorded without stacks, so each function stands alone: choose a call graph to see its callers.";
	// The remedy is for what touches most samples, and a cut stack counts half: it still names its function.
	const names = trust.worst_percent ?? trust.unknown_percent;
	const said = names >= Math.max(CUT, trust.cut_percent / 2) ? `${share(trust.unknown_percent)} of the samples have no function's name`
		: trust.cut_percent >= CUT ? `${share(trust.cut_percent)} of the stacks are cut short`
			: trust.lost_percent >= LOST ? `${share(trust.lost_percent)} of the samples were lost` : "";
	return said && `${said}${trust.remedy ? `: ${trust.remedy}` : ""}.`;
}

export function useNote({ api, run }: TabProps): string {
	const answer = useAnswer<Quality>(isReady(run.state) ? (signal) => api.json(`/runs/${run.id}/quality`, {}, signal) : null, [run.id, run.state]);
	return answer.value ? noteOf(answer.value) : "";
}
