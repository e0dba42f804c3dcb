// SPDX-License-Identifier: Apache-2.0
// What is seen as a file: the same samples, the same changes and the same zoom, made by the server.

import type { Graph } from "../../flame/columns";
import { frameOfKey, wayOf } from "../../flame/match";
import { GROUP } from "../../flame/reshape";
import type { Tree } from "../../flame/tree";
import { address } from "../api/client";
import { Menu } from "../widgets/menu";
import { splitPrograms } from "./data";
import { type FlameState, filterOf } from "./state";

// As in the Raw tab, of what takes a view.
const FORMATS: [string, string, string][] = [
	["svg", "SVG", "this picture"],
	["html", "HTML", "this graph, one page"],
	["folded", "Folded stacks", "flamegraph.pl, inferno"],
	["pprof", "pprof", "go tool pprof"],
	["speedscope", "speedscope", "speedscope.app"],
	["firefox", "Firefox Profiler", "profiler.firefox.com"],
	["json", "d3 JSON", "d3-flame-graph"],
	["csv", "CSV of samples", "a spreadsheet"],
	["script", "perf script", "text, one block per sample"],
];

type Query = Record<string, string | undefined>;

// The samples and changes of a view, as a download takes them. A zoom is a change like the others there: only stacks
// through that frame.
export function viewQuery(state: FlameState, graph: Graph, tree: Tree): Query {
	const { comm, changes } = splitPrograms(graph, state.changes);
	const zoomed = frameOfKey(graph, tree, state.zoom);
	let program = zoomed;
	while (program && graph.kindOf[tree.face[program]!] !== GROUP) program = tree.parent[program]!;
	const way = zoomed ? wayOf(graph, tree, zoomed) : 0;
	return {
		...filterOf(state),
		event: state.event || graph.event || undefined,
		comm: program ? graph.functions[graph.functionOf[tree.face[program]!]!] : comm,
		changes: [changes, way && `zoom:${way.toString(16)}`].filter(Boolean).join(",") || undefined,
	};
}

// A picture is the one that is seen: its colours and its way up, and what idle CPUs do where the graph has it.
function pictureQuery(state: FlameState): Query {
	return { inverted: state.inverted ? "1" : undefined, color: state.palette === "kind" ? undefined : state.palette, idle: "1" };
}

export function SaveView({ run, state, graph, tree }: { run: number; state: FlameState; graph: Graph; tree: Tree }) {
	const query = viewQuery(state, graph, tree);
	const items = FORMATS.map(([format, label, hint]) => ({
		label,
		hint,
		href: address(`/runs/${run}/export/${format}`, format === "svg" || format === "html" ? { ...query, ...pictureQuery(state) } : query),
		download: true,
	}));
	return <Menu class="right save-view" label="Save" title="Save this view: these samples, changes and zoom" items={items} />;
}
