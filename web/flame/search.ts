// SPDX-License-Identifier: Apache-2.0
// What somebody types to search for, as a regular expression. Case is ignored unless there is a capital letter in it or
// it is asked for: "smart case". The server does the same (src/profile/match.c); (?i) and (?-i) in front say it outright,
// to both.

const SAID = /^\(\?(-?)i\)/;

// \S, \W and the like are no capital letters of a name.
function hasCapital(text: string): boolean {
	return /\p{Lu}/u.test(text.replace(/\\./g, ""));
}

// The same with its case said outright, wherever it is used.
export function outright(text: string, exact: boolean): string {
	if (!text || SAID.test(text) || hasCapital(text)) return text;
	return `${exact ? "(?-i)" : "(?i)"}${text}`;
}

// As it was typed.
export function plain(text: string): string {
	return text.replace(SAID, "");
}

// null: not a regular expression.
export function regular(text: string, exact = false): RegExp | null {
	const said = SAID.exec(text);
	const ignored = said ? !said[1] : !exact && !hasCapital(text);
	try {
		return new RegExp(plain(text), ignored ? "i" : "");
	} catch {
		return null;
	}
}
