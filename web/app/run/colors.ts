// SPDX-License-Identifier: Apache-2.0
// Colours of curves: told apart also by who sees fewer colours; darker on light paper, lighter on dark.
import { isDark } from "../model/theme";

const LIGHT = ["#0060a8", "#b34700", "#00755a", "#9b3d86", "#8a6d00", "#3f4ec4", "#a32035", "#52606d"];
const DARK = ["#64b5f6", "#ffab66", "#4dd0a9", "#e59ad2", "#e0c34c", "#a3adff", "#ff8a97", "#b6c2cf"];

export function curveColors(): string[] {
	return isDark() ? DARK : LIGHT;
}

export const PAPER_COLORS = LIGHT; // of what is saved
