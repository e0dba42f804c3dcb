// SPDX-License-Identifier: Apache-2.0
// Names in little room: what is in brackets is folded first, then what comes back, the namespaces and the
// arguments go, then the end.

const cache = new Map<string, string[]>();
const CACHED = 50000;

function isOperator(name: string, at: number): boolean {
	return name[at] !== "(" && /(operator[<>=-]*|-)$/.test(name.slice(Math.max(0, at - 12), at));
}

// What stands in brackets of one sort becomes a dot: "f<int>(a)" is "f<…>(a)". The brackets of
// "operator<", "operator()" and "->" are no such.
function foldBrackets(name: string, open: string, close: string): string {
	let result = "";
	let depth = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i]!;
		const bracket = (c === open || c === close) && !isOperator(name, i);
		if (bracket && c === open) {
			if (!depth++) result += c;
		} else if (bracket && depth) {
			if (!--depth) result += name[i - 1] === open ? c : `…${c}`;
		} else if (!depth) result += c;
	}
	return depth ? name : result;
}

// "void std::sort<…>(…)": what a template gives back says least.
function withoutResult(name: string): string {
	const space = name.replace(/\(.*$/, "").lastIndexOf(" ");
	return space > 0 && !/operator ?\S*$/.test(name.slice(0, space)) ? name.slice(space + 1) : name;
}

// Without the outer names, one after the other: "a::B::c" is "B::c", then "c".
function innerParts(name: string): string[] {
	const parts = name.split("::");
	return parts.slice(1).map((_, at) => parts.slice(at + 1).join("::"));
}

function withoutArguments(name: string): string {
	return name.endsWith("operator()") ? name : name.replace(/\(…?\)( const)?$/, "") || name;
}

// What Node and Python call their functions: "JS:*name /folder/file.js:1:19", "py::name:/folder/file.py". The
// function says most, then the file, the folder least.
function scriptForms(name: string): string[] | undefined {
	const [, mark, called, file] = /^((?:JS|Function|LazyCompile|Script|Eval):[*~^+]?)(.*?) (?:\S*\/)?([^/\s]+)$/.exec(name) ?? /^(py::)(.*?):(?:.*\/)?([^/]+)$/.exec(name) ?? [];
	if (mark === undefined || !file) return undefined;
	const both = mark === "py::" ? `${called}:${file}` : `${called} ${file}`.trim();
	return [name, `${mark}${both}`, both, called || file];
}

// What Go calls its functions: "github.com/me/pkg.(*Type).Method". The path says least, then the package.
function goForms(name: string): string[] | undefined {
	if (!/^(?:[\w.~%-]+\/)+[\w%-]+\.\S/.test(name) && !/^[\w-]+\.\(\*/.test(name)) return undefined;
	const path = name.slice(0, name.search(/[([]|$/)).lastIndexOf("/") + 1;
	const base = name.slice(path);
	const inner = base.slice(base.indexOf(".") + 1);
	return [name, base, inner, inner.replace(/^\([^)]*\)\./, "")];
}

// The forms of a name, from the longest to the shortest.
function formsOf(name: string): string[] {
	let forms = cache.get(name);
	if (forms) return forms;
	// "[not shown]" and "[libc.so.6]" are no functions: no part of them says more than another
	forms = name.startsWith("[") ? [name] : name.length > 2000 ? undefined : scriptForms(name) ?? goForms(name);
	if (forms) {
		cache.set(name, forms);
		return forms;
	}
	const short = name.length > 2000 ? name.slice(0, 2000) : name;
	const templates = foldBrackets(short, "<", ">");
	const all = foldBrackets(templates.replace(/\(anonymous namespace\)::/g, ""), "(", ")");
	const named = withoutResult(all);
	const inner = innerParts(named);
	forms = [short, templates, all, named, ...inner, withoutArguments(inner[inner.length - 1] ?? named)];
	if (cache.size >= CACHED) cache.clear();
	cache.set(name, forms);
	return forms;
}

// The name in at most `room` characters.
export function labelIn(name: string, room: number): string {
	if (name.length <= room) return name;
	const forms = formsOf(name);
	for (const form of forms) if (form.length <= room) return form;
	return `${forms[forms.length - 1]!.slice(0, room - 1)}…`;
}

// What a screen reader says of a name that is shown shortened: what is seen, and then the whole.
export function spoken(name: string, letters: number): string | undefined {
	const seen = labelIn(name, letters);
	return seen === name ? undefined : `${seen} (${name})`;
}
