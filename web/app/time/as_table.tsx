// SPDX-License-Identifier: Apache-2.0
// The figures of a picture for those who cannot see it, made when they are asked for.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface TableProps {
	label: string;
	heads: string[];
	rows: () => ComponentChildren;
}

export function AsTable({ label, heads, rows }: TableProps) {
	const [open, setOpen] = useState(false);
	return (
		<details class="time-seconds" onToggle={(event) => setOpen(event.currentTarget.open)}>
			<summary>As a table</summary>
			{open && (
				<div tabIndex={0} role="region" aria-label={label}>
					<table>
						<thead><tr>{heads.map((head) => <th key={head} scope="col">{head}</th>)}</tr></thead>
						<tbody>{rows()}</tbody>
					</table>
				</div>
			)}
		</details>
	);
}
