// SPDX-License-Identifier: Apache-2.0
// Functions with what is their own and what they have in all: the graph's figures for those who want
// numbers, and for those who cannot see it.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Graph } from "../../flame/columns";
import { Sums, findNames, sumFunctions } from "../../flame/functions";
import { labelIn, spoken } from "../../flame/label";
import type { Tree } from "../../flame/tree";
import { amount, grouped, percent } from "../../flame/words";
import type { Answer } from "./data";
import type { Totals } from "./cut";
import { type MenuPlace, rowMenu } from "./menu";
import { useSize } from "./size";
import type { Order } from "./state";

const PAGE = 100;
const FIGURES = 2 * 90 + 20; // pixels of a row that are not its name's; flame.css has the same
const LETTER = 7.3; // of a name, about

interface TableProps {
	graph: Graph;
	tree: Tree; // from the roots on
	totals: Answer<Totals> | null; // where the tree has not all frames
	expression: RegExp | null; // what is searched for
	marked: string;
	order: Order;
	onOrder: (order: Order) => void;
	onChoose: (name: string) => void;
	onMenu: (place: MenuPlace) => void;
}

interface Rows extends Sums {
	names: string[];
}

export function ordered(names: string[], sums: Sums, order: Order, found: Uint8Array | null): Uint32Array {
	const by = order === "self" ? sums.self : sums.total;
	const listed = found ? sums.order.filter((name) => found[name]) : sums.order.slice();
	return listed.sort((a, b) =>
		order === "name"
			? names[a]! < names[b]! ? -1 : 1
			: by[b]! - by[a]! || sums.total[b]! - sums.total[a]! || a - b);
}

// Of all frames: those of the tree, or as the server has them.
function rowsOf(graph: Graph, tree: Tree, totals: Totals | null): Rows {
	if (!totals) return { names: graph.functions, ...sumFunctions(graph, tree) };
	return { ...totals, order: Uint32Array.from(totals.names.keys()) };
}

function Share({ value, whole, unit }: { value: number; whole: number; unit: string }) {
	const part = `${((100 * value) / (whole || 1)).toFixed(1)}%`;
	return <td title={amount(value, unit)} style={{ "--part": part }}>{percent(value, whole)}</td>;
}

interface RowProps extends TableProps {
	name: string;
	self: number;
	total: number;
	whole: number;
	room: number; // letters
}

function Row({ name, self, total, whole, room, graph, marked, onChoose }: RowProps) {
	return (
		<tr aria-selected={name === marked} data-function={name}>
			<Share value={self} whole={whole} unit={graph.unit} />
			<Share value={total} whole={whole} unit={graph.unit} />
			<td><button type="button" title={name} aria-label={spoken(name, room)} onClick={() => onChoose(name)}>{labelIn(name, room)}</button></td>
		</tr>
	);
}

const HEADS: [Order, string][] = [["self", "Self"], ["total", "Total"], ["name", "Function"]];

export function FunctionTable(props: TableProps) {
	const { graph, tree, order } = props;
	const [rows, setRows] = useState(PAGE);
	const [box, { width }] = useSize();
	const room = Math.max(12, Math.floor((width - FIGURES) / LETTER));
	const totals = props.totals?.value ?? null;
	const waits = props.totals !== null && !totals;
	const sums = useMemo(() => (waits ? null : rowsOf(graph, tree, totals)), [graph, tree, totals, waits]);
	const found = useMemo(() => sums && props.expression && findNames(sums.names, props.expression), [sums?.names, props.expression]);
	const listed = useMemo(() => (sums ? ordered(sums.names, sums, order, found) : new Uint32Array(0)), [sums, order, found]);
	const whole = tree.total[0] ?? 0;
	useEffect(() => setRows(PAGE), [order, props.expression]);
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
					<tbody onContextMenu={(event) => rowMenu(event, props.onMenu)}>
						{/* By place: while a run goes on functions change places, and rows need not wander. */}
						{Array.from(listed.subarray(0, rows), (name, place) => (
							<Row key={place} name={sums!.names[name]!} self={sums!.self[name]!} total={sums!.total[name]!} whole={whole} room={room} {...props} />
						))}
					</tbody>
				</table>
			</div>
			<p class="flame-more">
				{props.totals?.refusal ? props.totals.refusal.message : waits ? "Adding up all frames…" : `${grouped(Math.min(rows, listed.length))} of ${grouped(listed.length)} functions`}
				{rows < listed.length && <button type="button" onClick={() => setRows(rows + PAGE)}>Show more</button>}
			</p>
		</aside>
	);
}
