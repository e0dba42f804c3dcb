// SPDX-License-Identifier: Apache-2.0
// A run in the space of a word: a line of its counters, or columns of its samples.

export interface SparkData {
	kind: "line" | "bars" | "none";
	values: number[];
}

const WIDTH = 300; // of its own units: it is as wide as its place
const FEWEST = 12; // columns that have room

export function Spark({ data, height = 28, label }: { data: SparkData | undefined; height?: number; label: string }) {
	const values = data?.values ?? [];
	const most = Math.max(...values, 0);
	if (!values.length || !most)
		return <svg class="spark" height={height} aria-hidden="true"><line x1="0" x2="100%" y1={height - 1} y2={height - 1} /></svg>;
	// A run of one column is a column, and no beam over the whole place.
	const step = WIDTH / (data!.kind === "line" ? Math.max(1, values.length - 1) : Math.max(FEWEST, values.length));
	const y = (value: number) => Math.round((height - 2 - (value / most) * (height - 4)) * 10) / 10;
	return (
		<svg class="spark" viewBox={`0 0 ${WIDTH} ${height}`} preserveAspectRatio="none" height={height} role="img" aria-label={label}>
			{data!.kind === "line" ? (
				<polyline points={values.map((value, at) => `${Math.round(at * step * 10) / 10},${y(value)}`).join(" ")} />
			) : (
				values.map((value, at) => (
					<rect key={at} x={at * step} width={Math.max(1, step - 0.6)} y={y(value)} height={height - y(value)} />
				))
			)}
		</svg>
	);
}
