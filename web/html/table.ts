// SPDX-License-Identifier: Apache-2.0
// Functions with what is their own and what they have in all: the graph's figures for those who want
// numbers, and for those who cannot see it.

import type { Graph } from "../flame/columns";
import { Sums, sumFunctions } from "../flame/functions";
import type { Tree } from "../flame/tree";
import type { Order } from "./address";
import { amount, grouped, percent } from "../flame/words";

const PAGE = 100;

export class FunctionTable {
	onChoose: (name: number) => void = () => {};
	onOrder: (order: Order) => void = () => {};
	private body: HTMLElement;
	private more: HTMLElement;
	private graph: Graph | null = null;
	private whole = 0;
	private sums: Sums | null = null;
	private listed: Uint32Array = new Uint32Array(0);
	private rows = 0;

	constructor(private host: HTMLElement) {
		this.body = host.querySelector("tbody")!;
		this.more = host.querySelector("#more")!;
		host.addEventListener("click", (event) => this.click(event.target as Element));
	}

	show(graph: Graph, tree: Tree): void {
		this.graph = graph;
		this.whole = tree.total[0]!;
		this.sums = sumFunctions(graph, tree);
	}

	// Lists the functions in an order; of a search only those that it finds.
	list(order: Order, hits: Uint8Array | null, marked: number): void {
		const { graph, sums } = this;
		if (!graph || !sums) return;
		const names = graph.functions;
		const by = order === "self" ? sums.self : sums.total;
		const compare = (a: number, b: number) =>
			order === "name" ? (names[a]! < names[b]! ? -1 : 1) : by[b]! - by[a]! || sums.total[b]! - sums.total[a]! || a - b;
		this.listed = (hits ? sums.order.filter((name) => hits[name]) : sums.order.slice()).sort(compare);
		this.rows = 0;
		this.body.textContent = "";
		this.host.querySelectorAll<HTMLElement>("[data-sort]").forEach((button) => {
			const cell = button.closest("th")!;
			if (button.dataset["sort"] !== order) cell.removeAttribute("aria-sort");
			else cell.setAttribute("aria-sort", order === "name" ? "ascending" : "descending");
		});
		this.grow();
		this.mark(marked);
	}

	mark(name: number): void {
		this.body.querySelectorAll("tr").forEach((row) => row.setAttribute("aria-selected", String(row.dataset["name"] === String(name))));
	}

	private grow(): void {
		const rows = document.createDocumentFragment();
		const last = Math.min(this.listed.length, this.rows + PAGE);
		for (; this.rows < last; this.rows++) rows.appendChild(this.row(this.listed[this.rows]!));
		this.body.appendChild(rows);
		this.more.textContent = `${grouped(this.rows)} of ${grouped(this.listed.length)} functions`;
		if (this.rows === this.listed.length) return;
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = "Show more";
		button.dataset["more"] = "";
		this.more.appendChild(button);
	}

	private row(name: number): HTMLElement {
		const graph = this.graph!;
		const row = document.createElement("tr");
		row.dataset["name"] = String(name);
		for (const value of [this.sums!.self[name]!, this.sums!.total[name]!]) {
			const cell = row.insertCell();
			cell.textContent = percent(value, this.whole);
			cell.title = amount(value, graph.unit);
			cell.style.setProperty("--part", `${((100 * value) / (this.whole || 1)).toFixed(1)}%`);
		}
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = button.title = graph.functions[name]!;
		row.insertCell().appendChild(button);
		return row;
	}

	private click(target: Element): void {
		const sort = target.closest<HTMLElement>("[data-sort]");
		const row = target.closest<HTMLElement>("tr[data-name]");
		if (sort) this.onOrder(sort.dataset["sort"] as Order);
		else if (target.closest("[data-more]")) this.grow();
		else if (row) this.onChoose(Number(row.dataset["name"]));
	}
}
