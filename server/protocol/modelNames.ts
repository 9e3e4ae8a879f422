/** From the name a caller uses to one model. Every door that takes a model's name asks here. */

import type { ModelInfo } from './modelTypes.ts';

/** What of a model names it. */
export type NamedModel = Pick<ModelInfo, 'id' | 'name' | 'version' | 'alias' | 'folder'>;

/**
 * A name as names are compared: in any letter case, a version in any number of digits. `:latest`, which clients
 * of other servers add, is the same as no version.
 */
export function comparableName(name: string): string {
	const text = name.trim().toLowerCase();
	const at = text.lastIndexOf(':');
	const version = text.slice(at + 1);
	if (at < 0) return text;
	if (version === 'latest') return text.slice(0, at);
	return /^\d+$/.test(version) ? `${text.slice(0, at)}:${version.replace(/^0+(?=\d)/, '')}` : text;
}

/**
 * Finds a model by its id, its name, its alias or its folder, in this order. Without a version the highest
 * one is meant.
 * @param aliased those that aliases and folders may stand for, best first
 */
export function findModel<T extends NamedModel>(
	models: readonly T[],
	name: string,
	aliased: readonly T[] = models,
): T | undefined {
	const wanted = comparableName(name);
	const exact = models.find(({ id }) => comparableName(id) === wanted);
	if (exact !== undefined) return exact;
	const named = newest(models, wanted);
	if (named !== undefined) return named;
	const first = aliased.find(
		({ alias, folder }) =>
			alias.toLowerCase() === wanted || folder?.split(/[\\/]/).at(-1)?.toLowerCase() === wanted,
	);
	if (first?.alias.toLowerCase() !== wanted) return first;
	// The other versions of a model have its alias as well.
	return newest(aliased, first.name.toLowerCase());
}

function newest<T extends NamedModel>(models: readonly T[], name: string): T | undefined {
	return models
		.filter((model) => model.name.toLowerCase() === name)
		.sort((left, right) => (Number(right.version) || 0) - (Number(left.version) || 0))[0];
}

/** Letters that Unicode does not take apart. */
const plainLetters: ReadonlyMap<string, string> = new Map(
	Object.entries<string>({
		...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE' },
		...{ ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D', ð: 'd', Ð: 'D', þ: 'th', Þ: 'TH', ı: 'i' },
	}),
);

/** What an id may hold of a name: Latin letters, digits, dot, dash, underscore; accents go, the rest is a dash. */
export function idName(name: string): string {
	const plain = name
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.replace(/\P{ASCII}/gu, (letter) => plainLetters.get(letter) ?? letter);
	const clean = plain.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
	return clean.slice(0, 128) || 'model';
}

/** Most names that one may have meant. */
const maxNearNames = 5;
/** Share of pairs of letters that two names have in common, from which on one may have meant the other. */
const nearShare = 0.5;
/** Letters of a name that are compared one by one. */
const maxComparedLetters = 64;

/** Names that somebody may have meant by one that nobody has, the nearest first. */
export function nearNames(names: readonly string[], wanted: string): string[] {
	const plain = (name: string) => idName(name.slice(0, 200).replace(/:\w*$/, '')).toLowerCase();
	if (!/[\p{L}\d]/u.test(wanted)) return [];
	const text = plain(wanted);
	const pairs = pairsOf(text);
	const shareOf = (name: string): number => {
		const other = plain(name);
		const its = pairsOf(other);
		const shared = [...pairs].filter((pair) => its.has(pair)).length;
		const share = (2 * shared) / Math.max(1, pairs.size + its.size);
		const isNear = (text.length > 2 && other.includes(text)) || isSlip(text, other);
		return isNear ? Math.max(share, nearShare) : share;
	};
	return [...new Set(names)]
		.map((name) => ({ name, share: shareOf(name) }))
		.filter(({ share }) => share >= nearShare)
		.sort((a, b) => b.share - a.share)
		.slice(0, maxNearNames)
		.map(({ name }) => name);
}

/** ` Did you mean …?` for the end of a sentence; empty where no name is near. */
export function nearNamesHint(names: readonly string[], wanted: string): string {
	const near = nearNames(names, wanted);
	return near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
}

/** Whether a name is another one but for a letter too many, too few or wrong, or for their order. */
function isSlip(text: string, other: string): boolean {
	if (text.length < 3 || Math.max(text.length, other.length) > maxComparedLetters) return false;
	let start = 0;
	while (start < text.length && text[start] === other[start]) start++;
	const [rest, otherRest] = [text.slice(start), other.slice(start)];
	const inOrder = (name: string) => [...name].sort().join('');
	return (
		rest.slice(1) === otherRest ||
		rest === otherRest.slice(1) ||
		rest.slice(1) === otherRest.slice(1) ||
		inOrder(text) === inOrder(other)
	);
}

function pairsOf(text: string): ReadonlySet<string> {
	const pairs = new Set<string>();
	for (let at = 0; at + 1 < text.length; at++) pairs.add(text.slice(at, at + 2));
	return pairs;
}
