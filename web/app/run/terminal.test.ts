// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import type { StreamPiece } from "../api/schema";
import { shownText } from "./terminal";

const out = (text: string, time_ns = "0"): StreamPiece => ({ time_ns, stream: "stdout", text });
const err = (text: string): StreamPiece => ({ time_ns: "0", stream: "stderr", text });
const plain = (...pieces: StreamPiece[]) => shownText(pieces, false).map(({ text }) => text).join("");

test("colours become styles, and their codes are gone", () => {
	expect(shownText([out("a\x1b[1;31mred\x1b[0m b\x1b[38;5;208mo\x1b[38;2;1;2;3mt\x1b[39m.\n")], false)).toEqual([
		{ text: "a", style: {}, stream: "stdout" },
		{ text: "red", style: { bold: true, color: 1 }, stream: "stdout" },
		{ text: " b", style: {}, stream: "stdout" },
		{ text: "o", style: { color: "#ff8700" }, stream: "stdout" },
		{ text: "t", style: { color: "#010203" }, stream: "stdout" },
		{ text: ".\n", style: {}, stream: "stdout" },
	]);
});

test("a carriage return goes back to the beginning of the line", () => {
	expect(plain(out("10 %\r20 %\r100 %\ndone\r\n"))).toBe("100 %\ndone\n");
	expect(plain(out("long line\rab"))).toBe("abng line");
	expect(plain(out("long line\r\x1b[Kab\n"))).toBe("ab\n");
	expect(plain(out("abc\b\bX\n"))).toBe("aXc\n");
	expect(plain(out("12345\x1b[3GX\x1b[2DY\n"))).toBe("1YX45\n");
});

test("what moves elsewhere, titles and questions are dropped, and nothing behind them", () => {
	expect(plain(out("\x1b[2J\x1b[Hone\x1b]0;title\x07 two\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\\x1b[?25l\x1b(B\x1b=\x07\x00\x1b[6n\x1bPq#0\x1b\\.\n"))).toBe("one twolink.\n");
	expect(plain(out("\x1b[31"), out("mred\x1b[0m\n"))).toBe("red\n");
	expect(plain(out("\x1b["), err("oops\n"), out("1mx"))).toBe("oops\nx");
	expect(plain(out(`a\x1b]${"x".repeat(10000)}\nb`))).toContain("\nb"); // a title without an end hides nothing that follows
	expect(plain(out("ends in \x1b"))).toBe("ends in ");
});

test("bytes of all kinds break nothing", () => {
	let seed = 7;
	const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) / 0x7fffffff;
	const letters = "\x1b\x1b[]();0123456789mKGCDHJ\r\n\b\t\x07abc🔥é\x9b\x00";
	for (let round = 0; round < 300; round++) {
		const pieces = Array.from({ length: 5 }, () => (random() < 0.5 ? out : err)(Array.from({ length: 40 }, () => letters[Math.floor(random() * letters.length)]).join("")));
		const text = plain(...pieces);
		expect(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)).toBe(false);
	}
});

test("streams are told apart, and lines have the time they began at", () => {
	expect(shownText([out("a\n", "5"), err("b\n"), out("c", "9"), out("d\n", "11")], true).map(({ text, stream, time }) => [text, stream, time])).toEqual([["a\n", "stdout", "5"], ["b\n", "stderr", "0"], ["cd\n", "stdout", "9"]]);
});

test("neighbours of one look are one span", () => {
	const text = Array.from({ length: 20000 }, (_, i) => `\x1b[0mline ${i}\x1b[0m of many\n`).join("");
	expect(shownText([out(text)], false).length).toBe(1);
});
