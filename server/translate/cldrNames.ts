/** Names of months, days and languages, and numbers with units, in other languages: from CLDR, no model guesses them. */

import { primaryLanguage } from './languageCodes.ts';

const languages =
	'af am ar az be bg bn bs ca cs cy da de el en es et eu fa fi fil fr ga gl gu he hi hr hu hy id is it ja ka kk km kn ko ky lo lt lv mk ml mn mr ms my nb ne nl or pa pl ps pt ro ru si sk sl sq sr sv sw ta te th tr uk ur uz vi zh zu'.split(
		' ',
	);
const units =
	'millisecond second minute hour day week month year bit byte kilobyte megabyte gigabyte terabyte degree celsius fahrenheit millimeter centimeter meter kilometer inch foot yard mile gram kilogram ounce pound liter milliliter'.split(
		' ',
	);
/** Months and days of some year, at noon. */
const months = Array.from({ length: 12 }, (_, month) => Date.UTC(2023, month, 15, 12));
const days = Array.from({ length: 7 }, (_, day) => Date.UTC(2023, 0, 1 + day, 12));
/** Pairs of languages whose names are remembered. */
const maxPairs = 50;
const known = new Map<string, ReadonlyMap<string, string>>();

/** Names in one language in a fixed order, the ones in full first. */
function namesIn(language: string): (string | undefined)[] {
	const dates = (times: readonly number[], options: Intl.DateTimeFormatOptions) => {
		const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
		return times.map((time) => format.format(time));
	};
	const names = new Intl.DisplayNames([language], { type: 'language', fallback: 'none' });
	return [
		...dates(months, { month: 'long' }),
		...dates(days, { weekday: 'long' }),
		...languages.map((code) => names.of(code)),
		...dates(months, { month: 'short' }),
		...dates(days, { weekday: 'short' }),
	];
}

function namesOf(from: string, to: string): ReadonlyMap<string, string> {
	const pair = `${from} ${to}`;
	const there = known.get(pair);
	if (there) return there;
	const names = new Map<string, string>();
	const targets = namesIn(to);
	namesIn(from).forEach((name, index) => {
		const target = targets[index];
		if (name !== undefined && target !== undefined && !names.has(name)) names.set(name, target);
	});
	if (known.size >= maxPairs) known.clear();
	known.set(pair, names);
	return names;
}

/** A text that is nothing but a name or a number with its unit, in another language. */
export function cldrText(text: string, from: string, to: string): string | undefined {
	if (text.length > 40 || primaryLanguage(from) === primaryLanguage(to)) return undefined;
	try {
		return namesOf(from, to).get(text) ?? measureIn(text, from, to);
	} catch (error) {
		// A code that is none of BCP 47 has no names.
		if (error instanceof RangeError) return undefined;
		throw error;
	}
}

function measureIn(text: string, from: string, to: string): string | undefined {
	const digits = /^\d{1,9} (?=\p{L})/u.exec(text)?.[0];
	if (digits === undefined) return undefined;
	const count = Number(digits);
	const written = (language: string, unit: string) =>
		new Intl.NumberFormat(language, {
			...{ style: 'unit', unit, unitDisplay: 'long', useGrouping: false },
		} as Intl.NumberFormatOptions).format(count);
	const unit = units.find((one) => written(from, one) === text);
	return unit === undefined ? undefined : written(to, unit);
}
