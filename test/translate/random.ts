/** A small seeded generator for property tests, and the texts that have broken things before. */

export interface Random {
	/** 0 ≤ x < 1. */
	next(): number;
	below(limit: number): number;
	pick<T>(values: readonly T[]): T;
}

export function seeded(seed: number): Random {
	let state = seed >>> 0 || 1;
	const next = (): number => {
		state ^= state << 13;
		state >>>= 0;
		state ^= state >>> 17;
		state ^= state << 5;
		state >>>= 0;
		return state / 2 ** 32;
	};
	const below = (limit: number): number => Math.floor(next() * limit);
	return { next, below, pick: (values) => values[below(values.length)] as (typeof values)[number] };
}

const pieces = [
	'Hello',
	' ',
	' ',
	' ',
	'world',
	'. ',
	'.',
	'\n',
	'\r\n',
	'{0}',
	'{{name}}',
	'%s',
	' %1$d ',
	'\u0024{x}',
	'<b>',
	'</b>',
	'<br/>',
	'<x id="1"/>',
	'&amp;',
	'&',
	'<',
	'>',
	' `code` ',
	'https://example.com/a?b=c',
	'Dr. ',
	'z. B. ',
	'привет',
	'世界',
	'。',
	'こんにちは',
	'مرحبا',
	'👩‍👩‍👧',
	'\u0000',
	'\u200F',
	'\uD800',
	'\uDC00',
	'\uFFFF',
	'e\u0301',
	'"',
	"'",
	'(',
	')',
	'...',
	'…',
	'\t',
	'\u00a0',
	'\u2028',
	' fooBar ',
	' snake_case ',
	'C:\\x\\y',
	'1.2.3',
	'3.',
	'I.',
	'<mstrans:dictionary translation="t">w</mstrans:dictionary>',
	'{',
	'}',
];

/** A text of up to `parts` awkward pieces. */
export function awkwardText(random: Random, parts: number): string {
	let text = '';
	for (let count = random.below(parts) + 1; count > 0; count--) text += random.pick(pieces);
	return text;
}

const htmlPieces = [
	'<p>',
	'</p>',
	'<b>',
	'</b>',
	'<i class=x>',
	'</i>',
	'<A HREF="y">',
	'</A>',
	'<br>',
	'<img src=z>',
	'<!-- c -->',
	'<span translate="no">',
	'</span>',
	'<div class=notranslate>',
	'</div>',
	'<script>if (a<b) {}</script>',
	'<code>x</code>',
	'<x id=1>',
	'</x>',
	'<placeholder value="max"/>',
	'One two',
	' three. ',
	'Four',
	' &amp; ',
	'&nbsp;',
	'&lt;',
	' a < b ',
	'{0}',
	' ',
	'\n',
	'<li>',
	'<ul>',
	'</ul>',
	'<',
	'</',
	'<!doctype html>',
	'<?php x ?>',
	'世界',
	'\u0000',
];

/** A fragment of HTML, mostly broken. */
export function awkwardHtml(random: Random, parts: number): string {
	let text = '';
	for (let count = random.below(parts) + 1; count > 0; count--) text += random.pick(htmlPieces);
	return text;
}
