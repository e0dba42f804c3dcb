// SPDX-License-Identifier: Apache-2.0
// An address whose session is not there, or no longer.
import type { Refusal } from "../api/client";
import { Trouble } from "./trouble";

export function Absent({ refusal, onRetry }: { refusal: Refusal; onRetry: () => void }) {
	if (refusal.status !== 404) return <Trouble refusal={refusal} onRetry={onRetry} />;
	return (
		<section class="empty panel absent">
			<h2>{refusal.message.charAt(0).toUpperCase() + refusal.message.slice(1)}</h2>
			{refusal.remedy && <p class="remedy">{refusal.remedy}</p>}
			<a class="button primary" href="/">All sessions</a>
		</section>
	);
}
