// SPDX-License-Identifier: Apache-2.0
// What the server refused, where the action was: what, and what helps.
import type { Refusal } from "../api/client";

export function Trouble({ refusal, onRetry, onClose }: { refusal: Refusal | undefined; onRetry?: () => void; onClose?: () => void }) {
	if (!refusal) return null;
	return (
		<div class="trouble" role="alert">
			{onClose && <button type="button" class="quiet close" aria-label="Close" onClick={onClose}>×</button>}
			<p>{refusal.message}</p>
			{refusal.remedy && <p class="remedy">{refusal.remedy}</p>}
			{onRetry && <button type="button" onClick={onRetry}>Try again</button>}
		</div>
	);
}
