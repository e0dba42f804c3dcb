// SPDX-License-Identifier: Apache-2.0
// Remedies are sentences; the command in one is what a person wants to copy.

// It begins with sudo or export and ends where the sentence goes on.
const COMMAND = /\b(?:sudo|export) (?:(?!, |; | \(| (?:frees|opens|says|or|and|then|names) ).)+/;

export function commandIn(remedy: string | null): string {
	return COMMAND.exec(remedy ?? "")?.[0].trim() ?? "";
}
