/**
 * Comments and strings by their markers alone, for languages that no grammar at hand reads. Knows what
 * a string is, so that a marker inside one does not begin a comment.
 */

import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Prose } from './prose.ts';
import type { Slices } from './slices.ts';

/** Markers of a language. */
export interface Markers {
	readonly line: readonly string[];
	readonly blocks: readonly (readonly [open: string, close: string])[];
	/** Quotes of strings that end with their line. */
	readonly quotes: readonly string[];
}

const markers = (
	line: string,
	blocks: readonly (readonly [string, string])[] = [],
	quotes = '"',
): Markers => ({ line: line === '' ? [] : line.split(' '), blocks, quotes: [...quotes] });

const slashes = markers('//', [['/*', '*/']], '"\'');
const hashes = markers('#', [], '"\'');
const dashes = markers('--', [['/*', '*/']], "'");
const html = markers('', [['<!--', '-->']], '');
const lisp = markers(';', [['#|', '|#']]);
const percent = markers('%', [], '');

/** Language identifier of the protocol → its markers. */
export const commentMarkers: Readonly<Record<string, Markers>> = {
	ada: markers('--'),
	apex: slashes,
	awk: hashes,
	bat: markers('REM ::', [], ''),
	clojure: markers(';'),
	cmake: markers('#', [['#[[', ']]']]),
	coffeescript: markers('#', [['###', '###']], '"\''),
	'common-lisp': lisp,
	crystal: hashes,
	'cuda-cpp': slashes,
	d: slashes,
	dart: slashes,
	dockercompose: hashes,
	dockerfile: hashes,
	elixir: markers('#'),
	elm: markers('--', [['{-', '-}']]),
	erlang: markers('%'),
	fish: hashes,
	fortran: markers('!', [], '"\''),
	fsharp: markers('//', [['(*', '*)']]),
	gitignore: markers('#', [], ''),
	glsl: slashes,
	graphql: hashes,
	groovy: slashes,
	hlsl: slashes,
	haskell: markers('--', [['{-', '-}']]),
	html,
	jsonc: markers('//', [['/*', '*/']]),
	julia: markers('#', [['#=', '=#']]),
	kotlin: slashes,
	latex: percent,
	less: slashes,
	lisp,
	lua: markers('--', [['--[[', ']]']], '"\''),
	makefile: markers('#', [], ''),
	matlab: markers('%', [['%{', '%}']], '"'),
	nginx: hashes,
	nim: markers('#', [['#[', ']#']]),
	nix: markers('#', [['/*', '*/']]),
	ocaml: markers('', [['(*', '*)']]),
	pascal: markers(
		'//',
		[
			['{', '}'],
			['(*', '*)'],
		],
		"'",
	),
	perl: hashes,
	perl6: hashes,
	prolog: markers('%', [['/*', '*/']], ''),
	proto3: slashes,
	r: hashes,
	razor: markers(
		'',
		[
			['@*', '*@'],
			['<!--', '-->'],
		],
		'',
	),
	scala: slashes,
	scheme: lisp,
	scss: slashes,
	solidity: slashes,
	sql: dashes,
	svelte: markers(
		'//',
		[
			['<!--', '-->'],
			['/*', '*/'],
		],
		'',
	),
	swift: markers('//', [['/*', '*/']]),
	systemverilog: markers('//', [['/*', '*/']]),
	tcl: markers('#'),
	terraform: markers('# //', [['/*', '*/']]),
	tex: percent,
	toml: hashes,
	vb: markers("'"),
	verilog: markers('//', [['/*', '*/']]),
	vhdl: markers('--'),
	viml: markers('"', [], "'"),
	vue: markers(
		'//',
		[
			['<!--', '-->'],
			['/*', '*/'],
		],
		'',
	),
	xml: html,
	xsl: html,
	yaml: hashes,
	zig: markers('//'),
};

/** Everything of a text that is a comment or a string, in order. Works in slices. */
export async function markedProse(
	document: TextDocument,
	use: Markers,
	slices: Slices,
): Promise<Prose[]> {
	const text = document.getText();
	const scanner = scannerOf(use);
	const found: Prose[] = [];
	for (let match = scanner.exec(text); match; match = scanner.exec(text)) {
		const start = match.index;
		const end = start + match[0].trimEnd().length;
		if (match.groups?.['string'] === undefined) found.push({ kind: 'comment', start, end });
		else found.push({ kind: 'string', start, end });
		if (match[0] === '') scanner.lastIndex++;
		if (slices.isOver) await slices.pause();
	}
	return found;
}

function scannerOf({ line, blocks, quotes }: Markers): RegExp {
	const parts = [
		...blocks.map(
			([open, close]) =>
				`${escaped(open)}(?:(?!${escaped(close)})[^])*(?:${escaped(close)}|$(?![^]))`,
		),
		...line.map((marker) => `${guarded(marker)}[^\\r\\n]*`),
	];
	if (quotes.length > 0) {
		const strings = quotes.map((quote) => `${quote}(?:[^${quote}\\\\\\r\\n]|\\\\.)*${quote}`);
		parts.push(`(?<string>${strings.join('|')})`);
	}
	return new RegExp(parts.join('|'), 'gmu');
}

/** A marker where it can begin a comment, such as after white space; `://` is part of an address. */
function guarded(marker: string): string {
	if (/^\w/.test(marker)) return `(?<=^[ \\t@]*)${escaped(marker)}\\b`;
	if (marker === '"' || marker === '::') return `(?<=^[ \\t]*)${escaped(marker)}`;
	if (marker === '//') return '(?<![:"\'\\w])//';
	return `(?<=^|[\\s;{}()\\[\\],])${escaped(marker)}`;
}

function escaped(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
