// SPDX-License-Identifier: Apache-2.0
// Functions with what is their own and what they have in all: the graph's figures for those who want
// numbers, and for those who cannot see it.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Graph } from "../../flame/columns";
import { Sums, sumFunctions } from "../../flame/functions";
import { labelIn, spoken } from "../../flame/label";
import type { Tree } from "../../flame/tree";
import { amount, grouped, percent } from "../../flame/words";
import { Totals, functionKey } from "./data";
import { NOT_SHOWN } from "./model";
import { useSize } from "./size";
import type { Order } from "./state";

const PAGE = 100;
const FIGURES = 2 * 90 + 20; // pixels of a row that are not its name's; flame.css has the same
const LETTER = 7.3; // of a name, about

interface TableProps {
	graph: Graph;
	tree: Tree; // from the roots on
	totals: Totals | null; // where the tree has not all frames
	found: Uint8Array | null;
	marked: string;
	order: Order;
	onOrder: (order: Order) => void;
	onChoose: (name: number) => void;
}

export function ordered(names: string[], sums: Sums, order: Order, found: Uint8Array | null): Uint32Array {
	const by = order === "self" ? sums.self : sums.total;
	const listed = found ? sums.order.filter((name) => found[name]) : sums.order.slice();
	return listed.sort((a, b) =>
		order === "name"
			? names[a]! < names[b]! ? -1 : 1
			: by[b]! - by[a]! || sums.total[b]! - sums.total[a]! || a - b);
}

// The sums of all frames, of the functions that have some here.
export function corrected({ functions, objects, objectOf }: Graph, sums: Sums, totals: Totals | null): Sums {
	if (!totals) return sums;
	const known = (name: number) => totals.get(functionKey(functions[name]!, objects[objectOf[name]!]!));
	return {
		self: sums.self.map((self, name) => known(name)?.self ?? self),
		total: sums.total.map((total, name) => known(name)?.total ?? total),
		order: sums.order.filter((name) => functions[name] !== NOT_SHOWN),
	};
}

function Share({ value, whole, unit }: { value: number; whole: number; unit: string }) {
	const part = `${((100 * value) / (whole || 1)).toFixed(1)}%`;
	return <td title={amount(value, unit)} style={{ "--part": part }}>{percent(value, whole)}</td>;
}

const HEADS: [Order, string][] = [["self", "Self"], ["total", "Total"], ["name", "Function"]];

export function FunctionTable(props: TableProps) {
	const { graph, tree, order } = props;
	const [rows, setRows] = useState(PAGE);
	const [box, { width }] = useSize();
	const room = Math.max(12, Math.floor((width - FIGURES) / LETTER));
	const sums = useMemo(() => corrected(graph, sumFunctions(graph, tree), props.totals), [graph, tree, props.totals]);
	const listed = useMemo(() => ordered(graph.functions, sums, order, props.found), [graph, sums, order, props.found]);
	const whole = tree.total[0] ?? 0;
	useEffect(() => setRows(PAGE), [order, props.found]);
	return (
		<aside class="flame-table" aria-label="Functions">
			<div class="flame-rows" ref={box} tabIndex={0} role="region" aria-label="Functions, scrollable">
				<table>
					<thead>
						<tr>
							{HEADS.map(([name, text]) => (
								<th key={name} scope="col" aria-sort={name !== order ? undefined : name === "name" ? "ascending" : "descending"}>
									<button type="button" onClick={() => props.onOrder(name)}>{text}</button>
								</th>
							))}
						</tr>
					</thead>
					<tbody>
						{/* By place: while a run goes on functions change places, and rows need not wander. */}
						{Array.from(listed.subarray(0, rows), (name, place) => (
							<tr key={place} aria-selected={graph.functions[name] === props.marked} data-function={graph.functions[name]}>
								<Share value={sums.self[name]!} whole={whole} unit={graph.unit} />
								<Share value={sums.total[name]!} whole={whole} unit={graph.unit} />
								<td><button type="button" title={graph.functions[name]} aria-label={spoken(graph.functions[name]!, room)} onClick={() => props.onChoose(name)}>{labelIn(graph.functions[name]!, room)}</button></td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
			<p class="flame-more">
				{grouped(Math.min(rows, listed.length))} of {grouped(listed.length)} functions
				{rows < listed.length && <button type="button" onClick={() => setRows(rows + PAGE)}>Show more</button>}
			</p>
		</aside>
	);
}
