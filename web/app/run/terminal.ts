// SPDX-License-Identifier: Apache-2.0
// Output as a terminal would show it, as text with styles: colours and weights are kept, a carriage return and a
// backspace go back in the line, what moves the cursor elsewhere or asks the terminal for something is dropped.

import type { StreamPiece } from "../api/schema";

export interface Style {
	color?: number | string; // 0 to 15 of the palette, or "#rrggbb"
	back?: number | string;
	bold?: boolean;
	dim?: boolean;
	italic?: boolean;
	underline?: boolean;
	struck?: boolean;
	inverse?: boolean;
}

// A stretch of one style and one stream. `time`: a line begins with it, at this time.
export interface Span {
	text: string;
	style: Style;
	stream: StreamPiece["stream"];
	time?: string;
}

const PLAIN: Style = {};
const LONGEST = 4096; // of a sequence: what has not ended by then is none

function rgb(red: number, green: number, blue: number): string {
	return `#${[red, green, blue].map((one) => Math.min(255, Math.max(0, one || 0)).toString(16).padStart(2, "0")).join("")}`;
}

// 38;5;N and 38;2;R;G;B: the colour, and how many numbers it took.
function longColor(codes: number[], at: number): [number | string | undefined, number] {
	if (codes[at] === 2) return [rgb(codes[at + 1]!, codes[at + 2]!, codes[at + 3]!), 4];
	if (codes[at] !== 5) return [undefined, 1];
	const index = codes[at + 1]!;
	if (!(index >= 16)) return [index, 2];
	if (index >= 232) return [rgb(8 + 10 * (index - 232), 8 + 10 * (index - 232), 8 + 10 * (index - 232)), 2];
	const level = (step: number) => (step ? 55 + 40 * step : 0);
	const cube = index - 16;
	return [rgb(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)), 2];
}

function restyled(style: Style, text: string): Style {
	const codes = text.split(/[;:]/).map(Number);
	let made = { ...style };
	for (let i = 0; i < codes.length; i++) {
		const code = codes[i]!;
		if (!code) made = {};
		else if (code === 1) made.bold = true;
		else if (code === 2) made.dim = true;
		else if (code === 3) made.italic = true;
		else if (code === 4) made.underline = true;
		else if (code === 7) made.inverse = true;
		else if (code === 9) made.struck = true;
		else if (code === 22) delete made.bold, delete made.dim;
		else if (code === 23) delete made.italic;
		else if (code === 24) delete made.underline;
		else if (code === 27) delete made.inverse;
		else if (code === 29) delete made.struck;
		else if (code >= 30 && code <= 37) made.color = code - 30;
		else if (code >= 90 && code <= 97) made.color = code - 82;
		else if (code >= 40 && code <= 47) made.back = code - 40;
		else if (code >= 100 && code <= 107) made.back = code - 92;
		else if (code === 39) delete made.color;
		else if (code === 49) delete made.back;
		else if (code === 38 || code === 48) {
			const [color, taken] = longColor(codes, i + 1);
			if (color !== undefined) made[code === 38 ? "color" : "back"] = color;
			i += taken;
		}
	}
	return Object.keys(made).length ? made : PLAIN;
}

// One line that is being written: what stands in each column, and in which look.
class Line {
	private letters: string[] = [];
	private looks: Span[] = []; // by column: of which style and stream; shared by neighbours
	private at = 0;
	time = "";

	put(letter: string, look: Span): void {
		while (this.letters.length < this.at) this.letters.push(" "), this.looks.push(look);
		this.letters[this.at] = letter;
		this.looks[this.at++] = look;
	}

	move(to: number): void {
		this.at = Math.max(0, Math.min(LONGEST, to));
	}

	by(step: number): void {
		this.move(this.at + step);
	}

	erase(what: number): void {
		if (what === 0) this.letters.length = this.looks.length = Math.min(this.at, this.letters.length);
		else if (what === 2) this.letters.length = this.looks.length = 0;
		else for (let i = 0; i < Math.min(this.at + 1, this.letters.length); i++) this.letters[i] = " ";
	}

	flush(into: Span[], end: string): void {
		let first = true;
		const add = (text: string, look: Span) => {
			const last = into[into.length - 1];
			const time = first ? this.time : "";
			first = false;
			if (!time && last && last.style === look.style && last.stream === look.stream) last.text += text;
			else into.push({ text, style: look.style, stream: look.stream, ...(time ? { time } : {}) });
		};
		for (let from = 0; from < this.letters.length;) {
			let to = from + 1;
			while (to < this.letters.length && this.looks[to] === this.looks[from]) to++;
			add(this.letters.slice(from, to).join(""), this.looks[from]!);
			from = to;
		}
		if (end) add(end, this.looks[this.looks.length - 1] ?? into[into.length - 1] ?? { text: "", style: PLAIN, stream: "stdout" });
		this.letters = [];
		this.looks = [];
		this.at = 0;
		this.time = "";
	}
}

// A sequence at the beginning of the text: its length; 0: it is none, -1: its end is not there yet.
function sequenceLength(text: string, from: number): number {
	const kind = text[from + 1];
	if (kind === undefined) return -1;
	if (kind === "[") {
		for (let i = from + 2; i < text.length; i++) {
			const code = text.charCodeAt(i);
			if (code >= 0x40 && code <= 0x7e) return i - from + 1;
			if (code < 0x20 || code > 0x7e) return i - from; // broken off: what follows is text
			if (i - from > LONGEST) return i - from;
		}
		return text.length - from > LONGEST ? 2 : -1;
	}
	if ("]PX^_".includes(kind)) {
		for (let i = from + 2; i < text.length && i - from <= LONGEST; i++) {
			if (text[i] === "\x07") return i - from + 1;
			if (text[i] === "\x1b") return text[i + 1] === "\\" ? i - from + 2 : text[i + 1] === undefined ? -1 : i - from;
		}
		return text.length - from > LONGEST ? 2 : -1;
	}
	if ("()*+#% ".includes(kind)) return text.length > from + 2 ? 3 : -1;
	return 2;
}

interface Pen {
	look: Span;
	rest: string; // the beginning of a sequence, which goes on in the next piece
}

// Each stream has its own colours and its own half sequences; the line that is written to is one.
export function shownText(pieces: StreamPiece[], times: boolean): Span[] {
	const spans: Span[] = [];
	const pens = new Map<string, Pen>();
	const line = new Line();
	for (const piece of pieces) {
		let pen = pens.get(piece.stream);
		if (!pen) pens.set(piece.stream, (pen = { look: { text: "", style: PLAIN, stream: piece.stream }, rest: "" }));
		const text = pen.rest + piece.text;
		pen.rest = "";
		for (let i = 0; i < text.length; i++) {
			const letter = text[i]!;
			if (letter === "\n") {
				if (times && !line.time) line.time = piece.time_ns;
				line.flush(spans, "\n");
			} else if (letter === "\r") line.move(0);
			else if (letter === "\b") line.by(-1);
			else if (letter === "\x1b") {
				const length = sequenceLength(text, i);
				if (length < 0) {
					pen.rest = text.slice(i);
					break;
				}
				obey(text.slice(i, i + length), pen, line);
				i += length - 1;
			} else if (letter >= " " || letter === "\t") {
				const code = letter.charCodeAt(0);
				if (code >= 0x7f && code < 0xa0) continue;
				if (times && !line.time) line.time = piece.time_ns;
				const pair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
				line.put(pair ? letter + text[++i]! : letter, pen.look);
			}
		}
	}
	line.flush(spans, "");
	return spans;
}

function obey(sequence: string, pen: Pen, line: Line): void {
	if (sequence[1] !== "[" || /[<=>?]/.test(sequence[2] ?? "")) return;
	const words = sequence.slice(2, -1);
	const count = Number(words) || 1;
	switch (sequence.at(-1)) {
		case "m":
			pen.look = { ...pen.look, style: restyled(pen.look.style, words) };
			break;
		case "K":
			line.erase(Number(words) || 0);
			break;
		case "G":
			line.move(count - 1);
			break;
		case "C":
			line.by(count);
			break;
		case "D":
			line.by(-count);
			break;
		default: // to other lines, or of the whole screen: a log has no such places
	}
}
