/** Message files of a folder by their names: which is the source, and which are its translations. */

import type { MessageFamily } from '../../protocol/index.ts';
import { messageFormatOf } from './missingMessages.ts';

const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
/** Folders that hold messages and nothing else. */
const homes =
	/^(?:locales?|i18n|l10n|lang(?:uage)?s?|translations?|messages|nls|_locales|LC_MESSAGES|po)$/i;
const code = '[a-z]{2,3}(?:[-_][A-Z][a-z]{3})?(?:[-_](?:[A-Za-z]{2}|\\d{3}))?';
const wholeCode = new RegExp(`^${code}$`);
const nameWithCode = new RegExp(`^(.+)([._-])(${code})$`);

/** A path with its language taken out. */
interface Place {
	readonly path: string;
	/** As it is written in the path. */
	readonly written: string;
	/** `{to}` in place of the language. */
	readonly pattern: string;
	/** Whether nothing else than a language can be meant, even without other languages beside it. */
	readonly isSure: boolean;
}

interface Group {
	readonly pattern: string;
	readonly places: Place[];
}

/** Whether letters are a code of a language that has a name. */
export function isLanguageName(letters: string): boolean {
	if (!wholeCode.test(letters)) return false;
	try {
		return names.of(letters.replaceAll('_', '-')) !== undefined;
	} catch {
		return false;
	}
}

/** BCP 47 code of a language as file names write it. */
function canonical(written: string): string {
	return Intl.getCanonicalLocales(written.replaceAll('_', '-'))[0] ?? written;
}

/** Families of the message files among some paths (with `/`), in the order of their sources. */
export function messageFamilies(paths: readonly string[]): MessageFamily[] {
	const files = paths.filter((path) => messageFormatOf(path) !== undefined);
	const all = new Set(files);
	const groups = new Map<string, Group>();
	for (const path of files) {
		const place = placeOf(path, all);
		if (!place) continue;
		const group = groups.get(place.pattern) ?? { pattern: place.pattern, places: [] };
		group.places.push(place);
		groups.set(place.pattern, group);
	}
	return [...groups.values()]
		.filter(({ places }) => places.length > 1 || places.some(({ isSure }) => isSure))
		.flatMap((group) => familiesOf(group, files))
		.sort((a, b) => a.source.localeCompare(b.source, 'en'));
}

function placeOf(path: string, all: ReadonlySet<string>): Place | undefined {
	const parts = path.split('/');
	const file = parts.pop() ?? '';
	const [, base = '', ending = ''] = /^(.*?)(\.[^.]+)$/.exec(file) ?? [];
	const folder = parts.map((part) => `${part}/`).join('');
	const isHome = homes.test(parts.at(-1) ?? '') || /\.(?:arb|po|properties)$/.test(ending);
	if (isLanguageName(base))
		return { path, written: base, pattern: `${folder}{to}${ending}`, isSure: isHome };
	const [, stem = '', joint = '', written = ''] = nameWithCode.exec(base) ?? [];
	// `read_me` ends with a code, too: only a file without it, or a home of messages, makes it one.
	if (isLanguageName(written)) {
		const plain = all.has(`${folder}${stem}${ending}`);
		const hasOthers = [...all].some(
			(other) =>
				other !== path &&
				other.startsWith(`${folder}${stem}${joint}`) &&
				other.endsWith(ending) &&
				isLanguageName(other.slice(folder.length + stem.length + 1, -ending.length)),
		);
		if (plain || isHome || hasOthers)
			return { path, written, pattern: `${folder}${stem}${joint}{to}${ending}`, isSure: true };
	}
	for (let at = parts.length - 1; at >= 0; at--) {
		const part = parts[at] ?? '';
		const named = folderLanguage(part);
		if (named) {
			const { written, pattern } = named;
			const whole = [...parts.slice(0, at), pattern, ...parts.slice(at + 1), file];
			return { path, written, pattern: whole.join('/'), isSure: true };
		}
		if (!isLanguageName(part)) continue;
		const isHome = homes.test(parts[at - 1] ?? '') || homes.test(parts[at + 1] ?? '');
		if (!isHome) continue;
		const whole = [...parts.slice(0, at), '{to}', ...parts.slice(at + 1), file];
		return { path, written: part, pattern: whole.join('/'), isSure: true };
	}
	return undefined;
}

function familiesOf({ pattern, places }: Group, files: readonly string[]): MessageFamily[] {
	const targetsOf = (source: string | undefined) =>
		places
			.filter(({ path }) => path !== source)
			.map(({ path, written }) => ({ path, to: canonical(written) }));
	const plain = files.find((path) => plainOf(pattern).includes(path));
	const template = pattern.endsWith('.po') ? templateOf(pattern, files) : undefined;
	const named = plain ?? template;
	if (named !== undefined) return [{ source: named, targets: targetsOf(undefined), pattern }];
	const english = places.find(({ written }) => /^en(?:[-_]|$)/.test(written));
	if (pattern.endsWith('.po') && !english)
		// The ids of a gettext file are the source of its own translations.
		return places.map(({ path, written }) => ({
			source: path,
			targets: [{ path, to: canonical(written) }],
			pattern,
		}));
	const source = english ?? places[0];
	if (!source) return [];
	const from = canonical(source.written);
	return [{ source: source.path, from, targets: targetsOf(source.path), pattern }];
}

/** Where the source of a pattern may be that has no language in its name. */
const plainOf = (pattern: string): readonly string[] => [
	pattern.replace(/[._-]\{to\}(?=\.[^/]*$)/, ''),
	pattern.replace('/values-{to}/', '/values/').replace(/^values-\{to\}\//, 'values/'),
	pattern.replace('{to}.lproj/', 'Base.lproj/'),
];

/** The language of a folder as Android (`values-pt-rBR`, `values-b+sr+Latn`) and Apple (`pt-BR.lproj`) name it. */
export function folderLanguage(name: string): { written: string; pattern: string } | undefined {
	// A car is no Carib, although its letters are.
	if (name === 'values-car') return undefined;
	const android = /^values-(?:b\+([A-Za-z0-9+]+)|([a-z]{2,3})(?:-r([A-Z]{2}))?)$/.exec(name);
	if (android) {
		const [, tag, language, region] = android;
		const written = tag?.replaceAll('+', '-') ?? `${language}${region ? `-${region}` : ''}`;
		return isLanguageName(written) ? { written, pattern: 'values-{to}' } : undefined;
	}
	const written = /^(.+)\.lproj$/.exec(name)?.[1] ?? '';
	return isLanguageName(written) ? { written, pattern: '{to}.lproj' } : undefined;
}

/** The `.pot` file the translations of a pattern come from. */
function templateOf(pattern: string, files: readonly string[]): string | undefined {
	const folder = pattern.slice(0, pattern.indexOf('{to}'));
	const base = /(?:^|[/{}])([^/{}]+)\.po$/.exec(pattern)?.[1];
	const templates = files.filter((path) => path.endsWith('.pot') && path.startsWith(folder));
	return (
		templates.find((path) => base !== undefined && path.endsWith(`/${base}.pot`)) ?? templates[0]
	);
}
