/**
 * Prompts written as Ollama's templates, a small part of Go's text/template: fields, `if`, `else if`, `else`,
 * `end`, `not`, `and`, `or`, comments, and trimming. Everything else is refused by name.
 */

import { AppError } from '../../protocol/index.ts';

/** Values of a template; `Response` is where the answer begins, and nothing behind it is read. */
export interface TemplateValues {
	readonly System: string;
	readonly Prompt: string;
	readonly Suffix: string;
}

/** A condition that is open: whether its branch is written, and whether one has been. */
interface Branch {
	writes: boolean;
	taken: boolean;
	readonly outer: boolean;
}

/** @throws AppError `unsupported_parameter` for what is not understood */
export function fillTemplate(template: string, values: TemplateValues): string {
	const pieces: string[] = [];
	const open: Branch[] = [];
	const writes = () => open.at(-1)?.writes ?? true;
	let at = 0;
	let trims = false;
	for (;;) {
		const start = template.indexOf('{{', at);
		const end = start < 0 ? -1 : template.indexOf('}}', start + 2);
		if (start >= 0 && end < 0) throw refused('an action without end');
		const trimsBefore = start >= 0 && /^-\s/.test(template.slice(start + 2, start + 4));
		const text = template.slice(at, start < 0 ? undefined : start);
		const left = trims ? text.trimStart() : text;
		if (writes()) pieces.push(trimsBefore ? left.trimEnd() : left);
		if (start < 0) break;
		const inner = template.slice(start + 2, end);
		trims = /\s-$/.test(inner.slice(-2));
		const action = inner.slice(trimsBefore ? 1 : 0, trims ? -1 : undefined).trim();
		at = end + 2;
		if (action.startsWith('/*')) continue;
		const [word = '', ...rest] = action.split(/\s+/);
		if (word === 'if') {
			const outer = writes();
			const taken = outer && isTrue(rest, values);
			open.push({ writes: taken, taken, outer });
		} else if (word === 'else') {
			const branch = open.at(-1);
			if (branch === undefined) throw refused(action);
			const [also, ...condition] = rest;
			if (also !== undefined && also !== 'if') throw refused(action);
			branch.writes =
				branch.outer && !branch.taken && (also === undefined || isTrue(condition, values));
			branch.taken ||= branch.writes;
		} else if (word === 'end') {
			if (open.pop() === undefined) throw refused(action);
		} else if (word === '.Response' && rest.length === 0) {
			if (writes()) return pieces.join('');
		} else {
			const value = rest.length === 0 ? fieldOf(word, values) : undefined;
			if (value === undefined) throw refused(action);
			if (writes()) pieces.push(value);
		}
	}
	if (open.length > 0) throw refused('an if without end');
	return pieces.join('');
}

function isTrue([word = '', ...rest]: readonly string[], values: TemplateValues): boolean {
	if (word === 'not' && rest.length === 1) return !isTrue(rest, values);
	if (word === 'and' || word === 'or') {
		const found = rest.map((each) => isTrue([each], values));
		return word === 'and' ? found.every(Boolean) : found.some(Boolean);
	}
	const value = rest.length === 0 ? fieldOf(word, values) : undefined;
	if (value === undefined) throw refused([word, ...rest].join(' '));
	return value !== '';
}

function fieldOf(word: string, values: TemplateValues): string | undefined {
	switch (word) {
		case '.System':
		case '.Prompt':
		case '.Suffix':
			return values[word.slice(1) as keyof TemplateValues];
		case '.Response':
			return '';
		default:
			return undefined;
	}
}

const refused = (what: string) =>
	new AppError(
		'unsupported_parameter',
		`'template' has ${what.length > 60 ? 'a longer action' : `'${what}'`}, which is not understood here: only .System, .Prompt, .Suffix, .Response, if, else and end are. Send messages to /api/chat, or 'raw'.`,
		{ param: 'template' },
	);
