/**
 * Where the translation of a file goes, by its name: a pattern with {dir}, {name}, {lang} and {ext}, else in
 * the place of the source's language in the path, else beside the source. Paths are written with `/`.
 */

import { familyPath } from '../../protocol/translatedFileName.ts';
import { folderLanguage, isLanguageName } from './messageFamilies.ts';

/** `docs/guide.md` → `docs/guide.de.md`. */
const beside = '{dir}/{name}.{lang}{ext}';

/** Whether a pattern tells the languages apart. */
export const namesLanguage = (pattern: string): boolean => /\{(?:lang|to)\}/.test(pattern);
/** Whether a pattern tells the files apart. */
export const namesFile = (pattern: string): boolean => pattern.includes('{name}');

/**
 * The path of a translation.
 *
 * @param pattern As a person writes it; `{to}` is `{lang}`
 */
export function placeByPattern(pattern: string, source: string, to: string): string {
	const { dir, name, ext } = partsOfPath(source);
	const values = new Map(Object.entries({ dir, name, ext, lang: to, to }));
	// One pass: what a file is called is never read as a pattern.
	const made = pattern.replace(
		/\{(dir|name|ext|lang|to)\}/g,
		(_, part: string) => values.get(part) ?? '',
	);
	// Two at the beginning lead to another machine of a network of Windows.
	const share = made.startsWith('//') && (source.startsWith('//') || pattern.startsWith('//'));
	// The folder of a file may be the one that is worked in.
	return (share ? '/' : '') + made.replace(/\/(?:\.?\/)+/g, '/').replace(/^\.\/(?=.)/, '');
}

/** @param from Language of the sources as their paths write it, `en` */
export function usualPlace(source: string, to: string, from: string): string {
	const pattern = patternByLanguage(source, from) ?? patternOfPlatform(source);
	return pattern === undefined ? placeByPattern(beside, source, to) : familyPath(pattern, to);
}

/** Where those who read such files look for other languages; `undefined` when any place will do. */
function patternOfPlatform(path: string): string | undefined {
	if (/(?:^|\/)values\/[^/]+\.xml$/.test(path))
		return path.replace(/values(?=\/[^/]+$)/, 'values-{to}');
	if (/(?:^|\/)Base\.lproj\/[^/]+$/.test(path))
		return path.replace(/Base(?=\.lproj\/[^/]+$)/, '{to}');
	if (path.endsWith('.properties')) return path.replace(/\.properties$/, '_{to}.properties');
	if (path.endsWith('.pot')) return path.replace(/\.pot$/, '.{to}.po');
	return undefined;
}

/** A path with `{to}` in the place of its language; `undefined` when it does not name that. */
function patternByLanguage(path: string, from: string): string | undefined {
	const parts = path.split('/');
	const file = parts.pop() ?? '';
	const { name, ext } = partsOfPath(file);
	const isFrom = (written: string): boolean =>
		written.replaceAll('_', '-').toLowerCase() === from.toLowerCase();
	const folder = parts.map((part) => `${part}/`).join('');
	if (isFrom(name)) return `${folder}{to}${ext}`;
	const [, stem = '', joint = '', written = ''] = /^(.+)([._-])([^._-]+)$/.exec(name) ?? [];
	// `check-in` and `log_in` are no files of a language; `guide.en` and `app_en` are.
	if (stem !== '' && isFrom(written) && joint !== '-') return `${folder}${stem}${joint}{to}${ext}`;
	const at = parts.findLastIndex(
		(part) => isFrom(part) || isFrom(folderLanguage(part)?.written ?? ''),
	);
	if (at < 0) return undefined;
	const pattern = folderLanguage(parts[at] ?? '')?.pattern ?? '{to}';
	return [...parts.slice(0, at), pattern, ...parts.slice(at + 1), file].join('/');
}

/** The files among some that are no translation of another one of them. */
export function withoutTranslations(paths: readonly string[], from: string): string[] {
	const all = new Set(paths);
	return paths.filter((path) => !originalsOf(path, from).some((other) => all.has(other)));
}

/** Paths of files of which this one would be the translation. */
function originalsOf(path: string, from: string): string[] {
	const parts = path.split('/');
	const file = parts.pop() ?? '';
	const { name, ext } = partsOfPath(file);
	const folder = parts.map((part) => `${part}/`).join('');
	const isOther = (written: string): boolean =>
		isLanguageName(written) && written.replaceAll('_', '-').toLowerCase() !== from.toLowerCase();
	const found: string[] = [];
	if (isOther(name)) found.push(`${folder}${from}${ext}`);
	const [, stem = '', joint = '', written = ''] =
		/^(.+?)([._])([a-z]{2,3}(?:[-_][A-Za-z\d]{2,4})?)$/.exec(name) ?? [];
	if (stem !== '' && isOther(written))
		found.push(`${folder}${stem}${ext}`, `${folder}${stem}${joint}${from}${ext}`);
	for (const [at, part] of parts.entries())
		for (const original of originalFolders(part, from, isOther))
			found.push([...parts.slice(0, at), original, ...parts.slice(at + 1), file].join('/'));
	return found;
}

/** Folders of which one is a translation by its name. */
function originalFolders(
	name: string,
	from: string,
	isOther: (written: string) => boolean,
): string[] {
	if (isOther(name)) return [from];
	const named = folderLanguage(name);
	if (!named || !isOther(named.written)) return [];
	const plain = named.pattern === 'values-{to}' ? 'values' : 'Base.lproj';
	return [plain, named.pattern.replace('{to}', from)];
}

function partsOfPath(path: string): { dir: string; name: string; ext: string } {
	const at = path.lastIndexOf('/');
	const file = path.slice(at + 1);
	const dot = file.lastIndexOf('.');
	return {
		dir: at < 0 ? '.' : path.slice(0, at) || '/',
		name: dot > 0 ? file.slice(0, dot) : file,
		ext: dot > 0 ? file.slice(dot) : '',
	};
}
