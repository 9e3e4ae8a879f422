/**
 * ICU messages: text, arguments and branches of plural and select, as a tree.
 *
 * Own code, because @formatjs/icu-messageformat-parser 3.5.23 refuses what message files have beside ICU
 * (`{user.name}`, `{$count}`, `{0, choice, …}`, formats of their own), and takes a stray `}` for text.
 */

export type IcuNode =
	| { readonly kind: 'text'; readonly text: string }
	/** `#`, the number of the plural around it. */
	| { readonly kind: 'hash' }
	/** An argument without branches, as it is written. */
	| { readonly kind: 'argument'; readonly raw: string }
	| IcuChoice;

export interface IcuChoice {
	readonly kind: 'choice';
	readonly name: string;
	readonly type: 'plural' | 'select' | 'selectordinal';
	readonly offset: number;
	/** From the opening brace to the first branch. */
	readonly head: string;
	readonly branches: readonly IcuBranch[];
	/** White space before the closing brace. */
	readonly tail: string;
}

export interface IcuBranch {
	/** White space before the selector and between it and its text. */
	readonly lead: string;
	readonly gap: string;
	/** `one`, `other`, `=0`, `female`. */
	readonly selector: string;
	readonly nodes: readonly IcuNode[];
}

const deepest = 10;

/** The tree of a message, or `undefined` when it is malformed. */
export function parseIcu(message: string): IcuNode[] | undefined {
	const reader = new IcuReader(message);
	const nodes = reader.nodes(0, false);
	return nodes && reader.at === message.length ? nodes : undefined;
}

class IcuReader {
	at = 0;
	readonly #message: string;

	constructor(message: string) {
		this.#message = message;
	}

	/** Up to the end of the message or, in a branch, to its closing brace. */
	nodes(depth: number, inPlural: boolean): IcuNode[] | undefined {
		if (depth > deepest) return undefined;
		const nodes: IcuNode[] = [];
		let text = '';
		const flush = () => {
			if (text !== '') nodes.push({ kind: 'text', text });
			text = '';
		};
		while (this.at < this.#message.length) {
			const letter = this.#message.charAt(this.at);
			if (letter === '}') break;
			if (letter === "'") text += this.#apostrophe(inPlural);
			else if (letter === '#' && inPlural) {
				flush();
				nodes.push({ kind: 'hash' });
				this.at++;
			} else if (letter === '{') {
				flush();
				const node = this.#argument(depth);
				if (!node) return undefined;
				nodes.push(node);
			} else {
				text += letter;
				this.at++;
			}
		}
		flush();
		return nodes;
	}

	/** Two apostrophes are one; one before a brace quotes up to the next. */
	#apostrophe(inPlural: boolean): string {
		if (this.#take(/''/y)) return "'";
		const quoted = this.#take(
			inPlural ? /'([{}#](?:[^']|'')*)(?:'|$)/y : /'([{}](?:[^']|'')*)(?:'|$)/y,
		);
		if (quoted) return (quoted[1] ?? '').replaceAll("''", "'");
		this.at++;
		return "'";
	}

	#argument(depth: number): IcuNode | undefined {
		const start = this.at;
		const choice = this.#take(
			/\{\s*([\p{L}\p{M}\p{N}_.-]+)\s*,\s*(plural|selectordinal|select)\s*,(?:\s*offset:\s*(\d+))?/uy,
		);
		if (!choice) {
			const [raw] =
				this.#take(/\{\s*[\p{L}\p{M}\p{N}_.$@-]+\s*(?:,(?:[^{}']|'[^']*')*)?\}/uy) ?? [];
			return raw === undefined ? undefined : { kind: 'argument', raw };
		}
		const [, name = '', given, offset = '0'] = choice;
		const type = given === 'select' || given === 'selectordinal' ? given : 'plural';
		const head = this.#message.slice(start, this.at);
		const branches: IcuBranch[] = [];
		for (;;) {
			const lead = this.#take(/\s*/y)?.[0] ?? '';
			if (this.#take(/\}/y)) {
				if (!branches.some(({ selector }) => selector === 'other')) return undefined;
				return { kind: 'choice', name, type, offset: Number(offset), head, branches, tail: lead };
			}
			const [, selector = '', gap = ''] = this.#take(/(=\d+|[\p{L}\p{M}\p{N}_-]+)(\s*)\{/uy) ?? [];
			if (selector === '') return undefined;
			const nodes = this.nodes(depth + 1, type !== 'select');
			if (!nodes || !this.#take(/\}/y)) return undefined;
			branches.push({ lead, gap, selector, nodes });
		}
	}

	#take(pattern: RegExp): RegExpExecArray | undefined {
		pattern.lastIndex = this.at;
		const match = pattern.exec(this.#message) ?? undefined;
		if (match) this.at += match[0].length;
		return match;
	}
}

/** Text as it is written in a message, with its braces, apostrophes and `#` quoted. */
export function icuText(text: string, inPlural: boolean, doubled: boolean): string {
	// At its end an argument, `#` or the end of a branch may follow.
	const parts = inPlural ? /([{}#][{}#']*)|'(?=['{}#|]|$)/g : /([{}][{}']*)|'(?=['{}#|]|$)/g;
	return text.replace(doubled ? new RegExp(`${parts.source}|'`, 'g') : parts, (part, quoted) =>
		quoted ? `'${part.replaceAll("'", "''")}'` : "''",
	);
}

/** Arguments of a message, and the branches of those that are chosen by name. */
export function icuArguments(nodes: readonly IcuNode[]): Set<string> {
	const names = new Set<string>();
	const visit = (inner: readonly IcuNode[]): void => {
		for (const node of inner) {
			if (node.kind === 'argument') names.add(node.raw.replace(/\s+/g, ''));
			if (node.kind !== 'choice') continue;
			names.add(`{${node.name},${node.type}}`);
			for (const { selector, nodes: branch } of node.branches) {
				if (node.type === 'select') names.add(`${node.name}=${selector}`);
				visit(branch);
			}
		}
	};
	visit(nodes);
	return names;
}
