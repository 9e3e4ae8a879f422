/** Plural categories of languages, and numbers that stand for them while a sentence is translated. */

import { defined } from '../../protocol/defined.ts';
import { LruMap } from '../../protocol/lruMap.ts';

/** Number of things, as CLDR sorts them. */
const order: readonly string[] = ['zero', 'one', 'two', 'few', 'many', 'other'];

/** Numbers a category is looked up with; 1 first, since it reads best for `one`. */
const candidates = [...Array.from({ length: 200 }, (_, index) => index + 1), 0, 1_000_000];

export interface PluralCategory {
	readonly name: string;
	/** A number of this category; none when only fractions are. */
	readonly sample?: number;
	/** Whether 1 is the only whole number of this category. */
	readonly onlyOne: boolean;
}

type PluralType = 'cardinal' | 'ordinal';

/** The languages asked for last; each costs hundreds of lookups. */
const known = new LruMap<string, { readonly categories: readonly PluralCategory[] | undefined }>(
	50,
);

/** Plural categories of a language in the order of CLDR, or `undefined` when it is not known. */
export function pluralCategories(
	language: string,
	type: PluralType,
): readonly PluralCategory[] | undefined {
	const key = `${type} ${language}`;
	const found = known.get(key) ?? { categories: findCategories(language, type) };
	known.set(key, found);
	return found.categories;
}

function findCategories(language: string, type: PluralType): PluralCategory[] | undefined {
	const rules = rulesOf(language, type);
	return rules
		?.resolvedOptions()
		.pluralCategories.toSorted((a, b) => order.indexOf(a) - order.indexOf(b))
		.map((name) => {
			const numbers = candidates.filter((number) => rules.select(number) === name);
			const [sample] = numbers;
			const onlyOne = numbers.length === 1 && sample === 1;
			return { name, onlyOne, ...defined({ sample }) };
		});
}

/** CLDR rules of a language, or `undefined` when there are none. */
export function rulesOf(language: string, type: PluralType): Intl.PluralRules | undefined {
	try {
		if (Intl.PluralRules.supportedLocalesOf(language).length === 0) return undefined;
		return new Intl.PluralRules(language, { type });
	} catch {
		return undefined;
	}
}

/**
 * A sentence with a number in place of its placeholder: translators then choose the right form.
 *
 * @returns `undefined` when the number could not be found again.
 */
export function withNumber(text: string, placeholder: string, number: number): string | undefined {
	const parts = text.split(placeholder);
	return parts.length === 2 && !/\d/.test(parts.join('')) ? parts.join(String(number)) : undefined;
}

/** Puts the placeholder back; `undefined` when the number is not there exactly once. */
export function withoutNumber(
	translation: string,
	placeholder: string,
	number: number,
): string | undefined {
	const digits = translation.match(/\d+(?:[.,\u00a0\u202f]\d+)*/g) ?? [];
	if (digits.length !== 1 || digits[0] !== String(number)) return undefined;
	return translation.split(String(number)).join(placeholder);
}
