/** YAML message files: values that are words. Plural messages get the keys of the target, files of Rails its code. */

import { type ErrorCode, parseAllDocuments } from 'yaml';
import { gateRules } from '../gate/gateRules.ts';
import { indentAt } from '../whiteSpace.ts';
import { yamlTree } from './messageTree.ts';
import type { Extract, Fault } from './piece.ts';
import { withKeysOf } from './pluralKeys.ts';
import { yamlPieces } from './yamlTexts.ts';

/** Where YAML is broken; what is nested too deeply is told by whoever reads it. */
function faultOf(text: string): Fault | undefined {
	const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false });
	const errors = [...documents].flatMap((document) => document.errors);
	const first = errors.find(({ code }) => code !== 'RESOURCE_EXHAUSTION');
	if (first === undefined) return undefined;
	return { at: first.pos[0], what: faults[first.code] };
}

const faults: Readonly<Record<ErrorCode, string>> = {
	ALIAS_PROPS: 'an alias has an anchor or a tag',
	BAD_ALIAS: 'an alias has no anchor it could stand for',
	BAD_COLLECTION_TYPE: 'a tag does not go with what follows it',
	BAD_DIRECTIVE: 'this is no directive',
	BAD_DQ_ESCAPE:
		'a backslash is followed by what it does not stand before; single quotes keep backslashes as they are',
	BAD_INDENT: 'a line is not indented as those that it belongs to',
	BAD_PROP_ORDER: 'an anchor or a tag stands in the wrong place',
	BAD_SCALAR_START: 'a text cannot begin with this character; put it in quotes',
	BLOCK_AS_IMPLICIT_KEY:
		'a key and its value stand where a text belongs; put a text with a colon in quotes',
	BLOCK_IN_FLOW: 'an indented list or map stands between brackets',
	DUPLICATE_KEY: 'a key is there twice',
	IMPOSSIBLE: 'this cannot be read',
	KEY_OVER_1024_CHARS: 'a key is longer than 1024 characters',
	MISSING_CHAR: 'a quote, a bracket, a comma or a colon is missing',
	MULTILINE_IMPLICIT_KEY: 'a key has more than one line, or a quote before it is not closed',
	MULTIPLE_ANCHORS: 'something has two anchors',
	MULTIPLE_DOCS: 'a second document begins',
	MULTIPLE_TAGS: 'something has two tags',
	NON_STRING_KEY: 'a key is no text',
	RESOURCE_EXHAUSTION: 'it is nested too deeply',
	TAB_AS_INDENT: 'a line is indented with a tab; use spaces',
	TAG_RESOLVE_FAILED: 'a tag is not known, or its value does not go with it',
	UNEXPECTED_TOKEN: 'this does not belong here',
};

/** Plural messages get the keys of the target's categories, files of Rails its code at the root. */
export const extractYaml: Extract = Object.assign(
	(text: string, to?: string) => yamlPieces(text, to),
	{
		faultOf,
		rules: gateRules.yaml,
		prepare: (text: string, to: string) =>
			withKeysOf(text, to, {
				read: yamlTree.read,
				isRooted: true,
				separator: (source, eol, tree, { start }) =>
					tree.isFlow ? ', ' : eol + (indentAt(source, start) ?? ''),
			}),
	},
);
