// SPDX-License-Identifier: Apache-2.0
// Colours of curves: told apart also by who sees fewer colours; darker on light paper, lighter on dark.
import { useEffect, useState } from "preact/hooks";

const LIGHT = ["#0060a8", "#b34700", "#00755a", "#9b3d86", "#8a6d00", "#3f4ec4", "#a32035", "#52606d"];
const DARK = ["#64b5f6", "#ffab66", "#4dd0a9", "#e59ad2", "#e0c34c", "#a3adff", "#ff8a97", "#b6c2cf"];

function darkQuery(): MediaQueryList {
	return matchMedia("(prefers-color-scheme: dark)");
}

export function curveColors(): string[] {
	return darkQuery().matches ? DARK : LIGHT;
}

export const PAPER_COLORS = LIGHT; // of what is saved

// Canvases have no style sheet: with another theme they are made anew.
export function useDark(): boolean {
	const [dark, setDark] = useState(() => darkQuery().matches);
	useEffect(() => {
		const query = darkQuery();
		const change = () => setDark(query.matches);
		query.addEventListener("change", change);
		return () => query.removeEventListener("change", change);
	}, []);
	return dark;
}
