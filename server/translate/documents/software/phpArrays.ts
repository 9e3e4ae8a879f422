/**
 * PHP files that return an array of messages, as Laravel and Symfony have them: strings that are values. Keys,
 * code, comments and strings that are put together stay.
 */

import { pushAll } from '../../../protocol/lists.ts';
import { gateRules } from '../../gate/gateRules.ts';
import { isProse } from '../isProse.ts';
import { branchesOfLine } from '../lineBranches.ts';
import type { Extract, Fault, Piece } from '../piece.ts';
import { samePlaceholders } from '../placeholders.ts';
import { remarksIn } from '../remarks.ts';
import { phpToken } from './phpToken.ts';

/** `:name`, as Laravel writes what is put in. */
const names = /:[A-Za-z_]\w*/g;

interface Found {
	readonly pieces: Piece[];
	readonly fault?: Fault;
}

function scan(text: string): Found {
	const isKept = remarksIn(text);
	const pieces: Piece[] = [];
	const begin = text.indexOf('<?php');
	if (begin < 0) return { pieces, fault: { at: 0, what: 'there is no <?php' } };
	/** Brackets that are open: whether they hold the values of an array. */
	const open: boolean[] = [];
	let before = '';
	let last: { start: number; end: number; raw: string; quote: string; before: string } | undefined;
	const finish = (after: string) => {
		if (
			last &&
			open.at(-1) &&
			/^[,\])]$/.test(after) &&
			/^(?:=>|,|\[|\(|array\()$/.test(last.before)
		)
			pushAll(pieces, pieceOf(last, isKept));
		last = undefined;
	};
	for (let at = begin + 5; at < text.length; ) {
		phpToken.lastIndex = at;
		const match = phpToken.exec(text);
		if (!match) break;
		const [all, gap, remark, single, double, heredoc, arrow, word, sign] = match;
		at += all.length;
		if (gap !== undefined || remark !== undefined) continue;
		if (heredoc !== undefined) {
			// What is between its two names is no code.
			const name = /^<<<[ \t]*["']?(\w+)/.exec(heredoc)?.[1];
			const end =
				name === undefined ? -1 : text.slice(at).search(new RegExp(`^[ \\t]*${name}\\b`, 'm'));
			if (end < 0) return { pieces, fault: { at: match.index, what: 'a text is not closed' } };
			at += end;
			before = '<<<';
			continue;
		}
		if (single !== undefined || double !== undefined) {
			finish('string');
			const start = match.index + 1;
			const quote = single === undefined ? '"' : "'";
			last = { start, end: at - 1, raw: single ?? double ?? '', quote, before };
			before = 'string';
			continue;
		}
		const said = arrow ?? word?.toLowerCase() ?? sign ?? '';
		finish(said);
		if (said === '?' && text[at] === '>') break;
		if (said === '"' || said === "'")
			return { pieces, fault: { at: match.index, what: 'a string is not closed' } };
		if (said === '[' || said === '(') {
			// `$a['key']` and calls hold no messages.
			const isArray =
				said === '['
					? !/^(?:string|\$|\]|\)|[a-z_].*)$/.test(before) || before === 'return'
					: before === 'array';
			open.push(isArray);
			before = said === '(' && before === 'array' ? 'array(' : said;
			continue;
		}
		if (said === ']' || said === ')') {
			if (open.pop() === undefined)
				return { pieces, fault: { at: match.index, what: 'a bracket closes nothing' } };
		}
		before = said;
	}
	return open.length === 0
		? { pieces }
		: { pieces, fault: { at: text.length, what: 'an array is not closed' } };
}

function pieceOf(
	{ start, end, raw, quote }: { start: number; end: number; raw: string; quote: string },
	isKept: ReturnType<typeof remarksIn>,
): Piece[] {
	// Variables in a string are code.
	if (quote === '"' && /(?<!\\)\$|\{\$/.test(raw)) return [];
	const text = quote === "'" ? raw.replace(/\\(['\\])/g, '$1') : unescaped(raw);
	if (!isProse(text.trim()) || isKept(start, '')) return [];
	const encode = (made: string) => (quote === "'" ? made.replace(/[\\']/g, '\\$&') : escaped(made));
	const branches = branchesOfLine(text, choice, sameNames);
	return [{ start, end, text, delimiters: names, encode, ...(branches ? { branches } : {}) }];
}

function sameNames(source: string, made: string): boolean {
	const of = (one: string) => (one.match(names) ?? []).sort().join();
	return of(source) === of(made) && samePlaceholders(source, made);
}

/** `{0} none|[1,19] some|[20,*] many` */
const choice = /^\s*(?:\{[\d,\s]+\}|\[[\d,\s*]+\])?\s*/;

const letters: ReadonlyMap<string, string> = new Map([
	['n', '\n'],
	['t', '\t'],
	['r', '\r'],
	['v', '\v'],
	['e', '\u001b'],
	['f', '\f'],
]);

function unescaped(raw: string): string {
	return raw.replace(
		/\\(?:u\{([\da-fA-F]{1,6})\}|([ntrvef"\\$]))|((?:\\x[\da-fA-F]{1,2}|\\[0-7]{1,3})+)/g,
		(all, unicode?: string, letter?: string, bytes?: string) => {
			if (letter !== undefined) return letters.get(letter) ?? letter;
			if (bytes !== undefined) return writtenBytes(bytes);
			const code = Number.parseInt(unicode ?? '', 16);
			return code <= 0x10ffff ? String.fromCodePoint(code) : all;
		},
	);
}

/** `\xC3\244`: bytes of UTF-8, in hexadecimal or octal. */
function writtenBytes(escapes: string): string {
	const bytes = escapes
		.split('\\')
		.slice(1)
		.map((one) =>
			one.startsWith('x') ? Number.parseInt(one.slice(1), 16) : Number.parseInt(one, 8) & 0xff,
		);
	return Buffer.from(bytes).toString('utf8');
}

function escaped(text: string): string {
	return text
		.replace(/[\\"$]/g, '\\$&')
		.replaceAll('\n', '\\n')
		.replaceAll('\r', '\\r')
		.replaceAll('\t', '\\t');
}

export const extractPhp: Extract = Object.assign((text: string) => scan(text).pieces, {
	rules: gateRules.php,
	faultOf: (text: string) => scan(text).fault,
});

/** Whether a program does nothing but give back messages. */
export const isPhpMessages = (text: string): boolean =>
	/^\ufeff?<\?php\b(?:\s|\/\/[^\n]*\n|#[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/|declare\s*\([^()]*\)\s*;)*return\s*(?:\[|array\s*\()/i.test(
		text.slice(0, 10_000),
	);
