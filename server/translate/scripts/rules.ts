/**
 * Runs transliteration rules compiled from CLDR transforms (`scripts/transliteration.py`). Semantics
 * of UTS 35, part 7: rules work in place on the runs a filter allows, and see the text around them;
 * the edge of the text is U+FFFF.
 */

import { cutText } from '../cutText.ts';
import { startOfRun } from '../whiteSpace.ts';

/** A result: text (U+E1xx = group xx, U+E200 = cursor) or a call of another transform on a result. */
type Part = string | readonly [name: string, parts: readonly Part[]];
type RuleRow = readonly [before: string, key: string, after: string, result: readonly Part[]];
type Step =
	| readonly ['call', filter: string, name: string]
	| readonly ['rules', rules: readonly RuleRow[]];

export interface TransformTable {
	readonly transforms: Readonly<
		Record<string, { readonly filter?: string; readonly steps: readonly Step[] }>
	>;
}

interface Rule {
	readonly pattern: RegExp;
	readonly result: readonly Part[];
}

/** Text with the run that may be changed: `[start, end)`. */
interface Run {
	text: string;
	start: number;
	end: number;
}

type Apply = (run: Run) => void;

const edge = '\uFFFF';
const cursorMark = '\uE200';
/** Characters converted at once: each rule that applies copies the text it works on. */
const pieceLength = 500;

/** Makes transforms of a table by name; each one is compiled when first used. */
export function createTransforms(
	table: TransformTable,
): (name: string) => (text: string) => string {
	const compiled = new Map<string, Apply>();

	const named = (name: string): Apply => {
		const known = compiled.get(name);
		if (known) return known;
		const made = builtIn(name) ?? compile(name);
		compiled.set(name, made);
		return made;
	};

	const compile = (name: string): Apply => {
		const transform = table.transforms[name];
		if (!transform) throw new Error(`There is no transform ${name}.`);
		const steps = transform.steps.map((step): Apply => {
			if (step[0] === 'call') {
				const inner = named(step[2]);
				return step[1] === '' ? inner : filtered(step[1], inner);
			}
			return rulePass(step[1], named);
		});
		const all: Apply = (run) => {
			for (const step of steps) step(run);
		};
		return transform.filter === undefined ? all : filtered(transform.filter, all);
	};

	const convert = (name: string, text: string): string => {
		const run = {
			text: edge + text.replaceAll(edge, '\uFFFD') + edge,
			start: 1,
			end: text.length + 1,
		};
		named(name)(run);
		return run.text.slice(run.start, run.end);
	};
	return (name) => (text) =>
		cutText(text, pieceLength, 'en')
			.map((piece) => convert(name, piece))
			.join('');
}

/** Applies a transform to each run of characters that a set holds. */
function filtered(set: string, apply: Apply): Apply {
	const pattern = new RegExp(`(?:${set})+`, 'gv');
	return (run) => {
		let at = run.start;
		while (at < run.end) {
			pattern.lastIndex = at;
			const match = pattern.exec(run.text);
			if (!match || match.index >= run.end) return;
			const inner = {
				text: run.text,
				start: match.index,
				end: Math.min(run.end, match.index + match[0].length),
			};
			const tail = run.text.length - inner.end;
			apply(inner);
			run.end += inner.text.length - run.text.length;
			run.text = inner.text;
			at = run.text.length - tail;
		}
	};
}

function replaceRun(run: Run, by: string): void {
	run.text = run.text.slice(0, run.start) + by + run.text.slice(run.end);
	run.end = run.start + by.length;
}

const thaiWords = new Intl.Segmenter('th', { granularity: 'word' });

function builtIn(name: string): Apply | undefined {
	const on =
		(change: (text: string) => string): Apply =>
		(run) =>
			replaceRun(run, change(run.text.slice(run.start, run.end)));
	switch (name) {
		case 'NFC':
		case 'NFD':
		case 'NFKC':
		case 'NFKD':
			return on((text) => text.normalize(name));
		case 'Lower':
			return on((text) => text.toLowerCase());
		case 'Upper':
			return on((text) => text.toUpperCase());
		case 'Title':
			return on((text) =>
				text.replace(
					/(\p{L})([\p{L}\p{M}'’]*)/gu,
					(_, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase(),
				),
			);
		case 'Remove':
			return on(() => '');
		case 'BreakInternal':
			// A space between two words that the writing does not part.
			return on((text) => {
				let out = '';
				let last = '';
				for (const { segment } of thaiWords.segment(text)) {
					const joined = /[\p{L}\p{M}]$/u.test(last) && /^\p{L}/u.test(segment);
					out += (joined ? ' ' : '') + segment;
					last = segment;
				}
				return out;
			});
		default:
			return undefined;
	}
}

/** One pass of rules: at each position the first rule that matches is applied. */
function rulePass(rows: readonly RuleRow[], named: (name: string) => Apply): Apply {
	const rules = rows.map(([before, key, after, result]): Rule => {
		const behind = before === '' ? '' : `(?<=${before})`;
		const ahead = after === '' ? '' : `(?=${after})`;
		return { pattern: new RegExp(`${behind}${key}${ahead}`, 'yv'), result };
	});
	const starts = rows.map(([, key]) => firstOf(key));
	const byCharacter = new Map<string, readonly Rule[]>();
	const candidates = (character: string): readonly Rule[] => {
		const known = byCharacter.get(character);
		if (known) return known;
		const found = rules.filter((_, index) => starts[index]?.test(character) ?? true);
		byCharacter.set(character, found);
		return found;
	};

	return (run) => {
		let at = run.start;
		// A rule that neither consumes nor moves on would never end; real rule sets have none.
		let stuck = 0;
		while (at < run.end && stuck < 20) {
			const character = String.fromCodePoint(run.text.codePointAt(at) ?? 0);
			let applied = false;
			for (const { pattern, result } of candidates(character)) {
				pattern.lastIndex = at;
				const match = pattern.exec(run.text);
				if (!match || at + match[0].length > run.end) continue;
				const { text, cursor } = fill(result, match, named);
				run.text = run.text.slice(0, at) + text + run.text.slice(at + match[0].length);
				run.end += text.length - match[0].length;
				const next = Math.max(run.start, at + cursor);
				stuck = next > at ? 0 : stuck + 1;
				at = next;
				applied = true;
				break;
			}
			if (applied) continue;
			at += character.length;
			stuck = 0;
		}
	};
}

/** A test for the first character of a key, or `undefined` when anything may start it. */
function firstOf(key: string): RegExp | undefined {
	const literal = /^(\\?[^\\[(*+?.|{}])(?![*?{])/su.exec(key);
	if (literal) {
		const character = (literal[1] ?? '').replace('\\', '');
		return literal[1]?.startsWith('\\') && /[a-zA-Z]/.test(character)
			? undefined
			: new RegExp(literal[1] ?? '', 'v');
	}
	return undefined;
}

function fill(
	parts: readonly Part[],
	match: RegExpExecArray,
	named: (name: string) => Apply,
): { text: string; cursor: number } {
	let text = '';
	for (const part of parts) {
		if (typeof part === 'string') {
			text += part.replace(/[\uE101-\uE109]/g, (mark) => match[mark.charCodeAt(0) - 0xe100] ?? '');
			continue;
		}
		const inner = fill(part[1], match, named).text;
		const run = { text: edge + inner + edge, start: 1, end: inner.length + 1 };
		named(part[0].replace(/^Any-/i, ''))(run);
		text += run.text.slice(run.start, run.end);
	}
	const cursor = text.indexOf(cursorMark);
	if (cursor < 0) return { text: text.replaceAll('\uE201', ''), cursor: text.length };
	// `@` moves the cursor out of the result: before it to the left, after it to the right.
	const before = cursor - startOfRun(text, cursor, '\uE201');
	const after = /^\uE200(\uE201*)/.exec(text.slice(cursor))?.[1]?.length ?? 0;
	const clean = text.replace(/[\uE200\uE201]/g, '');
	const place = text.slice(0, cursor).replaceAll('\uE201', '').length;
	return { text: clean, cursor: place - before + after };
}
