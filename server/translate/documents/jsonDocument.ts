/** JSON, JSON with comments and ARB message files: string values; keys, order and layout stay. */

import {
	findNodeAtLocation,
	type Node,
	type ParseError,
	parseTree,
	printParseErrorCode,
} from 'jsonc-parser';
import { defined } from '../../protocol/defined.ts';
import { gateRules } from '../gate/gateRules.ts';
import { sameLanguage } from '../languageCodes.ts';
import { indentAt } from '../whiteSpace.ts';
import { isProse } from './isProse.ts';
import { languageTag } from './languageTag.ts';
import { vueForms } from './lineBranches.ts';
import { jsonTree } from './messageTree.ts';
import type { Extract, Fault, Piece } from './piece.ts';
import {
	categoryBranches,
	type PluralKey,
	pluralKey,
	siblingsOf,
	withKeysOf,
} from './pluralKeys.ts';
import { remarksIn } from './remarks.ts';

function extract(text: string, to?: string): Piece[] {
	const root = parseTree(text, [], { allowTrailingComma: true });
	const pieces: Piece[] = [];
	if (root) visit(root, { isKept: remarksIn(text), to, pieces }, []);
	return pieces;
}

interface Visit {
	readonly isKept: ReturnType<typeof remarksIn>;
	readonly to: string | undefined;
	readonly pieces: Piece[];
	/** What an ARB file says of the message. */
	readonly comment?: string;
}

function visit(node: Node, context: Visit, path: readonly string[], plural?: PluralKey): void {
	if (node.type === 'object') {
		const entries = (node.children ?? []).map(({ children }) => children ?? []);
		const keys = siblingsOf(entries.map(([key]) => String(key?.value)));
		const remarks = new Map(entries.map(([key, value]) => [String(key?.value), value]));
		for (const [key, value] of entries) {
			const name = String(key?.value);
			// ARB keeps descriptions and types of messages under `@name`.
			if (!key || !value || name.startsWith('@')) continue;
			const description = remarks
				.get(`@${name}`)
				?.children?.map(({ children }) =>
					children?.[0]?.value === 'description' ? String(children[1]?.value) : '',
				);
			const comment = description?.join('') ?? '';
			if (context.isKept(key.offset, comment)) continue;
			visit(
				value,
				comment === '' ? context : { ...context, comment },
				[...path, name],
				pluralKey(name, keys),
			);
		}
		return;
	}
	for (const child of node.children ?? []) visit(child, context, path);
	if (node.type !== 'string') return;
	const value = String(node.value);
	if (!isProse(value, path)) return;
	const { to, pieces, comment } = context;
	const forms = plural && to !== undefined ? categoryBranches(value, plural, to) : undefined;
	const branches = forms ?? vueForms(value);
	pieces.push({
		start: node.offset,
		end: node.offset + node.length,
		text: value,
		key: path.join('.'),
		...defined({ branches, comment }),
		encode: (translation) => JSON.stringify(translation),
	});
}

/** The language that an ARB file says it is in. */
function withLocale(text: string, to: string): string {
	const tag = languageTag(to);
	const root = parseTree(text, [], { allowTrailingComma: true });
	const value = root && findNodeAtLocation(root, ['@@locale']);
	if (tag === undefined || value?.type !== 'string') return text;
	if (sameLanguage(String(value.value), tag)) return text;
	const end = value.offset + value.length;
	return text.slice(0, value.offset) + JSON.stringify(tag.replaceAll('-', '_')) + text.slice(end);
}

/** Where JSON is broken; comments and commas at the end of lists are not. */
function faultOf(text: string): Fault | undefined {
	const errors: ParseError[] = [];
	parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true });
	// A tab or line break inside a string is read by most.
	const first = errors
		.map(({ error, offset }) => ({ name: printParseErrorCode(error), at: offset }))
		.find(({ name }) => name !== 'InvalidCharacter');
	return first && { at: first.at, what: faults.get(first.name) ?? 'this is no JSON' };
}

const faults: ReadonlyMap<string, string | undefined> = new Map(
	Object.entries<string | undefined>({
		UnexpectedEndOfString: 'a string is not closed',
		UnexpectedEndOfComment: 'a comment is not closed',
		InvalidEscapeCharacter: 'a backslash is followed by what it does not stand before',
		InvalidUnicode: 'an escaped character is not whole',
		CommaExpected: 'a comma is missing',
		ColonExpected: 'a colon is missing',
		PropertyNameExpected: 'a key in double quotes is missing',
		ValueExpected: 'a value is missing',
		CloseBraceExpected: 'a closing brace is missing',
		CloseBracketExpected: 'a closing bracket is missing',
		EndOfFileExpected: 'something follows the end',
	}),
);

/** Plural messages get the keys of the target's categories. */
export const extractJson: Extract = Object.assign(extract, {
	faultOf,
	rules: gateRules.json,
	prepare: (text: string, to: string) =>
		withKeysOf(withLocale(text, to), to, {
			read: jsonTree.read,
			isRooted: false,
			separator: (source, eol, _tree, { start }) => {
				const before = indentAt(source, start, '\r\n');
				return before === undefined ? ', ' : `,${eol}${before}`;
			},
		}),
});
