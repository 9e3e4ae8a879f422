/** The fields of forms: each comes as a list of texts, and is read into a value. An empty text counts as none. */

import { invalid, missingField, Refused } from './check.ts';
import { type NumberLimits, optional, range, ruled, type SchemaObject } from './fields.ts';

/** Names of fields without `[]`, each with its texts in order. */
export type FormTexts = Readonly<Record<string, readonly string[]>>;

function single<T>(described: SchemaObject, rule: (text: string) => T) {
	return optional(
		ruled(described, (sent) => {
			const text = onlyText(sent);
			return text === undefined ? undefined : rule(text);
		}),
	);
}

function onlyText(sent: unknown): string | undefined {
	const [text, ...others] = sent as readonly string[];
	if (others.length > 0)
		throw new Refused('', (name) => `${name} was sent ${others.length + 1} times; send it once.`);
	return text === '' ? undefined : text;
}

/** A text that must be there. */
export const neededText = (description: string) =>
	ruled({ type: 'string', description }, (sent) => {
		const text = onlyText(sent);
		if (text === undefined) throw missingField('');
		return text;
	});

export function formText(description: string, { maxLength = 65_536 } = {}) {
	return single({ type: 'string', description, maxLength }, (text) => {
		if (text.length <= maxLength) return text;
		const { length } = text;
		throw new Refused(
			'',
			(name) => `${name} has ${length} characters; at most ${maxLength} are read.`,
		);
	});
}

/** `true`, `false`, `1`, `0` in any letter case. */
export function flagOf(text: string): boolean {
	if (/^(true|1)$/i.test(text)) return true;
	if (/^(false|0)$/i.test(text)) return false;
	throw invalid('', 'true or false', text);
}

export const formFlag = (description: string) => single({ type: 'boolean', description }, flagOf);

export interface FormNumber extends Required<NumberLimits> {
	readonly description?: string;
	readonly default?: number;
	readonly type?: 'number' | 'integer';
}

export function formNumber({ min, max, type = 'number', ...described }: FormNumber) {
	const should = range(type === 'integer' ? 'an integer' : 'a number', { min, max });
	return single({ type, minimum: min, maximum: max, ...described }, (text) => {
		const number = text.trim() === '' ? Number.NaN : Number(text);
		if (number >= min && number <= max && (type === 'number' || Number.isInteger(number)))
			return number;
		throw invalid('', should, text);
	});
}

function chosen<T extends string>(values: readonly T[], text: string, at = ''): T {
	const found = values.find((value) => value === text);
	if (found !== undefined) return found;
	throw invalid(at, `one of ${values.map((value) => `'${value}'`).join(', ')}`, text);
}

export const formChoice = <const T extends string>(
	values: readonly T[],
	described: { readonly description: string; readonly default?: T },
) => single({ type: 'string', enum: values, ...described }, (text) => chosen(values, text));

/** A field that is sent once per value, with `[]` behind its name. */
export const formChoices = <const T extends string>(values: readonly T[], description: string) =>
	optional(
		ruled({ type: 'array', items: { type: 'string', enum: values }, description }, (sent) =>
			(sent as readonly string[]).map((text) => chosen(values, text)),
		),
	);
