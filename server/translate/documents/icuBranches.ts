/**
 * ICU messages with branches, made ready for a translator: every branch becomes a whole sentence,
 * and plurals get the categories of the target language.
 */

import { leadingSpace, trailingSpace } from '../whiteSpace.ts';
import {
	type IcuBranch,
	type IcuChoice,
	type IcuNode,
	icuArguments,
	icuText,
	parseIcu,
} from './icu.ts';
import { withoutQuotedArguments } from './messageApostrophes.ts';
import { ordinalSuffix, suffixIn } from './ordinals.ts';
import type { Branches } from './piece.ts';
import { samePlaceholders } from './placeholders.ts';
import { pluralCategories, withNumber, withoutNumber } from './pluralNumbers.ts';

/** More sentences than this are a table, not a message. */
const maxTexts = 200;

/** A branch to be written, with a number that stands for it. */
interface Wanted {
	readonly branch: IcuBranch;
	readonly number?: number;
}

type Build = (translations: readonly string[]) => string | undefined;

/** Sentences of a message and how it is put together; `undefined` when it is malformed. */
export function icuBranches(message: string, to: string): Branches | undefined {
	const nodes = parseIcu(message);
	if (!nodes) return undefined;
	const writer = new IcuWriter(to, message.includes("''"));
	const join = writer.message(nodes, undefined);
	if (!join || writer.texts.length > maxTexts) return undefined;
	const isChanged = writer.texts.length > 0 || writer.hasOrdinals;
	const checked: Build = (translations) => {
		const made = join(translations);
		return made !== undefined && isReadAs(made, join(writer.texts)) ? made : undefined;
	};
	return { texts: writer.texts, join: isChanged ? checked : () => message };
}

/** Whether a message can be read, and has the arguments of another. */
function isReadAs(made: string, like: string | undefined): boolean {
	const listed = (text: string) => {
		const nodes = parseIcu(text);
		return nodes && [...icuArguments(nodes)].sort().join('\n');
	};
	const own = listed(made);
	return own !== undefined && (like === undefined || own === listed(like));
}

class IcuWriter {
	readonly texts: string[] = [];
	/** Whether a suffix of the source language was replaced. */
	hasOrdinals = false;
	readonly #to: string;
	/** Whether the author doubles every apostrophe, as Java wants it. */
	readonly #doubled: boolean;

	constructor(to: string, doubled: boolean) {
		this.#to = to;
		this.#doubled = doubled;
	}

	message(
		nodes: readonly IcuNode[],
		inside: IcuChoice | undefined,
		number?: number,
	): Build | undefined {
		if (this.texts.length > maxTexts) return undefined;
		const index = nodes.findIndex(({ kind }) => kind === 'choice');
		const choice = nodes[index];
		if (choice?.kind !== 'choice') return this.#sentence(nodes, inside, number);
		const [before, after] = [nodes.slice(0, index), nodes.slice(index + 1)];
		const around = [...before, ...after];
		const isBare = around.every((node) => node.kind === 'text' && !/\p{L}/u.test(node.text));
		const lifted = isBare ? { before: [], after: [] } : { before, after };
		const open = this.#lift(lifted.before, inside);
		const close = this.#lift(lifted.after, inside);
		if (!open || !close) return undefined;
		const built = this.#choice(choice, (branch) => [...open, ...branch.nodes, ...close]);
		if (!built || !isBare) return built;
		const [start, end] = [this.#raw(before, inside), this.#raw(after, inside)];
		return (translations) => {
			const made = built(translations);
			return made === undefined ? undefined : start + made + end;
		};
	}

	/** What stood beside a choice and comes into its branches, where `#` would be another number. */
	#lift(nodes: readonly IcuNode[], inside: IcuChoice | undefined): IcuNode[] | undefined {
		const hasHash = nodes.some(({ kind }) => kind === 'hash');
		if (hasHash && inside?.offset !== 0) return undefined;
		return nodes.map((node) =>
			node.kind === 'hash' ? { kind: 'argument', raw: `{${inside?.name}, number}` } : node,
		);
	}

	#choice(choice: IcuChoice, whole: (branch: IcuBranch) => IcuNode[]): Build | undefined {
		const wanted: readonly Wanted[] | undefined =
			choice.type === 'select'
				? choice.branches.map((branch) => ({ branch }))
				: this.#plural(choice);
		if (!wanted) return undefined;
		const builds: { branch: IcuBranch; build: Build }[] = [];
		for (const { branch, number } of wanted) {
			const build = this.message(whole(branch), choice, number);
			if (!build) return undefined;
			builds.push({ branch, build });
		}
		return (translations) => {
			let out = choice.head;
			for (const { branch, build } of builds) {
				const made = build(translations);
				if (made === undefined) return undefined;
				out += `${branch.lead}${branch.selector}${branch.gap}{${made}}`;
			}
			return `${out}${choice.tail}}`;
		};
	}

	/** Branches of the target language, each from the one of the source that fits it best. */
	#plural(choice: IcuChoice): Wanted[] | undefined {
		const type = choice.type === 'plural' ? 'cardinal' : 'ordinal';
		const categories = pluralCategories(this.#to, type);
		const other = choice.branches.find(({ selector }) => selector === 'other');
		if (!categories || !other) return undefined;
		const exact = choice.branches
			.filter(({ selector }) => selector.startsWith('='))
			.map((branch) => ({ branch, number: Number(branch.selector.slice(1)) - choice.offset }));
		const made = categories.flatMap(({ name, sample, onlyOne }) => {
			const own = choice.branches.find(({ selector }) => selector === name);
			const number = sample === undefined ? {} : { number: sample };
			const branch = { ...(own ?? other), selector: name };
			// "One file" is wrong for 21 files where 21 counts as one.
			if (
				name !== 'one' ||
				type === 'ordinal' ||
				onlyOne ||
				!own ||
				hasHash(own) ||
				!hasHash(other)
			)
				return [{ branch, ...number }];
			const one = { branch: { ...own, selector: `=${1 + choice.offset}` }, number: 1 };
			const isThere = exact.some(({ branch: { selector } }) => selector === one.branch.selector);
			return [...(isThere ? [] : [one]), { branch: { ...other, selector: name }, ...number }];
		});
		const [first] = choice.branches;
		return [...exact, ...made].map((item, index) =>
			index === 0 && first
				? { ...item, branch: { ...item.branch, lead: first.lead } }
				: spaced(item),
		);
	}

	/** One sentence: with a number in it where the plural has one, and once more to fall back on. */
	#sentence(
		branch: readonly IcuNode[],
		inside: IcuChoice | undefined,
		number?: number,
	): Build | undefined {
		const nodes = inside?.type === 'selectordinal' ? this.#ordinals(branch, number) : branch;
		const literal = nodes.flatMap((node) => (node.kind === 'text' ? [node.text] : []));
		if (!literal.some((text) => /\p{L}/u.test(text))) {
			const raw = this.#raw(nodes, inside);
			return () => raw;
		}
		// Braces in words could not be told from placeholders.
		if (literal.some((text) => /[{}]/.test(text))) return undefined;
		const raws = nodes.flatMap((node) => (node.kind === 'argument' ? [node.raw] : []));
		const prefix = ['n', 'count', 'number'].find(
			(name) => !raws.some((raw) => raw.startsWith(`{${name}`)),
		);
		if (prefix === undefined) return undefined;
		const hash = `{${prefix}}`;
		const standIns = new Map<string, string>([[hash, '#']]);
		const source = nodes
			.map((node) => {
				if (node.kind === 'text') return node.text;
				if (node.kind !== 'argument') return hash;
				if (/^\{[\w.-]+\}$/.test(node.raw)) return node.raw;
				const name = `{${prefix}${standIns.size}}`;
				standIns.set(name, node.raw);
				return name;
			})
			.join('');
		const text = source.trim();
		const [lead, trail] = [leadingSpace(source), trailingSpace(source)];
		const numbered = number === undefined ? undefined : withNumber(text, hash, number);
		const place = this.texts.length;
		this.texts.push(...(numbered === undefined ? [text] : [numbered, text]));
		return (translations) => {
			const answers = translations.slice(place, place + (numbered === undefined ? 1 : 2));
			const first = answers[0];
			const back =
				numbered === undefined || first === undefined || number === undefined
					? undefined
					: withoutNumber(first, hash, number);
			const best = [back, answers.at(-1)].find(
				(answer) => answer !== undefined && samePlaceholders(text, answer),
			);
			return best === undefined ? undefined : lead + this.#written(best, standIns, inside) + trail;
		};
	}

	/** English suffixes of ordinal numbers as the target language has them. */
	#ordinals(nodes: readonly IcuNode[], number: number | undefined): IcuNode[] {
		const suffix = suffixIn(this.#to, number);
		const isSuffixed = (index: number) => {
			const next = nodes[index + 1];
			return (
				nodes[index]?.kind === 'hash' && next?.kind === 'text' && ordinalSuffix.test(next.text)
			);
		};
		if (suffix === undefined || !nodes.some((_, index) => isSuffixed(index))) return [...nodes];
		this.hasOrdinals = true;
		return nodes.map((node, index): IcuNode => {
			if (isSuffixed(index)) return { kind: 'argument', raw: `#${suffix}` };
			if (node.kind !== 'text' || !isSuffixed(index - 1)) return node;
			return { kind: 'text', text: node.text.replace(ordinalSuffix, '') };
		});
	}

	#written(
		text: string,
		standIns: ReadonlyMap<string, string>,
		inside: IcuChoice | undefined,
	): string {
		return (this.#doubled ? text : withoutQuotedArguments(text))
			.split(/(\{[^{}]*\})/)
			.map((part, index) =>
				index % 2 === 1 ? (standIns.get(part) ?? part) : this.#quoted(part, inside),
			)
			.join('');
	}

	#quoted(text: string, inside: IcuChoice | undefined): string {
		return icuText(text, inside !== undefined && inside.type !== 'select', this.#doubled);
	}

	#raw(nodes: readonly IcuNode[], inside: IcuChoice | undefined): string {
		return nodes
			.map((node) => {
				if (node.kind === 'text') return this.#quoted(node.text, inside);
				return node.kind === 'argument' ? node.raw : '#';
			})
			.join('');
	}
}

const hasHash = ({ nodes }: IcuBranch) => nodes.some(({ kind }) => kind === 'hash');

/** Branches that came first may have no space before them. */
function spaced<T extends { readonly branch: IcuBranch }>(item: T): T {
	return item.branch.lead === '' ? { ...item, branch: { ...item.branch, lead: ' ' } } : item;
}
