/** YAML message files: values that are words. Plural messages get the keys of the target, files of Rails its code. */

import { parseAllDocuments } from 'yaml';
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
	const what = first.message.replace(/\.$/, '');
	return { at: first.pos[0], what: what.charAt(0).toLowerCase() + what.slice(1) };
}

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
