/** Why a process that was started here has ended, by what it wrote last. */

import { stripVTControlCharacters } from 'node:util';

const maxLength = 200;

/** Stacks, excerpts of sources, properties of errors, and what a process says while all is well. */
const noise =
	/^(?:\s+(?!\s|what\(\))|[{}[\]#^-]|Node\.js v|Thrown at|\(node:|\(Use `|.{0,80}\[[VIW]:onnxruntime)/;

/** Folders, which are nobody's business but the owner's; the name of a file stays. */
const folders = /(?:\b[A-Za-z]:|\bfile:\/\/)?[\\/](?:[^'"\\/:\n]{1,120}[\\/])+/g;

/** Names and passwords in addresses, and what is shown to be let in. */
const secrets =
	/(?<=:\/\/)[^\s/@]{1,200}@|\b(?:bearer|basic|token|key|password|secret)\b["']?[\s:=]{1,3}["']?[^\s"']{4,}/giu;

/**
 * One line for a message about its end.
 * @param stderr the end of what it wrote
 * @returns `undefined` where it said nothing of the kind
 */
export function lastWords(stderr: string): string | undefined {
	const line = stripVTControlCharacters(stderr)
		.split(/\r?\n/)
		.findLast((each) => each.trim() !== '' && !noise.test(each));
	// What cannot be parsed is quoted, and may be somebody's text.
	const shown = /^SyntaxError\b/.test(line ?? '') ? 'SyntaxError' : line;
	let said = shown
		?.replaceAll(secrets, '…')
		.replaceAll(folders, '')
		.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
		.trim()
		.slice(0, maxLength);
	while (said !== undefined && /[.:;,]$/.test(said)) said = said.slice(0, -1);
	return said;
}

/** The same as a sentence that follows another one, or nothing. */
export function saidLast(stderr: string): string {
	const words = lastWords(stderr);
	return words === undefined || words === '' ? '' : ` It said last: ${words}.`;
}
